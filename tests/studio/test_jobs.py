"""Jobs: how many, how long, and who ends them."""

import threading
import time
from types import SimpleNamespace

import pytest

from hamex.errors import InputError
from hamex.studio import jobs as module
from hamex.studio.jobs import CANCELLED, FAILED, FINISHED, RUNNING, Jobs, TooManyJobsError


def over(job, seconds=600.0):
    job.wait(seconds)
    assert not job.busy
    return job


def endless(job):
    while True:
        job.check()
        time.sleep(0.001)


def test_a_job_gives_what_its_work_returns_and_ids_cannot_be_guessed():
    jobs = Jobs(2)
    job = over(jobs.start(lambda job: 42))
    assert (job.state, job.result, job.message) == (FINISHED, 42, "")
    assert jobs.find(job.id) is job
    assert jobs.find("0" * 32) is None
    assert len(job.id) == 32
    assert len({jobs.start(lambda job: 0).id for _ in range(2)}) == 2


def test_a_refusal_is_told_in_its_own_words_and_a_mistake_of_the_server_without_its_insides():
    def refuse(job):
        raise InputError("mass must be positive")

    def fail(job):
        raise KeyError("/secret/place")

    jobs = Jobs(2)
    assert over(jobs.start(refuse)).message == "mass must be positive"
    job = over(jobs.start(fail))
    assert job.state == FAILED
    assert "KeyError" in job.message
    assert "secret" not in job.message


def test_cancel_ends_the_thread_and_makes_room_for_another():
    jobs = Jobs(1)
    job = jobs.start(endless)
    with pytest.raises(TooManyJobsError, match="1 at once"):
        jobs.start(endless)
    job.cancel()
    assert job.state == CANCELLED
    over(job)
    assert over(jobs.start(lambda job: 1)).state == FINISHED
    assert job.state == CANCELLED
    assert job.result is None


def test_a_job_that_finishes_after_it_was_cancelled_stays_cancelled():
    go, jobs = threading.Event(), Jobs(1)
    job = jobs.start(lambda job: go.wait(600))
    job.cancel()
    go.set()
    assert over(job).state == CANCELLED


def test_a_job_nobody_asks_for_ends_itself(monkeypatch):
    jobs = Jobs(1)
    job = jobs.start(endless)
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    assert over(job).state == CANCELLED


def test_a_job_that_is_asked_for_goes_on(monkeypatch):
    clock, checks = [0.0], []
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def counted(job):
        while True:
            job.check()
            checks.append(1)
            time.sleep(0.001)

    jobs = Jobs(1)
    job = jobs.start(counted)
    for _ in range(3):
        clock[0] += 0.9 * module.PATIENCE
        assert jobs.find(job.id).state == RUNNING
        seen = len(checks)
        while job.busy and len(checks) < seen + 2:
            time.sleep(0.001)
    assert job.state == RUNNING
    clock[0] += 1.1 * module.PATIENCE
    assert over(job).state == CANCELLED  # when the questions end


def test_jobs_that_are_over_are_forgotten_the_oldest_first_or_after_a_while(monkeypatch):
    jobs = Jobs(1)
    monkeypatch.setattr(module, "KEPT", 3)
    names = [over(jobs.start(lambda job: 1)).id for _ in range(5)]
    found = [jobs.find(name) is not None for name in names]
    assert found[-1]
    assert not found[0]
    assert sum(found) == 3
    monkeypatch.setattr(module, "MEMORY", -1.0)
    assert jobs.find(names[-1]) is None


def test_the_end_of_the_server_ends_all():
    jobs = Jobs(3)
    running = [jobs.start(endless) for _ in range(3)]
    jobs.end(600.0)
    assert not any(job.busy for job in running)
