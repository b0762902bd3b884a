"""``hamex region`` as a user runs it."""

import json

import polars as pl
import pytest

import hamex as hx
from hamex.motion.records.suite import record_text


@pytest.fixture
def folder(tmp_path):
    motion = hx.GroundMotion(hx.el_centro().acceleration[60:260], 0.02, "g", "El Centro, 4 s")
    (tmp_path / "el.csv").write_text(record_text(motion, ".csv"))
    (tmp_path / "stations.csv").write_text(
        "id,longitude,latitude,file,scale\nA,-115.6,32.8,el.csv,\nB,-115.4,32.8,el.csv,1.5\n"
    )
    hx.generate_inventory(200, seed=3).save(tmp_path / "town.csv")
    return tmp_path


def test_a_town_is_shaken_end_to_end_and_not_again(hamex, folder):
    arguments = ["region", "town.csv", "stations.csv", "-o", "out", "--workers", "1", "--sample", "20"]
    code, out, err = hamex(*arguments)
    assert code == 0
    assert "100 %" in err
    assert "left" in err
    lines = out.splitlines()
    assert lines[0].startswith("200 buildings, ")
    assert lines[1] == "demands of bilinear shear models: no pinching, no degradation, no P-Delta"
    assert max(map(len, lines)) <= 90
    assert "of 20 buildings run again at h/8" in out
    table = pl.read_parquet(folder / "out" / "buildings.parquet")
    assert (table.height, set(table["station"]), set(table["motions"])) == (200, {"A", "B"}, {"recorded"})
    assert len(json.loads((folder / "out" / "buildings.geojson").read_text())["features"]) == 200
    summary = json.loads((folder / "out" / "summary.json").read_text())
    assert (summary["buildings"], summary["failed"]) == (200, 0)
    assert (folder / "out" / "region.html").read_text().startswith("<!doctype html>")
    code, out, err = hamex(*arguments, "--json", "--no-geojson")
    again = json.loads(out)
    assert (again["parts_run"], again["parts_found"]) == (0, summary["parts_run"])
    names = [path.rpartition("/")[2] for path in again["written"]]
    assert names == ["buildings.parquet", "summary.json", "region.html"]
    assert again["all"] == summary["all"]


def test_a_dry_run_checks_and_tells_the_work(hamex, folder):
    code, out, _ = hamex("region", "town.csv", ".", "--interpolate", "--dry-run")
    assert code == 0
    assert "200 buildings, " in out
    assert "nearest of 2 stations, scaled to Sa(T1) interpolated between the nearest 2" in out
    assert "parts, " in out
    assert not (folder / "out").exists()


def test_buildings_are_made_up_on_demand(hamex, folder):
    code, out, _ = hamex("region", "new.csv", "--generate", "25", "--seed", "3")
    assert (code, out) == (0, "wrote new.csv: 25 made-up buildings, seed 3\n")
    assert hx.read_inventory(folder / "new.csv").storeys.tolist() == hx.generate_inventory(25, 3).storeys.tolist()
    code, _, err = hamex("region", "new.csv", "--generate", "25")
    assert (code, err) == (2, "error: new.csv exists already; --force overwrites it, or give another name\n")
    code, out, _ = hamex(
        "region",
        "new.csv",
        "el.csv",
        "--generate",
        "5",
        "--force",
        "-o",
        "out",
        "--workers",
        "1",
        "--sample",
        "0",
        "--no-page",
        "--no-geojson",
        "--step",
        "0.02",
    )
    assert code == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["buildings.parquet", "parts", "summary.json"]
    assert set(pl.read_parquet(folder / "out" / "buildings.parquet")["step"]) == {0.02}


def test_many_buildings_get_geojson_when_asked_only(hamex, folder, monkeypatch):
    monkeypatch.setattr("hamex.study.regions.result.MANY", 50)
    code, out, _ = hamex("region", "town.csv", "el.csv", "-o", "out", "--workers", "1", "--sample", "0", "--no-page")
    assert code == 0
    assert "no GeoJSON for more than 50 buildings unless asked for: --geojson" in out
    assert not (folder / "out" / "buildings.geojson").exists()
    code, out, _ = hamex(
        "region", "town.csv", "el.csv", "-o", "out", "--workers", "1", "--sample", "0", "--no-page", "--geojson"
    )
    assert (folder / "out" / "buildings.geojson").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["town.csv"], "give MOTIONS and, with -o, a folder"),
        (["town.csv", "el.csv"], "give MOTIONS and, with -o"),
        (["gone.csv", "el.csv", "-o", "out"], "cannot read gone.csv"),
        (["town.csv", "gone.csv", "-o", "out"], "cannot read gone.csv"),
        (["bad.csv", "el.csv", "-o", "out"], "bad.csv, row 1 (id 1), column type: 'Z' is not known; known are W1"),
    ],
)
def test_mistakes_are_one_clear_line(hamex, folder, arguments, message):
    (folder / "bad.csv").write_text("longitude,latitude,storeys,type\n0,0,1,Z\n")
    code, _, err = hamex("region", *arguments)
    assert code == 2
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1


def test_buildings_that_degrade_are_told(hamex, folder):
    # Of one storey: frames take another kernel, which `make test-all` compiles.
    hx.generate_inventory(3, seed=3, storeys=(1, 1)).save(folder / "few.csv")
    code, out, _ = hamex(
        "region", "few.csv", "el.csv", "-o", "out", "--workers", "1", "--sample", "0", "--degrading", "--no-geojson"
    )
    assert code == 0
    assert out.splitlines()[1] == "demands of shear models that pinch and lose their strength, with P-Delta"
    summary = json.loads((folder / "out" / "summary.json").read_text())
    assert f"\ncollapsed, a storey went down sideways: {summary['collapsed']} buildings\n" in out
    page = (folder / "out" / "region.html").read_text()
    assert "buildings collapsed: a storey went down sideways" in page
    assert "losing its strength" in page
