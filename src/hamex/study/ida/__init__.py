"""Incremental dynamic analysis: curves of demand against intensity, and the fragility that they or other data give."""
