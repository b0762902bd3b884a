"""Hold the present version against the one that the net was made from: python tools/before/run.py [SECTIONS].

Sections: ``problems``, the answers of both versions to the problems of this folder, and ``tests``, the public tests of
that version run against the present one. The old version stands in a work tree with an environment of its own, made
from its own pinned packages, below ``build/before``; its answers are kept there and asked for again only when the
problems change. Further words choose problems by their names, or tests by their files.
Exit code 1 for any difference that ``expected.toml`` does not explain.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import compare
import public_tests

COMMIT = "9617735c"
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "before"
TREE, OLD = BUILD / "tree", BUILD / "venv"
EXTRAS = "plot,excel,tables,fem,studio,cluster,validate,dev"
SHARDS = 2  # processes at a time: one a core


def git(*words: str) -> str:
    """What git prints."""
    return subprocess.run(["git", "-C", str(ROOT), *words], check=True, capture_output=True, text=True).stdout.strip()


def build_old() -> None:
    """Check the old version out, with an environment of its own."""
    known = subprocess.run(["git", "-C", str(ROOT), "cat-file", "-e", f"{COMMIT}^{{commit}}"], capture_output=True)
    if known.returncode:
        raise SystemExit(
            f"make before: commit {COMMIT} is not in this clone, which is shallow; run git fetch --unshallow first"
        )
    if not (TREE / "src").exists():
        shutil.rmtree(TREE, ignore_errors=True)
        git("worktree", "prune")
        git("worktree", "add", "--force", "--detach", str(TREE), COMMIT)
    ready = OLD / ".ready"
    if ready.exists():
        return
    print(f"building {COMMIT} with its own packages in {OLD.relative_to(ROOT)}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(OLD)], check=True)
    install = [str(OLD / "bin" / "python"), "-m", "pip", "install", "--quiet", "-c", str(TREE / "constraints.txt")]
    subprocess.run([*install, "-e", f"{TREE}[{EXTRAS}]"], check=True)
    ready.touch()


def answers(python: Path, folder: Path, words: list[str]) -> list[subprocess.Popen[bytes]]:
    """Processes that answer the problems into a folder, with the files of the old version, in a folder of their own."""
    place = folder.with_suffix(".scratch")
    shutil.rmtree(folder, ignore_errors=True)
    place.mkdir(parents=True, exist_ok=True)
    more = {"HAMEX_EXAMPLES": str(TREE / "examples"), "OPENBLAS_NUM_THREADS": "1", "HAMEX_WARM": "off"}
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | more
    if python == Path(sys.executable) and "PYTHONPATH" in os.environ:
        environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
    return [
        subprocess.Popen([python, HERE / "record.py", folder, f"{i}/{SHARDS}", *words], cwd=place, env=environment)
        for i in range(SHARDS)
    ]


def problems(words: list[str]) -> int:
    """Answer with both versions, and compare."""
    texts = b"".join((HERE / name).read_bytes() for name in ("problems.py", "doors.py", "record.py"))
    before = BUILD / f"answers-{hashlib.sha256(texts + ' '.join(words).encode()).hexdigest()[:12]}"
    now = BUILD / "answers-now"
    done = before / "done"
    for python, folder in ((OLD / "bin" / "python", before), (Path(sys.executable), now)):
        if folder == before and done.exists():
            continue
        begun = time.monotonic()
        if any(process.wait() for process in answers(python, folder, words)):
            raise SystemExit(f"make before: the problems could not be asked with {python}")
        print(f"{'before' if folder == before else 'now'}: {time.monotonic() - begun:.0f} s", flush=True)
    done.touch()
    return compare.main(before, now)


def main(words: list[str]) -> int:
    """Run both sections, or those that are named."""
    sections = [word for word in words if word in ("problems", "tests")] or ["problems", "tests"]
    build_old()
    failed, others = 0, [word for word in words if word not in sections]
    if "problems" in sections:
        failed |= problems(others)
    if "tests" in sections:
        chosen = others if sections == ["tests"] else []
        failed |= public_tests.run(TREE, BUILD / "public", ROOT / "src", chosen)
    return failed


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
