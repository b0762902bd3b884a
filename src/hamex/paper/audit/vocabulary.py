r"""What letters mean, and repeated indices: summed over the axes of a body, each by Einstein's convention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from itertools import product

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.paper.audit.notation import Interval
from hamex.principle.jets import indices, jet
from hamex.principle.latex import Add, Between, Letter, Line, Multiply, Node, Number
from hamex.principle.latex_grammar import lines

Tensor = Callable[..., sp.Expr]
INDICES = frozenset("ijkl")


@dataclass(frozen=True)
class Letters:
    """What the letters of a formula mean.

    ``names`` are letters as they stand, also with arguments; ``fields`` take dots and δ; ``functionals`` have a name,
    which is what a definition defines, and a meaning, which is what other formulas use. ``tensors`` are functions of
    their indices, which run over ``space``.
    """

    names: Mapping[Node, sp.Expr] = field(default_factory=dict)
    fields: Mapping[str, AppliedUndef] = field(default_factory=dict)
    functionals: Mapping[Letter, tuple[sp.Symbol, sp.Expr | None]] = field(default_factory=dict)
    intervals: Mapping[tuple[str, str], Interval] = field(default_factory=dict)
    regions: Mapping[tuple[str, str], sp.Symbol] = field(default_factory=dict)
    instants: Mapping[Node, sp.Expr] = field(default_factory=dict)
    tensors: Mapping[Letter, Tensor] = field(default_factory=dict)
    space: tuple[sp.Symbol, ...] = ()
    edge: tuple[sp.Symbol, ...] = ()  # the same at a point of the boundary
    words: frozenset[str] = frozenset()  # names that take arguments

    def applies(self, letter: Letter) -> bool:
        """Whether a letter takes arguments."""
        return letter.name in self.words

    def test(self, q: AppliedUndef) -> AppliedUndef:
        """δq."""
        return sp.Function(f"delta_{q.func.__name__}")(*q.args)


@cache
def node(latex: str, words: str = "") -> Node:
    """One letter or one expression as a key."""
    return lines(latex, lambda letter: letter.name in words.split())[0].sides[0]


def undotted(letter: Letter) -> tuple[Letter, int]:
    """A letter without its first dots, and how many they were."""
    dots = next((i for i, accent in enumerate(letter.accents) if accent != "dot"), len(letter.accents))
    return replace(letter, accents=letter.accents[dots:]), dots


class Indexed:
    """A formula whose letters may have indices; ``faults`` collects what cannot be meant."""

    def __init__(self, letters: Letters) -> None:
        self.letters = letters
        self.faults: list[str] = []
        self.index: dict[str, int] = {}

    def free_indices(self, line: Line) -> list[str]:
        """Indices that stand once on every side; zero has none of its own."""
        sides = [self.open_indices(side) for side in line.sides if side != Number("0")]
        found = set(sides[0])
        if any(set(side) != found for side in sides):
            self.faults.append("an index stands alone on one side only")
            found = set().union(*sides)
        return sorted(found)

    def own_indices(self, letter: Letter) -> list[str]:
        """The indices of a tensor, derivatives behind a comma included."""
        found = letter.sub.replace(",", "")
        tensor = self.letters.tensors and self.tensor(letter) is not None
        return list(found) if tensor and found and set(found) <= INDICES else []

    def open_indices(self, part: Node) -> list[str]:
        """Indices that are not summed within a part."""
        if isinstance(part, Add):
            terms = [set(self.open_indices(term)) for _, term in part.terms if term != Number("0")]
            if any(term != terms[0] for term in terms):
                self.faults.append("terms differ in their free indices")
            return sorted(set().union(*terms))
        return [i for i, times in Counter(self.all_indices(part)).items() if times == 1]

    def all_indices(self, part: Node) -> list[str]:
        """Indices of the factors of a part, as often as they stand there."""
        if not self.letters.space:
            return []
        if isinstance(part, Letter):
            return self.own_indices(part)
        if isinstance(part, Multiply):
            return [i for factor in part.factors for i in self.open_indices(factor)]
        if isinstance(part, Between):
            return [*self.open_indices(part.body), *(part.lower[1:] if part.lower.startswith(",") else "")]
        if isinstance(part, Add):
            return self.open_indices(part)
        return [i for child in children(part) for i in self.open_indices(child)]

    def summed(self, part: Node, value: Callable[[], sp.Expr]) -> sp.Expr:
        """Einstein's sum over the indices that stand twice in a part."""
        counts = Counter(self.all_indices(part))
        if any(times > 2 for times in counts.values()):
            self.faults.append("an index stands three times in one term")
        repeated = [i for i, times in counts.items() if times >= 2 and i not in self.index]
        if not repeated:
            return value()
        before, total = self.index, sp.S.Zero
        for values in product(range(len(self.letters.space)), repeat=len(repeated)):
            self.index = {**before, **dict(zip(repeated, values, strict=True))}
            total += value()
        self.index = before
        return total

    def tensor(self, letter: Letter) -> tuple[Tensor, int] | None:
        """What stands for a letter with indices, and how many dots are left on it."""
        bare = replace(letter, sub="", column=0)
        if bare in self.letters.tensors:
            return self.letters.tensors[bare], 0
        below, dots = undotted(bare)
        return (self.letters.tensors[below], dots) if below in self.letters.tensors else None


def children(part: object) -> list[Node]:
    """The nodes directly below one."""
    found: list[Node] = []
    if not is_dataclass(part):
        return found
    for one in fields(part):
        value = getattr(part, one.name)
        stack = [value]
        while stack:
            item = stack.pop(0)
            if isinstance(item, tuple):
                stack = [*item, *stack]
            elif is_dataclass(item):
                found.append(item)  # type: ignore[arg-type]
    return found


def varied(expression: sp.Expr, fields: tuple[AppliedUndef, ...]) -> sp.Expr:
    """δ of an expression by Gateaux's definition, d/dε at q + ε δq and ε = 0."""
    eps = sp.Dummy("eps")
    moved = {
        node: node + eps * jet(sp.Function(f"delta_{q.func.__name__}")(*q.args), index)
        for q in fields
        for index in indices(expression, q)
        for node in [jet(q, index)]
    }
    return sp.expand(sp.diff(expression.xreplace(moved), eps).xreplace({eps: sp.S.Zero}))
