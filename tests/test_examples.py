"""Examples, README and documentation are run as a reader would run them.

``make test`` runs them one after the other in one interpreter, each with a folder and names of its own, because
starting Python takes longer than most of them; ``make test-all`` also runs each alone.
"""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


# Of pages and scripts these run in `make test-all` alone: tests/report/test_derivation.py runs the first two pages and
# reads what they print; what the others show is shown as well by cheaper ones, or by tests/cli with the same starters.
AGAIN = {
    "python": {
        *("why-the-end-point-constraints-must-go", "from-the-action-to-newmark"),
        *("first-building", "pictures", "solids", "solids-results", "spectra"),
        *("springs", "structures", "actions", "any-density"),
    },
    "sh": {"first-building", "problem-files", "solids", "spectra", "studies"},
}
LONG_SCRIPTS = {
    *("08_pendulum", "09_shear_frame", "10_pushover", "12_dampers", "14_yield_instants", "16_spectra", "17_drum"),
    *("19_struck_cantilever", "20_plate_with_hole", "21_half_space", "22_site_response"),
}


def pages(language: str) -> list:
    """The fenced blocks of one language, page by page: a reader runs them from the top down."""
    found = []
    for page in PAGES:
        blocks = re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
        if blocks:
            again = page.stem in AGAIN[language]
            found.append(pytest.param("\n".join(blocks), id=page.name, marks=[pytest.mark.heavy] if again else []))
    return found


def files_of(page: str) -> dict[str, str]:
    """Files that a page shows whole: blocks whose first line is their name."""
    texts = [path.read_text(encoding="utf-8") for path in PAGES if path.name == page]
    return dict(re.findall(r"^```toml\n# (\S+\.toml)\n(.*?)^```", "\n".join(texts), re.M | re.S))


def lay_out(request, folder: Path) -> None:
    """A reader has written the files of the page before running what it says."""
    together, page = request.node.callspec.id.split("-", 1)
    for name, text in files_of(page).items():
        if together == "together":
            text = text.replace("step = 0.005", "step = 0.02")  # or millions of cells of a workbook
        (folder / name).write_text(text, encoding="utf-8")


def test_there_is_something_to_run():
    assert len(SCRIPTS) >= 7
    assert len(pages("python")) >= 4
    assert pages("sh")


READER = """
import contextlib, io, json, os, sys, traceback, warnings

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever else writes there
for line in sys.stdin:
    code, folder, filter = json.loads(line)
    os.chdir(folder)
    said, error = io.StringIO(), ""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(said):
            warnings.simplefilter(filter)
            exec(compile(code, "<example>", "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        error = str(end.code or "")
    except BaseException:
        error = traceback.format_exc()
    print(json.dumps([said.getvalue(), error]), file=answers, flush=True)
"""


@pytest.fixture(scope="module", params=["together", pytest.param("alone", marks=pytest.mark.heavy)])
def read(request):
    """Runs code in a folder: what it printed, and how it failed."""
    if request.param == "alone":

        def alone(code, folder, filter="error"):
            command = [sys.executable, "-W", filter, "-c", code]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            return done.stdout, done.stderr if done.returncode else ""

        yield alone
        return
    with subprocess.Popen([sys.executable, "-c", READER], stdin=-1, stdout=-1, text=True) as reader:

        def together(code, folder, filter="error"):
            print(json.dumps([code, str(folder), filter]), file=reader.stdin, flush=True)
            return json.loads(reader.stdout.readline())

        yield together
        reader.stdin.close()


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.heavy] if path.stem in LONG_SCRIPTS else [])
        for path in SCRIPTS
    ],
)
def test_example_runs_and_proves_its_number(read, script, tmp_path):
    code = script.read_text(encoding="utf-8")
    said, error = read(code, tmp_path)
    assert error == ""
    assert said.strip()
    assert "assert" in code


@pytest.mark.parametrize("code", pages("python"))
def test_the_python_blocks_of_a_page_run(read, request, code, tmp_path):
    lay_out(request, tmp_path)
    if "together" in request.node.callspec.id:
        code = code.replace("10_000", "1_000")  # oscillators
    assert read(code, tmp_path)[1] == ""


# Many seconds: tests/paper runs the first two by their commands, tests/cli has a file for each of the next, and
# tests/march/test_run.py warms kernels.
LONG = {"README.md": {"audit", "paper", "ida", "spectrum", "region", "warm"}, "compiled.md": {"warm"}}
# What is as well shown in less.
SHORTER = {"viscoplastic": "damped", "viscoplastic.html": "damped.html", "500": "50"}


@pytest.mark.parametrize("text", pages("sh"))
def test_the_hamex_commands_of_a_page_run_in_order(read, request, text, tmp_path):
    together = "together" in request.node.callspec.id
    lay_out(request, tmp_path)
    elsewhere = LONG.get(request.node.callspec.id.removeprefix("together-"), set()) if together else set()
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] != ["hamex"] or words[1] in elsewhere:
            continue
        if together:
            words = [SHORTER.get(word, word) for word in words]
        assert read(f"from hamex.cli import main; main({words[1:]!r})", tmp_path, "default")[1] == "", line
