"""Spectra to aim at: targets of building codes, and motions that are chosen for, scaled or matched to one."""

from hamex.names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
