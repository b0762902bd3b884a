"""Random structures whose springs are followed along their path, in steps up to the longest that has one solution.

Run ``python tests/shared/path_fuzz.py --steps 1000000 --seed 1``: run number i is made from seed i alone
(``path_models.py``), so that ranges can be run apart and a failure repeated (``--only 4711``). What is counted as bad
stands in ``path_steps.py``. ``--starts 10000`` solves steps from twenty random starts each instead
(``path_starts.py``), ``--several 20`` looks for several solutions above the bound (``path_several.py``). The time
(``--seconds``) or a signal ends all of them with what was counted until then (``path_time.py``).
"""

import argparse
import math
import sys
import time

import path_time
from path_models import LAWS
from path_several import several_found
from path_starts import count, counts, is_other
from path_steps import PHASES, outcome, run, summary


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--steps", type=int, default=1_000_000)
    arguments.add_argument("--seed", type=int, default=1, help="of the first run")
    arguments.add_argument("--seconds", type=float, default=math.inf, help="of processor time, at most")
    arguments.add_argument("--law", action="append", choices=list(LAWS), help="only these laws")
    arguments.add_argument("--starts", type=int, help="so many steps from twenty random starts each instead")
    arguments.add_argument("--factor", type=float, help="of the bound, for --starts")
    arguments.add_argument("--several", type=int, help="so many frames about to fall, at --factor, instead")
    arguments.add_argument("--only", type=int, help="one run, its outcome in full")
    given = arguments.parse_args()

    path_time.heed_signals()

    def tell(line):
        print(line, flush=True)

    if given.only is not None:
        path_time.ENDS[0] = time.process_time() + given.seconds
        try:
            row = outcome(given.only, given.law, PHASES)
        except KeyboardInterrupt:
            row = {"seed": given.only, "bad": ""}
        tell(row | ({"ended": path_time.why()} if path_time.is_over() else {}))
        sys.exit(bool(row["bad"]))
    elif given.several:
        said, found = several_found(given.seed, given.several, given.factor or 1.05, tell, given.seconds)
        tell(said)
        sys.exit(not found)
    elif given.starts:
        rows = count(given.seed, given.starts, given.factor, tell, given.seconds)
        tell("\n".join(counts(rows)))
        sys.exit(given.factor is None and any(map(is_other, rows)))
    else:
        rows = run(given.seed, given.steps, tell, given.law, given.seconds)
        tell("\n".join(summary(rows)))
        sys.exit(any(row["bad"] for row in rows))


if __name__ == "__main__":
    main()
