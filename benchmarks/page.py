"""docs/benchmarks.md, and the same as a page, from benchmarks/out/bench.json: `python benchmarks/page.py`.

No number is typed by hand.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import sys
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import measuring
import plots
import run

from hamex.report import page as frame
from hamex.report.style import to_svg

PAGE = measuring.HERE.parent / "docs" / "benchmarks.md"
HTML = run.OUT / "benchmarks.html"
TITLES = {
    "cold": "The first minute",
    "history": "One history",
    "batch": "Many oscillators",
    "followed": "Many degrading oscillators",
    "buildings": "Many buildings",
    "spectrum": "Spectra",
    "frames": "Shear frames",
    "solids": "Bodies",
    "startup": "Start-up",
    "compile": "Compiling",
    "scaling": "Scaling",
}
TITLE = "Benchmarks"
INTRO = """\
Made by `make bench` from `benchmarks/out/bench.json`; nothing here is typed by hand. Rivals are measured side by side
and take turns; the least of the repeats counts. One core: CPU time. Several cores: wall time. Every speed has its
accuracy beside it, and where schemes differ, the cost at equal error. The C programs are small sources of our own
under `benchmarks/c`, made for one task each: what this processor can do at best."""


class Part(NamedTuple):
    """A part of the page: a table, or what a section shows on the screen."""

    title: str
    head: list[str]
    rows: list[list[str]]
    screen: str = ""
    section: str = ""


def parts(found: dict[str, Any]) -> list[Part]:
    """The whole content."""
    shown = [Part(TITLES[name], [], [], screen(name, section), name) for name, section in found.items()]
    return [machines(found), must_show(found), *shown]


def markdown(found: dict[str, Any]) -> str:
    """The content as a page of the docs."""
    text = [f"# {TITLE}\n\n{INTRO}\n"]
    for part in parts(found):
        title = f"## {part.title}\n\n" if part.title else ""
        lines = (
            [f"```text\n{part.screen}\n```"]
            if part.screen
            else [_row(part.head), "|" + "---|" * len(part.head), *(_row(row) for row in part.rows)]
        )
        text.append(title + "\n".join(lines) + "\n")
    return "\n".join(text)


def html(found: dict[str, Any]) -> str:
    """The content as a report, with its plots."""
    drawn = plots.plots(found)
    intro = re.sub("`(.*?)`", r"<code>\1</code>", escape(INTRO))
    body = [f'<h1>{TITLE}</h1><p class="lead">{intro}</p>']
    for part in parts(found):
        body.append(f"<h2>{escape(part.title)}</h2>" if part.title else "")
        rows = [[_marked(cell) for cell in row] for row in part.rows]
        asked = bool(part.title)  # sentences there; names and versions in the first table
        body.append(f"<pre>{escape(part.screen)}</pre>" if part.screen else frame.table(part.head, rows, words=asked))
        body += [
            frame.captioned(to_svg(plot.figure), escape(plot.caption)) for plot in drawn if plot.section == part.section
        ]
    return frame.page(TITLE, "\n".join(body), kind="benchmarks")


def _row(cells: list[str]) -> str:
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def _marked(cell: str) -> str:
    kind = {"holds": "good", "falls short": "bad"}.get(cell)
    return f'<span class="{kind}">{cell}</span>' if kind else escape(cell)


def screen(name: str, section: dict[str, Any]) -> str:
    """What a section shows on the screen."""
    text = io.StringIO()
    if "result" in section:
        with contextlib.redirect_stdout(text):
            importlib.import_module(run.SECTIONS[name]).show(section["result"])
    else:
        text.write(f"not measured: {section['missing']}")
    return "\n".join(line.rstrip() for line in text.getvalue().strip().splitlines())


def machines(found: dict[str, Any]) -> Part:
    """Date, processor and versions."""
    rows = []
    for name, section in found.items():
        at = section["context"]
        quick = " (quick run, not to be cited)" if at["quick"] else ""
        rows.append(
            [
                f"{TITLES[name]}{quick}",
                at["date"],
                at["cpu"],
                str(at["cores"]),
                str(at["load"]),
                f"{at['hamex']} {at['revision']}",
                f"{at['python']}, {at['numpy']}, {at['numba']}, {at['scipy']}",
            ]
        )
    head = ["section", "date", "processor", "cores", "load before", "hamex", "Python, NumPy, Numba, SciPy"]
    return Part("", head, rows)


def must_show(found: dict[str, Any]) -> Part:
    """What was asked for, and what the numbers say."""
    rows = []
    for section in found.values():
        for given in section.get("result", {}).get("claims", []):
            value = "–" if given["value"] is None else f"{given['value']:.3g}{given['unit']}"
            side = "at most" if given["at_most"] else "at least"
            rows.append([given["text"], value, f"{side} {given['bound']:g}{given['unit']}", measuring.verdict(given)])
    return Part("What was asked for", ["", "measured", "asked", ""], rows)


def main() -> int:
    """Write both."""
    found = run.stored()
    if not found:
        print(f"there is no {Path(run.FILE).name}; run benchmarks/run.py first", file=sys.stderr)
        return 1
    for path, text in ((PAGE, markdown(found)), (HTML, html(found))):
        path.write_text(text, encoding="utf-8")
        print(f"written: {path.relative_to(measuring.HERE.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
