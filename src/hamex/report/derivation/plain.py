"""LaTeX as text for a terminal: fractions stacked, matrices drawn, accents and indices in Unicode.

Every piece of a formula is a box of lines, and boxes are set beside each other on one line of writing. Only what our
own pages write is understood; an unknown command shows as its name.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["flat", "stacked", "width"]
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_&]|\s+|.")
_ACCENTS = {"dot": "\u0307", "ddot": "\u0308", "hat": "\u0302", "bar": "\u0304"}
_SIGNS = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "varepsilon": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "vartheta": "ϑ",
    "iota": "ι",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "upsilon": "υ",
    "phi": "φ",
    "varphi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Xi": "Ξ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Upsilon": "Υ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
    "partial": "∂",
    "int": "∫",
    "sum": "Σ",
    "infty": "∞",
    "leq": " ≤ ",
    "geq": " ≥ ",
    "neq": " ≠ ",
    "approx": " ≈ ",
    "cdot": "·",
    "times": "×",
    "pm": " ± ",
    "to": " → ",
    "Rightarrow": " ⇒ ",
    "langle": "⟨",
    "rangle": "⟩",
    "quad": "   ",
    "qquad": "     ",
    "dots": "…",
    "ldots": "…",
    "in": " ∈ ",
    "prime": "′",
    "ell": "ℓ",
    "equiv": " ≡ ",
    "mid": " | ",
}
_SMALL = {",": " ", ";": " ", "!": "", " ": " ", "{": "{", "}": "}", "%": "%", "|": "‖"}
_UP = dict(zip("0123456789+-=()nTi*r", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿᵀⁱ*ʳ", strict=True))
_DOWN = dict(zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))


def width(text: str) -> int:
    """Columns that a text takes in a terminal: accents stand on their letter."""
    return sum(not unicodedata.combining(c) for c in text)


@dataclass(frozen=True)
class TextBox:
    """Lines of equal width; ``base`` is the one that stands on the line of writing."""

    lines: tuple[str, ...]
    base: int = 0

    @property
    def width(self) -> int:
        return max(width(line) for line in self.lines)


def beside(boxes: list[TextBox]) -> TextBox:
    """Boxes on one line of writing."""
    boxes = boxes or [TextBox(("",))]
    above = max(b.base for b in boxes)
    below = max(len(b.lines) - b.base for b in boxes)
    lines = []
    for row in range(above + below):
        parts = [b.lines[i] if 0 <= (i := row - above + b.base) < len(b.lines) else "" for b in boxes]
        lines.append("".join(p + " " * (b.width - width(p)) for p, b in zip(parts, boxes, strict=True)))
    return TextBox(tuple(lines), above)


def centred(box: TextBox, columns: int) -> list[str]:
    """The lines of a box in the middle of so many columns."""
    left = (columns - box.width) // 2
    return [" " * left + line + " " * (columns - left - width(line)) for line in box.lines]


def fence(sign: str, inside: TextBox, side: int) -> TextBox:
    """A bracket as high as what it holds; ``side`` 0 opens, 1 closes."""
    height = len(inside.lines)
    if sign == ".":
        return TextBox(("",))
    if height == 1:
        return TextBox((sign,))
    if sign == "{":
        middle = ["⎪"] * (height - 2)
        if middle:
            middle[(height - 2) // 2] = "⎨"
        return TextBox(("⎧", *middle, "⎩"), inside.base)
    ends = {"(": "⎛⎜⎝", ")": "⎞⎟⎠", "[": "⎡⎢⎣", "]": "⎤⎥⎦", "|": "│││"}.get(sign)
    if ends is None:
        return TextBox((sign,))
    return TextBox((ends[0], *ends[1] * (height - 2), ends[2]), inside.base)


def grid(rows: list[list[TextBox]], centre: bool) -> TextBox:
    """Cells in rows and columns."""
    columns = max(len(row) for row in rows)
    widths = [max((row[j].width for row in rows if j < len(row)), default=0) for j in range(columns)]
    lines: list[str] = []
    for row in rows:
        cells = []
        for j, cell in enumerate(row):
            padded = centred(cell, widths[j]) if centre else [x + " " * (widths[j] - width(x)) for x in cell.lines]
            cells.append(TextBox(tuple(padded), cell.base))
            if j < len(row) - 1:
                cells.append(TextBox(("  ",)))
        lines += beside(cells).lines
    return TextBox(tuple(lines), len(lines) // 2)


class _Reader:
    """A recursive reader of LaTeX; ``flat`` keeps everything on one line."""

    def __init__(self, latex: str, flat: bool) -> None:
        self.tokens = _TOKEN.findall(latex)
        self.at = 0
        self.flat = flat

    def more(self) -> bool:
        return self.at < len(self.tokens)

    def next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self) -> str:
        return self.tokens[self.at] if self.more() else ""

    def sequence(self, stop: tuple[str, ...] = ()) -> list[TextBox]:
        """Boxes up to one of the stopping tokens, which is left unread."""
        found: list[TextBox] = []
        while self.more() and self.peek() not in stop:
            token = self.next()
            if token in "^_" and found:
                found.append(self.script(token))
                continue
            box = self.item(token)
            if token == "-" and (not any(b.lines != ("",) for b in found) or _is_sign(found)):
                box = TextBox(("−",))  # of a number, not between two
            elif box.lines == (" ",) and found and found[-1].lines[found[-1].base].endswith(" "):
                continue
            found.append(box)
        return found

    def group(self) -> TextBox:
        """An argument: a group in braces, or one token."""
        while self.peek().isspace():
            self.next()
        token = self.next()
        if token != "{":
            return self.item(token)
        inside = beside(self.sequence(("}",)))
        self.at += 1
        return inside

    def text(self) -> str:
        """The raw text of a group."""
        self.at += 1
        found = []
        while self.peek() != "}":
            found.append(self.next())
        self.at += 1
        return "".join(found)

    def script(self, token: str) -> TextBox:
        text = "".join(self.group().lines).strip()
        table = _UP if token == "^" else _DOWN
        plain = text.replace("−", "-").replace(" ", "")
        head, comma, places = plain.partition(",")
        if comma and places.isalpha() and (head.isdigit() or not head):  # u_{1,x}: the comma is a derivative
            return TextBox(("".join(table[c] for c in head) + "," + places,))
        if all(c in table or unicodedata.combining(c) for c in plain):
            return TextBox(("".join(table.get(c, c) for c in plain),))
        return TextBox((f"{token}{plain if len(plain) == 1 or (token == '_' and plain.isalnum()) else f'({plain})'}",))

    def item(self, token: str) -> TextBox:
        if token == "{":
            self.at -= 1
            return self.group()
        if token.isspace():
            return TextBox((" ",)) if self.after_letter() else TextBox(("",))
        if not token.startswith("\\"):
            signs = {"=": " = ", "+": " + ", "-": " − ", "<": " < ", ">": " > ", "&": "  "}
            return TextBox((signs.get(token, token),))
        return self.command(token[1:])

    def after_letter(self) -> bool:
        """A blank separates two factors, and is dropped beside a sign that brings its own."""
        before, after = self.tokens[self.at - 2] if self.at > 1 else "", self.peek()
        return bool(after) and before not in "=+-<>({" and after not in "=+-<>)}^_&" and before != "\\delta"

    def command(self, name: str) -> TextBox:
        if name in _ACCENTS:
            inside = "".join(self.group().lines)
            return TextBox((inside[:1] + _ACCENTS[name] + inside[1:],))
        if name in ("frac", "tfrac", "dfrac"):
            return self.fraction(small=name == "tfrac")
        if name == "sqrt":
            return beside([TextBox(("√(",)), self.group(), TextBox((")",))])
        if name in ("mathrm", "text", "operatorname", "mathsf", "mathbf"):
            text = self.text()
            return TextBox((text,))
        if name == "left":
            return self.fenced()
        if name == "begin":
            return self.environment(self.text())
        if name in ("sin", "cos", "tan", "log", "det") and self.peek()[:2] not in ("", " ", "^", "\\l", "("):
            name += " "
        return TextBox((_SIGNS.get(name, _SMALL.get(name, name)),))

    def fraction(self, small: bool) -> TextBox:
        above, below = self.group(), self.group()
        halves = {("1", "2"): "½", ("1", "4"): "¼", ("3", "4"): "¾"}
        pair = (above.lines[0], below.lines[0])
        if small and pair in halves:
            return TextBox((halves[pair],))
        if self.flat or small:
            return TextBox((f"{_closed(above.lines[0])}/{_closed(below.lines[0], below=True)}",))
        columns = max(above.width, below.width) + 2
        return TextBox((*centred(above, columns), "─" * columns, *centred(below, columns)), len(above.lines))

    def fenced(self) -> TextBox:
        left = self.next().removeprefix("\\")
        inside = beside(self.sequence(("\\right",)))
        self.at += 1
        right = self.next().removeprefix("\\")
        return beside([fence(left, inside, 0), inside, fence(right, inside, 1)])

    def environment(self, name: str) -> TextBox:
        rows: list[list[TextBox]] = [[]]
        if name == "array":
            self.text()
        while True:
            rows[-1].append(beside(self.sequence(("&", "\\\\", "\\end"))))
            token = self.next()
            if token == "\\\\":
                rows.append([])
            elif token == "\\end":
                self.text()
                break
        if self.flat:
            between = ", " if name == "bmatrix" else " "
            words = "; ".join(between.join(cell.lines[0].strip() for cell in row) for row in rows)
            return TextBox((f"[{words}]" if name == "bmatrix" else f"{{{words}}}",))
        table = grid(rows, centre=name == "bmatrix")
        if name == "bmatrix":
            return beside([fence("[", table, 0), table, fence("]", table, 1)])
        if name == "cases":
            return beside([fence("{", table, 0), TextBox((" ",)), table])
        return table


def _is_sign(found: list[TextBox]) -> bool:
    """The last thing written is a sign of equality or order."""
    last = next(b for b in reversed(found) if b.lines != ("",))
    return last.lines[0].strip() in ("=", "<", ">", "≤", "≥", "≠", "⇒")


def _closed(text: str, below: bool = False) -> str:
    simple = not re.search(r"\s[+−]\s", text.strip()) and not (below and " " in text.strip())
    return text if simple else f"({text})"


def flat(latex: str) -> str:
    """LaTeX on one line of text.

    >>> flat(r"\\tfrac{1}{2} m \\dot{u}^{2} - \\frac{a + b}{h} u_{0}")
    '½ m u̇² − (a + b)/h u₀'
    """
    text = "".join(box.lines[0] for box in _Reader(latex, flat=True).sequence())
    return re.sub(r"^ − ", "−", re.sub(r"([([{]) − ", r"\1−", re.sub(r" +", " ", text))).strip()


def stacked(latex: str, columns: int = 76) -> list[str]:
    """LaTeX as lines of text, broken between top-level terms where it is too wide."""
    boxes = _Reader(latex, flat=False).sequence()
    lines: list[str] = []
    row: list[TextBox] = []
    for box in boxes:
        breaks = "".join(box.lines).strip() in ("+", "−", "=", "⇒")
        if row and breaks and beside([*row, *_next_term(boxes, box)]).width > columns:
            lines += beside(row).lines
            row = [TextBox(("    ",))]
        row.append(box)
    lines += beside(row).lines
    return [re.sub(r"^ − ", "−", line).rstrip() for line in lines]


def _next_term(boxes: list[TextBox], sign: TextBox) -> list[TextBox]:
    """A sign with the boxes up to the next sign, to see whether they still fit."""
    start = next(i for i, box in enumerate(boxes) if box is sign)
    term = [sign]
    for box in boxes[start + 1 :]:
        if "".join(box.lines).strip() in ("+", "−", "=", "⇒"):
            break
        term.append(box)
    return term
