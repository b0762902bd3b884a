r"""The letters of an action, as anyone writes them, and what formulas in them mean.

A field ``u_1`` is written u_1 or u_{1}, ``theta`` is \theta, a parameter ``EI`` is E I; rates are \dot{u}, u',
\frac{du}{dt}, u_t or \partial_t u, space derivatives w'', w_{xx}, w_{,xx} or \frac{\partial^2 w}{\partial x^2}. L, T,
V, U, H, E, \varphi and p mean what they mean in mechanics unless the action uses the letter itself. Reactions of
constraints are \lambda_1, \lambda_2 … in the order in which they are stated. Letters that the text defines are known
from there on. An index that stands for numbers runs over those that the letters have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.errors import InputError
from hamex.paper.audit.notation import Interval, Letters, children, node, undotted
from hamex.paper.audit.reading import TIMES, Meaning
from hamex.principle.action import Action
from hamex.principle.jets import jet, partial, t
from hamex.principle.latex import GREEK, Apply, Between, Integral, Node, Number, Power, Summation, WrittenLetter

_VARIANTS = {"epsilon": "varepsilon", "theta": "vartheta", "phi": "varphi", "rho": "varrho", "sigma": "varsigma"}
_COUNTERS = frozenset("ijknrs")
_LONGEST = 50  # terms of a sum
WHOLE, SPACE = Interval("t"), sp.Symbol("int[space]")


@dataclass(frozen=True)
class ActionLetters:
    """Fields, parameters and given functions of an action by their letters, and the letters of mechanics."""

    action: Action
    known: Mapping[WrittenLetter, sp.Expr]
    roles: Mapping[WrittenLetter, tuple[str, sp.Expr]]
    spelling: Mapping[sp.Expr, sp.Expr]  # fields and parameters that the text calls otherwise, under its names
    words: tuple[tuple[re.Pattern[str], str, str], ...]  # names of several letters, as EI: how written, word, letters

    @classmethod
    def of(cls, action: Action, letters: Mapping[str, str]) -> ActionLetters:
        """The letters of an action; ``letters`` says which others a text uses for them."""
        names = _names(action)
        known = {letter: value for name, value in names.items() for letter in written(name)}
        if "lambda_1" in names and not {"lambda_2", "lambda"} & set(names):
            known[WrittenLetter(r"\lambda")] = names["lambda_1"]
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
        roles = {k: v for k, v in _roles(action).items() if k not in known}
        return cls(action, known, roles, spelling, tuple(_words(names)))

    def joined(self, latex: str) -> str:
        r"""LaTeX with names of several letters as one word: EI is \mathrm{EI}, not E times I."""
        for pattern, word, _ in self.words:
            latex = pattern.sub(word.replace("\\", r"\\"), latex)
        return latex

    def parted(self, latex: str) -> str:
        """The way back."""
        for _, word, spelled in self.words:
            latex = latex.replace(word, spelled)
        return latex


def _names(action: Action) -> dict[str, sp.Expr]:
    whole = [action.lagrangian, action.dissipation, *action.loads.values(), *action.constraints]
    for part in action.parts:
        whole += [part.lagrangian, part.dissipation, *part.loads.values(), *part.motions.values()]
        whole += [] if isinstance(part.where, str) else part.where.values()
    functions = {f for e in whole for f in sp.sympify(e).atoms(AppliedUndef)} | set(action.fields)
    if not action.space:
        functions |= {c.reaction for c in action.constrained().constraints if isinstance(c.reaction, AppliedUndef)}
    symbols = {s for e in whole for s in sp.sympify(e).free_symbols} | set(action.space)
    found = {f.func.__name__: f for f in functions} | {s.name: s for s in symbols if s != t}
    return dict(sorted(found.items()))


def written(name: str) -> list[WrittenLetter]:
    r"""How a name is written: ``theta_1`` as \theta_1, ``u1`` as u_1, ``l`` also as \ell."""
    base, _, index = name.partition("_")
    if not index and (match := re.fullmatch(r"([A-Za-z]+?)(\d+)", base)):
        base, index = match[1], match[2]
    bases = [f"\\{b}" for b in (base, _VARIANTS.get(base, base))] if GREEK.fullmatch(f"\\{base}") else [base]
    bases += [r"\ell"] if base == "l" else []
    return [WrittenLetter(b, sub=index) for b in dict.fromkeys(bases)]


def _words(names: Mapping[str, sp.Expr]) -> Iterator[tuple[re.Pattern[str], str, str]]:
    r"""Names of several letters, EI or rhoA, with how they are written letter by letter."""
    greek = "|".join(sorted(re.findall(r"[A-Za-z]{2,}", GREEK.pattern), key=len, reverse=True))
    for name in names:
        base = name.partition("_")[0].rstrip("0123456789")
        if len(base) < 2 or GREEK.fullmatch(f"\\{base}"):
            continue
        pieces = [f"\\{one}" if len(one) > 1 else one for one in re.findall(rf"{greek}|[A-Za-z]", base)]
        pattern = r"(?:\s|\\,)*".join(re.escape(one) + ("(?![A-Za-z])" if len(one) > 1 else "") for one in pieces)
        spelled = "".join(one + " " if len(one) > 1 else one for one in pieces).rstrip()
        yield re.compile(rf"(?<![\\A-Za-z]){pattern}(?![A-Za-z])"), rf"\mathrm{{{base}}}", spelled


def energies(action: Action, L: sp.Expr) -> tuple[sp.Expr, sp.Expr | None]:
    """Kinetic energy, what L has of the second degree in rates, and potential, minus what it has without rates.

    No potential where rates enter to the first degree, or to others.
    """
    rates = [node for node in L.atoms(sp.Derivative) if node.expr in action.fields and t in node.variables]
    scale = sp.Dummy()
    kinetic = sp.expand(L.xreplace({rate: scale * rate for rate in rates})).coeff(scale, 2)
    rest = sp.expand(L.xreplace(dict.fromkeys(rates, sp.S.Zero)))
    return kinetic, -rest if sp.expand(L - kinetic - rest) == 0 else None


def _roles(action: Action) -> dict[WrittenLetter, tuple[str, sp.Expr]]:
    """What letters mean in mechanics; in a continuum densities."""
    L = action.lagrangian
    kinetic, potential = energies(action, L)
    found = {"L": ("the Lagrangian", L), "T": ("the kinetic energy", kinetic), "K": ("the kinetic energy", kinetic)}
    if potential is not None:
        found |= {name: ("the potential energy", potential) for name in ("V", "U")}
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
    """Formulas in the letters of an action; ``unknown_letters`` and ``places`` collect what the judge must know.

    A field at a place or an instant is another field, of the name ``w@…``: what is said there is said there only.
    """

    def __init__(self, table: ActionLetters, defined: Mapping[WrittenLetter, sp.Expr]) -> None:
        super().__init__(Letters(fields={str(q): q for q in table.action.fields}))
        self.table, self.defined = table, defined
        self.unknown_letters: list[WrittenLetter] = []
        self.places: list[tuple[Node, ...]] = []
        self.placed: dict[sp.Expr, tuple[AppliedUndef, sp.Expr | None]] = {}  # w@… with the field and its place
        self.limits: set[tuple[str, str]] = set()
        self.ends: list[str] = []  # of a body on a line, as far as they are known; kept from formula to formula
        self.count: dict[str, int] = {}  # what indices stand for

    def applies(self, letter: WrittenLetter) -> bool:
        """Functions of time or place take arguments, and so do the letters of mechanics; parameters do not."""
        base = self.split(letter)[0]
        value = self.table.known.get(base)
        if value is None and re.search(r"[ijknrs]", base.sub):
            value = next((self.table.known[other] for other in self.numbered(base)), None)
        return isinstance(value, AppliedUndef) or (value is None and (base in self.table.roles or base in self.defined))

    def knows(self, base: WrittenLetter) -> bool:
        return base in self.table.known or base in self.table.roles or base in self.defined

    def split(self, letter: WrittenLetter) -> tuple[WrittenLetter, tuple[sp.Symbol, ...]]:
        """A letter without dots, primes and indices of derivatives, and what they differentiate by."""
        bare, dots = undotted(replace(letter, column=0, delta=False))
        space = self.table.action.space
        along: list[sp.Symbol] = [t] * dots
        along += [space[0] if space else t] * bare.accents.count("prime")
        bare = replace(bare, accents=tuple(accent for accent in bare.accents if accent != "prime"))
        sub, comma, axes = bare.sub.partition(",")
        by = {x.name: x for x in (*space, t)}
        if not comma and not self.knows(bare) and isinstance(self.table.known.get(replace(bare, sub="")), AppliedUndef):
            sub, axes = "", sub  # u_{xx} where no letter of that name is known
        if not set(axes) <= set(by):
            return replace(bare, sub=letter.sub), ()
        return replace(bare, sub=sub), (*along, *(by[axis] for axis in axes))

    def one_letter(self, part: WrittenLetter) -> sp.Expr:
        if part.name in self.count and part == WrittenLetter(part.name):
            return sp.Integer(self.count[part.name])
        base, along = self.split(replace(part, sub=_counted(part.sub, self.count)))
        value = self.table.known.get(base)
        if value is None:
            value = self.defined.get(base)
        if value is None and base in self.table.roles:
            value = self.table.roles[base][1]
        if value is None and base in (WrittenLetter(r"\pi"), WrittenLetter("t")):
            value = sp.pi if base.name == r"\pi" else t
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

    # ---- indices that stand for numbers --------------------------------------------------------------------------

    def numbered(self, letter: WrittenLetter) -> dict[WrittenLetter, int]:
        """Known letters of the same name with a number for an index."""
        known = (*self.table.known, *self.defined)
        return {k: int(k.sub) for k in known if k.sub.isdigit() and replace(k, sub="") == replace(letter, sub="")}

    def indexed(self, part: Node, bound: frozenset[str] = frozenset()) -> Iterator[tuple[str, set[int]]]:
        """Indices of letters that are known with numbers in their place, with these numbers."""
        if isinstance(part, Summation):
            bound |= {part.lower[:1]}
        if isinstance(part, WrittenLetter):
            base = self.split(replace(part, sub=part.sub))[0]
            if base.sub in _COUNTERS - bound and not self.knows(base) and self.numbered(base):
                yield base.sub, set(self.numbered(base).values())
        for child in children(part):
            yield from self.indexed(child, bound)

    def _summation(self, part: Summation) -> sp.Expr:
        """Written out: from a number to a number, to a letter that was defined, or over what the letters have."""
        found = re.fullmatch(r"([a-z])(?:=(\d+))?", part.lower)
        if found is None:
            self.faults.append(f"a sum over {part.lower} is not read; write i=1 below and a number above")
            return sp.Symbol("sum")
        have = [numbers for index, numbers in self.indexed(part.body) if index == found[1]]
        values = sorted(set.intersection(*have)) if have else []
        if found[2] and values[:1] != [int(found[2])]:
            values = []
        upper = sp.Integer(part.upper) if part.upper.isdigit() else self.defined.get(WrittenLetter(part.upper))
        if upper is not None and upper.is_Integer:
            values = list(range(int(found[2] or 1), int(upper) + 1))
        elif part.upper and (not part.upper.isalpha() or self.knows(WrittenLetter(part.upper))):
            values = []
        if not values or len(values) > _LONGEST:
            self.faults.append(f"the limits {part.lower} and {part.upper or 'none'} of a sum are not numbers")
            return sp.Symbol("sum")
        before, total = self.count, sp.S.Zero
        for value in values:
            self.count = {**before, found[1]: value}
            total += self(part.body)
        self.count = before
        return total

    # ---- places and instants -------------------------------------------------------------------------------------

    def _apply(self, part: Apply) -> sp.Expr:
        """Fields at an instant or a place are fields of their own; where is noted."""
        if self.is_product(part):
            return self(part.letter) * self(part.arguments[0])
        here = tuple(a for a in (*part.arguments, *part.times))
        axes = {WrittenLetter(x.name) for x in self.table.action.space}
        fields = all(isinstance(a, WrittenLetter) and self.split(a)[0] in self.table.known for a in part.arguments)
        everywhere = all(a in axes or a in TIMES for a in here)
        if everywhere or (fields and not self.is_field(part.letter)):
            return self(part.letter)
        return self.at(self(part.letter), here)

    def is_field(self, letter: Node) -> bool:
        return (
            isinstance(letter, WrittenLetter)
            and self.table.known.get(self.split(letter)[0]) in self.letters.fields.values()
        )

    def is_product(self, part: Apply) -> bool:
        r"""\dot{x}(1 - x^2) is a product, x(0) is not: instants and places are letters and numbers by themselves."""
        if len(part.arguments) != 1 or part.times or not self.is_field(part.letter):
            return False
        (argument,) = part.arguments
        alone = isinstance(argument, WrittenLetter | Number)
        return not alone and not any(time in list(walk(argument)) for time in TIMES)

    def _power(self, part: Power) -> sp.Expr:
        if isinstance(part.base, Apply) and self.is_product(part.base):  # \dot{x}(1 - x)^2
            return self(part.base.letter) * self(Power(part.base.arguments[0], part.exponent))
        return super()._power(part)

    def at(self, value: sp.Expr, here: tuple[Node, ...]) -> sp.Expr:
        """An expression at (x, …, t): its fields are renamed."""
        self.places.append(here)
        where = self.where(here[0]) if self.table.action.space and here[0] not in TIMES else None
        if where is not None and any(instant not in TIMES for instant in here[len(self.table.action.space) :]):
            self.faults.append("a place and an instant at once are not decided here")
        if where is None and not _is_start(here[-1]):
            self.faults.append("data are given at the start, t = 0 or t_0; this is another instant")
        names = {}
        for q in self.table.action.fields:
            for f in (q, self.letters.test(q)):
                names[f] = placed(f, where)
                self.placed[names[f]] = f, where
        return value.xreplace(names)

    def where(self, place: Node) -> sp.Expr | None:
        """The place on the first axis; none where it is any. Of a place a, a⁺ and a⁻ are its two sides."""
        space, side = self.table.action.space, ""
        if isinstance(place, WrittenLetter):
            side = next((accent for accent in place.accents if accent in ("plus", "minus")), "")
            place = replace(place, accents=tuple(accent for accent in place.accents if accent != side))
        value = self.place(place)
        return None if value in space else sp.Symbol(f"{value}_{side}") if side else value

    def place(self, written: Node) -> sp.Expr:
        """The value of a coordinate; its letter need not be one of the action."""
        before = list(self.unknown_letters)
        value = self(written)
        self.unknown_letters = before
        return value

    def _between(self, part: Between) -> sp.Expr:
        """[ … ] at x = 0, the bracket of an integral."""
        found = re.fullmatch(r"([a-z])=(.+)", part.lower)
        if part.upper or found is None:
            return super()._between(part)
        return self.at_value(self(part.body), WrittenLetter(found[1]), node(found[2]))

    def at_value(self, value: sp.Expr, axis: WrittenLetter, place: Node) -> sp.Expr:
        """An expression where a coordinate has a value."""
        axes = [*(WrittenLetter(x.name) for x in self.table.action.space), WrittenLetter("t")]
        if axis not in axes:
            self.faults.append(f"{axis} is no coordinate of the action")
        return self.at(value, tuple(place if other == axis else other for other in axes))

    def _integral(self, part: Integral) -> sp.Expr:
        if any(x.name == part.measure for x in self.table.action.space):
            for limit in (part.lower, part.upper) if len(self.table.action.space) == 1 else ():
                self.end(str(self.place(node(limit))) if limit else "")
            return SPACE * self(part.body)
        if part.measure not in ("t", r"\tau"):
            self.faults.append(f"d{part.measure} is the measure of no coordinate of the action")
        return self.interval(part.lower, part.upper).over * self(part.body)

    def end(self, place: str) -> None:
        """A body on a line has two ends, whatever they are called."""
        if place not in self.ends and len(self.ends) == 2:
            self.faults.append(f"{place or 'nowhere'} is no end of the body; these are {' and '.join(self.ends)}")
        elif place not in self.ends:
            self.ends.append(place)

    def interval(self, lower: str, upper: str) -> Interval:
        self.limits.add((lower, upper))
        if lower == upper:
            self.faults.append("an integral or a bracket has the same limit twice")
        if len(self.limits) > 1:
            self.faults.append("integrals and brackets have different limits")
        return WHOLE

    def differentiated(self, value: sp.Expr, by: tuple[tuple[WrittenLetter, int], ...]) -> sp.Expr:
        for letter, times in by:
            if letter.name == r"\nabla":
                for _ in range(times // 2):
                    value = sum((sp.diff(value, x, 2) for x in self.table.action.space), sp.S.Zero)
                continue
            axis = t if letter in TIMES else next((x for x in self.table.action.space if x.name == letter.name), None)
            base, along = self.split(replace(letter, sub=_counted(letter.sub, self.count)))
            for _ in range(times):
                if axis is not None and not along:
                    value = jet(value, (axis,)) if isinstance(value, AppliedUndef) else sp.diff(value, axis)
                elif self.table.known.get(base) in self.table.action.fields:
                    value = partial(value, self.table.known[base], along)
                else:
                    self.unknown(letter)
        return value


def _is_start(instant: Node) -> bool:
    """0, t_0, t_i: an instant at which data may be given."""
    return instant == Number("0") or (isinstance(instant, WrittenLetter) and instant.name == "t" and bool(instant.sub))


def walk(part: Node) -> Iterator[Node]:
    """A node and all below it."""
    yield part
    for child in children(part):
        yield from walk(child)


def placed(field: AppliedUndef, where: sp.Expr | None) -> AppliedUndef:
    """A field at a place as a field of its own."""
    return sp.Function(f"{field.func.__name__}@{'' if where is None else where}")(*field.args)


def unplaced(expression: sp.Expr, sides: bool = False) -> sp.Expr:
    """Fields at places as fields again; on the two sides of a place under the names that an interface gives them."""
    names = {}
    for f in expression.atoms(AppliedUndef):
        name, at, where = f.func.__name__.partition("@")
        if at:
            side = next((s for s in ("_plus", "_minus") if sides and where.endswith(s)), "")
            names[f] = sp.Function(name + side)(*f.args)
    return expression.xreplace(names)


def _counted(sub: str, count: Mapping[str, int]) -> str:
    """An index with numbers for its letters: i is 2, i+1 is 3, ij is 21."""
    head, comma, tail = sub.partition(",")
    if not set(head) & set(count):
        return sub
    head = "".join(str(count.get(sign, sign)) for sign in head)
    sum_of_two = re.fullmatch(r"(\d+)([+-])(\d+)", head)
    if sum_of_two:
        first, sign, second = sum_of_two.groups()
        head = str(int(first) + (1 if sign == "+" else -1) * int(second))
    return f"{head}{comma}{tail}"
