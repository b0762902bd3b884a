"""Tables as Parquet files that carry their checksum, and a key where one belongs to them."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hamex.errors import FileError
from hamex.solution.checksum import ROOM, is_whole, stamped

if TYPE_CHECKING:
    import polars as pl

_SEAL = "hamex_checksum"  # among what Parquet lets a file tell of itself


def write_table(frame: pl.DataFrame, path: Path, about: Mapping[str, str] | None = None, key: str = "") -> None:
    """A frame with words on it; made in memory, so that a full disk is met by Python's own file."""
    content = io.BytesIO()
    frame.write_parquet(content, compression="lz4", metadata={**(about or {}), _SEAL: f"{key} {ROOM}"})
    path.write_bytes(stamped(content.getvalue()))


def read_table(path: Path, key: str | None = None) -> pl.DataFrame:
    """The frame, if the file verifies; with a ``key`` only what was written under it. A file of others, or of before
    there were checksums, is read where no key is asked for."""
    import polars as pl

    try:
        content = path.read_bytes()
    except OSError as problem:
        raise FileError(f"cannot read {path}: {problem.strerror}") from None
    whole = is_whole(content)
    if whole is False or (key is not None and not whole):
        raise FileError(f"cannot read {path}: it does not match its checksum, so it is damaged or was changed")
    if key is not None and f"{key} {ROOM[:-64]}".encode() not in content:
        raise FileError(f"cannot read {path}: it holds something else than its name says")
    try:
        return pl.read_parquet(io.BytesIO(content))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as problem:
        raise FileError(f"cannot read {path}: not a table in Parquet ({str(problem).partition(chr(10))[0]})") from None
