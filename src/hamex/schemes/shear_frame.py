"""Shear frames with one slider per storey, or storeys that are followed along their path: recognised by their record,
one of them or many as arrays, and the tridiagonal routes of the linear element for one; those for many are
:mod:`hamex.solve.cases` and :mod:`hamex.solve.followed`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ConvergenceError, ModelError
from hamex.march import followed as frame
from hamex.march import shear_frame as t
from hamex.march.run import Kernel, around_law, entered, place, worth_compiling
from hamex.march.springs import along, followed
from hamex.march.tables import Table
from hamex.model.algebra import diagonal
from hamex.model.laws.law import Law
from hamex.model.laws.path import at_start
from hamex.model.record import Model, dense, once
from hamex.model.shear_frames import ARRAYS, ShearFrames
from hamex.problem import Problem
from hamex.problem.loads import loads_between
from hamex.schemes._generated import linear_element as linear_element_form
from hamex.schemes.prepare import FILLED, LONG, lift, softening
from hamex.schemes.promised import check_promise
from hamex.schemes.scheme import How, Ran, room_for
from hamex.schemes.springs import States, can_break, effort_of, law_kernels, prepared_springs, spring_blocks, states

if TYPE_CHECKING:
    from hamex.schemes.families import ElementScheme
    from hamex.schemes.scheme import March

Array = NDArray[Any]
_STEPS_KEPT = 4  # lengths of steps whose numbers stay with a frame
_WORK_PER_STOREY = 6  # a storey's step in units of an oscillator's, for the choice to compile
_HISTORIES = (t.U, t.P, t.SLIP, t.BACK, t.PATH, t.FORCE)
_WORK_PER_FOLLOWED = 10  # the same of a storey that is followed along its path, by the effort of its law


def is_shear_frame(model: Model) -> bool:
    """True for floors in a row, each on one storey spring with a slider, and matrices no wider than that."""
    return set(model.laws) == {"slider"} and not model.damping.weights.size and _in_a_row(model)


def is_modal_frame(model: Model, h: float) -> bool:
    """True for the same with so many modes damped one by one that the inverse of a step's matrix is full anyhow, and
    keeps its digits in a step of h seconds."""
    rank = model.damping.weights.size
    if not rank or rank * FILLED < len(model.dofs) or set(model.laws) != {"slider"} or not _in_a_row(model):
        return False
    return frame_numbers(model, h).matrix is not None


def is_followed_frame(model: Model) -> bool:
    """True for floors in a row on storeys that are followed along their path, some of them; others may have sliders in
    the mean form."""
    laws = laws_of(model)
    blocked = model.damping.weights.size or any(group.blocked for group in model.laws.values())
    if blocked or not any(law.form == "path" for law in laws) or not _in_a_row(model):
        return False
    return all(law.form == "flow" or law.spring_piece or law.spring_along for law in laws)


def laws_of(model: Model) -> list[type[Law]]:
    """Laws that springs of the model have, group by group."""
    return [group.law for group in model.laws.values() if len(group.first)]


@once
def _in_a_row(model: Model) -> bool:
    n, B = len(model.dofs), model.compatibility
    if len(model.springs) != n or n < 2:
        return False
    if not hasattr(B, "indptr") or B.format != "csr" or B.nnz != 2 * n - 1:
        return False
    straight = np.minimum(2 * np.arange(n + 1), 2 * n - 1)
    i = np.arange(2 * n - 1)
    return bool(
        np.array_equal(B.indptr, straight)
        and np.array_equal(B.indices, (i + 1) // 2)
        and np.array_equal(B.data, 1.0 - 2.0 * (i % 2))
        and _within(model.mass, 0)
        and _within(model.flexibility, 0)
        and np.all(model.mass.diagonal() > 0)
        and _within(model.stiffness, 1)
        and _within(model.damping.matrix, 1)
    )


def _within(matrix: Any, width: int) -> bool:
    """True when no stored entry lies further than ``width`` from the diagonal."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return bool(np.all(np.abs(rows - matrix.indices) <= width))


def storeys_of(model: Model) -> dict[str, Array]:
    """A shear frame as arrays (storey,), by the names of :class:`hamex.ShearFrames`."""
    return dict(_sliders(model))


@once
def _sliders(model: Model) -> dict[str, Array]:
    law = model.laws["slider"]
    order = np.argsort(law.springs)
    return {
        "mass": model.mass.diagonal(),
        "stiffness": 1 / model.flexibility.diagonal(),
        "damping_main": model.damping.matrix.diagonal(),
        "damping_side": _side(model.damping.matrix),
        "geometric_main": model.stiffness.diagonal(),
        "geometric_side": _side(model.stiffness),
        "yield_force": law.yield_force[order],
        "viscosity": law.viscosity[order],
        "kinematic": law.kinematic[order],
        "isotropic": law.isotropic[order],
    }


def shear_frame_rows(x: Mapping[str, Array], h: float) -> tuple[Array, ...]:
    """Rows of :mod:`hamex.march.shear_frame` from the generated step form; arrays (…, storey), one frame or many."""
    form = linear_element_form(h)
    start, end = form["motion_start"]["du"], form["motion_end"]["du"]
    tau = lift(form["spring_start"], {"a": 1.0, "b": 1.0})["g"]
    mass, k = x["mass"], x["stiffness"]
    mains: Any = {"m": mass, "c": x["damping_main"], "k": x["geometric_main"]}
    sides: Any = {"m": np.zeros_like(mass), "c": x["damping_side"], "k": x["geometric_side"]}
    main, side = (np.asarray(lift({"du": start}, blocks)["du"]) for blocks in (mains, sides))
    rate = 1 / (x["viscosity"] + tau * (k + x["kinematic"] + x["isotropic"]))
    kappa = tau * k * rate
    return (
        main,
        side,
        mains["k"],
        sides["k"],
        (start["m"] - end["m"]) * mass,
        k,
        x["yield_force"],
        x["kinematic"],
        x["isotropic"],
        rate,
        kappa,
        1.0 - kappa,
        np.zeros_like(mass),
    )


def _long_rows(x: Mapping[str, Array], rows: Array, h: float) -> Array:
    """The rows for a step that is long for some storey, hω beyond some hundred: what is small there is computed by
    itself and not as the rest of what is large."""
    tau, (main, side) = 0.5 * h, rows[[t.MAIN, t.SIDE]]
    above = np.append(side[1:], 0.0)
    alone = main + side + above
    links = 0.5 * tau * x["stiffness"] - side
    if np.any(links + np.append(links[1:], 0.0) > LONG * alone) and np.all(alone > 0) and np.all(side <= 0):
        rows[t.ALONE] = alone
        rows[t.FREE] = rows[t.RATE] * (x["viscosity"] + tau * (x["kinematic"] + x["isotropic"]))
    return rows


class FrameNumbers(NamedTuple):
    """What steps of some length need of a shear frame: its rows, whether K is not zero and storeys harden, and with
    modal damping the inverse of the matrix at rest."""

    table: Array
    softens: int
    hardens: int
    matrix: tuple[Array, ...] | None


@once
def _by_step(model: Model) -> dict[float, FrameNumbers]:
    return {}


def frame_numbers(model: Model, h: float) -> FrameNumbers:
    """The numbers of a frame for steps of h seconds; those of a few steps are kept."""
    kept = _by_step(model)
    if h not in kept:
        if len(kept) >= _STEPS_KEPT:
            kept.clear()
        storeys = _sliders(model)
        table = _long_rows(storeys, np.stack(shear_frame_rows(storeys, h)).astype(float, copy=False), h)
        softens, hardens = np.any(model.stiffness.data), np.any(table[[t.KINEMATIC, t.ISOTROPIC]] > 0)
        kept[h] = FrameNumbers(table, int(softens), int(hardens), _at_rest(model, table, h))
    return kept[h]


def _at_rest(model: Model, table: Array, h: float) -> tuple[Array, ...] | None:
    """The inverse of M̂ + C/2 + (h/4) B k Bᵀ; None where no modes are damped one by one, or it would lose digits."""
    damping, side = model.damping, table[t.SIDE, 1:]
    if not damping.weights.size or table[t.ALONE].any():
        return None
    share = linear_element_form(h)["motion_start"]["du"]["c"]
    base = np.diag(table[t.MAIN]) + np.diag(side, 1) + np.diag(side, -1)
    base += (damping.shapes * (share * damping.weights)) @ damping.shapes.T
    return softening(base, 0.5 * h * table[t.STIFF])


def _side(matrix: Any) -> Array:
    """Entries (i, i − 1), the first one zero."""
    return np.concatenate([[0.0], matrix.diagonal(-1)])


def settles(machine: bool) -> int:
    """Where Newton with a line search is, for one frame."""
    whole, real = np.zeros(1, dtype=np.int64), np.zeros(1)
    return place(t.settle, 0, real, real, 0.0, real, real, real, real, whole, whole, compile=machine)


class ShearFrameMarch:
    """Nearly always the branches of the last step still hold, and one pair of sweeps is the whole step."""

    kernel: ClassVar[Kernel] = staticmethod(t.shear_frame)
    calls: ClassVar[tuple[Kernel, ...]] = (t.mended, t.settle)  # by address
    full = 0  # 1 where the matrix of a step is

    def __init__(self, problem: Problem, scheme: ElementScheme, how: How) -> None:
        self.problem, self.scheme, self.how = problem, scheme, how
        model, self.n = problem.model, len(problem.model.dofs)
        numbers = frame_numbers(model, scheme.step)
        self.hardens = numbers.hardens
        if numbers.softens:
            check_promise(model, scheme)
        self.N, self.R, n = Table(t.SOFT + 1, np.int64), Table(t.CAP + 1), self.n
        self.N[t.HEAD] = np.array([n, 0, 0, self.hardens, numbers.softens, 0, 0, 0])
        self.N[t.COUNT], self.N[t.SOFT] = np.zeros(2, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self.R[t.FRAME], self.R[t.WORK] = numbers.table, np.zeros((t.ROWS, n))
        if numbers.matrix is not None:
            for slot, array in zip(range(t.INVERSE, t.CAP + 1), (*numbers.matrix, np.zeros((n, n))), strict=True):
                self.R[slot] = array
        work = how.steps * n * (_WORK_PER_STOREY + self.full * n // 4)
        machine = worth_compiling(work, self.kernel, *self.calls)
        if self.calls:
            self.N[t.HEAD][t.SETTLE] = settles(machine)
            self.N[t.HEAD][t.MENDED] = place(t.mended, self.N, self.R, 0.0, 0, 0, 0, compile=machine)
        self.run = entered(self.kernel, self.N, self.R, 0.0, compile=machine)

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        loads = loads_between(self.problem, self.scheme, first, steps, self.how.quiet or first > 0)
        means, hard = np.ascontiguousarray(loads.means), self.hardens * steps + 1
        whole, n = (steps + 1, self.n), self.n
        u, p, slip, X, w, F = room_for(whole, whole, whole, (hard, n), (hard, n), (steps, n))
        u[0], p[0], slip[0] = now["displacement"], now["momentum"], now["slip"]
        X[0], w[0] = now["back_force"], now["accumulated_slip"]
        branch = self.N[t.BRANCH] = now.get("branch", np.zeros(n)).astype(np.int64)
        solves, searches = (np.zeros(steps, dtype=np.int64) for _ in range(2))
        path = u, p, slip, X, w, F, solves, searches, branch
        self.R[t.PATTERNS], at = np.ascontiguousarray(loads.patterns.T), 0
        while at < steps:
            self.N[t.HEAD][[t.STEPS, t.CHANNELS]] = steps - at, means.shape[1]
            self.N[t.SOLVES], self.N[t.SEARCHES], self.R[t.LOAD] = solves[at:], searches[at:], means[at:]
            for slot, array, row in zip(_HISTORIES, path, self._rows(at), strict=False):
                self.R[slot] = array[row:]
            failed = int(self.run(self.N, self.R, float(self.scheme.step)))
            if not failed:
                break
            at += failed
            self._cut(path, first, at)
        nodes = {"displacement": u, "momentum": p, "slip": slip}
        hardening = {"back_force": X, "accumulated_slip": w}
        end = {name: history[-1].copy() for name, history in (nodes | hardening).items()}
        nodes |= hardening if self.hardens else {}
        steps_of = {"force": F, "solves": solves, "searches": searches}
        return Ran(nodes, steps_of, {**end, "branch": branch.astype(float)})

    def _rows(self, node: int) -> list[int]:
        """Where the node, or the step behind it, stands in the histories."""
        return [node] * 3 + [self.hardens * node] * 2 + [node]

    def _cut(self, path: Sequence[Array], first: int, at: int) -> None:
        """Say which step was not solved."""
        raise _unsolved(first + at, self.scheme.step)


class ModalFrameMarch(ShearFrameMarch):
    """The same with modes that are damped one by one; a step whose branches full Newton steps do not find is taken as
    that of any structure."""

    kernel, calls, full = staticmethod(t.modal_frame), (), 1
    general: March | None = None

    def _cut(self, path: Sequence[Array], first: int, at: int) -> None:
        """Take step ``at`` as that of any structure, and write what it left."""
        from hamex.schemes.families import galerkin_march

        if self.general is None:
            self.general = galerkin_march(self.problem, self.scheme, self.how)
        names = ("displacement", "momentum", "slip", "back_force", "accumulated_slip")
        last = zip(names, path, self._rows(at - 1), strict=False)
        now = {name: array[row].copy() for name, array, row in last}
        done = self.general.advance({**now, "branch": path[-1].astype(float)}, first + at - 1, 1)
        for name, array, row in zip(names, path, self._rows(at), strict=False):
            array[row] = done.end[name]
        for name, array in zip(("force", "solves", "searches"), path[5:], strict=False):
            array[at - 1] = done.steps[name][0]
        path[-1][:] = done.end["branch"]


class FollowedStoreys(NamedTuple):
    """Floors in a row on storeys that are followed along their path, as :mod:`hamex.march.followed` takes them.

    Attributes
    ----------
    P : (storey, width), the numbers of the one law; of several laws their groups.
    table : rows of the frame, (row, floor).
    states : where the variables of each storey stand.
    """

    P: Any
    table: Array
    states: States

    @classmethod
    def of(cls, model: Model, h: float, machine: bool = True) -> FollowedStoreys:
        """A frame as the scheme sees it, for steps of h seconds, of compiled code or of plain Python."""
        P: Any
        if len(laws_of(model)) == 1:
            P, places = cls._rows(model)
        else:
            P = prepared_springs(model, spring_blocks(model), 0.5 * h, "mean", "shear frame", machine)
            places = states(model)
        form, matrices = linear_element_form(h), (model.mass, model.damping.matrix, model.stiffness)
        mains: Any = dict(zip("mck", (matrix.diagonal() for matrix in matrices), strict=True))
        sides: Any = dict(zip("mck", map(_side, matrices), strict=True))
        start, end = form["motion_start"]["du"], form["motion_end"]["du"]
        main, side = (np.asarray(lift({"du": start}, blocks)["du"]) for blocks in (mains, sides))
        inertia, k = (start["m"] - end["m"]) * mains["m"], 1 / diagonal(model.flexibility)
        table = np.array([main, side, mains["k"], sides["k"], inertia, k, mains["m"]], dtype=float)
        return cls(P, table, places)

    @staticmethod
    def _rows(model: Model) -> tuple[Any, States]:
        kind, group = next((kind, group) for kind, group in model.laws.items() if len(group.first))
        prepared = group.law.prepared(group, model.spring_stiffness[kind], 1.0)
        names, storeys = group.law.variables, np.arange(len(group.first))
        own = {name: (storeys, len(names) * storeys + v) for v, name in enumerate(names)}
        P = np.ascontiguousarray(prepared[np.argsort(group.first)], dtype=float)
        return P, States(len(names) * len(storeys), len(names) * storeys, own)

    def tables(self, steps: int = 0, cases: int = 0) -> tuple[Table, Table]:
        """What kernels read, with room for one run at a time; loads, histories and cases are still to come."""
        N, R, n = Table(frame.BRANCH + 1, np.int64), Table(frame.BLOCK + 1), self.table.shape[1]
        R[frame.NUMBERS], R[frame.SPACE] = self.table, np.zeros((frame.ROOM, n))
        R[frame.AFTER] = np.empty(self.states.size)
        if isinstance(self.P, np.ndarray):
            R[frame.LAW], width = self.P, self.P.shape[1]
        else:
            (N[frame.GROUPS], N[frame.LAWS], R[frame.LAW]), width = self.P, 0
            N[frame.BRANCH], R[frame.STRETCH], R[frame.BLOCK] = np.zeros(n, dtype=np.int64), np.zeros(n), np.zeros(1)
        N[frame.HEAD] = np.array([n, steps, cases, self.states.size, width])
        return N, R


def around_step(loop: Kernel, laws: Sequence[type[Law]]) -> Kernel:
    """A loop over the steps of a frame around the law of its storeys; around calls by address where they have
    several."""
    if len(laws) > 1:
        storeys: Kernel = frame.groups_at
    elif laws[0].spring_piece is not None:
        spring = around_law(followed, "spring_piece", laws[0].spring_piece)
        storeys = around_law(frame.storeys_at, "spring_in_step", spring, inlines=True)
    else:
        assert laws[0].spring_along is not None
        spring = around_law(along, "spring_along", laws[0].spring_along)
        storeys = around_law(frame.storeys_at, "spring_in_step", spring, inlines=True)
    search = around_law(frame.frame_search, "storeys_at", storeys)
    solved = around_law(around_law(frame.solved_frame, "storeys_at", storeys), "frame_search", search)
    step = around_law(frame.stepped_frame, "solved_frame", solved)
    if len(laws) > 1:
        step = around_law(frame.stepped_groups, "stepped_frame", step)
    return around_law(loop, "stepped_frame", step)


class FollowedFrame:
    """The linear time element on floors in a row whose storeys are followed along their path: Newton's steps by
    tridiagonal sweeps."""

    def __init__(self, problem: Problem, scheme: ElementScheme, how: How) -> None:
        self.problem, self.scheme, self.how = problem, scheme, how
        model = self.model = scheme.sees(problem.model)
        check_promise(model, scheme)
        laws = laws_of(model)
        kernel = around_step(frame.one_frame, laws)
        self.general: March | None = None  # for steps in which a storey breaks
        by_address = law_kernels(model, "mean", scheme.name) if len(laws) > 1 else []
        machine = worth_compiling(how.steps * _WORK_PER_FOLLOWED * effort_of(model), kernel, *by_address)
        self.storeys = FollowedStoreys.of(model, scheme.step, machine)
        self.N, self.R = self.storeys.tables()
        self.run = entered(kernel, self.N, self.R, 0.0, compile=machine)

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        loads = loads_between(self.problem, self.scheme, first, steps, self.how.quiet or first > 0)
        model, states, N, R = self.model, self.storeys.states, self.N, self.R
        names, h = states.variables, float(self.scheme.step)
        if first == 0:
            start, size = model.deformation(now["displacement"]), model.spans(now["displacement"])
            now = {**now, **at_start(model.laws, model.spring_stiffness, start, size, now)}
        n, many = len(model.dofs), states.size
        u, p, z, F = room_for(*((steps + 1, size) for size in (n, n, many, n)))
        F, u[0], p[0], z[0] = F[1:], now["displacement"], now["momentum"], states.packed(now)
        solves, events = np.zeros(steps, dtype=np.int64), self._events(steps)
        push = np.zeros((steps, n))  # channel by channel: where a run is cut changes no bit
        for value, pattern in zip(loads.means.T, loads.patterns.T, strict=True):
            push += value[:, None] * pattern
        at = 0
        while at < steps:
            N[frame.HEAD][frame.STEPS], N[frame.SOLVED], R[frame.LOAD] = steps - at, solves[at:], push[at:]
            R[frame.U], R[frame.P], R[frame.Z], R[frame.FORCES] = u[at:], p[at:], z[at:], F[at:]
            failed = int(self.run(N, R, h))
            if not failed:
                break
            at += failed
            if solves[at - 1] != frame.BREAKING:
                raise _unsolved(first + at, h)
            last = {"displacement": u[at - 1], "momentum": p[at - 1]}
            last |= {name: states.unpacked(z[at - 1], name) for name in names}
            cut = self._cut(last, first + at - 1)
            u[at], p[at], z[at] = cut.end["displacement"], cut.end["momentum"], states.packed(cut.end)
            F[at - 1], solves[at - 1] = cut.steps["force"][0], cut.steps["solves"][0]
            for name, values in events.items():
                values[at - 1] = cut.steps[name][0]
        nodes = {"displacement": u, "momentum": p}
        nodes |= {name: states.unpacked(z, name) for name in names}
        end = {name: history[-1].copy() for name, history in nodes.items()}
        return Ran(nodes, {"force": F, "solves": solves, **events}, end)

    def _events(self, steps: int) -> dict[str, Array]:
        """What steps in which a storey breaks tell; nothing where none can."""
        if not can_break(self.model):
            return {}
        count, work = np.zeros(steps, dtype=np.int64), np.zeros((steps, len(self.model.springs)))
        return {"events": count, "event_work": work, "event_damping": np.zeros(steps)}

    def _cut(self, now: Mapping[str, Array], step: int) -> Ran:
        """One step in which a storey breaks, as that of any structure."""
        from hamex.schemes.families import galerkin_march

        if self.general is None:
            self.general = galerkin_march(self.problem, self.scheme, self.how)
        return self.general.advance({name: value.copy() for name, value in now.items()}, step, 1)


def _unsolved(step: int, h: float) -> ConvergenceError:
    return ConvergenceError(
        f"Galerkin: step {step} (t = {step * h:g} s) was not solved to round-off; the load or a parameter is out of "
        "proportion with the rest (or overflows)"
    )


def shear_frames_of(models: Sequence[Model]) -> ShearFrames:
    """Models of floors in a row, each on one storey spring with a slider, as arrays; all of one height."""
    if not models:
        raise ModelError("shear_frames: no models; give at least one")
    storeys = len(models[0].dofs)
    rows: list[dict[str, Array]] = []
    for number, model in enumerate(models):
        if not (is_shear_frame(model) or is_one_storey(model)):
            raise ModelError(
                f"shear_frames: model {number} is not a plain shear frame: floors in a row, one slider "
                "per storey, masses everywhere, and neither links nor modal damping"
            )
        if len(model.dofs) != storeys:
            raise ModelError(
                f"shear_frames: model {number} has {len(model.dofs)} storeys and model 0 has {storeys}; "
                "batch those of one height"
            )
        if not np.all(model.influence == 1) or model.influence.shape[1] != 1:
            raise ModelError(f"shear_frames: the floors of model {number} do not all move with the ground")
        heights = np.full(storeys, np.nan) if model.storeys is None else model.storeys.heights
        rows.append({**storeys_of(model), "heights": heights})
    return ShearFrames(**{name: np.array([row[name] for row in rows]) for name in ARRAYS}, units=models[0].units)


def is_one_storey(model: Model) -> bool:
    """True for one mass on one storey spring with a slider."""
    return (
        len(model.dofs) == len(model.springs) == 1
        and set(model.laws) == {"slider"}
        and not model.damping.weights.size
        and dense(model.compatibility)[0, 0] == 1
        and model.mass.diagonal()[0] > 0
    )
