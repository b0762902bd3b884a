"""``hx.schemes``: how to march."""

from .time_elements import Galerkin as Galerkin, DiscontinuousGalerkin as DiscontinuousGalerkin
from .implicit import Newmark as Newmark
from .implicit import GeneralisedAlpha as GeneralisedAlpha, HilberHughesTaylor as HilberHughesTaylor
from .oscillator import PiecewiseExact as PiecewiseExact
from .leapfrog import LeapFrog as LeapFrog
from .implicit import WilsonTheta as WilsonTheta, Bathe as Bathe, RhoBathe as RhoBathe, TrBdf2 as TrBdf2
from .explicit import CentralDifference as CentralDifference, RungeKutta4 as RungeKutta4

from .scheme import QuasiStatic as QuasiStatic, Scheme as Scheme
from .scheme import by_name as by_name, known as known, register as register
