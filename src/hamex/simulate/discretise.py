"""From a density in symbols to a model on a mesh: the joint of the principle and the finite elements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_one_of
from hamex.errors import ModelError
from hamex.model.discretised import WHO, Forms, assembled, laid_out
from hamex.model.fields import Fixed, Given, asked
from hamex.model.inputs import few
from hamex.model.record import Model
from hamex.model.units import Units
from hamex.principle.action import Action
from hamex.principle.quadratic import Coefficients, QuadraticDensity, quadratic

Array = NDArray[Any]


def discretise(
    action: Action,
    mesh: Any,
    parameters: Mapping[str, Given],
    *,
    degree: int = 1,
    fixed: Fixed | None = None,
    mass: Literal["consistent", "lumped"] = "consistent",
    integration: Literal["selective", "full"] = "selective",
    negative_stiffness: bool = False,
    units: Units | None = None,
) -> Model:
    """A model of any quadratic density on a mesh: string, membrane, bar, beam, elastic body, heat, or one's own.

    The kinetic energy gives M, the dissipation C, the potential K. Impulses of stresses, which enter with their rates
    alone as in eqs. (34)-(44), are eliminated at every point of integration, A J̇ = ε, and leave what displacement
    elements have. Fields with a dissipation but no kinetic energy (heat) are massless dofs with damping, which
    :class:`hamex.Galerkin` marches. ``model.fields`` (:class:`hamex.Fields`) makes loads, starts and probes.

    Parameters
    ----------
    action : a density, from :mod:`hamex.principle.library` or one's own.
    mesh : scikit-fem's, of lines, triangles, quadrilaterals, tetrahedra or hexahedra, with boundaries by name.
    parameters : for every symbol, and every given function of place, a number, or a function of points x
        (dimension, …) asked at the points of integration. A load that the action states, such as ``q(x, t)``, takes its
        shape in space here (``model.fields.stated_load``), and its history in :class:`hamex.Load`; nothing acts where
        it is left out.
    degree : of the shape functions, 1 or 2. Fields with second derivatives in space (lines only) have Hermite's cubics.
    fixed : fields that do not move, by boundary: ``{"left": "w", "right": ("u_1", "u_2")}``, ``"all"`` for all fields
        or the whole boundary; ``"w'"`` is the slope of a slender beam, which only clamping holds.
    mass : "consistent" with the shape functions, or "lumped" at the nodes.
    integration : "selective" takes as many points as the degree where a field meets the derivative of another, as in
        the shear (w′ − ψ)² of beams and plates, which locks otherwise (lines, quadrilaterals, hexahedra); "full" none.
    negative_stiffness : True where a potential is meant that is negative for some motion, as beyond buckling.
    units : names of the units, for labels.

    Examples
    --------
    >>> import skfem, hamex as hx
    >>> from hamex.principle.library import action
    >>> ends = {"left": lambda x: x[0] == 0.0, "right": lambda x: x[0] == 2.0}
    >>> mesh = skfem.MeshLine(np.linspace(0.0, 2.0, 41)).with_boundaries(ends)
    >>> string = discretise(action("string"), mesh, {"mu": 0.5, "N": 50.0}, fixed={"left": "w", "right": "w"})
    >>> string.dofs[:2], (hx.modes(string, 2).frequencies / (5 * np.pi)).round(2).tolist()   # n π c/L, c = 10, L = 2
    (('w[1]', 'w[2]'), [1.0, 2.0])
    """
    if not isinstance(action, Action):
        raise ModelError(f"{WHO}: the first argument must be an Action, got {type(action).__name__}")
    for what, word, known in (
        ("mass", mass, ("consistent", "lumped")),
        ("integration", integration, ("selective", "full")),
    ):
        if not is_one_of(word, known):
            raise ModelError(f"{WHO}: {what} must be one of {', '.join(known)}; got {word!r:.40}")
    density = quadratic(action)
    numbers = _numbers(density, parameters)

    def at(x: Array) -> Coefficients:
        return density.at(_values(density, numbers, x), x)

    forms = Forms(density.fields, density.kinetic, density.dissipation, density.potential, density.load, at)
    fields = laid_out(forms, mesh, len(density.space), degree, fixed or {})
    return assembled(forms, fields, mass, integration, negative_stiffness, units)


def _numbers(density: QuadraticDensity, parameters: Mapping[str, Given]) -> dict[str, Given]:
    """The parameters, if all are there and no others."""
    if not isinstance(parameters, Mapping):
        raise ModelError(f"{WHO}: parameters must be numbers by name, got {parameters!r:.60}")
    wanted = (*density.parameters, *density.shapes)
    for name in parameters:
        if name not in wanted:
            raise ModelError(f"{WHO}: {density.name} has no parameter {name!r:.40}; it has {few(wanted, name)}")
    missing = [name for name in density.parameters if name not in parameters]
    if missing:
        raise ModelError(f"{WHO}: {density.name} needs a number for {', '.join(missing)}")
    return dict(parameters)


def _values(density: QuadraticDensity, numbers: Mapping[str, Given], x: Array) -> dict[str, float | Array]:
    """Numbers as they are, functions of the place at points."""
    found: dict[str, float | Array] = {}
    for name, given in numbers.items():
        what = f"{WHO}: the parameter {name}"
        values = asked(what, given, x if callable(given) else x[:, :0])
        found[name] = values if callable(given) else float(given)
        if name in density.positive and not np.all(np.asarray(found[name]) > 0):
            raise ModelError(f"{what} must be positive, got {float(np.min(found[name])):g}")
    return found
