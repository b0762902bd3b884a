"""When kernels are compiled, what a user is told of it, and that it happens once and never in mid-run."""

import builtins
import logging
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from io import StringIO

import numpy as np
import pytest

import hamex as hx
from hamex.cli import init
from hamex.march import kept, newton, run, samples

SHAKE = hx.GroundMotion(hx.el_centro().acceleration[:400], step=0.02, unit="g")
FRAME = hx.shear_frame([60.0] * 3, 25e3, hx.modal(0.03), laws=hx.Slider(20.0, kinematic=1500.0))
PROBLEM = hx.Problem(FRAME, SHAKE.on(FRAME, g=9.80665), 8.0)


class Terminal(StringIO):
    def isatty(self):
        return True


def typed(text="    out[0] = 2 * x\n    return 0\n"):
    """A kernel that stands in no file, so that nothing is kept for the next test."""
    space = {"__name__": "typed_in"}
    exec(f"def kernel(x, out):\n{text}", space)
    return space["kernel"]


@pytest.fixture
def cold(tmp_path, monkeypatch):
    """As in a process that compiled nothing, on a machine that kept nothing."""
    monkeypatch.setattr(kept, "folder", lambda: tmp_path)
    monkeypatch.setattr(kept, "shipped", lambda: None)
    monkeypatch.setattr(run, "_UNCOMPILED", defaultdict(float))
    monkeypatch.setattr(run, "_SAID", set())
    monkeypatch.setattr(run, "_at_hand", lambda kernel: False)


def test_a_kernel_is_compiled_when_the_work_of_the_process_pays_for_it(cold):
    half = run.WORTH_COMPILING // 2
    assert not run.worth_compiling(half, newton.newton, samples.nodes)
    assert not run.worth_compiling(half - 1, samples.nodes)  # each by itself
    assert run.worth_compiling(half, newton.newton)
    assert run.worth_compiling(run.WORTH_COMPILING, samples.means)


def test_a_kernel_that_was_kept_is_loaded_where_loading_pays(cold, monkeypatch):
    monkeypatch.setattr(run, "_at_hand", lambda kernel: kernel is samples.nodes)
    for loaded, steps, compiles in (
        ({}, run.WORTH_LOADING - 1, False),
        ({}, run.WORTH_LOADING, True),
        ({"numba": None}, 1, True),
    ):
        monkeypatch.setattr(run, "_UNCOMPILED", defaultdict(float))
        monkeypatch.setattr(run.sys, "modules", {**dict.fromkeys(()), **loaded})
        assert run.worth_compiling(steps, samples.nodes) is compiles
        assert not run.worth_compiling(steps, samples.nodes, samples.means)


def test_a_run_is_decided_when_it_is_prepared_and_for_good(cold, monkeypatch):
    asked = []
    real = run.worth_compiling
    monkeypatch.setattr("hamex.schemes.shear_frame.worth_compiling", lambda *of: asked.append(real(*of)) or asked[-1])
    done = []
    sol = hx.solve(PROBLEM, hx.Galerkin(0.001), progress=lambda *at: done.append(at), limit=hx.Limit(stop=False))
    assert len(done) > 1
    assert asked == [False]
    monkeypatch.setattr(run, "WORTH_COMPILING", 0)
    fast = hx.solve(PROBLEM, hx.Galerkin(0.001))
    assert asked == [False, True]
    for name in ("displacement", "slip", "force"):
        assert sol.values(name).tobytes() == fast.values(name).tobytes()


def test_what_is_compiled_is_said_once_with_its_time(cold, monkeypatch, caplog):
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    for _ in range(2):
        assert run.worth_compiling(run.WORTH_COMPILING, newton.newton, samples.nodes)
    (line,) = shown.getvalue().splitlines()
    about = kept.seconds_of(newton.newton) + kept.seconds_of(samples.nodes)
    assert f"about {about:.0f} s" in line
    monkeypatch.setattr(sys, "stderr", StringIO())
    monkeypatch.setattr(run, "_SAID", set())
    with caplog.at_level(logging.INFO, "hamex"):
        run.announce(newton.newton)
        run.announce(samples.nodes)  # less than a second
    assert [record.levelname for record in caplog.records] == ["INFO"]
    assert sys.stderr.getvalue() == ""


def test_progress_silences_it(cold, monkeypatch):
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(run, "WORTH_COMPILING", 0)
    monkeypatch.setattr(kept, "seconds_of", lambda kernel: 5.0)
    hx.solve(PROBLEM, hx.Galerkin(0.02), progress=lambda done, of: True)
    assert shown.getvalue() == ""
    monkeypatch.setattr(run, "_SAID", set())
    hx.solve(PROBLEM, hx.Galerkin(0.02))
    assert "compiling" in shown.getvalue()
    assert run.COMPILING == []


def test_threads_that_ask_for_one_kernel_get_one_that_is_compiled_once():
    kernel, out = typed(), np.zeros(1)
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: run.compiled(kernel), range(8)))
        addresses = list(pool.map(lambda _: run.place(kernel, 1.0, out, compile=True), range(8)))
    assert len(set(map(id, made))) == 1
    assert len(set(addresses)) == 1
    assert len(run._KEPT[kernel]) == 1


def test_what_is_compiled_is_there_while_another_kernel_is_being_compiled():
    kernel, other = typed(), typed()
    made = run.compiled(kernel)
    with ThreadPoolExecutor(1) as pool, run._ONE_AT_A_TIME:
        assert pool.submit(run.compiled, kernel).result(timeout=60) is made
        waits = pool.submit(run.compiled, other)
        assert not waits.done()
    assert waits.result(timeout=60) is run.compiled(other)


def test_no_process_is_started(cold, monkeypatch):
    def refused(*_, **__):
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refused)
    for worth in (run.WORTH_COMPILING, 0):
        monkeypatch.setattr(run, "WORTH_COMPILING", worth)
        hx.solve(PROBLEM, hx.Galerkin(0.02))


def test_a_missing_numba_is_said_once_and_runs_go_on(cold, monkeypatch, caplog):
    real = builtins.__import__
    monkeypatch.setattr(run, "import_module", lambda name: real("numba_that_is_not_there"))
    run.can_compile.cache_clear()
    try:
        with caplog.at_level(logging.INFO, "hamex"):
            monkeypatch.setattr(sys, "stderr", StringIO())
            for _ in range(2):
                assert not run.worth_compiling(2 * run.WORTH_COMPILING, samples.nodes)
        assert len(caplog.records) == 1
        assert "Numba" in caplog.text
    finally:
        run.can_compile.cache_clear()


@pytest.mark.parametrize("peaks", ["inside", "samples"])
def test_uncompiled_spectra_have_the_bits_of_compiled_ones(peaks, cold, monkeypatch):
    periods = np.geomspace(0.05, 3.0, 9)

    def found(worth):
        monkeypatch.setattr(run, "WORTH_COMPILING", worth)
        spec = hx.spectrum(SHAKE, periods, [0.02, 0.1], g=9.80665, peaks=peaks)
        return {name: spec.values(name).tobytes() for name in spec.names}

    assert found(np.inf) == found(0)


# The command ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", [True, False])
def test_warm_says_what_it_compiled_and_what_was_there(room, cold, monkeypatch, capsys):
    def compiles():
        assert run.WORTH_COMPILING == 0
        for listener in run.COMPILING:
            listener(2.0)
        sum(range(1000))
        if room:
            kept.learn("hamex.march.new_0123", 2.0)
        for listener in run.COMPILING:
            listener(0.0)

    monkeypatch.setattr(init, "common", lambda: {"new": compiles, "old": lambda: None})
    worth = run.WORTH_COMPILING
    if not room:
        with pytest.raises(hx.errors.FileError, match="1 of 2 could not be kept; make room in"):
            init.warm()
        return
    init.warm()
    out = capsys.readouterr().out
    new, old, both = out.splitlines()
    assert "compiled in" in new
    assert old.endswith("there already")
    assert both.startswith("1 compiled, 1 there already")
    assert worth == run.WORTH_COMPILING


def test_warm_is_refused_where_nothing_can_be_compiled(monkeypatch):
    monkeypatch.setattr(run, "can_compile", lambda: False)
    with pytest.raises(hx.errors.MissingPackageError, match="NUMBA_DISABLE_JIT"):
        init.warm()


@pytest.mark.heavy
def test_everything_common_compiles(monkeypatch, capsys):
    init.warm()
    init.warm()
    assert "0 compiled" in capsys.readouterr().out.splitlines()[-1]
