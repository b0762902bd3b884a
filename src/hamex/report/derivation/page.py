"""The derivation of an action as one document, written as a page or as LaTeX."""

from __future__ import annotations

from pathlib import Path

from hamex.principle.action import Action
from hamex.principle.library import LIBRARY
from hamex.report.derivation.closing import dimension_table, exercises, limits
from hamex.report.derivation.document import Document, quoted
from hamex.report.derivation.frameworks import end_point_problem, lost_velocity, side_by_side, values_at_the_ends
from hamex.report.derivation.html import html
from hamex.report.derivation.opening import four_steps, symbols
from hamex.report.derivation.quantities import boundary, conserved, functional
from hamex.report.derivation.stepping import stability, time_step
from hamex.report.derivation.system import DerivedSystem
from hamex.report.derivation.tex import tex
from hamex.report.style import check_installed
from hamex.solution.files import check_writable, write_atomically

_SECTIONS = (
    symbols,
    four_steps,
    side_by_side,
    values_at_the_ends,
    lost_velocity,
    end_point_problem,
    functional,
    boundary,
    conserved,
    time_step,
    stability,
    dimension_table,
    limits,
    exercises,
)
HTML, LATEX = (".html",), (".tex",)


def derivation(action: Action) -> Document:
    """Everything that follows from an action, in the order of a lecture."""
    system = DerivedSystem(action)
    title = action.name.replace("-", " ") or "your action"
    blocks = tuple(block for section in _SECTIONS for block in section(system))
    title = f"{title[0].upper()}{title[1:]}: from the action to the time step"
    return Document(title, _lead(action), blocks, _foot(action))


def _lead(action: Action) -> str:
    words = ""
    if action.name in LIBRARY:
        words = " ".join((LIBRARY[action.name].__doc__ or "").split("\n\n")[0].split())
        words = words if words.endswith(".") else f"{words}."
    promise = "Derived from the Lagrangian by the extended Hamilton's principle; every line is computed."
    return quoted(f"{words} ".lstrip()) + promise


def _foot(action: Action) -> str:
    source = f"Source: {quoted(action.citation)}. " if action.citation else ""
    return f"{source}Principle: J. Kim, *Extended Hamilton's principle*, sections 2-5."


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
