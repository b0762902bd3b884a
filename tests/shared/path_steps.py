"""Steps up to the longest that has one solution, by the million: what is counted as bad is a step that is not solved,
an energy balance above 1e-11 of the largest work, numbers that are not finite, and an error that goes away when the
same steps are taken in shorter parts. A structure that has run away is no longer counted: what overflows behind that is
told by itself (:class:`Parts`)."""

import math
import warnings
from collections import defaultdict

import numpy as np
from path_models import Drawn, is_pushed_over
from path_time import is_over, repeated

import hamex as hx
from hamex.errors import ConvergenceError, HamexError, OverflowRunError

ENERGY = 1e-11  # of the largest work
PHASES = 2  # of a run in the fuzz


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
            if is_over():
                break
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
        while first < drawn.steps and not is_over():
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
