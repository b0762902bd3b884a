"""Steps halved until their error is small: nodes stay multiples of the step, inside it the element is repeated.

A step is taken with 1, 2, 4 … equal pieces until two results differ by less than the tolerance, and the finer one
stands. The decision depends on the state at its start and on the load alone, so reruns and restarts repeat it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.marching import How, Ran
from hamex.discretise.stage_history import spent_inside
from hamex.discretise.stage_marches import Pieces
from hamex.errors import ConvergenceError
from hamex.problem import Problem
from hamex.problem.loads import loads_between

if TYPE_CHECKING:
    from hamex.discretise.time_elements import TimeElement

Array = NDArray[Any]
FINEST = 12          # 4096 pieces a step


class AdaptiveMarch:
    """Steps with pieces chosen by the scheme's tolerance; counts them as ``pieces``."""

    def __init__(self, problem: Problem, scheme: TimeElement, how: How) -> None:
        self.problem, self.scheme, self.how = problem, scheme, how
        self.patterns = loads_between(problem, scheme, 0, 1, True).patterns
        self.level = cache(self._level)

    def _level(self, k: int) -> tuple[Pieces, Array]:
        """Pieces of h/2ᵏ and their loads, for the whole run."""
        parts, scheme = 2**k, self.scheme
        values = self.problem.load.stage_values(scheme.step / parts, self.how.steps * parts,
                                                scheme.table().c.tolist(), scheme.load, self.how.quiet or k > 0)
        run = Pieces(self.problem.model, scheme.table(), scheme.step / parts, self.patterns, parts, scheme.label)
        return run, values

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        states, force, pieces, spent = [dict(now)], [], np.zeros(steps, dtype=np.int64), np.zeros((steps, 4))
        nodes: dict[str, list[Array]] = {}
        for r in range(steps):
            parts, done = self._step(states[-1], first + r)
            for name, value in done.nodes.items():
                nodes.setdefault(name, [value[0]]).append(value[-1])
            states[-1] = done.end
            force.append(done.steps["force"].mean(axis=0))
            pieces[r] = parts
            spent[r] = spent_inside(self.problem.model, self.scheme.step / parts, done.inside, self.patterns,
                                    done.nodes["displacement"]).sum(axis=0)
        return Ran({name: np.array(rows) for name, rows in nodes.items()},
                   {"force": np.array(force), "pieces": pieces, "spent": spent}, states[-1])

    def _step(self, now: Mapping[str, Array], r: int) -> tuple[int, Ran]:
        """Step r: the number of its pieces, and what they left."""
        tolerance, coarse = self.scheme.tolerance or 0.0, None
        for k in range(FINEST + 1):
            run, values = self.level(k)
            parts = 2**k
            done, failed = run.march(now, values[r * parts:(r + 1) * parts])
            if failed:
                continue
            if coarse is not None and np.abs(done.end["displacement"] - coarse).max() <= tolerance:
                return parts, done
            coarse = done.end["displacement"]
        raise ConvergenceError(f"{self.scheme.name}: step {r + 1} (t = {(r + 1) * self.scheme.step:g} s) misses the "
                               f"tolerance {tolerance:g} even with {2**FINEST} pieces; give a larger one")
