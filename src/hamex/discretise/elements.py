"""The table of a scheme's time element, from the generated ones."""

from __future__ import annotations

import numpy as np

from hamex.discretise._elements import CONTINUOUS, DISCONTINUOUS
from hamex.discretise.stages import Table
from hamex.discretise.time_elements import TimeElement


def element(scheme: TimeElement) -> Table:
    """Nodes, matrix and weights; what the doubles leave out stands in the ``low`` parts."""
    family = CONTINUOUS if scheme.continuous else DISCONTINUOUS
    found = family[scheme.degree]
    return Table(*(np.array(x) for x in (found.nodes, found.matrix, found.weights, found.matrix_low,
                                         found.weights_low)))
