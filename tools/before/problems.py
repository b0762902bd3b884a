"""Problems that two versions of hamex answer alike: name → a function without arguments.

Each function uses public names only, so that any version can run it; it returns whatever a user would look at
(a solution, a table, numbers, text), which ``record.py`` turns into named arrays and words.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import hamex as hx

PROBLEMS: dict[str, Callable[[], Any]] = {}
G = 9.80665  # m/s²
KNM = hx.Units("m", "kN")
K, MASS, U = 246.0, 1.0, 0.008  # kN/m, t and m: an oscillator of 0.4 s and its yield deformation
H = 0.01  # s


def problem(name: str, function: Callable[..., Any], *args: Any, **more: Any) -> None:
    """Add one problem."""
    assert name not in PROBLEMS, name
    PROBLEMS[name] = partial(function, *args, **more)


# What springs do -------------------------------------------------------------------------------------------------


def laws(k: float = K, u: float = U) -> dict[str, Any]:
    """One law of each kind for a spring of stiffness k that yields at a deformation u."""
    f = k * u
    L = hx.laws
    back = {"cap_ratio": 1.15, "plastic": 3 * u, "post_cap": 9 * u, "residual_ratio": 0.2}
    wear = {"lambda_s": 60 * u, "lambda_c": 60 * u, "lambda_k": 90 * u}
    pinching = dict(
        zip(
            ("ePf1", "ePd1", "ePf2", "ePd2", "ePf3", "ePd3", "ePf4", "ePd4"),
            (f, u, 1.2 * f, 3 * u, 1.1 * f, 6 * u, 0.3 * f, 12 * u),
            strict=True,
        )
    )
    return {
        "viscous": hx.Slider(f, viscosity=0.02 * k, kinematic=0.05 * k, isotropic=0.02 * k),
        "plastic": hx.Slider(f),
        "kinematic": hx.Slider(f, kinematic=0.03 * k),
        "parallel": hx.backbone([(u, f), (3 * u, 1.5 * f), (10 * u, 1.8 * f)], viscosity=0.01 * k),
        "power": L.PowerLaw(0.3 * k * u, 0.5),
        "gap": L.Gap(0.5 * u, hook=3 * u, corner=2 * f, post_stiffness=0.1 * k),
        "multilinear": L.MultilinearElastic([(u, f), (4 * u, 1.6 * f)], [(2 * u, f), (6 * u, 1.3 * f)]),
        "bilinear": L.Bilinear(f, **back),
        "imk": L.IMK(f, **back, **wear),
        "imk-peak": L.IMK(f, **back, **wear, lambda_a=80 * u, reloading="peak"),
        "imk-pinching": L.IMK(f, **back, **wear, reloading="pinching", kappa_f=0.5, kappa_d=0.6),
        "imk-opensees": L.IMK(f, **back, **wear, rule="opensees"),
        "hysteretic": L.Hysteretic(
            f, u, 1.3 * f, 4 * u, 0.4 * f, 10 * u, pinchX=0.6, pinchY=0.4, damage1=0.01, beta=0.3
        ),
        "pinching4": L.Pinching4(**pinching, gK1=0.1, gKLim=0.3, gD1=0.1, gDLim=0.2),
        "bouc-wen": L.BoucWen(alpha=0.05, n=1.5, gamma=0.5 / u**1.5, beta=0.5 / u**1.5),
        "menegotto-pinto": L.MenegottoPinto(f, b=0.03, a1=0.02, a3=0.02),
        "combined": L.ParallelLaws((hx.Slider(0.5 * f, kinematic=0.02 * k), L.Gap(2 * u)), shares=(0.6, 0.4)),
        "fatigue": L.Fatigue(hx.Slider(f, kinematic=0.02 * k), E0=0.15, m=-0.45),
        "minmax": L.MinMax(hx.Slider(f, kinematic=0.02 * k), -9 * u, 7 * u),
    }


LAWS = tuple(laws())
SINGLE = tuple(name for name in LAWS if name != "parallel")  # one spring
CONVEX = ("viscous", "plastic", "kinematic", "parallel")
PATH = tuple(name for name in SINGLE if name not in ("viscous", "power"))


# Structures ------------------------------------------------------------------------------------------------------


def oscillator(law: str | None = "plastic", **more: Any) -> Any:
    return hx.oscillator(MASS, K, **{"damping": hx.ratio(0.03), "units": KNM} | more, law=laws()[law] if law else None)


def building(law: str | None = "plastic", count: int = 3, **more: Any) -> Any:
    k = np.linspace(3.0, 1.6, count) * 900.0
    own = [laws(s, 0.006)[law] for s in k] if law else None
    options = {"damping": hx.modal(0.04), "heights": 3.0, "weights": 9.81, "units": KNM}
    if law in ("gap", "power"):  # no stiffness at rest
        options |= {"damping": 2.0 * np.eye(count), "weights": None}
    return hx.shear_frame([1.0] * count, list(k), laws=own, **options | more)


def portal(hinge: Any = None, bays: int = 1, storeys: int = 1, **more: Any) -> Any:
    """A steel frame in the plane; ``hinge``: a function of the yield moment."""
    nodes = {f"N{s}{i}": (6.0 * i, 3.5 * s) for s in range(storeys + 1) for i in range(bays + 1)}
    ends = (hinge(430.0), hinge(430.0)) if hinge else None
    beam = (hinge(280.0), hinge(280.0)) if hinge else None
    steel = {"modulus": 200e6, "area": 149e-4, "inertia": 25170e-8}
    members = {
        f"C{s}{i}": hx.Member(f"N{s - 1}{i}", f"N{s}{i}", **steel, hinges=ends, compression=220.0 * (storeys + 1 - s))
        for s in range(1, storeys + 1)
        for i in range(bays + 1)
    }
    members |= {
        f"B{s}{i}": hx.Member(f"N{s}{i}", f"N{s}{i + 1}", **steel, hinges=beam)
        for s in range(1, storeys + 1)
        for i in range(bays)
    }
    floors = [[f"N{s}{i}" for i in range(bays + 1)] for s in range(1, storeys + 1)]
    options = {"damping": hx.rayleigh(0.03), "levels": floors, "units": KNM}
    return hx.frame(
        nodes,
        members,
        supports={f"N0{i}": "fixed" for i in range(bays + 1)},
        masses={name: (22.0, 22.0, 3.0) for floor in floors for name in floor},
        **options | more,
    )


HINGES = {
    "none": None,
    "viscous": lambda m: hx.Slider(m, viscosity=40.0, kinematic=250.0),
    "plastic": lambda m: hx.Slider(m, kinematic=250.0),
    "imk": lambda m: hx.laws.IMK(m, cap_ratio=1.1, plastic=0.03, post_cap=0.1, residual_ratio=0.2, lambda_s=1.0),
    "hysteretic": lambda m: hx.laws.Hysteretic(m, m / 9e5, 1.2 * m, 0.03, 0.3 * m, 0.1, pinchX=0.8, pinchY=0.5),
    "menegotto-pinto": lambda m: hx.laws.MenegottoPinto(m, b=0.02),
    "bilinear": lambda m: hx.laws.Bilinear(m, cap_ratio=1.1, plastic=0.03, post_cap=0.1, residual_ratio=0.2),
}


def space(surface: bool = True, **more: Any) -> Any:
    """One storey in space, a rigid floor with an eccentric mass, columns that bend both ways."""
    corners = {"A": (0, 0), "B": (6, 0), "C": (6, 4), "D": (0, 4)}
    nodes = {name: (*at, 0.0) for name, at in corners.items()} | {
        f"{name}1": (*at, 3.0) for name, at in corners.items()
    }
    steel = {"modulus": 200e6, "area": 0.0118, "inertia_y": 1e-4, "shear_modulus": 77e6, "torsion": 1e-5}
    plastic = hx.Surface((110.0, 90.0), kinematic=(100.0, 100.0)) if surface else None
    members = {name: hx.Member(name, f"{name}1", inertia=1.4e-4, hinges=plastic, **steel) for name in corners}
    names = list(corners)
    members |= {
        f"beam {a}": hx.Member(f"{a}1", f"{b}1", inertia=3e-4, **steel)
        for a, b in zip(names, names[1:] + names[:1], strict=True)
    }
    options = {"damping": hx.modal(0.03), "levels": {"roof": [f"{name}1" for name in names]}, "units": KNM}
    return hx.frame(
        nodes,
        members,
        supports=dict.fromkeys(corners, "fixed"),
        masses={f"{name}1": (20.0 if name == "D" else 8.0,) * 3 + (1.0,) * 3 for name in corners},
        diaphragms={"slab": [f"{name}1" for name in names]},
        **options | more,
    )


def truss(**more: Any) -> Any:
    nodes = {"A": (0, 0), "B": (4, 0), "C": (8, 0), "D": (2, 3), "E": (6, 3)}
    bars = [("A", "B"), ("B", "C"), ("A", "D"), ("D", "B"), ("B", "E"), ("E", "C"), ("D", "E")]
    options = {"damping": hx.rayleigh(0.02), "units": KNM, "rigidity": 2e5, "law": hx.Slider(60.0, kinematic=2000.0)}
    return hx.truss(nodes, bars, {"A": "pinned", "C": ("y",)}, dict.fromkeys("BDE", 8.0), **options | more)


def rod(**more: Any) -> Any:
    options = {"law": hx.Slider(800.0, viscosity=20.0), "units": KNM}
    return hx.rod(10.0, 20, 2e6, 2.4, 0.05, **options | more)


def linked(link: str) -> Any:
    """A building with one device between its floors or below it."""
    device = {
        "viscous": lambda: hx.viscous_damper(0, 1, 30.0),
        "maxwell": lambda: hx.maxwell_damper(0, 1, 40.0, 2000.0),
        "power": lambda: hx.power_damper(1, 2, 12.0, 0.4, 3000.0),
        "friction": lambda: hx.friction_slider(0, 2, 3.0, 1500.0),
        "isolator": lambda: hx.bilinear_isolator(0, 1, 900.0, 4.0, 90.0, viscosity=0.5),
        "elastic": lambda: hx.elastic_link(0, 3, 200.0),
        "gap": lambda: hx.spring_link(0, 3, 800.0, law=hx.laws.Gap(0.01)),
    }[link]()
    return building("kinematic", links=[device])


def matrices(geometric: bool = False) -> Any:
    """Three dofs from their matrices, springs by name."""
    stiffness = 300.0 * np.array([[2.0, -1, 0], [-1, 2, -1], [0, -1, 1]])
    springs = {
        "first": ([1.0, 0, 0], 300.0, hx.Slider(2.5, kinematic=9.0)),
        "second": ([-1.0, 1, 0], 300.0, hx.Slider(2.0, viscosity=2.0)),
    }
    return hx.structure_from_stiffness(
        np.diag([1.0, 1.0, 0.7]),
        stiffness,
        springs,
        hx.modal(0.03),
        geometric=-5.0 * np.eye(3) if geometric else None,
        influence=np.ones((3, 1)),
        units=KNM,
    )


def body(**more: Any) -> Any:
    mesh = hx.meshes.rectangle(2.0, 0.5, (8, 2))
    steel = hx.Material(modulus=3e5, poisson=0.3, density=2.4, law=hx.laws.J2(300.0, viscosity=5.0, kinematic=2e3))
    options = {"fixed": ["left"], "damping": hx.rayleigh(0.02), "units": KNM}
    return hx.solid(mesh, steel, **options | more)


# Loads and runs --------------------------------------------------------------------------------------------------


def shaken(model: Any, scale: float = 1.0, **more: Any) -> Any:
    motion = hx.el_centro().scaled(scale)
    return hx.Problem(model, motion.on(model, g=G), **{"duration": 6.0} | more)


def run(make: Callable[[], Any], scheme: Any, scale: float = 1.0, error: bool = True, **more: Any) -> Any:
    """One history under El Centro, with error bars where the scheme has them."""
    options = {name: more.pop(name) for name in ("limit", "settle", "keep", "promise", "solver") if name in more}
    return hx.solve(shaken(make(), scale, **more), scheme, error=error, **options)


def loaded(make: Callable[[], Any], load: Callable[[Any], Any], scheme: Any, **more: Any) -> Any:
    model = make()
    return hx.solve(hx.Problem(model, load(model), **{"duration": 4.0} | more), scheme)


SCHEMES = {
    "mean": hx.Galerkin(H),
    "path": hx.Galerkin(H, law="path"),
    "end": hx.Galerkin(H, load="end"),
    "degree-2": hx.Galerkin(H, degree=2),
    "degree-3": hx.Galerkin(H, degree=3),
    "dg-0": hx.DiscontinuousGalerkin(H, degree=0),
    "dg-1": hx.DiscontinuousGalerkin(H, degree=1),
    "dg-2": hx.DiscontinuousGalerkin(H, degree=2),
    "newmark": hx.Newmark(H),
    "newmark-safe": hx.Newmark(H, safeguarded=True),
    "leap-frog": hx.LeapFrog(0.002),
    "exact": hx.PiecewiseExact(H),
    "wilson": hx.schemes.WilsonTheta(H),
    "bathe": hx.schemes.Bathe(H),
    "rho-bathe": hx.schemes.RhoBathe(H),
    "tr-bdf2": hx.schemes.TrBdf2(H),
    "central": hx.schemes.CentralDifference(0.002),
    "rk4": hx.schemes.RungeKutta4(0.002),
    "alpha": hx.schemes.GeneralisedAlpha(H),
    "hht": hx.schemes.HilberHughesTaylor(H),
}
COLLOCATION = ("mean", "degree-2", "degree-3", "dg-0", "dg-1", "dg-2")

for law, name in itertools.product(SINGLE, ("mean", "path", "newmark", "dg-1")):
    if law in PATH[2:] and name == "dg-1" and law not in ("imk", "gap", "multilinear"):
        continue  # refused, all alike
    problem(f"oscillator {law} {name}", run, partial(oscillator, law), SCHEMES[name])
for law, name in itertools.product(LAWS, ("mean", "path", "newmark")):
    problem(f"building {law} {name}", run, partial(building, law), SCHEMES[name], 0.5)
for name in SCHEMES:
    problem(f"oscillator elastic {name}", run, partial(oscillator, None), SCHEMES[name])
    problem(f"building elastic {name}", run, partial(building, None, weights=None), SCHEMES[name])
for law, name in itertools.product(("viscous", "plastic"), SCHEMES):
    if not (name in PROBLEMS or name in ("mean", "path", "newmark", "dg-1")):
        problem(f"oscillator {law} {name}", run, partial(oscillator, law), SCHEMES[name])
    if name in COLLOCATION and name != "mean":
        problem(f"building {law} {name}", run, partial(building, law), SCHEMES[name], 0.5)
for hinge, name in itertools.product(HINGES, ("mean", "path", "newmark")):
    problem(
        f"portal {hinge} {name}", run, partial(portal, HINGES[hinge]), SCHEMES[name], 1.5, error=False, duration=5.0
    )
for hinge in ("viscous", "plastic"):
    for name in ("degree-2", "dg-0", "dg-1", "dg-2"):
        problem(
            f"portal {hinge} {name}", run, partial(portal, HINGES[hinge]), SCHEMES[name], 1.5, error=False, duration=2.5
        )
for name, surface in itertools.product(("mean", "path", "newmark"), (True, False)):
    made = partial(space, surface)
    problem(
        f"space {'surface' if surface else 'elastic'} {name}", run, made, SCHEMES[name], 1.5, error=False, duration=2.5
    )
for make, name in itertools.product((truss, rod, matrices, body), ("mean", "newmark", "dg-0", "degree-2")):
    problem(f"{make.__name__} {name}", run, make, SCHEMES[name], error=False, duration=1.5)
for link, name in itertools.product(
    ("viscous", "maxwell", "power", "friction", "isolator", "elastic", "gap"), ("mean", "path", "newmark")
):
    problem(f"link {link} {name}", run, partial(linked, link), SCHEMES[name], error=False)
problem("matrices p-delta", run, partial(matrices, True), SCHEMES["mean"])
problem(
    "portal 3 x 2 compiled",
    run,
    partial(portal, HINGES["plastic"], 2, 3),
    SCHEMES["mean"],
    2.0,
    error=False,
    duration=31.2,
)
problem("oscillator compiled", run, oscillator, hx.Galerkin(0.0001), duration=70.0, error=False, keep=200)
problem("building compiled", run, building, hx.Galerkin(0.0005), 0.5, duration=60.0, error=False, keep=100)

for damping, value in {
    "ratio": hx.ratio(0.05),
    "modal": hx.modal(0.05),
    "modal-first": hx.modal(0.05, modes=(1, 2)),
    "rayleigh": hx.rayleigh(0.05, modes=(1, 3)),
    "none": 0.0,
}.items():
    problem(f"damping {damping}", run, partial(building, "kinematic", damping=value), SCHEMES["mean"])
for weights, name in itertools.product((None, 9.81, 60.0), ("mean", "degree-2", "newmark")):
    problem(f"p-delta {weights} {name}", run, partial(building, "kinematic", weights=weights), SCHEMES[name], 0.5)

FREE = hx.State(np.array([0.02]), np.array([0.1]), np.array([0.004]))
LOADS = {
    "sine": lambda m: hx.sine(2.0, 1.3),
    "half-sine": lambda m: hx.half_sine(3.0, 0.5),
    "triangle": lambda m: hx.triangle(3.0, 0.5),
    "samples": lambda m: hx.Load(2.0 * np.sin(np.arange(300) * 0.2), step=0.02),
    "function": lambda m: hx.Load(lambda t: 2.0 * np.cos(3.0 * t) * np.exp(-0.3 * t)),
    "sum": lambda m: hx.el_centro().on(m, g=G) + hx.Load(np.ones(200), step=0.02),
    "none": lambda m: hx.Load(np.zeros(2), step=1.0),
}
for load, law in itertools.product(LOADS, ("plastic", "viscous", None)):
    start = {"start": FREE} if load == "none" and law else {}
    problem(f"load {load} {law}", loaded, partial(oscillator, law), LOADS[load], SCHEMES["mean"], **start)
for name in ("mean", "path", "degree-2", "dg-1", "newmark", "leap-frog"):
    problem(
        f"pattern {name}",
        loaded,
        partial(building, "kinematic"),
        lambda m: hx.Load(8.0 * np.sin(np.arange(250) * 0.3), step=0.02, patterns=np.array([0.2, 0.5, 1.0])),
        SCHEMES[name],
    )


def moved(scheme: Any) -> Any:
    """A bar whose two ends move by different motions."""
    bar = hx.rod(10.0, 8, 2e6, 2.4, 0.05, fixed="both", units=KNM)
    load = hx.Load(np.zeros((1, bar.mass.shape[0])), step=1.0)
    ends = 0.01 * np.sin(np.outer(np.arange(61), (0.2, 0.13)))
    return hx.solve(hx.Problem(bar, load, duration=0.3, supports=hx.Load(ends, step=0.005)), scheme)


def standing(scheme: Any, hinge: str = "plastic") -> Any:
    frame = portal(HINGES[hinge])
    weight = {name: -220.0 for name in ("N10.y", "N11.y")}
    start = hx.gravity(frame, weight)
    return hx.solve(shaken(frame, 1.5, duration=3.0, standing=weight, start=start), scheme)


def restarted(make: Callable[[], Any], scheme: Any, at: float) -> Any:
    model = make()
    load = hx.el_centro().on(model, g=G)
    first = hx.solve(hx.Problem(model, load, duration=at), scheme)
    second = hx.Problem(model, load.after(at), duration=5.0 - at, start=first.final)
    return {"first": first, "second": hx.solve(second, scheme)}


for name in ("mean", "path", "newmark", "dg-0", "degree-2"):
    problem(f"moving supports {name}", moved, SCHEMES[name])
    problem(f"standing {name}", standing, SCHEMES[name])
    for make in (oscillator, building, portal):
        problem(f"restart {make.__name__} {name}", restarted, make, SCHEMES[name], 2.3)
problem("standing imk", standing, SCHEMES["path"], "imk")
problem("limit stops", run, partial(building, "plastic"), SCHEMES["mean"], 3.0, limit=hx.Limit(0.01), error=False)
problem(
    "limit passed",
    run,
    partial(building, "plastic"),
    SCHEMES["mean"],
    3.0,
    limit=hx.Limit(0.01, stop=False),
    error=False,
)
problem("settle", run, oscillator, SCHEMES["mean"], settle=0.01, error=False, duration=32.0)
problem("keep every 5", run, building, SCHEMES["mean"], keep=5, error=False)
problem("keep by name", run, building, SCHEMES["mean"], keep=("displacement", "storey_drift"), error=False)
problem("reported", run, partial(building, "imk"), hx.Galerkin(0.05, law="path"), promise="reported", error=False)
problem("cut", run, partial(building, "kinematic", weights=200.0), hx.Galerkin(0.5), promise="cut", error=False)
problem("located", run, oscillator, hx.Galerkin(H, degree=2, locate=True), error=False)
problem("located dg", run, oscillator, hx.DiscontinuousGalerkin(H, degree=1, locate=True), error=False)
problem(
    "tolerance",
    run,
    partial(building, "kinematic"),
    hx.Galerkin(0.02, degree=2, tolerance=1e-3),
    error=False,
    duration=3.0,
)
problem("collapse", run, partial(building, "imk"), SCHEMES["path"], 6.0, error=False, duration=12.0)


# Slow loading ----------------------------------------------------------------------------------------------------


for law in (None, *LAWS):
    problem(f"pushover building {law}", lambda law: hx.pushover(building(law), [1.0, 2.0, 3.0], 0.03, steps=60), law)
for law in ("viscous", "plastic", "kinematic", "imk", "hysteretic", "menegotto-pinto"):
    problem(f"cyclic {law}", lambda law: hx.cyclic(oscillator(law), [1.0], [0.01, 0.03], points=20), law)
for hinge in HINGES:
    problem(f"pushover portal {hinge}", lambda h: hx.pushover(portal(HINGES[h]), {"N10.x": 1.0}, 0.15, steps=40), hinge)
problem("gravity", lambda: hx.gravity(portal(HINGES["plastic"]), {"N10.y": -220.0, "N11.y": -200.0}))
problem("pushover space", lambda: hx.pushover(space(), {"slab.x": 1.0}, 0.08, steps=30))
problem("solve path force", lambda: hx.solve_path(building("kinematic"), [1.0, 1, 1], [0, 4, 9, 2, -6], by="force"))


def responded(law: str) -> Any:
    reach = U * np.array([0, 1.5, -2, 3.5, -4, 1, -6, 7, 0])
    found = hx.respond(laws()[law], reach, stiffness=K)
    return {"force": found.force, "dissipated": found.dissipated}


for law in PATH:
    problem(f"respond {law}", responded, law)


# Modes, spectra, many --------------------------------------------------------------------------------------------


def modes(make: Callable[[], Any]) -> Any:
    found = hx.modes(make())
    return {
        name: np.asarray(getattr(found, name))
        for name in ("periods", "frequencies", "effective_ratio", "cumulative_ratio")
    } | {"shapes": np.abs(np.asarray(found.shapes))}


for make in (oscillator, building, portal, space, truss, rod, matrices, body):
    problem(f"modes {make.__name__}", modes, make)
PERIODS = np.geomspace(0.1, 3.0, 12)
SPECTRA: dict[str, dict[str, Any]] = {
    "elastic": {},
    "samples": {"peaks": "samples"},
    "dampings": {"damping": [0.02, 0.05, 0.2]},
    "band-limited": {"interpolation": "band-limited"},
    "rotd": {"across": hx.el_centro().scaled(0.7)},
    "ductility": {"ductility": [2, 4]},
    "strength": {"strength": [0.1, 0.2]},
    "hardening": {"ductility": [4], "hardening": 0.05},
}
for name, options in SPECTRA.items():
    problem(f"spectrum {name}", lambda options: hx.spectrum(hx.el_centro(), PERIODS, g=G, **options), options)
MANY: dict[str, Callable[[], Any]] = {
    "plastic": lambda: hx.oscillators(period=PERIODS, damping_ratio=0.05, yield_force=1.5, units=KNM),
    "viscous": lambda: hx.oscillators(period=PERIODS, damping_ratio=0.05, yield_force=1.5, viscosity=2.0, units=KNM),
    "hardening": lambda: hx.oscillators(
        period=PERIODS, damping_ratio=0.05, yield_force=1.0, kinematic=3.0, isotropic=2.0, units=KNM
    ),
}
SUITE = [hx.el_centro(), *hx.synthetic_suite(2, seed=3)]
for many, make in MANY.items():
    measures = ("displacement", "ductility", "residual_displacement", "plastic_work", "input_work")
    problem(
        f"batch oscillators {many}",
        lambda make, asked: hx.batch(make(), SUITE, SCHEMES["mean"], asked, scales=[0.5, 1.5], g=G),
        make,
        measures,
    )
for name in ("path", "newmark", "dg-1", "leap-frog"):
    problem(
        f"batch list {name}",
        lambda scheme: hx.batch(
            [oscillator("plastic"), oscillator("kinematic")],
            SUITE[:1],
            scheme,
            ("displacement", "ductility"),
            g=G,
            duration=4.0,
        ),
        SCHEMES[name],
    )


def frames(**more: Any) -> Any:
    options = {"yield_forces": [[6.0, 5, 4], [4, 3, 2]], "heights": 3.0, "weights": 9.81, "units": KNM}
    return hx.shear_frames([[1.0, 1, 1]] * 2, [[900.0, 800, 500]] * 2, hx.ratio(0.04), **options | more)


for name in ("mean",):
    problem(
        f"batch frames {name}",
        lambda scheme: hx.batch(
            frames(kinematic=20.0),
            SUITE,
            scheme,
            ("drift", "residual_drift", "absolute_acceleration"),
            scales=[0.5, 1.0],
            g=G,
        ),
        SCHEMES[name],
    )
problem(
    "batch frames limit",
    lambda: hx.batch(frames(), SUITE, SCHEMES["mean"], ("drift",), scales=[1.0, 4.0], g=G, limit=hx.Limit(0.03)),
)
problem(
    "batch frames settle",
    lambda: hx.batch(frames(), SUITE, SCHEMES["mean"], ("drift", "residual_drift"), g=G, settle=0.05),
)
problem(
    "batch models",
    lambda: hx.batch([building(law) for law in CONVEX], SUITE[:1], SCHEMES["mean"], ("drift",), g=G, duration=4.0),
)
problem(
    "batch portals",
    lambda: hx.batch([portal(HINGES["plastic"])], SUITE[:1], SCHEMES["mean"], ("drift",), g=G, duration=3.0),
)
problem(
    "batch float32",
    lambda: hx.batch(MANY["plastic"](), SUITE[:1], SCHEMES["mean"], ("displacement",), g=G, dtype="float32"),
)
problem(
    "batch inside",
    lambda: hx.batch(MANY["plastic"](), SUITE[:1], SCHEMES["mean"], ("displacement",), g=G, peaks="inside"),
)
problem(
    "batch histories",
    lambda: hx.batch(
        MANY["viscous"](), SUITE[:1], SCHEMES["mean"], ("ductility",), g=G, histories=("displacement",), final=True
    ),
)


def study(**more: Any) -> Any:
    axes = {"record": SUITE, "scale": [0.5, 1.0, 2.0], "yield_force": [1.0, 2.0]}
    options = {
        "template": oscillator("plastic"),
        "axes": axes,
        "measures": ("ductility", "residual_displacement"),
        "g": G,
    }
    return hx.Study(**options | {"scheme": SCHEMES["mean"]} | more)


def storeyed(**more: Any) -> Any:
    axes = {"record": SUITE, "level": [0.2, 0.5, 1.0, 2.0, 3.0]}
    measures = ("drift", "residual_drift", "absolute_acceleration")
    template = building("kinematic", weights=None)
    return hx.Study(template, axes, measures, SCHEMES["mean"], g=G, intensity=hx.Sa(0.4), **more)


def ida(hunting: Any = None, **more: Any) -> Any:
    one = storeyed(**more)
    if hunting:
        one = one.replace(axes={"record": SUITE})
    found = hx.ida(one, "drift", 0.02, intensity=hx.Sa(0.4), hunting=hunting, workers=1)
    fit = [curve.fragility() for curve in found.curves]
    return {"table": found.table, "fits": [(one.median, one.dispersion) for one in fit]}


problem("study", lambda: study().run(workers=1))
problem(
    "study portal",
    lambda: hx.Study(
        portal(HINGES["plastic"]),
        {"record": SUITE[:1], "scale": [1.0, 2.0]},
        ("drift",),
        SCHEMES["mean"],
        g=G,
        duration=3.0,
    ).run(workers=1),
)
problem(
    "study sequence",
    lambda: study(
        axes={"record": [hx.MotionSequence((SUITE[0], SUITE[1]), 5.0)], "scale": [1.0]},
        template=building("kinematic"),
        measures=("drift", "residual_drift"),
    ).run(workers=1),
)
problem("ida stripes", ida)
problem("ida limit", ida, limit=hx.Limit(0.05))
problem("ida hunt", ida, hx.Hunt(0.3, 0.4, 0.1, runs=8))
problem("fragility capacities", lambda: hx.Fragility.from_capacities([0.5, 0.7, 0.9, 1.1, 0.65]).to_dict())
problem("fragility stripes", lambda: hx.Fragility.from_stripes([0.2, 0.5, 1.0, 2.0], [0, 2, 7, 10], [10] * 4).to_dict())
problem("region", lambda: hx.region(hx.generate_inventory(20, 4), hx.el_centro(), step=0.02, workers=1))
problem("intensities", lambda: dict(hx.intensities(hx.el_centro(), G)))
problem("floor spectrum", lambda: hx.floor_spectrum(run(building, SCHEMES["mean"], error=False), periods=PERIODS))
problem(
    "fitted law",
    lambda: vars(
        hx.fit_law(
            hx.Slider(1.0, kinematic=5.0),
            U * np.sin(np.arange(60) * 0.3) * 3,
            hx.respond(hx.Slider(1.5, kinematic=8.0), U * np.sin(np.arange(60) * 0.3) * 3, stiffness=K).force,
            stiffness=K,
            starts=2,
        )
    ),
)
for target in ("eurocode8", "asce7"):
    made = {"eurocode8": lambda: hx.eurocode8(0.3, "C"), "asce7": lambda: hx.asce7(1.0, 0.6)}[target]
    problem(f"target {target}", lambda made: made().acceleration(PERIODS), made)
    problem(
        f"matched {target}",
        lambda made: hx.match_to_target(hx.synthetic_suite(1, seed=5)[0], made(), PERIODS).motion.acceleration,
        made,
    )
problem("synthetic", lambda: [one.acceleration for one in hx.synthetic_suite(2, seed=11)])


# Actions ---------------------------------------------------------------------------------------------------------


def pendulum(scheme: Any) -> Any:
    import sympy as sp

    from hamex.principle import t

    m, l, g = sp.symbols("m l g", positive=True)
    theta = sp.Function("theta")(t)
    action = hx.Action((theta,), m * l**2 * theta.diff(t) ** 2 / 2 + m * g * l * sp.cos(theta))
    found = hx.simulate(action, {"m": 1, "l": 1, "g": 9.81}, {"theta": 2.0}, 5, scheme)
    words = [sp.sstr(one) for one in (action.strong_form(), action.initial_conditions())]
    return {"displacement": found.values("displacement"), "words": words}


for degree in (1, 2, 3):
    problem(f"simulate pendulum {degree}", pendulum, hx.Galerkin(0.02, degree=degree))
problem("simulate pendulum dg", pendulum, hx.DiscontinuousGalerkin(0.02, degree=1))
