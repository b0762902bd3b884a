"""Map of a region in classes of colour that follow the page's theme, with its scale and coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.report.style import INK, PAPER, SOFT, STEPS, figure
from hamex.study.regions.result import Region
from hamex.study.regions.shear_frames import FINISHED, PROBABILITIES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]

FEW = 3000  # buildings up to which each is a point of the map
_IN_CELL = 8  # buildings of a cell, about, beyond that
_CELLS = 150  # cells along the longer side at most
_KILOMETRES = 111.32  # of a degree along the equator


def draw_map(region: Region) -> Figure:
    """Where damage is to be expected, and where drifts are large, in the steps of the damage states."""
    x = region.inventory
    good = region.columns["status"] == FINISHED
    worse = sum((region.columns[name] for name in PROBABILITIES[2:]), np.zeros(len(region)))
    panels = [
        ("at least moderate damage, probability [%]", 100 * worse, 100.0),
        ("largest storey drift [%]", 100 * region.columns["peak_drift_ratio"], np.inf),
    ]
    aspect = 1 / np.cos(np.radians(float(x.latitude.mean())))
    with figure(1, 2, width=9.6, height=5.6) as (drawing, axes):
        for here, (title, values, most) in zip(axes[0], panels, strict=True):
            shown = good & np.isfinite(values)
            edges = _edges(values[shown], most)
            if len(region) <= FEW:
                corners = _points(x.longitude[shown], x.latitude[shown], aspect)
                found = values[shown]
            else:
                corners, found = _cells(*_raster(x.longitude[shown], x.latitude[shown], values[shown], aspect))
            _fill(here, corners, found, edges)
            if not region.grid.everywhere:
                here.plot(
                    region.grid.longitude, region.grid.latitude, "^", ms=6, mfc=PAPER, mec=INK, mew=0.9, ls="none"
                )
            here.set(title=title, xlabel="longitude [°]", aspect=aspect)
            here.ticklabel_format(useOffset=False)
            here.locator_params(axis="x", nbins=5)
            here.grid(False)
            _scale_bar(here, float(x.latitude.mean()))
            _legend(drawing, here, edges, bool((found > edges[-1]).any()))
        axes[0, 0].set_ylabel("latitude [°]")
    return drawing


def _edges(values: Array, most: float) -> Array:
    """Limits of as many classes as there are steps, from zero to a round number that few values pass."""
    high = float(np.percentile(values, 98)) if len(values) else 0.0
    size = 10.0 ** np.floor(np.log10(high)) if high > 0 else 1.0
    top = min(most, next(size * factor for factor in (1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10) if size * factor >= high))
    return np.linspace(0.0, top, len(STEPS) + 1)


def _fill(axes: Any, corners: Array, values: Array, edges: Array) -> None:
    """Polygons (number, corner, 2) in the colours of their classes: one outline each, which takes the page's theme."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    places = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(STEPS) - 1)
    for step, colour in enumerate(STEPS):
        own = corners[places == step]
        if len(own):
            axes.add_patch(PathPatch(Outline.make_compound_path_from_polys(own), fc=colour, lw=0))
    axes.autoscale_view()


def _points(longitude: Array, latitude: Array, aspect: float) -> Array:
    """An octagon for each building."""
    span = max(np.ptp(longitude), aspect * np.ptp(latitude)) or 0.01
    radius = span * np.clip(0.6 / np.sqrt(max(len(longitude), 1)), 0.006, 0.02)
    angle = np.pi * (2 * np.arange(8) + 1) / 8
    round_ = radius * np.stack([np.cos(angle), np.sin(angle) / aspect], axis=1)
    return np.stack([longitude, latitude], axis=1)[:, None, :] + round_


def _cells(image: Array, extent: list[float]) -> tuple[Array, Array]:
    """Rectangles of the cells that hold buildings, and their values."""
    rows, columns = image.shape
    west, east, south, north = extent
    across, up = np.linspace(west, east, columns + 1), np.linspace(south, north, rows + 1)
    row, column = np.nonzero(np.isfinite(image))
    left, right, low, high = across[column], across[column + 1], up[row], up[row + 1]
    corners = np.stack([[left, low], [right, low], [right, high], [left, high]]).transpose(2, 0, 1)
    return corners, image[row, column]


def _scale_bar(axes: Any, latitude: float) -> None:
    """A length on the map, in the corner, where no building is."""
    from matplotlib.transforms import blended_transform_factory

    low, high = axes.get_xlim()
    degree = _KILOMETRES * np.cos(np.radians(latitude))  # km of longitude
    third = (high - low) * degree / 3
    size = 10.0 ** np.floor(np.log10(third))
    length = max(size * factor for factor in (1, 2, 5) if size * factor <= third)
    place = blended_transform_factory(axes.transData, axes.transAxes)
    start = low + 0.03 * (high - low)
    end = start + length / degree
    axes.plot([start, end], [0.02, 0.02], color=INK, lw=3, transform=place)
    axes.text(end, 0.02, f"  {length:g} km", transform=place, va="center", ha="left", fontsize=8)


def _legend(drawing: Figure, axes: Any, edges: Array, beyond: bool) -> None:
    """The scale of the colours, class by class; the last one may hold more than it says."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap

    scale = ScalarMappable(BoundaryNorm(edges, len(STEPS)), ListedColormap(STEPS))
    bar = drawing.colorbar(scale, ax=axes, location="bottom", shrink=0.8, aspect=30, pad=0.02, ticks=edges)
    assert bar.solids is not None
    bar.solids.set_rasterized(False)
    words = [f"{edge:g}" for edge in edges]
    bar.ax.set_xticklabels([*words[:-1], f"{words[-1]} and more" if beyond else words[-1]])
    bar.outline.set_edgecolor(SOFT)


def _raster(longitude: Array, latitude: Array, values: Array, aspect: float) -> tuple[Array, list[float]]:
    """Mean over the buildings of each cell, NaN where there are none."""
    spans = np.array([np.ptp(longitude), aspect * np.ptp(latitude)]) + 1e-9
    cells = min(_CELLS, max(10.0, (len(values) / _IN_CELL * spans.max() / spans.min()) ** 0.5))
    bins = np.maximum((cells * spans / spans.max()).astype(int), 1)
    total, x, y = np.histogram2d(longitude, latitude, bins.tolist(), weights=values)
    number = np.histogram2d(longitude, latitude, [x, y])[0]
    mean = np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)
    return mean.T, [float(x[0]), float(x[-1]), float(y[0]), float(y[-1])]
