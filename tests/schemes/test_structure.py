"""The numbers of a structure's step: matrices, springs by blocks, order of the dofs, and the check of convexity."""

import re

import numpy as np
import pytest
from asked_springs import ask
from scipy.linalg import block_diag, eigh
from scipy.sparse import csc_array

import hamex as hx
from hamex.errors import ModelError, SchemeError
from hamex.model.record import dense
from hamex.schemes.prepare import assemble, band_of, galerkin_stage, in_model_order, nodal_stage, tangent_matrix
from hamex.schemes.promised import check_promise
from hamex.schemes.shear_frame import is_shear_frame
from hamex.schemes.sparse import SparseMatrix, backsolve, factorise
from hamex.schemes.springs import cells_of, prepared_springs, spring_blocks, states

M, C, K = np.array([[2.0, 0.1], [0.1, 1.0]]), np.array([[0.6, -0.2], [-0.2, 0.3]]), np.array([[5.0, -1.0], [-1.0, 2.0]])
SURFACE = hx.Surface((4.0, 6.0), (1.0, 0.0), viscosity=0.3, kinematic=20.0, isotropic=9.0)
PAIR = np.array([[2e-3, 5e-4], [5e-4, 1e-3]])


def model(laws=None, **options):
    return hx.structure(M, C, np.diag([0.01, 0.02, 0.005]), [[1, -1, 0.5], [0, 1, 2.0]], laws, **options)


def test_the_stage_of_the_linear_element():
    h = 0.3
    stage = galerkin_stage(model(stiffness=K), h)
    assert np.allclose(dense(stage.matrix), M / h + C / 2 + h / 4 * K, rtol=1e-15)
    assert (stage.weight, stage.reach, stage.tau) == (h / 2, 0.5, h / 2)


def test_the_stage_of_newmark():
    h, beta, gamma = 0.3, 0.3, 0.6
    stage = nodal_stage(model(stiffness=K), h, beta, gamma)
    assert np.allclose(dense(stage.matrix), M / (beta * h * h) + gamma / (beta * h) * C + K, rtol=1e-15)
    assert (stage.weight, stage.reach, stage.tau) == (1.0, 1.0, h)


@pytest.mark.parametrize("size", [3, 100])
def test_elastic_tangents_give_the_elastic_stiffness(size):
    rng = np.random.default_rng(size)
    A = block_diag(*([np.diag(rng.uniform(1e-3, 1, size - 2)), PAIR]))
    B = rng.normal(size=(3, size))
    made = hx.structure(np.ones(3), 0, A, B, {(size - 2, size - 1): SURFACE})
    blocks = spring_blocks(made)
    assert np.allclose(dense(tangent_matrix(made, blocks, blocks.tangents)), B @ np.linalg.inv(A) @ B.T, rtol=1e-12)


def soft_tangents(made, blocks, tau):
    """The softest tangents of all laws, in the layout of T."""
    return blocks.filled(
        {kind: group.law.softest(group, blocks.by_group[kind], tau) for kind, group in made.laws.items()}, made
    )


def test_softest_bounds_every_tangent_from_below():
    """What the check of convexity relies on: T ≥ softest, for every law and state."""
    rng, tau = np.random.default_rng(1), 0.05
    laws = {0: hx.Slider(1.0, 0.4, 20.0, 9.0), 1: hx.PowerLaw(3.0, 0.4), (2, 3): SURFACE}
    made = hx.structure(np.ones(4), 0, block_diag(0.01, 0.02, PAIR), np.eye(4), laws)
    blocks = spring_blocks(made)
    soft = dense(tangent_matrix(made, blocks, soft_tangents(made, blocks, tau)))
    groups, size = prepared_springs(made, blocks, tau, "end", "test", compile=False), states(made).size
    for _ in range(200):
        T = np.zeros(blocks.entries)
        e, branch = rng.normal(size=4) * 10.0 ** rng.uniform(-4, 1), np.zeros(4, dtype=np.int64)
        ask(groups, e, np.zeros(4), 1.0, tau, np.zeros(size), np.zeros(4), T, np.zeros(size), branch)
        difference = dense(tangent_matrix(made, blocks, T)) - soft
        assert np.linalg.eigvalsh(difference)[0] >= -1e-9


def test_elastic_springs_and_components_stay_elastic_in_the_softest_state():
    made = hx.structure(np.ones(3), 0, block_diag(0.01, PAIR), np.eye(3), {(1, 2): hx.Surface((4.0, np.inf))})
    blocks = spring_blocks(made)
    soft = dense(tangent_matrix(made, blocks, soft_tangents(made, blocks, 0.1)))
    # Analytic: component 1 gives way altogether, component 2 keeps 1/a of its own.
    assert np.allclose(soft, np.diag([100.0, 0.0, 1000.0]), rtol=1e-12)


# --- the largest admissible step ---------------------------------------------------------------------------------


def frame(storeys, law, weight=30.0):
    return hx.shear_frame(np.ones(storeys), np.linspace(900, 400, storeys), laws=law, heights=3.0, weights=weight)


def named(call):
    with pytest.raises(SchemeError, match="must be below") as caught:
        call()
    return float(re.search(r"below ([0-9.e+-]+) s", str(caught.value)).group(1))


@pytest.mark.parametrize("storeys", [2, 5, 20])
def test_the_step_that_p_delta_admits_is_that_of_an_eigenvalue(storeys):
    """Analytic: all springs perfectly plastic, M/h + (h/4)K > 0 up to h = 2/√λ, λ the largest of −K x = λ M x."""
    made = frame(storeys, hx.Slider(1.0), weight=30.0 / storeys)
    limit = 2 / np.sqrt(eigh(-dense(made.stiffness), dense(made.mass), eigvals_only=True)[-1])
    load = hx.Load(np.zeros((1, storeys)), step=10.0)

    def solve(h):
        return hx.solve(hx.Problem(made, load, duration=2 * h), hx.Galerkin(h))

    assert named(lambda: solve(2 * limit)) == pytest.approx(limit, rel=1e-5)
    assert named(lambda: solve(1.001 * limit)) == pytest.approx(limit, rel=1e-5)
    solve(0.999 * limit)


@pytest.mark.parametrize(
    "law",
    [hx.Slider(1.0, viscosity=9.0), hx.Slider(1.0, kinematic=8.0), hx.Slider(1.0, viscosity=2.0, isotropic=3.0)],
    ids=str,
)
def test_viscosity_and_hardening_admit_longer_steps(law):
    """Own: bisection on the full matrix, written from the step's equations."""
    made = frame(3, law)
    mass, stiffness, B = dense(made.mass), dense(made.stiffness), dense(made.compatibility)
    k = np.linspace(900, 400, 3)

    def least(h):
        held = law.viscosity + h / 2 * (law.kinematic + law.isotropic)
        soft = B @ np.diag(k * held / (held + h / 2 * k)) @ B.T
        return np.linalg.eigvalsh(mass / h**2 + (stiffness + soft) / 4)[0]

    low, high = 1e-3, 1e3
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if least(middle) > 0 else (low, middle)
    found = named(lambda: check_promise(made, hx.Galerkin(2 * low)))
    assert found == pytest.approx(low, rel=1e-5)
    check_promise(made, hx.Galerkin(0.999 * low))
    plastic = frame(3, hx.Slider(1.0))
    assert low > 1.1 * named(lambda: check_promise(plastic, hx.Galerkin(100.0)))


def test_newmark_names_its_own_step():
    made = frame(3, hx.Slider(1.0))
    limit = 2 / np.sqrt(eigh(-dense(made.stiffness), dense(made.mass), eigvals_only=True)[-1])  # 4M/h² + K > 0
    load = hx.Load(np.zeros((1, 3)), step=10.0)
    found = named(lambda: hx.solve(hx.Problem(made, load, 6 * limit), hx.Newmark(3 * limit, safeguarded=True)))
    assert found == pytest.approx(limit, rel=1e-5)


def test_many_dofs_are_checked_by_pivots():
    """Beyond 400 dofs the signs of the pivots tell; the named step is the same."""
    storeys = 420
    made = hx.shear_frame(np.ones(storeys), 1e7, laws=hx.Slider(1.0), heights=3.0, weights=0.05)
    limit = 2 / np.sqrt(eigh(-dense(made.stiffness), dense(made.mass), eigvals_only=True)[-1])
    found = named(lambda: check_promise(made, hx.Galerkin(5 * limit)))
    assert found == pytest.approx(limit, rel=1e-5)
    check_promise(made, hx.Galerkin(0.999 * limit))


@pytest.mark.parametrize("extra", [0, 400])
def test_a_massless_dof_that_nothing_resists_is_named(extra):
    masses = [1.0, 0.0, 1.0, *[1.0] * extra]
    made = hx.shear_frame(masses, 100.0, laws=[None, hx.Slider(1.0), hx.Slider(2.0), *[None] * extra])
    with pytest.raises(ModelError, match="floor 2"):
        hx.solve(hx.Problem(made, hx.Load(np.zeros((1, len(masses))), step=1.0), 0.1), hx.Galerkin(0.1))


def test_without_negative_stiffness_any_step_is_convex():
    made = model(hx.Slider(1.0))
    for h in (1e-6, 1.0, 1e6):
        check_promise(made, hx.Galerkin(h))


# --- assembly ----------------------------------------------------------------------------------------------------


def random_model(rng, dofs, rank):
    springs = dofs + 3
    B = np.zeros((dofs, springs))
    for j in range(springs):
        B[rng.choice(dofs, size=min(2, dofs), replace=False), j] = rng.normal(size=min(2, dofs))
    laws = {(springs - 2, springs - 1): SURFACE}
    A = block_diag(np.diag(rng.uniform(1e-3, 1, springs - 2)), PAIR)
    damping = hx.modal(0.05, modes=rank) if rank else 0
    return hx.structure(np.diag(rng.uniform(1, 2, dofs)), damping, A, B, laws, stiffness=np.eye(dofs))


@pytest.mark.parametrize(("dofs", "rank"), [(2, 0), (6, 2), (25, 3)])
def test_band_and_sparse_matrices_are_the_matrix_of_the_step(dofs, rank):
    rng = np.random.default_rng(dofs)
    made = random_model(rng, dofs, rank)
    blocks, stage = spring_blocks(made), galerkin_stage(made, 0.1)
    T = blocks.tangents * 0.7
    full = dense(stage.matrix) + stage.weight * stage.reach * dense(tangent_matrix(made, blocks, T))
    whole = full + stage.low @ np.diag(stage.low_weight) @ stage.low.T
    order = (assembly := assemble(stage, made.compatibility, blocks)).order
    assert sorted(order) == list(range(dofs))
    band = band_of(assembly)
    np.add.at(band, (assembly.row, assembly.row - assembly.column), assembly.share * T[assembly.source])
    for d in range(band.shape[1]):
        assert np.allclose(band[d:, d], np.diagonal(full[np.ix_(order, order)], -d), rtol=1e-12, atol=1e-14)
    outside = np.abs(np.subtract.outer(np.arange(dofs), np.arange(dofs))) > assembly.width
    assert not np.any(full[np.ix_(order, order)][outside])
    sparse = SparseMatrix(
        stage,
        in_model_order(stage, made.compatibility),
        cells_of(csc_array(made.compatibility), blocks),
        blocks.tangents,
    )
    assert factorise(sparse, T) == 0
    x = rng.normal(size=dofs)
    found = x.copy()
    backsolve(sparse, found, np.zeros(rank))
    assert np.allclose(whole @ found, x, rtol=1e-11, atol=1e-12)


def test_the_sparse_factorisation_names_a_pivot_that_is_not_positive():
    made = model()
    blocks, stage = spring_blocks(made), galerkin_stage(made, 0.1)
    sparse = SparseMatrix(
        stage,
        in_model_order(stage, made.compatibility),
        cells_of(csc_array(made.compatibility), blocks),
        blocks.tangents,
    )
    assert factorise(sparse, -1e6 * blocks.tangents) > 0


def test_the_order_of_the_dofs_keeps_a_shuffled_chain_narrow():
    n = 40
    shuffled = np.random.default_rng(3).permutation(n)
    B = (np.eye(n) - np.eye(n, k=1))[shuffled]
    made = hx.structure(np.ones(n), 0, np.full(n, 0.01), B)
    assert assemble(galerkin_stage(made, 0.1), made.compatibility, spring_blocks(made)).width == 1


def test_chains_are_recognised_by_their_arrays():
    assert is_shear_frame(hx.shear_frame([1.0, 1.0], 100.0))
    assert is_shear_frame(frame(4, hx.Slider(1.0)))
    for other in (
        hx.shear_frame([1.0, 1.0], 100.0, damping=hx.modal(0.05)),
        hx.shear_frame([1.0, 0.0, 1.0], 100.0),
        hx.shear_frame([1.0, 1.0], 100.0, links=[hx.elastic_link(0, 2, 5.0)]),
        hx.structure([1.0, 1.0], 0, [0.01, 0.01], [[1, 1], [0, -1]]),
        hx.structure([[1.0, 0.1], [0.1, 1.0]], 0, [0.01, 0.01], [[1, -1], [0, 1]]),
    ):
        assert not is_shear_frame(other)
