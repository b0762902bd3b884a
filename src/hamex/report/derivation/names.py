"""Names of symbols in LaTeX: ``theta_1`` is θ with an index, ``phat_u`` a reserved momentum."""

from __future__ import annotations

import re
from functools import cache

_LETTERS = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
GREEK = frozenset(_LETTERS.split())


@cache
def split(name: str) -> tuple[str, str]:
    """Base and index of a name, both in LaTeX: ``J_xx`` → (J, xx), ``u1`` → (u, 1), ``F_y`` → (F, y)."""
    base, _, index = name.strip("_").partition("_")
    if not index:
        found = re.fullmatch(r"([A-Za-z]+?)(\d+)", base)
        if found:
            base, index = found.groups()
    return _letter(base), ",".join(_letter(part, index=True) for part in index.split("_") if part)


def _letter(word: str, index: bool = False) -> str:
    if word in GREEK:
        return rf"\{word}"
    if len(word) <= 1 or word.isdigit() or (index and len(word) <= 3):
        return word
    found = re.fullmatch(r"([A-Za-z]+?)(\d+)", word)
    if found and index:
        return f"{_letter(found[1])}{found[2]}"
    return rf"\mathrm{{{re.sub('[^A-Za-z0-9]', '', word)}}}"


def accented(name: str, accent: str = "", more: str = "") -> str:
    """A name with an accent on its base (``dot``, ``hat`` …) and further indices behind its own."""
    base, index = split(name)
    body = rf"\{accent}{{{base}}}" if accent else base
    indices = index + more
    return f"{body}_{{{indices}}}" if indices else body


def symbol(name: str) -> str:
    """A parameter; ``slope_J`` is ∂φ/∂J̇ where its pieces would be in the way."""
    if name.startswith("slope_"):
        return rf"\frac{{\partial\varphi}}{{\partial {accented(name.removeprefix('slope_'), 'dot')}}}"
    return accented(name)


def variation(body: str) -> str:
    """δ before a field or its derivative."""
    return rf"\delta {body}"


def momentum(name: str, accent: str = "hat", more: str = "") -> str:
    """The momentum of a field; with a hat while it is reserved and not yet assigned."""
    base, index = split(name)
    body = rf"\{accent}{{p}}" if accent else "p"
    of = f"{base}_{{{index}}}" if index else base
    return f"{body}_{{{of}{more}}}"
