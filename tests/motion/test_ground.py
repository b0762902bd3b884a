"""Ground motions and what they do to a model: f = −M ι a, with units said aloud."""

import dataclasses
import math

import numpy as np
import pytest

import hamex as hx
from hamex.errors import LoadError, UnitError

A = [0.0, 0.3, -0.7, 0.11]
# External: metres in one unit, exact by definition.
METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}


def forces(load, h=0.01, steps=3):
    return (load.node_values(h, steps) @ load.patterns.T)[:, 0]


def test_in_gravities_the_given_g_is_the_only_factor():
    """The bare number of the paper is g = 1; Chopra's inches are 386.4: nothing else enters."""
    model = hx.oscillator(2.5, 100)
    motion = hx.GroundMotion(A, step=0.01, unit="g")
    assert forces(motion.on(model, g=1.0)).tolist() == [-2.5 * a for a in A]
    assert forces(motion.on(model, g=386.4)).tolist() == [-2.5 * (386.4 * a) for a in A]


@pytest.mark.parametrize("length", METRES)
@pytest.mark.parametrize("unit", METRES)
def test_other_units_convert_through_standard_gravity(unit, length):
    model = hx.oscillator(2.5, 100, units=hx.Units(length, "kN"))
    motion = hx.GroundMotion(A, step=0.01, unit=f"{unit}/s2")
    expected = -2.5 * np.array(A) * METRES[unit] / METRES[length]
    assert forces(motion.on(model, g=model.units.gravity)) == pytest.approx(expected, rel=1e-15)


def test_a_rounded_g_scales_other_units_alike():
    """9.80665 m/s² is one gravity, whatever one gravity is said to be in the model's units."""
    motion = hx.GroundMotion([0.0, 9.80665], step=0.01, unit="m/s2")
    assert forces(motion.on(hx.oscillator(1, 1), g=386.4), steps=1)[1] == pytest.approx(-386.4, rel=1e-15)


def test_gal_is_cm_per_second_squared():
    model = hx.oscillator(1, 1)
    gal, cm = (hx.GroundMotion(A, 0.01, unit).on(model, g=9.80665) for unit in ("gal", "cm/s2"))
    assert np.array_equal(forces(gal), forces(cm))


@pytest.mark.parametrize(
    ("spelled", "unit"),
    [("G", "g"), ("m/s²", "m/s2"), ("m/s^2", "m/s2"), ("cm/s/s", "cm/s2"), (" in/s2 ", "in/s2"), ("Gal", "gal")],
)
def test_spellings(spelled, unit):
    assert hx.GroundMotion(A, 0.01, spelled).unit == unit


@pytest.mark.parametrize("unit", ["", "furlong/s2", "m/s", "%g", None])
def test_unknown_units_are_refused_with_the_known_ones(unit):
    with pytest.raises(UnitError, match=r"unknown unit of acceleration .*; known: g, m/s2"):
        hx.GroundMotion(A, 0.01, unit)


def test_the_load_follows_mass_and_influence():
    base = hx.oscillator(3, 1)
    model = dataclasses.replace(base, influence=np.array([[1.0, -0.5]]), directions=("x", "z"))
    motion = hx.GroundMotion(A, 0.01, "g")
    assert forces(motion.on(model, g=1.0)).tolist() == [-3 * a for a in A]
    assert forces(motion.on(model, g=1.0, direction="z")).tolist() == [1.5 * a for a in A]
    with pytest.raises(LoadError, match="no direction 'y'; it has x, z"):
        motion.on(model, g=1.0, direction="y")


def test_g_must_be_said_where_the_model_states_no_units():
    with pytest.raises(UnitError, match="gravity is unknown; give g in the model's units"):
        hx.el_centro().on(hx.oscillator(1, 1))


@pytest.mark.parametrize("g", [0, -9.81, math.nan, math.inf, "standard"], ids=repr)
def test_a_wrong_g_is_refused(g):
    with pytest.raises(LoadError, match=r"GroundMotion\.on: g must be positive"):
        hx.el_centro().on(hx.oscillator(1, 1), g=g)


def test_scaled_is_a_copy_that_remembers():
    motion = hx.GroundMotion(A, 0.01, "g", source="made up")
    twice = motion.scaled(-2)
    assert twice.acceleration.tolist() == [-2 * a for a in A]
    assert (motion.peak, twice.peak) == (0.7, 1.4)
    assert twice.source == "made up × -2"
    assert motion.duration == 0.03
    with pytest.raises(LoadError, match="factor must be finite"):
        motion.scaled(math.nan)


def test_el_centro_is_the_series_of_chopras_appendix():
    """External: 1560 values in g at 0.02 s, zero first, then 0.0063, largest 0.319 (Chopra, appendix 6)."""
    motion = hx.el_centro()
    assert motion.acceleration.shape == (1560,)
    assert (motion.step, motion.unit) == (0.02, "g")
    assert motion.acceleration[:2].tolist() == [0.0, 0.0063]
    assert motion.duration == pytest.approx(31.18, abs=1e-12)
    assert motion.peak == pytest.approx(0.319, abs=5e-4)
    assert "El Centro" in motion.source


def test_samples_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        hx.el_centro().acceleration[0] = 1.0


@pytest.mark.parametrize(
    ("acceleration", "step", "message"),
    [
        ([], 0.01, r"at least one sample, got shape \(0,\)"),
        ([[0.0, 1.0]], 0.01, r"got shape \(1, 2\)"),
        ([0.0, math.nan], 0.01, r"sample 1 is not finite \(nan\)"),
        ([math.inf], 0.01, "sample 0 is not finite"),
        (["a"], 0.01, "acceleration must be numbers"),
        (A, 0.0, "step must be a positive number of seconds, got 0"),
        (A, -0.01, "step must be a positive number"),
        (A, math.nan, "step must be a positive number"),
        (A, "0.01", "step must be a positive number"),
        (A, None, "step must be a positive number"),
    ],
)
def test_ground_motion_refuses(acceleration, step, message):
    with pytest.raises(LoadError, match=f"GroundMotion: .*{message}"):
        hx.GroundMotion(acceleration, step, "g")


def test_a_component_that_the_source_ends_with_is_told_once():
    told = [
        repr(hx.GroundMotion([0.0, 0.1], 0.01, "g", component="090", source=s)) for s in ("Station 0, 090", "A 1090")
    ]
    assert "Station 0, 090;" in told[0]
    assert "A 1090 090;" in told[1]
