"""Arrays of oscillators: what is spread, what is refused and by which index."""

import re

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ModelError


def test_numbers_and_arrays_are_spread_over_each_other():
    many = hx.oscillators(mass=2.0, stiffness=[8.0, 18.0], damping=hx.ratio(0.05), yield_force=[1.0, np.inf])
    assert len(many) == 2
    assert many.mass.tolist() == [2.0, 2.0]
    assert many.damping == pytest.approx([2 * 0.05 * 4.0, 2 * 0.05 * 6.0], rel=1e-15)


def test_a_period_stands_for_a_stiffness():
    many = hx.oscillators(mass=3.0, period=[0.5])
    assert many.stiffness == pytest.approx([3.0 * (4 * np.pi) ** 2], rel=1e-15)


def test_models_become_arrays():
    law = hx.Slider(yield_force=0.27, viscosity=1.5, kinematic=2.0, isotropic=1.0)
    many = hx.Oscillators.of([hx.oscillator(1, 225, 1.5, law), hx.oscillator(2, 100)])
    assert many.stiffness == pytest.approx([225, 100], rel=1e-15)
    assert many.yield_force.tolist() == [0.27, np.inf]
    assert (many.viscosity[0], many.kinematic[0], many.isotropic[0]) == (1.5, 2.0, 1.0)
    with pytest.raises(ModelError, match="model 1 is not one mass"):
        hx.Oscillators.of([hx.oscillator(1, 225), hx.shear_frame([1, 1], [1, 1])])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"period": [1.0, np.nan, 2.0]}, r"period\[1\] must be finite and positive, got nan"),
        ({"period": [1.0, 0.0]}, r"period\[1\] must be finite and positive, got 0.0"),
        ({"stiffness": [1.0, -2.0]}, r"stiffness\[1\]"),
        ({"stiffness": []}, "stiffness is empty"),
        ({"stiffness": [[1.0, 2.0]]}, r"stiffness has shape \(1, 2\)"),
        ({"stiffness": "stiff"}, "stiffness must be numbers"),
        ({}, "either stiffness or period"),
        ({"stiffness": 1.0, "period": 1.0}, "either stiffness or period"),
        ({"stiffness": [1.0, 2.0], "mass": [1.0, 1.0, 1.0]}, "lengths do not fit together: mass 3, stiffness 2"),
        ({"stiffness": 1.0, "mass": [1.0, np.inf]}, r"mass\[1\]"),
        ({"stiffness": 1.0, "damping": [0.0, -1.0]}, r"damping\[1\] must be finite and not negative"),
        ({"stiffness": 1.0, "damping_ratio": [0.0, np.nan]}, r"damping_ratio\[1\]"),
        ({"stiffness": 1.0, "yield_force": [1.0, np.nan]}, r"yield_force\[1\] must be not negative, got nan"),
        ({"stiffness": 1.0, "viscosity": [0.0, np.inf]}, r"viscosity\[1\]"),
        ({"stiffness": 1.0, "kinematic": -1.0}, r"kinematic\[0\]"),
        ({"stiffness": 1.0, "geometric": [0.0, np.nan]}, r"geometric\[1\] must be finite and a number"),
        ({"stiffness": 1.0, "yield_force": [1.0, 0.0]}, r"of \[1\] are all zero"),
    ],
)
def test_bad_input_is_refused_by_its_index(given, message):
    with pytest.raises(ModelError, match=message):
        hx.oscillators(**given)


@pytest.mark.parametrize(
    ("many", "one"),
    [
        (lambda law: hx.oscillators(period=[0.5, 1.0], law=law), "hx.oscillator("),
        (lambda law: hx.shear_frames([[1.0, 1.0]], 100.0, laws=law), "hx.shear_frame("),
        (lambda law: hx.Oscillators(period=[0.5, 1.0], law=law), "hx.oscillator("),
        (lambda law: hx.ShearFrames([[1.0, 1.0]], 100.0, laws=law), "hx.shear_frame("),
        (lambda law: hx.Oscillators.of([hx.oscillator(1.0, 100.0, law=law)]), "hx.batch takes the list"),
    ],
)
def test_laws_other_than_sliders_are_sent_to_lists_of_models(many, one):
    with pytest.raises(ModelError, match=re.escape(one)) as refused:
        many(hx.laws.Bilinear(yield_force=1.0))
    assert "hx.batch" in str(refused.value)
