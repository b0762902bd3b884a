"""Models from matrices made elsewhere: mass, damping, flexibility and compatibility, or mass and stiffness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.errors import ModelError
from hamex.model.algebra import elastic_stiffness, static_stiffness
from hamex.model.assembly import (
    Block,
    DampingLike,
    GatheredSprings,
    SpringLaw,
    as_surface,
    damping_of,
    from_groups,
    gather,
    spring,
)
from hamex.model.inputs import Numbered, number, semidefinite, sparse_matrix, square, unique, weak_dof
from hamex.model.joints import AXES
from hamex.model.laws.law import Group, Law
from hamex.model.record import Model
from hamex.model.units import Units

Array = NDArray[Any]
Matrix = Any  # plain or sparse
Laws = Law | Sequence[Law | None] | Mapping[Any, Law] | Group | Sequence[Group] | None
_MANY = 10_000  # names beyond which none is stored


def structure(
    mass: Matrix,
    damping: DampingLike,
    flexibility: Matrix,
    compatibility: Matrix,
    laws: Laws = None,
    *,
    stiffness: Matrix | None = None,
    influence: ArrayLike | None = None,
    dofs: Sequence[str] | None = None,
    springs: Sequence[str] | None = None,
    directions: Sequence[str] | None = None,
    supports: Matrix | None = None,
    support_names: Sequence[str] = (),
    units: Units | None = None,
) -> Model:
    """A model from its matrices M, C, A, B and laws; plain or sparse, a vector stands for a diagonal.

    Parameters
    ----------
    mass : M, symmetric, not negative [force·time²/length].
    damping : C, symmetric, not negative [force·time/length]; 0; or ``ratio``, ``rayleigh``, ``modal``.
    flexibility : A of the springs, symmetric, positive definite, in blocks of neighbours [length/force].
    compatibility : B, (dof, spring): deformation of the springs is ``Bᵀu``.
    laws : one for all springs; one per spring, None for elastic; or by spring, ``{name or number: law}``, where a
        tuple of springs takes a Surface or another law of as many components; or groups of laws from parameter arrays,
        ``hamex.laws.Group.of(Slider, first, yield_force=…)``, for models with very many springs. A spring that no law
        names is elastic.
    stiffness : K, linear stiffness outside the springs; may be negative while ``K + B A⁻¹ Bᵀ`` is not.
    influence : motion of the dofs with the ground, (dof,) or (dof, direction); ones by default.
    dofs, springs, directions : names.
    supports, support_names : deformation of the springs per displacement of a support, (support, spring).
    units : names of the units, for labels.

    Examples
    --------
    >>> from hamex import Slider
    >>> model = structure([2.0, 1.0], 0, [1 / 300, 1 / 200], [[1, -1], [0, 1]], Slider(5.0))
    >>> model.dofs, model.springs
    (('dof 1', 'dof 2'), ('spring 1', 'spring 2'))
    """
    from scipy import sparse

    who = "structure"
    M = square(who, "mass", mass)
    size = M.shape[0]
    names = _names(who, "dofs", "dof", dofs, size)
    if not _is_plain_mass(M):
        semidefinite(who, "mass", M, names)
    A = square(who, "flexibility", flexibility)
    labels = _names(who, "springs", "spring", springs, A.shape[0])
    B = sparse_matrix(who, "compatibility", compatibility)
    if B.shape != (size, len(labels)):
        raise ModelError(
            f"{who}: compatibility is {B.shape[0]} × {B.shape[1]}, it must be {size} × {len(labels)}: dofs by springs"
        )
    moved = sparse.csr_array((0, len(labels))) if supports is None else sparse_matrix(who, "supports", supports)
    if moved.shape != (len(support_names), len(labels)):
        raise ModelError(
            f"{who}: supports is {moved.shape[0]} × {moved.shape[1]}, it must be "
            f"{len(support_names)} × {len(labels)}: support_names by springs"
        )
    K = square(who, "stiffness", stiffness, size) if stiffness is not None else sparse.csr_array((size, size))
    groups = (laws,) if isinstance(laws, Group) else laws
    if isinstance(groups, Sequence) and groups and all(isinstance(group, Group) for group in groups):
        parts = from_groups(who, labels, A, B, moved, groups)
    else:
        parts = gather(_blocks(who, labels, A, B, moved, _by_spring(who, laws, labels)), size, len(support_names))
    return _model(who, M, damping, K, parts, names, influence, directions, tuple(support_names), units)


def structure_from_stiffness(
    mass: Matrix,
    stiffness: Matrix,
    springs: Mapping[str, tuple[Any, float | None, SpringLaw]] | Sequence[tuple[Any, float | None, SpringLaw]],
    damping: DampingLike = 0.0,
    *,
    geometric: Matrix | None = None,
    influence: ArrayLike | None = None,
    dofs: Sequence[str] | None = None,
    directions: Sequence[str] | None = None,
    units: Units | None = None,
) -> Model:
    """A model from mass and elastic stiffness, part of which yields.

    Each spring's ``k b bᵀ`` is taken out of the stiffness and given back as a spring with its law, so that the elastic
    stiffness stays as given.

    Parameters
    ----------
    mass : M, symmetric, not negative [force·time²/length].
    stiffness : elastic stiffness of the whole, springs included, positive definite [force/length].
    springs : (b, k, law), in a list or by name: b gives the spring's deformation ``bᵀu``, as a vector or as
        ``{dof: factor}``; k is its share of the stiffness [force/length], None with a Parallel law.
    damping : C, symmetric, not negative; 0; or ``ratio``, ``rayleigh``, ``modal``.
    geometric : geometric stiffness of P-Delta, added to all this; may be negative [force/length].
    influence, dofs, directions, units : as in :func:`structure`.

    Examples
    --------
    >>> from hamex import Slider
    >>> model = structure_from_stiffness([2.0, 1.0], [[500, -200], [-200, 200]],
    ...                                  springs={"upper": ([-1, 1], 150.0, Slider(5.0))})
    >>> model.stiffness.toarray().tolist()
    [[350.0, -50.0], [-50.0, 50.0]]
    """
    who = "structure_from_stiffness"
    M = square(who, "mass", mass)
    size = M.shape[0]
    names = _names(who, "dofs", "dof", dofs, size)
    semidefinite(who, "mass", M, names)
    whole = square(who, "stiffness", stiffness, size)
    weak = weak_dof(whole)
    if weak is not None:
        raise ModelError(
            f"{who}: the stiffness is not positive definite: {names[weak]!r} can move and nothing resists it"
        )
    pairs = (
        list(springs.items())
        if isinstance(springs, Mapping)
        else [(f"spring {place}", each) for place, each in enumerate(springs, 1)]
    )
    blocks = [block for name, given in pairs for block in _spring(who, str(name), given, names)]
    if not blocks:
        raise ModelError(f"{who}: no springs; give at least one, elastic if need be")
    parts = gather(blocks, size)
    rest = whole - elastic_stiffness(0 * whole, parts.flexibility, parts.compatibility)
    diagonal = whole.diagonal()
    rest = rest.tocoo()
    rest.data[abs(rest.data) < 1e-12 * np.sqrt(diagonal[rest.row] * diagonal[rest.col])] = 0.0
    rest = rest.tocsr()
    rest.eliminate_zeros()
    semidefinite(who, "what the springs leave of the stiffness", rest, names, diagonal)
    K = rest if geometric is None else rest + square(who, "geometric stiffness", geometric, size)
    return _model(who, M, damping, K, parts, names, influence, directions, (), units)


def _is_plain_mass(M: Any) -> bool:
    """True for a diagonal of masses that are not negative: nothing to look into."""
    diagonal = M.diagonal()
    return bool(M.nnz == np.count_nonzero(diagonal) and diagonal.min() >= 0)


def _names(who: str, what: str, one: str, given: Sequence[str] | None, count: int) -> Any:
    if given is None:
        return tuple(f"{one} {place}" for place in range(1, count + 1)) if count <= _MANY else Numbered(one, count)
    if len(given) != count:
        raise ModelError(f"{who}: {len(given)} names of {what} for {count}")
    return unique(who, what, [str(name) for name in given])


def _place(who: str, key: object, names: Sequence[str], what: str) -> int:
    if isinstance(key, int | np.integer) and not isinstance(key, bool) and 0 <= key < len(names):
        return int(key)
    if key in names:
        return names.index(str(key))
    raise ModelError(f"{who}: there is no {what} {key!r}; {what}s are numbered from 0 to {len(names) - 1} or named")


def _by_spring(who: str, laws: Laws, labels: Sequence[str]) -> list[tuple[tuple[int, ...], Law]]:
    """Pairs (springs, law), elastic springs left out."""
    if laws is None or isinstance(laws, Law):
        pairs: list[tuple[Any, Any]] = [((place,), laws) for place in range(len(labels))]
    elif isinstance(laws, Mapping):
        pairs = [
            (tuple(_place(who, each, labels, "spring") for each in (key if isinstance(key, tuple) else (key,))), law)
            for key, law in laws.items()
        ]
    else:
        row: list[Any] = list(laws)  # type: ignore[arg-type]
        if len(row) != len(labels):
            raise ModelError(f"{who}: {len(row)} laws for {len(labels)} springs; give one for all, or one for each")
        pairs = [((place,), law) for place, law in enumerate(row)]
    for places, law in pairs:
        if law is not None and not isinstance(law, Law):
            raise ModelError(f"{who}: the law of {labels[places[0]]!r} must be a law such as Slider(…), got {law!r}")
    return [(places, law) for places, law in pairs if law is not None and not law.is_elastic]


def _blocks(
    who: str, labels: Sequence[str], A: Any, B: Any, moved: Any, laws: Sequence[tuple[tuple[int, ...], Law]]
) -> list[Block]:
    """Springs that share flexibility or a law, block by block."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    for place in np.flatnonzero(A.diagonal() <= 0).tolist():
        raise ModelError(
            f"{who}: spring {labels[place]!r} has flexibility {A[place, place]:g}; it must be positive. "
            "A spring without flexibility is a constraint"
        )
    shared = [(places[0], other) for places, _ in laws for other in places[1:]]
    row, column = np.array(shared, dtype=int).reshape(-1, 2).T
    graph = abs(A) + sparse.csr_array((np.ones(len(shared)), (row, column)), shape=A.shape)
    _, label = connected_components(graph, directed=False)
    place_of = {name: place for place, name in enumerate(labels)}
    columns, supports = _columns(B), _columns(moved)
    blocks = []
    own_laws: dict[int, list[tuple[tuple[int, ...], Law]]] = {}
    for places, law in laws:
        own_laws.setdefault(int(label[places[0]]), []).append((places, law))
    order = np.argsort(label, kind="stable")
    for group in np.split(order, np.cumsum(np.bincount(label))[:-1]):
        first, last = int(group[0]), int(group[-1])
        if last - first != group.size - 1:
            raise ModelError(
                f"{who}: springs {', '.join(labels[i] for i in group.tolist())} share flexibility or a "
                "law and must stand side by side; reorder the springs"
            )
        own = [(tuple(place - first for place in places), law) for places, law in own_laws.get(int(label[first]), [])]
        if group.size == 1 and len(own) > 1:
            raise ModelError(f"{who}: spring {labels[first]!r} has {len(own)} laws")
        if group.size > 1:
            own = [(places, as_surface(who, labels[first + places[0]], law)) for places, law in own]
        run = slice(first, last + 1)
        blocks.append(
            Block(
                tuple(labels[run]),
                tuple(columns[run]),
                A[run, run].toarray(),
                tuple(own),
                labels[first],
                tuple(supports[run]),
            )
        )
    return sorted(blocks, key=lambda block: place_of[block.names[0]])


def _columns(matrix: Any) -> list[dict[int, float]]:
    by_column = matrix.tocsc()
    ends = zip(by_column.indptr[:-1], by_column.indptr[1:], strict=True)
    return [dict(zip(by_column.indices[i:j].tolist(), by_column.data[i:j].tolist(), strict=True)) for i, j in ends]


def _spring(who: str, name: str, given: Any, dofs: Sequence[str]) -> list[Block]:
    if not isinstance(given, Sequence) or len(given) != 3:
        raise ModelError(f"{who}: {name} must be (b, stiffness, law), got {given!r}")
    vector, stiffness, law = given
    if isinstance(vector, Mapping):
        pairs = [(_place(who, key, dofs, "dof"), x) for key, x in vector.items()]
    else:
        pairs = list(enumerate(np.asarray(vector, dtype=float).tolist()))
        if len(pairs) != len(dofs):
            raise ModelError(f"{who}: {name}: b has {len(pairs)} entries for {len(dofs)} dofs")
    column = {place: number(who, f"b of {name} at {dofs[place]!r}", x, signed=True) for place, x in pairs if x != 0}
    if not column:
        raise ModelError(f"{who}: {name}: b is zero, so that the spring never deforms")
    return spring(who, name, column, stiffness, law, name)


def _model(
    who: str,
    M: Any,
    damping: DampingLike,
    K: Any,
    parts: GatheredSprings,
    dofs: tuple[str, ...],
    influence: ArrayLike | None,
    directions: Sequence[str] | None,
    support_names: tuple[str, ...],
    units: Units | None,
) -> Model:
    from scipy import sparse

    heavy = M.diagonal().max()
    if heavy == 0:
        raise ModelError(f"{who}: every mass is zero")
    # Springs alone are never indefinite, and a mass on every dof resists by itself: then nothing is factored.
    if K.nnz or not (_is_plain_mass(M) and M.diagonal().min() > 0):
        elastic = elastic_stiffness(K, parts.flexibility, parts.compatibility)
        scale = elastic_stiffness(abs(K), parts.flexibility, parts.compatibility).diagonal()
        semidefinite(who, "the elastic stiffness K + B A⁻¹ Bᵀ", elastic, dofs, scale)
        weak = weak_dof(elastic + M * (max(scale.max(), 1e-300) / heavy))
        if weak is not None:
            raise ModelError(f"{who}: {dofs[weak]!r} can move, and neither mass nor stiffness resists it")
    iota = np.ones((len(dofs), 1)) if influence is None else np.asarray(influence, dtype=float)
    iota = iota[:, None] if iota.ndim == 1 else iota
    ways = (
        tuple(str(way) for way in directions)
        if directions is not None
        else AXES[: iota.shape[1]]
        if iota.shape[1] <= 3
        else tuple(f"direction {i + 1}" for i in range(iota.shape[1]))
    )
    return Model(
        M,
        damping_of(
            who,
            damping,
            M,
            lambda: static_stiffness(K, parts.flexibility, parts.compatibility, parts.laws),
            (),
            dofs,
            units=units,
        ),
        sparse.csr_array(K),
        parts.flexibility,
        parts.compatibility,
        parts.laws,
        iota,
        parts.supports,
        dofs,
        parts.names,
        ways,
        units or Units(),
        support_names,
        parts.groups,
    )
