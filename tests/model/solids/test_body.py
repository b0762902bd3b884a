"""Bodies: loads with their resultants and moments, fields, probes and names."""

import numpy as np
import pytest
from meshed import ALL, bent, block

import hamex as hx
from hamex.errors import ModelError
from hamex.model.solids.body import DofNames

STEEL = hx.Material(density=7.0, modulus=200.0, poisson=0.3)


def free_body(cell, degree, **given):
    return hx.solid(bent(block(cell)), STEEL, degree=degree, thickness=0.5, **given).body


def work(body, forces, field):
    """Of forces on a field of displacements: resultants for constant ones, moments for rotations."""
    return forces @ body.field(field)


def turn(x):
    """Rotation about the z-axis."""
    return np.stack([-x[1], x[0], *(0.0 * part for part in x[2:])])


def powers(x, degree):
    """All monomials up to a degree."""
    d = len(x)
    ways = [n for n in np.ndindex(*[degree + 1] * d) if sum(n) <= degree]
    return [np.prod([part**n for part, n in zip(x, each, strict=True)], axis=0) for each in ways]


@pytest.mark.parametrize(("cell", "degree"), ALL)
def test_loads_have_their_resultants_and_moments(cell, degree):
    """Reference: analytic, on a straight block whose integrals are known."""
    model = hx.solid(block(cell), STEEL, degree=degree, thickness=0.5)
    body = model.body
    d = body.dimension
    depth = 0.5 if d == 2 else 1.0
    value = np.array([3.0, -2.0, 5.0])[:d]
    pulled = body.traction("right", value)  # at x = 2, y and z from 0 to 1
    for way in range(d):
        assert work(body, pulled, np.eye(d)[way]) == pytest.approx(value[way] * depth, rel=1e-13)
    assert work(body, pulled, turn) == pytest.approx((2.0 * value[1] - 0.5 * value[0]) * depth, rel=1e-13)
    bent_by = body.traction("right", lambda x: np.stack([x[1], *[0.0 * x[0]] * (d - 1)]))
    assert work(body, bent_by, turn) == pytest.approx(-depth / 3, rel=1e-13)
    pressed = body.pressure("top", 4.0)
    assert work(body, pressed, np.eye(d)[d - 1]) == pytest.approx(-4.0 * 2.0 * depth, rel=1e-13)
    weight = body.force(value)
    for way in range(d):
        assert work(body, weight, np.eye(d)[way]) == pytest.approx(value[way] * 2.0 * depth, rel=1e-13)
    assert work(body, weight, turn) == pytest.approx((value[1] - 0.5 * value[0]) * 2.0 * depth, rel=1e-13)
    place = np.array([1.2345, 0.377, 0.61])[:d]
    hit = body.point_force(place, value)
    for way in range(d):
        assert work(body, hit, np.eye(d)[way]) == pytest.approx(value[way], rel=1e-12)
    assert work(body, hit, turn) == pytest.approx(place[0] * value[1] - place[1] * value[0], rel=1e-12)


@pytest.mark.parametrize("degree", [1, 2])
def test_pressure_on_closed_and_round_boundaries(degree):
    """Reference: analytic; a closed boundary feels no resultant, a quarter of a hole p·a each way, a ring 2πr."""
    whole = hx.solid(hx.meshes.ring(1.0, 2.0, (1, 24), angle=360.0), STEEL, degree=degree).body
    blown = whole.pressure("inner", 3.0)
    for field in ((1.0, 0.0), (0.0, 1.0), turn):
        assert abs(work(whole, blown, field)) < 1e-12
    quarter = hx.solid(hx.meshes.ring(1.0, 2.0, (1, 6)), STEEL, degree=degree).body
    for way in ((1.0, 0.0), (0.0, 1.0)):
        assert work(quarter, quarter.pressure("inner", 3.0), way) == pytest.approx(3.0, rel=1e-12)
    tube = hx.solid(
        hx.meshes.rectangle(1.0, 0.5, (2, 2), origin=(1.0, 0.0)), STEEL, degree=degree, plane="axisymmetric"
    ).body
    assert tube.pressure("left", 3.0)[::2].sum() == pytest.approx(3.0 * 2 * np.pi * 1.0 * 0.5, rel=1e-13)
    assert tube.traction("top", (0.0, 2.0))[1::2].sum() == pytest.approx(2.0 * np.pi * 3.0, rel=1e-13)
    assert tube.force((0.0, 2.0))[1::2].sum() == pytest.approx(2.0 * np.pi * 3.0 * 0.5, rel=1e-13)
    changing = whole.pressure("outer", lambda x: x[0])
    assert work(whole, changing, (1.0, 0.0)) == pytest.approx(-4.0 * np.pi, rel=0.02)


@pytest.mark.parametrize(("cell", "degree"), ALL)
def test_probes_reproduce_polynomials_of_the_degree(cell, degree):
    """Reference: analytic, everywhere in bent cells, at corners and on edges too."""
    body = free_body(cell, degree)
    rng = np.random.default_rng(3)
    inside = body.places.reshape(-1, body.dimension)
    places = np.vstack([inside[rng.integers(0, len(inside), 12)], body.nodes[rng.integers(0, len(body.nodes), 12)]])
    N = body.interpolation(places)
    assert N.sum(axis=1) == pytest.approx(np.ones(24), rel=1e-12)
    for nodal, wanted in zip(powers(body.nodes.T, degree), powers(places.T, degree), strict=True):
        assert np.abs(N @ nodal - wanted).max() < 1e-11
    off = [np.abs(N @ nodal - wanted).max() for nodal, wanted in
           zip(powers(body.nodes.T, degree + 1), powers(places.T, degree + 1), strict=True)]  # fmt: skip
    assert max(off) > 1e-6


@pytest.mark.parametrize(("cell", "degree"), ALL)
def test_strains_are_those_of_polynomials(cell, degree):
    """Reference: analytic, derivatives of fields that the element holds; B-bar keeps the mean volume change."""
    body = free_body(cell, degree, **({"mean_dilatation": False} if cell in ("quad", "hex") and degree == 1 else {}))
    d = body.dimension
    u = body.field(lambda x: np.stack([x[0] * x[1] ** (degree - 1), *[x[-1]] * (d - 1)]))
    found = body.strain(body.displacement(u))
    x = np.moveaxis(body.places, -1, 0)
    names = body.components
    assert np.abs(found[..., names.index("xx")] - x[1] ** (degree - 1)).max() < 1e-12
    slope = x[0] * (degree - 1)
    assert np.abs(found[..., names.index("xy")] - slope).max() < 1e-12
    assert np.abs(found[..., names.index("yy")] - (1.0 if d == 2 else 0.0)).max() < 1e-12


def test_stress_and_plastic_strain_at_points_and_nodes():
    """Reference: analytic, D (ε − εᵖ) of a strain that is even all over."""
    metal = STEEL.with_law(hx.laws.J2(yield_stress=1.0))
    mesh = block("quad", (4, 2)).with_subdomains({"soft": lambda x: x[0] < 1, "hard": lambda x: x[0] > 1})
    body = hx.solid(mesh, {"soft": metal, "hard": STEEL}).body
    nodal = np.stack([0.01 * body.nodes[:, 0], 0.0 * body.nodes[:, 0]], axis=1)
    slip = np.tile([0.002, -0.001, -0.001, 0.0], 4 * 4)
    plastic = body.plastic_strain(slip)
    soft = np.isin(np.arange(8), mesh.subdomains["soft"])
    assert plastic[soft] == pytest.approx(np.tile([0.002, -0.001, -0.001, 0.0], (4, 4, 1)))
    assert not plastic[~soft].any()
    D = STEEL.stiffness("strain", np.zeros((2, 1)))[0]
    stress = body.stress(nodal, slip)
    assert stress[soft] == pytest.approx(np.tile(D @ [0.008, 0.001, 0.001, 0.0], (4, 4, 1)))
    assert stress[~soft] == pytest.approx(np.tile(D @ [0.01, 0.0, 0.0, 0.0], (4, 4, 1)))
    some = np.array([5, 0])
    assert body.stress(nodal, slip, some) == pytest.approx(stress[some])
    even = body.at_nodes(np.ones((8, 4, 2)))
    assert even == pytest.approx(np.ones((len(body.nodes), 2)))
    left = body.at_nodes(stress)[body.nodes[:, 0] < 0.9]
    assert left == pytest.approx(np.tile(stress[soft][0, 0], (len(left), 1)))


def test_dofs_are_found_by_place_and_by_name():
    model = hx.solid(block("quad"), STEEL, fixed=["left"])
    body = model.body
    place = body.dof((2.0, 1.0), "y")
    node = int(np.flatnonzero((body.nodes == [2.0, 1.0]).all(axis=1))[0])
    assert model.dofs[place] == f"node {node + 1}.y"
    assert model.dofs.index(f"node {node + 1}.y") == place
    with pytest.raises(ModelError, match="is held in x"):
        body.dof((0.0, 1.0), "x")
    with pytest.raises(ModelError, match="give 2 coordinates and one of x, y"):
        body.dof((0.0, 1.0), "z")
    u = np.arange(len(model.dofs), dtype=float)
    assert body.displacement(u)[node, 1] == place
    assert body.displacement(np.stack([u, 2 * u])).shape == (2, len(body.nodes), 2)
    assert not body.displacement(u)[body.nodes[:, 0] == 0].any()
    names = DofNames(np.array([0, 3, 4]), 2)
    for odd in ("node 1.y", "node 01.x", "node 9.x", "node x", "roof", 3):
        assert odd not in names
    assert names[1:] == ("node 2.y", "node 3.x")
    assert names == ("node 1.x", "node 2.y", "node 3.x")
    assert names == DofNames(np.array([0, 3, 4]), 2) != DofNames(np.array([0, 3, 4]), 3)
    with pytest.raises(ValueError, match="is not among the 3 dofs"):
        names.index("node 1.y")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda b: b.traction("roof", (0, 1)), "there is no boundary 'roof'; the body has"),
        (lambda b: b.traction("top", (0, 1, 2)), "give 2 finite numbers, or a function"),
        (lambda b: b.traction("top", (0, np.nan)), "give 2 finite numbers"),
        (lambda b: b.traction("top", "down"), "traction: give numbers"),
        (lambda b: b.traction("top", lambda x: np.ones(7)), "give 2 finite numbers, or a function"),
        (lambda b: b.force(lambda x: x[0]), "force: give 2 finite numbers"),
        (lambda b: b.pressure("top", "high"), "pressure must be a number"),
        (lambda b: b.point_force((0.5, 0.5), (1.0,)), "the force has 1 components, the body 2"),
        (lambda b: b.point_force((9.0, 0.5), (1.0, 0.0)), r"the point \[9.0, 0.5\] is not in the body"),
        (lambda b: b.interpolation(np.zeros((1, 3))), "points have 3 coordinates, the body has 2"),
        (lambda b: b.field((1.0,) * 5), "give 2 finite numbers"),
    ],
)
def test_loads_that_cannot_be_are_refused(ask, message):
    with pytest.raises(ModelError, match=message):
        ask(hx.solid(block("quad"), STEEL).body)
