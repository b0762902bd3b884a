"""Oscillators: the one of the paper, a mass, a spring with its law and a dashpot; and many at once, one array per
parameter, for batches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import LEAST, MOST, check_range, floats
from hamex.errors import ModelError
from hamex.model.assembly import SpringLaw
from hamex.model.backbone import Parallel
from hamex.model.damping import Damping, Ratio
from hamex.model.inputs import beyond
from hamex.model.laws.law import Law
from hamex.model.laws.slider import Slider
from hamex.model.record import Model, dense
from hamex.model.units import Units
from hamex.names import options_by_keyword


@options_by_keyword
def oscillator(
    mass: float,
    stiffness: float,
    damping: float | Ratio = 0.0,
    *,
    law: SpringLaw | None = None,
    units: Units | None = None,
) -> Model:
    """One mass on a spring and a dashpot (Figs. 1, 2, 7 and 8 of the paper).

    Parameters
    ----------
    mass : m > 0 [force·time²/length].
    stiffness : k > 0 of the elastic spring [force/length].
    damping : coefficient c ≥ 0 [force·time/length], or ``ratio(0.05)``.
    law : what the spring does beyond elasticity; elastic when left out.
    units : names of the units, for labels; ``Units("in", "kip")``.

    Examples
    --------
    >>> model = oscillator(mass=1, stiffness=225, damping=1.5, law=Slider(0.27, 1.5))
    >>> float(model.flexibility[0, 0] * 225)
    1.0
    """
    m, k = _positive("mass", mass), _positive("stiffness", stiffness)
    if isinstance(damping, Ratio) and damping.mode != 1:
        raise ModelError(f"oscillator: the damping is that of mode {damping.mode}, but an oscillator has one mode")
    c = 2 * damping.value * math.sqrt(k * m) if isinstance(damping, Ratio) else _coefficient(damping)
    if law is not None and not isinstance(law, Law):
        hint = "; several springs side by side are a shear_frame of one storey" if isinstance(law, Parallel) else ""
        raise ModelError(f"oscillator: law must be a law such as Slider(…), got {law!r}{hint}")
    own = Slider() if law is None else law
    if own.size != 1:
        raise ModelError(f"oscillator: {type(own).__name__} couples {own.size} forces, and an oscillator has one")
    one = np.ones((1, 1))
    return Model(
        mass=m * one,
        damping=Damping.full(c * one),
        stiffness=0 * one,
        flexibility=one / k,
        compatibility=one,
        laws={own.kind: own.grouped([own], [0])},
        influence=one,
        supports=np.zeros((0, 1)),
        dofs=("mass",),
        springs=("spring",),
        units=units or Units(),
    )


def _positive(name: str, value: float) -> float:
    number = _finite(name, value)
    if number <= 0:
        raise ModelError(f"oscillator: {name} must be positive, got {number:g}")
    check_range("oscillator", name, number, ModelError)
    return number


def _coefficient(value: float) -> float:
    number = _finite("damping", value)
    if number < 0:
        raise ModelError(
            f"oscillator: damping must not be negative, got {number:g}; give a coefficient ≥ 0 or a damping ratio"
        )
    check_range("oscillator", "damping", number, ModelError)
    return number


def _finite(name: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"oscillator: {name} must be a number, got {value!r}") from None
    if not math.isfinite(number):
        raise ModelError(f"oscillator: {name} must be finite, got {number}")
    return number


Array = NDArray[Any]
WHO = "oscillators"
Arrays = TypeVar("Arrays", bound=type)


def of_sliders(kind: Arrays) -> Arrays:
    """Let a class of arrays of models refuse a law by name, as the function that builds them does."""
    made = kind.__init__  # type: ignore[misc]

    @wraps(made)
    def start(self: Any, *given: Any, **named: Any) -> None:
        one = {"Oscillators": "hx.oscillator", "ShearFrames": "hx.shear_frame"}[kind.__name__]
        for word in ("law", "laws"):
            refuse_law(kind.__name__, one, named.get(word))
        made(self, *given, **named)

    kind.__init__ = start  # type: ignore[misc]
    return kind


@of_sliders
@dataclass(frozen=True, eq=False)
class Oscillators:
    """Oscillators as arrays (n,); build them with :func:`oscillators`.

    Attributes
    ----------
    mass, damping, stiffness : m, c, k of each.
    yield_force, viscosity, kinematic, isotropic : of each slider, see :class:`hamex.Slider`.
    geometric : stiffness outside the spring, negative for P-Delta [force/length].
    units : names of the units of length and force.

    Examples
    --------
    >>> many = oscillators(period=[0.5, 1.0, 2.0], damping_ratio=0.05)
    >>> len(many), many.units.length
    (3, 'length')
    """

    mass: Array
    damping: Array
    stiffness: Array
    yield_force: Array
    viscosity: Array
    kinematic: Array
    isotropic: Array
    geometric: Array
    units: Units

    def __len__(self) -> int:
        return len(self.mass)

    def __repr__(self) -> str:
        return f"<Oscillators: {len(self)}, in {self.units.length} and {self.units.force}>"

    def chosen(self, which: Any) -> Oscillators:
        """Some of them, by index array or slice."""
        return Oscillators(**{name: getattr(self, name)[which] for name in ARRAYS}, units=self.units)

    @classmethod
    def of(cls, models: Sequence[Model]) -> Oscillators:
        """The same for models that :func:`hamex.oscillator` made; each must be one mass on one spring."""
        rows = []
        for i, model in enumerate(models):
            if len(model.dofs) != 1 or len(model.springs) != 1 or set(model.laws) != {"slider"}:
                raise ModelError(
                    f"{WHO}: model {i} is not one mass on one spring with a slider; hx.batch takes the list"
                )
            law, b = model.laws["slider"], dense(model.compatibility)[0, 0]
            if b != 1:
                raise ModelError(f"{WHO}: the spring of model {i} deforms by {b:g} per displacement, not by 1")
            rows.append(
                (
                    dense(model.mass)[0, 0],
                    model.damping.dense()[0, 0],
                    1 / dense(model.flexibility)[0, 0],
                    law.yield_force[0],
                    law.viscosity[0],
                    law.kinematic[0],
                    law.isotropic[0],
                    dense(model.stiffness)[0, 0],
                )
            )
        table = np.array(rows, dtype=float).reshape(len(rows), len(ARRAYS)).T.copy()
        return cls(**dict(zip(ARRAYS, table, strict=True)), units=models[0].units)


ARRAYS = tuple(field.name for field in fields(Oscillators) if field.name != "units")


@options_by_keyword
def oscillators(
    mass: ArrayLike = 1.0,
    *,
    stiffness: ArrayLike | None = None,
    damping: ArrayLike | Ratio = 0.0,
    yield_force: ArrayLike = np.inf,
    viscosity: ArrayLike = 0.0,
    kinematic: ArrayLike = 0.0,
    isotropic: ArrayLike = 0.0,
    period: ArrayLike | None = None,
    damping_ratio: ArrayLike | None = None,
    geometric: ArrayLike = 0.0,
    law: None = None,
    units: Units | None = None,
) -> Oscillators:
    """Oscillators for :func:`hamex.batch`; parameters are numbers or arrays (n,) and are spread over each other.

    Parameters
    ----------
    mass : m > 0 [force·time²/length].
    stiffness, period : k > 0 of the springs [force/length], or the elastic period T > 0 [s] instead.
    damping, damping_ratio : coefficient c ≥ 0 [force·time/length] or ``ratio(0.05)``; or fractions of critical.
    yield_force, viscosity, kinematic, isotropic : of the sliders, as in :class:`hamex.Slider`; elastic by default.
    geometric : stiffness outside the spring, negative for P-Delta: −weight/height [force/length].
    law : refused; springs of any other law, such as those that degrade, are for :func:`hamex.batch` as a list.
    units : names of the units, for labels.

    Examples
    --------
    >>> many = oscillators(period=[0.2, 0.5, 1.0], damping_ratio=0.05, yield_force=0.3)
    >>> len(many), many.damping.round(3).tolist()
    (3, [3.142, 1.257, 0.628])
    """
    refuse_law(WHO, "hx.oscillator", law)
    if (stiffness is None) == (period is None):
        raise ModelError(f"{WHO}: give either stiffness or period")
    given = {
        "mass": mass,
        "stiffness" if period is None else "period": stiffness if period is None else period,
        "yield_force": yield_force,
        "viscosity": viscosity,
        "kinematic": kinematic,
        "isotropic": isotropic,
        "geometric": geometric,
    }
    if isinstance(damping, Ratio):
        damping_ratio, damping = damping.value, 0.0
    given["damping" if damping_ratio is None else "damping_ratio"] = damping if damping_ratio is None else damping_ratio
    arrays = {name: _numbers(name, values) for name, values in given.items()}
    for name, values in arrays.items():
        _check(
            name,
            values,
            positive=name in ("mass", "stiffness", "period"),
            signed=name == "geometric",
            infinite=name == "yield_force",
        )
    x = _spread(arrays)
    if arrays["yield_force"].min() == 0:
        resists = (x["yield_force"] > 0) | (x["viscosity"] > 0) | (x["kinematic"] > 0) | (x["isotropic"] > 0)
        if not resists.all():
            raise ModelError(
                f"{WHO}: yield_force, viscosity, hardening of [{int(np.argmin(resists))}] are all zero, "
                "so the spring resists nothing"
            )
    k = x["stiffness"] if period is None else x["mass"] * (2 * np.pi / x["period"]) ** 2
    c = x["damping"] if damping_ratio is None else 2 * x["damping_ratio"] * np.sqrt(k * x["mass"])
    return Oscillators(
        x["mass"],
        c,
        k,
        x["yield_force"],
        x["viscosity"],
        x["kinematic"],
        x["isotropic"],
        x["geometric"],
        units or Units(),
    )


def _numbers(name: str, given: Any) -> Array:
    values = floats(given, f"{WHO}: {name} must be numbers", ModelError)
    if values.ndim > 1:
        raise ModelError(f"{WHO}: {name} has shape {values.shape}; give a number or (n,), use ravel()")
    if values.size == 0:
        raise ModelError(f"{WHO}: {name} is empty")
    return values


def _spread(arrays: dict[str, Array]) -> dict[str, Array]:
    try:
        size = np.broadcast_shapes(*(values.shape for values in arrays.values())) or (1,)
    except ValueError:
        sizes = ", ".join(f"{name} {values.size}" for name, values in arrays.items() if values.size > 1)
        raise ModelError(f"{WHO}: lengths do not fit together: {sizes}") from None
    return {name: values if values.shape == size else np.broadcast_to(values, size) for name, values in arrays.items()}


def _check(name: str, values: Array, positive: bool, signed: bool, infinite: bool) -> None:
    """Refuse the first value out of range, by its index."""
    least, most = values.min(), values.max()  # both NaN where one value is, and then nothing holds
    low = least > 0 if positive else least > -np.inf if signed else least >= 0
    if low and (infinite or most < np.inf):
        if least >= LEAST and most <= MOST:
            return
        for i in np.flatnonzero(beyond(values))[:1]:
            check_range(WHO, f"{name}[{i}]", float(np.atleast_1d(values)[i]), ModelError)
        return
    good = values > 0 if positive else values == values if signed else values >= 0
    if not infinite:
        good = good & np.isfinite(values)
    i = int(np.argmin(good))
    need = "positive" if positive else "a number" if signed else "not negative"
    raise ModelError(
        f"{WHO}: {name}[{i}] must be {'' if infinite else 'finite and '}{need}, got {np.atleast_1d(values)[i]}"
    )


def refuse_law(who: str, one: str, law: object) -> None:
    """Arrays of models hold the numbers of sliders: say where any other law goes."""
    if law is not None:
        raise ModelError(
            f"{who}: arrays of models hold sliders, given by their numbers as in yield_force; for {type(law).__name__} "
            f"give hx.batch or hx.Study a list of models instead, [{one}(…, law) for …], of any law"
        )
