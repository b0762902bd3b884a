"""One or two of a kind in every run of the tests, the others in ``make test-all``."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest


def chiefly(kept: Iterable[Any], of: Iterable[Any]) -> list[Any]:
    """All values as parameters of a test; those that are not kept are heavy."""
    kept, of = list(kept), list(of)
    assert all(value in of for value in kept)
    return [value if value in kept else pytest.param(value, marks=pytest.mark.heavy) for value in of]


def crossed(*axes: Iterable[Any]) -> list[Any]:
    """All combinations as parameters of a test; in every run each value of each axis is met, the others are heavy."""
    values = [list(axis) for axis in axes]
    kept = {
        tuple(k // max(place, 1) % len(axis) for place, axis in enumerate(values))
        for k in range(max(2 * len(axis) if place > 1 else len(axis) for place, axis in enumerate(values)))
    }
    assert all({chosen[place] for chosen in kept} == set(range(len(axis))) for place, axis in enumerate(values))
    return [
        pytest.param(
            *(axis[i] for axis, i in zip(values, chosen, strict=True)),
            marks=[] if chosen in kept else [pytest.mark.heavy],
        )
        for chosen in product(*(range(len(axis)) for axis in values))
    ]
