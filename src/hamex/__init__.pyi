"""The public names of hamex: the one list, read by editors, type checkers and, through hamex.names, by Python."""

# Namespaces.
from . import motion as _motion
from . import schemes as schemes
from .model import laws as laws, links as links
from .model.solids import meshes as meshes
from .study import regions as regions
from .study.spectra import targets as targets

# Nouns and verbs.
from .model.laws.slider import Slider as Slider
from .model.laws.path import respond as respond
from .lab.laws import fit_law as fit_law, law_trial as law_trial
from .model.backbone import Parallel as Parallel, backbone as backbone
from .model.damping import modal as modal, ratio as ratio, rayleigh as rayleigh
from .model.units import Units as Units
from .model.record import Model as Model
from .model.oscillator import oscillator as oscillator
from .model.shear_frame import shear_frame as shear_frame
from .model.oscillator import Oscillators as Oscillators, oscillators as oscillators
from .model.shear_frames import ShearFrames as ShearFrames, shear_frames as shear_frames
from .model.rod import rod as rod
from .model.solids.material import Material as Material
from .model.solids.body import Body as Body
from .model.solids.solid import solid as solid
from .model.solids.tie import tie as tie
from .model.fields import Fields as Fields
from .model.truss import Bar as Bar, truss as truss
from .model.frame import Member as Member, frame as frame
from .model.structure import structure as structure, structure_from_stiffness as structure_from_stiffness
from .model.record import Modes as Modes, modes as modes
from .motion.ground import GroundMotion as GroundMotion, el_centro as el_centro
from .motion.load import Load as Load
from .motion.records import read_record as read_record, read_suite as read_suite
from .schemes.time_elements import DiscontinuousGalerkin as DiscontinuousGalerkin, Galerkin as Galerkin
from .schemes.implicit import Newmark as Newmark
from .schemes.solvers import ConjugateGradients as ConjugateGradients, Factors as Factors
from .solve.parts import Keep as Keep
from .problem import Limit as Limit, Problem as Problem, State as State
from .solve import solve as solve
from .solve.batch import batch as batch
from .solution.batch import Batch as Batch
from .solve.static import cyclic as cyclic, gravity as gravity, pushover as pushover, solve_path as solve_path
from .principle.action import Action as Action
from .principle.parts import Part as Part
from .simulate import simulate as simulate
from .simulate import discretise as discretise
from .solution.solution import Solution as Solution
from .solution.reading import read as read
from .study.spectra.intensities import Pga as Pga, Sa as Sa, intensities as intensities
from .study.spectra.elastic import Spectrum as Spectrum
from .study.spectra import spectrum as spectrum
from .study.spectra.intensities import floor_spectrum as floor_spectrum
from .study.ida.fragility import Fragility as Fragility
from .study.ida.fragility import annual_frequency as annual_frequency
from .study.study import Study as Study
from .study.axes import MotionSequence as MotionSequence
from .study.ida import Hunt as Hunt, Ida as Ida, ida as ida
from .study.regions.result import Region as Region
from .study.regions.region import region as region
from .report.plots import plot as plot
from .report.animation import animate as animate
from .spec import read_problem as read_problem
from .spec.study import read_study as read_study

# Aliases: at home in a namespace.
from .model.laws import PowerLaw as PowerLaw, Surface as Surface
from .model.links import (
    Link as Link,
    bilinear_isolator as bilinear_isolator,
    elastic_link as elastic_link,
    friction_slider as friction_slider,
    maxwell_damper as maxwell_damper,
    plan_isolator as plan_isolator,
    power_damper as power_damper,
    spring_link as spring_link,
    viscous_damper as viscous_damper,
)
from .motion import (
    Suite as Suite,
    constant as constant,
    ground_wave as ground_wave,
    half_sine as half_sine,
    sine as sine,
    synthetic_suite as synthetic_suite,
    triangle as triangle,
)
from .schemes import LeapFrog as LeapFrog, PiecewiseExact as PiecewiseExact
from .study.spectra.targets import (
    Target as Target,
    asce7 as asce7,
    eurocode8 as eurocode8,
    match_to_target as match_to_target,
    matched_suite as matched_suite,
    scale_to_target as scale_to_target,
    select_to_target as select_to_target,
)
from .study.regions import (
    Inventory as Inventory,
    MotionGrid as MotionGrid,
    generate_inventory as generate_inventory,
    read_inventory as read_inventory,
    read_motions as read_motions,
)

motions = _motion
__version__: str
