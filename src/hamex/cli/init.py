"""Where to begin: ``hamex init``, a commented starter file that runs as it is; ``hamex studio``, the page on this
computer."""

from __future__ import annotations

import difflib
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from hamex.errors import FileError, MissingPackageError

STARTERS = ("oscillator", "shear-frame", "truss", "frame", "rod", "cantilever", "plate", "site", "pushover", "ida")


def command(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]",
            show_default=False,
            help=f"What to start from: {', '.join(STARTERS)}; oscillator if left out.",
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE.toml]",
            show_default=False,
            help="Name of the new file; problem.toml, or that of the kind, if left out.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
) -> None:
    """Write a commented starter file: a problem, or a study (ida)."""
    kind, target = _kind_and_file(what, file)
    if target.suffix != ".toml":
        raise FileError(f"cannot write {target}: the ending must be .toml")
    text = (Path(__file__).parent / "starters" / f"{kind}.toml").read_text(encoding="utf-8")
    if os.path.exists(target) and not force:
        raise FileError(f"{target} exists already; --force overwrites it, or give another name")
    from hamex.files import write_atomically

    write_atomically(target, lambda part: part.write_text(text.replace("{name}", str(target)), encoding="utf-8"))
    print(f"wrote {target}; now: hamex {kind if kind in ('ida', 'pushover') else 'run'} {target}")


def _kind_and_file(what: str | None, file: Path | None) -> tuple[str, Path]:
    """Kind of starter and name of the file; a single word is either of them."""
    if what is None:
        return "oscillator", Path("problem.toml")
    if what in STARTERS:
        return what, file or Path(f"{what}.toml")
    if file is None and what.endswith(".toml"):
        return "oscillator", Path(what)
    near = difflib.get_close_matches(what.replace("_", "-"), STARTERS, n=1)
    hint = f"; did you mean {near[0]}?" if near else "."
    raise FileError(f"no starter is called {what!r}{hint} Known: {', '.join(STARTERS)}. A file name ends in .toml")


def studio(
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to serve on; 0 takes any that is free.")
    ] = 8765,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    host: Annotated[
        str, typer.Option("--host", help="Address to serve on; by default only this computer can reach it.")
    ] = "127.0.0.1",
) -> None:
    """Open the studio: a page on this computer to see a structure move, change it and take it home."""
    missing = [name for name in ("fastapi", "uvicorn", "plotly", "ziamath") if find_spec(name) is None]
    if missing:
        raise MissingPackageError(f"the studio needs {', '.join(missing)}: pip install 'hamex[studio,plot]'")
    from hamex.studio.app import serve

    serve(host, port, open_page)
