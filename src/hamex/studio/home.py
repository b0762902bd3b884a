"""Take home: a state of the page as Python code, problem file, data, or one page that needs no server."""

from __future__ import annotations

import io
import re
from typing import Any, Literal

import tomli_w
from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import Field

from hamex.errors import InputError
from hamex.report.page import plotly_script
from hamex.solution.files import netcdf_bytes, write_csv
from hamex.spec.base import Table
from hamex.spec.tables import ProblemTables
from hamex.studio import limits
from hamex.studio.answer import attached, plain
from hamex.studio.asked import Asked
from hamex.studio.classroom import answers_of, classroom_page
from hamex.studio.code import python_code
from hamex.studio.code_parts import NoCodeError
from hamex.studio.effort import admit_effort
from hamex.studio.history import answered, solved
from hamex.studio.problems import AnyProblem, Wish, built

router = APIRouter(prefix="/api/home", tags=["take home"])


@router.post("/python")
def python(wish: Wish) -> Response:
    """A script that gives the numbers of the page."""
    built(wish)
    try:
        code = python_code(wish.problem, wish.against)
    except NoCodeError as problem:
        raise InputError(f"there is no code for {problem}; take the problem file home") from None
    return attached(code, "text/x-python", f"{_stem(wish.problem)}.py")


@router.post("/problem")
def problem(wish: Wish) -> Response:
    """A problem file for `hamex run`."""
    built(wish)
    return attached(toml_text(wish.problem), "application/toml", f"{_stem(wish.problem)}.toml")


@router.post("/csv")
def csv(wish: Wish) -> Response:
    """All histories, one row per node."""
    file, _ = built(wish)
    text = io.StringIO(newline="")
    write_csv(solved(file, file.scheme, wish.error)[0], text)
    return attached(text.getvalue(), "text/csv", f"{_stem(wish.problem)}.csv")


@router.post("/netcdf")
def netcdf(wish: Wish) -> Response:
    """Everything, to be read by `hamex.read` or xarray."""
    file, _ = built(wish)
    return attached(netcdf_bytes(solved(file, file.scheme, wish.error)[0]), "application/x-netcdf",
                    f"{_stem(wish.problem)}.nc")


class Variant(Table):
    """The problem with one number changed."""

    value: float = Field(allow_inf_nan=False, description="the number, as the slider shows it")
    problem: AnyProblem


class PageWish(Asked):
    """What a page of its own shows: a state, and the same with one number changed."""

    view: Literal["oscillator", "building"]
    wish: Wish
    storey: int = Field(0, ge=0, description="whose loop is shown, from 0")
    viscous: bool = True
    label: str = Field("", max_length=80)
    unit: str = Field("", max_length=40)
    variants: list[Variant] = Field(default_factory=list, max_length=limits.VARIANTS)


@router.post("/page")
def page(asked: PageWish) -> Response:
    """One HTML file: interactive, self-contained."""
    kind = "shear_frame" if asked.view == "building" else "oscillator"
    if any(tables.model.kind != kind for tables in (asked.wish.problem, *(one.problem for one in asked.variants))):
        raise InputError(f"view {asked.view} shows models of kind {kind}")
    file, _ = built(asked.wish)
    admit_effort(file, [file.scheme] * (1 + len(asked.variants)), asked.wish.error)
    now = answered(asked.wish)
    cells = (now["steps"] + 1) * len(now["dofs"]) * (1 + len(asked.variants))
    if cells > limits.PAGE_CELLS:
        raise InputError(f"variants: {cells:,} displacements are too many for one page ({limits.PAGE_CELLS:,}); "
                         "a longer step, or no slider")
    others = [(one.value, plain(answered(asked.wish.model_copy(update={"problem": one.problem}))))
              for one in asked.variants]
    data = {"view": asked.view, "storey": asked.storey, "viscous": asked.viscous, "label": asked.label,
            "unit": asked.unit, "answers": answers_of(plain(now), others)}
    title = asked.wish.problem.title or "a history"
    return attached(classroom_page(title, f"{now['load']}; {now['scheme']}", data, plotly_script()), "text/html",
                    f"{_stem(asked.wish.problem)}.html")


def toml_text(tables: ProblemTables) -> str:
    """The tables as a problem file: what was given and nothing else."""
    return tomli_w.dumps(_plain(tables.model_dump(exclude_unset=True)))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items() if entry is not None}
    return [_plain(entry) for entry in value] if isinstance(value, list) else value


def _stem(tables: ProblemTables) -> str:
    """A name for a file, from the title."""
    return re.sub(r"[^a-z0-9]+", "-", (tables.title or "hamex").lower()).strip("-")[:60] or "hamex"
