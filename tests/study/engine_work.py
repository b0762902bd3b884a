"""Work for the tests of the engine, in a module that worker processes can import."""

import os
import signal
from pathlib import Path

import numpy as np


def squares(payload):
    """Work of a part."""
    return {"square": np.asarray(payload["values"], dtype=float) ** 2, "name": np.array(["a"] * len(payload["values"]))}


def dies_once(payload):
    """Take the worker along, the first time."""
    mark = Path(payload["mark"])
    if not mark.exists():
        mark.write_text("died")
        os.kill(os.getpid(), signal.SIGKILL)
    return squares(payload)


def dies_always(payload):
    """Take the worker along."""
    os.kill(os.getpid(), signal.SIGKILL)


def stops(payload):
    """Ctrl-C in the third part."""
    if payload["values"][0] == 2:
        raise KeyboardInterrupt
    return squares(payload)


def places(payload):
    """The process that did it."""
    return {"process": np.array([os.getpid()])}
