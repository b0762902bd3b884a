"""Who may import whom, and which package may appear where: read from the source, function bodies included.

The tables are the section "Who may import whom" of the design, written out; folders that do not exist yet are listed.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hamex
from hamex.names import read_stub

ROOT = Path(hamex.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
HOMES = {name: home.module for name, home in read_stub("hamex", hamex.__file__).items()}

LOWER = {"model", "march", "motion", "schemes", "problem", "solution"}
MAY_IMPORT = {
    "errors": set(),
    "names": set(),
    "checks": set(),
    "files": set(),
    "principle": set(),
    "model": set(),
    "march": set(),
    "motion": {"model", "march"},
    "schemes": {"model", "march", "motion", "problem"},
    "problem": {"model", "motion"},
    "solution": {"model", "motion", "march", "schemes", "problem"},
    "solve": LOWER,
    "simulate": {"principle", "model", "schemes", "solve", "solution"},
    "study": {"solve", *LOWER},
    "lab": {"solve", *LOWER},
    "report": {"solution", "study", "lab", "principle"},
    "paper": {"principle", "simulate", "solve", "study", "report", *LOWER},
    "spec": {"solve", "study", *LOWER},
    "verify": {"principle", "simulate", "solve", "study", "lab", "report", "paper", *LOWER},
    "cli": {"principle", "simulate", "solve", "study", "lab", "report", "paper", "spec", "verify", "studio", *LOWER},
    "studio": {"principle", "simulate", "solve", "study", "report", "paper", "spec", *LOWER},
}
EVERYWHERE = set(MAY_IMPORT)
FROM_SOLUTION_UP = EVERYWHERE - {
    "errors",
    "checks",
    "files",
    "principle",
    "model",
    "march",
    "motion",
    "schemes",
    "problem",
    "solve",
}
PACKAGES = {
    "numpy": EVERYWHERE,
    "scipy": EVERYWHERE - {"march"},
    "mpmath": {"principle"},  # what SymPy computes with
    "sympy": {"principle", "report", "paper"},  # above principle, to write and to audit what it derives
    "numba": {"march"},
    "llvmlite": {"march"},
    "xarray": FROM_SOLUTION_UP,
    "pandas": set(),
    "h5netcdf": {"solution"},
    "h5py": {"solution"},
    "xlsxwriter": {"solution"},
    "polars": {"study", "report", "cli"},
    "dask": {"study"},
    "distributed": {"study"},
    "matplotlib": {"report", "paper"},
    "plotly": {"report", "paper"},
    "ziamath": {"report", "paper"},
    "PIL": {"report"},
    "pydantic": {"spec", "studio"},
    "pydantic_core": {"spec"},
    "typer": {"cli"},
    "rich": {"cli"},
    "fastapi": {"studio"},
    "starlette": {"studio"},
    "uvicorn": {"studio"},
    "tomli_w": {"studio"},
    "skfem": {"model"},
    "meshio": {"model", "solution"},
    "obspy": {"motion"},
    "openseespy": {"paper"},
}


def layer_of(module: str) -> str:
    """``hamex.march.run`` → ``march``."""
    return module.split(".")[1]


def imported(source: str, package: str) -> set[str]:
    """Dotted names of all that a source imports, wherever it stands; ``package`` resolves relative imports."""
    names: set[str] = set()
    roots: set[str] = set()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names if alias.name != "hamex"}
            roots |= {alias.asname or "hamex" for alias in node.names if alias.name.split(".")[0] == "hamex"}
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parts, *([node.module] if node.module else [])])
            names |= {f"{base}.{alias.name}" for alias in node.names} if base == "hamex" else {base}
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in (
            "import_module",
            "__import__",
        ):
            names |= {arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant)}
    for node in ast.walk(tree):  # import hamex as hx … hx.Slider
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in roots:
            names.add(f"hamex.{node.attr}")
    return names


def violations(source: str, module: str, is_package: bool = False) -> list[str]:
    """What a module of ours imports and may not."""
    here = layer_of(module)
    found = []
    for name in sorted(imported(source, module if is_package else module.rpartition(".")[0])):
        top, _, rest = name.partition(".")
        if top in sys.stdlib_module_names or rest in ("__version__", "__all__"):
            continue
        if top != "hamex":
            if here not in PACKAGES.get(top, set()):
                found.append(name)
            continue
        first = rest.partition(".")[0]
        layer = layer_of(HOMES.get(first, name)) if first not in MAY_IMPORT else first
        if layer not in {here, "errors", "checks", "files", "names"} | MAY_IMPORT[here]:
            found.append(name)
    return found


def module_name(path: Path) -> str:
    parts = ["hamex", *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] in ("__init__", "__main__") else parts)


@pytest.mark.parametrize(
    "path", [f for f in FILES if f.parent != ROOT or f.stem not in ("__init__", "__main__")], ids=module_name
)
def test_a_module_imports_only_what_lies_below_it(path):
    name = module_name(path)
    assert layer_of(name) in MAY_IMPORT, f"{name} is in no layer of the design"
    assert violations(path.read_text(encoding="utf-8"), name, path.stem == "__init__") == []


def test_no_layer_reaches_itself_through_others():
    def below(layer, seen=()):
        assert layer not in seen, f"circle: {(*seen, layer)}"
        return {layer}.union(*(below(lower, (*seen, layer)) for lower in MAY_IMPORT[layer]))

    assert set().union(*(below(layer) for layer in MAY_IMPORT)) == EVERYWHERE


@pytest.mark.parametrize("leaf", ["names.py", "errors.py", "checks.py", "files.py"])
def test_what_every_layer_may_import_imports_none_itself(leaf):
    """NumPy is loaded by the functions that need it; what starts the program does not (tests/cli/test_startup.py)."""
    found = imported((ROOT / leaf).read_text(encoding="utf-8"), "hamex")
    assert {name for name in found if name.split(".")[0] not in (*sys.stdlib_module_names, "numpy")} <= {
        "hamex.errors",
        "hamex.errors.ProblemError",
    }


def test_the_package_itself_imports_nothing_until_a_name_is_asked_for():
    found = imported((ROOT / "__init__.py").read_text(encoding="utf-8"), "hamex")
    assert found <= {"hamex.names", "hamex.names.attach"}


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("hamex.model.laws.law", "def f():\n    import sympy"),
        ("hamex.model.laws.law", "from hamex.march.run import march"),
        ("hamex.model.laws.law", "from hamex import Galerkin"),
        ("hamex.model.laws.law", "import hamex as hx\ndef f():\n    return hx.Galerkin"),
        ("hamex.model.laws.law", "import hamex\ndef f():\n    return hamex.solve"),
        ("hamex.model.laws.law", "from ...march import run"),
        ("hamex.model.laws.law", "from ... import march"),
        ("hamex.motion.load", "import hamex.schemes"),
        ("hamex.march.oscillator", "from scipy.linalg import expm"),
        ("hamex.schemes.prepare", "if TYPE_CHECKING:\n    import numba"),
        ("hamex.solve", "import importlib\nimportlib.import_module('xarray')"),
        ("hamex.solution.energy", "from hamex.solve import solve"),
        ("hamex.problem", "from hamex.solution.solution import Solution"),
        ("hamex.problem", "from hamex.schemes import Scheme"),
        ("hamex.schemes", "from hamex import Solution"),
        ("hamex.report.figures", "from hamex.paper import opensees"),
        ("hamex.model.laws.law", "import somebody_elses_package"),
    ],
)
def test_the_reader_of_imports_sees_each_way_to_break_the_rule(module, source):
    assert violations(source, module)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("hamex.solve", "from hamex import __version__\nfrom hamex.errors import ProblemError"),
        ("hamex.model.oscillator", "import math\nimport numpy as np\nfrom hamex.model.laws.slider import Slider"),
        ("hamex.model.oscillator", "from . import law\nfrom .law import Slider"),
        ("hamex.paper.table", "import hamex as hx\nhx.solve\nhx.Slider\nimport matplotlib.pyplot"),
        ("hamex.spec", "from hamex import Problem\nimport pydantic"),
        ("hamex.solution.source", "from hamex import Problem\nfrom hamex.schemes import Scheme"),
    ],
)
def test_the_reader_of_imports_lets_pass_what_the_design_allows(module, source):
    assert violations(source, module) == []


SMALL_JOB = """
import sys
import hamex.solve
import hamex as hx
law = hx.Slider(yield_force=0.27, viscosity=1.5, kinematic=3.0)
model = hx.oscillator(mass=1, stiffness=225, damping=hx.ratio(0.05), law=law)
sol = hx.solve(hx.Problem(model, hx.el_centro().on(model, g=1.0), duration=2.0), hx.Galerkin(step=0.02))
assert sol.values("slip").any() and sol.residual < 1e-12 and sol.peaks and sol.final and sol.provenance
print(*sorted({name.split(".")[0] for name in sys.modules}))
"""


def test_a_small_job_loads_no_heavy_package():
    done = subprocess.run([sys.executable, "-c", SMALL_JOB], capture_output=True, text=True, check=True)
    heavy = {
        "sympy",
        "numba",
        "xarray",
        "matplotlib",
        "scipy",
        "pandas",
        "h5netcdf",
        "h5py",
        "pydantic",
        "typer",
        "rich",
        "plotly",
    }
    assert heavy & set(done.stdout.split()) == set()
    assert {"hamex", "numpy"} <= set(done.stdout.split())


def test_importing_the_package_alone_loads_not_even_numpy():
    code = "import sys, hamex; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "numpy" not in done.stdout.split()
