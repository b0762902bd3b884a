"""Named errors and warnings of hamex: each message says what is wrong and what to change.

This module is the one leaf that every layer may import.

Messages are written for Python, where most of them are read. Other doors have other words for the same things, and
:func:`at_the_door` finds them, so that a message is written once.
"""

import re
import sys
import warnings
from collections.abc import Mapping

_WHO = re.compile(r"^([A-Za-z_]\w*)(?:\.\w+)?: ")  # the function that refuses
_CALL = re.compile(r"\b([A-Z]\w+)\(([^()]*)\)")
_KEYWORD = re.compile(r"""\b([a-z_]\w*)=(?!=)("[^"]*"|'[^']*'|-?[\w.]+…?)?""")
_PLAIN = {"True": "true", "False": "false", "None": "none"}


def at_the_door(message: str, options: Mapping[str, str]) -> str:
    """A message without Python: keywords as the ``options`` of a command, by name, or else as keys of a problem file.

    >>> at_the_door('read_record: say it, as in unit="g"', {"unit": "--unit"})
    'say it, as in --unit g'
    >>> at_the_door('solve: use Galerkin(degree=1), or load="mean"', {})
    'use kind = "galerkin" with degree = 1, or load = "mean"'
    """

    def called(found: re.Match[str]) -> str:
        if found[1] == "Action":  # no kind of a problem file: a script says it
            return found[0]
        kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", found[1]).lower()
        given = [part.strip() for part in found[2].split(",") if "=" in part]
        name = f"[{kind}]" if kind == "limit" else f'kind = "{kind}"'
        return f"{name} with {' and '.join(given)}" if given else name

    def keyed(found: re.Match[str]) -> str:
        name, value = found[1], _PLAIN.get(found[2] or "", found[2] or "")
        if name in options:
            return f"{options[name]} {value.strip(chr(34) + chr(39))}".rstrip()
        return f"{name} = {value}" if value else name

    who = _WHO.match(message)
    if who is not None and who[1] in sys.modules["hamex"].__all__:
        message = message[who.end() :]
    said = _CALL.sub(called, message)
    said = re.sub(",? or None", "", _KEYWORD.sub(keyed, said))
    return re.sub(r"\b(True|False)\b", lambda found: _PLAIN[found[0]], said)


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line that called hamex."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "hamex":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


class HamexError(Exception):
    """Base of every error that hamex raises on purpose."""


class InputError(HamexError, ValueError):
    """A value given by the user cannot be used."""


class UnknownNameError(InputError, KeyError):
    """A name that is not among those of a mapping."""

    __str__ = Exception.__str__  # a KeyError shows its text as Python writes it


class ModelError(InputError):
    """A mass, stiffness, damping or matrix of a model is out of range."""


class LawError(InputError):
    """A parameter of a spring's law is out of range."""


class LoadError(InputError):
    """A load or ground motion cannot be used."""


class UnitError(InputError):
    """A unit is unknown or of the wrong kind."""


class SchemeError(InputError):
    """A time-stepping scheme was given a value it cannot work with."""


class ProblemError(InputError):
    """Model, load, start state and duration do not fit together."""


class SizeError(ProblemError):
    """What is asked for does not fit into memory, or is more than anybody waits for."""


class NoProblemError(HamexError, LookupError):
    """A solution does not know the problem or the scheme it came from."""


class ActionError(InputError):
    """An action is not one that the principle covers."""


class SpecError(InputError):
    """A problem file is not valid."""


class FileError(HamexError, OSError):
    """A file cannot be read or written."""


class ConvergenceError(HamexError, RuntimeError):
    """An iteration did not converge: Newmark's, or Newton's in a step of ``simulate``."""


class MissingPackageError(HamexError, ImportError):
    """An optional package is needed for this and is not installed."""


class StudyError(HamexError, RuntimeError):
    """A study cannot go on: a worker that dies again and again, a cluster that does not answer, an interruption."""


class OverflowRunError(HamexError, ArithmeticError):
    """Numbers grew beyond what the machine can hold; the run is not a result."""


class ConvexityWarning(UserWarning):
    """A dissipation is not convex: it can feed energy in, and a step may have several solutions."""


class UndecidedWarning(UserWarning):
    """A symmetry of an action was met that could not be certified, or whose coefficients were not recovered."""


class LockingWarning(UserWarning):
    """A mesh is too stiff for what its material, or its density, does."""


class CoarseWarning(UserWarning):
    """A mesh or a step is too coarse for the waves that a load sends through a body."""


class CoarseStepWarning(UserWarning):
    """A step is too long for a mode that carries a part of the mass."""


class ImplausibleWarning(UserWarning):
    """A number is possible, but does not fit the stated units, or what structures and earthquakes do: a likely slip."""


class PrecisionWarning(UserWarning):
    """Rounding leaves few digits of a number."""


class LargeFileWarning(UserWarning):
    """A file will be larger than most programs open."""


class StepWarning(UserWarning):
    """The solver step is too long for the load to be seen whole."""


class BalanceWarning(UserWarning):
    """The energy balance of a run is far from closed: its numbers are not those of the mechanics."""


class DampingWarning(UserWarning):
    """Viscous damping carries an implausible share of the forces of a structure that yields."""


class RecordWarning(UserWarning):
    """What a record file tells of itself, its peak or its number of samples, does not agree with its samples."""


class MatchWarning(UserWarning):
    """A motion matched to a target spectrum is further from it than the tolerance."""


class DamageWarning(UserWarning):
    """Parts that a study kept do not verify: they are computed again."""


class ShortRunWarning(UserWarning):
    """A run ends before its load does."""


class ShortLoadWarning(UserWarning):
    """The samples of a load end before the run does, far from zero: it fades within one sample, as nothing stays."""


class SwingWarning(UserWarning):
    """A structure still swings where its run was to end at rest: what is left of its drift is that of an instant."""
