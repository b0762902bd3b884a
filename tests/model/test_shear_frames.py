"""Arrays of shear frames: the same numbers as frame by frame, and a message for every wrong input."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ModelError
from hamex.model.shear_frames import ARRAYS, frequencies, shear_frames
from hamex.schemes.shear_frame import shear_frames_of

RNG = np.random.default_rng(5)


def family(storeys, count=4):
    """Masses, stiffnesses, yield forces, viscosities and both hardenings of random frames; some storeys elastic."""
    shape = count, storeys
    m, k = RNG.uniform(0.5, 2.0, shape), RNG.uniform(100.0, 400.0, shape)
    fy = np.where(RNG.random(shape) < 0.2, np.inf, k * RNG.uniform(0.002, 0.02, shape))
    return m, k, fy, 0.01 * k, 0.05 * k * RNG.random(shape), 0.02 * k * RNG.random(shape)


def one_by_one(m, k, fy, eta, hk, hi, damping=0.0, **more):
    """The same frames made by shear_frame."""
    return [
        hx.shear_frame(
            m[i],
            k[i],
            damping[i] if np.ndim(damping) == 2 else damping,
            [hx.Slider(*law) for law in zip(fy[i], eta[i], hk[i], hi[i], strict=True)],
            **{name: values[i] for name, values in more.items()},
        )
        for i in range(len(m))
    ]


WISHES = {
    "none": lambda k: 0.0,
    "dashpots": lambda k: 0.02 * k,
    "one dashpot": lambda k: np.full(k.shape, 3.0),
    "ratio": lambda k: hx.ratio(0.03),
    "ratio of the last mode": lambda k: hx.ratio(0.03, mode=k.shape[1]),
    "rayleigh": lambda k: hx.rayleigh((0.05, 0.04), modes=(1, k.shape[1])),
    "coefficients": lambda k: hx.rayleigh(alpha=0.1, beta=0.002),
}


@pytest.mark.parametrize("weight", [0.0, 10.0])
@pytest.mark.parametrize(
    ("name", "storeys"),
    [(name, storeys) for name in WISHES for storeys in (1, 2, 5, 12) if (name, storeys) != ("rayleigh", 1)],
)  # one mode does not fix Rayleigh damping
@pytest.mark.every_value
def test_numbers_are_those_of_the_single_frames(name, storeys, weight):
    numbers = family(storeys)
    m, k, fy, *rest = numbers
    more = {"heights": np.full(m.shape, 3.0), "weights": weight * m} if weight else {}
    wish = WISHES[name](k)
    many = shear_frames(m, k, wish, fy, *rest, **more)
    single = shear_frames_of(one_by_one(*numbers, wish, **more))
    for array in ARRAYS:
        a, b = getattr(many, array), getattr(single, array)
        finite = np.isfinite(b)
        assert np.array_equal(np.isfinite(a), finite)
        largest = abs(b[finite]).max(initial=0.0)
        assert np.allclose(a[finite], b[finite], rtol=1e-12, atol=1e-12 * largest), array
    assert len(many) == 4
    assert many.storeys == storeys
    assert bool(weight) == bool(np.any(many.geometric_main))


def test_a_storey_that_yields_at_no_force_counts_with_its_hardening():
    m, k, fy, eta, hk, hi = family(3)
    fy[:, 1] = 0.0
    many = shear_frames(m, k, hx.ratio(0.05), fy, eta, hk, hi)
    single = shear_frames_of(one_by_one(m, k, fy, eta, hk, hi, hx.ratio(0.05)))
    assert np.allclose(many.damping_main, single.damping_main, rtol=1e-12, atol=0)
    stiff = shear_frames(m, k, hx.ratio(0.05), np.where(fy == 0, 1.0, fy), eta, hk, hi)
    assert not np.allclose(many.damping_main, stiff.damping_main, rtol=1e-3)


@pytest.mark.parametrize("storeys", [1, 2, 3, 7, 20])
@pytest.mark.chief("1", "7")
def test_every_frequency_is_that_of_the_full_matrix(storeys):
    m, k = RNG.uniform(0.1, 10.0, (2, 30, storeys))
    found = np.stack([frequencies(m, k, mode) for mode in range(1, storeys + 1)], axis=1)
    for i in range(len(m)):
        modes = hx.modes(hx.shear_frame(m[i], k[i]))
        assert np.allclose(found[i], modes.frequencies, rtol=1e-11, atol=1e-13 * modes.frequencies.max())


def test_chains_are_taken_in_blocks_without_a_seam():
    m, k = RNG.uniform(1.0, 2.0, (2, 4099, 2))
    whole = frequencies(m, k, 1)
    assert np.array_equal(whole[4090:], frequencies(m[4090:], k[4090:], 1))


def test_parameters_are_spread_over_each_other():
    many = shear_frames([2.0, 1.0], np.full((3, 2), 100.0), damping=[1.0, 2.0], yield_forces=[[1.0], [2.0], [3.0]])
    assert many.mass.tolist() == [[2.0, 1.0]] * 3
    assert many.yield_force.tolist() == [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
    assert many.damping_main.tolist() == [[3.0, 2.0]] * 3
    assert many.damping_side.tolist() == [[0.0, -2.0]] * 3
    assert np.isnan(many.heights).all()
    assert shear_frames(1.0, 2.0).storeys == len(shear_frames(1.0, 2.0)) == 1
    assert shear_frames([1.0, 2.0], 2.0).mass.tolist() == [[1.0, 2.0]]
    some = many.chosen(np.array([2, 0]))
    assert some.yield_force[:, 0].tolist() == [3.0, 1.0]
    assert len(many.chosen(slice(0, 2))) == 2


GOOD = np.full((20, 4), 100.0)


def with_bad(value, frame=17, storey=2):
    values = GOOD.copy()
    values[frame, storey] = value
    return values


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"stiffnesses": with_bad(np.nan)}, "stiffness of frame 17, storey 3 must be positive, got nan"),
        ({"stiffnesses": with_bad(np.inf)}, "stiffness of frame 17, storey 3 must be finite, got inf"),
        ({"masses": with_bad(0.0)}, "mass of frame 17, floor 3 must be positive, got 0"),
        ({"masses": with_bad(-1.0, 0, 0)}, "mass of frame 0, floor 1 must be positive, got -1"),
        ({"damping": with_bad(-2.0)}, "damping of frame 17, storey 3 must not be negative, got -2"),
        ({"damping": np.nan}, "damping of frame 0, storey 1 must not be negative, got nan"),
        ({"yield_forces": with_bad(-1.0)}, "yield force of frame 17, storey 3 must not be negative"),
        ({"yield_forces": with_bad(np.nan)}, "yield force of frame 17, storey 3 must not be negative, got nan"),
        ({"yield_forces": with_bad(0.0)}, "hardening of frame 17, storey 3 are all zero"),
        ({"viscosities": with_bad(np.inf)}, "viscosity of frame 17, storey 3 must be finite"),
        ({"kinematic": with_bad(-1.0)}, "kinematic hardening of frame 17, storey 3 must not"),
        ({"isotropic": -1.0}, "isotropic hardening of frame 0, storey 1 must not"),
        ({"heights": with_bad(0.0)}, "height of frame 17, storey 3 must be positive"),
        ({"heights": 3.0, "weights": with_bad(-5.0)}, "weight of frame 17, floor 3 must not be negative"),
        ({"weights": 5.0}, "weights act through P-Delta, which needs heights"),
        (
            {"heights": 3.0, "weights": with_bad(300.0) * [0, 0, 1, 0]},
            "elastic frame 17 can carry: it buckles at 1 times these loads, in storey 1",
        ),
        ({"masses": np.zeros((0, 4))}, r"mass is empty, its shape is \(0, 4\)"),
        ({"masses": np.ones((20, 3))}, r"shapes do not fit together: mass \(20, 3\), stiffness \(20, 4\)"),
        ({"masses": np.ones((2, 20, 4))}, r"mass has shape \(2, 20, 4\)"),
        ({"masses": "heavy"}, "mass must be numbers, got 'heavy'"),
        ({"damping": hx.modal(0.05)}, "modal damping fills .* use rayleigh"),
        ({"damping": hx.ratio(0.05, mode=5)}, "mode 5 asked for, but frames of 4 storeys have no more than 4"),
        ({"damping": hx.rayleigh((0.5, 0.01))}, "need a negative coefficient of stiffness in frame 0"),
        (
            {"damping": hx.ratio(0.05), "yield_forces": with_bad(0.0), "viscosities": 1.0},
            "mode 1 of frame 17 has no stiffness at rest",
        ),
    ],
)
def test_wrong_input_is_refused_by_its_place(more, told):
    with pytest.raises(ModelError, match=f"^shear_frames: .*{told}"):
        shear_frames(**({"masses": GOOD, "stiffnesses": GOOD} | more))


def test_gravity_loads_are_refused_as_for_one_frame():
    m, k = np.ones((2, 3)), np.array([[300.0, 200.0, 100.0]] * 2)
    weights = np.array([[10.0, 10.0, 10.0], [100.0, 500.0, 100.0]])
    with pytest.raises(ModelError, match="elastic frame 1 can carry: it buckles at 1 times these loads, in storey 2"):
        shear_frames(m, k, heights=3.0, weights=weights)
    with pytest.raises(ModelError, match="it buckles at 1 times these loads, in storey 2"):
        hx.shear_frame(m[1], k[1], heights=3.0, weights=weights[1])
