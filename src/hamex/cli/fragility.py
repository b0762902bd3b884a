"""``hamex fragility``: another limit, measure or dispersion for runs that are there; how often a year it is passed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hamex.cli.text import aligned, heading, print_json, wrapped

if TYPE_CHECKING:
    from hamex.study.ida.runs import IdaRuns

_PICTURES, _DATA = (".png", ".svg", ".html"), (".json", ".csv", ".xlsx")


def command(
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
    from hamex.study.ida.runs import read_runs

    for path in output or []:
        check_writable(path, (*_PICTURES, *_DATA))
    runs = read_runs(result, measure, limit)
    runs = _changed(runs, modelling, method, link)
    fits = [(curves, runs.fragility(curves)) for curves in runs.curves()]
    rates = [None if hazard is None or isinstance(found, str) else _annual(found, hazard) for _, found in fits]
    written = [path for target in output or [] for path in _write(fits, target, runs.title)]
    if json:
        import math
        from dataclasses import asdict

        found = summary_of(runs, fits)
        for model, rate in zip(found["models"], rates, strict=True):
            numbers = {} if rate is None else asdict(rate)
            model["annual_frequency"] = (
                None
                if rate is None
                else {name: None if value in (math.inf, -math.inf) else value for name, value in numbers.items()}
            )
        print_json(found | {"written": [str(path) for path in written]})
        return
    show(runs, fits)
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


def show(runs: IdaRuns, fits: Any) -> None:
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


def _annual(found: Any, path: Path) -> Any:
    from hamex.study.ida.fragility import annual_frequency

    return annual_frequency(found, *_hazard(path))


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


def summary_of(runs: IdaRuns, fits: Any) -> dict[str, Any]:
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
