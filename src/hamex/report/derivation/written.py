"""A derivation as HTML, one page with its own style and no network or sections for somebody else's page; and as a LaTeX
document: article class, amsmath, plain ASCII, so that any engine compiles it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from hamex.report.derivation.atoms import BLANK, EMPTY, MINUS, PLUS, ROOM, Blank, Entries, Row
from hamex.report.derivation.document import (
    Beside,
    Block,
    Bullets,
    Document,
    Equation,
    Exercise,
    Heading,
    Paragraph,
    Picture,
    TextTable,
    picture,
    pieces,
    svg,
    unmarked,
)
from hamex.report.derivation.formula import Formula, Text, parts
from hamex.report.equations import inline, key, letters_apart, marked, share
from hamex.report.page import captioned, page, table

_PREFIX = "derivation-"  # of the names of headings, which share the page with others


def html(document: Document) -> str:
    """The whole page."""
    sections = [block for block in document.blocks if isinstance(block, Heading) and block.level == 2]
    links = "".join(f'<li><a href="#{anchor(s.text)}">{words(s.text)}</a></li>' for s in sections)
    body = (
        f'<h1>{words(document.title)}</h1><p class="lead">{words(document.lead)}</p>'
        f'<nav aria-label="Contents"><ol class="contents">{links}</ol></nav>'
    )
    title = unmarked(document.title)
    blocks = "\n".join(written(block) for block in document.blocks)
    return share(page(title, body + blocks, words(document.foot), "derivation"))


_WIDE = 36  # columns from which a formula may be wider than a narrow screen


def words(text: Text, tagged: bool = False) -> str:
    """Running text as HTML; ``tagged`` as in :func:`hamex.report.equations.svg`."""
    found = []
    for piece in pieces(text):
        if isinstance(piece, Formula):
            drawing = inline(piece.latex, label=piece.text, shared=True, tagged=tagged)
            wide = len(piece.text) > _WIDE and not tagged  # the studio has rules of its own
            # On a narrow screen a long formula would shrink until nobody can read it: it scrolls instead.
            found.append(f'<span class="wide" tabindex="0">{drawing}</span>' if wide else drawing)
        else:
            kind, content = piece
            tag = {"strong": "b", "emphasis": "i"}.get(kind)
            found.append(f"<{tag}>{escape(content)}</{tag}>" if tag else escape(content))
    return "".join(found)


def anchor(text: Text) -> str:
    """The name of a heading, for links."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in source(text).lower()).strip("-")


def source(text: Text) -> str:
    """Running text with its formulas in LaTeX between dollars."""
    return "".join(f"${part.latex}$" if isinstance(part, Formula) else part for part in parts(text))


def written(block: Block, tagged: bool = False) -> str:
    """One block as HTML."""
    match block:
        case Heading(text, level):
            return f'<h{level} id="{anchor(text)}">{words(text, tagged)}</h{level}>'
        case Paragraph(text):
            return f"<p>{words(text, tagged)}</p>"
        case Equation(rows, number):
            return _equation(rows, number, tagged)
        case TextTable(head, rows, caption):
            cells = [[words(cell, tagged) for cell in row] for row in (head, *rows)]
            return table(cells[0], cells[1:], words(caption, tagged), words=True)
        case Picture(sheet, caption):
            return captioned(svg(sheet), words(caption, tagged), unmarked(caption))
        case Bullets(items, ordered):
            tag = "ol" if ordered else "ul"
            return f"<{tag}>" + "".join(f"<li>{words(item, tagged)}</li>" for item in items) + f"</{tag}>"
        case Beside(left, right):
            columns = ("".join(written(b, tagged) for b in side) for side in (left, right))
            return '<div class="beside">' + "".join(f"<div>{column}</div>" for column in columns) + "</div>"
        case Exercise(question, answer):
            # Print has nothing to click: there the answer stands in full, and the folded one is left out.
            solved = "".join(written(b, tagged) for b in answer)
            return (
                f'<div class="exercise"><p>{words(question, tagged)}</p><details><summary>Answer</summary>{solved}'
                f'</details><div class="printed"><b>Answer.</b>{solved}</div></div>'
            )


def _equation(rows: tuple[Formula, ...], number: str, tagged: bool) -> str:
    drawn = "".join(
        f'<div class="{"row more" if i else "row"}">{_row(_starting(row, i > 0), tagged)}</div>'
        for i, row in enumerate(rows)
    )
    side = f'<span class="number">{escape(number)}</span>' if number else ""
    return f'<div class="equation">{side}{drawn}</div>'


def _starting(row: Formula, goes_on: bool) -> Formula:
    """A row that goes on with a sign gets room around it; at the very start a sign belongs to its term."""
    if row.atoms[0] not in (PLUS, MINUS):
        return row
    sign, *rest = row.atoms
    rest = rest[1:] if isinstance(rest[0], Blank) else rest
    return Formula((EMPTY, BLANK, sign, ROOM, BLANK, *rest) if goes_on else (sign, *rest))


def _row(row: Formula, tagged: bool) -> str:
    """Formulas as drawings; matrices as tables of them, which draw quickly because entries repeat."""
    found, start = [], 0
    for place, atom in enumerate((*row.atoms, None)):
        between = Formula(row.atoms[start:place])
        if (atom is None or isinstance(atom, Entries)) and between.latex.strip():
            found.append(_formula(between, 20, tagged))
        if isinstance(atom, Entries):
            start = place + 1
            cells = "".join(
                "<tr>" + "".join(f"<td>{_formula(cell, 18, tagged)}</td>" for cell in line) + "</tr>"
                for line in atom.rows
            )
            found.append(f'<table class="matrix" role="math"><tbody>{cells}</tbody></table>')
    return "".join(found)


def _formula(formula: Row, size: float, tagged: bool) -> str:
    return inline(formula.latex.strip(), size, formula.text, shared=True, tagged=tagged)


@dataclass(frozen=True)
class Fragment:
    """``body`` is HTML; ``contents`` names its sections with their links."""

    title: str
    contents: tuple[tuple[str, str], ...]
    body: str


def fragment(document: Document, symbols: Iterable[tuple[str, str]]) -> Fragment:
    """A document in sections; the letters of ``symbols``, pairs of name and LaTeX, carry ``data-symbol``."""
    parts: list[tuple[Heading, list[Block]]] = []
    for block in document.blocks:
        if isinstance(block, Heading) and block.level == 2:
            parts.append((block, []))
        else:
            parts[-1][1].append(block)
    names: dict[str, str] = {}
    for name, latex in symbols:
        names.setdefault(key(latex), name)  # the first of two takes the letter
    # The title of a section is drawn within its section, and once more, without tags, in the contents.
    contents = tuple((_PREFIX + anchor(head.text), source(head.text)) for head, _ in parts)
    sections = "\n".join(
        f'<section aria-labelledby="{link}"><h2 id="{link}">{words(head.text, tagged=True)}</h2>'
        # Only sections are linked to, so the headings within them go without a name.
        + "\n".join(re.sub(r'<h3 id="[^"]*">', "<h3>", written(block, tagged=True)) for block in blocks)
        + "</section>"
        for (head, blocks), (link, _) in zip(parts, contents, strict=True)
    )
    lead = f'<p class="lead">{words(document.lead)}</p>'
    store, rest = letters_apart(f'{lead}{sections}<p class="quiet">{words(document.foot)}</p>')
    return Fragment(document.title, contents, store + marked(rest, names))


_TOP = r"""\documentclass[11pt]{article}
\usepackage[margin=25mm]{geometry}
\usepackage{amsmath}
\usepackage{graphicx}
\usepackage{longtable}
\usepackage{pict2e}
\setcounter{MaxMatrixCols}{30}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\renewcommand{\arraystretch}{1.25}
\newsavebox{\wide}
% A formula wider than the line is drawn smaller.
\newcommand{\fit}[1]{\sbox{\wide}{$\displaystyle #1$}%
  \ifdim\wd\wide>\linewidth \resizebox{\linewidth}{!}{\usebox{\wide}}\else \usebox{\wide}\fi}
% The same in a cell, whose brackets no line can break.
\newcommand{\fitcell}[1]{\sbox{\wide}{$#1$}%
  \ifdim\wd\wide>\linewidth \resizebox{\linewidth}{!}{\usebox{\wide}}\else \usebox{\wide}\fi}
% Long formulas in running text leave few places to break: lines may be loose before they run over.
\emergencystretch=8em
\begin{document}
"""
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
}
_SIGNS = {
    "–": "--",
    "—": "---",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\dots{}",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "−": "$-$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "≠": r"$\neq$",
    "→": r"$\to$",
    "∫": r"$\int$",
    "∂": r"$\partial$",
    "§": r"\S{}",
    "½": r"$\frac{1}{2}$",
    "∞": r"$\infty$",
    "√": r"$\sqrt{\ }$",
    "′": "$'$",
    "ø": r"{\o}",
    "Ø": r"{\O}",
    "ß": r"{\ss}",
    "∈": r"$\in$",
    "≈": r"$\approx$",
    "ℓ": r"$\ell$",
    "\u00a0": "~",
}
_ACCENTS = {
    "\u0301": "'",
    "\u0300": "`",
    "\u0302": "^",
    "\u0308": '"',
    "\u0303": "~",
    "\u0327": "c",
    "\u030c": "v",
    "\u0304": "=",
    "\u0307": ".",
    "\u030a": "r",
    "\u030b": "H",
}
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))


def tex(document: Document) -> str:
    """The whole document."""
    lines = [
        _TOP,
        rf"\title{{{_tex_words(document.title)}}}",
        r"\author{}",
        r"\date{}",
        r"\maketitle",
        rf"\emph{{{_tex_words(document.lead)}}}",
    ]
    for block in document.blocks:
        lines += ["", *_block(block)]
    return "\n".join(
        [*lines, "", r"\bigskip\noindent{\small " + _tex_words(document.signed) + "}", r"\end{document}", ""]
    )


def _tex_words(text: Text) -> str:
    """Running text in LaTeX."""
    found = []
    for piece in pieces(text):
        if isinstance(piece, Formula):
            found.append(f"${piece.latex}$")
        else:
            kind, content = piece
            wrap = {"strong": r"\textbf{{{}}}", "emphasis": r"\emph{{{}}}"}.get(kind, "{}")
            found.append(wrap.format(tex_escape(content)))
    return "".join(found)


def tex_escape(text: str) -> str:
    """Unicode words as ASCII LaTeX.

    >>> tex_escape("Mécanique, 5 % of σ_11")
    "M\\\\'{e}canique, 5 \\\\% of $\\\\sigma$\\\\_11"
    """
    return "".join(_letter(c) for c in unicodedata.normalize("NFC", text))


def _letter(letter: str) -> str:
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    if letter.isascii():
        return letter
    if letter in _SIGNS:
        return _SIGNS[letter]
    if letter in _RAISED:
        return f"$^{{{_RAISED[letter]}}}$"
    if letter in _LOWERED:
        return f"$_{{{_LOWERED[letter]}}}$"
    name = unicodedata.name(letter, "")
    if name.startswith("GREEK SMALL LETTER ") and (word := name.rsplit(" ", 1)[1].lower()) != "omicron":
        return rf"$\{ {'lamda': 'lambda', 'phi': 'varphi'}.get(word, word) }$"
    if name.startswith("GREEK CAPITAL LETTER "):
        word = name.rsplit(" ", 1)[1].capitalize().replace("Lamda", "Lambda")
        return (
            rf"$\{word}$"
            if word in ("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega")
            else word[0]
        )
    split = unicodedata.normalize("NFD", letter)
    if len(split) == 2 and split[0].isascii() and split[1] in _ACCENTS:
        return rf"\{_ACCENTS[split[1]]}{{{split[0]}}}"
    return "?"


def _block(block: Block) -> list[str]:
    match block:
        case Heading(text, level):
            return [rf"\{'section' if level == 2 else 'subsection'}*{{{_tex_words(text)}}}"]
        case Paragraph(text):
            return [_tex_words(text)]
        case Equation(rows, number):
            return _tex_equation(rows, number)
        case TextTable(head, rows, caption):
            return _table(head, rows, caption)
        case Picture(sheet, caption):
            return [r"\begin{center}", *picture(sheet), "", rf"\small {_tex_words(caption)}", r"\end{center}"]
        case Bullets(items, ordered):
            kind = "enumerate" if ordered else "itemize"
            return [rf"\begin{{{kind}}}", *(rf"\item {_tex_words(item)}" for item in items), rf"\end{{{kind}}}"]
        case Beside(left, right):
            return [line for b in (*left, *right) for line in (*_block(b), "")]
        case Exercise(question, answer):
            return [
                rf"\textbf{{Exercise.}} {_tex_words(question)}",
                "",
                r"\textbf{Answer.}",
                *(line for b in answer for line in ("", *_block(b))),
            ]


def _tex_equation(rows: tuple[Formula, ...], number: str) -> list[str]:
    body = rows[0].latex
    if len(rows) > 1:
        body = r"\begin{aligned} & " + r" \\ & \quad ".join(row.latex for row in rows) + r" \end{aligned}"
    tag = rf" \tag*{{{tex_escape(number)}}}" if number else ""
    # With a number beside it the formula keeps clear of the margin.
    return [r"\begin{equation*}", rf"\fit{{{body}}}{tag}", r"\end{equation*}"]


def _tex_cell(cell: Text) -> str:
    bracketed = isinstance(cell, Formula) and r"\left" in cell.latex
    return rf"\fitcell{{{cell.latex}}}" if isinstance(cell, Formula) and bracketed else _tex_words(cell)


def _table(head: tuple[Text, ...], rows: tuple[tuple[Text, ...], ...], caption: Text) -> list[str]:
    n = len(head)
    width = rf"\dimexpr {1 / n:.4f}\linewidth-{2 * (n - 1) / n:.4f}\tabcolsep\relax"  # columns and gaps fill the line
    columns = rf"p{{{width}}}" * n
    lines = [rf"{_tex_words(caption)}", ""] if caption else []
    lines += [
        rf"{{\small\begin{{longtable}}{{@{{}}{columns}@{{}}}}",
        r"\hline",
        " & ".join(rf"\textbf{{{_tex_words(cell)}}}" for cell in head) + r" \\ \hline",
    ]
    lines += [" & ".join(_tex_cell(cell) for cell in row) + r" \\" for row in rows]
    return [*lines, r"\hline", r"\end{longtable}}"]
