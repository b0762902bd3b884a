"""OpenSees solves the paper's oscillator, with the loads and the viscosity we think it uses.

OpenSees is an optional peer: without it these tests skip with the reason, except on CI, where they fail.
"""

import importlib.util
import math
import os

import numpy as np
import pytest

from hamex.paper import opensees
from hamex.paper.opensees import OpenSeesError

RESONANT = {
    "name": "resonant",
    "mass": 1.0,
    "stiffness": 225.0,
    "damping": 1.5,
    "yield_force": 0.27,
    "viscosity": 1.5,
    "step": 0.01,
    "forces": (-0.2 * np.sin(15.0 * 0.01 * np.arange(1001))).tolist(),
}


@pytest.fixture(scope="module")
def real() -> None:
    reason = opensees.available()
    if reason is None:
        return
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def newmark(case):
    """Average acceleration with Newton, slip by backward Euler: written apart from OpenSees.

    Same start of the iteration and same tolerance as there: 1e-7 is loose for motions of 1e-3, and where an
    increment just below it crosses the yield point, iterating on would move the answer by 1e-3 of its size.
    """
    m, c, k, fy = (case[key] for key in ("mass", "damping", "stiffness", "yield_force"))
    h, forces = case["step"], case["forces"]
    rate = case["viscosity"] / h
    rows = np.zeros((len(forces), 4))
    u = v = force = slip = 0.0
    a, tangent = forces[0] / m, k
    for r in range(1, len(forces)):
        # predicted by leaving u where it is
        v, a = -v, -4.0 * v / h - a
        new_slip = slip
        for _ in range(opensees.MAX_ITERATIONS):
            du = (forces[r] - m * a - c * v - force) / (4.0 * m / h**2 + 2.0 * c / h + tangent)
            u, v, a = u + du, v + 2.0 * du / h, a + 4.0 * du / h**2
            trial = k * (u - slip)
            excess = max(abs(trial) - fy, 0.0)
            new_slip = slip + math.copysign(excess / (k + rate), trial)
            force = k * (u - new_slip)
            tangent = k * rate / (k + rate) if excess > 0.0 else k
            if abs(du) <= opensees.TOLERANCE:
                break
        slip = new_slip
        rows[r] = u, v, force, slip
    return dict(zip(("displacement", "velocity", "force", "slip"), rows.T, strict=True))


def far(ours, theirs):
    return np.abs(ours - np.asarray(theirs)).max() / np.abs(ours).max()


@pytest.mark.usefixtures("real")
def test_elastic_run_is_newmark_with_the_load_at_every_node():
    # Random loads, not zero at the start nor at the end, show every shift or lost sample of the load.
    forces = np.random.default_rng(1).normal(size=2001).tolist()
    case = {**RESONANT, "mass": 2.0, "yield_force": 1e6, "step": 0.013, "forces": forces}
    found = opensees.run([case])["cases"]["resonant"]
    expected = newmark(case)
    for key in ("displacement", "velocity", "force"):
        assert far(expected[key], found[key]) < 1e-11
    assert np.abs(found["slip"]).max() < 1e-15
    assert found["failed_at"] is None


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize("viscosity", [0.3, 1.5])
def test_yielding_run_is_newmark_with_a_backward_euler_slip(viscosity):
    case = {**RESONANT, "viscosity": viscosity}
    found = opensees.run([case])["cases"]["resonant"]
    assert np.abs(found["slip"]).max() > 1e-3
    for key, history in newmark(case).items():
        assert far(history, found[key]) < 1e-11, key


@pytest.mark.usefixtures("real")
def test_viscosity_has_an_effect():
    cases = [{**RESONANT, "name": str(eta), "viscosity": eta} for eta in (1.5, 0.015)]
    answer = opensees.run(cases)
    assert answer["eta_honoured"] is True
    thick, thin = (np.array(found["force"]) for found in answer["cases"].values())
    # The overstress is viscosity times slip rate: visible with one, next to nothing with the other.
    assert np.abs(thick).max() > 1.05 * 0.27
    assert np.abs(thin).max() < 1.01 * 0.27


@pytest.mark.usefixtures("real")
def test_a_step_that_does_not_converge_is_named_and_not_filled_with_numbers():
    forces = (2.0 * np.random.default_rng(2).normal(size=301)).tolist()
    case = {**RESONANT, "step": 0.5, "viscosity": 1e-3, "forces": forces}
    found = opensees.run([case])["cases"]["resonant"]
    step = found["failed_at"]
    assert step is not None
    assert np.isfinite(found["displacement"][:step]).all()
    assert np.isnan(found["displacement"][step:]).all()
    assert len(found["slip"]) == 301


@pytest.mark.usefixtures("real")
def test_arrays_are_accepted_and_runs_repeat_to_the_bit():
    twins = [{**RESONANT, "name": name, "forces": np.array(RESONANT["forces"])} for name in "ab"]
    found = opensees.run(twins)["cases"]
    assert found["a"] == found["b"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mass": -1.0}, "impossible value of mass"),
        ({"step": 0.0}, "impossible value of step"),
        ({"viscosity": math.nan}, "impossible value of viscosity"),
        ({"forces": [0.0]}, "at least two"),
        ({"forces": [0.0, math.inf]}, "finite"),
        ({"forces": ["much", "more"]}, "not a number"),
    ],
)
def test_broken_request(change, message):
    with pytest.raises(OpenSeesError, match=message):
        opensees.run([{**RESONANT, **change}])


def test_incomplete_or_ambiguous_request():
    with pytest.raises(OpenSeesError, match="lacks viscosity"):
        opensees.run([{key: value for key, value in RESONANT.items() if key != "viscosity"}])
    with pytest.raises(OpenSeesError, match="name of its own"):
        opensees.run([RESONANT, RESONANT])


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Puts a stand-in for openseespy before the real one, here and in the child."""
    package = tmp_path / "openseespy"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return package / "opensees.py"


def test_crash_becomes_the_named_error(fake):
    fake.write_text("import os\nos.write(2, b'solver on fire')\nos._exit(3)\n")
    with pytest.raises(OpenSeesError, match=r"exit code 3:\s+solver on fire"):
        opensees.run([RESONANT])
    assert "solver on fire" in opensees.available()


def test_silent_end_becomes_the_named_error(fake):
    fake.write_text("import os\nos._exit(0)\n")
    with pytest.raises(OpenSeesError, match="no answer"):
        opensees.run([RESONANT])


def test_missing_system_library_is_named(fake):
    # openseespy wraps the loader's message in an error of its own.
    fake.write_text("try:\n raise ImportError('libblas.so.3: not found')\nexcept ImportError:\n raise RuntimeError")
    assert "BLAS" in opensees.available()


def test_absent_package_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert "not installed" in opensees.available()
