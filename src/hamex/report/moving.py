"""Motion over place and time. A body as it moves, coloured by a field in one scale: a figure of plotly with a slider
and a button, or a film. Waves in rods: force over place and time, displacements at some instants."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError, MissingPackageError
from hamex.report.bodies import Colours, Scene, bare_body, paint_body, scene_of
from hamex.report.structure import round_scale
from hamex.report.style import BLUE, INK, PAPER, RED, draw_energy, figure, mosaic, short_ticks
from hamex.solution.fields import body_of, nearest, nodal, scalar
from hamex.solution.outline import unit
from hamex.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]
_FRAMES = 40  # instants, where none are named
_NUMBERS = 800_000  # of all frames: a page of a few megabytes
_LEAST, _MOST = 2_000, 40_000  # triangles
_SLOW = 60  # ms a frame


def moving_figure(solution: Solution, title: str = "", field: str = "von_mises", times: Any = None) -> Any:
    """A ``plotly.graph_objects.Figure`` with one frame an instant."""
    if find_spec("plotly") is None:
        raise MissingPackageError("interactive figures need plotly: pip install 'hamex[plot]'")
    import plotly.graph_objects as go

    body = body_of(solution, "plot")
    quantity = scalar(solution, field, "plot")
    if times is None:
        instants = np.unique(np.linspace(0, solution.steps, min(_FRAMES, solution.steps + 1)).round().astype(int))
    else:
        instants = np.unique(nearest(solution, quantity.name, times, "plot"))
    if not len(instants):
        raise InputError("plot: there is no instant to show")
    scene = scene_of(body, int(np.clip(2 * _NUMBERS / (3 * len(instants)), _LEAST, _MOST)))
    moved = [nodal(solution, body, "displacement", int(instant)) for instant in instants]
    values = np.stack([quantity.at(solution, body, int(instant))[scene.nodes] for instant in instants])
    largest = max(float(np.linalg.norm(each, axis=1).max()) for each in moved)
    scale = round_scale(scene.size, largest)
    colours = Colours.of(values, quantity.signed)
    places = [scene.rest + scale * each[scene.nodes] for each in moved]
    label = quantity.words if quantity.unit == "1" else f"{quantity.words}<br>[{quantity.unit}]"
    frames = [
        go.Frame(data=_moved(scene, place, own), name=f"{solution.times[instant]:.4g}", traces=[0, 1])
        for place, own, instant in zip(places, values, instants, strict=True)
    ]
    length = solution.units.length
    said = f"displacements × {scale:g}; colour: {quantity.words}"
    found = go.Figure(_traces(scene, places[0], values[0], colours, label), frames=frames)
    found.update_layout(
        title={"text": f"{title}<br><sub>{said}</sub>" if title else said, "x": 0.02, "font": {"size": 15}},
        width=900,
        height=560,
        margin={"l": 10, "r": 10, "t": 60, "b": 10},
        paper_bgcolor=PAPER,
        font={"color": INK, "size": 12},
        scene=_stage(np.concatenate([*places, scene.rest]), length),
        sliders=[_slider([frame.name for frame in frames])],
        updatemenus=[_buttons()],
    )
    return found


def _traces(scene: Scene, places: Array, values: Array, colours: Colours, label: str) -> list[dict[str, Any]]:
    """The mesh and its outline."""
    i, j, k = scene.triangles.astype(np.int32).T
    mesh, lines = _moved(scene, places, values, whole=True)
    mesh |= {
        "i": i,
        "j": j,
        "k": k,
        "cmin": colours.low,
        "cmax": colours.high,
        "colorscale": _scale(colours),
        "colorbar": {"title": {"text": label, "side": "right"}, "thickness": 14, "len": 0.8},
        "lighting": {"ambient": 1.0, "diffuse": 0.0} if places.shape[1] == 2 else {"ambient": 0.9, "diffuse": 0.2},
        "hovertemplate": "%{intensity:.4g} at (%{x:.4g}, %{y:.4g}, %{z:.4g})<extra></extra>",
        "name": "",
    }
    lines |= {"mode": "lines", "line": {"color": INK, "width": 2}, "hoverinfo": "skip", "showlegend": False}
    return [mesh, lines]


def _moved(scene: Scene, places: Array, values: Array, whole: bool = False) -> list[dict[str, Any]]:
    """What a frame changes: places and colours of the mesh, places of its outline."""
    flat = places.shape[1] == 2
    ways = "xyz" if whole or not flat else "xy"
    points = np.hstack([places, np.zeros((len(places), 1))]) if flat else places
    gapped = np.full((len(scene.outline), 3, 3), np.nan)  # two ends and a gap
    gapped[:, :2] = points[scene.outline]
    ends = gapped.reshape(-1, 3)
    mesh = {way: _short(points[:, place]) for place, way in enumerate(ways)}
    lines = {way: _short(ends[:, place]) for place, way in enumerate(ways)}
    return [{"type": "mesh3d", "intensity": _short(values)} | mesh, {"type": "scatter3d"} | lines]


def _scale(colours: Colours) -> list[list[Any]]:
    """The colours of the pictures, as plotly takes them."""
    share = np.linspace(0.0, 1.0, 17)
    ends = colours.low + share * (colours.high - colours.low)
    return [
        [at, f"rgb({r:.0f},{g:.0f},{b:.0f})"] for at, (r, g, b, _) in zip(share, 255 * colours.rgba(ends), strict=True)
    ]


def _short(values: Array) -> Array:
    """Seven digits are enough for eyes, at half the size."""
    return np.asarray(values, dtype=np.float32)


def _stage(points: Array, length: str) -> dict[str, Any]:
    """Axes in true proportion around all that is ever seen; a body in the plane is looked at from above."""
    flat = points.shape[1] == 2
    box = np.hstack([points, np.zeros((len(points), 1))]) if flat else points
    low, high = box.min(axis=0), box.max(axis=0)
    room = 0.03 * float((high - low).max())
    axes = {
        f"{way}axis": {
            "range": [float(low[place] - room), float(high[place] + room)],
            "title": {"text": f"{way} [{length}]"},
            "backgroundcolor": PAPER,
            "gridcolor": "#e4e7ec",
            "zeroline": False,
            "visible": not (flat and way == "z"),
        }
        for place, way in enumerate("xyz")
    }
    span = (high - low + 2 * room) / float((high - low + 2 * room).max())
    camera: dict[str, Any] = {"projection": {"type": "orthographic"}}
    if flat:
        camera |= {"eye": {"x": 0, "y": 0, "z": 2.0}, "up": {"x": 0, "y": 1, "z": 0}}
    else:
        camera |= {"eye": {"x": -1.0, "y": -1.4, "z": 0.9}}
    # What fits the window: an axis of length 1 is about 190 pixels long.
    large = min(3.6 / span[0], 1.65 / span[1]) if flat else 2.4
    ratio = dict(zip("xyz", (large * span).tolist(), strict=True))
    return axes | {
        "aspectmode": "manual",
        "aspectratio": ratio,
        "camera": camera,
        "dragmode": "pan" if flat else "turntable",
    }


def _slider(names: list[str]) -> dict[str, Any]:
    move = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
    return {
        "active": 0,
        "pad": {"t": 10, "b": 10},
        "x": 0.12,
        "len": 0.86,
        "currentvalue": {"prefix": "t = ", "suffix": " s", "font": {"size": 13}},
        "steps": [{"args": [[name], move], "label": name, "method": "animate"} for name in names],
    }


def _buttons() -> dict[str, Any]:
    play = {"frame": {"duration": _SLOW, "redraw": True}, "fromcurrent": True, "transition": {"duration": 0}}
    stop = {"frame": {"duration": 0, "redraw": False}, "mode": "immediate", "transition": {"duration": 0}}
    return {
        "type": "buttons",
        "direction": "left",
        "x": 0.0,
        "y": 0.0,
        "xanchor": "left",
        "yanchor": "top",
        "pad": {"t": 28, "l": 4},
        "buttons": [
            {"label": "▶", "method": "animate", "args": [None, play]},
            {"label": "❚❚", "method": "animate", "args": [[None], stop]},
        ],
    }


_TRIANGLES = 60_000  # a frame is drawn a hundred times
_COLOURS = 112  # of the 256 that a GIF has


def flatness(solution: Solution) -> float:
    """Height over width of a body on the page."""
    return scene_of(solution.layout.body, _TRIANGLES).proportion


def body_colours() -> list[tuple[int, int, int]]:
    """Colours of both scales, for pictures that may have few."""
    share = np.linspace(0.0, 1.0, _COLOURS // 2)
    found = np.concatenate([Colours(0.0, 1.0, signed, False).rgba(share)[:, :3] for signed in (False, True)])
    return [(int(r), int(g), int(b)) for r, g, b in (255 * found).round()]


def body_scene(
    drawing: Any,
    axes: Any,
    solution: Solution,
    nodes: Array,
    scale: float | None,
    field: str | None,
    clock: Callable[[Solution, int], str],
) -> Callable[[int], None]:
    """Draw the body at rest, and return what moves it to a frame, by its place among the ``nodes`` of the time axis."""
    body = body_of(solution, "animate")
    quantity = scalar(solution, field or "von_mises", "animate")
    scene = scene_of(body, _TRIANGLES)
    moved = np.stack([nodal(solution, body, "displacement", int(node))[scene.nodes] for node in nodes])
    values = np.stack([quantity.at(solution, body, int(node))[scene.nodes] for node in nodes])
    colours = Colours.of(values, quantity.signed)
    factor = round_scale(scene.size, float(np.linalg.norm(moved, axis=-1).max())) if scale is None else float(scale)
    places = scene.rest + factor * moved
    paint_body(axes, scene, scene.rest, ghost=True)
    bare_body(axes, np.concatenate([places.reshape(-1, body.dimension), scene.rest]))
    colours.bar(drawing, axes, quantity.words, quantity.unit, location="right" if scene.proportion < 0.7 else "bottom")
    caption = axes.set_title(" ")
    drawn: list[Any] = []

    def update(frame: int) -> None:
        while drawn:
            drawn.pop().remove()
        drawn.extend(paint_body(axes, scene, places[frame], values[frame], colours))
        caption.set_text(f"{clock(solution, int(nodes[frame]))}, displacements × {factor:g}")

    update(0)
    return update


# Rods --------------------------------------------------------------------------------------------------------
_INSTANTS = 6
_DOTS = 600  # along each side of a diagram: more would not be seen
# Results over the rod: name of the result, and whether it lives at nodes.
_FIELDS = {"displacement": ("displacement", True), "velocity": ("velocity", True), "force": ("node_force", False)}


def is_rod(layout: Any) -> bool:
    """True for a model of :func:`hamex.rod`: elements one after the other along x."""
    geometry = layout.geometry
    return geometry is not None and geometry.nodes[0] == "node 0" and geometry.names[:1] == ("element 1",)


def draw_rod(solution: Solution, title: str = "") -> Figure:
    """A run of a rod on one sheet."""
    layout = [["diagram", "shapes"], ["history", "energy"]]
    with mosaic(layout, 10.0, 6.6) as (drawing, axes):
        drawing.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        _diagram(drawing, axes["diagram"], solution)
        _curves(axes["shapes"], solution, "displacement", _evenly(solution))
        axes["shapes"].set_title("displacement along the rod")
        _farthest(axes["history"], solution)
        draw_energy(axes["energy"], solution)
        short_ticks(axes["history"])
        short_ticks(axes["energy"])
    return drawing


def draw_rod_instants(solution: Solution, field: str, times: Any = None, title: str = "") -> Figure:
    """A field over the rod at some instants."""
    if field not in _FIELDS:
        raise InputError(f"plot: fields of a rod are {', '.join(_FIELDS)}; got {field!r:.40}")
    instants = _evenly(solution) if times is None else _nearest(solution, times)
    with figure(width=7.4, height=3.8) as (drawing, axes):
        _curves(axes[0, 0], solution, field, instants)
        axes[0, 0].set_title(title or f"{field} along the rod")
    return drawing


def _evenly(solution: Solution) -> Array:
    return np.unique(np.linspace(0, solution.steps, _INSTANTS + 1).round().astype(int))[1:]


def _nearest(solution: Solution, times: Any) -> Array:
    wanted = np.atleast_1d(np.asarray(times, dtype=float))
    first, last = solution.times[[0, -1]]
    if not np.all((wanted >= first - solution.step) & (wanted <= last + solution.step)):
        raise InputError(f"plot: instants go from {first:g} to {last:g} s, got {wanted.tolist()!s:.60}")
    return np.unique(np.abs(solution.times[None] - wanted[:, None]).argmin(axis=1))


def along(solution: Solution, field: str, instants: Array) -> tuple[Array, Array, str]:
    """Places [length], values (instant, place), and the unit of a field over the rod."""
    geometry = solution.layout.geometry
    assert geometry is not None
    name, at_nodes = _FIELDS[field]
    x = geometry.coordinates[:, 0]
    label = unit({"displacement": "length"}.get(field, field), solution.units.length, solution.units.force)
    if not at_nodes:
        elements = len(geometry.names)
        return 0.5 * (x[:-1] + x[1:]), solution.values(name)[instants][:, :elements], label
    found = (geometry.motion @ solution.values(name)[instants].T).T.reshape(len(instants), -1, 2)[:, :, 0]
    return x, np.asarray(found), label


def _curves(here: Any, solution: Solution, field: str, instants: Array) -> None:
    """One curve an instant, from pale to dark."""
    x, values, label = along(solution, field, instants)
    shades = Colours(0.0, 1.0, False, False).rgba(np.linspace(0.3, 0.8, len(instants)))
    for colour, instant, own in zip(shades, instants, values, strict=True):
        here.plot(x, own, color=tuple(colour), lw=1.3, label=f"t = {solution.times[instant]:.3g} s")
    here.axhline(0, color=INK, lw=0.6)
    here.set(xlabel=f"x [{solution.units.length}]", ylabel=f"{field} [{label}]", xlim=(0.0, x[0] + x[-1]))
    here.legend(loc="best", fontsize=7.5, ncols=2)


def _diagram(drawing: Any, here: Any, solution: Solution) -> None:
    """Axial force over place and time: waves are lines whose slope is their speed."""
    rows = np.unique(np.linspace(0, solution.steps, min(solution.steps + 1, _DOTS)).round().astype(int))
    x, force, label = along(solution, "force", rows)
    every = -(-len(x) // _DOTS)
    colours = Colours.of(force, signed=True)
    here.pcolormesh(
        x[::every],
        solution.times[rows],
        force[:, ::every],
        cmap=colours.map,
        vmin=colours.low,
        vmax=colours.high,
        shading="nearest",
        rasterized=True,
    )
    here.grid(False)
    here.set(
        xlabel=f"x [{solution.units.length}]", ylabel="time [s]", title="axial force; the slope of a wave is its speed"
    )
    colours.bar(drawing, here, "axial force, tension positive", label)


def _farthest(here: Any, solution: Solution) -> None:
    peak = solution.peaks["displacement"]
    t, u = solution.times, solution.values("displacement")[:, solution.dofs.index(peak.where)]
    most = int(np.abs(u).argmax())
    here.plot(t, u, color=BLUE, lw=0.9)
    here.plot([t[most]], [u[most]], "o", color=RED, ms=4)
    length = solution.units.length
    here.set(
        xlabel="time [s]",
        ylabel=f"displacement [{length}]",
        xlim=(t[0], t[-1]),
        title=f"displacement of {peak.where}, peak {peak.value:.4g} {length}",
    )
