"""A run in parts: blocks of steps in, one solution out; whole, or thinned with running sums, peaks and the last
state."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import OverflowRunError, ProblemError
from hamex.model.record import recorded
from hamex.problem import FilledState, Limit, Problem, State
from hamex.schemes.scheme import Ran, Scheme, joined
from hamex.solution.energy import check_energies, energy_entries
from hamex.solution.outline import ENERGIES, VARIABLES, Extent, Peak
from hamex.solution.solution import Solution
from hamex.solution.source import Run

Array = NDArray[Any]
CHUNK = 1 << 17  # numbers of a history that are looked at together while it is thinned
_LARGE = 1 << 22  # the same at most, where eight steps are more
_BASE = ("displacement", "momentum", "slip")
_SPENT = ("viscous", "plastic", "jumps", "input")
_HELD = ("kinetic", "stored", "hardening")


@dataclass(frozen=True)
class Keep:
    """Histories that a run keeps; peaks, energies and the state at its end come from all steps whatever is kept.

    Parameters
    ----------
    every : every how many steps a node is kept, a divisor of their number. Results of steps (mean forces …) are those
        of the step that ends at a kept node.
    results : names of results, see ``hamex.solution.outline``; by default what a restart or another result needs:
        displacement, momentum, slip, mean force and the variables of the laws. Energies are always kept.

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(yield_force=0.27))
    >>> problem = hx.Problem(model, hx.el_centro().scaled(2).on(model, g=1.0), duration=40.0)
    >>> whole, thin = (hx.solve(problem, hx.Galerkin(0.001), keep=keep) for keep in (None, hx.Keep(every=1000)))
    >>> len(thin.times), thin.peaks["displacement"] == whole.peaks["displacement"]
    (41, True)
    """

    every: int = 1
    results: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.every, int) or isinstance(self.every, bool) or self.every < 1:
            raise ProblemError(f"Keep: every must be a whole number of steps ≥ 1, got {self.every!r}")
        if self.results is None:
            return
        if not isinstance(self.results, Sequence) or not all(isinstance(name, str) for name in self.results):
            raise ProblemError(f"Keep: results must be names, got {self.results!r:.60}")
        object.__setattr__(self, "results", tuple(self.results))
        for name in self.results:
            if name not in VARIABLES or name in ENERGIES:
                known = ", ".join(name for name in VARIABLES if name not in ENERGIES)
                raise ProblemError(f"Keep: there is no result {name!r} to choose; known are {known}")

    @classmethod
    def of(cls, given: Keep | int | Sequence[str] | None) -> Keep:
        """What was asked for: a Keep, a number of steps, or names of results."""
        if given is None:
            return cls()
        if isinstance(given, Keep):
            return given
        if isinstance(given, int):
            return cls(every=given)
        if isinstance(given, str):
            return cls(results=(given,))
        return cls(results=given)  # type: ignore[arg-type]

    @property
    def whole(self) -> bool:
        """True when everything is kept."""
        return self.every == 1 and self.results is None


def state_of(start: FilledState) -> dict[str, Array]:
    """A state by name, as marches take it."""
    return {"displacement": start.displacement, "momentum": start.momentum, "slip": start.slip, **start.internal}


def solution_of(
    problem: Problem, scheme: Scheme, ran: Ran, extent: Extent | None = None, limit: Limit | None = None
) -> Solution:
    """The solution of some steps from the start of ``problem`` on: what is worth keeping, and the state at the end."""
    check_finite(scheme, ran, 0 if extent is None else extent.first)
    histories = dict(ran.nodes)
    if len(histories) > len(_BASE):
        kept = {*_BASE, "velocity", *recorded(problem.model)}
        histories = {name: value for name, value in histories.items() if name in kept}
    histories |= {name: value for name, value in ran.steps.items() if name != "spent"}
    if "spent" in ran.steps:
        before = [] if extent is None else [extent.spent.get(name, 0.0) for name in _SPENT]
        total = np.cumsum(np.vstack([before or np.zeros(4), ran.steps["spent"]]), axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            found = energy_entries(problem.model, scheme.step, ran.nodes, ran.steps["force"], total)
        check_energies(found, scheme.name, scheme.step, 0 if extent is None else extent.first)
        histories |= found
    for array in histories.values():
        array.flags.writeable = False
    still = np.zeros(len(problem.model.springs))
    internal = {"back_force": still, "accumulated_slip": still} | {
        name: value for name, value in ran.end.items() if name not in _BASE
    }
    return Solution(
        Run(problem, scheme), histories, internal, limit=limit or Limit(), inside=ran.inside, extent=extent or Extent()
    )


def check_finite(scheme: Scheme, ran: Ran, first: int = 0) -> None:
    """Refuse to go on with numbers that are none, and name the step that left them; the first is number ``first`` + 1.

    Sums pass over histories at the speed of memory, without the threads that a product would wake; only where one is
    not finite every node is looked at.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        histories = ((name, ran.nodes[name].ravel()) for name in _BASE)
        doubtful = [name for name, history in histories if not math.isfinite(float(history.sum()))]
    for name in doubtful:
        lost = np.flatnonzero(~np.isfinite(ran.nodes[name]).all(axis=1))
        if lost.size:
            step = first + int(lost[0])
            raise OverflowRunError(
                f"{scheme.name}: the {name} is no finite number from step {step} (t = {step * scheme.step:g} s) on; "
                "the scheme is not stable at this step (take a shorter one), loads and units are out of proportion, or "
                "the structure collapsed and ran away: then let the run end at a limit of the drift"
            )


def part_of(
    problem: Problem,
    scheme: Scheme,
    ran: Ran,
    now: Mapping[str, Array],
    first: int,
    limit: Limit,
    impulse: Array | None = None,
    spent: Mapping[str, float] | None = None,
) -> Solution:
    """The steps from ``first`` on as a solution of their own, on the clock of the whole run."""
    late = first * scheme.step
    internal = {name: value for name, value in now.items() if name not in _BASE}
    if impulse is not None:
        internal["impulse"] = impulse
    own = problem.replace(
        start=State(now["displacement"], now["momentum"], now["slip"], internal),
        duration=len(ran.steps["force"]) * scheme.step,
        load=problem.load.after(late) if first else problem.load,
        supports=problem.supports.after(late) if first and problem.supports is not None else problem.supports,
    )
    extent = Extent(first=first, spent=spent or dict.fromkeys(_SPENT, 0.0))
    return solution_of(own, scheme, ran, extent, limit)


class Thinned:
    """Takes the steps of a run chunk by chunk, keeps what was asked for, and carries sums and peaks on.

    Chunks begin at multiples of their length whatever the blocks of the march are, so that no bit depends on those.
    """

    def __init__(self, problem: Problem, scheme: Scheme, keep: Keep, limit: Limit) -> None:
        self.problem, self.scheme, self.keep, self.limit = problem, scheme, keep, limit
        width = len(problem.model.dofs) + len(problem.model.springs)
        self.chunk = max(CHUNK // width, min(8, _LARGE // width), 1)
        self.now, self.impulse = state_of(problem.start), problem.start.internal.get("impulse")
        self.taken, self.waiting, self.pending = 0, list[Ran](), 0
        self.spent = dict.fromkeys(_SPENT, 0.0)
        self.rows: dict[str, list[Array]] = {}
        self.peaks: dict[str, Peak] = {}
        self.origin, self.most, self.worst = 0.0, 0.0, 0.0
        self.exceeded: Any = None
        self.last: Solution | None = None

    def room(self) -> int:
        """Steps to the end of the present chunk."""
        return self.chunk - self.pending

    def take(self, ran: Ran) -> None:
        """Some more steps."""
        self.waiting.append(ran)
        self.pending += len(ran.steps["force"])
        if self.pending == self.chunk:
            self.settle()

    def settle(self) -> None:
        """Look at the steps that wait."""
        if not self.waiting:
            return
        ran = joined(self.waiting)
        part = part_of(self.problem, self.scheme, ran, self.now, self.taken, self.limit, self.impulse, self.spent)
        self._energies(part)
        self._peaks(part)
        self._keep(part)
        if self.exceeded is None:
            self.exceeded = part.exceeded
        self.last, self.impulse = part, part.final.internal["impulse"]
        self.taken += self.pending
        self.now, self.waiting, self.pending = ran.end, [], 0

    def _energies(self, part: Solution) -> None:
        entries = {name: np.array(part.values(name)) for name in (*_HELD, *_SPENT)}
        kinetic, stored, hardening = (entries[name] for name in _HELD)
        viscous, plastic, jumps, given = (entries[name] for name in _SPENT)
        left = kinetic + stored + viscous + plastic + hardening + jumps - given
        if self.taken == 0:
            self.origin = float(left[0])
        left = left - self.origin
        self.most = max(self.most, *(float(np.abs(entry).max()) for entry in entries.values()))
        self.worst = max(self.worst, float(np.abs(left).max()))
        self.spent = {name: float(entries[name][-1]) for name in _SPENT}
        self._store({**entries, "imbalance": left}, nodes=True)

    def _peaks(self, part: Solution) -> None:
        for name, peak in part.peaks.items():
            if name not in self.peaks or name.startswith("residual_") or peak.value > self.peaks[name].value:
                self.peaks[name] = peak

    def _keep(self, part: Solution) -> None:
        chosen = self.keep.results or tuple(name for name in part.histories if name not in ENERGIES)
        at_nodes, of_steps = {}, {}
        for name in chosen:
            values = part.values(name)
            if len(values) == self.pending + 1:
                at_nodes[name] = values
            elif len(values) == self.pending:
                of_steps[name] = values
        self._store(at_nodes, nodes=True)
        self._store(of_steps, nodes=False)

    def _store(self, values: Mapping[str, Array], nodes: bool) -> None:
        """Rows of nodes that are multiples of ``every``; of steps, those that end there."""
        first = (-self.taken) % self.keep.every
        for name, array in values.items():
            rows = array[first :: self.keep.every] if nodes else array[(first - 1) % self.keep.every :: self.keep.every]
            if nodes and self.taken and first == 0:
                rows = rows[1:]  # the last node of the part before
            self.rows.setdefault(name, []).append(np.array(rows))

    def solution(self, problem: Problem, extent: Extent) -> Solution:
        """What was kept of ``problem``, as long as it turned out, with sums and peaks of all steps."""
        self.settle()
        assert self.last is not None
        histories = {name: np.concatenate(parts) for name, parts in self.rows.items()}
        histories["residual"] = np.array(self.worst / self.most if self.most > 0 else 0.0)
        for array in histories.values():
            array.flags.writeable = False
        extent = replace(
            extent,
            every=self.keep.every,
            steps=self.taken,
            peaks=self.peaks,
            final=self.last.final,
            exceeded=self.exceeded,
        )
        return Solution(Run(problem, self.scheme), histories, self.last.internal, limit=self.limit, extent=extent)
