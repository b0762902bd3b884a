"""Laws made of laws: side by side (:class:`ParallelLaws`), and what those that break have in common with them.

A combination is a class of its own for the kinds of its parts, made when it is first asked for, with kernels around
theirs, which may be combinations again. Parts are followed along the path of a step: those of straight pieces piece by
piece, others in their own form; at the end of a path, for schemes that ask at nodes, likewise. A combination breaks
where it does by itself or where a part does.
In the row of parameters, behind the stiffness, stand for each of up to four parts where its row and its state begin,
then what the combination itself needs, then the rows of the parts; states follow likewise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, ClassVar, Self

import numpy as np

from hamex.errors import LawError
from hamex.model.laws.law import Array, Group, Indices, Law, Split, by_kind, number
from hamex.model.laws.path import FOLLOWED, FORCE, LAST, MOST_PIECES, RECOVERABLE, SLIP, WAY, PathLaw

MOST = 4
OWN = 1 + 2 * MOST  # where a combination's own parameters begin
GONE = len(FOLLOWED)  # of its own state: whether it is gone
BROKEN = 1 << 16  # hamex.march.springs.BROKEN
MANY = 0  # state variables of a part of straight pieces, see _bound
SLOW = False  # whether a part is asked in slow loading, likewise


def part_piece(p: Array, r: int, e: float, way: float, z: Array, o: int) -> tuple[float, float, float]:
    """A part that is followed piece by piece; every one brings its own."""
    raise NotImplementedError


def part_0(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """A part that is not there; every combination brings its own."""
    return 0.0, 0.0, 0


part_1 = part_2 = part_3 = part_0


def lost_0(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> float:
    """Where a part breaks, or the combination itself; those that may bring their own."""
    return math.inf


lost_1 = lost_2 = lost_3 = own_lost = lost_0


def part_at(p: Array, r: int, e: float, tau: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """A part that is asked at a deformation; every one brings its own."""
    raise NotImplementedError


def pointed(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """Force and tangent of such a part at the end of a path."""
    force, slope, _ = part_at(p, r, e + d, h, z, o, dz)
    dz[o] = (e + d) - force / p[r]
    return force, slope, 0


def straight_end(
    p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array
) -> tuple[float, float, int]:
    """Force and tangent of a part of straight pieces at the end of a path.

    In slow loading a part that is lost at the end, since it would not survive a reversal, breaks there.
    """
    for v in range(o, o + MANY):
        dz[v] = z[v]
    way = 1.0 if d > 0.0 or (d == 0.0 and z[o + WAY] >= 0.0) else -1.0
    _, k, edge = part_piece(p, r, e, way, dz, o)
    if d == 0.0:
        for v in range(o, o + MANY):
            dz[v] = z[v]
        return z[o + FORCE], k, 0
    pieces = 0
    while way * (edge - (e + d)) < 0.0 and pieces < MOST_PIECES:
        _, k, edge = part_piece(p, r, edge, way, dz, o)
        pieces += 1
    held, _, _ = part_piece(p, r, e + d, 0.0, dz, o)
    lost = SLOW and held != dz[o + FORCE]
    if pieces == MOST_PIECES:
        dz[o + FORCE] = held = math.nan  # told as a step that is not solved
    dz[o] = (e + d) - dz[o + FORCE] / p[r]
    return held if SLOW else dz[o + FORCE], k, BROKEN if lost else 0


def straight(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """The mean of a path of straight pieces and its slope, by moments (see hamex.march.springs), and the new state."""
    for v in range(o, o + MANY):
        dz[v] = z[v]
    way = 1.0 if d > 0.0 or (d == 0.0 and z[o + WAY] >= 0.0) else -1.0
    start, k, edge = part_piece(p, r, e, way, dz, o)
    if d == 0.0:
        for v in range(o, o + MANY):
            dz[v] = z[v]
        return z[o + FORCE], 0.5 * k, 0
    here, mean, slope, pieces = 0.0, 0.0, 0.0, 0
    while way * (edge - (e + d)) < 0.0 and pieces < MOST_PIECES:
        there = min(max((edge - e) / d, here), 1.0)
        mean += k * (there - here) * (1.0 - 0.5 * (here + there))
        slope += 0.5 * k * (there * there - here * here)
        here = there
        _, k, edge = part_piece(p, r, edge, way, dz, o)
        pieces += 1
    if pieces == MOST_PIECES:
        mean = math.nan
    mean += k * (1.0 - here) * (0.5 - 0.5 * here)
    slope += 0.5 * k * (1.0 - here * here)
    part_piece(p, r, e + d, 0.0, dz, o)
    dz[o] = (e + d) - dz[o + FORCE] / p[r]
    return start + d * mean, slope, 0


def together(
    p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array
) -> tuple[float, float, float, int]:
    """Mean force of all parts, its slope, the force at the end, BROKEN where a part breaks; their state is moved."""
    mean, slope, force, broken = 0.0, 0.0, 0.0, 0
    for i in range(MOST):
        row = r + int(p[r + 1 + 2 * i])
        if row == r:
            break
        at = o + int(p[r + 2 + 2 * i])
        if i == 0:
            one, tilt, piece = part_0(p, row, e, d, h, z, at, dz)
        elif i == 1:
            one, tilt, piece = part_1(p, row, e, d, h, z, at, dz)
        elif i == 2:
            one, tilt, piece = part_2(p, row, e, d, h, z, at, dz)
        else:
            one, tilt, piece = part_3(p, row, e, d, h, z, at, dz)
        mean, slope, force = mean + one, slope + tilt, force + p[row] * ((e + d) - dz[at])
        if piece == BROKEN:
            broken = BROKEN
    return mean, slope, force, broken


def first_lost(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> float:
    """Deformation at which the combination or a part breaks first on the way from e to e + d; infinite: none does."""
    if z[o + GONE] != 0.0:
        return math.inf
    first = own_lost(p, r, e, d, h, z, o, dz)
    for i in range(MOST):
        row = r + int(p[r + 1 + 2 * i])
        if row == r:
            break
        at = o + int(p[r + 2 + 2 * i])
        if i == 0:
            one = lost_0(p, row, e, d, h, z, at, dz)
        elif i == 1:
            one = lost_1(p, row, e, d, h, z, at, dz)
        elif i == 2:
            one = lost_2(p, row, e, d, h, z, at, dz)
        else:
            one = lost_3(p, row, e, d, h, z, at, dz)
        if one < math.inf and (first == math.inf or d * (one - first) < 0.0):
            first = one
    return first


def settle(p: Array, r: int, e: float, d: float, force: float, z: Array, o: int, dz: Array) -> None:
    """Note where the combination is; what has not moved keeps its way."""
    dz[o + WAY] = z[o + WAY] if d == 0.0 else (1.0 if d > 0.0 else -1.0)
    dz[o + LAST], dz[o + FORCE], dz[o + SLIP] = e + d, force, (e + d) - force / p[r]
    dz[o + RECOVERABLE] = 0.0  # that of its parts, see Combined.split


def along(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """All parts of a parallel combination."""
    mean, slope, force, broken = together(p, r, e, d, h, z, o, dz)
    dz[o + GONE] = 0.0
    settle(p, r, e, d, force, z, o, dz)
    return mean, slope, broken


def ended(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """A combination at the end of a path; every one brings its own."""
    raise NotImplementedError


def told(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """The same in slow loading, where one that is lost as it stands breaks, too, and holds what it held."""
    force, slope, piece = ended(p, r, e, d, h, z, o, dz)
    if piece == 0 and z[o + GONE] == 0.0 and dz[o + GONE] != 0.0:
        return z[o + FORCE] + p[r] * d, p[r], BROKEN
    return force, slope, piece


def at_end(p: Array, r: int, e: float, tau: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """A combination at a deformation: at the end of a path from where its state was left."""
    return ended(p, r, z[o + LAST], e - z[o + LAST], tau, z, o, dz)


_MADE: dict[Any, Any] = {}  # classes of combinations by what they are made of


class Combined(PathLaw):
    """Base of laws made of laws: parts with their shares of the stiffness, and parameters of its own.

    Examples
    --------
    >>> import hamex as hx
    >>> hx.laws.MinMax(hx.laws.Bilinear(1.0), min=-0.1, max=0.05).kind
    'min_max:bilinear'
    """

    softens = True
    variables: ClassVar[tuple[str, ...]] = (*FOLLOWED, "gone")
    own: ClassVar[tuple[str, ...]] = ()  # its own parameters
    more: ClassVar[int] = 0  # state variables of its own beside those of all combinations
    parts: ClassVar[tuple[type[Law], ...]] = ()  # kinds of its parts, as they are followed
    spring_combined: ClassVar[Callable[..., Any]]
    spring_lost: ClassVar[Callable[..., Any] | None] = None  # where it breaks; dz is for its trials
    spring_end: ClassVar[Callable[..., Any] | None] = None  # force and tangent at the end of a path
    spring_end_slow: ClassVar[Callable[..., Any] | None] = None  # the same in slow loading

    @classmethod
    def around(cls, *parts: type[Law]) -> type[Self]:
        """The class of a combination of laws of these kinds."""
        if (cls, *parts) not in _MADE:
            _MADE[(cls, *parts)] = cls._made(*parts)
        return _MADE[(cls, *parts)]

    @classmethod
    def _made(cls, *parts: type[Law]) -> type[Self]:
        kinds = tuple(part.followed or part for part in parts)
        base = next(each for each in cls.__mro__ if each.__dict__.get("kind") == cls.kind)
        name = base.__name__ + "".join(part.__name__ for part in parts)
        inner = {f"lost_{i}": kind.spring_lost for i, kind in enumerate(kinds) if issubclass(kind, Combined)}
        inner = {place: function for place, function in inner.items() if function is not None}
        kernels = {}
        for form, of_part in (("along", _followed), ("end", _ended), ("slow", _slow)):
            functions = {f"part_{i}": found for i, kind in enumerate(kinds) if (found := of_part(kind)) is not None}
            if len(functions) < len(kinds):  # a part that cannot be asked at the end of a path
                continue
            bound = {"together": _bound(together, functions, f"{name}_{form}")}
            if cls.spring_lost is not None:
                bound[cls.spring_lost.__name__] = _bound(cls.spring_lost, bound, f"{name}_{form}")
            kernels[form] = _bound(cls.spring_combined, bound, f"{name}_{form}")
            if form == "along" and cls.spring_lost is not None:
                inner["own_lost"] = bound[cls.spring_lost.__name__]
        if "slow" in kernels:
            kernels["slow"] = _bound(told, {"ended": kernels["slow"]}, f"{name}_slow")
        lost = _bound(first_lost, inner, name) if inner else None
        states = (*cls.variables, *(f"{x}_{i}" for i, kind in enumerate(kinds) for x in kind.variables))
        own = {
            "__doc__": cls.__doc__,
            "__module__": cls.__module__,
            "kind": f"{cls.kind}:{'+'.join(f'({x.kind})' if ':' in x.kind else x.kind for x in parts)}",
            "parts": parts,
            "variables": states,
            "effort": sum(kind.effort for kind in kinds),
            "spring_along": staticmethod(kernels["along"]),
            "spring_end": staticmethod(kernels["end"]) if "end" in kernels else None,
            "spring_at": staticmethod(_bound(at_end, {"ended": kernels["end"]}, name)) if "end" in kernels else None,
            "spring_end_slow": staticmethod(kernels["slow"]) if "slow" in kernels else None,
            "spring_slow": (
                staticmethod(_bound(at_end, {"ended": kernels["slow"]}, f"{name}_slow")) if "slow" in kernels else None
            ),
            "spring_lost": None if lost is None else staticmethod(lost),
            "spring_break": None if lost is None else staticmethod(_breaking(lost)),
        }
        return type(name, (cls,), own)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        inner = [f"{name}_{i}" for i, part in enumerate(cls.parts) for name in part.names()]
        return (*cls.own, *(f"share_{i}" for i in range(len(cls.parts))), *inner)

    def made_of(self) -> tuple[tuple[Law, ...], tuple[float, ...]]:
        """Its parts and their shares of the stiffness."""
        raise NotImplementedError

    @classmethod
    def grouped(cls, laws: Sequence[Any], first: Sequence[int] | Indices) -> Group:
        found: dict[str, Array] = {name: np.array([float(getattr(law, name)) for law in laws]) for name in cls.own}
        made = [law.made_of() for law in laws]
        for i, part in enumerate(cls.parts):
            inner = part.grouped([own[i] for own, _ in made], first)
            found[f"share_{i}"] = np.array([shares[i] for _, shares in made])
            found |= {f"{name}_{i}": value for name, value in inner.parameters.items()}
        return Group(cls, np.asarray(first, dtype=np.intp), 1, found)

    @classmethod
    def inner(cls, group: Any) -> list[tuple[type[Law], Group, Array]]:
        """Its parts: kinds as they are followed, groups, shares."""
        found = []
        for i, part in enumerate(cls.parts):
            kind = part.followed or part
            own = {name: group.parameters[f"{name}_{i}"] for name in part.names()}
            found.append((kind, Group(kind, group.first, 1, own), group.parameters[f"share_{i}"]))
        return found

    @classmethod
    def prepared(cls, group: Any, k: Array, tau: float) -> Array:
        rows = [kind.prepared(own, share * k, tau) for kind, own, share in cls.inner(group)]
        head = np.zeros((len(k), OWN + len(cls.own)))
        row, state = head.shape[1], len(FOLLOWED) + 1 + cls.more
        for i, (one, (kind, _, _)) in enumerate(zip(rows, cls.inner(group), strict=True)):
            head[:, 1 + 2 * i], head[:, 2 + 2 * i] = row, state
            row, state = row + one.shape[1], state + len(kind.variables)
        head[:, 0] = k
        for i, name in enumerate(cls.own):
            head[:, OWN + i] = group.parameters[name]
        return np.hstack([head, *rows])

    @classmethod
    def recorded(cls, group: Any) -> tuple[str, ...]:
        return cls.variables[len(FOLLOWED) :]

    @classmethod
    def softest(cls, group: Any, k: Array, tau: float, isotropic: bool = True) -> Array:
        parts = [kind.softest(own, share * k, tau, isotropic) for kind, own, share in cls.inner(group)]
        return cls.left_when_gone(group, np.asarray(np.sum(parts, axis=0)))

    @classmethod
    def slow_tangent(cls, group: Any, k: Array, isotropic: bool = True) -> Array:
        return cls.softest(group, k, math.inf, isotropic)

    @classmethod
    def jumps(cls, group: Any) -> Array:
        return np.any([kind.jumps(own) for kind, own, _ in cls.inner(group)], axis=0)

    @classmethod
    def is_gone(cls, group: Any, states: Mapping[str, Array]) -> Array:
        found = np.asarray(states["gone"] != 0)
        for i, (kind, own, _) in enumerate(cls.inner(group)):
            found = found | kind.is_gone(own, {name: states[f"{name}_{i}"] for name in kind.variables})
        return found

    @classmethod
    def stiffest(cls, group: Any, k: Array) -> Array:
        return np.asarray(np.sum([kind.stiffest(own, share * k) for kind, own, share in cls.inner(group)], axis=0))

    @classmethod
    def static_share(cls, group: Any, k: Array) -> Array:
        parts = [share * kind.static_share(own, share * k) for kind, own, share in cls.inner(group)]
        return np.asarray(np.sum(parts, axis=0))

    @classmethod
    def split(
        cls, group: Any, k: Array, h: float, deformation: Array, force: Array, states: Mapping[str, Array]
    ) -> Split:
        """What the parts hold; what is gone holds nothing. All other work is lost."""
        still, stored, hardening = np.zeros_like(force), np.zeros_like(deformation), np.zeros_like(deformation)
        there = np.asarray(states["gone"]) == 0
        for i, (kind, own, share) in enumerate(cls.inner(group)):
            inner = {name: states[f"{name}_{i}"] for name in kind.variables}
            held = kind.split(own, share * k, h, deformation, still, inner)
            stored, hardening = stored + there * held.stored, hardening + there * held.hardening
        lost = force * np.diff(deformation, axis=0) - np.diff(stored + hardening, axis=0)
        return Split(stored, hardening, lost, np.zeros_like(lost))


def _bound(kernel: Callable[..., Any], names: Mapping[str, Any], suffix: str) -> Callable[..., Any]:
    """A kernel in which some global names mean other things, under a name of its own."""
    assert isinstance(kernel, FunctionType)
    twin = FunctionType(kernel.__code__, {**kernel.__globals__, **names}, kernel.__name__, kernel.__defaults__)
    twin.__qualname__, twin.__module__ = f"{kernel.__qualname__}_{suffix}", kernel.__module__
    twin.__annotations__ = kernel.__annotations__
    return twin


def _breaking(lost: Callable[..., Any]) -> Callable[..., Any]:
    """Where a combination breaks, by a kernel that wants room for trials."""

    def breaks(p: Array, r: int, e: float, d: float, z: Array, o: int) -> float:
        return float(lost(p, r, e, d, 1.0, z, o, z.copy()))

    return breaks


def _followed(kind: type[Law]) -> Callable[..., Any]:
    """How a part is followed along a path."""
    if (kind.spring_piece is None and kind.spring_along is None) or kind.form == "flow":
        raise LawError(f"{kind.__name__} cannot be a part of another law: it has no form along a path of its own")
    if kind.spring_along is not None:
        return kind.spring_along
    assert kind.spring_piece is not None
    return _bound(straight, {"part_piece": kind.spring_piece, "MANY": len(kind.variables)}, kind.__name__)


def _ended(kind: type[Law]) -> Callable[..., Any] | None:
    """How a part is asked at the end of a path; None where it cannot be."""
    if kind.spring_piece is not None:
        return _bound(straight_end, {"part_piece": kind.spring_piece, "MANY": len(kind.variables)}, kind.__name__)
    if (own := getattr(kind, "spring_end", None)) is not None:
        return own
    return None if kind.spring_at is None else _bound(pointed, {"part_at": kind.spring_at}, kind.__name__)


def _slow(kind: type[Law]) -> Callable[..., Any] | None:
    """The same in slow loading."""
    if kind.spring_piece is not None:
        names = {"part_piece": kind.spring_piece, "MANY": len(kind.variables), "SLOW": True}
        return _bound(straight_end, names, f"{kind.__name__}_slow")
    own = getattr(kind, "spring_end_slow", None)
    return _ended(kind) if own is None else own


def part_of(who: str, law: Any) -> Law:
    """A part as a law; files give its table."""
    if isinstance(law, Mapping):
        table = dict(law)
        return by_kind(str(table.pop("kind", "slider")))(**table)
    if not isinstance(law, Law) or law.size != 1:
        raise LawError(f"{who}: a part must be the law of one spring, got {law!r:.60}")
    if not isinstance(law, Combined) and np.any(type(law).jumps(type(law).grouped([law], [0]))):
        raise LawError(
            f"{who}: a part must not break by itself; give {type(law).__name__} no ultimate deformation, "
            "and MinMax around it"
        )
    return law


@dataclass(frozen=True)
class ParallelLaws(Combined):
    """Laws side by side on one deformation: their forces add up, and each has its share of the stiffness.

    Parameters
    ----------
    laws : two to four laws.
    shares : of the stiffness, one for each law, positive [1]; left out: equal. They need not add up to one.

    Examples
    --------
    >>> import hamex as hx
    >>> law = hx.laws.ParallelLaws([hx.laws.Bilinear(1.0), hx.laws.Gap(gap=0.02)], shares=[0.75, 0.25])
    >>> hx.respond(law, [0.0, 0.03, -0.03], stiffness=100.0).force.round(12).tolist()
    [0.0, 1.0, -1.25]
    """

    kind = "parallel"
    spring_combined = staticmethod(along)

    laws: Sequence[Law]
    shares: Sequence[float] | None = None

    def __new__(cls, laws: Any = (), *args: Any, **more: Any) -> Self:
        if cls.parts:
            return object.__new__(cls)
        if not isinstance(laws, Sequence) or not 2 <= len(laws) <= MOST:
            raise LawError(f"ParallelLaws: give two to {MOST} laws, got {laws!r:.60}")
        return object.__new__(cls.around(*(type(part_of("ParallelLaws", law)) for law in laws)))

    def __post_init__(self) -> None:
        laws = tuple(part_of("ParallelLaws", law) for law in self.laws)
        given = [1 / len(laws)] * len(laws) if self.shares is None else np.ravel(self.shares).tolist()
        shares = tuple(number("ParallelLaws", "shares", share) for share in given)
        if len(shares) != len(laws) or not all(0 < share < math.inf for share in shares):
            raise LawError(f"ParallelLaws: shares must be positive numbers, one for each law; got {shares}")
        object.__setattr__(self, "laws", laws)
        object.__setattr__(self, "shares", shares)

    def made_of(self) -> tuple[tuple[Law, ...], tuple[float, ...]]:
        return tuple(self.laws), tuple(self.shares or ())
