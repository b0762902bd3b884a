"""Models from matrices made elsewhere: equal to what the builders give, and checked by name."""

import math

import numpy as np
import pytest
from scipy import sparse
from statics import elastic

import hamex as hx
from hamex.errors import ModelError
from hamex.model.record import dense

FRAME = hx.shear_frame([3.0, 2.0, 1.0], [300.0, 200.0, 100.0], [3.0, 2.0, 1.0], hx.Slider(4.0, 0.2))
GOOD = {
    "mass": [3.0, 2.0, 1.0],
    "damping": FRAME.damping.dense(),
    "flexibility": [1 / 300, 1 / 200, 1 / 100],
    "compatibility": dense(FRAME.compatibility),
    "laws": hx.Slider(4.0, 0.2),
}


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.coo_matrix], ids=["plain", "array", "matrix"])
def test_the_matrices_of_a_shear_frame_give_the_shear_frame(form):
    model = hx.structure(
        form(dense(FRAME.mass)),
        form(FRAME.damping.dense()),
        form(dense(FRAME.flexibility)),
        form(dense(FRAME.compatibility)),
        [hx.Slider(4.0, 0.2)] * 3,
    )
    for name in ("mass", "stiffness", "flexibility", "compatibility"):
        assert np.array_equal(dense(getattr(model, name)), dense(getattr(FRAME, name))), name
    assert np.array_equal(model.damping.dense(), FRAME.damping.dense())
    assert np.array_equal(model.influence, FRAME.influence)
    assert model.laws["slider"].yield_force.tolist() == [4.0] * 3


def test_names_directions_and_supports_are_kept():
    model = hx.structure(
        **GOOD,
        influence=[[1, 0], [0, 1], [1, 0]],
        dofs="abc",
        springs=["p", "q", "r"],
        directions=("east", "north"),
        supports=[[-1.0, 0, 0]],
        support_names=["rock"],
        units=hx.Units("m", "kN"),
    )
    assert (model.dofs, model.springs, model.directions) == (("a", "b", "c"), ("p", "q", "r"), ("east", "north"))
    assert model.support_names == ("rock",)
    assert dense(model.supports).tolist() == [[-1, 0, 0]]
    assert model.units.force == "kN"


def test_laws_by_name_number_or_together():
    flexible = np.diag([1.0, 2.0, 2.0, 3.0])
    laws = {"spring 1": hx.Slider(5.0), (1, 2): hx.Surface((3.0, 4.0)), 3: hx.PowerLaw(2.0, 0.5)}
    model = hx.structure(np.ones(4), 0, flexible, np.eye(4), laws)
    assert model.laws["slider"].springs.tolist() == [0]
    assert model.laws["power"].springs.tolist() == [3]
    assert model.laws["surface"].first.tolist() == [1]
    assert np.allclose(model.laws["surface"].weight, [[1 / 9, 1 / 16]])


def test_coupled_flexibility_makes_a_block_with_a_hinge_each():
    coupled = np.array([[2.0, -1.0, 0], [-1.0, 2.0, 0], [0, 0, 1.0]])
    model = hx.structure(np.ones(3), 0, coupled, np.eye(3), [hx.Slider(5.0), None, hx.Slider(7.0)])
    assert model.laws["surface"].size.tolist() == [2]
    assert np.allclose(model.laws["surface"].weight, [[1 / 25, 0]])
    assert model.laws["slider"].springs.tolist() == [2]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"mass": [3.0, -2.0, 1.0]}, "mass is indefinite .*'dof 2'"),
        ({"mass": [3.0, math.nan, 1.0]}, "mass holds a value that is not finite, at row 1, column 1"),
        ({"mass": [[1, 0, 0], [1, 1, 0], [0, 0, 1]]}, "mass is not symmetric"),
        ({"mass": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}, "mass is indefinite"),
        ({"mass": np.ones((2, 3))}, "mass is 2 × 3, it must be square"),
        ({"mass": [0, 0, 0]}, "every mass is zero"),
        ({"mass": "heavy"}, "mass must be a matrix of numbers"),
        ({"damping": np.eye(2)}, "the damping matrix is 2 × 2, it must be 3 × 3"),
        ({"damping": -np.eye(3)}, "the damping matrix is indefinite"),
        ({"flexibility": [1.0, 0.0, 1.0]}, "spring 'spring 2' has flexibility 0; it must be positive"),
        ({"flexibility": [1.0, -1.0, 1.0]}, "spring 'spring 2' has flexibility -1"),
        ({"flexibility": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}, "spring 1: the flexibility must be positive definite"),
        ({"flexibility": [[1, 0, 0.1], [0, 1, 0], [0.1, 0, 1]]}, "springs spring 1, spring 3 share flexibility"),
        ({"flexibility": np.eye(2)}, "compatibility is 3 × 3, it must be 3 × 2"),
        ({"compatibility": np.ones((3, 2))}, "compatibility is 3 × 2, it must be 3 × 3"),
        ({"stiffness": np.eye(2)}, "stiffness is 2 × 2, it must be 3 × 3"),
        ({"stiffness": -500 * np.eye(3)}, "elastic stiffness .* is indefinite"),
        ({"laws": [hx.Slider(1.0)]}, "1 laws for 3 springs"),
        ({"laws": [1.0, None, None]}, "law of 'spring 1' must be a law"),
        ({"laws": {"spring 9": hx.Slider(1.0)}}, "there is no spring 'spring 9'"),
        ({"laws": {7: hx.Slider(1.0)}}, "there is no spring 7"),
        ({"laws": {0: hx.Slider(1.0), "spring 1": hx.Slider(1.0)}}, "spring 'spring 1' has 2 laws"),
        ({"laws": {(0, 1): hx.Surface((1.0, 1.0, 1.0))}}, "one yield force per component"),
        ({"dofs": ["a", "a", "b"]}, "two dofs are named 'a'"),
        ({"dofs": ["a"]}, "1 names of dofs for 3"),
        ({"supports": [[1.0, 0, 0]]}, "supports is 1 × 3, it must be 0 × 3"),
        (
            {"compatibility": [[1, 0, 0], [0, 1, 0], [0, 0, 0]], "mass": [1, 1, 0]},
            "'dof 3' can move, and neither mass nor stiffness resists it",
        ),
    ],
    ids=str,
)
def test_wrong_matrices_are_named(wrong, message):
    with pytest.raises(ModelError, match=message):
        hx.structure(**GOOD | wrong)


def test_a_free_mass_is_a_structure_too():
    model = hx.structure([1.0, 2.0], 0, [0.01], [[1.0], [-1.0]])
    assert hx.modes(model).frequencies == pytest.approx([0, math.sqrt(150)])


def test_negative_stiffness_is_kept_while_the_elastic_structure_stands():
    model = hx.structure(**GOOD | {"stiffness": -20 * np.eye(3)})
    assert dense(model.stiffness)[0, 0] == -20


def test_springs_are_taken_out_of_the_stiffness_and_given_back():
    k = elastic(FRAME)
    model = hx.structure_from_stiffness(
        [3.0, 2.0, 1.0],
        k,
        {"top": ([0, -1, 1], 60.0, hx.Slider(2.0)), "base": ({"dof 1": 1.0}, 300.0, hx.Slider(5.0))},
        hx.ratio(0.05),
    )
    assert np.allclose(elastic(model), k, rtol=1e-12, atol=1e-9)
    assert model.springs == ("top", "base")
    assert dense(model.stiffness)[0, 0] == pytest.approx(200.0)
    assert np.allclose(hx.modes(model).frequencies, hx.modes(FRAME).frequencies, rtol=1e-12)


def test_all_of_the_stiffness_may_yield():
    law = hx.backbone([(0.01, 2.0), (0.03, 3.0)])
    model = hx.structure_from_stiffness(
        [1.0, 1.0], [[300, -100], [-100, 100]], [({0: 1.0}, None, law), ([-1, 1], 100.0, hx.Slider(1.0))]
    )
    assert dense(model.stiffness).tolist() == [[0, 0], [0, 0]]
    assert model.springs == ("spring 1/1", "spring 1/2", "spring 2")


def test_rounding_leaves_no_crumbs_of_stiffness():
    rng = np.random.default_rng(2)
    k = rng.uniform(0.1, 3, 6)
    b = np.eye(6) - np.eye(6, k=-1)
    model = hx.structure_from_stiffness(
        np.ones(6), b.T @ np.diag(k) @ b, [(row, x, hx.Slider(1.0)) for row, x in zip(b, k, strict=True)]
    )
    assert model.stiffness.nnz == 0


def test_geometric_stiffness_comes_on_top():
    k = [[300.0, -100], [-100, 100]]
    spring = [([1, 0], 200.0, hx.Slider(1.0))]
    model = hx.structure_from_stiffness([1.0, 1.0], k, spring, geometric=np.diag([-5.0, 0]))
    assert np.allclose(elastic(model), [[295, -100], [-100, 100]])
    assert dense(model.stiffness)[0, 0] == pytest.approx(95)
    with pytest.raises(ModelError, match=r"elastic stiffness .* is indefinite"):
        hx.structure_from_stiffness([1.0, 1.0], k, spring, geometric=np.diag([-250.0, 0]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"stiffness": [[100, -100], [-100, 100]]}, "stiffness is not positive definite: 'dof [12]' can move"),
        ({"stiffness": [[100, -100], [100, 100]]}, "stiffness is not symmetric"),
        ({"springs": []}, "no springs"),
        ({"springs": [([1, 0, 0], 1.0, hx.Slider(1.0))]}, "spring 1: b has 3 entries for 2 dofs"),
        ({"springs": [([0, 0], 1.0, hx.Slider(1.0))]}, "spring 1: b is zero"),
        ({"springs": [({"floor": 1.0}, 1.0, hx.Slider(1.0))]}, "there is no dof 'floor'"),
        ({"springs": [([1, 0], 201.0, hx.Slider(1.0))]}, "what the springs leave of the stiffness is indefinite"),
        ({"springs": [([1, 0], 0.0, hx.Slider(1.0))]}, "stiffness of spring 1 must be positive"),
        ({"springs": [([1, 0], 1.0)]}, r"spring 1 must be \(b, stiffness, law\)"),
        ({"springs": [([1, math.nan], 1.0, hx.Slider(1.0))]}, "b of spring 1 at 'dof 2' must be a finite number"),
    ],
    ids=str,
)
def test_wrong_springs_are_named(wrong, message):
    good = {"mass": [1.0, 1.0], "stiffness": [[300.0, -100], [-100, 100]], "springs": [([1, 0], 200.0, hx.Slider(1.0))]}
    hx.structure_from_stiffness(**good)
    with pytest.raises(ModelError, match=message):
        hx.structure_from_stiffness(**good | wrong)
