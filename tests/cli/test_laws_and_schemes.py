"""Every law and every scheme through problem files: solved, or refused by name; and a law of one's own by one line."""

import importlib
import json
import re
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import hamex as hx
from hamex.errors import LawError, ModelError, SchemeError
from hamex.model.laws import law as registry
from hamex.spec import read_problem
from hamex.spec.tables import SchemeTable

pytestmark = pytest.mark.usefixtures("fresh")  # twenty steps; to compile all these laws and schemes takes a minute
TOP = 'title = "Case"\nduration = 0.2\n[units]\nlength = "m"\nforce = "kN"\n'
MODELS = {
    "oscillator": '[model]\nkind = "oscillator"\nmass = 1.0\nstiffness = 100.0\ndamping = 0.5\nlaw = {LAW}\n',
    "shear_frame": '[model]\nkind = "shear_frame"\nmasses = [1.0, 1.0]\nstiffnesses = [100.0, 80.0]\n'
    "laws = [{LAW}, {}]\n",
    "truss": '[model]\nkind = "truss"\nrigidity = 500.0\nnodes = {A = [0, 0], B = [6, 0], C = [3, 4]}\n'
    'supports = {A = "pinned", B = "pinned"}\nmasses = {C = 2.0}\n'
    'bars = [{start = "A", end = "C"}, {start = "B", end = "C", law = {LAW}}]\n',
    "frame": '[model]\nkind = "frame"\nnodes = {A = [0, 0], B = [0, 3], C = [4, 3], D = [4, 0]}\n'
    'supports = {A = "fixed", D = "fixed"}\nmasses = {B = 2.0, C = 2.0}\n'
    "[model.sections.any]\nmodulus = 2e8\narea = 1e-5\ninertia = 1e-7\n"
    '[[model.members]]\nstart = "A"\nend = "B"\nsection = "any"\n'
    '[[model.members]]\nstart = "B"\nend = "C"\nsection = "any"\naxial = {LAW}\n'
    '[[model.members]]\nstart = "D"\nend = "C"\nsection = "any"\n',
}
LAWS = {"slider": "{yield_force = 0.5, viscosity = 0.2}", "gap": '{kind = "gap", gap = 0.002, hook = inf}'}
LOADS = {"truss": 'at = "C.x"\n', "frame": 'at = "B.x"\n', "shear_frame": 'at = "floor 2"\n', "oscillator": ""}
# What a scheme is for, where it is not for every structure and law.
ONLY = ("piecewise_exact", "wilson_theta", "bathe", "rho_bathe", "tr_bdf2", "central_difference", "runge_kutta4")


def text(model, law, scheme="galerkin", more=""):
    load = f'[load]\nkind = "sine"\namplitude = 3.0\nomega = 9.0\n{LOADS[model]}'
    return f'{TOP}{MODELS[model].replace("{LAW}", law)}{more}{load}[scheme]\nkind = "{scheme}"\nstep = 0.01\n'


@pytest.fixture
def case(tmp_path):
    def write(*given, **more):
        (tmp_path / "case.toml").write_text(text(*given, **more), encoding="utf-8")
        return "case.toml"

    return write


# Every model and every scheme in every run of the tests; all pairs in `make test-all`.
@pytest.mark.parametrize(
    ("model", "scheme"),
    [
        pytest.param(model, scheme, marks=[] if model == "shear_frame" or (i + j) % 4 == 0 else [pytest.mark.heavy])
        for i, model in enumerate(MODELS)
        for j, scheme in enumerate(sorted(SchemeTable.tables()))
    ],
)
def test_a_gap_is_solved_in_every_model_by_every_scheme_or_refused_by_name(hamex, case, model, scheme):
    """Sliders go through all doors in test_doors.py."""
    code, out, err = hamex("run", case(model, LAWS["gap"], scheme))
    if code == 0:
        assert "finished" in out
        assert scheme not in ONLY
    else:
        assert (code, out) == (2, "")
        assert err.startswith("error: ")
        assert "Traceback" not in err
        assert scheme in ONLY or (scheme, model) == ("leap_frog", "frame"), err
        assert any(
            word in err
            for word in ("one mass on one spring", "lumped masses", "elastic oscillat", "beyond the stable step")
        ), err


def test_modes_and_slow_loading_know_springs_that_carry_nothing_at_rest(hamex, case):
    for model in MODELS:
        code, _, err = hamex("modes", case(model, LAWS["gap"]))
        assert code in (0, 2), err
        assert "Traceback" not in err
    built = read_problem(case("shear_frame", LAWS["gap"])).problem.model
    pushed = hx.pushover(built, "floor 2", -0.05, steps=20)
    assert pushed.values("force")[-1] == pytest.approx(pushed.values("force")[-1].mean())  # storeys in a row
    assert pushed.values("displacement")[-1, 1] == pytest.approx(-0.05)


def test_what_has_no_period_is_told_and_is_still_json(hamex, case):
    def finite(word):
        raise AssertionError(word)

    path = case("shear_frame", LAWS["gap"])
    assert "periods infinite, 0.4967 s" in " ".join(hamex("run", path)[1].split())
    assert json.loads(hamex("run", path, "--json")[1], parse_constant=finite)["model"]["periods"][0] is None
    assert json.loads(hamex("modes", path, "--json")[1], parse_constant=finite)["modes"][0]["period"] is None


def test_a_building_that_p_delta_tips_until_its_gap_closes_is_run_all_the_same(hamex, tmp_path):
    path = tmp_path / "tips.toml"
    path.write_text("""
duration = 0.2
[model]
kind = "shear_frame"
masses = [1.0, 0.8]
stiffnesses = [1000.0, 500.0]
heights = 3.0
weights = 5.0
laws = [{kind = "gap", gap = 0.01, hook = 0.01}, {}]
[units]
length = "m"
force = "kN"
[motion]
record = "el_centro"
[scheme]
kind = "galerkin"
step = 0.01
""")
    code, out, _ = hamex("run", path)
    assert (code, "periods none at rest: P-Delta outweighs" in " ".join(out.split())) == (0, True)
    assert json.loads(hamex("run", path, "--json")[1])["model"]["periods"] == []


def test_ratios_of_modes_where_p_delta_leaves_none_say_what_to_give_instead():
    def tipped(damping):
        laws = [hx.laws.Gap(gap=0.01, hook=0.01)] * 2
        return hx.shear_frame([1.0, 0.8], [1000.0, 500.0], damping, laws, heights=3.0, weights=5.0)

    with pytest.raises(hx.errors.ModelError, match=r"P-Delta outweighs .* damping by coefficients does not"):
        tipped(hx.ratio(0.05))
    assert tipped(hx.rayleigh(alpha=0.1, beta=0.0)).damping.matrix.diagonal() == pytest.approx([0.1, 0.08])


def test_an_oscillator_takes_a_surface_of_one_component(hamex, case):
    code, _, err = hamex("run", case("oscillator", '{kind = "surface", yield_forces = [0.5], viscosity = 0.2}'))
    assert (code, err) == (0, "")
    found = read_problem("case.toml")
    same = read_problem(case("oscillator", LAWS["slider"]))
    one, other = (hx.solve(file.problem, file.scheme).values("displacement") for file in (found, same))
    assert np.allclose(one, other, rtol=1e-9, atol=1e-15)


def test_the_law_of_an_oscillator_is_told_with_its_units(hamex, case):
    _, out, _ = hamex("run", case("oscillator", LAWS["gap"]))
    assert "Gap, gap 0.002 m, post stiffness 0 kN/m" in " ".join(out.split())
    _, out, _ = hamex("run", "case.toml", "--json")
    model = json.loads(out)["model"]
    assert (model["law"], model["gap"], model["hook"]) == ("gap", 0.002, None)


def test_elements_of_several_stages_promise_no_balance_where_springs_touch(hamex, case):
    path = case("oscillator", LAWS["gap"])
    _, out, _ = hamex("run", path)
    assert "energy balance closes to" in out
    with open(path, "a") as file:
        file.write("degree = 2\n")
    _, out, _ = hamex("run", path)
    assert "energy balance off by" in out


# A law of one's own: a module and a line

OWN = '''
    """Springs that stiffen: force k e + c e³."""
    from dataclasses import dataclass

    import hamex as hx
    from hamex.model.laws.law import checked


    def at(p, r, e, tau, z, o, dz):
        return p[r] * e + p[r + 1] * e**3, p[r] + 3.0 * p[r + 1] * e * e, 0


    def along(p, r, e, d, h, z, o, dz):
        c = p[r + 1]
        dz[o] = -c * (e + d)**3 / p[r]
        return (p[r] * (e + 0.5 * d) + c * (e**3 + 1.5 * e * e * d + e * d * d + 0.25 * d**3),
                0.5 * p[r] + c * (1.5 * e * e + 2.0 * e * d + 0.75 * d * d), 0)


    @dataclass(frozen=True)
    class Stiffening(hx.laws.Law):
        """A spring that grows stiffer.

        Parameters
        ----------
        cubic : of the cube of the deformation, not negative
            [force/length³].
        """

        kind = "stiffening"
        form = "elastic"
        spring_at = staticmethod(at)
        spring_along = staticmethod(along)

        cubic: float

        def __post_init__(self):
            checked(self, "cubic")

        @classmethod
        def slow_tangent(cls, group, k, isotropic=True):
            return k
'''


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The law in a module of its own, registered by one line; afterwards it is unknown again."""
    (tmp_path / "stiffening_law.py").write_text(textwrap.dedent(OWN), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_registered", {})
    law = importlib.import_module("stiffening_law").Stiffening
    hx.laws.register(law)
    yield law
    sys.modules.pop("stiffening_law")


TABLE = '{kind = "stiffening", cubic = 2000.0}'
LINK = f'[[model.links]]\nkind = "spring_link"\nstart = 0\nend = 2\nstiffness = 30.0\nlaw = {TABLE}\n'


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("scheme", ["galerkin", "newmark", "discontinuous_galerkin"])
@pytest.mark.every_value
def test_a_registered_law_runs_from_problem_files(own, hamex, case, model, scheme):
    code, out, err = hamex("run", case(model, TABLE, scheme))
    assert (code, err) == (0, "")
    assert "finished" in out
    assert own.kind in read_problem("case.toml").problem.model.laws


def test_a_registered_law_stands_in_a_link(own, hamex, case):
    code, _, err = hamex("run", case("shear_frame", "{yield_force = 0.5}", more=LINK))
    assert (code, err) == (0, "")
    built = hx.shear_frame(
        [1.0, 1.0], [100.0, 80.0], laws=[hx.Slider(0.5), None], links=[hx.spring_link(0, 2, 30.0, own(2000.0))]
    )
    read = read_problem("case.toml")
    again = hx.solve(hx.Problem(built, read.problem.load, 0.2), read.scheme)
    assert np.array_equal(again.values("displacement"), hx.solve(read.problem, read.scheme).values("displacement"))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('{kind = "stiffening", cubik = 1.0}', "unknown key model.law.cubik; did you mean cubic?"),
        (
            '{kind = "stiffening"}',
            "model.law.cubic is missing: of the cube of the deformation, not negative [force/length³]",
        ),
        ('{kind = "stiffening", cubic = "much"}', "model.law.cubic must be a number, got 'much'"),
        ('{kind = "stiffening", cubic = -1.0}', "model.law.cubic must not be negative, got -1"),
        ('{kind = "stiff"}', "'parallel', 'fatigue', 'min_max', 'stiffening', 'backbone', got 'stiff'"),
        ("3", "model.law must be a table, got 3"),
    ],
)
def test_mistakes_in_its_table_are_told_as_those_of_any_other(own, hamex, case, table, message):
    code, _, err = hamex("run", case("oscillator", table))
    assert code == 2
    assert message in " ".join(err.split())


def test_the_studio_writes_code_for_it(own, tmp_path):
    from hamex.studio.problems import HistoryRequest
    from hamex.studio.scripts import python_code

    tables = {
        "duration": 0.2,
        "units": {"length": "m", "force": "kN"},
        "load": {"kind": "constant", "amplitude": 2.0},
        "model": {"kind": "oscillator", "mass": 1.0, "stiffness": 100.0, "law": {"kind": "stiffening", "cubic": 5.0}},
        "scheme": {"kind": "generalised_alpha", "step": 0.01, "rho": 0.5},
    }
    wish = HistoryRequest.model_validate({"problem": tables, "against": {"kind": "galerkin", "step": 0.01}})
    code = python_code(wish.problem, wish.against)
    assert "from stiffening_law import Stiffening\n" in code
    assert "scheme = hx.schemes.GeneralisedAlpha(step=0.01, rho=0.5)" in code
    names: dict = {}
    exec(compile(code, "taken_home.py", "exec"), names)
    assert names["sol"].problem.model.laws["stiffening"].cubic[0] == 5.0


def test_a_parameter_may_not_hide_what_every_law_has(own):
    class Hiding(own):
        @classmethod
        def names(cls):
            return ("slow",)

    with pytest.raises(LawError, match="Hiding: a parameter may not be named 'slow'"):
        hx.laws.register(Hiding)


# Builders


def test_a_spring_link_takes_any_law_of_one_component():
    assert hx.links.spring_link is hx.spring_link
    assert "spring_link" in dir(hx.links)
    assert not [name for name in dir(hx.links) if name.startswith("_")]
    assert hx.spring_link(0, 1, 5.0).law == hx.Slider()
    with pytest.raises(ModelError, match=r"Surface couples 2 forces.*plan_isolator"):
        hx.spring_link(0, 1, 5.0, hx.Surface((1.0, 2.0)))
    with pytest.raises(ModelError, match="spring_link: stiffness is missing"):
        hx.spring_link(0, 1, law=hx.laws.Gap())
    model = hx.shear_frame([1.0], [10.0], links=[hx.spring_link(0, 1, law=hx.backbone([(0.1, 1.0), (0.3, 1.5)]))])
    assert model.springs == ("storey 1", "spring link 1/1", "spring link 1/2")


def test_a_hinge_of_any_law_with_a_path_stands_at_any_end():
    def portal(**column):
        bar = {"modulus": 2e4, "area": 0.1, "inertia": 1e-3}
        return hx.frame(
            {"A": (0, 0), "B": (0, 3)},
            {"left": hx.Member("A", "B", **bar, **column)},
            supports={"A": "fixed", "B": ["rz"]},
            masses={"B": 2.0},
        )

    gap = hx.laws.Gap(hook=0.01)
    assert set(portal(hinges=(gap, None), release="end").laws) == {"slider", "gap"}
    assert "gap" in portal(hinges=(gap, None)).laws
    with pytest.raises(ModelError, match="PowerLaw"):
        portal(hinges=(hx.laws.PowerLaw(1.0, 0.5), None))


# Springs that degrade: what each law needs, at a yield force of 1 and a stiffness of 100.
DEGRADING = {
    "bilinear": "yield_force = 1.0, plastic = 0.02, post_cap = 0.05, residual_ratio = 0.1",
    "imk": 'yield_force = 1.0, plastic = 0.02, post_cap = 0.05, reloading = "pinching", lambda_s = 0.5, kappa_f = 0.3',
    "pinching4": "ePf1 = 1.0, ePd1 = 0.01, ePf2 = 1.2, ePd2 = 0.02, ePf3 = 1.1, ePd3 = 0.04, ePf4 = 0.3, ePd4 = 0.1",
    "hysteretic": "s1p = 1.0, e1p = 0.01, s2p = 1.2, e2p = 0.03, s3p = 0.2, e3p = 0.1, pinchX = 0.5, pinchY = 0.3",
    "menegotto_pinto": "yield_force = 1.0",
    "bouc_wen": "alpha = 0.05, n = 1.0, gamma = 50.0, beta = 50.0",
    "multilinear_elastic": "points = [[0.01, 1.0], [0.03, 1.5]]",
    "min_max": 'law = {kind = "bilinear", yield_force = 1.0}, max = 0.03',
    "fatigue": 'law = {kind = "menegotto_pinto", yield_force = 1.0}, E0 = 0.2',
    "parallel": 'laws = [{yield_force = 1.0}, {kind = "gap", gap = 0.01}], shares = [0.6, 0.4]',
}


@pytest.mark.parametrize("kind", DEGRADING)
@pytest.mark.chief("imk", "pinching4", "min_max")
def test_a_degrading_law_is_solved_by_every_scheme_or_refused_in_a_sentence(case, tmp_path, kind):
    law = f'{{kind = "{kind}", {DEGRADING[kind]}}}'
    for model in ("oscillator", "shear_frame"):
        for scheme in SchemeTable.tables():
            file = read_problem(tmp_path / case(model, law, scheme))
            try:
                found, told = hx.solve(file.problem, file.scheme), ""
            except SchemeError as problem:
                found, told = None, str(problem)
            if found is None:
                assert scheme != "galerkin"
                assert re.fullmatch(rf"\w+(\(.*?\))?: [^\n]*{law_class(kind)}[^\n]*use [^\n]*Galerkin[^\n]*", told)
            else:
                assert scheme not in ONLY
                assert np.ptp(found.values("force")) > 0
                assert found.residual < 1e-11 or not file.scheme.balances(file.problem.model)


@pytest.mark.parametrize(("more", "told"), [("locate = true", "locate"), ("tolerance = 1e-5", "tolerance")])
def test_what_a_path_has_no_room_for_is_named(hamex, case, more, told):
    """The degree is the one that is asked for already."""
    path = case("oscillator", f'{{kind = "imk", {DEGRADING["imk"]}}}')
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(more)
    code, _, err = hamex("run", path)
    assert code == 2
    assert f'use kind = "galerkin" with degree = 1 without {told}' in err


TWO_POINTS = "s1p = 1.0, e1p = 0.01, s2p = 1.2, e2p = 0.03"


@pytest.mark.parametrize(("kind", "numbers"), [*DEGRADING.items(), ("hysteretic", TWO_POINTS)])
def test_the_summary_of_a_run_tells_every_law(hamex, case, kind, numbers):
    """On the screen and as JSON, which knows neither NaN nor infinity."""
    file = case("oscillator", f'{{kind = "{kind}", {numbers}}}')
    code, out, _ = hamex("run", file)
    said = " ".join(out.split("spring  ")[1].split("load  ")[0].split())
    assert code == 0
    assert law_class(kind) in said
    assert "nan" not in said
    code, out, _ = hamex("run", file, "--json")
    found = json.loads(out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))["model"]
    if kind == "imk":
        assert found["reloading"] == "pinching"
        assert "yield force 1 kN, cap ratio 1, plastic 0.02 m, post cap 0.05 m" in said
        assert "negative" not in said.replace("d negative", "")
    if kind == "hysteretic":
        assert "s1p 1 kN, e1p 0.01 m, s2p 1.2 kN, e2p 0.03 m" in said
    if kind == "multilinear_elastic":
        assert found["points"] == [0.01, 1.0, 0.03, 1.5]


def law_class(kind):
    return registry.known()[kind].__name__.removesuffix("Laws")


LONG = (
    '[model]\nkind = "shear_frame"\nmasses = [1.0]\nstiffnesses = [100.0]\nlaws = [{kind = "imk", yield_force = 1.0, '
)
LONG += 'plastic = 0.02, post_cap = 0.01}]\n[load]\nkind = "constant"\namplitude = 1.5\n[scheme]\nkind = "galerkin"\n'


def test_too_long_a_step_is_refused_with_its_length_cut_or_watched(hamex, tmp_path):
    problem = tmp_path / "long.toml"
    text = TOP.replace("0.2", "3.0") + LONG + "step = 0.25\n"
    problem.write_text(text, encoding="utf-8")
    code, out, err = hamex("run", problem)
    assert (code, out) == (2, "")
    bound = 2 / np.sqrt(100.0)  # analytic: 4m/h² = k_s, the falling branch is as steep as the rising one
    assert err.count("\n") == 1
    assert f"the step must be below {bound:g} s, got 0.25 s" in err
    assert "--promise cut" in err
    code, out, _ = hamex("run", problem, "--promise", "cut", "--json")
    found = json.loads(out)
    assert (found["step"], found["parts"]) == (0.125, 2)
    problem.write_text('promise = "cut"\n' + text, encoding="utf-8")
    code, out, _ = hamex("run", problem, "--json")
    assert {**json.loads(out), "provenance": 0} == {**found, "provenance": 0}
    assert "0.125 s (the file's 0.25 s cut into 2)" in hamex("run", problem)[1]
    code, out, _ = hamex("run", problem, "--promise", "reported", "--json")  # the option goes before the file
    watched = json.loads(out)
    assert (watched["step"], watched["promises"]["one_solution"][:8]) == (0.25, "watched:")
    problem.write_text('promise = "mostly"\n' + text, encoding="utf-8")
    assert "promise must be 'beforehand', 'reported' or 'cut', got 'mostly'" in hamex("run", problem)[2]


# Springs that cannot be ------------------------------------------------------------------------------------------

STOREYS = """
title = "storeys"
duration = 0.2
[units]
length = "m"
force = "kN"
[model]
kind = "shear_frame"
masses = [{mass}, 90.0]
stiffnesses = [20000.0, 15000.0]
laws = [{law}, {{}}]
[load]
kind = "none"
[scheme]
kind = "galerkin"
step = 0.01
law = "path"
"""
LEAPS = """
import hamex as hx

@hx.laws.own(stiffness=100.0, reach=0.1)
def leaps(e0, f0, e, state, k):
    return (k * e, k, ()) if abs(e) < 0.05 else (0.5 * k * e, 0.5 * k, ())
"""
GAINS = """
import hamex as hx

@hx.laws.own(stiffness=100.0, reach=0.1)
def gains(e0, f0, e, state, k):
    slope = k if e < e0 else 0.5 * k
    return f0 + slope * (e - e0), slope, ()
"""


def ran(hamex, law, mass=100.0):
    Path("storeys.toml").write_text(STOREYS.format(law=law, mass=mass), encoding="utf-8")
    code, out, err = hamex("run", "storeys.toml")
    assert not out
    return code, " ".join(err.split())


@pytest.mark.parametrize(
    ("law", "told"),
    [
        (
            '{kind = "min_max", max = 1.0, law = {kind = "fatigue", law = {kind = "bilinear", yield_force = 9.0}}}',
            "model.laws[0].law.E0 is missing: range of the deformation of which one cycle breaks the spring [length]",
        ),
        (
            '{kind = "fatigue", E0 = 0.2, law = {kind = "parallel", laws = [{}, {kind = "imk"}]}}',
            "model.laws[0].law.laws[1].yield_force is missing: Fy (My) [force]",
        ),
        (
            '{kind = "min_max", max = 1.0, law = {kind = "menegotto_pinto", yield_forces = 9.0}}',
            "unknown key model.laws[0].law.yield_forces; did you mean yield_force?",
        ),
        (
            '{kind = "min_max", max = 1.0, law = {kind = "imk", yield_force = 9.0, cap_ratio = 0.9}}',
            "model.laws[0].law.cap_ratio must be at least 1: the cap comes after yield; got 0.9",
        ),
        (
            '{kind = "min_max", max = 1.0, law = {kind = "imk", yield_force = 9.0, plastic = 0.1, ultimate = 0.3}}',
            "a part must not break by itself",
        ),
    ],
)
def test_what_is_wrong_in_a_law_inside_a_law_is_told_with_its_place(hamex, law, told):
    code, err = ran(hamex, law)
    assert code == 2
    assert told in err
    assert "__init__" not in err


@pytest.mark.parametrize("kind", ["bilinear", "imk"])
@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("cap_ratio", 0.9, "cap_ratio must be at least 1: the cap comes after yield; got 0.9"),
        ("residual_ratio", -0.1, "residual_ratio must not be negative"),
    ],
)
def test_backbones_out_of_order_are_named_at_every_door(hamex, kind, name, value, told):
    code, err = ran(hamex, f'{{kind = "{kind}", yield_force = 9.0, {name} = {value}}}')
    assert (code, f"model.laws[0].{told}" in err) == (2, True)
    code, _, err = hamex("law", kind, f"{name}={value}")
    assert (code, told in err) == (2, True)


def test_a_joint_without_mass_that_could_snap_back_is_named_before_the_run(hamex):
    """It softens by 2·150/0.015 = 20000 kN/m, the storey above unloads by 15000 (analytic)."""
    steep = '{kind = "bilinear", yield_force = 150.0, plastic = 0.0, post_cap = 0.0075}'
    code, err = ran(hamex, steep, mass=0.0)
    assert code == 2
    assert "'floor 1' has no mass, and its springs may soften more steeply" in err


@pytest.mark.parametrize(("text", "name", "told"), [(LEAPS, "leaps", "jumps"), (GAINS, "gains", "gives away")])
def test_laws_of_ones_own_that_cannot_be_are_named_when_they_are_made(hamex, text, name, told):
    Path("mine.py").write_text(text, encoding="utf-8")
    code, out, err = hamex("law", f"mine.py:{name}")
    assert (code, out) == (2, "")
    assert told in " ".join(err.split())
