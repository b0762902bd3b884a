"""Load the kernels that the views use before the first slider moves."""

from __future__ import annotations

import numpy as np


def warm_up() -> None:
    """One short run of each kind, compiled; what is compiled already is loaded from the cache."""
    from hamex.discretise.schemes import DiscontinuousGalerkin, Galerkin, Newmark
    from hamex.model.damping import modal
    from hamex.model.laws.slider import Slider
    from hamex.model.oscillator import oscillator
    from hamex.model.shear_frame import shear_frame
    from hamex.motion.ground import el_centro
    from hamex.solve import Problem, solve
    from hamex.study.spectra.spectrum import spectrum

    law = Slider(yield_force=0.2, viscosity=0.1, kinematic=0.1)
    models = (oscillator(1.0, 100.0, 0.5, law), shear_frame([1.0] * 3, [100.0] * 3, modal(0.05), law))
    motion = el_centro()
    for model in models:
        # Long enough for the compiled kernels: below a measured size the same functions run uncompiled.
        problem = Problem(model, motion.on(model, g=1.0), duration=30.0)
        for scheme in (Galerkin(0.01), Newmark(0.01), DiscontinuousGalerkin(0.01, degree=2)):
            _ = solve(problem, scheme).energy
    spectrum(motion, np.geomspace(0.05, 4.0, 20), damping=0.05, g=9.81)
