"""A spectrum as curves and as numbers.

Curves: which result of which motion, alternative and damping, in which colour and style. Numbers: at a few periods that
engineers ask for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError
from hamex.report.style import BLUE, GREEN, INK, ORANGE, PINK, RED, SKY, SOFT
from hamex.study.spectra.elastic import Spectrum

Array = NDArray[Any]

COLOURS = (BLUE, RED, GREEN, ORANGE, PINK, SKY)
STYLES = ("-", "--", "-.", ":")
FEW = len(COLOURS)  # motions that have a colour each
USUAL_PERIODS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)  # periods [s]


class SpectrumCurve(NamedTuple):
    """One curve of every diagram: where it stands in the results, and how it looks."""

    alternative: int
    damping: int
    label: str
    colour: str
    style: str


@dataclass(frozen=True, eq=False)
class Lines:
    """A spectrum with results as (motion, alternative, damping, period), periods in rising order.

    The alternatives are the combinations of two components, the ductilities or the strengths; one if there are none.
    Of several branches of a ductility the first is taken, the largest strength.
    """

    spec: Spectrum

    @property
    def by(self) -> str:
        """What the alternatives are: combination, ductility, strength, or nothing."""
        return next((dim for dim in ("combination", "ductility", "strength") if dim in self.spec.dims), "")

    @property
    def yielding(self) -> bool:
        """Whether the oscillators yield."""
        return self.by in ("ductility", "strength")

    @cached_property
    def order(self) -> Array:
        """Places of the periods, shortest first."""
        return np.argsort(self.spec.periods, kind="stable")

    @property
    def periods(self) -> Array:
        """Periods, shortest first [s]."""
        return self.spec.periods[self.order]

    @property
    def damping(self) -> list[str]:
        """Damping ratios in words."""
        return [f"{100 * ratio:.4g} %" for ratio in self.spec.coordinates["damping"]]

    @property
    def alternatives(self) -> list[str]:
        """Alternatives in words."""
        if not self.by:
            return [""]
        sign = {"ductility": "μ = ", "strength": "fy/W = "}.get(self.by)
        return [str(label) if sign is None else f"{sign}{label:g}" for label in self.spec.coordinates[self.by]]

    @cached_property
    def motions(self) -> list[str]:
        """Short names of the motions, all different; none if there is one only."""
        names = [short(str(label).partition(":")[0], 26) for label in self.spec.coordinates.get("motion", ())]
        often = Counter(names)
        return [f"{place}: {name}" if often[name] > 1 else name for place, name in enumerate(names, start=1)]

    def values(self, name: str) -> Array:
        """A result, (motion, alternative, damping, period).

        ``elastic_strength`` and ``elastic_displacement`` of yielding oscillators have one alternative; residual
        displacements are shown without their sign, so that motions can be put together.
        """
        if name.startswith("elastic_"):
            demand = self.values("strength") * self.values("strength_reduction")
            # All alternatives rest on one elastic demand; take it where it is a number.
            with_numbers = np.where(np.isnan(demand), -np.inf, demand).max(axis=1, keepdims=True)
            strength = np.where(np.isinf(with_numbers), np.nan, with_numbers)
            return strength if name == "elastic_strength" else strength * self.g * (self.periods / (2 * np.pi)) ** 2
        found, dims = self.spec.values(name), list(self.spec.dims)
        if "branch" in dims:
            found = found.take(0, axis=dims.index("branch"))
            dims.remove("branch")
        wanted = ["motion", self.by or "alternative", "damping", "period"]
        missing = [dim for dim in wanted if dim not in dims]
        found = found.reshape((*(1 for _ in missing), *found.shape))
        dims = [*missing, *dims]
        found = found.transpose([dims.index(dim) for dim in wanted])[..., self.order]
        return np.abs(found) if name == "residual_displacement" else found

    @property
    def g(self) -> float:
        """One gravity in the spectrum's units."""
        return float(self.spec.attributes["g"])

    @cached_property
    def curves(self) -> list[SpectrumCurve]:
        """Alternatives by colour and damping by style, or damping by colour where there are no alternatives."""
        found = []
        for a, name in enumerate(self.alternatives):
            for d, ratio in enumerate(self.damping):
                words = [
                    word for word in (name, f"damping {ratio}" if len(self.damping) > 1 or not name else "") if word
                ]
                colour, style = (a, d) if self.by else (d, d // len(COLOURS))
                found.append(
                    SpectrumCurve(a, d, ", ".join(words), COLOURS[colour % len(COLOURS)], STYLES[style % len(STYLES)])
                )
        return found

    def draw(self, here: Any, name: str, against: str = "", per: float = 1.0, alternatives: bool = True) -> None:
        """Draw a result over ``per``, against the period or against another result.

        Of several motions, every one is drawn thin and their median bold; a few motions have colours of their own.
        """
        y = self.values(name) / per
        x = self.values(against) if against else np.broadcast_to(self.periods, y.shape)
        if not alternatives:  # the elastic demand under curves of yielding ones
            for d, ratio in enumerate(self.damping):
                words = f"median of {len(y)}, elastic" if len(y) > 1 else "elastic"
                words += f", damping {ratio}" if len(self.damping) > 1 else ""
                here.plot(middle(x[:, 0, d]), middle(y[:, 0, d]), color=INK, ls=STYLES[d % len(STYLES)], label=words)
            return
        several = len(y) > 1
        for curve in self.curves:
            xs, ys = x[:, curve.alternative, curve.damping], y[:, curve.alternative, curve.damping]
            named = several and len(self.curves) == 1 and len(ys) <= FEW
            for row in range(len(ys) if several else 0):
                look = (
                    {"color": COLOURS[row], "label": self.motions[row]}
                    if named
                    else {"color": curve.colour, "alpha": max(0.12, 0.4 - 0.01 * len(ys))}
                )
                here.plot(xs[row], ys[row], lw=0.9 if named else 0.6, **look)
            words = f"median of {len(ys)}" + ("" if named else f", {curve.label}") if several else curve.label
            here.plot(
                middle(xs),
                middle(ys),
                color=INK if named else curve.colour,
                ls=curve.style,
                lw=2.0 if several else 1.4,
                label=words,
            )

    def legend(self, here: Any, where: str = "best", named_by: Any = None, **options: Any) -> None:
        """Name the curves of these axes or of others; colours and styles by themselves where both tell something."""
        handles, labels = (named_by or here).get_legend_handles_labels()
        with_elastic = any("elastic" in label for label in labels)
        if self.by and len(self.damping) > 1:
            from matplotlib.lines import Line2D

            wide = 2.0 if self.motions else 1.4
            curves = [curve for curve in self.curves if not curve.damping]
            handles = [Line2D([], [], color=curve.colour, lw=wide) for curve in curves]
            labels = [self.alternatives[curve.alternative] for curve in curves]
            if with_elastic:
                handles, labels = [Line2D([], [], color=INK), *handles], ["elastic", *labels]
            handles += [Line2D([], [], color=SOFT, ls=curve.style) for curve in self.curves[: len(self.damping)]]
            labels += [f"damping {ratio}" for ratio in self.damping]
            labels[0] += f" (medians of {len(self.motions)})" if self.motions else ""
        here.legend(handles, labels, loc=where, fontsize=8, **options)


def middle(rows: Array) -> Array:
    """Median of the motions at each period."""
    return np.median(rows, axis=0)


def short(text: str, width: int) -> str:
    """Names of records differ at their ends, so the middle is left out."""
    half = width // 2
    return text if len(text) <= width else text[:half] + "…" + text[len(text) - (width - half - 1) :]


def kinds_note(kinds: tuple[str, ...]) -> str:
    """What to say of motions that were not recorded; nothing if all were.

    >>> kinds_note(("recorded",)), kinds_note(("synthetic",)), kinds_note(("recorded", "matched", "matched"))
    ('', 'synthetic motion', '2 of 3 motions matched')
    """
    if len(kinds) == 1:
        return "" if kinds[0] == "recorded" else f"{kinds[0]} motion"
    made = Counter(kind for kind in kinds if kind != "recorded")
    return "; ".join(f"{count} of {len(kinds)} motions {kind}" for kind, count in made.items())


def conventions(spec: Spectrum) -> dict[str, str]:
    """The conventions behind the numbers, in words."""
    words = {
        "interpolation": "record between samples",
        "peaks": "peaks",
        "parts_of_steps": "parts of steps",
        "steps": "step of the runs",
        "law": "spring",
        "search": "search",
        "combination": "combinations",
    }
    found = {label: str(spec.attributes[name]) for name, label in words.items() if name in spec.attributes}
    length = spec.length if spec.length != "length" else "length (unit not stated)"
    found["gravity"] = f"1 g = {spec.attributes['g']:g} {length}/s²"
    if len(spec.coordinates.get("motion", ())) > 1:
        found["median"] = "of the motions, at each period by itself"
    if "branch" in spec.dims:
        found["branches"] = "shown is the largest strength that gives a ductility"
    return found


def check_view(view: str, known: tuple[str, ...]) -> None:
    """Refuse a view that this spectrum does not have."""
    if view not in known:
        raise InputError(f"draw_spectrum: view must be one of {', '.join(known)} for this spectrum; got {view!r}")


class SpectrumTable(NamedTuple):
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
    if len(periods) <= len(USUAL_PERIODS):
        return order.tolist()
    inside = [T for T in USUAL_PERIODS if periods.min() / 1.001 <= T <= periods.max() * 1.001]
    near = {int(np.abs(np.log(periods / T)).argmin()) for T in inside}
    return [place for place in order.tolist() if place in (near or {int(order[0]), int(order[-1])})]


def tables(spec: Spectrum) -> list[SpectrumTable]:
    """What a spectrum says at a few periods, damping by damping; of several motions, the median."""
    lines = Lines(spec)
    places = [int(np.flatnonzero(lines.order == place)[0]) for place in chosen_periods(spec.periods)]
    found: list[SpectrumTable] = []
    for d, ratio in enumerate(lines.damping):
        found += (_yielding if lines.yielding else _elastic)(lines, d, f"damping {ratio}", places)
    return found


def _elastic(lines: Lines, d: int, title: str, places: list[int]) -> list[SpectrumTable]:
    length = lines.spec.length
    acceleration, velocity, displacement = (
        lines.values(name)[:, :, d] for name in ("pseudo_acceleration", "pseudo_velocity", "displacement")
    )
    acceleration = acceleration / lines.g
    if lines.by == "combination":
        names = [{"geometric mean": "geo. mean"}.get(name, name) for name in lines.alternatives]
        both = ((acceleration, "PSa [g]"), (displacement, f"Sd [{length}]"))
        words = _of_motions(lines, title)
        return [
            SpectrumTable(
                f"{what}, {words}",
                ["T [s]", *names],
                _rows(lines, places, [middle(values[:, a]) for a in range(len(names))]),
            )
            for values, what in both
        ]
    a, v, u = acceleration[:, 0], velocity[:, 0], displacement[:, 0]
    if len(a) == 1:
        return [
            SpectrumTable(
                title,
                ["T [s]", "PSa [g]", f"PSv [{length}/s]", f"Sd [{length}]"],
                _rows(lines, places, [a[0], v[0], u[0]]),
            )
        ]
    return [
        SpectrumTable(
            _of_motions(lines, title),
            ["T [s]", "PSa [g]", "least", "largest", f"PSv [{length}/s]", f"Sd [{length}]"],
            _rows(lines, places, [middle(a), a.min(axis=0), a.max(axis=0), middle(v), middle(u)]),
        )
    ]


def _yielding(lines: Lines, d: int, title: str, places: list[int]) -> list[SpectrumTable]:
    def each(name: str) -> list[Any]:
        return [middle(row) for row in lines.values(name)[:, :, d].swapaxes(0, 1)]

    words, length, names = _of_motions(lines, title), lines.spec.length, lines.alternatives
    if lines.by == "ductility":
        first = SpectrumTable(
            f"yield force over weight, {words}",
            ["T [s]", "elastic", *names],
            _rows(lines, places, [*each("elastic_strength"), *each("strength")]),
        )
    else:
        first = SpectrumTable(f"ductility, {words}", ["T [s]", *names], _rows(lines, places, each("reached_ductility")))
    bars = lines.values("displacement_error")[:, :, d].max(axis=0)
    moved = _rows(lines, places, [*each("elastic_displacement"), *each("displacement")])
    small = _rows(lines, places, [bars.max(axis=0)], "{:.1g}")
    rows = [[*row, error[1]] for row, error in zip(moved, small, strict=True)]
    return [
        first,
        SpectrumTable(
            f"largest displacement [{length}], error bar at most ±, {words}", ["T [s]", "elastic", *names, "±"], rows
        ),
        SpectrumTable(
            f"residual displacement [{length}] without its sign, {words}",
            ["T [s]", *names],
            _rows(lines, places, each("residual_displacement")),
        ),
    ]


def _of_motions(lines: Lines, title: str) -> str:
    return f"median of {len(lines.motions)} motions, {title}" if lines.motions else title


def _rows(lines: Lines, places: list[int], columns: list[Any], form: str = "{:.4g}") -> list[list[str]]:
    return [
        [
            f"{lines.periods[place]:.4g}",
            *("–" if np.isnan(column[place]) else form.format(column[place]) for column in columns),
        ]
        for place in places
    ]
