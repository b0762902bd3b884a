"""Regions: an inventory of buildings × a grid of ground motions → demands and damage states of every building."""
