"""Many oscillators under El Centro: hamex beside what the processor can do and beside other programs.

Time is CPU of one core per oscillator and step, with the record's own step. The gate is the error of the peak
displacement against converged runs of ``hx.solve``, one oscillator at a time. Schemes differ, so the last column is
the cost of a whole record at equal error: every rival takes the longest step (the record's, or its half, quarter …)
that brings nine of ten peaks within one per cent.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import limits
import measuring
import numpy as np
import oscillators
import ours
import peers
import peers_batch
from measuring import NotMeasuredError

SAMPLE = 120  # oscillators in the gate
CONVERGED = 128  # their steps, finer than the record's
GOAL = 0.01  # error of nine peaks in ten at which costs are compared
MANY = 262144  # oscillators of the runs on several cores
MILLION = 1_000_000
# Bounds of the lines that must be shown.
LIMIT, CORES, PEER, OPENSEES, INSIDE = 1.1, 1.9, 30.0, 1000.0, 1.3
COMPILED = ("gmspy", "sdof", "OpenSees, sdfResponse")


def measure(repeats: int, quick: bool = False) -> dict[str, Any]:
    """Both laws, two cores, a million in one call."""
    found: dict[str, Any] = {"steps": oscillators.STEPS, "goal": GOAL, "laws": {}, "not_measured": {}}
    for law, viscosity in oscillators.LAWS.items():
        found["laws"][law], missing, found.setdefault("doubt", {})[law] = _law(law, viscosity, repeats, quick)
        found["not_measured"].update(missing)
    found["cores"] = cores(repeats, quick)
    found["million"] = None if quick else million()
    found["claims"] = claims(found)
    return found


def _law(law: str, viscosity: float, repeats: int, quick: bool) -> tuple[list[dict[str, Any]], dict[str, str], float]:
    rivals, missing = peers_batch.available(law)
    sample = oscillators.family(24 if quick else SAMPLE, viscosity)
    exact = oscillators.marched(sample, CONVERGED)
    doubt = float(np.abs(oscillators.marched(sample, CONVERGED // 2) / exact - 1.0).max())
    rows: list[dict[str, Any]] = []
    timed = {}
    for name, rival in rivals.items():
        try:
            row = {
                "name": name,
                "kind": rival.kind,
                "how": rival.how,
                "oscillators": rival.count,
                **_gate(rival, sample, exact, 2 if quick else rival.finest),
            }
        except NotMeasuredError as reason:
            missing[name] = str(reason)
            continue
        rows.append(row)
        timed[name] = rival.seconds(oscillators.family(rival.count // (8 if quick else 1) or 1, viscosity))
        row["oscillators"] = rival.count // (8 if quick else 1) or 1
    least = measuring.alternate(timed, repeats)
    for row in rows:
        row["ns"] = 1e9 * least[row["name"]] / row["oscillators"] / oscillators.STEPS
        row["equal"] = None if row["finer"] is None else 1e-3 * row["ns"] * row["finer"] * oscillators.STEPS
    return rows, missing, doubt


def _gate(
    rival: peers_batch.Rival, sample: oscillators.Family, exact: np.ndarray[Any, Any], finest: int
) -> dict[str, Any]:
    """Errors at the record's step, and how much finer it must be for the goal."""
    pick = slice(None) if rival.gate is None else slice(None, None, max(1, exact.size // rival.gate))
    part = {name: values[pick] for name, values in sample.items()}
    answer: dict[str, Any] = {"finer": None}
    finer = 1
    while finer <= finest and answer["finer"] is None:
        error = np.abs(rival.peaks(part, finer) / exact[pick] - 1.0)
        most = float(np.percentile(error, 90))
        if finer == 1:
            answer |= {
                "median": float(np.median(error)),
                "most": most,
                "largest": float(error.max()),
                "gate": int(error.size),
            }
        if most <= GOAL:
            answer["finer"] = finer
        finer *= 2
    return answer


def cores(repeats: int, quick: bool = False) -> dict[str, Any]:
    """Wall time of one large batch on one core and on all, hamex beside the C limit on as many threads."""
    count = MANY // 16 if quick else MANY
    given, workers = oscillators.family(count), os.cpu_count() or 1
    rivals = {}
    try:
        ours.need("batch")
        for threads in (1, workers):
            rivals[f"hamex {threads}"] = functools.partial(
                measuring.wall, functools.partial(ours.batch, given, threads=threads)
            )
    except NotMeasuredError:
        pass
    with ThreadPoolExecutor(workers) as pool:
        try:
            for threads in (1, workers):
                rivals[f"C {threads}"] = functools.partial(
                    measuring.wall, functools.partial(_share, pool, [_limit(part) for part in _parts(given, threads)])
                )
        except limits.LimitError:
            pass
        least = measuring.alternate(rivals, repeats)
    answer: dict[str, Any] = {"oscillators": count, "threads": workers}
    for name in ("hamex", "C"):
        one, several = least.get(f"{name} 1"), least.get(f"{name} {workers}")
        answer[name] = {"one": one, "several": several, "ratio": measuring.ratio(one, several)}
    return answer


def _parts(given: oscillators.Family, pieces: int) -> list[oscillators.Family]:
    """Equal slices of a family."""
    edges = np.linspace(0, given["mass"].size, pieces + 1).astype(int)
    return [{name: values[a:b] for name, values in given.items()} for a, b in itertools.pairwise(edges)]


def _limit(part: oscillators.Family) -> functools.partial[None]:
    one = limits.Batch(part, oscillators.mean_load(), oscillators.STEP)
    return functools.partial(one.run, 6 if 6 in one.vectors else 0)


def _share(pool: ThreadPoolExecutor, tasks: list[functools.partial[None]]) -> None:
    """Run all at once; ctypes lets go of the interpreter's lock."""
    for done in [pool.submit(task) for task in tasks]:
        done.result()


CHILD = """
import json, resource, sys, time
sys.path.insert(0, {folder!r})
import oscillators, ours
ours.batch(oscillators.family(64), threads=None)        # compiles
given = oscillators.family({count})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
best = 1e99
for _ in range(2):
    start = time.perf_counter()
    peaks = ours.batch(given, threads=None)
    best = min(best, time.perf_counter() - start)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({{"seconds": best, "before": before / 1024, "memory": after / 1024, "size": int(peaks.size)}}))
"""


def million(count: int = MILLION) -> dict[str, Any] | None:
    """One call for a million oscillators on all cores, in a process of its own: seconds, and peak memory [MB]."""
    try:
        ours.need("batch")
    except NotMeasuredError:
        return None
    code = CHILD.format(folder=str(measuring.HERE), count=count)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def claims(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines that must be shown."""
    by = {law: {row["name"]: row["ns"] for row in rows} for law, rows in found["laws"].items()}
    viscous, plastic = by["viscous"], by["rate independent"]
    limit = min((ns for name, ns in viscous.items() if name in ("C with vectors", "C, plain loop")), default=None)
    peer = min((ns for name, ns in plastic.items() if name in COMPILED), default=None)
    opensees = min(
        (ns for name, ns in [*plastic.items(), *viscous.items()] if name.startswith("OpenSees")), default=None
    )
    ratio = measuring.ratio
    return [
        measuring.claim(
            "batch, float64, one core: hamex over the C limit",
            ratio(viscous.get("hamex"), limit),
            LIMIT,
            " ×",
            at_most=True,
        ),
        measuring.claim(
            "batch, float32, one core: hamex over the C limit",
            ratio(viscous.get("hamex, float32"), viscous.get("C with vectors, float32")),
            LIMIT,
            " ×",
            at_most=True,
        ),
        measuring.claim(
            "batch, peaks inside the steps over peaks at the nodes",
            ratio(viscous.get("hamex, peaks inside"), viscous.get("hamex")),
            INSIDE,
            " ×",
            at_most=True,
        ),
        measuring.claim(
            f"{found['cores']['threads']} cores against one, wall time", found["cores"]["hamex"]["ratio"], CORES, " ×"
        ),
        measuring.claim("times as fast as the fastest compiled peer", ratio(peer, plastic.get("hamex")), PEER, " ×"),
        measuring.claim(
            "times as fast as OpenSees in its fastest way", ratio(opensees, plastic.get("hamex")), OPENSEES, " ×"
        ),
    ]


def show(found: dict[str, Any]) -> None:
    """One table per law, then cores and the million."""
    print(
        f"Oscillators under El Centro ({found['steps']:,} steps): CPU ns per oscillator and step; error of the peak "
        f"displacement\nat the record's step (median, nine of ten below, largest); µs per oscillator and record with "
        f"steps short enough\nfor nine of ten peaks within {found['goal']:.0%}\n"
    )
    for law, rows in found["laws"].items():
        title = f"{law} (reference within {found['doubt'][law]:.0e})"
        print(f"{title:<40}{'ns':>10}{'median':>9}{'9 of 10':>9}{'largest':>9}{'step/':>7}{'µs':>11}  how")
        for row in sorted(rows, key=lambda row: row["ns"]):
            finer, equal = row["finer"], row["equal"]
            cell = f"{'–':>7}{'–':>11}" if finer is None else f"{finer:>7}{equal:>11.3g}"
            print(
                f"  {row['name']:<38}{row['ns']:>10.3g}{row['median']:>9.2%}{row['most']:>9.2%}{row['largest']:>9.1%}"
                f"{cell}  {row['how']}"
            )
        print()
    cores = found["cores"]
    for name in ("hamex", "C"):
        one, several, ratio = (cores[name][key] for key in ("one", "several", "ratio"))
        if one is not None:
            print(
                f"{name}, {cores['oscillators']:,} oscillators, wall: {one:.3f} s on one core, {several:.3f} s on "
                f"{cores['threads']}, {ratio:.2f} × (a busy machine shows in both lines)"
            )
    if found["million"]:
        run = found["million"]
        print(
            f"hamex, {run['size']:,} oscillators in one call on {cores['threads']} cores: {run['seconds']:.2f} s; "
            f"largest memory of the process {run['memory']:.0f} MB ({run['before']:.0f} MB before the call)"
        )
    measuring.show_not_measured(found["not_measured"])
    peers.show_left_out()


def bars(found: dict[str, Any]) -> tuple[str, str, list[tuple[str, float, str]]]:
    """For the plot: the rate-independent table, which has all the peers."""
    rows = found["laws"]["rate independent"]
    return (
        "Rate-independent oscillators under El Centro",
        "CPU ns per oscillator and step",
        [(row["name"], row["ns"], row["kind"]) for row in rows if not math.isnan(row["ns"])],
    )
