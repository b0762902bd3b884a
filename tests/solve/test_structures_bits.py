"""Runs of structures repeat, restart and mirror bit by bit; routes and orders agree to round-off."""

from importlib import import_module

import numpy as np
import pytest

import hamex as hx
from hamex.march import run as kernels

door = import_module("hamex.schemes.shear_frame")
H, STEPS = 0.02, 40
RECORD = 60 * np.random.default_rng(5).normal(size=(STEPS + 1, 4))
PAIR = [[2e-3, 5e-4], [5e-4, 1e-3]]


def frame(law, **options):
    return hx.shear_frame([2.0, 1.5, 1.0, 1.0], [900.0, 800.0, 600.0, 400.0], laws=law, **options)


MODELS = {
    "chain": frame(hx.Slider(8.0, 0.5), damping=[2.0] * 4),
    "chain, hardening": frame(hx.Slider(8.0, 0.5, 30.0, 10.0)),
    "chain, viscosity 0, P-Delta": frame(hx.Slider(8.0), heights=3.0, weights=40.0),
    "band": frame(hx.Slider(8.0), links=[hx.friction_slider(1, 4, force=3.0, stiffness=500.0)]),
    "band, hardening, modal": frame(hx.Slider(8.0, 0.5, 30.0, 10.0), damping=hx.modal(0.05, modes=2)),
    "power": frame(hx.Slider(8.0, 0.1), links=[hx.power_damper(0, 2, 4.0, 0.3, 5e3)]),
    "surface": hx.structure(
        np.ones(4),
        0.3 * np.eye(4),
        np.kron(np.eye(2), PAIR),
        np.eye(4) - np.eye(4, k=1),
        {
            (0, 1): hx.Surface((4.0, 6.0), (1.0, 0.0), 0.2, 20.0, 9.0),
            (2,): hx.Surface((5.0,)),
            (3,): hx.Surface((4.0,)),
        },
    ),
}
SCHEMES = {
    "galerkin": hx.Galerkin(H),
    "mean": hx.Galerkin(H, load="mean"),
    "safeguarded": hx.Newmark(H, safeguarded=True),
    "newmark": hx.Newmark(H, max_iterations=60),
}


@pytest.fixture(autouse=True)
def _compiled(monkeypatch):
    monkeypatch.setattr(kernels, "WORTH_COMPILING", 0)


def problem(model, load=None, start=None, steps=STEPS):
    return hx.Problem(
        model,
        load or hx.Load(RECORD, step=H),
        steps * H,
        start=start or hx.State(1e-3 * np.arange(4), [0.0, 0.3, 0.0, -0.2]),
    )


def bits(sol, name):
    return sol.values(name).tobytes()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.every_value
def test_the_same_run_twice_has_the_same_bits(model, scheme):
    one, other = (hx.solve(problem(MODELS[model]), SCHEMES[scheme]) for _ in range(2))
    assert all(bits(one, name) == bits(other, name) for name in one.names)
    assert one.values("slip").any()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.every_value
def test_a_run_taken_up_at_any_step_repeats_the_whole_one(model, scheme):
    on = hx.Limit(stop=False)
    whole = hx.solve(problem(MODELS[model]), SCHEMES[scheme], limit=on)
    load = hx.Load(RECORD, step=H)
    for cut in (1, 7, 8, 23, STEPS - 1):
        first = hx.solve(problem(MODELS[model], steps=cut), SCHEMES[scheme], limit=on)
        later = problem(MODELS[model], load.after(cut * H), first.final, STEPS - cut)
        rest = hx.solve(later, SCHEMES[scheme], limit=on)
        for name in ("displacement", "momentum", "slip", "impulse", "node_force", "back_force", "accumulated_slip"):
            if name in whole.names:
                joined = np.concatenate([first.values(name), rest.values(name)[1:]])
                assert joined.tobytes() == bits(whole, name), name
        for name in ("force", "solves", "searches", "load"):
            assert np.concatenate([first.values(name), rest.values(name)]).tobytes() == bits(whole, name), name
        assert set(rest.final.internal) == set(whole.final.internal)
        for name, value in whole.final.internal.items():
            assert rest.final.internal[name].tobytes() == value.tobytes(), name


@pytest.mark.parametrize("model", [name for name in MODELS if name != "surface"])
@pytest.mark.parametrize("scheme", ["galerkin", "safeguarded"])
def test_flipping_the_signs_flips_every_history(model, scheme):
    one = hx.solve(problem(MODELS[model]), SCHEMES[scheme])
    start = problem(MODELS[model]).start
    other = hx.solve(
        problem(MODELS[model], hx.Load(-RECORD, step=H), hx.State(-start.displacement, -start.momentum)),
        SCHEMES[scheme],
    )
    for name in ("displacement", "momentum", "slip", "force"):
        assert np.array_equal(one.values(name), -other.values(name)), name
    assert bits(one, "solves") == bits(other, "solves")


def agree(one, other, tolerance, dofs=slice(None), springs=slice(None)):
    for name, order in (("displacement", dofs), ("momentum", dofs), ("slip", springs), ("force", springs)):
        a, b = one.values(name)[:, order], other.values(name)
        assert np.abs(a - b).max() <= tolerance * np.abs(a).max(), name


@pytest.mark.parametrize("model", [name for name in MODELS if name.startswith("chain")])
def test_the_chain_and_the_general_route_agree(monkeypatch, model):
    chain = hx.solve(problem(MODELS[model]), hx.Galerkin(H))
    monkeypatch.setattr(door, "is_shear_frame", lambda model: False)
    monkeypatch.setattr(door, "is_modal_frame", lambda *_: False)
    general = hx.solve(problem(MODELS[model]), hx.Galerkin(H))
    agree(chain, general, 1e-12)
    assert np.array_equal(chain.final.internal["branch"], general.final.internal["branch"])
    assert np.allclose(chain.final.internal["accumulated_slip"], general.final.internal["accumulated_slip"], rtol=1e-11)


def test_the_order_of_dofs_and_springs_does_not_matter():
    rng = np.random.default_rng(8)
    B = np.eye(4) - np.eye(4, k=1)
    B = np.hstack([B, [[1.0], [0.0], [0.5], [-1.0]]])
    laws = [hx.Slider(8.0, 0.5, 30.0), hx.Slider(6.0), hx.PowerLaw(5.0, 0.4), None, hx.Slider(3.0, 0.0, 0.0, 20.0)]
    flexibility = np.array([1 / 900, 1 / 800, 1 / 5e3, 1 / 400, 1 / 500])
    mass, damping = np.array([2.0, 1.5, 1.0, 1.0]), np.diag([1.0, 2.0, 0.5, 0.1])
    plain = hx.solve(problem(hx.structure(mass, damping, flexibility, B, laws)), hx.Galerkin(H))
    for _ in range(4):
        dofs, springs = rng.permutation(4), rng.permutation(5)
        shuffled = hx.structure(
            mass[dofs],
            damping[np.ix_(dofs, dofs)],
            flexibility[springs],
            B[np.ix_(dofs, springs)],
            [laws[j] for j in springs],
        )
        start = problem(shuffled).start
        sol = hx.solve(
            problem(
                shuffled, hx.Load(RECORD[:, dofs], step=H), hx.State(start.displacement[dofs], start.momentum[dofs])
            ),
            hx.Galerkin(H),
        )
        agree(plain, sol, 1e-12, dofs, springs)


@pytest.mark.parametrize("model", ["chain, hardening", "band, hardening, modal", "surface"])
def test_a_state_without_branches_restarts_up_to_round_off(model):
    """The branches are a guess: leaving them out costs solves, not accuracy."""
    whole = hx.solve(problem(MODELS[model]), hx.Galerkin(H))
    first = hx.solve(problem(MODELS[model], steps=17), hx.Galerkin(H))
    internal = {name: value for name, value in first.final.internal.items() if name != "branch"}
    bare = hx.State(first.final.displacement, first.final.momentum, first.final.slip, internal)
    rest = hx.solve(problem(MODELS[model], hx.Load(RECORD, step=H).after(17 * H), bare, STEPS - 17), hx.Galerkin(H))
    assert np.abs(rest.values("displacement")[-1] - whole.values("displacement")[-1]).max() <= 1e-12
