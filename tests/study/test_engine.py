"""The engine: every executor gives the same tables, finished parts are not run again, and death is survived."""

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import faults
import numpy as np
import pytest
from engine_work import dies_always, dies_once, places, squares, stops
from faults import DAMAGES, damaged, expected, killed_study, little_room, square_parts

from hamex.errors import DamageWarning, FileError, InputError, MissingPackageError, StudyError
from hamex.study.engine import StoppedError, StudyPart, run_parts


def parts(count=7, **more):
    return [StudyPart(f"key{i}", 1.0, {"values": [i, i + 1], **more}) for i in range(count)]


def columns(outcome):
    return [table["square"].tolist() for table in outcome.tables]


EXPECTED = [[i**2, (i + 1) ** 2] for i in range(7)]


@pytest.mark.parametrize("where", [{"workers": 1}, {"workers": 2}, {"executor": "threads"}])
def test_every_executor_gives_the_same_in_the_same_order(where):
    if "executor" in where:
        where = {"executor": ThreadPoolExecutor(3)}
    assert columns(run_parts(squares, parts(), **where)) == EXPECTED


def test_short_work_starts_no_process_and_long_work_goes_on_in_others(monkeypatch):
    assert {int(table["process"][0]) for table in run_parts(places, parts()).tables} == {os.getpid()}
    monkeypatch.setattr("hamex.study.engine._QUICK", 0.0)
    monkeypatch.setattr("hamex.study.engine.processors", lambda: 1)
    assert os.getpid() not in {int(table["process"][0]) for table in run_parts(places, parts()).tables}


def test_finished_parts_are_not_run_again(tmp_path):
    first = run_parts(squares, parts(4), store=tmp_path, workers=1)
    assert (first.ran, first.found) == (4, 0)
    second = run_parts(squares, parts(), store=tmp_path, workers=1)
    assert (second.ran, second.found) == (3, 4)
    assert columns(second) == EXPECTED
    assert second.tables[0]["name"].tolist() == ["a", "a"]


def test_without_polars_parts_are_kept_in_memory_only(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingPackageError, match=r"kept in a folder need polars: pip install 'hamex\[tables\]'"):
        run_parts(stops, parts(), store=tmp_path / "new", workers=1)
    assert list(tmp_path.iterdir()) == []
    assert columns(run_parts(squares, parts(), workers=1)) == EXPECTED


def test_an_interruption_keeps_what_is_finished_and_says_how_to_go_on(tmp_path):
    with pytest.raises(StoppedError, match=r"2 of 7 parts are finished and kept in .*the same command goes on"):
        run_parts(stops, parts(), store=tmp_path, workers=1)
    again = run_parts(squares, parts(), store=tmp_path, workers=1)
    assert (again.ran, again.found) == (5, 2)


def test_a_worker_that_is_killed_does_not_end_the_study(tmp_path):
    done = run_parts(dies_once, parts(mark=str(tmp_path / "mark")), workers=2)
    assert columns(done) == EXPECTED


def test_a_part_that_kills_every_worker_is_named():
    with pytest.raises(StudyError, match="part 0 ended its worker process 3 times"):
        run_parts(dies_always, parts(2), workers=2)


def test_progress_counts_work_and_not_what_was_found(tmp_path):
    run_parts(squares, parts(3), store=tmp_path, workers=1)
    told = []
    run_parts(squares, parts(), store=tmp_path, workers=1, tell=told.append)
    assert [step.done for step in told] == [3, 4, 5, 6, 7]
    assert told[0].left is None
    assert told[1].left > 0
    assert told[-1].share == pytest.approx(1.0)
    assert told[-1].left == pytest.approx(0.0, abs=1e-9)
    assert all(step.found == 3 for step in told)


def test_contradictory_wishes_are_refused():
    with pytest.raises(InputError, match="one of executor, workers and cluster"):
        run_parts(squares, parts(), workers=2, cluster="local")


# Faults ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*DAMAGES, "another part", "a folder"])
def test_a_part_that_does_not_verify_is_run_again_and_said(kind, tmp_path):
    run_parts(faults.squares, square_parts(3), store=tmp_path, workers=1)
    part, rng = tmp_path / "key0001.parquet", np.random.default_rng(7)
    whole = part.read_bytes()
    for _ in range(12 if kind in ("bit", "zeros", "noise", "cut") else 1):
        part.unlink()
        if kind == "another part":
            part.write_bytes((tmp_path / "key0002.parquet").read_bytes())
        elif kind == "a folder":
            part.mkdir()
            with (
                pytest.warns(DamageWarning),
                pytest.raises(FileError, match=r"key0001\.parquet: Is a directory; .*2 of 3"),
            ):
                run_parts(faults.squares, square_parts(3), store=tmp_path, workers=1)
            part.rmdir()
            return
        else:
            part.write_bytes(damaged(whole, kind, rng))
        told = []
        with pytest.warns(DamageWarning, match="1 of 3 parts do not verify and are run again; .*key0001.parquet"):
            again = run_parts(faults.squares, square_parts(3), store=tmp_path, workers=1, tell=told.append)
        assert (again.ran, again.found, told[-1].damaged) == (1, 2, 1)
        assert columns(again) == expected(3)
        assert part.read_bytes() == whole


def test_a_full_disk_ends_a_study_in_a_sentence_and_the_study_goes_on(tmp_path):
    long = [StudyPart(f"key{i}", 1.0, {"values": list(range(10 if i < 2 else 5000))}) for i in range(4)]
    with (
        little_room(20_000),
        pytest.raises(FileError, match=r"cannot write .*key2\.parquet: File too large; 2 of 4 parts .*goes on"),
    ):
        run_parts(faults.squares, long, store=tmp_path, workers=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["key0.parquet", "key1.parquet"]
    again = run_parts(faults.squares, long, store=tmp_path, workers=1)
    assert (again.ran, again.found) == (2, 2)


@pytest.mark.parametrize("make", ["a file", "below a file"])
def test_a_store_that_cannot_be_is_refused_by_name(make, tmp_path):
    (tmp_path / "file").write_text("mine")
    store = tmp_path / "file" if make == "a file" else tmp_path / "file" / "parts"
    with pytest.raises(FileError, match=r"cannot (?:keep parts in|write into)"):
        run_parts(faults.squares, square_parts(2), store=store, workers=1)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.chief("9")
def test_workers_end_with_a_study_that_is_killed(how, tmp_path):
    assert killed_study(tmp_path, how, after=3) == []
    again = run_parts(faults.squares, square_parts(40), store=tmp_path / "parts", workers=1)
    assert again.found >= 3
    assert columns(again) == expected(40)
    assert "Traceback" not in (tmp_path / "said.txt").read_text()
