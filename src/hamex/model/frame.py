"""Frames in two and three dimensions: elastic beam-columns with a hinge at each end, their end forces, flexibility
and the blocks of springs they form."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ImplausibleWarning, ModelError
from hamex.model.assembly import Block, Column, DampingLike, SpringLaw, as_surface, spring
from hamex.model.hinges import EndHinges
from hamex.model.inputs import number
from hamex.model.joints import Constraints, Diaphragms, Joints, Levels, joints
from hamex.model.laws.law import Law
from hamex.model.links import Link
from hamex.model.record import Model
from hamex.model.skeleton import Masses, PlacedElement, complete, horizontal_masses, listed, relative, span
from hamex.model.units import Units

Array = NDArray[Any]
WHO = "frame"
_SOFT, _HARD = 1.0, 1500.0  # GPa: no material of members is softer, or harder
PLANE = ("N", "M1", "M2")
SPACE = ("N", "Mz1", "Mz2", "My1", "My2", "T")


def beam(points: Joints, name: str, member: Member) -> PlacedElement:
    """A member as blocks of springs by motion of its nodes, with its P-Delta."""
    a, b, length, line = span(points, name, member.start, member.end)
    space = len(line) == 3
    axes = _axes(name, line, member.up)
    columns, flexibility = _basic(points, name, member, a, b, length, axes)
    parts = list(SPACE if space else PLANE)
    hinges = _hinges(name, member)
    laws = [(own, law) for own, law in hinges.by_part(space) if int(own[-1][-1]) - 1 not in hinges.in_series]
    kept = [i for i, part in enumerate(parts) if part[-1] not in hinges.released]
    stiffness = hinges.stiffnesses(member.modulus * member.inertia / length, flexibility[1:3, 1:3])
    for end, k in stiffness.items():
        place = 1 + end
        columns[place] = {**columns[place], points.turns[f"{name}.r{end + 1}"]: -1.0}
        flexibility[place, place] -= 1 / k
        parts[place] += "e"
    blocks: list[Block] = []
    for group in _coupled(flexibility, kept, [[parts.index(part) for part in own] for own, _ in laws]):
        names = tuple(f"{name}.{parts[i]}" for i in group)
        own_laws = tuple(
            (tuple(group.index(parts.index(part)) for part in own), law)
            for own, law in laws
            if parts.index(own[-1]) in group
        )
        if group == [0]:
            blocks += spring(WHO, names[0], columns[0], 1 / flexibility[0, 0], member.axial, name)
            continue
        if 0 in group and member.axial is not None:
            raise ModelError(
                f"{WHO}: {name} has an axial law and a hinge that interacts with the axial force; give one of them"
            )
        if len(group) > 1:
            own_laws = tuple((places, as_surface(WHO, name, law)) for places, law in own_laws)
        blocks.append(Block(names, tuple(columns[i] for i in group), flexibility[np.ix_(group, group)], own_laws, name))
    compression = number(WHO, f"compression of {name}", member.compression, signed=True)
    softened = tuple((relative(points, a, b, axis), -compression / length) for axis in axes[1:]) if compression else ()
    blocks += hinges.springs(space, points.turns, stiffness)
    return PlacedElement(name, a, b, tuple(blocks), softened)


def _axes(name: str, line: Array, up: Sequence[float] | None) -> list[Array]:
    """Unit vectors of local x, y (and z)."""
    if len(line) == 2:
        if up is not None:
            raise ModelError(f"{WHO}: {name}: up is for frames in space")
        return [line, np.array([-line[1], line[0]])]
    if up is None:
        up = (1.0, 0.0, 0.0) if abs(line[2]) > 1 - 1e-9 else (0.0, 0.0, 1.0)
    upwards = np.array([number(WHO, f"up of {name}", x, signed=True) for x in up])
    across = upwards - (upwards @ line) * line if upwards.shape == (3,) else np.zeros(3)
    size = np.linalg.norm(across)
    if size <= 1e-9 * np.linalg.norm(upwards):
        raise ModelError(f"{WHO}: {name}: up must be a vector of three numbers, not along the member; got {up!r}")
    y = across / size
    return [line, y, np.cross(line, y)]


def _basic(
    points: Joints, name: str, member: Member, a: int, b: int, length: float, axes: Sequence[Array]
) -> tuple[list[Column], Array]:
    """Deformations that belong to the forces N, M1, M2 …, by motion of the nodes, and their flexibility."""
    modulus = number(WHO, f"modulus of {name}", member.modulus, positive=True)
    area = number(WHO, f"area of {name}", member.area, positive=True)
    stretch = relative(points, a, b, axes[0])
    if len(axes) == 2:
        z = np.ones(1)  # the one rotation of a plane
        columns = [stretch, *_rotations(points, a, b, ("rz",), z, axes[1] / length)]
        flexibility = np.zeros((3, 3))
        flexibility[1:, 1:] = _bending(name, member, modulus, length, "")
    else:
        if member.inertia_y is None or member.torsion is None or member.shear_modulus is None:
            raise ModelError(f"{WHO}: {name} needs inertia_y, shear_modulus and torsion in space")
        turns = ("rx", "ry", "rz")
        # Rotation about y moves the far end against z.
        columns = [
            stretch,
            *_rotations(points, a, b, turns, axes[2], axes[1] / length),
            *_rotations(points, a, b, turns, axes[1], -axes[2] / length),
            {**_turn(points, b, turns, axes[0], 1.0), **_turn(points, a, turns, axes[0], -1.0)},
        ]
        flexibility = np.zeros((6, 6))
        flexibility[1:3, 1:3] = _bending(name, member, modulus, length, "")
        flexibility[3:5, 3:5] = _bending(name, member, modulus, length, "_y")
        flexibility[5, 5] = length / (
            number(WHO, f"shear_modulus of {name}", member.shear_modulus, positive=True)
            * number(WHO, f"torsion of {name}", member.torsion, positive=True)
        )
    flexibility[0, 0] = length / (modulus * area)
    return columns, flexibility


def _turn(points: Joints, node: int, turns: Sequence[str], axis: Array, sign: float) -> dict[int, float]:
    return {points.motion(node, turn): sign * float(x) for turn, x in zip(turns, axis, strict=True) if x != 0}


def _rotations(points: Joints, a: int, b: int, turns: Sequence[str], axis: Array, chord: Array) -> list[Column]:
    """Rotations of both ends about an axis, relative to the chord."""
    lean = {motion: -x for motion, x in relative(points, a, b, chord).items()}
    return [{**_turn(points, node, turns, axis, 1.0), **lean} for node in (a, b)]


def _bending(name: str, member: Member, modulus: float, length: float, suffix: str) -> Array:
    """Flexibility of the two end moments in one plane, shear included."""
    inertia = number(WHO, f"inertia{suffix} of {name}", getattr(member, f"inertia{suffix}"), positive=True)
    bend = length / (6 * modulus * inertia)
    flexibility = bend * np.array([[2.0, -1.0], [-1.0, 2.0]])
    shear_area = getattr(member, f"shear_area{suffix}")
    if shear_area is not None:
        if member.shear_modulus is None:
            raise ModelError(f"{WHO}: {name} has a shear area and needs shear_modulus")
        rigidity = number(WHO, f"shear_modulus of {name}", member.shear_modulus, positive=True) * number(
            WHO, f"shear_area{suffix} of {name}", shear_area, positive=True
        )
        flexibility += 1 / (rigidity * length)
    return flexibility


def _hinges(name: str, member: Member) -> EndHinges:
    return EndHinges.of(name, member.hinges, member.hinge_stiffness, member.release)


def _coupled(flexibility: Array, kept: Sequence[int], together: Sequence[Sequence[int]]) -> list[list[int]]:
    """Components that share a flexibility or a law, group by group."""
    groups = [[i] for i in kept]
    links = [[i, j] for i in kept for j in kept if i < j and flexibility[i, j] != 0]
    for link in (*links, *together):
        touched = [group for group in groups if set(group) & set(link)]
        groups = [group for group in groups if group not in touched] + [sorted(i for group in touched for i in group)]
    return sorted(groups)


Hinge = Law | None


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

    Any other law of the moment (:class:`hamex.laws.IMK`, :class:`hamex.laws.Bilinear`, a law of your own …) is a spring
    in series with the member. Its rotation, elastic part included, is a dof without mass and damping, "B1.r1" or
    "B1.r2"; its moment is the spring "B1.M1", and "B1.M1e" is the same moment in the member behind it. Its flexibility
    before yield is taken out of the member's, which is as stiff as without hinges until one yields. Slopes that a law
    gives as shares, such as ``hardening``, are shares of the hinge's stiffness: where the member in double curvature is
    to have the share α of 6 EI/L, a hinge of 66 EI/L has α/(1 + 10(1 − α)), a tenth or so.

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
    hinges : one law for both ends, or (start, end); None is elastic.
    hinge_stiffness : of hinges in series, before yield: one number, or (start, end) [force·length]. Left out: that of
        the law's first line where the law states one (Hysteretic, Pinching4), else 66 EI/L; where the other end is
        released the member is the spring, 3 EI/L. It must be above what the member itself has, 6 EI/L for two hinges.
    axial : any law of one component for the axial spring, where no hinge interacts with it.
    release : "start", "end" or "both": ends that carry no bending moment.
    compression : axial force from gravity, compression positive [force]. It softens sway by ``−P/L`` of the chord
        (P-Delta); bowing between the ends is left out, so divide slender columns.
    up : direction of the local y, in space; by default global z, and global x for vertical members.

    Examples
    --------
    >>> import hamex as hx
    >>> Member("A", "B", modulus=200e6, area=0.01, inertia=1e-4, hinges=hx.Slider(250.0)).release is None
    True
    >>> steel = hx.laws.IMK(yield_force=250.0, cap_ratio=1.1, plastic=0.03, post_cap=0.2)
    >>> beam = Member("A", "B", modulus=200e6, area=0.01, inertia=1e-4, hinges=(steel, None))
    >>> hx.frame({"A": (0, 0), "B": (4, 0)}, [beam], supports={"A": "fixed"}, masses={"B": 2.0}).dofs
    ('B.x', 'B.y', 'B.rz', 'A-B.r1')
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
    hinge_stiffness: float | tuple[float | None, float | None] | None = None


def frame(
    nodes: Mapping[Hashable, Sequence[float]],
    members: Mapping[str, Member] | Sequence[Member],
    supports: Mapping[Hashable, str | Sequence[str]],
    masses: Masses,
    damping: DampingLike = 0.0,
    *,
    constraints: Constraints | None = None,
    diaphragms: Diaphragms | None = None,
    links: Sequence[Link] = (),
    levels: Levels | None = None,
    units: Units | None = None,
) -> Model:
    """Rigidly joined members between nodes with two or three coordinates; y or z is up.

    Dofs are named "node.x", "node.rz" …, and "member.r1" where a hinge turns by itself; springs "member.N",
    "member.M1" …. Displacements are small; joints without rotary mass stay as massless dofs.

    Parameters
    ----------
    nodes : name → coordinates [length].
    members : :class:`Member`, in a list (named "A-B") or by name; an empty list where links hold everything.
    supports : node → what cannot move: "fixed" (all), "pinned" (translations), or directions such as "y rz"; a base on
        isolators is "y rz" with a link to the ground in x, or empty where links hold everything.
    masses : node → mass in all translations; one per direction; or one per dof with rotary masses
        [force·time²/length], [force·length·time²].
    damping : a matrix, ``ratio(z, mode=1)``, ``rayleigh(…)`` or ``modal(…)``.
    constraints : dof → dof it equals, or ``{dof: factor}``, as ``{"B.x": "A.x"}``; eliminated.
    diaphragms : name → nodes of a rigid floor; in a plane they share x, in space x, y and rotation rz, and these
        become the dofs "name.x" … at the centre of their masses. ``masses`` may name a diaphragm too.
    links : dampers, isolators and springs between nodes; None is the ground.
    levels : nodes by storey from the ground up, or a tolerance of elevation [length]; yields drifts and shears. The
        first may be a base on isolators, whose drift is theirs and which has no drift ratio.
    units : names of the units, for labels.

    Examples
    --------
    >>> import hamex as hx
    >>> column = Member("A", "B", modulus=30e6, area=0.09, inertia=6.75e-4, hinges=hx.Slider(120.0))
    >>> model = frame({"A": (0, 0), "B": (0, 3)}, [column], supports={"A": "fixed"}, masses={"B": 10.0})
    >>> model.dofs, model.springs
    (('B.x', 'B.y', 'B.rz'), ('A-B.N', 'A-B.M1', 'A-B.M2'))
    """
    points = joints(WHO, nodes, supports, True, constraints, diaphragms, horizontal_masses(WHO, masses))
    known: dict[str, Member] = {}
    for name, member in listed(WHO, "members", members, links):
        if not isinstance(member, Member):
            raise ModelError(f"{WHO}: {name} must be a Member(…), got {member!r}")
        known[name] = member
    points = points.with_hinges([turn for name, member in known.items() for turn in _hinges(name, member).turns])
    elements = [beam(points, name, member) for name, member in known.items()]
    if levels is not None:
        _warn_of_tension(list(known.values()))
    if known and units is not None and units.are_stated:
        _warn_of_moduli(known, units)
    return complete(points, elements, masses, damping, links, levels, units)


def _warn_of_tension(members: Sequence[Member]) -> None:
    pressed = [member.compression for member in members if member.compression != 0]
    if pressed and max(pressed) < 0:
        warnings.warn(
            f"{WHO}: compression is negative in every member that has any: that is tension, which stiffens the frame; "
            "gravity presses columns, and compression is positive",
            ImplausibleWarning,
            stacklevel=3,
        )


def _warn_of_moduli(members: Mapping[str, Member], units: Units) -> None:
    """Warn where the softest modulus is one that nothing built has, as in MPa or Pa beside kN and m; 1 says that area
    and inertia are EA and EI, and members beside others may stand for rigid parts."""
    name = min(members, key=lambda each: members[each].modulus if members[each].modulus != 1 else np.inf)
    modulus = members[name].modulus
    found = units.gigapascals(modulus)
    if not _SOFT <= found <= _HARD and modulus != 1:
        warnings.warn(
            f"{WHO}: modulus {modulus:.4g} {units.force}/{units.length}² of {name} is {found:.3g} GPa; steel has "
            f"210 GPa, concrete 30 GPa, timber 10 GPa: is it in {units.force}/{units.length}²?",
            ImplausibleWarning,
            stacklevel=3,
        )
