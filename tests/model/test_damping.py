"""Damping by name: each wish gives the ratios it promises, mode by mode."""

import math
import warnings

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ModelError
from hamex.model.record import dense

CHAIN = {"masses": [3.0, 2.0, 1.0, 1.0], "stiffnesses": [300.0, 200.0, 100.0, 80.0]}


def ratios(model):
    """Damping ratio per mode; fails if modes are coupled."""
    found = hx.modes(model)
    modal = found.shapes.T @ model.damping.dense() @ found.shapes
    assert abs(modal - np.diag(np.diag(modal))).max() <= 1e-12 * abs(modal).max()
    return np.diag(modal) / (2 * found.frequencies)


def test_one_ratio_is_proportional_to_stiffness():
    model = hx.shear_frame(**CHAIN, damping=hx.ratio(0.05))
    w = hx.modes(model).frequencies
    assert np.allclose(ratios(model), 0.05 * w / w[0], rtol=1e-11)


def test_the_mode_of_a_ratio_can_be_named():
    assert ratios(hx.shear_frame(**CHAIN, damping=hx.ratio(0.03, mode=3)))[2] == pytest.approx(0.03, rel=1e-12)


def test_one_storey_with_a_ratio_is_the_oscillator():
    frame = hx.shear_frame([2.0], [50.0], hx.ratio(0.05))
    assert frame.damping.dense()[0, 0] == pytest.approx(
        hx.oscillator(2.0, 50.0, hx.ratio(0.05)).damping.dense()[0, 0], rel=1e-15
    )
    with pytest.raises(ModelError, match="an oscillator has one mode"):
        hx.oscillator(2.0, 50.0, hx.ratio(0.05, mode=2))


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        (hx.rayleigh(0.05), {0: 0.05, 1: 0.05}),
        (hx.rayleigh(0.05, modes=(1, 3)), {0: 0.05, 2: 0.05}),
        (hx.rayleigh((0.03, 0.05), modes=(2, 4)), {1: 0.03, 3: 0.05}),
    ],
)
def test_rayleigh_meets_two_ratios(wish, expected):
    found = ratios(hx.shear_frame(**CHAIN, damping=wish))
    assert {mode: pytest.approx(found[mode], rel=1e-11) for mode in expected} == expected


def test_rayleigh_by_its_coefficients():
    model = hx.shear_frame(**CHAIN, damping=hx.rayleigh(alpha=0.3, beta=0.002))
    w = hx.modes(model).frequencies
    assert np.allclose(ratios(model), 0.3 / (2 * w) + 0.002 * w / 2, rtol=1e-12)
    only = hx.shear_frame(**CHAIN, damping=hx.rayleigh(alpha=0.3)).damping.dense()
    assert np.allclose(only, 0.3 * np.diag(CHAIN["masses"]), rtol=1e-15)


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        (hx.modal(0.05), [0.05] * 4),
        (hx.modal(0.05, modes=2), [0.05, 0.05, 0, 0]),
        (hx.modal([0.05, 0.02]), [0.05, 0.02, 0, 0]),
        (hx.modal([0.05, 0.02], modes=(1, 3)), [0.05, 0, 0.02, 0]),
        (hx.modal(0.04, modes=[4]), [0, 0, 0, 0.04]),
    ],
)
def test_modal_damping_gives_listed_modes_their_ratio_and_others_nothing(wish, expected):
    model = hx.shear_frame(**CHAIN, damping=wish)
    assert np.allclose(ratios(model), expected, rtol=1e-11, atol=1e-13)
    assert model.damping.weights.size == np.count_nonzero(expected)
    assert dense(model.damping.matrix).any() == np.False_


def test_p_delta_counts_in_the_initial_stiffness():
    model = hx.shear_frame(**CHAIN, damping=hx.ratio(0.05), heights=3.0, weights=20.0)
    assert ratios(model)[0] == pytest.approx(0.05, rel=1e-12)


def test_braces_of_dampers_do_not_count_in_the_initial_stiffness():
    links = [hx.maxwell_damper(0, 2, 5.0, 500.0), hx.power_damper(0, 3, 5.0, 0.3, 500.0)]
    plain, braced = (hx.shear_frame(**CHAIN, damping=hx.rayleigh(0.05), links=each) for each in ([], links))
    assert np.allclose(plain.damping.dense(), braced.damping.dense(), rtol=1e-13)


def test_storey_coefficients_are_dashpots_between_floors():
    model = hx.shear_frame([1.0, 1.0], 10.0, damping=[3.0, 2.0])
    assert np.allclose(model.damping.dense(), [[5, -2], [-2, 2]])


@pytest.mark.parametrize(
    "build",
    [
        lambda c: hx.shear_frame([1.0, 1.0], 10.0, c, units=hx.Units("m", "kN")),
        lambda c: hx.shear_frames([1.0, 1.0], 10.0, c, units=hx.Units("m", "kN")),
        lambda c: hx.structure_from_stiffness(
            np.eye(2), 2 * np.eye(2), [([1, 0], 1.0, None)], c, units=hx.Units("m", "kN")
        ),
        lambda c: hx.rod(1.0, 2, modulus=1.0, density=1.0, damping=c, units=hx.Units("m", "kN")),
        lambda c: hx.truss(
            {"A": (0, 0), "B": (1, 0)},
            [hx.Bar("A", "B", rigidity=1.0)],
            supports={"A": "fixed", "B": "y"},
            masses={"B": 1.0},
            damping=c,
            units=hx.Units("m", "kN"),
        ),
    ],
)
def test_a_bare_number_is_refused_where_there_are_many_dofs(build):
    """It may be meant as a share of critical, and would be a coefficient."""
    for number, ratio in ((0.05, "0.05"), (np.float64(3.0), "0.05"), (0.02, "0.02"), (5, "0.05")):
        with pytest.raises(ModelError, match=rf"kN·s/m.*hx\.ratio\({ratio}\)"):
            build(number)
    build(0.0)
    build(0)
    build(hx.ratio(0.05))


@pytest.mark.parametrize("wish", [[2.0, 2.0], hx.modal(0.05), hx.ratio(0.05), np.eye(2)])
def test_dampers_add_to_any_damping(wish):
    plain, more = (
        hx.shear_frame([1.0, 1.0], 10.0, wish, links=each).damping.dense()
        for each in ([], [hx.viscous_damper(0, 2, 7.0)])
    )
    assert np.allclose(more - plain, [[0, 0], [0, 7]], atol=1e-13)


def test_a_full_matrix_is_taken_as_it_is():
    c = np.array([[3.0, -1.0], [-1.0, 1.0]])
    assert np.array_equal(hx.shear_frame([1.0, 1.0], 10.0, c).damping.dense(), c)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1.0, 2.0], [0.0, 1.0]], r"damping matrix is not symmetric: entry \(0, 1\) is 2"),
        ([[1.0, 2.0], [2.0, 1.0]], "damping matrix is indefinite"),
        ([[1.0, 0.0], [0.0, -1.0]], "damping matrix is indefinite .*'floor 2'"),
        ([[0.0, 1.0], [1.0, 1.0]], "damping matrix is indefinite"),
        (np.eye(3), "damping matrix is 3 × 3, it must be 2 × 2"),
        ([[1.0, math.nan], [math.nan, 1.0]], "damping matrix holds a value that is not finite, at row 0"),
    ],
)
def test_a_wrong_matrix_is_refused(matrix, message):
    with pytest.raises(ModelError, match=f"shear_frame: the {message}"):
        hx.shear_frame([1.0, 1.0], 10.0, np.array(matrix))


@pytest.mark.parametrize("value", [-0.05, math.nan, math.inf, "5 %", None], ids=repr)
def test_ratios_must_be_numbers(value):
    for make in (hx.ratio, hx.rayleigh, hx.modal):
        with pytest.raises(ModelError, match="ratio"):
            make(value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: hx.ratio(0.05, mode=0), "modes are whole numbers from 1 on, got 0"),
        (lambda: hx.ratio(0.05, mode=1.5), "modes are whole numbers"),
        (lambda: hx.rayleigh(), "give either ratios or the coefficients"),
        (lambda: hx.rayleigh(0.05, alpha=0.1), "give either ratios or the coefficients"),
        (lambda: hx.rayleigh(0.05, modes=(2, 2)), "two different modes"),
        (lambda: hx.rayleigh((0.05, 0.02, 0.01)), "one or two ratios"),
        (lambda: hx.rayleigh(alpha=-1.0), "alpha must be a finite number ≥ 0"),
        (lambda: hx.modal([]), "one ratio for each mode"),
        (lambda: hx.modal([0.05, 0.05], modes=(1, 1)), "one ratio for each mode"),
        (lambda: hx.modal([0.05, 0.05], modes=3), "one ratio for each mode"),
        (lambda: hx.modal(0.05, modes=0), "one ratio for each mode"),
    ],
)
def test_wishes_that_make_no_sense_are_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        (hx.rayleigh((0.5, 0.01), modes=(1, 4)), "need a negative coefficient of stiffness"),
        (hx.rayleigh((0.01, 0.5), modes=(1, 2)), "need a negative coefficient of mass"),
        (hx.ratio(0.05, mode=5), "5 asked for, but the masses allow 4 modes"),
        (hx.modal(0.05, modes=5), "5 asked for, but the masses allow 4 modes"),
    ],
)
def test_wishes_that_the_frame_cannot_meet_are_refused(wish, message):
    with pytest.raises(ModelError, match=message):
        hx.shear_frame(**CHAIN, damping=wish)


def test_a_mode_without_stiffness_has_no_critical_damping():
    with pytest.raises(ModelError, match="mode 1 has no stiffness at rest"):
        hx.shear_frame([1.0, 1.0], [10.0, 10.0], hx.ratio(0.05), laws=[hx.PowerLaw(1.0, 0.5), None])


def test_nor_have_two_modes_whose_frequencies_are_rounding():
    """Of several storeys that carry nothing at rest; had been told from each other alone, and damped by 1e8."""
    nothing = hx.laws.Gap(0.01)
    k = [394.2, 274.3, 245.4, 153.5, 427.5, 301.1, 222.2, 190.7]
    laws = [None, None, nothing, None, nothing, None, nothing, None]
    for wish in (hx.rayleigh(0.03), hx.ratio(0.02)):
        with pytest.raises(ModelError, match="mode 1 has no stiffness at rest"):
            hx.shear_frame(np.linspace(0.7, 1.9, 8), k, wish, laws)


@pytest.mark.parametrize("wish", [hx.modal(0.03), hx.modal([0.0, 0.03])], ids=["free", "undamped"])
def test_modes_without_damping_take_no_part(wish):
    """An open gap below leaves the building free at rest: that mode has no frequency, and no weight to divide by."""
    gap = hx.laws.Gap(gap=0.002, hook=0.003)
    laws = [gap if wish.modes is None else None, None]
    model = hx.shear_frame([1.0, 0.8], [1000.0, 500.0], wish, laws=laws)
    assert model.damping.shapes.shape == (2, 1)
    problem = hx.Problem(model, hx.Load(np.ones((2, 2)), step=1.0), 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hx.solve(problem, hx.Newmark(0.01, safeguarded=True))
