"""Cases of a batch: which model meets which motion at which scale, and where its results go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import floats
from hamex.errors import LoadError, ProblemError
from hamex.motion.ground import GroundMotion
from hamex.motion.load import Load, LoadSum

Array = NDArray[Any]
Motion = GroundMotion | Load | LoadSum


@dataclass(frozen=True, eq=False)
class Cases:
    """Arrangement of a batch.

    Attributes
    ----------
    models : number of models.
    motions : the different motions.
    scales : factors; one per case where paired.
    motion_of : motion of each case where paired, else None: then every model meets every motion at every scale.
    """

    models: int
    motions: tuple[Motion, ...]
    scales: Array
    motion_of: Array | None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a result as the user sees it."""
        if self.motion_of is not None:
            return (len(self.motion_of),)
        return self.models, len(self.motions), len(self.scales)

    @property
    def dims(self) -> tuple[str, ...]:
        """Names of its dimensions."""
        return ("case",) if self.motion_of is not None else ("model", "motion", "scale")

    def stored(self, more: tuple[int, ...] = ()) -> Array:
        """An array for a result, (motion, model, scale) or (case,) so that a motion's cases lie together."""
        if self.motion_of is not None:
            return np.empty((*self.shape, *more))
        models, motions, scales = self.shape
        return np.empty((motions, models * scales, *more))

    def shown(self, stored: Array) -> Array:
        """The same as the user sees it; a view."""
        if self.motion_of is not None:
            return stored
        models, motions, scales = self.shape
        return stored.reshape(motions, models, scales, *stored.shape[2:]).swapaxes(0, 1)

    def groups(self, kinds: Array | None = None) -> Iterator[CaseGroup]:
        """Cases that share a motion and a kind of model."""
        for motion in range(len(self.motions)):
            for kind in (0,) if kinds is None else np.flatnonzero(np.bincount(kinds)):
                members = None if kinds is None or np.all(kinds == kind) else np.flatnonzero(kinds == kind)
                group = CaseGroup(self, motion, int(kind), self._members(motion, members))
                if group.size:
                    yield group

    def _members(self, motion: int, members: Array | None) -> Array | None:
        """Models (or cases, where paired) of the group; None for all of them."""
        if self.motion_of is None or len(self.motions) == 1:
            return members
        mine = self.motion_of == motion
        if members is not None:
            chosen = np.zeros(len(mine), dtype=bool)
            chosen[members] = True
            mine &= chosen
        return np.flatnonzero(mine)


@dataclass(frozen=True, eq=False)
class CaseGroup:
    """Cases under one motion whose models are of one kind."""

    cases: Cases
    motion: int
    kind: int
    members: Array | None

    @property
    def size(self) -> int:
        """Number of cases."""
        models = self.cases.models if self.members is None else len(self.members)
        return models if self.cases.motion_of is not None else models * len(self.cases.scales)

    def sample(self, count: int) -> CaseGroup:
        """The cases of at most ``count`` models, evenly spaced."""
        members = np.arange(self.cases.models) if self.members is None else self.members
        chosen = np.unique(np.linspace(0, len(members) - 1, count).astype(np.intp))
        return CaseGroup(self.cases, self.motion, self.kind, members[chosen])

    def block(self, begin: int, end: int) -> tuple[Any, Array, Any]:
        """Models, scales and places of the cases from ``begin`` to ``end``; slices where they can be."""
        scales, paired = self.cases.scales, self.cases.motion_of is not None
        per_model = 1 if paired else len(scales)
        if per_model == 1 and self.members is None:
            here: Any = slice(begin, end)
        else:
            count = np.arange(begin, end)
            model = count // per_model
            here = model if self.members is None else self.members[model]
        if per_model == 1:
            return here, scales[here] if paired else np.broadcast_to(scales, (end - begin,)), here
        return here, scales[count % per_model], here * per_model + count % per_model


def arrange(models: int, loads: object, scales: ArrayLike, paired: bool) -> Cases:
    """Check and arrange; nothing is copied, a motion that occurs many times is one motion."""
    given = _motions(loads)
    factors = _scales(scales)
    if not paired:
        return Cases(models, tuple(given), factors, None)
    sizes = {"models": models, "loads": len(given), "scales": len(factors)}
    count = max(sizes.values())
    wrong = [name for name, size in sizes.items() if size not in (1, count)]
    if wrong or models not in (1, count):
        counts = ", ".join(f"{size} {name}" for name, size in sizes.items())
        raise ProblemError(f"batch: paired runs need one of each, or as many; got {counts}")
    if models != count:
        raise ProblemError(
            "batch: paired runs take one model per case; for one model under many motions leave paired out"
        )
    different: dict[int, int] = {}
    number = np.array([different.setdefault(id(motion), len(different)) for motion in given], dtype=np.intp)
    unique = {id(motion): motion for motion in given}
    return Cases(models, tuple(unique.values()), np.broadcast_to(factors, (count,)), np.broadcast_to(number, (count,)))


def _motions(loads: object) -> list[Motion]:
    motions = (
        [loads] if isinstance(loads, Motion) else list(loads) if isinstance(loads, Sequence | np.ndarray) else None
    )
    if motions is None or not all(isinstance(motion, Motion) for motion in motions):
        raise LoadError(f"batch: loads must be a GroundMotion or a Load, or a list of them; got {type(loads).__name__}")
    if not motions:
        raise LoadError("batch: there is no load; give at least one")
    return motions


def _scales(scales: ArrayLike) -> Array:
    factors = np.atleast_1d(floats(scales, "batch: scales must be numbers", LoadError))
    if factors.ndim != 1 or factors.size == 0:
        raise LoadError(f"batch: scales must be a number or (n,), got shape {np.shape(scales)}")
    bad = np.flatnonzero(~np.isfinite(factors))
    if bad.size:
        raise LoadError(f"batch: scales[{bad[0]}] is not finite ({factors[bad[0]]})")
    return factors
