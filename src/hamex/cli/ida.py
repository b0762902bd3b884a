"""``hamex ida``: a study file in; tables, pictures, a report and exports for loss assessment out. ``hamex fragility``:
another limit, measure or dispersion for runs that are there; how often a year it is passed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hamex.cli.run import duration_words, telling, timing_words
from hamex.cli.text import aligned, heading, print_json, wrapped

if TYPE_CHECKING:
    from hamex.spec.study import StudyFile
    from hamex.study.engine import Progress, Tell, Timing
    from hamex.study.ida import Ida
    from hamex.study.ida.runs import IdaRuns
    from hamex.study.study import Plan

INTERRUPTED = 130  # exit code of a command that was stopped by Ctrl-C
_PICTURES, _DATA = (".png", ".svg", ".html"), (".json", ".csv", ".xlsx")


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
    from hamex.study.ida import check_ida, collapse_ratio, ida, timed_hunts

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
        if not dry_run:
            timing = None
        elif file.hunting is None:
            timing = file.study.timed()
        else:
            timing = timed_hunts(file.study, file.demand, file.limit, file.intensity, file.hunting)
    if timing is not None:
        _show_plan(file, plan, timing, json)
        return
    make_folder(output)
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
    from hamex.report.ida_page import write_pictures, write_report
    from hamex.study.ida.runs import demands_of, write_demands, write_edp, write_runs, write_tables

    fits = [(curves, runs.fragility(curves)) for curves in found.curves]
    summary = _summary_of(runs, fits)
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
    _show(runs, fits)
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


# Runs that are there -------------------------------------------------------------------------------------------


def fragility(
    result: Annotated[
        Path,
        typer.Argument(
            metavar="RESULT",
            show_default=False,
            help="Folder of `hamex ida`, its result.json, or a table of runs (.csv, .parquet).",
        ),
    ],
    limit: Annotated[
        float | None, typer.Option("--limit", help="Demand that counts as exceeding; the study's if left out.")
    ] = None,
    measure: Annotated[
        str | None, typer.Option("--measure", help="What the limit is of; the study's if left out.")
    ] = None,
    modelling: Annotated[
        float | None, typer.Option("--modelling", help="Dispersion for what the model leaves out.")
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", help="capacities, or stripes: shares at common levels.")
    ] = None,
    link: Annotated[
        str | None, typer.Option("--link", help="probit (lognormal) or logit, which takes stripes.")
    ] = None,
    hazard: Annotated[
        Path | None,
        typer.Option(
            "--hazard", metavar="FILE", help="Hazard curve: intensity and how often a year it is exceeded, two columns."
        ),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write .png, .svg, .html, .json, .csv or .xlsx; repeat for more."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Fit a fragility to the runs of `hamex ida` again."""
    from hamex.files import check_writable
    from hamex.study.ida.fragility import annual_frequency
    from hamex.study.ida.runs import read_runs

    for path in output or []:
        check_writable(path, (*_PICTURES, *_DATA))
    runs = read_runs(result, measure, limit)
    runs = _changed(runs, modelling, method, link)
    fits = [(curves, runs.fragility(curves)) for curves in runs.curves()]
    rates = [
        None if hazard is None or isinstance(found, str) else annual_frequency(found, *_hazard(hazard))
        for _, found in fits
    ]
    written = [path for target in output or [] for path in _write(fits, target, runs.title)]
    if json:
        import math
        from dataclasses import asdict

        found = _summary_of(runs, fits)
        for model, rate in zip(found["models"], rates, strict=True):
            numbers = {} if rate is None else asdict(rate)
            model["annual_frequency"] = (
                None
                if rate is None
                else {name: None if value in (math.inf, -math.inf) else value for name, value in numbers.items()}
            )
        print_json(found | {"written": [str(path) for path in written]})
        return
    _show(runs, fits)
    if hazard is not None:
        _show_rates(runs, fits, rates, hazard)
    for path in written:
        print(f"wrote {path}")


def _changed(runs: IdaRuns, modelling: float | None, method: str | None, link: str | None) -> IdaRuns:
    from hamex.errors import InputError

    if method not in (None, "capacities", "stripes"):
        raise InputError(f"--method must be capacities or stripes, got {method!r}")
    if link not in (None, "probit", "logit"):
        raise InputError(f"--link must be probit or logit, got {link!r}")
    changes: dict[str, Any] = {} if modelling is None else {"modelling": modelling}
    if link is not None:
        changes["link"] = link
    if method is not None or link == "logit":
        changes["stripes"] = method != "capacities"
    return runs.replace(**changes)


def _show(runs: IdaRuns, fits: Any) -> None:
    """Print parameters and what to know."""
    from hamex.report.ida_page import rows_of, said_of, total_said
    from hamex.study.ida.fragility import Fragility

    first = fits[0][0]
    print(heading(runs.title))
    print(f"  {first.event}")
    print(f"  over {first.im_name}, {len(first.labels)} {runs.motions} motions")
    methods = list(dict.fromkeys(found.method for _, found in fits if isinstance(found, Fragility)))
    if methods:
        print(f"  fit: {methods[0]}")
    head, rows = rows_of(fits)
    words = {"model", "motions"}
    # Beside the names of several models 80 columns hold one interval; report and JSON have both.
    left_out = {4} if len(fits) > 1 else set()
    left_out |= set() if total_said(fits) else {head.index("total")}
    kept = [i for i in range(len(head)) if i not in left_out]
    print(
        "\n"
        + aligned(
            [head[i] if head[i] in words else f">{head[i]}" for i in kept], [[row[i] for i in kept] for row in rows]
        )
    )
    if total_said(fits):
        print(f" {total_said(fits)}")
    print()
    for flag in said_of(fits):
        print(wrapped(flag, 80, "  - "))


def _hazard(path: Path) -> tuple[list[float], list[float]]:
    """Two columns of numbers; lines with # and one line of names are passed over."""
    from hamex.errors import FileError
    from hamex.files import read_text

    lines = read_text(path).splitlines()
    rows: list[tuple[float, float]] = []
    named = False
    for number, line in enumerate(lines, start=1):
        cells = line.partition("#")[0].replace(",", " ").replace(";", " ").split()
        if not cells:
            continue
        try:
            im, rate = map(float, cells)
        except ValueError:
            if not rows and not named:
                named = True
                continue
            raise FileError(
                f"{path}, line {number}: {line.strip()!r} is not two numbers, an intensity and its annual "
                "rate of exceedance"
            ) from None
        rows.append((im, rate))
    if len(rows) < 2:
        raise FileError(f"{path}: a hazard curve has at least two rows of intensity and annual rate of exceedance")
    return [im for im, _ in rows], [rate for _, rate in rows]


def _show_rates(runs: IdaRuns, fits: Any, rates: list[Any], hazard: Path) -> None:

    print(f"\nmean annual frequency of {fits[0][0].limit_name}, {runs.motions} motions, {hazard}:")
    for (curves, _), rate in zip(fits, rates, strict=True):
        if rate is None:
            continue
        name = f"{curves.model}: " if curves.model else ""
        span = f"{100 * rate.level:g} %: {rate.low:.3g} to {rate.high:.3g}"
        print(
            wrapped(
                f"{name}{rate.rate:.3g} a year ({span}), once in {1 / rate.rate:.4g} years, "
                f"{100 * rate.probability(50):.3g} % in 50 years",
                80,
                "  ",
            )
        )
        print(
            wrapped(
                f"outside the curve: about {rate.below:.2g} from smaller intensities, at most {rate.above:.2g} "
                "from larger ones",
                80,
                "  ",
            )
        )
    print(f"  the hazard curve must be one of {runs.im_name}")


def _write(fits: Any, path: Path, title: str) -> list[Path]:
    from hamex.errors import InputError
    from hamex.report.ida_page import fitted, write_fragility

    good = fitted(fits)
    if not good:
        raise InputError(f"cannot write {path}: there is no fragility; {fits[0][1]}")
    if path.suffix.lower() in _PICTURES:
        return [write_fragility(fits, path, title)]
    if len(good) == 1:
        return [good[0][1].save(path)]
    return [found.save(path.with_stem(f"{path.stem}-{number}")) for number, (_, found) in enumerate(good, start=1)]


def _summary_of(runs: IdaRuns, fits: Any) -> dict[str, Any]:
    """What was found, as JSON knows it."""
    import math

    models = []
    for curves, found in fits:
        capacity = [value if math.isfinite(value) else None for value in curves.capacities.tolist()]
        fitted = {"why not": found} if isinstance(found, str) else found.to_dict()["fragility"]
        models.append(
            {
                "model": curves.model,
                "fragility": fitted,
                "flags": list(curves.flags),
                "capacities": dict(zip(curves.labels, capacity, strict=True)),
                "tried": dict(zip(curves.labels, curves.tried.tolist(), strict=True)),
            }
        )
    return {
        "title": runs.title,
        "limit": fits[0][0].limit_name,
        "intensity": runs.im_name,
        "motions": runs.motions,
        "models": models,
    }
