"""Beams and frames: at rest, at collapse, in their modes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import hamex as hx
from hamex.verify.case import Named, Pair, chapter
from hamex.verify.trusses import at_rest

case = chapter("frames")
E, AREA, INERTIA = 200.0, 5.0, 7.0
SECTION: dict[str, Any] = {"modulus": E, "area": AREA, "inertia": INERTIA}
SLENDER: dict[str, Any] = {**SECTION, "area": 1e7}  # as good as inextensible
SPACE: dict[str, Any] = {**SECTION, "inertia_y": 3.0, "shear_modulus": 80.0, "torsion": 2.0}
NAFEMS = "NAFEMS, Selected Benchmarks for Natural Frequency Analysis, 1987"
SAP = "SAP2000 Verification Manual"


def beam(length: float, pieces: int, supports: Mapping[Any, Any], density: float = 1.0, **member: Any) -> hx.Model:
    """A beam along x of equal members, its mass at its nodes; nodes are 0, 1 …"""
    size = length / pieces
    nodes: Named = {i: (size * i, 0.0) for i in range(pieces + 1)}
    members = [hx.Member(i, i + 1, **{**SECTION, "area": 1e3, **member}) for i in range(pieces)]
    masses: Named = {i: density * size * (0.5 if i in (0, pieces) else 1.0) for i in nodes}
    return hx.frame(nodes, members, supports, masses)


def moved(sol: hx.Solution, dof: str) -> float:
    """The last displacement of a dof."""
    return float(sol.values("displacement")[-1, sol.problem.model.dofs.index(dof)])


def carried(sol: hx.Solution, spring: str) -> float:
    """The last force of a spring."""
    return float(sol.values("force")[-1, sol.problem.model.springs.index(spring)])


@case("R1", "Timoshenko's beam, P L³/3EI + P L/G As", unit="m", within=1e-10)
def cantilever() -> Pair:
    """Tip of a cantilever with shear."""
    length, G, shear_area = 4.0, 80.0, 1.5
    tip = moved(at_rest(beam(length, 1, {0: "fixed"}, shear_modulus=G, shear_area=shear_area), {"1.y": 1.0}), "1.y")
    return tip, length**3 / (3 * E * INERTIA) + length / (G * shear_area)


@case("R2", "slope deflection, 24EI/h³ (1 + 6γ)/(4 + 6γ)", unit="m", within=1e-6)
def portal_sway() -> Pair:
    """Sway of portals whose beams are γ = 0.1, 1 and 10 times as stiff as their columns; EA is 10⁶ EI."""
    ratios, h, span = np.array([0.1, 1.0, 10.0]), 3.0, 5.0
    found: list[float] = []
    nodes: Named = {"A": (0, 0), "B": (0, h), "C": (span, h), "D": (span, 0)}
    for ratio in ratios:
        girder = {**SLENDER, "inertia": ratio * INERTIA * span / h}
        members = [hx.Member("A", "B", **SLENDER), hx.Member("B", "C", **girder), hx.Member("D", "C", **SLENDER)]
        held: Named = {"A": "fixed", "D": "fixed"}
        model = hx.frame(nodes, members, held, {"B": 1.0}, diaphragms={"roof": ["B", "C"]})
        found.append(moved(at_rest(model, {"roof.x": 1.0}), "roof.x"))
    return found, h**3 / (24 * E * INERTIA) * (4 + 6 * ratios) / (1 + 6 * ratios)


@case("R3", "virtual work, P a³/3EI + P b³/3EI + P a b²/GJ", unit="m", within=1e-10)
def bend_in_space() -> Pair:
    """Tip of a right-angle bend in a plane under a force normal to it."""
    a, b = 3.0, 2.0
    nodes: Named = {"A": (0, 0, 0), "B": (a, 0, 0), "C": (a, b, 0)}
    model = hx.frame(nodes, [hx.Member("A", "B", **SPACE), hx.Member("B", "C", **SPACE)], {"A": "fixed"}, {"C": 1.0})
    exact = (a**3 + b**3) / (3 * E * INERTIA) + a * b**2 / (SPACE["shear_modulus"] * SPACE["torsion"])
    return moved(at_rest(model, {"C.z": 1.0}), "C.z"), exact


@case("R4", "slope deflection, 12EI δ/L³ and 6EI δ/L²", within=1e-11)
def settlement() -> Pair:
    """Reaction [kN] and end moments [kNm] of a fixed beam, an end of which settles."""
    length, down = 4.0, 0.01
    sol = hx.solve_path(beam(length, 1, {0: "fixed", 1: "x rz"}), {"1.y": -1.0}, [down, down])
    found = [sol.values("load_factor").ravel()[-1], *(abs(carried(sol, f"0-1.M{end}")) for end in (1, 2))]
    moment = 6 * E * INERTIA * down / length**2
    return found, [2 * moment / length, moment, moment]


@case("R5", "force method: P L/8 and 3P L/16; P L³/192EI and 7P L³/768EI", within=1e-10)
def midspan_force() -> Pair:
    """End moments [kNm] and deflections [m] of a fixed and of a propped beam under a force at midspan."""
    length, found = 4.0, []
    for held in ({0: "fixed", 2: "fixed"}, {0: "fixed", 2: "y"}):
        sol = at_rest(beam(length, 2, held), {"1.y": -1.0})
        found += [abs(carried(sol, "0-1.M1")), -moved(sol, "1.y")]
    deflection = length**3 / (E * INERTIA)
    return found, [length / 8, deflection / 192, 3 * length / 16, 7 * deflection / 768]


@case("R6", "limit analysis: 6Mp/L, 8Mp/L and 4Mp/h", unit="kN", within=1e-10)
def collapse() -> Pair:
    """Collapse loads of a propped and of a fixed beam, and of a fixed portal in sway."""
    length, h, plastic = 4.0, 3.0, 2.0
    law, path, loads = hx.Slider(plastic), [0.1, 0.2, 0.2], []
    for held in ({0: "fixed", 2: "y"}, {0: "fixed", 2: "fixed"}):
        push = hx.solve_path(beam(length, 2, held, hinges=law), {"1.y": -1.0}, path)
        loads.append(push.values("load_factor").ravel()[-1])
    ends = {"left": ("A", "B"), "beam": ("B", "C"), "right": ("D", "C")}
    members = {name: hx.Member(*pair, **SLENDER, hinges=law) for name, pair in ends.items()}
    nodes: Named = {"A": (0, 0), "B": (0, h), "C": (5, h), "D": (5, 0)}
    portal = hx.frame(nodes, members, {"A": "fixed", "D": "fixed"}, {"B": 1.0, "C": 1.0})
    loads.append(hx.solve_path(portal, {"B.x": 1.0}, path).values("load_factor").ravel()[-1])
    return loads, [6 * plastic / length, 8 * plastic / length, 4 * plastic / h]


@case("R7", "n²π/2 √(EI/mL⁴); the beam of Biggs and of ANSYS VM70", unit="Hz", within=1e-5)
def simply_supported() -> Pair:
    """Three frequencies of a simply supported beam of 30 members with lumped masses."""
    model, n = beam(240.0, 30, {0: "pinned", 30: "y"}, 0.2, modulus=30e6, inertia=1000 / 3), np.arange(1, 4)
    return hx.modes(model).frequencies[:3] / (2 * np.pi), n**2 * np.pi / 2 * np.sqrt(1e10 / 0.2) / 240.0**2


@case("R8", "SAP2000 Verification Manual 1997, ex. 2; EASE2, 1981", unit="1/s²", printed="0.589541 5.52696 16.5879")
def bathe_and_wilson() -> object:
    """Squared frequencies of Bathe and Wilson's frame of ten bays and nine storeys."""
    # Bathe and Wilson (1972) themselves print 5.52695 and 16.5878, cut off.
    nodes: Named = {(i, j): (20.0 * i, 10.0 * j) for j in range(10) for i in range(11)}
    pairs = [((i, j), (i, j + 1)) for j in range(9) for i in range(11)]
    pairs += [((i, j), (i + 1, j)) for j in range(1, 10) for i in range(10)]
    members = [hx.Member(*pair, modulus=432000.0, area=3.0, inertia=1.0) for pair in pairs]
    masses: Named = {}
    for a, b in pairs:
        for node in (a, b):
            masses[node] = masses.get(node, 0.0) + 3.0 * (10.0 if a[0] == b[0] else 20.0) / 2
    held: Named = {(i, 0): "fixed" for i in range(11)}
    return hx.modes(hx.frame(nodes, members, held, {n: m for n, m in masses.items() if n[1]})).frequencies[:3] ** 2


def seven_storeys() -> hx.Model:
    """Two bays of 360 in; columns and beams of wide flanges by (A, I)."""
    levels = np.cumsum([0.0, 162.0, 162.0, *[156.0] * 5])
    outer = 3 * [(72.3, 3230.0)] + 2 * [(62.1, 2670.0)] + 2 * [(51.7, 2150.0)]
    inner = 3 * [(84.4, 3910.0)] + 2 * [(72.3, 3230.0)] + 2 * [(62.1, 2670.0)]
    girders = 2 * [(47.1, 5120.0)] + 2 * [(38.3, 4020.0)] + 3 * [(32.5, 3330.0)]
    nodes: Named = {f"{line}{j}": (360.0 * i, levels[j]) for j in range(8) for i, line in enumerate("abc")}
    parts = [(f"{c}{j}", f"{c}{j + 1}", (inner if c == "b" else outer)[j]) for c in "abc" for j in range(7)]
    parts += [(f"{c}{j}", f"{d}{j}", girders[j - 1]) for c, d in ("ab", "bc") for j in range(1, 8)]
    members = [hx.Member(a, b, modulus=29500.0, area=area, inertia=inertia) for a, b, (area, inertia) in parts]
    ties = {f"{c}{j}.x": f"b{j}.x" for c in "ac" for j in range(1, 8)}
    masses: Named = {f"b{j}": (0.49, 0.0) for j in range(1, 8)}
    return hx.frame(nodes, members, {f"{c}0": "fixed" for c in "abc"}, masses, constraints=ties)


@case("R9", f"{SAP}, example 1-022", unit="s", printed="1.2732 0.4313 0.2420 0.1602 0.1190 0.0951 0.0795")
def seven_storey_periods() -> object:
    """Periods of a frame of two bays and seven storeys."""
    return hx.modes(seven_storeys()).periods


@case("R10", f"{SAP}, example 1-022", printed="1.45076 69.99 2324.68")
def seven_storey_forces() -> object:
    """The same under forces at its floors: roof [in], axial force [kip] and moment [kip in] of a column."""
    forces = {f"b{j}.x": force for j, force in enumerate([2.5, 5.0, 7.5, 10.0, 12.5, 15.0, 20.0], 1)}
    sol = at_rest(seven_storeys(), forces)
    return [moved(sol, "b7.x"), carried(sol, "a0-a1.N"), abs(carried(sol, "a0-a1.M1"))]


@case("R11", "Chopra, Dynamics of Structures, ex. 13.11; SAP2000 1-020", within=1e-7)
def two_storey_frame() -> Pair:
    """Frequencies [√(EI/mh³)] and modal displacements [in] of Chopra's frame of two storeys; EA is 10⁸ EI/h²."""
    h, EI, m, g = 120.0, 3e6, 0.5182, 386.4
    girders = {"lower": 2 * EI, "upper": EI}
    nodes: Named = {
        "a0": (0, 0),
        "b0": (2 * h, 0),
        "a1": (0, h),
        "b1": (2 * h, h),
        "a2": (0, 2 * h),
        "b2": (2 * h, 2 * h),
    }
    parts = [("a0", "a1", "lower"), ("b0", "b1", "lower"), ("a1", "b1", "lower")]
    parts += [("a1", "a2", "upper"), ("b1", "b2", "upper"), ("a2", "b2", "upper")]
    members = [hx.Member(a, b, modulus=1.0, area=1e8 * EI / h**2, inertia=girders[kind]) for a, b, kind in parts]
    floors: Named = {f"floor {j}": [f"a{j}", f"b{j}"] for j in (1, 2)}
    masses: Named = {"floor 1": 2 * m, "floor 2": m}
    found = hx.modes(hx.frame(nodes, members, {"a0": "fixed", "b0": "fixed"}, masses, diaphragms=floors))
    # Slope deflection in units of EI/h³ with rotations times h, equal at both ends of a girder.
    sway = np.array([[72.0, -24.0], [-24.0, 24.0]])
    mixed = np.array([[12.0, -12.0], [12.0, 12.0]])  # force per rotation of floors 1 and 2, both columns
    turn = np.array([[2 * (8 + 4) + 12.0, 4.0], [4.0, 2 * 4 + 6.0]])
    squares, shapes = np.linalg.eig(np.linalg.solve(np.diag([2.0, 1.0]), sway - mixed @ np.linalg.solve(turn, mixed.T)))
    order = np.argsort(squares)
    squares, shapes = squares[order], shapes[:, order]
    gamma = (np.array([2.0, 1.0]) @ shapes) / (np.array([2.0, 1.0]) @ shapes**2)
    unit, felt = EI / (m * h**3), np.array([0.576, 1.355]) * g
    places = [found.dofs.index(f"floor {j}.x") for j in (1, 2)]
    ours = found.shapes[places, :2] * found.participation[:2, 0] * felt / found.frequencies[:2] ** 2
    theirs = shapes * gamma * felt / (squares * unit)
    return [*found.frequencies[:2] / np.sqrt(unit), *ours.ravel()], [*np.sqrt(squares), *theirs.ravel()]


@case("R12", f"{NAFEMS}, FV2", unit="Hz", printed="11.336" + 7 * " 17.709" + " 45.345" + 7 * " 57.390")
def double_cross() -> object:
    """Double cross with pinned ends, arms of 48 members that do not stretch, as in the target."""
    pieces, arm, side, density = 48, 5.0, 0.125, 8000.0
    section: Named = {"modulus": 200e9, "area": 1e4 * side**2, "inertia": side**4 / 12}
    share = density * side**2 * arm / pieces
    nodes: Named = {"c": (0.0, 0.0)}
    members: list[hx.Member] = []
    masses: Named = {"c": 4 * share}
    for k, angle in enumerate(np.arange(8) * np.pi / 4):
        for i in range(1, pieces + 1):
            away = arm * i / pieces
            nodes[k, i] = (away * np.cos(angle), away * np.sin(angle))
            members.append(hx.Member((k, i - 1) if i > 1 else "c", (k, i), **section))
            masses[k, i] = share if i < pieces else 0.0
    held: Named = {(k, pieces): "pinned" for k in range(8)}
    return hx.modes(hx.frame(nodes, members, held, masses)).frequencies[:16] / (2 * np.pi)


@case(
    "R13",
    f"{NAFEMS}, FV5",
    unit="Hz",
    within=1.5e-3,
    printed="42.650 42.650 71.20 125.00 148.15 148.15 213.61 283.47 283.47",
)
def deep_beam() -> object:
    """Deep beam in space: bending, torsion and stretch by 40 members with lumped masses, κ = 0.85."""
    pieces, length, side, density, G = 40, 10.0, 2.0, 8000.0, 200e9 / 2.6
    area, inertia, torsion = side**2, side**4 / 12, 0.140577 * side**4
    section: Named = {"modulus": 200e9, "area": area, "inertia": inertia, "inertia_y": inertia, "shear_modulus": G}
    section |= {"torsion": torsion, "shear_area": 0.85 * area, "shear_area_y": 0.85 * area}
    share = density * length / pieces * np.array([area, area, area, 2 * inertia, inertia, inertia])
    masses: Named = {i: tuple(share * (0.5 if i in (0, pieces) else 1.0)) for i in range(pieces + 1)}
    nodes: Named = {i: (length * i / pieces, 0.0, 0.0) for i in masses}
    members = [hx.Member(i, i + 1, **section) for i in range(pieces)]
    model = hx.frame(nodes, members, {0: "x y z rx", pieces: "y z"}, masses)
    return hx.modes(model).frequencies[:9] / (2 * np.pi)
