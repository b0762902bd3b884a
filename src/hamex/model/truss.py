"""Trusses in two and three dimensions: bars that carry axial force between pinned nodes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from hamex.errors import ModelError
from hamex.model.assembly import DampingLike, SpringLaw, spring
from hamex.model.backbone import Parallel
from hamex.model.inputs import number
from hamex.model.joints import Constraints, Diaphragms, Joints, Levels, joints
from hamex.model.links import Link
from hamex.model.record import Model
from hamex.model.skeleton import Masses, PlacedElement, complete, horizontal_masses, listed, relative, span
from hamex.model.units import Units

WHO = "truss"


@dataclass(frozen=True)
class Bar:
    """A bar between two nodes, tension positive.

    Parameters
    ----------
    start, end : names of its nodes.
    rigidity : EA, modulus times area [force]; its stiffness is EA/length.
    stiffness : instead of the rigidity [force/length]; neither is needed with a Parallel law.
    law : what it does beyond elasticity, such as ``Slider(yield force)``.

    Examples
    --------
    >>> Bar("A", "B", rigidity=2000.0).law is None
    True
    """

    start: Hashable
    end: Hashable
    rigidity: float | None = None
    stiffness: float | None = None
    law: SpringLaw | None = None


def truss(
    nodes: Mapping[Hashable, Sequence[float]],
    bars: Mapping[str, Bar | tuple[Hashable, Hashable]] | Sequence[Bar | tuple[Hashable, Hashable]],
    supports: Mapping[Hashable, str | Sequence[str]],
    masses: Masses,
    damping: DampingLike = 0.0,
    *,
    rigidity: float | None = None,
    law: SpringLaw | None = None,
    constraints: Constraints | None = None,
    diaphragms: Diaphragms | None = None,
    links: Sequence[Link] = (),
    levels: Levels | None = None,
    units: Units | None = None,
) -> Model:
    """Pinned bars between nodes with two or three coordinates; y or z is up.

    Dofs are named "node.x", springs after their bars. Displacements are small.

    Parameters
    ----------
    nodes : name → coordinates [length].
    bars : :class:`Bar` or pairs of nodes, in a list (named "A-B") or by name.
    supports : node → directions that cannot move: "pinned" (all), "y", "xy" …
    masses : node → mass in all directions, or one per direction [force·time²/length].
    damping : a matrix, ``ratio(z, mode=1)``, ``rayleigh(…)`` or ``modal(…)``.
    rigidity, law : EA [force] and law of the bars that have none of their own.
    constraints : dof → dof it equals, or ``{dof: factor}``, as ``{"B.x": "A.x"}``; eliminated.
    diaphragms : name → nodes of a rigid floor; in a plane they share x, in space x, y and rotation, and these become
        the dofs "name.x" … at the centre of their masses.
    links : dampers, isolators and springs between nodes; None is the ground.
    levels : nodes by storey from the ground up, or a tolerance of elevation [length]; yields drifts and shears.
    units : names of the units, for labels.

    Examples
    --------
    >>> model = truss({"A": (0, 0), "B": (6, 0), "C": (3, 4)}, [("A", "C"), ("B", "C")],
    ...               supports={"A": "pinned", "B": "pinned"}, masses={"C": 2.0}, rigidity=1000.0)
    >>> model.dofs, model.springs
    (('C.x', 'C.y'), ('A-C', 'B-C'))
    """
    points = joints(WHO, nodes, supports, False, constraints, diaphragms, horizontal_masses(WHO, masses))
    elements = [_bar(points, name, bar, rigidity, law) for name, bar in listed(WHO, "bars", bars, links)]
    return complete(points, elements, masses, damping, links, levels, units)


def _bar(
    points: Joints, name: str, given: Bar | tuple[Hashable, Hashable], rigidity: float | None, law: SpringLaw | None
) -> PlacedElement:
    if not isinstance(given, Bar) and (isinstance(given, str) or len(given) != 2):
        raise ModelError(f"{WHO}: bars: {given!r} is no pair of nodes")
    bar = given if isinstance(given, Bar) else Bar(*given)
    a, b, length, line = span(points, name, bar.start, bar.end)
    own = bar.law if bar.law is not None else law
    if bar.rigidity is not None and bar.stiffness is not None:
        raise ModelError(f"{WHO}: {name} has a rigidity and a stiffness; give one of them")
    stiffness = bar.stiffness
    if stiffness is None and not (bar.rigidity is None and isinstance(own, Parallel)):
        common = bar.rigidity if bar.rigidity is not None else rigidity
        if common is None:
            raise ModelError(f"{WHO}: {name} needs a rigidity EA or a stiffness")
        stiffness = number(WHO, f"rigidity of {name}", common, positive=True) / length
    return PlacedElement(name, a, b, tuple(spring(WHO, name, relative(points, a, b, line), stiffness, own, name)))
