"""Excel: what openpyxl reads again is what was computed, with units in the headers and one sheet a table."""

import math
import sys

import numpy as np
import openpyxl
import pytest

import hamex as hx
from hamex.errors import FileError, MissingPackageError
from hamex.solution.files import pairs, write_sheets


@pytest.fixture(scope="module")
def solution():
    frame = hx.shear_frame([20.0, 10.0], [3000.0, 2000.0], laws=hx.Slider(20.0), heights=3.0, units=hx.Units("m", "kN"))
    problem = hx.Problem(frame, hx.el_centro().on(frame), duration=3.0)
    return hx.solve(problem, hx.Galerkin(step=0.02))


def close(values):
    """Excel's files have sixteen digits."""
    return pytest.approx(values, rel=1e-15)


def columns(sheet):
    head, *rows = sheet.iter_rows(values_only=True)
    return dict(zip(head, zip(*rows, strict=True), strict=True))


def test_a_run_is_peaks_and_one_sheet_for_each_place(solution, tmp_path):
    book = openpyxl.load_workbook(solution.save(tmp_path / "run.xlsx"))
    assert book.sheetnames[0] == "peaks"
    assert {"dofs", "springs", "storeys", "base", "overall", "about"} <= set(book.sheetnames)
    storeys = columns(book["storeys"])
    assert list(storeys["storey_drift storey 2 [m]"]) == close(solution.values("storey_drift")[:, 1].tolist())
    shear = storeys["storey_shear storey 1 [kN] step mean"]
    assert shear[0] is None
    assert list(shear[1:]) == close(solution.values("storey_shear")[:, 0].tolist())
    assert list(columns(book["overall"])["time [s]"]) == close(solution.times.tolist())
    peaks = columns(book["peaks"])
    place = peaks["peak"].index("storey_drift")
    assert (peaks["value"][place], peaks["unit"][place]) == (close(solution.peaks["storey_drift"].value), "m")
    about = dict(book["about"].iter_rows(min_row=2, values_only=True))
    assert (about["length"], about["force"]) == ("m", "kN")


def test_it_holds_what_the_csv_file_holds(solution, tmp_path):
    book = openpyxl.load_workbook(solution.save(tmp_path / "run.xlsx"))
    heads = {cell for sheet in book for cell in next(sheet.iter_rows(max_row=1, values_only=True))}
    with open(solution.save(tmp_path / "run.csv"), encoding="utf-8") as file:
        names = file.readline().strip().split(",")
    assert set(names) <= heads


def storeys_of_frames(count):
    """A frame of one bay with a level for each storey."""
    member = {"modulus": 2e8, "area": 0.012, "inertia": 1.5e-4, "hinges": hx.Slider(180.0, kinematic=500.0)}
    nodes = {f"{side}{level}": (x, 3.0 * level) for level in range(count + 1) for side, x in (("A", 0), ("B", 6))}
    ends = [(f"{side}{i}", f"{side}{i + 1}") for i in range(count) for side in "AB"]
    ends += [(f"A{i}", f"B{i}") for i in range(1, count + 1)]
    return hx.frame(
        nodes=nodes,
        members=[hx.Member(*pair, **member) for pair in ends],
        supports={"A0": "fixed", "B0": "fixed"},
        masses={name: [20.0, 20.0, 1.0] for name in nodes if name[1:] != "0"},
        levels=[[f"A{i}", f"B{i}"] for i in range(1, count + 1)],
        units=hx.Units("m", "kN"),
    )


def test_wide_sheets_are_lean_and_say_so(tmp_path):
    frame = storeys_of_frames(4)
    sol = hx.solve(hx.Problem(frame, hx.el_centro().on(frame, direction="x"), duration=1.0), hx.Galerkin(step=0.02))
    book = openpyxl.load_workbook(sol.save(tmp_path / "run.xlsx"))
    assert all(sheet.max_column <= 61 for sheet in book)
    assert "springs" not in book.sheetnames
    dofs = columns(book["dofs"])
    assert list(dofs["displacement A4.x [m]"]) == close(sol.values("displacement")[:, sol.dofs.index("A4.x")].tolist())
    assert not any(".y" in head or ".rz" in head for head in dofs)
    assert {"storeys", "base", "overall", "hinges", "peaks"} <= set(book.sheetnames)
    assert len(columns(book["storeys"])) > 4
    said = dict(book["about"].iter_rows(min_row=2, values_only=True))["left out"]
    assert "springs: all" in said
    assert ".nc" in said
    assert hx.read(sol.save(tmp_path / "run.nc")).values("force").shape == sol.values("force").shape


def test_slow_loading_has_increments_no_velocities_and_no_noise(tmp_path):
    push = hx.pushover(storeys_of_frames(1), "mode x", 0.1, steps=10)
    book = openpyxl.load_workbook(push.save(tmp_path / "push.xlsx"))
    peaks = columns(book["peaks"])
    assert "at increment" in peaks
    assert "at [s]" not in peaks
    heads = {head for sheet in book for head in columns(sheet)}
    assert not any("velocity" in name or "acceleration" in name for name in {*peaks["peak"], *heads})
    for sheet in book:
        for column in columns(sheet).values():
            numbers = [abs(value) for value in column if isinstance(value, float) and value]
            assert not numbers or min(numbers) > 1e-12 * max(numbers) or sheet.title in ("peaks", "about")


def test_rotations_and_moments_have_their_own_units(tmp_path):
    column = {"modulus": 2e8, "area": 0.012, "inertia": 1.5e-4, "hinges": hx.Slider(180.0)}
    portal = hx.frame(
        nodes={"A": (0, 0), "B": (0, 3.5)},
        members=[hx.Member("A", "B", **column)],
        supports={"A": "fixed"},
        masses={"B": [20.0, 20.0, 1.0]},
        units=hx.Units("m", "kN"),
    )
    push = hx.pushover(portal, "B.x", 0.1, steps=4)
    heads = next(openpyxl.load_workbook(push.save(tmp_path / "p.xlsx"))["dofs"].iter_rows(max_row=1, values_only=True))
    assert "displacement B.x [m]" in heads
    assert "displacement B.rz [rad]" in heads
    with open(push.save(tmp_path / "p.csv"), encoding="utf-8") as file:
        assert "displacement B.rz [rad]" in file.readline()


def test_spectra_batches_studies_and_fragilities_too(tmp_path):
    spec = hx.spectrum(hx.el_centro(), [0.2, 1.0], damping=[0.02, 0.05], g=9.80665, units=hx.Units("m"))
    book = openpyxl.load_workbook(spec.save(tmp_path / "s.xlsx"))
    assert book.sheetnames == ["spectra", "conventions"]
    found = columns(book["spectra"])
    assert list(found["period [s]"]) == [0.2, 1.0, 0.2, 1.0]
    assert list(found["displacement [m]"]) == close(spec.values("displacement").ravel().tolist())

    many = hx.oscillators(period=[0.5, 1.0], damping_ratio=0.05, yield_force=1.0, units=hx.Units("m", "kN"))
    ran = hx.batch(many, hx.el_centro(), hx.Galerkin(0.02), ("displacement", "ductility"), scales=[0.5, 1.0])
    book = openpyxl.load_workbook(ran.save(tmp_path / "b.xlsx"))
    assert list(columns(book["cases"])["displacement [m]"]) == close(ran.values("displacement").ravel().tolist())

    model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(0.27, 1.5), units=hx.Units("in", "kip"))
    study = hx.Study(
        model,
        {"record": [hx.el_centro()], "scale": [0.5, 1, 2]},
        ("ductility", "displacement"),
        hx.Galerkin(0.02),
        g=1.0,
    )
    table = study.run(workers=1)
    read = columns(openpyxl.load_workbook(table.save(tmp_path / "t.xlsx"))["runs"])
    assert list(read["displacement [in]"]) == close(table.columns["displacement"].tolist())
    assert set(read["motions"]) == {"recorded"}

    fitted = hx.Fragility.from_capacities([0.3, 0.5, 0.7, 0.9], resamples=10)
    book = openpyxl.load_workbook(fitted.save(tmp_path / "f.xlsx"))
    assert book.sheetnames == ["curve", "about"]
    assert dict(book["about"].iter_rows(min_row=2, values_only=True))["median"] == close(fitted.median)


def test_what_is_no_number_is_empty_and_text_stays_text(tmp_path):
    given = {"a [m]": [1.0, math.nan, math.inf], "b": ["=1+1", "https://x", None], "c": np.array([1, 2, 3])}
    sheet = openpyxl.load_workbook(write_sheets(tmp_path / "a.xlsx", {"t": given, "none": {}}))["t"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)] == [
        [1, "=1+1", 1],
        [None, "https://x", 2],
        ["infinite", None, 3],
    ]
    assert sheet["B2"].data_type == "s"  # no formula
    assert sheet["B3"].hyperlink is None
    assert pairs({"one": 1.0, "many": [1, 2]})["value"] == [1.0, "[1, 2]"]


def test_too_many_rows_are_refused_and_leave_the_old_file(tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_text("kept")
    with pytest.raises(FileError, match="1,048,576 rows and 16,384 columns, the table 'long' has 1,048,577"):
        write_sheets(path, {"long": {"x": np.zeros(1_048_576)}})
    assert path.read_text() == "kept"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_package_is_named_before_any_work(solution, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'hamex\[excel\]'"):
        solution.save(tmp_path / "run.xlsx")
    assert list(tmp_path.iterdir()) == []
