"""The batch kernel: its plain twin, and every choice that is settled before compiling."""

import numpy as np
import pytest

from hamex.march import oscillators as tile
from hamex.march import peaks
from hamex.march.run import compiled, settled

STEPS = 60


def tables(seed, tiles=2):
    """Coefficients of plausible oscillators that slip often."""
    rng = np.random.default_rng(seed)
    s = np.zeros((tiles, tile.ROWS, tile.TILE))

    def fill(row, low, high):
        s[:, row] = rng.uniform(low, high, size=(tiles, tile.TILE))

    fill(tile.PUSH, -0.5, -0.1)
    fill(tile.BETA, 0.1, 0.5)
    fill(tile.RHO, 0.05, 0.3)
    s[:, tile.KAPPA] = 2 - 2 * s[:, tile.RHO]
    fill(tile.MU, 1.9, 2.0)
    fill(tile.SHAKE, 0.5, 1.0)
    fill(tile.BESIDE, -0.01, 0.0)
    fill(tile.LIMIT, 0.5, 1.0)
    fill(tile.SHIFT, 0.0, 0.3)
    fill(tile.GROW, 0.0, 0.3)
    return s, rng.normal(size=STEPS)


CHOICES = [
    {},
    {"SLIPS": True},
    {"LIMITS": True},
    {"SOFTENS": True},
    {"RATES": True, "FORCES": True},
    {"WORK": True},
    {"CYCLES": True},
    {"LIMITS": True, "WORK": True, "SLIPS": True},
    {"HISTORY": True},
    {"INSIDE": True},
]


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: "-".join(choice) or "lean")
@pytest.mark.chief("LIMITS-WORK-SLIPS", "SOFTENS", "RATES-FORCES", "INSIDE", "lean")
def test_compiled_and_plain_agree_to_the_last_digits(choice):
    kernel = settled(tile.oscillators, **choice)
    (plain, load), (machine, _) = tables(1), tables(1)
    kept = tile.KEPT * STEPS if "HISTORY" in choice else 1
    histories = [np.zeros((2, kept, tile.TILE)) for _ in range(2)]
    kernel(load, plain, histories[0])
    compiled(kernel)(load, machine, histories[1])
    assert np.allclose(plain, machine, rtol=1e-11, atol=1e-11)
    assert np.allclose(histories[0], histories[1], rtol=1e-11, atol=1e-11)
    assert ("HISTORY" in choice) == bool(histories[0].any())
    assert not np.array_equal(plain, tables(1)[0])


def test_what_is_not_asked_for_is_not_touched():
    s, load = tables(2)
    before = s.copy()
    compiled(settled(tile.oscillators))(load, s, np.zeros((2, 1, tile.TILE)))
    assert np.array_equal(s[:, tile.PUSH :], before[:, tile.PUSH :])
    assert (s[:, tile.LARGEST] >= np.abs(s[:, tile.U])).all()


def test_a_lane_does_not_see_its_neighbours():
    (alone, load), (together, _) = tables(3), tables(3)
    alone[:, :, 1:] = 0.0
    for s in (alone, together):
        compiled(settled(tile.oscillators))(load, s, np.zeros((2, 1, tile.TILE)))
    assert np.array_equal(alone[:, :, 0], together[:, :, 0])


def of_peaks(full, load, width):
    """The same oscillators as :mod:`hamex.march.peaks` has them, in tiles of some width, and their unit."""
    one = full.swapaxes(0, 1).reshape(tile.ROWS, -1)
    s = np.zeros((-(-one.shape[1] // width), peaks.ROWS, width))
    for row, values in (
        (peaks.LIMIT, 1 / np.abs(one[tile.PUSH])),
        (peaks.LOW, -1 / np.abs(one[tile.PUSH])),
        (peaks.BETA, one[tile.BETA]),
        (peaks.RHO, one[tile.RHO]),
        (peaks.KAPPA, one[tile.KAPPA]),
        (peaks.MU, one[tile.MU]),
        (peaks.FREE, np.full(one.shape[1], load[0])),
    ):
        s[:, row].flat[: len(values)] = values
    return s, one[tile.PUSH]


@pytest.mark.parametrize("inside", [False, True])
def test_the_kernel_of_peaks_agrees_with_its_plain_twin_and_with_the_other(inside):
    full, load = tables(4, tiles=3)
    width = peaks.TILE_INSIDE if inside else peaks.TILE
    plain, unit = of_peaks(full, load, width)
    machine, ended = plain.copy(), np.append(load, 0.0)
    pairs = ended[:-1] + ended[1:]
    kept = np.zeros((peaks.KEPT * -(-STEPS // peaks.stretch_of(STEPS)), width))
    given = (ended, pairs) if inside else (pairs,)
    room = (kept,) if inside else ()
    kernel = peaks.march_inside if inside else peaks.march
    for one, other in zip(plain, machine, strict=True):
        kernel(*given, one, *room)
        compiled(settled(kernel))(*given, other, *room)
    assert np.allclose(plain, machine, rtol=1e-11, atol=1e-11)
    compiled(settled(tile.oscillators, INSIDE=inside))(load, full, np.zeros((3, 1, tile.TILE)))
    other = full.swapaxes(0, 1).reshape(tile.ROWS, -1)
    mine = machine.swapaxes(0, 1).reshape(peaks.ROWS, -1)[:, : other.shape[1]]
    moved = 2 / other[tile.MU] if inside else 1.0
    u = mine[peaks.U] - 0.5 * mine[peaks.FREE] if inside else mine[peaks.U]
    for values, row in (
        (moved * u * unit, tile.U),
        (mine[peaks.E] * unit, tile.E),
        (mine[peaks.FREE] * unit, tile.Q),
        (moved * mine[peaks.LARGEST] * np.abs(unit), tile.LARGEST),
    ):
        assert values == pytest.approx(other[row], rel=1e-10, abs=1e-11)
