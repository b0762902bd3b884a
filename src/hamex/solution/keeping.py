"""Model, problem and scheme as trees of plain values, and such a tree as arrays by name, and back, bit by bit.

Arrays are named by their place in the tree; all the rest is one text, ``tree``, in which they are named.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import FileError, SchemeError
from hamex.model.damping import Damping
from hamex.model.inputs import Numbered
from hamex.model.layout import Geometry, Storeys
from hamex.model.record import Model, law_arrays, laws_of
from hamex.model.solids.body import Body, DofNames
from hamex.model.units import Units
from hamex.motion.artificial import FORMULAS, Sampled
from hamex.motion.load import Load, LoadSum
from hamex.problem import Problem, State
from hamex.schemes import Scheme, by_name
from hamex.solution.containers import FileGroup, FileVariable

Array = NDArray[Any]
_ARRAY, _EMPTY, _SPARSE = "$array", "$empty", "$sparse"
# What a sparse matrix of each format is made of.
_PARTS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}
Tree = dict[str, Any]
PER_STEP = 8  # samples a step of a load that is a function; a power of two, so that nodes are met bit by bit


def packed(tree: Mapping[str, Any]) -> dict[str, Array]:
    """The tree as arrays by name, and the text that names them."""
    arrays: dict[str, Array] = {}
    plain = _plain("", tree, arrays)
    return {**arrays, "tree": np.array(json.dumps(plain), dtype=object)}


def unpacked(arrays: Mapping[str, Array]) -> dict[str, Any]:
    """The tree that :func:`packed` was given; tuples have become lists."""
    found: dict[str, Any] = _tree(json.loads(str(arrays["tree"])), arrays)
    return found


def sized(arrays: Mapping[str, Array]) -> FileGroup:
    """Arrays by name as a group of a file; dimensions are sizes."""
    return FileGroup({name: FileVariable(_dims(name, array.shape), array) for name, array in arrays.items()})


def _dims(name: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    if len(set(shape)) == len(shape):
        return tuple(f"size_{size}" for size in shape)
    return tuple(f"{name}_{axis}" for axis in range(len(shape)))


def _plain(place: str, value: Any, arrays: dict[str, Array]) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(f"{place}.{name}" if place else name, each, arrays) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(f"{place}.{number}", each, arrays) for number, each in enumerate(value)]
    if hasattr(value, "tocsr"):
        matrix = value if value.format in _PARTS else value.tocsr()
        parts = {name: getattr(matrix, name) for name in _PARTS[matrix.format]}
        return {_SPARSE: matrix.format, "shape": list(matrix.shape), "parts": _plain(place, parts, arrays)}
    if isinstance(value, np.ndarray):
        if not value.size or not value.ndim:
            return {_EMPTY: value.tolist(), "shape": list(value.shape), "dtype": value.dtype.str}
        arrays[place] = value
        return {_ARRAY: place}
    return value.item() if isinstance(value, np.generic) else value


def _tree(plain: Any, arrays: Mapping[str, Array]) -> Any:
    if isinstance(plain, list):
        return [_tree(each, arrays) for each in plain]
    if not isinstance(plain, dict):
        return plain
    if _ARRAY in plain:
        return np.ascontiguousarray(arrays[plain[_ARRAY]])
    if _EMPTY in plain:
        return np.array(plain[_EMPTY], dtype=plain["dtype"]).reshape(plain["shape"])
    if _SPARSE in plain:
        from scipy import sparse

        kind, shape, parts = plain[_SPARSE], tuple(plain["shape"]), _tree(plain["parts"], arrays)
        if kind == "coo":
            return sparse.coo_array((parts["data"], (parts["row"], parts["col"])), shape=shape)
        return getattr(sparse, f"{kind}_array")(tuple(parts[name] for name in _PARTS[kind]), shape=shape)
    return {name: _tree(each, arrays) for name, each in plain.items()}


def scheme_tree(scheme: Scheme) -> Tree:
    """Name and numbers of a scheme."""
    numbers: Any = scheme
    return {"name": type(scheme).__name__, **dataclasses.asdict(numbers)}


def scheme_of(tree: Tree) -> Scheme:
    """The scheme that :func:`scheme_tree` was given."""
    try:
        scheme: Any = by_name(tree["name"])
    except SchemeError as problem:
        raise FileError(str(problem)) from None
    found: Scheme = scheme(**{key: value for key, value in tree.items() if key != "name"})
    return found


def problem_tree(problem: Problem, step: float) -> Tree:
    """All of a problem but its model; loads that are functions as samples, for a run with this step [s]."""
    start = problem.start
    return {
        "duration": problem.duration,
        "load": _load_tree(problem.load, step, problem.duration),
        "start": {
            "displacement": start.displacement,
            "momentum": start.momentum,
            "slip": start.slip,
            "internal": start.internal,
        },
        "prior_impulse": problem.prior_impulse,
        "supports": None if problem.supports is None else _load_tree(problem.supports, step, problem.duration),
        "standing": problem.standing,
        "start_given": problem.start_given,
    }


def problem_of(tree: Tree, model: Model) -> Problem:
    """The problem that :func:`problem_tree` was given."""
    supports = None if tree["supports"] is None else _part_of(tree["supports"])
    # Files from before standing loads have none, and a start.
    start = State(**tree["start"]) if tree.get("start_given", True) else None
    standing = tree.get("standing")
    given = tree["load"]
    load = LoadSum(tuple(_part_of(part) for part in given["sum"])) if "sum" in given else _part_of(given)
    return Problem(model, load, tree["duration"], start, tree["prior_impulse"], supports, standing)


def model_tree(model: Model) -> Tree:
    """All arrays and names of a model, laws by kind."""
    tree = {each.name: getattr(model, each.name) for each in dataclasses.fields(model) if each.name != "fields"}
    return tree | {
        "dofs": names_tree(model.dofs),
        "springs": names_tree(model.springs),
        "groups": {name: np.array(springs, dtype=np.int64) for name, springs in model.groups.items()},
        "body": body_tree(model.body),
        "damping": vars(model.damping),
        "laws": law_arrays(model),
        "units": vars(model.units),
        "storeys": _fields(model.storeys),
        "geometry": _fields(model.geometry),
    }


def model_of(tree: Tree) -> Model:
    """The model that :func:`model_tree` was given."""
    names = {name: tuple(tree[name]) for name in ("directions", "support_names")}
    return Model(
        **tree
        | names
        | {
            "dofs": names_of(tree["dofs"]),
            "springs": names_of(tree["springs"]),
            "body": body_of(tree.get("body")),
            "damping": Damping(**tree["damping"]),
            "laws": laws_of(tree["laws"]),
            "units": Units(**tree["units"]),
            "groups": {name: tuple(np.asarray(springs).tolist()) for name, springs in tree["groups"].items()},
            "storeys": storeys_of(tree["storeys"]),
            "geometry": geometry_of(tree["geometry"]),
        }
    )


def names_tree(names: Any) -> Any:
    """Names, or the few numbers that names of a body are made from."""
    if isinstance(names, DofNames):
        return {"nodes": names.dimension, "free": names.free}
    if isinstance(names, Numbered):
        return {"word": names.word, "count": len(names)}
    return tuple(names)


def names_of(tree: Any) -> Any:
    """The names that :func:`names_tree` was given."""
    if isinstance(tree, Mapping):
        return DofNames(tree["free"], tree["nodes"]) if "nodes" in tree else Numbered(tree["word"], tree["count"])
    return tuple(tree)


def body_tree(body: Body | None) -> Tree | None:
    """All arrays of a body; its parts go by number, since their names are the user's own."""
    if body is None:
        return None
    parts = {
        name: {"names": list(found), "numbers": list(found.values())}
        for name, found in (("boundaries", body.boundaries), ("regions", body.regions))
    }
    return {each.name: getattr(body, each.name) for each in dataclasses.fields(body)} | parts


def body_of(tree: Tree | None) -> Body | None:
    """The body that :func:`body_tree` was given; files from before there were bodies have none."""
    if tree is None:
        return None
    parts = {
        name: dict(zip(tree[name]["names"], tree[name]["numbers"], strict=True)) for name in ("boundaries", "regions")
    }
    return Body(**tree | parts)


def storeys_of(tree: Tree | None) -> Storeys | None:
    """Storeys from their fields."""
    return None if tree is None else Storeys(**tree | {"names": tuple(tree["names"])})


def geometry_of(tree: Tree | None) -> Geometry | None:
    """A geometry from its fields."""
    return (
        None
        if tree is None
        else Geometry(
            **tree
            | {
                "nodes": tuple(tree["nodes"]),
                "names": tuple(tree["names"]),
                "springs": tuple(tuple(springs) for springs in tree["springs"]),
            }
        )
    )


def _fields(record: Any) -> Mapping[str, Any] | None:
    return None if record is None else {each.name: getattr(record, each.name) for each in dataclasses.fields(record)}


def _load_tree(load: Load | LoadSum, step: float, duration: float) -> Tree:
    if isinstance(load, LoadSum):
        return {"sum": [_load_tree(part, step, duration) for part in load.parts]}
    names = ("patterns", "ground", "breaks", "shifts", "source")
    tree = {name: getattr(load, name) for name in names}
    if not callable(load.forces):
        return tree | {"samples": load.forces, "step": load.step}
    if type(load.forces).__name__ in FORMULAS:
        return tree | {"formula": type(load.forces).__name__, "numbers": vars(load.forces)}
    if isinstance(load.forces, Sampled):
        return tree | {"function": load.forces.values, "sampled_every": load.forces.step}
    every = step / PER_STEP
    values = load.node_values(every, PER_STEP * round(duration / step), quiet=True)[:, 0]
    # Samples stand on the clock of the run: what was shifted is behind them.
    return tree | {
        "note": "a function of time, kept as samples of the run's duration, exact at its nodes",
        "function": values,
        "sampled_every": every,
        "shifts": (),
        "breaks": tuple(time - sum(load.shifts) for time in load.breaks),
    }


def _part_of(tree: Tree) -> Load:
    given = {name: tree[name] for name in ("patterns", "ground", "breaks", "shifts")}
    given["source"] = tree.get("source", "")  # files from before loads knew theirs
    if "samples" in tree:
        return Load(tree["samples"], tree["step"], **given)
    if "function" in tree:
        return Load(Sampled(tree["function"], tree["sampled_every"]), **given)
    numbers = {name: tuple(value) if isinstance(value, list) else value for name, value in tree["numbers"].items()}
    return Load(FORMULAS[tree["formula"]](**numbers), **given)
