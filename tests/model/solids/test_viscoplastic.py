"""Bodies that flow: waves of a column that is a rod, uniaxial paths, energy, contraction, restarts, schemes."""

import numpy as np
import pytest
from meshed import bent, block

import hamex as hx

# Identities hold on any mesh, however coarse.
pytestmark = pytest.mark.filterwarnings("ignore::hamex.errors.CoarseWarning")

E, NU, YIELD = 2.0, 0.25, 0.01
G = E / (2 * (1 + NU))
BULK = E / (3 * (1 - 2 * NU))
ONE_WAY = BULK + 4 * G / 3  # modulus of uniaxial strain


def metal(**numbers):
    return hx.Material(density=1.0, modulus=E, poisson=NU, law=hx.laws.J2(yield_stress=YIELD, **numbers))


def column(shape, size):
    """Mesh of a column of this many cells, sides that hold it across, its end, and its axis."""
    width = 1.0 / size
    if shape == "space":
        sides = {"left": "x", "front": "y", "back": "y", "bottom": "z", "top": "z"}
        return hx.meshes.box(1.0, width, width, (size, 1, 1)), sides, "right", 0
    if shape == "axisymmetric":
        return hx.meshes.rectangle(width, 1.0, (1, size)), {"bottom": "y", "left": "x", "right": "x"}, "top", 1
    return hx.meshes.rectangle(1.0, width, (size, 1)), {"left": "x", "bottom": "y", "top": "y"}, "right", 0


@pytest.mark.parametrize("shape", ["strain", "axisymmetric", "space"])
@pytest.mark.parametrize(
    "numbers",
    [{}, {"viscosity": 0.05}, {"viscosity": 0.02, "kinematic": 0.5}, {"isotropic": 0.4}],
    ids=["perfect", "viscous", "kinematic", "isotropic"],
)
@pytest.mark.every_value
def test_a_column_that_is_held_across_is_a_rod_that_hardens(shape, numbers):
    """Reference: analytic; in uniaxial strain q = 2Gε − 3Gεᵖ and σ = (K + 4G/3)ε − 2Gεᵖ, so that the axial stress is
    that of a slider with u₁ = εᵖ/s, s = (K + 4G/3)/2G: limit σy s, viscosity ηs², hardening 3(K + 4G/3)K/4G + H s²."""
    size, pull, duration = 20, 0.05, 2.4
    s, length = ONE_WAY / (2 * G), 1.0 / size
    eta, kinematic, isotropic = (numbers.get(name, 0.0) for name in ("viscosity", "kinematic", "isotropic"))
    slider = hx.Slider(
        YIELD * s,
        viscosity=eta * s**2 / length,
        kinematic=(ONE_WAY * BULK / (4 * G / 3) + kinematic * s**2) / length,
        isotropic=isotropic * s**2 / length,
    )
    rod = hx.rod(1.0, size, ONE_WAY, 1.0, law=slider)
    forces = np.zeros((size, 1))
    forces[-1] = pull
    wanted = hx.solve(hx.Problem(rod, hx.Load(lambda t: np.sin(4 * t), patterns=forces), duration), hx.Galerkin(0.03))
    mesh, sides, end, way = column(shape, size)
    model = hx.solid(mesh, metal(**numbers), fixed=sides, plane="axisymmetric" if way else "strain")
    traction = model.body.traction(end, pull * np.eye(mesh.dim())[way])
    load = hx.Load(lambda t: np.sin(4 * t), patterns=traction[:, None])
    sol = hx.solve(hx.Problem(model, load, duration), hx.Galerkin(0.03))
    tip = sol.values("displacement")[:, model.body.dof(np.eye(mesh.dim())[way], "xy"[way])]
    exact = wanted.values("displacement")[:, -1]
    assert np.abs(tip - exact).max() < 1e-11 * np.abs(exact).max()
    slip = sol.values("slip").reshape(len(tip), size, -1, 6 if shape == "space" else 4)[..., way]
    assert np.abs(slip - s / length * wanted.values("slip")[:, :, None]).max() < 1e-11
    assert slip.max() > 0.005
    assert slip[-1].min() < slip.max() - 0.002  # it flowed back too
    assert max(sol.residual, wanted.residual) < 1e-12


@pytest.mark.parametrize(
    ("cell", "degree", "plane"),
    [
        ("quad", 1, "stress"),
        ("tri", 2, "stress"),
        ("quad", 1, "axisymmetric"),
        ("hex", 1, "space"),
        ("tet", 2, "space"),
    ],
)
def test_a_block_that_is_pulled_slowly_follows_the_uniaxial_law(cell, degree, plane):
    """Reference: analytic, ε = σ/E + (σ − σy)/(Hk + Hi), back with 2σy + … by Prager's and the isotropic rule; flow
    keeps the volume. Slow loading carries a drag of 1e-6."""
    kinematic, isotropic = 0.3, 0.2
    material = metal(kinematic=kinematic, isotropic=isotropic, viscosity=5.0)  # slow loading knows no viscosity
    mesh = block(cell, (2, 2, 2), (1.0, 1.0, 1.0))
    sides = {"left": "x", "bottom": "y"} if mesh.dim() == 2 else {"left": "x", "front": "y", "bottom": "z"}
    way = 1 if plane == "axisymmetric" else 0
    model = hx.solid(mesh, material, fixed=sides, degree=degree, plane="strain" if plane == "space" else plane)
    pull = model.body.traction("top" if way else "right", np.eye(mesh.dim())[way])
    up, down = 0.02, -0.03
    sol = hx.solve_path(model, pull, [up, down], by="force")
    w = (up - YIELD) / (kinematic + isotropic)
    back = (-down - YIELD - isotropic * w + kinematic * w) / (kinematic + isotropic)  # slip on the way back
    for row, stress, plastic in ((1, up, w), (2, down, w - back)):
        nodal = model.body.displacement(sol.values("displacement")[row])
        slip = model.body.plastic_strain(sol.values("slip")[row])
        normal = [model.body.components.index(name) for name in ("xx", "yy", "zz") if name in model.body.components]
        across = [i for i in normal if i != way]
        assert slip[..., way] == pytest.approx(np.full(slip.shape[:2], plastic), rel=2e-5)
        assert slip[..., across] == pytest.approx(np.full((*slip.shape[:2], len(across)), -plastic / 2), rel=2e-5)
        strain = model.body.strain(nodal)
        assert strain[..., way] == pytest.approx(np.full(slip.shape[:2], stress / E + plastic), rel=2e-5)
        found = model.body.stress(nodal, sol.values("slip")[row])
        assert found[..., way] == pytest.approx(np.full(slip.shape[:2], stress), rel=2e-5)
        assert np.abs(found[..., across]).max() < 2e-5 * abs(stress)


# ---------------------------------------------------------------------------------------------------- promises
LAWS = {
    "viscous": hx.laws.J2(yield_stress=1.0, viscosity=0.02),
    "hardening": hx.laws.J2(yield_stress=1.0, viscosity=0.01, kinematic=10.0, isotropic=5.0),
    "rate independent": hx.laws.J2(yield_stress=1.0),
    "soil": hx.laws.DruckerPrager(cohesion=0.6, friction_angle=20.0, viscosity=0.01),
}


def bent_body(law, cell="quad", degree=1, counts=(5, 2, 1), **given):
    material = hx.Material(density=1.0, modulus=200.0, poisson=0.3, law=law)
    return hx.solid(bent(block(cell, counts)), material, fixed=["left"], degree=degree, **given)


def shaken(model, duration=0.4, size=1.0, **given):
    """A body under a force at its end that goes to and fro."""
    pull = size * model.body.traction("right", (0.2, -0.7, 0.3)[: model.body.dimension])
    return hx.Problem(model, hx.Load(lambda t: np.sin(15 * t), patterns=pull[:, None]), duration, **given)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("cell", "degree", "plane"), [("quad", 1, "strain"), ("tri", 2, "axisymmetric"), ("hex", 1, "strain")]
)
@pytest.mark.every_value
def test_the_energy_balance_closes_while_a_body_flows(law, cell, degree, plane):
    """Reference: analytic, eq. of the linear element: exact for any law and step; dissipation never negative."""
    model = bent_body(LAWS[law], cell, degree, (4, 2, 1), plane=plane)
    sol = hx.solve(shaken(model, size=8.0 if plane == "axisymmetric" else 1.0), hx.Galerkin(0.02))
    assert np.abs(sol.values("slip")).max() > 1e-3
    assert sol.residual < 1e-10
    plastic = sol.energy["plastic"].values
    assert np.diff(plastic).min() > -1e-12 * plastic[-1]
    assert plastic[-1] > 0.05 * sol.energy["input"].values.max()


def norm_of_difference(one, other):
    """½|dv|²_M + ½|de|²_{A⁻¹} + ½|du|²_K, and what hardening stores, at every node of two runs."""
    model = one.model
    du, dp, slip = (one.values(name) - other.values(name) for name in ("displacement", "momentum", "slip"))
    dv = np.linalg.solve(model.mass.toarray(), dp.T).T
    de = du @ model.compatibility.toarray() - slip
    whole = (dv * dp).sum(axis=1) + (de * model.elastic_force(de)).sum(axis=1)
    whole += (du * (model.stiffness @ du.T).T).sum(axis=1)
    for group in model.laws.values():
        whole += (slip[:, group.springs] * group.law.back_force(group, slip[:, group.springs])).sum(axis=1)
        if group.isotropic.any():
            dw = one.values("accumulated_slip") - other.values("accumulated_slip")
            whole += (group.law.cone(group).isotropic * dw[:, group.first] ** 2).sum(axis=1)
    return 0.5 * whole


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("step", [0.005, 0.08])
def test_two_motions_under_one_load_never_move_apart(law, step):
    """Reference: analytic, the flow is monotone and the step its midpoint rule, whatever its length."""
    mesh = bent(block("quad", (5, 2))).with_subdomains({"soft": lambda x: x[0] < 1.2, "hard": lambda x: x[0] > 1.2})
    rock = hx.Material(density=1.0, modulus=200.0, poisson=0.3)
    model = hx.solid(mesh, {"soft": rock.with_law(LAWS[law]), "hard": rock}, fixed=["left"])
    rng = np.random.default_rng(1)
    moving = hx.State(momentum=model.mass @ rng.normal(size=len(model.dofs)) * 0.3,
                      displacement=model.body.field(lambda x: 0.01 * x[0] * np.ones_like(x)))  # fmt: skip
    one, other = (hx.solve(shaken(model, start=start), hx.Galerkin(step)) for start in (hx.State(), moving))
    apart = norm_of_difference(one, other)
    assert np.diff(apart).max() < 1e-12 * apart[0]
    assert apart[-1] < 0.99 * apart[0]
    assert np.abs(one.values("slip")).max() > 1e-3


SCHEMES = {
    "Galerkin": hx.Galerkin(0.02),
    "Galerkin 2": hx.Galerkin(0.02, degree=2),
    "DG": hx.DiscontinuousGalerkin(0.02),
    "Newmark": hx.Newmark(0.02),
}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_restart_goes_on_with_the_same_bits(scheme):
    model = bent_body(LAWS["hardening"], counts=(3, 1))
    problem = shaken(model)
    whole = hx.solve(problem, SCHEMES[scheme])
    first = hx.solve(problem.replace(duration=0.2), SCHEMES[scheme])
    rest = hx.solve(problem.replace(duration=0.2, load=problem.load.after(0.2), start=first.final), SCHEMES[scheme])
    for name in ("displacement", "momentum", "slip"):
        assert np.array_equal(whole.values(name)[10:], rest.values(name))
    assert np.abs(whole.values("slip")).max() > 1e-3


def test_schemes_agree_as_the_step_shrinks():
    """Reference: the schemes one another; differences fall with the step."""
    model = bent_body(LAWS["hardening"], counts=(4, 2))
    ends = {}
    for h in (0.02, 0.005):
        for scheme in (hx.Galerkin(h), hx.Newmark(h), hx.DiscontinuousGalerkin(h), hx.Galerkin(h, degree=2)):
            sol = hx.solve(shaken(model), scheme)
            ends[h, type(scheme).__name__, getattr(scheme, "degree", 0)] = sol.values("displacement")[-1]
    finest = ends[0.005, "Galerkin", 2]
    size = np.abs(finest).max()
    for name, degree, coarse, fine in (
        ("Galerkin", 1, 0.1, 0.01),
        ("Newmark", 0, 0.1, 0.01),
        ("DiscontinuousGalerkin", 1, 0.05, 0.005),
    ):
        far, near = (np.abs(ends[h, name, degree] - finest).max() / size for h in (0.02, 0.005))
        assert near < fine
        assert far < coarse
        assert 1e-6 < near < 0.5 * far


def test_elastic_points_condensed_beside_yielding_ones_take_the_same_steps():
    """Reference: analytic, elimination; half of the body flows."""
    mesh = bent(block("quad", (6, 2))).with_subdomains({"soft": lambda x: x[0] < 1, "hard": lambda x: x[0] > 1})
    rock = hx.Material(density=1.0, modulus=200.0, poisson=0.3)
    runs = []
    for condense in (True, False):
        model = hx.solid(
            mesh, {"soft": rock.with_law(LAWS["viscous"]), "hard": rock}, fixed=["left"], condense=condense
        )
        runs.append((model, hx.solve(shaken(model), hx.Galerkin(0.02))))
    (part, one), (whole, other) = runs
    assert len(part.springs) == len(whole.springs) // 2
    assert np.abs(one.values("displacement") - other.values("displacement")).max() < 1e-11
    flowed = [model.body.plastic_strain(sol.values("slip")[-1]) for model, sol in runs]
    assert np.abs(flowed[0] - flowed[1]).max() < 1e-11
    assert np.abs(flowed[0]).max() > 1e-3
