"""A law of your own: one function, tried when it is made, then at every door."""

import importlib
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

import hamex as hx
from hamex.errors import FileError, InputError, LawError
from hamex.model.laws import law as registry
from hamex.schemes.oscillator import step_of

TEXT = '''
import math
import hamex as hx


@hx.laws.own(stiffness=100.0, reach=0.1, example={"fy": 1.0}, state=("plastic", "back"))
def hardening(e0, f0, e, state, k, fy, share=0.05):
    """Kinematic hardening: fy [force], share of the stiffness beyond it [1]."""
    plastic, back = state
    slope = k * share / (1 - share)
    trial = k * (e - plastic) - back
    if abs(trial) <= fy:
        return trial + back, k, state
    slip = math.copysign((abs(trial) - fy) / (k + slope), trial)
    return k * (e - plastic - slip), k * share, (plastic + slip, back + slope * slip)


@hx.laws.own(stiffness=100.0, reach=0.1, example={"top": 1.0}, softest=-0.25, elastic=True)
def roof(e0, f0, e, state, k, top):
    """Up to ``top``, then down to nothing, and back the same way."""
    x = abs(e)
    fall = top - 0.25 * k * (x - top / k)
    if x <= top / k:
        return k * e, k, ()
    return math.copysign(max(fall, 0.0), e), -0.25 * k if fall > 0.0 else 0.0, ()
'''


WORN = {"yield_force": 1.0, "plastic": 0.03, "post_cap": 0.1, "lambda_s": 1.0, "lambda_k": 1.0}


@pytest.fixture(scope="module")
def laws(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    (folder / "laws_of_mine.py").write_text(TEXT)
    sys.path.insert(0, str(folder))
    yield importlib.import_module("laws_of_mine")
    sys.path.remove(str(folder))
    for kind in [one for one in registry._registered if ":" in one]:
        registry._registered.pop(kind)


def frame(*laws):
    return hx.shear_frame([1.0, 0.8], [500.0, 400.0], laws=laws, damping=[0.4, 0.4], heights=3.0)


def run(model, scheme, **how):
    return hx.solve(hx.Problem(model, hx.el_centro().scaled(0.6).on(model, g=9.81), 12.0), scheme, **how)


def made(function, **given):
    """A law that no other test is to know."""
    law = hx.laws.own(stiffness=100.0, reach=0.1, **given)(function)
    registry._registered.pop(law.kind)
    return law


@pytest.mark.parametrize("scheme", [hx.Galerkin(0.01), hx.Newmark(0.01, safeguarded=True)])
def test_it_does_what_the_law_of_the_package_does(laws, scheme):
    """Kinematic hardening is a slider, or a bilinear spring without a cap (analytic: one law written thrice)."""
    ours = run(frame(laws.hardening(fy=2.0), laws.hardening(fy=1.5)), scheme)
    known = run(frame(hx.laws.Bilinear(2.0, hardening=0.05), hx.laws.Bilinear(1.5, hardening=0.05)), scheme)
    size = np.abs(known.values("displacement")).max()
    assert np.abs(ours.values("displacement") - known.values("displacement")).max() < 1e-12 * size
    assert np.ptp(ours.values("slip")) > 0.01
    assert ours.residual < 1e-12


@pytest.mark.heavy
def test_compiled_it_has_the_same_bits(laws, monkeypatch):
    """Heavy: the march and both laws are compiled."""
    model = frame(laws.hardening(fy=2.0), laws.roof(top=5.0))
    plain = run(model, hx.Galerkin(0.01))
    with monkeypatch.context() as forced:
        forced.setattr("hamex.march.run.WORTH_COMPILING", 0)
        compiled = run(model, hx.Galerkin(0.01))
    assert np.array_equal(plain.values("displacement"), compiled.values("displacement"))


def test_what_comes_back_is_not_lost(laws):
    """An elastic law loses nothing, whatever its shape; its longest step follows from its stated slope."""
    model = hx.oscillator(mass=1.0, stiffness=100.0, law=laws.roof(top=1.0))
    sol = hx.solve(hx.Problem(model, hx.constant(0.3), 4.0), hx.Galerkin(0.01))
    assert np.abs(sol.energy["plastic"]).max() < 1e-12 * np.abs(sol.energy["stored"]).max()
    assert hx.Galerkin(0.01).longest_step(model) == pytest.approx(2 / math.sqrt(25.0))  # h²·k·0.25/4 = m (analytic)


def test_a_spring_that_has_slipped_far_is_stepped_to_the_rounding_of_its_place(laws):
    """Its force is a difference of large numbers, so that the mean is a staircase in the increment."""
    rng, law = np.random.default_rng(3), laws.hardening(fy=1.0)
    step = step_of(type(law))
    for _ in range(300):
        m, c, k, h, u = *rng.uniform([0.2, 0.0, 50.0, 0.1], [2.0, 0.5, 200.0, 1.0]), rng.uniform(-5e3, 5e3)
        elastic, p, f = rng.uniform(-0.5, 0.5), rng.normal(0, 0.05), rng.normal(0, 0.1)
        z = np.array([u - elastic / k, u, elastic, 1.0, elastic**2 / (2 * k), u - elastic / k, 0.0])
        _, d, mean = step(np.array([k, 1.0, 0.05]), 0, m, c, 0.0, f, h, u, p, len(z), z, np.empty(len(z)))
        left = (2 * m / h + c) * d / h + mean - 2 * p / h - f
        assert abs(left) <= (k + 2 * m / h**2) * np.spacing(abs(u))


def test_files_keep_its_name_and_the_digest_of_its_source(laws, tmp_path):
    sol = run(frame(laws.hardening(fy=2.0), None), hx.Galerkin(0.02))
    sol.save(tmp_path / "own.nc")
    back = hx.read(tmp_path / "own.nc")
    assert np.array_equal(back.values("displacement"), sol.values("displacement"))
    again = hx.solve(back.problem, back.scheme)
    assert np.array_equal(again.values("displacement"), sol.values("displacement"))
    code = f"import hamex as hx; hx.read({str(tmp_path / 'own.nc')!r})"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "import laws_of_mine, where it is made, before" in told.stderr
    old, laws.hardening.source = laws.hardening.source, 1
    try:
        with pytest.raises(FileError, match="its source has changed since"):
            hx.read(tmp_path / "own.nc")
    finally:
        laws.hardening.source = old
    assert pickle.loads(pickle.dumps(laws.hardening(fy=2.0))) == laws.hardening(fy=2.0)


@pytest.mark.heavy
def test_what_cannot_be_compiled_is_named(monkeypatch, tmp_path):
    """Heavy: the march is compiled. Words are no numbers, though Python bears them."""

    def words(e0, f0, e, state, k):
        return k * e * len({"one": 1}.get("one", "two") * "x"), k, ()

    law = made(words, elastic=True)
    monkeypatch.setattr("hamex.march.run.WORTH_COMPILING", 0)
    with pytest.raises(LawError, match="words: Numba cannot compile it"):
        run(frame(law(), None), hx.Galerkin(0.01))


def test_text_that_belongs_to_no_module_may_make_a_law():
    names = {}
    exec(TEXT, names)
    law = names["hardening"]
    assert law.kind == "__main__:hardening"  # kernels are asked for the module of what they call
    registry._registered.pop(law.kind)
    registry._registered.pop(names["roof"].kind)
    model = hx.oscillator(mass=1.0, stiffness=100.0, law=law(fy=0.5))
    assert hx.solve(hx.Problem(model, hx.constant(0.4), 0.2), hx.Galerkin(0.01)).residual < 1e-12


def leaps(e0, f0, e, state, k):
    return (k * e, k, ()) if abs(e) < 0.05 else (0.5 * k * e, 0.5 * k, ())


def leans(e0, f0, e, state, k):
    return 0.02 * k * math.tanh(e / 0.02), k, ()


def gains(e0, f0, e, state, k):
    slope = k if e < e0 else 0.5 * k
    return f0 + slope * (e - e0), slope, ()


def counts(e0, f0, e, state, k):
    way = 1 + abs(e - e0) / 0.02
    return f0 + k * (e - e0) / way, k / way**2, ()


def softens(e0, f0, e, state, k):
    x = abs(e)
    return math.copysign(k * min(x, max(0.05 - 0.25 * x, 0.0)), e), k if x < 0.04 else -0.25 * k, ()


def wears(e0, f0, e, state, k):
    turns, way = state
    ahead = 1.0 if e > e0 else -1.0 if e < e0 else way
    turns += ahead * way < 0
    return f0 + k * 0.9**turns * (e - e0), k * 0.9**turns, (turns, ahead)


def fails(e0, f0, e, state, k):
    return 1 / 0, k, ()


def is_none(e0, f0, e, state, k):
    return (math.nan if e > 0.05 else k * e), k, ()


def leans_nowhere(e0, f0, e, state, k):
    return k * e, math.nan, ()


def remembers_more(e0, f0, e, state, k):
    return k * e, k, (e, f0)


def forgets(e0, f0, e, state, k):
    return k * e, k


@pytest.mark.parametrize(
    ("function", "given", "told"),
    [
        (is_none, {}, "is_none: its force is nan at a deformation of 0.0"),
        (leans_nowhere, {}, "its tangent is nan at a deformation of"),
        (remembers_more, {"state": ("last",)}, "it must return force, tangent and the state, a tuple of 1 as"),
        (forgets, {}, "it must return force, tangent and the state, a tuple of 0 as"),
        (forgets, {"state": "last"}, "state must name each of its variables once"),
        (forgets, {"state": ("a", "a")}, "state must name each of its variables once"),
        (forgets, {"softest": "none"}, "softest must be a number, got 'none'"),
        (leaps, {}, "its force jumps by 0.5"),
        (leans, {}, "its tangent is off by"),
        (gains, {}, "it gives away"),
        (counts, {}, "with the number of points on a line"),
        (softens, {}, "its tangent falls to -0.25 of the stiffness, below the stated 0"),
        (wears, {"state": ("turns", "way")}, "20 reversals of no size change its force"),
        (fails, {}, "it ends with ZeroDivisionError"),
        (lambda e, k: 0.0, {}, "its arguments must begin with e0, f0, e, state, k"),
        (softens, {"example": {"drop": 1.0}}, "example must give nothing, see 'drop'"),
        (math.sin, {}, "decorate a plain function"),
    ],
)
def test_what_a_law_may_not_do_is_named(function, given, told):
    with pytest.raises(LawError, match=told):
        made(function, **given)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("law", "failures"),
    [
        (hx.Slider(yield_force=1.0, kinematic=10.0), 0),
        (hx.laws.Bilinear(1.0, cap_ratio=1.1, plastic=0.02, post_cap=0.1, residual_ratio=0.2), 0),
        (hx.laws.IMK(1.0, plastic=0.03, post_cap=0.1, lambda_s=1.0, lambda_k=1.0, reloading="pinching"), 0),
        (
            hx.laws.IMK(1.0, plastic=0.03, post_cap=0.1, lambda_s=1.0, lambda_k=1.0, reloading="peak", rule="opensees"),
            1,
        ),
    ],
)
def test_certificates_of_the_package(law, failures):
    """OpenSees' rule wears the unloading stiffness at every reversal, of any size; nothing else fails."""
    found = hx.laws.certify(law, stiffness=100.0, reach=0.1)
    assert len(found.failures) == failures, found
    assert found.splitting < 1e-12
    assert found.gain < 1e-12


VISCOUS = hx.Slider(yield_force=1.0, viscosity=5.0)


@pytest.mark.parametrize(
    "law",
    [VISCOUS, hx.laws.ParallelLaws([hx.laws.Bilinear(1.0), VISCOUS]), hx.laws.MinMax(VISCOUS, max=0.1)],
    ids=["slider", "part", "limited"],
)
def test_what_knows_no_time_refuses_laws_that_depend_on_the_rate(law):
    path = np.linspace(0.0, 0.03, 12)
    asked = [
        lambda: hx.respond(law, path, stiffness=100.0),
        lambda: hx.laws.certify(law, stiffness=100.0, reach=0.05),
        lambda: hx.law_trial(law, stiffness=100.0, reach=0.05),
        lambda: hx.fit_law(law, path, path, stiffness=100.0),
    ]
    for ask in asked:
        with pytest.raises(InputError, match="depends on the rate"):
            ask()
    assert hx.respond(law, path, stiffness=100.0, times=np.arange(12.0)).force[-1] > 0


def test_certificates_are_for_laws_that_follow_a_path():
    with pytest.raises(LawError, match="depends on the rate"):
        hx.laws.certify(hx.Slider(yield_force=1.0, viscosity=1.0), stiffness=1.0, reach=1.0)
    with pytest.raises(LawError, match="must be positive"):
        hx.laws.certify(hx.Slider(yield_force=1.0), stiffness=1.0, reach=-1.0)
