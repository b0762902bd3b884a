"""DruckerPrager: its local map on every branch, how it fits the Mohr-Coulomb criterion, and models of a few points."""

import math

import numpy as np
import pytest
from points import LocalMap, check_tangent, distance, elasticity, local_residual, points, small_body

import hamex as hx
from hamex.errors import LawError
from hamex.model.laws.cones import APEX, ELASTIC, FLOWS

DruckerPrager = hx.laws.DruckerPrager
SIZES = (6, 4)
FITS = ("compression", "extension", "plane strain")
SOIL = {"cohesion": 1.0, "friction_angle": 30.0}
KINDS = {
    "perfect": {},
    "viscous": {"viscosity": 0.3},
    "hardening": {"isotropic": 8.0},
    "all": {"viscosity": 0.3, "isotropic": 8.0, "fit": "plane strain"},
    "frictionless": {"friction_angle": 0.0, "viscosity": 0.1},
}


def random_points(m, count, seed, size=0.02, **parameters):
    rng = np.random.default_rng(seed)
    given = {**SOIL, "cohesion": rng.uniform(0.5, 1.5, count), **parameters}
    model = points(DruckerPrager, m, rng.uniform(0.1, 3.0, count), **given)
    e = size * 10 ** rng.uniform(-1.5, 0, (count, 1)) * rng.normal(size=(count, m))
    e[: count // 2, :3] += size * rng.normal(size=(count // 2, 1))  # pressure and tension
    return model, e.ravel(), 0.001 * rng.normal(size=m * count), np.abs(0.001 * rng.normal(size=count))


def numbers(model):
    """Per unit of volume."""
    group = model.laws["drucker_prager"]
    cone, v = DruckerPrager.cone(group), group.volume
    return {name: value / (1 if name == "slope" else v) for name, value in cone._asdict().items()}


# --- local map -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.every_value
def test_the_local_map_solves_its_equation(m, kind):
    model, e, slip, w = random_points(m, 300, seed=m, **KINDS[kind])
    branches = {ELASTIC, FLOWS} if kind == "frictionless" else {ELASTIC, FLOWS, APEX}
    for tau in (0.01, 10.0):
        worst, branch = local_residual(LocalMap(model, tau), e, slip, w, **numbers(model))
        assert worst < 1e-13
        assert set(branch.tolist()) == branches
    worst, branch = local_residual(LocalMap(model, 0.01), 1e6 * e, slip, w, **numbers(model))
    assert worst < 1e-13


@pytest.mark.parametrize("m", SIZES)
def test_a_stage_may_start_below_no_slip(m):
    model, e, slip, _ = random_points(m, 400, seed=m, **KINDS["all"])
    w = np.random.default_rng(3).uniform(-0.5, 0.0, 400)
    worst, branch = local_residual(LocalMap(model, 0.01), e, slip, w, **numbers(model))
    assert worst < 1e-13
    assert {FLOWS, APEX} <= set(branch.tolist())


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.every_value
def test_the_tangent_is_the_derivative_and_never_softer_than_the_softest(m, kind):
    model, e, slip, w = random_points(m, 100, seed=10 + m, **KINDS[kind])
    (group,), (k,) = model.laws.values(), model.spring_stiffness.values()
    check_tangent(LocalMap(model, 0.02), e, slip, w, DruckerPrager.softest(group, k, 0.02))
    assert np.allclose(DruckerPrager.slow_tangent(group, k), DruckerPrager.softest(group, k, 1e12), atol=1e-9)


def test_the_softest_tangent_is_that_of_the_apex():
    model = points(DruckerPrager, 6, [0.7], **SOIL, viscosity=0.3, isotropic=8.0)
    (group,), (k,) = model.laws.values(), model.spring_stiffness.values()
    _, T, _, _, branch = LocalMap(model, 0.02)(np.r_[np.full(3, 0.05), np.zeros(3)])
    assert branch == APEX
    assert np.allclose(T, DruckerPrager.softest(group, k, 0.02), rtol=0, atol=1e-13 * k.max())


def test_without_friction_it_is_j2():
    model, e, slip, _w = random_points(6, 50, seed=5, friction_angle=0.0, viscosity=0.3, isotropic=8.0)
    group = model.laws["drucker_prager"]
    metal = points(
        hx.laws.J2, 6, group.volume, yield_stress=2 * group.cohesion, viscosity=0.3, isotropic=16.0
    )  # d = 3/2: strength 2c
    own, other = (LocalMap(x, 0.02)(e, slip=slip) for x in (model, metal))
    assert all(np.allclose(x, y, rtol=1e-13, atol=1e-15) for x, y in zip(own, other, strict=True))


def test_compiled_and_plain_maps_have_the_same_bits():
    model, e, slip, _w = random_points(6, 300, seed=11, **KINDS["all"])
    plain, machine = (LocalMap(model, 0.01, compile=choice)(e, slip=slip) for choice in (False, True))
    assert set(plain[-1].tolist()) == {ELASTIC, FLOWS, APEX}
    assert all(np.array_equal(x, y) for x, y in zip(plain, machine, strict=True))


# --- the fits to Mohr and Coulomb ----------------------------------------------------------------------------------


def yields_at(law, stress, m=6):
    """True where the elastic range ends at a stress, by the law's own kernel."""
    given = {name: getattr(law, name) for name in ("cohesion", "friction_angle", "fit")}
    model = points(DruckerPrager, m, [1.0], **given)
    e = np.linalg.solve(elasticity(m), np.asarray(stress, dtype=float))
    inside, outside = (LocalMap(model, 1.0)(e * factor)[-1][0] for factor in (1 - 1e-9, 1 + 1e-9))
    return (inside, outside) == (ELASTIC, FLOWS)


@pytest.mark.parametrize("angle", [10.0, 30.0, 45.0])
def test_triaxial_fits_meet_mohr_and_coulomb(angle):
    """Analytic: σ₁ − σ₃ = 2c cos φ − (σ₁ + σ₃) sin φ, tension positive; unconfined strength 2c cos φ/(1 − sin φ)."""
    c, s, t = 1.5, math.sin(math.radians(angle)), math.cos(math.radians(angle))
    for cell in (0.0, 4.0):
        pressed = (-cell * (1 + s) - 2 * c * t) / (1 - s)  # axial stress of compression under the cell's pressure
        assert yields_at(DruckerPrager(c, angle), [-cell, -cell, pressed, 0, 0, 0])
        if cell:
            pulled = (-cell * (1 - s) + 2 * c * t) / (1 + s)
            assert yields_at(DruckerPrager(c, angle, "extension"), [-cell, -cell, pulled, 0, 0, 0])
    tension = 2 * c * t / (1 + s)
    assert yields_at(DruckerPrager(c, angle, "extension"), [tension, 0, 0, 0, 0, 0])
    law = points(DruckerPrager, 6, [1.0], cohesion=c, friction_angle=angle, fit="extension").laws["drucker_prager"]
    assert DruckerPrager.first_yield(law)[0] == pytest.approx(tension, rel=1e-13)


@pytest.mark.parametrize("angle", [10.0, 30.0, 45.0])
@pytest.mark.chief("30.0")
def test_the_fit_of_plane_strain_meets_mohr_and_coulomb_where_flow_stays_plane(angle):
    """Analytic: driven far in plane strain, elastic strains stay and the plane stresses are Mohr and Coulomb's."""
    c, s, t = 1.5, math.sin(math.radians(angle)), math.cos(math.radians(angle))
    model = points(DruckerPrager, 4, [1.0], cohesion=c, friction_angle=angle, fit="plane strain")
    local, slip, e = LocalMap(model, 1.0), np.zeros(4), np.zeros(4)
    grows = 0.001 * np.array([1.0, -1.0 + s, 0.0, 0.7])  # any plane strain at its dilation
    size = math.hypot(grows[0] - grows[1], grows[3])
    grows[:2] += 0.5 * (s * size - grows[0] - grows[1])
    for _ in range(2000):
        e = e + grows
        F, _, ds, _, _ = local(e, slip=slip)
        slip = slip + ds[0]
    x, y, _, xy = F[0]
    assert math.hypot((x - y) / 2, xy) == pytest.approx(c * t - (x + y) / 2 * s, rel=1e-9)


def test_the_apex_is_at_the_cohesion_over_the_tangent():
    """Analytic: hydrostatic tension c cot φ, whatever the fit."""
    for fit in FITS:
        model = points(DruckerPrager, 6, [1.0], **SOIL, fit=fit)
        F, _, ds, dw, branch = LocalMap(model, 1.0)(np.array([0.3, 0.31, 0.29, 0.01, 0.0, 0.0]))
        assert branch == APEX
        assert np.allclose(F[0], np.r_[np.full(3, 1 / math.tan(math.radians(30))), np.zeros(3)], rtol=0, atol=1e-13)
        law = DruckerPrager(**SOIL, fit=fit)
        assert ds[0, :3].sum() == pytest.approx(law.slope * dw[0], rel=1e-13)
        assert law.strength / law.slope == pytest.approx(1 / math.tan(math.radians(30)), rel=1e-13)


def test_viscosity_is_overstress_per_rate_and_isotropic_is_growth_of_cohesion():
    """Analytic: shear alone, q = √3 τ; with λ the rate and w its sum."""
    grown, tau = 0.004, 0.02
    law = DruckerPrager(**SOIL, viscosity=0.3, isotropic=8.0)
    harder = DruckerPrager(1.0 + 8.0 * grown, 30.0)
    q = harder.strength + 0.3 * grown / tau
    stress = np.array([0, 0, 0, q / math.sqrt(3), 0, 0])
    flown = grown * np.array([law.slope / 3] * 3 + [math.sqrt(3), 0, 0])
    model = points(DruckerPrager, 6, [0.7], **SOIL, viscosity=0.3, isotropic=8.0)
    F, _, ds, dw, _ = LocalMap(model, tau)(np.linalg.solve(elasticity(6), stress) + flown)
    assert np.allclose(F[0], 0.7 * stress, rtol=0, atol=1e-14)
    assert np.allclose(ds[0], flown, rtol=0, atol=1e-16)
    assert dw[0] == pytest.approx(grown, rel=1e-13)


# --- models --------------------------------------------------------------------------------------------------------


def shaken(model, seed=3, size=8.0, steps=60, step=0.02):
    load = hx.Load(size * np.random.default_rng(seed).normal(size=(steps, len(model.dofs))), step=step)
    return hx.Problem(model, load, steps * step)


def body(m, **parameters):
    return small_body(DruckerPrager, m, **{"cohesion": 0.3, "friction_angle": 25.0, **parameters})


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.chief("4")
def test_energy_closes_and_dissipation_is_never_negative(m):
    for law in KINDS.values():
        for scheme in (hx.Galerkin(0.02), hx.Galerkin(0.02, degree=2), hx.DiscontinuousGalerkin(0.02)):
            sol = hx.solve(shaken(body(m, **law)), scheme)
            largest = sol.values("input").max()
            assert sol.residual < 1e-12
            assert np.diff(sol.values("plastic")).min() >= -1e-12 * largest
            assert sol.values("plastic")[-1] > 0.1 * largest
            assert np.diff(sol.values("jumps")).min() >= -1e-12 * largest


def test_the_split_is_what_the_forces_do():
    model = body(4, **KINDS["all"])
    (group,), (k,) = model.laws.values(), model.spring_stiffness.values()
    sol = hx.solve(shaken(model), hx.Galerkin(0.02))
    states = {name: sol.values(name) for name in group.law.variables}
    part = DruckerPrager.split(group, k, 0.02, sol.values("deformation"), sol.values("force"), states)
    assert part.plastic.min() >= 0
    assert not part.viscous.any()
    lost = (sol.values("force") * np.diff(sol.values("slip"), axis=0)).reshape(60, -1, 4).sum(axis=2)
    held = np.diff(part.hardening, axis=0).reshape(60, -1, 4).sum(axis=2)
    assert np.allclose(lost, held + part.plastic.reshape(60, -1, 4).sum(axis=2), rtol=0, atol=1e-13 * lost.max())
    grown = np.diff(sol.values("accumulated_slip")[:, ::4], axis=0)
    volume = np.diff(sol.values("slip"), axis=0).reshape(60, -1, 4)[:, :, :3].sum(axis=2)
    assert np.allclose(volume, DruckerPrager.cone(group).slope * grown, rtol=0, atol=1e-14)


@pytest.mark.parametrize("m", SIZES)
def test_two_solutions_under_one_load_never_move_apart(m):
    for law in KINDS.values():
        problem = shaken(body(m, **law))
        other = problem.replace(start=hx.State(momentum=0.3 * np.random.default_rng(7).normal(size=7)))
        apart = distance(problem.model, *(hx.solve(each, hx.Galerkin(0.02)) for each in (problem, other)))
        assert np.diff(apart).max() <= 1e-12 * apart[0]
        assert apart[-1] < 0.99 * apart[0]


SCHEMES = [
    hx.Galerkin(0.02),
    hx.Galerkin(0.02, degree=2),
    hx.DiscontinuousGalerkin(0.02),
    hx.Newmark(0.02, safeguarded=True),
    hx.schemes.GeneralisedAlpha(0.02),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: f"{s.name}{getattr(s, 'degree', '')}")
@pytest.mark.parametrize("m", SIZES)
@pytest.mark.every_value
def test_every_scheme_marches_restarts_and_converges(m, scheme):
    model = body(m, **KINDS["all"])
    load = hx.Load(lambda t: 6 * np.sin(8 * t), patterns=np.linspace(1, -0.4, 7))
    problem = hx.Problem(model, load, 0.8)
    sol = hx.solve(problem, scheme)
    first = hx.solve(problem.replace(duration=0.4), scheme)
    rest = hx.solve(problem.replace(duration=0.4, start=first.final, load=load.after(0.4)), scheme)
    for name in ("displacement", "momentum", "slip", "accumulated_slip"):
        assert np.array_equal(rest.values(name), sol.values(name)[20:]), name
    fine = hx.solve(problem, hx.Galerkin(0.02 / 16)).values("displacement")[::16]
    assert np.abs(sol.values("displacement") - fine).max() < 0.05 * np.abs(fine).max()
    assert sol.values("solves").max() <= 8  # Newton's, which knows how the law answers to each of its variables
    assert sol.values("slip").any()


def test_slow_compression_reaches_the_unconfined_strength():
    """Analytic: 2c cos φ/(1 − sin φ); laterally nothing holds the strains."""
    model = points(DruckerPrager, 6, [0.7], **SOIL, viscosity=0.5)
    pushed = hx.pushover(model, "dof 1", -0.1)
    assert pushed.values("load_factor")[-1] / 0.7 == pytest.approx(-2 * math.cos(math.pi / 6) / 0.5, rel=1e-3)


def test_files_keep_the_fits(tmp_path):
    sol = hx.solve(shaken(body(4, fit=["compression", "extension", "plane strain"]), steps=15), hx.Galerkin(0.02))
    back = hx.read(sol.save(tmp_path / "a.nc", problem=True))
    assert back.problem.model.laws["drucker_prager"].fit.tolist() == [0.0, 1.0, 2.0]
    again = hx.solve(back.problem, back.scheme)
    assert np.array_equal(again.values("displacement"), sol.values("displacement"))


# --- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"cohesion": 0.0}, "cohesion must be positive .* apex of its cone"),
        ({"friction_angle": 90.0}, "friction_angle must be below 90 degrees, got 90"),
        ({"friction_angle": -1.0}, "friction_angle must not be negative"),
        ({"fit": "tension"}, "fit must be one of 'compression', 'extension', 'plane strain'; got 'tension'"),
        ({"isotropic": -1.0}, "isotropic must not be negative, got -1; softening"),
        ({"components": 3}, "plane stress .* has no closed form"),
        ({"components": 5}, r"components must be one of 6 \(3D\), 4"),
    ],
)
def test_numbers_out_of_range_are_named(wrong, said):
    with pytest.raises(LawError, match=f"DruckerPrager: {said}"):
        DruckerPrager(**{**SOIL, **wrong})
    with pytest.raises(LawError, match=said):
        hx.laws.Group.of(DruckerPrager, [0, 6], **{**SOIL, **wrong})


def test_other_elasticity_is_refused_by_name():
    A = np.linalg.inv(elasticity(6))
    A[3, 3] *= 1.01
    group = hx.laws.Group.of(DruckerPrager, [0], **SOIL)
    model = hx.structure(np.ones(6), 0, A, np.eye(6), group)
    with pytest.raises(LawError, match=r"DruckerPrager: the elasticity of block 0 .* is not isotropic"):
        hx.solve(hx.Problem(model, hx.Load(np.zeros((5, 6)), step=0.02), 0.1), hx.Galerkin(0.02))
