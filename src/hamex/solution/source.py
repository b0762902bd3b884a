"""Where a solution comes from: a run of a problem with a scheme, or a record that kept no problem; and its provenance,
what a reader needs to repeat a run, as words and one hash of every number that enters it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from hamex import __version__
from hamex.errors import NoProblemError
from hamex.model.algebra import diagonal
from hamex.model.laws.law import Law
from hamex.model.layout import Geometry, Layout, Storeys
from hamex.model.record import Model, dense, law_arrays
from hamex.model.solids.body import Body
from hamex.model.units import Units
from hamex.problem import Problem
from hamex.problem.loads import Loading, base_motion, loads_of, support_motion
from hamex.schemes import Scheme
from hamex.schemes.families import ElementScheme, NodeScheme
from hamex.solution.outline import Answers, Driven, Extent, Promises, UnitNames

Array = NDArray[Any]
OLD_FILE = "the file was written by a version of hamex that kept histories and no problem"
_SMALL = 400  # dofs up to which all eigenvalues of a stiffness are looked at
_ROUNDING = 1e-12  # of its largest entry: what counts as zero
THRIFTY = "the file was written with save(problem=False)"


def provenance(problem: Problem, scheme: Scheme, loading: Loading) -> dict[str, str]:
    """Version, scheme and hash; the hash covers every number under its name."""
    start, words = problem.start, repr(scheme)
    numbers = {
        **model_numbers(problem.model),
        "duration": problem.duration,
        "load": loading.entered,
        "patterns": loading.patterns,
        "moved": loading.moved,
        "prior_impulse": problem.prior_impulse,
        "displacement": start.displacement,
        "momentum": start.momentum,
        "slip": start.slip,
        **start.internal,
    }
    digest = hashlib.sha256(words.encode())
    for part in named_bytes(numbers):
        digest.update(part)
    return {"hamex": __version__, "scheme": words, "problem": digest.hexdigest()}


def one_solution(model: Model, scheme: Scheme, extent: Extent) -> str:
    """How far each step of a run has one solution, in words."""
    if not isinstance(scheme, ElementScheme | NodeScheme):
        return "not promised by this scheme"
    if extent.uncertain is not None:
        return f"watched: certain up to {extent.uncertain:g} s and not from there on"
    if extent.promise == "reported":
        return "watched: no step showed a second one"
    theirs = sorted({group.law.__name__ for group in model.laws.values() if not of_this_house(group.law)})
    word = f" on the word of the author of {', '.join(theirs)}" if theirs else ""
    return f"promised beforehand{word}"


def of_this_house(law: type[Law]) -> bool:
    """True for laws whose softest tangent is known here; of others their author states it."""
    return law.__module__.startswith("hamex.")


def contracts(model: Model, scheme: Scheme) -> bool:
    """True where two motions under one load are proved never to part: sliders of any kind, in the mean or in the path
    form of the element of one stage, and no negative stiffness beside them."""
    sliders = all(group.law.kind == "slider" for group in model.laws.values() if len(group.first))
    if not (isinstance(scheme, ElementScheme) and scheme.whole and sliders):
        return False
    K = model.stiffness
    if not np.any(K if isinstance(K, np.ndarray) else K.data):
        return True
    least = np.linalg.eigvalsh(dense(K))[0] if len(model.dofs) <= _SMALL else -np.inf
    return bool(least >= -_ROUNDING * np.abs(diagonal(K)).max())


def model_numbers(model: Model) -> dict[str, Any]:
    """Every number of a model that enters a run, by name."""
    c = model.damping
    laws = {f"{kind}.{name}": value for kind, group in law_arrays(model).items() for name, value in group.items()}
    return {
        "M": model.mass,
        "C": c.matrix,
        "modes": c.shapes,
        "weights": c.weights,
        "K": model.stiffness,
        "A": model.flexibility,
        "B": model.compatibility,
        **laws,
    }


def named_bytes(numbers: Mapping[str, Any]) -> list[bytes]:
    """Numbers, arrays and sparse matrices as bytes, each with its name and shape, in the order of the names."""
    parts = []
    for name in sorted(numbers):
        for array in _arrays(numbers[name]):
            parts += [f"{name}{array.shape}".encode(), array.tobytes()]
    return parts


def _arrays(number: Any) -> list[Array]:
    """A number, array or sparse matrix as plain arrays that identify it."""
    if number is None:
        return []
    if not isinstance(number, np.ndarray) and hasattr(number, "tocsr"):
        matrix = number.tocsr().sorted_indices()
        return [np.asarray(matrix.indptr, dtype=np.int64), np.asarray(matrix.indices, dtype=np.int64), matrix.data]
    return [np.ascontiguousarray(number, dtype=float)]


@dataclass(frozen=True)
class KeptUnits:
    """Unit names as they stand in a record."""

    length: str
    force: str


@dataclass(frozen=True, eq=False)
class Run:
    """A problem marched with a scheme."""

    problem: Problem
    scheme: Scheme

    @property
    def layout(self) -> Layout:
        """Names and places of dofs and springs."""
        return self.problem.model

    @property
    def units(self) -> Units:
        """Names of the units of length and force."""
        return self.problem.model.units

    @property
    def step(self) -> float:
        """Length of a step [s]."""
        return self.scheme.step

    @property
    def at_ends(self) -> bool:
        """True where results of a step belong to its end."""
        return self.scheme.at_ends

    @property
    def by(self) -> str:
        """Name of what marched."""
        return type(self.scheme).__name__

    def loading(self, histories: Mapping[str, Array], steps: int) -> Loading:
        """The load of the run."""
        return loads_of(self.problem, self.scheme, histories, steps)

    def base(self, steps: int) -> Array | None:
        """Mean displacement of moving supports, (node, direction) [length]; None when they stand still."""
        return base_motion(self.problem, self.step, steps)

    def driven(self, steps: int, every: int, count: int) -> Driven | None:
        """Motion of the supports in ``steps`` steps, at ``count`` nodes, one of ``every``; None at rest."""
        if self.problem.supports is None:
            return None
        return Driven.of(support_motion(self.problem.supports, self.step, steps), self.step, every, count)

    def provenance(self, solution: Answers) -> dict[str, str]:
        """Version, scheme and hash of the problem, and the solver where it is a choice."""
        solver = {"solver": solution.extent.solver} if solution.extent.solver else {}
        words = provenance(self.problem, self.scheme, solution.loading) | solver
        return words | {"promises": str(self.promises(solution.extent))}

    def promises(self, extent: Extent) -> Promises:
        """What was promised of the run, and whether it held."""
        model = self.scheme.sees(self.problem.model)
        balance = "closes to rounding" if self.scheme.balances(model) else "not promised by this scheme"
        proved = "claimed: two motions under one load never part" if contracts(model, self.scheme) else "not claimed"
        return Promises(one_solution(model, self.scheme, extent), proved, balance)


@dataclass(frozen=True, eq=False)
class KeptLayout(Layout):
    """Names and places of dofs and springs, as a record keeps them."""

    dofs: tuple[str, ...]
    springs: tuple[str, ...] = ()
    directions: tuple[str, ...] = ("x",)
    influence: Array = field(default_factory=lambda: np.zeros((0, 0)))
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    storeys: Storeys | None = None
    geometry: Geometry | None = None
    yields: Array = field(default_factory=lambda: np.zeros(0, dtype=bool))
    together: Array = field(default_factory=lambda: np.zeros(0, dtype=bool))
    body: Body | None = None
    angles: tuple[str, ...] = ()  # dofs of an action that are angles

    @cached_property
    def turning_dofs(self) -> Array:
        """(dof,), True for rotations, whose unit differs."""
        return np.array([name in self.angles for name in self.dofs]) if self.angles else super().turning_dofs


@dataclass(frozen=True, eq=False)
class HistoriesOnly:
    """Histories without a problem: all that can be computed from them stands among them.

    Attributes
    ----------
    why : there is no problem, for the error that says so.
    words : provenance, as it was.
    moved : mean displacement of moving supports, (node, direction) [length], or None.
    at_ends : results of a step belong to its end: slow loading.
    supported : motion of the supports of a body, or None.
    """

    why: str
    layout: Layout
    units: UnitNames
    step: float
    words: Mapping[str, str]
    moved: Array | None = None
    at_ends: bool = False
    supported: Driven | None = None

    @property
    def problem(self) -> NoReturn:
        """There is none."""
        raise NoProblemError(
            f"the solution does not know its problem: {self.why}. Histories, peaks and energies are "
            "there; to go on from its end, build the problem again with start=solution.final"
        )

    @property
    def scheme(self) -> NoReturn:
        """There is none."""
        raise NoProblemError(f"the solution does not know its scheme: {self.why}. Its provenance names it: {self.by}")

    @property
    def by(self) -> str:
        """Name of what marched."""
        return self.words["scheme"].partition("(")[0]

    def loading(self, histories: Mapping[str, Array], steps: int) -> NoReturn:
        """There is none."""
        raise NoProblemError(f"the solution does not know its load: {self.why}")

    def base(self, steps: int) -> Array | None:
        """Mean displacement of moving supports, (node, direction) [length]; None when they stand still."""
        return self.moved

    def driven(self, steps: int, every: int, count: int) -> Driven | None:
        """Motion of the supports of a body; None at rest."""
        return self.supported

    def promises(self, extent: Extent) -> Promises:
        """What was promised of the run, as it was told."""
        texts = self.words.get("promises", "").split("; ")
        if len(texts) != len(Promises._fields):
            return Promises(*("not known" for _ in Promises._fields))
        return Promises(*(words[len(name) + 1 :] for name, words in zip(Promises._fields, texts, strict=True)))

    def provenance(self, solution: Answers) -> dict[str, str]:
        """Version, scheme and hash of the problem."""
        return dict(self.words)
