"""Springs on given paths."""

from __future__ import annotations

from typing import Any

import numpy as np

import hamex as hx
from hamex.paper import opensees
from hamex.verify.case import Pair, chapter

case = chapter("laws")
K = 100.0


@case("L1", "Perzyna, F' = k(e' − (F − Fy)/η)", unit="kN", within=1e-12)
def relaxation() -> Pair:
    """Viscoplastic spring, loaded at a constant rate and held."""
    limit, eta, rate = 1.0, 4.0, 0.05
    tau, begin = eta / K, limit / K / rate  # it yields at `begin`
    times = np.array([0.0, begin, begin + 0.02, begin + 0.1, begin + 0.11, begin + 0.3])
    path = rate * np.minimum(times, times[3])
    found = hx.respond(hx.Slider(limit, viscosity=eta), path, K, times=times).force
    over = -eta * rate * np.expm1(-np.clip(times - begin, 0.0, 0.1) / tau)
    exact = limit + over * np.exp(-np.maximum(times - times[3], 0.0) / tau)
    return found[1:], exact[1:]


@case("L2", "Wen 1976: z' = 1 − bz for n = 1, 1 − bz² for n = 2", unit="kN", within=1e-11)
def bouc_and_wen() -> Pair:
    """First loading of Bouc-Wen springs with n = 1 and n = 2."""
    e = np.array([0.004, 0.02, 0.2])
    found = [hx.respond(hx.laws.BoucWen(0.1, *n), e, K).force for n in ((1.0, 30.0, 70.0), (2.0, 4000.0, 6000.0))]
    return found, 10.0 * e - np.array([90.0 * np.expm1(-100.0 * e), -90.0 * np.tanh(100.0 * e)]) / 100.0


@case("L3", "Ibarra, Medina, Krawinkler 2005: straight lines", unit="kN", within=1e-12)
def capped_backbone() -> Pair:
    """Backbone of a bilinear spring with a cap and a residual, and a way back from it."""
    limit, top, plastic, post, residual = 1.0, 1.2, 0.02, 0.06, 0.25
    law = hx.laws.IMK(limit, top, plastic, post, residual)
    cap = limit / K + plastic
    e = np.array([0.5 * limit / K, limit / K + plastic / 2, cap, cap + post / 3, 0.2, 0.2 - 0.3 / K])
    exact = [limit / 2, limit * (1 + top) / 2, top * limit, top * limit * 2 / 3, residual, residual - 0.3]
    return hx.respond(law, e, K).force, exact


@case("L4", "elastic-plastic loops: 4Fy(u − uy)(1 − α)", unit="kNm", within=1e-11)
def loops() -> Pair:
    """Energy of a closed loop of a spring that hardens by α = 0.05."""
    limit, share, reach = 2.0, 0.05, np.array([0.03, 0.05, 0.1])
    law = hx.Slider(limit, kinematic=share / (1 - share) * K)
    spent = [hx.respond(law, [u, -u, u, -u, u], K).dissipated for u in reach]
    return [each[4] - each[2] for each in spent], 4 * limit * (1 - share) * (reach - limit / K)


@case("L5", "OpenSees, Steel02, Hysteretic, IMKPeakOriented", "live", "kN", within=1e-9, of="largest")
def materials() -> Pair:
    """Three deteriorating springs on a path of growing cycles, told at the points where ours turn."""
    path = np.concatenate([[0.0], np.repeat(np.arange(1, 9), 2) * 0.01 * (-1.0) ** np.arange(16)])
    wear = {"lambda_s": 20.0, "lambda_c": 20.0, "lambda_a": 20.0, "lambda_k": 20.0}
    springs: list[Any] = [
        hx.laws.MenegottoPinto(1.0, 0.05, 20.0),
        hx.laws.Hysteretic(
            s1p=1.0, e1p=0.01, s2p=1.2, e2p=0.04, s3p=0.4, e3p=0.12, damage1=0.02, pinchX=0.7, pinchY=0.3
        ),
        hx.laws.IMK(1.0, 1.1, 0.04, 0.2, 0.2, reloading="peak", rule="opensees", **wear),
    ]
    ours = [hx.respond(law, path, K, events=True) for law in springs]
    cases = []
    for law, each in zip(springs, ours, strict=True):
        # OpenSees charges an excursion with the energy up to the last point before its end: a zero is told just before.
        before = 1e-13 * np.sign(np.diff(each.deformation, prepend=0.0)) * (each.event & (np.abs(each.force) < 1e-9))
        cases.append((*law.in_opensees(K), (each.deformation - before).tolist()))
    return np.concatenate([each.force for each in ours]), np.concatenate(opensees.material_forces(cases))
