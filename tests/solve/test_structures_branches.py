"""Every step finds the one combination of branches that holds, from any guess, also where springs stand at yield."""

from importlib import import_module

import numpy as np
import pytest
from enumeration import Small, galerkin_step, newmark_step, random_small
from scipy.linalg import block_diag

import hamex as hx
from hamex.march import run as kernels

door = import_module("hamex.schemes.shear_frame")
AGREEMENT = 1e-11
NAMES = {"u": "displacement", "p": "momentum", "slip": "slip", "X": "back_force", "w": "accumulated_slip"}


@pytest.fixture(autouse=True)
def _compiled(monkeypatch):
    """Thousands of short runs: as plain Python they would take minutes."""
    monkeypatch.setattr(kernels, "WORTH_COMPILING", 0)


def solved(s, f, scheme=None):
    """March s under one force per step."""
    load = hx.Load(np.vstack([np.zeros(len(s.M)), f]), step=s.h)
    problem = hx.Problem(s.model, load, duration=len(f) * s.h, start=s.start)
    return hx.solve(problem, scheme or hx.Galerkin(s.h, load="end"))


def node(sol, k, w):
    """State at node k. A structure without hardening keeps no back force, and its w does not matter."""
    return {"X": 0 * w, "w": w} | {a: sol.values(b)[k] for a, b in NAMES.items() if b in sol.names}


def difference(s, found, expected, hardens):
    """Largest difference of two states, relative to the sizes of lengths, momenta and forces that enter the step."""
    length = max(np.abs(s.state[name]).max() for name in ("u", "slip")) + np.abs(expected["u"]).max()
    momentum = np.abs(s.state["p"]).max() + np.abs(expected["p"]).max()
    size = {"u": length, "slip": length, "w": length, "p": momentum, "X": (s.kinematic + s.k).max() * length}
    names = NAMES if hardens else ("u", "p", "slip")
    return max(float(np.abs(found[name] - expected[name]).max()) / size[name] for name in names)


KINDS = {
    "chain": {"chain": True},
    "chain, P-Delta": {"chain": True, "negative": True},
    "any": {},
    "any, P-Delta": {"negative": True},
}


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 750), marks=pytest.mark.heavy)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.chief("any, P-Delta-range(0, 60)", "chain-range(0, 60)")
def test_steps_equal_the_enumeration_of_all_branches(kind, seeds):
    """4 × 750 random models, three steps each, every step from the marched state before it."""
    worst, wrong, visited = 0.0, 0, set()
    for seed in seeds:
        rng = np.random.default_rng([1, seed])
        s = random_small(rng, **KINDS[kind])
        f = rng.choice([0.0, 1.0]) * rng.normal(size=(3, len(s.M))) * s.k.max()
        sol = solved(s, f)
        for k in range(3):
            expected, F, agree, miss = galerkin_step(s, f[k])
            # Exactly one combination agrees with itself, unless a spring is within round-off of its limit.
            assert agree == 1 or abs(miss) < 1e-13
            found = node(sol, k + 1, expected["w"])
            worst = max(
                worst,
                difference(s, found, expected, "back_force" in sol.names),
                np.abs(sol.values("force")[k] - F).max() / (s.k.max() * np.abs(expected["u"]).max()),
            )
            visited |= set(expected["branch"].tolist())
            elastic = elastic_predictor(s, f[k])
            wrong += not np.array_equal(elastic, expected["branch"])
            s.state = {**found, "branch": expected["branch"]}
    assert worst <= AGREEMENT
    assert visited == {-1, 0, 1}
    assert wrong > len(seeds) / 20  # not trivial: so often the elastic predictor names other branches


def elastic_predictor(s, f):
    """Branches that the step would take if no spring slipped in it."""
    h = s.h
    left = s.M / h + s.C / 2 + h / 4 * (s.K + s.elastic)
    e0 = s.B.T @ s.state["u"] - s.state["slip"]
    right = s.state["p"] + h / 2 * (f - s.K @ s.state["u"] - s.B @ (s.k * e0))
    over = s.k * (e0 + 0.5 * s.B.T @ np.linalg.solve(left, right)) - s.state["X"]
    limit = s.yield_force + s.isotropic * s.state["w"]
    return np.sign(over) * (np.abs(over) > limit)


@pytest.mark.parametrize("seeds", [range(50), pytest.param(range(50, 150), marks=pytest.mark.heavy)], ids=str)
@pytest.mark.parametrize("kind", ["chain", "any"])
def test_newmark_safeguarded_equals_its_own_enumeration(kind, seeds):
    worst = 0.0
    for seed in seeds:
        rng = np.random.default_rng([2, seed])
        s = random_small(rng, **KINDS[kind])
        f = rng.choice([0.0, 1.0]) * rng.normal(size=(3, len(s.M))) * s.k.max()
        sol = solved(s, f, hx.Newmark(s.h, safeguarded=True))
        v = np.linalg.solve(s.M, s.state["p"])
        e = s.B.T @ s.state["u"] - s.state["slip"]
        a = np.linalg.solve(s.M, -s.C @ v - s.K @ s.state["u"] - s.B @ (s.k * e))  # no load at t = 0
        for k in range(3):
            expected, _, agree, miss, v1 = newmark_step(s, f[k], v, a)
            assert agree == 1 or abs(miss) < 1e-13
            a = 4 / s.h**2 * (expected["u"] - s.state["u"]) - 4 / s.h * v - a
            v = v1
            # Velocity and acceleration are not published: the reference marches on by itself.
            found = node(sol, k + 1, expected["w"])
            worst = max(worst, difference(s, found, expected, "back_force" in sol.names))
            s.state = {**expected}
    assert worst <= AGREEMENT


# --- the chain of two masses whose elastic predictor is wrong ---------------------------------------------------


def test_two_masses_take_the_true_branches():
    """m = 1, 1; k = 100; Fy = 1; η = 0.1; h = 0.5; p = (−0.75, 1.25): predictor (+, +), truth (−, +)."""
    s = two_masses()
    sol = solved(s, np.zeros((1, 2)))
    assert elastic_predictor(s, np.zeros(2)).tolist() == [1, 1]
    assert np.sign(sol.values("slip")[1]).tolist() == [-1, 1]
    # Analytic: on (−, +) M̂ = 2 I, T = k η/(η + h k/2) = 10/25.1, F = T Bᵀx/2 + κ q with κ = 25/25.1.
    T, kappa, B = 10 / 25.1, 25 / 25.1, np.array([[1.0, -1.0], [0.0, 1.0]])
    x = np.linalg.solve(2 * np.eye(2) + T / 8 * B @ B.T, [-0.75, 1.25] - kappa / 4 * B @ [-1, 1])
    assert np.allclose(sol.values("displacement")[1], x, rtol=1e-14)
    assert np.all(np.abs(sol.values("force")[0]) > 1)
    assert sol.values("plastic")[-1] > 0


def two_masses():
    one = np.ones(2)
    s = Small(
        np.eye(2),
        np.zeros((2, 2)),
        np.zeros((2, 2)),
        np.array([[1.0, -1.0], [0.0, 1.0]]),
        100 * one,
        one,
        0.1 * one,
        0 * one,
        0 * one,
        h=0.5,
    )
    s.state = {
        "u": 0 * one,
        "p": np.array([-0.75, 1.25]),
        "slip": 0 * one,
        "X": 0 * one,
        "w": 0 * one,
        "branch": 0 * one,
    }
    return s


@pytest.mark.parametrize("guess", [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)])
@pytest.mark.parametrize("route", ["chain", "general"])
def test_the_guess_does_not_matter(monkeypatch, route, guess):
    s = two_masses()
    if route == "general":
        monkeypatch.setattr(door, "is_shear_frame", lambda model: False)
    s.state["branch"] = np.array(guess, dtype=float)
    sol = solved(s, np.zeros((1, 2)))
    assert sol.final.internal["branch"].tolist() == [-1, 1]
    assert sol.values("solves")[0] <= 5


# --- springs exactly at yield ------------------------------------------------------------------------------------


def dyadic(rng, size, low=-16, high=17, unit=0.25):
    """Numbers that sums and products of this test leave exact."""
    return unit * rng.integers(low, high, size)


def at_yield(rng, chain, h):
    """A step whose exact solution has several springs exactly at their limit: all numbers are short binary fractions.

    x and F are chosen first, |F| = Fy for some springs; e₀ and p follow from the equations of the step.
    """
    dofs = int(rng.integers(2, 6))
    springs = dofs if chain else int(rng.integers(1, 6))
    B = np.eye(dofs) - np.eye(dofs, k=1) if chain else dyadic(rng, (dofs, springs), -2, 3, 1.0)
    if not chain:
        B[rng.integers(dofs), np.all(B == 0, axis=0)] = 1.0
    M = np.diag(2.0 ** rng.integers(-1, 3, dofs))
    k = 2.0 ** rng.integers(0, 9, springs)
    hard = [k * rng.choice([0.0, 0.25], springs) for _ in range(2)]
    s = Small(
        M,
        np.zeros_like(M),
        np.zeros_like(M),
        B,
        k,
        1.0 * rng.integers(1, 9, springs),
        k * rng.choice([0.0, 0.0, 0.25], springs),
        *hard,
        h=float(h),
    )
    x, F = dyadic(rng, dofs), s.yield_force * rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], springs)
    F[0] = s.yield_force[0] * rng.choice([-1.0, 1.0])
    u = dyadic(rng, dofs)
    e0 = F / k - 0.5 * B.T @ x
    s.state = {
        "u": u,
        "p": M @ x / h + h / 2 * B @ F,
        "slip": B.T @ u - e0,
        "X": 0 * k,
        "w": 0 * k,
        "branch": rng.integers(-1, 2, springs).astype(float),
    }
    return s, x, F


def side_by_side(parts):
    """Several structures as one: their steps must be found together."""
    small, x, F = zip(*parts, strict=True)
    joined = {name: block_diag(*(getattr(s, name) for s in small)) for name in ("M", "C", "K", "B")}
    joined |= {
        name: np.concatenate([getattr(s, name) for s in small])
        for name in ("k", "yield_force", "viscosity", "kinematic", "isotropic")
    }
    state = {name: np.concatenate([s.state[name] for s in small]) for name in small[0].state}
    return Small(**joined, h=small[0].h, state=state), np.concatenate(x), np.concatenate(F)


@pytest.mark.parametrize("off", [0, -1, 1], ids=["exactly", "1 ulp below", "1 ulp above"])
@pytest.mark.parametrize("together", [0, 1, 5], ids=["chain", "general", "general, five at once"])
@pytest.mark.parametrize("share", [slice(0, None, 5), pytest.param(slice(None), marks=pytest.mark.heavy)], ids=str)
@pytest.mark.chief(
    "slice(0, None, 5)-general-exactly",
    "slice(0, None, 5)-chain-1 ulp above",
    "slice(0, None, 5)-general, five at once-1 ulp below",
)
def test_springs_at_yield_never_cycle(share, together, off):
    """3 × (500 + 250 + 250) states, several springs at their limit at once."""
    most, worst, touching, states = 0, 0.0, 0, 0
    for seed in range({0: 500, 1: 250, 5: 50}[together])[share]:
        rng = np.random.default_rng([3, seed])
        h = 2.0 ** rng.integers(-5, 2)
        s, x, F = side_by_side([at_yield(rng, together == 0, h) for _ in range(max(together, 1))])
        touching += int((np.abs(F) == s.yield_force).sum())
        states += max(together, 1)
        if off:
            s.yield_force = np.nextafter(s.yield_force, off * np.inf)
        sol = solved(s, np.zeros((2, len(x))))
        most = max(most, int(sol.values("solves").max()))
        size = np.abs(s.state["u"]).max() + np.abs(x).max() + np.abs(s.state["slip"]).max()
        worst = max(
            worst,
            np.abs(sol.values("displacement")[1] - s.state["u"] - x).max() / size,
            np.abs(sol.values("force")[0] - F).max() / np.abs(s.k * size).max(),
        )
    assert touching > 1.2 * states
    assert worst <= 1e-13
    assert most <= 8


@pytest.mark.parametrize("viscosity", [0.0, 0.5])
@pytest.mark.chief("0.5")
def test_a_circle_exactly_at_yield_does_not_cycle(viscosity):
    """F = (3, 4) on a circle of radius 5, and its reflections; x and F chosen, p computed, all exact."""
    for seed in range(60):
        rng = np.random.default_rng([6, seed])
        F = np.array([3.0, 4.0])[rng.permutation(2)] * rng.choice([-1.0, 1.0], 2)
        x, u, h = dyadic(rng, 2), dyadic(rng, 2), 2.0 ** rng.integers(-5, 2)
        k = 2.0 ** rng.integers(0, 9)
        model = hx.structure(
            [1.0, 1.0], 0, [1 / k, 1 / k], np.eye(2), {(0, 1): hx.Surface((5.0, 5.0), viscosity=viscosity)}
        )
        start = hx.State(u, x / h + h / 2 * F, u - (F / k - x / 2))
        sol = hx.solve(hx.Problem(model, hx.Load(np.zeros((1, 2)), step=h), 2 * h, start=start), hx.Galerkin(h))
        assert np.abs(sol.values("displacement")[1] - u - x).max() <= 1e-13 * (np.abs(x).max() + np.abs(u).max() + 1)
        assert np.abs(sol.values("force")[0] - F).max() <= 1e-13 * k * (np.abs(x).max() + np.abs(u).max() + 1)
        assert sol.values("solves").max() <= 12
