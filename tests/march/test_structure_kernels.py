"""Drivers of structures: compiled, plain and around a sparse solver, one function; and a cache that notices changes."""

from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from repetitions import crossed

import hamex as hx
from hamex.march import newton, run, structure

runs = import_module("hamex.schemes.onestage")
door = import_module("hamex.schemes.shear_frame")
NOISE = np.random.default_rng(7).normal(size=(61, 4))
SLIDER = hx.Slider(yield_force=8.0, viscosity=0.5, kinematic=30.0, isotropic=10.0)


def frame(law=SLIDER, **options):
    return hx.shear_frame([2.0, 1.5, 1.0, 1.0], [900.0, 800.0, 600.0, 400.0], laws=law, **options)


MODELS = {
    "chain": frame(damping=[2.0] * 4),
    "chain, P-Delta, viscosity 0": frame(hx.Slider(8.0), heights=3.0, weights=40.0),
    "band": frame(links=[hx.friction_slider(1, 4, force=3.0, stiffness=500.0)]),
    "power": frame(links=[hx.power_damper(0, 2, 4.0, 0.3, 5e3), hx.power_damper(2, 4, 9.0, 1.6, 5e3)]),
    "modal": frame(damping=hx.modal(0.05, modes=2)),
    "surface": hx.structure(
        np.ones(4),
        0.3 * np.eye(4),
        np.kron(np.eye(2), [[2e-3, 5e-4], [5e-4, 1e-3]]),
        np.eye(4) - np.eye(4, k=1),
        {
            (0, 1): hx.Surface((4.0, 6.0), (1.0, 0.0), 0.2, 20.0, 9.0),
            (2,): hx.Surface((5.0,)),
            (3,): hx.Surface((4.0,)),
        },
    ),
}
SCHEMES = {
    "galerkin": hx.Galerkin(0.02),
    "mean load": hx.Galerkin(0.05, load="mean"),
    "newmark": hx.Newmark(0.02, max_iterations=50),
    "safeguarded": hx.Newmark(0.02, safeguarded=True),
}


def histories(model, scheme):
    problem = hx.Problem(model, hx.Load(30 * NOISE, step=0.02), duration=1.0)
    sol = hx.solve(problem, scheme)
    return {name: sol.values(name).tobytes() for name in sol.names} | {
        f"final {name}": value.tobytes() for name, value in sol.final.internal.items()
    }


@pytest.mark.parametrize(("model", "scheme"), crossed(MODELS, SCHEMES))
def test_compiled_and_plain_runs_agree_in_every_bit(monkeypatch, model, scheme):
    monkeypatch.setattr(run, "sys", SimpleNamespace(modules={}))
    results = []
    for worth in (float("inf"), 0):
        monkeypatch.setattr(run, "WORTH_COMPILING", worth)
        results.append(histories(MODELS[model], SCHEMES[scheme]))
    assert results[0] == results[1]


INSIDE = {
    "halved": hx.Galerkin(0.02, tolerance=1e-3),
    "halved, jumps": hx.DiscontinuousGalerkin(0.02, degree=0, tolerance=1e-2),
    "located": hx.Galerkin(0.02, locate=True),
}


@pytest.mark.parametrize("scheme", INSIDE)
def test_steps_that_are_cut_inside_agree_in_every_bit_under_many_channels(monkeypatch, scheme):
    """Loads of elements of one stage stand in memory channel by channel."""
    results = []
    for worth in (float("inf"), 0):
        monkeypatch.setattr(run, "sys", SimpleNamespace(modules={}))
        monkeypatch.setattr(run, "WORTH_COMPILING", worth)
        results.append(histories(frame(hx.Slider(8.0, 0.5, 30.0), damping=[2.0] * 4), INSIDE[scheme]))
    assert results[0] == results[1]


@pytest.mark.parametrize("model", MODELS)
def test_the_sparse_route_walks_the_same_path(monkeypatch, model):
    problem = hx.Problem(MODELS[model], hx.Load(30 * NOISE, step=0.02), duration=1.0)
    monkeypatch.setattr(door, "is_shear_frame", lambda model: False)
    monkeypatch.setattr(door, "is_modal_frame", lambda *_: False)
    band = hx.solve(problem, hx.Galerkin(0.02))
    monkeypatch.setattr(runs, "WIDEST_BAND", -1)
    used = []
    factorise = runs.sparse_route.factorise
    monkeypatch.setattr(runs.sparse_route, "factorise", lambda *args: used.append(1) or factorise(*args))
    sparse = hx.solve(problem, hx.Galerkin(0.02))
    assert used
    for name in ("displacement", "momentum", "slip", "force"):
        size = np.abs(band.values(name)).max()
        assert np.abs(band.values(name) - sparse.values(name)).max() <= 1e-11 * size
    assert band.values("slip").any()
    assert sparse.residual <= 1e-11


def test_what_a_kernel_calls_is_part_of_its_name_in_the_cache(monkeypatch):
    """Numba's cache minds the file of a function only; a change in springs.py must reach the drivers, too."""
    ready = run._ready.__wrapped__
    before = ready(structure.prepared).__qualname__
    monkeypatch.setattr(run, "sources", lambda kernel: "other sources")
    assert ready(structure.prepared).__qualname__ != before


def test_one_layout_for_all_inputs(monkeypatch):
    """Every layout of an input would be compiled anew, for many seconds each."""
    model = MODELS["surface"]
    loads = [
        hx.Load(np.asfortranarray(NOISE), step=0.02),
        hx.Load(NOISE, step=0.02),
        hx.Load(NOISE[:, :1], step=0.02, patterns=np.ones((4, 1))),
    ]
    run._by_arrays.cache_clear()
    kinds, address = set(), run._address
    monkeypatch.setattr(run, "_address", lambda kernel, of: kinds.add((kernel, of)) or address(kernel, of))
    monkeypatch.setattr(run, "WORTH_COMPILING", 0)
    for load in loads:
        hx.solve(hx.Problem(model, load, 0.2), hx.Galerkin(0.02))
    one = hx.structure(np.ones(2), 0, [1e-3, 1e-3], np.eye(2), {(0, 1): hx.Surface((4.0, 6.0))})
    hx.solve(hx.Problem(one, hx.Load(NOISE[:, :2], step=0.02), 0.2), hx.Galerkin(0.02))
    for once in (structure.galerkin, newton.newton):
        assert len([kernel for kernel, _ in kinds if kernel is once]) == 1
