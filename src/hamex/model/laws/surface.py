"""Surfaces: several force components that yield together on an ellipsoid, and blocks of springs without a law of their
own.

A block may carry up to two surfaces on some of its components; one without any is elastic, with its own flexibility.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from hamex.errors import LawError, ModelError
from hamex.model.algebra import forces_of
from hamex.model.laws.ellipsoids import (
    FIRST,
    HARD,
    ISOTROPIC,
    MOST,
    RADIUS,
    REFERENCE,
    WIDEST,
    WIDTH,
    block_map,
    norm,
    tangent,
)
from hamex.model.laws.law import Array, Indices, Law, Split, number

HEAD = 8  # entries of I before the blocks, see hamex.march.springs


def at(
    I: Array,
    begin: int,
    P: Array,
    row: int,
    e0: Array,
    dx: Array,
    reach: float,
    tau: float,
    z: Array,
    forced: int,
    F: Array,
    T: Array,
    dz: Array,
    branch: Array,
    work: Array,
) -> bool:
    """All blocks, from ``begin`` in I and ``row`` in P on. Behind their first springs I holds their sizes, numbers of
    surfaces, places of their states and of their tangents, and the springs that carry the accumulated slip of their
    surfaces."""
    blocks, width, changed = I[begin], I[begin + 1], False
    head = begin + HEAD
    for block in range(blocks):
        i = row + width * block
        first, m, count = I[head + block], I[head + blocks + block], I[head + 2 * blocks + block]
        o = I[begin + 3] + 3 * I[head + 3 * blocks + block]
        place = I[begin + 4] + I[head + 4 * blocks + block]
        primaries = head + 5 * blocks + MOST * block
        for a in range(m):
            total = 0.0
            for b in range(m):
                total += P[i + m * a + b] * ((e0[first + b] + reach * dx[first + b]) - z[o + 3 * b])
            F[first + a] = total
            work[a] = total - z[o + 3 * a + 1]
            for v in range(3):
                dz[o + 3 * a + v] = 0.0
        for j in range(count):
            w = z[o + 3 * I[primaries + j] + 2]
            at = FIRST + WIDTH * j
            work[WIDEST + RADIUS + j] = 1.0 + P[i + at + ISOTROPIC] * w / P[i + at + REFERENCE]
        yields = block_map(P, i, m, count, work)
        for j in range(count):
            primary = I[primaries + j]
            sign = 1 if yields and work[WIDEST + j] > 0.0 else 0
            if branch[first + primary] != sign:
                branch[first + primary] = sign
                changed = True
            if sign == 1:
                n = norm(P, i, m, j, work)
                dz[o + 3 * primary + 2] = work[WIDEST + j] * n / P[i + FIRST + WIDTH * j + REFERENCE]
        if not yields:
            for a in range(m * m):
                T[place + a] = P[i + a]
            continue
        for a in range(m):
            dz[o + 3 * a] = work[2 * WIDEST + a]
            dz[o + 3 * a + 1] = P[i + HARD + a] * work[2 * WIDEST + a]
            for b in range(m):
                F[first + a] -= P[i + m * a + b] * work[2 * WIDEST + b]
        tangent(P, i, m, count, place, work, T)
    return changed


@dataclass(frozen=True)
class Surface(Law):
    """Slider of several force components that yield together, on an ellipsoid, by associated flow.

    With ``n = √Σ((Fᵢ − Xᵢ − centerᵢ)/yield_forcesᵢ)²`` and r the reference force (the smallest of ``yield_forces``),
    the slip rate is normal to the surface, and its size ``λ`` (that of the component r, if alone) obeys
    ``viscosity · λ = ⟨r(n − 1) − isotropic · accumulated slip⟩``. One component is :class:`Slider`; two equal ones
    are the circle of an isolator in plan; axial force and moment make the interaction curve of a hinge.

    Parameters
    ----------
    yield_forces : half axes of the ellipsoid, one per component [force]; infinite: the component never yields.
    center : centre of the ellipsoid, one per component [force]; zero by default.
    viscosity : η ≥ 0 [force·time/length], 0 is rate independent.
    kinematic : stiffness of kinematic hardening of every component, ``X = kinematic · slip`` [force/length].
        A number, or one per component.
    isotropic : stiffness of isotropic hardening [force/length].

    Examples
    --------
    >>> Surface(yield_forces=(100.0, 100.0)).reference
    100.0
    """

    kind = "surface"
    variables = ("slip", "back_force", "accumulated_slip")
    group_at = staticmethod(at)

    yield_forces: tuple[float, ...]
    center: tuple[float, ...] = ()
    viscosity: float = 0.0
    kinematic: float | tuple[float, ...] = 0.0
    isotropic: float = 0.0

    def __post_init__(self) -> None:
        radii = self._numbers("yield_forces", self.yield_forces)
        size = len(radii)
        if size == 0 or any(not value > 0 for value in radii):
            raise LawError(f"Surface: yield_forces must be positive, at least one; got {self.yield_forces!r}")
        if all(math.isinf(value) for value in radii):
            raise LawError("Surface: every yield force is infinite, so nothing yields; use elastic springs")
        center = self._numbers("center", self.center or (0.0,) * size)
        hardening = self.kinematic if isinstance(self.kinematic, Sequence) else (self.kinematic,) * size
        kinematic = self._numbers("kinematic", hardening)
        if len(center) != size or len(kinematic) != size:
            raise LawError(f"Surface: center and kinematic need {size} entries, one per component")
        if any(math.isinf(value) for value in center):
            raise LawError("Surface: center must be finite")
        if sum((c / r) ** 2 for c, r in zip(center, radii, strict=True)) >= 1:
            raise LawError(
                f"Surface: the center {center} lies so far off that the surface leaves zero force outside: "
                "a spring at rest would yield, and gain energy"
            )
        for name, values in (
            ("viscosity", (self.viscosity,)),
            ("kinematic", kinematic),
            ("isotropic", (self.isotropic,)),
        ):
            for value in self._numbers(name, values):
                if not 0 <= value < math.inf:
                    hint = "; softening is not a convex law" if name != "viscosity" else ""
                    raise LawError(f"Surface: {name} must be finite and not negative, got {value:g}{hint}")
        for name, checked in (
            ("yield_forces", radii),
            ("center", center),
            ("kinematic", kinematic),
            ("viscosity", float(self.viscosity)),
            ("isotropic", float(self.isotropic)),
        ):
            object.__setattr__(self, name, checked)

    @staticmethod
    def _numbers(name: str, values: Sequence[float]) -> tuple[float, ...]:
        return tuple(number("Surface", name, value) for value in values)

    @classmethod
    def grouped(cls, laws: Sequence[Any], first: Sequence[int] | Indices) -> Any:
        """Surfaces that have all springs of their blocks."""
        return Surfaces.of(
            [
                (int(start), SimpleNamespace(names=range(law.size), laws=((tuple(range(law.size)), law),)))
                for start, law in zip(first, laws, strict=True)
            ]
        )

    @property
    def size(self) -> int:
        """Number of force components."""
        return len(self.yield_forces)

    @property
    def reference(self) -> float:
        """Reference force r: the smallest half axis [force]."""
        return min(self.yield_forces)

    @classmethod
    def recorded(cls, group: Any) -> tuple[str, ...]:
        """Without hardening the variables beside slip say nothing."""
        return cls.variables[1:] if np.any(group.kinematic > 0) or np.any(group.isotropic > 0) else ()

    @classmethod
    def prepared(cls, group: Any, k: Array, tau: float) -> Array:
        blocks = len(group.first)
        P = np.zeros((blocks, FIRST + MOST * WIDTH))
        for m in np.unique(group.size):  # a block's stiffness stands row by row in its own size
            own = np.flatnonzero(group.size == m)
            P[own, : m * m] = k[own, :m, :m].reshape(len(own), -1)
        P[:, HARD : HARD + group.kinematic.shape[1]] = group.kinematic
        kappa = (group.viscosity + tau * group.isotropic) / (tau * group.reference**2)
        for i, j, surface in group.listed():
            at, width = FIRST + WIDTH * j, group.weight.shape[1]
            P[i, at : at + width] = group.weight[surface]
            P[i, at + WIDEST : at + WIDEST + width] = group.center[surface]
            P[i, at + REFERENCE : at + WIDTH] = group.reference[surface], group.isotropic[surface], kappa[surface]
        return P

    @classmethod
    def softest(cls, group: Any, k: Array, tau: float, isotropic: bool = True) -> Array:
        if math.isinf(tau):
            return cls.slow_tangent(group, k, isotropic)
        with np.errstate(divide="ignore", invalid="ignore"):
            flow = group.weight * (tau * group.reference**2 / group.viscosity)[:, None]  # softest slip per force
        return cls._series(group, k, np.where(group.weight > 0, flow, 0.0))

    @classmethod
    def slow_tangent(cls, group: Any, k: Array, isotropic: bool = True) -> Array:
        return cls._series(group, k, np.where(group.weight > 0, np.inf, 0.0))

    @staticmethod
    def _series(group: Any, k: Array, flow: Array) -> Array:
        """(block, m, m): flexibility of the block and the slip per force of its surfaces, one behind the other."""
        out = np.zeros_like(k)
        for i, m in enumerate(group.size):
            part = flow[group.begin[i] : group.begin[i + 1], :m].sum(axis=0)
            with np.errstate(divide="ignore"):
                give = np.where(part > 0, 1 / (1 / part + group.kinematic[i, :m]), 0.0)
            firm = np.isfinite(give)
            soft = np.linalg.inv(k[i, :m, :m])[np.ix_(firm, firm)] + np.diag(give[firm])
            if firm.any():
                out[i][np.ix_(np.flatnonzero(firm), np.flatnonzero(firm))] = np.linalg.inv(soft)
        return out

    @classmethod
    def slow(cls, group: Any) -> Any:
        return dataclasses.replace(group, viscosity=np.zeros_like(group.viscosity))

    @classmethod
    def per_spring(cls, group: Any, name: str) -> Array:
        """Hardening and viscosity, spring by spring; everything else belongs to surfaces and not to springs."""
        out = np.zeros(int(group.size.sum()))
        at = np.cumsum(group.size) - group.size
        for i, m in enumerate(group.size):
            if name == "kinematic":
                out[at[i] : at[i] + m] = group.kinematic[i, :m]
        if name == "viscosity":
            for i, _, surface in group.listed():
                on = at[i] + np.flatnonzero(group.weight[surface] > 0)
                out[on] = np.maximum(out[on], group.viscosity[surface])
        if name == "isotropic":
            for i, _, surface in group.listed():
                out[at[i] + group.primary[surface] - group.first[i]] = group.isotropic[surface]
        return out

    @classmethod
    def yields(cls, group: Any) -> Array:
        return np.concatenate(
            [(group.weight[group.begin[i] : group.begin[i + 1], :m] > 0).any(axis=0) for i, m in enumerate(group.size)]
        )

    @classmethod
    def stays(cls, group: Any) -> bool:
        return not len(group.weight)

    @classmethod
    def together(cls, group: Any) -> Array:
        on = (group.weight > 0) & ((group.weight > 0).sum(axis=1, keepdims=True) > 1)
        return np.concatenate(
            [on[group.begin[i] : group.begin[i + 1], :m].any(axis=0) for i, m in enumerate(group.size)]
        )

    @classmethod
    def slides(cls, group: Any) -> Array | None:
        """Surfaces of one component each: hinges that share a flexibility and nothing else."""
        on = group.weight > 0
        if np.any(on.sum(axis=1) != 1) or np.any(group.center[on] != 0):
            return None
        limits = []
        for i, m in enumerate(group.size):
            own = slice(group.begin[i], group.begin[i + 1])
            if np.any(on[own].sum(axis=0) > 1):
                return None
            with np.errstate(divide="ignore"):
                limits.append(1 / np.sqrt(group.weight[own, :m].sum(axis=0)))
        return np.concatenate(limits)

    @classmethod
    def split(
        cls, group: Any, k: Array, h: float, deformation: Array, force: Array, states: Mapping[str, Array]
    ) -> Split:
        """What slip does beyond hardening is plastic."""
        elastic = deformation - states["slip"]
        stiff, at = np.zeros_like(elastic), 0
        for i, m in enumerate(group.size):
            stiff[:, at : at + m] = forces_of(k[i : i + 1, :m, :m], elastic[:, at : at + m])
            at += m
        hard, isotropic = cls.per_spring(group, "kinematic"), cls.per_spring(group, "isotropic")
        soft = np.divide(1.0, hard, out=np.zeros_like(hard), where=hard > 0)
        hardening = 0.5 * states["back_force"] ** 2 * soft + 0.5 * states["accumulated_slip"] ** 2 * isotropic
        lost = force * np.diff(states["slip"], axis=0) - np.diff(hardening, axis=0)
        return Split(0.5 * elastic * stiff, hardening, lost, np.zeros_like(lost))


@dataclass(frozen=True, eq=False)
class Surfaces:
    """All blocks of springs that yield on surfaces, or are elastic with a flexibility of their own.

    Block i holds the springs ``first[i] … first[i] + size[i] − 1`` and the surfaces ``begin[i] … begin[i + 1] − 1``;
    their parameters are rows with one column per component of the block (zeros beyond its size).

    Attributes
    ----------
    first, size, begin : of the blocks; ``begin`` has one entry more.
    weight : 1/yield_force², 0 where a component takes no part.
    center : centre of each surface [force].
    reference, viscosity, isotropic : one per surface.
    primary : spring that carries the accumulated slip of the surface.
    kinematic : (block, component), hardening of the component.
    """

    first: Indices
    size: Indices
    begin: Indices
    weight: Array
    center: Array
    reference: Array
    viscosity: Array
    isotropic: Array
    primary: Indices
    kinematic: Array

    law: ClassVar[type[Law]] = Surface
    blocked: ClassVar[bool] = True

    @classmethod
    def of(cls, blocks: Sequence[tuple[int, Any]]) -> Surfaces:
        """Blocks (:class:`hamex.model.assembly.Block`), each with the number of its first spring."""
        width = max(len(block.names) for _, block in blocks)
        weight, center, hardening, scalar, primary = [], [], [], [], []
        begin = [0]
        for start, block in blocks:
            kinematic = np.zeros(width)
            for components, law in block.laws:
                if not isinstance(law, Surface) or len(law.yield_forces) != len(components):
                    raise ModelError(
                        f"{block.names[0]}: a block of springs takes Surface laws with one yield force "
                        f"per component, got {law!r} on {len(components)} components"
                    )
                row, middle, own = np.zeros(width), np.zeros(width), np.zeros(width)
                row[list(components)] = 1 / np.array(law.yield_forces) ** 2
                middle[list(components)] = law.center
                own[list(components)] = law.kinematic
                kinematic = np.maximum(kinematic, own)
                weight.append(row)
                center.append(middle)
                scalar.append((law.reference, law.viscosity, law.isotropic))
                # A component that only this surface uses tells its slip apart from the other surfaces'.
                shared = [set(other) for other, _ in block.laws if other != components]
                alone = [c for c in components if row[c] > 0 and not any(c in other for other in shared)]
                primary.append(start + (alone[0] if alone else components[0]))
            hardening.append(kinematic)
            begin.append(len(weight))
        reference, viscosity, isotropic = (np.ascontiguousarray(x) for x in np.array(scalar).reshape(-1, 3).T)
        return cls(
            np.array([start for start, _ in blocks]),
            np.array([len(block.names) for _, block in blocks]),
            np.array(begin),
            np.array(weight).reshape(-1, width),
            np.array(center).reshape(-1, width),
            reference,
            viscosity,
            isotropic,
            np.array(primary, dtype=np.intp),
            np.array(hardening),
        )

    @property
    def sizes(self) -> Array:
        """(block,), springs of each block."""
        return self.size

    @property
    def springs(self) -> Indices:
        """Numbers of all its springs, block by block."""
        return np.concatenate([first + np.arange(m) for first, m in zip(self.first, self.size, strict=True)])

    @property
    def numbers(self) -> dict[str, Array]:
        """All that identifies the group, by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def listed(self) -> list[tuple[int, int, int]]:
        """(block, its place there, surface) of all surfaces."""
        return [
            (i, surface - self.begin[i], surface)
            for i in range(len(self.first))
            for surface in range(self.begin[i], self.begin[i + 1])
        ]

    def head(self) -> Array:
        """Sizes, numbers of surfaces, springs and tangents before each block, and who carries accumulated slip."""
        counts = np.diff(self.begin)
        if int(counts.max(initial=0)) > MOST or int(self.size.max()) > WIDEST:
            raise ModelError(
                f"a block of springs may have {MOST} surfaces and {WIDEST} components; "
                f"this model has one with {int(counts.max(initial=0))} and {int(self.size.max())}"
            )
        primary = np.zeros((len(self.first), MOST), dtype=np.int64)
        for i, j, surface in self.listed():
            primary[i, j] = self.primary[surface] - self.first[i]
        squares = self.size**2
        return np.concatenate(
            [self.size, counts, np.cumsum(self.size) - self.size, np.cumsum(squares) - squares, primary.ravel()]
        )
