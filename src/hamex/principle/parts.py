"""Parts of a continuum: pieces of its boundary, interfaces and points, with energies, losses and loads of their own.

A part is written in the fields of the body. To be varied it is an action by itself, in the fields at its place and,
where the body has such, their slopes across it, over what is left of space: a point, an edge, a surface.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.jets import Index, indices, jet, t


class Surroundings(Protocol):
    """What a part has to know of the action that it belongs to."""

    @property
    def fields(self) -> tuple[AppliedUndef, ...]: ...

    @property
    def space(self) -> tuple[sp.Symbol, ...]: ...

    @property
    def lumped(self) -> tuple[AppliedUndef, ...]: ...


@dataclass(frozen=True, eq=False)
class Part:
    """A piece of the boundary, an interface or a point of a continuum, with energies and loads of its own.

    Parameters
    ----------
    where : ``{x: l}``, where a coordinate has a value; or a name such as ``"Gamma_t"`` for a piece of the boundary with
        the outward normal (n_x, n_y, …).
    side : where the body is. ``"end"``: it ends at that value, the outward normal points along the axis; ``"start"``:
        it begins there; ``"inside"``: it is on both sides, and forces jump. A named piece is ``"boundary"`` or
        ``"inside"``.
    lagrangian, dissipation : of the fields and, where the density has second derivatives, their slope across the part;
        per length of an edge or area of a surface. Fields of t alone may join at a point.
    loads : forces on fields (tractions), or on slopes (moments); of place and time.
    motions : values of fields, or slopes, that are given; what they take is the reaction.
    name : what it is, for pages.

    Examples
    --------
    >>> from hamex.principle import Action, Part, t
    >>> x = sp.Symbol("x", real=True)
    >>> mu, N, m, l = sp.symbols("mu N m l", positive=True)
    >>> w = sp.Function("w")(x, t)
    >>> mass = Part({x: l}, "end", m * w.diff(t) ** 2 / 2)
    >>> string = Action((w,), (mu * w.diff(t) ** 2 - N * w.diff(x) ** 2) / 2, space=(x,), parts=(mass,))
    >>> string.balances()[0].equation
    N*Derivative(w(x, t), x) + m*Derivative(w(x, t), (t, 2))
    """

    where: Mapping[sp.Symbol, sp.Expr] | str
    side: str = "boundary"
    lagrangian: sp.Expr = sp.S.Zero
    dissipation: sp.Expr = sp.S.Zero
    loads: Mapping[sp.Expr, sp.Expr] = field(default_factory=dict)
    motions: Mapping[sp.Expr, sp.Expr] = field(default_factory=dict)
    name: str = ""

    def __post_init__(self) -> None:
        place = self.where if isinstance(self.where, str) else {x: sp.sympify(v) for x, v in self.where.items()}
        object.__setattr__(self, "where", place)
        for what in ("lagrangian", "dissipation"):
            object.__setattr__(self, what, sp.sympify(getattr(self, what)))
        for what in ("loads", "motions"):
            object.__setattr__(self, what, {q: sp.sympify(Q) for q, Q in getattr(self, what).items()})

    @property
    def axis(self) -> sp.Symbol | None:
        """The coordinate that has a value there; None for a named piece."""
        return None if isinstance(self.where, str) else next(iter(self.where))

    def rest(self, action: Surroundings) -> tuple[sp.Symbol, ...]:
        """The coordinates that are left; a named piece is taken point by point."""
        return () if isinstance(self.where, str) else tuple(x for x in action.space if x not in self.where)

    def motions_of(self, action: Surroundings) -> dict[AppliedUndef, tuple[AppliedUndef, Index]]:
        """The fields and slopes at the part, as functions of what is left, with the jets of the body that they are."""
        rest = self.rest(action)
        found: dict[AppliedUndef, tuple[AppliedUndef, Index]] = {q: (q, ()) for q in action.lumped}
        for q in action.fields:
            if q not in found:
                found[sp.Function(q.func.__name__)(*rest, t)] = q, ()
                if self.axis is not None:
                    found[sp.Function(f"{q.func.__name__}_slope")(*rest, t)] = q, (self.axis,)
        return found

    def local(self, expression: sp.Expr, action: Surroundings) -> sp.Expr:
        """An expression of the body's fields in those of the part."""
        place = {} if isinstance(self.where, str) else self.where
        names: dict[sp.Expr, sp.Expr] = {}
        for f, (q, across) in self.motions_of(action).items():
            if q in action.lumped:
                continue
            names |= {q.subs(place): f} if not across else {}
            for index in indices(expression, q):
                along = tuple(v for v in index if v != self.axis)
                covered = set(along) <= {t, *self.rest(action)}
                if covered and len(index) - len(along) == len(across):
                    names[jet(q, index)] = jet(f, along)
                else:  # kept whole, to be refused by name
                    names.setdefault(jet(q, index), jet(q, index))
        return expression.xreplace(names)

    def body(self, expression: sp.Expr, action: Surroundings) -> sp.Expr:
        """The way back: an expression of the part's fields in those of the body."""
        names = {
            jet(f, index): jet(q, (*across, *index)).doit()  # the variables in SymPy's own order
            for f, (q, across) in self.motions_of(action).items()
            for index in indices(expression, f)
        }
        return expression.xreplace(names)

    def placed(self, expression: sp.Expr) -> sp.Expr:
        """An expression of the body's fields at the place."""
        return expression if isinstance(self.where, str) else expression.subs(self.where)
