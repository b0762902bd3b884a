"""How far a run is, what is compiled, and how long it will take: told on a terminal, measured and not guessed."""

import json
import sys
import time

import numpy as np
import pytest
from repetitions import chiefly

import hamex as hx
from hamex.cli import run
from hamex.march import kept
from hamex.march import run as kernels
from hamex.march.run import COMPILING
from hamex.study.engine import spread, timed

FRAME = """
title = "Frame"
duration = {}
units = {{length = "m", force = "kN"}}
motion = {{record = "el_centro", scale = 2.0}}
model = {{kind = "shear_frame", masses = [1.0, 1.0], stiffnesses = [900.0, 800.0], law = {{yield_force = 2.0}}}}
scheme = {{kind = "galerkin", step = 0.002}}
"""


@pytest.fixture
def terminal(monkeypatch):
    """Standard error as a terminal, at every moment."""
    from io import StringIO

    class Terminal(StringIO):
        def isatty(self):
            return True

    def make():
        found = Terminal()
        monkeypatch.setattr(sys, "stderr", found)
        return found

    return make


@pytest.fixture
def frame(tmp_path):
    (tmp_path / "frame.toml").write_text(FRAME.format(40.0), encoding="utf-8")
    return "frame.toml"


def test_a_run_tells_how_far_it_is_on_a_terminal_only(hamex, frame, terminal, monkeypatch):
    assert hamex("run", frame)[2] == ""
    monkeypatch.setattr(run, "_QUIET", 0.0)
    monkeypatch.setattr(run, "_EVERY", 0.0)  # however quick the machine is
    assert hamex("run", frame)[2] == ""
    shown = terminal()
    _, out, _ = hamex("run", frame)
    lines = [line for line in shown.getvalue().split("\r") if line.strip()]
    assert any("%, step" in line and "of 20,000" in line and "left" in line for line in lines)
    assert shown.getvalue().endswith("\r")
    assert "finished" in out or "passed" in out


def test_a_quick_run_says_nothing(hamex, frame, terminal, monkeypatch):
    monkeypatch.setattr(run, "_QUIET", 1e9)
    shown = terminal()
    hamex("run", frame)
    assert shown.getvalue().strip() == ""


def test_the_bits_are_those_of_a_run_without_a_terminal(hamex, frame, terminal, monkeypatch):
    hamex("run", frame, "-o", "quiet.nc")
    monkeypatch.setattr(run, "_QUIET", 0.0)
    terminal()
    hamex("run", frame, "-o", "told.nc")
    quiet, told = hx.read("quiet.nc"), hx.read("told.nc")
    assert quiet.values("displacement").tobytes() == told.values("displacement").tobytes()


def test_a_word_is_said_while_kernels_are_compiled(terminal):
    shown = terminal()
    with run.telling() as line:
        for seconds in (4.2, 0.0):
            COMPILING[-1](seconds)
    assert "compiling kernels for this kind of model, about 4.2 s" in shown.getvalue()
    assert "kept for later runs" in shown.getvalue()
    assert shown.getvalue().rstrip("\r").endswith(" ")  # written over
    assert line.seconds >= 0
    assert COMPILING == []


def test_compiling_is_told_once_and_loading_is_not(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "twice_of.py").write_text("def twice(x: float) -> float:\n    return 2.0 * x\n", encoding="utf-8")
    from twice_of import twice

    told = []
    monkeypatch.setattr(kept, "folder", lambda: tmp_path)
    monkeypatch.setattr(kept, "shipped", lambda: None)
    monkeypatch.setattr(kernels, "COMPILING", [lambda seconds: told.append(seconds > 0)])
    for x in (1.5, 2.5):
        kernels._by_arrays.cache_clear()
        assert kernels.compiled(twice)(x) == 2 * x
        assert told == [True, False]
    assert [name.rpartition("_")[0] for name, _ in kept.times()] == ["twice_of.twice"]


# How long


def test_a_dry_run_tells_the_time_and_writes_nothing(hamex, frame, tmp_path):
    code, out, err = hamex("run", frame, "--dry-run", "-o", "out.nc")
    assert (code, err) == (0, "")
    assert "shear frame, 2 dofs, 20,000 steps" in out
    assert "of computation" in out
    assert "nothing was written" in out
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [frame]
    found = json.loads(hamex("run", frame, "--dry-run", "--json")[1])
    barred = json.loads(hamex("run", frame, "--dry-run", "--error", "--json")[1])
    assert (found["steps"], barred["steps"]) == (20000, 20000)
    assert 0 < found["seconds"] < barred["seconds"]


def test_a_mistake_is_told_by_a_dry_run_too(hamex, tmp_path):
    (tmp_path / "bad.toml").write_text(FRAME.format(-1.0), encoding="utf-8")
    assert hamex("run", "bad.toml", "--dry-run")[0] == 2


def test_the_sample_comes_from_all_over():
    assert sorted(spread(37)) == list(range(37))
    assert list(spread(1)) == [0]
    first = list(spread(1000))[:8]
    assert max(np.diff(sorted([0, *first, 1000]))) <= 250


def test_the_time_of_a_whole_is_that_of_its_parts(record_property):
    def work(weight):
        end = time.process_time() + 0.02 * weight
        while time.process_time() < end:
            pass

    weights = 1.0 + np.arange(300) % 3
    told = timed(work, len(weights), lambda place: (weights[place], weights[place]), weights.sum())
    # The clock of the processor decides, so a busy machine changes nothing.
    assert told.seconds == pytest.approx(0.02 * weights.sum(), rel=0.2)
    assert told.compiling == 0.0


@pytest.mark.parametrize(
    "scheme",
    chiefly([hx.Galerkin(0.01)], [hx.Galerkin(0.01), hx.DiscontinuousGalerkin(0.01)]),
    ids=lambda scheme: scheme.name,
)
def test_the_time_told_for_a_study(record_property, scheme):
    """Reported, not judged: benchmarks are where speed is judged."""
    model = hx.shear_frame([60.0] * 3, [60e3] * 3, laws=hx.Slider(300.0), heights=3.2, units=hx.Units("m", "kN"))
    study = hx.Study(model, {"record": hx.synthetic_suite(3, seed=1), "scale": [0.5, 1.0, 2.0]}, ("drift",), scheme)
    told, ran = study.timed(), study.run(workers=1)
    assert told.seconds > 0
    record_property(f"measured: time told over time taken, {scheme.name}", f"{told.seconds / ran.kernel_seconds:.2f}")
