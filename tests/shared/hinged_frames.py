"""Random engineering frames with hinges that are followed along their path, and how many keep the promise of one
solution. ``python tests/shared/hinged_frames.py 60 12`` prints the table of 60
frames of each kind, and of 12 reported runs.

Engineering frames: 1-4 bays of 5-9 m and 1-5 storeys of 3-4.5 m; a first period of 0.08-0.16 s a storey; a base shear
at yield of 0.08-0.3 of the weight, shared by the portal method, columns 1.2-1.6 times as strong as they need be; IMK
hinges with plastic rotations of 0.015-0.06 and post-cap rotations of 0.05-0.3, of the size of Haselton and Deierlein
(2008) for concrete and Lignos and Krawinkler (2011) for steel; P-Delta by the weight above each column.
"""

import math
import sys
import warnings

import numpy as np

import hamex as hx
from hamex.errors import ConvergenceError, ModelError

STEPS = (0.01, 0.005, 0.001)
G = 9.80665


def engineering_frame(rng, everywhere, rotary):
    """A model; hinges at all member ends or, by capacity design, in beams and at the feet; rotary mass at joints or
    none."""
    bays, storeys = int(rng.integers(1, 5)), int(rng.integers(1, 6))
    bay, height, node = rng.uniform(5.0, 9.0), rng.uniform(3.0, 4.5), rng.uniform(15.0, 40.0)
    nodes = {f"{c}-{s}": (bay * c, height * s) for s in range(storeys + 1) for c in range(bays + 1)}
    extra = rng.uniform(0.1, 0.5) if rotary else 0.0  # m²
    masses = {name: (node, node, node * extra) for name in nodes if not name.endswith("-0")}
    weight = node * G * (bays + 1)
    shear = rng.uniform(0.08, 0.3) * weight * storeys
    share = np.cumsum(np.arange(storeys, 0, -1)) / (0.5 * storeys * (storeys + 1))  # from the roof down
    shears = shear * share[::-1]
    strong, stiff = rng.uniform(1.2, 1.6), rng.uniform(0.5, 2.0)
    plastic, post_cap, cap = rng.uniform(0.015, 0.06), rng.uniform(0.05, 0.3), rng.uniform(1.05, 1.2)

    def law(moment):
        wear = rng.uniform(0.5, 2.0)
        return hx.laws.IMK(moment, cap, plastic, post_cap, reloading="peak", lambda_s=wear, lambda_k=wear)

    def built(modulus):
        members = {}
        for s in range(storeys):
            above = shears[s + 1] if s + 1 < storeys else 0.0
            for c in range(bays + 1):
                moment = strong * shears[s] * height / 2 / (bays + 1)
                ends = (law(moment) if everywhere or s == 0 else None, law(moment) if everywhere else None)
                members[f"c{c}-{s}"] = hx.Member(
                    f"{c}-{s}",
                    f"{c}-{s + 1}",
                    modulus,
                    0.1,
                    stiff * 1e-3,
                    hinges=ends,
                    compression=weight * (storeys - s) / (bays + 1),
                )
            for c in range(bays):
                moment = (shears[s] + above) * height / 2 / (2 * bays)
                members[f"b{c}-{s}"] = hx.Member(
                    f"{c}-{s + 1}", f"{c + 1}-{s + 1}", modulus, 0.1, 1e-3, hinges=law(moment)
                )
        feet = {name: "fixed" for name in nodes if name.endswith("-0")}
        return hx.frame(nodes, members, feet, masses, damping=hx.rayleigh(alpha=0.2), levels=0.1)

    period = rng.uniform(0.08, 0.16) * storeys
    state = rng.bit_generator.state
    first = hx.modes(built(1e9), 1).periods[0]
    rng.bit_generator.state = state
    return built(1e9 * (first / period) ** 2)


def limit(model):
    """Longest admissible step [s]; 0 and why where no step is short enough."""
    try:
        return hx.Galerkin(step=0.01).longest_step(model), ""
    except ModelError as problem:
        return 0.0, "hinge" if "snap back" in str(problem) else "joint"


def table(count, runs, seed=0):
    """Row by row for each kind of frame: hinges everywhere, rotary mass; admissible steps, what refuses the others; and
    reported runs of the first of these."""
    for everywhere in (False, True):
        for rotary in (True, False):
            rng = np.random.default_rng([seed, everywhere, rotary])
            found, why, ran = [], [], []
            for place in range(count):
                model = engineering_frame(rng, everywhere, rotary)
                longest, cause = limit(model)
                found.append(longest)
                why.append(cause)
                if longest < STEPS[0] and len(ran) < runs:
                    ran.append(reported(model, 0.005, place))
            yield everywhere, rotary, np.array(found), why, ran


def reported(model, step, seed):
    """Whether a run that drives the frame beyond its cap ended, and how; None where a step was not solved."""
    (motion,) = hx.motions.synthetic_suite(1, seed=seed, magnitude=6.5, distance=10.0)
    load = motion.scaled(8.0).on(model, g=G)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return hx.solve(hx.Problem(model, load, 15.0), hx.Galerkin(step=step), promise="reported")
    except ConvergenceError:
        return None


def printed(everywhere, rotary, found, why, ran):
    """A row in words."""
    kind = f"hinges {'at all ends' if everywhere else 'in beams and feet'}, {'' if rotary else 'no '}rotary mass"
    shares = ", ".join(f"{np.mean(found > h):.0%} at {h:g} s" for h in STEPS)
    print(
        f"{kind}: {shares} of {len(found)}; refused at any step: {why.count('hinge')} hinges, {why.count('joint')} "
        f"joints; median limit of the rest {np.median(found[found > 0]) if found.any() else math.nan:.3g} s"
    )
    done = [one for one in ran if one is not None]
    if ran:
        fallen = sum(one.exceeded is not None for one in done)
        certain = sum(one.uncertain is None for one in done)
        print(
            f"    reported, h = 0.005 s: {len(done)} of {len(ran)} went through, {fallen} of them down; no second "
            f"solution seen in {certain}; residual {max((one.residual for one in done), default=0.0):.1e}",
            flush=True,
        )


if __name__ == "__main__":
    for row in table(*map(int, sys.argv[1:] or ("60", "12"))):
        printed(*row)
