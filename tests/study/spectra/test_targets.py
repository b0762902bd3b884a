"""Code spectra at their corners, and factors that bring motions to them."""

import math
import pickle

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError
from hamex.study.spectra.targets.target import Target, asce7, eurocode8, response, scale_to_target

# EN 1998-1:2004, tables 3.2 and 3.3, typed in again: S, T_B, T_C, T_D.
EC8 = {
    (1, "A"): (1.0, 0.15, 0.4, 2.0),
    (1, "B"): (1.2, 0.15, 0.5, 2.0),
    (1, "C"): (1.15, 0.20, 0.6, 2.0),
    (1, "D"): (1.35, 0.20, 0.8, 2.0),
    (1, "E"): (1.4, 0.15, 0.5, 2.0),
    (2, "A"): (1.0, 0.05, 0.25, 1.2),
    (2, "B"): (1.35, 0.05, 0.25, 1.2),
    (2, "C"): (1.5, 0.10, 0.25, 1.2),
    (2, "D"): (1.8, 0.10, 0.30, 1.2),
    (2, "E"): (1.6, 0.05, 0.25, 1.2),
}


@pytest.mark.parametrize(("sds", "sd1", "tl"), [(1.0, 0.6, 8.0), (0.5, 0.25, 6.0), (1.2, 0.3, 12.0)])
def test_asce7_at_its_corners(sds, sd1, tl):
    target = asce7(sds, sd1, tl)
    ts = sd1 / sds
    assert target.corners == pytest.approx((0.2 * ts, ts, tl))
    at = target.acceleration
    assert float(at(0.0)) == pytest.approx(0.4 * sds, rel=1e-15)
    assert float(at(0.1 * ts)) == pytest.approx(0.7 * sds, rel=1e-14)  # half-way up to T0
    assert at([0.2 * ts, 0.5 * ts, ts]) == pytest.approx([sds] * 3, rel=1e-14)
    assert float(at(1.0)) == pytest.approx(min(sd1, sds), rel=1e-14)  # S_D1 is the acceleration at 1 s
    assert float(at(tl)) == pytest.approx(sd1 / tl, rel=1e-14)
    assert float(at(2 * tl)) == pytest.approx(sd1 / (4 * tl), rel=1e-14)


def test_the_maximum_considered_earthquake_is_half_as_much_again():
    T = np.geomspace(0.01, 20, 50)
    assert asce7(1.0, 0.6, mce=True).acceleration(T) == pytest.approx(1.5 * asce7(1.0, 0.6).acceleration(T), rel=1e-14)
    assert "MCE" in asce7(1.0, 0.6, mce=True).name


@pytest.mark.parametrize(("kind", "ground"), EC8)
def test_eurocode_at_its_corners(kind, ground):
    S, tb, tc, td = EC8[kind, ground]
    target = eurocode8(0.25, ground, kind=kind)
    assert target.corners == (tb, tc, td)
    top = 0.25 * S * 2.5
    assert target.acceleration([0, tb, tc, td, 4.0]) == pytest.approx(
        [0.25 * S, top, top, top * tc / td, top * tc * td / 16], rel=1e-14
    )
    assert float(target.acceleration(tb / 2)) == pytest.approx(0.25 * S * 1.75, rel=1e-14)
    assert float(target.acceleration(math.sqrt(tc * td))) == pytest.approx(top * math.sqrt(tc / td), rel=1e-14)


def test_damping_scales_eurocode_by_eta_but_not_its_start():
    base, more, most = (eurocode8(0.2, "C", damping=z) for z in (0.05, 0.10, 0.40))
    T = np.array([0.2, 0.6, 1.0, 3.0])
    assert more.acceleration(T) == pytest.approx(math.sqrt(10 / 15) * base.acceleration(T), rel=1e-14)
    assert most.acceleration(T) == pytest.approx(0.55 * base.acceleration(T), rel=1e-14)  # never below 0.55
    assert float(more.acceleration(0.0)) == float(base.acceleration(0.0))
    assert more.damping == 0.10


@pytest.mark.parametrize(
    "target",
    [asce7(0.9, 0.5, 4.0), *(eurocode8(0.3, ground, kind=kind) for kind, ground in EC8)],
    ids=lambda target: target.name,
)
def test_spectra_do_not_jump(target):
    for corner in target.corners:
        if corner < target.longest:
            near = target.acceleration([corner * (1 - 1e-9), corner, corner * (1 + 1e-9)])
            assert np.ptp(near) < 1e-7 * near[1]


def test_a_target_through_points_is_linear_in_logarithms():
    target = Target.from_points([0.1, 0.5, 2.0], [0.8, 0.8, 0.1], name="site")
    assert target.acceleration([0.1, 0.5, 2.0]) == pytest.approx([0.8, 0.8, 0.1], rel=1e-14)
    assert float(target.acceleration(1.0)) == pytest.approx(math.sqrt(0.08), rel=1e-14)
    with pytest.raises(InputError, match=r"site: periods\[1\] = 3 s; the spectrum is defined from 0.1 to 2 s"):
        target.acceleration([1.0, 3.0])


def test_eurocode_ends_at_four_seconds():
    with pytest.raises(InputError, match=r"from 0 to 4 s"):
        eurocode8(0.2).acceleration(4.1)


def test_targets_travel_to_other_processes():
    for target in (asce7(1.0, 0.6), eurocode8(0.2, "B"), Target.from_points([0.1, 1], [1, 0.1])):
        again = pickle.loads(pickle.dumps(target))
        assert np.array_equal(again.acceleration([0.2, 0.7]), target.acceleration([0.2, 0.7]))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: asce7(0.0, 0.6), "sds must be positive"),
        (lambda: asce7(0.5, 0.6, 1.0), "tl = 1 s lies below TS"),
        (lambda: eurocode8(-1), "ag must be a positive"),
        (lambda: eurocode8(0.2, "F"), "ground one of A, B, C, D, E"),
        (lambda: eurocode8(0.2, kind=3), "kind must be 1 or 2"),
        (lambda: eurocode8(0.2, damping=5), "fraction of critical"),
        (lambda: Target.from_points([1.0, 0.5], [1, 1]), r"periods\[1\] must be above"),
        (lambda: Target.from_points([0.5, 1.0], [1, 0]), r"accelerations\[1\] = 0"),
        (lambda: Target.from_points([0.5], [1]), "n ≥ 2"),
        (lambda: Target.from_points(["0.5 s", 1.0], [1, 1]), "periods must be numbers"),
        (lambda: Target.from_points([0.5, 1.0], [1, 10**400]), "accelerations must be numbers"),
        (lambda: eurocode8(0.2, ["B"]), "ground one of A, B, C, D, E"),
        (lambda: asce7(1.0, 0.6).acceleration("1 s"), "periods must be numbers"),
        (lambda: scale_to_target([], "ASCE 7", [0.2]), "target must be a Target"),
        (lambda: scale_to_target(["a.at2"], asce7(1.0, 0.6), [0.2]), "motions must be ground motions"),
        (lambda: scale_to_target([], asce7(1.0, 0.6), [[0.2], 1j]), "periods must be"),
        (lambda: hx.select_to_target(3, asce7(1.0, 0.6), 1), "motions must be ground motions"),
        (lambda: hx.match_to_target(hx.el_centro(), 0.3), "target must be a Target"),
    ],
)
def test_wrong_targets_are_refused(make, says):
    with pytest.raises(InputError, match=says):
        make()


# Scaling

T = np.geomspace(0.1, 3.0, 25)
TARGET = asce7(0.8, 0.5)


def test_a_motion_that_has_the_shape_of_the_target_is_scaled_onto_it():
    found = scale_to_target([], TARGET, T, spectra=np.outer([0.2, 1.0, 7.0], TARGET.acceleration(T)))
    assert found.factors == pytest.approx([5, 1, 1 / 7], rel=1e-12)
    assert found.errors == pytest.approx([0, 0, 0], abs=1e-12)
    assert found.suite_error == pytest.approx(0, abs=1e-12)
    assert found.least_ratio == pytest.approx(1, abs=1e-12)


def test_no_other_factor_is_closer():
    given = TARGET.acceleration(T) * np.exp(np.random.default_rng(0).normal(0.5, 0.3, (4, len(T))))
    found = scale_to_target([], TARGET, T, spectra=given)
    for other in (0.99, 1.01):
        off = np.log(other * found.spectra / found.wanted)
        assert (np.sqrt(np.mean(off**2, axis=1)) > found.errors).all()
    assert found.errors == pytest.approx(np.log(given / found.wanted).std(axis=1), rel=1e-12)
    assert found.suite_error < found.errors.min()


def test_at_a_period_the_target_is_met_there():
    given = np.random.default_rng(1).uniform(0.1, 1.0, (3, len(T)))
    found = scale_to_target([], TARGET, T, at=T[7], spectra=given)
    assert found.spectra[:, 7] == pytest.approx(np.full(3, float(TARGET.acceleration(T[7]))), rel=1e-12)
    assert found.method == f"at {T[7]:g} s"
    with pytest.raises(InputError, match="must be one of the periods"):
        scale_to_target([], TARGET, T, at=0.77, spectra=given)


@pytest.mark.parametrize(
    ("spectra", "says"),
    [
        (np.ones((2, 3)), r"\(motion, period\), here \(n, 25\); got \(2, 3\)"),
        (np.zeros((1, 25)), r"motion 0 at 0\.1 s is 0"),
    ],
)
def test_wrong_spectra_are_refused(spectra, says):
    with pytest.raises(InputError, match=says):
        scale_to_target([], TARGET, T, spectra=spectra)


def test_motions_are_scaled_by_their_own_spectra():
    """The spectrum of the scaled motion, computed again, lies where the scaling said."""
    motions = hx.synthetic_suite(2, seed=3)
    found = scale_to_target(motions, TARGET, T, at=1.0)
    for motion, scaled, factor in zip(motions, found.motions, found.factors, strict=True):
        assert scaled.acceleration == pytest.approx(factor * motion.acceleration, rel=1e-15)
        assert scaled.kind == "synthetic"
    again = scale_to_target(found.motions, TARGET, T, at=1.0)
    assert again.factors == pytest.approx([1, 1], rel=1e-12)
    assert again.spectra == pytest.approx(found.spectra, rel=1e-12)
    assert (found.errors > 0.1).all()
    assert (found.errors < 1.5).all()


@pytest.mark.parametrize("unit", ["g", "cm/s2"])
def test_spectra_are_in_g_whatever_the_unit_of_the_motion(unit):
    """A stiff oscillator moves with the ground: its pseudo-acceleration is the peak of the record, 0.319 g. Chopra
    prints peak displacements of 2.67, 5.97 and 7.47 in. for periods of 0.5, 1 and 2 s with 2 % of critical."""
    record = hx.el_centro().converted(unit)
    assert response([record], np.array([0.01]), 0.05)[0, 0] == pytest.approx(0.319, rel=0.03)
    T = np.array([0.5, 1.0, 2.0])
    inches = response([record], T, 0.02)[0] * 386.09 * (T / (2 * math.pi)) ** 2
    assert inches == pytest.approx([2.67, 5.97, 7.47], rel=0.01)  # he reads them at samples, up to 0.6 % less
