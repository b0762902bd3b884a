"""`hamex derive`: what stands on the screen, what is written, and what wrong input is told."""

import os
from pathlib import Path

import pytest

OWN = """
import sympy as sp
from hamex.principle.action import Action
from hamex.principle.jets import t
m, k = sp.symbols("m k", positive=True)
u = sp.Function("u")(t)
{name} = Action((u,), m * u.diff(t)**2 / 2 - k * u**2 / 2)
"""


def test_a_library_name_prints_the_derivation(hamex):
    code, out, err = hamex("derive", "harmonic")
    assert (code, err) == (0, "")
    assert out.startswith("Harmonic: from the action to the time step")
    assert "m ü + k u = 0" in out
    assert out.endswith("sections 2-5.\n")


def test_page_and_latex_are_written_and_nothing_else_is_left(hamex, tmp_path):
    code, out, _ = hamex("derive", "particle", "--html", "a.html", "--latex", "a.tex")
    assert (code, out) == (0, "wrote a.html\nwrote a.tex\n")
    assert {p.name for p in tmp_path.iterdir()} - {"cache"} == {"a.html", "a.tex"}
    assert "Particle" in Path("a.html").read_text(encoding="utf-8")
    assert Path("a.tex").read_text(encoding="utf-8").startswith("\\documentclass")


@pytest.mark.parametrize("name", ["action", "my_system"])
@pytest.mark.chief("action")
def test_a_script_of_ones_own_is_run(hamex, name):
    Path("mine.py").write_text(OWN.format(name=name))
    code, out, _ = hamex("derive", "mine.py")
    assert code == 0
    assert "m ü + k u = 0" in out


def test_a_script_may_import_its_neighbour(hamex):
    Path("parts_of_mine.py").write_text(OWN.format(name="spring"))
    Path("mine.py").write_text("from parts_of_mine import spring as action\n")
    assert hamex("derive", "mine.py")[0] == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import sympy\n\nx = 1 / 0\n", "mine.py, line 3: ZeroDivisionError: division by zero"),
        ("def f():\n    raise KeyError('a')\nf()\n", "mine.py, line 2: KeyError: 'a'"),
        ("import no_such_package\n", "mine.py, line 1: ModuleNotFoundError: No module named 'no_such_package'"),
        ("x = (\n", "mine.py, line 1: '(' was never closed"),
        ("x = 1\n", "mine.py: no variable called action; it defines no Action"),
        ("import sys\nsys.exit(3)\n", "mine.py ended itself"),
        (OWN.format(name="a") + "b = a.__class__((u,), u.diff(t)**2)\n", "no variable called action; it defines a, b"),
        (
            OWN.format(name="action").replace("k * u**2", "k * x**2"),
            "mine.py, line 7: NameError: name 'x' is not defined",
        ),
        (OWN.format(name="action").replace("(u,)", "()"), "line 7: ActionError: Action: no fields"),
    ],
)
def test_a_script_that_fails_is_named_with_its_line(hamex, text, words):
    Path("mine.py").write_text(text)
    code, out, err = hamex("derive", "mine.py", "--html", "a.html")
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err
    assert not Path("a.html").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["viscoplstic"], "no system is called 'viscoplstic'; did you mean viscoplastic? Known: "),
        (["double_pendulm"], "did you mean double-pendulum?"),
        (["qqq"], "no system is called 'qqq'. Known: "),
        (["none.py"], "cannot read none.py: no such file"),
        (["harmonic", "--html", "a.pdf"], "the ending must be one of .html"),
        (["harmonic", "--latex", "a.html"], "the ending must be one of .tex"),
        (["no-name", "--html", "none/a.html"], "the folder none does not exist"),
    ],
)
def test_wrong_input_is_one_message(hamex, arguments, words):
    code, out, err = hamex("derive", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_writable_is_refused_first(hamex, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    assert "not writable" in hamex("derive", "harmonic", "--html", "closed/a.html")[2]
