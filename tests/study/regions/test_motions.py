"""Which motion shakes a building: the nearest station over ground, or scaled between stations."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import FileError, InputError
from hamex.motion.records.suite import record_text

EL = hx.el_centro()


def test_the_nearest_is_nearest_over_ground():
    # At 80° north a degree of longitude is a sixth of one of latitude; 179° and −179° are neighbours.
    grid = hx.MotionGrid([EL, EL, EL], [0.0, 5.0, 179.5], [80.0, 81.5, 0.0])
    found = grid.shaking(np.array([4.0, 4.9, -179.5]), np.array([80.0, 81.0, 0.5]), np.ones(3))
    assert found.station.tolist() == [0, 1, 2]
    assert found.factor.tolist() == [1.0, 1.0, 1.0]
    assert found.distance[2] == pytest.approx(6371.0088 * np.arccos(np.cos(np.radians(0.5)) * np.cos(np.radians(1.0))))


def test_one_motion_acts_everywhere():
    found = hx.MotionGrid(EL).shaking(np.array([0.0, 90.0]), np.array([0.0, -20.0]), np.ones(2))
    assert (found.station.tolist(), found.factor.tolist()) == ([0, 0], [1.0, 1.0])
    assert np.isnan(found.distance).all()


def test_interpolated_motions_keep_the_record_at_a_station_and_meet_in_the_middle():
    grid = hx.MotionGrid([EL, EL.scaled(4)], [0.0, 1.0], [0.0, 0.0], interpolated=True)
    found = grid.shaking(np.array([0.0, 1.0, 0.5, 0.25]), np.zeros(4), np.array([0.3, 0.5, 1.0, 2.0]))
    assert found.factor[:2].tolist() == [1.0, 1.0]
    level = found.factor * np.array([1.0, 4.0])[found.station]
    assert level[2] == pytest.approx(2.0)  # geometric mean of 1 and 4
    assert level[3] == pytest.approx(4.0**0.1, rel=1e-4)  # weights 9 : 1


def test_interpolation_is_that_of_spectral_acceleration_at_the_building_s_period():
    other = hx.GroundMotion(np.roll(EL.acceleration, 40)[::-1] * 1.3, EL.step, "g")
    grid = hx.MotionGrid([EL, other], [0.0, 1.0], [0.0, 0.0], interpolated=True)
    T = np.array([0.2, 0.7, 1.9])
    sa = hx.spectrum([EL, other], T, 0.05, g=9.80665).values("pseudo_acceleration").reshape(2, -1, 3)[:, 0]
    found = grid.shaking(np.full(3, 0.5 - 1e-9), np.zeros(3), T)
    assert found.factor == pytest.approx(np.sqrt(sa[1] / sa[0]), rel=0.03)  # spectra are jagged between periods


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"motions": [EL, EL]}, "2 motions need the longitudes and latitudes"),
        ({"motions": []}, "at least one"),
        ({"motions": [EL, EL], "longitude": [0, 1], "latitude": [0, 100]}, "latitude must be 2 numbers of degrees"),
        ({"motions": [EL, EL], "longitude": [0, 1], "latitude": [0, 1], "id": ["a", "a"]}, "as many different ids"),
        (
            {"motions": [EL, EL.scaled(0)], "longitude": [0, 1], "latitude": [0, 1], "interpolated": True},
            "the motion of station 2 is zero throughout",
        ),
    ],
)
def test_a_grid_says_what_is_wrong(options, message):
    with pytest.raises(InputError, match=message):
        hx.MotionGrid(**options)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "el.csv").write_text(record_text(EL, ".csv"))
    (tmp_path / "plain.txt").write_text("0.1\n0.2\n")
    return tmp_path


def stations(folder, text):
    (folder / "stations.csv").write_text(text)
    return folder / "stations.csv"


def test_a_table_of_stations_is_read_by_file_or_folder(folder):
    path = stations(
        folder,
        "id,Longitude,latitude,file,unit,step,scale\nA,-115.5,32.8,el.csv,,,2\nB,-115.4,32.9,plain.txt,m/s2,0.01,\n",
    )
    for given in (path, folder):
        grid = hx.read_motions(given, interpolated=True)
        assert (grid.id, len(grid), grid.interpolated) == (("A", "B"), 2, True)
        assert grid.motions[0].peak == pytest.approx(2 * EL.peak)
        assert (grid.motions[1].unit, grid.motions[1].step) == ("m/s2", 0.01)


def test_one_record_or_el_centro_act_everywhere(folder):
    assert hx.read_motions("el-centro").everywhere
    grid = hx.read_motions(folder / "el.csv")
    assert grid.everywhere
    assert grid.motions[0].peak == EL.peak
    assert hx.read_motions(folder / "plain.txt", unit="g", step=0.01).motions[0].step == 0.01


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("longitude,latitude\n0,0\n", "there is no column file"),
        ("longitude,latitude,file\n", "no stations"),
        ("longitude,latitude,file\nx,0,el.csv\n", "row 1, column longitude: 'x' is not a number"),
        ("longitude,latitude,file\n0,0,\n", "row 1, column file: no record is given"),
        ("longitude,latitude,file\n0,0,el.csv\n0,1,gone.csv\n", "row 2, column file: cannot read"),
        ("longitude,latitude,file\n0,0,plain.txt\n", "row 1, column file: .*unit|row 1, column file: .*does not tell"),
        ("longitude,latitude,file\n0,99,el.csv\n", "latitude must be 1 numbers of degrees"),
    ],
)
def test_errors_name_file_row_and_column(folder, text, message):
    path = stations(folder, text)
    with pytest.raises(InputError, match=message) as told:
        hx.read_motions(path)
    assert str(path) in str(told.value)


def test_what_is_not_there_is_told(tmp_path):
    with pytest.raises(FileError, match=r"the folder has no stations\.csv"):
        hx.read_motions(tmp_path)
    with pytest.raises(FileError, match="cannot read"):
        hx.read_motions(tmp_path / "none.csv")
