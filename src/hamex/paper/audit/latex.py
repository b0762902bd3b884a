"""The LaTeX of the printed equations, letter by letter."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources


@cache
def printed() -> dict[str, str]:
    """LaTeX by equation number."""
    text = resources.files("hamex.paper.audit").joinpath("equations.tex").read_text(encoding="utf-8")
    parts = re.split(r"^%% \((\d+)\)\n", text, flags=re.MULTILINE)[1:]
    return {number: body.strip() for number, body in zip(parts[::2], parts[1::2], strict=True)}


def lines(number: str) -> list[str]:
    """The displayed lines of one equation."""
    return printed()[number].split("\n\n")
