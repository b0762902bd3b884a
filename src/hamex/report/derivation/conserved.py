"""What is conserved: energy, charges of point symmetries with their balance laws, and which element keeps them."""

from __future__ import annotations

import re

from hamex.principle.jets import t
from hamex.principle.noether import Kept, Symmetry, kept
from hamex.principle.variation import energy_rate
from hamex.report.derivation import pictures
from hamex.report.derivation.atoms import PARTIAL, Sign
from hamex.report.derivation.document import Beside, Block, Bullets, Equation, Heading, Paragraph, Picture, TextTable
from hamex.report.derivation.expressions import Expr, field, formula_of, is_field, walk
from hamex.report.derivation.formula import (
    SUM,
    Formula,
    Text,
    equal,
    listed,
    say,
    small_bracket,
    spaced,
    sym,
    thin,
    tight,
    total,
    upright,
)
from hamex.report.derivation.system import DerivedSystem, name, sum_rows

_SHOWN = 6
_TO = Sign(r"\to", "→")


def conserved(system: DerivedSystem) -> list[Block]:
    """Hamiltonian and charges, section 3.1 and eq. (54)."""
    action, letter = system.action, system.letter
    density = "" if system.lumped else " (densities)"
    blocks: list[Block] = [
        Heading("Energy and conserved quantities"),
        Beside(
            (
                Picture(
                    pictures.shifted_in_space(letter),
                    say("Shifted in its value (figure 3): if {L} does not notice, a momentum is conserved."),
                ),
            ),
            (
                Picture(
                    pictures.shifted_in_time(letter),
                    say("Shifted in time (figure 4): if {L} does not notice, the Hamiltonian is conserved."),
                ),
            ),
        ),
        Paragraph(say("The Hamiltonian{}, {}:", density, equal(sym.H, SUM["q"] * thin(sym.P["q"], sym.q.dot) - sym.L))),
        Equation(sum_rows(sym.H, action.hamiltonian())),
    ]
    rate = energy_rate(action)
    if rate == 0:
        blocks.append(
            Paragraph(
                say(
                    "{} along every motion{}",
                    equal(tight(upright("d"), "H") / tight(upright("d"), "t"), 0),
                    "." if system.lumped else ", in total, up to the work done on the boundary; its flux stands below.",
                )
            )
        )
    else:
        where = "" if system.lumped else " In total; the boundary adds the work done on it."
        blocks += [
            Paragraph(
                say(
                    "Along the motion it changes by the work of the loads, minus what is dissipated, minus {}:{}",
                    spaced(PARTIAL, sym.L / PARTIAL, sym.t),
                    where,
                )
            ),
            Equation(sum_rows(total("H"), system.short(rate))),
        ]
    return [*blocks, *_charges(system)]


_ON_PAGES = ("shift", "rotation", "time", "translation", "boost", "scaling", "projective", "mode", "other")


def _charges(system: DerivedSystem) -> list[Block]:
    """Point symmetries with their charges, balance laws, and what the elements in time keep of them."""
    found = sorted(system.action.symmetries(), key=lambda s: _ON_PAGES.index(s.kind))
    open_ones = system.action.undecided_symmetries()
    undecided: list[Block] = [Paragraph(f"Undecided, and not listed: {'; '.join(open_ones)}.")] if open_ones else []
    candidates = [s for s in found if s.name != "time: energy" or not system.lumped]
    # Modes say what the solution says; of a system that loses energy they say less.
    lossless = not system.dissipative and not system.action.loads
    shown = [s for s in candidates if s.kind != "mode" or (lossless and len(candidates) < _SHOWN)][:_SHOWN]
    if not found:
        return [
            Paragraph(
                say(
                    "No change of time and fields of degree 2 leaves {L} unchanged, not even up to a total derivative: "
                    "there is no charge of this kind."
                )
            ),
            *undecided,
        ]
    blocks: list[Block] = []
    if shown:
        intro = say(
            "Changes {} and {} (searched for up to degree 2) that change {} by nothing, or by a total "
            "derivative {}, have the charge {}. Dissipation and loads that are rates themselves are taken along:",
            spaced(sym.t, _TO, sym.t + thin(sym.varepsilon, sym.xi)),
            spaced(sym.q, _TO, sym.q + thin(sym.varepsilon, sym.eta)),
            thin(sym.L, tight(upright("d"), sym.t)),
            tight(upright("d"), sym.K),
            SUM * sym.P["q"] * small_bracket(sym.eta["q"] - thin(sym.xi, sym.q.dot)) + thin(sym.L, sym.xi) - sym.K,
        )
        blocks = [
            Paragraph(intro if system.lumped else _local_intro()),
            Bullets(tuple(_charge(system, s) for s in shown)),
        ]
        if rest := [s for s in candidates if s not in shown]:
            names = tuple(part for s in rest for part in ("; ", _named(s)))[1:]
            blocks.append(Paragraph(say("Further ones: {}.", names)))
    elif system.lumped:
        balance = "" if energy_rate(system.action) == 0 else " with its balance"
        words = say("No other change of degree 2 leaves {L} unchanged: {H}{} is the one charge.", balance)
        blocks.append(Paragraph(words))
    nodes = (node for s in shown if s.kind == "shift" for node in walk(s.charge.value))
    if system.lumped and any(type(node).__name__ == "Integral" for node in nodes):
        blocks.append(
            Paragraph(
                "The first of these is the momentum balance of the paper, eq. (54): at the start it "
                "fixes the impulse, which is a gauge."
            )
        )
    blocks += undecided
    return [*blocks, *(_kept_table([s for s in found if s in shown or s not in candidates]) if system.lumped else [])]


def _local_intro() -> Text:
    return say(
        "Changes of time, place and fields (affine ones are searched for) that change {L} by nothing, or by a "
        "divergence, have a density {} and a flux {j} with {}, or the source that is named. This holds **at every "
        "place**, not only in total: what a part of the body loses has flowed through its surface. Loads that are "
        "rates themselves are taken along:",
        sym.I,
        equal(tight(PARTIAL, sym.I) / tight(PARTIAL, sym.t) + spaced(upright("div"), sym.j), 0),
    )


def _charge(system: DerivedSystem, symmetry: Symmetry) -> Text:
    charge, action = symmetry.charge, system.action
    moves = zip((*action.space, t), (*symmetry.space, symmetry.time), strict=True)
    changes = listed(
        [
            *(_moved(formula_of(x), xi) for x, xi in moves if xi != 0),
            *(_moved(field(q), eta) for q, eta in symmetry.change.items() if eta != 0),
        ]
    )
    head = say("{}, {}: ", _named(symmetry, capital=True), changes)
    value = formula_of(charge.value)
    source = None if charge.source == 0 else formula_of(system.short(charge.source))
    if symmetry.is_gauge:
        return say("{}a change of names alone; its charge is a number.", head)
    if system.lumped:
        if source is None:
            return say("{}{}.", head, equal(value, upright("const")))
        return say("{}{} changes at the rate {}.", head, value, source)
    given = "" if source is None else say(", source {}", source)
    if not any(charge.flux):
        return say("{}{} has no flux: constant at every place by itself{}.", head, value, given)
    flux = listed(formula_of(f) for f in charge.flux)
    return say("{}density {}, flux {}{}.", head, value, small_bracket(flux), given)


def _moved(what: Formula, by: Expr) -> Formula:
    """q → q + ε η, with a minus where η has one."""
    down = by.could_extract_minus_sign()
    size = -by if down else by
    shown = formula_of(size)
    more = thin(sym.varepsilon, small_bracket(shown) if size.is_Add else shown)
    if not size.free_symbols:
        more = sym.varepsilon if size == 1 else thin(shown, sym.varepsilon)
    return spaced(what, _TO, what - more if down else what + more)


def _named(symmetry: Symmetry, capital: bool = False) -> Text:
    """The name, letters of fields and coordinates in it as formulas."""
    action = symmetry.action
    letters: dict[str, Formula] = {str(x): formula_of(x) for x in (*action.space, t)}
    letters |= {name(q): field(q) for q in action.fields}
    words = symmetry.name[0].upper() + symmetry.name[1:] if capital else symmetry.name
    pattern = "|".join(sorted(map(re.escape, letters), key=len, reverse=True))
    return tuple(letters.get(part, part) for part in re.split(rf"\b({pattern})\b", words.replace("*", "")) if part)


def _kept_table(found: list[Symmetry]) -> list[Block]:
    """What the elements keep, by theorem; the same is measured by simulate(…, charges=…)."""
    rows = []
    for symmetry in found:
        if not symmetry.is_gauge:
            verdicts = _kept(symmetry, found, False), _kept(symmetry, found, True)
            rows.append((_named(symmetry), *(_verdict(v, o) for v, o in zip(verdicts, _ORDERS, strict=True))))
    return [
        Paragraph(
            say(
                "Which element in time keeps which charge, or its balance with the source taken at the element's own "
                "points, to the last digit; the others drift, and the drift falls with the order of the element:"
            )
        ),
        TextTable(
            (
                "charge of",
                say("continuous, degree {s}, {s} Gauss points"),
                say("with jumps, degree {s}, {} Radau points", sym.s + 1),
            ),
            tuple(rows),
        ),
    ]


def _kept(symmetry: Symmetry, found: list[Symmetry], jumps: bool) -> Kept:
    """What the element keeps; a multiple of a charge that is kept is kept with it."""
    verdict = kept(symmetry, jumps)
    if verdict.holds or symmetry.charge.source != 0:
        return verdict
    for other in found:
        if other is symmetry or other.is_gauge or other.charge.source != 0 or not kept(other, jumps).holds:
            continue
        ratio = (symmetry.charge.value / other.charge.value).cancel()
        if not any(is_field(node) or node == t for node in walk(ratio)):
            return Kept(True, f"a multiple of the charge of the {other.name}")
    return verdict


_ORDERS = (sym.h ** tight(2, "s"), sym.h ** (tight(2, "s") + 1))


def _verdict(verdict: Kept, order: Formula) -> Text:
    return f"**kept**: {verdict.reason}" if verdict.holds else say("drifts as {}", order)
