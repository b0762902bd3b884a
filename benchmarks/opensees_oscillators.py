"""Oscillators in OpenSees, three ways: one model each, all in one model, and its own ``sdfResponse``.

Runs in a child process, as in ``opensees_twin.py``; cases go in and answers come out as JSON. A case is

    way          "one", "together" or "sdfResponse"
    mass, stiffness, damping, yield_force, viscosity     lists, one entry per oscillator
    acceleration, step                                   of the ground, at the nodes of the steps
    timed        True: CPU seconds of the analysis alone, nothing recorded; False: peak displacements

Set-up is the fastest found for each way: damping to the ground as Rayleigh's mass term, plain numbering, a profile
solver for one and a diagonal one for many (the equations are not coupled), increments below 1e-8 m as the test.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PARAMETERS = ("mass", "stiffness", "damping", "yield_force", "viscosity")
PROBE = {
    "way": "one",
    "mass": [1.0],
    "stiffness": [100.0],
    "damping": [0.0],
    "yield_force": [1.0],
    "acceleration": [-2.0] * 51,
    "step": 0.02,
    "timed": False,
}


class OscillatorsError(RuntimeError):
    """OpenSees could not be run."""


def run(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answers of one child: ``cpu`` and ``build`` (seconds) of timed cases, ``peak`` of the others; ``failed``: steps
    that did not converge, as the number of runs that stopped early."""
    plain = [
        {key: value.tolist() if hasattr(value, "tolist") else value for key, value in case.items()} for case in cases
    ]
    child = subprocess.run([sys.executable, __file__], input=json.dumps(plain), capture_output=True, text=True)
    if child.returncode != 0:
        last = child.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise OscillatorsError(f"OpenSees stopped with exit code {child.returncode}: {last[0]}")
    answers: list[dict[str, Any]] = json.loads(child.stdout)
    return answers


def _spring(ops: Any, tag: int, k: float, fy: float, eta: float) -> None:
    if eta == 0.0:
        ops.uniaxialMaterial("Steel01", tag, fy, k, 0.0)  # Hardening may commit false slip, see opensees_twin.py
    else:
        ops.uniaxialMaterial("Hardening", tag, k, fy, 0.0, 0.0, eta)


def _model(ops: Any, rows: list[tuple[float, ...]], case: dict[str, Any], system: str) -> None:
    """Oscillators of one model, numbered from 1 on."""
    ops.wipe()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    ops.node(0, 0.0)
    ops.fix(0, 1)
    # A Path series is zero from its last sample on, that sample included: a copy of it keeps the last load.
    ops.timeSeries("Path", 1, "-dt", case["step"], "-values", *case["acceleration"], case["acceleration"][-1])
    ops.pattern("Plain", 1, 1)
    for tag, (m, k, c, fy, eta) in enumerate(rows, start=1):
        ops.node(tag, 0.0)
        ops.mass(tag, m)
        _spring(ops, tag, k, fy, eta)
        ops.element("zeroLength", tag, 0, tag, "-mat", tag, "-dir", 1)
        ops.region(tag, "-node", tag, "-rayleigh", c / m, 0.0, 0.0, 0.0)
        ops.load(tag, -m)
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system(system)
    ops.test("NormDispIncr", 1e-8, 50)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")


def _march(ops: Any, rows: list[tuple[float, ...]], case: dict[str, Any], system: str, file: str) -> dict[str, Any]:
    """One model through the record: all steps but the first in one call, since the first numbers the equations."""
    begin = time.process_time()
    _model(ops, rows, case, system)
    if not case["timed"]:
        ops.recorder("EnvelopeNode", "-file", file, "-node", *range(1, len(rows) + 1), "-dof", 1, "disp")
    ops.analyze(1, case["step"])
    start = time.process_time()
    steps = len(case["acceleration"]) - 1
    code = ops.analyze(steps - 1, case["step"])
    end = time.process_time()
    # The first step is charged as the others are.
    answer = {"cpu": (end - start) * steps / (steps - 1), "build": start - begin, "failed": int(code != 0)}
    if not case["timed"]:
        ops.wipe()  # writes the envelope: least, largest, largest size
        answer["peak"] = [float(x) for x in Path(file).read_text().splitlines()[2].split()]
    return answer


def _separate(ops: Any, rows: list[tuple[float, ...]], case: dict[str, Any], file: str) -> dict[str, Any]:
    found = [_march(ops, [row], case, "ProfileSPD", file) for row in rows]
    answer = {key: sum(one[key] for one in found) for key in ("cpu", "build", "failed")}
    return answer if case["timed"] else {**answer, "peak": [one["peak"][0] for one in found]}


def _function(ops: Any, rows: list[tuple[float, ...]], case: dict[str, Any], file: str) -> dict[str, Any]:
    """sdfResponse reads the forces from a file in every call."""
    m = rows[0][0]
    Path(file).write_text("\n".join(repr(-m * a) for a in case["acceleration"]) + "\n")
    peak = []
    start = time.process_time()
    for m, k, c, fy, _ in rows:
        zeta = 0.5 * c / math.sqrt(k * m)
        peak.append(ops.sdfResponse(m, zeta, k, fy, 0.0, case["step"], file, case["step"])[0])
    return {"cpu": time.process_time() - start, "build": 0.0, "failed": 0, "peak": peak}


def _solve(ops: Any, case: dict[str, Any], folder: str) -> dict[str, Any]:
    rows = list(zip(*(case[name] for name in PARAMETERS), strict=True))
    file = str(Path(folder) / "numbers.txt")
    if case["way"] == "sdfResponse":
        return _function(ops, rows, case, file)
    if case["way"] == "one":
        return _separate(ops, rows, case, file)
    return _march(ops, rows, case, "Diagonal", file)


def _child() -> None:
    """Answer the request on standard input; what OpenSees prints goes to standard error."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import openseespy.opensees as ops

    with tempfile.TemporaryDirectory() as folder:
        thick, thin = (_solve(ops, {**PROBE, "viscosity": [eta]}, folder)["peak"][0] for eta in (5.0, 1e-9))
        if abs(thick - thin) < 0.01 * abs(thin):
            sys.exit(f"OpenSees {ops.version()} ignores the viscosity of its Hardening material; install 3.5.1.12")
        answers = [_solve(ops, case, folder) for case in json.load(sys.stdin)]
    with channel:
        json.dump(answers, channel)


if __name__ == "__main__":
    _child()
