"""Bodies of quadrilaterals for tests, by scikit-fem: K and lumped M condensed, or blocks of springs at their points."""

import numpy as np
from scipy import sparse
from skfem import Basis, BilinearForm, ElementQuad1, ElementVector, MeshQuad
from skfem.helpers import dot

import hamex as hx
from hamex.model.damping import Damping
from hamex.model.record import Model


def plane_stress(modulus, poisson):
    """Elasticity matrix of xx, yy and engineering xy."""
    D = np.diag([1.0, 1.0, 0.5 * (1 - poisson)])
    D[0, 1] = D[1, 0] = poisson
    return modulus / (1 - poisson**2) * D


class Strip:
    """A strip of unit thickness, clamped at x = 0: its dofs that can move, B, volumes of points, masses."""

    def __init__(self, length, width, along, across, density=1.0):
        mesh = MeshQuad.init_tensor(np.linspace(0, length, along + 1), np.linspace(0, width, across + 1))
        basis = Basis(mesh, ElementVector(ElementQuad1()), intorder=3)
        free = np.setdiff1d(np.arange(basis.N), basis.get_dofs(lambda x: x[0] == 0).all())
        self.x, self.y = basis.doflocs[:, free]
        self.across = np.isin(free, basis.get_dofs().all(["u^2"])) | np.isin(free, basis.nodal_dofs[1])
        self.volume = basis.dx.ravel()
        self.B = _strains(basis)[free]
        masses = BilinearForm(lambda u, v, _: density * dot(u, v)).assemble(basis)
        self.mass = np.asarray(masses.sum(axis=1)).ravel()[free]
        self.consistent = sparse.csr_array(masses)[free][:, free]

    def stiffness(self, D):
        """K of an elastic material, point by point."""
        points = sparse.kron(sparse.diags_array(self.volume), D)
        return sparse.csr_array(self.B @ points @ self.B.T)

    def condensed(self, D, damping=None, mass=None):
        """The elastic body as a model without any spring."""
        n = len(self.mass)
        return Model(
            mass=sparse.csr_array(sparse.diags_array(self.mass)) if mass is None else mass,
            damping=Damping.full(sparse.csr_array((n, n))) if damping is None else damping,
            stiffness=self.stiffness(D),
            flexibility=np.zeros((0, 0)),
            compatibility=np.zeros((n, 0)),
            laws={},
            influence=np.zeros((n, 1)),
            supports=np.zeros((0, 0)),
            dofs=tuple(f"u{i}" for i in range(n)),
            springs=(),
        )

    def points(self, D, law):
        """The body with a block of three springs at every point; ``law`` maps a volume to its Surface, or None."""
        laws = {(3 * i, 3 * i + 1, 3 * i + 2): law(volume) for i, volume in enumerate(self.volume)}
        flexibility = sparse.kron(sparse.diags_array(1 / self.volume), np.linalg.inv(D))
        return hx.structure(self.mass, 0, sparse.csr_array(flexibility), self.B, laws)


def _strains(basis):
    """B, (dof, spring): xx, yy and xy of every point."""
    rows, columns, entries = [], [], []
    points = basis.dx.shape[1]
    for local in range(basis.Nbfun):
        gradient = np.asarray(basis.basis[local][0].grad)  # (component, direction, element, point)
        for k, strain in enumerate((gradient[0, 0], gradient[1, 1], gradient[0, 1] + gradient[1, 0])):
            place = 3 * np.arange(strain.size).reshape(-1, points) + k
            rows.append(np.repeat(basis.element_dofs[local], points))
            columns.append(place.ravel())
            entries.append(np.broadcast_to(strain, place.shape).ravel())
    place = (np.concatenate(rows), np.concatenate(columns))
    return sparse.csr_array((np.concatenate(entries), place), shape=(basis.N, 3 * basis.dx.size))
