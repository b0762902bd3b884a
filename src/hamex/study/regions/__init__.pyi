"""``hx.regions``: the buildings of a region, what shakes them, and what comes of it."""

from .inventory import Inventory as Inventory
from .region import read_inventory as read_inventory
from .inventory import generate_inventory as generate_inventory
from .motions import MotionGrid as MotionGrid, read_motions as read_motions
from .result import Region as Region
from .region import region as region
