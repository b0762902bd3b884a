"""Projection of a load on polynomials over each step: what an element of higher degree sees of a coarse step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.motion.quadrature import evaluate

if TYPE_CHECKING:
    from hamex.motion.load import Load, LoadSum

Array = NDArray[Any]
_POINTS = 8     # Gauss points per smooth piece: exact for samples, which are linear there


def projected(load: Load, h: float, steps: int, nodes: Array) -> Array:
    """(steps, stage, k): values at the nodes of the polynomial closest to the load in the mean square.

    The polynomials have as many terms as there are nodes. Steps are cut where the load has a corner.
    """
    base, first = load.clock(h)
    edges = base + (first + np.arange(steps + 1)) * h         # on the load's own clock, which no restart shifts
    corners = load.corners()
    inside = corners[(corners > edges[0]) & (corners < edges[-1])]
    # A corner within round-off of an edge would only make an empty piece.
    places = (inside - base) / h
    far = np.abs(places - np.round(places)) > 1e-9
    cuts = np.unique(np.concatenate([edges, inside[far]]))
    x, weights = np.polynomial.legendre.leggauss(_POINTS)
    lengths = np.diff(cuts)
    step = np.clip(np.searchsorted(edges, cuts[:-1] + 0.5 * lengths, side="right") - 1, 0, steps - 1)
    # Legendre polynomials on the step are orthogonal: moments give the projection directly.
    degrees = np.arange(len(nodes))
    moments = np.zeros((steps, len(nodes), load.channels))
    for point, weight in zip(0.5 * (x + 1), weights, strict=True):
        local = np.clip((cuts[:-1] + point * lengths - edges[step]) / h, 0.0, 1.0)
        basis = np.polynomial.legendre.legvander(2 * local - 1, len(nodes) - 1) * (2 * degrees + 1)
        values = _on_clock(load, cuts[:-1] + point * lengths)
        part = (0.5 * weight * lengths / h)[:, None, None] * basis[:, :, None] * values[:, None, :]
        np.add.at(moments, step, part)
    at_nodes = np.polynomial.legendre.legvander(2 * np.asarray(nodes) - 1, len(nodes) - 1)
    return np.einsum("ij,rjk->rik", at_nodes, moments)


def values_at(load: Load | LoadSum, h: float, step: int, inside: Array) -> Array:
    """Channel values at times inside a step of the run's clock, (time, k); the same bits wherever a run was split."""
    parts: Any = getattr(load, "parts", (load,))
    found = []
    for part in parts:
        base, first = part.clock(h)
        found.append(_on_clock(part, base + ((first + step) * h + inside)))
    return np.hstack(found)


def _on_clock(load: Load, clock: Array) -> Array:
    if callable(load.forces):
        return evaluate(load.forces, clock)[:, None]
    assert load.step is not None
    known = np.arange(len(load.forces) + 1) * load.step
    samples = np.vstack([load.forces, np.zeros((1, load.channels))])
    return np.column_stack([np.interp(clock, known, column, left=0.0, right=0.0) for column in samples.T])
