"""The audit: every equation, both tables, every claim, in the order of the paper; its page, and its stream.

The page is one file that works offline. The stream is for a program that shows the audit while it runs: SymPy holds its
interpreter for half a minute, so whoever wants to do something else meanwhile reads ``python -m hamex.paper.audit.run
verdicts`` (or ``drawings``) from a child process. Each line is JSON: ``{"total": …}`` first, then items, or drawings.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from hamex.files import check_writable, write_atomically
from hamex.paper.audit import claims_numbers, claims_step, section_2, section_4, section_5, section_6
from hamex.paper.audit.judging import (
    CONDITION,
    HOLDS,
    MISPRINT,
    NOT_TRUE,
    NOT_UNDERSTOOD,
    OPEN_VERDICTS,
    VERDICTS,
    Claim,
    FormulaVerdict,
    Rule,
    corrected,
    corrected_equation,
    printed_equation,
    printed_latex,
)
from hamex.paper.audit.notation import NumberedEquation
from hamex.report.equations import share, svg
from hamex.report.page import cards, page, table
from hamex.report.style import check_installed

RULES: dict[str, Rule] = {**section_2.RULES, **section_4.RULES, **section_5.RULES, **section_6.RULES}
CLAIMS: tuple[Claim, ...] = (*section_2.CLAIMS, *claims_step.CLAIMS, *claims_numbers.CLAIMS, *section_2.NOVELTY)
IN_WORDS = "as derived; see the evidence"
# Where the print is right under a condition and needs words, not symbols.
READING = {"33": r"\bar{u}_0 \text{ is given}; \quad \delta u(0) \text{ stays free}"}
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


@dataclass(frozen=True)
class Item:
    """One line of the audit."""

    equation: str
    kind: str
    verdict: str
    printed: str
    correct: str
    evidence: str
    reading: str = ""

    def as_json(self) -> dict[str, str]:
        """The contract of ``hamex audit --json``."""
        return {
            "equation": self.equation,
            "kind": self.kind,
            "verdict": self.verdict,
            "printed": self.printed,
            "correct": self.correct,
            "evidence": self.evidence,
        }


def audit(equations: Mapping[str, NumberedEquation] | None = None) -> list[Item]:
    """Judge everything; ``equations`` may hold a changed copy of the print."""
    return list(judged(equations))


def judged(equations: Mapping[str, NumberedEquation] | None = None) -> Iterator[Item]:
    """The same one by one: seconds pass between some of them."""
    for number in printed_latex():
        yield judge(equations[number] if equations else printed_equation(number))
    for claim in claims_numbers.TABLES:
        yield _claim(claim, claim.name)
    for claim in CLAIMS:
        yield _claim(claim, f"claim: {claim.name}")


def size() -> int:
    """How many items there are."""
    return len(printed_latex()) + len(claims_numbers.TABLES) + len(CLAIMS)


def judge(equation: NumberedEquation) -> Item:
    """Judge one equation; a correction is shown only after the same rule has accepted it."""
    found = RULES[equation.number](equation)
    latex = equation.latex
    if found.verdict == HOLDS:
        return Item(equation.number, equation.kind, HOLDS, latex, latex, found.evidence)
    better = corrected_equation(equation.number)
    if better is None:
        note = READING.get(equation.number, IN_WORDS)
        return Item(equation.number, equation.kind, found.verdict, latex, note, found.evidence)
    check = RULES[equation.number](better)
    confirmed = (
        "the corrected form passes the same test"
        if check.verdict == HOLDS
        else (f"the correction is NOT confirmed: {check.evidence}")
    )
    return Item(
        equation.number,
        equation.kind,
        found.verdict,
        latex,
        better.latex,
        f"{found.evidence}; {confirmed}",
        f"Should read: {better.plain}" if better.plain else "",
    )


def counts(items: list[Item]) -> dict[str, int]:
    """How many of each verdict, in a fixed order."""
    found = Counter(item.verdict for item in items)
    return {verdict: found[verdict] for verdict in VERDICTS}


def _claim(claim: Claim, name: str) -> Item:
    answer = claim.judge()
    correct = claim.printed if answer.finding.verdict == HOLDS or not answer.correct else answer.correct
    return Item(
        name,
        "claim",
        answer.finding.verdict,
        claim.printed,
        correct,
        answer.finding.evidence,
        f"Rather: {correct}" if correct != claim.printed else "",
    )


def audit_page(items: list[Item]) -> str:
    """The whole page."""
    numbered = [item for item in items if item.equation.isdigit()]
    spoken = [item for item in items if not item.equation.isdigit()]
    failing = [item for item in items if item.verdict != HOLDS]
    said = [f"{item.evidence}. {item.reading}" if item.reading else item.evidence for item in failing]
    rows = [[_link(item), _tag(item), _words(words)] for item, words in zip(failing, said, strict=True)]
    brief = f'<div class="stacked">{table(["Where", "Verdict", "Evidence"], rows, words=True)}</div>'
    parts = [_top(items), "<h2>What does not stand as printed</h2>", brief]
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


def write_open_page(verdicts: Sequence[FormulaVerdict], title: str, path: Path) -> Path:
    """The page of an audit of anyone's paper, whole or not at all."""
    found = Counter(v.verdict for v in verdicts)
    parts = [
        f"<h1>{escape(title)}, audited</h1><p class='lead'>Every displayed equation, compared with what follows from "
        "the action. A printed form that differs is a misprint.</p>",
        cards((str(found[verdict]), verdict) for verdict in OPEN_VERDICTS if found[verdict] or verdict in _CLASS),
    ]
    odd = [(i, v) for i, v in enumerate(verdicts) if v.verdict in (MISPRINT, CONDITION, NOT_UNDERSTOOD)]
    if odd:
        rows = [[f'<a href="#f-{i}">{escape(v.equation)}</a>', _open_tag(v), _words(_found(v))] for i, v in odd]
        brief = f'<div class="stacked">{table(["Where", "Verdict", "Evidence"], rows, words=True)}</div>'
        parts += ["<h2>What does not stand as printed</h2>", brief, "<h2>Every equation</h2>"]
    for i, v in enumerate(verdicts):
        head = f'<h3>{escape(v.equation)} <span class="kind">{_of_line(v)}</span>{_open_tag(v)}</h3>'
        better = f'<div class="better"><b>should read</b>{drawing(v.correct)}</div>' if v.correct else ""
        shown = _drawn_if_possible(v.printed)
        evidence = f'<p class="evidence">{_words(_found(v))}</p>'
        place = f"<pre>{escape(v.place)}</pre>" if v.place else ""
        parts.append(f'<section class="item" id="f-{i}">{head}{shown}{better}{evidence}{place}</section>')
    text = share(page(f"Audit of {title}", "\n".join(parts), escape(title), "audit"))
    return write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def _found(v: FormulaVerdict) -> str:
    """What is said of a formula, with the difference."""
    said = f"{v.claim}: {v.evidence}." if v.claim and v.claim != v.verdict else f"{v.evidence}."
    return f"{said} {v.gap[0].upper()}{v.gap[1:]}" if v.gap else said


def _of_line(v: FormulaVerdict) -> str:
    line = "" if v.equation.startswith(f"line {v.line}") else f"line {v.line}"
    return f"{line} of {escape(v.file)}".strip() if v.file else line


def _open_tag(v: FormulaVerdict) -> str:
    return f'<span class="tag {_CLASS.get(v.verdict, "condition")}">{v.verdict}</span>'


def _drawn_if_possible(latex: str) -> str:
    """Anyone's LaTeX as a drawing; as text where the drawing package cannot."""
    try:
        return drawing(re.sub(r"\\\\", "\n\n", latex))
    except Exception:  # whatever the package says about LaTeX that it does not know
        return f"<pre>{escape(latex)}</pre>"


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


def _words(text: str) -> str:
    """Evidence as HTML; a dot over J needs a font with serifs, or it looks like a j."""
    first = text.split(" ")[0].rstrip(",:")
    start = text[0].upper() + text[1:] if first.isalpha() and len(first) > 1 else text
    return escape(start).replace("J̇", '<span class="letter">J̇</span>')


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


def verdicts() -> Iterator[dict[str, Any]]:
    """Every item with the section of the paper in which it stands."""
    yield {"total": size()}
    heads, section = dict(SECTIONS), ""
    for item in judged():
        section = heads.get(int(item.equation), section) if item.equation.isdigit() else "Tables, and claims in words"
        yield {"item": {**item.as_json(), "reading": item.reading, "section": section}}


def drawings() -> Iterator[dict[str, Any]]:
    """Every equation as printed, then the corrected ones; ``html`` is one block a line."""
    shown = [("printed", number, latex) for number, latex in printed_latex().items()]
    shown += [("correct", number, better.latex) for number, better in corrected().items()]
    shown += [("correct", number, latex) for number, latex in READING.items()]
    yield {"total": len(shown)}
    for part, number, latex in shown:
        yield {"drawing": {"equation": number, "part": part, "html": drawing(latex)}}


def main(what: str) -> None:
    """Write the lines; who reads them holds the input open, and the end of that ends this in the middle of its work."""
    threading.Thread(target=_end_with_input, daemon=True).start()
    for line in {"verdicts": verdicts, "drawings": drawings}[what]():
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
        sys.stdout.flush()


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    os.nice(10)  # half a minute of work for later reading: whoever moves a slider goes first
    main(sys.argv[1])
