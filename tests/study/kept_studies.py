"""The studies whose half-finished folders stand in ``data/parts``; python kept_studies.py makes such folders."""

import sys
from pathlib import Path

import numpy as np

import hamex as hx

DATA = Path(__file__).parent / "data" / "parts"
G, M = 9.80665, hx.Units("m", "kN")
MOTIONS = [hx.el_centro(), *hx.synthetic_suite(3, seed=3)]
MEAN = hx.Galerkin(0.02)


def storeys(law):
    return hx.shear_frame(
        [10.0, 9.0, 8.0], [9e3, 8e3, 6e3], hx.rayleigh(0.03), [law(60.0), law(50.0), law(35.0)], heights=3.0, units=M
    )


def hysteretic(force):
    return hx.laws.Hysteretic(force, 0.008, 1.2 * force, 0.03, 0.3 * force, 0.1, pinchX=0.6, pinchY=0.4, beta=0.2)


def portal(hinge):
    column = {"modulus": 200e6, "area": 149e-4, "inertia": 25170e-8, "compression": 220.0}
    return hx.frame(
        {"A": (0, 0), "B": (0, 3.5), "C": (6, 3.5), "D": (6, 0)},
        {
            "AB": hx.Member("A", "B", **column, hinges=hinge),
            "DC": hx.Member("D", "C", **column, hinges=hinge),
            "BC": hx.Member("B", "C", 200e6, 149e-4, 25170e-8),
        },
        supports={"A": "fixed", "D": "fixed"},
        masses={"B": (22.0, 22.0, 3.0), "C": (22.0, 22.0, 3.0)},
        damping=hx.rayleigh(0.03),
        levels=[["B", "C"]],
        units=M,
    )


def study(template, measures=("drift", "residual_drift", "plastic_work"), records=MOTIONS, scheme=MEAN, **more):
    axes = {"record": records, "scale": [0.5, 1.0, 2.0]} | more.pop("axes", {})
    return hx.Study(template, axes, measures, scheme, g=G, **more)


def oscillator(law):
    return hx.oscillator(10.0, 4e3, hx.ratio(0.05), law=law, units=M)


def storeys_by_level():
    axes = {"record": MOTIONS, "level": [0.2, 0.6, 1.2]}
    return hx.Study(storeys(hx.Slider), axes, ("drift",), MEAN, g=G, intensity=hx.Pga())


MAXWELL = hx.shear_frame(
    [10.0, 9.0], [9e3, 7e3], hx.modal(0.03), links=[hx.maxwell_damper(0, 1, 200.0, 2e4)], heights=3.0, units=M
)
IMK = hx.laws.IMK(430.0, cap_ratio=1.1, plastic=0.03, post_cap=0.1, residual_ratio=0.2, lambda_s=1.0)
HUNT = hx.Hunt(0.1, 0.15, 0.05, runs=6)
TOWN = hx.generate_inventory(12, 4)


def table_of(found):
    """Numbers of a study's table, an IDA's runs or a region, by column."""
    columns = {name: np.asarray(values) for name, values in found.columns.items()}
    return {name: values for name, values in columns.items() if values.dtype.kind in "fi"}


KEPT = {
    "oscillators": lambda store: study(
        oscillator(hx.Slider(12.0)), ("ductility", "residual_slip"), axes={"yield_force": [8.0, 12.0]}
    ).run(store=store, workers=1),
    "degrading oscillators": lambda store: study(
        oscillator(hysteretic(20.0)), ("ductility", "residual_slip"), scheme=hx.Galerkin(0.02, law="path")
    ).run(store=store, workers=1),
    "shear frames": lambda store: study(storeys(hx.Slider), limit=hx.Limit(0.08)).run(store=store, workers=1),
    "hysteretic storeys": lambda store: study(storeys(hysteretic), settle=0.05).run(store=store, workers=1),
    "frames": lambda store: study(
        portal(hx.Slider(430.0, kinematic=250.0)), ("drift",), MOTIONS[:3], duration=4.0
    ).run(store=store, workers=1),
    "frames with IMK": lambda store: study(
        portal(IMK), ("drift",), MOTIONS[:2], duration=3.0, standing={"B.y": -220.0, "C.y": -220.0}
    ).run(store=store, workers=1),
    "links": lambda store: study(MAXWELL, ("drift",), scheme=hx.Newmark(0.02)).run(store=store, workers=1),
    "sequences": lambda store: study(
        storeys(hx.Slider), ("drift",), [hx.MotionSequence((MOTIONS[0], one), 5.0) for one in MOTIONS[:2]]
    ).run(store=store, workers=1),
    "ida": lambda store: hx.ida(storeys_by_level(), "drift", 0.02, intensity=hx.Pga(), store=store, workers=1),
    "hunts": lambda store: hx.ida(
        storeys_by_level().replace(axes={"record": MOTIONS}), "drift", 0.02, intensity=hx.Pga(), hunting=HUNT,
        store=store, workers=1,
    ),
    "region": lambda store: hx.region(TOWN, hx.el_centro(), step=0.02, store=store, workers=1),
    "degrading region": lambda store: hx.region(
        TOWN, hx.el_centro(), step=0.02, degrading=True, store=store, workers=1
    ),
}  # fmt: skip


def make(folder):
    """Run every study whole, keep its numbers, and take every second finished part away."""
    for name, run in KEPT.items():
        place = folder / name.replace(" ", "_")
        found = run(place)
        parts = sorted(place.glob("*.parquet"))
        print(name, len(parts), "parts", sorted(table_of(found)))
        np.savez_compressed(folder / f"{place.name}.npz", parts=len(parts), **table_of(found))
        for part in parts[::2]:
            part.unlink()


if __name__ == "__main__":
    make(Path(sys.argv[1]) if sys.argv[1:] else DATA)
