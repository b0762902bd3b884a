"""Threads for kernels that hold no lock: many tasks, results in their order."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(go: Callable[[Task], Result], tasks: Sequence[Task], threads: int) -> list[Result]:
    """What comes of all tasks, in their order; the first error stops those that have not begun."""
    if threads == 1 or len(tasks) == 1:
        return [go(task) for task in tasks]
    with ThreadPoolExecutor(threads) as pool:
        try:
            return list(pool.map(go, tasks))
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
