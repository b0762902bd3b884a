"""The laboratory of laws: one spring on a path of cycles, what each cycle does to it, and its backbone; and a law whose
numbers follow a measured loop."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import floats, is_positive, is_whole
from hamex.errors import HamexError, InputError, LawError
from hamex.files import read_text
from hamex.model.laws import Law as Law
from hamex.model.laws import LawCertificate as LawCertificate
from hamex.model.laws import Response, certify
from hamex.model.laws.combined import Combined
from hamex.model.laws.path import check_rate, forces_along, respond
from hamex.motion.records.columns import table_of
from hamex.names import Shown

Array = NDArray[Any]
# Amplitudes of a loading of growing cycles, over the largest: two cycles each, as in tests of components (ATC-24 1992).
_GROWING = (0.05, 0.1, 0.15, 0.25, 0.4, 0.55, 0.75, 1.0)
_EACH = 2
_SMOOTH = 40  # points on each line of a smooth law, to be seen
_POINTS, _AROUND = 30, 0.7  # random points of a fit for each start, in ln of its numbers
_BYTES = 50_000_000  # of a file with a measured loop


@dataclass(frozen=True)
class Cycle:
    """One way out and back to zero force.

    Attributes
    ----------
    deformation, force : at the farthest point of the excursion.
    secant : force over deformation there [force/length].
    dissipated : in the excursion [force × length].
    kept : force over that of a new spring that goes there at once [1].
    """

    deformation: float
    force: float
    secant: float
    dissipated: float
    kept: float


@dataclass(frozen=True, repr=False)
class LawTrial(Shown):
    """A law on its path: loop, backbone, cycles and certificate.

    Attributes
    ----------
    law, stiffness : what was tried [force/length].
    path : deformations at which it turns [length].
    loop : the response, with points between the turns: where it bends, or many where it is smooth.
    backbone : two responses without a reversal, to either side.
    cycles : excursions, one a turn.
    certificate : what random paths show.
    """

    law: Law
    stiffness: float
    path: Array
    loop: Response
    backbone: tuple[Response, Response]
    cycles: tuple[Cycle, ...]
    certificate: LawCertificate

    def __repr__(self) -> str:
        size = f"stiffness {self.stiffness:g}, {len(self.cycles)} excursions up to {np.abs(self.path).max():g}"
        return f"<LawTrial: {type(self.law).__name__}, {size}>"


def growing(reach: float, *, each: int = _EACH) -> Array:
    """Turning points of cycles that grow up to ``reach`` [length].

    >>> growing(1.0, each=1)[:5].tolist()
    [0.0, 0.05, -0.05, 0.1, -0.1]
    """
    return np.array([0.0, *(sign * share * reach for share in _GROWING for _ in range(each) for sign in (1, -1)), 0.0])


def law_trial(law: Law, *, stiffness: float, path: ArrayLike | None = None, reach: float | None = None) -> LawTrial:
    """Try one spring: on a path of deformations, or on cycles that grow up to ``reach`` [length].

    Examples
    --------
    >>> import hamex as hx
    >>> worn = hx.laws.IMK(1.0, plastic=0.04, post_cap=0.2, reloading="peak", lambda_s=0.5)
    >>> found = law_trial(worn, stiffness=100.0, reach=0.06)
    >>> len(found.cycles), found.cycles[-1].kept < 0.95
    (32, True)
    """
    check_rate(law, "law_trial")
    if path is None:
        if reach is None or not is_positive(reach):
            raise InputError(f"law_trial: give a path, or a positive reach of its cycles; got {reach!r}")
        path = growing(reach)
    turns = np.asarray(path, dtype=float)
    if turns.ndim != 1 or len(turns) < 2 or not np.isfinite(turns).all() or not np.any(turns):
        raise InputError("law_trial: a path is a row of at least two finite deformations that are not all zero")
    loop, far = _seen(law, turns, stiffness), float(np.abs(turns).max())
    up, down = (_seen(law, np.array([0.0, way * far]), stiffness) for way in (1.0, -1.0))
    trial = certify(law, stiffness=stiffness, reach=far)
    return LawTrial(law, stiffness, turns, loop, (up, down), tuple(_cycles(law, stiffness, loop)), trial)


def _seen(law: Law, turns: Array, stiffness: float) -> Response:
    """The response with the points where it bends; where it is smooth, with many on each line."""
    if type(law).spring_piece is not None:
        return respond(law, turns, stiffness, events=True)
    lines = [np.linspace(a, b, _SMOOTH + 1)[1:] for a, b in pairwise(turns)]
    between = np.tile(np.arange(1, _SMOOTH + 1) < _SMOOTH, len(lines))
    return respond(law, np.concatenate([turns[:1], *lines]), stiffness)._replace(event=np.r_[False, between])


def _cycles(law: Law, stiffness: float, loop: Response) -> list[Cycle]:
    """Excursions between the points at which the deformation turns."""
    e, force, lost = loop.deformation, loop.force, loop.dissipated
    way = np.sign(np.diff(e))
    turns = 1 + np.flatnonzero(way[1:] * way[:-1] < 0)
    found: list[Cycle] = []
    before = 0.0
    for turn in turns.tolist():
        at, held = float(e[turn]), float(force[turn])
        new = float(respond(law, [at], stiffness).force[0])
        spent, before = float(lost[turn]) - before, float(lost[turn])
        found.append(Cycle(at, held, held / at if at else math.nan, spent, held / new if new else math.nan))
    return found


def read_loop(path: str | Path) -> tuple[Array, Array]:
    """Deformations and forces of a measured loop: a text file of two columns, with commas, semicolons, tabs or blanks
    between, decimals with a point or a comma; what stands behind a # and a line of names are passed over."""
    path = Path(path)
    said = "\n".join(line.partition("#")[0] for line in read_text(path, _BYTES).splitlines())
    table = table_of(path, said, 2)
    rows, width = table.values.shape
    if width != 2:
        raise InputError(
            f"{path}, line {table.lines[0]}: a loop has two numbers a line, deformation and force; got {width}"
        )
    if rows < 10:
        raise InputError(f"{path}: a loop needs at least ten points, found {rows}")
    return table.values[:, 0], table.values[:, 1]


@dataclass(frozen=True, repr=False)
class FittedLaw(Shown):
    """A law whose numbers follow a measured loop.

    Attributes
    ----------
    law, stiffness : what was found.
    values, errors : of the numbers that were free, by name, and their standard errors: as of a least-squares fit whose
        misfits are as related from point to point as they are, widened to other fits as good as this one; infinite
        where the loop does not tell a number.
    misfit : root mean square of the differences of force over the largest measured one.
    deformation, measured, force : of the loop, and of the law on the same path.
    """

    law: Law
    stiffness: float
    values: Mapping[str, float]
    errors: Mapping[str, float]
    misfit: float
    deformation: Array
    measured: Array
    force: Array

    def __repr__(self) -> str:
        size = f"{len(self.values)} numbers from {len(self.measured)} points, misfit {self.misfit:.3g}"
        return f"<FittedLaw: {type(self.law).__name__}, {size} of the largest force>"


def fit_law(
    law: Law,
    deformations: ArrayLike,
    forces: ArrayLike,
    *,
    stiffness: float | None = None,
    free: Sequence[str] | None = None,
    starts: int = 6,
    seed: int = 0,
) -> FittedLaw:
    """Fit the numbers of a law to a measured loop by least squares, from several starts around the given one.

    Parameters
    ----------
    law : with numbers to start from; words and numbers that are not free stay as they are.
    deformations, forces : of the loop, point by point from the new spring on [length], [force].
    stiffness : to start from; left out: the slope at the loop's beginning [force/length].
    free : names of the numbers to be found, "stiffness" among them; left out: the stiffness and all that are finite
        and not zero. They keep their sign.
    starts, seed : how many, and of the random ones.

    Examples
    --------
    >>> import hamex as hx
    >>> true = hx.laws.Bilinear(2.0, cap_ratio=1.2, plastic=0.03, post_cap=0.2)
    >>> e = np.concatenate([np.linspace(a, b, 60) for a, b in ((0, 0.03), (0.03, -0.05), (-0.05, 0.07))])
    >>> loop = hx.respond(true, e, stiffness=150.0)
    >>> guess = hx.laws.Bilinear(1.5, cap_ratio=1.1, plastic=0.02, post_cap=0.3)
    >>> found = fit_law(guess, e, loop.force, free=["stiffness", "yield_force", "cap_ratio", "plastic", "post_cap"])
    >>> round(found.values["yield_force"], 4), round(found.values["post_cap"], 4), found.misfit < 1e-6
    (2.0, 0.2, True)
    """
    from scipy.optimize import least_squares

    if not isinstance(law, Law) or law.size != 1:
        raise LawError(f"fit_law: give the law of one spring with numbers to start from, got {law!r:.60}")
    check_rate(law, "fit_law")
    if not (stiffness is None or is_positive(stiffness)):
        raise InputError(f"fit_law: stiffness must be a positive number, got {stiffness!r}")
    if not (is_whole(starts, 1) and is_whole(seed)):
        raise InputError(
            f"fit_law: starts and seed must be whole numbers, from 1 and from 0 on; got {starts!r}, {seed!r}"
        )
    e, measured = _loop(deformations, forces)
    size = float(np.abs(measured).max())
    begin = stiffness if stiffness is not None else _first_slope(e, measured)
    given = _given(law, begin)
    names = _free(law, given, free)
    first = np.array([given[name] for name in names])

    def forces_at(x: Array) -> Array:
        found, k = _with(law, given | dict(zip(names, (first * np.exp(x)).tolist(), strict=True)))
        return forces_along(found, e, k)

    def misfit(x: Array) -> Array:
        try:
            return (forces_at(x) - measured) / size
        except HamexError:  # numbers that no law may have: farther off than any that it may
            return np.full(len(e), 10.0)

    # Wear makes the misfit a landscape with many hollows: of many random points the best are gone down from.
    rng = np.random.default_rng(seed)
    points = [np.zeros(len(names)), *rng.uniform(-_AROUND, _AROUND, (_POINTS * max(starts - 1, 0), len(names)))]
    tries = sorted(points, key=lambda x: float(np.sum(misfit(x) ** 2)))[: max(starts, 1)]
    ends = [least_squares(misfit, x, x_scale="jac", bounds=(-8, 8), diff_step=1e-6) for x in tries]
    found = min(ends, key=lambda one: float(one.cost))
    values = first * np.exp(found.x)
    error, worse = _errors(found.jac, found.fun)
    # Another hollow that explains the loop as well is part of what is not known.
    others = [np.abs(np.expm1(one.x - found.x)) for one in ends if one.cost <= worse * found.cost]
    errors = np.abs(values) * np.max([error, *others], axis=0)
    return FittedLaw(
        *_with(law, given | dict(zip(names, values.tolist(), strict=True))),
        dict(zip(names, values.tolist(), strict=True)),
        dict(zip(names, errors.tolist(), strict=True)),
        float(np.sqrt(np.mean(found.fun**2))),
        e,
        measured,
        forces_at(found.x),
    )


def _loop(deformations: ArrayLike, forces: ArrayLike) -> tuple[Array, Array]:
    e, measured = (floats(one, "fit_law: a loop is made of numbers") for one in (deformations, forces))
    if e.ndim != 1 or e.shape != measured.shape or len(e) < 10:
        raise InputError("fit_law: a loop is two rows of equal length, of at least ten deformations and forces")
    if not (np.isfinite(e).all() and np.isfinite(measured).all()) or not np.any(measured):
        raise InputError("fit_law: deformations and forces of a loop must be finite, and not all zero")
    return e, measured


def _first_slope(e: Array, force: Array) -> float:
    """Slope of the loop up to a third of its largest force."""
    first = int(np.argmax(np.abs(force) >= np.abs(force).max() / 3)) + 1
    near = max(first, 2)
    slope = float(e[:near] @ force[:near]) / float(e[:near] @ e[:near]) if np.any(e[:near]) else 0.0
    if not is_positive(slope):
        raise InputError("fit_law: the loop does not begin with a rising line; give the stiffness to start from")
    return slope


def _given(law: Law, stiffness: float) -> dict[str, float]:
    """All numbers of a law by name; a second side that is as the first is left to follow it."""
    numbers: dict[str, Any] = {name: getattr(law, name, ()) for name in law.names() if name not in law.words}
    if tables := [name for name, value in numbers.items() if not (value is None or isinstance(value, float))]:
        what = "is made of other laws" if isinstance(law, Combined) else f"is told by a table, {tables[0]}"
        raise LawError(
            f"fit_law: {type(law).__name__} {what}; what is fitted are the numbers of one law, such as Bilinear or IMK"
        )
    own = {name: value for name, value in numbers.items() if value is not None and not follows(law, name)}
    return {"stiffness": float(stiffness), **own}


def follows(law: Law, name: str) -> bool:
    """True for a number of the second side that is as on the first."""
    return name in law.sides and bool(getattr(law, name) == _mirrored(law, name, vars(law)))


def made_of(law: Law) -> tuple[tuple[str, ...], list[tuple[Law, float]]]:
    """Names of a law's own numbers, and the laws that it is made of with their shares of the stiffness."""
    return (law.own, list(zip(*law.made_of(), strict=True))) if isinstance(law, Combined) else (law.names(), [])


def _mirrored(law: Law, name: str, numbers: Mapping[str, Any]) -> float | None:
    """A number of the second side as the first side has it."""
    first, sign = law.sides[name]
    return None if numbers[first] is None else sign * numbers[first]


def _with(law: Law, numbers: Mapping[str, float]) -> tuple[Law, float]:
    """The law with these numbers, and its stiffness."""
    own = {name: numbers[name] if name in numbers else getattr(law, name) for name in law.names()}
    sides = {name: _mirrored(law, name, own) for name in own if follows(law, name)}
    return type(law)(**own | sides), numbers["stiffness"]


def _free(law: Law, given: Mapping[str, float], wanted: Sequence[str] | None) -> list[str]:
    if wanted is None:
        return [name for name, value in given.items() if math.isfinite(value) and value]
    wanted = [wanted] if isinstance(wanted, str) else list(dict.fromkeys(wanted))
    for name in wanted:
        if name not in given:
            raise InputError(f"fit_law: {type(law).__name__} has no number {name!r}; it has {', '.join(given)}")
        if not given[name] or not math.isfinite(given[name]):
            raise InputError(f"fit_law: {name} is {given[name]:g}; give a finite number other than zero to start from")
    return wanted


def _errors(jacobian: Array, misfits: Array) -> tuple[Array, float]:
    """Standard errors of ln x from a fit, and by how much a sum of squares may be larger at one of them; misfits of
    neighbouring points are alike, so that fewer of them count."""
    n, free = jacobian.shape
    centred = misfits - misfits.mean()
    total = float(centred @ centred)
    alike = float(centred[1:] @ centred[:-1]) / total if total > 0 else 0.0
    share = (1 - alike) / (1 + alike) if 0 < alike < 1 else 1.0
    count = max(n * share - free, 1.0)
    variance = float(misfits @ misfits) / count
    values, vectors = np.linalg.eigh(jacobian.T @ jacobian)
    determined = values > 1e-14 * max(float(values.max(initial=0.0)), np.finfo(float).tiny)
    spread = (vectors[:, determined] ** 2 / values[determined]).sum(axis=1) * variance
    undetermined = (vectors[:, ~determined] ** 2).sum(axis=1) > 1e-6
    return np.where(undetermined, np.inf, np.sqrt(spread)), 1 + 1 / count
