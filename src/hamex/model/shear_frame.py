"""The shear frame: rigid floors on storeys that shear, with optional P-Delta and links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite, is_positive
from hamex.errors import ModelError
from hamex.model.assembly import Block, Column, DampingLike, Dashpot, SpringLaw, assemble, matrix_of, spring
from hamex.model.inputs import each, number, numbers, one_each, unique
from hamex.model.layout import Geometry, Storeys, drawn_heights
from hamex.model.links import Link, named
from hamex.model.record import Model
from hamex.model.units import Units
from hamex.names import options_by_keyword

Array = NDArray[Any]
Device = tuple[str, Link, int, int]  # a link with its name and the levels it begins and ends at
WHO = "shear_frame"
GROUND = "ground"


@options_by_keyword
def shear_frame(
    masses: Sequence[float],
    stiffnesses: float | Sequence[float | None] | None,
    damping: DampingLike = 0.0,
    *,
    laws: SpringLaw | Sequence[SpringLaw | None] | None = None,
    heights: float | Sequence[float] | None = None,
    weights: float | Sequence[float] | None = None,
    links: Sequence[Link] = (),
    units: Units | None = None,
    names: Sequence[str] | None = None,
) -> Model:
    """Floors that only move sideways, one spring per storey, counted from the ground up.

    Parameters
    ----------
    masses : of the floors [force·time²/length].
    stiffnesses : of the storeys: one for all or one each [force/length]; None where a Parallel law brings its own, None
        or 0 where links hold a level, such as isolators below the first floor.
    damping : ``ratio(z, mode=1)``, ``rayleigh(…)`` or ``modal(…)``; dashpot coefficients of the storeys, one each
        [force·time/length]; or a full matrix. A bare number is refused. Links add their own.
    laws : what the storeys do beyond elasticity: one law for all or one each; None is elastic.
    heights : of the storeys, one for all or one each [length]; 0 for a level that links hold, which then has no drift
        ratio and no P-Delta.
    weights : gravity loads of the floors, one for all or one each [force]; with heights they add P-Delta as linear
        geometric stiffness ``−P/h``, P being all weight above. Weights that the elastic frame cannot carry are
        refused; a storey that yields may have negative stiffness and collapse.
    links : dampers, isolators and springs between floors by number or name; 0 or "ground" is the ground.
    units : names of the units, for labels.
    names : of the floors; "floor 1", "floor 2" … by default.

    Examples
    --------
    >>> model = shear_frame(masses=[2.0, 1.0], stiffnesses=[300.0, 200.0])
    >>> model.springs
    ('storey 1', 'storey 2')
    >>> model.compatibility.toarray().tolist()
    [[1.0, -1.0], [0.0, 1.0]]

    A building on isolators: its base floor is held by them alone.

    >>> from hamex.model.links import bilinear_isolator
    >>> isolator = bilinear_isolator(0, 1, stiffness=30.0, yield_force=0.2, post_stiffness=2.0)
    >>> shear_frame([1.0, 1.0], [None, 400.0], heights=[0.0, 3.0], links=[isolator]).springs
    ('isolator 1', 'storey 2')
    """
    floors = _floors(masses, names)
    count = len(floors)
    one_each(WHO, count, masses=masses, stiffnesses=stiffnesses, laws=laws, heights=heights, weights=weights)
    storeys = tuple(f"storey {i}" for i in range(1, count + 1))
    mass = numbers(WHO, "mass", masses, floors)
    if not mass.any():
        raise ModelError(f"{WHO}: every mass is zero")
    columns = [_between(i, i + 1) for i in range(count)]
    stiffness, law_of = (
        each(WHO, what, given, storeys) for what, given in (("stiffnesses", stiffnesses), ("laws", laws))
    )
    devices = [
        (name, link, _floor(link.start, name, floors), _floor(link.end, name, floors))
        for name, link in named(WHO, links, storeys)
    ]
    empty = _held_by_links(storeys, stiffness, law_of, devices)
    height = _heights(heights, storeys, empty)
    _warn_if_slow(mass, stiffnesses, units)
    ground: Column = {0: -1.0}
    blocks: list[Block] = []
    dashpots, rest = _storey_dashpots(damping, storeys, columns)
    own = [place for place in range(count) if place not in empty]
    for place, name in enumerate(storeys):
        if place in empty:  # what holds a level stands in its place: one isolator makes a chain as one spring does
            blocks += [
                block for device in devices if _levels(device) == (place, place + 1) for block in _springs(device)
            ]
        else:
            moved = ground if place == 0 else None
            blocks += spring(WHO, name, columns[place], stiffness[place], law_of[place], name, moved)
    for device in devices:
        low, high = _levels(device)
        if low not in empty or high != low + 1:
            blocks += _springs(device)
        _, link, start, end = device
        if link.law is None and link.stiffness is None:
            dashpots.append(Dashpot(_between(start, end), link.coefficient))
    ends = [(place, place + 1) for place in own] + [(start, end) for _, _, start, end in devices]
    elements = [storeys[place] for place in own] + [name for name, *_ in devices]
    return assemble(
        WHO,
        dofs=floors,
        motions=[f"{floor} can move" for floor in floors],
        mass=_diagonal(mass),
        blocks=blocks,
        dashpots=dashpots,
        geometric=_p_delta(weights, height, floors, columns),
        damping=rest,
        influence=np.ones((count, 1)),
        directions=("x",),
        support_names=(GROUND,),
        units=units,
        storeys=_storeys(storeys, height),
        geometry=_stick(floors, height, ends, elements),
        critical=lambda shape: f"in {storeys[int(np.argmax(abs(np.diff(shape, prepend=0.0))))]}",
    )


def _floors(masses: object, names: Sequence[str] | None) -> tuple[str, ...]:
    try:
        count = len(masses)  # type: ignore[arg-type]
    except TypeError:
        raise ModelError(f"{WHO}: masses must be a sequence, one per floor, got {masses!r}") from None
    if count == 0:
        raise ModelError(f"{WHO}: no floors; give at least one mass")
    if names is None:
        return tuple(f"floor {i}" for i in range(1, count + 1))
    floors = unique(
        WHO, "floors", [str(name) for name in each(WHO, "names", names, [f"floor {i + 1}" for i in range(count)])]
    )
    if GROUND in floors:
        raise ModelError(f"{WHO}: no floor may be named {GROUND!r}")
    return floors


def _warn_if_slow(mass: Array, stiffnesses: object, units: Units | None) -> None:
    """Warn of a first period that no building of so many storeys has; the straight line bounds it from below."""
    count = len(mass)
    k = [x for x in each(WHO, "stiffnesses", stiffnesses, [""] * count) if is_positive(x)]
    if units is not None and len(k) == count:  # else some storey has its stiffness from its law
        period = 2 * np.pi * np.sqrt(float(mass @ np.arange(1, count + 1) ** 2) / sum(k))
        units.warn_if_slow(WHO, period, count, f"the stiffnesses in {units.force}/{units.length}", 5)


def _between(low: int, high: int) -> Column:
    """Deformation between two levels by dof number; level 0 is the ground, floor i is dof i − 1."""
    return {dof - 1: sign for dof, sign in ((high, 1.0), (low, -1.0)) if dof > 0}


def _storey_dashpots(
    damping: Any, storeys: Sequence[str], columns: Sequence[Column]
) -> tuple[list[Dashpot], DampingLike]:
    """Coefficients of the storeys as dashpots; any other damping is passed on."""
    if isinstance(damping, str) or np.ndim(damping) != 1:
        return [], damping
    values = numbers(WHO, "damping", damping, storeys)
    return [Dashpot(column, c) for column, c in zip(columns, values, strict=True) if c > 0], None


def _p_delta(weights: Any, height: Array | None, floors: Sequence[str], columns: Sequence[Column]) -> Any:
    if weights is None:
        return matrix_of([], [], len(floors))
    if height is None:
        raise ModelError(f"{WHO}: weights act through P-Delta, which needs heights")
    above = np.cumsum(numbers(WHO, "weight", weights, floors)[::-1])[::-1]
    high = np.flatnonzero(height).tolist()
    return matrix_of([columns[place] for place in high], -above[high] / height[high], len(floors))


def _floor(end: object, name: str, floors: Sequence[str]) -> int:
    """Level of one end of a link: 0 is the ground."""
    if end is None or end == GROUND:
        return 0
    if isinstance(end, int) and not isinstance(end, bool) and 0 <= end <= len(floors):
        return end
    if end in floors:
        return floors.index(str(end)) + 1
    raise ModelError(f"{WHO}: {name}: there is no floor {end!r}; floors are 1 to {len(floors)}, 0 is the ground")


def _levels(device: Device) -> tuple[int, int]:
    """The lower and the upper level of a link."""
    _, _, start, end = device
    return min(start, end), max(start, end)


def _springs(device: Device) -> list[Block]:
    name, link, start, end = device
    if start == end:
        raise ModelError(f"{WHO}: {name} begins and ends at the same level")
    if link.direction not in (None, "x") or link.plan:
        raise ModelError(f"{WHO}: {name} acts in a direction that a shear frame does not have; it has x only")
    if link.law is None and link.stiffness is None:
        return []
    moved = {0: 1.0 if end == 0 else -1.0} if 0 in (start, end) else None
    return spring(WHO, name, _between(start, end), link.stiffness, link.law, name, moved)


def _held_by_links(
    storeys: Sequence[str], stiffness: Sequence[Any], laws: Sequence[Any], devices: Sequence[Device]
) -> set[int]:
    """Storeys that have no spring of their own; a link that holds it at rest, as no damper does, has to cross each."""
    empty = {
        place for place, k in enumerate(stiffness) if laws[place] is None and (k is None or (is_finite(k) and k == 0))
    }
    holding = [_levels(device) for device in devices if device[1].holds]
    for place in sorted(empty):
        if not any(low <= place < high for low, high in holding):
            name, link = storeys[place], "unless a link across it holds it, as no damper does"
            if stiffness[place] is None:
                raise ModelError(f"{WHO}: {name} needs a stiffness, {link}; only a Parallel law brings its own")
            raise ModelError(f"{WHO}: stiffness of {name} must be positive, got 0, {link}")
    return empty


def _heights(heights: Any, storeys: Sequence[str], empty: set[int]) -> Array | None:
    if heights is None:
        return None
    given = each(WHO, "height", heights, storeys)
    return np.array(
        [
            number(WHO, f"height of {name}", value, positive=place not in empty)
            for place, (name, value) in enumerate(zip(storeys, given, strict=True))
        ]
    )


def _storeys(names: tuple[str, ...], height: Array | None) -> Storeys:
    from scipy import sparse

    count = len(names)
    drift = (
        sparse.diags_array([np.ones(count), -np.ones(count - 1)], offsets=[0, -1]).tocsr()
        if count > 1
        else sparse.csr_array(np.ones((1, 1)))
    )
    heights = np.full(count, np.nan) if height is None else height
    row, column = np.triu_indices(count)
    above = sparse.csr_array((np.ones(row.size), (row, column)), shape=(count, count))
    return Storeys(names, heights, drift, above, sparse.eye_array(count).tocsr())


def _stick(
    floors: tuple[str, ...], height: Array | None, ends: Sequence[tuple[int, int]], elements: Sequence[str]
) -> Geometry:
    from scipy import sparse

    count = len(floors)
    level = np.concatenate([[0.0], np.cumsum(np.ones(count) if height is None else drawn_heights(height))])
    places = np.arange(count)
    motion = sparse.csr_array((np.ones(count), (2 * (places + 1), places)), shape=(2 * (count + 1), count))
    return Geometry(
        (GROUND, *floors),
        np.stack([np.zeros(count + 1), level], axis=1),
        motion,
        np.array(ends, dtype=np.intp),
        tuple(elements),
        (),
    )


def _diagonal(values: Array) -> Any:
    from scipy import sparse

    return sparse.diags_array(values).tocsr()
