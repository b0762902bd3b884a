"""Table of the oscillator: ``[model]`` with ``kind = "oscillator"``."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field, model_validator

from hamex.model.damping import ratio
from hamex.model.laws.slider import Slider
from hamex.model.oscillator import oscillator
from hamex.model.record import Model
from hamex.model.units import Units
from hamex.spec.base import Positive, Table
from hamex.spec.laws import LawTable, law


class OscillatorTable(Table):
    """``[model]`` with ``kind = "oscillator"``: one mass, one spring with its law, one dashpot.

    The keys of a slider may stand beside the mass, or any law of one component in ``[model.law]``.
    """

    kind: Literal["oscillator"]
    mass: float = Field(description="mass [force·s²/length]")
    stiffness: float | None = None
    period: Positive | None = Field(None, description="natural period of the elastic spring [s], instead of stiffness")
    damping: float | None = None
    damping_ratio: float | None = Field(None, description="fraction of critical damping, instead of damping")
    yield_force: float | None = None
    strength_ratio: Positive | None = Field(None, description="yield force over the weight, mass × gravity")
    viscosity: float | None = None
    kinematic: float | None = None
    isotropic: float | None = None
    law: LawTable | None = None

    @model_validator(mode="after")
    def _choices(self) -> OscillatorTable:
        self.one_of("stiffness", "period")
        self.one_of("damping", "damping_ratio", needed=False)
        self.one_of("yield_force", "strength_ratio", needed=False)
        beside = self.given("yield_force", "strength_ratio", "viscosity", "kinematic", "isotropic")
        if self.law is not None and beside:
            raise ValueError(f"{next(iter(beside))} is a slider's, and [model.law] says the law; give one of them")
        return self

    def build(self, units: Units, gravity: float) -> Model:
        stiffness = self.stiffness if self.period is None else self.mass * (2 * math.pi / self.period) ** 2
        assert stiffness is not None
        damping = ratio(self.damping_ratio) if self.damping_ratio is not None else self.damping or 0.0
        if self.law is not None:
            return oscillator(self.mass, stiffness, damping, law(self.law, "law"), units)
        keys = self.given("yield_force", "viscosity", "kinematic", "isotropic")
        if self.strength_ratio is not None:
            keys["yield_force"] = self.strength_ratio * self.mass * gravity
        return oscillator(self.mass, stiffness, damping, Slider(**keys), units)
