"""The stable step of large models: Lanczos' method from above, at the cost of some tens of products."""

import math

import numpy as np
import pytest
from quadrilaterals import Strip, plane_stress
from scipy import sparse
from scipy.linalg import eigh

import hamex as hx
from hamex.model.damping import Damping
from hamex.schemes import promised
from hamex.schemes.promised import lanczos, longest

STRIP = Strip(1.0, 0.75, 16, 12)
D = plane_stress(100.0, 0.3)


@pytest.mark.parametrize("top", [1.0, 1.003, 1.01, 1.1, 5.0])
@pytest.mark.parametrize("size", [1, 2, 30, 5000, 200_000])
@pytest.mark.every_value
def test_the_bound_is_above_the_largest_entry_and_close(size, top):
    """One entry stands out of many, as a motion of one stiff element does."""
    entries, products = np.random.default_rng(5).random(size), []
    entries[size // 3] = top
    bound = lanczos(lambda x: products.append(1) or entries * x, size)
    assert top * (1 - 1e-12) <= bound < top * (1 + 2e-3)
    assert len(products) <= 100


@pytest.mark.parametrize("damping", ["none", "stiffness", "one side"])
def test_products_and_plain_arrays_agree(damping, monkeypatch):
    """Reference: analytic, 4M − 4hC − h²K ceases to be positive definite at the step that plain arrays give."""
    M, K = STRIP.mass, STRIP.stiffness(D)
    n = len(M)
    assert n > promised.DENSE
    C = {
        "none": sparse.csr_array((n, n)),
        "stiffness": sparse.csr_array(2e-4 * K),
        "one side": sparse.csr_array(K * (np.outer(STRIP.x > 0.9, STRIP.x > 0.9) * 2e-3)),
    }[damping]
    model = STRIP.condensed(D, Damping.full(C))
    close = hx.LeapFrog(1.0).longest_step(model)
    monkeypatch.setattr(promised, "DENSE", n)
    exact = hx.LeapFrog(1.0).longest_step(model)
    least = eigh(np.diag(4 * M) - exact * (4 * C + exact * K).toarray(), np.diag(M), eigvals_only=True)[0]
    assert abs(least) < 1e-9
    assert exact * (1 - 3e-3) < close <= exact * (1 + 1e-12)


def test_springs_count_with_their_largest_tangent(monkeypatch):
    points = STRIP.points(D, lambda volume: hx.Surface((volume, volume, volume)))
    close = hx.LeapFrog(1.0).longest_step(points)
    monkeypatch.setattr(promised, "DENSE", len(points.dofs))
    exact = hx.LeapFrog(1.0).longest_step(STRIP.condensed(D))
    assert exact * (1 - 3e-3) < close <= exact * (1 + 1e-12)
    stop = hx.oscillator(1.0, 100.0, law=hx.laws.Gap(gap=0.1, corner=5.0, post_stiffness=400.0))
    assert hx.LeapFrog(1.0).longest_step(stop) == pytest.approx(2 / 20)


def test_what_nothing_holds_has_no_longest_step():
    assert longest(lambda s: 0.0, 0.0) == math.inf
    assert longest(lambda s: 2.0 * s, 2.0) == pytest.approx(1.0)  # a dashpot alone: s² = 2s
