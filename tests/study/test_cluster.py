"""One table, to the last bit: from one process, two, a dask cluster, and whatever is killed on the way."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from cluster_study import study

from hamex.errors import StudyError

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def alone():
    return study().run(workers=1)


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers of one thread, as processes of their own: address and the workers."""
    file = tmp_path / "scheduler.json"
    base = [sys.executable, "-m"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    started = [
        subprocess.Popen(
            [
                *base,
                "distributed.cli.dask_scheduler",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--no-dashboard",
                "--scheduler-file",
                str(file),
            ],
            **quiet,
        )
    ]
    try:
        for _ in range(2):
            started.append(
                subprocess.Popen(
                    [
                        *base,
                        "distributed.cli.dask_worker",
                        "--scheduler-file",
                        str(file),
                        "--nthreads",
                        "1",
                        "--no-nanny",
                        "--no-dashboard",
                        "--local-directory",
                        str(tmp_path),
                    ],
                    **quiet,
                )
            )
        yield _address(file), started[1:]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def _address(file: Path, patience: float = 600.0) -> str:
    from distributed import Client

    end = time.monotonic() + patience
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.05)
    with Client(scheduler_file=str(file), timeout=patience) as client:
        client.wait_for_workers(2, timeout=patience)
        return client.scheduler.address


def same(table, other):
    assert list(table.columns) == list(other.columns)
    for name, values in table.columns.items():
        assert np.array_equal(values, other.columns[name]), name


@pytest.mark.heavy
def test_two_processes_give_the_same_table_and_survive_the_death_of_one(alone):
    killed = []

    def tell(progress):
        if progress.done >= 10 and not killed:
            killed.append(multiprocessing.active_children()[0].pid)
            os.kill(killed[0], signal.SIGKILL)

    same(study().run(workers=2, tell=tell), alone)
    assert killed
    assert alone.values("ductility").shape == (44, 3, 20)
    assert alone.provenance["motions"] == "synthetic"


def test_a_cluster_of_two_gives_the_same_table_and_survives_the_death_of_one(alone, cluster):
    address, workers = cluster
    same(study().run(cluster=address), alone)

    def tell(progress):
        if progress.done >= 10 and workers[0].poll() is None:
            workers[0].kill()
            workers[0].wait()

    same(study().run(cluster=address, tell=tell), alone)
    assert workers[0].poll() is not None
    assert workers[1].poll() is None


@pytest.mark.heavy
def test_a_study_that_was_killed_goes_on_where_it_was(alone, tmp_path):
    script = Path(__file__).with_name("cluster_study.py")
    done = subprocess.run([sys.executable, script, tmp_path / "parts", "17"], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    again = study().run(workers=1, store=tmp_path / "parts")
    assert again.found == 17
    assert again.ran == alone.ran - 17
    same(again, alone)


def test_an_address_without_a_scheduler_leaves_no_client_behind(tmp_path):
    """Reference: analytic. xarray locks files through dask's default client, also one that never came up."""
    xarray = pytest.importorskip("xarray")
    with pytest.raises(StudyError, match="no dask scheduler answers at nowhere") as told:
        study().run(cluster="nowhere")
    xarray.Dataset({"displacement": ("time", np.zeros(3))}).to_netcdf(tmp_path / "after.nc", engine="h5netcdf")
    assert (tmp_path / "after.nc").is_file()
    assert told.tb is not None  # kept until here: a traceback is what keeps such a client alive
