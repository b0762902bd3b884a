"""Frames: textbook stiffnesses, hinges and their blocks, diaphragms, P-Delta, invariance under rotation."""

import math
import re

import numpy as np
import pytest
from statics import elastic, stiffness_at, strain_of_rigid_motion

import hamex as hx
from hamex.errors import ModelError
from hamex.model.record import dense

E, AREA, INERTIA, LENGTH = 200.0, 5.0, 7.0, 4.0
SECTION = {"modulus": E, "area": AREA, "inertia": INERTIA}
SPACE = {**SECTION, "inertia_y": 3.0, "shear_modulus": 80.0, "torsion": 2.0}
STIFF = {**SECTION, "area": 1e9}  # as good as inextensible
PORTAL = {"A": (0, 0), "B": (0, 3), "C": (5, 3), "D": (5, 0)}


def cantilever(**options):
    return hx.frame(
        {"A": (0, 0), "B": (0, LENGTH)}, [hx.Member("A", "B", **SECTION | options)], {"A": "fixed"}, {"B": 1.0}
    )


def portal(columns=STIFF, beam=STIFF, **options):
    members = {
        "left": hx.Member("A", "B", **columns),
        "beam": hx.Member("B", "C", **beam),
        "right": hx.Member("C", "D", **columns),
    }
    return hx.frame(
        PORTAL, members, **{"supports": {"A": "fixed", "D": "fixed"}, "masses": {"B": 1.0, "C": 1.0}} | options
    )


def test_a_cantilever():
    model = cantilever()
    assert stiffness_at(model, "B.x") == pytest.approx(3 * E * INERTIA / LENGTH**3, rel=1e-12)
    assert stiffness_at(model, "B.y") == pytest.approx(E * AREA / LENGTH, rel=1e-12)
    assert stiffness_at(model, "B.rz") == pytest.approx(E * INERTIA / LENGTH, rel=1e-12)
    assert elastic(model)[0, 0] == pytest.approx(12 * E * INERTIA / LENGTH**3, rel=1e-12)


def test_shear_adds_its_flexibility():
    model = cantilever(shear_modulus=80.0, shear_area=1.5)
    bending, shear = LENGTH**3 / (3 * E * INERTIA), LENGTH / (80 * 1.5)
    assert 1 / stiffness_at(model, "B.x") == pytest.approx(bending + shear, rel=1e-12)


@pytest.mark.parametrize("ratio", [0.1, 1.0, 10.0])
def test_the_sway_stiffness_of_a_portal(ratio):
    """24 E I/h³ · (1 + 6γ)/(4 + 6γ), γ the ratio of the beam's I/L to the column's I/h."""
    beam = {**STIFF, "inertia": ratio * INERTIA * 5 / 3}
    model = portal(beam=beam, diaphragms={"roof": ["B", "C"]})
    expected = 24 * E * INERTIA / 27 * (1 + 6 * ratio) / (4 + 6 * ratio)
    assert stiffness_at(model, "roof.x") == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("release", "factor"), [("start", 3), ("end", 3), ("both", 0)])
def test_a_released_end_carries_no_moment(release, factor):
    model = hx.frame(
        {"A": (0, 0), "B": (0, 2)},
        [hx.Member("A", "B", **SECTION, release=release)],
        {"A": "fixed", "B": "y rz"},
        {"B": 1.0},
        links=[hx.elastic_link("A", "B", 1.0, direction="x")],
    )
    assert stiffness_at(model, "B.x") == pytest.approx(1.0 + factor * E * INERTIA / 8, rel=1e-12)
    left = {"start": ["A-B.M2"], "end": ["A-B.M1"], "both": []}[release]
    assert [name for name in model.springs if ".M" in name] == left


def test_rigid_motion_strains_nothing_in_a_plane_and_in_space():
    model = portal(SECTION, SECTION, links=[hx.elastic_link("A", "C", 2.0)])
    assert len(model.support_names) == 6
    assert abs(strain_of_rigid_motion(model, PORTAL, (1.0, -2.0), 0.7)).max() < 1e-13
    nodes = {"A": (0, 0, 0), "B": (1, 2, 3), "C": (4, 1, 2)}
    space = hx.frame(
        nodes, [hx.Member("A", "B", **SPACE), hx.Member("B", "C", **SPACE, up=(1, 1, 0))], {"A": "fixed"}, {"C": 1.0}
    )
    assert abs(strain_of_rigid_motion(space, nodes, (1, -2, 0.5), (0.3, -0.4, 0.9))).max() < 1e-13
    assert np.linalg.matrix_rank(dense(space.compatibility)) == 12


def test_bending_in_space_follows_the_local_axes():
    """A beam along x: y is up (global z), so I about local z resists vertical motion."""
    model = hx.frame({"A": (0, 0, 0), "B": (LENGTH, 0, 0)}, [hx.Member("A", "B", **SPACE)], {"A": "fixed"}, {"B": 1.0})
    at = {part: stiffness_at(model, f"B.{part}") for part in ("x", "y", "z", "rx")}
    assert at == pytest.approx(
        {"x": E * AREA / LENGTH, "y": 3 * E * 3 / LENGTH**3, "z": 3 * E * INERTIA / LENGTH**3, "rx": 80 * 2 / LENGTH},
        rel=1e-12,
    )


def test_a_vertical_member_bends_with_its_main_inertia_along_x():
    model = hx.frame({"A": (0, 0, 0), "B": (0, 0, LENGTH)}, [hx.Member("A", "B", **SPACE)], {"A": "fixed"}, {"B": 1.0})
    assert stiffness_at(model, "B.x") == pytest.approx(3 * E * INERTIA / LENGTH**3, rel=1e-12)
    turned = hx.frame(
        {"A": (0, 0, 0), "B": (0, 0, LENGTH)}, [hx.Member("A", "B", **SPACE, up=(0, 1, 5))], {"A": "fixed"}, {"B": 1.0}
    )
    assert stiffness_at(turned, "B.y") == pytest.approx(3 * E * INERTIA / LENGTH**3, rel=1e-12)


def test_a_frame_in_space_does_not_care_how_it_is_turned():
    rng = np.random.default_rng(5)
    turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    nodes = {"A": (0, 0, 0), "B": (0, 1, 3), "C": (4, 0, 3.5), "D": (4, 2, 0)}
    ups = [np.array(up) for up in ((1.0, 0, 0), (0, 0, 1.0), (1.0, 1.0, 0))]

    def build(r):
        members = [
            hx.Member(a, b, **SPACE, shear_area=1.0, shear_area_y=2.0, up=r @ up, compression=4.0)
            for (a, b), up in zip((("A", "B"), ("B", "C"), ("C", "D")), ups, strict=True)
        ]
        return hx.frame(
            {name: r @ np.array(place) for name, place in nodes.items()},
            members,
            {"A": "fixed", "D": "fixed"},
            {"B": (1, 1, 1, 0.1, 0.1, 0.1), "C": (2, 2, 2, 0.3, 0.3, 0.3)},
        )

    both = np.kron(np.eye(4), turn)
    plain, turned = build(np.eye(3)), build(turn)
    assert np.allclose(elastic(turned), both @ elastic(plain) @ both.T, atol=1e-11 * abs(elastic(plain)).max())
    assert np.allclose(dense(turned.flexibility), dense(plain.flexibility), rtol=1e-11)
    assert np.allclose(hx.modes(turned).frequencies, hx.modes(plain).frequencies, rtol=1e-10)


def test_a_plane_frame_is_a_space_frame_held_in_its_plane():
    nodes = {name: (x, 0, y) for name, (x, y) in PORTAL.items()}
    members = [hx.Member(a, b, **SPACE, compression=0.5) for a, b in ("AB", "BC", "CD")]
    space = hx.frame(nodes, members, {"A": "fixed", "D": "fixed", "B": "y rx rz", "C": "y rx rz"}, {"B": 1.0, "C": 1.0})
    plane = hx.frame(
        PORTAL,
        [hx.Member(a, b, **SECTION, compression=0.5) for a, b in ("AB", "BC", "CD")],
        {"A": "fixed", "D": "fixed"},
        {"B": 1.0, "C": 1.0},
    )
    assert np.allclose(hx.modes(space).frequencies, hx.modes(plane).frequencies, rtol=1e-10)


def test_elastic_members_are_blocks_without_surfaces():
    laws = cantilever().laws
    assert laws["slider"].springs.tolist() == [0]
    assert laws["surface"].size.tolist() == [2]
    assert laws["surface"].begin.tolist() == [0, 0]


def test_moment_hinges_share_the_flexibility_of_the_beam():
    model = cantilever(hinges=(hx.Slider(30.0, 0.1, 5.0), hx.Slider(20.0)))
    assert model.springs == ("A-B.N", "A-B.M1", "A-B.M2")
    bend = LENGTH / (6 * E * INERTIA)
    assert np.allclose(dense(model.flexibility)[1:, 1:], bend * np.array([[2, -1], [-1, 2]]), rtol=1e-14)
    surfaces = model.laws["surface"]
    assert np.allclose(surfaces.weight, [[1 / 900, 0], [0, 1 / 400]])
    assert surfaces.viscosity.tolist() == [0.1, 0]
    assert surfaces.kinematic.tolist() == [[5, 0]]
    assert surfaces.primary.tolist() == [1, 2]


def test_a_hinge_at_one_end_leaves_the_other_elastic():
    surfaces = cantilever(hinges=(hx.Slider(30.0), None)).laws["surface"]
    assert surfaces.begin.tolist() == [0, 1]
    assert np.allclose(surfaces.weight, [[1 / 900, 0]])


def test_a_hinge_beside_a_release_is_a_plain_slider():
    model = hx.frame(
        {"A": (0, 0), "B": (0, 2)},
        [hx.Member("A", "B", **SECTION, release="end", hinges=(hx.Slider(30.0), None))],
        {"A": "fixed", "B": "rz"},
        {"B": 1.0},
    )
    assert model.laws["slider"].yield_force.tolist() == [math.inf, 30.0]
    assert "surface" not in model.laws


def test_axial_force_and_moment_interact_on_a_surface_off_centre():
    law = hx.Surface((500.0, 30.0), center=(-200.0, 0.0))
    surfaces = cantilever(hinges=law).laws["surface"]
    assert surfaces.size.tolist() == [3]
    assert np.allclose(surfaces.weight, [[500.0**-2, 30.0**-2, 0], [500.0**-2, 0, 30.0**-2]])
    assert np.allclose(surfaces.center, [[-200, 0, 0], [-200, 0, 0]])
    assert surfaces.primary.tolist() == [1, 2]  # the moment tells the two hinges apart


@pytest.mark.parametrize(
    ("law", "sizes"),
    [(None, [2, 2]), (hx.Slider(9.0), [2, 2]), (hx.Surface((9.0, 8.0)), [4]), (hx.Surface((90.0, 9.0, 8.0)), [5])],
)
def test_hinges_in_space_couple_what_they_name(law, sizes):
    model = hx.frame(
        {"A": (0, 0, 0), "B": (0, 0, 3)}, [hx.Member("A", "B", **SPACE, hinges=law)], {"A": "fixed"}, {"B": 1.0}
    )
    surfaces = model.laws["surface"]
    assert surfaces.size.tolist() == sizes
    assert set(model.springs) == {f"A-B.{part}" for part in ("N", "Mz1", "Mz2", "My1", "My2", "T")}
    assert stiffness_at(model, "B.x") == pytest.approx(3 * E * INERTIA / 27, rel=1e-12)
    if isinstance(law, hx.Surface):
        names = model.springs[surfaces.first[0] : surfaces.first[0] + surfaces.size[0]]
        used = [{name[4:] for name, weight in zip(names, row, strict=True) if weight} for row in surfaces.weight]
        full = [{"Mz1", "My1"}, {"Mz2", "My2"}]
        assert used == ([{"N", *each} for each in full] if len(law.yield_forces) == 3 else full)


def test_the_axial_spring_may_yield():
    assert cantilever(axial=hx.Slider(12.0)).laws["slider"].yield_force.tolist() == [12]


def test_a_diaphragm_in_space_turns_about_the_centre_of_its_masses():
    corners = {"a": (0, 0), "b": (6, 0), "c": (6, 4), "d": (0, 4)}
    nodes = {f"{name}{level}": (*place, 3.0 * level) for name, place in corners.items() for level in (0, 1)}
    masses = {"a1": 1.0, "b1": 2.0, "c1": 3.0, "d1": 2.0}
    model = hx.frame(
        nodes,
        [hx.Member(f"{name}0", f"{name}1", **SPACE) for name in corners],
        {f"{name}0": "fixed" for name in corners},
        masses,
        diaphragms={"roof": [f"{name}1" for name in corners]},
    )
    place = [model.dofs.index(f"roof.{part}") for part in ("x", "y", "rz")]
    weights = np.array(list(masses.values()))
    xy = np.array(list(corners.values()))
    inertia = weights @ ((xy - weights @ xy / 8) ** 2).sum(axis=1)
    assert np.allclose(dense(model.mass)[np.ix_(place, place)], np.diag([8.0, 8.0, inertia]), atol=1e-12)
    assert not any(label in model.dofs for label in ("a1.x", "b1.y", "c1.rz"))
    assert np.allclose(hx.modes(model).effective_mass.sum(axis=0), [8, 8, 8])
    turned = np.zeros(len(model.dofs))
    turned[place[2]] = 1.0
    moved = (model.geometry.motion @ turned).reshape(-1, 3)[model.geometry.nodes.index("c1")]
    assert np.allclose(moved[:2], [-(4 - weights @ xy[:, 1] / 8), 6 - weights @ xy[:, 0] / 8])


def test_a_diaphragm_may_carry_the_mass_itself():
    model = portal(SECTION, SECTION, diaphragms={"roof": ["B", "C"]}, masses={"roof": 7.0})
    assert dense(model.mass).diagonal()[model.dofs.index("roof.x")] == 7.0
    assert model.influence[model.dofs.index("roof.x")].tolist() == [1, 0]


def test_a_mass_may_hang_on_constraints_alone():
    nodes = {"A": (0, 0), "B": (0, LENGTH), "mass": (1, LENGTH)}
    model = hx.frame(
        nodes,
        [hx.Member("A", "B", **SECTION)],
        {"A": "fixed"},
        {"mass": 2.0},
        constraints={"mass.x": "B.x", "mass.y": {"B.y": 1.0, "B.rz": 1.0}, "mass.rz": "B.rz"},
    )
    assert np.allclose(dense(model.mass), [[2, 0, 0], [0, 2, 2], [0, 2, 2]])
    assert hx.modes(model).frequencies.size == 2  # the mass matrix has rank 2
    assert np.allclose(hx.modes(model).effective_mass.sum(axis=0), [2, 2])


def test_rotary_masses_are_the_last_of_a_node():
    model = cantilever()
    assert dense(model.mass).diagonal().tolist() == [1, 1, 0]
    heavy = hx.frame({"A": (0, 0), "B": (0, 4)}, [hx.Member("A", "B", **SECTION)], {"A": "fixed"}, {"B": (1, 2, 3)})
    assert dense(heavy.mass).diagonal().tolist() == [1, 2, 3]


def critical_factor(pieces, load):
    nodes = {i: (0.0, LENGTH * i / pieces) for i in range(pieces + 1)}
    members = [hx.Member(i, i + 1, **SECTION, compression=load) for i in range(pieces)]
    with pytest.raises(ModelError, match="buckles at") as caught:
        hx.frame(nodes, members, {0: "fixed"}, {pieces: 1.0})
    assert f"node '{pieces}' can move in direction x" in str(caught.value)
    return float(re.search(r"buckles at ([\d.]+)", str(caught.value))[1])


def test_a_cantilever_buckles_at_its_critical_load():
    """One piece with chord P-Delta: 3EI/L²; many pieces: Euler's π²EI/4L²."""
    unit = E * INERTIA / LENGTH**2
    assert critical_factor(1, 10 * unit) == pytest.approx(0.3, rel=1e-3)
    assert critical_factor(30, 5 * unit) * 5 == pytest.approx(math.pi**2 / 4, rel=1e-3)


def test_p_delta_acts_across_a_member_in_space():
    model = hx.frame(
        {"A": (0, 0, 0), "B": (0, 0, 4)}, [hx.Member("A", "B", **SPACE, compression=8.0)], {"A": "fixed"}, {"B": 1.0}
    )
    assert np.allclose(dense(model.stiffness).diagonal(), [-2, -2, 0, 0, 0, 0])


def test_tension_stiffens():
    k = stiffness_at(cantilever(), "B.x")
    assert stiffness_at(cantilever(compression=-8.0), "B.x") > k > stiffness_at(cantilever(compression=8.0), "B.x")


def test_p_delta_is_the_chord():
    model = cantilever(compression=8.0)
    assert np.allclose(dense(model.stiffness), np.diag([-2.0, 0, 0]))


def tall(**options):
    nodes = {f"{name}{level}": (x, 3.0 * level) for name, x in (("a", 0), ("b", 5)) for level in range(3)}
    members = [hx.Member(f"{name}{level}", f"{name}{level + 1}", **SECTION) for name in "ab" for level in range(2)]
    members += [hx.Member(f"a{level}", f"b{level}", **SECTION) for level in (1, 2)]
    return hx.frame(
        nodes,
        members,
        {"a0": "fixed", "b0": "fixed"},
        {f"{name}{level}": 1.0 for name in "ab" for level in (1, 2)},
        **options,
    )


@pytest.mark.parametrize(
    "levels", [0.1, [["a1", "b1"], ["a2", "b2"]], {"one": ["a1", "b1"], "two": ["a2", "b2"]}], ids=str
)
@pytest.mark.parametrize("tied", [False, True])
def test_levels_give_drift_and_shear(levels, tied):
    floors = {f"floor {i}": [f"a{i}", f"b{i}"] for i in (1, 2)} if tied else None
    model = tall(levels=levels, diaphragms=floors)
    load = np.zeros(len(model.dofs))
    for dof, force in (
        ({"floor 1.x": 3.0, "floor 2.x": 4.0}) if tied else {"a1.x": 1.0, "b1.x": 2.0, "a2.x": 4.0}
    ).items():
        load[model.dofs.index(dof)] = force
    u = np.linalg.solve(elastic(model), load)
    assert np.allclose(model.storeys.above @ (elastic(model) @ u), [7, 4])
    moved = (model.geometry.motion @ u).reshape(-1, 2)[:, 0]
    mean = [np.mean([moved[model.geometry.nodes.index(f"{name}{i}")] for name in "ab"]) for i in (1, 2)]
    assert np.allclose(model.storeys.drift @ u, [mean[0], mean[1] - mean[0]])
    assert model.storeys.heights.tolist() == [3, 3]
    assert model.storeys.names == (("one", "two") if isinstance(levels, dict) else ("storey 1", "storey 2"))


def test_levels_in_space_count_both_directions():
    nodes = {i: (0, 0, 3.0 * i) for i in range(3)}
    model = hx.frame(
        nodes, [hx.Member(i, i + 1, **SPACE) for i in range(2)], {0: "fixed"}, {1: 1.0, 2: 1.0}, levels=0.1
    )
    assert model.storeys.names == ("storey 1 x", "storey 2 x", "storey 1 y", "storey 2 y")
    u = model.influence @ np.array([1.0, 2.0, 0.0])
    assert np.allclose(model.storeys.drift @ u, [1, 0, 2, 0])
    assert np.allclose(model.storeys.above @ u, [2, 1, 4, 2])


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ([], "no levels"),
        ([["a1"], []], "level 'storey 2' has no nodes"),
        ([["z"]], "level 'storey 1': there is no node 'z'"),
        ([["a2"], ["a1"]], "storey 2 is not above what is below it"),
        (100.0, "no node is higher"),
        ([[None]], "holds the ground"),
    ],
)
def test_wrong_levels_are_named(levels, message):
    with pytest.raises(ModelError, match=message):
        tall(levels=levels)


def test_a_tie_across_a_storey_leaves_its_shear_undefined():
    with pytest.raises(ModelError, match=r"'a2\.x' is tied to a node on the other side of storey 2"):
        tall(levels=0.1, constraints={"a2.x": "a1.x"})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"modulus": 0}, "modulus of left must be positive"),
        ({"area": -1}, "area of left must be positive"),
        ({"inertia": math.nan}, "inertia of left must be a finite number"),
        ({"shear_area": 1.0}, "left has a shear area and needs shear_modulus"),
        ({"shear_area": -1.0, "shear_modulus": 1.0}, "shear_area of left must be positive"),
        ({"release": "top"}, 'left: release must be "start", "end" or "both"'),
        ({"release": "end", "hinges": hx.Slider(1.0)}, "left has a hinge law at a released end"),
        ({"hinges": (hx.Slider(1.0),)}, "left: hinges are one law, or a pair"),
        ({"hinges": 3.0}, "left: a hinge must be a law such as Slider, IMK or Surface"),
        ({"hinges": hx.PowerLaw(1.0, 0.5)}, "left: its hinge is refused: .*PowerLaw has no form along a path"),
        ({"hinges": hx.Surface((1.0, 1.0, 1.0))}, r"left: a hinge has \(M\) or \(N, M\), got a Surface of 3"),
        ({"hinges": hx.Slider(0.0, 1.0)}, "left shares its flexibility .* needs a yield force above zero"),
        (
            {"hinges": hx.Surface((9.0, 1.0)), "axial": hx.Slider(1.0)},
            "left has an axial law and a hinge that interacts",
        ),
        ({"up": (0, 0, 1)}, "left: up is for frames in space"),
        ({"compression": math.inf}, "compression of left must be a finite number"),
    ],
    ids=str,
)
def test_wrong_members_are_named(wrong, message):
    with pytest.raises(ModelError, match=f"frame: {message}"):
        portal(STIFF | wrong)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"inertia_y": None}, "A-B needs inertia_y, shear_modulus and torsion"),
        ({"torsion": 0.0}, "torsion of A-B must be positive"),
        ({"up": (0, 0, 2)}, "A-B: up must be a vector of three numbers, not along the member"),
        ({"up": (0, 1)}, "A-B: up must be a vector of three numbers"),
    ],
    ids=str,
)
def test_wrong_members_in_space_are_named(wrong, message):
    with pytest.raises(ModelError, match=f"frame: {message}"):
        hx.frame({"A": (0, 0, 0), "B": (0, 0, 3)}, [hx.Member("A", "B", **SPACE | wrong)], {"A": "fixed"}, {"B": 1.0})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"supports": {"A": "pinned", "D": "y"}}, None),
        ({"supports": {"A": "y rz", "D": "y"}}, r"unstable structure: node '[ABCD]' can move in direction x"),
        ({"supports": {"A": "x", "D": "y"}}, "unstable structure: node"),
        ({"supports": {"A": "rx"}}, "support of node 'A': 'rx' is no direction"),
        ({"masses": {"B": (1, 2, 3, 4)}}, "mass of 'B': 4 numbers for directions x, y, rz"),
    ],
    ids=str,
)
def test_a_portal_stands_or_is_refused(change, message):
    if message is None:
        portal(**change)
    else:
        with pytest.raises(ModelError, match=f"frame: {message}"):
            portal(**change)


def test_a_joint_of_pins_that_nothing_turns_is_named():
    released = [
        hx.Member("A", "B", **SECTION, release="end"),
        hx.Member("B", "C", **SECTION, release="start"),
        hx.Member("C", "D", **SECTION),
    ]
    with pytest.raises(ModelError, match="unstable structure: node 'B' can rotate about z, nothing resists it"):
        hx.frame(PORTAL, released, {"A": "fixed", "D": "fixed"}, {"B": 1.0})


def test_members_must_be_members():
    with pytest.raises(ModelError, match="A-B must be a Member"):
        hx.frame(PORTAL, [("A", "B")], {"A": "fixed"}, {"B": 1.0})


def test_storeys_of_a_frame_in_space_count_once():
    part = {"modulus": 1e3, "area": 1.0, "inertia": 1.0, "inertia_y": 1.0, "shear_modulus": 1.0, "torsion": 1.0}
    tower = hx.frame(
        {"A": (0, 0, 0), "B": (0, 0, 3), "C": (0, 0, 6)},
        [hx.Member("A", "B", **part), hx.Member("B", "C", **part)],
        supports={"A": "fixed"},
        masses={"B": 1.0, "C": 1.0},
        levels=[["B"], ["C"]],
    )
    assert ", 2 storeys," in repr(tower)
    assert len(tower.storeys.names) == 4


def test_a_rigid_mass_on_isolators_needs_no_member():
    """Analytic: ω² = Σk/m, and Σk r²/J of four isolators at r² = 13."""
    corners = {"I1": (-3, -2, 0), "I2": (3, -2, 0), "I3": (3, 2, 0), "I4": (-3, 2, 0)}
    base = {"nodes": {"M": (0, 0, 0), **corners}, "supports": dict.fromkeys(["M", *corners], "z rx ry")}
    base |= {"masses": {"slab": (50.0, 50.0, 300.0)}, "diaphragms": {"slab": ["M", *corners]}}
    isolators = [hx.plan_isolator(None, name, 100.0, 5.0, 10.0) for name in corners]
    model = hx.frame(**base, members=[], links=isolators, units=hx.Units("m", "kN"))
    assert model.dofs == ("slab.x", "slab.y", "slab.rz")
    assert hx.modes(model).frequencies ** 2 == pytest.approx([400 / 50, 400 / 50, 400 * 13 / 300])
    with pytest.raises(ModelError, match="at least one or a link"):
        hx.frame(**base, members=[])
