"""What the studio does with requests that nobody should send: it refuses, quickly, in words, and writes nothing."""

import json
import threading
import time
from collections import Counter
from statistics import median

import httpx2
import pytest
import record_samples as made
from hypothesis import HealthCheck, given, settings
from test_take_home import FRAME, OSCILLATOR, problem

from hamex.studio import wire
from hamex.studio.app import create_app

# Every request that the studio knows. Its schema takes seconds to build, which nobody waits for who only counts tests.
KNOWN = {
    "post": (
        *("/api/history", "/api/record"),
        *("/api/home/python", "/api/home/problem", "/api/home/csv", "/api/home/netcdf", "/api/home/page"),
        *("/api/derive", "/api/derive/read", "/api/derive/run"),
        *("/api/derive/latex", "/api/derive/page", "/api/derive/python"),
        *("/api/waves/bar", "/api/waves/membrane", "/api/study/spectrum", "/api/study/spectrum/python"),
        *("/api/study/ida", "/api/study/ida/file", "/api/study/ida/python", "/api/paper", "/api/paper/python"),
    ),
    "get": (
        *("/api/derive", "/api/study/ida/{name}", "/api/study/ida/{name}/runs.csv"),
        *("/api/paper/opensees", "/api/paper/convergence", "/api/paper/audit"),
    ),
    "delete": ("/api/study/ida/{name}",),
}
SECONDS = 1000.0  # longer is a hang: the longest that a request may take is wire.DERIVATION, and its queue


@pytest.fixture(scope="module")
def client(studio):
    with httpx2.Client(base_url=studio, timeout=SECONDS) as found:
        yield found


seen: Counter[str] = Counter()


# These read the same table as a sibling that is sent malformed requests in every run.
SAME_TABLE = (
    *("/api/home/problem", "/api/home/csv", "/api/home/netcdf", "/api/home/page"),
    *("/api/derive/latex", "/api/derive/page"),
    *("/api/study/spectrum/python", "/api/study/ida/python", "/api/paper/python"),
)
# What these ask for when nothing is wrong takes seconds; their own tests ask for it.
LONG = ("/api/waves/bar", "/api/paper")


def again(path, name):
    return path in (SAME_TABLE if name == "malformed" else LONG)


REQUESTS = [
    pytest.param(
        method, path, name, id=f"{method} {path}-{name}", marks=[pytest.mark.heavy] if again(path, name) else []
    )
    for method, paths in KNOWN.items()
    for path in paths
    for name in ("malformed", "well-formed")
]


@pytest.fixture(scope="module")
def operations():
    """What the schema of the studio says of every request; they are sent to the one that runs in its own process."""
    import schemathesis

    schema = schemathesis.openapi.from_dict(create_app().openapi())
    return {(found.ok().method, found.ok().path): found.ok() for found in schema.get_all_operations()}


def test_every_request_of_the_schema_is_known(operations):
    assert set(operations) == {(method, path) for method, paths in KNOWN.items() for path in paths}


@pytest.mark.parametrize(("method", "path", "name"), REQUESTS)
def test_no_request_made_from_the_schema_breaks_the_studio(studio, operations, method, path, name):
    from schemathesis import GenerationMode, errors

    answers = []
    mode = GenerationMode.NEGATIVE if name == "malformed" else GenerationMode.POSITIVE

    @settings(
        max_examples=14 if name == "malformed" else 4,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operations[method, path].as_strategy(generation_mode=mode))
    def sent(case):
        answer = case.call(base_url=studio, timeout=SECONDS)
        answers.append(answer.status_code)
        assert answer.status_code < 500 or answer.status_code == 503, (answer.status_code, answer.text, case.body)
        if 400 <= answer.status_code < 500 and "json" in answer.headers.get("content-type", [""])[0]:
            told = json.loads(answer.text)
            assert isinstance(told["message"], str)
            assert told["message"]

    try:
        sent()
    except errors.InvalidSchema:  # nothing can be wrong about a request without parameters
        return
    except Exception as problem:
        if type(problem).__name__ != "Unsatisfiable":
            raise
    seen[name] += len(answers)


def test_more_than_two_hundred_of_them_were_malformed():
    if seen["malformed"] == 0:
        pytest.skip("counts what the test above sent; run the whole file")
    assert seen["malformed"] > 200


BAD_BODIES = {
    "no JSON": b"{",
    "empty": b"",
    "a list": b"[]",
    "a number": b"3",
    "text": b'"problem"',
    "null": b"null",
    "not UTF-8": b'{"problem": "\xff\xfe"}',
    "deep": b'{"problem":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "long number": b'{"problem":' + b"9" * 5_000 + b"}",
    "NaN": b'{"problem": {"duration": NaN}}',
}


@pytest.mark.parametrize("body", BAD_BODIES)
def test_bodies_that_are_no_problem_are_refused(client, body):
    answer = client.post("/api/history", content=BAD_BODIES[body], headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["message"]


WRONG = {
    "unknown key": (
        problem({**OSCILLATOR, "colour": 1}),
        "unknown key model.colour; [model] knows kind, mass, stiffness, period, damping",
        "model.colour",
    ),
    "unknown key of a frame": (
        problem({**FRAME, "colour": 1}),
        "unknown key model.colour; [model] knows kind, masses, stiffnesses",
        "model.colour",
    ),
    "unknown key of the problem": (
        {**problem(), "colour": 1},
        "unknown key colour; [problem] knows title, duration, tail",
        "colour",
    ),
    "half a character": ({**problem(), "title": "\ud800"}, "'\\ud800' is no text: it holds half a character", None),
    "a file": (
        problem(motion={"file": "/etc/passwd", "unit": "g", "step": 0.01}),
        "motion.file is read from problem files only; give the samples themselves",
        "motion.file",
    ),
    "a file of forces": (
        problem(load={"kind": "samples", "file": "../../secret", "step": 0.1}),
        "load.file is read from problem files only; give the samples themselves",
        "load.file",
    ),
    "text for a number": (
        problem({**OSCILLATOR, "mass": "heavy"}),
        "model.mass must be a number, got 'heavy'",
        "model.mass",
    ),
    "too many steps": (
        problem(scheme={"kind": "galerkin", "step": 1e-7}),
        "duration 20 s in steps of 1e-07 s is more",
        None,
    ),
    "a step of zero": (problem(scheme={"kind": "galerkin", "step": 0.0}), "scheme.step must be", "scheme.step"),
    "for ever": ({**problem(), "duration": 1e300}, "duration 1e+300 s in steps", None),
    "not whole": ({**problem(), "duration": 20.005}, "the duration 20.005 s is no whole number", None),
    "a long record": (
        problem(motion={"synthetic": {"seed": 1, "duration": 1e12}}),
        "motion.synthetic.step must be longer",
        "motion.synthetic.step",
    ),
    "a long wave": (problem(motion={"wave": {"shape": "sine", "amplitude": 1.0, "period": 1e9}}), "motion:", None),
    "a tall frame": (problem({**FRAME, "masses": [1.0] * 5000}), "model.masses: 200 at most", "model.masses"),
    "endless iterations": (
        problem(scheme={"kind": "newmark", "step": 0.01, "max_iterations": 10**9}),
        "scheme.max_iterations must be",
        "scheme.max_iterations",
    ),
    "endless halving": (
        problem(scheme={"kind": "galerkin", "step": 0.01, "tolerance": 1e-300}),
        "scheme.tolerance",
        "scheme.tolerance",
    ),
    "long work": (
        problem(
            {
                "kind": "shear_frame",
                "masses": [1.0] * 200,
                "stiffnesses": 1000.0,
                "damping": {"kind": "modal", "ratio": 0.05},
            },
            {"kind": "galerkin", "step": 0.0025},
        ),
        "scheme.step: this would take about 43 s, and the studio has 10 s for it",
        "scheme.step",
    ),
    "long search": (
        problem(scheme={"kind": "galerkin", "step": 0.005, "locate": True}),
        "scheme.step: this would take about 24 s, and the studio has 10 s for it",
        "scheme.step",
    ),
    "infinity": ({**problem(), "duration": float("inf")}, "duration", None),
    "a huge mass": (problem({**OSCILLATOR, "mass": 1e308}), "", None),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_problems_that_cannot_be_run_name_the_field(client, wrong):
    given, message, field = WRONG[wrong]
    answer = client.post(
        "/api/history", content=json.dumps({"problem": given}), headers={"content-type": "application/json"}
    )
    assert answer.status_code == 422
    assert answer.json()["message"].startswith(message)
    if field is not None:
        assert answer.json()["field"] == field


def test_null_means_left_out(client):
    with_nulls = problem(
        {**OSCILLATOR, "stiffness": None, "strength_ratio": None},
        start=None,
        duration=5.0,
        motion={"record": "el_centro", "file": None},
    )
    without = problem(duration=5.0, motion={"record": "el_centro"})
    answers = [
        client.post("/api/home/problem", json={"problem": given, "against": None}) for given in (with_nulls, without)
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].text == answers[1].text


@pytest.mark.parametrize(
    "changes",
    [
        {"mass": 1e-320},
        {"mass": 1e308, "period": 1e-300},
        {"period": 1e-200},
        {"mass": 1e300, "yield_force": 1e-300},
        {"viscosity": 1e300},
        {"damping_ratio": 1e200},
        {"kinematic": 1e308, "isotropic": 1e308},
    ],
)
def test_numbers_out_of_proportion_are_refused_or_run_but_break_nothing(client, changes):
    answer = client.post("/api/history", json={"problem": problem({**OSCILLATOR, **changes})})
    assert answer.status_code in (200, 422)
    frame = {**FRAME, "masses": [changes.get("mass", 100.0)] * 5, "stiffnesses": [changes.get("kinematic", 1e308)] * 5}
    assert client.post("/api/history", json={"problem": problem(frame)}).status_code in (200, 422)


@pytest.mark.parametrize("weights", [0.0, 5.0])
def test_a_building_that_has_no_period_at_rest_is_answered_without(client, weights):
    """Its gap is open at rest; with weights P-Delta tips it until that closes."""
    frame = {"masses": [1.0, 0.8], "stiffnesses": [1000.0, 500.0], "heights": 3.0, "weights": weights}
    laws = [{"kind": "gap", "gap": 0.01, "hook": 0.01}, {}]
    given = {
        "duration": 0.2,
        "units": {"length": "m", "force": "kN"},
        "model": {"kind": "shear_frame", **frame, "laws": laws},
        "motion": {"record": "el_centro"},
        "scheme": {"kind": "galerkin", "step": 0.01},
    }
    answer = client.post("/api/history", json={"problem": given})
    assert answer.status_code == 200, answer.text
    told = json.loads(answer.content[4 : 4 + int.from_bytes(answer.content[:4], "little")])
    assert told["period"] is None
    assert told["displacement"]["length"] == 2 * 21


def test_a_dropped_record_comes_with_what_is_to_be_said_of_it(client):
    for raw, peak in ((None, None), (True, None), (None, "1.000")):
        body = {"name": "a.EW", "content": made.knet(peak=peak), "raw": raw}
        told = client.post("/api/record", json=body).json()
        assert told["accelerations"] == pytest.approx(made.knet_gal(raw=bool(raw)), rel=1e-12)
        assert ("mean removed" in told["source"]) != bool(raw)
        assert [("the header's peak" in remark) for remark in told["remarks"]] == ([] if peak is None else [True])


def test_large_bodies_are_refused_while_they_arrive(client):
    def endless():
        for _ in range(wire.BODY // 65536 + 10):
            yield b" " * 65536

    told = client.post("/api/record", content=b" " * (wire.BODY + 1))
    assert (told.status_code, told.json()["message"]) == (413, "a request may have 4 MB at most")
    try:
        counted = client.post("/api/record", content=endless())  # no length is told
        assert counted.status_code == 413
    except (httpx2.WriteError, httpx2.RemoteProtocolError):
        pass  # the studio hung up on it


@pytest.mark.parametrize(
    "path",
    [
        "/page/../app.py",
        "/page/%2e%2e%2fapp.py",
        "/page//etc/passwd",
        "/etc/passwd",
        "/page/views.js%00.css",
        "/api/study/ida/..%2f..%2fx",
    ],
)
def test_no_path_reaches_the_files_of_the_computer(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "root:" not in answer.text


def test_pages_of_other_sites_cannot_talk_to_the_studio(client):
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    wish = json.dumps({"problem": problem()})
    assert client.post("/api/history", content=wish, headers={"content-type": "text/plain"}).status_code == 422
    answer = client.options(
        "/api/history", headers={"origin": "https://evil.example", "access-control-request-method": "POST"}
    )
    assert "access-control-allow-origin" not in answer.headers


def test_every_answer_says_that_nothing_may_be_loaded_from_elsewhere(client):
    for path in ("/", "/page/views.js", "/nowhere", "/openapi.json"):
        assert client.get(path).headers["content-security-policy"].startswith("default-src 'self'")


def test_files_of_the_page_are_kept_by_the_browser_until_they_change(client):
    first = client.get("/page/plotly.js")
    again = client.get("/page/plotly.js", headers={"if-none-match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    assert first.headers["content-encoding"] == "gzip"


def test_eight_clients_move_sliders_at_once(studio, record_property):
    moves, latencies, troubles = 10, [], []  # five places of the slider, each twice
    httpx2.post(f"{studio}/api/history", json={"problem": problem()}, timeout=SECONDS)  # kernels are loaded
    expected = {}

    def one(place):
        with httpx2.Client(base_url=studio, timeout=SECONDS) as client:
            for move in range(moves):
                given = problem({**OSCILLATOR, "yield_force": 60.0 + place + 10 * (move % 5)})
                begin = time.perf_counter()
                answer = client.post("/api/history", json={"problem": given})
                latencies.append(time.perf_counter() - begin)
                if answer.status_code != 200:
                    troubles.append(answer.text)
                    continue
                length = int.from_bytes(answer.content[:4], "little")
                residual = json.loads(answer.content[4 : 4 + length])["residual"]
                if expected.setdefault((place, move % 5), residual) != residual:
                    troubles.append(f"client {place}: {residual} instead of {expected[place, move % 5]}")

    threads = [threading.Thread(target=one, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert troubles == []
    assert len(latencies) == 8 * moves
    ordered = sorted(latencies)
    record_property(
        "measured: latency with eight clients at once",
        f"median {1e3 * median(ordered):.0f} ms, 95 % {1e3 * ordered[int(0.95 * len(ordered))]:.0f} ms, "
        f"longest {1e3 * ordered[-1]:.0f} ms of {len(ordered)} answers",
    )
