"""One HTML file that moves without server and network: the page's own scripts, plotly's, and answers computed now."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from hamex import __version__
from hamex.report.page import STYLE
from hamex.studio.assets import text

SCRIPTS = ("core.js", "player.js", "sketch.js", "history.js", "classroom.js")


def classroom_page(title: str, words: str, data: Mapping[str, Any], plotly: str) -> str:
    """The page; ``data`` holds the answers, one of them without a value: the state as it was."""
    scripts = "\n".join(f"<script>{_inside(source)}</script>" for source in (plotly, *map(text, SCRIPTS)))
    # In a script element only the end tag and comments have a meaning; as \\u003c they are the same JSON.
    held = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}
{text("studio.css")}</style>
</head>
<body class="studio alone">
<header class="top"><p class="wordmark">hamex <span>{escape(title)}</span></p></header>
<main>
<p class="quiet">{escape(words)}</p>
<div id="stage" class="stage{' building' if data["view"] == "building" else ''}"></div>
<footer>Computed by hamex {escape(__version__)}; this page needs no network.</footer>
</main>
<script type="application/json" id="data">{held}</script>
{scripts}
</body>
</html>
"""


def _inside(source: str) -> str:
    """A script that can stand in a page: nothing in it may close the element."""
    return source.replace("</script", "<\\/script")


def answers_of(now: Mapping[str, Any], varied: Sequence[tuple[float, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """The present state first, without a value, then the others by theirs."""
    return [{"value": None, "answer": now}, *({"value": value, "answer": answer} for value, answer in varied)]
