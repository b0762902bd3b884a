"""``hx.motions``: what shakes a structure, measured, made and read."""

from .ground import GroundMotion as GroundMotion, el_centro as el_centro
from .load import Load as Load
from .records import Suite as Suite, read_record as read_record, read_suite as read_suite
from .artificial import synthetic_suite as synthetic_suite
from .artificial import (
    constant as constant,
    ground_wave as ground_wave,
    half_sine as half_sine,
    sine as sine,
    triangle as triangle,
)
