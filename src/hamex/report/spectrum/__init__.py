"""Spectra as pictures, tables and a page: ``draw_spectrum`` and ``write_spectrum`` are the doors.

``lines`` makes curves of a spectrum, ``axes`` draws one diagram each, ``nomogram`` the tripartite one, ``tables`` picks
periods, ``sheet`` puts diagrams and words together.
"""

from hamex.report.spectrum.sheet import FORMATS, draw_spectrum, views, write_spectrum
from hamex.report.spectrum.tables import Table, chosen_periods, tables

__all__ = ["FORMATS", "Table", "chosen_periods", "draw_spectrum", "tables", "views", "write_spectrum"]
