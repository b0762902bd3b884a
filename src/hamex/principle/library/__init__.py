"""A library of actions, each with its citation. ``LIBRARY`` lists them by name; ``action(name)`` builds one."""

# The order of the modules is the order of the list: the paper first.
from hamex.principle.library import paper

# isort: split
from hamex.principle.library import lumped

# isort: split
from hamex.principle.library import continua
from hamex.principle.library.entries import KIM, LIBRARY, action, function, positive

__all__ = ["KIM", "LIBRARY", "action", "continua", "function", "lumped", "paper", "positive"]
