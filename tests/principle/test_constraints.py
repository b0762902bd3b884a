"""Constraints: their kinds by Frobenius, reactions by Lagrange and d'Alembert, and what is refused."""

import pytest
import sympy as sp

from hamex.errors import ActionError
from hamex.principle.action import Action
from hamex.principle.jets import is_zero, t
from hamex.principle.language import LanguageError, read_action
from hamex.principle.stepform import step_form
from hamex.principle.variation import energy_rate

m, l, R, I = sp.symbols("m l R I", positive=True)
x, y, z, theta, phi, lam, f = (sp.Function(name)(t) for name in ("x", "y", "z", "theta", "phi", "lambda", "f"))


def d(q):
    return q.diff(t)


PLANE = m * (d(x) ** 2 + d(y) ** 2) / 2
DISC = PLANE + I * (d(theta) ** 2 + d(phi) ** 2) / 2
CIRCLE = x**2 + y**2 - l**2
BLADE = d(x) * sp.sin(theta) - d(y) * sp.cos(theta)
ROLLING = (d(x) - R * sp.cos(theta) * d(phi), d(y) - R * sp.sin(theta) * d(phi))
EVERY = (x, y, theta, phi)

# constraints: (kinds, dimension of the largest integrable system)
KINDS = {
    "place": ((CIRCLE,), ("holonomic",), 1),
    "blade": ((BLADE,), ("nonholonomic",), 0),
    "exact": ((d(x) - R * d(phi),), ("integrable",), 1),
    "with an integrating factor": ((y * d(x) - x * d(y),), ("integrable",), 1),  # d(x/y) = 0
    "moving": ((d(x) - x * sp.cos(t),), ("integrable",), 1),  # x e^{−sin t}
    "rolling disc": (ROLLING, ("nonholonomic", "nonholonomic"), 0),
    "rolling disc that keeps its heading": ((*ROLLING, d(theta)), ("integrable",) * 3, 3),
    "one of each": ((BLADE, d(phi) - R * d(theta)), ("nonholonomic", "integrable"), 1),
    "a blade on a fixed heading": ((BLADE, theta - 1), ("integrable", "holonomic"), 2),
    "a blade that is turned": ((BLADE, theta - f), ("nonholonomic", "holonomic"), 1),  # in x, y and t
}


@pytest.mark.parametrize("name", KINDS)
def test_frobenius_decides_the_kind(name):
    """Analysis: what is integrable is written beside it; blade and disc are the textbook's nonholonomic ones."""
    constraints, kinds, size = KINDS[name]
    found = Action(EVERY, DISC, constraints=constraints).constrained()
    assert tuple(c.kind for c in found.constraints) == kinds
    assert found.integrals == size


def test_an_exact_constraint_names_what_it_keeps():
    (only,) = Action(EVERY, DISC, constraints=KINDS["exact"][0]).constrained().constraints
    assert is_zero(only.place - (x - R * phi))


def test_stated_multiplied_and_impulsive_constraints_are_one():
    stated = Action((x, y), PLANE, constraints=(CIRCLE,))
    plain = Action((x, y, lam), PLANE + lam * CIRCLE)
    impulse = Action((x, y, lam), PLANE + d(lam) * CIRCLE)
    for system, origin, reaction in (
        (stated, "stated", sp.Function("lambda_1")(t)),
        (plain, "multiplier", lam),
        (impulse, "impulse", d(lam)),
    ):
        found = system.constrained()
        (only,) = found.constraints
        assert (only.kind, only.origin, only.reaction, only.row, only.rest) == (
            "holonomic",
            origin,
            reaction,
            (2 * x, 2 * y),
            0,
        )
        assert (found.plain.fields, found.plain.constraints) == ((x, y), ())
        assert is_zero(found.plain.lagrangian - PLANE)
        assert is_zero(system.strong_form()[x] - m * d(x).diff(t) + 2 * x * reaction)
        assert found.reaction(x) == 2 * x * reaction
        assert is_zero(only.rate((x, y)) - d(CIRCLE))


def test_reactions_of_a_blade_do_no_work_along_it():
    system = Action((x, y, theta), PLANE + I * d(theta) ** 2 / 2, constraints=(BLADE,))
    pull = sp.Function("lambda_1")(t)
    forces = {
        q: e - Action((x, y, theta), PLANE + I * d(theta) ** 2 / 2).strong_form()[q]
        for q, e in system.strong_form().items()
    }
    assert is_zero(sum(force * d(q) for q, force in forces.items()) + pull * BLADE)
    assert energy_rate(system) == 0


def test_what_moves_a_constraint_does_work():
    pull = sp.Function("lambda_1")(t)
    system = Action((x,), m * d(x) ** 2 / 2, constraints=(x - f,))
    assert is_zero(energy_rate(system) - pull * d(f))
    (charge,) = Action((x,), m * d(x) ** 2 / 2, constraints=(x - f,)).charges()
    assert is_zero(charge.value - m * d(x))
    assert is_zero(charge.source - pull)


def test_names_of_multipliers_keep_clear_of_those_of_the_action():
    taken = sp.Function("lambda_1")(t)
    system = Action((x, taken), m * (d(x) ** 2 + d(taken) ** 2) / 2, constraints=(x - taken,))
    assert str(system.constrained().constraints[0].reaction) == "lambda_2(t)"


def test_what_moves_by_momentum_alone_is_no_constraint():
    """p in p ẋ − H, and the impulse J of a spring, are fields like others."""
    p, J = sp.Function("p")(t), sp.Function("J")(t)
    for system in (
        Action((x, p), p * d(x) - p**2 / (2 * m)),
        Action((x, J), m * d(x) ** 2 / 2 + d(J) ** 2 / 2 - d(J) * x),
        Action((x, y, z), d(x) * d(z) + y * z**2 / 2),  # z² = 0 needs no force
    ):
        assert system.constrained().constraints == ()


REFUSED = {
    "x.*no place was found.*together with": (x - 1, x - 2),
    "is redundant": (x - y, 2 * x - 2 * y),
    "Derivative.*is redundant": (x - y, d(x) - d(y)),
    "take out the square": (x**2,),
    "contains no field": (l,),
    "not linear in the rates": (d(x) ** 2 + d(y) ** 2 - l**2,),
    "products of rates": (d(x) * d(y),),
    "contains accelerations": (x.diff(t, 2),),
}


@pytest.mark.parametrize("says", REFUSED)
def test_constraints_that_cannot_be_are_refused_by_name(says):
    with pytest.raises(ActionError, match=says):
        Action((x, y), PLANE, constraints=REFUSED[says])


def test_a_multiplier_beside_the_same_constraint_is_redundant():
    with pytest.raises(ActionError, match="redundant"):
        Action((x, y, lam), PLANE + lam * (x - y), constraints=(x - y,))


def test_a_step_form_does_not_forget_a_constraint():
    for system in (Action((x, y), PLANE, constraints=(x - y,)), Action((x, y, lam), PLANE + d(lam) * (x - y))):
        with pytest.raises(ActionError, match="constraints have no rows in a step form"):
            step_form(system)


def test_constraints_as_text():
    system = read_action(
        ["x", "y", "theta"], "m*(x'^2 + y'^2)/2 + I*theta'^2/2", constraints=["x'*sin(theta) - y'*cos(theta)", " "]
    )
    assert [c.kind for c in system.constrained().constraints] == ["nonholonomic"]
    assert is_zero(system.constraints[0] - BLADE)
    with pytest.raises(LanguageError, match=r"\w") as problem:
        read_action(["x", "y"], "x'^2 + y'^2", constraints=["x^2 + "])
    assert "constraints" in str(vars(problem.value))
