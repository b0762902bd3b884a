"""The schemes on show: each is a name, how it is made for a step, and where it comes from. To compare one more, add a
line."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from hamex.errors import SchemeError
from hamex.schemes import (
    Bathe,
    CentralDifference,
    DiscontinuousGalerkin,
    Galerkin,
    GeneralisedAlpha,
    HilberHughesTaylor,
    Newmark,
    RhoBathe,
    RungeKutta4,
    Scheme,
    TrBdf2,
    WilsonTheta,
)

Family = Literal["element", "jump", "alpha", "collocation", "composite", "explicit"]


@dataclass(frozen=True, eq=False)
class Entry:
    """One scheme of the laboratory.

    ``make`` takes a step [s] and returns the scheme. ``order`` is that of theory on smooth linear problems; ``solves``
    is the number of systems of the size of the structure that one step solves, 0 when it is explicit (with a lumped
    mass). ``limit`` is the largest stable ωh without damping, ``remains`` the share of the fastest motion that one step
    leaves (ρ∞).
    """

    key: str
    name: str
    family: Family
    make: Callable[[float], Scheme]
    order: int
    solves: int
    source: str
    limit: float = math.inf
    remains: float = 0.0
    data: str = ""

    @property
    def scheme(self) -> Scheme:
        """The scheme for a step of 1 s: its linear map asks for ωh alone."""
        return self.make(1.0)


def _element(degree: int) -> Entry:
    return Entry(
        f"galerkin-{degree}",
        f"Galerkin, degree {degree}",
        "element",
        partial(Galerkin, degree=degree),
        2 * degree,
        degree,
        "continuous time element of the mixed action; on linear systems Gauss collocation (Butcher 1964)",
        remains=1.0,
        data=f"s = {degree}",
    )


def _jump(degree: int) -> Entry:
    return Entry(
        f"discontinuous-{degree}",
        f"Discontinuous, degree {degree}",
        "jump",
        partial(DiscontinuousGalerkin, degree=degree),
        2 * degree + 1,
        degree + 1,
        "time element with jumps; on linear systems Radau IIA (Ehle 1969)",
        data=f"s = {degree}",
    )


def _newmark(beta: float, gamma: float) -> Callable[[float], Scheme]:
    return partial(Newmark, beta=beta, gamma=gamma, safeguarded=True)


_NEWMARK = "Newmark (1959)"

CATALOGUE: tuple[Entry, ...] = (
    *(_element(degree) for degree in (1, 2, 3, 4)),
    *(_jump(degree) for degree in (0, 1, 2)),
    Entry(
        "newmark-average",
        "Newmark, average acceleration",
        "alpha",
        _newmark(0.25, 0.5),
        2,
        1,
        _NEWMARK,
        remains=1.0,
        data="β = 1/4, γ = 1/2",
    ),
    Entry(
        "newmark-linear",
        "Newmark, linear acceleration",
        "alpha",
        _newmark(1 / 6, 0.5),
        2,
        1,
        _NEWMARK,
        limit=math.sqrt(12),
        remains=math.inf,
        data="β = 1/6, γ = 1/2",
    ),
    Entry(
        "newmark-damped",
        "Newmark, damped",
        "alpha",
        _newmark(0.3025, 0.6),
        1,
        1,
        _NEWMARK,
        remains=9 / 11,
        data="β = 0.3025, γ = 0.6",
    ),
    Entry(
        "hht",
        "HHT-α",
        "alpha",
        partial(HilberHughesTaylor, alpha=-0.1),
        2,
        1,
        "Hilber, Hughes & Taylor (1977)",
        remains=9 / 11,
        data="α = −0.1",
    ),
    Entry(
        "generalised-alpha",
        "Generalised-α",
        "alpha",
        partial(GeneralisedAlpha, rho=0.8),
        2,
        1,
        "Chung & Hulbert (1993)",
        remains=0.8,
        data="ρ∞ = 0.8",
    ),
    Entry(
        "wilson",
        "Wilson-θ",
        "collocation",
        partial(WilsonTheta, theta=1.4),
        2,
        1,
        "Wilson (1968); Bathe & Wilson (1973)",
        remains=0.7784,
        data="θ = 1.4",
    ),
    Entry("bathe", "Bathe", "composite", Bathe, 2, 2, "Bathe & Baig (2005); Bathe (2007)", data="split 1/2"),
    Entry(
        "bathe-rho",
        "ρ∞-Bathe",
        "composite",
        partial(RhoBathe, rho=0.5),
        2,
        2,
        "Noh & Bathe (2019)",
        remains=0.5,
        data="ρ∞ = 0.5",
    ),
    Entry(
        "tr-bdf2",
        "TR-BDF2",
        "composite",
        TrBdf2,
        2,
        2,
        "Bank et al. (1985); Hosea & Shampine (1996)",
        data="split 2 − √2",
    ),
    Entry(
        "central",
        "Central difference",
        "explicit",
        CentralDifference,
        2,
        0,
        "Newmark (1959) with β = 0",
        limit=2.0,
        remains=math.inf,
        data="β = 0, γ = 1/2",
    ),
    Entry(
        "runge-kutta-4",
        "Runge-Kutta 4",
        "explicit",
        RungeKutta4,
        4,
        0,
        "Kutta (1901)",
        limit=math.sqrt(8),
        remains=math.inf,
        data="classical table",
    ),
)


def find(key: str) -> Entry:
    """The entry of this key."""
    for entry in CATALOGUE:
        if entry.key == key:
            return entry
    raise SchemeError(f"no scheme is called {key!r}; known: {', '.join(entry.key for entry in CATALOGUE)}")
