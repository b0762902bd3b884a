"""What a worker of the derivation view does, in a process of its own: read, derive, run. SymPy is loaded here alone."""

from __future__ import annotations

import json
import math
import os
import queue
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hamex.errors import HamexError
from hamex.principle.language import LanguageError
from hamex.principle.library import LIBRARY
from hamex.report.derivation.html import fragment, html
from hamex.report.derivation.page import derivation
from hamex.report.derivation.tex import tex
from hamex.report.equations import svg
from hamex.simulate import simulate
from hamex.studio.derivation.system import chosen, description, latex_of
from hamex.studio.wire import number, packed

_MEMORY = 4_000_000_000  # bytes of addresses: what needs more ends with a message instead of the computer


def library(_: dict[str, Any]) -> dict[str, Any]:
    """Every system of the library, without the drawings of its letters."""
    return {"systems": [description(chosen({"system": name}), drawn=False) for name in LIBRARY]}


def read(given: dict[str, Any]) -> dict[str, Any]:
    """A system as it was understood."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = description(chosen(given))
    return {**found, "notes": [str(one.message) for one in caught]}


def derive(given: dict[str, Any]) -> dict[str, Any]:
    """The derivation of a system as part of a page."""
    system = chosen(given)
    shown = fragment(derivation(system), latex_of(system))
    return {
        "title": shown.title,
        "contents": [{"link": link, "text": text} for link, text in shown.contents],
        "html": shown.body,
    }


def run(given: dict[str, Any]) -> dict[str, Any]:
    """A motion of a system."""
    system = chosen(given)
    from hamex.principle.numeric import functions

    wanted = functions(system).given
    shapes = {name: given["shapes"].get(name, {"shape": "zero"}) for name in {*wanted, *given["shapes"]}}
    numbers = {**given["parameters"], **{name: _history(shape) for name, shape in shapes.items()}}
    sol = simulate(system, numbers, given["start"], given["duration"], given["step"], given["degree"])
    fields = [q.func.__name__ for q in system.fields]
    columns = {
        word: {name: packed(sol.values(word)[:, i]) for i, name in enumerate(fields)}
        for word in ("displacement", "velocity", "momentum")
    }
    iterations = sol.values("iterations")
    return {
        "fields": fields,
        "step": given["step"],
        "steps": len(iterations),
        **columns,
        "hamiltonian": packed(sol.values("hamiltonian")),
        "imbalance": packed(sol.values("imbalance")),
        "residual": number(sol.residual),
        "iterations": number(float(iterations.mean())),
    }


def _history(shape: dict[str, Any]) -> float | Callable[[float], float]:
    match shape:
        case {"shape": "constant", "amplitude": amplitude}:
            return float(amplitude)
        case {"shape": "sine", "amplitude": amplitude, "period": period}:
            return lambda time: float(amplitude * math.sin(2 * math.pi * time / period))
        case {"shape": "pulse", "amplitude": amplitude, "length": length}:
            return lambda time: float(amplitude * math.sin(math.pi * time / length)) if 0 <= time <= length else 0.0
    return 0.0


def latex(given: dict[str, Any]) -> dict[str, Any]:
    """The derivation as a LaTeX document."""
    return {"text": tex(derivation(chosen(given)))}


def page(given: dict[str, Any]) -> dict[str, Any]:
    """The derivation as a page of its own, as ``hamex derive --html`` writes it."""
    return {"text": html(derivation(chosen(given)))}


TASKS = {"library": library, "read": read, "derive": derive, "run": run, "latex": latex, "page": page}


def answer(request: bytes) -> bytes:
    """One line for one line: a status and JSON."""
    status, found = 200, dict[str, Any]()
    try:
        asked = json.loads(request)
        found = TASKS[asked["task"]](asked["given"])
    except LanguageError as problem:
        where = f"column {problem.column + 1}: " if problem.text else ""
        status, found = (
            422,
            {
                "message": where + problem.said,
                "field": problem.place,
                "column": problem.column,
                "length": problem.length,
            },
        )
    except HamexError as problem:
        status, found = 422, _refused(str(problem))
    except MemoryError:
        status, found = 422, {"message": "this needs too much memory; make the system smaller", "field": None}
    except Exception as problem:  # a typed system may meet any gap of the algebra
        status, found = (
            422,
            {"message": f"this is beyond what could be worked out ({type(problem).__name__})", "field": None},
        )
    return f"{status} {json.dumps(found, allow_nan=False)}\n".encode()


def _refused(said: str) -> dict[str, Any]:
    """A message of the principle or of a run, and the input that it is about."""
    message = re.sub(r"^(Action|simulate): ", "", said)
    name = re.match(r"the parameter (\w+) must", message)
    if message.startswith("no action is called"):
        place: str | None = "system"
    elif said.startswith("simulate"):
        place = f"parameters.{name[1]}" if name else "step" if "shorter step" in said else None
    else:
        place = (
            "dissipation"
            if "dissipati" in message or "friction" in message
            else ("loads" if message.startswith("the load") else "lagrangian")
        )
    return {"message": message, "field": place}


def main() -> None:
    """Answer until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, and its end ends this
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed is no answer
    _bound_memory()
    svg("u")  # loads the fonts
    waiting: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_listen, args=(waiting,), daemon=True).start()
    while True:
        out.write(answer(waiting.get()))
        out.flush()


def _listen(waiting: queue.Queue[bytes]) -> None:
    """Requests; the end of the input ends the process at once, in the middle of its work."""
    for line in sys.stdin.buffer:
        waiting.put(line)
    os._exit(0)


def _bound_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


if __name__ == "__main__":
    main()
