"""The leap-frog on any model with lumped masses: its identities, its order, its stable step and what it refuses."""

import dataclasses
import math

import numpy as np
import pytest
from quadrilaterals import Strip, plane_stress
from scipy import sparse
from scipy.linalg import eigh, expm

import hamex as hx
from hamex.errors import OverflowRunError, SchemeError
from hamex.model.damping import Damping
from hamex.schemes import leapfrog
from hamex.schemes.scheme import How
from hamex.solve.parts import state_of

D = plane_stress(100.0, 0.3)
STRIP = Strip(2.0, 1.0, 4, 2)
STILL = hx.constant(0.0).forces


def free(model, duration, u0=None, v0=None):
    """Free vibration from displacements and velocities."""
    n = len(model.dofs)
    start = hx.State(
        displacement=np.zeros(n) if u0 is None else u0, momentum=np.zeros(n) if v0 is None else model.mass @ v0
    )
    return hx.Problem(model, hx.Load(STILL, patterns=np.zeros((n, 1))), duration, start)


def bent(strip):
    """A smooth start: stretched and bent."""
    return np.where(strip.across, 0.02 * strip.x**2, 0.01 * strip.x * strip.y)


# ------------------------------------------------------------------------------------------------ the same by two ways
@pytest.mark.parametrize("damping", [0.0, [3.0] * 4, [0.0, 4.0, 1.0, 0.0]])
def test_storeys_in_a_row_give_the_same_in_one_pass(damping):
    law = hx.Slider(6.0, viscosity=2.0, kinematic=40.0, isotropic=5.0)
    model = hx.shear_frame([1.0] * 4, [900.0, 800.0, 700.0, 600.0], damping=damping, laws=law)
    problem, scheme = hx.Problem(model, hx.el_centro().on(model, g=9.80665), 8.0), hx.LeapFrog(0.004)
    marches = scheme.prepare(problem, How(2000, True)), leapfrog.LumpedMarch(problem, scheme, How(2000, True), True)
    assert type(marches[0]) is not type(marches[1])
    ours, theirs = (march.advance(state_of(problem.start), 0, 2000) for march in marches)
    assert np.abs(theirs.nodes["slip"]).max() > 0.01
    for name, values in ours.nodes.items():
        assert np.abs(values - theirs.nodes[name]).max() < 1e-12 * np.abs(values).max(), name
    assert ours.steps["force"] == pytest.approx(theirs.steps["force"], abs=1e-11)


def test_a_strip_that_does_not_contract_is_a_rod():
    """Reference: own, the rod of as many elements, which is a row of storeys."""
    strip, steps = Strip(2.0, 0.5, 40, 2), 400
    body = strip.condensed(plane_stress(9.0, 0.0))
    rod = hx.rod(2.0, 40, 9.0, 1.0, 0.5, mass="lumped")
    h = 0.9 * hx.LeapFrog(1.0).longest_step(body)
    end = (strip.x > 2.0 - 1e-9) & ~strip.across
    pull = np.where(end, np.where((strip.y > 1e-9) & (strip.y < 0.5 - 1e-9), 0.5, 0.25), 0.0)
    one = np.zeros(40)
    one[-1] = 1.0
    waves = [
        hx.solve(
            hx.Problem(model, hx.Load([0.0, 1.0, 1.0], step=100 * h, patterns=to[:, None]), steps * h), hx.LeapFrog(h)
        )
        for model, to in ((body, pull), (rod, one))
    ]
    tip, expected = waves[0].values("displacement")[:, end], waves[1].values("displacement")[:, -1:]
    assert np.abs(expected).max() > 0.1
    assert np.abs(tip - expected).max() < 1e-12 * np.abs(expected).max()
    assert np.abs(waves[0].values("displacement")[:, strip.across]).max() < 1e-12 * np.abs(expected).max()


def test_elastic_points_and_their_stiffness_give_the_same():
    points = STRIP.points(D, lambda volume: hx.Surface((math.inf, math.inf, 1e9 * volume)))
    h = 0.5 * hx.LeapFrog(1.0).longest_step(points)
    assert hx.LeapFrog(h).longest_step(STRIP.condensed(D)) == pytest.approx(2 * h, rel=1e-12)
    ours, theirs = (
        hx.solve(free(model, 200 * h, bent(STRIP)), hx.LeapFrog(h)).values("displacement")
        for model in (points, STRIP.condensed(D))
    )
    assert np.abs(ours - theirs).max() < 1e-12 * np.abs(ours).max()


# ------------------------------------------------------------------------------------------------ order and invariant
def dashpots(kind):
    """C of the strip: in proportion to K and M, at nodes of its end alone, or of some modes."""
    n, K = len(STRIP.mass), STRIP.stiffness(D)
    none = sparse.csr_array((n, n))
    if kind == "none":
        return Damping.full(none)
    if kind == "between nodes":
        return Damping.full(sparse.csr_array(0.5 * sparse.diags_array(STRIP.mass) + 2e-3 * K))
    if kind == "of one node":
        C = sparse.lil_array((n, n))
        end = np.flatnonzero(STRIP.x > 2.0 - 1e-9)
        for i in end:
            for j in end[STRIP.y[end] == STRIP.y[i]]:
                C[i, j] = 1.2 if i == j else 0.4
        return Damping.full(sparse.csr_array(C))
    squares, shapes = eigh(K.toarray(), np.diag(STRIP.mass))
    return Damping(none, STRIP.mass[:, None] * shapes[:, :8], 0.4 * np.sqrt(squares[:8]))


@pytest.mark.parametrize("kind", ["none", "between nodes", "of one node", "of modes"])
def test_second_order_on_an_elastic_body(kind):
    """Reference: analytic, the matrix exponential of the same body."""
    model, duration, n = STRIP.condensed(D, dashpots(kind)), 0.64, len(STRIP.mass)
    inverse = 1 / STRIP.mass[:, None]
    flow = np.block(
        [[np.zeros((n, n)), np.eye(n)], [-inverse * model.stiffness.toarray(), -inverse * model.damping.dense()]]
    )
    u0, v0 = bent(STRIP), -0.3 * bent(STRIP)[::-1]
    exact = expm(duration * flow) @ np.concatenate([u0, v0])
    errors = []
    for steps in (64, 128, 256):
        sol = hx.solve(free(model, duration, u0, v0), hx.LeapFrog(duration / steps))
        u, v = sol.values("displacement")[-1], sol.values("velocity")[-1]
        errors.append((np.abs(u - exact[:n]).max(), np.abs(v - exact[n:]).max()))
    rates = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.abs(rates - 2).max() < 0.1, rates


def test_an_undamped_body_keeps_its_staggered_energy():
    model = STRIP.condensed(D)
    h = 0.95 * hx.LeapFrog(1.0).longest_step(model)
    march = hx.LeapFrog(h).prepare(free(model, 2000 * h), How(2000))
    now, energies = state_of(free(model, 2000 * h, bent(STRIP)).start), []
    for first in range(0, 2000, 100):
        ran = march.advance(now, first, 100)
        now, u = ran.end, ran.nodes["displacement"]
        v = now["half_velocity"]
        energies.append(0.5 * v @ (STRIP.mass * v) + 0.5 * u[-2] @ (model.stiffness @ u[-1]))
    assert np.ptp(energies) < 1e-12 * energies[0]


# ------------------------------------------------------------------------------------------------ springs that yield
def yielding_truss():
    """Two bays of bars, all of which yield, some with viscosity; a mass in both directions at every free node."""
    nodes = {"A": (0, 0), "B": (0, 2), "C": (2, 0), "D": (2, 2), "E": (4, 0), "F": (4, 2)}
    pairs = ("AC", "BD", "AD", "BC", "CD", "CE", "DF", "CF", "DE", "EF")
    laws = [hx.Slider(2.0, kinematic=5.0, viscosity=0.5 * (i % 2)) for i in range(len(pairs))]
    return hx.truss(
        nodes,
        [hx.Bar(*pair, rigidity=200.0, law=law) for pair, law in zip(pairs, laws, strict=True)],
        supports={"A": "pinned", "B": "pinned"},
        masses=dict.fromkeys("CDEF", 1.5),
        damping=hx.rayleigh(0.02),
    )


def yielding_strip():
    """Every point yields on an ellipsoid, with hardening."""
    surface = lambda volume: hx.Surface(  # noqa: E731
        (1.0 * volume, 1.0 * volume, 0.6 * volume), kinematic=5.0 * volume, viscosity=0.02 * volume
    )
    return STRIP.points(D, surface)


@pytest.mark.parametrize(("build", "dof"), [(yielding_truss, 7), (yielding_strip, -1)], ids=["truss", "strip"])
def test_yielding_converges_to_the_convex_step(build, dof):
    """Reference: own, the linear time element at a fine step; the slip here is backward Euler, of first order."""
    model = build()
    pattern = np.zeros((len(model.dofs), 1))
    pattern[dof] = 1.0
    problem = hx.Problem(model, hx.Load(lambda t: 4.0 * np.sin(6.0 * t), patterns=pattern), 1.28)
    reference = hx.solve(problem, hx.Galerkin(0.00125))
    u, slip = reference.values("displacement")[-1], reference.values("slip")
    assert (np.abs(slip).max(axis=0) > 0).mean() > 0.2, "many are to yield"
    gaps = []
    for h in (0.02, 0.01, 0.005):
        found = hx.solve(problem, hx.LeapFrog(h))
        gaps.append(np.abs(found.values("displacement")[-1] - u).max() / np.abs(u).max())
    assert gaps[2] < 0.01, gaps
    assert gaps[0] > 1.7 * gaps[1] > 2.9 * gaps[2], gaps


def test_gaps_and_dampers_are_asked_at_the_nodes():
    """Reference: own, the linear time element at the same short step."""
    links = [hx.power_damper(0, 2, 20.0, 0.5, 500.0), hx.spring_link(None, 2, 900.0, law=hx.laws.Gap(gap=0.005))]
    model = hx.shear_frame([1.0] * 2, [300.0] * 2, damping=hx.modal(0.03), weights=2.0, heights=3.0, links=links)
    problem = hx.Problem(model, hx.el_centro().on(model, g=9.80665), 3.0)
    ours, theirs = (
        hx.solve(problem, scheme).values("displacement") for scheme in (hx.LeapFrog(5e-4), hx.Galerkin(5e-4))
    )
    assert np.abs(ours - theirs).max() < 2e-3 * np.abs(theirs).max()


# ------------------------------------------------------------------------------------------------ the stable step
@pytest.mark.parametrize("kind", ["none", "between nodes", "of one node", "of modes"])
def test_the_stable_step_of_a_body_is_sharp(kind, monkeypatch):
    model = STRIP.condensed(D, dashpots(kind))
    limit = hx.LeapFrog(1.0).longest_step(model)
    assert limit <= 2 / math.sqrt(eigh(model.stiffness.toarray(), np.diag(STRIP.mass), eigvals_only=True)[-1]) * (
        1 + 1e-12
    )
    monkeypatch.setattr(leapfrog, "longest_on", lambda *_: math.inf)

    def grows_to(h):
        rough = np.random.default_rng(2).normal(size=len(STRIP.mass))
        sol = hx.solve(free(model, 1500 * h, rough), hx.LeapFrog(h))
        return np.abs(sol.values("displacement")).max()

    assert grows_to(0.99 * limit) < 100
    with np.errstate(over="ignore"):
        assert grows_to(1.02 * limit) > 1e8


@pytest.mark.parametrize("place", [0, 2, 3])
def test_one_strong_dashpot_shortens_the_stable_step_of_a_frame(place):
    """Not only the highest mode counts where dashpots are not in proportion to the springs."""
    dashpots = np.zeros(4)
    dashpots[place] = 20.0
    model = hx.shear_frame([1.0] * 4, [900.0] * 4, damping=dashpots.tolist())
    limit = hx.LeapFrog(1.0).longest_step(model)
    assert limit == pytest.approx(leapfrog.longest_on(model, leapfrog.spring_blocks(model), model.damping.matrix, 0.5))
    start = hx.State(displacement=[1.0, -1.0, 0.5, 2.0])
    for share, stays in ((0.99, True), (1.02, False)):
        h = share * limit
        problem = hx.Problem(model, hx.Load(STILL, patterns=np.zeros((4, 1))), 3000 * h, start)
        if stays:
            assert np.abs(hx.solve(problem, hx.LeapFrog(h)).values("displacement")).max() < 20
        else:
            with pytest.raises(SchemeError, match=r"beyond the stable step 0\.\d+ s of this frame"):
                hx.solve(problem, hx.LeapFrog(h))


def test_absorbing_ends_do_not_shorten_the_step_and_swallow_the_wave():
    """Reference: analytic, a pulse that leaves through a dashpot ρ c A; with steps of l/c nothing comes back."""
    rods = [hx.rod(2.0, 100, 9.0, 1.0, mass="lumped", fixed="none", absorbing=ends) for ends in ("none", "both")]
    limits = [hx.LeapFrog(1.0).longest_step(rod) for rod in rods]
    assert limits[1] == pytest.approx(limits[0], rel=1e-12)
    x = np.linspace(0, 2, 101)
    wave = np.exp(-(((x - 1) / 0.1) ** 2))
    h = 0.999 * limits[1]
    sol = hx.solve(free(rods[1], 150 * h, wave), hx.LeapFrog(h))
    assert np.abs(sol.values("displacement")[-1]).max() < 1e-3
    assert np.abs(sol.values("displacement")[40]).max() > 0.4


# ------------------------------------------------------------------------------------------------ loads and restarts
def test_several_loads_add_up_and_gravity_stands():
    model = STRIP.condensed(D)
    n, h = len(model.dofs), 0.5 * hx.LeapFrog(1.0).longest_step(STRIP.condensed(D))
    rng = np.random.default_rng(7)
    parts = [hx.Load(rng.normal(size=20), step=10 * h, patterns=rng.normal(size=(n, 1))) for _ in range(2)]
    alone = [hx.solve(hx.Problem(model, part, 150 * h), hx.LeapFrog(h)).values("displacement") for part in parts]
    both = hx.solve(hx.Problem(model, parts[0] + parts[1], 150 * h), hx.LeapFrog(h)).values("displacement")
    assert np.abs(both - alone[0] - alone[1]).max() < 1e-12 * np.abs(both).max()
    heavy = hx.shear_frame([1.0, 2.0], [300.0, 200.0], damping=[1.0, 1.0])
    rest = hx.State(displacement=[8 / 300, 8 / 300 + 5 / 200])
    hanging = hx.Problem(heavy, hx.Load(STILL, patterns=np.zeros((2, 1))), 1.0, rest, standing=[3.0, 5.0])
    u = hx.solve(hanging, hx.LeapFrog(0.01)).values("displacement")
    assert np.abs(u - u[0]).max() < 1e-14


def test_the_state_goes_through_a_file_and_on_bitwise(tmp_path):
    model = yielding_truss()
    problem = hx.Problem(model, hx.el_centro().scaled(0.5).on(model, g=9.80665), 4.0)
    whole, first = (hx.solve(problem.replace(duration=t), hx.LeapFrog(0.01)) for t in (4.0, 1.5))
    kept = hx.read(first.save(tmp_path / "first.nc"))
    rest = hx.solve(problem.replace(duration=2.5, start=kept.final, load=problem.load.after(1.5)), hx.LeapFrog(0.01))
    for name in ("displacement", "momentum", "slip", "force"):
        again = rest.values(name)
        assert np.abs(again).max() > 0
        assert np.array_equal(whole.values(name)[-len(again) :], again), name


def test_compiled_and_plain_agree_in_every_bit(monkeypatch):
    end = []
    model = yielding_truss()
    own = sparse.csr_array(model.damping.matrix + sparse.diags_array([0.0] * 6 + [0.3, 0.4]))
    shapes = np.random.default_rng(4).normal(size=(8, 2))
    for damping in (
        Damping(own, shapes, np.array([0.02, 0.01])),
        Damping(own * 0 + sparse.eye_array(8) * 0.2, shapes, np.zeros(2)),
    ):
        damped = dataclasses.replace(model, damping=damping)
        problem = hx.Problem(damped, hx.el_centro().on(damped, g=9.80665), 1.0, standing=[0.1] * 8)
        for choice in (True, False):
            monkeypatch.setattr(leapfrog, "worth_compiling", lambda *_, choice=choice: choice)
            end.append(hx.solve(problem, hx.LeapFrog(0.01)))
        for name in ("displacement", "momentum", "slip", "force"):
            assert end[-1].values(name).tobytes() == end[-2].values(name).tobytes(), name


# ------------------------------------------------------------------------------------------------ refusals
def test_what_it_cannot_march_is_refused_by_name():
    def refused(model, words, **problem):
        load = hx.Load(STILL, patterns=np.zeros((len(model.dofs), 1)))
        with pytest.raises(SchemeError, match=words):
            hx.solve(hx.Problem(model, load, 1.0, **problem), hx.LeapFrog(0.001))
        if not problem:
            with pytest.raises(SchemeError, match=words):
                hx.LeapFrog(0.001).longest_step(model)

    refused(STRIP.condensed(D, mass=STRIP.consistent), r'ties dofs together; build it with mass="lumped"')
    ends = {"A": "pinned", "B": "pinned"}
    light = hx.truss(
        {"A": (0, 0), "B": (2, 0), "C": (1, 1)}, [("A", "C"), ("B", "C")], ends, {"C": (1.0, 0.0)}, rigidity=1.0
    )
    refused(light, r"'C\.y' has none; build the model with mass=\"lumped\" or give it a mass")
    frame = hx.shear_frame([1.0] * 2, [300.0] * 2)
    refused(frame, "moving supports are available with Galerkin", supports=hx.Load([0.0, 1.0], step=1.0))
    body = STRIP.condensed(D)
    limit = hx.LeapFrog(1.0).longest_step(body)
    with pytest.raises(SchemeError, match=f"beyond the stable step {limit:.6g} s of this model"):
        hx.solve(free(body, 2 * limit), hx.LeapFrog(2 * limit))


def test_what_runs_away_is_told_with_its_step(monkeypatch):
    monkeypatch.setattr(leapfrog, "longest_on", lambda *_: math.inf)
    with pytest.raises(OverflowRunError, match=r"step \d+ left the finite numbers; take a shorter step"):
        hx.solve(free(STRIP.condensed(D), 1000.0, bent(STRIP)), hx.LeapFrog(1.0))
