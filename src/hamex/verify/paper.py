"""Table 2 of the paper that hamex is built on."""

from __future__ import annotations

from collections.abc import Sequence

import hamex as hx
from hamex.paper.results import CASES
from hamex.paper.results import Case as PaperCase
from hamex.verify.case import chapter

case = chapter("paper")
SOURCE = "Kim, Extended Hamilton's principle, table 2"
PRINTED = [f"{each.slip_printed} {each.momentum_printed}" for each in CASES]


def ends(cases: Sequence[PaperCase]) -> list[float]:
    """Slip and momentum at the end of each run, in thousandths."""
    runs = [hx.solve(each.problem, hx.Galerkin(each.step, load="end")) for each in cases]
    return [1e3 * float(sol.values(name)[-1, 0]) for sol in runs for name in ("slip", "momentum")]


@case("K1", SOURCE, printed=" ".join(PRINTED[:3]))
def resonant() -> object:
    """Last slip [milli-in] and momentum [milli-in/s] under a resonant sine, three steps."""
    return ends(CASES[:3])


@case("K2", SOURCE, printed=" ".join(PRINTED[3:]))
def el_centro() -> object:
    """Last slip [milli-in] and momentum [milli-in/s] under El Centro, three viscosities."""
    return ends(CASES[3:])
