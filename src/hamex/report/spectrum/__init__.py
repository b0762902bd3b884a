"""Spectra as pictures, tables and a page: call ``draw_spectrum`` and ``write_spectrum``.

``lines`` makes curves and numbers of a spectrum, ``diagrams`` draws one diagram each, ``sheet`` puts diagrams and words
together.
"""

from hamex.report.spectrum.lines import SpectrumTable, chosen_periods, tables
from hamex.report.spectrum.sheet import FORMATS, draw_spectrum, views, write_spectrum

__all__ = ["FORMATS", "SpectrumTable", "chosen_periods", "draw_spectrum", "tables", "views", "write_spectrum"]
