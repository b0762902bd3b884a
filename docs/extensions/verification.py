"""What ``hamex verify`` finds, as it finds it while the site is built."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

from extensions import text as words
from extensions.run import hamex

_HEAD = ("case", "reference", "hamex", "difference", "allowed")


@cache
def cases() -> list[dict]:
    """Every case with its numbers."""
    return json.loads(hamex("verify", "--json"))["cases"]


def counts(text: str) -> str:
    """How many cases a chapter has, by the kind of their references."""
    found = Counter((each["chapter"], each["kind"]) for each in cases())
    kinds = list(dict.fromkeys(kind for _, kind in found))
    chapters = list(dict.fromkeys(chapter for chapter, _ in found))
    rows = [(name, *(str(found[name, kind] or "–") for kind in kinds)) for name in chapters]
    total = [str(sum(found[name, kind] for name in chapters)) for kind in kinds]
    return words.table(("chapter", *kinds), [*rows, ("**all**", *total)])


def tables(text: str) -> str:
    """A table for each chapter."""
    made = []
    for name in dict.fromkeys(each["chapter"] for each in cases()):
        rows = [_row(each) for each in cases() if each["chapter"] == name]
        made += [f"## {name.capitalize()}", "", words.table(_HEAD, rows)]
    return "\n".join(made)


def _row(each: dict) -> tuple[str, ...]:
    unit = f" [{each['unit']}]" if each["unit"] else ""
    shown = [f"{each[name]:.6g}" if each["count"] else "–" for name in ("reference", "result")]
    shown += [f"{each[name]:.0e}" if each["count"] else "–" for name in ("difference", "tolerance")]
    title = f"**{each['id']}** {words.markdown(each['title'] + unit)}"
    note = words.markdown(f" ({each['verdict']}: {each['note']})") if each["verdict"] != "passed" else ""
    return (f"{title}<br>{each['kind']}: {words.markdown(each['source'])}{note}", *shown)
