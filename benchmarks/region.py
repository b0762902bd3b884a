"""A region of generated buildings of 1 to 12 storeys under El Centro, end to end: seconds, memory, and four checks.

    python benchmarks/region.py 1000000

End to end is everything from the seed to Parquet, summary and page, with the store of parts as the command has it.
Memory is the largest sum of proportional set sizes over this process and its workers. Checks: buildings one by one
through ``hx.solve``; some of each height in OpenSees at an eighth of the step; the share within 2 % of a run at h/8.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import os
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import measuring
import numpy as np

import hamex as hx
from hamex.report.region import write_region_page
from hamex.study.regions.result import Region
from hamex.study.regions.shear_frames import GRAVITY, rayleigh_of, regular_shear_frames, single

SEED = 1
SINGLY, TWINS = 200, 1  # buildings run one by one; in OpenSees, of each height
# Bounds of the lines that must be shown.
SECONDS, GIGABYTES, EQUAL = 120.0, 4.0, 1e-10
PARAMETERS = ("period", "strength", "damping", "hardening", "relaxation", "height")


class Memory(threading.Thread):
    """Watches the memory of this process and its children; shared pages count once."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.largest, self.ended = 0, threading.Event()

    def run(self) -> None:
        while not self.ended.wait(0.25):
            self.largest = max(self.largest, sum(_size(pid) for pid in _family(os.getpid())))


def _family(pid: int) -> list[int]:
    try:
        below = [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return [pid]
    return [pid, *(other for child in below for other in _family(child))]


def _size(pid: int) -> int:
    """Proportional set size [bytes]; 0 for a process that has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0


def end_to_end(count: int, folder: Path, workers: int | None) -> tuple[Region, dict[str, float]]:
    """From the seed to the files; seconds of each stage."""
    laps: dict[str, float] = {}
    begun = time.perf_counter()

    def lap(name: str) -> None:
        laps[name] = time.perf_counter() - begun - sum(laps.values())

    town = hx.generate_inventory(count, SEED)
    lap("generate")
    found = hx.region(town, hx.el_centro(), workers=workers, store=folder / "parts")
    lap("region")
    found.save(folder / "buildings.parquet")
    lap("Parquet")
    assert found.summary
    lap("summary")
    write_region_page(found, folder / "region.html")
    lap("page")
    return found, laps


def frame_of(found: Region, i: int) -> Any:
    """One building as frames of one."""
    x = found.inventory
    return regular_shear_frames(int(x.storeys[i]), *(getattr(x, name)[i : i + 1] for name in PARAMETERS))


def one_by_one(found: Region, sample: np.ndarray[Any, Any]) -> float:
    """Largest difference from ``hx.solve`` in any storey, relative to the building's largest value."""
    worst = 0.0
    for i in sample:
        frames, motion, h = frame_of(found, i), found.grid.motions[found.shaking.station[i]], float(found.step[i])
        model = single(frames, 0)
        load = motion.scaled(float(found.shaking.factor[i])).on(model, g=GRAVITY)
        steps = max(1, math.ceil(load.end / h - 1e-9))
        alone = hx.solve(hx.Problem(model, load, duration=steps * h), hx.Galerkin(h))
        height, together = frames.heights[0], found.building(int(i))
        peaks = {name: np.abs(alone.values(name)).max(axis=0) for name in ("storey_drift", "absolute_acceleration")}
        for name, values in (
            ("drift_ratio", peaks["storey_drift"] / height),
            ("floor_acceleration", peaks["absolute_acceleration"] / GRAVITY),
            ("residual_drift_ratio", np.abs(alone.values("slip")[-1]) / height),
        ):
            scale = together["peak_drift_ratio"] if "drift" in name else together["peak_floor_acceleration"]
            worst = max(worst, float(np.abs(together[name] - values).max() / scale))
    return worst


def beside_opensees(found: Region, sample: np.ndarray[Any, Any], finer: int) -> np.ndarray[Any, Any]:
    """Largest storey drift of each building here, relative to OpenSees' at a shorter step, minus one."""
    import region_opensees

    cases, ours = [], []
    for i in sample:
        frames, motion, h = frame_of(found, i), found.grid.motions[found.shaking.station[i]], found.step[i] / finer
        omega = 2 * np.pi / found.inventory.period[i : i + 1]
        alpha, beta = rayleigh_of(frames.storeys, omega, found.inventory.damping[i : i + 1])
        samples = GRAVITY * found.shaking.factor[i] * motion.acceleration
        cases.append(
            {
                "masses": frames.mass[0],
                "stiffnesses": frames.stiffness[0],
                "dashpots": beta[0] * frames.stiffness[0],
                "mass_damping": float(alpha[0]),
                "yield_forces": frames.yield_force[0],
                "viscosities": frames.viscosity[0],
                "kinematic": frames.kinematic[0],
                "isotropic": np.zeros(frames.storeys),
                "acceleration": samples,
                "sample_step": motion.step,
                "step": float(h),
                "steps": round(motion.duration / h),
            }
        )
        ours.append(found.building(int(i))["drift_ratio"].max() * frames.heights[0, 0])
    theirs = region_opensees.peak_drifts(cases)
    return np.array([mine / max(peaks) - 1.0 for mine, peaks in zip(ours, theirs, strict=True) if peaks is not None])


def main() -> None:
    """Measure and print."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("count", type=int, nargs="?", default=20_000)
    reader.add_argument("--workers", type=int, default=None)
    given = reader.parse_args()
    watch = Memory()
    watch.start()
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        found, laps = end_to_end(given.count, Path(folder), given.workers)
        seconds = time.perf_counter() - begun
    watch.ended.set()
    watch.join()
    storeys, error = found.inventory.storeys, found.check
    assert error is not None
    steps = float((storeys * hx.el_centro().duration / found.step).sum())
    rng = np.random.default_rng(SEED)
    alone = one_by_one(found, rng.choice(given.count, min(SINGLY, given.count), replace=False))
    context = measuring.context()
    print(
        f"{given.count:,} buildings, {storeys.sum():,} storeys, {steps:.3g} storey-steps, {found.failed} failed; "
        f"{context['cores']} cores, load {context['load']}"
    )
    print("  " + ", ".join(f"{name} {value:.1f} s" for name, value in laps.items()))
    print(
        f"  computation {found.kernel_seconds:.1f} CPU s, {1e9 * found.kernel_seconds / steps:.2f} ns per storey and "
        f"step; {given.count / seconds:,.0f} buildings a second end to end"
    )
    print(
        f"  step {found.step.min():g} to {found.step.max():g} s; of {len(error.rows)} within 2 % of h/{error.finer}: "
        f"drift {100 * error.share():.1f} %, acceleration {100 * error.share('peak_floor_acceleration'):.1f} %"
    )
    if importlib.util.find_spec("openseespy"):
        picked = np.concatenate([np.flatnonzero(storeys == n)[:TWINS] for n in np.unique(storeys)])
        apart = np.abs(beside_opensees(found, picked, error.finer))
        print(
            f"  largest drift beside OpenSees at h/{error.finer}, {len(apart)} of {len(picked)} buildings: median "
            f"{100 * np.median(apart):.2f} %, largest {100 * apart.max():.2f} % apart"
        )
    else:
        print("  OpenSees is not installed: not compared")
    measuring.show_claims(
        [
            measuring.claim(f"{given.count:,} buildings end to end", seconds, SECONDS, " s", at_most=True),
            measuring.claim("memory of all processes", watch.largest / 1e9, GIGABYTES, " GB", at_most=True),
            measuring.claim(
                f"{min(SINGLY, given.count)} buildings against hx.solve: largest relative difference",
                alone,
                EQUAL,
                at_most=True,
            ),
        ]
    )


if __name__ == "__main__":
    main()
