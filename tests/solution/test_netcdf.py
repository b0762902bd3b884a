"""The writer of many small arrays writes what xarray would have written, and reads what it wrote."""

import h5netcdf
import numpy as np
import pytest
import xarray as xr

import hamex as hx
from hamex.errors import FileError
from hamex.solution import containers
from hamex.solution.keeping import packed, sized, unpacked

DATASET = xr.Dataset(
    {
        "motion": (("time", "dof"), np.arange(6.0).reshape(3, 2), {"units": "m", "long_name": "Weg u₁"}),
        "force": (("interval", "dof"), np.array([[1.0, np.nan], [np.inf, -0.0]])),
        "single": (("time",), np.arange(3, dtype=np.float32)),
        "solves": (("interval",), np.array([3, 4])),
        "small": (("interval",), np.array([3, 4], dtype=np.int32)),
        "yields": (("dof",), np.array([True, False])),
        "nothing": (("time", "spring"), np.zeros((3, 0))),
        "residual": ((), np.float64(0.5)),
        "words": ((), "{'a': 1}"),
    },
    {
        "time": ("time", [0.0, 0.1, 0.2], {"units": "s"}),
        "dof": ["left", "rechts ü"],
        "dof_turns": ("dof", [False, True], {"long_name": "turns"}),
        "step": ("interval", [0.1, 0.1]),
    },
    {"Conventions": "hamex-2", "step": 0.1, "count": 3, "why": ""},
)


def seen(path, group=None):
    """What xarray sees, and how it says it was written."""
    with xr.open_dataset(path, engine="h5netcdf", group=group) as opened:
        found = opened.load()
    how = {
        name: {k: str(v) for k, v in each.encoding.items() if k in ("dtype", "_FillValue", "coordinates")}
        for name, each in found.variables.items()
    }
    return found, how, found.encoding["unlimited_dims"]


def test_xarray_sees_what_it_would_have_written(tmp_path):
    ours, theirs = tmp_path / "ours.nc", tmp_path / "theirs.nc"
    tree = {"a": np.arange(4), "square": np.eye(2), "more": {"flags": np.array([True]), "name": "x", "none": None}}
    arrays = packed(tree)
    group = sized(arrays)
    ours.write_bytes(containers.image({"": containers.group_of(DATASET), "model": group}))
    DATASET.to_netcdf(theirs, engine="h5netcdf")
    same = xr.Dataset({name: (each.dims, each.values) for name, each in group.variables.items()})
    same.to_netcdf(theirs, mode="a", group="model", engine="h5netcdf")
    for name in (None, "model"):
        (one, how, grows), (other, as_before, grew) = seen(ours, name), seen(theirs, name)
        assert one.identical(other)
        assert list(one.variables) == list(other.variables)
        assert {each: one[each].dtype for each in one.variables} == {each: other[each].dtype for each in one.variables}
        assert how == as_before
        assert grows == grew
    with h5netcdf.File(ours, "r") as one, h5netcdf.File(theirs, "r") as other:
        for here, there in ((one, other), (one["model"], other["model"])):
            assert list(here.dimensions) == list(there.dimensions)
            assert {each: x.dimensions for each, x in here.variables.items()} == {
                each: x.dimensions for each, x in there.variables.items()
            }
    for path in (ours, theirs):
        found = containers.read(path)
        assert found[""].attributes["step"] == 0.1
        assert found[""].attributes["why"] == ""
        assert found[""].coordinates == {"time", "dof", "dof_turns", "step"}
        for each, variable in DATASET.variables.items():
            assert np.array_equal(found[""].values[each], variable.values, equal_nan=variable.dtype.kind == "f"), each
            if variable.dtype.kind != "U":
                assert found[""].values[each].dtype == variable.dtype, each
        back = unpacked(found["model"].values)
        assert back["more"]["flags"].dtype == bool
        assert back["square"].tolist() == tree["square"].tolist()
        assert (back["more"]["name"], back["more"]["none"]) == ("x", None)


def test_a_file_that_xarray_packed_again_is_read(tmp_path):
    model = hx.oscillator(1, 225)
    sol = hx.solve(hx.Problem(model, hx.sine(0.5, omega=14.0), 0.2), hx.Newmark(0.02))
    path = sol.save(tmp_path / "run.nc")
    packed_again = tmp_path / "small.nc"
    for group in (None, "model", "problem", "scheme"):
        with xr.open_dataset(path, engine="h5netcdf", group=group) as opened:
            pressed = {
                name: {"zlib": True} for name, each in opened.variables.items() if each.dtype.kind == "f" and each.ndim
            }
            opened.to_netcdf(packed_again, mode="a" if group else "w", group=group, engine="h5netcdf", encoding=pressed)
    back = hx.read(packed_again)
    assert back.scheme == sol.scheme
    for name in sol.names:
        assert back.values(name).tobytes() == sol.values(name).tobytes(), name


def test_an_hdf5_file_of_others_is_refused_by_name(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "other.nc"
    with h5py.File(path, "w") as file:
        file["a"] = np.zeros(3)
        file["of pairs"] = np.zeros(2, dtype=[("x", "f8"), ("y", "i4")])
        file["folder/b"] = "text"
        file["empty"] = h5py.Empty("f4")
        file.attrs["nothing"] = h5py.Empty("S1")
    with pytest.raises(FileError, match="not a solution written by hamex"):
        hx.read(path)
