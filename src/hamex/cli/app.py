"""The typer app: one line per command. Commands load what they need when they are called."""

from __future__ import annotations

from typing import Annotated

import typer

from hamex import __version__
from hamex.cli import audit, derive, fragility, ida, init, modes, paper, records, region, run, schemes, spectrum, studio

app = typer.Typer(
    help="Structural dynamics from the action up: extended Hamilton's principle, marched in time.",
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("run")(run.command)
app.command("modes")(modes.command)
app.command("ida")(ida.command)
app.command("fragility")(fragility.command)
app.command("init")(init.command)
app.command("paper")(paper.command)
app.command("derive")(derive.command)
app.command("audit")(audit.command)
app.command("schemes")(schemes.command)
app.command("spectrum")(spectrum.command)
app.command("region")(region.command)
app.command("studio")(studio.command)
app.add_typer(records.app, name="records")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"hamex {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass
