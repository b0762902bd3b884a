"""Defaults by type: the printed capacity curves of Hazus come out of them."""

import numpy as np
import pytest

from hamex.study.regions import types

# Hazus-MH 2.1, tables 5.7a-d: level, class, modal factor α₁ (table 5.5), then Dy [in], Ay [g], Du [in], Au [g].
PRINTED = """
high W1 0.75 0.48 0.400 11.51 1.200
high W2 0.75 0.63 0.400 12.53 1.000
high S1L 0.80 0.61 0.250 14.67 0.749
high S1M 0.80 1.78 0.156 28.40 0.468
high S2H 0.65 7.75 0.254 61.97 0.508
high C1M 0.80 1.15 0.208 18.44 0.624
high C2H 0.65 2.94 0.254 29.39 0.635
high PC1 0.50 0.72 0.600 11.51 1.200
high RM1L 0.75 0.64 0.533 10.23 1.066
moderate S1H 0.75 2.33 0.049 20.96 0.147
moderate S4L 0.75 0.19 0.160 2.59 0.360
moderate C1L 0.80 0.20 0.125 3.52 0.375
moderate RM2M 0.75 0.69 0.222 5.54 0.444
low C3M 0.75 0.26 0.083 1.95 0.188
low S5L 0.75 0.12 0.100 1.20 0.200
low URML 0.50 0.24 0.200 2.40 0.400
low W2 0.75 0.16 0.100 2.35 0.250
pre S1L 0.80 0.15 0.062 2.75 0.187
pre C2L 0.75 0.12 0.100 1.80 0.250
pre URMM 0.75 0.27 0.111 1.81 0.222
pre MH 1.00 0.18 0.150 2.16 0.300
"""
TYPICAL = {
    "W1": 1,
    "W2": 2,
    "S1L": 2,
    "S1M": 5,
    "S1H": 13,
    "S2H": 13,
    "C1L": 2,
    "C1M": 5,
    "C2L": 2,
    "C2H": 12,
    "PC1": 1,
    "RM1L": 2,
    "RM2M": 5,
    "S4L": 2,
    "C3M": 5,
    "S5L": 2,
    "URML": 1,
    "URMM": 3,
    "MH": 1,
}


def of(name, storeys, level):
    found = types.defaults(
        np.array([types.NAMES.index(name)]), np.array([storeys]), np.array([types.LEVELS.index(level)])
    )
    return {key: values[0] for key, values in found.items()}


@pytest.mark.parametrize("line", PRINTED.strip().splitlines())
def test_the_printed_capacity_curve_comes_out(line):
    level, name, alpha, dy, ay, du, au = line.split()
    found = of(name, TYPICAL[name], level)
    A = found["strength"] / float(alpha)  # g
    D = 386.09 / (2 * np.pi) ** 2 * A * found["period"] ** 2
    ultimate = float(au) / float(ay)
    # Printed with two or three digits, the strength they start from too.
    assert pytest.approx(float(ay), rel=0.015, abs=0.0007) == A
    assert pytest.approx(float(dy), rel=0.03, abs=0.006) == D
    assert D * (1 + (ultimate - 1) / found["hardening"]) == pytest.approx(float(du), rel=0.03)


@pytest.mark.parametrize(
    ("name", "storeys", "expected"),
    [
        ("C1", 3, "C1L"),
        ("C1", 4, "C1M"),
        ("C1", 7, "C1M"),
        ("C1", 8, "C1H"),
        ("C1", 40, "C1H"),
        ("URM", 2, "URML"),
        ("URM", 3, "URMM"),
        ("RM1", 12, "RM1M"),
        ("W1", 5, "W1"),
        ("S1L", 12, "S1L"),
    ],
)
def test_storeys_decide_on_the_class_unless_it_is_named(name, storeys, expected):
    found = types.classes_of(np.array([types.NAMES.index(name)]), np.array([storeys]))
    assert types.CLASSES[found[0]] == expected


def test_periods_rise_with_every_storey_and_limits_with_every_state():
    for name in types.TYPES:
        row = np.full(30, types.NAMES.index(name))
        found = types.defaults(row, np.arange(1, 31), types.usual_level(row))
        assert (np.diff(found["period"]) > 0).all(), name
        assert (np.diff(found["limits"], axis=1) > 0).all(), name
        assert np.isfinite(found["strength"]).all(), name


def test_periods_run_through_the_printed_ones():
    assert [of("C1", n, "high")["period"] for n in (2, 5, 12)] == pytest.approx([0.4, 0.75, 1.45])
    assert of("C1", 24, "high")["period"] == pytest.approx(1.45 * 2**0.75)
    assert of("C1", 1, "high")["period"] == pytest.approx(0.4 * 0.5**0.75)
    assert of("C1M", 10, "high")["period"] == pytest.approx(0.75 * 2**0.75)
    assert of("URM", 2, "low")["period"] == pytest.approx(0.35 * (0.5 / 0.35) ** (np.log(2) / np.log(3)))


def test_drift_limits_of_a_storey_do_not_depend_on_the_height():
    for storeys in (2, 12):
        assert of("C1", storeys, "high")["limits"].tolist() == [0.005, 0.01, 0.03, 0.08]
    assert of("URM", 1, "pre")["limits"].tolist() == [0.0024, 0.0048, 0.012, 0.028]
