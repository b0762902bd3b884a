"""Waves in bodies: their speeds, how they leave, how soil amplifies them, and Lamb's problem."""

import numpy as np
import pytest
from meshed import block
from scipy.optimize import brentq

import hamex as hx

SHEAR, PRESSURE = 1.0, np.sqrt(3.0)  # ν = ¼
ROCK = hx.Material.of_waves(density=1.0, shear=SHEAR, pressure=PRESSURE)


def still(model, duration, **given):
    nothing = hx.Load(np.zeros(2), step=duration, patterns=np.zeros((len(model.dofs), 1)))
    return hx.Problem(model, nothing, duration, **given)


# ---------------------------------------------------------------------------------------------------- speeds
def bump(s):
    return np.where(np.abs(s) < 0.5, np.cos(np.pi * s) ** 4, 0.0)


def slope(s):
    return np.where(np.abs(s) < 0.5, -4 * np.pi * np.cos(np.pi * s) ** 3 * np.sin(np.pi * s), 0.0)


def running(cell, degree, way, absorbing=()):
    """A pulse that runs along a strip or a column, pressed (way 0) or sheared (way 1), from the middle on."""
    size = 60 if degree == 1 else 24
    mesh = block(cell, (size, 1, 1), (3.0, 3.0 / size, 3.0 / size))
    sides = ("bottom", "top") if mesh.dim() == 2 else ("front", "back", "bottom", "top")
    across = "xyz"[1 : mesh.dim()]
    # Sides across which the pulse is even or odd: nothing else can move than what it does.
    held = {side: across if way == 0 else ("xz" if mesh.dim() == 3 else "x") for side in sides}
    model = hx.solid(mesh, ROCK, fixed=held, degree=degree, absorbing=absorbing)
    speed = SHEAR if way else PRESSURE

    def along(x, values):
        return np.stack([values if i == way else 0 * x[0] for i in range(len(x))])

    start = hx.State(
        displacement=model.body.field(lambda x: along(x, bump(x[0] - 1.0))),
        momentum=model.mass @ model.body.field(lambda x: along(x, -speed * slope(x[0] - 1.0))),
    )
    return model, start, speed


def centre(model, u, way):
    """Where a pulse is, by its mean place."""
    nodal = model.body.displacement(u)[:, way]
    row = np.isclose(model.body.nodes[:, 1:], 0.0).all(axis=1)
    return (nodal[row] * model.body.nodes[row, 0]).sum() / nodal[row].sum()


@pytest.mark.parametrize("way", [0, 1], ids=["P", "S"])
@pytest.mark.parametrize(("cell", "degree"), [("quad", 1), ("tri", 2), ("hex", 1), ("tet", 2)])
def test_pressure_and_shear_waves_run_at_their_speeds(cell, degree, way):
    """Reference: analytic, √((λ + 2G)/ρ) and √(G/ρ); the pulse keeps its form."""
    model, start, speed = running(cell, degree, way)
    duration = 0.9 / speed
    sol = hx.solve(still(model, duration, start=start), hx.Galerkin(duration / 60))
    u = sol.values("displacement")[-1]
    assert (centre(model, u, way) - 1.0) / duration == pytest.approx(speed, rel=0.005)
    exact = model.body.field(lambda x: np.stack([bump(x[0] - 1.9) if i == way else 0 * x[0] for i in range(len(x))]))
    assert np.abs(u - exact).max() < 0.03
    assert sol.residual < 1e-11


def rayleigh_speed(poisson):
    """Share of the shear speed at which waves run along a free surface."""
    ratio = (1 - 2 * poisson) / (2 - 2 * poisson)

    def zero(c):
        return (2 - c**2) ** 2 - 4 * np.sqrt(1 - ratio * c**2) * np.sqrt(1 - c**2)

    return brentq(zero, 0.5, 1 - 1e-12)


@pytest.mark.parametrize(
    ("cell", "degree", "counts", "poisson"),
    [("quad", 1, (24, 24), 0.25), ("quad", 2, (6, 8), 0.25), ("tri", 2, (6, 8), 0.25), ("quad", 2, (6, 8), 0.45)],
)
def test_the_surface_mode_of_a_deep_strip_is_a_rayleigh_wave(cell, degree, counts, poisson):
    """Reference: analytic, half a standing wave between walls of symmetry; 0.9194 of the shear speed at ν = ¼."""
    c, k, depth = rayleigh_speed(poisson), np.pi, 6.0
    if poisson == 0.25:
        assert c == pytest.approx(np.sqrt(2 - 2 / np.sqrt(3)), rel=1e-12)
    ratio = np.sqrt((2 - 2 * poisson) / (1 - 2 * poisson))
    ground = hx.Material.of_waves(density=1.0, shear=1.0, pressure=ratio)
    y = depth - (depth * np.linspace(0.0, 1.0, counts[1] + 1) ** 2)[::-1]  # fine below the surface
    kind = "triangles" if cell == "tri" else "quadrilaterals"
    mesh = hx.meshes.rectangle(1.0, depth, (counts[0], y), origin=(0.0, -depth), cells=kind)
    model = hx.solid(mesh, ground, fixed={"left": "x", "right": "x", "bottom": "xy"}, degree=degree)

    def surface_wave(x):
        p, s = np.sqrt(1 - (c / ratio) ** 2), np.sqrt(1 - c**2)
        deep, shallow = np.exp(k * p * x[1]), np.exp(k * s * x[1])
        along = deep - 2 * p * s / (1 + s**2) * shallow
        return np.stack([-np.sin(k * x[0]) * along, np.cos(k * x[0]) * p * (deep - 2 / (1 + s**2) * shallow)])

    shape = model.body.field(surface_wave)
    shape /= np.sqrt(shape @ model.mass @ shape)
    found = hx.modes(model, 12)
    alike = np.abs(found.shapes.T @ (model.mass @ shape))
    assert alike.max() > 0.999
    assert found.frequencies[alike.argmax()] / k == pytest.approx(c, rel=0.005)


# ---------------------------------------------------------------------------------------------------- absorbing
@pytest.mark.parametrize("way", [0, 1], ids=["P", "S"])
@pytest.mark.parametrize(("cell", "degree"), [("quad", 1), ("quad", 2), ("tri", 2), ("hex", 1)])
def test_normal_waves_leave_at_an_absorbing_boundary(cell, degree, way):
    """Reference: analytic, dashpots ρc let a normal wave out whole: less than 1e-3 of its energy comes back."""
    model, start, speed = running(cell, degree, way, absorbing=["left", "right"])
    duration = 2.7 / speed
    sol = hx.solve(still(model, duration, start=start), hx.Galerkin(duration / 180))
    energy = sol.energy["kinetic"].values + sol.energy["stored"].values
    assert 1e-12 < energy[-1] / energy[0] < 1e-3
    assert sol.energy["viscous"].values[-1] == pytest.approx(energy[0] - energy[-1], rel=1e-10)


# ---------------------------------------------------------------------------------------------------- soil
SOIL = hx.Material.of_waves(density=1.0, shear=1.0, pressure=2.0)


@pytest.mark.parametrize("share", [0.5, 0.8, 1.3, 2.4])
def test_a_layer_on_rigid_rock_amplifies_by_its_closed_form(share):
    """Reference: analytic, 1/|cos kH| of the rock's motion at the surface; from the steady motion on, at a share of the
    layer's first frequency."""
    height = 1.0
    omega = share * np.pi / 2
    mesh = hx.meshes.rectangle(0.05, height, (1, 40))
    model = hx.solid(mesh, SOIL, moving={"bottom": "x"}, fixed={"left": "y", "right": "y"})

    def steady(x):
        return np.stack([np.cos(omega * (height - x[1])) / np.cos(omega * height), 0 * x[0]])

    start = hx.State(displacement=model.body.field(steady))
    duration = 4 * 2 * np.pi / omega
    problem = still(model, duration, start=start, supports=hx.Load(lambda t: np.cos(omega * t)))
    sol = hx.solve(problem, hx.Galerkin(duration / 480))
    top = sol.values("displacement")[:, model.body.dof((0.0, height), "x")]
    assert np.abs(top).max() == pytest.approx(1 / abs(np.cos(omega * height)), rel=0.01)
    times = np.arange(481) * sol.step
    assert np.abs(top * np.cos(omega * height) - np.cos(omega * times)).max() < 0.03


@pytest.mark.parametrize("share", [0.5, 1.0, 1.5, 3.0])
def test_a_layer_on_elastic_rock_amplifies_by_its_closed_form(share):
    """Reference: analytic, 1/√(cos² kH + α² sin² kH) of the motion of bare rock, α the ratio of the impedances; the
    wave comes from below as a traction 2ρcv at the absorbing base."""
    density, speed, height = 1.5, 2.5, 1.0
    omega = share * np.pi / 2
    mesh = hx.meshes.rectangle(0.05, 1.5, (1, 60))
    mesh = mesh.with_subdomains({"rock": lambda x: x[1] < 0.5, "soil": lambda x: x[1] > 0.5})
    rock = hx.Material.of_waves(density, speed, 2 * speed)
    model = hx.solid(mesh, {"rock": rock, "soil": SOIL}, absorbing=["bottom"], fixed={"left": "y", "right": "y"})
    push = model.body.traction("bottom", (2 * density * speed, 0.0))
    cycles = round(40 * omega / (2 * np.pi)) + 1
    duration = cycles * 2 * np.pi / omega
    load = hx.Load(lambda t: np.sin(omega * t) * np.minimum(t / 10.0, 1.0), patterns=push[:, None])
    sol = hx.solve(hx.Problem(model, load, duration), hx.Galerkin(duration / cycles / 80))
    top = sol.values("velocity")[-160:, model.body.dof((0.0, 1.5), "x")]
    ratio = 1 / (density * speed)
    wanted = 1 / np.sqrt(np.cos(omega * height) ** 2 + ratio**2 * np.sin(omega * height) ** 2)
    assert np.abs(top).max() / 2 == pytest.approx(wanted, rel=0.01)


# ---------------------------------------------------------------------------------------------------- Lamb
SPREAD, DELAY = 0.15, 1.2  # of the load along the surface, and until its peak


def ricker(t):
    s = (np.pi * (np.asarray(t) - DELAY)) ** 2
    return (1 - 2 * s) * np.exp(-s)


def lamb(x, times):
    """Displacements of the surface at x, under a traction upwards exp(−x²/2a²)/(a√2π) f(t): (along, up).

    Lamb's solution in wavenumbers and complex frequencies ω = ω_r − iσ, which keep the Rayleigh pole off the path; both
    integrals as sums. R = (2k² − k_S²)² − 4k² ν_P ν_S, up = −ν_P k_S²/μR, along = −ik(2k² − k_S² − 2ν_P ν_S)/μR.
    """
    period, count, sigma = 2.5 * times[-1], 512, np.pi / times[-1]
    t = np.arange(count) * period / count
    load = np.fft.rfft(ricker(t) * np.exp(-sigma * t)) * period / count
    real = 2 * np.pi * np.arange(len(load)) / period
    known = real < 2 * np.pi * 5
    omega = (real - 1j * sigma)[known, None]
    k = np.linspace(0.0, 45.0, 6001)[None]
    weight = np.exp(-0.5 * (k * SPREAD) ** 2) * k[0, 1] / np.pi * np.where(k == 0, 0.5, 1.0)
    S, P = (omega / SHEAR) ** 2, (omega / PRESSURE) ** 2
    p, s = np.sqrt(k**2 - P), np.sqrt(k**2 - S)
    R = (2 * k**2 - S) ** 2 - 4 * k**2 * p * s
    along = -(weight * k * (2 * k**2 - S - 2 * p * s) / R * np.sin(k * x)).sum(axis=1)
    up = -(weight * p * S / R * np.cos(k * x)).sum(axis=1)
    turns = np.exp(1j * np.outer(times, real[known])) * np.where(real[known] == 0, 1.0, 2.0)
    return [(turns @ (u * load[known])).real / period * np.exp(sigma * times) for u in (along, up)]


def test_the_reference_rests_before_the_wave_comes_and_does_not_depend_on_its_contour():
    times = np.linspace(0.0, 4.2, 85)
    along, up = lamb(1.5, times)
    early = times < 1.5 / PRESSURE
    assert max(np.abs(along[early]).max(), np.abs(up[early]).max()) < 2e-3 * np.abs(up).max()
    longer = lamb(1.5, np.append(times, 5.0))[1][:-1]
    assert np.abs(longer - up).max() < 1e-4 * np.abs(up).max()


def graded(fine, coarse, near, end):
    """Coordinates from 0 on, fine up to a place."""
    inside, outside = round(near / fine), round((end - near) / coarse)
    return np.concatenate([np.linspace(0.0, near, inside + 1), np.linspace(near, end, outside + 1)[1:]])


@pytest.mark.filterwarnings("ignore::hamex.errors.CoarseWarning")  # of what runs down, where nobody looks
@pytest.mark.parametrize(
    ("fine", "coarse", "step", "within"),
    [(1 / 12, 0.2, 0.1, 0.02), pytest.param(1 / 16, 0.125, 0.05, 0.003, marks=pytest.mark.heavy)],
)
def test_lambs_problem(fine, coarse, step, within):
    """Reference: analytic, by numerical inversion (above); a line load on the surface, at 1.6 wavelengths from it."""
    width, depth, x = 4.8, 3.8, 1.5  # nothing comes back from the sides in time
    y = depth - graded(fine, coarse, 0.8, depth)[::-1]
    y[0] = 0.0
    mesh = hx.meshes.rectangle(width, depth, (graded(fine, coarse, 1.75, width), y), origin=(0.0, -depth))
    model = hx.solid(mesh, ROCK, fixed={"left": "x"}, absorbing=["right", "bottom"], degree=2)

    def spread(at):
        return np.stack([0 * at[0], np.exp(-0.5 * (at[0] / SPREAD) ** 2) / (SPREAD * np.sqrt(2 * np.pi))])

    push = model.body.traction("top", spread)
    sol = hx.solve(hx.Problem(model, hx.Load(ricker, patterns=push[:, None]), 4.2), hx.Galerkin(step, degree=2))
    times = np.arange(sol.steps + 1) * sol.step
    N = model.body.interpolation([[x, 0.0]])
    found = np.einsum("n,tnd->dt", N.toarray()[0], model.body.displacement(sol.values("displacement")))
    for seen, wanted in zip(found, lamb(x, times), strict=True):
        assert np.abs(seen - wanted).max() < within * np.abs(wanted).max()
        assert np.abs(seen).max() == pytest.approx(np.abs(wanted).max(), rel=within)


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore::hamex.errors.CoarseWarning")
def test_slanting_waves_of_a_line_load_leave_too():
    """Reference: own, a larger body; viscous boundaries send back little of what comes at other angles."""
    runs = {}
    for width, depth in ((2.4, 2.0), (4.8, 4.0)):
        mesh = hx.meshes.rectangle(width, depth, (round(width * 8), round(depth * 8)), origin=(0.0, -depth))
        model = hx.solid(mesh, ROCK, fixed={"left": "x"}, absorbing=["right", "bottom"], degree=2)
        push = model.body.traction("top", lambda at: np.stack([0 * at[0], np.exp(-0.5 * (at[0] / SPREAD) ** 2)]))
        sol = hx.solve(hx.Problem(model, hx.Load(ricker, patterns=push[:, None]), 4.5), hx.Galerkin(0.1, degree=2))
        runs[width] = sol.values("displacement")[:, model.body.dof((1.0, 0.0), "y")]
    off = np.abs(runs[2.4] - runs[4.8]).max() / np.abs(runs[4.8]).max()
    assert 1e-4 < off < 0.15
