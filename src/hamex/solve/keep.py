"""What a run keeps: which results, and every how many steps; sums and peaks of all steps go on beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hamex.errors import ProblemError
from hamex.solution.schema import ENERGIES, VARIABLES


@dataclass(frozen=True)
class Keep:
    """Histories that a run keeps; peaks, energies and the state at its end come from all steps whatever is kept.

    Parameters
    ----------
    every : every how many steps a node is kept, a divisor of their number. Results of steps (mean forces …) are those
        of the step that ends at a kept node.
    results : names of results, see ``hamex.solution.schema``; by default what a restart or another result needs:
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
        return cls(results=tuple(given))

    @property
    def whole(self) -> bool:
        """True when everything is kept."""
        return self.every == 1 and self.results is None
