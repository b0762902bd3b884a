"""Many shear frames: the step's numbers, the convex limit and reading of models, against one frame at a time."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ModelError, SchemeError
from hamex.model.shear_frames import shear_frames
from hamex.schemes.shear_frame import shear_frame_rows, shear_frames_of, storeys_of
from hamex.solve.cases import check_convex, softens
from hamex.solve.frame_tables import shear_frames_numbers

RNG = np.random.default_rng(8)


def model(storeys=3, weight=0.0, law=None, **more):
    k = np.linspace(300.0, 100.0, storeys)
    p_delta = {"heights": 3.0, "weights": weight} if weight else {}
    law = law or hx.Slider(1.0, 0.3, 2.0, 1.0)
    return hx.shear_frame(np.linspace(2.0, 1.0, storeys), k, laws=law, **p_delta, **more)


@pytest.mark.parametrize("weight", [0.0, 20.0])
def test_numbers_are_those_of_each_chain(weight):
    models = [model(4, weight, damping=hx.rayleigh(z)) for z in (0.02, 0.05)]
    numbers = shear_frames_numbers(shear_frames_of(models), 0.02)
    for i, one in enumerate(models):
        assert np.allclose(numbers[i], np.stack(shear_frame_rows(storeys_of(one), 0.02)), rtol=1e-14, atol=0)
    assert softens(shear_frames_of(models)).tolist() == [weight > 0] * 2


def test_one_storey_and_oscillators_are_frames_too():
    frames = shear_frames_of(
        [hx.oscillator(2.0, 50.0, 1.5, hx.Slider(1.0, 0.3)), hx.shear_frame([2.0], [50.0], 1.5, hx.Slider(1.0, 0.3))]
    )
    assert frames.storeys == 1
    assert frames.damping_main.tolist() == [[1.5], [1.5]]
    assert np.array_equal(*shear_frames_numbers(frames, 0.02))


def test_unlike_models_are_refused_by_number():
    cases = {
        "model 1 is not a plain shear frame": [model(), model(links=[hx.elastic_link(0, 2, 5.0)])],
        "model 0 is not a plain shear frame": [model(damping=hx.modal(0.05))],
        "model 2 has 4 storeys and model 0 has 3": [model(), model(), model(4)],
        "no models": [],
    }
    for told, models in cases.items():
        with pytest.raises(ModelError, match=told):
            shear_frames_of(models)


def test_the_step_is_refused_where_the_single_frame_refuses_it_and_with_the_same_bound():
    heavy = model(6, 60.0, law=[hx.Slider(1.0), None, hx.Slider(1.0), None, None, None])
    with pytest.raises(SchemeError, match="below") as alone:
        hx.solve(hx.Problem(heavy, hx.Load(np.zeros((3, 6)), step=1.0), duration=2.0), hx.Galerkin(1.0, load="end"))
    bound = float(str(alone.value).split("below ")[1].split()[0])
    frames = shear_frames_of([model(6), heavy, heavy])
    with pytest.raises(SchemeError, match=rf"frame 8 the step must be below {bound:g} s, got 1 s"):
        check_convex(frames, 1.0, first=7)
    check_convex(frames, 0.999 * bound)
    with pytest.raises(SchemeError, match="frame 1"):
        check_convex(frames, 1.001 * bound)


def test_viscosity_widens_the_convex_range():
    m, k = np.ones((2, 3)), np.full((2, 3), 100.0)
    frames = shear_frames(m, k, yield_forces=1.0, viscosities=[[0.0], [1e3]], heights=3.0, weights=50.0)
    with pytest.raises(SchemeError, match="frame 0"):
        check_convex(frames, 1.0)
    check_convex(frames.chosen(slice(1, 2)), 1.0)
