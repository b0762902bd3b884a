"""Pictures of bodies: the mesh with its boundaries, a run, a field at some instants, modes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError
from hamex.report.bodies import Colours, Scene, bare_body, facing_reader, paint_body, proportion_of, ruled, scene_of
from hamex.report.push import control_words, controlled
from hamex.report.structure import flat, round_scale
from hamex.report.style import (
    BLUE,
    BROWN,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PINE,
    PINK,
    RED,
    SKY,
    draw_energy,
    figure,
    mosaic,
    short_ticks,
)
from hamex.solution.fields import Scalar, body_of, nearest, nodal, scalar
from hamex.solution.peaks import most_moved
from hamex.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]
_NAMED = (BLUE, RED, GREEN, ORANGE, PINK, SKY, BROWN, PINE)
_BODY = "#eef1f5"  # what a body is filled with where nothing is told of it
_MARKS = 40  # supports that are marked
_CELLS = {"tri": "triangles", "quad": "quadrilaterals", "tet": "tetrahedra", "hex": "hexahedra"}
_PANELS = 6  # instants, where none are named
_PALER = 0.55  # how far the colour of a boundary in space is from white


# The mesh ------------------------------------------------------------------------------------------------------


def draw_mesh(model: Any, title: str = "") -> Figure:
    """The mesh at rest, its boundaries by name, and where it is held."""
    scene = scene_of(model.body)
    tall = min(max(1.6 + 5.2 * scene.proportion, 2.6), 5.6)
    with figure(width=min(max(4.6 / max(scene.proportion, 0.2), 5.0), 7.4), height=tall) as (drawing, axes):
        paint_mesh(axes[0, 0], model, scene)
        cells = f"{len(model.body.corners):,} {_CELLS[model.body.cell]} of degree {model.body.degree}"
        axes[0, 0].set_title(title or f"{len(model.dofs):,} degrees of freedom, {cells}")
    return drawing


def paint_mesh(here: Any, model: Any, scene: Scene | None = None) -> None:
    """The mesh with its boundaries and supports, in some axes."""
    body = model.body
    scene = scene_of(body) if scene is None else scene
    in_space = body.dimension == 3
    if in_space:
        paint_body(here, scene, scene.rest, fill=_faces(here, body, scene))
    else:
        from matplotlib.collections import LineCollection

        paint_body(here, scene, scene.rest, fill=_BODY)
        for name, colour in zip(body.boundaries, _NAMED, strict=False):
            lines = body.vertices[body.boundaries[name]]
            art = LineCollection(lines, colors=colour, linewidths=2.4, capstyle="round", zorder=3, rasterized=True)
            here.add_collection(art)
            here.plot([np.nan], [np.nan], color=colour, lw=2.4, label=name)
    _supports(here, body)
    if in_space:
        bare_body(here, scene.rest, 0.05)
    else:
        ruled(here, scene, model.units.length)
    _named(here, 0.08 if in_space else 0.48)


def _named(here: Any, below: float) -> None:
    """A legend so many inches below the axes, where the words of the axis are."""
    from matplotlib.transforms import ScaledTranslation

    if here.get_legend_handles_labels()[1]:
        down = here.transAxes + ScaledTranslation(0, -below, here.figure.dpi_scale_trans)
        here.legend(loc="upper left", bbox_to_anchor=(0.0, 0.0), bbox_transform=down, ncols=4, fontsize=8)


def _pale(colour: str) -> Any:
    from matplotlib.colors import to_rgb

    return tuple(1 - _PALER * (1 - x) for x in to_rgb(colour))


def _faces(here: Any, body: Any, scene: Scene) -> Any:
    """A colour for each triangle of the surface by its boundary; of what was thinned out one for all."""
    if not scene.whole:
        return _BODY
    from matplotlib.colors import to_rgb

    skin = body.skin
    known = _keys(skin.faces, len(body.nodes))
    each = len(skin.triangles) // len(skin.faces)
    seen = facing_reader(body.nodes, skin.triangles[::each])
    colours = np.tile(to_rgb(_BODY), (len(skin.faces), 1))
    for name, colour in zip(body.boundaries, _NAMED, strict=False):
        own = np.isin(known, _keys(body.boundaries[name], len(body.nodes)))
        colours[own] = _pale(colour)
        said = name if np.any(own & seen) else f"{name} (behind)"
        here.plot([np.nan], [np.nan], ls="", marker="s", ms=7, color=_pale(colour), label=said)
    return np.repeat(colours, each, axis=0)


def _keys(corners: Array, count: int) -> Array:
    """A number for each face, whatever the order of its corners."""
    ordered = np.sort(corners, axis=1).astype(np.int64)
    return (ordered[:, 0] * count + ordered[:, 1]) * count + ordered[:, 2]


def _supports(here: Any, body: Any) -> None:
    """Nodes that are held or driven, and in which directions."""
    axes = "xyz"[: body.dimension]
    for verb, mask, marker, colour in (
        ("held in", body.held, "^", INK),
        ("moves as given in", body.driven, "D", GREEN),
    ):
        ways = mask.astype(np.int64) @ (1 << np.arange(body.dimension))
        for code in np.unique(ways[ways > 0]):
            nodes = np.flatnonzero(ways == code)
            some = nodes[np.unique(np.linspace(0, len(nodes) - 1, _MARKS).round().astype(int))]
            letters = [way for place, way in enumerate(axes) if code >> place & 1]
            page = flat(body.nodes[some])
            shape = marker if len(letters) == len(axes) else {"x": ">", "y": "^", "z": "^"}[letters[0]]
            here.plot(
                *page.T,
                ls="",
                marker=shape,
                ms=4,
                mfc=colour if len(letters) == len(axes) else "white",
                mec=colour,
                mew=0.8,
                zorder=4,
                label=f"{verb} {' and '.join([', '.join(letters[:-1]), letters[-1]] if len(letters) > 1 else letters)}",
            )


# A run ---------------------------------------------------------------------------------------------------------


def draw_body_run(solution: Solution, title: str = "", field: str = "von_mises") -> Figure:
    """The body when it has moved farthest, coloured by a field; the history of its farthest dof, and energies."""
    body = body_of(solution, "plot")
    scene = scene_of(body)
    low = scene.proportion < 0.7
    layout = [["shape", "shape"], ["history", "energy"]] if low else [["shape", "history"], ["shape", "energy"]]
    tall = 2.9 + min(max(9.0 * scene.proportion + 0.9, 1.8), 4.2) if low else 6.4
    ratios = {"height_ratios": [tall - 2.9, 2.9]} if low else {"width_ratios": [1.0, 1.1]}
    with mosaic(layout, 10.0, tall, **ratios) as (drawing, axes):
        drawing.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        _deformed(drawing, axes["shape"], solution, scene, scalar(solution, field, "plot"))
        _farthest(axes["history"], solution)
        draw_energy(axes["energy"], solution)
        short_ticks(axes["history"])
        short_ticks(axes["energy"])
    return drawing


def farthest_instant(solution: Solution) -> int:
    """The instant that was kept nearest to that of the largest displacement; of slow loading, the last."""
    if solution.at_ends:
        return solution.steps
    return int(nearest(solution, "displacement", solution.peaks["displacement"].time, "plot")[0])


def _deformed(drawing: Any, here: Any, solution: Solution, scene: Scene, quantity: Scalar) -> None:
    body = body_of(solution, "plot")
    instant = farthest_instant(solution)
    moved = nodal(solution, body, "displacement", instant)
    scale = round_scale(scene.size, float(np.linalg.norm(moved, axis=1).max()))
    values = quantity.at(solution, body, instant)
    colours = Colours.of(values, quantity.signed)
    positions = scene.rest + scale * moved[scene.nodes]
    paint_body(here, scene, scene.rest, ghost=True)
    paint_body(here, scene, positions, values[scene.nodes], colours)
    bare_body(here, np.concatenate([scene.rest, positions]))
    low = scene.proportion < 0.7
    bar = {"location": "right"} if low else {"location": "bottom", "aspect": 40}
    colours.bar(drawing, here, quantity.words, quantity.unit, **bar)
    when = "at the end" if solution.at_ends else f"t = {solution.times[instant]:.4g} s"
    here.set_title(f"{when}, displacements × {scale:g}")


def _farthest(here: Any, solution: Solution) -> None:
    """History of the dof that moved farthest, or the load factor of slow loading over what is controlled."""
    length = solution.units.length
    if solution.at_ends and "load_factor" in solution.names:
        here.plot(controlled(solution), solution.values("load_factor"), color=BLUE)
        here.set(xlabel=f"{control_words(solution)} [{length}]", ylabel="load factor", title="slow loading")
        return
    dof = most_moved(solution)
    t, u = solution.times, solution.values("displacement")[:, dof]
    most = int(np.abs(u).argmax())
    here.plot(t, u, color=BLUE, lw=0.9)
    here.plot([t[most]], [u[most]], "o", color=RED, ms=4)
    here.set(xlabel="time [s]", ylabel=f"displacement [{length}]", xlim=(t[0], t[-1]))
    here.set_title(f"{dof_words(solution, dof)}, peak {abs(u[most]):.4g} {length}")


def dof_words(solution: Solution, dof: int) -> str:
    """What a dof is and where, as "displacement y at (100, 5)"."""
    body = body_of(solution, "plot")
    column = body.motion[:, [dof]].tocoo()
    if not column.nnz:
        return f"displacement of {solution.dofs[dof]}"
    node, way = divmod(int(column.row[0]), body.dimension)
    return f"displacement {'xyz'[way]} at ({', '.join(f'{x:.4g}' for x in body.nodes[node])})"


# A field at some instants --------------------------------------------------------------------------------------


def draw_instants(solution: Solution, field: str, times: Any = None, title: str = "") -> Figure:
    """A field at some instants side by side, in one scale of colours: how a wave runs."""
    body = body_of(solution, "plot")
    quantity = scalar(solution, field, "plot")
    if times is None:
        instants = np.unique(np.linspace(0, solution.steps, _PANELS + 1).round().astype(int))[1:]
    else:
        instants = np.unique(nearest(solution, quantity.name, times, "plot"))
    if not len(instants):
        raise InputError("plot: a field needs one instant at least, and the run has one node")
    scene = scene_of(body)
    values = [quantity.at(solution, body, int(instant))[scene.nodes] for instant in instants]
    colours = Colours.of(np.stack(values), quantity.signed)
    columns = _columns(len(values), scene.proportion)
    rows = -(-len(values) // columns)
    wide = 9.4 / columns
    tall = min(max(wide * scene.proportion, 0.7), 4.2) + 0.32
    with figure(rows, columns, width=10.2, height=rows * tall + 0.5) as (drawing, axes):
        drawing.suptitle(title or quantity.words, x=0.01, ha="left", fontsize=11, fontweight="bold")
        for here in axes.ravel()[len(values) :]:
            here.set_visible(False)
        for here, instant, own in zip(axes.ravel(), instants, values, strict=False):
            paint_body(here, scene, scene.rest, own, colours)
            bare_body(here, scene.rest, 0.01)
            here.set_title(f"t = {solution.times[instant]:.4g} s", fontsize=8.5)
        colours.bar(drawing, axes, quantity.words, quantity.unit, shrink=0.8)
    return drawing


def _columns(count: int, proportion: float) -> int:
    """Panels in a row, such that the sheet is about as wide as two thirds of its height."""

    def unsuited(columns: int) -> float:
        rows = -(-count // columns)
        return abs(math.log(rows * proportion / columns / 0.6)) + (rows * columns - count) / count  # and empty places

    return min(range(1, min(count, 4) + 1), key=unsuited)


# Modes ---------------------------------------------------------------------------------------------------------


def draw_body_modes(modes: Any, count: int = 4, title: str = "") -> Figure:
    """The first mode shapes, each as large as a tenth of the body, coloured by how far it moves."""
    body, count = modes.body, min(count, modes.shapes.shape[1])
    scene = scene_of(body)
    moved = [body.displacement(modes.shapes[:, mode]) for mode in range(count)]
    sizes = [np.linalg.norm(each, axis=1) for each in moved]
    most = [float(size.max()) or 1.0 for size in sizes]
    places = [
        scene.rest + each[scene.nodes] * (0.1 * scene.size / largest) for each, largest in zip(moved, most, strict=True)
    ]
    seen = np.concatenate([scene.rest, *places])
    proportion = proportion_of(seen)
    columns = _columns(count, proportion)
    rows = -(-count // columns)
    tall = min(max(9.4 / columns * proportion, 0.9), 4.2) + 0.5
    with figure(rows, columns, width=10.0, height=rows * tall + 0.5) as (drawing, axes):
        drawing.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        for here in axes.ravel()[count:]:
            here.set_visible(False)
        for mode, here in zip(range(count), axes.ravel(), strict=False):
            colour = sizes[mode][scene.nodes] / most[mode]
            paint_body(here, scene, scene.rest, ghost=True)
            paint_body(here, scene, places[mode], colour, Colours(0.0, 1.0, False, False))
            bare_body(here, seen)
            here.set_title(_mode_words(modes, mode))
        drawing.supxlabel(
            "modes have no size of their own: each is drawn with a largest motion of a tenth of the body, "
            "darker where it moves farther",
            x=0.01,
            ha="left",
            fontsize=7.5,
            color=GREY,
        )
    return drawing


def _mode_words(modes: Any, mode: int) -> str:
    omega = float(modes.frequencies[mode])
    share = modes.effective_ratio[mode]
    mass = ", ".join(f"{100 * x:.0f} % in {way}" for x, way in zip(share, modes.directions, strict=True) if x >= 0.005)
    what = f"f = {omega / (2 * np.pi):.4g} Hz" if omega > 0 else "rigid motion"
    return f"mode {mode + 1}: {what}\n" + (f"mass {mass}" if mass else "no effective mass")
