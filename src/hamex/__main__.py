"""``python -m hamex``: the command where its folder is not on the path."""

from hamex.cli import main

main()
