"""Keys of forces on bodies, which loads in time and standing loads share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from hamex.errors import HamexError, LoadError
from hamex.model.record import Model
from hamex.spec.base import Table

Array = NDArray[Any]
ON_BODIES = ("traction", "pressure", "body_force", "point_forces")


class PointForceTable(Table):
    """A force at a point of a body."""

    at: list[float] = Field(description="where it acts [length]")
    force: list[float] = Field(description="in each direction [force]")


class BodyForces(Table):
    """Forces on a body, by place; a load in time multiplies them."""

    traction: dict[str, list[float]] | None = Field(
        None, description="of a solid: force per area in each direction by boundary, as in traction = {top = [0, -1]}"
    )
    pressure: dict[str, float] | None = Field(
        None, description="of a solid: pressure by boundary, positive inwards, as in pressure = {inner = 1.0}"
    )
    body_force: list[float] | None = Field(None, description="of a solid: force per volume in each direction")
    point_forces: list[PointForceTable] | None = Field(
        None, description="of a solid: forces at points, as in point_forces = [{at = [0, 0], force = [0, -1]}]"
    )

    def on_body(self, model: Model) -> Array | None:
        """Forces on the dofs, (dof,); None where the table has none by place."""
        given = self.given(*ON_BODIES)
        if not given:
            return None
        body = model.body
        if body is None:
            raise LoadError(f"{next(iter(given))} acts on solids; other models take forces by dof")
        total = np.zeros(len(model.dofs))
        for boundary, vector in (self.traction or {}).items():
            with _of(f"traction of {boundary!r}"):
                total += body.traction(boundary, vector)
        for boundary, value in (self.pressure or {}).items():
            with _of(f"pressure of {boundary!r}"):
                total += body.pressure(boundary, value)
        if self.body_force is not None:
            with _of("body_force of the solid"):
                total += body.force(self.body_force)
        for number, point in enumerate(self.point_forces or ()):
            with _of(f"point_forces[{number}] of the solid"):
                total += body.point_force(point.at, point.force)
        return total


@contextmanager
def _of(key: str) -> Iterator[None]:
    """Name the key in what the body refuses."""
    try:
        yield
    except HamexError as problem:
        raise type(problem)(f"{key}: {str(problem).removeprefix('traction: ').removeprefix('force: ')}") from None
