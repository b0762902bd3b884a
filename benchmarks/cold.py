"""What a new user meets: an empty cache and a fresh process, `python benchmarks/cold.py`.

Wall and CPU seconds of that process, and of another one after `hamex warm`; and of a process that solves the portal
twenty times. Beside it OpenSees and structdyn, which compile nothing. Gates: all processes of hamex print the same
digits, and the peaks of the others are near.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import measuring

LATER = 1.2  # s, of a second process
WASTED = 3.0  # s, of twenty portals on an empty cache beyond one compilation and twenty warm runs
NEAR = 0.02  # peaks of other programs
BUILDING = """
import hamex as hx
frame = hx.shear_frame(
    masses=[60.0] * 5,
    stiffnesses=[60e3, 55e3, 48e3, 38e3, 25e3],
    damping=hx.modal(0.03),
    laws=[hx.Slider(fy, kinematic=1500.0) for fy in (600, 560, 480, 380, 250)],
    heights=3.2,
    weights=590.0,
    units=hx.Units("m", "kN"),
)
sol = hx.solve(hx.Problem(frame, hx.el_centro().on(frame), duration=40.0), hx.Galerkin(step=0.01))
print(repr(sol.peaks["storey_drift"].value))
"""
PORTAL = """
import hamex as hx
hinge = hx.Slider(120.0, kinematic=200.0)
members = {
    name: hx.Member(*ends, modulus=2e8, area=1e-2, inertia=1e-4, hinges=hinge)
    for name, ends in {"left": "AB", "beam": "BC", "right": "DC"}.items()
}
mass = (10.0, 10.0, 0.1)
model = hx.frame(
    {"A": (0, 0), "B": (0, 3), "C": (5, 3), "D": (5, 0)}, members, supports={"A": "fixed", "D": "fixed"},
    masses={"B": mass, "C": mass}, damping=hx.rayleigh(0.03),
)
sol = hx.solve(hx.Problem(model, hx.el_centro().on(model, g=9.80665), duration=40.0), hx.Galerkin(0.01))
print(repr(sol.peaks["displacement"].value))
"""
SPECTRUM = """
import numpy as np
import hamex as hx
spec = hx.spectrum(hx.el_centro(), np.geomspace(0.1, 3.0, 50), damping=0.05, g=9.80665)
print(float(f"{spec.values('displacement').max():.12g}"))
"""
TWENTY = """
import contextlib, io, time
seconds = [0.0]  # of compiling
import hamex.march.run as run
run.COMPILING.append(lambda expected: seconds.append(time.perf_counter() * (-1 if expected else 1)))
begun = time.perf_counter()
with contextlib.redirect_stdout(io.StringIO()):
    for _ in range(20):
        exec(PORTAL)
print(time.perf_counter() - begun, sum(seconds))
"""
STARTER = """
import contextlib, io
from hamex.cli import main
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
    main(["init", "--force", "shear-frame"])
main(["run", "shear-frame.toml"])
"""
# The same building: bilinear springs, modal damping, P-Delta as springs of negative stiffness.
OPENSEES = r"""
import json, openseespy.opensees as ops
record = json.load(open("record.json"))
ops.model("basic", "-ndm", 1, "-ndf", 1)
ops.node(0, 0.0)
ops.fix(0, 1)
for i, (k, fy) in enumerate(zip([60e3, 55e3, 48e3, 38e3, 25e3], [600, 560, 480, 380, 250]), 1):
    ops.node(i, 0.0, "-mass", 60.0)
    ops.uniaxialMaterial("Steel01", i, fy, k, 1500.0 / (k + 1500.0))
    ops.uniaxialMaterial("Elastic", 10 + i, -590.0 * (6 - i) / 3.2)
    ops.uniaxialMaterial("Parallel", 20 + i, i, 10 + i)
    ops.element("zeroLength", i, i - 1, i, "-mat", 20 + i, "-dir", 1)
ops.timeSeries("Path", 1, "-dt", 0.02, "-values", *record, "-factor", 9.80665)
ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
ops.eigen("-fullGenLapack", 5)
ops.modalDamping(0.03)
ops.system("ProfileSPD"); ops.numberer("Plain"); ops.constraints("Plain")
ops.test("NormUnbalance", 1e-8, 50); ops.algorithm("Newton"); ops.integrator("Newmark", 0.5, 0.25)
ops.analysis("Transient")
largest = 0.0
for _ in range(4000):
    ops.analyze(1, 0.01)
    u = [0.0] + [ops.nodeDisp(i, 1) for i in range(1, 6)]
    largest = max(largest, *(abs(b - a) for a, b in zip(u, u[1:])))
print(f"\n{largest}")
"""
STRUCTDYN = """
import json, numpy as np
from structdyn.ground_motions.ground_motion import GroundMotion
from structdyn.sdf.response_spectrum import ResponseSpectrum
motion = GroundMotion.from_arrays(np.array(json.load(open("record.json"))), 0.02, scale_factor=9.80665)
found = ResponseSpectrum(np.geomspace(0.1, 3.0, 50), 0.05, motion).compute()
print(np.abs(np.asarray(found["Sd"])).max())
"""


class Case(NamedTuple):
    """A script, the seconds of wall time that its first process may take, and what other programs take for it."""

    name: str
    code: str
    budget: float
    others: dict[str, str]


CASES = (
    Case("README's building, modal damping", BUILDING, 1.0, {"OpenSees": OPENSEES}),
    Case("portal frame with hinges", PORTAL, 3.0, {}),
    Case("spectrum, 50 periods", SPECTRUM, 1.0, {"structdyn": STRUCTDYN}),
    Case("hamex run, shear-frame starter", STARTER, 3.0, {}),
)


def fresh(code: str, folder: str) -> dict[str, Any]:
    """Seconds of one process, on the clock and of the processor, and what it said last."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(Path(folder, "kept")), "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+") as out:
        begun = time.perf_counter()
        child = subprocess.Popen([sys.executable, "-c", code], cwd=folder, env=environment, stdout=out, stderr=out)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = [line for line in out.read().splitlines() if line.strip()]
    if child.returncode:
        raise measuring.NotMeasuredError(said[-1] if said else f"ended with {child.returncode}")
    numbers = [line for line in said if _number(line) is not None]
    return {"wall": wall, "cpu": used.ru_utime + used.ru_stime, "said": (numbers or said)[-1]}


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def warmed(folder: str) -> None:
    """Compile what is commonly used into a folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(Path(folder, "kept"))}
    subprocess.run([sys.executable, "-m", "hamex", "warm"], env=environment, check=True, stdout=subprocess.DEVNULL)


def twenty() -> dict[str, float]:
    """Seconds of twenty portals in one process on an empty cache, without those of compiling; and the same warm."""
    code = f"PORTAL = {PORTAL!r}\n{TWENTY}"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        cold, compiling = map(float, fresh(code, folder)["said"].split())
        warm, _ = map(float, fresh(code, folder)["said"].split())
    return {"cold": cold, "compiling": compiling, "warm": warm}


def both(case: Case, repeats: int, warm: str) -> dict[str, Any]:
    """A process with an empty cache and one with a warm folder, the quickest of the repeats; and the other programs."""
    import json

    import hamex as hx

    first = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            first.append(fresh(case.code, folder))
    later = [fresh(case.code, warm) for _ in range(repeats)]
    said = {run["said"] for run in (*first, *later)}
    others: dict[str, Any] = {}
    for name, code in case.others.items():
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "record.json").write_text(json.dumps([*hx.el_centro().acceleration.tolist(), 0.0]))
            try:
                runs = [fresh(code, folder) for _ in range(repeats)]
            except measuring.NotMeasuredError as reason:
                others[name] = {"missing": str(reason)}
                continue
            apart = abs((_number(runs[0]["said"]) or 0.0) / (_number(first[0]["said"]) or 1.0) - 1)
            others[name] = {"wall": min(r["wall"] for r in runs), "cpu": min(r["cpu"] for r in runs), "apart": apart}
    return {
        "name": case.name,
        "first": {of: min(run[of] for run in first) for of in ("wall", "cpu")},
        "later": {of: min(run[of] for run in later) for of in ("wall", "cpu")},
        "same": len(said) == 1,
        "others": others,
    }


def measure(repeats: int = 3, quick: bool = False) -> dict[str, Any]:
    """Every case."""
    repeats = 1 if quick else min(repeats, 3)
    cases = CASES[2:3] if quick else CASES
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        warmed(folder)
        rows = [both(case, repeats, folder) for case in cases]
    claims = []
    for case, row in zip(cases, rows, strict=True):
        wall, later = row["first"]["wall"], row["later"]["wall"]
        claims += [
            measuring.claim(f"empty cache, {case.name}, wall time", wall, case.budget, " s", at_most=True),
            measuring.claim(f"after hamex warm, {case.name}, wall time", later, LATER, " s", at_most=True),
        ]
    apart = [other["apart"] for row in rows for other in row["others"].values() if "apart" in other]
    claims += [
        measuring.claim("first and second process: digits that differ", sum(not r["same"] for r in rows), 0, "", True),
        measuring.claim("peaks beside other programs, apart by", max(apart, default=None), NEAR, "", True),
    ]
    many = None if quick else twenty()
    if many is not None:
        beyond = many["cold"] - many["compiling"] - many["warm"]
        text = "twenty portals in one process on an empty cache, beyond one compilation and twenty warm runs"
        claims.append(measuring.claim(text, beyond, WASTED, " s", at_most=True))
    return {"repeats": repeats, "rows": rows, "twenty": many, "claims": claims}


def show(found: dict[str, Any]) -> None:
    """The table."""
    print(f"Seconds of a fresh process, wall (CPU), minimum of {found['repeats']}\n")
    print(f"  {'':38}{'empty cache':>15}{'after warm':>15}")
    for row in found["rows"]:
        cells = "".join(f"{row[of]['wall']:8.2f} ({row[of]['cpu']:4.2f})" for of in ("first", "later"))
        print(f"  {row['name']:38}{cells}")
        for name, other in row["others"].items():
            if "missing" in other:
                print(f"    {name:36}not measured: {other['missing']:.60}")
            else:
                apart = f"peak apart by {100 * other['apart']:.2g} %"
                print(f"    {name:36}{other['wall']:8.2f} ({other['cpu']:4.2f}){'':18}{apart}")
    if (many := found["twenty"]) is not None:
        print(
            f"\n  twenty portals in one process: {many['cold']:.2f} s with {many['compiling']:.2f} s of compiling; ",
            end="",
        )
        print(f"warm {many['warm']:.2f} s")


if __name__ == "__main__":
    result = measure()
    show(result)
    print()
    measuring.show_claims(result["claims"])
