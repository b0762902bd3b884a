"""The laboratory of laws: trials, and fits of laws to loops whose numbers are known."""

import math
from itertools import pairwise

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError
from hamex.lab.laws import fit_law, growing, law_trial, read_loop
from hamex.model.laws.path import forces_along

WORN = {"plastic": 0.04, "post_cap": 0.2, "residual_ratio": 0.2, "reloading": "peak", "lambda_s": 0.5, "lambda_k": 1.0}
LAW = hx.laws.IMK(1.0, cap_ratio=1.1, **WORN)
TWO = np.arange(12.0), np.arange(12.0)  # columns of a loop


def loop(law, stiffness, reach, parts=12):
    turns = growing(reach, each=1)
    e = np.concatenate([[0.0], *(np.linspace(a, b, parts + 1)[1:] for a, b in pairwise(turns))])
    return e, hx.respond(law, e, stiffness=stiffness).force


def test_excursions_of_a_spring_that_does_not_wear():
    """A rigid-plastic spring loses Fy times what it slips, and keeps its force (analytic)."""
    found = law_trial(hx.Slider(yield_force=2.0), stiffness=200.0, path=[0.0, 0.05, -0.05, 0.05, 0.0])
    assert [one.kept for one in found.cycles] == pytest.approx([1.0, 1.0, 1.0])
    assert [one.dissipated for one in found.cycles] == pytest.approx([2 * 0.04, 2 * 0.08, 2 * 0.08])
    assert found.backbone[0].force[-1] == pytest.approx(2.0)
    assert not found.certificate.failures


def test_wear_shows_cycle_by_cycle():
    found = law_trial(LAW, stiffness=100.0, reach=0.06)
    outward = [one.kept for one in found.cycles if one.deformation > 0]
    assert outward[0] == 1.0
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(outward))
    assert outward[-1] < 0.9


@pytest.mark.parametrize("law", [LAW, hx.laws.Bilinear(1.0, cap_ratio=1.1, plastic=0.03, post_cap=0.2), hx.Slider(1.0)])
def test_forces_alone_are_those_of_respond(law):
    e, force = loop(law, 100.0, 0.08)
    assert np.abs(forces_along(law, e, 100.0) - force).max() < 1e-14


def test_a_fit_finds_the_numbers_of_a_loop_with_noise():
    """Within four standard errors of what the loop was made with, which are small (own: the law itself)."""
    law = hx.laws.IMK(1.0, cap_ratio=1.1, **WORN | {"lambda_s": 3.0})
    e, force = loop(law, 100.0, 0.1, parts=20)
    measured = force + 0.01 * np.random.default_rng(1).normal(size=len(e))
    names = ["stiffness", "yield_force", "cap_ratio", "plastic", "post_cap", "lambda_s"]
    guess = hx.laws.IMK(0.8, cap_ratio=1.2, **WORN | {"plastic": 0.03, "post_cap": 0.3, "lambda_s": 2.0})
    found = fit_law(guess, e, measured, free=names, starts=3)
    true = {"stiffness": 100.0, **{name: getattr(law, name) for name in names[1:]}}
    for name in names:
        assert abs(found.values[name] - true[name]) < 4 * found.errors[name], name
        assert found.errors[name] < 0.25 * true[name], name
    assert found.misfit == pytest.approx(0.01 / np.abs(measured).max(), rel=0.2)
    assert found.law.yield_force_negative == found.law.yield_force


@pytest.mark.parametrize(
    ("true", "guess", "free"),
    [
        (
            hx.laws.Hysteretic(1.0, 0.01, 1.3, 0.05, pinchX=0.7, pinchY=0.4),
            {"s1p": 1.2, "e1p": 0.01, "s2p": 1.5, "e2p": 0.05, "pinchX": 0.7, "pinchY": 0.4},
            ["s1p", "s2p"],
        ),
        (
            hx.laws.Pinching4(1.0, 0.01, 1.2, 0.03, 1.1, 0.06, 0.4, 0.1, rForceP=0.3),
            {"ePf1": 1.0, "ePd1": 0.01, "ePf2": 1.3, "ePd2": 0.03, "ePf3": 1.1, "ePd3": 0.06, "ePf4": 0.4, "ePd4": 0.1},
            ["ePf2", "rForceP"],
        ),
    ],
)
def test_a_side_that_was_left_out_follows_the_other_in_a_fit(true, guess, free):
    """The loop of an even law is fitted to its rounding by the numbers of one side (own: the law itself)."""
    e, force = loop(true, 100.0, 0.05, parts=8)
    found = fit_law(type(true)(**guess), e, force, stiffness=100.0, free=free, starts=2)
    assert found.misfit < 1e-6
    assert found.law.sides.keys() == true.sides.keys()
    for name, (first, sign) in true.sides.items():
        value = getattr(found.law, first)
        assert getattr(found.law, name) == (None if value is None else sign * value)


def test_what_a_loop_does_not_tell_is_said():
    """A loop that never reaches the cap says nothing of what is behind it."""
    e, force = loop(hx.laws.Bilinear(1.0, cap_ratio=1.1, plastic=0.5, post_cap=1.0), 100.0, 0.03, parts=6)
    guess = hx.laws.Bilinear(0.9, cap_ratio=1.1, plastic=0.5, post_cap=1.0)
    found = fit_law(guess, e, force, free=["yield_force", "post_cap"], starts=1)
    assert found.values["yield_force"] == pytest.approx(1.0, abs=1e-6)
    assert math.isinf(found.errors["post_cap"])


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: fit_law(LAW, [0.0] * 12, [1.0] * 11), "two rows of equal length"),
        (lambda: fit_law(LAW, [0.0] * 12, [0.0] * 12), "not all zero"),
        (lambda: fit_law(LAW, np.arange(12.0), -np.arange(12.0)), "does not begin with a rising line"),
        (lambda: fit_law(LAW, np.arange(12.0), np.arange(12.0), free=["mass"]), "IMK has no number 'mass'"),
        (lambda: fit_law(LAW, np.arange(12.0), np.arange(12.0), free=["lambda_c"]), "lambda_c is inf"),
        (lambda: fit_law(hx.laws.IMK, *TWO), "give the law of one spring with numbers to start from"),
        (lambda: fit_law(LAW, ["a"] * 12, [1.0] * 12), "a loop is made of numbers"),
        (lambda: fit_law(LAW, *TWO, stiffness=-1.0), "stiffness must be a positive number, got -1.0"),
        (lambda: fit_law(LAW, *TWO, starts=1.5), "starts and seed must be whole numbers"),
        (lambda: fit_law(hx.laws.Fatigue(hx.laws.MenegottoPinto(1.0), E0=0.2), *TWO), "is made of other laws"),
        (lambda: fit_law(hx.laws.MultilinearElastic([(0.01, 1.0)]), *TWO), "is told by a table, points"),
        (lambda: law_trial(LAW, stiffness=100.0), "give a path, or a positive reach"),
        (lambda: law_trial(LAW, stiffness=100.0, path=[0.0, 0.0]), "not all zero"),
    ],
)
def test_what_cannot_be_tried_is_named(call, told):
    with pytest.raises(InputError, match=told):
        call()


@pytest.mark.parametrize("between", [",", ";", "\t", "  "])
def test_loops_are_read_as_they_come(tmp_path, between):
    rows = "\n".join(f"{0.001 * n}{between}{0.1 * n}" for n in range(12))
    (tmp_path / "loop.csv").write_text(f"# of a test\nslip [m]{between}force [kN]\n{rows}\n")
    e, force = read_loop(tmp_path / "loop.csv")
    assert e.tolist() == [0.001 * n for n in range(12)]
    assert force.tolist() == [0.1 * n for n in range(12)]


@pytest.mark.parametrize("between", [";", "\t", "  "])
def test_loops_may_have_decimal_commas(tmp_path, between):
    rows = "\n".join(f"{0.001 * n:.3f}{between}{0.1 * n:.1f}".replace(".", ",") for n in range(12))
    (tmp_path / "loop.csv").write_text(f"slip{between}force\n{rows}\n")
    e, force = read_loop(tmp_path / "loop.csv")
    assert e.tolist() == [float(f"{0.001 * n:.3f}") for n in range(12)]
    assert force.tolist() == [float(f"{0.1 * n:.1f}") for n in range(12)]


def test_whole_numbers_between_commas_are_two_columns(tmp_path):
    (tmp_path / "loop.csv").write_text("".join(f"{n},{3 * n + 1}  # a note\n" for n in range(12)))
    e, force = read_loop(tmp_path / "loop.csv")
    assert (e.tolist(), force.tolist()) == ([*range(12)], [3 * n + 1 for n in range(12)])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1,2\n1,2,3\n", r"line 2: 3 columns, the lines before have 2"),
        ("1,2,3\n" * 12, r"line 1: a loop has two numbers a line, deformation and force; got 3"),
        ("0.5\n" * 12, r"line 1: a loop has two numbers a line, deformation and force; got 1"),
        ("1,2\n" * 3, "at least ten points, found 3"),
        ("1,nan\n" * 12, "line 1: 'nan' is not finite"),
        ("1,2\n1,x\n", "line 2: 'x' is not a number"),
        ("1;2\n1;\n", "line 2: a value is missing in '1;'"),
        ("# nothing\n", "loop.csv"),
    ],
)
def test_what_is_no_loop_is_named(tmp_path, text, told):
    (tmp_path / "loop.csv").write_text(text)
    with pytest.raises(InputError, match=told):
        read_loop(tmp_path / "loop.csv")
