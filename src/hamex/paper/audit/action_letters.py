r"""The letters of an action in LaTeX, and formulas read with them.

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
from hamex.paper.audit.notation import Interval
from hamex.paper.audit.reading import TIMES, Meaning
from hamex.paper.audit.vocabulary import Letters, node, undotted
from hamex.principle.action import Action
from hamex.principle.jets import jet, partial, t
from hamex.principle.latex import GREEK, Apply, Integral, Letter, Node

_VARIANTS = {"epsilon": "varepsilon", "theta": "vartheta", "phi": "varphi", "rho": "varrho", "sigma": "varsigma"}
WHOLE = Interval("t")


@dataclass(frozen=True)
class ActionLetters:
    """Fields, parameters and given functions of an action by their letters, and the letters of mechanics."""

    action: Action
    known: Mapping[Letter, sp.Expr]
    roles: Mapping[Letter, tuple[str, sp.Expr]]
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
            if not isinstance(key, Letter):
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


def written(name: str) -> list[Letter]:
    r"""How a name is written: ``theta_1`` as \theta_1, ``u1`` as u_1."""
    base, _, index = name.partition("_")
    if not index and (match := re.fullmatch(r"([A-Za-z]+?)(\d+)", base)):
        base, index = match[1], match[2]
    bases = [f"\\{b}" for b in (base, _VARIANTS.get(base, base))] if GREEK.fullmatch(f"\\{base}") else [base]
    return [Letter(b, sub=index) for b in dict.fromkeys(bases)]


def _roles(action: Action) -> dict[Letter, tuple[str, sp.Expr]]:
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
    roles = {Letter(name): role for name, role in found.items()}
    for i, q in enumerate(action.fields, 1):
        momentum = (f"the momentum of {q.func.__name__}", action.momentum(q))
        subs = [str(i), *("".join(str(letter).split()) for letter in written(q.func.__name__))]
        subs += [re.sub(r"_\{(\w)\}", r"_\1", sub) for sub in subs]
        roles |= {Letter("p", sub=sub): momentum for sub in subs}
        if len(action.fields) == 1:
            roles[Letter("p")] = momentum
    return roles


class OpenMeaning(Meaning):
    """Formulas in the letters of an action; ``unknown_letters`` and ``places`` collect what the judge must know."""

    def __init__(self, table: ActionLetters, defined: Mapping[Letter, sp.Expr]) -> None:
        super().__init__(Letters(fields={str(q): q for q in table.action.fields}))
        self.table, self.defined = table, defined
        self.unknown_letters: list[Letter] = []
        self.places: list[tuple[Node, ...]] = []
        self.limits: set[tuple[str, str]] = set()

    def applies(self, letter: Letter) -> bool:
        """Functions of time or place take arguments, and so do the letters of mechanics; parameters do not."""
        base = self.split(letter)[0]
        value = self.table.known.get(base)
        return isinstance(value, AppliedUndef) or (value is None and (base in self.table.roles or base in self.defined))

    def split(self, letter: Letter) -> tuple[Letter, tuple[sp.Symbol, ...]]:
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

    def one_letter(self, part: Letter) -> sp.Expr:
        base, along = self.split(part)
        value = self.table.known.get(base)
        if value is None:
            value = self.defined.get(base)
        if value is None and base in self.table.roles:
            value = self.table.roles[base][1]
        if value is None and base == Letter(r"\pi"):
            value = sp.pi
        if value is None and base == Letter("t"):
            value = t
        if value is None:
            return self.unknown(part)
        if part.delta:
            if value not in self.table.action.fields:
                return self.unknown(part)
            value = self.letters.test(value)
        return jet(value, along) if isinstance(value, AppliedUndef) else value.diff(*along) if along else value

    def unknown(self, part: Letter) -> sp.Expr:
        self.unknown_letters.append(replace(part, column=part.column))
        return sp.Function(str(part))(t) if part.accents else sp.Symbol(str(part))

    def near(self, letter: Letter) -> str:
        """Letters that look alike, or all that are known."""
        shown = {str(key) for key in (*self.table.known, *self.defined)}
        close = get_close_matches(str(letter), shown, n=1, cutoff=0.7)
        return f"did you mean {close[0]}?" if close else f"known are {', '.join(sorted(shown))}"

    def _apply(self, part: Apply) -> sp.Expr:
        """Fields at an instant or a place are kept as they are; where is noted."""
        here = tuple(a for a in (*part.arguments, *part.times))
        axes = {Letter(x.name) for x in self.table.action.space}
        fields = all(isinstance(a, Letter) and self.split(a)[0] in self.table.known for a in part.arguments)
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

    def differentiated(self, value: sp.Expr, by: tuple[tuple[Letter, int], ...]) -> sp.Expr:
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
