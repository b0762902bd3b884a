"""Charges and zero tests that only a continuum or a branch can get wrong."""

import pytest
import sympy as sp

from hamex.errors import ActionError, ConvexityWarning
from hamex.principle.action import Action
from hamex.principle.jets import is_zero, t
from hamex.principle.library import action
from hamex.principle.variation import energy_rate


@pytest.mark.parametrize("name", ["elastic-1d", "elastic-2d"])
@pytest.mark.chief("elastic-1d")
def test_the_momentum_of_a_continuum_flows_through_its_boundary(name):
    """d(density)/dt + div(flux) − source is the strong form itself, hence zero along the motion."""
    system = action(name)
    strong = system.strong_form()
    for charge in system.charges():
        if len(charge.shift) > 1:
            continue
        ((q, s),) = charge.shift.items()
        divergence = sum(sp.diff(f, x) for f, x in zip(charge.flux, system.space, strict=True))
        rate = (sp.diff(charge.value, t) + divergence - charge.source).doit()
        assert is_zero(sp.expand(rate - s * strong[q]).doit())


def test_strain_rates_dissipate_by_a_stress():
    """Kelvin and Voigt: η u̇′ stands beside E u′ in the equation, on the boundary and in the flux; −η(u̇′)² is lost."""
    x = sp.Symbol("x", real=True)
    rho, E, eta = sp.symbols("rho E eta", positive=True)
    u = sp.Function("u")(x, t)
    density = rho * u.diff(t) ** 2 / 2 - E * u.diff(x) ** 2 / 2
    bar = Action((u,), density, eta * u.diff(x, t) ** 2 / 2, space=(x,))
    stress = E * u.diff(x) + eta * u.diff(x, t)
    assert is_zero(bar.strong_form()[u] - rho * u.diff(t, 2) + stress.diff(x))
    (side,) = bar.boundary_conditions()
    assert is_zero(side.force - stress * sp.Symbol("n_x", real=True))
    (charge,) = bar.charges()
    assert (charge.source, is_zero(charge.flux[0] + stress)) == (0, True)
    assert is_zero(energy_rate(bar) + eta * u.diff(x, t) ** 2)
    with pytest.warns(ConvexityWarning):
        Action((u,), density, -eta * u.diff(x, t) ** 2 / 2, space=(x,))
    with pytest.raises(ActionError, match="function of rates, but contains Derivative"):
        Action((u,), density, eta * u.diff(x) ** 2 / 2, space=(x,))


def test_a_lumped_system_has_no_flux():
    assert all(charge.flux == () for charge in action("forced").charges())


def test_a_branch_that_random_places_miss_is_not_zero():
    x, y = sp.symbols("x y", positive=True)
    assert not is_zero(sp.Piecewise((x, x > 10**9 * y), (0, True)))
    assert is_zero(sp.Piecewise((x - x, x > y), (0, True)))
