"""Random problems for elements of several stages, at steps with one solution, and an independent check of steps."""

import numpy as np
from random_structures import random_structure

import hamex as hx
from hamex.model.record import dense
from hamex.schemes.springs import states
from hamex.schemes.stages import StageTable

# Positive diagonals D of mathematics.md §9, by family and number of stages.
WEIGHTS = {
    ("G", 1): (1,),
    ("G", 2): (1, 0.0718),
    ("G", 3): (1, 0.1765, 0.01217),
    ("G", 4): (1, 0.2814, 0.0466, 0.00373),
    ("D", 1): (1,),
    ("D", 2): (1, 1 / 9),
    ("D", 3): (1, 0.2908, 0.0380),
}
SCHEMES = [("G", 2), ("G", 3), ("G", 4), ("D", 1), ("D", 2), ("D", 3)]


def table_of(family, stages) -> StageTable:
    """The element of a family by its number of stages."""
    scheme = hx.Galerkin(1.0, degree=stages) if family == "G" else hx.DiscontinuousGalerkin(1.0, degree=stages - 1)
    return scheme.table()


def soft_stiffness(model):
    """K and the springs where everything slips slowly: kinematic hardening alone is left."""
    k = np.linalg.inv(dense(model.flexibility))
    hard = np.zeros(len(model.springs))
    firm = np.zeros(len(model.springs), dtype=bool)
    law = model.laws["slider"]
    hard[law.springs], firm[law.springs] = law.kinematic, np.isinf(law.yield_force)
    group = model.laws.get("surface")
    if group is not None:
        for i, (first, m) in enumerate(zip(group.first, group.size, strict=True)):
            hard[first : first + m] = group.kinematic[i, :m]
            loose = (group.weight[group.begin[i] : group.begin[i + 1], :m] > 0).any(axis=0)
            firm[first : first + m] = ~loose
    soft = np.zeros_like(k)
    held = firm | (hard > 0)
    if held.any():
        a = dense(model.flexibility)[np.ix_(held, held)].copy()
        a += np.diag(np.where(firm[held], 0.0, 1 / np.where(hard[held] > 0, hard[held], 1.0)))
        soft[np.ix_(held, held)] = np.linalg.inv(a)
    B = dense(model.compatibility)
    return dense(model.stiffness) + B @ soft @ B.T


def has_one_solution(model, family, stages, h):
    """The condition of §9: sym(DA⁻¹)⊗M/h + D⊗C + h sym(DA)⊗K_soft is positive definite."""
    table, D = table_of(family, stages), np.diag(WEIGHTS[family, stages]).astype(float)
    inner, outer = D @ np.linalg.inv(table.A), D @ table.A
    M, C = dense(model.mass), model.damping.dense()
    form = (
        np.kron(inner + inner.T, M) / (2 * h) + np.kron(D, C) + h / 2 * np.kron(outer + outer.T, soft_stiffness(model))
    )
    scale = np.sqrt(np.diag(form).clip(1e-300))
    return bool(np.linalg.eigvalsh(form / scale / scale[:, None]).min() > 1e-9)


def random_frame(rng):
    """A shear frame with P-Delta, hardening, dampers or modal damping, and the step that a period suggests."""
    n = int(rng.integers(1, 7))
    k = 10.0 ** rng.uniform(1.5, 2.5, n)
    laws = [
        hx.Slider(
            float(10.0 ** rng.uniform(-1, 1)),
            viscosity=float(rng.choice([0.0, 1e-3, 0.5])),
            kinematic=float(rng.choice([0.0, 0.05, 0.3]) * k[i]),
            isotropic=float(rng.choice([0.0, 0.0, 0.05]) * k[i]),
        )
        for i in range(n)
    ]
    links = (
        [hx.power_damper(0, n, float(10.0 ** rng.uniform(-1, 1)), float(rng.choice([0.3, 0.5, 1.0, 1.7])), 500.0)]
        if rng.random() < 0.3
        else []
    )
    damping = hx.modal(float(rng.uniform(0.01, 0.1))) if rng.random() < 0.3 else [float(rng.choice([0.0, 0.5]))] * n
    weights = [float(w) for w in rng.uniform(0, 20, n)] if rng.random() < 0.6 else None
    model = hx.shear_frame(
        [1.0] * n,
        k.tolist(),
        laws=laws,
        damping=damping,
        links=links,
        heights=[3.0] * n,
        **({} if weights is None else {"weights": weights}),
    )
    return model, float(10.0 ** rng.uniform(-1.5, 0.3)), 5.0


def random_problem(rng):
    """Model, family, stages, step and load amplitude; a step without one solution is halved until it has one."""
    if rng.random() < 0.5:
        model, h, force = random_frame(rng)
    else:
        model, h, force = random_structure(rng)
        if "surface" in model.laws:
            model.laws["surface"].isotropic[:] = 0.0  # a surface has no apex yet where a stage starts below no slip
    family, stages = SCHEMES[int(rng.integers(len(SCHEMES)))]
    for _ in range(12):
        if has_one_solution(model, family, stages, h):
            return model, family, stages, h, force
        h *= 0.5
    return None


def violation(model, table, h, pushed, done):
    """Largest violation of the equations of motion and of the laws at the stages, relative to their terms."""
    M, C, K, B = dense(model.mass), model.damping.dense(), dense(model.stiffness), dense(model.compatibility)
    k, W = np.linalg.inv(dense(model.flexibility)), np.linalg.inv(table.A)
    u0, p0, z0, slip = done.u[:-1, None], done.p[:-1, None], done.z[:-1, None], states(model).slip
    v = np.einsum("ij,rjn->rin", W, done.stage) / h
    momentum = np.einsum("ij,rjn->rin", W, v @ M - p0) / h
    terms = [momentum, v @ C, (u0 + done.stage) @ K, done.force @ B.T, -pushed]
    size = (
        sum(np.abs(x) for x in terms)
        + np.abs(u0) @ np.abs(K)
        + np.einsum("ij,rjn->rin", np.abs(W @ W), np.abs(done.stage)) @ np.abs(M) / h**2
    )
    size = size + (np.abs(u0) @ np.abs(B) + np.abs(z0[..., slip])) @ np.abs(k) @ np.abs(B).T
    worst = np.abs(sum(terms)).max() / max(size.max(), 1e-300)
    z = z0 + h * np.einsum("ij,rjn->rin", table.A, done.rate)
    e = (u0 + done.stage) @ B
    deformed = np.abs(e).max() + np.abs(z0[..., slip]).max() + 1e-300
    elastic = done.force @ dense(model.flexibility)
    worst = max(worst, np.abs(e - z[..., slip] - elastic).max() / deformed)
    return max(worst, _sliders(model, done, z, k, deformed), _powers(model, done, k, deformed, h))


def _sliders(model, done, z, k, deformed):
    law = model.laws["slider"]
    j = law.springs[np.isfinite(law.yield_force)]
    if not j.size:
        return 0.0
    own = np.isfinite(law.yield_force)
    over = done.force[..., j] - states(model).unpacked(z, "back_force")[..., j]
    limit = law.yield_force[own] + law.isotropic[own] * states(model).unpacked(z, "accumulated_slip")[..., j]
    g = done.rate[..., states(model).slip[j]]
    size = np.abs(done.force).max() + np.diag(k)[j] * deformed
    slips = g != 0
    wrong = np.where(slips, np.abs(over - np.sign(g) * limit - law.viscosity[own] * g), np.abs(over) - limit)
    return float((wrong / size).max())


def _powers(model, done, k, deformed, h):
    law = model.laws.get("power")
    if law is None:
        return 0.0
    j = law.springs
    F, g = done.force[..., j], done.rate[..., states(model).slip[j]]
    flow = np.sign(F) * (np.abs(F) / law.coefficient) ** (1 / law.exponent)
    slope = np.abs(flow) / law.exponent / np.maximum(np.abs(F), 1e-300)
    # Travel is a difference of deformations, force is right to their last digits.
    return float((np.abs(g - flow) / (np.abs(flow) + slope * np.diag(k)[j] * deformed + deformed / h)).max())
