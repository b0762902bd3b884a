"""Solids in problem files: every key arrives where it belongs, and every mistake is told by its key."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import tomli_w

import hamex as hx
from hamex.errors import HamexError
from hamex.spec import read_problem

PROBLEMS = Path(__file__).parents[2] / "examples" / "problems"
STEEL = {"density": 2.0, "modulus": 100.0, "poisson": 0.3}
MESH = {"kind": "rectangle", "width": 4.0, "height": 2.0, "elements": [4, 2]}
MODEL = {"kind": "solid", "mesh": MESH, "material": STEEL, "fixed": ["left"]}
UNITS = hx.Units("m", "kN")


@pytest.fixture
def read(tmp_path):
    def read(model=MODEL, **tables):
        file = {
            "duration": 1.0,
            "units": {"length": "m", "force": "kN"},
            "model": model,
            "load": {"kind": "none"},
            "scheme": {"kind": "galerkin", "step": 0.1},
        } | tables
        path = tmp_path / "case.toml"
        path.write_text(tomli_w.dumps({key: value for key, value in file.items() if value is not None}))
        return read_problem(path)

    return read


def same(one, other):
    """Two models have the same matrices, laws and names, bit by bit."""
    for name in ("mass", "stiffness", "compatibility", "flexibility", "supports"):
        assert (getattr(one, name) != getattr(other, name)).nnz == 0
    assert np.array_equal(one.damping.dense(), other.damping.dense())
    assert np.array_equal(one.influence, other.influence)
    assert one.dofs == other.dofs
    assert [one.support_names, one.units, list(one.laws)] == [other.support_names, other.units, list(other.laws)]
    for kind, group in one.laws.items():
        for name, values in group.parameters.items():
            assert np.array_equal(values, other.laws[kind].parameters[name])


MATERIAL = hx.Material(**STEEL)
FLOWING = {**STEEL, "law": {"kind": "j2", "yield_stress": 3.0, "viscosity": 0.1, "kinematic": 5.0, "isotropic": 1.0}}
BOX = {"kind": "box", "width": 2.0, "depth": 1.0, "height": 1.0, "elements": [2, 1, 1]}


@pytest.mark.parametrize(
    ("model", "made"),
    [
        (MODEL, lambda: hx.solid(hx.meshes.rectangle(4.0, 2.0, (4, 2)), MATERIAL, fixed=["left"], units=UNITS)),
        (
            MODEL
            | {
                "mesh": MESH | {"cells": "triangles", "origin": [1.0, 0.0], "elements": [[0.0, 1.0, 4.0], 2]},
                "plane": "stress",
                "thickness": 0.5,
                "degree": 2,
                "mass": "lumped",
                "fixed": {"left": "x", "bottom": "y"},
                "absorbing": ["right"],
                "damping": {"kind": "rayleigh", "alpha": 0.1, "beta": 0.2},
            },
            lambda: hx.solid(
                hx.meshes.rectangle(4.0, 2.0, ([0.0, 1.0, 4.0], 2), cells="triangles", origin=(1.0, 0.0)),
                MATERIAL,
                fixed={"left": "x", "bottom": "y"},
                absorbing=["right"],
                plane="stress",
                thickness=0.5,
                degree=2,
                mass="lumped",
                damping=hx.rayleigh(alpha=0.1, beta=0.2),
                units=UNITS,
            ),
        ),
        (
            MODEL | {"mesh": BOX, "material": FLOWING, "fixed": "left", "moving": {"right": "x"}},
            lambda: hx.solid(
                hx.meshes.box(2.0, 1.0, 1.0, (2, 1, 1)),
                MATERIAL.with_law(hx.laws.J2(3.0, 0.1, 5.0, 1.0)),
                fixed="left",
                moving={"right": "x"},
                units=UNITS,
            ),
        ),
        (
            {
                "kind": "solid",
                "mesh": {"kind": "ring", "inner": 1.0, "outer": 2.0, "elements": [2, 4], "angle": 180.0},
                "material": {
                    "density": 2.0,
                    "shear_speed": 10.0,
                    "pressure_speed": 30.0,
                    "law": {"kind": "drucker_prager", "cohesion": 5.0, "friction_angle": 30.0, "fit": "plane strain"},
                },
                "fixed_points": [{"at": [1.0, 0.0], "directions": "xy"}, {"at": [-1.0, 0.0], "directions": "y"}],
                "mean_dilatation": False,
            },
            lambda: hx.solid(
                hx.meshes.ring(1.0, 2.0, (2, 4), angle=180.0),
                hx.Material.of_waves(2.0, 10.0, 30.0, hx.laws.DruckerPrager(5.0, 30.0, fit="plane strain")),
                fixed={(1.0, 0.0): "xy", (-1.0, 0.0): "y"},
                mean_dilatation=False,
                units=UNITS,
            ),
        ),
        (
            {
                "kind": "solid",
                "mesh": {"kind": "half_space", "width": 4.0, "depth": 2.0, "elements": [4, 2]},
                "material": STEEL,
                "materials": {"clay": FLOWING | {"y": [-1.0, 0.0], "x": [-2.0, 1.0]}},
                "boundaries": {"footing": {"x": [-1.0, 1.0], "y": 0.0}},
                "fixed": ["bottom"],
                "moving": {"footing": "y"},
            },
            lambda: hx.solid(
                hx.meshes.named(
                    hx.meshes.half_space(4.0, 2.0, (4, 2)),
                    regions={"clay": {"y": (-1.0, 0.0), "x": (-2.0, 1.0)}},
                    boundaries={"footing": {"x": (-1.0, 1.0), "y": 0.0}},
                    rest="rest",
                ),
                {"clay": MATERIAL.with_law(hx.laws.J2(3.0, 0.1, 5.0, 1.0)), "rest": MATERIAL},
                fixed=["bottom"],
                moving={"footing": "y"},
                units=UNITS,
            ),
        ),
    ],
    ids=["least", "plane stress", "box", "ring", "regions"],
)
def test_a_file_builds_what_python_builds(read, model, made):
    same(read(model).problem.model, made())


def test_a_mesh_file_is_sought_beside_the_problem_file(read, tmp_path):
    shutil.copy(PROBLEMS / "bank.msh", tmp_path / "bank.msh")
    by_name = {"kind": "solid", "mesh": {"kind": "file", "file": "bank.msh"}, "fixed": {"base": "xy", "back": "x"}}
    model = read(by_name | {"materials": {"soil": STEEL}}).problem.model
    made = hx.solid(
        hx.meshes.read(PROBLEMS / "bank.msh"), {"soil": MATERIAL}, fixed={"base": "xy", "back": "x"}, units=UNITS
    )
    same(model, made)


@pytest.mark.parametrize(
    ("table", "forces"),
    [
        ({"traction": {"right": [1.0, -2.0]}}, lambda body: body.traction("right", (1.0, -2.0))),
        (
            {"pressure": {"top": 3.0, "right": 1.0}},
            lambda body: body.pressure("top", 3.0) + body.pressure("right", 1.0),
        ),
        ({"body_force": [0.0, -9.0]}, lambda body: body.force((0.0, -9.0))),
        (
            {"point_forces": [{"at": [3.5, 1.2], "force": [1.0, 0.0]}, {"at": [4.0, 2.0], "force": [0.0, 2.0]}]},
            lambda body: body.point_force((3.5, 1.2), (1.0, 0.0)) + body.point_force((4.0, 2.0), (0.0, 2.0)),
        ),
        (
            {"at": "node 15.y", "traction": {"right": [1.0, 0.0]}},
            lambda body: body.traction("right", (1.0, 0.0)) + np.eye(body.motion.shape[1])[body.dof((4.0, 2.0), "y")],
        ),
    ],
    ids=["traction", "pressure", "body force", "points", "with a dof"],
)
def test_forces_by_place(read, table, forces):
    """In time, as a pattern of a push, and standing: the same forces."""
    pulse = {"kind": "half_sine", "amplitude": 5.0, "duration": 0.4}
    problem = read(load=pulse | table).problem
    expected = forces(problem.model.body)
    assert np.array_equal(problem.load.patterns[:, 0], expected)
    assert np.array_equal(
        problem.load.step_values(0.05, 10, "mean"), hx.half_sine(5.0, 0.4).step_values(0.05, 10, "mean")
    )
    if "at" not in table:
        assert np.array_equal(read(gravity=table).problem.standing, expected)
        assert np.array_equal(read(pushover={"displacement": 0.1} | table).slow["pushover"]["pattern"], expected)


def test_weight_by_direction_is_that_of_all_masses_with_the_gravity_of_the_file(read):
    model = MODEL | {"damping": {"kind": "rayleigh", "alpha": 0.1, "beta": 0.0}}
    problem = read(model, gravity={"direction": "-y"}).problem
    assert problem.standing == pytest.approx(-9.80665 * problem.model.inertia("y"), rel=1e-14)
    assert problem.standing.sum() == pytest.approx(-9.80665 * 2.0 * 8.0 * (1 - 0.25 / 2), rel=1e-12)  # less at the wall
    frame = {"kind": "shear_frame", "masses": [2.0, 3.0], "stiffnesses": 100.0}
    given = {"units": {"length": "m", "force": "kN", "gravity": 10.0}, "gravity": {"direction": "x"}}
    assert read(frame, **given).problem.standing.tolist() == [20.0, 30.0]


def test_a_start_may_have_one_velocity_for_all(read):
    problem = read(start={"velocity": {"x": -5.0, "node 15.y": 1.0}, "displacement": {"y": 0.1}}).problem
    velocity = problem.model.velocity(problem.start.momentum[None])[0]
    expected = problem.model.body.field((-5.0, 0.0))
    expected[problem.model.dofs.index("node 15.y")] += 1.0
    assert velocity == pytest.approx(expected, abs=1e-12)
    assert np.array_equal(problem.start.displacement, problem.model.body.field((0.0, 0.1)))
    rod = {"kind": "rod", "length": 1.0, "elements": 3, "modulus": 1.0, "density": 1.0, "fixed": "none"}
    flies = read(rod, start={"velocity": {"x": 2.0}}).problem
    assert flies.model.velocity(flies.start.momentum[None])[0] == pytest.approx([2.0] * 4)


def test_probes_are_places_or_dofs(read):
    file = read(probes={"tip": [4.0, 1.0], "corner": "node 15.x"})
    assert file.probes == {"tip": (4.0, 1.0), "corner": "node 15.x"}


def test_a_rod_may_have_one_law_an_element(read):
    laws = [{"yield_force": 1.0}, {"yield_force": 2.0, "viscosity": 0.5}]
    rod = {"kind": "rod", "length": 1.0, "elements": 2, "modulus": 1.0, "density": 1.0}
    group = read(rod | {"laws": laws}).problem.model.laws["slider"]
    assert (group.yield_force.tolist(), group.viscosity.tolist()) == ([1.0, 2.0], [0.0, 0.5])


# Mistakes

CUBE = [[1.0 if i == j else 0.0 for j in range(6)] for i in range(6)]
LOAD = {"kind": "constant", "amplitude": 1.0}


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"model": MODEL | {"fixed": ["lft"]}}, "model.fixed 'lft': there is no boundary 'lft' in the mesh; it has "),
        ({"model": MODEL | {"absorbing": ["lft"]}}, "model.absorbing 'lft': there is no boundary 'lft' in the mesh"),
        ({"model": MODEL | {"fixed": {"left": "z"}}}, "model.fixed 'left' names directions out of xy"),
        ({"model": MODEL | {"moving": {"left": "x"}}}, "[model] boundary 'left' moves in x where another condition"),
        ({"model": MODEL | {"absorbing": ["left"]}}, "[model] boundary 'left' cannot be fixed and absorbing"),
        (
            {"model": MODEL | {"plane": "shell"}},
            "model.plane must be 'strain', 'stress' or 'axisymmetric', got 'shell'",
        ),
        ({"model": MODEL | {"degree": 3}}, "model.degree must be 1 or 2, got 3"),
        ({"model": MODEL | {"thickness": 0.0}}, "model.thickness must be positive, got 0"),
        (
            {"model": MODEL | {"mesh": {"kind": "sphere"}}},
            "model.mesh.kind must be one of 'rectangle', 'box', 'ring', ",
        ),
        ({"model": MODEL | {"mesh": {"width": 1.0}}}, "model.mesh.kind is missing"),
        (
            {"model": MODEL | {"mesh": {"kind": "rectangle", "width": 4.0, "elements": [4, 2]}}},
            "model.mesh.height is missing: along x and y [length]",
        ),
        ({"model": MODEL | {"mesh": MESH | {"width": -4.0}}}, "model.mesh.width must be positive, got -4"),
        ({"model": MODEL | {"mesh": MESH | {"elements": [4]}}}, "model.mesh.elements must be 2 numbers"),
        (
            {"model": MODEL | {"mesh": MESH | {"radius": 1.0}}},
            "unknown key model.mesh.radius; [model.mesh] knows kind, ",
        ),
        ({"model": MODEL | {"mesh": {"kind": "file", "file": "no.msh"}}}, "[model.mesh] there is no file "),
        ({"model": MODEL | {"mesh": {"kind": "file", "file": "case.toml"}}}, "[model.mesh] "),
        (
            {"model": MODEL | {"material": STEEL | {"poisson": 0.6}}},
            "model.material.poisson must be between −1 and 0.5",
        ),
        (
            {"model": MODEL | {"material": {"density": 1.0}}},
            "[model.material] give exactly one of modulus, shear_speed",
        ),
        (
            {"model": MODEL | {"material": {"density": 1.0, "modulus": 1.0}}},
            "[model.material] give modulus and poisson together",
        ),
        (
            {"model": MODEL | {"material": {"density": 1.0, "elasticity": [[-x for x in row] for row in CUBE]}}},
            "model.material.elasticity must be positive definite, its least eigenvalue is -1",
        ),
        (
            {"model": MODEL | {"material": STEEL | {"law": {"kind": "slider"}}}},
            "model.material.law.kind must be one of 'j2', 'drucker_prager', got 'slider'",
        ),
        (
            {"model": MODEL | {"material": STEEL | {"law": {"kind": "j2", "yield_stress": -1.0}}}},
            "model.material.law.yield_stress must be ",
        ),
        (
            {"model": MODEL | {"material": STEEL | {"law": {"kind": "j2", "yield_stress": 1.0, "volume": 2.0}}}},
            "unknown key model.material.law.volume; ",
        ),
        (
            {"model": {key: value for key, value in MODEL.items() if key != "material"}},
            "[model] give [model.material], or [model.materials.NAME] for each region",
        ),
        ({"model": MODEL | {"materials": {"clay": STEEL}}}, "model.materials.clay has no region of that name"),
        (
            {"model": MODEL | {"materials": {"clay": STEEL | {"y": [5.0, 6.0]}}}},
            "[model] region 'clay' has no cell; the mesh spans x from 0 to 4, y from 0 to 2",
        ),
        (
            {"model": MODEL | {"materials": {"a": STEEL | {"y": [0.0, 2.0]}, "b": STEEL | {"x": [0.0, 1.0]}}}},
            "[model] a cell of region 'b' has two materials",
        ),
        ({"model": MODEL | {"boundaries": {"top half": {}}}}, "model.boundaries.top half needs one of x, y and z"),
        ({"load": LOAD | {"traction": {"up": [0.0, 1.0]}}}, "load.traction of 'up': there is no boundary 'up'; "),
        ({"load": LOAD | {"traction": {"top": [0.0, 1.0, 0.0]}}}, "load.traction of 'top': give 2 finite numbers"),
        ({"load": LOAD | {"pressure": {"up": 1.0}}}, "load.pressure of 'up': there is no boundary 'up'; "),
        ({"load": LOAD | {"body_force": [1.0]}}, "load.body_force of the solid: give 2 finite numbers"),
        (
            {"load": LOAD | {"point_forces": [{"at": [9.0, 0.0], "force": [0.0, 1.0]}]}},
            "load.point_forces[0] of the solid: the point [9.0, 0.0] is not in the body, which spans ",
        ),
        ({"load": LOAD}, "[load] traction, pressure, body_force, point_forces or at is missing: where it acts"),
        (
            {
                "model": {"kind": "shear_frame", "masses": [1.0, 1.0], "stiffnesses": 1.0},
                "load": LOAD | {"pressure": {}},
            },
            "load.pressure acts on solids; other models take forces by dof",
        ),
        ({"gravity": {}}, "[gravity] give forces, or a direction for the weight of the masses"),
        (
            {"gravity": {"direction": "down"}},
            'gravity.direction must be a direction of the model with its sign, as "-x", "-y"',
        ),
        ({"probes": {"tip": [9.0, 0.0]}}, "[probes.tip] the point [9.0, 0.0] is not in the body"),
        ({"probes": {"tip": "node 99.x"}}, "[probes.tip] tip names 'node 99.x', which is no dof; "),
        (
            {"pushover": {"displacement": 1.0, "pattern": "mode", "traction": {"top": [0.0, 1.0]}}},
            "pushover.pattern stands for forces on all dofs; give it or traction",
        ),
    ],
)
def test_mistakes_are_told_by_their_key(read, tables, message):
    with pytest.raises(HamexError) as caught:
        read(**tables)
    assert str(caught.value).partition("case.toml: ")[2].startswith(message)


def test_studies_take_standing_forces_by_dof_only(tmp_path):
    text = {
        "units": {"length": "m", "force": "kN"},
        "model": {"kind": "shear_frame", "masses": [1.0, 1.0], "stiffnesses": 100.0},
        "gravity": {"direction": "x"},
        "records": {"synthetic": {"count": 2, "seed": 1}},
        "intensity": {"kind": "sa", "period": 0.5},
        "stripes": {"start": 0.2, "stop": 1.0, "count": 2},
        "limit": {"measure": "storey_drift", "value": 4.0},
        "scheme": {"kind": "galerkin", "step": 0.01},
    }
    (tmp_path / "study.toml").write_text(tomli_w.dumps(text))
    with pytest.raises(HamexError, match=r"\[gravity\] studies take forces by dof only"):
        hx.read_study(tmp_path / "study.toml")
