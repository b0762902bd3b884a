"""Bodies on meshes."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

import hamex as hx
from hamex.verify.case import Pair, chapter

case = chapter("solids")


@case("D1", "patch test; Irons", unit="m", within=1e-10, of="largest")
def patch() -> Pair:
    """Displacements of an irregular mesh of quadrilaterals in uniform tension."""
    E, nu, stress = 200.0, 0.3, 2.0
    mesh = hx.meshes.rectangle(2.0, 1.0, (4, 3))
    inside = (mesh.p[0] % 2 > 1e-9) & (mesh.p[1] % 1 > 1e-9)
    bent = dataclasses.replace(mesh, doflocs=mesh.p + 0.06 * inside * np.sin([[7.0], [5.0]] * mesh.p[::-1]))
    model = hx.solid(bent, hx.Material(1.0, E, nu), fixed={"left": "x", "bottom": "y"}, plane="stress")
    body: Any = model.body
    u = hx.solve_path(model, body.traction("right", (stress, 0.0)), [1.0, 1.0], by="force").values("displacement")[-1]
    dofs = [(body.dof(tuple(at), way), i, at) for at in bent.p.T for i, way in enumerate("xy") if at[i] > 0]
    return [u[dof] for dof, _, _ in dofs], [stress / E * at[i] * (1.0, -nu)[i] for _, i, at in dofs]


@case(
    "D2",
    "NAFEMS, Selected Benchmarks for Natural Frequency Analysis, 1987, FV32",
    unit="Hz",
    within=2e-4,
    printed="44.623 130.03 162.70 246.05 379.90 391.44",
)
def tapered_membrane() -> object:
    """Tapered membrane, 16 × 8 quadrilaterals of degree 2; the target is of a mesh, too."""
    mesh = hx.meshes.rectangle(10.0, 1.0, (16, 8))
    taper = np.stack([mesh.p[0], (mesh.p[1] - 0.5) * (5 - 0.4 * mesh.p[0])])
    steel, mesh = hx.Material(8000.0, 200e9, 0.3), dataclasses.replace(mesh, doflocs=taper)
    model = hx.solid(mesh, steel, fixed=["left"], plane="stress", thickness=0.05, degree=2)
    return hx.modes(model, 6).frequencies / (2 * np.pi)


@case("D3", "Hill 1950, 2/√3 σy ln(b/a) and 2σy ln(b/a)", unit="kPa", within=2e-3)
def limit_pressures() -> Pair:
    """Pressures at which a thick cylinder and a thick sphere flow, 6 × 8 quadrilaterals of degree 2."""
    metal = hx.Material(1.0, 1000.0, 0.3, law=hx.laws.J2(yield_stress=1.0))
    found, path = [], np.array([1.0, 2.0, 4.0, 8.0]) * 1e-3
    for plane in ("strain", "axisymmetric"):
        mesh = hx.meshes.ring(1.0, 2.0, (6, 8))
        model = hx.solid(mesh, metal, fixed={"start": "y", "end": "x"}, plane=plane, degree=2)
        body: Any = model.body
        found.append(hx.solve_path(model, body.pressure("inner", 1.0), path).values("load_factor").ravel()[-1])
    return found, 2 * np.log(2.0) * np.array([1 / np.sqrt(3), 1.0])
