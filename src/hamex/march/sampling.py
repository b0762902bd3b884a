"""Samples, linear in between, seen at the nodes of another clock or averaged over its steps.

Node r stands at ``base + (first + r)·ratio`` samples: a formula of the node's whole number on the clock of the first
run, so that a run that is split anywhere reads the same bits as the whole run. One zero sample follows the last one,
and all beyond it is zero.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

Numbers = Sequence[float]
Out = MutableSequence[float]

AVERAGE, END, MEAN = 0, 1, 2  # what a step takes of its load
CLOSE = 1e-9  # positions this near to a sample are that sample
SHORT = 0.05  # steps of so few samples have a loop of their own


def nodes(samples: Numbers, base: float, first: int, ratio: float, out: Out) -> int:
    """Interpolated value at each node."""
    if ratio < SHORT:
        return _short_steps(samples, base, first, ratio, out)
    value, slope, whole = 0.0, 0.0, -1.0
    for r in range(len(out)):
        position = base + (first + r) * ratio
        if position + CLOSE >= whole + 1.0:
            i = max(int(position + CLOSE), 0)  # lets the compiler see that no index counts from the end
            value = samples[i] if i < len(samples) else 0.0
            slope = (samples[i + 1] if i + 1 < len(samples) else 0.0) - value
            whole = float(i)
        inside = position - whole
        out[r] = value + slope * (inside if inside > 0.0 else 0.0)
    return 0


def _short_steps(samples: Numbers, base: float, first: int, ratio: float, out: Out) -> int:
    """The same, one loop for all nodes between two samples: half the time where there are many."""
    r = 0
    while r < len(out):
        position = base + (first + r) * ratio
        i = max(int(position + CLOSE), 0)
        value = samples[i] if i < len(samples) else 0.0
        slope = (samples[i + 1] if i + 1 < len(samples) else 0.0) - value
        count = min(max(int((i + 1 - position) / ratio), 1), len(out) - r)
        while count > 1 and base + (first + r + count - 1) * ratio + CLOSE >= i + 1:
            count -= 1
        for j in range(r, r + count):
            inside = base + (first + j) * ratio - i
            out[j] = value + slope * (inside if inside > 0.0 else 0.0)
        r += count
    return 0


def averages(samples: Numbers, base: float, first: int, ratio: float, out: Out) -> int:
    """Half the sum of the values at the ends of each step; ``out`` has one entry more, for the last node."""
    nodes(samples, base, first, ratio, out)
    for r in range(len(out) - 1):
        out[r] = 0.5 * (out[r] + out[r + 1])
    return 0


def means(samples: Numbers, base: float, first: int, ratio: float, out: Out) -> int:
    """Integral over each step divided by its length: the sum of the trapezoids inside it."""
    for r in range(len(out)):
        begin = base + (first + r) * ratio
        end = base + (first + r + 1) * ratio
        length = end - begin
        total = 0.0
        i = int(begin)
        while i < len(samples) and begin < end:
            stop = min(end, i + 1.0)
            value = samples[i]
            slope = (samples[i + 1] if i + 1 < len(samples) else 0.0) - value
            # Value at the middle of the piece times its length: exact for a straight line.
            middle = 0.5 * ((begin - i) + (stop - i))
            total += (value + slope * middle) * (stop - begin)
            begin = stop
            i += 1
        out[r] = total / length
    return 0
