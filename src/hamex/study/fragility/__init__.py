"""Fragility: the probability that a limit is exceeded as a function of intensity, and how often that is a year.

``stripes``, ``capacities`` and ``cloud`` hold data and fit them; ``result`` is what comes out.
"""

from hamex.study.fragility.frequency import AnnualFrequency, annual_frequency
from hamex.study.fragility.result import Fragility
from hamex.study.fragility.separation import SeparationError

__all__ = ["AnnualFrequency", "Fragility", "SeparationError", "annual_frequency"]
