"""A fresh process loads only what its command needs; benchmarks/startup.py measures what that costs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROBLEMS = Path(__file__).parents[2] / "examples" / "problems"
HEAVY = {"numba", "xarray", "sympy", "matplotlib", "scipy", "pandas", "h5netcdf", "h5py", "plotly"}
CODE = """
import atexit, sys
atexit.register(lambda: print(*{name.partition(".")[0] for name in sys.modules}, file=sys.stderr))
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


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["run", "--help"], ["init", "--help"]])
@pytest.mark.chief("arguments0", "arguments2")
def test_help_loads_no_arrays(arguments):
    out, modules = loaded(*arguments)
    assert "hamex" in out
    assert modules & (HEAVY | {"numpy", "rich"}) == set()


def test_init_loads_no_arrays(tmp_path):
    out, modules = loaded("init", tmp_path / "a.toml")
    assert out.startswith("wrote")
    assert modules & (HEAVY | {"numpy"}) == set()


def test_the_installed_command_is_this_main(tmp_path):
    command = Path(sys.executable).with_name("hamex")
    done = subprocess.run([command, "run", "none.toml"], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot read none.toml")
