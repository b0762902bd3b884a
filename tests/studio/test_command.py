"""`hamex studio`: starts, says where, ends, and refuses a port that is taken."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from browsing import PATIENCE
from faults import alive, children, wait_for

import hamex

COMMAND = [sys.executable, "-c", "from hamex.cli import main; main()", "studio"]
DOCS = Path(__file__).parents[2] / "docs" / "tutorials"


def test_it_says_where_it_is_and_ends_at_once_when_interrupted(tmp_path):
    with subprocess.Popen(
        [*COMMAND, "--port", "0"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        address = re.search(r"http://localhost:\d+/", process.stdout.readline())[0]
        try:
            with urllib.request.urlopen(address) as answer:
                assert b"hamex studio" in answer.read()
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=PATIENCE / 1000)[0]
        finally:
            process.kill()
    assert process.returncode == 0
    assert said.strip() == ""
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_refused_in_words(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = subprocess.run([*COMMAND, "--port", str(port)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: cannot serve on 127.0.0.1:{port}: Address already in use; another studio")


def test_the_script_of_the_tutorial_is_the_one_that_the_page_gives(capsys):
    from test_take_home import OSCILLATOR

    from hamex.studio.problems import OscillatorProblem
    from hamex.studio.scripts import python_code

    shown = re.search(r"```python\n(.*?)```", (DOCS / "studio.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    tables = OscillatorProblem.model_validate(
        {
            "duration": 40.0,
            "units": {"length": "m", "force": "kN"},
            "model": OSCILLATOR,
            "motion": {"record": "el_centro"},
            "scheme": {"kind": "galerkin", "step": 0.01},
        }
    )
    given = python_code(tables).splitlines()
    assert [line for line in given if line and line in shown.splitlines()] == [
        line for line in shown.splitlines() if line
    ][:-1]
    names = {}
    exec(shown, names)
    assert names["sol"].residual < 1e-13
    assert hamex.__version__ in given[0]


def test_limits_of_the_tutorial_are_those_of_the_studio():
    from hamex.studio import wire

    text = (DOCS / "studio.md").read_text(encoding="utf-8")
    for words in (
        f"{wire.HISTORY:g} seconds for a history",
        f"{wire.STEPS:,} steps",
        f"{wire.STOREYS} storeys",
        f"{wire.BODY / 1e6:g} MB",
        f"{wire.DERIVATION:g} seconds",
        f"{wire.RUNS:,} runs",
    ):
        assert words in text.replace("\n", " ")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_nothing_outlives_a_studio_that_is_killed(tmp_path):
    """Workers of derivations, and the two children of an audit."""
    with subprocess.Popen(
        [*COMMAND, "--port", "0"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        address = re.search(r"http://localhost:\d+/", process.stdout.readline())[0]
        try:
            for path in ("api/paper/audit", "api/derive"):
                with urllib.request.urlopen(address + path) as answer:
                    assert answer.status in (200, 202)
            workers = children(process.pid)
        finally:
            process.kill()
    assert len(workers) >= 3
    assert wait_for(lambda: not any(alive(pid) for pid in workers))
