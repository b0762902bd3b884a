"""Slow loading: the capacity curve, the bilinear line that takes as much work, and a picture with the structure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.report.page import heading, write_drawing
from hamex.report.structure import bare, good_scale, mark, marks, paint, proportion
from hamex.report.style import BLUE, GREY, INK, RED, mosaic
from hamex.solution.results import frames_at, has_slipped
from hamex.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]
_DRAGGED = 1e-5  # of the area: what the drag of slow loading adds below an elastic, perfectly plastic curve
_SECANT = 0.6  # of the yield force: where the elastic line of ASCE 41 crosses the curve


def draw_push(solution: Solution, title: str = "") -> Figure:
    """Base shear, or the load factor where there is none, over the displacement of the roof, or the controlled one
    where there is no roof; the shape at the end."""
    shape = solution.layout.geometry is not None
    geometry = solution.layout.geometry
    wide = geometry is not None and proportion(geometry) < 1.0  # a low structure needs a wide panel
    layout = [["curve"] * (4 if wide else 6) + ["shape"] * (3 if shape else 0)]
    with mosaic(layout, (9.6 if wide else 8.4) if shape else 6.0, 3.8) as (drawing, axes):
        _curve(axes["curve"], solution, title)
        if shape:
            _shape(axes["shape"], solution)
    return drawing


def _curve(axes: Any, solution: Solution, title: str) -> None:
    (along, u), length = abscissa(solution), solution.units.length
    words, factor = ordinate(solution)
    axes.plot(u, factor, color=BLUE, label=words.partition(" [")[0])
    fit = bilinear(u, factor)
    if fit is not None:
        bend = f"bilinear, yield at {fit.yield_displacement:.4g} {length}"
        axes.plot(*fit.corners, color=INK, lw=0.9, ls="--", label=bend)
    slipped = has_slipped(solution)
    if slipped.any():
        first = slipped[:, slipped[-1]].argmax(axis=0)
        axes.plot(
            u[first],
            factor[first],
            ls="",
            marker="o",
            ms=4,
            color=RED,
            label=f"a {yielding_word(solution)} begins to yield",
        )
    axes.axhline(0, color=GREY, lw=0.6)
    axes.set(xlabel=f"{along} [{length}]", ylabel=words, title=title or "slow loading")
    axes.legend(loc="best", fontsize=8)


def _shape(axes: Any, solution: Solution) -> None:
    geometry = solution.layout.geometry
    assert geometry is not None
    scale = good_scale(geometry, float(np.abs(solution.values("displacement")[-1]).max()))
    last = frames_at(solution, np.array([solution.steps]), scale)
    paint(axes, geometry, geometry.coordinates, weight=1.0, thin=True)
    paint(axes, geometry, last.positions[0])
    mark(axes, marks(geometry, last.positions[0], last.slipped[0], solution.springs, solution.layout.together))
    bare(axes, geometry)
    axes.set_title(f"at the end, displacements × {scale:g}")


@dataclass(frozen=True)
class BilinearFit:
    """Two straight lines up to the largest force: the first through the curve at 0.6 of yield, the areas below equal.

    Attributes
    ----------
    yield_displacement, yield_factor : where the lines meet.
    last_displacement, last_factor : the end of the second line, at the largest load factor.
    """

    yield_displacement: float
    yield_factor: float
    last_displacement: float
    last_factor: float

    @property
    def corners(self) -> tuple[list[float], list[float]]:
        """Displacements and load factors of the three corners."""
        return ([0.0, self.yield_displacement, self.last_displacement], [0.0, self.yield_factor, self.last_factor])


def controlled(solution: Solution) -> Array:
    """Displacement on which the pattern does its work, at the nodes [length]; see :func:`hamex.pushover`."""
    pattern = solution.problem.load.patterns
    assert pattern is not None
    return np.asarray(solution.values("displacement") @ (pattern[:, 0] / np.abs(pattern[:, 0]).sum()))


def control_words(solution: Solution) -> str:
    """What :func:`controlled` is: a dof of its own, or a mean."""
    pattern = solution.problem.load.patterns
    assert pattern is not None
    acted = np.flatnonzero(pattern[:, 0])
    if len(acted) == 1:
        return f"displacement of {solution.dofs[acted[0]]}"
    of = "dofs" if solution.layout.storeys is None else "floors"
    return f"displacement, mean of the {of} weighted by the pattern"


def roof(solution: Solution) -> Array | None:
    """Displacement of the top level in the direction of the push, at the nodes; None without levels or direction."""
    storeys, way = solution.layout.storeys, _way(solution)
    if storeys is None or way is None:
        return None
    own = np.flatnonzero(np.abs(storeys.above @ solution.layout.influence).argmax(axis=1) == way)
    if not own.size:
        return None
    u = solution.values("displacement").T
    # A floor's motion is the sum of the drifts below it, unless its foot moves too.
    return np.asarray((storeys.drift @ u)[own].sum(axis=0) if storeys.floors is None else (storeys.floors @ u)[own[-1]])


def abscissa(solution: Solution) -> tuple[str, Array]:
    """What the curve is drawn over and fitted by, in words and at the nodes [length]: the displacement of the roof, as
    ASCE 41 has it, where it always grows; else, and of cycles, the controlled one."""
    u, top = controlled(solution), roof(solution)
    if top is None or np.any(np.diff(top) * np.sign(u[-1] - u[0]) <= 0):
        return control_words(solution), u
    return "displacement of the roof", top


def yielding_word(solution: Solution) -> str:
    """What yields: hinges where all that did are moments of members, else springs."""
    slipped = has_slipped(solution)[-1]
    return "hinge" if slipped.any() and bool(np.all(solution.layout.turning_springs[slipped])) else "spring"


def _way(solution: Solution) -> int | None:
    """Direction of the ground in which the pattern pushes; None where it pushes in none."""
    pattern = solution.problem.load.patterns
    assert pattern is not None
    along = pattern[:, 0] @ solution.layout.influence
    return int(np.abs(along).argmax()) if np.abs(along).max(initial=0.0) > 1e-9 * np.abs(pattern[:, 0]).sum() else None


def ordinate(solution: Solution) -> tuple[str, Array]:
    """Applied base shear at the nodes, the sum of the pattern's forces along the direction of the ground that it pushes
    in; the load factor where there is none. The springs' base shear is another where there is P-Delta."""
    pattern = solution.problem.load.patterns
    assert pattern is not None
    factor, way = solution.values("load_factor"), _way(solution)
    if way is None:
        return "load factor", factor
    along = pattern[:, 0] @ solution.layout.influence[:, way]
    return f"base shear, applied [{solution.units.force}]", factor * along


def capacity(solution: Solution) -> dict[str, Array]:
    """The capacity curve as columns with units: controlled displacement, force, displacement of the roof, largest
    displacement and drift ratio, and how many springs have yielded. Names are for programs, those of
    :func:`headed` for people."""
    length = solution.units.length
    words, force = ordinate(solution)
    found = {f"controlled displacement [{length}]": controlled(solution), words.replace(", applied", ""): force}
    if not words.startswith("load factor"):
        found["load factor [1]"] = solution.values("load_factor")
    top = roof(solution)
    if top is not None:
        found[f"roof displacement [{length}]"] = top
    if len(solution.dofs) > 1:
        straight = ~solution.layout.turning_dofs
        moved = np.abs(solution.values("displacement")) * straight
        most = int(moved.max(axis=0).argmax())
        found[f"displacement {solution.dofs[most]} [{length}]"] = solution.values("displacement")[:, most]
    if "drift_ratio" in solution.names:
        found["largest drift ratio [1]"] = np.abs(solution.values("drift_ratio")).max(axis=1)
    found["springs that have yielded"] = has_slipped(solution).sum(axis=1)
    return found


def headed(curve: Mapping[str, Any], control: str, yielding: str) -> dict[str, Any]:
    """The columns of :func:`capacity` under names that tell the applied base shear from that of the springs, what the
    controlled displacement is, and what has yielded."""
    said = {"base shear": "base shear, applied", "controlled displacement": f"control: {control}"}
    said["springs that have yielded"] = f"{yielding}s that have yielded"
    heads = {name: name.partition(" [") for name in curve}
    return {said.get(words, words) + gap + unit: curve[name] for name, (words, gap, unit) in heads.items()}


def first_yields(solution: Solution) -> list[tuple[str, float]]:
    """Springs in the order in which they begin to yield, with the displacement of :func:`abscissa` at the end of the
    increment in which they do."""
    slipped, (_, u) = has_slipped(solution), abscissa(solution)
    first = slipped.argmax(axis=0)
    order = [spring for spring in np.argsort(first, kind="stable") if slipped[-1, spring]]
    return [(solution.springs[spring], float(u[first[spring]])) for spring in order]


def cycles(solution: Solution, count: int) -> list[dict[str, float]]:
    """Of every cycle: amplitude, largest and smallest force, work lost, and the viscous damping of equal loss."""
    u, (_, force) = controlled(solution), ordinate(solution)
    points, found = solution.steps // count, []
    for begin in range(0, solution.steps, points):
        own = slice(begin, begin + points + 1)
        work = float(np.sum(np.diff(u[own]) * (force[own][1:] + force[own][:-1])) / 2)
        most = float(np.abs(force[own]).max() * np.abs(u[own]).max())
        found.append(
            {
                "amplitude": float(np.abs(u[own]).max()),
                "largest": float(force[own].max()),
                "smallest": float(force[own].min()),
                "work": work,
                "damping": work / (2 * np.pi * most) if most > 0 else 0.0,
            }
        )
    return found


def write_push(solution: Solution, path: Path, title: str, more: str = "") -> Path:
    """Draw the curve into a file; ``more`` HTML stands below it on a page."""
    drawing = draw_push(solution, heading(path, title))
    return write_drawing(drawing, path, title, "slow loading", "Capacity curve, and the shape at the end.", more)


def bilinear(displacement: Array, factor: Array) -> BilinearFit | None:
    """The fit of ASCE 41 up to the largest load factor; None where the curve does not bend, or goes to and fro.

    >>> u = np.linspace(0.0, 4.0, 401)
    >>> fit = bilinear(u, np.minimum(u, 1.0))
    >>> round(fit.yield_displacement, 6), round(fit.yield_factor, 6)
    (1.0, 1.0)
    """
    sign = np.sign(displacement[-1] - displacement[0])
    u, f = sign * (displacement - displacement[0]), sign * factor
    last = int(np.argmax(f > f.max() * (1 - 1e-6)))  # where the plateau begins at the latest
    last = len(f) - 1 if f[-1] > f.max() * (1 - 1e-6) else last
    u, f = u[: last + 1], f[: last + 1]
    if len(u) < 3 or np.any(np.diff(u) <= 0) or f[-1] <= 0:
        return None
    area = float(np.sum(np.diff(u) * (f[1:] + f[:-1])) / 2)

    def elastic(level: float) -> float:
        """Displacement at yield: the line from the origin through the curve at 0.6 of this force."""
        at = int(np.argmax(f >= _SECANT * level))
        share = (_SECANT * level - f[at - 1]) / (f[at] - f[at - 1])
        return float(u[at - 1] + share * (u[at] - u[at - 1])) / _SECANT

    def excess(level: float) -> float:
        bend = elastic(level)
        return level * bend / 2 + (level + f[-1]) * (u[-1] - bend) / 2 - area

    low, high = 0.05 * float(f[-1]), float(f[-1])
    straight = np.abs(f - f[-1] * u / u[-1]).max() < 1e-6 * f[-1]
    if straight or excess(low) > 0 or excess(high) < -_DRAGGED * area:
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    bend = elastic(high)
    if bend >= u[-1]:
        return None
    return BilinearFit(float(sign) * bend, float(sign) * high, float(sign) * float(u[-1]), float(sign) * float(f[-1]))
