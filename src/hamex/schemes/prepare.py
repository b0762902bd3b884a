"""Prepare: put the numbers of a model into generated rows, and compute, once, what every step multiplies with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError, SchemeError
from hamex.model.record import Model
from hamex.schemes._generated import linear_element as linear_element_form

Array = NDArray[Any]
Row = tuple[float, float, float, float, float]
Rows = tuple[Row, Row, Row, float]


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
    def rows(self) -> Rows:
        """F, Δu and Δp of the elastic step per unit of f*, s, p and u, and what excess of the trial force over the
        yield force changes in them; last the slip per unit of excess."""
        return self._light_rows if self.held * self.inv_mass <= 1 else self._stiff_rows

    @property
    def _stiff_rows(self) -> Rows:
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
    def _light_rows(self) -> Rows:
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
            f"Galerkin: with the negative stiffness {x.K:g} the step must be below {limit:.6g} s, got {h:g} s"
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
