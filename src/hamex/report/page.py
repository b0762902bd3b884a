"""One page frame for every report: header, body, footer, own style, no script, no network.

What is drawn becomes a picture or such a page by the ending of its file.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterable
from functools import cache
from html import escape, unescape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from hamex import __version__
from hamex.errors import MissingPackageError
from hamex.files import check_writable, write_atomically
from hamex.report.style import check_installed, save, to_svg, variables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".html")

# Dark is for screens alone: print stays on white. A page with a switch sets data-theme on its root.
_COLOURS = f"""
:root {{ color-scheme: light dark; {variables()} }}
@media screen and (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) {{ {variables(dark=True)} }} }}
@media screen {{ :root[data-theme="dark"] {{ {variables(dark=True)} }} }}
"""
STYLE = (
    _COLOURS
    + """* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: break-word;
       font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
.top { padding: .55rem max(1.25rem, 50% - 29.75rem); border-bottom: 1px solid var(--line); }
.wordmark { margin: 0; font-size: 1.2rem; font-weight: 700; letter-spacing: -.01em; }
.wordmark span { font-weight: 400; color: var(--soft); }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 1rem; }
h1 { font-size: clamp(1.5rem, 1.2rem + 1.4vw, 2rem); line-height: 1.2; margin: 0 0 .4rem; text-wrap: balance; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.6rem 0 .6rem; padding-top: .8rem;
     border-top: 1px solid var(--line); }
h3 { font-size: 1.08rem; margin: 1.6rem 0 .4rem; }
p, li { max-width: 46rem; } .lead { font-size: 1.1rem; color: var(--soft); }
a { color: var(--accent); } :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
code, pre { background: var(--wash); border-radius: 4px; } code { padding: .1em .3em; }
pre { padding: .8rem 1rem; overflow-x: auto; font-size: .82rem; line-height: 1.45; border-radius: 6px; }
/* What is too wide scrolls in its own box, with a shadow on the side where there is more. */
.scroll { overflow-x: auto; margin: 1rem 0; background:
  linear-gradient(to right, var(--paper) 50%, transparent) left / 2rem 100% no-repeat local,
  linear-gradient(to left, var(--paper) 50%, transparent) right / 2rem 100% no-repeat local,
  linear-gradient(to right, var(--faint), transparent) left / .5rem 100% no-repeat,
  linear-gradient(to left, var(--faint), transparent) right / .5rem 100% no-repeat; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .93rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .4rem; }
caption span.said { display: block; position: sticky; left: 0; max-width: min(46rem, 100vw - 2.5rem); }
th, td { padding: .38rem .75rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { background: var(--wash); font-weight: 600; vertical-align: bottom; }
td:first-child, th:first-child, .words td, .words th { text-align: left; }
td .long { display: inline-block; white-space: normal; min-width: min(9rem, 30vw); }
.words td { white-space: normal; max-width: 40rem; vertical-align: top; } .words td + td { min-width: 7rem; }
@media (max-width: 40rem) { /* columns of long words, one below the other */
  .stacked thead { display: none; }
  .stacked tr { display: block; border-bottom: 1px solid var(--line); padding: .5rem 0; }
  .stacked td { display: block; border: 0; padding: .15rem 0; } }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
.cards { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.4rem 0; }
.card { flex: 1 1 10rem; padding: .8rem 1rem; background: var(--wash); border-radius: 8px; }
.card b { display: block; font-size: clamp(1.25rem, 1rem + 1.2vw, 1.5rem); line-height: 1.3; }
.card span { color: var(--soft); font-size: .9rem; }
figure { margin: 1.2rem 0; } figure .scroll { margin: 0; }
figcaption { color: var(--soft); font-size: .93rem; max-width: 46rem; margin-top: .3rem; }
.chart { display: block; width: 100%; height: auto; } .chart * { stroke-linejoin: round; stroke-linecap: butt; }
.equation { margin: 1rem 0; padding: .9rem 1rem; background: var(--wash); border-radius: 6px; overflow-x: auto; }
.equation svg { color: var(--ink); vertical-align: middle; }
.equation .row { display: flex; align-items: center; width: max-content; }
.equation .row.more { margin: .5rem 0 0 2rem; }
p svg.inline, li svg.inline { max-width: 100%; }
span.wide { display: inline-block; max-width: 100%; overflow-x: auto; overflow-y: hidden; vertical-align: middle; }
p .wide svg.inline, li .wide svg.inline { max-width: none; display: block; }
.equation .number { float: right; color: var(--soft); }
.matrix { border-left: 1.5px solid; border-right: 1.5px solid; margin: 0 .35rem;
  --tick: linear-gradient(currentColor 0 0);
  background: var(--tick) 0 0 / 7px 1.5px, var(--tick) 100% 0 / 7px 1.5px, var(--tick) 0 100% / 7px 1.5px,
              var(--tick) 100% 100% / 7px 1.5px; background-repeat: no-repeat; }
.matrix td { text-align: center !important; border: 0; padding: .3rem .6rem; }
figure svg.drawing { display: block; width: 100%; height: auto; }
.drawing { font-family: Georgia, "Times New Roman", serif; }
.drawing path { fill: none; stroke: var(--ink); stroke-linejoin: round; stroke-linecap: round; }
.drawing circle { stroke: var(--ink); stroke-width: 1.8; fill: var(--ink); } .drawing text { fill: var(--ink); }
.drawing path.soft { stroke: var(--soft); } .drawing path.accent { stroke: var(--accent); }
.drawing path.good { stroke: var(--good); } .drawing path.bad { stroke: var(--bad); }
.drawing .soft { stroke: var(--soft); } .drawing .accent { stroke: var(--accent); fill: var(--accent); }
.drawing .good { stroke: var(--good); fill: var(--good); } .drawing .bad { stroke: var(--bad); fill: var(--bad); }
.drawing path { fill: none !important; } .drawing circle.open { fill: var(--paper); }
.drawing text { stroke: none !important; font-weight: 400; } .drawing text.soft { fill: var(--soft); }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 0 2rem; }
.beside > * { min-width: 0; }
.contents { columns: 18rem; font-size: .95rem; color: var(--soft); }
.exercise { margin: 1rem 0; } .exercise summary { cursor: pointer; color: var(--accent); } .printed { display: none; }
.item { border-top: 1px solid var(--line); padding: 1rem 0 .6rem; break-inside: avoid; }
.item h3 { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: baseline; margin: 0 0 .3rem; }
.item .kind { color: var(--soft); font-weight: 400; font-size: .9rem; } .item .tag { margin-left: auto; }
.tag { font-size: .85rem; padding: .1rem .6rem; border-radius: 1rem; border: 1px solid; font-weight: 600;
       white-space: nowrap; }
.tag.holds { color: var(--good); } .tag.misprint, .tag.not { color: var(--bad); }
.tag.condition { color: var(--accent); }
.item .equation { margin: .4rem 0; padding: .5rem .8rem; } .item .equation svg { max-width: none; }
.better .equation { border-left: 3px solid var(--good); } .better > b { color: var(--good); font-size: .9rem; }
.item p { margin: .3rem 0; } .evidence { color: var(--soft); font-size: .93rem; max-width: none; }
.letter { font-family: "DejaVu Serif", "Times New Roman", serif; }
body > footer { max-width: 62rem; margin: 2rem auto 0; padding: 0 1.25rem 3rem; color: var(--soft); font-size: .9rem; }
body > footer p { margin: 0; padding-top: 1rem; border-top: 1px solid var(--line); max-width: none; }
body > footer p + p { border: 0; padding-top: .2rem; }
@media print { body { font-size: 10.5pt; } main, body > footer { max-width: none; padding-left: 0; padding-right: 0; }
  .top { padding: 0 0 .4rem; } h1, h2, h3 { break-after: avoid; } figure, tr, .card, .equation { break-inside: avoid; }
  .scroll, .equation { overflow: visible; } .chart { min-width: 0 !important; } a { color: inherit; }
  .printed { display: block; } .exercise details { display: none; } }
"""
)
_TAG = re.compile(r"<[^>]*>")
_SHAPE = re.compile(r'<path id="([^"]+)"[^>]*/>|<clipPath id="([^"]+)">.*?</clipPath>', re.DOTALL)


def page(title: str, body: str, footer: str = "", kind: str = "") -> str:
    """A complete HTML page around ``body``; ``kind`` of report in the header, ``footer`` says where it comes from."""
    made = f"hamex {escape(__version__)}"
    about = f"\n<p>{footer}</p>" if footer else ""
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="{made}">\n<title>{escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n"
        f'<header class="top"><p class="wordmark">hamex <span>{escape(kind)}</span></p></header>\n'
        f"<main>\n{_once(body)}\n</main>\n<footer><p>Made by {made}.</p>{about}</footer>\n</body>\n</html>\n"
    )


def table(head: list[str], rows: list[list[str]], caption: str = "", words: bool = False) -> str:
    """An HTML table; cells are HTML already. Numbers stand to the right, ``words`` to the left."""
    cells = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    top = f"<thead><tr>{cells}</tr></thead>\n" if head else ""
    lines = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    label = f'<caption><span class="said">{caption}</span></caption>' if caption else ""
    kind = ' class="words"' if words else ""
    return f'<div class="scroll"><table{kind}>{label}{top}<tbody>\n{lines}\n</tbody></table></div>'


def captioned(drawing: str, caption: str, label: str = "") -> str:
    """A drawing (an SVG element) over its caption; ``label`` tells what it shows to those who cannot see it."""
    said = escape(label or unescape(_TAG.sub("", caption)))
    named = drawing.replace("<svg ", f'<svg role="img" aria-label="{said}" ', 1)
    return f'<figure><div class="scroll">{named}</div><figcaption>{caption}</figcaption></figure>'


def cards(numbers: Iterable[tuple[str, str]]) -> str:
    """The main numbers, each with its words below, both HTML already."""
    tiles = "".join(f'<div class="card"><b>{value}</b><span>{words}</span></div>' for value, words in numbers)
    return f'<div class="cards">{tiles}</div>'


def _once(body: str) -> str:
    """Figures bring letters, marks and frames that others have brought before: an id stands once on a page."""
    seen: set[str] = set()

    def first(shape: re.Match[str]) -> str:
        name = shape[1] or shape[2]
        if name in seen:
            return ""
        seen.add(name)
        return shape[0]

    return _SHAPE.sub(first, body)


def check_plot(path: Path) -> None:
    """Refuse a plot that cannot be drawn or written, before any work starts."""
    check_installed()
    check_writable(path, FORMATS)


def heading(path: Path, title: str) -> str:
    """The title that stands in the figure: a page has it above."""
    return "" if path.suffix.lower() == ".html" else title


def write_drawing(
    drawing: Figure, path: Path, title: str, kind: str = "", caption: str = "", more: str = "", footer: str = ""
) -> Path:
    """Write a figure, or a page around it with its ``caption`` and ``more`` below, both HTML."""

    def write(temporary: Path) -> None:
        if path.suffix.lower() == ".html":
            body = f"<h1>{escape(title)}</h1>{captioned(to_svg(drawing), caption)}{more}"
            temporary.write_text(page(title, body, footer, kind), encoding="utf-8")
        else:
            save(drawing, temporary)

    return write_atomically(path, write)


def plotly_script() -> str:
    """The source of plotly.min.js, for pages that move: from its package, so that nothing is copied or fetched.

    >>> len(plotly_script()) > 1_000_000
    True
    """
    if find_spec("plotly") is None:
        raise MissingPackageError("interactive pages need plotly: pip install 'hamex[plot]'")
    from plotly.offline import get_plotlyjs

    script: str = get_plotlyjs()
    return script


@cache
def packed_plotly() -> str:
    """The same for a page that is sent or kept: deflated, in base64, 2 MB instead of 5.

    >>> len(packed_plotly()) < 0.5 * len(plotly_script())
    True
    """
    return base64.b64encode(zlib.compress(plotly_script().encode(), 9)).decode("ascii")
