"""Schemes for one mass on one spring: order, restarts, blocks, refusals, energies, files."""

import doctest
import importlib
import math

import numpy as np
import pytest

import hamex as hx
from hamex.errors import SchemeError
from hamex.lab.catalogue import Entry
from hamex.lab.convergence import measured_order
from hamex.solve import run

H, STEPS = 0.01, 120
S = hx.schemes
SCHEMES = [
    S.WilsonTheta(H),
    S.WilsonTheta(H, theta=1.8),
    S.Bathe(H),
    S.Bathe(H, split=0.6),
    S.RhoBathe(H, rho=0.3),
    S.TrBdf2(H),
    S.CentralDifference(H),
    S.RungeKutta4(H),
]
CLASSES = [S.WilsonTheta, S.Bathe, S.RhoBathe, S.TrBdf2, S.CentralDifference, S.RungeKutta4]
LAWS = {
    "elastic": hx.Slider(),
    "viscous": hx.Slider(0.27, 1.5),
    "rate-independent": hx.Slider(0.27),
    "kinematic": hx.Slider(0.27, 1.2, kinematic=20.0),
}
NOISE = 2 * np.random.default_rng(5).normal(size=80)
LOAD = hx.Load(NOISE, step=0.02)
by_name = pytest.mark.parametrize("scheme", SCHEMES, ids=str)


def problem(law="kinematic", load=LOAD):
    internal = {"back_force": [6e-3]} if law == "kinematic" else {}
    model = hx.oscillator(1.1, 225, damping=1.5, law=LAWS[law])
    return hx.Problem(model, load, duration=STEPS * H, start=hx.State(1e-3, -2e-2, 3e-4, internal))


@by_name
@pytest.mark.chief(
    "Bathe(step=0.01, split=0.6)",
    "RungeKutta4(step=0.01)",
    "WilsonTheta(step=0.01, theta=1.4)",
    "CentralDifference(step=0.01)",
)
def test_its_order_is_the_one_it_states(scheme):
    make = type(scheme)
    found = measured_order(Entry(make.__name__, make.__name__, "explicit", make, scheme.order, 1, ""), "smooth")
    assert found.order == pytest.approx(scheme.order, abs=0.1)


@by_name
def test_elastic_runs_follow_the_linear_map(scheme):
    """Kernels and matrices share no code; the load enters as the map says."""
    case, x = problem("elastic"), 225 / 1.1
    slip = case.replace(start=hx.State(1e-3, -2e-2))
    one = scheme.linear(H * math.sqrt(x), 1.5 / (2 * math.sqrt(225 * 1.1)))
    values = LOAD.stage_values(H, STEPS, one.nodes.tolist(), "average")[:, :, 0] * H**2 / 1.1
    state = np.array([1e-3, -2e-2 / 1.1 * H, values[0, 0] - H**2 * (1.5 * -2e-2 / 1.1 + 0.225) / 1.1])[: one.size]
    wanted = [state[0]]
    for q in values:
        state = one.matrix @ state + one.loading @ q
        wanted.append(state[0])
    found = hx.solve(slip, scheme).values("displacement")[:, 0]
    np.testing.assert_allclose(found, wanted, atol=1e-12 * np.abs(wanted).max())


@by_name
@pytest.mark.parametrize(
    ("law", "load"),
    [
        pytest.param(
            law,
            load,
            id=f"{law}, {words}",
            # Every law, and both loads; the rest in `make test-all`.
            marks=[] if (words == "record") != (law == "kinematic") else pytest.mark.heavy,
        )
        for law in LAWS
        for words, load in (("record", LOAD), ("record and sine", LOAD + hx.sine(0.7, omega=11.0)))
    ],
)
@pytest.mark.every_value
def test_bits_depend_neither_on_blocks_nor_on_restarts(scheme, law, load):
    case = problem(law, load)
    whole = run(case, scheme, block=1000)
    for block in (1, 7):
        cut = run(case, scheme, block=block)
        for name in whole.names:
            assert cut.values(name).tobytes() == whole.values(name).tobytes(), (block, name)
    first = hx.solve(case.replace(duration=50 * H), scheme)
    second = hx.solve(case.replace(duration=70 * H, start=first.final, load=load.after(50 * H)), scheme)
    for name in ("displacement", "momentum", "slip"):
        assert second.values(name).tobytes() == whole.values(name)[50:].tobytes(), name
    assert second.values("force").tobytes() == whole.values("force")[50:].tobytes()
    for name, value in whole.final.internal.items():
        assert second.final.internal[name].tobytes() == value.tobytes(), name


@by_name
def test_energies_and_error_bars_are_there(scheme):
    found = hx.solve(problem(), scheme, error=True)
    for name in ("kinetic", "stored", "viscous", "plastic", "hardening", "input", "imbalance"):
        assert found.values(name).shape == (STEPS + 1,)
        assert np.all(np.isfinite(found.values(name)))
    assert found.values("plastic")[-1] > 0
    finer = hx.solve(problem(), type(scheme)(H / 64))
    assert finer.residual < 0.1 * found.residual
    assert found.error["displacement"] > 0
    thin = hx.solve(problem(), scheme, keep=10)
    assert thin.peaks["displacement"].value == found.peaks["displacement"].value


@by_name
def test_the_balance_of_momentum_gives_mean_forces_of_tables(scheme):
    """Step means tend to the mean of the node forces as the step gets small."""
    found = hx.solve(problem("rate-independent"), type(scheme)(H / 64))
    nodes = found.values("node_force")[:, 0]
    np.testing.assert_allclose(found.values("force")[:, 0], 0.5 * (nodes[1:] + nodes[:-1]), atol=3e-3)


@by_name
def test_a_file_keeps_the_scheme_and_the_run_goes_on(scheme, tmp_path):
    case = problem()
    first = hx.solve(case.replace(duration=50 * H), scheme)
    back = hx.read(first.save(tmp_path / "out.nc"))
    assert back.scheme == scheme
    rest = case.replace(duration=10 * H, load=LOAD.after(50 * H))
    one, other = (hx.solve(rest.replace(start=sol.final), scheme) for sol in (first, back))
    assert one.values("displacement").tobytes() == other.values("displacement").tobytes()


REFUSED = {
    "isotropic hardening": hx.oscillator(1, 225, law=hx.Slider(0.27, isotropic=3.0)),
    "2 degrees of freedom": hx.shear_frame([1, 1], [225, 225], laws=hx.Slider(0.27, 1.5)),
    "1 degree of freedom and 1 spring \\(PowerLaw\\)": hx.oscillator(1, 225, law=hx.PowerLaw(1.5, 0.5)),
    "P-Delta": hx.shear_frame([1.0], [225.0], laws=hx.Slider(0.27), heights=3.0, weights=[2.0]),
    "one to one": hx.structure([[1.0]], 0.0, [[0.02]], [[2.0]]),
}


@pytest.mark.parametrize("make", CLASSES)
@pytest.mark.parametrize("message", REFUSED)
def test_what_it_cannot_march_is_refused_by_name(make, message):
    model = REFUSED[message]
    with pytest.raises(SchemeError, match=f"{make.__name__}: .*{message}.*use G"):
        hx.solve(hx.Problem(model, hx.Load(np.zeros((3, len(model.dofs))), step=H), 0.1), make(H))


@pytest.mark.parametrize("make", CLASSES)
def test_moving_supports_are_refused_by_name(make):
    model = hx.shear_frame([1.0], [225.0])
    moved = hx.Load(np.zeros((3, len(model.support_names))), step=H)
    with pytest.raises(SchemeError, match=f"{make.__name__}: moving supports"):
        hx.solve(hx.Problem(model, LOAD, 0.1, supports=moved), make(H))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: S.WilsonTheta(H, theta=0.9), "WilsonTheta: theta must be a number of at least 1"),
        (lambda: S.Bathe(H, split=1.0), "Bathe: split must be between 0 and 1"),
        (lambda: S.RhoBathe(H, rho=1.1), "RhoBathe: rho must be between 0 and 1"),
        *((lambda make=make: make(0.0), f"{make.__name__}: step must be a positive number") for make in CLASSES),
    ],
)
def test_wrong_numbers_have_their_message(wrong, message):
    with pytest.raises(SchemeError, match=message):
        wrong()


@pytest.mark.parametrize(("make", "limit"), [(S.CentralDifference, 2.0), (S.RungeKutta4, math.sqrt(8))])
def test_explicit_schemes_refuse_a_step_beyond_the_stable_one(make, limit):
    model = hx.oscillator(1, 225)
    longest = make(H).longest_step(model)
    assert longest == pytest.approx(limit / 15, rel=1e-6)
    for factor, ends in ((0.999, True), (1.02, False)):
        step = factor * longest
        case = hx.Problem(model, hx.constant(0.0), 400 * step, start=hx.State(1.0))
        if ends:
            assert np.abs(hx.solve(case, make(step)).values("displacement")).max() < 40
        else:
            with pytest.raises(SchemeError, match=f"{make.__name__}: the step .* is beyond the stable step"):
                hx.solve(case, make(step))


def test_viscosity_bounds_the_step_of_runge_kutta():
    """While the spring slips its rate is about k/η: real, so that 2.785 η/k is the bound."""
    stiff = hx.oscillator(1, 225, law=hx.Slider(0.27, 0.01))
    assert S.RungeKutta4(H).longest_step(stiff) == pytest.approx(2.785 * 0.01 / 225, rel=1e-3)
    damped = hx.oscillator(1, 225, damping=40.0)  # overdamped: the fast one of two real rates
    fast = 20 + math.sqrt(400 - 225)
    assert S.RungeKutta4(H).longest_step(damped) == pytest.approx(2.7853 / fast, rel=1e-4)


@pytest.mark.parametrize("module", ["implicit", "explicit"])
def test_the_examples_of_the_docstrings_run(module):
    found = doctest.testmod(importlib.import_module(f"hamex.schemes.{module}"))
    assert found.failed == 0
    assert found.attempted > 0
