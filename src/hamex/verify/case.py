"""A case as data: a source, a tolerance, and a function that computes what hamex finds and, beside it, the closed form
or the answer of another program; and the runner, which compares them."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from typing import Any, Literal

import numpy as np

from hamex.errors import InputError, MissingPackageError
from hamex.paper import opensees

Pair = tuple[Any, Any]  # result and reference
Named = dict[Any, Any]  # nodes, masses, supports by name, as builders take them
Kind = Literal["analytic", "published", "live", "own"]
KINDS: dict[Kind, str] = {
    "analytic": "closed form, evaluated beside the result",
    "published": "numbers or formulas printed by others",
    "live": "OpenSees, run here",
    "own": "hamex by another way",
}
CHAPTERS: tuple[str, ...] = ("oscillators", "spectra", "storeys", "trusses", "frames", "stability", "waves", "solids")
CHAPTERS += ("laws", "actions", "fragility", "paper")
_FEW = 20  # numbers: more are a history
_ROUNDING = 1e-9  # of half a digit: a number may lie just between two printed ones


@dataclass(frozen=True)
class Case:
    """One case; functions of a chapter become cases by ``@case(…)``, see :func:`chapter`.

    Attributes
    ----------
    id, chapter, title : names of it; an id is for good.
    source : where the reference comes from.
    kind : of the reference, one of :data:`KINDS`.
    unit : of result and reference; "1" of a ratio, "" where the title says it of each number.
    compute : returns result and reference, numbers or arrays; of a printed reference the result alone.
    printed : numbers as they are printed, with spaces between; "" where ``compute`` returns the reference.
    within : allowed difference relative to the reference [1]; None: half of the last digit of each printed number.
    of : what ``within`` is relative to: "each" number, or the "largest" of them, as in histories.
    """

    id: str
    chapter: str
    title: str
    source: str
    kind: Kind
    unit: str
    compute: Callable[[], Any]
    printed: str = ""
    within: float | None = None
    of: Literal["each", "largest"] = "each"

    def run(self) -> Result:
        """Compute and compare; the number shown is the one that uses most of its tolerance."""
        begin = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # steps and meshes are coarse on purpose
                found = self.compute()
            result, reference, allowed = self._arrays(found)
        except MissingPackageError as error:
            return Result(self, "skipped", note=str(error), seconds=time.perf_counter() - begin)
        except Exception as error:
            note = f"{type(error).__name__}: {' '.join(str(error).split())}"
            return Result(self, "failed", note=note, seconds=time.perf_counter() - begin)
        off = np.abs(result - reference)
        used = np.where(np.isfinite(off), off / np.maximum(allowed, 1e-300), np.inf)
        worst = int(np.argmax(used))
        scale = np.abs(reference[worst] if self.of == "each" else reference).max() or 1.0
        return Result(
            self,
            "passed" if used[worst] <= 1 else "failed",
            float(result[worst]),
            float(reference[worst]),
            float(off[worst] / scale),
            float(allowed[worst] / scale),
            tuple(zip(reference.tolist(), result.tolist(), strict=True)),
            seconds=time.perf_counter() - begin,
        )

    def _arrays(self, found: Any) -> tuple[Any, Any, Any]:
        """Result, reference and allowed difference of each number."""
        words = self.printed.split()
        result, reference = (found, [float(word) for word in words]) if words else found
        one, other = (np.atleast_1d(np.asarray(values, dtype=float)).ravel() for values in (result, reference))
        if one.shape != other.shape or not one.size:
            raise ValueError(f"{one.size} results for {other.size} reference values")
        if self.within is None:
            last = [float(Decimal(word).as_tuple().exponent) for word in words]
            return one, other, 0.5 * 10.0 ** np.array(last) * (1 + _ROUNDING)
        size = np.abs(other) if self.of == "each" else np.full(other.shape, np.abs(other).max())
        return one, other, self.within * size


@dataclass(frozen=True)
class Result:
    """What came of a case: ``verdict``, the number that is farthest off for its tolerance beside its reference, their
    ``difference`` and the ``tolerance`` relative to it [1]; all pairs of reference and result (``values``); why it was
    skipped or how it failed (``note``), and its ``seconds``."""

    case: Case
    verdict: Literal["passed", "failed", "skipped"]
    result: float | None = None
    reference: float | None = None
    difference: float | None = None
    tolerance: float | None = None
    values: tuple[tuple[float, float], ...] = ()
    note: str = ""
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """The contract of ``hamex verify --json``, one entry for each case; ``values`` are the pairs of reference and
        result, but for histories. JSON has no NaN."""
        names = ("id", "chapter", "title", "source", "kind", "unit")
        data: dict[str, Any] = {name: getattr(self.case, name) for name in names}
        for name in ("reference", "result", "difference", "tolerance"):
            data[name] = _plain(getattr(self, name))
        few = self.values if len(self.values) <= _FEW else ()
        data |= {"count": len(self.values), "values": [[_plain(x) for x in pair] for pair in few]}
        return data | {"verdict": self.verdict, "note": self.note, "seconds": self.seconds}


def _plain(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None


_KNOWN: dict[str, list[Case]] = {}


def chapter(name: str) -> Callable[..., Callable[[Callable[[], Any]], Callable[[], Any]]]:
    """The decorator that makes functions the cases of a chapter; the first line of a docstring is the title.

    Examples
    --------
    >>> case = chapter("examples")
    >>> @case("E1", "Newton", unit="m/s2", within=1e-15)
    ... def force_over_mass():
    ...     '''Acceleration of a free mass.'''
    ...     return 6.0 / 2.0, 3.0
    >>> _KNOWN.pop("examples")[0].run().verdict
    'passed'
    """
    found = _KNOWN.setdefault(name, [])

    def case(id: str, source: str, kind: Kind | None = None, unit: str = "", **more: Any) -> Any:
        def keep(compute: Callable[[], Any]) -> Callable[[], Any]:
            title = (compute.__doc__ or "").partition("\n")[0].rstrip(".")
            of_kind = kind or ("published" if "printed" in more else "analytic")
            found.append(Case(id, name, title, source, of_kind, unit, compute, **more))
            return compute

        return keep

    return case


def cases(chapter: str | None = None) -> list[Case]:
    """All cases, or those of a chapter.

    Examples
    --------
    >>> {case.chapter for case in cases("oscillators")}
    {'oscillators'}
    """
    if chapter is not None and chapter not in CHAPTERS:
        raise InputError(f"verify: there is no chapter {chapter!r}; chapters are {', '.join(CHAPTERS)}")
    wanted = CHAPTERS if chapter is None else (chapter,)
    for name in wanted:
        import_module(f"hamex.verify.{name}")
    return [case for name in wanted for case in _KNOWN[name]]


def run(chapter: str | None = None, tell: Callable[[Result], None] | None = None) -> list[Result]:
    """Run all cases, or those of a chapter, and call ``tell`` with each result; cases that need another program are
    skipped, with the reason, where it is not there.

    Examples
    --------
    >>> {result.verdict for result in run("oscillators")} <= {"passed", "skipped"}
    True
    """
    chosen, found = cases(chapter), []
    missing = opensees.available() if any(case.kind == "live" for case in chosen) else None
    for case in chosen:
        skipped = missing if case.kind == "live" else None
        found.append(case.run() if skipped is None else Result(case, "skipped", note=skipped))
        if tell is not None:
            tell(found[-1])
    return found


def summary(results: Sequence[Result]) -> Counter[str]:
    """Numbers of results by verdict and by kind of reference; "not_own" are those that were compared and do not rest on
    hamex itself."""
    counts: Counter[str] = Counter(word for result in results for word in (result.verdict, result.case.kind))
    counts["not_own"] = sum(result.verdict != "skipped" and result.case.kind != "own" for result in results)
    return counts
