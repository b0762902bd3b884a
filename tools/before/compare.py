"""Compare two folders of answers: python compare.py BEFORE NOW.

A number agrees within 1e-11 of the largest value of its history. What differs is explained in ``expected.toml`` or it
fails: by ``rounding``, which is checked here (the first step that differs does so by rounding, and the peaks lie within
the error bars of both versions), or by ``change``, where the new number is meant; its cause says why.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

SAME = 1e-11  # of the largest value
ROUNDING = 1e-7  # of the largest value, where a motion first differs
LARGEST_SHARE = 0.03  # of problems whose differences are explained
WORDS = ("status", "error", "exception", "raised")  # what a program branches on; prose is free
ENERGIES = ("kinetic", "stored", "viscous", "plastic", "hardening", "jumps", "input", "imbalance")
COUNTS = ("solves@t", "searches@t")  # of the solver: not of the motion
EXPECTED = Path(__file__).parent / "expected.toml"


def read(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and words of one answer."""
    with np.load(file) as found:
        words = json.loads(str(found["__words__"]))
        return {name.replace("|", "/"): found[name] for name in found.files if name != "__words__"}, words


def size_of(name: str, arrays: dict[str, Any]) -> float:
    """Largest value that a number of this name is measured by: a peak by its history, a slip and what springs remember
    by deformations too, an energy by all energies."""
    kind = name.removesuffix("@t")
    for word in ("peak ", "bar ", "final "):
        kind = kind.replace(word, "")
    last = kind.rpartition(" ")[2]
    names = {name, kind, f"{kind}@t"}
    if last.endswith(("slip", "deformation", "drift")) or "internal" in name:
        names |= {one for one in arrays if one.endswith(("displacement@t", "deformation@t"))}
    if last.removesuffix("_by_group").endswith(ENERGIES):
        names |= {one for one in arrays if one.removesuffix("@t").endswith(ENERGIES)}
    near = [arrays[other] for other in names & set(arrays)]
    sizes = [np.abs(values[np.isfinite(values)]).max(initial=0.0) for values in near if values.dtype.kind != "b"]
    return 1.0 if kind.endswith("residual") else max(sizes, default=1.0)  # a residual is relative


def missing_numbers(old: Any, new: Any) -> float:
    """Numbers of a printed text, of three digits or more, that the new text does not print; their largest share."""
    asked = np.abs([number for number in old if np.isfinite(number) and float(f"{number:.2g}") != number])
    known = np.abs(new[np.isfinite(new)])
    if not len(asked) or not len(known):
        return np.inf if len(asked) else 0.0
    return float(max((np.abs(known - number).min() / number for number in asked), default=0.0))


def difference(name: str, old: Any, new: Any, arrays: dict[str, Any]) -> tuple[float, float]:
    """Largest difference over size, and that of the first time that differs."""
    if name.endswith("numbers"):
        return (missing_numbers(old, new),) * 2
    if old.shape != new.shape:
        return np.inf, np.inf
    if old.size == 0 or np.array_equal(old, new, equal_nan=old.dtype.kind in "fc"):
        return 0.0, 0.0
    if not np.array_equal(np.isnan(old), np.isnan(new)) or not np.array_equal(np.isinf(old), np.isinf(new)):
        return np.inf, np.inf
    apart = np.nan_to_num(np.abs(np.where(old == new, 0.0, new - old)))
    apart = apart / (size_of(name, arrays) or 1.0)
    if not name.endswith("@t"):
        return (float(apart.max()),) * 2
    times = apart.reshape(len(apart), -1).max(axis=1)
    first = np.flatnonzero(times > SAME)
    return float(times.max()), float(times[first[0]]) if len(first) else 0.0


def within_bars(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Peaks of both versions lie within the smaller of their error bars; there are bars."""
    bars = [name for name in old if "bar " in name and name in new]
    peak = [name.replace("bar ", "peak ") for name in bars]
    return bool(bars) and all(
        abs(old[p][0] - new[p][0]) <= min(old[b][0], new[b][0]) for b, p in zip(bars, peak, strict=True)
    )


def judged(old_file: Path, new_file: Path, gone: Sequence[Mapping[str, str]] = ()) -> dict[str, Any]:
    """What differs between two answers: the largest figure, its name, and whether rounding explains it."""
    (old, said), (new, says) = read(old_file), read(new_file)
    for entry in gone:
        if re.fullmatch(entry["of"], said["_name"]):
            old = {name: values for name, values in old.items() if not re.fullmatch(entry["result"], name)}
    found: dict[str, Any] = {"id": said["_name"], "figure": 0.0, "where": "", "first": 0.0}
    for key, value in said.items():
        if key.rpartition(".")[2].split(" ")[-1] in WORDS and str(value) != str(says.get(key)):
            found |= {"figure": np.inf, "where": f"{key}: {value!s:.60} → {says.get(key)!s:.160}", "first": np.inf}
    if "exception" in said:
        found |= {"figure": np.inf, "where": f"not an answer before: {said['exception']}", "first": np.inf}
    for name, values in old.items():
        if name.endswith(COUNTS):
            continue
        if name not in new:
            apart = first = np.inf
        else:
            apart, first = difference(name, values, new[name], old)
        if apart > SAME and apart > found["figure"]:
            found |= {"figure": apart, "where": name}
        found["first"] = max(found["first"], first)
    found["rounding"] = found["first"] <= ROUNDING and within_bars(old, new)
    return found


def main(before: Path, now: Path) -> int:
    """Print what differs and is not explained; 1 if there is any, or more than 3 % is explained."""
    known = tomllib.loads(EXPECTED.read_text(encoding="utf-8"))
    expected = {entry["id"]: entry for entry in known.get("problem", [])}
    files = sorted(before.glob("*.npz"))
    counts: Counter[str] = Counter()
    for file in files:
        if not (now / file.name).exists():
            counts["missing"] += 1
            print(f"missing: {read(file)[1]['_name']}")
            continue
        found = judged(file, now / file.name, known.get("gone", []))
        entry = expected.get(found["id"])
        if found["figure"] <= SAME:
            counts["equal"] += 1
            if entry is not None:
                print(f"note: {found['id']}: explained, but equal; strike it from {EXPECTED.name}")
        elif entry is None or found["figure"] > 1.01 * entry["figure"]:
            counts["different"] += 1
            print(f"DIFFERENT {found['figure']:.2g} (first {found['first']:.2g}) {found['id']}: {found['where']}")
        elif entry["by"] == "rounding" and not found["rounding"]:
            counts["different"] += 1
            print(f"NOT ROUNDING {found['figure']:.2g} (first {found['first']:.2g}) {found['id']}: {found['where']}")
        else:
            counts["explained"] += 1
    share = counts["explained"] / max(len(files), 1)
    print(f"{len(files)} problems: " + ", ".join(f"{number} {word}" for word, number in counts.items()))
    print(f"explained: {share:.1%} (at most {LARGEST_SHARE:.0%})")
    return int(not files or counts["different"] + counts["missing"] > 0 or share > LARGEST_SHARE)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), Path(sys.argv[2])))
