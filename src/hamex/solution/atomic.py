"""The one way to write a file: whole or not at all, on the disk before it has its name, and no library's exception.

Loads nothing, so that `hamex init` stays quick.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from hamex.errors import FileError, MissingPackageError

FORMATS = (".nc", ".csv", ".xlsx")


def check_writable(path: Path, formats: tuple[str, ...] = FORMATS) -> None:
    """Refuse an output path that cannot be written, before any work starts."""
    if path.suffix.lower() not in formats:
        raise FileError(f"cannot write {path}: the ending must be one of {', '.join(formats)}")
    check_package(path)
    folder = path.parent
    if not os.path.isdir(folder):  # says no to a name with a zero byte, which Path does not
        raise FileError(f"cannot write {path}: the folder {folder} does not exist")
    if os.path.isdir(path):
        raise FileError(f"cannot write {path}: it is a folder, not a file")
    if not os.access(folder, os.W_OK):
        raise FileError(f"cannot write {path}: the folder {folder} is not writable")


def check_package(path: Path) -> None:
    """Refuse to begin on a file for which the package is missing that would write it."""
    if path.suffix.lower() == ".xlsx" and find_spec("xlsxwriter") is None:
        raise MissingPackageError(f"cannot write {path}: Excel files need xlsxwriter: pip install 'hamex[excel]'")


def write_atomically(path: Path, write: Callable[[Path], object]) -> Path:
    """Let ``write`` fill a temporary file beside ``path``, then put it in place in one step, once it is on the disk.

    ``write`` hands bytes to Python's own files: libraries that write by themselves end a full disk in their own ways.
    """
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
        os.close(handle)
        temporary = Path(name)
        write(temporary)
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)  # mkstemp makes files private; outputs are ordinary files
        with temporary.open("r+b") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
        _settle(path.parent)
    except FileError:
        raise
    except OSError as problem:
        kept = "; what stood there before is kept" if path.is_file() else ""
        raise FileError(f"cannot write {path}: {problem.strerror or problem}{kept}") from None
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
    return path


def _settle(folder: Path) -> None:
    """The new name reaches the disk too; not every system lets a folder be opened, and the file is in place anyway."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
