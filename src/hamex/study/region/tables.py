"""A region in sum: percentiles of the demands and expected numbers of buildings in each damage state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hamex.study.region.parts import FINISHED, PROBABILITIES

if TYPE_CHECKING:
    from hamex.study.region.result import Region

_DEMANDS = ("peak_drift_ratio", "peak_floor_acceleration", "peak_residual_drift_ratio")


def whole(region: Region) -> dict[str, Any]:
    """Of all buildings that have a result."""
    import polars as pl

    frame = _frame(region)
    return _named(frame.select(pl.len().alias("buildings"), *_sums()).row(0, named=True))


def grouped(region: Region, column: str) -> list[dict[str, Any]]:
    """Of the buildings that share a type, or a number of storeys."""
    import polars as pl

    rows = _frame(region, column).group_by(column).agg(pl.len().alias("buildings"), *_sums()).sort(column)
    return [{column: row[column]} | _named(row) for row in rows.iter_rows(named=True)]


def _frame(region: Region, column: str | None = None) -> Any:
    import polars as pl

    columns: dict[str, Any] = {name: region.columns[name] for name in (*_DEMANDS, *PROBABILITIES)}
    if column is not None:
        columns[column] = np.ascontiguousarray(getattr(region.inventory, column))
    good = region.columns["status"] == FINISHED
    return pl.DataFrame({name: values[good] for name, values in columns.items()}).with_columns(
        pl.col(pl.Float64).fill_nan(None))


def _sums() -> list[Any]:
    import polars as pl

    found: list[Any] = []
    for name in _DEMANDS:
        found += [pl.col(name).median().alias(f"{name}_median"), pl.col(name).quantile(0.95).alias(f"{name}_95")]
    return found + [pl.col(name).sum() for name in PROBABILITIES]


def _named(row: dict[str, Any]) -> dict[str, Any]:
    demands = {name: {"median": row[f"{name}_median"], "percentile_95": row[f"{name}_95"]} for name in _DEMANDS}
    states = {name.removeprefix("p_"): row[name] for name in PROBABILITIES}
    return {"buildings": row["buildings"], **demands, "expected_buildings": states}
