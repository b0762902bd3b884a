"""Bars between pinned nodes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import hamex as hx
from hamex.paper import opensees
from hamex.verify.case import Named, Pair, chapter

case = chapter("trusses")
SLOWLY = "; constraints Plain; numberer Plain; system FullGeneral; test NormDispIncr 1e-12 20; algorithm Newton"
SLOWLY += "; integrator LoadControl 1.0; analysis Static; analyze 1"  # how OpenSees comes to rest


def at_rest(model: hx.Model, load: Mapping[str, float]) -> hx.Solution:
    """The state under a load; its second increment is one without motion, in which slow loading has no drag."""
    return hx.solve_path(model, load, [1.0, 1.0], by="force")


@case("T1", "virtual work, P L/(3 EA sin²α) and P L/(3/2 EA cos²α)", unit="m", within=1e-11)
def tripod() -> Pair:
    """Deflections of three legs in space under a force down and one across."""
    rigidity, reach, high = 2000.0, 3.0, 4.0
    nodes: Named = {
        f"leg {i}": (reach * np.cos(a), reach * np.sin(a), 0.0) for i, a in enumerate(np.arange(3) * 2 * np.pi / 3)
    }
    bars = [(name, "top") for name in nodes]
    held: Named = dict.fromkeys(nodes, "pinned")
    model = hx.truss(nodes | {"top": (0.0, 0.0, high)}, bars, held, {"top": 1.0}, rigidity=rigidity)
    down, across = (at_rest(model, {dof: 1.0}) for dof in ("top.z", "top.x"))
    length = np.hypot(reach, high)
    exact = [length / (3 * rigidity * (high / length) ** 2), length / (1.5 * rigidity * (reach / length) ** 2)]
    return [down.values("displacement")[-1, 2], across.values("displacement")[-1, 0]], exact


@case("T2", "limit analysis", unit="kN", within=1e-11)
def three_bars() -> Pair:
    """First yield (1 + 1/√2) Fy and collapse (1 + √2) Fy of three bars at 45°."""
    nodes: Named = {"o": (0.0, 0.0), "a": (-1.0, 1.0), "b": (0.0, 1.0), "c": (1.0, 1.0)}
    held: Named = dict.fromkeys("abc", "pinned")
    bars = [(name, "o") for name in "abc"]
    model = hx.truss(nodes, bars, held, {"o": 1.0}, rigidity=100.0, law=hx.Slider(1.0))
    push = hx.solve_path(model, {"o.y": -1.0}, [0.01, 0.01, 0.1, 0.1])  # first yield at Fy L/EA
    return push.values("load_factor").ravel()[2::2], [1 + np.sqrt(0.5), 1 + np.sqrt(2)]


@case("T3", "OpenSees, Truss, Static and eigen", "live", within=1e-10)
def braced_tower() -> Pair:
    """Deflections [m] under two forces and squared frequencies [1/s2] of a braced tower of three panels."""
    nodes: Named = {f"{side}{i}": (2.0 * (side == "R") + 0.2 * i, 2.0 * i) for i in range(4) for side in "LR"}
    names, tag = list(nodes), {name: i + 1 for i, name in enumerate(nodes)}
    bars = [
        pair
        for i in (0, 1, 2)
        for pair in ((f"L{i}", f"L{i + 1}"), (f"R{i}", f"R{i + 1}"), (f"L{i + 1}", f"R{i + 1}"), (f"L{i}", f"R{i + 1}"))
    ]
    bars += [("R0", "L1")]
    model = hx.truss(nodes, bars, {"L0": "pinned", "R0": "pinned"}, dict.fromkeys(names[2:], 4.0), rigidity=2e4)
    load = {"L3.x": 3.0, "R2.y": -5.0}
    ours = at_rest(model, load).values("displacement")[-1]
    script = "wipe; model basic -ndm 2 -ndf 2; uniaxialMaterial Elastic 1 2e4"
    for name, (x, y) in nodes.items():
        script += f"; node {tag[name]} {x} {y}; " + (
            f"mass {tag[name]} 4.0 4.0" if name[1] != "0" else f"fix {tag[name]} 1 1"
        )
    script += "".join(f"; element Truss {i} {tag[a]} {tag[b]} 1.0 1" for i, (a, b) in enumerate(bars, 1))
    script += "; timeSeries Linear 1; pattern Plain 1 1"
    script += f"; load {tag['L3']} 3.0 0.0; load {tag['R2']} 0.0 -5.0{SLOWLY}"
    script += "".join(f"; nodeDisp {tag[dof[:2]]} {'xy'.index(dof[-1]) + 1}" for dof in model.dofs) + "; eigen 6"
    *moved, squares = opensees.commands(script)[-len(model.dofs) - 1 :]
    return [*ours, *hx.modes(model).frequencies[:6] ** 2], [*moved, *squares]
