"""A rod: the elastic or yielding continuum of section 4.3 in one dimension, on elements with two nodes.

Displacement is continuous and linear within an element, the impulse of the axial force constant: with these, eqs. (34)
to (44) are those of a chain of springs, ``A`` holds ``L/(EA)`` of every element and ``B`` its two ends. The same
numbers describe a soil column in shear (shear modulus for modulus) and a string (tension for modulus times area).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory, check_range, floats, is_one_of, is_whole, said
from hamex.errors import ModelError
from hamex.model.algebra import static_stiffness
from hamex.model.assembly import Block, Column, DampingLike, Dashpot, damping_of, from_groups, spring
from hamex.model.inputs import number
from hamex.model.laws.law import Law
from hamex.model.layout import Geometry
from hamex.model.links import Link, named
from hamex.model.record import Model
from hamex.model.units import Units

Array = NDArray[Any]
Field = float | Sequence[float] | Array | Callable[[Array], Any]
Ends = Literal["start", "end", "both", "none"]
WHO = "rod"
_ENDS = {"start": (0,), "end": (-1,), "both": (0, -1), "none": ()}


def rod(
    length: float,
    elements: int,
    modulus: Field,
    density: Field,
    area: Field = 1.0,
    *,
    law: Law | Sequence[Law | None] | None = None,
    fixed: Ends = "start",
    absorbing: Ends = "none",
    mass: Literal["consistent", "lumped"] = "consistent",
    damping: DampingLike = 0.0,
    links: Sequence[Link] = (),
    units: Units | None = None,
) -> Model:
    """A straight rod from x = 0 to x = length in equal elements, fixed at x = 0 and free at its other end.

    Dofs are the nodes that can move, from x = 0 on ("node 1" … ; the last is the free end), springs the elements.

    Parameters
    ----------
    length : L [length].
    elements : how many.
    modulus : E [force/length²]: one number, one per element, or a function of x at the middle of the elements.
    density : mass per volume ρ [force·time²/length⁴]; likewise.
    area : A [length²]; likewise.
    law : force against elongation of *one element*, for all or one each. With elements of length l a yield stress σ is
        ``yield_force=σ A``, a viscosity η [stress·time] ``viscosity=η A/l``, a plastic modulus H ``kinematic=H A/l``.
    fixed : ends that do not move, or move as supports: "start", "end", "both" or "none" (a rod that flies).
    absorbing : ends at which waves leave: a dashpot ρ c A there, c = √(E/ρ), as if the rod went on.
    mass : "consistent" with the elements, or "lumped" at the nodes: less accurate in implicit steps, and exact with
        :class:`hamex.LeapFrog` where the step is the time of a wave through one element.
    damping : further damping, as for :func:`hamex.structure`.
    links : springs and dampers from :mod:`hamex.links` between nodes by number (0 … elements) or the ground (None),
        such as a wall: ``hx.spring_link(None, 0, 1e6, hx.laws.Gap(…))``.
    units : names of the units, for labels.

    Examples
    --------
    >>> model = rod(length=2.0, elements=4, modulus=200.0, density=2.0, area=0.5)
    >>> model.dofs, float(model.mass.sum()), model.flexibility.diagonal().tolist()
    (('node 1', 'node 2', 'node 3', 'node 4'), 1.6666666666666665, [0.005, 0.005, 0.005, 0.005])
    """
    from scipy import sparse

    length = number(WHO, "length", length, positive=True)
    if not is_whole(elements, 1):
        raise ModelError(f"{WHO}: elements must be a whole number ≥ 1, got {elements!r:.40}")
    for what, word, known in (
        ("fixed", fixed, tuple(_ENDS)),
        ("absorbing", absorbing, tuple(_ENDS)),
        ("mass", mass, ("consistent", "lumped")),
    ):
        if not is_one_of(word, known):
            raise ModelError(f"{WHO}: {what} must be one of {', '.join(known)}; got {word!r:.40}")
    if set(_ENDS[fixed]) & set(_ENDS[absorbing]):
        raise ModelError(f"{WHO}: an end cannot be fixed and absorbing; waves leave where it can move")
    check_memory(WHO, 20 * elements, f"{said(elements)} elements", "take fewer")
    size = length / elements
    middle = (np.arange(elements) + 0.5) * size
    E, rho, A = (
        _field(what, given, middle) for what, given in (("modulus", modulus), ("density", density), ("area", area))
    )
    held = np.zeros(elements + 1, dtype=bool)
    held[list(_ENDS[fixed])] = True
    free = np.flatnonzero(~held)
    if not free.size:
        raise ModelError(f"{WHO}: one element that is fixed at both ends cannot move; take more elements")
    nodes = tuple(f"node {place}" for place in range(elements + 1))
    names = tuple(f"element {place}" for place in range(1, elements + 1))
    devices = [
        (name, link, _node(link.start, name, elements), _node(link.end, name, elements))
        for name, link in named(WHO, links, names)
    ]
    blocks = [block for device in devices for block in _springs(*device)]
    B = sparse.hstack([_ends(elements), _columns([block.columns[0] for block in blocks], elements + 1)], format="csr")
    springs = names + tuple(block.names[0] for block in blocks)
    flexibility = np.concatenate([size / (E * A), [block.flexibility[0, 0] for block in blocks]])
    laws = [*_laws(law, elements), *(block.laws[0][1] for block in blocks)]
    parts = from_groups(WHO, springs, sparse.diags_array(flexibility), B[free], B[held], _groups(laws))
    inertia = _mass(rho * A * size, mass)
    M = sparse.csr_array(inertia[free][:, free])
    dofs = tuple(nodes[place] for place in free)
    dashpots = [
        Dashpot({end % (elements + 1): 1.0}, float(np.sqrt(E[end] * rho[end]) * A[end])) for end in _ENDS[absorbing]
    ]
    dashpots += [Dashpot(_between(start, end), link.coefficient) for _, link, start, end in devices if link.coefficient]
    zero = sparse.csr_array((len(dofs), len(dofs)))
    return Model(
        mass=M,
        damping=damping_of(
            WHO,
            damping,
            M,
            lambda: static_stiffness(zero, parts.flexibility, parts.compatibility, parts.laws),
            [_moved(dashpot, free) for dashpot in dashpots],
            dofs,
            units=units,
        ),
        stiffness=zero,
        flexibility=parts.flexibility,
        compatibility=parts.compatibility,
        laws=parts.laws,
        influence=np.ones((len(dofs), 1)),
        supports=parts.supports,
        dofs=dofs,
        springs=parts.names,
        units=units or Units(),
        support_names=tuple(nodes[place] for place in np.flatnonzero(held)),
        groups={name: (place,) for place, name in enumerate(springs)},
        geometry=_line(nodes, length, free, names),
        ground_inertia=np.asarray(inertia @ np.ones((elements + 1, 1)))[free],
    )


def _field(what: str, given: Field, middle: Array) -> Array:
    """One positive number per element."""
    values = floats(given(middle) if callable(given) else given, f"{WHO}: {what} must be numbers", ModelError)
    if values.ndim == 0:
        values = np.full(len(middle), values)
    if values.shape != middle.shape:
        raise ModelError(
            f"{WHO}: {what} has shape {values.shape} for {len(middle)} elements; give one number, or one each"
        )
    bad = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if bad.size:
        raise ModelError(f"{WHO}: {what} of element {bad[0] + 1} is {values[bad[0]]:g}; it must be positive")
    for value in (values.min(), values.max()):
        check_range(WHO, what, float(value), ModelError)
    return values


def _mass(weights: Array, kind: str) -> Any:
    """Of all nodes, from the mass of every element: l ρA/6 [[2, 1], [1, 2]], or a half at each end."""
    from scipy import sparse

    own = np.concatenate([weights, [0.0]]) + np.concatenate([[0.0], weights])
    if kind == "lumped":
        return sparse.csr_array(sparse.diags_array(own / 2))
    return sparse.csr_array(sparse.diags_array([weights / 6, own / 3, weights / 6], offsets=[-1, 0, 1]))


def _ends(elements: int) -> Any:
    """Elongation of the elements: −1 at their first node, 1 at their second."""
    from scipy import sparse

    ones = np.ones(elements)
    return sparse.diags_array([-ones, ones], offsets=[0, -1], shape=(elements + 1, elements))


def _columns(columns: Sequence[Column], nodes: int) -> Any:
    from scipy import sparse

    entries = [(row, place, value) for place, column in enumerate(columns) for row, value in column.items()]
    row, column, value = zip(*entries, strict=True) if entries else ((), (), ())
    return sparse.csr_array((value, (row, column)), shape=(nodes, len(columns)), dtype=float)


def _laws(law: Law | Sequence[Law | None] | None, elements: int) -> list[Law | None]:
    given = [law] * elements if law is None or isinstance(law, Law) else list(law)
    if len(given) != elements:
        raise ModelError(f"{WHO}: {len(given)} laws for {elements} elements; give one for all, or one each")
    for place, each in enumerate(given, 1):
        if each is not None and (not isinstance(each, Law) or each.size != 1):
            raise ModelError(
                f"{WHO}: the law of element {place} must be one of one force, as Slider(…), got {each!r:.60}"
            )
    return given


def _groups(laws: Sequence[Law | None]) -> list[Any]:
    """Laws of one kind together; elements without one are elastic."""
    kinds: dict[type[Law], list[int]] = {}
    for place, law in enumerate(laws):
        if law is not None and not law.is_elastic:
            kinds.setdefault(type(law), []).append(place)
    return [kind.grouped([laws[place] for place in places], places) for kind, places in kinds.items()]


def _node(point: Any, name: str, elements: int) -> int | None:
    if point is None or point == "ground":
        return None
    if is_whole(point) and point <= elements:
        return int(point)
    raise ModelError(f"{WHO}: {name}: nodes go by number, from 0 to {elements}, or 'ground'; got {point!r:.40}")


def _between(start: int | None, end: int | None) -> Column:
    return {node: sign for node, sign in ((start, -1.0), (end, 1.0)) if node is not None}


def _springs(name: str, link: Link, start: int | None, end: int | None) -> list[Block]:
    if link.plan:
        raise ModelError(f"{WHO}: {name} acts in two directions, and a rod has one")
    if link.stiffness is None and link.law is None:
        return []  # a plain dashpot
    return spring(WHO, name, _between(start, end), link.stiffness, link.law, name)


def _moved(dashpot: Dashpot, free: Array) -> Dashpot:
    """By dof number; supports that move carry no dashpot along."""
    place = {int(node): number for number, node in enumerate(free)}
    return Dashpot(
        {place[node]: factor for node, factor in dashpot.column.items() if node in place}, dashpot.coefficient
    )


def _line(nodes: tuple[str, ...], length: float, free: Array, names: tuple[str, ...]) -> Geometry:
    """Nodes on the x-axis; they move along it."""
    from scipy import sparse

    count = len(nodes)
    coordinates = np.zeros((count, 2))
    coordinates[:, 0] = np.linspace(0.0, length, count)
    motion = sparse.csr_array((np.ones(len(free)), (2 * free, np.arange(len(free)))), shape=(2 * count, len(free)))
    ends = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    return Geometry(nodes, coordinates, motion, ends, names, tuple((place,) for place in range(count - 1)))
