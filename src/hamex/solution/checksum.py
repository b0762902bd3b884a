"""A checksum inside a file, over every byte of it: what verifies is what was written, whatever reads it next.

A file holds the text :data:`ROOM` once, at a place that its format leaves free; the zeros in it are then replaced by
the digest of the file as it stands. Bytes are verified before any library takes them apart: HDF5 may walk a damaged
file for ever, and Parquet's reader may panic.
"""

from __future__ import annotations

import hashlib

_MARK = b"hamex sha256 "
_ZEROS = b"0" * 64
ROOM = (_MARK + _ZEROS).decode()


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
