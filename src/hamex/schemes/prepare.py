"""Prepare: put the numbers of a model into generated rows, and compute, once, what every step multiplies with; for one
mass, and for the step of one stage on a structure.

One step of any scheme with one stage is ``S x + weight · B F(e₀ + reach · Bᵀx) = r`` with the springs' slip over the
time τ inside F; see :mod:`hamex.march.newton`. Here stand the numbers, an order of the dofs, and a list of
contributions: which entry of T goes, times which factor, to which place, so that assembling inside the march is one
loop without searching. Places are those of a band or of a compressed sparse matrix, whichever suits the structure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError, SchemeError
from hamex.march import tables as t
from hamex.march.tables import Table
from hamex.model.algebra import diagonal
from hamex.model.record import Model, dense, once
from hamex.schemes._generated import linear_element as linear_element_form
from hamex.schemes.promise import CUT
from hamex.schemes.springs import Blocks

Array = NDArray[Any]
Row = tuple[float, float, float, float, float]
OscillatorRows = tuple[Row, Row, Row, float]
LONG = 1024.0  # springs over masses in the step's matrix: beyond it sums of both lose more than three digits
FILLED = 20  # dofs per damped mode up to which a full inverse costs less than factors of a band and its low rank
_OUTWEIGHED = 64.0  # springs over masses up to which what softens leaves an inverse its digits
WIDEST_BAND = 192  # beyond it a sparse factorisation takes less work; measured in benchmarks/structures.py


def lift(row: Mapping[str, Mapping[str, float]], blocks: Mapping[str, float]) -> dict[str, float]:
    """Coefficient of every variable of a row: the sum of its factors times the blocks m, c, k, a, b they belong to.

    >>> lift({"du": {"m": 50.0, "c": 0.5}, "p": {"": -1.0}}, {"m": 2.0, "c": 4.0})
    {'du': 102.0, 'p': -1.0}
    """
    return {
        variable: sum(factor * blocks[scalar] if scalar else factor for scalar, factor in parts.items())
        for variable, parts in row.items()
    }


def coefficient(variable: str, blocks: Mapping[str, float], *rows: Mapping[str, Mapping[str, float]]) -> float:
    """Coefficient of one variable in a row, or in the sum of several.

    Factors are added before they meet their blocks, so that what cancels between rows is zero and not round-off.

    >>> coefficient("du", {"m": 0.1, "c": 4.0}, {"du": {"m": 50.0, "c": 0.5}}, {"du": {"m": -50.0, "c": 0.5}})
    4.0
    """
    total = 0.0
    for scalar, factor in rows[0][variable].items():
        for row in rows[1:]:
            factor += row[variable][scalar]
        total += factor * blocks[scalar] if scalar else factor
    return total


class Scalars(NamedTuple):
    """The numbers of a model with one degree of freedom and one spring, by the letters of the paper."""

    m: float
    c: float
    K: float
    a: float
    b: float
    yield_force: float
    viscosity: float
    kinematic: float
    isotropic: float

    @property
    def hardens(self) -> bool:
        """True when the spring has internal variables beside its slip."""
        return self.kinematic > 0 or self.isotropic > 0


def is_oscillator(model: Model) -> bool:
    """True for one degree of freedom on one spring with a slider."""
    return len(model.dofs) == 1 and len(model.springs) == 1 and set(model.laws) == {"slider"}


def damping_of_one(model: Model) -> float:
    """The damping coefficient of a model with one degree of freedom."""
    c = model.damping
    return float(c.matrix[0, 0] if c.weights.size == 0 else c.dense()[0, 0])


def scalars(model: Model, who: str = "this scheme") -> Scalars:
    """Read the one-spring oscillator out of the record, or say why it is none."""
    if not is_oscillator(model):
        laws = " and ".join(group.law.__name__ for group in model.laws.values() if len(group.springs))
        sizes = [
            f"{count} {name}{'' if count == 1 else plural}"
            for count, name, plural in ((len(model.dofs), "degree", "s"), (len(model.springs), "spring", "s"))
        ]
        raise SchemeError(
            f"{who}: only one mass on one spring with a Slider; the model has {sizes[0]} of freedom and "
            f"{sizes[1]} ({laws or 'without law'}); use Galerkin, Newmark or GeneralisedAlpha, which "
            "take any structure and law"
        )
    law = model.laws["slider"]
    m, a = float(model.mass[0, 0]), float(model.flexibility[0, 0])
    if m <= 0 or a <= 0:
        raise ModelError(f"the model needs positive mass and flexibility, got {m:g} and {a:g}")
    return Scalars(
        m,
        damping_of_one(model),
        float(model.stiffness[0, 0]),
        a,
        float(model.compatibility[0, 0]),
        float(law.yield_force[0]),
        float(law.viscosity[0]),
        float(law.kinematic[0]),
        float(law.isotropic[0]),
    )


class LinearElement(NamedTuple):
    """One step of the linear time element, eqs. (66)-(68) solved for Δu, F and Δp.

    Every number comes from the generated step form; the comments say what it is for one mass and one spring.
    """

    inv_mass: float  # 1/M̂,  M̂ = m/h + c/2 + (h/4)K
    impulse: float  # of a unit load in the first row: h/2
    beside: float  # of the stiffness outside the spring: (h/2)K
    b: float  # deformation of the spring per displacement
    half_b: float  # and per half of its increment
    inv_flex: float  # 1/Q,  Q = a + (h/4) b²/M̂
    recoil: float  # Δu per unit of −F: h b/(2M̂)
    momentum: float  # 2m/h, eq. (79)
    back: float  # loss of force per slip rate: h/(2Q)
    slip: float  # slip of the step per slip rate: h
    rate: float  # slip rate per unit of excess force: 1/(η + (h/2)(1/Q + Hk + Hi))
    drag: float  # −Δp per Δu, eq. (78): c + (h/2)K
    pull: float  # −Δp per F: h b
    weight: float  # −Δp per displacement: h K
    push: float  # Δp per load: h
    stiff: float  # of the spring by itself, k = 1/a
    held: float  # of the spring in the step's matrix, (h/4) b²k beside M̂

    @property
    def rows(self) -> OscillatorRows:
        """F, Δu and Δp of the elastic step per unit of f*, s, p and u, and what excess of the trial force over the
        yield force changes in them; last the slip per unit of excess."""
        return self._light_rows if self.held * self.inv_mass <= 1 else self._stiff_rows

    @property
    def _stiff_rows(self) -> OscillatorRows:
        """The rows of a step that is long for the spring, hω > 2, with S = M̂ + (h/4)b²k in one piece.

        Written with 1/M̂ they are small differences of large numbers: Δu loses (hω)²/4 in digits, which at hω = 10⁶
        leaves five. Here nothing cancels, and Δp = 2mΔu/h − 2p, eq. (79), is small beside p.
        """
        k, effective = self.stiff, 1 / self.inv_mass
        whole = 1 / (effective + self.held)
        half_pull = 0.5 * self.pull
        u_f, u_s, u_p = self.impulse * whole, half_pull * k * whole, whole
        u_u = -(self.beside + half_pull * k * self.b) * whole
        bend = k * self.half_b
        F_f, F_s, F_p = bend * u_f, -k * (effective * whole), bend * u_p
        F_u = k * ((self.b * effective - self.half_b * self.beside) * whole)
        F_e = self.back * self.rate
        u_e = self.impulse * half_pull * k * whole * self.rate
        inertia = self.momentum
        return (
            (F_f, F_s, F_p, F_u, F_e),
            (u_f, u_s, u_p, u_u, u_e),
            (inertia * u_f, inertia * u_s, -(self.drag + 2 * self.held) * whole, inertia * u_u, inertia * u_e),
            self.slip * self.rate,
        )

    @property
    def _light_rows(self) -> OscillatorRows:
        """The rows by 1/M̂ and 1/Q, for steps in which the mass outweighs the spring.

        Δp follows from the balance of momentum, eq. (78), where masses cancel, and not from Δu by eq. (79), where
        rounding of 2m/h would act like a force: undamped energy keeps 1e-13 instead of 1e-10 over 2 million steps.
        """
        k, free = self.inv_flex, self.inv_mass * self.half_b
        F_f, F_s, F_p, F_u = k * free * self.impulse, -k, k * free, k * (self.b - free * self.beside)
        u_f, u_s = self.inv_mass * self.impulse - self.recoil * F_f, -self.recoil * F_s
        u_p, u_u = self.inv_mass - self.recoil * F_p, -self.inv_mass * self.beside - self.recoil * F_u
        F_e = self.back * self.rate
        u_e = self.recoil * F_e
        drag, pull = self.drag, self.pull
        return (
            (F_f, F_s, F_p, F_u, F_e),
            (u_f, u_s, u_p, u_u, u_e),
            (
                self.push - drag * u_f - pull * F_f,
                -drag * u_s - pull * F_s,
                -drag * u_p - pull * F_p,
                -self.weight - drag * u_u - pull * F_u,
                pull * F_e - drag * u_e,
            ),
            self.slip * self.rate,
        )


def linear_element(x: Scalars, h: float) -> LinearElement:
    """The step's coefficients; refuses a step at which the problem stops being convex."""
    blocks = {"m": x.m, "c": x.c, "k": x.K, "a": x.a, "b": x.b}
    form = linear_element_form(h)
    start, end, spring = form["motion_start"], form["motion_end"], form["spring_start"]
    effective = coefficient("du", blocks, start)
    if effective <= 0:
        limit = (x.c + math.sqrt(x.c**2 - 4 * x.K * x.m)) / -x.K
        raise SchemeError(
            f"Galerkin: with the negative stiffness {x.K:g} the step must be below {limit:.6g} s, got {h:g} s; {CUT}"
        )
    recoil, spring_du = coefficient("F", blocks, start) / effective, coefficient("du", blocks, spring)
    flexibility = coefficient("F", blocks, spring) - spring_du * recoil
    half = coefficient("g", blocks, spring)  # the mean of a variable that slips sees half the step
    held = -coefficient("F", blocks, start) * spring_du / x.a
    slipping = x.viscosity + half * (1 / flexibility + x.kinematic + x.isotropic)
    return LinearElement(
        inv_mass=1 / effective,
        impulse=-coefficient("f", blocks, start),
        beside=coefficient("u", blocks, start),
        b=-coefficient("u", blocks, spring),
        half_b=-spring_du,
        inv_flex=1 / flexibility,
        recoil=recoil,
        momentum=effective - coefficient("du", blocks, end),
        back=half / flexibility,
        slip=coefficient("g", blocks, spring, form["spring_end"]),
        rate=1 / slipping,
        drag=coefficient("du", blocks, start, end),
        pull=coefficient("F", blocks, start, end),
        weight=coefficient("u", blocks, start, end),
        push=-coefficient("f", blocks, start, end),
        stiff=1 / x.a,
        held=held,
    )


def exact_recurrence(x: Scalars, h: float) -> tuple[float, ...]:
    """Rows of ``(u, p) ← G (u, p) + H (f₀, f₁)``, from the exponential of the system and its load.

    The load and its slope ride along as two more states, so that over-, under- and critically
    damped oscillators need no cases.
    """
    from scipy.linalg import expm

    if not math.isinf(x.yield_force):
        raise SchemeError(
            "PiecewiseExact: the spring can slip; this scheme is for elastic oscillators, use Galerkin or Newmark"
        )
    system = np.zeros((4, 4))
    system[0, 1] = 1 / x.m
    system[1] = [-(x.b**2 / x.a + x.K), -x.c / x.m, 1.0, 0.0]
    system[2, 3] = 1 / h  # f(t) = f₀ + (f₁ − f₀) t/h
    flow = expm(system * h)
    rows: list[float] = []
    for row in flow[:2]:
        rows += [row[0], row[1], row[2] - row[3], row[3]]
    return tuple(float(value) for value in rows)


@dataclass(frozen=True, eq=False)
class OneStage:
    """The equation of a step: S = Σ factor · matrix of the ``parts``, plus low · diag(low_weight) · lowᵀ; its three
    numbers, and what displacement control holds (dof,), empty for none."""

    parts: tuple[tuple[float, Any], ...]
    low: Array
    low_weight: Array
    weight: float
    reach: float
    tau: float
    pull: Array = field(default_factory=lambda: np.zeros(0))

    @cached_property
    def matrix(self) -> Any:
        """S without its low-rank part, by rows."""
        return by_rows(sum(factor * matrix for factor, matrix in self.parts))

    def gathered(self) -> OneStage:
        """The same with the low-rank part inside the matrix, which it fills."""
        full = dense(self.matrix) + (self.low * self.low_weight) @ self.low.T
        return replace(self, parts=((1.0, by_rows(full)),), low=self.low[:, :0], low_weight=self.low_weight[:0])


def is_long(model: Model, h: float) -> bool:
    """True where springs on some mass outweigh it by far in a step of h seconds: hω is beyond some sixty."""
    stiff, mass = _weighed(model)
    return bool((0.25 * h * h * stiff > mass).any())


@once
def _weighed(model: Model) -> tuple[Array, Array]:
    """What springs hold each mass with, and the mass times ``LONG``; where there is mass."""
    b, mass = model.compatibility, diagonal(model.mass)
    squares = b * b if isinstance(b, np.ndarray) else b.multiply(b)
    stiff = squares @ (1 / diagonal(model.flexibility)) + np.abs(diagonal(model.stiffness))
    return stiff[mass > 0], LONG * mass[mass > 0]


def galerkin_stage(model: Model, h: float) -> OneStage:
    """The linear time element, from the generated step form: rows "motion" and "spring" at the start of the step."""
    form = linear_element_form(h)
    damping = model.damping
    blocks = {"m": model.mass, "c": damping.matrix, "k": model.stiffness}
    motion, spring = form["motion_start"], lift(form["spring_start"], {"a": 1.0, "b": 1.0})
    half = motion["du"]["c"]
    return OneStage(
        tuple((factor, blocks[scalar]) for scalar, factor in motion["du"].items()),
        damping.shapes,
        half * damping.weights,
        weight=lift({"F": motion["F"]}, {"b": 1.0})["F"],
        reach=-spring["du"],
        tau=spring["g"],
    )


def nodal_stage(
    model: Model, h: float, beta: float, gamma: float, alpha_m: float = 0.0, alpha_f: float = 0.0
) -> OneStage:
    """Newmark's family: M/(βh²) + γC/(βh) + K, with the shares of the new node; springs returned at its end."""
    to_a, to_v, share = (1 - alpha_m) / (beta * h * h), (1 - alpha_f) * gamma / (beta * h), 1 - alpha_f
    damping = model.damping
    parts = ((to_a, model.mass), (to_v, damping.matrix), (share, model.stiffness))
    return OneStage(parts, damping.shapes, to_v * damping.weights, weight=share, reach=1.0, tau=h)


def static_stage(model: Model, blocks: Blocks, drag: float, pull: Array, penalty: float) -> OneStage:
    """Equilibrium, with a drag of that share of the elastic stiffness so that a mechanism still has one answer."""
    elastic = tangent_matrix(model, blocks, blocks.tangents) + by_rows(model.stiffness)
    matrix = by_rows(model.stiffness) + drag * elastic
    if len(pull) and penalty:
        column = by_rows(pull[:, None])
        matrix = matrix + penalty * (column @ column.T)
    parts = ((1.0, by_rows(matrix)),)
    return OneStage(parts, np.zeros((len(model.dofs), 0)), np.zeros(0), weight=1.0, reach=1.0, tau=1.0, pull=pull)


def by_rows(matrix: Any) -> Any:
    """A plain or sparse matrix by rows."""
    from scipy import sparse

    return sparse.csr_array(matrix)


def put_matrix(
    N: Table, J: Table, R: Table, m: int, matrix: Any, low: Array | None = None, weights: Array | None = None
) -> None:
    """Put matrix m by rows and its low-rank part where kernels read them (:mod:`hamex.march.tables`)."""
    weights = np.zeros(0) if weights is None else np.array(weights, dtype=float)
    low = np.zeros((matrix.shape[0], 0)) if low is None else np.ascontiguousarray(low, dtype=float)
    N[m], J[m] = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False)
    parts = (np.require(matrix.data, float, ("C",)), low, weights, np.ascontiguousarray(low.T), np.zeros(len(weights)))
    for part, array in enumerate(parts):
        R[t.PARTS * m + part] = array
    N[t.HEAD][m] = len(weights)


def softening(base: Array, rest: Array) -> tuple[Array, ...] | None:
    """The inverse G of base + ½ B rest Bᵀ of floors in a row, to be softened; the tangents ``rest`` of the storeys,
    (G B)ᵀ and BᵀGB. None where it would cost digits."""
    full = np.eye(len(rest)) - np.eye(len(rest), k=1)
    whole = base + (full * (0.5 * rest)) @ full.T
    if np.any(np.diag(whole) > _OUTWEIGHED * np.diag(base)):
        return None
    try:
        np.linalg.cholesky(whole)
    except np.linalg.LinAlgError:  # not positive definite: others say where
        return None
    inverse = np.linalg.inv(whole)
    inverse = 0.5 * (inverse + inverse.T)
    spread = np.ascontiguousarray(full.T @ inverse)
    return inverse, rest, spread, np.ascontiguousarray(spread @ full)


def between_springs(blocks: Blocks, T: Array) -> Any:
    """Tangents of the springs as a sparse matrix, so that B T Bᵀ need not be formed."""
    from scipy import sparse

    left, right, entry = blocks.pairs()
    return sparse.csr_array((T[entry], (left, right)), shape=(len(blocks.stiffness),) * 2)


def tangent_matrix(model: Model, blocks: Blocks, T: Array) -> Any:
    """B T Bᵀ."""
    b = by_rows(model.compatibility)
    return b @ between_springs(blocks, T) @ b.T


@dataclass(frozen=True, eq=False)
class Assembly:
    """S and B with their dofs in a better order, and the list of contributions; ``order[i]`` is the model's dof."""

    order: Array
    S: Any  # compressed rows; None where it stays in the order of the model
    B: Any  # compressed columns
    low: Array
    row: Array  # of each contribution, row ≥ column
    column: Array
    source: Array  # entry of T
    share: Array  # weight · reach · b · b

    @property
    def width(self) -> int:
        """Half width of the band."""
        S = self.S.tocoo()
        widths = [int(np.abs(S.row - S.col).max(initial=0)), int((self.row - self.column).max(initial=0))]
        return max(widths)


def in_model_order(stage: OneStage, compatibility: Any) -> Assembly:
    """S and B in the order of the model, without a list of contributions: for matrices that gather springs cell by
    cell."""
    from scipy import sparse

    B = sparse.csc_array(compatibility)
    B.sort_indices()
    none = np.zeros(0, dtype=np.int64)
    order = np.arange(B.shape[0], dtype=np.intp)
    return Assembly(order, None, B, np.ascontiguousarray(stage.low), none, none, none, np.zeros(0))


def narrow(stage: OneStage, compatibility: Any, blocks: Blocks) -> tuple[Array, int]:
    """An order of the dofs with a narrow band, and the half width of that."""
    from scipy import sparse
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    B = sparse.csc_array(compatibility)
    cells = sparse.csc_array(B) if not len(blocks.first) else _merged(B, blocks)
    touching = abs(cells) @ abs(cells).T + abs(stage.matrix)
    order = np.asarray(reverse_cuthill_mckee(sparse.csr_matrix(touching), symmetric_mode=True), dtype=np.intp)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    width = 0
    for entries in (touching.tocoo(), stage.matrix.tocoo()):  # which may hold zeros that the sum has not
        width = max(width, int(np.abs(rank[entries.row] - rank[entries.col]).max(initial=0)))
    return order, width


def assemble(stage: OneStage, compatibility: Any, blocks: Blocks, order: Array | None = None) -> Assembly:
    """Number the dofs for a narrow band and list the contributions of the springs."""
    from scipy import sparse

    order = narrow(stage, compatibility, blocks)[0] if order is None else order
    B = sparse.csc_array(compatibility)
    S = sparse.csr_array(stage.matrix[order][:, order])
    B = sparse.csc_array(sparse.csr_array(B)[order])
    S.sort_indices()
    B.sort_indices()
    row, column, source, share = _contributions(B, blocks)
    keep = row >= column
    return Assembly(
        order,
        S,
        B,
        np.ascontiguousarray(stage.low[order]),
        row[keep],
        column[keep],
        source[keep],
        stage.weight * stage.reach * share[keep],
    )


def _merged(B: Any, blocks: Blocks) -> Any:
    """B with the columns of each block added up in pattern, so that all its dofs touch."""
    from scipy import sparse

    owner = np.arange(B.shape[1])
    inside = np.arange(int(blocks.size.sum())) - np.repeat(np.cumsum(blocks.size) - blocks.size, blocks.size)
    first = np.repeat(blocks.first, blocks.size)
    owner[first + inside] = first
    merge = sparse.csc_array((np.ones(len(owner)), (np.arange(len(owner)), owner)), shape=(len(owner),) * 2)
    return sparse.csc_array(abs(B) @ merge)


def _contributions(B: Any, blocks: Blocks) -> tuple[Array, Array, Array, Array]:
    """All products b_ia T_ab b_jb as (i, j, entry of T, b_ia b_jb)."""
    left, right, entry = blocks.pairs()
    counts = np.diff(B.indptr)
    many = counts[left] * counts[right]
    which = np.repeat(np.arange(len(left)), many)
    within = np.arange(len(which)) - np.repeat(np.cumsum(many) - many, many)
    i = B.indptr[left[which]] + within // counts[right[which]]
    j = B.indptr[right[which]] + within % counts[right[which]]
    return B.indices[i], B.indices[j], entry[which], B.data[i] * B.data[j]


def band_of(assembly: Assembly) -> Array:
    """S as a band (n, width + 1): entry (i, d) stands for (i, i − d)."""
    width = assembly.width
    n = assembly.S.shape[0]
    S = assembly.S.tocoo()
    band = np.zeros((n, width + 1))
    lower = S.row >= S.col
    np.add.at(band, (S.row[lower], (S.row - S.col)[lower]), S.data[lower])
    return band
