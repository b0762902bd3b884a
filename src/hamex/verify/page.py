"""The results of verification as one page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from hamex.files import write_atomically
from hamex.report.page import cards, page, table
from hamex.verify.case import KINDS, Result, summary

_HEAD = ["case", "", "reference", "hamex", "difference", "allowed"]


def write_page(results: Sequence[Result], path: Path) -> Path:
    """Write the counts and a table for each chapter."""
    counts = summary(results)
    kinds = "; ".join(f"{counts[kind]} {kind} ({words})" for kind, words in KINDS.items() if counts[kind])
    body = [
        f"<h1>Verification</h1><p class='lead'>{len(results)} cases with known answers: {escape(kinds)}.</p>",
        cards((str(counts[verdict]), verdict) for verdict in ("passed", "failed", "skipped")),
        "<p>Of several numbers, the one that uses most of its tolerance is shown. Differences and tolerances are "
        "relative to the reference, in histories to its largest value; printed numbers may differ by half of their "
        "last digit, or by the tolerance that a mesh needs.</p>",
    ]
    for name in dict.fromkeys(result.case.chapter for result in results):
        rows = [_row(result) for result in results if result.case.chapter == name]
        body.append(f"<h2>{name.capitalize()}</h2>{table(_HEAD, rows)}")
    text = page("hamex: verification", "\n".join(body), kind="verification")
    return write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def _row(result: Result) -> list[str]:
    case, mark = result.case, {"passed": "good", "failed": "bad", "skipped": "soft"}[result.verdict]
    unit = f" [{case.unit}]" if case.unit else ""
    count = f", {len(result.values)} numbers" if len(result.values) > 1 else ""
    note = f"<br><span class='{mark}'>{escape(result.note)}</span>" if result.note else ""
    small = f"<small>{escape(f'{case.kind}: {case.source}{count}')}</small>"
    words = f"<b>{case.id}</b> {escape(case.title + unit)}<br>{small}{note}"
    shown = [f"{x:.6g}" if x is not None else "–" for x in (result.reference, result.result)]
    shown += [f"{x:.1e}" if x is not None else "–" for x in (result.difference, result.tolerance)]
    wide = "<span class='long' style='min-width: min(23rem, 55vw)'>"
    return [f"{wide}{words}</span>", f"<span class='{mark}'>{result.verdict}</span>", *shown]
