"""The kernel of many buildings: compiled and as plain Python, hard steps, and neighbours that do not matter."""

import numpy as np
import pytest

from hamex.march import shear_frame as one
from hamex.march import shear_frames as place
from hamex.march.run import compiled, settled
from hamex.march.run import place as placed
from hamex.model.shear_frames import shear_frames
from hamex.solve.frame_tables import _table, shear_frames_numbers

KERNELS = {
    hardens: compiled(settled(place.shear_frames, HARDENS=True) if hardens else place.shear_frames)
    for hardens in (False, True)
}


def frames(rng, count, storeys, viscosity, hardens, weight=0.0):
    """Random frames whose strengths differ widely, some storeys elastic, rate independent with viscosity 0."""
    shape = count, storeys
    m, k = rng.uniform(0.5, 2.0, shape), rng.uniform(0.5, 2.0, shape) * 1600.0 * storeys
    fy = np.where(rng.random(shape) < 0.1, np.inf, k * 10 ** rng.uniform(-3, -1.5, shape))
    hk, hi = 0.1 * hardens * k * rng.random((2, *shape))
    more = {"heights": 3.0, "weights": weight} if weight else {}
    return shear_frames(m, k, 0.003 * k, fy, viscosity * k, hk, hi, **more)


def marched(kernel, many, h, record, scale, softens=0, tile=2, settle=one.settle):
    """Table, unsolved steps and the counts of solves and searches after a march that keeps everything."""
    numbers = shear_frames_numbers(many, h)
    table = _table(many, numbers, scale, h, {})
    failed, count = np.zeros(len(many), dtype=np.int64), np.zeros(2, dtype=np.int64)
    n = many.storeys
    frames, machine, branch = numbers.reshape(-1), kernel in KERNELS.values(), np.zeros(n, dtype=np.int64)
    space, state = np.zeros(one.ROWS * n), np.zeros(4 * n)
    search = placed(settle, n, frames, space, h, *[state] * 4, branch, count, compile=machine)
    solver = placed(place.newton, n, frames, space, h, state, branch, count, search, compile=machine)
    lost = kernel(
        table.reshape(len(table), -1),
        frames,
        n,
        h,
        record,
        softens,
        1,
        tile,
        np.ones(len(place.WANTS), dtype=np.int64),
        failed,
        np.zeros(tile, dtype=np.int64),
        space,
        state,
        branch,
        count,
        solver,
        search,
    )
    assert (lost > 0) == np.any(failed > 0)
    return table, failed, count


@pytest.mark.parametrize(
    ("storeys", "viscosity", "hardens", "weight"),
    [(1, 0.01, False, 0.0), (4, 0.0, False, 0.0), (4, 0.01, True, 0.0), (3, 0.01, False, 20.0), (3, 0.0, True, 20.0)],
)
def test_compiled_and_plain_runs_agree(storeys, viscosity, hardens, weight):
    rng = np.random.default_rng(storeys)
    many = frames(rng, 24, storeys, viscosity, hardens, weight)
    record, scale = 3.0 * rng.standard_normal(60), rng.uniform(0.5, 5.0, 24)
    plain = settled(place.shear_frames, HARDENS=True) if hardens else place.shear_frames
    a, *_ = marched(plain, many, 0.05, record, scale, int(weight > 0))
    b, *_ = marched(KERNELS[hardens], many, 0.05, record, scale, int(weight > 0))
    assert np.abs(a - b).max() <= 1e-12 * np.abs(a[np.abs(a) < place.NEVER]).max()
    for row in (place.E, place.S, place.V, place.DRIFT, place.DISPLACEMENT, *place.WANTS):
        x, y = a[:, :, row // place.LANES], b[:, :, row // place.LANES]
        assert np.abs(x - y).max() <= 1e-12 * np.abs(x).max() > 0
    again = a[:, 0, place.SOLVES // place.LANES]
    assert np.array_equal(again, b[:, 0, place.SOLVES // place.LANES])
    assert storeys == 1 or again.sum() > 20


@pytest.mark.parametrize("viscosity", [0.0, 1e-3])
@pytest.mark.parametrize(("hardens", "h"), [(False, 0.1), (False, 0.2), (True, 0.2)])
def test_hard_steps_leave_no_building_unsolved(viscosity, hardens, h):
    rng = np.random.default_rng(3)
    many = frames(rng, 64, 10, viscosity, hardens)
    table, failed, count = marched(KERNELS[hardens], many, h, 20.0 * rng.standard_normal(300), np.ones(64))
    assert not failed.any()
    assert count[0] > 20, "the line search was not needed"
    assert np.isfinite(table).all()


def test_a_step_that_is_not_solved_is_told_by_building_and_number():
    rng = np.random.default_rng(3)
    many = frames(rng, 16, 10, 0.0, False)
    record = 20.0 * rng.standard_normal(40)
    patient, hopeless = settled(place.shear_frames, PATIENCE=1), settled(one.settle, _MOST=0)  # no line search
    _, failed, count = marched(patient, many, 0.2, record, np.ones(16), settle=hopeless)
    first = failed[failed > 0].min()
    assert count[0] >= np.count_nonzero(failed) > 0
    _, _, before = marched(patient, many, 0.2, record[: first - 1], np.ones(16))
    _, _, after = marched(patient, many, 0.2, record[:first], np.ones(16))
    assert before[1] == 0 < after[1]


def test_a_neighbour_that_runs_away_changes_nothing():
    rng = np.random.default_rng(9)
    many = frames(rng, 16, 4, 0.01, False)
    record, scale = rng.standard_normal(200), np.full(16, 2.0)
    calm, *_ = marched(KERNELS[False], many, 0.02, record, scale)
    scale[3] = np.nan
    table, *_ = marched(KERNELS[False], many, 0.02, record, scale)
    assert np.isnan(table[0, :, place.E // place.LANES, 3]).all()
    rest = np.arange(place.LANES) != 3
    assert table[0][:, :, rest].tobytes() == calm[0][:, :, rest].tobytes()
    assert table[1].tobytes() == calm[1].tobytes()


def test_the_size_of_a_tile_changes_nothing():
    rng = np.random.default_rng(2)
    many = frames(rng, 40, 5, 0.01, False)
    record, scale = 5.0 * rng.standard_normal(200), rng.uniform(0.5, 5.0, 40)
    tables = [marched(KERNELS[False], many, 0.02, record, scale, tile=tile)[0].tobytes() for tile in (1, 2, 3, 5, 8)]
    assert len(set(tables)) == 1
