"""WHAT HAPPENED: histories with a fixed schema, energy balance, peaks, error estimate, files."""
