"""The results of verification as one page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from hamex.files import write_atomically
from hamex.report.page import cards, page, table
from hamex.verify.case import KINDS, Result, summary

_HEAD = ["", "case", "reference is", "reference", "hamex", "difference", "allowed", "numbers", "seconds", ""]


def write_page(results: Sequence[Result], path: Path) -> Path:
    """Write cards with the counts and a table for each chapter."""
    counts = summary(results)
    tiles = [(str(counts[verdict]), verdict) for verdict in ("passed", "failed", "skipped")]
    tiles += [(str(counts[kind]), f"{kind}: {escape(words)}") for kind, words in KINDS.items() if counts[kind]]
    body = [f"<h1>Verification</h1><p class='lead'>{len(results)} cases with known answers.</p>{cards(tiles)}"]
    body.append(
        "<p>Of several numbers, the one that uses most of its tolerance is shown. Differences and tolerances are "
        "relative to the reference, in histories to its largest value; printed numbers allow half of their last "
        "digit unless the case says why not.</p>"
    )
    for name in dict.fromkeys(result.case.chapter for result in results):
        rows = [_row(result) for result in results if result.case.chapter == name]
        body.append(f"<h2>{name.capitalize()}</h2>{table(_HEAD, rows)}")
    text = page("hamex: verification", "\n".join(body), kind="verification")
    return write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def _row(result: Result) -> list[str]:
    case, mark = result.case, {"passed": "good", "failed": "bad", "skipped": "soft"}[result.verdict]
    note = f"<br><span class='{mark}'>{escape(result.note)}</span>" if result.note else ""
    words = f"<span class='long'>{escape(case.title)}<br><small>{escape(case.source)}</small>{note}</span>"
    unit = f" {escape(case.unit)}" if case.unit not in ("", "1") else ""
    numbers = [f"{result.reference:.6g}{unit}", f"{result.result:.6g}{unit}"] if result.count else ["", ""]
    off = [f"{result.difference:.1e}", f"{result.tolerance:.1e}", str(result.count)] if result.count else 3 * [""]
    verdict = f"<span class='{mark}'>{result.verdict}</span>"
    return [case.id, words, case.kind, *numbers, *off, f"{result.seconds:.2f}", verdict]
