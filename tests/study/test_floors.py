"""Floor spectra: equipment on floors, beside an oscillator solved by itself and beside closed forms."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

import hamex as hx
from hamex.errors import InputError

UNITS = hx.Units("m", "kN")
PERIODS = np.array([0.2, 0.5, 1.0])


def oscillator(omega, zeta):
    return np.array([[0.0, 1.0], [-(omega**2), -2 * zeta * omega]])


def cascade(acceleration, h, structure, equipment):
    """Largest absolute acceleration of light equipment on a mass on the ground, exact for a straight-line record:
    four states, and the load with its slope beside them, by one matrix exponential."""
    (w, z), (we, ze) = structure, equipment
    A = np.zeros((6, 6))
    A[:2, :2], A[2:4, 2:4] = oscillator(w, z), oscillator(we, ze)
    A[1, 4] = -1.0  # the ground shakes the mass
    A[3, :2] = w**2, 2 * z * w  # and the mass, by minus its absolute acceleration, the equipment
    A[4, 5] = 1.0
    parts = 8
    step = expm(A * h / parts)
    a, x, most = np.append(acceleration, 0.0), np.zeros(6), 0.0
    for k in range(len(a) - 1):
        x[4], x[5] = a[k], (a[k + 1] - a[k]) / h
        for _ in range(parts):
            x = step @ x
            most = max(most, abs(we**2 * x[2] + 2 * ze * we * x[3]))
    return most


def test_equipment_on_one_elastic_mass_is_a_cascade():
    """Analytic: the cascade of two oscillators; the error falls with the square of the step."""
    w, z = 2 * math.pi / 0.6, 0.05
    model = hx.oscillator(mass=1.0, stiffness=w**2, damping=hx.ratio(z), units=UNITS)
    motion = hx.GroundMotion(hx.el_centro().acceleration[:500], 0.02, "g", source="ten seconds")
    exact = [cascade(9.80665 * motion.acceleration, 0.02, (w, z), (2 * math.pi / T, 0.05)) for T in PERIODS]
    errors = []
    for parts in (2, 4):
        sol = hx.solve(hx.Problem(model, motion.on(model), 10.0), hx.Galerkin(0.02 / parts))
        found = sol.floor_spectrum(periods=PERIODS, damping=0.05)
        assert found["absolute_acceleration"].dims == ("level", "damping", "period")
        errors.append(np.abs(found.values("absolute_acceleration")[0, 0] / exact - 1))
    assert (errors[1] < 0.005).all()
    assert errors[1].max() < 0.4 * errors[0].max()


@pytest.fixture(scope="module")
def frame():
    model = hx.shear_frame(
        [120.0, 100.0], [180e3, 150e3], hx.modal(0.05), laws=hx.Slider(400.0), heights=3.0, units=UNITS
    )
    return hx.solve(hx.Problem(model, hx.el_centro().on(model), 12.0), hx.Galerkin(0.01))


def test_equipment_is_an_oscillator_on_the_floor(frame):
    """Own reference: an oscillator under the floor's acceleration as a load, solved by itself."""
    found = frame.floor_spectrum("floor 2", periods=PERIODS, damping=[0.02, 0.05])
    floor = frame.values("absolute_acceleration")[:, 1]
    for d, z in enumerate((0.02, 0.05)):
        for t, T in enumerate(PERIODS):
            alone = hx.oscillator(mass=1.0, stiffness=(2 * math.pi / T) ** 2, damping=hx.ratio(z))
            h = frame.step / 8
            load = hx.Load(-floor, step=frame.step)
            sol = hx.solve(hx.Problem(alone, load, 12.0), hx.PiecewiseExact(h))
            u = np.abs(sol.values("displacement")).max()
            assert found.values("displacement")[0, d, t] == pytest.approx(u, rel=2e-3)


def test_levels_are_storeys_floors_or_the_ground(frame):
    found = frame.floor_spectrum(periods=PERIODS)
    assert found.coordinates["level"].tolist() == ["storey 1", "storey 2"]
    both = frame.floor_spectrum(["ground", "floor 2"], periods=PERIODS)
    assert np.array_equal(both.values("absolute_acceleration")[1], found.values("absolute_acceleration")[1])
    record = hx.spectrum(hx.el_centro(), PERIODS, g=9.80665)
    ground = both.values("absolute_acceleration")[0, 0]
    assert ground == pytest.approx(record.values("absolute_acceleration")[0], rel=0.02)  # 20 steps a period
    with pytest.raises(InputError, match="there is no level 'roof'; there are 'storey 1', 'storey 2', 'floor 1'"):
        frame.floor_spectrum("roof")
    with pytest.raises(InputError, match="leave them out for all"):
        frame.floor_spectrum([])


def test_supports_that_move_as_one_give_the_spectra_of_a_base_acceleration():
    """Own reference: the same ground as displacement and as acceleration."""
    model, h = hx.shear_frame([120.0, 100.0], [180e3, 150e3], hx.modal(0.05), units=UNITS), 0.005
    t = np.arange(0, 4.0, h)
    ground, acceleration = 0.05 * (t - np.sin(8 * t) / 8), 0.05 * 8 * np.sin(8 * t)
    still = hx.Load(np.zeros((1, 2)), 1.0)
    absolute = hx.solve(hx.Problem(model, still, 3.0, supports=hx.Load(ground, h)), hx.Galerkin(h))
    shaken = hx.GroundMotion(acceleration, h, "m/s2").on(model)
    relative = hx.solve(hx.Problem(model, shaken, 3.0), hx.Galerkin(h))
    values = [sol.floor_spectrum(periods=PERIODS).values("absolute_acceleration") for sol in (absolute, relative)]
    assert values[0] == pytest.approx(values[1], rel=0.02)
    with pytest.raises(InputError, match="there is no level 'ground'"):
        absolute.floor_spectrum("ground")


def test_a_stiff_frame_shakes_as_the_ground():
    """Analytic: what is rigid follows the ground."""
    column = {"modulus": 30e8, "area": 9.0, "inertia": 6.75e-1}
    model = hx.frame(
        {"A": (0, 0), "B": (0, 3), "C": (5, 3), "D": (5, 0)},
        {name: hx.Member(*name, **column) for name in ("AB", "BC", "DC")},
        {"A": "fixed", "D": "fixed"},
        {"B": 20.0, "C": 20.0},
        hx.ratio(0.05),
        levels=0.1,
        units=UNITS,
    )
    wave = hx.GroundMotion(0.3 * np.sin(2 * np.pi * np.arange(0, 2.0, 0.01)), 0.01, "g", source="sine")
    sol = hx.solve(hx.Problem(model, wave.on(model), 2.0), hx.Galerkin(0.01))
    both = sol.floor_spectrum(["ground", "storey 1", "B.x"], periods=PERIODS)
    a = both.values("absolute_acceleration")
    assert a[1] == pytest.approx(a[0], rel=0.02)
    assert a[2] == pytest.approx(a[1], rel=1e-6)


def test_what_has_no_accelerations_is_refused(frame):
    push = hx.pushover(frame.model, "floor 2", 0.05, steps=5)
    with pytest.raises(InputError, match="slow loading has no accelerations"):
        push.floor_spectrum()
    thin = hx.solve(frame.problem, frame.scheme, keep=10)
    with pytest.raises(InputError, match="not every step was kept"):
        thin.floor_spectrum()
    with pytest.raises(InputError, match="needs the solution of a run"):
        hx.floor_spectrum(frame.problem)


def test_the_picture_has_a_curve_for_each_level(frame):
    drawing = frame.floor_spectrum(["ground", "floor 1", "floor 2"]).plot()
    assert [line.get_label() for line in drawing.axes[0].lines] == ["ground", "floor 1", "floor 2"]
    assert drawing.axes[0].get_ylabel() == "absolute acceleration [g]"
