"""The page of `hamex audit`: every equation drawn, with its verdict and the evidence; one file that works offline."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from hamex.paper.audit.judging import CONDITION, HOLDS, MISPRINT, NOT_TRUE
from hamex.paper.audit.notation import printed_latex
from hamex.paper.audit.run import IN_WORDS, Item, counts
from hamex.report.equations import share, svg
from hamex.report.page import cards, page, table
from hamex.report.style import check_installed
from hamex.solution.files import check_writable, write_atomically

_CLASS = {HOLDS: "holds", MISPRINT: "misprint", CONDITION: "condition", NOT_TRUE: "not"}
_SIZE = 15.0
_STRUT = r"\vphantom{-\frac{m}{h}}"
SECTIONS = (
    (1, "2. Hamilton's principle"),
    (16, "3. Mixed Lagrangian formalism"),
    (27, "4. The extension"),
    (45, "5.1 Elasticity"),
    (56, "5.2 Viscoplasticity"),
    (69, "5.3, 5.4 Numerical properties"),
    (88, "6. Simulation"),
)


def audit_page(items: list[Item]) -> str:
    """The whole page."""
    numbered = [item for item in items if item.equation.isdigit()]
    spoken = [item for item in items if not item.equation.isdigit()]
    parts = [_top(items), "<h2>What does not stand as printed</h2>", _brief(items)]
    heads = dict(SECTIONS)
    for item in numbered:
        if int(item.equation) in heads:
            parts.append(f"<h2>{escape(heads[int(item.equation)])}</h2>")
        parts.append(_shown(item))
    parts.append("<h2>Tables, and claims in words</h2>")
    parts += [_shown(item) for item in spoken]
    foot = (
        "J. Kim, <i>Extended Hamilton's principle</i>. Printed equations are reproduced letter by letter, "
        "misprints included; each verdict was computed in this run."
    )
    return share(page("Audit of Extended Hamilton's principle", "\n".join(parts), foot, "audit of the paper"))


def write_page(items: list[Item], path: Path) -> Path:
    """Write the page whole or not at all."""
    text = audit_page(items)
    return write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def check(path: Path) -> None:
    """Refuse early what cannot be written."""
    check_installed()
    check_writable(path, (".html",))


def _top(items: list[Item]) -> str:
    tiles = cards((str(number), verdict) for verdict, number in counts(items).items())
    return (
        "<h1>The paper, audited</h1><p class='lead'>Every numbered equation, both tables and the claims made in "
        "words, compared with what follows from the Lagrangian and the dissipation function. A printed form that "
        "differs is a misprint; its correction had to pass the same test.</p>" + tiles
    )


def _brief(items: list[Item]) -> str:
    rows = [[_link(item), _tag(item), _words(_told(item))] for item in items if item.verdict != HOLDS]
    return f'<div class="stacked">{table(["Where", "Verdict", "Evidence"], rows, words=True)}</div>'


def _words(text: str) -> str:
    """Evidence as HTML; a dot over J needs a font with serifs, or it looks like a j."""
    first = text.split(" ")[0].rstrip(",:")
    start = text[0].upper() + text[1:] if first.isalpha() and len(first) > 1 else text
    return escape(start).replace("J̇", '<span class="letter">J̇</span>')


def _told(item: Item) -> str:
    return f"{item.evidence}. {item.reading}" if item.reading else item.evidence


def _link(item: Item) -> str:
    return f'<a href="#{_anchor(item)}">{escape(_name(item))}</a>'


def _name(item: Item) -> str:
    name = item.equation.removeprefix("claim: ")
    return f"({name})" if name.isdigit() else name[0].upper() + name[1:]


def _anchor(item: Item) -> str:
    return "e-" + re.sub(r"\W+", "-", item.equation)


def _tag(item: Item) -> str:
    return f'<span class="tag {_CLASS[item.verdict]}">{item.verdict}</span>'


def _shown(item: Item) -> str:
    head = f'<h3>{escape(_name(item))} <span class="kind">{item.kind}</span>{_tag(item)}</h3>'
    as_printed, better = _drawn(item.printed, item), ""
    if item.verdict != HOLDS and item.correct != item.printed:
        better = f'<div class="better"><b>should read</b>{_drawn(item.correct, item)}</div>'
    return (
        f'<section class="item" id="{_anchor(item)}">{head}{as_printed}{better}'
        f'<p class="evidence">{_words(item.evidence)}</p></section>'
    )


def _drawn(text: str, item: Item) -> str:
    """LaTeX as a drawing, words as words."""
    if item.equation not in printed_latex() or text == IN_WORDS:
        return f"<p>{escape(text[0].upper() + text[1:])}</p>"
    return drawing(text)


def drawing(latex: str) -> str:
    """The lines of an equation as blocks; letters are shared, see :func:`hamex.report.equations.share`."""
    drawn = (svg(_drawable(line), _SIZE, shared=True) for line in latex.split("\n\n"))
    label = f'class="equation" role="img" aria-label="{escape(latex)}"'
    return "".join(f"<div {label}>{line}</div>" for line in drawn)


def _drawable(latex: str) -> str:
    """What the drawing package does not know, written another way; rows of vectors as high as those of matrices."""
    latex = latex.replace(r"\end{bmatrix}^{-1}", r"\end{bmatrix}{}^{-1}").replace(r"\operatorname", r"\mathrm")
    if "{bmatrix}" not in latex:
        return latex
    return re.sub(
        r"(\\begin\{Bmatrix\})(.*?)(\\end\{Bmatrix\})",
        lambda found: found[1] + r"\\".join(f"{row} {_STRUT} " for row in found[2].split(r"\\")) + found[3],
        latex,
    )
