"""Compiled code under other versions of Numba: python tools/versions.py [oldest newest none].

The oldest and the newest that ``pyproject.toml`` allows are installed into folders of their own below ``build/numba``,
which go before what is installed here, and the tests of compiled code run under them. Where there is none, runs go on
uncompiled, after one note, with the digits of the installed version.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "numba"
TESTS = [f"tests/march/test_{name}.py" for name in ("compiled", "tables", "code_cache", "kept", "run")]
WITHOUT = [f"tests/march/test_{name}.py" for name in ("residual", "exact", "newmark")]
ABSENT = 'import sys\n\nsys.modules["numba"] = None\n'  # as Python finds what is not installed
ASK = """
import logging
import numpy as np
import hamex as hx
notes = []
logging.getLogger("hamex").setLevel(logging.INFO)
logging.getLogger("hamex").addFilter(notes.append)
motion = hx.el_centro()
frame = hx.shear_frame([60.0] * 3, 25e3, hx.modal(0.03), hx.Slider(250.0, kinematic=1500.0), heights=3.2)
for scheme in (hx.Galerkin(0.01), hx.Newmark(0.01, safeguarded=True), hx.Galerkin(0.02, degree=2)):
    print(repr(hx.solve(hx.Problem(frame, motion.on(frame, g=9.80665), 40.0), scheme).peaks["displacement"].value))
print(repr(hx.spectrum(motion, [0.5, 1.0], g=9.80665).values("displacement").tolist()))
many = hx.oscillators(period=np.array([0.5, 1.0]), damping_ratio=0.05, yield_force=1.0)
found = hx.batch(many, motion, hx.Galerkin(0.02), ("ductility",), g=9.80665)["ductility"]
print([float(f"{x:.9g}") for x in np.ravel(found)])  # batches fuse products with sums where they are compiled
print(len(notes) <= 1)
"""


def pinned(which: str) -> str:
    """What pip installs for the oldest or the newest version allowed."""
    text = next(
        line
        for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
        if re.match(r"numba\b", line)
    )
    least = re.search(r">=([\d.]+)", text)
    assert least is not None, text
    return f"numba=={least[1]}.*" if which == "oldest" else text


def folder(which: str) -> Path:
    """A folder that goes before all others, with this version or with none."""
    place = BUILD / which
    if which == "none":
        place.mkdir(parents=True, exist_ok=True)
        (place / "sitecustomize.py").write_text(ABSENT)
    else:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-warn-conflicts", "--upgrade"]
        subprocess.run([*pip, "--target", str(place), pinned(which)], check=True)
    return place


def environment(place: Path | None) -> dict[str, str]:
    """Variables under which Python finds this version first, and keeps what it compiles beside it."""
    first = [str(place)] if place else []
    places = os.pathsep.join([*first, str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    kept = BUILD / "kept" / (place.name if place else "installed")
    kept.mkdir(mode=0o700, parents=True, exist_ok=True)
    return {**os.environ, "PYTHONPATH": places, "NUMBA_CACHE_DIR": str(kept), "OPENBLAS_NUM_THREADS": "1"}


def answers(place: Path | None) -> str:
    """What a script prints under a version, or under the installed one."""
    ask = [sys.executable, "-c", ASK]
    return subprocess.run(ask, env=environment(place), check=True, stdout=subprocess.PIPE, text=True).stdout


def failed(which: str, expected: str) -> bool:
    """Whether tests fail under a version, or digits differ."""
    place = folder(which)
    version = "import importlib.util as u; print(__import__('numba').__version__ if u.find_spec('numba') else 'none')"
    print(f"Numba {which}:", end=" ", flush=True)
    subprocess.run([sys.executable, "-c", version], env=environment(place), check=True)
    found = answers(place)
    if found != expected:
        print(f"digits differ:\n{found}\nand here\n{expected}")
    pytest = [sys.executable, "-m", "pytest", "-q", "-m", "not heavy", *(WITHOUT if which == "none" else TESTS)]
    return bool(subprocess.run(pytest, cwd=ROOT, env=environment(place)).returncode) or found != expected


if __name__ == "__main__":
    here = answers(None)
    sys.exit(any([failed(which, here) for which in sys.argv[1:] or ("oldest", "newest", "none")]))
