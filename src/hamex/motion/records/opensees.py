"""Path files of OpenSees: bare numbers along the lines, as ``timeSeries Path -dt … -filePath …`` reads them.

They tell neither step nor unit: give both.
"""

from __future__ import annotations

from hamex.motion.records.found import Found
from hamex.motion.records.text import Text


def looks(text: Text) -> bool:
    """Never: bare numbers could be columns as well; say ``format="opensees"``."""
    return False


def read(text: Text) -> list[Found]:
    """The one record of the file."""
    words = text.content.split()
    if not words:
        raise text.error(None, "no samples in the file")
    return [Found(text.numbers(1, len(words), 1), None, None)]
