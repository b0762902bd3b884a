"""Oscillators whose springs are followed in closed form, and shear frames by sweeps: equal to the route for any
structure, alone and in batches."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError, ProblemError, SchemeError
from hamex.schemes.families import galerkin_march
from hamex.schemes.scheme import How
from hamex.solve.parts import solution_of, state_of
from hamex.solve.runners import measure

MOTION, H, DURATION = hx.el_centro(), 0.02, 12.0
NAMES = ("displacement", "velocity", "absolute_acceleration", "force", "ductility", "residual_displacement")
NAMES += ("residual_slip", "plastic_work", "input_work")
SCALES = (0.3, 1.0, 2.5)


def imk(reloading, **more):
    wear = {"lambda_s": 1.0, "lambda_c": 1.0, "lambda_k": 1.0} | ({} if reloading == "bilinear" else {"lambda_a": 1.0})
    return hx.laws.IMK(1.0, 1.1, 0.03, 0.15, 0.2, reloading=reloading, kappa_f=0.4, kappa_d=0.5, **wear, **more)


LAWS = {
    "bilinear": hx.laws.Bilinear(1.0, 1.2, plastic=0.02, post_cap=0.2, residual_ratio=0.25),
    "imk bilinear": imk("bilinear"),
    "imk peak": imk("peak"),
    "imk pinching": imk("pinching"),
    "slider": hx.Slider(1.0, 0.0, 5.0, 2.0),
    "viscous slider": hx.Slider(0.7, 0.2),
}


def oscillator(law, stiffness=80.0, weight=0.0):
    if weight:
        return hx.shear_frame([1.0], [stiffness], damping=[0.02], laws=law, heights=3.0, weights=weight)
    return hx.oscillator(mass=1.3, stiffness=stiffness, damping=0.5, law=law)


def problem(model, scale=1.0, duration=DURATION):
    return hx.Problem(model, MOTION.scaled(scale).on(model, g=9.81), duration)


def general(problem, scheme):
    """The same by the route for any structure."""
    steps = problem.steps(scheme.step)
    march = galerkin_march(problem, scheme, How(steps, True))
    return solution_of(problem, scheme, march.advance(state_of(problem.start), 0, steps))


@pytest.mark.filterwarnings("ignore::hamex.errors.ShortRunWarning")
@pytest.mark.parametrize("name", LAWS)
def test_the_closed_step_is_the_step_of_any_structure(name):
    scheme = hx.Galerkin(H, law="path")
    for scale in SCALES:
        one = problem(oscillator(LAWS[name]), scale)
        fast, slow = hx.solve(one, scheme), general(one, scheme)
        size = np.abs(slow.values("displacement")).max()
        assert np.abs(fast.values("displacement") - slow.values("displacement")).max() < 1e-12 * size
        assert np.abs(fast.values("force") - slow.values("force")).max() < 1e-11
        assert fast.residual < 1e-13
        assert "solves" not in fast.names  # nothing was iterated: the route was taken


@pytest.mark.filterwarnings("ignore::hamex.errors.ShortRunWarning")
@pytest.mark.chief("bilinear")
@pytest.mark.parametrize("law", ["bilinear", "imk peak"])
def test_it_goes_on_from_any_node_in_the_same_bits_compiled_or_not(monkeypatch, law):
    scheme, whole = hx.Galerkin(H), problem(oscillator(LAWS[law]), 1.5)
    runs = []
    for compiles in (True, False):
        monkeypatch.setattr("hamex.schemes.oscillator.worth_compiling", lambda *_, c=compiles: c)
        runs.append(hx.solve(whole, scheme))
    first = hx.solve(whole.replace(duration=4.0), scheme)
    rest = hx.solve(whole.replace(duration=8.0, start=first.final, load=whole.load.after(4.0)), scheme)
    for name in ("displacement", "momentum", "slip", "recoverable"):
        assert np.array_equal(runs[0].values(name), runs[1].values(name))
    assert np.array_equal(rest.values("displacement"), runs[0].values("displacement")[200:])


@pytest.mark.filterwarnings("ignore::hamex.errors.ShortRunWarning")
@pytest.mark.chief("bilinear")
@pytest.mark.parametrize(
    "names",
    [("bilinear",), ("imk bilinear", "imk peak", "imk pinching"), ("slider", "viscous slider")],
    ids=["bilinear", "imk", "sliders"],
)
def test_batches_measure_what_single_runs_do(names):
    """Three stiffnesses for each law, whatever the threads and blocks; springs of all but sliders also break."""
    models = [oscillator(LAWS[name], k) for name in names for k in (40.0, 80.0, 200.0)]
    if "slider" not in names:
        models += [
            oscillator(hx.laws.Bilinear(1.0, ultimate=0.05) if "bilinear" in names else imk("peak", ultimate=0.05))
        ]
    scheme = hx.Galerkin(H, law="path")
    batch = hx.batch(models, MOTION, scheme, NAMES, scales=SCALES, g=9.81, duration=DURATION)
    again = hx.batch(models, MOTION, scheme, NAMES, scales=SCALES, g=9.81, duration=DURATION, threads=2, block=2)
    for i, model in enumerate(models):
        for j, scale in enumerate(SCALES):
            sol = hx.solve(problem(model, scale), scheme, limit=hx.Limit(None))
            for name in NAMES:
                # A broken spring flies: what a step rounds grows with the way.
                size = max(1e-3, abs(float(measure(sol, name, 0))), abs(float(measure(sol, "displacement", 0))))
                assert batch.values(name)[i, 0, j] == pytest.approx(float(measure(sol, name, 0)), abs=1e-11 * size)
    for name in NAMES:
        assert np.array_equal(batch.values(name), again.values(name))


def test_a_storey_with_p_delta_that_goes_down_ends_its_run():
    """Own: the same runs one by one, which end at the same node."""
    models = [oscillator(LAWS["bilinear"], 80.0, weight) for weight in (1.0, 12.0)]
    batch = hx.batch(models, MOTION, hx.Galerkin(H), ("drift",), scales=(0.5, 4.0), g=9.81)
    for i, model in enumerate(models):
        for j, scale in enumerate((0.5, 4.0)):
            sol = hx.solve(problem(model, scale, 31.18), hx.Galerkin(H))
            assert np.isfinite(batch.collapse[i, 0, j]) == (sol.exceeded is not None)
            if sol.exceeded is not None:
                assert batch.collapse[i, 0, j] == pytest.approx(sol.exceeded.time, abs=1e-9)
    assert np.isfinite(batch.collapse).any()
    assert not np.isfinite(batch.collapse).all()


def test_what_the_loop_does_not_keep_is_solved_one_by_one_and_the_rest_is_named():
    models = [oscillator(LAWS["bilinear"])] * 2
    found = hx.batch(models, MOTION, hx.Galerkin(H), ("displacement", "cycles"), g=9.81)
    quick = hx.batch(models, MOTION, hx.Galerkin(H), ("displacement",), g=9.81)
    assert found.values("cycles").min() > 0
    assert found.values("displacement") == pytest.approx(quick.values("displacement"), rel=1e-12)
    with pytest.raises(InputError, match="followed along their path"):
        hx.batch(models, MOTION, hx.Galerkin(H), g=9.81, final=True)
    steep = oscillator(hx.laws.Bilinear(1.0, plastic=0.001, post_cap=0.001), 80.0)
    with pytest.raises(SchemeError, match="the step must be below"):
        hx.batch([steep], MOTION, hx.Galerkin(0.3), g=9.81)


def shear_frame(law, seed=0, storeys=5):
    rng = np.random.default_rng(seed)
    stiffness = rng.uniform(150.0, 250.0, storeys)
    return hx.shear_frame([0.3] * storeys, stiffness, hx.rayleigh(0.03), law, heights=3.0, weights=0.8)


@pytest.mark.filterwarnings("ignore::hamex.errors.ShortRunWarning")
@pytest.mark.parametrize("name", LAWS)
def test_a_frame_by_sweeps_is_the_step_of_any_structure(name):
    scheme = hx.Galerkin(H, law="path")
    one = problem(shear_frame(LAWS[name], 1, 2 + 3 * (len(name) % 3)), 0.5, 6.0)
    fast, slow = hx.solve(one, scheme, limit=hx.Limit(None)), general(one, scheme)
    assert "searches" not in fast.names  # the route was taken
    size = np.abs(slow.values("displacement")).max()
    assert np.abs(fast.values("displacement") - slow.values("displacement")).max() < 1e-12 * size
    assert np.abs(fast.values("force") - slow.values("force")).max() < 1e-10
    assert np.abs(slow.values("slip")).max() > 1e-3
    assert fast.residual < 1e-12


@pytest.mark.filterwarnings("ignore::hamex.errors.ShortRunWarning")
@pytest.mark.chief("bilinear")
@pytest.mark.parametrize("law", ["bilinear", "imk peak"])
def test_a_frame_by_sweeps_goes_on_in_the_same_bits_compiled_or_not(monkeypatch, law):
    scheme, whole = hx.Galerkin(H), problem(shear_frame(LAWS[law]), 0.6, 6.0)
    runs = []
    for compiles in (True, False):
        monkeypatch.setattr("hamex.schemes.shear_frame.worth_compiling", lambda *_, c=compiles: c)
        runs.append(hx.solve(whole, scheme))
    first = hx.solve(whole.replace(duration=2.0), scheme)
    rest = hx.solve(whole.replace(duration=4.0, start=first.final, load=whole.load.after(2.0)), scheme)
    for name in ("displacement", "momentum", "slip", "recoverable"):
        assert np.array_equal(runs[0].values(name), runs[1].values(name))
    assert np.array_equal(rest.values("displacement"), runs[0].values("displacement")[100:])


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.heavy) for seed in range(4, 200))])
def test_random_frames_by_sweeps_never_fail_below_the_bound(seed):
    """Steps up to 0.99 of the longest with one solution, under noise that drives them through their caps."""
    rng = np.random.default_rng(seed)
    law = LAWS[("bilinear", "imk bilinear", "imk peak", "imk pinching")[seed % 4]]
    model = shear_frame(law, seed, int(rng.integers(2, 31)))
    scheme = hx.Galerkin(min(rng.uniform(0.5, 0.99) * hx.Galerkin(0.1).longest_step(model), 0.2))
    load = hx.Load(rng.normal(0.0, 2.0, (201, len(model.dofs))), step=scheme.step)
    sol = hx.solve(hx.Problem(model, load, 200 * scheme.step), scheme, limit=hx.Limit(None))
    assert sol.residual < 1e-11
    assert sol.values("solves").max() < 40


# Many frames ------------------------------------------------------------------------------------------------

OF_STOREYS = ("displacement", "velocity", "absolute_acceleration", "force", "drift", "ductility")
OF_STOREYS += ("residual_displacement", "residual_drift", "residual_slip", "plastic_work")


def one_by_one(model, load, scheme, limit=None):
    """Measures of single runs: their definition."""
    sol = hx.solve(hx.Problem(model, load, duration=6.0), scheme, limit=limit)
    return sol, {name: measure(sol, name, len(model.dofs)) for name in OF_STOREYS}


@pytest.mark.filterwarnings("ignore::hamex.errors.ShortRunWarning")
@pytest.mark.parametrize(
    "names",
    [
        ("bilinear",),
        pytest.param(("imk bilinear", "imk peak", "imk pinching"), marks=pytest.mark.heavy),
        pytest.param(("viscous slider",), marks=pytest.mark.heavy),
    ],
)
def test_many_frames_measure_what_single_runs_do_in_the_same_bits(names):
    """Whatever the blocks and the threads; plastic work is a difference of sums in another order, and equal to
    round-off."""
    models = [shear_frame(LAWS[name], seed, 3) for seed, name in enumerate(names * (4 - len(names)))]
    scheme, scales = hx.Galerkin(H, law="path" if "viscous slider" in names else None), (0.2, 0.6, 4.0)
    given = dict(scales=scales, g=9.81, duration=6.0)
    batch = hx.batch(models, MOTION, scheme, OF_STOREYS, **given)
    again = hx.batch(models, MOTION, scheme, OF_STOREYS, **given, threads=2, block=2)
    assert batch.values("drift").shape == (3, 1, 3, 3)
    for i, model in enumerate(models):
        for j, scale in enumerate(scales):
            sol, single = one_by_one(model, MOTION.on(model, g=9.81).scaled(scale), scheme)
            assert np.isfinite(batch.collapse[i, 0, j]) == (sol.exceeded is not None)
            assert sol.exceeded is None or batch.collapse[i, 0, j] == sol.all_steps * H
            lost = np.cumsum(sol.split.plastic + sol.split.viscous, axis=0)
            for name in OF_STOREYS[:-1]:
                assert np.array_equal(batch.values(name)[i, 0, j], single[name])
            error = np.abs(batch.values("plastic_work")[i, 0, j] - lost[-1])
            assert error.max() < 1e-13 * np.abs(sol.values("input")).max()
    for name in OF_STOREYS:
        assert np.array_equal(batch.values(name), again.values(name))
    assert batch.collapsed.any() == ("viscous slider" not in names)
    assert not batch.collapsed.all()


@pytest.mark.filterwarnings("ignore::hamex.errors.ShortRunWarning")
def test_many_frames_under_forces_and_without_an_end():
    """A pattern of forces on the floors; a limit that ends nothing; a step that is too long, by its model's admissible
    length."""
    models, scheme = [shear_frame(LAWS["bilinear"], seed, 3) for seed in range(2)], hx.Galerkin(H)
    forces = hx.Load(4.0 * MOTION.acceleration, MOTION.step, patterns=[[0.2], [0.5], [1.0]])
    on = hx.Limit(None)
    batch = hx.batch(models, forces, scheme, OF_STOREYS, scales=[0.5, 3.0], duration=6.0, limit=on)
    for i, model in enumerate(models):
        for j, scale in enumerate((0.5, 3.0)):
            _, single = one_by_one(model, forces.scaled(scale), scheme, on)
            for name in OF_STOREYS[:-1]:
                assert np.array_equal(batch.values(name)[i, 0, j], single[name])
    assert not batch.collapsed.any()
    other = hx.Load(4.0 * MOTION.acceleration, MOTION.step, patterns=[[0.2], [0.5], [1.1]])
    hashes = {hx.batch(models, load, scheme, duration=0.1).provenance["batch"] for load in (forces, other)}
    assert len(hashes) == 2
    with pytest.raises(SchemeError, match="the step must be below"):
        hx.batch(models, MOTION, hx.Galerkin(0.5, load="mean"), ("drift",), g=9.81)


@pytest.mark.filterwarnings("ignore::hamex.errors.ShortRunWarning")
@pytest.mark.chief("bilinear")
@pytest.mark.parametrize(
    "law", [hx.laws.Bilinear(1.0, ultimate=0.015), imk("peak", ultimate=0.02)], ids=["bilinear", "imk"]
)
def test_a_storey_that_breaks_does_so_in_a_step_of_any_structure(law):
    """By sweeps before and behind it; in a batch that run is solved by itself, and others of its model are not."""
    scheme, model, on = hx.Galerkin(H), shear_frame(law, 1, 4), hx.Limit(None)
    one = problem(model, 0.5, 6.0)
    fast, slow = hx.solve(one, scheme, limit=on), general(one, scheme)
    assert fast.values("events").sum() == slow.values("events").sum() > 0
    size = np.abs(slow.values("displacement")).max()
    assert np.abs(fast.values("displacement") - slow.values("displacement")).max() < 1e-12 * size
    assert fast.residual < 1e-12
    first = hx.solve(one.replace(duration=3.0), scheme, limit=on)
    rest = hx.solve(one.replace(duration=3.0, start=first.final, load=one.load.after(3.0)), scheme, limit=on)
    assert np.array_equal(rest.values("displacement"), fast.values("displacement")[150:])
    names = ("drift", "force", "plastic_work")
    batch = hx.batch([model], MOTION, scheme, names, scales=[0.2, 0.5], g=9.81, duration=6.0, limit=on)
    stands = hx.solve(one.replace(load=MOTION.on(model, g=9.81).scaled(0.2)), scheme, limit=on)
    assert not stands.values("events").any()
    for j, sol in enumerate((stands, fast)):
        for name in names[:2]:
            assert np.array_equal(batch.values(name)[0, 0, j], measure(sol, name, 4))
        assert batch.values("plastic_work")[0, 0, j] == pytest.approx(measure(sol, "plastic_work", 4), abs=1e-13)


def test_storeys_of_several_laws_are_marched_as_those_of_one(monkeypatch):
    """In the bits of single runs, compiled or not, whatever stands where, sliders in the mean form among them; the
    step is that of any structure, and what it is cut for too. Where such storeys come to rest is not known."""
    peak, breaks, slider = LAWS["imk peak"], hx.laws.Bilinear(1.0, ultimate=0.02), hx.Slider(1.0, 0.3, 4.0, 1.0)
    models = [shear_frame(laws, 0, 3) for laws in ([peak, slider, LAWS["bilinear"]], [breaks, slider, peak])]
    models += [shear_frame(LAWS["bilinear"], 1, 3)]
    given, names = dict(g=9.81, duration=6.0, scales=0.6), (*OF_STOREYS, "swing")
    batch = hx.batch(models, MOTION, hx.Galerkin(H), names, **given)
    for i, model in enumerate(models):
        load = MOTION.on(model, g=9.81).scaled(0.6)
        runs = []
        for compiles in (True, False):
            monkeypatch.setattr("hamex.schemes.shear_frame.worth_compiling", lambda *_, c=compiles: c)
            runs.append(one_by_one(model, load, hx.Galerkin(H)))
        (sol, single), (plain, _) = runs
        slow = general(hx.Problem(model, load, 6.0), hx.Galerkin(H))
        assert "searches" not in sol.names  # the route was taken
        apart = sol.values("displacement") - slow.values("displacement")[: sol.all_steps + 1]  # one goes down
        assert np.abs(apart).max() < 1e-12 * np.abs(slow.values("displacement")).max()
        for name in ("displacement", "momentum", "slip", "recoverable"):
            assert np.array_equal(sol.values(name), plain.values(name))
        for name in OF_STOREYS[:-1]:
            assert np.array_equal(batch.values(name)[i, 0, 0], single[name])
        lost = (sol.split.plastic + sol.split.viscous).sum(axis=0)
        assert np.abs(batch.values("plastic_work")[i, 0, 0] - lost).max() < 1e-13 * np.abs(sol.values("input")).max()
        if i == 1:
            assert sol.values("events").sum() > 0
    assert np.isinf(batch.values("swing")).all()


@pytest.mark.filterwarnings("ignore::hamex.errors.ShortRunWarning")
def test_what_no_such_run_gives_is_named():
    mixed = shear_frame([LAWS["imk peak"], LAWS["bilinear"], LAWS["imk peak"]], 0, 3)
    with pytest.raises(ProblemError, match="comes to rest is not known"):
        hx.batch([mixed], MOTION, hx.Galerkin(H), ("drift",), g=9.81, settle=0.05)
