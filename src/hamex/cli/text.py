"""What commands share: words of options in, tables and JSON out. It loads nothing of the package."""

from __future__ import annotations

import importlib.util
import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any


def number_or_name(word: str | None) -> str | int | None:
    """What an option names: a place if it is a number."""
    return int(word) if word is not None and word.isascii() and word.isdigit() and len(word) < 9 else word


def numbers(option: str, text: str) -> list[float]:
    """Numbers between commas."""
    from hamex.errors import InputError

    found = []
    for word in text.split(","):
        try:
            found.append(float(word))
        except ValueError:
            raise InputError(
                f"{option}: {word.strip()!r} is not a number; write numbers with commas between, e.g. {option} 2,4"
            ) from None
    return found


def run_laws(file: Path) -> ModuleType:
    """The module of a Python file in which a user makes laws; the processes of studies find it by its name, too."""
    from hamex.errors import InputError, LawError

    if not file.is_file():
        raise InputError(f"there is no file {file}, in which laws of your own would be made")
    folder = str(file.parent.resolve())
    sys.path.insert(0, folder)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise InputError(f"{file} is no Python file; laws of your own are made in one, FILE.py")
    module = sys.modules[file.stem] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)  # the user's own file, run because they asked for it
    except LawError:
        raise
    except Exception as problem:
        raise InputError(f"{file}: {type(problem).__name__}: {problem}") from None
    return module


def shortened(text: str, width: int) -> str:
    """Names of records differ at their ends, so the middle is left out."""
    half = width // 2
    return text if len(text) <= width else text[:half] + "…" + text[len(text) - (width - half - 1) :]


def wrapped(text: str, width: int, label: str) -> str:
    """Lines that break after commas, so that a number stays beside its name and unit."""
    kept = ", ".join(part if len(part) > width // 2 else part.replace(" ", "\xa0") for part in text.split(", "))
    return textwrap.fill(kept, width, initial_indent=label, subsequent_indent=" " * len(label)).replace("\xa0", " ")


def aligned(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of text; a column whose name starts with > is right-aligned.

    >>> print(aligned(["peak", ">value"], [["slip", "1.5"], ["force", "12"]]))
      peak   value
      ────────────
      slip     1.5
      force     12
    """
    names = [name.removeprefix(">") for name in columns]
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    right = [name.startswith(">") for name in columns]

    def line(cells: Sequence[str]) -> str:
        padded = (cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(cells, widths, right, strict=True))
        return "  " + "  ".join(padded).rstrip()

    rule = "  " + "─" * (sum(widths) + 2 * len(widths) - 2)
    return "\n".join([heading(line(names)), rule, *map(line, rows)])


def heading(text: str) -> str:
    """Bold on a terminal; plain where the text goes to a file or colours are refused."""
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() and "NO_COLOR" not in os.environ else text


def print_json(data: Any) -> None:
    """Data as text that people can read too."""
    from json import dumps

    print(dumps(data, indent=2, ensure_ascii=False))


def tell(written: Sequence[Path], json: bool, data: Callable[[], dict[str, Any]], show: Callable[[], None]) -> None:
    """The end of a command: what was found, as JSON or as tables, and which files were written."""
    if json:
        print_json(data() | {"written": [str(path) for path in written]})
        return
    show()
    for path in written:
        print(f"wrote {path}")


@contextmanager
def saying(text: str) -> Iterator[None]:
    """A word on a terminal while something goes on, and none elsewhere."""
    if not sys.stderr.isatty():
        yield
        return
    print(text, end="\r", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print(" " * len(text), end="\r", file=sys.stderr, flush=True)
