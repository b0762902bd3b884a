"""All steps of one run: each whole, or cut where its balance does not close.

A step is cut in two, and its parts again, when Newton's method fails or when the energy that it found differs from the
energy put in by more than its tolerance, relative to the largest kinetic energy or work so far. The nodes stay where
they are. The tolerance of a whole step is twice the imbalance beyond which a run is said to be no motion of its action:
two nodes of a run that nobody is warned about are closer than that, so that coarse but ordinary runs keep their steps
and their bits. What is cut, a contact or a wall, is then followed closely: its parts have a hundredth of it.

Where dry friction stops or turns within a step, its force jumps. The step ends at that instant, found as the root of
the slip at the end of a shorter step, and another follows to the node: the order of the element survives.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ConvergenceError
from hamex.simulate.bonds import BoundSolver, check_bonds
from hamex.simulate.steps import STILL, StepSolver, Taken, Window
from hamex.simulate.system import NumericAction, StepElement, radau_element
from hamex.solution.energy import check_energies

Array = NDArray[Any]
FAR = 0.01  # of the largest kinetic energy or work: drift beyond it is no motion of the action
_WHOLE, _PART = 2 * FAR, FAR / 50
_DEPTH, _CUTS = 30, 400  # how often a part is cut again, and how many cuts a step may have in all
_EVENTS, _SEARCH = 20, 60  # stops of friction in one step, and steps tried to find one
_SHORT = 1e-9  # of a piece: what is too close to its ends to be taken apart
_NOISE = 1e-12  # of the energies themselves, which round-off may leave


@dataclass(frozen=True)
class Stretch:
    """A part of step ``number``, from ``start`` on, both in lengths of a step."""

    number: int
    start: float = 0.0
    length: float = 1.0

    def halves(self) -> tuple[Stretch, Stretch]:
        """The part, cut in two."""
        half = self.length / 2
        return replace(self, length=half), replace(self, start=self.start + half, length=half)


class ActionMarch:
    """All steps of one run."""

    def __init__(self, system: NumericAction, element: StepElement, steps: int) -> None:
        self.system, self.steps, self.n, self.h = system, steps, system.n, system.step
        solver = BoundSolver if system.f.held else StepSolver
        self.solver = solver(system, element)
        # Where a contact turns within a step, rates at Gauss points leave its end open; Radau points hold it.
        stiff = system.f.contacts and not element.jumps
        carriers = np.array(system.f.carriers)
        self.turning = solver(system, radau_element(max(len(element.points) - 1, 1), carriers)) if stiff else None
        self.scale, self.slip = np.zeros(self.n), np.zeros(len(system.f.contacts))
        self.q, self.v, self.p = (np.zeros((steps + 1, self.n)) for _ in range(3))
        self.mean, self.load, self.friction = (np.zeros((steps, self.n)) for _ in range(3))
        self.energy, self.work, self.lost = (np.zeros(steps + 1) for _ in range(3))
        charges = 0 if system.ledger is None else len(system.ledger.names)
        self.charge, self.gained = (np.zeros((steps + 1, charges)) for _ in range(2))
        self.iterations, self.cuts, self.events = (np.zeros(steps, dtype=np.int64) for _ in range(3))
        self.largest = 0.0
        self.reaction, self.multiplier = np.zeros((steps, self.n)), np.zeros((steps, len(system.f.held)))
        self.off, self.drift = np.zeros(steps + 1), np.zeros(steps + 1)

    def run(self, q: Array, v: Array, p: Array) -> None:
        """March from the given values, rates and momenta."""
        system = self.system
        if system.f.held:
            system.start_bonds(q)
            check_bonds(system, q, v)
        self.q[0], self.v[0], self.p[0] = q, v, p
        nothing = np.zeros(len(system.f.contacts))
        self.energy[0] = system.energy(q, v, 0.0, system.given_at(0.0), nothing)[0]
        self.charge[0] = system.charges(q, v, 0.0)
        now = Taken(q, v, p, self.energy[0], q, q, q, 0.0, 0.0, 0, self.gained[0])
        for r in range(self.steps):
            self.left = _CUTS
            now = self._advance(now, Stretch(r), _DEPTH)
            self.q[r + 1], self.v[r + 1], self.p[r + 1], self.energy[r + 1] = now.q, now.v, now.p, now.energy
            self.mean[r], self.load[r], self.friction[r] = now.mean, now.load, now.friction
            self.work[r + 1], self.lost[r + 1] = self.work[r] + now.work, self.lost[r] + now.loss
            self.charge[r + 1] = system.charges(now.q, now.v, (r + 1) * self.h)
            self.gained[r + 1] = self.gained[r] + now.gained
            self.iterations[r], self.cuts[r], self.events[r] = now.iterations, now.cuts, now.events
            if system.f.held:
                self.reaction[r], self.multiplier[r] = now.reaction, now.multiplier
                self.off[r + 1], self.drift[r + 1] = now.off, now.drift
            self.largest = max(self.largest, _kinetic(now), abs(self.work[r + 1]))

    def _advance(self, now: Taken, piece: Stretch, depth: int) -> Taken:
        """The state at the end of a piece, from its start, cut as often as it takes."""
        kept, trouble = self.scale, None
        try:
            taken = self._take(now, piece)
            if depth == 0 or self.left <= 0 or self._closes(now, taken, piece):
                return taken
        except ConvergenceError as problem:
            trouble = problem
            if depth == 0 or self.left <= 0:
                raise
        self.scale = kept  # what an attempt that is not kept went through tells nothing of the terms
        self.left -= 1
        first, second = piece.halves()
        try:
            middle = self._advance(now, first, depth - 1)
            return _joined(middle, self._advance(middle, second, depth - 1), 0.5)
        except ConvergenceError:
            if trouble is not None:
                raise trouble from None
            raise

    def _take(self, now: Taken, piece: Stretch, events: int = _EVENTS) -> Taken:
        w = self._window(now, piece, self.solver.element)
        taken, scale = self.solver.take(w, self.scale)
        if len(self.slip):
            left, settled = self.solver.contacts(w, taken, self.slip)
            if not settled:
                first = self._stopped(now, piece, left) if events and not np.min(left) >= 0 else None
                if first is not None:
                    share, stop = first
                    rest = replace(piece, start=piece.start + share * piece.length, length=(1 - share) * piece.length)
                    then = self._take(stop, rest, events - 1)
                    return replace(_joined(stop, then, share), cuts=0, events=then.events + 1)
                if self.turning is not None:
                    taken, scale = self.turning.take(self._window(now, piece, self.turning.element), self.scale)
        self.scale = scale
        return taken

    def _stopped(self, now: Taken, piece: Stretch, left: Array) -> tuple[float, Taken] | None:
        """The share of a piece after which the first contact stops, and the step to there; None if it is not found.

        Regula falsi with the Illinois rule between shares where the contact still slips and where it no longer does.
        """
        start = np.abs(self.solver.slips(now.q, now.v, (piece.number + piece.start) * self.h))
        limits = np.where(np.isfinite(left) | np.isnan(left), start, np.inf)
        low, above = 0.0, float(np.min(limits))
        high, below = 1.0, float(np.min(left))  # NaN: turned before
        best: tuple[float, Taken, float] | None = None
        for _ in range(_SEARCH):
            share = (low + high) / 2 if np.isnan(below) else low + (high - low) * above / (above - below)
            if not low < share < high:
                break
            part = replace(piece, length=share * piece.length)
            w = self._window(now, part, self.solver.element)
            try:
                taken, _ = self.solver.take(w, self.scale)
                slip = float(np.min(self.solver.contacts(w, taken, self.slip)[0]))
            except ConvergenceError:
                taken, slip = now, np.nan
            if abs(slip) <= STILL * float(self.slip.max()) and (best is None or abs(slip) < best[2]):
                best = share, taken, abs(slip)
                if abs(slip) <= 1e-3 * STILL * float(self.slip.max()):
                    break
            if slip > 0:
                low, above, below = share, slip, below / 2
            else:
                high, below, above = share, slip, above / 2
        return None if best is None or not _SHORT < best[0] < 1 - _SHORT else best[:2]

    def _window(self, now: Taken, piece: Stretch, element: StepElement) -> Window:
        before = piece.number + piece.start
        times = [(before + piece.length * x) * self.h for x in element.points.tolist()]
        given = [self.system.given_at(time) for time in times]
        start, end, h = before * self.h, (before + piece.length) * self.h, piece.length * self.h
        return Window(piece.number, start, h, end, times, given, now.q, now.v, now.p, now.energy)

    def _closes(self, now: Taken, taken: Taken, piece: Stretch) -> bool:
        """True when the energy found at the end is the energy at the start and what was put in, within tolerance."""
        off = abs(taken.energy - now.energy - taken.work + taken.loss)
        largest = max(self.largest, _kinetic(now), _kinetic(taken), abs(taken.work))
        share = _WHOLE if piece.length == 1.0 else _PART
        return bool(off <= share * largest + _NOISE * (abs(now.energy) + abs(taken.energy)))

    def histories(self) -> dict[str, Array]:
        """Results by the names of the schema."""
        check_energies({"hamiltonian": self.energy, "work": self.work}, "simulate", self.h)
        imbalance = self.energy - self.energy[0] - self.work
        if jumps := self.solver.element.jumps or self.turning is not None:
            imbalance += self.lost
        kinetic = np.abs(self.p * self.v).sum(axis=1) / 2
        largest = max(float(kinetic.max()), float(np.abs(self.work).max()))
        residual = float(np.abs(imbalance).max()) / largest if largest > 0 else 0.0
        found = {
            "displacement": self.q,
            "velocity": self.v,
            "momentum": self.p,
            "mean_displacement": self.mean,
            "load": self.load,
            "iterations": self.iterations,
            "cuts": self.cuts,
            "hamiltonian": self.energy,
            "imbalance": imbalance,
            "residual": np.array(residual),
        }
        if jumps:
            found["jumps"] = self.lost
        if self.system.ledger is not None:
            found |= {"charge": self.charge, "charge_drift": self.charge - self.charge[0] - self.gained}
        if self.system.f.contacts:
            found |= {"friction": self.friction, "events": self.events}
        if self.system.f.held:
            found |= {"constraint": self.off, "constraint_rate": self.drift, "reaction": self.reaction}
        return found


def _kinetic(now: Taken) -> float:
    return float(np.abs(now.p * now.v).sum()) / 2


def _joined(first: Taken, second: Taken, share: float) -> Taken:
    """Two parts as one; the first has the given share of the time."""

    def mean(one: Array, other: Array) -> Array:
        return share * one + (1 - share) * other

    return replace(
        second,
        mean=mean(first.mean, second.mean),
        load=mean(first.load, second.load),
        friction=mean(first.friction, second.friction),
        reaction=mean(first.reaction, second.reaction),
        multiplier=mean(first.multiplier, second.multiplier),
        work=first.work + second.work,
        loss=first.loss + second.loss,
        iterations=first.iterations + second.iterations,
        gained=first.gained + second.gained,
        cuts=first.cuts + second.cuts + 1,
        events=first.events + second.events,
    )
