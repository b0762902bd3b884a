"""Structures beside their peers: `python benchmarks/structures.py [speed storeys options error grid] [--json FILE]`.

speed     CPU time of a step beside OpenSees, 5 to 1000 storeys, with an accuracy gate
storeys   CPU time per storey, 20 to 2000 storeys
options   CPU time of a call, of steps that are cut or halved, and of modal damping
error     error against CPU time beside OpenSees and leap-frog
grid      144 frames: failures by step size
"""

from __future__ import annotations

import argparse
import json
import platform
from pathlib import Path
from typing import Any

import numpy as np
import structures_error
import structures_grid
import structures_speed

import hamex

# Name: what measures it, given the repeats, and what shows it.
PARTS: dict[str, tuple[Any, Any]] = {
    "speed": (structures_speed.against_opensees, structures_speed.show_against_opensees),
    "storeys": (structures_speed.by_storeys, structures_speed.show_by_storeys),
    "options": (structures_speed.options, structures_speed.show_options),
    "error": (structures_error.run, structures_error.show),
    "grid": (lambda repeats: structures_grid.run(), structures_grid.show),
}


def measure(repeats: int, quick: bool = False) -> dict[str, Any]:
    """The parts that compare with other programs; cost by storeys belongs to ``scaling.py``."""
    return {name: PARTS[name][0](repeats) for name in (("speed",) if quick else ("speed", "options", "error", "grid"))}


def show(found: dict[str, Any]) -> None:
    """Their tables."""
    for name in found:
        PARTS[name][1](found[name])
        print()


def main() -> None:
    """Run the parts asked for and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="all of them by default")
    parser.add_argument("--repeats", type=int, default=5, help="the least of so many counts")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part is called {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    found: dict[str, Any] = {"hamex": hamex.__version__, "python": platform.python_version(), "numpy": np.__version__}
    for name in options.parts or PARTS:
        measure, show = PARTS[name]
        found[name] = measure(options.repeats)
        show(found[name])
        print()
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
