"""Records of a folder, a pattern or a list of files, where what cannot be read is listed and not raised; and records
written as text, in the formats that tell what they hold, read back to the last bit."""

from __future__ import annotations

import glob
import json
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, overload

from hamex.errors import FileError, HamexError, LoadError, RecordWarning, UnitError
from hamex.motion.ground import GroundMotion
from hamex.motion.records.columns import OWN
from hamex.motion.records.read import choices, chosen, motion_of, read_all, remarks_of
from hamex.names import Shown

Where = str | os.PathLike[str]


class FileStatus(NamedTuple):
    """What became of one file: ``why`` is the reason if it failed, else how many records it gave and what is to be
    said of them."""

    file: Path
    ok: bool
    why: str


@dataclass(frozen=True, eq=False)
class Suite(Shown, Sequence[GroundMotion]):
    """Ground motions read together, and what became of every file; a sequence, for all that takes a list of motions.

    Attributes
    ----------
    motions : the motions that could be read, in the order of the files.
    statuses : one (file, ok, why) for every file that was looked at.

    Examples
    --------
    >>> import hamex as hx
    >>> Suite((hx.el_centro(),), ())[0].unit
    'g'
    """

    motions: tuple[GroundMotion, ...]
    statuses: tuple[FileStatus, ...]

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} files not read" if self.failed else ""
        return f"<Suite: {len(self)} motions{failed}>"

    def __len__(self) -> int:
        return len(self.motions)

    @overload
    def __getitem__(self, place: int) -> GroundMotion: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[GroundMotion, ...]: ...
    def __getitem__(self, place: int | slice) -> GroundMotion | tuple[GroundMotion, ...]:
        return self.motions[place]

    @property
    def failed(self) -> tuple[FileStatus, ...]:
        """Statuses of the files that could not be read."""
        return tuple(status for status in self.statuses if not status.ok)


def read_suite(
    path: Where | Sequence[Where],
    *,
    format: str | None = None,
    unit: str | None = None,
    step: float | None = None,
    component: str | int | None = None,
    column: int | str | None = None,
    raw: bool = False,
) -> Suite:
    """All records of a folder, of a pattern such as ``"records/**/*.AT2"``, or of a list of files.

    Takes what :func:`read_record` takes; what is said holds for every file, so a unit must not contradict any. Files
    with several records give all of them, or the one named by ``component``. A file that cannot be read does not stop
    the others: its reason is in ``statuses``, and so is what a file tells of itself that its samples do not show.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("time_s,acceleration_g\\n0,0\\n0.01,0.2\\n")
    ...     _ = Path(folder, "b.csv").write_text("time_s,acceleration_g\\n0,0\\n0.01,nan\\n")
    ...     suite = read_suite(folder)
    >>> len(suite), [(status.file.name, status.ok) for status in suite.statuses]
    (1, [('a.csv', True), ('b.csv', False)])
    """
    given = choices(format, unit, step, column, raw)
    motions: list[GroundMotion] = []
    statuses: list[FileStatus] = []
    for file in files_in(path):
        try:
            found = read_all(file, given)
            wanted = found if component is None else [chosen(file, found, component)]
            here = [motion_of(file, record, given, component) for record in wanted]
        except HamexError as problem:
            statuses.append(FileStatus(file, False, str(problem)))
        else:
            motions += here
            remarks = list(dict.fromkeys(remark for record in wanted for remark in remarks_of(file, record)))
            for remark in remarks:
                warnings.warn(remark, RecordWarning, stacklevel=2)
            count = f"{len(here)} record{'s' if len(here) > 1 else ''}"
            offset = ["mean removed"] if not raw and any(record.offset for record in wanted) else []
            statuses.append(FileStatus(file, True, "; ".join([count, *offset, *remarks])))
    return Suite(tuple(motions), tuple(statuses))


def files_in(path: Where | Sequence[Where]) -> list[Path]:
    """The files of a folder (hidden ones left out), a pattern or a list, sorted unless listed."""
    if not isinstance(path, str | os.PathLike):
        if not isinstance(path, Sequence):
            raise LoadError(f"read_suite: path must be a folder, a pattern or a list of files, got {path!r}")
        # A listed file that is missing is one that cannot be read: given in its status.
        return [file for entry in path for file in ([Path(entry)] if _is_file_name(entry) else files_in(entry))]
    place = Path(path)
    try:
        place.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass  # a pattern, or missing: told below
    except (OSError, ValueError) as problem:  # a name that is too long, or has a zero byte
        raise FileError(f"cannot read {path}: {getattr(problem, 'strerror', None) or problem}") from None
    if _is_file_name(path) and not os.path.exists(place):
        raise FileError(f"cannot read {path}: no such file or folder")
    if os.path.isdir(place):  # says no to names that no system takes, where Path raises
        files = sorted(file for file in place.iterdir() if file.is_file() and not file.name.startswith("."))
        if not files:
            raise FileError(f"cannot read {place}: the folder has no files")
        return files
    if os.path.exists(place):
        return [place]
    files = sorted(Path(file) for file in glob.glob(str(path), recursive=True) if Path(file).is_file())
    if not files:
        raise FileError(f"cannot read {path}: no file fits the pattern")
    return files


def _is_file_name(path: Where) -> bool:
    if not isinstance(path, str | os.PathLike):
        raise LoadError(f"read_suite: a file must be given by its name, got {path!r:.60}")
    return not glob.has_magic(str(path)) and not os.path.isdir(path)


ENDINGS = (".csv", ".at2", ".json", ".txt")


def record_text(motion: GroundMotion, ending: str) -> str:
    """The text of a file with this ending: ``.csv`` time and acceleration, ``.at2`` PEER, ``.json`` SimCenter EVENT,
    ``.txt`` bare numbers as OpenSees reads them, without step and unit.

    >>> print(record_text(GroundMotion([0.0, 0.5], 0.01, "g", "made up"), ".csv"))
    # hamex record
    # component:
    # kind: recorded
    # source: made up
    time_s,acceleration_g
    0.0,0.0
    0.01,0.5
    <BLANKLINE>
    """
    writers = {".csv": _csv, ".at2": _at2, ".json": _json, ".txt": _path}
    if ending.lower() not in writers:
        raise LoadError(f"records are written with the endings {', '.join(ENDINGS)}; got {ending!r}")
    return writers[ending.lower()](motion)


def _csv(motion: GroundMotion) -> str:
    notes = [
        f"# {key}: {_line(value)}".rstrip()
        for key, value in (("component", motion.component), ("kind", motion.kind), ("source", motion.source))
    ]
    rows = [f"{i * motion.step!r},{a!r}" for i, a in enumerate(motion.acceleration.tolist())]
    return "\n".join([OWN, *notes, f"time_s,acceleration_{motion.unit}", *rows, ""])


def _at2(motion: GroundMotion) -> str:
    if motion.unit != "g":
        raise UnitError(f"AT2 files are in g, this motion is in {motion.unit}; convert it first")
    values = [f" {a!r:>24}" for a in motion.acceleration.tolist()]
    rows = ["".join(values[i : i + 5]) for i in range(0, len(values), 5)]
    about = _line(motion.source).replace(",", ";")
    return "\n".join(
        [
            "PEER FORMAT, WRITTEN BY HAMEX, NO RECORD OF THE PEER DATABASE",
            f"{about}, {_line(motion.component).replace(',', ';')}",
            "ACCELERATION TIME SERIES IN UNITS OF G",
            f"NPTS= {len(values)}, DT= {motion.step!r} SEC,",
            *rows,
            "",
        ]
    )


def _json(motion: GroundMotion) -> str:
    name = motion.component or "accel_x"
    event = {
        "name": motion.source,
        "type": "Seismic",
        "units": {"acceleration": motion.unit},
        "dT": motion.step,
        "numSteps": len(motion.acceleration),
        "timeSeries": [{"name": name, "type": "Value", "dT": motion.step, "data": motion.acceleration.tolist()}],
        "pattern": [{"type": "UniformAcceleration", "timeSeries": name, "dof": 1}],
    }
    return json.dumps({"Events": [event]}, indent=1, ensure_ascii=False) + "\n"


def _path(motion: GroundMotion) -> str:
    return "\n".join([*(repr(a) for a in motion.acceleration.tolist()), ""])


def _line(words: str) -> str:
    """On one line, whatever a source has in it."""
    return " ".join(words.split())
