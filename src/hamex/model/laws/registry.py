"""Laws by kind, as files name them: those of the package and those that users register."""

from __future__ import annotations

from hamex.errors import LawError
from hamex.model import laws
from hamex.model.laws.law import Law
from hamex.names import read_stub

_registered: dict[str, type[Law]] = {}  # laws of other packages and of users, by kind


def register(law: type[Law]) -> type[Law]:
    """Make a law of your own known to problem files, states and result files; may decorate its class.

    Examples
    --------
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
    >>> sorted(known())[:3]
    ['drucker_prager', 'gap', 'j2']
    """
    classes = [home.load() for home in read_stub(laws.__name__, laws.__file__).values()]
    ours = [one for one in classes if isinstance(one, type) and issubclass(one, Law) and one is not Law]
    return {law.kind: law for law in ours} | _registered


def by_kind(kind: str) -> type[Law]:
    """The law of a kind, as files name it.

    Examples
    --------
    >>> by_kind("slider").__name__
    'Slider'
    """
    found = known()
    if kind not in found:
        raise LawError(
            f"there is no law {kind!r}; known are {', '.join(found)}. A law of your own must be registered "
            "(hamex.laws.register) before files that use it are read"
        )
    return found[kind]
