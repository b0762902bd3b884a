"""The matrices of bodies: springs gathered cell by cell, an order that keeps factors small, conjugate gradients by
nodes. References are dense (own), or SuperLU's own order."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import splu

import hamex as hx
from hamex.errors import ConvergenceError, SchemeError
from hamex.model.record import dense
from hamex.schemes import solvers
from hamex.schemes import sparse as factored
from hamex.schemes.prepare import galerkin_stage, in_model_order, tangent_matrix
from hamex.schemes.solvers import ConjugateGradients, ConjugateMatrix, Factors, chosen, mass_solved
from hamex.schemes.sparse import SparseMatrix, dissected, places_of
from hamex.schemes.springs import cells_of, spring_blocks

LAW = hx.laws.J2(yield_stress=0.02, viscosity=0.05, kinematic=0.05)
SOFT = hx.Material(density=1.0, modulus=1.0, poisson=0.3)
YIELDING = hx.Material(density=1.0, modulus=1.0, poisson=0.3, law=LAW)
H = 0.3


def plane(cells=(5, 3), material=SOFT, **options):
    return hx.solid(hx.meshes.rectangle(2.0, 1.0, cells), material, fixed=["left"], **options)


def space(cells=(3, 2, 2), material=SOFT, **options):
    return hx.solid(hx.meshes.box(2.0, 1.0, 1.0, cells), material, fixed={"left": "xyz", "bottom": "z"}, **options)


MODELS = {
    "plane": plane,
    "plane, yielding": lambda: plane(material=YIELDING),
    "plane, triangles": lambda: hx.solid(
        hx.meshes.rectangle(2.0, 1.0, (4, 3), cells="triangles"), YIELDING, degree=2, fixed=["left"]
    ),
    "space": space,
    "space, yielding": lambda: space(material=YIELDING),
}


def tangents(blocks, rng):
    """Random symmetric positive definite ones; some as at rest."""
    T = blocks.tangents.copy()
    for place, m in zip(blocks.place, blocks.size, strict=True):
        if rng.random() < 0.7:
            root = rng.normal(size=(m, m))
            T[place : place + m * m] = (root @ root.T).ravel() * abs(T[place])
    return T


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("route", ["factors", "factors by degrees", "conjugate gradients", "one component a node"])
@pytest.mark.every_value
def test_every_route_solves_the_matrix_of_the_step(name, route):
    model = MODELS[name]()
    rng, blocks, stage = np.random.default_rng(1), spring_blocks(model), galerkin_stage(model, H)
    B = sparse.csc_array(model.compatibility)
    B.sort_indices()
    cells = cells_of(B, blocks) if len(model.springs) else None
    T = tangents(blocks, rng) if len(model.springs) else np.zeros(1)
    full = dense(stage.matrix) + stage.weight * stage.reach * dense(tangent_matrix(model, blocks, T))
    if route.startswith("factors"):
        places = places_of(model) if route == "factors" else None
        matrix = SparseMatrix(stage, in_model_order(stage, B), cells, blocks.tangents, places)
        factorise, backsolve, close = factored.factorise, factored.backsolve, 1e-12
    else:
        plain = model if route == "conjugate gradients" else replace(model, body=None)
        solver = ConjugateGradients(1e-13)
        matrix = ConjugateMatrix(stage, plain, cells, B, blocks.tangents, solver, linear=True)
        factorise, backsolve, close = solvers.factorise, solvers.backsolve, 1e-10
    assert np.allclose(matrix.diagonal(T), np.diagonal(full), rtol=1e-12)
    assert factorise(matrix, T) == 0
    b = rng.normal(size=len(full))
    x = b.copy()
    backsolve(matrix, x, np.zeros(0))
    assert np.allclose(full @ x, b, rtol=0, atol=close * np.abs(b).max() * 10)
    # A second matrix leaves nothing of the first.
    factorise(matrix, blocks.tangents if len(model.springs) else T)
    x = b.copy()
    backsolve(matrix, x, np.zeros(0))
    elastic = dense(stage.matrix) + stage.weight * stage.reach * dense(tangent_matrix(model, blocks, blocks.tangents))
    assert np.allclose(elastic @ x, b, rtol=0, atol=close * np.abs(b).max() * 10)


def test_points_of_one_element_share_their_places():
    model = space(material=YIELDING)
    B = sparse.csc_array(model.compatibility)
    B.sort_indices()
    cells = cells_of(B, spring_blocks(model))
    assert len(cells.first) == 8 * 12  # points of hexahedra
    assert len(cells.many) == 12
    assert cells.many.max() == 24
    held = [
        (cells.dofs[a:b][cells.local[B.indptr[j] : B.indptr[j + 1]]] == B.indices[B.indptr[j] : B.indptr[j + 1]]).all()
        for c, (a, b) in enumerate(zip(cells.owner[:-1], cells.owner[1:], strict=True))
        for block in range(cells.begin[c], cells.begin[c + 1])
        for j in range(cells.first[block], cells.first[block] + 6)
    ]
    assert all(held)


@pytest.mark.parametrize("model", [plane((60, 60)), space((10, 6, 6))], ids=["plane", "space"])
def test_nested_dissection_fills_less_than_minimum_degree(model):
    stage = galerkin_stage(model, H)
    order = dissected(stage.matrix, places_of(model))
    assert np.array_equal(np.sort(order), np.arange(len(model.dofs)))
    modes = {"diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
    nested = splu(sparse.csc_array(stage.matrix[order][:, order]), permc_spec="NATURAL", **modes)
    by_degree = splu(sparse.csc_array(stage.matrix), permc_spec="MMD_AT_PLUS_A", **modes)
    assert nested.nnz < 0.95 * by_degree.nnz


def test_dofs_without_a_place_come_last():
    matrix = sparse.csr_array(np.eye(6) + np.eye(6, k=1) + np.eye(6, k=-1))
    places = np.array([[0.0], [1.0], [np.nan], [2.0], [3.0], [np.nan]])
    order = dissected(matrix, places)
    assert sorted(order[-2:]) == [2, 5]
    assert sorted(order) == list(range(6))


@pytest.mark.parametrize("mass", ["consistent", "lumped"])
def test_velocities_from_momenta(mass):
    model = space(mass=mass)
    p = np.random.default_rng(2).normal(size=len(model.dofs))
    assert np.allclose(mass_solved(model, p), np.linalg.solve(dense(model.mass), p), rtol=1e-12, atol=1e-12)
    assert not mass_solved(model, 0 * p).any()


def test_the_residual_of_conjugate_gradients_does_no_work():
    """Analytic: from zero it is orthogonal to the solution, whatever the tolerance; that is why the balance closes."""
    model = space()
    stage = galerkin_stage(model, H)
    matrix = ConjugateMatrix(stage, model, None, None, np.zeros(0), ConjugateGradients(1e-3), linear=True)
    solvers.factorise(matrix, np.zeros(1))
    b = np.random.default_rng(3).normal(size=len(model.dofs))
    x = b.copy()
    solvers.backsolve(matrix, x, np.zeros(0))
    left = b - stage.matrix @ x
    assert np.abs(left).max() > 1e-5 * np.abs(b).max()
    assert abs(x @ left) <= 1e-14 * abs(x @ b)


def test_iterations_that_are_not_enough_are_named():
    model = space()
    few = ConjugateMatrix(
        galerkin_stage(model, H), model, None, None, np.zeros(0), ConjugateGradients(1e-10, most=3), True
    )
    solvers.factorise(few, np.zeros(1))
    with pytest.raises(ConvergenceError, match=r"3 iterations left a residual of .* take a shorter step"):
        solvers.backsolve(few, np.ones(len(model.dofs)), np.zeros(0))


def test_what_costs_less_is_chosen():
    """Deep bodies in space iterate; the plane, slender bodies and small ones are factored."""
    assert chosen(plane((60, 40)), None) is None
    assert chosen(space((3, 2, 2)), None) is None
    assert chosen(space((12, 10, 10)), None) == ConjugateGradients()
    assert chosen(space((12, 10, 10)), Factors()) == Factors()
    slender = hx.solid(hx.meshes.box(300.0, 1.0, 1.0, (300, 3, 3)), SOFT, fixed=["left"])
    assert len(slender.dofs) > 10_000
    assert chosen(slender, None) is None


@pytest.mark.parametrize("options", [{"balance": 0.0}, {"balance": 2.0}, {"balance": "1"}, {"most": 0}, {"most": 2.5}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(SchemeError, match=f"ConjugateGradients: {next(iter(options))} must be"):
        ConjugateGradients(**options)
