"""hamex: structural dynamics from the action up.

Public names are listed here and loaded when first used, so that ``import hamex`` stays cheap.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "hamex.model.laws.slider": ("Slider",),
    "hamex.model.laws.power": ("PowerLaw",),
    "hamex.model.laws.surface": ("Surface",),
    "hamex.model.backbone": ("Parallel", "backbone"),
    "hamex.model.damping": ("modal", "ratio", "rayleigh"),
    "hamex.model.units": ("Units",),
    "hamex.model.record": ("Model",),
    "hamex.model.oscillator": ("oscillator",),
    "hamex.model.shear_frame": ("shear_frame",),
    "hamex.model.oscillators": ("Oscillators", "oscillators"),
    "hamex.model.shear_frames": ("ShearFrames", "shear_frames"),
    "hamex.model.links": (
        "Link",
        "bilinear_isolator",
        "elastic_link",
        "friction_slider",
        "maxwell_damper",
        "plan_isolator",
        "power_damper",
        "spring_link",
        "viscous_damper",
    ),
    "hamex.model.truss": ("Bar", "truss"),
    "hamex.model.frame": ("Member", "frame"),
    "hamex.model.structure": ("structure", "structure_from_stiffness"),
    "hamex.model.modes": ("Modes", "modes"),
    "hamex.motion.ground": ("GroundMotion", "el_centro"),
    "hamex.motion.load": ("Load",),
    "hamex.motion.records": ("Suite", "read_record", "read_suite"),
    "hamex.motion.synthetic": ("synthetic_suite",),
    "hamex.motion.pulses": ("constant", "half_sine", "sine", "triangle"),
    "hamex.motion.waves": ("ground_wave",),
    "hamex.schemes.time_elements": ("DiscontinuousGalerkin", "Galerkin"),
    "hamex.schemes.nodal": ("Newmark",),
    "hamex.schemes.exact": ("PiecewiseExact",),
    "hamex.schemes.leapfrog": ("LeapFrog",),
    "hamex.solve.parts": ("Keep",),
    "hamex.problem": ("Limit", "Problem", "State"),
    "hamex.solve": ("solve",),
    "hamex.solve.batch": ("batch",),
    "hamex.solution.batch": ("Batch",),
    "hamex.solve.static": ("cyclic", "gravity", "pushover", "solve_path"),
    "hamex.principle.action": ("Action",),
    "hamex.simulate": ("simulate",),
    "hamex.solution.solution": ("Solution",),
    "hamex.solution.reading": ("read",),
    "hamex.study.spectra.intensities": ("Pga", "Sa", "intensities"),
    "hamex.study.spectra.result": ("Spectrum",),
    "hamex.study.spectra.spectrum": ("spectrum",),
    "hamex.study.ida.fragility": ("Fragility",),
    "hamex.study.ida.frequency": ("annual_frequency",),
    "hamex.study.spectra.targets": ("Target", "asce7", "eurocode8", "scale_to_target"),
    "hamex.study.spectra.matching": ("match_to_target", "matched_suite"),
    "hamex.study.study": ("Study",),
    "hamex.study.sequence": ("MotionSequence",),
    "hamex.study.ida.ida": ("Hunt", "Ida", "ida"),
    "hamex.study.regions.inventory": ("Inventory",),
    "hamex.study.regions.reading": ("read_inventory",),
    "hamex.study.regions.generate": ("generate_inventory",),
    "hamex.study.regions.motions": ("MotionGrid", "read_motions"),
    "hamex.study.regions.result": ("Region",),
    "hamex.study.regions.region": ("region",),
    "hamex.spec": ("read_problem",),
    "hamex.spec.study": ("read_study",),
}
_NAMESPACES = {
    "laws": "hamex.model.laws",
    "links": "hamex.model.links",  # hx.laws.Gap and its like
    "schemes": "hamex.schemes",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

if TYPE_CHECKING:
    from hamex.model.backbone import Parallel, backbone
    from hamex.model.damping import modal, ratio, rayleigh
    from hamex.model.frame import Member, frame
    from hamex.model.laws.power import PowerLaw
    from hamex.model.laws.slider import Slider
    from hamex.model.laws.surface import Surface
    from hamex.model.links import (
        Link,
        bilinear_isolator,
        elastic_link,
        friction_slider,
        maxwell_damper,
        plan_isolator,
        power_damper,
        spring_link,
        viscous_damper,
    )
    from hamex.model.modes import Modes, modes
    from hamex.model.oscillator import oscillator
    from hamex.model.oscillators import Oscillators, oscillators
    from hamex.model.record import Model
    from hamex.model.shear_frame import shear_frame
    from hamex.model.shear_frames import ShearFrames, shear_frames
    from hamex.model.structure import structure, structure_from_stiffness
    from hamex.model.truss import Bar, truss
    from hamex.model.units import Units
    from hamex.motion.ground import GroundMotion, el_centro
    from hamex.motion.load import Load
    from hamex.motion.pulses import constant, half_sine, sine, triangle
    from hamex.motion.records import Suite, read_record, read_suite
    from hamex.motion.synthetic import synthetic_suite
    from hamex.motion.waves import ground_wave
    from hamex.principle.action import Action
    from hamex.problem import Limit, Problem, State
    from hamex.schemes import DiscontinuousGalerkin, Galerkin, LeapFrog, Newmark, PiecewiseExact
    from hamex.simulate import simulate
    from hamex.solution.batch import Batch
    from hamex.solution.reading import read
    from hamex.solution.solution import Solution
    from hamex.solve import solve
    from hamex.solve.batch import batch
    from hamex.solve.parts import Keep
    from hamex.solve.static import cyclic, gravity, pushover, solve_path
    from hamex.spec import read_problem
    from hamex.spec.study import read_study
    from hamex.study.ida.fragility import Fragility
    from hamex.study.ida.frequency import annual_frequency
    from hamex.study.ida.ida import Hunt, Ida, ida
    from hamex.study.regions.generate import generate_inventory
    from hamex.study.regions.inventory import Inventory
    from hamex.study.regions.motions import MotionGrid, read_motions
    from hamex.study.regions.reading import read_inventory
    from hamex.study.regions.region import region
    from hamex.study.regions.result import Region
    from hamex.study.sequence import MotionSequence
    from hamex.study.spectra.intensities import Pga, Sa, intensities
    from hamex.study.spectra.matching import match_to_target, matched_suite
    from hamex.study.spectra.result import Spectrum
    from hamex.study.spectra.spectrum import spectrum
    from hamex.study.spectra.targets import Target, asce7, eurocode8, scale_to_target
    from hamex.study.study import Study

__all__ = [
    "Action",
    "Bar",
    "Batch",
    "DiscontinuousGalerkin",
    "Fragility",
    "Galerkin",
    "GroundMotion",
    "Hunt",
    "Ida",
    "Inventory",
    "Keep",
    "LeapFrog",
    "Limit",
    "Link",
    "Load",
    "Member",
    "Model",
    "Modes",
    "MotionGrid",
    "MotionSequence",
    "Newmark",
    "Oscillators",
    "Parallel",
    "Pga",
    "PiecewiseExact",
    "PowerLaw",
    "Problem",
    "Region",
    "Sa",
    "ShearFrames",
    "Slider",
    "Solution",
    "Spectrum",
    "State",
    "Study",
    "Suite",
    "Surface",
    "Target",
    "Units",
    "annual_frequency",
    "asce7",
    "backbone",
    "batch",
    "bilinear_isolator",
    "constant",
    "cyclic",
    "el_centro",
    "elastic_link",
    "eurocode8",
    "frame",
    "friction_slider",
    "generate_inventory",
    "gravity",
    "ground_wave",
    "half_sine",
    "ida",
    "intensities",
    "match_to_target",
    "matched_suite",
    "maxwell_damper",
    "modal",
    "modes",
    "oscillator",
    "oscillators",
    "plan_isolator",
    "power_damper",
    "pushover",
    "ratio",
    "rayleigh",
    "read",
    "read_inventory",
    "read_motions",
    "read_problem",
    "read_record",
    "read_study",
    "read_suite",
    "region",
    "scale_to_target",
    "shear_frame",
    "shear_frames",
    "simulate",
    "sine",
    "solve",
    "solve_path",
    "spectrum",
    "spring_link",
    "structure",
    "structure_from_stiffness",
    "synthetic_suite",
    "triangle",
    "truss",
    "viscous_damper",
]


def __getattr__(name: str) -> object:
    if name in _NAMESPACES:
        return import_module(_NAMESPACES[name])
    if name not in _HOME:
        raise AttributeError(f"module 'hamex' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__, *_NAMESPACES])


class _Package(ModuleType):
    """Keeps ``hamex.solve`` the function: importing the module of the same name must not hide it."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _HOME and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
