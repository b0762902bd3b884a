"""Faults, many times over (`make torture`): damaged parts and results, kills, full disks, mutated inputs, springs that
soften and break.

Every trial ends in the right numbers or in a named refusal. What is counted as bad: numbers that differ, a traceback or
another program's exception, a process that is left, something kept that is lost. The last line says how many.
"""

import argparse
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from faults import DAMAGES, damaged, expected, hamex, killed_study, little_room, square_parts, squares

import hamex as hx
from hamex.errors import DamageWarning, HamexError
from hamex.study.engine import run_parts
from hamex.study.ida.runs import read_runs

PROBLEM = Path(hx.__file__).parent / "cli" / "starters" / "shear-frame.toml"
STUDY = """
title = "A small study"
units = {length = "m", force = "kN"}
model = {kind = "oscillator", mass = 100.0, period = 0.5, damping_ratio = 0.05, yield_force = 150.0}
records = {synthetic = {count = 8, seed = 1, magnitude = 5.0, step = 0.02}}
intensity = {kind = "sa", period = 0.5}
stripes = {start = 0.1, stop = 2.0, count = 20}
limit = {measure = "ductility", value = 3.0}
fragility = {resamples = 20}
scheme = {kind = "galerkin", step = 0.02}
"""


def parts(count, rng, folder):
    """Damaged parts of a study: every one is seen and computed again, and the table stays as it was."""
    motions = hx.synthetic_suite(20, seed=5, magnitude=4.5, distance=5.0, step=0.02)
    model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(0.27, 1.5))
    axes = {"record": list(motions), "scale": [0.5, 1.0, 2.0]}
    study = hx.Study(model, axes, ("ductility", "residual_slip"), hx.Galerkin(0.02), g=9.80665)
    store = folder / "parts"
    right = study.run(store=store, workers=1)
    files = sorted(store.iterdir())
    whole = [file.read_bytes() for file in files]
    tried, found = 0, Counter()
    while tried < count:
        chosen = rng.permutation(len(files))[: count - tried]
        for number in chosen:
            kind = str(rng.choice([*DAMAGES, "another part"]))
            other = whole[number - 1] if kind == "another part" else damaged(whole[number], kind, rng)
            files[number].write_bytes(other)
        told = []
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            again = study.run(store=store, workers=1, tell=told.append)
        same = all(np.array_equal(again.columns[name], values) for name, values in right.columns.items())
        seen = told[-1].damaged if any(issubclass(each.category, DamageWarning) for each in said) else 0
        found["computed again, and said"] += seen
        found["bad: used in silence"] += len(chosen) - seen
        found["bad: wrong table"] += not same
        tried += len(chosen)
    return found


def results(count, rng, folder):
    """Damaged result files: refused by name."""
    small = folder / "small.toml"
    small.write_text(STUDY)
    told = hamex("ida", small, "-o", folder / "out", "--workers", "1")
    assert told.returncode == 0, told.stderr
    model = hx.shear_frame([1.0] * 3, 500.0, hx.modal(0.02), laws=[hx.Slider(1.0)] * 3)
    sol = hx.solve(hx.Problem(model, hx.el_centro().on(model, g=1.0), duration=31.18), hx.Galerkin(0.02))
    readers = {
        sol.save(folder / "run.nc"): hx.read,
        sol.save(folder / "small.nc", problem=False): hx.read,
        folder / "out" / "result.json": read_runs,
        folder / "out" / "table.parquet": lambda path: read_runs(path, "ductility", 3.0),
    }
    whole = {path: path.read_bytes() for path in readers}
    found = Counter()
    for number in range(count):
        path = list(readers)[number % len(readers)]
        path.write_bytes(damaged(whole[path], str(rng.choice(DAMAGES)), rng))
        try:
            readers[path](path)
            found[f"bad: {path.suffix} read in silence"] += 1
        except HamexError:
            found["refused by name"] += 1
        except BaseException as problem:
            found[f"bad: {path.suffix} {type(problem).__name__}"] += 1
        path.write_bytes(whole[path])
        readers[path](path)
    return found


def kills(count, rng, folder):
    """Studies killed mid-way: no worker is left, what was kept is found again, and the rest is run."""
    found = Counter()
    for number in range(count):
        place = folder / f"kill-{number}"
        place.mkdir()
        how = signal.SIGTERM if number % 4 == 3 else signal.SIGKILL
        where = "cluster='local'" if number % 10 == 9 else "workers=2"
        after = int(rng.integers(1, 30))
        left = killed_study(place, how, after, where)
        found["bad: workers left"] += len(left)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        found["bad: traceback"] += "Traceback" in (place / "said.txt").read_text()
        again = run_parts(squares, square_parts(40), store=place / "parts", workers=1)
        right = [table["square"].tolist() for table in again.tables] == expected(40)
        found["bad: wrong table"] += not right
        found["bad: parts lost"] += again.found < after
        found["killed mid-way, and gone on"] += right and again.found < 40
        shutil.rmtree(place)
    return found


# Full disks --------------------------------------------------------------------------------------------------


def disk(count, rng, folder):
    """Outputs that find no room: a sentence, the old file kept, and the same command works once there is room."""
    inside = [sys.executable, __file__, "disk-inside", "--folder", str(folder)]
    if shutil.which("unshare") and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0:
        mounted = [
            "unshare",
            "-m",
            "sh",
            "-c",
            'mount -t tmpfs -o size=64m none "$0" && exec "$@"',
            str(folder),
            *inside,
        ]
        told = subprocess.run(mounted, capture_output=True, text=True)
    else:
        print("  (no file system of our own may be mounted here: files are kept from growing instead)")
        told = subprocess.run(inside, capture_output=True, text=True)
    print(told.stdout, end="")
    return Counter({"full disks told in a sentence": told.stdout.count(": ok"), "bad": told.stdout.count(": bad")}) + (
        Counter({f"bad: {told.stderr[-2000:]}": 1}) if told.returncode else Counter()
    )


def disk_inside(folder):
    """Each command with room for a few kilobytes; ``folder`` is a file system of its own, or any."""
    mounted = os.path.ismount(folder)
    small = folder / "small.toml"
    small.write_text(STUDY)
    record, town = folder / "record.csv", folder / "town.csv"
    hamex("records", "convert", "el-centro", record)
    if not record.exists():
        motion = hx.el_centro()
        rows = "".join(f"{i * motion.step:.2f},{a!r}\n" for i, a in enumerate(motion.acceleration.tolist()))
        record.write_text("time_s,acceleration_g\n" + rows)
    hamex("region", town, "--generate", "40")
    out = folder / "out"
    places = {
        "run -o .nc": (["run", PROBLEM, "-o", out / "a.nc"], out / "a.nc"),
        "run -o .csv": (["run", PROBLEM, "-o", out / "a.csv"], out / "a.csv"),
        "run --plot .png": (["run", PROBLEM, "--plot", out / "a.png"], out / "a.png"),
        "run --plot .html": (["run", PROBLEM, "--plot", out / "a.html"], out / "a.html"),
        "spectrum -o .csv": (["spectrum", "el-centro", "-o", out / "s.csv"], out / "s.csv"),
        "spectrum -o .nc": (["spectrum", "el-centro", "-o", out / "s.nc"], out / "s.nc"),
        "ida, its parts": (["ida", small, "-o", out, "--workers", "2"], None),
        "region": (["region", town, record, "-o", out, "--sample", "0", "--workers", "1"], None),
        "region --generate": (["region", out / "t.csv", "--generate", "300", "--force"], out / "t.csv"),
        "records convert": (["records", "convert", record, out / "r.at2"], out / "r.at2"),
        "derive --html": (["derive", "harmonic", "--html", out / "d.html"], out / "d.html"),
        "paper --out": (["paper", "--out", out], None),
    }
    for name, (arguments, target) in places.items():
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        if target is not None:
            target.write_text("precious")
        with _full(folder, mounted) as more:
            told = hamex(*arguments, cwd=folder, **more)
        sentence = told.returncode == 2 and any(
            line.startswith("error: ") and ("No space left" in line or "too large" in line)
            for line in told.stderr.splitlines()
        )
        kept = target is None or target.read_text() == "precious"
        litter = [path.name for path in out.rglob(".*")]
        again = hamex(*arguments, cwd=folder)
        good = sentence and kept and not litter and "Traceback" not in told.stderr and again.returncode == 0
        print(f"  {name}: {'ok' if good else 'bad'}: {told.stderr.strip().splitlines()[-1:] or told.returncode}")
        if not good:
            print(told.stderr[-1500:], litter, again.returncode, again.stderr[-500:])
    _disk_of_kernels(folder, mounted)


def _disk_of_kernels(folder, mounted):
    """Compiled code that finds no room costs time only."""
    program = (
        "from hamex.march import run; run.WORTH_COMPILING = 0\n"
        "import hamex as hx; m = hx.oscillator(1, 225, law=hx.Slider(0.27))\n"
        "sol = hx.solve(hx.Problem(m, hx.el_centro().on(m, g=1.0), 1.0), hx.Galerkin(0.02))\n"
        "print(sol.peaks['displacement'].value)"
    )
    (folder / "kernels").mkdir()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "kernels"), "PYTHONPATH": os.pathsep.join(sys.path)}
    with _full(folder, mounted) as more:
        told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, **more)
    print(f"  kept kernels: {'ok' if told.returncode == 0 else 'bad'}: {told.stdout.strip() or told.stderr[-800:]}")


@contextmanager
def _full(folder, mounted):
    """Room for a page or less: on a file system of our own by filling it, else by a limit on the size of files."""
    if not mounted:
        yield {"preexec_fn": lambda: little_room(3000).__enter__()}
        return
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    try:
        yield {}
    finally:
        ballast.unlink()


# -------------------------------------------------------------------------------------------------------------


def inputs(count, rng, folder):
    """Mutated problem files, records and tables: a named refusal or right numbers, each within its time."""
    if importlib.util.find_spec("mutated_inputs") is None:
        print("  (there is no mutated_inputs.py)")
        return Counter()
    import mutated_inputs

    lines = list(mutated_inputs.main(count, int(rng.integers(2**31))))
    print("\n".join(f"  {line}" for line in lines))
    found = re.search(r"(\d+) wrong$", lines[-1])
    return Counter({"bad: inputs": int(found[1]) if found else count})


def springs(count, rng, folder):
    """Random structures whose springs are followed along their path, below the bound: every step is solved, and the
    energy closes."""
    from path_steps import run, summary

    rows = run(int(rng.integers(2**31)), count, tell=lambda line: print(line, flush=True))
    print("\n".join(f"  {line}" for line in summary(rows)))
    return Counter({"steps below the bound": sum(row["steps"] for row in rows)}) + Counter(
        f"bad: {row['bad']}" for row in rows if row["bad"]
    )


SECTIONS = {
    "parts": (parts, 2000),
    "results": (results, 200),
    "kills": (kills, 20),
    "disk": (disk, 1),
    "inputs": (inputs, 2000),
    "springs": (springs, 1_000_000),
}


def main():
    """Run the sections that were asked for, all by default."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    reader.add_argument("--count", type=int, help="trials of a section")
    reader.add_argument("--seed", type=int, default=16)
    reader.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = reader.parse_args()
    if asked.sections == ["disk-inside"]:
        disk_inside(asked.folder)
        return
    bad = 0
    for name in asked.sections or SECTIONS:
        section, count = SECTIONS[name]
        print(f"{name}: {section.__doc__}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = section(asked.count or count, np.random.default_rng(asked.seed), Path(folder))
            except Exception:
                traceback.print_exc(file=sys.stdout)
                found = Counter({"bad: the trial itself ended": 1})
        for words, number in sorted(found.items()):
            if number or not words.startswith("bad"):
                print(f"  {number:5d} {words}", flush=True)
        bad += sum(number for words, number in found.items() if words.startswith("bad"))
    print(f"bad: {bad}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
