"""Spectra as pictures, tables and a page: ``draw_spectrum`` and ``write_spectrum`` are the doors.

``lines`` makes curves of a spectrum, ``diagrams`` draws one diagram each, ``tables`` picks periods, ``sheet``
puts diagrams and words together.
"""

from hamex.report.spectrum.sheet import FORMATS, draw_spectrum, views, write_spectrum
from hamex.report.spectrum.tables import SpectrumTable, chosen_periods, tables

__all__ = ["FORMATS", "SpectrumTable", "chosen_periods", "draw_spectrum", "tables", "views", "write_spectrum"]
