"""The house stays in order: no circles of imports, and what CONTRIBUTING points at is there."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import hamex

ROOT = Path(hamex.__file__).parent
CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"


def module_files():
    """Modules by their dotted names."""
    files = {".".join(("hamex", *file.relative_to(ROOT).with_suffix("").parts)): file for file in ROOT.rglob("*.py")}
    return {name.removesuffix(".__init__"): file for name, file in files.items()}


def imported(file, modules):
    """Modules that a file imports anywhere: at its top, for types only, inside functions."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in modules else node.module for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & set(modules) - {"hamex"}


def circle(modules):
    """The first circle of imports, or None."""
    graph = {name: imported(file, modules) - {name} for name, file in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return None


def test_no_module_imports_what_imports_it():
    assert circle(module_files()) is None


def test_a_circle_would_be_seen(tmp_path):
    """Type-only and local imports count."""
    texts = {"a": "if TYPE_CHECKING:\n    from hamex.b import x", "b": "def f():\n    import hamex.a"}
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    assert circle({f"hamex.{name}": tmp_path / f"{name}.py" for name in "ab"}) is not None


def test_contributing_points_at_files_that_are_there():
    text = CONTRIBUTING.read_text()
    assert all(
        f"## Add a {thing}\n" in text for thing in ("law", "scheme", "record format", "builder", "command", "figure")
    )
    for part in text.split("\n## ")[1:]:
        folder = ROOT
        for found in re.findall(r"`((?:src/hamex/)?[\w/]+(?:\.py|/))`", part):
            place = CONTRIBUTING.parent / found if found.startswith("src") else ROOT / found
            if found.endswith("/"):
                folder = place
                assert folder.is_dir(), found
            else:
                places = (place, ROOT.parent / found, CONTRIBUTING.parent / found, folder / found)
                assert any(each.is_file() for each in places), found
