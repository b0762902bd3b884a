"""``hamex ida`` and ``hamex fragility`` as a user runs them."""

import json
import shutil

import numpy as np
import openpyxl
import pytest
from faults import damaged

from hamex.cli import main
from hamex.errors import FileError
from hamex.report.ida_page import rows_of
from hamex.study.ida.runs import read_runs

SMALL = """
title = "A small study"
units = {length = "m", force = "kN"}
model = {kind = "oscillator", mass = 100.0, period = 0.5, damping_ratio = 0.05, yield_force = 150.0}
records = {synthetic = {count = 8, seed = 1, magnitude = 5.0, step = 0.02}}
intensity = {kind = "sa", period = 0.5}
stripes = {start = 0.1, stop = 2.0, count = 20}
limit = {measure = "ductility", value = 3.0}
fragility = {resamples = 60}
scheme = {kind = "galerkin", step = 0.02}
"""
FILES = {
    "report.html",
    "result.json",
    "table.csv",
    "table.parquet",
    "demands.csv",
    "EDP.json",
    *(f"{name}.{ending}" for name in ("curves", "stripes", "fragility") for ending in ("png", "svg")),
}


@pytest.fixture
def small(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    return tmp_path


def leave_undrawn(patch):
    """Pictures beside the report and in it take most of the time, and are looked at elsewhere."""
    patch.setattr("hamex.report.ida_page.write_pictures", lambda *_: [])
    patch.setattr("hamex.report.ida_page.write_report", lambda _, path, *__: path)


@pytest.fixture
def undrawn(monkeypatch):
    leave_undrawn(monkeypatch)


def test_the_starter_runs_as_it_is(hamex, tmp_path):
    assert hamex("init", "ida") == (0, "wrote ida.toml; now: hamex ida ida.toml\n", "")
    code, out, err = hamex("ida", "ida.toml", "-o", "out")
    assert (code, err) == (0, "")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {*FILES, "parts"}
    assert max(map(len, out.splitlines())) <= 80
    assert "exceedance of storey drift ratio > 0.03" in out
    assert "44 synthetic motions" in out
    assert "motions are synthetic" in out
    assert "collapse fragility" not in out  # a drift is exceeded
    told = " ".join(out.split())
    assert "runs of 7 of 44 records ended at a drift that counts as collapse" in told


def test_a_second_run_finds_the_parts_of_the_first(hamex, small, finished, undrawn):
    shutil.copytree(finished / "parts", small / "out" / "parts")
    found = json.loads(hamex("ida", "small.toml", "-o", "out", "--json", "--workers", "1", "--xlsx")[1])
    assert (found["ran"], found["found"]) == (0, 8)
    book = openpyxl.load_workbook(small / "out" / "tables.xlsx")
    assert book.sheetnames == ["runs", "demands", "fragility", "about fragility", "about"]
    assert book["runs"].max_row == 161
    assert "ductility [1]" in next(book["runs"].iter_rows(max_row=1, values_only=True))
    assert found["motions"] == "synthetic"
    assert found["limit"] == "ductility > 3"
    assert found["models"][0]["fragility"]["motions"] == "synthetic"
    assert all("synthetic" in line for line in (small / "out" / "table.csv").read_text().splitlines()[1:])
    assert (small / "out" / "table.csv").read_bytes() == (finished / "table.csv").read_bytes()


def test_a_dry_run_tells_what_would_be_run_and_runs_nothing(hamex, small):
    code, out, _ = hamex("ida", "small.toml", "--dry-run")
    assert code == 0
    assert "8 synthetic motions, 160 runs in 8 parts" in out
    assert "results of about" in out
    assert "on one processor" in out
    assert not (small / "ida").exists()
    assert json.loads(hamex("ida", "small.toml", "--dry-run", "--json")[1])["runs"] == 160


def test_an_interruption_says_how_to_go_on(hamex, small, undrawn, monkeypatch):
    from hamex.study import study as module

    real, calls = module.run_part, []

    def stops(payload):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return real(payload)

    with monkeypatch.context() as patch:
        patch.setattr(module, "run_part", stops)
        code, out, err = hamex("ida", "small.toml", "-o", "out", "--workers", "1")
    assert (code, out) == (130, "")
    assert "stopped: interrupted; 3 of 8 parts are finished and kept in out/parts; the same command goes on" in err
    assert json.loads(hamex("ida", "small.toml", "-o", "out", "--json", "--workers", "1")[1])["found"] == 3


@pytest.mark.parametrize("drawn", [False, pytest.param(True, marks=pytest.mark.heavy)])
def test_several_models_have_curves_of_their_own(hamex, small, drawn, monkeypatch):
    if not drawn:
        leave_undrawn(monkeypatch)
    text = SMALL.replace("limit = ", "parameters = {viscosity = [0.0, 500.0]}\nlimit = ")
    (small / "two.toml").write_text(text)
    code, out, _ = hamex("ida", "two.toml", "-o", "two", "--workers", "1")
    assert code == 0
    assert "viscosity = 500.0" in out
    if not drawn:
        return
    assert (small / "two" / "curves-2.png").exists()
    assert (small / "two" / "fragility.png").exists()


def test_hunts_and_studies_without_a_fragility_are_told(hamex, small, undrawn):
    text = SMALL.replace(
        "stripes = {start = 0.1, stop = 2.0, count = 20}", "hunt = {first = 0.05, step = 0.05, runs = 4, largest = 0.2}"
    )
    (small / "hunt.toml").write_text(text)
    assert "32 runs at most" in hamex("ida", "hunt.toml", "--dry-run")[1]
    code, out, _ = hamex("ida", "hunt.toml", "-o", "hunt", "--workers", "1")
    assert code == 0
    assert "no fragility: " in out
    assert "8 of 8 records never pass ductility > 3; they are censored" in " ".join(out.split())


def test_a_measure_that_does_not_fit_is_told_before_anything_runs(hamex, small):
    (small / "bad.toml").write_text(SMALL.replace("fragility =", 'measures = ["drift"]\nfragility ='))
    code, _, err = hamex("ida", "bad.toml", "-o", "out", "--dry-run")
    assert code == 2
    assert "there is no 'drift'" in err
    assert not (small / "out").exists()


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """One small study, run once for all that only read it."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "small.toml").write_text(SMALL)
    with pytest.MonkeyPatch.context() as patch:
        leave_undrawn(patch)
        with pytest.raises(SystemExit):
            main(["ida", str(folder / "small.toml"), "-o", str(folder / "out"), "--json", "--workers", "1"])
    return folder / "out"


@pytest.fixture
def result(finished, small):
    (small / "out").mkdir()
    for name in ("result.json", "table.csv"):
        shutil.copy(finished / name, small / "out")
    return small / "out"


def test_fragility_for_another_limit(hamex, result):
    code, out, _ = hamex("fragility", "out", "--limit", "2", "--modelling", "0.3")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    runs = read_runs(result, None, 2.0).replace(modelling=0.3)
    fits = [(curves, runs.fragility(curves)) for curves in runs.curves()]
    assert all(cell in out for cell in rows_of(fits)[1][0])
    assert "ductility > 2" in out
    table = hamex("fragility", "out/table.csv", "--limit", "2", "--measure", "ductility", "--method", "stripes")[1]
    assert f"{fits[0][1].median:.4g}" in table
    assert "synthetic" in table


def test_fragility_with_a_link_a_hazard_and_files(hamex, result, tmp_path):
    (tmp_path / "hazard.csv").write_text("# site\nSa [g],rate\n0.05,0.05\n0.2,0.01\n1.0,0.0004\n4.0,1e-5\n")
    code, out, _ = hamex(
        "fragility",
        "out/result.json",
        "--link",
        "logit",
        "--hazard",
        "hazard.csv",
        "-o",
        "f.png",
        "-o",
        "f.csv",
        "-o",
        "f.json",
        "-o",
        "f.html",
    )
    assert code == 0
    assert "mean annual frequency of ductility > 3, synthetic motions" in out
    assert "% in 50 years" in out
    for name in ("f.csv", "f.json", "f.html"):
        assert "synthetic" in (tmp_path / name).read_text()
    found = json.loads(hamex("fragility", "out", "--hazard", "hazard.csv", "--json")[1])
    assert found["models"][0]["annual_frequency"]["rate"] > 0
    assert found["models"][0]["annual_frequency"]["motions"] == "synthetic"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["gone"], "no such file; `hamex ida STUDY.toml -o FOLDER` writes one"),
        (["out/table.csv"], "a table tells no limit"),
        (["out/table.csv", "--limit", "2"], "say which measure the limit is of"),
        (["out", "--measure", "drift"], "no measure is called 'drift'; there are ductility"),
        (["out", "--link", "cloglog"], "--link must be probit or logit"),
        (["out", "--limit", "-1"], "limit must be a positive number"),
        (["out", "-o", "x.gif"], "the ending must be one of"),
        (["out", "--hazard", "small.toml"], "is not two numbers"),
        (["small.toml"], "the ending must be .json, .csv or .parquet"),
    ],
)
def test_mistakes_are_one_message(hamex, result, arguments, told):
    code, _, err = hamex("fragility", *arguments)
    assert code == 2
    assert told in err


@pytest.mark.parametrize("name", ["result.json", "table.parquet"])
@pytest.mark.chief("table.parquet")
def test_a_result_that_does_not_match_its_checksum_is_refused(name, hamex, finished, tmp_path):
    whole, rng = (finished / name).read_bytes(), np.random.default_rng(5)
    options = () if name == "result.json" else ("--measure", "ductility", "--limit", "3")
    for kind in ("bit", "bit", "bit", "zeros", "cut"):
        (tmp_path / name).write_bytes(damaged(whole, kind, rng))
        code, _, err = hamex("fragility", name, *options)
        assert code == 2
        assert err.startswith(f"error: cannot read {name}: ")
        assert len(err.splitlines()) == 1


def test_a_result_that_was_edited_on_purpose_is_read_without_its_checksum(finished, tmp_path):
    data = json.loads((finished / "result.json").read_text())
    (tmp_path / "result.json").write_text(json.dumps(data | {"title": "mine"}))
    with pytest.raises(FileError, match='take its last entry, "checksum", out'):
        read_runs(tmp_path)
    data.pop("checksum")
    (tmp_path / "result.json").write_text(json.dumps(data | {"title": "mine"}))
    assert read_runs(tmp_path).title == "mine"


FRAME = """
title = "A portal under its weight"
measures = ["drift_ratio", "absolute_acceleration", "residual_drift"]
units = {length = "m", force = "kN"}
records = {synthetic = {count = 4, seed = 1, magnitude = 6.0, step = 0.02}}
intensity = {kind = "sa", period = 0.7}
stripes = {levels = [0.2, 1.0, 6.0]}
limit = {measure = "drift_ratio", value = 0.02}
fragility = {resamples = 20}
scheme = {kind = "galerkin", step = 0.02}
gravity = {forces = {"B.y" = -150.0, "C.y" = -150.0}}
[model]
kind = "frame"
damping = {kind = "modal", ratio = 0.03}
levels = [["B", "C"]]
nodes = {A = [0, 0], B = [0, 3.5], C = [6, 3.5], D = [6, 0]}
supports = {A = "fixed", D = "fixed"}
masses = {B = 20.0, C = 20.0}
members = [
  {start = "A", end = "B", section = "steel"},
  {start = "B", end = "C", section = "steel"},
  {start = "D", end = "C", section = "steel"},
]
[model.sections.steel]
modulus = 210e6
area = 0.01
inertia = 1e-4
hinges = {yield_force = 90.0, kinematic = 60.0}
compression = 150.0
"""


@pytest.mark.heavy
def test_a_frame_under_its_weight_that_falls_has_its_report(hamex, tmp_path):
    """Runs that fell may still swing without bound, for which JSON has no number."""
    (tmp_path / "frame.toml").write_text(FRAME)
    code, out, err = hamex("ida", "frame.toml", "-o", "out", "--workers", "1")
    assert code == 0, err
    told = " ".join(out.split())
    assert "ended at a drift that counts as collapse" in told
    assert "from_stripes" not in told
    assert (tmp_path / "out" / "report.html").is_file()
    found = read_runs(tmp_path / "out").columns
    assert np.isinf(found["swing"]).any()
    assert (found["status"] == "collapsed").any()
    if "no fragility" in told:
        assert 'method = "capacities"' in told
    code, out, err = hamex("fragility", "out", "--method", "capacities")
    assert (code, err) == (0, "")
    assert "median" in out


FALLS = """
title = "To collapse"
units = {length = "m", force = "kN"}
records = {synthetic = {count = 4, seed = 1, magnitude = 6.5, step = 0.02}}
intensity = {kind = "sa", period = 0.63}
hunt = {first = 0.2, step = 0.2, growth = 0.2, runs = 30, tolerance = 0.05}
limit = {measure = "drift_ratio", value = 0.02}
fragility = {resamples = 20, mce = 0.9}
scheme = {kind = "galerkin", step = 0.02}
[model]
kind = "shear_frame"
masses = [100.0]
stiffnesses = [10000.0]
damping = {kind = "ratio", ratio = 0.05}
heights = 3.0
weights = 981.0
laws = [{kind = "bilinear", yield_force = 150.0, cap_ratio = 1.1, plastic = 0.04, post_cap = 0.15}]
"""


def test_studies_run_to_collapse_and_tell_the_margin(hamex, tmp_path, undrawn):
    (tmp_path / "falls.toml").write_text(FALLS)
    code, out, err = hamex("ida", "falls.toml", "--collapse", "--mce", "0.5", "-o", "out", "--workers", "1", "--json")
    assert (code, err) == (0, "")
    (model,) = json.loads(out)["models"]
    assert json.loads(out)["limit"] == "collapse, storey drift ratio > 0.1"
    assert model["margin"] == pytest.approx(model["fragility"]["median"] / 0.5)
    status = read_runs(tmp_path / "out").columns["status"]
    assert (status == "collapsed").sum() >= 4
    code, out, _ = hamex("ida", "falls.toml", "--collapse", "-o", "out", "--workers", "1")
    assert f"collapse margin ratio {model['fragility']['median'] / 0.9:.3g}: median" in out  # the file's own
    assert "exceedance" not in out
    for limit, words in (
        ("0.1", "collapse, storey drift ratio > 0.1"),
        ("0.02", "exceedance of storey drift ratio > 0.02"),
    ):
        _, out, _ = hamex("fragility", "out", "--limit", limit)
        assert words in out  # the words of the file's limit, whichever was sought
    code, _, err = hamex("ida", "small.toml", "--collapse")
    assert code != 0
