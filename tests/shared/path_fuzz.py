"""Random structures whose springs are followed along their path, in steps up to the longest that has one solution.

Run ``python tests/shared/path_fuzz.py --steps 1000000 --seed 1``: run number i is made from seed i alone, so that
ranges can be run apart and a failure repeated (``--only 4711``). Every law of :data:`LAWS` on one to thirty springs,
with and without P-Delta, on oscillators, shear frames (of one law, of several, with floors without mass) and general
structures. What is counted as bad: a step that is not solved, an energy balance above 1e-11 of the largest work,
numbers that are not finite, and an error that goes away when the same steps are taken in shorter parts. A structure
that has run away is no longer counted: what overflows behind that is told by itself (:class:`Parts`).
``--starts 10000`` solves steps from twenty random starts each instead, by a Newton method of its own, see
:class:`Step`. An interrupt ends all of them with what was counted until then.
"""

import argparse
import itertools
import math
import signal
import sys
import time
import warnings
from collections import defaultdict
from functools import cache

import numpy as np

import hamex as hx
from hamex.errors import ConvergenceError, HamexError, ModelError, OverflowRunError
from hamex.march import run as kernels
from hamex.march.springs import evaluate
from hamex.model.record import dense
from hamex.schemes.springs import can_break, prepared_springs, spring_blocks, states

ENERGY = 1e-11  # of the largest work
STEPS = 1000  # of a run


def between(rng, low, high):
    """A number between two, evenly by its logarithm."""
    return float(math.exp(rng.uniform(math.log(low), math.log(high))))


def backbone(rng, k, u):
    """Hardening, plastic and falling range and residual of the positive side, and of the negative one in half of the
    springs."""
    found = {}
    for sign in ("", "_negative")[: int(rng.integers(1, 3))]:
        cap = found[f"cap_ratio{sign}"] = rng.uniform(1.0, 1.5)
        found[f"plastic{sign}"] = u * max(between(rng, 0.3, 10), 1.1 * (cap - 1))  # what hardens is softer than elastic
        found[f"post_cap{sign}"] = u * between(rng, 2, 30)
        found[f"residual_ratio{sign}"] = rng.uniform(0.0, 0.5)
    return found


def imk(reloading, rule):
    def make(rng, k, u):
        modes = ("lambda_s", "lambda_c", "lambda_k", *(() if reloading == "bilinear" else ("lambda_a",)))
        wear = {mode: u * between(rng, 3, 300) for mode in modes if rng.random() < 0.7}
        pinch = {"kappa_f": rng.uniform(0.1, 0.9), "kappa_d": rng.uniform(0.1, 0.9)} if reloading == "pinching" else {}
        last = {"ultimate": u * between(rng, 10, 60)} if rng.random() < 0.15 else {}
        return hx.laws.IMK(k * u, **backbone(rng, k, u), reloading=reloading, rule=rule, **wear, **pinch, **last)

    return make


def bilinear(rng, k, u):
    last = {"ultimate": u * between(rng, 10, 60)} if rng.random() < 0.2 else {}
    return hx.laws.Bilinear(k * u, **backbone(rng, k, u), **last)


def multilinear(rng, k, u):
    def side():
        count = int(rng.integers(1, 5))
        at = u * np.cumsum(rng.uniform(0.3, 3.0, count))
        force = k * u * rng.uniform(0.3, 1.2, count)
        force[-1] = max(force[-1], force[-2] if count > 1 else force[-1])
        return [(float(a), float(b)) for a, b in zip(at, force, strict=True)]

    return hx.laws.MultilinearElastic(side(), side() if rng.random() < 0.7 else [])


def gap(rng, k, u):
    corner = float(rng.choice([math.inf, k * u]))
    hook = float(rng.choice([math.inf, u * rng.uniform(0, 2)]))
    return hx.laws.Gap(u * rng.uniform(0, 2), hook, corner, k * rng.uniform(0, 2))


def hysteretic(rng, k, u):
    def side(sign, mark):
        e = u * np.cumsum([1.0, *rng.uniform(0.5, 6.0, 2)])
        s = k * u * np.array([1.0, rng.uniform(0.8, 1.5), rng.uniform(0.2, 1.5)])
        return {f"{x}{i + 1}{mark}": sign * float(v[i]) for i in range(3) for x, v in (("s", s), ("e", e))}

    more = side(-1.0, "n") if rng.random() < 0.5 else {}
    wear = {"damage1": rng.uniform(0, 0.03), "damage2": rng.uniform(0, 0.03), "beta": rng.uniform(0, 0.5)}
    return hx.laws.Hysteretic(**side(1.0, "p"), **more, pinchX=rng.uniform(0, 1), pinchY=rng.uniform(0, 1), **wear)


def pinching4(rng, k, u):
    e = u * np.cumsum([1.0, *rng.uniform(0.5, 5.0, 3)])
    s = k * u * np.array([1.0, rng.uniform(1.0, 1.4), rng.uniform(0.7, 1.3), rng.uniform(0.1, 0.6)])
    points = {f"eP{x}{i + 1}": float(v[i]) for i in range(4) for x, v in (("f", s), ("d", e))}
    wear = {f"g{x}{i}": rng.uniform(0, 0.4) for x in "KDF" for i in (1, 2, 3, 4)}
    limits = {f"g{x}Lim": rng.uniform(0, 0.8) for x in "KDF"}
    ways = {"rDispP": rng.uniform(-0.3, 0.8), "rForceP": rng.uniform(0.05, 0.6), "uForceP": rng.uniform(-0.3, 0.3)}
    return hx.laws.Pinching4(**points, **ways, **wear, **limits, gE=between(rng, 1, 30))


def steel(rng, k, u):
    isotropic = {"a1": rng.uniform(0, 0.1), "a2": rng.uniform(1, 4), "a3": rng.uniform(0, 0.1), "a4": rng.uniform(1, 4)}
    more = isotropic if rng.random() < 0.5 else {}
    return hx.laws.MenegottoPinto(k * u, rng.uniform(0, 0.1), rng.uniform(10, 25), cR1=rng.uniform(0.8, 0.93), **more)


def bouc_wen(rng, k, u):
    n, share = rng.uniform(1, 4), rng.uniform(0.3, 0.9)
    scale = u**-n
    wear = {f"delta{x}": rng.uniform(0, 0.02) / u for x in ("A", "Nu", "Eta")} if rng.random() < 0.5 else {}
    return hx.laws.BoucWen(rng.uniform(0, 0.3), n, (1 - share) * scale, share * scale, **wear)


def slider(rng, k, u):
    viscosity = float(rng.choice([0.0, k * between(rng, 1e-4, 1e-1)]))
    return hx.Slider(k * u, viscosity, k * float(rng.choice([0.0, 0.05])), k * float(rng.choice([0.0, 0.05])))


def min_max(rng, k, u):
    part = hx.laws.Bilinear(k * u) if rng.random() < 0.5 else steel(rng, k, u)
    return hx.laws.MinMax(part, min=-u * between(rng, 5, 60), max=u * between(rng, 5, 60))


def fatigue(rng, k, u):
    return hx.laws.Fatigue(steel(rng, k, u), E0=u * between(rng, 20, 200), m=-rng.uniform(0.4, 0.6))


def parallel(rng, k, u):
    share = rng.uniform(0.2, 0.8)
    return hx.laws.ParallelLaws([bilinear_whole(rng, share * k, u), steel(rng, (1 - share) * k, u)], [share, 1 - share])


def nested(rng, k, u):
    """A bar that tires beside a wall that goes on, between limits."""
    bar = hx.laws.Fatigue(steel(rng, 0.5 * k, u), E0=u * between(rng, 20, 200))
    both = hx.laws.ParallelLaws([bar, bilinear_whole(rng, 0.5 * k, u)])
    return hx.laws.MinMax(both, min=-u * between(rng, 10, 60), max=u * between(rng, 10, 60))


def bilinear_whole(rng, k, u):
    return hx.laws.Bilinear(k * u, **backbone(rng, k, u))


@hx.laws.own(
    stiffness=100.0,
    reach=0.1,
    example={"fy": 1.0, "soft": 0.1},
    state=("plastic", "slipped"),
    softest=lambda k, fy, soft: -soft * k,
)
def wearing(e0, f0, e, state, k, fy, soft):
    """Yields at a limit that falls with all slip to a third of what it was."""
    plastic, slipped = state
    fall = soft / (1.0 + soft) * k  # of the limit with slip: the tangent is −soft·k
    limit = max(fy - fall * slipped, fy / 3.0)
    trial = k * (e - plastic)
    if abs(trial) <= limit:
        return trial, k, (plastic, slipped)
    way = 1.0 if trial > 0.0 else -1.0
    slip = (abs(trial) - limit) / (k - fall)
    if fy - fall * (slipped + slip) >= fy / 3.0:
        return trial - way * k * slip, -soft * k, (plastic + way * slip, slipped + slip)
    slip = (abs(trial) - fy / 3.0) / k
    return way * fy / 3.0, 0.0, (plastic + way * slip, slipped + slip)


def own(rng, k, u):
    return wearing(fy=k * u, soft=between(rng, 0.01, 0.3))


LAWS = {
    **{
        f"imk {reloading} {rule}": imk(reloading, rule)
        for reloading in ("bilinear", "peak", "pinching")
        for rule in ("published", "opensees")
    },
    "bilinear": bilinear,
    "multilinear": multilinear,
    "gap": gap,
    "hysteretic": hysteretic,
    "pinching4": pinching4,
    "steel": steel,
    "bouc-wen": bouc_wen,
    "slider": slider,
    "min max": min_max,
    "fatigue": fatigue,
    "parallel": parallel,
    "nested": nested,
    "own": own,
}


def weighed(make, rng):
    """A model with P-Delta, of as much weight as the elastic frame carries, or less."""
    weight = 1.0 if rng.random() < 0.5 else 0.0
    for _ in range(20):
        try:
            return make(weight)
        except ModelError:
            weight *= 0.3
    return make(0.0)


def shear_frame(rng, names, u):
    """Storeys of one law or of several, P-Delta in half of them, floors without mass in a few."""
    storeys = int(rng.integers(1, 31))
    masses = rng.uniform(0.5, 2.0, storeys)
    k = between(rng, 50, 500) * rng.uniform(0.5, 1.5, storeys)
    laws = [LAWS[names[i % len(names)]](rng, float(k[i]), u * rng.uniform(0.5, 1.5)) for i in range(storeys)]
    if storeys > 2 and rng.random() < 0.2:
        at = int(rng.integers(storeys - 1))
        masses[at] = 0.0
        laws[at] = hx.Slider(math.inf)
    damping = [0.0, hx.ratio(0.02), hx.modal(0.05, modes=1), hx.rayleigh(0.03)][rng.integers(4 if storeys > 1 else 2)]
    share = between(rng, 0.01, 0.5) * k.min() * 3.0 / storeys

    def make(weight):
        return hx.shear_frame(masses, k, damping, laws, heights=3.0, weights=weight * share if weight else None)

    return weighed(make, rng)


def oscillator(rng, names, u):
    k = between(rng, 10, 1000)
    law = LAWS[names[0]](rng, k, u)
    return hx.oscillator(between(rng, 0.1, 10), k, float(rng.choice([0.0, 0.05 * math.sqrt(k)])), law)


def structure(rng, names, u):
    """Random masses and compatibility, K negative in one direction in half of them; more springs than dofs."""
    dofs = int(rng.integers(1, 9))
    springs = int(rng.integers(dofs, 31))
    k = between(rng, 50, 500) * rng.uniform(0.3, 3.0, springs)
    B = rng.normal(size=(dofs, springs)) * (rng.random((dofs, springs)) < max(0.3, 2 / dofs))
    B[rng.integers(dofs, size=springs), np.arange(springs)] += 1.0
    laws = {i: LAWS[names[i % len(names)]](rng, float(k[i]), u * rng.uniform(0.5, 1.5)) for i in range(springs)}
    elastic = (B * k) @ B.T
    shape = rng.normal(size=(dofs, 1))
    most = 1 / float((shape.T @ np.linalg.lstsq(elastic, shape, rcond=None)[0])[0, 0])
    K = float(rng.choice([0.0, -most * between(rng, 0.01, 0.7)])) * shape @ shape.T
    mass = np.diag(rng.uniform(0.2, 2.0, dofs))
    return hx.structure(mass, float(rng.choice([0.0, 0.002])) * elastic, np.diag(1 / k), B, laws, stiffness=K)


MODELS = {"oscillator": oscillator, "shear frame": shear_frame, "structure": structure}


class Drawn:
    """Run number ``seed``: a problem below the bound, its scheme, and what it is made of."""

    def __init__(self, seed, factor=None, steps=STEPS, laws=None):
        rng = self.rng = np.random.default_rng(seed)
        self.seed, self.steps = seed, steps
        while True:
            kind = str(rng.choice(list(MODELS), p=[0.25, 0.5, 0.25]))
            known = list(laws or LAWS)
            many = 1 if kind == "oscillator" or rng.random() < 0.5 else int(rng.integers(2, 5))
            self.laws = [str(name) for name in rng.choice(known, many)]
            self.kind, self.u = kind, between(rng, 1e-3, 1e-1)
            try:
                self.model = MODELS[kind](rng, self.laws, self.u)
                limit = hx.Galerkin(0.01, law="path").longest_step(self.model)
            except ModelError:  # what builders refuse, and joints that no step holds
                continue
            break
        period = 2 * math.pi / frequency(self.model)
        share = rng.uniform(0.3, 0.99) if factor is None else factor
        longest = share * limit if factor is not None or rng.random() < 0.5 else period * between(rng, 0.01, 2.0)
        self.limit = limit
        h = min(longest, share * limit) if math.isfinite(limit) else period * between(rng, 0.01, 2.0)
        self.scheme = hx.Galerkin(h, law="path")
        strength = float(np.median(np.diag(1 / np.diag(dense(self.model.flexibility))).max(axis=1))) * self.u
        self.strength, self.period = strength, period
        self.shake()

    def shake(self):
        """Draw another load."""
        h, many, rng = self.scheme.step, len(self.model.dofs), self.rng
        force = self.strength * between(rng, 0.3, 5.0)
        noise = rng.normal(size=(self.steps + 1, many))
        wave = np.sin(np.outer(np.arange(self.steps + 1) * h, np.full(many, 2 * math.pi / self.period)))
        self.forces = force * (0.5 * noise + wave)
        self.problem = hx.Problem(self.model, hx.Load(self.forces, step=h), self.steps * h)


def frequency(model):
    """Lowest natural frequency of the model at its first stiffness [rad/s], roughly."""
    B, k = dense(model.compatibility), 1 / np.diag(dense(model.flexibility))
    K, M = (B * k) @ B.T + dense(model.stiffness), dense(model.mass)
    slow = np.linalg.eigvals(np.linalg.lstsq(K, M, rcond=None)[0]).real.max()
    return 1 / math.sqrt(slow) if slow > 0 else 1.0


def outcome(seed, laws=None, phases=1):
    """What became of run number ``seed``: laws, kind, steps taken, residual, most solves of a step, and what is bad.
    After its load the same structure is shaken anew from rest, less or more strongly, so often."""
    drawn = Drawn(seed, laws=laws)
    row = {"seed": seed, "laws": drawn.laws, "kind": drawn.kind, "springs": len(drawn.model.springs), "bad": ""}
    row |= {"softens": is_pushed_over(drawn), "steps": 0, "residual": 0.0, "solves": 0, "breaks": 0}
    row |= {"gone": 0, "behind": 0, "vanished": 0}
    row |= {"massless": bool(np.any(drawn.model.massless)), "share": drawn.scheme.step / drawn.limit}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for phase in range(phases):
            if phase:
                drawn.shake()
            parts = Parts(drawn)
            try:
                for sol, steps in parts:
                    row["steps"] += steps
                    row["residual"] = max(row["residual"], float(sol.residual))
                    if "solves" in sol.names:
                        row["solves"] = max(row["solves"], int(sol.values("solves").max()))
                    row["breaks"] += int(sol.values("events").sum()) if "events" in sol.names else 0
            except HamexError as error:
                row["bad"] = f"phase {phase}, {type(error).__name__}: {error}"[:160]
            row["gone"] += parts.gone
            row["behind"] += parts.behind
            row["vanished"] += len(parts.vanished)
            if parts.vanished:
                row["bad"] = f"phase {phase}, gone in shorter parts: {parts.vanished[0]}"[:160]
    if not row["residual"] <= ENERGY:
        row["bad"] = f"energy {row['residual']:.1e}"
    return row


def is_pushed_over(drawn):
    """Whether some stiffness is negative: what has yielded may then run away."""
    return bool(np.linalg.eigvalsh(dense(drawn.model.stiffness))[0] < 0)


class Parts:
    """A run and how many of its steps count, until it ends or the structure has run away, further than 3000 of its
    yield deformations; what lies behind that is not looked at.

    What may run away is run in parts, one from the end of the other, since what falls close to the bound grows a
    hundredfold in every step: short ones at first and far out, and shorter ones where one ends with an error.

    Attributes
    ----------
    gone : whether it ran away.
    behind : errors of parts that reach beyond the step in which it did: overflow, told and not counted as bad.
    vanished : errors of parts whose steps were all taken in shorter ones: those are failures.
    """

    def __init__(self, drawn):
        self.drawn, self.gone, self.behind, self.vanished = drawn, False, 0, []

    def __iter__(self):
        drawn, most, may_go = self.drawn, 3000 * self.drawn.u, is_pushed_over(self.drawn)
        start, first, many = drawn.problem.start, 0, 40 if may_go else drawn.steps
        failed = []  # (the step after the last of a part with an error, what it said)
        while first < drawn.steps:
            count = min(many, drawn.steps - first)
            try:
                sol = self.part(start, first, count)
            except (ConvergenceError, OverflowRunError) as error:
                if count == 1 or not may_go:
                    raise
                failed.append((first + count, f"{type(error).__name__} in steps {first + 1} to {first + count}"))
                many = max(count // 4, 1)
                continue
            far = np.abs(sol.values("displacement")).max(axis=1)
            beyond = np.flatnonzero(~(far < most))
            self.gone = len(beyond) > 0 or sol.exceeded is not None
            count = int(beyond[0]) if len(beyond) else len(far) - 1
            if count < len(far) - 1:  # energies are those of the steps that count
                sol = self.part(start, first, count)
            yield sol, count
            first += count
            self.vanished += [said for end, said in failed if end < first + (not self.gone)]
            failed = [(end, said) for end, said in failed if end >= first + (not self.gone)]
            if self.gone:
                break
            start = sol.final
            many = 2 * many if far.max() < 0.01 * most else 20
        self.behind = len(failed)

    def part(self, start, first, count):
        """So many steps behind the first ones."""
        drawn, h = self.drawn, self.drawn.scheme.step
        load = drawn.problem.load.after(first * h) if first else drawn.problem.load
        problem = drawn.problem.replace(load=load, duration=count * h, start=start)
        return hx.solve(problem, drawn.scheme, limit=hx.Limit(None, drift=3000 * drawn.u))


# One solution -------------------------------------------------------------------------------------------------


class Step:
    """One step of the linear time element, written down once more from the balance alone:

    (2M/h + C) x + h K (u₀ + x/2) + h B G(Bᵀx) = r,

    G the mean force of the springs along the path. Starts and right sides are free, so that solutions can be counted.
    The package gives the forces of the springs; how they are solved for is written here (:func:`searched`).
    """

    def __init__(self, model, h):
        blocks = spring_blocks(model)
        self.model, self.h, self.places = model, h, states(model)
        self.compiles = kernels.WORTH_COMPILING == 0  # in what counts thousands of steps
        springs = prepared_springs(model, blocks, 0.5 * h, "mean", "test", self.compiles)
        self.springs = kernels.held(springs) if self.compiles else springs
        self.M, self.K = dense(model.mass), dense(model.stiffness)
        C = dense(model.damping.matrix) + (model.damping.shapes * model.damping.weights) @ model.damping.shapes.T
        self.B = np.ascontiguousarray(dense(model.compatibility))
        self.S = 2 * self.M / h + C + 0.5 * h * self.K
        self.F, self.T = np.zeros(len(model.springs)), np.zeros(blocks.entries)
        self.dz, self.branch = np.zeros(self.places.size), np.zeros(len(model.springs), dtype=np.int64)
        self.room = np.zeros((1, 1))

    def at(self, u, z, x):
        """Left side less what u brings in, and its slope."""
        spring = (self.F, self.T, self.dz, self.branch, self.room)
        asked = kernels.compiled(evaluate) if self.compiles else evaluate
        asked(self.springs, self.B.T @ u, self.B.T @ x, 0.5, 0.5 * self.h, z, False, *spring)
        T = self.T[: len(self.F)]
        return self.S @ x + self.h * (self.B @ self.F), self.S + 0.5 * self.h * (self.B * T) @ self.B.T

    def solutions(self, u, z, r, starts):
        """Solutions that are apart by more than rounding, and how many starts ended nowhere."""
        spring = (self.F, self.T, self.dz, self.branch, self.room)
        own = (self.springs, self.S, self.B, self.h, self.B.T @ u, np.asarray(z, float), np.asarray(r, float), *spring)
        found, lost = [], 0
        for start in starts:
            x = np.array(start, float)
            if not search(self.compiles)(*own, x):
                lost += 1
            elif not any(
                np.abs(x - other).max() <= 1e-6 * max(np.abs(x).max(), np.abs(other).max()) for other in found
            ):
                found.append(x)
        return found, lost


@cache
def search(compiles):
    """:func:`searched` around the springs of the package."""
    if not compiles:
        return kernels.bound(searched, {"springs_at": evaluate})
    import numba

    given = {"springs_at": kernels.compiled(evaluate), "eliminated": numba.njit(eliminated)}
    return numba.njit(kernels.bound(searched, given))


def springs_at(*_):
    """What the springs answer, see :func:`search`."""
    raise NotImplementedError


def searched(springs, S, B, h, e, z, r, F, T, dz, branch, room, x):
    """Damped Newton steps from x, which is moved to a solution; False where they end nowhere."""
    many = len(F)
    springs_at(springs, e, B.T @ x, 0.5, 0.5 * h, z, False, F, T, dz, branch, room)
    left = S @ x + h * (B @ F) - r
    for _ in range(400):
        size = np.abs(S) @ np.abs(x) + h * (np.abs(B) @ np.abs(F)) + np.abs(r)
        most = np.abs(left).max()
        if most <= 1e-11 * size.max():
            return True
        d = -left
        if not eliminated(S + 0.5 * h * (B * T[:many]) @ B.T, d):
            return False
        before, share = np.abs(np.dot(d, left)), 1.0
        while True:
            trial = x + share * d
            springs_at(springs, e, B.T @ trial, 0.5, 0.5 * h, z, False, F, T, dz, branch, room)
            there = S @ trial + h * (B @ F) - r
            # along d the gradient of a convex potential must not have turned round, or be smaller
            if np.abs(np.dot(d, there)) <= 0.9 * before or np.abs(there).max() < most or share < 1e-6:
                break
            share *= 0.5
        x[:] = trial
        left = there
    return False


def eliminated(A, b):
    """Solve A x = b into b by Gauss' elimination; False where A has no inverse."""
    n = len(b)
    for k in range(n):
        p = k + np.argmax(np.abs(A[k:, k]))
        if not np.abs(A[p, k]) > 0.0:
            return False
        if p != k:
            for j in range(n):
                A[k, j], A[p, j] = A[p, j], A[k, j]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            if f != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
                b[i] -= f * b[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            b[k] -= A[k, j] * b[j]
        b[k] /= A[k, k]
    return True


WHOLE = [name for name in LAWS if name not in ("min max", "fatigue", "nested")]


def drawn_whole(seed, factor):
    """Run number ``seed`` of springs that do not break, whose steps are cut; without massless floors, which are pushed
    by half the imbalance at the start too."""
    while True:
        drawn = Drawn(seed, factor, steps=240, laws=WHOLE)
        known = factor is None or math.isfinite(drawn.limit)
        if known and not np.any(drawn.model.massless) and not can_break(drawn.model):
            return drawn
        seed += 1_000_003


def counted(seed, factor=None, steps=20, starts=20):
    """Steps of run number ``seed`` of the package, between a half and all of the bound, each solved anew from random
    starts: steps, those with several solutions, starts that ended nowhere, steps whose solution is not that of the
    package. With a ``factor`` the same states are gone on from in steps of so many times the bound."""
    share = float(np.random.default_rng([seed, 5]).uniform(0.5, 1.0))
    drawn = drawn_whole(seed, share)
    h, rng, seen = drawn.scheme.step, drawn.rng, drawn.scheme.sees(drawn.model)
    step = Step(seen, h if factor is None else factor * drawn.limit)
    row = {"seed": drawn.seed, "laws": drawn.laws, "kind": drawn.kind, "springs": len(seen.springs), "share": share}
    row |= {"steps": 0, "starts": 0, "several": 0, "lost": 0, "other": 0, "softens": is_pushed_over(drawn)}
    part, start = drawn.steps // steps, drawn.problem.start
    for first in range(0, part * steps, part):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            load = drawn.problem.load.after(first * h) if first else drawn.problem.load
            sol = hx.solve(drawn.problem.replace(load=load, duration=part * h, start=start), drawn.scheme)
        u = sol.values("displacement")
        if first:
            x = u[1] - u[0]
            z = step.places.packed({"slip": start.slip, **start.internal})
            f = 0.5 * (drawn.forces[first] + drawn.forces[first + 1])
            r = 2 * start.momentum + step.h * (f - step.K @ u[0])
            reach = drawn.u * np.exp(rng.uniform(-2, 4, starts))[:, None] * rng.normal(size=(starts, u.shape[1]))
            found, lost = step.solutions(u[0], z, r, [np.zeros(len(x)), *reach[1:]])
            row["steps"], row["starts"], row["lost"] = row["steps"] + 1, row["starts"] + starts, row["lost"] + lost
            row["several"] += len(found) > 1
            if factor is None and found:
                row["other"] += not np.abs(found[0] - x).max() <= 1e-6 * np.abs(x).max()
        if not np.abs(u).max() < 1000 * drawn.u:
            break
        start = sol.final
    return row


def count(first, steps, factor, tell, seconds=math.inf):
    """Rows of :func:`counted` until so many steps were solved from all starts, or the time is up."""
    rows = []

    def more():
        rows.append(counted(first + len(rows), factor, steps=120))  # many of a run: its kernels cost more than they do
        if factor is None and is_other(rows[-1]):
            tell(f"  {rows[-1]}")
        return rows[-1]["steps"]

    repeated(more, steps, seconds, lambda taken: f"{taken} steps, {len(rows)} runs", tell)
    return rows


def is_other(row):
    """Whether a row of :func:`counted` is not as promised."""
    return any(row[name] for name in ("several", "lost", "other"))


STOPPED = []  # signals that came; one that arrives where Python may not raise is found between two runs


def stop(number, frame):
    """End the runs, with a summary."""
    STOPPED.append(number)
    raise KeyboardInterrupt


def repeated(more, goal, seconds, told, tell):
    """Call ``more`` until what it returns adds up to the goal, or so many seconds of processor time are over, or an
    interrupt comes; says every twenty seconds how far it is. Every kernel is compiled at its first use: what a run
    alone would not be worth serves hundreds."""
    taken, began = 0, time.process_time()
    worth, kernels.WORTH_COMPILING = kernels.WORTH_COMPILING, 0
    last = began

    def so_far():
        return f"  {told(taken)}, {time.process_time() - began:.0f} s of processor time"

    try:
        while taken < goal and time.process_time() - began < seconds and not STOPPED:
            taken += more()
            if time.process_time() - last > 20:
                last = time.process_time()
                tell(so_far())
    except KeyboardInterrupt:
        STOPPED.append(signal.SIGINT)
    finally:
        kernels.WORTH_COMPILING = worth
    if taken < goal:
        tell(f"{so_far()}: {'interrupted' if STOPPED else 'the time is up'}")


def counts(rows):
    """Lines: steps and solutions by law, and all in all."""
    by = {name: [row for row in rows if name in row["laws"]] for name in LAWS}
    by |= {kind: [row for row in rows if row["kind"] == kind] for kind in MODELS}
    by |= {"with P-Delta": [row for row in rows if row["softens"]], "all": rows}
    return [
        f"{name:24}{sum(row['steps'] for row in own):7} steps{sum(row['starts'] for row in own):9} starts"
        f"{sum(row['several'] for row in own):5} steps with several solutions"
        f"{sum(row['lost'] for row in own):5} starts that ended nowhere"
        f"{sum(row['other'] for row in own):5} not as the package"
        for name, own in by.items()
        if own
    ]


def at_the_fall(seed, factor):
    """A frame or an oscillator of run number ``seed`` whose springs all stand where they begin to fall most steeply, a
    step of ``factor`` times the bound, and the direction in which it is softest; None where nothing falls."""
    drawn = drawn_whole(seed, 0.9)
    seen = drawn.scheme.sees(drawn.model)
    step = Step(seen, factor * drawn.limit)
    if step.B.shape[0] != step.B.shape[1]:
        return None
    soft = np.concatenate([group.law.softest(group, step_k, 0.5 * step.h) for group, step_k in stiffnesses(seen)])
    order = np.concatenate([group.first for group in seen.laws.values()])
    softest = np.zeros(len(order))
    softest[order] = np.minimum(soft, 0.0)
    v = np.linalg.eigh(step.S + 0.5 * step.h * (step.B * softest) @ step.B.T)[1][:, 0]
    way = np.sign(step.B.T @ v)
    u, z = np.zeros(len(v)), np.zeros(step.places.size)
    least, at = np.zeros(len(way)), np.zeros(len(way))
    small = 0.02 * drawn.u
    x = np.linalg.solve(step.B.T, way * small)
    for k in range(4000):
        step.at(u, z, x)
        steeper = step.T[: len(way)] < least - 1e-6 * abs(softest)
        least[steeper], at[steeper] = step.T[: len(way)][steeper], (k + 0.01) * small
        u, z = u + x, step.dz.copy()
    if not np.any(least < 0):
        return None
    u = np.linalg.solve(step.B.T, way * at)
    step.at(np.zeros(len(v)), np.zeros(step.places.size), u)
    return drawn, step, u, step.dz.copy(), v


def stiffnesses(model):
    """Groups of springs and their first stiffness."""
    blocks = spring_blocks(model)
    return [(group, blocks.by_group[kind]) for kind, group in model.laws.items() if len(group.springs)]


def several_found(first, tries, factor, tell=print, seconds=math.inf):
    """How many of so many random frames, pushed to where their springs begin to fall, have a step of ``factor`` times
    the bound with several solutions: under a load that has one solution in the softest direction."""
    rows, seeds = [], itertools.count(first)

    def more():
        there = at_the_fall(next(seeds), factor)
        if there is None:
            return 0
        drawn, step, u, z, v = there
        rows.append((several_of(drawn, step, u, z, v), len(u), drawn.seed, drawn.laws))
        return 1

    repeated(more, tries, seconds, lambda taken: f"{taken} frames", tell)
    found = [row for row in rows if row[0] > 1]
    said = f"{len(rows)} frames and oscillators at {factor:g} of the bound: {len(found)} with several solutions"
    if found:
        most, storeys, seed, laws = max(found, key=lambda row: row[1])
        said += f", of up to {storeys} storeys (seed {seed}, {laws}, has {most}); seeds {[row[2] for row in found[:8]]}"
    return said, len(found)


def several_of(drawn, step, u, z, v):
    """Solutions of a step that is softest along v, found from starts along v and from random ones."""
    rng, most = drawn.rng, 0
    for reach in drawn.u * np.geomspace(1e-3, 1.0, 7):
        value, slope = step.at(u, z, reach * v / np.abs(step.B.T @ v).max())
        if np.linalg.eigvalsh(slope)[0] > 0:
            continue
        way = v / np.abs(step.B.T @ v).max()
        line = [sign * size * way for sign in (1, -1) for size in drawn.u * np.geomspace(1e-4, 100, 19)]
        found, _ = step.solutions(u, z, value, [reach * way, *line, *(drawn.u * rng.normal(size=(12, len(u))))])
        most = max(most, len(found))
    return most


PHASES = 2  # of a run in the fuzz


def run(first, steps, tell=print, laws=None, seconds=math.inf):
    """Runs from seed ``first`` on until so many steps were taken; rows of :func:`outcome`."""
    rows = []

    def more():
        row = outcome(first + len(rows), laws, PHASES)
        rows.append(row)
        if row["bad"]:
            tell(f"  seed {row['seed']}: {row['bad']} {row['laws']} {row['kind']}")
        return row["steps"]

    def told(taken):
        return f"{taken} steps, {len(rows)} runs, {sum(bool(row['bad']) for row in rows)} bad"

    repeated(more, steps, seconds, told, tell)
    return rows


def summary(rows):
    """Lines: steps, runs, largest residual and what is bad, by law, by kind of structure and all in all."""
    by = defaultdict(list)
    for row in rows:
        for name in set(row["laws"]):
            by[name].append(row)
    by = dict(sorted(by.items()))
    kinds = {
        "oscillator": lambda row: row["kind"] == "oscillator",
        "shear frame": lambda row: row["kind"] == "shear frame",
        "structure": lambda row: row["kind"] == "structure",
        "of several laws": lambda row: len(set(row["laws"])) > 1,
        "with P-Delta": lambda row: row["softens"],
        "with massless floors": lambda row: row["massless"],
        "above 0.9 of the bound": lambda row: row["share"] > 0.9,
        "of 20 springs and more": lambda row: row["springs"] >= 20,
    }
    by |= {name: [row for row in rows if is_one(row)] for name, is_one in kinds.items()} | {"all": rows}
    lines = [
        f"{name:24}{sum(row['steps'] for row in own):9} steps{len(own):6} runs"
        f"{max((row['residual'] for row in own), default=0.0):9.1e} energy"
        f"{max((row['solves'] for row in own), default=0):4} solves{sum(row['breaks'] for row in own):6} breaks"
        f"{sum(bool(row['bad']) for row in own):4} bad"
        for name, own in by.items()
    ]
    ran, behind, vanished = (sum(row[name] for row in rows) for name in ("gone", "behind", "vanished"))
    return [
        *lines,
        f"{ran} of {PHASES * len(rows)} loads made the structure run away; {behind} parts overflowed behind that",
        f"{vanished} errors went away in shorter parts (counted as bad)",
    ]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--steps", type=int, default=1_000_000)
    arguments.add_argument("--seed", type=int, default=1, help="of the first run")
    arguments.add_argument("--seconds", type=float, default=math.inf, help="of processor time, at most")
    arguments.add_argument("--law", action="append", choices=list(LAWS), help="only these laws")
    arguments.add_argument("--starts", type=int, help="so many steps from twenty random starts each instead")
    arguments.add_argument("--factor", type=float, help="of the bound, for --starts")
    arguments.add_argument("--several", type=int, help="so many frames about to fall, at --factor, instead")
    arguments.add_argument("--only", type=int, help="one run, its outcome in full")
    given = arguments.parse_args()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)

    def tell(line):
        print(line, flush=True)

    if given.only is not None:
        tell(outcome(given.only, given.law, PHASES))
    elif given.several:
        said, found = several_found(given.seed, given.several, given.factor or 1.05, tell, given.seconds)
        tell(said)
        sys.exit(not found)
    elif given.starts:
        rows = count(given.seed, given.starts, given.factor, tell, given.seconds)
        tell("\n".join(counts(rows)))
        sys.exit(given.factor is None and any(map(is_other, rows)))
    else:
        rows = run(given.seed, given.steps, tell, given.law, given.seconds)
        tell("\n".join(summary(rows)))
        sys.exit(any(row["bad"] for row in rows))


if __name__ == "__main__":
    main()
