"""Elastic bodies at rest and in their modes, beside beams, membranes and tubes whose answers are known."""

import numpy as np
import pytest
from meshed import block, moved
from scipy.linalg import expm
from scipy.optimize import brentq

import hamex as hx


def at_rest(model, forces):
    """Displacements under forces that came slowly."""
    return hx.solve_path(model, forces, [1.0], by="force").values("displacement")[-1]


# ---------------------------------------------------------------------------------------------------- beams
LENGTH, HEIGHT, MODULUS, POISSON = 10.0, 1.0, 1000.0, 0.3
SHEAR = MODULUS / (2 * (1 + POISSON))
INERTIA = HEIGHT**3 / 12
COWPER = 10 * (1 + POISSON) / (12 + 11 * POISSON)  # share of a rectangle in shear, Cowper 1966


def timoshenko(count):
    """Lowest frequencies of a cantilever of unit density and width: roots of the determinant of what moment and shear
    at the free end are, for those at the clamp, along y, ψ, M, V."""

    def free_end(omega):
        along = np.zeros((4, 4))
        along[0, 1], along[0, 3] = 1.0, 1 / (COWPER * SHEAR * HEIGHT)
        along[1, 2] = 1 / (MODULUS * INERTIA)
        along[2, 1], along[2, 3] = -(omega**2) * INERTIA, -1.0
        along[3, 0] = -(omega**2) * HEIGHT
        return np.linalg.det(expm(along * LENGTH)[2:, 2:])

    omegas = np.linspace(0.05, 6.0, 200)
    values = [free_end(omega) for omega in omegas]
    changes = [place for place in range(199) if values[place] * values[place + 1] < 0]
    return np.array([brentq(free_end, omegas[place], omegas[place + 1]) for place in changes[:count]])


@pytest.mark.parametrize(
    ("cell", "degree", "counts"),
    [("quad", 2, (20, 2)), ("tri", 2, (20, 2)), ("quad", 1, (160, 16)), ("hex", 2, (10, 1, 2)), ("tet", 2, (12, 1, 2))],
)
def test_a_cantilever_bends_as_beams_do(cell, degree, counts):
    """Reference: analytic, Timoshenko's beam; shear makes it 0.8 % softer than Euler-Bernoulli's. Its root may change
    its shape as that of a beam does; in space it is half of a beam, cut along its middle."""
    depth = HEIGHT / 2
    mesh = block(cell, counts, (LENGTH, HEIGHT, HEIGHT) if len(counts) == 2 else (LENGTH, depth, HEIGHT))
    way = mesh.dim() - 1
    root = {"left": "x", (0.0, depth): "y"} if way == 1 else {"left": "x", "front": "y", (0.0, 0.0, depth): "z"}
    model = hx.solid(mesh, hx.Material(1.0, MODULUS, POISSON), fixed=root, plane="stress", degree=degree)

    def parabola(x):
        across = x[way] / HEIGHT
        return np.stack([*[0 * across] * way, -6 * across * (1 - across) / HEIGHT])

    u = at_rest(model, model.body.traction("right", parabola))
    tip = -u[model.body.dof((LENGTH, depth) if way == 1 else (LENGTH, 0.0, depth), "xyz"[way])]
    slender = LENGTH**3 / (3 * MODULUS * INERTIA)
    assert tip == pytest.approx(slender + LENGTH / (COWPER * SHEAR * HEIGHT), rel=0.002)
    assert 1.006 < tip / slender < 1.01
    assert hx.modes(model, 1).frequencies[0] == pytest.approx(timoshenko(1)[0], rel=0.002)


@pytest.mark.parametrize(("cell", "degree", "counts"), [("quad", 2, (20, 2)), ("tri", 2, (20, 2))])
def test_a_clamped_beam_swings_as_beams_do(cell, degree, counts):
    """Reference: analytic, Timoshenko's beam, slower than Euler-Bernoulli's."""
    mesh = block(cell, counts, (LENGTH, HEIGHT))
    model = hx.solid(mesh, hx.Material(1.0, MODULUS, POISSON), fixed=["left"], plane="stress", degree=degree)
    lowest = hx.modes(model, 2).frequencies
    assert lowest == pytest.approx(timoshenko(2), rel=0.005)
    euler = np.array([1.87510407, 4.69409113]) ** 2 * np.sqrt(MODULUS * INERTIA / HEIGHT) / LENGTH**2
    assert 0.99 < lowest[0] / euler[0] < 0.998
    assert lowest[1] < 0.96 * euler[1]


MEMBRANES = [("quad", 2, (16, 8)), ("tri", 2, (16, 8)), ("quad", 1, (48, 24))]


@pytest.mark.parametrize(("cell", "degree", "counts"), MEMBRANES)
def test_the_tapered_membrane_of_nafems(cell, degree, counts):
    """Reference: external, NAFEMS FV32 (Abbassian, Dawswell, Knowles, Selected Benchmarks for Natural Frequency
    Analysis, 1987, test 32): 10 m long, 5 m high where it is clamped and 1 m at its end."""
    wanted = [44.623, 130.03, 162.70, 246.05, 379.90, 391.44]
    mesh = moved(block(cell, counts, (10.0, 1.0)), lambda x: np.stack([x[0], (x[1] - 0.5) * (5 - 0.4 * x[0])]))
    steel = hx.Material(density=8000.0, modulus=200e9, poisson=0.3)
    model = hx.solid(mesh, steel, fixed=["left"], plane="stress", thickness=0.05, degree=degree)
    assert hx.modes(model, 6).frequencies / (2 * np.pi) == pytest.approx(wanted, rel=0.005)


@pytest.mark.parametrize(("cell", "degree", "size"), [("quad", 2, 8), ("tri", 2, 16), ("quad", 1, 48)])
def test_the_membrane_of_cook(cell, degree, size):
    """Reference: external, Cook 1974; 23.96 at the middle of the loaded side is the converged value in use."""
    mesh = moved(
        block(cell, (size, size), (1.0, 1.0)), lambda x: np.stack([48 * x[0], 44 * x[0] + x[1] * (44 - 28 * x[0])])
    )
    model = hx.solid(mesh, hx.Material(1.0, 1.0, 1 / 3), fixed=["left"], plane="stress", degree=degree)
    u = at_rest(model, model.body.traction("right", (0.0, 1 / 16)))
    assert u[model.body.dof((48.0, 52.0), "y")] == pytest.approx(23.96, rel=0.005)


# ---------------------------------------------------------------------------------------------------- tubes and spheres
@pytest.mark.parametrize(("degree", "poisson"), [(1, 0.3), (1, 0.4999), (2, 0.3), (2, 0.49)])
def test_tube_and_sphere_under_pressure_follow_lame(degree, poisson):
    """Reference: analytic, Lamé; nearly incompressible too, where cells that lock would hardly move."""
    a, b, E = 1.0, 2.0, 10.0
    steel = hx.Material(1.0, E, poisson)
    size = 24 if degree == 1 else 8
    tube = hx.meshes.rectangle(b - a, 0.1, (size, 1), origin=(a, 0.0))
    slice_ = hx.solid(tube, steel, fixed={"bottom": "y", "top": "y"}, plane="axisymmetric", degree=degree)
    u = at_rest(slice_, slice_.body.pressure("left", 1.0))
    for r in (a, b):
        inner = (1 + poisson) / E * a**2 / (b**2 - a**2) * ((1 - 2 * poisson) * r + b**2 / r)
        assert u[slice_.body.dof((r, 0.0), "x")] == pytest.approx(inner, rel=0.003)
    for plane, exact in (
        ("strain", (1 + poisson) / E * a**2 / (b**2 - a**2) * ((1 - 2 * poisson) * a + b**2 / a)),
        ("axisymmetric", a**3 / (E * (b**3 - a**3)) * ((1 - 2 * poisson) * a + (1 + poisson) * b**3 / (2 * a**2))),
    ):
        mesh = hx.meshes.ring(a, b, (12, 16) if degree == 1 else (6, 12))
        round_ = hx.solid(mesh, steel, fixed={"start": "y", "end": "x"}, plane=plane, degree=degree)
        u = at_rest(round_, round_.body.pressure("inner", 1.0))
        assert u[round_.body.dof((a, 0.0), "x")] == pytest.approx(exact, rel=0.01)


def test_a_strip_bends_alike_in_plane_strain_and_in_space():
    """Reference: own; a slice of a body whose faces are held is in plane strain."""
    material = hx.Material(1.0, MODULUS, POISSON)
    flat = hx.solid(block("quad", (8, 2), (4.0, 1.0)), material, fixed=["left"])
    mesh = block("hex", (8, 1, 2), (4.0, 0.3, 1.0))
    slab = hx.solid(mesh, material, fixed={"left": "xyz", "front": "y", "back": "y"})
    wanted = at_rest(flat, flat.body.traction("right", (0.0, 1.0)))[flat.body.dof((4.0, 1.0), "y")]
    found = at_rest(slab, slab.body.traction("right", (0.0, 0.0, 1.0)))[slab.body.dof((4.0, 0.0, 1.0), "z")]
    assert found == pytest.approx(wanted, rel=1e-9)
