"""Pictures of a derivation: the systems of the library, and the argument after figures 3, 4 and 6 of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable

from hamex.principle.action import Action
from hamex.report.derivation.document import LEFT, Drawing, Point, dashpot, force, mass, motion, slider, spring, wall
from hamex.report.derivation.formula import (
    HALF_PERIOD,
    Formula,
    Text,
    cos,
    enumerated,
    equal,
    say,
    sym,
    thin,
    tight,
    virtual,
)

_WIDE, _HIGH = 340.0, 210.0
_START, _END, _LOW = 50.0, 300.0, 165.0


def sketch(action: Action) -> Drawing | None:
    """A drawing of a system of the library; None for one that is not known here."""
    draw = _SKETCHES.get(action.name)
    return draw(action) if draw else None


def caption(action: Action) -> str:
    """What the sketch shows."""
    return f"The system *{action.name}*."


def _oscillator(upper: Text, damped: bool = False) -> Callable[[Action], Drawing]:
    def draw(action: Action) -> Drawing:
        d = Drawing(430, 170)
        wall(d, 100)
        spring(d, LEFT, 230, 75 if damped else 100, upper)
        if damped:
            dashpot(d, LEFT, 230, 128, sym.c)
        mass(d, 230, 100, sym.m)
        motion(d, 261, 52)
        if action.loads:
            force(d, 292, 100)
        return d

    return draw


def _series(branch: bool, hardening: bool = False, beside: bool = False) -> Callable[[Action], Drawing]:
    """A spring in series with a dashpot, and with a slider beside that dashpot where there is a ``branch``."""

    def draw(action: Action) -> Drawing:
        d = Drawing(560, 230)
        low = 165
        wall(d, 125, 150)
        arm = 80 if beside or branch else 125
        spring(d, LEFT, 190, arm, sym.a)
        if branch:
            d.line([(190, arm - 26), (190, arm + 26)])
            slider(d, 190, 340, arm - 26, enumerated([sym.F["y"], *([sym.H["k"], sym.H["i"]] if hardening else [])]))
            dashpot(d, 190, 340, arm + 26, sym.eta)
            d.line([(340, arm - 26), (340, arm + 26)])
            d.line([(340, arm), (370, arm)])
            d.line([(190, arm - 52), (340, arm - 52)], "soft", 1, arrow=True)
            d.label((265, arm - 57), say("slip {}", sym.u[1]), tone="soft", size=13)
        else:
            dashpot(d, 190, 370, arm, sym.eta)
        if branch:
            dashpot(d, LEFT, 370, low + 15, sym.c)
        if beside:
            spring(d, LEFT, 370, low, sym.k, 9)
        mass(d, 370, 125, sym.m, height=130)
        motion(d, 401, 54)
        if action.loads:
            force(d, 432, 125)
        return d

    return draw


def _kelvin_voigt(action: Action) -> Drawing:
    d = Drawing(400, 170)
    wall(d, 100)
    spring(d, LEFT, 230, 75, sym.k)
    dashpot(d, LEFT, 230, 128, sym.c)
    d.line([(230, 60), (230, 140)], width=3)
    motion(d, 230, 55)
    force(d, 230, 100)
    return d


def _particle(action: Action) -> Drawing:
    d = Drawing(400, 150)
    d.hatch((360, 110), (40, 110), count=14)
    mass(d, 120, 80, sym.m, height=60)
    d.line([(190, 80), (245, 80)], "accent", 2, arrow=True)
    d.label((253, 85), sym.u.dot("t"), "start", "accent")
    motion(d, 151, 48)
    return d


def _chain(action: Action) -> Drawing:
    n = len(action.fields)
    d = Drawing(90 + 150 * n, 180)
    wall(d, 110)
    for i in range(n):
        x = LEFT + 150 * i
        left = x if not i else x + 2
        spring(d, left, x + 100, 88, sym.k[i + 1], 4)
        dashpot(d, left, x + 100, 138, sym.c[i + 1])
        mass(d, x + 100, 110, sym.m[i + 1], 50)
        motion(d, x + 118, 62, sym.u[i + 1])
    return d


def _pendulum(links: int, shaken: bool = False) -> Callable[[Action], Drawing]:
    def draw(action: Action) -> Drawing:
        d = Drawing(360, 250 if links == 2 else 200)
        d.hatch((130, 30), (230, 30))
        x, y = 180.0, 30.0
        for i, angle in enumerate((0.45, 0.95)[:links]):
            length = 105.0
            angle_shown, length_shown, mass_shown = (
                one[i + 1] if links == 2 else one for one in (sym.theta, sym.l, sym.m)
            )
            d.line([(x, y), (x, y + 70)], "soft", 1, dashed=True)
            arc = [(x + 46 * math.sin(a), y + 46 * math.cos(a)) for a in (angle * k / 12 for k in range(13))]
            d.line(arc, "accent", 1.2)
            d.label((x + 58 * math.sin(angle / 2), y + 68 * math.cos(angle / 2)), angle_shown, tone="accent")
            end = (x + length * math.sin(angle), y + length * math.cos(angle))
            d.line([(x, y), end])
            d.label(((x + end[0]) / 2 + 12, (y + end[1]) / 2 - 6), length_shown, "start")
            x, y = end
            d.circle(end, 9)
            d.label((x + 16, y + 6), mass_shown, "start")
        d.line([(60, 90), (60, 140)], "soft", 1.4, arrow=True)
        d.label((48, 120), sym.g, tone="soft")
        if shaken:
            d.line([(105, 50), (105, 12)], "bad", 1.6, arrow=True)
            d.label((98, 30), thin("d", cos(sym.Omega * sym.t)), "end", "bad", 13)
        return d

    return draw


def _gyroscopic(action: Action) -> Drawing:
    d = Drawing(330, 250)
    circle = [(165 + 105 * math.cos(a), 130 + 105 * math.sin(a)) for a in (k * math.pi / 40 for k in range(81))]
    d.line(circle, "soft", 1.4)
    spring(d, 60, 150, 130, sym.k, 4)
    turned = [(165.0 + (9 if i % 2 else -9), 160.0 + 60 * (i + 0.5) / 8) for i in range(8)]
    d.line([(165, 145), (165, 160), *turned, (165, 220), (165, 235)])
    d.label((182, 195), sym.k, "start")
    d.box(150, 115, 30, 30)
    d.label((165, 135), sym.m, size=13)
    d.line([(185, 130), (230, 130)], "accent", arrow=True)
    d.label((236, 135), sym.x, "start", "accent")
    d.line([(165, 110), (165, 65)], "accent", arrow=True)
    d.label((165, 58), sym.y, tone="accent")
    turn = [(165 + 118 * math.cos(a), 130 + 118 * math.sin(a)) for a in (-0.3 - k * 0.05 for k in range(13))]
    d.line(turn, "bad", 1.8, arrow=True)
    d.label((295, 70), sym.Omega, "start", "bad")
    return d


def _bar(action: Action) -> Drawing:
    d = Drawing(470, 140)
    wall(d, 75, 90)
    d.box(LEFT, 52, 300, 46)
    d.label((190, 80), say("{rho}, {}", sym.A[1111]))
    d.line([(LEFT + 300, 75), (LEFT + 350, 75)], "bad", 2, arrow=True)
    d.label((LEFT + 358, 80), say("{} on {}", sym.t.hat, sym.Gamma["t"]), "start", "bad")
    d.label((LEFT + 4, 30), sym.Gamma["u"], "start", "accent")
    d.line([(150, 118), (205, 118)], "accent", arrow=True)
    d.label((213, 123), say("{x}, {}", sym.u[1]("x", "t")), "start", "accent")
    return d


def _block(action: Action) -> Drawing:
    d = Drawing(430, 250)
    wall(d, 140, 130)
    solid = len(action.space) == 3
    d.box(LEFT, 80, 210, 120)
    if solid:
        d.line([(LEFT, 80), (LEFT + 50, 40), (LEFT + 260, 40), (LEFT + 210, 80)])
        d.line([(LEFT + 260, 40), (LEFT + 260, 160), (LEFT + 210, 200)])
    d.label((145, 145), say("{Omega}: {rho}, {}, {}", sym.A["ijkl"], sym.f["i"]))
    edge = LEFT + (262 if solid else 212)
    for y in (75, 110, 145):
        d.line([(edge, y), (edge + 46, y - 12)], "bad", 1.8, arrow=True)
    d.label((edge + 54, 105), say("{} on {}", sym.t.hat["i"], sym.Gamma["t"]), "start", "bad")
    d.label((LEFT - 6, 62), sym.Gamma["u"], "end", "accent")
    d.line([(LEFT, 232), (LEFT + 45, 232)], "accent", arrow=True)
    d.label((LEFT + 53, 237), say("{x}, {y}, {z}" if solid else "{x}, {y}"), "start", "accent")
    return d


def _beam(action: Action) -> Drawing:
    d = Drawing(470, 190)
    wall(d, 110, 80)
    axis = [(LEFT + 340 * s, 110 + 44 * s * s) for s in (k / 30 for k in range(31))]
    d.line([(LEFT, 110), (LEFT + 340, 110)], "soft", 1, dashed=True)
    for shift in (-9, 9):
        d.line([(x, y + shift) for x, y in axis])
    d.line([(LEFT + 340, 145), (LEFT + 340, 163)])
    for k in range(7):
        x = LEFT + 30 + 48 * k
        d.line([(x, 52), (x, 84)], "bad", 1.4, arrow=True)
    d.line([(LEFT + 30, 52), (LEFT + 318, 52)], "bad", 1.2)
    d.label((LEFT + 330, 56), sym.q("x", "t"), "start", "bad")
    d.line([(LEFT + 352, 110), (LEFT + 352, 154)], "accent", arrow=True)
    d.label((LEFT + 360, 138), sym.w("x", "t"), "start", "accent")
    if any(q.func.__name__ == "psi" for q in action.fields):
        d.line([(LEFT + 225, 112), (LEFT + 238, 148)], "accent", 1.6)
        d.label((LEFT + 246, 168), sym.psi("x", "t"), tone="accent")
    if action.name == "rayleigh-beam":  # a section that turns with the axis
        d.line([(LEFT + 223, 120), (LEFT + 214, 139)], "accent", 2)
        d.label((LEFT + 246, 168), sym.w[",x"]("x", "t"), tone="accent")
    d.line([(LEFT + 6, 172), (LEFT + 56, 172)], "soft", 1.4, arrow=True)
    d.label((LEFT + 64, 177), sym.x, "start", "soft")
    return d


def _tip_mass(action: Action) -> Drawing:
    d = _beam(action)
    d.circle((LEFT + 339, 154), 10)
    d.label((LEFT + 339, 182), sym.m)
    return d


def _string(action: Action) -> Drawing:
    d = Drawing(470, 150)
    axis = [(LEFT + 340 * s, 90 + 120 * s * (1 - s)) for s in (k / 30 for k in range(31))]
    d.line([(LEFT, 90), (LEFT + 340, 90)], "soft", 1, dashed=True)
    d.line(axis)
    for end in (LEFT, LEFT + 340):
        d.line([(end, 78), (end, 102)])
    for k in range(7):
        x = LEFT + 30 + 48 * k
        d.line([(x, 40), (x, 66)], "bad", 1.4, arrow=True)
    d.line([(LEFT + 30, 40), (LEFT + 318, 40)], "bad", 1.2)
    d.label((LEFT + 330, 44), sym.q("x", "t"), "start", "bad")
    d.line([(LEFT + 170, 90), (LEFT + 170, 119)], "accent", arrow=True)
    d.label((LEFT + 178, 110), sym.w("x", "t"), "start", "accent")
    d.line([(LEFT + 344, 90), (LEFT + 384, 90)], "bad", 1.6, arrow=True)
    d.label((LEFT + 372, 114), sym.N, tone="bad")
    return d


def _sheet(action: Action) -> Drawing:
    d = Drawing(470, 190)
    rim = [(LEFT, 150), (LEFT + 250, 150), (LEFT + 340, 84), (LEFT + 90, 84)]
    d.line([*rim, rim[0]])
    for k in (0.25, 0.5, 0.75):  # lines along x and y on the deflected surface
        for one, other in (((0.0, k), (1.0, k)), ((k, 0.0), (k, 1.0))):
            d.line([_deflected(one, other, j / 24) for j in range(25)], "soft", 1)
    middle = _deflected((0.5, 0.5), (0.5, 0.5), 0.0)
    d.line([(middle[0], 117), middle], "accent", arrow=True)
    below = -12 if action.name == "plate" else 16
    d.label((middle[0] + 8, middle[1] + below), sym.w("x", "y", "t"), "start", "accent")
    for x in (LEFT + 130, LEFT + 170, LEFT + 210):
        d.line([(x, 30), (x, 58)], "bad", 1.4, arrow=True)
    d.label((LEFT + 222, 42), sym.q("x", "y", "t"), "start", "bad")
    if action.name == "plate":
        thick = [(LEFT, 150), (LEFT, 158), (LEFT + 250, 158), (LEFT + 340, 92), (LEFT + 340, 84)]
        d.line(thick)
        d.line([(LEFT + 250, 150), (LEFT + 250, 158)])
        d.line([(LEFT + 6, 178), (LEFT + 56, 178)], "soft", 1.4, arrow=True)
        d.label((LEFT + 64, 183), sym.x, "start", "soft")
        d.line([(LEFT + 304, 138), (LEFT + 342, 110)], "soft", 1.4, arrow=True)
        d.label((LEFT + 350, 114), sym.y, "start", "soft")
        return d
    d.line([(LEFT + 299, 117), (LEFT + 342, 117)], "bad", 1.6, arrow=True)
    d.label((LEFT + 350, 122), sym.N, "start", "bad")
    return d


def _deflected(one: Point, other: Point, s: float) -> Point:
    """A place of the membrane between two others, in shares of its sides, seen from aside."""
    a, b = (p + (q - p) * s for p, q in zip(one, other, strict=True))
    return LEFT + 250 * a + 90 * b, 150 - 66 * b + 30 * math.sin(math.pi * a) * math.sin(math.pi * b)


_SKETCHES: dict[str, Callable[[Action], Drawing]] = {
    "harmonic": _oscillator(sym.k),
    "mixed": _oscillator(equal(sym.a, tight(1) / "k")),
    "damped": _oscillator(sym.k, True),
    "forced": _oscillator(equal(sym.a, tight(1) / "k"), True),
    "duffing": _oscillator(say("{k}, {}", sym.k[3]), True),
    "caldirola-kanai": _oscillator(sym.k, True),
    "viscoplastic": _series(True),
    "hardening-slider": _series(True, hardening=True),
    "maxwell": _series(False),
    "zener": _series(False, beside=True),
    "kelvin-voigt": _kelvin_voigt,
    "particle": _particle,
    "chain": _chain,
    "pendulum": _pendulum(1),
    "double-pendulum": _pendulum(2),
    "parametric-pendulum": _pendulum(1, shaken=True),
    "gyroscopic": _gyroscopic,
    "elastic-1d": _bar,
    "elastic-2d": _block,
    "elastic-3d": _block,
    "string": _string,
    "membrane": _sheet,
    "euler-bernoulli": _beam,
    "timoshenko": _beam,
    "rayleigh-beam": _beam,
    "tip-mass": _tip_mass,
    "plate": _sheet,
}


def _frame(symbol: Formula) -> Drawing:
    d = Drawing(_WIDE, _HIGH)
    d.line([(20, _LOW), (_WIDE - 10, _LOW)], "soft", 1.2, arrow=True)
    d.line([(28, _LOW + 8), (28, 22)], "soft", 1.2, arrow=True)
    for x, name in ((_START, tight(0)), (_END, sym.T)):
        d.line([(x, 30), (x, _LOW)], "soft", 1, dashed=True)
        d.label((x, _LOW + 18), name, tone="soft")
    d.label((_WIDE - 12, _LOW + 18), sym.t, tone="soft")
    d.label((14, 30), symbol, tone="soft")
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


def all_trajectories(symbol: Formula) -> Drawing:
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


def unique_ends(symbol: Formula) -> Drawing:
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
    d.label((x + 12, y + 19), say("{}, {}", symbol.hat[0], sym.p.hat[0]), "start", "accent")
    x, y = points[-1]
    d.label((x - 12, y + 24), say("{}, {}", symbol.hat["T"], sym.p.hat["T"]), "end", "accent")
    return d


def end_points(symbol: Formula) -> Drawing:
    """Hamilton, step 4: the trajectory with the known initial and final position."""
    d = _frame(symbol)
    for k in (-2, -1, 1, 2):
        d.line(_path(0.3, 0.6, 0.5, 0.16 * k), "soft", 1.1, dashed=True)
    points = _path(0.3, 0.6, 0.5)
    d.line(points, "ink", 2)
    for point, name, anchor, shift in ((points[0], "0", "start", 12), (points[-1], "T", "end", -12)):
        d.circle(point, 5.5, "bad")
        d.label((point[0] + shift, point[1] + 22), equal(virtual(symbol)(name), 0), anchor, "bad")
    return d


def initial_values(symbol: Formula) -> Drawing:
    """Extended, step 4: the given initial values are assigned; the end stays open."""
    d = _frame(symbol)
    points = _path(0.3, 0.6, 2.4)
    d.line(points, "ink", 2)
    _tangent(d, points, False, "good")
    d.circle(points[0], 5.5, "good")
    _tangent(d, points, True, "accent", dashed=True)
    d.circle(points[-1], 5, "accent", full=False)
    x, y = points[0]
    d.label((x + 12, y + 19), say("{}, then {}", sym.p.bar[0], symbol.bar[0]), "start", "good")
    x, y = points[-1]
    d.label((x - 12, y + 24), "found, not given", "end", "accent")
    return d


def shifted_in_space(symbol: Formula) -> Drawing:
    """Figure 3: the same time-window, the path shifted."""
    d = _frame(symbol)
    lower, upper = _path(0.15, 0.55, 1.2), _path(0.4, 0.8, 1.2)
    d.line(lower, "ink", 2)
    d.line(upper, "accent", 1.8)
    for i in (0, 13, 27, 40):
        d.line([lower[i], upper[i]], "bad", 1.2, arrow=True)
    d.label((upper[13][0] + 10, upper[13][1] - 8), symbol + sym.varepsilon, "end", "accent")
    d.label((lower[24][0] + 6, lower[24][1] + 22), symbol, "start")
    return d


def shifted_in_time(symbol: Formula) -> Drawing:
    """Figure 4: the same path, started a little later."""
    d = _frame(symbol)
    path = _path(0.15, 0.7, 1.6)
    late = [(x + 26, y) for x, y in path]
    d.line(path, "ink", 2)
    d.line(late, "accent", 1.8)
    for i in (0, 13, 27, 40):
        d.line([path[i], late[i]], "bad", 1.2, arrow=True)
    d.label((path[20][0] - 12, path[20][1] - 14), symbol("t"), "end")
    d.label((late[20][0] + 10, late[20][1] + 22), symbol(sym.t - sym.varepsilon), "start", "accent")
    return d


def half_period(symbol: Formula) -> Drawing:
    """The end-point problem after half a period: all motions from one point meet again in one point."""
    d = _frame(symbol)
    for k in range(-3, 4):
        points = [
            (_START + (_END - _START) * s, 95 - 38 * math.cos(math.pi * s) - 10 * k * math.sin(math.pi * s))
            for s in (i / 40 for i in range(41))
        ]
        d.line(points, "accent" if k else "ink", 1.3)
    d.circle((_START, 57), 5.5, "good")
    d.circle((_END, 133), 5.5, "good")
    d.circle((_END, 75), 5, "bad", full=False)
    d.label((_START + 10, 46), symbol[0], "start", "good")
    d.label((_END - 8, 156), say("{}: infinitely many", -symbol[0]), "end", "good", 13)
    d.label((_END - 10, 68), "elsewhere: none", "end", "bad", 13)
    d.label((_END, _LOW + 34), HALF_PERIOD, tone="soft", size=13)
    return d
