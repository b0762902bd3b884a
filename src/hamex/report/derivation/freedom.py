"""Which data are free: constraints with their kinds, relations with their origin, gauges, and the index."""

from __future__ import annotations

from hamex.principle.free_data import FreeData, Relation
from hamex.report.derivation.atoms import PARTIAL
from hamex.report.derivation.document import Block, Bullets, Equation, Heading, Paragraph
from hamex.report.derivation.expressions import Expr, field, formula_of
from hamex.report.derivation.formula import Formula, Text, enumerated, equal, say, sym, tight
from hamex.report.derivation.system import DerivedSystem, zero_rows

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
    return [Paragraph(words), *(Equation(zero_rows(r.expression), _label(r)) for r in found.relations)]


def _label(relation: Relation) -> str:
    return f"{relation.origin} ({relation.depth})" if relation.depth else relation.origin


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
                "**Arbitrary functions of time**: {}. Nothing determines them, and starts that differ in {} alone are "
                "the same motion.",
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
    tied = [c for c in system.action.initial_conditions() if c.role == "determined"]
    if not tied:
        return []
    items: list[Text] = []
    for c in tied:
        assert c.relation is not None
        what = field(c.field) if c.kind == "value" else say("the momentum of {}", field(c.field))
        items.append(say("{} is determined by {}", what, equal(formula_of(c.relation), 0)))
    words = (
        "What enters without rates follows from the other fields at every instant, with its boundary conditions. Only "
        "what shows at a place is said here: the rank of the operators is not examined."
    )
    return [*head, Paragraph(words), Bullets(tuple(items))]
