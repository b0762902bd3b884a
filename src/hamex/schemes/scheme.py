"""What a scheme is, and what it prepares.

A scheme is data with a name, an order, its step on the linear oscillator, the longest step with one solution, and
``prepare``, which returns a march: it takes any number of steps from a state and hands back the next one. A new scheme
is one module and one line in :mod:`hamex.schemes`, and files find it by its name. :class:`QuasiStatic` prepares
nothing: it is the scheme of a result under slow loading, which :mod:`hamex.solve.static` finds.

On the linear oscillator one step is a matrix without units, in which only Ω = ωh and ζ enter: x ← G x + H q. The
state is x = (u, h u̇), or (u, h u̇, h² ü) for schemes that carry their acceleration; the load is q = h² f/m at the
load nodes.
"""

from __future__ import annotations

import math
import mmap
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from hamex import schemes
from hamex.checks import check_range, is_positive
from hamex.errors import SchemeError
from hamex.names import read_stub

if TYPE_CHECKING:
    from hamex.model.record import Model
    from hamex.problem import Problem
    from hamex.schemes.solvers import Solver

Array = NDArray[Any]


@dataclass(frozen=True)
class LinearMap:
    """G (…, n, n) and H (…, n, k) for arrays of Ω; ``nodes`` (k,) are the load nodes as fractions of the step."""

    matrix: Array
    loading: Array
    nodes: Array

    @property
    def size(self) -> int:
        """Numbers in the state: 2, or 3 with the acceleration."""
        return int(self.matrix.shape[-1])


def start(
    size: int, Omega: Array | float, zeta: float, u: Array | float, hv: Array | float, q: Array | float = 0.0
) -> Array:
    """The state (…, size) of a displacement and h times a velocity; the acceleration, where carried, balances q."""
    acceleration = q - 2 * zeta * Omega * hv - np.square(Omega) * u
    return np.stack(np.broadcast_arrays(u, hv, acceleration)[:size], axis=-1).astype(float)


def alpha_map(
    Omega: Array | float, zeta: float, alpha_m: float, alpha_f: float, beta: float, gamma: float
) -> LinearMap:
    """Generalised-α: rows of u, of h u̇ and of the weighted balance."""
    Omega = np.asarray(Omega, dtype=float)
    ahead, behind = np.zeros((*Omega.shape, 3, 3)), np.zeros((*Omega.shape, 3, 3))
    damping, stiffness = 2 * zeta * Omega, Omega**2
    ahead[..., 0, :], behind[..., 0, :] = [1, 0, -beta], [1, 1, 0.5 - beta]
    ahead[..., 1, :], behind[..., 1, :] = [0, 1, -gamma], [0, 1, 1 - gamma]
    for rows, inertia, weight in ((ahead, 1 - alpha_m, 1 - alpha_f), (behind, -alpha_m, -alpha_f)):
        rows[..., 2, 0], rows[..., 2, 1], rows[..., 2, 2] = weight * stiffness, weight * damping, inertia
    load = np.zeros((*Omega.shape, 3, 2))
    load[..., 2, :] = [alpha_f, 1 - alpha_f]
    return LinearMap(np.linalg.solve(ahead, behind), np.linalg.solve(ahead, load), np.array([0.0, 1.0]))


def collocation_map(Omega: Array | float, zeta: float, theta: float, beta: float, gamma: float) -> LinearMap:
    """Wilson-θ and its kin: the balance stands at t + θh, the load carried on linearly."""
    Omega = np.asarray(Omega, dtype=float)
    ahead, behind = np.zeros((*Omega.shape, 3, 3)), np.zeros((*Omega.shape, 3, 3))
    damping, stiffness = 2 * zeta * Omega, Omega**2
    ahead[..., 0, :], behind[..., 0, :] = [1, 0, -beta], [1, 1, 0.5 - beta]
    ahead[..., 1, :], behind[..., 1, :] = [0, 1, -gamma], [0, 1, 1 - gamma]
    # A(t + θh) = (1 − θ) A₀ + θ A₁ inside Newmark's formulas over θh.
    ahead[..., 2, 2] = theta * (1 + damping * theta * gamma + stiffness * theta**2 * beta)
    of_velocity, of_displacement = 1 - gamma + gamma * (1 - theta), 0.5 - beta + beta * (1 - theta)
    behind[..., 2, 0] = -stiffness
    behind[..., 2, 1] = -damping - stiffness * theta
    behind[..., 2, 2] = theta - 1 - damping * theta * of_velocity - stiffness * theta**2 * of_displacement
    load = np.zeros((*Omega.shape, 3, 2))
    load[..., 2, :] = [1 - theta, theta]
    return LinearMap(np.linalg.solve(ahead, behind), np.linalg.solve(ahead, load), np.array([0.0, 1.0]))


def table_map(Omega: Array | float, zeta: float, A: Array, b: Array, c: Array) -> LinearMap:
    """Any Runge-Kutta table: all stages in one linear solve."""
    Omega = np.asarray(Omega, dtype=float)
    stages = len(c)
    system = np.zeros((*Omega.shape, 2, 2))
    system[..., 0, 1], system[..., 1, 0], system[..., 1, 1] = 1, -(Omega**2), -2 * zeta * Omega
    coupled = np.eye(2 * stages) - np.einsum("ij,...kl->...ikjl", A, system).reshape(*Omega.shape, 2 * stages, -1)
    push = np.zeros((stages, 2, stages))
    push[:, 1, :] = A
    known = np.concatenate([np.tile(np.eye(2), (stages, 1)), push.reshape(2 * stages, stages)], axis=1)
    stage = np.linalg.solve(coupled, np.broadcast_to(known, (*Omega.shape, *known.shape)))
    stage = stage.reshape(*Omega.shape, stages, 2, 2 + stages)
    slope = system[..., None, :, :] @ stage
    slope[..., 1, 2:] += np.eye(stages)
    change = np.einsum("i,...ijk->...jk", b, slope)
    return LinearMap(np.eye(2) + change[..., :2], change[..., 2:], np.asarray(c, dtype=float))


_NOTHING: Mapping[str, Array] = {}
# "beforehand": a step has one solution, or the run is refused; "reported": it is watched, and the result says until
# when.
Promise = Literal["beforehand", "reported"]


class Histories(Protocol):
    """What a scheme asks of a load; its own words are in :mod:`hamex.motion.load`."""

    def node_values(self, h: float, steps: int, quiet: bool = False) -> Array:
        """Channel values at the nodes, (steps + 1, k)."""

    def step_values(self, h: float, steps: int, rule: str, quiet: bool = False) -> Array:
        """One value per step and channel, (steps, k)."""

    def stage_values(self, h: float, steps: int, nodes: Sequence[float], rule: str, quiet: bool = False) -> Array:
        """Values at the stages, (steps, stage, k)."""


class Scheme:
    """Base of all schemes. By default a scheme reads its load at the nodes and takes it linear in between.

    Attributes
    ----------
    step : length of a step [s].
    order : of accuracy where the motion is smooth.
    continuous : the motion has no jumps between steps.
    means : its forces are means over the steps.
    at_ends : what it tells of a step (forces, loads) belongs to the end of the step, not to its middle.

    Examples
    --------
    >>> import hamex as hx
    >>> hx.Galerkin(step=0.02, degree=2).order, issubclass(hx.Newmark, Scheme)
    (4, True)
    """

    step: float
    order: ClassVar[int | property] = 2
    continuous: ClassVar[bool] = True
    means: ClassVar[bool] = False
    at_ends: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Name in messages and files."""
        return type(self).__name__

    @property
    def stages(self) -> int:
        """States of the structure that one step solves for together."""
        return 1

    @property
    def halves(self) -> bool:
        """True where steps are halved inside as often as it takes, so that the work has no bound known beforehand."""
        return False

    @property
    def unresolved(self) -> float:
        """Displacement up to which the instant of a yield may stay unseen inside a step [length]."""
        return math.inf

    def finer(self, parts: int) -> Scheme:
        """The same with a step divided by ``parts``, to estimate the error by."""
        return replace(self, step=self.step / parts)  # type: ignore[type-var]

    def balances(self, model: Model) -> bool:
        """True where the energy balance closes to rounding."""
        return False

    def loads(
        self, load: Histories, steps: int, quiet: bool = True, *, histories: Mapping[str, Array] = _NOTHING
    ) -> tuple[Array, Array]:
        """The values that enter the march, and their mean in each step (steps, k); ``quiet`` warns of nothing."""
        values = load.node_values(self.step, steps, quiet)
        return values, 0.5 * (values[:-1] + values[1:])

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        """One step on the linear oscillator as a matrix, Ω = ωh."""
        raise SchemeError(f"{self.name}: no linear map of one step")

    def sees(self, model: Model) -> Model:
        """The model with its laws in the form in which the scheme asks them."""
        return model

    def longest_step(self, model: Model) -> float:
        """Longest step with exactly one solution whatever the springs do [s]; infinite where any has."""
        return math.inf

    def prepare(self, problem: Problem, how: How) -> March:
        """What marches this problem; refuses what the scheme cannot do, by name, before any work."""
        raise SchemeError(f"{self.name}: this scheme records how a result came about; it does not march by itself")


def check_step(who: str, step: float) -> None:
    """Refuse a step that is not a positive number of seconds."""
    if not is_positive(step):
        raise SchemeError(f"{who}: step must be a positive number of seconds, got {step!r}")
    check_range(who, "step", step, SchemeError)


def on_dof(problem: Problem, channels: Array) -> Array:
    """Channel values on the one degree of freedom of an oscillator, summed channel by channel: a product of matrices
    rounds a block of one step in another way than many."""
    patterns = problem.acting.patterns
    if patterns is None:
        return channels[:, 0]
    return np.asarray(sum(weight * channels[:, i] for i, weight in enumerate(patterns[0].tolist())))


class TableScheme(Scheme):
    """A scheme whose step is a Runge-Kutta table: what it asks of the load and its map of the linear oscillator."""

    def table(self) -> tuple[Array, Array, Array]:
        """Matrix, weights and nodes of the step."""
        raise NotImplementedError

    def loads(
        self, load: Histories, steps: int, quiet: bool = True, *, histories: Mapping[str, Array] = _NOTHING
    ) -> tuple[Array, Array]:
        """Load at the nodes of each step, and its weighted mean."""
        _, weights, nodes = self.table()
        values = load.stage_values(self.step, steps, nodes.tolist(), "average", quiet)
        return values, np.einsum("i,rik->rk", weights, values)

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        """One step on the linear oscillator."""
        return table_map(Omega, zeta, *self.table())


_PAGE = 1 << 21  # bytes of a large page
_SPARE = 32  # large pages that are kept for the next run at most


class LargePages:
    """Memory in pages of 2 MB for numbers; it serves another run when nothing refers to it any more.

    The system clears memory as it is first written. In pages of 2 MB that costs 0.6 ns a number, in small ones 4, which
    is more than a step of most kernels; memory that was written before costs nothing.
    """

    spare: ClassVar[list[tuple[int, Any]]] = []  # pages and memory

    def __init__(self, count: int) -> None:
        self.pages = -(-8 * count // _PAGE)
        self.memory: Any = None
        fits = [each for each in self.spare if each[0] == self.pages]
        try:
            self.spare.remove(fits[-1])
            self.memory = fits[-1][1]
        except (IndexError, ValueError):  # none, or another thread took it
            self.memory = self._fresh()
        first = np.frombuffer(self.memory, dtype=np.uint8).__array_interface__["data"][0]
        self.__array_interface__ = {
            "version": 3,
            "shape": (count,),
            "typestr": np.dtype(float).str,
            "data": (first + -first % _PAGE, False),
        }

    def _fresh(self) -> Any:
        memory = mmap.mmap(-1, (self.pages + 1) * _PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        with suppress(OSError):  # a system without large pages
            memory.madvise(mmap.MADV_HUGEPAGE)
        return memory

    def __del__(self) -> None:
        if self.memory is not None and sum(pages for pages, _ in self.spare) + self.pages <= _SPARE:
            self.spare.append((self.pages, self.memory))


def room_for(*shapes: tuple[int, ...]) -> list[Array]:
    """Arrays for histories, one behind the other in one block of memory; what they hold is anything.

    >>> [array.shape for array in room_for((3,), (2, 4))]
    [(3,), (2, 4)]
    """
    sizes = [math.prod(shape) for shape in shapes]
    block, arrays = _block(sum(sizes)), []
    for size, shape in zip(sizes, shapes, strict=True):
        arrays.append(block[:size].reshape(shape))
        block = block[size:]
    return arrays


def _block(count: int) -> Array:
    if 8 * count >= _PAGE // 2 and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # no room: NumPy says so in its own words
            return np.asarray(LargePages(count))
    return np.empty(count)


@dataclass(frozen=True, eq=False)
class Ran:
    """What some steps left.

    Attributes
    ----------
    nodes : histories at the nodes, the start included, by name, (node, …), in the model's order.
    steps : histories of the steps, (step, …).
    end : the next state by name: everything a restart needs.
    inside : stage values of elements with several stages, (step, …) by name, or None.
    uncertain : 0, or the number of the first of these steps whose solution may be one of several.
    """

    nodes: dict[str, Array]
    steps: dict[str, Array]
    end: dict[str, Array]
    inside: Any = None
    uncertain: int = 0


class March(Protocol):
    """Steps of one length on one problem, prepared once."""

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """``steps`` steps from the state ``now`` at the node ``first`` on; bits do not depend on how a run is cut."""


@dataclass(frozen=True)
class How:
    """How a march is to be run.

    Attributes
    ----------
    steps : how many will be taken in all, for the choice to compile.
    quiet : no warnings about the load.
    promise : of one solution per step.
    solver : of the linear systems of a step; None: what costs least.
    """

    steps: int
    quiet: bool = False
    promise: Promise = field(default="beforehand")
    solver: Solver | None = None


def joined(parts: list[Ran]) -> Ran:
    """Several marches in a row as one."""
    if len(parts) == 1:
        return parts[0]
    nodes = {
        name: np.concatenate([parts[0].nodes[name], *(part.nodes[name][1:] for part in parts[1:])])
        for name in parts[0].nodes
    }
    steps = {name: np.concatenate([part.steps[name] for part in parts]) for name in parts[0].steps}
    inside = None if parts[0].inside is None else parts[0].inside.joined([part.inside for part in parts])
    before = np.cumsum([0, *(len(part.steps["force"]) for part in parts)]).tolist()
    uncertain = (at + part.uncertain for at, part in zip(before, parts, strict=False) if part.uncertain)
    return Ran(nodes, steps, parts[-1].end, inside, next(uncertain, 0))


@dataclass(frozen=True)
class QuasiStatic(Scheme):
    """Slow loading in increments, which count as time: what :func:`hamex.pushover` and its kin record as scheme.

    A result of an increment (force, storey shear, hinge moment, load …) is that at its end, in equilibrium with its
    load.

    Examples
    --------
    >>> QuasiStatic(by="force").step
    1.0
    """

    at_ends = True

    by: Literal["displacement", "force"] = "displacement"
    step: float = 1.0

    def loads(
        self, load: Histories, steps: int, quiet: bool = True, *, histories: Mapping[str, Array] = _NOTHING
    ) -> tuple[Array, Array]:
        """The run found the factor of the first channel itself, and keeps it; the second is there all the time."""
        factor = histories["load_factor"]
        values = np.column_stack([factor, np.ones_like(factor)])
        return values, 0.5 * (values[:-1] + values[1:])


_registered: dict[str, type[Scheme]] = {}  # schemes of other packages and of users, by name


def register(scheme: type[Scheme]) -> type[Scheme]:
    """Make a scheme of your own known to result files; may decorate its class.

    Examples
    --------
    >>> register(by_name("Galerkin")).__name__
    'Galerkin'
    """
    if not (isinstance(scheme, type) and issubclass(scheme, Scheme)):
        raise SchemeError(f"register: a scheme is a class below hamex.schemes.Scheme, got {scheme!r}")
    _registered[scheme.__name__] = scheme
    return scheme


def known() -> dict[str, type[Scheme]]:
    """All schemes by name.

    Examples
    --------
    >>> "Newmark" in known()
    True
    """
    return {scheme.__name__: scheme for scheme in _ours()} | _registered


def _ours() -> Iterator[type[Scheme]]:
    """In the order of the stub, each loaded when it is its turn."""
    for home in read_stub(schemes.__name__, schemes.__file__).values():
        one = home.load()
        if isinstance(one, type) and issubclass(one, Scheme) and one is not Scheme:
            yield one


def find(kind: str) -> type[Scheme] | None:
    """The scheme of a kind, as problem files say it, None where there is none; schemes that come after it are not
    loaded."""
    return next((scheme for scheme in chain(_registered.values(), _ours()) if kind_of(scheme) == kind), None)


def kind_of(scheme: type[Scheme]) -> str:
    """What problem files call it: its name in small letters.

    >>> kind_of(by_name("LeapFrog"))
    'leap_frog'
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", scheme.__name__).lower()


def by_name(name: str) -> type[Scheme]:
    """The scheme of a name, as files have it.

    Examples
    --------
    >>> by_name("Galerkin")(step=0.02).step
    0.02
    """
    found = _registered.get(name) or next((scheme for scheme in _ours() if scheme.__name__ == name), None)
    if found is None:
        raise SchemeError(
            f"there is no scheme {name!r}; known are {', '.join(known())}. A scheme of your own must be "
            "registered (hamex.schemes.register) before files that use it are read"
        )
    return found
