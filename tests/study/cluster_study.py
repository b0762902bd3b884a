"""The study of test_cluster: shared with the process that is killed in the middle of it."""

import os
import signal
import sys

import numpy as np

import hamex as hx


def study() -> hx.Study:
    """44 synthetic motions × 20 scales × 3 viscosities of the paper's oscillator."""
    motions = hx.synthetic_suite(44, seed=5, magnitude=4.5, distance=5.0, step=0.02)
    model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(0.27, 1.5))
    axes = {"record": list(motions), "scale": np.linspace(0.25, 5.0, 20), "viscosity": [0.5, 1.5, 5.0]}
    return hx.Study(model, axes, ("ductility", "residual_slip"), hx.Galerkin(0.02), g=9.80665)


def die_at(done: int):
    """A progress callback that kills this process."""

    def tell(progress):
        if progress.done == done:
            os.kill(os.getpid(), signal.SIGKILL)

    return tell


if __name__ == "__main__":
    study().run(workers=1, store=sys.argv[1], tell=die_at(int(sys.argv[2])))
