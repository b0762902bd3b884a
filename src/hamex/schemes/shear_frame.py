"""Shear frames with one slider per storey, or storeys that are followed along their path: recognised by their record,
one of them or many as arrays, and the tridiagonal routes of the linear element for one; those for many are
:mod:`hamex.solve.cases` and :mod:`hamex.solve.followed`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ConvergenceError, ModelError
from hamex.march import followed as frame
from hamex.march.run import Kernel, around_law, awaited, compiled, worth_compiling
from hamex.march.shear_frame import ALONE, FREE, ISOTROPIC, KINEMATIC, MAIN, RATE, ROWS, SIDE, FrameHistory, shear_frame
from hamex.march.springs import along, followed
from hamex.model.laws.law import Law
from hamex.model.laws.path import at_start
from hamex.model.record import Model, dense
from hamex.model.shear_frames import ARRAYS, ShearFrames
from hamex.problem import Problem
from hamex.problem.loads import loads_between
from hamex.schemes._generated import linear_element as linear_element_form
from hamex.schemes.prepare import LONG, lift
from hamex.schemes.promised import check_promise
from hamex.schemes.scheme import How, Ran
from hamex.schemes.springs import can_break

if TYPE_CHECKING:
    from hamex.schemes.families import ElementScheme
    from hamex.schemes.scheme import March

Array = NDArray[Any]
_WORK_PER_STOREY = 12  # a storey's step in units of an oscillator's, for the choice to compile
_WORK_PER_FOLLOWED = 20  # the same of a storey that is followed along its path, by the effort of its law


def is_shear_frame(model: Model) -> bool:
    """True for floors in a row, each on one storey spring with a slider, and matrices no wider than that."""
    return set(model.laws) == {"slider"} and _in_a_row(model)


def is_followed_frame(model: Model) -> bool:
    """True for floors in a row on storeys that share a law and are followed along their path."""
    groups = [group for group in model.laws.values() if len(group.first)]
    if len(groups) != 1 or groups[0].law.form != "path" or not _in_a_row(model):
        return False
    return (groups[0].law.spring_piece or groups[0].law.spring_along) is not None


def _in_a_row(model: Model) -> bool:
    n, B = len(model.dofs), model.compatibility
    if len(model.springs) != n or model.damping.weights.size or n < 2:
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
    tau, (main, side) = 0.5 * h, rows[[MAIN, SIDE]]
    above = np.append(side[1:], 0.0)
    alone = main + side + above
    links = 0.5 * tau * x["stiffness"] - side
    if np.any(links + np.append(links[1:], 0.0) > LONG * alone) and np.all(alone > 0) and np.all(side <= 0):
        rows[ALONE] = alone
        rows[FREE] = rows[RATE] * (x["viscosity"] + tau * (x["kinematic"] + x["isotropic"]))
    return rows


def _side(matrix: Any) -> Array:
    """Entries (i, i − 1), the first one zero."""
    return np.concatenate([[0.0], matrix.diagonal(-1)])


class ShearFrameMarch:
    """Nearly always the branches of the last step still hold, and one pair of sweeps is the whole step."""

    def __init__(self, problem: Problem, scheme: ElementScheme, how: How) -> None:
        self.problem, self.scheme, self.how = problem, scheme, how
        model, h = problem.model, scheme.step
        self.softens = int(np.any(model.stiffness.data))
        if self.softens:
            check_promise(model, scheme)
        storeys = storeys_of(model)
        self.table = _long_rows(storeys, np.stack(shear_frame_rows(storeys, h)).astype(float, copy=False), h)
        self.hardens = int(np.any(self.table[[KINEMATIC, ISOTROPIC]] > 0))
        work = how.steps * len(model.dofs) * _WORK_PER_STOREY
        self.kernel: Kernel = compiled(shear_frame) if worth_compiling(work, shear_frame) else awaited(shear_frame)

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        n, hardens, h = len(self.problem.model.dofs), self.hardens, self.scheme.step
        loads = loads_between(self.problem, self.scheme, first, steps, self.how.quiet or first > 0)
        u, p, slip = (np.empty((steps + 1, n)) for _ in range(3))
        X, w = (np.empty((hardens * steps + 1, n)) for _ in range(2))
        F, branch = np.empty((steps, n)), now.get("branch", np.zeros(n)).astype(np.int64)
        u[0], p[0], slip[0] = now["displacement"], now["momentum"], now["slip"]
        X[0], w[0] = now["back_force"], now["accumulated_slip"]
        solves, searches, count = (np.zeros(size, dtype=np.int64) for size in (steps, steps, 2))
        failed = self.kernel(
            self.table,
            np.zeros((ROWS, n)),
            h,
            np.ascontiguousarray(loads.means),
            np.ascontiguousarray(loads.patterns.T),
            hardens,
            self.softens,
            FrameHistory(u, p, slip, X, w, F, branch, solves, searches),
            count,
        )
        if failed:
            raise _unsolved(first + failed, h)
        nodes = {"displacement": u, "momentum": p, "slip": slip}
        if hardens:
            nodes |= {"back_force": X, "accumulated_slip": w}
        end = {
            "displacement": u[-1].copy(),
            "momentum": p[-1].copy(),
            "slip": slip[-1].copy(),
            "back_force": X[-1].copy(),
            "accumulated_slip": w[-1].copy(),
            "branch": branch.astype(float),
        }
        return Ran(nodes, {"force": F, "solves": solves, "searches": searches}, end)


class FollowedStoreys(NamedTuple):
    """Floors in a row on storeys that are followed along their path, as :mod:`hamex.march.followed` takes them.

    Attributes
    ----------
    law : of all storeys.
    P : (storey, width), its numbers.
    table : rows of the frame, (row, floor).
    """

    law: type[Law]
    P: Array
    table: Array


def followed_storeys(model: Model, h: float) -> FollowedStoreys:
    """A frame as the scheme sees it, for steps of h seconds."""
    kind, group = next((kind, group) for kind, group in model.laws.items() if len(group.first))
    prepared = group.law.prepared(group, model.spring_stiffness[kind], 1.0)
    P = np.ascontiguousarray(prepared[np.argsort(group.first)], dtype=float)
    form, matrices = linear_element_form(h), (model.mass, model.damping.matrix, model.stiffness)
    mains: Any = dict(zip("mck", (matrix.diagonal() for matrix in matrices), strict=True))
    sides: Any = dict(zip("mck", map(_side, matrices), strict=True))
    start, end = form["motion_start"]["du"], form["motion_end"]["du"]
    main, side = (np.asarray(lift({"du": start}, blocks)["du"]) for blocks in (mains, sides))
    inertia = (start["m"] - end["m"]) * mains["m"]
    table = np.array([main, side, mains["k"], sides["k"], inertia, P[:, 0], mains["m"]], dtype=float)
    return FollowedStoreys(group.law, P, table)


def frame_step(law: type[Law]) -> Kernel:
    """The step of a frame around the law of its storeys."""
    if law.spring_piece is not None:
        asked = around_law(followed, "spring_piece", law.spring_piece)
    else:
        assert law.spring_along is not None
        asked = around_law(along, "spring_along", law.spring_along)
    storeys = around_law(frame.storeys_at, "asked", asked)
    search = around_law(frame.frame_search, "storeys_at", storeys)
    solved = around_law(around_law(frame.solved_frame, "storeys_at", storeys), "frame_search", search)
    return around_law(frame.stepped_frame, "solved_frame", solved)


class FollowedFrame:
    """The linear time element on floors in a row whose storeys are followed along their path: Newton's steps by
    tridiagonal sweeps."""

    def __init__(self, problem: Problem, scheme: ElementScheme, how: How) -> None:
        self.problem, self.scheme, self.how = problem, scheme, how
        model = self.model = scheme.sees(problem.model)
        check_promise(model, scheme)
        self.law, self.P, self.table = followed_storeys(model, scheme.step)
        kernel = around_law(frame.one_frame, "stepped_frame", frame_step(self.law), inlines=True)
        self.general: March | None = None  # for steps in which a storey breaks
        work = how.steps * len(model.dofs) * _WORK_PER_FOLLOWED * self.law.effort
        self.kernel: Kernel = compiled(kernel) if worth_compiling(work, kernel) else awaited(kernel)

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        loads = loads_between(self.problem, self.scheme, first, steps, self.how.quiet or first > 0)
        model, names, h = self.model, self.law.variables, float(self.scheme.step)
        if first == 0:
            start = model.deformation(now["displacement"])
            now = {**now, **at_start(model.laws, model.spring_stiffness, start, now)}
        n, many = len(model.dofs), len(names)
        u, p, z, F = (np.empty((steps + 1, size)) for size in (n, n, n * many, n))
        F, u[0], p[0] = F[1:], now["displacement"], now["momentum"]
        for v, name in enumerate(names):
            z[0, v::many] = now.get(name, 0.0)
        solves, events = np.zeros(steps, dtype=np.int64), self._events(steps)
        push = np.zeros((steps, n))  # channel by channel: where a run is cut changes no bit
        for value, pattern in zip(loads.means.T, loads.patterns.T, strict=True):
            push += value[:, None] * pattern
        room, dz, at = np.zeros((frame.ROOM, n)), np.empty(n * many), 0
        while at < steps:
            some = (push[at:], h, room, dz, u[at:], p[at:], z[at:], F[at:], solves[at:])
            failed = self.kernel(self.table, self.P, *some)
            if not failed:
                break
            at += failed
            if solves[at - 1] != frame.BREAKING:
                raise _unsolved(first + at, h)
            last = {"displacement": u[at - 1], "momentum": p[at - 1]}
            last |= {name: z[at - 1, v::many] for v, name in enumerate(names)}
            cut = self._cut(last, first + at - 1)
            u[at], p[at] = cut.end["displacement"], cut.end["momentum"]
            for v, name in enumerate(names):
                z[at, v::many] = cut.end[name]
            F[at - 1], solves[at - 1] = cut.steps["force"][0], cut.steps["solves"][0]
            for name, values in events.items():
                values[at - 1] = cut.steps[name][0]
        nodes = {"displacement": u, "momentum": p}
        nodes |= {name: np.ascontiguousarray(z[:, v::many]) for v, name in enumerate(names)}
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
