r"""A LaTeX file of anyone's: its displayed formulas with their numbers and lines, read with the letters of an action.

Text, comments and all else are passed over. Read are equation, align, gather, multline, eqnarray and flalign (with and
without a star), ``\[ … \]`` and ``$$ … $$``; each row of an alignment that does not go on from the one above is a
formula of its own. Macros of the file's own (``\newcommand``, ``\renewcommand``, ``\def``, with arguments) are written
out. A comment ``% letters: x_1=u, \ell=l`` says which letters of the text stand for which of the action.

A field ``u_1`` is written u_1 or u_{1}, ``theta`` is \theta; rates are \dot{u}, u', \frac{du}{dt} or \partial_t u,
space derivatives w'', w_{,xx} or \frac{\partial^2 w}{\partial x^2}. L, T, V, U, H, E, \varphi and p mean what they
mean in mechanics unless the action uses the letter itself. Letters that the text defines are known from there on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.errors import InputError
from hamex.paper.audit.notation import Interval, Letters, node, undotted
from hamex.paper.audit.reading import TIMES, Meaning
from hamex.principle.action import Action
from hamex.principle.jets import jet, partial, t
from hamex.principle.latex import GREEK, Apply, Integral, Node, WrittenLetter

_WORLDS = "equation|align|gather|multline|eqnarray|flalign|displaymath|alignat"
_DISPLAY = re.compile(
    rf"\\begin\{{(?P<world>{_WORLDS})(?P<star>\*?)\}}(?P<inside>.*?)\\end\{{(?P=world)(?P=star)\}}"
    r"|\\\[(?P<square>.*?)\\\]|\$\$(?P<dollars>.*?)\$\$",
    re.DOTALL,
)
_OPENED = re.compile(rf"\\begin\{{(?:{_WORLDS})\*?\}}|\\\[|\$\$")
_MACRO = re.compile(
    r"\\(?:(?:re)?newcommand\*?\s*\{?\\(?P<name>[A-Za-z]+)\}?\s*(?:\[(?P<count>\d)\])?"
    r"|def\s*\\(?P<defined>[A-Za-z]+)(?P<marks>(?:#\d)*)"
    r"|DeclareMathOperator\*?\s*\{\\(?P<operator>[A-Za-z]+)\})\s*(?=\{)"
)
_LETTERS = re.compile(r"^\s*%+\s*letters:\s*(.+)$", re.MULTILINE)
_COMMENT = re.compile(r"(?<!\\)%.*")
_UNNUMBERED = r"\\(?:nonumber|notag)(?![A-Za-z])"
_DEPTH = 20  # macros within macros


@dataclass(frozen=True)
class Displayed:
    """One formula: its number or label, its LaTeX with macros written out, and the line of the file it begins in."""

    name: str
    latex: str
    line: int


@dataclass(frozen=True)
class Manuscript:
    """What a file displays, and the letters that it explains in comments."""

    formulas: tuple[Displayed, ...]
    letters: dict[str, str]


def read_manuscript(text: str, path: str = "") -> Manuscript:
    """All displayed formulas of a LaTeX text, in order."""
    letters: dict[str, str] = {}
    for found in _LETTERS.findall(text):
        letters |= letters_of(found, f"{path}, the comment on letters")
    plain = _COMMENT.sub("", text)
    macros, plain = _macros(plain)
    formulas: list[Displayed] = []
    number, end = 0, 0
    for display in _DISPLAY.finditer(plain):
        _refuse_open(plain[end : display.start()], plain, end, path)
        end = display.end()
        world = (display["world"] or "") + (display["star"] or "")
        inside = next(part for part in (display["inside"], display["square"], display["dollars"]) if part is not None)
        start = plain.count("\n", 0, display.start()) + 1
        counts = bool(display["world"]) and not world.endswith("*") and world != "displaymath"
        for row, line in _rows(inside, display["world"] or "", start):
            tag, label = re.search(r"\\tag\*?\{([^}]*)\}", row), re.search(r"\\label\{([^}]*)\}", row)
            bare = re.sub(rf"\\(?:tag\*?|label)\{{[^}}]*\}}|{_UNNUMBERED}", "", row)
            parts = _cut(row) if display["world"] not in ("equation", "multline") else [row]
            own = sum(not re.search(rf"{_UNNUMBERED}|\\tag", part) for part in parts) if counts else 0
            number += own  # of several rows that are one formula, the last number
            name = f"({tag[1]})" if tag else f"({number})" if own else f"line {line}"
            if label and not tag:
                name = f"{name} {label[1]}"
            if bare.strip().strip("&"):
                formulas.append(Displayed(name, _written_out(bare, macros, path, line).strip(), line))
    _refuse_open(plain[end:], plain, end, path)
    return Manuscript(tuple(formulas), letters)


def letters_of(text: str, where: str) -> dict[str, str]:
    """``x_1=u, \\ell=l`` as a table: a letter of the text, a name of the action."""
    found = {}
    for pair in re.split(r"[,;]\s*(?![^{]*\})", text.strip()):
        written, sign, meant = pair.partition("=")
        if not sign or not written.strip() or not meant.strip():
            raise InputError(f"{where}: {pair.strip()!r} is not of the form letter=name, as in x_1=u")
        found[written.strip()] = meant.strip()
    return found


def _refuse_open(between: str, text: str, start: int, path: str) -> None:
    """A display that is opened and not closed swallows what follows: said, with its line."""
    opened = _OPENED.search(between)
    if opened:
        line = text.count("\n", 0, start + opened.start()) + 1
        raise InputError(f"{path}, line {line}: {opened[0]} is never closed")


def _rows(inside: str, world: str, line: int) -> list[tuple[str, int]]:
    """The formulas of a display with their lines: a row that begins with a sign or a relation goes on."""
    if world in ("", "equation", "multline", "displaymath"):
        return [(inside, line)]
    rows: list[tuple[str, int]] = []
    at = line
    for row in _cut(inside):
        first = at + row[: len(row) - len(row.lstrip())].count("\n")
        at += row.count("\n")
        if rows and re.match(r"(?:\\q?quad|\\[;,]|\s|&|\{\})*[-+=<>]", row):
            rows[-1] = (rows[-1][0] + r" \\ " + row, rows[-1][1])
        elif row.strip():
            rows.append((row, first))
    return rows


def _cut(inside: str) -> list[str]:
    r"""Rows between \\ that stand in no matrix."""
    rows, depth, start = [], 0, 0
    for token in re.finditer(r"\\begin\b|\\end\b|\\\\(?:\[[^\]]*\])?", inside):
        depth += (token[0] == r"\begin") - (token[0] == r"\end")
        if depth == 0 and token[0].startswith("\\\\"):
            rows.append(inside[start : token.start()])
            start = token.end()
    return [*rows, inside[start:]]


def _macros(text: str) -> tuple[dict[str, tuple[int, str]], str]:
    """The file's own commands, and the text without their definitions (line feeds stay)."""
    found: dict[str, tuple[int, str]] = {}
    while match := _MACRO.search(text):
        end = _group_end(text, match.end())
        name = match["name"] or match["defined"] or match["operator"]
        body = text[match.end() + 1 : end - 1]
        if match["operator"]:
            body = rf"\operatorname{{{body}}}"
        count = int(match["count"] or 0) if match["name"] else (match["marks"] or "").count("#")
        found[name] = (count, body)
        text = text[: match.start()] + "\n" * text.count("\n", match.start(), end) + text[end:]
    return found, text


def _group_end(text: str, at: int) -> int:
    """Behind the brace that closes the one at ``at``; the end of the text where none does."""
    depth = 0
    for i in range(at, len(text)):
        if text[i - 1 : i] != "\\":
            depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return i + 1
    return len(text)


def _written_out(latex: str, macros: dict[str, tuple[int, str]], path: str, line: int) -> str:
    """A formula with the file's own commands replaced by what they stand for."""
    if not macros:
        return latex
    used = re.compile(rf"\\({'|'.join(sorted(macros, key=len, reverse=True))})(?![A-Za-z])")
    for _ in range(_DEPTH):
        match = used.search(latex)
        if match is None:
            return latex
        while match is not None:
            count, body = macros[match[1]]
            at, given = match.end(), []
            for _ in range(count):
                at += len(latex[at:]) - len(latex[at:].lstrip())
                end = _group_end(latex, at) if latex[at : at + 1] == "{" else at + 1
                given.append(latex[at + 1 : end - 1] if latex[at : at + 1] == "{" else latex[at:end])
                at = end
            for i, argument in enumerate(given, 1):
                body = body.replace(f"#{i}", argument)
            latex = f"{latex[: match.start()]}{body} {latex[at:]}"
            match = used.search(latex, match.start() + len(body) + 1)
    raise InputError(f"{path}, line {line}: the macros of this formula stand for one another without end")


_VARIANTS = {"epsilon": "varepsilon", "theta": "vartheta", "phi": "varphi", "rho": "varrho", "sigma": "varsigma"}
WHOLE = Interval("t")


@dataclass(frozen=True)
class ActionLetters:
    """Fields, parameters and given functions of an action by their letters, and the letters of mechanics."""

    action: Action
    known: Mapping[WrittenLetter, sp.Expr]
    roles: Mapping[WrittenLetter, tuple[str, sp.Expr]]
    spelling: Mapping[sp.Expr, sp.Expr]  # fields and parameters that the text calls otherwise, under its names

    @classmethod
    def of(cls, action: Action, letters: Mapping[str, str]) -> ActionLetters:
        """The letters of an action; ``letters`` says which others a text uses for them."""
        names = _names(action)
        known = {letter: value for name, value in names.items() for letter in written(name)}
        spelling: dict[sp.Expr, sp.Expr] = {}
        for latex, name in letters.items():
            if name not in names:
                near = get_close_matches(name, names, n=1)
                hint = f"; did you mean {near[0]}?" if near else "."
                raise InputError(
                    f"letters: {name!r} is not a name of the action{hint or '.'} Known: {', '.join(names)}"
                )
            key = node(latex)
            if not isinstance(key, WrittenLetter):
                raise InputError(f"letters: {latex!r} is not one letter")
            known[replace(key, column=0)] = value = names[name]
            word = re.sub(r"[\\{} ]", "", latex)
            if key.name in (r"\ell", r"\hbar"):  # which are drawn as words
                continue
            spelling[value] = (
                sp.Function(word)(*value.args) if isinstance(value, AppliedUndef) else sp.Symbol(word, positive=True)
            )
        return cls(action, known, {k: v for k, v in _roles(action).items() if k not in known}, spelling)


def _names(action: Action) -> dict[str, sp.Expr]:
    whole = [action.lagrangian, action.dissipation, *action.loads.values()]
    functions = {f for e in whole for f in e.atoms(AppliedUndef)} | set(action.fields)
    symbols = {s for e in whole for s in e.free_symbols} | set(action.space)
    found = {f.func.__name__: f for f in functions} | {s.name: s for s in symbols if s != t}
    return dict(sorted(found.items()))


def written(name: str) -> list[WrittenLetter]:
    r"""How a name is written: ``theta_1`` as \theta_1, ``u1`` as u_1."""
    base, _, index = name.partition("_")
    if not index and (match := re.fullmatch(r"([A-Za-z]+?)(\d+)", base)):
        base, index = match[1], match[2]
    bases = [f"\\{b}" for b in (base, _VARIANTS.get(base, base))] if GREEK.fullmatch(f"\\{base}") else [base]
    return [WrittenLetter(b, sub=index) for b in dict.fromkeys(bases)]


def _roles(action: Action) -> dict[WrittenLetter, tuple[str, sp.Expr]]:
    """What letters mean in mechanics; kinetic energy is what L has of the second degree in rates."""
    L = action.lagrangian
    rates = {jet(q, (t,)): sp.Dummy() for q in action.fields}
    scale = sp.Dummy()
    kinetic = sp.expand(L.xreplace({rate: scale * rate for rate in rates})).coeff(scale, 2)
    rest = sp.expand(L.xreplace(dict.fromkeys(rates, sp.S.Zero)))
    found = {"L": ("the Lagrangian", L), "T": ("the kinetic energy", kinetic), "K": ("the kinetic energy", kinetic)}
    if sp.expand(L - kinetic - rest) == 0:
        found |= {name: ("the potential energy", -rest) for name in ("V", "U")}
    found |= {name: ("the energy function", action.hamiltonian()) for name in ("H", "E")}
    if action.dissipation != 0:
        found |= {name: ("the dissipation", action.dissipation) for name in ("D", "R", r"\varphi", r"\phi", r"\Phi")}
    roles = {WrittenLetter(name): role for name, role in found.items()}
    for i, q in enumerate(action.fields, 1):
        momentum = (f"the momentum of {q.func.__name__}", action.momentum(q))
        subs = [str(i), *("".join(str(letter).split()) for letter in written(q.func.__name__))]
        subs += [re.sub(r"_\{(\w)\}", r"_\1", sub) for sub in subs]
        roles |= {WrittenLetter("p", sub=sub): momentum for sub in subs}
        if len(action.fields) == 1:
            roles[WrittenLetter("p")] = momentum
    return roles


class OpenMeaning(Meaning):
    """Formulas in the letters of an action; ``unknown_letters`` and ``places`` collect what the judge must know."""

    def __init__(self, table: ActionLetters, defined: Mapping[WrittenLetter, sp.Expr]) -> None:
        super().__init__(Letters(fields={str(q): q for q in table.action.fields}))
        self.table, self.defined = table, defined
        self.unknown_letters: list[WrittenLetter] = []
        self.places: list[tuple[Node, ...]] = []
        self.limits: set[tuple[str, str]] = set()

    def applies(self, letter: WrittenLetter) -> bool:
        """Functions of time or place take arguments, and so do the letters of mechanics; parameters do not."""
        base = self.split(letter)[0]
        value = self.table.known.get(base)
        return isinstance(value, AppliedUndef) or (value is None and (base in self.table.roles or base in self.defined))

    def split(self, letter: WrittenLetter) -> tuple[WrittenLetter, tuple[sp.Symbol, ...]]:
        """A letter without dots, primes and indices behind a comma, and what they differentiate by."""
        bare, dots = undotted(replace(letter, column=0, delta=False))
        space = self.table.action.space
        along: list[sp.Symbol] = [t] * dots
        along += [space[0] if space else t] * bare.accents.count("prime")
        sub, comma, axes = bare.sub.partition(",")
        if comma:
            by = {x.name: x for x in (*space, t)}
            if not set(axes) <= set(by):
                return replace(bare, sub=letter.sub), ()
            along += [by[axis] for axis in axes]
        accents = tuple(accent for accent in bare.accents if accent != "prime")
        return replace(bare, accents=accents, sub=sub), tuple(along)

    def one_letter(self, part: WrittenLetter) -> sp.Expr:
        base, along = self.split(part)
        value = self.table.known.get(base)
        if value is None:
            value = self.defined.get(base)
        if value is None and base in self.table.roles:
            value = self.table.roles[base][1]
        if value is None and base == WrittenLetter(r"\pi"):
            value = sp.pi
        if value is None and base == WrittenLetter("t"):
            value = t
        if value is None:
            return self.unknown(part)
        if part.delta:
            if value not in self.table.action.fields:
                return self.unknown(part)
            value = self.letters.test(value)
        return jet(value, along) if isinstance(value, AppliedUndef) else value.diff(*along) if along else value

    def unknown(self, part: WrittenLetter) -> sp.Expr:
        self.unknown_letters.append(replace(part, column=part.column))
        return sp.Function(str(part))(t) if part.accents else sp.Symbol(str(part))

    def near(self, letter: WrittenLetter) -> str:
        """Letters that look alike, or all that are known."""
        shown = {str(key) for key in (*self.table.known, *self.defined)}
        close = get_close_matches(str(letter), shown, n=1, cutoff=0.7)
        return f"did you mean {close[0]}?" if close else f"known are {', '.join(sorted(shown))}"

    def _apply(self, part: Apply) -> sp.Expr:
        """Fields at an instant or a place are kept as they are; where is noted."""
        here = tuple(a for a in (*part.arguments, *part.times))
        axes = {WrittenLetter(x.name) for x in self.table.action.space}
        fields = all(isinstance(a, WrittenLetter) and self.split(a)[0] in self.table.known for a in part.arguments)
        if any(a not in axes and a not in TIMES for a in here) and not fields:
            self.places.append(here)
        return self(part.letter)

    def _integral(self, part: Integral) -> sp.Expr:
        by = next((x for x in self.table.action.space if x.name == part.measure), None)
        if by is not None:
            return sp.Symbol("int[space]") * self(part.body)
        if part.measure not in ("t", r"\tau"):
            self.faults.append(f"d{part.measure} is the measure of no coordinate of the action")
        return self.interval(part.lower, part.upper).over * self(part.body)

    def interval(self, lower: str, upper: str) -> Interval:
        self.limits.add((lower, upper))
        if len(self.limits) > 1:
            self.faults.append("integrals and brackets have different limits")
        return WHOLE

    def differentiated(self, value: sp.Expr, by: tuple[tuple[WrittenLetter, int], ...]) -> sp.Expr:
        for letter, times in by:
            axis = t if letter in TIMES else next((x for x in self.table.action.space if x.name == letter.name), None)
            base, along = self.split(letter)
            for _ in range(times):
                if axis is not None and not along:
                    value = jet(value, (axis,)) if isinstance(value, AppliedUndef) else sp.diff(value, axis)
                elif self.table.known.get(base) in self.table.action.fields:
                    value = partial(value, self.table.known[base], along)
                else:
                    self.unknown(letter)
        return value
