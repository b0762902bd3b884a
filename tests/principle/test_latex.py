r"""LaTeX read as it is typeset: what binds to what, and where reading stops."""

import pytest

from hamex.principle.grammar import LanguageError
from hamex.principle.latex import (
    Add,
    Apply,
    Between,
    Differential,
    Function,
    Integral,
    Multiply,
    Number,
    Power,
    WrittenLetter,
)
from hamex.principle.latex_grammar import lines


def one(latex, applies=""):
    return lines(latex, lambda letter: letter.name in applies.split())[0].sides[0]


U, H = WrittenLetter("u"), WrittenLetter("h")


@pytest.mark.parametrize(
    ("latex", "tree"),
    [
        (r"\hat{\dot{u}}_T", WrittenLetter("u", ("dot", "hat"), "T")),
        (r"\ddot u", WrittenLetter("u", ("dot", "dot"))),
        (r"{}^{r-1}u", WrittenLetter("u", pre="r-1")),
        (r"^r u", WrittenLetter("u", pre="r")),
        (r"{^r}\hat{f}", WrittenLetter("f", ("hat",), pre="r")),
        (r"\delta^{r-1}u", WrittenLetter("u", pre="r-1", delta=True)),
        (r"{}_D\varphi_r", WrittenLetter(r"\varphi", sub="r", low="D")),
        (r"z_{p_1}", WrittenLetter("z", sub="p_1")),
        (r"w''", WrittenLetter("w", ("prime", "prime"))),
        (r"u^2", Power(U, Number("2"))),
        (r"u^23", Multiply((Power(U, Number("2")), Number("3")))),
        (r"h u(t)", Multiply((H, Apply(U, (WrittenLetter("t"),))))),
        (r"\left[ u \right]_0^T", Between(U, "0", "T")),
        (r"<|u|-h>", Function("macaulay", Add(((1, Function("abs", U)), (-1, H))))),
        (r"\int_0^T u\,d\tau", Integral("0", "T", U, r"\tau")),
        (r"\frac{d^2 u}{dt^2}", Differential(U, ((WrittenLetter("t"), 2),))),
        (r"\sin u\,h", Multiply((Function("sin", U), H))),
        (r"\sin^2 u", Power(Function("sin", U), Number("2"))),
    ],
)
def test_what_binds_to_what(latex, tree):
    assert one(latex, "u") == tree


def test_a_letter_that_takes_no_arguments_is_multiplied():
    assert one("h(u+h)") == Multiply((H, Add(((1, U), (1, H)))))
    assert one(r"\tfrac12 u") == one(r"\frac{1}{2}u")


def test_lines_go_on_below_and_new_ones_begin():
    text = "a = b\n\n+ c\n\nd = e; \\quad f = g \\quad \\text{or} \\quad h = 0 \\quad \\text{on } \\Gamma_t"
    found = lines(text, lambda letter: False)
    assert [len(line.sides) for line in found] == [2, 2, 2, 2]
    assert found[0].sides[1] == Add(((1, WrittenLetter("b")), (1, WrittenLetter("c"))))
    assert found[-1].remark == r"on \Gamma_{t}"
    assert lines("0 < c < h", lambda letter: False)[0].relations == ("<", "<")


@pytest.mark.parametrize(
    ("latex", "said", "column"),
    [
        (r"m \ddot{u} + = 0", "a number, a letter or a bracket is expected", 13),
        (r"\int_0^T u", "measure", 10),
        (r"\left( u + h", r"\) is expected", 12),
        (r"u_{r-1", "index is not closed", 6),
        (r"\frac{1}{2", "} is expected", 10),
        (r"\begin{bmatrix} 1 & 2 \\ 3 \end{bmatrix}", "differ in length", 40),
        (r"a = \unknown{b}", "is expected", 4),
        ("", "a formula is expected", 0),
    ],
)
def test_reading_stops_where_it_must(latex, said, column):
    with pytest.raises(LanguageError, match=said) as problem:
        lines(latex, lambda letter: False)
    assert problem.value.column == column
