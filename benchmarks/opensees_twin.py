"""The same structure built and run in OpenSees from plain arrays: shear frames, trusses, plane frames with hinges.

OpenSees keeps one global model, prints to the terminal and may end the process, so it runs in a child of its own; cases
go in and answers come out as JSON. The child needs openseespy and the standard library only. Every child first checks
that the release honours the viscosity of its Hardening material (those since 2024 ignore it in silence).

A case is a dict of arrays that says what is built ("kind") and how it is run:

    kind "shear"   masses, stiffnesses, dashpots, yield_forces, viscosities, kinematic, isotropic: one per storey
    kind "truss"   coordinates, fixed, masses (node × direction); bars (pairs of nodes), stiffnesses EA/L and the law's
                   yield_forces, viscosities, kinematic, isotropic on the elongation: one per bar
    kind "frame"   coordinates (node × 2), fixed, masses (node × 3); members (pairs of nodes), axial EA, bending EI,
                   yield_moments (member × 2 ends, inf: no hinge), and viscosities, kinematic, isotropic of the hinges
    kind "hinged"  nodes as of a frame; members, axial EA, bending EI; ends (member × 3): stiffness of the member within
                   its hinges over EI/L, at start, end and across; hinges (member × 2): null, or a material by name and
                   numbers; leaning (columns): two nodes with their height, the force that gravity puts on them and the
                   node that the upper one moves with
    mass_damping   coefficient of a dashpot mass · mass_damping to the ground (truss and frame)
    loading        acceleration (samples, along the first axis), or forces (samples) × pattern (node × direction),
                   with sample_step; linear between samples
    run            step, steps; algorithm, iterations, tolerance, system; timed: repeats, nothing recorded; patient: try
                   other algorithms and shorter steps where one fails; recorded: nodes that are (all)
    control        (node, direction, increment): static pushover under pattern by displacement, instead of the loading
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from typing import Any

# A closed hinge is a spring of ``rigid`` · 6EI/L. Much above 100, neither Newton nor its line search finds the step in
# which hinges unload, even at 1 ms.
DEFAULTS: dict[str, Any] = {
    "algorithm": "Newton",
    "iterations": 50,
    "tolerance": 1e-8,
    "system": "ProfileSPD",
    "timed": 0,
    "mass_damping": 0.0,
    "rigid": 100.0,
    "patient": False,
    "recorded": None,
}
PROBE = {
    "kind": "shear",
    "masses": [1.0, 1.0],
    "stiffnesses": [200.0, 100.0],
    "dashpots": [0.0, 0.0],
    "yield_forces": [2.0, 1.0],
    "viscosities": [10.0, 5.0],
    "kinematic": [0.0, 0.0],
    "isotropic": [0.0, 0.0],
    "acceleration": [0.0] + [-2.0] * 50,
    "sample_step": 0.02,
    "step": 0.02,
    "steps": 50,
}


class TwinError(RuntimeError):
    """OpenSees could not be run."""


def run(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answers of one child process, in the order of the cases.

    Each holds ``failed_at`` (None, or the number of the first step that did not converge) and, by the kind of run,
    ``displacement`` (step + 1, node, direction), ``force`` and ``deformation`` (step + 1, spring), ``iterations``
    (per step) and ``factor`` (pushover), or ``cpu`` (seconds of one analyze of all steps but the first, the least of
    the repeats).
    """
    child = subprocess.run(
        [sys.executable, __file__], input=json.dumps([_plain(case) for case in cases]), capture_output=True, text=True
    )
    if child.returncode != 0:
        raise TwinError(f"OpenSees stopped with exit code {child.returncode}:\n{child.stderr[-2000:].strip()}")
    return json.loads(child.stdout)


def _plain(case: dict[str, Any]) -> dict[str, Any]:
    return {key: value.tolist() if hasattr(value, "tolist") else value for key, value in case.items()}


def _material(ops: Any, tag: int, k: float, limit: float, eta: float, hk: float, hi: float) -> None:
    """Elastic-plastic spring: Steel01 where it can, else Hardening.

    Hardening keeps the slip of an iteration that was given up: a spring that slips in one iteration and is elastic in
    the last one commits the slip of the former, its elastic branch does not reset the trial slip. The longer the step,
    the more of this false slip there is. Steel01 starts every iteration from the committed state, but knows neither
    viscosity nor linear isotropic hardening.
    """
    if eta == 0.0 and hi == 0.0:
        ops.uniaxialMaterial("Steel01", tag, limit, k, hk / (k + hk))
    else:
        ops.uniaxialMaterial("Hardening", tag, k, limit, hi, hk, eta)


def _chain(ops: Any, case: dict[str, Any]) -> list[int]:
    """Shear frame: floors with one dof each, spring and dashpot of a storey in one zeroLength element."""
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    ops.node(0, 0.0)
    ops.fix(0, 1)
    columns = ("masses", "stiffnesses", "dashpots", "yield_forces", "viscosities", "kinematic", "isotropic")
    for i, (m, k, c, fy, eta, hk, hi) in enumerate(zip(*(case[name] for name in columns), strict=True), start=1):
        ops.node(i, 0.0)
        ops.mass(i, m)
        _material(ops, i, k, fy, eta, hk, hi)
        if c > 0.0:
            ops.uniaxialMaterial("Viscous", -i, c, 1.0)
            ops.element("zeroLength", i, i - 1, i, "-mat", i, -i, "-dir", 1, 1)
        else:
            ops.element("zeroLength", i, i - 1, i, "-mat", i, "-dir", 1)
    return list(range(1, len(case["masses"]) + 1))


def _truss(ops: Any, case: dict[str, Any]) -> list[int]:
    """Bars of area 1, small displacements."""
    _nodes(ops, case, len(case["coordinates"][0]))
    laws = zip(
        *(case[name] for name in ("stiffnesses", "yield_forces", "viscosities", "kinematic", "isotropic")), strict=True
    )
    for e, ((i, j), (k, fy, eta, hk, hi)) in enumerate(zip(case["bars"], laws, strict=True)):
        length = math.dist(case["coordinates"][i], case["coordinates"][j])
        # The material works on strain: forces per elongation become forces per strain.
        _material(ops, e, k * length, fy, eta * length, hk * length, hi * length)
        ops.element("Truss", e, i, j, 1.0, e)
    return list(range(len(case["bars"])))


def _frame(ops: Any, case: dict[str, Any]) -> list[int]:
    """Elastic members between hinges: a hinge is a very stiff rotational spring to a twin of the joint."""
    _nodes(ops, case, 3)
    ops.geomTransf("Linear", 1)
    hinges: list[int] = []
    tag = len(case["coordinates"]) + len(case["members"])  # of the twins, and of their hinges
    laws = ("members", "axial", "bending", "yield_moments", "viscosities", "kinematic", "isotropic")
    for e, ((i, j), ea, ei, limits, eta, hk, hi) in enumerate(zip(*(case[name] for name in laws), strict=True)):
        length = math.dist(case["coordinates"][i], case["coordinates"][j])
        # The give of two closed hinges is taken from the member: exact in double curvature, 0.67/rigid off in single.
        if not math.isinf(max(limits)):
            ei *= 1.0 + 1.0 / case["rigid"]
        ends = []
        for node, limit in zip((i, j), limits, strict=True):
            if math.isinf(limit):
                ends.append(node)
                continue
            ops.node(tag, *case["coordinates"][node])
            ops.equalDOF(node, tag, 1, 2)
            _material(ops, tag, case["rigid"] * 6.0 * ei / length, limit, eta, hk, hi)
            ops.element("zeroLength", tag, node, tag, "-mat", tag, "-dir", 6)
            ends.append(tag)
            hinges.append(tag)
            tag += 1
        # Area and inertia carry the whole stiffness, with a modulus of 1.
        ops.element("elasticBeamColumn", e, *ends, ea, 1.0, ei, 1)
    return hinges


def _hinged(ops: Any, case: dict[str, Any]) -> list[int]:
    """Members of any end stiffness between springs of any material, and leaning columns with P-Delta under gravity."""
    _nodes(ops, case, 3)
    ops.geomTransf("Linear", 1)
    ops.geomTransf("PDelta", 2)
    springs: list[int] = []
    tag = len(case["coordinates"]) + len(case["members"]) + len(case["leaning"])
    rows = zip(*(case[name] for name in ("members", "axial", "bending", "ends", "hinges")), strict=True)
    for e, ((i, j), ea, ei, (start, end, across), hinges) in enumerate(rows):
        between = []
        for node, hinge in zip((i, j), hinges, strict=True):
            if hinge is None:
                between.append(node)
                continue
            ops.node(tag, *case["coordinates"][node])
            ops.equalDOF(node, tag, 1, 2)
            ops.uniaxialMaterial(hinge[0], tag, *hinge[1])
            ops.element("zeroLength", tag, node, tag, "-mat", tag, "-dir", 6)
            between.append(tag)
            springs.append(tag)
            tag += 1
        ops.element("ModElasticBeam2d", e, *between, ea, 1.0, ei, start, end, across, 1)
    ops.timeSeries("Constant", 9)
    ops.pattern("Plain", 9, 9)
    for e, (i, j, force, weight, beside) in enumerate(case["leaning"], len(case["members"])):
        # Rotations of leaning nodes are fixed, and their columns do not bend: 1e-9 is no stiffness.
        ops.element("elasticBeamColumn", e, i, j, 1e3 * force, 1.0, 1e-9, 2)
        ops.equalDOF(beside, j, 1)
        ops.load(j, 0.0, -weight, 0.0)
    ops.constraints("Transformation")
    ops.numberer("RCM")
    ops.system("UmfPack")
    ops.test("NormDispIncr", 1e-12, 20)
    ops.algorithm("Newton")
    ops.integrator("LoadControl", 1.0)
    ops.analysis("Static")
    if ops.analyze(1) != 0:
        raise RuntimeError("gravity was not found")
    ops.loadConst("-time", 0.0)
    ops.wipeAnalysis()
    return springs


def _nodes(ops: Any, case: dict[str, Any], ndf: int) -> None:
    ops.model("basic", "-ndm", len(case["coordinates"][0]), "-ndf", ndf)
    rows = zip(case["coordinates"], case["fixed"], case["masses"], strict=True)
    for tag, (place, fixed, mass) in enumerate(rows):
        ops.node(tag, *place)
        ops.fix(tag, *(int(x) for x in fixed))
        ops.mass(tag, *mass)
    ops.rayleigh(case["mass_damping"], 0.0, 0.0, 0.0)


BUILD = {"shear": _chain, "truss": _truss, "frame": _frame, "hinged": _hinged}


def _build(ops: Any, case: dict[str, Any]) -> list[int]:
    """A fresh model, its loads and its analysis; returns the tags of the springs."""
    ops.wipe()
    springs = BUILD[case["kind"]](ops, case)
    if "control" in case:
        ops.timeSeries("Linear", 1)
    else:
        ops.timeSeries("Path", 1, "-dt", case["sample_step"], "-values", *case.get("acceleration", case.get("forces")))
    if "acceleration" in case:
        ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
    else:
        ops.pattern("Plain", 1, 1)
        for tag, row in enumerate(case["pattern"]):
            ops.load(tag, *row)
    # Hinges tie twins to joints, which needs more than the plain handler does for single-point constraints only.
    tied = case["kind"] in ("frame", "hinged")
    ops.constraints("Transformation" if tied else "Plain")
    ops.numberer("RCM" if tied else "Plain")
    ops.system(case["system"])
    ops.test("NormDispIncr", case["tolerance"], case["iterations"])
    ops.algorithm(case["algorithm"])
    if "control" in case:
        node, direction, increment = case["control"]
        ops.integrator("DisplacementControl", node, direction + 1, increment)
        ops.analysis("Static")
    else:
        ops.integrator("Newmark", 0.5, 0.25)
        ops.analysis("Transient")
    return springs


def _timed(ops: Any, case: dict[str, Any]) -> dict[str, Any]:
    """All steps but the first in one call, nothing recorded: OpenSees at its fastest.

    The first step numbers the equations and is not timed.
    """
    least, failed_at = math.inf, None
    for _ in range(case["timed"]):
        _build(ops, case)
        ops.analyze(1, case["step"])
        start = time.process_time()
        code = ops.analyze(case["steps"] - 1, case["step"])
        least = min(least, time.process_time() - start)
        if code != 0:
            failed_at = round(ops.getTime() / case["step"]) + 1
    last = [ops.nodeDisp(tag) for tag in ops.getNodeTags()]
    return {"cpu": least, "failed_at": failed_at, "last": last}


def _stepwise(ops: Any, case: dict[str, Any]) -> dict[str, Any]:
    """One call per step, every response read after it."""
    springs = _build(ops, case)
    nodes = case["recorded"] or range(len(case["masses"]) + (case["kind"] == "shear"))
    read = {
        "displacement": lambda: [ops.nodeDisp(tag) for tag in nodes],
        "force": lambda: [ops.eleResponse(tag, "material", 1, "stress")[0] for tag in springs],
        "deformation": lambda: [ops.eleResponse(tag, "material", 1, "strain")[0] for tag in springs],
    }
    if case["recorded"]:
        read = {"displacement": read["displacement"]}
    if "control" in case:
        read["factor"] = lambda: ops.getLoadFactor(1)
        advance = lambda: ops.analyze(1)  # noqa: E731
    else:
        advance = lambda: ops.analyze(1, case["step"])  # noqa: E731
    answer: dict[str, Any] = {key: [get()] for key, get in read.items()}
    iterations, failed_at = [], None
    for r in range(1, case["steps"] + 1):
        code = advance()
        if code != 0 and case["patient"]:
            code = _again(ops, case)
        iterations.append(ops.testIter())
        if code != 0:
            failed_at = r
            break
        for key, get in read.items():
            answer[key].append(get())
    return {**answer, "iterations": iterations, "failed_at": failed_at}


def _again(ops: Any, case: dict[str, Any]) -> int:
    """One step once more, as a patient user would: other algorithms, then shorter and shorter steps."""
    goal = ops.getTime() + case["step"]
    for parts in (1, 4, 32):
        for algorithm in (["KrylovNewton"], ["NewtonLineSearch", 0.8], ["ModifiedNewton", "-initial"]):
            ops.algorithm(*algorithm)
            left = goal - ops.getTime()
            code = 0
            for _ in range(round(left / case["step"] * parts)):
                code = code or ops.analyze(1, case["step"] / parts)
            if code == 0:
                ops.algorithm(case["algorithm"])
                return 0
    return 1


def _solve(ops: Any, case: dict[str, Any]) -> dict[str, Any]:
    case = {**DEFAULTS, **case}
    return _timed(ops, case) if case["timed"] else _stepwise(ops, case)


def _child() -> None:
    """Answer the request on standard input; what OpenSees prints goes to standard error."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import openseespy.opensees as ops

    thick, thin = (_solve(ops, {**PROBE, "viscosities": [eta, eta]})["displacement"] for eta in (5.0, 1e-9))
    if abs(thick[-1][-1][0] - thin[-1][-1][0]) < 0.01 * abs(thin[-1][-1][0]):
        sys.exit(f"OpenSees {ops.version()} ignores the viscosity of its Hardening material; install 3.5.1.12")
    answers = [_solve(ops, case) for case in json.load(sys.stdin)]
    with channel:
        json.dump(answers, channel)


if __name__ == "__main__":
    _child()
