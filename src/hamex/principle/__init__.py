"""WHY: an action in symbols, and everything that follows from it. SymPy is used here only."""

from hamex.principle.action import Action
from hamex.principle.jets import t

__all__ = ["Action", "t"]
