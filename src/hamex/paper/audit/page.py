"""The page of `hamex audit`: every equation drawn, with its verdict and the evidence; one file that works offline."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from hamex import __version__
from hamex.paper.audit.latex import printed
from hamex.paper.audit.rule import CONDITION, HOLDS, MISPRINT, NOT_TRUE
from hamex.paper.audit.run import IN_WORDS, Item, counts
from hamex.report.equations import share, svg
from hamex.report.page import page
from hamex.report.style import check_installed
from hamex.solution.files import check_writable, write_atomically

_STYLE = """<style>
.item { border-top: 1px solid var(--line); padding: 1rem 0 .6rem; break-inside: avoid; }
.item h3 { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: baseline; margin: 0 0 .3rem;
           font-size: 1.05rem; }
.item .kind { color: var(--soft); font-weight: 400; font-size: .9rem; }
.item .tag { margin-left: auto; }
.tag { font-size: .85rem; padding: .1rem .6rem; border-radius: 1rem; border: 1px solid currentColor; font-weight: 600; }
.tag.holds { color: var(--good); } .tag.misprint, .tag.not { color: var(--bad); }
.tag.condition { color: var(--accent); }
.item .equation { margin: .4rem 0; padding: .5rem .8rem; } .item .equation svg { max-width: none; }
.better .equation { border-left: 3px solid var(--good); } .better > b { color: var(--good); font-size: .9rem; }
.item p { margin: .3rem 0; } .evidence { color: var(--soft); font-size: .93rem; max-width: none; }
.brief td { white-space: normal; vertical-align: top; } .brief td:nth-child(2) { white-space: nowrap; }
.brief td:nth-child(1) { min-width: 7rem; }
.letter { font-family: "DejaVu Serif", "Times New Roman", serif; }
</style>"""
_CLASS = {HOLDS: "holds", MISPRINT: "misprint", CONDITION: "condition", NOT_TRUE: "not"}
_SIZE = 15.0
_STRUT = r"\vphantom{-\frac{m}{h}}"
_SECTIONS = ((1, "2. Hamilton's principle"), (16, "3. Mixed Lagrangian formalism"), (27, "4. The extension"),
             (45, "5.1 Elasticity"), (56, "5.2 Viscoplasticity"), (69, "5.3, 5.4 Numerical properties"),
             (88, "6. Simulation"))


def audit_page(items: list[Item]) -> str:
    """The whole page."""
    numbered = [item for item in items if item.equation.isdigit()]
    spoken = [item for item in items if not item.equation.isdigit()]
    parts = [_STYLE, _top(items), "<h2>What does not stand as printed</h2>", _brief(items)]
    heads = dict(_SECTIONS)
    for item in numbered:
        if int(item.equation) in heads:
            parts.append(f"<h2>{escape(heads[int(item.equation)])}</h2>")
        parts.append(_shown(item))
    parts.append("<h2>Tables, and claims in words</h2>")
    parts += [_shown(item) for item in spoken]
    foot = (f"hamex {escape(__version__)}. J. Kim, <i>Extended Hamilton's principle</i>. Printed equations are "
            "reproduced letter by letter, misprints included; each verdict was computed in this run.")
    return share(page("Audit of Extended Hamilton's principle", "\n".join(parts), foot))


def write_page(items: list[Item], path: Path) -> Path:
    """Write the page whole or not at all."""
    text = audit_page(items)
    return write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def check(path: Path) -> None:
    """Refuse early what cannot be written."""
    check_installed()
    check_writable(path, (".html",))


def _top(items: list[Item]) -> str:
    tiles = "".join(f'<div class="card"><b>{number}</b><span>{verdict}</span></div>'
                    for verdict, number in counts(items).items())
    return ("<h1>The paper, audited</h1><p class='lead'>Every numbered equation, both tables and the claims made in "
            "words, compared with what follows from the Lagrangian and the dissipation function. A printed form that "
            "differs is a misprint; its correction had to pass the same test.</p>"
            f"<div class='cards'>{tiles}</div>")


def _brief(items: list[Item]) -> str:
    rows = "".join(f"<tr><td>{_link(item)}</td><td>{_tag(item)}</td><td>{_words(_told(item))}</td></tr>"
                   for item in items if item.verdict != HOLDS)
    head = "<tr><th>Where</th><th>Verdict</th><th>Evidence</th></tr>"
    return (f'<div class="scroll"><table class="words brief"><thead>{head}'
            f"</thead><tbody>{rows}</tbody></table></div>")


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
    return (f'<section class="item" id="{_anchor(item)}">{head}{as_printed}{better}'
            f'<p class="evidence">{_words(item.evidence)}</p></section>')


def _drawn(text: str, item: Item) -> str:
    """LaTeX as a drawing, words as words."""
    if item.equation not in printed() or text == IN_WORDS:
        return f"<p>{escape(text[0].upper() + text[1:])}</p>"
    drawn = (svg(_drawable(line), _SIZE, shared=True) for line in text.split("\n\n"))
    label = f'class="equation" role="img" aria-label="{escape(text)}"'
    return "".join(f"<div {label}>{drawing}</div>" for drawing in drawn)


def _drawable(latex: str) -> str:
    """What the drawing package does not know, written another way; rows of vectors as high as those of matrices."""
    latex = latex.replace(r"\end{bmatrix}^{-1}", r"\end{bmatrix}{}^{-1}").replace(r"\operatorname", r"\mathrm")
    if "{bmatrix}" not in latex:
        return latex
    return re.sub(r"(\\begin\{Bmatrix\})(.*?)(\\end\{Bmatrix\})", lambda found: found[1] + r"\\".join(
        f"{row} {_STRUT} " for row in found[2].split(r"\\")) + found[3], latex)
