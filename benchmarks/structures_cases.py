"""One frame of ``frames.py`` for every rival: hamex, OpenSees and the explicit leap-frog, and their drifts."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import frames
import numpy as np

import hamex as hx
from hamex.schemes.leapfrog import march_row

Array = np.ndarray[Any, Any]


def cpu(work: Callable[[], Any]) -> float:
    """CPU seconds of one call, all threads."""
    start = time.process_time()
    work()
    return time.process_time() - start


def recycle_memory(recycle: bool) -> None:
    """Let the allocator keep what is freed, as in a long loop over runs, or return it, so that every run begins on new
    pages. Left to itself it changes its mind during a benchmark, and new pages cost as much as the arithmetic."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallopt"):
        return  # not glibc
    trim, largest = -1, -3
    library.mallopt(trim, 2**30 if recycle else 2**16)
    library.mallopt(largest, 2**25 if recycle else 2**16)  # blocks beyond this are always new pages


def model(frame: frames.Frame) -> hx.Model:
    """The frame as hamex takes it."""
    laws = [
        hx.Slider(*row)
        for row in zip(frame.yield_forces, frame.viscosities, frame.kinematic, frame.isotropic, strict=True)
    ]
    return hx.shear_frame(frame.masses, frame.stiffnesses, frame.dashpots, laws)


def motion(scale: float = 1.0, times: int = 1) -> hx.GroundMotion:
    """El Centro, scaled and repeated end to end."""
    record = hx.el_centro()
    samples = np.tile(scale * record.acceleration, times)
    return hx.GroundMotion(samples, record.step, record.unit, f"{record.source} × {scale:g}, {times} times")


def problem(frame: frames.Frame, duration: float, scale: float = 1.0, times: int = 1) -> hx.Problem:
    """The frame under El Centro."""
    built = model(frame)
    return hx.Problem(built, motion(scale, times).on(built, g=frames.GRAVITY), duration=duration)


def opensees(frame: frames.Frame, duration: float, step: float, scale: float = 1.0, **options: Any) -> dict[str, Any]:
    """The frame under El Centro as a case for the twin."""
    record = motion(scale)
    # hamex lets a record end with a zero sample, OpenSees at once.
    return {
        "kind": "shear",
        **asdict(frame),
        "acceleration": frames.GRAVITY * np.append(record.acceleration, 0.0),
        "sample_step": record.step,
        "step": step,
        "steps": round(duration / step),
        **options,
    }


def explicit(frame: frames.Frame, duration: float, step: float, scale: float = 1.0) -> tuple[Callable[[], int], Array]:
    """The leap-frog of the frame as a call that returns its code, and the displacements that the call fills."""
    steps = round(duration / step)
    record = motion(scale)
    times = np.arange(steps + 1) * step
    # Beyond the record comes one zero sample, as in hamex.
    nodes = np.interp(times, np.arange(record.acceleration.size + 1) * record.step, np.append(record.acceleration, 0.0))
    load = frames.GRAVITY * nodes

    def ground(x: Array) -> Array:
        return np.concatenate([[0.0], x])

    size = frame.masses.size + 1
    numbers = (1.0 / frame.masses, frame.stiffnesses, frame.dashpots, frame.yield_forces, frame.viscosities)
    chain = np.stack([ground(x) for x in (*numbers, frame.kinematic, frame.isotropic)])
    u = np.zeros((steps + 1, size))

    def march() -> int:
        u[0] = 0.0
        slip, momentum = np.empty((steps + 1, size)), np.empty((steps + 1, size))  # part of the work
        slip[0] = 0.0
        path = (u, slip, momentum, np.zeros((1, size)), np.zeros((1, size)), np.zeros(size), np.zeros(size + 1))
        return march_row(chain, load, ground(-frame.masses), path, step, 0.5, 0, 0, True)

    return march, u


def drifts(displacement: Array) -> Array:
    """Storey drifts of floors that stand on the ground."""
    return np.diff(displacement, axis=1, prepend=0.0)


def apart(frame: frames.Frame, found: Array, reference: Array) -> float:
    """Largest difference of peak drifts, relative to the storey's peak, or to its yield drift where that is larger."""
    peaks, expected = np.abs(found).max(axis=0), np.abs(reference).max(axis=0)
    return float((np.abs(peaks - expected) / np.maximum(expected, frame.yield_forces / frame.stiffnesses)).max())
