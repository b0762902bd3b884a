"""A law of your own, written as one function, where the path of a spring leads from a state; and the trial that any law
can be put to.

The function is asked along the straight path of a step. Its mean force, which the balance needs, comes by quadrature
that halves its pieces until both halves agree, so that bends in the law cost time and no digits. The trial tells what a
law does: that its force is continuous, what its tangents are, that it gives no energy away, and that neither the number
of points nor reversals of no size change it.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from types import FunctionType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hamex.checks import is_positive, is_whole
from hamex.errors import LawError
from hamex.model.laws.law import Array, Law, checked, number, register
from hamex.model.laws.path import (
    FOLLOWED,
    FORCE,
    LAST,
    RECOVERABLE,
    SLIP,
    WAY,
    OnPath,
    PathLaw,
    Walk,
    check_rate,
    followed_by,
)

OWN = len(FOLLOWED)
_FIXED = ("e0", "f0", "e", "state", "k")
# Lobatto's six points on [0, 1] and their weights: with both ends, so that no bend hides beyond the last point.
_A, _B = (0.5 * math.sqrt(1 / 3 - 2 / math.sqrt(63)), 0.5 * math.sqrt(1 / 3 + 2 / math.sqrt(63)))
P1, P2, P3, P4 = 0.5 - _B, 0.5 - _A, 0.5 + _A, 0.5 + _B
W0, W1, W2 = 1 / 30, (14 - math.sqrt(7)) / 60, (14 + math.sqrt(7)) / 60
AGREE = 1e-14  # of the largest force on the way, between a piece and its halves
SHORTEST = 2.0**-30  # of the way: what a bend leaves is the square of this
# Of what the deformation weighs: far out a force is a difference of large numbers, and pieces of any length differ.
ROUNDING = 1e-15
MOST_HALVINGS = 20_000  # of one way; a bend takes thirty, and a law that is rough everywhere must end
ELASTIC = False  # settled by each law: all of its work comes back
_TURNS, _BETWEEN, _HALVINGS = 12, 24, 34
_LEAP = 1e-6  # of the largest force: what is left of a difference after so many halvings is a jump
_SLOPE = 1e-4  # of the stiffness: difference between a tangent and a quotient of differences
_SOFT = 1e-6  # of the stiffness, by which a tangent may be below the stated one
_GAIN = 1e-9  # of force × reach
_SPLIT = 1e-9  # of the largest force
_MICRO, _REVERSALS, _SMALL = 1e-6, 20, 1e-9  # of the largest force; how many; of the line
_CYCLES, _NEAR = 20, 1e-6  # of the line, for quotients of differences


def force_at(p: Array, r: int, e: float, z: Array, o: int) -> tuple[float, float]:
    """Force and tangent at the end of a path; every law of its own brings its own."""
    raise NotImplementedError


def kept(p: Array, r: int, e: float, z: Array, o: int, dz: Array) -> tuple[float, float]:
    """The same, and the state there."""
    raise NotImplementedError


def moments(p: Array, r: int, e: float, d: float, a: float, w: float, z: Array, o: int) -> tuple[float, float, float]:
    """∫F ds, ∫sF′ ds over the shares [a, a + w] of the way d from e, by Lobatto's six points; and the largest |F|."""
    f0, t0 = force_at(p, r, e + a * d, z, o)
    f1, t1 = force_at(p, r, e + (a + w * P1) * d, z, o)
    f2, t2 = force_at(p, r, e + (a + w * P2) * d, z, o)
    f3, t3 = force_at(p, r, e + (a + w * P3) * d, z, o)
    f4, t4 = force_at(p, r, e + (a + w * P4) * d, z, o)
    f5, t5 = force_at(p, r, e + (a + w) * d, z, o)
    mean = w * (W0 * (f0 + f5) + W1 * (f1 + f4) + W2 * (f2 + f3))
    outer = W0 * (t0 * a + t5 * (a + w)) + W1 * (t1 * (a + w * P1) + t4 * (a + w * P4))
    slope = w * (outer + W2 * (t2 * (a + w * P2) + t3 * (a + w * P3)))
    return mean, slope, max(abs(f0), abs(f2), abs(f3), abs(f5))


def along(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """Mean force over the way from e to e + d and its slope in d."""
    force, tangent = kept(p, r, e + d, z, o, dz)
    mean, slope = z[o + FORCE], 0.5 * tangent
    if d != 0.0:
        mean, slope, largest = 0.0, 0.0, max(abs(force), abs(z[o + FORCE]))
        a, w, halvings = 0.0, 1.0, 0
        rounding = ROUNDING * p[r] * (abs(e) + abs(d))
        whole, _, size = moments(p, r, e, d, a, w, z, o)
        while a < 1.0:
            largest = max(largest, size)
            first, first_slope, size = moments(p, r, e, d, a, 0.5 * w, z, o)
            second, second_slope, _ = moments(p, r, e, d, a + 0.5 * w, 0.5 * w, z, o)
            rough = abs(first + second - whole) > AGREE * largest + rounding * w
            if rough and w > SHORTEST and halvings < MOST_HALVINGS:
                w, whole, halvings = 0.5 * w, first, halvings + 1
                continue
            mean += first + second
            slope += first_slope + second_slope
            a += w
            while w < 1.0 and a % (2.0 * w) == 0.0 and a + 2.0 * w <= 1.0:
                w *= 2.0  # pieces begin at multiples of their length, so that the last ends at 1
            if a < 1.0:
                whole, _, size = moments(p, r, e, d, a, w, z, o)
    filled(p, r, e + d, d, force, mean, z, o, dz)
    return mean, slope, 0


def at(p: Array, r: int, e: float, tau: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """Force and tangent at the end of a path that begins where the state was left."""
    force, tangent = kept(p, r, e, z, o, dz)
    d = e - z[o + LAST]
    filled(p, r, e, d, force, 0.5 * (force + z[o + FORCE]), z, o, dz)
    return force, tangent, 0


def filled(p: Array, r: int, e: float, d: float, force: float, mean: float, z: Array, o: int, dz: Array) -> None:
    """What every law that is followed keeps."""
    dz[o + SLIP] = e - force / p[r]
    dz[o + LAST] = e
    dz[o + FORCE] = force
    dz[o + WAY] = z[o + WAY] if d == 0.0 else (1.0 if d > 0.0 else -1.0)
    dz[o + RECOVERABLE] = z[o + RECOVERABLE] + mean * d if ELASTIC else 0.5 * force * force / p[r]


Stated = float | Callable[..., float]  # over the stiffness; or of the stiffness and the parameters by name, absolute


class OwnLaw(PathLaw):
    """Base of the laws that :func:`own` makes: dataclasses with the parameters of a function.

    Attributes
    ----------
    least, most : tangents as stated.
    """

    spring_piece = None
    softens = True
    least: ClassVar[Stated]
    most: ClassVar[Stated]

    def __post_init__(self) -> None:
        for name in self.names():
            checked(self, name, signed=True)

    @classmethod
    def slow_tangent(cls, group: Any, k: Array, isotropic: bool = True) -> Array:
        return _stated(cls.least, group, k)

    @classmethod
    def stiffest(cls, group: Any, k: Array) -> Array:
        return _stated(cls.most, group, k)


def _stated(what: Stated, group: Any, k: Array) -> Array:
    if not callable(what):
        return what * np.asarray(k)
    rows = [dict(zip(group.parameters, row, strict=True)) for row in zip(*group.parameters.values(), strict=True)]
    rows = rows or [{} for _ in k]
    return np.array([float(what(float(one), **given)) for one, given in zip(k, rows, strict=True)])


def own(
    *,
    stiffness: float,
    reach: float,
    example: Mapping[str, float] | None = None,
    state: Sequence[str] = (),
    softest: Stated = 0.0,
    stiffest: Stated = 1.0,
    elastic: bool = False,
) -> Callable[[Callable[..., Any]], type[OwnLaw]]:
    """Make a law of your own out of one function: it is tried at once, and refused with what failed; then it runs
    wherever a law of the package does, compiled, with the promise of one solution on your word.

    The function is ``name(e0, f0, e, state, k, …)``: the spring of stiffness ``k`` goes straight from the deformation
    e0, where its force was f0 and its state ``state``, to e. It returns force and tangent at e and the state there, a
    tuple of numbers; arguments behind ``k`` are the parameters. A new spring begins with all of these zero. It is
    compiled by Numba, so it computes with numbers, ``math`` and functions of its own module.

    Parameters
    ----------
    stiffness, reach : of the spring that it is tried with, and how far that goes either way [force/length], [length].
    example : parameters that it is tried with; needed for those without a default.
    state : names of its state variables.
    softest : least tangent in any state, over the stiffness [1]; or a function of k and the parameters that returns
        the tangent itself [force/length]. Negative for a law that softens: the longest admissible step follows from it.
    stiffest : largest tangent, likewise.
    elastic : all work comes back on unloading; otherwise f²/2k is taken for stored.

    Examples
    --------
    Kinematic hardening:

    >>> import hamex as hx
    >>> @hx.laws.own(stiffness=100.0, reach=0.1, example={"fy": 1.0}, state=("plastic", "back"))
    ... def hardening(e0, f0, e, state, k, fy, share=0.05):
    ...     plastic, back = state
    ...     trial, slope = k * (e - plastic) - back, k * share / (1 - share)
    ...     if abs(trial) <= fy:
    ...         return trial + back, k, state
    ...     slip = math.copysign((abs(trial) - fy) / (k + slope), trial)
    ...     plastic, back = plastic + slip, back + slope * slip
    ...     return k * (e - plastic), k * share, (plastic, back)
    >>> hx.respond(hardening(fy=2.0), [0.0, 0.06, 0.0], stiffness=100.0).force.round(12).tolist()
    [0.0, 2.2, -1.9]
    >>> model = hx.oscillator(mass=1.0, stiffness=100.0, law=hardening(fy=0.5))
    >>> hx.solve(hx.Problem(model, hx.constant(0.4), 2.0), hx.Galerkin(0.01)).residual < 1e-12
    True
    """

    def made(function: Callable[..., Any]) -> type[OwnLaw]:
        law = _law_of(function, state, softest, stiffest, elastic)
        tried = _example(law, dict(example or {}))
        try:
            _check_answer(function, tried, len(state), stiffness, reach)
            failures = certify(tried, stiffness=stiffness, reach=reach).failures
        except LawError as problem:
            failures = (str(problem).removeprefix(f"{law.__name__}: "),)
        except (ArithmeticError, LookupError, NameError, TypeError, ValueError) as problem:
            failures = (f"it ends with {type(problem).__name__}: {problem}",)
        if failures:
            how = f"as tried with stiffness {stiffness:g}, reach {reach:g}, {tried}"
            raise LawError(f"{law.__name__}: {'; '.join(failures)} ({how})")
        law.example = {"stiffness": float(stiffness), "reach": float(reach), **(example or {})}
        return register(law)  # type: ignore[return-value]

    return made


def _example(law: type[OwnLaw], given: dict[str, float]) -> OwnLaw:
    """The law that is tried."""
    needed = [one.name for one in dataclasses.fields(law) if one.default is dataclasses.MISSING]  # type: ignore[arg-type]
    wrong = sorted({*needed} - {*given}) or sorted({*given} - {*law.names()})
    if wrong:
        raise LawError(f"{law.__name__}: example must give {', '.join(needed) or 'nothing'}, see {wrong[0]!r}")
    return law(**given)


def _check_answer(function: Callable[..., Any], law: OwnLaw, states: int, stiffness: float, reach: float) -> None:
    """Refuse an answer of the wrong shape: of a state that is too long the rest would be forgotten."""
    given = [getattr(law, name) for name in law.names()]
    told = function(0.0, 0.0, 0.01 * reach, (0.0,) * states, stiffness, *given)
    if not (isinstance(told, tuple) and len(told) == 3 and isinstance(told[2], tuple) and len(told[2]) == states):
        raise LawError(
            f"it must return force, tangent and the state, a tuple of {states} as state names; got {told!r:.60}"
        )


def _law_of(
    function: Callable[..., Any], state: Sequence[str], softest: Stated, stiffest: Stated, elastic: bool
) -> type[OwnLaw]:
    """The class of a law around its function."""
    if not isinstance(function, FunctionType):
        raise LawError(f"own: decorate a plain function, got {function!r:.60}")
    if not function.__module__:  # of text that was run by itself
        function.__module__ = "__main__"
    name, taken = function.__name__, list(inspect.signature(function).parameters.values())
    if tuple(one.name for one in taken[: len(_FIXED)]) != _FIXED:
        raise LawError(f"{name}: its arguments must begin with {', '.join(_FIXED)}, got {', '.join(_named(taken))}")
    if isinstance(state, str) or len({*state}) < len(state):
        raise LawError(f'{name}: state must name each of its variables once, as in state=("plastic",); got {state!r}')
    fields: list[Any] = [
        (one.name, float) if one.default is one.empty else (one.name, float, dataclasses.field(default=one.default))
        for one in taken[len(_FIXED) :]
    ]
    kernels = _kernels(function, len(state), len(fields), elastic)
    body = {
        "__doc__": inspect.getdoc(function),
        "__module__": function.__module__,
        "kind": f"{function.__module__}:{name}",
        "variables": (*FOLLOWED, *(f"{name}_{one}" for one in state)),
        "source": _digest(function),
        "least": staticmethod(softest) if callable(softest) else number(name, "softest", softest),
        "most": staticmethod(stiffest) if callable(stiffest) else number(name, "stiffest", stiffest),
        "spring_along": staticmethod(kernels["along"]),
        "spring_at": staticmethod(kernels["at"]),
    }
    return dataclasses.make_dataclass(name, fields, bases=(OwnLaw,), namespace=body, frozen=True)


def _named(arguments: Sequence[inspect.Parameter]) -> list[str]:
    return [one.name for one in arguments]


def _kernels(function: FunctionType, states: int, parameters: int, elastic: bool) -> dict[str, Callable[..., Any]]:
    """The functions of this module around a law's own, under names of their own, so that their machine code is kept
    apart from that of other laws."""
    now = "".join(f"z[o + {OWN + v}], " for v in range(states))
    given = "".join(f", p[r + {1 + n}]" for n in range(parameters))
    call = f"    force, tangent, state = law(z[o + {LAST}], z[o + {FORCE}], e, ({now}), p[r]{given})\n"
    keep = "".join(f"    dz[o + {OWN + v}] = state[{v}]\n" for v in range(states))
    text = (
        f"def force_at(p, r, e, z, o):\n{call}    return force, tangent\n"
        f"def kept(p, r, e, z, o, dz):\n{call}{keep}    return force, tangent\n"
    )
    names: dict[str, Any] = {"law": function}
    # Under the name of its file, so that compiled code is kept beside it and renewed when it changes.
    exec(compile(text, function.__code__.co_filename, "exec"), names)
    twins: dict[str, Any] = {"ELASTIC": elastic, **globals()} | {"ELASTIC": elastic}
    for one in (names["force_at"], names["kept"], filled, moments, along, at):
        twin = FunctionType(one.__code__, twins if one.__module__ == __name__ else names, one.__name__)
        twin.__qualname__ = f"{one.__name__}_{function.__module__}_{function.__qualname__}".replace(".", "_")
        twin.__module__ = __name__ if one.__module__ == __name__ else function.__module__
        twin.__annotations__ = one.__annotations__
        twin.is_law = True  # type: ignore[attr-defined]
        twins[one.__name__] = twin
    function.is_law = True  # type: ignore[attr-defined]
    return twins


def _digest(function: FunctionType) -> int:
    """Of the source, so short that a double holds it; where there is none, as of what was typed in, of the code."""
    try:
        said = inspect.getsource(function).encode()
    except (OSError, TypeError):
        code = function.__code__
        said = code.co_code + repr((code.co_names, code.co_varnames, code.co_consts)).encode()
    return int(sha256(said).hexdigest()[:12], 16)


@dataclass(frozen=True)
class LawCertificate:
    """What a law showed on random paths; forces over its largest force, tangents over its stiffness, work over largest
    force × reach.

    Attributes
    ----------
    largest : force that was seen [force].
    jump : largest jump of the force.
    tangent : largest difference between a tangent and a quotient of differences; bends left out.
    softest, stated : least tangent that was seen, and the one that the law states.
    gain : most work that a new spring gave away, on random paths and in many equal cycles.
    splitting : change of the force when every line of a path has many points instead of two.
    micro : change of the force by twenty reversals of no size.
    breaks : the force may jump: the law says so.
    failures : what a law may not do, in words; none: it keeps what the promise of one solution rests on.

    Examples
    --------
    >>> import hamex as hx
    >>> found = certify(hx.laws.Bilinear(yield_force=1.0, plastic=0.02, post_cap=0.1), stiffness=100.0, reach=0.1)
    >>> found.failures, round(found.softest, 6), round(found.stated, 6)
    ((), -0.1, -0.1)
    """

    largest: float
    jump: float
    tangent: float
    softest: float
    stated: float
    gain: float
    splitting: float
    micro: float
    breaks: bool

    @property
    def failures(self) -> tuple[str, ...]:
        found = []
        if self.jump > _LEAP and not self.breaks:
            found.append(f"its force jumps by {self.jump:.3g} of the largest")
        if self.tangent > _SLOPE:
            found.append(f"its tangent is off by {self.tangent:.3g} of the stiffness from what its force does")
        if self.softest < self.stated - _SOFT:
            found.append(
                f"its tangent falls to {self.softest:.4g} of the stiffness, below the stated {self.stated:.4g}"
            )
        if self.gain > _GAIN:
            found.append(f"it gives away {self.gain:.3g} of force × reach more than was put in")
        if self.splitting > _SPLIT:
            found.append(
                f"its force changes by {self.splitting:.3g} of the largest with the number of points on a line"
            )
        if self.micro > _MICRO:
            found.append(f"{_REVERSALS} reversals of no size change its force by {self.micro:.3g} of the largest")
        return tuple(found)


def certify(law: Law, *, stiffness: float, reach: float, seed: int = 0, histories: int = 12) -> LawCertificate:
    """Try a law of one spring on random paths.

    Parameters
    ----------
    stiffness : of the elastic spring [force/length].
    reach : how far the paths go either way [length].
    seed, histories : of the random paths, and how many.

    Examples
    --------
    >>> import hamex as hx
    >>> certify(hx.laws.IMK(yield_force=1.0, plastic=0.03, post_cap=0.1), stiffness=100.0, reach=0.08).failures
    ()
    """
    if not is_positive(reach) or not is_positive(stiffness):
        raise LawError(f"certify: stiffness and reach must be positive, got {stiffness!r} and {reach!r}")
    if not (is_whole(histories, 1) and is_whole(seed)):
        raise LawError(f"certify: histories and seed must be whole, from 1 and from 0 on; got {histories!r}, {seed!r}")
    check_rate(law, "certify")
    followed, group, p = followed_by(law, stiffness, "certify")
    walk = Walk(followed, p)
    rng = np.random.default_rng(seed)
    seen = [_tried(walk, rng, reach * (0.05 + 0.95 * n / max(histories - 1, 1))) for n in range(histories)]
    largest = max(float(np.finfo(float).tiny), max(one.largest for one in seen))
    return LawCertificate(
        largest,
        max(one.jump for one in seen) / largest,
        max(one.tangent for one in seen) / stiffness,
        min(one.softest for one in seen) / stiffness,
        float(np.min(followed.slow_tangent(group, np.array([stiffness])))) / stiffness,
        max(one.gain for one in seen) / (largest * reach),
        max(one.splitting for one in seen) / largest,
        max(one.micro for one in seen) / largest,
        bool(np.any(followed.jumps(group))),
    )


class _Seen(NamedTuple):
    """Of one history, as it is."""

    largest: float
    jump: float
    tangent: float
    softest: float
    gain: float
    splitting: float
    micro: float


def _tried(walk: Walk, rng: np.random.Generator, reach: float) -> _Seen:
    """One random history: every line of it whole, in many points, with reversals of no size, and looked at closely."""
    here = fine = walk.new()
    work, given, force = 0.0, 0.0, 0.0
    jump = tangent = splitting = micro = 0.0
    softest = math.inf
    for goal in (reach * rng.uniform(-1, 1, _TURNS)).tolist():
        jump = max(jump, _jump(walk, here, goal))
        for share in rng.uniform(0, 1, 3).tolist():
            quotient, off = _slope(walk, here, share, goal)
            softest, tangent = min(softest, quotient), max(tangent, off)
        end, done = walk.with_work(here, goal)
        micro = max(micro, abs(_shaken(walk, here, rng.uniform(0, 1), goal) - end.force))
        for point in np.linspace(fine.e, goal, _BETWEEN)[1:].tolist():
            fine = walk.to(fine, point)
        here, work = end, work + done
        given, force = min(given, work), max(force, abs(here.force))
        splitting = max(splitting, abs(fine.force - here.force))
    return _Seen(force, jump, tangent, softest, max(-given, _cycled(walk, rng, reach)), splitting, micro)


def _jump(walk: Walk, here: OnPath, goal: float) -> float:
    """What remains of the largest difference of force on a line when the line is halved around it."""
    ends = np.linspace(here.e, goal, 9).tolist()
    forces = [here.force, *(walk.to(here, e).force for e in ends[1:])]
    at = int(np.argmax(np.abs(np.diff(forces))))
    low, high, below, above = ends[at], ends[at + 1], forces[at], forces[at + 1]
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        between = walk.to(here, middle).force
        if abs(between - below) > abs(above - between):
            high, above = middle, between
        else:
            low, below = middle, between
    return abs(above - below)


def _slope(walk: Walk, here: OnPath, share: float, goal: float) -> tuple[float, float]:
    """Least quotient of differences beside a point of a line, and by how much the tangent misses both of them."""
    d = _NEAR * (goal - here.e)
    e = here.e + max(share, 2 * _NEAR) * (goal - here.e)
    before, at, after = (walk.to(here, x).force for x in (e - d, e, e + d))
    tangent = walk.tangent(here, e, goal)
    sides = (at - before) / d, (after - at) / d
    return min(sides), 0.0 if tangent is None else min(abs(tangent - one) for one in sides)


def _shaken(walk: Walk, here: OnPath, share: float, goal: float) -> float:
    """The force at the goal after reversals on the way."""
    e = here.e + share * (goal - here.e)
    here = walk.to(here, e)
    for _ in range(_REVERSALS):
        for to in (e - _SMALL * (goal - e), e):
            here = walk.to(here, to)
    return walk.to(here, goal).force


def _cycled(walk: Walk, rng: np.random.Generator, reach: float) -> float:
    """Most work that a new spring has given away in many equal cycles; a single one may give back what was stored."""
    (first, second), here, work, given = (reach * rng.uniform(-1, 1, 2)).tolist(), walk.new(), 0.0, 0.0
    for _ in range(_CYCLES):
        for end in (first, second):
            here, done = walk.with_work(here, end)
            work += done
            given = min(given, work)
    return -given
