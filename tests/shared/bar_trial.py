"""Random problems for every scheme that ``solve(…, error=True)`` takes, and for inelastic spectra: do the error bars
cover, and how long are they?

The true error is the distance to the same scheme with a 32nd of the step. Run ``python tests/shared/bar_trial.py``:
700 problems for every scheme, 350 where it takes one kind of model, so that every quantity has 300. Problem i is made
from this number and the kind of its model. ``--schemes "Galerkin 1,jumps 1,spectra"`` chooses, ``--out file`` keeps
results line by line and goes on where it ends, ``--check 30`` compares so many references with those of another scheme.
"""

import argparse
import dataclasses
import json
import math
import warnings
import zlib
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numba  # noqa: F401  kernels run compiled once it is loaded: same bits, 50 times faster
import numpy as np

import hamex as hx
from hamex.errors import HamexError
from hamex.solution.peaks import RESIDUALS, histories
from hamex.study.spectra.yielding import YieldingOscillators

FINER = 32
MOST = 60  # steps of a problem
LEAST = 1e-11  # of the peak: smaller errors are round-off, of the reference too
KINDS = ("oscillator", "shear frame", "column", "oscillator", "shear frame", "column", "column")
LOW = ("long-step oscillator", "long-step frame")  # what cuts its steps in Python takes time
S = hx.schemes
# name → scheme of step h for displacements of about u, models it takes, coarse steps at most.
SCHEMES = {
    "Galerkin 1": (lambda h, u: hx.Galerkin(h), KINDS, MOST),
    "Galerkin 1 end": (lambda h, u: hx.Galerkin(h, load="end"), KINDS, MOST),
    "Galerkin 1 mean": (lambda h, u: hx.Galerkin(h, load="mean"), KINDS, MOST),
    "Galerkin 2": (lambda h, u: hx.Galerkin(h, degree=2), KINDS, MOST),
    "Galerkin 3": (lambda h, u: hx.Galerkin(h, degree=3), KINDS, MOST),
    "Galerkin 4": (lambda h, u: hx.Galerkin(h, degree=4), KINDS, MOST),
    "Galerkin 1 located": (lambda h, u: hx.Galerkin(h, locate=True), LOW, 8),
    "Galerkin 2 located": (lambda h, u: hx.Galerkin(h, degree=2, locate=True), LOW, 8),
    "Galerkin 2 tolerance": (lambda h, u: hx.Galerkin(h, degree=2, tolerance=1e-4 * u), (*LOW, "column"), 8),
    "jumps 0": (lambda h, u: hx.DiscontinuousGalerkin(h, degree=0), KINDS, MOST),
    "jumps 1": (lambda h, u: hx.DiscontinuousGalerkin(h, degree=1), KINDS, MOST),
    "jumps 2": (lambda h, u: hx.DiscontinuousGalerkin(h, degree=2), KINDS, MOST),
    "jumps 1 located": (
        lambda h, u: hx.DiscontinuousGalerkin(h, degree=1, locate=True),
        ("oscillator", "low frame"),
        10,
    ),
    "Newmark": (lambda h, u: hx.Newmark(h, tolerance=1e-9 * u, max_iterations=50), KINDS, MOST),
    "HHT-α": (lambda h, u: S.HilberHughesTaylor(h), KINDS, MOST),
    "generalised-α": (lambda h, u: S.GeneralisedAlpha(h), KINDS, MOST),
    "leap-frog": (lambda h, u: S.LeapFrog(h), ("explicit frame",), MOST),
    "piecewise exact": (lambda h, u: hx.PiecewiseExact(h), ("elastic mass",), MOST),
    "Wilson-θ": (lambda h, u: S.WilsonTheta(h), ("mass",), MOST),
    "Bathe": (lambda h, u: S.Bathe(h), ("mass",), MOST),
    "ρ∞-Bathe": (lambda h, u: S.RhoBathe(h), ("mass",), MOST),
    "TR-BDF2": (lambda h, u: S.TrBdf2(h), ("mass",), MOST),
    "central difference": (lambda h, u: S.CentralDifference(h), ("mass",), MOST),
    "Runge-Kutta 4": (lambda h, u: S.RungeKutta4(h), ("mass",), MOST),
}


def size(rng, low, high):
    """A number between ten to these powers."""
    return 10.0 ** rng.uniform(low, high)


def laws(rng, kind, k, period):
    """Function of yield forces that gives laws, one for each of the stiffnesses k."""
    eta = float(rng.choice([0.0, 1.0])) * period * size(rng, -4, 0)
    Hk = float(rng.choice([0.0, 1.0])) * size(rng, -2.5, -0.5)
    Hi = float(rng.choice([0.0, 0.0, 1.0])) * size(rng, -2.5, -0.5) if kind not in ("mass", "elastic mass") else 0.0
    return lambda fy: [hx.Slider(f, eta * s, Hk * s, Hi * s) for f, s in zip(fy, k, strict=True)]


def model_of(rng, kind):
    """Function of yield forces (None is elastic) that gives a model, its period, and strengths per unit of force."""
    period = size(rng, -1, math.log10(3))
    damping = rng.choice([0.0, 0.02, 0.05, 0.1])
    if kind in ("oscillator", "long-step oscillator", "mass", "elastic mass"):
        mass = size(rng, -1, 1)
        k = mass * (2 * math.pi / period) ** 2
        own = laws(rng, kind, [k], period)
        return lambda fy: hx.oscillator(mass, k, hx.ratio(damping), None if fy is None else own(fy)[0]), period
    if kind == "column":
        return column(rng, period, damping)
    storeys = int(rng.integers(1, 3 if kind == "long-step frame" else 7))
    masses, shape = rng.uniform(0.5, 2, storeys), np.sort(rng.uniform(0.6, 1.4, storeys))[::-1]
    first = hx.modes(hx.shear_frame(masses, shape, 0.0)).periods[0]
    k = shape * (first / period) ** 2
    explicit = kind == "explicit frame"
    dashpots = damping * period / math.pi * k if explicit or rng.random() < 0.5 else hx.modal(damping)
    weights = None
    if not explicit and rng.random() < 0.3:
        weights = rng.uniform(0.01, 0.08) * 3.0 * k.min() / storeys
    own = laws(rng, kind, k, period)
    return (
        lambda fy: hx.shear_frame(
            masses, k, dashpots, laws=None if fy is None else own(fy), heights=3.0, weights=weights
        )
    ), period


def column(rng, period, damping):
    """A column of one or two lengths on its foot, with hinges."""
    levels = int(rng.integers(1, 3))
    names = "ABC"[: levels + 1]
    nodes = {name: (0.0, 3.0 * i) for i, name in enumerate(names)}
    masses = {name: (1.0, 1.0, 0.2) for name in names[1:]}

    def build(EI, hinge):
        members = [
            hx.Member(a, b, modulus=EI, area=100.0, inertia=1.0, hinges=(hinge, None)) for a, b in pairwise(names)
        ]
        return hx.frame(
            nodes, members, {"A": "fixed"}, masses, hx.ratio(damping), levels=[[name] for name in names[1:]]
        )

    EI = (hx.modes(build(1.0, None)).periods[0] / period) ** 2
    eta = float(rng.choice([0.0, 1.0])) * period * size(rng, -4, 0)
    Hk = float(rng.choice([0.0, 1.0])) * size(rng, -2.5, -0.5)
    return lambda fy: build(EI, None if fy is None else hx.Slider(float(max(fy)), eta * EI, Hk * EI)), period


def load_of(rng, model, period, h):
    """A load, and a step for it: records at their own pace or stretched to the step, and pulses by a formula."""
    kind = rng.choice(["el centro", "synthetic", "stretched", "stretched", "sine", "pulse", "blast", "jump"])
    if kind in ("el centro", "synthetic", "stretched"):
        motion = hx.el_centro()
        if kind == "synthetic" or (kind == "stretched" and rng.random() < 0.5):
            motion = hx.synthetic_suite(1, seed=int(rng.integers(1 << 30)), magnitude=5.5, scatter=0.5)[0]
        step = h * float(rng.choice([0.5, 1.0, 2.0, 4.0, 1.7])) if kind == "stretched" else motion.step
        h = min(h, 2 * step)
        first = int(rng.integers(0, len(motion.acceleration) // 3))
        samples = motion.acceleration[first:]
        return hx.GroundMotion(samples / np.abs(samples).max(), step, "g", "trial").on(model, g=9.81), h
    unit = hx.GroundMotion([0.0, -1.0], 1.0, "g", "trial").on(model, g=9.81)
    length = period * rng.uniform(0.2, 3)
    pulse = {
        "sine": lambda: hx.sine(1.0, 2 * math.pi / period * rng.uniform(0.4, 1.6)),
        "pulse": lambda: hx.half_sine(1.0, length),
        "blast": lambda: hx.triangle(1.0, length, peak=0),
        "jump": lambda: hx.constant(1.0, length),
    }[kind]()
    return hx.Load(pulse.forces, patterns=unit.patterns, ground=unit.ground, breaks=pulse.breaks), h


@lru_cache(maxsize=16)
def case(kind, number):
    """Problem ``number`` of a kind of model, its step, and about how far it moves."""
    rng = np.random.default_rng([zlib.crc32(kind.encode()), number])
    build, period = model_of(rng, kind)
    model = build(None)
    load, h = load_of(rng, model, period, period * size(rng, -1.4 if kind in LOW else -2, -math.log10(8)))
    if kind == "explicit frame":
        h = min(h, 0.9 * S.LeapFrog(h).longest_step(build(np.ones(len(model.springs)))))
    elif kind == "mass":
        h = min(h, *(0.9 * each(h).longest_step(build([1.0])) for each in (S.CentralDifference, S.RungeKutta4)))
    steps = int(min(MOST, max(8, period * rng.uniform(2, 20) / h)))
    elastic = hx.solve(hx.Problem(model, load, steps * h), hx.Galerkin(h, load="mean"))
    drift = elastic.peaks["storey_drift" if "storey_drift" in elastic.peaks else "displacement"].value
    factor = 3.0 * rng.uniform(0.003, 0.03) / drift  # collapse begins at a tenth of the height of 3 m
    load = load.scaled(factor)
    if kind != "elastic mass" and rng.random() < 0.87:
        peaks = np.abs(elastic.values("node_force")).max(axis=0) * factor
        turning = model.turning_springs
        model = build((peaks[turning] if turning.any() else peaks) / rng.uniform(1.5, 8))
    return hx.Problem(model, load, steps * h), h, factor * elastic.peaks["displacement"].value


def problem_of(name, number):
    """Problem ``number`` of a scheme, and the scheme; schemes of one kind of model share their problems."""
    make, kinds, most = SCHEMES[name]
    problem, h, moves = case(kinds[number % len(kinds)], number)
    return problem.replace(duration=min(problem.steps(h), most) * h), make(h, moves)


def finest(problem, scheme):
    """The reference: the same scheme with a 32nd of the step."""
    return hx.solve(problem, dataclasses.replace(scheme, step=scheme.step / FINER))


def rows(name, number):
    """(quantity, value, bar, true error) of one problem; nothing where it is refused or collapses."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            problem, scheme = problem_of(name, number)
            sol, fine = hx.solve(problem, scheme, error=True), finest(problem, scheme)
        except HamexError as refused:
            return f"{type(refused).__name__}: {refused}"
        if sol.exceeded is not None or fine.exceeded is not None:
            return "collapsed"
        return [
            (quantity, abs(peak.value), peak.error, abs(peak.value - truth(fine, quantity, peak.where)))
            for quantity, peak in sol.peaks.items()
        ]


def truth(fine, quantity, where):
    """The peak of a reference; of residuals the last value at the place that was named."""
    if quantity not in RESIDUALS:
        return fine.peaks[quantity].value
    values, labels = histories(fine, RESIDUALS[quantity])
    return values[-1, list(labels).index(where)]


def judged(found):
    """Share covered, median of bar over true error, number of problems and of those with an error."""
    value, bar, error = np.array(found).T
    wrong = error > LEAST * value
    return (
        float(np.mean(error <= bar + LEAST * value)),
        float(np.median(bar[wrong] / error[wrong])) if wrong.any() else math.nan,
        len(error),
        int(wrong.sum()),
    )


def table(results):
    """Lines: scheme, quantity, covered [%], median of bar over error, problems, those with an error."""
    groups = {}
    for name, quantity, *numbers in results:
        groups.setdefault((name, quantity), []).append(numbers)
    lines = [f"{'scheme':22}{'quantity':24}{'covered %':>10}{'median':>8}{'n':>7}{'wrong':>7}"]
    for (name, quantity), found in groups.items():
        covered, length, count, wrong = judged(found)
        mark = " <" if covered < 0.98 or length > 5 else ""
        lines.append(f"{name:22}{quantity:24}{100 * covered:10.1f}{length:8.2f}{count:7}{wrong:7}{mark}")
    return "\n".join(lines)


def run(name, numbers, told=lambda name, number, found: None):
    """Rows of these problems of a scheme; refused and collapsed ones have none."""
    results = []
    for number in numbers:
        found = spectrum_rows(number) if name == "spectra" else rows(name, number)
        results += [(name, *row) for row in found] if isinstance(found, list) else []
        told(name, number, found)
    return results


def spectrum_rows(number):
    """Rows of four periods of an inelastic spectrum, at the strengths shown."""
    rng = np.random.default_rng([77, number])
    kind = rng.choice(["record", "synthetic", "wave"])
    if kind == "record":
        motion = hx.el_centro()
    elif kind == "synthetic":
        motion = hx.synthetic_suite(1, seed=int(rng.integers(1 << 30)), magnitude=5.5, scatter=0.5)[0]
    else:
        motion = hx.ground_wave(rng.choice(["sine", "half_sine", "triangle", "ricker"]), 0.3, size(rng, -1, 0.5))
    periods = np.sort(10 ** rng.uniform(-1, math.log10(3), 4))
    given = {
        "g": 9.81,
        "damping": float(rng.choice([0.0, 0.02, 0.05, 0.1])),
        "hardening": float(rng.choice([0.0, 0.0, 0.02, 0.1])),
        "viscosity": float(rng.choice([0.0, 0.0, 1.0])) * size(rng, -3, -1),
    }
    if number % 4:
        found = hx.spectrum(motion, periods, ductility=float(rng.uniform(1.5, 8)), **given)
    else:
        elastic = hx.spectrum(motion, periods, g=9.81, damping=0.05).values("pseudo_acceleration")
        found = hx.spectrum(motion, periods, strength=float(np.median(elastic) / 9.81 / rng.uniform(1.5, 8)), **given)
    strength = found.values("strength").ravel()
    there = np.flatnonzero(np.isfinite(strength))
    fine = YieldingOscillators(
        motion, periods, given["damping"], given["hardening"], given["viscosity"], given["g"], finer=FINER
    ).run(there, strength[there] * given["g"], ("displacement", "residual_displacement"))
    out = []
    for name, bar in (("displacement", "displacement_error"), ("residual_displacement", "residual_error")):
        values, bars = (found.values(each).ravel()[there] for each in (name, bar))
        errors = np.abs(values - fine[name])
        out += [(name, abs(v), b, e) for v, b, e in zip(values.tolist(), bars.tolist(), errors.tolist(), strict=True)]
    return out


def checked(name, number):
    """Distance of the reference to that of another scheme over the true error, by quantity, where both know it."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            problem, scheme = problem_of(name, number)
            coarse, fine = hx.solve(problem, scheme), finest(problem, scheme)
            other = hx.Galerkin if name.startswith("jumps") else hx.DiscontinuousGalerkin
            beside = hx.solve(problem, other(scheme.step / (2 * FINER), degree=2))
        except HamexError:
            return {}
        return {
            quantity: abs(fine.peaks[quantity].value - beside.peaks[quantity].value)
            / abs(peak.value - fine.peaks[quantity].value)
            for quantity, peak in coarse.peaks.items()
            if quantity not in RESIDUALS and abs(peak.value - fine.peaks[quantity].value) > LEAST * peak.value
        }


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=700, help="problems of a scheme; half for one kind of model")
    arguments.add_argument("--first", type=int, default=0, help="number of the first problem")
    arguments.add_argument("--schemes", help='names, separated by commas, "spectra" among them; all by default')
    arguments.add_argument("--out", type=Path, help="file of results, to go on from")
    arguments.add_argument("--check", type=int, help="references to compare with those of another scheme")
    given = arguments.parse_args()
    names = given.schemes.split(",") if given.schemes else [*SCHEMES, "spectra"]
    if given.check:
        for name in names:
            found = [checked(name, number) for number in range(given.first, given.first + given.check)]
            share = np.array([each for problem in found for each in problem.values()])
            middle, most = np.quantile(share, (0.5, 0.9))
            print(f"{name:22} distance of references over true error: median {middle:.3f}, 90 % below {most:.3f}")
        return
    kept = [json.loads(line) for line in given.out.read_text().splitlines()] if given.out and given.out.exists() else []
    done = {(name, number) for name, number, _ in kept}
    file = given.out.open("a") if given.out else None

    def told(name, number, found):
        kept.append((name, number, found))
        if file:
            print(json.dumps(kept[-1]), file=file, flush=True)

    for number in range(given.first, given.first + given.count):
        for name in names:
            one_kind = name not in SCHEMES or len(set(SCHEMES[name][1])) == 1
            if (name, number) not in done and not (one_kind and number % 2):
                run(name, [number], told)
    print(table([(name, *row) for name, _, found in kept if isinstance(found, list) for row in found]))
    refused = [(name, number, found) for name, number, found in kept if isinstance(found, str)]
    print(f"refused or collapsed: {len(refused)}, e.g. {refused[:3]}")


if __name__ == "__main__":
    main()
