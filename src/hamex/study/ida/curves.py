"""Curves of an incremental dynamic analysis: demand against intensity, record by record, and where a limit is passed.

A curve ends where its runs end. A record that never passes the limit has no capacity, only a bound: it is censored. A
run that collapsed, or whose numbers ran away (sidesway), has passed every limit; no run counts as passing because a
solver failed, and none of ours fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError
from hamex.names import Shown
from hamex.solution.shaking import SWINGS
from hamex.study.axes import RECORD, SCALE
from hamex.study.ida.fragility import Fragility
from hamex.study.study import COLLAPSED, FINISHED
from hamex.study.table import ran_away, reason

Array = NDArray[Any]
LARGE = 10.0  # scale factors beyond this are told: the motion is no longer that of its earthquake
PGA = "pga"  # column: of the scaled record [g]


@dataclass(frozen=True, eq=False)
class IdaCurves(Shown):
    """Curves of one model.

    Attributes
    ----------
    model : what distinguishes the model, e.g. "viscosity = 1.5"; "" where there is one only.
    labels : of the records.
    im : intensity of each run, (record, run), growing; NaN where a record has fewer runs.
    scale : factor of each run.
    demand : of each run; ∞ where the run passed every limit.
    im_name : intensity with its unit.
    demand_name, unit : of the demand; no unit for a pure number.
    limit : demand that counts as exceeding.
    motions : "recorded", "synthetic", "matched" or several of them.
    reached : demand at which a run that collapsed was ended, (record, run); NaN elsewhere, None where there is none.
    swinging : runs whose residual demand may still swing by more than a hundredth of the limit.
    collapse : the limit is the drift ratio at which runs end and count as collapsed.
    """

    model: str
    labels: tuple[str, ...]
    im: Array
    scale: Array
    demand: Array
    im_name: str
    demand_name: str
    limit: float
    motions: str
    unit: str = ""
    reached: Array | None = None
    swinging: int = 0
    collapse: bool = False

    def replace(self, **changes: Any) -> IdaCurves:
        """A copy with changes, such as another limit."""
        return replace(self, **changes)

    @property
    def limit_name(self) -> str:
        """The limit in words."""
        beyond = f"{self.demand_name} > {self.limit:g}" + (f" {self.unit}" if self.unit else "")
        return f"collapse, {beyond}" if self.collapse else beyond

    @property
    def event(self) -> str:
        """What a fragility tells the probability of."""
        return self.limit_name if self.collapse else f"exceedance of {self.limit_name}"

    @property
    def demand_label(self) -> str:
        """What stands at the axis of demands."""
        return f"{self.demand_name} [{self.unit}]" if self.unit else self.demand_name

    @property
    def levels(self) -> Array | None:
        """Intensities of the stripes; None where the records are not all scaled to the same ones."""
        same = not np.isnan(self.im).any() and np.all(self.im == self.im[0])
        return self.im[0] if same else None

    @property
    def capacities(self) -> Array:
        """Intensity at which each record first passes the limit; ∞ where it never does.

        Straight interpolation, from zero demand at zero intensity on, to the demand at which a run that collapsed was
        ended; the intensity of the run itself where that is not beyond the limit, or it ran away.
        """
        return self._at(self.limit)

    def _at(self, demand: float) -> Array:
        found = np.full(len(self.im), np.inf)
        for i, (im, values) in enumerate(zip(self.im, self.demand, strict=True)):
            over = np.flatnonzero(values > demand)
            if over.size:
                n = int(over[0])
                low_im, low = (0.0, 0.0) if n == 0 else (im[n - 1], values[n - 1])
                top = values[n] if np.isfinite(values[n]) or self.reached is None else self.reached[i, n]
                share = (demand - low) / (top - low) if np.isfinite(top) and top > demand else 1.0
                found[i] = low_im + share * (im[n] - low_im)
        return found

    @property
    def tried(self) -> Array:
        """Largest intensity of each record."""
        return np.asarray(np.nanmax(self.im, axis=1))

    def intensity_for(self, demands: Sequence[float], percentiles: Sequence[float] = (16, 50, 84)) -> Array:
        """Percentiles over the records of the intensity that brings a demand, (percentile, demand).

        A percentile that falls among censored records is not known: NaN. So is one above the bound of a censored
        record, whose capacity may lie below it.
        """
        at = np.array([self._at(float(demand)) for demand in demands])
        bound = np.where(np.isinf(at), self.tried, np.inf).min(axis=1)
        found = np.percentile(at, percentiles, axis=1, method="inverted_cdf")
        return np.where(np.isfinite(found) & (found <= bound), found, np.nan)

    def demand_at(self, levels: Sequence[float], percentiles: Sequence[float] = (16, 50, 84)) -> Array:
        """Percentiles over the records of the demand at an intensity, (percentile, level); NaN beyond some record's
        runs, ∞ where it passed every limit."""
        rows = []
        for im, values in zip(self.im, self.demand, strict=True):
            there = ~np.isnan(im)
            inside = np.interp(levels, np.append(0.0, im[there]), np.append(0.0, values[there]))
            rows.append(np.where(np.asarray(levels) <= im[there][-1], inside, np.nan))
        at = np.array(rows)
        known = ~np.isnan(at).any(axis=0)
        found = np.full((len(percentiles), at.shape[1]), np.nan)
        found[:, known] = np.percentile(at[:, known], percentiles, axis=0, method="inverted_cdf")
        return found

    @property
    def flags(self) -> tuple[str, ...]:
        """What a reader should know."""
        largest = float(np.nanmax(np.abs(self.scale)))
        count = len(self.labels)
        said = [] if self.motions == "recorded" else [f"motions are {self.motions}"]
        if self.im_name.startswith("Sa"):
            said.append(f"{self.im_name.partition(' [')[0]} is that of one component as it stands in the record")
        if largest > LARGE:
            many = int((np.nanmax(np.abs(self.scale), axis=1) > LARGE).sum())
            said.append(f"{many} of {count} records are scaled by more than {LARGE:g}, up to {largest:.3g}")
        censored = int(np.isinf(self.capacities).sum())
        if censored:
            never = "collapse" if self.collapse else f"pass {self.limit_name}"
            said.append(f"{censored} of {count} records never {never}; they are censored")
        endless = np.isinf(self.demand)
        fell = np.zeros_like(endless) if self.reached is None else np.isfinite(self.reached)
        away = int((endless & ~fell).any(axis=1).sum())
        if away:
            said.append(
                f"numbers of {away} of {count} records ran away at some intensity; they count as passing every "
                "limit there"
            )
        if self.collapse:
            said.append(
                f"collapse is a storey that drifts by more than {self.limit:g} of its height, where the run ends; none "
                "counts as collapsed because its equations were not solved"
            )
        elif fell.any():
            many = int(fell.any(axis=1).sum())
            said.append(
                f"runs of {many} of {count} records ended at a drift that counts as collapse; they count as passing "
                "every limit there"
            )
        if self.swinging:
            runs = int(np.isfinite(self.im).sum())
            said.append(
                f"{self.swinging} of {runs} runs may still swing by more than 1 % of the limit at their end: their "
                f"{self.demand_name} is that of an instant; let them settle"
            )
        return tuple(said)

    def fragility(
        self,
        modelling: float = 0.0,
        seed: int = 0,
        resamples: int = Fragility.resamples,
        *,
        stripes: bool = False,
        link: str = "probit",
    ) -> Fragility:
        """Fragility of the limit by maximum likelihood.

        By default lognormal from one capacity a record, censored records included. ``stripes`` counts exceedances at
        each level instead, for records that are all scaled to the same levels; ``link`` may then be "logit".
        """
        if not stripes:
            if link != "probit":
                raise InputError(f"ida: the link {link!r} needs stripes; capacities have the link 'probit'")
            return Fragility.from_capacities(
                self.capacities,
                self.tried,
                modelling=modelling,
                limit=self.limit_name,
                intensity=self.im_name,
                motions=self.motions,
                seed=seed,
                resamples=resamples,
            )
        if self.levels is None:
            raise InputError(
                "ida: stripes need records that are all scaled to the same levels; these have one capacity each"
            )
        over = (self.demand > self.limit).T
        make = (
            Fragility.from_stripes
            if link == "probit"
            else lambda *given, **more: Fragility.glm(*given, link=link, **more)
        )
        return make(
            self.levels,
            over,
            modelling=modelling,
            limit=self.limit_name,
            intensity=self.im_name,
            motions=self.motions,
            seed=seed,
            resamples=resamples,
        )


def curves_of(
    columns: Mapping[str, Array],
    parameters: Sequence[str],
    demand: str,
    limit: float,
    im_name: str,
    words: tuple[str, str],
    motions: str,
    ends: float | None = None,
) -> tuple[IdaCurves, ...]:
    """Curves from a table of runs, models and records in the order in which they first stand there; ``ends`` is the
    drift ratio at which runs ended, where that is known."""
    if demand not in columns:
        raise InputError(f"ida: the table has no {demand!r}; it has {', '.join(columns)}")
    status = columns["status"].astype(str)
    fell, away = status == COLLAPSED, ran_away(status)
    values = np.where(fell | away, np.inf, np.abs(columns[demand]))
    reached = np.where(fell, np.abs(columns[demand]), np.nan)
    lost = (status != FINISHED) & ~np.isinf(values)
    if lost.any():
        raise InputError(f"ida: a run has no result: {reason(status[lost][0])}")
    swings = _swings(columns, demand) > SWINGS * limit
    record, labels = _numbered(columns[RECORD])
    cells = zip(*(columns[name].tolist() for name in parameters), strict=True)
    names = [", ".join(f"{name} = {value}" for name, value in zip(parameters, cell, strict=True)) for cell in cells]
    model, models = _numbered(np.array(names) if parameters else np.full(len(record), ""))
    im, scale = columns[im_name], columns[SCALE]
    order = np.lexsort((np.abs(scale), im, record, model))
    width = int(np.unique(model * len(labels) + record, return_counts=True)[1].max())
    out = np.full((5, len(models), len(labels), width), np.nan)
    group = (model * len(labels) + record)[order]
    first = np.r_[True, group[1:] != group[:-1]]
    place = np.arange(len(order)) - np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    for kind, column in enumerate((im, scale, values, reached, swings & ~fell)):
        out[kind, model[order], record[order], place] = column[order]
    collapse = demand == "drift_ratio" and limit == ends
    outcomes = [
        (out[3, i] if np.isfinite(out[3, i]).any() else None, int(np.nansum(out[4, i]))) for i in range(len(models))
    ]
    return tuple(
        IdaCurves(
            cell,
            labels,
            out[0, i],
            out[1, i],
            out[2, i],
            im_name,
            words[0],
            limit,
            motions,
            words[1],
            *outcomes[i],
            collapse,
        )
        for i, cell in enumerate(models)
    )


def _swings(columns: Mapping[str, Array], demand: str) -> Array:
    """How far a residual may still swing in each run, like the demand; 0 for what is no residual, or where it is not
    told."""
    name = {"residual_drift_ratio": "swing_ratio"}.get(demand, "swing" if demand.startswith("residual_d") else "")
    return np.abs(columns[name]) if name in columns else np.zeros(len(columns["status"]))


def _numbered(names: Array) -> tuple[Array, tuple[str, ...]]:
    """Number of each entry by first appearance, and the names in that order."""
    unique, begin, inverse = np.unique(names, return_index=True, return_inverse=True)
    rank = np.empty(len(unique), dtype=int)
    rank[np.argsort(begin)] = np.arange(len(unique))
    return rank[inverse.ravel()], tuple(str(name) for name in unique[np.argsort(begin)])
