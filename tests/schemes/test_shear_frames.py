"""Many shear frames: the step's numbers, the convex limit and reading of models, against one frame at a time."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ModelError, SchemeError
from hamex.march import shear_frame as kernels
from hamex.model.shear_frames import shear_frames
from hamex.schemes.families import galerkin_march
from hamex.schemes.scheme import How
from hamex.schemes.shear_frame import ModalFrameMarch, is_modal_frame, shear_frame_rows, shear_frames_of, storeys_of
from hamex.solve import run
from hamex.solve.cases import check_convex, softens
from hamex.solve.frame_tables import shear_frames_numbers
from hamex.solve.parts import state_of

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
        [hx.oscillator(2.0, 50.0, 1.5, hx.Slider(1.0, 0.3)), hx.shear_frame([2.0], [50.0], [1.5], hx.Slider(1.0, 0.3))]
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


MODAL = {
    "viscous": {"law": hx.Slider(9.0, 0.3)},
    "rate independent": {"law": hx.Slider(9.0)},
    "hardening": {"law": hx.Slider(6.0, 0.1, 20.0, 10.0), "damping": hx.modal([0.05, 0.03])},
    "P-Delta": {"law": hx.Slider(9.0, 0.3, 2.0), "weight": 20.0},
}


def modal_problem(law, damping=None, weight=0.0, steps=40):
    frame = model(6, weight, law, damping=damping or hx.modal(0.05))
    shaken = hx.el_centro().scaled(3).on(frame, g=9.81).after(2.0)
    standing = hx.Load(np.full((steps, 1), 0.3), step=0.02, patterns=np.linspace(1.0, 0.0, 6))  # a second channel
    return hx.Problem(frame, shaken + standing, duration=steps * 0.02)


@pytest.mark.filterwarnings("ignore:solve. the run ends")
@pytest.mark.parametrize("name", MODAL)
def test_frames_with_modal_damping_have_the_steps_of_any_structure(name):
    problem, scheme = modal_problem(**MODAL[name]), hx.Galerkin(0.02)
    assert is_modal_frame(problem.model, 0.02)
    assert not is_modal_frame(problem.model, 20.0)  # an inverse would lose digits
    sol = hx.solve(problem, scheme)
    general = galerkin_march(problem, scheme, How(sol.steps)).advance(state_of(problem.start), 0, sol.steps)
    assert np.abs(sol.values("slip")).max() > 0.01
    for key, values in (general.nodes | {"force": general.steps["force"]}).items():
        if key in sol.histories:
            assert np.abs(sol.values(key) - values).max() < 1e-12 * np.abs(values).max(), key
    assert np.allclose(sol.final.internal["accumulated_slip"], general.end["accumulated_slip"], rtol=1e-12)
    assert sol.residual < 1e-13
    pieces = run(problem, scheme, block=7, quiet=True)
    assert all(np.array_equal(sol.histories[key], pieces.histories[key]) for key in sol.histories)


@pytest.mark.filterwarnings("ignore:solve. the run ends")
def test_a_step_that_full_newton_steps_do_not_find_is_that_of_any_structure(monkeypatch):
    problem, scheme = modal_problem(**MODAL["hardening"]), hx.Galerkin(0.02)
    whole = hx.solve(problem, scheme)
    monkeypatch.setattr(kernels, "_TRIES", 1)
    monkeypatch.setattr("hamex.schemes.shear_frame.worth_compiling", lambda *_: False)
    cut = []
    monkeypatch.setattr(ModalFrameMarch, "_cut", lambda *given, own=ModalFrameMarch._cut: cut.append(own(*given)))
    other = hx.solve(problem, scheme)
    assert len(cut) == np.count_nonzero(whole.values("solves") > 1) > 3
    for key in ("displacement", "momentum", "slip", "back_force", "accumulated_slip", "force"):
        assert np.abs(whole.values(key) - other.values(key)).max() < 1e-12 * np.abs(whole.values(key)).max(), key


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore:solve. the run ends")
def test_compiled_and_plain_modal_frames_agree_in_every_bit(monkeypatch):
    found = []
    for choice in (True, False):
        monkeypatch.setattr("hamex.schemes.shear_frame.worth_compiling", lambda *_, choice=choice: choice)
        found.append(hx.solve(modal_problem(**MODAL["hardening"]), hx.Galerkin(0.02)))
    assert all(np.array_equal(found[0].histories[key], found[1].histories[key]) for key in found[0].histories)
