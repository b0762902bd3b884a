"""One or two of a kind in every run of the tests, the others in ``make test-all``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def chiefly(kept: Iterable[Any], of: Iterable[Any]) -> list[Any]:
    """All values as parameters of a test; those that are not kept are heavy."""
    kept, of = list(kept), list(of)
    assert all(value in of for value in kept)
    return [value if value in kept else pytest.param(value, marks=pytest.mark.heavy) for value in of]
