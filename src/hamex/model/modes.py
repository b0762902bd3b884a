"""Modal analysis of a model: periods, shapes, participation and effective masses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError
from hamex.model.algebra import eigen, static_stiffness
from hamex.model.layout import Geometry
from hamex.model.record import Model
from hamex.model.solids.body import Body
from hamex.names import Shown

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Modes(Shown):
    """Natural modes of a model, lowest frequency first.

    Attributes
    ----------
    frequencies : ω [rad/time].
    shapes : φ, (dof, mode), mass normalised: φᵀMφ = 1; the largest entry is positive.
    participation : Γ = φᵀMι, (mode, direction) [√mass].
    effective_mass : Γ², (mode, direction) [mass]; over all modes they add up to ``total_mass``.
    total_mass : ιᵀMι, per direction [mass].
    dofs, directions : names.
    geometry : where the nodes are, for pictures; None where the model has no shape.
    body : of a solid: its mesh, for pictures.

    Examples
    --------
    >>> import hamex as hx
    >>> found = hx.modes(hx.shear_frame(masses=[2.0, 1.0], stiffnesses=[300.0, 200.0]))
    >>> found.periods.round(3).tolist()
    [0.696, 0.327]
    >>> float(found.effective_mass.sum().round(9)) == float(found.total_mass.sum())
    True
    """

    frequencies: Array
    shapes: Array
    participation: Array
    effective_mass: Array
    total_mass: Array
    dofs: tuple[str, ...]
    directions: tuple[str, ...]
    geometry: Geometry | None = None
    body: Body | None = None

    def __repr__(self) -> str:
        some = ", ".join(f"{period:.4g}" for period in self.periods[:4])
        more = " …" if len(self.periods) > 4 else ""
        return f"<Modes: {len(self.frequencies)} of {len(self.dofs)} dofs; periods {some}{more} s>"

    @property
    def periods(self) -> Array:
        """T = 2π/ω [time]; infinite for a motion without stiffness."""
        with np.errstate(divide="ignore"):
            return np.asarray(2 * np.pi / self.frequencies)

    @property
    def effective_ratio(self) -> Array:
        """Effective mass as a share of the total, (mode, direction) [1]; NaN in a direction without mass."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.effective_mass / self.total_mass)

    @property
    def cumulative_ratio(self) -> Array:
        """Share of the total mass in the modes up to each one, (mode, direction) [1]."""
        return np.asarray(np.cumsum(self.effective_ratio, axis=0))


def modes(model: Model, count: int | None = None) -> Modes:
    """Natural modes of a model at rest: mass M, stiffness ``K + B A⁻¹ Bᵀ``, P-Delta included.

    Springs that flow under any force (Maxwell and power-law dampers) do not stiffen it. Massless dofs follow
    statically.

    Parameters
    ----------
    model : any model.
    count : how many, lowest first; all that the masses allow by default.

    Examples
    --------
    >>> from hamex.model.shear_frame import shear_frame
    >>> found = modes(shear_frame(masses=[1.0, 1.0], stiffnesses=[100.0, 100.0]))
    >>> found.periods.round(4).tolist()
    [1.0166, 0.3883]
    >>> found.cumulative_ratio[:, 0].round(4).tolist()
    [0.9472, 1.0]
    """
    from scipy import sparse

    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        raise ModelError(f"modes: count must be a whole number from 1 on, got {count!r}")
    mass = sparse.csr_array(model.mass)
    stiffness = static_stiffness(model.stiffness, model.flexibility, model.compatibility, model.laws)
    frequencies, shapes = eigen(mass, stiffness, count, definite=model.body is not None and not np.any(model.massless))
    moved = mass @ model.influence
    participation = shapes.T @ moved
    total = np.sum(model.influence * moved, axis=0)
    names = model.dofs, model.directions
    return Modes(frequencies, shapes, participation, participation**2, total, *names, model.geometry, model.body)
