"""Typed actions: what is read equals the library's symbols, all else is refused with its place, and nothing is run."""

import string
import sys
import warnings
from contextlib import suppress

import hypothesis.strategies as st
import pytest
import sympy as sp
from hypothesis import given

from hamex.errors import ActionError
from hamex.principle import Action, t
from hamex.principle.language import (
    FUNCTIONS,
    LanguageError,
    UnwritableError,
    Vocabulary,
    read_action,
    read_expression,
    written,
)
from hamex.principle.library import LIBRARY, action

m, k, l, g, c = sp.symbols("m k l g c", positive=True)
u, theta, f = (sp.Function(name)(t) for name in ("u", "theta", "f"))


def read(text, *fields):
    return read_expression(text, Vocabulary({name: sp.Function(name)(t) for name in fields or ("u",)}), "lagrangian")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("m*u'^2/2 - k*u^2/2", m * u.diff(t) ** 2 / 2 - k * u**2 / 2),
        ("m*u_dot**2/2", m * u.diff(t) ** 2 / 2),
        ("m*u(t)'²/2", m * u.diff(t) ** 2 / 2),
        ("m·u\u0307^2/2 − k×u²", m * u.diff(t) ** 2 / 2 - k * u**2),
        ("-2^2*u", -4 * u),
        ("2^-1*u", u / 2),
        ("2^3^2", sp.Integer(512)),
        ("-u^2", -(u**2)),
        ("--u", u),
        ("6/2/3*u", u),
        ("1 - 2 - 3", sp.Integer(-4)),
        ("1.5e-1*u + .25", sp.Rational(3, 20) * u + sp.Rational(1, 4)),
        ("u^(1/2) + sqrt(u)", 2 * sp.sqrt(u)),
        ("u^n", u ** sp.Symbol("n", positive=True)),
        ("exp(-g*t)*cos(pi*t)", sp.exp(-g * t) * sp.cos(sp.pi * t)),
        ("f(t)*u", f * u),
        ("abs(u')", sp.Abs(u.diff(t))),
        ("lambda*u", sp.Symbol("lambda", positive=True) * u),
        ("λ*u", sp.Symbol("lambda", positive=True) * u),
        ("Ω_1*u", sp.Symbol("Omega_1", positive=True) * u),
    ],
)
def test_a_text_means_what_it_says(text, meant):
    assert sp.expand(read(text) - meant) == 0


def test_greek_letters_are_read_by_their_names():
    assert read("m*l^2*θ'^2/2 + m*g*l*cos(θ)", "theta") == m * l**2 * theta.diff(t) ** 2 / 2 + m * g * l * sp.cos(theta)


def test_the_whole_action_equals_the_one_built_from_symbols():
    typed = read_action(["u"], "m*u'^2/2 - k*u^2/2", "c*u'^2/2", {"u": "f(t)"}, {"m": "mass"})
    assert typed.strong_form() == {u: m * u.diff(t, 2) + c * u.diff(t) + k * u - f}
    assert typed.meanings == {"m": "mass"}


def test_fields_are_the_names_with_a_rate_when_none_are_named():
    typed = read_action([], "M*v_dot^2/2 + m*u'^2/2 - k*(u - v)^2/2", "c*w'^2/2")
    assert [q.func.__name__ for q in typed.fields] == ["v", "u", "w"]


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library_goes_to_text_and_back(name):
    system = action(name)
    fields = [q.func.__name__ for q in system.fields]
    try:
        L, phi, *loads = (
            written(e, system.fields) for e in (system.lagrangian, system.dissipation, *system.loads.values())
        )
    except UnwritableError:
        assert system.space or name == "hardening-slider"
        return
    again = read_action(
        fields, L, phi if phi != "0" else "", dict(zip([q.func.__name__ for q in system.loads], loads, strict=True))
    )
    assert (again.fields, again.lagrangian) == (system.fields, system.lagrangian)
    assert (again.dissipation, dict(again.loads)) == (system.dissipation, dict(system.loads))


REFUSED = [
    ("m*sine(u')", 2, "did you mean sin"),
    ("m*csoh(u)", 2, "did you mean cosh"),
    ("2u", 1, "every multiplication"),
    ("m u", 2, "every multiplication"),
    ("(m*u", 4, ") is missing"),
    ("m*u)", 3, "never opened"),
    ("m*u''", 3, "first rates"),
    ("v'*m", 0, "not among the fields"),
    ("u/0", 1, "division by zero"),
    ("u/(m-m)", 1, "division by zero"),
    ("sqrt(-1)*u", 0, "not a real"),
    ("(-1)^(1/2)*u", 4, "not a real"),
    ("log(0)*u", 0, "not a real"),
    ("9^9^9^9", 3, "exponents"),
    ("10^10^10^10", 5, "exponents"),
    ("((((9^12)^12)^12)^12)", 9, "too large"),
    ("((u^12)^12)^12", 7, "too large"),
    ("u^u", 1, "an exponent is"),
    ("u^13", 1, "exponents"),
    ("(a+b+c+d+u)^12", 11, "too large"),
    ("1,5*u", 1, "decimal point"),
    ("exp(exp(exp(u)))", 0, "functions within"),
    ("e*u", 0, "exp(x)"),
    ("h*u", 0, "time step"),
    ("T*u", 0, "window"),
    ("sin*u", 0, "is a function"),
    ("sin(u, m)", 0, "takes 1 argument"),
    ("slider(u, m, k)", 0, "takes a rate"),
    ("f(t)*u + f", 9, "write f(t)"),
    ("f*u + f(t)", 6, "not both"),
    ("f(u)", 0, "not a function"),
    ("u = 3", 2, "right-hand side"),
    ("u +", 3, "the text ends"),
    ("* u", 0, "expected"),
    ("()", 1, "expected"),
    ("1e99*u", 0, "too large"),
    ("9" * 30, 0, "too long"),
    ("u'^2'", 4, "not closed|prime"),
    ("(u + m)'", 7, "rate of each field"),
    ("a" * 30, 0, "characters"),
    ("x_dot*u", 0, "rate of no field"),
    ("__import__('os').system('x')", 0, "not a sign"),
    ("().__class__", 2, "not a sign"),
    ("u.diff(t)", 1, "not a sign"),
    ("eval('1')", 0, "not a function"),
    ("lambda: 0", 6, "not a sign"),
    ("u;u", 1, "not a sign"),
    ("u\x00", 1, "U\\+0000"),
    ("🙂*u", 0, "not a sign"),
    ("u" * 3000, 0, "at most 2000"),
    ("(" * 100 + "u" + ")" * 100, 40, "at most 40"),
    ("-" * 1000, 1000, "the text ends"),
    ("2^" * 100 + "2", 81, "at most 40"),
    ("delta_u*u", 0, "derivation"),
]


@pytest.mark.parametrize(("text", "column", "said"), REFUSED, ids=[repr(row[0][:24]) for row in REFUSED])
def test_what_is_not_the_language_is_refused_with_its_place(text, column, said):
    with pytest.raises(LanguageError, match=said.replace("(", r"\(").replace(")", r"\)")) as refusal:
        read(text)
    assert refusal.value.place == "lagrangian"
    assert refusal.value.column == column
    assert refusal.value.said in str(refusal.value)


def test_the_message_points_at_the_place():
    with pytest.raises(ActionError) as refusal:
        read("m*sine(u)")
    assert str(refusal.value).splitlines()[1:] == ["    m*sine(u)", "      ^^^^"]


@pytest.mark.parametrize(
    ("fields", "loads", "place"),
    [
        (["u", "u"], {}, "fields"),
        (["u'"], {}, "fields"),
        (["t"], {}, "fields"),
        (["sin"], {}, "fields"),
        (["h"], {}, "fields"),
        (["delta_u"], {}, "fields"),
        ([""], {}, "fields"),
        (["θ"], {}, "fields"),
        ([f"u_{i}" for i in range(20)], {}, "fields"),
        (["u"], {"v": "f(t)"}, "loads"),
        (["u"], {"u": "f("}, "loads.u"),
    ],
)
def test_fields_and_loads_are_checked_by_name(fields, loads, place):
    with pytest.raises(LanguageError) as refusal:
        read_action(fields, "u'^2", "", loads)
    assert refusal.value.place == place


def test_what_the_principle_does_not_cover_keeps_its_own_message():
    with pytest.raises(ActionError, match="non-associated"):
        read_action(["u", "N"], "u'^2 + N'^2", "mu*N'*abs(u')")
    with pytest.raises(LanguageError, match="at most 40 names"):
        read(" + ".join(f"a{i}" for i in range(41)))


def test_reading_runs_no_code():
    """Python tells of all code that it compiles or runs from a text: there is none."""
    seen, armed = [], True
    sys.addaudithook(lambda event, _: seen.append(event) if armed and event in ("exec", "compile") else None)
    for text in ("m*u'^2/2", "sin(u)", *(row[0] for row in REFUSED)):
        with suppress(LanguageError):
            read(text)
    armed = False
    assert seen == []


leaves = st.sampled_from(["u", "u'", "m", "k", "t", "pi", "f(t)", "2", "0.5", "1e-3", "v_dot", "v", "0", "theta"])


def nested(inside):
    return st.one_of(
        st.tuples(inside, st.sampled_from("+-*/^"), inside).map(" ".join),
        inside.map(lambda x: f"({x})"),
        inside.map(lambda x: f"-{x}"),
        st.tuples(st.sampled_from(sorted(FUNCTIONS)), inside).map(lambda x: f"{x[0]}({x[1]})"),
    )


near_misses = st.recursive(leaves, nested, max_leaves=10)
anything = st.one_of(
    st.text(max_size=60),
    st.text(string.printable, max_size=80),
    st.text("uv'mk0123456789+-*/^(),. ", max_size=80),
    near_misses,
)


@given(anything)
def test_any_text_is_an_expression_or_refused(text):
    refusal = None
    try:
        assert isinstance(read(text, "u", "v"), sp.Expr)
    except LanguageError as problem:
        refusal = problem
    assert refusal is None or 0 <= refusal.column <= len(text)


@given(near_misses, near_misses)
def test_any_pair_of_texts_is_an_action_or_refused(lagrangian, dissipation):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(ActionError):
            assert isinstance(read_action(["u", "v"], lagrangian, dissipation), Action)


@given(near_misses)
def test_what_was_read_is_written_and_read_again_to_the_same_value(text):
    names = {name: sp.Function(name)(t) for name in ("u", "v")}
    try:
        first = read_expression(text, Vocabulary(dict(names)))
        again = read_expression(written(first, tuple(names.values())), Vocabulary(dict(names)))
    except (LanguageError, UnwritableError):
        return
    difference = sp.expand(first - again)
    assert difference == 0 or abs(sp.N(difference.subs({s: 1.3 for s in difference.free_symbols}))) < 1e-9
