"""Problem: what is shaken, by what, from which state and for how long."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_positive, whole_steps
from hamex.errors import ProblemError
from hamex.model.record import Model, law_variables, parameter
from hamex.motion.load import Load, LoadSum
from hamex.problem.limit import Limit
from hamex.problem.state import OF_SCHEMES, FilledState, State

__all__ = ["FilledState", "Limit", "Problem", "State", "known_variables"]

Array = NDArray[Any]
_KINDS = {"model": (Model,), "load": (Load, LoadSum), "start": (State,), "supports": (Load, type(None))}


@dataclass(frozen=True, eq=False, init=False)
class Problem:
    """Model, load, start and duration; the clock starts at 0.

    Parameters
    ----------
    model : what is shaken.
    load : what shakes it.
    duration : length of the history [s], a whole number of solver steps.
    start : state at t = 0; at rest by default. The problem holds it filled: zeros for what was left out.
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
    start: FilledState
    prior_impulse: Array
    supports: Load | None

    def __init__(
        self,
        model: Model,
        load: Load | LoadSum,
        duration: float,
        start: State | None = None,
        prior_impulse: float | Array = 0.0,
        supports: Load | None = None,
    ) -> None:
        start = State() if start is None else start
        given = {"model": model, "load": load, "start": start, "supports": supports}
        for name, kind in _KINDS.items():
            if not isinstance(given[name], kind):
                raise ProblemError(f"Problem: {name} must be a {kind[0].__name__}, got {type(given[name]).__name__}")
        if not is_positive(duration):
            raise ProblemError(f"Problem: duration must be a positive number of seconds, got {duration!r}")
        dofs, springs, moved = len(model.dofs), len(model.springs), len(model.support_names)
        if load.width != dofs:
            raise ProblemError(f"Problem: the load acts on {load.width} degrees of freedom, the model has {dofs}")
        if supports is not None and supports.width != moved:
            raise ProblemError(
                f"Problem: supports has {supports.width} channels, the model has {moved} supports"
                f" ({', '.join(model.support_names[:6])} …)"
            )
        filled = start.filled(dofs, springs, known_variables(model))
        _check_start(model, filled)
        vars(self).update(
            model=model,
            load=load,
            duration=duration,
            start=filled,
            supports=supports,
            prior_impulse=_impulse(prior_impulse, dofs),
        )

    def replace(self, **changes: Any) -> Problem:
        """A copy with changes."""
        return dataclasses.replace(self, **changes)

    def steps(self, step: float) -> int:
        """Number of steps of this length; refuses a duration that is not a whole number of them."""
        return whole_steps("Problem", self.duration, step)


def known_variables(model: Model) -> tuple[str, ...]:
    """Names that the internal variables of a state may have: those of the model's laws, and of the schemes."""
    return (*law_variables(model), *OF_SCHEMES)


def _check_start(model: Model, start: FilledState) -> None:
    back = start.internal["back_force"]
    if back.any() and np.any((back != 0) & (parameter(model, "kinematic") == 0)):
        raise ProblemError("Problem: a spring without kinematic hardening cannot start with a back_force")
    if start.momentum.any():
        loose = model.massless & (start.momentum != 0)
        if loose.any():
            raise ProblemError(
                f"Problem: {model.dofs[int(np.argmax(loose))]!r} has no mass and cannot start with a momentum"
            )


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
