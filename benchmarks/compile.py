"""What the compiler costs, cold and kernel by kernel: `python benchmarks/compile.py [case ...]`.

CPU seconds of a fresh process with an empty cache. A kernel's seconds hold those of its parts that nothing compiled
before it, which are listed too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import measuring

LIMIT = 8.0  # s of the whole, for the cases that users meet first
LIMITED = ("building, modal damping", "building, Rayleigh damping", "portal frame")


def building(damping: Any, *links: Any) -> Any:
    """README's building."""
    import hamex as hx

    laws = [hx.Slider(force, kinematic=1500.0) for force in (600, 560, 480, 380, 250)]
    return hx.shear_frame(
        [60.0] * 5,
        [60e3, 55e3, 48e3, 38e3, 25e3],
        damping,
        laws,
        heights=3.2,
        weights=590.0,
        links=links,
        units=hx.Units("m", "kN"),
    )


def portal() -> Any:
    """Three members with hinges: sliders and interaction surfaces."""
    import hamex as hx

    hinge = hx.Slider(120.0, kinematic=200.0)
    members = {
        name: hx.Member(*ends, modulus=2e8, area=1e-2, inertia=1e-4, hinges=hinge)
        for name, ends in {"left": "AB", "beam": "BC", "right": "DC"}.items()
    }
    return hx.frame(
        {"A": (0, 0), "B": (0, 3), "C": (5, 3), "D": (5, 0)},
        members,
        supports={"A": "fixed", "D": "fixed"},
        masses={"B": (10.0, 10.0, 0.1), "C": (10.0, 10.0, 0.1)},
        damping=hx.rayleigh(0.03),
    )


def cases() -> dict[str, Callable[[], tuple[Any, Any]]]:
    """Model and scheme of every case."""
    import hamex as hx

    def damped() -> Any:
        return building(hx.modal(0.03), hx.Link("damper", None, 1, 2e4, hx.PowerLaw(100.0, 0.3)))

    return {
        "building, modal damping": lambda: (building(hx.modal(0.03)), hx.Galerkin(0.01)),
        "building, Rayleigh damping": lambda: (building(hx.rayleigh(0.03)), hx.Galerkin(0.01)),
        "building, two laws": lambda: (damped(), hx.Galerkin(0.01)),
        "portal frame": lambda: (portal(), hx.Galerkin(0.01)),
        "portal frame, Newmark": lambda: (portal(), hx.Newmark(0.01, safeguarded=True)),
        "two stages": lambda: (damped(), hx.Galerkin(0.01, degree=2)),
        "discontinuous": lambda: (damped(), hx.DiscontinuousGalerkin(0.01, degree=1)),
    }


def compiled(case: str) -> dict[str, Any]:
    """Run a case in this process: CPU seconds in all, and by kernel."""
    import hamex as hx
    from hamex.march import kept

    begun = time.process_time()
    measuring.compile_at_once()
    model, scheme = cases()[case]()
    hx.solve(hx.Problem(model, hx.el_centro().on(model, g=9.80665), duration=20.0), scheme)
    kernels = {name.rpartition("_")[0]: seconds for name, seconds in kept.times()}
    return {"name": case, "seconds": time.process_time() - begun, "kernels": kernels}


def fresh(case: str) -> dict[str, Any]:
    """The same in a fresh process with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(
            [sys.executable, __file__, "--here", case],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": folder},
        )
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def measure(repeats: int = 1, quick: bool = False) -> dict[str, Any]:
    """Every case, the quickest of the repeats."""
    rows = [
        min((fresh(case) for _ in range(repeats)), key=lambda found: found["seconds"])
        for case in list(cases())[: 1 if quick else None]
    ]
    return {
        "repeats": repeats,
        "rows": rows,
        "claims": [
            measuring.claim(f"cold compile, {row['name']}", row["seconds"], LIMIT, " s", at_most=True)
            for row in rows
            if row["name"] in LIMITED
        ],
    }


def show(found: dict[str, Any]) -> None:
    """The table."""
    print(f"CPU seconds with an empty cache, minimum of {found['repeats']}\n")
    for row in found["rows"]:
        print(f"  {row['name']:46}{row['seconds']:7.2f}")
        for name, seconds in sorted(row["kernels"].items(), key=lambda item: -item[1]):
            if seconds >= 0.1:
                print(f"      {name:42}{seconds:7.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        print(json.dumps(compiled(sys.argv[2])))
    else:
        show({"repeats": 1, "rows": [fresh(case) for case in sys.argv[1:] or cases()]})
