"""The longest step with one solution: figures of the elements, limits of models, messages, searches for a second."""

import math
import re
from itertools import combinations, product

import numpy as np
import promise_fuzz as fuzz
import pytest
from scipy import sparse
from scipy.linalg import eigh
from scipy.optimize import minimize

import hamex as hx
from hamex.errors import ModelError, SchemeError
from hamex.model.record import dense
from hamex.schemes import promise
from hamex.schemes._generated import CONTINUOUS, DISCONTINUOUS
from hamex.schemes.promised import admissible, check_promise, matrices

Z = {"gauss": (2.0, 2 * math.sqrt(3), 3.0, 3.6051386), "radau": (1.0, 1.8973666, 1.6292072, 1.8324954)}
SCHEMES = [
    *(hx.Galerkin(step=1.0, degree=d) for d in (1, 2, 3, 4)),
    *(hx.DiscontinuousGalerkin(step=1.0, degree=d) for d in (0, 1, 2)),
    hx.Newmark(step=1.0, safeguarded=True),
]


def radau(s):
    """Right Radau collocation; the package has it up to three stages."""
    if s <= 3:
        return np.array(DISCONTINUOUS[s - 1].matrix)
    legendre = np.polynomial.Legendre.basis
    c = np.sort((legendre(s) - legendre(s - 1)).roots().real + 1) / 2
    powers = np.arange(s)
    return (c[:, None] ** (powers + 1) / (powers + 1)) @ np.linalg.inv(c[:, None] ** powers)


TABLES = {("gauss", s): np.array(CONTINUOUS[s].matrix) for s in range(1, 5)}
TABLES |= {("radau", s): radau(s) for s in range(1, 5)}
WEIGHTS = {"gauss": promise.GAUSS, "radau": promise.RADAU}
SEVERAL = [key for key in TABLES if key[1] > 1]


def symmetric(matrix):
    return 0.5 * (matrix + matrix.T)


def limit_of(A, D):
    """z₀ of a table with weights D: λM + h²K must be definite, λ the least of sym(DA⁻¹) against sym(DA)."""
    D = np.diag(D)
    plus, minus = symmetric(D @ A), symmetric(D @ np.linalg.inv(A))
    least = np.linalg.eigvalsh(plus)[0]
    return math.sqrt(max(eigh(minus, plus, eigvals_only=True)[0], 0.0)) if least > 0 else 100 * least


@pytest.mark.parametrize("key", TABLES, ids=str)
def test_weights_give_the_printed_limits(key):
    family, s = key
    assert limit_of(TABLES[key], WEIGHTS[family][s]) == pytest.approx(Z[family][s - 1], rel=1e-7)


@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=pytest.mark.heavy if key[1] > 3 else ()) for key in SEVERAL], ids=str
)
@pytest.mark.chief("('gauss', 2)", "('radau', 3)")
def test_no_weights_give_a_higher_limit(key):
    """Found again by a search from other weights; 1e-6 is what the search itself reaches."""
    A, stored, rng = TABLES[key], np.array(WEIGHTS[key[0]][key[1]]), np.random.default_rng(1)
    best = 0.0
    for _ in range(4):
        x = np.log(stored[1:]) + 0.5 * rng.normal(size=key[1] - 1)
        for _ in range(3):
            found = minimize(
                lambda x: -limit_of(A, np.exp([0, *x])),
                x,
                method="Nelder-Mead",
                options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000},
            )
            x = found.x
        best = max(best, -found.fun)
    assert best == pytest.approx(limit_of(A, stored), rel=1e-6)


@pytest.mark.parametrize("key", SEVERAL, ids=str)
def test_limits_of_elastic_springs_that_are_not_linear(key):
    """Two solutions of one mass need a principal minor of 1 + z²A² that is not positive; many masses with any damping
    have one solution where E/z² + sym(E A²(1 + αA)⁻¹) is positive definite for some diagonal E and every α ≥ 0."""
    family, s = key
    A = TABLES[key]
    stored = (promise.ELASTIC_GAUSS if family == "gauss" else promise.ELASTIC_RADAU)[s]
    values = [
        v
        for n in range(1, s + 1)
        for rows in combinations(range(s), n)
        for v in np.linalg.eigvals((A @ A)[np.ix_(rows, rows)])
    ]
    first = min(
        (1 / math.sqrt(-v.real) for v in values if abs(v.imag) < 1e-9 * abs(v) and v.real < 0), default=math.inf
    )
    assert stored == first if s == 2 else 0.985 * first < stored <= first * (1 + 1e-7)
    E = {
        ("gauss", 2): (1, 0.07179677),
        ("gauss", 3): (1, 0.20322665, 0.01613323),
        ("gauss", 4): (1, 0.26496237, 0.06069354, 0.00457545),
        ("radau", 2): (1, 1 / 9),
        ("radau", 3): (1, 0.25951086, 0.03157649),
        ("radau", 4): (1, 0.33121429, 0.08718642, 0.01754976),
    }[key]
    root = 1 / np.sqrt(E)
    for alpha in (0.0, *np.logspace(-3, 4, 71)):
        form = symmetric(np.diag(E) @ A @ A @ np.linalg.inv(np.eye(s) + alpha * A))
        least = np.linalg.eigvalsh(root[:, None] * form * root)[0]
        assert least > -1 / stored**2 * (1 + 1e-6) - 1e-12


def random_model(rng, dofs, K=None, C=0.0, mass=None, law=None):
    mass = rng.uniform(0.5, 2, dofs) if mass is None else mass
    return hx.structure(
        np.diag(mass), C, np.diag(1 / rng.uniform(50, 200, dofs)), np.eye(dofs), law or hx.Slider(1.0), stiffness=K
    )


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_without_damping_the_limit_is_z_over_the_root_of_kappa(scheme):
    rng = np.random.default_rng(3)
    root = rng.normal(size=(3, 3))
    model = random_model(rng, 3, -root @ root.T)
    kappa = eigh(root @ root.T, dense(model.mass), eigvals_only=True)[-1]
    z = (
        2.0
        if isinstance(scheme, hx.Newmark)
        else Z["gauss"][scheme.degree - 1]
        if isinstance(scheme, hx.Galerkin)
        else Z["radau"][scheme.degree]
    )
    assert admissible(model, scheme) * math.sqrt(kappa) == pytest.approx(z, rel=1e-7)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_dofs_without_mass_are_condensed(scheme):
    rng = np.random.default_rng(4)
    root = rng.normal(size=(3, 3))
    K = -root @ root.T
    K[0, 0] = 20.0
    model = random_model(rng, 3, K, mass=np.array([0.0, 1.0, 2.0]))
    condensed = K[1:, 1:] - np.outer(K[1:, 0], K[0, 1:]) / K[0, 0]
    same = random_model(rng, 2, condensed, mass=np.array([1.0, 2.0]))
    assert admissible(model, scheme) == pytest.approx(admissible(same, scheme), rel=1e-8)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_damping_viscosity_and_kinematic_hardening_lengthen_the_step(scheme):
    def limit(**options):
        return admissible(random_model(np.random.default_rng(5), 2, -np.diag([3.0, 5.0]), **options), scheme)

    plain = limit()
    for better in (
        {"C": np.diag([1.0, 1.0])},
        {"law": hx.Slider(1.0, viscosity=2.0)},
        {"law": hx.Slider(1.0, kinematic=2.0)},
    ):
        assert limit(**better) > 1.01 * plain
    assert limit(law=hx.Slider(1.0, kinematic=20.0)) == math.inf
    isotropic = limit(law=hx.Slider(1.0, isotropic=2.0))
    if len(scheme.form().damping) == 1:
        assert isotropic > 1.01 * plain
    else:
        assert isotropic == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.heavy) for seed in (2, 3, 4))])
def test_admissible_steps_are_all_those_below_one_limit(seed):
    """Definite below, not above, on a grid of steps: with damping, viscosity and dofs without mass."""
    rng = np.random.default_rng(seed)
    root, c = rng.normal(size=(3, 3)), rng.normal(size=(3, 2))
    K = -root @ root.T
    K[0, 0] = 30.0
    model = random_model(rng, 3, K, 0.1 * c @ c.T, np.array([0.0, 1.0, 2.0]), hx.Slider(1.0, viscosity=0.3))
    for scheme in SCHEMES:
        limit, form, system = admissible(model, scheme), scheme.form(), matrices(model)
        for share in np.logspace(-3, 3, 40):
            assert (promise.weakest(form, system, share * limit) is None) == (share < 1)


@pytest.mark.parametrize("scheme", [s for s in SCHEMES if not isinstance(s, hx.Newmark)], ids=repr)
@pytest.mark.parametrize("damping", [0.0, hx.modal(0.05, modes=3)], ids=["bare", "modal"])
@pytest.mark.every_value
def test_sparse_and_dense_agree(scheme, damping, monkeypatch):
    model = hx.shear_frame([1.0] * 30, [1e4] * 30, damping, hx.Slider(1.0), heights=3.0, weights=5.0)
    limit = admissible(model, scheme)
    monkeypatch.setattr(promise, "DENSE", 10)
    assert admissible(model, scheme) == pytest.approx(limit, rel=1e-8)


def test_the_issue_is_refused_beforehand_and_solved_below():
    """Two storeys that ended in mid-run: every scheme names a step, takes 0.999 of it and refuses 1.001."""
    model = hx.shear_frame([1.0, 1.0], [100.0, 100.0], laws=hx.Slider(1.0), heights=3.0, weights=15.0)
    rng = np.random.default_rng(0)
    shaking = 5 * rng.uniform(-1, 1, (10, 2))
    for scheme in SCHEMES:
        make = type(scheme)
        options = {"safeguarded": True} if make is hx.Newmark else {"degree": scheme.degree}
        with pytest.raises(SchemeError, match=r"must be below .* s, got 1 s") as told:
            hx.solve(hx.Problem(model, hx.Load(shaking, step=1.0), 8.0), scheme)
        named = float(re.search(r"below ([\d.e+-]+) s", str(told.value))[1])
        h = 0.999 * named
        hx.solve(hx.Problem(model, hx.Load(shaking, step=h), 8 * h), make(step=h, **options))
        h = 1.001 * named
        with pytest.raises(SchemeError, match="must be below"):
            hx.solve(hx.Problem(model, hx.Load(shaking, step=h), 8 * h), make(step=h, **options))


@pytest.mark.parametrize("inside", [{"locate": True}, {"tolerance": 1e-3}])
def test_cut_and_halved_steps_are_refused_beforehand(inside):
    model = hx.shear_frame([1.0] * 20, [100.0] * 20, laws=hx.Slider(1.0), heights=3.0, weights=1.0)
    load = hx.Load(np.ones((3, 20)), step=5.0)
    for scheme in (hx.Galerkin(step=5.0, **inside), hx.DiscontinuousGalerkin(step=5.0, **inside)):
        with pytest.raises(SchemeError, match="must be below"):
            hx.solve(hx.Problem(model, load, 10.0), scheme)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_a_dof_that_nothing_holds_is_named(scheme):
    def frame(law):
        return hx.shear_frame([1.0, 0.0, 1.0], [100.0] * 3, laws=law)

    with pytest.raises(ModelError, match="nothing resists 'floor 2' once its springs slip"):
        check_promise(frame(hx.Slider(1.0)), scheme)
    check_promise(frame(hx.Slider(1.0, viscosity=0.1)), scheme)
    check_promise(frame(hx.Slider(1.0, kinematic=1.0)), scheme)
    if len(scheme.form().damping) == 1:
        check_promise(frame(hx.Slider(1.0, isotropic=1.0)), scheme)
    else:
        with pytest.raises(ModelError, match="isotropic hardening does not count with several stages"):
            check_promise(frame(hx.Slider(1.0, isotropic=1.0)), scheme)


def test_models_that_cannot_soften_cost_nothing():
    def never(tau, isotropic):
        raise AssertionError("tangents were asked for")

    none = sparse.csr_array((5000, 5000))
    system = promise.Matrices(
        sparse.eye_array(5000),
        none,
        none,
        np.zeros((5000, 0)),
        np.zeros(0),
        never,
        sparse.eye_array(5000),
        ("dof",) * 5000,
    )
    form = hx.Galerkin(step=1.0, degree=4).form()
    promise.check(form, system, 1e9, "Galerkin")
    assert promise.longest_step(form, system) == math.inf


@pytest.mark.parametrize("size", [30, 450])
def test_elastic_springs_that_are_not_linear_bound_the_step_at_three_stages(size):
    """The frequency is that of the stiffest tangents, dofs without mass follow."""
    none = sparse.csr_array((size, size))
    mass = np.ones(size)
    mass[::3] = 0.0
    K = sparse.diags_array(
        [np.full(size, 200.0), np.full(size - 1, -100.0), np.full(size - 1, -100.0)], offsets=[0, 1, -1]
    )
    system = promise.Matrices(
        sparse.diags_array(mass),
        none,
        none,
        np.zeros((size, 0)),
        np.zeros(0),
        lambda tau, isotropic: 0.1 * K,
        lambda: K,
        tuple(f"dof {i}" for i in range(size)),
        curved=True,
    )
    full, heavy = K.toarray(), mass > 0
    across = full[np.ix_(~heavy, heavy)]
    condensed = full[np.ix_(heavy, heavy)] - across.T @ np.linalg.solve(full[np.ix_(~heavy, ~heavy)], across)
    omega = math.sqrt(np.linalg.eigvalsh(condensed)[-1])
    for scheme, z in (
        (hx.Galerkin(step=1.0, degree=2), math.inf),
        (hx.Galerkin(step=1.0, degree=3), math.sqrt(60)),
        (hx.DiscontinuousGalerkin(step=1.0, degree=2), 4.6302958),
    ):
        assert promise.longest_step(scheme.form(), system) == pytest.approx(z / omega, rel=1e-7)
    with pytest.raises(SchemeError, match="elastic but not linear have one solution in steps below"):
        promise.check(hx.Galerkin(step=1.0, degree=3).form(), system, 8 / omega, "Galerkin(degree=3)")


# Second solutions, by enumeration of every branch of every spring at every stage.


def solutions(N, eta, grow, limit, y):
    """Slip rates that solve ``y − N g = σ (limit + grow |g|) + η g`` or stay inside; all of them."""
    found = []
    for branch in product((-1, 0, 1), repeat=len(y)):
        branch = np.array(branch)
        on, off = np.flatnonzero(branch), branch == 0
        sign, g = branch[on], np.zeros(len(y))
        if on.size:
            matrix = N[np.ix_(on, on)] + sign[:, None] * sign * grow[np.ix_(on, on)] + np.diag(eta[on])
            g[on] = np.linalg.solve(matrix, y[on] - sign * limit[on])
        inside = np.abs(y - N @ g)[off] <= (limit + grow @ np.abs(g))[off] + 1e-10 * (1 + np.abs(y[off]))
        new = all(np.abs(g - other).max() > 1e-7 * (1 + np.abs(g).max()) for other in found)
        if np.all(sign * g[on] >= -1e-10) and np.all(inside) and new:
            found.append(g)
    return found


def random_step(rng, key, springs, share, isotropic, hat=None):
    """A step of as many masses as springs at ``share`` of its limit, with a right side aimed at the limits."""
    A, s = TABLES[key], key[1]
    M, k = np.diag(rng.uniform(0.3, 3, springs)), 10 ** rng.uniform(0, 2, springs)
    B = np.eye(springs) if rng.random() < 0.5 else rng.normal(size=(springs, springs))
    elastic = B @ np.diag(k) @ B.T
    h = 10 ** rng.uniform(-1, 1.5) / math.sqrt(eigh(elastic, M, eigvals_only=True)[-1])
    root = rng.normal(size=(springs, springs))
    K = (
        -root
        @ root.T
        * (share * limit_of(A, WEIGHTS[key[0]][s]) / h) ** 2
        / eigh(root @ root.T, M, eigvals_only=True)[-1]
    )
    inverse, stretch = np.linalg.inv(A), np.kron(np.eye(s), np.diag(k) @ B.T)
    x = np.linalg.solve(
        np.kron(inverse @ inverse, M) / h**2 + np.kron(np.eye(s), K + elastic), h * np.kron(A, B @ np.diag(k))
    )
    N = h * np.kron(A, np.diag(k)) - stretch @ x
    grow = isotropic * h * np.kron(A if hat is None else hat, np.diag(k * 10 ** rng.uniform(-1, 1, springs)))
    eta = np.full(s * springs, rng.integers(2) * h * k.mean() * 10 ** rng.uniform(-4, 0))
    limit = np.tile(10 ** rng.uniform(-3, 0.5, springs), s)
    g = rng.normal(size=s * springs) * 10 ** rng.uniform(-2, 1, s * springs) * (rng.random(s * springs) < 0.8)
    y = N @ g + eta * g + np.sign(g) * np.maximum(limit + grow @ np.abs(g), 0)
    return N, eta, grow, limit, y


CASES = [
    (("gauss", 2), 1, 300),
    (("radau", 2), 1, 300),
    (("gauss", 3), 1, 100),
    (("radau", 3), 1, 100),
    (("gauss", 2), 2, 60),
    (("radau", 2), 2, 60),
]
FEWER = [(key, springs, count // 3) for key, springs, count in CASES]


@pytest.mark.parametrize(
    ("key", "springs", "count"), [*FEWER, *(pytest.param(*case, marks=pytest.mark.heavy) for case in CASES)], ids=str
)
def test_below_the_limit_no_second_solution_is_found(key, springs, count):
    rng = np.random.default_rng(7)
    assert {len(solutions(*random_step(rng, key, springs, 0.99 * rng.random() ** 0.3, 0.0))) for _ in range(count)} == {
        1
    }


@pytest.mark.parametrize(("key", "count", "least"), [(("gauss", 2), 300, 10), (("radau", 2), 300, 10)], ids=str)
@pytest.mark.chief("('gauss', 2)-300-10")
def test_above_the_limit_several_are(key, count, least):
    rng = np.random.default_rng(8)
    several = sum(len(solutions(*random_step(rng, key, 1, 1.2, 0.0))) != 1 for _ in range(count))
    assert several >= least


def judge(rows):
    told = fuzz.summary(rows)
    assert not [row for row in rows if row["outcome"] == "failed"], told
    assert not fuzz.unneeded(rows), told
    assert sum(row["outcome"] == "solved" for row in rows) >= 0.6 * len(rows), told


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.heavy)])
def test_what_is_admitted_is_solved(count):
    judge(fuzz.run(range(500_000, 500_000 + count), processes=1))


@pytest.mark.heavy
def test_what_is_admitted_is_solved_20000_times():
    judge(fuzz.run(range(1, 20_001)))


@pytest.mark.parametrize(
    "scheme",
    [hx.Galerkin(0.75), hx.Newmark(0.75, safeguarded=True), hx.schemes.GeneralisedAlpha(0.75, rho=1.0)],
    ids=lambda scheme: scheme.name,
)
@pytest.mark.parametrize("promised", ["beforehand", "reported"])
def test_modal_damping_may_be_what_the_promise_rests_on(scheme, promised):
    """Own reference: the same damping as one matrix. Without it the step's matrix has a negative pivot."""
    laws = [hx.Slider(0.5), hx.Slider(0.2)]
    frame = hx.shear_frame([0.8, 1.7], [150.0, 350.0], hx.modal(0.5), laws, heights=3.0, weights=[20.0, 10.0])
    assert promise.rests_on_shapes(scheme.form(), matrices(frame), scheme.step)
    twin = hx.structure(
        dense(frame.mass),
        frame.damping.dense(),
        dense(frame.flexibility),
        dense(frame.compatibility),
        dict(enumerate(laws)),
        stiffness=dense(frame.stiffness),
    )
    load = hx.Load(3.0 * np.random.default_rng(1).normal(size=(9, 2)), step=0.75)
    on = hx.Limit(stop=False)
    ours, theirs = (
        hx.solve(hx.Problem(model, load, 6.0), scheme, promise=promised, limit=on) for model in (frame, twin)
    )
    assert np.abs(ours.values("slip")).max() > 0.1
    assert ours.uncertain == theirs.uncertain
    for name in ("displacement", "slip", "force"):
        np.testing.assert_allclose(ours.values(name), theirs.values(name), rtol=1e-11, atol=1e-11)
