"""``hamex spectrum``: records in, spectra on the screen and as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hamex.cli.records import GRAVITY, Component, Json, Raw, Step, Unit, about_record, read_motion
from hamex.cli.text import aligned, heading, numbers, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hamex.model.units import Units
    from hamex.motion.ground import GroundMotion
    from hamex.study.spectra.elastic import Spectrum

_SPAN = "0.03:10:200"
_MOST = 1_000_000  # periods


def command(
    records: Annotated[
        list[str],
        typer.Argument(
            metavar="RECORD...", show_default=False, help="Record files, or el-centro for the one built in."
        ),
    ],
    periods: Annotated[
        str | None,
        typer.Option(
            "--periods",
            metavar="A:B:N",
            show_default=False,
            help="N periods [s] from A to B, log-spaced, or a list 0.2,0.5,1.  [default: 0.03:10:200 and round ones]",
        ),
    ] = None,
    damping: Annotated[str, typer.Option("--damping", metavar="LIST", help="Ratios of critical damping.")] = "0.05",
    ductility: Annotated[
        str | None, typer.Option("--ductility", metavar="LIST", help="Strength for these ductilities, e.g. 2,4,8.")
    ] = None,
    strength: Annotated[
        str | None, typer.Option("--strength", metavar="LIST", help="What these yield forces over weight give.")
    ] = None,
    hardening: Annotated[
        float | None, typer.Option("--hardening", help="Stiffness after yield over elastic.", show_default="0")
    ] = None,
    viscosity: Annotated[
        float | None,
        typer.Option("--viscosity", help="Of the slider over the elastic stiffness [s].", show_default="0"),
    ] = None,
    pair: Annotated[
        bool, typer.Option("--pair", help="Two records are components of one motion: RotD00, 50, 100.")
    ] = False,
    peaks: Annotated[
        Literal["inside", "samples"], typer.Option("--peaks", help="At any time, or at the samples only.")
    ] = "inside",
    interpolation: Annotated[
        Literal["linear", "band-limited"], typer.Option("--interpolation", help="Of the record between samples.")
    ] = "linear",
    g: Annotated[
        float,
        typer.Option("--g", help="One gravity in the units of the result: metres by default, 386.0886 for inches."),
    ] = GRAVITY,
    unit: Unit = None,
    step: Step = None,
    component: Component = None,
    raw: Raw = False,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write .csv, .xlsx or .nc (all results), .png or .svg (a sheet), .html (a page); repeat for more.",
        ),
    ] = None,
    view: Annotated[
        str,
        typer.Option(
            "--view",
            help="What .png and .svg show: sheet, adrs; period, tripartite; strength, ductility, displacement, steps.",
        ),
    ] = "sheet",
    json: Json = False,
) -> None:
    """Show and write response spectra: elastic, of constant ductility or strength, of two components."""
    # Work starts only when every file that was asked for can be written.
    outputs = output or []
    _check_outputs(outputs)
    _check_choices(records, pair, ductility, strength, hardening, viscosity)
    from hamex.study.spectra import spectrum

    options: dict[str, Any] = {"g": g, "units": _units(g), "peaks": peaks, "interpolation": interpolation}
    for name, text in (("ductility", ductility), ("strength", strength)):
        if text is not None:
            options[name] = numbers(f"--{name}", text)
    for name, value in (("hardening", hardening), ("viscosity", viscosity)):
        if value is not None:
            options[name] = value
    wanted, ratios = periods_of(periods), numbers("--damping", damping)
    motions = [read_motion(Path(record), unit=unit, step=step, component=component, raw=raw) for record in records]
    if pair:
        found = spectrum(motions[0], wanted, ratios, across=motions[1], **options)
    else:
        found = spectrum(motions if len(motions) > 1 else motions[0], wanted, ratios, **options)
    if outputs:
        from hamex.report.spectrum import views
        from hamex.report.spectrum.lines import check_view

        check_view(view, views(found))
    kinds = [motion.kind for motion in motions]
    written = [_write(found, path, view, kinds) for path in outputs]
    tell(written, json, lambda: _data(found, motions), lambda: _show(found, motions))


def _check_outputs(paths: Sequence[Path]) -> None:
    from hamex.files import FORMATS, check_writable
    from hamex.report.page import FORMATS as PICTURES
    from hamex.report.style import check_installed

    for path in paths:
        check_writable(path, (*FORMATS, *PICTURES))
        if path.suffix.lower() in PICTURES:
            check_installed()


def _check_choices(
    records: list[str],
    pair: bool,
    ductility: str | None,
    strength: str | None,
    hardening: float | None,
    viscosity: float | None,
) -> None:
    """Refuse options that do not go together."""
    from hamex.errors import InputError

    if pair and len(records) != 2:
        raise InputError(f"--pair takes two records, the components of one motion; got {len(records)}")
    if ductility is not None and strength is not None:
        raise InputError("give either --ductility or --strength")
    yielding = ductility is not None or strength is not None
    if pair and yielding:
        raise InputError("--pair is for elastic spectra; leave out --ductility and --strength")
    for name, value in (("--hardening", hardening), ("--viscosity", viscosity)):
        if value is not None and not yielding:
            raise InputError(f"{name} is for oscillators that yield; give --ductility or --strength")


def periods_of(text: str | None) -> Any:
    """A list, or A:B:N; by default the usual span with the round periods that tables show."""
    import numpy as np

    from hamex.errors import InputError

    if text is None:
        from hamex.report.spectrum.lines import USUAL_PERIODS

        return np.union1d(periods_of(_SPAN), USUAL_PERIODS)
    if ":" not in text:
        return numbers("--periods", text)
    words = text.split(":")
    if len(words) != 3:
        raise InputError(f"--periods: write A:B:N, e.g. {_SPAN}, or numbers with commas between; got {text!r}")
    first, last = (numbers("--periods", word)[0] for word in words[:2])
    if not words[2].isascii() or not words[2].isdigit() or not 2 <= int(words[2]) <= _MOST:
        raise InputError(f"--periods: the number of periods must be whole, from 2 to {_MOST:,}; got {words[2]!r}")
    if not 0 < first < last < float("inf"):
        raise InputError(f"--periods: A:B must be positive seconds, the shorter first; got {words[0]}:{words[1]}")
    return np.geomspace(first, last, int(words[2]))


def _units(g: float) -> Units:
    """The unit of length in which one gravity is g, where there is one."""
    from hamex.model.units import METRE, Units

    for length in METRE:
        if abs(g / Units(length).gravity - 1) < 0.002:
            return Units(length)
    return Units()


def _write(found: Spectrum, path: Path, view: str, kinds: list[str]) -> Path:
    from hamex.files import FORMATS

    if path.suffix.lower() in FORMATS:
        return found.save(path)
    from hamex.report.spectrum import write_spectrum

    return write_spectrum(found, path, view, kinds=kinds)


def _show(found: Spectrum, motions: list[GroundMotion]) -> None:
    from textwrap import fill

    from hamex.report.spectrum.lines import conventions, kinds_note, tables

    for motion in motions:
        print(heading(motion.source + (f" [{kinds_note((motion.kind,))}]" if motion.kind != "recorded" else "")))
    for table in tables(found):
        print(f"\n{table.title}\n" + aligned([f">{column}" for column in table.columns], table.rows))
    print()
    for name, text in conventions(found).items():
        print(fill(f"{name}: {text}", 80, subsequent_indent="  "))


def _data(found: Spectrum, motions: list[GroundMotion]) -> dict[str, Any]:
    axes = {name: labels.tolist() for name, labels in found.coordinates.items()}
    results = {
        name: {
            "unit": found.unit(name),
            "meaning": found.quantities[name].meaning,
            "values": _plain(found.values(name).tolist()),
        }
        for name in found.names
    }
    return {
        "motions": [about_record(motion) for motion in motions],
        "dims": list(found.dims),
        "coordinates": axes,
        "conventions": dict(found.attributes),
        "results": results,
    }


def _plain(values: Any) -> Any:
    """JSON has no NaN."""
    if isinstance(values, list):
        return [_plain(value) for value in values]
    return None if values != values else values
