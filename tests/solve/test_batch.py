"""Batches of oscillators: the answers of ``solve``, the same bits however they are cut, and what is refused."""

import csv
from importlib import import_module

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError, LoadError, ModelError, OverflowRunError, ProblemError, SchemeError
from hamex.solution.batch import MEASURES
from hamex.solve.oscillators import NEEDS
from hamex.solve.runners import measure

G = 9.80665
STEP = hx.Galerkin(step=0.02)
ALL = tuple(NEEDS)


def many(count, seed=1, plain=False):
    """Oscillators of all kinds: elastic, viscous, rate independent, hardening, without a limit, with P-Delta."""
    rng = np.random.default_rng(seed)
    period = np.exp(rng.uniform(np.log(0.1), np.log(3.0), count))
    mass = rng.uniform(0.5, 2.0, count)
    k = mass * (2 * np.pi / period) ** 2

    def some(share, values):
        return np.where(rng.random(count) < share, values, 0.0)

    limit = rng.uniform(0.3, 3.0, count) * mass
    if plain:
        return hx.oscillators(mass, k, damping_ratio=0.05, yield_force=limit, viscosity=some(0.6, 0.02 * k))
    limit[::7], limit[1::11] = np.inf, 0.0
    return hx.oscillators(
        mass,
        k,
        damping_ratio=0.05,
        yield_force=limit,
        viscosity=0.001 * k + some(0.6, 0.02 * k),
        kinematic=some(0.4, 0.1 * k),
        isotropic=some(0.3, 0.1 * k),
        geometric=some(0.3, -0.02 * k),
    )


def model_of(x, i):
    law = hx.Slider(x.yield_force[i], x.viscosity[i], x.kinematic[i], x.isotropic[i])
    model = hx.oscillator(x.mass[i], x.stiffness[i], x.damping[i], law)
    return hx.Model(**{**vars(model), "stiffness": np.array([[x.geometric[i]]])})


def test_every_measure_is_that_of_a_single_run():
    x = many(60)
    motions = [hx.el_centro(), hx.GroundMotion(2 * hx.el_centro().acceleration[200:600], step=0.02, unit="g")]
    scales = [0.5, 1.5]
    found = hx.batch(x, motions, STEP, ALL, scales=scales, g=G)
    assert found.steps == (1559, 399)
    for i in range(len(x)):
        model = model_of(x, i)
        for j, motion in enumerate(motions):
            for k, scale in enumerate(scales):
                problem = hx.Problem(model, motion.scaled(scale).on(model, g=G), found.steps[j] * 0.02)
                sol = hx.solve(problem, STEP)
                peak = float(measure(sol, "displacement"))
                for name in ALL:
                    one, other = float(measure(sol, name)), found.values(name)[i, j, k]
                    size = peak if name.startswith("residual") else abs(one)
                    if np.isnan(one):
                        assert np.isnan(other)
                    else:
                        assert other == pytest.approx(one, rel=1e-11, abs=1e-11 * size), (i, j, k, name)
    assert found.values("cycles").max() > 5
    assert (found.values("plastic_work") > 0).mean() > 0.5


def test_a_load_is_forces_and_the_same_for_every_model():
    x = many(5, plain=True)
    load = hx.sine(2.0, omega=7.0)
    found = hx.batch(x, load, STEP, ("displacement", "absolute_acceleration"), duration=8.0)
    for i in range(len(x)):
        model = model_of(x, i)
        sol = hx.solve(hx.Problem(model, load, 8.0), STEP)
        assert found.values("displacement")[i, 0, 0] == pytest.approx(float(measure(sol, "displacement")), rel=1e-12)
        assert found.values("absolute_acceleration")[i, 0, 0] == pytest.approx(
            float(measure(sol, "absolute_acceleration")), rel=1e-12
        )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bits_do_not_depend_on_the_vectors_of_the_processor(monkeypatch, dtype):
    """A lane of a vector of AVX2 or of AVX-512, beside padding or not; compiled for both wherever it runs."""
    x, found = many(67, plain=True), []
    for size in (32, 64):
        monkeypatch.setattr(import_module("hamex.solve.oscillators"), "vector_bytes", lambda size=size: size)
        measures = ("displacement", "residual_displacement")
        rows = hx.batch(x, hx.el_centro(), STEP, measures, g=G, dtype=dtype)
        found.append([rows.values(name).tobytes() for name in measures])
    assert found[0] == found[1]


@pytest.mark.parametrize("measures", [ALL, ("displacement", "ductility")], ids=["all", "peaks"])
def test_bits_do_not_depend_on_threads_blocks_order_or_company(measures):
    x = many(333)
    ask = {"g": G, "scales": [1.0, 2.0]}
    whole = hx.batch(x, hx.el_centro(), STEP, measures, threads=1, **ask)
    order = np.random.default_rng(5).permutation(len(x))
    shuffled = hx.batch(x.chosen(order), hx.el_centro(), STEP, measures, threads=2, block=50, **ask)
    alone = {i: hx.batch(x.chosen([i]), hx.el_centro(), STEP, measures, g=G) for i in (0, 7, 331)}
    for block, threads in ((1000, 2), (37, 2), (64, 1)):
        cut = hx.batch(x, hx.el_centro(), STEP, measures, threads=threads, block=block, **ask)
        for name in measures:
            assert np.array_equal(cut.values(name), whole.values(name), equal_nan=True), (block, name)
    for name in measures:
        assert np.array_equal(shuffled.values(name), whole.values(name)[order], equal_nan=True), name
        for i, found in alone.items():
            assert np.array_equal(found.values(name)[0, :, 0], whole.values(name)[i, :, 0], equal_nan=True), (name, i)


def test_peaks_alone_are_the_peaks_among_other_measures():
    x = many(100)
    few = hx.batch(x, hx.el_centro(), STEP, ("displacement", "residual_displacement"), g=G)
    more = hx.batch(x, hx.el_centro(), STEP, ALL, g=G)
    for name in few.names:
        assert few.values(name) == pytest.approx(more.values(name), rel=1e-11, abs=1e-13)


def test_peaks_inside_the_steps_are_the_vertices_of_their_parabolas():
    x = many(90, plain=True)
    ask = {"g": G, "peaks": "inside"}
    kept = hx.batch(x, hx.el_centro(), STEP, histories=("displacement", "velocity"), **ask)
    alone = hx.batch(x, hx.el_centro(), STEP, **ask).values("displacement")[:, 0, 0]
    u, v = (kept.history(name)[:, 0, 0] for name in ("displacement", "velocity"))
    before, after = v[:, :-1], v[:, 1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        vertex = np.abs(u[:, :-1] + 0.5 * 0.02 * before**2 / (before - after))
    at_nodes = np.abs(u).max(axis=1)
    exact = np.maximum(at_nodes, np.where(before * after < 0, vertex, 0.0).max(axis=1))
    for found in (kept.values("displacement")[:, 0, 0], alone):
        assert found == pytest.approx(exact, rel=1e-11)
    assert (exact / at_nodes).max() > 1.02  # short periods: few nodes are near a peak
    order = np.random.default_rng(5).permutation(len(x))
    cut = hx.batch(x.chosen(order), hx.el_centro(), STEP, threads=2, block=13, **ask)
    assert np.array_equal(cut.values("displacement")[:, 0, 0], alone[order])


def test_pairs_are_the_diagonal_of_the_product():
    x = many(6)
    a, b = hx.el_centro(), hx.GroundMotion(hx.el_centro().acceleration[:500], 0.02, "g", "the first 10 s")
    motions, scales = [a, b, a, a, b, b], [1.0, 2.0, 0.5, 1.0, 1.0, 3.0]
    pairs = hx.batch(x, motions, STEP, ("displacement", "cycles"), scales=scales, g=G, paired=True)
    product = hx.batch(x, [a, b], STEP, ("displacement", "cycles"), scales=scales, g=G)
    which = [0, 1, 0, 0, 1, 1]
    for name in ("displacement", "cycles"):
        assert np.array_equal(pairs.values(name), product.values(name)[np.arange(6), which, np.arange(6)])
    assert pairs["displacement"].dims == ("case",)


def test_a_run_in_two_parts_ends_where_the_whole_run_ends():
    x, motion = many(40), hx.el_centro()
    whole = hx.batch(x, motion, STEP, ("displacement",), g=G, duration=20.0, final=True)
    first = hx.batch(x, motion, STEP, ("displacement",), g=G, duration=8.0, final=True)
    a = motion.acceleration
    rest = hx.GroundMotion(a[400:], 0.02, "g")
    second = hx.batch(x, rest, STEP, ("displacement",), g=G, duration=12.0, start=first.final, final=True)
    for name in ("displacement", "momentum", "slip", "back_force", "accumulated_slip"):
        size = np.abs(whole.final[name]).max()
        assert np.allclose(second.final[name], whole.final[name], rtol=1e-9, atol=1e-11 * size), name
    assert (second.values("displacement") >= np.abs(first.final["displacement"])).all()
    peaks = hx.batch(x, rest, STEP, ("displacement",), g=G, duration=12.0, start=first.final)
    assert peaks.values("displacement") == pytest.approx(second.values("displacement"), rel=1e-11)


def test_histories_are_those_of_single_runs():
    x = many(3, seed=4)
    names = ("displacement", "velocity", "slip", "force")
    found = hx.batch(x, hx.el_centro(), STEP, g=G, duration=6.0, histories=names)
    for i in range(len(x)):
        model = model_of(x, i)
        sol = hx.solve(hx.Problem(model, hx.el_centro().on(model, g=G), 6.0), STEP)
        for name in names:
            history = found.history(name)[i, 0, 0]
            size = np.abs(sol.values("displacement" if name == "slip" else name)).max()
            assert history == pytest.approx(sol.values(name)[:, 0], rel=1e-10, abs=1e-11 * size)
    with pytest.raises(InputError, match="no history 'momentum'"):
        found.history("momentum")


def test_single_precision_states_how_far_off_it_is():
    x = many(200, plain=True)
    exact = hx.batch(x, hx.el_centro(), STEP, ("displacement", "residual_slip"), g=G)
    rough = hx.batch(x, hx.el_centro(), STEP, ("displacement", "residual_slip"), g=G, dtype="float32")
    for name in ("displacement", "residual_slip"):
        off = np.abs(rough.values(name) - exact.values(name)).max() / np.abs(exact.values(name)).max()
        assert 1e-9 < off < 1e-3
        assert 0.1 * off < rough.rounding[name] < 10 * off
        assert rough[name].attrs["rounding"] == rough.rounding[name]
    assert exact.rounding == {}


def test_other_models_and_schemes_are_solved_one_by_one():
    frames = [hx.shear_frame([1.0, 1.0], [k, k], laws=[hx.Slider(2.0, 0.5)] * 2) for k in (300.0, 500.0)]
    found = hx.batch(frames, hx.el_centro(), hx.Newmark(step=0.02), ("drift", "residual_drift"), g=G, duration=5.0)
    assert found["drift"].dims == ("model", "motion", "scale", "storey")
    for i, frame in enumerate(frames):
        sol = hx.solve(hx.Problem(frame, hx.el_centro().on(frame, g=G), 5.0), hx.Newmark(step=0.02))
        assert np.array_equal(found.values("drift")[i, 0, 0], np.abs(sol.values("storey_drift")).max(axis=0))
    one = hx.batch(hx.oscillator(1, 100), hx.el_centro(), hx.DiscontinuousGalerkin(0.02), g=G, duration=5.0)
    assert one.values("displacement").shape == (1, 1, 1)


def changed(first, second):
    return first.provenance["batch"] != second.provenance["batch"]


@pytest.mark.parametrize("scheme", [STEP, hx.Newmark(0.02)], ids=["many at once", "one by one"])
def test_the_hash_covers_every_model_of_a_list(scheme):
    def run(k=100.0, law=None, factor=1.0):
        models = [hx.oscillator(1, 80.0), hx.oscillator(1, k, law=law)]
        return hx.batch(models, hx.el_centro().scaled(factor), scheme, g=G, duration=0.2)

    assert not changed(run(), run())
    assert changed(run(), run(k=100.0 * (1 + 1e-15)))
    assert changed(run(), run(law=hx.Slider(0.3)))
    assert changed(run(law=hx.Slider(0.3)), run(law=hx.Slider(0.3, viscosity=1.0)))
    assert changed(run(), run(factor=1.5))


def test_the_hash_covers_the_start_and_who_meets_whom():
    def run(**options):
        return hx.batch(many(3), hx.el_centro(), STEP, g=G, duration=0.2, **options)

    at_rest, moved = run(), run(start={"displacement": 0.1})
    assert changed(at_rest, moved)
    assert not changed(moved, run(start={"displacement": 0.1}))
    one_of_three = np.array([0.1, 0.1, 0.2]).reshape(3, 1, 1)
    assert changed(moved, run(start={"displacement": one_of_three}))
    assert changed(moved, run(start={"slip": 0.1}))
    a, b = hx.el_centro(), hx.el_centro().scaled(2)
    assert changed(
        *(hx.batch(many(3), loads, STEP, g=G, duration=0.2, paired=True) for loads in ([a, a, b], [a, b, b]))
    )
    forces = [
        hx.batch([hx.oscillator(1, 80.0)], hx.Load([1.0, push], step=0.1), hx.Newmark(0.02), duration=0.2)
        for push in (2.0, 3.0)
    ]
    assert changed(*forces)


def test_results_are_labelled_and_saved(tmp_path):
    found = hx.batch(many(3), hx.el_centro(), STEP, ("displacement", "cycles"), scales=[1, 2], g=G)
    array = found["displacement"]
    assert array.dims == ("model", "motion", "scale")
    assert array.attrs["units"] == "length"
    assert array.coords["scale"].values.tolist() == [1.0, 2.0]
    assert "El Centro" in str(array.coords["motion"].values[0])
    again = hx.batch(many(3), hx.el_centro(), STEP, ("displacement", "cycles"), scales=[1, 2], g=G)
    other = hx.batch(many(3, seed=2), hx.el_centro(), STEP, ("displacement", "cycles"), scales=[1, 2], g=G)
    assert found.provenance == again.provenance != other.provenance
    import xarray as xr

    with xr.open_dataset(found.save(tmp_path / "many.nc"), engine="h5netcdf") as read:
        assert np.array_equal(read["displacement"].values, found.values("displacement"))
    lines = found.save(tmp_path / "many.csv").read_text().splitlines()
    assert lines[0] == "model,motion,scale,displacement,cycles"
    assert len(lines) == 7
    assert float(lines[1].rsplit(",", 2)[1]) == found.values("displacement")[0, 0, 0]
    with (tmp_path / "many.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["motion"] == hx.el_centro().source  # it has a comma
    assert float(rows[3]["cycles"]) == found.values("cycles")[1, 0, 1]
    assert set(ALL) <= set(MEASURES)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"models": []}, ModelError, "at least one"),
        ({"models": "oscillators"}, ModelError, "batch: models must be"),
        ({"models": [hx.oscillator(1, 1), "no model"]}, ModelError, "batch: models must be"),
        ({"loads": []}, LoadError, "no load"),
        ({"loads": [1.0, 2.0]}, LoadError, "must be a GroundMotion or a Load"),
        ({"loads": hx.Load([[1.0, 1.0]], step=0.1)}, LoadError, "one channel"),
        ({"loads": hx.sine(1.0, omega=3.0)}, ProblemError, "give a duration"),
        ({"scheme": 0.02}, ProblemError, "the scheme must be"),
        ({"scheme": hx.Newmark(0.02)}, ProblemError, "Galerkin of degree 1"),
        ({"measures": ()}, InputError, "no measures"),
        ({"measures": ("drift",)}, InputError, "there is no 'drift'"),
        ({"histories": ("energy",)}, InputError, "there is no 'energy'"),
        ({"scales": [1.0, np.nan]}, LoadError, r"scales\[1\] is not finite"),
        ({"scales": []}, LoadError, "scales must be"),
        ({"scales": [[1.0]]}, LoadError, r"shape \(1, 1\)"),
        ({"scales": "twice"}, LoadError, "scales must be numbers"),
        ({"g": None}, LoadError, "need g"),
        ({"g": -1.0}, LoadError, "need g"),
        ({"duration": 0.0}, ProblemError, "duration must be"),
        ({"duration": 0.03}, ProblemError, "no whole number of steps"),
        ({"paired": True, "scales": [1.0, 2.0]}, ProblemError, "3 models, 1 loads, 2 scales"),
        ({"threads": 0}, InputError, "threads"),
        ({"block": 0}, InputError, "block"),
        ({"peaks": "samples"}, InputError, "peaks must be"),
        ({"models": hx.shear_frames([[1.0]], [[9.0]]), "peaks": "inside"}, InputError, "for oscillators with"),
        ({"dtype": "float16"}, InputError, "dtype"),
        ({"start": {"displacement": [1.0, np.nan, 0.0]}}, ProblemError, "must be numbers of shape"),
        ({"start": {"displacement": np.full((3, 1, 1), np.nan)}}, ProblemError, r"at \(0, 0, 0\) is not finite"),
        ({"start": {"speed": 1.0}}, ProblemError, "start has no 'speed'"),
    ],
)
def test_bad_input_is_refused_before_the_run(change, error, message):
    given = {"models": many(3), "loads": hx.el_centro(), "scheme": STEP, "measures": ("displacement",), "g": G}
    given |= change
    with pytest.raises(error, match=message):
        hx.batch(given.pop("models"), given.pop("loads"), given.pop("scheme"), given.pop("measures"), **given)


def test_a_step_too_long_for_a_negative_stiffness_is_refused_by_index():
    x = hx.oscillators(stiffness=[100.0, 100.0], yield_force=1.0, viscosity=1.0, geometric=[0.0, -5.0])
    with pytest.raises(SchemeError, match=r"of oscillator 1 the step must be below 0.894427 s"):
        hx.batch(x, hx.Load([1.0], step=1.0), hx.Galerkin(1.0), duration=5.0)


def test_numbers_that_run_away_are_refused_by_index():
    x = hx.oscillators(stiffness=[100.0, 100.0], yield_force=1.0, viscosity=1.0, geometric=[0.0, -50.0])
    with pytest.raises(OverflowRunError, match="model 1"):
        hx.batch(x, hx.Load([10.0], step=1.0), hx.Galerkin(0.1), duration=500.0)


# Frames, which are solved one by one


def portal(levels=True):
    steel = {"modulus": 2e8, "area": 0.01, "inertia": 1e-4}
    hinged = steel | {"hinges": hx.Slider(60.0, kinematic=50.0)}
    return hx.frame(
        {"A": [0, 0], "B": [0, 3.0], "C": [5, 3.0], "D": [5, 0]},
        [hx.Member("A", "B", **hinged), hx.Member("B", "C", **steel), hx.Member("C", "D", **hinged)],
        {"A": "fixed", "D": "fixed"},
        {"B": 10.0, "C": 14.0},
        hx.modal(0.02),
        levels={"roof": ["B", "C"]} if levels else None,
        units=hx.Units("m", "kN"),
    )


WEIGHT = {"B.y": -100.0, "C.y": -140.0}


@pytest.fixture(scope="module")
def shaken():
    model = portal()
    problem = hx.Problem(model, hx.el_centro().on(model).scaled(2.0), 31.18, standing=WEIGHT)
    return hx.solve(problem, STEP)


def test_a_standing_load_acts_in_a_batch_as_in_solve(shaken):
    """Reference: own, one solution; without the load the springs bear other forces."""
    names = ("drift", "force", "residual_drift")
    found = hx.batch(portal(), hx.el_centro(), STEP, names, scales=[1.0, 2.0], standing=WEIGHT)
    for name, history in (("drift", "storey_drift"), ("force", "storey_shear")):
        assert found.values(name)[0, 0, 1] == pytest.approx(np.abs(shaken.values(history)).max(axis=0), rel=1e-12)
    assert found.values("residual_drift")[0, 0, 1] == pytest.approx(shaken.values("storey_drift")[-1], abs=1e-15)
    bare = hx.batch(portal(), hx.el_centro(), STEP, names, scales=[1.0, 2.0])
    assert abs(found.values("drift") / bare.values("drift") - 1).max() > 1e-4
    assert found.provenance["batch"] != bare.provenance["batch"]


def test_floors_of_a_frame_are_its_levels_and_not_its_dofs(shaken):
    """Reference: own, nodes of one solution; a dof may be a rotation, which is no displacement of a floor."""
    names = ("displacement", "velocity", "absolute_acceleration", "residual_displacement")
    found = hx.batch(portal(), hx.el_centro(), STEP, names, scales=2.0, standing=WEIGHT)
    assert found["displacement"].dims == ("model", "motion", "scale", "floor")
    both = [shaken.dofs.index("B.x"), shaken.dofs.index("C.x")]
    for name in names[:3]:
        level = shaken.values(name)[:, both].mean(axis=1)
        assert found.values(name).ravel() == pytest.approx(np.abs(level).max(), rel=1e-9)
    assert found.values(names[3]).ravel() == pytest.approx(shaken.values("displacement")[-1, both].mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("models", "given", "error", "message"),
    [
        (portal(levels=False), WEIGHT, ModelError, "measures belong to storeys, and a model of 6 dofs without levels"),
        (portal(), {"B.z": 1.0}, ProblemError, "standing: there is no dof .B.z."),
        (portal(), {"E.x": 1.0}, ProblemError, "standing: there is no node .E.; nodes are A, B, C, D"),
        (portal(), [1.0], ProblemError, "standing: give 6 finite numbers"),
        (many(2), [1.0], ProblemError, "give a list of models"),
    ],
)
def test_what_cannot_stand_on_models_is_refused(models, given, error, message):
    with pytest.raises(error, match=message):
        hx.batch(models, hx.el_centro(), STEP, g=G, standing=given)


def test_a_standing_load_on_oscillators_shifts_them_while_they_are_elastic():
    """Reference: analytic; the same swing about another place, f/k away."""
    model = hx.oscillator(mass=1.0, stiffness=100.0, damping=1.0)
    args = (hx.el_centro(), STEP, ("residual_displacement",))
    plain, loaded = (hx.batch(model, *args, g=G, standing=given) for given in (None, [7.0]))
    assert loaded.values(args[2][0]) - plain.values(args[2][0]) == pytest.approx(0.07, rel=1e-9)
