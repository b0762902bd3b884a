"""Response spectra of ground motions: ``spectrum`` is the door, ``Spectrum`` what comes out of it.

``inputs`` checks, ``records`` makes arrays of motions, ``elastic`` and ``rotated`` compute, ``result`` labels.
"""

from hamex.study.spectrum.door import spectrum
from hamex.study.spectrum.result import Spectrum

__all__ = ["Spectrum", "spectrum"]
