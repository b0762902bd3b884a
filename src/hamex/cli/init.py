"""Where to begin: ``hamex init``, a commented starter file that runs as it is; ``hamex studio``, the page on this
computer; ``hamex warm``, which compiles what is commonly used."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from hamex.errors import FileError, MissingPackageError

STARTERS = ("oscillator", "shear-frame", "truss", "frame", "rod", "cantilever", "plate", "site", "pushover", "ida")


def command(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]",
            show_default=False,
            help=f"What to start from: {', '.join(STARTERS)}; oscillator if left out.",
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE.toml]",
            show_default=False,
            help="Name of the new file; problem.toml, or that of the kind, if left out.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
) -> None:
    """Write a commented starter file: a problem, or a study (ida)."""
    kind, target = _kind_and_file(what, file)
    if target.suffix != ".toml":
        raise FileError(f"cannot write {target}: the ending must be .toml")
    text = (Path(__file__).parent / "starters" / f"{kind}.toml").read_text(encoding="utf-8")
    if os.path.exists(target) and not force:
        raise FileError(f"{target} exists already; --force overwrites it, or give another name")
    from hamex.files import write_atomically

    write_atomically(target, lambda part: part.write_text(text.replace("{name}", str(target)), encoding="utf-8"))
    print(f"wrote {target}; now: hamex {kind if kind in ('ida', 'pushover') else 'run'} {target}")


def _kind_and_file(what: str | None, file: Path | None) -> tuple[str, Path]:
    """Kind of starter and name of the file; a single word is either of them."""
    if what is None:
        return "oscillator", Path("problem.toml")
    if what in STARTERS:
        return what, file or Path(f"{what}.toml")
    if file is None and what.endswith(".toml"):
        return "oscillator", Path(what)
    near = difflib.get_close_matches(what.replace("_", "-"), STARTERS, n=1)
    hint = f"; did you mean {near[0]}?" if near else "."
    raise FileError(f"no starter is called {what!r}{hint} Known: {', '.join(STARTERS)}. A file name ends in .toml")


def studio(
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to serve on; 0 takes any that is free.")
    ] = 8765,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    host: Annotated[
        str, typer.Option("--host", help="Address to serve on; by default only this computer can reach it.")
    ] = "127.0.0.1",
) -> None:
    """Open the studio: a page on this computer to see a structure move, change it and take it home."""
    missing = [name for name in ("fastapi", "uvicorn", "plotly", "ziamath") if find_spec(name) is None]
    if missing:
        raise MissingPackageError(f"the studio needs {', '.join(missing)}: pip install 'hamex[studio,plot]'")
    from hamex.studio.app import serve

    serve(host, port, open_page)


def warm() -> None:
    """Compile what is commonly used, so that first runs find it: for images, lecture halls and tests.

    Without this a first run goes on uncompiled where that is short, and compiles what it lacks where it is long.
    NUMBA_CACHE_DIR says where compiled code is kept.
    """
    from hamex.march import kept, run

    if not run.can_compile():
        raise MissingPackageError(
            "warm: nothing can be compiled here, as Numba cannot be loaded or NUMBA_DISABLE_JIT is set; runs go on "
            "uncompiled. pip install numba, or unset NUMBA_DISABLE_JIT"
        )
    from rich.console import Console
    from rich.progress import Progress

    from hamex.cli.run import Compiling, duration_words

    compiled = there = lost = 0
    with (
        run.compiling_at_once(),
        Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar,
    ):
        cases = common()
        task = bar.add_task("", total=len(cases))
        for name, case in cases.items():
            bar.update(task, description=f"compiling {name}")
            spent, before = Compiling(), len(kept.times())
            with run.told(spent.compiling):
                case()
            bar.advance(task)
            said = f"compiled in {duration_words(spent.seconds)}" if spent.seconds else "there already"
            compiled, there = compiled + bool(spent.seconds), there + (not spent.seconds)
            lost += bool(spent.seconds) and len(kept.times()) == before
            print(f"  {name:44}{said}")
    if lost:
        raise FileError(
            f"warm: {lost} of {len(cases)} could not be kept; make room in {kept.folder()} and beside it, "
            "or name another folder by NUMBA_CACHE_DIR"
        )
    print(f"{compiled} compiled, {there} there already; kept for all runs of this version")


def common() -> dict[str, Callable[[], object]]:
    """What is commonly used, as runs of a few steps."""
    import numpy as np

    import hamex as hx

    shock = hx.GroundMotion(np.array([0.0, 0.1, 0.2, 0.0]), step=0.01, unit="g")
    el_centro, slider, units = hx.el_centro(), hx.Slider(250.0, kinematic=1500.0), hx.Units("m", "kN")

    def solved(model: Any, *schemes: Any, load: Any = None) -> Callable[[], object]:
        def run() -> None:
            problem = hx.Problem(model, load or shock.on(model, g=9.80665), duration=0.08)
            for scheme in schemes:
                hx.solve(problem, scheme).energy  # noqa: B018  (computed when asked for)

        return run

    def building(damping: Any, law: Any, *links: Any) -> Any:
        return hx.shear_frame([60.0] * 3, 25e3, damping, laws=law, links=links, heights=3.2, weights=590.0, units=units)

    def frame() -> Any:
        hinge = hx.Slider(120.0, kinematic=200.0)
        places: dict[Any, Any] = {"A": (0, 0), "B": (0, 3), "C": (5, 3), "D": (5, 0)}
        ends = {"left": ("A", "B"), "beam": ("B", "C"), "right": ("D", "C")}
        members = {
            name: hx.Member(start, end, modulus=2e8, area=1e-2, inertia=1e-4, hinges=hinge)
            for name, (start, end) in ends.items()
        }
        fixed: dict[Any, Any] = dict.fromkeys(("A", "D"), "fixed")
        masses: dict[Any, Any] = dict.fromkeys(("B", "C"), (10.0, 10.0, 0.1))
        return hx.frame(places, members, supports=fixed, masses=masses, damping=hx.rayleigh(0.03))

    def spectra() -> None:
        for peaks in ("inside", "samples"):
            hx.spectrum(el_centro, [0.5, 1.0], peaks=peaks, g=9.80665)["displacement"]

    def yielding() -> None:
        hx.spectrum(el_centro, [0.5, 1.0], ductility=[2.0], g=9.80665)["strength"]

    def batches() -> None:
        many = hx.oscillators(period=[0.5, 1.0], damping_ratio=0.05, yield_force=1.0)
        for measures in (("displacement",), ("ductility", "force")):
            hx.batch(many, el_centro, hx.Galerkin(0.02), measures, g=9.80665)

    def frames() -> None:
        hx.batch([building(hx.rayleigh(0.03), slider)] * 2, el_centro, hx.Galerkin(0.02), ("drift",))

    oscillator = hx.oscillator(1, 225, damping=1.5, law=hx.Slider(0.27, viscosity=1.5))
    damper = hx.Link("damper", None, 1, 2e4, hx.PowerLaw(100.0, 0.3))
    one, modal = hx.Galerkin(0.01), hx.modal(0.03)
    located = hx.Galerkin(0.01, degree=2, locate=True), hx.Galerkin(0.01, degree=2, tolerance=1e-4)
    return {
        "oscillators": solved(oscillator, one, hx.Galerkin(0.01, load="end"), hx.Newmark(0.01)),
        "oscillators under a function of time": solved(oscillator, one, load=hx.sine(0.25, omega=14.0)),
        "shear frames, Rayleigh damping": solved(building(hx.rayleigh(0.03), slider), one),
        "shear frames, modal damping": solved(building(modal, slider), one, hx.Newmark(0.01, safeguarded=True)),
        "shear frames, dampers": solved(building(modal, slider, damper), one),
        "frames with hinges": solved(frame(), one),
        "elements of two stages": solved(building(modal, slider, damper), hx.Galerkin(0.01, degree=2)),
        "steps that are located or halved": solved(building(modal, slider), *located),
        "elastic spectra": spectra,
        "spectra of constant ductility": yielding,
        "batches of oscillators": batches,
        "batches of shear frames": frames,
    }
