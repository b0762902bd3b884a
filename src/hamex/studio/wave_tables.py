"""Bars and membranes of the wave view: what is asked, as tables, their models and problems, and a script of each run.

Numbers are in metres, newtons, seconds and kilograms. What a table builds and what its script says are the same calls
in the same order, so that a script gives the numbers of the page to the last bit.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from hamex.errors import InputError
from hamex.model.damping import rayleigh
from hamex.model.laws import by_kind
from hamex.model.laws.slider import Slider
from hamex.model.links import spring_link
from hamex.model.record import Model
from hamex.model.rod import rod
from hamex.model.solids import meshes
from hamex.model.units import Units
from hamex.motion.artificial import constant, half_sine
from hamex.motion.load import Load
from hamex.problem import State
from hamex.spec.base import Finite, Positive
from hamex.studio.scripts import headline
from hamex.studio.wire import RequestTable

Array = NDArray[Any]
Share = Annotated[Finite, Field(ge=0, le=1)]
NotNegative = Annotated[Finite, Field(ge=0)]
UNITS = Units("m", "N")


class Posed(NamedTuple):
    """A problem but for the number of its steps."""

    model: Model
    load: Load
    start: State
    step: float


class WaveTable(RequestTable):
    """What a bar and a membrane share: how their steps are made."""

    courant: Annotated[Finite, Field(ge=0.02, le=20)] = Field(
        0.5, description="time step over that of a wave through one element [1]"
    )
    crossings: Annotated[Finite, Field(ge=0.1, le=40)] = Field(
        4.0, description="duration over that of a wave from end to end [1]"
    )
    scheme: Literal["galerkin", "leapfrog"] = Field("galerkin", description="leapfrog takes lumped masses")

    @property
    def mass(self) -> Literal["consistent", "lumped"]:
        """Masses that the scheme takes."""
        return "lumped" if self.scheme == "leapfrog" else "consistent"

    def script(self, title: str, lines: list[str], steps: int) -> str:
        """A whole script around the lines that make ``model``, ``load``, ``start`` and ``step``."""
        scheme = "LeapFrog" if self.scheme == "leapfrog" else "Galerkin"
        end = [
            f"problem = hx.Problem(model, load, duration={steps!r} * step, start=start)",
            f"sol = hx.solve(problem, hx.{scheme}(step=step))",
            "",
            'print(f"wave speed {speed:.6g} m/s, energy residual {sol.residual:.3g}")',
            'for name in ("kinetic", "stored", "viscous", "plastic", "input"):',
            '    print(f"{name} at the end: {sol.values(name)[-1]:.6g} J")',
        ]
        return "\n".join([headline(title), "import numpy as np", "", "import hamex as hx", *lines, *end, ""])


class BarTable(WaveTable):
    """A bar from x = 0, where it is free, to x = length, see :func:`hamex.rod`."""

    length: Positive = Field(1.0, description="[m]")
    elements: Annotated[int, Field(ge=2, le=400)] = Field(100, description="how many")
    modulus: Positive = Field(210e9, description="of elasticity [N/m²]")
    density: Positive = Field(7850.0, description="[kg/m³]")
    area: Positive = Field(1e-4, description="of the section [m²]")
    far_end: Literal["fixed", "free", "wall", "endless"] = Field(
        "fixed", description="at x = length; a wall pushes and does not pull, waves leave an endless bar"
    )
    event: Literal["struck", "pushed", "plucked", "thrown"] = Field(
        "struck", description="a pulse at x = 0, a force that stays there, a bump that is let go, a velocity of all"
    )
    stress: Positive = Field(200e6, description="largest stress of the wave that starts, if elastic [N/m²]")
    width: Positive = Field(0.2, description="length of the pulse in the bar, or of the bump [m]")
    place: Share = Field(0.5, description="middle of the bump over the length [1]")
    yield_stress: Positive | None = Field(None, description="beyond which it yields [N/m²]; never when left out")
    viscosity: NotNegative = Field(0.0, description="of the yielding, stress over plastic strain rate [N s/m²]")
    damping: NotNegative = Field(0.0, description="time τ of Kelvin and Voigt, stress E(ε + τ dε/dt) [s]")

    @property
    def speed(self) -> float:
        """√(E/ρ) [m/s]."""
        return (self.modulus / self.density) ** 0.5

    @property
    def size(self) -> float:
        """Length of an element [m]."""
        return self.length / self.elements

    def model(self) -> Model:
        """The bar."""
        links, law = [], None
        if self.far_end == "wall":
            links = [spring_link(self.elements, None, self.modulus * self.area / self.size, law=by_kind("gap")())]
        if self.yield_stress is not None:
            law = Slider(self.yield_stress * self.area, self.viscosity * self.area / self.size)
        return rod(
            self.length,
            self.elements,
            self.modulus,
            self.density,
            self.area,
            law=law,
            fixed="end" if self.far_end == "fixed" else "none",
            absorbing="end" if self.far_end == "endless" else "none",
            mass=self.mass,
            damping=rayleigh(beta=self.damping) if self.damping else 0.0,
            links=links,
            units=UNITS,
        )

    def posed(self) -> Posed:
        """The bar and what happens to it."""
        model = self.model()
        x = np.linspace(0.0, self.length, self.elements + 1)[: len(model.dofs)]
        push = np.zeros((len(x), 1))
        load, start = constant(0.0), State()
        if self.event in ("struck", "pushed"):
            push[0] = self.area
            load = half_sine(self.stress, self.width / self.speed) if self.event == "struck" else constant(self.stress)
        elif self.event == "plucked":
            away = np.clip(np.abs(x - self.place * self.length) / self.width, 0.0, 0.5)
            if not np.any(away < 0.5):
                raise InputError(f"width must be larger: no node lies below a bump of {self.width:g} m")
            start = State(displacement=self.stress * self.width / (np.pi * self.modulus) * np.cos(np.pi * away) ** 2)
        else:
            start = State(momentum=model.mass @ np.full(len(x), self.stress / (self.density * self.speed)))
        return Posed(model, Load(load.forces, patterns=push), start, self.courant * self.size / self.speed)

    def code(self, steps: int) -> str:
        """A script of the same run."""
        ends = {
            "fixed": 'fixed="end"',
            "endless": 'fixed="none", absorbing="end"',
            "wall": 'fixed="none", links=[wall]',
        }
        more = [ends.get(self.far_end, 'fixed="none"'), f'mass="{self.mass}"']
        lines = [
            "",
            f"length, elements, area = {self.length!r}, {self.elements!r}, {self.area!r}  # m, 1, m²",
            f"modulus, density = {self.modulus!r}, {self.density!r}  # N/m², kg/m³",
            f"stress, width = {self.stress!r}, {self.width!r}  # N/m², m",
            "speed, size = (modulus / density) ** 0.5, length / elements  # of waves, of an element",
        ]
        if self.yield_stress is not None:
            lines.append(f"law = hx.Slider({self.yield_stress!r} * area, viscosity={self.viscosity!r} * area / size)")
            more.append("law=law")
        if self.far_end == "wall":
            lines.append("wall = hx.spring_link(elements, None, modulus * area / size, law=hx.laws.Gap())")
        if self.damping:
            more.append(f"damping=hx.rayleigh(beta={self.damping!r})")
        lines += [
            f"model = hx.rod(length, elements, modulus, density, area, {', '.join(more)},",
            '               units=hx.Units("m", "N"))',
            "x = np.linspace(0.0, length, elements + 1)[: len(model.dofs)]  # of the nodes that move",
            "push = np.zeros((len(x), 1))",
            "load, start = hx.constant(0.0), hx.State()",
            self._event(),
            "load = hx.Load(load.forces, patterns=push)",
            f"step = {self.courant!r} * size / speed",
        ]
        return self.script("A bar", lines, steps)

    def _event(self) -> str:
        return {
            "struck": "push[0], load = area, hx.half_sine(stress, width / speed)",
            "pushed": "push[0], load = area, hx.constant(stress)",
            "plucked": f"away = np.clip(np.abs(x - {self.place!r} * length) / width, 0.0, 0.5)\n"
            "start = hx.State(displacement=stress * width / (np.pi * modulus) * np.cos(np.pi * away) ** 2)",
            "thrown": "start = hx.State(momentum=model.mass @ np.full(len(x), stress / (density * speed)))",
        }[self.event]


class MembraneTable(WaveTable):
    """A membrane held along its edge, with x and y from its lower left corner; see :func:`hamex.discretise`."""

    shape: Literal["rectangle", "disc"] = "rectangle"
    width: Positive = Field(0.6, description="along x, the diameter of a disc [m]")
    height: Positive = Field(0.4, description="along y [m]; a disc has none")
    elements: Annotated[int, Field(ge=4, le=64)] = Field(32, description="along the width")
    tension: Positive = Field(2000.0, description="per length [N/m]")
    surface_mass: Positive = Field(0.26, description="mass per area [kg/m²]")
    damping: NotNegative = Field(0.0, description="of the air, per area [N s/m³]")
    event: Literal["plucked", "struck"] = Field("plucked", description="let go from a bump, or set off with a velocity")
    deflection: Positive = Field(0.01, description="of the bump [m]")
    velocity: Positive = Field(5.0, description="of the blow [m/s]")
    x: Share = Field(0.3, description="middle of it over the width [1]")
    y: Share = Field(0.4, description="middle of it over the height [1]")
    patch: Positive = Field(0.2, description="width of it [m]")

    @property
    def speed(self) -> float:
        """√(N/μ) [m/s]."""
        return (self.tension / self.surface_mass) ** 0.5

    @property
    def high(self) -> float:
        """Along y [m]."""
        return self.width if self.shape == "disc" else self.height

    @property
    def counts(self) -> tuple[int, int]:
        """Elements along x and y, about square."""
        return self.elements, max(2, round(self.elements * self.high / self.width))

    def grid(self) -> Any:
        """Cells in rows and columns: the rectangle, or the square whose map the disc is."""
        if self.shape == "rectangle":
            return meshes.rectangle(self.width, self.height, self.counts)
        return meshes.rectangle(2.0, 2.0, self.counts, origin=(-1.0, -1.0))

    def mesh(self) -> Any:
        """The same cells on the membrane."""
        grid = self.grid()
        if self.shape == "rectangle":
            return grid
        a, b = grid.p
        disc = np.stack([a * np.sqrt(1 - b**2 / 2), b * np.sqrt(1 - a**2 / 2)])
        return type(grid)(self.width / 2 * (1 + disc), grid.t)

    def posed(self) -> Posed:
        """The membrane and what happens to it."""
        from hamex.principle.library import action  # SymPy, for the density
        from hamex.simulate import discretise

        x, y = self.x * self.width, self.y * self.high
        if self.shape == "disc" and np.hypot(self.x - 0.5, self.y - 0.5) >= 0.5:
            raise InputError(f"x and y must lie on the disc, got {self.x:g} and {self.y:g} of its diameter")
        numbers = {"mu": self.surface_mass, "N": self.tension, "c": self.damping}
        model = discretise(action("membrane"), self.mesh(), numbers, fixed={"all": "w"}, mass=self.mass, units=UNITS)

        def bump(p: Array) -> Array:
            away = np.hypot(p[0] - x, p[1] - y) / self.patch
            return np.asarray(np.cos(np.pi * np.clip(away, 0.0, 0.5)) ** 2)

        assert model.fields is not None
        shape = model.fields.interpolated(w=bump)
        if not np.any(shape > 1e-9):
            raise InputError(f"patch must be larger: no node that moves lies below {self.patch:g} m at this place")
        start = (
            State(displacement=self.deflection * shape)
            if self.event == "plucked"
            else State(momentum=model.mass @ (self.velocity * shape))
        )
        nothing = Load(constant(0.0).forces, patterns=np.zeros((len(shape), 1)))
        return Posed(model, nothing, start, self.courant * self.width / self.elements / self.speed)

    def code(self, steps: int) -> str:
        """A script of the same run."""
        nx, ny = self.counts
        lines = [
            "from hamex.principle.library import action",
            "",
            f"width, height = {self.width!r}, {self.high!r}  # m",
            f"tension, surface_mass = {self.tension!r}, {self.surface_mass!r}  # N/m, kg/m²",
            "speed = (tension / surface_mass) ** 0.5  # of waves",
        ]
        if self.shape == "rectangle":
            lines.append(f"mesh = hx.meshes.rectangle(width, height, ({nx}, {ny}))")
        else:
            lines += [
                f"mesh = hx.meshes.rectangle(2.0, 2.0, ({nx}, {ny}), origin=(-1.0, -1.0))",
                "a, b = mesh.p",
                "disc = np.stack([a * np.sqrt(1 - b**2 / 2), b * np.sqrt(1 - a**2 / 2)])",
                "mesh = type(mesh)(width / 2 * (1 + disc), mesh.t)",
            ]
        struck = f"momentum=model.mass @ ({self.velocity!r} * shape)"
        state = f"displacement={self.deflection!r} * shape" if self.event == "plucked" else struck
        lines += [
            f'numbers = {{"mu": surface_mass, "N": tension, "c": {self.damping!r}}}',
            f'model = hx.discretise(action("membrane"), mesh, numbers, fixed={{"all": "w"}}, mass="{self.mass}",',
            '                      units=hx.Units("m", "N"))',
            "",
            "",
            "def bump(p):",
            f"    away = np.hypot(p[0] - {self.x!r} * width, p[1] - {self.y!r} * height) / {self.patch!r}",
            "    return np.cos(np.pi * np.clip(away, 0.0, 0.5)) ** 2",
            "",
            "",
            "shape = model.fields.interpolated(w=bump)",
            f"start = hx.State({state})",
            "load = hx.Load(hx.constant(0.0).forces, patterns=np.zeros((len(shape), 1)))",
            f"step = {self.courant!r} * width / {self.elements!r} / speed",
        ]
        return self.script("A membrane", lines, steps)
