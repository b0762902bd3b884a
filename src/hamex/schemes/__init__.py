"""Schemes: how to march, as data. ``hx.schemes`` completes to them; a new scheme is its module and its line here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from hamex.errors import SchemeError
from hamex.schemes.scheme import Scheme

if TYPE_CHECKING:
    from hamex.schemes.composite import Bathe, RhoBathe, TrBdf2, WilsonTheta
    from hamex.schemes.explicit import CentralDifference, RungeKutta4
    from hamex.schemes.leapfrog import LeapFrog
    from hamex.schemes.nodal import GeneralisedAlpha, HilberHughesTaylor, Newmark
    from hamex.schemes.oscillator import PiecewiseExact
    from hamex.schemes.scheme import QuasiStatic
    from hamex.schemes.time_elements import DiscontinuousGalerkin, Galerkin

_MODULES = {  # class → its module
    "Galerkin": "time_elements",
    "DiscontinuousGalerkin": "time_elements",
    "Newmark": "nodal",
    "GeneralisedAlpha": "nodal",
    "HilberHughesTaylor": "nodal",
    "PiecewiseExact": "oscillator",
    "LeapFrog": "leapfrog",
    "QuasiStatic": "scheme",
    "WilsonTheta": "composite",
    "Bathe": "composite",
    "RhoBathe": "composite",
    "TrBdf2": "composite",
    "CentralDifference": "explicit",
    "RungeKutta4": "explicit",
}
_registered: dict[str, type[Scheme]] = {}  # schemes of other packages and of users, by name

__all__ = [
    "Bathe",
    "CentralDifference",
    "DiscontinuousGalerkin",
    "Galerkin",
    "GeneralisedAlpha",
    "HilberHughesTaylor",
    "LeapFrog",
    "Newmark",
    "PiecewiseExact",
    "QuasiStatic",
    "RhoBathe",
    "RungeKutta4",
    "Scheme",
    "TrBdf2",
    "WilsonTheta",
    "by_name",
    "known",
    "register",
]


def __getattr__(name: str) -> type[Scheme]:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    scheme: type[Scheme] = getattr(import_module(f"hamex.schemes.{_MODULES[name]}"), name)
    globals()[name] = scheme
    return scheme


def __dir__() -> list[str]:
    return [*_MODULES, "Scheme", "by_name", "known", "register"]


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
    return {name: __getattr__(name) for name in _MODULES} | _registered


def by_name(name: str) -> type[Scheme]:
    """The scheme of a name, as files have it.

    Examples
    --------
    >>> by_name("Galerkin")(step=0.02).step
    0.02
    """
    schemes = known()
    if name not in schemes:
        raise SchemeError(
            f"there is no scheme {name!r}; known are {', '.join(schemes)}. A scheme of your own must be "
            "registered (hamex.schemes.register) before files that use it are read"
        )
    return schemes[name]
