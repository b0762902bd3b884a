"""The scripts of ``examples/`` as pages: their words, their code, and what they print when the site is built."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

from extensions.run import printed
from extensions.text import markdown, table

FOLDER = Path(__file__).parents[2] / "examples"


def section(text: str) -> str:
    """One script, named without its ending."""
    path = FOLDER / f"{text}.py"
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    title, _, words = (ast.get_docstring(tree) or "").partition("\n\n")
    code = "\n".join(source.splitlines()[tree.body[0].end_lineno or 0 :]).strip("\n")
    head, _, rest = markdown(" ".join(title.split())).partition(": ")
    return "\n".join(
        [
            f"## {head.rstrip('.')}",
            "",
            rest[:1].upper() + rest[1:],
            "",
            markdown(words).replace("Mathematics.", "**Mathematics.**"),
            "",
            "```{code-block} python",
            code,
            "```",
            "",
            "It prints:",
            "",
            "```{code-block} text",
            printed("-W", "error", str(path)).rstrip(),
            "```",
            "",
        ]
    )


def problems(text: str) -> str:
    """The problem files, by what they show."""
    rows = []
    for path in sorted((FOLDER / "problems").glob("*.toml")):
        data = tomllib.loads(path.read_text("utf-8"))
        kinds = (f"`{data[part]['kind']}`" for part in ("model", "scheme"))
        rows.append((f"`{path.name}`", data.get("title", ""), *kinds))
    return table(("file", "what it shows", "model", "scheme"), rows)
