"""A motion that starts and ends at rest: zero velocity and displacement when it is over."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
TAPER = 0.02      # of the record at either end


def at_rest(acceleration: Array, step: float) -> Array:
    """Tapered at both ends, minus a smooth hump and its moment that bring the end to rest.

    Samples are linear in between, for which velocity and displacement at the end are sums of the samples. The last
    sample is 0.

    >>> a = at_rest(np.sin(np.arange(101.0)), 0.1)
    >>> bool(abs(0.1 * a.sum()) < 1e-14 and a[0] == a[-1] == 0)
    True
    """
    count = len(acceleration)
    edge = np.arange(count) / max(1.0, TAPER * (count - 1))
    rise = np.sin(0.5 * np.pi * np.minimum(edge, 1.0)) ** 2
    a = acceleration * rise * rise[::-1]
    # ∫a dt = h Σ aᵢ and ∫(t_end − t) a dt = h Σ (t_end − tᵢ) aᵢ with zeros at both ends: exact, the second because the
    # hats between samples are symmetric about them.
    s = np.linspace(-1.0, 1.0, count)
    hump = (1 - s**2) ** 2
    shapes = np.stack([hump, s * hump])
    moments = np.stack([np.ones(count), s])
    system = np.array([[np.sum(moment * shape) for shape in shapes] for moment in moments])
    shares = np.linalg.solve(system, [np.sum(moment * a) for moment in moments])
    return a - shares[0] * shapes[0] - shares[1] * shapes[1]
