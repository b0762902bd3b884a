"""The explicit rival through the public door: agreement at fine steps, and the refusal of long ones."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import SchemeError

MOTION = hx.el_centro()


def frame(**changes):
    given = {
        "masses": [1.0] * 4,
        "stiffnesses": [900.0, 800.0, 700.0, 600.0],
        "damping": [3.0] * 4,
        "laws": hx.Slider(6.0, viscosity=2.0, kinematic=40.0, isotropic=5.0),
    }
    return hx.shear_frame(**given | changes)


def problem(model, duration=20.0):
    return hx.Problem(model, MOTION.on(model, g=9.80665), duration)


def test_it_converges_to_the_same_history_as_the_convex_step():
    given = problem(frame())
    reference = hx.solve(given, hx.Galerkin(step=0.0005))
    gaps = []
    for step in (0.004, 0.002, 0.001):
        found = hx.solve(given, hx.LeapFrog(step))
        every = round(step / 0.0005)
        gap = np.abs(found.values("displacement") - reference.values("displacement")[::every]).max()
        gaps.append(gap / np.abs(reference.values("displacement")).max())
    assert gaps[2] < 5e-4
    assert gaps[0] > 3 * gaps[2]  # at least first order: viscous slip is taken at the end of the step
    assert found.peaks["slip"].value == pytest.approx(reference.peaks["slip"].value, rel=2e-3)


def test_momentum_and_force_belong_to_the_same_motion():
    found = hx.solve(problem(frame()), hx.LeapFrog(0.0005))
    assert found.residual < 1e-4  # no identity of this scheme, but the energies must match


def test_a_step_beyond_the_stable_one_is_refused_with_the_stable_one():
    with pytest.raises(SchemeError, match=r"beyond the stable step 0\.0\d+ s"):
        hx.solve(problem(frame()), hx.LeapFrog(0.05))


@pytest.mark.parametrize(
    "model",
    [frame(damping=hx.modal(0.05)), frame(heights=3.0, weights=10.0), frame(damping=hx.rayleigh(0.05))],
    ids=["modal damping", "P-Delta", "mass damping"],
)
def test_frames_with_more_than_storeys_are_marched_too(model):
    given = problem(model, 6.0)
    ours, theirs = (hx.solve(given, scheme(0.0005)).values("displacement") for scheme in (hx.LeapFrog, hx.Galerkin))
    assert np.abs(ours - theirs).max() < 1e-3 * np.abs(theirs).max()
