"""Random structures with every kind of law, for tests of what must hold whatever the model."""

import numpy as np
from scipy.linalg import block_diag

import hamex as hx

KINDS = ("elastic", "slider", "power", "circle", "beam", "interaction")


def positive(rng, size, spread=0.5):
    """A random symmetric positive definite matrix around the identity."""
    root = np.eye(size) + spread * rng.normal(size=(size, size)) / np.sqrt(size)
    return root @ root.T


def block(rng, kind, at, k):
    """Number of springs and laws of one element that starts at spring ``at``, stiffness about k."""
    fy = k * 10.0 ** rng.uniform(-2, 0)
    eta = rng.choice([0.0, 1.0]) * k * 10.0 ** rng.uniform(-5, 0)
    more = {
        "viscosity": eta,
        "kinematic": k * rng.choice([0.0, 0.05, 0.5]),
        "isotropic": k * rng.choice([0.0, 0.05, 0.5]),
    }
    if kind == "elastic":
        return 1, {}
    if kind == "slider":
        return 1, {at: hx.Slider(fy, **more)}
    if kind == "power":
        return 1, {at: hx.PowerLaw(k * 10.0 ** rng.uniform(-2, 0), rng.choice([0.15, 0.3, 0.5, 1.0, 1.7]))}
    if kind == "circle":
        size = int(rng.integers(2, 4))
        return size, {tuple(range(at, at + size)): hx.Surface((fy,) * size, **more)}
    if kind == "beam":  # a hinge at each end of one flexibility
        return 2, {(at,): hx.Surface((fy,), **more), (at + 1,): hx.Surface((1.3 * fy,), **more)}
    center = (fy * rng.uniform(-0.5, 0.5), 0.0)  # axial force shared by both hinges, off centre
    return 3, {
        (at, at + end): hx.Surface((fy * rng.uniform(1, 4), fy * rng.uniform(0.5, 1.5)), center, **more)
        for end in (1, 2)
    }


def random_structure(rng, kinds=KINDS, size=None):
    """A model, a step up to about a natural period, and forces large enough to make it yield."""
    dofs = int(rng.integers(1, 7)) if size is None else size
    flexibility, laws, at = [], {}, 0
    for _ in range(int(rng.integers(1, 6)) if size is None else size + 1):
        k = 10.0 ** rng.uniform(1, 3)
        count, own = block(rng, rng.choice(kinds), at, k)
        flexibility.append(positive(rng, count) / k)
        laws |= own
        at += count
    B = rng.normal(size=(dofs, at)) * (rng.random((dofs, at)) < 0.6)
    B[rng.integers(dofs), np.all(B == 0, axis=0)] = 1.0
    M = np.diag(rng.uniform(0.2, 2, dofs))
    A = block_diag(*flexibility)
    model = hx.structure(M, rng.choice([0.0, 0.1]) * positive(rng, dofs), A, B, laws)
    elastic = B @ np.linalg.inv(A) @ B.T
    h = float(rng.choice([0.1, 1.0, 6.0]) / np.sqrt(np.linalg.eigvals(np.linalg.solve(M, elastic)).real.max()))
    return model, h, np.abs(elastic).max() * 10.0 ** rng.uniform(-2, 0)


def blocks_of(model):
    """Springs that dissipate together: those of a surface's block, the others one by one."""
    group = model.laws.get("surface")
    together = (
        []
        if group is None
        else [list(range(first, first + size)) for first, size in zip(group.first, group.size, strict=True)]
    )
    alone = set(range(len(model.springs))) - {spring for springs in together for spring in springs}
    return [*together, *([spring] for spring in sorted(alone))]
