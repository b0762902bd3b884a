"""Random small structures, and a step of them by trying every combination of branches: the reference of the solver.

A combination of −, elastic and + is one linear solve with full matrices; the one that agrees with itself is the step.
Written from the equations of the step, sharing nothing with the kernels.
"""

from dataclasses import dataclass, field
from itertools import product

import numpy as np
from scipy import sparse

import hamex as hx
from hamex.model.damping import Damping

COMBINATIONS = {n: np.array(list(product((-1, 0, 1), repeat=n))) for n in range(1, 6)}


@dataclass
class Small:
    """Full matrices of a structure of sliders, a step h, and a state."""

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    B: np.ndarray
    k: np.ndarray
    yield_force: np.ndarray
    viscosity: np.ndarray
    kinematic: np.ndarray
    isotropic: np.ndarray
    h: float = 0.0
    state: dict = field(default_factory=dict)  # u, p, slip, X, w, branch

    @property
    def model(self):
        """The record itself: a builder would take longer than the march."""
        dofs, springs = self.B.shape
        M, C, K, A, B = (sparse.csr_array(x) for x in (self.M, self.C, self.K, np.diag(1 / self.k), self.B))
        law = hx.laws.Group.of(
            hx.Slider,
            np.arange(springs),
            yield_force=self.yield_force,
            viscosity=self.viscosity,
            kinematic=self.kinematic,
            isotropic=self.isotropic,
        )
        return hx.Model(
            M,
            Damping.full(C),
            K,
            A,
            B,
            {"slider": law},
            np.ones((dofs, 1)),
            np.zeros((0, springs)),
            tuple(f"dof {i}" for i in range(dofs)),
            tuple(f"spring {i}" for i in range(springs)),
        )

    @property
    def start(self):
        s = self.state
        internal = {"back_force": s["X"], "accumulated_slip": s["w"], "branch": s["branch"]}
        return hx.State(s["u"], s["p"], s["slip"], internal)

    @property
    def elastic(self):
        return self.B @ np.diag(self.k) @ self.B.T

    def softest(self, tau):
        """Matrix of the springs when everything slips."""
        held = self.viscosity + tau * (self.kinematic + self.isotropic)
        return self.B @ np.diag(self.k * held / (held + tau * self.k)) @ self.B.T

    def admissible(self):
        """Steps of the linear time element must be shorter; S(h)/h falls with h, so that there is one limit."""

        def convex(h):
            return np.linalg.eigvalsh(self.M / h**2 + self.C / (2 * h) + (self.K + self.softest(h / 2)) / 4)[0] > 0

        low, high = 1e-5, 1e5
        for _ in range(70):
            middle = np.sqrt(low * high)
            low, high = (middle, high) if convex(middle) else (low, middle)
        return low

    def apart(self, d):
        """Squared distance of two states d = (u, p, slip, X, w), in the norm in which steps contract."""
        u, p, slip, X, w = (d[name] for name in ("u", "p", "slip", "X", "w"))
        soft = np.divide(1.0, self.kinematic, out=np.zeros_like(self.k), where=self.kinematic > 0)
        e = u @ self.B - slip
        return 0.5 * (
            (p * np.linalg.solve(self.M, p.T).T).sum(-1)
            + (u @ self.K * u).sum(-1)
            + e**2 @ self.k
            + X**2 @ soft
            + w**2 @ self.isotropic
        )


def every_branch(s, S, weight, reach, tau, r, e0):
    """The step ``S x + weight B F = r`` with ``F = T e + κ(X + qY)``, ``e = e₀ + reach Bᵀx``, by enumeration.

    Returns x, F, slip within τ, the branches, how many combinations agree, and by how much the best one misses.
    """
    q = COMBINATIONS[len(s.k)]
    limit = s.yield_force + s.isotropic * s.state["w"]
    kappa = np.where(q != 0, tau * s.k / (s.viscosity + tau * (s.k + s.kinematic + s.isotropic)), 0.0)
    T = s.k * (1 - kappa)
    offset = kappa * (s.state["X"] + q * limit)
    matrices = S + weight * reach * np.einsum("ia,na,ja->nij", s.B, T, s.B)
    x = np.linalg.solve(matrices, (r - weight * (T * e0 + offset) @ s.B.T)[..., None])[..., 0]
    e = e0 + reach * x @ s.B
    over = s.k * e - s.state["X"]
    size = s.k * (np.abs(e0) + np.abs(e)) + np.abs(s.state["X"]) + limit
    misses = (np.where(q == 0, np.abs(over) - limit, limit - q * over) / size).max(axis=1)
    best = int(misses.argmin())
    F = T[best] * e[best] + offset[best]
    slip = np.where(q[best] != 0, e[best] - F / s.k, 0.0)
    return x[best], F, slip, q[best], int((misses < 0).sum()), float(misses[best])


def carried(s, x, slip):
    """Displacement, slip, X and w after the step."""
    was = s.state
    return {
        "u": was["u"] + x,
        "slip": was["slip"] + slip,
        "X": was["X"] + s.kinematic * slip,
        "w": was["w"] + np.abs(slip),
    }


def galerkin_step(s, f):
    """One step of the linear time element under the load f: the new state, and what the enumeration says."""
    h, u, p = s.h, s.state["u"], s.state["p"]
    S = s.M / h + s.C / 2 + h / 4 * s.K
    r = p + h / 2 * (f - s.K @ u)
    x, F, slip, q, agree, miss = every_branch(s, S, h / 2, 0.5, h / 2, r, s.B.T @ u - s.state["slip"])
    p = p + h * f - s.C @ x - h * s.K @ (u + x / 2) - h * s.B @ F
    return {**carried(s, x, 2 * slip), "p": p, "branch": q}, F, agree, miss


def newmark_step(s, f, v, a):
    """One step of Newmark's average acceleration, the springs at its end; v and a are those before it."""
    h, u = s.h, s.state["u"]
    S = 4 / h**2 * s.M + 2 / h * s.C + s.K
    r = f + s.M @ (4 / h * v + a) + s.C @ v - s.K @ u
    x, F, slip, q, agree, miss = every_branch(s, S, 1.0, 1.0, h, r, s.B.T @ u - s.state["slip"])
    new_v = 2 / h * x - v
    return {**carried(s, x, slip), "p": s.M @ new_v, "branch": q}, F, agree, miss, new_v


def random_small(rng, *, chain=False, negative=False):
    """Any structure of sliders, and a state in which some springs slip and some do not."""
    dofs = int(rng.integers(2, 6) if chain else rng.integers(1, 5))
    springs = dofs if chain else int(rng.integers(2 if dofs == 1 else 1, 6))  # one on one: the oscillator, elsewhere
    if chain:
        B = np.eye(dofs) - np.eye(dofs, k=1)
        M = np.diag(rng.uniform(0.2, 2, dofs))
        C = B @ np.diag(rng.choice([0.0, 1.0]) * rng.uniform(0, 3, dofs)) @ B.T
    else:
        B = rng.normal(size=(dofs, springs)) * (rng.random((dofs, springs)) < 0.7)
        B[rng.integers(dofs), np.all(B == 0, axis=0)] = 1.0
        roots = [rng.choice([0.0, share]) * rng.normal(size=(dofs, dofs)) for share in (0.5, 1.0)]
        M, C = (root @ root.T for root in roots)
        M += np.diag(rng.uniform(0.2, 2, dofs))
    k = 10.0 ** rng.uniform(0, 3, springs)
    drift = 10.0 ** rng.uniform(-1, 1, springs)
    viscosity = k * rng.choice([0.0, 1.0]) * 10.0 ** rng.uniform(-6, 0, springs)
    kinematic, isotropic = (k * rng.choice([0.0, 1.0]) * rng.choice([0.0, 0.05, 0.5], springs) for _ in range(2))
    s = Small(M, C, np.zeros_like(M), B, k, k * drift, viscosity, kinematic, isotropic)
    omega = np.sqrt(max(np.linalg.eigvals(np.linalg.solve(M, s.elastic)).real.max(), 1.0))
    s.h = float(rng.choice([0.1, 1.0, 6.0]) * rng.uniform(0.5, 1.0) / omega)
    if negative:
        s.K = -rng.uniform(0.01, 0.3) * s.elastic
        s.h = min(s.h, 0.99 * s.admissible())
    elif not chain and rng.random() < 0.3:
        root = rng.normal(size=(dofs, dofs))
        s.K = root @ root.T
    u = rng.normal(size=dofs)
    s.state = {
        "u": u,
        "p": M @ rng.normal(size=dofs) * rng.choice([0.3, 3.0]) * omega,
        "slip": B.T @ u - drift * rng.choice([0.2, 1.0]) * rng.uniform(-1, 1, springs),
        "X": kinematic * rng.normal(size=springs) * rng.choice([0.0, 1.0]),
        "w": np.abs(rng.normal(size=springs)) * rng.choice([0.0, 1.0]),
        "branch": rng.integers(-1, 2, springs).astype(float),
    }
    return s
