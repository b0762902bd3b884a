"""Every smooth lumped system that is stated, marched: its order against an independent integrator, and what is kept.

External reference: SciPy's DOP853 at a tolerance of 1e-13, on textbook equations in coordinates of their own.
"""

import warnings

import marched
import pytest
from systems import SYSTEMS

from hamex.errors import ConvexityWarning

SMOOTH = [name for name, s in SYSTEMS.items() if not s.refused and s.run is not None and s.run.smooth]
TWO = [name for name in SMOOTH if SYSTEMS[name].run.algebraic]
assert len(SMOOTH) >= 60, "systems were left out"
HELD = [name for name in SMOOTH if SYSTEMS[name].constraints or SYSTEMS[name].reactions]
CHARGED = [name for name in SMOOTH if SYSTEMS[name].charges]
DRIFT = {
    "Caldirola and Kanai's oscillator": "time is scaled with the field",
    "Calogero and Moser's line of three": "dilation and conformal change scale time",
    "cart and pole": "the integral of the load is exact here, and the run's by Gauss points",
    "mixed oscillator, damped and forced": "the same",
}

SHORT = {  # one of each kind
    "van der Pol oscillator",
    "Caldirola and Kanai's oscillator",
    "double pendulum",
    "Ziegler's column under a follower force",
    "spring and dashpot under large rotation",
    "Gaussian well",
    "Lagrange's top",
    "plunger in a solenoid",
    "mixed oscillator, damped and forced",
    "action in phase space",
    "spring and dashpot without mass",
    "mass on two springs with a massless joint",
    "mass on a Maxwell element",
    "pendulum by an impulse multiplier",
    "knife edge on a slope",
}


def each(names, short):
    """All of them; those outside ``short`` in the long round."""
    marked = [name if name in short else pytest.param(name, marks=pytest.mark.heavy) for name in names]
    return pytest.mark.parametrize("name", marked)


@pytest.fixture(autouse=True)
def built(request):
    """Dissipation that is not convex is said aloud when the action is built; here that is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvexityWarning)
        SYSTEMS[request.node.callspec.params["name"]].action()


@each(SMOOTH, SHORT)
def test_elements_of_degree_one_are_of_order_two(name):
    measured, error = marched.order(name, 1)
    assert measured == pytest.approx(2, abs=0.1)
    assert error < 5e-3


@each(SMOOTH, SHORT)
def test_elements_of_degree_two_are_of_order_four(name):
    measured, error = marched.order(name, 2)
    assert measured == pytest.approx(4, abs=0.25)
    assert error < 5e-5


@pytest.mark.heavy
@pytest.mark.parametrize("name", SMOOTH)
def test_elements_of_degree_three_are_of_order_six(name):
    measured, error = marched.order(name, 3)
    assert measured == pytest.approx(6, abs=0.6)
    assert error < 5e-6


@pytest.mark.heavy
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("name", SMOOTH)
def test_elements_with_jumps_are_of_odd_order(name, degree):
    measured, _ = marched.order(name, degree, jumps=True)
    assert measured == pytest.approx(2 * degree + 1, abs=0.5)


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("name", TWO)
def test_algebraic_fields_at_nodes(name, degree):
    """Gauss elements leave them an order of s + 1 for odd s and s for even s (Hairer, Lubich & Roche, 1989)."""
    measured, _ = marched.order(name, degree, of="algebraic")
    assert measured > degree + degree % 2 - 0.3


@each(HELD, SHORT)
def test_constraints_are_kept(name):
    """At the nodes, in places and in rates, to round-off."""
    drift = marched.drifts(name, 2)
    kept = [value for text, value in drift.items() if text.startswith("relation")]
    assert kept
    assert max(kept) < 1e-12


@each(CHARGED, SHORT)
def test_charges_are_kept_or_drift_with_the_order(name):
    """Changes that are affine in (q, t) are among the virtual ones: their charges are kept to round-off."""
    drift = [value for text, value in marched.drifts(name, 2).items() if text.startswith("charge")]
    assert max(drift) < (1e-5 if name in DRIFT else 1e-11)
    assert name not in DRIFT or max(drift) > 1e-9  # what is claimed to drift does
