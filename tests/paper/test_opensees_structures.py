"""OpenSees marches the same frames and trusses: shear frames, frames with hinges, yielding bars, a plastic collapse.

Reference values are external (a live OpenSees, built from the same arrays) unless a test says analytic. OpenSees is an
optional peer: without it these tests skip with the reason, except on CI, where they fail.

Two comparisons, of different sharpness. Newmark with the safeguarded solver is OpenSees' own scheme, so both must give
the same numbers at any step: this tests the model and the law. Galerkin is another scheme, so only converged answers
must agree: this tests the whole chain. Elements use Steel01 in OpenSees (no viscosity, kinematic hardening); its
Hardening material is exact only in short steps.
"""

import importlib.util
import itertools
import math
import os
from pathlib import Path

import numpy as np
import pytest

import hamex as hx
from hamex.model.record import dense
from hamex.paper import opensees

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
G = 9.80665  # m/s²
EL_CENTRO = hx.el_centro()


def benchmark(name):
    """A module of benchmarks/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def twin():
    reason = opensees.available()
    if reason is not None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return benchmark("opensees_twin")


def shaken(case, scale, step, duration, **run):
    """A case of the twin under El Centro."""
    return {
        **case,
        "acceleration": scale * G * EL_CENTRO.acceleration,
        "sample_step": EL_CENTRO.step,
        "step": step,
        "steps": round(duration / step),
        **run,
    }


def solved(model, scale, scheme, duration):
    return hx.solve(hx.Problem(model, EL_CENTRO.scaled(scale).on(model, g=G), duration=duration), scheme)


def answered(answer):
    assert answer["failed_at"] is None
    return answer


def at_dofs(model, names, answer):
    """OpenSees' nodal displacements in the order of the model's dofs."""
    motion = np.array(answered(answer)["displacement"])
    place = [dof.rsplit(".", 1) for dof in model.dofs]
    return np.stack([motion[:, names.index(node), ("x", "y", "rz").index(part)] for node, part in place], axis=1)


def far(ours, theirs):
    """Largest difference of two histories in parts of the largest value."""
    return np.abs(ours - theirs).max() / np.abs(ours).max()


def peaks_apart(ours, theirs):
    """Largest relative difference of the peaks of every column."""
    ours, theirs = np.abs(ours).max(axis=0), np.abs(theirs).max(axis=0)
    return np.abs(theirs / ours - 1).max()


# Five storeys


def five_storeys(**law):
    """Arrays of the frame, its model and its case."""
    from dataclasses import asdict

    arrays = asdict(benchmark("frames").frame(5, **law))
    laws = [
        hx.Slider(*row)
        for row in zip(
            *(arrays[name] for name in ("yield_forces", "viscosities", "kinematic", "isotropic")), strict=True
        )
    ]
    model = hx.shear_frame(arrays["masses"], arrays["stiffnesses"], arrays["dashpots"], laws)
    return arrays, model, {"kind": "shear", **arrays}


@pytest.mark.parametrize("scale", [pytest.param(1.0, marks=pytest.mark.heavy), 2.0])
def test_five_storey_bilinear_frame(twin, scale):
    arrays, model, case = five_storeys(viscosity=0.0, kinematic=0.05)
    long, short = twin.run([shaken(case, scale, step, 15.0) for step in (0.02, 0.00125)])
    for step, answer in ((0.02, long), (0.00125, short)):
        ours = solved(model, scale, hx.Newmark(step=step, safeguarded=True), 15.0)
        assert far(ours.values("deformation"), np.array(answered(answer)["deformation"])) < 1e-9
        assert far(ours.values("node_force"), np.array(answer["force"])) < 1e-9
    drifts = solved(model, scale, hx.Galerkin(step=0.00025), 15.0).values("deformation")
    ductility = np.abs(drifts).max(axis=0) * arrays["stiffnesses"] / arrays["yield_forces"]
    assert ductility.min() > 1.1
    assert ductility.max() > 3.0
    assert peaks_apart(drifts, np.array(short["deformation"])) < 0.002


@pytest.mark.heavy
def test_five_storey_frame_with_viscosity_and_both_hardenings(twin):
    _, model, case = five_storeys(viscosity=1.0, kinematic=0.03, isotropic=0.02)
    (answer,) = twin.run([shaken(case, 2.0, 0.00125, 15.0)])
    drifts = solved(model, 2.0, hx.Galerkin(step=0.00025), 15.0).values("deformation")
    assert peaks_apart(drifts, np.array(answered(answer)["deformation"])) < 0.002
    elastic = five_storeys(viscosity=1.0)[1]
    other = solved(elastic, 2.0, hx.Galerkin(step=0.00025), 15.0).values("deformation")
    assert peaks_apart(drifts, other) > 0.02  # the hardening that both programs agree about is seen


# Frames with hinges

ALPHA, HARDENING, MASS = 0.3, 0.02, 30.0  # damping per mass; share of 6EI/L; floor joints

# Column and beam: (EA, EI, yield moment).
PORTAL = ((2e6, 3e4, 115.0), (2e6, 2.2e4, 75.0))
HIGHER = ((3e6, 8e4, 300.0), (3e6, 6e4, 200.0))


def hinged_frame(bays, storeys, column, beam):
    """Model, case and node names of a regular frame."""
    nodes = {f"{line}-{level}": (6.0 * line, 3.0 * level) for level in range(storeys + 1) for line in range(bays + 1)}
    names = list(nodes)
    pairs = [(f"{c}-{s}", f"{c}-{s + 1}", column) for s in range(storeys) for c in range(bays + 1)]
    pairs += [(f"{c}-{s}", f"{c + 1}-{s}", beam) for s in range(1, storeys + 1) for c in range(bays)]
    held = {name for name in names if name.endswith("-0")}
    masses = {name: (MASS, MASS, 0.05 * MASS) for name in names if name not in held}
    rows = []
    for start, end, (axial, bending, moment) in pairs:
        rows.append(
            (start, end, axial, bending, moment, HARDENING * 6.0 * bending / math.dist(nodes[start], nodes[end]))
        )
    members = [
        hx.Member(start, end, modulus=1.0, area=axial, inertia=bending, hinges=hx.Slider(moment, kinematic=hardening))
        for start, end, axial, bending, moment, hardening in rows
    ]
    model = hx.frame(nodes, members, {name: "fixed" for name in held}, masses, damping=hx.rayleigh(alpha=ALPHA))
    starts, ends, axials, bendings, moments, hardenings = zip(*rows, strict=True)
    none = [0.0] * len(rows)
    case = {
        "kind": "frame",
        "coordinates": list(nodes.values()),
        "fixed": [[name in held] * 3 for name in names],
        "masses": [masses.get(name, (0.0, 0.0, 0.0)) for name in names],
        "members": [[names.index(a), names.index(b)] for a, b in zip(starts, ends, strict=True)],
        "axial": axials,
        "bending": bendings,
        "yield_moments": [[m, m] for m in moments],
        "kinematic": hardenings,
        "viscosities": none,
        "isotropic": none,
        "mass_damping": ALPHA,
    }
    return model, case, names


def storey_drifts(model, motion, bays, storeys):
    floors = [np.zeros((len(motion), bays + 1))]
    floors += [motion[:, [model.dofs.index(f"{c}-{s}.x") for c in range(bays + 1)]] for s in range(1, storeys + 1)]
    return np.hstack([high - low for low, high in itertools.pairwise(floors)])


@pytest.mark.parametrize(
    ("bays", "storeys", "column", "beam", "hinges"),
    [
        pytest.param(1, 1, *PORTAL, 4, id="portal"),
        pytest.param(2, 3, *HIGHER, 12, id="two bays, three storeys", marks=pytest.mark.heavy),  # pushed below
    ],
)
def test_frame_with_hinges(twin, bays, storeys, column, beam, hinges):
    """Hinges of OpenSees are zero-length springs, 100 and 300 times as stiff as the member, in place of none."""
    model, case, names = hinged_frame(bays, storeys, column, beam)
    step, duration = 0.001, 7.0
    loose, tight = (
        at_dofs(model, names, answer)
        for answer in twin.run(
            [shaken(case, 1.0, step, duration, rigid=rigid, algorithm="NewtonLineSearch") for rigid in (100.0, 300.0)]
        )
    )
    same = solved(model, 1.0, hx.Newmark(step=step, safeguarded=True), duration)
    assert far(same.values("displacement"), loose) < 0.01
    assert far(same.values("displacement"), tight) < 0.4 * far(same.values("displacement"), loose)
    # What is left is the give of the springs, in proportion to 1/stiffness: without it both programs agree.
    assert far(same.values("displacement"), 1.5 * tight - 0.5 * loose) < 3e-4
    ours = solved(model, 1.0, hx.Galerkin(step=step / 4), duration)
    assert np.count_nonzero(np.abs(ours.values("slip")).max(axis=0) > 1e-4) >= hinges
    drifts = storey_drifts(model, ours.values("displacement"), bays, storeys)
    assert peaks_apart(drifts, storey_drifts(model, loose, bays, storeys)) < 0.01
    assert peaks_apart(drifts, storey_drifts(model, tight, bays, storeys)) < 0.005


@pytest.mark.parametrize(
    ("bays", "storeys", "column", "beam"), [(1, 1, *PORTAL), (2, 3, *HIGHER)], ids=["portal", "two bays, three storeys"]
)
@pytest.mark.chief("two bays, three storeys")
def test_push_of_a_frame_with_hinges(twin, bays, storeys, column, beam):
    """Roof pushed to a thirtieth of its height: the same capacity curve, but for the give of OpenSees' springs."""
    model, case, names = hinged_frame(bays, storeys, column, beam)
    roof, reach, steps = f"0-{storeys}", 0.1 * storeys, 200
    pattern = [[float(name == roof), 0.0, 0.0] for name in names]
    push = hx.pushover(model, f"{roof}.x", reach, steps=steps)
    ours = push.values("load_factor")
    apart = []
    for rigid in (100.0, 1000.0):
        (answer,) = twin.run(
            [
                {
                    **case,
                    "control": (names.index(roof), 0, reach / steps),
                    "steps": steps,
                    "pattern": pattern,
                    "rigid": rigid,
                }
            ]
        )
        apart.append(far(ours, np.array(answered(answer)["factor"])))
    assert apart[0] < 0.002
    assert apart[1] < 0.15 * apart[0]
    # The curve bends: hinges have formed.
    assert ours[-1] / reach < 0.5 * ours[1] / (reach / steps)


# Trusses


def tower(hardening):
    """A leaning tower of three braced panels: model, case and node names."""
    nodes = {f"{side}{level}": (2.0 * (side == "R") + 0.2 * level, 2.0 * level) for level in range(4) for side in "LR"}
    names = list(nodes)
    pairs = [
        pair
        for i, j in ((0, 1), (1, 2), (2, 3))
        for pair in ((f"L{i}", f"L{j}"), (f"R{i}", f"R{j}"), (f"L{j}", f"R{j}"), (f"L{i}", f"R{j}"), (f"R{i}", f"L{j}"))
    ]
    masses = {name: 4.0 + (name[0] == "R") for name in names if name[1] != "0"}
    stiffness = [2e4 / math.dist(nodes[a], nodes[b]) for a, b in pairs]
    limit = 60.0
    bars = [
        hx.Bar(a, b, stiffness=k, law=hx.Slider(limit, kinematic=hardening * k))
        for (a, b), k in zip(pairs, stiffness, strict=True)
    ]
    model = hx.truss(nodes, bars, {"L0": "pinned", "R0": "pinned"}, masses, damping=hx.rayleigh(alpha=0.5))
    none = [0.0] * len(bars)
    case = {
        "kind": "truss",
        "coordinates": list(nodes.values()),
        "fixed": [[name[1] == "0"] * 2 for name in names],
        "masses": [[masses.get(name, 0.0)] * 2 for name in names],
        "bars": [[names.index(a), names.index(b)] for a, b in pairs],
        "stiffnesses": stiffness,
        "yield_forces": [limit] * len(bars),
        "viscosities": none,
        "isotropic": none,
        "kinematic": [hardening * k for k in stiffness],
        "mass_damping": 0.5,
    }
    return model, case, names


@pytest.mark.heavy
@pytest.mark.parametrize("hardening", [0.03, 0.0])
@pytest.mark.chief("0.03")
def test_truss_with_yielding_bars(twin, hardening):
    model, case, names = tower(hardening)
    step, duration = 0.001, 5.0
    (answer,) = twin.run([shaken(case, 1.5, step, duration)])
    theirs = at_dofs(model, names, answer)
    same = solved(model, 1.5, hx.Newmark(step=step, safeguarded=True), duration)
    assert far(same.values("displacement"), theirs) < 1e-9
    assert far(same.values("node_force"), np.array(answer["force"])) < 1e-9
    ours = solved(model, 1.5, hx.Galerkin(step=step / 4), duration)
    yielded = np.abs(ours.values("slip")).max(axis=0) > 1e-4
    assert yielded.sum() >= 4
    assert not yielded.all()
    strains = (theirs @ dense(model.compatibility))[:, yielded]
    assert peaks_apart(ours.values("deformation")[:, yielded], strains) < 0.005
    assert peaks_apart(ours.values("displacement"), theirs) < 0.005


# The classical three-bar truss: bars of equal section at −45°, 0 and 45° to the load, perfectly plastic. Analytic:
# the middle bar yields first, at (1 + 1/√2) Fy; all three carry Fy in the end, together (1 + √2) Fy.

COLLAPSE = 1.0 + math.sqrt(2.0)
RIGIDITY, ALPHA_BAR = 1000.0, 100.0  # overdamped: a node that overshoots unloads its bars
STIFFNESSES = [RIGIDITY / math.sqrt(2.0), RIGIDITY, RIGIDITY / math.sqrt(2.0)]


def three_bars(extra=()):
    nodes = {"A": (-1.0, 1.0), "B": (0.0, 1.0), "C": (1.0, 1.0), "P": (0.0, 0.0), "Q": (0.0, -1.0)}
    bars = [hx.Bar(name, "P", rigidity=RIGIDITY, law=hx.Slider(1.0)) for name in "ABC"]
    if not extra:
        del nodes["Q"]
    return hx.truss(
        nodes,
        [*bars, *extra],
        {name: "pinned" for name in nodes if name != "P"},
        {"P": 1.0},
        damping=hx.rayleigh(alpha=ALPHA_BAR),
    )


def three_bar_case():
    same = {"viscosities": 0.0, "kinematic": 0.0, "isotropic": 0.0, "yield_forces": 1.0}
    return {
        "kind": "truss",
        "coordinates": [[-1.0, 1.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]],
        "fixed": [[True, True]] * 3 + [[False, False]],
        "masses": [[0.0, 0.0]] * 3 + [[1.0, 1.0]],
        "bars": [[0, 3], [1, 3], [2, 3]],
        "stiffnesses": STIFFNESSES,
        **{name: [value] * 3 for name, value in same.items()},
        "mass_damping": ALPHA_BAR,
        "pattern": [[0.0, 0.0]] * 3 + [[0.0, -1.0]],
    }


RAMP, END, STEP = 10.0, 30.0, 0.02  # s; the slowest period is 0.24 s


def slow(share):
    """Samples every second: up to a share of the collapse load, then held."""
    return share * COLLAPSE * np.minimum(np.arange(END + 5.0) / RAMP, 1.0)


def final_speed(displacement):
    """Of the loaded node, over the last five seconds, downwards."""
    back = round(5.0 / STEP)
    return -(displacement[-1] - displacement[-1 - back]) / 5.0


@pytest.mark.parametrize("scheme", [hx.Galerkin(step=STEP), hx.Newmark(step=STEP, safeguarded=True)], ids=repr)
def test_three_bars_under_a_slow_load_carry_just_the_collapse_load(scheme):
    model = three_bars()
    for share in (0.995, 1.005):
        load = hx.Load(slow(share), step=1.0, patterns=[0.0, -1.0])
        sol = hx.solve(hx.Problem(model, load, duration=END), scheme)
        # Analytic: what the bars do not carry, the dashpot α m does.
        excess = max(share - 1.0, 0.0) * COLLAPSE / ALPHA_BAR
        assert final_speed(sol.values("displacement")[:, 1]) == pytest.approx(excess, rel=1e-6, abs=1e-12)
        sides = (min(share, 1.0) * COLLAPSE - 1.0) / math.sqrt(2.0)
        assert sol.values("force")[-1] == pytest.approx([sides, 1.0, sides], rel=1e-9)


def test_three_bars_pulled_by_a_moving_support_settle_at_the_collapse_load():
    """Analytic; the pull comes through an elastic bar below, whose far end moves ten yield displacements and stops."""
    model = three_bars(extra=[hx.Bar("P", "Q", rigidity=RIGIDITY)])
    moved = [[1.0 if name == "Q.y" else 0.0] for name in model.support_names]
    problem = hx.Problem(
        model,
        hx.Load([0.0], step=1.0, patterns=[0.0, 0.0]),
        duration=END,
        supports=hx.Load([0.0, *[-0.02] * 9], step=RAMP, patterns=moved),
    )
    sol = hx.solve(problem, hx.Galerkin(step=STEP))
    assert sol.values("force")[-1] == pytest.approx([1.0, 1.0, 1.0, COLLAPSE], rel=1e-9)
    assert sol.residual < 1e-11


def test_three_bars_pushed_bend_twice():
    """Analytic: displacements Fy·L/EA, where the middle bar yields, and twice that, where all do."""
    factor = hx.pushover(three_bars(), {"P.y": -1.0}, 0.02, steps=20).values("load_factor")
    assert factor[:2] == pytest.approx([0.0, 1.0 + math.sqrt(0.5)], rel=1e-5)
    assert factor[2:] == pytest.approx(np.full(19, COLLAPSE), rel=1e-5)


def test_three_bars_in_opensees(twin):
    """The same slow loads, and a push by displacement control, which stops where nothing resists any more."""
    case = three_bar_case()
    held, lost, pushed = twin.run(
        [
            *(
                {**case, "forces": slow(share), "sample_step": 1.0, "step": STEP, "steps": round(END / STEP)}
                for share in (0.995, 1.005)
            ),
            {**case, "control": (3, 1, -2e-6), "steps": 1100},
        ]
    )
    assert final_speed(np.array(answered(held)["displacement"])[:, 3, 1]) == pytest.approx(0.0, abs=1e-12)
    assert final_speed(np.array(answered(lost)["displacement"])[:, 3, 1]) == pytest.approx(
        0.005 * COLLAPSE / ALPHA_BAR, rel=1e-6
    )
    # All bars yield at a displacement of 2 Fy·L/EA.
    assert pushed["failed_at"] == pytest.approx(1000, abs=2)
    assert max(pushed["factor"]) == pytest.approx(COLLAPSE, rel=0.005)
    assert max(pushed["factor"]) == pytest.approx(
        max(np.array(pushed["force"])[:, 1]) + math.sqrt(2.0) * max(np.array(pushed["force"])[:, 0]), rel=1e-9
    )
