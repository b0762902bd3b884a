"""What every body of a request is: a table, as those of problem files."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, model_validator

from hamex.spec.base import Table


class Asked(Table):
    """A table that is the body of a request. JSON has null, files have not: it means that a key is left out."""

    model_config = ConfigDict(defer_build=False)        # fastapi asks for the validator at once

    @model_validator(mode="before")
    @classmethod
    def _left_out(cls, value: Any) -> Any:
        return _without_nulls(value)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(entry) for key, entry in value.items() if entry is not None}
    # Lists of numbers are long and hold no tables.
    return [_without_nulls(entry) for entry in value] if isinstance(value, list) and value and \
        isinstance(value[0], dict) else value
