"""What a solution is to the functions that compute its results, and the small records they exchange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hamex.problem import Limit, Problem, State
from hamex.problem.loads import Loading

if TYPE_CHECKING:
    import xarray as xr

    from hamex.model.laws.law import Split
    from hamex.model.layout import Layout
    from hamex.model.record import Model
    from hamex.schemes import Scheme
    from hamex.schemes.stage_history import StageHistory

Array = NDArray[Any]


class UnitNames(Protocol):
    """Names of the units of length and force."""

    @property
    def length(self) -> str: ...

    @property
    def force(self) -> str: ...


@dataclass(frozen=True)
class Peak:
    """Largest absolute value of a result over all its components, when and where it occurs.

    ``error`` is half the width of the error bar, None when no estimate was asked for. ``residual_slip`` and
    ``residual_drift`` are the signed values at the end, where they are largest; ``ductility`` is the largest
    deformation of a spring relative to its deformation at first yield. Rotations and moments do not compete with
    displacements and forces.
    """

    value: float
    time: float
    where: str
    unit: str
    error: float | None = None

    def __str__(self) -> str:
        bar = "" if self.error is None else f" ± {self.error:.2g}"
        return f"{self.value:.6g}{bar} {self.unit}, {self.where}, t = {self.time:g} s"


@dataclass(frozen=True)
class Exceedance:
    """The first passing of a limit: what, where, when [s], and the limit."""

    quantity: str
    where: str
    time: float
    limit: float

    def __str__(self) -> str:
        return f"{self.where} passed {self.quantity.replace('_', ' ')} {self.limit:g} at t = {self.time:g} s"


@dataclass(frozen=True, eq=False)
class Extent:
    """Which steps of a run a solution tells of.

    Attributes
    ----------
    first : step at which it begins; a run is told in parts where histories are thinned.
    every : steps between two nodes.
    spent : energies lost and given before ``first``, by name.
    steps : of the whole run; None where all of them are there.
    peaks, final, exceeded : of all steps, where not all of them are there.
    uncertain : instant from which a step's solution may be one of several [s]; None where one was promised or found.
    stopped : the run was stopped before its end.
    settled : whether the motion died down, where the run was to go on until it did.
    solver : what solved the linear systems of its steps, where that is a choice: empty for what is small.
    """

    first: int = 0
    every: int = 1
    spent: Mapping[str, float] = field(default_factory=dict)
    steps: int | None = None
    peaks: Mapping[str, Peak] | None = None
    final: State | None = None
    exceeded: Exceedance | None = None
    uncertain: float | None = None
    stopped: bool = False
    settled: bool | None = None
    solver: str = ""


@dataclass(frozen=True, eq=False)
class Driven:
    """Motion of the supports at the nodes that were kept.

    Attributes
    ----------
    displacement : (node, support) [length].
    velocity : (node, support), central differences of the displacement at all nodes [length/time].
    acceleration : (node less the first, support), mean of the step that ends at the node [length/time²].
    """

    displacement: Array
    velocity: Array
    acceleration: Array

    @classmethod
    def of(cls, motion: Array, step: float, every: int, count: int) -> Driven:
        """From displacements at all nodes (node, support): at ``count`` nodes, one of ``every``."""
        rate = np.gradient(motion, step, axis=0, edge_order=2 if len(motion) > 2 else 1)
        rows = np.arange(count) * every
        return cls(motion[rows], rate[rows], (np.diff(rate, axis=0) / step)[rows[1:] - 1])

    def at(self, what: str) -> Array:
        """(instant, support): displacement, velocity or acceleration, absolute or not: supports ride on nothing."""
        found: Array = getattr(self, what.removeprefix("absolute_"))
        return found


class Answers(Protocol):
    """What is asked of a solution: see the properties of the same names in :class:`hamex.Solution`."""

    @property
    def source(self) -> Any: ...

    @property
    def histories(self) -> Mapping[str, Array]: ...

    @property
    def peaks(self) -> Mapping[str, Peak]: ...

    @property
    def residual(self) -> float: ...

    @property
    def message(self) -> str: ...

    @property
    def internal(self) -> Mapping[str, Array]: ...

    @property
    def inside(self) -> StageHistory | None: ...

    @property
    def extent(self) -> Extent: ...

    @property
    def limit(self) -> Limit: ...

    @property
    def error(self) -> Mapping[str, float]: ...

    @property
    def problem(self) -> Problem: ...

    @property
    def scheme(self) -> Scheme: ...

    @property
    def model(self) -> Model: ...

    @property
    def layout(self) -> Layout: ...

    @property
    def dofs(self) -> tuple[str, ...]: ...

    @property
    def springs(self) -> tuple[str, ...]: ...

    @property
    def units(self) -> UnitNames: ...

    @property
    def step(self) -> float: ...

    @property
    def loading(self) -> Loading: ...

    @property
    def base(self) -> Array | None: ...

    @property
    def driven(self) -> Driven | None: ...

    @property
    def steps(self) -> int: ...

    @property
    def all_steps(self) -> int: ...

    @property
    def is_thinned(self) -> bool: ...

    @property
    def at_ends(self) -> bool: ...

    @property
    def times(self) -> Array: ...

    @property
    def middles(self) -> Array: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def split(self) -> Split: ...

    @property
    def exceeded(self) -> Exceedance | None: ...

    @property
    def dataset(self) -> xr.Dataset: ...

    @property
    def final(self) -> State: ...

    @property
    def status(self) -> Enum: ...

    @property
    def provenance(self) -> Mapping[str, str]: ...

    def values(self, name: str) -> Array: ...

    def labelled(self, names: Sequence[str]) -> xr.Dataset: ...

    def labels(self, dim: str) -> tuple[str, ...]: ...

    def error_of(self, name: str) -> float | None: ...
