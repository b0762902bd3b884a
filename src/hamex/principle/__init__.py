"""WHY: an action in symbols, and everything that follows from it. SymPy is used here only."""
