"""One viscoplastic history: one call of ``hx.solve`` beside the same recurrence in C, OpenSees and SciPy.

The oscillator of the paper (section 6, m = 1, k = 225, c = η = 1.5, Fy = 0.27) under twice El Centro, the record
repeated as often as the steps ask for. Time per step is the slope of CPU time between 2,000 and 2 million steps (fewer
for slow rivals), with every history stored; what does not grow with the steps is the fixed cost. The gate is the error
of the peak displacement of the first 40 s against a converged run. SciPy steps as it likes, with the loosest tolerance
that is not less accurate than hamex; its time is given per sample of the record.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

import limits
import measuring
import numpy as np
import opensees_oscillators

import hamex as hx
from hamex.schemes.prepare import linear_element, scalars

Array = np.ndarray[Any, Any]

M, K, C, FY, ETA, H = 1.0, 225.0, 1.5, 0.27, 1.5, 0.02
RECORD = -2.0 * M * hx.el_centro().acceleration  # the paper: the record as a bare number
WHOLE = 2000  # steps of 40 s
SHORT, LONG = 2_000, 2_000_000
MODEL = hx.oscillator(M, K, damping=C, law=hx.Slider(FY, ETA))
# The fastest of these is the limit: what helps depends on the processor.
C_FLAGS = {
    "products and sums fused": (),
    "not fused": ("-ffp-contract=off",),
    "not fused, branches kept": ("-ffp-contract=off", "-ftrapping-math", "-fno-finite-math-only"),
}
C_NOTES = {
    "C": "the same recurrence and stores",
    "C, short steps": "the record interpolated in its loop",
    "C, small pages": "malloc as it comes, in pages of 4 kB",
}
OPENSEES_LONG = 100_000
TOLERANCES = [10.0 ** -(k / 2) for k in range(2, 21)]
# Bounds of the lines that must be shown.
LIMIT, OPENSEES, FIXED = 1.15, 150.0, 250.0


def samples(steps: int) -> Array:
    """The record, repeated, at the nodes of so many steps."""
    once = np.zeros(WHOLE)
    once[: RECORD.size] = RECORD[:WHOLE]
    return np.resize(once, steps + 1)


def measure(repeats: int, quick: bool = False) -> dict[str, Any]:
    """Rows of name, ns_per_step, fixed_us, error, note; rivals of one process take turns."""
    measuring.compile_at_once()
    long = LONG // 10 if quick else LONG
    exact = peak(
        hx.solve(
            hx.Problem(MODEL, hx.Load(samples(WHOLE), H), WHOLE * H), hx.Galerkin(H / (128 if quick else 1024))
        ).values("displacement")
    )
    rows = [*_in_process(repeats, long, exact), _opensees(repeats, exact), _structdyn(repeats), *_scipy(repeats, exact)]
    found = {"steps": [SHORT, long], "rows": rows}
    return {**found, "claims": claims(found)}


def claims(found: dict[str, Any]) -> list[dict[str, Any]]:
    """What must be shown."""
    by_name = {row["name"]: row for row in found["rows"]}
    ns = {name: row["ns_per_step"] for name, row in by_name.items()}
    return [
        measuring.claim(
            "time per step of one call over that of C", measuring.ratio(ns["hamex"], ns["C"]), LIMIT, at_most=True
        ),
        measuring.claim(
            "the same where the record is interpolated",
            measuring.ratio(ns["hamex, short steps"], ns.get("C, short steps")),
            LIMIT,
            at_most=True,
        ),
        measuring.claim(
            "OpenSees analyze(n) over one call, per step", measuring.ratio(ns["OpenSees"], ns["hamex"]), OPENSEES
        ),
        measuring.claim(
            "fixed cost of a call with validation, balance and provenance",
            by_name["hamex, balance and provenance"]["fixed_us"],
            FIXED,
            " µs",
            at_most=True,
        ),
    ]


# hamex and C --------------------------------------------------------------------------------------------------


def solved(load: hx.Load, steps: int, h: float = H) -> hx.Solution:
    """The public call, from arrays to a solution."""
    return hx.solve(hx.Problem(MODEL, load, steps * h), hx.Galerkin(h))


def accounted(load: hx.Load, steps: int) -> hx.Solution:
    """The same with what a careful user asks for."""
    solution = solved(load, steps)
    assert solution.residual < 1e-9
    assert solution.provenance
    return solution


@functools.cache
def coefficients(h: float) -> Array:
    """What the C functions call rows."""
    rows = linear_element(scalars(MODEL), h).rows
    return np.array([*rows[0], *rows[1], *rows[2], rows[3], FY])


def peak(u: Array) -> float:
    """Largest displacement of the first 40 s."""
    return float(np.abs(u).max())


class Limit:
    """The recurrence in C, on loads at the nodes or on the record as it is (``short``: its 40 s in any steps).

    ``run(steps)`` returns the peak displacement if ``seen``, else nothing is read.
    """

    def __init__(self, load: Array, flags: tuple[str, ...], large_pages: bool = True, short: bool = False) -> None:
        library = limits.library("history", *flags)
        at, whole = ctypes.c_void_p, ctypes.c_long
        self.release = library.release
        self.release.argtypes = [at]
        self.history = library.history_record if short else library.history
        record = [whole, ctypes.c_double] if short else []
        self.history.argtypes, self.history.restype = [at, *record, whole, at, ctypes.c_int], at
        self.load, self.large_pages, self.short = load, int(large_pages), short

    def run(self, steps: int, seen: bool = False) -> float:
        """One march into fresh memory, given back at the end."""
        h = WHOLE * H / steps if self.short else H
        record = (self.load.size, h / H) if self.short else ()
        numbers = coefficients(h)
        block = self.history(self.load.ctypes.data, *record, steps, numbers.ctypes.data, self.large_pages)
        found = math.nan
        if seen:
            found = peak(np.ctypeslib.as_array(ctypes.cast(block, ctypes.POINTER(ctypes.c_double)), (steps + 1,)))
        self.release(block)
        return found


def _in_process(repeats: int, long: int, exact: float) -> list[dict[str, Any]]:
    values, once = samples(long), hx.Load(samples(WHOLE), H)
    load = hx.Load(values, H)
    tasks: dict[str, Callable[[int], Any]] = {
        "hamex": lambda n: solved(load, n),
        "hamex, balance and provenance": lambda n: accounted(load, n),
        "hamex, short steps": lambda n: solved(once, n, WHOLE * H / n),
    }
    ours = relative(peak(solved(once, WHOLE).values("displacement")), exact)
    errors = {
        "hamex": ours,
        "hamex, balance and provenance": ours,
        "hamex, short steps": relative(peak(solved(once, long, WHOLE * H / long).values("displacement")), exact),
    }
    notes = {
        "hamex": "Problem and solve, four histories stored",
        "hamex, balance and provenance": "also the energy balance and a SHA-256 of the problem",
        "hamex, short steps": "the 40 s in more and shorter steps: the record is interpolated",
    }
    missing = ""
    try:
        for kind, rivals in c_limits(values).items():
            notes[kind] = C_NOTES[kind]
            for how, limit in rivals.items():
                tasks[f"{kind}; {how}"] = limit.run
                errors[f"{kind}; {how}"] = relative(limit.run(long if limit.short else WHOLE, seen=True), exact)
    except limits.LimitError as reason:
        missing = str(reason)
    slope, fixed = slopes(tasks, SHORT, long, repeats)
    rows = []
    for kind, note in notes.items():
        name = min((task for task in tasks if task.partition("; ")[0] == kind), key=lambda task: slope[task])
        rows.append(row(kind, slope[name], fixed[name], errors[name], note + name.removeprefix(kind)))
    return rows if not missing else [*rows, row("C", None, None, None, f"not measured: {missing}")]


def c_limits(values: Array) -> dict[str, dict[str, Limit]]:
    """The limits by name and by flags."""
    return {
        "C": {how: Limit(values, flags) for how, flags in C_FLAGS.items()},
        "C, short steps": {how: Limit(samples(WHOLE), flags, short=True) for how, flags in C_FLAGS.items()},
        "C, small pages": {"not fused": Limit(values, C_FLAGS["not fused"], large_pages=False)},
    }


def slopes(
    tasks: dict[str, Callable[[int], Any]], short: int, long: int, repeats: int
) -> tuple[dict[str, float], dict[str, float]]:
    """Nanoseconds per step, and microseconds per call: what the line through both sizes leaves for no steps."""

    def least(steps: int, times: int) -> dict[str, float]:
        calls = {name: functools.partial(measuring.cpu, functools.partial(task, steps)) for name, task in tasks.items()}
        return measuring.alternate(calls, times)

    least(short, 2)  # what is compiled once is not timed
    begin, end = least(short, 100 * repeats), least(long, 3 * repeats)
    slope = {name: (end[name] - begin[name]) / (long - short) for name in tasks}
    return (
        {name: 1e9 * slope[name] for name in tasks},
        {name: 1e6 * (begin[name] - short * slope[name]) for name in tasks},
    )


# Other programs -----------------------------------------------------------------------------------------------


def _opensees(repeats: int, exact: float) -> dict[str, Any]:
    case = {
        "way": "one",
        "mass": [M],
        "stiffness": [K],
        "damping": [C],
        "yield_force": [FY],
        "viscosity": [ETA],
        "step": H,
    }
    short, long, gate = (
        {**case, "acceleration": (-samples(n) / M).tolist(), "timed": timed}
        for n, timed in ((SHORT, True), (OPENSEES_LONG, True), (WHOLE, False))
    )
    try:
        *times, found = opensees_oscillators.run([short, long] * repeats + [gate])
    except opensees_oscillators.OscillatorsError as reason:
        return row("OpenSees", None, None, None, f"not measured: {reason}")
    begin, end = (min(answer["cpu"] for answer in times[start::2]) for start in (0, 1))
    build = min(answer["build"] for answer in times[0::2])
    return row(
        "OpenSees",
        1e9 * (end - begin) / (OPENSEES_LONG - SHORT),
        1e6 * build,
        relative(found["peak"][0], exact),
        "analyze(n) of one model, nothing recorded; fixed: the model of 40 s",
    )


def _structdyn(repeats: int) -> dict[str, Any]:
    """It knows no viscosity: its gate is the same oscillator without."""
    try:
        import structdyn
        from structdyn.ground_motions.ground_motion import GroundMotion
        from structdyn.utils.material_models import ElasticPerfectlyPlastic
    except ImportError:
        return row("structdyn", None, None, None, "not measured: not installed")
    load = samples(WHOLE)
    model = hx.oscillator(M, K, damping=C, law=hx.Slider(FY))
    exact = peak(hx.solve(hx.Problem(model, hx.Load(load, H), WHOLE * H), hx.Galerkin(H / 128)).values("displacement"))

    def once() -> float:
        motion = GroundMotion.from_arrays(-load / M / 9.81, H, scale_factor=9.81)
        system = structdyn.SDF(M, K, C / (2 * math.sqrt(K * M)), fd=ElasticPerfectlyPlastic(uy=FY / K, fy=FY))
        return peak(system.find_response_ground_motion(motion)["displacement"].to_numpy())

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        error = relative(once(), exact)
        seconds = min(measuring.cpu(once) for _ in range(max(1, repeats // 2)))
    return row("structdyn", 1e9 * seconds / WHOLE, None, error, "Newmark, plain Python; without viscosity")


def _scipy(repeats: int, exact: float) -> list[dict[str, Any]]:
    goal = relative(peak(solved(hx.Load(samples(WHOLE), H), WHOLE).values("displacement")), exact)
    return [_solve_ivp(method, goal, exact, repeats) for method in ("RK45", "LSODA")]


def _solve_ivp(method: str, goal: float, exact: float, repeats: int) -> dict[str, Any]:
    from scipy.integrate import solve_ivp

    values = [*samples(WHOLE).tolist(), 0.0, 0.0]

    def rates(t: float, state: Array) -> tuple[float, float, float]:
        u, p, s = state.tolist()
        place = t / H
        i = int(place)
        f = values[i] + (values[i + 1] - values[i]) * (place - i)
        force = K * (u - s)
        excess = force - FY if force > FY else force + FY if force < -FY else 0.0
        return p / M, f - C * p / M - force, excess / ETA

    def once(tolerance: float) -> float:
        # Absolute: in parts of what the three states reach. A step may not jump over the record's samples.
        found = solve_ivp(
            rates,
            (0.0, WHOLE * H),
            np.zeros(3),
            method,
            rtol=tolerance,
            max_step=2 * H,
            atol=tolerance * np.array([1e-2, 1e-1, 1e-2]),
            t_eval=H * np.arange(WHOLE + 1),
        )
        return peak(found.y[0])

    for tolerance in TOLERANCES:
        error = relative(once(tolerance), exact)
        if error <= goal:
            work = functools.partial(once, tolerance)
            seconds = min(measuring.cpu(work) for _ in range(max(1, repeats // 2)))
            return row(f"SciPy {method}", 1e9 * seconds / WHOLE, None, error, f"solve_ivp, rtol {tolerance:.1g}")
    return row(f"SciPy {method}", None, None, None, "not measured: no tolerance reached the error of hamex")


def relative(found: float, exact: float) -> float:
    """Relative error of a peak."""
    return abs(found / exact - 1.0)


def row(name: str, ns: float | None, fixed: float | None, error: float | None, note: str) -> dict[str, Any]:
    """A line of the table."""
    return {"name": name, "ns_per_step": ns, "fixed_us": fixed, "error": error, "note": note}


def show(result: dict[str, Any]) -> None:
    """The table."""
    short, long = result["steps"]
    print(f"one history, slope between {short:,} and {long:,} steps\n")
    print(f"{'':32}{'ns/step':>10}{'fixed [µs]':>12}{'peak error':>12}")
    for line in result["rows"]:
        ns, fixed, error = (line[key] for key in ("ns_per_step", "fixed_us", "error"))
        print(
            f"{line['name']:32}{'–' if ns is None else f'{ns:.4g}':>10}{'–' if fixed is None else f'{fixed:.4g}':>12}"
            f"{'–' if error is None else f'{error:.1e}':>12}  {line['note']}"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="one viscoplastic history")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    result = measure(options.repeats, options.quick)
    show(result)
    measuring.show_claims(result["claims"])


if __name__ == "__main__":
    main()
