"""What a reader's own computer would print: programs are run in a process and a folder of their own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import cache


@cache
def printed(*arguments: str) -> str:
    """Standard output of Python with these arguments."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise RuntimeError(f"python {' '.join(arguments)} failed:\n{done.stderr}")
    return done.stdout


def hamex(*arguments: str) -> str:
    """What ``hamex …`` prints."""
    return printed("-c", "from hamex.cli import main; main()", *arguments)
