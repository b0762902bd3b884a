r"""Anyone's equations against anyone's action: what holds, what does not, and nothing passed in silence."""

import json
from pathlib import Path

import pytest
import sympy as sp

from hamex.cli import main
from hamex.errors import InputError
from hamex.paper.audit.manuscript import letters_of, read_manuscript
from hamex.paper.audit.open_audit import OpenAudit
from hamex.principle import Action, t

PAPERS = Path(__file__).parents[2] / "examples" / "papers"
m, k, c, g, length = sp.symbols("m k c g l", positive=True)
theta, u, v = (sp.Function(name)(t) for name in ("theta", "u_1", "u_2"))
PENDULUM = Action((theta,), m * length**2 * theta.diff(t) ** 2 / 2 + m * g * length * sp.cos(theta))
CHAIN = Action(
    (u, v),
    m * u.diff(t) ** 2 / 2 + m * v.diff(t) ** 2 / 2 - k * u**2 / 2 - k * (v - u) ** 2 / 2,
    c * u.diff(t) ** 2 / 2,
    {v: sp.Function("f")(t)},
)
x = sp.Symbol("x", real=True)
rho, E, P = sp.symbols("rho E P", positive=True)
w = sp.Function("w")(x, t)
BEAM = Action((w,), rho * w.diff(t) ** 2 / 2 - E * w.diff(x, 2) ** 2 / 2 + P * w.diff(x) ** 2 / 2, space=(x,))


def judged(action, *formulas, letters=None):
    text = "\n".join(rf"\begin{{equation}} {formula} \end{{equation}}" for formula in formulas)
    return list(OpenAudit(action, letters).judged(read_manuscript(text)))


# Known from textbooks: each follows from its action, or not.
@pytest.mark.parametrize(
    ("action", "formula", "verdict"),
    [
        (PENDULUM, r"L = \tfrac12 m l^2 \dot\theta^2 + m g l\cos\theta", "holds"),
        (PENDULUM, r"\mathcal{L} = \tfrac12 m l^2 \dot\theta^2 - m g l\cos\theta", "misprint"),
        (PENDULUM, r"L = m l^2\dot\theta^2/2 + m g l\cos\theta + \frac{d}{dt}\theta^2", "holds with a condition"),
        (PENDULUM, r"T = \frac{1}{2} m l^2 \left(\frac{d\theta}{dt}\right)^2", "holds"),
        (PENDULUM, r"V = m g l (1 - \cos\theta)", "misprint"),  # a constant is a difference, and is shown
        (PENDULUM, r"p_\theta = m l^2 \dot{\theta}", "holds"),
        (PENDULUM, r"H = \frac{p^2}{2 m l^2} - m g l \cos\theta", "holds"),
        (PENDULUM, r"\dot{p} = -m g l \sin\theta", "holds"),
        (PENDULUM, r"\ddot\theta + \frac{g}{l}\sin\theta = 0", "holds"),
        (PENDULUM, r"-3\ddot\theta = 3\frac{g}{l}\sin\theta", "holds"),
        (PENDULUM, r"\ddot\theta + \frac{g}{l}\theta = 0", "misprint"),
        (PENDULUM, r"\frac{d}{dt}\frac{\partial L}{\partial \dot\theta} = \frac{\partial L}{\partial \theta}", "holds"),
        (PENDULUM, r"\dot p + \frac{\partial L}{\partial\theta} = 0", "misprint"),
        (PENDULUM, r"\tfrac12 \dot\theta^2 - \frac{g}{l}\cos\theta = \text{const}", "holds"),
        (PENDULUM, r"\dot\theta^2 - \frac{g}{l}\cos\theta = \text{const}", "misprint"),
        (PENDULUM, r"\delta A = \int_0^T (m l^2\dot\theta\delta\dot\theta - m g l\sin\theta\,\delta\theta)dt", "holds"),
        (PENDULUM, r"\delta A = \int_0^T (ml^2\dot\theta\delta\dot\theta + mgl\sin\theta\,\delta\theta)dt", "misprint"),
        (PENDULUM, r"\delta \int_{t_0}^{t_1} L\,dt = 0", "holds"),
        (PENDULUM, r"\theta(0) = \theta_0", "holds"),
        (PENDULUM, r"\sin^2\theta + \cos^2\theta = 1", "holds"),
        (CHAIN, r"m\ddot{u}_1 + c\dot{u}_1 + 2k u_1 - k u_2 = 0", "holds"),
        (CHAIN, r"m\ddot{u}_1 + m\ddot{u}_{2} + c\dot{u}_1 + k u_1 = f(t)", "holds"),  # the sum of both
        (CHAIN, r"m\ddot{u}_1 + c\dot{u}_1 + k u_1 - k u_2 = 0", "misprint"),
        (CHAIN, r"T + V = \text{const}", "holds with a condition"),
        (CHAIN, r"\frac{d}{dt}(T + V) = f\dot{u}_2 - c\dot{u}_1^2", "holds"),
        (CHAIN, r"\varphi = c\dot{u}_1^2", "misprint"),
        (CHAIN, r"\begin{pmatrix} m\ddot u_1 \\ m \ddot u_2 \end{pmatrix} = \begin{pmatrix} k u_2 - 2 k u_1 - c\dot u_1"
         r"\\ f - k(u_2 - u_1)\end{pmatrix}", "holds"),
        (BEAM, r"\rho\ddot{w} + E w'''' + P w'' = 0", "holds"),
        (BEAM, r"\rho\frac{\partial^2 w}{\partial t^2} + E\frac{\partial^4 w}{\partial x^4} + P w_{,xx} = 0", "holds"),
        (BEAM, r"\rho\,\partial_t^2 w + E\,\partial_x^4 w - P\,\partial_x^2 w = 0", "misprint"),
        (BEAM, r"w'(0,t) = 0", "holds"),
        (BEAM, r"E w'''(\ell,t) + P w'(\ell,t) = 0", "holds"),
        (BEAM, r"E w'''(\ell,t) - P w'(\ell,t) = 0", "misprint"),
        (BEAM, r"\ddot\theta = 0", "not understood"),
        (PENDULUM, r"\dot\theta > 0", "not understood"),
        (PENDULUM, r"m \ddot\theta + = 0", "not understood"),
        (PENDULUM, r"\ddot{\theta}", "not understood"),
    ],
)  # fmt: skip
def test_a_verdict(action, formula, verdict):
    found = judged(action, formula)[0]
    assert (found.verdict, bool(found.evidence)) == (verdict, True), found


def test_a_misprint_comes_with_its_difference_and_the_right_formula():
    found = judged(CHAIN, r"\ddot{u}_2 = \frac{k}{m}(u_2 - u_1) + \frac{f}{m}")[0]
    assert found.difference == "2 k u₁/m − 2 k u₂/m"
    assert judged(CHAIN, found.correct)[0].verdict == "holds"


def test_the_correct_formulas_hold_themselves():
    for formula in (r"V = 2 k u_1^2", r"p_1 = m u_1", r"L = \dot{u}_1", r"m \ddot{u}_1 = k u_1", r"T = m \dot{u}_1^2"):
        assert judged(CHAIN, judged(CHAIN, formula)[0].correct)[0].verdict == "holds", formula


def test_definitions_are_known_from_there_on_and_not_before():
    later = (r"\ddot\theta = -\omega^2 \sin\theta", r"\omega^2 = g / l", r"\ddot\theta = -\omega^2\sin\theta")
    assert [found.verdict for found in judged(PENDULUM, *later)] == ["not understood", "definition", "holds"]
    wrong = judged(PENDULUM, r"\omega = g / l", r"\ddot\theta = -\omega^2\sin\theta")
    assert [found.verdict for found in wrong] == ["definition", "misprint"]


def test_unknown_letters_are_named_with_what_is_near():
    assert r"the letter u_{3} is not known; did you mean u_{" in judged(CHAIN, r"m \ddot{u}_1 + u_3 = 0")[0].evidence


def test_other_letters():
    for formula, verdict in (
        (r"m \ddot q + c \dot q + 2 k q - k u_2 = 0", "holds"),
        (r"m \ddot q + k q = 0", "misprint"),
    ):
        found = judged(CHAIN, formula, letters={"q": "u_1"})[0]
        assert found.verdict == verdict
    assert "q" in found.correct
    with pytest.raises(InputError, match="did you mean u_1"):
        OpenAudit(CHAIN, {"q": "u_11"})
    with pytest.raises(InputError, match="letter=name"):
        letters_of("q", "--letters")


TEXT = r"""
\newcommand{\half}{\frac{1}{2}}
\newcommand{\D}[2]{\frac{d #1}{d #2}}
\def\w{\omega}
text $a = b$ % $$ c = d $$
\begin{align}
  a &= \half b \label{eq:a} \\
    &\quad + \w \nonumber \\
  c &= \D{x}{t} \tag{A1} \\
  e &= f
\end{align}
\[ g = h \]
\begin{equation*} i = j \end{equation*}
"""


def test_formulas_of_a_file_with_their_numbers_lines_and_macros():
    found = read_manuscript(TEXT).formulas
    assert [(formula.name, formula.line) for formula in found] == [
        ("(1) eq:a", 7),
        ("(A1)", 9),
        ("(2)", 10),
        ("line 12", 12),
        ("line 13", 13),
    ]
    assert r"\frac{1}{2}" in found[0].latex
    assert r"\omega" in found[0].latex
    assert r"\frac{d x}{d t}" in found[1].latex


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n\\begin{align} a = b", r"line 2: \\begin{align} is never closed"),
        ("\n\n\\[ a = b", "line 3"),
        (r"\newcommand{\a}{\b} \newcommand{\b}{\a} \[ \a = 1 \]", "without end"),
    ],
)
def test_broken_files_are_refused_with_their_line(text, said):
    with pytest.raises(InputError, match=said):
        read_manuscript(text, "paper.tex")


def call(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        main(["audit", *map(str, arguments)])
    return end.value.code, capsys.readouterr()


def test_the_paper_among_the_examples(capsys, tmp_path):
    pytest.importorskip("ziamath")
    files = (PAPERS / "cart_and_pendulum.tex", "--action", PAPERS / "cart_and_pendulum.py")
    target = tmp_path / "cart.html"
    code, said = call(capsys, *files, "--json", "--html", target)
    found = {entry["equation"]: entry for entry in json.loads(said.out)}
    assert code == 1
    assert [name for name, entry in found.items() if entry["verdict"] == "misprint"] == ["(4) eq:pendulum"]
    assert found["(4) eq:pendulum"]["line"] == 20
    assert r"\cos \theta \ddot{x}" in found["(4) eq:pendulum"]["correct"]
    page = target.read_text(encoding="utf-8")
    assert page.count('<section class="item" id="f-') == len(found)
    assert page.count("<svg") >= len(found)
    assert "<script" not in page
    _, said = call(capsys, *files)
    assert max(len(line) for line in said.out.splitlines()) <= 84  # combining marks count as letters


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.tex", "--action", "damped"], "no such file"),
        (["paper.tex"], "add --action"),
        (["--action", "damped"], "give PAPER.tex"),
        (["paper.tex", "--action", "nosuch"], "no system is called"),
        (["paper.tex", "--action", "broken.py"], "line 1"),
        (["empty.tex", "--action", "damped"], "no displayed equation"),
        (["paper.tex", "--action", "damped", "--letters", "x=y"], "not a name of the action"),
        (["paper.tex", "a.html", "b.html", "--action", "damped"], "at most"),
    ],
)
def test_what_cannot_be_audited_is_refused_by_name(capsys, monkeypatch, tmp_path, arguments, said):
    monkeypatch.chdir(tmp_path)
    Path("paper.tex").write_text(r"\[ m\ddot{u} + c\dot{u} + k u = 0 \]")
    Path("empty.tex").write_text("nothing")
    Path("broken.py").write_text("action = 1 / 0")
    code, told = call(capsys, *arguments)
    assert code == 2
    assert said in told.err
