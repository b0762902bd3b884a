"""How long does a derivation take? CPU seconds for every system of the library, and for the audit of the paper.

Accuracy gate: every integration by parts is certified on the way, and the audit must find its misprints.
"""

from __future__ import annotations

import time

from hamex.paper.audit.run import audit
from hamex.principle.library import LIBRARY, action


def main() -> None:
    """Print the table."""
    print("CPU seconds: variation, conditions, Hamiltonian")
    total = 0.0
    for name in LIBRARY:
        begin = time.process_time()
        system = action(name)
        system.strong_form()
        system.initial_conditions()
        system.boundary_conditions()
        system.hamiltonian()
        spent = time.process_time() - begin
        total += spent
        print(f"  {name:24s}{spent:8.2f}")
    print(f"  {'whole library':24s}{total:8.2f}")
    begin = time.process_time()
    found = audit()
    misprints = sum(1 for entry in found if entry.verdict == "misprint")
    print(f"  {'audit of the paper':24s}{time.process_time() - begin:8.2f}   {misprints} misprints")


if __name__ == "__main__":
    main()
