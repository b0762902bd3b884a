"""The laboratory of schemes: time integrators as data, and the experiments that tell them apart.

``catalogue`` lists the schemes, ``laboratory`` runs the experiments, which stand beside it.
"""

from hamex.lab.catalogue import CATALOGUE, Entry
from hamex.lab.laboratory import Laboratory, everything

__all__ = ["CATALOGUE", "Entry", "Laboratory", "everything"]
