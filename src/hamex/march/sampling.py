"""Samples, linear in between, seen at the nodes of another clock or averaged over its steps.

Positions on the record are whole numbers over one denominator (node r stands at ``(first + r·num)/den``
samples), so that a run that is split anywhere reads the same bits as the whole run.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

Numbers = Sequence[float]
Out = MutableSequence[float]


def nodes(samples: Numbers, first: int, num: int, den: int, out: Out) -> int:
    """Interpolated value at each node; zero beyond the last sample."""
    last = len(samples) - 1
    for r in range(len(out)):
        position = first + r * num
        i = position // den
        part = position - i * den
        if i < last:
            out[r] = samples[i] + (samples[i + 1] - samples[i]) * (part / den)
        elif i == last and part == 0:
            out[r] = samples[i]
        else:
            out[r] = 0.0
    return 0


def means(samples: Numbers, first: int, num: int, den: int, out: Out) -> int:
    """Integral over each step divided by its length: the sum of the trapezoids inside it."""
    last = len(samples) - 1
    for r in range(len(out)):
        begin = first + r * num
        end = begin + num
        total = 0.0
        while begin < end:
            i = begin // den
            if i >= last:
                break
            stop = min(end, (i + 1) * den)
            # Value at the middle of the piece times its length: exact for a straight line.
            middle = 0.5 * (begin + stop - 2 * i * den) / den
            total += (samples[i] + (samples[i + 1] - samples[i]) * middle) * (stop - begin)
            begin = stop
        out[r] = total / num
    return 0
