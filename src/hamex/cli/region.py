"""``hamex region``: demands and damage states of an inventory of buildings under a grid of motions."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hamex.cli.records import Raw
from hamex.cli.run import duration_words, telling, timing_words
from hamex.cli.text import aligned, heading, tell

if TYPE_CHECKING:
    from hamex.study.engine import Progress


def command(
    inventory: Annotated[
        Path,
        typer.Argument(
            metavar="INVENTORY",
            show_default=False,
            help="Buildings, .csv or .geojson: longitude, latitude, storeys, type; and what differs from the type's "
            "defaults: design, period, strength, damping, hardening, relaxation, height, drift limits; "
            "with --degrading also ductility, softening, residual, loops.",
        ),
    ],
    motions: Annotated[
        str | None,
        typer.Argument(
            metavar="MOTIONS",
            show_default=False,
            help="Table of stations (.csv: longitude, latitude, file, …) or a folder with stations.csv; "
            "one record for all "
            "buildings; or el-centro.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            show_default=False,
            help="Folder for the results; finished parts in it are not run again.",
        ),
    ] = None,
    interpolate: Annotated[
        bool, typer.Option("--interpolate", help="Scale the nearest record to Sa(T1) interpolated between stations.")
    ] = False,
    step: Annotated[
        float | None,
        typer.Option("--step", help="Step of all buildings [s]; the record's, halved until short enough, if left out."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes; one per processor if left out.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option("--cluster", metavar="ADDRESS", help="Dask scheduler, e.g. tcp://host:8786.")
    ] = None,
    unit: Annotated[str | None, typer.Option("--unit", help="Unit of records that do not tell: g, m/s2 …")] = None,
    raw: Raw = False,
    settle: Annotated[
        float | None,
        typer.Option(
            "--settle", help="Let buildings go on until their swing is below this share of their drift, e.g. 0.001."
        ),
    ] = None,
    record_step: Annotated[
        float | None, typer.Option("--record-step", help="Time between samples [s] of records that do not tell.")
    ] = None,
    sample: Annotated[
        int, typer.Option("--sample", min=0, help="Buildings run again at an eighth of the step, to tell its error.")
    ] = 500,
    geojson: Annotated[
        bool | None,
        typer.Option(
            "--geojson/--no-geojson", show_default=False, help="Write GeoJSON; up to 200,000 buildings if left out."
        ),
    ] = None,
    page: Annotated[bool, typer.Option("--page/--no-page", help="Write the page with the map.")] = True,
    generate: Annotated[
        int | None,
        typer.Option("--generate", metavar="N", min=1, help="First write N made-up buildings to INVENTORY.csv."),
    ] = None,
    degrading: Annotated[
        bool,
        typer.Option(
            "--degrading", help="Let storeys pinch and lose their strength, under P-Delta; buildings may collapse."
        ),
    ] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of made-up buildings and of the sample.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite INVENTORY when generating.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything, tell the work, stop.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Shake an inventory of buildings: drifts, accelerations, residuals, damage states."""
    from hamex.errors import FileError, InputError

    if generate is not None:
        from hamex.study.regions.inventory import generate_inventory

        if os.path.exists(inventory) and not force:
            raise FileError(f"{inventory} exists already; --force overwrites it, or give another name")
        written_to = generate_inventory(generate, seed).save(inventory)
        print(f"wrote {written_to}: {generate:,} made-up buildings, seed {seed}")
        if motions is None:
            return
    if motions is None or (output is None and not dry_run):
        raise InputError("region: give MOTIONS and, with -o, a folder for the results; hamex region --help tells more")
    if page and not dry_run:
        from hamex.report.style import check_installed

        check_installed(tables=True)
    from hamex.files import check_folder, make_folder
    from hamex.study.regions.motions import read_motions
    from hamex.study.regions.region import plan_region, read_inventory, region, timed_region

    if output is not None and not dry_run:
        check_folder(output / "parts")
    buildings = read_inventory(inventory)
    grid = read_motions(motions, unit=unit, step=record_step, interpolated=interpolate, raw=raw)
    if dry_run:
        with telling():
            timing = timed_region(buildings, grid, step=step, sample=sample, degrading=degrading)
        plan = plan_region(buildings, grid, step=step, sample=sample, degrading=degrading)
        print(f"{plan.buildings:,} buildings, {plan.storeys:,} storeys; {grid.rule}")
        print(f"{plan.parts} parts, {plan.steps:.2g} storey-steps; about {plan.size / 1e6:,.0f} MB of results")
        print(timing_words(timing.seconds, timing.compiling))
        return
    assert output is not None
    folder = make_folder(output)
    show = _Progress()
    found = region(
        buildings,
        grid,
        step=step,
        settle=settle,
        sample=sample,
        seed=seed,
        degrading=degrading,
        workers=workers,
        cluster=cluster,
        store=folder / "parts",
        tell=show,
    )
    show.end()
    written = _write(found, folder, geojson, page)
    tell(written, json, lambda: found.summary, lambda: _show(found.summary))
    if not json and len(found) > _many() and geojson is None:
        print(f"no GeoJSON for more than {_many():,} buildings unless asked for: --geojson")


def _many() -> int:
    from hamex.study.regions.result import MANY

    return MANY


def _write(found: Any, folder: Path, geojson: bool | None, page: bool) -> list[Path]:
    from json import dumps

    from hamex.files import write_atomically

    written = [found.save(folder / "buildings.parquet")]
    if geojson or (geojson is None and len(found) <= _many()):
        written.append(found.save(folder / "buildings.geojson"))
    text = dumps(found.summary, indent=2, ensure_ascii=False)
    written.append(write_atomically(folder / "summary.json", lambda part: part.write_text(text, encoding="utf-8")))
    if page:
        from hamex.report.region import write_region_page

        written.append(write_region_page(found, folder / "region.html"))
    return written


class _Progress:
    """One line that is written over on a terminal; elsewhere a line every ten per cent."""

    def __init__(self) -> None:
        self.terminal, self.shown = sys.stderr.isatty(), -1

    def __call__(self, now: Progress) -> None:
        left = "" if now.left is None else f", {duration_words(now.left)} left"
        text = f"{100 * now.share:3.0f} %, {now.done} of {now.parts} parts{left}"
        if self.terminal:
            print(f"\r{text:<60}", end="", file=sys.stderr, flush=True)
        elif int(10 * now.share) > self.shown:
            self.shown = int(10 * now.share)
            print(text, file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.terminal:
            print("\r" + " " * 60 + "\r", end="", file=sys.stderr, flush=True)


def _show(found: dict[str, Any]) -> None:
    print(heading(f"{found['buildings']:,} buildings, {found['storeys']:,} storeys, {found['motions']} motions"))
    print(f"{found['label']}\n")
    every = found["all"]
    rows = [
        [words, *(f"{scale * (every[name][key] or 0.0):.3g}" for key in ("median", "percentile_95")), unit]
        for name, words, scale, unit in (
            ("peak_drift_ratio", "largest storey drift", 100, "%"),
            ("peak_floor_acceleration", "largest floor acceleration", 1, "g"),
            ("peak_residual_drift_ratio", "largest residual drift", 100, "%"),
        )
    ]
    print(aligned(["demand", ">median", ">95th percentile", "unit"], rows))
    print(
        "\n"
        + aligned(
            ["damage state", ">expected buildings", ">share"],
            [
                [state, f"{count:,.1f}", f"{100 * count / max(every['buildings'], 1):.2f} %"]
                for state, count in every["expected_buildings"].items()
                if count is not None
            ],
        )
    )
    if "collapsed" in found:
        print(f"\ncollapsed, a storey went down sideways: {found['collapsed']:,} buildings")
    error = found["step"]["error"]
    if error is not None:
        share = {
            name: 100 * error[name]["share_within_2_percent"]
            for name in ("peak_drift_ratio", "peak_floor_acceleration")
        }
        print(
            f"\nstep {found['step']['shortest']:g} to {found['step']['longest']:g} s; of {error['buildings']} "
            f"buildings run again at {error['step']}\n{share['peak_drift_ratio']:.1f} % have their largest drift "
            f"within 2 %, {share['peak_floor_acceleration']:.1f} % their largest acceleration"
        )
    if found["failed"]:
        print(f"{found['failed']:,} buildings have no result: see the column status")
    if found["ignored_columns"]:
        print(f"columns that mean nothing here: {', '.join(found['ignored_columns'][:8])}")
    print(
        f"{found['parts_run']} parts run, {found['parts_found']} found; {duration_words(found['kernel_seconds'])} of "
        f"computation, {duration_words(found['seconds'])} by the clock\n"
    )
