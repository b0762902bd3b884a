"""``hamex run``: a problem file in, a table on the screen and files out."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from hamex.cli.text import heading, print_json, saying, tell

if TYPE_CHECKING:
    from hamex.model.record import Model
    from hamex.solution.solution import Solution
    from hamex.spec import ProblemFile

_QUIET, _EVERY = 1.0, 0.1  # seconds before a run says how far it is, and between two words
_SAMPLE = 1.0  # seconds of a run from which its length is told
_WORK_OF_ERRORS = 7  # runs with a half and a quarter of the step, and the run itself


def command(
    problem: Annotated[
        Path, typer.Argument(metavar="PROBLEM.toml", help="Problem file; `hamex init` writes one.", show_default=False)
    ],
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write all results: .nc (complete), .csv (histories), .xlsx (Excel), of solids .pvd (ParaView); "
            "repeat for more.",
        ),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option("--names", metavar="LIST", help="Results that a .csv holds, e.g. displacement,slip; or all."),
    ] = None,
    every: Annotated[
        int | None, typer.Option("--every", min=1, help="Write every so many nodes to a .csv.", show_default="1")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Write a plot of the histories: .png, .svg or .html.")
    ] = None,
    animate: Annotated[
        Path | None,
        typer.Option(
            "--animate", metavar="FILE", help="Write the motion as a film: .gif, .html or, with ffmpeg, .mp4."
        ),
    ] = None,
    probes: Annotated[
        Path | None,
        typer.Option("--probes", metavar="FILE", help="Write the motion of the file's [probes]: .csv or .xlsx."),
    ] = None,
    motion: Annotated[
        Path | None,
        typer.Option(
            "--motion", metavar="FILE", help="Write the total acceleration of a place as a record: .csv, .at2, .json."
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="NAME", help="Whose motion: a probe (with a direction: tip.y), a dof or a storey."
        ),
    ] = None,
    error: Annotated[
        bool,
        typer.Option(
            "--error", help="Estimate the error of every peak by halving the step twice: seven times the work."
        ),
    ] = False,
    promise: Annotated[
        Literal["beforehand", "reported", "cut"] | None,
        typer.Option(
            "--promise",
            help="Of one solution per step: refuse steps that are too long (beforehand), cut them, or go on and report "
            "from when on it is not certain. The file's, or beforehand.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the file, say how long the run will take, and stop.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON instead of tables.")] = False,
) -> None:
    """Run a problem file: peaks, residual slip, energies, status."""
    # Work starts only when every file that was asked for can be written.
    from hamex.errors import InputError

    if output:
        from hamex.files import FORMATS, check_writable
        from hamex.solution.files import SERIES

        for path in output:
            check_writable(path, (*FORMATS, *SERIES))
    if (names or every) and not any(path.suffix.lower() == ".csv" for path in output or []):
        raise InputError("--names and --every say what a .csv holds; give one, as in -o out.csv")
    if plot is not None:
        from hamex.report.page import check_plot

        check_plot(plot)
    if animate is not None:
        from hamex.report.animation import check_film

        check_film(animate)
    _check_writable(probes, motion, at)
    from hamex.spec import read_problem

    file = read_problem(problem)
    if promise is not None:
        file = replace(file, promise=promise)
    for path in output or []:
        check_writable(path, FORMATS if file.problem.model.body is None else (*FORMATS, *SERIES))
    if probes is not None or motion is not None:
        from hamex.cli.structure import check_probes

        check_probes(file, probes, motion, at)
    if not file.marches:  # it is loaded slowly
        from hamex.cli.pushover import push, slow_choice

        only = {"--animate": animate, "--probes": probes, "--motion": motion, "--names": names, "--every": every}
        for name, option in only.items():
            if option is not None:
                raise InputError(f"{name} is for histories; {problem} has slow loading only")
        if error:
            raise InputError(f"--error is for histories; {problem} has slow loading only")
        if dry_run:
            print(f"{problem}: slow loading, nothing was run (--dry-run)")
        else:
            push(file, slow_choice(file), output or [], plot, json)
        return
    chosen = _results(names, file.problem.model)
    if dry_run:
        _tell_time(file, error, json)
        return
    with telling() as line:
        solution = _solved(file, error, line)
    written = _places(file, solution, probes, motion, at)
    for path in output or []:
        with saying(f"writing {path} …"):
            table = path.suffix.lower() == ".csv"
            written.append(solution.save(path, names=chosen if table else None, every=every or 1 if table else 1))
    _show(file, solution, written, plot, animate, json)


def _results(names: str | None, model: Model) -> list[str] | None:
    """Names of results, those that a solution of the model may have."""
    if names is None:
        return None
    from difflib import get_close_matches

    from hamex.errors import InputError
    from hamex.model.record import law_variables
    from hamex.solution.outline import VARIABLES

    known, chosen = [*VARIABLES, *law_variables(model)], [name.strip() for name in names.split(",")]
    for name in chosen:
        if name not in known:
            meant = "".join(f"; did you mean {near}?" for near in get_close_matches(name, known, 1))
            raise InputError(f"--names: there is no result {name!r:.40}{meant or '; a .csv of all results names them'}")
    return chosen


def _check_writable(probes: Path | None, motion: Path | None, at: str | None) -> None:
    """Files of places can be written, and a place is asked for with its file."""
    from hamex.errors import InputError

    if probes is None and motion is None and at is None:
        return
    from hamex.files import check_writable
    from hamex.motion.records.suite import ENDINGS

    if probes is not None:
        check_writable(probes, (".csv", ".xlsx"))
    if motion is not None:
        check_writable(motion, ENDINGS)
    elif at is not None:
        raise InputError("--at says whose motion --motion writes; give both")


def _places(
    file: ProblemFile, solution: Solution, probes: Path | None, motion: Path | None, at: str | None
) -> list[Path]:
    """Files of the motion of places."""
    written = []
    if probes is not None:
        from hamex.cli.structure import probe_histories, write_probes

        written.append(write_probes(probe_histories(file, solution), probes))
    if motion is not None:
        from hamex.cli.structure import probe_motion, write_motion

        written.append(write_motion(probe_motion(file, solution, at), motion))
    return written


def _solved(file: ProblemFile, error: bool, line: TerminalLine | None) -> Solution:
    from hamex.solve import solve

    if line is not None and error:
        line.then = "running again with a half and a quarter of the step, for error bars"
    return solve(
        file.problem,
        file.scheme,
        error=error,
        limit=file.limit,
        settle=file.settle,
        promise=file.promise,
        progress=line,
    )


def _show(
    file: ProblemFile, solution: Solution, written: list[Path], plot: Path | None, film: Path | None, json: bool
) -> None:
    from hamex.cli.summary import show, summary

    if plot is not None:
        from hamex.report.history import write_plot

        written.append(write_plot(solution, plot, file.title))
    if film is not None:
        written.append(_film(solution, film, file.title))
    found = summary(file, solution)
    data = {name: value for name, value in found.items() if name != "tables"}  # the same numbers, for the screen
    tell(written, json, lambda: data, lambda: show(found, solution.model))


def _film(solution: Solution, path: Path, title: str) -> Path:
    """Write the film, with a bar where somebody may be watching."""
    from rich.console import Console
    from rich.progress import Progress

    from hamex.report.animation import animate

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        frames = bar.add_task("drawing frames", total=None)
        return animate(
            solution, path, title=title, progress=lambda done, count: bar.update(frames, completed=done, total=count)
        )


# How far it is, and how long it takes ------------------------------------------------------------------------


class Compiling:
    """Counts the seconds that go into compiling."""

    def __init__(self) -> None:
        self.seconds, self._since = 0.0, 0.0

    def compiling(self, expected: float) -> None:
        """A kernel is compiled, for so many seconds, or was."""
        if expected:
            self._since = time.process_time()
        else:
            self.seconds += time.process_time() - self._since


class TerminalLine(Compiling):
    """One line that is written over: from one second on how far a run is, and a word while kernels are compiled.

    Attributes
    ----------
    then : what goes on when the steps are done.
    """

    def __init__(self) -> None:
        super().__init__()
        self.begun = self.last = time.perf_counter()
        self.then, self._wide = "", 0
        self._first: tuple[float, int] | None = None  # that block loads and compiles what the others find

    def __call__(self, done: int, steps: int) -> None:
        now = time.perf_counter()
        first, early = self._first = self._first or (now, done)
        if now - self.begun < _QUIET or (now - self.last < _EVERY and done < steps):
            return
        self.last = now
        if done >= steps:
            self.say(self.then)
            return
        left = f", {duration_words((now - first) * (steps - done) / (done - early))} left" if done > early else ""
        self.say(f"{100 * done / steps:3.0f} %, step {done:,} of {steps:,}{left}")

    def compiling(self, expected: float) -> None:
        """Say so, and count."""
        super().compiling(expected)
        if expected:
            about = duration_words(expected)
            self.say(f"compiling kernels for this kind of model, about {about}; they are kept for later runs …")

    def say(self, text: str) -> None:
        """Write over what stands there."""
        print("\r" + text.ljust(self._wide), end="\r", file=sys.stderr, flush=True)
        self._wide = len(text)


@contextmanager
def telling() -> Iterator[TerminalLine | None]:
    """A line on a terminal, and none elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    line = TerminalLine()
    from hamex.march.run import told

    with told(line.compiling):
        try:
            yield line
        finally:
            line.say("")


def _tell_time(file: ProblemFile, error: bool, json: bool) -> None:
    """Run the first second of work, and tell from it how long the whole takes."""
    from hamex.cli.summary import summary
    from hamex.march.run import told
    from hamex.solve import solve

    compiling = Compiling()
    begun = time.process_time()
    marks: list[tuple[float, int]] = []
    steps = 0  # more than the file's where they are cut

    def watch(done: int, of: int) -> bool:
        nonlocal steps
        steps = of
        marks.append((time.process_time() - compiling.seconds, done))
        return marks[-1][0] - marks[0][0] < _SAMPLE

    with told(compiling.compiling):
        sample = solve(file.problem, file.scheme, limit=file.limit, promise=file.promise, progress=watch)
    (first, early), (last, late) = marks[0], marks[-1]
    summary_begun = time.process_time()
    summary(file, sample)
    summary_seconds = (time.process_time() - summary_begun) * steps / late
    # The first block loads what the others find loaded; a run of one block is the run itself.
    own = last - begun if late == early else (first - begun) + (last - first) / (late - early) * (steps - early)
    seconds = own * (_WORK_OF_ERRORS if error else 1) + summary_seconds
    if json:
        found = {"title": file.title, "steps": steps, "seconds": seconds, "compiling": compiling.seconds}
        print_json(found)
        return
    print(heading(file.title))
    print(f"  {file.kind.replace('_', ' ')}, {len(file.problem.model.dofs)} dofs, {steps:,} steps")
    print(f"  about {duration_words(seconds)} of computation{_compiled_words(compiling.seconds)}")
    print("a second of it was run to tell the time; nothing was written (--dry-run)")


def timing_words(seconds: float, compiling: float) -> str:
    """How long a study will take, here with as many workers as there are processors, and what was compiled for it."""
    from hamex.march.run import processors

    here = f", {duration_words(seconds / processors())} on the {processors()} here" if processors() > 1 else ""
    return f"about {duration_words(seconds)} of computation on one processor{here}{_compiled_words(compiling)}"


def _compiled_words(seconds: float) -> str:
    return f"; kernels took {duration_words(seconds)} to compile, just now, and are kept" if seconds else ""


def duration_words(seconds: float) -> str:
    """
    >>> duration_words(0.2), duration_words(42.3), duration_words(200), duration_words(8000)
    ('0.2 s', '42 s', '3 min 20 s', '2 h 13 min')
    """
    if seconds < 10:
        return f"{max(seconds, 0.1):.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = int(seconds // 60)
    return f"{minutes} min {int(seconds - 60 * minutes)} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
