"""When is compiled code worth loading? CPU time of a fresh process by number of steps: plain, or by Numba.

``WORTH_LOADING`` of :mod:`hamex.march.run` stands on the break-even. Accuracy gate: both give the same bits.
"""

from __future__ import annotations

import subprocess
import sys

CODE = """
import time, sys, hashlib
start = time.process_time()
import hamex as hx
from hamex.march import run
run.WORTH_LOADING = run.WORTH_COMPILING = {limit}
model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(yield_force=0.27, viscosity=1.5))
problem = hx.Problem(model, hx.el_centro().scaled(2).on(model, g=1.0), duration={steps} * 0.001)
sol = hx.solve(problem, hx.Galerkin(step=0.001))
print(time.process_time() - start, hashlib.sha256(sol.values("displacement").tobytes()).hexdigest())
"""


PLAIN, NUMBA = "float('inf')", "0"


def cost(steps: int, limit: str) -> tuple[float, str]:
    """Smallest CPU time of three fresh processes, and the hash of the displacements."""
    best, digest = float("inf"), ""
    for _ in range(3):
        code = CODE.format(steps=steps, limit=limit)
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        best, digest = min(best, float(out[0])), out[1]
    return best, digest


def main() -> None:
    """Print the table and the break-evens."""
    print(f"{'steps':>10} {'plain [s]':>10} {'by Numba [s]':>13}")
    cost(1000, NUMBA)  # keeps what is loaded
    for steps in (1_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_000_000):
        found = [cost(steps, how) for how in (PLAIN, NUMBA)]
        if len({bits for _, bits in found}) > 1:
            sys.exit(f"{steps} steps: the runs differ")
        plain, numba = (seconds for seconds, _ in found)
        print(f"{steps:10,d} {plain:10.3f} {numba:13.3f}")
    print("same bits in every row")


if __name__ == "__main__":
    main()
