"""Data without a maximum of the likelihood, and what to say about them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError
from hamex.study.fragility.binomial import Fits

Array = NDArray[Any]


class SeparationError(InputError):
    """Exceedances and survivals do not overlap, or fall with the level: no fragility of largest likelihood exists."""


def refuse_separated(who: str, levels: Array, exceedances: Array, counts: Array, found: Fits) -> None:
    """Raise if the fit of the first row is a step or does not rise."""
    if found.separated[0]:
        raise SeparationError(f"{who}: {_picture(levels, exceedances, counts)}, so that any curve steep enough fits "
                              "and the dispersion has no estimate; add levels, or motions, between the two")
    if np.isnan(found.dispersion[0]):
        raise SeparationError(f"{who}: exceedances do not become more frequent as the level grows, so that no "
                              "fragility fits; check the order of levels and exceedances, or add levels")


def _picture(levels: Array, exceedances: Array, counts: Array) -> str:
    if not exceedances.any():
        return "nothing exceeds the limit at any level; go higher"
    if (exceedances == counts).all():
        return "everything exceeds the limit at every level; go lower"
    last = int(np.flatnonzero(exceedances < counts)[-1])
    first = int(np.flatnonzero(exceedances > 0)[0])
    if levels[first] == levels[last]:
        return f"only level {levels[first]:g} has both exceedances and survivals"
    return f"everything up to level {levels[last]:g} survives and everything from {levels[first]:g} on exceeds"
