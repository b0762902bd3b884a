"""Regions: an inventory of buildings × a grid of ground motions → demands and damage states of every building.

``types`` holds defaults with their source, ``inventory`` the buildings, ``motions`` what shakes them, ``buildings`` the
models, ``parts`` what workers do, ``run`` the door, ``result`` what comes out.
"""

from hamex.study.region.generate import generate_inventory
from hamex.study.region.inventory import Inventory
from hamex.study.region.motions import MotionGrid
from hamex.study.region.reading import read_inventory
from hamex.study.region.result import Region
from hamex.study.region.run import region
from hamex.study.region.stations import read_motions

__all__ = ["Inventory", "MotionGrid", "Region", "generate_inventory", "read_inventory", "read_motions", "region"]
