"""Meshes: what the generators make, what files bring, and what is refused."""

import re

import meshio
import numpy as np
import pytest
import skfem
from meshed import block
from skfem.io.meshio import to_meshio

import hamex as hx
from hamex.errors import FileError, ModelError, SizeError


def area(mesh):
    """Of all cells together, by scikit-fem."""
    element = mesh.elem()
    return float(skfem.Functional(lambda w: 1.0 + 0.0 * w.x[0]).assemble(skfem.Basis(mesh, element)))


def on(mesh, name):
    """Middles of the facets of a boundary, (dimension, facet)."""
    return mesh.p[:, mesh.facets[:, mesh.boundaries[name]]].mean(axis=1)


# ---------------------------------------------------------------------------------------------------- generators
def test_a_line_ends_left_and_right():
    mesh = hx.meshes.line(3.0, [0.0, 0.5, 3.0])
    assert mesh.p.tolist() == [[0.0, 0.5, 3.0]]
    assert on(mesh, "left").tolist() == [[0.0]]
    assert on(mesh, "right").tolist() == [[3.0]]


@pytest.mark.parametrize(("cell", "count"), [("tri", 12), ("quad", 6), ("tet", 72), ("hex", 12)])
def test_blocks_fill_their_space_and_name_their_sides(cell, count):
    """Reference: analytic."""
    mesh = block(cell, (3, 2, 2), (2.0, 1.5, 0.5))
    assert mesh.t.shape[1] == count
    assert area(mesh) == pytest.approx(3.0 if mesh.dim() == 2 else 1.5, rel=1e-14)
    names = [("left", "right"), ("bottom", "top")] if mesh.dim() == 2 else [("left", "right"), ("front", "back")]
    names += [("bottom", "top")] if mesh.dim() == 3 else []
    sizes = (2.0, 1.5, 0.5)
    for way, (low, high) in enumerate(names):
        assert np.all(on(mesh, low)[way] == 0)
        assert np.all(on(mesh, high)[way] == sizes[way])
    assert sum(map(len, mesh.boundaries.values())) == len(mesh.boundary_facets())


def test_coordinates_grade_a_mesh_and_the_origin_shifts_it():
    mesh = hx.meshes.rectangle(4.0, 1.0, ([0.0, 1.0, 4.0], 2), origin=(-1.0, 5.0))
    assert np.unique(mesh.p[0]).tolist() == [-1.0, 0.0, 3.0]
    assert np.unique(mesh.p[1]).tolist() == [5.0, 5.5, 6.0]
    assert np.all(on(mesh, "left")[0] == -1.0)
    ground = hx.meshes.half_space(20.0, 8.0, (4, 2))
    assert np.all(on(ground, "surface")[1] == 0)
    assert np.all(on(ground, "bottom")[1] == -8.0)
    assert (ground.p[0].min(), ground.p[0].max()) == (-10.0, 10.0)


@pytest.mark.parametrize("cells", ["quadrilaterals", "triangles"])
@pytest.mark.parametrize("angle", [90.0, 180.0, 270.0, 360.0])
def test_rings_lie_between_two_circles(cells, angle):
    """Reference: analytic, the area of n slices of a polygon, n/2 sin(α/n) (b² − a²)."""
    around = 24
    mesh = hx.meshes.ring(1.0, 3.0, (2, around), angle=angle, cells=cells)
    turn = np.deg2rad(angle) / around
    assert area(mesh) == pytest.approx(0.5 * around * np.sin(turn) * 8.0, rel=1e-13)
    radius = np.hypot(*mesh.p)
    corners = {name: radius[mesh.facets[:, facets]] for name, facets in mesh.boundaries.items()}
    assert corners["inner"] == pytest.approx(np.ones((2, around)))
    assert corners["outer"] == pytest.approx(np.full((2, around), 3.0))
    assert set(corners) == {"inner", "outer"} | (set() if angle == 360 else {"start", "end"})
    if angle == 90:
        assert np.all(on(mesh, "start")[1] == 0)
        assert np.all(on(mesh, "end")[0] == 0)
    assert sum(map(np.size, mesh.boundaries.values())) == len(mesh.boundary_facets())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: m.line(0.0, 4), "length"),
        (lambda m: m.line(1.0, 0), "whole numbers ≥ 1, or coordinates"),
        (lambda m: m.line(1.0, [0.0, 2.0]), "coordinates must grow from 0 to length = 1"),
        (lambda m: m.line(1.0, [0.0, 0.7, 0.5, 1.0]), "coordinates must grow"),
        (lambda m: m.rectangle(1.0, -1.0, (2, 2)), "height"),
        (lambda m: m.rectangle(1.0, 1.0, 4), "elements must be 2 numbers, one for each direction"),
        (lambda m: m.rectangle(1.0, 1.0, (2, 2), cells="hexahedra"), "cells must be quadrilaterals or triangles"),
        (lambda m: m.rectangle(1.0, 1.0, (10**6, 10**6)), "1,000,000,000,000 elements would take"),
        (lambda m: m.box(1.0, 1.0, 1.0, (2, 2)), "elements must be 3 numbers"),
        (lambda m: m.box(1.0, 1.0, 1.0, (2, 2, 2), cells="triangles"), "cells must be hexahedra or tetrahedra"),
        (lambda m: m.ring(2.0, 1.0, (2, 4)), "must exceed inner"),
        (lambda m: m.ring(1.0, 2.0, (2, 4), angle=400.0), "angle"),
        (lambda m: m.ring(1.0, 2.0, (2, 2), angle=360.0), "elements around must be a whole number"),
        (lambda m: m.half_space(0.0, 1.0, (2, 2)), "width"),
    ],
)
def test_shapes_that_cannot_be_are_refused(make, message):
    with pytest.raises((ModelError, SizeError), match=message):
        make(hx.meshes)


# ---------------------------------------------------------------------------------------------------- files
@pytest.mark.parametrize("cell", ["tri", "quad", "tet", "hex"])
@pytest.mark.parametrize("ending", ["vtu", "msh", "inp"])
@pytest.mark.every_value
def test_files_bring_the_cells_that_were_written(tmp_path, cell, ending):
    """Reference: external, meshio writes what is read."""
    mesh = block(cell)
    kind = {"tri": "triangle", "quad": "quad", "tet": "tetra", "hex": "hexahedron"}[cell]
    corners = to_meshio(mesh).cells[0].data.T if cell == "hex" else mesh.t  # meshio counts around each face
    points = mesh.p.T if mesh.dim() == 3 else np.column_stack([mesh.p.T, np.zeros(mesh.p.shape[1])])
    file = tmp_path / f"body.{ending}"
    meshio.Mesh(points, [(kind, corners.T)]).write(file)
    found = hx.meshes.read(file, boundaries={"left": lambda x: np.isclose(x[0], 0.0)})
    assert area(found) == pytest.approx(area(mesh), rel=1e-12)
    material = hx.Material(1.0, 1.0, 0.3)
    body = hx.solid(found, material, fixed=["left"])
    same = hx.solid(mesh, material, fixed=["left"])
    assert hx.modes(body, 3).frequencies == pytest.approx(hx.modes(same, 3).frequencies, rel=1e-9)


def test_groups_of_gmsh_become_boundaries_and_regions(tmp_path):
    mesh = block("tri", (4, 2))
    points = np.column_stack([mesh.p.T, np.zeros(mesh.p.shape[1])])
    left = mesh.facets[:, mesh.boundaries["left"]].T
    right_half = (mesh.p[0][mesh.t].mean(axis=0) > 1).astype(int)
    order = np.argsort(right_half, kind="stable")
    file = tmp_path / "groups.msh"
    meshio.Mesh(
        points,
        [("triangle", mesh.t.T[order]), ("line", left)],
        cell_data={"gmsh:physical": [1 + right_half[order], np.full(len(left), 7)],
                   "gmsh:geometrical": [1 + right_half[order], np.full(len(left), 7)]},
        field_data={"soft": np.array([1, 2]), "hard": np.array([2, 2]), "wall": np.array([7, 1])},
    ).write(file, file_format="gmsh22", binary=False)  # fmt: skip
    found = hx.meshes.read(file)
    assert np.all(on(found, "wall")[0] == 0)
    assert {name: len(cells) for name, cells in found.subdomains.items() if name in ("soft", "hard")} == {
        "soft": 8,
        "hard": 8,
    }
    assert np.all(found.p[0][found.t[:, found.subdomains["hard"]]] >= 1)


def test_sides_of_quadratic_cells_are_straight(tmp_path):
    points = np.array([[0, 0], [1, 0], [0, 1], [0.5, -0.2], [0.5, 0.5], [0, 0.5]], dtype=float)
    file = tmp_path / "curved.vtu"
    meshio.Mesh(np.column_stack([points, np.zeros(6)]), [("triangle6", np.arange(6)[None])]).write(file)
    found = hx.meshes.read(file)
    assert found.p.shape == (2, 3)
    assert area(found) == pytest.approx(0.5)


def test_files_that_are_no_meshes_are_refused(tmp_path):
    nowhere = tmp_path / "nowhere.msh"
    with pytest.raises(FileError, match="there is no file"):
        hx.meshes.read(nowhere)
    odd = tmp_path / "mesh.doc"
    odd.write_text("nothing")
    with pytest.raises(FileError, match=r"of no kind that meshio reads|cannot be read"):
        hx.meshes.read(odd)
    broken = tmp_path / "broken.msh"
    broken.write_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n7\n1 0 0")
    with pytest.raises(FileError, match="cannot be read as a mesh"):
        hx.meshes.read(broken)
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.5], [1, 1, 0.0]], dtype=float)
    for name, cells, message in (
        ("surface", [("triangle", [[0, 1, 2]])], "a surface in space"),
        ("lines", [("line", [[0, 1], [1, 2]])], "must hold triangles, quadrilaterals, tetrahedra or hexahedra"),
        ("mixed", [("triangle", [[0, 1, 2]]), ("quad", [[0, 1, 3, 2]])], "of one kind, it has triangle and quad"),
    ):
        file = tmp_path / f"{name}.vtu"
        meshio.Mesh(points, cells).write(file)
        with pytest.raises(FileError, match=message):
            hx.meshes.read(file)
    flat = tmp_path / "flat.vtu"
    meshio.Mesh(points * [1, 1, 0], [("triangle", [[0, 1, 2]])]).write(flat)
    with pytest.raises(ModelError, match="boundary 'far' has no facet"):
        hx.meshes.read(flat, boundaries={"far": lambda x: x[0] > 5})


# ---------------------------------------------------------------------------------------------------- plates, names
@pytest.mark.parametrize("cells", ["quadrilaterals", "triangles"])
def test_a_plate_with_a_hole_is_all_there(cells):
    """Reference: analytic, area w·h less that of the polygon in the hole; sides have their lengths."""
    w, h, r, around = 3.0, 5.0, 1.0, 12
    mesh = hx.meshes.plate_with_hole(w, h, r, (5, around), grading=4.0, cells=cells)
    body = hx.solid(mesh, hx.Material(1.0, 1.0, 0.3), fixed={"left": "x", "bottom": "y"}).body
    polygon = 0.5 * around * r**2 * np.sin(0.5 * np.pi / around)
    assert body.volumes.sum() == pytest.approx(w * h - polygon, rel=1e-12)
    lengths = {
        name: np.linalg.norm(np.diff(body.vertices[facets], axis=1), axis=2).sum()
        for name, facets in body.boundaries.items()
    }
    chord = 2 * around * r * np.sin(0.25 * np.pi / around)
    assert lengths == pytest.approx({"hole": chord, "left": h - r, "bottom": w - r, "right": h, "top": w})
    outwards = np.sort(body.vertices[body.vertices[:, 1] == 0, 0])
    assert np.diff(outwards)[-1] / np.diff(outwards)[0] == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((1.0, 1.0, 1.0, (2, 2)), "radius (1) must be below width (1) and height (1)"),
        ((2.0, 2.0, 1.0, (2, 3)), "elements must be two whole numbers, the second even"),
        ((2.0, 2.0, -1.0, (2, 2)), "radius must be positive, got -1"),
    ],
)
def test_plates_that_are_none(given, said):
    with pytest.raises(ModelError, match=re.escape(f"plate_with_hole: {said}")):
        hx.meshes.plate_with_hole(*given)


def test_names_by_ranges():
    mesh = hx.meshes.box(2.0, 2.0, 3.0, (2, 2, 3))
    named = hx.meshes.named(
        mesh,
        regions={"middle": {"z": (1.0, 2.0)}, "top": {"z": (2.0, 3.0)}},
        boundaries={"foot": {"z": 0.0, "x": (0.0, 1.0)}},
        rest="below",
    )
    assert {name: len(cells) for name, cells in named.subdomains.items()} == {"middle": 4, "top": 4, "below": 4}
    assert len(named.boundaries["foot"]) == 2
    assert set(named.boundaries) == {*mesh.boundaries, "foot"}
    assert "rest" not in (hx.meshes.named(mesh, regions={"all": {"x": (0.0, 2.0)}}, rest="rest").subdomains)
    for ranges, said in (
        ({"z": (5.0, 6.0)}, "region 'a' has no cell; the mesh spans x from 0 to 2, y from 0 to 2, z from 0 to 3"),
        ({"w": (0.0, 1.0)}, "region 'a' has ranges along x, y, z"),
        ({"z": (1.0, 1.0)}, "region 'a': z must grow from its first number to its second"),
        ({"z": (1.0, 2.0, 3.0)}, "region 'a': z must be a number or two"),
        ({"z": "top"}, "z of region 'a' must be a finite number"),
    ):
        with pytest.raises(ModelError, match=re.escape(f"named: {said}")):
            hx.meshes.named(mesh, regions={"a": ranges})
    with pytest.raises(ModelError, match="named: boundary 'a' has no outer facet"):
        hx.meshes.named(mesh, boundaries={"a": {"z": 1.0}})


@pytest.mark.parametrize(
    "make", [lambda n: hx.meshes.rectangle(1.0, 1.0, (n, 2)), lambda n: hx.meshes.box(1.0, 1.0, 1.0, (n, n, n))]
)
def test_numbers_of_elements_beyond_all_memory_are_refused_as_such(make):
    with pytest.raises(SizeError, match=r"more than 1e\+18 elements"):
        make(int("9" * 400))
