"""Where compiled code is kept, by which names, and what compiling took."""

import logging
import os
import sys
import tempfile
from io import StringIO
from pathlib import Path

import pytest

from hamex.march import kept, run, samples


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
    monkeypatch.setattr(kept, "folder", lambda: place / "times" / "no folder")
    monkeypatch.setattr(kept, "shipped", lambda: None)
    assert kept.place() is None
    assert not kept.is_there("hamex.march.samples.nodes_0123")
    assert run.compiled(thrice)(1.5) == 4.5


def test_kernels_that_the_owner_left_serve_those_who_cannot_write_there(tmp_path, monkeypatch):
    owner, own = tmp_path / "owner", tmp_path / "own"
    for folder in (owner, own):
        folder.mkdir()
    told = []
    monkeypatch.setattr(run, "COMPILING", [lambda seconds: told.append(seconds > 0)])
    monkeypatch.setattr(kept, "shipped", lambda: owner)
    for folder in (owner, own, own):
        monkeypatch.setattr(kept, "folder", lambda folder=folder: folder)
        run._by_arrays.cache_clear()
        assert run.compiled(thrice)(2.5) == 7.5
    assert told == [True, False]
    assert {file.suffix for file in own.rglob("*.*")} >= {".nbi", ".nbc", ".sha256"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be another user")
def test_another_user_reads_what_the_owner_of_an_image_left(monkeypatch):
    with tempfile.TemporaryDirectory() as whole:
        owner, own = Path(whole, "owner"), Path(whole, "own")
        for folder in (owner, own, Path(whole)):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)
        os.chown(own, 65534, 65534)
        told = []
        monkeypatch.setattr(run, "COMPILING", [lambda seconds: told.append(seconds > 0)])
        monkeypatch.setattr(kept, "shipped", lambda: owner)
        monkeypatch.setattr(kept, "folder", lambda: owner)
        run._by_arrays.cache_clear()
        assert run.compiled(thrice)(2.5) == 7.5
        monkeypatch.setattr(kept, "folder", lambda: own)
        monkeypatch.setattr(os, "getuid", os.geteuid)
        kept.unsafe.cache_clear()
        run._by_arrays.cache_clear()
        os.seteuid(65534)
        try:
            assert kept.is_there(kept.kept_name(thrice))
            assert run.compiled(thrice)(2.5) == 7.5
        finally:
            os.seteuid(0)
            kept.unsafe.cache_clear()
        assert told == [True, False]
        assert (own / "code").stat().st_mode & 0o777 == 0o700


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
    (tmp_path / "code").mkdir()
    (tmp_path / "code").chmod(0o777)
    kept.unsafe.cache_clear()
    kept.refuse.cache_clear()
    with caplog.at_level(logging.INFO, "hamex"):
        for _ in range(2):
            run._by_arrays.cache_clear()
            assert run.compiled(thrice)(2.0) == 6.0
    assert len(caplog.records) == 1
    assert "NUMBA_CACHE_DIR" in caplog.text
    assert not list(tmp_path.rglob("*.nbc"))


def test_a_change_of_a_part_is_a_change_of_what_calls_it(place):
    name = "hamex.march.newton.newton_0123"
    code = place / "code" / "march_0"
    code.mkdir(parents=True)
    (code / "newton.newton_0123-9.py311.nbi").write_bytes(b"index")
    kept.seal(name, place / "code", ["hamex.march.newton.gradient_0123 float64**"])
    assert kept.is_there(name)
    assert kept.parts(name, place / "code") == ["hamex.march.newton.gradient_0123 float64**"]
    assert kept.verified(name, place / "code")
    (code / "newton.newton_0123-9.py311.nbi").write_bytes(b"other")
    assert not kept.verified(name, place / "code")
    kept.forget(name, place / "code")
    assert not list(code.iterdir())
