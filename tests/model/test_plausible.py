"""What is possible but unlikely is warned of by name, with the likely slip; what is usual is not."""

import warnings

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ImplausibleWarning, ModelError

SI = hx.Units("m", "kN")


def building(masses, units=SI):
    return hx.shear_frame(masses=masses, stiffnesses=[60e3, 50e3, 40e3], units=units)


def portal(mass=30.0, units=SI, top=True, modulus=210e6, **keys):
    """Two storeys and one bay of steel."""
    steel = {"modulus": modulus, "area": 0.015, "inertia": 2.5e-4, **keys}
    pairs = [("A0", "A1"), ("A1", "A2"), ("B0", "B1"), ("B1", "B2"), ("A1", "B1"), ("A2", "B2")]
    return hx.frame(
        {f"{row}{level}": (x, 3.5 * level) for row, x in (("A", 0.0), ("B", 7.0)) for level in range(3)},
        [hx.Member(*pair, **steel) for pair in pairs],
        supports={"A0": "fixed", "B0": "fixed"},
        masses={"A1": mass, "B1": mass, **({"A2": mass, "B2": mass} if top else {})},
        levels=[["A1", "B1"], ["A2", "B2"]],
        units=units,
    )


def tower(mass=3.0):
    """A cantilever of one triangle on another."""
    nodes = {"A": (0, 0), "B": (3, 0), "C": (0, 3), "D": (3, 3)}
    bars = [("A", "C"), ("B", "D"), ("C", "D"), ("A", "D")]
    held = {"A": "pinned", "B": "pinned"}
    return hx.truss(nodes, bars, held, {"C": mass, "D": mass}, rigidity=1e5, levels=[["C", "D"]], units=SI)


def violent():
    return hx.GroundMotion(np.array([0.0, 441.0, -200.0]), 0.02, "g")


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        (lambda: hx.ratio(3), "3 % is 0.03"),
        (lambda: hx.modal([0.05, 5.0]), "500 % of critical"),
        (lambda: hx.rayleigh(2.0), "200 % of critical"),
        (lambda: building([60e3] * 3), r"masses are in t \(kN s²/m\)"),
        (
            lambda: portal(30e3),
            r"frame: the first period is above [\d.]+ s, more than 2 storeys have; in m and kN masses are in t \(kN "
            r"s²/m\): are they, and the moduli in kN/m²\?",
        ),
        (lambda: tower(30e3), r"truss: the first period .* 1 storey has; .*and the rigidities in kN\?"),
        (lambda: portal(top=False), "frame: level 'storey 2' has no mass, and the others have; give its nodes masses"),
        (
            lambda: portal(modulus=210e3),
            r"modulus 2\.1e\+05 kN/m² of A0-A1 is 0\.21 GPa; steel has 210 GPa, .*: is it in kN/m²\?",
        ),
        (
            lambda: portal(modulus=200e9),
            r"modulus 2e\+11 kN/m² of A0-A1 is 2e\+05 GPa; steel has 210 GPa, .*: is it in kN/m²\?",
        ),
        (lambda: portal(compression=-300.0), "compression is negative in every member .* tension, which stiffens"),
        (lambda: violent().on(building([60.0] * 3)), "shakes with 441 g.*are its samples in g"),
        (lambda: hx.el_centro().on(building([60.0] * 3), g=386.4), "one gravity is 9.80665 m/s²"),
        (
            lambda: hx.batch(hx.oscillators(period=[1.0], damping_ratio=0.05, units=SI), violent(), hx.Galerkin(0.02)),
            "shakes with 441 g",
        ),
    ],
)
def test_a_likely_slip_is_named(slip, said):
    with pytest.warns(ImplausibleWarning, match=said):
        slip()


def test_what_is_usual_is_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hx.ratio(0.4)
        frame = building([60.0] * 3)
        hx.el_centro().on(frame)
        hx.el_centro().on(frame, g=1.0)  # the paper's bare number
        hx.el_centro().on(frame, g=9.81)
        building([60e3] * 3, units=None)
        portal()
        portal(30e3, units=None)
        tower()
        portal(compression=300.0)
        portal(modulus=1, area=3e6, inertia=5e4)  # EA and EI


def test_gravity_comes_from_the_units():
    frame = building([60.0] * 3)
    given, known = (hx.el_centro().on(frame, g=g).forces for g in (9.80665, None))
    assert np.array_equal(given, known)
    many = hx.oscillators(period=[1.0], damping_ratio=0.05, units=SI)
    one, other = (
        hx.batch(many, hx.el_centro(), hx.Galerkin(0.02), g=g).values("displacement") for g in (9.80665, None)
    )
    assert np.array_equal(one, other)


def test_several_lists_that_do_not_fit_are_told_together():
    with pytest.raises(ModelError, match=r"3 masses, 5 stiffnesses, 5 heights"):
        hx.shear_frame(masses=[1.0] * 3, stiffnesses=[10.0] * 5, heights=[3.0] * 5)


def test_what_buckles_names_its_loads():
    with pytest.raises(ModelError, match=r"the gravity loads \(compression of members\) exceed"):
        portal(compression=1e6)
    with pytest.raises(ModelError, match=r"the gravity loads \(weights\) exceed"):
        hx.shear_frame([1.0], [10.0], heights=3.0, weights=40.0)
