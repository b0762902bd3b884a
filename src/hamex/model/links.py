"""Links between two points, or a point and the ground: dampers, isolators, friction sliders and springs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from hamex.errors import ModelError
from hamex.model.assembly import SpringLaw
from hamex.model.backbone import Parallel
from hamex.model.inputs import number, unique
from hamex.model.laws.law import Law
from hamex.model.laws.power import PowerLaw
from hamex.model.laws.slider import Slider
from hamex.model.laws.surface import Surface
from hamex.names import options_by_keyword

__all__ = [
    "Link",
    "bilinear_isolator",
    "elastic_link",
    "friction_slider",
    "maxwell_damper",
    "plan_isolator",
    "power_damper",
    "spring_link",
    "viscous_damper",
]

Point = Hashable  # a floor by number or name, a node by name; None, 0 or "ground": the ground


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True)
class Link:
    """One device between two points; build it with ``viscous_damper``, ``friction_slider`` and their like.

    A link acts along ``direction``, or along the line between its ends if that is None, and lengthens when its end
    moves that way relative to its start.

    Attributes
    ----------
    kind : what it is, in words; its name where none is given.
    start, end : floors by number or name, or nodes by name; None or "ground" is the ground (0 in a shear frame).
    stiffness : of the elastic spring in series with the law [force/length]; None for a plain dashpot.
    law : what that spring does beyond elasticity.
    coefficient : of a plain dashpot [force·time/length].
    direction : "x", "y" or "z"; None for the line between the ends.
    plan : the two directions of an isolator whose law is a Surface.
    name : of the link and its springs.

    Examples
    --------
    >>> viscous_damper(1, 2, 30.0).coefficient
    30.0
    """

    kind: str
    start: Point
    end: Point
    stiffness: float | None = None
    law: SpringLaw | None = None
    coefficient: float = 0.0
    direction: str | None = None
    plan: tuple[str, ...] = ()
    name: str | None = None

    @property
    def holds(self) -> bool:
        """True where it resists a slow small motion from rest: dampers do not."""
        if isinstance(self.law, Law):
            group = type(self.law).grouped([self.law], [0])
            return bool(np.any(type(self.law).static_share(group, np.ones(self.law.size)) > 0))
        return self.law is not None or self.stiffness is not None


def viscous_damper(
    start: Point, end: Point, coefficient: float, *, direction: str | None = None, name: str | None = None
) -> Link:
    """Linear dashpot ``F = coefficient · v`` [force·time/length]; part of the damping matrix, not a spring.

    Examples
    --------
    >>> from hamex.model.shear_frame import shear_frame
    >>> shear_frame([1.0], [100.0], links=[viscous_damper(0, 1, 4.0)]).damping.dense().tolist()
    [[4.0]]
    """
    what = "viscous damper"
    c = number("viscous_damper", "coefficient", coefficient, positive=True)
    return Link(what, start, end, coefficient=c, direction=direction, name=name)


def power_damper(
    start: Point,
    end: Point,
    coefficient: float,
    exponent: float,
    stiffness: float,
    *,
    direction: str | None = None,
    name: str | None = None,
) -> Link:
    """Fluid damper ``F = coefficient · |v|^exponent`` in series with the stiffness of its brace.

    Parameters
    ----------
    start, end : where it is attached.
    coefficient : c [force·(time/length)^exponent].
    exponent : α, usually 0.3 to 1 [1].
    stiffness : of the brace and the damper's own fluid [force/length].
    direction, name : see :class:`Link`.

    Examples
    --------
    >>> power_damper(0, 1, coefficient=50.0, exponent=0.3, stiffness=1e4).law
    PowerLaw(coefficient=50.0, exponent=0.3)
    """
    return Link(
        "power damper",
        start,
        end,
        number("power_damper", "stiffness", stiffness, positive=True),
        PowerLaw(coefficient, exponent),
        direction=direction,
        name=name,
    )


def maxwell_damper(
    start: Point,
    end: Point,
    coefficient: float,
    stiffness: float,
    *,
    direction: str | None = None,
    name: str | None = None,
) -> Link:
    """Linear dashpot in series with a spring: ``coefficient`` [force·time/length], ``stiffness`` [force/length].

    Examples
    --------
    >>> maxwell_damper(0, 1, coefficient=50.0, stiffness=1e4).law.viscosity
    50.0
    """
    c = number("maxwell_damper", "coefficient", coefficient, positive=True)
    k = number("maxwell_damper", "stiffness", stiffness, positive=True)
    return Link("maxwell damper", start, end, k, Slider(0.0, c), direction=direction, name=name)


def friction_slider(
    start: Point, end: Point, force: float, stiffness: float, *, direction: str | None = None, name: str | None = None
) -> Link:
    """Friction device that slips at ``force``, on a brace of ``stiffness`` [force/length].

    Examples
    --------
    >>> friction_slider(0, 1, force=30.0, stiffness=1e4).law.yield_force
    30.0
    """
    slip = number("friction_slider", "force", force, positive=True)
    k = number("friction_slider", "stiffness", stiffness, positive=True)
    return Link("friction slider", start, end, k, Slider(slip), direction=direction, name=name)


def bilinear_isolator(
    start: Point,
    end: Point,
    stiffness: float,
    yield_force: float,
    post_stiffness: float,
    *,
    viscosity: float = 0.0,
    direction: str | None = None,
    name: str | None = None,
) -> Link:
    """Lead-rubber or friction-pendulum isolator in one direction.

    Parameters
    ----------
    start, end : where it is attached.
    stiffness : before yield [force/length].
    yield_force : at first yield [force]. A friction pendulum with the weight W, the friction μ and the radius R yields
        at μW k/(k − W/R), so that its line after yield passes zero deformation at μW, as in OpenSees.
    post_stiffness : after yield, at least zero and below ``stiffness`` [force/length]. A pendulum has W/R.
    viscosity : of the sliding surface [force·time/length].
    direction, name : see :class:`Link`.

    Examples
    --------
    >>> bilinear_isolator(0, 1, stiffness=100.0, yield_force=5.0, post_stiffness=10.0).law.kinematic
    11.11111111111111
    >>> friction, weight, radius, k = 0.05, 1000.0, 2.0, 20e3
    >>> pendulum = bilinear_isolator(
    ...     0, 1, k, yield_force=friction * weight * k / (k - weight / radius), post_stiffness=weight / radius
    ... )
    >>> round(pendulum.law.yield_force, 3)
    51.282
    """
    k, force, hardening = _bilinear("bilinear_isolator", stiffness, yield_force, post_stiffness)
    return Link(
        "isolator", start, end, k, Slider(force, viscosity, kinematic=hardening), direction=direction, name=name
    )


def plan_isolator(
    start: Point,
    end: Point,
    stiffness: float,
    yield_force: float,
    post_stiffness: float,
    *,
    viscosity: float = 0.0,
    directions: tuple[str, str] = ("x", "y"),
    name: str | None = None,
) -> Link:
    """Isolator that yields on a circle in plan: both directions share one ``yield_force``.

    Parameters are those of :func:`bilinear_isolator`; ``directions`` are the two axes of its plane.

    Examples
    --------
    >>> plan_isolator("A", "B", stiffness=100.0, yield_force=5.0, post_stiffness=10.0).law.yield_forces
    (5.0, 5.0)
    """
    k, force, hardening = _bilinear("plan_isolator", stiffness, yield_force, post_stiffness)
    plan = tuple(directions)
    if len(plan) != 2 or plan[0] == plan[1]:
        raise ModelError(f"plan_isolator: two different directions are needed, got {directions!r}")
    return Link(
        "isolator",
        start,
        end,
        k,
        Surface((force, force), viscosity=viscosity, kinematic=hardening),
        plan=plan,
        name=name,
    )


def elastic_link(
    start: Point, end: Point, stiffness: float, *, direction: str | None = None, name: str | None = None
) -> Link:
    """Elastic spring between two points [force/length].

    Examples
    --------
    >>> elastic_link(1, 3, 250.0).stiffness
    250.0
    """
    k = number("elastic_link", "stiffness", stiffness, positive=True)
    return Link("elastic link", start, end, k, Slider(), direction=direction, name=name)


@options_by_keyword
def spring_link(
    start: Point,
    end: Point,
    stiffness: float | None = None,
    *,
    law: SpringLaw | None = None,
    direction: str | None = None,
    name: str | None = None,
) -> Link:
    """A spring with any law of one component between two points: a gap, a hook, a damper, a law of your own.

    Parameters
    ----------
    start, end : where it is attached.
    stiffness : of the spring [force/length]; left out where a Parallel law, such as a backbone, brings its own.
    law : what it does beyond elasticity; elastic when left out.
    direction, name : see :class:`Link`.

    Examples
    --------
    >>> from hamex.model.laws.gap import Gap
    >>> spring_link(0, 1, stiffness=1e4, law=Gap(gap=0.02)).law.gap        # a building that pounds against a wall
    0.02
    """
    if law is not None and not isinstance(law, Law | Parallel):
        raise ModelError(f"spring_link: law must be a law such as Slider(…) or Gap(…), got {law!r}")
    if isinstance(law, Law) and law.size != 1:
        raise ModelError(
            f"spring_link: {type(law).__name__} couples {law.size} forces, and a link is one spring; an "
            "isolator that yields in plan is plan_isolator(…)"
        )
    if stiffness is None and not isinstance(law, Parallel):
        raise ModelError("spring_link: stiffness is missing; only a backbone brings its own")
    k = None if stiffness is None else number("spring_link", "stiffness", stiffness, positive=True)
    return Link("spring link", start, end, k, Slider() if law is None else law, direction=direction, name=name)


def _bilinear(who: str, stiffness: float, yield_force: float, post_stiffness: float) -> tuple[float, float, float]:
    """Stiffness, yield force, and the hardening that in series with the spring leaves ``post_stiffness``."""
    k = number(who, "stiffness", stiffness, positive=True)
    force = number(who, "yield_force", yield_force, positive=True)
    post = number(who, "post_stiffness", post_stiffness)
    if post >= k:
        raise ModelError(f"{who}: post_stiffness {post:g} must be below the stiffness {k:g}")
    return k, force, k * post / (k - post)


def named(who: str, links: Sequence[Link], taken: Sequence[str]) -> list[tuple[str, Link]]:
    """Each link with its name: its own, or its kind with a number ("viscous damper 2")."""
    result: list[tuple[str, Link]] = []
    used = set(taken)
    counts: dict[str, int] = {}
    for link in links:
        if not isinstance(link, Link):
            raise ModelError(f"{who}: links are what viscous_damper(…) and its like return, got {link!r}")
        counts[link.kind] = counts.get(link.kind, 0) + 1
        name = link.name or f"{link.kind} {counts[link.kind]}"
        unique(who, "links", [name])
        if name in used:
            raise ModelError(f"{who}: two elements are named {name!r}; names must differ")
        used.add(name)
        result.append((name, link))
    return result
