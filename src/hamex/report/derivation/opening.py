"""The first half of a derivation: symbols, and the four steps of section 4.1."""

from __future__ import annotations

from hamex.principle.jets import Index, t
from hamex.report.derivation import names
from hamex.report.derivation.blocks import (
    Block,
    Bullets,
    Equation,
    Heading,
    Paragraph,
    Picture,
    TextTable,
    math,
    quoted,
)
from hamex.report.derivation.latex import Expr, field, is_field, latex, walk
from hamex.report.derivation.pictures import caption, sketch
from hamex.report.derivation.plain import flat, width
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
    for expression in (action.lagrangian, action.dissipation, *action.loads.values()):
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
        entries.append((math(names.symbol(letter)), quoted(words), quoted(unit.rstrip("] ") or "–")))
    places = ", ".join(x.name for x in action.space)
    general = [
        (math("L"), "Lagrangian" + ("" if system.lumped else " per volume (or length, or area)"), "–"),
        (math(r"\varphi"), "dissipation function, of rates alone", "–"),
        (math(r"\delta q"), "variation (virtual value) of a field $q$", "as $q$"),
        (math(r"\hat{p}_q"), "momentum of $q$ at an end: unique, reserved, not yet specified", "–"),
        (math(r"\bar{p}_q,\;\bar{q}"), "given initial momentum and value", "–"),
        (math("[0, T]"), "time-window", "s"),
        (math("h"), "length of a time step", "s"),
    ]
    if places:
        general.append((math(places), "place", "length"))
        general.append((math(r"u_{,x}"), "derivative by a space coordinate, behind a comma", "–"))
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
    blocks: list[Block] = [Heading(f"Step 1: the Lagrangian{density}", 3), Equation(sum_rows("L =", action.lagrangian))]
    if system.dissipative:
        blocks += [
            Paragraph("What is lost is not in $L$. It comes from a dissipation function of the rates:"),
            Equation(sum_rows(r"\varphi =", action.dissipation)),
        ]
    if action.loads:
        loads = ", ".join(rf"Q_{{{field(q)}}} = {latex(Q)}" for q, Q in action.loads.items())
        blocks.append(Paragraph(f"Loads, as forces on the fields: {math(loads)}."))
    return blocks


def _action(system: DerivedSystem) -> list[Block]:
    return [
        Heading("Step 2: the action", 3),
        Equation((f"A = {system.integral('L')}",)),
        Paragraph(
            "The time-window $[0, T]$ is fixed here. Nothing is said yet about what happens at its ends."
            + (
                " Dissipation and loads join at the next step, in the variation: with them there is in "
                "general no action to vary (see the Helmholtz test below)."
                if system.dissipative
                else ""
            )
        ),
    ]


def _stationarity(system: DerivedSystem) -> list[Block]:
    action, variation = system.action, system.variation
    rule = (
        r"\delta A_{\mathrm{NEW}} = -\delta A + "
        + system.integral(r"\sum_q \left(\frac{\partial \varphi}{\partial \dot{q}} - Q_q\right)\delta q")
        + r" + "
        + r"\sum_q "
        + system.bracket(r"\hat{p}_q\,\delta\hat{q}")
        + " = 0"
    )
    weak = signed([times(system.short(c), delta(q, i)) for (q, i), c in variation.weak.items()])
    inside = enclosed(system.integral("@"), weak, r"\delta A_{\mathrm{NEW}} =")
    ends = [f"+ {system.bracket(reserved(q))}" for q in system.carriers]
    blocks: list[Block] = [
        Heading(r"Step 3: stationarity, $\delta A_{\mathrm{NEW}} = 0$", 3),
        Paragraph(
            "The classical variation leaves brackets at both ends. The extended one gives each bracket its "
            r"counterpart, a reserved momentum $\hat{p}_q$ with the variation of a reserved value, so that both "
            "ends have one value and one momentum, whatever they will be:"
        ),
        Equation((rule,)),
        Paragraph("For this system:"),
        Equation((*inside, *rows("", ends)) if ends else inside),
    ]
    without = [q for q in system.fields if not action.has_momentum[q]]
    if without:
        listed = ", ".join(math(field(q)) for q in without)
        blocks.append(
            Paragraph(
                f"$L$ does not contain the rate of {listed}: no momentum, no bracket, and nothing to "
                "reserve at the ends. In time such a field is tested with functions of one degree "
                "less."
            )
        )
    return [*blocks, *_by_parts(system), *_strong(system)]


def _by_parts(system: DerivedSystem) -> list[Block]:
    variation = system.variation
    moved = [(q, i, c) for (q, i), c in variation.weak.items() if i]
    lines: list[Block] = []
    for q, index, c in moved[:_SHOWN]:
        variable = index[0]
        by = (
            r"\frac{\mathrm{d}}{\mathrm{d}t}"
            if variable == t and system.lumped
            else rf"\frac{{\partial}}{{\partial {latex(variable)}}}"
        )
        rest = delta(q, index[1:])
        moved_on = -(c.diff(variable).doit().expand())
        if width(flat(latex(c))) > _LONG:
            lines.append(Equation((_by_name(q, index, by),)))
            continue
        product = times(c, rest)
        back = times(moved_on, rest)
        back = f"- {back[1:].strip()}" if back.startswith("-") else f"+ {back}"
        lines.append(
            Equation(
                (
                    rf"{times(c, delta(q, index))} = {by}\left({product}\right) {back}"
                    if moved_on != 0
                    else rf"{times(c, delta(q, index))} = {by}\left({product}\right)",
                )
            )
        )
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
            "The derivatives of the variations are moved over, one at a time. A second space derivative is "
            f"moved twice.{note}"
            if not system.lumped
            else "The rates of the variations are moved over:"
        ),
        *lines,
        Paragraph(
            f"**Certified.** No integration by parts is trusted: hamex forms the difference and finds that "
            f"{checked}. A flipped sign would stop here."
        ),
    ]


def _by_name(q: Expr, index: Index, by: str) -> str:
    """A long coefficient under its name: the momentum for a rate, a slope of L otherwise."""
    rest = delta(q, index[1:])
    slope = rf"\frac{{\partial L}}{{\partial {field(q, index)}}}"
    return rf"-{slope}\,{delta(q, index)} = -{by}\left({slope}\,{rest}\right) + \left({by}{slope}\right) {rest}"


def _strong(system: DerivedSystem) -> list[Block]:
    variation, action = system.variation, system.action
    boundary = []
    for condition in action.boundary_conditions():
        motion = condition.motion
        index = (
            tuple(v for v, n in motion.variable_count for _ in range(int(n)))
            if hasattr(motion, "variable_count")
            else ()
        )
        boundary.append(times(condition.force, delta(condition.field, index)))
    after = signed([part for q, e in variation.bulk.items() for part in spread(system.short(e), delta(q))])
    body = enclosed(system.integral("@"), after, r"\delta A_{\mathrm{NEW}} =")
    ends = tuple(
        "+ " + system.bracket(f"{reserved(q)} - {_closed(variation.ends[q])}" + rf"\,{delta(q)}")
        for q in system.carriers
    )
    around: tuple[str, ...] = ()
    if boundary:
        around = enclosed(r"\int_{0}^{T}\!\int_{\Gamma} @\,\mathrm{d}\Gamma\,\mathrm{d}t", signed(boundary), "+")
    equations: list[Block] = [Equation(sum_rows("", system.short(e), " = 0")) for e in variation.bulk.values()]
    equations += [Equation((f"{latex(symbol)} = {latex(slope)}",)) for slope, symbol in system.slopes.items()]
    matched = tuple(
        (math(f"{latex(variation.ends[q])} = {hat_momentum(q)}"), math(rf"{delta(q)} = \delta{hat(q)}"))
        for q in system.carriers
    )
    blocks: list[Block] = [
        Paragraph("What remains:"),
        Equation((*body, *ends, *around)),
        Heading("The strong form", 3),
        Paragraph(
            "Inside the window the variations are free, so their factors vanish. These are the equations of motion:"
        ),
        *equations,
    ]
    if matched:
        blocks += [
            Paragraph(
                "At the two ends the brackets are matched term by term, eq. (31). Nothing is lost, and "
                "nothing is yet prescribed:"
            ),
            TextTable(("at $t = 0$ and at $t = T$: momenta", "variations"), matched),
        ]
    return blocks


def reserved(q: Expr) -> str:
    """The term that the extended principle adds at an end."""
    return rf"{hat_momentum(q)}\,\delta{hat(q)}"


def _closed(expression: object) -> str:
    text = latex(expression)
    return rf"\left({text}\right)" if getattr(expression, "is_Add", False) else text


def _assignment(system: DerivedSystem) -> list[Block]:
    items = []
    for condition in system.action.initial_conditions():
        q = condition.field
        place = "" if system.lumped else ", at every place"
        if condition.kind == "momentum":
            given = rf"{latex(condition.equation.lhs)} = {hat_momentum(q)}(0) = {names.accented('p_' + name(q), 'bar')}"
            note = "the reserved momentum gets its given value"
        else:
            given = rf"{latex(condition.equation.lhs)} = {hat(q)}(0) = {names.accented(name(q), 'bar')}"
            note = rf"the value is given, so that $\delta{hat(q)}(0) = 0$ from here on"
        gauge = "; only a constant is fixed, nothing depends on it (a gauge)" if condition.role == "gauge" else ""
        items.append(f"{math(given)}: {note}{gauge}{place}.")
    return [
        Heading("Step 4: the given initial values are assigned, in this order", 3),
        Paragraph(
            "Momenta first, eq. (32), while the variations are still free and the brackets still carry "
            "them; values second, eq. (33). In the other order the momentum would be multiplied by zero "
            "before it could be used. At $t = T$ nothing is assigned: value and momentum there are the "
            "result."
        ),
        Bullets(tuple(items), ordered=True),
    ]
