"""Pictures of bodies and rods: what is drawn follows the run, words and units stand beside it, files stay small."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError

pytest.importorskip("matplotlib")
pytest.importorskip("skfem")
from PIL import Image

from hamex.report.bodies import Colours, facing_reader, paint_body, scene_of
from hamex.report.style import figure

UNITS = hx.Units("mm", "N")
STEEL = hx.Material(density=7.85e-9, modulus=210e3, poisson=0.3)
H = 1e-6


def solved(mesh, traction, **more):
    model = hx.solid(mesh, more.pop("material", STEEL), **{"fixed": ["left"], "units": UNITS} | more)
    load = hx.Load([1.0, 1.0], step=20 * H, patterns=model.body.traction("right", traction))
    return hx.solve(hx.Problem(model, load, 20 * H), hx.Galerkin(H))


@pytest.fixture(scope="module")
def plane():
    return solved(hx.meshes.rectangle(40.0, 10.0, (8, 2)), (0.0, -5.0), degree=2)


@pytest.fixture(scope="module")
def space():
    return solved(hx.meshes.box(30.0, 10.0, 10.0, (3, 1, 1)), (0.0, 0.0, -5.0))


@pytest.fixture(scope="module")
def rod():
    model = hx.rod(1.0, 20, 1.0, 1.0, units=UNITS)
    end = np.zeros(len(model.dofs))
    end[-1] = 1.0
    return hx.solve(hx.Problem(model, hx.Load([1.0, 1.0], step=2.0, patterns=end), 2.0), hx.Galerkin(0.05))


def words(drawing):
    said = [
        text for axes in drawing.axes for text in (axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel())
    ]
    legends = [axes.get_legend() for axes in drawing.axes if axes.get_legend() is not None]
    return " | ".join([*said, *(text.get_text() for legend in legends for text in legend.get_texts())])


# Sheets ------------------------------------------------------------------------------------------------------------


def test_the_mesh_has_its_boundaries_and_supports(plane, space):
    said = words(plane.model.plot())
    for part in ("16 quadrilaterals of degree 2", "left", "right", "top", "bottom", "held in x and y", "x [mm]"):
        assert part in said, part
    said = words(space.model.plot())
    for part in ("left", "front", "top", "right (behind)", "held in x, y and z"):
        assert part in said, part


@pytest.mark.parametrize("name", ["plane", "space"])
def test_the_sheet_of_a_run(name, request):
    sol = request.getfixturevalue(name)
    said = words(sol.plot("A title"))
    peak = sol.peaks["displacement"]
    for part in (
        f"t = {peak.time:.4g} s, displacements × ",
        "von Mises stress [N/mm²]",
        "displacement [mm]",
        "energy [N mm]",
    ):
        assert part in said, part


def test_a_field_at_some_instants_has_one_scale(plane):
    drawing = plane.plot(field="velocity", times=[5 * H, 10 * H, 20 * H])
    said = words(drawing)
    assert all(f"t = {k * H:.4g} s" in said for k in (5, 10, 20))
    assert "speed [mm/s]" in said
    maps = [art for axes in drawing.axes for art in axes.collections if hasattr(art, "_triangulation")]
    assert len({(art.norm.vmin, art.norm.vmax) for art in maps}) == 1
    fastest = max(float(plane.field("speed", k * H).max()) for k in (5, 10, 20))
    assert 0.3 * fastest < maps[0].norm.vmax <= fastest * (1 + 1e-12)
    signed = Colours.of(plane.field("stress").values, signed=True)
    assert signed.low == -signed.high
    assert "stress xx [N/mm²]" in words(plane.plot(field="stress.xx"))


def test_modes_of_a_body(plane):
    drawing = hx.modes(plane.model, 3).plot()
    assert "mode 1: f = " in words(drawing)
    free = hx.solid(hx.meshes.rectangle(40.0, 10.0, (8, 2)), STEEL, units=UNITS)
    assert "mode 1: rigid motion" in words(hx.modes(free, 4).plot())


def test_rods_show_their_waves(rod):
    said = words(rod.plot())
    for part in (
        "axial force",
        "time [s]",
        "displacement along the rod",
        "x [mm]",
        "axial force, tension positive [N]",
    ):
        assert part in said, part
    drawing = rod.plot(field="force", times=[0.5])
    (curve,) = [line for line in drawing.axes[0].lines if len(line.get_xdata()) == 20]
    assert curve.get_ydata() == pytest.approx(rod.values("node_force")[10])
    assert curve.get_xdata()[[0, -1]] == pytest.approx([0.025, 0.975])


def test_fields_are_those_of_bodies_and_rods(plane, rod):
    frame = hx.shear_frame([1.0], [100.0])
    other = hx.solve(hx.Problem(frame, hx.constant(1.0), 0.1), hx.Galerkin(0.01))
    with pytest.raises(InputError, match=r"of a run of a body or of a rod"):
        other.plot(field="velocity")
    with pytest.raises(InputError, match="fields of a rod are displacement, velocity, force"):
        rod.plot(field="stress")
    with pytest.raises(InputError, match=r"no single number at a place; take strain\.xx"):
        plane.plot(field="strain")
    with pytest.raises(InputError, match="field is what colours a body"):
        hx.animate(rod, "run.gif", field="velocity")


# What is painted -----------------------------------------------------------------------------------------------------


def area(scene):
    a, b, c = (scene.rest[scene.triangles[:, k]] for k in range(3))
    return float(np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]).sum() / 2)


def test_what_is_left_out_of_a_large_body_is_not_missed():
    """Corners stay, the area to half a per cent, and the outline whole."""
    body = hx.solid(hx.meshes.rectangle(4.0, 1.0, (120, 30)), STEEL).body
    scene = scene_of(body, 1500)
    assert not scene.whole
    assert 500 < len(scene.triangles) <= 1500
    assert area(scene) == pytest.approx(4.0, rel=5e-3)
    assert {(0.0, 0.0), (4.0, 0.0), (0.0, 1.0), (4.0, 1.0)} <= {
        tuple(point) for point in scene.rest[np.unique(scene.triangles)]
    }
    assert len(scene.outline) == len(body.skin.outline)


def test_of_a_body_in_space_three_sides_face_the_reader(space):
    body = space.model.body
    seen = facing_reader(body.nodes, body.skin.triangles)
    middle = body.nodes[body.skin.triangles[seen]].mean(axis=1)
    on_a_near_side = (middle[:, 0] < 1e-9) | (middle[:, 1] < 1e-9) | (middle[:, 2] > 10 - 1e-9)
    assert on_a_near_side.all()
    assert seen.sum() == len(seen) // 2


def test_what_is_painted_as_dots_stays_small(tmp_path):
    body = hx.solid(hx.meshes.rectangle(4.0, 1.0, (200, 50)), STEEL).body
    scene = scene_of(body)
    with figure() as (drawing, axes):
        paint_body(axes[0, 0], scene, scene.rest, scene.rest[:, 0], Colours(0.0, 4.0, False, False))
    drawing.savefig(tmp_path / "body.svg")
    assert (tmp_path / "body.svg").stat().st_size < 400_000


# What moves --------------------------------------------------------------------------------------------------------


def test_the_moving_figure_has_a_frame_an_instant(plane, space):
    for sol in (plane, space):
        found = sol.plot("A title", interactive=True)
        assert len(found.frames) == len(found.layout.sliders[0].steps) == 21
        last = np.asarray(found.frames[-1].data[0].x)
        scale = float(found.layout.title.text.split("× ")[1].split(";")[0])
        moved = sol.model.body.nodes[:, 0] + scale * sol.field("displacement").sel(component="x").values
        assert np.sort(last) == pytest.approx(np.sort(moved[np.unique(sol.model.body.skin.triangles)]), rel=1e-5)
    some = plane.plot(field="velocity", times=[5 * H, 10 * H], interactive=True)
    assert [frame.name for frame in some.frames] == ["5e-06", "1e-05"]


def test_painted_dots_become_images_of_plotly(plane):
    found = plane.model.plot(interactive=True)
    assert len(found.layout.images) == 1
    assert {"left", "right", "held in x and y"} <= {trace.name for trace in found.data}


@pytest.mark.heavy
def test_a_film_of_a_body_has_its_colours(plane, tmp_path):
    path = plane.animate(tmp_path / "run.gif", seconds=0.3, field="stress.xx")
    with Image.open(path) as film:
        assert film.n_frames == 7
        film.seek(6)
        seen = np.asarray(film.convert("RGB")).reshape(-1, 3)
    red = (seen[:, 0] > 150) & (seen[:, 1] < 90) & (seen[:, 2] < 90)
    assert red.any()  # tension above
    assert tuple(seen[3]) == (255, 255, 255)
