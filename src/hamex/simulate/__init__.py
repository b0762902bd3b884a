"""Run what was derived: any lumped action, nonlinear ones included, marched as it stands.

Over each step the fields are polynomials of degree s, the extended principle is tested with polynomials of degree s
(s − 1 for fields without momentum) and integrated with s Gauss points; Newton's method solves the step. This is the
teaching and research door: `solve` is the fast one.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping

import numpy as np

from hamex import __version__
from hamex.checks import check_memory, is_positive, whole_steps
from hamex.errors import BalanceWarning, ProblemError
from hamex.principle.action import Action
from hamex.principle.numeric import functions
from hamex.simulate.march import ActionMarch, GaussElement, Given, NumericAction, start_values
from hamex.solution.solution import Solution
from hamex.solution.source import HistoriesOnly, KeptLayout, KeptUnits

__all__ = ["simulate"]

FAR = 0.01  # of the largest kinetic energy or work: drift beyond it is no motion of the action


def simulate(
    action: Action, parameters: Given, start: Mapping[str, float], duration: float, step: float, degree: int = 1
) -> Solution:
    """March a lumped action.

    Parameters
    ----------
    action : what to run; its fields are the degrees of freedom of the result.
    parameters : a number for every symbol of the action by name; for a given function of time, such as the load
        ``f(t)``, a function of the time in seconds, or a number when it is constant.
    start : ``{"u": 0.1, "u_dot": 0.0, "P_J": 0.0}``: value, rate and momentum of a field by name. What is left out is
        zero. A field takes a rate or a momentum, not both; P = ∂L/∂q̇ gives one from the other.
    duration, step : length of the history and of a step [s], a whole number of steps.
    degree : s, of the polynomials in time; the order of accuracy is 2s.

    Returns
    -------
    A solution with displacement, velocity and momentum of the fields, their load, the ``hamiltonian``, and the
    ``imbalance`` H − H₀ − ∫(power of loads, dissipation and explicit time): the energy drift. ``sol.residual`` is its
    largest value relative to the largest kinetic energy or work; above 0.01 a
    :class:`hamex.errors.BalanceWarning` says so.

    Examples
    --------
    >>> from hamex.principle.library import action
    >>> swing = simulate(action("pendulum"), {"m": 1, "l": 1, "g": 9.81}, {"theta": 2.0}, duration=1.0, step=0.01)
    >>> f"{swing.values('displacement')[-1, 0]:.3f}"
    '-1.491'
    """
    if not isinstance(action, Action):
        raise ProblemError(f"simulate: the first argument must be an Action, got {type(action).__name__}")
    if isinstance(degree, bool) or not isinstance(degree, int) or degree < 1:
        raise ProblemError(f"simulate: the degree must be a whole number from 1 on, got {degree!r}")
    steps = _steps(duration, step, len(action.fields))
    system = NumericAction(functions(action), parameters, step)
    q, v, p = start_values(system, start)
    march = ActionMarch(system, GaussElement.of(degree, system), steps)
    march.run(q, v, p)
    solution = _solution(action, system, march, degree)
    if solution.residual > FAR:
        warnings.warn(
            f"simulate: the energy balance is off by {solution.residual:.2g} of the largest kinetic energy or work: "
            f"this is not the motion of the action. Take a step shorter than {step:g} s (a tenth of the shortest "
            f"event, such as a contact), or a degree above {degree}",
            BalanceWarning,
            stacklevel=2,
        )
    return solution


def _solution(action: Action, system: NumericAction, march: ActionMarch, degree: int) -> Solution:
    steps = march.steps
    histories = march.histories()
    # A lumped action has no springs of its own; the schema's spring results are there, with no columns.
    histories |= {name: np.zeros((steps + 1, 0)) for name in ("slip", "impulse")} | {"force": np.zeros((steps, 0))}
    for array in histories.values():
        array.flags.writeable = False

    digest = hashlib.sha256(
        f"{action.fields}{action.lagrangian}{action.dissipation}{dict(action.loads)}"
        f"{system.numbers}{system.step!r}{steps}{degree}".encode()
    )
    for name in ("displacement", "momentum", "load"):
        digest.update(histories[name][0].tobytes() if name != "load" else histories[name].tobytes())
    words = {
        "hamex": __version__,
        "scheme": f"simulate(step={system.step!r}, degree={degree})",
        "problem": digest.hexdigest(),
        "action": action.name,
    }
    why = "hamex.simulate ran an action, which has no model"
    return Solution(
        HistoriesOnly(why, KeptLayout(system.f.fields), KeptUnits("length", "force"), system.step, words), histories, {}
    )


def _steps(duration: float, step: float, fields: int) -> int:
    for name, value in (("duration", duration), ("step", step)):
        if not is_positive(value):
            raise ProblemError(f"simulate: {name} must be a positive number of seconds, got {value!r}")
    steps = whole_steps("simulate", duration, step)
    check_memory(
        "simulate", 20 * fields * steps, f"the motion in {steps:,} steps", "take a longer step or a shorter duration"
    )
    return steps
