"""The two families of schemes for structures as their marches see them: all but ``prepare``, which chooses a march."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from hamex.schemes.scheme import Array, Histories, LinearMap, Scheme, alpha_map, table_map

if TYPE_CHECKING:
    from hamex.model.record import Model
    from hamex.schemes.onestage import Newton
    from hamex.schemes.promise import Form
    from hamex.schemes.stages import StageTable

LoadRule = Literal["average", "end", "mean"]
LOAD_RULES: tuple[str, ...] = get_args(LoadRule)
LawForm = Literal["path", "mean"]
LAW_FORMS: tuple[str, ...] = get_args(LawForm)
_NOTHING: Mapping[str, Array] = {}


class ElementScheme(Scheme):
    """A time element reads one load a step, or one for each of its stages."""

    step: float
    degree: int
    load: LoadRule
    locate: bool
    tolerance: float | None
    means = True

    @property
    def whole(self) -> bool:
        """True for the element of one stage, whose steps are neither cut nor halved."""
        return False

    @property
    def label(self) -> str:
        """Name with its degree, for messages; the paper's element is known by its name alone."""
        return self.name if self.whole else f"{self.name}(degree={self.degree})"

    @property
    def stages(self) -> int:
        """Unknown nodes of the shape functions."""
        return self.degree if self.continuous else self.degree + 1

    @property
    def halves(self) -> bool:
        """True with a tolerance."""
        return self.tolerance is not None

    @property
    def unresolved(self) -> float:
        """Nothing where steps are cut at yields, the tolerance where they are halved."""
        return 0.0 if self.locate else self.tolerance or math.inf

    def finer(self, parts: int) -> Scheme:
        """Shorter steps that see the whole load: a jump between nodes may hide from a load read at h, h/2 and h/4.

        A tolerance falls with the square of the step, else the pieces of a step would be as long as before.
        """
        load = self.load if self.locate else "mean"
        tolerance = None if self.tolerance is None else self.tolerance / parts**2
        return replace(self, step=self.step / parts, load=load, tolerance=tolerance)  # type: ignore[type-var]

    def balances(self, model: Model) -> bool:
        """True for laws that flow, where jumps dissipate what they are said to; of others one stage alone knows the
        mean force."""
        return all(
            group.law.form == "flow" or (self.whole and (group.law.spring_along or group.law.spring_piece) is not None)
            for group in model.laws.values()
            if len(group.springs)
        )

    def table(self) -> StageTable:
        """Nodes, matrix and weights of the element on [0, 1]; what doubles leave out stands in its ``low`` parts."""
        from hamex.schemes._elements import CONTINUOUS, DISCONTINUOUS
        from hamex.schemes.stages import StageTable

        element = (CONTINUOUS if self.continuous else DISCONTINUOUS)[self.degree]
        return StageTable(
            *(
                np.array(x)
                for x in (element.nodes, element.matrix, element.weights, element.matrix_low, element.weights_low)
            )
        )

    def loads(
        self, load: Histories, steps: int, quiet: bool = True, *, histories: Mapping[str, Array] = _NOTHING
    ) -> tuple[Array, Array]:
        """The values that enter the march, and their mean in each step (steps, k); ``quiet`` warns of nothing."""
        if self.whole:
            values = load.step_values(self.step, steps, self.load, quiet)
            return values, values
        table = self.table()
        values = load.stage_values(self.step, steps, table.c.tolist(), self.load, quiet)
        return values, np.einsum("i,rik->rk", table.b, values)

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        """One step on the linear oscillator; the element of one stage takes the average of its ends as load."""
        table = self.table()
        whole = table_map(Omega, zeta, table.A, table.b, table.c)
        if not (self.whole and self.load == "average"):
            return whole
        total = whole.loading.sum(axis=-1, keepdims=True)
        return LinearMap(whole.matrix, total * [0.5, 0.5], np.array([0.0, 1.0]))

    def longest_step(self, model: Model) -> float:
        """Longest step with exactly one solution whatever the springs do [s]."""
        from hamex.schemes.promised import admissible

        return admissible(self.sees(model), self)

    def form(self) -> Form:
        """The numbers of the step's promise, see :mod:`hamex.schemes.promise`."""
        from hamex.schemes import promise

        A = self.table().A
        D, elastic = (
            (promise.GAUSS, promise.ELASTIC_GAUSS) if self.continuous else (promise.RADAU, promise.ELASTIC_RADAU)
        )
        return promise.collocation(A, D[len(A)], elastic[len(A)])


class NodeScheme(Scheme):
    """``M[(1−α_m)a₁ + α_m a₀] + C[(1−α_f)v₁ + α_f v₀] + … = (1−α_f)f₁ + α_f f₀`` with Newmark's β and γ, the springs
    returned to their limit at the end of the step (backward Euler). A scheme of this family is its numbers."""

    step: float

    def numbers(self) -> tuple[float, float, float, float]:
        """β, γ, α_m and α_f."""
        raise NotImplementedError

    def newton(self) -> Newton:
        """How a step is solved: it is the minimum of a convex potential, found by descent."""
        from hamex.schemes.onestage import Newton

        return Newton()

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        """One step on the linear oscillator."""
        beta, gamma, alpha_m, alpha_f = self.numbers()
        return alpha_map(Omega, zeta, alpha_m, alpha_f, beta, gamma)

    def longest_step(self, model: Model) -> float:
        """Longest step with exactly one solution whatever the springs do [s]."""
        from hamex.schemes.promised import admissible

        return admissible(model, self)

    @property
    def label(self) -> str:
        """Name in messages."""
        return self.name

    def form(self) -> Form:
        """The numbers of the step's promise, see :mod:`hamex.schemes.promise`."""
        from hamex.schemes.promise import one_stage

        beta, gamma, alpha_m, alpha_f = self.numbers()
        return one_stage((1 - alpha_m) / ((1 - alpha_f) * beta), gamma / beta, 1.0)
