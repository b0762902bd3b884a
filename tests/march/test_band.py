"""Bands: factors and sweeps against full matrices, with a low-rank part, and pivots that are not positive."""

import numpy as np
import pytest

from hamex.march import run
from hamex.march.matrices import backsolve, capped, factorise, sweep


class Band:
    """A band as the kernels take it: base, places and tangents of contributions with their shares, low-rank part."""

    def __init__(self, base, place, source, share, low, weight):
        self.base, self.listed, self.low, self.weight = base, (place, source, share), low, weight
        self.factor, rank = np.zeros_like(base), low.shape[1]
        self.spread, self.cap = np.zeros((rank, len(base))), np.zeros((rank, rank))

    def factorised(self, T, compile=False):
        (n, columns), flat = self.base.shape, (self.factor, self.low, self.weight, self.spread, self.cap)
        factor, low, weight, spread, cap = (x.reshape(-1) for x in flat)
        given = n, columns, self.base.reshape(-1), len(self.listed[0]), *self.listed, T, factor
        bad = run.entered(factorise, *given, compile=compile)(*given)
        given = n, columns, factor, self.low.shape[1], low, weight, spread, cap
        return int(bad or run.entered(capped, *given, compile=compile)(*given))

    def solved(self, x, compile=False):
        flat = (x.reshape(-1) for x in (self.low, self.spread, self.cap, x, np.zeros(self.low.shape[1])))
        given = *self.base.shape, self.factor.reshape(-1), self.low.shape[1], *flat
        run.entered(backsolve, *given, compile=compile)(*given)


def random_band(rng, n, width, rank=0, springs=0):
    """A positive definite band matrix, its low-rank part, and contributions of springs to it."""
    half = np.where(np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= width, rng.normal(size=(n, n)), 0.0)
    full = half + half.T
    full += np.diag(np.abs(full).sum(axis=1) + 0.1)
    row = rng.integers(0, n, springs)
    offset = np.minimum(rng.integers(0, width + 1, springs), row)
    U, W = rng.normal(size=(n, rank)), rng.uniform(0.1, 10, rank)
    band = np.zeros((n, width + 1))
    for d in range(width + 1):
        band[d:, d] = np.diagonal(full, -d)
    share = rng.uniform(0.1, 1, springs) * np.where(offset == 0, 1.0, 1e-3)
    made = Band(band, row * (width + 1) + offset, np.arange(springs), share, U, W)
    T = rng.uniform(0, 2, springs)
    for i, d, value in zip(row, offset, share * T, strict=True):
        full[i, i - d] += value
        if d:
            full[i - d, i] += value
    return made, T, full, full + U @ np.diag(W) @ U.T


@pytest.mark.parametrize(
    ("n", "width", "rank", "springs"),
    [
        (1, 0, 0, 1),
        (1, 0, 1, 0),
        (7, 0, 0, 5),
        (9, 1, 0, 9),
        (12, 3, 2, 20),
        (12, 11, 0, 4),
        (30, 5, 7, 40),
        (6, 5, 6, 3),
    ],
)
def test_solutions_equal_those_of_the_full_matrix(n, width, rank, springs):
    rng = np.random.default_rng([n, width, rank])
    for _ in range(5):
        band, T, _, full = random_band(rng, n, width, rank, springs)
        assert band.factorised(T) == 0
        x = rng.normal(size=n)
        found = x.copy()
        band.solved(found)
        expected = np.linalg.solve(full, x)
        assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()


def test_the_sweep_leaves_the_low_rank_part_out():
    band, T, without, _ = random_band(np.random.default_rng(1), 8, 2, rank=3, springs=6)
    band.factorised(T)
    x = np.arange(8.0)
    sweep(*band.base.shape, band.factor.reshape(-1), x)
    assert np.allclose(without @ x, np.arange(8.0), atol=1e-12)


def test_a_new_factorisation_forgets_the_old_tangents():
    band, T, _, full = random_band(np.random.default_rng(2), 10, 3, rank=2, springs=12)
    band.factorised(50 * T)
    band.factorised(T)
    x = np.ones(10)
    band.solved(x)
    assert np.allclose(full @ x, 1.0, atol=1e-12)


@pytest.mark.parametrize("bad", [0, 4, 9])
def test_the_first_pivot_that_is_not_positive_is_named(bad):
    band, T, _, _ = random_band(np.random.default_rng(3), 10, 2)
    for value in (-1e3, np.nan):
        band.base[bad, 0] = value
        assert band.factorised(T) == bad + 1


def test_zero_pivot_is_not_positive():
    none = np.zeros(0, dtype=np.int64)
    band = Band(np.array([[1.0, 0.0], [1.0, 1.0]]), none, none, np.zeros(0), np.zeros((2, 0)), np.zeros(0))
    assert band.factorised(np.zeros(0)) == 2


def test_compiled_and_plain_agree_in_every_bit():
    for rank in (0, 3):
        results = []
        for compile in (False, True):
            band, T, _, _ = random_band(np.random.default_rng(4), 15, 4, rank, 20)
            x = np.arange(15.0) ** 2
            code = band.factorised(T, compile)
            band.solved(x, compile)
            results.append((code, x.tobytes(), band.factor.tobytes(), band.cap.tobytes(), band.spread.tobytes()))
        assert results[0] == results[1]
