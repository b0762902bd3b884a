"""The derivation of an action as a document: complete, offline, the same twice, and right where it can be checked."""

import filecmp
import re
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
import sympy as sp

from hamex.errors import UndecidedWarning
from hamex.principle import symmetries
from hamex.principle.action import Action
from hamex.principle.conditions import MixedDimensionError, dimension_of, read_unit
from hamex.principle.jets import t
from hamex.principle.library import LIBRARY, action
from hamex.principle.parts import Part
from hamex.principle.variation import helmholtz
from hamex.report import equations
from hamex.report.derivation import derivation, write_html, write_latex
from hamex.report.derivation.admissible import dimensions_of_symbols
from hamex.report.derivation.atoms import width
from hamex.report.derivation.document import text
from hamex.report.derivation.expressions import formula_of
from hamex.report.derivation.formula import Formula, equal, fraction, matrix, say, sin, sym, tight
from hamex.report.derivation.system import DerivedSystem, end_points
from hamex.report.derivation.written import html, tex

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # a convexity warning of one library entry
DOCS = Path(__file__).parents[2] / "docs" / "tutorials"
SECTIONS = (
    "The system and its symbols",
    "Step 1: the Lagrangian",
    "Step 2: the action",
    "Step 3: stationarity",
    "Integration by parts, certified",
    "The strong form",
    "Step 4: the given initial values",
    "Classical and extended principle side by side",
    "What is known and what is free at both ends",
    "What the end-point problem does",
    "The Helmholtz test",
    "Energy and conserved quantities",
    "The time step",
    "Stability of the step",
    "Dimensions",
    "Limits",
    "Exercises",
)
# Many seconds of algebra; their small sisters stand for them.
SLOW = {"chain", "double-pendulum", "elastic-2d", "elastic-3d", "gyroscopic", "hardening-slider", "zener"}
# Pages with nothing of their own: a term less than "damped", "forced", "viscoplastic", or "pendulum" and beam again.
ALIKE = {"harmonic", "mixed", "maxwell", "duffing", "parametric-pendulum", "timoshenko", "rayleigh-beam"}


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """Drawn equations go to a folder of the tests, not to the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HAMEX_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def document():
    kept = {}

    def get(name):
        if name not in kept:
            kept[name] = derivation(action(name))
        return kept[name]

    return get


NAMES = [pytest.param(name, marks=pytest.mark.heavy) if name in SLOW | ALIKE else name for name in LIBRARY]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.chief("pendulum")
def test_every_system_has_a_complete_page_that_needs_nothing_from_outside(document, name):
    page = html(document(name))
    shown = re.sub(r"<svg.*?</svg>|<[^>]+>", "", page)
    for section in SECTIONS:
        assert section in shown, section
    assert page.count("<details>") == 3
    assert page.count('class="printed"') == 3
    assert "<script" not in page
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert not re.search(r'(src|href)="(?!#)', page)
    used, kept = set(re.findall(r'<use href="#([^"]+)"', page)), re.findall(r'<symbol id="([^"]+)"', page)
    assert used <= set(kept)
    assert len(kept) == len(set(kept))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.chief("damped", "elastic-1d", "pendulum")
def test_every_system_reads_on_a_terminal(document, name):
    shown = text(document(name))
    assert max(width(line) for line in shown.splitlines()) <= 80
    for section in (*SECTIONS, "Answers"):
        assert section in shown
    assert "\\" not in shown
    assert "$" not in shown
    assert "Formula(" not in shown, "a formula written into words"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.chief("damped", "elastic-1d", "pendulum")
def test_every_system_is_a_latex_document(document, name, tmp_path):
    source = tex(document(name))
    assert source.isascii()
    assert "?" not in re.sub(r"[a-zA-Z']\?", "", source), "a letter without a LaTeX form"
    plain = re.sub(r"\\[\\{}%]", "", source)
    assert plain.count("{") == plain.count("}")
    begun, ended = re.findall(r"\\begin\{(\w+\*?)\}", source), re.findall(r"\\end\{(\w+\*?)\}", source)
    assert sorted(begun) == sorted(ended)
    assert len(re.findall(r"(?<!\\)\$", source)) % 2 == 0
    left, right = (re.findall(rf"\\{side}(?![a-z])", source) for side in ("left", "right"))
    assert len(left) == len(right)


SET_BY_TEX = ("forced", "elastic-1d")  # a lumped system with loads, and a continuum


@pytest.mark.skipif(not which("pdflatex"), reason="no pdflatex: Debian's texlive-latex-base and texlive-pictures")
@pytest.mark.parametrize("name", [n if n in SET_BY_TEX else pytest.param(n, marks=pytest.mark.heavy) for n in LIBRARY])
def test_tex_sets_every_system_within_its_lines(document, name, tmp_path):
    """Compiled by a real TeX: no error, no letter that its fonts lack, nothing that runs into the margin."""
    (tmp_path / "a.tex").write_text(tex(document(name)))
    subprocess.run(["pdflatex", "-halt-on-error", "-interaction=batchmode", "a.tex"], cwd=tmp_path, check=True)
    log = (tmp_path / "a.log").read_text(encoding="latin-1")
    assert "Missing character" not in log
    wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log)]
    assert max(wide, default=0.0) < 10  # points; a hyphen is 4


def test_the_page_of_a_plate_has_two_conditions_on_an_edge_and_a_force_at_its_corner(document):
    shown = re.sub(r"\s+", " ", text(document("plate")))
    assert "V_w = Qᵢ nᵢ" in shown
    assert re.search(r"x = const w D ν w,xyy − D w,xxx − 2 D w,xyy x = const w,x D ν w,yy \+ D w,xx y = const", shown)
    assert "R_w = 2 M_xy: R_w = 2 D w,xy − 2 D ν w,xy" in shown
    assert "a free boundary, and no force on its corners" in shown


def test_parts_stand_in_the_action_on_the_boundary_and_among_the_data(document):
    shown = re.sub(r"\s+", " ", text(document("tip-mass")))
    assert "A = ∫₀ᵀ∫_Ω L dΩ dt + ∫₀ᵀ[L_Γ]ₓ₌ₗ dt" in shown
    assert "x = l (tip) w m ẅ − E I_y w,xxx = balance 0" in shown
    assert "m ẇ = p̂_(w,Γ)(0) = p̄_(w,Γ) at t = 0, at x = l" in shown
    x, l, N, M, k = sp.Symbol("x", real=True), *sp.symbols("l N M k", positive=True)
    w, X = sp.Function("w")(x, t), sp.Function("X")(t)
    hung = Part({x: l / 2}, "inside", M * X.diff(t) ** 2 / 2 - k * (X - w) ** 2 / 2)
    string = Action((w, X), w.diff(t) ** 2 / 2 - N * w.diff(x) ** 2 / 2, space=(x,), parts=(hung,))
    shown = re.sub(r"\s+", " ", text(derivation(string)))
    assert "N w,x⁻ − N w,x⁺" in shown
    assert "X(0) = X̂(0) = X̄: the value is given, so that δX̂(0) = 0 from here on." in shown


@pytest.mark.heavy
@pytest.mark.parametrize(
    "name",
    ["harmonic", *(pytest.param(name, marks=pytest.mark.heavy) for name in ("damped", "viscoplastic", "elastic-1d"))],
)
def test_the_same_action_gives_the_same_bytes_in_every_process(name, document, tmp_path):
    code = (
        "import sys, pathlib; from hamex.principle.library import action; "
        "from hamex.report.derivation import *; "
        "d = derivation(action(sys.argv[1])); write_html(d, pathlib.Path('a.html')); "
        "write_latex(d, pathlib.Path('a.tex'))"
    )
    subprocess.run([sys.executable, "-c", code, name], cwd=tmp_path, check=True, env={"HAMEX_CACHE": "", "PATH": ""})
    # cmp, not ==: the difference of two long pages takes minutes to print.
    assert filecmp.cmp(write_html(document(name), tmp_path / "b.html"), tmp_path / "a.html", shallow=False)
    assert filecmp.cmp(write_latex(document(name), tmp_path / "b.tex"), tmp_path / "a.tex", shallow=False)


def test_a_cache_that_cannot_be_written_or_was_spoilt_changes_nothing(tmp_path, monkeypatch):
    expected = equations._draw("u_{7}", 20, False)
    (tmp_path / "file").write_text("not a folder")
    for folder in (tmp_path / "file", tmp_path / "good"):
        monkeypatch.setenv("HAMEX_CACHE", str(folder))
        equations.svg.cache_clear()
        assert equations.svg("u_{7}") == expected
    (kept,) = (tmp_path / "good" / "equations").iterdir()
    whole = kept.read_text()
    assert whole.startswith(expected)
    for spoilt in ("<svg broken", whole.replace("1", "2", 1), ""):  # a digit of a letter's place is enough
        kept.write_text(spoilt)
        equations.svg.cache_clear()
        assert equations.svg("u_{7}") == expected
        assert kept.read_text() == whole


def test_the_page_says_what_the_paper_says(document):
    shown = text(document("forced"))
    assert "m u̇ + c u + J − ∫ f dt = const" in shown  # (54)
    assert "c (uᵣ − uᵣ₋₁) + (Jᵣ − Jᵣ₋₁) + p_(u,r) − p_(u,r-1) − h f_* = 0" in shown  # (78)
    assert "X = 4 m a + 2 h a c + h²" in shown  # (75)
    assert "Stable for every step" in shown
    assert "it passes" not in text(document("viscoplastic"))
    assert "Failed." in text(document("damped"))
    assert "Passed" in text(document("caldirola-kanai"))
    assert "grow linearly, as the exact" in " ".join(text(document("particle")).split())


def test_a_nonlinear_system_shows_its_residual_and_no_matrices(document):
    shown = text(document("pendulum"))
    assert "no constant matrices" in shown
    assert "B =" not in shown
    assert "small motion about rest" in shown.lower()


def test_the_users_own_action_needs_neither_name_nor_meanings():
    k, m = sp.symbols("k m", positive=True)
    x = sp.Function("x")(t)
    shown = text(derivation(Action((x,), m * x.diff(t) ** 2 / 2 - k * x**4)))
    assert shown.startswith("Your action")
    assert "m ẍ + 4 k x³ = 0" in shown
    assert "names no unit" in shown


def test_markup_in_a_users_words_stays_words():
    m = sp.Symbol("m", positive=True)
    x = sp.Function("x")(t)
    mine = Action(
        (x,),
        m * x.diff(t) ** 2 / 2,
        name="a<b>",
        citation="A & B, 5 % of $3 *net*_1",
        meanings={"m": "<script>alert(1)</script> [kg]"},
    )
    found = derivation(mine)
    assert "<script" not in html(found)
    assert "&lt;script&gt;" in html(found)
    assert r"A \& B, 5 \% of \$3 *net*\_1" in tex(found)


# The parts


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("harmonic", True),
        ("damped", False),
        ("caldirola-kanai", True),
        ("gyroscopic", True),
        ("mixed", True),
        ("forced", False),
        ("elastic-2d", True),
        ("timoshenko", True),
        ("viscoplastic", False),
    ],
)
def test_helmholtz_tells_whether_a_functional_exists(name, holds):
    assert helmholtz(action(name).strong_form()).holds is holds


def test_helmholtz_names_the_dashpot_and_sees_a_wrong_sign_between_two_equations():
    c, k = sp.symbols("c k", positive=True)
    x, y = sp.Function("x")(t), sp.Function("y")(t)
    (failure,) = helmholtz([x.diff(t, 2) + c * x.diff(t), y.diff(t, 2)], (x, y)).failures
    assert (failure.row, failure.column, failure.index, failure.residual) == (x, x, (t,), 2 * c)
    assert helmholtz({x: x.diff(t, 2) + k * y, y: y.diff(t, 2) + k * x}).holds
    assert not helmholtz({x: x.diff(t, 2) + k * y, y: y.diff(t, 2) - k * x}).holds
    assert helmholtz({x: x.diff(t, 2) + c * y.diff(t), y: y.diff(t, 2) - c * x.diff(t)}).holds


def test_the_end_point_problem_fails_where_it_should():
    m, k, c = sp.symbols("m k c", positive=True)
    assert end_points(DerivedSystem(action("harmonic"))).square == k / m
    damped = end_points(DerivedSystem(action("damped")))
    assert sp.expand(damped.square - k / m + c**2 / (4 * m**2)) == 0
    assert end_points(DerivedSystem(action("particle"))).kind == "free"
    assert end_points(DerivedSystem(action("kelvin-voigt"))).kind == "first-order"
    mixed = end_points(DerivedSystem(action("mixed")))
    assert mixed.failing == pytest.approx([2 * sp.pi.evalf(), 4 * sp.pi.evalf()], abs=1e-6)
    pendulum = end_points(DerivedSystem(action("pendulum")))
    g, length = sp.symbols("g l", positive=True)
    assert (pendulum.square, pendulum.linearised) == (g / length, True)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.heavy) if name == "elastic-3d" else name for name in LIBRARY]
)
@pytest.mark.chief("forced", "viscoplastic", "elastic-1d", "elastic-2d", "timoshenko", "double-pendulum")
def test_dimensions_agree_in_the_library(name):
    system = action(name)
    given = dimensions_of_symbols(system)
    energy = dimension_of(system.lagrangian, given)
    for q, equation in system.strong_form().items():
        if name != "caldirola-kanai":
            both = dimension_of(equation, given) * dimension_of(q, given)
            assert both == energy, q


def test_a_wrong_dimension_is_seen():
    m, k, u = *sp.symbols("m k", positive=True), sp.Function("u")(t)
    wrong = Action(
        (u,),
        m * u.diff(t) ** 2 / 2 - k * u / 2,
        meanings={"u": "x [length]", "m": "m [force s²/length]", "k": "k [force/length]"},
    )
    with pytest.raises(MixedDimensionError):
        dimension_of(wrong.lagrangian, dimensions_of_symbols(wrong))


@pytest.mark.parametrize(
    ("unit", "powers"),
    [
        ("force s²/length", (1, -1, 2)),
        ("1/(force/length²)", (-1, 2, 0)),
        ("force/length² s", (1, -2, 1)),
        ("1/s", (0, 0, -1)),
        ("rad", (0, 0, 0)),
        ("force s²/length⁴", (1, -4, 2)),
    ],
)
def test_units_are_read_as_written(unit, powers):
    found = read_unit(unit)
    assert (found.force, found.length, found.time) == powers
    assert read_unit(found.unit) == found


def test_expressions_are_written_as_the_paper_writes_them():
    system = action("viscoplastic")
    assert formula_of(system.lagrangian).latex == r"\tfrac{1}{2} m \dot{u}^{2} + \tfrac{1}{2} a \dot{J}^{2} - u \dot{J}"
    assert formula_of(system.lagrangian).text == "½ m u̇² + ½ a J̇² − u J̇"
    assert r"\text{if } \dot{J} > F_{y}" in formula_of(system.dissipation).latex
    beam = action("euler-bernoulli")
    assert formula_of(beam.strong_form()[beam.fields[0]]).latex == r"\rho A \ddot{w} + E I_{y} w_{,xxxx} - q"


def test_a_formula_is_one_tree_for_the_page_and_for_the_terminal():
    shown = equal(sym.p.hat["u"](0), fraction(sym.a + sym.b, tight(2) * sym.c) - sin(sym.omega * sym.T))
    assert shown.latex == r"\hat{p}_{u}(0) = \frac{a + b}{2 c} - \sin \omega T"
    assert shown.text == "p̂ᵤ(0) = (a + b)/(2 c) − sin ω T"
    assert equal(sym.x, fraction(sym.m + sym.c, tight(2) * sym.h)).lines() == ["     m + c", "x = ───────", "      2 h"]
    one, nought = tight(1), tight(0)
    assert matrix([[one, nought], [nought, -one]]).lines() == ["⎡ 1   0 ⎤", "⎣ 0  −1 ⎦"]
    assert equal(sym.x, -sym.a, sym.b - sym.c).text == "x = −a = b − c"


def test_long_rows_of_a_formula_go_on_before_a_sign():
    long = sum((sym.k[i] * sym.u[i] for i in range(2, 12)), sym.k[1] * sym.u[1])
    rows = equal(sym.f, long).lines(40)
    assert max(map(width, rows)) <= 40
    assert all(row.startswith("     + ") for row in rows[1:])
    assert " ".join(" ".join(rows).split()) == equal(sym.f, long).text


def test_a_sentence_takes_letters_by_name_and_formulas_in_order():
    found = say("{T} is {}, {omega} is not {}.", equal(sym.a, 1), "known")
    assert found == ("", sym.T, " is ", equal(sym.a, 1), ", ", sym.omega, " is not ", "known", ".")
    assert isinstance(sym.omega, Formula)
    with pytest.raises(AttributeError, match="omeg is no letter"):
        say("{omeg}")
    with pytest.raises(ValueError, match="1 formulas too many"):
        say("{T} alone", sym.a)


# The tutorials


def blocks(path):
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("name", ["why-the-end-point-constraints-must-go", "from-the-action-to-newmark"])
def test_the_tutorials_run(name, capsys):
    found = blocks(DOCS / f"{name}.md")
    assert len(found) >= 4
    exec("\n".join(found), {"__name__": name})
    printed = capsys.readouterr().out.splitlines()
    expected = re.findall(r"```text\n(.*?)```", (DOCS / f"{name}.md").read_text(encoding="utf-8"), re.DOTALL)
    assert printed == [line for block in expected for line in block.splitlines()]


def test_what_is_undecided_is_said_on_the_page_too(monkeypatch, tmp_path):
    """Planted: with places of one size alone the narrow well looks flat, and is not certified."""
    monkeypatch.setattr(symmetries, "_SIZES", ((1.0,),))
    m, x = sp.Symbol("m", positive=True), sp.Function("x")(t)
    well = Action((x,), m * x.diff(t) ** 2 / 2 + sp.exp(-1000 * x**2))
    with pytest.warns(UndecidedWarning, match="shift of x"):
        found = derivation(well)
    words = "Undecided, and not listed: shift of x"
    assert words in " ".join(text(found).split())
    assert words in write_html(found, tmp_path / "well.html").read_text()
    assert words in " ".join(write_latex(found, tmp_path / "well.tex").read_text().split())


@pytest.mark.heavy
def test_the_page_of_maxwells_potentials_has_gausss_law_and_what_is_not_linear_is_left_undecided():
    place = sp.symbols("x y", real=True)
    A1, A2, V = (sp.Function(name)(*place, t) for name in ("A_1", "A_2", "V"))
    electric = (A1.diff(t) + V.diff(place[0])) ** 2 + (A2.diff(t) + V.diff(place[1])) ** 2
    magnetic = (A2.diff(place[0]) - A1.diff(place[1])) ** 2
    words = " ".join(text(derivation(Action((A1, A2, V), (electric - magnetic) / 2, space=place))).split())
    assert "Arbitrary functions of place and time: V" in words
    assert "Free data, 2 in number" in words
    w, q = (sp.Function(name)(place[0], t) for name in "wq")
    bent = (w.diff(t) + q.diff(place[0])) ** 2
    words = " ".join(text(derivation(Action((w, q), bent + bent**2, space=place[:1]))).split())
    assert "Not decided: not all rates have momenta" in words
    assert "whether it is free is not decided" in words


@pytest.mark.heavy
def test_friction_first_order_pairs_and_constraints_are_told_only_what_holds_for_them():
    x, y = sp.Function("x")(t), sp.Function("y")(t)
    m, k, mu, l = sp.symbols("m k mu l", positive=True)
    oscillator = m * x.diff(t) ** 2 / 2 - k * x**2 / 2
    block = text(derivation(Action((x,), oscillator, mu * sp.Abs(x.diff(t)))))
    assert "dirac" not in block  # the kink has no slope that could be a damping
    assert "Passed between the turns only" in block
    assert "an action exists" not in block
    turning = Action((x,), oscillator, mu * (x**2 + 1) * x.diff(t) ** 2 / 2)
    assert end_points(DerivedSystem(turning)).linearised
    assert "Multiply the equation of motion by" not in text(derivation(turning))
    pair = text(derivation(Action((x, y), (y * x.diff(t) - x * y.diff(t)) / 2 - k * (x**2 + y**2) / 2)))
    assert "would lose the initial velocity" not in pair
    assert "−  −" not in pair
    rod = Action((x, y), m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2, constraints=(x**2 + y**2 - l**2,))
    assert re.search(r"^l +parameter", text(derivation(rod)), re.MULTILINE)
