"""Spectra in numbers, at a few periods that engineers ask for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.report.spectrum.lines import Lines, middle
from hamex.study.spectra.result import Spectrum

ASKED_FOR = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)      # periods [s]


class Table(NamedTuple):
    """Rows of numbers as text; the first column is the period."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def chosen_periods(periods: NDArray[Any]) -> list[int]:
    """Places of the periods to show: all of a dozen, else those nearest to round ones, shortest first.

    >>> chosen_periods(np.array([0.2, 0.1])), len(chosen_periods(np.geomspace(0.03, 20, 500)))
    ([1, 0], 12)
    """
    order = np.argsort(periods, kind="stable")
    if len(periods) <= len(ASKED_FOR):
        return order.tolist()
    inside = [T for T in ASKED_FOR if periods.min() / 1.001 <= T <= periods.max() * 1.001]
    near = {int(np.abs(np.log(periods / T)).argmin()) for T in inside}
    return [place for place in order.tolist() if place in (near or {int(order[0]), int(order[-1])})]


def tables(spec: Spectrum) -> list[Table]:
    """What a spectrum says at a few periods, damping by damping; of several motions, the median."""
    lines = Lines(spec)
    places = [int(np.flatnonzero(lines.order == place)[0]) for place in chosen_periods(spec.periods)]
    found: list[Table] = []
    for d, ratio in enumerate(lines.damping):
        found += (_yielding if lines.yielding else _elastic)(lines, d, f"damping {ratio}", places)
    return found


def _elastic(lines: Lines, d: int, title: str, places: list[int]) -> list[Table]:
    length = lines.spec.length
    acceleration, velocity, displacement = (lines.values(name)[:, :, d] for name in (
        "pseudo_acceleration", "pseudo_velocity", "displacement"))
    acceleration = acceleration / lines.g
    if lines.by == "combination":
        names = [{"geometric mean": "geo. mean"}.get(name, name) for name in lines.alternatives]
        both = ((acceleration, "PSa [g]"), (displacement, f"Sd [{length}]"))
        words = _of_motions(lines, title)
        return [Table(f"{what}, {words}", ["T [s]", *names],
                      _rows(lines, places, [middle(values[:, a]) for a in range(len(names))])) for values, what in both]
    a, v, u = acceleration[:, 0], velocity[:, 0], displacement[:, 0]
    if len(a) == 1:
        return [Table(title, ["T [s]", "PSa [g]", f"PSv [{length}/s]", f"Sd [{length}]"],
                      _rows(lines, places, [a[0], v[0], u[0]]))]
    return [Table(_of_motions(lines, title),
                  ["T [s]", "PSa [g]", "least", "largest", f"PSv [{length}/s]", f"Sd [{length}]"],
                  _rows(lines, places, [middle(a), a.min(axis=0), a.max(axis=0), middle(v), middle(u)]))]


def _yielding(lines: Lines, d: int, title: str, places: list[int]) -> list[Table]:
    def each(name: str) -> list[Any]:
        return [middle(row) for row in lines.values(name)[:, :, d].swapaxes(0, 1)]

    words, length, names = _of_motions(lines, title), lines.spec.length, lines.alternatives
    if lines.by == "ductility":
        first = Table(f"yield force over weight, {words}", ["T [s]", "elastic", *names],
                      _rows(lines, places, [*each("elastic_strength"), *each("strength")]))
    else:
        first = Table(f"ductility, {words}", ["T [s]", *names], _rows(lines, places, each("reached_ductility")))
    bars = lines.values("displacement_error")[:, :, d].max(axis=0)
    moved = _rows(lines, places, [*each("elastic_displacement"), *each("displacement")])
    small = _rows(lines, places, [bars.max(axis=0)], "{:.1g}")
    rows = [[*row, error[1]] for row, error in zip(moved, small, strict=True)]
    return [first,
            Table(f"largest displacement [{length}], error bar at most ±, {words}", ["T [s]", "elastic", *names, "±"],
                  rows),
            Table(f"residual displacement [{length}] without its sign, {words}", ["T [s]", *names],
                  _rows(lines, places, each("residual_displacement")))]


def _of_motions(lines: Lines, title: str) -> str:
    return f"median of {len(lines.motions)} motions, {title}" if lines.motions else title


def _rows(lines: Lines, places: list[int], columns: list[Any], form: str = "{:.4g}") -> list[list[str]]:
    return [[f"{lines.periods[place]:.4g}", *("–" if np.isnan(column[place]) else form.format(column[place])
                                              for column in columns)] for place in places]
