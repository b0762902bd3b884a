"""Valid inputs of every door, damaged: what comes out is a result of finite numbers or a named error, no traceback.

``python tests/shared/mutated_inputs.py --count 2000 --seed 1`` tries so many and lists what went wrong; ``--only 17``
tries one of them and shows where. Trial ``i`` of a seed is the same in every run.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import io
import json
import math
import os
import random
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import record_samples

import hamex as hx
from hamex.errors import HamexError

PATIENCE = 600  # seconds; longer is a hang, on the slowest and busiest machine
EXTREMES = ["1e308", "-1e308", "1e-308", "5e-324", "-5e-324", "0", "-0.0", "-1", "1e18", "1e300", "9" * 400, "2e9"]
EXTREMES += ["nan", "inf", "-inf", "null", "true", '"text"', "[]", "{}", "1_000", "0x10", "1e", "1,5", ""]
STRANGE = [float(x) for x in EXTREMES[:10]] + [math.nan, math.inf, -math.inf, 10**400, 2**63, -(10**30), 3, 0.5]
STRANGE += [None, True, False, "", "text", "\ud800", "nan", [], {}, [1.0], [math.nan], [[1.0]], (), {"a": 1}, b"x"]
STRANGE += [np.zeros(0), np.float64("nan"), np.array([1.0, math.inf]), np.int64(-1), object(), [None], 1j, "1e400"]
NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
WORD = re.compile(rb"[A-Za-z_]{3,}")
ODD = [b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xe9", b"\r", b"\x1a", b"\n\n", b",", b"[", b'"', b"=", b"\xed\xa0\x80"]


class Gentle(random.Random):
    """Chooses inputs as trials do, and damages none of them."""


class HangError(BaseException):
    """A trial took longer than anybody waits."""


# Damage ----------------------------------------------------------------------------------------------------


def damaged(data: bytes, rng: random.Random) -> bytes:
    """A file with one to three things wrong."""
    if isinstance(rng, Gentle):
        return data
    for _ in range(rng.choice((1, 1, 2, 3))):
        data = rng.choice(DAMAGES)(data, rng)
    return data


def flip(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data) or 1)
    return data[:place] + bytes([data[place] ^ (1 << rng.randrange(8))]) + data[place + 1 :] if data else data


def truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def delete(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + data[place + rng.choice((1, 3, 30)) :]


def repeat(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    place = rng.randrange(len(lines))
    return b"".join([*lines[:place], *[lines[place]] * rng.choice((2, 2, 40)), *lines[place + 1 :]])


def drop(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def swap(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return b"".join(lines)


def insert(data: bytes, rng: random.Random) -> bytes:
    place = rng.choice((0, len(data), rng.randrange(len(data) + 1)))
    return data[:place] + rng.choice(ODD) * rng.choice((1, 1, 300)) + data[place:]


def replace(data: bytes, rng: random.Random, pattern: re.Pattern[bytes] = NUMBER) -> bytes:
    """A number by an extreme, or by another kind of thing."""
    found = list(pattern.finditer(data))
    if not found:
        return data
    chosen = rng.choice(found)
    word = rng.choice(EXTREMES).encode() if pattern is NUMBER else chosen[0] + rng.choice((b"x", b"_", b"."))
    return data[: chosen.start()] + word + data[chosen.end() :]


def rename(data: bytes, rng: random.Random) -> bytes:
    return replace(data, rng, WORD)


DAMAGES = [flip, truncate, delete, repeat, drop, swap, insert, rename, replace, replace, replace, replace]


def strange_tree(tree: Any, rng: random.Random) -> Any:
    """JSON with one thing wrong somewhere in it."""
    tree = copy.deepcopy(tree)
    if isinstance(rng, Gentle):
        return tree
    way: list[tuple[Any, Any]] = []
    here = tree
    while isinstance(here, dict | list) and here and (not way or rng.random() < 0.8):
        key = rng.choice(list(here)) if isinstance(here, dict) else rng.randrange(len(here))
        way.append((here, key))
        here = here[key]
    if not way:
        return rng.choice([None, [], 3, "text"])
    place, key = way[-1]
    how = rng.randrange(6)
    if how == 0 and isinstance(place, dict):
        del place[key]
    elif how == 1 and isinstance(place, dict):
        place[f"{key}x"] = place.pop(key)
    elif how == 2:
        place[key] = [place[key]] * rng.choice((1, 2, 300))
    elif how == 3:
        nested: Any = 1
        for _ in range(rng.choice((3, 300, 900))):
            nested = {"a": nested} if rng.random() < 0.5 else [nested]
        place[key] = nested
    else:
        values = [value for value in STRANGE if isinstance(value, float | int | str | bool | list | dict | None)]
        place[key] = rng.choice(values)
    return tree


def strange_arguments(given: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """One or two arguments that nobody should give."""
    given = dict(given)
    if isinstance(rng, Gentle):
        return given
    for name in rng.sample(sorted(given), min(len(given), rng.choice((1, 1, 2)))):
        value = given[name]
        if isinstance(value, list | dict) and value and rng.random() < 0.6:
            value = value.copy()
            value[rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))] = rng.choice(
                STRANGE
            )
            given[name] = value
        else:
            given[name] = rng.choice(STRANGE)
    return given


# What is damaged -------------------------------------------------------------------------------------------


def _shorter(found: re.Match[str]) -> str:
    """A run of 0.4 s at most: waves in bars have steps of microseconds, and are over sooner."""
    return f"duration = {0.4 if found[1] == 'tail' else min(float(found[2]), 0.4)}"


@cache
def problem_files() -> dict[str, bytes]:
    starters = Path(hx.__file__).parent / "cli" / "starters"
    found = {}
    for path in sorted(starters.glob("*.toml")):
        text = re.sub(r"(?m)^(tail|duration) = ([\d.e-]+).*$", _shorter, path.read_text(encoding="utf-8"))
        if path.stem not in ("ida", "plate"):  # a study, and slow loading alone
            found[path.stem] = text.encode()
    found["loads"] = b"""duration = 0.4
units = {length = "m", force = "kN"}
model = {kind = "oscillator", mass = 1.0, period = 0.5, damping_ratio = 0.05, yield_force = 2.0}
start = {displacement = 0.01}
scheme = {kind = "newmark", step = 0.02}
[[load]]
kind = "samples"
forces = [0.0, 1.0, 2.0, 1.0]
step = 0.1
[[load]]
kind = "sine"
amplitude = 1.0
omega = 6.0
[[motion]]
file = "record.csv"
unit = "g"
scale = 0.5
"""
    return found


STUDY = b"""units = {length = "m", force = "kN"}
seed = 3
duration = 8.0
measures = ["displacement"]
[model]
kind = "oscillator"
mass = 100.0
period = 0.5
damping_ratio = 0.05
yield_force = 150.0
[records]
synthetic = {count = 5, seed = 1, magnitude = 5.0, distance = 20.0}
[intensity]
kind = "sa"
period = 0.5
[stripes]
levels = [0.2, 0.3, 0.4, 0.6]
[limit]
measure = "ductility"
value = 2.0
[fragility]
resamples = 20
[scheme]
kind = "galerkin"
step = 0.01
"""
RECORDS = {
    "a.AT2": record_samples.at2(),
    "b.AT2": record_samples.at2(style="old"),
    "c.v2c": record_samples.cosmos(record_samples.cosmos_channel()),
    "d.v2": record_samples.csmip_v2(),
    "e.v1": record_samples.csmip_v1(),
    "f.asc": record_samples.esm(),
    "g.NS": record_samples.knet(),
    "h.json": record_samples.simcenter(units={"acceleration": "m/s2"}),
    "i.csv": record_samples.columns(),
    "j.txt": "\n".join(map(repr, record_samples.SAMPLES)) + "\n",
}
INVENTORY = b"""id,longitude,latitude,storeys,type,design,period,height
a,-122.3,37.8,2,W1,high,0.3,3.0
b,-122.2,37.9,3,C1,moderate,,
c,-122.1,37.7,1,S1,low,0.5,3.5
"""
STATIONS = b"""id,longitude,latitude,file,unit,step,scale
s1,-122.3,37.8,record.csv,g,0.01,1.5
s2,-122.1,37.9,record.csv,g,,
"""
HAZARD = b"im,rate\n0.1,0.1\n0.3,0.02\n1.0,0.001\n"
RECORD = record_samples.columns(step=0.01)


def points() -> dict[str, Any]:
    lines = INVENTORY.decode().splitlines()
    head, *rows = [line.split(",") for line in lines]
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": [float(row[1]), float(row[2])]},
                "properties": dict(zip(head[3:], row[3:], strict=True)),
            }
            for row in rows
        ],
    }


PROBLEM = {
    "title": "a problem",
    "duration": 2.0,
    "units": {"length": "m", "force": "kN"},
    "model": {"kind": "oscillator", "mass": 100.0, "period": 0.5, "damping_ratio": 0.05, "yield_force": 150.0},
    "motion": {"record": "el_centro", "scale": 1.5},
    "scheme": {"kind": "galerkin", "step": 0.02},
}
FRAME = {
    **PROBLEM,
    "model": {
        "kind": "shear_frame",
        "masses": [10.0, 10.0],
        "stiffnesses": [9000.0, 7000.0],
        "heights": 3.0,
        "damping": {"kind": "modal", "ratio": 0.05},
        "laws": [{"yield_force": 90.0}, {"yield_force": 60.0, "kinematic": 100.0}],
    },
}
TYPED = {"lagrangian": "m*u'^2/2 - k*u^2/2", "dissipation": "c*u'^2/2", "meanings": {"m": "mass [t]"}}
RUN = {**TYPED, "parameters": {"m": 1.0, "k": 40.0, "c": 0.3}, "start": {"u": 0.1}, "duration": 1.0, "step": 0.01}
IDA = {
    "units": {"length": "m", "force": "kN"},
    "model": PROBLEM["model"],
    "records": {"synthetic": {"count": 3, "seed": 1}},
    "intensity": {"kind": "sa", "period": 0.5},
    "stripes": {"levels": [0.5, 1.0]},
    "limit": {"measure": "ductility", "value": 4.0},
    "scheme": {"kind": "galerkin", "step": 0.02},
}
SPECTRUM = {
    "units": {"length": "m", "force": "kN"},
    "motion": {"record": "el_centro"},
    "periods": {"start": 0.1, "stop": 2.0, "count": 5},
    "damping": 0.05,
}
REQUESTS = [
    ("/api/history", {"problem": PROBLEM}),
    ("/api/history", {"problem": FRAME}),
    ("/api/home/problem", {"problem": PROBLEM}),
    ("/api/home/python", {"problem": FRAME}),
    ("/api/home/csv", {"problem": PROBLEM}),
    ("/api/derive/python", RUN),
    ("/api/derive/read", TYPED),
    ("/api/derive/run", RUN),
    ("/api/paper/python", {"load": "end", "parts": 2, "viscosity": 1.0, "kinematic": 0.0}),
    ("/api/study/spectrum", SPECTRUM),
    ("/api/study/spectrum/python", SPECTRUM),
    ("/api/study/ida/file", IDA),
    ("/api/study/ida/python", IDA),
    ("/api/record", {"name": "a.csv", "content": RECORD, "unit": "g"}),
]


@cache
def calls() -> list[tuple[str, Any, dict[str, Any]]]:
    """Constructors and functions with arguments that they take."""
    motion = hx.GroundMotion(np.sin(np.arange(60.0)), 0.02, "g")
    model = hx.oscillator(mass=1.0, stiffness=225.0, damping=1.5, law=hx.Slider(yield_force=0.27, viscosity=1.5))
    frame = hx.shear_frame([1.0, 1.0], [300.0, 200.0], laws=hx.Slider(yield_force=2.0, kinematic=20.0))
    load = motion.on(model, g=9.81)
    problem = hx.Problem(model, load, duration=1.0)
    many = hx.oscillators(period=[0.5, 1.0], damping_ratio=0.05, yield_force=1.0)
    steel = {"modulus": 2e8, "area": 0.01, "inertia": 1e-4}
    nodes = {"A": [0.0, 0.0], "B": [4.0, 0.0], "C": [2.0, 3.0]}
    return [
        ("oscillator", hx.oscillator, {"mass": 1.0, "stiffness": 225.0, "damping": 1.5, "law": hx.Slider(0.27)}),
        ("Slider", hx.Slider, {"yield_force": 1.0, "viscosity": 0.1, "kinematic": 0.2, "isotropic": 0.3}),
        ("shear_frame", hx.shear_frame, {"masses": [1.0, 1.0], "stiffnesses": [9.0, 8.0], "heights": 3.0}),
        ("shear_frame, damped", hx.shear_frame, {"masses": [1.0], "stiffnesses": [9.0], "damping": hx.modal(0.05)}),
        ("oscillators", hx.oscillators, {"period": [0.5, 1.0], "damping_ratio": 0.05, "yield_force": [1.0, 2.0]}),
        (
            "shear_frames",
            hx.shear_frames,
            {"masses": [[1.0, 1.0]], "stiffnesses": [[9.0, 8.0]], "yield_forces": 2.0, "heights": 3.0},
        ),
        (
            "truss",
            hx.truss,
            {
                "nodes": nodes,
                "bars": [("A", "B"), ("B", "C"), ("C", "A")],
                "supports": {"A": "pinned", "B": "y"},
                "masses": {"B": 1.0, "C": 2.0},
                "rigidity": 100.0,
            },
        ),
        (
            "frame",
            hx.frame,
            {
                "nodes": nodes,
                "members": [hx.Member("A", "C", **steel), hx.Member("C", "B", **steel)],
                "supports": {"A": "fixed", "B": "pinned"},
                "masses": {"C": [1.0, 1.0, 0.1]},
                "damping": hx.rayleigh(0.02),
            },
        ),
        ("Member", hx.Member, {"start": "A", "end": "C", **steel, "compression": 1.0}),
        ("modal", hx.modal, {"ratio": 0.05}),
        ("rayleigh", hx.rayleigh, {"ratio": 0.05, "modes": (1, 2)}),
        ("ratio", hx.ratio, {"value": 0.05}),
        ("Galerkin", hx.Galerkin, {"step": 0.02, "degree": 1, "load": "average", "tolerance": 1e-9}),
        ("DiscontinuousGalerkin", hx.DiscontinuousGalerkin, {"step": 0.02, "degree": 1}),
        ("Newmark", hx.Newmark, {"step": 0.02, "beta": 0.25, "gamma": 0.5, "tolerance": 1e-9, "max_iterations": 10}),
        ("GeneralisedAlpha", hx.schemes.GeneralisedAlpha, {"step": 0.02, "rho": 0.8}),
        ("GroundMotion", hx.GroundMotion, {"acceleration": [0.0, 1.0], "step": 0.02, "unit": "g", "kind": "recorded"}),
        ("scaled", motion.scaled, {"factor": 2.0}),
        ("padded", motion.padded, {"before": 1.0, "after": 2.0}),
        ("resampled", motion.resampled, {"step": 0.01, "band_limited": False}),
        ("filtered", motion.filtered, {"low": 0.5, "high": 10.0, "order": 4}),
        ("trimmed", motion.trimmed, {"share": (0.05, 0.95)}),
        ("converted", motion.converted, {"unit": "m/s2"}),
        ("on", motion.on, {"model": model, "g": 9.81, "direction": None}),
        ("synthetic_suite", hx.synthetic_suite, {"count": 1, "seed": 1, "magnitude": 5.0, "distance": 20.0}),
        ("Load", hx.Load, {"forces": [0.0, 1.0, 2.0], "step": 0.1}),
        ("sine", hx.sine, {"amplitude": 1.0, "omega": 6.0, "duration": 2.0}),
        ("State", hx.State, {"displacement": 0.1, "momentum": 0.0, "slip": 0.0}),
        ("Problem", hx.Problem, {"model": model, "load": load, "duration": 1.0, "prior_impulse": 0.0}),
        ("Limit", hx.Limit, {"drift_ratio": 0.1, "drift": None, "stop": False}),
        ("Keep", hx.Keep, {"every": 2, "results": ("displacement",)}),
        ("solve", hx.solve, {"problem": problem, "scheme": hx.Galerkin(0.02), "keep": 2, "promise": "reported"}),
        ("solve, bars", hx.solve, {"problem": problem, "scheme": hx.Galerkin(0.02), "error": True, "limit": None}),
        (
            "batch",
            hx.batch,
            {
                "models": many,
                "loads": motion,
                "scheme": hx.Galerkin(0.02),
                "measures": ("displacement",),
                "scales": [1.0, 2.0],
                "g": 9.81,
                "duration": 1.0,
                "histories": ("displacement",),
                "threads": 1,
                "block": 8,
            },
        ),
        ("spectrum", hx.spectrum, {"motion": motion, "periods": [0.2, 1.0], "damping": [0.05], "g": 9.81}),
        (
            "spectrum, yielding",
            hx.spectrum,
            {"motion": motion, "periods": [0.5], "ductility": [2.0], "g": 9.81, "hardening": 0.0, "viscosity": 0.0},
        ),
        ("intensities", hx.intensities, {"motion": motion, "g": 9.81}),
        ("pushover", hx.pushover, {"model": frame, "pattern": "floor 2", "displacement": 0.1, "steps": 10}),
        ("cyclic", hx.cyclic, {"model": frame, "pattern": [0.0, 1.0], "amplitudes": [0.02, 0.04], "points": 8}),
        ("gravity", hx.gravity, {"model": frame, "forces": [0.1, 0.2], "steps": 4}),
        (
            "Study",
            hx.Study,
            {
                "template": model,
                "axes": {"record": [motion], "scale": [1.0, 2.0], "viscosity": [0.5]},
                "measures": ("ductility",),
                "scheme": hx.Galerkin(0.02),
                "g": 9.81,
                "duration": 1.0,
                "seed": 1,
            },
        ),
        ("MotionSequence", hx.MotionSequence, {"motions": (motion, motion), "gap": 1.0}),
        ("Hunt", hx.Hunt, {"first": 0.1, "step": 0.2, "growth": 0.05, "runs": 10}),
        ("Sa", hx.Sa, {"period": 0.5, "damping": 0.05}),
        ("asce7", hx.targets.asce7, {"sds": 1.0, "sd1": 0.6, "tl": 8.0}),
        ("eurocode8", hx.targets.eurocode8, {"ag": 0.3, "ground": "B"}),
        ("points", hx.targets.Target.from_points, {"periods": [0.1, 1.0], "accelerations": [1.0, 0.1]}),
        (
            "scale_to_target",
            hx.scale_to_target,
            {"motions": [motion], "target": hx.targets.asce7(1.0, 0.6), "periods": [0.2, 0.5], "at": 0.3},
        ),
        (
            "select_to_target",
            hx.select_to_target,
            {
                "motions": [motion, motion.scaled(2.0)],
                "target": hx.targets.asce7(1.0, 0.6),
                "count": 1,
                "periods": [0.2, 0.5],
                "limits": (0.5, 2.0),
            },
        ),
        (
            "floor_spectrum",
            hx.solve(hx.Problem(frame, motion.on(frame, g=9.81), 0.4), hx.Galerkin(0.02)).floor_spectrum,
            {"levels": ["floor 1"], "periods": [0.2, 0.5], "damping": [0.05]},
        ),
        ("standing", hx.Problem, {"model": frame, "load": load, "duration": 1.0, "standing": [0.1, 0.2]}),
        ("generate_inventory", hx.regions.generate_inventory, {"count": 3, "seed": 1, "extent": 10.0}),
        ("Units", hx.Units, {"length": "m", "force": "kN"}),
    ]


OPTIONS = [
    ["run", "problem.toml", "--json"],
    ["modes", "problem.toml", "--count", "3", "--json"],
    ["spectrum", "record.csv", "--periods", "0.1:2:5", "--damping", "0.05,0.1", "--g", "9.81", "--json"],
    ["spectrum", "record.csv", "--periods", "0.5,1", "--ductility", "2,4", "--hardening", "0.01", "--json"],
    ["records", "show", "record.csv", "--step", "0.01", "--format", "columns", "--column", "2", "--json"],
    ["records", "convert", "record.csv", "out.csv", "--to-unit", "m/s2"],
    ["records", "list", "record.csv", "--unit", "g", "--component", "1", "--json"],
    ["fragility", "table.csv", "--limit", "2", "--measure", "ductility", "--modelling", "0.2", "--json"],
    ["fragility", "table.csv", "--limit", "2", "--measure", "ductility", "--hazard", "hazard.csv", "--json"],
    ["region", "inventory.csv", "record.csv", "--step", "0.01", "--sample", "2", "--dry-run"],
    ["ida", "study.toml", "--dry-run", "--workers", "1", "--json"],
    ["init", "oscillator", "new.toml"],
    ["derive", "pendulum"],
]


@cache
def runs() -> dict[str, bytes]:
    """What ``hamex ida`` writes of a study: its table and its JSON."""
    from hamex.cli.ida import _runs

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "study.toml")
        path.write_bytes(STUDY)
        file = hx.read_study(path)
        found = _runs(file, hx.ida(file.study, file.demand, file.limit, intensity=file.intensity, workers=1))
        return {
            "table.csv": found.save_table(Path(folder, "table.csv")).read_bytes(),
            "result.json": json.dumps(found.to_dict()).encode(),
        }


# Doors -----------------------------------------------------------------------------------------------------


def files(folder: Path) -> None:
    """Good files beside the damaged one."""
    found = {"record.csv": RECORD.encode(), "inventory.csv": INVENTORY, "stations.csv": STATIONS, "study.toml": STUDY}
    found |= {"problem.toml": problem_files()["oscillator"], "hazard.csv": HAZARD, "table.csv": runs()["table.csv"]}
    for name, data in found.items():
        (folder / name).write_bytes(data)


def command(words: list[str]) -> str:
    """What a command prints; its refusal as a HamexError, and anything else as itself."""
    from hamex.cli import main

    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(words)
        except SystemExit as end:
            code = end.code or 0
    said = err.getvalue()
    assert "Traceback" not in said, said
    assert code in (0, 2), f"exit code {code}: {said}"
    if code == 2:
        assert said.strip() or out.getvalue().strip(), "exit code 2 without a word"
        raise HamexError(said or out.getvalue())
    return out.getvalue()


def problems(rng: random.Random, folder: Path) -> Any:
    name = rng.choice(sorted(problem_files()))
    (folder / "case.toml").write_bytes(damaged(problem_files()[name], rng))
    if rng.random() < 0.3:
        return command([rng.choice(("run", "modes")), "case.toml", "--json"])
    file = hx.read_problem("case.toml")
    return hx.solve(file.problem, file.scheme, limit=file.limit)


def studies(rng: random.Random, folder: Path) -> Any:
    (folder / "case.toml").write_bytes(damaged(STUDY, rng))
    if rng.random() < 0.3:
        return command(["ida", "case.toml", "--dry-run", "--json"])
    file = hx.read_study("case.toml")
    found = hx.ida(file.study, file.demand, file.limit, intensity=file.intensity, hunting=file.hunting, workers=1)
    return [found.curves[0].im]


def records(rng: random.Random, folder: Path) -> Any:
    name = rng.choice(sorted(RECORDS))
    (folder / name).write_bytes(damaged(RECORDS[name].encode(), rng))
    told = {"unit": "g", "step": 0.005} if name.endswith(".txt") else {}
    if rng.random() < 0.2:
        return command(["records", "list", name, "--json", *(f"--{key}={value}" for key, value in told.items())])
    motion = hx.read_record(name, component=1, **told)
    return [motion.acceleration, motion.step]


def columns(rng: random.Random, folder: Path) -> Any:
    (folder / "case.csv").write_bytes(damaged(RECORD.encode(), rng))
    if rng.random() < 0.5:
        return hx.read_record("case.csv", unit="g").acceleration
    return command(["spectrum", "case.csv", "--periods", "0.5,1", "--unit", "g", "--json"])


def inventories(rng: random.Random, folder: Path) -> Any:
    if rng.random() < 0.4:
        (folder / "case.geojson").write_text(json.dumps(strange_tree(points(), rng)), encoding="utf-8")
        return hx.regions.read_inventory("case.geojson").filled().period
    if rng.random() < 0.5:
        (folder / "case.csv").write_bytes(damaged(STATIONS, rng))
        return [motion.acceleration for motion in hx.regions.read_motions("case.csv").motions]
    (folder / "case.csv").write_bytes(damaged(INVENTORY, rng))
    if rng.random() < 0.5:
        return command(["region", "case.csv", "record.csv", "--dry-run"])
    return hx.regions.read_inventory("case.csv").filled().period


def fragilities(rng: random.Random, folder: Path) -> Any:
    if rng.random() < 0.2:
        (folder / "hazard.csv").write_bytes(damaged(HAZARD, rng))
        return command(
            ["fragility", "table.csv", "--limit", "2", "--measure", "ductility", "--hazard", "hazard.csv", "--json"]
        )
    if rng.random() < 0.5:
        data = strange_tree(json.loads(runs()["result.json"]), rng)
        (folder / "case.json").write_text(json.dumps(data), encoding="utf-8")
        return command(["fragility", "case.json", "--json"])
    (folder / "case.csv").write_bytes(damaged(runs()["table.csv"], rng))
    return command(["fragility", "case.csv", "--limit", "2", "--measure", "ductility", "--json"])


@cache
def studio() -> Any:
    from fastapi.testclient import TestClient

    from hamex.studio.app import create_app

    return TestClient(create_app(), raise_server_exceptions=False)


def requests(rng: random.Random, folder: Path) -> Any:
    path, body = rng.choice(REQUESTS)
    data = json.dumps(strange_tree(body, rng)).encode()
    if rng.random() < 0.3:
        data = damaged(data, rng)
    answer = studio().post(path, content=data, headers={"content-type": "application/json"})
    assert answer.status_code < 500 or answer.status_code == 503, f"{path}: {answer.status_code} {answer.text[:300]}"
    if answer.status_code >= 400:
        raise HamexError(answer.json()["message"])
    if "application/json" in answer.headers.get("content-type", "") and path != "/api/derive/run":
        return answer.text
    return None


def constructors(rng: random.Random, folder: Path) -> Any:
    name, call, given = rng.choice(calls())
    found = call(**strange_arguments(given, rng))
    if name != "Study":
        return found
    table = found.run(workers=1).columns
    return {key: column[table["status"] == "finished"] for key, column in table.items()}


ODD_WORDS = [".", "/dev/zero", "/", "-", "--nothing", "a\0b", "\udcff", "no/such/file.csv"]


def options(rng: random.Random, folder: Path) -> Any:
    words = list(rng.choice(OPTIONS))
    for _ in range(0 if isinstance(rng, Gentle) else rng.choice((1, 1, 2))):
        place = rng.randrange(1, len(words))
        # The value of an option goes in one word with its name: a minus does not make it another option then.
        if words[place - 1].startswith("--") and not words[place].startswith("--"):
            value = words[place].encode()
            value = replace(value, rng) if NUMBER.search(value) else rng.choice(EXTREMES).encode()
            words[place - 1 : place + 1] = [f"{words[place - 1]}={value.decode()}"]
        else:
            words[place] = rng.choice([*EXTREMES, *ODD_WORDS])
    return command(words)


DOORS = [problems, studies, records, columns, inventories, fragilities, requests, constructors, constructors, options]


# Judging ---------------------------------------------------------------------------------------------------


def unsound(found: Any) -> str:
    """What is not finite in a result; nothing where all is well."""
    if isinstance(found, hx.Solution):
        rows = {name: found.values(name) for name in ("displacement", "momentum", "slip", "force")}
        return unsound({**rows, "residual": found.residual})
    if isinstance(found, dict):
        return next((f"{name}: {said}" for name, value in found.items() if (said := unsound(value))), "")
    if isinstance(found, list | tuple):
        return next((said for value in found if (said := unsound(value))), "")
    if isinstance(found, hx.GroundMotion):
        return unsound(found.acceleration)
    if isinstance(found, str):
        return "NaN or Infinity in JSON" if re.search(r"\b(NaN|-?Infinity)\b", found) else ""
    if isinstance(found, np.ndarray) and found.dtype.kind == "f" and not np.isfinite(found).all():
        return f"{found[~np.isfinite(found)][0]} in a result"
    return ""


def _given_up(*_: object) -> None:
    raise HangError(f"longer than {PATIENCE} s")


def trial(number: int, seed: int, kind: type[random.Random] = random.Random) -> tuple[str, str, str]:
    """Door, outcome ("result", "refused" or "wrong") and what was said; with :class:`Gentle` nothing is damaged."""
    rng = kind(f"{seed}-{number}")
    door = DOORS[number % len(DOORS)]
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        files(Path(folder))
        signal.signal(signal.SIGALRM, _given_up)
        signal.alarm(PATIENCE)
        try:
            said = unsound(door(rng, Path(folder)))
            return door.__name__, "wrong" if said else "result", said
        except HamexError as problem:
            said = str(problem)
            return door.__name__, "refused" if said.strip() else "wrong", said or "an error without a word"
        except (Exception, HangError) as problem:
            where = [frame for frame in traceback.extract_tb(problem.__traceback__) if "mutated_inputs" not in frame[0]]
            place = f" at {'/'.join(where[-1][0].split('/')[-3:])}:{where[-1][1]}" if where else ""
            own = [frame for frame in where if "/hamex/" in frame[0]]
            ours = f" from {'/'.join(own[-1][0].split('/')[-3:])}:{own[-1][1]}" if own else ""
            return door.__name__, "wrong", f"{type(problem).__name__}: {problem!s:.200}{place}{ours}"
        finally:
            signal.alarm(0)
            os.chdir(before)


def main(count: int = 2000, seed: int = 1) -> list[str]:
    """Try so many; one line a door, one line for each that went wrong, and their number in the last."""
    counts: Counter[tuple[str, str]] = Counter()
    wrong = []
    begun = time.monotonic()
    for number in range(count):
        door, outcome, said = trial(number, seed)
        counts[door, outcome] += 1
        if outcome == "wrong":
            wrong.append(f"trial {number} of seed {seed}, {door}: {said}")
    doors = dict.fromkeys(door.__name__ for door in DOORS)
    lines = [f"{door}: {counts[door, 'result']} results, {counts[door, 'refused']} refused" for door in doors]
    return [*lines, *wrong, f"{count} mutated inputs in {time.monotonic() - begun:.0f} s: {len(wrong)} wrong"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    given = parser.parse_args()
    if given.only is not None:
        print(*trial(given.only, given.seed), sep="\n")
        sys.exit()
    lines = main(given.count, given.seed)
    print(*lines, sep="\n")
    sys.exit(0 if lines[-1].endswith(" 0 wrong") else 1)
