"""A library of actions, each with its citation. ``LIBRARY`` lists them by name; ``action(name)`` builds one."""

# The order of the modules is the order of the list: the paper first.
from hamex.principle.library import paper

# isort: split
from hamex.principle.library import oscillators

# isort: split
from hamex.principle.library import mechanics

# isort: split
from hamex.principle.library import elements

# isort: split
from hamex.principle.library import continua
from hamex.principle.library.entries import KIM, LIBRARY, action, function, positive

__all__ = [
    "KIM",
    "LIBRARY",
    "action",
    "continua",
    "elements",
    "function",
    "mechanics",
    "oscillators",
    "paper",
    "positive",
]
