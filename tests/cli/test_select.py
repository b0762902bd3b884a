"""`hamex records select`: the choice of hx.select_to_target, on the screen and in files."""

import csv
import json

import numpy as np
import openpyxl
import pytest

import hamex as hx
from hamex.motion.records.suite import record_text


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "records").mkdir()
    for number, motion in enumerate(hx.synthetic_suite(8, seed=3)):
        (tmp_path / "records" / f"r{number}.csv").write_text(record_text(motion, ".csv"), encoding="utf-8")
    return "records"


PERIODS = ("--periods", "0.2:2:15")


def test_the_choice_is_that_of_python(hamex, suite):
    code, out, err = hamex("records", "select", suite, "-n", "3", "--eurocode8", "0.3,B", *PERIODS, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    wanted = hx.select_to_target(hx.read_suite("records"), hx.eurocode8(0.3, "B"), 3, np.geomspace(0.2, 2.0, 15))
    assert [row["factor"] for row in found["records"]] == wanted.factors.tolist()
    assert found["suite_error"] == wanted.suite_error
    assert found["spread"] == wanted.spread.tolist()


def test_the_screen_tells_factors_fit_and_spread(hamex, suite):
    code, out, _ = hamex("records", "select", suite, "-n", "3", "--asce7", "1.0,0.6", "--limits", "0.5,0.6", *PERIODS)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "3 of 8 records for ASCE 7" in out
    assert "the mean is off the target by" in out
    assert "the records differ by" in out
    assert "at a limit of the factor" in out


@pytest.mark.heavy
def test_the_choice_is_drawn(hamex, suite, tmp_path):
    words = ("records", "select", suite, "-n", "3", "--eurocode8", "0.3,B", *PERIODS)
    code, out, err = hamex(*words, "--plot", "chosen.svg")
    assert (code, err) == (0, "")
    assert out.endswith("wrote chosen.svg\n")
    assert "<svg" in (tmp_path / "chosen.svg").read_text(encoding="utf-8")
    assert hamex(*words, "--plot", "chosen.doc")[0] == 2
    found = hx.select_to_target(hx.read_suite("records"), hx.eurocode8(0.3, "B"), 3, np.geomspace(0.2, 2.0, 15))
    axes = hx.plot(found).axes[0]
    drawn = [np.asarray(line.get_ydata()) for line in axes.lines]
    assert len(drawn) == 5
    for row in (*found.spectra, found.mean, found.wanted):
        assert any(np.array_equal(row, each) for each in drawn)
    labels = [line.get_label() for line in axes.lines]
    assert labels[-2:] == ["their mean", f"target, {found.target.name}"]
    assert len(set(labels)) == 5


@pytest.mark.heavy
def test_the_target_may_be_a_file_and_the_choice_goes_to_excel(hamex, suite, tmp_path):
    (tmp_path / "target.csv").write_text("period_s;sa_g\n0.1;0.8\n0.5;0.8\n3.0;0.1\n", encoding="utf-8")
    words = ("records", "select", suite, "-n", "2", "--target", "target.csv", *PERIODS)
    code, _, _ = hamex(*words, "-o", "chosen.xlsx")
    assert code == 0
    book = openpyxl.load_workbook("chosen.xlsx")
    assert book.sheetnames == ["records", "spectra", "about"]
    heads = next(book["spectra"].iter_rows(max_row=1, values_only=True))
    assert heads[:4] == ("period [s]", "target [g]", "mean [g]", "spread of ln [1]")
    chosen = [cell.value for cell in book["records"]["A"][1:]]
    files = [record.partition(":")[0].replace("\\", "/").rpartition("/")[2] for record in chosen]
    assert [head.split()[:2] for head in heads[4:]] == [[f"{i}:", name] for i, name in enumerate(files, 1)]
    assert book["spectra"].max_row == 16
    assert hamex(*words, "-o", "chosen.csv")[0] == 0
    with open("chosen.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["factor [1]"]) for row in rows] == pytest.approx(
        [cell.value for cell in book["records"]["C"][1:]], rel=1e-15
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "say one target: --eurocode8 0.3,B, --asce7 1.0,0.6 or --target FILE"),
        (("--eurocode8", "0.3"), "--eurocode8: write 0.3,B; got '0.3'"),
        (("--asce7", "1,B"), "--asce7: write 1.0,0.6; got '1,B'"),
        (("--eurocode8", "0.3,Z"), "ground one of A, B, C, D, E"),
        (("--eurocode8", "0.3,B", "--limits", "2"), "--limits: write the smallest and the largest factor"),
        (("--eurocode8", "0.3,B", "--limits", "2,1"), "limits must be the smallest and the largest factor"),
        (("--eurocode8", "0.3,B", "-o", "a.pdf"), "the ending must be one of .csv, .xlsx"),
        (("--target", "none.csv"), "cannot read none.csv"),
        (("--eurocode8", "0.3,B", "--count", "99"), "asks for 99 motions, and there are 8 to choose from"),
    ],
)
@pytest.mark.chief(
    "words0-say one target: --eurocode8 0.3,B, --asce7 1.0,0.6 or --target FILE",
    "words1---eurocode8: write 0.3,B; got '0.3'",
    "words6-the ending must be one of .csv, .xlsx",
    "words8-asks for 99 motions, and there are 8 to choose from",
)
def test_what_cannot_be_is_refused_in_words(hamex, suite, words, says):
    code, out, err = hamex("records", "select", suite, "-n", "2", *PERIODS, *words)
    assert (code, out) == (2, "")
    assert says in err
