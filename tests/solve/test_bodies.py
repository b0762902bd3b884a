"""Models without springs: the elastic stiffness stands in K. Every scheme gives what it gives for the same stiffness as
springs (own reference); balance, restart, files and slow loading."""

import numpy as np
import pytest
from bodies import body
from bodies import model as made
from scipy import sparse

import hamex as hx
from hamex.model.assembly import from_groups

SCHEMES = (
    hx.Galerkin(0.5),
    hx.Galerkin(0.5, degree=2),
    hx.Galerkin(0.5, degree=3),
    hx.DiscontinuousGalerkin(0.5, degree=0),
    hx.DiscontinuousGalerkin(0.5),
    hx.Newmark(0.5),
    hx.Newmark(0.5, safeguarded=True),
    hx.schemes.GeneralisedAlpha(0.5),
)
NAMES = [f"{type(s).__name__} {getattr(s, 'degree', getattr(s, 'safeguarded', ''))}" for s in SCHEMES]


def pushed(model, duration=10.0, **options):
    pattern = np.zeros(len(model.dofs))
    pattern[-1], pattern[0] = 1.0, 0.3
    load = hx.Load(np.sin(0.35 * np.append(np.arange(20), 0.0)), step=0.5, patterns=pattern)
    return hx.Problem(model, load, duration=duration, **options)


@pytest.fixture(scope="module")
def plane():
    return body(4, 3), body(4, 3, springs=True)


@pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
def test_stiffness_without_springs_moves_as_with_them(plane, scheme):
    without, springs = (hx.solve(pushed(model), scheme) for model in plane)
    assert without.springs == ()
    assert springs.springs
    for name in ("displacement", "momentum", "velocity", "kinetic", "stored", "input", "viscous"):
        size = np.abs(springs.values(name)).max()
        assert size > 0
        assert np.abs(without.values(name) - springs.values(name)).max() <= 1e-12 * size, name
    assert without.values("stored").max() > 0.1 * without.values("input").max()
    peak = np.abs(springs.values("displacement")).max()
    assert without.peaks["displacement"].value >= peak * (1 - 1e-12)
    if scheme.balances(without.model):
        assert without.residual <= 1e-13


@pytest.mark.filterwarnings("ignore::hamex.errors.ShortRunWarning")
@pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
def test_a_restart_without_springs_is_bitwise(plane, scheme):
    problem = pushed(plane[0])
    whole, half = hx.solve(problem, scheme), hx.solve(problem.replace(duration=5.0), scheme)
    rest = hx.solve(problem.replace(duration=5.0, start=half.final, load=problem.load.after(5.0)), scheme)
    for name in ("displacement", "momentum"):
        assert np.array_equal(whole.values(name)[-1], rest.values(name)[-1])


def test_a_file_keeps_a_model_without_springs(plane, tmp_path):
    solution = hx.solve(pushed(plane[0]), hx.Galerkin(0.5))
    read = hx.read(solution.save(tmp_path / "body.nc"))
    assert np.array_equal(read.values("displacement"), solution.values("displacement"))
    assert read.provenance == solution.provenance
    again = hx.solve(read.problem, read.scheme)
    assert np.array_equal(again.values("momentum"), solution.values("momentum"))


def test_slow_loading_without_springs(plane):
    """Analytic: K u = f, but for the drag, a millionth."""
    without, springs = (hx.pushover(model, model.dofs[-1], 0.1, steps=4) for model in plane)
    K, unit = plane[0].stiffness.toarray(), np.eye(len(without.dofs))[-1]
    stiff = 1 / np.linalg.solve(K, unit)[-1]
    assert without.values("load_factor")[-1] == pytest.approx(0.1 * stiff, rel=1e-5)
    assert without.values("load_factor") == pytest.approx(springs.values("load_factor"), rel=1e-12)
    assert without.values("displacement") == pytest.approx(springs.values("displacement"), rel=1e-10, abs=1e-14)
    assert without.values("stored")[-1] == pytest.approx(0.5 * 0.1**2 * stiff, rel=1e-5)
    state = hx.gravity(plane[0], {plane[0].dofs[-1]: 0.2})
    assert state.displacement[-1] == pytest.approx(0.2 / stiff, rel=1e-5)


def test_stiffness_beside_yielding_springs():
    """A slider between two corners of a body: the same with the body in K and as springs."""
    ends = []
    for model in (body(4, 3), body(4, 3, springs=True)):
        n, many = len(model.dofs), len(model.springs)
        row = sparse.csr_array(([1.0, -1.0], ([n - 1, 1], [0, 0])), shape=(n, 1))
        A = sparse.block_diag([model.flexibility, sparse.csr_array([[2.0]])]) if many else sparse.csr_array([[2.0]])
        slider = hx.Slider.grouped([hx.Slider(0.02, viscosity=0.1)], [many])
        parts = from_groups(
            "body",
            (*model.springs, "tie"),
            A,
            sparse.hstack([model.compatibility, row]),
            sparse.csr_array((0, many + 1)),
            [*model.laws.values(), slider],
        )
        ends.append(hx.solve(pushed(made(model.stiffness, model.mass, parts)), hx.Galerkin(0.5)))
    without, springs = ends
    assert np.abs(without.values("slip")).max() > 0.01
    assert np.allclose(without.values("slip")[:, -1], springs.values("slip")[:, -1], rtol=0, atol=1e-13)
    assert np.allclose(without.values("displacement"), springs.values("displacement"), rtol=0, atol=1e-12)
    assert without.residual <= 1e-13
