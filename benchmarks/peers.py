"""Where the peers come from, and which were looked at and left out."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
import textwrap
import warnings
from typing import Any

from measuring import HERE, NotMeasuredError

FOLDER = HERE / "build" / "peers"  # filled by `make bench` from peers.txt

LEFT_OUT = {
    "earthquakepy": "plain Python, adaptive steps",
    "PySeismoSoil": "its spectra are plain Python",
    "seismicutils": "plain Python",
    "endaq-calc, pyyeti": "scipy.signal.lfilter per period, as in the row of that name",
    "gmprocess": "its compiled part, esi-core, is in the table",
    "OpenQuake": "ships no spectra of time histories",
    "opstool": "drives OpenSees, and brings VTK and Gmsh",
    "NRSA": "compiled, but not on PyPI",
    "ucla-geotech-tools response_spectrum": "its source does not build here",
    "II-DAP": "MATLAB",
}


def show_left_out() -> None:
    """What is not in the tables, and why."""
    text = "; ".join(f"{name} ({reason})" for name, reason in LEFT_OUT.items())
    print(textwrap.fill(f"looked at and left out: {text}", 118))


def load(module: str) -> Any:
    """Import a peer in silence, or say why it cannot be measured."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise NotMeasuredError("not installed" if error.name == module.partition(".")[0] else str(error)) from error
    except Exception as error:  # a wheel built for another NumPy, a missing library
        raise NotMeasuredError(f"cannot be imported: {error}") from error
