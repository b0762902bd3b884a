"""Masses that are solved with again and again: by factors, by iterations, by their diagonal."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import hamex as hx
from hamex.model.algebra import AT_ONCE, Masses

RUBBER = hx.Material(density=1.3, modulus=10.0, poisson=0.25)


def mass(degree=1, cells="hexahedra"):
    return hx.solid(hx.meshes.box(1.0, 1.0, 1.0, (3, 2, 2), cells=cells), RUBBER, degree=degree).mass


@pytest.mark.parametrize(("degree", "cells"), [(1, "hexahedra"), (2, "hexahedra"), (2, "tetrahedra")])
@pytest.mark.chief("2-hexahedra")
def test_iterations_and_factors_give_the_same_velocities(degree, cells):
    M = mass(degree, cells)
    velocity = np.random.default_rng(1).normal(size=(AT_ONCE + 3, M.shape[0]))
    momentum = velocity @ M.toarray()
    for way in ({}, {"of_body": True}, {"of_body": True, "iterates": True}):
        assert Masses(M, **way).solved(momentum) == pytest.approx(velocity, rel=0, abs=1e-12)


def test_dofs_without_mass_stay_and_plain_matrices_work():
    M = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    p = np.array([[3.0, 0.0, 0.0]])
    for matrix in (M, sparse.csr_array(M), sparse.csr_array(np.diag([1.5, 2.0, 0.0]))):
        expected = (
            [[2.0, 0.0, 0.0]] if matrix.shape and sparse.issparse(matrix) and matrix.nnz == 2 else [[2.0, -1.0, 0.0]]
        )
        assert Masses(matrix).solved(p) == pytest.approx(np.array(expected), abs=1e-14)


def test_zero_is_found_at_once():
    assert not Masses(mass(), of_body=True, iterates=True).solved(np.zeros((2, mass().shape[0]))).any()


def test_factors_do_not_travel():
    masses = Masses(mass(), of_body=True)
    momentum = np.ones((1, mass().shape[0]))
    first = masses.solved(momentum)
    again = pickle.loads(pickle.dumps(masses))
    assert again.solved(momentum) == pytest.approx(first, rel=1e-13)


def test_models_keep_what_they_found():
    model = hx.solid(hx.meshes.rectangle(1.0, 1.0, (3, 3)), RUBBER)
    assert model.masses is model.masses
    assert not model.masses.iterates
