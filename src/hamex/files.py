"""Files that are given, read in one place: regular ones of a size that is meant, as bytes, text, TOML or JSON.

A leaf that every layer may import. What is not a file (a pipe, a device, a folder), what is larger than anybody means
and what is nested beyond use is refused by name before it is read.

The one way to write a file: whole or not at all, on the disk before it has its name, and no library's exception;
and a checksum inside, over every byte: what verifies is what was written, whatever reads it next.

A file with a checksum holds the text :data:`ROOM` once, at a place that its format leaves free; the zeros in it are
then replaced by the digest of the file as it stands. Bytes are verified before any library takes them apart: HDF5 may
walk a damaged file for ever, and Parquet's reader may panic. Loads nothing, so that `hamex init` stays quick."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import tempfile
import tomllib
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hamex.errors import FileError, MissingPackageError

# Bytes. Records of an hour at 200 Hz have 10 MB, an inventory of a million buildings 100 MB.
RECORD, SETTINGS, TABLE = 100_000_000, 10_000_000, 500_000_000
DEEPEST = 64  # parts of a dotted key: a reader of TOML works on the square of them
_KEY = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_DEEP = re.compile(rf"(?<![\w.-]){_KEY}(?:[ \t]*+\.[ \t]*+{_KEY}){{{DEEPEST},}}+")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # JSON spells half of a character so
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
    stat.S_IFDIR: "a folder",
}


def check_file(path: Path, most: int = TABLE, hint: str = "") -> int:
    """Size in bytes of a file that can be read; refuses anything else. ``hint`` follows where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        raise FileError(f"cannot read {path}: no such file{hint}") from None
    except (OSError, ValueError) as problem:  # ValueError: a name with a zero byte
        raise FileError(f"cannot read {path}: {getattr(problem, 'strerror', None) or problem}") from None
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "something else")
        raise FileError(f"cannot read {path}: it is {kind}, not a file")
    if found.st_size > most:
        raise FileError(
            f"cannot read {path}: it has {found.st_size / 1e6:,.0f} MB, and {most / 1e6:,.0f} MB are read at most; "
            "is it the file you mean? If so, split it"
        )
    return found.st_size


def read_bytes(path: Path, most: int = TABLE, hint: str = "") -> bytes:
    """What a file holds."""
    check_file(path, most, hint)
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)  # files below /proc have no size until they are read
    except OSError as problem:
        raise FileError(f"cannot read {path}: {problem.strerror}") from None
    if len(data) > most:
        raise FileError(f"cannot read {path}: it has more than {most / 1e6:,.0f} MB")
    return data


def read_text(path: Path, most: int = RECORD, hint: str = "") -> str:
    """The text of a file in UTF-8, with or without a byte order mark; lines end with line feeds."""
    data = read_bytes(path, most, hint)
    if b"\0" in data:
        raise FileError(f"cannot read {path}: not a text file in UTF-8, it has zero bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise FileError(f"cannot read {path}: not a text file in UTF-8, see line {line}; save it in UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def toml_of(text: str) -> dict[str, Any]:
    """Tables of TOML; a ValueError says what is wrong."""
    if found := _DEEP.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(f"a key of more than {DEEPEST} parts (at line {line})")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("tables or lists are nested too deep") from None


def json_of(text: str) -> Any:
    """What JSON says; a ValueError says what is wrong."""
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if _HALF.search(text):
        try:
            json.dumps(found, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("a text in it holds half a character") from None
    return found


def check_folder(path: Path) -> None:
    """Refuse a place at which no folder for results can be, before any work starts; nothing is made."""
    here = next((place for place in (path, *path.absolute().parents) if os.path.exists(place)), Path("/"))
    if not os.path.isdir(here):
        raise FileError(f"cannot write into {path}: {here} is a file, not a folder; give another name")
    if not os.access(here, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
        raise FileError(f"cannot write into {path}: the folder {here} is not writable; give another one")


def make_folder(path: Path) -> Path:
    """A folder for results, made if it is not there, that can be written into."""
    check_folder(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise FileError(f"cannot write into {path}: {why}; give another folder") from None
    return path


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
    for ending, what, package, extra in (
        (".xlsx", "Excel files", "xlsxwriter", "excel"),
        (".parquet", "Parquet files", "polars", "tables"),
    ):
        if path.suffix.lower() == ending and find_spec(package) is None:
            raise MissingPackageError(f"cannot write {path}: {what} need {package}: pip install 'hamex[{extra}]'")


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
