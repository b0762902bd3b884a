"""Problems at the doors: commands, problem files, record files, the studio's requests, errors, printed examples."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import math
import os
import runpy
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from problems import FREE, MANY, SCHEMES, SUITE, G, H, building, oscillator, portal, problem, run, shaken, study

import hamex as hx

EXAMPLES = Path(os.environ.get("HAMEX_EXAMPLES", Path(__file__).parents[2] / "examples"))
SAMPLES = EXAMPLES.parent / "tests" / "shared"  # writers of record files
# Facts of the machine, the clock and the version, and digests of them.
PASSING = ("seconds", "version", "hamex", "provenance", "time_of", "python", "numpy", "machine", "kernel", "run_time")
PASSING += ("cpu", "opensees", "problem", "id", "elapsed", "left", "started")


def steady(value: Any) -> Any:
    """The parts of an answer that do not change with the machine and the clock; arrays of the page as numbers."""
    if isinstance(value, dict):
        if "bdata" in value:
            return np.frombuffer(base64.b64decode(value["bdata"]), f"<{value['dtype']}")
        return {name: steady(part) for name, part in value.items() if not name.startswith(PASSING)}
    return [steady(part) for part in value] if isinstance(value, list) else value


def invoked(*words: str) -> dict[str, Any]:
    """Exit code and printed JSON of a command in the present folder; of an error its class."""
    from typer.testing import CliRunner

    from hamex.cli import app

    result = CliRunner().invoke(app, list(words), env={"COLUMNS": "100"})
    try:
        return {"code": result.exit_code, "said": steady(json.loads(result.stdout))}
    except ValueError:
        return {"code": result.exit_code, "raised": type(result.exception).__name__, "said": result.stdout[:4000]}


def command(*words: str) -> dict[str, Any]:
    """A command in the folder of problem files; @ stands for a temporary folder."""
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(EXAMPLES / "problems"):
        return invoked(*(word.replace("@", place) for word in words))


def started(kind: str, *words: str, then: tuple[str, ...] = ()) -> dict[str, Any]:
    """A command, and perhaps a second one, on the starter file of a kind."""
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        made = invoked("init", kind, "it.toml")
        assert made["code"] == 0, made
        answer = invoked(words[0], "it.toml", *words[1:])
        return answer | ({"then": invoked(*then)} if then else {})


for file in sorted((EXAMPLES / "problems").glob("*.toml")):
    problem(f"hamex run {file.stem}", command, "run", file.name, "--json")
for file in ("five_storey_frame", "portal_with_hinges", "el_centro_viscoplastic"):
    problem(f"hamex run --error {file}", command, "run", f"{file}.toml", "--json", "--error")
for kind in ("oscillator", "shear-frame", "truss", "frame", "rod", "cantilever", "plate", "site"):
    problem(f"hamex run starter {kind}", started, kind, "run", "--json")
for kind in ("shear-frame", "truss", "frame"):
    problem(f"hamex modes {kind}", started, kind, "modes", "--json")
    problem(f"hamex pushover {kind}", started, kind, "pushover", "--to", "0.1", "--json")
problem("hamex pushover starter", started, "pushover", "pushover", "--json")
problem("hamex pushover cycles", started, "pushover", "pushover", "--cycles", "0.01,0.03", "--json")
problem(
    "hamex ida", started, "ida", "ida", "-o", "out", "--workers", "1", "--json", then=("fragility", "out", "--json")
)
problem("hamex ida collapse", started, "ida", "ida", "-o", "out", "--workers", "1", "--collapse", "--json")
problem("hamex paper", command, "paper", "--json")
problem("hamex audit", command, "audit", "--json")
for name in ("viscoplastic", "elastic-2d", "pendulum", "nowhere"):
    problem(f"hamex derive {name}", command, "derive", name)
problem("hamex spectrum", command, "spectrum", "el-centro", "--json")
problem("hamex spectrum ductility", command, "spectrum", "el-centro", "--ductility", "2,4", "--json")
problem(
    "hamex spectrum pair",
    command,
    "spectrum",
    "decaying_sine.csv",
    "decaying_sine.csv",
    "--pair",
    "--unit",
    "m/s2",
    "--json",
)
for law in ("imk", "hysteretic", "bouc_wen", "slider", "pinching4"):
    problem(f"hamex law {law}", command, "law", law, "--json")
problem("hamex schemes", command, "schemes", "--json", "-")
problem(
    "hamex region",
    command,
    "region",
    "@/town.csv",
    "el-centro",
    "--generate",
    "12",
    "-o",
    "@/out",
    "--sample",
    "4",
    "--json",
)
problem(
    "hamex region degrading",
    command,
    "region",
    "@/town.csv",
    "el-centro",
    "--generate",
    "6",
    "--degrading",
    "-o",
    "@/out",
    "--sample",
    "0",
    "--json",
)
for verb in ("list", "show"):
    problem(f"hamex records {verb}", command, "records", verb, "decaying_sine.csv", "--unit", "m/s2", "--json")
problem("hamex run nowhere", command, "run", "nowhere.toml", "--json")
problem("hamex run wrong option", command, "run", "hardening.toml", "--beauty")


# Record files ----------------------------------------------------------------------------------------------------


def read_back(write: Callable[[Any], str], name: str, **more: Any) -> dict[str, Any]:
    """Records read from a file of one format."""
    sys.path.insert(0, str(SAMPLES))
    import record_samples

    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / name
        file.write_text(write(record_samples), encoding="utf-8")
        suite = hx.read_suite([file], **more)
        found = list(suite) or [hx.read_record(file, **more)]
        return {str(i): {"a": one.acceleration, "step": one.step, "unit": one.unit} for i, one in enumerate(found)}


RECORDS: dict[str, tuple[Callable[[Any], str], str]] = {
    **{f"at2 {style}": (lambda m, style=style: m.at2(style=style), "one.AT2") for style in ("oldest", "old", "new")},
    "csmip v1": (lambda m: m.csmip_v1(), "one.v1"),
    "csmip v2": (lambda m: m.csmip_v2(), "one.v2"),
    "cosmos": (lambda m: m.cosmos(m.cosmos_channel()), "one.v2c"),
    "esm": (lambda m: m.esm(), "one.ASC"),
    "knet": (lambda m: m.knet(), "one.EW"),
    "simcenter": (lambda m: m.simcenter(factor=9.81), "one.json"),
    "columns": (lambda m: m.columns(), "one.csv"),
    "at2 damaged": (lambda m: m.at2()[:-60], "one.AT2"),
    "columns uneven": (lambda m: m.columns().replace("0.01,", "0.0117,"), "one.csv"),
}
for name, (write, file) in RECORDS.items():
    problem(f"record {name}", read_back, write, file)
problem("record csv", lambda: hx.read_record(EXAMPLES / "problems" / "decaying_sine.csv", unit="m/s2").acceleration)


# The studio ------------------------------------------------------------------------------------------------------


def request(method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the studio answers; a study until it is done."""
    from starlette.testclient import TestClient

    from hamex.studio.app import create_app

    with TestClient(create_app(), base_url="http://127.0.0.1") as client:
        ask = (lambda: client.get(path)) if method == "get" else (lambda: client.post(path, json=body))
        while (answer := ask()).status_code == 202:
            pass
        if path == "/api/study/ida" and answer.status_code == 200:
            place = f"{path}/{answer.json()['id']}"
            while (told := client.get(place).json())["state"] == "running":
                time.sleep(0.05)
            return {"code": 200, "told": steady(told), "runs": client.get(f"{place}/runs.csv").text}
    kind = answer.headers["content-type"]
    if "octet" in kind and "netcdf" not in path:
        size = int.from_bytes(answer.content[:4], "little")
        numbers = np.frombuffer(answer.content[4 + size :], "<f4")
        return {
            "code": answer.status_code,
            "told": steady(json.loads(answer.content[4 : 4 + size])),
            "numbers": numbers,
        }
    if "json" in kind:
        return {"code": answer.status_code, "told": steady(answer.json())}
    return {
        "code": answer.status_code,
        "kind": kind,
        "text": answer.text if "csv" in kind or "python" in path else None,
    }


OSCILLATOR = {
    "kind": "oscillator",
    "mass": 100.0,
    "period": 0.5,
    "damping_ratio": 0.05,
    "yield_force": 150.0,
    "viscosity": 200.0,
}
FRAME = {
    "kind": "shear_frame",
    "masses": [100.0] * 3,
    "stiffnesses": [150000.0, 140000.0, 130000.0],
    "heights": 3.0,
    "damping": {"kind": "rayleigh", "ratio": 0.05, "modes": [1, 2]},
    "laws": [{"yield_force": 900.0 - 100.0 * i, "viscosity": 200.0, "kinematic": 3000.0} for i in range(3)],
}
PENDULUM = {"fields": ["theta"], "lagrangian": "m*l^2*theta'^2/2 + m*g*l*cos(theta)", "dissipation": "c*theta'^2/2"}


def shown(model: dict[str, Any] = OSCILLATOR, **tables: Any) -> dict[str, Any]:
    units = {"length": "m", "force": "kN"}
    scheme = {"kind": "galerkin", "step": 0.01}
    given = {"title": "A test", "duration": 20.0, "units": units, "model": model, "scheme": scheme}
    return {"problem": given | (tables or {"motion": {"record": "el_centro"}})}


STUDY = {
    "units": {"length": "m", "force": "kN"},
    "model": {name: value for name, value in OSCILLATOR.items() if name != "viscosity"},
    "records": {"synthetic": {"count": 3, "seed": 1, "magnitude": 7.0, "distance": 12.0}},
    "intensity": {"kind": "sa", "period": 0.5},
    "stripes": {"start": 0.2, "stop": 2.0, "count": 5},
    "limit": {"measure": "ductility", "value": 4.0},
    "scheme": {"kind": "galerkin", "step": 0.01},
}
SPECTRUM = {
    "units": {"length": "m", "force": "kN"},
    "motion": {"record": "el_centro"},
    "damping": 0.05,
    "periods": {"start": 0.1, "stop": 3.0, "count": 12},
}
SWING = {
    **PENDULUM,
    "parameters": {"m": 1.0, "l": 1.0, "g": 9.81, "c": 0.1},
    "start": {"theta": 2.0},
    "duration": 5.0,
    "step": 0.02,
}
BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "oscillator": ("/api/history", shown()),
    "frame": ("/api/history", shown(FRAME)),
    "elastic": ("/api/history", shown({"kind": "oscillator", "mass": 3.0, "stiffness": 500.0, "damping": 2.0})),
    "path": ("/api/history", shown() | {"against": {"kind": "newmark", "step": 0.01}}),
    "let go": ("/api/history", shown(load={"kind": "none"}, start={"displacement": 0.05})),
    "sine": (
        "/api/history",
        shown(motion={"wave": {"shape": "sine", "amplitude": 0.3, "period": 0.5, "cycles": 4.0, "step": 0.01}}),
    ),
    "synthetic": (
        "/api/history",
        shown(motion={"synthetic": {"seed": 4, "magnitude": 7.0, "distance": 12.0, "vs30": 300.0}}),
    ),
    "half sine": ("/api/history", shown(load={"kind": "half_sine", "amplitude": 120.0, "duration": 0.3})),
    "negative mass": ("/api/history", shown({**OSCILLATOR, "mass": -1.0})),
    "unknown key": ("/api/history", {"problem": {"beauty": 1}}),
    "csv": ("/api/home/csv", shown()),
    "python": ("/api/home/python", shown(FRAME)),
    "problem file": ("/api/home/problem", shown(FRAME)),
    "netcdf": ("/api/home/netcdf", shown()),
    "derive": ("/api/derive", {"system": "viscoplastic"}),
    "derive read": ("/api/derive/read", PENDULUM),
    "derive run": ("/api/derive/run", SWING),
    "derive python": ("/api/derive/python", SWING),
    "derive convex": ("/api/derive/read", {"lagrangian": "u'^2", "dissipation": "-c*u'^2"}),
    "bar": ("/api/waves/bar", {}),
    "membrane": ("/api/waves/membrane", {}),
    "spectrum": ("/api/study/spectrum", SPECTRUM),
    "spectrum ductility": ("/api/study/spectrum", SPECTRUM | {"ductility": [2, 4], "hardening": 0.02}),
    "spectrum python": ("/api/study/spectrum/python", SPECTRUM),
    "ida": ("/api/study/ida", STUDY),
    "ida file": ("/api/study/ida/file", STUDY),
    "ida python": ("/api/study/ida/python", STUDY),
    "paper": ("/api/paper", {}),
    "paper load": ("/api/paper", {"load": "average"}),
    "paper python": ("/api/paper/python", {}),
}
for name, (path, body) in BODIES.items():
    problem(f"studio {name}", request, "post", path, body)
for path in ("/api/derive", "/api/paper/convergence", "/api/paper/audit"):
    problem(f"studio get {path.removeprefix('/api/')}", request, "get", path)


# Errors: by their class ------------------------------------------------------------------------------------------

ERRORS: dict[str, Callable[[], Any]] = {
    "negative mass": lambda: hx.oscillator(-1, 225),
    "negative stiffness": lambda: hx.oscillator(1, -225),
    "nan damping": lambda: hx.oscillator(1, 225, damping=math.nan),
    "lengths": lambda: hx.shear_frame([1.0, 1.0], [1.0, 2.0, 3.0]),
    "no step": lambda: hx.Galerkin(0.0),
    "degree": lambda: hx.Galerkin(0.01, degree=-1),
    "load rule": lambda: hx.Galerkin(0.01, load="middle"),
    "duration": lambda: hx.Problem(oscillator(), hx.el_centro().on(oscillator(), g=G), duration=-1),
    "broken step": lambda: hx.solve(shaken(oscillator(), duration=1.005), SCHEMES["mean"]),
    "long step": lambda: run(partial(building, "kinematic", weights=500.0), hx.Galerkin(3.0), duration=30.0),
    "law": lambda: hx.Slider(-1.0),
    "viscosity": lambda: hx.Slider(1.0, viscosity=-1.0),
    "g": lambda: hx.el_centro().on(hx.oscillator(1, 225)),
    "missing node": lambda: hx.truss({"A": (0, 0)}, [("A", "B")], {"A": "pinned"}, {"A": 1.0}, rigidity=1.0),
    "mechanism": lambda: hx.truss({"A": (0, 0), "B": (1, 0)}, [("A", "B")], {"A": "pinned"}, {"B": 1.0}, rigidity=1.0),
    "exact plastic": lambda: run(oscillator, hx.PiecewiseExact(H)),
    "measure": lambda: hx.batch(MANY["plastic"](), SUITE[:1], SCHEMES["mean"], ("beauty",), g=G),
    "periods": lambda: hx.spectrum(hx.el_centro(), [-1.0], g=G),
    "file": lambda: hx.read("nowhere.nc"),
    "record": lambda: hx.read_record("nowhere.at2"),
    "problem file": lambda: hx.read_problem("nowhere.toml"),
    "scheme name": lambda: hx.schemes.by_name("magic"),
    "state": lambda: hx.solve(shaken(building(), start=FREE), SCHEMES["mean"]),
    "standing": lambda: hx.solve(shaken(building(), standing=[1.0]), SCHEMES["mean"]),
    "keep": lambda: run(oscillator, SCHEMES["mean"], keep=("beauty",)),
    "study axis": lambda: study(axes={"record": SUITE, "beauty": [1]}).run(workers=1),
    "limit": lambda: hx.Limit(-0.1),
    "surface": lambda: hx.Surface((1.0, -1.0)),
    "hinge": lambda: portal(lambda m: "steel"),
    "pushover": lambda: hx.pushover(building(), [1.0], 0.1),
}
for name, function in ERRORS.items():
    problem(f"error {name}", function)
for file in sorted(EXAMPLES.glob("[0-9]*.py")):

    def _printed(file: Path = file) -> Any:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            runpy.run_path(str(file), run_name="__main__")
        return out.getvalue()

    problem(f"example {file.stem}", _printed)
