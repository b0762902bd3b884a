"""GeoJSON of a region, written in pieces: a million points never stand in memory as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from hamex.study.region.parts import MEASURES

if TYPE_CHECKING:
    import polars as pl

    from hamex.study.region.result import Region

MANY = 200_000          # buildings beyond which GeoJSON, a kilobyte each, is written only when asked for
_PIECE = 20_000
_DIGITS = 6             # significant ones, of places nine: a decimetre; Parquet has them all


def write_geojson(region: Region, path: Path) -> None:
    """One point per building; what each storey has are lists. Accelerations in g, periods and steps in s."""
    about = {"label": region.label, **region.provenance}
    with path.open("wb") as file:
        file.write(b'{"type":"FeatureCollection","hamex":' + json.dumps(about, ensure_ascii=False).encode()
                   + b',"features":[\n')
        for begin in range(0, len(region), _PIECE):
            lines = _features(region.frame.slice(begin, _PIECE)).write_ndjson().encode()
            file.write((b",\n" if begin else b"") + lines.rstrip(b"\n").replace(b"\n", b",\n"))
        file.write(b"\n]}\n")


def _features(frame: pl.DataFrame) -> pl.DataFrame:
    """A row per feature; what is not a number is null, as JSON wants it."""
    import polars as pl
    import polars.selectors as of

    number, each = of.float(), pl.element()
    short = frame.with_columns(
        of.by_name("longitude", "latitude").round_sig_figs(9),
        (number - of.by_name("longitude", "latitude")).fill_nan(None).round_sig_figs(_DIGITS),
        of.by_name(*MEASURES).list.eval(each.fill_nan(None).round_sig_figs(_DIGITS)))
    place = pl.struct(pl.lit("Point").alias("type"), pl.concat_list("longitude", "latitude").alias("coordinates"))
    return short.select(pl.lit("Feature").alias("type"), place.alias("geometry"),
                        pl.struct(pl.exclude("longitude", "latitude")).alias("properties"))
