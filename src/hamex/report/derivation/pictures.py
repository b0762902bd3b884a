"""Pictures of the argument, after figures 3, 4 and 6 of the paper: trajectories and what is known at their ends."""

from __future__ import annotations

import math

from hamex.report.derivation.drawing import Drawing, Point

_WIDE, _HIGH = 340.0, 210.0
_START, _END, _LOW = 50.0, 300.0, 165.0


def _frame(symbol: str) -> Drawing:
    d = Drawing(_WIDE, _HIGH)
    d.line([(20, _LOW), (_WIDE - 10, _LOW)], "soft", 1.2, arrow=True)
    d.line([(28, _LOW + 8), (28, 22)], "soft", 1.2, arrow=True)
    for x, name in ((_START, "$0$"), (_END, "$T$")):
        d.line([(x, 30), (x, _LOW)], "soft", 1, dashed=True)
        d.label((x, _LOW + 18), name, tone="soft")
    d.label((_WIDE - 12, _LOW + 18), "$t$", tone="soft")
    d.label((14, 30), f"${symbol}$", tone="soft")
    return d


def _path(start: float, end: float, slope: float, bend: float = 0.0, count: int = 40) -> list[Point]:
    """A smooth path by start height, end height and start slope, in the frame's own units (0 … 1)."""
    points = []
    for i in range(count + 1):
        s = i / count
        y = start + slope * s * (1 - s) ** 2 + (end - start) * (3 * s * s - 2 * s**3)
        y += bend * math.sin(math.pi * s) ** 2
        points.append((_START + (_END - _START) * s, _LOW - 15 - 105 * y))
    return points


def _tangent(d: Drawing, points: list[Point], at_end: bool, tone: str, dashed: bool = False) -> None:
    (x0, y0), (x1, y1) = points[-2:] if at_end else points[:2]
    length = math.hypot(x1 - x0, y1 - y0)
    across, down = 34 * (x1 - x0) / length, 34 * (y1 - y0) / length
    x, y = points[-1] if at_end else points[0]
    d.line([(x - across, y - down), (x + across, y + down)], tone, 1.6, dashed)


def all_trajectories(symbol: str) -> Drawing:
    """Hamilton, step 3: all trajectories, with many values and many rates at both ends."""
    d = _frame(symbol)
    for k in range(6):
        points = _path(0.1 + 0.14 * k, 0.95 - 0.15 * ((2 * k) % 6), 2.2 - 0.8 * k, 0.12 * (-1) ** k)
        d.line(points, "soft", 1.3)
        d.circle(points[0], 4, "soft", full=False)
        d.circle(points[-1], 4, "soft", full=False)
        _tangent(d, points, False, "soft")
        _tangent(d, points, True, "soft")
    return d


def unique_ends(symbol: str) -> Drawing:
    """Extended, step 3: one value and one momentum at each end, reserved but not yet specified."""
    d = _frame(symbol)
    for k in range(-2, 3):
        points = _path(0.3, 0.6, 2.4, 0.16 * k)
        d.line(points, "soft" if k else "ink", 1.2 if k else 1.9)
    points = _path(0.3, 0.6, 2.4)
    for at_end in (False, True):
        _tangent(d, points, at_end, "accent", dashed=True)
        d.circle(points[-1 if at_end else 0], 5, "accent", full=False)
    x, y = points[0]
    d.label((x + 12, y + 19), rf"$\hat{{{symbol}}}_0$, $\hat{{p}}_0$", "start", "accent")
    x, y = points[-1]
    d.label((x - 12, y + 24), rf"$\hat{{{symbol}}}_T$, $\hat{{p}}_T$", "end", "accent")
    return d


def end_points(symbol: str) -> Drawing:
    """Hamilton, step 4: the trajectory with the known initial and final position."""
    d = _frame(symbol)
    for k in (-2, -1, 1, 2):
        d.line(_path(0.3, 0.6, 0.5, 0.16 * k), "soft", 1.1, dashed=True)
    points = _path(0.3, 0.6, 0.5)
    d.line(points, "ink", 2)
    for point, name, anchor, shift in ((points[0], "0", "start", 12), (points[-1], "T", "end", -12)):
        d.circle(point, 5.5, "bad")
        d.label((point[0] + shift, point[1] + 22), rf"$\delta {symbol}({name}) = 0$", anchor, "bad")
    return d


def initial_values(symbol: str) -> Drawing:
    """Extended, step 4: the given initial values are assigned; the end stays open."""
    d = _frame(symbol)
    points = _path(0.3, 0.6, 2.4)
    d.line(points, "ink", 2)
    _tangent(d, points, False, "good")
    d.circle(points[0], 5.5, "good")
    _tangent(d, points, True, "accent", dashed=True)
    d.circle(points[-1], 5, "accent", full=False)
    x, y = points[0]
    d.label((x + 12, y + 19), rf"$\bar{{p}}_0$, then $\bar{{{symbol}}}_0$", "start", "good")
    x, y = points[-1]
    d.label((x - 12, y + 24), "found, not given", "end", "accent")
    return d


def shifted_in_space(symbol: str) -> Drawing:
    """Figure 3: the same time-window, the path shifted."""
    d = _frame(symbol)
    lower, upper = _path(0.15, 0.55, 1.2), _path(0.4, 0.8, 1.2)
    d.line(lower, "ink", 2)
    d.line(upper, "accent", 1.8)
    for i in (0, 13, 27, 40):
        d.line([lower[i], upper[i]], "bad", 1.2, arrow=True)
    d.label((upper[13][0] + 10, upper[13][1] - 8), rf"${symbol} + \varepsilon$", "end", "accent")
    d.label((lower[24][0] + 6, lower[24][1] + 22), f"${symbol}$", "start")
    return d


def shifted_in_time(symbol: str) -> Drawing:
    """Figure 4: the same path, started a little later."""
    d = _frame(symbol)
    path = _path(0.15, 0.7, 1.6)
    late = [(x + 26, y) for x, y in path]
    d.line(path, "ink", 2)
    d.line(late, "accent", 1.8)
    for i in (0, 13, 27, 40):
        d.line([path[i], late[i]], "bad", 1.2, arrow=True)
    d.label((path[20][0] - 12, path[20][1] - 14), f"${symbol}(t)$", "end")
    d.label((late[20][0] + 10, late[20][1] + 22), rf"${symbol}(t - \varepsilon)$", "start", "accent")
    return d


def half_period(symbol: str) -> Drawing:
    """The end-point problem after half a period: all motions from one point meet again in one point."""
    d = _frame(symbol)
    for k in range(-3, 4):
        points = [(_START + (_END - _START) * s, 95 - 38 * math.cos(math.pi * s) - 10 * k * math.sin(math.pi * s))
                  for s in (i / 40 for i in range(41))]
        d.line(points, "accent" if k else "ink", 1.3)
    d.circle((_START, 57), 5.5, "good")
    d.circle((_END, 133), 5.5, "good")
    d.circle((_END, 75), 5, "bad", full=False)
    d.label((_START + 10, 46), rf"${symbol}_0$", "start", "good")
    d.label((_END - 8, 156), rf"$-{symbol}_0$: infinitely many", "end", "good", 13)
    d.label((_END - 10, 68), "elsewhere: none", "end", "bad", 13)
    d.label((_END, _LOW + 34), r"$T = \pi/\omega$", tone="soft", size=13)
    return d
