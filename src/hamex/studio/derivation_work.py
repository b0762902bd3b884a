"""What a worker of the derivation view does, in a process of its own: read, derive, run. SymPy is loaded here, and
in the server for no more than the density of a membrane.

Below it a system as the page shows it before anything is derived: its texts, symbols, controls and starts.
"""

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
from functools import lru_cache
from typing import Any

from hamex.errors import HamexError
from hamex.principle.action import Action
from hamex.principle.jets import is_zero, partial, t
from hamex.principle.language import LanguageError, UnwritableError, read_action, written
from hamex.principle.library import LIBRARY, action
from hamex.report.derivation import derivation
from hamex.report.derivation.expressions import is_field, momentum, symbol, walk
from hamex.report.derivation.written import fragment, html, tex
from hamex.report.equations import inline, svg
from hamex.schemes.time_elements import DiscontinuousGalerkin, Galerkin
from hamex.simulate import simulate
from hamex.studio.wire import number, packed

_MEMORY = 4_000_000_000  # bytes of addresses: what needs more ends with a message instead of the computer
_FIRST = ("m", "M", "rho")  # mass leads, then the others in the order of the alphabet


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
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        sol = simulate(system, numbers, given["start"], given["duration"], _march(given), near=given["near"])
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
        "constraint": number(float(abs(sol.values("constraint")).max())) if system.constrained().constraints else None,
        "notes": [str(one.message) for one in caught if issubclass(one.category, UserWarning)],
    }


def _march(given: dict[str, Any]) -> Galerkin | DiscontinuousGalerkin:
    kind = DiscontinuousGalerkin if given["jumps"] else Galerkin
    return kind(step=given["step"], degree=given["degree"])


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
        job = json.loads(request)
        found = TASKS[job["task"]](job["given"])
    except LanguageError as problem:
        place, _, line = (
            problem.place.partition(".") if problem.place.startswith("constraints.") else (problem.place, "", "")
        )
        where = f"column {problem.column + 1}: " if problem.text else ""
        where = f"line {line}, {where}" if line else where
        status, found = (
            422,
            {"message": where + problem.said, "field": place, "column": problem.column, "length": problem.length},
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
            else ("loads" if message.startswith("the load") else _stated(message))
        )
    return {"message": message, "field": place}


def _stated(message: str) -> str:
    return "constraints" if message.startswith("constraint") else "lagrangian"


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


# Systems ---------------------------------------------------------------------------------------------------


def chosen(given: dict[str, Any]) -> Action:
    """The action that a request means; the same one for the same request, with all that it has worked out."""
    if given["system"]:
        return _from_library(given["system"])
    pairs = (tuple(sorted(given[key].items())) for key in ("loads", "meanings"))
    texts = tuple(given["constraints"])
    return _typed(tuple(given["fields"]), given["lagrangian"], given["dissipation"], *pairs, texts)


@lru_cache(maxsize=32)
def _from_library(name: str) -> Action:
    return action(name)


@lru_cache(maxsize=32)
def _typed(
    fields: tuple[str, ...],
    lagrangian: str,
    dissipation: str,
    loads: tuple[tuple[str, str], ...],
    meanings: tuple[tuple[str, str], ...],
    constraints: tuple[str, ...],
) -> Action:
    return read_action(fields, lagrangian, dissipation, dict(loads), dict(meanings), constraints=constraints)


def description(system: Action, drawn: bool = True) -> dict[str, Any]:
    """All that the page needs to offer inputs for a system; ``drawn`` with its letters as they look."""
    fields, given, parameters = letters(system)
    about = " ".join((LIBRARY[system.name].__doc__ or "").split("\n\n")[0].split()) if system.name in LIBRARY else ""
    kinds = {**dict.fromkeys(fields, "field"), **dict.fromkeys(given, "load"), **dict.fromkeys(parameters, "parameter")}
    symbols = [
        {
            **_symbol(name, kind, system.meanings.get(name, "")),
            **(parameter(name, system.name) if kind == "parameter" else {}),
        }
        for name, kind in kinds.items()
    ]
    if drawn:
        drawings = dict(reversed(latex_of(system)))
        symbols = [{**symbol, "svg": inline(drawings[symbol["name"]], 18)} for symbol in symbols + _general(fields)]
    return {
        "name": system.name,
        "about": about,
        "citation": system.citation,
        "text": texts(system),
        "symbols": symbols,
        "runs": not system.space,
        "starts": [] if system.space else starts(system),
        "shapes": shapes(given),
    }


def letters(system: Action) -> tuple[list[str], list[str], list[str]]:
    """Names of fields, of given functions of time, and of parameters."""
    fields = [q.func.__name__ for q in system.fields]
    nodes = [
        node
        for expression in (system.lagrangian, system.dissipation, *system.loads.values(), *system.constraints)
        for node in walk(expression)
    ]
    given = {type(node).__name__ for node in nodes if is_field(node)} - set(fields)
    parameters = {node.name for node in nodes if node.is_Symbol and node != t and node not in system.space}
    return fields, sorted(given), sorted(parameters, key=lambda name: (not name.startswith(_FIRST), name.swapcase()))


def texts(system: Action) -> dict[str, Any] | None:
    """The system in the small language; None where it has no text there."""
    if system.space:
        return None
    try:
        L, phi = (written(e, system.fields) for e in (system.lagrangian, system.dissipation))
        loads = {q.func.__name__: written(load, system.fields) for q, load in system.loads.items()}
        constraints = [written(one, system.fields) for one in system.constraints]
    except UnwritableError:
        return None
    return {
        "fields": [q.func.__name__ for q in system.fields],
        "lagrangian": L,
        "dissipation": "" if system.dissipation == 0 else phi,
        "loads": loads,
        "constraints": constraints,
        "meanings": dict(system.meanings),
    }


def latex_of(system: Action) -> list[tuple[str, str]]:
    """Every symbol that a page can point at, with its LaTeX; those of the system come first."""
    fields, given, parameters = letters(system)
    own = [(name, symbol(name).latex) for name in (*fields, *given, *parameters)]
    # The momentum of an indexed field is p with an index of its index; in a time step it is p with two indices.
    momenta = [(f"p {name}", shown.latex) for name in fields for shown in (momentum(name, ""), symbol(f"p_{name}"))]
    return own + momenta + [(name, latex) for name, (latex, _, _) in _GENERAL.items()]


# Letters of every derivation: LaTeX, meaning, unit. Their names hold a blank, which none of a system does.
_GENERAL = {
    "the step": ("h", "length of a time step", "s"),
    "the time": ("t", "time", "s"),
    "the end": ("T", "end of the time-window", "s"),
    "the Lagrangian": ("L", "Lagrangian", ""),
    "the dissipation": (r"\varphi", "dissipation function, whose slopes in the rates are forces", ""),
}


def _general(fields: list[str]) -> list[dict[str, Any]]:
    momenta = [_symbol(f"p {name}", "general", f"momentum of {name}") for name in fields]
    return momenta + [_symbol(name, "general", f"{meaning} [{unit}]") for name, (_, meaning, unit) in _GENERAL.items()]


def _symbol(name: str, kind: str, meaning: str) -> dict[str, Any]:
    words, _, unit = meaning.partition("[")
    plain = {"field": "unknown function of time", "parameter": "parameter", "load": "given function of time"}
    return {"name": name, "kind": kind, "meaning": words.strip() or plain.get(kind, ""), "unit": unit.rstrip("] ")}


# value, least, largest; a range from zero is linear, others are logarithmic
_PARAMETERS: dict[str, tuple[float, float, float]] = {
    "m": (1.0, 0.1, 10.0),
    "M": (1.0, 0.1, 10.0),
    "k": (40.0, 1.0, 400.0),
    "a": (0.025, 0.0025, 1.0),
    "c": (0.3, 0.0, 5.0),
    "F_y": (1.0, 0.05, 10.0),
    "eta": (0.5, 0.01, 10.0),
    "H_k": (8.0, 0.1, 100.0),
    "H_i": (4.0, 0.1, 100.0),
    "k_3": (40.0, 0.0, 400.0),
    "g": (9.81, 1.0, 30.0),
    "l": (1.0, 0.1, 5.0),
    "Omega": (2.0, 0.1, 50.0),
    "omega": (2.0, 0.1, 50.0),
    "d": (0.05, 0.0, 0.5),
    "gamma": (0.4, 0.01, 4.0),
    "mu": (0.2, 0.0, 2.0),
}
_OTHERS = (1.0, 0.1, 10.0)
# A pivot shaken at twice the natural frequency is what makes that pendulum grow.
_BY_SYSTEM = {"parametric-pendulum": {"Omega": 6.26}}
_LENGTH, _ANGLE = 0.1, 2.0


def parameter(name: str, system: str) -> dict[str, Any]:
    """Where the control of a parameter stands; an indexed letter is taken like the letter."""
    value, least, largest = _PARAMETERS.get(name) or _PARAMETERS.get(re.sub(r"_?\d+$", "", name)) or _OTHERS
    return {"value": _BY_SYSTEM.get(system, {}).get(name, value), "min": least, "max": largest, "log": least > 0}


def shapes(names: list[str]) -> dict[str, dict[str, Any]]:
    """What acts at first: the last of the given functions, which is the load on the top of a chain."""
    still: dict[str, Any] = {"shape": "zero"}
    acting: dict[str, Any] = {"shape": "sine", "amplitude": 1.5, "period": 1.0}
    return {name: acting if name == names[-1] else still for name in names}


def starts(action: Action) -> list[dict[str, Any]]:
    """What may be said about t = 0: value and rate of a field, or the momentum where it says more than the rate.

    The momentum of the impulse of a spring is minus its slip: zero says that the spring has not slipped, whatever the
    displacement is.
    """
    if action.constrained().constraints or not all(action.has_momentum.values()):
        return _free_starts(action)
    found: list[dict[str, Any]] = []
    moved = bool(action.loads)
    for q in action.fields:
        name, momentum = q.func.__name__, action.momentum(q)
        still = momentum.xreplace({field.diff(t): field * 0 for field in action.fields})
        cyclic = is_zero(partial(action.lagrangian, q))
        if cyclic and still != 0:
            found.append({"key": f"P_{name}", "field": name, "kind": "momentum", "value": 0.0})
            continue
        angle = "rad" in action.meanings.get(name, "") or name.startswith(("theta", "phi", "psi", "alpha"))
        value = 0.0 if moved or cyclic else _ANGLE if angle else _LENGTH
        found.append({"key": name, "field": name, "kind": "value", "value": value})
        if action.has_momentum[q]:
            found.append(
                {"key": f"{name}_dot", "field": name, "kind": "rate", "value": 1.0 if cyclic and not moved else 0.0}
            )
        moved = True
    return found


def _free_starts(action: Action) -> list[dict[str, Any]]:
    """Of a system whose equations tie its data: those that are free, and for values that follow from a curved relation
    the side on which they lie."""
    free = action.data()
    found: list[dict[str, Any]] = []
    for node in free.data:
        q = node.expr if node.is_Derivative else node
        if q in action.fields:
            name, kind = q.func.__name__, "rate" if node.is_Derivative else "value"
            first = not found and not action.loads
            key = f"{name}_dot" if node.is_Derivative else name
            found.append({"key": key, "field": name, "kind": kind, "value": _LENGTH if first else 0.0})
    for node, relation in free.determined.items():
        if node in action.fields and not is_zero(partial(partial(relation.expression, node), node)):
            found.append({"key": node.func.__name__, "field": node.func.__name__, "kind": "near", "value": -1.0})
    return found


if __name__ == "__main__":
    main()
