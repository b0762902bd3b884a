"""Springs of every kind that is followed along its path: what each must do by itself and in steps.

Reference values are analytic unless a test says own. Histories come from seeds.
"""

import itertools
import math
import pickle

import numpy as np
import pytest
from asked_springs import ask
from repetitions import chiefly

import hamex as hx
from hamex.errors import LawError
from hamex.march import run as kernels
from hamex.model.laws import known
from hamex.model.laws.combined import Combined
from hamex.model.laws.law import by_kind
from hamex.schemes.springs import prepared_springs, spring_blocks
from hamex.spec import read_problem

K = 100.0
LAWS = {
    "multilinear": hx.laws.MultilinearElastic([(0.01, 1.0), (0.03, 1.5), (0.05, 1.2), (0.06, 1.2)], [(0.02, 1.0)]),
    "steel": hx.laws.MenegottoPinto(1.0, 0.02, 18.0, a1=0.05, a2=2.0, a3=0.03, a4=1.5),
    "wide steel": hx.laws.MenegottoPinto(0.8, 0.0, 3.0, cR1=0.8),
    "hysteretic": hx.laws.Hysteretic(
        1.0, 0.01, 1.2, 0.03, 0.5, 0.1, s1n=-0.9, e1n=-0.009, s2n=-1.0, e2n=-0.05,
        pinchX=0.7, pinchY=0.4, damage1=0.01, damage2=0.02, beta=0.3,
    ),
    "bouc-wen": hx.laws.BoucWen(0.05, 2.0, 6000.0, 4000.0),
    "worn bouc-wen": hx.laws.BoucWen(0.02, 1.5, 300.0, 700.0, deltaA=0.3, deltaNu=0.5, deltaEta=0.4),
    "pinching4": hx.laws.Pinching4(
        1.0, 0.01, 1.2, 0.03, 1.1, 0.06, 0.4, 0.1, 0.5, 0.25, 0.05, gK1=0.2, gK2=0.1, gK3=0.5, gK4=0.5, gKLim=0.5,
        gD1=0.1, gD2=0.1, gD3=0.5, gD4=0.5, gDLim=0.4, gF1=0.1, gF2=0.1, gF3=0.6, gF4=0.6, gFLim=0.5,
    ),
    "parallel": hx.laws.ParallelLaws([hx.laws.MenegottoPinto(0.6, 0.02), hx.Slider(0.2, 0.0, 3.0), hx.laws.Gap(0.01)]),
    "whole": hx.laws.MinMax(hx.laws.Bilinear(1.0, hardening=0.02), min=-9.0, max=9.0),
    "tired": hx.laws.Fatigue(hx.laws.Hysteretic(1.0, 0.01, 1.1, 0.05, pinchY=0.5), E0=5.0),
    "two points": hx.laws.Hysteretic(1.0, 0.01, 1.1, 0.05),
    "nested": hx.laws.Fatigue(hx.laws.ParallelLaws([hx.laws.Bilinear(0.6), hx.Slider(0.2, 0.0, 3.0)]), E0=5.0),
}  # fmt: skip
ELASTIC = ("multilinear",)
# Partial unloading and reloading of these rules may give back a little more than it took: curves and paths begin anew
# at each reversal. Everything else loses energy at each instant.
GIVES_A_LITTLE = ("steel", "wide steel", "parallel", "pinching4")


ONCE = [name for name in LAWS if name not in ("wide steel", "worn bouc-wen", "two points")]  # each law with one set


def law_of(name):
    """The law of a parameter, marked or not."""
    return LAWS[name if isinstance(name, str) else name.values[0]]


def history(seed, count=14):
    """Turning points: steps of a tenth to eight times the yield deformation, to and fro."""
    rng = np.random.default_rng(seed)
    size = np.where(rng.random(count) < 0.4, rng.uniform(0.1, 1.5, count), rng.uniform(1.0, 8.0, count))
    return np.concatenate([[0.0], np.cumsum(0.01 * size * np.where(np.arange(count) % 2, -1.0, 1.0))])


def seeds(name, many):
    """Fewer histories for what is solved along its path, which takes a while uncompiled."""
    return range(1 if "bouc" in name else many)


def parts(name, many):
    return many // 8 if "bouc" in name else many


def between(points, parts):
    return np.concatenate([[points[0]], *(np.linspace(a, b, parts + 1)[1:] for a, b in itertools.pairwise(points))])


@pytest.mark.parametrize("name", LAWS)
def test_more_points_change_nothing(name):
    more = parts(name, 40)
    for seed in seeds(name, 3):
        path = history(seed)
        few, many = hx.respond(LAWS[name], path, K), hx.respond(LAWS[name], between(path, more), K)
        assert np.abs(many.force[::more] - few.force).max() < 1e-12
        assert np.abs(many.dissipated[::more] - few.dissipated).max() < 1e-12
        if name not in GIVES_A_LITTLE:
            assert np.diff(many.dissipated).min() > -1e-14
        if name in ELASTIC:
            assert np.abs(many.dissipated).max() < 1e-14


@pytest.mark.heavy
@pytest.mark.parametrize("name", LAWS)
def test_four_points_are_as_good_as_four_thousand(name):
    """On each line between two turns. Bouc and Wen's is solved on each of them to 1e-12 of its largest z: a
    twentieth of the points, which takes long enough, and what they add up to."""
    path, more = history(7), 200 if "bouc" in name else 4000
    few, many = (hx.respond(LAWS[name], between(path, parts), K) for parts in (4, more))
    near = 1e-11 if "bouc" in name else 1e-12
    assert np.abs(many.force[:: more // 4] - few.force).max() < near
    assert np.abs(many.dissipated[:: more // 4] - few.dissipated).max() < near


def test_every_law_that_is_followed_is_among_those_that_are_tried():
    """Here, or in test_path.py, whose laws are these four. Users' own, ``module:name``, are those of other tests."""
    here = {kind.split(":")[0] for kind in (type(law).kind for law in LAWS.values())}
    followed = {
        kind
        for kind, law in known().items()
        if ":" not in kind and (law.followed or law.spring_piece or law.spring_along or issubclass(law, Combined))
    }
    assert followed == here | {"slider", "gap", "bilinear", "imk"}


@pytest.mark.parametrize("name", LAWS)
def test_the_force_is_continuous_and_its_work_is_that_of_a_fine_sum(name):
    for seed in seeds(name, 2):
        path = hx.respond(LAWS[name], between(history(seed, 8), parts(name, 200)), K)
        steps = np.abs(np.diff(path.deformation))
        most = type(LAWS[name]).stiffest(type(LAWS[name]).grouped([LAWS[name]], [0]), np.array([K]))[0]
        assert np.all(np.abs(np.diff(path.force)) <= (most + 1e-9) * steps)  # no jump, nothing steeper than is said
        work = np.cumsum(0.5 * (path.force[1:] + path.force[:-1]) * np.diff(path.deformation))
        held = work - path.dissipated[1:]
        assert held.min() > -1e-2 * work[-1]


@pytest.mark.parametrize("name", LAWS)
def test_closed_cycles_lose_energy(name):
    """After a few of them the spring goes round: what one more loses is not negative."""
    rng = np.random.default_rng(8)
    for _ in seeds(name, 6):
        a, b = rng.uniform(-0.06, 0.06, 2)
        path = hx.respond(LAWS[name], np.concatenate([history(3), np.tile([a, b], 4), [a]]), K)
        last = path.dissipated[-1] - path.dissipated[-3]
        assert last > -1e-13


@pytest.mark.parametrize("name", LAWS)
def test_reversals_of_no_size_change_nothing(name):
    tiny = 1e-11 * np.tile([1.0, -1.0], 10)  # 1e-9 of the yield deformation
    rng = np.random.default_rng(4)
    for seed in seeds(name, 8):
        path, at = history(seed), rng.integers(2, 13)
        middle = path[at] + rng.random() * (path[at + 1] - path[at])
        shaken = [*path[: at + 1], *(middle + tiny), *path[at + 1 :]]
        assert abs(hx.respond(LAWS[name], path, K).force[-1] - hx.respond(LAWS[name], shaken, K).force[-1]) < 1e-6


def asked(law, force_of, state, e, d):
    """Force, tangent and state that a step of the march is told: of the mean of its path, or at its end."""
    model = hx.oscillator(mass=1.0, stiffness=K, law=law)
    springs = prepared_springs(model, spring_blocks(model), 1.0, force_of, "test", compile=False)
    F, T, dz, reach = np.zeros(1), np.zeros(1), np.zeros(len(state)), 0.5 if force_of == "mean" else 1.0
    ask(springs, [e], [d], reach, 1.0, state, F, T, dz, np.zeros(1, dtype=np.int64))
    return F[0], T[0] * reach, dz


@pytest.mark.parametrize("name", LAWS)
def test_tangents_are_derivatives_and_never_softer_than_promised(name):
    law, rng = LAWS[name], np.random.default_rng(5)
    group = type(law).grouped([law], [0])
    least = float(law.softest(group, np.array([K]), 1.0)[0])
    most = float(law.stiffest(group, np.array([K]))[0])
    for force_of in ("mean", "end") if law.spring_at or law.spring_piece else ("mean",):
        z, e = np.zeros(len(law.variables)), 0.0
        for _ in range(4 if "bouc" in name else 30):
            d = rng.choice([0.003, 0.02, 0.06]) * rng.normal()
            _, slope, new = asked(law, force_of, z, e, d)
            shift = 1e-6 * abs(d)
            up, down = (asked(law, force_of, z, e, d + by)[0] for by in (shift, -shift))
            measured = (up - down) / (2 * shift)
            kink = force_of == "end" and abs(measured - slope) > 1e-4 * K  # a corner lies between
            assert kink or slope == pytest.approx(measured, abs=2e-4 * K)
            assert least * (0.5 if force_of == "mean" else 1.0) - 1e-9 <= slope <= most * (1 + 1e-12)
            z, e = new, e + d


# --- in steps -----------------------------------------------------------------------------------------------------


def frame(law):
    """Three storeys; the middle one is a slider."""
    return hx.shear_frame(
        [1.0, 0.8, 0.6], [K, 0.8 * K, K], laws=[law, hx.Slider(1.0, 0.0, 4.0), law], damping=[0.3] * 3
    )


def pushed(model, seed=1, steps=60, step=0.02, size=2.0):
    forces = size * np.repeat(np.random.default_rng(seed).normal(size=(steps // 10 + 1, len(model.dofs))), 10, axis=0)
    return hx.Problem(model, hx.Load(forces, step=step), steps * step)


@pytest.mark.parametrize("name", chiefly(ONCE, LAWS))
def test_frames_run_with_exact_energy_and_node_forces_on_the_law(name):
    problem = pushed(frame(LAWS[name]))
    sol = hx.solve(problem, hx.Galerkin(0.02, law="path"))
    assert sol.residual < 1e-11
    for spring in (0, 2):
        alone = hx.respond(LAWS[name], sol.values("deformation")[:, spring], K)
        assert np.abs(alone.force - sol.values("node_force")[:, spring]).max() < 1e-11
    first = hx.solve(problem.replace(duration=0.8), hx.Galerkin(0.02, law="path"))
    rest = problem.replace(duration=0.4, start=first.final, load=problem.load.after(0.8))
    again = hx.solve(rest, hx.Galerkin(0.02, law="path"))
    assert np.array_equal(again.values("displacement"), sol.values("displacement")[40:])


@pytest.mark.parametrize("name", [x for x in chiefly(ONCE, LAWS) if law_of(x).spring_at or law_of(x).spring_piece])
def test_newmark_asks_them_at_the_nodes(name):
    problem = pushed(hx.oscillator(mass=1.0, stiffness=K, damping=1.0, law=LAWS[name]))
    ours, theirs = (
        hx.solve(problem, scheme) for scheme in (hx.Galerkin(0.01, law="path"), hx.Newmark(0.01, safeguarded=True))
    )
    assert theirs.peaks["displacement"].value == pytest.approx(ours.peaks["displacement"].value, rel=2e-2)
    alone = hx.respond(LAWS[name], theirs.values("deformation")[:, 0], K)
    assert np.abs(alone.force - theirs.values("node_force")[:, 0]).max() < 1e-11


def test_a_dear_law_counts_for_more_in_the_choice_to_compile(monkeypatch):
    """Bouc and Wen's law is solved along its path: as plain Python a step of it takes many times that of a bilinear."""
    counted = []
    for route in ("onestage", "shear_frame"):
        place = f"hamex.schemes.{route}.worth_compiling"
        monkeypatch.setattr(place, lambda work, *_: bool(counted.append(work)))
    for name in ("two points", "bouc-wen"):
        hx.solve(pushed(frame(LAWS[name]), steps=10), hx.Galerkin(0.02, law="path"))
    assert counted[1] > 4 * counted[0]
    parts = (hx.laws.MenegottoPinto, hx.Slider.followed, hx.laws.Gap)
    assert LAWS["parallel"].effort == sum(part.effort for part in parts)


@pytest.mark.chief("multilinear")
@pytest.mark.parametrize("name", LAWS)
def test_compiled_steps_have_the_same_bits(name, monkeypatch):
    """Every law is compiled once, which takes long: here the quickest."""
    problem = pushed(frame(LAWS[name]))
    schemes = [hx.Galerkin(0.02, law="path")]
    if LAWS[name].spring_at or LAWS[name].spring_piece:
        schemes.append(hx.Newmark(0.02, safeguarded=True))
    for scheme in schemes:
        if scheme.name == "Newmark" and name == "multilinear":
            problem = pushed(hx.oscillator(1.0, K, law=LAWS[name]))
        plain = hx.solve(problem, scheme)
        with monkeypatch.context() as patch:
            patch.setattr(kernels, "WORTH_COMPILING", 0)
            compiled = hx.solve(problem, scheme)
        assert all(np.array_equal(plain.values(x), compiled.values(x)) for x in plain.histories)


def test_a_start_is_reached_from_zero_on_a_straight_path():
    for law in (LAWS["steel"], LAWS["hysteretic"], LAWS["bouc-wen"]):
        model = hx.oscillator(mass=1.0, stiffness=K, damping=1.0, law=law)
        started = hx.Problem(model, hx.Load(lambda t: 0.0 * t), 0.4, start=hx.State(displacement=0.05))
        sol = hx.solve(started, hx.Galerkin(0.02))
        assert sol.values("node_force")[0, 0] == pytest.approx(hx.respond(law, [0.05], K).force[0])
        assert sol.residual < 1e-13


# --- each by its own rule -----------------------------------------------------------------------------------------


def test_menegotto_and_pinto_between_their_asymptotes():
    """Analytic: at its corner the first curve has 2^(−1/R) of what its asymptotes would have; far out it is on them."""
    law = hx.laws.MenegottoPinto(1.0, 0.05, 20.0)
    force = hx.respond(law, [0.01, 0.2], K).force
    assert force == pytest.approx([0.05 + 0.95 * 2 ** (-1 / 20), 1.0 + 0.05 * 19.0], abs=1e-14)


def test_menegotto_and_pinto_means_are_good_for_twelve_digits():
    """External: SciPy's quadrature of the curve, for bends of all kinds."""
    from scipy.integrate import quad

    from hamex.model.laws.menegotto_pinto import area, bent, over

    for R in (0.6, 1.0, 2.3, 20.0, 60.0):
        for a, b in ((0.0, 0.4), (0.3, 1.0), (0.9, 1.2), (0.0, 7.0), (2.0, 30.0)):
            cuts = sorted({a, b, *(x for x in (0.01, 0.1, 0.5, 0.8, 0.9, 1.0, 1.1, 1.3, 2.0, 5.0) if a < x < b)})
            parts = list(itertools.pairwise(cuts))
            exact = sum(quad(lambda x, R=R: bent(x, R)[0], *part, epsabs=1e-14, epsrel=1e-13)[0] for part in parts)
            tilt = sum(
                quad(lambda x, R=R, a=a: bent(x, R)[1] * (x - a), *part, epsabs=1e-14, epsrel=1e-13)[0]
                for part in parts
            )
            mean, slope, moment = over(a, b, R)
            assert mean * (b - a) == pytest.approx(exact, abs=1e-12)
            assert slope * (b - a) == pytest.approx(bent(b, R)[0] - bent(a, R)[0], abs=1e-12)
            assert moment * (b - a) ** 2 == pytest.approx(tilt, abs=2e-12)
            assert area(b, R) - area(a, R) == pytest.approx(exact, abs=1e-12)


def test_bouc_and_wen_in_closed_form():
    """Analytic: n = 1 and n = 2 with A = 1 and b = γ + β: z = (1 − exp(−b e))/b and tanh(√b e)/√b."""
    e = np.array([0.0, 0.004, 0.02, 0.2])
    one = hx.respond(hx.laws.BoucWen(0.1, 1.0, 30.0, 70.0), e, K)
    two = hx.respond(hx.laws.BoucWen(0.1, 2.0, 4000.0, 6000.0), e, K)
    assert one.force == pytest.approx(10.0 * e - 90.0 * np.expm1(-100.0 * e) / 100.0, abs=1e-12)
    assert two.force == pytest.approx(10.0 * e + 90.0 * np.tanh(100.0 * e) / 100.0, abs=1e-12)


def test_the_means_of_bouc_and_wen_are_good_for_twelve_digits():
    """Analytic: ∫z de of the two curves above; γ = β unloads along a straight line, which gives back z²/2."""
    for e in (0.004, 0.05):
        work = 0.9 * (e - -math.expm1(-100.0 * e) / 100.0) + 5.0 * e * e
        z = -math.expm1(-100.0 * e) / 100.0
        path = hx.respond(hx.laws.BoucWen(0.1, 1.0, 50.0, 50.0), [0.0, e], K)
        assert path.dissipated[-1] == pytest.approx(work - 5.0 * e * e - 45.0 * z * z, abs=1e-13)


def test_a_small_return_to_a_reversal_is_no_reversal_but_a_larger_one_is():
    for name in ("steel", "hysteretic"):
        there = hx.respond(LAWS[name], [0.0, 0.011, 0.0112], K).force[-1]
        for back, same in ((0.9e-8, True), (1e-4, False)):
            shaken = hx.respond(LAWS[name], [0.0, 0.011, 0.011 - back, 0.0112], K).force[-1]
            assert bool(abs(shaken - there) < 1e-13) is (same or name == "hysteretic")  # which is on its envelope


def test_hysteretic_may_grow_steeper_and_unloads_with_its_steepest_line():
    """By hand: 50 up to 0.01, then 100 up to 0.02; unloading from there by 100 reaches zero at 0.005. As in OpenSees,
    within 3e-11 on 40 random histories (external, openseespy 3.5.1.12)."""
    law = hx.laws.Hysteretic(0.5, 0.01, 1.5, 0.02, 1.5, 0.1)
    path = hx.respond(law, [0.0, 0.02, 0.005], K)
    assert path.force == pytest.approx([0.0, 1.5, 0.0], abs=1e-14)
    assert path.dissipated[-1] == pytest.approx(0.5 * 0.5 * 0.01 + 1.0 * 0.01 - 0.5 * 1.5 * 0.015, abs=1e-15)
    assert hx.laws.certify(law, stiffness=K, reach=0.1).failures == ()


@pytest.mark.parametrize("damage", [0.0, 0.02])
def test_a_hysteretic_spring_below_its_envelope_keeps_its_slope_up_to_it(damage):
    """Softened by beta it is still below the envelope at the deformation it aims at, and goes on elastically; with
    points on that way as without."""
    law = hx.laws.Hysteretic(0.36, 0.0036, 0.62, 0.0063, 0.93, 0.014, pinchX=0.5, pinchY=0.17, damage2=damage, beta=0.6)
    path = 0.0008 * np.array([0.0, 1, -2, 3, 4, 5, 6, -7, 8, -9, 10, -11, 12, 13])
    few, many = hx.respond(law, path, K), hx.respond(law, between(path, 7), K)
    assert np.abs(many.force[::7] - few.force).max() < 1e-13
    assert np.abs(many.dissipated[::7] - few.dissipated).max() < 1e-14


def test_the_pinching_point_and_the_envelope_of_hysteretic():
    """By hand: first points (0.01, 1), a level second line; from +0.05 to −0.05 and back. Unloading reaches zero at
    −0.04; the pinching point lies at 0.6 of the way from there to the unloading line of +0.05, at half the force."""
    law = hx.laws.Hysteretic(1.0, 0.01, 1.0, 0.1, pinchX=0.6, pinchY=0.5)
    path = hx.respond(law, [0.0, 0.05, -0.05, 0.05, 0.2], K, events=True)
    pinch = -0.04 + 0.6 * (0.045 + 0.04)
    at = int(np.argmin(np.abs(path.deformation[-6:] - pinch))) - 6
    assert path.deformation[at] == pytest.approx(pinch, abs=1e-15)
    assert path.force[at - 1 : at + 2] == pytest.approx([0.0, 0.5, 1.0], abs=1e-14)
    assert path.force[-1] == 1.0


# --- made of laws -------------------------------------------------------------------------------------------------


def test_parts_side_by_side_are_the_sum_of_the_parts():
    laws, shares = [hx.laws.BoucWen(0.1, 2.0, 5000.0, 5000.0), hx.laws.IMK(0.5), hx.Slider(0.2)], [0.5, 0.3, 0.2]
    path = history(2, 8)
    both = hx.respond(hx.laws.ParallelLaws(laws, shares), path, K)
    alone = [hx.respond(law, path, share * K) for law, share in zip(laws, shares, strict=True)]
    assert both.force == pytest.approx(sum(one.force for one in alone), abs=1e-13)
    assert both.dissipated == pytest.approx(sum(one.dissipated for one in alone), abs=1e-13)


@pytest.mark.parametrize("part", [hx.laws.Bilinear(1.0), hx.laws.MenegottoPinto(1.0, 0.02), hx.Slider(1.0)])
def test_what_is_beyond_its_limit_is_gone_for_good(part):
    law = hx.laws.MinMax(part, min=-0.03, max=0.05)
    whole, broken = (hx.respond(x, [0.0, 0.04, -0.02, 0.049], K) for x in (part, law))
    assert np.abs(whole.force - broken.force).max() < 1e-15
    assert np.abs(whole.dissipated - broken.dissipated).max() < 1e-15
    told = hx.respond(law, [0.0, 0.04, 0.06, -0.2], K, events=True)
    assert told.deformation.tolist() == [0.0, 0.04, 0.05, 0.06, -0.2]
    assert told.force[2:].tolist() == [0.0, 0.0, 0.0]
    before = hx.respond(part, [0.0, 0.05], K)  # all the work up to the break is lost
    assert told.dissipated[-1] == pytest.approx(before.dissipated[-1] + held(part, before), abs=1e-14)
    assert hx.respond(law, [0.0, -0.031, 0.0], K).force.tolist() == [0.0, 0.0, 0.0]


def held(law, path):
    """Energy in a spring at the end of its path."""
    return path.states.get("recoverable", 0.5 * path.force**2 / K)[-1]


@pytest.mark.parametrize("part", [hx.laws.Bilinear(1.0), hx.laws.MenegottoPinto(1.0, 0.02)])
def test_steps_are_cut_where_a_part_breaks(part):
    """The same run as that of a spring with an ultimate deformation of its own, and an exact balance."""
    model = hx.oscillator(mass=1.0, stiffness=K, damping=0.5, law=hx.laws.MinMax(part, max=0.03))
    problem = hx.Problem(model, hx.sine(2.0, omega=7.0), 2.0)
    sol = hx.solve(problem, hx.Galerkin(0.02))
    assert sol.values("gone")[-1, 0] == 1.0
    assert sol.values("events").sum() == 1
    assert sol.values("node_force")[-1, 0] == 0.0
    assert sol.residual < 1e-12
    if isinstance(part, hx.laws.Bilinear):
        same = hx.oscillator(mass=1.0, stiffness=K, damping=0.5, law=hx.laws.Bilinear(1.0, ultimate=0.03))
        other = hx.solve(problem.replace(model=same), hx.Galerkin(0.02))
        assert sol.values("displacement") == pytest.approx(other.values("displacement"), abs=5e-5)


def test_cycles_of_one_range_break_a_spring_when_miner_says():
    """Analytic: half a cycle of 0.04, then ranges of 0.08, each half of which takes (0.08/E0)^2 / 2 with m = −0.5."""
    law = hx.laws.Fatigue(hx.laws.Bilinear(1.0), E0=0.4, m=-0.5)
    path = hx.respond(law, [0.0, *[0.04, -0.04] * 40], K)
    whole = int(np.flatnonzero(path.force)[-1])
    first, each = 0.5 * 0.1**2, 0.5 * 0.2**2
    until = 1 + (1.0 - first) / each  # turning points; it breaks on the way to the next one in tension
    assert whole in (math.floor(until), math.floor(until) + 1)
    assert path.states["damage"][whole] == pytest.approx(first + (whole - 3) * each, rel=1e-12)


STEEL = hx.laws.MenegottoPinto(1.0, 0.02)


def test_limits_around_fatigue_are_the_limits_of_fatigue():
    """A law that breaks, inside one that breaks: the same spring as Fatigue with limits of its own."""
    gone = 0
    for seed in range(6):
        path, E0 = history(seed), 0.08 + 0.02 * seed
        inside = hx.laws.MinMax(hx.laws.Fatigue(STEEL, E0=E0), min=-0.08, max=0.07)
        one, other = (hx.respond(x, path, K) for x in (inside, hx.laws.Fatigue(STEEL, E0=E0, min=-0.08, max=0.07)))
        assert np.abs(one.force - other.force).max() < 1e-14
        assert np.abs(one.dissipated - other.dissipated).max() < 1e-14
        gone += one.force[-1] == 0.0
    assert 2 <= gone < 6


def test_what_breaks_beside_another_leaves_it():
    """By hand: the part that breaks at 0.03 takes its half along, once and for good; the step is cut there."""
    law = hx.laws.ParallelLaws([hx.laws.MinMax(hx.laws.Bilinear(0.5), max=0.03), hx.laws.Bilinear(0.5)])
    path = hx.respond(law, [0.0, 0.02, 0.04, -0.04], K, events=True)
    assert path.deformation.tolist() == [0.0, 0.02, 0.03, 0.04, -0.04]
    assert path.force == pytest.approx([0.0, 1.0, 0.5, 0.5, -0.5])
    model = hx.oscillator(mass=1.0, stiffness=K, damping=0.5, law=law)
    sol = hx.solve(hx.Problem(model, hx.sine(1.2, omega=7.0), 2.0), hx.Galerkin(0.02))
    assert sol.values("events").sum() == 1
    assert sol.residual < 1e-12
    assert np.abs(sol.values("node_force")[-50:, 0]).max() < 0.5 + 1e-12


def test_kinds_of_laws_made_of_laws_are_found_again():
    inner = hx.laws.ParallelLaws([hx.laws.Bilinear(1.0), hx.laws.MinMax(STEEL, max=0.1)])
    for law in (inner, hx.laws.Fatigue(inner, E0=0.2), hx.laws.MinMax(hx.laws.Fatigue(inner, E0=0.2), max=0.2)):
        assert by_kind(law.kind) is type(law)
    table = {"kind": "fatigue", "law": {"kind": "parallel", "laws": [{"yield_force": 1.0}, {"kind": "gap"}]}, "E0": 0.2}
    assert hx.laws.MinMax(table, max=0.1).kind == "min_max:(fatigue:(parallel:slider+gap))"


def test_newmark_lets_a_part_break_at_the_end_of_its_step():
    """As it does a spring with an ultimate deformation of its own."""
    laws = hx.laws.MinMax(hx.laws.Bilinear(1.0), max=0.03), hx.laws.Bilinear(1.0, ultimate=0.03)
    runs = []
    for law in laws:
        model = hx.oscillator(mass=1.0, stiffness=K, damping=0.5, law=law)
        problem = hx.Problem(model, hx.sine(2.0, omega=7.0), 1.0)
        runs.append(hx.solve(problem, hx.Newmark(0.01, safeguarded=True)).values("displacement"))
    assert runs[0][:, 0].max() > 0.05
    first = int(np.argmax(runs[0][:, 0] > 0.03))
    assert runs[0][: first + 1] == pytest.approx(runs[1][: first + 1], abs=1e-13)


FILE = """
title = "storeys of many kinds"
duration = 0.3
[units]
length = "m"
force = "kN"
[model]
kind = "shear_frame"
masses = [100.0, 90.0, 80.0, 70.0, 60.0, 55.0, 50.0, 40.0]
stiffnesses = [20000.0, 15000.0, 15000.0, 15000.0, 15000.0, 15000.0, 15000.0, 15000.0]
laws = [
  {kind = "menegotto_pinto", yield_force = 150.0, b = 0.02, R0 = 15.0},
  {kind = "hysteretic", s1p = 120.0, e1p = 0.008, s2p = 140.0, e2p = 0.05, s3p = 60.0, e3p = 0.15, pinchY = 0.4},
  {kind = "bouc_wen", alpha = 0.05, n = 2.0, gamma = 5000.0, beta = 5000.0},
  {kind = "min_max", law = {kind = "bilinear", yield_force = 150.0}, max = 0.08},
  {kind = "parallel", laws = [{yield_force = 50.0}, {kind = "gap", gap = 0.01}], shares = [0.6, 0.4]},
  {kind = "fatigue", law = {kind = "menegotto_pinto", yield_force = 150.0}, E0 = 0.2},
  {kind = "min_max", max=1, law = {kind = "fatigue", E0 = 0.2, law = {kind = "parallel", laws = [{}, {kind = "gap"}]}}},
  {kind = "multilinear_elastic", points = [[0.01, 150.0], [0.02, 200.0]], points_negative = []},
]
[motion]
record = "el_centro"
[scheme]
kind = "galerkin"
step = 0.01
law = "path"
"""


@pytest.mark.filterwarnings("ignore")  # the run ends before its record
def test_problem_files_and_results_know_them(tmp_path):
    place = tmp_path / "storeys.toml"
    place.write_text(FILE, encoding="utf-8")
    file = read_problem(place)
    sol = hx.solve(file.problem, file.scheme)
    assert sol.residual < 1e-12
    back = hx.read(sol.save(tmp_path / "a.nc"))
    again = hx.solve(back.problem, back.scheme)
    assert np.array_equal(again.values("displacement"), sol.values("displacement"))


# --- refusals -----------------------------------------------------------------------------------------------------

POINTS = {"s1p": 1.0, "e1p": 0.01, "s2p": 1.1, "e2p": 0.02}

FOUR = dict(
    zip([f"eP{x}{i}" for i in (1, 2, 3, 4) for x in "fd"], [1, 0.01, 1.2, 0.03, 1.1, 0.06, 0.4, 0.1], strict=True)
)
BOUC_WEN = {"alpha": 0.1, "n": 2.0, "gamma": 60.0, "beta": 60.0}


@pytest.mark.parametrize(
    ("kind", "given", "named"),
    [
        ("MultilinearElastic", {"points": [(0.02, 1.0), (0.01, 2.0)]}, "must grow from zero; 0.01 follows 0.02"),
        ("MultilinearElastic", {"points": [(0.02, -1.0)]}, "must not be negative on either side"),
        ("MultilinearElastic", {"points": [(0.02, 1.0), (0.03, 0.5)]}, "would go on below zero"),
        ("MultilinearElastic", {"points": [], "points_negative": []}, "neither side has points"),
        ("MultilinearElastic", {"points": [1.0, 2.0, 3.0]}, "must be pairs"),
        ("MenegottoPinto", {"yield_force": 0.0}, "yield_force must be positive"),
        ("MenegottoPinto", {"yield_force": 1.0, "b": -0.1}, "b must not be negative"),
        ("MenegottoPinto", {"yield_force": 1.0, "cR1": 1.0}, "cR1 must be from 0 to below 1"),
        ("MenegottoPinto", {"yield_force": 1.0, "R0": 2.0}, "raise R0 or lower cR1"),
        ("Hysteretic", {**POINTS, "e2p": 0.005}, "the points of the positive side must go outwards; e2p is 0.005"),
        ("Hysteretic", {**POINTS, "s1p": -1.0}, "s1p must be positive"),
        ("Hysteretic", {**POINTS, "s3p": 0.5}, "e3p is missing; it belongs to s3p"),
        ("Hysteretic", {**POINTS, "s1n": 1.0, "e1n": 0.01, "s2n": 1.0, "e2n": 0.02}, "s1n must be negative"),
        ("Hysteretic", {**POINTS, "s1n": -1.0}, "e1n is missing; it belongs to s1n"),
        ("Hysteretic", {**POINTS, "pinchX": 1.2}, "pinchX must be between 0 and 1"),
        ("MinMax", {"law": hx.laws.Bilinear(1.0), "min": 0.1, "max": 0.2}, "min must lie below zero and max above"),
        ("MinMax", {"law": hx.laws.Bilinear(1.0)}, "nothing breaks"),
        ("MinMax", {"law": 3.0, "max": 1.0}, "a part must be the law of one spring"),
        ("MinMax", {"law": hx.laws.Bilinear(1.0, ultimate=0.1), "max": 1.0}, "a part must not break by itself"),
        ("MinMax", {"law": hx.laws.PowerLaw(1.0, 0.5), "max": 1.0}, "PowerLaw cannot be a part of another law"),
        ("Pinching4", {**FOUR, "ePd2": 0.001}, "must go outwards; ePd2 is 0.001"),
        ("Pinching4", {**FOUR, "ePf4": -0.1}, "ePf4 must be positive"),
        ("Pinching4", {**FOUR, "eNf1": -1.0}, "eNd1 is missing; it belongs to eNf1 on the negative side"),
        ("Pinching4", {**FOUR, "gFLim": 1.0}, "gFLim must be below 1"),
        ("Pinching4", {**FOUR, "rDispP": 1.0}, "rDispP must lie between −1 and 1"),
        ("Pinching4", {**FOUR, "dmgType": "time"}, "dmgType must be one of 'energy', 'cycle'"),
        ("ParallelLaws", {"laws": [hx.laws.Bilinear(1.0)]}, "give two to 4 laws"),
        ("ParallelLaws", {"laws": [hx.laws.Bilinear(1.0)] * 2, "shares": [1.0]}, "one for each law"),
        ("ParallelLaws", {"laws": [hx.laws.Bilinear(1.0)] * 2, "shares": [1.0, -0.1]}, "shares must be positive"),
        ("Fatigue", {"law": hx.laws.Bilinear(1.0), "E0": 0.2, "m": 0.5}, "must be negative"),
        ("Fatigue", {"law": hx.laws.Bilinear(1.0), "E0": 0.2, "Dmax": 2.0}, "at most 1"),
        ("BoucWen", {**BOUC_WEN, "alpha": 1.0}, "alpha must be from 0 to below 1"),
        ("BoucWen", {**BOUC_WEN, "n": 0.5}, "n must be at least 1"),
        ("BoucWen", {**BOUC_WEN, "beta": -50.0}, "would give out more energy than it takes"),
        ("BoucWen", {**BOUC_WEN, "gamma": -70.0}, "else nothing yields"),
        ("BoucWen", {**BOUC_WEN, "deltaNu": -1.0}, "deltaNu must not be negative"),
        ("Hysteretic", {**POINTS, "beta": -0.1}, "beta must not be negative"),
    ],
)
def test_bad_numbers_are_named(kind, given, named):
    with pytest.raises(LawError, match=named):
        getattr(hx.laws, kind)(**given)


def test_none_of_them_has_a_step_limit_unless_it_falls():
    for name, law in LAWS.items():
        limit = hx.Galerkin(0.02, law="path").longest_step(hx.oscillator(mass=1.0, stiffness=K, law=law))
        assert math.isinf(limit) == (name not in ("multilinear", "hysteretic", "pinching4")), name


def test_a_parameter_that_a_law_does_not_have_is_named_with_those_it_has():
    with pytest.raises(LawError, match="Slider: there is no parameter 'yeild_force'; there are yield_force, viscosity"):
        hx.Slider(yeild_force=1.0)
    with pytest.raises(LawError, match="IMK: there is no parameter 'cap'"):
        hx.laws.IMK(yield_force=1.0, cap=1.1, plastic=0.03, post_cap=0.2)
    again = pickle.loads(pickle.dumps(hx.Slider(2.0, viscosity=0.1)))
    assert again == hx.Slider(2.0, viscosity=0.1)
