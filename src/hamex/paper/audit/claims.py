"""A claim in words: what is said, and a function that computes whether it is so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hamex.paper.audit.rule import Finding


@dataclass(frozen=True)
class Judged:
    """What was computed about a claim; ``correct`` says it as it should be said."""

    finding: Finding
    correct: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim of the paper in our words, with its section."""

    name: str
    printed: str
    judge: Callable[[], Judged]


def judged(verdict: str, evidence: str, correct: str = "") -> Judged:
    """A verdict with its evidence."""
    return Judged(Finding(verdict, evidence), correct)
