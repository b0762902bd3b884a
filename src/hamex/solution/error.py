"""Error bars from step halving, on every peak and on what remains at the end.

Three runs with steps h, h/2 and h/4 find the peaks P₀, P₁ and P₂ of one quantity, each as ``sol.peaks`` shows it; P is
the peak of the exact solution. The error of the first run is ``P₀ − P = (P₀ − P₂) + (P₂ − P)``: a difference that is
known, and what the finest run still lacks. The bar is

    (4/3) |P₀ − P₂|  +  (3/2) max(|P₁ − P₂|, d)  +  |Δ²y|/4  +  ρ P₀  +  round-off

* **4/3.** If halving the step halves the error, the finest run keeps a quarter of it and ``P₀ − P₂`` shows three
  quarters. The smooth motion of a second-order scheme does better (15/16), but the load rule "end", jumps of the load
  and springs that slip without viscosity are of first order, so no bar trusts a higher one.
* **(3/2) max(|P₁ − P₂|, d).** By the same rule the finest run still errs by as much as it moved in the last halving;
  half of that again is calibrated, and so are 6 in place of 3/2 for schemes of first order, whose own damping hides
  most of a motion until steps are short. Peaks cross their limit now and then, so that two of them agree by accident;
  d is a second witness: the largest difference of the histories of the two finer runs wherever they come within a
  tenth of the peak. A residual is one instant already; its witness is the largest difference of the whole history.
* **|Δ²y|/4.** A peak between nodes rises above them by h²|ÿ|/8 at most. Δ²y is the second difference of the finest
  history around its peak; it is taken twice over, because it also measures the zig-zag of node forces at small
  viscosity, a quarter of which is their overshoot; and twice again for a velocity, which has a corner where a load
  jumps. A history that peaks at its first node, or at its last without having levelled off, is taken at its word, and
  so is a displacement that the scheme knows inside its steps. Step means miss what lies within half a step of either
  end, |ΔF|/2, and the force of the start, which is known.
* **ρ = (Δ²s)²/(e u).** Where a spring yields just behind a node that the three runs share, none of their stages
  stands between, and all make the same of it. A deformation rate v that turns into slip an instant ε later than it
  should pushes by k v ε²/2, and the motion keeps that for some periods; beside the deformation u and its elastic part e
  it is a few times (vε)²/(2 e u). Δ²s, the largest second difference of the slip, is v h/4. Springs that are nearly
  rigid count as ten times as long at their peak as at yield; forces, which a limit holds, have no such term, nor have
  steps that are cut where springs yield. A tolerance bounds it; slips get Δ²s/10 for it, node forces Δ²s/9,
  rotations of hinges Δ²s/16 (calibrated), of the fifth of Δ²s that may slip before the first stage. The element of
  third order, with jumps, sees nothing for a third of a step behind a node: it takes 5/2 of ρ.
* **Round-off.** One unit in the last place per step.

A run that ends at a limit ends at the first node beyond it: what still grows there depends on the step by its end, too,
which no halving of steps up to that end shows, and has no bar; nor has a peak after one of the runs passed the limit.
``sol.exceeded.crossing`` tells when it was passed.

The finer runs of time elements take the mean load of each step ("mean"): a jump that lies behind a shared node hides
from loads that are read at nodes or stages, as 1 in 4 jumps did under "end".

The form was calibrated, and is measured, by ``tests/shared/bar_trial.py``: oscillators, shear frames and columns with
hinges, T/100 ≤ h ≤ T/8, records, sines and pulses, elastic to rate independent, against the same scheme at h/32;
``docs/howto/accuracy.md`` has the figures. Bars are estimates, not bounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.solution.outline import variable
from hamex.solution.peaks import OF_NODES, RESIDUALS, at_nodes, components, histories, sizes
from hamex.solution.solution import Solution

Array = NDArray[Any]
_SEEN, _LEFT, _LEFT_OF_FIRST_ORDER = 4 / 3, 1.5, 6.0  # times what is seen and what moved last, see above
_BLIND_OF_THIRD_ORDER = 2.5
_DUCTILE = 10.0  # springs that are nearly rigid before they yield count as this ductile
_NEAR = 0.9  # of the peak: a history that comes so near to it may hold the true one
_OF_MOTION = ("length", "velocity", "angle", "one")
_ROUND_OFF = float(np.finfo(float).eps)


class Unseen(NamedTuple):
    """How often what the last halving moved is left to come; shares of a motion that yields hide, and of round-off."""

    left: float
    hidden: float
    rounded: float


def estimate(
    coarse: Solution, half: Solution, quarter: Solution, *, order: int = 2, unresolved: float = math.inf
) -> dict[str, float]:
    """Estimated error of each peak and of the residual slip and drift of ``coarse``, by name; ``order`` is that of the
    scheme where the motion is smooth, ``unresolved`` the displacement that a yield may hide in its steps [length]."""
    runs = (coarse, half, quarter)
    body = coarse.layout.body
    if body is None:
        names = [name for name in coarse.peaks if name not in RESIDUALS]
        found = {name: [histories(run, name)[0] for run in runs] for name in names}
    else:  # how far and how fast its nodes move
        names = list(OF_NODES)
        found = {name: [np.concatenate([x for _, x in sizes(run, body, name)]) for run in runs] for name in names}
    unseen = Unseen(
        _LEFT if order > 1 else _LEFT_OF_FIRST_ORDER,
        (_BLIND_OF_THIRD_ORDER if order == 3 else 1.0) * _hidden(quarter, unresolved),
        4 * coarse.steps * _ROUND_OFF,
    )
    bars = {name: _peak(runs, name, found[name], unseen) for name in names}
    if "node_force" in found:
        start = float(np.abs(found["node_force"][0][0]).max())
        bars["force"] = max(bars["force"], start - coarse.peaks["force"].value)
    bars |= {residual: _residual(found[name], unseen) for residual, name in RESIDUALS.items() if name in found}
    bars = _with_first_stage(bars, found, quarter) if 0 < unresolved < math.inf else bars
    if coarse.exceeded is not None and coarse.extent.stopped:
        last = {name: name for name in names} | {residual: name for residual, name in RESIDUALS.items()}
        passed = min(run.exceeded.crossing or math.inf for run in runs if run.exceeded is not None)
        late = {name for name in names if coarse.peaks[name].time > passed}
        bars = {
            name: size
            for name, size in bars.items()
            if name not in late and not _grows(found[last[name]], name in RESIDUALS)
        }
    return bars


def _grows(found: Sequence[Array], residual: bool) -> bool:
    """Whether a history is largest at its end, in one of the runs, or goes on outwards there: a run that ends where it
    passes a limit ends at a node that depends on its step, and so does this."""
    if residual:
        own = int(np.abs(found[0][-1]).argmax())
        return any(abs(y[-1, own]) > abs(y[-2, own]) for y in found)
    return any(0 < _largest(y)[0] == len(y) - 1 for y in found)


def bar(found: Sequence[Any], witness: Any, left: float = _LEFT) -> Any:
    """Error of the first of the values found with steps h, h/2 and h/4 (numbers or arrays), with a second sight of what
    the last halving changed."""
    p0, p1, p2 = found
    return _SEEN * abs(p0 - p2) + left * np.maximum(abs(p1 - p2), witness)


def _peak(runs: Sequence[Solution], name: str, found: Sequence[Array], unseen: Unseen) -> float:
    """Bar on a peak; the value is that which the peak shows, inside the steps where the scheme knows it there."""
    _, y1, y2 = found
    known = name == "displacement" and runs[0].inside is not None and runs[0].layout.body is None
    tops = [run.peaks[name].value for run in runs] if known else [float(np.abs(y).max()) for y in found]
    missed = 0.0 if known else _missed(y2, at_nodes(name)) * (2 if name == "velocity" else 1)
    share = unseen.rounded + (unseen.hidden if variable(name).kind in _OF_MOTION else 0.0)
    return float(bar(tops, _moved(y1, y2, at_nodes(name)), unseen.left) + missed + share * tops[0])


def _moved(y1: Array, y2: Array, at_nodes: bool) -> float:
    """Largest difference of two histories, one of half the steps, where the first reaches ``_NEAR`` of its peak."""
    same = y2[::2] if at_nodes else 0.5 * (y2[::2] + y2[1::2])
    size = np.abs(y1)
    return float(np.abs(y1 - same)[size >= _NEAR * size.max()].max())


def _residual(found: Sequence[Array], unseen: Unseen) -> float:
    """Bar on the last value of the component where it is largest."""
    y0, y1, y2 = found
    own = int(np.abs(y0[-1]).argmax())
    ends = [float(y[-1, own]) for y in found]
    moved = float(np.abs(y1[:, own] - y2[::2, own]).max())
    return float(bar(ends, moved, unseen.left) + (unseen.hidden + unseen.rounded) * np.abs(y0[:, own]).max())


def _hidden(finest: Solution, unresolved: float) -> float:
    """Share of a peak that the instant of a yield may hide between two nodes of the finest run."""
    moves = finest.peaks["displacement"].value
    if not moves > 0:
        return 0.0
    slip, deformation = finest.values("slip"), finest.values("deformation")
    kink = _kink(slip)
    own = kink > 0
    kink, whole = kink[own], np.abs(deformation[:, own]).max(axis=0)
    elastic = np.maximum(np.abs((deformation - slip)[:, own]).max(axis=0), whole / _DUCTILE)
    return min(unresolved / moves, float((kink**2 / (elastic * np.maximum(whole, kink))).max(initial=0.0)))


def _with_first_stage(
    bars: dict[str, float], found: Mapping[str, Sequence[Array]], finest: Solution
) -> dict[str, float]:
    """A tolerance watches displacements: the slip at a node still lacks what it does before the first stage."""
    parts = {"slip": 10, "hinge_rotation": 16}
    late = {name: float(_kink(found[name][2]).max()) / of for name, of in parts.items() if name in found}
    late["residual_slip"] = late.get("slip", 0.0)
    force = np.abs(finest.model.elastic_force(_kink(finest.values("slip"))[None])[0])
    late["node_force"] = float(force[components(finest, "node_force")].max(initial=0.0)) / 9
    return {name: size + late.get(name, 0.0) for name, size in bars.items()}


def _kink(slip: Array) -> Array:
    """Largest second difference of every component."""
    return np.asarray(np.abs(np.diff(slip, 2, axis=0)).max(axis=0, initial=0.0))


def _missed(y: Array, at_nodes: bool) -> float:
    """What may rise between the nodes, or inside the steps, above the largest |y|."""
    row, column = _largest(y)
    last = len(y) - 1
    if 0 < row < last:
        return float(abs(y[row - 1, column] - 2 * y[row, column] + y[row + 1, column])) / 4
    if at_nodes:
        return _turned(y[last - 2 :, column]) if row == last > 1 else 0.0
    if last == 0:
        return 0.0
    return float(abs(y[row, column] - y[1 if row == 0 else last - 1, column])) / 2


def _turned(y: Array) -> float:
    """What may rise above the last of three nodes: nothing, unless the history levels off before it."""
    bend = abs(y[0] - 2 * y[1] + y[2])
    return float(bend) / 4 if abs(y[2] - y[1]) < bend else 0.0


def _largest(y: Array) -> tuple[int, int]:
    row, column = np.unravel_index(int(np.abs(y).argmax()), y.shape)
    return int(row), int(column)
