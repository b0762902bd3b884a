"""Local maps: the springs' forces obey their laws, and the tangents are their derivatives."""

import math

import numpy as np
import pytest
from asked_springs import ask
from scipy.optimize import minimize

import hamex as hx
from hamex.model.laws import ellipsoids, power
from hamex.schemes.springs import prepared_springs, spring_blocks, states


class Springs:
    """The springs of one block (or several) on dofs of their own, evaluated by themselves."""

    def __init__(self, flexibility, own_laws, tau):
        self.A = np.atleast_2d(flexibility)
        self.size = len(self.A)
        self.model = hx.structure(np.ones(self.size), 0, self.A, np.eye(self.size), own_laws)
        self.tau = tau
        self.blocks = spring_blocks(self.model)
        self.states = states(self.model)

    def __call__(self, e, X=None, w=None, compile=False):
        """Force, tangent, slip, growth of w and branch at the deformation e."""
        F, dz = np.full(self.size, np.nan), np.full(self.states.size, np.nan)
        T, branch = np.zeros(self.blocks.entries), np.zeros(self.size, dtype=np.int64)
        z = self.states.packed(
            {name: value for name, value in (("back_force", X), ("accumulated_slip", w)) if value is not None}
        )
        groups = prepared_springs(self.model, self.blocks, self.tau, "end", "test", compile)
        ask(groups, e, np.zeros(self.size), 1.0, self.tau, z, F, T, dz, branch, compile)
        slip = self.states.unpacked(dz, "slip")
        grown = self.states.unpacked(dz, "accumulated_slip") if "accumulated_slip" in self.states.variables else slip
        full = np.diag(T[: self.size])
        for first, m, place in zip(self.blocks.first, self.blocks.size, self.blocks.place, strict=True):
            full[first : first + m, first : first + m] = T[place : place + m * m].reshape(m, m)
        return F, full, slip, grown, branch


def flexibility(rng, size):
    """Coupled about as much as the end rotations of a beam, with units of its own for every component."""
    root = np.eye(size) + 0.3 * rng.normal(size=(size, size)) / math.sqrt(size)
    unit = 10.0 ** rng.uniform(-1, 1, size)
    return unit[:, None] * (root @ root.T) * unit * 10.0 ** rng.uniform(-3, 0)


def parts(rng, size, count):
    """Components of one or two surfaces: all, apart, or with one shared."""
    if count == 1:
        return [tuple(range(size))]
    cut = int(rng.integers(1, size))
    shared = rng.random() < 0.5 and size > 2
    return (
        [tuple(range(cut)), tuple(range(cut, size))]
        if not shared
        else [(0, *range(1, max(cut, 2))), (0, *range(max(cut, 2), size))]
    )


def random_block(rng):
    """A block of up to six springs with one or two surfaces, a time τ, and a state."""
    count = int(rng.integers(1, 3))
    size = int(rng.integers(count, ellipsoids.WIDEST + 1))
    A = flexibility(rng, size)
    k = 1 / np.diag(A).mean()
    eta, hard, iso = (k * rng.choice([0.0, 1.0]) * 10.0 ** rng.uniform(-4, 0) for _ in range(3))
    own = {}
    for components in parts(rng, size, count):
        radii = 10.0 ** rng.uniform(-0.5, 0.5, len(components))
        center = tuple(rng.choice([0.0, 0.4]) * rng.uniform(-1, 1) * radii / math.sqrt(len(components)))
        own[components] = hx.Surface(tuple(radii), center, viscosity=eta, kinematic=hard, isotropic=iso)
    block = Springs(A, own, tau=10.0 ** rng.uniform(-3, 1))
    X = 0.3 * rng.normal(size=size) if hard else np.zeros(size)
    w = np.abs(rng.normal(size=size)) if iso else np.zeros(size)
    e = A @ (rng.normal(size=size) * 10.0 ** rng.uniform(-0.5, 1.0))
    return block, own, e, X, w


def flow_error(block, own, e, X, w):
    """How far force, slip and growth are from ``A F + slip = e`` and the flow of Surface, relative to what enters."""
    F, _, slip, grown, branch = block(e, X, w)
    A, tau = block.A, block.tau
    size = np.abs(A) @ np.abs(F) + np.abs(slip) + np.abs(e)
    worst = np.max(np.abs(A @ F + slip - e) / size)
    group = block.model.laws["surface"]
    forces = np.abs(np.linalg.inv(A)) @ (np.abs(e) + np.abs(slip)) + np.abs(X)  # they cancel in F − X
    flow = np.zeros_like(e)
    for (components, law), primary in zip(own.items(), group.primary, strict=True):
        on = list(components)
        xi = F[on] - X[on] - np.array(law.kinematic) * slip[on] - law.center
        radii = np.array(law.yield_forces)
        n, r, grew = np.linalg.norm(xi / radii), law.reference, grown[primary]
        over = r * (n - 1) - law.isotropic * (w[primary] + grew) - law.viscosity * grew / tau
        terms = r * np.max(forces[on] / radii) + r + law.isotropic * (w[primary] + grew) + law.viscosity * grew / tau
        assert branch[primary] == (grew > 0)
        assert grew >= 0
        worst = max(worst, abs(over) / terms if grew > 0 else over / terms)
        flow[on] += grew * r / n * xi / radii**2
    return max(worst, np.abs(slip - flow).max() / size.max()), int((branch != 0).sum())


@pytest.mark.parametrize("cases", [120, pytest.param(400, marks=pytest.mark.heavy)])
def test_blocks_obey_the_flow_of_their_surfaces(cases):
    """The equations are the optimality conditions of a strictly convex problem: what satisfies them is the answer."""
    worst, active = 0.0, [0, 0, 0]
    for seed in range(cases):
        error, yielding = flow_error(*random_block(np.random.default_rng([1, seed])))
        worst = max(worst, error)
        active[yielding] += 1
    assert worst <= 1e-12
    assert min(active) > 60 / 400 * cases, "elastic, one surface and both must occur"


@pytest.mark.parametrize("cases", [16, pytest.param(120, marks=pytest.mark.heavy)])
def test_tangents_are_derivatives_symmetric_and_between_zero_and_elastic(cases):
    compared = 0
    for seed in range(cases):
        block, _, e, X, w = random_block(np.random.default_rng([2, seed]))
        _, T, _, _, branch = block(e, X, w)
        k = np.linalg.inv(block.A)
        assert np.abs(T - T.T).max() <= 1e-12 * np.abs(k).max()
        scale = np.linalg.eigvalsh(k)[-1]
        assert np.linalg.eigvalsh(T)[0] >= -1e-11 * scale
        assert np.linalg.eigvalsh(k - T)[0] >= -1e-11 * scale
        d = 1e-6 * max(np.abs(e).max(), 1e-3 * np.sqrt(np.diag(block.A)).max())
        sides = [[block(e + sign * d * row, X, w) for sign in (1, -1)] for row in np.eye(len(e))]
        if all(np.array_equal(side[4], branch) for pair in sides for side in pair):
            differences = np.array([(up[0] - down[0]) / (2 * d) for up, down in sides])
            assert np.abs(differences - T).max() <= 1e-6 * scale
            compared += 1
    assert compared > 100 / 120 * cases


def test_two_surfaces_against_a_general_optimiser():
    """External: SLSQP on ``min ½(F − k e)ᵀA(F − k e)`` inside both surfaces, which is the law at viscosity 0."""
    both = 0
    for seed in range(25):
        rng = np.random.default_rng([3, seed])
        A = flexibility(rng, 3)
        own = {(0, end): hx.Surface(tuple(rng.uniform(0.5, 2, 2)), (0.3 * rng.uniform(-1, 1), 0.0)) for end in (1, 2)}
        block = Springs(A, own, tau=0.01)
        trial = 3 * rng.normal(size=3)
        F, _, slip, _, branch = block(A @ trial)
        inside = [
            {
                "type": "ineq",
                "fun": lambda f, on=list(on), law=law: 1 - np.sum(((f[on] - law.center) / law.yield_forces) ** 2),
            }
            for on, law in own.items()
        ]
        best = minimize(
            lambda f, A=A, trial=trial: 0.5 * (f - trial) @ A @ (f - trial) / np.trace(A),
            np.zeros(3),
            constraints=inside,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert np.abs(F - best.x).max() <= 2e-5
        assert np.allclose(A @ F + slip, A @ trial, rtol=1e-12, atol=1e-14)
        both += int(branch.sum() == 2)
    assert both > 3


@pytest.mark.parametrize(
    "law", [(1.3, 0.0, 0.0, 0.0), (1.3, 0.4, 0.0, 0.0), (1.3, 0.4, 20.0, 9.0), (1.3, 0.0, 20.0, 0.0)], ids=str
)
def test_one_component_is_a_slider(law):
    fy, eta, hk, hi = law
    rng = np.random.default_rng(4)
    # A coupling that does not matter makes one block of two springs.
    A = np.array([[0.01, 1e-300], [1e-300, 0.02]])
    surfaces = Springs(A, {(0,): hx.Surface((fy,), (), eta, hk, hi), (1,): hx.Surface((fy,), (), eta, hk, hi)}, 0.01)
    sliders = Springs(np.diag([0.01, 0.02]), hx.Slider(*law), 0.01)
    slipped = 0
    for _ in range(100):
        e, X, w = 0.05 * rng.normal(size=2), (hk > 0) * rng.normal(size=2), (hi > 0) * 0.1 * rng.random(2)
        one, other = surfaces(e, X, w), sliders(e, X, w)
        for a, b, size in zip(one[:4], other[:4], (5.0, 100.0, 0.05, 0.05), strict=True):
            assert np.abs(a - b).max() <= 1e-13 * size
        assert np.array_equal(one[4], np.abs(other[4]))
        slipped += np.count_nonzero(one[4])
    assert 40 < slipped < 180


@pytest.mark.parametrize("cases", [100, pytest.param(300, marks=pytest.mark.heavy)])
def test_a_slider_slips_by_its_law(cases):
    """A F + slip = e, and beyond the limit excess = η slip/τ, on both signs, with hardening of both kinds."""
    rng, tau, visited = np.random.default_rng(5), 0.02, set()
    for _ in range(cases):
        fy, eta, hk, hi = (float(x) for x in rng.choice([0.0, 1.0], 4) * 10.0 ** rng.uniform(-2, 1, 4))
        fy = max(fy, 0.1)
        k, e = 10.0 ** rng.uniform(0, 3), rng.normal()
        X, w = np.array([hk * rng.normal()]), np.array([rng.random()])
        F, T, slip, grown, branch = Springs([[1 / k]], hx.Slider(fy, eta, hk, hi), tau)([e], X, w)
        q = int(branch[0])
        visited.add(q)
        assert F[0] / k + slip[0] == pytest.approx(e, rel=1e-12)
        back, limit = X[0] + hk * slip[0], fy + hi * (w[0] + abs(slip[0]))
        terms = k * abs(e) + abs(back) + limit
        assert grown[0] == abs(slip[0])
        assert (q * slip[0] > 0) or (q == 0 and slip[0] == 0)
        if q == 0:
            assert abs(F[0] - back) <= limit
            assert T[0, 0] == pytest.approx(k, rel=1e-15)
        else:
            assert q * (F[0] - back) - limit == pytest.approx(eta * abs(slip[0]) / tau, abs=1e-12 * terms)
            held = eta / tau + hk + hi
            assert T[0, 0] == pytest.approx(k * held / (k + held), rel=1e-12, abs=1e-13 * k)
    assert visited == {-1, 0, 1}


# --- power laws ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.1, 0.15, 0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 3.0])
def test_power_laws_for_tiny_and_huge_deformations(alpha):
    for e in 10.0 ** np.arange(-14.0, 9.0):
        for k, c, tau in ((1.0, 1.0, 1.0), (1e6, 50.0, 0.005), (1e-3, 1e4, 2.0), (1e10, 1e-2, 1e-4)):
            F = power.power_force(e, 1 / k, tau, c, alpha)
            stretch, travel = F / k, tau * (F / c) ** (1 / alpha)
            # F carries half an ulp, which 1/α multiplies in the travel; 1/α itself is rounded, too.
            assert abs(stretch + travel - e) <= 4e-16 * (2 + (1 + abs(math.log(F / c)) / 4) / alpha) * e
            assert 0 < F <= k * e * (1 + 1e-15)
            slope = power.power_tangent(F, 1 / k, tau, c, alpha)
            assert 0 <= slope <= k
            d = 1e-5 * e
            difference = (
                power.power_force(e + d, 1 / k, tau, c, alpha) - power.power_force(e - d, 1 / k, tau, c, alpha)
            ) / (2 * d)
            assert slope == pytest.approx(difference, rel=1e-7)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.0])
def test_power_laws_are_odd_and_pass_through_zero(alpha):
    springs = Springs([[1e-3]], hx.PowerLaw(5.0, alpha), 0.01)
    for e in (0.0, 1e-9, 0.3, 40.0):
        plus, minus = springs([e]), springs([-e])
        assert plus[0] == -minus[0]
        assert plus[2] == -minus[2]
        assert np.array_equal(plus[1], minus[1])
        assert np.sign(plus[0]) == np.sign(e)
    expected = {0.3: 1e3, 1.0: 1 / (1e-3 + 0.01 / 5.0), 2.0: 0.0}[alpha]  # analytic: dF/de at rest
    assert springs([0.0])[1][0, 0] == pytest.approx(expected, rel=1e-14)


def test_exponent_one_is_a_maxwell_damper():
    power = Springs([[1e-3]], hx.PowerLaw(5.0, 1.0), 0.01)
    maxwell = Springs([[1e-3]], hx.Slider(0.0, 5.0), 0.01)
    for e in (1e-8, 0.02, -3.0, 1e5):
        for a, b in zip(power([e])[:3], maxwell([e])[:3], strict=True):
            assert np.allclose(a, b, rtol=1e-13, atol=0)


# --- compiled -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cases", [12, pytest.param(30, marks=pytest.mark.heavy)])
def test_compiled_and_plain_maps_agree_in_every_bit(cases):
    for seed in range(cases):
        block, _, e, X, w = random_block(np.random.default_rng([7, seed]))
        plain, machine = block(e, X, w), block(e, X, w, compile=True)
        assert [x.tobytes() for x in plain] == [x.tobytes() for x in machine]


def test_a_block_leaves_no_trace_of_the_last_one():
    """The work space is shared: evaluating one state after another must not change its answer."""
    block, _, e, X, w = random_block(np.random.default_rng([8, 3]))
    before = block(e, X, w)
    block(-3 * e, X, w)
    assert all(np.array_equal(a, b) for a, b in zip(before, block(e, X, w), strict=True))
