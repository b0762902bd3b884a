"""Loads at which bodies flow without end, in slow loading: cylinder, sphere, footing, and blocks of soil."""

import numpy as np
import pytest
from meshed import moved

import hamex as hx

METAL = hx.Material(density=1.0, modulus=1000.0, poisson=0.3, law=hx.laws.J2(yield_stress=1.0))
INNER, OUTER = 1.0, 2.0
FURTHER = np.array([0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0]) * 1e-3  # displacements of the loaded side
CYLINDER, SPHERE = 2 / np.sqrt(3) * np.log(OUTER / INNER), 2 * np.log(OUTER / INNER)


def strength(model, pattern, path=FURTHER):
    """Load factor at the end of a path of displacements; the load has ceased to grow."""
    factor = hx.solve_path(model, pattern, path).values("load_factor").ravel()
    assert 0 <= np.diff(factor)[-1] < 2e-3 * factor[-1]
    return factor[-1]


def quarter(cells="quadrilaterals", counts=(8, 12), **given):
    mesh = hx.meshes.ring(INNER, OUTER, counts, cells=cells)
    return hx.solid(mesh, METAL, fixed={"start": "y", "end": "x"}, **given)


@pytest.mark.parametrize(
    "given",
    [{}, {"degree": 2, "counts": (4, 6)}, {"degree": 2, "counts": (4, 6), "cells": "triangles"}],
    ids=["quad 1", "quad 2", "tri 2"],
)
@pytest.mark.parametrize(("plane", "limit"), [("strain", CYLINDER), ("axisymmetric", SPHERE)])
@pytest.mark.every_value
def test_limit_pressures_of_cylinder_and_sphere(given, plane, limit):
    """Reference: analytic, 2/√3 σy ln(b/a) and 2σy ln(b/a) (Hill, The Mathematical Theory of Plasticity, 1950)."""
    model = quarter(plane=plane, **given)
    assert strength(model, model.body.pressure("inner", 1.0)) == pytest.approx(limit, rel=0.01)


def test_the_limit_pressure_of_a_cylinder_in_space():
    """Reference: analytic, a slice of hexahedra whose faces are held."""
    mesh = hx.meshes.box(1.0, 1.0, 0.2, (6, 8, 1))

    def round_(x):
        turn = np.pi / 2 * x[1]
        return np.stack([(INNER + x[0]) * np.cos(turn), (INNER + x[0]) * np.sin(turn), x[2]])

    held = {"front": "y", "back": "x", "bottom": "z", "top": "z"}
    model = hx.solid(moved(mesh, round_), METAL, fixed=held)
    assert strength(model, model.body.pressure("left", 1.0)) == pytest.approx(CYLINDER, rel=0.01)


def test_cells_that_lock_are_too_strong():
    """Without B-bar linear quadrilaterals carry more than the limit, and go on."""
    model = quarter(mean_dilatation=False)
    factor = hx.solve_path(model, model.body.pressure("inner", 1.0), FURTHER).values("load_factor").ravel()
    assert factor[-1] > 1.015 * CYLINDER
    assert np.diff(factor)[-1] > 2e-3 * factor[-1]


@pytest.mark.parametrize("front", [1.2, 1.5, 1.8])
def test_stresses_in_a_cylinder_that_yields_up_to_a_radius(front):
    """Reference: analytic, Hill: for ν = ½ the plastic part reaches r = c at p = k(1 − c²/b² + 2 ln(c/a)), k = σy/√3,
    and stays elastic beyond it."""
    k, c, b, E, nu = 1 / np.sqrt(3), front, OUTER, 1000.0, 0.4999
    metal = hx.Material(density=1.0, modulus=E, poisson=nu, law=hx.laws.J2(yield_stress=1.0))
    tube = hx.meshes.rectangle(b - INNER, 0.05, (40, 1), origin=(INNER, 0.0))
    model = hx.solid(tube, metal, fixed={"bottom": "y", "top": "y"}, plane="axisymmetric")
    body = model.body
    pressure = k * (1 - c**2 / b**2 + 2 * np.log(c / INNER))
    sol = hx.solve_path(model, body.pressure("left", pressure), np.linspace(0.2, 1.0, 5), by="force")
    u, slip = sol.values("displacement")[-1], sol.values("slip")[-1]
    radial, axial, hoop = body.stress(body.displacement(u), slip).mean(axis=1)[:, :3].T
    r = body.places[..., 0].mean(axis=1)
    flowing = np.abs(body.plastic_strain(slip)).max(axis=(1, 2)) > 1e-9
    assert np.array_equal(flowing, r < c)
    inside = -k * (1 - c**2 / b**2 + 2 * np.log(c / r))
    assert np.abs(radial - np.where(r < c, inside, -k * (c**2 / r**2 - c**2 / b**2))).max() < 1e-3 * k
    assert np.abs(hoop - np.where(r < c, inside + 2 * k, k * (c**2 / r**2 + c**2 / b**2))).max() < 1e-3 * k
    assert np.abs(axial - 0.5 * (radial + hoop)).max() < 1e-3 * k
    outer = 2 * (1 - nu**2) * k * c**2 / (E * b)
    assert u[body.dof((b, 0.0), "x")] == pytest.approx(outer, rel=1e-3)


# ---------------------------------------------------------------------------------------------------- soil
def ground(size, width=4.0, depth=2.5):
    """Half of a strip footing of width 2: cells of 1/size near its edge, four times that far away."""

    def axis(first, last):
        steps = np.geomspace(1 / size, 4 / size, 4 * size)
        away = first + np.concatenate([[0.0], np.cumsum(steps)])
        away = away[: np.searchsorted(away, last) + 1]
        return first + (away - first) * (last - first) / (away[-1] - first)

    x = np.concatenate([np.linspace(0.0, 1.0, size + 1)[:-1], axis(1.0, width)])
    y = depth - axis(0.0, depth)[::-1]
    y[0] = 0.0
    mesh = hx.meshes.rectangle(width, depth, (x, y), origin=(0.0, -depth))
    return mesh.with_boundaries({"footing": lambda at: (at[1] > -1e-9) & (at[0] < 1)})


@pytest.mark.parametrize(("size", "above"), [(4, 0.025), pytest.param(8, 0.013, marks=pytest.mark.heavy)])
def test_the_bearing_capacity_of_a_strip_on_clay(size, above):
    """Reference: analytic, (2 + π)c (Prandtl 1920), c = σy/√3; velocities without gaps come from above."""
    clay = hx.Material(density=1.0, modulus=1000.0, poisson=0.45, law=hx.laws.J2(yield_stress=np.sqrt(3)))
    model = hx.solid(ground(size), clay, fixed={"left": "x", "right": "xy", "bottom": "xy"})
    path = np.array([4.0, 8.0, 12.0, 18.0, 25.0, 50.0]) * 1e-3
    capacity = strength(model, model.body.traction("footing", (0.0, -1.0)), path)
    assert 1.0 < capacity / (2 + np.pi) < 1 + above


@pytest.mark.parametrize("angle", [0.0, 15.0, 30.0])
@pytest.mark.parametrize("confined", [0.0, 1.5])
def test_a_block_of_soil_in_plane_strain_has_the_strength_of_mohr_and_coulomb(angle, confined):
    """Reference: analytic, σ₁ = σ₃ tan²(45° + φ/2) + 2c tan(45° + φ/2); the cone fitted to plane strain meets it."""
    soil = hx.laws.DruckerPrager(cohesion=0.8, friction_angle=angle, fit="plane strain")
    material = hx.Material(density=1.0, modulus=500.0, poisson=0.3, law=soil)
    mesh = hx.meshes.rectangle(1.0, 2.0, (2, 3))
    model = hx.solid(mesh, material, fixed={"left": "x", "bottom": "y"})
    body = model.body
    cell = body.pressure("right", confined) + body.pressure("top", confined)
    path = -np.array([0.005, 0.01, 0.02, 0.04, 0.08])
    start = hx.gravity(model, cell) if confined else None
    moved_by = 0.0 if start is None else float(body.traction("top", (0.0, 1.0)) @ start.displacement)
    sol = hx.solve_path(model, body.traction("top", (0.0, 1.0)), moved_by + path,
                        constant=cell if confined else None, start=start)  # fmt: skip
    slope = np.tan(np.radians(45 + angle / 2))
    wanted = confined * slope**2 + 2 * 0.8 * slope - confined
    assert -sol.values("load_factor").ravel()[-1] == pytest.approx(wanted, rel=2e-3)


@pytest.mark.heavy
def test_the_bearing_capacity_of_a_strip_on_soil_with_friction():
    """Reference: analytic, c cot φ (e^{π tan φ} tan²(45° + φ/2) − 1) (Prandtl 1921), flow associated."""
    angle = 10.0
    law = hx.laws.DruckerPrager(cohesion=1.0, friction_angle=angle, fit="plane strain")
    soil = hx.Material(density=1.0, modulus=1000.0, poisson=0.3, law=law)
    model = hx.solid(ground(8, 6.0, 3.0), soil, fixed={"left": "x", "right": "xy", "bottom": "xy"})
    path = np.array([4.0, 8.0, 12.0, 18.0, 25.0, 50.0, 100.0]) * 1e-3
    phi = np.radians(angle)
    wanted = (np.exp(np.pi * np.tan(phi)) * np.tan(np.pi / 4 + phi / 2) ** 2 - 1) / np.tan(phi)
    factor = hx.solve_path(model, model.body.traction("footing", (0.0, -1.0)), path).values("load_factor").ravel()
    assert 1.0 < factor[-1] / wanted < 1.03
    assert np.diff(factor)[-1] / 0.05 < 0.01 * np.diff(factor)[0] / 0.004  # hardly stiffer than a mechanism
