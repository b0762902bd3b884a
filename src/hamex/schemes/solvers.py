"""How the linear systems of a step are solved: by factors, or by conjugate gradients; and which of them costs less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_positive, is_whole
from hamex.errors import SchemeError
from hamex.model.record import Model

Array = NDArray[Any]
_FEW = 3000  # dofs up to which factors are quick whatever the shape of a body
# Squared width of the narrowest band over the number of dofs: about 2 to 8 in the plane, 40 and more in a body as deep
# as it is long. Beyond it factors fill, and a solution costs more than some tens of products.
_DEEP = 25.0


class Solver:
    """Base of what solves the linear systems of a step.

    Examples
    --------
    >>> import hamex as hx
    >>> isinstance(hx.Factors(), Solver)
    True
    """


@dataclass(frozen=True)
class Factors(Solver):
    """Factor the matrix of a step, once as long as no spring yields: for frames, rods and bodies in the plane.

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.shear_frame(masses=[2.0, 1.0], stiffnesses=[300.0, 200.0])
    >>> problem = hx.Problem(model, hx.el_centro().on(model, g=1.0), duration=2.0)
    >>> hx.solve(problem, hx.Galerkin(0.02), solver=hx.Factors()).residual < 1e-12
    True
    """


@dataclass(frozen=True)
class ConjugateGradients(Solver):
    """Solve the matrix of a step by conjugate gradients: for bodies in space, whose factors would fill the memory.

    Steps near the time of a wave through one element take some tens of products with the matrix, whatever the mesh.
    ``sol.values("cg_iterations")`` tells them step by step, ``cg_residual`` what they left.

    Parameters
    ----------
    balance : share of the largest work that the energy balance may miss. What is left in each step, measured against
        its right side, is at most this; a last line search along the increment takes its work away.
    most : iterations in one solution; more is a ConvergenceError.

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.solid(hx.meshes.box(1.0, 1.0, 1.0, (4, 4, 4)), hx.Material(1.0, 1000.0, 0.25), fixed=["left"])
    >>> pull = hx.Load(hx.half_sine(1.0, 0.5).forces, patterns=model.body.traction("right", (1.0, 0.0, 0.0)))
    >>> sol = hx.solve(hx.Problem(model, pull, duration=0.5), hx.Galerkin(0.01), solver=hx.ConjugateGradients())
    >>> sol.residual < 1e-10, int(sol.values("cg_iterations").max()) < 40
    (True, True)
    >>> sol.provenance["solver"]
    'ConjugateGradients(balance=1e-10, most=10000)'
    """

    balance: float = 1e-10
    most: int = 10_000

    def __post_init__(self) -> None:
        if not is_positive(self.balance) or self.balance >= 1:
            raise SchemeError(f"ConjugateGradients: balance must be a number between 0 and 1, got {self.balance!r}")
        if not is_whole(self.most, 1):
            raise SchemeError(f"ConjugateGradients: most must be a whole number ≥ 1, got {self.most!r}")


def chosen(model: Model, given: Solver | None) -> Solver | None:
    """The solver asked for; of none, conjugate gradients where a body is large and deep, else None: factors, in a band
    where that is narrow."""
    if given is not None or model.body is None or len(model.dofs) <= _FEW or softens(model):
        return given
    return ConjugateGradients() if _width(model.body) ** 2 > _DEEP * len(model.dofs) else None


def softens(model: Model) -> bool:
    """True where some spring has a falling branch."""
    return any(group.law.softens for group in model.laws.values())


def is_certain(model: Model) -> bool:
    """True for bodies, whose K is positive semidefinite by construction, with springs that never soften and a mass on
    every dof: every step has one solution, and its matrix is positive definite."""
    return model.body is not None and not softens(model) and not bool(np.any(model.massless))


def _width(body: Any) -> int:
    """Half width of the band of a body's dofs in the best order found, from the vertices of its cells."""
    from scipy import sparse
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    cells, corners = body.corners.shape
    ends = sparse.csr_array(
        (np.ones(cells * corners, dtype=np.int8), body.corners.ravel(), np.arange(cells + 1) * corners),
        shape=(cells, len(body.vertices)),
    )
    graph = sparse.csr_matrix(ends.T @ ends)
    rank = np.empty(len(body.vertices), dtype=np.int64)
    rank[reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(len(rank))
    entries = graph.tocoo()
    width = int(np.abs(rank[entries.row] - rank[entries.col]).max(initial=0))
    return width * int(body.dimension) * int(body.degree) ** int(body.dimension - 1)
