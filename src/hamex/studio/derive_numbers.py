"""Numbers to start from: where the sliders of a derived system stand, and between which ends they move."""

from __future__ import annotations

import re
from typing import Any

from hamex.principle.action import Action
from hamex.principle.identity import is_zero
from hamex.principle.jets import partial, t

# value, least, largest; a range from zero is linear, others are logarithmic
_PARAMETERS: dict[str, tuple[float, float, float]] = {
    "m": (1.0, 0.1, 10.0), "M": (1.0, 0.1, 10.0), "k": (40.0, 1.0, 400.0), "a": (0.025, 0.0025, 1.0),
    "c": (0.3, 0.0, 5.0), "F_y": (1.0, 0.05, 10.0), "eta": (0.5, 0.01, 10.0), "H_k": (8.0, 0.1, 100.0),
    "H_i": (4.0, 0.1, 100.0), "k_3": (40.0, 0.0, 400.0), "g": (9.81, 1.0, 30.0), "l": (1.0, 0.1, 5.0),
    "Omega": (2.0, 0.1, 50.0), "omega": (2.0, 0.1, 50.0), "d": (0.05, 0.0, 0.5), "gamma": (0.4, 0.01, 4.0),
    "mu": (0.2, 0.0, 2.0),
}
_OTHERS = (1.0, 0.1, 10.0)
# A pivot shaken at twice the natural frequency is what makes that pendulum grow.
_BY_SYSTEM = {"parametric-pendulum": {"Omega": 6.26}}
_LENGTH, _ANGLE = 0.1, 2.0


def parameter(name: str, system: str) -> dict[str, Any]:
    """Where the slider of a parameter stands; an indexed letter is taken like the letter."""
    value, least, largest = _PARAMETERS.get(name) or _PARAMETERS.get(re.sub(r"_?\d+$", "", name)) or _OTHERS
    return {"value": _BY_SYSTEM.get(system, {}).get(name, value), "min": least, "max": largest, "log": least > 0}


def shapes(names: list[str]) -> dict[str, dict[str, Any]]:
    """What acts at first: the last of the given functions, which is the load on the top of a chain."""
    still: dict[str, Any] = {"shape": "zero"}
    acting: dict[str, Any] = {"shape": "sine", "amplitude": 1.5, "period": 1.0}
    return {name: acting if name == names[-1] else still for name in names}


def starts(action: Action) -> list[dict[str, Any]]:
    """What may be said about t = 0: value and rate of a field, or the momentum where it says more than the rate.

    The momentum of the impulse of a spring is minus its slip: zero says that the spring has not slipped, whatever the
    displacement is.
    """
    found: list[dict[str, Any]] = []
    moved = bool(action.loads)
    for q in action.fields:
        name, momentum = q.func.__name__, action.momentum(q)
        still = momentum.xreplace({field.diff(t): field * 0 for field in action.fields})
        cyclic = is_zero(partial(action.lagrangian, q))
        if cyclic and still != 0:
            found.append({"key": f"P_{name}", "field": name, "kind": "momentum", "value": 0.0})
            continue
        angle = "rad" in action.meanings.get(name, "") or name.startswith(("theta", "phi", "psi", "alpha"))
        value = 0.0 if moved or cyclic else _ANGLE if angle else _LENGTH
        found.append({"key": name, "field": name, "kind": "value", "value": value})
        if action.has_momentum[q]:
            found.append({"key": f"{name}_dot", "field": name, "kind": "rate",
                          "value": 1.0 if cyclic and not moved else 0.0})
        moved = True
    return found
