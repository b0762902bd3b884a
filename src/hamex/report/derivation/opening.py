"""The first half of a derivation: symbols, and the four steps of section 4.1."""

from __future__ import annotations

from hamex.principle.jets import Index, indices, t
from hamex.report.derivation.admissible import constraints
from hamex.report.derivation.atoms import EQUAL, PLUS, ROOM, width
from hamex.report.derivation.boundary import (
    actions_of_parts,
    boundary_terms,
    edge_data,
    edge_momentum,
    part_terms,
    rim_terms,
    stated_parts,
    weak_parts,
)
from hamex.report.derivation.document import Block, Bullets, Equation, Heading, Paragraph, Picture, TextTable, quoted
from hamex.report.derivation.expressions import Expr, accented, field, formula_of, is_field, symbol, walk
from hamex.report.derivation.formula import (
    NEW_ACTION,
    SUM,
    Formula,
    Text,
    bracket,
    enumerated,
    equal,
    integral,
    listed,
    measure,
    partial,
    say,
    spaced,
    sym,
    thin,
    tight,
    total,
    virtual,
)
from hamex.report.derivation.pictures import caption, sketch
from hamex.report.derivation.system import (
    DerivedSystem,
    delta,
    enclosed,
    hat,
    hat_momentum,
    name,
    rows,
    signed,
    spread,
    sum_rows,
    times,
    zero_rows,
)

_LONG = 30  # columns from which a coefficient is called by its name
_SHOWN = 6  # integrations by parts written out; the others follow the same line


def symbols(system: DerivedSystem) -> list[Block]:
    """The sketch, and every letter with its meaning."""
    action = system.action
    drawing = sketch(action)
    blocks: list[Block] = [Picture(drawing, caption(action))] if drawing else []
    meanings = dict(action.meanings)
    known = [*(name(q) for q in action.fields)]
    stated = [action.lagrangian, action.dissipation, *action.loads.values(), *action.constraints]
    for part in action.parts:
        stated += [part.lagrangian, part.dissipation, *part.loads.values(), *part.motions.values()]
        stated += [] if isinstance(part.where, str) else part.where.values()
    for expression in stated:
        nodes = walk(expression)
        known += sorted({name(node) for node in nodes if is_field(node)} - set(known))
        known += sorted(
            {node.name for node in nodes if node.is_Symbol and node != t and node not in action.space} - set(known),
            key=str.swapcase,
        )
    entries = []
    for letter in known:
        meaning, _, unit = meanings.get(letter, "").partition("[")
        kind = "field" if letter in {name(q) for q in action.fields} else ""
        words = meaning.strip() or ("unknown function" if kind else "parameter")
        entries.append((symbol(letter), quoted(words), quoted(unit.rstrip("] ") or "–")))
    places = listed(x.name for x in action.space)
    general: list[tuple[Text, Text, Text]] = [
        (sym.L, "Lagrangian" + ("" if system.lumped else " per volume (or length, or area)"), "–"),
        (sym.varphi, "dissipation function: its slopes by the rates are forces", "–"),
        (virtual(sym.q), say("variation (virtual value) of a field {q}"), say("as {q}")),
        (sym.p.hat["q"], say("momentum of {q} at an end: unique, reserved, not yet specified"), "–"),
        (tight(sym.p.bar["q"], ",", ROOM, sym.q.bar), "given initial momentum and value", "–"),
        (tight("[", listed((0, "T")), "]"), "time-window", "s"),
        (sym.h, "length of a time step", "s"),
    ]
    if places:
        general.append((places, "place", "length"))
        general.append((sym.u[",x"], "derivative by a space coordinate, behind a comma", "–"))
    head = ("Symbol", "Meaning", "Unit")
    return [
        Heading("The system and its symbols"),
        *blocks,
        TextTable(head, tuple(entries)),
        TextTable(head, tuple(general), "On every page of this kind:"),
    ]


def four_steps(system: DerivedSystem) -> list[Block]:
    """Lagrangian, action, stationarity, assignment: section 4.1."""
    return [
        Heading("The extended principle in four steps"),
        Paragraph(
            "Hamilton's principle read as a sequence, section 4.1 of the paper. Only steps 3 and 4 differ "
            "from the classical one: the ends get *one value each, not yet specified*, and what is assigned "
            "last are initial values, not end points."
        ),
        *_lagrangian(system),
        *_action(system),
        *_stationarity(system),
        *_assignment(system),
    ]


def _lagrangian(system: DerivedSystem) -> list[Block]:
    action = system.action
    density = "" if system.lumped else " density"
    places = " and the places" if any(() in indices(action.dissipation, q) for q in action.fields) else ""
    blocks: list[Block] = [Heading(f"Step 1: the Lagrangian{density}", 3), Equation(sum_rows(sym.L, action.lagrangian))]
    if system.dissipative:
        blocks += [
            Paragraph(say("What is lost is not in {L}. It comes from a dissipation function of the rates{}:", places)),
            Equation(sum_rows(sym.varphi, action.dissipation)),
        ]
    if system.kinked:
        blocks.append(
            Paragraph(
                "Where the law of friction has its kink, the force is any value between those of the two sides: what "
                "sticks is held by as much as it needs."
            )
        )
    if action.loads:
        loads = listed(equal(sym.Q[field(q)], formula_of(Q)) for q, Q in action.loads.items())
        blocks.append(Paragraph(say("Loads, as forces on the fields: {}.", loads)))
    return [*blocks, *constraints(system), *stated_parts(system)]


def _action(system: DerivedSystem) -> list[Block]:
    return [
        Heading("Step 2: the action", 3),
        Equation((spaced(equal(sym.A, system.integral("L")), *actions_of_parts(system)),)),
        Paragraph(
            say(
                "The time-window {} is fixed here. Nothing is said yet about what happens at its ends.{}",
                tight("[", listed((0, "T")), "]"),
                " Dissipation and loads join at the next step, in the variation: with them there is in general "
                "no action to vary (see the Helmholtz test below)."
                if system.dissipative
                else "",
            )
        ),
    ]


def _stationarity(system: DerivedSystem) -> list[Block]:
    action, variation = system.action, system.variation
    forces = bracket(partial(sym.varphi, sym.q.dot) - sym.Q["q"])
    ends = system.bracket(thin(sym.p.hat["q"], virtual(sym.q.hat)))
    rule = -virtual(sym.A) + system.integral(SUM["q"] * tight(forces, virtual(sym.q))) + SUM["q"] * ends
    weak = signed([times(system.short(c), delta(q, i)) for (q, i), c in variation.weak.items()])
    inside = enclosed(system.ends_of_integral, weak, spaced(NEW_ACTION, EQUAL))
    brackets = [spaced(PLUS, system.bracket(reserved(q))) for q in system.carriers if q not in action.lumped]
    brackets += [spaced(PLUS, bracket(reserved(q), "[]")[0] ** "T") for q in system.carriers if q in action.lumped]
    brackets += weak_parts(system)
    blocks: list[Block] = [
        Heading(say("Step 3: stationarity, {}", equal(NEW_ACTION, 0)), 3),
        Paragraph(
            say(
                "The classical variation leaves brackets at both ends. The extended one gives each bracket "
                "its counterpart, a reserved momentum {} with the variation of a reserved value, so that "
                "both ends have one value and one momentum, whatever they will be:",
                sym.p.hat["q"],
            )
        ),
        Equation((equal(NEW_ACTION, rule, 0),)),
        Paragraph("For this system:"),
        Equation((*inside, *rows(Formula(), brackets)) if brackets else inside),
    ]
    without = [q for q in system.fields if not action.has_momentum[q]]
    if without:
        blocks.append(
            Paragraph(
                say(
                    "{L} does not contain the rate of {}: no momentum, no bracket, and nothing to reserve at "
                    "the ends. In time such a field is tested with functions of one degree less.",
                    enumerated(map(field, without)),
                )
            )
        )
    return [*blocks, *_by_parts(system), *_strong(system)]


def _by_parts(system: DerivedSystem) -> list[Block]:
    variation = system.variation
    moved = [(q, i, c) for (q, i), c in variation.weak.items() if i]
    lines: list[Block] = []
    for q, index, c in moved[:_SHOWN]:
        if len(set(index)) == 2 and t not in index:
            lines.append(_both_ways(q, index, c))
            continue
        variable = index[0]
        by = total() if variable == t and system.lumped else partial(by=formula_of(variable))
        rest = delta(q, index[1:])
        moved_on = -(c.diff(variable).doit().expand())
        if width(formula_of(c).text) > _LONG:
            lines.append(Equation((_by_name(q, index, by),)))
            continue
        product = tight(by, bracket(times(c, rest)))
        back = times(moved_on, rest).continued if moved_on != 0 else ""
        lines.append(Equation((equal(times(c, delta(q, index)), spaced(product, back)),)))
    more = len(moved) - _SHOWN
    note = f" (The other {more} follow the same line.)" if more > 0 else ""
    checked = (
        "what stood under the integral equals the bulk terms minus d/dt of the end terms"
        + ("" if system.lumped else " minus the divergence of the boundary terms")
        + ", identically"
    )
    return [
        Heading("Integration by parts, certified", 3),
        Paragraph(
            "The derivatives of the variations are moved over, one at a time, rates first. A second space derivative "
            f"is moved twice, a mixed one half by each order.{note}"
            if not system.lumped
            else "The rates of the variations are moved over:"
        ),
        *lines,
        Paragraph(
            f"**Certified.** No integration by parts is trusted: hamex forms the difference and finds that "
            f"{checked}. A flipped sign would stop here."
        ),
    ]


def _both_ways(q: Expr, index: Index, c: Expr) -> Equation:
    """A mixed space derivative: half of it is moved in each order."""
    half, (x, y) = c / 2, index
    parts = [tight(partial(by=formula_of(a)), bracket(times(half, delta(q, (b,))))) for a, b in ((x, y), (y, x))]
    back = [times(-(half.diff(a).doit().expand()), delta(q, (b,))) for a, b in ((x, y), (y, x)) if half.diff(a) != 0]
    return Equation(rows(spaced(times(c, delta(q, index)), EQUAL), signed([*parts, *back])))


def _by_name(q: Expr, index: Index, by: Formula) -> Formula:
    """A long coefficient under its name: the momentum for a rate, a slope of L otherwise."""
    rest = delta(q, index[1:])
    slope = partial(sym.L, field(q, index))
    moved = tight(-by, bracket(thin(slope, rest))) + bracket(tight(by, slope)) * rest
    return equal(thin(-slope, delta(q, index)), moved)


def _strong(system: DerivedSystem) -> list[Block]:
    variation, action = system.variation, system.action
    everywhere = {q: e for q, e in variation.bulk.items() if q not in action.lumped}
    after = signed([part for q, e in everywhere.items() for part in spread(system.short(e), delta(q))])
    body = enclosed(system.ends_of_integral, after, spaced(NEW_ACTION, EQUAL))
    ends = tuple(
        spaced(PLUS, system.bracket(_left_over(q, variation.ends[q])))
        for q in system.carriers
        if q not in action.lumped
    )
    around = (*boundary_terms(system), *rim_terms(system), *part_terms(system))
    for q in action.lumped:
        alone = enclosed((integral(0, "T"), measure("t")), spread(variation.bulk[q], delta(q)), PLUS)
        left = bracket(_left_over(q, variation.ends[q]), "[]")[0] ** "T"
        around = (*around, *alone, *([spaced(PLUS, left)] if action.has_momentum[q] else []))
    equations: list[Block] = [Equation(zero_rows(system.short(e))) for e in variation.bulk.values()]
    equations += [Equation((equal(formula_of(short), formula_of(slope)),)) for slope, short in system.slopes.items()]
    matched: tuple[tuple[Text, Text], ...] = tuple(
        (equal(formula_of(variation.ends[q]), hat_momentum(q)), equal(delta(q), virtual(hat(q))))
        for q in system.carriers
    )
    matched += tuple(
        (say("{}, {}", equal(value, edge_momentum(q)), where), equal(delta(q), virtual(hat(q))))
        for where, value, q in edge_data(system)
    )
    blocks: list[Block] = [
        Paragraph("What remains:"),
        Equation((*body, *ends, *around)),
        Heading("The strong form", 3),
        Paragraph(
            "The reactions stand in for the constraints, so the variations are free inside the window and their "
            "factors vanish. With the constraints these are the equations of motion:"
            if action.constraints
            else "Inside the window the variations are free, so their factors vanish. These are the equations of "
            "motion:"
        ),
        *equations,
        *(Equation(zero_rows(c)) for c in action.constraints),
    ]
    if matched:
        blocks += [
            Paragraph(
                "At the two ends the brackets are matched term by term, eq. (31). Nothing is lost, and "
                "nothing is yet prescribed:"
            ),
            TextTable((say("at {} and at {}: momenta", equal(sym.t, 0), equal(sym.t, sym.T)), "variations"), matched),
        ]
    return blocks


def reserved(q: Expr) -> Formula:
    """The term that the extended principle adds at an end."""
    return thin(hat_momentum(q), virtual(hat(q)))


def _left_over(q: Expr, end: Expr) -> Formula:
    """What stands in the bracket of a field after the integration by parts."""
    if end.is_Add:
        return reserved(q) - thin(bracket(formula_of(end)), delta(q))
    if end.could_extract_minus_sign():
        return reserved(q) + thin(formula_of(-end), delta(q))
    return reserved(q) - thin(formula_of(end), delta(q))


def _assignment(system: DerivedSystem) -> list[Block]:
    momenta, values_given = list[Text](), list[Text]()
    for condition in system.action.initial_conditions():
        if condition.part is not None:
            continue  # with the places where they sit, below
        q = condition.field
        place = "" if system.lumped or q in system.action.lumped else ", at every place"
        if condition.kind == "momentum":
            values = hat_momentum(q)(0), accented(f"p_{name(q)}", "bar")
            note: Text = "the reserved momentum gets its given value"
        else:
            values = hat(q)(0), accented(name(q), "bar")
            note = say("the value is given, so that {} from here on", equal(virtual(hat(q))(0), 0))
        if condition.role == "determined":
            note = "not free: it follows from the others, see below"
        elif condition.role == "undecided":
            note = "whether it is free is not decided, see below"
        gauge = "; only a constant is fixed, nothing depends on it (a gauge)" if condition.role == "gauge" else ""
        items = momenta if condition.kind == "momentum" else values_given
        items.append(say("{}: {}{}{}.", equal(formula_of(condition.equation.lhs), *values), note, gauge, place))
    for where, value, q in edge_data(system):
        given = equal(value, edge_momentum(q)(0), accented(f"p_{name(q)}", "bar", ",", "Gamma"))
        momenta.append(say("{} at {}, {}: the momentum that sits there.", given, equal(sym.t, 0), where))
    return [
        Heading("Step 4: the given initial values are assigned, in this order", 3),
        Paragraph(
            say(
                "Momenta first, eq. (32), while the variations are still free and the brackets still carry "
                "them; values second, eq. (33). In the other order the momentum would be multiplied by "
                "zero before it could be used. At {} nothing is assigned: value and momentum there are the "
                "result.",
                equal(sym.t, sym.T),
            )
        ),
        Bullets((*momenta, *values_given), ordered=True),
    ]
