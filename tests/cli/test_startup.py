"""A fresh process loads only what its command needs; benchmarks/startup.py measures what that costs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hamex.cli
from hamex.cli import _commands

PROBLEMS = Path(__file__).parents[2] / "examples" / "problems"
STARTERS = Path(hamex.cli.__file__).with_name("starters")
HEAVY = {"numba", "xarray", "sympy", "matplotlib", "scipy", "pandas", "h5netcdf", "h5py", "plotly", "polars", "ssl"}
CODE = """
import atexit, os, sys
sys.modules.update(dict.fromkeys(os.environ.get("ABSENT", "").split()))  # None: importing them fails
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
from hamex.cli import main
main(sys.argv[1:])
"""


def loaded(*arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-c", CODE, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=True,
    )
    return done.stdout, set(done.stderr.splitlines()[-1].split())


# Every problem as it is, and every option once; all pairs in make test-all.
RUNS = [
    (name, options)
    if not options or (name, *options) in (("samples", "--json"), ("newmark", "--error"))
    else pytest.param(name, options, marks=pytest.mark.heavy)
    for name in ("el_centro_viscoplastic", "samples", "newmark", "record_from_file")
    for options in ([], ["--json"], ["--error"])
]


@pytest.mark.parametrize(("name", "options"), RUNS)
@pytest.mark.chief("samples-options3", "el_centro_viscoplastic-options0")
def test_a_small_run_loads_no_heavy_package(name, options):
    out, modules = loaded("run", PROBLEMS / f"{name}.toml", *options)
    assert "finished" in out
    assert {"hamex", "numpy", "pydantic"} <= modules
    assert modules & HEAVY == set()


# What a run of an oscillator, and of a shear frame of sliders and a backbone, has no use for.
COMMANDS = {f"hamex.cli.{name}" for name in ("ida", "init", "lab", "paper", "records", "region", "spectrum")}
BUILDERS = {f"hamex.model.{name}" for name in ("frame", "truss", "rod", "joints", "solids.material", "solids.solid")}
OTHER_LAWS = {f"hamex.model.laws.{name}" for name in ("gap", "bilinear", "imk", "bouc_wen", "combined", "fatigue")}
OTHER_SCHEMES = {f"hamex.schemes.{name}" for name in ("implicit", "explicit", "leapfrog", "stage_system")}
OTHER_RUNS = {"hamex.solve.settling", "hamex.solve.static", "hamex.march.stages"}
OTHER_RESULTS = {f"hamex.solution.{name}" for name in ("batch", "error", "fields", "files", "keeping")}
UNUSED = COMMANDS | BUILDERS | OTHER_LAWS | OTHER_SCHEMES | OTHER_RUNS | OTHER_RESULTS | {"hamex.spec.solids"}
STRUCTURES = {"hamex.schemes.onestage", "hamex.schemes.shear_frame", "hamex.march.structure", "hamex.spec.structures"}


@pytest.mark.parametrize(("kind", "uses"), [("oscillator", set()), ("shear-frame", STRUCTURES)])
def test_a_run_loads_the_parts_of_the_package_that_it_uses(kind, uses, tmp_path):
    text = (STARTERS / f"{kind}.toml").read_text(encoding="utf-8")
    short, changes = re.subn(r"^(duration|tail) = \S+", "duration = 2.0", text, flags=re.MULTILINE)
    assert changes == 1
    file = tmp_path / f"{kind}.toml"
    file.write_text(short, encoding="utf-8")
    _, modules = loaded("run", file)
    assert modules & (UNUSED | STRUCTURES) == uses


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["run", "--help"], ["init", "--help"]])
@pytest.mark.chief("arguments0", "arguments2")
def test_help_loads_no_arrays(arguments):
    out, modules = loaded(*arguments)
    assert "hamex" in out
    assert modules & (HEAVY | {"numpy", "rich"}) == set()


def test_options_are_read_of_the_command_that_is_called():
    assert set(_commands("run").commands) == {"run"}
    assert {"run", "records"} < set(_commands("records").commands) == set(_commands("rum").commands)


def test_init_loads_no_arrays(tmp_path):
    out, modules = loaded("init", tmp_path / "a.toml")
    assert out.startswith("wrote")
    assert modules & (HEAVY | {"numpy"}) == set()


def test_the_installed_command_is_this_main(tmp_path):
    command = Path(sys.executable).with_name("hamex")
    done = subprocess.run([command, "run", "none.toml"], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot read none.toml")


# A frame, an element of two stages, a spectrum, a batch.
RUNS_OF_ALL_KINDS = """
import hamex as hx

motion = hx.el_centro()
hinged = {"modulus": 2e8, "area": 0.01, "inertia": 1e-4, "hinges": hx.Slider(60.0, kinematic=500.0)}
frame = hx.frame(
    {"A": (0, 0), "B": (0, 3), "C": (5, 3), "D": (5, 0)},
    [hx.Member("A", "B", **hinged), hx.Member("B", "C", **hinged), hx.Member("D", "C", **hinged)],
    {"A": "fixed", "D": "fixed"},
    {"B": 20.0, "C": 20.0},
)
storeys = hx.shear_frame([60.0] * 2, 25e3, laws=hx.Slider(60.0), units=hx.Units("m", "kN"))
solved = [
    hx.solve(hx.Problem(model, motion.on(model, g=9.81), 1.5), scheme).values("displacement").tolist()
    for model, scheme in ((frame, hx.Galerkin(0.01)), (storeys, hx.Galerkin(0.01, degree=2)))
]
many = hx.oscillators(period=[0.5], damping_ratio=0.05, yield_force=1.0)
fused = [
    hx.spectrum(motion, [0.5], g=9.81).values("displacement").ravel().tolist(),
    hx.batch(many, motion, hx.Galerkin(0.02), duration=8.0, g=9.81).values("displacement").ravel().tolist(),
]
"""


@pytest.mark.heavy
def test_without_numba_everything_runs_uncompiled():
    code = f"""
import sys, json
sys.modules["numba"] = None
{RUNS_OF_ALL_KINDS}
print(json.dumps([solved, fused, [name for name in sys.modules if name.startswith(("numba.", "numpy.f2py."))]]))
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    solved, fused, loaded = json.loads(done.stdout)
    here = {}
    exec(RUNS_OF_ALL_KINDS, here)
    assert solved == here["solved"]
    assert abs(np.array(solved[0])).max() > 0.01
    assert fused == [pytest.approx(values, rel=1e-13) for values in here["fused"]]
    assert loaded == []  # nor what SciPy looks up and does not use


# What the extras bring, and one call of every command: 0 for one that works, or the extra that it names.
EXTRAS = "matplotlib PIL plotly ziamath skfem meshio fastapi uvicorn tomli_w distributed dask obspy xlsxwriter polars"
CALLS = {
    "run": (0, "run oscillator.toml"),
    "pushover": (0, "pushover pushover.toml"),
    "modes": (0, "modes oscillator.toml"),
    "ida": ("plot,tables", "ida ida.toml"),
    "fragility": ("tables", "fragility table.csv --limit 0.02"),
    "init": (0, "init rod"),
    "paper": ("plot", "paper"),
    "derive": (0, "derive harmonic"),
    "audit": (0, "audit"),
    "schemes": (0, "schemes"),
    "law": (0, "law bilinear"),
    "spectrum": (0, "spectrum record.csv --unit g"),
    "region": ("plot,tables", "region town.csv record.csv --unit g -o out"),
    "studio": ("studio", "studio"),
    "records": (0, "records list record.csv --unit g"),
    "warm": (0, "warm"),
}


@pytest.mark.heavy
@pytest.mark.parametrize("name", sorted(_commands().commands))
def test_without_extras_a_command_works_or_names_what_it_lacks(name, tmp_path):
    lacks, words = CALLS[name]
    for kind in ("oscillator", "pushover", "ida"):
        subprocess.run([sys.executable, "-m", "hamex", "init", kind], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "town.csv").write_text("longitude,latitude,storeys,type\n-122.3,37.8,2,W1\n")
    (tmp_path / "table.csv").write_text("record,scale,Sa [g],status,motions,drift_ratio\n")
    times = np.arange(0.0, 2.0, 0.01)
    np.savetxt(tmp_path / "record.csv", np.stack([times, 0.2 * np.sin(5 * times)], axis=1), delimiter=",")
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words.split()],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"ABSENT": EXTRAS},
        check=False,
    )
    assert done.returncode == (2 if lacks else 0), done.stderr
    assert not lacks or f"pip install 'hamex[{lacks}" in done.stderr
    assert "Traceback" not in done.stderr
