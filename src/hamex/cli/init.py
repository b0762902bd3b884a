"""``hamex init``: a commented starter file that runs as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hamex.errors import FileError

STARTER = """\
# A problem file of hamex. Run it with `hamex run {name}`; change a number, run it again.
# Time is in seconds; everything else is in the two units you name below and their combinations.
title = "Viscoplastic oscillator under El Centro"
duration = 40.0             # length of the history [s], a whole number of steps

[units]
length = "m"                # m, cm, mm, in, ft
force = "kN"                # N, kN, MN, kip, lbf, tf, kgf
# gravity = 9.80665         # one g in length/s²; the standard gravity of the unit of length if left out

[model]
kind = "oscillator"         # one mass on a spring and a dashpot
mass = 100.0                # [force·s²/length], here tonnes
period = 0.5                # natural period [s], or: stiffness = … [force/length]
damping_ratio = 0.05        # share of critical, or: damping = … [force·s/length]
yield_force = 150.0         # [force]; leave it out for an elastic spring
viscosity = 200.0           # of the slider [force·s/length]; 0 is rate-independent plasticity
kinematic = 400.0           # hardening that moves the yield limits [force/length]
isotropic = 0.0             # hardening that widens them [force/length]

# What shakes it: either [motion], the ground, or [load], a force on the mass.
[motion]
record = "el_centro"        # shipped: El Centro 1940, north-south, peak 0.319 g
scale = 1.0
# file = "my_record.csv"    # instead of record: one column of accelerations, or time and acceleration
# unit = "cm/s2"            # of the file: g, m/s2, cm/s2, gal, mm/s2, in/s2, ft/s2; never guessed
# step = 0.01               # of the file [s], needed for one column

# [load]
# kind = "half_sine"        # sine, constant, half_sine, triangle, samples, none (free vibration)
# amplitude = 120.0         # [force]
# duration = 0.3            # [s]

# [start]                   # state at t = 0; what is left out is zero
# displacement = 0.01       # [length]; also velocity or momentum, slip, back_force, accumulated_slip

[scheme]
kind = "galerkin"           # galerkin, newmark, piecewise_exact (elastic springs only)
step = 0.01                 # [s]
load = "average"            # of a step's ends; or its "end" (as in the paper), or the "mean" over the step
"""


def command(
    file: Annotated[Path, typer.Argument(help="Name of the new file, ending in .toml.")] = Path("problem.toml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
) -> None:
    """Write a commented starter problem file."""
    # Words without the ending stay free for other kinds of starter files.
    if file.suffix != ".toml":
        raise FileError(f"cannot write {file}: the ending must be .toml")
    try:
        with file.open("w" if force else "x", encoding="utf-8") as stream:
            stream.write(STARTER.replace("{name}", str(file)))
    except FileExistsError:
        raise FileError(f"{file} exists already; --force overwrites it, or give another name") from None
    except OSError as problem:
        raise FileError(f"cannot write {file}: {problem.strerror}") from None
    print(f"wrote {file}; now: hamex run {file}")
