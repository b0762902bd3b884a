"""State: everything a restart needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.errors import ProblemError

Array = NDArray[Any]
# What schemes carry beside the variables of the laws.
OF_SCHEMES = (
    "impulse",
    "branch",
    "velocity",
    "acceleration",
    "tangent",
    "half_velocity",
    "storey_force",
    "end_force",
    "slip_rate",
)
ON_DOFS = ("velocity", "acceleration", "half_velocity")


@dataclass(frozen=True, eq=False)
class State:
    """Displacement, momentum, slip and internal variables at one instant; what is left out is zero.

    Parameters
    ----------
    displacement : u, one per degree of freedom [length].
    momentum : p = m u̇, one per degree of freedom [force·time].
    slip : u₁, one per spring [length].
    internal : ``back_force`` [force] and ``accumulated_slip`` [length] of hardening springs; ``impulse`` J of the
        springs [force·time], given by eq. (54) when left out;
        ``branch`` (−1, 0, +1) of the springs, from which a structure guesses the next step;
        ``velocity``, ``acceleration``, ``tangent`` and ``slip_rate`` [length/time], which Newmark and its kin carry.
        A :class:`hamex.Problem` refuses names that neither a law of its model nor a scheme knows.

    Examples
    --------
    >>> State(displacement=0.1).displacement
    array([0.1])
    """

    displacement: Array | None = None
    momentum: Array | None = None
    slip: Array | None = None
    internal: Mapping[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("displacement", "momentum", "slip"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _vector(name, value))
        object.__setattr__(self, "internal", {name: _vector(name, value) for name, value in self.internal.items()})

    def filled(self, dofs: int, springs: int, known: Sequence[str]) -> FilledState:
        """The same state with zeros for what was left out; every size, and the names of internal variables, checked."""
        unknown = [name for name in self.internal if name not in known]
        if unknown:
            raise ProblemError(f"State: unknown internal variable {min(unknown)!r}; known: {', '.join(known)}")

        def full(name: str, value: Array | None, size: int) -> Array:
            if value is None:
                return np.zeros(size)
            if value.shape != (size,):
                raise ProblemError(f"State: {name} has {value.size} entries, the model needs {size}")
            return value.copy()

        internal = {
            name: full(name, value, dofs if name in ON_DOFS else springs) for name, value in self.internal.items()
        }
        if "accumulated_slip" in internal and internal["accumulated_slip"].min(initial=0.0) < 0:
            raise ProblemError("State: accumulated_slip must not be negative")
        for name in ("back_force", "accumulated_slip"):
            internal.setdefault(name, np.zeros(springs))
        filled = object.__new__(FilledState)  # every number was checked when this state was made
        vars(filled).update(
            displacement=full("displacement", self.displacement, dofs),
            internal=internal,
            momentum=full("momentum", self.momentum, dofs),
            slip=full("slip", self.slip, springs),
        )
        return filled


@dataclass(frozen=True, eq=False)
class FilledState(State):
    """A state whose arrays are all there, in the sizes of a model: what a :class:`hamex.Problem` starts from."""

    displacement: Array = field()
    momentum: Array = field()
    slip: Array = field()


def _vector(name: str, value: ArrayLike) -> Array:
    try:
        vector = np.array(value, dtype=float, ndmin=1)
    except (TypeError, ValueError):
        raise ProblemError(f"State: {name} must be numbers, got {value!r}") from None
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise ProblemError(f"State: {name} must be finite numbers, one per component")
    return vector
