"""Charges and zero tests that only a continuum or a branch can get wrong."""

import pytest
import sympy as sp

from hamex.principle.jets import is_zero, t
from hamex.principle.library import action


@pytest.mark.parametrize("name", ["elastic-1d", "elastic-2d"])
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


def test_a_lumped_system_has_no_flux():
    assert all(charge.flux == () for charge in action("forced").charges())


def test_a_branch_that_random_places_miss_is_not_zero():
    x, y = sp.symbols("x y", positive=True)
    assert not is_zero(sp.Piecewise((x, x > 10**9 * y), (0, True)))
    assert is_zero(sp.Piecewise((x - x, x > y), (0, True)))
