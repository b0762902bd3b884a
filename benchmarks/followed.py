"""Many degrading oscillators: hamex beside the same law in C and beside OpenSees, in one run.

Ibarra, Medina and Krawinkler's peak-oriented spring with all modes of wear; records of 30 s at 0.01 s. Time is CPU of
one core per oscillator and step. The gates: C must give the peaks of hamex to 1e-9; and with its own rule hamex and
OpenSees must agree in the peak displacement, each with a tenth of the step, to a thousandth in every run. OpenSees runs
in a child process, one model each, its set-up as in ``opensees_oscillators.py``.

The gate is for springs whose unloading stiffness does not wear. Where it does, and its energy is so far used up that a
reversal would take the spring away, hamex takes it away at that node (no step could reach the reversal), OpenSees at
the reversal that comes: until then its spring still pushes with the residual. What that makes of the peaks is told.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import limits
import measuring
import numpy as np

import hamex as hx
from hamex.solve.followed import FollowedModels

GRAVITY, STEP, STEPS = 9.80665, 0.01, 3000
RECORDS, SCALES, MODELS = 44, 20, 1000  # the whole task; a part of it is run
C_BOUND, OPENSEES_BOUND = 1.3, 20.0
GATE = 1e-3  # of a peak, beside OpenSees


def springs(count: int, rule: str = "published", wear: float = 40.0) -> list[dict[str, Any]]:
    """Mass 1: periods 0.2 to 2 s and strengths evenly spread, with all modes of wear; reference energies are ``wear``
    times yield force and deformation."""
    place = (np.arange(count) + 0.5) / count
    other = (np.arange(count) * 0.6180339887498949) % 1.0
    k = (2 * np.pi / (0.2 * 10.0**place)) ** 2
    force = GRAVITY * 0.08 * 5.0**other
    bend = force / k
    return [
        {
            "stiffness": float(k[i]),
            "damping": float(2 * 0.05 * np.sqrt(k[i])),
            "law": {
                "yield_force": float(force[i]), "cap_ratio": 1.1, "plastic": float(4 * bend[i]),
                "post_cap": float(15 * bend[i]), "residual_ratio": 0.2, "reloading": "peak", "rule": rule,
                **{f"lambda_{mode}": float(wear * bend[i]) for mode in "scak"},
            },
        }
        for i in range(count)
    ]  # fmt: skip


def record(finer: int = 1) -> Any:
    """A synthetic motion [g] with a peak of 0.3 g, linear between samples."""
    times, rng = STEP * np.arange(STEPS + 1), np.random.default_rng(3)
    phases, waves = rng.uniform(0, 2 * np.pi, 60), np.linspace(0.3, 8.0, 60)
    shape = np.minimum(times / 3, 1) * np.exp(-0.12 * np.maximum(times - 8, 0))
    motion = shape * (np.sin(2 * np.pi * waves * times[:, None] + phases) / waves**0.5).sum(axis=1)
    motion = 0.3 * motion / np.abs(motion).max()
    fine = np.interp(np.arange(STEPS * finer + 1) / finer, np.arange(STEPS + 1), motion)
    return hx.GroundMotion(fine, STEP / finer, "g")


def models(given: list[dict[str, Any]]) -> list[Any]:
    """The same as models of hamex."""
    return [hx.oscillator(1.0, one["stiffness"], one["damping"], law=hx.laws.IMK(**one["law"])) for one in given]


class InC:
    """The same runs by ``c/followed.c``."""

    def __init__(self, given: list[dict[str, Any]], scales: Any) -> None:
        self.library = limits.library("followed", "-fno-finite-math-only")
        many = FollowedModels(models(given), hx.Galerkin(STEP))
        self.P = np.ascontiguousarray(many.P[:, 0])
        self.which = np.repeat(np.arange(len(many)), len(scales))
        self.numbers = np.zeros((len(self.which), 4))
        self.numbers[:, :3] = many.numbers[self.which]
        self.numbers[:, 3] = -np.tile(scales, len(many)) * many.numbers[self.which, 0]
        ground = GRAVITY * record().acceleration
        self.load = np.ascontiguousarray(0.5 * (ground[1:] + ground[:-1]))
        self.peak = np.zeros(len(self.which))

    def run(self) -> None:
        """One march of all."""
        at, whole = ctypes.c_void_p, ctypes.c_long
        arrays = (self.numbers, self.P, self.which, self.load, self.peak)
        numbers, P, which, load, peak = (at(array.ctypes.data) for array in arrays)
        count, width = whole(len(self.which)), whole(self.P.shape[1])
        self.library.followed(count, numbers, width, P, which, whole(STEPS), load, ctypes.c_double(STEP), peak)


def measure(repeats: int, quick: bool = False) -> dict[str, Any]:
    """A part of the task: some oscillators at some scales under one record."""
    measuring.compile_at_once()
    given, scales = springs(20 if quick else 100), np.linspace(0.25, 5.0, 4 if quick else SCALES)
    ours = {"models": models(given), "motion": record()}

    def batch() -> Any:
        return hx.batch(ours["models"], ours["motion"], hx.Galerkin(STEP), scales=scales, g=GRAVITY, threads=1)

    found: dict[str, Any] = {"runs": len(given) * len(scales), "not_measured": {}}
    rivals = {"hamex": lambda: measuring.cpu(batch)}
    peaks = batch().values("displacement")[:, 0].ravel()
    try:
        c = InC(given, scales)
        c.run()
        found["c_gate"] = float(np.abs(c.peak / peaks - 1).max())
        rivals["C"] = lambda: measuring.cpu(c.run)
    except limits.LimitError as reason:
        found["not_measured"]["C"] = str(reason)
    least = measuring.alternate(rivals, repeats)
    found["ns"] = {name: 1e9 * seconds / found["runs"] / STEPS for name, seconds in least.items()}
    _opensees(found, 2 if quick else 12)
    found["task_seconds"] = 1e-9 * found["ns"]["hamex"] * MODELS * RECORDS * SCALES * STEPS
    beside = found["ns"].get("OpenSees")
    ours_ns = found["ns"]["hamex"]
    found["claims"] = [
        measuring.claim("hamex over C", ours_ns / found["ns"]["C"] if "C" in found["ns"] else None, C_BOUND, "", True),
        measuring.claim("OpenSees over hamex", None if beside is None else beside / ours_ns, OPENSEES_BOUND),
        measuring.claim("peaks beside OpenSees, apart by", found.get("opensees_gate"), GATE, "", True),
    ]
    return found


def _opensees(found: dict[str, Any], count: int) -> None:
    """Time of OpenSees at the record's step, and both programs' peaks at a tenth of it: without wear of the unloading
    stiffness, and with it."""
    given, scales = springs(count, "opensees"), [0.5, 1.0]
    stays = [{**one, "law": {**one["law"], "lambda_k": 1e9}} for one in given]
    request = {"springs": given, "scales": scales, "acceleration": record().acceleration.tolist(), "step": STEP}
    fine = {**request, "acceleration": record(10).acceleration.tolist(), "step": STEP / 10}
    child = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps([request, {**fine, "springs": stays}, fine]),
        capture_output=True,
        text=True,
        check=False,
    )
    if child.returncode != 0:
        found["not_measured"]["OpenSees"] = (child.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return
    coarse, gate, worn = json.loads(child.stdout)
    found["ns"]["OpenSees"] = 1e9 * coarse["cpu"] / len(coarse["peak"]) / STEPS
    for name, some, theirs in (("opensees_gate", stays, gate), ("opensees_worn", given, worn)):
        same = hx.batch(models(some), record(10), hx.Galerkin(STEP / 10), scales=scales, g=GRAVITY, threads=1)
        error = np.abs(np.array(theirs["peak"]) / same.values("displacement")[:, 0].ravel() - 1)
        found[name] = float(error.max())
        found[f"{name}_apart"] = [int((error > GATE).sum()), len(error)]
    found["opensees_failed"] = gate["failed"] + worn["failed"]


def whole(records: int) -> float:
    """CPU seconds of the task with so many records, really run: ``python benchmarks/followed.py --whole 44``."""
    measuring.compile_at_once()
    suite = [motion.scaled(0.3 / motion.peak) for motion in hx.motions.synthetic_suite(records, seed=3, duration=30.0)]
    many, scales = models(springs(MODELS)), np.linspace(0.25, 5.0, SCALES)
    hx.batch(many[:1], suite[0], hx.Galerkin(STEP), g=GRAVITY)  # compiled
    return measuring.cpu(lambda: hx.batch(many, suite, hx.Galerkin(STEP), scales=scales, g=GRAVITY, threads=1))


def show(found: dict[str, Any]) -> None:
    """CPU per step, and what the whole task would take."""
    for name, value in found["ns"].items():
        print(f"  {name:10} {value:9.1f} ns per oscillator and step")
    print(f"  C gives the peaks of hamex to {found.get('c_gate', float('nan')):.1e}")
    print(f"  peaks of OpenSees within {100 * found.get('opensees_gate', float('nan')):.2g} %")
    if "opensees_worn" in found:
        apart, runs = found["opensees_worn_apart"]
        print(
            f"  with wear of the unloading stiffness {apart} of {runs} are apart, by up to "
            f"{100 * found['opensees_worn']:.2g} %: springs that go at a reversal go earlier here"
        )
    print(
        f"  {MODELS:,} oscillators × {RECORDS} records × {SCALES} scales: {found['task_seconds']:.0f} s of CPU, from "
        f"{found['runs']} runs"
    )
    measuring.show_not_measured(found["not_measured"])


def _child() -> None:
    """Answer on standard output; what OpenSees prints goes to standard error."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import openseespy.opensees as ops

    answers = []
    with tempfile.TemporaryDirectory() as folder:
        for case in json.load(sys.stdin):
            answer: dict[str, Any] = {"cpu": 0.0, "peak": [], "failed": 0}
            for one in case["springs"]:
                for scale in case["scales"]:
                    _one(ops, one, scale, case | {"folder": folder}, answer)
            answers.append(answer)
    with channel:
        json.dump(answers, channel)


def _one(ops: Any, one: dict[str, Any], scale: float, case: dict[str, Any], answer: dict[str, Any]) -> None:
    law, k = one["law"], one["stiffness"]
    ops.wipe()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    ops.node(0, 0.0)
    ops.node(1, 0.0)
    ops.fix(0, 1)
    ops.mass(1, 1.0)
    side = [law["plastic"], law["post_cap"], 1e6, law["yield_force"], law["cap_ratio"], law["residual_ratio"]]
    wear = [law[f"lambda_{mode}"] for mode in "scak"]
    ops.uniaxialMaterial("IMKPeakOriented", 1, k, *side, *side, *wear, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    ops.element("zeroLength", 1, 0, 1, "-mat", 1, "-dir", 1)
    ops.region(1, "-node", 1, "-rayleigh", one["damping"], 0.0, 0.0, 0.0)
    values = [-scale * GRAVITY * a for a in case["acceleration"]]
    ops.timeSeries("Path", 1, "-dt", case["step"], "-values", *values, values[-1])
    ops.pattern("Plain", 1, 1)
    ops.load(1, 1.0)
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("ProfileSPD")
    ops.test("NormDispIncr", 1e-8, 50)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    file = f"{case['folder']}/peak.txt"
    ops.recorder("EnvelopeNode", "-file", file, "-node", 1, "-dof", 1, "disp")
    start = time.process_time()
    code = ops.analyze(len(values) - 1, case["step"])
    answer["cpu"] += time.process_time() - start
    answer["failed"] += int(code != 0)
    ops.wipe()
    answer["peak"].append(float(Path(file).read_text().split()[2]))


if __name__ == "__main__":
    if "--whole" in sys.argv:
        records = int(sys.argv[sys.argv.index("--whole") + 1])
        print(f"{MODELS:,} oscillators × {records} records × {SCALES} scales: {whole(records):.1f} s of CPU")
    elif "--help" in sys.argv or sys.stdin.isatty():
        print(f"{__doc__}\n--whole RECORDS: the whole task under so many records; else ``run.py followed``.")
    else:
        _child()
