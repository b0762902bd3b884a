"""Where compiled code is kept, by which names, and what compiling took."""

import importlib
import os

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
    assert not found._files[0]._load_index()


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
