"""Springs that deteriorate: Ibarra, Medina and Krawinkler's law with bilinear, peak-oriented or pinched reloading.

The backbone is that of :mod:`hamex.model.laws.bilinear`, each sign by itself. Energy spent wears it: with
β = (Eᵢ/(E_ref − ΣE))ᶜ the excursion that ended at the last zero crossing lowers, on the side now entered, yield force,
hardening slope (S) and the falling line (C), and moves the target outwards (A); at a reversal it lowers the unloading
stiffness (K), with the energy that unloading gives back taken out. Ibarra, Medina and Krawinkler (2005), Earthquake
Eng. Struct. Dyn. 34:1489; Lignos and Krawinkler (2011), J. Struct. Eng. 137:1291.

What these leave open: a reversal is charged to the stiffness that its excursion began with, and a spring that unloads
for a while comes back to the line that it left (else twenty reversals of no size at all would ruin it); reloading is
never steeper than unloading. ``rule="opensees"`` is that of the materials IMKBilin, IMKPeakOriented and IMKPinching as
of 2023: every reversal is charged with all of its excursion and aims anew, a spring whose energy is used up
deteriorates no more, and bilinear springs have rules of their own near the residual.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hamex.errors import LawError
from hamex.model.laws.bilinear import Bilinear, check_sides, lines, side_of
from hamex.model.laws.imk_path import VARIABLES, piece
from hamex.model.laws.law import Array, checked
from hamex.model.laws.path import PathLaw


@dataclass(frozen=True)
class IMK(PathLaw):
    """Ibarra, Medina and Krawinkler's spring: a backbone with cap and residual that wears with the energy spent.

    Parameters
    ----------
    yield_force : Fy (My) [force].
    cap_ratio : force at the cap over Fy (Mc/My), at least 1 [1].
    plastic : deformation from yield to the cap (θp) [length]; infinite, the default: there is no cap.
    post_cap : deformation from the cap to where the falling line would reach zero (θpc) [length].
    residual_ratio : residual force over Fy (κ) [1].
    ultimate : deformation at which the spring breaks (θu) [length]; infinite by default.
    reloading : "bilinear", along the unloading stiffness to the backbone; "peak", towards the largest deformation so
        far; "pinching", the same through a point of lower force.
    lambda_s, lambda_c, lambda_a, lambda_k : reference energies over the yield force [length], of strength, cap,
        accelerated reloading (none in bilinear springs) and unloading stiffness; infinite, the default: no wear.
    c_s, c_c, c_a, c_k : exponents of β.
    d_positive, d_negative : share of S, C and A that either side takes, 0 to 1; slabs make it less than 1.
    kappa_f, kappa_d : of pinching springs: force at the pinching point over that of a straight way, and share of the
        plastic deformation at which it lies before the end.
    rule : "published", or "opensees" for what the materials of that name do.
    yield_force_negative, cap_ratio_negative, plastic_negative, post_cap_negative, residual_ratio_negative,
    ultimate_negative : the same on the side of negative forces, all as positive numbers; left out: as on the other.

    Examples
    --------
    >>> import hamex as hx
    >>> law = hx.laws.IMK(1.0, 1.1, plastic=0.03, post_cap=0.15, reloading="peak", lambda_s=1.0, lambda_k=1.0)
    >>> path = [0.0, 0.04, -0.04, 0.04, -0.04, 0.04]
    >>> hx.respond(law, path, stiffness=100.0).force.round(3).tolist()
    [0.0, 1.1, -1.067, 1.05, -1.032, 1.016]
    """

    kind = "imk"
    variables = VARIABLES
    softens = True
    spring_piece = staticmethod(piece)
    words: ClassVar[dict[str, tuple[str, ...]]] = {
        "reloading": ("bilinear", "peak", "pinching"),
        "rule": ("published", "opensees"),
    }

    yield_force: float
    cap_ratio: float = 1.0
    plastic: float = math.inf
    post_cap: float = math.inf
    residual_ratio: float = 0.0
    ultimate: float = math.inf
    reloading: str = "bilinear"
    lambda_s: float = math.inf
    lambda_c: float = math.inf
    lambda_a: float = math.inf
    lambda_k: float = math.inf
    c_s: float = 1.0
    c_c: float = 1.0
    c_a: float = 1.0
    c_k: float = 1.0
    d_positive: float = 1.0
    d_negative: float = 1.0
    kappa_f: float = 1.0
    kappa_d: float = 1.0
    rule: str = "published"
    yield_force_negative: float | None = None
    cap_ratio_negative: float | None = None
    plastic_negative: float | None = None
    post_cap_negative: float | None = None
    residual_ratio_negative: float | None = None
    ultimate_negative: float | None = None

    def __post_init__(self) -> None:
        check_sides(self)
        for name in ("reloading", "rule"):
            self.coded(name, getattr(self, name))
        for mode in "scak":
            checked(self, f"lambda_{mode}", positive=True, finite=False)
            checked(self, f"c_{mode}", positive=True)
        for name in ("d_positive", "d_negative", "kappa_f", "kappa_d"):
            if not checked(self, name) <= 1:
                raise LawError(f"IMK: {name} must be between 0 and 1, got {getattr(self, name):g}")
        if self.reloading == "bilinear" and math.isfinite(self.lambda_a):
            raise LawError('IMK: lambda_a wears the way to a target; reloading="bilinear" has none')
        if self.reloading == "pinching" and self.kappa_f == 0:
            raise LawError("IMK: kappa_f must be positive: without force at the pinching point nothing is reloaded")

    @classmethod
    def prepared(cls, group: Any, k: Array, tau: float) -> Array:
        columns = [k]
        for sign in ("", "_negative"):
            of_lines, Fy = lines(group, k, sign), side_of(group, "yield_force", sign)
            columns += [*of_lines[:, :5].T, Fy / k, Fy, of_lines[:, 8]]
        energies = [getattr(group, f"lambda_{mode}") * group.yield_force for mode in "scak"]
        rest = ("c_s", "c_c", "c_a", "c_k", "d_positive", "d_negative", "kappa_f", "kappa_d", "reloading", "rule")
        return np.column_stack([*columns, *energies, *(getattr(group, name) for name in rest)])

    @classmethod
    def slow_tangent(cls, group: Any, k: Array, isotropic: bool = True) -> Array:
        """That of the unworn backbone: wear makes no falling line steeper."""
        return Bilinear.slow_tangent(group, k, isotropic)

    jumps = Bilinear.jumps
    first_yield = Bilinear.first_yield
