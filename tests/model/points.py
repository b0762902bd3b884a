"""Points of solids as blocks of springs, for the tests of their laws: elasticity, the local map, small models."""

import numpy as np

import hamex as hx
from hamex.march.run import address, numbered
from hamex.march.springs import evaluate
from hamex.schemes.springs import prepared_springs, spring_blocks, states

NORMALS = {6: 3, 4: 3, 3: 2}


def elasticity(m, young=200.0, poisson=0.3):
    """(m, m), stresses per strain; m = 3 is plane stress, m = 4 plane strain with its zz stress."""
    six = np.zeros((6, 6))
    six[:3, :3] = -poisson / young
    six[np.arange(6), np.arange(6)] = np.r_[np.full(3, 1 / young), np.full(3, 2 * (1 + poisson) / young)]
    if m == 3:
        return np.linalg.inv(six[np.ix_([0, 1, 3], [0, 1, 3])])
    return np.linalg.inv(six)[:m, :m]


def blocks_of(m, volumes, **moduli):
    """Flexibility of points of these volumes, block diagonal."""
    return np.kron(np.diag(1 / np.asarray(volumes)), np.linalg.inv(elasticity(m, **moduli)))


def model_of(law, m, volumes, B=None, mass=None, stiffness=None, moduli=None, **parameters):
    """A model of points; B is the identity by default: strains are dofs."""
    count = len(volumes)
    group = hx.laws.Group.of(law, m * np.arange(count), components=m, volume=volumes, **parameters)
    B = np.eye(m * count) if B is None else B
    mass = np.ones(len(B)) if mass is None else mass
    return hx.structure(mass, 0, blocks_of(m, volumes, **(moduli or {})), B, group, stiffness=stiffness)


class Asked:
    """The local map of all points of a model after the time τ, as the march asks it."""

    def __init__(self, model, tau, compile=False):
        self.model, self.tau = model, tau
        self.blocks, self.states = spring_blocks(model), states(model)
        self.springs = prepared_springs(model, self.blocks, tau, "end", "test", compile)
        self.loop = _called if compile else evaluate

    def __call__(self, e, z=None):
        """Forces (spring,), tangents (block, m, m), increments of the state by name, branches of the blocks."""
        n, size = len(e), self.states.size
        z = np.zeros(size) if z is None else z
        F, T, dz, branch = np.zeros(n), np.zeros(self.blocks.entries), np.zeros(size), np.zeros(n, dtype=np.int64)
        work = np.full((16, 6), np.nan)
        self.loop(self.springs, e, np.zeros(n), 1.0, self.tau, z, False, F, T, dz, branch, work)
        (group,) = self.model.laws.values()
        tangents = T[self.blocks.place[:, None] + np.arange(group.components**2)]
        found = {name: self.states.unpacked(dz, name) for name in self.states.variables}
        shape = (len(group.first), group.components, group.components)
        return F, tangents.reshape(shape), found, branch[group.first]

    def packed(self, **values):
        return self.states.packed(values)


def _called(*arguments):
    from hamex.march.run import compiled

    springs, *rest = arguments
    kernel = compiled(evaluate)
    return kernel(_held(springs), *rest)


def _held(value):
    from hamex.march.run import held

    return held(value)


__all__ = ["NORMALS", "Asked", "address", "blocks_of", "elasticity", "model_of", "numbered"]
