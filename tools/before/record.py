"""Answer the problems with the hamex of this environment: python record.py FOLDER [shard/shards] [TEXT].

One file a problem: named arrays, whose first axis is time where the name ends in "@t", and words as JSON. An exception
is an answer too: its class. TEXT chooses problems whose names hold it.
"""

from __future__ import annotations

import json
import re
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import hamex as hx
from hamex.errors import HamexError

ALWAYS_NEW = ("provenance", "source", "seconds")
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def flattened(thing: Any, name: str, arrays: dict[str, Any], words: dict[str, Any]) -> None:
    """Put everything that a thing holds under names: numbers into arrays, the rest into words."""
    if isinstance(thing, hx.Solution):
        for history in thing.names:
            arrays[f"{name}{history}@t" if history != "residual" else f"{name}residual"] = thing.values(history)
        for key, peak in thing.peaks.items():
            arrays[f"{name}peak {key}"] = [float(peak.value)]
            if peak.error is not None:
                arrays[f"{name}bar {key}"] = [float(peak.error)]
        words[f"{name}status"] = str(thing.status.name)
        flattened(thing.final, f"{name}final ", arrays, words)
    elif isinstance(thing, hx.State):
        for key in ("displacement", "momentum", "slip"):
            flattened(getattr(thing, key), f"{name}{key}", arrays, words)
        flattened(dict(thing.internal), f"{name}internal ", arrays, words)
    elif hasattr(thing, "dataset"):
        data = thing.dataset
        for key, values in {**data.coords, **data.data_vars}.items():
            if not str(key).startswith(ALWAYS_NEW):
                flattened(values.values, f"{name}{key}", arrays, words)
    elif hasattr(thing, "frame") and callable(thing.frame):
        for key, column in thing.frame().to_dict(as_series=False).items():
            flattened(np.asarray(column), f"{name}{key}", arrays, words)
    elif isinstance(thing, dict):
        for key, value in thing.items():
            flattened(
                value, f"{name}{key}." if isinstance(value, dict | list | tuple) else f"{name}{key}", arrays, words
            )
    elif isinstance(thing, np.ndarray) and thing.dtype.kind in "fiubc":
        arrays[name] = thing
    elif isinstance(thing, bool | str) or thing is None:
        text = str(thing)
        if len(text) > 200 or "\n" in text:  # printed pages: the numbers as numbers, the rest as words
            arrays[f"{name}numbers"] = [float(found) for found in NUMBER.findall(text)]
            text = NUMBER.sub("#", text)
        words[name] = text
    elif isinstance(thing, int | float | np.number):
        arrays[name] = [thing]
    elif isinstance(thing, list | tuple):
        if thing and all(isinstance(one, int | float) and not isinstance(one, bool) for one in thing):
            arrays[name] = np.asarray(thing)
        else:
            for place, one in enumerate(thing):
                flattened(one, f"{name}{place}.", arrays, words)
    elif isinstance(thing, np.ndarray):
        flattened(thing.tolist(), name, arrays, words)
    else:
        words[name] = type(thing).__name__


def answered(function: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and words of one problem."""
    arrays: dict[str, Any] = {}
    words: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            flattened(function(), "", arrays, words)
        except HamexError as problem:
            words["error"], words["_message"] = type(problem).__name__, str(problem)
        except Exception as problem:
            words["exception"] = f"{type(problem).__name__}: {problem}"
    return {name: np.asarray(values) for name, values in arrays.items()}, words


def file_of(folder: Path, name: str) -> Path:
    """Where the answer to a problem stands."""
    return folder / (re.sub(r"[^\w.-]", "_", name) + ".npz")


def keep(file: Path, name: str, arrays: dict[str, Any], words: dict[str, Any]) -> None:
    """Write one answer, whole or not at all."""
    part = file.with_suffix(".part.npz")
    named = {key.replace("/", "|"): values for key, values in arrays.items()}
    np.savez(part, __words__=np.array(json.dumps({"_name": name, **words})), **named)
    part.replace(file)


def main(folder: Path, shard: str = "0/1", text: str = "") -> None:
    """Answer one of every so many problems whose names hold the text."""
    import doors  # noqa: F401  (adds problems)
    from problems import PROBLEMS

    number, count = map(int, shard.split("/"))
    chosen = [name for place, name in enumerate(PROBLEMS) if place % count == number and text in name]
    folder.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        begun = time.process_time()
        arrays, words = answered(PROBLEMS[name])
        keep(file_of(folder, name), name, arrays, words | {"_seconds": time.process_time() - begun})
    print(f"{len(chosen)} problems answered", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
