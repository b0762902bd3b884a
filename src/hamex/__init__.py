"""hamex: structural dynamics from the action up.

Public names are listed here and loaded when first used, so that ``import hamex`` stays cheap.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "hamex.model.law": ("PowerLaw", "Slider", "Surface"),
    "hamex.model.backbone": ("Parallel", "backbone"),
    "hamex.model.damping": ("modal", "ratio", "rayleigh"),
    "hamex.model.units": ("Units",),
    "hamex.model.record": ("Model",),
    "hamex.model.oscillator": ("oscillator",),
    "hamex.model.shear_frame": ("shear_frame",),
    "hamex.model.links": ("Link", "bilinear_isolator", "elastic_link", "friction_slider", "maxwell_damper",
                          "plan_isolator", "power_damper", "viscous_damper"),
    "hamex.model.truss": ("Bar", "truss"),
    "hamex.model.frame": ("Member", "frame"),
    "hamex.model.structure": ("structure", "structure_from_stiffness"),
    "hamex.model.modes": ("Modes", "modes"),
    "hamex.motion.ground": ("GroundMotion", "el_centro"),
    "hamex.motion.load": ("Load",),
    "hamex.motion.pulses": ("constant", "half_sine", "sine", "triangle"),
    "hamex.discretise.schemes": ("DiscontinuousGalerkin", "Galerkin", "LeapFrog", "Newmark",
                                 "PiecewiseExact"),
    "hamex.solve": ("Problem", "State", "solve"),
    "hamex.solve.static": ("cyclic", "gravity", "pushover", "solve_path"),
    "hamex.principle.action": ("Action",),
    "hamex.simulate": ("simulate",),
    "hamex.solution.solution": ("Solution",),
    "hamex.solution.limit": ("Limit",),
    "hamex.solution.files": ("read",),
    "hamex.spec": ("read_problem",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

if TYPE_CHECKING:
    from hamex.discretise.schemes import DiscontinuousGalerkin, Galerkin, LeapFrog, Newmark, PiecewiseExact
    from hamex.model.backbone import Parallel, backbone
    from hamex.model.damping import modal, ratio, rayleigh
    from hamex.model.frame import Member, frame
    from hamex.model.law import PowerLaw, Slider, Surface
    from hamex.model.links import (
        Link,
        bilinear_isolator,
        elastic_link,
        friction_slider,
        maxwell_damper,
        plan_isolator,
        power_damper,
        viscous_damper,
    )
    from hamex.model.modes import Modes, modes
    from hamex.model.oscillator import oscillator
    from hamex.model.record import Model
    from hamex.model.shear_frame import shear_frame
    from hamex.model.structure import structure, structure_from_stiffness
    from hamex.model.truss import Bar, truss
    from hamex.model.units import Units
    from hamex.motion.ground import GroundMotion, el_centro
    from hamex.motion.load import Load
    from hamex.motion.pulses import constant, half_sine, sine, triangle
    from hamex.principle.action import Action
    from hamex.simulate import simulate
    from hamex.solution.files import read
    from hamex.solution.limit import Limit
    from hamex.solution.solution import Solution
    from hamex.solve import Problem, State, solve
    from hamex.solve.static import cyclic, gravity, pushover, solve_path
    from hamex.spec import read_problem

__all__ = [
    "Action", "Bar", "DiscontinuousGalerkin", "Galerkin", "GroundMotion", "LeapFrog", "Limit", "Link", "Load",
    "Member", "Model", "Modes", "Newmark", "Parallel", "PiecewiseExact", "PowerLaw", "Problem", "Slider", "Solution",
    "State", "Surface", "Units", "backbone", "bilinear_isolator", "constant", "cyclic", "el_centro", "elastic_link",
    "frame", "friction_slider", "gravity", "half_sine", "maxwell_damper", "modal", "modes", "oscillator",
    "plan_isolator", "power_damper", "pushover", "ratio", "rayleigh", "read", "read_problem", "shear_frame",
    "simulate", "sine", "solve", "solve_path", "structure", "structure_from_stiffness", "triangle", "truss",
    "viscous_damper",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'hamex' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


class _Package(ModuleType):
    """Keeps ``hamex.solve`` the function: importing the module of the same name must not hide it."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _HOME and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
