"""Formats that hamex recognises and does not read, so that a refusal can name them."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import NamedTuple

_SAC_VERSION = 304  # byte at which SAC keeps the version of its header, 6 or 7


def _is_sac(data: bytes) -> bool:
    if len(data) < 632:  # the length of its header
        return False
    return any(struct.unpack_from(order, data, _SAC_VERSION)[0] in (6, 7) for order in ("<i", ">i"))


# What the bytes of a file look like; the first that fits names it.
_BINARY: dict[str, Callable[[bytes], object]] = {
    "MiniSEED": re.compile(rb"\d{6}[DRQM][ \x00]").match,
    "MiniSEED 3": re.compile(rb"MS\x03").match,
    "SEED": re.compile(rb"\d{6}V ").match,
    "a ZIP archive": re.compile(rb"PK[\x03\x05]").match,
    "a gzip archive": re.compile(rb"\x1f\x8b").match,
    "HDF5 (ASDF)": re.compile(rb"\x89HDF").match,
    "a MATLAB file": re.compile(rb"MATLAB \d").match,
    "PDF": re.compile(rb"%PDF").match,
    "Kinemetrics EVT": re.compile(rb"KMI|K\x01\x01").match,
    "an Excel workbook": re.compile(rb"\xd0\xcf\x11\xe0").match,
    "SAC": _is_sac,
}


class Unread(NamedTuple):
    """A text format by how it starts: its name, and what to do instead."""

    starts: re.Pattern[str]
    name: str
    instead: str


_INSTEAD = "write its accelerations as text columns"
_TEXT = (
    Unread(
        re.compile(r"\s*Response and Fourier amplitude spectra", re.IGNORECASE),
        "spectra (CSMIP volume 3)",
        "take the file of volume 1 or 2",
    ),
    Unread(re.compile(r"[^\n]*Response spectr", re.IGNORECASE), "a file of spectra", "take the file of accelerations"),
    Unread(
        re.compile(r"(?:[^\n]*\n){3,8}?\s*SAMPLES/SEC\s*=.*DATA TYPE\s*=", re.IGNORECASE),
        "the tape format of USGS and NOAA (SAMPLES/SEC, DATA TYPE)",
        _INSTEAD,
    ),
    Unread(re.compile(r"#?DELTA:.*\n#?LENGTH:"), "ASCII of Seismic Handler", _INSTEAD),
    Unread(re.compile(r"(?:BEGIN\b|WID[12]\b|DATA_TYPE )"), "GSE or IMS", _INSTEAD),
    Unread(re.compile(r"TIMESERIES \S+,"), "SLIST or TSPAIR of the SEED services", _INSTEAD),
    Unread(re.compile(r"\s*<(?:!DOCTYPE\s+html|html)", re.IGNORECASE), "a web page", "download the record itself"),
    Unread(re.compile(r"\s*<\?xml|\s*<\w"), "XML", "take the waveform that it describes"),
)


def binary_format(data: bytes) -> str | None:
    """The name of a format that is no text; None where it is none that hamex recognises.

    >>> binary_format(b"000001D STA"), binary_format(b"PK\\x03\\x04"), binary_format(b"\\x00\\x01")
    ('MiniSEED', 'a ZIP archive', None)
    """
    return next((name for name, looks in _BINARY.items() if looks(data)), None)


def text_format(content: str) -> Unread | None:
    """What a text is that hamex recognises and does not read; None where it is nothing of the kind.

    >>> text_format("<!DOCTYPE html>").name, text_format("0.1 0.2")
    ('a web page', None)
    """
    return next((entry for entry in _TEXT if entry.starts.match(content[:2000])), None)
