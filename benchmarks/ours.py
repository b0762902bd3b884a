"""hamex in these benchmarks: every call of ``hx.batch`` and ``hx.spectrum`` stands here."""

from __future__ import annotations

from typing import Any

import frames
import numpy as np
import oscillators
from measuring import NotMeasuredError

import hamex as hx

Array = np.ndarray[Any, Any]


def need(*names: str) -> None:
    """Refuse, with the reason, where this version of hamex has no such function."""
    for name in names:
        try:
            getattr(hx, name)
        except (AttributeError, ImportError) as error:
            raise NotMeasuredError(f"hamex {hx.__version__} has no {name}") from error


def models(given: oscillators.Family) -> Any:
    """A family of ``oscillators.py`` as hamex takes it."""
    need("oscillators")
    return hx.oscillators(
        mass=given["mass"],
        stiffness=given["stiffness"],
        damping=given["damping"],
        yield_force=given["yield_force"],
        viscosity=given["viscosity"],
    )


def motion(times: int = 1) -> hx.GroundMotion:
    """El Centro, end to end as often as asked for."""
    record = oscillators.RECORD
    if times == 1:
        return record
    return hx.GroundMotion(np.tile(record.acceleration, times), record.step, record.unit, record.source)


def batch(
    given: oscillators.Family,
    finer: int = 1,
    times: int = 1,
    threads: int | None = 1,
    dtype: Any = np.float64,
    peaks: str = "nodes",
) -> Array:
    """Peak displacements of a family under El Centro, from plain arrays to a plain array."""
    need("batch")
    found = hx.batch(
        models(given),
        motion(times),
        hx.Galerkin(oscillators.STEP / finer),
        measures=("displacement",),
        g=oscillators.GRAVITY,
        peaks=peaks,
        threads=threads,
        dtype=np.dtype(dtype).name,
    )
    return np.asarray(found.values("displacement"))[:, 0, 0]


def buildings(given: dict[str, Array], threads: int | None = 1) -> Array:
    """Peak displacements (building, floor) of shear frames under El Centro."""
    need("batch", "shear_frames")
    frames_given = hx.shear_frames(
        masses=given["masses"],
        stiffnesses=given["stiffnesses"],
        damping=given["dashpots"],
        yield_forces=given["yield_forces"],
        viscosities=given["viscosities"],
    )
    found = hx.batch(
        frames_given,
        motion(),
        hx.Galerkin(oscillators.STEP),
        measures=("displacement",),
        g=frames.GRAVITY,
        threads=threads,
    )
    return np.asarray(found.values("displacement"))[:, 0, 0]


def spectrum(periods: Array, peaks: str) -> Array:
    """Pseudo-acceleration of El Centro [m/s²], 5 % damping."""
    need("spectrum")
    found = hx.spectrum(oscillators.RECORD, periods, damping=oscillators.DAMPING, g=oscillators.GRAVITY, peaks=peaks)
    return found.values("pseudo_acceleration").ravel()


def constant_ductility(periods: Array, ductilities: tuple[float, ...]) -> Any:
    """Inelastic spectra of El Centro at constant ductility, searched for."""
    need("spectrum")
    found = hx.spectrum(
        oscillators.RECORD, periods, damping=oscillators.DAMPING, g=oscillators.GRAVITY, ductility=ductilities
    )
    found.values("strength")
    return found


def ductility_off(periods: Array, ductilities: tuple[float, ...]) -> float:
    """Largest relative difference of the ductilities reached by ``hx.solve`` with the strengths found."""
    found = constant_ductility(periods, ductilities)
    off = []
    for target, strengths in zip(ductilities, found.values("strength")[0], strict=True):
        for period, strength, step in zip(periods, strengths, found.values("step"), strict=True):
            k, fy = (2.0 * np.pi / period) ** 2, strength * oscillators.GRAVITY
            law = hx.Slider(float(fy))
            model = hx.oscillator(mass=1.0, stiffness=k, damping=hx.ratio(oscillators.DAMPING), law=law)
            load = oscillators.RECORD.on(model, g=oscillators.GRAVITY)
            duration = (len(oscillators.RECORD.acceleration) + 1024) * oscillators.RECORD.step
            sol = hx.solve(hx.Problem(model, load, duration), hx.Galerkin(float(step)))
            off.append(abs(np.abs(sol.values("displacement")).max() * k / fy / target - 1.0))
    return float(max(off))
