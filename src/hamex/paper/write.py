"""Write the page and the figures of `hamex paper` into a folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hamex.errors import FileError
from hamex.paper.figures import figures
from hamex.paper.page import paper_page
from hamex.paper.results import PaperResults
from hamex.report.style import check_installed, save, to_svg
from hamex.solution.files import check_writable, write_atomically

PAGE = "index.html"


def check_folder(folder: Path) -> None:
    """Make the folder, or say why it cannot be used, before any work starts."""
    check_installed()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FileError(f"cannot write into {folder}: {problem.strerror}") from None
    check_writable(folder / PAGE, (".html",))


def write_paper(results: PaperResults, folder: Path) -> Path:
    """Figures as PNG and SVG, and one page that holds everything; returns the page's path."""
    check_folder(folder)
    drawn = figures(results)
    for name, drawing in drawn.items():
        for ending in (".png", ".svg"):
            path = folder / f"{name}{ending}"
            write_atomically(path, partial(save, drawing))
    text = paper_page(results, {name: to_svg(drawing) for name, drawing in drawn.items()})
    return write_atomically(folder / PAGE, lambda temporary: temporary.write_text(text, encoding="utf-8"))
