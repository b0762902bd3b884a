"""Scenes: what each promises is there in its own numbers, computed from what its page asks for."""

import numpy as np
import pytest
from browsing import until
from repetitions import chiefly

import hamex as hx
from hamex.principle.library import action
from hamex.spec import problem_of
from hamex.studio.problems import HistoryRequest

SCENES = [
    "resonance",
    "beating",
    "yielding",
    "unstable",
    "weak-storey",
    "residual-drift",
    "p-delta",
    "isolation",
    "dampers",
    "pendulum",
    "double-pendulum",
    "end-points",
]


class Asked(dict):
    """What the page of every scene asks the studio for, opened by its link when a test wants it, and its question."""

    def __init__(self, page, base):
        super().__init__()
        self.page, self.base, self.view = page, base, ""
        page.goto(f"{base}/#scenes")
        page.locator(".tile[href*='/']").nth(len(SCENES) - 1).wait_for()
        self.links = {one.get_attribute("data-scene"): one.get_attribute("href") for one in page.locator(".tile").all()}
        assert list(self.links) == SCENES

    def __missing__(self, name):
        page, link = self.page, self.links[name]
        path = "derive/run" if link.startswith("#derivation") else "history"
        if link.split("/")[0] != self.view:  # the first of a view as if nothing had been there
            page.goto("about:blank")
        self.view = link.split("/")[0]
        with page.expect_response(
            lambda answer, path=path: answer.url.endswith(path) and answer.status != 202
        ) as answer:
            page.goto(f"{self.base}/{link}")
        assert answer.value.ok, answer.value.text()
        banner = page.locator("#scene")
        banner.wait_for()
        said = banner.locator("p").inner_text()
        page.locator('html[data-busy="no"]').wait_for(state="attached")
        self[name] = (answer.value.request.post_data_json, said, banner.locator("li").count())
        return self[name]


@pytest.fixture(scope="module")
def asked(all_watched):
    with all_watched.held() as page:
        yield Asked(page, all_watched.base)


@pytest.fixture(scope="module")
def runs(asked):
    """A scene by name: its solution and the one beside it, by hamex alone."""

    def run(name):
        request = HistoryRequest.model_validate(asked[name][0])
        file = problem_of(request.problem)
        beside = None
        if request.beside is not None:
            other = problem_of(request.beside)
            beside = hx.solve(other.problem, other.scheme)
        elif request.against is not None:
            beside = hx.solve(file.problem, request.against.build())
        return hx.solve(file.problem, file.scheme), beside

    return run


def drifts(solution):
    return np.abs(solution.values("storey_drift")).max(axis=0)


# One of every view.
@pytest.mark.parametrize("name", chiefly(["resonance"], SCENES))
def test_every_scene_asks_one_question_and_says_what_to_try(asked, name):
    _, said, tries = asked[name]
    assert said.count("?") == 1
    assert tries == 2


def test_resonance_climbs_to_what_damping_allows(runs):
    sol, _ = runs("resonance")
    model = sol.problem.model
    omega = hx.modes(model).frequencies[0]
    static = 0.05 * model.units.gravity / omega**2
    assert abs(sol.values("displacement")).max() == pytest.approx(static / (2 * 0.02), rel=0.02)  # analytic, 1 − e^−5


@pytest.mark.heavy
def test_beating_has_two_close_frequencies_and_swells_at_their_difference(runs):
    sol, _ = runs("beating")
    u, h = sol.values("displacement")[:, 0], sol.step
    lines = np.abs(np.fft.rfft(u * np.hanning(len(u)), 16 * len(u)))
    frequencies = np.fft.rfftfreq(16 * len(u), h)
    tops = [
        i for i in range(1, len(lines) - 1) if lines[i - 1] < lines[i] > lines[i + 1] and lines[i] > lines.max() / 3
    ]
    assert frequencies[tops] == pytest.approx([1 / 0.55, 1 / 0.5], rel=0.02)
    swell = np.array([abs(u[i : i + 50]).max() for i in range(0, len(u) - 50, 10)])
    dips = [
        i for i in range(1, len(swell) - 1) if swell[i - 1] > swell[i] <= swell[i + 1] and swell[i] < swell.max() / 3
    ]
    apart = np.diff(10 * h * np.array(dips))
    apart = apart[apart > 1]
    assert apart == pytest.approx(1 / (1 / 0.5 - 1 / 0.55), abs=0.3)  # analytic, 5.5 s


def test_yielding_moves_about_as_far_and_needs_a_third_of_the_force(runs):
    sol, elastic = runs("yielding")
    assert not elastic.values("slip").any()
    far, near = (abs(one.values("displacement")).max() for one in (sol, elastic))
    assert far == pytest.approx(near, rel=0.2)
    assert abs(sol.values("force")).max() < abs(elastic.values("force")).max() / 2.5


def test_the_unstable_scheme_is_beyond_its_longest_step_and_its_neighbour_is_not(runs):
    sol, galerkin = runs("unstable")
    scheme = sol.scheme
    omega = hx.modes(sol.problem.model).frequencies[0]
    longest = np.sqrt(12) / omega  # analytic: β = 1/6, γ = 1/2
    assert longest < scheme.step < 1.02 * longest
    radius = max(abs(np.linalg.eigvals(scheme.linear(omega * scheme.step).matrix)))
    assert radius > 1.05
    start = abs(sol.values("displacement")[0, 0])
    assert abs(sol.values("displacement")).max() > 10 * start
    assert abs(galerkin.values("displacement")).max() == pytest.approx(start)


@pytest.mark.heavy
def test_the_weak_storey_collects_the_drift(runs):
    sol, _ = runs("weak-storey")
    drift = drifts(sol)
    assert drift.argmax() == 2
    assert drift[2] > 5 * np.delete(drift, 2).max()


@pytest.mark.heavy
def test_residual_drift_stays_when_nothing_moves_any_more(runs):
    sol, _ = runs("residual-drift")
    last = sol.values("storey_drift")
    assert abs(last[-1, 0]) > 0.02 * 3.0  # of the storey's height
    assert abs(last[-200:] - last[-1]).max() < 1e-4 * abs(last[-1, 0])
    assert not sol.rest.swings  # so the page tells it
    assert sol.status.name == "FINISHED"


def test_gravity_more_than_doubles_the_drift_of_the_frame_that_yields(runs):
    sol, without = runs("p-delta")
    assert sol.status.name == without.status.name == "FINISHED"
    assert drifts(sol)[0] > 2 * drifts(without)[0]
    assert (sol.problem.model.stiffness - without.problem.model.stiffness).sum() < 0


def test_isolators_move_so_that_the_storeys_do_not(runs):
    sol, fixed = runs("isolation")
    assert drifts(sol)[0] > 10 * drifts(sol)[1:].max()
    assert drifts(sol)[1:].max() < drifts(fixed).max() / 4


def test_dampers_take_what_the_frame_would_have_lost_by_yielding(runs):
    sol, without = runs("dampers")
    assert drifts(sol).max() < 0.7 * drifts(without).max()
    assert sol.values("plastic")[-1] < 0.2 * without.values("plastic")[-1]
    assert sol.values("viscous")[-1] > 1.5 * without.values("viscous")[-1]


def simulated(given, **start):
    numbers = {**given["parameters"]}
    return hx.simulate(
        action(given["system"]),
        numbers,
        {**given["start"], **start},
        given["duration"],
        given["step"],
        degree=given["degree"],
    )


@pytest.mark.heavy
def test_the_pendulum_takes_twice_as_long_from_almost_upright(asked):
    given = asked["pendulum"][0]
    angle = simulated(given).values("displacement")[:, 0]
    crossings = np.flatnonzero(np.diff(np.sign(angle)))
    period = 2 * given["step"] * np.diff(crossings).mean()
    small = 2 * np.pi * np.sqrt(given["parameters"]["l"] / given["parameters"]["g"])
    assert period > 2 * small
    assert abs(angle).max() > 2.8


@pytest.mark.heavy
def test_the_double_pendulum_forgets_a_thousandth(asked):
    given = asked["double-pendulum"][0]
    one, other = (simulated(given, theta_1=angle).values("displacement") for angle in (2.0, 2.001))
    apart = abs(one - other).max(axis=1)
    early = round(1.0 / given["step"])
    assert apart[:early].max() < 0.02
    assert apart.max() > 1.0


@pytest.mark.heavy
def test_the_end_points_are_told_in_the_section_that_the_scene_opens_at(asked, page, studio):
    page.goto(f"{studio}/#scenes")
    page.locator("[data-scene=end-points][href*='/']").click()
    head = page.locator("#derivation .document:not(.busy) h2", has_text="Classical and extended principle")
    head.wait_for()
    until(page, lambda: 0 <= head.bounding_box()["y"] < 400, "the section is out of sight")
    assert asked["end-points"][0]["system"] == "harmonic"
