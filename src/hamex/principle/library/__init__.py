"""A library of actions, each with its citation. ``LIBRARY`` lists them by name; ``action(name)`` builds one."""

from hamex.principle.library import lumped
from hamex.principle.library.entries import KIM, LIBRARY, action, function, positive

__all__ = ["KIM", "LIBRARY", "action", "function", "lumped", "positive"]
