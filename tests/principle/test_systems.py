"""Systems that textbooks, SymPy's mechanics and hand calculation know, against what hamex derives: all by algebra."""

import warnings

import compared
import pytest
from systems import SYSTEMS

from hamex.errors import ActionError, ConvexityWarning

ACCEPTED = {name: system for name, system in SYSTEMS.items() if not system.refused}
REFUSED = {name: system for name, system in SYSTEMS.items() if system.refused}
# What a record may hold besides fields, a Lagrangian and equations.
TRAITS = (
    *("dissipation", "loads", "constraints", "parts", "gauges", "relations", "hamiltonian", "power", "charges"),
    *("no_charges", "boundary", "corner", "balances", "rules", "reactions"),
)


def kinds(system):
    """What a system stands for among the others."""
    found = {trait for trait in TRAITS if getattr(system, trait)}
    return found | {("fields", len(system.fields)), ("dimensions", len(system.space)), ("convex", system.convex)}


def chiefly_first_of_a_kind(systems):
    """Names; all but the first to show something, and every tenth, are heavy."""
    met, names = set(), []
    for place, (name, system) in enumerate(systems.items()):
        again = kinds(system) <= met and place % 10
        names.append(pytest.param(name, marks=pytest.mark.heavy) if again else name)
        met |= kinds(system)
    return names


CHIEFLY = chiefly_first_of_a_kind(ACCEPTED)


@pytest.fixture
def system(request):
    chosen = SYSTEMS[request.param]
    with warnings.catch_warnings():
        if not chosen.convex:
            warnings.simplefilter("ignore", ConvexityWarning)
        if not chosen.refused:
            chosen.action()
    return chosen


every = pytest.mark.parametrize("system", CHIEFLY, indirect=True)


def test_there_are_enough():
    assert len(ACCEPTED) >= 60
    assert sum(isinstance(name, str) for name in CHIEFLY) >= 20


@pytest.mark.parametrize("name", CHIEFLY)
def test_the_record_agrees_with_itself(name):
    assert compared.our_own(ACCEPTED[name]) == []


@every
def test_equations(system):
    assert compared.equations(system) == []


@every
def test_energy(system):
    assert compared.energy(system) == []


@every
def test_charges(system):
    assert compared.charges(system) == []


@every
def test_boundary(system):
    assert compared.boundary(system) == []


@every
def test_data(system):
    assert compared.data(system) == []


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_rule_does_not_cover_is_refused_with_its_reason(name):
    with pytest.raises(ActionError, match=REFUSED[name].refused):
        REFUSED[name].action()
