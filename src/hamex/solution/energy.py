"""Energy balance: an identity of the linear time element, for any law, damping and step.

``Δ(½pᵀM⁻¹p) + Δ(½uᵀKu) + Δ(½eᵀA⁻¹e) + ΔuᵀCΔu/h + FᵀΔu₁ = f*ᵀΔu + Fᵀ Δ(imposed)``, where ``FᵀΔu₁`` splits into what
hardening stores and what slip dissipates. It checks the arithmetic; accuracy is another question, which only the
error estimate answers. Other schemes do not satisfy it, and their residual says by how much. Elements with several
stages have the balance of their quadrature, see :mod:`hamex.schemes.stages`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import OverflowRunError
from hamex.march.oscillator import energies
from hamex.march.run import march, worth_compiling
from hamex.model.algebra import quadratic
from hamex.model.laws.law import Split
from hamex.model.record import Model
from hamex.schemes.prepare import is_oscillator, scalars

if TYPE_CHECKING:
    from hamex.schemes.stages import StageHistory
    from hamex.solution.outline import Answers

Array = NDArray[Any]
CLOSED = 1e-10  # of the largest work: a residual above it is no round-off
_FEW = 1 << 22  # numbers of a history that are worked on together
_PARTS = ("kinetic", "stored", "viscous", "plastic", "hardening", "jumps", "input")


def energy_of(s: Answers, name: str) -> dict[str, Array]:
    """An entry of the balance, with those that come at no further cost."""
    if s.inside is not None and name not in ("kinetic", "stored", "hardening"):
        return stage_balance(s.model, s.step, s.inside, s.loading.patterns, s.histories, s.extent.spent)
    passed = one_pass(s, keep=name != "residual")
    if passed is not None and not np.isfinite(passed["residual"]):
        passed = one_pass(s, keep=True)  # the histories tell when
    if passed is not None:
        return passed
    if name in _ENTRIES:
        return {name: _ENTRIES[name](s)}
    whole = closed(*(s.values(part) for part in _PARTS))
    return {"imbalance": whole["imbalance"], "residual": whole["residual"]}


def check_energies(found: Mapping[str, Array], who: str, step: float, first: int = 0) -> None:
    """Refuse energies that are no numbers, and name the step at which they ceased to be; they begin at node ``first``.

    ``who`` ran with steps of length ``step`` [s].
    """
    histories = {name: values for name, values in found.items() if values.ndim}
    for name, values in histories.items():
        lost = np.flatnonzero(~np.isfinite(values))
        if lost.size:
            node = first + int(lost[0])
            raise OverflowRunError(
                f"{who}: the energies ({name}) are beyond what numbers hold from step {node} (t = "
                f"{node * step:g} s) on: displacements or forces grew so far that their squares overflow. Check loads "
                "and units; if the structure collapsed and ran away, let the run end at a limit of the drift"
            )


def _kinetic(s: Answers) -> Array:
    p, followed = s.histories["momentum"], s.histories.get("velocity")
    if followed is None and s.layout.body is not None and p.size <= _FEW:
        followed = s.values("velocity")  # velocities of a few steps stay: peaks ask for them too
    return kinetic(s.model, p, followed)


def _viscous(s: Answers) -> Array:
    dashpots = s.model.damping_power(np.diff(s.histories["displacement"], axis=0)) / s.step
    if "event_damping" in s.histories:  # steps that were cut at a break
        dashpots = np.where(s.histories["events"] > 0, s.histories["event_damping"], dashpots)
    return cumulative(dashpots + s.split.viscous.sum(axis=1), spent(s, "viscous"))


def _jumps(s: Answers) -> Array:
    if "joint_work" in s.histories:
        return cumulative(-s.histories["joint_work"], spent(s, "jumps"))
    return np.zeros(s.steps + 1)


def _input(s: Answers) -> Array:
    loading = s.loading
    work = ((np.diff(s.histories["displacement"], axis=0) @ loading.patterns) * loading.means).sum(axis=1)
    if loading.moved is not None:
        work = work + (s.histories["force"] * np.diff(loading.moved, axis=0)).sum(axis=1)
    return cumulative(work, spent(s, "input"))


def spent(s: Answers, name: str) -> float:
    """What was lost or given before the first step that a solution tells of."""
    return s.extent.spent.get(name, 0.0)


_ENTRIES: dict[str, Callable[[Answers], Array]] = {
    "kinetic": _kinetic,
    "stored": lambda s: outside(s.model, s.histories["displacement"]) + s.split.stored.sum(axis=1),
    "viscous": _viscous,
    "plastic": lambda s: cumulative(s.split.plastic.sum(axis=1), spent(s, "plastic")),
    "hardening": lambda s: np.asarray(s.split.hardening.sum(axis=1)),
    "jumps": _jumps,
    "input": _input,
}


def one_pass(s: Answers, keep: bool) -> dict[str, Array] | None:
    """Energies of an oscillator in one compiled pass, the residual alone without ``keep``.

    None where the way for any model is as good: nothing is compiled, or loads and dampers add up.
    """
    n, c = s.steps + 1, s.model.damping
    if s.inside is not None or s.extent.spent or not is_oscillator(s.model):
        return None
    if s.problem.supports is not None or c.weights.size or s.scheme.sees(s.model) is not s.model:
        return None
    if not worth_compiling(n, energies) or s.loading.patterns.shape[1] > 1:
        return None
    x, still = scalars(s.model), np.zeros((1, 1))
    names = ("displacement", "momentum", "slip", "back_force", "accumulated_slip")
    arrays = tuple(np.ascontiguousarray(s.histories.get(name, still)[:, 0]) for name in names)
    entries = tuple(np.empty(n if keep else 1) for _ in range(7))
    largest = np.empty(2)
    march(
        energies,
        (
            arrays,
            np.ascontiguousarray(s.loading.means[:, 0]),
            float(s.loading.patterns[0, 0]),
            s.step,
            x,
            int(x.hardens),
            int(keep),
            entries,
        ),
        (largest,),
        n,
    )
    most, worst = largest.tolist()
    found = {"residual": np.array(worst / most if most > 0 else 0.0)}
    if keep:
        kept = ("kinetic", "stored", "viscous", "plastic", "hardening", "input", "imbalance")
        found |= {**dict(zip(kept, entries, strict=True)), "jumps": np.zeros(n)}
    return found


def split_of(s: Answers) -> Split:
    """Where the work of the springs went, by their laws: at the nodes (node, spring), in the steps (step, spring)."""
    found = s.histories
    deformation = s.model.deformation(found["displacement"])
    if s.loading.moved is not None:
        deformation = deformation + s.loading.moved
    force = found["force"]
    if s.scheme.at_ends:  # work is done by the mean of an increment, which is not what it shows
        ends = s.values("node_force")
        force = 0.5 * (ends[:-1] + ends[1:])
    return split(s.scheme.sees(s.model), s.step, deformation, force, found)


def split(model: Model, h: float, deformation: Array, force: Array, histories: Mapping[str, Array]) -> Split:
    """The same from histories of deformation (node, spring), mean force (step, spring) and state variables by name."""
    nodes, steps = deformation.shape, force.shape
    whole = Split(np.zeros(nodes), np.zeros(nodes), np.zeros(steps), np.zeros(steps))
    for kind, group in model.laws.items():
        own = group.springs
        states = {
            name: histories[name][:, own] if name in histories else np.zeros((nodes[0], len(own)))
            for name in group.law.variables
        }
        part = group.law.split(group, model.spring_stiffness[kind], h, deformation[:, own], force[:, own], states)
        for entry, values in zip(whole, part, strict=True):
            entry[:, own] = values
    if "event_work" in histories:
        # In a step that was cut at a break, work is not mean force times increment: what is not held was lost.
        held = np.diff(whole.stored + whole.hardening, axis=0) + whole.viscous
        cut = histories["events"][:, None] > 0
        whole = whole._replace(plastic=np.where(cut, histories["event_work"] - held, whole.plastic))
    return whole


def closed(
    kinetic: Array, stored: Array, viscous: Array, plastic: Array, hardening: Array, jumps: Array, given: Array
) -> dict[str, Array]:
    """The entries by name, with what is left over in time and its largest share of the largest entry."""
    imbalance = kinetic + stored + viscous + plastic + hardening + jumps - given
    imbalance = imbalance - imbalance[0]
    entries = (kinetic, stored, viscous, plastic, hardening, jumps, given)
    largest = max(float(np.abs(x).max()) for x in entries)
    residual = float(np.abs(imbalance).max()) / largest if largest > 0 else 0.0
    return {
        "kinetic": kinetic,
        "stored": stored,
        "viscous": viscous,
        "plastic": plastic,
        "hardening": hardening,
        "jumps": jumps,
        "input": given,
        "imbalance": imbalance,
        "residual": np.array(residual),
    }


def kinetic(model: Model, p: Array, velocity: Array | None = None) -> Array:
    """½pᵀM⁻¹p at the nodes; with the velocities that a march followed, no mass is factored. Of long histories some
    nodes at a time."""
    if velocity is not None:
        return np.asarray(0.5 * (velocity * p).sum(axis=1))
    together = max(_FEW // max(p.shape[1], 1), 1)
    parts = [p[first : first + together] for first in range(0, len(p), together)]
    return np.concatenate([0.5 * (model.velocity(part) * part).sum(axis=1) for part in parts])


def outside(model: Model, u: Array) -> Array:
    """½uᵀKu at the nodes: the linear stiffness outside the springs."""
    return np.asarray(0.5 * quadratic(u, model.stiffness))


def cumulative(increments: Array, before: float = 0.0) -> Array:
    """Sums from what was there before on, one entry more than the steps; cut anywhere, the bits stay the same."""
    return np.cumsum(np.concatenate([[before], increments]))


def energy_entries(model: Model, h: float, nodes: Mapping[str, Array], force: Array, spent: Array) -> dict[str, Array]:
    """All entries of the balance from node values by name, mean forces of the steps, and what was summed up inside the
    steps: ``spent`` is (node, 4), cumulative, for dashpots, slip, jumps and input."""
    u = nodes["displacement"]
    held = split(model, h, model.deformation(u), force, nodes)
    hardening = held.hardening.sum(axis=1)
    viscous, slipped, jumps, work = spent.T.copy()
    return closed(
        kinetic(model, nodes["momentum"], nodes.get("velocity")),
        outside(model, u) + held.stored.sum(axis=1),
        viscous,
        slipped - (hardening - hardening[0]),
        hardening,
        jumps,
        work,
    )


def stage_balance(
    model: Model,
    h: float,
    inside: StageHistory,
    patterns: Array,
    nodes: Mapping[str, Array],
    before: Mapping[str, float],
) -> dict[str, Array]:
    """All entries of the balance, with what the jumps lose.

    Springs without flow (elastic laws) give back what they store at the nodes; the quadrature of their work is not
    exact, and the imbalance says by how much.
    """
    from hamex.schemes.stages import spent_inside

    start = [before.get(name, 0.0) for name in ("viscous", "plastic", "jumps", "input")]
    spent = np.cumsum(np.vstack([start, spent_inside(model, h, inside, patterns, nodes["displacement"])]), axis=0)
    return energy_entries(model, h, nodes, np.einsum("i,rij->rj", inside.weights, inside.force), spent)
