"""``hamex studio``: the page on this computer."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from hamex.errors import MissingPackageError


def command(
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
