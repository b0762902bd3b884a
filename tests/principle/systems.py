"""All systems of the file, by name."""

from functools import cache

import sympy as sp
from stated import System
from systems_continua import CONTINUA
from systems_lumped import LUMPED
from systems_singular import SINGULAR

SYSTEMS = {system.name: system for system in [*LUMPED, *SINGULAR, *CONTINUA]}


def kind(system: System) -> tuple[object, ...]:
    """What is stated of a system, not how it reads: of several that have the same the first stands for the others."""
    stated = (
        *(system.dissipation, system.loads, system.constraints, system.parts, system.gauges, system.relations),
        *(system.hamiltonian, system.power, system.corner, system.balances, system.rules, system.reactions),
    )
    there = (value is not None and bool(value) for value in stated)
    highest = max((d.derivative_count for d in system.lagrangian.atoms(sp.Derivative)), default=0)
    return (len(system.space), highest, min(len(system.fields), 3), system.convex, *there)


@cache
def one_of_each_kind() -> frozenset[str]:
    """Names of the accepted systems that the short round takes."""
    first: dict[object, str] = {}
    for name, system in SYSTEMS.items():
        if not system.refused:
            first.setdefault(kind(system), name)
    return frozenset(first.values())
