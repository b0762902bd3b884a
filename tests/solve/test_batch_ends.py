"""How the runs of a batch end: at a limit, at rest, or before their motion; each like the same run by itself."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError, ProblemError, ShortRunWarning, SwingWarning
from hamex.solve.frame_tables import FramesUnderWay

G, H = 9.80665, 0.02
MOTION = hx.el_centro()
SCALES = [0.4, 1.0, 2.0, 6.0, 40.0]
PEAKS = ("drift", "displacement", "velocity", "force", "residual_drift")
KINDS = {"plain": {}, "hardening": {"kinematic": 0.05, "isotropic": 0.01}, "P-Delta": {"weights": 700.0}}


def shear_frames(kind, count=13, heights=3.2, seed=3, **more):
    """Some of each kind; not a whole number of lanes."""
    own, rng = dict(KINDS[kind]), np.random.default_rng(seed)
    k = 60e3 * rng.uniform(0.5, 1.5, (count, 1)) * np.array([1.0, 0.9, 0.8])
    own |= {name: own[name] * k for name in ("kinematic", "isotropic") if name in own}
    return hx.shear_frames(
        np.full((count, 3), 60.0), k, hx.ratio(0.03), yield_forces=0.005 * k, heights=heights, **own, **more
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_that_is_marched_in_pieces_keeps_every_bit(kind):
    frames = shear_frames(kind)
    values = G * MOTION.acceleration[:501]
    hard, soft = kind == "hardening", kind == "P-Delta"
    tables = [FramesUnderWay.begun(frames, np.full(len(frames), 1.5), H, {}, hard, soft) for _ in range(2)]
    wanted = [35 * 8, 36 * 8]
    tables[0].advance(values, wanted, True)
    at = 0
    for piece in (1, 2, 7, 100, 133, 1, 257):
        tables[1].advance(values[at : at + piece], wanted, True)
        at += piece
    assert tables[1].taken == at == len(values)
    every = slice(0, 6), slice(33, 41)  # state, solves, peaks and sums
    for rows in every:
        assert tables[0].table[:, :, rows].tobytes() == tables[1].table[:, :, rows].tobytes()
    some = np.array([11, 2, 5])
    assert tables[0].chosen(some).drift().tobytes() == tables[0].drift()[some].tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_runs_end_at_the_limit_like_the_same_run_by_itself(kind):
    frames = shear_frames(kind)
    found = hx.batch(frames, MOTION, hx.Galerkin(H), PEAKS, scales=SCALES, g=G)
    assert 5 < found.collapsed.sum() < found.collapsed.size - 5
    limit = 0.1 * 3.2
    top = found.values("drift").max(axis=-1)
    assert (top[found.collapsed] > limit).all()
    assert (top[~found.collapsed] <= limit).all()
    assert top.max() < 2 * limit  # nothing of 1e34: one step beyond
    on = hx.batch(frames, MOTION, hx.Galerkin(H), PEAKS, scales=SCALES, g=G, limit=hx.Limit(drift_ratio=0.5))
    for name in PEAKS:
        assert on.values(name)[~found.collapsed].tobytes() == found.values(name)[~found.collapsed].tobytes()
    for model, _, scale in np.argwhere(found.collapsed)[:: max(found.collapsed.sum() // 4, 1)]:
        one = frames.chosen(slice(model, model + 1))
        alone = hx.batch(one, MOTION, hx.Galerkin(H), PEAKS, scales=[SCALES[scale]], g=G)
        for name in PEAKS:
            assert alone.values(name)[0, 0, 0].tobytes() == found.values(name)[model, 0, scale].tobytes()
        # A run of its very length has the same peaks.
        time = found.collapse[model, 0, scale]
        short = hx.batch(
            one, MOTION, hx.Galerkin(H), PEAKS, scales=[SCALES[scale]], g=G, duration=time, limit=hx.Limit(None)
        )
        for name in PEAKS:
            assert short.values(name)[0, 0, 0].tobytes() == found.values(name)[model, 0, scale].tobytes()


def test_the_limit_of_a_batch_is_that_of_solve():
    model = hx.shear_frame(
        [60.0] * 3, [60e3, 55e3, 48e3], laws=hx.Slider(200.0), heights=3.2, weights=700.0, damping=[60.0] * 3
    )
    measures = ("drift", "residual_drift")
    options = {"scales": [0.2, 4.0], "g": G, "limit": hx.Limit(0.05)}
    many = hx.batch([model], MOTION, hx.Galerkin(H), measures, **options)
    singly = hx.batch([model], MOTION, hx.Galerkin(H, degree=2), measures, **options)
    for scale, many_at, singly_at in zip(options["scales"], many.collapse[0, 0], singly.collapse[0, 0], strict=True):
        load = MOTION.scaled(scale).on(model, g=G)
        duration = hx.el_centro().duration
        one = hx.solve(hx.Problem(model, load, duration), hx.Galerkin(H), limit=hx.Limit(0.05))
        assert many_at == pytest.approx(one.exceeded.time) if one.exceeded else np.isnan(many_at)
        assert np.isnan(singly_at) == np.isnan(many_at)
    assert many.values("drift")[..., 0] == pytest.approx(singly.values("drift")[..., 0], rel=0.1)
    assert np.isfinite(many.collapse).tolist() == [[[False, True]]]


def test_without_heights_or_limit_nothing_ends():
    frames = shear_frames("plain", heights=None)
    assert not hx.batch(frames, MOTION, hx.Galerkin(H), ("drift",), scales=[40.0], g=G).collapsed.any()
    given = {"scales": [40.0], "g": G}
    for limit in (hx.Limit(None), hx.Limit(stop=False)):
        found = hx.batch(shear_frames("plain"), MOTION, hx.Galerkin(H), ("drift",), **given, limit=limit)
        assert not found.collapsed.any()
        assert found.values("drift").max() > 1.0


REST = ("residual_drift", "settled_drift", "swing", "residual_slip", "drift")


@pytest.mark.parametrize("kind", KINDS)
def test_frames_at_rest_are_those_of_solve(kind):
    frames = shear_frames(kind, count=9)
    scales = [0.4 if kind == "P-Delta" else 1.0]
    found = hx.batch(frames, MOTION, hx.Galerkin(H), REST, scales=scales, g=G)
    assert (found.values("swing") > 0.001 * found.values("drift").max(axis=-1, keepdims=True)).any()
    if kind != "P-Delta":
        assert found.values("settled_drift").tobytes() == found.values("residual_slip").tobytes()
    on = hx.batch(frames, MOTION, hx.Galerkin(H), REST, scales=scales, g=G, settle=1e-6)
    assert on.settled.all()
    top = on.values("drift").max(axis=-1, keepdims=True)
    assert (on.values("swing") <= 1e-6 * top).all()
    assert (np.abs(on.values("residual_drift") - on.values("settled_drift")) <= on.values("swing")).all()
    same = (on.values("residual_slip") == found.values("residual_slip")).all(axis=-1)
    assert same.mean() > 0.5  # nothing slipped once more: then rest was known at the end of the record
    assert on.values("settled_drift")[same] == pytest.approx(found.values("settled_drift")[same], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_settling_depends_on_nothing_but_the_run(kind):
    frames = shear_frames(kind, count=21)
    options = {"scales": [0.5, 1.5, 3.0], "g": G, "settle": 0.001}
    whole = hx.batch(frames, MOTION, hx.Galerkin(H), REST, **options)
    for more in ({"block": 5}, {"threads": 2}):
        again = hx.batch(frames, MOTION, hx.Galerkin(H), REST, **options, **more)
        for name in REST:
            assert again.values(name).tobytes() == whole.values(name).tobytes()
    some = hx.batch(frames.chosen(np.array([20, 3])), MOTION, hx.Galerkin(H), REST, **options)
    for name in REST:
        assert some.values(name).tobytes() == whole.values(name)[[20, 3]].tobytes()


def oscillators(count=37, **more):
    rng = np.random.default_rng(2)
    return hx.oscillators(
        period=rng.uniform(0.3, 3, count), damping_ratio=0.04, yield_force=rng.uniform(0.5, 3, count), **more
    )


def test_oscillators_settle_like_a_longer_run():
    many = oscillators()
    names = (
        "displacement",
        "residual_displacement",
        "settled_displacement",
        "swing",
        "cycles",
        "plastic_work",
        "residual_slip",
    )
    options = {"scales": [1.0, 2.0], "g": G}
    on = hx.batch(many, MOTION, hx.Galerkin(H), names, **options, settle=0.001, block=11)
    assert on.settled.all()
    top = on.values("displacement")
    assert (on.values("swing") <= 0.001 * top).all()
    short = hx.batch(many, MOTION, hx.Galerkin(H), names, **options)
    assert (short.values("swing") > 0.001 * top).mean() > 0.3
    steps = short.steps[0]
    long = [
        hx.batch(many, MOTION, hx.Galerkin(H), names, **options, duration=H * (steps + tail))
        for tail in [0, *(-(-steps // 4) * 2**k for k in range(7))]
    ]
    first = np.argmax([each.values("swing") <= 0.001 * each.values("displacement") for each in long], axis=0)
    assert len(np.unique(first)) > 2
    for name in names:
        expected = np.choose(first, [each.values(name) for each in long])
        assert on.values(name).tobytes() == np.ascontiguousarray(expected).tobytes()


def test_one_by_one_settles_too():
    model = hx.shear_frame([60.0] * 3, [60e3, 55e3, 48e3], laws=hx.Slider(300.0), damping=hx.modal(0.05))
    found = hx.batch([model], MOTION, hx.Galerkin(H), REST[:3], g=G, settle=0.001)
    sol = hx.solve(hx.Problem(model, MOTION.on(model, g=G), MOTION.duration), hx.Galerkin(H), settle=0.001)
    assert found.settled.all()
    assert found.values("settled_drift")[0, 0, 0].tobytes() == sol.rest.drift.tobytes()
    assert found.values("residual_drift")[0, 0, 0].tobytes() == sol.values("residual_drift").tobytes()


def test_what_does_not_come_to_rest_or_ends_early_is_said():
    still = hx.oscillators(period=[0.5, 1.0], damping_ratio=[0.0, 0.05], yield_force=1e3)
    with pytest.warns(SwingWarning, match="1 of 2 runs have not come to rest"):
        found = hx.batch(still, MOTION, hx.Galerkin(H), g=G, settle=0.001)
    assert found.settled.ravel().tolist() == [False, True]
    with pytest.warns(ShortRunWarning, match=r"1 of 1 motions go on .* by up to 21\.16 s"):
        hx.batch(still, MOTION, hx.Galerkin(H), g=G, duration=10.0)
    with pytest.raises(ProblemError, match="settle goes on without load, but 1 of 1"):
        hx.batch(still, MOTION, hx.Galerkin(H), g=G, duration=10.0, settle=0.01)
    with pytest.raises(ProblemError, match="between 0 and 1"):
        hx.batch(still, MOTION, hx.Galerkin(H), g=G, settle=2)
    with pytest.raises(InputError, match="histories of different length"):
        hx.batch(still, MOTION, hx.Galerkin(H), g=G, settle=0.1, histories=("slip",))
