"""All systems of the file, by name."""

from systems_continua import CONTINUA
from systems_lumped import LUMPED
from systems_singular import SINGULAR

SYSTEMS = {system.name: system for system in [*LUMPED, *SINGULAR, *CONTINUA]}
