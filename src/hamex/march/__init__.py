"""HOW, all steps: compiled loops over plain arrays. Numba is used here only, and only when worth it."""
