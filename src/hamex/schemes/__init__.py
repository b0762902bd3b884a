"""Schemes: how to march, as data. ``hx.schemes`` completes to them; one more is a module and a line in the stub."""

from hamex.names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
