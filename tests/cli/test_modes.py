"""`hamex modes`, the starters of structures, and what `hamex run` says of structures."""

import json
from pathlib import Path

import numpy as np
import pytest

import hamex as hx
from hamex.spec import read_problem

PROBLEMS = Path(__file__).parents[2] / "examples" / "problems"
FRAME = PROBLEMS / "five_storey_frame.toml"


# hamex modes


def test_the_table_shows_periods_and_masses(hamex):
    code, out, err = hamex("modes", FRAME)
    found = hx.modes(read_problem(FRAME).problem.model)
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines() if line.strip()[:1].isdigit()]
    assert len(rows) == 5
    for mode, row in enumerate(rows):
        assert row[:4] == [
            str(mode + 1),
            f"{found.periods[mode]:.4g}",
            f"{1 / found.periods[mode]:.4g}",
            f"{found.frequencies[mode]:.4g}",
        ]
        assert row[5] == f"{100 * found.effective_ratio[mode, 0]:.1f}"
    assert rows[-1][-2:] == ["100.0", "%"]
    assert "total mass [t (kN s²/m)]: 480 in x" in out


def test_json_holds_the_shapes(hamex):
    found = json.loads(hamex("modes", FRAME, "--json", "-n", "2")[1])
    modes = hx.modes(read_problem(FRAME).problem.model, 2)
    for name, values in (
        ("period", modes.periods),
        ("shape", modes.shapes.T),
        ("participation", modes.participation),
        ("effective_ratio", modes.effective_ratio),
        ("cumulative_ratio", modes.cumulative_ratio),
    ):
        assert np.allclose([mode[name] for mode in found["modes"]], values, rtol=1e-12), name
    assert found["dofs"] == [f"floor {i}" for i in range(1, 6)]


@pytest.mark.parametrize(("ending", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".html", b"<!doctype html")])
@pytest.mark.chief(".html-<!doctype html")
def test_shapes_are_drawn_by_ending(hamex, tmp_path, ending, start):
    pytest.importorskip("matplotlib")
    code, out, _ = hamex("modes", FRAME, "--plot", f"modes{ending}")
    assert code == 0
    assert out.endswith(f"wrote modes{ending}\n")
    assert (tmp_path / f"modes{ending}").read_bytes().lower().startswith(start.lower())


def test_more_modes_than_there_are_is_no_mistake(hamex):
    assert hamex("modes", FRAME, "-n", "50")[0] == 0
    assert hamex("modes", PROBLEMS / "frame_in_space.toml")[0] == 0


@pytest.mark.parametrize("path", sorted(PROBLEMS.glob("*.toml")), ids=lambda path: path.stem)
@pytest.mark.chief("layered_ground", "taylor_bar", "portal_with_hinges", "frame_in_space", "sidesway")
def test_modes_of_every_example_fit_80_columns(hamex, path):
    code, out, _ = hamex("modes", path)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80


def test_modes_refuse_before_any_work(hamex):
    assert hamex("modes", FRAME, "--plot", "modes.pdf")[::2] == (
        2,
        "error: cannot write modes.pdf: the ending must be one of .png, .svg, .html\n",
    )
    assert hamex("modes", PROBLEMS / "hardening.toml", "--plot", "a.png")[::2] == (
        2,
        "error: an oscillator has one mode and no shape to draw; leave --plot out\n",
    )
    assert hamex("modes", FRAME, "-n", "0")[0] == 2


# hamex init


@pytest.mark.parametrize("kind", ["oscillator", "shear-frame", "truss", "frame"])
def test_every_starter_runs_as_it_is(hamex, kind):
    assert hamex("init", kind) == (0, f"wrote {kind}.toml; now: hamex run {kind}.toml\n", "")
    code, out, err = hamex("run", f"{kind}.toml")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "finished" in out
    assert f"hamex run {kind}.toml" in Path(f"{kind}.toml").read_text(encoding="utf-8")
    assert hamex("modes", f"{kind}.toml")[0] == 0
    assert hamex("init", kind, "mine.toml")[1] == "wrote mine.toml; now: hamex run mine.toml\n"


# hamex run


def test_the_storey_table_shows_the_numbers_of_the_solution(hamex):
    _, out, _ = hamex("run", FRAME)
    file = read_problem(FRAME)
    sol = hx.solve(file.problem, file.scheme)
    drift, ratio, shear = (
        np.abs(sol.values(name)).max(axis=0) for name in ("storey_drift", "drift_ratio", "storey_shear")
    )
    lines = out.splitlines()
    top = next(place for place, line in enumerate(lines) if line.startswith("  storey    drift"))
    for place, line in enumerate(reversed(lines[top + 2 : top + 7])):  # from the ground up
        assert line.split() == [
            "storey",
            str(place + 1),
            f"{drift[place]:.4g}",
            f"{100 * ratio[place]:.3g}",
            f"{sol.values('residual_drift')[place]:.3g}",
            f"{shear[place]:.5g}",
            f"{sol.values('ductility')[place]:.3g}",
        ]
    solves = sol.values("solves")
    assert f"{solves.sum()} linear solves, {solves.mean():.2f} a step, at most {solves.max()}" in out
    share = sol.damping_share
    assert f"largest damping force {share.damping:.4g} kN, {100 * share.share:.3g} % of the springs'" in out


def test_json_of_a_structure(hamex):
    found = json.loads(hamex("run", FRAME, "--json")[1])
    file = read_problem(FRAME)
    sol = hx.solve(file.problem, file.scheme)
    assert found["model"]["kind"] == "shear_frame"
    assert [row["ductility"] for row in found["storeys"]] == sol.values("ductility").tolist()
    assert found["damping"]["share"] == sol.damping_share.share
    assert found["peaks"]["storey_drift"]["where"] == sol.peaks["storey_drift"].where
    assert sum(found["dissipated_by_group"].values()) == pytest.approx(found["energy"]["plastic"], rel=1e-12)
    assert "tables" not in found


def test_error_bars_on_storey_peaks(hamex):
    _, out, _ = hamex("run", FRAME, "--error")
    row = next(line for line in out.splitlines() if line.startswith("  storey drift"))
    assert float(row.split()[3]) > 0
    assert max(map(len, out.splitlines())) <= 80


def test_a_collapse_is_reported_and_no_failure(hamex):
    code, out, _ = hamex("run", PROBLEMS / "sidesway.toml")
    assert code == 0
    assert "\nexceeds: storey 1 passed drift ratio 0.08 at t = " in out
    assert "crossed at" in out
    assert json.loads(hamex("run", PROBLEMS / "sidesway.toml", "--json")[1])["exceeded"]["quantity"] == "drift_ratio"


def test_hinges_are_listed_by_rotation(hamex):
    found = json.loads(hamex("run", PROBLEMS / "portal_with_hinges.toml", "--json")[1])
    turned = [hinge["rotation"] for hinge in found["hinges"]]
    assert turned == sorted(turned, reverse=True)
    assert turned[0] == found["peaks"]["hinge_rotation"]["value"]


@pytest.mark.parametrize("ending", [".nc", ".csv"])
@pytest.mark.chief(".csv")
def test_results_of_a_structure_are_written(hamex, tmp_path, ending):
    picture = ["--plot", "out.svg"] if ending == ".nc" else []
    code, _, _ = hamex("run", PROBLEMS / "portal_with_hinges.toml", "-o", f"out{ending}", *picture)
    assert code == 0
    if ending == ".nc":
        assert hx.read(tmp_path / "out.nc").peaks["hinge_rotation"].value > 0
