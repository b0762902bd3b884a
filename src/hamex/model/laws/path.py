"""Laws that are followed along their deformation, piece by straight piece; and what one of them does on a given path.

Such a law writes one function, ``spring_piece``. The march puts the mean force of the path of a step into its balance
(:func:`hamex.march.springs.followed`), or asks for the force at its end; :func:`respond` walks any path.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import floats, is_positive
from hamex.errors import ConvergenceError, LawError, ProblemError
from hamex.model.laws.law import Array, Group, Law, Split

# Places in the state of every law that is followed.
SLIP, LAST, FORCE, WAY, RECOVERABLE = range(5)
FOLLOWED = ("slip", "last_deformation", "last_force", "way", "recoverable")
_AHEAD = 1e-9  # deformation of a spring that sets out
MOST_PIECES = 1000  # of a way, as in hamex.march.springs
_SAME = 1e-12  # of the deformation at a start: what rounding leaves between a state and its displacement
_CANCELLED = 1e-14  # the same of the displacements that it is a difference of


class PathLaw(Law):
    """Base of laws that are followed piece by piece.

    ``spring_piece(p, r, e, way, z, o)`` moves the state z[o …] along its present piece to the deformation e, lets
    happen what is due there (a reversal, the end of a piece), and returns force, slope of the piece ahead and the
    deformation at which that piece ends on the way +1 or −1 (±∞: never). The way 0 closes a step of a motion: nothing
    lies ahead, but what would fail on a reversal fails here, because no step could reach that instant. All state
    variables of a new spring are zero; the first are the slip, which its callers fill in, the last deformation, force
    and way, and the energy that unloading now would give back.

    Examples
    --------
    >>> import hamex as hx
    >>> issubclass(hx.laws.Bilinear, PathLaw), hx.laws.Bilinear.variables[:2]
    (True, ('slip', 'last_deformation'))
    """

    variables: ClassVar[tuple[str, ...]] = FOLLOWED
    form = "path"
    effort = 3

    @classmethod
    def recorded(cls, group: Any) -> tuple[str, ...]:
        """What the energies are told by."""
        return ("recoverable",)

    @classmethod
    def yields(cls, group: Any) -> Array:
        return np.ones(len(group.first), dtype=bool)

    @classmethod
    def split(
        cls, group: Any, k: Array, h: float, deformation: Array, force: Array, states: Mapping[str, Array]
    ) -> Split:
        """Stored is what unloading now would give back, all other work is lost."""
        stored = np.array(states["recoverable"])
        lost = force * np.diff(deformation, axis=0) - np.diff(stored, axis=0)
        return Split(stored, np.zeros_like(stored), lost, np.zeros_like(lost))


class Response(NamedTuple):
    """What a spring does on its path.

    Attributes
    ----------
    deformation, force : at the points of the path, and at the events between them where those were asked for.
    dissipated : energy lost up to each of them.
    event : True for points that lie between those of the path.
    states : state variables at the points by name.

    Examples
    --------
    >>> import hamex as hx
    >>> path = respond(hx.laws.Bilinear(yield_force=1.0), [0.0, 0.03], stiffness=100.0, events=True)
    >>> path.deformation.tolist(), path.force.tolist(), path.event.tolist()
    ([0.0, 0.01, 0.03], [0.0, 1.0, 1.0], [False, True, False])
    """

    deformation: Array
    force: Array
    dissipated: Array
    event: NDArray[np.bool_]
    states: dict[str, Array]


def respond(
    law: Law, deformations: ArrayLike, stiffness: float, *, times: ArrayLike | None = None, events: bool = False
) -> Response:
    """Force of one spring whose deformation goes in straight lines from point to point: exact, however few points.

    Parameters
    ----------
    law : of one spring: :class:`hamex.laws.Bilinear`, :class:`hamex.laws.IMK`, :class:`hamex.Slider`,
        :class:`hamex.laws.Gap` or another that is followed along its path.
    deformations : of the spring, point by point; the spring is new before the first, and goes there from zero [length].
    stiffness : of the elastic spring [force/length].
    times : of the points, growing [s]; needed where the force depends on the rate.
    events : also tell the points between the given ones where the law turns from one straight piece to the next.

    Examples
    --------
    >>> import hamex as hx
    >>> law = hx.laws.Bilinear(yield_force=1.0, plastic=0.02, post_cap=0.04)
    >>> respond(law, [0.0, 0.05, 0.04], stiffness=100.0).force.round(12).tolist()
    [0.0, 0.5, -0.5]
    """
    points = np.atleast_1d(floats(deformations, "respond: deformations must be numbers", ProblemError))
    if points.ndim != 1 or not len(points) or not np.isfinite(points).all():
        raise ProblemError("respond: deformations must be a row of finite numbers")
    if not is_positive(stiffness):
        raise ProblemError(f"respond: stiffness must be a positive number, got {stiffness!r}")
    followed, group, p = followed_by(law, stiffness, "respond")
    spans = _spans(law, points, times)
    z = np.zeros(len(followed.variables))
    rows: list[tuple[float, float, bool, float, Array]] = []
    e, work = 0.0, 0.0
    for goal, span in zip(points.tolist(), spans.tolist(), strict=True):
        for point, force, done, is_event, state in passed(followed, p, e, goal, span, z):
            work += done
            if events or not is_event:
                rows.append((point, force, is_event, work, state))
        e = goal
    at, forces, event, given, states = (np.array(column) for column in zip(*rows, strict=True))
    own = {name: states[:, [v]] for v, name in enumerate(followed.variables)}
    still = np.zeros((len(rows) - 1, 1))
    held = followed.split(group, np.array([stiffness]), 1.0, at[:, None], still, own)
    lost = given - (held.stored + held.hardening)[:, 0]
    return Response(at, forces, lost, event, {name: column[:, 0] for name, column in own.items()})


def forces_along(law: Law, deformations: Array, stiffness: float) -> Array:
    """Forces of :func:`respond` alone, for callers that ask many times."""
    followed, _, p = followed_by(law, stiffness, "respond")
    row, z, e = p.tolist(), [0.0] * len(followed.variables), 0.0  # lists: three times faster than arrays
    found = []
    piece = followed.spring_piece
    for goal in deformations.tolist():
        if piece is None:
            new = np.array(z)
            _along(followed, p, e, goal, 1.0, new)
            z = new.tolist()
            found.append(row[0] * (goal - z[SLIP]))
        else:
            if goal != e:
                way = 1.0 if goal > e else -1.0
                _, _, edge = piece(row, 0, e, way, z, 0)
                pieces = 0
                while way * (edge - goal) < 0:
                    _, _, edge = piece(row, 0, edge, way, z, 0)
                    pieces = _counted(pieces, law, edge)
                piece(row, 0, goal, way, z, 0)
            found.append(z[FORCE])
        e = goal
    return np.array(found)


def _spans(law: Law, points: Array, times: ArrayLike | None) -> Array:
    """Length of time of each straight line; 1 where time means nothing."""
    rated = relaxes(law)
    if times is None:
        if rated:
            raise ProblemError("respond: the force of this law depends on the rate; give the times of the points")
        return np.ones(len(points))
    given = np.atleast_1d(floats(times, "respond: times must be numbers", ProblemError))
    if given.shape != points.shape or not np.isfinite(given).all() or np.any(np.diff(given) <= 0):
        raise ProblemError("respond: times must be finite numbers that grow, one for each point")
    if points[0] != 0 and rated:
        raise ProblemError("respond: with times the first deformation must be zero, where the spring is new")
    return np.concatenate([[1.0], np.diff(given)])


def relaxes(law: Any) -> bool:
    """Whether the force of a law, or of a part of it, depends on the rate."""
    parts = law.made_of()[0] if isinstance(law, Law) and hasattr(law, "made_of") else ()
    return float(getattr(law, "viscosity", 0.0)) > 0 or any(relaxes(part) for part in parts)


def check_rate(law: Law, who: str) -> None:
    """Refuse a law whose force depends on the rate where there is a path and no time."""
    if relaxes(law):
        raise LawError(f"{who}: the force of this law depends on the rate; give it without viscosity")


def followed_by(law: Law, stiffness: float, who: str) -> tuple[type[Law], Group, Array]:
    """The form of a law of one spring along its path, its group of one, and the numbers that its kernel takes."""
    if not isinstance(law, Law) or law.size != 1:
        raise LawError(f"{who}: give the law of one spring, such as Bilinear or IMK, got {law!r:.60}")
    followed = type(law).followed or type(law)
    if followed.spring_piece is None and followed.spring_along is None:
        raise LawError(f"{who}: {type(law).__name__} has no form along a path; it is asked at instants only")
    group = type(law).grouped([law], [0])
    return followed, group, followed.prepared(group, np.array([stiffness]), 1.0)[0]  # a path needs no time


def first_slope(law: Law, stiffness: float) -> float:
    """Slope with which a new spring of this stiffness sets out.

    Examples
    --------
    >>> import hamex as hx
    >>> first_slope(hx.laws.MultilinearElastic(points=[(0.01, 2.0), (0.03, 3.0)]), 150.0)
    200.0
    """
    followed, _, p = followed_by(law, stiffness, "first slope")
    force = passed(followed, p, 0.0, _AHEAD, 1.0, np.zeros(len(followed.variables)))[-1][1]
    return float(f"{force / _AHEAD:.9g}")


class OnPath(NamedTuple):
    """Where a spring is on its path."""

    e: float
    force: float
    z: Array


class Walk(NamedTuple):
    """A law of one spring on straight lines from place to place."""

    law: type[Law]
    p: Array

    def new(self) -> OnPath:
        """A new spring."""
        return OnPath(0.0, 0.0, np.zeros(len(self.law.variables)))

    def with_work(self, here: OnPath, goal: float) -> tuple[OnPath, float]:
        """The spring at the goal, and the work on the way."""
        z = here.z.copy()
        points = passed(self.law, self.p, here.e, goal, 1.0, z)
        return OnPath(goal, self._finite("force", points[-1][1], goal), z), sum(done for _, _, done, _, _ in points)

    def to(self, here: OnPath, goal: float) -> OnPath:
        """The spring at the goal; without the work, which some laws find by quadrature."""
        if self.law.spring_piece is not None or self.law.spring_at is None:
            return self.with_work(here, goal)[0]
        z = here.z.copy()
        force = float(self.law.spring_at(self.p, 0, goal, 1.0, here.z, 0, z)[0])
        return OnPath(goal, self._finite("force", force, goal), z)

    def tangent(self, here: OnPath, e: float, goal: float) -> float | None:
        """Tangent at e on the way to the goal, as the law says it."""
        if self.law.spring_piece is not None:
            z = self.to(here, e).z
            return float(self.law.spring_piece(self.p, 0, e, 1.0 if goal > e else -1.0, z, 0)[1])
        if self.law.spring_at is not None:
            tangent = float(self.law.spring_at(self.p, 0, e, 1.0, here.z, 0, here.z.copy())[1])
            return self._finite("tangent", tangent, e)
        return None

    def _finite(self, what: str, value: float, e: float) -> float:
        """A number that can be compared: NaN is neither larger nor smaller than any other, and would pass."""
        if not math.isfinite(value):
            raise LawError(f"{self.law.__name__}: its {what} is {value:g} at a deformation of {e:.3g}")
        return value


Passed = list[tuple[float, float, float, bool, Array]]


def passed(law: type[Law], p: Array, e: float, goal: float, span: float, z: Array) -> Passed:
    """Points on the way from e to the goal: deformation, force, work since the last, whether it is an event, state."""
    return _along(law, p, e, goal, span, z) if law.spring_piece is None else _walked(law, p, e, goal, z)


def _counted(pieces: int, law: Any, e: float) -> int:
    """One piece more of a way; refuses a law whose pieces lead nowhere."""
    if pieces == MOST_PIECES:
        name = getattr(law, "__name__", type(law).__name__)
        raise ConvergenceError(
            f"respond: {name} has more than {MOST_PIECES} straight pieces before it is at a deformation of {e:g}; the "
            "path or a parameter is out of proportion with the rest"
        )
    return pieces + 1


def _walked(law: type[Law], p: Array, e: float, goal: float, z: Array) -> Passed:
    """The same piece by piece."""
    piece, pieces = law.spring_piece, 0
    assert piece is not None
    if goal == e:
        return [(e, float(z[FORCE]), 0.0, False, z.copy())]
    way, found = (1.0 if goal > e else -1.0), list[tuple[float, float, float, bool, Array]]()
    force, k, edge = piece(p, 0, e, way, z, 0)
    while way * (edge - goal) < 0:
        before, at = force, e
        end = before + k * (edge - at)
        e = edge
        force, k, edge = piece(p, 0, e, way, z, 0)
        pieces = _counted(pieces, law, e)
        z[SLIP] = e - z[FORCE] / p[0]
        found.append((e, force, 0.5 * (before + end) * (e - at), True, z.copy()))
    end = force + k * (goal - e)
    piece(p, 0, goal, way, z, 0)
    z[SLIP] = goal - z[FORCE] / p[0]
    found.append((goal, float(z[FORCE]), 0.5 * (force + end) * (goal - e), False, z.copy()))
    return found


def _along(law: type[Law], p: Array, e: float, goal: float, span: float, z: Array) -> Passed:
    """The same for a law that knows the mean of its path in closed form."""
    assert law.spring_along is not None
    if law.spring_break is not None:
        at = float(law.spring_break(p, 0, e, goal - e, z, 0))
        if np.isfinite(at) and at not in (e, goal):
            before = _along(law, p, e, at, span * (at - e) / (goal - e), z)
            after = _along(law, p, at, goal, span * (goal - at) / (goal - e), z)
            return [(x, force, work, True, state) for x, force, work, _, state in before] + after
    new = z.copy()
    mean, _, _ = law.spring_along(p, 0, e, goal - e, span, z, 0, new)
    z[:] = new
    return [(goal, float(p[0] * (goal - z[SLIP])), float(mean * (goal - e)), False, new)]


def at_start(
    laws: Mapping[str, Group], k: Mapping[str, Array], deformation: Array, size: Array, now: Mapping[str, Array]
) -> Any:
    """State variables by name of springs that start from a deformation other than the one their state was left at: they
    go there on a straight path. A slip that is not theirs is refused.

    ``size`` is what the deformation is a difference of: its rounding is no way to go, on which a spring might turn.
    """
    changed: dict[str, Array] = {}
    for kind, group in laws.items():
        if not issubclass(group.law, PathLaw) or not len(group.first):
            continue
        known = {name: changed.get(name, now.get(name, np.zeros(len(deformation)))) for name in group.law.variables}
        table = group.law.prepared(group, k[kind], 1.0)
        for row, spring in zip(table, group.first.tolist(), strict=True):
            z = np.array([known[name][spring] for name in group.law.variables])
            e = float(deformation[spring])
            if z[SLIP] != 0 and not z[LAST] and not z[FORCE]:
                raise ProblemError(
                    f"Problem: a slip alone does not tell the state of a {group.law.__name__}; start from "
                    "the final state of another run, or give displacements alone, which it reaches from zero"
                )
            if abs(e - z[LAST]) > max(_SAME * max(abs(e), abs(z[LAST])), _CANCELLED * size[spring]):
                passed(group.law, row, float(z[LAST]), e, 1.0, z)
                for v, name in enumerate(group.law.variables):
                    changed.setdefault(name, np.array(known[name], dtype=float))[spring] = z[v]
    return changed


def at_node(laws: Mapping[str, Group], k: Mapping[str, Array], now: Mapping[str, Array]) -> dict[str, Array]:
    """State variables by name of springs at the start of a motion: at its nodes those are gone that would not survive a
    reversal, which slow loading and paths keep until they turn."""
    found = dict(now)
    for kind, group in laws.items():
        piece = group.law.spring_piece
        if piece is None or "last_force" not in now or not np.any(now["last_force"][group.first]):
            continue
        none = np.zeros(len(now["last_force"]))
        table = group.law.prepared(group, k[kind], 1.0)
        for row, spring in zip(table, group.first.tolist(), strict=True):
            z = np.array([now.get(name, none)[spring] for name in group.law.variables])
            held, e = z[FORCE], float(z[LAST])
            piece(row, 0, e, 0.0, z, 0)
            if held != 0 and z[FORCE] == 0:
                z[SLIP] = e
                for v, name in enumerate(group.law.variables):
                    found[name] = np.array(found.get(name, none), dtype=float)
                    found[name][spring] = z[v]
    return found
