"""Rods: waves whose course is known in closed form."""

import numpy as np
import pytest
from scipy.special import i0

import hamex as hx
from hamex.errors import ModelError, SchemeError

COURANT = np.sqrt(0.5)  # h c/l at which the errors of elements in space and in time cancel at first order


def pulled(model, force, duration):
    """The free end under a force that comes at once and stays."""
    pattern = np.zeros((len(model.dofs), 1))
    pattern[-1] = force
    return hx.Problem(model, hx.Load(np.ones(2), step=duration, patterns=pattern), duration)


def still(model, duration, **given):
    nothing = hx.Load(np.zeros(2), step=duration, patterns=np.zeros((len(model.dofs), 1)))
    return hx.Problem(model, nothing, duration, **given)


def middles(sol):
    return (np.arange(sol.steps) + 0.5) * sol.step


def test_matrices_are_those_of_linear_elements():
    """Reference: analytic, ρAl/6 [[2, 1], [1, 2]], l/(EA) and the two ends."""
    model = hx.rod(length=1.5, elements=3, modulus=200.0, density=6.0, area=2.0)
    assert model.mass.toarray() == pytest.approx(np.array([[4, 1, 0], [1, 4, 1], [0, 1, 2]]))
    assert model.flexibility.toarray() == pytest.approx(np.eye(3) * 0.5 / 400)
    assert model.compatibility.toarray().tolist() == [[1, -1, 0], [0, 1, -1], [0, 0, 1]]
    assert model.supports.toarray().tolist() == [[-1, 0, 0]]
    assert (model.dofs, model.support_names) == (("node 1", "node 2", "node 3"), ("node 0",))
    lumped = hx.rod(length=1.5, elements=3, modulus=200.0, density=6.0, area=2.0, mass="lumped")
    assert lumped.mass.toarray() == pytest.approx(np.diag([6.0, 6.0, 3.0]))


def test_fields_are_taken_at_the_middle_of_the_elements():
    model = hx.rod(4.0, 4, modulus=lambda x: 100.0 * x, density=[1.0, 2.0, 3.0, 4.0], area=0.5, mass="lumped")
    assert 1 / model.flexibility.diagonal() == pytest.approx(np.array([0.5, 1.5, 2.5, 3.5]) * 100 * 0.5)
    assert model.mass.diagonal() == pytest.approx(0.25 * np.array([3.0, 5.0, 7.0, 4.0]))


@pytest.mark.parametrize(("mass", "scheme"), [("consistent", hx.Galerkin), ("lumped", hx.schemes.LeapFrog)])
def test_a_step_load_sends_the_triangle_wave(mass, scheme):
    """Reference: analytic, the free end goes to and fro between 0 and 2FL/EA in 4L/c, straight.

    With lumped masses and a step of l/c leap-frog is exact at every node.
    """
    sol = hx.solve(pulled(hx.rod(2.0, 200, 9.0, 1.0, mass=mass), 4.5, 16 / 3), scheme(0.01 / 3))
    place = np.mod(np.arange(sol.steps + 1) * sol.step * 3, 8.0)
    exact = 0.5 * np.where(place < 4, place, 8 - place)
    off = np.abs(sol.values("displacement")[:, -1] - exact).max() / 2
    assert off < (1e-11 if mass == "lumped" else 0.01)
    assert off > 0
    if mass == "consistent":
        assert sol.residual < 1e-12


@pytest.mark.parametrize("mass", ["consistent", "lumped"])
def test_a_bar_that_hits_a_wall_stays_for_two_transits_and_leaves_as_it_came(mass):
    """Reference: analytic, contact for 2L/c, stress ρcv, the whole velocity back."""
    size, speed = 200, 0.01
    wall = hx.spring_link(None, 0, 200.0, law=hx.laws.Gap())
    model = hx.rod(1.0, size, 1.0, 1.0, fixed="none", mass=mass, links=[wall])
    flying = hx.State(momentum=model.mass @ np.full(size + 1, -speed))
    sol = hx.solve(still(model, 3.0, start=flying), hx.Galerkin(0.5 / size))
    force, times = sol.values("force"), middles(sol)
    touching = times[-force[:, -1] > 0.5 * speed]
    assert touching[-1] - touching[0] == pytest.approx(2.0, rel=0.01)
    held = (times > 0.7) & (times < 1.3)
    assert force[held, size // 2].mean() == pytest.approx(-speed, rel=0.002)
    momentum = (model.mass @ sol.values("velocity")[-1]).sum()
    assert momentum / model.mass.sum() == pytest.approx(speed, rel=0.01)
    assert sol.residual < 1e-11


def test_a_bar_that_hardens_has_two_fronts():
    """Reference: analytic; the yield stress runs at √(E/ρ), what is above it at √(Et/ρ); flat in between."""
    size, hardening = 400, 1 / 3
    slow = np.sqrt(hardening / (1 + hardening))
    model = hx.rod(1.0, size, 1.0, 1.0, law=hx.Slider(1.0, kinematic=hardening * size))
    sol = hx.solve(pulled(model, 2.0, 0.9), hx.Galerkin(0.9 / 500))
    force, times = sol.values("force"), middles(sol)
    way = 1 - (np.arange(size) + 0.5) / size
    for speed, level in ((1.0, 0.5), (slow, 1.5)):
        places = [way[np.flatnonzero(row > level)[0]] for row in force[[250, 499]]]
        assert np.diff(places) / np.diff(times[[250, 499]]) == pytest.approx(speed, rel=0.01)
    between = (way > 1.1 * slow * times[-1]) & (way < 0.9 * times[-1])
    assert force[-1, between].mean() == pytest.approx(1.0, rel=0.01)
    assert force[-1, way < 0.9 * slow * times[-1]].mean() == pytest.approx(2.0, rel=0.01)
    assert sol.residual < 1e-12


def test_a_viscoplastic_bar_follows_the_closed_form():
    """Reference: analytic, σy + (ρcv − σy) exp(−t/2τ) I₀(√(t² − x²/c²)/2τ) behind the front, τ = η/E."""
    size, tau, limit, speed = 200, 0.2, 1.0, 3.0
    model = hx.rod(1.0, size, 1.0, 1.0, law=hx.Slider(limit, viscosity=tau * size))
    sol = hx.solve(still(model, 0.9, supports=hx.Load([0.0, -speed * 0.9], step=0.9)), hx.Galerkin(0.5 / size))
    x = (np.arange(size) + 0.5) / size
    for row, t in zip(sol.values("force")[119::60], middles(sol)[119::60], strict=True):
        behind = x < 0.8 * t
        over = np.exp(-t / 2 / tau) * i0(np.sqrt(t * t - x[behind] ** 2) / 2 / tau)
        assert row[behind] == pytest.approx(limit + (speed - limit) * over, rel=0.01)
    assert sol.residual < 1e-12


def test_waves_leave_at_an_absorbing_end():
    """Reference: analytic; nothing comes back, the end of a rod that goes on moves at F/(ρcA) for ever."""
    model = hx.rod(1.0, 100, 4.0, 1.0, area=3.0, fixed="none", absorbing="start")
    sol = hx.solve(pulled(model, 6.0, 4.0), hx.Galerkin(0.004))
    assert sol.values("velocity")[500:, -1].mean() == pytest.approx(6.0 / (2.0 * 3.0), rel=0.001)
    assert sol.values("force")[500:, 50].mean() == pytest.approx(6.0, rel=0.001)
    assert sol.energy["kinetic"].values[-1] == pytest.approx(0.5 * 3.0 * 1.0, rel=0.01)


def test_the_courant_number_that_cancels_errors_makes_waves_of_fourth_order():
    """Reference: analytic, the first mode; (kl)²/24 from the elements and −(kl)²/24 from steps of l/(√2 c)."""

    def off(size):
        model = hx.rod(1.0, size, 1.0, 1.0)
        shape = np.sin(0.5 * np.pi * np.arange(1, size + 1) / size)
        steps = round(4 * size / COURANT)
        start = hx.State(displacement=shape)
        sol = hx.solve(still(model, steps * COURANT / size, start=start), hx.Galerkin(COURANT / size))
        exact = np.cos(0.5 * np.pi * sol.steps * sol.step)
        return abs(sol.values("displacement")[-1, -1] - exact)

    coarse, fine = off(8), off(16)
    assert np.log2(coarse / fine) > 3.4


def test_lengths_and_links_that_do_not_fit_are_refused():
    good = {"length": 1.0, "elements": 4, "modulus": 1.0, "density": 1.0}
    for change, message in (
        ({"length": 0.0}, "length"),
        ({"elements": 2.5}, "elements must be a whole number"),
        ({"modulus": [1.0, 2.0]}, r"modulus has shape \(2,\) for 4 elements"),
        ({"modulus": -1.0}, "modulus of element 1 is -1"),
        ({"density": "steel"}, "density must be numbers"),
        ({"area": lambda x: x * np.nan}, "area of element 1 is nan"),
        ({"law": [hx.Slider(1.0)]}, "1 laws for 4 elements"),
        ({"law": hx.Surface((1.0, 1.0))}, "law of element 1 must be one of one force"),
        ({"fixed": "left"}, "fixed must be one of start, end, both, none"),
        ({"absorbing": "start"}, "cannot be fixed and absorbing"),
        ({"mass": "row sum"}, "mass must be one of consistent, lumped"),
        ({"elements": 1, "fixed": "both"}, "cannot move"),
        ({"links": [hx.elastic_link(None, 5, 1.0)]}, "nodes go by number, from 0 to 4"),
        ({"links": [3]}, "links are what"),
    ):
        with pytest.raises(ModelError, match=message):
            hx.rod(**good | change)
    with pytest.raises(SchemeError, match="lumped masses"):
        hx.solve(pulled(hx.rod(**good), 1.0, 1.0), hx.schemes.LeapFrog(0.1))
