"""Run what was derived: any lumped action, nonlinear ones included, marched as it stands; a quadratic density as a
model on a mesh, the joint of the principle and the finite elements.

Over each step the fields are polynomials of degree s, the extended principle is tested with polynomials of degree s
(s − 1 for fields without momentum) and integrated with s Gauss points, or the fields jump between the steps and are
integrated with s + 1 Radau points; Newton's method solves the step. This is the teaching and research door: `solve` is
the fast one.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hamex import __version__
from hamex.checks import check_memory, is_one_of, is_positive, whole_steps
from hamex.errors import BalanceWarning, ModelError, ProblemError
from hamex.model.discretised import WHO, Attached, Forms, assembled, laid_out
from hamex.model.fields import Fixed, Given, values_at
from hamex.model.inputs import few
from hamex.model.record import Model
from hamex.model.units import Units
from hamex.principle.action import Action
from hamex.principle.noether import Symmetry, works_on
from hamex.principle.numeric import Functions, Ledger, angles, functions, ledger
from hamex.principle.quadratic import Coefficients, QuadraticDensity, QuadraticPart, quadratic, quadratic_parts
from hamex.schemes.scheme import Scheme
from hamex.schemes.time_elements import DiscontinuousGalerkin, Galerkin
from hamex.simulate.march import FAR, ActionMarch
from hamex.simulate.start import start_values
from hamex.simulate.system import NumericAction, Parameters, gauss_element, radau_element
from hamex.solution.solution import Solution
from hamex.solution.source import HistoriesOnly, KeptLayout, KeptUnits

__all__ = ["simulate"]

Array = NDArray[Any]


def simulate(
    action: Action,
    parameters: Parameters,
    start: Mapping[str, float],
    duration: float,
    step: float | Galerkin | DiscontinuousGalerkin,
    degree: int = 1,
    *,
    charges: Sequence[Symmetry] = (),
    near: Mapping[str, float] | None = None,
) -> Solution:
    """March a lumped action.

    Parameters
    ----------
    action : what to run; its fields are the degrees of freedom of the result.
    parameters : a number for every symbol of the action by name; for a given function of time, such as the load
        ``f(t)``, a function of the time in seconds, or a number when it is constant.
    start : ``{"u": 0.1, "u_dot": 0.0, "P_J": 0.0}``: value, rate and momentum of a field by name. What is left out is
        zero, or follows from what is given where the action relates them (``action.data()``); a start that breaks a
        relation is refused. A field takes a rate or a momentum, not both; P = ∂L/∂q̇ gives one from the other.
    duration : length of the history [s], a whole number of steps.
    step : length of a step [s], or an element: ``hx.Galerkin(step, degree)``, which a number stands for, or
        ``hx.DiscontinuousGalerkin(step, degree)``, of order 2s + 1, for stiff dashpots and contacts: what rings there
        decays at once.
    degree : s, of the polynomials in time where ``step`` is a number; the order of accuracy is 2s.
    charges : symmetries of the action, ``action.symmetries()`` or some of them, whose charges are to be booked.
    near : which of several starts is meant where what is given leaves a choice: ``{"y": -1.0}`` for the lower side.

    Returns
    -------
    A solution with displacement, velocity and momentum of the fields, their load, the ``hamiltonian``, and the
    ``imbalance`` H − H₀ − ∫(power of loads, dissipation and explicit time) + what ``jumps`` took: the energy drift.
    ``sol.residual`` is its largest value relative to the largest kinetic energy or work; above 0.01 a
    :class:`hamex.errors.BalanceWarning` says so. Where a step's balance does not close, as in a stiff contact, it is
    cut in two, and its parts again; ``cuts`` counts them. Friction, ``μ|q̇|`` in the dissipation or ``−μ N sign(q̇)``
    among the loads, is a set-valued law: ``friction`` is its mean force on each field in each step.
    Constraints are kept at every node, places and rates, at round-off: ``constraint`` and ``constraint_rate`` are what
    is left of them, ``reaction`` the mean force on each field in each step. ``charge`` holds the charges by name,
    ``charge_drift`` what they differ by from their balance: I − I₀ − ∫source, integrated at the points of the element,
    which is what :func:`hamex.principle.noether.kept` speaks of.

    Examples
    --------
    >>> from hamex.principle.library import action
    >>> swing = simulate(action("pendulum"), {"m": 1, "l": 1, "g": 9.81}, {"theta": 2.0}, duration=1.0, step=0.01)
    >>> f"{swing.values('displacement')[-1, 0]:.3f}"
    '-1.491'
    >>> top = action("gyroscopic")
    >>> run = simulate(
    ...     top, {"m": 1, "k": 9, "Omega": 2}, {"x": 1.0}, duration=2.0, step=0.1, charges=top.symmetries()
    ... )
    >>> run.labels("symmetry"), bool(abs(run.values("charge_drift")).max() < 1e-13)
    (('time: energy', 'rotation in (x, y)'), True)
    """
    if not isinstance(action, Action):
        raise ProblemError(f"simulate: the first argument must be an Action, got {type(action).__name__}")
    step, degree, jumps = _element(step, degree)
    steps = _steps(duration, step, len(action.fields))
    f = functions(action)
    system = NumericAction(f, parameters, step, _ledger(action, f, charges))
    q, v, p = start_values(action, system, start, near or {})
    element = (radau_element if jumps else gauss_element)(degree, np.array(system.f.carriers))
    march = ActionMarch(system, element, steps)
    march.run(q, v, p)
    solution = _solution(action, system, march, f"{degree}, jumps=True" if jumps else f"{degree}")
    if solution.residual > FAR:
        warnings.warn(
            f"simulate: the energy balance is off by {solution.residual:.2g} of the largest kinetic energy or work: "
            f"this is not the motion of the action. Take a step shorter than {step:g} s (a tenth of the shortest "
            f"event, such as a contact), or a degree above {degree}",
            BalanceWarning,
            stacklevel=2,
        )
    return solution


def _ledger(action: Action, f: Functions, charges: Sequence[Symmetry]) -> Ledger | None:
    for symmetry in charges:
        if not isinstance(symmetry, Symmetry) or symmetry.action is not action:
            raise ProblemError(f"simulate: charges must be symmetries of this action, got {symmetry!r:.60}")
        if works_on(symmetry):
            raise ProblemError(
                f"simulate: the charge of {symmetry.name} changes with the reactions of the constraints; leave it out"
            )
    if charges and len(action.constrained().plain.fields) < len(action.fields):
        raise ProblemError(
            "simulate: charges are booked where constraints are stated, constraints=(…,), not multiplied into the "
            "Lagrangian"
        )
    return ledger(action, f, charges) if charges else None


def _element(step: object, degree: object) -> tuple[float, int, bool]:
    """Length of a step, degree, and whether the element jumps, from a number and a degree or from a scheme."""
    if isinstance(step, Galerkin | DiscontinuousGalerkin):
        who = f"simulate: {type(step).__name__}"
        if degree != 1:
            raise ProblemError(f"{who} has a degree of its own; leave out degree={degree!r}")
        for option in ("load", "locate", "tolerance"):
            if getattr(step, option) != getattr(type(step), option):
                raise ProblemError(
                    f"{who}: {option}={getattr(step, option)!r} has no meaning here: loads are taken at the points of "
                    "the element, and steps are cut where their balance does not close; leave it out"
                )
        return step.step, step.degree, isinstance(step, DiscontinuousGalerkin)
    if isinstance(step, Scheme):
        raise ProblemError(
            f"simulate: {type(step).__name__} is a scheme for structures; an action is marched by "
            "Galerkin(step, degree) or DiscontinuousGalerkin(step, degree)"
        )
    if isinstance(degree, bool) or not isinstance(degree, int) or degree < 1:
        raise ProblemError(f"simulate: the degree must be a whole number from 1 on, got {degree!r}")
    return step, degree, False  # type: ignore[return-value]  # checked with the duration


def _solution(action: Action, system: NumericAction, march: ActionMarch, degree: str) -> Solution:
    steps = march.steps
    histories = _with_multipliers(action, system, march, march.histories())
    # A lumped action has no springs of its own; the schema's spring results are there, with no columns.
    histories |= {name: np.zeros((steps + 1, 0)) for name in ("slip", "impulse")} | {"force": np.zeros((steps, 0))}
    for array in histories.values():
        array.flags.writeable = False

    digest = hashlib.sha256(
        f"{action.fields}{action.lagrangian}{action.dissipation}{dict(action.loads)}{action.constraints or ''}"
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
    if system.ledger is not None:
        words["charges"] = "; ".join(system.ledger.names)
    why = "hamex.simulate ran an action, which has no model"
    return Solution(
        HistoriesOnly(
            why,
            KeptLayout(tuple(q.func.__name__ for q in action.fields), angles=angles(action)),
            KeptUnits("length", "force"),
            system.step,
            words,
        ),
        histories,
        {},
    )


def _with_multipliers(
    action: Action, system: NumericAction, march: ActionMarch, histories: dict[str, Array]
) -> dict[str, Array]:
    """The histories with a column for each field of the action, its own multipliers included.

    λ of λ g is the mean reaction of the step that ends at a node; λ of λ̇ g is its impulse, from 0 on, λ̇ that mean.
    """
    whole = action.constrained()
    if len(whole.plain.fields) == len(action.fields):
        return histories
    # Every column of a field that moves, in the order of the action; those of multipliers start as zeros.
    there = [i for i, q in enumerate(action.fields) if q in whole.plain.fields]
    of_fields = ("displacement", "velocity", "momentum", "mean_displacement", "load", "friction", "reaction")
    wide = {name: histories[name] for name in of_fields if name in histories}
    for name, array in wide.items():
        histories[name] = np.zeros((len(array), len(action.fields)))
        histories[name][:, there] = array
    for k, constraint in enumerate(whole.constraints):
        if constraint.origin == "stated":
            continue
        means = march.multiplier[:, k]
        nodes, impulse = np.concatenate([means[:1], means]), constraint.origin == "impulse"
        i = next(i for i, q in enumerate(action.fields) if i not in there and constraint.reaction.has(q))
        if impulse:
            histories["velocity"][:, i] = nodes
            histories["displacement"][1:, i] = np.cumsum(means) * system.step
        else:
            histories["displacement"][:, i] = nodes
        place = histories["displacement"][:, i]
        histories["mean_displacement"][:, i] = (place[1:] + place[:-1]) / 2 if impulse else means
    return histories


def _steps(duration: float, step: float, fields: int) -> int:
    for name, value in (("duration", duration), ("step", step)):
        if not is_positive(value):
            raise ProblemError(f"simulate: {name} must be a positive number of seconds, got {value!r}")
    steps = whole_steps("simulate", duration, step)
    check_memory(
        "simulate", 20 * fields * steps, f"the motion in {steps:,} steps", "take a longer step or a shorter duration"
    )
    return steps


def discretise(
    action: Action,
    mesh: Any,
    parameters: Mapping[str, Given],
    *,
    degree: int = 1,
    fixed: Fixed | None = None,
    mass: Literal["consistent", "lumped"] = "consistent",
    integration: Literal["selective", "full"] = "selective",
    negative_stiffness: bool = False,
    units: Units | None = None,
) -> Model:
    """A model of any quadratic density on a mesh: string, membrane, bar, beam, elastic body, heat, or one's own.

    The kinetic energy gives M, the dissipation C, the potential K. Impulses of stresses, which enter with their rates
    alone as in eqs. (34)-(44), are eliminated at every point of integration, A J̇ = ε, and leave what displacement
    elements have. Fields with a dissipation but no kinetic energy (heat) are massless dofs with damping, which
    :class:`hamex.Galerkin` marches. ``model.fields`` (:class:`hamex.Fields`) makes loads, starts and probes.

    Parameters
    ----------
    action : a density, from :mod:`hamex.principle.library` or one's own. Its parts stand at points of a line, or on
        boundaries that the mesh has by their names; motions that they give as zero are fixed.
    mesh : scikit-fem's, of lines, triangles, quadrilaterals, tetrahedra or hexahedra, with boundaries by name.
    parameters : for every symbol, and every given function of place, a number, or a function of points x
        (dimension, …) asked at the points of integration. A load that the action states, such as ``q(x, t)``, takes its
        shape in space here (``model.fields.stated_load``), and its history in :class:`hamex.Load`; nothing acts where
        it is left out.
    degree : of the shape functions, 1 or 2. Fields with second derivatives in space (lines only) have Hermite's cubics.
    fixed : fields that do not move, by boundary: ``{"left": "w", "right": ("u_1", "u_2")}``, ``"all"`` for all fields
        or the whole boundary; ``"w'"`` is the slope of a slender beam, which only clamping holds.
    mass : "consistent" with the shape functions, or "lumped" at the nodes.
    integration : "selective" takes as many points as the degree where a field meets the derivative of another, as in
        the shear (w′ − ψ)² of beams and plates, which locks otherwise (lines, quadrilaterals, hexahedra); "full" none.
    negative_stiffness : True where a potential is meant that is negative for some motion, as beyond buckling.
    units : names of the units, for labels.

    Examples
    --------
    >>> import skfem, hamex as hx
    >>> from hamex.principle.library import action
    >>> ends = {"left": lambda x: x[0] == 0.0, "right": lambda x: x[0] == 2.0}
    >>> mesh = skfem.MeshLine(np.linspace(0.0, 2.0, 41)).with_boundaries(ends)
    >>> string = discretise(action("string"), mesh, {"mu": 0.5, "N": 50.0}, fixed={"left": "w", "right": "w"})
    >>> string.dofs[:2], (hx.modes(string, 2).frequencies / (5 * np.pi)).round(2).tolist()   # n π c/L, c = 10, L = 2
    (('w[1]', 'w[2]'), [1.0, 2.0])
    """
    if not isinstance(action, Action):
        raise ModelError(f"{WHO}: the first argument must be an Action, got {type(action).__name__}")
    for what, word, known in (
        ("mass", mass, ("consistent", "lumped")),
        ("integration", integration, ("selective", "full")),
    ):
        if not is_one_of(word, known):
            raise ModelError(f"{WHO}: {what} must be one of {', '.join(known)}; got {word!r:.40}")
    density, parts = quadratic(action), quadratic_parts(action)
    numbers = _numbers(density, parts, parameters)
    attached = [_attached(part, density, numbers) for part in parts]
    forms = _forms(density, numbers)
    lumped = tuple(q.func.__name__ for q in action.lumped)
    fields = laid_out(forms, mesh, len(density.space), degree, fixed or {}, lumped, attached)
    return assembled(forms, fields, mass, integration, negative_stiffness, units, attached)


def _forms(density: QuadraticDensity, numbers: Mapping[str, Given]) -> Forms:
    def at(x: Array) -> Coefficients:
        return density.at(_values(density, numbers, x), x)

    return Forms(density.fields, density.kinetic, density.dissipation, density.potential, density.load, at)


def _attached(part: QuadraticPart, density: QuadraticDensity, numbers: Mapping[str, Given]) -> Attached:
    """A part at a point of a line, or on a boundary that the mesh names."""
    if part.boundary:
        return Attached(_forms(part.forms, numbers), part.motions, part.held, part.boundary)
    if len(density.space) > 1:
        raise ModelError(
            f"{WHO}: {part.forms.name}: on a mesh of {len(density.space)} dimensions a part takes the name of a "
            "boundary of the mesh"
        )
    return Attached(_forms(part.forms, numbers), part.motions, part.held, part.value(numbers))


def _numbers(
    density: QuadraticDensity, parts: tuple[QuadraticPart, ...], parameters: Mapping[str, Given]
) -> dict[str, Given]:
    """The parameters, if all are there and no others."""
    if not isinstance(parameters, Mapping):
        raise ModelError(f"{WHO}: parameters must be numbers by name, got {parameters!r:.60}")
    needed = tuple(dict.fromkeys([*density.parameters, *(name for part in parts for name in part.parameters)]))
    wanted = (*needed, *density.shapes, *(name for part in parts for name in part.forms.shapes))
    for name in parameters:
        if name not in wanted:
            raise ModelError(f"{WHO}: {density.name} has no parameter {name!r:.40}; it has {few(wanted, name)}")
    missing = [name for name in needed if name not in parameters]
    if missing:
        raise ModelError(f"{WHO}: {density.name} needs a number for {', '.join(missing)}")
    return dict(parameters)


def _values(density: QuadraticDensity, numbers: Mapping[str, Given], x: Array) -> dict[str, float | Array]:
    """Numbers as they are, functions of the place at points."""
    found: dict[str, float | Array] = {}
    for name, given in numbers.items():
        what = f"{WHO}: the parameter {name}"
        values = values_at(what, given, x if callable(given) else x[:, :0])
        found[name] = values if callable(given) else float(given)
        if name in density.positive and not np.all(np.asarray(found[name]) > 0):
            raise ModelError(f"{what} must be positive, got {float(np.min(found[name])):g}")
    return found
