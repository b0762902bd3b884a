"""Speed and accuracy side by side: `python benchmarks/run.py [section ...] [--repeats N] [--quick]`.

    cold       an empty cache, a fresh process: what a new user meets
    history    one oscillator, one history
    batch      many oscillators in one call, beside C and other programs
    followed   many degrading oscillators in one call, beside C and OpenSees
    buildings  many shear buildings in one call
    spectrum   elastic and constant-ductility spectra
    frames     shear frames beside OpenSees and leap-frog
    solids     bodies of up to a million dofs beside scikit-fem and SciPy
    startup    a fresh process to a first result
    compile    what the compiler costs, cold, kernel by kernel
    scaling    cost against oscillators, steps, storeys, threads

Tables go to the screen, numbers to benchmarks/out/bench.json, plots beside it. A section that is run again replaces
its own numbers only; every section keeps the date and the machine it was measured on.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import math
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import measuring

OUT = measuring.HERE / "out"
FILE = OUT / "bench.json"
SECTIONS = {
    "cold": "cold",
    "history": "history",
    "batch": "batch",
    "followed": "followed",
    "buildings": "buildings",
    "spectrum": "spectrum",
    "frames": "structures",
    "solids": "solids",
    "startup": "startup",
    "compile": "compile",
    "scaling": "scaling",
}  # name: module


def measured(name: str, repeats: int, quick: bool) -> dict[str, Any]:
    """One section with its context; a section that cannot run says why."""
    context = {**measuring.context(), "repeats": repeats, "quick": quick}
    begin = time.perf_counter()
    try:
        module = importlib.import_module(SECTIONS[name])
    except ModuleNotFoundError as error:
        if error.name != SECTIONS[name]:
            raise
        return {"context": context, "missing": f"benchmarks/{SECTIONS[name]}.py does not exist"}
    takes_quick = "quick" in inspect.signature(module.measure).parameters
    try:
        result = module.measure(repeats, quick=quick) if takes_quick else module.measure(repeats)
    except Exception as error:  # one section must not take the others with it
        traceback.print_exc()
        return {"context": context, "missing": f"failed: {type(error).__name__}: {error}"}
    return {"context": context | {"seconds": round(time.perf_counter() - begin, 1)}, "result": result}


def show(name: str, section: dict[str, Any]) -> None:
    """The tables of a section and its claims."""
    context = section["context"]
    print(
        f"=== {name}: {context['date']}, {context['cpu']}, hamex {context['hamex']} {context['revision']}"
        f"{', quick' if context['quick'] else ''}\n"
    )
    if "missing" in section:
        print(f"not measured: {section['missing']}\n")
        return
    importlib.import_module(SECTIONS[name]).show(section["result"])
    print()
    measuring.show_claims(section["result"].get("claims", []))
    print()


def stored(path: Path = FILE) -> dict[str, Any]:
    """What was measured before, or nothing."""
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except (OSError, json.JSONDecodeError):
        return {}
    return found


def store(found: dict[str, Any], path: Path = FILE) -> None:
    """Write all of it or none: a run that is broken off leaves the old file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps(_plain(found), indent=1, allow_nan=False) + "\n")
    fresh.replace(path)


def _plain(value: Any) -> Any:
    """Numbers that JSON knows: what is not finite becomes null."""
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def main() -> int:
    """Run, show and store; 1 if a section failed, 0 even where a claim falls short, for the page says it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", help="all of them by default")
    parser.add_argument("--repeats", type=int, default=5, help="the least of so many counts")
    parser.add_argument("--quick", action="store_true", help="small sizes: to see that everything runs, not to cite")
    options = parser.parse_args()
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no section is called {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    failed = 0
    for name in options.sections or SECTIONS:
        # A section's result goes through JSON before it is shown, so that the page shows the same.
        section = json.loads(json.dumps(_plain(measured(name, options.repeats, options.quick))))
        show(name, section)
        failed += section.get("missing", "").startswith("failed")
        sys.stdout.flush()
        found = stored()
        store({key: found[key] if key != name else section for key in SECTIONS if key in found or key == name})
    import plots

    for path in plots.draw(stored(), OUT):
        print(f"drawn: {path.relative_to(measuring.HERE.parent)}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
