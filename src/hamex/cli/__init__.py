"""Command line: words in, one call, a file or a table out. One line per command, which loads what it needs when it is
called."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

from hamex import __version__
from hamex.errors import HamexError, at_the_door

# Options whose name is not that of the keyword they stand for.
_OTHER_NAMES = {"region": {"step": "--record-step"}, "pushover": {"displacement": "--to", "amplitudes": "--cycles"}}
_RED, _YELLOW, _PLAIN = "\033[31m", "\033[33m", "\033[0m"

# Where each command stands, module and function. A module is loaded when its command is called or all are listed.
_HOMES = {
    "run": ("run", "command"),
    "pushover": ("pushover", "command"),
    "modes": ("pushover", "modes"),
    "ida": ("ida", "command"),
    "fragility": ("ida", "fragility"),
    "init": ("init", "command"),
    "paper": ("paper", "command"),
    "derive": ("paper", "derive"),
    "audit": ("paper", "audit"),
    "verify": ("verify", "command"),
    "schemes": ("lab", "schemes"),
    "law": ("lab", "law"),
    "spectrum": ("spectrum", "command"),
    "region": ("region", "command"),
    "studio": ("init", "studio"),
    "warm": ("init", "warm"),
}


class Plainly(TyperGroup):
    """Commands that answer a word that is none of the choices with the choices, and not with the name of an exception
    before them."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that is asked for."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as problem:
            problem.message = problem.message.removeprefix("Value error, ")
            raise


def _version(wanted: bool) -> None:
    if wanted:
        print(f"hamex {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    laws: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.py",
            help='A Python file that makes laws of your own, for files that name them: kind = "FILE:name".',
        ),
    ] = None,
) -> None:
    if laws is not None:
        from hamex.cli.text import run_laws

        run_laws(laws)


def __getattr__(name: str) -> Any:
    if name == "app":  # every command: of use to programs around this one, and loads them all
        return _app("")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _app(word: str) -> typer.Typer:
    """The commands; where ``word`` is the name of one, that one alone."""
    found = typer.Typer(
        cls=Plainly,
        help="Structural dynamics from the action up: extended Hamilton's principle, marched in time.",
        rich_markup_mode=None,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    found.callback()(_options)
    for name in [word] if word in _HOMES else _HOMES:
        module, function = _HOMES[name]
        found.command(name)(getattr(import_module(f"hamex.cli.{module}"), function))
    if word not in _HOMES:
        from hamex.cli import records

        found.add_typer(records.app, name="records")
    return found


@cache
def _commands(word: str = "") -> Any:
    """The commands with their options, read off the annotations once: that takes longer than most refusals, so of the
    command that is called only, where ``word`` is the name of one."""
    return typer.main.get_command(_app(word))


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the ``hamex`` command: every error of ours is one clear message and exit code 2.

    >>> try:
    ...     main(["--version"])   # doctest: +ELLIPSIS
    ... except SystemExit as end:
    ...     end.code
    hamex ...
    0
    """
    # Marching multiplies no large matrices: BLAS threads would only cost start-up time. Yours to override.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Nor are plugins of pydantic looked for among all packages that are installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # What is loaded stays: to look for garbage in it takes a tenth of a small run.
    gc.set_threshold(200_000, 20, 20)
    words = list(sys.argv[1:] if arguments is None else arguments)

    def one_line(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        """A warning without the source line that raised it, which tells a user of the command nothing."""
        _say(file or sys.stderr, "warning", _YELLOW, _in_words(str(message), words))

    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = one_line
        try:
            _commands(*_called(words))(args=words, prog_name="hamex")
        except HamexError as problem:
            _say(sys.stderr, "error", _RED, _in_words(str(problem), words))
            raise SystemExit(2) from None
        except MemoryError:
            _say(sys.stderr, "error", _RED, "there is not enough memory for this; ask for less at once")
            raise SystemExit(2) from None


def _in_words(message: str, words: Sequence[str]) -> str:
    """A message in the words of the command that is run: its options, by the names that they have in Python."""
    called = _called(words)
    if called == ["derive"]:  # which takes scripts
        return message
    command = _commands(*called)
    for word in words:
        command = getattr(command, "commands", {}).get(word, command)
    found = {param.name: option for param in command.params for option in param.opts if option.startswith("--")}
    return at_the_door(message, found | _OTHER_NAMES.get("".join(called), {}))


def _called(words: Sequence[str]) -> Sequence[str]:
    """The name of the command among the words, where there is one."""
    return words[2:3] if words[:1] == ["--laws"] else words[:1]


def _say(stream: TextIO, word: str, colour: str, message: str) -> None:
    # rich is not worth loading for one coloured word.
    coloured = stream.isatty() and "NO_COLOR" not in os.environ
    print(f"{colour}{word}:{_PLAIN} {message}" if coloured else f"{word}: {message}", file=stream)
