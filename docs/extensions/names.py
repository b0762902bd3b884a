"""The reference of public names. Which page explains a name is said by the pages; what they say, by the docstrings."""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import hamex as hx
from extensions.text import markdown, table

PAGES = Path(__file__).parents[1] / "reference"


@cache
def public() -> dict[str, Any]:
    """Public objects by the name that follows ``hx.``; what a namespace shares with the package stands there once."""
    found = {name: getattr(hx, name) for name in hx.__all__}
    for space in spaces():
        for name, thing in members(space).items():
            if not any(thing is other for other in found.values()):
                found[f"{space}.{name}"] = thing
    return found


def spaces() -> dict[str, ModuleType]:
    """The namespaces of the package."""
    return {name: thing for name in dir(hx) if isinstance(thing := getattr(hx, name), ModuleType)}


def members(space: str) -> dict[str, Any]:
    """Public names of a namespace."""
    module = spaces()[space]
    return {name: getattr(module, name) for name in dir(module)}


@cache
def listed() -> dict[str, list[str]]:
    """Names by page, as the pages list them."""
    return {
        page.stem: [
            name
            for block in re.findall(r"^```\{names\}\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
            for name in block.split()
        ]
        for page in sorted(PAGES.glob("*.md"))
    }


def anchor(name: str) -> str:
    """Where a name is explained; labels know no capitals, and ``Ida`` is not ``ida``."""
    twin = name != name.lower() and name.lower() in public()
    return f"hx.{name}".replace(".", "-").lower() + ("-class" if twin else "")


def summary(thing: Any) -> str:
    """First sentence of a docstring."""
    first = inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0]
    end = r"(?<=\.)\s(?=[A-Z])|(?<=[;:])\s"  # not after "Fig." or "e.g."
    return markdown(re.split(end, " ".join(first.split()), maxsplit=1)[0].rstrip(".;:"))


def link(name: str) -> str:
    return f"[`hx.{name}`](#{anchor(name)})"


def section(text: str) -> str:
    """Names of one page, each with its heading, signature, words and example."""
    return "\n".join(_one(name) for name in text.split())


def _one(name: str) -> str:
    thing = public()[name]
    kind, options = "autofunction", ""
    if isinstance(thing, type):
        kind, own = "autoclass", _own(thing)
        options = f"\n   :members: {', '.join(own)}" if own else ""
    return f"({anchor(name)})=\n## `{name}`\n\n```{{eval-rst}}\n.. {kind}:: hamex.{name}{options}\n```\n"


def _own(made: type) -> list[str]:
    """Public members with words, without those that a class above it explains."""
    above = {name for base in made.__mro__[1:] for name in vars(base)}
    return [
        name
        for name, thing in vars(made).items()
        if not name.startswith("_")
        and name not in above
        and callable(getattr(thing, "__get__", None))
        and (thing.__doc__ or "").strip()
        and not (thing.__doc__ or "").startswith("Alias for field number")
    ]


def index(text: str) -> str:
    """Every name with its first sentence, page by page."""
    made = []
    for page in text.split():
        title = (PAGES / f"{page}.md").read_text("utf-8").partition("\n")[0].lstrip("# ")
        made += [
            f"## [{title}]({page}.md)",
            "",
            *(f"- {link(name)}: {summary(public()[name])}" for name in listed()[page]),
            "",
        ]
    return "\n".join(made)


def namespaces(text: str) -> str:
    """The namespaces, and where their names are explained."""
    everything = public()
    return table(
        ("namespace", "names"),
        [
            (
                f"`hx.{space}`",
                ", ".join(
                    f"[`{name}`](#{anchor(_known_as(thing, everything))})" for name, thing in members(space).items()
                ),
            )
            for space in spaces()
        ],
    )


def _known_as(thing: Any, everything: dict[str, Any]) -> str:
    return next(name for name, other in everything.items() if other is thing)


def errors(text: str) -> str:
    """Errors and warnings, in the order of their module."""
    from hamex import errors as module

    here = [thing for thing in vars(module).values() if isinstance(thing, type) and thing.__module__ == module.__name__]
    rows = [
        (f"`{each.__name__}`", ", ".join(f"`{base.__name__}`" for base in each.__bases__), summary(each))
        for each in here
    ]
    return table(("name", "is a", "when"), rows)
