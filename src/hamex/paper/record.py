"""Record the OpenSees column for machines without OpenSees: ``python -m hamex.paper.record``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from hamex.paper import opensees
from hamex.paper.cases import CASES
from hamex.paper.results import RECORDED, run_opensees
from hamex.schemes import Newmark
from hamex.solution.files import write_atomically
from hamex.solve import solve


def main() -> None:
    """Run OpenSees on the six cases and write what `hamex paper` falls back on."""
    reason = opensees.available()
    if reason is not None:
        sys.exit(f"nothing recorded: {reason}")
    answer = run_opensees({case.name: solve(case.problem, Newmark(case.step)) for case in CASES})
    path = Path(__file__).parent / RECORDED
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(answer, indent=1) + "\n"
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))
    sys.stdout.write(f"recorded OpenSees {answer['version']} in {path}\n")


if __name__ == "__main__":
    main()
