"""Numbers and files beyond reason: a sentence and exit code 2 at every door, before work and before memory is taken.

A reader that waits for a pipe, or reads a device to its end, never comes back from these.
"""

import csv
import io
import json
import os
import re
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import mutated_inputs
import numpy as np
import pytest

import hamex as hx
from hamex import files
from hamex.checks import memory
from hamex.errors import FileError, HamexError, InputError, ProblemError, SizeError, SpecError
from hamex.principle.library import action
from hamex.study.ida.runs import read_runs

TINY = """
duration = 0.5
units = {length = "m", force = "kN"}
model = {kind = "shear_frame", masses = [1.0, 1.0], stiffnesses = [900.0, 800.0], heights = 3.0}
motion = {record = "el_centro"}
scheme = {kind = "galerkin", step = 0.02}
"""
INVENTORY = mutated_inputs.INVENTORY.decode()
# Every command that reads, {} being the file, and the ending that it wants.
DOORS = {
    "run": ("run {}", ".toml"),
    "modes": ("modes {}", ".toml"),
    "ida": ("ida {} --dry-run", ".toml"),
    "records show": ("records show {}", ".AT2"),
    "records list": ("records list {}", ".csv"),
    "records convert": ("records convert {} out.csv", ".v2"),
    "spectrum": ("spectrum {} --unit g", ".txt"),
    "fragility": ("fragility {} --limit 1", ".csv"),
    "fragility of JSON": ("fragility {} --limit 1", ".json"),
    "fragility of parquet": ("fragility {} --limit 1", ".parquet"),
    "region": ("region {} el-centro --dry-run", ".csv"),
    "region of points": ("region {} el-centro --dry-run", ".geojson"),
    "region, stations": ("region inventory.csv {} --dry-run", ".csv"),
    "region, record": ("region inventory.csv {} --dry-run", ".AT2"),
    "derive": ("derive {}", ".py"),
}


def pipe(path):
    os.mkfifo(path)


def sparse(path):
    with path.open("wb") as file:
        file.truncate(1 << 30)


NO_FILES = {
    "a pipe": (pipe, "it is a pipe, not a file"),
    "an endless device": (lambda path: path.symlink_to("/dev/zero"), "it is a device, not a file"),
    "a folder": (Path.mkdir, r"it is a folder, not a file|folder has no|no such file"),
    "a gigabyte of nothing": (sparse, "it has 1,074 MB, and .* MB are read at most"),
}


# Every door and everything that is no file in every run of the tests; all pairs in `make test-all`.
@pytest.mark.parametrize(
    ("door", "kind"),
    [
        pytest.param(door, kind, marks=[] if (i + j) % 4 == 0 else [pytest.mark.heavy])
        for i, door in enumerate(DOORS)
        for j, kind in enumerate(NO_FILES)
    ],
)
def test_what_is_no_file_is_refused_at_every_door(hamex, tmp_path, door, kind):
    words, ending = DOORS[door]
    make, said = NO_FILES[kind]
    Path("inventory.csv").write_text(INVENTORY)
    make(tmp_path / f"given{ending}")
    code, out, err = hamex(*words.format(f"given{ending}").split())
    assert code == 2
    assert "Traceback" not in out + err
    assert re.search(said, out + err)


@pytest.mark.parametrize("door", ["run", "modes", "ida"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 100_000 + "]" * 100_000, "tables or lists are nested too deep"),
        ("a = " + "{b = " * 20_000 + "1" + "}" * 20_000, "tables or lists are nested too deep"),
        (".".join("a" * 50_000) + " = 1", r"a key of more than 64 parts \(at line 1\)"),
        ("\n[" + ' . "b c" . '.join("a" * 25_000) + "]", r"a key of more than 64 parts \(at line 2\)"),
        ("a = " + "9" * 5000, "4300 digits"),
        ("\0", "not a TOML file"),
        ("", "is missing"),
    ],
    ids=["lists", "tables", "a dotted key", "a dotted table", "digits", "a zero byte", "nothing"],
)
def test_toml_beyond_use_is_refused(hamex, door, text, said):
    Path("deep.toml").write_text(text)
    code, _, err = hamex(*DOORS[door][0].format("deep.toml").split())
    assert code == 2
    assert re.search(said, err)


def test_long_lists_and_dots_in_text_are_not_taken_for_deep_keys(tmp_path):
    text = (
        "a = ["
        + ", ".join(["0.125"] * 5000)
        + "]\n"
        + 'b = "'
        + "." * 500
        + '"\n'
        + "\n".join(f"c{i}.d.e = 1" for i in range(100))
    )
    assert len(files.toml_of(text)["a"]) == 5000
    with pytest.raises(ValueError, match="more than 64 parts"):
        files.toml_of(".".join(["a"] * 65) + " = 1")
    assert files.toml_of(".".join(["a"] * 64) + " = 1")


@pytest.mark.parametrize("door", ["region of points", "fragility of JSON", "records show"])
@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '{"features": "\\ud800", "runs": 1}', '{"a": 1}'])
def test_json_that_is_deep_or_says_something_else_is_refused(hamex, door, text):
    name = "given" + (".json" if door == "records show" else DOORS[door][1])
    Path(name).write_text(text)
    code, out, err = hamex(*DOORS[door][0].format(name).split())
    assert code == 2
    assert err.startswith("error: ")
    assert "Traceback" not in out + err


# ---------------------------------------------------------------------------------------------------- numbers
LAW = hx.Slider(yield_force=0.27, viscosity=1.5)
MODEL = hx.oscillator(mass=1.0, stiffness=225.0, damping=1.5, law=LAW)
MOTION = hx.GroundMotion(np.sin(np.arange(50.0)), 0.02, "g")
LOAD = MOTION.on(MODEL, g=9.81)
FRAME = hx.shear_frame([1.0, 1.0], [300.0, 200.0])
STEPS = 1000 * int(memory() / 16_000)  # sixteen bytes each would fill the memory


def solved(step=0.02, duration=1.0, **options):
    return hx.solve(hx.Problem(MODEL, LOAD, duration=duration), hx.Galerkin(step), **options)


def batched(step=0.02, **options):
    return hx.batch(hx.oscillators(period=[0.5]), MOTION, hx.Galerkin(step), g=9.81, **options)


BEYOND = {
    "duration 1e308": (lambda: solved(duration=1e308), ProblemError, r"duration is 1e\+308; sizes from 1e-50 to"),
    "duration 1e40": (lambda: solved(duration=1e40), ProblemError, "5e.41 steps, more than can be counted"),
    "duration 10^400": (lambda: solved(duration=10**400), ProblemError, "duration must be a positive number"),
    "step 5e-324": (lambda: solved(5e-324), InputError, "step is 4.94066e-324; sizes from"),
    "step of a motion": (lambda: hx.GroundMotion([1.0], 5e-324, "g"), InputError, "step is 4.94066e-324"),
    "step of a load": (lambda: hx.Load([1.0], step=1e-308), InputError, "step is 1e-308"),
    "height 5e-324": (lambda: hx.shear_frame([1.0], [9.0], heights=5e-324), InputError, "height of storey 1 is 4.9"),
    "heights of many": (
        lambda: hx.shear_frames([[1.0, 1.0]], 9.0, heights=[3.0, 5e-324]),
        InputError,
        "storey 2 is 4.94066e-324",
    ),
    "stiffness 1e-308": (lambda: hx.oscillator(mass=1, stiffness=1e-308), InputError, "stiffness is 1e-308; sizes"),
    "mass 1e300": (lambda: hx.oscillator(mass=1e300, stiffness=1), InputError, r"mass is 1e\+300; sizes from"),
    "mass 10^400": (lambda: hx.oscillator(mass=10**400, stiffness=1), InputError, "mass must be a number"),
    "period of many": (lambda: hx.oscillators(period=[1.0, 1e-308]), InputError, r"period\[1\] is 1e-308"),
    "hardening": (lambda: hx.Slider(1.0, kinematic=1e-320), InputError, "kinematic is 9.99989e-321"),
    "a link": (lambda: hx.elastic_link(0, 1, 1e-308), InputError, "stiffness is 1e-308"),
    "g": (lambda: hx.spectrum(MOTION, [1.0], g=1e308), InputError, r"g is 1e\+308"),
    "a peak": (lambda: hx.spectrum(MOTION.scaled(1e200), [1.0], g=9.81), InputError, r"e\+199; sizes from"),
}
SIZES = {
    "histories": (
        lambda: solved(duration=0.02 * STEPS),
        "take a longer step or a shorter duration, or keep fewer of them",
    ),
    "histories of stages": (
        lambda: hx.solve(hx.Problem(MODEL, LOAD, 0.02 * STEPS), hx.DiscontinuousGalerkin(0.02)),
        "keep fewer of them",
    ),
    "bars": (lambda: solved(duration=0.02 * (STEPS // 16), error=True), "keep fewer of them"),
    "thinned, still": (lambda: solved(duration=2.0 * STEPS, keep=100), "keep fewer of them"),
    "a batch's motion": (lambda: batched(duration=0.02 * STEPS), "take a longer step or a shorter duration"),
    "a batch's step": (lambda: batched(1e-30), "take a longer step"),
    "a batch's histories": (
        lambda: batched(1.0 / (STEPS // 400), scales=np.ones(1000), histories=("displacement",)),
        "leave histories out, or batch fewer runs",
    ),
    "a spectrum": (
        lambda: hx.spectrum(MOTION, np.full(STEPS // 10_000 + 1, 0.5), np.full(2000, 0.05), g=9.81),
        "take fewer periods or motions",
    ),
    "axes": (
        lambda: hx.Study(
            MODEL,
            {"record": [MOTION], "mass": [1.0] * 30_000, "scale": [1.0] * (STEPS // 10_000)},
            ["displacement"],
            hx.Galerkin(0.02),
            9.81,
        ),
        "take fewer values on its axes",
    ),
    "padding": (lambda: MOTION.padded(after=1e300), "take fewer seconds"),
    "resampling": (lambda: MOTION.resampled(1e-30), "take a longer step"),
    "resampling, band-limited": (lambda: MOTION.resampled(0.02 / 2**50, band_limited=True), "take a longer step"),
    "a filter": (lambda: MOTION.filtered(low=1e-40), "take a higher corner"),
    "motions": (lambda: hx.synthetic_suite(10**400, seed=1), "take fewer motions"),
    "a long motion": (lambda: hx.synthetic_suite(1, seed=1, duration=1e300), "take fewer motions, a shorter duration"),
    "increments": (lambda: hx.pushover(FRAME, "floor 2", 0.1, steps=10**15), "take fewer of them"),
    "cycles": (lambda: hx.cyclic(FRAME, "floor 2", [0.1], points=4 * 10**15), "take fewer of them"),
    "gravity": (lambda: hx.gravity(FRAME, [1.0, 1.0], steps=10**15), "take fewer of them"),
    "modes": (lambda: hx.modal(0.05, modes=10**15), "name those that are damped"),
    "buildings": (lambda: hx.regions.generate_inventory(10**15), "take fewer"),
    "a motion of an action": (
        lambda: hx.simulate(action("harmonic"), {"m": 1.0, "k": 1.0}, {"u": 1.0}, 1e14, 0.1),
        "take a longer step or a shorter duration",
    ),
}


@pytest.mark.parametrize("number", BEYOND)
def test_numbers_beyond_reason_are_refused(number):
    call, kind, said = BEYOND[number]
    with pytest.raises(kind, match=said):
        call()


@pytest.mark.parametrize("what", SIZES)
def test_sizes_are_computed_and_refused_before_memory_is_asked_for(what):
    call, advice = SIZES[what]
    with pytest.raises(SizeError, match=rf"would take [\d.,e+]+ GB of memory, more than half of the .*{advice}"):
        call()


def test_what_is_kept_decides_and_not_what_is_run():
    """The same run is refused whole and begun where little of it is kept."""
    with pytest.raises(SizeError):
        solved(duration=0.02 * 1000 * STEPS)
    begun = solved(duration=0.02 * 1000 * STEPS, keep=1000 * 1000, progress=lambda done, steps: False)
    assert begun.status.name == "STOPPED"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("duration = 1e308", r"duration is 1e\+308"),
        ("duration = 1e13", "GB of memory"),
        ("duration = 1e7\nversion = 1", "no whole number|GB of memory"),
    ],
)
def test_a_problem_file_of_that_kind_is_refused(hamex, line, said):
    Path("long.toml").write_text(TINY.replace("duration = 0.5", line))
    code, out, err = hamex("run", "long.toml")
    if "1e7" in line and memory() > 2e11:  # seventy gigabytes are no trouble there
        return
    assert (code, out) == (2, "")
    assert re.search(said, err)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("step = 0.02", "step = 5e-324", "scheme.step is 4.94066e-324"),
        ("heights = 3.0", "heights = 5e-324", "height of storey 1 is 4.94066e-324"),
        ("stiffnesses = [900.0, 800.0]", "stiffnesses = [900.0, 1e-308]", "stiffness of storey 2 is 1e-308"),
    ],
)
def test_numbers_of_a_problem_file_are_named(hamex, old, new, said):
    Path("odd.toml").write_text(TINY.replace(old, new))
    for command in ("run", "modes"):
        code, out, err = hamex(command, "odd.toml")
        assert (code, out) == (2, "")
        assert said in err


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("stripes = {start = 0.1, stop = 1.0, count = 1000000000000}", "1,000,000,000,000 values would take"),
        ("records = {synthetic = {count = 1000000000000, seed = 1}}", "motions of .* samples would take"),
        ("fragility = {resamples = 1000000000000000}", "resamples"),
    ],
)
def test_counts_of_a_study_file_are_refused(hamex, table, said):
    name = table.split(" ")[0]
    study = {
        "units": 'units = {length = "m", force = "kN"}',
        "model": 'model = {kind = "oscillator", mass = 1.0, period = 0.5, damping_ratio = 0.05, yield_force = 2.0}',
        "records": 'records = {name = "el-centro"}',
        "intensity": 'intensity = {kind = "pga"}',
        "stripes": "stripes = {levels = [0.1, 0.2]}",
        "limit": 'limit = {measure = "ductility", value = 2.0}',
        "scheme": 'scheme = {kind = "galerkin", step = 0.02}',
    }
    Path("many.toml").write_text("\n".join((study | {name: table}).values()))
    code, out, err = hamex("ida", "many.toml", "--dry-run")
    assert (code, out) == (2, "")
    assert re.search(said, err)


# ---------------------------------------------------------------------------------------------------- tables
@pytest.mark.parametrize("nothing", ["", "null"])
def test_null_in_a_record_and_in_a_table_of_runs_is_named(tmp_path, nothing):
    (tmp_path / "record.csv").write_text(f"time_s,acceleration_g\n0.00,0.0\n0.01,{nothing}\n0.02,0.1\n")
    with pytest.raises(HamexError, match=r"record\.csv, line 3: .*(is not a number|is missing)"):
        hx.read_record(tmp_path / "record.csv")
    rows = list(csv.reader(io.StringIO(mutated_inputs.runs()["table.csv"].decode())))
    place = next(column for column, name in enumerate(rows[0]) if name.endswith("[g]"))
    rows[2][place] = nothing
    with (tmp_path / "runs.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    with pytest.raises(HamexError, match=r"column 'Sa\(.*\) \[g\]': .* is not a number"):
        read_runs(tmp_path / "runs.csv", "ductility", 2.0)


def test_json_of_runs_without_its_column_is_refused(tmp_path):
    data = json.loads(mutated_inputs.runs()["result.json"])
    for name in list(data["runs"]):
        less = {**data, "runs": {key: value for key, value in data["runs"].items() if key != name}}
        (tmp_path / "less.json").write_text(json.dumps(less))
        if name in ("pga", "displacement"):
            read_runs(tmp_path / "less.json")
            continue
        with pytest.raises(HamexError, match=rf"{re.escape(name)}"):
            read_runs(tmp_path / "less.json")


# ---------------------------------------------------------------------------------------------------- outputs
@contextmanager
def not_root():
    """Root may write everywhere."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


STUDY = hx.Study(MODEL, {"record": [MOTION]}, ("displacement",), hx.Galerkin(0.02), g=9.81)


def test_a_store_that_is_a_file_or_read_only_is_refused(tmp_path):
    taken = tmp_path / "taken"
    taken.touch()
    with pytest.raises(FileError, match=r"cannot write into .*taken: .*taken is a file, not a folder"):
        STUDY.run(workers=1, store=taken)
    with pytest.raises(FileError, match=r"cannot write into .*parts: .*taken is a file, not a folder"):
        STUDY.run(workers=1, store=taken / "parts")
    shut = tmp_path / "shut"
    shut.mkdir()
    for folder in (tmp_path, *tmp_path.parents[:3]):  # the last one is there where tests run side by side
        if folder.name.startswith(("pytest", "popen", "test")):
            folder.chmod(0o755)
    shut.chmod(0o555)
    with not_root():
        with pytest.raises(FileError, match=r"cannot write into .*shut: the folder .*shut is not writable"):
            STUDY.run(workers=1, store=shut)
        with pytest.raises(FileError, match=r"cannot write into .*parts: the folder .*shut is not writable"):
            STUDY.run(workers=1, store=shut / "parts")


def test_an_output_folder_that_cannot_be_is_told_before_anything_is_run(hamex, monkeypatch):
    def never(*_, **__):
        raise AssertionError("work was begun")

    monkeypatch.setattr(import_module("hamex.spec.study"), "read_study", never)
    monkeypatch.setattr(import_module("hamex.study.regions.region"), "read_inventory", never)
    Path("study.toml").write_bytes(mutated_inputs.STUDY)
    Path("inventory.csv").write_text(INVENTORY)
    Path("taken").touch()
    for words in (
        "ida study.toml -o taken",
        "ida study.toml -o taken/deeper",
        "region inventory.csv el-centro -o taken",
    ):
        code, out, err = hamex(*words.split())
        assert (code, out) == (2, "")
        assert err.startswith("error: cannot write into taken")


def test_damaged_inputs_end_in_a_result_or_a_sentence(fresh):
    """The short form of ``tests/shared/mutated_inputs.py``; undamaged, each of these is a result."""
    wrong = [trial for number in range(60) if (trial := mutated_inputs.trial(number, 0))[1] == "wrong"]
    assert wrong == []


@pytest.mark.parametrize("numbers", [range(6), pytest.param(range(6, 20), marks=pytest.mark.heavy)], ids=str)
def test_the_inputs_that_are_damaged_are_good_themselves(fresh, numbers):
    found = [mutated_inputs.trial(number, 0, mutated_inputs.Gentle) for number in numbers]
    assert [trial for trial in found if trial[1] != "result"] == []


def test_files_are_text_in_utf_8_with_or_without_a_mark(tmp_path):
    path = tmp_path / "problem.toml"
    path.write_text(TINY, encoding="utf-8-sig")
    assert hx.read_problem(path).scheme.step == 0.02
    path.write_bytes(b'title = "caf\xe9"\n' + TINY.encode())
    with pytest.raises(SpecError, match="not a TOML file: 'utf-8' codec"):
        hx.read_problem(path)
    with pytest.raises(FileError, match=r"cannot read .*: embedded null byte"):
        hx.read_problem("a\0b.toml")
