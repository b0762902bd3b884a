"""Shear buildings with Rayleigh damping in OpenSees: largest storey drifts only, so that long runs stay small.

OpenSees runs in a child process, as in ``opensees_twin.py``, whose springs and analysis it takes over.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import opensees_twin as twin


def peak_drifts(cases: list[dict[str, Any]]) -> list[list[float] | None]:
    """Largest drift of each storey of each case; None where a step did not converge."""
    child = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps([twin._plain(case) for case in cases]),
        capture_output=True,
        text=True,
    )
    if child.returncode != 0:
        raise twin.TwinError(f"OpenSees stopped with exit code {child.returncode}:\n{child.stderr[-2000:].strip()}")
    return json.loads(child.stdout)


def _damped(ops: Any, case: dict[str, Any]) -> list[int]:
    springs = twin._chain(ops, case)
    ops.rayleigh(case["mass_damping"], 0.0, 0.0, 0.0)  # the stiffness part is in the dashpots
    return springs


def _march(ops: Any, case: dict[str, Any]) -> list[float] | None:
    case = {**twin.DEFAULTS, **case, "kind": "damped"}
    springs = twin._build(ops, case)
    peaks = [0.0] * len(springs)
    for _ in range(case["steps"]):
        if ops.analyze(1, case["step"]) != 0:
            return None
        u = [0.0, *(ops.nodeDisp(tag)[0] for tag in range(1, len(springs) + 1))]
        peaks = [max(peak, abs(above - below)) for peak, above, below in zip(peaks, u[1:], u, strict=False)]
    return peaks


def _child() -> None:
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import openseespy.opensees as ops

    twin.BUILD["damped"] = _damped
    answers = [_march(ops, case) for case in json.load(sys.stdin)]
    with channel:
        json.dump(answers, channel)


if __name__ == "__main__":
    _child()
