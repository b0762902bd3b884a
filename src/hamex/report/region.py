"""Page of a region: map in classes of colour that follow the page's theme, tables, and how the numbers came about; one
file, no script, no network."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.files import check_writable, write_atomically
from hamex.report.page import captioned, cards, page, table
from hamex.report.style import BLUE, INK, PAPER, RED, SOFT, STEPS, figure, to_svg
from hamex.study.regions.result import Region
from hamex.study.regions.shear_frames import COLLAPSE, LONGEST, PER_PERIOD, PROBABILITIES
from hamex.study.regions.types import STATES, TYPES

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
    good = region.good
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


_NAMES = ("none", *STATES)
_MAP = "Maps of the probability of at least moderate damage and of the largest storey drift"


def write_region_page(region: Region, path: str | Path) -> Path:
    """Write the page, ``.html``."""
    target = Path(path)
    check_writable(target, (".html",))
    text = region_page(region)
    return write_atomically(target, lambda part: part.write_text(text, encoding="utf-8"))


def region_page(region: Region) -> str:
    """The whole page."""
    found = region.summary
    body = [
        f"<h1>Region of {len(region):,} buildings</h1>",
        f'<p class="lead">{_capital(region.label)}; {escape(region.motions)} motions.</p>',
        _cards(region, found),
        "<h2>Map</h2>",
        captioned(to_svg(draw_map(region)), _map_caption(region), _MAP),
        "<h2>By height</h2>",
        captioned(
            to_svg(draw_heights(found["by_storeys"])),
            "Left: largest drift of any storey, median and 95th percentile of the buildings. Right: expected "
            "shares of the damage states.",
        ),
        _group_table(found["by_storeys"], "storeys", "Storeys"),
        "<h2>By type</h2>",
        _group_table(found["by_type"], "type", "Type"),
        "<h2>How the numbers came about</h2>",
        _how(region, found),
    ]
    about = " · ".join(
        f"{escape(name)} {escape(str(value))}" for name, value in region.provenance.items() if name != "hamex"
    )
    return page(f"Region of {len(region):,} buildings", "\n".join(body), about, "region")


def _capital(text: str) -> str:
    return escape(text[:1].upper() + text[1:])


def _cards(region: Region, found: dict[str, Any]) -> str:
    every = found["all"]
    states = every["expected_buildings"]
    error = found["step"]["error"]
    rows = [
        (f"{len(region):,}", f"buildings, {found['storeys']:,} storeys"),
        (
            _percent(every["peak_drift_ratio"]["median"]),
            "largest storey drift, median; 95th percentile " + _percent(every["peak_drift_ratio"]["percentile_95"]),
        ),
        (f"{every['peak_floor_acceleration']['median'] or np.nan:.2f} g", "largest floor acceleration, median"),
        (_count(_sum(states, "extensive", "complete")), "buildings expected with extensive or complete damage"),
    ]
    if region.degrading:
        rows.append((f"{region.collapsed:,}", "buildings collapsed: a storey went down sideways"))
    if error is not None:
        share = error["peak_drift_ratio"]["share_within_2_percent"]
        rows.append(
            (
                f"{100 * share:.1f} %",
                f"of {error['buildings']} buildings within 2 % of the drift at an eighth of the step",
            )
        )
    return cards((value, escape(words)) for value, words in rows)


def _sum(states: dict[str, float | None], *names: str) -> float:
    return sum(states[name] or 0.0 for name in names)


def _percent(ratio: float | None) -> str:
    return "–" if ratio is None else f"{100 * ratio:.2f} %"


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 0.05 else "0"


# Pictures ----------------------------------------------------------------------------------------------------


def _map_caption(region: Region) -> str:
    what = "Each building is a point" if len(region) <= FEW else "Means over the buildings of each cell"
    stations = "" if region.grid.everywhere else " Triangles are stations."
    return f"{what}.{stations} Motions: {escape(region.grid.rule)}."


def draw_heights(rows: list[dict[str, Any]]) -> Figure:
    """Drifts and damage states by number of storeys."""
    storeys = np.array([row["storeys"] for row in rows])
    places = np.arange(len(storeys))
    with figure(1, 2, width=9.6, height=3.2) as (drawing, axes):
        left, right = axes[0]
        for name, words, look in (("median", "median", "o"), ("percentile_95", "95th percentile", "_")):
            values = [100 * (row["peak_drift_ratio"][name] or np.nan) for row in rows]
            left.plot(
                places,
                values,
                look,
                color=BLUE if look == "o" else RED,
                ms=6 if look == "o" else 12,
                mew=1.8,
                label=words,
            )
        left.set(ylabel="largest storey drift [%]", xlabel="storeys", ylim=(0, None))
        left.legend(loc="best")
        base = np.zeros(len(rows))
        for state, shade in zip(_NAMES, STEPS, strict=True):
            share = np.array([100 * (row["expected_buildings"][state] or 0.0) / row["buildings"] for row in rows])
            right.bar(places, share, 0.8, base, color=shade, label=state, lw=0)
            base += share
        right.set(ylabel="buildings [%]", xlabel="storeys", ylim=(0, 100))
        right.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), reverse=True)
        for here in (left, right):
            here.set_xticks(places, [str(count) for count in storeys])
            here.grid(False, axis="x")
            here.set_axisbelow(True)
    return drawing


# Words -------------------------------------------------------------------------------------------------------


def _group_table(rows: list[dict[str, Any]], key: str, head: str) -> str:
    lines = []
    for row in rows:
        drift, residual, states = row["peak_drift_ratio"], row["peak_residual_drift_ratio"], row["expected_buildings"]
        lines.append(
            [
                escape(str(row[key]) or "–"),
                f"{row['buildings']:,}",
                " / ".join(_percent(drift[name]).removesuffix(" %") for name in ("median", "percentile_95")),
                f"{row['peak_floor_acceleration']['median']:.2f}",
                _percent(residual["percentile_95"]).removesuffix(" %"),
                *("–" if states[name] is None else _count(states[name]) for name in _NAMES),
            ]
        )
    words = [
        f"{name} {TYPES[name].description}"
        for name in TYPES
        if any(str(row[key]) in (name, name + "L", name + "M", name + "H") for row in rows)
    ]
    heads = [
        head,
        "buildings",
        "drift [%]<br>median / 95th",
        "floor<br>acc. [g]",
        "residual<br>[%]",
        "none",
        "slight",
        "mod-<br>erate",
        "exten-<br>sive",
        "com-<br>plete",
    ]
    caption = (
        "Demands: largest of all storeys of a building; of floor accelerations the median over the buildings, "
        "of residual drifts the 95th percentile. Right: expected numbers of buildings in each damage state."
    )
    return table(heads, lines, caption) + (f"<p>{escape('; '.join(words))}.</p>" if words else "")


def _how(region: Region, found: dict[str, Any]) -> str:
    error, step = found["step"]["error"], found["step"]
    rule = (
        f"{step['shortest']:g} s"
        if step["shortest"] == step["longest"]
        else f"{step['shortest']:g} to {step['longest']:g} s"
    )
    lines = [
        f"{_capital(region.label)}. Each building is a shear model with all its storeys: equal floors, a straight "
        "first mode of the building's period, yield forces in proportion to the storey shears of ASCE 7 12.8.3, "
        + ("hardening up to the ductility and then losing its strength" if region.degrading else "kinematic hardening")
        + ", Rayleigh damping in the first two modes.",
        f"What the inventory leaves out comes from {escape(found['defaults'])}.",
        "Damage states: lognormal thresholds on the largest storey drift, medians of Hazus' low-rise class, dispersion "
        "0.4 (variability of the thresholds alone; not that of the motion or of the building).",
        "Residual drift: the slip left in a storey, which is its drift once everything is at rest.",
        f"Motions: {escape(region.motions)}; {escape(found['stations']['rule'])}"
        + (f", at most {found['stations']['farthest_km']:.1f} km away." if not region.grid.everywhere else "."),
        f"Step {rule} (the record's, halved until at most {LONGEST:g} s and T₁/{PER_PERIOD}, unless one was asked "
        "for).",
    ]
    if error is not None:
        shares = {
            name: 100 * error[name]["share_within_2_percent"]
            for name in ("peak_drift_ratio", "peak_floor_acceleration")
        }
        lines.append(
            f"Step error: of {error['buildings']} buildings run again at an eighth of the step, "
            f"{shares['peak_drift_ratio']:.1f} % have their largest drift within 2 % and "
            f"{shares['peak_floor_acceleration']:.1f} % their largest floor acceleration."
        )
    if found.get("collapsed"):
        lines.append(
            f'<span class="bad">{found["collapsed"]:,} buildings collapsed: a storey went down sideways, beyond '
            f"a drift of {100 * COLLAPSE:g} %; they count as completely damaged, their drifts are those up to "
            "there, and they have no residual drift.</span>"
        )
    if found["failed"]:
        lines.append(f'<span class="bad">{found["failed"]:,} buildings have no result; see the column status.</span>')
    if found["ignored_columns"]:
        lines.append(
            f"Columns of the inventory that mean nothing here: {escape(', '.join(found['ignored_columns'][:20]))}."
        )
    lines.append(f"{found['kernel_seconds']:.1f} s of computation, {found['seconds']:.1f} s by the clock.")
    return "<ul>" + "".join(f"<li>{line}</li>" for line in lines) + "</ul>"
