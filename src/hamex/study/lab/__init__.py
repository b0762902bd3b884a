"""The laboratory of schemes: time integrators as data, and the experiments that tell them apart.

``catalogue`` lists the schemes, ``everything`` runs the experiments; each experiment is a module of its own.
"""

from hamex.study.lab.catalogue import CATALOGUE, Entry
from hamex.study.lab.everything import Laboratory, everything

__all__ = ["CATALOGUE", "Entry", "Laboratory", "everything"]
