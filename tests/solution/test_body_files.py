"""Files of bodies: all of a model, or what fields need of it; numbers instead of names; series for ParaView."""

import h5py
import numpy as np
import pytest
from test_kept_problems import same_bits

import hamex as hx
from hamex.errors import FileError, InputError, NoProblemError

meshio = pytest.importorskip("meshio")
RUBBER = hx.Material(density=1.0, modulus=100.0, poisson=0.25)
CLAY = RUBBER.with_law(hx.laws.J2(yield_stress=0.5, isotropic=5.0))
H, STEPS = 0.01, 12
UNEVEN = hx.Material(density=lambda x: 1 + x[0], modulus=lambda x: 100 + x[1], poisson=0.25)


def mesh():
    plain = hx.meshes.rectangle(4.0, 1.0, (8, 2))
    named = plain.with_boundaries({"a/b. c": lambda x: x[0] > 3.99})
    return named.with_subdomains({"left half": lambda x: x[0] < 2.0, "rest": lambda x: x[0] > 2.0})


def run(keep=None, material=RUBBER, moving=(), **more):
    model = hx.solid(mesh(), material, **{"fixed": ["left"], "moving": moving, "units": hx.Units("m", "kN")} | more)
    load = hx.Load([2.0, 2.0], step=STEPS * H, patterns=model.body.traction("a/b. c", (1.0, 0.3)))
    shake = hx.Load(lambda t: 0.05 * np.sin(9.0 * np.asarray(t)), patterns=np.ones((1, 1))) if moving else None
    return hx.solve(hx.Problem(model, load, STEPS * H, supports=shake), hx.Galerkin(H), keep=keep)


RUNS = {
    "elastic": lambda: run(),
    "springs": lambda: run(condense=False),
    "two materials": lambda: run(material={"left half": CLAY, "rest": RUBBER}),
    "fields": lambda: run(material=UNEVEN, degree=2),
    "moving": lambda: run(moving={"bottom": "x"}, fixed=()),
    "thinned": lambda: run(keep=4, material=CLAY),
}


@pytest.fixture(scope="module", params=RUNS)
def solved(request):
    return RUNS[request.param]()


@pytest.mark.chief("two materials", "moving", "thinned")
def test_with_its_problem_a_run_is_there_bit_by_bit(solved, tmp_path):
    again = hx.read(solved.save(tmp_path / "run.nc"))
    same_bits(again.model, solved.model)
    for name in ("displacement", "velocity", "stress", "plastic_strain"):
        assert again.field(name).identical(solved.field(name)), name
    assert str(again.peaks) == str(solved.peaks)
    assert again.model.ground_inertia is not None


@pytest.mark.chief("thinned", "two materials", "moving")
def test_without_its_problem_fields_are_there(solved, tmp_path):
    again = hx.read(solved.save(tmp_path / "run.nc", problem=False))
    for name in ("displacement", "velocity", "stress", "von_mises"):
        one, other = solved.probe([(3.9, 0.2), (0.1, 0.0)], name), again.probe([(3.9, 0.2), (0.1, 0.0)], name)
        assert other.values == pytest.approx(one.values, abs=1e-12 * float(np.abs(one).max() + 1)), name
    assert again.peaks["displacement"] == solved.peaks["displacement"]
    assert (again.dofs, again.springs) == (solved.dofs, solved.springs)
    with pytest.raises(NoProblemError):
        _ = again.problem


def test_names_are_not_written_one_by_one(tmp_path):
    for problem in (True, False):
        with h5py.File(RUNS["two materials"]().save(tmp_path / f"{problem}.nc", problem=problem)) as file:
            assert file["dof"].dtype.kind == file["spring"].dtype.kind == "i"
            text = str(file["model" if problem else "body"]["tree"].asstr()[()])
            assert len(text) < 10_000
            assert "node 1" not in text


def test_a_run_goes_on_from_a_file(tmp_path):
    whole = RUNS["two materials"]()
    half = hx.solve(whole.problem.replace(duration=STEPS * H / 2), hx.Galerkin(H))
    again = hx.read(half.save(tmp_path / "half.nc"))
    rest = whole.problem.replace(
        duration=STEPS * H / 2, start=again.final, load=whole.problem.load.after(STEPS * H / 2)
    )
    after = hx.solve(rest, again.scheme)
    assert np.array_equal(after.values("displacement")[-1], whole.values("displacement")[-1])


def test_tables_of_large_bodies_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("hamex.solution.files._TABLE", 10)
    with pytest.raises(FileError, match=r"a table of 48 dofs .* write .nc .* or .pvd"):
        RUNS["elastic"]().save(tmp_path / "run.csv")


# Series --------------------------------------------------------------------------------------------------------


def test_a_series_has_its_instants_and_values(tmp_path):
    sol = run(material=CLAY, degree=2, keep=4)
    path = sol.save(tmp_path / "run.pvd")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run", "run.pvd"]
    text = path.read_text()
    files = [part.partition('"')[0] for part in text.split('file="')[1:]]
    assert [float(part.partition('"')[0]) for part in text.split('timestep="')[1:]] == sol.times.tolist()
    last = meshio.read(tmp_path / files[-1])
    assert last.point_data["displacement"][:, :2] == pytest.approx(sol.field("displacement").values, rel=1e-6, abs=1e-9)
    assert last.point_data["velocity"][:, :2] == pytest.approx(sol.field("velocity").values, rel=1e-6, abs=1e-7)
    mises = sol.field("von_mises", at="nodes").values
    assert last.point_data["von_mises"] == pytest.approx(mises, rel=1e-5, abs=1e-6)
    stress = sol.field("stress", at="cells")
    assert last.cell_data["stress"][0][:, :4] == pytest.approx(stress.values, rel=1e-5, abs=1e-6)
    flow = sol.field("plastic_strain", at="cells").sel(component="xy").values
    assert last.cell_data["plastic_strain"][0][:, 3] == pytest.approx(flow / 2, rel=1e-5, abs=1e-9)  # a tensor
    assert last.cell_data["equivalent_plastic_strain"][0].max() > 0


def test_a_new_series_takes_the_place_of_the_old_one(tmp_path):
    sol = run()
    sol.save(tmp_path / "run.pvd")
    sol.save(tmp_path / "run.pvd", times=[0.0, 0.05])
    assert len(list((tmp_path / "run").iterdir())) == 2
    (tmp_path / "run" / "mine.txt").touch()
    with pytest.raises(FileError, match="where other things are"):
        sol.save(tmp_path / "run.pvd")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run", "run.pvd"]


def test_a_failure_leaves_the_old_series(tmp_path, monkeypatch):
    sol = run()
    before = sol.save(tmp_path / "run.pvd", times=[0.05]).read_text()
    monkeypatch.setattr(
        "hamex.solution.containers.write_vtu", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(FileError, match="No space left"):
        sol.save(tmp_path / "run.pvd")
    assert (tmp_path / "run.pvd").read_text() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run", "run.pvd"]
    assert len(list((tmp_path / "run").iterdir())) == 1


def test_one_instant_is_one_file(tmp_path):
    sol = run()
    assert len(meshio.read(sol.save(tmp_path / "end.vtu")).points) == 27
    with pytest.raises(FileError, match=r"a .vtu holds one instant, 2 are asked for"):
        sol.save(tmp_path / "end.vtu", times=[0.0, 0.05])
    with pytest.raises(InputError, match="times are those of a series"):
        sol.save(tmp_path / "run.nc", times=[0.05])
    oscillator = hx.solve(hx.Problem(hx.oscillator(1.0, 225.0), hx.constant(1.0), 0.1), hx.Galerkin(H))
    with pytest.raises(FileError, match=r"one of .nc, .csv, .xlsx$"):
        oscillator.save(tmp_path / "run.pvd")
