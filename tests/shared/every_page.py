"""Every kind of page that the program writes, by its real writer, from small inputs."""

from __future__ import annotations

import dataclasses
import sys
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

import hamex as hx

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
# The kind of report that stands in the header of each.
KINDS = {
    "run": "run",
    "structure": "run",
    "modes": "modes",
    "record": "record",
    "spectrum": "spectrum",
    "yielding": "spectrum",
    "ida": "incremental dynamic analysis",
    "fragility": "fragility",
    "region": "region",
    "lumped": "derivation",
    "continuum": "derivation",
    "audit": "audit of the paper",
    "paper": "paper",
    "schemes": "schemes",
    "bench": "benchmarks",
}


# Kinds whose frame and figures another page has as well, from the same writer; and three that take many seconds, whose
# own tests read the whole page.
TWINS = {"structure", "yielding", "fragility", "continuum", "schemes", "paper", "audit"}


class Pages(dict):
    """Paths by the names of ``KINDS``; a page is written when it is asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def __missing__(self, name: str) -> Path:
        globals()[f"_{name}"](self.folder)
        self[name] = self.folder / f"{name}.html"
        return self[name]


def _run(folder: Path) -> None:
    from hamex.report.history import write_plot

    law = hx.Slider(yield_force=0.27, viscosity=1.5)
    model = hx.oscillator(mass=1, stiffness=225, damping=hx.ratio(0.05), law=law)
    problem = hx.Problem(model, hx.el_centro().on(model, g=1.0), duration=4.0)
    write_plot(hx.solve(problem, hx.Galerkin(step=0.02), error=True), folder / "run.html", "An <oscillator> & its slip")


def _structure(folder: Path) -> None:
    from hamex.report.history import write_plot

    frame = hx.shear_frame([1.0, 1.0], [300.0, 200.0], laws=hx.Slider(0.2), heights=3.0, damping=hx.ratio(0.05))
    problem = hx.Problem(frame, hx.el_centro().on(frame, g=1.0), duration=4.0)
    write_plot(hx.solve(problem, hx.Galerkin(step=0.02)), folder / "structure.html", "Two storeys")


def _modes(folder: Path) -> None:
    from hamex.cli import main

    for words in (
        ["init", "shear-frame", folder / "frame.toml"],
        ["modes", folder / "frame.toml", "--plot", folder / "modes.html"],
    ):
        with pytest.raises(SystemExit):
            main([str(word) for word in words])


def _record(folder: Path) -> None:
    from hamex.report.history import write_record_plot
    from hamex.study.spectra.intensities import histories

    motion = hx.el_centro()
    write_record_plot(histories(motion, 9.80665), folder / "record.html", motion.source, "m")


PERIODS = np.geomspace(0.05, 4.0, 12)


def _spectrum(folder: Path) -> None:
    from hamex.report.spectrum import write_spectrum

    write_spectrum(hx.spectrum(hx.el_centro(), PERIODS, g=9.80665), folder / "spectrum.html")


def _yielding(folder: Path) -> None:
    from hamex.report.spectrum import write_spectrum

    write_spectrum(
        hx.spectrum(hx.el_centro(), PERIODS[2:6], g=9.80665, ductility=[2.0, 4.0]),
        folder / "yielding.html",
        kinds=("synthetic",),
    )


def _cuts() -> list[hx.GroundMotion]:
    a = hx.el_centro().acceleration
    return [hx.GroundMotion(a[40 * i : 40 * i + 250], 0.02, "g", f"cut {i}", kind="synthetic") for i in range(8)]


@cache
def _fits() -> list:
    frame = hx.shear_frame([1.0, 1.0], 300.0, laws=hx.Slider(3.0, 0.5), heights=3.0, damping=hx.ratio(0.03))
    study = hx.Study(
        frame,
        {"record": _cuts(), "level": np.linspace(0.1, 0.8, 8)},
        ("drift",),
        hx.Galerkin(0.02),
        g=9.80665,
        intensity=hx.Pga(),
    )
    curves = hx.ida(study, "drift_ratio", 0.03, intensity=hx.Pga(), workers=1).curves[0]
    return [(curves, curves.fragility(0.2, stripes=True, resamples=50))]


def _ida(folder: Path) -> None:
    from hamex.report.ida_page import write_report

    write_report(_fits(), folder / "ida.html", "Two storeys", {"runs": 64}, ["result.json"])


def _fragility(folder: Path) -> None:
    from hamex.report.ida_page import write_fragility

    write_fragility(_fits(), folder / "fragility.html", "Two storeys")


def _region(folder: Path) -> None:
    from hamex.report.region import write_region_page

    found = hx.region(
        hx.generate_inventory(30, 1, storeys=(1, 3)), hx.MotionGrid([_cuts()[2]], [-115.5], [32.8]), workers=1, sample=5
    )
    write_region_page(found, folder / "region.html")


def laboratory(*keys: str):
    """Some schemes in the laboratory, by fewer periods and coarser references than tests/lab holds them to."""
    from hamex import lab
    from hamex.lab import convergence
    from hamex.lab.catalogue import find

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lab, "drift", partial(lab.drift, periods=100))
        patch.setattr(convergence, "_FINER", 32)
        patch.setattr(convergence, "yielding_solution", cache(convergence.yielding_solution.__wrapped__))
        return lab.everything([find(key) for key in keys], work=False, peaks=False)


def _schemes(folder: Path) -> None:
    from hamex.lab import Laboratory
    from hamex.lab.convergence import PeakErrors
    from hamex.report.schemes import write_page

    lab = laboratory("galerkin-1", "discontinuous-1", "central")
    errors = np.linspace(0.001, 0.05, 72)
    lab = Laboratory(lab.rows, {"bilinear": (PeakErrors("Galerkin, degree 1", errors, errors, errors),)})
    write_page(lab, folder / "schemes.html")


def _derived(system: str, path: Path) -> None:
    from hamex.principle.library import action
    from hamex.report.derivation import derivation, write_html

    write_html(derivation(action(system)), path)


def _lumped(folder: Path) -> None:
    _derived("damped", folder / "lumped.html")


def _continuum(folder: Path) -> None:
    _derived("elastic-1d", folder / "continuum.html")


def _paper(folder: Path) -> None:
    from hamex.paper import results
    from hamex.paper.page import figures, paper_page
    from hamex.paper.results import CASES, Convergence
    from hamex.report.style import to_svg

    steps = np.array([0.02, 0.01, 0.005])
    # Errors are made up: the page only shows them.
    study = Convergence(CASES[0], steps, {name: steps for name in ("end", "newmark", "average")})
    found = results.table2()
    found = dataclasses.replace(found, rows=found.rows[::3], convergence=(study,))
    drawn = {name: to_svg(drawing) for name, drawing in figures(found).items()}  # the files beside the page are slow
    (folder / "paper.html").write_text(paper_page(found, drawn), encoding="utf-8")


def _audit(folder: Path) -> None:
    from hamex.paper.audit import run
    from hamex.paper.audit.judging import printed_equation

    run.write_page([run.judge(printed_equation(number)) for number in ("1", "5", "31", "84")], folder / "audit.html")


def _bench(folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        import page

        context = {
            "date": "2026-01-01 00:00 UTC",
            "cpu": "a processor",
            "cores": 2,
            "load": 0.1,
            "quick": True,
            "hamex": hx.__version__,
            "revision": "",
            "python": "3",
            "numpy": "2",
            "numba": "0",
            "scipy": "1",
        }
        claims = [
            {"text": "import", "value": value, "bound": 1.0, "unit": " s", "at_most": True} for value in (0.5, 2.0)
        ]
        rows = [{"name": "import hamex", "seconds": 0.5, "budget": 1.0}]
        speeds = [{"threads": n, "oscillators": 8, "seconds": 1.0 / n, "ratio": float(n)} for n in (1, 2)]
        scaling = {"oscillators": [], "steps": [], "storeys": [], "threads": speeds, "not_measured": {}}
        found = {
            "startup": {"context": context, "result": {"repeats": 1, "rows": rows, "claims": claims}},
            "scaling": {"context": context, "result": scaling},
            "frames": {"context": context, "missing": "no such file"},
        }
        (folder / "bench.html").write_text(page.html(found), encoding="utf-8")
        for name in ("page", "plots", "run", "measuring", "startup", "scaling"):  # scripts with everyday names
            sys.modules.pop(name, None)
