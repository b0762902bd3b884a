"""Elastic spectra of El Centro, 200 periods from 0.03 to 10 s, 5 % damping; and spectra of constant ductility.

Time is CPU of one core for the whole call. The deviation is that of the pseudo-acceleration from the exact motion
looked at 200 times in every step, the acceleration being linear between samples. Where a peer deviates because it
takes another convention, the convention is named: it is not an error.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import measuring
import numpy as np
import oscillators
import ours
import peers
import peers_spectrum
from measuring import NotMeasuredError

PERIODS = np.geomspace(0.03, 10.0, 200)
PARTS = 200  # of a step, for the reference
INELASTIC = np.geomspace(0.1, 3.0, 100)
DUCTILITIES = (2.0, 4.0, 8.0)
# Bounds of the lines that must be shown.
AT_SAMPLES, INSIDE, EQSIG, ACCURATE, SECONDS, AHEAD = 10.0, 3.0, 25.0, 1e-3, 1.0, 1.0
SAMPLED, CONTINUOUS = "hamex, peaks at samples", "hamex, peaks inside the step"


def measure(repeats: int, quick: bool = False) -> dict[str, Any]:
    """All rivals, then constant ductility."""
    rivals, missing = peers_spectrum.available(PERIODS)
    exact = peers_spectrum.continuous(
        PERIODS, oscillators.ground(), oscillators.STEP, oscillators.DAMPING, 20 if quick else PARTS
    )
    rows = []
    for name, rival in rivals.items():
        off = rival.compute() / exact - 1.0
        worst = int(np.abs(off).argmax())
        rows.append(
            {
                "name": name,
                "kind": rival.kind,
                "convention": rival.convention,
                "compiled": rival.compiled,
                "worst": float(off[worst]),
                "at": float(PERIODS[worst]),
                "median": float(np.median(np.abs(off))),
                "within": int((np.abs(off) <= ACCURATE).sum()),
            }
        )
    # A short call and a long one: the short one is repeated as often as it takes to be seen.
    calls = {name: (20 if rival.kind != "peer" else 1) for name, rival in rivals.items()}
    least = measuring.alternate(
        {name: functools.partial(_least, rival.compute, calls[name]) for name, rival in rivals.items()}, repeats
    )
    for row in rows:
        row["ms"] = 1e3 * least[row["name"]]
    found = {
        "periods": PERIODS.size,
        "samples": int(oscillators.RECORD.acceleration.size),
        "rows": rows,
        "not_measured": missing,
        "ductility": ductility(repeats, quick),
    }
    found["claims"] = claims(found)
    return found


def _least(work: Any, calls: int) -> float:
    return min(measuring.cpu(work) for _ in range(calls))


def ductility(repeats: int, quick: bool = False) -> dict[str, Any]:
    """Wall and CPU seconds for all ductilities, hamex on all cores, gmspy as it comes; how far hamex is off."""
    rivals: dict[str, Any] = {}
    missing = {}
    periods = INELASTIC[::10] if quick else INELASTIC
    answer: dict[str, Any] = {"periods": periods.size, "ductilities": list(DUCTILITIES)}
    try:
        ours.need("spectrum")
        rivals["hamex"] = lambda: ours.constant_ductility(periods, DUCTILITIES)
        answer["off"] = ours.ductility_off(periods, DUCTILITIES)
    except NotMeasuredError as reason:
        missing["hamex"] = str(reason)
    try:
        spectrum = peers.load("gmspy").const_duct_spec
        rivals["gmspy"] = lambda: [
            spectrum(oscillators.STEP, oscillators.ground(), periods, harden_ratio=0.0, mu=mu) for mu in DUCTILITIES
        ]
    except NotMeasuredError as reason:
        missing["gmspy"] = str(reason)
    answer["seconds"] = measuring.alternate(
        {name: functools.partial(measuring.wall, work) for name, work in rivals.items()}, min(repeats, 3)
    )
    answer["cpu"] = measuring.alternate(
        {name: functools.partial(measuring.cpu, work) for name, work in rivals.items()}, min(repeats, 3)
    )
    answer["not_measured"] = missing
    return answer


def claims(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines that must be shown."""
    ms = {row["name"]: row["ms"] for row in found["rows"]}
    worst = {row["name"]: abs(row["worst"]) for row in found["rows"]}
    peer = min((row["ms"] for row in found["rows"] if row["compiled"]), default=None)
    eqsig = min((value for name, value in ms.items() if name.startswith("eqsig")), default=None)
    ratio = measuring.ratio
    return [
        measuring.claim(
            "spectrum, peaks at samples: times as fast as the fastest compiled peer",
            ratio(peer, ms.get(SAMPLED)),
            AT_SAMPLES,
            " ×",
        ),
        measuring.claim(
            "spectrum, peaks inside the step: times as fast as the fastest compiled peer",
            ratio(peer, ms.get(CONTINUOUS)),
            INSIDE,
            " ×",
        ),
        measuring.claim(
            "spectrum, peaks inside the step: times as fast as eqsig", ratio(eqsig, ms.get(CONTINUOUS)), EQSIG, " ×"
        ),
        measuring.claim(
            "pseudo-acceleration, peaks inside the step: largest deviation",
            worst.get(CONTINUOUS),
            ACCURATE,
            at_most=True,
        ),
        measuring.claim(
            f"constant ductility, {found['ductility']['periods']} periods, three ductilities",
            found["ductility"]["seconds"].get("hamex"),
            SECONDS,
            " s",
            at_most=True,
        ),
        measuring.claim(
            "constant ductility: times as fast as gmspy, wall time",
            ratio(found["ductility"]["seconds"].get("gmspy"), found["ductility"]["seconds"].get("hamex")),
            AHEAD,
            " ×",
        ),
    ]


def show(found: dict[str, Any]) -> None:
    """The two tables."""
    print(
        f"Elastic spectrum of El Centro, {found['periods']} periods, {found['samples']:,} samples: CPU ms; deviation "
        f"of the pseudo-acceleration from\nthe exact motion looked at {PARTS} times a step (largest, at which "
        f"period, median; periods within {ACCURATE:.1%})\n"
    )
    print(f"{'':<34}{'ms':>9}{'largest':>9}{'at s':>7}{'median':>9}{'within':>8}  convention")
    for row in sorted(found["rows"], key=lambda row: row["ms"]):
        print(
            f"  {row['name']:<32}{row['ms']:>9.3g}{row['worst']:>+9.2%}{row['at']:>7.2f}{row['median']:>9.3%}"
            f"{row['within']:>8}  {row['convention']}"
        )
    measuring.show_not_measured(found["not_measured"])
    part = found["ductility"]
    print(
        f"\nConstant ductility {', '.join(f'{mu:g}' for mu in part['ductilities'])}, {part['periods']} periods, wall "
        "seconds (CPU): "
        + (", ".join(f"{name} {s:.2f} ({part['cpu'][name]:.2f})" for name, s in part["seconds"].items()) or "none")
    )
    if "off" in part:
        print(f"hamex: ductilities marched one by one are at most {part['off']:.1e} off the ones asked for")
    measuring.show_not_measured(part["not_measured"])


def bars(found: dict[str, Any]) -> tuple[str, str, list[tuple[str, float, str]]]:
    """For the plot."""
    return (
        "Elastic spectrum of El Centro, 200 periods",
        "CPU ms",
        [(row["name"], row["ms"], row["kind"]) for row in found["rows"] if not math.isnan(row["ms"])],
    )
