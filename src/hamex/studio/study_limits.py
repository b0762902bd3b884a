"""What a study may ask for, checked before anything is built: a list of levels, a model, a suite can be too large."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hamex.errors import HamexError, InputError
from hamex.spec.study import StudyTables
from hamex.studio import limits
from hamex.studio.motions import admit_synthetic


@contextmanager
def in_proportion() -> Iterator[None]:
    """Numbers that are allowed one by one may be too far apart together: eigenvalues fail, ratios overflow."""
    try:
        yield
    except HamexError:
        raise
    except (ArithmeticError, ValueError) as problem:
        raise InputError(f"the numbers are out of proportion, nothing can be computed with them ({problem})") from None


def check_study(tables: StudyTables) -> None:
    """Refuse lists, models and numbers of motions beyond what the studio takes; and files, which it never reads."""
    if tables.records.files is not None:
        raise InputError("records.files cannot be read here; `hamex ida` reads them")
    if tables.parameters:
        raise InputError("parameters is for `hamex ida`; the studio studies one model at a time")
    storeys = len(getattr(tables.model, "masses", ()))
    if storeys > limits.STOREYS:
        raise InputError(f"model.masses: {storeys} storeys are more than the {limits.STOREYS} that the studio takes")
    for name in ("scales", "stripes"):
        spaced = getattr(tables, name)
        if spaced is not None and spaced.count is not None and spaced.count > limits.RUNS:
            raise InputError(f"{name}.count must be at most {limits.RUNS:,}, got {spaced.count}")
    if tables.fragility.resamples > limits.RESAMPLES:
        raise InputError(f"fragility.resamples must be at most {limits.RESAMPLES:,}, got {tables.fragility.resamples}")
    if tables.records.synthetic is not None:
        admit_synthetic(tables.records.synthetic, tables.records.synthetic.count, "records.synthetic")
