"""How long a fuzz goes on: until enough was done, its time is up, or a signal comes. An interrupt ends it with what was
counted until then."""

import math
import signal
import time

from hamex.march import run as kernels

STOPPED = []  # signals that came; one that arrives where Python may not raise is found at the next look
ENDS = [math.inf]  # processor time of this process at which the time is up [s]


def heed_signals():
    """Interrupts and requests to end are looked at."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)


def _stop(number, frame):
    STOPPED.append(number)
    raise KeyboardInterrupt


def is_over():
    """Whether nothing more should be begun; asked inside runs too."""
    return bool(STOPPED) or time.process_time() >= ENDS[0]


def why():
    """Why it is over."""
    return "interrupted" if STOPPED else "the time is up"


def repeated(more, goal, seconds, told, tell):
    """Call ``more`` until what it returns adds up to the goal, or so many seconds of processor time are over, or an
    interrupt comes; says every twenty seconds how far it is. Every kernel is compiled at its first use: what a run
    alone would not be worth serves hundreds."""
    taken, began = 0, time.process_time()
    worth, kernels.WORTH_COMPILING = kernels.WORTH_COMPILING, 0
    last, ENDS[0] = began, began + seconds

    def so_far():
        return f"  {told(taken)}, {time.process_time() - began:.0f} s of processor time"

    try:
        while taken < goal and not is_over():
            taken += more()
            if time.process_time() - last > 20:
                last = time.process_time()
                tell(so_far())
        if taken < goal:
            tell(f"{so_far()}: {why()}")
    except KeyboardInterrupt:
        STOPPED.append(signal.SIGINT)
        tell(f"{so_far()}: interrupted")
    finally:
        kernels.WORTH_COMPILING, ENDS[0] = worth, math.inf
