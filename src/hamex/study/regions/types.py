"""Building types and what an inventory leaves out: values of the Hazus earthquake model.

Source: FEMA, Hazus Earthquake Model Technical Manual (a document of the US government, numbered as in Hazus-MH 2.1):
storeys and roof heights of table 5.1, design strength Cs of table 5.4, period Te and overstrengths γ (yield) and λ
(ultimate) of table 5.5, ductility μ as the capacity curves of table 5.7 have it (the pre-code column of table 5.6
differs from them), drift at the threshold of each damage state of table 5.9. Damping is the lower end of the elastic
damping of the Hazus Advanced Engineering Building Module, what the springs do not dissipate.

What the model takes from them:

* period Te at the typical storeys N₀ of each class of height, straight in between on logarithmic axes; beyond them, and
  for a class that is named, Te (N/N₀)^¾: periods of codes go with height^¾ (ASCE 7, 12.8.2);
* strength, base shear at yield over weight: γ Cs;
* hardening, stiffness after yield over stiffness before: (λ − 1)/(λ μ − 1), the chord from yield to ultimate. Hazus is
  flat beyond the ultimate point, the model goes on hardening;
* drift limits of the low-rise class for every height. Those of taller classes are 2/3 and 1/2 of them because there
  they stand for the average over the height; here each storey has its own drift;
* for buildings that degrade: the cap at Hazus' ultimate point, at λ μ times the deformation at yield; a falling branch
  that takes as much drift from there to zero as the threshold of complete damage (a choice of this model: Hazus stays
  at the ultimate force); no residual strength; and loops of the share κ of the area of full ones, Hazus' degradation
  factor for shaking of moderate duration (table 5.18) as the inventories of MDOF-LU's shear models carry it (NHERI
  SimCenter), where steel moment and light frames have full loops and concrete moment frames half of them;
* dispersion 0.4, Hazus' variability of the thresholds alone. Its fragility curves add that of demand and capacity.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

SOURCE = (
    "FEMA Hazus Earthquake Model Technical Manual (Hazus-MH 2.1 numbering), tables 5.1, 5.4, 5.5, 5.7 and 5.9; "
    "damping: Hazus Advanced Engineering Building Module"
)
FOOT = 0.3048  # m, exact
LEVELS = ("high", "moderate", "low", "pre")  # seismic design levels
STATES = ("slight", "moderate", "extensive", "complete")
DISPERSION = 0.4
_EXPONENT = 0.75

# Class: type, storeys up to, typical storeys N₀, roof [ft], Te [s], γ, λ, Cs high, moderate, low and pre, μ of all
# four. Types with unreinforced masonry have neither high nor moderate design.
_NO = np.nan
_CLASSES: dict[str, tuple[Any, ...]] = {
    "W1": ("W1", 99, 1, 14, 0.35, 1.5, 3.0, 0.2, 0.15, 0.1, 8, 6, 6, 6),
    "W2": ("W2", 99, 2, 24, 0.40, 1.5, 2.5, 0.2, 0.1, 0.05, 8, 6, 6, 6),
    "S1L": ("S1", 3, 2, 24, 0.50, 1.5, 3.0, 0.133, 0.067, 0.033, 8, 6, 5, 6),
    "S1M": ("S1", 7, 5, 60, 1.08, 1.25, 3.0, 0.1, 0.05, 0.025, 16 / 3, 4, 10 / 3, 4),
    "S1H": ("S1", 99, 13, 156, 2.21, 1.1, 3.0, 0.067, 0.033, 0.017, 4, 3, 2.5, 3),
    "S2L": ("S2", 3, 2, 24, 0.40, 1.5, 2.0, 0.2, 0.1, 0.05, 8, 6, 5, 6),
    "S2M": ("S2", 7, 5, 60, 0.86, 1.25, 2.0, 0.2, 0.1, 0.05, 16 / 3, 4, 10 / 3, 4),
    "S2H": ("S2", 99, 13, 156, 1.77, 1.1, 2.0, 0.15, 0.075, 0.038, 4, 3, 2.5, 3),
    "S3": ("S3", 99, 1, 15, 0.40, 1.5, 2.0, 0.2, 0.1, 0.05, 8, 6, 5, 6),
    "S4L": ("S4", 3, 2, 24, 0.35, 1.5, 2.25, 0.16, 0.08, 0.04, 8, 6, 5, 6),
    "S4M": ("S4", 7, 5, 60, 0.65, 1.25, 2.25, 0.16, 0.08, 0.04, 16 / 3, 4, 10 / 3, 4),
    "S4H": ("S4", 99, 13, 156, 1.32, 1.1, 2.25, 0.12, 0.06, 0.03, 4, 3, 2.5, 3),
    "S5L": ("S5", 3, 2, 24, 0.35, 1.5, 2.0, _NO, _NO, 0.05, _NO, _NO, 5, 5),
    "S5M": ("S5", 7, 5, 60, 0.65, 1.25, 2.0, _NO, _NO, 0.05, _NO, _NO, 10 / 3, 10 / 3),
    "S5H": ("S5", 99, 13, 156, 1.32, 1.1, 2.0, _NO, _NO, 0.038, _NO, _NO, 2.5, 2.5),
    "C1L": ("C1", 3, 2, 20, 0.40, 1.5, 3.0, 0.133, 0.067, 0.033, 8, 6, 5, 6),
    "C1M": ("C1", 7, 5, 50, 0.75, 1.25, 3.0, 0.133, 0.067, 0.033, 16 / 3, 4, 10 / 3, 4),
    "C1H": ("C1", 99, 12, 120, 1.45, 1.1, 3.0, 0.067, 0.033, 0.017, 4, 3, 2.5, 3),
    "C2L": ("C2", 3, 2, 20, 0.35, 1.5, 2.5, 0.2, 0.1, 0.05, 8, 6, 5, 6),
    "C2M": ("C2", 7, 5, 50, 0.56, 1.25, 2.5, 0.2, 0.1, 0.05, 16 / 3, 4, 10 / 3, 4),
    "C2H": ("C2", 99, 12, 120, 1.09, 1.1, 2.5, 0.15, 0.075, 0.038, 4, 3, 2.5, 3),
    "C3L": ("C3", 3, 2, 20, 0.35, 1.5, 2.25, _NO, _NO, 0.05, _NO, _NO, 5, 5),
    "C3M": ("C3", 7, 5, 50, 0.56, 1.25, 2.25, _NO, _NO, 0.05, _NO, _NO, 10 / 3, 10 / 3),
    "C3H": ("C3", 99, 12, 120, 1.09, 1.1, 2.25, _NO, _NO, 0.038, _NO, _NO, 2.5, 2.5),
    "PC1": ("PC1", 99, 1, 15, 0.35, 1.5, 2.0, 0.2, 0.1, 0.05, 8, 6, 5, 6),
    "PC2L": ("PC2", 3, 2, 20, 0.35, 1.5, 2.0, 0.2, 0.1, 0.05, 8, 6, 5, 6),
    "PC2M": ("PC2", 7, 5, 50, 0.56, 1.25, 2.0, 0.2, 0.1, 0.05, 16 / 3, 4, 10 / 3, 4),
    "PC2H": ("PC2", 99, 12, 120, 1.09, 1.1, 2.0, 0.15, 0.075, 0.038, 4, 3, 2.5, 3),
    "RM1L": ("RM1", 3, 2, 20, 0.35, 1.5, 2.0, 0.267, 0.133, 0.067, 8, 6, 5, 6),
    "RM1M": ("RM1", 99, 5, 50, 0.56, 1.25, 2.0, 0.267, 0.133, 0.067, 16 / 3, 4, 10 / 3, 4),
    "RM2L": ("RM2", 3, 2, 20, 0.35, 1.5, 2.0, 0.267, 0.133, 0.067, 8, 6, 5, 6),
    "RM2M": ("RM2", 7, 5, 50, 0.56, 1.25, 2.0, 0.267, 0.133, 0.067, 16 / 3, 4, 10 / 3, 4),
    "RM2H": ("RM2", 99, 12, 120, 1.09, 1.1, 2.0, 0.2, 0.1, 0.05, 4, 3, 2.5, 3),
    "URML": ("URM", 2, 1, 15, 0.35, 1.5, 2.0, _NO, _NO, 0.067, _NO, _NO, 5, 5),
    "URMM": ("URM", 99, 3, 35, 0.50, 1.25, 2.0, _NO, _NO, 0.067, _NO, _NO, 10 / 3, 10 / 3),
    "MH": ("MH", 99, 1, 10, 0.35, 1.5, 2.0, 0.1, 0.1, 0.1, 6, 6, 6, 6),
}
# Drift ratios at the thresholds of the four states, low-rise class, by design level.
_WOOD = (
    (0.004, 0.012, 0.04, 0.1),
    (0.004, 0.0099, 0.0306, 0.075),
    (0.004, 0.0099, 0.0306, 0.075),
    (0.0032, 0.0079, 0.0245, 0.06),
)
_BRACED = (
    (0.005, 0.01, 0.03, 0.08),
    (0.005, 0.0087, 0.0233, 0.06),
    (0.005, 0.008, 0.02, 0.05),
    (0.004, 0.0064, 0.016, 0.04),
)
_STIFF = (
    (0.004, 0.008, 0.024, 0.07),
    (0.004, 0.0069, 0.0187, 0.0525),
    (0.004, 0.0064, 0.0161, 0.0438),
    (0.0032, 0.0051, 0.0128, 0.035),
)
_LIGHT = (_STIFF[0], (0.004, 0.007, 0.0187, 0.0525), *_STIFF[2:])
_BRITTLE = ((_NO,) * 4, (_NO,) * 4, (0.003, 0.006, 0.015, 0.035), (0.0024, 0.0048, 0.012, 0.028))
_STEEL_MOMENT = (
    (0.006, 0.012, 0.03, 0.08),
    (0.006, 0.0104, 0.0235, 0.06),
    (0.006, 0.0096, 0.0203, 0.05),
    (0.0048, 0.0076, 0.0162, 0.04),
)
_CONCRETE_WALLS = (
    (0.004, 0.01, 0.03, 0.08),
    (0.004, 0.0084, 0.0232, 0.06),
    (0.004, 0.0076, 0.0197, 0.05),
    (0.0032, 0.0061, 0.0158, 0.04),
)
# Area of a loop over that of a bilinear one, by design level.
_FULL, _HALF, _WALLS = (1.0,) * 4, (0.5,) * 4, (0.6, 0.4, 0.3, 0.2)
_FRAMES, _INFILLED = (0.5, 0.4, 0.3, 0.2), (_NO, _NO, 0.3, 0.2)
_MOBILE = ((0.004, 0.008, 0.024, 0.07),) * 3 + ((0.0032, 0.0064, 0.0192, 0.056),)


class BuildingType(NamedTuple):
    """What buildings of a type share at any height; ``limits`` are drift ratios by design level and damage state,
    ``loops`` areas of loops over those of bilinear ones by design level."""

    description: str
    damping: float
    limits: tuple[tuple[float, ...], ...]
    loops: tuple[float, ...]


TYPES = {
    "W1": BuildingType("wood, light frame", 0.10, _WOOD, (0.8, 0.6, 0.4, 0.3)),
    "W2": BuildingType("wood, commercial and industrial", 0.10, _WOOD, _WALLS),
    "S1": BuildingType("steel moment frame", 0.05, _STEEL_MOMENT, _FULL),
    "S2": BuildingType("steel braced frame", 0.05, _BRACED, _FRAMES),
    "S3": BuildingType("steel light frame", 0.05, _LIGHT, _FULL),
    "S4": BuildingType("steel frame, concrete shear walls", 0.05, _STIFF, _FRAMES),
    "S5": BuildingType("steel frame, unreinforced masonry infill", 0.10, _BRITTLE, _INFILLED),
    "C1": BuildingType("concrete moment frame", 0.07, _BRACED, _HALF),
    "C2": BuildingType("concrete shear walls", 0.07, _CONCRETE_WALLS, _WALLS),
    "C3": BuildingType("concrete frame, unreinforced masonry infill", 0.10, _BRITTLE, _INFILLED),
    "PC1": BuildingType("precast concrete tilt-up walls", 0.07, _LIGHT, _FRAMES),
    "PC2": BuildingType("precast concrete frame, shear walls", 0.07, _STIFF, _FRAMES),
    "RM1": BuildingType("reinforced masonry, wood or metal deck", 0.07, _STIFF, _WALLS),
    "RM2": BuildingType("reinforced masonry, precast concrete diaphragms", 0.07, _STIFF, _WALLS),
    "URM": BuildingType("unreinforced masonry bearing walls", 0.10, _BRITTLE, _INFILLED),
    "MH": BuildingType("mobile home", 0.05, _MOBILE, (0.4,) * 4),
}

CLASSES = tuple(_CLASSES)
# A type is written with its class of height (C1M), or without (C1): then the storeys decide.
NAMES = tuple(dict.fromkeys((*TYPES, *CLASSES)))
TALLEST = 200


def _class_table() -> Array:
    """Class of (name, storeys)."""
    table = np.empty((len(NAMES), TALLEST + 1), dtype=np.int64)
    for row, name in enumerate(NAMES):
        fitting = _classes(name)
        for storeys in range(TALLEST + 1):
            chosen = next(key for key in fitting if storeys <= _CLASSES[key][1] or key == fitting[-1])
            table[row, storeys] = CLASSES.index(chosen)
    return table


def _period_table() -> Array:
    """Period of (name, storeys)."""
    storeys = np.maximum(np.arange(TALLEST + 1.0), 1.0)
    table = np.empty((len(NAMES), TALLEST + 1))
    for row, name in enumerate(NAMES):
        typical, period = (np.array([_CLASSES[key][column] for key in _classes(name)]) for column in (2, 4))
        between = period[0] * np.exp(np.interp(np.log(storeys), np.log(typical), np.log(period / period[0])))
        table[row] = between * (storeys / np.clip(storeys, typical[0], typical[-1])) ** _EXPONENT
    return table


def _classes(name: str) -> list[str]:
    return [name] if name in _CLASSES else [key for key, found in _CLASSES.items() if found[0] == name]


def _number_table() -> Array:
    """(class, level, quantity): strength, hardening, ductility, area of loops, then the four drift limits."""
    table = np.empty((len(CLASSES), len(LEVELS), 8))
    for row, (kind, *_, gamma, over, high, moderate, low, m0, m1, m2, m3) in enumerate(_CLASSES.values()):
        strength = gamma * np.array([high, moderate, low, low])
        ductility = np.array([m0, m1, m2, m3])
        table[row, :, 0] = strength
        table[row, :, 1] = (over - 1) / (over * ductility - 1)
        table[row, :, 2] = over * ductility
        table[row, :, 3] = TYPES[kind].loops
        table[row, :, 4:] = TYPES[kind].limits
    return table


_CLASS = _class_table()
_NUMBERS = _number_table()
_PERIOD = _period_table()
_HEIGHT = np.array([FOOT * row[3] / row[2] for row in _CLASSES.values()])
_DAMPING = np.array([TYPES[row[0]].damping for row in _CLASSES.values()])


def classes_of(names: Array, storeys: Array) -> Array:
    """Number in CLASSES of buildings whose types are numbers in NAMES.

    >>> [CLASSES[i] for i in classes_of(np.array([NAMES.index("C1"), NAMES.index("C1L")]), np.array([12, 12]))]
    ['C1H', 'C1L']
    """
    return np.asarray(_CLASS[names, storeys])


def has_level(names: Array, levels: Array) -> Array:
    """Whether the type is known at the design level."""
    return np.asarray(np.isfinite(_NUMBERS[_CLASS[names, 1], levels, 0]))


def usual_level(names: Array) -> Array:
    """Level where none is given: moderate, or low for types that have no better."""
    return np.where(has_level(names, np.ones_like(names)), 1, 2)


def defaults(names: Array, storeys: Array, levels: Array) -> dict[str, Array]:
    """Every number of buildings by type, storeys and design level; limits are (building, state).

    >>> found = defaults(np.array([NAMES.index("W1")]), np.array([1]), np.array([0]))
    >>> [round(float(found[name][0]), 4) for name in ("period", "strength", "hardening", "damping", "height")]
    [0.35, 0.3, 0.087, 0.1, 4.2672]
    """
    row = classes_of(names, storeys)
    numbers = _NUMBERS[row, levels]
    return {
        "period": _PERIOD[names, storeys],
        "strength": numbers[:, 0],
        "damping": _DAMPING[row],
        "hardening": numbers[:, 1],
        "relaxation": np.zeros(len(row)),
        "height": _HEIGHT[row],
        "limits": numbers[:, 4:],
        "ductility": numbers[:, 2],
        "softening": numbers[:, -1],
        "residual": np.zeros(len(row)),
        "loops": numbers[:, 3],
        "dispersion": np.full(len(row), DISPERSION),
    }
