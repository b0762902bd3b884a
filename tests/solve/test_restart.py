"""A run split anywhere and taken up from its final state repeats the whole run bit by bit."""

import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repetitions import crossed

import hamex as hx
from hamex.march import run
from hamex.solution.outline import VARIABLES

H, STEPS = 0.02, 30
RECORD = 3 * np.random.default_rng(5).normal(size=45)
NAMES = ("displacement", "momentum", "slip", "force", "impulse", "load", "node_force", "mean_displacement")
INTERNAL = ("back_force", "accumulated_slip")

LAWS = {
    "elastic": hx.Slider(),
    "viscous": hx.Slider(0.27, 1.5),
    "viscosity 0": hx.Slider(0.27),
    "both hardenings": hx.Slider(0.27, 0.4, kinematic=20.0, isotropic=9.0),
}
LOADS = {
    "record, equal steps": hx.Load(RECORD, step=H),
    "record, solver 1/3": hx.Load(RECORD[:15], step=3 * H),
    "record, solver 0.7": hx.Load(RECORD, step=H / 0.7),
    "record, solver 1/40": hx.Load(RECORD[:15], step=40 * H),
    "record, solver 2": hx.Load(RECORD, step=H / 2),
    "record, solver 1/π": hx.Load(RECORD, step=H * math.pi),
    "record that ended": hx.Load(RECORD[:7], step=H),
    "record from 0.0137 s on": hx.Load(RECORD, step=H).after(0.0137),
    "record from √0.02 s on": hx.Load(RECORD, step=H).after(math.sqrt(0.02)),
    "sine": hx.sine(2.0, omega=15.0, duration=0.31),
    "function of numbers": hx.Load(lambda t: 2 * math.sin(11 * t) if t < 0.4 else 0.5),
    "function from √2 s on": hx.Load(lambda t: 2 * np.cos(9 * t)).after(math.sqrt(2)),
}
SCHEMES = {
    "average": hx.Galerkin(H),
    "end": hx.Galerkin(H, load="end"),
    "mean": hx.Galerkin(H, load="mean"),
    "newmark": hx.Newmark(H, tolerance=1e-10, max_iterations=30),
    "exact": hx.PiecewiseExact(H),
}
START = hx.State(1e-3, -2e-2, 3e-4, {"accumulated_slip": [1e-3], "back_force": [6e-3]})

pytestmark = pytest.mark.filterwarnings("ignore::hamex.errors.StepWarning")


@pytest.fixture(params=["plain", "compiled"])
def mode(request, monkeypatch):
    """Both ways to run a kernel, whatever the process has loaded so far."""
    monkeypatch.setattr(run, "sys", SimpleNamespace(modules={}))
    monkeypatch.setattr(run, "WORTH_COMPILING", 0 if request.param == "compiled" else math.inf)


def problem_of(load, law, start=None):
    model = hx.oscillator(1, 225, damping=1.5, law=LAWS[law])
    if start is None:
        start = START if law == "both hardenings" else hx.State(1e-3, -2e-2, 3e-4)
    return hx.Problem(model, LOADS[load], duration=STEPS * H, start=start)


def in_parts(problem, scheme, cuts):
    """Solve piece by piece, each from the final state of the one before."""
    start, load, pieces, edges = problem.start, problem.load, [], [0, *cuts, STEPS]
    for begin, end in pairwise(edges):
        pieces.append(hx.solve(problem.replace(start=start, load=load, duration=(end - begin) * H), scheme))
        start, load = pieces[-1].final, load.after((end - begin) * H)
    return pieces


def joined(pieces, name):
    """Node histories share the node at the cut; step histories do not."""
    parts = [piece.values(name) for piece in pieces]
    on_nodes = len(parts[0]) == pieces[0].steps + 1
    return np.concatenate([parts[0], *(part[1:] if on_nodes else part for part in parts[1:])])


def assert_same_bits(whole, pieces):
    for name in (*NAMES, *(n for n in (*INTERNAL, "iterations") if n in whole.names)):
        assert joined(pieces, name).tobytes() == whole.values(name).tobytes(), name
    last, all_at_once = pieces[-1].final, whole.final
    for name in ("displacement", "momentum", "slip"):
        assert getattr(last, name).tobytes() == getattr(all_at_once, name).tobytes(), name
    assert set(last.internal) == set(all_at_once.internal)
    for name, value in all_at_once.internal.items():
        assert last.internal[name].tobytes() == value.tobytes(), name


@pytest.mark.parametrize(("load", "scheme"), crossed(LOADS, SCHEMES))
def test_split_anywhere(load, scheme, mode):
    for law in ["elastic"] if scheme == "exact" else ["viscous", "both hardenings"]:
        problem = problem_of(load, law)
        whole = hx.solve(problem, SCHEMES[scheme])
        for cuts in ([1], [13], [29], [4, 17]):
            assert_same_bits(whole, in_parts(problem, SCHEMES[scheme], cuts))


@pytest.mark.parametrize("law", LAWS)
def test_split_at_every_step(law, mode):
    problem = problem_of("record, solver 0.7", law)
    whole = hx.solve(problem, SCHEMES["average"])
    if law != "elastic":
        assert np.ptp(whole.values("slip")) > 1e-3
    for cut in range(1, STEPS):
        assert_same_bits(whole, in_parts(problem, SCHEMES["average"], [cut]))


@settings(derandomize=True)
@given(
    cuts=st.sets(st.integers(1, STEPS - 1), min_size=1, max_size=6).map(sorted),
    ratio=st.floats(0.05, 4.0),
    rule=st.sampled_from(["average", "end", "mean"]),
    scale=st.floats(0.01, 100.0),
    eta=st.sampled_from([0.0, 0.1, 30.0]),
)
def test_any_cuts_any_record_step(cuts, ratio, rule, scale, eta):
    model = hx.oscillator(1, 225, damping=1.5, law=hx.Slider(0.27, eta, kinematic=20.0, isotropic=9.0))
    problem = hx.Problem(model, hx.Load(scale * RECORD, step=ratio * H), duration=STEPS * H, start=START)
    scheme = hx.Galerkin(H, load=rule)
    assert_same_bits(hx.solve(problem, scheme), in_parts(problem, scheme, cuts))


def test_a_split_a_million_steps_later():
    """The ratio of the steps is no fraction, and the clock is far from zero."""
    h, last = 0.02 / math.pi, 1_200_000
    load = hx.Load(np.sin(np.arange(400_000.0)), step=0.02)
    whole = load.after((last - 7) * h).step_values(h, 40, "mean")
    rest = load.after((last - 7) * h).after(7 * h).step_values(h, 33, "mean")
    straight = load.after(last * h).step_values(h, 33, "mean")
    assert whole[7:].tobytes() == rest.tobytes() == straight.tobytes()


@pytest.mark.parametrize(("load", "scheme"), crossed(LOADS, SCHEMES))
def test_flipping_the_signs_flips_every_history(load, scheme, mode):
    law = "elastic" if scheme == "exact" else "both hardenings"
    problem = problem_of(load, law)
    start = problem.start
    internal = {name: value if name == "accumulated_slip" else -value for name, value in start.internal.items()}
    mirrored = problem.replace(
        load=problem.load.scaled(-1.0), start=hx.State(-start.displacement, -start.momentum, -start.slip, internal)
    )
    one, other = hx.solve(problem, SCHEMES[scheme]), hx.solve(mirrored, SCHEMES[scheme])
    unsigned = {
        "accumulated_slip",
        "iterations",
        "kinetic",
        "stored",
        "viscous",
        "plastic",
        "hardening",
        "input",
        "imbalance",
        "residual",
    }
    for name in one.names:
        if VARIABLES[name].dims[:1] not in (("time",), ("interval",)):
            continue
        sign = 1 if name in unsigned else -1
        assert np.array_equal(one.values(name), sign * other.values(name)), name
    assert one.values("displacement").any()


def test_flipping_the_samples_is_flipping_the_load():
    problem = problem_of("record, solver 0.7", "both hardenings", start=hx.State())
    one, other = (
        hx.solve(problem.replace(load=hx.Load(sign * RECORD, step=H / 0.7)), hx.Galerkin(H, load="mean"))
        for sign in (1, -1)
    )
    assert np.array_equal(one.values("displacement"), -other.values("displacement"))
    assert np.array_equal(one.values("slip"), -other.values("slip"))


def test_an_aftershock_starts_where_the_mainshock_left_the_structure():
    """No after() here: another record, the same final state; its slip is where the first one ended."""
    problem = problem_of("record, equal steps", "viscous")
    main = hx.solve(problem, hx.Galerkin(H))
    after = hx.solve(problem.replace(load=LOADS["sine"], start=main.final), hx.Galerkin(H))
    for name in ("displacement", "momentum", "slip", "impulse"):
        assert after.values(name)[0] == main.values(name)[-1]
    assert main.values("slip")[-1] != 0
