"""``hamex records``: list, show, convert and plot record files of any known format."""

from __future__ import annotations

import os
import textwrap
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from hamex.cli.text import aligned, heading, number_or_name, print_json, shortened

if TYPE_CHECKING:
    from hamex.motion.ground import GroundMotion
    from hamex.motion.records.suite import FileStatus, Suite


class _ListByDefault(TyperGroup):
    """``hamex records FOLDER`` lists it: a file or folder in place of a command."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        there = args and args[0] not in self.commands and os.path.exists(args[0])
        return super().resolve_command(ctx, ["list", *args] if there else args)


app = typer.Typer(
    cls=_ListByDefault,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Read record files: list, show, convert, plot.",
)

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Record: AT2, COSMOS or CSMIP V1/V2, SMC, GeoNet, ESM, K-NET, ASA, NSMN, CWA, RENADIC, BHRC, SimCenter "
        "EVENT, OpenSees path, text columns; or el-centro for the one built in.",
        show_default=False,
    ),
]
Unit = Annotated[str | None, typer.Option("--unit", help="Unit of the file, where it does not tell: g, m/s2, cm/s2 …")]
Step = Annotated[float | None, typer.Option("--step", help="Time between samples [s], where the file does not tell.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="at2, cosmos, csmip, volume1, smc, geonet, esm, knet, asa, nsmn, cwa, simcenter, opensees or columns; "
        "recognised if left out.",
    ),
]
Raw = Annotated[bool, typer.Option("--raw", help="Keep the instrument's offset in K-NET and KiK-net.")]
Component = Annotated[str | None, typer.Option("--component", help="Which record of several, by name or number.")]
Column = Annotated[str | None, typer.Option("--column", help="Which column of a text file, by name or number.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
BUILT_IN = "el-centro"
GRAVITY = 9.80665  # tables and pictures are in metres
_WIDTH = 80


@app.command("list")
def list_(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Files, folders or patterns.", show_default=False)
    ],
    unit: Unit = None,
    step: Step = None,
    format: Format = None,
    component: Component = None,
    column: Column = None,
    raw: Raw = False,
    json: Json = False,
) -> None:
    """List files and their records: what was read, what was not, and why."""
    suite = read_motions(paths, unit=unit, step=step, format=format, component=component, column=column, raw=raw)
    if json:
        print_json(
            {
                "records": [about_record(motion) for motion in suite],
                "files": [{"file": str(status.file), "ok": status.ok, "why": status.why} for status in suite.statuses],
            }
        )
    else:
        _print_list(suite)
    if not len(suite):
        raise typer.Exit(2)


@app.command("show")
def show(
    file: File,
    unit: Unit = None,
    step: Step = None,
    format: Format = None,
    component: Component = None,
    column: Column = None,
    raw: Raw = False,
    rule: Annotated[
        Literal["trapezoid", "lines"],
        typer.Option("--rule", help="Arias, CAV and durations by the trapezoidal rule, or exact for straight lines."),
    ] = "trapezoid",
    json: Json = False,
) -> None:
    """Show what a file tells, and intensity measures."""
    from hamex.study.spectra.intensities import intensities

    motion = read_motion(file, unit=unit, step=step, format=format, component=component, column=column, raw=raw)
    found = intensities(motion, GRAVITY, length="m", rule=rule)
    if json:
        measures = {
            name: {"value": value.tolist() if hasattr(value, "tolist") else value, "unit": found.units[name]}
            for name, value in found.items()
        }
        print_json(
            about_record(motion)
            | {"periods": found.periods.tolist(), "damping": found.damping, "rule": found.rule, "measures": measures}
        )
        return
    print(heading(motion.source))
    about = {
        "component": motion.component,
        "kind": motion.kind,
        "unit": motion.unit,
        "step": f"{motion.step:g} s",
        "samples": f"{len(motion.acceleration)}, the last at {motion.duration:g} s",
    }
    for name, value in about.items():
        if value:
            print(f"  {name:10} {value}")
    single = [name for name in found if name not in ("Sa", "FIV3")]
    print(
        "\n"
        + aligned(
            ["measure", ">value", "unit", "meaning"],
            [[name, f"{found[name]:.5g}", found.units[name], found.meanings[name]] for name in single],
        )
    )
    print(
        "\n"
        + aligned(
            [">period [s]", f">Sa [{found.units['Sa']}]", f">FIV3 [{found.units['FIV3']}]"],
            [
                [f"{T:g}", f"{sa:.4g}", f"{fiv3:.4g}"]
                for T, sa, fiv3 in zip(found.periods, found["Sa"], found["FIV3"], strict=True)
            ],
        )
    )
    print(f"\ndamping {100 * found.damping:g} % of critical")


@app.command("convert")
def convert(
    file: File,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="File to write: .csv, .xlsx, .at2, .json (SimCenter), .txt (OpenSees).",
            show_default=False,
        ),
    ],
    unit: Unit = None,
    step: Step = None,
    format: Format = None,
    component: Component = None,
    column: Column = None,
    raw: Raw = False,
    to_unit: Annotated[str | None, typer.Option("--to-unit", help="Unit to write; the file's if left out.")] = None,
) -> None:
    """Write a record in another format or unit."""
    from hamex.files import check_writable, write_atomically
    from hamex.motion.records.suite import ENDINGS, record_text

    check_writable(out, (*ENDINGS, ".xlsx"))
    motion = read_motion(file, unit=unit, step=step, format=format, component=component, column=column, raw=raw)
    motion = motion if to_unit is None else motion.converted(to_unit)
    if out.suffix.lower() == ".xlsx":
        from hamex.solution.files import pairs, write_sheets

        times = [number * motion.step for number in range(len(motion.acceleration))]
        columns: dict[str, Any] = {"time [s]": times, f"acceleration [{motion.unit}]": motion.acceleration}
        print(f"wrote {write_sheets(out, {'record': columns, 'about': pairs(about_record(motion))})}")
        return
    text = record_text(motion, out.suffix)
    print(f"wrote {write_atomically(out, lambda path: path.write_text(text, encoding='utf-8'))}")


@app.command("plot")
def plot(
    file: File,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Picture: .png, .svg or .html.")],
    unit: Unit = None,
    step: Step = None,
    format: Format = None,
    component: Component = None,
    column: Column = None,
    raw: Raw = False,
) -> None:
    """Draw histories, Husid curve and spectrum."""
    from hamex.report.history import write_record_plot
    from hamex.report.page import check_plot

    check_plot(output)
    motion = read_motion(file, unit=unit, step=step, format=format, component=component, column=column, raw=raw)
    from hamex.study.spectra.intensities import histories

    print(f"wrote {write_record_plot(histories(motion, GRAVITY), output, motion.source, 'm')}")


def read_motion(file: Path, **options: Any) -> GroundMotion:
    """The record of a file, by the options of this module; the one built in by its name."""
    from hamex.motion.ground import el_centro
    from hamex.motion.records import read_record

    if str(file) == BUILT_IN and not os.path.exists(file):
        return el_centro()
    return read_record(file, **_reading(options))


def read_motions(paths: list[str], **options: Any) -> Suite:
    """All records of files, folders and patterns; the suite tells what was not read, file by file."""
    from hamex.errors import RecordWarning
    from hamex.motion.records import read_suite

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecordWarning)  # `hamex records list` tells it
        return read_suite(paths if len(paths) > 1 else paths[0], **_reading(options))


def _reading(options: dict[str, Any]) -> dict[str, Any]:
    """The keywords of the readers: components and columns go by name or number."""
    return {key: number_or_name(value) if key in ("component", "column") else value for key, value in options.items()}


def about_record(motion: GroundMotion) -> dict[str, Any]:
    return {
        "source": motion.source,
        "component": motion.component,
        "kind": motion.kind,
        "unit": motion.unit,
        "step": motion.step,
        "samples": len(motion.acceleration),
        "duration": motion.duration,
        "peak": motion.peak,
    }


def _print_list(suite: Suite) -> None:
    from hamex.model.units import in_gravities

    if len(suite):
        print(
            aligned(
                ["file", "component", ">samples", ">step [s]", ">end [s]", "unit", ">PGA [g]"],
                [
                    [
                        shortened(motion.source.partition(":")[0], 22),
                        shortened(motion.component, 9),
                        str(len(motion.acceleration)),
                        f"{motion.step:.4g}",
                        f"{motion.duration:.4g}",
                        motion.unit,
                        f"{in_gravities(motion.unit) * motion.peak:.3g}",
                    ]
                    for motion in suite
                ],
            )
        )
    good = len(suite.statuses) - len(suite.failed)
    print(f"\n{good} of {len(suite.statuses)} files read, {len(suite)} records")
    for title, statuses in (("read", [status for status in suite.statuses if status.ok]), ("not read", suite.failed)):
        if statuses:
            print("\n" + heading(title))
        for status in statuses:
            print(_why(status))


def _why(status: FileStatus) -> str:
    """A file and what became of it; the reason names the file in full, which stands in front already."""
    why = status.why.replace(f"cannot read {status.file}: ", "").replace(f"record {status.file}: ", "")
    why = why.replace(f"{status.file}, line ", "line ")
    return textwrap.fill(f"{status.file.name}: {why}", _WIDTH, initial_indent="  ", subsequent_indent="    ")
