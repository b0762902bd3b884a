"""Batches of shear buildings: every measure as frame by frame, and bits that depend on nothing but the building."""

import dataclasses
import warnings

import numpy as np
import pytest
from repetitions import crossed

import hamex as hx
from hamex.errors import ConvergenceError, InputError, OverflowRunError, ProblemError, SchemeError
from hamex.model.shear_frames import ARRAYS, shear_frames
from hamex.solution.batch import STATE
from hamex.solution.shaking import places_of, rest_of
from hamex.solve import cases as many
from hamex.solve import frame_tables
from hamex.solve.cases import MEASURES, march_shear_frames

GRAVITY = 9.81
MOTION = hx.el_centro()


def record(h, seconds, load="average"):
    """Ground acceleration of each step, as a single run takes it."""
    whole = hx.Load(GRAVITY * MOTION.acceleration, MOTION.step)
    return whole.step_values(h, round(seconds / h), load, True)[:, 0]


class Family:
    """Random buildings as arrays and as models."""

    def __init__(self, seed, count, storeys, viscosity=0.02, kinematic=0.0, isotropic=0.0, weight=0.0):
        rng = np.random.default_rng(seed)
        shape = count, storeys
        m, k = rng.uniform(0.5, 2.0, shape), rng.uniform(0.5, 2.0, shape) * 1600.0 * max(storeys, 2)
        fy = np.where(rng.random(shape) < 0.15, np.inf, k * rng.uniform(0.002, 0.02, shape))
        some = rng.random((4, *shape))
        laws = fy, viscosity * k * some[0], kinematic * k * some[1], isotropic * k * some[2]
        p_delta = {"heights": np.full(shape, 3.0), "weights": weight * GRAVITY * m} if weight else {}
        self.given, self.laws, self.p_delta = (m, k), laws, p_delta
        self.frames = shear_frames(m, k, hx.ratio(0.03), *laws, **p_delta)
        self.scale = rng.uniform(0.3, 1.5, count)

    def model(self, i):
        laws = [hx.Slider(*law) for law in zip(*(x[i] for x in self.laws), strict=True)]
        return hx.shear_frame(
            self.given[0][i],
            self.given[1][i],
            hx.ratio(0.03),
            laws,
            **{name: values[i] for name, values in self.p_delta.items()},
        )

    def solved(self, i, h, seconds, scale, load="average"):
        model = self.model(i)
        problem = hx.Problem(model, MOTION.scaled(scale).on(model, g=GRAVITY), duration=seconds)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # long steps see less of the record, in both
            return hx.solve(problem, hx.Galerkin(h, load=load), limit=hx.Limit(None))


def largest(name):
    return lambda sol: np.abs(sol.values(name)).max(axis=0)


def at_rest(name):
    """Under no load, though the record goes on."""
    return lambda sol: getattr(
        rest_of(sol.model, vars(sol.final), np.zeros(len(sol.dofs)), places_of(sol.model, 0), 1.0), name
    )


SINGLE = {
    "drift": largest("storey_drift"),
    "displacement": largest("displacement"),
    "velocity": largest("velocity"),
    "absolute_acceleration": largest("absolute_acceleration"),
    "force": largest("force"),
    "slip": largest("slip"),
    "ductility": lambda sol: sol.values("ductility"),
    "residual_displacement": lambda sol: sol.values("displacement")[-1],
    "residual_slip": lambda sol: sol.values("slip")[-1],
    "residual_drift": lambda sol: sol.values("storey_drift")[-1],
    "plastic_work": lambda sol: sol.values("plastic_by_group")[-1],
    "settled_displacement": at_rest("displacement"),
    "settled_drift": at_rest("drift"),
    "swing": at_rest("swing"),
}
SCALE = {"residual_displacement": "displacement", "residual_slip": "drift", "residual_drift": "drift", "slip": "drift"}
SCALE |= {"settled_displacement": "displacement", "settled_drift": "drift", "swing": "drift"}
KINDS = {
    "viscous": {},
    "rate independent": {"viscosity": 0.0},
    "hardening": {"viscosity": 0.01, "kinematic": 0.1, "isotropic": 0.05},
    "rate independent, hardening": {"viscosity": 0.0, "kinematic": 0.05},
    "P-Delta": {"weight": 1.0},
    "P-Delta, rate independent": {"viscosity": 0.0, "weight": 1.0},
    "P-Delta, hardening": {"viscosity": 0.0, "kinematic": 0.1, "weight": 1.0},
}


def test_every_measure_has_a_single_counterpart():
    assert set(SINGLE) == set(MEASURES)


@pytest.mark.parametrize(("kind", "run"), crossed(KINDS, [(0.02, 1.0), (0.02, 8.0), (0.1, 6.0), (0.2, 6.0)]))
@pytest.mark.chief("P-Delta, hardening-run26", "viscous-run0", "rate independent-run5")
def test_all_measures_are_those_of_single_runs(kind, run):
    h, strength = run
    seconds, again = 12.0, 0.0
    for storeys in (1, 2, 3, 5, 12):
        family = Family(storeys, 4, storeys, **KINDS[kind])
        scale = strength * family.scale
        found = march_shear_frames(family.frames, record(h, seconds), scale, h, [*MEASURES, "solves"])
        again += found["solves"].sum()
        for i in range(4):
            sol = family.solved(i, h, seconds, scale[i])
            for name, of in SINGLE.items():
                alone, bound = of(sol), 1e-10 * np.nan_to_num(SINGLE[SCALE.get(name, name)](sol)).max()
                assert np.allclose(found[name][i], alone, rtol=0, atol=bound, equal_nan=True), (storeys, i, name)
    assert again > 50


@pytest.mark.parametrize("kinematic", [0.0, 0.05])
def test_line_searches_see_all_forces(kinematic):
    h, seconds, storeys = 0.1, 3.0, 5
    family = Family(3, 24, storeys, viscosity=0.02, kinematic=kinematic, weight=10.0)
    scale, searches = 40.0 * family.scale, 0
    found = march_shear_frames(family.frames, record(h, seconds), scale, h, ["drift"])["drift"]
    for i in range(24):
        sol = family.solved(i, h, seconds, scale[i])
        alone = SINGLE["drift"](sol)
        assert np.allclose(found[i], alone, rtol=0, atol=1e-10 * alone.max())
        searches += sol.values("searches").sum()
    assert searches > 50


def test_solves_are_counted_as_in_single_runs():
    family = Family(1, 6, 3)
    found = march_shear_frames(family.frames, record(0.02, 20.0), 4 * family.scale, 0.02, ["solves"])["solves"]
    alone = [family.solved(i, 0.02, 20.0, 4 * family.scale[i]).values("solves").sum() - 1000 for i in range(6)]
    # The first storey needs no second look here, so that there are fewer.
    assert np.all(found[:, 0] <= alone)
    assert np.all(found[:, 0] >= 0.5 * np.array(alone))
    assert found.sum() > 100
    assert np.array_equal(found, np.broadcast_to(found[:, :1], found.shape))


def same_bits(a, b):
    assert set(a) == set(b)
    for name in a:
        assert a[name].tobytes() == b[name].tobytes(), name


def mixed(count, storeys):
    """Every kind of building in one batch."""
    parts = [
        Family(i, count // 4 + 1, storeys, **more)
        for i, more in enumerate(
            ({}, {"kinematic": 0.1, "isotropic": 0.1}, {"weight": 1.0, "viscosity": 0.0}, {"viscosity": 0.0})
        )
    ]
    mix = np.random.default_rng(0).permutation(4 * (count // 4 + 1))[:count]
    arrays = {name: np.concatenate([getattr(part.frames, name) for part in parts])[mix] for name in ARRAYS}
    return dataclasses.replace(parts[0].frames, **arrays), 6 * np.concatenate([part.scale for part in parts])[mix]


@pytest.mark.parametrize("storeys", [1, 2, 5, 12])
@pytest.mark.chief("12", "1")
def test_neither_blocks_nor_threads_nor_order_nor_neighbours_change_a_bit(storeys):
    frames, scale = mixed(83, storeys)
    values, names = record(0.02, 8.0), [*MEASURES, "final", "solves"]

    def marched(which=slice(None), **more):
        return march_shear_frames(frames.chosen(which), values, scale[which], 0.02, names, **more)

    whole = marched()
    for name in names[:-2]:  # nor what else is asked for
        alone = march_shear_frames(frames, values, scale, 0.02, [name])
        assert alone[name].tobytes() == whole[name].tobytes()
    for more in ({"block": 1}, {"block": 7}, {"block": 24, "threads": 2}, {"block": 1000, "threads": 3}):
        same_bits(whole, marched(**more))
    shuffled = np.random.default_rng(1).permutation(83)
    same_bits({name: x[shuffled] for name, x in whole.items()}, marched(shuffled))
    for count in (1, 7, 8, 9, 40):
        same_bits({name: x[:count] for name, x in whole.items()}, marched(slice(0, count)))
    assert storeys == 1 or whole["solves"].max() > 50


@pytest.mark.parametrize("kind", ["viscous", "hardening", "P-Delta, hardening"])
def test_a_run_goes_on_from_the_state_it_left(kind):
    family = Family(4, 9, 4, **KINDS[kind])
    values, scale = record(0.02, 8.0), 5 * family.scale
    names = ["final", "drift", "displacement", "velocity", "slip", "plastic_work"]
    whole = march_shear_frames(family.frames, values, scale, 0.02, names)
    first = march_shear_frames(family.frames, values[:133], scale, 0.02, names)
    start = {name: first[f"final_{name}"] for name in STATE}
    second = march_shear_frames(family.frames, values[133:], scale, 0.02, names, start)
    for name in STATE:
        x, y = whole[f"final_{name}"], second[f"final_{name}"]
        assert np.abs(x - y).max() <= 1e-12 * np.abs(x).max()
        assert name in ("back_force",) or np.abs(x).max() > 0
    for name in ("drift", "displacement", "velocity", "slip"):
        assert np.allclose(np.maximum(first[name], second[name]), whole[name], rtol=1e-12, atol=0)
    assert np.allclose(first["plastic_work"] + second["plastic_work"], whole["plastic_work"], rtol=1e-12, atol=0)


def test_the_final_state_is_that_of_a_single_run():
    family = Family(6, 3, 4, kinematic=0.1)
    family.laws[2][1] = 0.0  # no hardening: its slip is accumulated elsewhere
    frames = dataclasses.replace(family.frames, kinematic=family.laws[2])
    found = march_shear_frames(frames, record(0.02, 8.0), 5 * family.scale, 0.02, ["final"])
    for i in range(3):
        end = family.solved(i, 0.02, 8.0, 5 * family.scale[i]).final
        alone = {"displacement": end.displacement, "momentum": end.momentum, "slip": end.slip, **end.internal}
        for name in STATE:
            x = found[f"final_{name}"][i]
            assert np.allclose(x, alone[name], rtol=0, atol=1e-10 * np.abs(alone[name]).max()), name


def test_peaks_count_the_start_too():
    family = Family(7, 5, 3)
    start = {
        "displacement": np.full((5, 3), 0.5),
        "slip": np.full((5, 3), [0.5, 0.0, 0.0]),
        "momentum": np.full((5, 3), -9.0),
    }
    names = ["displacement", "slip", "drift", "velocity"]
    found = march_shear_frames(family.frames, np.zeros(1), np.ones(5), 0.001, names, start)
    assert np.all(found["displacement"] >= 0.5)
    assert np.all(found["slip"][:, 0] >= 0.5)
    assert np.all(found["drift"][:, 0] >= 0.5)
    assert np.allclose(found["velocity"], 9.0 / family.frames.mass, rtol=0.2)


@pytest.mark.parametrize("kind", ["viscous", "rate independent", "hardening", "P-Delta, hardening"])
def test_a_run_starts_where_a_single_one_does(kind):
    family = Family(7, 3, 3, **KINDS[kind])
    rng, frames = np.random.default_rng(1), family.frames
    start = {
        "displacement": rng.normal(0, 0.01, (3, 3)),
        "momentum": rng.normal(0, 0.1, (3, 3)),
        "slip": rng.normal(0, 0.005, (3, 3)),
        "accumulated_slip": rng.random((3, 3)),
        "back_force": 0.003 * frames.stiffness * (frames.kinematic > 0),
    }
    found = march_shear_frames(frames, record(0.02, 4.0), family.scale, 0.02, [*MEASURES, "final"], start)
    for i in range(3):
        model, own = family.model(i), {name: values[i] for name, values in start.items()}
        state = hx.State(own.pop("displacement"), own.pop("momentum"), own.pop("slip"), own)
        problem = hx.Problem(model, MOTION.scaled(family.scale[i]).on(model, g=GRAVITY), duration=4.0, start=state)
        sol = hx.solve(problem, hx.Galerkin(0.02))
        for name in ("drift", "displacement", "velocity", "force", "absolute_acceleration", "residual_slip", "slip"):
            alone = SINGLE[name](sol)
            assert np.allclose(found[name][i], alone, rtol=0, atol=1e-10 * np.abs(alone).max()), name
        for name, alone in (
            ("back_force", sol.final.internal["back_force"]),
            ("momentum", sol.final.momentum),
            ("accumulated_slip", sol.final.internal["accumulated_slip"]),
        ):
            assert np.allclose(found[f"final_{name}"][i], alone, rtol=1e-10, atol=1e-10 * np.abs(alone).max()), name


def test_a_back_force_without_hardening_is_refused_as_for_a_single_run():
    family = Family(7, 4, 3)
    with pytest.raises(ProblemError, match="storey 2 of frame 12 has no kinematic hardening and cannot start"):
        march_shear_frames(
            family.frames,
            np.zeros(3),
            family.scale,
            0.02,
            ["drift"],
            {"back_force": np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 0]])},
            first=11,
        )


def test_unknown_measures_are_refused():
    family = Family(0, 2, 2)
    with pytest.raises(InputError, match="there is no 'acceleration' here; known are drift"):
        march_shear_frames(family.frames, np.zeros(3), family.scale, 0.02, ["acceleration"])


def test_a_step_beyond_the_convex_limit_is_refused_by_index():
    family = Family(0, 4, 6, viscosity=0.0, weight=20.0)
    with pytest.raises(SchemeError, match=r"frame 5\d the step must be below 0\.\d+ s, got 2 s"):
        march_shear_frames(family.frames, np.zeros(3), family.scale, 2.0, ["drift"], first=50)


def test_a_run_that_overflows_is_refused_by_its_first_index():
    family = Family(0, 40, 3)
    scale = np.ones(40)
    scale[[38, 17, 29]] = 1e308
    for more in ({}, {"block": 8, "threads": 2}):
        with pytest.raises(OverflowRunError, match="frame 117 are not finite"):
            march_shear_frames(family.frames, 1e6 * record(0.02, 8.0), scale, 0.02, [*MEASURES], first=100, **more)


def test_an_unsolved_step_is_refused_by_index_and_step(monkeypatch):
    family = Family(0, 40, 3)

    def kernel(*args):
        args[9][3] = 7  # the fourth of its block
        return 1

    monkeypatch.setattr(frame_tables, "compiled", lambda _: kernel)
    order = many._kinds(family.frames, np.ones(40))[0][2]
    with pytest.raises(ConvergenceError, match=rf"step 7 \(t = 0.14 s\) of frame {order[3] + 5} was not"):
        march_shear_frames(family.frames, np.zeros(9), np.ones(40), 0.02, ["drift"], first=5)
