"""Systems that textbooks, SymPy's mechanics and hand calculation know, against what hamex derives: all by algebra."""

import warnings
from dataclasses import replace

import compared
import pytest
from systems import SYSTEMS, one_of_each_kind

from hamex.errors import ActionError, ConvexityWarning

ACCEPTED = {name: system for name, system in SYSTEMS.items() if not system.refused}
REFUSED = {name: system for name, system in SYSTEMS.items() if system.refused}
# One of each kind in the short round: shifts, boosts, scalings of time, turns, modes, gauges, fields.
SHORT_CHARGES = {
    "Caldirola and Kanai's oscillator",
    "spherical pendulum",
    "spring and dashpot under large rotation",
    "free particle",
    "plunger in a solenoid",
    "knife edge on a slope",
    "sine-Gordon",
    "Schrödinger's equation by two real fields",
    "heat in a rod",
}
SHORT_DATA = {
    "pendulum by an impulse multiplier",
    "Rosenberg's particle",
    "hoop that rolls on a line, held by a spring",
}


def each(short):
    """All systems that are accepted; those outside ``short`` in the long round."""
    return pytest.mark.parametrize(
        "system",
        [name if short(name) else pytest.param(name, marks=pytest.mark.heavy) for name in ACCEPTED],
        indirect=True,
    )


@pytest.fixture
def system(request):
    chosen = SYSTEMS[request.param]
    with warnings.catch_warnings():
        if not chosen.convex:  # that is said aloud once, and known here
            warnings.simplefilter("ignore", ConvexityWarning)
        chosen.action()
    return chosen


def test_there_are_enough():
    assert len(ACCEPTED) >= 60
    assert {name for name in SHORT_CHARGES | SHORT_DATA if name not in ACCEPTED} == set()


def test_errors_in_the_record_are_seen():
    """Each comparison says so when what is stated beside an action is not its own."""
    wheel, plate = SYSTEMS["spherical pendulum"], SYSTEMS["Kirchhoff's plate"]
    joint = SYSTEMS["mass on two springs with a massless joint"]
    turned = {normal: [(w, -f) for w, f in pairs] for normal, pairs in plate.boundary.items()}
    assert compared.equations(replace(wheel, equations=[-e for e in wheel.equations]))
    assert compared.energy(replace(wheel, hamiltonian=wheel.lagrangian))
    assert compared.energy(replace(wheel, power=wheel.lagrangian))
    assert compared.charges(replace(wheel, charges=wheel.no_charges))
    assert compared.charges(replace(wheel, no_charges=wheel.charges))
    assert compared.boundary(replace(plate, boundary=turned))
    assert compared.boundary(replace(plate, corner=-plate.corner))
    assert compared.data(replace(joint, free=4))
    assert compared.data(replace(joint, relations=joint.relations[:1]))
    assert compared.our_own(replace(wheel, charges=wheel.no_charges))
    assert compared.our_own(replace(joint, relations=(joint.relations[0] + 1,)))


@pytest.mark.heavy
@pytest.mark.parametrize("name", ACCEPTED)
def test_the_record_agrees_with_itself(name):
    assert compared.our_own(ACCEPTED[name]) == []


@each(one_of_each_kind().__contains__)
def test_equations_and_energy(system):
    assert compared.equations(system) == []
    assert compared.energy(system) == []


@each(SHORT_CHARGES.__contains__)
def test_charges(system):
    assert compared.charges(system) == []


SPREAD_OUT = [name for name, s in ACCEPTED.items() if s.space]


@pytest.mark.parametrize(
    "system",
    [n if n in one_of_each_kind() else pytest.param(n, marks=pytest.mark.heavy) for n in SPREAD_OUT],
    indirect=True,
)
def test_boundary(system):
    assert compared.boundary(system) == []


def has_short_data(name):
    """One of each kind with fields without masses or gauges; of those with reactions, which take seconds, three."""
    s = ACCEPTED[name]
    free = name in one_of_each_kind() and not (s.constraints or s.reactions)
    return bool(s.relations or s.gauges) and (name in SHORT_DATA or free)


@each(has_short_data)
def test_free_data(system):
    assert compared.data(system) == []


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_rule_does_not_cover_is_refused_with_its_reason(name):
    with pytest.raises(ActionError, match=REFUSED[name].refused):
        REFUSED[name].action()
