"""Series of files that ParaView opens: one .vtu an instant in a folder, and a .pvd that tells their times.

The folder is written whole under another name and put in place last, so that a series is never half old, half new.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from hamex.errors import FileError
from hamex.model.solids.body import Body
from hamex.model.solids.values import equivalent_strain, tensor, von_mises
from hamex.model.solids.vtu import cells_of, check_meshio, write_vtu
from hamex.solution.atomic import write_atomically
from hamex.solution.fields import Times, at_points, body_of, nearest, nodal
from hamex.solution.outline import Answers

Array = NDArray[Any]


def save_series(solution: Answers, path: Path, times: Times = None) -> Path:
    """Write ``.pvd`` with its folder, or one instant as ``.vtu``; of all instants that were kept, or those nearest to
    ``times``; of a single file, the last one."""
    body = body_of(solution, f"cannot write {path.name}")
    check_meshio()
    single = path.suffix.lower() == ".vtu"
    if times is None and not single:
        instants = np.arange(solution.steps + 1)
    else:
        instants = np.unique(nearest(solution, "displacement", times, "save"))
    if single:
        if len(instants) > 1:
            raise FileError(f"cannot write {path}: a .vtu holds one instant, {len(instants)} are asked for; write .pvd")
        return write_atomically(path, partial(_instant, solution, body, cells_of(body), int(instants[0])))
    return _series(solution, body, path, instants)


def _series(solution: Answers, body: Body, path: Path, instants: Array) -> Path:
    folder = path.with_suffix("")
    if folder.exists() and not _is_ours(folder):
        raise FileError(
            f"cannot write {path}: its files go into the folder {folder}, where other things are; take another name"
        )
    names = [f"{path.stem}_{number:0{len(str(len(instants)))}d}.vtu" for number in range(len(instants))]
    try:
        new = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.stem}-"))
    except OSError as problem:
        raise FileError(f"cannot write {path}: {problem.strerror or problem}") from None
    try:
        cells = cells_of(body)
        for name, instant in zip(names, instants, strict=True):
            write_atomically(new / name, partial(_instant, solution, body, cells, int(instant)))
        new.chmod(0o755)
        index = "\n".join(_index(folder.name, names, solution.times[instants]))
        old = new.with_name(f"{new.name}-old")
        with suppress(FileNotFoundError):
            folder.rename(old)
        new.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as problem:
        raise FileError(f"cannot write {path}: {problem.strerror or problem}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return write_atomically(path, lambda part: part.write_text(index, encoding="utf-8"))


def _is_ours(folder: Path) -> bool:
    """Whether a folder holds the files of a series before, and nothing else."""
    rule = re.compile(re.escape(folder.name) + r"_\d+\.vtu")
    return folder.is_dir() and all(rule.fullmatch(file.name) for file in folder.iterdir())


def _index(folder: str, names: list[str], times: Array) -> Iterator[str]:
    yield '<?xml version="1.0"?>'
    yield '<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">'
    yield "<Collection>"
    for name, time in zip(names, times.tolist(), strict=True):
        yield f'<DataSet timestep="{time!r}" group="" part="0" file={quoteattr(f"{folder}/{name}")}/>'
    yield "</Collection>\n</VTKFile>\n"


def _instant(solution: Answers, body: Body, cells: Array, instant: int, path: Path) -> None:
    """Displacement, velocity and von Mises stress at the nodes; stresses and plastic strains of the cells, as symmetric
    tensors xx, yy, zz, xy, yz, zx (shear strains halved)."""
    points = {"displacement": nodal(solution, body, "displacement", instant)}
    if "velocity" in solution.histories or "momentum" in solution.histories:
        points["velocity"] = nodal(solution, body, "velocity", instant)
    stress = at_points(solution, body, "stress", instant)
    points["von_mises"] = von_mises(body.components, body.at_nodes(stress))
    means = {"stress": tensor(body.components, body.in_cells(stress))}
    if np.any(body.slipping >= 0):
        plastic = body.in_cells(at_points(solution, body, "plastic_strain", instant))
        means["plastic_strain"] = tensor(body.components, plastic, shear=0.5)
        means["equivalent_plastic_strain"] = equivalent_strain(body.components, plastic)
    if len(np.unique(body.kind)) > 1:
        means["material"] = body.kind.astype(np.int32)
    write_vtu(path, body, cells, points, means)
