"""What is compiled for a model: the march once for any mix of laws, and every law anew when its source changes."""

import os
import subprocess
import sys

import numpy as np
import pytest

import hamex as hx
from hamex.march import newton, run, structure
from hamex.model.laws import gap, power, slider

LAW = """
from dataclasses import dataclass

from hamex.model.laws.law import Law


def first(p, r, e, tau, z, o, dz):
    return held(p, r, e, z, o, dz, 2.0)


def second(p, r, e, tau, z, o, dz):
    return held(p, r, e, z, o, dz, 1.0)


def held(p, r, e, z, o, dz, limit):
    force = p[r] * (e - z[o])
    dz[o] = 0.0
    if abs(force) <= limit:
        return force, p[r], 0
    side = 1 if force > 0.0 else -1
    dz[o] = (force - side * limit) / p[r]
    return side * limit, 0.0, side


@dataclass(frozen=True)
class First(Law):
    kind = "first"
    spring_at = staticmethod(first)


@dataclass(frozen=True)
class Second(Law):
    kind = "second"
    spring_at = staticmethod(second)
"""

RUN = """
import numpy as np
import hamex as hx
from hamex.march import run
import edited

run.WORTH_COMPILING = 0
for law in (edited.First, edited.Second):
    hx.laws.register(law)
model = hx.shear_frame([1.0, 1.0], [400.0, 400.0], laws=[edited.First(), edited.Second()])
load = hx.Load(np.full((60, 2), 4.0), step=0.02, patterns=np.eye(2))
print(*np.abs(hx.solve(hx.Problem(model, load, 1.0), hx.Galerkin(0.02)).values("force")).max(axis=0))
"""


def largest_forces(folder, source):
    """Of both springs, in a new process."""
    (folder / "edited.py").write_text(source)
    paths = os.pathsep.join([str(folder), *filter(None, sys.path)])
    ran = subprocess.run(
        [sys.executable, "-c", RUN],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return [float(x) for x in ran.stdout.split()]


@pytest.mark.parametrize(
    "limits", [(2.0, 3.0), pytest.param((2.0, 3.0, 2.0), marks=pytest.mark.heavy)], ids=["there", "and back"]
)
def test_an_edited_law_gives_new_numbers(limits, tmp_path):
    """Numba minds the file of the function that it compiles, which for a law of one spring is the loop around it."""
    for limit in limits:  # two laws in one file are two
        assert largest_forces(tmp_path, LAW.replace("dz, 2.0)", f"dz, {limit})")) == [limit, 1.0]


def test_another_law_compiles_nothing_but_itself(monkeypatch):
    run._by_arrays.cache_clear()
    asked, address = set(), run._address
    monkeypatch.setattr(run, "_address", lambda kernel, kinds: asked.add((kernel, kinds)) or address(kernel, kinds))
    monkeypatch.setattr(run, "WORTH_COMPILING", 0)
    load = hx.Load(np.full((20, 3), 2.0), step=0.02, patterns=np.eye(3))
    found = []
    for laws in ([hx.Slider(1.0)] * 3, [hx.Slider(1.0), hx.laws.Gap(0.01), hx.PowerLaw(5.0, 0.5)]):
        asked.clear()
        brace = hx.Link("brace", None, 1, 50.0, hx.Slider(1.0))  # no storeys in a row, which have kernels of their own
        model = hx.shear_frame([1.0] * 3, 500.0, hx.modal(0.02), laws=laws, links=[brace])
        hx.solve(hx.Problem(model, load, 0.2), hx.Galerkin(0.02))
        found.append(set(asked))
    one, three = found
    assert {newton.newton, slider.at} <= {kernel for kernel, _ in one}
    assert structure.galerkin in {kernel for kernel, _ in one}
    more = [kernel.__qualname__ for kernel, _ in three - one]
    assert sorted(name.split("_hamex")[-1] for name in more) == [
        f"_{m.__name__.split('.', 1)[1].replace('.', '_')}_{f}" for m, f in ((gap, "along"), (power, "at"))
    ]


SOURCE = """
def double(x: float) -> float:
    return larger(x) - x


def larger(x: float) -> float:
    total = 0.0
    for i in range(3):
        total += x * (1.0 if i < 100 else 2.0) + 0.0 * x - 0.0 * x + 0.0 * x - 0.0 * x + 0.0 * x - 0.0 * x + 0.0 * x
        total += 0.0 * x - 0.0 * x + 0.0 * x - 0.0 * x + 0.0 * x - 0.0 * x + 0.0 * x - 0.0 * x + 0.0 * x - 0.0 * x
        total += 0.0 * x - 0.0 * x + 0.0 * x - 0.0 * x + 0.0 * x - 0.0 * x + 0.0 * x - 0.0 * x + 0.0 * x - 0.0 * x
    return total
"""
ASK = """
import resource, sys
from hamex.march import run
import kernel

if "full" in sys.argv:
    import numba
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), -1))
compiled = []
run.COMPILING.append(lambda seconds: compiled.append(seconds > 0))
machine = run.compiled(kernel.double) if "arrays" in sys.argv else run.entered(kernel.double, 21.0, compile=True)
print(machine(21.0), 0 if any(compiled) else 1)
"""


def ask(folder, *arguments):
    """Number of a kernel, and whether its code was found, in a new process that keeps code in a folder of its own."""
    (folder / "kernel.py").write_text(SOURCE)
    paths = os.pathsep.join([str(folder), *filter(None, sys.path)])
    ran = subprocess.run(
        [sys.executable, "-c", ASK, *arguments],
        env={**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder / "kept")},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()


@pytest.mark.parametrize("entry", ["arrays", "address"])
def test_code_that_finds_no_room_on_the_disk_is_compiled_all_the_same(entry, tmp_path):
    pytest.importorskip("resource")
    assert ask(tmp_path, "full", "600", entry) == ["42.0", "0"]
    assert not list(tmp_path.rglob("*.tmp*"))


@pytest.mark.parametrize("entry", ["arrays", "address"])
@pytest.mark.parametrize("harm", ["damaged", "swapped", "missing"])
def test_kept_code_that_does_not_verify_is_compiled_again(harm, entry, tmp_path):
    assert ask(tmp_path, entry) == ["42.0", "0"]
    assert ask(tmp_path, entry) == ["42.0", "1"]
    for kept in tmp_path.rglob("*.nbc"):
        whole = kept.read_bytes()
        middle = len(whole) // 2
        if harm == "damaged":
            kept.write_bytes(whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :])
        elif harm == "swapped":
            kept.write_bytes(kept.with_suffix(".nbi").read_bytes() if kept.with_suffix(".nbi").exists() else b"code")
        else:
            kept.unlink()
    assert ask(tmp_path, entry) == ["42.0", "0"]
    assert ask(tmp_path, entry) == ["42.0", "1"]
