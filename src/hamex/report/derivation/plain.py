"""LaTeX as text for a terminal: fractions stacked, matrices drawn, accents and indices in Unicode.

Only what our own pages write is understood; an unknown command shows as its name.
"""

from __future__ import annotations

import re
import unicodedata

from hamex.report.derivation.boxes import Box, beside, centred, fence, grid, width

__all__ = ["flat", "stacked", "width"]
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_&]|\s+|.")
_ACCENTS = {"dot": "\u0307", "ddot": "\u0308", "hat": "\u0302", "bar": "\u0304"}
_SIGNS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ",
    "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ",
    "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "partial": "∂", "int": "∫", "sum": "Σ", "infty": "∞",
    "leq": " ≤ ", "geq": " ≥ ", "neq": " ≠ ", "approx": " ≈ ", "cdot": "·", "times": "×", "pm": " ± ", "to": " → ",
    "Rightarrow": " ⇒ ", "langle": "⟨", "rangle": "⟩", "quad": "   ", "qquad": "     ", "dots": "…", "ldots": "…",
    "in": " ∈ ", "prime": "′", "ell": "ℓ", "equiv": " ≡ ", "mid": " | "}
_SMALL = {",": " ", ";": " ", "!": "", " ": " ", "{": "{", "}": "}", "%": "%", "|": "‖"}
_UP = dict(zip("0123456789+-=()nTi*r", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿᵀⁱ*ʳ", strict=True))
_DOWN = dict(zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))


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

    def sequence(self, stop: tuple[str, ...] = ()) -> list[Box]:
        """Boxes up to one of the stopping tokens, which is left unread."""
        found: list[Box] = []
        while self.more() and self.peek() not in stop:
            token = self.next()
            if token in "^_" and found:
                found.append(self.script(token))
                continue
            box = self.item(token)
            if token == "-" and (not any(b.lines != ("",) for b in found) or _is_sign(found)):
                box = Box(("−",))                # of a number, not between two
            elif box.lines == (" ",) and found and found[-1].lines[found[-1].base].endswith(" "):
                continue
            found.append(box)
        return found

    def group(self) -> Box:
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

    def script(self, token: str) -> Box:
        text = "".join(self.group().lines).strip()
        table = _UP if token == "^" else _DOWN
        plain = text.replace("−", "-").replace(" ", "")
        head, comma, places = plain.partition(",")
        if comma and places.isalpha() and (head.isdigit() or not head):      # u_{1,x}: the comma is a derivative
            return Box(("".join(table[c] for c in head) + "," + places,))
        if all(c in table or unicodedata.combining(c) for c in plain):
            return Box(("".join(table.get(c, c) for c in plain),))
        return Box((f"{token}{plain if len(plain) == 1 or (token == '_' and plain.isalnum()) else f'({plain})'}",))

    def item(self, token: str) -> Box:
        if token == "{":
            self.at -= 1
            return self.group()
        if token.isspace():
            return Box((" ",)) if self.after_letter() else Box(("",))
        if not token.startswith("\\"):
            signs = {"=": " = ", "+": " + ", "-": " − ", "<": " < ", ">": " > ", "&": "  "}
            return Box((signs.get(token, token),))
        return self.command(token[1:])

    def after_letter(self) -> bool:
        """A blank separates two factors, and is dropped beside a sign that brings its own."""
        before, after = self.tokens[self.at - 2] if self.at > 1 else "", self.peek()
        return bool(after) and before not in "=+-<>({" and after not in "=+-<>)}^_&" and before != "\\delta"

    def command(self, name: str) -> Box:
        if name in _ACCENTS:
            inside = "".join(self.group().lines)
            return Box((inside[:1] + _ACCENTS[name] + inside[1:],))
        if name in ("frac", "tfrac", "dfrac"):
            return self.fraction(small=name == "tfrac")
        if name == "sqrt":
            return beside([Box(("√(",)), self.group(), Box((")",))])
        if name in ("mathrm", "text", "operatorname", "mathsf", "mathbf"):
            text = self.text()
            return Box((text,))
        if name == "left":
            return self.fenced()
        if name == "begin":
            return self.environment(self.text())
        if name in ("sin", "cos", "tan", "log", "det") and self.peek()[:2] not in ("", " ", "^", "\\l", "("):
            name += " "
        return Box((_SIGNS.get(name, _SMALL.get(name, name)),))

    def fraction(self, small: bool) -> Box:
        above, below = self.group(), self.group()
        halves = {("1", "2"): "½", ("1", "4"): "¼", ("3", "4"): "¾"}
        pair = (above.lines[0], below.lines[0])
        if small and pair in halves:
            return Box((halves[pair],))
        if self.flat or small:
            return Box((f"{_closed(above.lines[0])}/{_closed(below.lines[0], below=True)}",))
        columns = max(above.width, below.width) + 2
        return Box((*centred(above, columns), "─" * columns, *centred(below, columns)), len(above.lines))

    def fenced(self) -> Box:
        left = self.next().removeprefix("\\")
        inside = beside(self.sequence(("\\right",)))
        self.at += 1
        right = self.next().removeprefix("\\")
        return beside([fence(left, inside, 0), inside, fence(right, inside, 1)])

    def environment(self, name: str) -> Box:
        rows: list[list[Box]] = [[]]
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
            return Box((f"[{words}]" if name == "bmatrix" else f"{{{words}}}",))
        table = grid(rows, centre=name == "bmatrix")
        if name == "bmatrix":
            return beside([fence("[", table, 0), table, fence("]", table, 1)])
        if name == "cases":
            return beside([fence("{", table, 0), Box((" ",)), table])
        return table


def _is_sign(found: list[Box]) -> bool:
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
    row: list[Box] = []
    for box in boxes:
        breaks = "".join(box.lines).strip() in ("+", "−", "=", "⇒")
        if row and breaks and beside([*row, *_next_term(boxes, box)]).width > columns:
            lines += beside(row).lines
            row = [Box(("    ",))]
        row.append(box)
    lines += beside(row).lines
    return [re.sub(r"^ − ", "−", line).rstrip() for line in lines]


def _next_term(boxes: list[Box], sign: Box) -> list[Box]:
    """A sign with the boxes up to the next sign, to see whether they still fit."""
    start = next(i for i, box in enumerate(boxes) if box is sign)
    term = [sign]
    for box in boxes[start + 1:]:
        if "".join(box.lines).strip() in ("+", "−", "=", "⇒"):
            break
        term.append(box)
    return term
