"""The model record, its builder, damping and units; every wrong number has its own message."""

import dataclasses
import math

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError, LawError, ModelError, UnitError
from hamex.model.damping import Damping

GOOD = {"mass": 2.0, "stiffness": 50.0}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"mass": 0}, "mass must be positive, got 0"),
        ({"mass": -1.0}, "mass must be positive, got -1"),
        ({"mass": math.nan}, "mass must be finite, got nan"),
        ({"mass": math.inf}, "mass must be finite, got inf"),
        ({"mass": "heavy"}, "mass must be a number, got 'heavy'"),
        ({"mass": None}, "mass must be a number"),
        ({"stiffness": 0.0}, "stiffness must be positive, got 0"),
        ({"stiffness": -225}, "stiffness must be positive, got -225"),
        ({"stiffness": math.nan}, "stiffness must be finite"),
        ({"stiffness": [1, 2]}, "stiffness must be a number"),
        ({"damping": -0.1}, r"damping must not be negative, got -0\.1"),
        ({"damping": -1e-300}, "damping must not be negative"),
        ({"damping": math.nan}, "damping must be finite"),
        ({"damping": "5 %"}, "damping must be a number"),
        ({"law": 0.27}, "law must be a law such as Slider"),
        ({"law": "elastic"}, "law must be a law"),
    ],
    ids=str,
)
def test_oscillator_refuses(wrong, message):
    with pytest.raises(ModelError, match=f"oscillator: {message}"):
        hx.oscillator(**GOOD | wrong)


@pytest.mark.parametrize("value", [-0.05, math.nan, math.inf, "5 %", None], ids=repr)
def test_ratio_refuses(value):
    with pytest.raises(ModelError, match="ratio: the damping ratio must be"):
        hx.ratio(value)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"yield_force": -0.1}, r"yield_force must not be negative, got -0\.1"),
        ({"yield_force": math.nan}, "yield_force is not a number"),
        ({"yield_force": "strong"}, "yield_force must be a number, got 'strong'"),
        ({"viscosity": -1}, "viscosity must not be negative, got -1"),
        ({"viscosity": -1e-300}, "viscosity must not be negative"),
        ({"viscosity": math.nan}, "viscosity is not a number"),
        ({"viscosity": math.inf}, "viscosity must be finite"),
        ({"kinematic": -1e-300}, "kinematic must not be negative"),
        ({"kinematic": -1}, "kinematic must not be negative, got -1; softening"),
        ({"kinematic": math.inf}, "kinematic must be finite"),
        ({"isotropic": -1}, "isotropic must not be negative, got -1; softening"),
        ({"isotropic": None}, "isotropic must be a number"),
        ({"yield_force": 0}, "all zero, so the spring resists nothing"),
    ],
    ids=str,
)
def test_slider_refuses(wrong, message):
    with pytest.raises(LawError, match=f"Slider: .*{message}"):
        hx.Slider(**wrong)


@pytest.mark.parametrize("one", ["yield_force", "viscosity", "kinematic", "isotropic"])
def test_a_slider_needs_only_one_thing_that_resists(one):
    assert not hx.Slider(**{"yield_force": 0.0} | {one: 1.0}).is_elastic


def test_elastic_is_a_law_with_infinite_yield_force():
    assert hx.Slider().is_elastic
    assert hx.oscillator(**GOOD).laws["slider"].yield_force.tolist() == [math.inf]


@pytest.mark.parametrize("units", [{"length": "yard"}, {"force": "dyn"}, {"length": "kip"}, {"length": ""}], ids=str)
def test_unknown_units_are_refused_with_the_known_ones(units):
    with pytest.raises(UnitError, match=r"unknown unit of (length|force) .*; known: "):
        hx.Units(**units)


@pytest.mark.parametrize(
    ("length", "gravity"),
    [("m", 9.80665), ("cm", 980.665), ("mm", 9806.65), ("in", 9.80665 / 0.0254), ("ft", 9.80665 / 0.3048)],
)
def test_standard_gravity_in_each_unit(length, gravity):
    """External: CGPM 1901 and the international inch and foot, exact by definition."""
    assert hx.Units(length, "kN").gravity == pytest.approx(gravity, rel=1e-15)


def test_gravity_of_a_model_without_units_is_not_guessed():
    with pytest.raises(UnitError, match="does not state its unit of length"):
        _ = hx.Units().gravity


def test_names_of_derived_units():
    assert (hx.Units("in", "kip").momentum, hx.Units("in", "kip").energy) == ("kip s", "kip in")


def test_the_oscillator_fills_the_record():
    model = hx.oscillator(2, 50, damping=3, law=hx.Slider(4, 0.7, 5, 6), units=hx.Units("m", "kN"))
    for name, value in {"mass": 2, "stiffness": 0, "flexibility": 1 / 50, "compatibility": 1, "influence": 1}.items():
        assert getattr(model, name).tolist() == [[value]], name
    assert model.damping.dense().tolist() == [[3]]
    assert model.supports.shape == (0, 1)
    law = model.laws["slider"]
    assert [law.yield_force, law.viscosity, law.kinematic, law.isotropic] == [[4], [0.7], [5], [6]]
    assert (model.dofs, model.springs, model.directions) == (("mass",), ("spring",), ("x",))
    assert model.units == hx.Units("m", "kN")


@pytest.mark.parametrize("z", [0.0, 0.05, 1.0, 2.5])
def test_a_ratio_is_of_critical_damping(z):
    """c = 2 z √(k m); the decay of free vibration is checked in test_exact."""
    assert hx.oscillator(2, 50, damping=hx.ratio(z)).damping.dense()[0, 0] == pytest.approx(20 * z, rel=1e-15)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("mass", np.eye(2), r"mass has shape \(2, 2\), expected \(1, 1\)"),
        ("stiffness", np.zeros((1, 2)), "stiffness has shape"),
        ("flexibility", np.zeros(1), "flexibility has shape"),
        ("compatibility", np.ones((2, 1)), "compatibility has shape"),
        ("influence", np.ones((1, 2)), "influence has shape"),
        ("supports", np.ones((2, 1)), "supports has shape"),
        ("mass", np.array([[math.nan]]), "mass holds a value that is not finite"),
        ("stiffness", np.array([[math.inf]]), "stiffness holds a value that is not finite"),
        ("damping", Damping.full(np.eye(2)), "damping has shape"),
        ("damping", Damping.full(np.array([[math.nan]])), "damping holds a value that is not finite"),
        ("damping", Damping(np.eye(1), np.ones((2, 1)), np.ones(1)), "damping has"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_record_checks_what_is_put_in(name, array, message):
    with pytest.raises(ModelError, match=f"Model: {message}"):
        dataclasses.replace(hx.oscillator(**GOOD), **{name: array})


def test_low_rank_damping_is_added_to_the_matrix():
    shapes = np.array([[1.0], [2.0]])
    damping = Damping(np.eye(2), shapes, np.array([3.0]))
    assert np.array_equal(damping.dense(), np.eye(2) + 3.0 * shapes @ shapes.T)


def test_models_are_frozen_and_their_errors_are_value_errors():
    with pytest.raises(dataclasses.FrozenInstanceError):
        hx.oscillator(**GOOD).mass = 3
    assert issubclass(ModelError, InputError)
    assert issubclass(InputError, ValueError)


def test_a_model_names_the_laws_that_it_has():
    law = hx.laws.Bilinear(yield_force=1.0)
    assert "(2 bilinear)" in repr(hx.shear_frame([1.0, 1.0], [100.0, 100.0], laws=law))
