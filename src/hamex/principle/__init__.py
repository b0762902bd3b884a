"""WHY: an action in symbols, and everything that follows from it. SymPy lives here; nothing that marches loads it."""

from hamex.principle.action import Action
from hamex.principle.jets import t
from hamex.principle.parts import Part

__all__ = ["Action", "Part", "t"]
