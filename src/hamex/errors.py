"""Named errors and warnings of hamex: each message says what is wrong and what to change.

This module is the one leaf that every layer may import.
"""


class HamexError(Exception):
    """Base of every error that hamex raises on purpose."""


class InputError(HamexError, ValueError):
    """A value given by the user cannot be used."""


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


class ImplausibleWarning(UserWarning):
    """A number is possible, but does not fit the stated units, or what structures and earthquakes do: a likely slip."""


class StepWarning(UserWarning):
    """The solver step is too long for the load to be seen whole."""


class BalanceWarning(UserWarning):
    """The energy balance of a run is far from closed: its numbers are not those of the mechanics."""


class DampingWarning(UserWarning):
    """Viscous damping carries an implausible share of the forces of a structure that yields."""


class RecordWarning(UserWarning):
    """What a record file tells of itself, its peak or its number of samples, does not agree with its samples."""


class DamageWarning(UserWarning):
    """Parts that a study kept do not verify: they are computed again."""


class ShortRunWarning(UserWarning):
    """A run ends before its load does."""


class ShortLoadWarning(UserWarning):
    """The samples of a load end before the run does, far from zero: it fades within one sample, as nothing stays."""


class SwingWarning(UserWarning):
    """A structure still swings where its run was to end at rest: what is left of its drift is that of an instant."""
