"""Laws of springs, one module each. ``hx.laws`` completes to them; a new law is its module and its line in the stub."""

from hamex.names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
