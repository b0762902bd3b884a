"""One function, run compiled or as plain Python: the same bits."""

import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
from collections import defaultdict
from types import SimpleNamespace

import numpy as np
import pytest

import hamex as hx
import hamex.march
from hamex.march import kept, oscillator, run
from hamex.march import samples as sampling
from hamex.schemes.prepare import Scalars, linear_element, scalars

RNG = np.random.default_rng(7)
NOISE = RNG.normal(size=301)


def galerkin_call(hk, hi, stride, eta):
    x = scalars(hx.oscillator(1.0, 225.0, 1.5, hx.Slider(0.27, eta, hk, hi)))
    inputs = (NOISE[:300], NOISE[1:], 1.3, linear_element(x, 0.02).rows, oscillator.SpringLimit(0.27, hk, hi), stride)
    return inputs, [np.zeros(n) for n in (301, 301, 301, 300 * stride + 1, 300 * stride + 1, 300)]


def record_call(base, first, ratio, rule, stride=0):
    (_, _, scale, *law), outputs = galerkin_call(20.0 * stride, 9.0 * stride, stride, 1.5)
    return (NOISE[:280], oscillator.Clock(base, first, ratio, rule), scale, *law), [np.zeros(65), *outputs]


def energy_call(stride, keep):
    """Random histories: the pass over them is tested here, not the march that makes them."""
    u, p, s = RNG.normal(size=(3, 301))
    X, w = RNG.normal(size=(2, 300 * stride + 1))
    x = Scalars(1.1, 1.5, 30.0, 1 / 225, 0.9, 0.27, 5.0, 20.0, 9.0)
    entries = tuple(np.zeros((7, 301 if keep else 1)))
    return ((u, p, s, X, w), NOISE[:300], 0.7, 0.02, x, stride, keep, entries), [np.zeros(2)]


def newmark_call(hk, hi, stride, max_iterations=20):
    rule = oscillator.NewmarkRule(0.02, 0.25, 0.5, 1e-10, max_iterations)
    inputs = (NOISE, rule, Scalars(1.0, 1.5, 0.0, 1 / 225.0, 1.0, 0.27, 0.5, hk, hi), stride)
    nodes = [np.zeros(n) for n in (301, 301, 301, 300 * stride + 1, 300 * stride + 1)]
    return inputs, [*nodes, np.array([0.3, 225.0]), np.zeros(300, dtype=np.int64), np.zeros(1)]


CALLS = {
    "galerkin": (oscillator.galerkin, galerkin_call(0.0, 0.0, 0, 1.5)),
    "galerkin, hardening": (oscillator.galerkin, galerkin_call(20.0, 9.0, 1, 0.1)),
    "galerkin, viscosity 0": (oscillator.galerkin, galerkin_call(0.0, 0.0, 0, 0.0)),
    "galerkin, average of a record": (oscillator.galerkin_record, record_call(0.3, 3, 0.7, sampling.AVERAGE)),
    "galerkin, end of a record": (oscillator.galerkin_record, record_call(0.0, 0, 0.2, sampling.END, 1)),
    "galerkin, mean of a record": (oscillator.galerkin_record, record_call(0.9, 5, 17 / 6, sampling.MEAN)),
    "galerkin, samples at nodes": (oscillator.galerkin_record, record_call(0.0, 7, 1.0, sampling.AVERAGE, 1)),
    "galerkin, samples at ends": (oscillator.galerkin_record, record_call(0.0, 7, 1.0, sampling.END)),
    "energies": (oscillator.energies, energy_call(0, 1)),
    "energies, hardening": (oscillator.energies, energy_call(1, 1)),
    "energies, residual alone": (oscillator.energies, energy_call(1, 0)),
    "newmark": (oscillator.newmark, newmark_call(0.0, 0.0, 0)),
    "newmark, hardening": (oscillator.newmark, newmark_call(20.0, 9.0, 1)),
    "newmark, no convergence": (oscillator.newmark, newmark_call(0.0, 0.0, 0, max_iterations=2)),
    "recurrence": (
        oscillator.recurrence,
        ((NOISE, *(0.1 * RNG.normal(size=8)).tolist()), [np.zeros(301) for _ in "up"]),
    ),
    "nodes": (sampling.nodes, ((NOISE, 0.3, 3, 0.7), [np.zeros(500)])),
    "averages": (sampling.averages, ((NOISE, 0.3, 3, 0.7), [np.zeros(500)])),
    "means": (sampling.means, ((NOISE, 0.9, 5, 17 / 6), [np.zeros(150)])),
}


def outcome(name, compile):
    kernel, (inputs, outputs) = CALLS[name]
    copies = [out.copy() for out in outputs]
    code = run.march(kernel, inputs, copies, steps=300, compile=compile)
    return code, [out.tobytes() for out in copies], any(out.any() for out in copies)


@pytest.mark.parametrize("name", CALLS)
def test_compiled_and_plain_agree_in_every_bit(name):
    plain, machine = outcome(name, False), outcome(name, True)
    assert plain == machine
    assert plain[2], "nothing was computed"


# These have tests of their own.
STRUCTURES = {
    "compiler",
    "conjugate",
    "followed",
    "kept",
    "lanes",
    "leapfrog",
    "located",
    "matrices",
    "newton",
    "oscillators",
    "peaks",
    "reference",
    "rotated",
    "shear_frame",
    "shear_frames",
    "spectrum",
    "springs",
    "stage_newton",
    "stage_springs",
    "stages",
    "stage_tables",
    "structure",
    "tables",
    "vector",
}


# And so has the exact step (test_spectrum), which stands beside the samples that it steps over.
EXACT_STEP = {
    *("propagator", "ends", "largest", "expand", "differentiate", "horner", "zero", "afterwards"),
    *("input_energy", "enter_energy", "march_energy"),
}


def test_no_kernel_is_left_out():
    kernels = set()
    for info in pkgutil.iter_modules(hamex.march.__path__):
        module = importlib.import_module(f"hamex.march.{info.name}")
        if module is not run and info.name not in STRUCTURES:
            kernels |= {
                thing
                for _, thing in inspect.getmembers(module, inspect.isfunction)
                if thing.__module__ == module.__name__ and not thing.__name__.startswith("_")
            }
    exact_step = {kernel for name, kernel in vars(sampling).items() if name in EXACT_STEP}
    assert kernels - exact_step == {kernel for kernel, _ in CALLS.values()}


def test_a_kernel_that_gives_up_says_at_which_step():
    assert outcome("newmark", False)[0] == 0
    assert outcome("newmark, no convergence", False)[0] > 0


def test_arrays_that_python_may_not_write_to_are_no_other_kind():
    """Records are frozen and what is computed is not: two kinds of array would be two kernels to compile."""
    typed = {"__name__": "typed_in"}
    exec("def kernel(x, pair, out):\n    out[0] = x[1] + pair[0][0]\n    return 0\n", typed)
    mine, out = np.array([1.0, 2.0]), np.zeros(1)
    frozen = mine.copy()
    frozen.setflags(write=False)
    for x in (mine, frozen):
        for pair in ((mine, mine), (frozen, mine), (frozen, frozen)):
            run.march(typed["kernel"], (x, pair), (out,), 1, compile=True)
            assert out[0] == 3.0
    assert len(run.compiled(typed["kernel"]).function.signatures) == 1
    assert not frozen.flags.writeable


def test_a_kernel_that_another_process_kept_is_at_hand(tmp_path, monkeypatch):
    code = tmp_path / "kept_kernel.py"
    code.write_text("def kernel(x, out):\n    out[0] = x\n    return 0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(kept, "folder", lambda: tmp_path)
    monkeypatch.setattr(kept, "shipped", lambda: None)
    monkeypatch.setattr(run, "_UNCOMPILED", defaultdict(float))
    kernel = importlib.import_module("kept_kernel").kernel
    assert not run.worth_compiling(1, kernel)
    run.march(kernel, (1.0,), (np.zeros(1),), 1, compile=True)
    run._by_arrays.cache_clear()  # as a new process
    assert not hasattr(run.compiled(kernel), "function")
    assert run.worth_compiling(1, kernel)


SCHEMES = [
    hx.Galerkin(0.02),
    hx.Galerkin(0.02, load="end"),
    hx.Galerkin(0.02, load="mean"),
    hx.Newmark(0.02),
    hx.PiecewiseExact(0.02),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_whole_runs_agree_in_every_bit(monkeypatch, scheme):
    law = hx.Slider() if isinstance(scheme, hx.PiecewiseExact) else hx.Slider(0.27, 1.5, 20.0, 9.0)
    model = hx.oscillator(1, 225, damping=1.5, law=law)
    problem = hx.Problem(model, hx.Load(NOISE, step=0.03), duration=8.0, start=hx.State(1e-3, 1e-2, 1e-4))

    def histories(modules, worth):
        monkeypatch.setattr(run, "sys", SimpleNamespace(modules=modules))
        monkeypatch.setattr(run, "WORTH_COMPILING", worth)
        sol = hx.solve(problem, scheme)
        return {name: sol.values(name).tobytes() for name in sol.names}

    assert histories({}, float("inf")) == histories({}, 0)


# Numba takes up new meanings whenever it begins a function, between the halves of another thread's too.
KNOWN_BEFORE = """
import sys
import numba
from hamex.march import run

def kernel(x: float) -> float:
    return 2.0 * x

def watched(compile):
    return lambda *given, **named: sys.modules["hamex.march.vector"] and compile(*given, **named)

numba.njit, numba.cfunc = watched(numba.njit), watched(numba.cfunc)
assert ENTRY(3.0) == 6.0
"""


@pytest.mark.parametrize("entry", ["run.compiled(kernel)", "run.entered(kernel, 3.0, compile=True)"])
def test_numba_knows_all_meanings_before_it_compiles(entry):
    subprocess.run([sys.executable, "-c", KNOWN_BEFORE.replace("ENTRY", entry)], check=True)


def test_without_a_compiler_kernels_run_as_they_are(monkeypatch):
    def kernel(x):
        return 2.0 * x

    monkeypatch.setattr(run, "can_compile", lambda: False)
    run._by_arrays.cache_clear()
    assert run.compiled(kernel) is kernel
    assert run.invoke(run.place(kernel, 1.0, compile=True), (2.0,)) == 4.0
    assert run.entered(kernel, 1.0, compile=True)(2.0) == 4.0
    assert not run.worth_compiling(1e12, kernel)


def test_where_numba_is_told_not_to_compile_runs_go_on_without():
    """``NUMBA_DISABLE_JIT=1`` had ended in Numba's own words; the bits are those of any other run."""
    asked = (
        "import hamex as hx\n"
        "frame = hx.shear_frame([1.0, 1.0], [100.0, 80.0], hx.modal(0.03), laws=[hx.Slider(0.5)] * 2)\n"
        "sol = hx.solve(hx.Problem(frame, hx.el_centro().on(frame, g=9.81), 1.0), hx.Galerkin(0.01))\n"
        "print(sol.values('displacement').tobytes().hex())\n"
    )
    off, on = (
        subprocess.run(
            [sys.executable, "-c", "import numba\n" * early + asked],
            env={**os.environ, "NUMBA_DISABLE_JIT": switch},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for switch, early in (("1", True), ("0", False))
    )
    assert off == on
