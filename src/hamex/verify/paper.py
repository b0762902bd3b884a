"""Table 2 of the paper that hamex is built on."""

from __future__ import annotations

import hamex as hx
from hamex.paper.results import CASES
from hamex.verify.case import chapter

case = chapter("paper")
SOURCE = "Kim, Extended Hamilton's principle, table 2"
PRINTED = [f"{each.slip_printed} {each.momentum_printed}" for each in CASES]


def ends(places: slice) -> list[float]:
    """Slip and momentum at the end of each run, in thousandths."""
    runs = [hx.solve(each.problem, hx.Galerkin(each.step, load="end")) for each in CASES[places]]
    return [1e3 * float(sol.values(name)[-1, 0]) for sol in runs for name in ("slip", "momentum")]


@case("K1", SOURCE, unit="milli-in, milli-in/s", printed=" ".join(PRINTED[:3]))
def resonant() -> object:
    """Last slip and momentum under a resonant sine, three steps."""
    return ends(slice(3))


@case("K2", SOURCE, unit="milli-in, milli-in/s", printed=" ".join(PRINTED[3:]))
def el_centro() -> object:
    """Last slip and momentum under El Centro, three viscosities."""
    return ends(slice(3, 6))
