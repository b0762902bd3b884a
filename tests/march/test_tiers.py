"""Who compiles what a run lacks: orders, one process that works on them, and runs that change when it has come."""

import importlib
import json
import os
import subprocess
import sys
from collections import defaultdict, namedtuple
from functools import partial

import numpy as np
import pytest

import hamex as hx
from hamex.cli import init
from hamex.march import bare, followed, matrices, newton, run, samples, structure, tiers
from hamex.march import spectrum as spectra
from hamex.march.shear_frame import FrameHistory
from hamex.schemes.shear_frame import around_step
from hamex.schemes.springs import kernel_of
from hamex.study.spectra import elastic

solving = importlib.import_module("hamex.solve")  # the name in hamex is the function's
NOBODY = 2**22 + 1  # no process has this number


@pytest.fixture
def orders(tmp_path, monkeypatch):
    """A folder of orders, a process that may be started, and what was started."""
    monkeypatch.setattr(tiers, "folder", lambda: tmp_path)
    monkeypatch.setattr(tiers, "shipped", lambda: None)
    monkeypatch.setattr(run, "processors", lambda: 2)
    monkeypatch.setenv(tiers.SWITCH, "on")
    monkeypatch.setattr(run, "_UNCOMPILED", defaultdict(float))
    for name, empty in {"_WANTED": set(), "_ORDERED": set(), "_AWAITED": {}, "_ARRIVED": []}.items():
        monkeypatch.setattr(run, name, empty)
    started = []

    class Child:
        def __init__(self, words, **how):
            started.append((words, how))

        def poll(self):
            return None

    monkeypatch.setattr(subprocess, "Popen", Child)
    monkeypatch.setattr(tiers, "_started", [])
    return started


def ordered():
    return [json.loads(file.read_text()) for file in sorted((tiers.folder() / "wanted").glob("*.json"))]


# Kernels and their arguments in words -----------------------------------------------------------------------------


def test_arguments_are_told_by_their_kinds():
    import numba

    import hamex.march.compiler  # noqa: F401  (says how what is held is typed)
    from hamex.march.bare import Held

    frozen = np.zeros(3)
    frozen.flags.writeable = False
    nodes = np.zeros((4, 6))
    history = FrameHistory(*([nodes] * 6), *([np.zeros(3, dtype=np.int64)] * 3))
    given = [nodes, nodes.T, nodes[::2, ::2], nodes[:, 0], frozen, history, (1, nodes), 1, 2.5, True, None]
    for value in given:
        for by_pointer in ((), tuple):
            told = json.loads(json.dumps(tiers.described(value, by_pointer)))
            made = tiers.example(told)
            if by_pointer and value is history:
                assert numba.typeof(Held(made)) == numba.typeof(Held(history))
            assert numba.typeof(made) == numba.typeof(value), told
    own = namedtuple("own", "x")(1.0)
    for value in (object(), [1.0], own):
        with pytest.raises(TypeError):
            tiers.described(value)


def spring_law(p, r, e, tau, z, o, dz):
    return 0.0, 0.0, 0


def test_a_kernel_is_built_again_from_its_name_and_what_was_settled_in_it():
    laws = [kernel_of(law, "mean", "a test") for law in (hx.Slider, hx.PowerLaw, hx.laws.Gap)]
    around = around_step(followed.one_frame, [hx.laws.IMK])
    for kernel in (structure.galerkin, newton.newton, *laws, around, run.settled(spectra.peaks, INSIDE=False)):
        built = run._built(json.loads(json.dumps(tiers.recipe(kernel))))
        assert (built.__code__, tiers.recipe(built)) == (kernel.__code__, tiers.recipe(kernel))
        assert run.kept_name(built) == run.kept_name(kernel)
    with pytest.raises(TypeError, match="not ours"):
        run._built("os:system")
    # A law of the user's own stands in a file that is not run a second time.
    mine = run.around_law(structure.galerkin, "spring_at", spring_law)
    with pytest.raises(TypeError):
        tiers.recipe(mine)
    assert not run._can_order([mine])


def test_what_compiling_took_is_kept_and_guessed_for_the_next_edition(orders):
    assert tiers.seconds_of("hamex.march.new_0123") == tiers.GUESS
    tiers.learn("hamex.march.new_0123", 1.5)
    tiers.learn("hamex.march.other_0123", 2.5)
    assert [tiers.seconds_of(f"hamex.march.{name}") for name in ("new_0123", "new_4567")] == [1.5, 1.5]
    tiers.learn("hamex.march.new_4567", float("inf"))  # cannot be compiled; the next one may
    assert [tiers.seconds_of(f"hamex.march.new_{digest}") for digest in ("4567", "89ab")] == [float("inf"), 1.5]
    with (tiers.folder() / "times").open("a") as file:
        file.write("torn hamex.march.new_0123\n3.0 hamex.march.new_0123")
    assert tiers.seconds_of("hamex.march.new_0123") == 3.0


# Orders -----------------------------------------------------------------------------------------------------------

LONG = (np.array([1.0, 3.0, 0.0]), 0.0, 0, 0.5)  # arguments of `nodes`


def test_a_run_orders_what_it_lacks_and_goes_on_without(orders, monkeypatch):
    monkeypatch.setattr(run, "_at_hand", lambda kernel: False)
    out = np.zeros(2)
    run.march(samples.nodes, LONG, (out,), run.worth_ordering() - 1)
    assert (ordered(), orders) == ([], [])  # compiled code would not be taken for so little
    for _ in range(2):  # once
        run.march(samples.nodes, LONG, (out,), run.worth_ordering())
    assert out.tolist() == [1.0, 2.0]
    ((words, how),) = orders
    assert words == [sys.executable, "-P", "-m", "hamex", "warm", "--asked-by", str(os.getpid())]
    assert how["start_new_session"]
    assert how["env"][tiers.SWITCH] == "off"
    (job,) = ordered()
    assert job["kernel"] == "hamex.march.samples:nodes"
    assert not run.waiting()  # it cannot change on its way


def test_a_run_that_can_change_is_told_when_all_has_come(orders, monkeypatch):
    monkeypatch.setattr(run, "_at_hand", lambda kernel: kernel is matrices.backsolve)
    tiers.learn(run.kept_name(newton.newton), 1.0)  # before: what was kept is lost
    assert not run.worth_compiling(run.WORTH_COMPILING, newton.newton, matrices.factorise, matrices.backsolve)
    assert (run.waiting(), run.arrivals()) == (True, 0)
    tiers.learn(run.kept_name(newton.newton), 1.0)
    assert run.arrivals() == 0
    tiers.learn(run.kept_name(matrices.factorise), 1.0)
    assert [run.arrivals(), run.arrivals()] == [1, 1]
    assert not run.waiting()


def test_a_run_that_can_change_on_its_way_does_not_compile_itself(orders, monkeypatch):
    monkeypatch.setattr(run, "_at_hand", lambda kernel: False)
    much = 10 * run.FIRST_TIME * run.WORTH_COMPILING
    assert not run.worth_compiling(much, newton.newton, matrices.factorise)
    assert run.worth_compiling(much, structure.galerkin, waits=False)
    assert run.worth_compiling(1, newton.newton, matrices.factorise)  # it should have come long ago


@pytest.mark.parametrize("why", ["switched off", "one processor", "a law of one's own", "it cannot be compiled"])
def test_where_nobody_else_compiles_a_run_does_when_that_pays(why, orders, monkeypatch):
    monkeypatch.setattr(run, "_at_hand", lambda kernel: False)
    kernel, much = newton.newton, run.FIRST_TIME * run.WORTH_COMPILING
    if why == "switched off":
        monkeypatch.setenv(tiers.SWITCH, "off")
    elif why == "one processor":
        monkeypatch.setattr(run, "processors", lambda: 1)
    elif why == "a law of one's own":
        kernel = run.around_law(structure.galerkin, "spring_at", spring_law)
    else:
        tiers.learn(run.kept_name(kernel), float("inf"))
    assert not run.worth_compiling(much // 2, kernel)
    assert run.worth_compiling(much, kernel) is (why != "it cannot be compiled")
    run.place(newton.newton, 1.0, compile=False)
    assert (ordered(), orders, run.waiting()) == ([], [], False)


def test_orders_are_compiled_and_told(orders):
    for address in (False, True):
        job = {"kernel": "hamex.march.samples:horner", "kinds": [], "by_address": address}  # too few arguments
        tiers.order(job)
    tiers.order(
        {
            "kernel": "hamex.march.samples:nodes",
            "kinds": [tiers.described(value) for value in (*LONG, np.zeros(2))],
            "by_address": False,
        }
    )
    (tiers.folder() / "wanted" / "torn.json").write_text('{"kernel"')
    assert len(orders) == 1  # one process for all
    run.compile_orders()
    assert not any((tiers.folder() / "wanted").iterdir())
    assert tiers.Lock("child").is_free()
    names = dict(tiers.lines())
    assert names[run.kept_name(samples.nodes)] < float("inf")
    assert names[run.kept_name(samples.horner)] == float("inf")
    assert run._by_numba(samples.nodes).overloads


@pytest.mark.parametrize("why", ["Numba must not compile", "no room", "too few arguments"])
def test_a_kernel_that_could_not_be_compiled_for_now_is_not_given_up(why, orders, monkeypatch):
    def full(kernel):
        raise OSError("no room")

    tiers.order({"kernel": "hamex.march.samples:nodes", "kinds": [], "by_address": False})
    if why == "Numba must not compile":
        monkeypatch.setattr(run, "can_compile", lambda: False)
    elif why == "no room":
        monkeypatch.setattr(run, "_by_numba", full)
    run.compile_orders()
    assert len(ordered()) == (why == "Numba must not compile")
    given_up = {run.kept_name(samples.nodes): float("inf")}
    assert dict(tiers.lines()) == (given_up if why == "too few arguments" else {})


def test_orders_that_cannot_be_taken_away_stop_no_other(orders):
    wanted = tiers.folder() / "wanted"
    (wanted / "folder.json").mkdir(parents=True)
    for number in range(3):
        tiers.order({"number": number})
    assert sorted(job["number"] for job in tiers.orders()) == [0, 1, 2]
    assert [place.name for place in wanted.iterdir()] == ["folder.json"]


def test_what_a_failing_disk_did_to_times_is_passed_over(orders):
    tiers.learn("hamex.march.old_0123", 1.5)
    with (tiers.folder() / "times").open("ab") as file:
        file.write(b"\xff\xfe\x00 7\n-1 hamex.march.old_0123\nnan hamex.march.old_0123\n")
    tiers.learn("hamex.march.new_0123", 2.5)
    assert tiers.lines() == [("hamex.march.old_0123", 1.5), ("hamex.march.new_0123", 2.5)]


def test_what_python_passes_over_among_places_of_modules_is_not_handed_on(orders, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", ["", tmp_path, "here"])
    tiers.start()
    assert orders[0][1]["env"]["PYTHONPATH"] == "here"


def test_nobody_is_started_for_an_order_that_cannot_be_left(orders, tmp_path):
    (tmp_path / "wanted").write_text("a file where the folder would be")
    tiers.order({"kernel": "hamex.march.samples:nodes", "kinds": [], "by_address": False})
    assert orders == []


def test_the_other_process_is_left_out_by_any_word_for_no(monkeypatch):
    for word, off in {"off": True, "False": True, " 0 ": True, "no": True, "": False, "on": False, "1": False}.items():
        monkeypatch.setenv(tiers.SWITCH, word)
        assert tiers.is_off() is off


def test_a_line_for_who_waits_needs_a_terminal(monkeypatch):
    closed = (open(os.devnull, "w"), object(), None)  # noqa: SIM115
    closed[0].close()
    for stream in closed:  # closed, a program's own, none
        monkeypatch.setattr(sys, "stderr", stream)
        tiers.say(5.0)


def test_one_process_compiles_and_one_writes(orders):
    lock, other = tiers.Lock("child"), tiers.Lock("child")
    assert lock.is_free()
    assert lock.take()
    assert not other.is_free()
    assert not other.take()
    tiers.start()
    assert orders == []
    tiers.order({"kernel": "hamex.march.samples:nodes", "kinds": [], "by_address": False})
    run.compile_orders()  # as a second process: it leaves the orders to the first
    assert len(ordered()) == 1
    lock.give()
    assert other.take()
    with tiers.one_writer():
        assert not tiers.Lock("writing").is_free()
    assert tiers.Lock("writing").is_free()


def test_the_lock_of_a_process_that_was_killed_is_free(orders):
    lock = tiers.Lock("child")
    assert lock.take()
    pid, host = lock.path.read_text().split()
    lock.path.write_text(f"{NOBODY} {host}")
    assert lock.is_free()
    lock.path.write_text(f"{NOBODY} another-{host}")  # whose processes cannot be asked for: its age decides
    assert not lock.is_free()
    old = lock.path.stat().st_mtime - 2 * tiers.FORGOTTEN
    os.utime(lock.path, (old, old))
    assert lock.is_free()
    lock.touch()
    assert not lock.is_free()
    ahead = lock.path.stat().st_mtime + 2 * tiers.FORGOTTEN  # by a clock that was set back since
    os.utime(lock.path, (ahead, ahead))
    assert lock.is_free()
    lock.touch()
    for number in (10**30, 0, -1):  # of no process
        lock.path.write_text(f"{number} {host}")
        assert lock.is_free()
    lock.path.write_text(f"{NOBODY} {host}")
    tiers.start()
    assert len(orders) == 1
    assert lock.take()
    assert lock.path.read_text().split()[0] == pid


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no list of processes")
def test_a_process_that_ended_and_that_nobody_waited_for_does_not_live(monkeypatch):
    child = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it stays listed
    found = tiers.lives(child.pid)
    child.wait()
    assert not found
    assert tiers.lives(os.getpid())


# Places -----------------------------------------------------------------------------------------------------------


def test_without_a_place_to_write_a_temporary_one_serves(tmp_path, monkeypatch):
    def refused(path, mode, *_, **__):
        return False

    monkeypatch.setattr(os, "access", refused)  # as on a read-only disk; root may write everywhere
    monkeypatch.setattr(tiers.tempfile, "tempdir", str(tmp_path))
    tiers.temporary.cache_clear()
    try:
        place = tiers._folder.__wrapped__(str(tmp_path / "chosen"))
        assert place == tiers.temporary.__wrapped__()
        assert place.parent == tmp_path
        if os.name != "nt":
            place.chmod(0o777)  # others could put code there
            assert tiers.temporary.__wrapped__() not in (place, tmp_path)
    finally:
        tiers.temporary.cache_clear()


def test_where_nothing_can_be_written_runs_go_on(monkeypatch):
    from hamex.march import compiler

    def refused(*_, **__):
        raise FileNotFoundError("no usable temporary directory")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiers.tempfile, "gettempdir", refused)
        patch.setattr(tiers.tempfile, "mkdtemp", refused)
        place = tiers.temporary.__wrapped__()
    assert place.parent.name == "__pycache__"  # the owner may have left kernels there
    monkeypatch.setattr(tiers, "temporary", lambda: place / "times" / "no folder")
    monkeypatch.setattr(compiler._Places, "_locator_classes", [compiler._TemporaryPlace])
    kept = compiler.KernelCache(samples.nodes, lambda seconds: None)
    assert not kept._files[0]._load_index()


def test_a_kernel_without_a_place_is_kept_in_a_temporary_one(tmp_path, monkeypatch):
    from numba.core import caching

    from hamex.march import compiler

    monkeypatch.setattr(tiers, "temporary", lambda: tmp_path)
    monkeypatch.setattr(compiler._Places, "_locator_classes", [compiler._TemporaryPlace])
    assert caching.CompileResultCacheImpl._locator_classes[-1] is not compiler._TemporaryPlace
    kept = compiler.KernelCache(samples.nodes, lambda seconds: None)
    assert kept.cache_path.startswith(str(tmp_path))
    assert not kept.is_there()


def test_kernels_that_the_owner_left_serve_those_who_cannot_write_there(tmp_path, monkeypatch):
    import numba

    from hamex.march import compiler

    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(tiers, "folder", lambda: tmp_path)
    monkeypatch.setattr(tiers, "temporary", lambda: tmp_path / "own")
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "thrice_of.py").write_text("def thrice(x):\n    return 3.0 * x\n", encoding="utf-8")
    thrice = importlib.import_module("thrice_of").thrice
    told = []
    assert compiler.keep(numba.njit(thrice), told.append)(1.5) == 4.5
    assert len(told) == 2
    monkeypatch.setattr(compiler._Places, "_locator_classes", [compiler._TemporaryPlace])
    machine = compiler.keep(numba.njit(thrice), told.append)
    assert machine._cache.cache_path.startswith(str(tmp_path / "own"))
    assert machine._cache.is_there()
    assert machine(2.5) == 7.5
    assert len(told) == 2
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))  # then nothing else counts
    assert not compiler.KernelCache(thrice, told.append).is_there()


# A run changes on its way -----------------------------------------------------------------------------------------

FRAME = partial(hx.shear_frame, [60.0] * 3, 25e3, heights=3.2, weights=590.0, units=hx.Units("m", "kN"))
SLIDER = hx.Slider(20.0, kinematic=1500.0)
BRACE = hx.Link("brace", None, 1, 2e4, SLIDER)
MARCHES = {
    "structure": (FRAME(hx.modal(0.03), laws=SLIDER, links=[BRACE]), hx.Galerkin(0.02)),
    "modal frame": (FRAME(hx.modal(0.03), laws=SLIDER), hx.Galerkin(0.02)),
    "shear frame": (FRAME(hx.rayleigh(0.03), laws=SLIDER), hx.Galerkin(0.02)),
    "Newmark": (FRAME(hx.modal(0.03), laws=SLIDER), hx.Newmark(0.02, safeguarded=True)),
    "two stages": (FRAME(hx.modal(0.03), laws=SLIDER), hx.Galerkin(0.02, degree=2)),
    "leap-frog": (FRAME(laws=SLIDER), hx.LeapFrog(0.01)),
    "oscillator": (hx.oscillator(1.0, 225.0, damping=1.5, law=hx.Slider(0.1)), hx.Galerkin(0.02)),
}
BLOCKS, BLOCK = 5, 9


@pytest.mark.parametrize("march", MARCHES)
def test_where_a_run_changes_to_compiled_code_changes_no_bit(march, monkeypatch):
    model, scheme = MARCHES[march]
    load = hx.el_centro().scaled(9).on(model, g=9.80665)
    problem = hx.Problem(model, load, BLOCKS * BLOCK * scheme.step)
    monkeypatch.setattr(run, "FIRST_TIME", float("inf"))
    monkeypatch.setattr(run, "WORTH_COMPILING", 1)
    found = []
    for change in range(BLOCKS + 1):  # compiled from that block on; the last: never
        ended, asked = [], set()

        def at_hand(kernel, ended=ended, asked=asked, change=change):
            asked.add(len(ended) >= change)
            return len(ended) >= change

        def came(ended=ended, change=change):
            return int(change > 0 and len(ended) >= change)

        monkeypatch.setattr(run, "_at_hand", at_hand)
        monkeypatch.setattr(run, "arrivals", came)
        told = {"limit": hx.Limit(stop=False), "progress": lambda *_, ended=ended: ended.append(1)}
        solution = solving.run(problem, scheme, block=BLOCK, quiet=True, **told)
        assert len(ended) == BLOCKS
        assert asked == ({True} if change == 0 else {False} if change == BLOCKS else {False, True})
        names = ("displacement", "momentum", "slip", "force")
        found.append([solution.values(name).tobytes() for name in names] + [solution.final.displacement.tobytes()])
    assert np.abs(solution.values("slip")).max() > 0
    assert all(bits == found[0] for bits in found)


def test_a_run_that_waits_looks_at_every_block(orders, monkeypatch):
    model, scheme = MARCHES["structure"]
    problem = hx.Problem(model, hx.el_centro().on(model), 2.0)
    monkeypatch.setattr(run, "WORTH_COMPILING", 1)
    monkeypatch.setattr(run, "_at_hand", lambda kernel: False)
    monkeypatch.setattr(solving, "_BLOCK", 20 * 7)
    looked = []
    monkeypatch.setattr(run, "arrivals", lambda: bool(looked.append(1)))
    hx.solve(problem, scheme, limit=hx.Limit(stop=False))
    assert len(looked) == 1 + 4
    names = [job["kernel"] for job in ordered()]
    assert {"hamex.march.structure:galerkin", "hamex.march.newton:newton"} < {str(name) for name in names}
    assert len(names) == 6  # with the load's, the band's and the law's


# Spectra ----------------------------------------------------------------------------------------------------------


MOTION = hx.GroundMotion(hx.el_centro().acceleration[:400], step=0.02, unit="g")


@pytest.mark.parametrize("peaks", ["inside", "samples"])
def test_uncompiled_spectra_agree_and_say_so(peaks, orders, monkeypatch):
    periods = np.geomspace(0.05, 3.0, 9)

    def found(at_hand):
        monkeypatch.setattr(run, "_at_hand", lambda kernel: at_hand)
        spec = hx.spectrum(MOTION, periods, [0.02, 0.1], g=9.80665, peaks=peaks)
        return spec, np.stack([spec.values(name) for name in spec.names])

    (plain, slow), (machine, fast) = found(False), found(True)
    np.testing.assert_allclose(slow, fast, rtol=1e-13)
    assert plain.attributes["kernels"] == "uncompiled"
    assert "kernels" not in machine.attributes
    monkeypatch.setenv(tiers.SWITCH, "off")  # then digits depend on no other run
    assert found(False)[1].tobytes() == fast.tobytes()


def test_a_spectrum_is_compiled_where_that_pays(orders, monkeypatch):
    monkeypatch.setattr(run, "_at_hand", lambda kernel: False)
    record = elastic.Accelerogram(np.zeros(1001), 0.01)

    def compiles(count):
        return elastic.Elastic(
            (record,), False, np.full((1, count), 6.0), np.full((1, count), 0.05), "inside", 1
        ).compiles

    assert [compiles(count) for count in (10, 100, 2000)] == [False, False, True]


# The command ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", [True, False])
def test_warm_says_what_it_compiled_and_what_was_there(room, orders, monkeypatch, capsys):
    def compiles():
        assert run.WORTH_COMPILING == 0
        run._tell(2.0)
        sum(range(1000))
        if room:
            tiers.learn("hamex.march.new_0123", 2.0)
        run._tell(0.0)

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


COLD = """
import os, sys
import numpy as np
from hamex.march import run, samples, tiers
run.processors = lambda: 2
run.march(samples.nodes, (np.array([1.0, 3.0, 0.0]), 0.0, 0, 0.5), (np.zeros(2),), run.WORTH_COMPILING)
for child in tiers._started:
    child.wait()
machine = "llvmlite" in sys.modules or "numba" in sys.modules
print(machine, len(tiers.lines()), len(list((tiers.folder() / "wanted").iterdir())))
"""


@pytest.mark.heavy
def test_a_cold_process_leaves_a_warm_one_behind(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), tiers.SWITCH: "on"}

    def said():
        ran = subprocess.run([sys.executable, "-c", COLD], env=environment, capture_output=True, text=True, check=True)
        return ran.stdout.split()

    assert said() == ["False", "1", "0"]
    assert said() == ["True", "1", "0"]


# Machine code without Numba ---------------------------------------------------------------------------------------

needs_bare_code = pytest.mark.skipif(not bare.runs_here(), reason="machine code runs without Numba on Linux on x86-64")


KERNELS = """
import numpy as np

def mixed(x, part, factor, count, whole, out):
    total = 0.0
    for i in range(count):
        total += x[i] * factor + part[1][i]
    out[0, 0] = total if whole else -total
    return count

def failing(x):
    if x > 1.0:
        raise ValueError("too much")
    return x

def allocating(x):
    return np.empty(3)[:1].size + x
"""


@pytest.fixture
def compiled_anew(orders, tmp_path, monkeypatch):
    """What the compiler kept of one of these kernels: its name and the kinds of the arguments."""
    (tmp_path / "compiled_anew.py").write_text(KERNELS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "compiled_anew", raising=False)
    monkeypatch.setattr(run, "_allocates", lambda kernel: kernel.__name__ == "allocating")

    def compiled(name, *arguments):
        kernel = getattr(importlib.import_module("compiled_anew"), name)
        run._by_numba(kernel)(*arguments)
        return run.kept_name(kernel), " ".join(map(bare.sketch, arguments))

    return compiled


def test_values_are_sketched_as_the_compiler_tells_their_types():
    import numba

    from hamex.march.compiler import told

    frozen = np.zeros(3)
    frozen.flags.writeable = False
    nodes, whole = np.zeros((4, 6)), np.zeros(3, dtype=np.int64)
    history = FrameHistory(*([nodes] * 6), *([whole] * 3))
    outer = namedtuple("Outer", "one other")(history, 2.0)
    given = [nodes, nodes.T, nodes[::2, ::2], nodes[:, 0], frozen, whole, np.zeros(2, dtype=bool), history, outer]
    given += [(1, nodes), (), 1, np.int64(1), 2.5, np.float64(2.5), True, np.bool_(True), None]
    given += [bare.Held(history), bare.Held(outer)]
    for value in given:
        assert bare.sketch(value) == told(numba.typeof(value)), value
    for value in (np.float32(1.0), np.int32(1), "word", object()):
        with pytest.raises(TypeError):
            bare.sketch(value)


@needs_bare_code
def test_machine_code_that_was_kept_is_called_without_numba(compiled_anew):
    x, out = np.arange(3.0), np.zeros((1, 2))
    arguments = (x, (1, x[::-1].copy()), 0.5, 3, False, out)
    code = bare.loaded(*compiled_anew("mixed", *arguments))
    wanted, out[:] = out.copy(), 0.0
    assert code(*arguments) == 3
    assert out.tobytes() == wanted.tobytes() != np.zeros((1, 2)).tobytes()


@needs_bare_code
def test_an_error_of_machine_code_is_told(compiled_anew):
    code = bare.loaded(*compiled_anew("failing", 0.5))
    assert code(0.5) == 0.5
    with pytest.raises(RuntimeError, match="machine code ended"):
        code(2.0)


@needs_bare_code
def test_machine_code_that_does_not_verify_or_is_of_another_machine_is_not_run(compiled_anew, monkeypatch):
    name, kinds = compiled_anew("failing", 0.5)
    assert bare.has_code(name)
    assert bare.loaded(name, kinds)(0.5) == 0.5
    (place,) = (tiers.folder() / "code").iterdir()
    whole = place.read_bytes()
    for damaged in (whole[:-1], whole[:40] + bytes([whole[40] ^ 1]) + whole[41:], b"", whole[:32]):
        place.write_bytes(damaged)
        assert not bare.has_code(name)
        assert bare.loaded(name, kinds) is None
    place.write_bytes(whole)
    monkeypatch.setattr(bare, "_machine", lambda: "another")
    assert not bare.has_code(name)
    assert bare.loaded(name, kinds) is None


@needs_bare_code
def test_machine_code_that_needs_numba_is_not_kept(compiled_anew):
    assert not bare.has_code(compiled_anew("allocating", 1)[0])


BARE = """
import hashlib, sys
import hamex as hx
from hamex.march import run
if sys.argv[1] == "numba":
    import numba
    run.WORTH_COMPILING = 0
run.WORTH_LOADING = 1
motion, units = hx.el_centro(), hx.Units("m", "kN")
hinge = hx.Slider(30.0, kinematic=200.0)
bars = {n: hx.Member(*ends, modulus=2e8, area=1e-2, inertia=1e-4, hinges=hinge) for n, ends in
        {"left": "AB", "beam": "BC", "right": "DC"}.items()}
models = {
    "oscillator": hx.oscillator(1.0, 225.0, damping=1.5, law=hx.Slider(1.0, 1.5), units=units),
    "bilinear": hx.oscillator(1.0, 225.0, damping=1.5, law=hx.laws.Bilinear(1.0, hardening=0.05), units=units),
    "modal frame": hx.shear_frame([60.0] * 3, 6e4, damping=hx.modal(0.03), laws=hx.Slider(100.0), units=units),
    "frame": hx.shear_frame([60.0] * 3, 6e4, damping=hx.rayleigh(0.03), laws=hx.Slider(100.0), units=units),
    "portal": hx.frame({"A": (0, 0), "B": (0, 3), "C": (5, 3), "D": (5, 0)}, bars, units=units,
                       supports={"A": "fixed", "D": "fixed"}, damping=hx.rayleigh(0.03),
                       masses={"B": (10.0, 10.0, 0.1), "C": (10.0, 10.0, 0.1)}),
}
for name, model in models.items():
    for scheme in (hx.Galerkin(0.01), hx.Galerkin(0.01, load="end"), hx.Newmark(0.01)):
        if name == "bilinear" and scheme != hx.Galerkin(0.01):
            continue
        sol = hx.solve(hx.Problem(model, motion.on(model, g=9.80665), 5.0), scheme)
        bits = b"".join(sol.values(kind).tobytes() for kind in ("displacement", "momentum", "slip", "force"))
        print(name, scheme, hashlib.sha256(bits).hexdigest(), sol.residual)
print("numba" in sys.modules, "llvmlite" in sys.modules)
"""


@needs_bare_code
def test_runs_without_numba_have_the_bits_of_runs_with_it():
    def said(how):
        ran = subprocess.run([sys.executable, "-c", BARE, how], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.splitlines()

    first, second = said("numba"), said("bare")
    assert (first.pop(), second.pop()) == ("True True", "False True")
    assert len(first) == 13
    assert first == second
