"""What every table of a problem file shares: strictness, choices, and names of nested places in errors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from hamex.errors import HamexError

# Limits stand here only for keys that no constructor knows by name.
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


Version = Annotated[int | None, Field(description="of the format of this file; 1, also where it is left out")]
VERSION = 1


def check_version(data: Any) -> Any:
    """Refuse a file in a format that is not known here, by name, before anything else in it is judged."""
    version = data.get("version") if isinstance(data, Mapping) else None
    if isinstance(version, int) and not isinstance(version, bool) and version != VERSION:
        raise ValueError(f"version = {version} is a format that this hamex does not know; it reads version {VERSION}: "
                         "take a newer hamex, or write the file anew")
    return data


def _shape(value: Any) -> str:
    return "·list" if isinstance(value, list) else "·table" if isinstance(value, dict) else "·one"


# Choices by shape. pydantic puts the tag into the place of a mistake; the dot marks what no file spells.
Numbers = Annotated[Annotated[float, Tag("·one")] | Annotated[list[float], Tag("·list")],
                    Discriminator(lambda value: "·list" if isinstance(value, list) else "·one")]
Named = Annotated[Annotated[float, Tag("·one")] | Annotated[list[float], Tag("·list")]
                  | Annotated[dict[str, float], Tag("·table")], Discriminator(_shape)]


class Table(BaseModel):
    """A table of the file: no unknown keys, no text where a number belongs."""

    # Only the whole file is ever validated: the tables' own validators are not worth building.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    def given(self, *names: str) -> dict[str, Any]:
        """Keys that stand in the file, so that a default is said once, in the constructor."""
        return {name: getattr(self, name) for name in names if name in self.model_fields_set}

    def one_of(self, *names: str, needed: bool = True) -> None:
        """Refuse two of these keys together, and none of them when one is needed."""
        count = sum(name in self.model_fields_set for name in names)
        if count > 1 or (needed and count == 0):
            said = " and ".join((", ".join(names[:-1]), names[-1]))
            got = "none" if count == 0 else "both" if len(names) == 2 else f"{count} of them"
            raise ValueError(f"give {'exactly' if needed else 'at most'} one of {said}, got {got}")


@contextmanager
def inside(place: str, table: Table) -> Iterator[None]:
    """Put the place of a table in front of what a constructor refuses: "Slider: viscosity must …" becomes
    "law.viscosity must …"."""
    try:
        yield
    except HamexError as problem:
        raise type(problem)(placed(place, str(problem), table)) from None


def placed(place: str, message: str, table: Table) -> str:
    """A constructor's message with the place of its table; keys of the table are written as paths."""
    said = re.sub(r"^[\w.]+: ", "", message)
    if not place:
        return said
    first = re.match(r"\w*", said)
    is_key = first is not None and first.group() in type(table).model_fields and \
        re.match(r"\w+([.\[]\S*)? ", said) is not None
    return f"{place}.{said}" if is_key else f"[{place}] {said}"
