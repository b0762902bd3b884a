"""One page frame for every report: own style, no script, no network."""

from __future__ import annotations

from html import escape

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2330; --soft: #5b6474; --line: #d9dde4; --paper: #ffffff;
        --wash: #f5f7fa; --accent: #0072B2; --good: #00714f; --bad: #b3400b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #a4adba; --line: #3a414d; --paper: #161a20; --wash: #1f242c;
          --accent: #56B4E9; --good: #4fd1a5; --bad: #ff9a62; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
       font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; padding-top: .8rem; border-top: 1px solid var(--line); }
p, li { max-width: 46rem; } .lead { font-size: 1.1rem; color: var(--soft); }
a { color: var(--accent); } code { background: var(--wash); padding: .1em .3em; border-radius: 4px; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .93rem; }
caption { text-align: left; max-width: 46rem; color: var(--soft); padding-bottom: .4rem; }
th, td { padding: .38rem .75rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { background: var(--wash); font-weight: 600; vertical-align: bottom; }
td:first-child, th:first-child, .words td, .words th { text-align: left; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
figure { margin: 1.2rem 0; } figure svg, figure img { width: 100%; height: auto; background: #fff; border-radius: 6px; }
figcaption { color: var(--soft); font-size: .93rem; max-width: 46rem; }
.equation { margin: 1rem 0; padding: .9rem 1rem; background: var(--wash); border-radius: 6px; overflow-x: auto; }
.equation svg { color: var(--ink); vertical-align: middle; }
.equation .row { display: flex; align-items: center; width: max-content; }
.equation .row.more { margin: .5rem 0 0 2rem; }
p svg.inline, li svg.inline { max-width: 100%; }
.equation .number { float: right; color: var(--soft); }
.matrix { border-left: 1.5px solid; border-right: 1.5px solid; margin: 0 .35rem;
  --tick: linear-gradient(currentColor 0 0);
  background: var(--tick) 0 0 / 7px 1.5px, var(--tick) 100% 0 / 7px 1.5px, var(--tick) 0 100% / 7px 1.5px,
              var(--tick) 100% 100% / 7px 1.5px; background-repeat: no-repeat; }
.matrix td { text-align: center !important; border: 0; padding: .3rem .6rem; }
figure svg.drawing { display: block; width: 100%; height: auto; background: none; }
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
h3 { font-size: 1.08rem; margin: 1.6rem 0 .4rem; } .contents { columns: 18rem; font-size: .95rem; color: var(--soft); }
.exercise { margin: 1rem 0; } .exercise summary { cursor: pointer; color: var(--accent); } .printed { display: none; }
.cards { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.4rem 0; }
.card { flex: 1 1 11rem; padding: .8rem 1rem; background: var(--wash); border-radius: 8px; }
.card b { display: block; font-size: 1.5rem; line-height: 1.3; } .card span { color: var(--soft); font-size: .9rem; }
footer { margin-top: 3rem; color: var(--soft); font-size: .9rem; border-top: 1px solid var(--line); padding-top: 1rem; }
@media print { main { max-width: none; padding: 0; } h2 { break-after: avoid; } figure, table { break-inside: avoid; }
  .printed { display: block; } .exercise details { display: none; } .equation { overflow: visible; } }
"""


def page(title: str, body: str, footer: str = "") -> str:
    """A complete HTML page around ``body``."""
    foot = f"<footer>{footer}</footer>" if footer else ""
    return (f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
            f"<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n{foot}\n</main>\n</body>\n</html>\n")


def table(head: list[str], rows: list[list[str]], caption: str = "", words: bool = False) -> str:
    """An HTML table; cells are HTML already. Numbers stand to the right, ``words`` to the left."""
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    lines = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    label = f"<caption>{caption}</caption>" if caption else ""
    kind = ' class="words"' if words else ""
    return (f'<div class="scroll"><table{kind}>{label}<thead><tr>{top}</tr></thead>\n'
            f"<tbody>\n{lines}\n</tbody></table></div>")
