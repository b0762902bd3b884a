"""What is sound and what is free: is there a functional at all, do the terms agree, and which data are free, with
constraints and their kinds, relations and their origin, gauges, and the index.
"""

from __future__ import annotations

from hamex.principle.action import Action
from hamex.principle.conditions import (
    LENGTH,
    NONE,
    TIME,
    Dimension,
    Given,
    MixedDimensionError,
    UnknownDimensionError,
    dimension_of,
    read_unit,
)
from hamex.principle.free_data import FreeData
from hamex.principle.jets import t
from hamex.principle.variation import helmholtz
from hamex.report.derivation.atoms import PARTIAL
from hamex.report.derivation.document import Block, Bullets, Equation, Heading, Paragraph, TextTable, quoted
from hamex.report.derivation.expressions import Expr, field, formula_of, walk
from hamex.report.derivation.formula import (
    NEW_ACTION,
    Formula,
    Text,
    enumerated,
    equal,
    exp,
    partial,
    say,
    sym,
    thin,
    tight,
    total,
    virtual,
)
from hamex.report.derivation.system import DerivedSystem, zero_rows

_SHOWN = 6


def functional(system: DerivedSystem) -> list[Block]:
    """The Helmholtz test of the equations of motion."""
    verdict = helmholtz(system.variation.bulk)
    blocks: list[Block] = [
        Heading("Is there a functional behind it? The Helmholtz test"),
        Paragraph(
            say(
                "Equations {} are those of *some* functional, as they stand, exactly when their "
                "linearisation is its own adjoint. For one equation of second order this reads",
                equal(sym.E["i"], 0),
            )
        ),
        Equation((equal(partial(sym.E, sym.q.dot), tight(total(), partial(sym.E, sym.q.ddot))),)),
    ]
    if verdict.holds and system.kinked:
        words = (
            "**Passed between the turns only.** While no rate in the law of friction changes its sign, friction is a "
            "push that a potential can give. At a turn it changes sides with the rate, which no functional "
            "can tell: for the motion as a whole there is none."
        )
        return [*blocks, Paragraph(words)]
    if verdict.holds:
        lossy = any(part.dissipation != 0 for part in system.action.parts)
        tail = (
            say(
                "Add a dashpot {} and the left side becomes {c} while the right side does not: with "
                "damping no functional exists, and {} is not the variation of anything.",
                thin(sym.c, sym.q.dot),
                virtual(sym.A),
            )
            if not system.dissipative and not lossy
            else "This holds inside the body; the losses on its parts fail the test, so the whole has no action."
            if lossy
            else ""
        )
        timed = (
            say(
                " The explicit time in {L} makes it possible: the equations come multiplied by a factor "
                "that grows with time."
            )
            if system.explicit_time
            else ""
        )
        exists = "" if lossy else ": an action exists"
        return [*blocks, Paragraph(say("**Passed**, for every pair of equations here{}.{} {}", exists, timed, tail))]
    rows = []
    for failure in verdict.failures[:_SHOWN]:
        v = virtual(field(failure.column, failure.index))
        rows.append((field(failure.row), v, _remainder(failure.residual)))
    more = len(verdict.failures) - _SHOWN
    blocks += [
        Paragraph("**Failed.** What remains between the linearisation and its adjoint:"),
        TextTable(
            ("equation of", "coefficient of", "remainder, should be 0"),
            tuple(rows),
            f"{more} more fail in the same way." if more > 0 else "",
        ),
    ]
    return [
        *blocks,
        Paragraph(
            say(
                "So there is no functional whose stationarity gives these very equations: dissipation "
                "makes the sign of time matter, and a functional cannot tell. This is why {varphi} enters "
                "the variation {} and not an action, section 2.3. A factor may repair it by changing the "
                "equations: multiplied by {}, {} passes (Caldirola 1941, Kanai 1948), at the price of a "
                "momentum that is no longer {}. Nothing in the extended principle needs a functional.",
                NEW_ACTION,
                exp(tight("c", sym.t) / "m"),
                tight("m", sym.u.ddot) + tight("c", sym.u.dot) + tight("k", "u"),
                tight("m", sym.u.dot),
            )
        ),
    ]


def _remainder(residual: Expr) -> Text:
    """What is left over; of a piecewise remainder the piece that is not zero."""
    pieces = [node for node in walk(residual) if type(node).__name__ == "Piecewise"]
    if not pieces:
        return formula_of(residual)
    slipping = {node: next(value for value, _ in node.args if value != 0) for node in pieces}
    return say("{} while it slips", formula_of(residual.xreplace(slipping)))


def dimensions_of_symbols(action: Action) -> Given:
    """Dimensions from the units in the meanings of an action."""

    def given(node: Expr) -> Dimension:
        if node == t:
            return TIME
        if node in action.space:
            return LENGTH
        letter = node.name if node.is_Symbol else type(node).__name__
        meaning = action.meanings.get(letter, "")
        if "[" not in meaning:
            raise UnknownDimensionError(f"the meaning of {letter} names no unit")
        return read_unit(meaning[meaning.index("[") + 1 :].rstrip("] "))

    return given


def dimension_table(system: DerivedSystem) -> list[Block]:
    """Dimensions of L, φ, momenta and equations, each sum checked term by term."""
    action = system.action
    quantities: list[tuple[Text, Expr]] = [(sym.L, action.lagrangian)]
    if system.dissipative:
        quantities.append((sym.varphi, action.dissipation))
    quantities += [(say("momentum of {}", field(q)), action.momentum(q)) for q in system.carriers[:4]]
    quantities += [(say("equation of {}", field(q)), e) for q, e in list(system.variation.bulk.items())[:4]]
    given, rows = dimensions_of_symbols(action), []
    for title, expression in quantities:
        try:
            rows.append((title, quoted((dimension_of(expression, given) or NONE).unit), "all terms agree"))
        except MixedDimensionError as problem:
            rows.append((title, "–", f"**terms differ**: {quoted(str(problem))}"))
        except UnknownDimensionError as problem:
            rows.append((title, "–", f"not checked: {quoted(str(problem))}"))
    note = (
        say(
            "{varphi} is energy per time, not energy like {L}: it cannot be added to the Lagrangian, "
            "and only its derivative by a rate, a force, joins the variation. "
        )
        if system.dissipative
        else ""
    )
    return [
        Heading("Dimensions"),
        Paragraph(
            say(
                "{}Each equation times its field has the dimension of {L}: the principle compares virtual "
                "work with virtual work. Checked from the units above, term by term:",
                note,
            )
        ),
        TextTable(("quantity", "dimension", "check"), tuple(rows)),
    ]


_KINDS = {
    "holonomic": "Holonomic: it holds places",
    "integrable": "Integrable: it holds rates, and a function of the places at the value it has at the start",
    "nonholonomic": "Nonholonomic: no function of the places stands behind it",
}
_TIMES = {1: "once", 2: "twice"}
_ORIGINS = {
    "stated": "",
    "multiplier": "; a multiplier in the Lagrangian says it, and is the reaction",
    "impulse": "; the momentum of an impulse says it: its value is a gauge, its rate the reaction",
}


def constraints(system: DerivedSystem) -> list[Block]:
    """The constraints beside the Lagrangian, and the rule that keeps them."""
    found = system.action.constrained().constraints
    if not found:
        return []
    blocks: list[Block] = [Paragraph("Constraints:")]
    for c in found:
        said = say("{}{}. Its forces are {}.", _KINDS[c.kind], _ORIGINS[c.origin], _forces(system, c.reaction, c.row))
        blocks += [Equation(zero_rows(c.expression)), Paragraph(said)]
    if any(c.origin == "stated" for c in found):
        blocks.append(Paragraph("The virtual work of these forces joins at step 3, in the variation."))
    if any(c.kind == "nonholonomic" for c in found):
        blocks.append(
            Paragraph(
                say(
                    "**Lagrange and d'Alembert's rule**, not Hamilton's principle: the reactions do no work on virtual "
                    "displacements that obey the constraint. The constraint itself is not varied; varied, with a "
                    "multiplier inside {L}, it would give other motions (vakonomic ones)."
                )
            )
        )
    return blocks


def _forces(system: DerivedSystem, reaction: Expr, row: tuple[Expr, ...]) -> Text:
    """λ A, field by field."""
    fields = system.action.constrained().plain.fields
    acting = [(q, entry) for q, entry in zip(fields, row, strict=True) if entry != 0]
    return enumerated(say("{} on {}", formula_of(reaction * entry), field(q)) for q, entry in acting)


def freedom(system: DerivedSystem) -> list[Block]:
    """Which of the data are free, and what the others follow from."""
    head: list[Block] = [Heading("Which of these data are free")]
    if not system.lumped:
        return _in_space(system, head)
    found = system.action.data()
    if found.undecided:
        return [*head, Paragraph(f"Not decided: {found.undecided}.")]
    hessian = tight(tight(PARTIAL) ** 2, sym.L) / tight(PARTIAL, sym.q.dot, PARTIAL, sym.q.dot)
    size = len(system.fields)
    if not found.relations and not found.arbitrary:
        words = say(
            "The Hessian {} has full rank, {}: the equations determine every acceleration. All {} data are free{}.",
            hessian,
            str(size),
            str(2 * size),
            _but_shifts(found),
        )
        return [*head, Paragraph(words)]
    return [*head, *_relations(found, hessian, size), Bullets(tuple(_verdicts(found)))]


def _relations(found: FreeData, hessian: Formula, size: int) -> list[Block]:
    words = say(
        "The Hessian {} has rank {} of {}. What the equations say without accelerations (primary), what their rates "
        "bring beyond that (secondary, with the number of differentiations), and constraints that were stated, hold at "
        "every instant, so at the start:",
        hessian,
        str(found.hessian_rank),
        str(size),
    )
    if not found.relations:
        return [Paragraph(say("The Hessian {} has rank {} of {}.", hessian, str(found.hessian_rank), str(size)))]
    labelled = [(f"{r.origin} ({r.depth})" if r.depth else r.origin, r.expression) for r in found.relations]
    return [Paragraph(words), *(Equation(zero_rows(expression), label) for label, expression in labelled)]


def _verdicts(found: FreeData) -> list[Text]:
    free = enumerated(map(formula_of, (*found.shifts, *found.data))) if found.count else "none"
    items: list[Text] = [
        say(
            "**Free data**, {} in number: {}{}. Any others that determine these serve as well.",
            str(found.count),
            free,
            _but_shifts(found),
        )
    ]
    if found.determined:
        items.append(say("**Determined** by the relations: {}.", enumerated(map(formula_of, found.determined))))
    if found.apart:
        items.append(say("All this is said of places where {} is not zero.", enumerated(map(formula_of, found.apart))))
    if found.arbitrary:
        items.append(
            say(
                f"**Arbitrary functions of {found.of}**: {{}}. Nothing determines them, and starts that differ in {{}} "
                "alone are the same motion.",
                enumerated(map(field, found.arbitrary)),
                enumerated(map(formula_of, found.reached)),
            )
        )
    if found.index == 0:
        items.append("**Index 0**: an ordinary differential equation as it stands.")
    elif found.index is not None:
        times = _TIMES.get(found.index, f"{found.index} times")
        items.append(f"**Index {found.index}**: differentiated {times}, the equations are an ordinary one.")
    return items


def _but_shifts(found: FreeData) -> Text:
    if not found.shifts:
        return ""
    return say("; of them {} fix constants that nothing depends on (gauges)", enumerated(map(field, found.shifts)))


def _in_space(system: DerivedSystem, head: list[Block]) -> list[Block]:
    found = system.action.data()
    if found.undecided:
        return [*head, Paragraph(f"Not decided: {found.undecided}.")]
    tied = [c for c in system.action.initial_conditions() if c.role == "determined" and c.kind == "momentum"]
    tied = [c for c in tied if c.field.diff(t) not in found.determined]
    if not (tied or found.relations or found.arbitrary):
        return []
    items: list[Text] = []
    for c in tied:
        assert c.relation is not None
        items.append(say("The momentum of {} is determined by {}.", field(c.field), equal(formula_of(c.relation), 0)))
    words = (
        "Data of a continuum are functions of place, counted for one wave with a generic wave vector: ranks are those "
        "of the operators there, and what enters without rates follows from the others at every instant, with its "
        "boundary conditions."
    )
    hessian = tight(tight(PARTIAL) ** 2, sym.L) / tight(PARTIAL, sym.q.dot, PARTIAL, sym.q.dot)
    rows = _relations(found, hessian, len(found.fields))
    return [*head, Paragraph(words), *rows, Bullets((*_verdicts(found), *items))]
