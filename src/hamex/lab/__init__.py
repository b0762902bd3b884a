"""The laboratory of schemes: time integrators as data (``catalogue``), the experiments that tell them apart, and all of
them over all schemes as one record that pages, screens and files are made from."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex import __version__
from hamex.lab import convergence
from hamex.lab.catalogue import CATALOGUE, Entry
from hamex.lab.convergence import Order, WorkPrecision, measured_order, work_precision
from hamex.lab.free_vibration import (
    COURANT,
    Drift,
    Front,
    Overshoot,
    SpectralProperties,
    StiffSoft,
    drift,
    front,
    overshoot,
    remains,
    spectral_properties,
    spectral_radius,
    stability_limit,
    stiff_soft,
)
from hamex.march.reference import linear_map
from hamex.march.run import compiled

Array = NDArray[Any]
STEPS = np.linspace(0.0025, 0.4, 160)  # h/T of the curves
WIDE = np.geomspace(0.01, 100, 161)  # h/T of the spectral radius
CASES = ("smooth", "viscous", "rate-independent")
WORK_CASES = ("elastic", "viscous", "rate-independent")


@dataclass(frozen=True, eq=False)
class SchemeFindings:
    """What was found about one scheme; ``work`` is empty where no times were wanted."""

    entry: Entry
    curves: SpectralProperties
    wide_radius: Array
    elongation: float  # (T̄ − T)/T at h/T = 0.1
    damping: float  # ζ̄ at h/T = 0.1
    limit: float  # largest stable ωh
    remains: float  # ρ∞
    overshoot: Overshoot | None
    drift: Drift
    orders: dict[str, Order]
    stiff: StiffSoft
    fronts: dict[float, Front | None]
    work: dict[str, WorkPrecision]


@dataclass(frozen=True, eq=False)
class Laboratory:
    """All rows, and the 72 oscillators by kind of hardening."""

    rows: tuple[SchemeFindings, ...]
    peaks: dict[str, tuple[convergence.PeakErrors, ...]]

    def row(self, key: str) -> SchemeFindings:
        """The row of a scheme."""
        return next(row for row in self.rows if row.entry.key == key)

    def as_json(self) -> dict[str, Any]:
        """Plain data: numbers to six digits; null where a number does not exist or is not finite."""
        return {
            "hamex": __version__,
            "curves": {"h_over_T": plain(STEPS), "wide_h_over_T": plain(WIDE)},
            "schemes": [_row_json(row) for row in self.rows],
            "rate_independent": {
                "periods_s": plain(convergence.PERIODS),
                "reductions": plain(convergence.REDUCTIONS),
                "step_s": convergence.STEP,
                **{title: [_peaks_json(found) for found in schemes] for title, schemes in self.peaks.items()},
            },
        }


def everything(
    entries: Sequence[Entry] = CATALOGUE,
    *,
    work: bool = True,
    peaks: bool = True,
    progress: Callable[[str], None] = lambda _: None,
) -> Laboratory:
    """Run the experiments; ``work`` times the schemes, ``peaks`` runs the 72 oscillators."""
    compiled(linear_map)  # loads the compiler, so that every scheme is timed as machine code
    rows = []
    for entry in entries:
        progress(entry.name)
        rows.append(_row(entry, work))
    progress("72 oscillators")
    compared = (
        {title: convergence.compare(hardening) for title, hardening in convergence.CASES.items()} if peaks else {}
    )
    progress("")
    return Laboratory(tuple(rows), compared)


def _row(entry: Entry, work: bool) -> SchemeFindings:
    scheme = entry.scheme
    tenth = spectral_properties(scheme, 0.1)
    timed = {case: work_precision(entry, case) for case in WORK_CASES} if work else {}
    return SchemeFindings(
        entry,
        spectral_properties(scheme, STEPS),
        spectral_radius(scheme, 2 * np.pi * WIDE),
        float(tenth.elongation[0]),
        float(tenth.damping[0]),
        stability_limit(scheme),
        remains(scheme),
        overshoot(scheme),
        drift(entry.make),
        {case: measured_order(entry, case) for case in CASES},
        stiff_soft(scheme),
        {courant: front(scheme, courant) for courant in COURANT},
        timed,
    )


def _peaks_json(found: convergence.PeakErrors) -> dict[str, Any]:
    return {
        "name": found.name,
        "median": plain(found.median),
        "percentile_90": plain(found.ninety),
        "peak_errors": plain(found.peaks),
        "residual_errors": plain(found.residuals),
        "node_overstress": plain(found.overstress),
    }


def _row_json(row: SchemeFindings) -> dict[str, Any]:
    entry = row.entry
    return {
        "key": entry.key,
        "name": entry.name,
        "family": entry.family,
        "data": entry.data,
        "source": entry.source,
        "order_theory": entry.order,
        "solves_per_step": entry.solves,
        "period_elongation_at_0.1": plain(row.elongation),
        "damping_ratio_at_0.1": plain(row.damping),
        "stability_limit_omega_h": plain(row.limit),
        "rho_infinity": plain(row.remains if math.isinf(row.limit) else math.inf),
        "curves": {
            "spectral_radius": plain(row.curves.radius),
            "period_elongation": plain(row.curves.elongation),
            "damping_ratio": plain(row.curves.damping),
            "wide_spectral_radius": plain(row.wide_radius),
        },
        "overshoot": plain(row.overshoot),
        "energy_drift": plain(row.drift),
        "orders": plain(row.orders),
        "stiff_soft": plain(row.stiff),
        "bar": {str(courant): plain(found) for courant, found in row.fronts.items()},
        "work": plain(row.work),
    }


def plain(value: Any) -> Any:
    """Numbers, arrays and records as JSON knows them, six digits."""
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value
