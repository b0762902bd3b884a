"""Files: what is read is what was written, bit by bit; a failed write leaves nothing behind."""

import csv
import dataclasses
import os
import stat
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from faults import DAMAGES, damaged, little_room

import hamex as hx
from hamex.errors import FileError, InputError, LargeFileWarning
from hamex.solution import files

H = 0.02
LAW = hx.Slider(0.27, 1.5, kinematic=20.0, isotropic=9.0)
MODEL = hx.oscillator(1, 225, damping=1.5, law=LAW, units=hx.Units("in", "kip"))
LOAD = hx.Load(2 * hx.el_centro().acceleration, step=H)
PROBLEM = hx.Problem(MODEL, LOAD, duration=4.0, start=hx.State(1e-3, -2e-2, 1e-4))
ELASTIC = PROBLEM.replace(model=hx.oscillator(1, 225, damping=1.5))
RUNS = {
    "hardening": (PROBLEM, hx.Galerkin(H), False),
    "with error bars": (PROBLEM, hx.Galerkin(H), True),
    "no hardening": (PROBLEM.replace(model=hx.oscillator(1, 225, law=hx.Slider(0.27))), hx.Galerkin(H), False),
    "newmark": (PROBLEM, hx.Newmark(H), False),
    "exact": (ELASTIC, hx.PiecewiseExact(H), False),
}


@pytest.fixture(scope="module", params=RUNS)
def run(request):
    problem, scheme, error = RUNS[request.param]
    return problem, scheme, hx.solve(problem, scheme, error=error)


def same_state(one, other):
    assert set(one.internal) == set(other.internal)
    for name in ("displacement", "momentum", "slip"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    for name in one.internal:
        assert one.internal[name].tobytes() == other.internal[name].tobytes(), name


@pytest.mark.chief("with error bars", "hardening")
def test_netcdf_round_trip_is_bitwise(run, tmp_path):
    _, _, sol = run
    back = hx.read(sol.save(tmp_path / "out.nc"))
    assert back.names == sol.names
    for name in sol.names:
        assert back.values(name).tobytes() == sol.values(name).tobytes(), name
        assert back.values(name).dtype == sol.values(name).dtype
        assert back[name].equals(sol[name])
        assert back[name].attrs == sol[name].attrs
    same_state(back.final, sol.final)
    assert back.times.tobytes() == sol.times.tobytes()
    assert back.energy.identical(sol.energy)
    assert back.peaks == sol.peaks
    assert back.error == sol.error
    assert back.provenance == sol.provenance
    assert back.status is sol.status
    assert (back.dofs, back.springs, back.step) == (sol.dofs, sol.springs, sol.step)
    assert (back.units.length, back.units.force) == (sol.units.length, sol.units.force)
    assert repr(back) == repr(sol)


def test_a_second_round_trip_changes_nothing(tmp_path):
    first = hx.read(hx.solve(PROBLEM, hx.Newmark(H)).save(tmp_path / "one.nc"))
    second = hx.read(first.save(tmp_path / "two.nc"))
    assert second.dataset.identical(first.dataset)
    same_state(second.final, first.final)
    assert second.provenance == first.provenance


def test_restart_from_a_file_is_bitwise(run, tmp_path):
    problem, scheme, whole = run
    half = hx.solve(problem.replace(duration=2.0), scheme)
    start = hx.read(half.save(tmp_path / "half.nc")).final
    rest = hx.solve(problem.replace(duration=2.0, start=start, load=problem.load.after(2.0)), scheme)
    for name in ("displacement", "momentum", "slip", "impulse"):
        assert rest.values(name).tobytes() == whole.values(name)[100:].tobytes(), name


def test_error_bars_travel(tmp_path):
    sol = hx.solve(PROBLEM, hx.Galerkin(H), error=True)
    back = hx.read(sol.save(tmp_path / "out.nc"))
    assert all(peak.error is not None for peak in sol.peaks.values())
    assert {name: peak.error for name, peak in back.peaks.items()} == {n: p.error for n, p in sol.peaks.items()}


def test_the_file_opens_as_a_plain_dataset(tmp_path):
    """Others read it with xarray alone: names, units and clocks are inside."""
    sol = hx.solve(PROBLEM, hx.Galerkin(H))
    with xr.open_dataset(sol.save(tmp_path / "out.nc"), engine="h5netcdf") as data:
        assert data["displacement"].dims == ("time", "dof")
        assert data["displacement"].attrs["units"] == "in"
        assert data["time"].dtype == float
        assert data.attrs["Conventions"] == "hamex-2"


def test_csv_parses_back(run, tmp_path):
    _, _, sol = run
    with sol.save(tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert len(rows) == sol.steps + 1
    assert len(set(header)) == len(header)
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    assert [float(x) for x in columns["time [s]"]] == sol.times.tolist()
    for title, cells in columns.items():
        name = title.split(" ")[0]
        if name == "time":
            continue
        values = sol.values(name).reshape(len(sol.values(name)), -1)[:, 0]
        if title.endswith("step mean"):  # on the row of the node that ends the step
            assert cells[0] == ""
            cells = cells[1:]
        assert [float(cell) for cell in cells] == values.tolist(), title
    assert {"displacement", "momentum", "slip", "force"} <= {title.split(" ")[0] for title in header}
    assert f"displacement mass [{sol.units.length}]" in header


# Failed writes ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small():
    return hx.solve(PROBLEM.replace(duration=0.2), hx.Galerkin(H))


@pytest.mark.parametrize("ending", ["nc", "csv"])
def test_a_write_that_breaks_leaves_nothing_and_spares_the_old_file(ending, small, tmp_path, monkeypatch):
    target = tmp_path / f"out.{ending}"
    target.write_text("precious")

    def break_off(solution, path, problem=True):
        path.write_text("half of")
        raise RuntimeError("disk full")

    monkeypatch.setattr(files, "_netcdf", break_off)
    monkeypatch.setattr(files, "_csv", break_off)
    with pytest.raises(RuntimeError, match="disk full"):
        small.save(target)
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    assert target.read_text() == "precious"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("out.txt", r"the ending must be one of \.nc, \.csv"),
        ("out", "the ending must be one of"),
        ("no/such/folder/out.nc", "folder .* does not exist"),
    ],
)
def test_a_path_that_cannot_be_written_is_refused_by_name(name, message, small, tmp_path):
    with pytest.raises(FileError, match=f"cannot write .*{message}"):
        small.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_output_file(small, tmp_path):
    (tmp_path / "out.nc").mkdir()
    with pytest.raises(FileError, match="cannot write"):
        small.save(tmp_path / "out.nc")


def test_a_folder_without_permission_is_refused(small, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    with pytest.raises(FileError, match="not writable"):
        small.save(tmp_path / "out.nc")
    assert list(tmp_path.iterdir()) == []


def test_files_get_ordinary_permissions(small, tmp_path):
    mask = os.umask(0o022)
    try:
        path = small.save(tmp_path / "out.csv")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize("content", [None, b"", b"not a file of ours", b"\x89HDF\r\n\x1a\n and then nothing"], ids=repr)
def test_what_is_no_solution_cannot_be_read(content, tmp_path):
    path = tmp_path / "in.nc"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FileError, match="cannot read"):
        hx.read(path)


def test_a_netcdf_file_of_others_is_refused(tmp_path):
    xr.Dataset({"displacement": ("time", np.zeros(3))}).to_netcdf(tmp_path / "in.nc", engine="h5netcdf")
    with pytest.raises(FileError, match="not a solution written by hamex"):
        hx.read(tmp_path / "in.nc")


def test_names_with_commas_survive_csv(small, tmp_path):
    problem = small.problem.replace(model=dataclasses.replace(small.model, dofs=("roof, north",)))
    named = dataclasses.replace(small, source=dataclasses.replace(small.source, problem=problem), _cache={})
    with named.save(tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert {len(row) for row in rows} == {len(header)}


# Faults ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_file_that_does_not_match_its_checksum_is_refused_by_name(kind, small, tmp_path):
    path, rng = small.save(tmp_path / "out.nc"), np.random.default_rng(3)
    whole = path.read_bytes()
    for _ in range(25 if kind in ("bit", "zeros", "noise", "cut") else 1):
        path.write_bytes(damaged(whole, kind, rng))
        with pytest.raises(FileError, match=r"cannot read .*out\.nc"):
            hx.read(path)


def test_a_file_that_was_changed_on_purpose_is_read_when_asked_for(small, tmp_path):
    path = small.save(tmp_path / "out.nc")
    xr.Dataset({"mine": ("mine", np.zeros(3))}).to_netcdf(path, mode="a", group="notes", engine="h5netcdf")
    with pytest.raises(FileError, match=r"checksum.*changed by another program; .*verify=False"):
        hx.read(path)
    back = hx.read(path, verify=False)
    assert back.values("displacement").tobytes() == small.values("displacement").tobytes()


def test_files_without_a_checksum_that_are_damaged_end_in_a_named_error_or_in_numbers(tmp_path):
    """Of before there were any: their bytes cannot be verified, but no library's exception escapes."""
    old = (Path(__file__).parent / "data" / "hamex-1-oscillator.nc").read_bytes()
    path = tmp_path / "old.nc"
    for at in range(48, len(old), len(old) // 40):
        path.write_bytes(old[:at])
        with pytest.raises(FileError, match="cannot read"):
            hx.read(path)


@pytest.mark.parametrize("ending", ["nc", "csv"])
def test_a_full_disk_is_a_sentence_and_spares_the_old_file(ending, small, tmp_path):
    target = tmp_path / f"out.{ending}"
    target.write_text("precious")
    with little_room(1000), pytest.raises(FileError, match=r"cannot write .*: File too large; .* before is kept"):
        small.save(target)
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    assert target.read_text() == "precious"


def test_a_table_holds_the_results_and_nodes_that_are_chosen(tmp_path):
    frame = hx.shear_frame([1.0, 1.0], [300.0, 200.0], heights=3.0)
    sol = hx.solve(hx.Problem(frame, hx.el_centro().on(frame, g=9.81), 2.0), hx.Galerkin(0.01))
    path = sol.save(tmp_path / "some.csv", names=["displacement", "storey_shear"], every=20)
    with path.open(encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert [name.partition(" ")[0] for name in head] == ["time", *["displacement"] * 2, *["storey_shear"] * 2]
    assert len(rows) == 11
    assert [float(row[1]) for row in rows] == sol.values("displacement")[::20, 0].tolist()
    assert float(rows[1][3]) == sol.values("storey_shear")[19, 0]
    with pytest.raises(InputError, match=r"names and every are for \.csv"):
        sol.save(tmp_path / "some.nc", every=2)
    with pytest.raises(InputError, match="every is a whole number"):
        sol.save(tmp_path / "some.csv", every=0)
    with pytest.raises(InputError, match="holds no 'drift'"):
        sol.save(tmp_path / "some.csv", names=["drift"])


def test_the_size_of_a_huge_table_is_told_before_it_is_written(tmp_path, monkeypatch):
    frame = hx.shear_frame([1.0, 1.0], [300.0, 200.0], heights=3.0)
    sol = hx.solve(hx.Problem(frame, hx.el_centro().on(frame, g=9.81), 4.0), hx.Galerkin(0.01))
    monkeypatch.setattr(files, "_HUGE", 1e5)
    with pytest.warns(LargeFileWarning, match=r"MB.*columns of 401 rows.*every=10") as told:
        sol.save(tmp_path / "all.csv")
    assert told[0].filename == __file__
    size = (tmp_path / "all.csv").stat().st_size
    said = files._LONG * len(files._table(sol)) * 401
    assert said / 1.5 < size < 1.5 * said
    sol.save(tmp_path / "few.csv", names=["displacement"])
