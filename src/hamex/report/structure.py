"""A structure on the page: nodes in two dimensions, members, floors and links, deformed or at rest; its modes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hamex.report.style import BLUE, FAINT, GREEN, GREY, PAPER, RED, mosaic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]
_TILT = math.radians(25)  # of the axes of a structure in space, as seen on the page
_FEET = (-0.4, 0.0, 0.4)  # where isolators stand below a floor, of its width
_NEAR = 0.06  # where the mark of an end hinge stands, of the length of its member


class Drawn(Protocol):
    """What a picture needs to know of a geometry."""

    @property
    def coordinates(self) -> Array:
        """(node, axis)."""

    @property
    def elements(self) -> Array:
        """(element, 2)."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the elements."""

    @property
    def springs(self) -> tuple[tuple[int, ...], ...]:
        """Springs of the elements."""


class Shapes(Protocol):
    """What a picture or a table needs to know of modes."""

    @property
    def shapes(self) -> Array:
        """(dof, mode)."""

    @property
    def periods(self) -> Array:
        """[s]."""

    @property
    def effective_ratio(self) -> Array:
        """(mode, direction)."""

    @property
    def directions(self) -> tuple[str, ...]:
        """Names of the directions."""


def flat(points: Array) -> Array:
    """Points on the page; three dimensions are seen from above a corner, the last one stays upright."""
    if points.shape[-1] == 2:
        return points
    x, y, z = np.moveaxis(points, -1, 0)
    return np.stack([(x - 0.7 * y) * math.cos(_TILT), z + (x + 0.7 * y) * math.sin(_TILT)], axis=-1)


def is_stick(geometry: Drawn) -> bool:
    """True for a shear frame, whose floors stand above one another."""
    return geometry.coordinates.shape[1] == 2 and float(np.ptp(geometry.coordinates[:, 0])) == 0.0


def good_scale(geometry: Drawn, largest: float) -> float:
    """Factor 1, 2 or 5 times a power of ten that shows the largest displacement as a tenth of the structure."""
    return round_scale(float(np.ptp(geometry.coordinates, axis=0).max()), largest)


def round_scale(size: float, largest: float) -> float:
    """The same for something of this size."""
    if largest <= 0 or not math.isfinite(largest):
        return 1.0
    wanted = 0.1 * size / largest
    power = 10.0 ** math.floor(math.log10(wanted))
    return power * max(step for step in (1, 2, 5) if step * power <= wanted * (1 + 1e-9))


def lines(geometry: Drawn, positions: Array) -> list[tuple[Array, str]]:
    """Every element as a polyline with its kind: "member", "floor", "link", or "foot" for what stands on the ground."""
    if not is_stick(geometry):
        page, rest = flat(positions), flat(geometry.coordinates) - [0.0, _pad(geometry)]
        return [
            (np.stack([rest[ends[0]], page[ends[0]]]), "foot")
            if ends[0] == ends[1]  # a link to the ground
            else (page[list(ends)], "member" if springs else "link")
            for ends, springs in zip(geometry.elements, geometry.springs, strict=True)
        ]
    width = stick_width(geometry)
    found = [(np.array([[x - width / 2, y], [x + width / 2, y]]), "floor") for x, y in positions[1:]]
    for number, (low, high) in enumerate(geometry.elements):
        (x0, y0), (x1, y1) = sorted((positions[low], positions[high]), key=lambda point: point[1])
        if _holds_a_level(geometry, number):
            ends = np.array([[x0, y0], [x1, y1]])
            found += [(ends + np.array([share * width, 0.0]), "foot") for share in _FEET]
        elif _is_storey(geometry, number):
            s = np.linspace(0, 1, 15)
            sway = x0 + (x1 - x0) * (3 * s**2 - 2 * s**3)  # columns fixed to rigid floors
            found += [(np.stack([sway + side * width / 2, y0 + (y1 - y0) * s], axis=1), "member") for side in (-1, 1)]
        else:
            found.append((np.array([[x0 - width / 2, y0], [x1 + width / 2, y1]]), "link"))
    return found


def _is_storey(geometry: Drawn, number: int) -> bool:
    """True for a storey of a shear frame; links have other names."""
    return geometry.names[number] == f"storey {max(geometry.elements[number])}"


def _holds_a_level(geometry: Drawn, number: int) -> bool:
    """True for a link of a shear frame between two levels with no storey of their own."""
    low, high = sorted(geometry.elements[number])
    return bool(high == low + 1) and not _is_storey(geometry, number) and f"storey {high}" not in geometry.names


def _pad(geometry: Drawn) -> float:
    """Drawn height of a link to the ground."""
    return 0.05 * float(np.ptp(geometry.coordinates, axis=0).max())


def stick_width(geometry: Drawn) -> float:
    """Drawn width of the floors of a shear frame."""
    levels = np.sort(geometry.coordinates[:, 1])
    return float(max(1.6 * np.diff(levels).max(), 0.25 * np.ptp(levels)))


def marks(
    geometry: Drawn, positions: Array, slipped: Array, names: tuple[str, ...], together: Array | None = None
) -> Array:
    """Where springs have slipped: near the ends of their member for end moments, else in the middle.

    An axial spring that yields ``together`` with moments has its place in their hinges.
    """
    page = flat(positions)
    found = []
    half = np.array([stick_width(geometry) / 2, 0.0])
    for number, (ends, springs) in enumerate(zip(geometry.elements, geometry.springs, strict=True)):
        start, end = page[ends[0]], page[ends[1]]
        for spring in springs:
            if not slipped[spring]:
                continue
            if is_stick(geometry) and _holds_a_level(geometry, number):
                found += [(start + end) / 2 + 2 * share * half for share in _FEET]
                continue
            if is_stick(geometry) and _is_storey(geometry, number):  # both columns
                found += [
                    point + side * half
                    for point in (start + _NEAR * (end - start), end - _NEAR * (end - start))
                    for side in (-1, 1)
                ]
                continue
            if together is not None and together[spring] and _end(names[spring]) is None:
                ends_of = [_end(names[other]) for other in springs if together[other]]
                shown = [_end(names[other]) for other in springs if slipped[other]]
                shares = [] if any(shown) else sorted({share for share in ends_of if share is not None}) or [0.5]
            else:
                shares = [_end(names[spring]) or 0.5]
            found += [start + share * (end - start) for share in shares]
    return np.array(found).reshape(-1, 2)


def _end(name: str) -> float | None:
    """How far along its member the hinge of an end moment stands; None for other springs."""
    part = name.rpartition(".")[2]
    return {"1": _NEAR, "2": 1 - _NEAR}.get(part[-1:]) if part.startswith("M") else None


def paint(
    axes: Any, geometry: Drawn, positions: Array, colour: str = BLUE, weight: float = 1.6, thin: bool = False
) -> None:
    """Draw the structure; at rest it is thin and grey."""
    for line, kind in lines(geometry, positions):
        style: dict[str, Any] = {
            "color": FAINT if thin else GREEN if kind in ("link", "foot") else colour,
            "lw": weight * (1.0 if thin else {"floor": 1.6, "foot": 2.6}.get(kind, 1.0)),
            "ls": (0, (3, 2)) if kind == "link" else "-",
            "solid_capstyle": "round",
            "zorder": 1 if thin else 2,
        }
        axes.plot(line[:, 0], line[:, 1], **style)


def bare(axes: Any, geometry: Drawn) -> None:
    """No ticks, equal scales, a line for the ground, room for the sway."""
    page = flat(geometry.coordinates)
    sunk = _pad(geometry) if any(a == b for a, b in geometry.elements) else 0.0
    low, wide = float(page[:, 1].min()) - sunk, float(max(np.ptp(page[:, 0]), 0.25 * np.ptp(page[:, 1])))
    if is_stick(geometry):
        wide = max(wide, stick_width(geometry))
    middle = float(page[:, 0].min() + page[:, 0].max()) / 2
    if geometry.coordinates.shape[1] == 2:
        axes.plot([middle - 0.75 * wide, middle + 0.75 * wide], [low, low], color=GREY, lw=2.0, zorder=0)
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(False)
    axes.set_xticks([])
    axes.set_yticks([])
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)


def proportion(geometry: Drawn) -> float:
    """Height over width of a structure as :func:`bare` shows it, the line of the ground included."""
    page = flat(geometry.coordinates)
    tall, wide = float(np.ptp(page[:, 1])), float(np.ptp(page[:, 0]))
    wide = max(wide, 0.25 * tall, stick_width(geometry) if is_stick(geometry) else 0.0)
    return tall / (1.5 * wide) if wide > 0 else 1.0


def mark(axes: Any, points: Array) -> Any:
    """Yielded springs as dots."""
    x, y = points.T
    return axes.plot(x, y, ls="", marker="o", ms=4.5, mfc=RED, mec=PAPER, mew=0.6, zorder=3)


def draw_modes(modes: Shapes, geometry: Drawn, motion: Any, count: int, title: str = "") -> Figure:
    """The first mode shapes side by side, each as large as a sixth of the structure."""
    count = min(count, modes.shapes.shape[1])
    size = float(np.ptp(geometry.coordinates, axis=0).max())
    columns = min(count, 4)
    layout = [[f"{row * columns + column}" for column in range(columns)] for row in range(-(-count // columns))]
    tall = min(max(0.9 + 2.8 * proportion(geometry), 1.8), 3.4)  # two lines of words, and room for the motion
    with mosaic(layout, 2.6 * columns + 0.4, tall * len(layout) + 0.3) as (drawing, axes):
        drawing.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        for name, each in axes.items():
            mode = int(name)
            if mode >= count:
                each.set_visible(False)
                continue
            moved = np.asarray(motion @ modes.shapes[:, mode]).reshape(geometry.coordinates.shape)
            largest = float(np.linalg.norm(moved, axis=1).max())
            paint(each, geometry, geometry.coordinates, weight=1.0, thin=True)
            paint(each, geometry, geometry.coordinates + moved * (size / 6 / largest if largest > 0 else 0.0))
            bare(each, geometry)
            share = modes.effective_ratio[mode]
            mass = ", ".join(
                f"{100 * x:.0f} % in {way}" for x, way in zip(share, modes.directions, strict=True) if x >= 0.005
            )
            if name == "0":
                drawing.supxlabel(
                    "modes have no size of their own: each is drawn with a largest motion of a sixth of the structure",
                    x=0.01,
                    ha="left",
                    fontsize=7.5,
                    color=GREY,
                )
            each.set_title(
                f"mode {mode + 1}: T = {modes.periods[mode]:.4g} s\n"
                + (f"mass {mass}" if mass else "no effective mass")
            )
    return drawing
