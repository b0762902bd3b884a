"""Write the page, the picture and the data of the laboratory."""

from __future__ import annotations

import json
from pathlib import Path

from hamex.lab.laboratory import Laboratory
from hamex.report.schemes.figures import figures, overview
from hamex.report.schemes.page import schemes_page
from hamex.report.style import check_installed, save, to_svg
from hamex.solution.files import check_writable, write_atomically


def check_outputs(html: Path | None, picture: Path | None, data: Path | None) -> None:
    """Refuse what cannot be drawn or written, before any work starts."""
    for path, endings in ((html, (".html",)), (picture, (".png", ".svg")), (data, (".json",))):
        if path is not None:
            check_writable(path, endings)
    if html is not None or picture is not None:
        check_installed()


def write_page(lab: Laboratory, path: Path) -> Path:
    """One HTML file that needs no network."""
    text = schemes_page(lab, {name: to_svg(drawing) for name, drawing in figures(lab).items()})
    return write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def write_picture(lab: Laboratory, path: Path) -> Path:
    """One picture: spectral curves and orders."""
    drawing = overview(lab)
    return write_atomically(path, lambda temporary: save(drawing, temporary))


def write_data(lab: Laboratory, path: Path) -> Path:
    """Everything as JSON."""
    text = as_text(lab)
    return write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def as_text(lab: Laboratory) -> str:
    """The data as JSON text."""
    return json.dumps(lab.as_json(), indent=1, ensure_ascii=False) + "\n"
