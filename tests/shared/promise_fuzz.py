"""Random problems for every implicit scheme: is what the promise admits solved, and is what it refuses worth refusing?

Run ``python tests/shared/promise_fuzz.py --count 20000 --seed 1``: problem number i is made from seed i alone, so that
ranges of seeds can be run apart and a failure repeated (``--only 4711``). With ``--out file`` results are kept, line by
line, and a later call goes on where that file ends.
"""

import argparse
import json
import math
import multiprocessing
import time
import warnings
from collections import Counter
from contextlib import nullcontext
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import block_diag

import hamex as hx
from hamex.errors import ConvergenceError, InputError, ModelError, SchemeError
from hamex.model.record import dense, per_spring
from hamex.schemes import promise
from hamex.schemes.promised import admissible, matrices
from hamex.schemes.stages import coupling, stage_maps

# name, law of a spring of stiffness k that yields at fy, number of springs it takes, whether elements of several
# stages take it. A new law is one more line.
LAWS = [
    ("elastic", lambda rng, k, fy: None, 1, True),
    ("plastic", lambda rng, k, fy: hx.Slider(fy), 1, True),
    ("weak", lambda rng, k, fy: hx.Slider(0.01 * fy), 1, True),
    ("viscous", lambda rng, k, fy: hx.Slider(fy, k * size(rng, -4, 0)), 1, True),
    ("dashpot", lambda rng, k, fy: hx.Slider(0.0, k * size(rng, -4, 0)), 1, True),
    ("kinematic", lambda rng, k, fy: hx.Slider(fy, kinematic=k * size(rng, -2, 0)), 1, True),
    ("isotropic", lambda rng, k, fy: hx.Slider(fy, isotropic=k * size(rng, -2, 0)), 1, True),
    (
        "all",
        lambda rng, k, fy: hx.Slider(fy, k * size(rng, -4, -1), k * size(rng, -2, 0), k * size(rng, -2, 0)),
        1,
        True,
    ),
    ("power", lambda rng, k, fy: hx.PowerLaw(k * size(rng, -2, 0), float(rng.choice([0.2, 0.5, 1.0, 1.7]))), 1, True),
    (
        "circle",
        lambda rng, k, fy: hx.Surface(
            (fy, fy), viscosity=float(rng.choice([0.0, 0.01 * k])), kinematic=float(rng.choice([0.0, 0.1 * k]))
        ),
        2,
        True,
    ),
    (
        "gap",
        lambda rng, k, fy: hx.laws.Gap(
            gap=fy / k * size(rng, -1, 0.5),
            corner=float(rng.choice([np.inf, fy])),
            post_stiffness=k * size(rng, -1, 0.5),
        ),
        1,
        True,
    ),
]
SCHEMES = [
    ("Galerkin 1", hx.Galerkin, {}),
    ("Galerkin 2", hx.Galerkin, {"degree": 2}),
    ("Galerkin 3", hx.Galerkin, {"degree": 3}),
    ("Galerkin 4", hx.Galerkin, {"degree": 4}),
    ("jumps 0", hx.DiscontinuousGalerkin, {"degree": 0}),
    ("jumps 1", hx.DiscontinuousGalerkin, {"degree": 1}),
    ("jumps 2", hx.DiscontinuousGalerkin, {"degree": 2}),
    ("Newmark", hx.Newmark, {"safeguarded": True}),
    ("generalised-α", hx.schemes.GeneralisedAlpha, {"rho": 0.7}),
    ("HHT-α", hx.schemes.HilberHughesTaylor, {}),
]
REFUSALS = {
    "step": "the step must be below",
    "dof": "once its springs slip",
    "curved": "elastic but not linear",
    "law": "springs with a Slider only",
}


def size(rng, low, high):
    """A number between ten to these powers."""
    return 10.0 ** rng.uniform(low, high)


def law(rng, k, stages, components=1):
    """A law for a spring of stiffness k, as the scheme takes it, and its name."""
    fit = [each for each in LAWS if each[2] == components and (each[3] or not stages)]
    name, make, _, _ = fit[rng.integers(len(fit))]
    return name, make(rng, k, k * size(rng, -3, 0))


def damping(rng, storeys):
    return rng.choice(np.array([0.0, hx.ratio(0.02), hx.modal(0.05, modes=1)], dtype=object))


def oscillator(rng, stages):
    k = size(rng, 0, 3)
    name, own = law(rng, k, True)
    return hx.oscillator(size(rng, -1, 1), k, float(rng.choice([0.0, 0.1 * math.sqrt(k)])), own), {name}


def shear_frame(rng, stages):
    """Storeys with links, P-Delta up to what the elastic frame carries, floors without mass."""
    storeys = int(rng.integers(1, 9))
    masses = rng.uniform(0.5, 2, storeys)
    if storeys > 1 and rng.random() < 0.3:
        masses[rng.integers(storeys - 1)] = 0.0
    k = size(rng, 1, 3) * rng.uniform(0.5, 1.5, storeys)
    names, laws = zip(*(law(rng, each, stages) for each in k), strict=True)
    links = [
        link(rng, k.mean(), int(low), int(high), stages)
        for low, high in (sorted(rng.choice(storeys + 1, 2, replace=False)) for _ in range(rng.integers(0, 3)))
    ]
    weights = None
    if rng.random() < 0.5:
        weights = size(rng, -1.5, 0.3) * 3.0 * k.min() / storeys
    for _ in range(20):
        try:
            return hx.shear_frame(
                masses, k, damping(rng, storeys), laws, heights=3.0, weights=weights, links=links
            ), set(names)
        except ModelError:
            weights = None if weights is None else 0.5 * weights
    return hx.shear_frame(np.ones(storeys), k, 0.0, laws), set(names)


def link(rng, k, low, high, stages):
    kinds = [
        lambda: hx.friction_slider(low, high, k * size(rng, -3, -1), k),
        lambda: hx.maxwell_damper(low, high, k * size(rng, -3, 0), k),
        lambda: hx.bilinear_isolator(low, high, k, k * size(rng, -3, -1), 0.1 * k),
        lambda: hx.elastic_link(low, high, k * size(rng, -2, 0)),
        lambda: hx.viscous_damper(low, high, k * size(rng, -3, 0)),
    ]
    kinds += [
        lambda: hx.power_damper(low, high, k * size(rng, -3, 0), 0.4, k),
        lambda: hx.spring_link(low, high, k, hx.laws.Gap(gap=size(rng, -3, -1), hook=size(rng, -3, -1))),
    ]
    return kinds[rng.integers(len(kinds))]()


def truss(rng, stages):
    """A node on three bars, or two nodes on five; one may lack mass."""
    nodes = {"A": (0, 0), "B": (4, 0), "C": (1, 3), "D": (5, 3)}
    pairs = [("A", "C"), ("B", "C"), ("A", "D"), ("B", "D"), ("C", "D")]
    pairs = pairs[:2] if rng.random() < 0.4 else pairs
    bars, names = [], set()
    for pair in pairs:
        k = size(rng, 1, 3)
        name, own = law(rng, k, stages)
        bars.append(hx.Bar(*pair, stiffness=k, law=own))
        names.add(name)
    used = {node for pair in pairs for node in pair}
    masses = {node: float(rng.uniform(0.5, 2)) for node in "CD" if node in used}
    if len(masses) == 2 and rng.random() < 0.3:
        masses.pop("D")
    return hx.truss(
        {node: nodes[node] for node in sorted(used)}, bars, {"A": "pinned", "B": "pinned"}, masses, damping(rng, 2)
    ), names


def frame(rng, stages):
    """A column on its foot, its joint without rotary mass."""
    hinge = hx.Slider(size(rng, 0, 2), float(rng.choice([0.0, 5.0])), float(rng.choice([0.0, 500.0])))
    column = hx.Member(
        "A", "B", modulus=2e5, area=0.1, inertia=1e-3, hinges=(hinge, None), compression=float(rng.choice([0.0, 20.0]))
    )
    k = size(rng, 1, 2)
    name, own = law(rng, k, stages)
    brace = hx.Link("brace", None, "B", k, own if isinstance(own, hx.Slider) else hx.Slider(), direction="x")
    return hx.frame(
        {"A": (0, 0), "B": (0, 3)}, [column], {"A": "fixed"}, {"B": float(rng.uniform(0.5, 5))}, links=[brace]
    ), {name}


def matrices_at_random(rng, stages):
    """Random M, C, K, A and B, K negative in one direction in half of them."""
    dofs, springs = int(rng.integers(1, 5)), 0
    flexibility, laws, names = [], {}, set()
    while springs < dofs + 1:
        k = size(rng, 1, 3)
        two = rng.random() < 0.3
        name, own = law(rng, k, stages, 2 if two else 1)
        root = np.eye(1 + two) + 0.3 * rng.normal(size=(1 + two, 1 + two))
        flexibility.append(root @ root.T / k)
        laws[(springs, springs + 1) if two else springs] = own
        springs += 1 + two
        names.add(name)
    A = block_diag(*flexibility)
    B = rng.normal(size=(dofs, springs))
    mass = rng.uniform(0.2, 2, dofs)
    if dofs > 1 and rng.random() < 0.3:
        mass[0] = 0.0
    elastic = B @ np.linalg.inv(A) @ B.T
    shape = rng.normal(size=(dofs, 1))
    K = np.zeros((dofs, dofs))
    if rng.random() < 0.5:
        most = 1 / (shape.T @ np.linalg.solve(elastic, shape))[0, 0]
        K = -most * size(rng, -1.5, -0.02) * shape @ shape.T
    elif rng.random() < 0.3:
        K = 0.1 * elastic.max() * shape @ shape.T
    C = float(rng.choice([0.0, 0.01])) * elastic
    return hx.structure(
        np.diag(mass), C, A, B, {at: own for at, own in laws.items() if own is not None}, stiffness=K
    ), names


MODELS = [oscillator, shear_frame, shear_frame, truss, frame, matrices_at_random, matrices_at_random]


def problem(seed):
    """Problem, scheme, its label, and what the model has: names of laws, K < 0, dofs without mass."""
    rng = np.random.default_rng(seed)
    label, kind, options = SCHEMES[rng.integers(len(SCHEMES))]
    stages = kind is hx.DiscontinuousGalerkin or options.get("degree", 1) > 1
    model = None
    while model is None:
        try:
            model, laws = MODELS[rng.integers(len(MODELS))](rng, stages)
        except ModelError:  # what builders refuse, as damping by modes where dampers alone hold a dof
            continue
    system = matrices(model)
    stiff = dense(system.elastic()) + dense(model.stiffness)
    mass = dense(model.mass)
    period = 2 * math.pi / np.sqrt(np.linalg.eigvals(np.linalg.solve(stiff, mass)).real.max() ** -1)
    h = float(period * size(rng, rng.choice([-3, -1]), math.log10(3)))
    steps = int(rng.integers(3, 9))
    level = np.abs(stiff).max() * size(rng, -3, 1)
    load = hx.Load(level * rng.normal(size=(steps + 1, len(model.dofs))), step=h)
    facts = {
        "laws": sorted(laws),
        "softens": bool(np.linalg.eigvalsh(dense(model.stiffness))[0] < 0),
        "massless": bool(np.any(np.diag(mass) == 0)),
    }
    if rng.random() < 0.03 and stages:
        options, label = options | {"locate": True}, f"{label} located"
    return hx.Problem(model, load, steps * h), kind(step=h, **options), label, facts


def outcome(seed, unchecked=False):
    """What became of problem number ``seed``, as a flat dictionary; ``unchecked`` leaves the promise of several stages
    out, to see what would become of it then."""
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        if unchecked:
            patch.setattr(import_module("hamex.schemes.stage_march"), "check_promise", lambda model, scheme: None)
        given, scheme, label, facts = problem(seed)
        row = {"seed": seed, "scheme": label, **facts, "why": ""}
        began = time.perf_counter()
        try:
            with np.errstate(all="ignore"):
                solution = hx.solve(given, scheme)
            good = bool(np.all(np.isfinite(solution.values("displacement"))))
            row["outcome"], row["why"] = ("solved", "") if good else ("failed", "not finite")
        except (SchemeError, ModelError) as error:
            # A refusal names what must change; anything else came up in mid-run.
            found = next((name for name, words in REFUSALS.items() if words in str(error)), "")
            row["outcome"], row["why"] = ("refused", found) if found else ("failed", str(error)[:100])
        except (InputError, ConvergenceError, ArithmeticError, np.linalg.LinAlgError) as error:
            row["outcome"], row["why"] = "failed", f"{type(error).__name__}: {error}"[:100]
        row["seconds"] = round(time.perf_counter() - began, 4)
        if row["why"] == "step" and (len(scheme.form().damping) == 1 or set(given.model.laws) == {"slider"}):
            row["needed"] = needed(given.model, scheme, seed)
    return row


def needed(model, scheme, seed, tries=300):
    """Whether some state at 1.5 times the admissible step has a tangent of the wrong sign: two solutions for some load.

    With one stage that is so by the definition of the limit, and the softest state can be reached. With several, all
    springs slip at some of the stages, then springs and stages are drawn at random: where the answer is alone, the
    determinant over those that slip is positive. A state missed counts as a refusal that was not needed.
    """
    h = 1.5 * admissible(model, scheme)
    form = scheme.form()
    if len(form.damping) == 1:
        return promise.weakest(form, matrices(model), h) is not None
    table, springs = scheme.table(), len(model.springs)
    try:
        maps = stage_maps(model, table, h, np.zeros((len(model.dofs), 1)))
    except InputError:
        return True
    own, q = per_spring(model), len(table.c)
    N = coupling(maps, table, h, own["kinematic"])
    N += np.diag(np.tile(own["viscosity"], q))
    may = np.zeros(springs, dtype=bool)
    group = model.laws["slider"]
    may[group.springs] = np.isfinite(group.yield_force)
    rng = np.random.default_rng(seed)
    together = [np.kron(stages, may) > 0 for stages in product((1, 0), repeat=q)]  # all springs at some stages
    for attempt in range(tries):
        if attempt < len(together):
            slips = together[attempt]
        else:
            slips = np.tile(may & (rng.random(springs) < 0.7), q)
            if attempt % 2:
                slips &= rng.random(q * springs) < 0.8
        chosen = np.flatnonzero(slips)
        if chosen.size and np.linalg.slogdet(N[np.ix_(chosen, chosen)])[0] < 0:
            return True
    return False


def run(seeds, processes=2, told=lambda row: None, unchecked=False):
    """Outcomes of these problems, in the order in which they end."""
    task, rows = partial(outcome, unchecked=unchecked), []
    with multiprocessing.get_context("spawn").Pool(processes) if processes > 1 else nullcontext() as pool:
        for row in pool.imap_unordered(task, seeds, chunksize=20) if pool else map(task, seeds):
            rows.append(row)
            told(row)
    return rows


def summary(rows):
    """A table of outcomes by scheme, the failures by their words, and the bound's price."""
    lines = [f"{'scheme':22}{'solved':>8}{'step':>8}{'dof':>8}{'other':>8}{'failed':>8}{'needed at 1.5':>16}"]
    for scheme in [*sorted({row["scheme"] for row in rows}), "all"]:
        own = [row for row in rows if scheme in (row["scheme"], "all")]
        count = Counter(
            row["outcome"] if row["outcome"] != "refused" else row["why"] if row["why"] in ("step", "dof") else "other"
            for row in own
        )
        judged = [row["needed"] for row in own if "needed" in row]
        price = f"{sum(judged)} of {len(judged)}" if judged else "-"
        lines.append(
            f"{scheme:22}"
            + "".join(f"{count[name]:8}" for name in ("solved", "step", "dof", "other", "failed"))
            + f"{price:>16}"
        )
    for what in ("failed", "refused"):
        words = Counter(" ".join(row["why"].split()[:6]) for row in rows if row["outcome"] == what)
        lines += [f"{what}: {number} × {text}" for text, number in words.most_common(8)]
    for row in unneeded(rows)[:10]:
        lines.append(f"refused though K ≥ 0 and mass everywhere: seed {row['seed']}, {row['scheme']}: {row['why']}")
    lines.append(f"first failures: {[row['seed'] for row in rows if row['outcome'] == 'failed'][:10]}")
    return "\n".join(lines)


def unneeded(rows):
    """Refusals of models with K ≥ 0 and mass everywhere, but for springs that are elastic and not linear, and for those
    in which no instant can be located."""
    refused = [row for row in rows if row["outcome"] == "refused" and not row["softens"] and not row["massless"]]
    return [
        row
        for row in refused
        if row["why"] != "curved" and not (row["why"] == "law" and row["scheme"].endswith("located"))
    ]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=20000)
    arguments.add_argument("--seed", type=int, default=1, help="of the first problem")
    arguments.add_argument("--processes", type=int, default=2)
    arguments.add_argument("--out", type=Path, help="file of results, to go on from")
    arguments.add_argument("--unchecked", action="store_true", help="without the promise of several stages")
    arguments.add_argument("--only", type=int, help="one problem, its outcome in full")
    given = arguments.parse_args()
    if given.only is not None:
        print(outcome(given.only))
        return
    rows = []
    if given.out and given.out.exists():
        rows = [json.loads(line) for line in given.out.read_text().splitlines()]
    done = {row["seed"] for row in rows}
    seeds = [seed for seed in range(given.seed, given.seed + given.count) if seed not in done]
    began, count, file = time.time(), 0, given.out.open("a") if given.out else None

    def told(row):
        nonlocal count
        count += 1
        if file:
            print(json.dumps(row), file=file, flush=True)
        if count % 500 == 0:
            print(f"{count} of {len(seeds)} in {time.time() - began:.0f} s", flush=True)

    rows += run(seeds, given.processes, told, given.unchecked)
    print(summary(rows))


if __name__ == "__main__":
    main()
