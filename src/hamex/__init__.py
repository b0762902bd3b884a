"""hamex: structural dynamics from the action up.

Public names stand in ``__init__.pyi`` and are loaded when first used.
"""

from hamex.names import attach

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = attach(__name__, __file__)
