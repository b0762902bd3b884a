"""The formats hamex reads, and how a file is told from another: by what it starts with, then by its ending."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from hamex.errors import LoadError
from hamex.motion.records.columns import read_columns
from hamex.motion.records.cosmos_csmip import is_cosmos, is_csmip, read_cosmos, read_csmip
from hamex.motion.records.peer_esm_knet import is_at2, is_esm, is_knet, read_at2, read_esm, read_knet, read_opensees
from hamex.motion.records.simcenter import is_simcenter, read_simcenter
from hamex.motion.records.text import FileRecord, Text


class Format(NamedTuple):
    """One format: its name, a line about it, the endings it usually has, how it is recognised and read."""

    name: str
    about: str
    endings: tuple[str, ...]
    looks: Callable[[Text], bool]
    read: Callable[..., list[FileRecord]]
    tells_unit: bool


def _never(text: Text) -> bool:
    """Bare numbers are what remains; whether they are columns or one record along the lines, only a user can say."""
    return False


FORMATS = {
    entry.name: entry
    for entry in (
        Format("at2", "PEER AT2", (".at2", ".vt2", ".dt2"), is_at2, read_at2, True),
        Format("cosmos", "COSMOS V1, V2", (".v1c", ".v2c"), is_cosmos, read_cosmos, True),
        Format("csmip", "CSMIP V1, V2", (".v1", ".v2"), is_csmip, read_csmip, True),
        Format("esm", "ESM, ITACA", (".asc",), is_esm, read_esm, True),
        Format(
            "knet",
            "K-NET, KiK-net",
            tuple(f".{way}{place}" for way in ("ns", "ew", "ud") for place in ("", "1", "2")),
            is_knet,
            read_knet,
            True,
        ),
        Format("simcenter", "SimCenter EVENT", (".json",), is_simcenter, read_simcenter, True),
        Format("opensees", "OpenSees path", (), _never, read_opensees, False),
        Format("columns", "text columns", (".csv", ".txt", ".dat"), _never, read_columns, False),
    )
}


def format_named(name: str) -> Format:
    """A format by its name; refuses an unknown one."""
    if name not in FORMATS:
        raise LoadError(f"unknown format {name!r} of a record; known: {', '.join(FORMATS)}")
    return FORMATS[name]


def format_of(text: Text) -> Format:
    """The format of a file; plain columns if nothing else fits."""
    for entry in FORMATS.values():
        if entry.looks(text):
            return entry
    return format_by_ending(text.path)


def format_by_ending(path: Path) -> Format:
    """The format that usually has this ending; plain columns if none has.

    >>> format_by_ending(Path("RSN6_IMPVALL.I_I-ELC180.AT2")).name, format_by_ending(Path("elcentro.txt")).name
    ('at2', 'columns')
    """
    ending = path.suffix.lower()
    return next((entry for entry in FORMATS.values() if ending in entry.endings), FORMATS["columns"])
