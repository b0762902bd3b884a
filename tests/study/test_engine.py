"""The engine: every executor gives the same tables, finished parts are not run again, and death is survived."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from engine_work import dies_always, dies_once, squares, stops

from hamex.errors import InputError, StudyError
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


def test_finished_parts_are_not_run_again(tmp_path):
    first = run_parts(squares, parts(4), store=tmp_path, workers=1)
    assert (first.ran, first.found) == (4, 0)
    second = run_parts(squares, parts(), store=tmp_path, workers=1)
    assert (second.ran, second.found) == (3, 4)
    assert columns(second) == EXPECTED
    assert second.tables[0]["name"].tolist() == ["a", "a"]


def test_a_damaged_part_is_run_again(tmp_path):
    run_parts(squares, parts(), store=tmp_path, workers=1)
    (tmp_path / "key3.parquet").write_bytes(b"half of a fi")
    again = run_parts(squares, parts(), store=tmp_path, workers=1)
    assert (again.ran, again.found) == (1, 6)
    assert columns(again) == EXPECTED


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
