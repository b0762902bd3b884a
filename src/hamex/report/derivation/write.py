"""Write a derivation as a page or as a LaTeX document."""

from __future__ import annotations

from pathlib import Path

from hamex.report.derivation.blocks import Document
from hamex.report.derivation.html import html
from hamex.report.derivation.tex import tex
from hamex.report.style import check_installed
from hamex.solution.files import check_writable, write_atomically

HTML, LATEX = (".html",), (".tex",)


def check_outputs(page: Path | None, latex: Path | None) -> None:
    """Refuse what cannot be drawn or written, before any work starts."""
    if page is not None:
        check_installed()
        check_writable(page, HTML)
    if latex is not None:
        check_writable(latex, LATEX)


def write_html(document: Document, path: Path) -> Path:
    """One page that needs no network."""
    content = html(document)
    return write_atomically(path, lambda temporary: temporary.write_text(content, encoding="utf-8"))


def write_latex(document: Document, path: Path) -> Path:
    """A document that any LaTeX compiles."""
    content = tex(document)
    return write_atomically(path, lambda temporary: temporary.write_text(content, encoding="utf-8"))
