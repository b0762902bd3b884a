"""Examples, README and documentation are run as a reader would run them."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def pages(language: str) -> list:
    """The fenced blocks of one language, page by page: a reader runs them from the top down."""
    found = []
    for page in PAGES:
        blocks = re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
        if blocks:
            found.append(pytest.param("\n".join(blocks), id=page.name))
    return found


def test_there_is_something_to_run():
    assert len(SCRIPTS) >= 7
    assert len(pages("python")) >= 4
    assert pages("sh")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example_runs_and_proves_its_number(script, tmp_path):
    done = subprocess.run([sys.executable, "-W", "error", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "assert" in script.read_text(encoding="utf-8")


@pytest.mark.parametrize("code", pages("python"))
def test_the_python_blocks_of_a_page_run(code, tmp_path):
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", pages("sh"))
def test_the_hamex_commands_of_a_page_run_in_order(text, tmp_path):
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] != ["hamex"]:
            continue
        command = [sys.executable, "-c", "from hamex.cli import main; main()", *words[1:]]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}\n{done.stderr}"
