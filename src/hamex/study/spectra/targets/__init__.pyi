"""``hx.targets``: spectra to aim at."""

from .target import (
    Scaling as Scaling,
    Target as Target,
    asce7 as asce7,
    eurocode8 as eurocode8,
    scale_to_target as scale_to_target,
)
from .matching import Match as Match, match_to_target as match_to_target, matched_suite as matched_suite
from .matching import Selection as Selection, select_to_target as select_to_target
