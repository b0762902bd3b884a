"""The audit: every equation, both tables, every claim, in the order of the paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hamex.paper.audit import claims_numbers, claims_principle, claims_step, section_2, section_4, section_5, section_6
from hamex.paper.audit.judging import HOLDS, VERDICTS, Claim, Rule
from hamex.paper.audit.notation import NumberedEquation, printed_latex

RULES: dict[str, Rule] = {**section_2.RULES, **section_4.RULES, **section_5.RULES, **section_6.RULES}


@dataclass(frozen=True)
class Item:
    """One line of the audit."""

    equation: str
    kind: str
    verdict: str
    printed: str
    correct: str
    evidence: str
    reading: str = ""

    def as_json(self) -> dict[str, str]:
        """The contract of ``hamex audit --json``."""
        return {
            "equation": self.equation,
            "kind": self.kind,
            "verdict": self.verdict,
            "printed": self.printed,
            "correct": self.correct,
            "evidence": self.evidence,
        }


def printed() -> dict[str, NumberedEquation]:
    """All 89 equations as printed, by number."""
    return {**section_2.PRINTED, **section_4.printed(), **section_5.PRINTED, **section_6.PRINTED}


def corrected() -> dict[str, NumberedEquation]:
    """The misprinted ones as they should read; confirmed by the same rules."""
    return {**section_2.CORRECTED, **section_4.corrected(), **section_5.CORRECTED, **section_6.CORRECTED}


CLAIMS: tuple[Claim, ...] = (
    *claims_principle.CLAIMS,
    *claims_step.CLAIMS,
    *claims_numbers.CLAIMS,
    *claims_principle.NOVELTY,
)


def audit(equations: Mapping[str, NumberedEquation] | None = None) -> list[Item]:
    """Judge everything; ``equations`` may hold a changed copy of the encoded print."""
    return list(judged(equations))


def judged(equations: Mapping[str, NumberedEquation] | None = None) -> Iterator[Item]:
    """The same one by one: seconds pass between some of them."""
    for equation in (equations or printed()).values():
        yield judge(equation)
    for claim in claims_numbers.TABLES:
        yield _claim(claim, claim.name)
    for claim in CLAIMS:
        yield _claim(claim, f"claim: {claim.name}")


def size() -> int:
    """How many items there are."""
    return len(printed()) + len(claims_numbers.TABLES) + len(CLAIMS)


def judge(equation: NumberedEquation) -> Item:
    """Judge one equation; a correction is shown only after the same rule has accepted it."""
    found = RULES[equation.number](equation)
    latex = printed_latex()[equation.number]
    if found.verdict == HOLDS:
        return Item(equation.number, equation.kind, HOLDS, latex, latex, found.evidence)
    better = corrected().get(equation.number)
    if better is None:
        note = READING.get(equation.number, IN_WORDS)
        return Item(equation.number, equation.kind, found.verdict, latex, note, found.evidence)
    check = RULES[equation.number](better)
    confirmed = (
        "the corrected form passes the same test"
        if check.verdict == HOLDS
        else (f"the correction is NOT confirmed: {check.evidence}")
    )
    return Item(
        equation.number,
        equation.kind,
        found.verdict,
        latex,
        better.latex,
        f"{found.evidence}; {confirmed}",
        f"Should read: {better.plain}" if better.plain else "",
    )


IN_WORDS = "as derived; see the evidence"
# Where the print is right under a condition and needs words, not symbols.
READING = {"33": r"\bar{u}_0 \text{ is given}; \quad \delta u(0) \text{ stays free}"}


def counts(items: list[Item]) -> dict[str, int]:
    """How many of each verdict, in a fixed order."""
    found = Counter(item.verdict for item in items)
    return {verdict: found[verdict] for verdict in VERDICTS}


def _claim(claim: Claim, name: str) -> Item:
    answer = claim.judge()
    correct = claim.printed if answer.finding.verdict == HOLDS or not answer.correct else answer.correct
    return Item(
        name,
        "claim",
        answer.finding.verdict,
        claim.printed,
        correct,
        answer.finding.evidence,
        f"Rather: {correct}" if correct != claim.printed else "",
    )
