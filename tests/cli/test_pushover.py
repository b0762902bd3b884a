"""`hamex pushover`, and slow loading in problem files: the numbers of hx.pushover and hx.cyclic, by another door."""

import csv
import json
from pathlib import Path

import numpy as np
import openpyxl
import pytest

import hamex as hx
from hamex.errors import HamexError
from hamex.report.push import capacity, first_yields
from hamex.spec import read_problem

STOREYS = """
title = "Two storeys"
[units]
length = "m"
force = "kN"
[model]
kind = "shear_frame"
masses = [20.0, 10.0]
stiffnesses = [3000.0, 2000.0]
heights = 3.0
[[model.laws]]
yield_force = 40.0
kinematic = 100.0
[[model.laws]]
yield_force = 30.0
"""
PUSH = '[pushover]\ndisplacement = 0.1\npattern = "floor 2"\n'


@pytest.fixture
def storeys(tmp_path):
    def write(*tables, history=False, gravity=""):
        text = STOREYS + "\n" + gravity + "\n".join(tables)
        if history:
            text = (
                "duration = 1.0\n" + text + '[motion]\nrecord = "el_centro"\n[scheme]\nkind = "galerkin"\nstep = 0.01\n'
            )
        (tmp_path / "storeys.toml").write_text(text, encoding="utf-8")
        return "storeys.toml"

    return write


def frame():
    return hx.shear_frame(
        [20.0, 10.0],
        [3000.0, 2000.0],
        laws=[hx.Slider(40.0, kinematic=100.0), hx.Slider(30.0)],
        heights=3.0,
        units=hx.Units("m", "kN"),
    )


# The file


def test_a_file_pushes_as_python_does(hamex, storeys):
    file = read_problem(storeys(PUSH))
    assert not file.marches
    here, there = file.pushover(), hx.pushover(frame(), "floor 2", 0.1)
    assert here.values("load_factor").tobytes() == there.values("load_factor").tobytes()
    further = file.pushover(displacement=0.2, steps=10)
    assert further.steps == 10
    assert further.values("displacement")[-1, 1] == pytest.approx(0.2, rel=1e-9)


def test_a_file_cycles_as_python_does(hamex, storeys):
    file = read_problem(storeys("[cyclic]\namplitudes = [0.01, 0.04]\npattern = [1.0, 2.0]\npoints = 8\n"))
    there = hx.cyclic(frame(), [1.0, 2.0], [0.01, 0.04], points=8)
    assert file.cyclic().values("load_factor").tobytes() == there.values("load_factor").tobytes()


def test_gravity_stays_on_while_it_is_pushed(hamex, storeys):
    sideways = '[gravity]\nforces = {"floor 2" = 5.0}\n'  # seen in the curve, as a vertical one would not be
    file = read_problem(storeys(PUSH, gravity=sideways))
    forces = np.array([0.0, 5.0])
    there = hx.pushover(frame(), "floor 2", 0.1, constant=forces, start=hx.gravity(frame(), forces))
    assert file.pushover().values("load_factor").tobytes() == there.values("load_factor").tobytes()
    plain = read_problem(storeys(PUSH)).pushover().values("load_factor")
    assert plain[-1] - file.pushover().values("load_factor")[-1] == pytest.approx(5.0, rel=1e-3)


def test_a_file_may_have_both_a_history_and_a_push(hamex, storeys):
    name = storeys(PUSH, history=True)
    code, ran, _ = hamex("run", name)
    assert code == 0
    assert "El Centro" in ran
    code, pushed, _ = hamex("pushover", name)
    assert code == 0
    assert "capacity" not in ran
    assert "begin to yield" in pushed


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("[pushover]\ndisplacement = 0.0\n", "pushover.displacement must be a finite number and not zero, got 0.0"),
        ("[pushover]\n", "pushover.displacement is missing: what the controlled displacement reaches"),
        ('[pushover]\ndisplacement = 1.0\npattern = "roof"\n', "[pushover] 'roof' is no dof (floor 1, floor 2)"),
        ("[pushover]\ndisplacement = 1.0\npattern = [1.0]\n", "[pushover] give 2 finite numbers, one per dof"),
        ("[pushover]\ndisplacement = 1.0\nsteps = 0\n", "pushover.steps must be a whole number ≥ 1"),
        ("[cyclic]\namplitudes = [-1.0]\n", "cyclic.amplitudes must be positive numbers"),
        ("[cyclic]\namplitudes = [0.1]\npoints = 3\n", "cyclic.points must be a multiple of 4"),
        ("[pushover]\ndisplacment = 1.0\n", "did you mean"),
        ("[limit]\n", "does not tell how far to push"),
    ],
)
def test_mistakes_are_told_by_their_place(hamex, storeys, table, says):
    code, out, err = hamex("pushover", storeys(table))
    assert (code, out) == (2, "")
    assert says in err


def test_without_slow_loading_a_scheme_and_a_duration_are_still_needed(hamex, storeys):
    name = storeys('[motion]\nrecord = "el_centro"\n')
    assert "give exactly one of duration and tail" in hamex("run", name)[2]


# The patterns


def test_the_mode_pattern_is_mass_times_shape_and_adds_up_to_one():
    model = frame()
    push = hx.pushover(model, "mode", 0.1)
    pattern = push.problem.load.patterns[:, 0]
    wanted = model.mass @ hx.modes(model).shapes[:, 0]
    assert pattern == pytest.approx(wanted / wanted.sum(), rel=1e-12)
    # The load factor is then the base shear, and the lower storey gives way at 40 kN of it (analytic).
    assert push.values("load_factor").max() < 40.0 + 100.0 * 0.15
    assert hx.pushover(model, "mass", 0.1).problem.load.patterns[:, 0] == pytest.approx([2 / 3, 1 / 3], rel=1e-12)


def test_a_frame_in_two_directions_is_pushed_in_the_one_named():
    hinge = hx.Slider(yield_force=180.0, kinematic=500.0)
    column = {"modulus": 2e8, "area": 0.012, "inertia": 1.5e-4, "hinges": hinge}
    portal = hx.frame(
        nodes={"A": (0, 0), "B": (0, 3.5), "C": (6, 3.5), "D": (6, 0)},
        members=[hx.Member("A", "B", **column), hx.Member("B", "C", **column), hx.Member("D", "C", **column)],
        supports={"A": "fixed", "D": "fixed"},
        masses={"B": [20.0, 20.0, 3.0], "C": [20.0, 20.0, 3.0]},
        units=hx.Units("m", "kN"),
    )
    for word in ("mode", "mass"):
        for way in ("x", "y"):
            pattern = hx.pushover(portal, f"{word} {way}", 0.01, steps=2).problem.load.patterns[:, 0]
            acted = {dof for dof, force in zip(portal.dofs, pattern, strict=True) if force}
            assert acted == {f"B.{way}", f"C.{way}"}
            assert pattern.sum() == pytest.approx(1.0)
    with pytest.raises(HamexError, match="none of mode x, mode y, mass x, mass y"):
        hx.pushover(portal, "mode z", 0.01)


# The command


def test_the_screen_shows_the_curve_the_fit_and_the_order_of_yielding(hamex, storeys):
    code, out, err = hamex("pushover", storeys(PUSH))
    push = hx.pushover(frame(), "floor 2", 0.1)
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    last = next(line for line in out.splitlines() if line.split()[:1] == ["0.1"])
    assert last.split()[1] == f"{push.values('load_factor')[-1]:.4g}"
    # The upper storey is a perfectly plastic spring of 30 kN (analytic): the curve ends flat at it.
    assert "yield at" in out
    assert "30 kN" in out
    # It has 30 kN at 0.025 m (analytic).
    assert "springs begin to yield: storey 2 at 0.025 m (displacement of the roof)" in out
    assert "control displacement of floor 2" in out


def test_options_change_what_the_file_says(hamex, storeys):
    name = storeys()
    code, _, err = hamex("pushover", storeys("[start]\n", history=True))
    assert code == 2
    assert "--to 0.3 (a length in m)" in err
    code, out, _ = hamex(
        "pushover", name := "storeys.toml", "--to", "0.08", "--pattern", "mass", "--steps", "8", "--json"
    )
    found = json.loads(out)
    assert found["increments"] == 8
    assert found["curve"]["controlled displacement [m]"][-1] == pytest.approx(0.08)
    assert found["pattern"].startswith("the masses")
    code, out, _ = hamex("pushover", name, "--cycles", "0.01,0.04", "--json")
    cycles = json.loads(out)["cycles"]
    assert [round(each["amplitude"], 9) for each in cycles] == [0.01, 0.04]
    assert cycles[1]["work"] > 0
    assert "--to belongs to a push" in hamex("pushover", name, "--cycles", "0.01", "--to", "1")[2]


def test_the_damping_of_a_cycle_is_that_of_an_elastic_plastic_loop(hamex, tmp_path):
    (tmp_path / "one.toml").write_text(
        'units = {length = "m", force = "kN"}\n'
        'model = {kind = "oscillator", mass = 1.0, stiffness = 100.0, yield_force = 2.0}\n'
        "cyclic = {amplitudes = [0.04, 0.04], points = 80}\n",
        encoding="utf-8",
    )
    code, out, _ = hamex("run", "one.toml", "--json")  # without a history, `hamex run` does the same
    assert code == 0
    again = json.loads(out)["cycles"][1]
    # Analytic: a parallelogram of 4·F·(u − u_y), over 2π·F·u.
    assert again["work"] == pytest.approx(4 * 2.0 * (0.04 - 0.02), rel=1e-4)
    assert again["damping"] == pytest.approx(2 / np.pi * (1 - 1 / 2.0), rel=1e-4)
    assert "20 %" not in hamex("run", "one.toml")[1]
    assert "31.8 %" in hamex("run", "one.toml")[1]
    assert "--error is for histories" in hamex("run", "one.toml", "--error")[2]


def test_files_hold_the_curve(hamex, storeys):
    code, out, _ = hamex("pushover", storeys(PUSH), "-o", "p.csv", "-o", "p.xlsx", "-o", "p.nc", "--plot", "p.html")
    assert code == 0
    assert out.endswith("wrote p.csv\nwrote p.xlsx\nwrote p.nc\nwrote p.html\n")
    push = hx.pushover(frame(), "floor 2", 0.1)
    with open("p.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["base shear, applied [kN]"]) for row in rows] == push.values("load_factor").tolist()
    book = openpyxl.load_workbook("p.xlsx")
    assert book.sheetnames[:3] == ["capacity curve", "bilinear fit", "peaks"]
    head, *body = book["capacity curve"].iter_rows(values_only=True)
    assert head[:2] == ("control: displacement of floor 2 [m]", "base shear, applied [kN]")
    assert [row[1] for row in body] == pytest.approx(push.values("load_factor").tolist(), rel=1e-15)
    assert dict(book["bilinear fit"].iter_rows(min_row=2, values_only=True))["yield force [kN]"] == pytest.approx(
        30, 0.01
    )
    assert hx.read("p.nc").values("load_factor").tobytes() == push.values("load_factor").tobytes()
    assert "<svg" in Path("p.html").read_text(encoding="utf-8")


def test_the_curve_goes_over_the_roof_and_says_what_is_controlled(hamex, storeys):
    name = storeys('[pushover]\ndisplacement = 0.05\npattern = "mass"\n')
    found = json.loads(hamex("pushover", name, "--json")[1])
    push = read_problem(name).pushover()
    roof = push.values("displacement")[:, 1]
    assert found["curve"]["roof displacement [m]"] == pytest.approx(roof.tolist(), rel=1e-12)
    # Analytic: the control is (2 u1 + u2)/3 by the masses 20 and 10, and less than the roof by two thirds of a drift.
    control = np.array(found["curve"]["controlled displacement [m]"])
    assert roof - control == pytest.approx(2 / 3 * push.values("storey_drift")[:, 1], rel=1e-9)
    assert found["displacement"] == "displacement of the roof"
    assert found["bilinear"]["last_displacement"] == pytest.approx(roof.max(), rel=1e-9)
    out = " ".join(hamex("pushover", name)[1].split())
    assert "control displacement, mean of the floors weighted by the pattern" in out
    assert "roof [m]" in out
    axes = push.plot().axes[0]
    assert axes.get_xlabel() == "displacement of the roof [m]"
    # Cycles go to and fro: what is controlled stays the abscissa.
    cycles = hx.cyclic(frame(), "mass", [0.02])
    assert cycles.plot().axes[0].get_xlabel().startswith("displacement, mean of the floors weighted by the pattern")


def test_of_a_frame_hinges_yield(hamex):
    hamex("init", "pushover")
    code, out, err = hamex("pushover", "pushover.toml", "--plot", "p.svg")
    assert (code, err) == (0, "")
    assert "hinges begin to yield" in out
    assert "spring begins" not in out


def test_hinges_that_keep_rounding_as_a_slip_do_not_yield():
    """Analytic: a hinge of IMK yields from its yield moment on; one at a pin carries none."""
    steel = hx.laws.IMK(yield_force=300.0, cap_ratio=1.1, plastic=0.03, post_cap=0.15, residual_ratio=0.3)
    parts = {"modulus": 200e6, "area": 0.0149, "inertia": 2.517e-4, "hinges": steel}
    frame = hx.frame(
        {"A": (0, 0), "B": (0, 4), "C": (8, 4), "D": (8, 0)},
        [hx.Member("A", "B", **parts), hx.Member("B", "C", **parts), hx.Member("D", "C", **parts)],
        supports={"A": "fixed", "D": "pinned"},
        masses={"B": 30.0, "C": 30.0},
        levels=[["B", "C"]],
    )
    push = hx.pushover(frame, "mass", 0.12)
    moments = dict(zip(push.springs, np.abs(push.values("node_force")).max(axis=0), strict=True))
    reached = {name for name, moment in moments.items() if moment > 300.0 and not name.endswith(("N", "e"))}
    yields = first_yields(push)
    assert {name for name, _ in yields} == reached
    assert "D-C.M1" not in reached
    assert len(reached) == 5
    assert yields[0][1] > 0.02
    assert capacity(push)["springs that have yielded"][[0, 10, -1]].tolist() == [0, 0, len(reached)]


@pytest.mark.parametrize("law", [hx.Slider(30.0), hx.laws.IMK(30.0, cap_ratio=1.1, plastic=0.05, post_cap=0.1)])
def test_a_spring_that_an_increment_brings_to_its_yield_force_yields_there(law):
    """Analytic: 30 kN over 1200 kN/m are reached at 0.025 m, in the 25th of 100 increments of 1 mm."""
    column = hx.shear_frame([10.0], [1200.0], laws=law, heights=3.0, units=hx.Units("m", "kN"))
    push = hx.pushover(column, "mass", 0.1, steps=100)
    ((_, yields),) = first_yields(push)
    assert yields == pytest.approx(0.025, abs=1e-12)
    assert capacity(push)["springs that have yielded"][[24, 25]].tolist() == [0, 1]


def test_applied_and_springs_base_shear_have_two_names(hamex, storeys):
    """With P-Delta the springs carry more than is applied: statics, V_springs = V + Σ P/h·drift of the first storey."""
    name = storeys(PUSH, history=True)
    assert "P-Delta" not in hamex("pushover", name)[1] + hamex("run", name)[1]
    text = Path(name).read_text(encoding="utf-8").replace("heights = 3.0", "heights = 3.0\nweights = [90.0, 60.0]")
    Path(name).write_text(text, encoding="utf-8")
    code, out, err = hamex("pushover", name, "-o", "p.xlsx")
    assert (code, err) == (0, "")
    assert "base shear, applied [kN]" in out
    assert max(map(len, out.splitlines())) <= 80
    book = openpyxl.load_workbook("p.xlsx")
    assert "base shear, applied [kN]" in [cell.value for cell in book["capacity curve"][1]]
    base = dict(zip(*[[cell.value for cell in book["base"][row]] for row in (1, book["base"].max_row)], strict=True))
    assert "base_shear of the springs" in [row[0].value for row in book["peaks"]]
    found = json.loads(hamex("pushover", name, "--json")[1])
    applied, push = found["curve"]["base shear [kN]"][-1], read_problem(name).pushover()
    springs = applied + 150.0 / 3.0 * push.values("storey_drift")[-1, 0]
    assert base["base_shear of the springs x [kN]"] == pytest.approx(springs, rel=1e-3)
    assert found["p_delta"]["springs_at_end"] == pytest.approx(springs, rel=1e-3)
    assert found["p_delta"]["applied_at_end"] == pytest.approx(applied, rel=1e-3)
    assert f"at the end {base['base_shear of the springs x [kN]']:.5g} against" in " ".join(out.split())
    ran = hamex("run", name)[1]
    assert "base shear of the springs" in ran
    assert "P-Delta: the springs carry" in ran
    assert "base_shear" in json.loads(hamex("run", name, "--json")[1])["peaks"]


def test_the_starter_runs_as_it_is(hamex):
    code, out, _ = hamex("init", "pushover")
    assert out == "wrote pushover.toml; now: hamex pushover pushover.toml\n"
    code, out, err = hamex("pushover", "pushover.toml")
    assert (code, err) == (0, "")
    assert hamex("run", "pushover.toml")[1] == out
    assert hamex("modes", "pushover.toml")[0] == 0
    # Analytic: four column hinges of 180 kN m over 3.5 m, hardening and P-Delta aside.
    shear = next(line for line in out.splitlines() if line.split()[:1] == ["0.05"]).split()[1]
    assert float(shear) == pytest.approx(4 * 180 / 3.5, rel=0.02)


@pytest.mark.parametrize(
    "more",
    [
        "tail = 5.0\n",
        "duration = 5.0\n",
        "",
        '[motion]\nrecord = "el_centro"\n',
        '[scheme]\nkind = "galerkin"\nstep = 0.01\n',
    ],
)
def test_modes_and_pushover_need_nothing_of_a_history(hamex, storeys, more):
    push = storeys(PUSH)
    told = hamex("pushover", push)[1], hamex("modes", push)[1]
    text = Path(push).read_text(encoding="utf-8")
    Path(push).write_text(more + text if more[:1] in "td" else text + more, encoding="utf-8")
    assert (hamex("pushover", push)[1], hamex("modes", push)[1]) == told
    if more:
        code, _, err = hamex("run", push)
        assert code == 2
        assert "give" in err or "missing" in err
    both = "tail = 5.0\nduration = 5.0\n" + text
    Path(push).write_text(both, encoding="utf-8")
    assert "at most one of duration and tail" in hamex("modes", push)[2]
