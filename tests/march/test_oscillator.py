"""One oscillator: a record read block by block, the energy pass, and the memory the histories lie in."""

import dataclasses
import math
import mmap
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import hamex as hx
from hamex.march import oscillator, run
from hamex.march import samples as sampling
from hamex.motion.load import LoadSum
from hamex.schemes.scheme import _PAGE, room_for
from hamex.solution import energy
from hamex.solution.energy import one_pass
from hamex.solution.outline import ENERGIES

H = 0.02
NOISE = 3 * np.random.default_rng(3).normal(size=2600)
LAWS = {
    "elastic": hx.Slider(),
    "viscous": hx.Slider(0.27, 1.5),
    "viscosity 0": hx.Slider(0.27),
    "kinematic": hx.Slider(0.27, 0.4, kinematic=20.0),
    "both hardenings": hx.Slider(0.27, 0.4, 20.0, 9.0),
}
START = {"both hardenings": hx.State(1e-3, -2e-2, 3e-4, {"accumulated_slip": [1e-3], "back_force": [6e-3]})}
# More than one block of steps; records that reach beyond the run, end inside it, start inside a sample.
LOADS = {
    "one sample a step": hx.Load(NOISE, H),
    "ends early": hx.Load(NOISE[:1100], H),
    "ends at a block": hx.Load(NOISE[: oscillator.BLOCK + 1], H),
    "ends in the last step of a block": hx.Load(NOISE[: oscillator.BLOCK], H),
    "short steps": hx.Load(NOISE[:90], 40 * H),
    "long steps": hx.Load(NOISE, H / 2),
    "any ratio": hx.Load(NOISE, H * math.pi),
    "later": hx.Load(NOISE, H).after(1500 * H),
    "inside a sample": hx.Load(NOISE, H).after(0.0137),
    "scaled": hx.Load(NOISE, H).scaled(-0.3),
}
pytestmark = pytest.mark.filterwarnings("ignore::hamex.errors.StepWarning")


@pytest.fixture(params=["plain", "compiled"])
def mode(request, monkeypatch):
    monkeypatch.setattr(run, "sys", SimpleNamespace(modules={}))
    monkeypatch.setattr(run, "WORTH_COMPILING", 0 if request.param == "compiled" else math.inf)


def problem_of(load, law="viscous", steps=2300, **parts):
    model = dataclasses.replace(hx.oscillator(1.3, 225, damping=1.5, law=LAWS[law]), **parts)
    return hx.Problem(model, load, steps * H, start=START.get(law, hx.State(1e-3, -2e-2, 3e-4)))


# A record read by the kernel ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["average", "end", "mean"])
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.every_value
def test_a_record_read_block_by_block_gives_the_bits_of_its_step_values(load, rule, mode):
    """A sum of one load is no single record, so its step values are computed first."""
    law = "both hardenings" if rule == "end" else "viscous"
    one, other = (
        hx.solve(problem_of(given, law), hx.Galerkin(H, load=rule)) for given in (LOADS[load], LoadSum((LOADS[load],)))
    )
    assert one.loading.means.tobytes() == other.loading.means.tobytes()
    for name in ("displacement", "momentum", "slip", "force"):
        assert one.values(name).tobytes() == other.values(name).tobytes(), name
    assert np.ptp(one.values("slip")) > 0


def test_the_load_of_a_record_is_not_stored_until_asked_for(monkeypatch):
    load = hx.Load(NOISE, H)
    sol = hx.solve(problem_of(load), hx.Galerkin(H))
    expected, asked, step_values = load.step_values(H, 2300, "average"), [], hx.Load.step_values
    monkeypatch.setattr(hx.Load, "step_values", lambda *args, **more: asked.append(1) or step_values(*args, **more))
    assert sol.provenance
    assert asked
    asked.clear()
    other = hx.solve(problem_of(load), hx.Galerkin(H))
    assert other.status
    assert not asked
    assert other.residual <= 1e-12
    assert other.provenance["problem"] == sol.provenance["problem"]
    assert other.values("load").tobytes() == expected.tobytes()
    assert len(asked) == 1, "balance, provenance and load share one reading"


def test_a_function_is_asked_by_the_march_and_once_by_the_results():
    calls = []
    load = hx.Load(lambda t: calls.append(1) or np.sin(np.asarray(t)))
    sol = hx.solve(problem_of(load), hx.Galerkin(H))
    of_march = len(calls)
    assert sol.residual <= 1e-12
    assert sol.provenance
    assert sol.values("load").any()
    assert len(calls) == 2 * of_march


@pytest.mark.parametrize("ratio", [1e-3, 0.0123, 0.0499999, 0.05, 1 / math.pi, 1.0, 2.5])
def test_nodes_are_where_the_formula_of_their_number_puts_them(ratio):
    samples, base, first = NOISE[:40].tolist(), 0.3, 17
    out = [0.0] * 3000
    sampling.nodes(samples, base, first, ratio, out)
    padded = [*samples, 0.0, 0.0]
    for r, found in enumerate(out):
        place = base + (first + r) * ratio
        i = min(int(place + sampling.CLOSE), len(samples))
        assert found == padded[i] + (padded[i + 1] - padded[i]) * max(place - i, 0.0), r
    part = [0.0] * 1000
    sampling.nodes(samples, base, first + 777, ratio, part)
    assert part == out[777:1777]
    averages = list(out)
    sampling.averages(samples, base, first, ratio, averages)
    assert averages[:-1] == [0.5 * (a + b) for a, b in pairwise(out)]


# Energies in one pass -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scheme", [hx.Galerkin(H), hx.Galerkin(H, load="end"), hx.Newmark(H), hx.PiecewiseExact(H)], ids=str
)
@pytest.mark.parametrize("law", LAWS)
def test_the_pass_over_one_oscillator_gives_the_bits_of_the_balance_for_any_model(law, scheme, monkeypatch):
    if isinstance(scheme, hx.PiecewiseExact) and law != "elastic":
        return
    monkeypatch.setattr(run, "WORTH_COMPILING", 0)
    parts = (
        {}
        if isinstance(scheme, hx.PiecewiseExact)
        else {"stiffness": np.array([[-2.0]]), "compatibility": np.array([[-0.6]])}
    )
    sol = hx.solve(problem_of(hx.Load(0.1 * NOISE, H).scaled(1.7), law, **parts), scheme)
    assert set(one_pass(sol, keep=True)) == set(ENERGIES)
    found = {name: sol.values(name) for name in ENERGIES}
    monkeypatch.setattr(energy, "one_pass", lambda solution, keep: None)
    general = dataclasses.replace(sol, _cache={})
    for name in ENERGIES:
        assert found[name].tobytes() == general.values(name).tobytes(), name
        assert not found[name].flags.writeable
    if isinstance(scheme, hx.Galerkin):
        assert 0 < sol.residual <= 1e-12


def test_the_residual_alone_is_the_residual(monkeypatch):
    monkeypatch.setattr(run, "WORTH_COMPILING", 0)
    sol = hx.solve(problem_of(LOADS["one sample a step"], "both hardenings"), hx.Galerkin(H))
    assert set(one_pass(sol, keep=False)) == {"residual"}
    alone, whole = one_pass(sol, keep=False)["residual"], one_pass(sol, keep=True)["residual"]
    assert float(alone) == float(whole) == sol.residual > 0


def test_what_the_pass_does_not_cover_is_left_to_the_balance_for_any_model(monkeypatch):
    """Two loads at once, and damping by modes; nothing is compiled."""
    monkeypatch.setattr(run, "WORTH_COMPILING", 0)
    modal = hx.oscillator(1, 225, law=LAWS["viscous"])
    modal = dataclasses.replace(
        modal, damping=dataclasses.replace(modal.damping, shapes=np.ones((1, 1)), weights=np.array([1.5]))
    )
    for problem in (
        problem_of(LOADS["scaled"] + LOADS["ends early"]),
        hx.Problem(modal, LOADS["one sample a step"], 2300 * H),
    ):
        sol = hx.solve(problem, hx.Galerkin(H))
        assert one_pass(sol, keep=True) is None
        assert 0 < sol.residual <= 1e-12
    monkeypatch.setattr(run, "sys", SimpleNamespace(modules={}))
    monkeypatch.setattr(run, "WORTH_COMPILING", math.inf)
    sol = hx.solve(problem_of(LOADS["one sample a step"]), hx.Galerkin(H))
    assert one_pass(sol, keep=True) is None
    assert 0 < sol.residual <= 1e-12


# Memory -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 1000, _PAGE // 16 - 1, _PAGE // 16, 3 * _PAGE // 8 + 5])
def test_long_memory_begins_on_a_large_page(count):
    (block,) = room_for((count,))
    assert block.shape == (count,)
    assert block.flags.c_contiguous
    if 16 * count >= _PAGE and hasattr(mmap, "MADV_HUGEPAGE"):
        assert block.__array_interface__["data"][0] % _PAGE == 0
    block[:] = 1.0


@pytest.mark.parametrize("law", ["viscous", "both hardenings"])
def test_histories_do_not_overlap(law):
    sol = hx.solve(problem_of(LOADS["any ratio"], law, steps=7), hx.Galerkin(H))
    names = ["displacement", "momentum", "slip", "force"]
    names += ["back_force", "accumulated_slip"] if law == "both hardenings" else []
    arrays = [sol.values(name) for name in names]
    assert [len(array) for array in arrays] == [8, 8, 8, 7, 8, 8][: len(names)]
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])
