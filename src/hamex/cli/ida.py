"""``hamex ida``: a study file in; tables, pictures, a report and exports for loss assessment out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hamex.cli.run import duration_words, telling, timing_words
from hamex.cli.text import heading, print_json, wrapped

if TYPE_CHECKING:
    from hamex.spec.study import StudyFile
    from hamex.study.engine import Progress, Tell, Timing
    from hamex.study.ida import Ida
    from hamex.study.ida.runs import IdaRuns
    from hamex.study.study import Plan

_QUICK = 2.0  # seconds of work below which other processes cost more than they bring
INTERRUPTED = 130  # exit code of a command that was stopped by Ctrl-C


def command(
    study: Annotated[
        Path, typer.Argument(metavar="STUDY.toml", help="Study file; `hamex init ida` writes one.", show_default=False)
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Folder for everything; finished parts in it are not run again."
        ),
    ] = Path("ida"),
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Processes; one per processor if left out, one for quick studies."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster", metavar="ADDRESS", help="Dask scheduler, as tcp://host:8786, instead of processes here."
        ),
    ] = None,
    collapse: Annotated[
        bool,
        typer.Option("--collapse", help="Seek collapse instead of the file's limit: the drift ratio that ends runs."),
    ] = False,
    mce: Annotated[
        float | None,
        typer.Option(
            "--mce",
            metavar="LEVEL",
            help="Intensity of the maximum considered earthquake, instead of the file's: tells the margin and the "
            "probability there.",
        ),
    ] = None,
    xlsx: Annotated[
        bool, typer.Option("--xlsx", help="Also write tables.xlsx for Excel: runs, demands, fragility.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be run and how long it takes, and stop.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON instead of tables.")] = False,
) -> None:
    """Incremental dynamic analysis and fragility of a study."""
    from hamex.files import check_folder, make_folder
    from hamex.report.style import check_installed
    from hamex.spec.study import read_study
    from hamex.study.engine import StoppedError
    from hamex.study.ida import check_ida, collapse_ratio, ida

    check_installed(tables=True)
    if not dry_run:
        check_folder(output / "parts")
    if xlsx:
        from hamex.files import check_package

        check_package(output / "tables.xlsx")
    file = read_study(study)
    if collapse:
        ratio = "drift_ratio"
        file = replace(file, demand=ratio, limit=collapse_ratio(file.study, ratio))
        check_ida(file.study, ratio, file.hunting)
    plan = _plan(file)
    with telling():
        _try(file)
        timing = _timing(file) if dry_run else None
    if timing is not None:
        _show_plan(file, plan, timing, json)
        return
    make_folder(output)
    if workers is None and cluster is None and plan.seconds < _QUICK:
        workers = 1
    try:
        with _progress(plan, file.hunting is not None) as tell:
            found = ida(
                file.study,
                file.demand,
                file.limit,
                intensity=file.intensity,
                hunting=file.hunting,
                workers=workers,
                cluster=cluster,
                store=output / "parts",
                tell=tell,
            )
    except StoppedError as stop:
        print(f"stopped: {str(stop).removeprefix('study: ')}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    runs = _runs(file, found)
    _write_and_tell(file, found, runs, output, xlsx, json, file.mce if mce is None else mce)


def _plan(file: StudyFile) -> Plan:
    """Of a hunt: as if every record needed all its runs."""
    if file.hunting is None:
        return file.study.plan()
    axes = {**file.study.axes, "scale": [1.0] * file.hunting.runs}
    return file.study.replace(axes=axes).plan()


def _try(file: StudyFile) -> None:
    """One step of every model, so that measures that do not fit are told now and not by every run."""
    import numpy as np

    from hamex.motion.ground import GroundMotion
    from hamex.solve.batch import batch

    study = file.study
    h = study.scheme.step
    batch(
        study.models,
        GroundMotion(np.zeros(2), h, "g"),
        study.scheme,
        study.measures,
        g=study.gravity,
        duration=h,
        threads=1,
    )


def _timing(file: StudyFile) -> Timing:
    from hamex.study.ida import timed_hunts

    if file.hunting is None:
        return file.study.timed()
    return timed_hunts(file.study, file.demand, file.limit, file.intensity, file.hunting)


def _show_plan(file: StudyFile, plan: Plan, timing: Timing, json: bool) -> None:
    most = " at most" if file.hunting is not None else ""
    if json:
        print_json(
            {
                "title": file.title,
                "runs": plan.runs,
                "parts": plan.parts,
                "steps": plan.steps,
                "seconds": timing.seconds,
                "compiling": timing.compiling,
                "bytes": plan.size,
                "motions": file.study.kind,
            }
        )
        return
    print(heading(file.title))
    print(f"  {len(file.study.axes['record'])} {file.study.kind} motions, {plan.runs} runs{most} in {plan.parts} parts")
    print(f"  results of about {_bytes(plan.size)}")
    print(f"  {timing_words(timing.seconds, timing.compiling)}")
    print("a sample was run to tell the time; nothing was written (--dry-run)")


@contextmanager
def _progress(plan: Plan, hunting: bool) -> Iterator[Tell | None]:
    """A bar with rate and time left, on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn("{task.description}"),
        BarColumn(30),
        TextColumn("{task.percentage:3.0f} %"),
        TextColumn("{task.fields[said]}"),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("hunting" if hunting else "running", total=1.0, said="")

        def tell(now: Progress) -> None:
            rate = (now.done - now.found) / max(now.seconds, 1e-9)
            speed = f"{rate:.3g} hunts/s" if hunting else f"{rate * plan.runs / max(now.parts, 1):,.0f} runs/s"
            left = f", {duration_words(now.left)} left" if now.left is not None else ""
            kept = f", {now.found} parts found" if now.found else ""
            bar.update(task, completed=now.share, said=f"{speed}{left}{kept}" if rate else f"starting{kept}")

        yield tell


def _runs(file: StudyFile, found: Ida) -> IdaRuns:
    from hamex.study.ida import study_ends
    from hamex.study.ida.runs import ENDS, IdaRuns, measures_in
    from hamex.study.table import words_of

    study = file.study
    first = found.curves[0]
    parameters = tuple(name for name in study.axes if name not in ("record", "scale", "level"))
    units = _units(file)
    storeys = "drift_1" in found.columns or "absolute_acceleration_1" in found.columns
    words = {name: words_of(name, units, storeys) for name in measures_in(found.columns) if name not in parameters}
    about = {
        "scheme": repr(study.scheme),
        "runs": len(found.columns["status"]),
        "length": units.length,
        "force": units.force,
        "g": study.gravity,
    }
    if storeys and study_ends(study) is not None:
        about[ENDS] = study_ends(study)
    return IdaRuns(
        file.title,
        found.columns,
        parameters,
        first.im_name,
        first.motions,
        words,
        file.demand,
        file.limit,
        file.stripes,
        file.modelling,
        study.seed,
        file.resamples,
        hunted=None if file.hunting is None else (file.demand, file.limit),
        about=about,
    )


def _units(file: StudyFile) -> Any:
    from hamex.study.axes import units_of

    return units_of(file.study.models)


def _write_and_tell(
    file: StudyFile, found: Ida, runs: IdaRuns, folder: Path, xlsx: bool, json: bool, mce: float | None
) -> None:
    from hamex.cli.fragility import summary_of
    from hamex.report.ida_page import write_pictures, write_report
    from hamex.study.ida.runs import demands_of, write_demands, write_edp, write_runs, write_tables

    fits = [(curves, runs.fragility(curves)) for curves in found.curves]
    summary = summary_of(runs, fits)
    margins = [None if mce is None or isinstance(fit, str) else fit.margin(mce) for _, fit in fits]
    for model, margin in zip(summary["models"], margins, strict=True):
        model["margin"] = margin
    demands = demands_of(runs, file.study.gravity, runs.about["length"])
    written = [
        *write_pictures(fits, folder, file.title),
        runs.save_table(folder / "table.parquet"),
        runs.save_table(folder / "table.csv"),
        write_demands(runs, demands, folder / "demands.csv"),
        write_edp(runs, demands, folder / "EDP.json"),
        *([write_tables(runs, demands, fits, folder / "tables.xlsx")] if xlsx else []),
        write_runs(runs, folder / "result.json", {"result": summary}),
    ]
    names = [path.name for path in written]
    written.append(write_report(fits, folder / "report.html", file.title, runs.about, names, mce))
    if json:
        about = {"ran": found.ran, "found": found.found, "seconds": found.seconds}
        print_json(summary | about | {"written": [str(path) for path in written]})
        return
    from hamex.cli.fragility import show

    show(runs, fits)
    for (curves, fit), margin in zip(fits, margins, strict=True):
        if mce is not None and margin is not None and not isinstance(fit, str):
            of_model = f" ({curves.model})" if curves.model else ""
            name = "collapse margin ratio" if curves.collapse else "margin"
            print(f"  {name} {margin:.3g}{of_model}: median {fit.median:.4g} over {mce:g}, {curves.im_name}")
            print(f"  P({curves.limit_name}) at {mce:g}: {float(fit.probability(mce)):.3g}")
    kept = f", {found.found} parts of an earlier run" if found.found else ""
    print(f"\n{runs.about['runs']} runs in {duration_words(found.seconds)}{kept}")
    print(wrapped(f"report.html, {', '.join(path.name for path in written[:-1])}", 80, f"wrote {folder}/: "))


def _bytes(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"
