"""Samples, linear in between, seen at the nodes of another clock or averaged over its steps.

Node r stands at ``base + (first + r)·ratio`` samples: a formula of the node's whole number on the clock of the first
run, so that a run that is split anywhere reads the same bits as the whole run.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

Numbers = Sequence[float]
Out = MutableSequence[float]

CLOSE = 1e-9  # positions this near to a sample are that sample


def nodes(samples: Numbers, base: float, first: int, ratio: float, out: Out) -> int:
    """Interpolated value at each node; the last sample is the zero that ends a record, and so is all beyond it."""
    last = len(samples) - 1
    for r in range(len(out)):
        position = base + (first + r) * ratio
        i = int(position + CLOSE)
        if i < last:
            out[r] = samples[i] + (samples[i + 1] - samples[i]) * max(position - i, 0.0)
        else:
            out[r] = 0.0
    return 0


def means(samples: Numbers, base: float, first: int, ratio: float, out: Out) -> int:
    """Integral over each step divided by its length: the sum of the trapezoids inside it."""
    last = len(samples) - 1
    for r in range(len(out)):
        begin = base + (first + r) * ratio
        end = base + (first + r + 1) * ratio
        length = end - begin
        total = 0.0
        i = int(begin)
        while i < last and begin < end:
            stop = min(end, i + 1.0)
            # Value at the middle of the piece times its length: exact for a straight line.
            middle = 0.5 * ((begin - i) + (stop - i))
            total += (samples[i] + (samples[i + 1] - samples[i]) * middle) * (stop - begin)
            begin = stop
            i += 1
        out[r] = total / length
    return 0
