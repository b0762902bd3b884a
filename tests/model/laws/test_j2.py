"""J2: its local map on every branch, what its parameters mean in a uniaxial test, and models of a few points."""

import importlib
import math

import numpy as np
import pytest
from points import LocalMap, check_tangent, distance, elasticity, local_residual, points, small_body

import hamex as hx
from hamex.errors import LawError, ModelError, SpecError
from hamex.model.laws.cones import APEX, ELASTIC, FLOWS

J2 = hx.laws.J2
YOUNG, SHEAR = 200.0, 200.0 / 2.6
SIZES = (6, 4, 3)
HARDENING = {
    "perfect": {},
    "viscous": {"viscosity": 0.3},
    "kinematic": {"kinematic": 20.0},
    "isotropic": {"isotropic": 15.0},
    "all": {"viscosity": 0.3, "kinematic": 20.0, "isotropic": 15.0},
}
MIXED = {"yield_stress": 1.0, **HARDENING["all"]}


def random_points(m, count, seed, size=0.02, start=0.001, **parameters):
    """A model of points, deformations of many sizes, and states with plastic strains that keep the volume."""
    rng = np.random.default_rng(seed)
    model = points(J2, m, rng.uniform(0.1, 3.0, count), yield_stress=rng.uniform(0.5, 1.5, count), **parameters)
    slip = start * rng.normal(size=(count, m))
    if m > 3:
        slip[:, :3] -= slip[:, :3].mean(axis=1, keepdims=True)
    e = size * 10 ** rng.uniform(-1.5, 0, (count, 1)) * rng.normal(size=(count, m))
    return model, e.ravel(), slip.ravel(), np.abs(start * rng.normal(size=count))


def numbers(model, **parameters):
    (group,) = model.laws.values()
    none = np.zeros(len(group.first))
    return {
        "limit": group.yield_stress,
        "slope": none,
        **{name: none + parameters.get(name, 0.0) for name in ("viscosity", "kinematic", "isotropic")},
    }


# --- local map -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("kind", HARDENING)
@pytest.mark.every_value
def test_the_local_map_solves_its_equation(m, kind):
    law = HARDENING[kind]
    model, e, slip, w = random_points(m, 200, seed=m, **law)
    for tau in (0.01, 10.0):
        worst, branch = local_residual(LocalMap(model, tau), e, slip, w, **numbers(model, **law))
        assert worst < 1e-13
        assert {ELASTIC, FLOWS} == set(branch.tolist())
    worst, branch = local_residual(LocalMap(model, 0.01), 1e6 * e, slip, w, **numbers(model, **law))
    assert worst < 1e-13
    assert set(branch.tolist()) == {FLOWS}


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("kind", ["isotropic", "all"])
@pytest.mark.every_value
def test_a_stage_may_start_below_no_slip(m, kind):
    """Stages of several see accumulated slips so far below zero that no stress is admissible; the law goes on."""
    law = HARDENING[kind]
    model, e, slip, _ = random_points(m, 400, seed=m, size=0.03, **law)
    w = np.random.default_rng(3).uniform(-0.3, 0.0, 400)
    worst, branch = local_residual(LocalMap(model, 0.01), e, slip, w, **numbers(model, **law))
    assert worst < 1e-13
    assert {FLOWS, APEX} <= set(branch.tolist())


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("kind", HARDENING)
@pytest.mark.every_value
def test_the_tangent_is_the_derivative_and_never_softer_than_the_softest(m, kind):
    law = HARDENING[kind]
    model, e, slip, w = random_points(m, 60, seed=10 + m, **law)
    (group,), (k,) = model.laws.values(), model.spring_stiffness.values()
    check_tangent(LocalMap(model, 0.02), e, slip, w, J2.softest(group, k, 0.02))
    if "isotropic" in law:  # below no slip, where viscosity and isotropic hardening do not count
        w = np.random.default_rng(4).uniform(-0.3, 0.0, 60)
        still = {name: law.get(name, 0.0) * np.ones(60) for name in ("kinematic",)}
        bare = points(J2, m, group.volume, yield_stress=1.0, **still).laws["j2"]
        check_tangent(LocalMap(model, 0.02), e, slip, w, J2.softest(bare, k, 0.02))


def test_the_softest_tangent_is_reached():
    """Far beyond yield the tangent along the flow is that one, of all directions the least."""
    for m in SIZES:
        model, e, _slip, _w = random_points(m, 20, seed=m, start=0.0, **HARDENING["all"])
        (group,), (k,) = model.laws.values(), model.spring_stiffness.values()
        T = LocalMap(model, 0.02)(1e7 * e)[1]
        assert np.allclose(T, J2.softest(group, k, 0.02), rtol=0, atol=1e-5 * np.abs(k).max())
        assert np.allclose(J2.slow_tangent(group, k), J2.softest(group, k, 1e12), rtol=1e-9, atol=1e-9)


def test_six_stresses_hold_the_four_of_plane_strain():
    for law in HARDENING.values():
        model, e, slip, _w = random_points(4, 50, seed=5, **law)
        wide = points(J2, 6, model.laws["j2"].volume, yield_stress=model.laws["j2"].yield_stress, **law)
        four, six = LocalMap(model, 0.02), LocalMap(wide, 0.02)
        pad = np.zeros((50, 2))
        out = six(np.hstack([e.reshape(50, 4), pad]).ravel(), slip=np.hstack([slip.reshape(50, 4), pad]).ravel())
        own = four(e, slip=slip)
        assert np.allclose(out[0][:, :4], own[0], rtol=1e-14, atol=1e-15)
        assert np.allclose(out[1][:, :4, :4], own[1], rtol=1e-13, atol=1e-13)
        assert not out[0][:, 4:].any()


@pytest.mark.parametrize("kind", HARDENING)
@pytest.mark.chief("all", "viscous")
def test_plane_stress_is_three_dimensions_without_stress_across(kind):
    """The strain across is found by Newton's method for a vanishing σzz; force, slip and condensed tangent agree."""
    law, tau, count = HARDENING[kind], 0.02, 40
    model, e, slip, w = random_points(3, count, seed=6, **law)
    group = model.laws["j2"]
    deep = points(J2, 6, group.volume, yield_stress=group.yield_stress, **law)
    flat, full = LocalMap(model, tau), LocalMap(deep, tau)
    e6, s6, w6 = np.zeros((count, 6)), np.zeros((count, 6)), np.outer(w, np.arange(6) == 0)
    e6[:, [0, 1, 3]], s6[:, [0, 1, 3]] = e.reshape(count, 3), slip.reshape(count, 3)
    s6[:, 2] = -s6[:, 0] - s6[:, 1]
    for _ in range(60):
        F, T, ds, dw, branch = full(e6.ravel(), slip=s6.ravel(), accumulated_slip=w6.ravel())
        e6[:, 2] -= F[:, 2] / T[:, 2, 2]
    F3, T3, ds3, dw3, branch3 = flat(e, slip=slip, accumulated_slip=np.outer(w, np.arange(3) == 0).ravel())
    kept = [0, 1, 3]
    assert np.array_equal(branch, branch3)
    assert set(branch3.tolist()) == {ELASTIC, FLOWS}
    scale = np.abs(F3).max()
    assert np.allclose(F[:, kept], F3, rtol=0, atol=1e-10 * scale)
    assert np.allclose(ds[:, kept], ds3, rtol=0, atol=1e-12)
    assert np.allclose(dw, dw3, rtol=0, atol=1e-12)
    across = np.einsum("bi,bj->bij", T[:, kept, 2], T[:, 2, kept]) / T[:, 2, 2][:, None, None]
    assert np.allclose(T[:, kept][:, :, kept] - across, T3, rtol=0, atol=1e-10 * np.abs(T3).max())


def test_a_volume_multiplies_forces_and_nothing_else():
    for m in SIZES:
        model, e, slip, _w = random_points(m, 30, seed=8, **HARDENING["all"])
        unit = points(J2, m, np.ones(30), yield_stress=model.laws["j2"].yield_stress, **HARDENING["all"])
        own, one = (LocalMap(x, 0.02)(e, slip=slip) for x in (model, unit))
        v = model.laws["j2"].volume
        assert np.allclose(own[0], v[:, None] * one[0], rtol=1e-12, atol=1e-14)
        assert np.allclose(own[1], v[:, None, None] * one[1], rtol=1e-12, atol=1e-11)
        assert np.allclose(own[2], one[2], rtol=1e-12, atol=1e-16)


@pytest.mark.parametrize("m", SIZES)
def test_without_viscosity_it_is_the_limit_of_little_viscosity(m):
    model, e, slip, _w = random_points(m, 50, seed=9)
    sharp = LocalMap(model, 0.02)(e, slip=slip)[0]
    v, limit = model.laws["j2"].volume, model.laws["j2"].yield_stress
    off = []
    for viscosity in (1e-4, 1e-6, 1e-8):
        soft = points(J2, m, v, yield_stress=limit, viscosity=viscosity)
        off.append(np.abs(LocalMap(soft, 0.02)(e, slip=slip)[0] - sharp).max())
    assert off[0] / off[1] == pytest.approx(100, rel=0.05)
    assert off[1] / off[2] == pytest.approx(100, rel=0.05)


def test_compiled_and_plain_maps_have_the_same_bits():
    for m in SIZES:
        model, e, slip, w = random_points(m, 300, seed=11, **HARDENING["all"])
        w = np.random.default_rng(3).uniform(-0.3, 0.3, 300)
        state = {"slip": slip, "accumulated_slip": np.outer(w, np.arange(m) == 0).ravel()}
        plain, machine = (LocalMap(model, 0.01, compile=choice)(e, **state) for choice in (False, True))
        assert set(plain[-1].tolist()) == {ELASTIC, FLOWS, APEX}
        assert all(np.array_equal(x, y) for x, y in zip(plain, machine, strict=True))


# --- uniaxial test -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", SIZES)
def test_parameters_mean_what_a_uniaxial_test_measures(m):
    """Analytic: σ = σy + kinematic εᵖ + isotropic εᵖ + viscosity ε̇ᵖ, lateral plastic strain −εᵖ/2."""
    grown, tau, v = 0.004, 0.02, 0.7
    model = points(J2, m, [v], **MIXED)
    sigma = 1.0 + (20.0 + 15.0) * grown + 0.3 * grown / tau
    flown = grown * np.r_[1.0, -0.5, np.array([-0.5, 0.0, 0.0, 0.0])[: m - 2]]
    if m == 3:
        flown[2] = 0.0
    stress = sigma * np.eye(m)[0]
    F, _, ds, dw, _ = LocalMap(model, tau)(np.linalg.solve(elasticity(m), stress) + flown)
    assert np.allclose(F[0], v * stress, rtol=0, atol=1e-14)
    assert np.allclose(ds[0], flown, rtol=0, atol=1e-16)
    assert dw[0] == pytest.approx(grown, rel=1e-13)


@pytest.mark.parametrize("m", SIZES)
def test_slow_pull_and_push_give_the_bilinear_loops(m):
    """Analytic: slope E H/(E + H) beyond yield; after reversal the elastic range is 2σy with kinematic hardening, and
    2σ with isotropic hardening. All other stresses vanish, since nothing holds their strains."""
    for hard, turns in ({"kinematic": 20.0}, 2.0), ({"isotropic": 20.0}, None):
        model = points(J2, m, [0.7], yield_stress=1.0, **hard)
        path = np.concatenate([np.linspace(0, 0.02, 21)[1:], np.linspace(0.02, -0.01, 31)[1:]])
        pushed = hx.solve_path(model, "dof 1", path)
        sigma = pushed.values("load_factor")[1:] / 0.7
        slope = YOUNG * 20.0 / (YOUNG + 20.0)
        top = 1.0 + slope * (0.02 - 1.0 / YOUNG)
        assert sigma[4] == pytest.approx(1.0, rel=2e-5)
        assert sigma[19] == pytest.approx(top, rel=2e-5)
        span = turns or 2 * top
        least = top - span - slope * (0.03 - span / YOUNG)
        assert sigma[-1] == pytest.approx(least, rel=3e-5)
        assert np.abs(pushed.values("force")[:, 1:]).max() < 1e-4  # the drag of slow loading


def test_each_stress_alone_yields_at_its_first_yield():
    for m in SIZES:
        model = points(J2, m, [0.7], yield_stress=1.2)
        first, compliance = J2.first_yield(model.laws["j2"]), np.linalg.inv(elasticity(m))
        assert first[0] == pytest.approx(0.84)
        assert first[-1] == pytest.approx(0.84 / math.sqrt(3))
        for a in range(m):
            e = compliance[:, a] * first[a] / 0.7
            assert LocalMap(model, 0.1)(e * (1 - 1e-9))[-1] == ELASTIC
            assert LocalMap(model, 0.1)(e * (1 + 1e-9))[-1] == FLOWS


# --- models --------------------------------------------------------------------------------------------------------


def shaken(model, seed=3, size=8.0, steps=60, step=0.02):
    load = hx.Load(size * np.random.default_rng(seed).normal(size=(steps, len(model.dofs))), step=step)
    return hx.Problem(model, load, steps * step)


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.chief("3")
def test_energy_closes_and_dissipation_is_never_negative(m):
    for law in HARDENING.values():
        model = small_body(J2, m, yield_stress=0.5, **law)
        for scheme in (hx.Galerkin(0.02), hx.Galerkin(0.02, degree=2), hx.DiscontinuousGalerkin(0.02)):
            sol = hx.solve(shaken(model), scheme)
            largest = sol.values("input").max()
            assert sol.residual < 1e-12
            assert np.diff(sol.values("plastic")).min() >= -1e-12 * largest
            assert sol.values("plastic")[-1] > 0.1 * largest
            assert sol.values("hardening")[-1] > 0 or not {"kinematic", "isotropic"} & set(law)
            assert np.diff(sol.values("jumps")).min() >= -1e-12 * largest


def test_the_split_is_what_the_forces_do():
    """Step by step and point by point: F Δslip is what hardening stores and slip dissipates."""
    for m in SIZES:
        model = small_body(J2, m, yield_stress=0.5, **HARDENING["all"])
        (group,), (k,) = model.laws.values(), model.spring_stiffness.values()
        sol = hx.solve(shaken(model), hx.Galerkin(0.02))
        states = {name: sol.values(name) for name in group.law.variables}
        part = J2.split(group, k, 0.02, sol.values("deformation"), sol.values("force"), states)
        assert part.plastic.min() >= 0
        assert not part.viscous.any()
        lost = (sol.values("force") * np.diff(sol.values("slip"), axis=0)).reshape(60, -1, m).sum(axis=2)
        held = np.diff(part.hardening, axis=0).reshape(60, -1, m).sum(axis=2)
        assert np.allclose(lost, held + part.plastic.reshape(60, -1, m).sum(axis=2), rtol=0, atol=1e-13 * lost.max())


@pytest.mark.parametrize("m", SIZES)
def test_stages_dissipate_what_the_law_says(m):
    """Of the work of slip, what hardening stores at the stages and what its jumps lose is told apart exactly."""
    model = small_body(J2, m, yield_stress=0.5, **HARDENING["all"])
    cone = J2.cone(model.laws["j2"])
    sol = hx.solve(shaken(model), hx.DiscontinuousGalerkin(0.02))
    rate = sol.inside.growth[:, :, ::m]
    lost = 0.02 * np.einsum("i,rib->r", sol.inside.weights, rate * (cone.limit + cone.viscosity * rate))
    assert np.allclose(np.diff(sol.values("plastic")), lost, rtol=0, atol=1e-12 * sol.values("plastic")[-1])


@pytest.mark.parametrize("m", SIZES)
def test_two_solutions_under_one_load_never_move_apart(m):
    for law in HARDENING.values():
        model = small_body(J2, m, yield_stress=0.5, **law)
        problem = shaken(model)
        other = problem.replace(start=hx.State(momentum=0.3 * np.random.default_rng(7).normal(size=7)))
        apart = distance(model, *(hx.solve(each, hx.Galerkin(0.02)) for each in (problem, other)))
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
    model = small_body(J2, m, yield_stress=0.5, **HARDENING["all"])
    load = hx.Load(lambda t: 6 * np.sin(8 * t), patterns=np.linspace(1, -0.4, 7))
    problem = hx.Problem(model, load, 0.8)
    sol = hx.solve(problem, scheme)
    first = hx.solve(problem.replace(duration=0.4), scheme)
    rest = hx.solve(problem.replace(duration=0.4, start=first.final, load=load.after(0.4)), scheme)
    for name in ("displacement", "momentum", "slip", "back_force", "accumulated_slip"):
        assert np.array_equal(rest.values(name), sol.values(name)[20:]), name
    fine = hx.solve(problem, hx.Galerkin(0.02 / 16)).values("displacement")[::16]
    assert np.abs(sol.values("displacement") - fine).max() < 0.05 * np.abs(fine).max()
    assert sol.values("solves").max() <= 8  # Newton's, which knows how the law answers to each of its variables
    assert sol.values("slip").any()


def test_blocks_of_steps_and_compilation_change_no_bit(monkeypatch):
    run, marches = importlib.import_module("hamex.solve").run, importlib.import_module("hamex.schemes.onestage")
    for m in SIZES:
        problem = shaken(small_body(J2, m, yield_stress=0.5, **HARDENING["all"]), steps=15)
        found = []
        for choice in (False, True):
            monkeypatch.setattr(marches, "worth_compiling", lambda *_, choice=choice: choice)
            found.append(hx.solve(problem, hx.Galerkin(0.02)))
        found.append(run(problem, hx.Galerkin(0.02), block=4))
        for other in found[1:]:
            assert all(np.array_equal(found[0].values(name), other.values(name)) for name in found[0].histories)


def test_slow_loading_takes_points_of_several_kinds():
    """Points of 6 and of 4 stresses in one model, both pulled to a plateau: nothing is mixed up."""
    A = np.zeros((10, 10))
    A[:6, :6], A[6:, 6:] = np.linalg.inv(elasticity(6)), np.linalg.inv(elasticity(4))
    groups = [
        hx.laws.Group.of(J2, [0], yield_stress=1.0, viscosity=0.5),
        hx.laws.Group.of(J2, [6], yield_stress=2.0, viscosity=0.5, components=4),
    ]
    model = hx.structure(np.ones(10), 0, A, np.eye(10), groups)
    pushed = hx.pushover(model, {"dof 1": 1.0, "dof 7": 2.0}, 0.05)
    assert pushed.values("force")[-1, [0, 6]] == pytest.approx([1.0, 2.0], rel=1e-4)
    moved = hx.solve(hx.Problem(model, hx.Load(np.ones((20, 10)), step=0.02), 0.4), hx.Galerkin(0.02))
    assert moved.residual < 1e-13


def test_files_keep_the_points(tmp_path):
    sol = hx.solve(shaken(small_body(J2, 4, yield_stress=0.5, **HARDENING["all"]), steps=15), hx.Galerkin(0.02))
    back = hx.read(sol.save(tmp_path / "a.nc", problem=True))
    again = hx.solve(back.problem, back.scheme)
    assert np.array_equal(again.values("displacement"), sol.values("displacement"))


# --- groups and refusals -------------------------------------------------------------------------------------------


def test_points_with_volumes_of_their_own_are_checked_by_their_extremes(monkeypatch):
    count, made = 20_000, []
    check = J2.__post_init__
    monkeypatch.setattr(J2, "__post_init__", lambda self: (made.append(1), check(self)))
    group = hx.laws.Group.of(J2, 6 * np.arange(count), yield_stress=1.0, volume=np.linspace(1, 2, count))
    assert len(made) < 20
    assert group.components == 6
    assert len(group.volume) == count
    for wrong in (np.nan, -1.0, 0.0, 1e-60, np.inf):
        volume = np.linspace(1, 2, count)
        volume[1234] = wrong
        with pytest.raises(LawError, match=r"block 1234 \(spring 7404\): J2: volume"):
            hx.laws.Group.of(J2, 6 * np.arange(count), yield_stress=1.0, volume=volume)


def test_what_the_law_records_and_says_of_its_springs():
    hard, plain = (points(J2, 4, [2.0], yield_stress=1.0, **x).laws["j2"] for x in (HARDENING["all"], {}))
    assert J2.recorded(hard) == ("back_force", "accumulated_slip")
    assert J2.recorded(plain) == ()
    assert J2.yields(hard).all()
    assert J2.together(hard).all()
    assert J2.static_share(hard, np.ones(4)).all()
    assert J2.per_spring(hard, "viscosity").tolist() == [0.6] * 4
    assert J2.per_spring(hard, "isotropic").tolist() == [30.0, 0.0, 0.0, 0.0]
    assert not J2.slow(hard).viscosity.any()
    assert J2.slow(hard).isotropic.tolist() == [15.0]
    slip = np.array([1.0, -0.5, -0.5, 0.3])
    assert J2.back_force(hard, slip) == pytest.approx(40 / 3 * slip * [2, 2, 2, 1])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"yield_stress": 0.0}, "yield_stress must be positive and finite, got 0; for an elastic point"),
        ({"yield_stress": math.inf}, "yield_stress must be positive"),
        ({"viscosity": -1.0}, "viscosity must not be negative"),
        ({"isotropic": -1.0}, "isotropic must not be negative, got -1; softening"),
        ({"components": 5}, r"components must be one of 6 \(3D\), 4 .*, 3 \(plane stress\); got 5"),
        ({"components": "six"}, "components must be a number"),
        ({"volume": 0.0}, "volume must be positive"),
    ],
)
def test_numbers_out_of_range_are_named(wrong, said):
    with pytest.raises(LawError, match=f"J2: {said}"):
        J2(**{"yield_stress": 1.0, **wrong})


def test_other_elasticity_is_refused_by_name():
    for m in SIZES:
        A = np.linalg.inv(elasticity(m))
        A[0, 0] *= 0.99
        model = hx.structure(np.ones(m), 0, A, np.eye(m), hx.laws.Group.of(J2, [0], yield_stress=1.0, components=m))
        said = r"J2: the elasticity of block 0 \(spring 0 on\) is not isotropic"
        with pytest.raises(LawError, match=said):
            hx.solve(shaken(model), hx.Galerkin(0.02))
        with pytest.raises(LawError, match=said):
            hx.pushover(model, "dof 1", 0.1)
        nearly = hx.structure(
            np.ones(m),
            0,
            np.linalg.inv(elasticity(m, poisson=0.49999)),
            np.eye(m),
            hx.laws.Group.of(J2, [0], yield_stress=1.0, components=m),
        )
        assert hx.solve(shaken(nearly), hx.Galerkin(0.02)).residual < 1e-10


@pytest.mark.parametrize(
    "build",
    [
        lambda law: hx.oscillator(1.0, 1.0, law=law),
        lambda law: hx.shear_frame([1.0], [1.0], laws=law),
        lambda law: hx.rod(length=1.0, elements=3, modulus=1.0, density=1.0, law=law),
        lambda law: hx.structure([1.0, 1.0], 0, [1.0, 1.0], np.eye(2), {(0, 1): law}),
        lambda law: hx.structure([1.0, 1.0], 0, [1.0, 1.0], np.eye(2), law),
        lambda law: hx.links.spring_link(0, 1, 1.0, law),
    ],
)
def test_a_plain_spring_does_not_take_it(build):
    with pytest.raises(ModelError, match=r"J2"):
        build(J2(1.0))


def test_problem_files_refuse_it_for_a_spring_in_words(tmp_path):
    file = tmp_path / "a.toml"
    file.write_text(
        'duration = 1.0\n[units]\nlength = "m"\nforce = "kN"\n[model]\nkind = "oscillator"\nmass = 1.0\n'
        'stiffness = 1.0\nlaw = {kind = "j2", yield_stress = 1.0}\n[load]\nkind = "sine"\namplitude = 1.0\n'
        'omega = 1.0\n[scheme]\nkind = "galerkin"\nstep = 0.01\n'
    )
    with pytest.raises(SpecError, match=r"law\.kind must be one of 'slider'"):
        hx.read_problem(file)
