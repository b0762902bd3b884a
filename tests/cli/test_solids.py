"""Solids on the command line: starters run as they are, at 80 columns, and files of places are what a run found."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import hamex as hx


def changed(kind, old, new):
    """A starter with one line changed, as case.toml."""
    text = Path(f"{kind}.toml").read_text(encoding="utf-8")
    assert old in text
    Path("case.toml").write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.filterwarnings("ignore::hamex.errors.ShortRunWarning")
@pytest.mark.parametrize(
    ("kind", "old", "new", "words"),
    [
        (
            "cantilever",
            "duration = 0.05 ",
            "duration = 0.005 ",
            ["solid in plane stress, 40 quadrilaterals of degree 2", "elastic", "von Mises stress"],
        ),
        (
            "plate",
            "duration = 0.002 ",
            "duration = 0.001 ",
            ["320 points that can yield", "plastic strain", "of the points that can yield have yielded"],
        ),
        ("site", "tail = 2.0", "duration = 1.0", ["60 degrees of freedom", "El Centro", "surface  x"]),
    ],
)
def test_a_starter_runs_at_80_columns(hamex, kind, old, new, words):
    assert hamex("init", kind)[0] == 0
    changed(kind, old, new)
    code, out, err = hamex("run", "case.toml")
    assert code == 0, err
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    said = " ".join(out.split())
    for word in (*words, "displacement", "probe", "energy balance closes"):
        assert " ".join(word.split()) in said
    assert lines[-1].startswith(("finished", "early", "      "))


def test_the_plate_is_pushed_to_its_net_section(hamex):
    """Reference: analytic (Gaydon and McCrum), σ_y (1 − r/w) without hardening; elements give bounds from above."""
    hamex("init", "plate")
    changed("plate", ", kinematic = 2000.0", "")
    code, out, _ = hamex("pushover", "case.toml", "--json")
    found = json.loads(out)
    limit = max(found["curve"]["base shear [N]"]) / (2.0 * 100.0)
    assert code == 0
    assert 1.0 < limit / (250.0 * (1 - 20.0 / 100.0)) < 1.02
    assert found["pattern"] == "forces on the solid, 200 N in sum"
    assert found["yields"][0]["spring"].startswith("cell 1 at (20.9")
    shown = hamex("pushover", "case.toml")[1]
    assert "points begin to yield: cell 1 at (20.9" in shown


SITE = """
title = "Column"
duration = 1.0
units = {length = "m", force = "kN"}
[model]
kind = "solid"
fixed = {bottom = "xy", left = "y", right = "y"}
mesh = {kind = "rectangle", width = 1.0, height = 4.0, elements = [1, 4]}
material = {density = 1.8, shear_speed = 200.0, pressure_speed = 400.0}
[motion]
wave = {shape = "ricker", amplitude = 0.2, period = 0.4, step = 0.02}
direction = "x"
[probes]
surface = [0.5, 4.0]
corner = "node 5.x"
[scheme]
kind = "galerkin"
step = 0.02
"""


@pytest.fixture
def site(hamex, tmp_path):
    (tmp_path / "site.toml").write_text(SITE, encoding="utf-8")
    return hamex


def test_probes_and_motions_are_what_the_run_found(site):
    code, out, err = site("run", "site.toml", "--probes", "p.csv", "--motion", "s.csv", "--at", "surface", "--json")
    assert code == 0, err
    file = hx.read_problem("site.toml")
    sol = hx.solve(file.problem, file.scheme)
    told = {(probe["name"], probe["way"]): probe for probe in json.loads(out)["probes"]}
    assert list(told) == [("surface", "x"), ("corner", "")]  # nothing moves upwards
    moved = sol.probe((0.5, 4.0)).sel(component="x").values[:, 0]
    assert told["surface", "x"]["displacement"]["value"] == np.abs(moved).max()
    assert told["corner", ""]["velocity"]["value"] == np.abs(sol["velocity"].sel(dof="node 5.x")).max()
    table = np.loadtxt("p.csv", delimiter=",", skiprows=1)
    head = Path("p.csv").read_text(encoding="utf-8").partition("\n")[0].split(",")
    assert np.array_equal(table[:, head.index("displacement surface.x [m]")], moved)
    assert np.array_equal(table[:, 0], sol.times)
    record = hx.read_record("s.csv")
    assert np.array_equal(record.acceleration, sol.motion((0.5, 4.0), "x").acceleration)
    assert record.source.startswith("s.csv: Column: motion of (0.5, 4) in x in a model of 8 dofs")
    assert site("run", "site.toml", "--motion", "s.at2", "--at", "corner")[0] == 0
    assert hx.read_record("s.at2").acceleration == pytest.approx(
        sol.motion("node 5.x").acceleration / 9.80665, rel=1e-12
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--at", "surface"], "--at says whose motion --motion writes; give both"),
        (["--motion", "s.csv"], "--motion: say whose motion with --at: one of the probes surface, corner, a dof or"),
        (["--motion", "s.csv", "--at", "roof"], "--at: there is no 'roof'; there are surface, corner, node 2.x"),
        (["--motion", "s.csv", "--at", "surface.z"], "--at: there is no direction 'z'; there are x, y"),
        (["--motion", "s.xyz", "--at", "surface"], "cannot write s.xyz: the ending must be one of .csv"),
        (["--probes", "p.nc"], "cannot write p.nc: the ending must be one of .csv, .xlsx"),
        (["-o", "p.xyz"], "cannot write p.xyz: the ending must be one of .nc, .csv, .xlsx, .pvd, .vtu"),
    ],
)
def test_places_that_are_not_there_are_refused_before_the_run(site, options, said, monkeypatch):
    monkeypatch.setattr(sys.modules["hamex.solve"], "solve", None)
    code, out, err = site("run", "site.toml", *options)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {said}")


def test_files_of_a_run_hold_the_body(site):
    assert site("run", "site.toml", "-o", "run.nc")[0] == 0
    back = hx.read("run.nc")
    assert back.probe((0.5, 4.0)).shape == (51, 1, 2)
    assert site("run", "site.toml", "-o", "run.pvd")[1].endswith("wrote run.pvd\n")
    code, out, _ = site("modes", "site.toml", "-n", "1", "--json")
    # Reference: analytic, four elements in shear, consistent masses: above 4H/c by 0.6 %.
    assert json.loads(out)["modes"][0]["period"] == pytest.approx(4 * 4.0 / 200.0, rel=0.01)
    assert code == 0
    assert site("run", "site.toml", "--dry-run")[1].splitlines()[1] == "  solid, 8 dofs, 50 steps"


def test_paraview_is_for_solids(hamex):
    hamex("init")
    error = "error: cannot write run.pvd: the ending must be one of .nc, .csv, .xlsx\n"
    assert hamex("run", "problem.toml", "-o", "run.pvd") == (2, "", error)
