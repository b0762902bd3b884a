"""Laws of springs, one module each. ``hx.laws`` completes to them; a new law is its module and its line here."""

from __future__ import annotations

from importlib import import_module

from hamex.errors import LawError
from hamex.model.laws.law import Group, Law, Split

__all__ = ["Gap", "Group", "Law", "PowerLaw", "Slider", "Split", "Surface", "by_kind", "known", "register"]

_MODULES = {  # class → its module
    "Slider": "slider",
    "PowerLaw": "power",
    "Surface": "surface",
    "Gap": "gap",
}
_registered: dict[str, type[Law]] = {}  # laws of other packages and of users, by kind


def __getattr__(name: str) -> type[Law]:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    law: type[Law] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = law
    return law


def __dir__() -> list[str]:
    return __all__


def register(law: type[Law]) -> type[Law]:
    """Make a law of your own known to problem files, states and result files; may decorate its class.

    Examples
    --------
    >>> from hamex.model.laws import register
    >>> register(known()["slider"]).__name__
    'Slider'
    """
    if not (isinstance(law, type) and issubclass(law, Law)):
        raise LawError(f"register: a law is a class below hamex.laws.Law, got {law!r}")
    if not law.symmetric:
        raise LawError(f"{law.__name__}: its tangent is not symmetric; the step would have no potential and no promise")
    if law.spring_at is None and law.group_at is None and law.spring_along is None:
        raise LawError(f"{law.__name__}: it has no kernel; write spring_at, spring_along or group_at")
    if law.variables[:1] != ("slip",):
        raise LawError(f"{law.__name__}: the first state variable must be 'slip', got {law.variables!r}")
    taken = [name for name in law.names() if hasattr(Law, name)]
    if taken:
        raise LawError(
            f"{law.__name__}: a parameter may not be named {taken[0]!r}, which every law has; choose another name"
        )
    _registered[law.kind] = law
    return law


def known() -> dict[str, type[Law]]:
    """All laws by kind.

    Examples
    --------
    >>> sorted(known())[:2]
    ['gap', 'power']
    """
    return {law.kind: law for law in map(__getattr__, _MODULES)} | _registered


def by_kind(kind: str) -> type[Law]:
    """The law of a kind, as files name it.

    Examples
    --------
    >>> by_kind("slider").__name__
    'Slider'
    """
    laws = known()
    if kind not in laws:
        raise LawError(
            f"there is no law {kind!r}; known are {', '.join(laws)}. A law of your own must be registered "
            "(hamex.laws.register) before files that use it are read"
        )
    return laws[kind]
