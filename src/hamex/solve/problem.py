"""Problem: what is shaken, by what, from which state and for how long."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_positive, whole_steps
from hamex.errors import ProblemError
from hamex.model.record import Model
from hamex.motion.load import Load, LoadSum
from hamex.solution.state import State
from hamex.solution.system import diagonal
from hamex.solve.laws import per_spring

Array = NDArray[Any]


_KINDS = {"model": (Model,), "load": (Load, LoadSum), "start": (State,), "supports": (Load, type(None))}


@dataclass(frozen=True, eq=False)
class Problem:
    """Model, load, start and duration; the clock starts at 0.

    Parameters
    ----------
    model : what is shaken.
    load : what shakes it.
    duration : length of the history [s], a whole number of solver steps.
    start : state at t = 0; at rest by default.
    prior_impulse : impulse of the load before t = 0, eq. (55), one per degree of freedom [force·time]. With eq. (54)
        it fixes the constant in the springs' impulse J and nothing else.
    supports : displacements of the model's supports, one channel each [length]; at rest by default. Displacements of
        the dofs are then absolute, and viscous damping acts on the motion relative to what the supports bring about
        slowly.

    Examples
    --------
    >>> from hamex import oscillator, sine
    >>> problem = Problem(oscillator(mass=1, stiffness=225), sine(0.2, omega=15), duration=40.0)
    >>> problem.replace(duration=60.0).duration
    60.0
    """

    model: Model
    load: Load | LoadSum
    duration: float
    start: State = field(default_factory=State)
    prior_impulse: float | Array = 0.0
    supports: Load | None = None

    def __post_init__(self) -> None:
        for name, kind in _KINDS.items():
            given = getattr(self, name)
            if not isinstance(given, kind):
                raise ProblemError(f"Problem: {name} must be a {kind[0].__name__}, got {type(given).__name__}")
        if not is_positive(self.duration):
            raise ProblemError(f"Problem: duration must be a positive number of seconds, got {self.duration!r}")
        dofs, springs = len(self.model.dofs), len(self.model.springs)
        loaded = self.load.width
        if loaded != dofs:
            raise ProblemError(f"Problem: the load acts on {loaded} degrees of freedom, the model has {dofs}")
        moved = len(self.model.support_names)
        if self.supports is not None and self.supports.width != moved:
            raise ProblemError(f"Problem: supports has {self.supports.width} channels, the model has {moved} supports"
                               f" ({', '.join(self.model.support_names[:6])} …)")
        object.__setattr__(self, "prior_impulse", _impulse(self.prior_impulse, dofs))
        object.__setattr__(self, "start", self.start.filled(dofs, springs))
        back, momentum = self.start.internal["back_force"], np.asarray(self.start.momentum)
        if back.any() and np.any((back != 0) & (per_spring(self.model)["kinematic"] == 0)):
            raise ProblemError("Problem: a spring without kinematic hardening cannot start with a back_force")
        if momentum.any():
            loose = (diagonal(self.model.mass) == 0) & (momentum != 0)
            if loose.any():
                raise ProblemError(f"Problem: {self.model.dofs[int(np.argmax(loose))]!r} has no mass and cannot start "
                                   "with a momentum")

    def replace(self, **changes: Any) -> Problem:
        """A copy with changes."""
        return dataclasses.replace(self, **changes)

    def steps(self, step: float) -> int:
        """Number of steps of this length; refuses a duration that is not a whole number of them."""
        return whole_steps("Problem", self.duration, step)


def _impulse(given: object, dofs: int) -> Array:
    if isinstance(given, float) and math.isfinite(given):
        return np.zeros(dofs) + given
    try:
        impulse = np.broadcast_to(np.asarray(given, dtype=float), (dofs,))
    except (TypeError, ValueError):
        impulse = np.array([np.nan])
    if not np.all(np.isfinite(impulse)):
        raise ProblemError(f"Problem: prior_impulse must be finite, one number or one per dof; got {given!r}")
    return impulse
