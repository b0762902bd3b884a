"""The table of all stated systems with what was found: ``python tests/principle/systems_table.py [--orders]``.

Markdown, for the documentation. Columns: where the system comes from; whether equations, energy and edges agree; free
data of as many values and rates as there are; charges that are known and found; the order of degrees 1 and 2 against an
independent integrator; the largest drift of a known charge and of a relation. Refusals come with their reasons. A dash
stands where nothing is stated, and so nothing was compared. Sources name the book a system is found in; sections
stand only where they were looked up (LL: its contents). What holds the record is its own check (compared.our_own).
"""

import argparse
import warnings

import compared
from stated import System
from systems import SYSTEMS


def verdict(check, system: System) -> str:
    """A tick, or what differs."""
    try:
        wrong = check(system)
    except Exception as error:  # the table shows what went wrong, whatever it is
        return f"{type(error).__name__}: {str(error)[:60]}"
    return "✓" if not wrong else "; ".join(wrong)[:80]


def row(system: System, orders: bool) -> list[str]:
    """One line of the table."""
    cells = [system.name, system.source, verdict(compared.equations, system)]
    cells.append(verdict(compared.energy, system) if system.hamiltonian is not None else "–")
    edges = system.boundary or system.corner is not None or system.balances
    cells.append(verdict(compared.boundary, system) if edges else "–")
    counted = 2 * len([q for q in system.fields if q not in system.multipliers])
    gauges = f", {system.gauges} arbitrary" if system.gauges else ""
    cells.append(f"{system.free} of {counted}{gauges} {decided(system)}")
    cells.append(f"{len(system.charges)} {verdict(compared.charges, system)}")
    return cells + (measured(system) if orders else [])


def decided(system: System) -> str:
    """The verdict on free data; what hamex leaves undecided is no agreement."""
    if system.undecided and system.action().data().undecided:
        return f"undecided: {system.undecided}"
    return verdict(compared.data, system)


def measured(system: System) -> list[str]:
    """Orders and drifts of the runs."""
    import marched

    if system.run is None:
        return ["", ""]
    try:
        drift = marched.drifts(system.name, 2)
        kept = ", ".join(
            f"{kind} {max(found):.0e}"
            for kind in ("charge", "relation")
            if (found := [v for text, v in drift.items() if text.startswith(kind)])
        )
        if not system.run.smooth:
            return ["not smooth, or exact", kept]
        return [", ".join(f"{marched.order(system.name, s)[0]:.2f}" for s in (1, 2)), kept]
    except Exception as error:  # as above
        return [f"{type(error).__name__}: {str(error)[:60]}", ""]


def refusal(system: System) -> list[str]:
    """A system that is not accepted, and the reason that is given for it."""
    try:
        system.action()
    except Exception as error:  # as above
        return [system.name, system.source, str(error)]
    return [system.name, system.source, "ACCEPTED"]


def table(head: list[str], rows: list[list[str]]) -> str:
    """Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def main() -> None:
    """Print both tables."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--orders", action="store_true", help="march them too (a few minutes)")
    asked.add_argument("--only", default="", help="systems whose name contains this")
    given = asked.parse_args()
    warnings.simplefilter("ignore")
    head = ["system", "from", "equations", "energy", "edges", "free data", "charges"]
    head += ["order, s = 1, 2", "drift, s = 2"] if given.orders else []
    chosen = [s for s in SYSTEMS.values() if given.only in s.name]
    print(table(head, [row(s, given.orders) for s in chosen if not s.refused]))
    print()
    print(table(["refused", "from", "reason"], [refusal(s) for s in chosen if s.refused]))


if __name__ == "__main__":
    main()
