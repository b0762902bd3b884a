"""What holds on the boundary: forces and motions on edges of any direction, corners, and the parts of an action."""

from __future__ import annotations

from hamex.principle.edges import double_forces, shears
from hamex.principle.parts import Part
from hamex.report.derivation.atoms import BACK, PARTIAL, PLUS, Fence
from hamex.report.derivation.document import Block, Equation, Heading, Paragraph, TextTable, quoted
from hamex.report.derivation.expressions import Expr, accented, field, formula_of, momentum, symbol
from hamex.report.derivation.formula import (
    SUM,
    Formula,
    Text,
    bracket,
    enumerated,
    equal,
    fraction,
    integral,
    listed,
    measure,
    partial,
    say,
    small_bracket,
    spaced,
    sym,
    thin,
    tight,
    virtual,
    words,
)
from hamex.report.derivation.system import DerivedSystem, delta, enclosed, signed, spread, sum_rows, times

_AXES = (2, 3)  # dimensions in which an edge has a direction


def bent(system: DerivedSystem) -> list[Expr]:
    """Fields whose second derivatives leave moments on edges that have a direction."""
    action = system.action
    return [q for q in action.fields if len(action.space) in _AXES and double_forces(action, q) is not None]


def _called(system: DerivedSystem, letter: Formula, q: Expr, index: str) -> Formula:
    """M_xx, with the name of its field where there are several."""
    return letter[index] if len(bent(system)) == 1 else letter[tight(field(q), ",", index)]


def boundary_terms(system: DerivedSystem) -> tuple[Formula, ...]:
    """What integration by parts in space leaves on Γ, and at its corners, as rows of δA_NEW."""
    moments, terms = bent(system), []
    for q in moments:
        across = fraction(spaced(PARTIAL, delta(q)), spaced(PARTIAL, sym.n))
        terms += [thin(sym.V[field(q)], delta(q)), thin(_called(system, sym.M, q, "n"), across)]
    for condition in system.action.boundary_conditions() if len(moments) < len(system.fields) else []:
        if condition.field not in moments:
            slope = condition.motion.variables if condition.motion.is_Derivative else ()
            terms.append(times(condition.force, delta(condition.field, slope)))
    if not terms:
        return ()
    before = tight(integral(0, "T"), BACK, integral("Gamma"))
    found = enclosed((before, tight(measure("Gamma"), measure("t"))), signed(terms), PLUS)
    if not moments:
        return found
    corners = spaced(*signed([thin(sym.R[field(q)], delta(q)) for q in moments]))
    inside = corners if len(moments) == 1 else bracket(corners)
    if len(system.action.space) == 2:
        return (*found, spaced(PLUS, tight(integral(0, "T") * SUM[words("corners")] * inside, measure("t"))))
    edges = tight(integral(0, "T") * SUM[words("edges")] * integral(), inside, measure("s"), measure("t"))
    return (*found, spaced(PLUS, edges))


def rim_terms(system: DerivedSystem) -> tuple[Formula, ...]:
    """Brackets on the boundary itself at both ends of the window, where rates have space derivatives."""
    found = []
    for c in system.action.boundary_momenta():
        slope = c.motion.variables if c.motion.is_Derivative else ()
        if bent(system) and slope:
            continue
        ends = bracket(_reserved(c.field) - times(c.force, delta(c.field, slope)), "[]")[0] ** "T"
        found.append(spaced(PLUS, tight(integral("Gamma"), ends, measure("Gamma"))))
    return tuple(found)


def edge_momentum(q: Expr) -> Formula:
    """The reserved momentum on the boundary."""
    return momentum(type(q).__name__, "hat", ",", "Gamma")


# ------------------------------------------------------------------------------------------------ parts
def place(part: Part) -> Formula:
    """Where a part is."""
    if isinstance(part.where, str):
        return symbol(part.where)
    found = []
    for x, v in part.where.items():
        above, below = map(formula_of, v.as_numer_denom())
        found.append(equal(formula_of(x), above if v.as_numer_denom()[1] == 1 else above / below))
    return listed(found)


def stated_parts(system: DerivedSystem) -> list[Block]:
    """What the parts say, beside the density."""
    action, blocks = system.action, list[Block]()
    for part in action.parts:
        kind = {"start": "where the body begins", "end": "where it ends", "inside": "inside the body"}
        words_of = f" ({quoted(part.name)})" if part.name else ""
        given = [equal(formula_of(m), formula_of(v)) for m, v in part.motions.items()]
        loads = [equal(sym.Q[formula_of(q)], formula_of(Q)) for q, Q in part.loads.items()]
        said: list[Text] = []
        if given:
            said.append(say("given there {}", enumerated(given)))
        if loads:
            said.append(say("loads {}", enumerated(loads)))
        tail = (": ", tuple(x for s in said for x in ("; ", s))[1:], ".") if said else ":"
        blocks.append(
            Paragraph(
                say("A part{} at {}, {}{}", words_of, place(part), kind.get(part.side, "a piece of the boundary"), tail)
            )
        )
        if part.lagrangian != 0:
            blocks.append(Equation(sum_rows(sym.L["Gamma"], part.lagrangian)))
        if part.dissipation != 0:
            blocks.append(Equation(sum_rows(sym.varphi["Gamma"], part.dissipation)))
    return blocks


def actions_of_parts(system: DerivedSystem) -> list[Formula]:
    """+ ∫ L_Γ dt of every part with a Lagrangian."""
    return [_there(part, [sym.L["Gamma"]]) for part in system.action.parts if part.lagrangian != 0]


def weak_parts(system: DerivedSystem) -> tuple[Formula, ...]:
    """What parts add to δA_NEW as it is stated, with their reserved momenta."""
    action, found = system.action, []
    for part, varied in zip(action.parts, system.variation.parts, strict=True):
        motions = part.motions_of(action)
        terms = [
            times(part.body(c, action).expand(), delta(motions[f][0], (*motions[f][1], *index)))
            for (f, index), c in varied.weak.items()
        ]
        found += [_there(part, signed(terms))] if terms else []
        found += [spaced(PLUS, _at(part, bracket(_reserved(q), "[]")[0] ** "T")) for q, _ in _carried(system, part)]
    return tuple(found)


def part_terms(system: DerivedSystem) -> tuple[Formula, ...]:
    """What parts add to δA_NEW after integration by parts: inside the window, and at its ends."""
    action, found = system.action, []
    for part, varied in zip(action.parts, system.variation.parts, strict=True):
        motions = part.motions_of(action)
        terms: list[Formula] = []
        for f, e in varied.bulk.items():
            q, across = motions[f]
            if q not in action.lumped:
                own, virtual_motion = part.body(e, action), delta(q, across)
                terms += spread(own, virtual_motion) if own.is_Add else [times(own, virtual_motion)]
        found += [_there(part, signed(terms))] if terms else []
        for q, momentum_there in _carried(system, part):
            inside = bracket(_reserved(q) - times(momentum_there, delta(q)), "[]")
            found.append(spaced(PLUS, _at(part, inside[0] ** "T")))
    return tuple(found)


def _carried(system: DerivedSystem, part: Part) -> list[tuple[Expr, Expr]]:
    """Momenta of fields of the body, not of their slopes, that a part itself has."""
    action = system.action
    varied = system.variation.parts[action.parts.index(part)]
    motions = part.motions_of(action)
    return [
        (motions[f][0], part.body(p, action))
        for f, p in varied.ends.items()
        if p != 0 and not motions[f][1] and motions[f][0] not in action.lumped
    ]


def _reserved(q: Expr) -> Formula:
    return thin(edge_momentum(q), virtual(accented(type(q).__name__, "hat")))


def _at(part: Part, inside: Formula) -> Formula:
    return tight(Fence(".", inside, "|"))[place(part)]


def _there(part: Part, terms: list[Formula]) -> Formula:
    """+ ∫ … dt at a part."""
    if isinstance(part.where, str):
        inside = tight(BACK, integral(place(part)), bracket(spaced(*terms)), measure("Gamma"))
    else:
        inside = bracket(spaced(*terms), "[]")[place(part)]
    return spaced(PLUS, tight(integral(0, "T"), inside, measure("t")))


def edge_data(system: DerivedSystem) -> list[tuple[Text, Formula, Expr]]:
    """Momenta on the boundary and on parts: where, what, and of which field; they start with given values too."""
    action = system.action
    found: list[tuple[Text, Formula, Expr]] = []
    if not bent(system):
        found += [("on the boundary", formula_of(c.force), c.field) for c in action.boundary_momenta()]
    for b in action.balances():
        if b.momentum != 0 and b.motion == b.field:
            found.append((say("at {}", place(b.part)), formula_of(b.momentum), b.field))
    return found


def _part_table(system: DerivedSystem) -> list[Block]:
    action = system.action
    if not action.parts:
        return []
    rows, carried = [], []
    for b in action.balances():
        where: Text = say("{}{}", place(b.part), f" ({quoted(b.part.name)})" if b.part.name else "")
        rows.append((where, formula_of(b.motion), equal(formula_of(b.equation), 0), "given" if b.given else "balance"))
        if b.momentum != 0:
            carried.append(say("{} at {}", formula_of(b.momentum), place(b.part)))
    blocks: list[Block] = [
        Heading("Parts of the system", 3),
        Paragraph(
            "On a part the force of the body and what the part itself says of the motion add up to zero, or the motion "
            "is given. Inside the body the forces of both sides, − before and + behind, act on it."
        ),
        TextTable(("at", "motion", "what holds", ""), tuple(rows)),
    ]
    if carried:
        text = say(
            "Momentum that sits on a part starts with a given value, like that of the body: {}.", enumerated(carried)
        )
        blocks.append(Paragraph(text))
    return [*blocks, *_part_energies(system)]


def _part_energies(system: DerivedSystem) -> list[Block]:
    rows = tuple(
        (place(e.part), formula_of(e.hamiltonian), formula_of(e.rate))
        for e in system.action.part_energies()
        if e.hamiltonian != 0 or e.rate != 0
    )
    if not rows:
        return []
    note = "Energy of the parts; with that of the body it changes by the body's rate and theirs."
    return [TextTable(("at", "energy", "its rate"), rows, note)]


# ------------------------------------------------------------------------------------------------ the section
def boundary(system: DerivedSystem) -> list[Block]:
    """Natural and essential conditions, eqs. (43)-(44), edges and corners, and the parts."""
    if system.lumped:
        return []
    moments = bent(system)
    if len(moments) == len(system.fields):
        found = []
    else:
        found = [c for c in system.action.boundary_conditions() if c.field not in moments]
    if not found and not moments:
        return []
    blocks: list[Block] = [
        Heading("Boundary conditions"),
        Paragraph(
            say(
                "Integration by parts in space leaves, on the boundary with outward normal {n}, products of a force "
                "and the variation of a motion. On each piece either the force is given (natural, {}) or the motion "
                "(essential, {}, its variation is zero), eqs. (43)-(44). Where nothing is said, the natural one holds "
                "with force zero: a free boundary{}.",
                sym.Gamma["t"],
                sym.Gamma["u"],
                ", and no force on its corners" if moments else "",
            )
        ),
    ]
    if found:
        rows = tuple(
            (
                formula_of(c.motion),
                formula_of(c.force),
                say("{} = given force", formula_of(c.force)),
                say("{} = given motion", formula_of(c.motion)),
            )
            for c in found
        )
        natural, essential = say("natural, on {}", sym.Gamma["t"]), say("essential, on {}", sym.Gamma["u"])
        blocks.append(TextTable(("motion", "force conjugate to it", natural, essential), rows))
    for q in moments:
        blocks += _edges(system, q)
    return [*blocks, *_rims(system), *_part_table(system)]


def _edges(system: DerivedSystem, q: Expr) -> list[Block]:
    """Moments and shears of one field, V and M_n on any edge, on straight ones, and the corner forces."""
    action, space = system.action, system.action.space
    M, Q = double_forces(action, q), shears(action, q)
    assert M is not None
    pairs = [(i, j) for i in range(len(space)) for j in range(i, len(space))]
    named: list[Block] = [
        Equation(sum_rows(_called(system, sym.M, q, f"{space[i]}{space[j]}"), M[i, j]))
        for i, j in pairs
        if M[i, j] != 0
    ]
    named += [Equation(sum_rows(_called(system, sym.Q, q, str(x)), e)) for x, e in zip(space, Q, strict=True) if e != 0]
    straight = []
    for x in space:
        for c in action.boundary_conditions([int(x == y) for y in space]):
            if c.field == q:
                straight.append((equal(formula_of(x), words("const")), formula_of(c.motion), formula_of(c.force)))
    corner = [c.force for c in action.corners() if c.field == q]
    R = equal(sym.R[field(q)], thin(2, _called(system, sym.M, q, f"{space[0]}{space[1]}")))
    blocks: list[Block] = [
        Paragraph(
            say(
                "Second derivatives of {} leave moments {} on its slopes beside the forces {} on itself. A mixed "
                "derivative is moved half by each order, so that {} are the components of a tensor:",
                field(q),
                sym.M["ij"],
                sym.Q["i"],
                equal(sym.M["ij"], sym.M["ji"]),
            )
        ),
        *named,
        Paragraph(_along(system, q)),
        *_general(system, q),
        TextTable(("straight edge", "motion", "force conjugate to it, outward normal along the axis"), tuple(straight)),
    ]
    if corner:
        place_of = "At a corner" if len(space) == 2 else "Along an edge"
        blocks += [
            Paragraph(
                say(
                    "{} what was integrated along the sides ends, and leaves a force {} on {}: {} from each side, "
                    "{tau} the tangent that points out of it. At a right angle between {} and {}, {}:",
                    place_of,
                    sym.R[field(q)],
                    field(q),
                    thin(sym.tau["i"], sym.M["ij"], sym.n["j"]),
                    formula_of(space[0]),
                    formula_of(space[1]),
                    R,
                )
            ),
            Equation(sum_rows(sym.R[field(q)], corner[0])),
        ]
    return blocks


def _along(system: DerivedSystem, q: Expr) -> Text:
    """Why there are two conditions and not three (or four)."""
    tangent = equal(sym.s, small_bracket(listed((-sym.n["y"], sym.n["x"]))))
    return say(
        "Along the edge the slope of {} is known from {} itself: only the slope across it, {}, is free. What works on "
        "the other is integrated along the edge, **certified** at random normals and curvatures like the integrations "
        "before. On an edge of any direction and curvature, {}:",
        delta(q),
        delta(q),
        spaced(PARTIAL, delta(q)) / spaced(PARTIAL, sym.n),
        say("{} along it with the body on the left", tangent)
        if len(system.action.space) == 2
        else say("{} the derivative along it", sym.D["i"]),
    )


def _general(system: DerivedSystem, q: Expr) -> list[Block]:
    M, moment = _called(system, sym.M, q, "ij"), _called(system, sym.M, q, "n")
    shear = thin(_called(system, sym.Q, q, "i"), sym.n["i"])
    if len(system.action.space) == 2:
        twist = _called(system, sym.M, q, "ns")
        shear, last = shear - partial(twist, "s"), equal(twist, thin(sym.s["i"], M, sym.n["j"]))
    else:
        shear = shear - thin(sym.D["i"], sym.m["i"])
        last = equal(sym.m["i"], thin(M, sym.n["j"]) - thin(sym.n["i"], moment))
    across = equal(moment, thin(sym.n["i"], M, sym.n["j"]))
    return [Equation((row,)) for row in (equal(sym.V[field(q)], shear), across, last)]


def _rims(system: DerivedSystem) -> list[Block]:
    """Momenta on the boundary itself."""
    if bent(system):
        normal = [int(x == system.action.space[0]) for x in system.action.space]
        found = system.action.boundary_momenta(normal) if system.variation.rims else []
    else:
        found = system.action.boundary_momenta()
    if not found:
        return []
    return [
        Paragraph(
            say(
                "Rates with space derivatives also leave momenta on the boundary itself{}, beside those of the body: "
                "{}. Like these they are reserved at both ends of the window and start with given values, where the "
                "motion is not given.",
                say(" (here across {})", formula_of(system.action.space[0])) if bent(system) else "",
                enumerated(say("{} of {}", formula_of(c.force), formula_of(c.motion)) for c in found),
            )
        )
    ]
