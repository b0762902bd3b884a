"""Is there a functional at all? Do the terms agree?"""

from __future__ import annotations

from hamex.principle.action import Action
from hamex.principle.dimensions import (
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
from hamex.principle.jets import t
from hamex.principle.variation import helmholtz
from hamex.report.derivation.document import Block, Equation, Heading, Paragraph, TextTable, quoted
from hamex.report.derivation.expressions import Expr, field, formula_of, walk
from hamex.report.derivation.formula import NEW_ACTION, Text, equal, exp, partial, say, sym, thin, tight, total, virtual
from hamex.report.derivation.system import DerivedSystem

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
