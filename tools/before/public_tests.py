"""Public tests of the old version, run against the present one.

The rule: a test file is public when neither it nor a helper of ``tests`` that it imports names a module below the doors
of ``hamex.march``, ``hamex.schemes`` and ``hamex.solve``, be it in an import or in what it patches. Tests that measure
the house, the documentation and the benchmarks stay out, as they are about one version, and those of the studio's
page, which share a server that they patch. Of an error a test asks the class and one word: the longest of its
``match``. Warnings of classes that the old version does not have, and of names that have a newer one, are ignored.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

PRIVATE = re.compile(r"hamex\.(march|schemes|solve)\.\w+")
APART = ("test_house.py", "test_layers.py", "test_public_names.py", "test_benchmarks.py", "docs/", "studio/")
EXPECTED = Path(__file__).parent / "expected.toml"
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"  # the present ones, which call kernels by themselves


@cache
def named(file: Path) -> frozenset[str]:
    """Modules that a file names in imports and texts, those of helpers of its tests included."""
    text = file.read_text(encoding="utf-8")
    found = {match[0] for match in PRIVATE.finditer(text)}
    helpers = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{one.name}" for one in node.names}
            helpers[node.module] = None
        elif isinstance(node, ast.Import):
            helpers |= dict.fromkeys(one.name for one in node.names)
    root = next(parent for parent in file.parents if parent.name == "tests")
    for name in helpers:
        for helper in (file.parent / f"{name}.py", *root.glob(f"**/{name}.py")):
            if helper.exists() and helper != file:
                found |= named(helper)
                break
    return frozenset(found)


def is_public(file: Path, source: Path) -> bool:
    """Tell whether a test file keeps above the doors."""
    below = [name for name in named(file) if PRIVATE.fullmatch(name)]
    places = [source.joinpath(*name.split(".")) for name in below]
    return not any(place.is_dir() or place.with_suffix(".py").exists() for place in places)


class OneWord(ast.NodeTransformer):
    """Leave of each alternative of ``match="…"`` the longest word, and of an f-string nothing."""

    def visit_keyword(self, node: ast.keyword) -> ast.keyword | None:
        if node.arg != "match":
            return self.generic_visit(node)  # type: ignore[return-value]
        if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
            return None
        text = re.sub(r"\\[a-zA-Z]", " ", node.value.value)
        ways = [re.findall(r"[A-Za-z]{3,}", way) for way in text.split("|")]
        if not all(ways):
            return None
        node.value = ast.Constant("(?i)" + "|".join(max(words, key=len) for words in ways))
        return node


def copied(tree: Path, folder: Path, source: Path) -> list[Path]:
    """Lay out a folder as a checkout of the old version, with its public tests and the present source."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(tree / "tests", folder / "tests")
    for place in tree.iterdir():
        if place.name not in ("tests", "src", ".git", "build"):
            (folder / place.name).symlink_to(BENCHMARKS if place.name == "benchmarks" else place)
    (folder / "src").symlink_to(source)
    found = []
    for file in sorted((folder / "tests").rglob("test_*.py")):
        name = file.relative_to(folder / "tests").as_posix()
        if name.startswith(APART) or not is_public(tree / "tests" / name, tree / "src"):
            file.unlink()
            continue
        changed = OneWord().visit(ast.parse(file.read_text(encoding="utf-8")))
        file.write_text(ast.unparse(ast.fix_missing_locations(changed)), encoding="utf-8")
        found.append(file)
    return found


def new_warnings(tree: Path, source: Path) -> list[str]:
    """Options that ignore warnings of classes that the old version does not have."""
    old, new = (
        set(re.findall(r"^class (\w+)", (each / "hamex/errors.py").read_text(), re.M)) for each in (tree, source)
    )
    return [
        word
        for name in sorted(new - old)
        if name.endswith("Warning")
        for word in ("-W", f"ignore::hamex.errors.{name}")
    ]


def run(tree: Path, folder: Path, source: Path, words: list[str]) -> int:
    """Run the copies with the present version; 1 if a test fails that is not excepted."""
    files = copied(tree, folder, source)
    print(f"public tests: {len(files)} of {len(list((tree / 'tests').rglob('test_*.py')))} files", flush=True)
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not heavy", "-n", "2", "--dist", "loadfile"]
    command += ["-p", "no:cacheprovider", "-W", "ignore::DeprecationWarning", "-W", "ignore::FutureWarning"]
    command += [*new_warnings(tree / "src", source), *words]
    for entry in tomllib.loads(EXPECTED.read_text()).get("test", []):
        command += ["--ignore" if entry["id"].endswith(".py") else "--deselect", entry["id"]]
    environment = os.environ | {"PYTHONPATH": str(source), "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-m", "hamex", "warm"], env=environment, stdout=subprocess.DEVNULL, check=True)
    return int(subprocess.run(command, cwd=folder, env=environment).returncode != 0)
