"""Bodies of many dofs beside scikit-fem and SciPy by hand, on the same mesh and with the same step, h = dx/c.

    plane         elastic, 300,000 dofs: factors, CPU time of a dof-step
    space         elastic, a million dofs, 500 steps: conjugate gradients, CPU time and memory
    viscoplastic  J2 with linear overstress, 100,000 dofs and a quarter of a million points, in space

Each case runs in a process of its own, whose largest memory counts. By hand: the same element in time written out, with
``splu`` in the plane and ``cg`` with the diagonal as preconditioner in space, to the same residual; without energies,
peaks or checks. scikit-fem assembles for it in the plane; in space, where that takes minutes, it gets the matrices of
hamex. Flow by hand is the radial return of all points at once in NumPy, Newton's method with the consistent tangent,
and products of strains instead of a matrix. "apart": largest difference of the displacements at the end, over the
largest.
`python benchmarks/solids.py CASE SIZE STEPS` runs one case and prints what it found.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import time
import warnings
from typing import Any

import measuring
import numpy as np

SIZES = {"plane": (390, 60), "space": (69, 500), "viscoplastic": (32, 30)}  # elements along a side, steps
QUICK = {"plane": (110, 20), "space": (10, 20), "viscoplastic": (6, 6)}
WARM = {"plane": 100, "space": 3, "viscoplastic": 3}  # beyond a band in the plane
BY_HAND = 10  # steps of the million dofs by hand
DOF_STEP, MINUTES, GIGABYTES, BALANCE = 0.6, 15.0, 4.0, 1e-10
POISSON, MODULUS, DENSITY = 0.3, 1.0, 1.0
FLOW = {"yield_stress": 0.02, "viscosity": 0.01, "kinematic": 0.05}


def measure(repeats: int, quick: bool = False) -> dict[str, Any]:
    """All cases; a large one is run once, as its own length evens out what a busy machine does."""
    sizes = QUICK if quick else SIZES
    found: dict[str, Any] = {"rows": [_in_a_process(case, *sizes[case]) for case in sizes]}
    found["claims"] = _claims({row["case"]: row for row in found["rows"]})
    return found


def _in_a_process(case: str, size: int, steps: int) -> dict[str, Any]:
    done = subprocess.run([sys.executable, __file__, case, str(size), str(steps)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


def _claims(by_case: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    plane, space = by_case["plane"], by_case["space"]
    worst = max(row["residual"] for row in by_case.values())
    return [
        measuring.claim(
            f"plane, elastic, {plane['dofs']:,} dofs: CPU of a dof-step", plane["step"], DOF_STEP, " µs", at_most=True
        ),
        measuring.claim(
            f"space, elastic, {space['dofs']:,} dofs, {space['steps']} steps: CPU",
            space["seconds"] / 60,
            MINUTES,
            " min",
            at_most=True,
        ),
        measuring.claim("the same: memory", space["gigabytes"], GIGABYTES, " GB", at_most=True),
        measuring.claim("energy balance of all: largest residual", worst, BALANCE, at_most=True),
    ]


def show(found: dict[str, Any]) -> None:
    """One table."""
    print(
        "Bodies, one core, CPU time: µs of a dof-step, seconds of the call with its set-up, memory of the process with "
        "the model,\nresidual of the energy balance, iterations a step; by hand beside it, and how far apart the two "
        "are\n"
    )
    print(
        f"{'':<14}{'dofs':>11}{'steps':>7}{'µs':>8}{'s':>8}{'model s':>9}{'GB':>6}{'residual':>10}{'its':>6}"
        f"{'hand µs':>9}{'set-up s':>10}{'GB':>6}{'apart':>9}"
    )
    for row in found["rows"]:
        hand = row.get("hand")
        beside = (
            f"{hand['step']:>9.3f}{hand['ready']:>10.1f}{hand['gigabytes']:>6.1f}{hand['apart']:>9.0e}" if hand else ""
        )
        print(
            f"  {row['case']:<12}{row['dofs']:>11,}{row['steps']:>7}{row['step']:>8.3f}{row['seconds']:>8.1f}"
            f"{row['model']:>9.1f}{row['gigabytes']:>6.1f}{row['residual']:>10.0e}"
            f"{row['iterations'] or '':>6}{beside}"
        )


def bars(found: dict[str, Any]) -> tuple[str, str, list[tuple[str, float, str]]]:
    """For the plot."""
    rows = [(f"hamex, {row['case']}", row["step"], "hamex") for row in found["rows"]]
    rows += [(f"by hand, {row['case']}", row["hand"]["step"], "peer") for row in found["rows"] if row.get("hand")]
    return "Bodies: one step", "CPU µs per dof", rows


# One case, in its own process ----------------------------------------------------------------------------------


def run(case: str, size: int, steps: int) -> dict[str, Any]:
    """What one case costs."""
    import hamex as hx

    warnings.simplefilter("ignore")  # of waves that the meshes are too coarse for: here speed counts
    _solved(case, _model(case, WARM[case]), WARM[case], 3)  # compiles
    begin = time.process_time()
    model = _model(case, size)
    made = time.process_time() - begin
    short = max(steps // 5, 2)
    some, _ = _solved(case, model, size, short)
    seconds, solution = _solved(case, model, size, steps)
    dofs = len(model.dofs)
    row = {
        "case": case,
        "dofs": dofs,
        "points": len(model.springs) // 6,
        "steps": steps,
        "step": 1e6 * (seconds - some) / (steps - short) / dofs,
        "seconds": seconds,
        "model": made,
        "gigabytes": _gigabytes(),
        "residual": solution.residual,
        "iterations": 0,
        "solver": solution.provenance.get("solver", ""),
        "hamex": hx.__version__,
    }
    if "cg_iterations" in solution.names:
        row["iterations"] = round(float(solution.values("cg_iterations").mean()))
    by_hand = _flowing_by_hand if case == "viscoplastic" else _by_hand
    row["hand"] = by_hand(case, model, size, min(BY_HAND, steps) if case == "space" else steps)
    return row


def _model(case: str, size: int) -> Any:
    import hamex as hx

    law = hx.laws.J2(**FLOW) if case == "viscoplastic" else None
    material = hx.Material(density=DENSITY, modulus=MODULUS, poisson=POISSON, law=law)
    mesh = hx.meshes.rectangle(1.0, 1.0, (size, size)) if case == "plane" else hx.meshes.box(1.0, 1.0, 1.0, (size,) * 3)
    return hx.solid(mesh, material, fixed=["left"], mean_dilatation=case == "viscoplastic")


def _step(size: int) -> float:
    """Time of a pressure wave through an element [s]."""
    c = math.sqrt(MODULUS * (1 - POISSON) / (DENSITY * (1 + POISSON) * (1 - 2 * POISSON)))
    return 1 / size / c


def _traction(case: str, model: Any) -> Any:
    return model.body.traction("right", (0.0, -0.03, 0.0)[: 2 if case == "plane" else 3])


def _solved(case: str, model: Any, size: int, steps: int) -> tuple[float, Any]:
    """Seconds of the call, and its solution: a traction switched on at t = 0, the last field kept."""
    import hamex as hx

    h = _step(size)
    load = hx.Load(np.append(np.ones(steps + 1), 0.0), step=h, patterns=_traction(case, model))
    problem = hx.Problem(model, load, duration=steps * h)
    keep = hx.Keep(every=steps, results=("displacement", "cg_iterations") if case != "plane" else ("displacement",))
    begin = time.process_time()
    solver = None if case == "plane" else hx.ConjugateGradients(BALANCE)  # what hamex takes by itself, if not for few
    solution = hx.solve(problem, hx.Galerkin(h), keep=keep, solver=solver)
    return time.process_time() - begin, solution


def _by_hand(case: str, model: Any, size: int, steps: int) -> dict[str, Any]:
    """The same steps with SciPy: (M/h + hK/4) Δu = p + (h/2)(f − K u), p ← 2MΔu/h − p."""
    from scipy import sparse
    from scipy.sparse.linalg import LinearOperator, cg, splu

    h, f = _step(size), _traction(case, model)
    begin = time.process_time()
    K, M = _assembled(size) if case == "plane" else (model.stiffness, model.mass)
    S = sparse.csc_array(M / h + h / 4 * K)
    if case == "plane":
        solve = splu(S).solve
    else:
        S, diagonal = S.tocsr(), S.diagonal()
        jacobi = LinearOperator(S.shape, lambda x: x / diagonal, dtype=float)

        def solve(b: Any) -> Any:
            return cg(S, b, rtol=BALANCE, atol=0.0, M=jacobi)[0]

    ready = time.process_time() - begin
    u, p = np.zeros(len(f)), np.zeros(len(f))
    begin = time.process_time()
    for _ in range(steps):
        x = solve(p + h / 2 * (f - K @ u))
        u, p = u + x, 2 / h * (M @ x) - p
    seconds = time.process_time() - begin
    return _beside(u, seconds / steps, ready, _solved(case, model, size, steps)[1])


def _beside(u: Any, step: float, ready: float, solution: Any) -> dict[str, Any]:
    """What the steps by hand cost [s each], and how far they are from ours."""
    ours = solution.values("displacement")[-1]
    return {
        "step": 1e6 * step / len(u),
        "ready": ready,
        "gigabytes": _gigabytes(),
        "apart": float(np.abs(u - ours).max() / np.abs(u).max()),
    }


SHEAR, BULK = MODULUS / 2 / (1 + POISSON), MODULUS / 3 / (1 - 2 * POISSON)
TWICE = np.array([1, 1, 1, 2.0, 2.0, 2.0])  # shears of strains are angles, twice the entries of the tensor
DEVIATOR = np.diag(1 / TWICE) - np.pad(np.full((3, 3), 1 / 3), (0, 3))
ELASTIC = 2 * SHEAR * DEVIATOR + BULK * np.pad(np.ones((3, 3)), (0, 3))


class Returned:
    """Radial return of all points at once: stresses and plastic strains after the time τ, and the tangent there."""

    def __init__(self, strain: Any, plastic: Any, tau: float) -> None:
        slope = 3 * SHEAR + FLOW["kinematic"] + FLOW["viscosity"] / tau
        away = strain - plastic
        xi = 2 * SHEAR * away @ DEVIATOR.T - 2 / 3 * FLOW["kinematic"] * plastic / TWICE
        q = np.maximum(np.sqrt(1.5 * (xi**2 @ TWICE)), 1e-300)
        flow = np.maximum(q - FLOW["yield_stress"], 0) / slope
        self.normal = 1.5 * xi / q[:, None]
        moved = flow[:, None] * self.normal
        self.stress, self.plastic = away @ ELASTIC.T - 2 * SHEAR * moved, plastic + moved * TWICE
        self.share = flow / q
        self.turn = np.where(flow > 0, 1 / slope, 0) - self.share

    def tangent(self, strain: Any) -> Any:
        """Stresses of a small strain."""
        inward = 4 * SHEAR**2 * self.turn * (strain * self.normal).sum(axis=1)
        sideways = 6 * SHEAR**2 * self.share[:, None] * (strain @ DEVIATOR.T)
        return strain @ ELASTIC.T - sideways - inward[:, None] * self.normal


def _flowing_by_hand(case: str, model: Any, size: int, steps: int) -> dict[str, Any]:
    """M Δu/h + (h/2) B F(ē) = p + (h/2) f, where F is what the mean strain ē returns to in the time h/2."""
    from scipy import sparse
    from scipy.sparse.linalg import LinearOperator, cg

    h, f, M = _step(size), _traction(case, model), sparse.csr_array(model.mass)
    begin = time.process_time()
    B = sparse.csr_array(model.compatibility)
    strains = sparse.csr_array(B.T)
    volume = 1 / (MODULUS * sparse.csr_array(model.flexibility).diagonal()[::6])
    stiffness = sparse.kron(sparse.diags_array(volume), ELASTIC, format="csr")
    diagonal = M.diagonal() / h + h / 4 * B.multiply(B @ stiffness).sum(axis=1)
    jacobi = LinearOperator(M.shape, lambda x: x / diagonal, dtype=float)
    ready = time.process_time() - begin

    def pulled(stress: Any) -> Any:
        return B @ (stress * volume[:, None]).ravel()

    u, p, plastic = np.zeros(len(f)), np.zeros(len(f)), np.zeros((len(volume), 6))
    begin = time.process_time()
    for _ in range(steps):
        x, push = np.zeros(len(f)), p + h / 2 * f
        while True:
            now = Returned((strains @ (u + x / 2)).reshape(-1, 6), plastic, h / 2)
            left = push - M @ x / h - h / 2 * pulled(now.stress)
            if np.abs(left).max() <= BALANCE * np.abs(push).max():
                break

            def product(y: Any, tangent: Any = now.tangent) -> Any:
                return M @ y / h + h / 4 * pulled(tangent((strains @ y).reshape(-1, 6)))

            x = x + cg(LinearOperator(M.shape, product, dtype=float), left, rtol=1e-6, atol=0.0, M=jacobi)[0]
        u, p, plastic = u + x, 2 / h * (M @ x) - p, 2 * now.plastic - plastic
    seconds = time.process_time() - begin
    return _beside(u, seconds / steps, ready, _solved(case, model, size, steps)[1])


def _assembled(size: int) -> tuple[Any, Any]:
    """K and M of scikit-fem, held at the left, in its own order of the dofs, which is that of hamex."""
    import skfem
    from scipy import sparse
    from skfem.helpers import dot
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    axis = np.linspace(0.0, 1.0, size + 1)
    mesh = skfem.MeshQuad.init_tensor(axis, axis)
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementQuad1()), intorder=2)
    K = linear_elasticity(*lame_parameters(MODULUS, POISSON)).assemble(basis)
    M = skfem.BilinearForm(lambda u, v, _: DENSITY * dot(u, v)).assemble(basis)
    free = basis.complement_dofs(basis.get_dofs(lambda x: np.isclose(x[0], 0.0)))
    return tuple(sparse.csr_array(x)[free][:, free] for x in (K, M))  # type: ignore[return-value]


def _gigabytes() -> float:
    """Largest memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
