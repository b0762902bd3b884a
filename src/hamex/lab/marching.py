"""Histories of linear oscillators by the one-step map of a scheme, and the return map that references rest on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.march.reference import linear_map
from hamex.march.run import march
from hamex.problem import Problem
from hamex.schemes import Newmark, Scheme
from hamex.schemes.linear import start

Array = NDArray[Any]


def oscillator_history(
    scheme: Scheme, omega: float, zeta: float, step: float, load: Array, u: float = 0.0, v: float = 0.0
) -> Array:
    """Displacement and velocity (steps + 1, 2) of ü + 2ζω u̇ + ω² u = f.

    ``load`` (steps, k) is f at the scheme's load nodes; omega in 1/s, step in s.
    """
    Omega = omega * step
    one = scheme.linear(Omega, zeta)
    x = np.empty((len(load) + 1, one.size))
    x[0] = start(one.size, Omega, zeta, u, step * v, step**2 * load[0, 0] if one.nodes[0] == 0 else 0.0)
    march(linear_map, (step**2 * load, one.matrix, one.loading), (x,), len(load))
    return x[:, :2] / [1.0, step]


def return_map(step: float) -> Scheme:
    """Newmark with its return map at the end of the step, to round-off: what rate-independent references rest on."""
    return Newmark(step, tolerance=1e-12, max_iterations=60)


def load_at(problem: Problem, step: float, steps: int, nodes: Array) -> Array:
    """The load of one mass (steps, k) at the given fractions of each step."""
    values = problem.acting.stage_values(step, steps, nodes.tolist(), "average", quiet=True)
    patterns = problem.acting.patterns
    return np.asarray(values[:, :, 0] if patterns is None else values @ patterns[0])


def at_nodes(function: Callable[[Array], Array], nodes: Array, step: float, steps: int) -> Array:
    """A function of time at the load nodes of every step, (steps, k)."""
    return np.asarray(function((np.arange(steps)[:, None] + nodes) * step))
