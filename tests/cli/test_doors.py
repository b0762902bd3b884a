"""Every kind of model × every scheme through every door: Python, problem file, command line, studio.

Each either works, and gives the same peaks to the last bit through all doors, or is refused in plain words by all.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import tomli_w
from pydantic import ValidationError

import hamex as hx
from hamex.errors import HamexError
from hamex.spec import read_problem
from hamex.spec.tables import tables_for
from hamex.studio.history import history_answer
from hamex.studio.problems import HistoryRequest
from hamex.studio.scripts import NoCodeError, python_code

pytestmark = pytest.mark.usefixtures("fresh")  # a dozen steps each; to compile all these kernels takes minutes

SLIDER = {"yield_force": 0.5, "viscosity": 2.0, "kinematic": 3.0}
HINGE = {"yield_force": 0.4, "kinematic": 5.0}
DAMPER = {"kind": "power_damper", "start": 0, "end": 1, "coefficient": 1.0, "exponent": 0.5, "stiffness": 400.0}
STOREYS = {"kind": "shear_frame", "masses": [1.0, 1.2], "stiffnesses": [100.0, 80.0], "heights": 3.0}
WAVE = {"shape": "sine", "amplitude": 0.5, "period": 0.1, "cycles": 1.0, "step": 0.01}
NODES = {"A": [0, 0], "B": [0, 3], "C": [4, 3], "D": [4, 0]}
PORTAL = {
    "kind": "frame",
    "nodes": NODES,
    "supports": {"A": "fixed", "D": "fixed"},
    "masses": {"B": 2.0, "C": 2.0},
    "levels": [["B", "C"]],
    "sections": {"any": {"modulus": 2e8, "area": 1e-4, "inertia": 1e-6}},
}


ROD = {"kind": "rod", "length": 3.0, "elements": 4, "modulus": 100.0, "density": 0.5}


SOLID = {
    "kind": "solid",
    "mesh": {"kind": "rectangle", "width": 1.0, "height": 2.0, "elements": [1, 2]},
    "fixed": ["bottom"],
}
SOIL = {"density": 0.5, "modulus": 200.0, "poisson": 0.25}


def members(**options):
    return [{"start": a, "end": b, "section": "any"} | options for a, b in ("AB", "BC", "DC")]


MODELS = {
    "oscillator": {"kind": "oscillator", "mass": 1.0, "stiffness": 100.0, "damping": 0.5},
    "yielding oscillator": {"kind": "oscillator", "mass": 1.0, "period": 0.6, "damping_ratio": 0.05, "law": SLIDER},
    "oscillator on a gap": {"kind": "oscillator", "mass": 1.0, "stiffness": 100.0, "law": {"kind": "gap", "gap": 0.01}},
    "shear frame": STOREYS | {"damping": {"kind": "rayleigh", "ratio": 0.05, "modes": [1, 2]}},
    "yielding shear frame": STOREYS
    | {"laws": [SLIDER, {}], "damping": {"kind": "coefficients", "storeys": [0.5, 0.5]}},
    "P-Delta": STOREYS | {"law": SLIDER, "weights": 4.0, "damping": {"kind": "modal", "ratio": 0.03}},
    "dampers": STOREYS
    | {
        "links": [
            {"kind": "power_damper", "start": 0, "end": 1, "coefficient": 1.0, "exponent": 0.5, "stiffness": 400.0}
        ]
    },
    "truss": {
        "kind": "truss",
        "rigidity": 500.0,
        "nodes": {"A": [0, 0], "B": [6, 0], "C": [3, 4]},
        "supports": {"A": "pinned", "B": "pinned"},
        "masses": {"C": 2.0},
        "bars": [{"start": "A", "end": "C"}, {"start": "B", "end": "C", "law": {"yield_force": 0.3}}],
    },
    "portal": PORTAL | {"members": members(), "damping": {"kind": "ratio", "ratio": 0.03}},
    "portal with hinges": PORTAL | {"members": members(hinges=[HINGE, HINGE])},
    "rod": ROD | {"absorbing": "end"},
    "yielding rod": ROD | {"mass": "lumped", "law": {"yield_force": 0.3, "kinematic": 20.0}},
    "solid": SOLID | {"material": SOIL, "plane": "stress", "damping": {"kind": "ratio", "ratio": 0.03}},
    "yielding solid": SOLID | {"material": SOIL | {"law": {"kind": "j2", "yield_stress": 0.4, "kinematic": 20.0}}},
}
G, D = "galerkin", "discontinuous_galerkin"
SCHEMES = {
    "galerkin 1": {"kind": G},
    "galerkin 1 end": {"kind": G, "load": "end"},
    "galerkin 1 mean": {"kind": G, "load": "mean"},
    "galerkin 2": {"kind": G, "degree": 2},
    "galerkin 3": {"kind": G, "degree": 3},
    "galerkin 4": {"kind": G, "degree": 4},
    "located": {"kind": G, "locate": True},
    "tolerance": {"kind": G, "degree": 2, "tolerance": 1e-3},
    "jumps 0": {"kind": D, "degree": 0},
    "jumps 1": {"kind": D},
    "jumps 2": {"kind": D, "degree": 2},
    "located jumps": {"kind": D, "locate": True},
    "newmark": {"kind": "newmark"},
    "safeguarded": {"kind": "newmark", "safeguarded": True},
    "generalised_alpha": {"kind": "generalised_alpha"},
    "hilber_hughes_taylor": {"kind": "hilber_hughes_taylor"},
    "leap_frog": {"kind": "leap_frog"},
    "piecewise_exact": {"kind": "piecewise_exact"},
    "wilson_theta": {"kind": "wilson_theta"},
    "bathe": {"kind": "bathe"},
    "rho_bathe": {"kind": "rho_bathe"},
    "tr_bdf2": {"kind": "tr_bdf2"},
    "central_difference": {"kind": "central_difference"},
    "runge_kutta4": {"kind": "runge_kutta4"},
}
ANY = tuple(SCHEMES)[:16]  # take every model here, but for what follows
NOT_LOCATED = ("oscillator on a gap", "dampers", "yielding solid")
# Rotations have none; those of the rod and of the solids are not lumped.
MASSES_MISSING = ("portal", "portal with hinges", "rod", "solid", "yielding solid")


def works(model, scheme):
    """Whether this pair is promised to work."""
    if scheme in ANY:
        return not ("located" in scheme and model in NOT_LOCATED)
    if scheme == "piecewise_exact":
        return model == "oscillator"
    if scheme == "leap_frog":
        return model not in MASSES_MISSING
    return model in ("oscillator", "yielding oscillator")


def tables(model, scheme):
    """One problem, as a file and as the studio's request have it."""
    load = {"motion": {"wave": WAVE}}
    if model == "truss":
        load = {"load": {"kind": "sine", "amplitude": 1.0, "omega": 9.0, "at": "C.x"}}
    return {
        "duration": 0.12,
        "units": {"length": "m", "force": "kN"},
        "model": MODELS[model],
        "scheme": SCHEMES[scheme] | {"step": 0.01},
    } | load


def same_peaks(told, sol):
    """Whether the peaks that a door tells are those of the solution."""
    found = {name: peak["value"] for name, peak in told["peaks"].items()}
    return "displacement" in found and found == {name: sol.peaks[name].value for name in found}


def same_code(given, sol):
    """Whether the script that the studio writes gives the same numbers, or is refused by its name."""
    read = tables_for(given["model"]["kind"]).model_validate(given)
    if given["model"]["kind"] != "solid":
        with pytest.raises(NoCodeError, match=f"a model of kind {given['model']['kind']}"):
            python_code(read)
    elif isinstance(sol, hx.Solution):
        names = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(python_code(read), names)
        assert np.array_equal(names["sol"].values("displacement"), sol.values("displacement"))


@pytest.mark.every_value
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("model", MODELS)
def test_every_model_and_scheme_through_every_door(model, scheme, hamex):
    given = tables(model, scheme)
    Path("case.toml").write_text(tomli_w.dumps(given), encoding="utf-8")
    code, out, err = hamex("run", "case.toml", "--json", "-o", "case.nc")
    told = json.loads(out) if code == 0 else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = read_problem("case.toml")
        try:
            sol = hx.solve(file.problem, file.scheme)
        except HamexError as refused:
            sol = refused
    assert isinstance(sol, hx.Solution) == works(model, scheme) == (code == 0), (sol, err)
    if not works(model, scheme):
        assert (code, out) == (2, "")
        assert err.splitlines()[-1].startswith("error: ")  # coarse meshes are warned of before
        assert "Traceback" not in err
    else:
        assert same_peaks(told, sol)
        back = hx.read("case.nc")
        assert np.array_equal(back.values("displacement"), sol.values("displacement"))
    if given["model"]["kind"] not in ("oscillator", "shear_frame"):  # the studio shows these
        with pytest.raises(ValidationError):
            HistoryRequest.model_validate({"problem": given})
        same_code(given, sol)
        return
    request = HistoryRequest.model_validate({"problem": given})
    if works(model, scheme) and scheme != "tolerance":  # whose work has no bound beforehand
        assert same_peaks(history_answer(request), sol)
    else:
        with pytest.raises(HamexError):
            history_answer(request)
