"""The one way to write a file: whole or not at all, on the disk before it has its name, and no library's exception;
and a checksum inside, over every byte: what verifies is what was written, whatever reads it next.

A file with a checksum holds the text :data:`ROOM` once, at a place that its format leaves free; the zeros in it are
then replaced by the digest of the file as it stands. Bytes are verified before any library takes them apart: HDF5 may
walk a damaged file for ever, and Parquet's reader may panic. Loads nothing, so that `hamex init` stays quick.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from hamex.errors import FileError, MissingPackageError

FORMATS = (".nc", ".csv", ".xlsx")
_MARK = b"hamex sha256 "
_ZEROS = b"0" * 64
ROOM = (_MARK + _ZEROS).decode()


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


def stamped(content: bytes) -> bytes:
    """The content with its digest in the room that was left for it; the last one, where there are several.

    >>> is_whole(stamped(f"numbers {ROOM}".encode())), is_whole(b"numbers")
    (True, None)
    """
    begin = content.rindex(_MARK + _ZEROS) + len(_MARK)
    return content[:begin] + _digest(content, begin) + content[begin + len(_ZEROS) :]


def is_whole(content: bytes) -> bool | None:
    """Whether the content is what was stamped; None where it was not."""
    at = content.rfind(_MARK)
    if at < 0:
        return None
    begin = at + len(_MARK)
    return content[begin : begin + len(_ZEROS)] == _digest(content, begin)


def _digest(content: bytes, begin: int) -> bytes:
    """Of the content with zeros for the digest."""
    seen = memoryview(content)
    hasher = hashlib.sha256(seen[:begin])
    hasher.update(_ZEROS)
    hasher.update(seen[begin + len(_ZEROS) :])
    return hasher.hexdigest().encode()
