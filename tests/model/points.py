"""Points of solids as blocks of springs, for the tests of their laws: elasticity, small models, the local map, and what
it must satisfy, written with tensors."""

import numpy as np

import hamex as hx
from hamex.march.run import entered
from hamex.model.laws.cones import at
from hamex.schemes.springs import prepared_springs, spring_blocks, states

PLACES = {6: [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)], 4: [(0, 0), (1, 1), (2, 2), (0, 1)]}
PLACES[3] = [(0, 0), (1, 1), (0, 1)]


def elasticity(m, young=200.0, poisson=0.3):
    """(m, m), stresses per strain; m = 3 is plane stress, m = 4 plane strain with its zz stress."""
    six = np.diag(np.r_[np.full(3, (1 + poisson) / young), np.full(3, 2 * (1 + poisson) / young)])
    six[:3, :3] -= poisson / young
    if m == 3:
        return np.linalg.inv(six[np.ix_([0, 1, 3], [0, 1, 3])])
    return np.linalg.inv(six)[:m, :m]


def points(law, m, volumes, B=None, mass=None, moduli=None, **parameters):
    """A model of points of these volumes; B is the identity by default: strains are dofs."""
    group = hx.laws.Group.of(law, m * np.arange(len(volumes)), components=m, volume=volumes, **parameters)
    A = np.kron(np.diag(1 / np.asarray(volumes)), np.linalg.inv(elasticity(m, **(moduli or {}))))
    B = np.eye(len(A)) if B is None else B
    return hx.structure(np.ones(len(B)) if mass is None else mass, 0, A, B, group)


def small_body(law, m, count=3, dofs=7, seed=1, **parameters):
    """Points that share dofs at random."""
    rng = np.random.default_rng(seed)
    return points(law, m, rng.uniform(0.5, 2.0, count), rng.normal(size=(dofs, m * count)), **parameters)


class LocalMap:
    """All points of a model after the time τ, as a march asks them."""

    def __init__(self, model, tau, compile=False):
        self.model, self.tau = model, tau
        (self.group,) = model.laws.values()
        self.blocks, self.states = spring_blocks(model), states(model)
        self.springs = prepared_springs(model, self.blocks, tau, "end", "test", compile=False)
        self.compile = compile

    def __call__(self, e, **state):
        """Forces (block, m), tangents (block, m, m), increments of slip (block, m) and of w (block,), branches."""
        if "slip" in state:
            state["back_force"] = self.group.law.back_force(self.group, state["slip"])
        n, m, z, dz = len(e), self.group.components, self.states.packed(state), np.zeros(self.states.size)
        F, T, branch = np.zeros(n), np.zeros(self.blocks.entries), np.zeros(n, dtype=np.int64)
        s, room = self.springs, np.full(96, np.nan)
        given = s.I, 0, s.P, 0, e, np.zeros(n), 1.0, float(self.tau), z, 0, F, T, dz, branch, room
        entered(at, *given, compile=self.compile)(*given)
        slip, w = (self.states.unpacked(dz, name).reshape(-1, m) for name in ("slip", "accumulated_slip"))
        assert not w[:, 1:].any()
        T = T[self.blocks.place[:, None] + np.arange(m * m)].reshape(-1, m, m)
        return F.reshape(-1, m), T, slip, w[:, 0], branch[::m]


def tensor(values, strain):
    """(…, 3, 3) from (…, m) stresses or strains; plastic strains of plane stress keep the volume."""
    m = values.shape[-1]
    out = np.zeros((*values.shape[:-1], 3, 3))
    for a, (i, j) in enumerate(PLACES[m]):
        out[..., i, j] = out[..., j, i] = values[..., a] * (0.5 if strain and i != j else 1.0)
    if m == 3 and strain:
        out[..., 2, 2] = -values[..., 0] - values[..., 1]
    return out


def deviator(t):
    return t - np.trace(t, axis1=-2, axis2=-1)[..., None, None] / 3 * np.eye(3)


def norm(t):
    """√(3/2 t:t)."""
    return np.sqrt(1.5 * (t**2).sum(axis=(-2, -1)))


def local_residual(local, e, slip, w, limit, slope, viscosity, kinematic, isotropic):
    """Largest residual of A F + τ g(F) ∋ e relative to the trial, by tensors and from F alone; and the branches."""
    m, v = local.group.components, local.group.volume
    F, _, ds, dw, branch = local(e, slip=slip, accumulated_slip=np.outer(w, np.arange(m) == 0).ravel())
    elastic = (e - slip).reshape(-1, m)
    A = np.linalg.inv(elasticity(m))
    size = np.abs(elastic).max(axis=1, keepdims=True)
    balance = np.abs(F @ A / v[:, None] + ds - elastic) / size
    stress, flown = tensor(F / v[:, None], False), tensor(ds, True)
    back = 2 / 3 * kinematic[:, None, None] * deviator(tensor(slip.reshape(-1, m) + ds, True))
    xi, pressed = deviator(stress) - back, np.trace(stress, axis1=1, axis2=2) / 3
    trial = np.abs(elastic @ elasticity(m)).max(axis=1) + limit + isotropic * np.abs(w)
    q = norm(xi)
    excess = q + slope * pressed - limit - isotropic * (w + dw)
    flow = np.abs(viscosity / local.tau * dw - np.maximum(excess, 0.0)) / trial
    smooth, tip = branch == 1, branch == 2
    normal = 1.5 * xi + (slope * q)[:, None, None] / 3 * np.eye(3)  # times q, which vanishes at the tip
    wrong = np.abs(q[:, None, None] * flown - dw[:, None, None] * normal).max(axis=(1, 2)) / (trial * size[:, 0])
    assert np.all(dw >= 0)
    assert np.all(dw[~smooth & ~tip] == 0)
    assert np.all(ds[~smooth & ~tip] == 0)
    # On the axis: no deviator, the volume that goes with w, and no more of the deviator than w.
    straight = np.abs(np.trace(flown, axis1=1, axis2=2) - slope * dw) / size[:, 0]
    within = np.sqrt(2 / 3 * (deviator(flown) ** 2).sum(axis=(1, 2))) <= dw + 1e-13 * size[:, 0]
    assert np.all(within[tip])
    worst = [balance.max(), flow.max(), wrong[smooth].max(initial=0.0)]
    return max(*worst, (q / trial)[tip].max(initial=0.0), straight[tip].max(initial=0.0)), branch


def check_tangent(local, e, slip, w, softest):
    """Symmetric, the derivative, and not softer than the softest."""
    m = local.group.components
    state = {"slip": slip, "accumulated_slip": np.outer(w, np.arange(m) == 0).ravel()}
    T, step = local(e, **state)[1], 1e-7 * np.abs(e).max()
    assert np.allclose(T, T.transpose(0, 2, 1), rtol=0, atol=1e-14 * np.abs(T).max())
    for j in range(m):
        move = np.tile(step * np.eye(m)[j], len(T))
        slope = (local(e + move, **state)[0] - local(e - move, **state)[0]) / (2 * step)
        assert np.allclose(slope, T[:, :, j], atol=2e-6 * np.abs(T).max())
    assert np.linalg.eigvalsh(T - softest).min() > -1e-12 * np.abs(T).max()
    assert np.linalg.eigvalsh(softest).min() > -1e-12 * np.abs(T).max()


def distance(model, one, other):
    """Of two solutions under one load, at the nodes: ½|dv|²_M + ½|de|²_k + what hardening would hold of the rest."""
    (group,) = model.laws.values()
    du, dp, ds = (one.values(name) - other.values(name) for name in ("displacement", "momentum", "slip"))
    de = model.deformation(du) - ds
    whole = 0.5 * (model.velocity(dp) * dp).sum(axis=1) + 0.5 * (model.elastic_force(de) * de).sum(axis=1)
    whole += 0.5 * (group.law.back_force(group, ds) * ds).sum(axis=1)
    if "accumulated_slip" in one.histories:
        dw = one.values("accumulated_slip") - other.values("accumulated_slip")
        whole += 0.5 * (dw**2 @ group.law.per_spring(group, "isotropic"))
    return whole
