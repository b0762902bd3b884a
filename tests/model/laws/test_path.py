"""Springs that are followed along their path: by themselves, in steps, below and beyond the promise.

Reference values are analytic unless a test says own. Random parameters and histories come from seeds.
"""

import importlib
import itertools
import math
import warnings

import numpy as np
import pytest
from repetitions import chiefly

import hamex as hx
from hamex.errors import LawError, ModelError, ProblemError, SchemeError
from hamex.march import run as kernels
from hamex.model.laws.path import forces_along
from hamex.model.laws.slider import along, relaxed
from hamex.spec import read_problem

K = 100.0
CAPPED = hx.laws.Bilinear(1.0, 1.2, plastic=0.02, post_cap=0.06, residual_ratio=0.25)
WORN = {"lambda_s": 0.8, "lambda_c": 0.9, "lambda_k": 1.1, "c_k": 1.1}


def imk(reloading, force=1.0, **more):
    """A spring with yield deformation ``force``/100 that loses about half of its strength in the histories below."""
    own = WORN | ({} if reloading == "bilinear" else {"lambda_a": 1.0}) | more
    u = force / K
    scaled = {name: value * force if name.startswith("lambda") else value for name, value in own.items()}
    return hx.laws.IMK(
        force, 1.15, 3 * u, 12 * u, 0.15, reloading=reloading, kappa_f=0.4, kappa_d=0.6, **scaled,
        yield_force_negative=0.9 * force, post_cap_negative=9 * u,
    )  # fmt: skip


LAWS = {
    "bilinear": CAPPED,
    "hardening": hx.laws.Bilinear(1.0, hardening=0.05, yield_force_negative=0.7),
    "imk bilinear": imk("bilinear"),
    "imk peak": imk("peak"),
    "imk pinching": imk("pinching"),
    "imk opensees": imk("pinching", rule="opensees"),
    "slider": hx.Slider(1.0, 0.0, 5.0, 3.0),
    "gap": hx.laws.Gap(gap=0.01, hook=0.02, corner=1.5, post_stiffness=20.0),
}
EXAMPLES = [kind for kind, law in hx.laws.known().items() if law.example and ":" not in kind]  # others are of tests


def history(seed, count=14):
    """Turning points: steps of a tenth to eight times the yield deformation, to and fro."""
    rng = np.random.default_rng(seed)
    size = np.where(rng.random(count) < 0.4, rng.uniform(0.1, 1.5, count), rng.uniform(1.0, 8.0, count))
    return np.concatenate([[0.0], np.cumsum(0.01 * size * np.where(np.arange(count) % 2, -1.0, 1.0))])


def between(points, parts):
    return np.concatenate([[points[0]], *(np.linspace(a, b, parts + 1)[1:] for a, b in itertools.pairwise(points))])


# --- by themselves ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LAWS)
def test_more_points_change_nothing(name):
    for seed in range(4):
        path = history(seed)
        few, many = hx.respond(LAWS[name], path, K), hx.respond(LAWS[name], between(path, 40), K)
        assert np.abs(many.force[::40] - few.force).max() < 1e-12
        assert np.abs(many.dissipated[::40] - few.dissipated).max() < 1e-12
        if name != "imk opensees":  # its rule wears the stiffness again at every reversal, which gives energy back
            assert np.diff(many.dissipated).min() > -1e-14


@pytest.mark.heavy
@pytest.mark.parametrize("name", LAWS)
def test_four_points_are_as_good_as_four_thousand(name):
    """On each line between two turns."""
    path = history(7)
    few, many = (hx.respond(LAWS[name], between(path, parts), K) for parts in (4, 4000))
    assert np.abs(many.force[::1000] - few.force).max() < 1e-12
    assert np.abs(many.dissipated[::1000] - few.dissipated).max() < 1e-12


def test_viscous_sliders_follow_their_path_in_closed_form():
    """More points change nothing, and the work is that of a fine sum of forces."""
    rng = np.random.default_rng(1)
    for viscosity in (0.0, 1e-4, 0.02, 0.5, 20.0):
        law = hx.Slider(rng.uniform(0, 1), viscosity, *rng.choice([0.0, 4.0, 30.0], 2))
        path, times = history(3), 0.1 * np.arange(15)
        one = hx.respond(law, path, K, times=times)
        fine = hx.respond(law, between(path, 300), K, times=between(times, 300))
        scale = np.abs(one.force).max()
        assert np.abs(fine.force[::300] - one.force).max() < 1e-11 * scale
        assert np.abs(fine.dissipated[::300] - one.dissipated).max() < 1e-11 * scale
        work = np.cumsum(0.5 * (fine.force[1:] + fine.force[:-1]) * np.diff(fine.deformation))
        stored = 0.5 * fine.force**2 / K
        held = stored[1:] + 0.5 * law.kinematic * fine.states["slip"][1:] ** 2
        held += 0.5 * law.isotropic * fine.states["accumulated_slip"][1:] ** 2
        assert np.abs(work - held - fine.dissipated[1:]).max() < 3e-4 * fine.dissipated[-1]
        assert np.diff(fine.dissipated).min() > -1e-14


def test_the_slope_of_a_sliders_mean_is_its_derivative_and_never_below_what_the_promise_counts():
    rng, soft = np.random.default_rng(2), hx.Slider.followed
    for _ in range(300):
        numbers = rng.uniform(0, 2), rng.choice([0.0, 1e-3, 0.1, 3.0]), *rng.choice([0.0, 5.0, 60.0], 2)
        group = soft.grouped([hx.Slider(*(numbers if any(numbers) else (1.0,)))], [0])
        p, h = soft.prepared(group, np.array([K]), 1.0)[0], rng.choice([0.01, 0.2])
        z, e = np.zeros(3), 0.0
        least = soft.softest(group, np.array([K]), 0.5 * h)[0]
        for _ in range(5):
            d, end, side = 0.1 * rng.normal(), np.zeros(3), np.zeros(3)
            _, slope, _ = along(p, 0, e, d, h, z, 0, end)
            up, down = (along(p, 0, e, d + shift, h, z, 0, side)[0] for shift in (1e-6 * abs(d), -1e-6 * abs(d)))
            assert slope == pytest.approx((up - down) / (2e-6 * abs(d)), abs=2e-5 * K)
            assert 2 * slope >= least - 1e-9 * K
            z, e = end, e + d


def test_relaxation_has_no_seam():
    for x in (0.5 - 1e-12, 0.5 + 1e-12):
        first = -math.expm1(-x)
        assert relaxed(x) == pytest.approx((first, 1 - first / x, 0.5 - (1 - first / x) / x), rel=1e-13)


def test_the_bilinear_spring_comes_to_the_points_of_its_rule():
    """Yield at 0.01, cap of 1.2 at 0.03, zero would be at 0.09, residual 0.25 from 0.0775 on."""
    path = [0.01, 0.02, 0.03, 0.06, 0.05, 0.0775, 0.2, 0.1965, -0.2]
    force = [1.0, 1.1, 1.2, 0.6, -0.4, 0.25, 0.25, -0.1, -0.25]
    assert hx.respond(CAPPED, path, K).force == pytest.approx(force, abs=1e-13)
    told = hx.respond(CAPPED, [0.0, 0.2], K, events=True)
    assert told.deformation == pytest.approx([0.0, 0.01, 0.03, 0.0775, 0.2])
    assert told.event.tolist() == [False, True, True, True, False]


@pytest.mark.parametrize("cap", [1.0, 1.2])
@pytest.mark.parametrize("wear", [{}, {"lambda_s": 0.8}, {"lambda_c": 0.8}], ids=["none", "strength", "cap"])
@pytest.mark.parametrize("reloading", ["bilinear", "peak", "pinching"])
def test_without_a_falling_range_the_force_of_the_cap_is_held(reloading, wear, cap):
    """It had fallen to the residual at once, to nothing where there is none; and a cap that wears had not been seen
    behind the elastic line where nothing hardens. No force changes faster than with the elastic stiffness."""
    law = hx.laws.IMK(1.0, cap, plastic=0.03, reloading=reloading, kappa_f=0.5, kappa_d=0.5, **wear)
    turns = [0.0, 0.06, -0.06, 0.06, -0.06, 0.06]
    path = np.concatenate([np.linspace(a, b, 500) for a, b in itertools.pairwise(turns)])
    force = hx.respond(law, path, K).force
    assert np.abs(np.diff(force)).max() <= (1 + 1e-9) * K * np.abs(np.diff(path)).max()
    assert force[499] == pytest.approx(cap)
    if not wear and reloading == "bilinear":
        assert np.abs(force - hx.respond(hx.laws.Bilinear(1.0, cap, plastic=0.03), path, K).force).max() < 1e-13
    assert (np.abs(force[-1]) < 0.99 * cap) == bool(wear)


def test_unloading_that_wears_softer_than_hardening_meets_the_residual():
    """It had gone on past it, and dropped to it later (a run of the fuzz, seed 300093). However many points, the path
    is the same."""
    law = hx.laws.IMK(1.0, 1.45, plastic=0.025, post_cap=1.0, residual_ratio=0.2, lambda_k=2.0)
    turns, force = [0.0, 0.3, -0.3, 0.3, -0.3, 0.3, -0.3], {}
    for points in (1, 400):
        path = np.concatenate([[0.0], *(np.linspace(a, b, points + 1)[1:] for a, b in itertools.pairwise(turns))])
        force[points] = hx.respond(law, path, 20.0).force
    assert np.abs(force[400][::400] - force[1]).max() < 1e-12
    assert np.abs(np.diff(force[400])).max() <= (1 + 1e-9) * 20.0 * 0.6 / 400


@pytest.mark.parametrize("wear", [{}, {"lambda_s": 1.0, "lambda_c": 1.0}], ids=["none", "worn"])
def test_a_residual_as_high_as_the_yield_force_is_one_that_is_nearly_so(wear):
    """Own: by OpenSees' rule the falling line flattens with what strength there is over the residual."""
    path = [0.0, 0.03, -0.03, 0.08, -0.08, 0.01, 0.05, -0.05]
    full, near = (hx.laws.IMK(1.0, 1.1, 0.02, 0.05, share, rule="opensees", **wear) for share in (1.0, 1 - 1e-9))
    assert forces_along(full, np.array(path), K) == pytest.approx(hx.respond(near, path, K).force, abs=1e-7)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_springs_pass_the_origin_as_any_other_point(kind):
    """Twice: as arrays and as plain numbers, of which those divide by zero with an error (own: the same law)."""
    law = hx.laws.known()[kind]
    given = {name: value for name, value in law.example.items() if name not in ("stiffness", "reach")}
    spring, k, reach = law(**given), law.example["stiffness"], law.example["reach"]
    points = reach * np.array([0.25, 0.125, 0.0, -0.25, 0.0, 0.5, 0.0, -0.5, -0.25, 0.0, 0.25, 0.0, -0.0625, 0.0, 0.5])
    found = hx.respond(spring, points, stiffness=k).force
    assert np.isfinite(found).all()
    assert forces_along(spring, points, k) == pytest.approx(found, rel=1e-9, abs=1e-9 * np.abs(found).max())


@pytest.mark.parametrize("wrong", ["much", [1.0, 2.0], np.array([1.0, 2.0]), {}, 1j])
@pytest.mark.parametrize("kind", EXAMPLES)
def test_what_is_no_number_is_named_on_both_sides(kind, wrong):
    law = hx.laws.known()[kind]
    given = {name: value for name, value in law.example.items() if name not in ("stiffness", "reach")}
    for name in {*law.names()} - {*law.words, "points", "points_negative"}:
        with pytest.raises(LawError, match=f"{name} must be a number, got|is missing; it belongs to"):
            law(**given | {name: wrong})


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda law: hx.laws.ParallelLaws([law, law], shares=0.5),
            "ParallelLaws: shares must be positive numbers, one",
        ),
        (lambda law: hx.laws.MultilinearElastic([(0.01, math.nan)]), "^MultilinearElastic: points is not a number"),
        (lambda law: hx.laws.certify(law, stiffness=K, reach=0.1, histories=0), "certify: histories and seed must be"),
        (lambda law: hx.laws.certify(law, stiffness=K, reach=0.1, seed="x"), "certify: histories and seed must be"),
    ],
)
def test_what_a_law_cannot_be_made_of_is_named(call, told):
    with pytest.raises(LawError, match=told):
        call(CAPPED)


def test_a_spring_that_breaks_is_gone_for_good():
    law = hx.laws.Bilinear(1.0, ultimate=0.05)
    gone = hx.respond(law, [0.0, 0.04, 0.06, -0.3, 0.0], K)
    assert gone.force.tolist() == [0.0, 1.0, 0.0, 0.0, 0.0]
    assert gone.dissipated[-1] == pytest.approx(0.5 * 0.01 + 0.04)  # all work of ½·1·0.01 + 1·0.04
    assert hx.respond(law, [0.0, -0.06, 0.01], K).force.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("name", ["bilinear", "hardening", "slider", "gap"])
def test_reversals_of_no_size_change_nothing_of_springs_without_wear(name):
    tiny = 1e-11 * np.tile([1.0, -1.0], 10)  # 1e-9 of the yield deformation
    rng = np.random.default_rng(4)
    for seed in range(8):
        path, at = history(seed), rng.integers(2, 13)
        middle = path[at] + rng.random() * (path[at + 1] - path[at])
        shaken = [*path[: at + 1], *(middle + tiny), *path[at + 1 :]]
        assert abs(hx.respond(LAWS[name], path, K).force[-1] - hx.respond(LAWS[name], shaken, K).force[-1]) < 1e-6


@pytest.mark.parametrize("reloading", ["bilinear", "peak", "pinching"])
def test_reversals_of_no_size_change_nothing(reloading):
    tiny = 1e-11 * np.tile([1.0, -1.0], 10)  # 1e-9 of the yield deformation
    rng = np.random.default_rng(4)
    law, theirs = imk(reloading), imk(reloading, rule="opensees")
    moved = 0.0
    for seed in range(25):
        path, at = history(seed), rng.integers(2, 13)
        middle = path[at] + rng.random() * (path[at + 1] - path[at])
        plain, shaken = [*path[: at + 1], *path[at + 1 :]], [*path[: at + 1], *(middle + tiny), *path[at + 1 :]]
        ours = abs(hx.respond(law, plain, K).force[-1] - hx.respond(law, shaken, K).force[-1])
        assert ours < 1e-6
        moved = max(moved, abs(hx.respond(theirs, plain, K).force[-1] - hx.respond(theirs, shaken, K).force[-1]))
    assert moved > 1e-4  # by OpenSees' rule the same reversals matter


@pytest.mark.parametrize("reloading", ["peak", "pinching"])
def test_both_rules_are_one_where_every_excursion_turns_once(reloading):
    path = [0.0, 0.03, -0.025, 0.035, -0.04, 0.03, -0.045]
    plenty = {f"lambda_{mode}": 3.0 for mode in "scak"}
    ours, theirs = (hx.respond(imk(reloading, rule=rule, **plenty), path, K) for rule in ("published", "opensees"))
    assert np.abs(ours.force - theirs.force).max() < 1e-13
    assert ours.states["imk_worn"][-1] > 0.01


def test_energy_that_is_used_up_takes_the_spring_away():
    """More is spent on the way out than the reference energy of 0.05: gone at the zero of the force; OpenSees' rule
    takes a negative rest for no wear at all."""
    laws = (hx.laws.IMK(1.0, lambda_s=0.05, rule=rule) for rule in ("published", "opensees"))
    ours, theirs = (hx.respond(law, [0.0, 0.1, -0.05], K) for law in laws)
    assert ours.force[-1] == 0.0
    assert theirs.force[-1] == -1.0
    assert ours.dissipated[-1] == pytest.approx(0.09)


@pytest.mark.parametrize("reloading", ["bilinear", "peak", "pinching"])
def test_no_energy_comes_out_of_a_spring_that_is_nearly_used_up(reloading):
    gone = 0
    for seed in range(12):
        few = {f"lambda_{mode}": 0.05 * (1 + seed) for mode in ("sck" if reloading == "bilinear" else "scak")}
        path = hx.respond(imk(reloading, **few), between(history(seed), 10), K)
        assert np.diff(path.dissipated).min() > -1e-14
        gone += path.force[-1] == 0.0
    assert 0 < gone < 12


# --- in steps -----------------------------------------------------------------------------------------------------


def oscillator(law, damping=1.0):
    return hx.oscillator(mass=1.0, stiffness=K, damping=damping, law=law)


def pushed(model, seed=1, steps=300, step=0.02, size=2.0):
    forces = size * np.repeat(np.random.default_rng(seed).normal(size=(steps // 10 + 1, len(model.dofs))), 10, axis=0)
    return hx.Problem(model, hx.Load(forces, step=step), steps * step)


@pytest.mark.parametrize("name", [name for name in LAWS if name != "gap"])
def test_node_forces_lie_on_the_law_and_work_is_its_own(name):
    problem = pushed(oscillator(LAWS[name]))
    sol = hx.solve(problem, hx.Galerkin(0.02, law="path"))
    alone = hx.respond(LAWS[name], sol.values("deformation")[:, 0], K)
    assert np.abs(alone.force - sol.values("node_force")[:, 0]).max() < 1e-12
    assert np.abs(alone.dissipated - sol.values("plastic")).max() < 1e-12 * sol.values("plastic")[-1]
    assert sol.residual < 1e-13
    assert np.diff(sol.values("plastic")).min() > -1e-15
    assert sol.values("plastic")[-1] > 0.1


def test_sliders_stay_digit_by_digit_as_they_were():
    problem = pushed(oscillator(hx.Slider(1.0, 0.1, 3.0)))
    usual, mean = (hx.solve(problem, hx.Galerkin(0.02, law=law)) for law in (None, "mean"))
    path = hx.solve(problem, hx.Galerkin(0.02, law="path"))
    assert all(np.array_equal(usual.values(name), mean.values(name)) for name in usual.histories)
    assert not np.array_equal(usual.values("displacement"), path.values("displacement"))
    assert mean.scheme != path.scheme


def test_at_viscosity_zero_node_forces_never_pass_the_limit_and_both_forms_meet():
    problem = pushed(oscillator(hx.Slider(1.0)))
    peaks = {}
    for law in ("mean", "path"):
        for step in (0.02, 0.001):
            sol = hx.solve(problem, hx.Galerkin(step, law=law))
            peaks[law, step] = sol.peaks["displacement"].value
            over = sol.peaks["node_force"].value - 1.0
            assert over < 1e-12 if law == "path" else over > 1e-3
    assert peaks["path", 0.001] == pytest.approx(peaks["mean", 0.001], rel=1e-3)
    assert abs(peaks["path", 0.02] - peaks["path", 0.001]) < abs(peaks["mean", 0.02] - peaks["path", 0.001])


def frame(seed=0, storeys=4, weight=0.0):
    """Storeys of all laws in turn, softening by weight where there is one."""
    rng = np.random.default_rng(seed)
    kinds = [imk("peak", 2.0), CAPPED, imk("pinching", 1.5), hx.Slider(1.0, 0.2, 4.0), imk("bilinear", 2.0)]
    laws = [kinds[i % len(kinds)] for i in rng.permutation(storeys)]
    heights = {"heights": 3.0, "weights": weight * np.ones(storeys)} if weight else {}
    return hx.shear_frame(
        rng.uniform(0.5, 1.5, storeys),
        rng.uniform(0.7, 1.5, storeys) * K,
        laws=laws,
        damping=[0.3] * storeys,
        **heights,
    )


def test_restarts_blocks_and_thinning_change_no_bit():
    problem, scheme = pushed(frame()), hx.Galerkin(0.02, law="path")
    whole = hx.solve(problem, scheme)
    first = hx.solve(problem.replace(duration=2.0), scheme)
    rest = hx.solve(problem.replace(duration=4.0, start=first.final, load=problem.load.after(2.0)), scheme)
    for name in whole.histories:
        if name not in ("force", "solves", "searches"):
            assert np.array_equal(whole.values(name)[100:], rest.values(name)), name
    again = importlib.import_module("hamex.solve").run(problem, scheme, block=7)
    assert all(np.array_equal(whole.values(name), again.values(name)) for name in whole.histories)
    thin = hx.solve(problem, scheme, keep=10)
    assert thin.peaks["displacement"] == whole.peaks["displacement"]
    assert thin.values("plastic")[-1] == whole.values("plastic")[-1]


@pytest.mark.heavy
def test_compiled_steps_have_the_same_bits(monkeypatch):
    """Heavy: every law is compiled once."""
    problem = pushed(frame(storeys=5))
    for scheme in (hx.Galerkin(0.02, law="path"), hx.Newmark(0.02, safeguarded=True)):
        plain = hx.solve(problem, scheme)
        with monkeypatch.context() as patch:
            patch.setattr(kernels, "WORTH_COMPILING", 0)
            compiled = hx.solve(problem, scheme)
        assert all(np.array_equal(plain.values(name), compiled.values(name)) for name in plain.histories)


def test_a_start_is_reached_from_zero_on_a_straight_path():
    model = oscillator(CAPPED)
    started = hx.Problem(model, hx.Load(lambda t: 0.0 * t), 0.4, start=hx.State(displacement=0.05))
    sol = hx.solve(started, hx.Galerkin(0.02))
    assert sol.values("node_force")[0, 0] == pytest.approx(hx.respond(CAPPED, [0.05], K).force[0])
    assert sol.residual < 1e-13
    for start in (hx.State(displacement=0.05, slip=0.01), hx.State(slip=0.01)):
        with pytest.raises(ProblemError, match="a slip alone does not tell the state of a Bilinear"):
            hx.solve(started.replace(start=start), hx.Galerkin(0.02))


@pytest.mark.parametrize("name", ["bilinear", pytest.param("imk peak", marks=pytest.mark.heavy)])
def test_newmark_asks_the_same_laws_at_the_nodes(name):
    problem = pushed(oscillator(LAWS[name]))
    ours, theirs = (hx.solve(problem, scheme) for scheme in (hx.Galerkin(0.005), hx.Newmark(0.005, safeguarded=True)))
    assert theirs.peaks["displacement"].value == pytest.approx(ours.peaks["displacement"].value, rel=5e-3)
    alone = hx.respond(LAWS[name], theirs.values("deformation")[:, 0], K)
    assert np.abs(alone.force - theirs.values("node_force")[:, 0]).max() < 1e-12


# --- the promise --------------------------------------------------------------------------------------------------


def test_the_longest_step_is_known_beforehand_and_named():
    """One mass: 4m/h² + 2c/h > k_s, the slope of the falling line."""
    model = oscillator(CAPPED, damping=0.5)
    fall = 1.2 / 0.06
    limit = hx.Galerkin(0.02).longest_step(model)
    assert 4 / limit**2 + 2 * 0.5 / limit == pytest.approx(fall, rel=1e-8)
    problem = hx.Problem(model, hx.sine(0.5, omega=10.0), 1.0)
    with pytest.raises(SchemeError, match=rf"must be below {limit:.4g}"):
        hx.solve(problem, hx.Galerkin(0.5))
    assert hx.solve(problem, hx.Galerkin(0.5), promise="reported").values("displacement").any()
    assert hx.Galerkin(0.02).longest_step(oscillator(LAWS["hardening"])) == math.inf


def test_beyond_the_limit_a_step_may_have_several_solutions_and_below_it_none_was_found_to():
    """The balance of one step on the falling line by itself: (4m/h²) d/2 + mean force = what acts, for all d."""
    law, m = hx.laws.Bilinear(1.0, 1.0, plastic=0.0, post_cap=0.02), 1.0
    h = 2 * math.sqrt(m / 50.0)  # k_s = 50
    goals = np.linspace(-0.05, 0.05, 401)
    counts = []
    for share in (0.99, 1.5):
        path = [hx.respond(law, [0.01, 0.01 + d], K, events=True) for d in goals]
        work = np.array([np.sum(0.5 * (x.force[1:] + x.force[:-1]) * np.diff(x.deformation)) for x in path])
        mean = np.divide(work, goals, out=np.ones_like(work), where=np.abs(goals) > 1e-9)
        left = 2 * m / (share * h) ** 2 * goals + mean
        counts.append(int(np.sum(np.diff(left) < -1e-9)))
    assert counts[0] == 0
    assert counts[1] > 0


def test_a_joint_without_mass_that_could_snap_back_is_named():
    model = hx.structure(
        [1.0, 0.0], 0.0, [1 / K, 1 / K], [[1.0, 0.0], [-1.0, 1.0]], [hx.Slider(), CAPPED], dofs=("top", "joint")
    )
    problem = hx.Problem(model, hx.Load(np.ones((50, 2)) * [0.5, 0.0], step=0.02), 0.5)
    assert hx.solve(problem, hx.Galerkin(0.02)).residual < 1e-12  # the elastic spring above unloads more steeply
    steep = hx.laws.Bilinear(1.0, plastic=0.0, post_cap=0.005)
    model = hx.structure(
        [1.0, 0.0], 0.0, [1 / K, 1 / K], [[1.0, 0.0], [-1.0, 1.0]], [hx.Slider(), steep], dofs=("top", "joint")
    )
    with pytest.raises(ModelError, match="'joint' has no mass, and its springs may soften more steeply"):
        hx.solve(problem.replace(model=model), hx.Galerkin(0.02))


def run_below_the_bound(seed):
    rng = np.random.default_rng(seed)
    storeys = int(rng.integers(1, 31))
    model = frame(seed, storeys, weight=rng.choice([0.0, 0.3, 2.0]))
    limit = hx.Galerkin(0.02, law="path").longest_step(model)
    step = min(rng.uniform(0.3, 0.99) * limit, 0.1)
    problem = pushed(model, seed, 200, step, size=rng.uniform(0.3, 3.0))
    return hx.solve(problem, hx.Galerkin(step, law="path"), limit=hx.Limit(None))


@pytest.mark.parametrize("seed", chiefly(range(3), range(300)))
def test_random_frames_below_the_bound_never_fail(seed):
    sol = run_below_the_bound(seed)
    assert sol.residual < 1e-11
    assert np.diff(sol.values("plastic")).min() > -1e-12 * max(sol.values("input").max(), sol.values("plastic")[-1])
    if len(sol.model.dofs) > 1:
        assert sol.values("solves").max() < 40
    else:  # the step of one mass is walked piece by piece, and solves no system
        assert "solves" not in sol.names


FILE = """
title = "a storey that pinches"
duration = 2.0
[units]
length = "m"
force = "kN"
[model]
kind = "shear_frame"
masses = [100.0, 90.0]
stiffnesses = [20000.0, 15000.0]
laws = [
  {kind = "imk", yield_force = 150.0, plastic = 0.04, post_cap = 0.15, reloading = "pinching", lambda_s = 1.0},
  {kind = "bilinear", yield_force = 120.0, yield_force_negative = 100.0, hardening = 0.03},
]
[motion]
record = "el_centro"
[scheme]
kind = "galerkin"
step = 0.01
law = "path"
"""


def test_problem_files_and_results_know_them(tmp_path):
    place = tmp_path / "storeys.toml"
    place.write_text(FILE, encoding="utf-8")
    file = read_problem(place)
    assert file.scheme == hx.Galerkin(0.01, law="path")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the run ends before its record
        sol = hx.solve(file.problem, file.scheme)
        assert sol.residual < 1e-12
        back = hx.read(sol.save(tmp_path / "a.nc"))
        again = hx.solve(back.problem, back.scheme)
    assert np.array_equal(again.values("displacement"), sol.values("displacement"))
    rest = back.problem.replace(start=sol.final)
    assert rest.start.internal["imk_energy"][0] == sol.final.internal["imk_energy"][0] > 0


# --- joints without mass ------------------------------------------------------------------------------------------


def jointed(law, **more):
    """A mass on an elastic spring on a joint without mass on a spring that yields."""
    return hx.shear_frame([0.0, 1.0], [K, 2 * K], laws=[law, hx.Slider()], **more)


def out_of_balance(sol, load=0.0):
    force = sol.values("node_force")
    return np.abs(force[:, 0] - force[:, 1] - load)


@pytest.mark.parametrize(
    "law", [hx.laws.Bilinear(1.0, hardening=0.1), hx.Slider(1.0, 0.0, 10.0), imk("peak")], ids=repr
)
def test_joints_without_mass_do_not_ring_beside_springs_that_yield(law):
    """What an event leaves out of balance is gone a step later; without the remedy it changes sign for ever."""
    joint_load = hx.Load([[0.3, 0.0], [0.3, 0.0]], step=2.0)
    for load, at_joint in ((hx.Load([[0.0, 0.0], [0.0, 0.0]], step=2.0), 0.0), (joint_load, 0.3)):
        start = hx.State(displacement=[at_joint / K, at_joint / K], momentum=[0.0, 0.6])
        sol = hx.solve(hx.Problem(jointed(law), load, 2.0, start), hx.Galerkin(0.01, law="path"))
        left = out_of_balance(sol, at_joint) > 1e-12
        assert 1 <= left.sum() <= 12
        assert not (left[1:-1] & left[2:] & left[:-2]).any()
        assert sol.residual < 1e-13
        assert sol.values("plastic")[-1] > 0.01
        assert abs(sol.values("jumps")[-1]) < 0.01 * sol.values("plastic")[-1]


def test_loads_on_joints_that_change_leave_them_in_balance_at_the_nodes():
    law, times = hx.laws.Bilinear(1.0, hardening=0.1), 0.01 * np.arange(201)
    push = np.column_stack([0.4 * np.sin(9 * times), np.zeros(201)])
    problem = hx.Problem(jointed(law), hx.Load(push, step=0.01), 2.0, hx.State(momentum=[0.0, 0.6]))
    sol = hx.solve(problem, hx.Galerkin(0.01))
    left = out_of_balance(sol, push[:, 0]) > 1e-12
    assert 1 <= left.sum() <= 12
    assert sol.residual < 1e-13
    parts = hx.solve(problem.replace(duration=0.5), hx.Galerkin(0.01))
    rest = hx.solve(problem.replace(duration=1.5, start=parts.final, load=problem.load.after(0.5)), hx.Galerkin(0.01))
    assert np.array_equal(rest.values("displacement"), sol.values("displacement")[50:])


def test_joints_beside_a_spring_that_breaks_come_back_into_balance():
    """The break throws its force onto the joint inside the step."""
    links = [hx.links.spring_link(0, 1, K, law=hx.laws.Bilinear(1.0, ultimate=0.02))]
    model = hx.shear_frame([0.0, 1.0], [K, 2 * K], laws=[hx.laws.Bilinear(5.0), hx.Slider()], links=links)
    start = hx.State(momentum=[0.0, 1.0])
    sol = hx.solve(hx.Problem(model, hx.Load(np.zeros((2, 2)), step=1.0), 1.0, start), hx.Galerkin(0.01))
    force = sol.values("node_force")
    left = np.abs(force[:, 0] + force[:, 2] - force[:, 1]) > 1e-11
    assert sol.values("events").sum() == 1
    assert left.sum() <= 4
    assert sol.residual < 1e-13


# --- refusals -----------------------------------------------------------------------------------------------------


def test_what_has_no_path_is_refused_by_name():
    problem = pushed(oscillator(imk("peak")))
    for scheme in (hx.Galerkin(0.02, degree=2), hx.DiscontinuousGalerkin(0.02)):
        with pytest.raises(SchemeError, match="IMK follows its path, and there is none between stages"):
            hx.solve(problem, scheme)
    with pytest.raises(SchemeError, match="IMK depends on its path and has no mean form"):
        hx.solve(problem, hx.Galerkin(0.02, law="mean"))
    with pytest.raises(SchemeError, match="law must be one of path, mean or None"):
        hx.Galerkin(0.02, law="exact")
    with pytest.raises(SchemeError, match='law="path" follows the path of a whole step of degree 1'):
        hx.Galerkin(0.02, degree=2, law="path")
    with pytest.raises(LawError, match="PowerLaw has no form along a path"):
        hx.respond(hx.laws.PowerLaw(1.0, 0.5), [0.0, 1.0], K)
    with pytest.raises(ProblemError, match="give the times"):
        hx.respond(hx.Slider(1.0, 0.1), [0.0, 1.0], K)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"yield_force": -1.0}, "yield_force must be positive"),
        ({"cap_ratio": 0.9}, "the cap comes after yield"),
        ({"cap_ratio": 1.1}, "give plastic, the deformation up to it"),
        ({"residual_ratio": -0.1}, "residual_ratio must not be negative"),
        ({"residual_ratio": 1.5}, "residual_ratio must be at most 1"),
        ({"post_cap": 0.1}, "post_cap begins at a cap"),
        ({"plastic": 0.02, "post_cap_negative": -0.1}, "post_cap_negative must be positive"),
        ({"ultimate": 0.0}, "ultimate must be positive"),
    ],
)
def test_backbones_out_of_order_are_named(given, named):
    for law in (hx.laws.Bilinear, hx.laws.IMK):
        with pytest.raises(LawError, match=named):
            law(**{"yield_force": 1.0, **given})


def test_parameters_of_wear_are_checked():
    for given, named in (
        ({"lambda_s": 0.0}, "lambda_s must be positive"),
        ({"d_positive": 1.5}, "d_positive must be between 0 and 1"),
        ({"rule": "mine"}, "rule must be one of 'published', 'opensees'"),
        ({"lambda_a": 1.0}, "lambda_a wears the way to a target"),
        ({"reloading": "pinching", "kappa_f": 0.0}, "kappa_f must be positive"),
    ):
        with pytest.raises(LawError, match=named):
            hx.laws.IMK(1.0, **given)


@pytest.mark.parametrize("links", [(), (hx.Link("tie", None, 2, 1e-9, hx.Slider()),)], ids=["frame", "structure"])
def test_a_run_goes_on_bit_by_bit_far_from_where_it_began(links):
    """Deformations are differences of displacements a million times larger: what rounding leaves between one of them
    and the state of its spring is no way back, on which a spring by OpenSees' rule would take another line."""
    worn = hx.laws.IMK(1.0, cap_ratio=1.15, plastic=0.4, post_cap=1.5, lambda_s=50.0, reloading="peak", rule="opensees")
    frame = hx.shear_frame([1.0, 1.0], [1e-9, 100.0], laws=[hx.Slider(), worn], links=links)
    t = np.arange(0.0, 6.0, 0.02)
    forces = np.stack([0 * t, 3 * np.sin(9 * t) * np.exp(-0.1 * t)], axis=1)
    load = hx.Load(forces, step=0.02, patterns=np.eye(2))
    problem, scheme = hx.Problem(frame, load, 5.0, start=hx.State([1e4, 1e4])), hx.Galerkin(0.02)
    whole = hx.solve(problem, scheme)
    assert np.abs(whole.values("slip")).max() > 0.01
    for steps in range(10, 240, 20):
        first = hx.solve(problem.replace(duration=0.02 * steps), scheme)
        rest = problem.replace(load=load.after(0.02 * steps), duration=5.0 - 0.02 * steps, start=first.final)
        assert hx.solve(rest, scheme).values("displacement").tobytes() == whole.values("displacement")[steps:].tobytes()
