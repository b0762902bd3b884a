"""The one schema of results: name → dimensions, unit, meaning.

``time`` are the nodes 0 … n, ``interval`` the n steps between them: mixing them is a half-step error.
"""

from __future__ import annotations

from typing import NamedTuple


class Variable(NamedTuple):
    """Where a result lives, the kind of its unit, and what it is."""

    dims: tuple[str, ...]
    kind: str
    meaning: str


VARIABLES: dict[str, Variable] = {
    "displacement": Variable(("time", "dof"), "length", "displacement u relative to the ground"),
    "momentum": Variable(("time", "dof"), "momentum", "momentum p = M u̇"),
    "velocity": Variable(("time", "dof"), "velocity", "velocity M⁻¹p"),
    "acceleration": Variable(("interval", "dof"), "acceleration", "mean acceleration of the step, Δu̇/h, relative"),
    "absolute_acceleration": Variable(("interval", "dof"), "acceleration", "acceleration plus that of the ground"),
    "deformation": Variable(("time", "spring"), "length", "deformation Bᵀu of the spring with its slider"),
    "slip": Variable(("time", "spring"), "length", "slip u₁ of the slider"),
    "node_force": Variable(("time", "spring"), "force", "spring force at the nodes, (Bᵀu − u₁)/a"),
    "impulse": Variable(("time", "spring"), "momentum", "impulse J of the spring force, eq. (54) at the start"),
    "back_force": Variable(("time", "spring"), "force", "back force X of kinematic hardening"),
    "accumulated_slip": Variable(("time", "spring"), "length", "accumulated slip ∫|u̇₁|dt"),
    "force": Variable(("interval", "spring"), "force", "mean spring force of the step, ΔJ/h, eq. (89)"),
    "mean_displacement": Variable(("interval", "dof"), "length", "mean displacement of the step, eq. (88)"),
    "load": Variable(("interval", "dof"), "force", "load f* of the step"),
    "damping_force": Variable(("interval", "dof"), "force", "viscous damping force of the step, C Δu/h"),
    "damping_peak": Variable(("dof",), "force", "largest damping force on the dof"),
    "spring_peak": Variable(("dof",), "force", "largest sum of the sizes of all spring forces on the dof"),
    "yield_deformation": Variable(("spring",), "length", "deformation at first yield, Fy a; NaN where not defined"),
    "ductility": Variable(("spring",), "one", "peak deformation over yield deformation; NaN where not defined"),
    "base_shear": Variable(("interval", "direction"), "force", "sum of the spring forces on all dofs, ιᵀBF"),
    "base_damping": Variable(("interval", "direction"), "force", "sum of the damping forces on all dofs"),
    "storey_drift": Variable(("time", "storey"), "length", "displacement of a level relative to the one below"),
    "drift_ratio": Variable(("time", "storey"), "one", "storey drift over storey height"),
    "storey_shear": Variable(("interval", "storey"), "force", "spring forces on everything above the storey's base"),
    "storey_damping": Variable(("interval", "storey"), "force", "damping forces on everything above that base"),
    "overturning_moment": Variable(
        ("interval", "storey"), "moment", "Σ storey shear × height of the storey and those above: moment at its base"
    ),
    "residual_drift": Variable(("storey",), "length", "storey drift at the end of the run"),
    "hinge_rotation": Variable(("time", "hinge"), "angle", "plastic rotation of a hinge, the slip of its moment"),
    "hinge_moment": Variable(("interval", "hinge"), "moment", "mean moment of a hinge in the step"),
    "plastic_by_group": Variable(("time", "group"), "energy", "energy dissipated by slip in a group of springs"),
    "viscous_by_group": Variable(("time", "group"), "energy", "energy dissipated by the dampers of a group"),
    "hardening_by_group": Variable(("time", "group"), "energy", "energy stored by hardening in a group"),
    "stored_by_group": Variable(("time", "group"), "energy", "elastic energy ½eᵀA⁻¹e of a group"),
    "load_factor": Variable(("time",), "one", "factor of the load pattern in slow loading"),
    "iterations": Variable(("interval",), "count", "Newton iterations spent in the step"),
    "pieces": Variable(("interval",), "count", "equal pieces into which the step was cut"),
    "events": Variable(("interval",), "count", "changes of branch located inside the step"),
    "solves": Variable(("interval",), "count", "linear solves spent in the step"),
    "cg_iterations": Variable(("interval",), "count", "iterations of conjugate gradients in the step"),
    "cg_residual": Variable(("interval",), "one", "largest residual that they left, over the right side"),
    "searches": Variable(("interval",), "count", "points looked at by line searches in the step"),
    "kinetic": Variable(("time",), "energy", "kinetic energy ½pᵀM⁻¹p"),
    "stored": Variable(("time",), "energy", "elastic energy ½uᵀKu + ½eᵀA⁻¹e"),
    "viscous": Variable(("time",), "energy", "energy dissipated by dashpots and dampers, cumulative"),
    "plastic": Variable(("time",), "energy", "energy dissipated by slip, cumulative, never negative"),
    "hardening": Variable(("time",), "energy", "energy stored by hardening, X²/2Hk + Hi w²/2"),
    "jumps": Variable(("time",), "energy", "energy lost at the jumps of discontinuous elements, cumulative"),
    "input": Variable(("time",), "energy", "work of the load on the displacements, cumulative"),
    "hamiltonian": Variable(("time",), "energy", "Hamiltonian ΣP_q q̇ − L of a simulated action"),
    "imbalance": Variable(("time",), "energy", "energy found minus energy put in: checks arithmetic, not accuracy"),
    "residual": Variable((), "one", "largest imbalance relative to the largest work"),
}


def variable(name: str) -> Variable:
    """Where a result lives; what the schema does not know is a state variable of a law."""
    return VARIABLES.get(name) or Variable(("time", "spring"), "one", f"{name.replace('_', ' ')}, a state of the law")


# What comes from the forces or the load of a step; in slow loading all of it belongs to the step's end.
OF_FORCES = (
    "force",
    "load",
    "impulse",
    "spring_peak",
    "base_shear",
    "storey_shear",
    "overturning_moment",
    "hinge_moment",
)
ENERGIES = ("kinetic", "stored", "viscous", "plastic", "hardening", "jumps", "input", "imbalance", "residual")


# Rotations stand among the dofs and moments among the springs; what they are measured in, beside the rest.
TURNING = {
    "length": "angle",
    "velocity": "angular_velocity",
    "acceleration": "angular_acceleration",
    "force": "moment",
    "momentum": "angular_momentum",
}
# The springs of a body are strains and stresses times the volume of a point.
AT_POINTS = {"length": "one", "force": "moment", "momentum": "angular_momentum"}


def unit(kind: str, length: str, force: str) -> str:
    """Unit of a kind, written with the model's length and force."""
    return {
        "length": length,
        "force": force,
        "momentum": f"{force} s",
        "velocity": f"{length}/s",
        "acceleration": f"{length}/s²",
        "moment": f"{force} {length}",
        "angle": "rad",
        "angular_velocity": "rad/s",
        "angular_acceleration": "rad/s²",
        "angular_momentum": f"{force} {length} s",
        "energy": f"{force} {length}",
        "stress": f"{force}/{length}²",
        "time": "s",
        "count": "1",
        "one": "1",
    }[kind]
