"""What the rule does not cover is refused by name; a dissipation that is not convex is flagged."""

import warnings

import pytest
import sympy as sp

from hamex.errors import ActionError, ConvexityWarning
from hamex.principle.action import Action, convexity
from hamex.principle.jets import t
from hamex.principle.library import LIBRARY, action
from hamex.principle.stepform import slider_potential

m, k, c, a, mu, eta, Fy = sp.symbols("m k c a mu eta F_y", positive=True)
u, v, J, N, theta, lam = (sp.Function(name)(t) for name in ("u", "v", "J", "N", "theta", "lambda"))
f = sp.Function("f")(t)
u_dot, v_dot, j_dot, n_dot, theta_dot = (q.diff(t) for q in (u, v, J, N, theta))
KINETIC = m * (u_dot**2 + v_dot**2 + theta_dot**2) / 2
MASS = m * u_dot**2 / 2


def refused(*arguments, says, **more):
    with pytest.raises(ActionError, match=says):
        Action(*arguments, **more)


def test_velocity_constraints_are_vakonomic():
    refused(
        (u, v, theta, lam),
        KINETIC + lam * (u_dot * sp.sin(theta) - v_dot * sp.cos(theta)),
        says=r"lambda\(t\) multiplies the velocity constraint.*vakonomic, not nonholonomic",
    )  # a blade
    rolling = m * (u_dot**2 + theta_dot**2) / 2 + lam * (u_dot - 2 * theta_dot)
    refused((u, theta, lam), rolling, says="vakonomic")
    refused((u, v, lam), m * (u_dot**2 + v_dot**2) / 2 + lam * (u_dot**2 + v_dot**2 - 1), says="vakonomic")
    loaded = m * (u_dot**2 + v_dot**2) / 2 + lam * (v * u_dot - u * v_dot)
    refused((u, v, lam), loaded, loads={lam: f}, says="vakonomic")


def test_multipliers_of_index_three():
    refused((u, v, lam), m * (u_dot**2 + v_dot**2) / 2 + lam * (u**2 + v**2 - 1), says=r"lambda\(t\) .* index 3")
    refused((u, lam), MASS + lam * (u - sp.sin(t)), says="index 3")
    refused((u, lam), MASS + k * lam, says="no equation determines it")


def test_what_only_looks_like_a_multiplier_is_covered():
    """A massless joint: its u multiplies J̇, but a load or a dashpot makes that a balance of forces."""
    Action((u, J), a * j_dot**2 / 2 - j_dot * u, j_dot**2 / (2 * eta), {u: f})
    Action((u, J), a * j_dot**2 / 2 - j_dot * u, c * u_dot**2 / 2)
    Action((u, v), MASS - k * (u - v) ** 2 / 2)


def test_non_associated_friction():
    system = m * (u_dot**2 + n_dot**2) / 2 - n_dot * u
    refused((u, N), system, mu * n_dot * sp.Abs(u_dot), says="non-associated friction: the limit mu")
    # A load says it without the spurious motion; a limit that depends on places has a potential at every place.
    Action((u, N), system, loads={u: -mu * n_dot * sp.sign(u_dot)})
    Action((u,), MASS - k * u**2 / 2, mu * u**2 * sp.Abs(u_dot))
    Action((u,), MASS, mu * sp.Abs(u_dot))  # a constant limit has a potential


def test_dissipation_must_be_a_function_of_rates():
    x = sp.Symbol("x", real=True)
    w = sp.Function("w")(x, t)
    density = m * w.diff(t) ** 2 / 2
    refused((w,), density, c * w * w.diff(t) ** 2 / 2, space=(x,), says=r"of rates, but contains w\(x, t\) itself")
    refused((u,), MASS, c * u.diff(t, 2) ** 2 / 2, says=r"function of rates, but contains Derivative")
    refused((u,), MASS, c, says="none of the fields' rates")
    refused((u,), MASS, c * v_dot**2, says="none of the fields' rates")
    Action((u,), MASS, sp.Function("c")(t) * u_dot**2 / 2)  # a coefficient that is given in time


def test_fields_loads_and_coordinates_are_checked():
    x = sp.Symbol("x", real=True)
    refused((), MASS, says="no fields")
    refused((u, v), MASS, says=r"v\(t\) occurs neither in the Lagrangian nor in the dissipation")
    refused((sp.Symbol("u"),), MASS, says="must be a function of t")
    refused((sp.Function("u")(sp.Symbol("t")),), MASS, says="the t of hamex.principle")
    refused((sp.Function("u")(x, t),), MASS, says="space=")
    refused((u,), u.diff(t, 2) ** 2, says="rates enter once")
    refused((u,), MASS, loads={v: f}, says="acts on no field")
    refused((u,), MASS, loads={u: -m * u.diff(t, 2)}, says="accelerations is inertia, and belongs in the Lagrangian")
    w = sp.Function("w")(x, t)
    refused((w,), m * w.diff(t) ** 2 / 2, loads={w: -k * w}, space=(x,), says="belong in the Lagrangian")


def test_an_unknown_name_comes_with_the_known_ones():
    with pytest.raises(ActionError, match="no action is called 'pendulums'; did you mean 'pendulum'\\?") as error:
        action("pendulums")
    assert all(name in str(error.value) for name in LIBRARY)
    with pytest.raises(ActionError, match="known: caldirola-kanai"):
        action("zzzz")


NOT_CONVEX = {
    "negative damper": (-c * u_dot**2 / 2, [u]),
    "falls between two wells": (c * (u_dot**2 - 1) ** 2, [u]),
    "force falls at the joint": (sp.Piecewise((u_dot, u_dot < 0), (-u_dot, True)), [u]),
    "square root of the rate": (c * sp.sqrt(sp.Abs(u_dot)), [u]),
    "only together": (c * u_dot * v_dot, [u, v]),
    "one of two": (c * v_dot**2 - c * sp.cos(u_dot), [u]),
    "van der Pol, inside": (c * (u**2 - 1) * u_dot**2 / 2, [u]),
    "of the sign of a place": (c * v * u_dot**2 / 2, [u]),
}


@pytest.mark.parametrize("name", NOT_CONVEX)
def test_dissipation_that_is_not_convex_is_flagged_with_its_field(name):
    potential, fields = NOT_CONVEX[name]
    rates = ", ".join(rf"d{q.func.__name__}\(t\)/dt" for q in fields)
    with pytest.warns(ConvexityWarning, match=f"not convex in {rates}[:,]"):
        system = Action((u, v), m * (u_dot**2 + v_dot**2) / 2, potential)
    assert convexity(system).fields == tuple(fields)


CONVEX = {
    "damper": (c * u_dot**2 / 2, True),
    "damper between two": (c * (u_dot - v_dot) ** 2 / 2, True),
    "slider": (slider_potential(u_dot, Fy, eta), True),
    "friction": (mu * sp.Abs(u_dot), True),
    "power law": (c * sp.Abs(u_dot) ** sp.Rational(3, 2), None),
    "quartic": (c * u_dot**4 + c * v_dot**2, True),
    "dashpot that turns": (c * (u_dot * sp.cos(v) + v_dot * sp.sin(v)) ** 2 / 2, True),
    "friction that grows outwards": (mu * (1 + u**2) * sp.Abs(u_dot), True),
}


@pytest.mark.parametrize("name", CONVEX)
def test_a_convex_dissipation_passes_in_silence(name):
    potential, proved = CONVEX[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = convexity(Action((u, v), m * (u_dot**2 + v_dot**2) / 2, potential))
    assert not found.refuted
    assert found.pieces is proved or found.pieces


def test_the_library_is_convex():
    assert not [name for name in LIBRARY if convexity(action(name)).refuted]
