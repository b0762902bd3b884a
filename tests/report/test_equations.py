"""Letters of drawn equations know the symbol they belong to, and are drawn as they were."""

import re

import pytest

from hamex.principle.library import action
from hamex.report.derivation import derivation
from hamex.report.derivation.expressions import symbol
from hamex.report.derivation.written import fragment
from hamex.report.equations import inline, key, letters_apart, marked


def symbols(latex, **known):
    """The symbols of the letters of an equation from left to right, an empty one for letters of none."""
    named = {key(drawn): name for name, drawn in known.items()}
    _, drawing = letters_apart(inline(latex, shared=True, tagged=True))
    found = marked(drawing, named)
    assert "|" not in "".join(re.findall(r'fill="([^"]*)"', found))
    return re.findall(r'data-symbol="([^"]*)"', found)


@pytest.mark.parametrize(
    ("latex", "known", "meant"),
    [
        (r"m \ddot{u} + c \dot{u} + k u", {"m": "m", "u": "u", "k": "k"}, ["m", "u", "u", "k", "u"]),
        (r"F_{y} + y + F", {"F_y": "F_{y}", "y": "y"}, ["F_y", "y"]),
        (r"u_{r-1} + u_{r} + u_{1}", {"u": "u"}, ["u", "u"]),
        (r"u_{1,r-1} + u_{2}", {"u_1": "u_{1}", "u": "u"}, ["u_1"]),
        (r"u_{,xx} + u_{1,x}", {"u": "u", "u_1": "u_{1}"}, ["u", "u_1"]),
        (r"\hat{p}_{u,r-1}\,\delta\hat{u}", {"p": "p_{u}", "u": "u"}, ["p", "u"]),
        (r"p_{u} + p", {"u": "u"}, ["u"]),
        (r"\mathrm{d}t + d", {"d": "d"}, ["d"]),  # the d of an integral is upright
        (r"\mathrm{mass}\,\dot{u}^{2}", {"mass": r"\mathrm{mass}"}, ["mass"]),
        (r"\frac{\eta}{\theta_{1}^{2}}", {"eta": r"\eta", "theta_1": r"\theta_{1}"}, ["eta", "theta_1"]),
    ],
)
def test_a_letter_belongs_to_the_largest_symbol_that_is_known(latex, known, meant):
    assert symbols(latex, **known) == meant


@pytest.mark.parametrize("latex", [r"\int_{0}^{T} L\,\mathrm{d}t", r"\left(\frac{m}{h} + \frac{c}{2}\right) u_{r}"])
def test_tags_change_nothing_that_is_drawn(latex):
    _, plain = letters_apart(inline(latex, shared=True))
    _, tagged = letters_apart(inline(latex, shared=True, tagged=True))
    assert marked(tagged, {}) == plain


@pytest.mark.heavy
def test_a_fragment_holds_every_section_and_each_letter_once():
    document = derivation(action("damped"))
    found = fragment(document, [(name, symbol(name).latex) for name in ("u", "m", "k", "c")])
    assert set(re.findall(r'data-symbol="([^"]*)"', found.body)) == {"u", "m", "k", "c"}
    letters = re.findall(r'<symbol id="(\w+)"', found.body)
    assert len(letters) == len(set(letters))
    assert set(re.findall(r'href="#(\w+)"', found.body)) <= set(letters)
    assert [link for link, _ in found.contents] == re.findall(r'<h2 id="([^"]+)"', found.body)
