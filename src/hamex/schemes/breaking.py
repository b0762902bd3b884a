"""Steps of the linear time element in which a spring breaks: cut there inside, while the nodes stay where they are.

A force that jumps on the path of a step has no bounded slope, and a step across it may have no solution or several. So
the march is asked for the unbroken spring, whose last piece goes on (:func:`hamex.march.springs.followed`); where the
path of such a step passes the break, a shorter step that ends just there is looked for. Each is a step of the same
element under the same load, shorter than what the promise allows, so it has one solution, which moves continuously with
its length; the end of a vanishing step lies before the break and that of the whole one behind, so there is a length
that ends on it. What is left of the step follows without the spring; several breaks come one after the other.

Forces of a cut step are means over its time. Their work is not mean times increment, and is told beside
(``event_work``), as is that of the dashpots (``event_damping``): the balance closes to rounding. What a broken spring
held is lost: plastic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hamex.errors import ConvergenceError
from hamex.march import tables as t
from hamex.march.run import around_law
from hamex.march.springs import BROKEN, HEAD, first_break
from hamex.schemes.onestage import OneStageMarch
from hamex.schemes.prepare import galerkin_stage
from hamex.schemes.scheme import Array, Ran

_MOST = 60  # lengths tried for one break; some eight are needed
_BREAKS = 20  # of one spring in one step: parts of a law break one by one, and each of them once
_CLOSE = 4.0 * float(np.finfo(float).eps)  # of a length, and of a deformation: as near as doubles come


class Break(NamedTuple):
    """A spring that breaks on its path, and the deformation at which it does."""

    spring: int
    at: float


class ShorterStep(NamedTuple):
    """A shorter step: what it left, where its springs began and how far they went (spring,), and which of them break
    on the way."""

    ran: Ran
    start: Array
    moved: Array
    breaks: list[Break]


def whole_steps(walk: OneStageMarch, ran: Ran) -> Ran:
    """Steps in which nothing broke, with the entries of those in which something did."""
    steps, springs = ran.steps["force"].shape
    nothing = {"events": np.zeros(steps, dtype=np.int64), "event_work": np.zeros((steps, springs))}
    return replace(ran, steps={**ran.steps, **nothing, "event_damping": np.zeros(steps)})


def cut_step(
    walk: OneStageMarch, now: Mapping[str, Array], load: Array, moved: Array | None, start: Array | None
) -> Ran:
    """One step from the state ``now`` under its channel values, cut at every break; ``moved`` is the deformation by
    moving supports at its two ends, (2, spring), ``start`` the channel values at its start."""
    cut = _Cut(walk, load, moved, start)
    pieces, lengths, gone = list[ShorterStep](), list[float](), 0.0
    while gone < 1.0:
        if len(pieces) > _BREAKS * len(walk.model.springs):
            raise ConvergenceError(
                f"{walk.who}: in one step {cut.names(pieces[-1].breaks)} broke again and again: the force of a law "
                "jumps there and does not stay behind its jump"
            )
        piece, length = cut.next_piece(now, gone)
        pieces.append(piece)
        lengths.append(length)
        now, gone = piece.ran.end, (gone + length if piece.breaks else 1.0)
    return cut.joined(pieces, lengths)


class _Cut:
    """A step that is cut; lengths are shares of it."""

    def __init__(self, walk: OneStageMarch, load: Array, moved: Array | None, start: Array | None) -> None:
        self.walk, self.load, self.h = walk, load, walk.numbers[0]
        self.start = load if start is None else start
        self.moved = np.zeros((2, len(walk.model.springs))) if moved is None else moved

    def next_piece(self, now: Mapping[str, Array], gone: float) -> tuple[ShorterStep, float]:
        """The rest of the step, or the piece that ends at the next break, and its length."""
        low, high = 0.0, 1.0 - gone
        behind = self._tried(now, gone, high)
        if not behind.breaks:
            return behind, high
        known = list(behind.breaks)
        before, beyond, last = _gap(behind, 0.0, known), _gap(behind, 1.0, known), 0
        for turn in range(_MOST):
            # Regula falsi (Illinois); halving keeps it honest.
            share = before / (before - beyond) if turn % 4 < 3 and before < 0.0 else 0.5
            length = low + (high - low) * share
            if not low < length < high or high - low <= _CLOSE * high or _gap(behind, 1.0, known) <= _CLOSE:
                return behind, high
            if high <= _CLOSE:  # a joint without mass goes there in no time: no shorter piece ends at the break
                return behind, high
            trial = self._tried(now, gone, length)
            known += [one for one in trial.breaks if one not in known]
            side, gap = (1 if trial.breaks else -1), _gap(trial, 1.0, known)
            if side > 0:
                high, beyond, behind, before = length, gap, trial, (0.5 * before if last > 0 else before)
            else:
                low, before, beyond = length, gap, (0.5 * beyond if last < 0 else beyond)
            last = side
        raise ConvergenceError(f"{self.walk.who}: the instant at which {self.names(known)} break was not found")

    def _tried(self, now: Mapping[str, Array], gone: float, length: float) -> ShorterStep:
        """A step of so much of the whole one."""
        walk = self.walk
        stage = galerkin_stage(walk.model, length * self.h)
        stage = stage.gathered() if stage.low.size and not walk.stage.low.size else stage
        short = replace(walk, stage=stage, numbers=(length * self.h,), cuts=False)
        supports = np.stack([self._supports(gone), self._supports(gone + length)])
        starts = (self.load if gone > 0.0 else self.start)[None]
        ran, failed, left = short.walk(now, self.load[None], supports, starts)
        if failed:
            raise ConvergenceError(f"{walk.who}: a step that is cut at a break was not solved ({left:g})")
        start, moved = short.R[t.E0].copy(), short.R[t.DX].copy()
        return ShorterStep(ran, start, moved, _breaks(short, now, start, moved, ran.end["branch"]))

    def _supports(self, gone: float) -> Array:
        return np.asarray(self.moved[0] + gone * (self.moved[1] - self.moved[0]))

    def names(self, known: list[Break]) -> str:
        """Of springs that break."""
        return ", ".join(repr(self.walk.model.springs[one.spring]) for one in known)

    def joined(self, pieces: list[ShorterStep], lengths: list[float]) -> Ran:
        """The pieces as one step."""
        model, last, runs = self.walk.model, pieces[-1].ran, [piece.ran for piece in pieces]
        force = sum(length * run.steps["force"] for length, run in zip(lengths, runs, strict=True))
        work = sum(run.steps["force"] * piece.moved for piece, run in zip(pieces, runs, strict=True))
        damped = sum(
            model.damping_power(np.diff(run.nodes["displacement"], axis=0)) / (length * self.h)
            for length, run in zip(lengths, runs, strict=True)
        )
        summed: list[str] = [name for name in ("solves", "searches", "joint_work") if name in last.steps]
        counts = {name: np.sum([run.steps[name] for run in runs], axis=0) for name in summed}
        events = np.array([sum(len(piece.breaks) for piece in pieces)])
        steps: dict[str, Array] = {
            "force": np.asarray(force),
            **counts,
            "events": events,
            "event_work": np.asarray(work),
        }
        steps["event_damping"] = np.asarray(damped)
        nodes = {name: np.stack([rows[0], last.nodes[name][-1]]) for name, rows in runs[0].nodes.items()}
        return Ran(nodes, steps, last.end, uncertain=int(any(run.uncertain for run in runs)))


def _gap(trial: ShorterStep, share: float, known: list[Break]) -> float:
    """How far the springs are beyond their breaks after a share of their way, the farthest of them, relative to where
    those lie or the way began; negative before. Some break where they are undeformed."""
    gaps = list[float]()
    for spring, at in known:
        start = float(trial.start[spring])
        beyond = (1.0 if at > start else -1.0) * (start + share * float(trial.moved[spring]) - at)
        gaps.append(beyond / max(abs(at), abs(start)))
    return max(gaps)


def _breaks(walk: OneStageMarch, now: Mapping[str, Array], start: Array, moved: Array, branch: Array) -> list[Break]:
    """Where the springs that broke in a step did so: their laws walk the path once more, by themselves."""
    found, z, (groups, I, P) = list[Break](), walk.states.packed(dict(now)), walk.springs
    own = [group for group in walk.model.laws.values() if len(group.springs)]
    for g, group in enumerate(own):
        if group.law.spring_piece is None and group.law.spring_break is None:
            continue
        begin, row = groups[3 * g + 2 : 3 * g + 4].tolist()
        width, many, first = (int(I[begin + place]) for place in (1, 2, 3))
        if group.law.spring_break is not None:
            walked = group.law.spring_break
        else:
            walked = around_law(first_break, "spring_piece", group.law.spring_piece)
        for i, j in enumerate(I[begin + HEAD : begin + HEAD + len(group.first)].tolist()):
            if branch[j] == BROKEN:
                state = z[first + many * i : first + many * (i + 1)].copy()
                at = walked(P, row + width * i, float(start[j]), float(moved[j]), state, 0)
                found += [Break(j, float(at))] if np.isfinite(at) else []
    return found
