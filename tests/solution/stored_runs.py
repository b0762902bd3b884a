"""The runs whose files stand in ``data``, as the version of hamex that wrote "hamex-1" built them."""

import numpy as np

import hamex as hx

_COLUMN = {"modulus": 200e6, "area": 2.8e-3, "inertia": 6e-4, "hinges": hx.Slider(660.0)}
_NOISE = np.random.default_rng(14)
_OF_OSCILLATOR, _OF_FRAME = 2 * _NOISE.normal(size=31), 3 * _NOISE.normal(size=26)
OSCILLATOR = hx.oscillator(
    1, 225, damping=1.5, law=hx.Slider(0.27, 1.5, kinematic=20.0, isotropic=9.0), units=hx.Units("in", "kip")
)
SHEAR_FRAME = hx.shear_frame(
    [1.0, 1.0, 0.8],
    [300.0, 250.0, 200.0],
    damping=hx.modal(0.05),
    laws=hx.Slider(2.0, kinematic=15.0),
    heights=3.0,
    weights=[5.0, 5.0, 4.0],
    units=hx.Units("m", "kN"),
)
PLANE_FRAME = hx.frame(
    {"A": (0, 0), "B": (0, 3.5), "C": (6, 3.5), "D": (6, 0)},
    {
        "left": hx.Member("A", "B", **_COLUMN),
        "right": hx.Member("D", "C", **_COLUMN),
        "beam": hx.Member("B", "C", 200e6, 4e-3, 1.3e-3, hinges=hx.Slider(960.0, 5.0, kinematic=100.0)),
    },
    supports={"A": "fixed", "D": "fixed"},
    masses={"B": 90, "C": 90},
    damping=hx.rayleigh(0.02),
    units=hx.Units("m", "kN"),
)
_SHAKEN = hx.Load(_OF_FRAME, step=0.02, patterns=[-1.0, -1.0, -0.8], ground=[1.0, 1.0, 1.0])
_PUSHED = hx.Load(2500 * np.sin(np.arange(21) * 0.3), step=0.01, patterns=PLANE_FRAME.influence[:, 0])
_FORCED = hx.Problem(OSCILLATOR, hx.Load(_OF_OSCILLATOR, step=0.02), duration=0.6)

RUNS = {
    "oscillator": lambda: hx.solve(_FORCED.replace(start=hx.State(1e-3, -2e-2, 1e-4)), hx.Galerkin(0.02), error=True),
    "shear_frame": lambda: hx.solve(
        hx.Problem(SHEAR_FRAME, _SHAKEN, duration=0.5), hx.Galerkin(0.02), limit=hx.Limit(0.003, stop=False)
    ),
    "plane_frame": lambda: hx.solve(hx.Problem(PLANE_FRAME, _PUSHED, duration=0.2), hx.Galerkin(0.01)),
    "discontinuous": lambda: hx.solve(_FORCED, hx.DiscontinuousGalerkin(0.02, degree=1)),
    "pushover": lambda: hx.pushover(SHEAR_FRAME, "floor 3", 0.05, steps=10),
}
