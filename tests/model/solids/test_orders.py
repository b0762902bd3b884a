"""Orders of accuracy: p + 1 in space by waves and loads whose course is known, 2s in time by modes in closed form."""

import numpy as np
import pytest
import skfem
from meshed import ALL, block, squeezed
from scipy.linalg import eigh

import hamex as hx

# Orders are those of coarse meshes too.
pytestmark = pytest.mark.filterwarnings("ignore::hamex.errors.CoarseWarning")

SHEAR, PRESSURE = 1.0, np.sqrt(3.0)
ROCK = hx.Material.of_waves(density=1.0, shear=SHEAR, pressure=PRESSURE)  # λ = μ = 1
# Walls that keep a quarter of a standing wave in the unit square or cube: along the normal near the origin, across it
# at the other sides.
WALLS = {
    2: {"left": "x", "right": "y", "bottom": "y", "top": "x"},
    3: {"left": "x", "right": "yz", "front": "y", "back": "xz", "bottom": "z", "top": "xy"},
}


def standing(x, t):
    """A pressure and a shear wave between these walls, each at its own frequency."""
    d, along = len(x), (slice(None), *(None,) * (x.ndim - 1))
    s, c = np.sin(np.pi / 2 * x), np.cos(np.pi / 2 * x)
    waves = np.stack([np.prod(np.where(np.arange(d)[along] == i, s, c), axis=0) for i in range(d)])
    across = np.array([1.0, -1.0] if d == 2 else [1.0, 1.0, -2.0])[along]
    k = np.pi / 2 * np.sqrt(d)
    return waves * np.cos(PRESSURE * k * t) + 0.7 * across * waves * np.cos(SHEAR * k * t)


def distance(body, u, exact):
    """Between displacements of the dofs and a function of points, in L2."""
    e = body.elements
    X, W = skfem.quadrature.get_quadrature(e.mesh.elem().refdom, 6)
    N, _ = e.shapes(X)
    cells = np.arange(len(e.nodes))
    found = np.einsum("nq,end->deq", N, body.displacement(u)[e.nodes])
    return np.sqrt(((found - exact(e.places(cells, X))) ** 2 * e.volumes(cells, X, W)).sum())


def order(errors):
    """From errors by number of elements."""
    (coarse, first), (fine, second) = errors.items()
    return np.log(first / second) / np.log(fine / coarse)


@pytest.mark.parametrize(("cell", "degree"), ALL)
@pytest.mark.chief("hex-1", "tri-1")
def test_waves_converge_with_the_degree_and_one_more(cell, degree):
    """Reference: analytic, standing waves; cells are not alike."""
    flat, duration, errors = cell in ("tri", "quad"), 0.6, {}
    for n in (16, 24) if flat and degree == 1 else (8, 12) if flat else (6, 8) if degree == 1 else (3, 4):
        mesh = squeezed(block(cell, (n, n, n), (1.0, 1.0, 1.0)))
        model = hx.solid(mesh, ROCK, fixed=WALLS[mesh.dim()], degree=degree)
        start = hx.State(displacement=model.body.field(lambda x: standing(x, 0.0)))
        nothing = hx.Load(np.zeros(2), step=duration, patterns=np.zeros((len(model.dofs), 1)))
        sol = hx.solve(hx.Problem(model, nothing, duration, start=start), hx.Galerkin(0.05, degree=2))
        errors[n] = distance(model.body, sol.values("displacement")[-1], lambda x: standing(x, duration))
    assert order(errors) == pytest.approx(degree + 1, abs=0.1 if flat else 0.15)
    assert min(errors.values()) > 1e-7  # what is left is the mesh's, not rounding


@pytest.mark.parametrize(("cell", "degree"), [("tri", 1), ("tri", 2), ("quad", 1), ("quad", 2)])
@pytest.mark.chief("quad-2", "tri-1")
def test_a_body_under_forces_inside_and_at_its_sides_follows_the_motion_they_were_made_for(cell, degree):
    """Reference: analytic, u = g(t) U(x) manufactured: body forces ρU and −div σ(U), tractions σ(U)n."""

    def shape(x):
        return np.stack([np.sin(x[0]) * np.cos(x[1]), 2 * (1 - np.cos(x[0])) * np.sin(x[1])])

    def inner(x):  # −μΔU − (λ + μ)∇div U
        s, c, sy, cy = np.sin(x[0]), np.cos(x[0]), np.sin(x[1]), np.cos(x[1])
        return np.stack([2 * s * cy - 2 * s * cy, -(4 * c - 2) * sy + 2 * (2 - c) * sy])

    def stress(x):
        s, c, sy, cy = np.sin(x[0]), np.cos(x[0]), np.sin(x[1]), np.cos(x[1])
        volume = (2 - c) * cy
        return volume + 2 * c * cy, volume + 4 * (1 - c) * cy, s * sy  # xx, yy, xy

    duration, errors = 1.0, {}
    for n in (16, 24) if degree == 1 else (8, 12):
        model = hx.solid(squeezed(block(cell, (n, n), (1.0, 1.0))), ROCK, fixed=["left"], degree=degree)
        body = model.body
        sides = {
            "right": lambda x: np.stack([stress(x)[0], stress(x)[2]]),
            "top": lambda x: np.stack([stress(x)[2], stress(x)[1]]),
            "bottom": lambda x: -np.stack([stress(x)[2], stress(x)[1]]),
        }
        held = body.force(inner) + sum(body.traction(name, pull) for name, pull in sides.items())
        load = hx.Load(lambda t: np.sin(t) ** 2, patterns=held[:, None])
        load = load + hx.Load(lambda t: 2 * np.cos(2 * t), patterns=body.force(shape)[:, None])
        sol = hx.solve(hx.Problem(model, load, duration), hx.Galerkin(0.05, degree=2))
        errors[n] = distance(body, sol.values("displacement")[-1], lambda x: np.sin(duration) ** 2 * shape(x))
    assert order(errors) == pytest.approx(degree + 1, abs=0.1)
    assert max(errors.values()) < 1e-2


@pytest.mark.parametrize("degree", [1, 2])
def test_time_elements_converge_with_twice_their_degree(degree):
    """Reference: analytic, Duhamel's integral of every mode of the mesh under a sine in time."""
    model = hx.solid(squeezed(block("quad", (5, 5), (1.0, 1.0))), ROCK, fixed=["left"])
    pull = model.body.traction("top", (1.0, -0.5)) + model.body.force((0.3, 0.2))
    squares, shapes = eigh(model.stiffness.toarray(), model.mass.toarray())
    omega, push, rate, duration = np.sqrt(squares), shapes.T @ pull, 2.0, 2.0
    exact = shapes @ (push / (squares - rate**2) * (np.sin(rate * duration) - rate / omega * np.sin(omega * duration)))
    errors = {}
    for steps in (320, 640) if degree == 1 else (80, 160):
        load = hx.Load(lambda t: np.sin(rate * t), patterns=pull[:, None])
        sol = hx.solve(hx.Problem(model, load, duration), hx.Galerkin(duration / steps, degree=degree))
        off = sol.values("displacement")[-1] - exact
        errors[steps] = np.sqrt(off @ model.mass @ off)
        assert sol.residual < 1e-10
    assert order(errors) == pytest.approx(2 * degree, abs=0.1)
    assert min(errors.values()) > 1e-12
