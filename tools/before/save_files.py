"""Save solutions with their problems as files, with the hamex of this environment: python save_files.py FOLDER.

Made once by the version that ``make before`` compares with; ``tests/solution/test_kept_problems.py`` reads them for
good.
"""

from __future__ import annotations

import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import problems as p

import hamex as hx

FREE = hx.State(np.array([0.02]), np.array([0.1]), np.array([0.004]))
SHORT = {"scale": 15.0, "duration": 0.2, "error": False}
WEIGHT = {"N10.y": -220.0, "N11.y": -200.0}


def standing() -> hx.Solution:
    """A frame under its gravity."""
    frame = p.portal(p.HINGES["imk"])
    problem = p.shaken(frame, 15.0, duration=0.2, standing=WEIGHT, start=hx.gravity(frame, WEIGHT))
    return hx.solve(problem, p.SCHEMES["path"])


LINKS = ("maxwell", "power", "isolator", "gap")
KEPT = [law for law in p.PATH if law not in ("kinematic", "multilinear", "imk-peak", "imk-opensees")]
RUNS = {
    **{f"oscillator-{law}": partial(p.run, partial(p.oscillator, law), p.SCHEMES["path"], **SHORT) for law in KEPT},
    "oscillator-viscous": partial(p.run, partial(p.oscillator, "viscous"), p.SCHEMES["mean"], 15.0, duration=0.2),
    "oscillator-power": partial(p.run, partial(p.oscillator, "power"), p.SCHEMES["dg-1"], **SHORT),
    "oscillator-free": lambda: p.loaded(p.oscillator, p.LOADS["none"], p.SCHEMES["mean"], start=FREE, duration=0.2),
    "oscillator-located": partial(p.run, p.oscillator, hx.Galerkin(0.02, degree=2, locate=True), **SHORT),
    "building-parallel": partial(p.run, partial(p.building, "parallel"), p.SCHEMES["mean"], 15.0, duration=0.2),
    "building-newmark": partial(p.run, partial(p.building, "kinematic"), p.SCHEMES["newmark"], **SHORT),
    "building-degree-3": partial(p.run, partial(p.building, "viscous"), p.SCHEMES["degree-3"], **SHORT),
    "building-limit": partial(p.run, p.building, p.SCHEMES["mean"], limit=hx.Limit(1e-4), **SHORT),
    "building-thinned": partial(p.run, p.building, p.SCHEMES["mean"], keep=hx.Keep(5, ("displacement",)), **SHORT),
    "building-settled": partial(p.run, p.building, p.SCHEMES["mean"], settle=0.2, duration=32.0, error=False, keep=200),
    "portal-imk-standing": standing,
    "space-surface": partial(p.run, p.space, p.SCHEMES["mean"], **SHORT),
    "truss": partial(p.run, p.truss, p.SCHEMES["dg-0"], **SHORT),
    "rod-moving": partial(p.moved, p.SCHEMES["mean"]),
    "body": partial(p.run, p.body, p.SCHEMES["mean"], error=False, duration=0.05),
    "matrices": partial(p.run, partial(p.matrices, True), p.SCHEMES["mean"], **SHORT),
    **{f"link-{link}": partial(p.run, partial(p.linked, link), p.SCHEMES["mean"], **SHORT) for link in LINKS},
    "pushover-portal": lambda: hx.pushover(p.portal(p.HINGES["plastic"]), {"N10.x": 1.0}, 0.1, steps=20),
    "cyclic-imk": lambda: hx.cyclic(p.oscillator("imk"), [1.0], [0.01, 0.03], points=8),
}


def main(folder: Path) -> None:
    """Save every run, whole, with its problem."""
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    for name, run in RUNS.items():
        solution = run()
        solution.save(folder / f"{name}.nc", problem=True)
        print(name, solution.status.name, (folder / f"{name}.nc").stat().st_size)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
