"""Frames in two and three dimensions: elastic beam-columns with a hinge at each end."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from hamex.errors import ModelError
from hamex.model.assembly import SpringLaw, Wish
from hamex.model.beam import beam
from hamex.model.joints import Constraints, Diaphragms, joints
from hamex.model.laws.slider import Slider
from hamex.model.laws.surface import Surface
from hamex.model.levels import Levels
from hamex.model.links import Link
from hamex.model.record import Model
from hamex.model.skeleton import Masses, complete, horizontal_masses, listed
from hamex.model.units import Units

WHO = "frame"
Hinge = Slider | Surface | None


@dataclass(frozen=True)
class Member:
    """A straight elastic beam-column with a hinge of no length at each end.

    Forces of a member: N (tension positive) and the end moments M1, M2 that turn its ends counterclockwise; in
    space Mz1, Mz2 about its local z, My1, My2 about its local y, and the torque T. The local x runs from start to
    end, the local y is ``up`` made perpendicular to it, and z completes the right hand. In a plane z points to the
    reader.

    A hinge is a :class:`Slider` of the moment (Mz in space), or a :class:`Surface` over (M), (N, M) in a plane and
    (Mz), (Mz, My), (N, Mz, My) in space. Flow is associated: on an interaction surface plastic rotation comes with
    plastic extension wherever the surface is not parallel to the axial force, more than reinforced concrete shows.
    Both hinges share one flexibility, ``[[L/3EI, −L/6EI], [−L/6EI, L/3EI]]`` for the moments.

    Parameters
    ----------
    start, end : names of its nodes.
    modulus : E [force/length²].
    area : A [length²].
    inertia : I, second moment for bending about local z [length⁴].
    inertia_y : for bending about local y; needed in space.
    shear_modulus, torsion : G [force/length²] and J [length⁴]; needed in space.
    shear_area, shear_area_y : areas in shear that go with ``inertia`` and ``inertia_y`` [length²]; rigid in shear
        when left out. They need ``shear_modulus``.
    hinges : one law for both ends, or (start, end); None is elastic. The ends share their flexibility, so that laws
        other than Slider and Surface need the other end released.
    axial : any law of one component for the axial spring, where no hinge interacts with it.
    release : "start", "end" or "both": ends that carry no bending moment.
    compression : axial force from gravity, compression positive [force]. It softens sway by ``−P/L`` of the chord
        (P-Delta); bowing between the ends is left out, so divide slender columns.
    up : direction of the local y, in space; by default global z, and global x for vertical members.

    Examples
    --------
    >>> Member("A", "B", modulus=200e6, area=0.01, inertia=1e-4, hinges=Slider(250.0)).release is None
    True
    """

    start: Hashable
    end: Hashable
    modulus: float
    area: float
    inertia: float
    inertia_y: float | None = None
    shear_modulus: float | None = None
    torsion: float | None = None
    shear_area: float | None = None
    shear_area_y: float | None = None
    hinges: Hinge | tuple[Hinge, Hinge] = None
    axial: SpringLaw | None = None
    release: str | None = None
    compression: float = 0.0
    up: Sequence[float] | None = None


def frame(
    nodes: Mapping[Hashable, Sequence[float]],
    members: Mapping[str, Member] | Sequence[Member],
    supports: Mapping[Hashable, str | Sequence[str]],
    masses: Masses,
    damping: Wish = 0.0,
    *,
    constraints: Constraints | None = None,
    diaphragms: Diaphragms | None = None,
    links: Sequence[Link] = (),
    levels: Levels | None = None,
    units: Units | None = None,
) -> Model:
    """Rigidly joined members between nodes with two or three coordinates; y or z is up.

    Dofs are named "node.x", "node.rz" …, springs "member.N", "member.M1" …. Displacements are small; joints without
    rotary mass stay as massless dofs.

    Parameters
    ----------
    nodes : name → coordinates [length].
    members : :class:`Member`, in a list (named "A-B") or by name.
    supports : node → what cannot move: "fixed" (all), "pinned" (translations), or directions such as "y rz".
    masses : node → mass in all translations; one per direction; or one per dof with rotary masses
        [force·time²/length], [force·length·time²].
    damping : a matrix, ``ratio(z, mode=1)``, ``rayleigh(…)`` or ``modal(…)``.
    constraints : dof → dof it equals, or ``{dof: factor}``, as ``{"B.x": "A.x"}``; eliminated.
    diaphragms : name → nodes of a rigid floor; in a plane they share x, in space x, y and rotation rz, and these
        become the dofs "name.x" … at the centre of their masses. ``masses`` may name a diaphragm too.
    links : dampers, isolators and springs between nodes; None is the ground.
    levels : nodes by storey from the ground up, or a tolerance of elevation [length]; yields drifts and shears.
    units : names of the units, for labels.

    Examples
    --------
    >>> column = Member("A", "B", modulus=30e6, area=0.09, inertia=6.75e-4, hinges=Slider(120.0))
    >>> model = frame({"A": (0, 0), "B": (0, 3)}, [column], supports={"A": "fixed"}, masses={"B": 10.0})
    >>> model.dofs, model.springs
    (('B.x', 'B.y', 'B.rz'), ('A-B.N', 'A-B.M1', 'A-B.M2'))
    """
    points = joints(WHO, nodes, supports, True, constraints, diaphragms, horizontal_masses(WHO, masses))
    elements = []
    for name, member in listed(WHO, "members", members):
        if not isinstance(member, Member):
            raise ModelError(f"{WHO}: {name} must be a Member(…), got {member!r}")
        elements.append(beam(points, name, member))
    return complete(points, elements, masses, damping, links, levels, units)
