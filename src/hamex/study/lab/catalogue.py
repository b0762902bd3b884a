"""The schemes on show: each is a name, its data and where it comes from. To compare one more, add a line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Literal

from hamex.discretise._elements import CONTINUOUS, DISCONTINUOUS
from hamex.discretise.schemes import DiscontinuousGalerkin, Galerkin
from hamex.errors import SchemeError
from hamex.study.lab import tables
from hamex.study.lab.methods import Alpha, Collocation, Method, Published, Table

Family = Literal["element", "jump", "alpha", "collocation", "composite", "explicit"]


@dataclass(frozen=True, eq=False)
class Entry:
    """One scheme of the laboratory.

    ``order`` is that of theory on smooth linear problems; ``solves`` is the number of systems of the size of the
    structure that one step solves, 0 when it is explicit (with a lumped mass). ``limit`` is the largest stable ωh
    without damping, ``remains`` the share of the fastest motion that one step leaves (ρ∞).
    """

    key: str
    name: str
    family: Family
    method: Method
    order: int
    solves: int
    source: str
    limit: float = math.inf
    remains: float = 0.0
    data: str = ""


def _element(degree: int) -> Entry:
    table = tables.element(CONTINUOUS[degree])
    return Entry(f"galerkin-{degree}", f"Galerkin, degree {degree}", "element",
                 Published(partial(Galerkin, degree=degree), *table, ends=degree == 1), 2 * degree, degree,
                 "continuous time element of the mixed action; on linear systems Gauss collocation (Butcher 1964)",
                 remains=1.0, data=f"s = {degree}")


def _jump(degree: int) -> Entry:
    return Entry(f"discontinuous-{degree}", f"Discontinuous, degree {degree}", "jump",
                 Published(partial(DiscontinuousGalerkin, degree=degree), *tables.element(DISCONTINUOUS[degree])),
                 2 * degree + 1, degree + 1,
                 "time element with jumps; on linear systems Radau IIA (Ehle 1969)", data=f"s = {degree}")


_NEWMARK = "Newmark (1959)"
_RHO_BATHE = 0.5

CATALOGUE: tuple[Entry, ...] = (
    *(_element(degree) for degree in (1, 2, 3, 4)),
    *(_jump(degree) for degree in (0, 1, 2)),
    Entry("newmark-average", "Newmark, average acceleration", "alpha", Alpha.newmark(0.25, 0.5), 2, 1, _NEWMARK,
          remains=1.0, data="β = 1/4, γ = 1/2"),
    Entry("newmark-linear", "Newmark, linear acceleration", "alpha", Alpha.newmark(1 / 6, 0.5), 2, 1, _NEWMARK,
          limit=math.sqrt(12), remains=math.inf, data="β = 1/6, γ = 1/2"),
    Entry("newmark-damped", "Newmark, damped", "alpha", Alpha.newmark(0.3025, 0.6), 1, 1, _NEWMARK,
          remains=9 / 11, data="β = 0.3025, γ = 0.6"),
    Entry("hht", "HHT-α", "alpha", Alpha.hht(-0.1), 2, 1, "Hilber, Hughes & Taylor (1977)", remains=9 / 11,
          data="α = −0.1"),
    Entry("generalised-alpha", "Generalised-α", "alpha", Alpha.generalised(0.8), 2, 1, "Chung & Hulbert (1993)",
          remains=0.8, data="ρ∞ = 0.8"),
    Entry("wilson", "Wilson-θ", "collocation", Collocation(1.4), 2, 1, "Wilson (1968); Bathe & Wilson (1973)",
          remains=0.7784, data="θ = 1.4"),
    Entry("bathe", "Bathe", "composite", Table(*tables.composite(0.5)), 2, 2, "Bathe & Baig (2005); Bathe (2007)",
          data="split 1/2"),
    Entry("bathe-rho", "ρ∞-Bathe", "composite", Table(*tables.composite(tables.equal_parts(_RHO_BATHE), _RHO_BATHE)),
          2, 2, "Noh & Bathe (2019)", remains=_RHO_BATHE, data="ρ∞ = 0.5"),
    Entry("tr-bdf2", "TR-BDF2", "composite", Table(*tables.composite(tables.equal_parts(0.0)), slip_by_table=True),
          2, 2, "Bank et al. (1985); Hosea & Shampine (1996)", data="split 2 − √2"),
    Entry("central", "Central difference", "explicit", Alpha.newmark(0.0, 0.5), 2, 0, "Newmark (1959) with β = 0",
          limit=2.0, remains=math.inf, data="β = 0, γ = 1/2"),
    Entry("runge-kutta-4", "Runge-Kutta 4", "explicit", Table(*tables.runge_kutta_4()), 4, 0, "Kutta (1901)",
          limit=math.sqrt(8), remains=math.inf, data="classical table"),
)


def find(key: str) -> Entry:
    """The entry of this key."""
    for entry in CATALOGUE:
        if entry.key == key:
            return entry
    raise SchemeError(f"no scheme is called {key!r}; known: {', '.join(entry.key for entry in CATALOGUE)}")
