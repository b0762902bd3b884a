"""Where compiled code is kept, by which names, and what compiling took."""

import importlib
import logging
import os
import sys
from io import StringIO
from pathlib import Path

import numba
import pytest

from hamex.march import compiler, kept, samples


def thrice(x):
    return 3.0 * x


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder of times of its own."""
    monkeypatch.setattr(kept, "folder", lambda: tmp_path)
    monkeypatch.setattr(kept, "shipped", lambda: None)
    return tmp_path


# Seconds of compiling -----------------------------------------------------------------------------------------------


def test_what_compiling_took_is_kept_and_told_of_the_next_edition(place):
    by_size = kept.seconds_of(samples.nodes)
    assert by_size > kept.seconds_of(thrice) > 0
    name = kept.kept_name(samples.nodes)
    kept.learn(name, 1.5)
    kept.learn("hamex.march.samples.other_0123", 2.5)
    assert kept.seconds_of(samples.nodes) == 1.5
    kept.learn("hamex.march.samples.nodes_4567", 3.5)
    assert kept.seconds_of(samples.nodes) == 3.5
    assert [known for known, _ in kept.times()][:1] == [name]


def test_what_a_failing_disk_did_to_times_is_passed_over(place):
    kept.learn("hamex.march.old_0123", 1.5)
    with (place / "times").open("ab") as file:
        file.write(b"\xff\xfe\x00 7\n-1 hamex.march.old_0123\nnan hamex.march.old_0123\ntorn hamex.march.old_0123\n")
    kept.learn("hamex.march.new_0123", 2.5)
    assert kept.times() == [("hamex.march.old_0123", 1.5), ("hamex.march.new_0123", 2.5)]


# Sentences ----------------------------------------------------------------------------------------------------------


def test_a_line_needs_a_terminal(monkeypatch):
    closed = StringIO()
    closed.close()
    for stream in (closed, object(), None):  # closed, a program's own, none
        monkeypatch.setattr(sys, "stderr", stream)
        kept.say("compiling")


# Folders ------------------------------------------------------------------------------------------------------------


def test_without_a_place_to_write_a_temporary_one_serves(tmp_path, monkeypatch):
    def refused(path, mode, *_, **__):
        return False

    monkeypatch.setattr(os, "access", refused)  # as on a read-only disk; root may write everywhere
    monkeypatch.setattr(kept.tempfile, "tempdir", str(tmp_path))
    kept.temporary.cache_clear()
    try:
        place = kept._folder.__wrapped__(str(tmp_path / "chosen"))
        assert place == kept.temporary.__wrapped__()
        assert place.parent == tmp_path
        if os.name != "nt":
            kept.unsafe.cache_clear()
            place.chmod(0o777)  # others could put code there
            assert kept.temporary.__wrapped__() not in (place, tmp_path)
    finally:
        kept.temporary.cache_clear()


def test_where_nothing_can_be_written_runs_go_on(monkeypatch):
    def refused(*_, **__):
        raise FileNotFoundError("no usable temporary directory")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept.tempfile, "gettempdir", refused)
        patch.setattr(kept.tempfile, "mkdtemp", refused)
        place = kept.temporary.__wrapped__()
    assert place.parent.name == "__pycache__"  # the owner may have left kernels there
    monkeypatch.setattr(kept, "temporary", lambda: place / "times" / "no folder")
    monkeypatch.setattr(compiler._Places, "_locator_classes", [compiler._TemporaryPlace])
    found = compiler.KernelCache(samples.nodes, lambda starts: None)
    assert not found.is_there()


def test_a_kernel_without_a_place_is_kept_in_a_temporary_one(tmp_path, monkeypatch):
    from numba.core import caching

    monkeypatch.setattr(kept, "temporary", lambda: tmp_path)
    monkeypatch.setattr(compiler._Places, "_locator_classes", [compiler._TemporaryPlace])
    assert caching.CompileResultCacheImpl._locator_classes[-1] is not compiler._TemporaryPlace
    found = compiler.KernelCache(samples.nodes, lambda starts: None)
    assert found.cache_path.startswith(str(tmp_path))
    assert not found.is_there()


def test_kernels_that_the_owner_left_serve_those_who_cannot_write_there(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")  # read when it was loaded
    monkeypatch.setattr(kept, "folder", lambda: tmp_path)
    monkeypatch.setattr(kept, "temporary", lambda: tmp_path / "own")
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "thrice_of.py").write_text("def thrice(x):\n    return 3.0 * x\n", encoding="utf-8")
    found = importlib.import_module("thrice_of").thrice
    told = []
    assert compiler.keep(numba.njit(found), told.append)(1.5) == 4.5
    assert told == [True, False]
    monkeypatch.setattr(compiler._Places, "_locator_classes", [compiler._TemporaryPlace])
    machine = compiler.keep(numba.njit(found), told.append)
    assert machine._cache.cache_path.startswith(str(tmp_path / "own"))
    assert machine._cache.is_there()
    assert machine(2.5) == 7.5
    assert len(told) == 2
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))  # then nothing else counts
    assert not compiler.KernelCache(found, told.append).is_there()


without_modes = pytest.mark.skipif(os.name == "nt", reason="Windows tells no such modes")


@without_modes
@pytest.mark.parametrize(
    ("mode", "above", "said"),
    [
        (0o700, 0o755, ""),
        (0o700, 0o1777, ""),
        (0o777, 0o755, "written by others"),
        (0o1777, 0o755, "written by others"),
        (0o700, 0o777, "written by others"),
        (0o722, 0o755, "written by others"),
    ],
)
def test_a_folder_that_others_can_write_to_is_not_trusted(mode, above, said, tmp_path):
    place = tmp_path / "above" / "place"
    place.mkdir(parents=True)
    place.chmod(mode)
    place.parent.chmod(above)
    found = kept.unsafe.__wrapped__(place)
    assert (said in found) if said else not found


@without_modes
def test_a_folder_of_another_user_is_not_trusted(tmp_path, monkeypatch):
    me = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    assert ("belongs to another user" in kept.unsafe.__wrapped__(tmp_path)) == (me != 0)  # what is root's is trusted
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    real = Path.lstat

    def lstat(path):
        found = list(real(path))
        found[4] = me + 2 if path == link else found[4]
        return os.stat_result(found)

    monkeypatch.setattr(Path, "lstat", lstat)
    assert "link belongs to another user" in kept.unsafe.__wrapped__(link)


@without_modes
def test_code_in_a_folder_of_others_is_neither_read_nor_kept(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(kept, "folder", lambda: tmp_path)
    monkeypatch.setattr(kept, "shipped", lambda: None)
    monkeypatch.setattr(sys, "stderr", StringIO())
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "fourfold_of.py").write_text("def fourfold(x):\n    return 4.0 * x\n", encoding="utf-8")
    function = importlib.import_module("fourfold_of").fourfold
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")  # read when it was loaded
    (tmp_path / "__pycache__").mkdir(exist_ok=True)
    (tmp_path / "__pycache__").chmod(0o777)
    kept.unsafe.cache_clear()
    kept.refuse.cache_clear()
    with caplog.at_level(logging.INFO, "hamex"):
        for _ in range(2):
            assert compiler.keep(numba.njit(function), lambda starts: None)(2.0) == 8.0
    assert len(caplog.records) == 1
    assert "NUMBA_CACHE_DIR" in caplog.text
    assert not list(tmp_path.rglob("*.nbc"))


def test_a_file_under_the_name_of_another_is_not_loaded(tmp_path):
    file = compiler.KernelFile(str(tmp_path), "kernel", None)
    one, other = (("float64",), "machine", "code"), (("int64",), "machine", "code")
    file.save(one, "first")
    file.save(other, "second")
    assert [file.load(one), file.load(other)] == ["first", "second"]
    file._place(other).write_bytes(file._place(one).read_bytes())
    assert [file.load(one), file.load(other)] == ["first", None]
