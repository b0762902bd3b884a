"""The oscillator of the paper: one mass, one spring with its law, one dashpot."""

from __future__ import annotations

import math

import numpy as np

from hamex.checks import check_range
from hamex.errors import ModelError
from hamex.model.assembly import SpringLaw
from hamex.model.backbone import Parallel
from hamex.model.damping import Damping, Ratio
from hamex.model.laws.law import Law
from hamex.model.laws.slider import Slider
from hamex.model.record import Model
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
