"""WHAT SHAKES IT: ground motions, loads, pulses."""

from hamex.names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
