"""Slow loading: pushover, cycles and gravity against limit analysis and hand calculation."""

import contextlib
import math

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ModelError, ProblemError

ROUND = 2e-6  # the drag of slow loading is 1e-6 of the elastic stiffness


def three_bars(law: hx.Slider) -> hx.Model:
    held = dict.fromkeys("abc", ("x", "y"))
    return hx.truss(
        {"o": (0, 0), "a": (-1, 1), "b": (0, 1), "c": (1, 1)},
        [("a", "o"), ("b", "o"), ("c", "o")],
        held,
        {"o": 1.0},
        rigidity=100.0,
        law=law,
    )


def test_three_bar_truss_collapses_at_1_plus_root_2_times_the_yield_force():
    """Analytic, limit analysis: the middle bar and the vertical parts of the two at 45°."""
    push = hx.pushover(three_bars(hx.Slider(yield_force=1.0)), {"o.y": -1.0}, displacement=0.1)
    assert push.values("load_factor")[-1] == pytest.approx(1 + math.sqrt(2), rel=ROUND)
    sunk = -push.values("displacement")[:, 1]
    elastic = sunk < 1.0 * 1.0 / 100.0  # the middle bar yields at Fy L/EA
    stiffness = 100.0 + 2 * 100.0 / math.sqrt(2) / 2  # EA/L + 2 (EA/√2 L) cos²45°
    assert np.allclose(push.values("load_factor")[elastic], sunk[elastic] * stiffness, rtol=1e-5, atol=1e-9)


def test_portal_sways_at_the_load_of_its_four_hinges():
    """Analytic: 4 Mp / H for a fixed portal whose beam is as strong as its columns."""
    H, L, mp = 3.0, 6.0, 50.0
    hinge = hx.Slider(yield_force=mp)
    column = {"modulus": 2e8, "area": 0.01, "inertia": 1e-4, "hinges": hinge}
    model = hx.frame(
        {"A": (0, 0), "B": (0, H), "C": (L, H), "D": (L, 0)},
        {
            name: hx.Member(*ends, **column)
            for name, ends in {"left": ("A", "B"), "beam": ("B", "C"), "right": ("D", "C")}.items()
        },
        {"A": "fixed", "D": "fixed"},
        {"B": 1.0, "C": 1.0},
    )
    push = hx.pushover(model, "B.x", displacement=0.5)
    assert push.values("load_factor").max() == pytest.approx(4 * mp / H, rel=1e-4)


def test_cycles_of_a_bilinear_storey_follow_masings_rule():
    """Analytic: Fy and the hardening slope on the way out, twice both on the way back."""
    k, fy, hk = 250.0, 2.0, 30.0
    frame = hx.shear_frame([1.0], [k], laws=hx.Slider(fy, kinematic=hk))
    loop = hx.cyclic(frame, "floor 1", [0.05], points=400)
    u, f = loop.values("displacement")[:, 0], loop.values("load_factor")
    slope = k * hk / (k + hk)
    top = fy + slope * (0.05 - fy / k)
    assert f[100] == pytest.approx(top, rel=1e-5)
    on_the_way_back = np.interp(0.05 - 2 * fy / k, u[100:300][::-1], f[100:300][::-1])
    assert on_the_way_back == pytest.approx(top - 2 * fy, abs=1e-3 * fy)
    assert f[300] == pytest.approx(-top, rel=1e-5)


def test_isotropic_hardening_widens_the_loop():
    frame = hx.shear_frame([1.0], [300.0], laws=hx.Slider(2.0, isotropic=20.0))
    f = hx.cyclic(frame, "floor 1", [0.05, 0.05], points=80).values("load_factor")
    assert f[100] > f[20] + 0.5
    assert -f[140] > f[100]


def test_force_control_and_displacement_control_walk_the_same_path():
    frame = hx.shear_frame([1.0, 1.0, 1.0], [300.0, 250.0, 200.0], laws=hx.Slider(2.0, kinematic=15.0))
    pattern = np.array([1.0, 2.0, 3.0])
    by_displacement = hx.pushover(frame, pattern, displacement=0.2, steps=50)
    by_force = hx.solve_path(frame, pattern, by_displacement.values("load_factor")[1:], by="force")
    assert np.allclose(by_force.values("displacement"), by_displacement.values("displacement"), rtol=1e-5, atol=1e-8)


def test_p_delta_lowers_the_plateau_by_the_weight_over_the_height():
    """Analytic: one perfectly plastic storey carries (Fy − P u/h) at displacement u."""
    frame = hx.shear_frame([1.0], [300.0], laws=hx.Slider(2.0), heights=3.0, weights=30.0)
    push = hx.pushover(frame, "floor 1", displacement=0.15)
    u, f = push.values("displacement")[:, 0], push.values("load_factor")
    flowing = u > 2.0 / 300.0 * 1.1
    assert np.allclose(f[flowing], 2.0 - 30.0 / 3.0 * u[flowing], atol=1e-4)
    assert f[-1] < f.max()


def test_force_control_beyond_the_capacity_runs_away_and_p_delta_there_is_refused_by_name():
    frame = hx.shear_frame([1.0], [300.0], laws=hx.Slider(2.0))
    far = hx.solve_path(frame, "floor 1", [1.0, 2.1], by="force").values("displacement")
    assert far[2, 0] > 100 * far[1, 0]
    leaning = hx.shear_frame([1.0], [300.0], laws=hx.Slider(2.0), heights=3.0, weights=30.0)
    with pytest.raises(ModelError, match=r"no unique equilibrium at increment 2 .*P-Delta"):
        hx.solve_path(leaning, "floor 1", [1.0, 2.1], by="force")


def test_slow_loading_has_increments_and_no_rates():
    push = hx.pushover(hx.shear_frame([1.0, 1.0], 100.0, laws=hx.Slider(2.0, kinematic=10.0)), "floor 2", 0.2)
    assert not {"velocity", "absolute_acceleration"} & set(push.peaks)
    assert str(push.peaks["displacement"]).endswith("floor 2, increment 100")
    assert " s" not in str(push.peaks["displacement"])
    assert "100 increments" in repr(push)


def test_dampers_and_viscosity_carry_nothing_in_slow_loading():
    law = hx.Slider(2.0, viscosity=50.0, kinematic=15.0)
    damped = hx.shear_frame(
        [1.0, 1.0],
        [300.0, 200.0],
        damping=[5.0, 5.0],
        laws=law,
        links=[hx.power_damper(0, 1, 80.0, 0.4, 1000.0), hx.maxwell_damper(1, 2, 30.0, 500.0)],
    )
    bare = hx.shear_frame([1.0, 1.0], [300.0, 200.0], laws=hx.Slider(2.0, kinematic=15.0))
    one, two = (hx.pushover(model, [1.0, 1.0], displacement=0.1).values("load_factor") for model in (damped, bare))
    assert np.allclose(one, two, rtol=1e-5)


def test_gravity_is_the_start_of_a_history_at_rest():
    held = hx.Slider(yield_force=math.inf)
    truss = three_bars(held)
    weight = np.array([0.0, -0.7])
    state = hx.gravity(truss, weight)
    load = hx.Load(np.ones((2001, 1)), step=0.01, patterns=weight[:, None])
    still = hx.solve(hx.Problem(truss, load, duration=1.0, start=state), hx.Galerkin(step=0.01))
    moved = np.abs(still.values("displacement") - state.displacement).max()
    assert moved <= 1e-5 * np.abs(state.displacement).max()


@pytest.mark.parametrize(
    ("law", "force"),
    [
        (hx.Slider(2.0), 3.0),
        (hx.laws.MultilinearElastic([(0.004, 2.0)], points_negative=[]), -1.0),
        (hx.laws.Gap(gap=0.01), 1.0),
    ],
    ids=["slips", "no compression", "open"],
)
def test_what_nothing_carries_does_not_come_to_rest(law, force):
    model = hx.oscillator(1.0, 500.0, law=law)
    problem = hx.Problem(model, hx.Load([0.0, 0.0], step=1.0), 0.1, standing=[force])
    with pytest.raises(ModelError, match="there is no state at rest: nothing carries the forces on 'mass'"):
        hx.solve(problem, hx.Galerkin(0.01))
    assert hx.gravity(model, [-1.0 if force == 1.0 else 1.0]).displacement[0] == pytest.approx(
        -0.012 if force == 1.0 else 0.002, rel=1e-5
    )


STANDING = {
    "galerkin": hx.Galerkin(0.01),
    "galerkin 2": hx.Galerkin(0.01, degree=2),
    "located": hx.Galerkin(0.01, degree=2, locate=True),
    "discontinuous": hx.DiscontinuousGalerkin(0.01),
    "newmark": hx.Newmark(0.01),
    "generalised alpha": hx.schemes.GeneralisedAlpha(0.01),
}


@pytest.mark.parametrize("scheme", STANDING.values(), ids=STANDING)
@pytest.mark.chief("galerkin", "galerkin 2", "newmark", "generalised alpha", "discontinuous")
def test_a_standing_load_is_the_start_and_stays_on(scheme):
    """Own reference: the same forces as a load of the run, from the state that gravity finds."""
    frame = hx.shear_frame([1.0, 1.0], [300.0, 200.0], damping=hx.modal(0.03), laws=[hx.Slider(5.0), hx.Slider(4.0)])
    weight, motion = np.array([1.0, 2.0]), hx.el_centro().on(frame, g=9.81)
    standing = hx.solve(hx.Problem(frame, motion, 3.0, standing=weight), scheme)
    kept = motion + hx.Load(hx.constant(1.0).forces, patterns=weight)
    by_hand = hx.solve(hx.Problem(frame, kept, 3.0, start=hx.gravity(frame, weight)), scheme)
    assert np.array_equal(standing.values("displacement"), by_hand.values("displacement"))
    assert standing.problem.start.displacement == pytest.approx([3 / 300, 3 / 300 + 2 / 200], rel=1e-5)
    half = hx.solve(hx.Problem(frame, motion, 1.5, standing={"floor 1": 1.0, "floor 2": 2.0}), scheme)
    rest = hx.solve(hx.Problem(frame, motion.after(1.5), 1.5, start=half.final, standing=weight), scheme)
    assert np.array_equal(rest.values("displacement"), standing.values("displacement")[150:])


def test_a_standing_load_is_found_again_when_it_changes_and_kept_by_files(tmp_path):
    model = hx.oscillator(mass=1.0, stiffness=225.0)
    problem = hx.Problem(model, hx.sine(0.2, omega=15.0), 1.0, standing=[9.0])
    sol = hx.solve(problem.replace(standing=[18.0]).replace(duration=2.0), hx.Galerkin(0.02))
    assert sol.problem.start.displacement == pytest.approx([18 / 225], rel=1e-5)
    sol.save(tmp_path / "hanging.nc")
    again = hx.read(tmp_path / "hanging.nc").problem
    assert again.standing == [18.0]
    assert np.array_equal(hx.solve(again, hx.Galerkin(0.02)).values("displacement"), sol.values("displacement"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1.0, 2.0], "standing: give 1 finite numbers"),
        ({"roof": 1.0}, "standing: there is no dof 'roof'"),
        ("heavy", "standing: give 1 finite"),
        ([10**400], "standing: give 1 finite"),
    ],
)
def test_standing_loads_that_do_not_fit_are_refused(given, message):
    with pytest.raises(ProblemError, match=message):
        hx.Problem(hx.oscillator(mass=1.0, stiffness=225.0), hx.sine(0.2, omega=15.0), 1.0, standing=given)


def test_constant_forces_stay_on_during_a_pushover():
    truss = three_bars(hx.Slider(yield_force=1.0))
    weight = {"o.y": -1.0}
    push = hx.pushover(truss, {"o.y": -1.0}, displacement=0.1, constant=weight, start=hx.gravity(truss, weight))
    assert push.values("load_factor")[-1] == pytest.approx(math.sqrt(2), rel=1e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: hx.pushover(m, "roof", 0.1), "'roof' is no dof .floor 1, floor 2. and none of mode x, mass x"),
        (lambda m: hx.pushover(m, [1.0], 0.1), "2 finite numbers"),
        (lambda m: hx.pushover(m, [0.0, 0.0], 0.1), "not all zero"),
        (lambda m: hx.pushover(m, "floor 1", 0.0), "displacement must be"),
        (lambda m: hx.pushover(m, "floor 1", 0.1, steps=0), "steps must be"),
        (lambda m: hx.cyclic(m, "floor 1", []), "amplitudes must be positive"),
        (lambda m: hx.cyclic(m, "floor 1", [0.1], points=10), "multiple of 4"),
        (lambda m: hx.solve_path(m, "floor 1", [0.1], by="luck"), "by must be"),
        (lambda m: hx.solve_path(m, "floor 1", [math.nan]), "finite numbers"),
    ],
)
def test_bad_requests_are_refused_by_name(call, message):
    with pytest.raises(ProblemError, match=message):
        call(hx.shear_frame([1.0, 1.0], [300.0, 200.0]))


def soft_storey(post_cap=0.1, **more):
    """A storey that falls from 1.1 at a drift of 0.03 to 0.2, below one that stays elastic."""
    law = hx.laws.Bilinear(1.0, 1.1, plastic=0.02, post_cap=post_cap, residual_ratio=0.2)
    return hx.shear_frame([1.0, 1.0], [100.0, 80.0], laws=[law, hx.Slider(math.inf)], **more)


@pytest.mark.parametrize("steps", [6, 60])
def test_a_pushover_goes_down_behind_the_largest_load(steps):
    """Analytic: in series, so that F = 1.1 − 11 (u − F/80 − 0.03) on the falling branch, and 0.2 behind it."""
    push = hx.pushover(soft_storey(), "floor 2", displacement=0.18, steps=steps)
    u, factor = push.values("displacement")[:, 1], push.values("load_factor").ravel()
    falling = np.maximum((1.1 + 11 * (0.03 - u)) / (1 - 11 / 80), 0.2)
    behind = u > 0.05
    assert behind.sum() >= 4
    assert factor[behind] == pytest.approx(falling[behind], abs=1e-5)  # the drag is a millionth of the stiffness
    drift = push.values("deformation")
    assert factor == pytest.approx(80 * drift[:, 1], abs=1e-5)
    assert np.all(np.diff(drift[behind, 1]) < 1e-9)  # what stays elastic unloads


def test_many_storeys_that_may_all_fall_follow_the_one_that_does():
    """Own: increments of any length end at the same places. Pinching storeys with P-Delta, pushed by the first mode."""
    law = hx.laws.Pinching4(1.0, 0.01, 1.2, 0.03, 1.1, 0.06, 0.3, 0.1, rDispP=0.5, rForceP=0.25, uForceP=0.05)
    frame = hx.shear_frame([1.0] * 4, [100.0, 95.0, 90.0, 85.0], laws=law, heights=3.0, weights=0.5)
    ends = [hx.pushover(frame, "mode", displacement=0.14, steps=steps) for steps in (7, 70)]
    coarse, fine = (end.values("displacement") for end in ends)
    assert coarse[1:] == pytest.approx(fine[10::10], abs=1e-6)
    load = ends[1].values("load_factor").ravel()
    assert load[-1] < 0.6 * load.max()
    assert np.abs(ends[1].values("deformation")[-1, 1:]).max() < 0.03


@pytest.mark.parametrize(
    ("push", "told"),
    [
        (
            lambda: hx.pushover(soft_storey(0.005), "floor 2", 0.2),
            "storey 1: it falls more steeply than the rest unloads",
        ),
        (
            lambda: hx.pushover(
                hx.shear_frame([1.0] * 2, [100.0] * 2, laws=hx.laws.Bilinear(1, 1, 0.02, 0.1)), [0, 1], 0.2
            ),
            "at once and nothing decides which goes on falling; then make one weaker",
        ),
        (
            lambda: hx.solve_path(soft_storey(), "floor 2", [0.9, 1.2], by="force"),
            "increment 2 .force 1.2.*beyond the largest load only displacements can be controlled",
        ),
    ],
)
def test_what_has_no_equilibrium_behind_its_peak_is_named(push, told):
    with pytest.raises(ModelError, match=told):
        push()


def portal():
    hinge = {"modulus": 2e8, "area": 0.01, "inertia": 1e-4, "hinges": hx.Slider(yield_force=50.0)}
    ends = {"left": ("A", "B"), "beam": ("B", "C"), "right": ("D", "C")}
    return hx.frame(
        {"A": (0, 0), "B": (0, 3.0), "C": (6.0, 3.0), "D": (6.0, 0)},
        {name: hx.Member(*pair, **hinge) for name, pair in ends.items()},
        {"A": "fixed", "D": "fixed"},
        {"B": 1.0, "C": 1.0},
    )


@pytest.mark.parametrize("steps", [1, 3])
def test_a_static_result_belongs_to_its_load(steps):
    """Analytic: equilibrium at every increment, however few there are."""
    frame = hx.shear_frame([1.0, 1.0], [300.0, 200.0], laws=hx.Slider(20.0), heights=3.0)
    path = 3.0 * np.arange(1, steps + 1) / steps
    sol = hx.solve_path(frame, [1.0, 2.0], path, by="force")
    assert np.allclose(sol.values("load"), path[:, None] * [1.0, 2.0])
    for name in ("force", "storey_shear"):
        assert np.allclose(sol.values(name), path[:, None] * [3.0, 2.0], rtol=ROUND), name
    assert np.allclose(sol.values("base_shear")[:, 0], 3 * path, rtol=ROUND)
    assert np.allclose(sol.values("overturning_moment")[:, 0], 15 * path, rtol=ROUND)
    assert np.array_equal(sol["force"].interval, sol.times[1:])
    assert "end of the increment" in sol["storey_shear"].long_name
    assert sol.peaks["base_shear"].value == pytest.approx(9.0, rel=ROUND)
    assert sol.peaks["base_shear"].time == sol.times[-1]
    assert np.allclose(sol.values("input"), sol.values("stored"), rtol=1e-5)  # work is that of the mean all the same


def test_hinges_of_a_pushed_portal_carry_their_strength_at_the_end_of_the_increment():
    push = hx.pushover(portal(), "B.x", displacement=0.5, steps=4)
    assert np.abs(push.values("hinge_moment")[-1]).max() == pytest.approx(50.0, rel=1e-4)
    assert push.values("base_shear")[:, 0] == pytest.approx(push.values("load_factor")[1:], rel=1e-4)
    assert np.array_equal(push.values("force"), push.values("node_force")[1:])


def test_files_of_slow_loading_keep_where_their_results_belong(tmp_path):
    frame = hx.shear_frame([1.0, 1.0], [300.0, 200.0], laws=hx.Slider(2.0))
    push = hx.pushover(frame, "floor 2", displacement=0.1, steps=5)
    for problem in (True, False):
        again = hx.read(push.save(tmp_path / "push.nc", problem=problem))
        assert np.array_equal(again["base_shear"].interval, push.times[1:])
        assert np.array_equal(again.values("base_shear"), push.values("base_shear"))
    head = push.save(tmp_path / "push.csv").read_text().splitlines()[0]
    assert "step mean" not in head
    # A file from before this was settled holds means of the increments, and says nothing of their ends.
    import h5py

    force = push.values("node_force")
    with h5py.File(push.save(tmp_path / "old.nc"), "r+") as file:
        del file.attrs["at_ends"]
        file["force"][...] = 0.5 * (force[:-1] + force[1:])
        file["base_shear"][...] = 0.0
    old = hx.read(tmp_path / "old.nc", verify=False)
    assert np.array_equal(old.values("force"), push.values("force"))
    assert np.array_equal(old.values("base_shear"), push.values("base_shear"))


def test_a_displacement_may_be_any_whole_number():
    """Of more digits than an array of whole numbers holds."""
    frame = hx.shear_frame([1.0], [300.0])
    assert hx.pushover(frame, "floor 1", displacement=2**70, steps=2).values("displacement")[-1, 0] == 2.0**70


TURNS = hx.laws.IMK(
    1.5347, 1.0017, 0.00865, 0.00609, 1.0, lambda_s=0.1095, lambda_c=0.5526, lambda_k=0.04802, c_s=2, c_c=2
)


def kept(pushed, laws):
    """Whether every spring holds what it holds on its path by itself, within the drag."""
    path, force = pushed.values("deformation")[1:], pushed.values("force")
    stiffness = 1 / pushed.model.flexibility.diagonal()
    alone = np.stack([hx.respond(law, e, k).force for law, e, k in zip(laws, path.T, stiffness, strict=True)], axis=1)
    return force == pytest.approx(alone, abs=1e-9 * np.abs(force).max())


@pytest.mark.parametrize("steps", [40, 100, 333])
def test_a_spring_that_a_reversal_would_take_is_pushed_on_as_long_as_there_is_none(steps):
    """Own, hx.respond: its unloading stiffness is used up from increment 81 of 100 on."""
    frame = hx.shear_frame([1.0] * 3, [1000.0] * 3, laws=[TURNS] * 3, heights=3.0, weights=2.0)
    push = hx.pushover(frame, "mode", 0.0295, steps=steps)
    assert kept(push, [TURNS] * 3)
    assert push.values("force")[-1, 0] > 1.5
    assert push.values("load_factor")[-1] > 1.4


def test_a_spring_that_a_reversal_takes_ends_slow_loading_where_it_turns():
    one = hx.shear_frame([1.0], [1000.0], laws=[TURNS])
    assert kept(hx.solve_path(one, "floor 1", np.linspace(0.001, 0.0292, 30)), [TURNS])
    with pytest.raises(ModelError, match=r"'storey 1' breaks in increment 2 .displacement 0.0291., and slow loading"):
        hx.solve_path(one, "floor 1", [0.0292, 0.0291])
    with pytest.raises(ModelError, match="'storey 1' breaks in increment 31 "):
        hx.cyclic(one, "floor 1", [0.0292], points=120)


def test_a_spring_at_its_ultimate_deformation_breaks_there_and_not_without_a_word():
    """The end of an increment lies on it."""
    one = hx.shear_frame([1.0], [100.0], laws=[hx.laws.Bilinear(1.0, ultimate=0.25)])
    assert hx.solve_path(one, "floor 1", [0.125, 0.24]).values("force")[-1, 0] == pytest.approx(1.0, rel=ROUND)
    with pytest.raises(ModelError, match="'storey 1' breaks in increment 2 "):
        hx.solve_path(one, "floor 1", [0.125, 0.25, 0.375])


@pytest.mark.parametrize("law", [hx.laws.ParallelLaws([TURNS, hx.laws.Bilinear(1.0)]), hx.laws.Fatigue(TURNS, E0=10.0)])
def test_a_part_that_a_reversal_would_take_is_told(law):
    one = hx.shear_frame([1.0], [1000.0], laws=[law])
    with pytest.raises(ModelError, match=r"'storey 1' breaks in increment \d+ "):
        hx.pushover(one, "floor 1", 0.06)


WORN = [(reloading, rule) for reloading in ("bilinear", "peak", "pinching") for rule in ("published", "opensees")]


@pytest.mark.parametrize(("reloading", "rule"), WORN)
def test_worn_springs_hold_in_slow_loading_what_they_hold_on_their_path(reloading, rule):
    """Own, hx.respond on the deformations that each push and each cycle found, or the break told."""
    done = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        wear = {mode: 10 ** rng.uniform(-2, 0.5) for mode in ("lambda_s", "lambda_c", "lambda_k") if rng.random() < 0.7}
        caps = rng.uniform(1.0, 1.2), rng.uniform(0.002, 0.02), rng.uniform(0.005, 0.05), rng.uniform(0, 1)
        laws = [hx.laws.IMK(f, *caps, reloading=reloading, rule=rule, **wear) for f in rng.uniform(1, 1.5, 3)]
        frame = hx.shear_frame([1.0] * 3, [1000.0] * 3, laws=laws, heights=3.0, weights=2.0)
        path = 0.03 * np.arange(1, 101) / 100, np.cumsum(rng.normal(0.0, 0.004, 60))
        for places in path:
            with contextlib.suppress(ModelError):  # a break, or nothing that decides: told
                assert kept(hx.solve_path(frame, "mode", places), laws)
                done += 1
    assert done > 6


def test_the_state_under_gravity_is_told_in_a_line():
    frame = hx.shear_frame([1.0] * 40, 100.0, laws=hx.Slider(2.0))
    state = hx.gravity(frame, np.full(40, 0.01))
    assert len(repr(state)) < 300
    assert f"displacement up to {np.abs(state.displacement).max():.4g}" in repr(state)
    assert "zero: " in repr(state)
    assert "back_force" in repr(state).partition("zero: ")[2]
    assert repr(hx.State(displacement=0.1)) == "State(displacement=[0.1])"
