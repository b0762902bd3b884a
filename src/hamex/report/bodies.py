"""A body on the page: its cells in the plane, its surface in space, coloured by a field, at rest or deformed.

Bodies of very many cells are drawn from fewer triangles: nodes that would share a few dots of the picture become one.
Everything is painted as dots, so that files stay small; words and axes stay sharp.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.report.structure import flat
from hamex.report.style import FAINT, GREY, INK

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

Array = NDArray[Any]
MOST = 300_000  # triangles of a picture
_LINES = 6_000  # sides of cells that are drawn
_SMOOTH = 3_000  # triangles in space, which have one colour each
_LIGHT = np.array([-0.35, -0.55, 0.76])  # from above, over the left shoulder
_AWAY = np.array([0.7, 1.0, -1.4 * math.sin(math.radians(25))])  # along the sight of report.structure.flat
_TURN = math.cos(math.radians(20))  # of an outline: more is a corner
_NEARLY = 1.5
_CLIPPED = 1.3  # times what 99.8 % of all values stay below: a few larger ones do not set the scale


@dataclass(frozen=True, eq=False)
class Scene:
    """What is drawn of a body.

    Attributes
    ----------
    nodes : numbers of the body's nodes that are drawn.
    rest : (node, dimension), where they are at rest [length].
    triangles, lines, outline : by their places among these nodes.
    whole : every triangle of the body is drawn.
    """

    nodes: Array
    rest: Array
    triangles: Array
    lines: Array
    outline: Array
    whole: bool

    @property
    def size(self) -> float:
        """Longest side of the box around it."""
        return float(np.ptp(self.rest, axis=0).max())

    @property
    def proportion(self) -> float:
        """Height over width on the page."""
        return proportion_of(self.rest)


def proportion_of(points: Array) -> float:
    """Height over width on the page of the box around some points."""
    wide, tall = np.ptp(flat(points).reshape(-1, 2), axis=0)
    return float(tall / wide) if wide > 0 else 1.0


def scene_of(body: Any, most: int = MOST) -> Scene:
    """What is drawn of a body, with about ``most`` triangles where it has many more."""
    skin = body.skin
    triangles, lines = skin.triangles, skin.lines
    whole = len(triangles) <= _NEARLY * most  # to leave out a few of them makes the rest uneven
    if not whole:
        triangles = _fewer(body.nodes, skin, most)
    lines = lines if whole and len(lines) <= _LINES else np.zeros((0, 2), dtype=np.int64)
    used, place = np.unique(np.concatenate([triangles.ravel(), skin.outline.ravel()]), return_inverse=True)
    count = triangles.size
    number = np.full(len(body.nodes), -1)
    number[used] = np.arange(len(used))
    return Scene(
        used,
        body.nodes[used],
        place[:count].reshape(triangles.shape),
        number[lines],
        place[count:].reshape(skin.outline.shape),
        whole,
    )


def _fewer(points: Array, skin: Any, most: int) -> Array:
    """Triangles between one node of each box of a grid; corners of the body come first, then its edges."""
    rank = np.zeros(len(points))
    rank[skin.outline.ravel()] = 1.0
    rank[_corners(points, skin.outline)] = 2.0
    used = np.unique(skin.triangles)
    low, size = points[used].min(axis=0), float(np.ptp(points[used], axis=0).max())
    boxes = 2.0 * math.sqrt(most)
    while True:
        place = np.floor((points[used] - low) / (size / boxes)).astype(np.int64)
        off = np.abs((points[used] - low) / (size / boxes) - place - 0.5).max(axis=1)
        key = place[:, 0]
        for column in place.T[1:]:
            key = key * (int(boxes) + 2) + column
        order = np.lexsort((off, -rank[used], key))
        first = np.concatenate([[True], np.diff(key[order]) > 0])
        chosen = used[order[first]][np.cumsum(first) - 1]
        stands = np.zeros(len(points), dtype=np.int64)
        stands[used[order]] = chosen
        found = stands[skin.triangles]
        kept = (found[:, 0] != found[:, 1]) & (found[:, 1] != found[:, 2]) & (found[:, 2] != found[:, 0])
        found = found[kept]
        _, once = np.unique(np.sort(found, axis=1), axis=0, return_index=True)
        if len(once) <= most:
            return found[once]
        boxes *= 0.8


def _corners(points: Array, outline: Array) -> Array:
    """Nodes at which an outline turns, or more than two of its lines meet."""
    ends = np.concatenate([outline, outline[:, ::-1]])
    along = points[ends[:, 1]] - points[ends[:, 0]]
    along = along / np.linalg.norm(along, axis=1, keepdims=True)
    total = np.zeros((len(points), points.shape[1]))
    np.add.at(total, ends[:, 0], along)
    count = np.bincount(ends[:, 0], minlength=len(points))
    # Two directions that go straight on cancel: |a + b|² = 2 + 2 a·b.
    return np.flatnonzero((count > 2) | ((count > 0) & ((total**2).sum(axis=1) > 2 - 2 * _TURN)))


@dataclass(frozen=True)
class Colours:
    """A scale of colours: its map, its ends, and whether values lie beyond them."""

    low: float
    high: float
    signed: bool
    clipped: bool

    @classmethod
    def of(cls, values: Array, signed: bool) -> Colours:
        """Of all values that are shown; a few that are much larger than the rest lie beyond its end."""
        size = np.abs(values[np.isfinite(values)]).ravel()
        high = float(size.max(initial=0.0))
        usual = float(np.quantile(size, 0.998)) if size.size else 0.0
        clipped = high > _CLIPPED * usual > 0
        high = (usual if clipped else high) or 1.0
        return cls(-high if signed else 0.0, high, signed, clipped)

    @property
    def map(self) -> Colormap:
        """Pale where nothing happens: yellow to blue, or blue over white to red for what has a sign."""
        from matplotlib import colormaps

        return colormaps["RdBu_r" if self.signed else "YlGnBu"]

    def rgba(self, values: Array) -> Array:
        """(…, 4), between 0 and 1."""
        share = (values - self.low) / (self.high - self.low)
        return np.asarray(self.map(np.clip(share, 0.0, 1.0)))

    def bar(self, drawing: Any, axes: Any, words: str, unit: str, **options: Any) -> Any:
        """A colour bar beside some axes."""
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        extend = ("both" if self.signed else "max") if self.clipped else "neither"
        scale = ScalarMappable(Normalize(self.low, self.high), self.map)
        bar = drawing.colorbar(scale, ax=axes, extend=extend, **{"aspect": 30, "pad": 0.02, "shrink": 0.9} | options)
        bar.set_label(words if unit == "1" else f"{words} [{unit}]")
        bar.outline.set_linewidth(0.4)
        return bar


def paint_body(
    axes: Any,
    scene: Scene,
    positions: Array,
    values: Array | None = None,
    colours: Colours | None = None,
    *,
    fill: Any = None,
    ghost: bool = False,
) -> list[Any]:
    """Draw a body where its nodes are; coloured by values at them, or by ``fill``, one colour or one a triangle.
    ``ghost`` draws its outline at rest alone, thin. Returns what was drawn."""
    from matplotlib.collections import LineCollection

    page = flat(positions)
    if ghost:
        return [axes.add_collection(LineCollection([*page[scene.outline]], colors=FAINT, linewidths=0.8, zorder=1))]
    in_space = positions.shape[1] == 3
    triangles = _seen(positions, scene.triangles) if in_space else np.arange(len(scene.triangles))
    drawn = [_filled(axes, scene, positions, page, triangles, values, colours, fill)]
    for lines, style in (
        (scene.lines, {"colors": INK, "linewidths": 0.3, "alpha": 0.35}),
        (scene.outline, {"colors": INK, "linewidths": 0.8}),
    ):
        shown = lines[_beside(lines, scene.triangles[triangles])] if in_space else lines
        art = LineCollection([*page[shown]], zorder=2, capstyle="round", rasterized=True, **style)
        drawn.append(axes.add_collection(art))
    return drawn


def _filled(
    axes: Any,
    scene: Scene,
    positions: Array,
    page: Array,
    triangles: Array,
    values: Array | None,
    colours: Colours | None,
    fill: Any,
) -> Any:
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba_array

    corners = scene.triangles[triangles]
    if positions.shape[1] == 2 and values is not None and colours is not None:
        return axes.tripcolor(
            page[:, 0],
            page[:, 1],
            corners,
            values,
            shading="gouraud",
            cmap=colours.map,
            vmin=colours.low,
            vmax=colours.high,
            rasterized=True,
            zorder=1.5,
        )
    places, light = page[corners], np.ones(len(corners))  # those of a plane are as they are
    if positions.shape[1] == 3:
        light = 0.86 + 0.14 * (_normals(positions, corners) @ _LIGHT)
    if values is not None and colours is not None:
        own = values[corners]
        while len(places) < _SMOOTH:
            places, own, light = _quartered(places), _quartered(own), np.repeat(light, 4)
        colour = colours.rgba(own.mean(axis=1))
    else:
        found = to_rgba_array(fill if fill is not None else FAINT)  # one for all, or (triangle, 4)
        colour = np.broadcast_to(found, (len(scene.triangles), 4))[triangles] if len(found) == 1 else found[triangles]
    colour = colour.copy()
    colour[:, :3] *= light[:, None]
    # Hairlines between the triangles are closed by edges of the same colour.
    style: dict[str, Any] = {"facecolors": colour, "edgecolors": colour, "linewidths": 0.5, "antialiaseds": False}
    return axes.add_collection(PolyCollection([*places], rasterized=True, zorder=1.5, **style))


def _quartered(corners: Array) -> Array:
    """(4 · triangle, 3, …): each triangle as four, from values at its corners."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
    parts = [np.stack(part, axis=1) for part in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    return np.stack(parts, axis=1).reshape(-1, *corners.shape[1:])


def _normals(positions: Array, triangles: Array) -> Array:
    a, b, c = (positions[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    return np.asarray(normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300))


def facing_reader(positions: Array, triangles: Array) -> Array:
    """(triangle,), True where a triangle of a surface faces the reader."""
    return np.asarray(_normals(positions, triangles) @ _AWAY < 0)


def _seen(positions: Array, triangles: Array) -> Array:
    """Numbers of the triangles that face the reader, the farthest first."""
    facing = np.flatnonzero(facing_reader(positions, triangles))
    depth = positions[triangles[facing]].mean(axis=1) @ _AWAY
    return facing[np.argsort(-depth, kind="stable")]


def _beside(lines: Array, triangles: Array) -> Array:
    """(line,), True where a line is a side of one of the triangles."""
    if not len(lines):
        return np.zeros(0, dtype=bool)
    size = int(max(lines.max(), triangles.max(initial=0))) + 1
    sides = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    ordered = np.sort(lines, axis=1)
    return np.isin(ordered[:, 0] * size + ordered[:, 1], sides[:, 0] * size + sides[:, 1])


def bare_body(axes: Any, points: Array, room: float = 0.03) -> None:
    """No ticks, equal scales, the box around some points with a little room."""
    page = flat(points).reshape(-1, 2)
    low, high = page.min(axis=0), page.max(axis=0)
    margin = room * float((high - low).max())
    axes.set_xlim(low[0] - margin, high[0] + margin)
    axes.set_ylim(low[1] - margin, high[1] + margin)
    axes.set_aspect("equal", adjustable="box")
    axes.grid(False)
    axes.set_xticks([])
    axes.set_yticks([])
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)


def ruled(axes: Any, scene: Scene, length: str) -> None:
    """Axes with coordinates, for a body in the plane."""
    axes.set_xlim(*_margined(scene.rest[:, 0], scene.size))
    axes.set_ylim(*_margined(scene.rest[:, 1], scene.size))
    axes.set_aspect("equal", adjustable="box")
    axes.grid(False)
    axes.set(xlabel=f"x [{length}]", ylabel=f"y [{length}]")
    axes.locator_params(axis="both", nbins=5)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(GREY)


def _margined(x: Array, size: float) -> tuple[float, float]:
    return float(x.min()) - 0.04 * size, float(x.max()) + 0.04 * size
