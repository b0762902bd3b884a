"""The signs of the paper: fractions, brackets, integrals, derivatives and names, as formulas."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from string import Formatter

from hamex.report.derivation.formula import (
    BLANK,
    CLOSE,
    EQUAL,
    GREEK,
    OPEN,
    PARTIAL,
    THIN,
    Cases,
    Fence,
    Formula,
    Fraction,
    Letter,
    Matrix,
    Part,
    Root,
    Text,
    joined,
    letter,
    spaced,
    tight,
)


class _Letters:
    """Letters by their names: ``sym.omega``, ``sym.T``."""

    def __getattr__(self, name: str) -> Formula:
        if name not in GREEK and len(name) != 1:
            raise AttributeError(f"{name} is no letter")
        return letter(name)


sym = _Letters()


def say(sentence: str, *formulas: Text) -> Text:
    """A sentence with formulas in it: ``{omega}`` is that letter, ``{}`` takes the next of ``formulas``.

    >>> say("At {}, half a period, {b} drops out.", HALF_PERIOD)[1].text
    'T = π/ω'
    """
    found: list[Text] = []
    waiting = iter(formulas)
    for before, name, _, _ in Formatter().parse(sentence):
        found.append(before)
        if name is not None:
            found.append(letter(name) if name else next(waiting))
    return tuple(found)


DOTS = Letter(r"\dots", "…")
SUM = tight(Letter(r"\sum", "Σ"))


def thin(*parts: Part) -> Formula:
    """Factors with a little room in between."""
    return joined(parts, THIN)


def upright(word: str) -> Formula:
    """A word as the name of something: the d of an integral, e."""
    return Formula((Letter(rf"\mathrm{{{word}}}", word),))


def words(text: str) -> Formula:
    """Words inside a formula."""
    return Formula((Letter(rf"\text{{{text}}}", text),))


def equal(*sides: Part) -> Formula:
    """One side equals the next.

    >>> equal(letter("T"), letter("pi") / letter("omega")).text
    'T = π/ω'
    """
    return joined(sides, BLANK, EQUAL, BLANK)


def fraction(above: Part, below: Part) -> Formula:
    """A fraction on a stroke."""
    return tight(Fraction(tight(above), tight(below)))


def small_fraction(above: Part, below: Part) -> Formula:
    """A fraction as a factor: ½ m u̇² reads better than m u̇²/2."""
    return tight(Fraction(tight(above), tight(below), small=True))


def root(inside: Part) -> Formula:
    """A square root."""
    return tight(Root(tight(inside)))


def bracket(inside: Part, pair: str = "()") -> Formula:
    """Brackets as high as what they hold."""
    return tight(Fence(pair[0], tight(inside), pair[1]))


def small_bracket(inside: Part) -> Formula:
    """Round brackets of one line."""
    return tight(OPEN, inside, CLOSE)


def sin(argument: Part) -> Formula:
    """The sine."""
    return spaced(Letter(r"\sin", "sin"), argument)


def cos(argument: Part) -> Formula:
    """The cosine."""
    return spaced(Letter(r"\cos", "cos"), argument)


def exp(power: Part) -> Formula:
    """e to a power."""
    return upright("e") ** power


def matrix(rows: Sequence[Sequence[Formula]]) -> Formula:
    """A matrix in brackets."""
    return tight(Matrix(tuple(tuple(row) for row in rows)))


def cases(rows: Sequence[tuple[Formula, Formula]]) -> Formula:
    """A function by its values and their conditions."""
    return tight(Cases(tuple(rows)))


def integral(start: Part = "", end: Part = "") -> Formula:
    """The sign of an integral, between ends where they are given."""
    sign = tight(Letter(r"\int", "∫"))
    return sign if start == "" else sign[start] ** end if end != "" else sign[start]


def measure(variable: Part) -> Formula:
    """The end of an integral: dt with a little room before it."""
    return tight(THIN, upright("d"), variable)


def total(of: Part = "", by: Part = "t") -> Formula:
    """A total derivative; alone it is d/dt."""
    return fraction(tight(upright("d"), of), tight(upright("d"), by))


def partial(of: Part = "", by: Part = "t") -> Formula:
    """A partial derivative; without ``of`` it is the operator alone."""
    return fraction(spaced(PARTIAL, of), spaced(PARTIAL, by))


def virtual(of: Part) -> Formula:
    """δ before a field or its derivative."""
    return tight(Letter(r"\delta ", "δ"), of)


# Names: ``theta_1`` is θ with an index, ``phat_u`` a reserved momentum.


@cache
def _split(name: str) -> tuple[Formula, Formula]:
    """Base and index of a name: ``J_xx`` → (J, xx), ``u1`` → (u, 1), ``F_y`` → (F, y)."""
    base, _, index = name.strip("_").partition("_")
    if not index:
        found = re.fullmatch(r"([A-Za-z]+?)(\d+)", base)
        if found:
            base, index = found.groups()
    return _word(base), joined((_word(part, index=True) for part in index.split("_") if part), ",")


def _word(word: str, index: bool = False) -> Formula:
    if word in GREEK or len(word) <= 1 or word.isdigit() or (index and len(word) <= 3):
        return tight(word)
    found = re.fullmatch(r"([A-Za-z]+?)(\d+)", word)
    if found and index:
        return tight(_word(found[1]), found[2])
    return upright(re.sub("[^A-Za-z0-9]", "", word))


def accented(name: str, accent: str = "", *more: Part) -> Formula:
    """A name with an accent on its base (``dot``, ``hat`` …) and further indices behind its own."""
    base, index = _split(name)
    body: Formula = getattr(base, accent) if accent else base
    indices = tight(index, *more)
    return body[indices] if indices else body


def symbol(name: str) -> Formula:
    """A parameter; ``slope_J`` is ∂φ/∂J̇ where its pieces would be in the way."""
    if name.startswith("slope_"):
        rate = accented(name.removeprefix("slope_"), "dot")
        return fraction(tight(PARTIAL, letter("varphi")), spaced(PARTIAL, rate))
    return accented(name)


def letter_of(name: str) -> Formula:
    """The letter of a name without its index."""
    return _split(name)[0]


def momentum(name: str, accent: str = "hat", *more: Part) -> Formula:
    """The momentum of a field; with a hat while it is reserved and not yet assigned."""
    p = letter("p")
    return (getattr(p, accent) if accent else p)[tight(accented(name), *more)]


HALF = small_fraction(1, 2)
NEW_ACTION = virtual("A")[upright("NEW")]
HALF_PERIOD = equal(sym.T, sym.pi / sym.omega)
