"""A run as a film: the structure as it moves, beside its history and its loop."""

from __future__ import annotations

import io
import math
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite, is_positive
from hamex.errors import FileError, InputError, MissingPackageError
from hamex.files import check_writable, write_atomically
from hamex.report.body_sheets import dof_words
from hamex.report.history import chosen_loops, phases
from hamex.report.law import weakened
from hamex.report.moving import body_colours, body_scene, flatness
from hamex.report.page import heading, page
from hamex.report.push import controlled
from hamex.report.structure import bare, flat, good_scale, is_stick, lines, mark, marks, paint, stick_width
from hamex.report.style import BLUE, FAINT, GREEN, GREY, INK, ORANGE, RED, SOFT, check_installed, mosaic, short_ticks
from hamex.solution.outline import unit
from hamex.solution.peaks import most_moved
from hamex.solution.results import frames_at
from hamex.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]
Update = Callable[[int], None]  # draws one frame, by its place among the frames
Progress = Callable[[int, int], object]

FORMATS = (".gif", ".mp4", ".html")
_LONGEST, _SHORTEST = 12.0, 3.0  # s of film, where nobody says how long
_RATE = 20  # frames a second: GIF counts in hundredths, and 5 of them are exact
_DOTS = 100  # an inch
_MOST = 2000  # frames


def animate(
    solution: Solution,
    path: str | Path,
    *,
    seconds: float | None = None,
    scale: float | None = None,
    title: str = "",
    field: str | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write a run as a film; ``sol.animate("run.gif")`` is the same.

    Parameters
    ----------
    solution : of :func:`hamex.solve` or of slow loading: an oscillator, a structure that has a shape, or a body.
    path : ends in ``.gif``, ``.html`` (a page with a slider that needs no network) or, where ffmpeg is installed,
        ``.mp4``. The file is there whole or not at all.
    seconds : length of the film [s]; by default that of the run, and from 3 to 12 s. The picture tells the time of
        the run.
    scale : factor on the displacements, told in the picture; by default such that the largest is a tenth of the
        structure. Oscillators are drawn on an axis and need none.
    title : of the film.
    field : what colours a body, as "velocity" or "stress.xx"; its von Mises stress by default.
    progress : called with the frames done and their number; False ends the work, and no file is written.

    Examples
    --------
    >>> import tempfile
    >>> import hamex as hx
    >>> frame = hx.shear_frame([1.0, 1.0], [300.0, 200.0], heights=3.0)
    >>> sol = hx.solve(hx.Problem(frame, hx.el_centro().on(frame, g=9.81), 2.0), hx.Galerkin(0.02))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sol.animate(Path(folder, "run.gif"), seconds=0.2).stat().st_size > 1000
    True
    """
    path = Path(path)
    check_film(path)
    if not isinstance(solution, Solution):
        raise InputError(f"animate: needs the solution of a run or of slow loading, got {type(solution).__name__}")
    if field is not None and not solution.layout.is_body:
        raise InputError("animate: field is what colours a body; this is none")
    if solution.layout.is_structure and solution.layout.geometry is None and not solution.layout.is_body:
        raise InputError("animate: this model has no shape to draw: it was made of matrices")
    if seconds is not None and not is_positive(seconds):
        raise InputError(f"animate: seconds must be a positive number, got {seconds!r}")
    if scale is not None and not is_finite(scale):
        raise InputError(f"animate: scale must be a finite number, got {scale!r}")
    nodes = _nodes(solution, seconds)
    drawing, update = _stage(solution, nodes, scale, heading(path, title), field)
    pictures = _pictures(drawing, update, len(nodes), progress, body_colours() if solution.layout.is_body else ())
    ending = path.suffix.lower()
    if ending == ".mp4":
        return write_atomically(path, lambda part: _mp4(pictures, part))
    content = _gif(pictures) if ending == ".gif" else _page(pictures, title or "A run", solution).encode()
    return write_atomically(path, lambda part: part.write_bytes(content))


def check_film(path: Path) -> None:
    """Refuse a film that cannot be drawn or written, before any work starts."""
    check_installed()
    check_writable(path, FORMATS)
    if find_spec("PIL") is None:
        raise MissingPackageError("films need Pillow: pip install 'hamex[plot]'")
    if path.suffix.lower() == ".mp4":
        from matplotlib.animation import FFMpegWriter

        if not FFMpegWriter.isAvailable():
            raise FileError(f"cannot write {path}: films as .mp4 need ffmpeg; install it, or write .gif or .html")


def _nodes(solution: Solution, seconds: float | None) -> Array:
    """Nodes of the frames, evenly spaced from the start to the end."""
    took = float(solution.times[-1] - solution.times[0])
    long = min(max(took, _SHORTEST), _LONGEST) if seconds is None else float(seconds)
    count = min(max(round(long * _RATE), 1), _MOST, solution.steps) + 1
    return np.unique(np.linspace(0, solution.steps, count).round().astype(int))


# What is seen --------------------------------------------------------------------------------------------------


def _stage(
    solution: Solution, nodes: Array, scale: float | None, title: str, field: str | None = None
) -> tuple[Figure, Update]:
    """A figure, and what moves it."""
    loop = None if solution.layout.is_body else _loop(solution)
    right = [["scene", "history"], ["scene", "loop"]] if loop else [["scene", "history"]]
    action = "hamiltonian" in solution.names
    shape: dict[str, Any] = {"width_ratios": [1.15, 1]}
    high = 4.4
    if solution.layout.is_body and flatness(solution) < 0.7:  # a low body needs the whole width
        right, shape, high = [["scene"], ["history"]], {"height_ratios": [1.6, 1]}, 4.8
    with mosaic(right, 8.4, high, **shape) as (drawing, axes):
        drawing.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        if solution.layout.is_body:
            updates = [body_scene(drawing, axes["scene"], solution, nodes, scale, field, _clock)]
        elif action:
            u, v, across, up, name = phases(solution)
            updates = [_grown(axes["scene"], nodes, f"phase portrait of {name}", u, v, across, up)]
        else:
            scene = _structure if solution.layout.is_structure else _oscillator
            updates = [scene(axes["scene"], solution, nodes, scale)]
        updates.append(_curve(axes["history"], solution, nodes))
        if loop:
            updates.append(_grown(axes["loop"], nodes, *loop))
    drawing.set_dpi(_DOTS)
    drawing.draw_without_rendering()
    drawing.set_layout_engine("none")  # nothing moves but what is shown

    def update(frame: int) -> None:
        for each in updates:
            each(frame)

    return drawing, update


def _clock(solution: Solution, node: int) -> str:
    if solution.at_ends:
        return f"load factor {solution.values('load_factor')[node]:.3g}"
    last = solution.times[-1]
    return f"t = {solution.times[node]:.2f} s" if last >= 1 else f"t = {solution.times[node]:.3g} s"


def _structure(axes: Any, solution: Solution, nodes: Array, scale: float | None) -> Update:
    geometry = solution.layout.geometry
    assert geometry is not None
    moved, lost = frames_at(solution, nodes, 1.0), weakened(solution, nodes)
    largest = float(np.abs(moved.positions - geometry.coordinates).max())
    factor = good_scale(geometry, largest) if scale is None else float(scale)
    places = geometry.coordinates + factor * (moved.positions - geometry.coordinates)
    paint(axes, geometry, geometry.coordinates, weight=1.0, thin=True)
    before = len(axes.lines)
    paint(axes, geometry, places[0])
    parts = axes.lines[before:]
    bare(axes, geometry)
    (dots,) = mark(axes, np.full((1, 2), np.nan))
    seen = flat(np.concatenate([places, geometry.coordinates[None]]).reshape(-1, geometry.coordinates.shape[1]))
    half = stick_width(geometry) / 2 if is_stick(geometry) else 0.0
    room = 0.04 * float(np.ptp(seen, axis=0).max() + 2 * half)
    axes.set_aspect("equal", adjustable="box")
    axes.set_xlim(seen[:, 0].min() - half - room, seen[:, 0].max() + half + room)
    axes.set_ylim(seen[:, 1].min() - 2 * room, seen[:, 1].max() + room)
    caption = axes.set_title("\n")

    def update(frame: int) -> None:
        for part, (line, _) in zip(parts, lines(geometry, places[frame]), strict=True):
            part.set_data(line[:, 0], line[:, 1])
        points = marks(geometry, places[frame], moved.slipped[frame], solution.springs, solution.layout.together)
        dots.set_data(points[:, 0], points[:, 1])
        yielded = "\nred: has yielded" if len(points) else "\n"
        if lost is not None:
            down = solution.collapse is not None and solution.times[nodes[frame]] >= solution.collapse.time
            strength = lost._replace(left=lost.left[: frame + 1]).words(solution)
            yielded = f"\n{strength}{', goes down' if down else ''}"
        caption.set_text(f"{_clock(solution, nodes[frame])}, displacements × {factor:g}{yielded}")

    update(0)
    return update


def _oscillator(axes: Any, solution: Solution, nodes: Array, scale: float | None) -> Update:
    """A mass on wheels between a spring and its slip, on an axis of displacements."""
    u, slip = solution.values("displacement")[nodes, 0], solution.values("slip")[nodes, 0]
    size = max(float(np.abs(u).max()), float(np.abs(slip).max())) or 1.0
    wall, half, s = -5.0 * size, 0.9 * size, np.linspace(0, 1, 41)
    axes.plot([wall, wall], [0, 2 * half], color=GREY, lw=3)
    axes.plot([wall, 4.0 * size], [0, 0], color=GREY, lw=2)
    axes.axvline(0, color=FAINT, lw=0.8, zorder=0)
    (spring,) = axes.plot([], [], color=BLUE, lw=1.4)
    (plate,) = axes.plot([], [], color=RED, lw=3)
    (box,) = axes.fill([0, 0, 0, 0], [0.2 * half, 0.2 * half, 1.8 * half, 1.8 * half], color=INK, alpha=0.85)
    (wheels,) = axes.plot([], [], ls="", marker="o", ms=6, color=INK)
    slips = bool(np.any(slip != slip[0]))
    axes.set_xlim(wall - 0.3 * size, 4.0 * size)
    axes.set_ylim(-0.6 * half, 2.6 * half)
    axes.set_aspect("equal", adjustable="box")
    caption = axes.set_title("\n")
    axes.set_yticks([])
    axes.grid(False)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(f"displacement of the mass [{solution.units.length}]")
    zig = np.where((s > 0.15) & (s < 0.85), 0.25 * half * np.array([0, 1, 0, -1] * 11)[: len(s)], 0.0)

    def update(frame: int) -> None:
        left = -3.6 * size + slip[frame]  # the slider carries the foot of the spring along
        right = u[frame] - half
        spring.set_data(left + (right - left) * s, half + zig)
        plate.set_data([left, left], [0.4 * half, 1.6 * half])
        box.set_xy(np.stack([u[frame] + half * np.array([-1, 1, 1, -1]), 0.2 * half * np.array([1, 1, 9, 9])], axis=1))
        wheels.set_data([u[frame] - 0.5 * half, u[frame] + 0.5 * half], [0.1 * half, 0.1 * half])
        said = "red: foot of the spring, moved by slip" if slips else ""
        caption.set_text(f"{_clock(solution, nodes[frame])}, displacements × 1\n{said}")

    update(0)
    return update


def _curve(axes: Any, solution: Solution, nodes: Array) -> Update:
    """History of what moves most, or the capacity curve of slow loading, with a dot."""
    length = solution.units.length
    if solution.at_ends and "load_factor" in solution.names:
        x, y = controlled(solution), solution.values("load_factor")
        axes.set(xlabel=f"controlled displacement [{length}]", title="load factor")
    else:
        place = most_moved(solution)
        x, y = solution.times, solution.values("displacement")[:, place]
        named = f"displacement of {solution.dofs[place]}" if solution.layout.is_structure else "displacement"
        if solution.layout.is_body:
            named = dof_words(solution, place)
        across = "rad" if "hamiltonian" in solution.names and solution.layout.turning_dofs[place] else length
        axes.set(xlabel="time [s]", ylabel=f"[{across}]", title=named, xlim=(x[0], x[-1]))
        if x[-1] < 1:
            short_ticks(axes)
    axes.plot(x, y, color=FAINT, lw=0.8)
    (line,) = axes.plot([], [], color=BLUE, lw=1.0)
    (dot,) = axes.plot([], [], "o", color=RED, ms=5)

    def update(frame: int) -> None:
        upto = nodes[frame] + 1
        line.set_data(x[:upto], y[:upto])
        dot.set_data([x[upto - 1]], [y[upto - 1]])

    update(0)
    return update


def _loop(solution: Solution) -> tuple[str, Array, Array, str, str] | None:
    """Name, deformation and force of the steps, and their units, of what dissipates most; None where nothing does."""
    length, force = solution.units.length, solution.units.force
    if solution.is_thinned or solution.at_ends or "hamiltonian" in solution.names:
        return None
    if not solution.layout.is_structure:
        return (
            "force over deformation, spring",
            solution.values("mean_displacement")[:, 0],
            solution.values("force")[:, 0],
            length,
            force,
        )
    lost = weakened(solution)
    for name, deformation, forces, turns in chosen_loops(solution, 1) if lost is None else [lost.loop(solution)]:
        name = f"force over deformation, {name}"
        return name, deformation, forces, "rad" if turns else length, unit("moment", length, force) if turns else force
    return None


def _grown(axes: Any, nodes: Array, name: str, x: Array, y: Array, across: str, up: str) -> Update:
    """A loop that grows."""
    axes.plot(x, y, color=FAINT, lw=0.5)
    (line,) = axes.plot([], [], color=INK, lw=0.8)
    (dot,) = axes.plot([], [], "o", color=GREEN, ms=5)
    axes.locator_params(axis="x", nbins=5)
    axes.set(title=name, xlabel=f"[{across}]", ylabel=f"[{up}]")

    def update(frame: int) -> None:
        upto = max(int(nodes[frame]), 1)
        line.set_data(x[:upto], y[:upto])
        dot.set_data([x[upto - 1]], [y[upto - 1]])

    update(0)
    return update


# Files -----------------------------------------------------------------------------------------------------------


def _pictures(
    drawing: Figure, update: Update, count: int, progress: Progress | None, more: Sequence[Sequence[int]] = ()
) -> Iterator[Any]:
    """The frames, one after the other, in the colours of the style, their shades towards white, and some ``more``."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas: Any = FigureCanvasAgg(drawing)
    palette = Image.new("P", (1, 1))
    palette.putpalette(_palette(more))
    for frame in range(count):
        update(frame)
        canvas.draw()
        whole = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())
        yield whole.quantize(palette=palette, dither=Image.Dither.NONE)
        if progress is not None and progress(frame + 1, count) is False:
            raise InputError("animate: ended before its last frame, as asked; no file was written")


def _palette(more: Sequence[Sequence[int]]) -> list[int]:
    """256 colours, red, green and blue one after the other; the ``more`` others there are, the fewer shades."""
    colours = (INK, BLUE, GREEN, RED, ORANGE, SOFT, GREY, FAINT)
    pure = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours])
    # None near white: Pillow looks colours up by steps of 8, and paper must stay white.
    shades = np.append(np.linspace(0.0, 0.85, (256 - len(more)) // len(colours) - 1), 1.0)[None, :, None]
    own = [int(x) for x in (pure[:, None] * (1 - shades) + 255 * shades).round().ravel()]
    return own + [int(x) for colour in more for x in colour]


def _gif(pictures: Iterator[Any]) -> bytes:
    first, *others = pictures
    content = io.BytesIO()
    first.save(content, "GIF", save_all=True, append_images=others, duration=1000 // _RATE, loop=0, optimize=False)
    return content.getvalue()


def _mp4(pictures: Iterator[Any], path: Path) -> None:
    """By ffmpeg, which takes raw pictures and writes the file that it is told."""
    import subprocess

    from matplotlib.animation import FFMpegWriter

    first = next(pictures)
    wide, high = (2 * (size // 2) for size in first.size)  # as its usual coding wants them
    size = f"{first.size[0]}x{first.size[1]}"
    order = [FFMpegWriter.bin_path(), "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size]
    order += ["-r", str(_RATE), "-i", "-", "-vf", f"crop={wide}:{high}:0:0", "-pix_fmt", "yuv420p", str(path)]
    with subprocess.Popen(order, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as film:
        assert film.stdin is not None
        assert film.stderr is not None
        try:
            for picture in (first, *pictures):
                film.stdin.write(picture.convert("RGB").tobytes())
            film.stdin.close()
        except BrokenPipeError:
            pass  # what went wrong stands in its own words
        said = film.stderr.read().decode(errors="replace").strip()
    if film.returncode:
        raise FileError(f"cannot write {path.name}: ffmpeg says: {said.splitlines()[-1] if said else film.returncode}")


def _page(pictures: Iterator[Any], title: str, solution: Solution) -> str:
    frames = []
    for picture in pictures:
        content = io.BytesIO()
        picture.save(content, "PNG", optimize=False)
        frames.append(f'"data:image/png;base64,{b64encode(content.getvalue()).decode()}"')
    said = f"{solution!r}"
    took = math.ceil(len(frames) / _RATE)
    body = (
        f"<h1>{escape(title)}</h1>\n<figure><img id='film' alt='{escape(said, quote=True)}' "
        f"style='width:100%;max-width:52rem;background:#fff' src={frames[0]}>"
        "<p><button id='play' type='button' style='min-width:5rem;min-height:2.75rem;font:inherit'>Play</button> "
        f"<input id='at' type='range' min='0' max='{len(frames) - 1}' value='0' aria-label='frame' "
        "style='width:min(40rem,70%);min-height:2.75rem;vertical-align:middle'></p>"
        f"<figcaption>{escape(said)}; the film takes {took} s.</figcaption></figure>\n"
        f"<script>\nconst frames = [{','.join(frames)}];\n{_PLAYER}</script>"
    )
    return page(title, body, kind="film")


_PLAYER = f"""const film = document.getElementById("film"), at = document.getElementById("at");
const play = document.getElementById("play");
let timer = null;
const show = () => {{ film.src = frames[at.value]; }};
const stop = () => {{ clearInterval(timer); timer = null; play.textContent = "Play"; }};
const start = () => {{
  timer = setInterval(() => {{ at.value = (Number(at.value) + 1) % frames.length; show(); }}, {1000 // _RATE});
  play.textContent = "Stop";
}};
at.addEventListener("input", () => {{ stop(); show(); }});
play.addEventListener("click", () => (timer === null ? start() : stop()));
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) start();
"""
