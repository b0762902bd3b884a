"""Problem: what is shaken, by what, from which state and for how long. State: everything a restart needs. Limit: a run
that passes one is a result with a flag, never a failure of the solver."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import check_range, floats, is_finite, is_positive, whole_steps
from hamex.errors import ProblemError
from hamex.model.inputs import few
from hamex.model.layout import ratios
from hamex.model.record import Model, law_variables, parameter
from hamex.motion.artificial import constant
from hamex.motion.load import Load, LoadSum
from hamex.names import Shown

__all__ = ["FilledState", "Limit", "Problem", "State", "known_variables"]

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
    "resisting_force",
    "end_force",
    "slip_rate",
)
ON_DOFS = ("velocity", "acceleration", "half_velocity", "resisting_force")


_SHOWN = 6  # numbers of a state that are shown one by one


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

    def __repr__(self) -> str:
        named = {name: getattr(self, name) for name in ("displacement", "momentum", "slip")} | dict(self.internal)
        given = {name: values for name, values in named.items() if values is not None}
        if all(values.size <= _SHOWN for values in given.values()):
            return f"State({', '.join(f'{name}={values.tolist()}' for name, values in given.items())})"
        moved = {name: values for name, values in given.items() if np.any(values)}
        largest = ", ".join(f"{name} up to {np.abs(values).max():.4g}" for name, values in moved.items())
        still = ", ".join(name for name in given if name not in moved)
        sizes = " and ".join(dict.fromkeys(f"{values.size}" for values in given.values()))
        return f"<State: {sizes} numbers; {largest or 'nothing'}{still and f'; zero: {still}'}>"

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
    vector = np.atleast_1d(floats(value, f"State: {name} must be numbers", ProblemError))
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise ProblemError(f"State: {name} must be finite numbers, one per component")
    return vector


_KINDS = {"model": (Model,), "load": (Load, LoadSum), "start": (State,), "supports": (Load, type(None))}


@dataclass(frozen=True, eq=False, init=False)
class Problem(Shown):
    """Model, load, start and duration; the clock starts at 0.

    Parameters
    ----------
    model : what is shaken.
    load : what shakes it.
    duration : length of the history [s], a whole number of solver steps.
    start : state at t = 0; at rest by default. The problem holds it filled: zeros for what was left out. With a
        ``standing`` load and no start, :func:`hamex.solve` finds the state at rest under that load first;
        ``sol.problem.start`` is that state.
    prior_impulse : impulse of the load before t = 0, eq. (55), one per degree of freedom [force·time]. With eq. (54)
        it fixes the constant in the springs' impulse J and nothing else.
    supports : displacements of the model's supports, one channel each [length]; at rest by default. Displacements of
        the dofs are then absolute, and viscous damping acts on the motion relative to what the supports bring about
        slowly.
    standing : forces that act before the start and for the whole run, such as gravity: one per dof, or forces by dof
        name [force].

    Examples
    --------
    >>> from hamex import oscillator, sine
    >>> problem = Problem(oscillator(mass=1, stiffness=225), sine(0.2, omega=15), duration=40.0)
    >>> problem.replace(duration=60.0).duration
    60.0
    >>> import hamex as hx
    >>> hanging = problem.replace(load=hx.constant(0.0), standing=[9.0])       # it hangs and stays at 9/225
    >>> hx.solve(hanging, hx.Galerkin(0.02)).values("displacement")[[0, -1], 0].round(6).tolist()
    [0.04, 0.04]
    """

    model: Model
    load: Load | LoadSum
    duration: float
    start: FilledState
    prior_impulse: Array
    supports: Load | None
    standing: Array | None
    start_given: bool = field(init=False)

    def __init__(
        self,
        model: Model,
        load: Load | LoadSum,
        duration: float,
        start: State | None = None,
        prior_impulse: float | Array = 0.0,
        supports: Load | None = None,
        standing: ArrayLike | Mapping[str, float] | None = None,
    ) -> None:
        start_given = start is not None
        start = State() if start is None else start
        given = {"model": model, "load": load, "start": start, "supports": supports}
        for name, kind in _KINDS.items():
            if not isinstance(given[name], kind):
                raise ProblemError(f"Problem: {name} must be a {kind[0].__name__}, got {type(given[name]).__name__}")
        if not is_positive(duration):
            raise ProblemError(f"Problem: duration must be a positive number of seconds, got {duration!r}")
        check_range("Problem", "duration", duration, ProblemError)
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
            standing=None if standing is None else forces_on(model, standing, "Problem: standing"),
            start_given=start_given,
        )

    def __repr__(self) -> str:
        also = "" if self.standing is None else ", with a standing load"
        return f"<Problem: {self.model!r} for {self.duration:g} s under {self.load!r}{also}>"

    def replace(self, **changes: Any) -> Problem:
        """A copy with changes. What was not given is still found: with another standing load, another state at rest."""
        return dataclasses.replace(self, **({} if self.start_given else {"start": None}) | changes)

    @property
    def rests(self) -> bool:
        """True while the state at rest under the standing load is still to be found."""
        return self.standing is not None and not self.start_given

    @property
    def acting(self) -> Load | LoadSum:
        """All forces of the run: the load, and what stands on the structure."""
        return self.load if self.standing is None else self.load + Load(constant(1.0).forces, patterns=self.standing)

    def steps(self, step: float) -> int:
        """Number of steps of this length; refuses a duration that is not a whole number of them."""
        return whole_steps("Problem", self.duration, step)


def forces_on(model: Model, given: ArrayLike | Mapping[str, float], who: str) -> Array:
    """Forces on the dofs [force] from one number per dof, or from forces by name."""
    wanted = f"{who}: give {len(model.dofs)} finite numbers, one per dof, or forces by dof name"
    if isinstance(given, Mapping):
        forces = np.zeros(len(model.dofs))
        for name, value in given.items():
            if name not in model.dofs:
                why = model.why_no_dof(str(name)) or f"there is no dof {name!r}; the model has {few(model.dofs, name)}"
                raise ProblemError(f"{who}: {why}")
            forces[model.dofs.index(name)] = value if is_finite(value) else np.nan
    else:
        forces = floats(given, wanted, ProblemError)
    if forces.shape != (len(model.dofs),) or not np.all(np.isfinite(forces)):
        raise ProblemError(wanted)
    return forces


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
    except (TypeError, ValueError, OverflowError):
        impulse = np.array([np.nan])
    if not np.all(np.isfinite(impulse)):
        raise ProblemError(f"Problem: prior_impulse must be finite, one number or one per dof; got {given!r}")
    return impulse


@dataclass(frozen=True)
class Limit:
    """Storey drift beyond which a structure counts as collapsed; small-displacement results mean little there.

    Parameters
    ----------
    drift_ratio : storey drift over storey height [1], checked where heights are known; None for no limit.
    drift : storey drift [length]; no limit by default.
    stop : end the run at the first node beyond the limit, so that peaks, energies and histories are those up to there.
        Otherwise it goes on, and a structure that falls shows what its equations grow to.

    Examples
    --------
    >>> Limit(drift_ratio=0.05)
    Limit(drift_ratio=0.05, drift=None, stop=True)
    """

    drift_ratio: float | None = 0.1
    drift: float | None = None
    stop: bool = True

    def __post_init__(self) -> None:
        for name in ("drift_ratio", "drift"):
            value = getattr(self, name)
            if value is not None and not is_positive(value):
                raise ProblemError(f"Limit: {name} must be a positive number or None, got {value!r}")

    def drifts(self, heights: Array) -> Array:
        """Largest drifts of storeys, (…, storey) [length]; ∞ where nothing limits them. Ratios count where all heights
        of a structure are known, and not NaN; a level without height has none."""
        most = np.inf if self.drift is None else self.drift
        ratio = np.inf if self.drift_ratio is None else self.drift_ratio
        known = np.isfinite(heights).all(axis=-1, keepdims=True)
        return np.minimum(most, np.where(known & (heights > 0), ratio * heights, np.inf))

    def passed(self, drift: Array, heights: Array) -> Array:
        """True where a drift is beyond the limit, (node, storey)."""
        size = np.abs(drift)
        found = size > (np.inf if self.drift is None else self.drift)
        if self.drift_ratio is not None and np.isfinite(heights).all():
            found |= ratios(size, heights) > self.drift_ratio
        return np.asarray(found)
