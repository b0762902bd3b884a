"""The six runs of section 6: inputs of Table 1, printed results of Table 2.

The paper leaves out four conventions without which Table 2 does not come out; each stands here where it acts.
"""

from __future__ import annotations

from dataclasses import dataclass

from hamex.model.laws.slider import Slider
from hamex.model.oscillator import oscillator
from hamex.model.record import Model
from hamex.model.units import Units
from hamex.motion.ground import el_centro
from hamex.motion.load import Load
from hamex.motion.pulses import sine
from hamex.solve import Problem

MASS, STIFFNESS, YIELD_FORCE = 1.0, 225.0, 0.27  # kip s²/in, kip/in, kip
RESONANT_OMEGA, RESONANT_SCALE, RESONANT_END = 15.0, 0.2, 30.0
RECORD_SCALE = 2.0
DURATION = 40.0

CONVENTIONS = (
    "The force is minus mass times scale times the input, f = −m·scale·a(t), for sine and record.",
    "The sine acts while t ≤ 30 s; the force is zero from the next node on.",
    "El Centro is the series of Chopra's appendix: 1560 samples at 0.02 s, the first zero, the last at 31.18 s, "
    "then zeros to 40 s. Its values are in g and are used as bare numbers: no factor of gravity.",
    "The load of a step is the value at its end, the discrete force of eq. (51). This makes the method first "
    "order in the step.",
)


@dataclass(frozen=True)
class Case:
    """One row of Table 2. Printed values (external: the paper) stay text, so that every digit counts."""

    name: str
    loading: str
    parameter: str
    step: float
    damping: float  # c = η in every run
    slip_printed: str  # milli-in
    momentum_printed: str  # milli-in/s times the unit mass

    @property
    def is_resonant(self) -> bool:
        """True for the sine, False for the record."""
        return self.loading == "Resonant"

    @property
    def model(self) -> Model:
        """The oscillator of Fig. 8."""
        law = Slider(yield_force=YIELD_FORCE, viscosity=self.damping)
        return oscillator(MASS, STIFFNESS, self.damping, law, Units("in", "kip"))

    @property
    def load(self) -> Load:
        """Force on the mass."""
        if self.is_resonant:
            return sine(-MASS * RESONANT_SCALE, RESONANT_OMEGA, RESONANT_END)
        return el_centro().scaled(RECORD_SCALE).on(self.model, g=1.0)  # g as a bare number

    @property
    def problem(self) -> Problem:
        """Initially at rest, 40 s."""
        return Problem(self.model, self.load, DURATION)


CASES = (
    Case("resonant-0.02", "Resonant", "h = 0.02", 0.02, 1.5, "0.0924", "-0.0120"),
    Case("resonant-0.01", "Resonant", "h = 0.01", 0.01, 1.5, "0.0965", "-0.0085"),
    Case("resonant-0.005", "Resonant", "h = 0.005", 0.005, 1.5, "0.0909", "-0.0072"),
    Case("elcentro-0.05", "El Centro", "ξ = 0.05", 0.02, 1.5, "-5.1638", "-0.0054"),
    Case("elcentro-0.03", "El Centro", "ξ = 0.03", 0.02, 0.9, "-5.0293", "-0.1417"),
    Case("elcentro-0.01", "El Centro", "ξ = 0.01", 0.02, 0.3, "-3.5814", "-3.1699"),
)
