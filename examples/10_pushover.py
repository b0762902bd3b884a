"""10. Pushover: the collapse load of the classical three-bar truss.

Mathematics. Three equal, perfectly plastic bars hold a joint, one upright and two at 45°. In the mechanism all three
carry Fy, so the load is Fy(1 + 2 cos 45°) = (1 + √2) Fy, whatever their stiffness: limit analysis. Slow loading is the
same convex step without inertia; under displacement control it has one answer on the plateau too.
"""

import math

import hamex as hx

force = 120.0
truss = hx.truss(
    nodes={"joint": (0, 0), "left": (-2, 2), "top": (0, 2), "right": (2, 2)},
    bars=[("left", "joint"), ("top", "joint"), ("right", "joint")],
    supports={name: ("x", "y") for name in ("left", "top", "right")},
    masses={"joint": 1.0},
    rigidity=4.0e5,
    law=hx.Slider(yield_force=force),
)
push = hx.pushover(truss, {"joint.y": -1.0}, displacement=0.01)
load = push.values("load_factor")[-1]
print(f"collapse load {load / force:.4f} Fy, limit analysis {1 + math.sqrt(2):.4f} Fy")
assert abs(load / force / (1 + math.sqrt(2)) - 1) < 1e-5

frame = hx.shear_frame(masses=[1.0] * 3, stiffnesses=[900.0, 800.0, 700.0], laws=hx.Slider(12.0, kinematic=40.0))
loop = hx.cyclic(frame, pattern=[1.0, 2.0, 3.0], amplitudes=[0.02, 0.05, 0.1])
print(f"largest base shear in three cycles: {6 * loop.values('load_factor').max():.2f}")
assert loop.values("solves").max() <= 10
