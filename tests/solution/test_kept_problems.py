"""Files keep model, problem and scheme: a run that was read is continued, repeated and drawn; old files still open."""

import dataclasses
import json
from pathlib import Path

import h5netcdf
import numpy as np
import pytest
from stored_runs import PLANE_FRAME, RUNS, SHEAR_FRAME

import hamex as hx
from hamex.errors import FileError, InputError, LoadError, NoProblemError
from hamex.solution.keeping import model_of, model_tree, packed, scheme_of, scheme_tree, unpacked

DATA = Path(__file__).parent / "data"
OLD = json.loads((DATA / "hamex-1.json").read_text(encoding="utf-8"))
H = 0.02


def same_bits(one, other, what=""):
    """Trees of arrays, matrices, numbers and names, bit by bit."""
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        assert type(one) is type(other), what
        one, other = ({each.name: getattr(x, each.name) for each in dataclasses.fields(x)} for x in (one, other))
    if isinstance(one, dict):
        assert list(one) == list(other), what
        for name in one:
            same_bits(one[name], other[name], f"{what}.{name}")
    elif hasattr(one, "tocsr"):
        assert (type(one), one.shape) == (type(other), other.shape), what
        same_bits(
            {name: x for name, x in sorted(vars(one).items()) if isinstance(x, np.ndarray)},
            {name: x for name, x in sorted(vars(other).items()) if isinstance(x, np.ndarray)},
            what,
        )
    elif isinstance(one, np.ndarray):
        assert (one.shape, one.dtype) == (other.shape, other.dtype), what
        assert one.tobytes() == other.tobytes(), what
    else:
        assert one == other, what


MODELS = {
    "oscillator": lambda: hx.oscillator(1, 225, law=hx.Slider(0.27, 1.5)),
    "elastic": lambda: hx.oscillator(1, 225),
    "shear frame with modal damping": lambda: SHEAR_FRAME,
    "plane frame": lambda: PLANE_FRAME,
    "truss": lambda: hx.truss(
        {"A": (0, 0), "B": (4, 0), "C": (2, 3)},
        [hx.Bar("A", "C", 100.0), hx.Bar("B", "C", 100.0, law=hx.PowerLaw(5.0, 0.5))],
        {"A": "pinned", "B": "pinned"},
        {"C": 1.0},
    ),
    "interaction": lambda: hx.frame(
        {"A": (0, 0), "B": (0, 3)},
        [hx.Member("A", "B", 200e6, 1e-2, 1e-4, hinges=hx.Surface((900.0, 100.0)))],
        {"A": "fixed"},
        {"B": 10.0},
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_survives_bit_by_bit(name):
    model = MODELS[name]()
    same_bits(model_of(unpacked(packed(model_tree(model)))), model)


@pytest.mark.parametrize(
    "scheme",
    [
        hx.Galerkin(0.02, degree=3, load="mean"),
        hx.Galerkin(0.1, tolerance=1e-5),
        hx.DiscontinuousGalerkin(0.3, 2),
        hx.Newmark(0.02, gamma=0.6, safeguarded=True),
        hx.PiecewiseExact(1 / 3),
        hx.LeapFrog(1e-3),
    ],
    ids=str,
)
def test_a_scheme_survives(scheme):
    assert scheme_of(unpacked(packed(scheme_tree(scheme)))) == scheme


def test_an_unknown_scheme_is_named():
    with pytest.raises(FileError, match="there is no scheme 'Magic'; known are Galerkin"):
        scheme_of({"name": "Magic", "step": 0.1})


@pytest.fixture(scope="module", params=RUNS)
def pair(request, tmp_path_factory):
    sol = RUNS[request.param]()
    return sol, hx.read(sol.save(tmp_path_factory.mktemp("kept") / "run.nc"))


@pytest.mark.chief("plane_frame", "pushover", "discontinuous")
def test_results_and_peaks_are_the_same_bits(pair):
    sol, back = pair
    assert back.names == sol.names
    for name in sol.names:
        assert back.values(name).tobytes() == sol.values(name).tobytes(), name
    assert back.peaks == sol.peaks
    assert back.provenance == sol.provenance
    assert back.exceeded == sol.exceeded
    assert repr(back) == repr(sol)


def test_problem_and_scheme_are_the_same_bits(pair):
    sol, back = pair
    assert back.scheme == sol.scheme
    same_bits(back.problem, sol.problem)


def test_what_is_derived_again_from_the_kept_problem_is_the_same(pair):
    sol, back = pair
    few = {name: back.histories[name] for name in sol.histories}
    again = dataclasses.replace(back, histories=few, _cache={})
    for name in sol.names:
        assert again.values(name).tobytes() == sol.values(name).tobytes(), name
    assert again.provenance == sol.provenance


@pytest.mark.parametrize("name", ["oscillator", "shear_frame", "plane_frame", "discontinuous"])
def test_a_run_is_continued_from_its_file_bitwise(name, tmp_path):
    whole = RUNS[name]()
    problem, scheme = whole.problem, whole.scheme
    half = whole.steps // 2
    first = hx.solve(problem.replace(duration=half * scheme.step), scheme)
    back = hx.read(first.save(tmp_path / "half.nc"))
    rest = back.problem.replace(
        start=back.final, load=back.problem.load.after(half * scheme.step), duration=(whole.steps - half) * scheme.step
    )
    found = hx.solve(rest, back.scheme)
    for each in ("displacement", "momentum", "slip", "impulse"):
        assert found.values(each).tobytes() == whole.values(each)[half:].tobytes(), each


def test_a_run_is_repeated_with_another_scheme(tmp_path):
    sol = RUNS["shear_frame"]()
    back = hx.read(sol.save(tmp_path / "run.nc"))
    other = hx.Newmark(0.01)
    assert (
        hx.solve(back.problem, other).values("slip").tobytes() == hx.solve(sol.problem, other).values("slip").tobytes()
    )


def test_frames_are_drawn_from_a_file(tmp_path):
    sol = RUNS["plane_frame"]()
    back = hx.read(sol.save(tmp_path / "run.nc"))
    assert np.array_equal(back.frames(5, 3.0).positions, sol.frames(5, 3.0).positions)
    assert np.array_equal(back.frames(5).yielded, sol.frames(5).yielded)


def test_a_prior_impulse_and_a_carried_start_are_kept(tmp_path):
    problem = RUNS["oscillator"]().problem.replace(prior_impulse=0.3)
    scheme = hx.Newmark(0.02)
    middle = hx.solve(problem, scheme).final  # with velocity, acceleration and tangent
    for start in (problem.start, middle):
        sol = hx.solve(problem.replace(start=start), scheme)
        back = hx.read(sol.save(tmp_path / "run.nc"))
        same_bits(back.problem, sol.problem)
        assert back.problem.prior_impulse.tolist() == [0.3]


def test_moving_supports_are_kept(tmp_path):
    moves = hx.Load(np.outer(np.sin(np.arange(20)), np.ones(len(PLANE_FRAME.support_names))) * 1e-3, step=0.01)
    still = hx.Load(np.zeros((1, len(PLANE_FRAME.dofs))), step=1.0)
    sol = hx.solve(hx.Problem(PLANE_FRAME, still, duration=0.1, supports=moves), hx.Galerkin(0.01))
    back = hx.read(sol.save(tmp_path / "run.nc"))
    same_bits(back.problem, sol.problem)
    assert back.base.tobytes() == sol.base.tobytes()
    thrifty = hx.read(sol.save(tmp_path / "thin.nc", problem=False))
    assert np.array_equal(thrifty.base, sol.base)
    assert np.array_equal(thrifty.frames(3).positions, sol.frames(3).positions)


# Loads that are functions -----------------------------------------------------------------------------------


def run_under(load, scheme, duration=1.0):
    return hx.solve(hx.Problem(hx.oscillator(1, 225, damping=1.5, law=hx.Slider(0.27, 1.5)), load, duration), scheme)


@pytest.mark.parametrize(
    "load",
    [
        hx.sine(0.5, omega=14.0),
        hx.constant(0.2),
        hx.triangle(0.4, 0.3),
        hx.sine(0.5, omega=14.0).after(0.3) + hx.Load([0.1, 0.2], step=0.5),
    ],
    ids=str,
)
def test_a_formula_is_kept_as_a_formula_and_goes_on_after_the_run(load, tmp_path):
    scheme = hx.Galerkin(H, load="mean")
    back = hx.read(run_under(load, scheme).save(tmp_path / "run.nc"))
    again = back.problem.replace(duration=3.0)
    assert hx.solve(again, scheme).values("slip").tobytes() == run_under(load, scheme, 3.0).values("slip").tobytes()


def push(t):
    return 0.4 * np.sin(9 * t) + 0.2 * np.cos(23 * t)


@pytest.mark.parametrize("scheme", [hx.Galerkin(H), hx.Galerkin(H, load="end"), hx.Newmark(H)], ids=str)
@pytest.mark.parametrize("shift", [0.0, 0.4])
@pytest.mark.every_value
def test_a_function_of_the_users_own_is_exact_at_the_nodes(scheme, shift, tmp_path):
    load = hx.Load(push, patterns=[[0.7]], breaks=(0.5,))
    load = load.after(shift) if shift else load
    sol = run_under(load, scheme)
    back = hx.read(sol.save(tmp_path / "run.nc"))
    again = hx.solve(back.problem, scheme)
    assert again.values("displacement").tobytes() == sol.values("displacement").tobytes()
    assert again.provenance == sol.provenance
    twice = hx.read(back.save(tmp_path / "again.nc"))
    same_bits(twice.problem.load.forces.values, back.problem.load.forces.values)
    inside = hx.solve(back.problem, hx.Galerkin(H, degree=2))  # reads between the nodes
    assert np.allclose(
        inside.values("displacement"),
        run_under(load, hx.Galerkin(H, degree=2)).values("displacement"),
        atol=1e-3 * np.abs(sol.values("displacement")).max(),
    )


def test_what_the_file_does_not_know_of_a_function_is_refused_by_name(tmp_path):
    back = hx.read(run_under(hx.Load(push), hx.Galerkin(H)).save(tmp_path / "run.nc"))
    on = back.problem.replace(start=back.final, load=back.problem.load.after(1.0))
    with pytest.raises(LoadError, match="was a function, of which the file keeps samples up to t = 1 s; give the func"):
        hx.solve(on, back.scheme)


# Without a problem ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.chief("plane_frame", "pushover")
def test_a_thrifty_file_has_results_and_no_problem(name, tmp_path):
    sol = RUNS[name]()
    whole, thin = sol.save(tmp_path / "whole.nc"), sol.save(tmp_path / "thin.nc", problem=False)
    assert thin.stat().st_size < whole.stat().st_size
    back = hx.read(thin)
    assert back.names == sol.names
    for each in sol.names:
        assert back.values(each).tobytes() == sol.values(each).tobytes(), each
    for ask in ("problem", "scheme", "model", "loading"):
        with pytest.raises(NoProblemError, match=r"does not know its .*: the file was written with save\(problem=Fal"):
            getattr(back, ask)
    assert list(back.peaks) == list(sol.peaks)
    if sol.inside is None:  # dense output stays behind
        assert back.peaks == sol.peaks


def test_an_action_that_was_simulated_has_no_problem():
    from hamex.principle.library import action

    swing = hx.simulate(action("pendulum"), {"m": 1, "l": 1, "g": 9.81}, {"theta": 1.0}, duration=0.1, step=0.01)
    with pytest.raises(NoProblemError, match=r"hamex\.simulate ran an action, which has no model"):
        _ = swing.problem
    assert repr(swing) == "<Solution: 10 steps of 0.01 s, 1 dof, 0 springs, simulate>"


# Files of the first format ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OLD)
def test_a_file_of_the_first_format_opens_with_all_its_results(name):
    kept, old = OLD[name], hx.read(DATA / f"hamex-1-{name}.nc")
    assert list(old.names) == kept["names"]
    assert old.status.name == kept["status"]
    assert old.residual == kept["residual"]
    assert {each: float(old.values(each)[-1]) for each in kept["energy"]} == kept["energy"]
    assert old.final.displacement.tolist() == kept["final"]
    assert old.provenance == kept["provenance"]
    found = {each: [p.value, p.time, p.where, p.unit, p.error] for each, p in old.peaks.items()}
    if name == "discontinuous":  # the first format kept node values only: the peak between them is lost
        assert found.pop("displacement")[0] <= kept["peaks"].pop("displacement")[0]
    assert found == kept["peaks"]
    with pytest.raises(NoProblemError, match="does not know its problem: the file was written by a version of hamex"):
        _ = old.problem


@pytest.mark.parametrize("name", OLD)
def test_todays_run_gives_the_numbers_of_the_old_file(name):
    old, new = hx.read(DATA / f"hamex-1-{name}.nc"), RUNS[name]()
    for each in ("displacement", "momentum", "slip", "force", "kinetic", "stored", "plastic", "input"):
        scale = max(float(np.abs(old.values(each)).max(initial=0.0)), 1e-12)
        found = new.values(each)
        if each == "force" and new.at_ends:  # old files of slow loading hold means of the increments, at their middles
            found = 0.5 * (new.values("node_force")[:-1] + new.values("node_force")[1:])
            assert np.array_equal(old["force"].interval, new.times[1:] - 0.5)
        assert np.allclose(found, old.values(each), rtol=0, atol=1e-9 * scale), each


def test_an_old_file_is_drawn_saved_again_and_started_from(tmp_path):
    old, new = hx.read(DATA / "hamex-1-plane_frame.nc"), RUNS["plane_frame"]()
    assert np.allclose(old.frames(4).positions, new.frames(4).positions, rtol=1e-9)
    again = hx.read(old.save(tmp_path / "again.nc"))
    assert again.dataset.equals(old.dataset)
    with pytest.raises(NoProblemError, match="by a version of hamex that kept histories and no problem"):
        _ = again.problem
    on = hx.solve(new.problem.replace(start=old.final, load=new.problem.load.after(0.2), duration=0.1), new.scheme)
    assert np.allclose(on.values("displacement")[0], old.values("displacement")[-1])


# Files of the second format ---------------------------------------------------------------------------------

SECOND = sorted((DATA / "hamex-2").glob("*.nc"))
HISTORIES = ("displacement", "momentum", "slip", "force", "node_force", "kinetic", "stored", "plastic", "input")


@pytest.mark.parametrize("file", SECOND, ids=lambda file: file.stem)
@pytest.mark.filterwarnings("ignore::hamex.errors.SwingWarning", "ignore::hamex.errors.CoarseWarning")
def test_a_file_of_the_second_format_is_run_again_gone_on_from_and_drawn(file):
    """Reference: own, the numbers of the version that wrote the file."""
    old = hx.read(file)
    if old.is_thinned:
        with pytest.raises(InputError, match="keep"):
            old.plot()
    else:
        assert old.plot() is not None
    if old.at_ends:  # slow loading: the path is not part of the file
        return
    new = hx.solve(old.problem, old.scheme, keep=old.extent.every, limit=old.limit)
    for name in set(HISTORIES) & set(old.names):
        size = max(float(np.abs(old.values(name)).max(initial=0.0)), 1e-9)
        assert np.allclose(new.values(name), old.values(name), rtol=0, atol=1e-11 * size), name
    still = hx.Load(np.zeros((2, len(old.problem.model.dofs))), step=1.0)
    rest = old.problem.replace(load=still, duration=2 * old.scheme.step, start=old.final)
    on, too = (hx.solve(rest.replace(start=each.final), old.scheme).values("displacement") for each in (old, new))
    assert np.allclose(on, too, rtol=0, atol=1e-11 * max(float(np.abs(too).max()), 1e-9))


# Damage -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file["scheme"].variables["tree"],
        lambda file: file["model"].variables["tree"],
        lambda file: file["problem"].variables["tree"],
    ],
    ids=["scheme", "model", "problem"],
)
def test_a_damaged_file_is_refused_by_name(spoil, tmp_path):
    path = RUNS["oscillator"]().save(tmp_path / "run.nc")
    with h5netcdf.File(path, "a") as file:
        spoil(file)[...] = "{}"
    with pytest.raises(FileError, match=r"cannot read .*: the file is damaged or from another version"):
        hx.read(path, verify=False)


def test_a_file_without_its_attributes_is_refused_by_name(tmp_path):
    path = RUNS["oscillator"]().save(tmp_path / "run.nc")
    with h5netcdf.File(path, "a") as file:
        del file.attrs["limit"]
    with pytest.raises(FileError, match="the file is damaged"):
        hx.read(path, verify=False)
