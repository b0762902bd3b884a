"""What a law is: parameters with their checks, named state variables, local kernels, and what others may ask of it.

A law is one module: a frozen dataclass below :class:`Law` with its kernels beside it, and one line in
:mod:`hamex.model.laws`. Kernels are plain functions on plain arrays; compiled or not they give the same bits. A trial
never writes the state; the march commits it. Files name laws by kind: those of the package and those of users."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_range
from hamex.errors import LawError
from hamex.model import laws
from hamex.model.algebra import forces_of
from hamex.model.inputs import few
from hamex.names import read_stub

Array = NDArray[Any]
Indices = NDArray[np.intp]
# "flow": during the time τ, A F + τ g(F) ∋ e; "elastic": force is a function of deformation; "path": it is followed.
Form = Literal["flow", "elastic", "path"]


class Split(NamedTuple):
    """Where the work of springs went: energies held at the nodes (node, spring), energies lost in the steps (step,
    spring). ``F Δe`` is the sum of their changes.

    Examples
    --------
    >>> Split._fields
    ('stored', 'hardening', 'plastic', 'viscous')
    """

    stored: Array
    hardening: Array
    plastic: Array
    viscous: Array


class Law:
    """Base of all laws. A law with one component writes ``spring_at`` (and ``spring_along``) or ``spring_piece``, one
    of several ``group_at``; everything else has a plain answer here.

    Attributes
    ----------
    kind : name in problem files, and of its group in ``model.laws``.
    example : numbers to see it with, and the stiffness and the reach of the spring.
    variables : names of the state variables of every spring, slip first; all are zero in a spring that is new.
    form : how the state moves: "flow" during a step, "elastic" not at all, "path" with the deformation.
    straight : the force is piecewise linear, and kernels return the number of the piece.
    softens : the force may fall while the deformation grows; ``slow_tangent`` says how steeply.
    symmetric : the tangent of a block is a symmetric matrix; a law without that is refused.
    separate : every parameter is checked by itself, so that blocks with the extremes of each speak for all of a group.
    words : parameters that are words, with those that they may be; groups hold their places among these.
    sides : parameters of the side of negative forces that may be left out, with those of the other side that they then
        are, and the sign.
    effort : of a step of its spring as plain Python, beside a slider's: dear laws are compiled earlier.

    Examples
    --------
    >>> import hamex as hx
    >>> hx.Slider.kind, hx.Slider.variables[0], issubclass(hx.laws.Gap, Law)
    ('slider', 'slip', True)
    """

    kind: ClassVar[str]
    example: ClassVar[Mapping[str, Any]] = {}
    variables: ClassVar[tuple[str, ...]] = ("slip",)
    form: ClassVar[Form] = "flow"
    straight: ClassVar[bool] = False
    softens: ClassVar[bool] = False
    symmetric: ClassVar[bool] = True
    separate: ClassVar[bool] = False
    words: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    sides: ClassVar[Mapping[str, tuple[str, float]]] = {}
    effort: ClassVar[int] = 1
    # spring_at(p, r, e, tau, z, o, dz) → force, tangent dF/de, piece: p[r] is k, p[r + 1 …] are the parameters, z[o +
    # v] is variable v; dz[o + v] receives its increment within τ (flow) or its new value (path; slip is filled in).
    spring_at: ClassVar[Callable[..., Any] | None] = None
    # spring_along(p, r, e, d, h, z, o, dz) → mean force over the straight path from e to e + d, its slope in d, piece.
    spring_along: ClassVar[Callable[..., Any] | None] = None
    # spring_piece(p, r, e, way, z, o) → force at e, slope of the piece ahead, its end; see hamex.model.laws.path.
    spring_piece: ClassVar[Callable[..., Any] | None] = None
    spring_break: ClassVar[Callable[..., Any] | None] = None  # (p, r, e, d, z, o) → where it breaks along a path, or ∞
    source: ClassVar[int] = 0  # digest of the function that a user's own law is made of
    followed: ClassVar[type[Law] | None] = None  # a law that flows, as it is followed along the path of a step
    group_at: ClassVar[Callable[..., Any] | None] = None

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Refuse names of parameters that the law does not have."""
        if wrong := named.keys() - getattr(cls, "__dataclass_fields__", {}).keys():
            known = inspect.signature(cls).parameters
            unknown = [name for name in sorted(wrong) if name not in known]
            if unknown and not any(each.kind is each.VAR_KEYWORD for each in known.values()):
                raise LawError(
                    f"{cls.__name__}: there is no parameter {unknown[0]!r}; there are {few([*known], unknown[0], 24)}"
                )
        return super().__new__(cls)

    @property
    def size(self) -> int:
        """Number of force components that the law couples."""
        return 1

    def in_opensees(self, stiffness: float) -> tuple[str, list[float | str]] | None:
        """The material of OpenSees that this law is, for a spring of this stiffness: its name and the numbers of its
        command behind the tag; None where there is none."""
        return None

    @property
    def is_elastic(self) -> bool:
        """True when the spring can never leave its straight line."""
        return False

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Names of the parameters that blocks have each, in the order of the constructor; ``components`` all share."""
        return tuple(field.name for field in dataclasses.fields(cls) if field.name != "components")  # type: ignore[arg-type]

    @classmethod
    def coded(cls, name: str, value: Any) -> Array:
        """Values of a parameter as numbers."""
        if name not in cls.words:
            return np.asarray(value, dtype=float)
        known, given = cls.words[name], np.asarray(value)
        places = np.select([given == word for word in known], [float(place) for place in range(len(known))], -1.0)
        if np.any(places < 0):
            wrong = str(np.ravel(given)[int(np.argmin(np.ravel(places)))])
            raise LawError(f"{cls.__name__}: {name} must be one of {', '.join(map(repr, known))}; got {wrong!r:.40}")
        return places

    @classmethod
    def grouped(cls, laws: Sequence[Any], first: Sequence[int] | Indices) -> Group:
        """One group of springs or blocks from one law each."""
        size = laws[0].size if laws else 1
        return Group(
            cls,
            np.asarray(first, dtype=np.intp),
            size,
            {name: cls.coded(name, [getattr(law, name) for law in laws]) for name in cls.names()},
        )

    @classmethod
    def recorded(cls, group: Any) -> tuple[str, ...]:
        """State variables that become histories of a run, beside slip."""
        return cls.variables[1:]

    @classmethod
    def prepared(cls, group: Any, k: Array, tau: float) -> Array:
        """(block, width): stiffness of the block row by row, then what its kernel needs, for the time τ [s]. A law with
        ``group_at`` may keep what it needs of the stiffness alone."""
        count = len(group.first)
        return np.hstack([k.reshape(count, -1), *(value.reshape(count, -1) for value in group.parameters.values())])

    @classmethod
    def softest(cls, group: Any, k: Array, tau: float, isotropic: bool = True) -> Array:
        """Least tangent in any state after the time τ (infinite: slow loading), like ``k``: (spring,), or (block, m,
        m).

        ``isotropic`` hardening may count or not: with several stages it does not.
        """
        return cls.left_when_gone(group, cls.slow_tangent(group, k, isotropic))

    @classmethod
    def left_when_gone(cls, group: Any, least: Array) -> Array:
        """Least tangents, nothing where a spring that hardens may break and be gone."""
        jumps = cls.jumps(group)
        return np.where(jumps, np.minimum(least, 0.0), least) if np.any(jumps) else least

    @classmethod
    def slow_tangent(cls, group: Any, k: Array, isotropic: bool = True) -> Array:
        """Least tangent when τ is long; ``isotropic`` hardening may count or not."""
        return np.zeros_like(k)

    @classmethod
    def stiffest(cls, group: Any, k: Array) -> Array:
        """Largest tangent in any state, like ``k``."""
        return k

    @classmethod
    def static_share(cls, group: Any, k: Array) -> Array:
        """(spring,), share of the stiffness that resists a slow small motion from rest."""
        return np.ones(len(group.springs))

    @classmethod
    def slow(cls, group: Any) -> Any:
        """The group in slow loading, where viscosity carries nothing."""
        return group

    @classmethod
    def per_spring(cls, group: Any, name: str) -> Array:
        """(spring,), a parameter by name; zeros where the law has none."""
        if name not in group.parameters:
            return np.zeros(len(group.springs))
        return np.repeat(group.parameters[name], group.components)

    @classmethod
    def back_force(cls, group: Any, slip: Array) -> Array:
        """(…, spring), what kinematic hardening makes of slips; linear."""
        return np.asarray(slip * cls.per_spring(group, "kinematic"))

    @classmethod
    def yields(cls, group: Any) -> Array:
        """(spring,), True where a spring has a yield limit."""
        return np.zeros(len(group.springs), dtype=bool)

    @classmethod
    def stays(cls, group: Any) -> bool:
        """True when no spring of a group can ever leave its straight line."""
        return not len(group.first)

    @classmethod
    def first_yield(cls, group: Any) -> Array:
        """(spring,), force at first yield of a spring by itself; NaN where it has none."""
        return np.full(len(group.springs), np.nan)

    @classmethod
    def together(cls, group: Any) -> Array:
        """(spring,), True where a spring yields together with others on one surface."""
        return np.zeros(len(group.springs), dtype=bool)

    @classmethod
    def jumps(cls, group: Any) -> Array:
        """(spring,), True where the force may jump on its path, as when a spring breaks."""
        return np.zeros(len(group.springs), dtype=bool)

    @classmethod
    def is_gone(cls, group: Any, states: Mapping[str, Array]) -> Array:
        """(spring,), True where a spring, or a part of it, has lost its force for good; states by name, (spring,)."""
        return np.zeros(len(group.springs), dtype=bool)

    @classmethod
    def slides(cls, group: Any) -> Array | None:
        """(spring,), force at which each spring slides by itself, either way, with the hardening and the viscosity of
        :meth:`per_spring`; ∞ where it never does. None where some do anything else."""
        return None

    @classmethod
    def damps(cls, group: Any) -> Array:
        """(spring,), True where a spring is a damper: all that its slip dissipates is viscous."""
        return np.zeros(len(group.springs), dtype=bool)

    @classmethod
    def split(
        cls, group: Any, k: Array, h: float, deformation: Array, force: Array, states: Mapping[str, Array]
    ) -> Split:
        """Work of the springs of a group; arrays hold its springs only. By default what is not elastic is plastic."""
        elastic = deformation - states["slip"]
        stored = 0.5 * elastic * forces_of(k, elastic)
        lost = force * np.diff(deformation, axis=0) - np.diff(stored, axis=0)
        return Split(stored, np.zeros_like(stored), lost, np.zeros_like(lost))


@dataclass(frozen=True, eq=False)
class Group:
    """Springs, or blocks of springs, that share a law: arrays only.

    Attributes
    ----------
    law : class of the law.
    first : (block,), first spring of each block.
    components : m, springs per block.
    parameters : by name, (block,) or (block, …); also attributes of the group.

    Examples
    --------
    >>> import hamex as hx
    >>> group = hx.oscillator(mass=1, stiffness=225, law=hx.Slider(yield_force=0.27)).laws["slider"]
    >>> group.components, group.yield_force.tolist()
    (1, [0.27])
    """

    law: type[Law]
    first: Indices
    components: int
    parameters: Mapping[str, Array]

    @classmethod
    def of(cls, law: type[Law], first: Sequence[int] | Indices, **parameters: Any) -> Group:
        """A group from parameter arrays, one entry per block or one number for all; every block is checked."""
        places = np.asarray(first, dtype=np.intp)
        full = {field.name: field.default for field in dataclasses.fields(law)}  # type: ignore[arg-type]
        unknown = sorted(set(parameters) - set(full))
        if unknown:
            raise LawError(f"{law.__name__}: there is no parameter {unknown[0]!r}; it has {', '.join(full)}")
        given = {name: value for name, value in (full | parameters).items() if value is not dataclasses.MISSING}
        missing = sorted(set(full) - set(given))
        if missing:
            raise LawError(f"{law.__name__}: {missing[0]} is missing")
        columns = {name: np.broadcast_to(law.coded(name, given[name]), places.shape) for name in law.names()}
        size = 1
        for place in _telling(columns, law.separate):
            own = {name: column[place].item() for name, column in columns.items()}
            own |= {name: known[int(own[name])] for name, known in law.words.items()}
            try:
                size = law(**{**given, **own}).size
            except LawError as problem:
                raise LawError(f"block {place} (spring {places[place]}): {problem}") from None
        return cls(law, places, size, {name: np.array(column) for name, column in columns.items()})

    def __getattr__(self, name: str) -> Array:
        try:
            return vars(self)["parameters"][name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name!r}") from None

    @property
    def blocked(self) -> bool:
        """True for blocks of several springs, whose tangents are matrices."""
        return self.components > 1

    @property
    def sizes(self) -> Array:
        """(block,), springs of each block."""
        return np.full(len(self.first), self.components)

    @property
    def springs(self) -> Indices:
        """Numbers of all its springs, block by block."""
        if self.components == 1:
            return self.first
        return (self.first[:, None] + np.arange(self.components)).ravel()

    @property
    def numbers(self) -> dict[str, Array]:
        """All that identifies the group, by name."""
        return {"first": self.first, "components": np.array(self.components), **self.parameters}

    def head(self) -> Array:
        """Whole numbers that the kernel wants behind the first springs of the blocks."""
        return np.zeros(0, dtype=np.int64)


def _telling(columns: Mapping[str, Array], separate: bool) -> Indices:
    """Blocks to check: one of all that are alike; or those with extremes of a parameter, and the smallest above 0."""
    table = np.stack(list(columns.values()), axis=1)
    if not separate or not len(table):
        return np.unique(table, axis=0, return_index=True)[1]
    above = np.where(table > 0, table, np.inf)
    return np.unique([x for found in (table.argmin(0), table.argmax(0), above.argmin(0)) for x in found])


def checked(
    law: Any, name: str, *, positive: bool = False, finite: bool = True, signed: bool = False, hint: str = ""
) -> float:
    """A parameter as a number in its range, put back into the frozen law."""
    who = type(law).__name__
    value = number(who, name, getattr(law, name))
    if positive and not (0 < value < math.inf if finite else value > 0):
        raise LawError(f"{who}: {name} must be positive{' and finite' if finite else ''}, got {value:g}{hint}")
    if value < 0 and not signed:
        raise LawError(f"{who}: {name} must not be negative, got {value:g}{hint}")
    if finite and math.isinf(value):
        raise LawError(f"{who}: {name} must be finite")
    if finite or abs(value) < 1:  # what may be infinite may be as large as anybody likes
        check_range(who, name, value, LawError)
    object.__setattr__(law, name, value)
    return value


def number(who: str, name: str, value: Any) -> float:
    """A number, neither text nor NaN."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise LawError(f"{who}: {name} must be a number, got {value!r}") from None
    if math.isnan(found):
        raise LawError(f"{who}: {name} is not a number (NaN)")
    return found


_registered: dict[str, type[Law]] = {}  # laws of other packages and of users, by kind


def register(law: type[Law]) -> type[Law]:
    """Make a law of your own known to problem files, states and result files; may decorate its class.

    Examples
    --------
    >>> register(known()["slider"]).__name__
    'Slider'
    """
    if not (isinstance(law, type) and issubclass(law, Law)):
        raise LawError(f"register: a law is a class below hamex.laws.Law, got {law!r}")
    if not law.symmetric:
        raise LawError(f"{law.__name__}: its tangent is not symmetric; the step would have no potential and no promise")
    if not any((law.spring_at, law.group_at, law.spring_along, law.spring_piece)):
        raise LawError(f"{law.__name__}: it has no kernel; write spring_at, spring_along, spring_piece or group_at")
    if law.variables[:1] != ("slip",):
        raise LawError(f"{law.__name__}: the first state variable must be 'slip', got {law.variables!r}")
    taken = [name for name in law.names() if hasattr(Law, name)]
    if taken:
        raise LawError(
            f"{law.__name__}: a parameter may not be named {taken[0]!r}, which every law has; choose another name"
        )
    _registered[law.kind] = law
    return law


def known() -> dict[str, type[Law]]:
    """All laws by kind.

    Examples
    --------
    >>> sorted(known())[:3]
    ['bilinear', 'bouc_wen', 'drucker_prager']
    """
    return {law.kind: law for law in _ours()} | _registered


def _ours() -> Iterator[type[Law]]:
    """In the order of the stub, each loaded when it is its turn."""
    for home in read_stub(laws.__name__, laws.__file__).values():
        one = home.load()
        if isinstance(one, type) and issubclass(one, Law) and hasattr(one, "kind"):
            yield one


def find(kind: str) -> type[Law] | None:
    """The law of a kind, None where there is none; laws that come after it are not loaded."""
    return _registered.get(kind) or next((law for law in _ours() if law.kind == kind), None)


def by_kind(kind: str) -> type[Law]:
    """The law of a kind, as files name it.

    Examples
    --------
    >>> by_kind("slider").__name__
    'Slider'
    """
    outer, _, inner = kind.partition(":")
    around = find(outer) if inner else None
    if around is not None:  # a law made of laws, those made of laws in brackets
        parts = re.findall(r"(?:[^+()]|\((?:[^()]|\([^()]*\))*\))+", inner)
        return around.around(*(by_kind(re.sub(r"^\((.*)\)$", r"\1", part)) for part in parts))  # type: ignore[attr-defined]
    found = find(kind)
    if found is None:
        hint = f"import {outer}, where it is made," if ":" in kind else "register it (hamex.laws.register)"
        raise LawError(
            f"there is no law {kind!r}; known are {', '.join(known())}. If it is a law of your own, {hint} before "
            "files that use it are read"
        )
    return found
