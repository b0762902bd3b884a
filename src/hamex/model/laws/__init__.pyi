"""``hx.laws``: what one spring does."""

from .slider import Slider as Slider
from .power import PowerLaw as PowerLaw
from .surface import Surface as Surface
from .gap import Gap as Gap
from .gap import MultilinearElastic as MultilinearElastic
from .bilinear import Bilinear as Bilinear
from .imk import IMK as IMK
from .pinching4 import Pinching4 as Pinching4
from .bouc_wen import BoucWen as BoucWen
from .hysteretic import Hysteretic as Hysteretic
from .menegotto_pinto import MenegottoPinto as MenegottoPinto
from .combined import ParallelLaws as ParallelLaws
from .fatigue import Fatigue as Fatigue
from .fatigue import MinMax as MinMax
from .stress import J2 as J2
from .stress import DruckerPrager as DruckerPrager

from .bilinear import Backbone as Backbone
from .path import PathLaw as PathLaw, Response as Response
from .law import Group as Group, Law as Law, Split as Split
from .law import by_kind as by_kind, known as known, register as register
from .own import LawCertificate as LawCertificate, certify as certify
from .own import own as own
