"""The front door: public names and how they are called.

Names are written once: a package's stub (``__init__.pyi``) lists them for editors and, read here, for Python. A name is
loaded when it is first used, so that ``import hamex`` stays cheap.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, ParamSpec, TypeVar

from hamex.errors import HamexError

_SMALL = 80  # dots an inch, in a notebook
Given = ParamSpec("Given")
Result = TypeVar("Result")


class Home(NamedTuple):
    """Where a public name lives: an attribute of a module or, for a namespace, a module in a package."""

    module: str
    name: str
    is_namespace: bool

    def load(self) -> Any:
        if self.is_namespace:
            return import_module(f"{self.module}.{self.name}")
        return getattr(import_module(self.module), self.name)


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package whose stub lies beside ``file``.

    What a stub imports from a namespace of its own is an alias: it works as any other name and is in ``__all__``, but
    ``dir`` leaves it to the namespace.

    Examples
    --------
    >>> import hamex as hx
    >>> "targets" in dir(hx), "asce7" in dir(hx), "asce7" in hx.__all__, hx.asce7 is hx.targets.asce7
    (True, False, True, True)
    """
    homes = read_stub(package, file)
    module = sys.modules[package]

    class Package(ModuleType):
        """Keeps a function where it stands: importing the module of the same name must not hide it."""

        def __setattr__(self, name: str, value: object) -> None:
            if isinstance(value, ModuleType) and name in homes and value.__name__ == homes[name].module:
                value = getattr(value, name)
                _write_types_plainly(value)
            super().__setattr__(name, value)

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}{_hint(name, homes)}")
        value = homes[name].load()
        _write_types_plainly(value)
        setattr(module, name, value)
        return value

    namespaces = {f"{home.module}.{home.name}" for home in homes.values() if home.is_namespace}
    listed = sorted(name for name, home in homes.items() if home.module not in namespaces)
    module.__class__ = Package
    return find, listed.copy, sorted(name for name, home in homes.items() if not home.is_namespace)


@cache
def read_stub(package: str, file: str) -> dict[str, Home]:
    """Homes of the public names of a package, by name."""
    stub = Path(file).with_suffix(".pyi")
    homes = {}
    for line in ast.parse(stub.read_text(encoding="utf-8")).body:
        match line:
            case ast.ImportFrom(module, names, level=1):
                within = stub.parent.joinpath(*(module or "").split("."))
                for alias in names:
                    found = within.is_dir() and (
                        (within / alias.name).is_dir() or (within / f"{alias.name}.py").exists()
                    )
                    home = Home(".".join(filter(None, (package, module))), alias.name, found)
                    homes[alias.asname or alias.name] = home
            case ast.Assign([ast.Name(name)], ast.Name(other)):  # type checkers take an import under its own name only
                homes[name] = homes.pop(other)
    return homes


def _hint(name: str, known: dict[str, Home]) -> str:
    if name.startswith("_"):  # Python and its tools ask for these, thousands of times
        return ""
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


class Shown:
    """A noun that can be seen. Pictures stand in a layer above the nouns, which ask for them at the front door."""

    def plot(self, title: str = "", *, interactive: bool = False, **options: Any) -> Any:
        """A figure of what this holds, of matplotlib or, ``interactive``, of plotly; see :func:`hamex.plot`."""
        return sys.modules["hamex"].plot(self, title, interactive=interactive, **options)

    def _repr_html_(self) -> str:
        """What a notebook shows: what ``print`` says and, where there is something to draw it with, a small picture."""
        from base64 import b64encode
        from html import escape
        from io import BytesIO

        said = f"<pre>{escape(repr(self))}</pre>"
        try:
            drawing = self.plot()
        except HamexError:
            return said
        picture = BytesIO()  # lines of a history are half a megabyte as paths, a tenth of it as a picture
        drawing.savefig(picture, format="png", dpi=_SMALL)
        data = b64encode(picture.getvalue()).decode()
        return f'{said}<img alt="{escape(repr(self), quote=True)}" src="data:image/png;base64,{data}">'


class TypeText(str):
    """An annotation as it is written in the source: ``help`` prints it without quotes, tools evaluate it as before."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _write_types_plainly(value: object) -> None:
    for function in _functions(value):
        for name, annotation in function.__annotations__.items():
            if isinstance(annotation, str):
                function.__annotations__[name] = TypeText(annotation)


def _functions(value: object) -> Iterator[FunctionType]:
    if isinstance(value, ModuleType):  # a namespace: what it holds by itself
        for name in getattr(value, "__all__", ()):
            yield from _functions(vars(value).get(name))
        return
    parts = vars(value).values() if isinstance(value, type) else (value,)
    for part in parts:
        inner = part.fget if isinstance(part, property) else getattr(part, "__func__", part)
        if isinstance(inner, FunctionType):
            yield inner


def options_by_keyword(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Let options that are keywords by our rule go by position all the same, in the order of the signature.

    The rule: what is required, and the first option, may go by position; every further option is a keyword. Calls
    that were written before it keep working.

    Examples
    --------
    >>> @options_by_keyword
    ... def beam(length, rigidity=1.0, *, mass=0.0):
    ...     return length, rigidity, mass
    >>> beam(2.0, 3.0, 4.0), beam(2.0, mass=4.0)
    ((2.0, 3.0, 4.0), (2.0, 1.0, 4.0))
    """
    code = function.__code__
    by_position = code.co_argcount
    options = code.co_varnames[by_position : by_position + code.co_kwonlyargcount]

    @wraps(function)
    def call(*given: Given.args, **named: Given.kwargs) -> Result:
        late = dict(zip(options, given[by_position:], strict=False))
        if not late or len(given) > by_position + len(options) or late.keys() & named.keys():
            return function(*given, **named)
        return function(*given[:by_position], **late, **named)  # type: ignore[arg-type]

    return call


def units_of(made: type | Callable[..., Any]) -> dict[str, str]:
    """Units of the parameters, from the brackets in their docstring; parameters that share two have them in turn.

    >>> from hamex.model.laws.hysteretic import Hysteretic
    >>> found = units_of(Hysteretic)
    >>> found["s1p"], found["e1p"], found["pinchX"]
    ('force', 'length', '')
    """
    import re

    found, meanings = {}, meanings_of(made)
    for name, said in meanings.items():
        if brackets := re.search(r"\[([^\]]+)\]", said):
            units = brackets[1].split(", ")
            same = [one for one, other in meanings.items() if other == said]
            own = brackets[1] if len(same) < len(units) else units[same.index(name) % len(units)]
            found[name] = "" if own == "1" else own
    return found


def meanings_of(made: type | Callable[..., Any]) -> dict[str, str]:
    """Words for the parameters, from the docstring of a function, or of a class and its bases.

    >>> from hamex.model.laws.power import PowerLaw
    >>> meanings_of(PowerLaw)["exponent"]
    'of the velocity, α > 0 [1]'
    """
    import inspect
    import re

    found: dict[str, str] = {}
    for base in reversed(made.__mro__[:-1]) if isinstance(made, type) else (made,):
        section = re.search(
            r"^(?:Parameters|Attributes)\n-+\n(.*?)(?:\n\n|\Z)",
            inspect.cleandoc(base.__doc__ or ""),
            re.DOTALL | re.MULTILINE,
        )
        entries = re.findall(r"^(\w[\w, ]*?) : (.*(?:\n +.*)*)", section[1], re.MULTILINE) if section else ()
        for names, words in entries:
            said = " ".join(words.split()).removesuffix(".")
            found |= dict.fromkeys(names.split(", "), said)
    return found
