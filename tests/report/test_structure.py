"""Pictures of structures: what is drawn follows the solution, for planes, space and shear frames."""

import numpy as np
import pytest

import hamex as hx
from hamex.model.layout import Geometry
from hamex.report.structure import draw_modes, flat, good_scale, is_stick, lines, marks
from hamex.solution.results import has_slipped
from hamex.spec import read_problem

pytest.importorskip("matplotlib")
from pathlib import Path

from hamex.report.history import chosen_loops, draw_structure

PROBLEMS = Path(__file__).parents[2] / "examples" / "problems"


def solved(name, **changes):
    file = read_problem(PROBLEMS / f"{name}.toml")
    return hx.solve(file.problem.replace(**changes), file.scheme)


@pytest.fixture(scope="module")
def storeys():
    return solved("five_storey_frame", duration=6.0)


def titles(drawing):
    return [axes.get_title(loc="left") for axes in drawing.axes]


def test_the_sheet_of_a_shear_frame(storeys):
    drawing = draw_structure(storeys, "A title")
    words = " | ".join(titles(drawing))
    peak = storeys.peaks["displacement"]
    assert f"t = {peak.time:g} s, displacements × " in words
    assert "dots: yielded in this run" in words
    for part in (
        "storey drift, envelope",
        "storey shear, envelope",
        "absolute acceleration",
        "hysteresis of storey",
        f"displacement of {peak.where}, peak {peak.value:.4g} m",
        "energy balance",
    ):
        assert part in words
    assert drawing.get_suptitle() == "A title"
    labels = [label for axes in drawing.axes for label in (axes.get_xlabel(), axes.get_ylabel())]
    assert not any(label.startswith("[") for label in labels)  # words, not only units
    assert "deformation, elastic part included [m]" in labels
    assert "step means" not in words


def test_a_low_structure_leaves_room_for_what_shook_it(storeys):
    member = {"modulus": 2e8, "area": 0.012, "inertia": 1.5e-4, "hinges": hx.Slider(20.0)}
    portal = hx.frame(
        nodes={"A": (0, 0), "B": (0, 3.5), "C": (8, 3.5), "D": (8, 0)},
        members=[hx.Member("A", "B", **member), hx.Member("B", "C", **member), hx.Member("D", "C", **member)],
        supports={"A": "fixed", "D": "fixed"},
        masses={"B": [20.0, 20.0, 1.0], "C": [20.0, 20.0, 1.0]},
        levels=[["B", "C"]],
        units=hx.Units("m", "kN"),
    )
    motion = hx.el_centro()
    low = hx.solve(hx.Problem(portal, motion.on(portal, direction="x"), duration=4.0), hx.Galerkin(step=0.02))
    ground = next(axes for axes in draw_structure(low).axes if "ground, peak" in axes.get_title(loc="left"))
    shown = ground.lines[0].get_ydata()
    assert abs(shown).max() == pytest.approx(0.31882 * 9.80665, rel=0.01)  # El Centro's peak, by its header
    assert "ground" not in " | ".join(titles(draw_structure(storeys)))


@pytest.mark.parametrize("name", ["truss_under_gusts", "frame_in_space", "pull_back", "dampers_and_isolator"])
def test_other_structures_have_what_they_know(name):
    sol = solved(name, duration=2.0)
    words = " | ".join(titles(draw_structure(sol)))
    assert ("storey drift" in words) == ("storey_drift" in sol.names)
    assert ("hysteresis" in words) == bool(sol.values("plastic")[-1] > 0)


def test_a_model_from_matrices_has_no_shape_to_draw():
    model = hx.structure([2.0, 1.0], 0, [1 / 300, 1 / 200], [[1, -1], [0, 1]], hx.Slider(5.0))
    load = hx.el_centro().on(model, g=9.81)
    words = titles(draw_structure(hx.solve(hx.Problem(model, load, 4.0), hx.Galerkin(0.02))))
    assert not any("displacements ×" in title for title in words)
    assert any("hysteresis" in title for title in words)


def test_loops_add_up_springs_side_by_side():
    model = hx.shear_frame([1.0], None, laws=hx.backbone([(0.01, 1.0), (0.03, 2.0)]))
    sol = hx.solve(hx.Problem(model, hx.el_centro().on(model, g=9.81), 5.0), hx.Galerkin(0.01))
    ((name, deformation, force, turns),) = chosen_loops(sol, 3)
    assert (name, turns) == ("storey 1", False)
    assert np.array_equal(force, sol.values("force").sum(axis=1))
    assert np.array_equal(deformation, 0.5 * (sol.values("deformation")[:-1, 0] + sol.values("deformation")[1:, 0]))


def test_marks_stand_where_springs_yielded(storeys):
    geometry = storeys.layout.geometry
    none = np.zeros(len(storeys.springs), dtype=bool)
    one = none.copy()
    one[0] = True
    assert marks(geometry, geometry.coordinates, none, storeys.springs).shape == (0, 2)
    found = marks(geometry, geometry.coordinates, one, storeys.springs)
    assert found.shape == (4, 2)  # both ends of both columns
    assert (found[:, 1] < geometry.coordinates[1, 1]).all()
    beam = Geometry(("A", "B"), np.array([[0.0, 0.0], [10.0, 0.0]]), None, np.array([[0, 1]]), ("b",), ((0, 1, 2),))
    ends = marks(beam, beam.coordinates, np.array([True, True, True]), ("b.N", "b.M1", "b.M2"))
    assert ends[:, 0] == pytest.approx([5.0, 0.6, 9.4])


def test_shear_frames_are_drawn_with_floors_and_columns(storeys):
    geometry = storeys.layout.geometry
    assert is_stick(geometry)
    kinds = [kind for _, kind in lines(geometry, geometry.coordinates)]
    assert (kinds.count("floor"), kinds.count("member")) == (5, 10)


@pytest.mark.parametrize("largest", [3e-4, 0.07, 12.0])
def test_the_scale_is_a_round_number_that_shows_the_motion(storeys, largest):
    scale = good_scale(storeys.layout.geometry, largest)
    size = np.ptp(storeys.layout.geometry.coordinates, axis=0).max()
    assert 0.035 * size < scale * largest <= 0.1 * size * (1 + 1e-9)
    assert f"{scale:e}"[0] in "125"
    assert good_scale(storeys.layout.geometry, 0.0) == 1.0


def test_space_keeps_the_vertical_upright():
    page = flat(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 3.0]]))
    assert page[1, 0] == page[0, 0]
    assert page[1, 1] - page[0, 1] == 3.0


def test_mode_shapes_name_their_period_and_mass():
    model = read_problem(PROBLEMS / "five_storey_frame.toml").problem.model
    modes = hx.modes(model)
    words = titles(draw_modes(modes, model.geometry, model.geometry.motion, 3))
    assert words[0] == f"mode 1: T = {modes.periods[0]:.4g} s\nmass {100 * modes.effective_ratio[0, 0]:.0f} % in x"
    assert len([title for title in words if title]) == 3


def test_a_hinge_of_moment_and_axial_force_is_drawn_at_its_end():
    """Red dots of an interaction surface stand near member ends, none in the middle of a member."""
    hinge = hx.Surface((900.0, 120.0))
    column = {"modulus": 30e6, "area": 0.09, "inertia": 6.75e-4}
    frame = hx.frame(
        {"A": (0, 0), "B": (0, 3), "C": (5, 3), "D": (5, 0)},
        {
            "left": hx.Member("A", "B", **column, hinges=hinge),
            "beam": hx.Member("B", "C", **column),
            "right": hx.Member("D", "C", **column, hinges=hinge),
        },
        {"A": "fixed", "D": "fixed"},
        {"B": 20.0, "C": 20.0},
        units=hx.Units("m", "kN"),
    )
    push = hx.pushover(frame, "B.x", 0.1, steps=20)
    slipped = has_slipped(push)[-1]
    assert {push.springs[i] for i in np.flatnonzero(slipped)} >= {"left.N", "left.M1", "right.N", "right.M1"}
    geometry = frame.geometry
    found = marks(geometry, geometry.coordinates, slipped, push.springs, push.layout.together)
    assert len(found) == len([i for i in np.flatnonzero(slipped) if ".M" in push.springs[i]])
    assert all(min(abs(y - 0.18), abs(y - 2.82)) < 1e-9 for _, y in found)
    alone = np.array([name == "left.N" for name in push.springs])  # a column that is torn apart
    ends = marks(geometry, geometry.coordinates, alone, push.springs, push.layout.together)
    assert sorted(ends[:, 1]) == pytest.approx([0.18, 2.82])


def test_isolators_are_drawn_below_what_they_carry():
    isolator = hx.bilinear_isolator(0, 1, stiffness=30.0, yield_force=0.2, post_stiffness=2.0)
    geometry = hx.shear_frame([1.0, 1.0], [None, 400.0], heights=[0.0, 3.0], links=[isolator]).geometry
    kinds = [kind for _, kind in lines(geometry, geometry.coordinates)]
    assert (kinds.count("floor"), kinds.count("member"), kinds.count("foot")) == (2, 2, 3)
    dots = marks(geometry, geometry.coordinates, np.array([True, False]), ("isolator 1", "storey 2"))
    assert len(dots) == 3
    assert (dots[:, 1] < geometry.coordinates[1, 1]).all()
