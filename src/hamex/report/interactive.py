"""A figure as plotly shows it: the same panels, curves and words, to zoom in and to read numbers off.

Figures are drawn once, by matplotlib; this reads what stands in them. Curves, filled areas, marks and steps become
traces in the coordinates of their axes, words and images stay where they are; what is painted as dots, such as the
cells of a body, becomes an image.
"""

from __future__ import annotations

import io
import re
from base64 import b64encode
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import MissingPackageError
from hamex.report.style import INK, LINE, PAPER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]
_DOTS = 96  # pixels an inch on a page
_DASHES = {"-": "solid", "--": "dash", ":": "dot", "-.": "dashdot"}
_MARKS = {"o": "circle", "|": "line-ns-open", "^": "triangle-up", "s": "square", "D": "diamond", "x": "x"}
_HIDDEN = ("_", "")  # how labels begin that no legend shows


def interactive_figure(drawing: Figure) -> Any:
    """A ``plotly.graph_objects.Figure`` of a matplotlib figure."""
    if find_spec("plotly") is None:
        raise MissingPackageError("interactive figures need plotly: pip install 'hamex[plot]'")
    import plotly.graph_objects as go
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(drawing)
    canvas.draw()  # the layout is found when a figure is drawn
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"annotations": [], "images": []}
    panels = [axes for axes in drawing.axes if axes.get_visible()]
    for number, axes in enumerate(panels, start=1):
        _panel(axes, number, traces, layout)
        layout["images"] += _dots(drawing, canvas, axes, "" if number == 1 else str(number))
    wide, high = (float(size) * _DOTS for size in drawing.get_size_inches())
    for words in (drawing._suptitle, drawing._supxlabel):  # type: ignore[attr-defined]
        if words is not None and words.get_text():
            x, y = words.get_position()
            layout["annotations"].append(_words(words, x, y, "paper", "paper"))
    return go.Figure(
        traces,
        {
            "width": wide,
            "height": high,
            "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
            "paper_bgcolor": PAPER,
            "plot_bgcolor": PAPER,
            "font": {"color": INK, "size": 12},
            "hovermode": "closest",
            **layout,
        },
    )


def _panel(axes: Any, number: int, traces: list[dict[str, Any]], layout: dict[str, Any]) -> None:
    """One axes: where it stands, its curves, its words."""
    place = "" if number == 1 else str(number)
    box = axes.get_position()
    for name, axis, span, limits in (
        ("x", axes.xaxis, (box.x0, box.x1), axes.get_xlim()),
        ("y", axes.yaxis, (box.y0, box.y1), axes.get_ylim()),
    ):
        layout[f"{name}axis{place}"] = _axis(axes, axis, name, span, limits) | {
            "anchor": f"{'y' if name == 'x' else 'x'}{place}"
        }
    if axes.get_aspect() == 1.0:
        layout[f"yaxis{place}"] |= {"scaleanchor": f"x{place}", "scaleratio": 1.0}
    found = [*_filled(axes), *_lines(axes), *_points(axes)]
    shown = axes.get_legend() is not None
    for trace in found:
        trace |= {"xaxis": f"x{place}", "yaxis": f"y{place}", "legend": f"legend{place}"}
        trace["showlegend"] = shown and not trace["name"].startswith("_") and trace["name"] != ""
    traces += found
    if shown:
        layout[f"legend{place}"] = _legend(axes.get_legend(), box)
    title = axes.get_title(loc="left") or axes.get_title()
    if title:
        layout["annotations"].append(
            {
                "text": plain(title),
                "x": box.x0,
                "y": box.y1,
                "xref": "paper",
                "yref": "paper",
                "xanchor": "left",
                "yanchor": "bottom",
                "align": "left",
                "showarrow": False,
                "font": {"size": 13},
            }
        )
    layout["annotations"] += [
        _words(text, *_in_data(axes, text), f"x{place}", f"y{place}") for text in axes.texts if text.get_text()
    ]
    layout["images"] += [_image(image, place) for image in axes.images]
    layout["images"] += [_scale(mesh, place) for mesh in axes.collections if hasattr(mesh, "get_coordinates")]


def _axis(axes: Any, axis: Any, name: str, span: tuple[float, float], limits: Any) -> dict[str, Any]:
    log = axis.get_scale() == "log"
    low, high = (np.log10(limits) if log else np.asarray(limits)).tolist()
    bare = not axis.get_visible() or len(axis.get_ticklocs()) == 0 or not axes.axison
    said = {
        "domain": [max(span[0], 0.0), min(span[1], 1.0)],
        "type": "log" if log else "linear",
        "range": [low, high],
        "title": {"text": plain(axis.get_label_text()), "standoff": 4},
        "showgrid": not bare,
        "gridcolor": LINE,
        "zeroline": False,
        "showticklabels": not bare
        and bool(axis.get_tick_params().get("labelbottom" if name == "x" else "labelleft", 1)),
        "ticks": "" if bare else "outside",
        "showline": not bare and axes.spines["bottom" if name == "x" else "left"].get_visible(),
        "linecolor": INK,
    }
    if log and not bare:  # ticks that a figure chose
        seen = [
            (float(at), label.get_text()) for at, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
        ]
        kept = [(at, text) for at, text in seen if limits[0] <= at <= limits[1] * 1.0001 and text]
        said |= {"tickvals": [at for at, _ in kept], "ticktext": [plain(text) for _, text in kept]}
    return said


def _lines(axes: Any) -> list[dict[str, Any]]:
    found = []
    for line in axes.lines:
        x, y = _moved(axes, line.get_transform(), np.column_stack([line.get_xdata(), line.get_ydata()])).T
        marker, style = line.get_marker(), line.get_linestyle()
        drawn, dotted = style not in ("None", "", " "), marker not in ("None", None, "", " ")
        trace: dict[str, Any] = {
            "type": "scatter",
            "x": x,
            "y": y,
            "name": plain(str(line.get_label())),
            "mode": "+".join([*(["lines"] if drawn else []), *(["markers"] if dotted else [])]) or "none",
            "opacity": 1.0 if line.get_alpha() is None else line.get_alpha(),
        }
        if drawn:
            steps = {"steps-post": "hv", "steps-pre": "vh", "steps-mid": "hvh"}.get(line.get_drawstyle(), "linear")
            trace["line"] = {
                "color": _colour(line.get_color()),
                "width": 1.33 * line.get_linewidth(),
                "dash": _DASHES.get(style, "dash"),
                "shape": steps,
            }
        if dotted:
            trace["marker"] = {
                "color": _colour(line.get_markerfacecolor()),
                "size": 1.33 * line.get_markersize(),
                "symbol": _MARKS.get(marker, "circle"),
                "line": {"color": _colour(line.get_markeredgecolor()), "width": line.get_markeredgewidth()},
            }
        found.append(trace)
    return found


def _filled(axes: Any) -> list[dict[str, Any]]:
    """Areas between curves, bars, steps and bands: their outlines."""
    from matplotlib.collections import PathCollection, QuadMesh

    found = []
    areas = [
        each
        for each in axes.collections
        if not isinstance(each, PathCollection | QuadMesh) and not each.get_rasterized()
    ]
    for shape in [*axes.patches, *areas]:
        several = hasattr(shape, "get_paths")
        for path in shape.get_paths() if several else [shape.get_path()]:
            corners = np.concatenate([*path.to_polygons(closed_only=False)]) if len(path.vertices) else np.zeros((0, 2))
            if not len(corners):
                continue
            x, y = _moved(axes, shape.get_transform(), corners).T
            face, edge = (
                (np.atleast_2d(of)[0] if len(of) else None) for of in (shape.get_facecolor(), shape.get_edgecolor())
            )
            filled = face is not None and face[3] > 0 and (several or bool(shape.get_fill()))
            style = shape.get_linestyle()
            wide = float(np.atleast_1d(shape.get_linewidth())[0]) if edge is not None and edge[3] > 0 else 0.0
            if not filled and not wide:
                continue
            found.append(
                {
                    "type": "scatter",
                    "x": x,
                    "y": y,
                    "name": plain(str(shape.get_label())),
                    "mode": "lines",
                    "fill": "toself" if filled else "none",
                    "fillcolor": _colour(face) if filled else None,
                    "line": {
                        "color": _colour(edge if wide else face),
                        "width": 1.33 * wide,
                        "dash": _DASHES.get(style, "solid") if isinstance(style, str) else "solid",
                    },
                    "hoverinfo": "name" if filled else "x+y",
                }
            )
    return found


def _points(axes: Any) -> list[dict[str, Any]]:
    """Scattered points, each in its colour."""
    from matplotlib.collections import PathCollection

    found = []
    for points in axes.collections:
        if not isinstance(points, PathCollection):
            continue
        places = np.asarray(points.get_offsets())
        colours = [_colour(colour) for colour in points.get_facecolor()]
        values = points.get_array()
        found.append(
            {
                "type": "scatter",
                "x": places[:, 0],
                "y": places[:, 1],
                "name": plain(str(points.get_label())),
                "mode": "markers",
                "text": None if values is None else [f"{value:.4g}" for value in values],
                "marker": {
                    "color": colours[0] if len(colours) == 1 else colours,
                    "size": 1.33 * float(np.sqrt(points.get_sizes()[0])),
                },
            }
        )
    return found


def _moved(axes: Any, transform: Any, points: Array) -> Array:
    """Points in the coordinates of the axes, whatever they were given in: lines across know one of the two only."""
    points = np.asarray(points, dtype=float)
    if transform == axes.transData or not len(points):
        return points
    return np.asarray(axes.transData.inverted().transform(transform.transform(points)))


def _in_data(axes: Any, text: Any) -> tuple[float, float]:
    """Where words stand, in the coordinates of the axes; arrows and offsets are followed."""
    box = text.get_window_extent()
    across = {"left": box.x0, "center": (box.x0 + box.x1) / 2, "right": box.x1}[text.get_ha()]
    up = {"bottom": box.y0, "top": box.y1}.get(text.get_va(), (box.y0 + box.y1) / 2)
    x, y = axes.transData.inverted().transform((across, up))
    for name, log in (("x", axes.get_xscale() == "log"), ("y", axes.get_yscale() == "log")):
        if log:  # annotations of plotly stand at logarithms
            x, y = (np.log10(x), y) if name == "x" else (x, np.log10(y))
    return float(x), float(y)


def _words(text: Any, x: float, y: float, across: str, up: str) -> dict[str, Any]:
    return {
        "text": plain(text.get_text()),
        "x": x,
        "y": y,
        "xref": across,
        "yref": up,
        "xanchor": text.get_ha(),
        "yanchor": {"baseline": "middle", "center": "middle", "center_baseline": "middle"}.get(
            text.get_va(), text.get_va()
        ),
        "align": "left",
        "textangle": -text.get_rotation(),
        "showarrow": False,
        "font": {"size": 1.25 * text.get_fontsize(), "color": _colour(text.get_color())},
    }


def _legend(legend: Any, box: Any) -> dict[str, Any]:
    """Where the legend of a panel stands."""
    drawing = legend.figure
    own = legend.get_window_extent().transformed(drawing.transFigure.inverted())
    right, top = own.x0 + own.x1 > box.x0 + box.x1, own.y0 + own.y1 > box.y0 + box.y1
    if own.y1 <= box.y0:  # below its panel: it grows downwards
        at = {"x": max(own.x0, 0.0), "y": own.y1, "xanchor": "left", "yanchor": "top", "orientation": "h"}
        return at | {"bgcolor": "rgba(255,255,255,0.7)", "font": {"size": 11}}
    return {
        "x": min(own.x1, 1.0) if right else max(own.x0, 0.0),
        "y": min(own.y1, 1.0) if top else max(own.y0, 0.0),
        "xanchor": "right" if right else "left",
        "yanchor": "top" if top else "bottom",
        "bgcolor": "rgba(255,255,255,0.7)",
        "font": {"size": 11},
    }


def _dots(drawing: Figure, canvas: Any, axes: Any, place: str) -> list[dict[str, Any]]:
    """What is painted as dots in some axes, as one image over them."""
    from matplotlib.collections import QuadMesh
    from matplotlib.image import imsave

    painted = [each for each in axes.collections if each.get_rasterized() and not isinstance(each, QuadMesh)]
    if not painted:
        return []
    everything = [*drawing.get_children(), *(child for other in drawing.axes for child in other.get_children())]
    shown = {each: each.get_visible() for each in everything}
    for each in everything:
        each.set_visible(each is axes or each in painted)
    axes.set_axis_off()
    drawing.patch.set_visible(False)
    engine = drawing.get_layout_engine()
    drawing.set_layout_engine("none")  # everything stays where it was found
    canvas.draw()
    dots = np.asarray(canvas.buffer_rgba()).copy()
    axes.set_axis_on()
    drawing.set_layout_engine(engine)
    for each, was in shown.items():
        each.set_visible(was)
    high, wide = dots.shape[:2]
    box = axes.get_position()
    rows = slice(round((1 - box.y1) * high), round((1 - box.y0) * high))
    content = io.BytesIO()
    imsave(content, np.ascontiguousarray(dots[rows, round(box.x0 * wide) : round(box.x1 * wide)]), format="png")
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    return [_pasted(content, (left, right, bottom, top), place)]


def _image(image: Any, place: str) -> dict[str, Any]:
    """A map, as the picture that it is."""
    return _placed(image, image.get_array(), image.origin, image.get_extent(), place)


def _scale(mesh: Any, place: str) -> dict[str, Any]:
    """The colours of a scale, as a picture."""
    corners = mesh.get_coordinates()
    box = [corners[0, 0, 0], corners[-1, -1, 0], corners[0, 0, 1], corners[-1, -1, 1]]
    values = np.asarray(mesh.get_array()).reshape(corners.shape[0] - 1, corners.shape[1] - 1)
    if corners[0, 0, 0] != corners[-1, 0, 0]:  # its first axis lies along the page
        values = values.T
    return _placed(mesh, values, "lower", box, place)


def _placed(coloured: Any, values: Array, origin: Any, box: Any, place: str) -> dict[str, Any]:
    from matplotlib.image import imsave

    content = io.BytesIO()
    imsave(content, coloured.to_rgba(values, bytes=True), origin=origin, format="png")
    return _pasted(content, box, place)


def _pasted(content: io.BytesIO, box: Any, place: str) -> dict[str, Any]:
    """A picture between the coordinates of a box, left, right, bottom and top."""
    left, right, bottom, top = (float(at) for at in box)
    return {
        "source": f"data:image/png;base64,{b64encode(content.getvalue()).decode()}",
        "xref": f"x{place}",
        "yref": f"y{place}",
        "x": left,
        "y": top,
        "sizex": right - left,
        "sizey": top - bottom,
        "sizing": "stretch",
        "layer": "below",
    }


def _colour(colour: Any) -> str:
    from matplotlib.colors import to_rgba

    red, green, blue, alpha = to_rgba(colour)
    return f"rgba({round(255 * red)},{round(255 * green)},{round(255 * blue)},{alpha:.3g})"


def plain(text: str) -> str:
    """Words with the little mathematics of labels as HTML.

    >>> plain("slip $u_1$ [m]")
    'slip u<sub>1</sub> [m]'
    """

    def formula(found: re.Match[str]) -> str:
        inside = re.sub(r"\\mathdefault\{(.*?)\}", r"\1", found[1])
        inside = re.sub(r"_\{?([^{}\s]+?)\}?(?=[^\w]|$)", r"<sub>\1</sub>", inside)
        return re.sub(r"\^\{(.*?)\}", r"<sup>\1</sup>", inside)

    return re.sub(r"\$(.+?)\$", formula, text).replace("\n", "<br>")
