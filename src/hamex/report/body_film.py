"""A body in a film: its mesh as it moves, coloured by a field in one scale for the whole run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.report.bodies import Colours, bare_body, paint_body, scene_of
from hamex.report.structure import round_scale
from hamex.solution.fields import body_of, nodal, scalar
from hamex.solution.solution import Solution

Array = NDArray[Any]
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
    told = scalar(solution, field or "von_mises", "animate")
    scene = scene_of(body, _TRIANGLES)
    moved = np.stack([nodal(solution, body, "displacement", int(node))[scene.nodes] for node in nodes])
    values = np.stack([told.at(solution, body, int(node))[scene.nodes] for node in nodes])
    colours = Colours.of(values, told.signed)
    factor = round_scale(scene.size, float(np.linalg.norm(moved, axis=-1).max())) if scale is None else float(scale)
    places = scene.rest + factor * moved
    paint_body(axes, scene, scene.rest, ghost=True)
    bare_body(axes, np.concatenate([places.reshape(-1, body.dimension), scene.rest]))
    colours.bar(drawing, axes, told.words, told.unit, location="right" if scene.proportion < 0.7 else "bottom")
    caption = axes.set_title(" ")
    drawn: list[Any] = []

    def update(frame: int) -> None:
        while drawn:
            drawn.pop().remove()
        drawn.extend(paint_body(axes, scene, places[frame], values[frame], colours))
        caption.set_text(f"{clock(solution, int(nodes[frame]))}, displacements × {factor:g}")

    update(0)
    return update
