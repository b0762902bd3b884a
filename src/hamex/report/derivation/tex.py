"""A derivation as a LaTeX document: article class, amsmath, plain ASCII, so that any engine compiles it."""

from __future__ import annotations

import unicodedata

from hamex.report.derivation import drawing
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
    pieces,
)
from hamex.report.derivation.formula import Formula, Text

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
        rf"\title{{{words(document.title)}}}",
        r"\author{}",
        r"\date{}",
        r"\maketitle",
        rf"\emph{{{words(document.lead)}}}",
    ]
    for block in document.blocks:
        lines += ["", *_block(block)]
    return "\n".join([*lines, "", r"\bigskip\noindent{\small " + words(document.signed) + "}", r"\end{document}", ""])


def words(text: Text) -> str:
    """Running text in LaTeX."""
    found = []
    for piece in pieces(text):
        if isinstance(piece, Formula):
            found.append(f"${piece.latex}$")
        else:
            kind, content = piece
            wrap = {"strong": r"\textbf{{{}}}", "emphasis": r"\emph{{{}}}"}.get(kind, "{}")
            found.append(wrap.format(escape(content)))
    return "".join(found)


def escape(text: str) -> str:
    """Unicode words as ASCII LaTeX.

    >>> escape("Mécanique, 5 % of σ_11")
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
            return [rf"\{'section' if level == 2 else 'subsection'}*{{{words(text)}}}"]
        case Paragraph(text):
            return [words(text)]
        case Equation(rows, number):
            return _equation(rows, number)
        case TextTable(head, rows, caption):
            return _table(head, rows, caption)
        case Picture(sheet, caption):
            return [r"\begin{center}", *drawing.picture(sheet), "", rf"\small {words(caption)}", r"\end{center}"]
        case Bullets(items, ordered):
            kind = "enumerate" if ordered else "itemize"
            return [rf"\begin{{{kind}}}", *(rf"\item {words(item)}" for item in items), rf"\end{{{kind}}}"]
        case Beside(left, right):
            return [line for b in (*left, *right) for line in (*_block(b), "")]
        case Exercise(question, answer):
            return [
                rf"\textbf{{Exercise.}} {words(question)}",
                "",
                r"\textbf{Answer.}",
                *(line for b in answer for line in ("", *_block(b))),
            ]


def _equation(rows: tuple[Formula, ...], number: str) -> list[str]:
    body = rows[0].latex
    if len(rows) > 1:
        body = r"\begin{aligned} & " + r" \\ & \quad ".join(row.latex for row in rows) + r" \end{aligned}"
    tag = rf" \tag*{{{escape(number)}}}" if number else ""
    # With a number beside it the formula keeps clear of the margin.
    return [r"\begin{equation*}", rf"\fit{{{body}}}{tag}", r"\end{equation*}"]


def _table(head: tuple[Text, ...], rows: tuple[tuple[Text, ...], ...], caption: Text) -> list[str]:
    share = 0.94 / len(head)
    columns = "".join(rf"p{{{share:.3f}\linewidth}}" for _ in head)
    lines = [rf"{words(caption)}", ""] if caption else []
    lines += [
        rf"{{\small\begin{{longtable}}{{@{{}}{columns}@{{}}}}",
        r"\hline",
        " & ".join(rf"\textbf{{{words(cell)}}}" for cell in head) + r" \\ \hline",
    ]
    lines += [" & ".join(words(cell) for cell in row) + r" \\" for row in rows]
    return [*lines, r"\hline", r"\end{longtable}}"]
