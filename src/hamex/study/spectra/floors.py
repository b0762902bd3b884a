"""Floor spectra: what equipment on the floors of a structure feels, from the absolute accelerations of a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import is_one_of
from hamex.errors import InputError
from hamex.model.algebra import rows
from hamex.model.layout import Layout
from hamex.model.units import UNSTATED_LENGTH, Units
from hamex.motion.ground import GroundMotion
from hamex.solution.shaking import GROUND, check_accelerations, ground_accelerations
from hamex.solution.solution import Solution
from hamex.solution.source import Run
from hamex.study.spectra import spectrum
from hamex.study.spectra.result import Spectrum

Array = NDArray[Any]
_RESOLVED = 10  # steps a period: the shortest period by default
_LONGEST, _COUNT = 5.0, 150  # s, and periods from there down to the shortest
_READ = (
    "acceleration of a floor: mean of each step, with that of the ground, linear between the middles of the steps; an "
    "oscillator with 20 steps a period feels 1 % less of it, one with 10 steps 5 %"
)


def floor_spectrum(
    solution: Solution,
    levels: str | Sequence[str] | None = None,
    *,
    periods: ArrayLike | None = None,
    damping: ArrayLike = 0.05,
    interpolation: Literal["linear", "band-limited"] = "linear",
    threads: int | None = None,
) -> Spectrum:
    """Response spectra of the absolute accelerations of floors; ``sol.floor_spectrum(…)`` is the same.

    Equipment is light: it feels the floor, and the structure does not feel the equipment.

    Parameters
    ----------
    solution : a run of :func:`hamex.solve` in time, with every step kept.
    levels : names, or one name: storeys (the level on top of each; mean motion of its nodes), degrees of freedom such
        as "floor 3" or "B.x", or "ground". All storeys by default, all degrees of freedom where there are none.
    periods : of the equipment [s]; by default 150 from ten steps of the run to 5 s.
    damping : of the equipment, ratios of critical, a number or (n,).
    interpolation : of the acceleration between the middles of the steps, as for :func:`hamex.spectrum`.
    threads : number of threads; by default as many as pay.

    Returns
    -------
    Spectrum with dims (level, damping, period): absolute_acceleration, pseudo_acceleration [length/s²], velocity,
    pseudo_velocity [length/s], displacement relative to the floor [length]; ``.plot()`` draws it.

    Examples
    --------
    >>> import hamex as hx
    >>> frame = hx.shear_frame([1.0, 1.0], [300.0, 200.0], hx.modal(0.05), units=hx.Units("m", "kN"))
    >>> sol = hx.solve(hx.Problem(frame, hx.el_centro().on(frame), 30.0), hx.Galerkin(0.01))
    >>> floors = sol.floor_spectrum(["ground", "floor 2"], periods=[0.2, 1.0])
    >>> floors["absolute_acceleration"].dims, floors.unit("absolute_acceleration")
    (('level', 'damping', 'period'), 'm/s²')
    """
    if not isinstance(solution, Solution):
        raise InputError(f"floor_spectrum: needs the solution of a run, got {type(solution).__name__}")
    check_accelerations("floor_spectrum", solution)
    known = _levels(solution)
    chosen = _chosen(levels, known, solution.layout)
    stated = solution.units.length != UNSTATED_LENGTH
    gravity = Units(solution.units.length, solution.units.force).gravity if stated else 1.0
    absolute, h = solution.values("absolute_acceleration"), solution.step
    motions = [GroundMotion(_motion(solution, known[name], absolute) / gravity, h, "g", name) for name in chosen]
    wanted = np.geomspace(min(_RESOLVED * h, _LONGEST / 2), _LONGEST, _COUNT) if periods is None else periods
    found = spectrum(motions, wanted, damping, g=gravity, interpolation=interpolation, threads=threads)
    coordinates = {"level": np.array(chosen), **{k: v for k, v in found.coordinates.items() if k != "motion"}}
    words = {key: value for key, value in found.attributes.items() if key not in ("source", "motions")}
    return dataclasses.replace(
        found,
        coordinates=coordinates,
        length=solution.units.length,
        attributes=words
        | {
            "source": f"{len(chosen)} levels, {solution.source.by}, step {h:g} s",
            "floors": _READ,
            "length": solution.units.length,
        },
    )


def _levels(solution: Solution) -> dict[str, Any]:
    """Levels by name: rows over the dofs, the number of a dof, or None for a ground that moves as one."""
    layout = solution.layout
    found: dict[str, Any] = {}
    if layout.storeys is not None and layout.storeys.floors is not None:
        found |= {name: layout.storeys.floors[[place]] for place, name in enumerate(layout.storeys.names)}
    for place, (name, turns) in enumerate(zip(layout.dofs, layout.turning_dofs, strict=True)):
        if not turns:
            found.setdefault(name, place)
    if isinstance(solution.source, Run) and np.any(solution.loading.ground):
        found.setdefault(GROUND, None)
    return found


def _chosen(levels: Any, known: dict[str, Any], layout: Layout) -> list[str]:
    if levels is None:
        of_storeys = layout.storeys is not None and layout.storeys.floors is not None
        return [name for name, level in known.items() if level is not None and isinstance(level, int) != of_storeys]
    names = [levels] if isinstance(levels, str) or not isinstance(levels, Iterable) else list(levels)
    if not names:
        raise InputError("floor_spectrum: no levels; leave them out for all")
    for name in names:
        if not is_one_of(name, known):
            few = ", ".join(map(repr, list(known)[:12])) + (" …" if len(known) > 12 else "")
            raise InputError(f"floor_spectrum: there is no level {name!r}; there are {few}")
    return names


def _motion(solution: Solution, level: Any, absolute: Array) -> Array:
    """Acceleration of a level in the middle of every step [length/s²]."""
    if isinstance(level, int):
        return absolute[:, level]
    if level is not None:
        return rows(absolute, level.T)[:, 0]
    ways = ground_accelerations(solution)
    return np.asarray(ways[:, int(np.abs(ways).max(axis=0).argmax())])  # in the direction in which it shakes most
