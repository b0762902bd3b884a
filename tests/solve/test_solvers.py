"""Bodies by a band, by factors and by conjugate gradients: one motion. Balance, restart, blocks, slow loading, errors.

References are own: the band, which other structures take."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ConvergenceError, ProblemError, SchemeError
from hamex.schemes import onestage
from hamex.solve import run

pytestmark = [
    pytest.mark.filterwarnings("ignore::hamex.errors.CoarseWarning"),
    pytest.mark.filterwarnings("ignore::hamex.errors.ShortRunWarning"),
]
H, STEPS = 0.25, 12
LAW = hx.laws.J2(yield_stress=0.02, viscosity=0.05, kinematic=0.05)
ROUTES = {"band": (None, 10**9), "factors": (None, -1), "iterated": (hx.ConjugateGradients(), -1)}


def material(law=None):
    return hx.Material(density=1.0, modulus=1.0, poisson=0.3, law=law)


def body(dim, law=None, **options):
    cells, mesh = ((4, 3), hx.meshes.rectangle) if dim == 2 else ((3, 2, 2), hx.meshes.box)
    return hx.solid(mesh(*(2.0, 1.0, 1.0)[:dim], cells), material(law), fixed=["left"], **options)


def problem(model, start=None, after=0, steps=STEPS, **options):
    pull = model.body.traction("right", (0.01, -0.02, 0.0)[: model.body.dimension])
    load = hx.Load(np.append(np.sin(0.4 * np.arange(STEPS)), 0.0), step=H, patterns=pull).after(after * H)
    return hx.Problem(model, load, duration=steps * H, start=start, **options)


@pytest.fixture
def by(monkeypatch):
    """Solve by one of the routes."""

    def solve(given, scheme, route, **options):
        solver, widest = ROUTES[route]
        monkeypatch.setattr(onestage, "WIDEST_BAND", widest)
        return hx.solve(given, scheme, solver=solver, **options)

    return solve


SCHEMES = {
    "Galerkin": hx.Galerkin(H),
    "Newmark": hx.Newmark(H, tolerance=1e-13, max_iterations=30),
    "safeguarded": hx.Newmark(H, safeguarded=True),
    "alpha": hx.schemes.GeneralisedAlpha(H),
}
CASES = [(2, None, name) for name in SCHEMES] + [(3, None, "Galerkin"), (2, LAW, "safeguarded"), (3, LAW, "Galerkin")]


@pytest.mark.parametrize("route", ["factors", "iterated"])
@pytest.mark.parametrize(("dim", "law", "scheme"), CASES)
@pytest.mark.chief(
    "2-law5-safeguarded-factors",
    "2-law5-safeguarded-iterated",
    "3-law6-Galerkin-factors",
    "3-law6-Galerkin-iterated",
    "2-None-Newmark-factors",
    "2-None-alpha-iterated",
)
def test_every_route_walks_the_same_path(by, dim, law, scheme, route):
    model = body(dim, law, damping=hx.rayleigh(alpha=0.05, beta=0.01))
    band, other = (by(problem(model), SCHEMES[scheme], each) for each in ("band", route))
    close = 1e-11 if route == "factors" else 1e-8
    for name in ("displacement", "momentum", "velocity", "kinetic", "stored", "input", "viscous", "plastic"):
        size = np.abs(band.values(name)).max()
        assert np.abs(other.values(name) - band.values(name)).max() <= close * size, name
    assert (np.abs(band.values("slip")).max(initial=0.0) > 1e-3) == (law is not None)
    if scheme == "Galerkin":
        assert other.residual <= 1e-12
    assert other.provenance["solver"] == ("Factors()" if route == "factors" else repr(hx.ConjugateGradients()))
    assert "solver" not in band.provenance


@pytest.mark.parametrize(("dim", "law"), [(2, None), (3, LAW)])
@pytest.mark.parametrize("route", ["factors", "iterated"])
def test_a_restart_goes_on_bit_by_bit(by, dim, law, route):
    model = body(dim, law)
    whole = by(problem(model), hx.Galerkin(H), route)
    half = by(problem(model, steps=6), hx.Galerkin(H), route)
    rest = by(problem(model, half.final, 6, 6), hx.Galerkin(H), route)
    for name in ("displacement", "momentum", "velocity", "slip", "kinetic"):
        assert np.array_equal(rest.values(name)[-1], whole.values(name)[-1]), name


@pytest.mark.parametrize("route", ["factors", "iterated"])
def test_no_bit_depends_on_blocks_or_on_what_is_kept(by, route, monkeypatch):
    solver, widest = ROUTES[route]
    monkeypatch.setattr(onestage, "WIDEST_BAND", widest)
    given = problem(body(3, LAW))
    whole = run(given, hx.Galerkin(H), solver=solver)
    parts = run(given, hx.Galerkin(H), block=5, solver=solver)
    thin = hx.solve(given, hx.Galerkin(H), keep=hx.Keep(every=4, results=("displacement",)), solver=solver)
    for name in ("displacement", "momentum", "velocity", "slip", "solves"):
        assert np.array_equal(whole.values(name), parts.values(name))
    assert np.array_equal(thin.values("displacement"), whole.values("displacement")[::4])
    assert thin.peaks["velocity"].value == whole.peaks["velocity"].value
    assert thin.residual <= 1e-12


def test_a_velocity_of_another_momentum_is_not_believed(by):
    model = body(2)
    v = model.body.field((0.0, 0.3))
    own = hx.State(momentum=model.mass @ v, internal={"velocity": -v})
    found = by(problem(model, own), hx.Galerkin(H), "factors")
    assert np.allclose(found.values("velocity")[0], v, rtol=1e-12)
    band = by(problem(model, hx.State(momentum=model.mass @ v)), hx.Galerkin(H), "band")
    assert np.allclose(found.values("kinetic"), band.values("kinetic"), rtol=1e-11)


def test_a_looser_balance_takes_fewer_iterations_and_still_closes(by):
    given = problem(body(3))
    tight, loose = (hx.solve(given, hx.Galerkin(H), solver=hx.ConjugateGradients(b)) for b in (1e-12, 1e-4))
    assert loose.values("cg_iterations").sum() < 0.6 * tight.values("cg_iterations").sum()
    assert tight.values("cg_residual").max() <= 1e-12
    assert 1e-7 < loose.values("cg_residual").max() <= 1e-4
    assert loose.residual <= 1e-12
    off = np.abs(loose.values("displacement") - tight.values("displacement")).max()
    assert 1e-8 < off / np.abs(tight.values("displacement")).max() < 1e-2


@pytest.mark.parametrize("law", [None, LAW], ids=["elastic", "yielding"])
@pytest.mark.parametrize("route", ["factors", "iterated"])
def test_slow_loading_of_a_body(monkeypatch, law, route):
    """All of the body is pulled: no route may fill its matrix with that."""
    model = body(3, law)
    pull = model.body.force((0.0, -0.01, 0.0))
    found = {}
    for each in ("band", route):
        monkeypatch.setattr(onestage, "WIDEST_BAND", ROUTES[each][1])
        monkeypatch.setattr(onestage, "chosen", lambda model, given, each=each: ROUTES[each][0])
        found[each] = hx.pushover(model, pull, 0.2, steps=6)
    for name in ("displacement", "load_factor"):
        size = np.abs(found["band"].values(name)).max()
        assert np.abs(found[route].values(name) - found["band"].values(name)).max() <= 1e-7 * size
    if law is None:  # analytic: K u = f, but for the drag
        u = np.linalg.solve(model.stiffness.toarray(), pull)
        factor = 0.2 * np.abs(pull).sum() / (pull @ u)
        assert found[route].values("load_factor")[-1] == pytest.approx(factor, rel=1e-5)


def test_modal_damping_stands_beside_the_blocks(by):
    model = body(3, damping=hx.modal([0.05, 0.1]))
    band, other, factors = (by(problem(model), hx.Galerkin(H), each) for each in ("band", "iterated", "factors"))
    size = np.abs(band.values("displacement")).max()
    assert np.abs(other.values("displacement") - band.values("displacement")).max() <= 1e-8 * size
    assert np.abs(factors.values("displacement") - band.values("displacement")).max() <= 1e-11 * size
    assert other.residual <= 1e-9


def test_a_body_beside_links_is_one_model(by):
    """Elastic springs beside K: one solve a step, and the force that belongs to them."""
    model = body(2, condense=False)
    band, other = (by(problem(model), hx.Galerkin(H), each) for each in ("band", "factors"))
    assert len(model.springs) > 0
    for name in ("displacement", "force"):
        assert np.allclose(other.values(name), band.values(name), rtol=0, atol=1e-11 * np.abs(band.values(name)).max())
    assert set(other.values("solves")) == {1}
    assert other.residual <= 1e-12


@pytest.mark.parametrize("condense", [True, False])
def test_long_steps_keep_the_balance_with_one_solve(by, condense):
    """hω is beyond a thousand."""
    model = body(2, damping=hx.rayleigh(alpha=0.05), condense=condense)
    pull = model.body.traction("right", (0.0, -0.02))
    given = hx.Problem(model, hx.Load([0.0, 1.0, 0.5, 0.0], step=400.0, patterns=pull), duration=2000.0)
    found = by(given, hx.Galerkin(400.0), "factors")
    assert set(found.values("solves")) == {1}
    assert found.residual <= 1e-12


def test_what_cannot_be_iterated_is_refused_by_name():
    given = problem(body(2))
    with pytest.raises(SchemeError, match=r"Galerkin: conjugate gradients solve steps of one stage"):
        hx.solve(given, hx.Galerkin(H, degree=2), solver=hx.ConjugateGradients())
    with pytest.raises(SchemeError, match='"reported" watches pivots'):
        hx.solve(given, hx.Galerkin(H), solver=hx.ConjugateGradients(), promise="reported")
    with pytest.raises(ProblemError, match=r"solver must be Factors\(\) or ConjugateGradients"):
        hx.solve(given, hx.Galerkin(H), solver="cg")
    with pytest.raises(ConvergenceError, match="2 iterations left a residual"):
        hx.solve(given, hx.Galerkin(H), solver=hx.ConjugateGradients(most=2))
