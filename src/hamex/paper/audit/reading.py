r"""From the tree of a formula to expressions: what each letter means, and what the formula says.

An integral is its integrand times a mark, so is a bracket between limits: marks make a functional a plain expression in
which every coefficient, dot and sign can be compared. Repeated indices are summed over the axes of a body. What is read
but cannot be meant (an index that stands once, a measure that does not fit its integral, arguments that a function does
not have, an unknown letter) is a fault; it never disappears.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import product
from operator import mul

import sympy as sp

from hamex.paper.audit.notation import INDICES, Indexed, Interval, Letters, Statement, Tensor, node, undotted, varied
from hamex.principle.jets import indices, jet, partial, t
from hamex.principle.latex import (
    Add,
    Apply,
    Array,
    Between,
    Differential,
    Divide,
    Function,
    Integral,
    Multiply,
    Node,
    Number,
    Power,
    Summation,
    Varied,
    WrittenCases,
    WrittenLetter,
    WrittenLine,
)

GIVEN = sp.Symbol("given")
TIMES = (WrittenLetter("t"), WrittenLetter(r"\tau"))
_FUNCTIONS: dict[str, Callable[[sp.Expr], sp.Expr]] = {
    "abs": sp.Abs,
    "macaulay": lambda x: sp.Max(x, 0),
    "sgn": sp.sign,
    "arcsin": sp.asin,
    "arccos": sp.acos,
    "arctan": sp.atan,
}


@cache
def _entry(tensor: Tensor, places: tuple[int, ...], by: tuple[sp.Symbol, ...]) -> sp.Expr:
    """One component and its derivatives: the sums over indices ask for each of the few again and again."""
    value = tensor(*places)
    return value.diff(*by) if by else value


class Meaning(Indexed):
    """Expressions of one formula; ``faults`` collects what cannot be meant."""

    def __init__(self, letters: Letters) -> None:
        super().__init__(letters)
        self.inside = False  # an integral over τ
        self.signatures: list[tuple[str, frozenset[sp.Expr]]] = []  # arguments with which something is defined
        self.used: set[sp.Expr] = set()  # arguments of what has a name but no meaning

    # ---- what a formula says ---------------------------------------------------------------------------------

    def statements(self, line: WrittenLine) -> Iterator[Statement]:
        """Every relation of a line, entry by entry and index by index."""
        free = self.free_indices(line)
        for values in product(range(len(self.letters.space)), repeat=len(free)):
            self.index = dict(zip(free, values, strict=True))
            yield from self._statements(line)
        self.index = {}

    def _statements(self, line: WrittenLine) -> Iterator[Statement]:
        left = self.subject(line.sides[0]) if len(line.sides) > 1 else self(line.sides[0])
        if len(line.sides) == 1:
            right = GIVEN if line.remark == "is given" else left
            yield from self.compared(sp.Symbol("value") if right is left else left, right, "=", line.remark)
            return
        for relation, before, side in zip(line.relations, line.sides, line.sides[1:], strict=False):
            right = self(side)
            self.check_arguments(right)
            if relation == ":":  # «terms of δu: …» names what it lists
                left, relation = sp.Symbol(f"{line.remark} {left}"), "="
            yield from self.compared(left if relation == "=" else self(before), right, relation, line.remark)

    def compared(self, left: sp.Expr, right: sp.Expr, relation: str, remark: str) -> Iterator[Statement]:
        """One relation as statements about numbers."""
        where = remark.removeprefix("on ") if remark.startswith("on ") else ""
        if isinstance(right, CaseValues):
            for i, (value, margin) in enumerate(right.rows):
                yield Statement(sp.Symbol(f"{left} {i + 1}"), value)
                if margin is not None:
                    yield Statement(sp.Symbol(f"margin {i + 1}"), margin)
        elif isinstance(right, sp.MatrixBase):
            if isinstance(left, sp.Inverse):
                yield from entries("matrix", left.arg)
                left = sp.Symbol("inverse")
            if isinstance(left, sp.MatrixBase):
                if left.shape != right.shape:
                    self.faults.append(f"{left.shape} and {right.shape} do not match")
                    return
                yield from (Statement(p, q) for p, q in zip(left, right, strict=True))
            else:
                yield from entries(str(left), right)
        else:
            yield Statement(sp.sympify(left), sp.sympify(right), relation, where)

    def subject(self, side: Node) -> sp.Expr:
        """The left side: a functional is named there, elsewhere it is what it means."""
        letter = side.letter if isinstance(side, Apply) else side
        if isinstance(letter, WrittenLetter) and letter in self.letters.functionals:
            if isinstance(side, Apply):
                self.time_of(side)
                arguments = [argument for argument in side.arguments if argument not in TIMES]
                if arguments:  # F(t) says nothing about what F depends on
                    self.signatures.append((str(letter), frozenset(map(self, arguments))))
            return self.letters.functionals[letter][0]
        return self(side)

    def check_arguments(self, right: sp.Expr) -> None:
        """A function is defined with the arguments on which its definition depends."""
        for name, arguments in self.signatures:
            if arguments != self.dependence(right) | self.used:
                self.faults.append(f"{name} is printed with other arguments than its definition has")
        self.signatures, self.used = [], set()

    def dependence(self, expression: sp.Expr) -> frozenset[sp.Expr]:
        """The fields and rates in an expression."""
        return frozenset(jet(q, i) for q in self.letters.fields.values() for i in indices(expression, q))

    # ---- expressions -----------------------------------------------------------------------------------------

    def __call__(self, part: Node) -> sp.Expr:
        """The expression that a part of the tree means."""
        if part in self.letters.names:
            return self.letters.names[part]
        kind = type(part).__name__.removeprefix("Written").lower()
        return getattr(self, f"_{kind}")(part)

    def _number(self, part: Number) -> sp.Expr:
        return sp.Rational(part.text)

    def _add(self, part: Add) -> sp.Expr:
        return reduce(lambda total, term: total + term, (sign * self(term) for sign, term in part.terms))

    def _multiply(self, part: Multiply) -> sp.Expr:
        return self.summed(part, lambda: self.product_of(part.factors))

    def product_of(self, factors: Sequence[Node]) -> sp.Expr:
        """Factors from left to right; d/dt acts on all that follows it."""
        found: list[sp.Expr] = []
        for i, factor in enumerate(factors):
            if isinstance(factor, Differential) and factor.operand is None:
                found.append(self.differentiated(self.product_of(factors[i + 1 :]), factor.by))
                break
            found.append(self(factor))
        value = reduce(mul, found)
        return value[0] if isinstance(value, sp.MatrixBase) and value.shape == (1, 1) else value

    def _divide(self, part: Divide) -> sp.Expr:
        return self(part.above) / self(part.below)

    def _power(self, part: Power) -> sp.Expr:
        base, exponent = self(part.base), self(part.exponent)
        if isinstance(base, sp.MatrixBase):
            return sp.Inverse(sp.ImmutableMatrix(base)) if exponent == -1 else base**exponent
        return sp.exp(exponent) if part.base == WrittenLetter("e") else base**exponent

    def _function(self, part: Function) -> sp.Expr:
        build = _FUNCTIONS.get(part.name) or getattr(sp, part.name)
        return build(self(part.argument))

    def _array(self, part: Array) -> sp.Expr:
        return sp.Matrix([[self(entry) for entry in row] for row in part.rows])

    def _cases(self, part: WrittenCases) -> CaseValues:
        found = []
        for value, line in part.rows:
            margin = None
            if line is not None:
                first, second = (self(side) for side in line.sides)
                margin = first - second if line.relations[0] in (">", r"\ge") else second - first
            found.append((self(value), margin))
        return CaseValues(tuple(found))

    def _letter(self, part: WrittenLetter) -> sp.Expr:
        return self.summed(part, lambda: self.one_letter(part))

    def one_letter(self, part: WrittenLetter) -> sp.Expr:
        """A tensor's component, a field or its rate or its variation, a functional, or a fault."""
        own = self.own_indices(part)
        if own:
            return self.component(part)
        bare, dots = undotted(part)
        if bare.name in self.letters.fields and bare == WrittenLetter(bare.name, delta=bare.delta):
            q = self.letters.fields[bare.name]
            return jet(self.letters.test(q) if bare.delta else q, (t,) * dots)
        if part in self.letters.functionals:
            name, meaning = self.letters.functionals[part]
            return name if meaning is None else meaning
        return self.unknown(part)

    def unknown(self, part: WrittenLetter) -> sp.Expr:
        """A letter without meaning here: named, and kept as a letter of its own."""
        self.faults.append(f"the letter {part} has no meaning here")
        return sp.Symbol(str(part))

    def component(self, letter: WrittenLetter) -> sp.Expr:
        found = self.tensor(letter)
        assert found is not None
        names, _, along = letter.sub.partition(",")
        places = tuple(self.index.get(i, 0) for i in names)
        if len(places) != found[0].__code__.co_argcount - hasattr(found[0], "__self__"):
            self.faults.append(f"{letter} has {len(places)} indices")
            return sp.Symbol(str(letter))
        return _entry(found[0], places, (*(t,) * found[1], *(self.letters.space[self.index.get(i, 0)] for i in along)))

    def _apply(self, part: Apply) -> sp.Expr:
        """A functional, a field at an instant and a place, a datum there, a derivative at an instant."""
        letter = part.letter
        if isinstance(letter, WrittenLetter) and letter in self.letters.functionals:
            return self.functional(part, letter)
        value = self(letter)
        *places, instant = part.arguments
        moved: dict[sp.Expr, sp.Expr] = {}
        if instant in self.letters.instants:
            moved[t] = self.letters.instants[instant]
        elif instant in TIMES:
            self.time_of(part)
        else:
            self.faults.append(f"{letter} is taken at an unknown instant")
            return sp.Symbol(f"{letter} elsewhere")
        if value.is_Symbol:
            return self.datum(value, part)
        for place in places:
            if place == node(r"\hat{\vec{x}}"):
                moved |= dict(zip(self.letters.space, self.letters.edge, strict=True))
            elif place != node(r"\vec{x}"):
                self.faults.append(f"{letter} is taken at an unknown place")
        return value.subs(moved)

    def datum(self, value: sp.Symbol, part: Apply) -> sp.Expr:
        """Given values carry where and when they are given in their names."""
        return sp.Symbol(f"{value}@{','.join(map(written, part.arguments))}", real=True)

    def time_of(self, part: Apply) -> None:
        """The running time is τ under an integral and t elsewhere."""
        now = part.times or part.arguments[-1:]
        if now[0] in TIMES and now[0] != TIMES[self.inside]:
            self.faults.append(f"{part.letter} is taken at {written(now[0])}, which does not run here")
        elif part.times and now[0] not in TIMES:
            self.faults.append(f"{part.letter} is taken at an unknown time")

    def functional(self, part: Apply, letter: WrittenLetter) -> sp.Expr:
        if part.times:
            self.time_of(part)
        name, meaning = self.letters.functionals[letter]
        arguments = frozenset(self(argument) for argument in part.arguments)
        if meaning is None:
            self.used |= arguments
            return name
        if arguments != self.dependence(meaning):
            self.faults.append(f"{letter} is printed with other arguments than it has")
        return meaning

    def _differential(self, part: Differential) -> sp.Expr:
        assert part.operand is not None
        return self.differentiated(self(part.operand), part.by)

    def differentiated(self, value: sp.Expr, by: tuple[tuple[WrittenLetter, int], ...]) -> sp.Expr:
        """Along the time or an axis, or by a field or a rate with all others held fixed."""
        for letter, times in by:
            along = t if letter in TIMES else next((x for x in self.letters.space if x.name == letter.name), None)
            if letter == TIMES[1] and not self.inside:
                self.faults.append(r"a derivative by \tau stands outside an integral")
            for _ in range(times):
                if along is not None:
                    value = sp.diff(value, along)
                else:
                    bare, dots = undotted(letter)
                    q = self.letters.fields.get(bare.name)
                    if q is None or bare != WrittenLetter(bare.name):
                        self.faults.append(f"a derivative by {letter} has no meaning here")
                        return sp.Symbol(f"derivative by {letter}")
                    value = partial(value, q, (t,) * dots)
        return value

    def _varied(self, part: Varied) -> sp.Expr:
        """δ by Gateaux's definition, d/dε at q + ε δq: shares nothing with the engine's partial derivatives."""
        return varied(self(part.operand), tuple(self.letters.fields.values()))

    def _integral(self, part: Integral) -> sp.Expr:
        before, region = self.inside, self.letters.regions.get((part.lower, part.measure))
        if part.upper or region is None:
            if part.measure not in ("t", r"\tau"):
                self.faults.append(f"d{part.measure} does not belong to an integral over {part.lower}")
            self.inside = part.measure == r"\tau"
            region = self.interval(part.lower, part.upper).over
        value = self(part.body)
        self.inside = before
        return region * value

    def interval(self, lower: str, upper: str) -> Interval:
        return self.letters.intervals.get((lower, upper)) or Interval(f"{lower},{upper}")

    def _between(self, part: Between) -> sp.Expr:
        if part.upper:
            return self.interval(part.lower, part.upper).ends * self(part.body)
        if part.lower.startswith(",") and set(part.lower[1:]) <= INDICES and self.letters.space:
            return self.summed(
                part,
                lambda: sp.diff(self(part.body), *(self.letters.space[self.index.get(i, 0)] for i in part.lower[1:])),
            )
        self.faults.append("a bracket with an index has no meaning here")
        return sp.Symbol(f"bracket {part.lower}")

    def _summation(self, part: Summation) -> sp.Expr:
        return sp.Symbol(f"sum[{part.lower},{part.upper}]") * self(part.body)


@dataclass(frozen=True)
class CaseValues:
    """Values, each with what is positive where it applies; none for «otherwise»."""

    rows: tuple[tuple[sp.Expr, sp.Expr | None], ...]

    def __rmul__(self, factor: sp.Expr) -> CaseValues:
        return CaseValues(tuple((factor * value, margin) for value, margin in self.rows))


def written(part: Node) -> str:
    """A short argument as text."""
    return part.text if isinstance(part, Number) else str(part)


def entries(name: str, matrix: sp.Matrix) -> Iterator[Statement]:
    """A matrix, entry by entry."""
    return (
        Statement(sp.Symbol(f"{name}[{i + 1},{j + 1}]"), matrix[i, j])
        for i in range(matrix.rows)
        for j in range(matrix.cols)
    )
