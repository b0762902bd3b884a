"""Derivation view: systems of the library or typed ones, worked out by processes of their own."""
