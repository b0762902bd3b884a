"""CPU time of a fresh process, against its budget: `python benchmarks/startup.py`; exit code 1 over budget.

User and system time of the child, all threads, the minimum of several runs: what a command costs at best.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import measuring

RUNS = 5
ROOT = Path(__file__).parents[1]
TINY = ROOT / "examples" / "problems" / "samples.toml"  # 300 steps
EL_CENTRO = ROOT / "examples" / "problems" / "el_centro_viscoplastic.toml"
HAMEX = "from hamex.cli import main; main()"
# Name, Python code, arguments, budget [s]; None is only shown.
CASES = (
    ("python alone", "pass", [], None),
    ("import numpy", "import numpy", [], None),
    ("import hamex", "import hamex", [], 0.35),
    ("hamex --help", HAMEX, ["--help"], 0.5),
    ("hamex init", HAMEX, ["init", "--force", "problem.toml"], None),
    ("hamex run, 300 steps", HAMEX, ["run", str(TINY)], 0.6),
    ("hamex run, El Centro, 2000 steps", HAMEX, ["run", str(EL_CENTRO)], 0.55),
    ("hamex run, El Centro, --error", HAMEX, ["run", str(EL_CENTRO), "--error"], None),
)


def cpu(code: str, arguments: list[str], folder: str) -> float:
    """CPU seconds of one fresh process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(repeats: int = RUNS, quick: bool = False) -> dict[str, Any]:
    """CPU seconds of every case, the least of the repeats."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, code, arguments, budget in CASES[:4] if quick else CASES:
            cpu(code, arguments, folder)  # fills the byte-code cache
            spent = min(cpu(code, arguments, folder) for _ in range(repeats))
            rows.append({"name": name, "seconds": spent, "budget": budget})
    return {
        "repeats": repeats,
        "rows": rows,
        "claims": [
            measuring.claim(f"fresh process, {row['name']}", row["seconds"], row["budget"], " s", at_most=True)
            for row in rows
            if row["budget"] is not None
        ],
    }


def show(found: dict[str, Any]) -> None:
    """The table."""
    print(f"CPU seconds of a fresh process, minimum of {found['repeats']}\n")
    for row in found["rows"]:
        budget, spent = row["budget"], row["seconds"]
        verdict = "" if budget is None else f"budget {budget:.2f}  {'over' if spent > budget else 'ok'}"
        print(f"  {row['name']:34}{spent:7.3f}  {verdict}".rstrip())


def main() -> int:
    """Print the table; 1 if any budget is exceeded."""
    found = measure()
    show(found)
    return int(any(measuring.verdict(given) != "holds" for given in found["claims"]))


if __name__ == "__main__":
    sys.exit(main())
