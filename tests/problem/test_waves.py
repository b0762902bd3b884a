"""Meshes and steps that are too coarse for the waves of a load say so."""

import re
import warnings

import numpy as np
import pytest

import hamex as hx
from hamex.errors import CoarseWarning

SOIL = hx.Material.of_waves(density=2.0, shear=100.0, pressure=250.0)


def shaken(frequency, degree=1, elements=20, material=SOIL, **given):
    """A layer of 20 m whose base is pulled at a frequency [Hz], in square cells, of 1 m unless told."""
    mesh = hx.meshes.rectangle(20.0 / elements, 20.0, (1, elements))
    model = hx.solid(mesh, material, fixed={"left": "y", "right": "y"}, degree=degree, **given)
    push = model.body.traction("bottom", (1.0, 0.0))
    load = hx.Load(lambda t: np.sin(2 * np.pi * frequency * t), patterns=push[:, None])
    return hx.Problem(model, load, 1.0)


def told(problem, step):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", CoarseWarning)
        hx.solve(problem, hx.Galerkin(step))
    return [str(each.message) for each in found if issubclass(each.category, CoarseWarning)]


def test_a_mesh_with_few_nodes_per_wave_warns():
    """Reference: analytic, c_S/(f l) nodes per wave: 100/(20 · 1) = 5; with nodes on the sides 10."""
    (message,) = told(shaken(20.0), 1e-3)
    assert "the mesh has 5 nodes per wave at 20 Hz" in message
    assert "shear waves of speed 100" in message
    assert told(shaken(20.0, degree=2), 1e-3) == []
    assert told(shaken(20.0, elements=40), 1e-3) == []
    assert told(shaken(10.0), 1e-3) == []


def test_the_slowest_material_counts():
    mesh = hx.meshes.rectangle(1.0, 20.0, (1, 20))
    mesh = mesh.with_subdomains({"soft": lambda x: x[1] > 10, "hard": lambda x: x[1] < 10})
    materials = {"soft": SOIL, "hard": hx.Material.of_waves(2.0, 400.0, 900.0)}
    model = hx.solid(mesh, materials, fixed={"left": "y", "right": "y"})
    load = hx.Load(lambda t: np.sin(2 * np.pi * 20.0 * t), patterns=model.body.traction("top", (1.0, 0.0))[:, None])
    (message,) = told(hx.Problem(model, load, 1.0), 1e-3)
    assert "the mesh has 5 nodes per wave" in message


def test_few_steps_per_period_warn():
    """Reference: analytic, 1/(f h) = 5 steps of a period, or somewhat fewer: a sine that ends is no pure one."""
    messages = told(shaken(10.0, degree=2), 0.02)
    (message,) = [each for each in messages if "the step of 0.02 s makes" in each]
    assert 3 <= float(re.search(r"makes ([\d.]+) steps of a period", message).group(1)) <= 5
    longest = float(re.search(r"take ([\d.]+) s or less", message).group(1))
    assert 0.5 / 80 < longest < 1.1 / 80
    assert told(shaken(10.0, degree=2), 0.005) == []


@pytest.mark.parametrize("load", [lambda t: 1.0 + 0 * t, lambda t: np.minimum(t, 1.0)])
def test_loads_that_do_not_swing_send_no_waves_to_warn_of(load):
    problem = shaken(1.0)
    slow = hx.Load(load, patterns=problem.load.patterns)
    assert told(problem.replace(load=slow), 0.1) == []
