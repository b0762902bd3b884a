"""Hinges at the ends of members: inside the block of their member, or springs of their own in series with it.

Sliders and Surfaces flow inside the block, whose flexibility they share. Every other law of a moment is a spring of its
own: its rotation is a dof without mass, so that it is followed along a straight path like any spring, and no law need
know of a second one. Its flexibility before yield is taken out of the member's: until a hinge yields the frame is the
one without hinges, in every deformation, not in double curvature alone (as where the inertia is scaled by (n + 1)/n:
Ibarra and Krawinkler 2005, report 152 of the Blume Center, Stanford).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import LawError, ModelError
from hamex.model.assembly import Block
from hamex.model.inputs import number
from hamex.model.laws.law import Law
from hamex.model.laws.path import first_slope
from hamex.model.laws.slider import Slider
from hamex.model.laws.surface import Surface

Array = NDArray[Any]
WHO = "frame"
# Of a hinge before yield, in EI/L: eleven times the member's 6EI/L in double curvature, which is Ibarra and
# Krawinkler's n = 10. Stiffer ones change nothing but the rounding.
USUAL = 66.0
_RIGID = 1e-9  # of the member's flexibility: less is none
_OWN = 1e-4  # by which the first slope of a law may differ from the stiffness of its spring and still be that
# Force components that the law of a hinge may name, by its number of components, for both ends.
PLANE = {1: (("M1",), ("M2",)), 2: (("N", "M1"), ("N", "M2"))}
SPACE = {1: (("Mz1",), ("Mz2",)), 2: (("Mz1", "My1"), ("Mz2", "My2")), 3: (("N", "Mz1", "My1"), ("N", "Mz2", "My2"))}


@dataclass(frozen=True)
class EndHinges:
    """The hinges of one member as they were given.

    Attributes
    ----------
    name : of the member.
    laws, stiffness : at start and end; None for none and for the usual.
    released : ends without a bending moment, some of "12".
    one_stiffness : whether one number stands for both ends.
    """

    name: str
    laws: tuple[Any, Any]
    stiffness: tuple[Any, Any]
    released: str
    one_stiffness: bool

    @classmethod
    def of(cls, name: str, laws: Any, stiffness: Any, release: Any) -> EndHinges:
        """From the fields of a member."""
        ends = {None: "", "start": "1", "end": "2", "both": "12"}
        if release not in ends:
            raise ModelError(f'{WHO}: {name}: release must be "start", "end" or "both", got {release!r}')
        pairs = [given if isinstance(given, tuple) else (given, given) for given in (laws, stiffness)]
        for pair, what in zip(pairs, ("hinges are one law", "hinge_stiffness is one number"), strict=True):
            if len(pair) != 2:
                raise ModelError(f"{WHO}: {name}: {what}, or a pair (start, end); got {pair!r}")
        return cls(name, pairs[0], pairs[1], ends[release], not isinstance(stiffness, tuple))

    def by_part(self, space: bool) -> list[tuple[tuple[str, ...], Law]]:
        """Laws with the forces that they see; elastic ends are left out."""
        known = SPACE if space else PLANE
        found: list[tuple[tuple[str, ...], Law]] = []
        for end, law in enumerate(self.laws):
            if law is None or (isinstance(law, Slider) and law.is_elastic):
                continue
            if not isinstance(law, Law):
                raise ModelError(
                    f"{WHO}: {self.name}: a hinge must be a law such as Slider, IMK or Surface, got {law!r}"
                )
            if law.size not in known:
                raise ModelError(
                    f"{WHO}: {self.name}: a hinge has "
                    + " or ".join(f"({', '.join(parts[0]).replace('1', '')})" for parts in known.values())
                    + f", got a {type(law).__name__} of {law.size} components"
                )
            if law.size > 1 and not isinstance(law, Surface):
                raise ModelError(f"{WHO}: {self.name}: a hinge of {law.size} components must be a Surface, got {law!r}")
            if any(part[-1] in self.released for part in known[law.size][end]):
                raise ModelError(f"{WHO}: {self.name} has a hinge law at a released end")
            found.append((known[law.size][end], law))
        return found

    @property
    def in_series(self) -> tuple[int, ...]:
        """Ends, 0 and 1, whose hinge is a spring of its own. Where the other end is released the member itself is that
        spring, unless the hinge is given a stiffness."""
        return tuple(
            end
            for end, (law, other) in enumerate(zip(self.laws, "21", strict=True))
            if isinstance(law, Law)
            and law.size == 1
            and not isinstance(law, Slider | Surface)
            and (other not in self.released or self.stiffness[end] is not None)
        )

    @property
    def turns(self) -> list[str]:
        """Names of the rotations of hinges in series, "B1.r1"."""
        return [f"{self.name}.r{end + 1}" for end in self.in_series]

    def stiffnesses(self, rigidity: float, flexibility: Array) -> dict[int, float]:
        """Stiffness before yield of the hinges in series, by end.

        ``rigidity`` is EI/L, and ``flexibility`` that of the two end moments without hinges, of which theirs is a part.
        """
        ends = self.in_series
        one_for_some = self.one_stiffness and bool(ends)
        if any(x is not None for end, x in enumerate(self.stiffness) if end not in ends) and not one_for_some:
            raise ModelError(
                f"{WHO}: {self.name}: hinge_stiffness is for hinges in series with their member, such as IMK or "
                "Bilinear; others are rigid until they yield"
            )
        found = {end: self._stiffness(end, USUAL * rigidity) for end in ends}
        kept = [end for end in (0, 1) if str(end + 1) not in self.released]
        least = _least(flexibility, kept, ends) if ends else 0.0
        left = flexibility - np.diag([1 / found.get(end, np.inf) for end in (0, 1)])
        if ends and np.linalg.eigvalsh(left[np.ix_(kept, kept)]).min() <= _RIGID * flexibility[0, 0]:
            soft = min(found.values())
            said = "hinge_stiffness" if any(x is not None for x in self.stiffness) else "the first slope of its hinge"
            raise ModelError(
                f"{WHO}: {self.name}: {said}, {soft:.6g}, must be above {least:.6g}, which the member itself has "
                "there: hinges are a part of its flexibility, so that it is as stiff as without them. The usual one is "
                f"{USUAL:g} EI/L = {USUAL * rigidity:.6g}; a joint that is softer than its member is a spring_link "
                "between two nodes at one place"
            )
        return found

    def _stiffness(self, end: int, usual: float) -> float:
        """As given, else of the law's first line where the law brings that, else the usual one."""
        law = self.laws[end]
        try:
            first = first_slope(law, usual)
        except LawError as problem:
            raise ModelError(f"{WHO}: {self.name}: its hinge is refused: {problem}") from None
        if self.stiffness[end] is not None:
            return number(WHO, f"hinge_stiffness of {self.name}", self.stiffness[end], positive=True)
        same = abs(first - usual) <= _OWN * usual or not first > 0
        return usual if same or abs(first_slope(law, first) - first) > _OWN * first else first

    def springs(self, space: bool, turns: dict[str, int], stiffness: dict[int, float]) -> list[Block]:
        """The hinges in series as blocks; ``turns`` are the motions of their rotations."""
        return [
            Block(
                (f"{self.name}.{'Mz' if space else 'M'}{end + 1}",),
                ({turns[f"{self.name}.r{end + 1}"]: 1.0},),
                np.array([[1 / k]]),
                (((0,), self.laws[end]),),
                self.name,
            )
            for end, k in stiffness.items()
        ]


def _least(flexibility: Array, kept: list[int], ends: tuple[int, ...]) -> float:
    """Stiffness that the weakest of equal hinges at these ends must exceed."""
    inner = np.linalg.inv(flexibility[np.ix_(kept, kept)])
    places = [kept.index(end) for end in ends]
    return float(np.linalg.eigvalsh(inner[np.ix_(places, places)]).max())
