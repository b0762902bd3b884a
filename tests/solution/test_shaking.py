"""The motion of a place as a ground motion: site response against its closed form, and what it is refused for."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError, UnitError

UNITS = hx.Units("m", "kN")
H, C, RHO = 30.0, 200.0, 1.8
G = RHO * C**2
BETA = 2 * 0.05 / (np.pi * C / (2 * H))  # 5 % of critical in the first mode
DAMPED = hx.rayleigh(alpha=0.0, beta=BETA)


def column():
    return hx.rod(H, 60, modulus=G, density=RHO, damping=DAMPED, units=UNITS), {}, ("node 60",)


def strip():
    ground = hx.Material.of_waves(RHO, shear=C, pressure=2 * C)
    mesh = hx.meshes.rectangle(1.0, H, (1, 12))
    held = {"bottom": "xy", "left": "y", "right": "y"}
    model = hx.solid(mesh, ground, fixed=held, degree=2, damping=DAMPED, units=UNITS)
    return model, {"direction": "x"}, ((0.4, H), "x")


@pytest.mark.parametrize(("site", "within"), [(column, 0.01), (strip, 0.003)])
def test_a_damped_layer_on_rigid_rock_amplifies_by_its_closed_form(site, within):
    """Reference: analytic, |1/cos kH| with k² = ρω²/(G(1 + iωβ)), from 0.3 to 10 Hz, three resonances among them."""
    model, way, place = site()
    wavelet = hx.ground_wave("ricker", 0.1, 0.25, step=0.01)
    sol = hx.solve(hx.Problem(model, wavelet.on(model, **way), 20.0), hx.Galerkin(step=0.01, degree=2))
    surface, rock = sol.motion(*place), sol.motion("ground")
    f = np.fft.rfftfreq(len(rock.acceleration), rock.step)
    omega = 2 * np.pi * f[(f > 0.3) & (f < 10)]
    found = np.abs(np.fft.rfft(surface.acceleration) / np.fft.rfft(rock.acceleration))[(f > 0.3) & (f < 10)]
    exact = np.abs(1 / np.cos(omega * H * np.sqrt(RHO / (G * (1 + 1j * omega * BETA)))))
    assert exact.max() > 12
    assert 1e-5 < np.abs(found / exact - 1).max() < within


def test_a_motion_tells_its_unit_its_step_and_where_it_comes_from():
    model, _, place = column()
    load = hx.el_centro().scaled(2).on(model)
    sol = hx.solve(hx.Problem(model, load, 4.0), hx.Galerkin(step=0.02))
    surface = sol.motion(*place)
    assert (surface.unit, surface.step, surface.kind) == ("m/s2", 0.02, "synthetic")
    assert surface.source.startswith("motion of node 60 in a model of 60 dofs, Galerkin, step 0.02 s, under El Centro")
    assert surface.source.endswith("× 2 NS")
    absolute = sol.values("absolute_acceleration")[:, -1]
    assert np.array_equal(surface.acceleration, absolute)
    assert sol.motion("ground").acceleration == pytest.approx(
        absolute - sol.values("acceleration")[:, -1], abs=1e-12 * surface.peak
    )


def test_it_shakes_another_model_and_is_read_back_from_a_file(tmp_path):
    model, way, place = strip()
    sol = hx.solve(hx.Problem(model, hx.el_centro().on(model, **way), 4.0), hx.Galerkin(step=0.005))
    sol.save(tmp_path / "site.nc")
    surface, again = sol.motion(*place), hx.read(tmp_path / "site.nc").motion(*place)
    assert np.array_equal(surface.acceleration, again.acceleration)
    assert surface.source == again.source
    house = hx.oscillator(1.0, 100.0, hx.ratio(0.05), units=UNITS)
    run = hx.solve(hx.Problem(house, surface.on(house), 4.0), hx.Galerkin(step=0.005))
    spectrum = hx.spectrum(surface, [2 * np.pi / 10], damping=0.05, g=9.80665)
    assert run.peaks["displacement"].value == pytest.approx(spectrum.values("displacement").item(), rel=0.02)


def test_layers_that_flow_pass_less_on():
    """A bound: no element carries more than its strength, so the ground above it is not accelerated by more."""
    strength = 30.0
    laws = [hx.Slider(yield_force=strength, viscosity=1.0)] * 20
    soft = hx.rod(20.0, 20, modulus=G, density=RHO, law=laws, units=UNITS)
    sol = hx.solve(hx.Problem(soft, hx.el_centro().scaled(3).on(soft), 12.0), hx.Galerkin(step=0.005))
    stiff = hx.rod(20.0, 20, modulus=G, density=RHO, units=UNITS)
    elastic = hx.solve(hx.Problem(stiff, hx.el_centro().scaled(3).on(stiff), 12.0), hx.Galerkin(step=0.005))
    assert 0.1 < sol.motion("node 20").peak / elastic.motion("node 20").peak < 0.9
    whole = np.stack([sol.motion(f"node {node}").acceleration for node in range(1, 21)], axis=1).mean(axis=1)
    assert np.abs(whole).max() < 1.2 * strength / (RHO * 20.0)
    assert sol.residual < 1e-11


def test_floors_and_directions_by_name():
    frame = hx.shear_frame([2.0, 1.0], 300.0, heights=3.0, units=UNITS)
    sol = hx.solve(hx.Problem(frame, hx.el_centro().on(frame), 4.0), hx.Galerkin(step=0.02))
    assert np.array_equal(sol.motion("storey 2").acceleration, sol.motion("floor 2").acceleration)
    model, way, _ = strip()
    run = hx.solve(hx.Problem(model, hx.el_centro().on(model, **way), 1.0), hx.Galerkin(step=0.005))
    assert np.array_equal(run.motion((1.0, H)).acceleration, run.motion((1.0, H), "x").acceleration)
    assert run.motion((1.0, 0.0), "x").acceleration == pytest.approx(run.motion("ground").acceleration, abs=1e-12)
    assert np.abs(run.motion((1.0, H), "y").acceleration).max() == 0  # the sides do not let it
    for asked, said in (
        (("node 99",), "motion: there is no 'node 99'; there are node 2.x"),
        (("node 5.x", "x"), "motion: 'node 5.x' tells its direction"),
        (((0.0, 1.0), "z"), "motion: there is no direction 'z'; there are x, y"),
        (("ground", "z"), "motion: there is no direction 'z'; there are x, y"),
    ):
        with pytest.raises(InputError, match=said):
            run.motion(*asked)
    with pytest.raises(InputError, match="only solids have places by coordinates"):
        sol.motion((0.0, 1.0), "x")


def test_without_accelerations_or_units_there_is_none():
    model = hx.rod(1.0, 3, 1.0, 1.0)
    still = hx.Load([0.0], step=1.0, patterns=np.ones((3, 1)))
    with pytest.raises(UnitError, match="motion: the unit of its acceleration is not known"):
        hx.solve(hx.Problem(model, still, 1.0), hx.Galerkin(0.1)).motion("node 3")
    stated = hx.rod(1.0, 3, 1.0, 1.0, law=hx.Slider(1.0), units=UNITS)
    with pytest.raises(InputError, match="motion: slow loading has no accelerations"):
        hx.pushover(stated, "node 3", displacement=0.1, steps=3).motion("node 3")
    thin = hx.solve(hx.Problem(stated, still, 1.0), hx.Galerkin(0.1), keep=hx.Keep(every=5))
    with pytest.raises(InputError, match="motion: not every step was kept"):
        thin.motion("node 3")
