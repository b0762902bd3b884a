"""Small elastic bodies by hand: squares and cubes of unit elements, their K and M, or the same as blocks of springs."""

from itertools import product
from types import SimpleNamespace

import numpy as np
from scipy import sparse

from hamex.model.assembly import from_groups
from hamex.model.damping import Damping
from hamex.model.laws.surface import Surfaces
from hamex.model.record import Model

GAUSS = 0.5 + np.array([-0.5, 0.5]) / np.sqrt(3)


def elasticity(dim, modulus=1.0, poisson=0.25):
    """Of plane strain (xx, yy, xy) or of space (xx, yy, zz, xy, yz, zx)."""
    mu, lam = modulus / (2 * (1 + poisson)), modulus * poisson / ((1 + poisson) * (1 - 2 * poisson))
    shears = 1 if dim == 2 else 3
    D = np.diag([2 * mu] * dim + [mu] * shears)
    D[:dim, :dim] += lam
    return D


def shapes(dim, at):
    """Shape functions of the corners of a unit element and their gradients, at a point."""
    corners = np.array(list(product((0, 1), repeat=dim)))
    factors = np.where(corners, at, 1 - np.asarray(at))
    slopes = np.where(corners, 1.0, -1.0)
    N = factors.prod(axis=1)
    dN = np.stack([slopes[:, a] * np.delete(factors, a, axis=1).prod(axis=1) for a in range(dim)], axis=1)
    return corners, N, dN


def strain(dN):
    """B of a point: (component, corner · dim)."""
    corners, dim = dN.shape
    pairs = [(0, 1)] if dim == 2 else [(0, 1), (1, 2), (2, 0)]
    B = np.zeros((dim + len(pairs), corners, dim))
    for a in range(dim):
        B[a, :, a] = dN[:, a]
    for row, (a, b) in enumerate(pairs, dim):
        B[row, :, a], B[row, :, b] = dN[:, b], dN[:, a]
    return B.reshape(len(B), -1)


def body(*cells, lumped=False, springs=False, law=None):
    """A body of unit elements, held at x = 0: K and M, or every point a block of springs, with this law if any."""
    dim = len(cells)
    count = [n + 1 for n in cells]
    number = np.arange(np.prod(count)).reshape(count)
    D, elements = elasticity(dim), list(product(*(range(n) for n in cells)))
    dofs = np.empty((len(elements), 2**dim * dim), dtype=int)
    for place, cell in enumerate(elements):
        nodes = [number[tuple(np.add(cell, corner))] for corner in shapes(dim, [0.5] * dim)[0]]
        dofs[place] = (dim * np.array(nodes)[:, None] + np.arange(dim)).ravel()
    weight = 0.5**dim
    points = [shapes(dim, at)[1:] for at in product(GAUSS, repeat=dim)]
    Bs = [strain(dN) for _, dN in points]
    stiff = sum(weight * B.T @ D @ B for B in Bs)
    inertia = sum(weight * np.kron(np.outer(N, N), np.eye(dim)) for N, _ in points)
    n = dim * number.size
    held = np.zeros(n, dtype=bool)
    held[(dim * number[0].ravel()[:, None] + np.arange(dim)).ravel()] = True
    free = np.flatnonzero(~held)

    def gathered(matrix):
        row, column = np.repeat(dofs, dofs.shape[1], axis=1), np.tile(dofs, dofs.shape[1])
        whole = sparse.coo_array((np.tile(matrix.ravel(), len(elements)), (row.ravel(), column.ravel())), (n, n))
        return sparse.csr_array(whole)[free][:, free]

    K, M = gathered(stiff), gathered(inertia)
    if lumped:
        M = sparse.csr_array(sparse.diags_array(np.asarray(M.sum(axis=1)).ravel()))
    if not springs:
        return model(K, M)
    m, many = len(D), len(elements) * len(Bs)
    column = np.arange(many * m).reshape(len(elements), len(Bs), m, 1)
    row = np.broadcast_to(dofs[:, None, None, :], (len(elements), len(Bs), m, dofs.shape[1]))
    value = np.broadcast_to(np.stack(Bs), row.shape)
    B = sparse.csr_array(
        (value.ravel(), (row.ravel(), np.broadcast_to(column, row.shape).ravel())), shape=(n, many * m)
    )[free]
    A = sparse.block_diag([np.linalg.inv(weight * D)] * many)
    first = np.arange(many) * m
    names = tuple(f"spring {i}" for i in range(many * m))
    groups = [type(law).grouped([law] * many, first) if law else elastic_blocks(first, m)]
    parts = from_groups("body", names, A, B, sparse.csr_array((0, many * m)), groups)
    return model(sparse.csr_array(K.shape), M, parts)


def elastic_blocks(first, size):
    """Blocks that share a flexibility and never yield: surfaces without any."""
    return Surfaces.of([(int(at), SimpleNamespace(names=("",) * size, laws=())) for at in first])


def model(K, M, parts=None, damping=0.02):
    """A model from its matrices and springs, none by default."""
    n = K.shape[0]
    none = sparse.csr_array((n, 0))
    parts = parts or from_groups("body", (), sparse.csr_array((0, 0)), none, sparse.csr_array((0, 0)), [])
    return Model(
        mass=M,
        damping=Damping.full(sparse.csr_array(damping * M)),
        stiffness=K,
        flexibility=parts.flexibility,
        compatibility=parts.compatibility,
        laws=parts.laws,
        influence=np.ones((n, 1)),
        supports=parts.supports,
        dofs=tuple(f"dof {i}" for i in range(n)),
        springs=tuple(parts.names),
        groups=parts.groups,
    )
