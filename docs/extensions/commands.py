"""The commands of ``hamex`` as the program itself tells them."""

from __future__ import annotations

from typer import Typer
from typer.testing import CliRunner

from hamex.cli import app


def all_of_them(text: str) -> str:
    """One section per command, with what ``--help`` says."""
    made = []
    for words in sorted(_commands(app)):
        asked = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "80"}, prog_name="hamex")
        made += [f"## `hamex {' '.join(words)}`", "", "```{code-block} text", asked.output.strip(), "```", ""]
    return "\n".join(made)


def _commands(group: Typer) -> list[tuple[str, ...]]:
    own = [(command.name,) for command in group.registered_commands if command.name and not command.hidden]
    inner = [
        (each.name, *rest)
        for each in group.registered_groups
        if each.name and each.typer_instance
        for rest in _commands(each.typer_instance)
    ]
    return own + inner
