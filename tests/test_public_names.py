"""The public names: each resolves, explains itself, and its examples run."""

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import hamex as hx

ROOT = Path(hx.__file__).parent
MODULES = sorted(
    ".".join(["hamex", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if path.stem != "__main__"
)


@pytest.mark.parametrize("name", hx.__all__)
def test_each_public_name_resolves_and_explains_itself(name):
    thing = getattr(hx, name)
    assert thing.__name__ == name
    text = thing.__doc__ or ""
    assert text.strip()
    assert not text.startswith(f"{name}("), "a dataclass without words of its own"


def test_the_list_of_names_is_complete_and_without_doubles():
    assert sorted(set(hx.__all__)) == hx.__all__ == sorted(hx._HOME)
    assert set(hx.__all__) <= set(dir(hx))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Sliders'"):
        _ = hx.Sliders


@pytest.mark.parametrize(
    "first",
    [
        "import hamex.solve",
        "import hamex as hx; hx.Problem",
        "import hamex as hx; hx.solve; import hamex.solve",
        "from hamex.solve import Problem",
        "from hamex import solve",
        "import hamex.solution.files, hamex.solve; from hamex import Solution",
        "import importlib; importlib.import_module('hamex.solve')",
    ],
)
def test_solve_stays_the_function_whatever_is_imported_first(first):
    check = (
        "import sys, types, hamex as hx; assert isinstance(hx.solve, types.FunctionType), hx.solve; "
        "assert isinstance(sys.modules['hamex.solve'], types.ModuleType); "
        "from hamex.solve import solve; assert solve is hx.solve"
    )
    subprocess.run([sys.executable, "-c", f"{first}\n{check}"], check=True)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_the_docstrings_run(module):
    loaded = importlib.import_module(module)
    result = doctest.testmod(sys.modules[loaded.__name__])
    assert result.failed == 0


def test_there_are_examples_to_run():
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = sum(len(test.examples) for name in MODULES for test in finder.find(importlib.import_module(name)))
    assert examples >= 20
