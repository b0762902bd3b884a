"""The report of an incremental dynamic analysis: one page with pictures, tables and what a reader should know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from hamex.files import write_atomically
from hamex.report.ida import draw_curves, draw_fragility, draw_stripes, flags_of
from hamex.report.page import captioned, cards, check_plot, page, table
from hamex.report.style import save, to_svg
from hamex.study.ida.curves import IdaCurves
from hamex.study.ida.fragility import Fragility

Fitted = tuple[IdaCurves, Fragility | str]
MODELS = 12  # models with curves of their own in the report; tables have all


def write_pictures(fits: Sequence[Fitted], folder: Path, title: str) -> list[Path]:
    """Curves, stripes and fragility as ``.png`` and ``.svg``; several models have numbers in their names."""
    written = []
    for number, (curves, _) in enumerate(fits[:MODELS], start=1):
        tail = f"-{number}" if len(fits) > 1 else ""
        drawings = {f"curves{tail}": draw_curves(curves, title)}
        if curves.levels is not None:
            drawings[f"stripes{tail}"] = draw_stripes(curves, title)
        for name, drawing in drawings.items():
            written += [_write(drawing, folder / f"{name}{ending}") for ending in (".png", ".svg")]
    good = fitted(fits)
    if good:
        drawing = draw_fragility(good, title)
        written += [_write(drawing, folder / f"fragility{ending}") for ending in (".png", ".svg")]
    return written


def write_fragility(fits: Sequence[Fitted], path: Path, title: str) -> Path:
    """The fragility alone, as picture or page."""
    check_plot(path)
    if path.suffix.lower() != ".html":
        return _write(draw_fragility(fitted(fits), title), path)
    body = f"<h1>{escape(title)}</h1>{_lead(fits)}{_fragility(fits)}{_parameters(fits)}"
    return _text(path, page(title, body + _flags(fits), kind="fragility"))


def write_report(
    fits: Sequence[Fitted],
    path: Path,
    title: str,
    about: Mapping[str, Any],
    files: Sequence[str],
    mce: float | None = None,
) -> Path:
    """The whole report as one page without script or network; ``mce`` is the intensity over which margins are told."""
    good = fitted(fits)
    body = [f"<h1>{escape(title)}</h1>", _lead(fits), _cards(fits, about, mce), _flags(fits)]
    if good:
        body += ["<h2>Fragility</h2>", _fragility(fits, mce)]
    body += [_parameters(fits, mce), "<h2>Curves</h2>"]
    for curves, _ in fits[:MODELS]:
        body.append(
            captioned(
                to_svg(draw_curves(curves)),
                "Every grey line is one record, scaled up. Fractiles are of "
                "the intensity that brings a demand; they end where records without capacity hide them.",
            )
        )
        if curves.levels is not None:
            body.append(
                captioned(
                    to_svg(draw_stripes(curves)),
                    "Demands at each level; on the right how many of the records are beyond the limit.",
                )
            )
    if len(fits) > MODELS:
        body.append(f"<p>The first {MODELS} of {len(fits)} models are shown; the tables have all.</p>")
    body += ["<h2>Capacities</h2>", *(_capacities(curves) for curves, _ in fits[:MODELS])]
    if files:
        body.append(
            "<h2>Files</h2><p>" + ", ".join(f'<a href="{escape(name)}">{escape(name)}</a>' for name in files) + "</p>"
        )
    said = " · ".join(f"{escape(str(name))}: {escape(str(value))}" for name, value in about.items())
    return _text(path, page(title, "\n".join(body), said, "incremental dynamic analysis"))


def fitted(fits: Sequence[Fitted]) -> list[tuple[IdaCurves, Fragility]]:
    """Models that have a fragility."""
    return [(curves, found) for curves, found in fits if isinstance(found, Fragility)]


def rows_of(fits: Sequence[Fitted], mce: float | None = None) -> tuple[list[str], list[list[str]]]:
    """Parameters of the fragilities, one row a model; with an intensity also the margin over it."""
    several = len(fits) > 1
    rows = []
    for curves, found in fits:
        passed = int(np.isfinite(curves.capacities).sum())
        row = [curves.model] if several else []
        if isinstance(found, Fragility):
            bounds = found.interval()
            row += [
                f"{found.median:.4g}",
                _span(bounds["median"]),
                f"{found.dispersion:.3f}",
                _span(bounds["dispersion"]),
                f"{found.total_dispersion:.3f}",
            ]
        else:
            row += ["–"] * 5
        if mce is not None:
            row.append(f"{found.margin(mce):.3g}" if isinstance(found, Fragility) else "–")
        rows.append([*row, f"{passed} of {len(curves.labels)}", curves.motions])
    unit = fits[0][0].im_name.partition("[")[2].rstrip("]")
    head = ["model"] if several else []
    head += [f"median [{unit}]", "90 %", "dispersion", "90 %", "total"] + (["margin"] if mce is not None else [])
    return [*head, "collapsed" if fits[0][0].collapse else "passed", "motions"], rows


def total_said(fits: Sequence[Fitted]) -> str:
    """What the column "total" adds to the dispersion between records; "" where nothing."""
    modelling = next((found.modelling for _, found in fitted(fits)), 0.0)
    return f" The total dispersion includes {modelling:g} for modelling." if modelling else ""


def said_of(fits: Sequence[Fitted]) -> list[str]:
    """Flags of all models, and why some have no fragility."""
    return [
        *flags_of(*(curves for curves, _ in fits)),
        *(
            f"{curves.model + ': ' if curves.model else ''}no fragility: {found}"
            for curves, found in fits
            if isinstance(found, str)
        ),
    ]


# Pieces ------------------------------------------------------------------------------------------------------


def _lead(fits: Sequence[Fitted]) -> str:
    curves = fits[0][0]
    return (
        f'<p class="lead">{escape(_capital(curves.event))}, over {escape(curves.im_name)}, '
        f"{len(curves.labels)} <strong>{curves.motions}</strong> motions.</p>"
    )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _cards(fits: Sequence[Fitted], about: Mapping[str, Any], mce: float | None) -> str:
    curves, found = fits[0]
    unit = curves.im_name.partition("[")[2].rstrip("]")
    shown = [(f"{about.get('runs', ''):,}", "runs")] if about.get("runs") else []
    shown.append((f"{len(curves.labels)}", f"{curves.motions} motions"))
    if isinstance(found, Fragility) and len(fits) == 1:
        wider = f", {found.dispersion:.2f} between records" if found.modelling else ""
        shown += [
            (f"{found.median:.3g} {unit}", "median at collapse" if curves.collapse else "median capacity"),
            (f"{found.total_dispersion:.2f}", f"dispersion{wider}"),
        ]
        if mce is not None:
            what = "collapse margin ratio" if curves.collapse else "margin"
            shown.append((f"{found.margin(mce):.2f}", f"{what} over {mce:g} {unit}"))
    return cards((escape(value), escape(name)) for value, name in shown)


def _fragility(fits: Sequence[Fitted], mce: float | None = None) -> str:
    good = fitted(fits)
    curves, found = good[0]
    unit, there = curves.im_name.partition("[")[2].rstrip("]"), ""
    if mce is not None and len(good) == 1:
        there = f" At {mce:g} {escape(unit)} it is {100 * float(found.probability(mce)):.2g} %."
    return captioned(
        to_svg(draw_fragility(good)),
        f"Probability of {escape(curves.event)}, under {curves.motions} motions.{there} Fit by {escape(found.method)}.",
    )


def _flags(fits: Sequence[Fitted]) -> str:
    said = said_of(fits)
    if not said:
        return ""
    return "<h2>What to know</h2><ul>" + "".join(f"<li>{escape(flag)}</li>" for flag in said) + "</ul>"


def _parameters(fits: Sequence[Fitted], mce: float | None = None) -> str:
    head, rows = rows_of(fits, mce)
    event = escape(_capital(fits[0][0].event))
    return table(
        head,
        [[escape(cell) for cell in row] for row in rows],
        f"{event}: parameters with bootstrap limits.{escape(total_said(fits))}",
    )


def _capacities(curves: IdaCurves) -> str:
    capacity, tried, scale = curves.capacities, curves.tried, np.nanmax(np.abs(curves.scale), axis=1)
    rows = [
        [
            f'<span class="long">{escape(label)}</span>',
            f"{value:.4g}" if np.isfinite(value) else f"&gt; {most:.4g} (censored)",
            f"{factor:.3g}",
        ]
        for label, value, most, factor in zip(curves.labels, capacity, tried, scale, strict=True)
    ]
    unit = curves.im_name.partition("[")[2].rstrip("]")
    return table(
        [f"record ({curves.motions})", f"capacity [{unit}]", "largest factor"],
        rows,
        f"{escape(curves.im_name)} at {'which ' if not curves.collapse else ''}{escape(curves.limit_name)}"
        + (f", {escape(curves.model)}" if curves.model else "")
        + ".",
    )


def _span(pair: tuple[float, float]) -> str:
    return f"{pair[0]:.3g}–{pair[1]:.3g}"


def _write(drawing: Any, path: Path) -> Path:
    return write_atomically(path, lambda part: save(drawing, part))


def _text(path: Path, text: str) -> Path:
    return write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"))
