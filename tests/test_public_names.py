"""The public names: each resolves, explains itself, and its examples run."""

import doctest
import importlib
import inspect
import subprocess
import sys
import typing
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace

import pytest

import hamex as hx

ROOT = Path(hx.__file__).parent
MODULES = sorted(
    ".".join(["hamex", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if path.stem != "__main__"
)


NAMESPACES = {name: getattr(hx, name) for name in dir(hx) if isinstance(getattr(hx, name), ModuleType)}
LISTED = {f"hx.{name}": getattr(hx, name) for name in hx.__all__} | {
    f"hx.{space}.{name}": getattr(module, name) for space, module in NAMESPACES.items() for name in dir(module)
}


def functions(thing):
    """A public function, or the public methods and the constructor of a class, by name."""
    parts = {"": thing}
    if isinstance(thing, type):
        parts = {f".{name}": part for name, part in vars(thing).items() if name[0] != "_" or name == "__init__"}
    for name, part in parts.items():
        inner = part.fget if isinstance(part, property) else getattr(part, "__func__", part)
        if isinstance(inner, FunctionType):
            yield name, inner


@pytest.mark.parametrize("name", LISTED)
def test_each_public_name_resolves_and_explains_itself(name):
    thing = LISTED[name]
    assert thing.__name__ == name.rpartition(".")[2]
    text = thing.__doc__ or ""
    assert text.strip()
    assert not text.startswith(f"{thing.__name__}("), "a dataclass without words of its own"


def test_the_front_door_shows_public_names_and_nothing_else():
    assert list(NAMESPACES) == ["laws", "links", "meshes", "motions", "regions", "schemes", "targets"]
    assert set(dir(hx)) <= {*hx.__all__, *NAMESPACES}
    behind = {name for name in hx.__all__ if name not in dir(hx)}
    assert all(any(getattr(space, name, None) is getattr(hx, name) for space in NAMESPACES.values()) for name in behind)
    assert {"asce7", "viscous_damper", "Inventory", "sine", "LeapFrog", "Surface"} <= behind
    assert {"Slider", "Galerkin", "el_centro", "solve", "targets"} <= set(dir(hx))


@pytest.mark.parametrize("space", NAMESPACES)
def test_a_namespace_completes_to_what_is_public_in_it(space):
    for name in dir(NAMESPACES[space]):
        home = getattr(NAMESPACES[space], name).__module__
        assert home.startswith(NAMESPACES[space].__name__), f"{name} is at home in {home}"


@pytest.mark.parametrize("name", LISTED)
def test_signatures_print_types_without_quotes_and_can_be_evaluated(name):
    for part, function in functions(LISTED[name]):
        for argument, annotation in function.__annotations__.items():
            assert repr(annotation)[0] not in "'\"", f"{name}{part}({argument})"
        if part in ("", ".__init__"):  # methods may name what is loaded when they are called
            typing.get_type_hints(function)


@pytest.mark.parametrize("name", LISTED)
def test_what_is_required_and_one_option_go_by_position_and_the_rest_by_keyword(name):
    for part, function in functions(LISTED[name]):
        if part == ".__init__":
            continue  # data: every field by position or by keyword, in the order of the class
        arguments = inspect.signature(function).parameters.values()
        by_position = [one for one in arguments if one.kind is one.POSITIONAL_OR_KEYWORD]
        assert len([one for one in by_position if one.default is not one.empty]) <= 1, f"{name}{part}"


def test_calls_from_before_the_rule_work():
    law = hx.Slider(0.3)
    old, new = hx.oscillator(1.0, 225.0, 1.5, law, hx.Units("m", "kN")), hx.oscillator(1.0, 225.0, damping=1.5, law=law)
    assert old.laws["slider"].parameters["yield_force"] == new.laws["slider"].parameters["yield_force"] == [0.3]
    assert old.units == hx.Units("m", "kN") != new.units
    with pytest.raises(TypeError, match="positional"):
        hx.oscillator(1.0, 225.0, 1.5, law, hx.Units("m", "kN"), 7)
    with pytest.raises(TypeError, match=r"multiple values|positional"):
        hx.oscillator(1.0, 225.0, 1.5, law, law=law)


def test_python_runs_the_package():
    done = subprocess.run([sys.executable, "-m", "hamex", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"hamex {hx.__version__}"


def test_type_checkers_read_the_package():
    assert (ROOT / "py.typed").exists()


@pytest.mark.parametrize(("wrong", "right"), [("Sliders", "Slider"), ("oscilator", "oscillator")])
def test_an_unknown_name_is_an_attribute_error(wrong, right):
    with pytest.raises(AttributeError, match=f"no attribute '{wrong}'; did you mean '{right}'"):
        getattr(hx, wrong)


@pytest.mark.parametrize(
    "first",
    [
        "import hamex.solve",
        "import hamex as hx; hx.solve; import hamex.solve",
        *(
            pytest.param(other, marks=pytest.mark.heavy)
            for other in (
                "import hamex as hx; hx.Problem",
                "from hamex.solve import Problem",
                "from hamex import solve",
                "import hamex.solution.files, hamex.solve; from hamex import Solution",
                "import importlib; importlib.import_module('hamex.solve')",
            )
        ),
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
def test_the_examples_in_the_docstrings_run(module, monkeypatch):
    from hamex.march import run

    # Short runs go uncompiled, as for a reader who starts Python: what other tests have loaded is not seen.
    monkeypatch.setattr(run, "sys", SimpleNamespace(modules={}))
    loaded = importlib.import_module(module)
    result = doctest.testmod(sys.modules[loaded.__name__])
    assert result.failed == 0


def test_there_are_examples_to_run():
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = sum(len(test.examples) for name in MODULES for test in finder.find(importlib.import_module(name)))
    assert examples >= 20
