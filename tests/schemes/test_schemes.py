"""Schemes are data; a wrong choice cannot be built."""

import dataclasses
import math
import mmap

import pytest

import hamex as hx
from hamex.errors import InputError, SchemeError
from hamex.schemes.scheme import LargePages, room_for

SCHEMES = (hx.Galerkin, hx.Newmark, hx.PiecewiseExact)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("step", [0, 0.0, -0.02, math.nan, math.inf, -math.inf, "0.02", None, [0.02]], ids=repr)
def test_a_step_is_a_positive_number(scheme, step):
    with pytest.raises(SchemeError, match=f"{scheme.__name__}: step must be a positive number of seconds"):
        scheme(step=step)


@pytest.mark.parametrize(
    ("scheme", "wrong", "message"),
    [
        (hx.Galerkin, {"load": "begin"}, "load must be one of average, end, mean, got 'begin'"),
        (hx.Galerkin, {"load": None}, "load must be one of"),
        (hx.Galerkin, {"degree": 5}, "degree must be 1 to 4"),
        (hx.Galerkin, {"degree": 0}, "degree must be 1 to 4"),
        (hx.Newmark, {"beta": 0}, "beta must be positive"),
        (hx.Newmark, {"beta": math.nan}, "beta must be positive"),
        (hx.Newmark, {"beta": "1/4"}, "beta must be positive"),
        (hx.Newmark, {"gamma": -0.5}, "gamma must be positive"),
        (hx.Newmark, {"gamma": None}, "gamma must be positive"),
        (hx.Newmark, {"tolerance": 0}, "tolerance must be positive"),
        (hx.Newmark, {"tolerance": math.inf}, "tolerance must be positive"),
        (hx.Newmark, {"tolerance": "tiny"}, "tolerance must be positive"),
        (hx.Newmark, {"max_iterations": 0}, "max_iterations must be"),
        (hx.Newmark, {"max_iterations": 2.5}, "max_iterations must be"),
        (hx.Newmark, {"max_iterations": math.nan}, "max_iterations must be"),
        (hx.Newmark, {"max_iterations": "10"}, "max_iterations must be"),
    ],
    ids=str,
)
def test_each_wrong_value_has_its_message(scheme, wrong, message):
    with pytest.raises(SchemeError, match=message):
        scheme(step=0.02, **wrong)


def test_scheme_errors_are_value_errors_of_ours():
    assert issubclass(SchemeError, InputError)
    assert issubclass(InputError, ValueError)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_schemes_are_frozen_and_compare_by_value(scheme):
    one = scheme(step=0.02)
    assert one == scheme(step=0.02) != scheme(step=0.01)
    assert hash(one) == hash(scheme(step=0.02))
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.step = 0.01


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="a system without large pages")
def test_room_for_histories_is_used_again_only_when_nothing_refers_to_it(monkeypatch):
    monkeypatch.setattr(LargePages, "spare", [])
    shapes = ((50_001, 3), (50_000, 3))
    one, two = room_for(*shapes)
    other = room_for(*shapes)
    one[:], two[:], other[0][:], other[1][:] = 1.0, 2.0, 3.0, 4.0
    assert [array.mean() for array in (one, two, *other)] == [1.0, 2.0, 3.0, 4.0]
    place, view = one.ctypes.data, two[10:20]
    del one, two
    assert room_for(*shapes)[0].ctypes.data != place
    assert (view == 2.0).all()
    del view
    assert room_for(*shapes)[0].ctypes.data == place
