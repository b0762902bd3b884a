"""The builder of bodies: matrices, patches, masses, materials, conditions and refusals."""

import itertools

import numpy as np
import pytest
import skfem
from meshed import ALL, EXACT, bent, block, moved
from scipy.linalg import eigh
from skfem.helpers import ddot, div, sym_grad, trace
from skfem.models.elasticity import lame_parameters, linear_elasticity

import hamex as hx
from hamex.errors import LawError, LockingWarning, ModelError
from hamex.schemes import onestage

STEEL = hx.Material(density=7.0, modulus=200.0, poisson=0.3)
METAL = STEEL.with_law(hx.laws.J2(yield_stress=1.0, kinematic=20.0))
ELEMENTS = {
    ("tri", 1): skfem.ElementTriP1,
    ("tri", 2): skfem.ElementTriP2,
    ("quad", 1): skfem.ElementQuad1,
    ("quad", 2): skfem.ElementQuad2,
    ("tet", 1): skfem.ElementTetP1,
    ("tet", 2): skfem.ElementTetP2,
    ("hex", 1): skfem.ElementHex1,
    ("hex", 2): skfem.ElementHex2,
}
STRAINS = {2: ["xx", "yy", "zz", "xy"], 3: ["xx", "yy", "zz", "xy", "yz", "zx"]}


def plain(cell, degree):
    """Options that leave out B-bar where it is the default."""
    return {"mean_dilatation": False} if degree == 1 and cell in ("quad", "hex") else {}


def near(found, wanted, within):
    """Equal within a share of the largest entry."""
    found, wanted = (x.toarray() if hasattr(x, "toarray") else np.asarray(x) for x in (found, wanted))
    assert found.shape == wanted.shape
    return np.abs(found - wanted).max() <= within * np.abs(wanted).max()


def elastic(model):
    """K + B A⁻¹ Bᵀ."""
    B = model.compatibility.toarray()
    return model.stiffness.toarray() + B @ np.linalg.solve(model.flexibility.toarray(), B.T)


def rigid_motions(points):
    """(node · dimension, motion), from points (node, dimension)."""
    d = points.shape[1]
    motions = [np.tile(way, (len(points), 1)) for way in np.eye(d)]
    for a, b in itertools.combinations(range(d), 2):
        turn = np.zeros_like(points)
        turn[:, a], turn[:, b] = -points[:, b], points[:, a]
        motions.append(turn)
    return np.stack([motion.ravel() for motion in motions], axis=1)


# ---------------------------------------------------------------------------------------------------- matrices
@pytest.mark.parametrize(("cell", "degree"), ALL)
def test_stiffness_and_mass_are_those_of_scikit_fem(cell, degree):
    """Reference: external, scikit-fem's own forms and assembly (skfem.models.elasticity)."""
    mesh = bent(block(cell))
    model = hx.solid(mesh, STEEL, degree=degree, **plain(cell, degree))
    vector = skfem.ElementVector(ELEMENTS[cell, degree]())
    rule = model.body.elements.rule if (cell, degree) == ("tri", 1) else None  # scikit-fem has no rule of one point
    basis = skfem.Basis(mesh, vector, intorder=None if rule else EXACT[cell, degree], quadrature=rule)
    K = linear_elasticity(*lame_parameters(200.0, 0.3)).assemble(basis)
    assert near(model.stiffness, K, 1e-13)
    mass = skfem.BilinearForm(lambda u, v, w: 7.0 * sum(u[i] * v[i] for i in range(mesh.dim())))
    # The rule is exact on cells whose map is affine; on bent quadrilaterals both take the same points.
    M = mass.assemble(skfem.Basis(mesh, vector, intorder=2 * degree))
    assert near(model.mass, M, 1e-13)


@pytest.mark.parametrize("cell", ["quad", "hex"])
def test_mean_dilatation_projects_volume_changes_on_cells(cell):
    """Reference: external, scikit-fem's forms: deviator at the points, and κ (∫div u)²/V of each cell."""
    mesh = bent(block(cell))
    model = hx.solid(mesh, STEEL)
    assert model.body.mean_dilatation
    lame, shear = lame_parameters(200.0, 0.3)
    basis = skfem.Basis(mesh, skfem.ElementVector(ELEMENTS[cell, 1]()), intorder=3)
    cells = basis.with_element(skfem.ElementQuad0() if cell == "quad" else skfem.ElementHex0())
    volume = skfem.BilinearForm(lambda p, q, w: p * q).assemble(cells).diagonal()
    change = skfem.BilinearForm(lambda u, q, w: div(u) * q).assemble(basis, cells)
    deviator = skfem.BilinearForm(
        lambda u, v, w: 2 * shear * (ddot(sym_grad(u), sym_grad(v)) - trace(sym_grad(u)) * trace(sym_grad(v)) / 3)
    ).assemble(basis)
    K = deviator + (lame + 2 * shear / 3) * change.T @ (change.multiply(1 / volume[:, None]))
    assert near(model.stiffness, K, 1e-13)
    assert not near(hx.solid(mesh, STEEL, mean_dilatation=False).stiffness, K, 1e-3)


@pytest.mark.parametrize(("cell", "degree"), ALL)
def test_a_patch_of_any_cells_holds_a_constant_strain(cell, degree):
    """Reference: analytic; forces of any linear displacement are those of its constant stress at the boundary."""
    mesh = bent(block(cell))
    d = mesh.dim()
    G = 0.01 * np.array([[1.0, 0.3, -0.4], [0.7, -0.5, 0.2], [-0.6, 0.1, 0.8]])[:d, :d]
    for plane in ("strain", "stress") if d == 2 else ("strain",):
        model = hx.solid(mesh, STEEL, plane=plane, degree=degree, thickness=0.7)
        body = model.body
        u = body.field(lambda x: np.tensordot(G, x, 1))
        names = body.components
        full = np.zeros((3, 3))
        full[:d, :d] = G
        wanted = [
            full["xyz".index(a), "xyz".index(b)] + (full["xyz".index(b), "xyz".index(a)] if a != b else 0.0)
            for a, b in names
        ]
        strain = body.strain(body.displacement(u))
        assert np.abs(strain - wanted).max() < 1e-15
        stress = body.stress(body.displacement(u), np.zeros(0))
        assert np.abs(stress - stress[0, 0]).max() < 1e-12
        sigma = np.zeros((3, 3))
        for (a, b), value in zip(names, stress[0, 0], strict=True):
            i, j = "xyz".index(a), "xyz".index(b)
            sigma[i, j] = sigma[j, i] = value
        around = mesh.with_boundaries({"around": mesh.boundary_facets()}).boundaries["around"]
        basis = skfem.FacetBasis(mesh, ELEMENTS[cell, degree](), facets=around, intorder=2 * degree + 1)
        pulled = np.zeros((len(body.nodes), d))
        for i in range(d):
            along = skfem.LinearForm(lambda v, w, row=sigma[i]: v * sum(row[j] * w.n[j] for j in range(d)))
            pulled[:, i] = body.thickness * along.assemble(basis)
        assert near(model.stiffness @ u, pulled.ravel(), 1e-12)


@pytest.mark.filterwarnings("ignore::hamex.errors.LockingWarning")
@pytest.mark.parametrize(("cell", "degree"), ALL)
def test_rigid_motions_strain_nothing(cell, degree):
    """Reference: analytic."""
    mesh = bent(block(cell))
    model = hx.solid(mesh, STEEL, degree=degree)
    motions = rigid_motions(model.body.nodes)
    assert np.abs(model.stiffness @ motions).max() < 1e-12 * np.abs(model.stiffness).max()
    points = hx.solid(mesh, METAL, degree=degree)
    assert np.abs(points.compatibility.T @ motions).max() < 1e-13
    loose = np.linalg.eigvalsh(model.stiffness.toarray())
    assert np.sum(loose < 1e-10 * loose[-1]) == motions.shape[1]


@pytest.mark.parametrize(("cell", "degree"), ALL)
def test_masses_add_up_and_lumped_ones_are_positive(cell, degree):
    """Reference: analytic, ρ times the volume of the box; HRZ keeps corners of degree 2 positive."""
    mesh = block(cell)
    for mass in ("consistent", "lumped"):
        model = hx.solid(mesh, STEEL, degree=degree, mass=mass)
        for way in range(mesh.dim()):
            along = model.influence[:, way]
            assert along @ model.mass @ along == pytest.approx(7.0 * 2.0, rel=1e-13)
        if mass == "lumped":
            diagonal = model.mass.diagonal()
            assert abs(model.mass - np.diag(diagonal)).max() == 0
            assert diagonal.min() > 0.01 * diagonal.max()


def test_an_axisymmetric_body_is_whole():
    """Reference: analytic, π(b² − a²)H of a tube and 2π/3 (b³ − a³) of half a sphere, by many cells."""
    for degree in (1, 2):
        for cells in ("quadrilaterals", "triangles"):
            tube = hx.meshes.rectangle(2.0, 3.0, (3, 2), origin=(1.0, 0.0), cells=cells)
            model = hx.solid(tube, STEEL, plane="axisymmetric", degree=degree)
            along = model.influence[:, 0]
            assert model.directions == ("y",)
            assert along @ model.mass @ along == pytest.approx(7.0 * np.pi * 8.0 * 3.0, rel=1e-13)
            assert model.body.volumes.sum() == pytest.approx(np.pi * 8.0 * 3.0, rel=1e-13)
            u = model.body.field(lambda x: np.stack([0.02 * x[0], -0.03 * x[1]]))
            strain = model.body.strain(model.body.displacement(u))
            assert np.abs(strain - [0.02, -0.03, 0.02, 0.0]).max() < 1e-15
    half = hx.solid(hx.meshes.ring(1.0, 2.0, (2, 60)), STEEL, plane="axisymmetric")
    assert half.body.volumes.sum() == pytest.approx(2 * np.pi / 3 * 7.0, rel=2e-3)


def test_alike_cells_are_computed_once_with_the_same_matrices(monkeypatch):
    """The table of alike cells changes rounding only; neither materials nor radii are mixed up."""
    mesh = block("quad", (6, 4)).with_subdomains({"left": lambda x: x[0] < 1, "right": lambda x: x[0] > 1})
    two = {"left": STEEL, "right": hx.Material(3.0, 50.0, 0.1)}
    for given in ({}, {"plane": "axisymmetric"}):
        model = hx.solid(mesh, two, **given)
        with monkeypatch.context() as patch:
            patch.setattr("hamex.model.solids.material.Elements.alike", lambda e, kind: (np.arange(len(kind)),) * 2)
            each = hx.solid(mesh, two, **given)
        assert near(model.stiffness, each.stiffness, 1e-13)
        assert near(model.mass, each.mass, 1e-13)


# ---------------------------------------------------------------------------------------------------- materials
def turned(D, R):
    """Elasticity (order xx, yy, zz, xy, yz, zx; γ) of a material turned by R."""
    pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)]
    C = np.zeros((3, 3, 3, 3))
    for (i, j), row in zip(pairs, D, strict=True):
        for (k, l), value in zip(pairs, row, strict=True):
            for (a, b), (c, e) in itertools.product({(i, j), (j, i)}, {(k, l), (l, k)}):
                C[a, b, c, e] = value
    C = np.einsum("ai,bj,ck,dl,ijkl->abcd", R, R, R, R, C)
    return np.array([[C[p][q] for q in pairs] for p in pairs])


def wood():
    """Nine moduli of an orthotropic material."""
    E, nu, G = (10.0, 0.8, 0.5), (0.3, 0.03, 0.4), (0.7, 0.05, 0.6)  # nu: xy, xz, yz
    S = np.diag([1 / E[0], 1 / E[1], 1 / E[2], 1 / G[0], 1 / G[1], 1 / G[2]])
    S[0, 1] = S[1, 0] = -nu[0] / E[0]
    S[0, 2] = S[2, 0] = -nu[1] / E[0]
    S[1, 2] = S[2, 1] = -nu[2] / E[1]
    return np.linalg.inv(S)


@pytest.mark.parametrize(("cell", "degree"), [("quad", 1), ("tri", 2), ("hex", 1), ("tet", 2)])
def test_a_body_and_its_material_turned_together_vibrate_as_before(cell, degree):
    """Reference: analytic, invariance under rotations."""
    mesh = bent(block(cell, (2, 2, 2)))
    angle = 0.5
    R = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    if mesh.dim() == 3:
        tip = np.array([[1.0, 0.0, 0.0], [0.0, 0.8, -0.6], [0.0, 0.6, 0.8]])
        R = tip @ R
    D = wood()
    other = moved(mesh, lambda x: R[: len(x), : len(x)] @ x)
    found = []
    for body, elasticity in ((mesh, D), (other, turned(D, R)), (other, D)):
        model = hx.solid(body, hx.Material(density=1.0, elasticity=elasticity), degree=degree)
        found.append(eigh(model.stiffness.toarray(), model.mass.toarray(), eigvals_only=True))
    assert np.abs(found[0] - found[1]).max() < 1e-10 * found[0][-1]
    assert np.abs(found[0] - found[2]).max() > 1e-3 * found[0][-1]  # the material alone makes a difference


def test_fields_are_asked_at_points_and_agree_with_regions():
    mesh = block("quad", (4, 2)).with_subdomains({"soft": lambda x: x[0] < 1, "hard": lambda x: x[0] > 1})
    regions = {"soft": hx.Material(1.0, 10.0, 0.2), "hard": hx.Material(2.0, 30.0, 0.4)}
    field = hx.Material(
        density=lambda x: np.where(x[0] < 1, 1.0, 2.0),
        modulus=lambda x: np.where(x[0] < 1, 10.0, 30.0),
        poisson=lambda x: np.where(x[0] < 1, 0.2, 0.4),
    )
    one, other = hx.solid(mesh, regions), hx.solid(mesh, field)
    assert near(one.stiffness, other.stiffness, 1e-14)
    assert near(one.mass, other.mass, 1e-14)
    u = one.body.field(lambda x: np.stack([x[0] ** 2, x[0] * x[1]]))
    nodal = one.body.displacement(u)
    assert one.body.stress(nodal, np.zeros(0)) == pytest.approx(other.body.stress(nodal, np.zeros(0)), rel=1e-13)
    graded = hx.solid(bent(block("tri")), hx.Material(lambda x: 1 + x[0] + 2 * x[1], lambda x: 10 + x[1], 0.25))
    elements = graded.body.elements
    integral = skfem.Functional(lambda w: 1 + w.x[0] + 2 * w.x[1]).assemble(
        skfem.Basis(elements.mesh, skfem.ElementTriP1(), intorder=4)
    )
    assert graded.influence[:, 0] @ graded.mass @ graded.influence[:, 0] == pytest.approx(integral, rel=1e-13)


def test_speeds_and_materials_by_region_are_kept():
    mesh = block("quad").with_subdomains({"all": lambda x: x[0] > -1})
    soil = hx.Material.of_waves(density=1.8, shear=200.0, pressure=400.0)
    body = hx.solid(mesh, {"all": soil}).body
    assert body.speeds == pytest.approx(np.array([[400.0, 200.0]]), rel=1e-12)
    assert list(body.regions) == ["all"]
    assert body.regions["all"].tolist() == list(range(6))


# ---------------------------------------------------------------------------------------------------- condensation
@pytest.mark.filterwarnings("ignore::hamex.errors.CoarseWarning")  # an identity on any mesh
@pytest.mark.parametrize(
    ("cell", "degree", "plane"),
    [("quad", 1, "strain"), ("tri", 2, "stress"), ("hex", 1, "strain"), ("quad", 1, "axisymmetric")],
)
def test_points_as_springs_take_the_same_steps_as_the_stiffness(cell, degree, plane):
    """Reference: analytic, the impulse of a linear law is eliminated from each step."""
    mesh = bent(block(cell, (3, 1, 1)))
    runs = []
    for condense in (True, False):
        model = hx.solid(mesh, STEEL, fixed=["left"], plane=plane, degree=degree, condense=condense)
        assert (len(model.springs) > 0) == (not condense)
        pull = model.body.traction("right", (0.3, -1.0, 0.2)[: mesh.dim()])
        load = hx.Load(lambda t: np.sin(3 * t), patterns=pull[:, None])
        runs.append(hx.solve(hx.Problem(model, load, 2.0), hx.Galerkin(0.1)))
    K = runs[0].model.stiffness.toarray()
    assert near(elastic(runs[1].model), K, 1e-13)
    for name in ("displacement", "momentum"):
        assert near(runs[1].values(name), runs[0].values(name), 1e-11)
    assert all(run.residual < 1e-11 for run in runs)


def test_yielding_regions_alone_are_springs():
    mesh = block("quad", (4, 2)).with_subdomains({"soft": lambda x: x[0] < 1, "hard": lambda x: x[0] > 1})
    model = hx.solid(mesh, {"soft": METAL, "hard": STEEL}, fixed=["left"])
    assert len(model.springs) == 4 * 4 * 4  # cells, points, strains
    whole = hx.solid(mesh, STEEL, fixed=["left"])
    assert near(elastic(model), whole.stiffness, 1e-13)
    assert np.array_equal(model.body.slipping >= 0, np.repeat((mesh.p[0][mesh.t].mean(axis=0) < 1)[:, None], 4, axis=1))


def test_a_law_gives_its_numbers_to_every_point():
    """The group of a law carries the volume of each point, so that forces are stresses times volumes."""
    law = hx.laws.J2(yield_stress=2.0, viscosity=0.5, kinematic=3.0, isotropic=4.0)
    model = hx.solid(bent(block("quad")), STEEL.with_law(law), thickness=0.3)
    (group,) = model.laws.values()
    assert group.components == 4
    assert group.volume == pytest.approx(model.body.volumes.ravel(), rel=1e-14)
    assert set(group.yield_stress) == {2.0}
    assert np.array_equal(group.first, model.body.slipping.ravel())
    soil = hx.laws.DruckerPrager(cohesion=1.0, friction_angle=20.0, fit="plane strain")
    (cone,) = hx.solid(block("quad"), STEEL.with_law(soil)).laws.values()
    assert cone.law is hx.laws.DruckerPrager
    assert set(cone.fit) == {2.0}


def test_bodies_without_springs_count_as_work_for_the_choice_to_compile(monkeypatch):
    """A body of a thousand dofs is not marched by the interpreter because it has no spring."""
    asked = []
    monkeypatch.setattr(onestage, "worth_compiling", lambda work, *_: asked.append(work) or True)
    model = hx.solid(block("quad", (6, 2)), STEEL, fixed=["left"])
    load = hx.Load(np.ones(2), step=10.0, patterns=np.ones((len(model.dofs), 1)))
    hx.solve(hx.Problem(model, load, 10.0), hx.Galerkin(1.0))
    assert asked
    assert min(asked) >= 10 * len(model.dofs)


# ---------------------------------------------------------------------------------------------------- conditions
def test_conditions_hold_the_nodes_that_they_name():
    mesh = block("quad")
    model = hx.solid(mesh, STEEL, degree=2, fixed={"left": "x", (0.0, 0.0): "y", "top": "xy"})
    x = model.body.nodes
    free = np.asarray(model.body.motion.sum(axis=1)).reshape(-1, 2) > 0
    top, left, corner = x[:, 1] == 1, x[:, 0] == 0, (x == 0).all(axis=1)
    assert np.array_equal(free[:, 0], ~(top | left))
    assert np.array_equal(free[:, 1], ~(top | corner))
    names = [f"node {node + 1}.{way}" for node in range(len(x)) for i, way in enumerate("xy") if free[node, i]]
    assert list(model.dofs) == names


def test_a_boundary_that_moves_takes_the_rest_along():
    """Reference: analytic; supports and dofs that move as one rigid body strain nothing, and a support that moves
    alone under slow motion stretches the body evenly."""
    mesh = bent(block("quad"))
    model = hx.solid(mesh, STEEL, moving=["left"])
    assert model.support_names == ("left.x", "left.y")
    shift = np.array([0.3, -0.2])
    strain = model.compatibility.T @ (model.influence @ shift) + model.supports.T @ shift
    assert np.abs(strain).max() < 1e-13
    straight = hx.solid(block("quad"), STEEL, plane="stress", fixed={"right": "x", "bottom": "y"},
                        moving={"left": "x"}, damping=hx.rayleigh(alpha=5.0))  # fmt: skip
    nothing = hx.Load(np.zeros(2), step=1.0, patterns=np.zeros((len(straight.dofs), 1)))
    slow = hx.Load(lambda t: -0.02 * np.minimum(t / 100.0, 1.0))
    sol = hx.solve(hx.Problem(straight, nothing, 200.0, supports=slow), hx.Galerkin(1.0))
    body = straight.body
    nodal = body.displacement(sol.values("displacement")[-1], np.array([-0.02]))
    assert body.strain(nodal) == pytest.approx(np.tile([0.01, -0.003, 0.0], (6, 4, 1)), abs=1e-6)
    shaped = hx.solid(block("quad"), STEEL, moving={"left": {"x": lambda x: 1 - x[1] ** 2}})
    given = shaped.body.given.toarray()[::2, 0]
    left = shaped.body.nodes[:, 0] == 0
    assert given == pytest.approx(np.where(left, 1 - shaped.body.nodes[:, 1] ** 2, 0.0))
    assert shaped.body.motion.shape[1] == 2 * len(shaped.body.nodes) - left.sum()


@pytest.mark.parametrize(("damping", "lost"), [(0.0, 0.0), (hx.rayleigh(beta=1e-3), 0.01)])
def test_a_boundary_that_moves_sends_a_wave_that_leaves_at_the_other_end(damping, lost):
    """Reference: analytic, u(x, t) = d(t − x/c) in a strip that goes on; stiffness and dashpots feel the motion itself,
    not that relative to the support."""
    strip = hx.meshes.rectangle(4.0, 0.1, (80, 1))
    soil = hx.Material.of_waves(density=1.0, shear=1.0, pressure=2.0)
    model = hx.solid(strip, soil, moving={"left": "x"}, absorbing=["right"], fixed={"bottom": "y", "top": "y"},
                     damping=damping)  # fmt: skip
    nothing = hx.Load(np.zeros(2), step=4.0, patterns=np.zeros((len(model.dofs), 1)))

    def ramp(t):
        s = np.clip(np.asarray(t) / 1.5, 0.0, 1.0)
        return s**3 * (10 - 15 * s + 6 * s**2)

    sol = hx.solve(hx.Problem(model, nothing, 4.0, supports=hx.Load(ramp)), hx.Galerkin(0.01))
    times = np.arange(sol.steps + 1) * sol.step
    for x in (1.0, 4.0):
        u = sol.values("displacement")[:, model.body.dof((x, 0.0), "x")]
        assert np.abs(u - ramp(times - x / 2.0)).max() < 2e-3 + 0.2 * lost
    assert sol.residual < 1e-10


def test_ground_motion_moves_all_masses_and_those_of_held_nodes():
    """Reference: analytic; under ground acceleration the forces add up to the whole mass but that of held rows."""
    model = hx.solid(block("quad"), STEEL, fixed=["left"])
    free = hx.solid(block("quad"), STEEL)
    whole = (free.mass @ free.influence)[:, 0].reshape(-1, 2)
    held = free.body.nodes[:, 0] == 0
    load = hx.el_centro().on(model, g=1.0)
    assert -load.patterns[:, 0].sum() == pytest.approx(whole[~held].sum(), rel=1e-13)


@pytest.mark.parametrize("mass", ["consistent", "lumped"])
def test_absorbing_boundaries_are_dashpots_of_the_wave_impedance(mass):
    """Reference: analytic, ρ c_P along and ρ c_S across the normal, times the area."""
    soil = hx.Material.of_waves(density=2.0, shear=3.0, pressure=5.0)
    for mesh, area in ((block("quad"), 1.0 * 0.7), (block("tri"), 1.0 * 0.7), (block("hex"), 1.0), (block("tet"), 1.0)):
        for degree in (1, 2):
            model = hx.solid(mesh, soil, absorbing=["right"], degree=degree, mass=mass, thickness=0.7)
            C = model.damping.matrix
            across = [3.0] * (mesh.dim() - 1)
            for way, speed in enumerate([5.0, *across]):
                along = model.influence[:, way]
                assert along @ C @ along == pytest.approx(2.0 * speed * area, rel=1e-13)
            assert np.linalg.eigvalsh(C.toarray()).min() > -1e-14
            touched = np.unique(C.nonzero()[0]) // mesh.dim()
            assert np.all(model.body.nodes[touched, 0] == 2.0)
    slanted = hx.meshes.ring(1.0, 2.0, (2, 8))
    C = hx.solid(slanted, soil, absorbing=["outer"], mass=mass).damping.matrix
    outward = hx.solid(slanted, soil).body.field(lambda x: x / np.hypot(*x))
    assert outward @ C @ outward == pytest.approx(2.0 * 5.0 * np.pi, rel=0.02)


# ---------------------------------------------------------------------------------------------------- refusals
def inverted():
    mesh = block("quad")
    p = mesh.p.copy()
    inside = int(np.argmin(((p - [[2 / 3], [0.5]]) ** 2).sum(axis=0)))
    p[:, inside] = [1.5, 0.5]
    return type(mesh)(p, mesh.t)


def flat():
    mesh = block("tri", (1, 1))
    return type(mesh)(mesh.p * [[1.0], [1e-14]], mesh.t)


def two_regions(**names):
    return block("quad", (4, 2)).with_subdomains(names)


LEFT, MOST = (lambda x: x[0] < 1), (lambda x: x[0] < 1.6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mesh": inverted()}, r"cell \d+ around .* is turned inside out; mend the mesh"),
        ({"mesh": flat()}, r"cell 0 around .* has no volume"),
        ({"mesh": hx.meshes.line(1.0, 3)}, "a mesh of lines is a rod"),
        ({"mesh": skfem.MeshTri2()}, "straight sides"),
        ({"mesh": "beam.msh"}, "mesh must be one of triangles, .*got str"),
        ({"plane": "membrane"}, "plane must be one of strain, stress, axisymmetric"),
        ({"degree": 3}, "degree must be 1 or 2, got 3"),
        ({"degree": True}, "degree must be 1 or 2"),
        ({"thickness": 0.0}, "thickness"),
        ({"mass": "row sum"}, "mass must be one of consistent, lumped"),
        ({"mean_dilatation": True, "degree": 2}, "mean_dilatation is for quadrilaterals and hexahedra of degree 1"),
        ({"mean_dilatation": True, "plane": "stress"}, "not in plane stress"),
        ({"fixed": ["lft"]}, "there is no boundary 'lft' in the mesh; it has .*left"),
        ({"fixed": {"left": "z"}}, 'names directions out of xy, as "x" or "xy"; got \'z\''),
        ({"fixed": {"left": ""}}, "names directions out of xy"),
        ({"fixed": 3}, "fixed must be names of boundaries"),
        ({"fixed": {(0.1, 0.1): "x"}}, r"there is no node at \(0.1, 0.1\); the nearest is at"),
        ({"fixed": {(0.0, 0.0, 0.0): "x"}}, "by the name of a boundary or by 2 coordinates"),
        ({"fixed": ["left", "right", "top", "bottom"], "mesh": block("quad", (1, 1))}, "every node is held"),
        ({"fixed": ["left"], "moving": ["left"]}, "boundary 'left' moves in x where another condition holds"),
        ({"moving": ["left", "top"]}, "leave the shared corner to one of them"),
        ({"fixed": ["left"], "absorbing": ["left"]}, "'left' cannot be fixed and absorbing"),
        ({"absorbing": ["end"]}, "there is no boundary 'end'"),
        ({"material": "steel"}, "material must be a Material, or one by region"),
        ({"material": {"left": STEEL}}, "there is no region 'left' in the mesh; it has none"),
        ({"material": {"a": STEEL}, "mesh": two_regions(a=LEFT)}, "4 cells are in no region with a material"),
        ({"material": {"a": STEEL, "b": STEEL}, "mesh": two_regions(a=LEFT, b=MOST)}, "'b' has two materials"),
        ({"material": STEEL.with_law(hx.Slider(1.0))}, "Slider is a law of springs, not of stresses; take J2"),
        ({"mesh": moved(block("quad"), lambda x: x - 1.0), "plane": "axisymmetric"}, "x is the radius"),
    ],
)  # fmt: skip
def test_bodies_that_cannot_be_are_refused(change, message):
    given = {"mesh": block("quad"), "material": STEEL} | change
    with pytest.raises(ModelError, match=message):
        hx.solid(**given)


def test_laws_that_the_material_cannot_have_are_refused_before_any_work():
    """J2 needs isotropic elasticity, Drucker-Prager knows no plane stress."""
    law = hx.laws.J2(yield_stress=1.0)
    with pytest.raises((LawError, ModelError), match="not isotropic"):
        hx.solid(block("quad"), hx.Material(density=1.0, elasticity=wood(), law=law))
    soil = STEEL.with_law(hx.laws.DruckerPrager(cohesion=1.0, friction_angle=20.0))
    with pytest.raises((LawError, ModelError), match="plane stress"):
        hx.solid(block("quad"), soil, plane="stress")
    same = hx.solid(
        block("quad"), hx.Material(density=7.0, elasticity=STEEL.stiffness("space", np.zeros((3, 1)))[0], law=law)
    )
    assert len(same.springs) == 6 * 4 * 4


def test_cells_that_lock_warn():
    for cell, what in (("tri", "triangles"), ("tet", "tetrahedra")):
        with pytest.warns(LockingWarning, match=f"{what} of degree 1 lock in plastic flow: .* Take degree=2"):
            hx.solid(block(cell), METAL)
        with pytest.warns(LockingWarning, match="near ν = ½"):
            hx.solid(block(cell), hx.Material(1.0, 1.0, 0.49))
        hx.solid(block(cell), METAL, degree=2)  # warnings are errors here
    hx.solid(block("tri"), METAL, plane="stress")
    hx.solid(block("quad"), hx.Material(1.0, 1.0, 0.49))
