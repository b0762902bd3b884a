"""Equations as SVG, drawn from LaTeX without script or network."""

from __future__ import annotations

from functools import cache


@cache
def equation(latex: str, size: float = 20) -> str:
    """A displayed equation as an HTML block with inline SVG."""
    from ziamath.config import config
    from ziamath.zmath import Latex

    config.svg2 = False          # each SVG stands alone on the page
    drawing = Latex(latex, size=size, color="currentColor").svg()
    return f'<div class="equation" role="img" aria-label="{_plain(latex)}">{drawing}</div>'


def _plain(latex: str) -> str:
    return latex.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
