"""Means of functions over long histories: blocks change neither bits nor memory."""

import tracemalloc

import numpy as np

from hamex.motion import integrals


def test_blocks_do_not_change_a_bit(monkeypatch):
    edges = np.arange(1001) * 0.02
    whole = integrals.step_means(np.sin, edges, (3.333,))
    for size in (1, 7, 333, 1000):
        monkeypatch.setattr(integrals, "_BLOCK", size)
        assert integrals.step_means(np.sin, edges, (3.333,)).tobytes() == whole.tobytes()


def test_memory_is_that_of_the_answer_and_one_block():
    edges = np.arange(300_001) * 0.01
    tracemalloc.start()
    integrals.step_means(np.sin, edges)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6  # all at once it would take 200 MB
