"""How everything here is timed: rivals take turns in one run, and the least of the repeats counts.

CPU time for one core, so that a busy neighbour is not counted; wall time where several cores work. CPU time is that of
all threads, so that work handed to a pool of one thread is not lost.
"""

from __future__ import annotations

import math
import os
import platform
import subprocess
import textwrap
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


class NotMeasuredError(RuntimeError):
    """A rival cannot be measured here; the text says why."""


def cpu(work: Callable[[], Any]) -> float:
    """CPU seconds of one call, all threads."""
    start = time.process_time()
    work()
    return time.process_time() - start


def wall(work: Callable[[], Any]) -> float:
    """Seconds on the clock of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def alternate(rivals: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Least seconds of every rival; each is a call that returns its own seconds."""
    least = dict.fromkeys(rivals, math.inf)
    for _ in range(repeats):
        for name, seconds in rivals.items():
            least[name] = min(least[name], seconds())
    return least


def compile_at_once() -> None:
    """What is measured is warm: the first call compiles its kernel, however short it is."""
    from hamex.march import run

    run.WORTH_COMPILING = 0


def claim(text: str, value: float | None, bound: float, unit: str = "", at_most: bool = False) -> dict[str, Any]:
    """A line that must be shown: a number, its bound, and which side is right. No value: not measured."""
    return {"text": text, "value": value, "bound": bound, "unit": unit, "at_most": at_most}


def verdict(given: dict[str, Any]) -> str:
    """What the numbers say about a claim."""
    if given["value"] is None or math.isnan(given["value"]):
        return "not measured"
    holds = given["value"] <= given["bound"] if given["at_most"] else given["value"] >= given["bound"]
    return "holds" if holds else "falls short"


def show_claims(claims: list[dict[str, Any]]) -> None:
    """The claims of a section, with what the numbers say."""
    for given in claims:
        value = "–" if given["value"] is None else f"{given['value']:.3g}{given['unit']}"
        side = "at most" if given["at_most"] else "at least"
        print(f"  {verdict(given):>12}  {given['text']}: {value}, {side} {given['bound']:g}{given['unit']} asked")


def show_not_measured(missing: Mapping[str, str]) -> None:
    """Rivals without a number, and why."""
    if missing:
        text = "; ".join(f"{name} ({reason})" for name, reason in missing.items())
        print(textwrap.fill(f"not measured: {text}", 118))


def ratio(over: float | None, under: float | None) -> float | None:
    """``over / under``, or None where one of them is missing."""
    return None if over is None or under is None else over / under


def context() -> dict[str, Any]:
    """Date, processor and versions: what a number here depends on."""
    import numba
    import numpy
    import scipy

    import hamex

    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "scipy": scipy.__version__,
        "hamex": hamex.__version__,
        "revision": revision(),
        "load": round(os.getloadavg()[0], 2),
    }


def processor() -> str:
    """Name of the processor, with its family where the name alone says little."""
    try:
        rows = (line.partition(":") for line in Path("/proc/cpuinfo").read_text().splitlines())
        fields = {key.strip(): value.strip() for key, _, value in reversed(list(rows))}
    except OSError:
        return platform.processor() or platform.machine()
    name = fields.get("model name", platform.machine())
    return f"{name} (family {fields['cpu family']}, model {fields['model']})" if "cpu family" in fields else name


def revision() -> str:
    """The commit that is checked out, with a mark if the package's sources differ from it."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=HERE, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    try:
        commit = git("rev-parse", "--short", "HEAD")
        return commit + ("+" if git("status", "--porcelain", "--", "../src") else "")
    except OSError:
        return ""
