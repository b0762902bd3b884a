"""The house stays in order: no circles of imports, tests that mirror the tree, and additions that take the files that
CONTRIBUTING says."""

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import hamex
from hamex import schemes
from hamex.model import laws
from hamex.motion.records.read import FORMATS

ROOT = Path(hamex.__file__).parent
TESTS = Path(__file__).parent
CONTRIBUTING = TESTS.parent / "CONTRIBUTING.md"


def module_files():
    """Modules by their dotted names."""
    files = {".".join(("hamex", *file.relative_to(ROOT).with_suffix("").parts)): file for file in ROOT.rglob("*.py")}
    return {name.removesuffix(".__init__"): file for name, file in files.items()}


# What the source may grow to: lowered with every room that is finished, never raised.
LINES, STATEMENTS = 93_800, 56_300
WORDS = ("id", "attr", "name", "value", "module")  # fields of a node that may hold one


@cache
def read(file):
    """What a file imports anywhere, at its top, for types only, inside functions: modules, and names of them; and the
    words of its code: names, attributes, imports and short texts, but neither comments nor docstrings."""
    imports, words = [], set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            imports += [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            imports += [(alias.name, "") for alias in node.names]
        fields = vars(node)
        words.update(fields[name] for name in WORDS if name in fields and isinstance(fields[name], str))
    return imports, words


def imported(file, modules):
    """Modules that a file imports."""
    found = {f"{module}.{name}" if f"{module}.{name}" in modules else module for module, name in read(file)[0]}
    return found & set(modules) - {"hamex"}


def circle(modules):
    """The first circle of imports, or None."""
    graph = {name: imported(file, modules) - {name} for name, file in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return None


def test_the_source_stays_below_its_ceilings():
    texts = [file.read_text(encoding="utf-8") for file in module_files().values()]
    statements = sum(isinstance(node, ast.stmt) for text in texts for node in ast.walk(ast.parse(text)))
    assert sum(text.count("\n") for text in texts) <= LINES
    assert statements <= STATEMENTS


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


# ---------------------------------------------------------------------------------------------------- tests
def strangers(tests):
    """Folders below ``tests`` that mirror no folder of the package, and test files outside of any."""
    besides = {"docs", "shared"}
    of_the_house = {
        f"test_{name}.py" for name in ("benchmarks", "examples", "house", "layers", "manifest", "public_names")
    }
    folders = {file.parent.relative_to(tests) for file in tests.rglob("test_*.py")} - {Path()}
    found = {str(folder) for folder in folders if folder.parts[0] not in besides and not (ROOT / folder).is_dir()}
    return found | {file.name for file in tests.glob("*.py")} - of_the_house - {"conftest.py"}


def test_tests_mirror_the_tree():
    assert strangers(TESTS) == set()


def test_a_test_out_of_place_would_be_seen(tmp_path):
    for name in ("test_solve.py", "model/laws/test_gap.py", "chains/test_chain.py", "test_house.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert strangers(tmp_path) == {"test_solve.py", "chains"}


def test_random_examples_have_no_clock():
    """A machine that is busy with other things fails no test."""
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check
    told = re.compile(r"settings\([^)]*deadline=")
    assert [file.name for file in TESTS.rglob("test_*.py") if told.search(file.read_text(encoding="utf-8"))] == []


# ---------------------------------------------------------------------------------------------------- additions
@cache
def mentions():
    """Words of the code of every module; a stub is part of it."""
    return {
        name: set().union(*(read(part)[1] for part in (file, file.with_suffix(".pyi")) if part.exists()))
        for name, file in module_files().items()
    }


def mentioning(word):
    """Modules, by their names below ``hamex``, whose code has the word."""
    return {name.removeprefix("hamex").lstrip(".") for name, words in mentions().items() if word in words}


def home(thing):
    return thing.__module__.removeprefix("hamex.")


def below(word, *folders):
    return {name for name in mentioning(word) if name.split(".")[0] in folders}


def test_a_law_is_its_module_and_its_line():
    assert mentioning("Gap") == {"model.laws.gap", "model.laws"}
    assert {word for word in mentions()["hamex.model.laws.gap"] if word.startswith("hamex.")} <= {
        "hamex.model.laws.law",
        "hamex.errors",
        "hamex.checks",
    }


# Tests make laws of their own, in one worker before this module is read, in another behind it.
OURS = {law.__name__ for law in laws.known().values() if law.__module__.startswith("hamex.")}


@pytest.mark.parametrize("law", sorted(OURS))
def test_no_step_march_or_solution_knows_a_law_by_name(law):
    assert below(law, "march", "schemes", "problem", "solution", "solve") == set()


def test_a_scheme_is_its_module_and_its_line():
    """And a line in the laboratory's catalogue, if it is to be compared."""
    assert mentioning("GeneralisedAlpha") == {"schemes.implicit", "schemes", "lab.catalogue"}


@pytest.mark.parametrize("scheme", sorted(schemes.known()))
def test_schemes_are_asked_and_not_told_apart(scheme):
    used = {
        "QuasiStatic": {"solve.static", "spec"},
        "Galerkin": {"solve.batch"},
    }  # slow loading, and batches, run on one
    own = {"schemes", home(schemes.by_name(scheme))}
    assert below(scheme, "march", "schemes", "problem", "solution", "solve", "spec") - used.get(scheme, set()) == own


@pytest.mark.parametrize("name", FORMATS)
def test_a_record_format_is_its_functions_and_its_line(name):
    entry, table = FORMATS[name], "motion.records.read"
    assert mentioning(entry.read.__name__) == {home(entry.read), table}
    assert mentioning(entry.looks.__name__) == {home(entry.looks), table}


def test_a_builder_is_its_module_its_public_line_and_its_table():
    """And a file to begin with, if `hamex init` is to have one. Cases of verification call it as scripts do."""
    assert {name for name in mentioning("truss") if not name.startswith("verify.")} == {
        "model.truss",
        "",
        "spec.structures",
        "spec.tables",
        "cli.init",
    }
    assert mentioning("hamex.model.truss") - {""} == {"spec.structures"}


@pytest.mark.parametrize(
    "command", [file.stem for file in (ROOT / "cli").glob("*.py") if "\ndef command(" in file.read_text()]
)
def test_a_command_is_its_module_and_its_line(command):
    lines = (ROOT / "cli" / "__init__.py").read_text(encoding="utf-8").splitlines()
    assert sum(f'("{command}", "command")' in line for line in lines) == 1
    assert {name for name in mentioning(f"hamex.cli.{command}") if name.split(".")[0] != "cli"} == set()


def test_a_figure_is_its_function_and_its_reader():
    """And, if a noun's ``plot`` shows it, that verb."""
    assert mentioning("draw_record") == {"report.history", "report.plots"}
    assert mentioning("write_record_plot") == {"report.history", "cli.records"}
