"""``hamex derive``: from an action to its equations, conditions, time step and stability, as text, page or LaTeX."""

from __future__ import annotations

import difflib
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hamex.errors import InputError
from hamex.files import SETTINGS, read_text

if TYPE_CHECKING:
    from hamex.principle.action import Action


def command(
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
        from hamex.report.derivation.page import check_outputs

        check_outputs(html, latex)
    action = load(system)
    from hamex.report.derivation.page import derivation, write_html, write_latex

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
