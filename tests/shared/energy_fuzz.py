"""Random runs with steps from a hundredth to a million of the time unit 1/ω, and what their energy balance leaves.

Run as a script it prints a summary: ``python tests/shared/energy_fuzz.py [runs of each kind] [first seed]``.
"""

import sys
import warnings
from itertools import pairwise

import numpy as np
from random_structures import random_structure

import hamex as hx
from hamex.model.record import dense

KINDS = ("oscillator", "shear frame", "structure")
SCHEMES = {
    "Galerkin 1": lambda h: hx.Galerkin(h),
    "Galerkin 2": lambda h: hx.Galerkin(h, degree=2),
    "Galerkin 3": lambda h: hx.Galerkin(h, degree=3),
    "Galerkin 4": lambda h: hx.Galerkin(h, degree=4),
    "DG 0": lambda h: hx.DiscontinuousGalerkin(h, degree=0),
    "DG 1": lambda h: hx.DiscontinuousGalerkin(h, degree=1),
    "DG 2": lambda h: hx.DiscontinuousGalerkin(h, degree=2),
}
STEPS = 200


def fastest(model):
    """Largest natural frequency of the elastic model [rad/s]."""
    B = dense(model.compatibility)
    K = B @ np.linalg.inv(dense(model.flexibility)) @ B.T + dense(model.stiffness)
    return float(np.sqrt(np.linalg.eigvals(np.linalg.solve(dense(model.mass), K)).real.max()))


def _slider(rng, k):
    if rng.random() < 0.2:
        return None
    viscosity = rng.choice([0.0, 1.0]) * k * 10.0 ** rng.uniform(-6, 1)
    return hx.Slider(
        k * 10.0 ** rng.uniform(-3, 0),
        viscosity=viscosity,
        kinematic=k * rng.choice([0.0, 0.05]),
        isotropic=k * rng.choice([0.0, 0.05]),
    )


def random_model(rng, kind):
    """A model of the kind, and a force that makes it yield."""
    if kind == "structure":
        model, _, force = random_structure(rng, kinds=("elastic", "slider", "circle", "beam"))
        return model, force
    k, m = 10.0 ** rng.uniform(0, 6), 10.0 ** rng.uniform(-2, 3)
    if kind == "oscillator":
        damping = rng.choice([0.0, 1.0]) * 2 * rng.uniform(0, 0.3) * np.sqrt(k * m)
        return hx.oscillator(m, k, damping=damping, law=_slider(rng, k)), k * 10.0 ** rng.uniform(-2, 0)
    n = int(rng.integers(2, 9))
    stiff = k * 10.0 ** rng.uniform(-0.5, 0.5, n)
    laws = [_slider(rng, each) for each in stiff]
    damping = hx.rayleigh(0.05, (1, 2)) if rng.random() < 0.5 else 0.0
    frame = hx.shear_frame(m * 10.0 ** rng.uniform(-0.3, 0.3, n), stiff, damping=damping, laws=laws)
    return frame, k * 10.0 ** rng.uniform(-2, 0)


def random_problem(rng, kind, place=None):
    """A problem, its step, and hω."""
    model, force = random_model(rng, kind)
    place = 10.0 ** rng.uniform(-2, 6) if place is None else place
    h = place / fastest(model)
    n = len(model.dofs)
    samples = force * np.convolve(rng.normal(size=STEPS + 1), np.ones(4) / 2, mode="same")
    shape = rng.normal(size=(n, 1)) if n > 1 else np.ones((1, 1))
    start = hx.State(force / fastest_stiffness(model) * rng.normal(size=n)) if rng.random() < 0.3 else hx.State()
    return hx.Problem(model, hx.Load(samples, step=h, patterns=shape), STEPS * h, start), h, place


def fastest_stiffness(model):
    """A stiffness of the springs."""
    return float(np.diag(np.linalg.inv(dense(model.flexibility))).max())


def residuals(kind, scheme, seeds, place=None, **options):
    """(seed, hω, residual or name of the error) of random runs."""
    for seed in seeds:
        problem, h, hw = random_problem(np.random.default_rng(seed), kind, place)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                sol = hx.solve(problem, SCHEMES[scheme](h), **options)
                yield seed, hw, sol.residual
        except hx.errors.HamexError as problem_met:
            yield seed, hw, type(problem_met).__name__


def main(count=60, first=0):
    """Print, for each kind of model and each scheme, the largest residual by decades of hω."""
    edges = (0.0, 2.0, 1e2, 1e4, 1e7)
    print("largest residual by hω:            ", *(f"≤{edge:<9g}" for edge in edges[1:]), "above 1e-12, errors")
    for kind in KINDS:
        for scheme in SCHEMES:
            found = list(residuals(kind, scheme, range(first, first + count)))
            numbers = [(hw, left) for _, hw, left in found if not isinstance(left, str)]
            errors = sorted({left for _, _, left in found if isinstance(left, str)})
            worst = [
                max((left for hw, left in numbers if low < hw <= high), default=0.0) for low, high in pairwise(edges)
            ]
            above = sum(not left <= 1e-12 for _, left in numbers)
            print(
                f"{kind:>16} {scheme:<18}",
                *(f"{each:<10.1e}" for each in worst),
                f"{above} of {len(numbers)}",
                *errors,
                flush=True,
            )


if __name__ == "__main__":
    main(*(int(number) for number in sys.argv[1:]))
