"""What is derived and what is printed: ``hamex derive`` goes from an action to its equations, conditions, time step and
stability, as text, page or LaTeX; ``hamex paper`` reproduces section 6 of the paper, and ``hamex audit`` compares each
of its equations, or those of a text of your own, with the derivation."""

from __future__ import annotations

import difflib
import json
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hamex.errors import InputError
from hamex.files import SETTINGS, read_text

if TYPE_CHECKING:
    from hamex.paper.audit.judging import FormulaVerdict
    from hamex.paper.audit.run import Item
    from hamex.paper.results import PaperResults
    from hamex.principle.action import Action

_WIDTH = 80
# Exit codes of an audit of one's own paper, beside 0 and 2.
WRONG, UNREAD = 1, 3


def command(
    out: Annotated[Path | None, typer.Option(help="Folder for page and figures [default: hamex-paper].")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; draw only if --out is given.")] = False,
) -> None:
    """Reproduce section 6 of the paper, beside OpenSees.

    Table 2 digit by digit, figures 10-13, convergence, and one page that works offline.
    """
    from hamex.paper import results
    from hamex.paper.page import check_folder, write_paper

    folder = Path("hamex-paper") if out is None else out
    draw = out is not None or not as_json
    if draw:
        check_folder(folder)
    found = results.everything() if draw else results.table2()
    page = write_paper(found, folder) if draw else None
    if as_json:
        sys.stdout.write(json.dumps(found.as_json(), indent=2) + "\n")
    else:
        show(found)
        sys.stdout.write(f"\npage: {page}\n")


def show(results: PaperResults) -> None:
    """Table 2 on the terminal, within 80 columns."""
    lines = [
        "Table 2: final slip u₁ in milli-in and momentum p in milli-in/s",
        "",
        f"{'':22}{'u₁':>8}{'':10}{'p':>10}{'':11}{'OpenSees':>15}",
        f"{'case':20}{'printed':>10}{'computed':>10}{'printed':>10}{'computed':>10}{'u₁':>10}{'p':>9}",
    ]
    for row in results.rows:
        case = row.case
        lines.append(
            f"{case.loading + ' ' + case.parameter:20}{case.slip_printed:>10}{row.slip_computed:>10}"
            f"{case.momentum_printed:>10}{row.momentum_computed:>10}"
            f"{1e3 * row.opensees['slip']:10.4f}{1e3 * row.opensees['momentum']:9.4f}"
            + ("" if row.digits_match else "  differs")
        )
    matches = sum(2 for row in results.rows if row.digits_match)
    source = results.opensees
    how = "run live" if source["live"] else f"recorded values, because: {source['reason']}"
    honoured = "yes" if source["eta_honoured"] else "NO"
    lines += [
        "",
        f"{matches} of {2 * len(results.rows)} printed numbers met in every digit",
        f"energy balance closes to {results.energy_residual_max:.1e} of the largest work in every case",
        f"OpenSees {source['version']} ({how}), viscosity honoured: {honoured}",
    ]
    sys.stdout.write("\n".join(lines) + "\n")


def audit(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PAPER.tex] [OUT.html]",
            show_default=False,
            help="Your own paper, with --action; where --html writes [default: audit.html].",
        ),
    ] = None,
    action: Annotated[
        str,
        typer.Option(
            "--action",
            metavar="NAME|FILE.py",
            show_default=False,
            help="What your paper is held against: a script that defines `action = Action(...)`, which is run, "
            "or a system of the library.",
        ),
    ] = "",
    letters: Annotated[
        str,
        typer.Option(
            "--letters",
            metavar="x_1=u,...",
            show_default=False,
            help="Letters of your paper that are other names of the action.",
        ),
    ] = "",
    html: Annotated[bool, typer.Option("--html", help="Write a page with all equations drawn.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one entry for each equation or claim.")] = False,
) -> None:
    """Audit the paper, or yours: every equation is compared with what follows from the action.

    Without a file: equations (1)-(89) of the paper, its tables and its claims. With PAPER.tex and --action: each
    displayed equation of your own. Verdicts are computed, not looked up.

    Exit code for a paper of your own: 0 when every equation stands (a condition is told, not counted), 1 when one is
    wrong, 3 when none is wrong but some were not understood, 2 when nothing could be audited. A comment
    `% audit: skip` beside an equation takes it out.
    """
    from hamex.paper.audit import run

    text, out = _audited(files or [], action)
    target = out or Path("audit.html")
    if html or out:
        run.check(target)
    if text is not None:
        _audit_text(text, action, letters, target if html or out else None, as_json)
        return
    with progress("auditing", run.size()) as tell:
        items = []
        for item in run.judged():
            items.append(item)
            tell()
    page = run.write_page(items, target) if html or out else None
    if as_json:
        sys.stdout.write(json.dumps([item.as_json() for item in items], indent=2, ensure_ascii=False) + "\n")
        return
    _show_audit(items)
    if page is not None:
        sys.stdout.write(f"\npage: {page}\n")


@contextmanager
def progress(said: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal; what it yields is called after each part."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(said, total=total)
        yield lambda: bar.advance(task)


def _audited(files: list[Path], action: str) -> tuple[Path | None, Path | None]:
    """The paper to be audited and the page to be written, by their endings."""
    papers = [path for path in files if path.suffix == ".tex"]
    pages = [path for path in files if path.suffix != ".tex"]
    if len(papers) > 1 or len(pages) > 1:
        raise InputError("audit: give one PAPER.tex and one OUT.html at most")
    if papers and not action:
        raise InputError(f"audit: {papers[0]} is held against an action; add --action my_action.py")
    if action and not papers:
        raise InputError("audit: --action belongs to a paper of your own; give PAPER.tex as well")
    return papers[0] if papers else None, pages[0] if pages else None


def _audit_text(path: Path, system: str, letters: str, page: Path | None, as_json: bool) -> None:
    """One's own paper against one's own action."""
    from hamex.paper.audit.judging import MISPRINT, NOT_UNDERSTOOD
    from hamex.paper.audit.manuscript import letters_of, read_manuscript
    from hamex.paper.audit.open_audit import OpenAudit
    from hamex.paper.audit.run import write_open_page

    found = read_manuscript(read_text(path, SETTINGS), str(path))
    if not found.formulas:
        raise InputError(f"{path}: no displayed equation; equation, align, gather, \\[ \\] and $$ are read")
    named = found.letters | (letters_of(letters, "--letters") if letters else {})
    judge = OpenAudit(load(system), named)
    with progress("auditing", len(found.formulas)) as tell:
        verdicts: list[FormulaVerdict] = []
        for formula in found.formulas:
            verdicts += judge.formula(formula)
            tell()
    if page is not None:
        write_open_page(verdicts, path.name, page)
    if as_json:
        sys.stdout.write(json.dumps([v.as_json() for v in verdicts], indent=2, ensure_ascii=False) + "\n")
    else:
        _show_verdicts(verdicts)
        if page is not None:
            sys.stdout.write(f"\npage: {page}\n")
    said = {v.verdict for v in verdicts}
    code = WRONG if MISPRINT in said else UNREAD if NOT_UNDERSTOOD in said else 0
    if code:
        raise typer.Exit(code)


def _show_verdicts(verdicts: list[FormulaVerdict]) -> None:
    """Counts, then every equation in its order, within 80 columns."""
    from collections import Counter

    from hamex.paper.audit.judging import OPEN_VERDICTS, SKIPPED

    counts = Counter(v.verdict for v in verdicts)
    lines = [f"{len(verdicts)} equations", ""]
    lines += [f"{counts[verdict]:5}  {verdict}" for verdict in OPEN_VERDICTS if counts[verdict] or verdict != SKIPPED]
    indent = " " * 8
    for v in verdicts:
        where = "" if f"line {v.line}" in v.equation else f", line {v.line}"
        where += f" of {v.file}" if v.file else ""
        lines += ["", f"{v.equation}{where}: {v.verdict.upper()}"]
        said = f"{v.claim}: {v.evidence}" if v.claim and v.claim != v.verdict else v.evidence
        for text in (said, v.gap, v.correct and f"should read: {v.correct}"):
            lines += textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent)
        lines += textwrap.indent(v.place, indent).splitlines()
    sys.stdout.write("\n".join(lines) + "\n")


def _show_audit(items: list[Item]) -> None:
    """Counts, then what does not stand as printed, within 80 columns."""
    from hamex.paper.audit.run import counts

    equations = sum(item.equation.isdigit() for item in items)
    lines = [f"{equations} equations, 2 tables, {len(items) - equations - 2} claims in words", ""]
    lines += [f"{number:5}  {verdict}" for verdict, number in counts(items).items()]
    for verdict in list(counts(items))[1:]:
        chosen = [item for item in items if item.verdict == verdict]
        if chosen:
            lines += ["", verdict.upper(), "-" * len(verdict)]
        for item in chosen:
            lines += _entry(item)
    sys.stdout.write("\n".join(lines) + "\n")


def _entry(item: Item) -> list[str]:
    """The name on the left, the evidence beside it; a claim's better wording below."""
    name = item.equation.removeprefix("claim: ")
    label = f"({name})" if name.isdigit() else name
    text = f"{item.evidence}. {item.reading}" if item.reading else item.evidence
    indent = " " * 8
    if len(label) < len(indent):
        return textwrap.wrap(text, _WIDTH, initial_indent=label.ljust(len(indent)), subsequent_indent=indent)
    return [label, *textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent)]


def derive(
    system: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE.py",
            show_default=False,
            help="A system of the library, or your own script that defines `action = Action(...)`; the script is run.",
        ),
    ],
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT.html", help="Write one page with equations and pictures.")
    ] = None,
    latex: Annotated[Path | None, typer.Option("--latex", metavar="OUT.tex", help="Write a LaTeX document.")] = None,
) -> None:
    """Derive a system from its Lagrangian: equations, conditions, charges, time step, stability."""
    # A file that cannot be written is refused before anything is derived.
    if html is not None or latex is not None:
        from hamex.report.derivation import check_outputs

        check_outputs(html, latex)
    action = load(system)
    from hamex.report.derivation import derivation, write_html, write_latex

    document = derivation(action)
    if html is None and latex is None:
        from hamex.report.derivation.document import text

        print(text(document), end="")
        return
    if html is not None:
        print(f"wrote {write_html(document, html)}")
    if latex is not None:
        print(f"wrote {write_latex(document, latex)}")


def load(system: str) -> Action:
    """An action of the library by name, or the one that a script defines."""
    if system.endswith(".py"):
        return _from_script(Path(system))
    from hamex.principle.library import LIBRARY, action

    if system not in LIBRARY:
        near = difflib.get_close_matches(system.lower().replace("_", "-"), LIBRARY, n=1)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise InputError(
            f"no system is called {system!r}{hint} Known: {', '.join(LIBRARY)}. "
            "Your own: a script FILE.py that defines action = Action(...)"
        )
    return action(system)


def _from_script(path: Path) -> Action:
    """Run a user's script and take the action it defines."""
    from hamex.principle.action import Action

    source = read_text(path, SETTINGS)
    found: dict[str, object] = {"__name__": "__main__", "__file__": str(path)}
    sys.path.insert(0, str(path.resolve().parent))  # as Python does for a script
    try:
        exec(compile(source, str(path), "exec"), found)  # the user's own file, run because they asked for it
    except SyntaxError as problem:
        raise InputError(f"{problem.filename or path}, line {problem.lineno}: {problem.msg}") from None
    except Exception as problem:
        raise InputError(f"{_where(problem, path)}: {type(problem).__name__}: {problem}") from None
    except SystemExit:
        raise InputError(f"{path} ended itself (sys.exit) before it could be read") from None
    finally:
        sys.path.remove(str(path.resolve().parent))
    if isinstance(found.get("action"), Action):
        chosen = found["action"]
    else:
        others = [name for name, value in found.items() if isinstance(value, Action)]
        if len(others) != 1:
            have = f"it defines {', '.join(others)}" if others else "it defines no Action"
            raise InputError(f"{path}: no variable called action; {have}. Write action = Action((u,), lagrangian)")
        chosen = found[others[0]]
    assert isinstance(chosen, Action)
    return chosen


def _where(problem: Exception, path: Path) -> str:
    """The last line of the user's own file on the way to an error."""
    lines = [frame.lineno for frame in traceback.extract_tb(problem.__traceback__) if frame.filename == str(path)]
    return f"{path}, line {lines[-1]}" if lines else str(path)
