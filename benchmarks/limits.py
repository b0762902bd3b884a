"""What this processor can do: small C programs made for one task each, built here and called through ctypes.

They are not part of hamex and share no code with it: a batch of viscoplastic oscillators, an elastic spectrum. Flags
are those of the fastest code that is still right: contraction and free choice between equal extremes let the compiler
use one instruction for a product with a sum and for a minimum; nothing may reorder a sum, and NaN is not looked for.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
BUILD = HERE / "build"
FLAGS = (
    "-O3",
    "-march=native",
    "-ffp-contract=fast",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-signed-zeros",
    "-ffinite-math-only",
)
VECTORS = (2, 3, 4, 5, 6, 8)  # in flight; which is best depends on the processor
Array = np.ndarray[Any, Any]


class LimitError(RuntimeError):
    """No C limit here."""


def compiler() -> str | None:
    """The C compiler, or None."""
    return shutil.which(os.environ.get("CC", "gcc"))


def library(name: str, *flags: str) -> ctypes.CDLL:
    """``c/<name>.c`` as a loaded library; built again only when source, flags or compiler change."""
    command = compiler()
    if command is None:
        raise LimitError("no C compiler (gcc) is installed")
    source = HERE / "c" / f"{name}.c"
    version = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    options = (*FLAGS, *flags)
    key = hashlib.sha256("\n".join([source.read_text(), version, *options, *_processor()]).encode()).hexdigest()[:16]
    target = BUILD / f"{name}-{key}.so"
    if not target.exists():
        BUILD.mkdir(exist_ok=True)
        fresh = target.with_suffix(f".{os.getpid()}")  # two runs may build at once
        done = subprocess.run(
            [command, *options, "-shared", "-fPIC", "-o", str(fresh), str(source), "-lm"],
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise LimitError(f"{source.name} cannot be built:\n{done.stderr[-2000:]}")
        fresh.replace(target)
    return ctypes.CDLL(str(target))


def _processor() -> list[str]:
    """What -march=native depends on."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return []
    return sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})


class Batch:
    """Oscillators under one record; ``run(vectors)`` fills ``peak`` and ``slip``, vectors 0 being the plain loop."""

    def __init__(self, oscillators: dict[str, Array], load: Array, step: float, dtype: Any = np.float64) -> None:
        real = np.dtype(dtype)
        self.wide = wide = self._wide()
        self.library = library(
            "batch",
            f"-DREAL={'double' if real.itemsize == 8 else 'float'}",
            f"-DBYTES={wide}",
            f"-mprefer-vector-width={8 * wide}",
        )
        names = ("mass", "damping", "stiffness", "yield_force", "viscosity", "scale")
        self.inputs = [np.ascontiguousarray(oscillators[name], real) for name in names]
        self.load = np.append(load, 0.0).astype(real)
        self.pairs = (np.append(load, 0.0) + np.append(load, [0.0, 0.0])[1:]).astype(real)
        count = self.inputs[0].size
        self.peak, self.slip = np.zeros(count, real), np.zeros(count, real)
        scalar = ctypes.c_double if real.itemsize == 8 else ctypes.c_float
        lanes = wide // real.itemsize
        self.vectors = (0, *(n for n in VECTORS if n * lanes <= count))
        pointer = ctypes.c_void_p
        fields: list[tuple[str, Any]] = [
            ("count", ctypes.c_long),
            ("steps", ctypes.c_long),
            ("step", scalar),
            *((name, pointer) for name in ("load", "pairs", *names, "peak", "slip")),
        ]
        layout = type("Layout", (ctypes.Structure,), {"_fields_": fields})
        arrays = (self.load, self.pairs, *self.inputs, self.peak, self.slip)
        self.layout = layout(count, len(load), step, *(array.ctypes.data for array in arrays))

    @staticmethod
    def _wide() -> int:
        """Bytes of a vector register."""
        return 64 if any("avx512f" in line.split() for line in _processor()) else 32

    def run(self, vectors: int) -> None:
        """One march of all."""
        name = f"batch_{vectors}" if vectors else "batch_plain"
        getattr(self.library, name)(ctypes.byref(self.layout))


class Spectrum:
    """Elastic oscillators under one record; ``run(vectors)`` fills the peak displacements at the samples."""

    def __init__(self, periods: Array, acceleration: Array, step: float, damping: float = 0.05) -> None:
        self.library = library("spectrum")
        self.periods = np.ascontiguousarray(periods, float)
        self.acceleration = np.ascontiguousarray(acceleration, float)
        self.peak, self.room = np.zeros(len(periods)), np.zeros(6 * len(periods))
        self.damping, self.step = ctypes.c_double(damping), ctypes.c_double(step)
        self.vectors = tuple(n for n in VECTORS if 4 * n <= len(periods))

    def run(self, vectors: int) -> Array:
        """Peak displacements, one per period."""
        at = ctypes.c_void_p
        getattr(self.library, f"spectrum_{vectors}")(
            ctypes.c_long(self.periods.size),
            at(self.periods.ctypes.data),
            self.damping,
            ctypes.c_long(self.acceleration.size),
            at(self.acceleration.ctypes.data),
            self.step,
            at(self.room.ctypes.data),
            at(self.peak.ctypes.data),
        )
        return self.peak
