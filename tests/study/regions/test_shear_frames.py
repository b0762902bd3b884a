"""Models of buildings: period, strength, damping and hardening are exactly what the inventory says."""

import numpy as np
import pytest

from hamex.study.regions.shear_frames import GRAVITY, regular_shear_frames, single, state_probabilities


def some(storeys, count=6, seed=0):
    rng = np.random.default_rng(seed + storeys)
    given = {
        "period": rng.uniform(0.1, 3.0, count),
        "strength": rng.uniform(0.05, 0.5, count),
        "damping": rng.uniform(0.01, 0.1, count),
        "hardening": rng.uniform(0.0, 0.2, count),
        "relaxation": rng.uniform(0.0, 0.02, count),
        "height": rng.uniform(2.5, 4.5, count),
    }
    return given, regular_shear_frames(storeys, **given)


def matrices(frames, i):
    n = frames.storeys
    drift = np.eye(n) - np.eye(n, k=-1)
    K = drift.T @ np.diag(frames.stiffness[i]) @ drift
    side = frames.damping_side[i, 1:]
    return K, np.diag(frames.damping_main[i]) + np.diag(side, 1) + np.diag(side, -1)


@pytest.mark.parametrize("storeys", [*range(1, 13), 30])
def test_period_and_damping_are_exact_and_the_first_mode_is_straight(storeys):
    given, frames = some(storeys)
    assert (frames.mass == 1).all()
    for i in range(len(frames)):
        K, C = matrices(frames, i)
        squares, shapes = np.linalg.eigh(K)
        omega = np.sqrt(squares)
        assert 2 * np.pi / omega[0] == pytest.approx(given["period"][i], rel=1e-9)
        assert shapes[:, 0] / shapes[0, 0] == pytest.approx(np.arange(1, storeys + 1), rel=1e-9)
        ratios = np.einsum("im,ij,jm->m", shapes, C, shapes) / (2 * omega)
        assert ratios[:2] == pytest.approx(given["damping"][i], rel=1e-9)


@pytest.mark.parametrize("storeys", [1, 2, 5, 12])
def test_all_storeys_yield_at_once_under_the_forces_of_the_code(storeys):
    given, frames = some(storeys)
    for i, T in enumerate(given["period"]):
        k = 1.0 if T <= 0.5 else 2.0 if T >= 2.5 else 1.0 + (T - 0.5) / 2.0  # ASCE 7, 12.8.3
        weights = np.arange(1.0, storeys + 1) ** k
        forces = given["strength"][i] * storeys * GRAVITY * weights / weights.sum()
        shears = np.array([forces[floor:].sum() for floor in range(storeys)])
        assert frames.yield_force[i] == pytest.approx(shears, rel=1e-12)


def test_hardening_and_relaxation_are_what_was_asked_for():
    given, frames = some(4)
    k, h = frames.stiffness, frames.kinematic
    assert k * h / (k + h) == pytest.approx(given["hardening"][:, None] * k, rel=1e-12)
    assert frames.viscosity == pytest.approx(given["relaxation"][:, None] * k, rel=1e-12)
    assert frames.heights[:, 2] == pytest.approx(given["height"])


def test_a_single_model_has_the_same_matrices():
    _, frames = some(5)
    model = single(frames, 3)
    K, C = matrices(frames, 3)
    B = model.compatibility.toarray()
    assert B @ np.diag(1 / model.flexibility.diagonal()) @ B.T == pytest.approx(K, rel=1e-12)
    assert model.damping.dense() == pytest.approx(C, rel=1e-12)
    assert model.laws["slider"].yield_force == pytest.approx(frames.yield_force[3])


def test_states_are_lognormal_and_sum_to_one():
    limits = np.array([[0.005, 0.01, 0.03, 0.08]] * 4)
    found = state_probabilities(np.array([0.0, 0.005, 0.03, 10.0]), limits, np.full(4, 0.4))
    assert found.sum(axis=1) == pytest.approx(1.0)
    assert (found >= 0).all()
    assert found[0].tolist() == [1, 0, 0, 0, 0]
    assert found[1, 0] == pytest.approx(0.5)  # the median of slight
    assert found[2, 3:].sum() == pytest.approx(0.5)  # extensive or worse
    assert found[3, 4] == pytest.approx(1.0)
    up = state_probabilities(np.array([0.01 * np.exp(0.4)]), limits[:1], np.array([0.4]))
    assert up[0, 2:].sum() == pytest.approx(0.8413447460685429)  # one standard deviation above
    assert np.isnan(state_probabilities(np.array([0.01]), np.full((1, 4), np.nan), np.array([0.4]))).all()
