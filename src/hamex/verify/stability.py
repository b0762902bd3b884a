"""Compression: P-Delta along the chords of members, buckling, frequencies under load."""

from __future__ import annotations

import numpy as np

import hamex as hx
from hamex.paper import opensees
from hamex.verify.case import Named, Pair, chapter
from hamex.verify.frames import beam, carried, moved
from hamex.verify.trusses import SLOWLY, at_rest

case = chapter("stability")
PIECES = 64  # chords in place of the bent line: errors of Euler loads are (kL/64)²/12 of them
W14X48 = {"modulus": 29000.0, "area": 14.1, "inertia": 484.0}
LENGTH, EI = 336.0, 29000.0 * 484.0
AISC = "beam-column; AISC 360, C-C2"


@case("B1", f"{AISC}.2, case 1: w/k²(sec(kL/2) − 1)", within=5e-4)
def simply_supported_beam_column() -> Pair:
    """Moments [kip in] and deflections [in] at midspan under a uniform load and 150, 300, 450 kip."""
    load, middle, found = 0.2 / 12, PIECES // 2, []
    thrusts = np.array([150.0, 300.0, 450.0])
    forces = {f"{i}.y": -load * LENGTH / PIECES for i in range(1, PIECES)}
    for thrust in thrusts:
        model = beam(LENGTH, PIECES, {0: "pinned", PIECES: "y"}, **W14X48, compression=thrust)
        sol = at_rest(model, forces)
        found.append([abs(carried(sol, f"{middle}-{middle + 1}.M1")), -moved(sol, f"{middle}.y")])
    moment = load * EI / thrusts * (1 / np.cos(np.sqrt(thrusts / EI) * LENGTH / 2) - 1)
    return found, np.column_stack([moment, (moment - load * LENGTH**2 / 8) / thrusts])


@case("B2", f"{AISC}.3, case 2: H L tan(kL)/kL", within=2e-4)
def cantilever_beam_column() -> Pair:
    """Moments [kip in] and deflections [in] of a cantilever under 1 kip at its tip and 100, 150, 200 kip."""
    thrusts, found = np.array([100.0, 150.0, 200.0]), []
    for thrust in thrusts:
        sol = at_rest(beam(LENGTH, PIECES, {0: "fixed"}, **W14X48, compression=thrust), {f"{PIECES}.y": 1.0})
        found.append([abs(carried(sol, "0-1.M1")), moved(sol, f"{PIECES}.y")])
    moment = np.tan(np.sqrt(thrusts / EI) * LENGTH) / np.sqrt(thrusts / EI)
    return found, np.column_stack([moment, (moment - LENGTH) / thrusts])


@case("B3", "Euler: π²/4, π², 4.4934², 4π²; tan x = x", unit="EI/L²", within=1e-3)
def euler_loads() -> Pair:
    """Critical loads of a cantilever, a pinned, a propped and a fixed column, where ω² comes to zero."""
    supports = [{0: "fixed"}, {0: "pinned", PIECES: "y"}, {0: "fixed", PIECES: "y"}, {0: "fixed", PIECES: "y rz"}]
    exact, found = np.pi**2 * np.array([0.25, 1.0, (4.493409457909064 / np.pi) ** 2, 4.0]), []
    for held, about in zip(supports, exact, strict=True):
        thrusts = about * np.array([0.98, 0.99])
        models = [beam(1.0, PIECES, held, modulus=1.0, inertia=1.0, compression=thrust) for thrust in thrusts]
        one, other = (hx.modes(model).frequencies[0] ** 2 for model in models)
        found.append(thrusts[1] + other * (thrusts[1] - thrusts[0]) / (one - other))
    return found, exact


@case("B4", "Euler's beam in its mode: ω√(1 − P/Pcr)", unit="rad/s", within=5e-4)
def frequency_under_compression() -> Pair:
    """Frequencies of a pinned column under −1, 0, 0.3 and 0.7 of its critical load."""
    shares = np.array([-1.0, 0.0, 0.3, 0.7])
    held: Named = {0: "pinned", PIECES: "y"}
    models = [beam(1.0, PIECES, held, modulus=1.0, inertia=1.0, compression=share * np.pi**2) for share in shares]
    return [hx.modes(model).frequencies[0] for model in models], np.pi**2 * np.sqrt(1 - shares)


@case("B5", "OpenSees, elasticBeamColumn and PDelta, eigen", "live", "1/s²", within=1e-10)
def frame_under_gravity() -> Pair:
    """Squared frequencies of a frame of two bays and two storeys under the gravity forces that OpenSees finds."""
    nodes: Named = {f"{c}{j}": (6.0 * i, 3.5 * j) for j in range(3) for i, c in enumerate("abc")}
    tag = {name: i + 1 for i, name in enumerate(nodes)}
    pairs = [(f"{c}{j}", f"{c}{j + 1}") for j in (0, 1) for c in "abc"]
    pairs += [(f"{c}{j}", f"{d}{j}") for j in (1, 2) for c, d in ("ab", "bc")]
    rows = [(a, b, 2e8, 0.01, 1e-4 if a[1] != b[1] else 2e-4) for a, b in pairs]
    loaded = [name for name in nodes if name[1] != "0"]
    script = "wipe; model basic -ndm 2 -ndf 3; geomTransf PDelta 1; timeSeries Linear 1; pattern Plain 1 1"
    for n, (x, y) in nodes.items():
        held, mass = f"fix {tag[n]} 1 1 1", f"mass {tag[n]} 30.0 30.0 1.0; load {tag[n]} 0.0 -1200.0 0.0"
        script += f"; node {tag[n]} {x} {y}; {mass if n in loaded else held}"
    for i, (a, b, E, A, I) in enumerate(rows):
        script += f"; element elasticBeamColumn {i} {tag[a]} {tag[b]} {A} {E} {I} 1"
    script += SLOWLY + "".join(f"; eleResponse {i} basicForce" for i in range(len(rows))) + "; eigen 8"
    *basic, squares = opensees.commands(script)[-len(rows) - 1 :]
    members = [
        hx.Member(a, b, modulus=E, area=A, inertia=I, compression=-force[0])
        for (a, b, E, A, I), force in zip(rows, basic, strict=True)
    ]
    masses: Named = {name: (30.0, 30.0, 1.0) for name in loaded}
    model = hx.frame(nodes, members, {f"{c}0": "fixed" for c in "abc"}, masses)
    return hx.modes(model).frequencies[:8] ** 2, squares
