"""A derivation that reads like a lecture, from an action alone: one document, three ways to show it."""
