"""What the engine of studies costs: a study of about a minute on all cores, wall time beside time in the kernels.

Twelve-storey shear frames under synthetic records at many scales. Everything of the study that is not computation
counts as overhead: hashing, starting processes, handing over, writing parts, merging. The models are built before, as
a user would, and their time is told beside.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time

import numpy as np

import hamex as hx


def frames(count: int) -> list[hx.Model]:
    """Frames of different stiffness and strength."""
    rng = np.random.default_rng(7)
    return [
        hx.shear_frame(
            [60.0] * 12,
            (60e3 * rng.uniform(0.7, 1.3, 12)).tolist(),
            damping=hx.ratio(0.03),
            laws=[hx.Slider(strength) for strength in rng.uniform(300.0, 900.0, 12)],
        )
        for _ in range(count)
    ]


def measure(models: int, workers: int) -> dict[str, float]:
    """Seconds by the clock, in computation, and the share that is neither."""
    begun = time.perf_counter()
    records = hx.synthetic_suite(44, seed=1, step=0.01, duration=30.0)
    axes = {"record": records, "model": frames(models), "scale": np.linspace(0.2, 4.0, 20)}
    study = hx.Study(hx.oscillator(1, 1), axes, ("drift",), hx.Galerkin(0.005), g=9.80665)
    built = time.perf_counter() - begun
    with tempfile.TemporaryDirectory() as folder:
        table = study.run(workers=workers, store=folder)
    wall = time.perf_counter() - begun - built
    return {
        "runs": float(np.prod(table.axes.shape)),
        "parts": float(table.ran),
        "wall": wall,
        "built": built,
        "kernel": table.kernel_seconds,
        "overhead": 1 - table.kernel_seconds / (workers * wall),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=900)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    found = measure(given.models, given.workers)
    print(
        f"{found['runs']:,.0f} runs in {found['parts']:.0f} parts on {given.workers} processes: {found['wall']:.1f} "
        f"s by the clock, {found['kernel']:.1f} s of computation, {found['overhead']:.1%} overhead "
        f"(models built before in {found['built']:.1f} s) "
        f"({'holds' if found['overhead'] < 0.1 else 'falls short'}: below 10 % asked)"
    )
