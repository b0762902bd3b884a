"""All steps of one run: each whole, or cut where its balance does not close.

A step is cut in two, and its parts again, when Newton's method fails or when the energy that it found differs from the
energy put in by more than its tolerance, relative to the largest kinetic energy or work so far. The nodes stay where
they are. The tolerance of a whole step is twice the imbalance beyond which a run is said to be no motion of its action:
two nodes of a run that nobody is warned about are closer than that, so that coarse but ordinary runs keep their steps
and their bits. What is cut, a contact or a wall, is then followed closely: its parts have a hundredth of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ConvergenceError
from hamex.simulate.bonds import BoundSolver, check_bonds
from hamex.simulate.elements import StepElement, radau_element
from hamex.simulate.steps import StepSolver, Taken, Window
from hamex.simulate.system import NumericAction
from hamex.solution.energy import check_energies

Array = NDArray[Any]
FAR = 0.01  # of the largest kinetic energy or work: drift beyond it is no motion of the action
_WHOLE, _PART = 2 * FAR, FAR / 50
_DEPTH, _CUTS = 30, 400  # how often a part is cut again, and how many cuts a step may have in all
_NOISE = 1e-12  # of the energies themselves, which round-off may leave


@dataclass(frozen=True)
class Piece:
    """A part of step ``number``, from ``start`` on, both in lengths of a step."""

    number: int
    start: float = 0.0
    length: float = 1.0

    def halves(self) -> tuple[Piece, Piece]:
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
        self.iterations, self.cuts = (np.zeros(steps, dtype=np.int64) for _ in range(2))
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
        now = Taken(q, v, p, self.energy[0], q, q, q, 0.0, 0.0, 0)
        for r in range(self.steps):
            self.left = _CUTS
            now = self._advance(now, Piece(r), _DEPTH)
            self.q[r + 1], self.v[r + 1], self.p[r + 1], self.energy[r + 1] = now.q, now.v, now.p, now.energy
            self.mean[r], self.load[r], self.friction[r] = now.mean, now.load, now.friction
            self.work[r + 1], self.lost[r + 1] = self.work[r] + now.work, self.lost[r] + now.loss
            self.iterations[r], self.cuts[r] = now.iterations, now.cuts
            if system.f.held:
                self.reaction[r], self.multiplier[r] = now.reaction, now.multiplier
                self.off[r + 1], self.drift[r + 1] = now.off, now.drift
            self.largest = max(self.largest, _kinetic(now), abs(self.work[r + 1]))

    def _advance(self, now: Taken, piece: Piece, depth: int) -> Taken:
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
            return _joined(middle, self._advance(middle, second, depth - 1))
        except ConvergenceError:
            if trouble is not None:
                raise trouble from None
            raise

    def _take(self, now: Taken, piece: Piece) -> Taken:
        w = self._window(now, piece, self.solver.element)
        taken, scale = self.solver.take(w, self.scale)
        if self.turning is not None and self.solver.switches(w, taken, self.slip):
            taken, scale = self.turning.take(self._window(now, piece, self.turning.element), self.scale)
        self.scale = scale
        return taken

    def _window(self, now: Taken, piece: Piece, element: StepElement) -> Window:
        before = piece.number + piece.start
        times = [(before + piece.length * x) * self.h for x in element.points.tolist()]
        given = [self.system.given_at(time) for time in times]
        start, end, h = before * self.h, (before + piece.length) * self.h, piece.length * self.h
        return Window(piece.number, start, h, end, times, given, now.q, now.v, now.p, now.energy)

    def _closes(self, now: Taken, taken: Taken, piece: Piece) -> bool:
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
        if self.system.f.contacts:
            found["friction"] = self.friction
        if self.system.f.held:
            found |= {"constraint": self.off, "constraint_rate": self.drift, "reaction": self.reaction}
        return found


def _kinetic(now: Taken) -> float:
    return float(np.abs(now.p * now.v).sum()) / 2


def _joined(first: Taken, second: Taken) -> Taken:
    """Two halves as one."""
    return replace(
        second,
        mean=(first.mean + second.mean) / 2,
        load=(first.load + second.load) / 2,
        friction=(first.friction + second.friction) / 2,
        reaction=(first.reaction + second.reaction) / 2,
        multiplier=(first.multiplier + second.multiplier) / 2,
        work=first.work + second.work,
        loss=first.loss + second.loss,
        iterations=first.iterations + second.iterations,
        cuts=first.cuts + second.cuts + 1,
    )
