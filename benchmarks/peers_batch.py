"""Rivals of the batch: each gives CPU seconds for a family of oscillators, and peak displacements for the gate."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import limits
import measuring
import numpy as np
import opensees_oscillators
import oscillators
import ours
import peers
from measuring import NotMeasuredError

Array = np.ndarray[Any, Any]
Family = oscillators.Family


@dataclass(frozen=True)
class Rival:
    """``peaks(family, finer)``: largest displacements with steps ``finer`` times shorter; ``seconds(family)``: CPU of
    one march of the family with the record's step."""

    name: str
    kind: str  # hamex, limit or peer
    count: int  # oscillators that are timed
    peaks: Callable[[Family, int], Array]
    seconds: Callable[[Family], Callable[[], float]]
    how: str
    gate: int | None = None  # oscillators in the gate, all by default
    finest: int = 64  # shortest step in the search for equal error


def hamex(threads: int = 1, dtype: Any = np.float64, inside: bool = False) -> Rival:
    """``hx.batch``, the whole call from arrays of parameters to arrays of peaks, at the nodes or inside the steps."""
    ours.need("batch")
    kind = np.dtype(dtype).name

    def peaks(given: Family, finer: int) -> Array:
        return ours.batch(given, finer=finer, threads=threads, dtype=dtype, peaks="inside" if inside else "nodes")

    def seconds(given: Family) -> Callable[[], float]:
        return lambda: measuring.cpu(lambda: peaks(given, 1))

    name = ("hamex, peaks inside" if inside else "hamex") + ("" if kind == "float64" else f", {kind}")
    return Rival(name, "hamex", 32768, peaks, seconds, "hx.batch, one thread")


def limit(dtype: Any = np.float64, plain: bool = False) -> Rival:
    """C with vectors, or the plain loop of C."""
    kind = np.dtype(dtype).name
    try:
        tried = limits.Batch(oscillators.family(256), oscillators.mean_load(), oscillators.STEP, dtype)
    except limits.LimitError as error:
        raise NotMeasuredError(str(error)) from error
    vectors = (0,) if plain else tried.vectors[1:]

    def peaks(given: Family, finer: int) -> Array:
        one = limits.Batch(given, oscillators.mean_load(finer), oscillators.STEP / finer, dtype)
        one.run(0 if plain else one.vectors[-1])
        return one.peak

    def seconds(given: Family) -> Callable[[], float]:
        one = limits.Batch(given, oscillators.mean_load(), oscillators.STEP, dtype)
        return lambda: min(measuring.cpu(functools.partial(one.run, n)) for n in vectors)

    name = ("C, plain loop" if plain else "C with vectors") + ("" if kind == "float64" else f", {kind}")
    how = "left to the compiler" if plain else f"best of {vectors[0]} … {vectors[-1]} vectors of {tried.wide} bytes"
    return Rival(name, "limit", 32768, peaks, seconds, how)


def opensees(way: str, count: int, how: str) -> Rival:
    """OpenSees in a child process; only its analysis is timed, not the building of the model."""

    def ask(given: Family, finer: int, timed: bool) -> dict[str, Any]:
        names = opensees_oscillators.PARAMETERS
        case = {
            **{name: given[name] for name in names},
            "way": way,
            "timed": timed,
            "acceleration": oscillators.ground(finer),
            "step": oscillators.STEP / finer,
        }
        try:
            (answer,) = opensees_oscillators.run([case])
        except opensees_oscillators.OscillatorsError as error:
            raise NotMeasuredError(str(error)) from error
        if answer["failed"]:
            raise NotMeasuredError(f"{answer['failed']} runs did not converge")
        return answer

    def peaks(given: Family, finer: int) -> Array:
        return np.array(ask(given, finer, False)["peak"])

    def seconds(given: Family) -> Callable[[], float]:
        return lambda: float(ask(given, 1, True)["cpu"])

    return Rival(f"OpenSees, {way}", "peer", count, peaks, seconds, how)


def _loop(name: str, count: int, how: str, march: Callable[[float, float, float, float, Array, float], float]) -> Rival:
    """A peer that marches one oscillator (k, c, Fy, damping ratio) per call, under a ground acceleration and a step."""

    def peaks(given: Family, finer: int) -> Array:
        ground, step = oscillators.ground(finer), oscillators.STEP / finer
        rows = zip(given["stiffness"], given["damping"], given["yield_force"], strict=True)
        return np.array([march(float(k), float(c), float(fy), oscillators.DAMPING, ground, step) for k, c, fy in rows])

    def seconds(given: Family) -> Callable[[], float]:
        return lambda: measuring.cpu(lambda: peaks(given, 1))

    return Rival(name, "peer", count, peaks, seconds, how)


def gmspy() -> Rival:
    """The compiled loop behind gmspy's constant-ductility spectra."""
    kernel = peers.load("gmspy._const_duct_spec").sdf_response
    return _loop(
        "gmspy",
        500,
        "sdf_response, compiled by numba; linear acceleration",
        lambda k, c, fy, zeta, ground, step: kernel(1.0, zeta, k, fy, 0.0, ground, step)[0],
    )


def sdof() -> Rival:
    """The C library of STAIRlab."""
    integrate = peers.load("sdof").integrate
    return _loop(
        "sdof",
        500,
        "integrate(fy=), C; whole history, then its peak",
        lambda k, c, fy, zeta, ground, step: np.abs(integrate(-ground, step, k, c, 1.0, fy=fy)[0]).max(),
    )


def structdyn() -> Rival:
    """structdyn, plain Python."""
    package, laws = peers.load("structdyn"), peers.load("structdyn.utils.material_models")
    motion = peers.load("structdyn.ground_motions.ground_motion").GroundMotion

    def march(k: float, c: float, fy: float, zeta: float, ground: Array, step: float) -> float:
        record = motion.from_arrays(ground / oscillators.GRAVITY, step, scale_factor=oscillators.GRAVITY)
        system = package.SDF(1.0, k, zeta, fd=laws.ElasticPerfectlyPlastic(uy=fy / k, fy=fy))
        return float(np.abs(system.find_response_ground_motion(record)["displacement"]).max())

    rival = _loop("structdyn", 2, "find_response_ground_motion, plain Python", march)
    return replace(rival, gate=10, finest=4)  # for want of time


Maker = Callable[[], Rival]
BOTH: dict[str, Maker] = {
    "hamex": hamex,
    "hamex, peaks inside": lambda: hamex(inside=True),
    "hamex, float32": lambda: hamex(dtype=np.float32),
    "C with vectors": limit,
    "C with vectors, float32": lambda: limit(np.float32),
    "C, plain loop": lambda: limit(plain=True),
    "OpenSees, one model each": lambda: opensees("one", 20, "one model each, Newmark"),
    "OpenSees, all in one model": lambda: opensees("together", 200, "all in one model, Newmark"),
}
RIVALS: dict[str, dict[str, Maker]] = {
    "viscous": BOTH,
    "rate independent": {
        **BOTH,
        "OpenSees, sdfResponse": lambda: opensees("sdfResponse", 100, "its function for this task, Newmark"),
        "gmspy": gmspy,
        "sdof": sdof,
        "structdyn": structdyn,
    },
}


def available(law: str) -> tuple[dict[str, Rival], dict[str, str]]:
    """Rivals that can be measured here, and why the others cannot."""
    found: dict[str, Rival] = {}
    missing: dict[str, str] = {}
    for name, make in RIVALS[law].items():
        try:
            found[name] = make()
        except NotMeasuredError as reason:
            missing[name] = str(reason)
    return found, missing
