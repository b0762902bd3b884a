"""Regions: an inventory of buildings × a grid of ground motions → demands and damage states of every building."""

from hamex.names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
