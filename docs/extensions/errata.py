"""What ``hamex audit`` finds, as it finds it while the site is built."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

from extensions import text as words
from extensions.run import hamex


@cache
def items() -> list[dict[str, str]]:
    """Equations, tables and claims of the paper with their verdicts."""
    return json.loads(hamex("audit", "--json"))


def verdicts(text: str) -> str:
    """How many of them stand."""
    counts = Counter(item["verdict"] for item in items())
    return words.table(
        ("verdict", "equations, tables and claims"), [(verdict, str(count)) for verdict, count in counts.most_common()]
    )


def table(text: str) -> str:
    """What does not stand as printed, with what does."""
    made = []
    for item in items():
        if item["verdict"] == text:
            made += _one(item)
    return "\n".join(made)


def _one(item: dict[str, str]) -> list[str]:
    number, of_words = item["equation"], item["kind"] == "claim"
    title = f"Equation ({number})" if number.isdigit() else number.removeprefix("claim: ")
    said = (
        [f"The paper: {words.markdown(item['printed'])}."]
        if of_words
        else ["Printed:", "", _formula(item["printed"]), "", "Derived:", "", _formula(item["correct"])]
    )
    found = words.markdown(item["evidence"]).rstrip(".")
    return [f"### {title[0].upper()}{title[1:]}", "", *said, "", f"Evidence: {found}.", ""]


def _formula(latex: str) -> str:
    return f"$$\n{' '.join(latex.split())}\n$$"
