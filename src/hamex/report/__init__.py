"""WHAT TO SHOW: figures, tables and pages in one style."""
