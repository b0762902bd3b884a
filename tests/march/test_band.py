"""Bands: factors and sweeps against full matrices, with a low-rank part, and pivots that are not positive."""

import numpy as np
import pytest

from hamex.march import run
from hamex.march.matrices import Band, backsolve, factorise, sweep


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
    made = Band(
        band,
        row,
        offset,
        np.arange(springs),
        share,
        U,
        W,
        np.zeros_like(band),
        np.zeros((rank, n)),
        np.zeros((rank, rank)),
    )
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
        assert factorise(band, T) == 0
        x = rng.normal(size=n)
        found = x.copy()
        backsolve(band, found, np.zeros(rank))
        expected = np.linalg.solve(full, x)
        assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()


def test_the_sweep_leaves_the_low_rank_part_out():
    band, T, without, _ = random_band(np.random.default_rng(1), 8, 2, rank=3, springs=6)
    factorise(band, T)
    x = np.arange(8.0)
    sweep(band, x)
    assert np.allclose(without @ x, np.arange(8.0), atol=1e-12)


def test_a_new_factorisation_forgets_the_old_tangents():
    band, T, _, full = random_band(np.random.default_rng(2), 10, 3, rank=2, springs=12)
    factorise(band, 50 * T)
    factorise(band, T)
    x = np.ones(10)
    backsolve(band, x, np.zeros(2))
    assert np.allclose(full @ x, 1.0, atol=1e-12)


@pytest.mark.parametrize("bad", [0, 4, 9])
def test_the_first_pivot_that_is_not_positive_is_named(bad):
    band, T, _, _ = random_band(np.random.default_rng(3), 10, 2)
    for value in (-1e3, np.nan):
        band.base[bad, 0] = value
        assert factorise(band, T) == bad + 1


def test_zero_pivot_is_not_positive():
    band = Band(
        np.array([[1.0, 0.0], [1.0, 1.0]]),
        *(np.zeros(0, dtype=np.int64) for _ in range(3)),
        np.zeros(0),
        np.zeros((2, 0)),
        np.zeros(0),
        np.zeros((2, 2)),
        np.zeros((0, 2)),
        np.zeros((0, 0)),
    )
    assert factorise(band, np.zeros(0)) == 2


def test_compiled_and_plain_agree_in_every_bit():
    for rank in (0, 3):
        results = []
        for compile in (False, True):
            band, T, _, _ = random_band(np.random.default_rng(4), 15, 4, rank, 20)
            x = np.arange(15.0) ** 2
            solved, given = (factorise, backsolve), ((band, T), (band, x, np.zeros(rank)))
            if compile:
                solved = [run.called(kernel, *these) for kernel, these in zip(solved, given, strict=True)]
            code, _ = (kernel(*map(run.held, these)) for kernel, these in zip(solved, given, strict=True))
            results.append((code, x.tobytes(), band.factor.tobytes(), band.cap.tobytes(), band.spread.tobytes()))
        assert results[0] == results[1]
