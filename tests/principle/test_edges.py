"""Boundaries in two and three dimensions: forces on straight and curved edges, at corners, across interfaces; rates
with space derivatives.

References: *analytic* (Green's identity on a rectangle, a disc, a box and a ball with polynomials, exact; textbook
formulas written out), *external* (Timoshenko and Woinowsky-Krieger, Theory of Plates and Shells, 2nd ed. 1959).
"""

from itertools import product

import pytest
import sympy as sp

from hamex.errors import ActionError
from hamex.principle import Action, edges, t
from hamex.principle.jets import is_zero

X = sp.symbols("x y z", real=True)
x, y, z = X
D, nu, rho = sp.symbols("D nu rho", positive=True)
R = sp.Rational


def field(name, space):
    return sp.Function(name)(*space, t)


def kirchhoff():
    w = field("w", (x, y))
    bent = (w.diff(x, 2) + w.diff(y, 2)) ** 2 - 2 * (1 - nu) * (w.diff(x, 2) * w.diff(y, 2) - w.diff(x, y) ** 2)
    return w, Action((w,), rho * w.diff(t) ** 2 / 2 - D * bent / 2, space=(x, y))


def moduli(dimensions):
    """C_ijkl with its symmetries, nothing else alike: integers, in pairs of axes."""
    pairs = [(i, j) for i in range(dimensions) for j in range(i, dimensions)]
    found = {}
    for a, p in enumerate(pairs):
        for b, q in enumerate(pairs):
            value = 11 + 7 * a if a == b else (2 + 3 * a * b + a + b) % 7 if abs(a - b) < 3 - dimensions // 3 else 0
            for i, j in {p, p[::-1]}:
                for k, l in {q, q[::-1]}:
                    found[i, j, k, l] = sp.Integer(value)
    return found


def anisotropic(C, dimensions, rest=0):
    """½ C_ijkl w_ij w_kl in the potential: a plate of any anisotropy, or a body with second gradients."""
    space = X[:dimensions]
    w = field("w", space)
    axes = range(dimensions)
    energy = sum(
        C[i, j, k, l] * w.diff(space[i], space[j]) * w.diff(space[k], space[l])
        for i, j, k, l in product(axes, repeat=4)
    )
    return w, Action((w,), -energy / 2 - rest * sum(w.diff(v) ** 2 for v in space) / 2, space=space)


def put(expression, w, shape):
    jets = {node: shape.diff(*node.variables) for node in expression.atoms(sp.Derivative)}
    return sp.expand(expression.xreplace(jets | {w: shape}))


# ------------------------------------------------------------------------------------------------ plates
def test_straight_edges_of_a_plate_have_two_conditions_each():
    """Kirchhoff's V = −D(w_nnn + (2 − ν) w_nss) and M = D(w_nn + ν w_ss), on either axis, either way."""
    w, plate = kirchhoff()
    for a, s, sign in ((x, y, 1), (y, x, 1), (x, y, -1)):
        shear, moment = plate.boundary_conditions([sign * (v == a) for v in (x, y)])
        assert is_zero(shear.force + sign * D * (w.diff(a, 3) + (2 - nu) * w.diff(a, s, s)))
        assert is_zero(moment.force - D * (w.diff(a, 2) + nu * w.diff(s, 2)))
        assert (shear.motion, moment.motion) == (w, sign * w.diff(a))


ROTATED = [[R(1, 1) * sp.sqrt(3) / 2, R(-1, 2)], [R(1, 2), sp.sqrt(3) / 2]]  # by 30°


@pytest.mark.heavy
def test_axes_turned_by_30_degrees_leave_the_conditions_as_they_are():
    """Any anisotropy: tensor and field turned forth, conditions taken, field turned back: the same, exactly."""
    C, turn, axes = moduli(2), sp.Matrix(ROTATED), range(2)
    turned = {
        (i, j, k, l): sum(
            turn[i, a] * turn[j, b] * turn[k, c] * turn[l, d] * C[a, b, c, d] for a, b, c, d in product(axes, repeat=4)
        )
        for i, j, k, l in product(axes, repeat=4)
    }
    w, one = anisotropic(C, 2)
    _, other = anisotropic(turned, 2)
    shape = x**4 + 2 * x**3 * y - x**2 * y**2 + 3 * x * y**3 - y**4 + 5 * x**2 * y + x * y**2 + 4 * x * y
    old = turn.T * sp.Matrix([x, y])  # places in the first frame by those in the second
    seen = sp.expand(shape.subs({x: old[0], y: old[1]}, simultaneous=True))
    n, kappa = sp.Matrix([R(3, 5), R(4, 5)]), R(2, 7)
    here = {x: R(1, 3), y: R(-2, 5)}
    there = dict(zip((x, y), turn * sp.Matrix([here[x], here[y]]), strict=True))
    pairs = zip(
        (*one.boundary_conditions(n, curvature=kappa), *one.corners([((1, 0), (0, 1)), ((0, 1), (1, 0))])),
        (
            *other.boundary_conditions(turn * n, curvature=kappa),
            *other.corners([(turn.col(0), turn.col(1)), (turn.col(1), turn.col(0))]),
        ),
        strict=True,
    )
    found = [
        [put(c, w, f).subs(at) for c, f, at in ((a, shape, here), (b, seen, there))]
        for one, other in pairs
        for a, b in ((one.force, other.force), (one.motion, other.motion))
    ]
    for tensor in (lambda a: edges.double_forces(a, w), lambda a: sp.Matrix(edges.shears(a, w))):
        here_, there_ = (
            tensor(a).applyfunc(lambda e, f=f, at=at: put(e, w, f).subs(at))
            for a, f, at in ((one, shape, here), (other, seen, there))
        )
        expected = turn * here_ * turn.T if here_.cols == 2 else turn * here_
        found += list(zip(expected, there_, strict=True))
    assert all(sp.expand(a - b) == 0 for a, b in found)
    assert len(found) == 6 + 4 + 2
    assert all(a != 0 for a, _ in found)


def test_a_round_plate_has_the_textbooks_formulas_in_polar_coordinates():
    """External: T. and W.-K., art. 63: V = Q_r − ∂M_rt/r∂θ, M_rt = (1 − ν)D(w_rθ/r − w_θ/r²), Q_r = −D ∂(Δw)/∂r."""
    w, plate = kirchhoff()
    r, theta = sp.symbols("r theta", positive=True)
    here = {r: R(7, 3), theta: R(4, 5), nu: R(1, 3), D: 2}
    for shape in (x**3 * y + 2 * x**2 * y**2, x**4 - x * y**3 + y**2):
        n = (sp.cos(theta), sp.sin(theta))
        circle = {x: r * n[0], y: r * n[1]}
        f = shape.subs(circle)
        laplace = f.diff(r, 2) + f.diff(r) / r + f.diff(theta, 2) / r**2
        twist = (1 - nu) * D * (f.diff(r, theta) / r - f.diff(theta) / r**2)
        shear = -D * laplace.diff(r) - twist.diff(theta) / r
        moment = D * (f.diff(r, 2) + nu * (f.diff(r) / r + f.diff(theta, 2) / r**2))
        found = plate.boundary_conditions(n, curvature=1 / r)
        for c, expected in zip(found, (shear, moment), strict=True):
            assert abs(sp.N((put(c.force, w, shape).subs(circle) - expected).subs(here), 40)) < 1e-30
        straight = put(plate.boundary_conditions(n, curvature=0)[0].force, w, shape).subs(circle)
        assert abs(sp.N((straight - shear).subs(here))) > 0.1


def test_corner_force_of_naviers_plate():
    """External, T. and W.-K., art. 27: R = 2q(1 − ν)/(π²ab(1/a² + 1/b²)²) under q sin(πx/a) sin(πy/b), downwards; and
    the edges and the corners carry the whole load."""
    w, plate = kirchhoff()
    a, b, q = sp.symbols("a b q", positive=True)
    shape = sp.sin(sp.pi * x / a) * sp.sin(sp.pi * y / b)
    deflection = q * shape / (sp.pi**4 * D * (1 / a**2 + 1 / b**2) ** 2)
    assert sp.simplify(put(plate.strong_form()[w], w, deflection) - q * shape) == 0
    (corner,) = plate.corners()
    force = put(corner.force, w, deflection)
    held = 2 * q * (1 - nu) / (sp.pi**2 * a * b * (1 / a**2 + 1 / b**2) ** 2)
    assert sp.simplify(force.subs({x: a, y: b}) - held) == 0
    total = sp.integrate(q * shape, (x, 0, a), (y, 0, b)) + 4 * held
    for n, v, s, length in (((1, 0), x, y, b), ((-1, 0), x, y, b), ((0, 1), y, x, a), ((0, -1), y, x, a)):
        at = (a if v == x else b) if sum(n) > 0 else 0
        shear = put(plate.boundary_conditions(n)[0].force, w, deflection).subs(v, at)
        total += sp.integrate(shear, (s, 0, length))
    assert sp.simplify(total) == 0


@pytest.mark.heavy
def test_corner_force_of_levys_plate():
    """External, T. and W.-K., table 8: R = 0.065 qa² for the simply supported square under q, ν = 0.3."""
    w, plate = kirchhoff()
    total = 0.0
    (corner,) = plate.corners()
    for m in range(1, 20, 2):  # a = q = D = 1, −½ ≤ y ≤ ½
        k, alpha = m * sp.pi, sp.N(m * sp.pi / 2)
        term = 1 - (alpha * sp.tanh(alpha) + 2) / (2 * sp.cosh(alpha)) * sp.cosh(k * y)
        term += alpha / (2 * sp.cosh(alpha)) * 2 * y * sp.sinh(k * y)
        piece = put(corner.force, w, 4 / sp.pi**5 / m**5 * term * sp.sin(k * x))
        total += float(piece.subs({D: 1, nu: R(3, 10), x: 1, y: R(1, 2)}))
    assert abs(total - 0.065) < 5e-4


def test_a_plate_with_rotations_of_its_own_has_three_conditions_and_no_corner_force():
    """Reissner and Mindlin."""
    w, a, b = (field(name, (x, y)) for name in ("w", "psi_x", "psi_y"))
    G = sp.Symbol("G", positive=True)
    bent = (a.diff(x) + b.diff(y)) ** 2 - (1 - nu) * (2 * a.diff(x) * b.diff(y) - (a.diff(y) + b.diff(x)) ** 2 / 2)
    shear = (w.diff(x) - a) ** 2 + (w.diff(y) - b) ** 2
    plate = Action((w, a, b), -D * bent / 2 - G * shear / 2, space=(x, y))
    found = plate.boundary_conditions((1, 0))
    assert [c.motion for c in found] == [w, a, b]
    assert is_zero(found[0].force - G * (w.diff(x) - a))
    assert is_zero(found[2].force - D * (1 - nu) / 2 * (a.diff(y) + b.diff(x)))
    assert plate.corners() == []


# ------------------------------------------------------------------------------------------------ Green's identity
def unit_ball(polynomial, space, surface):
    """∫ of a polynomial over the unit disc or ball, or its rim: Γ functions, exact."""
    total, d = sp.S.Zero, len(space)
    for powers, c in sp.Poly(polynomial, *space).terms():
        if all(p % 2 == 0 for p in powers):
            piece = 2 * sp.prod(sp.gamma(R(p + 1, 2)) for p in powers) / sp.gamma(R(sum(powers) + d, 2))
            total += c * piece / (1 if surface else sum(powers) + d)
    return total


def box(polynomial, sides):
    for v, (low, high) in sides.items():
        polynomial = sp.integrate(sp.expand(polynomial), (v, low, high))
    return polynomial


SHAPES = {
    2: (x**4 + 2 * x**3 * y - x**2 * y**2 + 3 * x * y**3 + x * y, 1 + 2 * x - y + x**2 + 3 * x * y + x**2 * y),
    3: (x**3 * y - x**2 * z**2 + 3 * y**2 * z + x * y * z, 1 + 2 * x - y + 3 * x * y - y * z),
}


def stored(system, w, shape, virtual):
    """−∂L at the field in the direction of a virtual one."""
    jets = system.lagrangian.atoms(sp.Derivative)
    return -sum(put(sp.diff(system.lagrangian, j), w, shape) * virtual.diff(*j.variables) for j in jets)


@pytest.mark.parametrize("dimensions", [2, pytest.param(3, marks=pytest.mark.heavy)])
def test_virtual_work_on_a_disc_and_in_a_ball(dimensions):
    """∫ −δL = ∫ bulk δw + ∮ (V δw + M_n ∂δw/∂n): b_ij = δ_ij − n_i n_j on the unit sphere, κ = 1 on the circle."""
    w, system = anisotropic(moduli(dimensions), dimensions, rest=3)
    space = X[:dimensions]
    shape, virtual = SHAPES[dimensions]
    n = sp.Matrix(space)  # on the rim
    flat = sp.eye(dimensions) - n * n.T
    Q, M = sp.Matrix(edges.shears(system, w)), edges.double_forces(system, w)
    Q, M = (of.applyfunc(lambda e: put(e, w, shape)) for of in (Q, M))
    shear, moment = edges._forces(Q, M, [M.diff(v) for v in space], edges.Shape(tuple(n), flat, flat))
    inside = stored(system, w, shape, virtual) - put(system.strong_form()[w], w, shape) * virtual
    around = shear * virtual + moment * sum(v * virtual.diff(v) for v in space)
    assert sp.expand(unit_ball(inside, space, False) - unit_ball(around, space, True)) == 0


@pytest.mark.heavy
@pytest.mark.parametrize("dimensions", [2, pytest.param(3, marks=pytest.mark.heavy)])
def test_virtual_work_in_a_box_needs_its_corners_and_edges(dimensions):
    w, system = anisotropic(moduli(dimensions), dimensions, rest=3)
    space = X[:dimensions]
    shape, virtual = SHAPES[dimensions]
    sides = dict(zip(space, [(0, 1), (R(-1, 2), 2), (0, 3)], strict=False))
    total = box(stored(system, w, shape, virtual) - put(system.strong_form()[w], w, shape) * virtual, sides)
    corners = sp.S.Zero
    for v, way in product(space, (0, 1)):
        n = [(2 * way - 1) * (u == v) for u in space]
        work = sp.S.Zero
        for c in system.boundary_conditions(n):
            work += put(c.force, w, shape) * put(c.motion, w, virtual)
        total -= box(work.subs(v, sides[v][way]), {u: s for u, s in sides.items() if u != v})
    for one, other in ((a, b) for i, a in enumerate(space) for b in space[i + 1 :]):
        for ways in product((0, 1), repeat=2):
            n, m = (
                sp.Matrix([(2 * way - 1) * (u == v) for u in space]) for v, way in zip((one, other), ways, strict=True)
            )
            (corner,) = system.corners([(n, m), (m, n)])
            work = (put(corner.force, w, shape) * virtual).subs(
                {one: sides[one][ways[0]], other: sides[other][ways[1]]}
            )
            corners += box(work, {u: s for u, s in sides.items() if u not in (one, other)})
    assert sp.expand(total - corners) == 0
    assert corners != 0


@pytest.mark.heavy
def test_double_traction_of_a_strain_gradient_solid():
    """Mindlin 1964, form II, μ_ijk = ∂W/∂u_k,ij: t_k = n_j(τ_jk − ∂_i μ_ijk) − D_j(n_i μ_ijk) + (D_l n_l) n_i n_j μ_ijk
    and R_k = n_i n_j μ_ijk, written out on a curved surface; nothing here is taken from the module."""
    u = [field(f"u_{i}", X) for i in (1, 2, 3)]
    lam, g = sp.symbols("lambda g", positive=True)
    trace = sum(v.diff(a) for v, a in zip(u, X, strict=True))
    gradients = sum(v.diff(a, b) ** 2 for v in u for a in X for b in X)
    solid = Action(tuple(u), -lam * trace**2 / 2 - g * gradients / 2, space=X)
    n = sp.symbols("n_x n_y n_z", real=True)
    b = sp.Matrix(3, 3, lambda i, j: sp.Symbol("b_" + "".join(sorted(f"{X[i]}{X[j]}")), real=True))
    axes = range(3)
    found = solid.boundary_conditions()
    assert len(found) == 6
    for k in (0, 2):
        mu = [[g * u[k].diff(X[i], X[j]) for j in axes] for i in axes]
        normal = sum(n[i] * n[j] * mu[i][j] for i in axes for j in axes)
        traction = lam * trace * n[k] - sum(n[j] * mu[i][j].diff(X[i]) for i in axes for j in axes)
        for i, j in product(axes, repeat=2):
            along = mu[i][j].diff(X[j]) - n[j] * sum(n[p] * mu[i][j].diff(X[p]) for p in axes)
            traction -= n[i] * along + mu[i][j] * b[j, i]
        traction += b.trace() * normal
        force, double = (c for c in found if c.field == u[k])
        assert is_zero(force.force - traction)
        assert is_zero(double.force - normal)
    assert len(solid.corners()) == 3


# ------------------------------------------------------------------------------------------------ interfaces, refusals
def test_across_an_interface_forces_jump():
    w, plate = kirchhoff()
    stiff = Action((w,), plate.lagrangian.subs(D, 5 * D), space=(x, y))
    left, right = (field(f"w_{side}", (x, y)) for side in ("minus", "plus"))
    shear, moment = plate.interface(stiff, normal=(1, 0))
    assert is_zero(
        moment.force - D * (left.diff(x, 2) + nu * left.diff(y, 2) - 5 * right.diff(x, 2) - 5 * nu * right.diff(y, 2))
    )
    assert is_zero(shear.force.subs(right, left / 5).doit())
    other = field("v", (x, y))
    with pytest.raises(ActionError, match="same fields"):
        plate.interface(Action((other,), -(other.diff(x) ** 2), space=(x, y)))
    thin = Action((w,), -(w.diff(x) ** 2), space=(x, y))
    with pytest.raises(ActionError, match="different motions"):
        plate.interface(thin)


def test_a_normal_has_unit_length_and_a_surface_a_symmetric_curvature():
    _, plate = kirchhoff()
    with pytest.raises(ActionError, match="unit vector"):
        plate.boundary_conditions((1, 1))
    _, body = anisotropic(moduli(3), 3)
    with pytest.raises(ActionError, match="symmetric matrix"):
        body.boundary_conditions((1, 0, 0), curvature=[[0, 1, 0], [0, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize("dimensions", [2, pytest.param(3, marks=pytest.mark.heavy)])
def test_a_wrong_integration_along_the_boundary_is_found(monkeypatch, dimensions):
    right = edges._forces

    def wrong(Q, M, slopes, shape):
        force, moment = right(Q, M, slopes, shape)
        return force + shape.curvature.trace() * moment, moment

    edges._certify.__wrapped__(dimensions)
    monkeypatch.setattr(edges, "_forces", wrong)
    with pytest.raises(ArithmeticError, match="along the boundary"):
        edges._certify.__wrapped__(dimensions)


# ------------------------------------------------------------------------------------------------ space and time
def test_rayleighs_beam_has_inertia_at_its_free_end():
    """½ρI ẇ′²: p = ρAẇ − (ρIẇ′)′, and ρIẅ′ in the shear; ρIẇ′ is the momentum of the end itself (Rayleigh, § 162)."""
    A, E, inertia = sp.symbols("A E I", positive=True)
    w = field("w", (x,))
    beam = Action(
        (w,),
        rho * A * w.diff(t) ** 2 / 2 + rho * inertia * w.diff(x, t) ** 2 / 2 - E * inertia * w.diff(x, 2) ** 2 / 2,
        space=(x,),
    )
    n = sp.Symbol("n_x", real=True)
    slope = rho * inertia * w.diff(x, t)
    assert is_zero(beam.strong_form()[w] - rho * A * w.diff(t, 2) + slope.diff(t, x) - E * inertia * w.diff(x, 4))
    assert is_zero(beam.momentum(w) - rho * A * w.diff(t) + slope.diff(x))
    assert is_zero(beam.variation().ends[w] - beam.momentum(w))
    shear, moment = beam.boundary_conditions()
    assert is_zero(shear.force - n * (slope.diff(t) - E * inertia * w.diff(x, 3)))
    assert is_zero(moment.force - n * E * inertia * w.diff(x, 2))
    (momentum,) = beam.boundary_momenta()
    assert (momentum.motion, is_zero(momentum.force - n * slope)) == (w, True)
    energy = rho * A * w.diff(t) ** 2 / 2 + rho * inertia * w.diff(x, t) ** 2 / 2 + E * inertia * w.diff(x, 2) ** 2 / 2
    assert is_zero(beam.hamiltonian() - energy)


def test_rates_of_curvature_in_the_plane_leave_momenta_on_the_edge():
    """½ρ(Δẇ)²: the identity of the variation holds, and the edge carries momenta of w and of ∂w/∂n."""
    w = field("w", (x, y))
    laplace = w.diff(x, 2) + w.diff(y, 2)
    system = Action(
        (w,), rho * laplace.diff(t) ** 2 / 2 - D * laplace**2 / 2, D * laplace.diff(t) ** 2 / 2, space=(x, y)
    )
    force = rho * laplace.diff(t, 2) + D * laplace + D * laplace.diff(t)
    assert is_zero(system.strong_form()[w] - force.diff(x, 2) - force.diff(y, 2))
    momentum, turn = system.boundary_momenta((1, 0))
    assert is_zero(turn.force - rho * laplace.diff(t))
    assert is_zero(momentum.force + rho * laplace.diff(t, x))
    shear, moment = system.boundary_conditions((1, 0))
    assert is_zero(moment.force - force)
    assert is_zero(shear.force + force.diff(x))


def test_derivatives_beyond_those_are_refused():
    w = field("w", (x,))
    for term in (w.diff(t, 2), w.diff(x, 3), w.diff(x, t, t)):
        with pytest.raises(ActionError, match="not covered"):
            Action((w,), term**2, space=(x,))
