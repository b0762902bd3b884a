"""The audit line by line, for a program that shows it while it runs: ``python -m hamex.paper.audit.stream verdicts``.

SymPy holds its interpreter for half a minute, so whoever wants to do something else meanwhile reads this from a child
process. Each line is JSON: ``{"total": …}`` first, then items, or drawings of equations.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

from hamex.paper.audit import run
from hamex.paper.audit.notation import printed_latex
from hamex.paper.audit.page import SECTIONS, drawing


def verdicts() -> Iterator[dict[str, Any]]:
    """Every item with the section of the paper in which it stands."""
    yield {"total": run.size()}
    heads, section = dict(SECTIONS), ""
    for item in run.judged():
        section = heads.get(int(item.equation), section) if item.equation.isdigit() else "Tables, and claims in words"
        yield {"item": {**item.as_json(), "reading": item.reading, "section": section}}


def drawings() -> Iterator[dict[str, Any]]:
    """Every equation as printed, then the corrected ones; ``html`` is one block a line."""
    shown = [("printed", number, latex) for number, latex in printed_latex().items()]
    shown += [("correct", number, better.latex) for number, better in run.corrected().items()]
    shown += [("correct", number, latex) for number, latex in run.READING.items()]
    yield {"total": len(shown)}
    for part, number, latex in shown:
        yield {"drawing": {"equation": number, "part": part, "html": drawing(latex)}}


def main(what: str) -> None:
    """Write the lines; who reads them decides when to stop."""
    for line in {"verdicts": verdicts, "drawings": drawings}[what]():
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    os.nice(10)  # half a minute of work for later reading: whoever moves a slider goes first
    main(sys.argv[1])
