"""A march can be cut anywhere: blocks, restarts, thinning, limits and progress change no bit of what is kept."""

from importlib import import_module

import numpy as np
import pytest
from repetitions import crossed

import hamex as hx
from hamex.errors import InputError, ProblemError
from hamex.solution.solution import Status

run = import_module("hamex.solve").run
SLIDER = hx.Slider(0.27, 1.5, kinematic=3.0, isotropic=1.0)


def oscillator(law=SLIDER):
    return hx.oscillator(1.0, 225.0, 1.5, law)


def storeys(**options):
    laws = [hx.Slider(fy, kinematic=1500.0) for fy in (300, 260, 180)]
    return hx.shear_frame([60.0] * 3, [60e3, 55e3, 48e3], laws=laws, heights=3.2, **options)


MODELS = {
    "oscillator": oscillator(),
    "gap": oscillator(hx.laws.Gap(gap=0.002, hook=0.01)),
    "elastic": hx.oscillator(1.0, 225.0, 1.5),
    "shear frame": storeys(damping=[50.0] * 3),
    "modal": storeys(damping=hx.modal(0.03), weights=300.0, links=[hx.power_damper(0, 2, 50.0, 0.5, 1e4)]),
}
CASES = [
    ("oscillator", hx.Galerkin(0.02)),
    ("oscillator", hx.Newmark(0.02)),
    ("elastic", hx.PiecewiseExact(0.02)),
    ("gap", hx.Galerkin(0.02)),
    ("shear frame", hx.Galerkin(0.02)),
    ("shear frame", hx.LeapFrog(0.01)),
    ("modal", hx.LeapFrog(0.01)),
    ("modal", hx.Galerkin(0.02)),
    ("modal", hx.Newmark(0.02, safeguarded=True)),
    ("modal", hx.schemes.GeneralisedAlpha(0.02)),
    ("modal", hx.schemes.HilberHughesTaylor(0.02)),
    ("oscillator", hx.Galerkin(0.02, degree=3)),
    ("oscillator", hx.DiscontinuousGalerkin(0.02)),
    ("oscillator", hx.Galerkin(0.02, degree=2, load="mean")),
    ("oscillator", hx.Galerkin(0.02, tolerance=1e-4)),
    ("elastic", hx.Galerkin(0.02, degree=2, locate=True)),
    ("oscillator", hx.Galerkin(0.02, degree=2, locate=True)),
    ("shear frame", hx.DiscontinuousGalerkin(0.02, locate=True)),
    ("modal", hx.Galerkin(0.02, degree=2)),
]


def named(case):
    return case if isinstance(case, str) else f"{case.name}{getattr(case, 'degree', '')}"


def problem_of(name, duration=3.0):
    model = MODELS[name]
    return hx.Problem(model, hx.el_centro().scaled(2).on(model, g=1.0 if len(model.dofs) == 1 else 9.81), duration)


def same(one, other):
    """All histories and the whole state at the end, to the last bit."""
    states = zip(sorted(one.final.internal), sorted(other.final.internal), strict=True)
    return all(np.array_equal(one.values(name), other.values(name)) for name in one.histories) and all(
        a == b and np.array_equal(one.final.internal[a], other.final.internal[b]) for a, b in states
    )


@pytest.mark.parametrize(
    ("model", "scheme"),
    [case if n % 2 else pytest.param(*case, marks=pytest.mark.heavy) for n, case in enumerate(CASES)],
    ids=named,
)
def test_bits_do_not_depend_on_the_blocks(model, scheme):
    problem = problem_of(model)
    if getattr(scheme, "locate", False):  # slow steps: few of them, where El Centro is strong
        problem = problem.replace(load=problem.load.after(2.04), duration=0.6)
    whole = hx.solve(problem, scheme)
    for block in (1, 7, 1000):
        assert same(whole, run(problem, scheme, block=block)), block


@pytest.mark.parametrize(("model", "scheme"), CASES, ids=named)
def test_restarts_are_bitwise(model, scheme):
    problem, cut = problem_of(model), 1.4
    if getattr(scheme, "locate", False):  # as above
        problem, cut = problem.replace(load=problem.load.after(2.04), duration=0.6), 0.28
    whole, first = hx.solve(problem, scheme), hx.solve(problem.replace(duration=cut), scheme)
    left = problem.duration - cut
    rest = hx.solve(problem.replace(duration=left, start=first.final, load=problem.load.after(cut)), scheme)
    at = first.all_steps
    for name in ("displacement", "momentum", "slip"):
        assert np.array_equal(whole.values(name)[at:], rest.values(name)), name
    assert np.array_equal(whole.values("force")[at:], rest.values("force"))


LOCATED = [hx.Galerkin(0.013, degree=degree, locate=True) for degree in (1, 2, 3)] + [
    hx.DiscontinuousGalerkin(0.013, degree=degree, locate=True) for degree in (0, 1, 2)
]
SUMS = {"viscous", "plastic", "jumps", "input", "imbalance"}  # of a run, from its own start


@pytest.mark.parametrize(
    ("scheme", "model", "wave"), crossed(LOCATED, ["oscillator", "shear frame"], ["record", "pulse"]), ids=named
)
def test_located_steps_restart_bitwise_between_samples(model, scheme, wave):
    """Neither the cut nor the steps are at samples of the record, so that both begin inside one."""
    steps, cut = 12, 5
    problem = problem_of(model, steps * scheme.step)
    problem = problem.replace(load=problem.load.after(2.04).scaled(2))  # where El Centro is strong
    if wave == "pulse":
        pulse = hx.half_sine(0.6, 0.337)
        load = hx.Load(
            pulse.forces, patterns=problem.load.patterns, ground=problem.load.ground, breaks=pulse.breaks
        ).scaled(1.0 if model == "oscillator" else 9.81)
        problem = problem.replace(load=load)
    step = scheme.step
    whole, first = hx.solve(problem, scheme), hx.solve(problem.replace(duration=cut * step), scheme)
    rest = hx.solve(
        problem.replace(duration=(steps - cut) * step, start=first.final, load=problem.load.after(cut * step)), scheme
    )
    assert np.abs(whole.values("slip")).max() > 0
    for name in set(whole.histories) - SUMS:
        again = rest.values(name)
        assert again.ndim == 0 or np.array_equal(whole.values(name)[-len(again) :], again), name


@pytest.mark.parametrize(("model", "scheme"), CASES[::3], ids=named)
def test_thinned_runs_keep_the_peaks_energies_and_state_of_all_steps(monkeypatch, model, scheme):
    monkeypatch.setattr(import_module("hamex.solve.parts"), "CHUNK", 200)  # several chunks
    problem = problem_of(model)
    whole = hx.solve(problem, scheme)
    every = 10
    for block in (None, 7, 33):
        thin = run(problem, scheme, keep=hx.Keep(every=every), block=block)
        assert np.array_equal(thin.times, whole.times[::every])
        assert np.array_equal(thin.values("displacement"), whole.values("displacement")[::every])
        assert np.array_equal(thin.values("force"), whole.values("force")[every - 1 :: every])
        assert dict(thin.peaks) == dict(whole.peaks)
        for name in ("kinetic", "stored", "plastic", "viscous", "input"):
            assert np.allclose(thin.values(name), whole.values(name)[::every], rtol=1e-13, atol=0)
        assert thin.residual == pytest.approx(whole.residual, rel=1e-6, abs=1e-14)  # both are round-off
        assert all(np.array_equal(value, thin.final.internal[name]) for name, value in whole.final.internal.items())


def test_chosen_results_are_kept_and_others_are_named():
    frame = MODELS["shear frame"]
    thin = hx.solve(
        problem_of("shear frame"),
        hx.Galerkin(0.02),
        keep=hx.Keep(every=50, results=("storey_shear", "absolute_acceleration")),
    )
    whole = hx.solve(problem_of("shear frame"), hx.Galerkin(0.02))
    assert np.array_equal(thin.values("storey_shear"), whole.values("storey_shear")[49::50])
    assert thin["absolute_acceleration"].dims == ("interval", "dof")
    assert thin["absolute_acceleration"].shape == (3, len(frame.dofs))
    with pytest.raises(InputError, match="not everything was kept"):
        thin.values("displacement")
    assert "every 50th kept" in repr(thin)


def test_a_thinned_run_goes_through_files(tmp_path):
    problem, scheme = problem_of("shear frame"), hx.Galerkin(0.02)
    thin = hx.solve(problem, scheme, keep=25)
    back = hx.read(thin.save(tmp_path / "thin.nc"))
    assert dict(back.peaks) == dict(thin.peaks)
    assert back.residual == thin.residual
    on = hx.solve(back.problem.replace(start=back.final, load=back.problem.load.after(3.0)), back.scheme)
    assert np.array_equal(
        on.values("displacement"), hx.solve(problem.replace(duration=6.0), scheme).values("displacement")[150:]
    )
    small = hx.read(thin.save(tmp_path / "small.nc", problem=False))
    assert np.array_equal(small.values("displacement"), thin.values("displacement"))
    assert small.peaks["slip"] == thin.peaks["slip"]


def test_a_run_ends_at_the_limit_and_keeps_what_was_before():
    problem, scheme, limit = problem_of("modal", 6.0), hx.Galerkin(0.02), hx.Limit(drift_ratio=0.004, stop=True)
    whole = hx.solve(problem, scheme, limit=hx.Limit(drift_ratio=0.004))
    for block in (None, 1, 7):
        short = run(problem, scheme, limit, block=block)
        assert short.status is Status.EXCEEDS
        assert short.times[-1] == whole.exceeded.time == short.exceeded.time
        assert np.array_equal(short.values("displacement"), whole.values("displacement")[: len(short.times)])
    assert run(problem, scheme, limit, hx.Keep(every=1, results=("slip",))).times[-1] == whole.exceeded.time


def test_progress_is_told_and_may_end_the_run():
    problem, told = problem_of("shear frame"), []
    sol = run(
        problem, hx.Galerkin(0.02), block=20, progress=lambda done, steps: told.append((done, steps)) or done < 60
    )
    assert told == [(20, 150), (40, 150), (60, 150)]
    assert sol.status is Status.STOPPED
    assert sol.times[-1] == pytest.approx(1.2)


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        (0, "every must be a whole number"),
        (7, "it must divide them"),
        (hx.Keep(every=10), None),
        (["nonsense"], "no result 'nonsense'"),
        (["kinetic"], "no result 'kinetic'"),
    ],
)
def test_wrong_wishes_are_named(keep, message):
    problem = problem_of("oscillator")
    if message is None:
        with pytest.raises(ProblemError, match="error bars compare whole histories"):
            hx.solve(problem, hx.Galerkin(0.02), error=True, keep=keep)
        return
    with pytest.raises(ProblemError, match=message):
        hx.solve(problem, hx.Galerkin(0.02), keep=keep)


@pytest.mark.heavy
def test_ten_million_steps_in_bounded_memory():
    """Own: the whole history of the same steps would take 400 MB."""
    import tracemalloc

    model = oscillator(hx.Slider(0.27, 0.0, kinematic=3.0))
    load = hx.Load(lambda t: 0.3 * np.sin(14.0 * t))
    problem = hx.Problem(model, load, 1e4)
    tracemalloc.start()
    thin = hx.solve(problem, hx.Galerkin(1e-3), keep=10_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6
    assert thin.all_steps == 10_000_000
    assert thin.residual < 1e-10
    short = hx.solve(problem.replace(duration=100.0), hx.Galerkin(1e-3))
    assert thin.peaks["displacement"].value == pytest.approx(short.peaks["displacement"].value, rel=1e-3)
