"""docs/benchmarks.md from benchmarks/out/bench.json: `python benchmarks/page.py`. No number is typed by hand."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from pathlib import Path
from typing import Any

import measuring
import run

PAGE = measuring.HERE.parent / "docs" / "benchmarks.md"
TITLES = {"history": "One history", "batch": "Many oscillators", "buildings": "Many buildings", "spectrum": "Spectra",
          "frames": "Shear frames", "startup": "Start-up", "scaling": "Scaling"}
HEAD = """# Benchmarks

Made by `make bench` from `benchmarks/out/bench.json`; nothing here is typed by hand. Rivals are measured side by side
and take turns; the least of the repeats counts. One core: CPU time. Several cores: wall time. Every speed has its
accuracy beside it, and where schemes differ, the cost at equal error. The C programs are small sources of our own
under `benchmarks/c`, made for one task each: what this processor can do at best.
"""


def page(found: dict[str, Any]) -> str:
    """The whole page."""
    parts = [HEAD, machines(found), must_show(found)]
    for name, section in found.items():
        text = io.StringIO()
        if "result" in section:
            with contextlib.redirect_stdout(text):
                importlib.import_module(run.SECTIONS[name]).show(section["result"])
        else:
            text.write(f"not measured: {section['missing']}")
        lines = "\n".join(line.rstrip() for line in text.getvalue().strip().splitlines())
        parts.append(f"## {TITLES[name]}\n\n```text\n{lines}\n```\n")
    return "\n".join(parts)


def machines(found: dict[str, Any]) -> str:
    """Date, processor and versions; one line if all sections share the machine."""
    rows = ["| section | date | processor | cores | load before | hamex | Python, NumPy, Numba, SciPy |",
            "|---|---|---|---|---|---|---|"]
    for name, section in found.items():
        at = section["context"]
        quick = " (quick run, not to be cited)" if at["quick"] else ""
        rows.append(f"| {TITLES[name]}{quick} | {at['date']} | {at['cpu']} | {at['cores']} | {at['load']} | "
                    f"{at['hamex']} {at['revision']} | {at['python']}, {at['numpy']}, {at['numba']}, {at['scipy']} |")
    return "\n".join(rows) + "\n"


def must_show(found: dict[str, Any]) -> str:
    """What was asked for, and what the numbers say."""
    rows = ["## What was asked for\n", "| | measured | asked | |", "|---|---|---|---|"]
    for section in found.values():
        for given in section.get("result", {}).get("claims", []):
            value = "–" if given["value"] is None else f"{given['value']:.3g}{given['unit']}"
            side = "at most" if given["at_most"] else "at least"
            rows.append(f"| {given['text']} | {value} | {side} {given['bound']:g}{given['unit']} | "
                        f"{measuring.verdict(given)} |")
    return "\n".join(rows) + "\n"


def main() -> int:
    """Write the page."""
    found = run.stored()
    if not found:
        print(f"there is no {Path(run.FILE).name}; run benchmarks/run.py first", file=sys.stderr)
        return 1
    PAGE.write_text(page(found), encoding="utf-8")
    print(f"written: {PAGE.relative_to(PAGE.parents[1])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
