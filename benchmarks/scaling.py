"""How cost grows: with the number of oscillators, of steps, of storeys and of threads.

CPU time of one core per oscillator (or storey) and step, except for threads, where it is wall time.
"""

from __future__ import annotations

import functools
import os
from typing import Any

import batch
import buildings
import limits
import measuring
import oscillators
import ours
import structures_speed
from measuring import NotMeasuredError

COUNTS = (*(32 * 4**i for i in range(7)), 262144)  # 32 … 262,144
TIMES = (1, 4, 16, 64)  # records end to end: 1,559 … 100,000 steps
FIXED = 1024  # oscillators while steps grow
STOREYS = (1, 2, 5, 10, 20, 50)
WORK = 20_000_000  # oscillator-steps a repeat, at least one call


def measure(repeats: int, quick: bool = False) -> dict[str, Any]:
    """The four curves; those of hamex are missing where it has no batch."""
    counts, times = (COUNTS[:3], TIMES[:1]) if quick else (COUNTS, TIMES)
    found = {
        "oscillators": by_count(counts, repeats),
        "steps": by_steps(times, repeats),
        "storeys": by_storeys(STOREYS[:2] if quick else STOREYS, repeats),
        "threads": by_threads(repeats, quick),
        "not_measured": {},
    }
    try:
        ours.need("batch", "shear_frames")
    except NotMeasuredError as reason:
        found["not_measured"] = {"hamex": str(reason)}
    if not quick:
        found["tall"] = structures_speed.by_storeys(min(repeats, 3))
    return found


def _pair(given: oscillators.Family, times: int) -> dict[str, Any]:
    """hamex and the C limit on the same family, as calls that return seconds of one march."""
    size = given["mass"].size * oscillators.STEPS * times
    calls = max(1, WORK // size)
    rivals = {}
    try:
        ours.need("batch")
        ours.batch(given, times=times)  # compiles
        rivals["hamex"] = functools.partial(_mean, functools.partial(ours.batch, given, times=times), calls)
    except NotMeasuredError:
        pass
    try:
        one = limits.Batch(given, oscillators.mean_load(times=times), oscillators.STEP)
        rivals["C"] = functools.partial(_mean, functools.partial(one.run, one.vectors[-1]), calls)
    except limits.LimitError:
        pass
    return rivals


def _mean(work: Any, calls: int) -> float:
    """Seconds of a call, from so many that the clock sees them."""
    return measuring.cpu(lambda: [work() for _ in range(calls)]) / calls


def by_count(counts: tuple[int, ...], repeats: int) -> list[dict[str, Any]]:
    """ns per oscillator and step; set-up of the call included."""
    rows = []
    for count in counts:
        least = measuring.alternate(_pair(oscillators.family(count), 1), repeats)
        rows.append({"oscillators": count, **{name: 1e9 * s / count / oscillators.STEPS for name, s in least.items()}})
    return rows


def by_steps(times: tuple[int, ...], repeats: int) -> list[dict[str, Any]]:
    """ns per oscillator and step for longer and longer records."""
    rows = []
    for many in times:
        steps = oscillators.ground(times=many).size - 1
        least = measuring.alternate(_pair(oscillators.family(FIXED), many), repeats)
        rows.append({"steps": steps, **{name: 1e9 * s / FIXED / steps for name, s in least.items()}})
    return rows


def by_storeys(storeys: tuple[int, ...], repeats: int) -> list[dict[str, Any]]:
    """ns per storey and step of a batch of shear frames."""
    try:
        ours.need("batch", "shear_frames")
    except NotMeasuredError:
        return []
    rows = []
    for n in storeys:
        count = max(64, 8192 // n)
        given = buildings.family(count, n)
        ours.buildings(given)  # compiles
        march = functools.partial(ours.buildings, given)
        least = measuring.alternate({"hamex": functools.partial(measuring.cpu, march)}, repeats)
        rows.append({"storeys": n, "buildings": count, "hamex": 1e9 * least["hamex"] / count / n / oscillators.STEPS})
    return rows


def by_threads(repeats: int, quick: bool) -> list[dict[str, Any]]:
    """Wall seconds of one large batch."""
    try:
        ours.need("batch")
    except NotMeasuredError:
        return []
    count = batch.MANY // 16 if quick else batch.MANY
    given = oscillators.family(count)
    cores = os.cpu_count() or 1
    threads = sorted({1, cores, *(2**i for i in range(20) if 2**i < cores)})
    rivals = {
        str(n): functools.partial(measuring.wall, functools.partial(ours.batch, given, threads=n)) for n in threads
    }
    least = measuring.alternate(rivals, repeats)
    return [
        {"threads": n, "oscillators": count, "seconds": least[str(n)], "ratio": least["1"] / least[str(n)]}
        for n in threads
    ]


def show(found: dict[str, Any]) -> None:
    """One small table per axis."""
    for axis, unit in (
        ("oscillators", "ns per oscillator and step"),
        ("steps", f"ns per oscillator and step, {FIXED:,} oscillators"),
        ("storeys", "ns per storey and step, a batch of shear frames"),
    ):
        rows = found[axis]
        if not rows:
            continue
        names = [name for name in ("hamex", "C") if name in rows[0]]
        print(f"{axis:>12}" + "".join(f"{name:>10}" for name in names) + f"   {unit}")
        for row in rows:
            print(f"{row[axis]:>12,}" + "".join(f"{row[name]:>10.3g}" for name in names))
        for name in names:
            values = [row[name] for row in rows]
            print(f"  {name}: largest over smallest {max(values) / min(values):.2f}")
        print()
    if found["threads"]:
        print(f"{'threads':>12}{'seconds':>10}{'gain':>8}   wall, {found['threads'][0]['oscillators']:,} oscillators")
        for row in found["threads"]:
            print(f"{row['threads']:>12}{row['seconds']:>10.3f}{row['ratio']:>8.2f}")
        print()
    if "tall" in found:
        structures_speed.show_by_storeys(found["tall"])
    measuring.show_not_measured(found["not_measured"])


def curves(found: dict[str, Any]) -> list[tuple[str, str, dict[str, tuple[list[float], list[float]]]]]:
    """For the plots: axis, unit, and per rival its points."""
    answer = []
    for axis, unit in (
        ("oscillators", "CPU ns per oscillator and step"),
        ("steps", "CPU ns per oscillator and step"),
        ("storeys", "CPU ns per storey and step"),
    ):
        rows = found[axis]
        lines = {
            name: ([row[axis] for row in rows], [row[name] for row in rows])
            for name in ("hamex", "C")
            if rows and name in rows[0]
        }
        if lines:
            answer.append((axis, unit, lines))
    if found["threads"]:
        x = [row["threads"] for row in found["threads"]]
        answer.append(
            (
                "threads",
                "times as fast as one",
                {"hamex": (x, [row["ratio"] for row in found["threads"]]), "ideal": (x, [float(n) for n in x])},
            )
        )
    return answer
