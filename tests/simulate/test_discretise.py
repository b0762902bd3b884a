"""Densities on meshes: matrices against exact integrals and scikit-fem's assembly, frequencies, deflections and decay
against closed forms, the paper's mixed form against displacements, and refusals by name.

References: *analytic* (closed forms, exact integrals of barycentric coordinates), *external* (scikit-fem's
``linear_elasticity``, ``mass``, ``laplace``).
"""

import math
from fractions import Fraction

import numpy as np
import pytest
import skfem
import sympy as sp
from scipy.linalg import expm
from scipy.optimize import brentq
from scipy.sparse.linalg import spsolve
from skfem.models.elasticity import lame_parameters, linear_elasticity
from skfem.models.poisson import laplace, mass

import hamex as hx
from hamex.errors import ActionError, LockingWarning, ModelError
from hamex.principle import t
from hamex.principle.library import action
from hamex.solution.keeping import model_of, model_tree, packed, unpacked

X = sp.symbols("x y z", real=True)
x, y, z = X
MESHES = {
    "line": lambda: skfem.MeshLine(np.array([0.0, 0.3, 0.5, 1.1, 1.5])),
    "triangles": lambda: skfem.MeshTri().refined(1).with_defaults(),
    "quadrilaterals": lambda: bent(skfem.MeshQuad().refined(1)).with_defaults(),
    "tetrahedra": lambda: skfem.MeshTet(),
    "hexahedra": lambda: bent(skfem.MeshHex().refined(1)),
}
ELEMENTS = {
    ("triangles", 1): skfem.ElementTriP1,
    ("triangles", 2): skfem.ElementTriP2,
    ("quadrilaterals", 1): skfem.ElementQuad1,
    ("quadrilaterals", 2): skfem.ElementQuad2,
    ("tetrahedra", 1): skfem.ElementTetP1,
    ("tetrahedra", 2): skfem.ElementTetP2,
    ("hexahedra", 1): skfem.ElementHex1,
    ("hexahedra", 2): skfem.ElementHex2,
}


def bent(mesh):
    """No two cells alike, none a parallelogram."""
    p = mesh.p.copy()
    p += 0.06 * np.sin(3.0 * p[::-1] + 1.0)
    return type(mesh)(p, mesh.t)


def line(elements, length=1.0):
    ends = {"left": lambda x: x[0] == 0.0, "right": lambda x: x[0] == length}
    return skfem.MeshLine(np.linspace(0.0, length, elements + 1)).with_boundaries(ends)


def wave(space, foundation=False):
    """½ρu̇² − ½T|∇u|² − ½κu²: string, membrane, sound; on a foundation Klein and Gordon's."""
    rho, T, kappa = sp.symbols("rho T kappa", positive=True)
    u = sp.Function("u")(*space, t)
    density = rho * u.diff(t) ** 2 / 2 - sum(T * u.diff(s) ** 2 for s in space) / 2
    return hx.Action((u,), density - (kappa * u**2 / 2 if foundation else 0), space=space, name="wave")


def elastic(dimensions):
    """½ρu̇² − ½λ(tr ε)² − με:ε, the displacement form."""
    space = X[:dimensions]
    rho, lam, mu = sp.symbols("rho lam mu", positive=True)
    u = [sp.Function(f"u_{i + 1}")(*space, t) for i in range(dimensions)]
    strain = [[(u[i].diff(space[j]) + u[j].diff(space[i])) / 2 for j in range(dimensions)] for i in range(dimensions)]
    trace = sum(strain[i][i] for i in range(dimensions))
    square = sum(e**2 for row in strain for e in row)
    kinetic = rho * sum(v.diff(t) ** 2 for v in u) / 2
    return hx.Action(tuple(u), kinetic - lam * trace**2 / 2 - mu * square, space=space, name="elastic")


def compliances(dimensions, lam, mu):
    """Components A_ijkl of the isotropic compliance, by the names of the library; plane strain in two dimensions."""
    pairs = [(i, j) for i in range(dimensions) for j in range(i, dimensions)]
    one = np.eye(dimensions)
    share = lam / (dimensions * lam + 2 * mu)
    found = {}
    for a, (i, j) in enumerate(pairs):
        for k, l in pairs[a:]:
            value = (one[i, k] * one[j, l] + one[i, l] * one[j, k]) / 2 - share * one[i, j] * one[k, l]
            found[f"A_{i + 1}{j + 1}{k + 1}{l + 1}"] = value / (2 * mu)
    return found


def far(found, reference):
    """Largest difference of two matrices relative to the largest entry."""
    return abs(found - reference).max() / abs(reference).max()


# ------------------------------------------------------------------------------------------------ exact integrals
def simplex_matrices(corners, rho, T, kappa):
    """Analytic, in fractions: ∫λᵢλⱼ = d! V (1 + δᵢⱼ)/(d + 2)!, and gradients of barycentric coordinates."""
    n = len(corners)
    d = n - 1
    placed = sp.Matrix([[1, *(sp.Rational(Fraction(c)) for c in corner)] for corner in corners])
    volume = abs(placed.det()) / math.factorial(d)
    gradients = placed.inv()[1:, :]  # λ = placed⁻ᵀ (1, x)
    square = sp.Matrix(n, n, lambda i, j: volume * (2 if i == j else 1) / sp.Integer((d + 1) * (d + 2)))
    slopes = volume * gradients.T * T * gradients
    return np.array(rho * square, dtype=float), np.array(slopes + kappa * square, dtype=float)


@pytest.mark.parametrize("cell", ["line", "triangles", "tetrahedra"])
def test_elements_are_exact_for_bars_triangles_and_tetrahedra(cell):
    """Any symmetric tensor of coefficients, with derivatives that meet each other."""
    d = {"line": 1, "triangles": 2, "tetrahedra": 3}[cell]
    points = np.array([[0.25, 1.0, 0.5], [2.0, 0.75, 0.125], [0.5, 3.0, 1.0], [1.0, 1.5, 2.75]])[: d + 1, :d]
    kind = {"line": skfem.MeshLine, "triangles": skfem.MeshTri, "tetrahedra": skfem.MeshTet}[cell]
    mesh = kind(np.ascontiguousarray(points.T), np.arange(d + 1)[:, None])
    tensor = sp.Matrix([[4, 1, -1], [1, 3, 2], [-1, 2, 5]])[:d, :d]
    u = sp.Function("u")(*X[:d], t)
    slope = sp.Matrix([u.diff(s) for s in X[:d]])
    rho = sp.Symbol("rho", positive=True)
    density = rho * u.diff(t) ** 2 / 2 - (slope.T * tensor * slope)[0] / 2 - 7 * u**2 / 2
    model = hx.discretise(hx.Action((u,), density, space=X[:d]), mesh, {"rho": 3.0})
    M, K = simplex_matrices(points[mesh.t[:, 0]].tolist() if cell == "line" else points.tolist(), 3, tensor, 7)
    order = np.argsort(mesh.t[:, 0]) if cell == "line" else mesh.t[:, 0]
    assert far(model.mass.toarray(), M[np.ix_(order, order)]) < 1e-14
    assert far(model.stiffness.toarray(), K[np.ix_(order, order)]) < 1e-14
    assert (model.stiffness != model.stiffness.T).nnz == 0


# ------------------------------------------------------------------------------------------------ scikit-fem
@pytest.mark.parametrize(("cell", "degree"), list(ELEMENTS))
@pytest.mark.chief("hexahedra-1", "tetrahedra-1", "triangles-2", "quadrilaterals-2")
def test_elastic_bodies_are_those_that_scikit_fem_assembles(cell, degree):
    """External: linear_elasticity, and mass; the mixed form of eq. (34) is the displacement form."""
    mesh, element = MESHES[cell](), ELEMENTS[cell, degree]()
    dimensions, rho = mesh.dim(), 2.5
    lam, mu = lame_parameters(10.0, 0.3)
    model = hx.discretise(elastic(dimensions), mesh, {"rho": rho, "lam": lam, "mu": mu}, degree=degree)
    mixed = hx.discretise(
        action(f"elastic-{dimensions}d"), mesh, {"rho": rho} | compliances(dimensions, lam, mu), degree=degree
    )
    basis = skfem.Basis(mesh, skfem.ElementVector(element), quadrature=model.fields.rule())
    # scikit-fem numbers the nodes corner by corner, then side by side …, as the fields do.
    scalar = skfem.Basis(mesh, element)
    place = np.concatenate(
        [model.fields.place[way][scalar.element_dofs] for way in range(dimensions)]
    )  # (local, cell), way by way
    theirs = np.concatenate([basis.element_dofs[way::dimensions] for way in range(dimensions)])
    order = np.empty(basis.N, dtype=int)
    order[place.ravel()] = theirs.ravel()
    K = linear_elasticity(lam, mu).assemble(basis).toarray()[np.ix_(order, order)]
    M = rho * skfem.BilinearForm(lambda u, v, w: skfem.helpers.dot(u, v)).assemble(basis).toarray()
    assert far(model.stiffness.toarray(), K) < 1e-13
    assert far(model.mass.toarray(), M[np.ix_(order, order)]) < 1e-13
    assert far(mixed.stiffness.toarray(), K) < 1e-13
    assert far(mixed.mass.toarray(), model.mass.toarray()) < 1e-15
    assert mixed.dofs == model.dofs


@pytest.mark.parametrize("cell", ["line", "triangles", "hexahedra"])
def test_coefficients_may_vary_in_space(cell):
    """As a function of points, as a function in the density, as coordinates in the density: external."""
    mesh = MESHES[cell]()
    space = X[: mesh.dim()]
    rho, T = sp.Symbol("rho", positive=True), sp.Function("T")(x)
    u = sp.Function("u")(*space, t)
    density = (1 + x**2) * rho * u.diff(t) ** 2 / 2 - sum(T * u.diff(s) ** 2 for s in space) / 2
    system = hx.Action((u,), density, space=space)
    numbers = {"rho": lambda x: 2.0 + x[0], "T": lambda x: np.exp(x[0])}
    model = hx.discretise(system, mesh, numbers)
    element = skfem.ElementLineP1() if cell == "line" else ELEMENTS[cell, 1]()
    basis = skfem.Basis(mesh, element, quadrature=model.fields.rule())
    M = skfem.BilinearForm(lambda u, v, w: (1 + w.x[0] ** 2) * (2 + w.x[0]) * u * v).assemble(basis)
    K = skfem.BilinearForm(lambda u, v, w: np.exp(w.x[0]) * skfem.helpers.dot(u.grad, v.grad)).assemble(basis)
    assert far(model.mass.toarray(), M.toarray()) < 1e-13
    assert far(model.stiffness.toarray(), K.toarray()) < 1e-13


def test_many_cells_are_taken_some_at_a_time(monkeypatch):
    mesh = skfem.MeshTri().refined(3)
    numbers = {"rho": 1.0, "T": 2.0}
    whole = hx.discretise(wave((x, y)), mesh, numbers)
    monkeypatch.setattr("hamex.model.discretised._AT_ONCE", 100)
    parts = hx.discretise(wave((x, y)), mesh, numbers)
    assert far(parts.stiffness.toarray(), whole.stiffness.toarray()) < 1e-15
    basis = skfem.Basis(mesh, skfem.ElementTriP1())
    assert far(whole.stiffness.toarray(), 2 * laplace.assemble(basis).toarray()) < 1e-14
    assert far(whole.mass.toarray(), mass.assemble(basis).toarray()) < 1e-14


# ------------------------------------------------------------------------------------------------ bars and strings
def test_a_bar_is_the_rod():
    """Own, and the two forms of the density alike."""
    rod = hx.rod(length=2.0, elements=8, modulus=200.0, density=2.0, area=0.5)
    K = (rod.compatibility / rod.flexibility.diagonal()) @ rod.compatibility.T
    for system, numbers in (
        (action("elastic-1d"), {"rho": 1.0, "A_1111": 1 / 100.0}),
        (wave((x,)), {"rho": 1.0, "T": 100.0}),
    ):
        bar = hx.discretise(system, line(8, 2.0), numbers, fixed={"left": "all"})
        assert far(bar.stiffness.toarray(), K.toarray()) < 1e-14
        assert far(bar.mass.toarray(), rod.mass.toarray()) < 1e-14


@pytest.mark.parametrize("kind", ["consistent", "lumped"])
def test_a_string_has_the_frequencies_of_its_elements(kind):
    """Analytic: ω² = 6c²(1 − cos kh)/(h²(2 + cos kh)), lumped 2c²(1 − cos kh)/h², for k = nπ/L."""
    n, length, c = 20, 2.0, 10.0
    model = hx.discretise(
        action("string"), line(n, length), {"mu": 0.5, "N": 50.0}, fixed={"left": "w", "right": "w"}, mass=kind
    )
    h = length / n
    kh = np.arange(1, n) * np.pi * h / length
    inertia = (2 + np.cos(kh)) / 6 if kind == "consistent" else 0.5
    assert hx.modes(model).frequencies == pytest.approx(c / h * np.sqrt((1 - np.cos(kh)) / inertia), rel=1e-10)
    assert (model.mass.nnz == n - 1) == (kind == "lumped")


def test_klein_and_gordon():
    """Analytic: ω² = c²k² + m² with the elements' k²."""
    n = 16
    model = hx.discretise(
        wave((x,), foundation=True), line(n), {"rho": 2.0, "T": 8.0, "kappa": 18.0}, fixed={"all": "u"}
    )
    kh = np.arange(1, n) * np.pi / n
    exact = np.sqrt(4.0 * 6 * n**2 * (1 - np.cos(kh)) / (2 + np.cos(kh)) + 9.0)
    assert hx.modes(model).frequencies == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize(("cell", "degree"), [("triangles", 1), ("triangles", 2), ("quadrilaterals", 2)])
def test_a_square_membrane(cell, degree):
    """Analytic: ω = π c √(m² + n²); the error of ω falls as h²ᵖ."""
    kind = skfem.MeshTri if cell == "triangles" else skfem.MeshQuad
    errors = []
    for elements in (4, 8):
        mesh = kind.init_tensor(*[np.linspace(0, 1, elements + 1)] * 2)
        model = hx.discretise(wave((x, y)), mesh, {"rho": 1.0, "T": 4.0}, degree=degree, fixed={"all": "all"})
        errors.append(hx.modes(model, 1).frequencies[0] / (2 * np.pi * np.sqrt(2)) - 1)
    assert 0 < errors[1] < {1: 0.03, 2: 1e-3}[degree]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2 * degree, abs=0.25)


@pytest.mark.parametrize("cell", list(MESHES))
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.every_value
def test_lumped_masses_are_positive_and_keep_the_mass(cell, degree):
    mesh = MESHES[cell]()
    numbers = {"rho": lambda x: 1.0 + x[0] ** 2, "T": 1.0}
    consistent, lumped = (
        hx.discretise(wave(X[: mesh.dim()]), mesh, numbers, degree=degree, mass=kind)
        for kind in ("consistent", "lumped")
    )
    assert lumped.mass.nnz == len(lumped.dofs)
    assert lumped.mass.diagonal().min() > 0
    assert lumped.mass.sum() == pytest.approx(consistent.mass.sum(), rel=1e-13)


# ------------------------------------------------------------------------------------------------ beams
def beam(height, elements, degree=1, integration="selective", fixed=None):
    numbers = {"rho": 1.0, "A": height, "E": 1e3, "I_y": height**3 / 12, "kappa": 5 / 6, "G": 400.0}
    model = hx.discretise(
        action("timoshenko"),
        line(elements),
        numbers,
        degree=degree,
        integration=integration,
        fixed=fixed or {"left": "all"},
    )
    return model, numbers


def tip_deflection(model):
    force = model.fields.at("w", 1.0)
    return force @ spsolve(model.stiffness.tocsc(), force)


@pytest.mark.parametrize("height", [0.5, 0.01])
def test_a_thin_beam_in_shear_does_not_lock(height):
    """Analytic: PL³/3EI + PL/κGA. Degree 1: the bending share is 1 − 1/4n² of that; degree 2: exact at the tip."""
    n = 10
    model, p = beam(height, n)
    bending, shear = 1 / (3 * p["E"] * p["I_y"]), 1 / (p["kappa"] * p["G"] * p["A"])
    assert tip_deflection(model) == pytest.approx(bending * (1 - 1 / (4 * n**2)) + shear, rel=1e-8)
    assert tip_deflection(beam(height, 3, degree=2)[0]) == pytest.approx(bending + shear, rel=1e-8)
    locked = tip_deflection(beam(height, n, integration="full")[0])
    assert locked < (0.99 if height == 0.5 else 0.05) * (bending + shear)


def test_a_beam_in_shear_has_its_frequencies():
    """Analytic, between supports: ρA ρI ω⁴ − (ρA(EIk² + κGA) + ρI κGA k²) ω² + κGA EI k⁴ = 0, both branches."""
    model, p = beam(0.2, 24, degree=2, fixed={"left": "w", "right": "w"})
    k = np.pi * np.arange(1, 4)
    heavy, turning = p["rho"] * p["A"], p["rho"] * p["I_y"]
    shear, bending = p["kappa"] * p["G"] * p["A"], p["E"] * p["I_y"]
    middle = heavy * (bending * k**2 + shear) + turning * shear * k**2
    root = np.sqrt(middle**2 - 4 * heavy * turning * shear * bending * k**4)
    exact = np.sqrt((middle - root) / (2 * heavy * turning))
    assert hx.modes(model, 3).frequencies == pytest.approx(exact, rel=1e-4)
    assert model.directions == ("w",)  # a ground that turns carries more than ψ along


def test_a_plate_of_ones_own():
    """Mindlin's plate, thin, under its own weight: analytic, Kirchhoff's 0.00406235 q L⁴/D at the middle."""
    D, nu, S = sp.symbols("D nu S", positive=True)
    w, a, b = (sp.Function(name)(x, y, t) for name in "wab")
    bending = a.diff(x) ** 2 + b.diff(y) ** 2 + 2 * nu * a.diff(x) * b.diff(y)
    bending = D * (bending + (1 - nu) / 2 * (a.diff(y) + b.diff(x)) ** 2) / 2
    shear = S * ((w.diff(x) - a) ** 2 + (w.diff(y) - b) ** 2) / 2
    plate = hx.Action((w, a, b), w.diff(t) ** 2 / 2 - bending - shear, space=(x, y), name="plate")
    sides = {"left": "wb", "right": "wb", "top": "wa", "bottom": "wa"}
    grid = [np.linspace(0, 1, 9)] * 2

    def middle(kind, **more):
        mesh = kind.init_tensor(*grid).with_defaults()
        fixed = {side: tuple(names) for side, names in sides.items()}
        model = hx.discretise(plate, mesh, {"D": 1.0, "nu": 0.3, "S": 3.5e4}, fixed=fixed, **more)
        return model.fields.at("w", 0.5, 0.5) @ spsolve(model.stiffness.tocsc(), model.fields.load(w=1.0))

    assert middle(skfem.MeshQuad) == pytest.approx(0.00406235, rel=0.006)
    assert middle(skfem.MeshQuad, degree=2) == pytest.approx(0.00406235, rel=0.001)
    assert middle(skfem.MeshQuad, integration="full") < 0.1 * 0.00406235
    with pytest.warns(LockingWarning, match="triangles and tetrahedra are too stiff"):
        assert middle(skfem.MeshTri) < 0.1 * 0.00406235


def test_a_slender_beam_has_cubics():
    """Analytic: PL³/3EI at the tip to round-off, λ = 1.87510 of the cantilever, π² between supports."""
    numbers = {"rho": 2.0, "A": 0.5, "E": 300.0, "I_y": 0.25}
    speed = np.sqrt(300.0 * 0.25 / (2.0 * 0.5))
    cantilever = hx.discretise(action("euler-bernoulli"), line(10), numbers, fixed={"left": "all"})
    assert cantilever.dofs[:3] == ("w[1]", "w'[1]", "w[2]")
    assert tip_deflection(cantilever) == pytest.approx(1 / (3 * 300.0 * 0.25), rel=1e-11)
    assert hx.modes(cantilever, 1).frequencies[0] == pytest.approx(1.8751040687**2 * speed, rel=2e-6)
    supported = hx.discretise(action("euler-bernoulli"), line(10), numbers, fixed={"all": "w"})
    assert hx.modes(supported, 1).frequencies[0] == pytest.approx(np.pi**2 * speed, rel=1e-5)
    shape = supported.fields.interpolated(w=lambda x: np.sin(np.pi * x[0]))
    assert supported.fields.at("w", 0.53) @ shape == pytest.approx(np.sin(np.pi * 0.53), abs=1e-4)
    assert supported.fields.values("w", shape) == pytest.approx(np.sin(np.pi * np.linspace(0, 1, 11)), abs=1e-4)


def test_a_compressed_beam_and_what_lies_beyond_buckling():
    """Analytic: π²EI/L² between supports; below it K is positive, above it only if that is said."""
    E, P, rho = sp.symbols("EI P rho", positive=True)
    w = sp.Function("w")(x, t)
    column = hx.Action((w,), rho * w.diff(t) ** 2 / 2 - E * w.diff(x, 2) ** 2 / 2 + P * w.diff(x) ** 2 / 2, space=(x,))
    critical = np.pi**2

    def model(share, **more):
        return hx.discretise(
            column, line(8), {"EI": 1.0, "P": share * critical, "rho": 1.0}, fixed={"all": "w"}, **more
        )

    assert hx.modes(model(0.75), 1).frequencies[0] == pytest.approx(np.pi**2 * 0.5, rel=1e-4)
    model(0.999)
    with pytest.raises(ModelError, match=r"the potential is indefinite.*negative_stiffness=True"):
        model(1.01)
    assert np.linalg.eigvalsh(model(1.01, negative_stiffness=True).stiffness.toarray())[0] < 0


# ------------------------------------------------------------------------------------------------ dissipation and heat
def heat():
    c, k = sp.symbols("c k", positive=True)
    theta = sp.Function("theta")(x, t)
    return hx.Action((theta,), -k * theta.diff(x) ** 2 / 2, c * theta.diff(t) ** 2 / 2, space=(x,), name="heat")


def at_rest(model, start, duration, scheme):
    still = hx.Load(np.zeros(2), step=duration, patterns=np.zeros(len(model.dofs)))
    return hx.solve(hx.Problem(model, still, duration, start=hx.State(displacement=start)), scheme)


@pytest.mark.parametrize(("scheme", "degree", "order"), [(hx.Galerkin, 1, 2), (hx.Galerkin, 2, 4)])
def test_heat_decays_as_it_must(scheme, degree, order):
    """Analytic: e^(−λt) with the elements' λ, at the order of the scheme, though nothing has mass."""
    n, duration = 10, 0.1
    model = hx.discretise(heat(), line(n), {"c": 2.0, "k": 2.0}, fixed={"all": "theta"})
    assert model.mass.nnz == 0
    assert model.massless.all()
    start = model.fields.interpolated(theta=lambda x: np.sin(np.pi * x[0]))
    rate = 6 * n**2 * (1 - np.cos(np.pi / n)) / (2 + np.cos(np.pi / n))
    errors = []
    for step in (0.02, 0.01):
        run = at_rest(model, start, duration, scheme(step, degree=degree))
        assert run.residual < 1e-13
        errors.append(abs(run.values("displacement")[-1] / start / np.exp(-rate * duration) - 1).max())
    assert errors[1] < 1e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)


def test_a_thermoelastic_bar():
    """Biot's bar: entropy flows as s, ½rṡ² is lost on its way, and u′ and s′ share the free energy.

    Analytic: one wave number is one system of three first-order equations, solved by its exponential.
    """
    rho, E, gamma, mu, r = sp.symbols("rho E gamma mu r", positive=True)
    u, s = sp.Function("u")(x, t), sp.Function("s")(x, t)
    potential = E * u.diff(x) ** 2 / 2 + gamma * u.diff(x) * s.diff(x) + mu * s.diff(x) ** 2 / 2
    bar = hx.Action((u, s), rho * u.diff(t) ** 2 / 2 - potential, r * s.diff(t) ** 2 / 2, space=(x,), name="biot")
    numbers = {"rho": 1.0, "E": 4.0, "gamma": 1.5, "mu": 2.0, "r": 3.0}
    n, duration = 12, 1.0
    model = hx.discretise(bar, line(n), numbers, fixed={"all": "all"})
    kh = np.pi / n
    k2 = 6 * n**2 * (1 - np.cos(kh)) / (2 + np.cos(kh))
    flow = np.array([[0, 1, 0], [-4.0 * k2, 0, -1.5 * k2], [-1.5 * k2 / 3, 0, -2.0 * k2 / 3]])
    exact = expm(flow * duration) @ [1.0, 0.0, 0.5]
    sine = model.fields.interpolated(u=lambda x: np.sin(np.pi * x[0]), s=lambda x: 0.5 * np.sin(np.pi * x[0]))
    run = at_rest(model, sine, duration, hx.Galerkin(0.01, degree=2))
    end = [model.fields.at(name, 0.5) @ run.values("displacement")[-1] for name in ("u", "s")]
    assert end == pytest.approx([exact[0], exact[2]], rel=1e-5)
    assert run.residual < 1e-12
    with pytest.raises(ModelError, match="the potential is indefinite"):
        hx.discretise(bar, line(n), numbers | {"gamma": 3.0}, fixed={"all": "all"})


def test_dampers_of_velocity_and_of_strain_rate():
    """½ηu̇² gives η ∫NN, Kelvin and Voigt's ½ζ(u̇′)² gives ζ ∫N′N′."""
    rho, T, eta, zeta = sp.symbols("rho T eta zeta", positive=True)
    u = sp.Function("u")(x, y, t)
    square = u.diff(x) ** 2 + u.diff(y) ** 2
    lost = eta * u.diff(t) ** 2 / 2 + zeta * (u.diff(x, t) ** 2 + u.diff(y, t) ** 2) / 2
    damped = hx.Action((u,), rho * u.diff(t) ** 2 / 2 - T * square / 2, lost, space=(x, y))
    numbers = {"rho": 2.0, "T": 3.0, "eta": 0.5, "zeta": 0.25}
    model = hx.discretise(damped, MESHES["quadrilaterals"](), numbers, fixed={"all": "u"})
    expected = 0.25 * model.mass + model.stiffness / 12
    assert far(model.damping.matrix.toarray(), expected.toarray()) < 1e-14


# ------------------------------------------------------------------------------------------------ loads and marching
def test_loads_starts_and_probes():
    """Sums of forces are integrals; a field that the shape functions hold is met everywhere."""
    mesh = MESHES["triangles"]()
    numbers = {"rho": 1.0} | compliances(2, 1.0, 1.0)
    model = hx.discretise(action("elastic-2d"), mesh, numbers | {"f_2": lambda x: x[0]}, degree=2)
    fields = model.fields
    one = {name: fields.interpolated(**{name: 1.0}) for name in ("u_1", "u_2")}
    body = fields.load(u_1=lambda x: x[0] ** 2, u_2=3.0)
    assert one["u_1"] @ body == pytest.approx(1 / 3, rel=1e-13)
    assert one["u_2"] @ body == pytest.approx(3, rel=1e-13)
    edge = fields.boundary_load("right", u_1=lambda x: x[1])
    assert one["u_1"] @ edge == pytest.approx(0.5, rel=1e-13)
    assert one["u_2"] @ edge == 0
    assert fields.boundary_load("all", u_2=1.0).sum() == pytest.approx(4, rel=1e-13)
    assert fields.stated_load == pytest.approx(fields.load(u_2=lambda x: x[0]), rel=1e-13, abs=1e-16)
    curved = fields.interpolated(u_1=lambda x: x[0] * x[1] + x[1] ** 2)
    assert fields.at("u_1", 0.3, 0.61) @ curved == pytest.approx(0.3 * 0.61 + 0.61**2, rel=1e-12)
    assert fields.at("u_2", 0.3, 0.61) @ curved == 0
    X, Y = fields.points("u_1")
    assert fields.values("u_1", np.stack([curved, 2 * curved])) == pytest.approx(np.outer([1, 2], X * Y + Y**2))
    assert model.directions == ("u_1", "u_2")
    assert model.influence[:, 1] == pytest.approx(one["u_2"])


def test_a_load_in_the_lagrangian():
    rho, T, g = sp.symbols("rho T g", positive=True)
    w = sp.Function("w")(x, t)
    hanging = hx.Action((w,), rho * w.diff(t) ** 2 / 2 - T * w.diff(x) ** 2 / 2 - rho * g * w, space=(x,))
    model = hx.discretise(hanging, line(10), {"rho": 2.0, "T": 5.0, "g": 10.0}, fixed={"all": "w"})
    sag = spsolve(model.stiffness.tocsc(), model.fields.stated_load)
    assert model.fields.at("w", 0.5) @ sag == pytest.approx(-20.0 / (8 * 5.0), rel=1e-12)


def test_a_ground_that_moves_takes_all_of_the_mass_along():
    """Inertia is ∫Nρ, that of what fixed nodes share with free ones included."""
    for degree in (1, 2):
        model = hx.discretise(wave((x,)), line(5), {"rho": 3.0, "T": 1.0}, degree=degree, fixed={"left": "u"})
        assert model.inertia("u") == pytest.approx(model.fields.load(u=3.0), rel=1e-13)


def test_a_string_swings_in_its_mode():
    """Analytic: the linear time element turns by 2 atan(ωh/2) a step; two forms of the density march alike."""
    n, steps, step = 12, 50, 0.01
    marched = []
    for system, numbers in ((wave((x,)), {"rho": 1.0, "T": 4.0}), (action("elastic-1d"), {"rho": 1.0, "A_1111": 0.25})):
        model = hx.discretise(system, line(n), numbers, fixed={"all": "all"})
        name = model.fields.names[0]
        shape = model.fields.interpolated(**{name: lambda x: np.sin(np.pi * x[0])})
        run = at_rest(model, shape, steps * step, hx.Galerkin(step))
        marched.append(model.fields.at(name, 0.5) @ run.values("displacement").T)
        assert run.residual < 1e-12
    omega = 2 * n * np.sqrt(6 * (1 - np.cos(np.pi / n)) / (2 + np.cos(np.pi / n)))
    turn = 2 * np.arctan(omega * step / 2)
    assert marched[0] == pytest.approx(np.cos(turn * np.arange(steps + 1)), abs=1e-10)
    assert marched[1] == pytest.approx(marched[0], abs=1e-10)


def test_files_keep_the_matrices_and_not_the_mesh():
    model = hx.discretise(wave((x,)), line(4), {"rho": 1.0, "T": 4.0})
    again = model_of(unpacked(packed(model_tree(model))))
    assert again.fields is None
    assert (again.stiffness != model.stiffness).nnz == 0
    assert again.dofs == model.dofs


# ------------------------------------------------------------------------------------------------ refusals
NUMBERS = {"rho": 1.0, "T": 4.0}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"parameters": {"rho": 1.0}}, "wave needs a number for T"),
        ({"parameters": NUMBERS | {"t": 1.0}}, "wave has no parameter 't'; it has T, rho"),
        ({"parameters": NUMBERS | {"T": 0.0}}, "the parameter T must be positive, got 0"),
        ({"parameters": NUMBERS | {"T": "stiff"}}, "the parameter T must be a number, or a function of points"),
        ({"parameters": NUMBERS | {"T": lambda x: 1 - x[0]}}, "the parameter T must be positive, got -"),
        ({"parameters": NUMBERS | {"T": lambda x: np.nan}}, "no finite number at some point"),
        ({"parameters": 3.0}, "parameters must be numbers by name"),
        ({"mesh": "mesh"}, "mesh must be a mesh of scikit-fem, got str"),
        ({"mesh": skfem.MeshTri()}, "the density is one of one dimension, the mesh of two dimensions"),
        ({"degree": 3}, "degree must be 1 or 2"),
        ({"fixed": {"top": "u"}}, "the mesh has no boundary 'top'; it has all, left, right"),
        ({"fixed": {"nowhere": "u"}}, "the boundary 'nowhere' of the mesh is empty"),
        ({"fixed": {"left": "v"}}, "no field is called 'v'; u can be fixed"),
        ({"mass": "heavy"}, "mass must be one of consistent, lumped"),
        ({"integration": "none"}, "integration must be one of selective, full"),
        ({"action": 3}, "must be an Action, got int"),
    ],
)
def test_what_does_not_fit_is_refused(changes, says):
    mesh = line(4, 1.5)
    if "nowhere" in changes.get("fixed", {}):
        mesh = type(mesh)(mesh.p, mesh.t, _boundaries={"nowhere": np.zeros(0, dtype=int)})
    given = {"action": wave((x,)), "mesh": mesh, "parameters": NUMBERS} | changes
    with pytest.raises(ModelError, match=says):
        hx.discretise(given.pop("action"), given.pop("mesh"), given.pop("parameters"), **given)


u, v, J = (sp.Function(name)(x, t) for name in ("u", "v", "J"))
a, b = sp.symbols("a b", positive=True)
INERTIA = u.diff(t) ** 2 / 2


@pytest.mark.parametrize(
    ("fields", "density", "more", "says"),
    [
        ((u,), INERTIA - u.diff(x) ** 4, {}, "the Lagrangian is not quadratic: its second derivative by"),
        ((u,), INERTIA - sp.cos(u), {}, "is not quadratic"),
        ((u,), INERTIA, {"dissipation": sp.Abs(u.diff(t))}, "the dissipation is not quadratic"),
        ((u,), INERTIA - sp.exp(t) * u.diff(x) ** 2, {}, "depends on the time"),
        ((u,), INERTIA - sp.Function("k")(t) * u.diff(x) ** 2, {}, "depends on the time"),
        ((u,), INERTIA, {"loads": {u: sp.sin(t)}}, "depends on the time; .* history of a load"),
        ((u,), INERTIA - sp.Function("A")(x).diff(x) * u**2, {}, "is the derivative of a given function"),
        ((u,), INERTIA - u.diff(x), {}, "linear in Derivative"),
        ((u, v), INERTIA + v.diff(t) ** 2 / 2 + v * u.diff(t) - u * v.diff(t), {}, "gyroscopic forces"),
        ((u,), (u.diff(t) + a * u.diff(x)) ** 2 / 2, {}, "gyroscopic forces"),
        (
            (u, v),
            v * u.diff(t) - u * v.diff(t) - u.diff(x) ** 2 - v.diff(x) ** 2,
            {},
            "of first order in a pair of fields",
        ),
        ((u, J), INERTIA + J.diff(t) ** 2 / 2 - J.diff(t) * u.diff(x), {"loads": {J: a}}, "a load acts on the impulse"),
        (
            (u, J),
            INERTIA + J.diff(t) ** 2 / 2 - J.diff(t) * u.diff(x),
            {"dissipation": J.diff(t) ** 2},
            "the impulse J.* dissipates: such a spring flows",
        ),
        ((u, J), INERTIA + J.diff(t) ** 2 / 2 - J.diff(t) * (u.diff(x) + u.diff(t)), {}, "meets the rate Derivative"),
        ((u, J), INERTIA - J.diff(t) * u.diff(x), {}, "flexibility of the impulses J is not positive definite"),
        ((u,), -INERTIA - u.diff(x) ** 2, {}, "the kinetic energy is negative"),
        ((u,), INERTIA + u.diff(x) ** 2, {}, "the potential is indefinite"),
    ],
)
def test_densities_that_no_mesh_takes_are_refused_by_name(fields, density, more, says):
    system = hx.Action(fields, density, space=(x,), **more)
    with pytest.raises((ActionError, ModelError), match=says):
        hx.discretise(system, line(4), {}, fixed={"left": "all"})


def test_meshes_that_do_not_fit_are_refused():
    w = sp.Function("w")(x, y, t)
    plate = hx.Action((w,), w.diff(t) ** 2 / 2 - (w.diff(x, 2) + w.diff(y, 2)) ** 2 / 2, space=(x, y))
    with pytest.raises(ModelError, match=r"w has second derivatives in space.*on lines only"):
        hx.discretise(plate, skfem.MeshTri(), {})
    with pytest.raises(ActionError, match=r"harmonic is a lumped action.*hamex.simulate"):
        hx.discretise(action("harmonic"), line(4), {"m": 1.0, "k": 1.0})
    lonely = skfem.MeshLine(np.array([[0.0, 1.0, 2.0]]), np.array([[0], [1]]))
    with pytest.raises(ModelError, match="point 2 of the mesh belongs to no cell"):
        hx.discretise(wave((x,)), lonely, NUMBERS)
    flat = skfem.MeshTri(np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]), np.array([[0], [1], [2]]))
    with pytest.raises(ModelError, match="cell 0 of the mesh has no volume"):
        hx.discretise(wave((x, y)), flat, NUMBERS)
    with pytest.raises(ModelError, match="every dof is fixed"):
        hx.discretise(wave((x,)), line(1), NUMBERS, fixed={"all": "u"})
    numbers = {"rho": 1.0, "A": 1.0, "E": 1.0, "I_y": 1.0}
    with pytest.raises(ModelError, match="cannot be lumped"):
        hx.discretise(action("euler-bernoulli"), line(4), numbers, mass="lumped")


# ------------------------------------------------------------------------------------------------ parts
L, HEAVY, STIFF, LOST = sp.symbols("l M K c", positive=True)
W, LUMP = sp.Function("w")(x, t), sp.Function("X")(t)
MU, N, EI, INERTIA = sp.symbols("mu N EI I", positive=True)
STRING = MU * W.diff(t) ** 2 / 2 - N * W.diff(x) ** 2 / 2
SLENDER = MU * W.diff(t) ** 2 / 2 - EI * W.diff(x, 2) ** 2 / 2
TIP = hx.Part({x: L}, "end", HEAVY * W.diff(t) ** 2 / 2)


def roots(function, *between):
    return [brentq(function, *pair) for pair in between]


def test_a_beam_with_a_mass_at_its_tip_has_the_textbooks_frequencies():
    """External, Meirovitch 1967: 1 + cos λ cosh λ + (M/μl) λ (cos λ sinh λ − sin λ cosh λ) = 0; order 4 in the mesh."""
    clamp = hx.Part({x: 0}, "start", motions={W: 0, W.diff(x): 0})
    system = hx.Action((W,), SLENDER, space=(x,), parts=(TIP, clamp))

    def textbook(a):
        return 1 + np.cos(a) * np.cosh(a) + 0.5 * a * (np.cos(a) * np.sinh(a) - np.sin(a) * np.cosh(a))

    exact = np.array(roots(textbook, (1, 2), (3, 5), (6, 8))) ** 2
    errors = []
    for elements in (8, 16):
        beam = hx.discretise(system, line(elements), {"mu": 1.0, "EI": 1.0, "M": 0.5, "l": 1.0})
        errors.append(hx.modes(beam, 3).frequencies / exact - 1)
    assert np.all(errors[1] < 3e-5)
    assert np.all(np.abs(np.log2(errors[0][1:] / errors[1][1:]) - 4) < 0.1)


def test_rayleighs_beam_turns_its_sections():
    """Analytic, simply supported: ω² = EI k⁴/(ρA + ρI k²), k = nπ/l; lumped masses have no slopes."""
    system = hx.Action((W,), SLENDER + INERTIA * W.diff(x, t) ** 2 / 2, space=(x,), name="rayleigh")
    numbers = {"mu": 2.0, "EI": 3.0, "I": 0.05}
    beam = hx.discretise(system, line(20), numbers, fixed={"left": "w", "right": "w"})
    k = np.pi * np.arange(1, 5)
    assert np.allclose(hx.modes(beam, 4).frequencies, np.sqrt(3 * k**4 / (2 + 0.05 * k**2)), rtol=2e-4)
    rod = hx.Action((W,), STRING + INERTIA * W.diff(x, t) ** 2 / 2, space=(x,), name="love")
    numbers = {"mu": 2.0, "N": 3.0, "I": 0.05}
    bar = hx.discretise(rod, line(40), numbers, degree=2, fixed={"left": "w", "right": "w"})
    assert np.allclose(hx.modes(bar, 4).frequencies, np.sqrt(3 * k**2 / (2 + 0.05 * k**2)), rtol=2e-6)
    with pytest.raises(ModelError, match="cannot be lumped"):
        hx.discretise(rod, line(4), numbers, mass="lumped")


def test_an_oscillator_on_a_string_is_a_dof_beside_its_nodes():
    """Analytic: 2√(Nμ) ω cot(ωl/2v) = MKω²/(K − Mω²), at the middle, wherever the nodes are."""
    hung = hx.Part({x: L / 2}, "inside", HEAVY * LUMP.diff(t) ** 2 / 2 - STIFF * (LUMP - W) ** 2 / 2)
    system = hx.Action((W, LUMP), STRING, space=(x,), parts=(hung,))
    numbers = {"mu": 1.0, "N": 1.0, "M": 0.5, "K": 3.0, "l": 1.0}

    def textbook(a):
        return 2 * a / np.tan(a / 2) - 0.5 * 3 * a**2 / (3 - 0.5 * a**2)

    exact = roots(textbook, (1.5, 2.44), (2.46, 4.5))
    for elements in (60, 61):
        string = hx.discretise(system, line(elements), numbers, degree=2, fixed={"left": "w", "right": "w"})
        assert np.allclose(hx.modes(string, 2).frequencies, exact, rtol=1e-3 if elements % 2 else 1e-6)
    assert string.dofs[-1] == "X"
    assert string.influence[-1, 0] == pytest.approx(1.0)  # a moving ground carries it along
    start = string.fields.interpolated(X=0.25)
    assert start @ string.fields.at("X") == 0.25
    assert string.fields.values("X", start).tolist() == [0.25]


def test_a_dashpot_of_the_right_impedance_ends_all_motion():
    """Analytic: a string with c = √(Nμ) at its free end is at rest once every wave has gone through it."""
    end = hx.Part({x: L}, "end", dissipation=LOST * W.diff(t) ** 2 / 2)
    system = hx.Action((W,), STRING, space=(x,), parts=(end,))
    left = {}
    for c in (6.0, 1.0):
        string = hx.discretise(
            system, line(200), {"mu": 4.0, "N": 9.0, "c": c, "l": 1.0}, degree=2, fixed={"left": "w"}
        )
        M, C, K = string.mass.toarray(), string.damping.dense(), string.stiffness.toarray()
        size = len(M)
        flow = np.block([[np.zeros((size, size)), np.eye(size)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
        bump = string.fields.interpolated(w=lambda p: np.exp(-60 * (p[0] - 0.5) ** 2))
        left[c] = np.abs((expm(1.6 * flow) @ np.append(bump, 0 * bump))[:size]).max()
    assert left[6.0] < 1e-3
    assert left[1.0] > 0.1


def test_springs_and_tractions_on_a_named_boundary():
    """Analytic: a bar in the plane, held by nothing but a bed of springs κ under a traction τ: it moves by τ/κ; and a
    mass on the boundary adds its length times its density."""
    u = sp.Function("u")(x, y, t)
    rho, T = sp.symbols("rho T", positive=True)
    bed = hx.Part("left", lagrangian=-STIFF * u**2 / 2 + HEAVY * u.diff(t) ** 2 / 2)
    pulled = hx.Part("right", loads={u: sp.Function("tau")(x, y, t)})
    density = rho * u.diff(t) ** 2 / 2 - T * (u.diff(x) ** 2 + u.diff(y) ** 2) / 2
    system = hx.Action((u,), density, space=(x, y), parts=(bed, pulled))
    ends = {"left": lambda p: p[0] == 0.0, "right": lambda p: p[0] == 1.0}
    mesh = skfem.MeshQuad().refined(2).with_boundaries(ends)
    body = hx.discretise(system, mesh, {"rho": 2.0, "T": 5.0, "K": 4.0, "M": 3.0, "tau": 8.0})
    moved = spsolve(body.stiffness.tocsc(), body.fields.stated_load)
    assert np.allclose(moved @ body.fields.at("u", 0.0, 0.3), 8 / 4)
    assert np.allclose(moved @ body.fields.at("u", 1.0, 0.7), 8 / 4 + 8 / 5)
    assert np.ones(body.mass.shape[0]) @ body.mass @ np.ones(body.mass.shape[0]) == pytest.approx(2.0 + 3.0)


def test_parts_that_a_mesh_does_not_take():
    numbers = {"mu": 1.0, "N": 1.0, "M": 1.0, "l": 2.0}
    string = hx.Action((W,), STRING, space=(x,), parts=(TIP,), name="tipped")
    with pytest.raises(ModelError, match="a part is at 2, outside of the mesh"):
        hx.discretise(string, line(4), numbers)
    with pytest.raises(ModelError, match="tipped needs a number for M, l"):
        hx.discretise(string, line(4), {"mu": 1.0, "N": 1.0})
    held = hx.Action((W,), STRING, space=(x,), parts=(hx.Part({x: L}, "inside", motions={W: 0}),))
    with pytest.raises(ModelError, match="where the mesh has no node"):
        hx.discretise(held, line(4), {"mu": 1.0, "N": 1.0, "l": 0.3})
    shaken = hx.Action((W,), STRING, space=(x,), parts=(hx.Part({x: L}, "end", motions={W: sp.sin(t)}),))
    with pytest.raises(ActionError, match="holds motions at zero"):
        hx.discretise(shaken, line(4), {"mu": 1.0, "N": 1.0, "l": 1.0})
    hard = hx.Action((W,), STRING, space=(x,), parts=(hx.Part({x: L}, "end", -STIFF * W**4),))
    with pytest.raises(ActionError, match=r"part .* not quadratic"):
        hx.discretise(hard, line(4), {"mu": 1.0, "N": 1.0, "K": 1.0, "l": 1.0})
    u = sp.Function("u")(x, y, t)
    edge = hx.Part({x: L}, "end", HEAVY * u.diff(t) ** 2 / 2)
    plane = hx.Action((u,), -(u.diff(x) ** 2) - u.diff(y) ** 2, space=(x, y), parts=(edge,))
    with pytest.raises(ModelError, match="takes the name of a boundary"):
        hx.discretise(plane, MESHES["triangles"](), {"M": 1.0, "l": 1.0})


def test_fields_refuse_what_they_do_not_have():
    fields = hx.discretise(wave((x,)), line(4), NUMBERS).fields
    with pytest.raises(ModelError, match="no field is called 'w'; there are u"):
        fields.load(w=1.0)
    with pytest.raises(ModelError, match="the mesh has no boundary 'rim'"):
        fields.boundary_load("rim", u=1.0)
    with pytest.raises(ModelError, match="the point 2 is outside of the mesh"):
        fields.at("u", 2.0)
    with pytest.raises(ModelError, match="give 1 coordinates"):
        fields.at("u", 0.5, 0.5)
    with pytest.raises(ModelError, match="one number for each"):
        fields.load(u=lambda x: np.ones(3))
