"""One solution: steps of the package below the bound, solved anew from twenty random starts each, by a Newton method of
its own."""

import math
import warnings
from functools import cache

import numpy as np
from asked_springs import ask
from path_models import LAWS, MODELS, Drawn, is_pushed_over
from path_time import is_over, repeated

import hamex as hx
from hamex.march import run as kernels
from hamex.march.springs import evaluate
from hamex.model.record import dense
from hamex.schemes.springs import can_break, prepared_springs, spring_blocks, states


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
        self.springs = prepared_springs(model, blocks, 0.5 * h, "mean", "test", self.compiles)
        self.M, self.K = dense(model.mass), dense(model.stiffness)
        C = dense(model.damping.matrix) + (model.damping.shapes * model.damping.weights) @ model.damping.shapes.T
        self.B = np.ascontiguousarray(dense(model.compatibility))
        self.S = 2 * self.M / h + C + 0.5 * h * self.K
        self.F, self.T = np.zeros(len(model.springs)), np.zeros(blocks.entries)
        self.dz, self.branch = np.zeros(self.places.size), np.zeros(len(model.springs), dtype=np.int64)
        self.room = np.zeros(1)

    def at(self, u, z, x):
        """Left side less what u brings in, and its slope."""
        spring = (self.F, self.T, self.dz, self.branch)
        ask(self.springs, self.B.T @ u, self.B.T @ x, 0.5, 0.5 * self.h, z, *spring, self.compiles)
        T = self.T[: len(self.F)]
        return self.S @ x + self.h * (self.B @ self.F), self.S + 0.5 * self.h * (self.B * T) @ self.B.T

    def solutions(self, u, z, r, starts):
        """Solutions that are apart by more than rounding, and how many starts ended nowhere."""
        spring = (self.F, self.T, self.dz, self.branch, self.room)
        own = (*self.springs, self.S, self.B, self.h, self.B.T @ u, np.asarray(z, float), np.asarray(r, float), *spring)
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
        return searched
    import numba

    from hamex.march.compiler import kind_of, prototype

    whole, line = np.zeros(1, dtype=np.int64), np.zeros(1)
    given = (whole, whole, line, line, line, 0.5, 0.5, line, 0, line, line, line, whole, line)
    called = prototype(tuple(map(kind_of, given)))(kernels.place(evaluate, *given, compile=True))

    def asked(groups, I, P, e, dx, reach, tau, z, forced, F, T, dz, branch, room):
        acts = F.ctypes, T.ctypes, dz.ctypes, branch.ctypes, room.ctypes
        called(groups.ctypes, I.ctypes, P.ctypes, e.ctypes, dx.ctypes, reach, tau, z.ctypes, forced, *acts)

    return numba.njit(kernels.bound(searched, {"evaluate": numba.njit(asked), "eliminated": numba.njit(eliminated)}))


def searched(groups, I, P, S, B, h, e, z, r, F, T, dz, branch, room, x):
    """Damped Newton steps from x, which is moved to a solution; False where they end nowhere."""
    many = len(F)
    evaluate(groups, I, P, e, B.T @ x, 0.5, 0.5 * h, z, 0, F, T, dz, branch, room)
    left = S @ x + h * (B @ F) - r
    for _ in range(400):
        size = np.abs(S) @ np.abs(x) + h * (np.abs(B) @ np.abs(F)) + np.abs(r)
        most = np.abs(left).max()
        if most <= 1e-11 * size.max():
            return True
        d = -left
        if not eliminated(S + 0.5 * h * (B * T[:many]) @ B.T, d):
            return False
        before, share = np.dot(d, left), 1.0
        while True:
            trial = x + share * d
            evaluate(groups, I, P, e, B.T @ trial, 0.5, 0.5 * h, z, 0, F, T, dz, branch, room)
            there = S @ trial + h * (B @ F) - r
            # A convex potential falls as long as its slope along d has not turned round; what counts only how large the
            # slope or the residual is goes in circles from far starts.
            if np.dot(d, there) * before >= -0.1 * before**2 or share < 1e-6:
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
        if is_over() or not np.abs(u).max() < 1000 * drawn.u:
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
