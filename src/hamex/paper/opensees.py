"""OpenSees itself: the paper's comparison run on the single oscillator of Fig. 8, and materials on given paths.

A mass on a spring in series with (slider parallel to dashpot), and a viscous damper beside it,
integrated as section 6 of the paper states: Newmark's constant average acceleration with Newton's
iteration. OpenSees keeps one global model, writes to the terminal and ends the whole process on some
errors, so it runs in a child process of its own; lists of numbers go in and come out as JSON.

OpenSees' model is the paper's, but its slip is integrated by backward Euler, slip rate
(|F| - Fy) / viscosity at the end of the step, where the paper takes the mean over the step:
the two agree in the limit of short steps, not step by step.

The child part of this file needs nothing but the standard library and openseespy.
"""

import importlib.util
import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hamex.errors import HamexError

PINNED = "openseespy==3.5.1.12 openseespylinux==3.5.1.12"
"""What to install: later releases ignore the viscosity, and pinning only the first part brings them in."""

TOLERANCE = 1e-7
MAX_ITERATIONS = 10
_TAIL = 2000
_HISTORIES = ("displacement", "velocity", "force", "slip")
_POSITIVE = ("mass", "stiffness", "yield_force", "step")
_NOT_NEGATIVE = ("damping", "viscosity")

# A case known to yield: whether a release honours the viscosity must not depend on whether the
# user's own oscillator happens to yield.
_PROBE: dict[str, Any] = {
    "name": "probe",
    "mass": 1.0,
    "stiffness": 100.0,
    "damping": 0.0,
    "yield_force": 1.0,
    "viscosity": 5.0,
    "step": 0.02,
    "forces": [0.0] + [2.0] * 50,
}


class OpenSeesError(HamexError, RuntimeError):
    """OpenSees could not be run, or it broke down on what it was asked."""


def available() -> str | None:
    """None if OpenSees can serve as the paper's comparison here, else the reason in one sentence."""
    if importlib.util.find_spec("openseespy") is None:
        return f"OpenSees is not installed (pip install {PINNED})."
    try:
        answer = run([])
    except OpenSeesError as error:
        text = str(error)
        if "libblas" in text or "liblapack" in text:
            return "OpenSees needs the system's BLAS and LAPACK (on Debian: apt install libblas3 liblapack3)."
        return f"OpenSees does not start: {text.splitlines()[-1]}"
    if not answer["eta_honoured"]:
        return (
            f"OpenSees {answer['version']} ignores the viscosity of its Hardening material, "
            f"so it would solve another model (pip install {PINNED})."
        )
    return None


def run(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Run OpenSees on every case, each from rest, in one child process.

    A case holds ``name``, ``mass``, ``stiffness``, ``damping``, ``yield_force``, ``viscosity``, ``step``
    and ``forces``, the nodal load at the times r*step, r = 0..n. Step r is in equilibrium with the load
    at its end, ``forces[r]``; ``forces[0]`` only sets the acceleration at the start.

    The answer holds ``version``, ``eta_honoured`` (False: the release solves another model) and under
    ``cases``, by name, the histories ``displacement``, ``velocity``, ``force`` of the spring and ``slip``
    = displacement - force / stiffness (n + 1 values each), the total of Newton ``iterations``, and
    ``failed_at``: the first step that did not converge, from which on the histories are NaN.
    """
    request = [_checked(case) for case in cases]
    if len({case["name"] for case in request}) < len(request):
        raise OpenSeesError("every case needs a name of its own")
    answer: dict[str, Any] = _child_answer(request)
    return answer


def material_forces(cases: Sequence[tuple[str, Sequence[float | str], Sequence[float]]]) -> list[list[float]]:
    """Forces of materials, each by its name and the numbers of its command behind the tag, at one deformation after
    the other; NaN from where OpenSees says so."""
    request = [[name, list(numbers), list(path)] for name, numbers, path in cases]
    found: list[list[float]] = _child_answer(request, "materials")
    return found


def commands(script: str) -> list[Any]:
    """Answers, one each, of commands written as in Tcl with semicolons between: ``"wipe; node 1 0.0"``."""
    found: list[Any] = _child_answer([[_word(word) for word in line.split()] for line in script.split(";")], "commands")
    return found


def _word(word: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


def _child_answer(request: Any, *kind: str) -> Any:
    """What the child answers."""
    # The child finds this very copy of the package even if the parent's path was set by hand.
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    child = subprocess.run(
        [sys.executable, "-P", "-m", "hamex.paper.opensees", *kind],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )
    if child.returncode != 0:
        tail = child.stderr[-_TAIL:].strip() or "it said nothing"
        raise OpenSeesError(f"OpenSees stopped with exit code {child.returncode}:\n{tail}")
    try:
        return json.loads(child.stdout)
    except json.JSONDecodeError as error:
        raise OpenSeesError(f"OpenSees gave no answer:\n{child.stderr[-_TAIL:].strip()}") from error


def _checked(case: dict[str, Any]) -> dict[str, Any]:
    """The case as plain floats; refuses what OpenSees would accept in silence and answer with nonsense."""
    name = str(case.get("name"))
    missing = {"name", "forces", *_POSITIVE, *_NOT_NEGATIVE} - case.keys()
    if missing:
        raise OpenSeesError(f"case {name!r} lacks {', '.join(sorted(missing))}")
    try:
        numbers = {key: float(case[key]) for key in (*_POSITIVE, *_NOT_NEGATIVE)}
        forces = [float(force) for force in case["forces"]]
    except (TypeError, ValueError) as error:
        raise OpenSeesError(f"case {name!r} holds something that is not a number: {error}") from error
    wrong = [key for key, value in numbers.items() if not math.isfinite(value) or value < 0]
    wrong += [key for key in _POSITIVE if numbers[key] == 0]
    if wrong:
        raise OpenSeesError(f"case {name!r}: impossible value of {', '.join(wrong)}")
    if len(forces) < 2 or not all(map(math.isfinite, forces)):
        raise OpenSeesError(f"case {name!r}: forces must be at least two finite numbers")
    return {"name": name, **numbers, "forces": forces}


def _solve(ops: Any, case: dict[str, Any]) -> dict[str, Any]:
    """One case in this process (the child)."""
    mass, stiffness, step, forces = case["mass"], case["stiffness"], case["step"], case["forces"]
    ops.wipe()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    ops.node(1, 0.0)
    ops.node(2, 0.0)
    ops.fix(1, 1)
    ops.mass(2, mass)
    ops.uniaxialMaterial("Hardening", 1, stiffness, case["yield_force"], 0.0, 0.0, case["viscosity"])
    ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
    # With one mass on a fixed base, mass-proportional damping is the paper's dashpot to ground: its
    # matrix is c itself, and unlike the stiffness-proportional kind it leaves the yielding spring alone.
    ops.rayleigh(case["damping"] / mass, 0.0, 0.0, 0.0)
    # A Path series is zero from its last sample on, that sample included: a copy of it keeps the last load.
    ops.timeSeries("Path", 1, "-dt", step, "-values", *forces, forces[-1])
    ops.pattern("Plain", 1, 1)
    ops.load(2, 1.0)
    # OpenSees starts from zero acceleration whatever the load is; equilibrium at rest says f0/m.
    ops.setNodeAccel(2, 1, forces[0] / mass, "-commit")
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("FullGeneral")
    ops.test("NormDispIncr", TOLERANCE, MAX_ITERATIONS)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")

    histories: dict[str, list[float]] = {key: [0.0] + [math.nan] * (len(forces) - 1) for key in _HISTORIES}
    iterations, failed_at = 0, None
    for r in range(1, len(forces)):
        # OpenSees adds up its clock; set afresh, rounding does not drift the load between two samples.
        ops.setTime((r - 1) * step)
        failed = ops.analyze(1, step) != 0
        iterations += ops.testIter()
        if failed:
            failed_at = r
            break
        u, force = ops.nodeDisp(2, 1), ops.eleResponse(1, "material", 1, "stress")[0]
        row = (u, ops.nodeVel(2, 1), force, u - force / stiffness)
        for key, value in zip(_HISTORIES, row, strict=True):
            histories[key][r] = value
    return {**histories, "iterations": iterations, "failed_at": failed_at}


def _strained(ops: Any, name: str, numbers: list[float | str], path: list[float]) -> list[float]:
    """Forces of one material in this process (the child)."""
    ops.wipe()
    ops.uniaxialMaterial(name, 1, *numbers)
    ops.testUniaxialMaterial(1)
    forces = []
    for deformation in path:
        ops.setStrain(deformation)
        forces.append(ops.getStress())
    return forces


def _child() -> None:
    """Answer the request on standard input; what OpenSees prints goes to standard error."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    cases = json.load(sys.stdin)
    try:
        import openseespy.opensees as ops
    except Exception as error:
        # openseespy hides the cause (a missing library, another Python) behind two errors of its own.
        cause: BaseException = error
        while cause.__context__ is not None:
            cause = cause.__context__
        sys.exit(f"openseespy cannot be imported: {cause}")
    if sys.argv[1:] == ["materials"]:
        with channel:
            json.dump([_strained(ops, *case) for case in cases], channel)
        return
    if sys.argv[1:] == ["commands"]:
        with channel:
            json.dump([getattr(ops, name)(*words) for name, *words in cases], channel)
        return
    viscous = _solve(ops, _PROBE)["displacement"]
    plastic = _solve(ops, {**_PROBE, "viscosity": 1e-9})["displacement"]
    change = max(abs(x - y) for x, y in zip(viscous, plastic, strict=True))
    answer = {
        "version": ops.version(),
        "eta_honoured": change > 0.01 * max(map(abs, plastic)),
        "cases": {case["name"]: _solve(ops, case) for case in cases},
    }
    with channel:
        json.dump(answer, channel)


if __name__ == "__main__":
    _child()
