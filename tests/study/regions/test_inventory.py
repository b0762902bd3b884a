"""Inventories: what is given stays, what is left out comes from the type, what is wrong is told by row and column."""

import json

import numpy as np
import pytest

import hamex as hx
from hamex.errors import FileError, InputError
from hamex.study.regions import types
from hamex.study.regions.inventory import LIMITS, NUMBERS

HEAD = "id,longitude,latitude,storeys,type\n"


@pytest.fixture
def write(tmp_path):
    def file(text, name="town.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return file


def test_each_number_left_out_is_the_type_s_and_each_one_given_stays():
    given = {
        "period": 0.9,
        "strength": 0.2,
        "damping": 0.03,
        "hardening": 0.02,
        "relaxation": 0.01,
        "height": 3.3,
        "dispersion": 0.5,
    }
    assert set(given) == set(NUMBERS)
    usual = types.defaults(np.array([types.NAMES.index("C1")]), np.array([5]), np.array([1]))
    for name, value in given.items():
        full = hx.Inventory([0.0], [0.0], [5], ["C1"], **{name: [value]}).filled()
        for other in NUMBERS:
            assert getattr(full, other)[0] == (value if other == name else usual[other][0])
    limits = [[np.nan, 0.02, np.nan, np.nan]]
    full = hx.Inventory([0.0], [0.0], [5], ["C1"], limits=limits).filled()
    assert full.limits.tolist() == [[0.005, 0.02, 0.0233, 0.06]]


def test_design_is_moderate_or_low_where_there_is_no_better():
    full = hx.Inventory([0.0] * 3, [0.0] * 3, [2, 2, 2], ["C1", "URM", "C1"], design=["", "", "pre"]).filled()
    assert full.design.tolist() == ["moderate", "low", "pre"]


def test_a_building_without_type_brings_its_numbers():
    numbers = {"period": [0.5], "strength": [0.1], "damping": [0.05], "hardening": [0.0], "height": [3.0]}
    full = hx.Inventory([0.0], [0.0], [2], [""], **numbers).filled()
    assert np.isnan(full.limits).all()
    assert (full.relaxation[0], full.dispersion[0]) == (0.0, 0.4)
    with pytest.raises(InputError, match=r"row 1 \(id 1\), column strength: is missing, and the building has no type"):
        hx.Inventory([0.0], [0.0], [2], [""], **(numbers | {"strength": None})).filled()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("b,-115.5,32.8,3,X9", r"row 2 \(id b\), column type: 'X9' is not known; known are W1, W2, S1"),
        ("b,-115.5,32.8,0,C1", r"row 2 \(id b\), column storeys: must be a whole number from 1 to 200, got 0"),
        ("b,-115.5,32.8,2.5,C1", "column storeys: must be a whole number"),
        ("b,-115.5,32.8,,C1", "column storeys: must be a whole number from 1 to 200, nothing is given"),
        ("b,-115.5,95,3,C1", r"column latitude: must be degrees from −90 to 90, got 95"),
        ("b,,32.8,3,C1", "column longitude: must be degrees from −180 to 180, nothing is given"),
        ("b,east,32.8,3,C1", r"row 2, column longitude: 'east' is not a number"),
        ("b,-115.5,32.8,three,C1", "row 2, column storeys: 'three' is not a number"),
        ("b,-115.5,32.8,nan,C1", "row 2, column storeys: 'nan' is not a number"),
    ],
)
def test_errors_name_file_row_column_and_reason(write, row, message):
    path = write(HEAD + f"a,-115.5,32.8,3,C1\n{row}\n")
    with pytest.raises(InputError, match=message) as told:
        hx.read_inventory(path)
    assert str(told.value).startswith(str(path))


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("period", "-1", "must be a positive number of seconds; got -1"),
        ("strength", "0", "must be positive, base shear at yield over weight; got 0"),
        ("damping", "5", r"a ratio of critical damping from 0 to below 1 .0.05 is 5 %.; got 5"),
        ("hardening", "1", "stiffness after yield over stiffness before, from 0 to below 1; got 1"),
        ("relaxation", "-0.1", "a number of seconds, 0 or more; got -0.1"),
        ("height", "0", "a positive number of metres, one storey; got 0"),
        ("height", "inf", "a positive number of metres, one storey; got inf"),
        ("design", "strict", "'strict' is not known; known are high, moderate, low, pre"),
        ("drift_moderate", "-0.01", "must be a positive drift ratio, got -0.01"),
        ("drift_moderate", "0.001", "column drift_moderate: 0.001 is not above drift_slight"),
    ],
)
def test_numbers_out_of_range_are_refused(write, column, value, message):
    path = write(HEAD.strip() + f",{column}\na,0,0,3,C1,\nb,0,0,3,C1,{value}\n")
    with pytest.raises(InputError, match=r"row 2 \(id b\)") as told:
        hx.read_inventory(path).filled()
    assert f"column {column}: " in str(told.value)
    with pytest.raises(InputError, match=message):
        hx.read_inventory(path).filled()


def test_a_level_that_a_type_does_not_have_is_refused(write):
    with pytest.raises(InputError, match="column design: Hazus knows URM at low and pre design only, got 'high'"):
        hx.read_inventory(write(HEAD.strip() + ",DesignLevel\na,0,0,1,URM,High-Code\n"))


@pytest.mark.parametrize(
    ("text", "name", "error", "message"),
    [
        ("", "a.csv", InputError, "the file is empty"),
        (HEAD, "a.csv", InputError, "no buildings"),
        ("longitude,latitude,type\n0,0,C1\n", "a.csv", InputError, "no column storeys; it has longitude, latitude"),
        (
            "lon,longitude,latitude,storeys,type\n0,0,0,1,C1\n",
            "a.csv",
            InputError,
            "columns 'lon' and 'longitude' both mean longitude",
        ),
        ("{", "a.geojson", InputError, "not JSON"),
        ("{}", "a.geojson", InputError, "not a FeatureCollection"),
        (
            '{"features": [{"geometry": {"type": "Polygon", "coordinates": []}, "properties": {}}]}',
            "a.geojson",
            InputError,
            "row 1, column geometry: buildings are points, got Polygon",
        ),
        ("x", "a.shp", FileError, "an inventory ends in .csv or .geojson"),
    ],
)
def test_files_that_are_no_inventory_say_why(write, text, name, error, message):
    with pytest.raises(error, match=message):
        hx.read_inventory(write(text, name))


def test_a_missing_file_is_told(tmp_path):
    for name in ("none.csv", "none.geojson"):
        with pytest.raises(FileError, match="cannot read"):
            hx.read_inventory(tmp_path / name)


def test_names_of_simcenter_are_understood_and_the_rest_is_listed(write):
    path = write(
        "BIM_id,Latitude,Longitude,NumberOfStories,StructureType,DesignLevel,PlanArea,T1 [s]\n"
        "7,32.8,-115.5,5,c1,Pre-Code,300,0.8\n8,32.9,-115.4,1,W1,HC,90,\n"
    )
    found = hx.read_inventory(path)
    assert found.ignored == ("BIM_id", "PlanArea")
    assert (found.type.tolist(), found.design.tolist()) == (["C1", "W1"], ["pre", "high"])
    assert found.storeys.tolist() == [5, 1]
    assert found.filled().period.tolist() == [0.8, 0.35]


def test_points_of_geojson_are_buildings_and_win_over_properties(write):
    town = hx.generate_inventory(20, seed=5)
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [town.longitude[i], town.latitude[i]]},
            "properties": {
                "ID": town.id[i],
                "storeys": int(town.storeys[i]),
                "type": town.type[i],
                "design": town.design[i],
                "period": town.period[i],
                "strength": town.strength[i],
                "Lon": 999,
            },
        }
        for i in range(20)
    ]
    path = write(json.dumps({"type": "FeatureCollection", "features": features}), "b.geojson")
    same(hx.read_inventory(path), town)


def test_what_is_saved_is_read_back(tmp_path):
    town = hx.generate_inventory(50, seed=2)
    limits = np.full((50, 4), np.nan)
    limits[3] = [0.001, 0.002, 0.003, 0.004]
    town = hx.Inventory(
        town.longitude, town.latitude, town.storeys, town.type, town.design, period=town.period, limits=limits
    )
    found = hx.read_inventory(town.save(tmp_path / "town.csv"))
    same(found, town)
    assert "strength" not in (tmp_path / "town.csv").read_text().splitlines()[0]


def same(one, other):
    for name in ("longitude", "latitude", "storeys", "type", "design", "id", "limits", *NUMBERS):
        a, b = getattr(one, name), getattr(other, name)
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), name


def test_a_generated_building_depends_on_seed_and_number_only():
    few, many = hx.generate_inventory(100, seed=7), hx.generate_inventory(3000, seed=7)
    same(few, many.chosen(slice(0, 100)))
    assert not np.array_equal(hx.generate_inventory(100, seed=8).storeys, few.storeys)


def test_generated_buildings_are_what_was_asked_for():
    town = hx.generate_inventory(4000, seed=1, centre=(10.0, 50.0), extent=20.0, storeys=(2, 5), names=("C1", "URM"))
    assert set(town.storeys.tolist()) == {2, 3, 4, 5}
    assert set(town.type.tolist()) == {"C1", "URM"}
    north = 6371.0088 * np.radians(town.latitude - 50.0)
    east = 6371.0088 * np.radians(town.longitude - 10.0) * np.cos(np.radians(50.0))
    for way in (north, east):
        assert 9.9 < way.max() <= 10.0
        assert -10.0 <= way.min() < -9.9
    usual = hx.Inventory(town.longitude, town.latitude, town.storeys, town.type, town.design).filled()
    assert np.log(town.period / usual.period).std() == pytest.approx(0.2, rel=0.05)
    assert np.log(town.strength / usual.strength).std() == pytest.approx(0.3, rel=0.05)
    everything = hx.generate_inventory(20_000, seed=1)
    assert set(everything.type.tolist()) == set(types.TYPES)
    assert set(everything.storeys.tolist()) == set(range(1, 13))
    assert len(LIMITS) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "count must be a whole number ≥ 1"),
        ({"seed": -1}, "seed must be a whole number ≥ 0"),
        ({"storeys": (3, 2)}, "storeys must be two whole numbers"),
        ({"names": ("X",)}, "'X' is no type; known are W1"),
        ({"names": ("W1",), "storeys": (1, 5)}, "none of W1 is made with 3 storeys"),
        ({"extent": 0}, "extent must be"),
    ],
)
def test_the_generator_says_what_is_wrong(options, message):
    with pytest.raises(InputError, match=message):
        hx.generate_inventory(**({"count": 10} | options))
