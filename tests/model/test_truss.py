"""Trusses: stiffness by hand, rigid motions, supports, constraints; every wrong input is named."""

import math

import numpy as np
import pytest
from statics import elastic, stiffness_at, strain_of_rigid_motion

import hamex as hx
from hamex.errors import LawError, ModelError
from hamex.model.record import dense

SQUARE = {"A": (0, 0), "B": (4, 0), "C": (4, 3), "D": (0, 3)}
BARS = [("A", "D"), ("B", "C"), ("D", "C"), ("A", "C"), ("B", "D")]
GOOD = {
    "nodes": SQUARE,
    "bars": BARS,
    "supports": {"A": "pinned", "B": "pinned"},
    "masses": {"C": 2.0, "D": 2.0},
    "rigidity": 1000.0,
}


def test_two_bars_by_hand():
    """Bars of EA/L = 200 with slopes ±4/3: k_x = 2·200·0.36, k_y = 2·200·0.64."""
    model = hx.truss(
        {"A": (0, 0), "B": (6, 0), "C": (3, 4)},
        [("A", "C"), ("B", "C")],
        {"A": "pinned", "B": "pinned"},
        {"C": 2.0},
        rigidity=1000.0,
    )
    assert np.allclose(elastic(model), [[144, 0], [0, 256]], atol=1e-12)
    assert dense(model.mass).tolist() == [[2, 0], [0, 2]]
    assert model.dofs == ("C.x", "C.y")
    assert model.influence.tolist() == [[1, 0], [0, 1]]
    assert model.directions == ("x", "y")
    assert model.groups == {"A-C": (0,), "B-C": (1,)}


def test_three_bars_of_the_collapse_benchmark():
    """Symmetric 45° three-bar truss of equal bars: k_y = EA/h (1 + 2 · cos³45°)."""
    model = hx.truss(
        {"left": (-1, 1), "mid": (0, 1), "right": (1, 1), "load": (0, 0)},
        [("left", "load"), ("mid", "load"), ("right", "load")],
        {"left": "pinned", "mid": "pinned", "right": "pinned"},
        {"load": 1.0},
        rigidity=10.0,
        law=hx.Slider(1.0),
    )
    assert stiffness_at(model, "load.y") == pytest.approx(10 * (1 + 2 * math.cos(math.pi / 4) ** 3), rel=1e-13)
    assert model.laws["slider"].yield_force.tolist() == [1, 1, 1]
    force = model.compatibility @ np.array([1.0, 1.0, 1.0])  # all bars in tension, at yield
    assert force[1] == pytest.approx(-(1 + math.sqrt(2)))  # the collapse load 2.414 Fy


def test_a_tripod_in_space_by_hand():
    """Three bars to the top at height h over a circle of radius r: k_z = 3 EA h²/L³, k_x = k_y = 1.5 EA r²/L³."""
    r, h = 3.0, 4.0
    angles = 0.1 + np.arange(3) * math.tau / 3
    feet = {i: (r * math.cos(a), r * math.sin(a), 0.0) for i, a in enumerate(angles)}
    model = hx.truss(
        {**feet, "top": (0, 0, h)},
        [(i, "top") for i in feet],
        {i: "pinned" for i in feet},
        {"top": (1.0, 2.0, 3.0)},
        rigidity=1000.0,
    )
    assert np.allclose(elastic(model), np.diag([1.5 * r * r, 1.5 * r * r, 3 * h * h]) * 1000 / 125, atol=1e-10)
    assert dense(model.mass).diagonal().tolist() == [1, 2, 3]
    assert model.directions == ("x", "y", "z")
    assert model.support_names[:3] == ("0.x", "0.y", "0.z")
    assert (
        abs(
            strain_of_rigid_motion(
                model, {"top": (0, 0, h), **{str(i): p for i, p in feet.items()}}, (1, 2, 3), (0.3, -0.2, 0.5)
            )
        ).max()
        < 1e-14
    )


def test_rigid_motion_of_dofs_and_supports_strains_nothing():
    model = hx.truss(**GOOD, links=[hx.elastic_link("A", "C", 5.0)])
    assert set(model.support_names) == {"A.x", "A.y", "B.x", "B.y"}
    assert abs(strain_of_rigid_motion(model, SQUARE, (1.0, -2.0), 0.7)).max() < 1e-14
    alone = model.compatibility.T @ model.influence[:, 0]
    assert abs(alone).max() > 0.5  # the supports are needed for that


def test_supports_that_no_spring_feels_are_not_listed():
    model = hx.truss({"A": (0, 0), "B": (2, 0)}, [("A", "B")], {"A": "pinned", "B": "y"}, {"B": 1.0}, rigidity=10.0)
    assert model.support_names == ("A.x",)


def test_bars_have_their_own_stiffness_law_and_name():
    law = hx.backbone([(0.01, 2.0), (0.03, 3.0)])
    model = hx.truss(
        SQUARE,
        {
            "post": hx.Bar("A", "D", stiffness=50.0),
            "post 2": hx.Bar("B", "C", rigidity=60.0),
            "beam": ("C", "D"),
            "brace": hx.Bar("A", "C", law=hx.Slider(3.0)),
            "fuse": hx.Bar("B", "D", law=law),
        },
        {"A": "pinned", "B": "pinned"},
        {"C": 2.0},
        rigidity=100.0,
        law=hx.Slider(9.0),
    )
    assert model.springs == ("post", "post 2", "beam", "brace", "fuse/1", "fuse/2")
    assert np.allclose(1 / dense(model.flexibility).diagonal(), [50, 20, 25, 20, 150, 50])
    assert model.laws["slider"].yield_force[:4].tolist() == [9, 9, 9, 3]


def test_geometry_carries_the_motion_of_all_nodes():
    model = hx.truss(**GOOD)
    moved = (model.geometry.motion @ np.array([1.0, 2.0, 3.0, 4.0])).reshape(4, 2)
    assert moved.tolist() == [[0, 0], [0, 0], [1, 2], [3, 4]]
    assert model.geometry.elements.tolist() == [[0, 3], [1, 2], [3, 2], [0, 2], [1, 3]]
    assert model.geometry.springs == ((0,), (1,), (2,), (3,), (4,))


def test_an_equal_dof_is_eliminated():
    model = hx.truss(**GOOD, constraints={"D.x": "C.x"})
    assert model.dofs == ("C.x", "C.y", "D.y")
    assert dense(model.mass).diagonal().tolist() == [4, 2, 2]
    free = hx.truss(**GOOD)
    t = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1.0]])
    assert np.allclose(elastic(model), t.T @ elastic(free) @ t, atol=1e-12)
    assert model.influence.tolist() == [[1, 0], [0, 1], [0, 1]]


def test_effective_masses_add_up_in_each_direction():
    found = hx.modes(hx.truss(**GOOD))
    assert np.allclose(found.effective_mass.sum(axis=0), [4.0, 4.0])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"nodes": {}}, "nodes must map names to coordinates"),
        ({"nodes": SQUARE | {"C": (4, 3, 1)}}, "node 'C' has 3 coordinates"),
        ({"nodes": SQUARE | {"C": (4,)}}, "node 'C' has 1 coordinates"),
        ({"nodes": SQUARE | {"C": (4, math.nan)}}, "coordinate of node 'C' must be a finite number"),
        ({"nodes": {1: (0, 0), "1": (1, 0)}}, "two nodes are named '1'"),
        ({"nodes": SQUARE | {"E": (9, 9)}}, "node 'E' is attached to no element"),
        ({"nodes": SQUARE | {"D": (0, 0)}}, "A-D has zero length: nodes 'A' and 'D' coincide"),
        ({"bars": []}, "bars must be a list or a mapping"),
        ({"bars": [*BARS, ("A", "Z")]}, "A-Z: there is no node 'Z'; nodes are 'A', 'B', 'C', 'D'"),
        ({"bars": [*BARS, ("A", "D")]}, "two bars are named 'A-D'"),
        ({"bars": [*BARS, ("A", None)]}, "an element joins two nodes"),
        ({"bars": [*BARS, "AD"]}, "'AD' is no pair of nodes"),
        ({"bars": BARS[:3]}, r"unstable structure: node '[CD]' can move in direction x, nothing resists it"),
        ({"bars": BARS[:2]}, r"unstable structure: node '[CD]' can move in direction x"),
        ({"bars": [*BARS[:4], ("C", "D")]}, None),
        ({"supports": {}}, "is not connected to any support"),
        ({"supports": {"Z": "x"}}, "supports: there is no node 'Z'"),
        ({"supports": {"A": "rz"}}, "support of node 'A': 'rz' is no direction"),
        ({"supports": {"A": "left"}}, "support of node 'A': 'left' is no direction"),
        ({"supports": {"A": "pinned"}}, "unstable structure: node"),
        ({"supports": dict.fromkeys("ABCD", "pinned")}, "nothing can move"),
        ({"masses": {}}, "no free dof has a mass"),
        ({"masses": {"A": 1.0}}, "no free dof has a mass"),
        ({"masses": {"Z": 1.0}}, "masses: there is no node 'Z'"),
        ({"masses": {"C": -1.0}}, "mass of 'C' must not be negative"),
        ({"masses": {"C": (1.0, -1.0)}}, r"mass of 'C\.y' must not be negative"),
        ({"masses": {"C": (1, 1, 1)}}, "mass of 'C': 3 numbers for directions x, y"),
        ({"masses": 3.0}, "masses must map nodes to numbers"),
        ({"rigidity": None}, "A-D needs a rigidity EA or a stiffness"),
        ({"rigidity": -1}, "rigidity of A-D must be positive"),
        ({"bars": {"b": hx.Bar("A", "D", 1.0, 1.0)}}, "b has a rigidity and a stiffness"),
        ({"damping": "much"}, "damping must be a matrix, ratio"),
        ({"constraints": {"C.x": "Z.x"}}, r"constraint: there is no 'Z\.x'"),
        ({"constraints": {"C.x": "D.y"}}, r"the constraint of 'C\.x' does not hold .* direction x"),
        ({"constraints": {"C.x": {"D.x": 0.5}}}, "factors of x must add up to 1"),
        ({"constraints": {"A.x": "D.x"}}, r"moves 'A\.x', which is already supported"),
        ({"constraints": {"C.x": "A.x"}}, r"'C\.x' follows 'A\.x', which is itself supported"),
        ({"constraints": {"C.x": "D.x", "D.x": "C.x"}}, "which is itself constrained"),
        ({"diaphragms": {"roof": ["C"]}}, "diaphragm 'roof' needs a list of at least two nodes"),
        ({"diaphragms": {"roof": ["C", "Z"]}}, "diaphragm 'roof': there is no node 'Z'"),
        ({"diaphragms": {"A": ["C", "D"]}}, "diaphragm 'A' has the name of a node"),
        ({"diaphragms": {"roof": ["A", "D"]}}, r"diaphragm 'roof' moves 'A\.x', which is already supported"),
        ({"links": [hx.elastic_link("A", "Z", 1.0)]}, "elastic link 1: there is no node 'Z'"),
        ({"links": [hx.elastic_link("A", None, 1.0)]}, "goes to the ground and needs a direction, one of x, y"),
        ({"links": [hx.elastic_link("A", "B", 1.0, direction="z")]}, "'z' is no direction; take one of x, y"),
        ({"links": [hx.elastic_link("A", "A", 1.0)]}, "begins and ends at the same point"),
    ],
    ids=str,
)
def test_wrong_input_is_named(wrong, message):
    if message is None:  # four corners and one brace do stand
        hx.truss(**GOOD | wrong)
        return
    with pytest.raises(ModelError, match=f"truss: .*{message}"):
        hx.truss(**GOOD | wrong)


def test_a_part_without_support_is_named():
    with pytest.raises(ModelError, match="node 'E' is not connected to any support, nor are 'F'"):
        hx.truss(SQUARE | {"E": (9, 0), "F": (9, 3)}, [*BARS, ("E", "F")], GOOD["supports"], {"C": 1.0}, rigidity=1.0)


def test_the_node_that_moves_is_the_one_that_is_named():
    nodes = SQUARE | {"E": (6, 5), "F": (1, 4), "G": (3, 4)}
    bars = [*BARS, ("C", "E"), ("D", "F"), ("C", "F"), ("D", "G"), ("C", "G")]
    with pytest.raises(ModelError, match="unstable structure: node 'E' can move"):
        hx.truss(nodes, bars, GOOD["supports"], {"C": 1.0}, rigidity=10.0)


def test_a_law_is_checked_where_it_is_made():
    with pytest.raises(LawError, match="softening"):
        hx.Bar("A", "B", 1.0, law=hx.Slider(1.0, kinematic=-1.0))
