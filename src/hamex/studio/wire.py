"""Requests and answers as they travel, and what one request may ask for: every number that keeps the studio answering
stands here. Arrays go in base64 inside JSON, or, where every millisecond counts, as bytes
behind it."""

from __future__ import annotations

import base64
import json
import math
import threading
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pydantic import ConfigDict, model_validator
from starlette.responses import Response

from hamex.spec.base import Table

BODY = 4_000_000  # bytes of a request
REQUEST = 30.0  # seconds in which a request must arrive whole, and an answer be taken bit by bit
SAMPLES = 200_000  # of a ground motion or load
STEPS = 200_000  # of a history
CELLS = 4_000_000  # steps × (dofs + springs) of a history: what is kept of it
HISTORY = 10.0  # seconds for a history, by the estimate of problems.py
SLOW_STEPS = 20_000  # of what runs step by step in Python
STOREYS = 200
TEXT = 2_000  # characters of a typed Lagrangian or dissipation
DERIVATION = 60.0  # seconds of processor for a derivation, and for a run of what was derived
WAVES = {"bar": 4_000_000, "membrane": 1_500_000}  # steps × nodes: some seconds of either
PERIODS = 400  # of a spectrum
RUNS = 20_000  # of a study
STUDIES = 4  # at once
STUDY = 60.0  # seconds of one processor for a study, as its plan tells
SUITE = 3_000_000  # samples of all synthetic motions of a study: about three seconds to make
RESAMPLES = 10_000  # of a bootstrap
YIELDING = 25_000_000  # steps of all periods of a spectrum of constant ductility: about six seconds
ITERATIONS = 100  # of Newton's method in a step of the reference scheme
MOTIONS = 3  # directions of shaking at once
POINTS = 20  # of a backbone curve
VARIANTS = 21  # answers in a page that is taken home
PAGE_CELLS = 1_500_000  # displacements in it, before they are thinned out
PAGE = 3_000_000  # bytes of it: what is sent by mail without a second thought


_catching = threading.Lock()  # catching warnings changes the whole process: one at a time, whatever the view


@contextmanager
def warned() -> Iterator[list[str]]:
    """What hamex warns of meanwhile, each once; the list is filled at the end."""
    notes: list[str] = []
    with _catching, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield notes
    notes += dict.fromkeys(str(one.message) for one in caught if issubclass(one.category, UserWarning))


def packed(values: ArrayLike, dtype: str = "f4") -> dict[str, Any]:
    """An array in base64, and its shape where it has more than one dimension.

    >>> packed([1.0, 2.0])
    {'dtype': 'f4', 'bdata': 'AACAPwAAAEA='}
    """
    array = np.ascontiguousarray(values, dtype=f"<{dtype}")
    found = {"dtype": dtype, "bdata": base64.b64encode(array.tobytes()).decode("ascii")}
    return found if array.ndim == 1 else {**found, "shape": ",".join(map(str, array.shape))}


def number(value: float) -> float | None:
    """A number as JSON knows it: none for what is not finite."""
    return float(value) if math.isfinite(value) else None


FRAMED = "application/x-hamex"


def framed(answer: dict[str, Any]) -> Response:
    """An answer with arrays: the length of the JSON in four bytes, the JSON, the arrays in single precision.

    In the JSON an array is ``{"dtype": "f4", "at": first byte behind the JSON, "length": entries}``. The JSON is filled
    with blanks to a multiple of eight bytes, so that the page can read the arrays where they lie.
    """
    blocks: list[bytes] = []
    size = 0

    def placed(array: np.ndarray) -> dict[str, Any]:
        nonlocal size
        data = np.ascontiguousarray(array, dtype="<f4").tobytes()
        blocks.append(data)
        size += len(data)
        return {"dtype": "f4", "at": size - len(data), "length": array.size}

    text = json.dumps(_without(answer, placed), allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-(4 + len(text)) % 8)
    return Response(b"".join([len(text).to_bytes(4, "little"), text, *blocks]), media_type=FRAMED)


def thrifty(values: np.ndarray, bits: int) -> dict[str, Any]:
    """An array for a page that is taken home: rounded to ``bits`` of its largest value and packed; whole numbers as
    they are.

    What is kept are the differences (none, first or second, whichever is shortest) of whole numbers, low bytes before
    high ones; sums of them wrap around at 16 bits and so end where they should.

    >>> found = thrifty(np.sin(np.linspace(0, 20, 4000)), 15)
    >>> found["order"], len(found["bdata"]) < 6000
    (2, True)
    """
    scale = float(np.abs(values).max(initial=0.0)) / (2 ** (bits - 1) - 1) or 1.0
    if values.dtype.kind == "i":
        scale = 1.0
    whole = np.round(np.asarray(values, dtype=float).ravel() / scale).astype(np.int16)
    best: tuple[int, int, bytes] | None = None
    for order in range(3):
        raw = np.stack([whole & 255, whole >> 8 & 255]).astype(np.uint8).tobytes()
        size = len(zlib.compress(raw, 1))  # tells which is shortest, in no time
        if best is None or size < best[0]:
            best = size, order, raw
        whole = np.diff(whole, prepend=np.int16(0))
    assert best is not None
    _, order, raw = best
    data = zlib.compress(raw, 6)
    return {"dtype": "i2", "order": order, "scale": scale, "bdata": base64.b64encode(data).decode("ascii")}


def taken_home(answer: dict[str, Any], bits: int, every: int = 1) -> dict[str, Any]:
    """The answer of a history with its arrays rounded; means of a step that are those of its ends are left out.

    Where ``every`` is more than 1, one node of so many is kept, and beside them those at which a curve of the page has
    its largest or smallest value. ``gaps`` tells the steps from one that is kept to the next; the page draws straight
    lines between them.
    """
    kept = {**answer, "energy": {name: value for name, value in answer["energy"].items() if name != "imbalance"}}
    means, ends = answer.get("loop_displacement"), answer["displacement"].reshape(len(answer["dofs"]), -1)
    if means is not None and np.allclose((ends[:, 1:] + ends[:, :-1]).ravel() / 2, means, rtol=0, atol=1e-9):
        kept["loop_displacement"] = "means of the ends"
    if every > 1:
        kept = _thinned(kept, _nodes(answer, every))
    if "against" in answer:
        beside = {name: value for name, value in answer["against"].items() if name != "slip"}  # is not shown
        kept["against"] = taken_home({**beside, "energy": {}}, bits, every)
    found: dict[str, Any] = _without(kept, lambda array: thrifty(array, bits))
    return found


def _thinned(answer: dict[str, Any], nodes: np.ndarray) -> dict[str, Any]:
    """Histories at some nodes; of a step those that end at one."""
    steps = answer["steps"]

    def chosen(values: Any) -> Any:
        if not isinstance(values, np.ndarray):
            return values
        rows = _rows(values, steps)
        return rows[:, nodes if rows.shape[1] == steps + 1 else nodes[1:] - 1].ravel()

    histories = ("displacement", "slip", "loop_force", "loop_displacement")
    kept = {name: chosen(value) if name in histories else value for name, value in answer.items()}
    kept["energy"] = {name: chosen(values) for name, values in answer["energy"].items()}
    if "ground" in answer:
        kept["ground"] = {**answer["ground"], "values": chosen(answer["ground"]["values"])}
    return {**kept, "gaps": np.diff(nodes)}


def _nodes(answer: dict[str, Any], every: int) -> np.ndarray:
    """One of ``every`` so many, and those that no curve may lose; a step whose mean is a peak needs both its ends."""
    steps = answer["steps"]
    kept = [np.arange(0, steps, every), np.array([1, steps])]
    curves = [answer[name] for name in ("displacement", "loop_displacement", "loop_force") if name in answer]
    if "ground" in answer:
        curves.append(answer["ground"]["values"])
    for values in curves:
        rows = _rows(values, steps)
        rows = np.concatenate([rows, np.diff(rows, axis=0)])  # drifts are differences of neighbours
        peaks = np.concatenate([rows.argmax(axis=1), rows.argmin(axis=1)])
        kept += [peaks, peaks + 1] if rows.shape[1] == steps else [peaks]
    return np.unique(np.concatenate(kept))


def _rows(array: np.ndarray, steps: int) -> np.ndarray:
    """Components one below the other, with an entry for every node, or for every step."""
    return array.reshape(-1, steps + 1 if array.size % (steps + 1) == 0 else steps)


def attached(content: str | bytes, kind: str, name: str) -> Response:
    """A file to be saved under a name."""
    return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})


def _without(value: Any, written: Callable[[np.ndarray], Any]) -> Any:
    if isinstance(value, np.ndarray):
        return written(value)
    if isinstance(value, dict):
        return {key: _without(entry, written) for key, entry in value.items()}
    return value


class RequestTable(Table):
    """A table that is the body of a request. JSON has null, files have not: it means that a key is left out."""

    model_config = ConfigDict(defer_build=False)  # fastapi asks for the validator at once

    @model_validator(mode="before")
    @classmethod
    def _left_out(cls, value: Any) -> Any:
        return _without_nulls(value)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {_text(key): _without_nulls(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, str):
        return _text(value)
    # Lists of numbers are long and hold no tables.
    return (
        [_without_nulls(entry) for entry in value]
        if isinstance(value, list) and value and isinstance(value[0], dict | str)
        else value
    )


def _text(value: str) -> str:
    """JSON can spell half a character, which no file holds."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{value!r:.60} is no text: it holds half a character") from None
    return value
