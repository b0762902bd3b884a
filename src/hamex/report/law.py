"""A law on a sheet: its loop and backbone, the energy that it takes, what each cycle leaves of its force; beside the
material of another program, or a measured loop. And the springs of a run that lose their strength."""

from __future__ import annotations

import math
import re
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.files import write_atomically
from hamex.lab.laws import FittedLaw, Law, LawCertificate, LawTrial, follows, made_of
from hamex.names import meanings_of
from hamex.report.page import captioned, cards, page, table
from hamex.report.style import BLUE, FAINT, GREY, INK, ORANGE, RED, figure, mosaic, save, to_svg
from hamex.solution.results import strength_left
from hamex.solution.solution import Solution
from hamex.solution.source import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]
_LOOP = (
    "Force over deformation; dots mark where the law turns from one line to the next, where it has lines. Dashed: the "
    "way out without a turn. Force kept is over that of a new spring at the same deformation."
)


class OtherProgram(NamedTuple):
    """The same path in another program: who, deformation, force."""

    who: str
    deformation: Any
    force: Any

    def difference(self, trial: LawTrial) -> float:
        """Largest difference of force at the turning points, over the largest force of the law."""
        ours = trial.loop.force[~trial.loop.event]
        every = (len(self.force) - 1) // (len(ours) - 1)  # lines have equally many points
        return float(np.nanmax(np.abs(np.asarray(self.force)[::every] - ours)) / np.abs(ours).max())


def draw_law(trial: LawTrial, beside: OtherProgram | None = None, title: str = "") -> Figure:
    """Loop with backbone, dissipated energy along the path, force kept cycle by cycle."""
    layout = [["loop", "loop", "energy"], ["loop", "loop", "cycles"]]
    with mosaic(layout, 9.6, 5.0) as (drawing, axes):
        _loop(axes["loop"], trial, beside)
        axes["loop"].set_title(title)
        walked = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(trial.loop.deformation)))])
        axes["energy"].plot(walked, trial.loop.dissipated, color=RED)
        axes["energy"].set(xlabel="deformation walked", ylabel="energy lost")
        axes["energy"].set_ylim(bottom=min(0.0, float(np.min(trial.loop.dissipated))))
        _kept(axes["cycles"], trial)
    return drawing


def _loop(axes: Any, trial: LawTrial, beside: OtherProgram | None) -> None:
    for number, side in enumerate(trial.backbone):
        axes.plot(side.deformation, side.force, color=GREY, lw=1.0, ls="--", label="" if number else "without a turn")
    if beside is not None:
        axes.plot(beside.deformation, beside.force, color=ORANGE, lw=2.6, alpha=0.6, label=beside.who)
    loop = trial.loop
    axes.plot(loop.deformation, loop.force, color=BLUE, lw=1.0, label="this law")
    if type(trial.law).spring_piece is not None:
        axes.plot(loop.deformation[loop.event], loop.force[loop.event], ls="", marker=".", ms=3, color=BLUE)
    axes.set(xlabel="deformation", ylabel="force")
    axes.legend(loc="upper left")


def _kept(axes: Any, trial: LawTrial) -> None:
    for way, colour, words in ((1, BLUE, "to the positive side"), (-1, RED, "to the negative side")):
        own = [(n, one.kept) for n, one in enumerate(trial.cycles, 1) if one.deformation * way > 0]
        if own:
            axes.plot(*zip(*own, strict=True), color=colour, marker="o", ms=2.5, lw=0.8, label=words)
    axes.set(xlabel="excursion", ylabel="force kept")
    axes.set_ylim(0.0, max(1.08, axes.get_ylim()[1]))
    axes.legend(loc="lower left")


def draw_fit(fit: FittedLaw, title: str = "") -> Figure:
    """The measured loop and the law on the same path, and the difference point by point."""
    with mosaic([["loop", "loop", "rest"]], 9.6, 3.9) as (drawing, axes):
        axes["loop"].plot(fit.deformation, fit.measured, color=GREY, lw=2.2, label="measured")
        axes["loop"].plot(fit.deformation, fit.force, color=BLUE, lw=1.0, label="fitted")
        axes["loop"].set(xlabel="deformation", ylabel="force", title=title)
        axes["loop"].legend(loc="upper left")
        axes["rest"].axhline(0.0, color=INK, lw=0.6)
        axes["rest"].plot(fit.force - fit.measured, color=RED, lw=0.8)
        axes["rest"].set(xlabel="point", ylabel="fitted less measured")
    return drawing


def certificate_rows(found: LawCertificate) -> list[tuple[str, str, str]]:
    """What was tried, the figure, and whether it may be so."""
    failed = " ".join(found.failures)
    rows = [
        ("largest jump of the force, over the largest force", found.jump, "its force jumps"),
        ("tangent against differences, over the stiffness", found.tangent, "its tangent is off"),
        ("least tangent seen, over the stiffness", found.softest, "its tangent falls"),
        ("least tangent stated, over the stiffness", found.stated, ""),
        ("energy given away, over force × reach", max(found.gain, 0.0) + 0.0, "gives away"),
        ("many points on a line instead of two, change of force", found.splitting, "number of points"),
        ("twenty reversals of no size, change of force", found.micro, "reversals of no size"),
    ]
    judged = [(words, f"{value:.3g}", "no" if mark and mark in failed else "yes") for words, value, mark in rows]
    return [(words, value, "it breaks, as it says") if found.breaks and not n else (words, value, good)
            for n, (words, value, good) in enumerate(judged)]  # fmt: skip


def numbers_of(law: Law, stiffness: float) -> list[tuple[str, str]]:
    """Stiffness and parameters as they are said; a second side that is as the first is left out. Behind those of a law
    made of others stand its parts with their own."""
    names, parts = made_of(law)
    found = [("stiffness", stiffness), *((name, getattr(law, name)) for name in names if not follows(law, name))]
    said = [(name, f"{value:g}" if isinstance(value, int | float) else str(value)) for name, value in found]
    for n, (part, share) in enumerate(parts, 1):
        said += [(f"law {n}", type(part).__name__), *numbers_of(part, share * stiffness)]
    return said


def law_page(trial: LawTrial, beside: OtherProgram | None, fit: FittedLaw | None, note: str = "") -> str:
    """The page of a law."""
    law, title = trial.law, f"{type(trial.law).__name__}, a spring on its path"
    largest = float(np.abs(trial.loop.force).max())
    kept = [one.kept for one in trial.cycles if np.isfinite(one.kept)]
    facts = [(f"{largest:.4g}", "largest force"), (f"{float(trial.loop.dissipated[-1]):.4g}", "energy lost in all")]
    facts.append((f"{min(kept):.2f}" if kept else "–", "least force over that of a new spring"))
    if beside is not None:
        facts.append((f"{beside.difference(trial):.1e}", f"largest difference to {escape(beside.who)}, over the force"))
    body = [f"<h1>{escape(title)}</h1>", f'<p class="lead">{escape(_first_line(law))}</p>', cards(facts)]
    body.append(captioned(to_svg(draw_law(trial, beside)), _LOOP))
    if note:
        body.append(f"<p>{escape(note)}</p>")
    if fit is not None:
        body += ["<h2>Fit</h2>", captioned(to_svg(draw_fit(fit)), "The measured loop and the law on the same path.")]
        told = {name: f"{error:.2g}" if np.isfinite(error) else "not told" for name, error in fit.errors.items()}
        rows = [[escape(name), f"{value:.5g}", told[name]] for name, value in fit.values.items()]
        body.append(table(["number", "found", "standard error"], rows, f"Misfit {fit.misfit:.3g} of the force."))
    body += ["<h2>Numbers</h2>", table(["number", "value", "meaning"], _number_rows(law, trial.stiffness), words=True)]
    rows = [[escape(a), b, f'<span class="{"bad" if c == "no" else "good"}">{c}</span>']
            for a, b, c in certificate_rows(trial.certificate)]  # fmt: skip
    said = "On random paths up to the reach of the loop; what the promise of one solution a step rests on."
    body += ["<h2>Certificate</h2>", table(["tried", "seen", "as it should"], rows, said)]
    body += [
        "<h2>Excursions</h2>",
        table(["excursion", "deformation", "force", "secant", "energy lost", "force kept"], _rows(trial)),
    ]
    return page(title, "\n".join(body), kind="law")


def _number_rows(law: Law, stiffness: float) -> list[list[str]]:
    """The numbers of a law in the words of its constructor, those that it explains together in one row."""
    meanings, rows = {"stiffness": "of the elastic spring [force/length]"} | meanings_of(type(law)), []
    for meaning, pairs in groupby(numbers_of(law, stiffness), lambda pair: str(meanings.get(pair[0], pair[0]))):
        names, values = zip(*pairs, strict=True)
        rows.append([", ".join(names), ", ".join(values), meaning if meaning not in names else ""])
    return [[escape(cell) for cell in row] for row in rows]


def _first_line(law: Law) -> str:
    said = (type(law).__doc__ or "").strip().partition("\n\n")[0]
    return re.sub(r":\w+:`([^`]+)`", r"\1", " ".join(said.split()))  # names as they are, without their marks


def _rows(trial: LawTrial) -> list[list[str]]:
    return [
        [str(n), *(f"{x:.4g}" for x in (one.deformation, one.force, one.secant, one.dissipated)), f"{one.kept:.3f}"]
        for n, one in enumerate(trial.cycles, 1)
    ]


def write_law(trial: LawTrial, path: Path, beside: OtherProgram | None, fit: FittedLaw | None, note: str = "") -> Path:
    """A page, or one picture by the ending of its file."""
    if path.suffix.lower() == ".html":
        text = law_page(trial, beside, fit, note)
        return write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))
    drawing = (
        draw_fit(fit, type(trial.law).__name__)
        if fit is not None
        else draw_law(trial, beside, type(trial.law).__name__)
    )
    return write_atomically(path, lambda temporary: save(drawing, temporary))


# Springs of a run that lose their strength ------------------------------------------------------------------------

_INSTANTS, _MANY, _WIDE = 80, 12, 4  # at which it is told; loops of a sheet at most, and of its rows
_LEAST = 0.999  # of the strength: more is no loss to speak of
LOST = (
    "Springs that lost strength, the weakest first: force over deformation, means of the steps, and what is left at "
    "the end on the weaker side: the largest force on a push to the farthest deformation, over that of a new spring."
)


class Weakened(NamedTuple):
    """What is left of the strength of springs at some instants, (node, spring), weakest first.

    Attributes
    ----------
    times : of the instants [s].
    springs : numbers of those that lost some of it.
    left : shares of their strength, (instant, spring).
    """

    times: Array
    springs: Array
    left: Array

    def words(self, solution: Solution) -> str:
        """The weakest of them at the end, in words."""
        return f"{solution.springs[self.springs[0]]}: {100 * self.left[-1, 0]:.0f} % of its strength left"

    def loop(self, solution: Solution) -> tuple[str, Array, Array, bool]:
        """Of the weakest of them: its name, mean deformation and mean force of each step, whether it is a moment."""
        spring, nodes = int(self.springs[0]), solution.values("deformation")
        mean, turns = 0.5 * (nodes[:-1] + nodes[1:])[:, spring], bool(solution.layout.turning_springs[spring])
        return solution.springs[spring], mean, solution.values("force")[:, spring], turns


def weakened(solution: Solution, nodes: Array | None = None) -> Weakened | None:
    """Springs of a run that lost strength; None where there are none, or where their laws are not at hand."""
    if not isinstance(solution.source, Run) or solution.is_thinned or solution.at_ends:
        return None
    if nodes is None:
        nodes = np.unique(np.linspace(0, solution.steps, _INSTANTS).round().astype(int))
    left = strength_left(solution, nodes)
    some = np.flatnonzero(left[-1] < _LEAST)
    some = some[np.argsort(left[-1, some], kind="stable")]
    return Weakened(solution.times[nodes], some, left[:, some]) if some.size else None


def draw_strength(here: Any, solution: Solution, found: Weakened) -> None:
    """What is left over time, the weakest in front, and the instant from which it goes down."""
    for number in range(found.springs.size - 1, -1, -1):
        here.plot(found.times, 100 * found.left[:, number], color=FAINT if number else RED, lw=0.8 if number else 1.6)
    if solution.collapse is not None:
        here.axvline(solution.collapse.time, color=INK, lw=1.0, ls="--")
    here.set(
        xlabel="time [s]",
        ylabel="strength left [%]",
        ylim=(0, 105),
        xlim=(0, solution.times[-1]),
        title=found.words(solution) + ("\ndashed: it goes down sideways" if solution.collapse is not None else ""),
    )


def draw_loops(solution: Solution, found: Weakened) -> Figure:
    """The loops of the springs that lost most, each with what is left of it."""
    shown = found.springs[:_MANY]
    rows = math.ceil(len(shown) / _WIDE)
    across = min(len(shown), _WIDE)
    nodes, force = solution.values("deformation"), solution.values("force")
    with figure(rows, across, width=2.6 * across + 1.0, height=2.4 * rows + 0.5) as (drawing, axes):
        for number, here in enumerate(axes.flat):
            if number >= len(shown):
                here.set_axis_off()
                continue
            spring = int(shown[number])
            turns = bool(solution.layout.turning_springs[spring])
            length, kilo = ("rad", "moment") if turns else (solution.units.length, solution.units.force)
            here.plot(0.5 * (nodes[:-1, spring] + nodes[1:, spring]), force[:, spring], color=INK, lw=0.7)
            here.locator_params(axis="x", nbins=4)
            here.set(
                xlabel=f"deformation [{length}]",
                ylabel=kilo if turns else f"force [{kilo}]",
                title=f"{solution.springs[spring]}: {100 * found.left[-1, number]:.0f} % left",
            )
    return drawing
