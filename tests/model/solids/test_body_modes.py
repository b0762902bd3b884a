"""Modes of bodies: rigid motions have no frequency, and the sparse way finds what the plain one does."""

import numpy as np
import pytest

import hamex as hx
from hamex.model.algebra import DENSE, eigen
from hamex.model.record import modes

RUBBER = hx.Material(density=1.0, modulus=10.0, poisson=0.25)


@pytest.mark.parametrize(
    ("mesh", "rigid"),
    [(lambda: hx.meshes.rectangle(30.0, 1.0, (90, 3)), 3), (lambda: hx.meshes.box(6.0, 1.0, 1.0, (16, 2, 2)), 6)],
)
def test_a_body_that_floats_has_its_rigid_motions_first(mesh, rigid):
    """Slender: the first frequency is far below that of one cell, which sets the size of rounding."""
    model = hx.solid(mesh(), RUBBER)
    assert len(model.dofs) > DENSE
    found = modes(model, rigid + 2)
    assert not found.frequencies[:rigid].any()
    assert found.frequencies[rigid] > 0

    M = found.shapes.T @ (model.mass @ found.shapes)
    assert pytest.approx(np.eye(rigid + 2), abs=1e-8) == M
    assert found.effective_mass[:rigid].sum(axis=0) == pytest.approx(found.total_mass, rel=1e-8)


def test_the_sparse_way_finds_what_the_plain_one_does():
    model = hx.solid(hx.meshes.rectangle(10.0, 1.0, (60, 4)), RUBBER, fixed=["left"])
    plain, _ = eigen(model.mass, model.stiffness)
    assert modes(model, 5).frequencies == pytest.approx(plain[:5], rel=1e-9)
