"""Plotly's script for pages that move: from its package, so that a page needs no network and nothing is copied."""

from __future__ import annotations

from importlib.util import find_spec

from hamex.errors import MissingPackageError


def plotly_script() -> str:
    """The source of plotly.min.js.

    >>> len(plotly_script()) > 1_000_000
    True
    """
    if find_spec("plotly") is None:
        raise MissingPackageError("interactive pages need plotly: pip install 'hamex[plot]'")
    from plotly.offline import get_plotlyjs

    script: str = get_plotlyjs()
    return script
