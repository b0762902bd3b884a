"""What the promise rests on: no path of a spring falls more steeply than its law states beforehand."""

import itertools

import numpy as np
import pytest
from path_models import LAWS

import hamex as hx

K, U = 100.0, 0.01
# The jumps of the first are events, of which they state nothing; the last relaxes in time (``test_path.py -k slope``).
OTHERS = ("min max", "fatigue", "nested", "slider")
FOUND = {"imk bilinear published": (42, 255), "imk bilinear opensees": (197,)}


def steepest(name, seed):
    """The steepest fall between 60 points on every line of a random path, and the one that the law states, over K."""
    rng = np.random.default_rng([seed, 77])
    law = LAWS[name](rng, K, U)
    stated = -4.0 / hx.Galerkin(1.0, law="path").longest_step(hx.oscillator(1.0, K, law=law)) ** 2 / K
    size = U * np.exp(rng.uniform(-1.0, 3.5, rng.integers(8, 40)))
    way = np.where(rng.random(len(size)) < 0.8, 1.0, -1.0) * np.cumprod(-np.ones(len(size)))
    turns = np.concatenate([[0.0], way * size])
    path = np.concatenate([np.linspace(a, b, 60)[:-1] for a, b in itertools.pairwise(turns)])
    force = hx.respond(law, path, K).force
    held = np.abs(force) > 1e-12 * K * U
    last = int(np.flatnonzero(held).max(initial=1))  # from here on a spring that broke is gone
    slope = np.diff(force[: last + 1]) / np.diff(path[: last + 1])
    return min(float(slope.min()) / K, 0.0), stated


@pytest.mark.parametrize("name", [name for name in LAWS if name not in OTHERS])
@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 400), marks=pytest.mark.heavy)], ids=["few", "many"])
def test_no_path_falls_more_steeply_than_the_law_states(name, seeds):
    for seed in [*seeds, *FOUND.get(name, ())]:
        seen, stated = steepest(name, seed)
        assert seen >= stated - 1e-9, seed
