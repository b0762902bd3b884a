"""HOW, per step: schemes, and what is computed once before the march."""
