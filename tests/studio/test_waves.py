"""Waves as the studio answers: they travel and ring as theory says, scripts give the same run, bad values are told by
name."""

import json

import numpy as np
import pytest

import hamex as hx
from hamex.studio import wire
from hamex.studio.wave_tables import MembraneTable


def asked(client, kind, **changes):
    """The answer with its arrays read."""
    response = client.post(f"/api/waves/{kind}", json=changes)
    assert response.status_code == 200, response.text
    size = int.from_bytes(response.content[:4], "little")

    def read(value):
        if "at" not in value:
            return value
        return np.frombuffer(response.content, "<f4", value["length"], 4 + size + value["at"]).astype(float)

    return json.loads(response.content[4 : 4 + size], object_hook=read)


def stresses(answer):
    return answer["stress"].reshape(answer["pictures"], -1)


def clock(answer):
    return answer["step"] * np.arange(answer["pictures"])


@pytest.mark.parametrize(("scheme", "courant"), [("galerkin", 0.5), ("leapfrog", 1.0)])
@pytest.mark.chief("leapfrog-1.0")
def test_a_blow_travels_with_the_root_of_modulus_over_density(client, scheme, courant):
    """Reference: analytic. The middle of the pulse is at x at the time x/c + w/2c, as high as it was."""
    E, rho, L, width = 70e9, 2700.0, 2.0, 0.4
    answer = asked(
        client,
        "bar",
        modulus=E,
        density=rho,
        length=L,
        width=width,
        far_end="endless",
        crossings=1.5,
        scheme=scheme,
        courant=courant,
    )
    c = np.sqrt(E / rho)
    assert answer["speed"] == pytest.approx(c, rel=1e-12)
    assert answer["crossing"] == pytest.approx(L / c, rel=1e-12)
    stress, times = stresses(answer), clock(answer)
    for element in (24, 74):
        x = (element + 0.5) * L / 100
        pressed = -stress[:, element]
        arrived = (times * pressed).sum() / pressed.sum()
        assert arrived == pytest.approx((x + width / 2) / c, rel=0.01)
        assert pressed.max() == pytest.approx(200e6, rel=0.01)
    assert np.abs(stress[-1]).max() < 0.02 * 200e6  # it has left


@pytest.mark.parametrize(("far_end", "sign"), [("fixed", -1), ("wall", -1), ("free", 1)])
def test_a_blow_comes_back_from_the_far_end(client, far_end, sign):
    """Reference: analytic. Compression comes back as compression from what holds, as tension from what is free."""
    answer = asked(client, "bar", far_end=far_end, crossings=1.7)
    stress, times = stresses(answer), clock(answer)
    then = np.argmin(np.abs(times - 1.6 * answer["crossing"]))
    back = stress[then, 30:70]
    assert sign * back.max() > 0.9 * 200e6 if sign > 0 else back.min() < -0.9 * 200e6
    assert np.abs(stress[then, 75:]).max() < 0.1 * 200e6


@pytest.mark.parametrize("far_end", ["fixed", "endless"])
def test_energies_of_a_bar_add_up_and_are_those_that_it_has(client, far_end):
    elastic = asked(client, "bar", far_end=far_end)
    assert "plastic" not in elastic["energy"]
    assert ("viscous" in elastic["energy"]) == (far_end == "endless")
    yielding = asked(client, "bar", far_end=far_end, yield_stress=120e6, viscosity=2e6)
    energy = yielding["energy"]
    assert energy["plastic"][-1] > 0.2 * energy["input"][-1]
    whole = sum(values[-1] for name, values in energy.items() if name not in ("input", "imbalance"))
    assert whole == pytest.approx(energy["input"][-1], rel=1e-6)
    assert max(elastic["residual"], yielding["residual"]) < 1e-11


def test_a_membrane_rings_with_its_first_frequency(client):
    """Reference: analytic, c/2 √(1/a² + 1/b²); the product of sines is a mode of the mesh, too."""
    a, b, c = 0.9, 0.5, np.sqrt(1800.0 / 0.2)
    answer = asked(client, "membrane", width=a, height=b, tension=1800.0, surface_mass=0.2, courant=0.25, crossings=8.0)
    exact = 0.5 * c * np.hypot(1 / a, 1 / b)
    assert answer["frequency"] == pytest.approx(exact, rel=1e-12)
    w = answer["displacement"].reshape(answer["pictures"], -1)
    mode = np.sin(np.pi * answer["x"] / a) * np.sin(np.pi * answer["y"] / b)
    share, times = w @ mode, clock(answer)
    turns = np.flatnonzero(np.diff(np.sign(share)) != 0)
    zeros = times[turns] + answer["step"] * share[turns] / (share[turns] - share[turns + 1])
    assert len(zeros) > 10
    assert 0.5 / np.diff(zeros).mean() == pytest.approx(exact, rel=0.005)
    assert answer["residual"] < 1e-12


def test_a_drum_has_the_first_zero_of_bessels_function(client):
    """Reference: analytic, 2.4048 c/(2πR); elements of a mapped square, whose error falls as their size squared."""
    told = asked(client, "membrane", shape="disc", x=0.5, y=0.5, crossings=0.5)["frequency"]
    assert told == pytest.approx(2.404825557695773 * np.sqrt(2000.0 / 0.26) / (2 * np.pi * 0.3), rel=1e-12)
    off = [
        hx.modes(MembraneTable(shape="disc", elements=n).posed().model, 1).frequencies[0] / (2 * np.pi * told) - 1
        for n in (8, 16)
    ]
    assert 0 < off[1] < 0.01
    assert np.log2(off[0] / off[1]) == pytest.approx(2.0, abs=0.3)


def test_a_membrane_comes_in_rows_and_its_edge_is_held(client):
    answer = asked(client, "membrane", shape="disc", elements=10, x=0.5, y=0.5, crossings=0.5)
    grid = [answer[name].reshape(-1, answer["columns"]) for name in ("x", "y")]
    assert (np.diff(grid[0], axis=1) > 0).all()
    assert (np.diff(grid[1], axis=0) > 0).all()
    w = answer["displacement"].reshape(answer["pictures"], *grid[0].shape)
    assert all((edge == 0).all() for edge in (w[:, 0], w[:, -1], w[:, :, 0], w[:, :, -1]))
    assert w[0].ravel().argmax() == answer["nearest"]
    assert w[0].max() == pytest.approx(0.01, rel=1e-6)


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("bar", {"yield_stress": 120e6, "viscosity": 2e6, "damping": 1e-6}),
        ("bar", {"event": "pushed", "far_end": "endless", "scheme": "leapfrog", "courant": 0.7}),
        ("bar", {"event": "plucked", "far_end": "free", "place": 0.3}),
        ("bar", {"event": "thrown", "far_end": "wall"}),
        ("membrane", {"damping": 3.0}),
        ("membrane", {"shape": "disc", "event": "struck", "scheme": "leapfrog", "courant": 0.1}),
    ],
)
def test_the_script_gives_the_same_run(client, kind, changes):
    answer = asked(client, kind, elements=12, crossings=1.0, **changes)
    names = {}
    exec(compile(answer["code"], "waves.py", "exec"), names)
    sol = names["sol"]
    assert (sol.steps, sol.residual) == (answer["steps"], answer["residual"])
    every = answer["steps"] // (answer["pictures"] - 1)
    for name, values in answer["energy"].items():
        assert values == pytest.approx(np.float32(sol.values(name)[::every]), abs=0), name
    largest = np.abs(sol.values("displacement")[::every]).max()
    assert answer["largest"]["displacement"] == largest


@pytest.mark.parametrize(
    ("kind", "changes", "field", "words"),
    [
        ("bar", {"modulus": -1.0}, "modulus", "modulus must be greater than 0, got -1"),
        ("bar", {"density": "steel"}, "density", "density must be a number, got 'steel'"),
        ("bar", {"elements": 2.5}, "elements", "elements"),
        ("bar", {"elements": 4000}, "elements", "less than or equal to 400"),
        ("bar", {"far_end": "fix"}, "far_end", "did you mean 'fixed'?"),
        ("bar", {"place": 1.5}, "place", "place"),
        ("bar", {"colour": 1.0}, "colour", "unknown key colour"),
        ("bar", {"courant": 0.02, "crossings": 40.0}, None, "courant must be larger"),
        ("bar", {"event": "plucked", "width": 1e-3, "place": 0.505}, None, "width must be larger"),
        ("bar", {"scheme": "leapfrog", "courant": 2.0}, None, "courant must be 1"),
        ("bar", {"modulus": 1e300}, None, "modulus"),
        ("membrane", {"tension": 0.0}, "tension", "tension must be greater than 0"),
        ("membrane", {"shape": "disc", "x": 0.0, "y": 0.0}, None, "x and y must lie on the disc"),
        ("membrane", {"patch": 1e-4}, None, "patch must be larger"),
        ("membrane", {"height": 1e9}, None, "courant must be larger"),
    ],
)
def test_bad_values_are_told_by_name_before_any_work(client, monkeypatch, kind, changes, field, words):
    from hamex.studio import history

    monkeypatch.setattr(history, "solve", lambda *_: pytest.fail("work was begun"))
    response = client.post(f"/api/waves/{kind}", json=changes)
    assert response.status_code == 422
    said = response.json()
    assert words in said["message"]
    assert said["field"] == field


def test_the_largest_runs_are_counted_in_steps_and_nodes(client, monkeypatch):
    monkeypatch.setitem(wire.WAVES, "bar", 800 * 101)
    assert asked(client, "bar")["steps"] == 800
    assert client.post("/api/waves/bar", json={"crossings": 4.1}).status_code == 422
