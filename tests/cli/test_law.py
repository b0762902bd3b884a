"""`hamex law`: on the screen, as a page, as data, of one's own, and fitted."""

import json
import sys

import numpy as np
import pytest
from repetitions import chiefly

import hamex as hx
from hamex.cli import main
from hamex.model.laws import law as registry
from hamex.paper import opensees


def run(capsys, *words):
    with pytest.raises(SystemExit) as end:
        main(["law", *map(str, words)])
    out = capsys.readouterr()
    return end.value.code, out.out, out.err


def test_an_example_on_the_screen(capsys):
    code, out, _ = run(capsys, "imk")
    assert code == 0
    assert "lambda_s" in out
    assert "twenty reversals of no size" in out
    assert max(map(len, out.splitlines())) <= 80


EXAMPLES = [name for name, one in hx.laws.known().items() if one.example and ":" not in name]  # others are of tests


# The loops of Bouc and Wen take as long as those of all others; tests/model/laws has them too.
@pytest.mark.parametrize("kind", chiefly(["imk", "menegotto_pinto"], EXAMPLES))
def test_every_example_runs_and_keeps_its_word(capsys, kind):
    code, out, _ = run(capsys, kind, "--json", "--path", "0.03,-0.03,0.01")
    found = json.loads(out)
    assert code == 0
    assert found["certificate"]["failures"] == []


def test_page_picture_and_table(capsys, tmp_path):
    page, table = tmp_path / "law.html", tmp_path / "law.csv"
    code, out, _ = run(capsys, "imk", "rule=opensees", "--reach", "0.05", "--html", page, "--csv", table)
    assert code == 0
    assert f"wrote {page}" in out
    text = page.read_text()
    if opensees.available() is None:
        assert "largest difference to OpenSees&#x27; IMKPinching" in text
    assert "<tr><td>yield_force</td><td>150</td><td>Fy (My) [force]</td></tr>" in text
    assert "<tr><td>c_s, c_c, c_a, c_k</td><td>1, 1, 1, 1</td><td>exponents of β</td></tr>" in text
    rows = np.loadtxt(table, delimiter=",", skiprows=1)
    assert rows.shape[1] == 4
    assert rows[:, 0].max() == pytest.approx(0.05)


def test_a_law_of_ones_own(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})
    file = tmp_path / "springs.py"
    file.write_text(
        "import hamex as hx\n\n"
        "@hx.laws.own(stiffness=10.0, reach=1.0, elastic=True)\n"
        "def cubic(e0, f0, e, state, k, share=0.0):\n"
        "    return k * (e + share * e**3), k * (1 + 3 * share * e**2), ()\n"
    )
    code, out, _ = run(capsys, f"{file}:cubic", "share=0.1", "--stiffness", 10, "--path", "1,0", "--json")
    assert code == 0
    found = json.loads(out)
    turns = [force for force, between in zip(found["force"], found["event"], strict=True) if not between]
    assert turns == pytest.approx([0.0, 11.0, 0.0])
    code, _, err = run(capsys, f"{file}:square", "--stiffness", 10, "--reach", 1)
    assert code == 2
    assert "has no law 'square'; it has cubic" in err


CUBIC = """
import hamex as hx

@hx.laws.own(stiffness=10.0, reach=0.5, example={"share": 0.2}, elastic=True, stiffest=2.0)
def cubic(e0, f0, e, state, k, share):
    return k * (e + share * e**3), k * (1 + 3 * share * e**2), ()
"""
CUBIC_FILE = """
duration = 1.0
units = {length = "m", force = "kN"}
model = {kind = "oscillator", mass = 1.0, stiffness = 10.0, law = {kind = "cubics:cubic", share = 0.3}}
load = {kind = "constant", amplitude = 1.0}
scheme = {kind = "galerkin", step = 0.01}
"""


def test_problem_files_name_laws_of_a_python_file(capsys, tmp_path, monkeypatch):
    """The numbers are those of the same law in Python (own); without the file, and with one that is none, it is said
    what to do."""
    monkeypatch.setattr(registry, "_registered", {})
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTHONPATH", "")
    laws, problem = tmp_path / "cubics.py", tmp_path / "cubic.toml"
    laws.write_text(CUBIC)
    problem.write_text(CUBIC_FILE)

    def called(*words):
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        return end.value.code, *capsys.readouterr()

    code, _, err = called("run", problem)
    assert code == 2
    assert "a law of your own must be made first: import cubics, or hamex --laws cubics.py …" in err
    for wrong in (tmp_path / "nowhere.py", problem):
        code, _, err = called("--laws", wrong, "run", problem)
        assert code == 2
        assert str(wrong) in err
    laws.write_text(CUBIC + "1 / 0\n")
    assert "cubics.py: ZeroDivisionError" in called("--laws", laws, "run", problem)[2]
    laws.write_text(CUBIC)
    code, out, _ = called("--laws", laws, "run", problem, "--json")
    assert code == 0
    law = sys.modules.pop("cubics").cubic(share=0.3)
    sol = hx.solve(hx.Problem(hx.oscillator(1.0, 10.0, law=law), hx.constant(1.0), 1.0), hx.Galerkin(0.01))
    assert json.loads(out)["peaks"]["displacement"]["value"] == sol.peaks["displacement"].value


def test_a_law_with_its_numbers_in_a_file(capsys, tmp_path, monkeypatch):
    """Laws that are made of others, and an own law by the example that it was tried with."""
    monkeypatch.setattr(registry, "_registered", {})
    file = tmp_path / "bars.py"
    file.write_text(
        "import hamex as hx\n\n"
        "bar = hx.laws.Fatigue(hx.laws.MenegottoPinto(yield_force=2.0), E0=0.2)\n\n"
        '@hx.laws.own(stiffness=10.0, reach=0.5, example={"share": 0.2}, elastic=True, stiffest=2.0)\n'
        "def cubic(e0, f0, e, state, k, share):\n"
        "    return k * (e + share * e**3), k * (1 + 3 * share * e**2), ()\n"
    )
    page = tmp_path / "bar.html"
    code, out, _ = run(capsys, f"{file}:bar", "--stiffness", 100, "--reach", 0.05, "--html", page)
    assert code == 0
    assert "law 1        MenegottoPinto" in out
    assert "<td>E0</td><td>0.2</td>" in page.read_text()
    code, _, err = run(capsys, f"{file}:bar", "E0=0.1", "--stiffness", 100, "--reach", 0.05)
    assert code == 2
    assert "has its numbers in the file" in err
    code, _, err = run(capsys, f"{file}:bar")
    assert code == 2
    assert "does not tell the stiffness of its spring" in err
    code, out, _ = run(capsys, f"{file}:cubic", "--json")
    assert code == 0
    assert max(json.loads(out)["force"]) == pytest.approx(10 * (0.5 + 0.2 * 0.5**3))


def test_a_fit(capsys, tmp_path):
    e = np.concatenate([np.linspace(0, 0.06, 30), np.linspace(0.06, -0.06, 60)])
    force = hx.respond(hx.laws.Bilinear(120.0, hardening=0.05), e, stiffness=9000.0).force
    np.savetxt(tmp_path / "loop.txt", np.stack([e, force], 1))
    words = ("bilinear", "plastic=inf", "post_cap=inf", "cap_ratio=1", "hardening=0.02", "residual_ratio=0")
    code, out, _ = run(
        capsys, *words, "--fit", tmp_path / "loop.txt", "--free", "stiffness,yield_force,hardening", "--json"
    )
    assert code == 0
    found = json.loads(out)["fit"]
    assert found["values"]["yield_force"] == pytest.approx(120.0, rel=1e-5)
    assert found["misfit"] < 1e-6


@pytest.mark.parametrize(("length", "force"), [(1.0, 1.0), (1000.0, 1000.0), (39.37, 0.2248)])
def test_a_fit_sets_out_from_an_example_as_large_as_the_loop(capsys, tmp_path, length, force):
    """Whatever the units of the file (own: the law itself); the example has metres and kilonewtons."""
    law = hx.laws.Bilinear(110.0, cap_ratio=1.2, plastic=0.03, post_cap=0.2)
    e = np.concatenate([np.linspace(0, 0.06, 30), np.linspace(0.06, -0.08, 60), np.linspace(-0.08, 0.09, 60)])
    loop = np.stack([length * e, force * hx.respond(law, e, stiffness=9000.0).force], 1)
    np.savetxt(tmp_path / "loop.csv", loop, delimiter=",")
    free = "stiffness,yield_force,cap_ratio,plastic,post_cap"
    code, out, _ = run(capsys, "bilinear", "--fit", tmp_path / "loop.csv", "--free", free, "--json")
    assert code == 0
    found = json.loads(out)["fit"]
    assert found["misfit"] < 1e-6
    assert found["values"]["yield_force"] == pytest.approx(110.0 * force, rel=1e-5)
    assert found["values"]["plastic"] == pytest.approx(0.03 * length, rel=1e-4)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["inm"], "did you mean imk?"),
        (["imk", "mass=1"], "write NAME=VALUE with one of yield_force"),
        (["imk", "plastic=much"], "plastic must be a number"),
        (["imk", "cap_ratio=0.5"], "the cap comes after yield"),
        (["imk", "residual_ratio=-1"], "residual_ratio must not be negative"),
        (["imk", "--path", "a"], "--path: 'a' is not a number"),
        (["nowhere.py:law"], "there is no file nowhere.py"),
        (["imk", "--fit", "nowhere.csv"], "nowhere.csv"),
        (["fatigue"], "Fatigue is made of other laws; make it in a Python file and show FILE.py:NAME"),
        (["min_max", "max=0.1"], "MinMax is made of other laws"),
        (["multilinear_elastic", "points=3"], "points is a list; make the law in a Python file"),
        (["imk", "--free", "plastic"], "--free names what --fit may change"),
        (["imk", "--html", "law.pdf"], ".html"),
    ],
)
def test_what_cannot_be_is_named(capsys, words, told):
    code, _, err = run(capsys, *words)
    assert code == 2
    assert told in err


@pytest.mark.parametrize(
    ("word", "kind"), [("Bilinear", "bilinear"), ("BoucWen", "bouc_wen"), ("Bouc-Wen", "bouc_wen")]
)
def test_a_law_may_be_called_as_in_python(capsys, word, kind):
    found = [json.loads(run(capsys, name, "--json", "--path", "0.01,-0.01")[1]) for name in (word, kind)]
    assert {**found[0], "certificate": 0} == {**found[1], "certificate": 0}
    assert "no law is called 'Bilinar'; did you mean bilinear?" in run(capsys, "Bilinar")[2]
