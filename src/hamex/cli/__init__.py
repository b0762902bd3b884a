"""Command line: words in, one call, a file or a table out."""


def main() -> None:
    """Entry point of the ``hamex`` command."""
