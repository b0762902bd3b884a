"""Schemes by name, as files have it: those of the package and those that users register."""

from __future__ import annotations

from hamex import schemes
from hamex.errors import SchemeError
from hamex.names import read_stub
from hamex.schemes.scheme import Scheme

_registered: dict[str, type[Scheme]] = {}  # schemes of other packages and of users, by name


def register(scheme: type[Scheme]) -> type[Scheme]:
    """Make a scheme of your own known to result files; may decorate its class.

    Examples
    --------
    >>> register(by_name("Galerkin")).__name__
    'Galerkin'
    """
    if not (isinstance(scheme, type) and issubclass(scheme, Scheme)):
        raise SchemeError(f"register: a scheme is a class below hamex.schemes.Scheme, got {scheme!r}")
    _registered[scheme.__name__] = scheme
    return scheme


def known() -> dict[str, type[Scheme]]:
    """All schemes by name.

    Examples
    --------
    >>> "Newmark" in known()
    True
    """
    classes = [home.load() for home in read_stub(schemes.__name__, schemes.__file__).values()]
    ours = [one for one in classes if isinstance(one, type) and issubclass(one, Scheme) and one is not Scheme]
    return {scheme.__name__: scheme for scheme in ours} | _registered


def by_name(name: str) -> type[Scheme]:
    """The scheme of a name, as files have it.

    Examples
    --------
    >>> by_name("Galerkin")(step=0.02).step
    0.02
    """
    found = known()
    if name not in found:
        raise SchemeError(
            f"there is no scheme {name!r}; known are {', '.join(found)}. A scheme of your own must be "
            "registered (hamex.schemes.register) before files that use it are read"
        )
    return found[name]
