"""The layers of the package and who imports whom, read from its sources and drawn.

No list of modules stands here: the folders say which layers there are, their imports (those for types and those within
functions included) where each of them stands.
"""

from __future__ import annotations

import ast
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import combinations, pairwise
from pathlib import Path

import hamex
from extensions.text import markdown, table
from hamex.names import read_stub

ROOT = Path(hamex.__file__).parent
TRIES = 20
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")  # fields that hold statements
WIDTH, HEIGHT, GAP, RISE = 108, 34, 22, 30  # of a box, and the free space beside and below it


@dataclass(frozen=True)
class Layer:
    """A folder, or a module, right below the package.

    Attributes
    ----------
    name, folder : of the folder; False for a module.
    files, lines : how much it is.
    words : first sentence of its docstring.
    below : layers that it imports.
    packages : packages of others that it imports.
    """

    name: str
    folder: bool
    files: int
    lines: int
    words: str
    below: frozenset[str]
    packages: frozenset[str]


def layers(root: Path = ROOT) -> dict[str, Layer]:
    """Every layer below the package at ``root``, by name."""
    folders = [path for path in root.iterdir() if (path / "__init__.py").exists()]
    modules = [path for path in root.glob("*.py") if not path.stem.startswith("_")]
    places = {path.stem: path for path in sorted([*folders, *modules])}
    return {name: _layer(name, path, set(places)) for name, path in places.items()}


def _layer(name: str, path: Path, known: set[str]) -> Layer:
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    sources = {file: file.read_text("utf-8") for file in files}
    own, others = set(), set()
    for file, source in sources.items():
        for dotted in _imported(source, ["hamex", *file.relative_to(path.parent).parts[:-1]]):
            first, _, rest = dotted.partition(".")
            if first == "hamex":
                own.add(_home(rest, known))
            elif first not in _STANDARD:
                others.add(first)
    doc = ast.get_docstring(ast.parse(sources[path / "__init__.py" if path.is_dir() else path])) or ""
    return Layer(
        name,
        path.is_dir(),
        len(files),
        sum(text.count("\n") for text in sources.values()),
        " ".join(doc.partition("\n\n")[0].split()),
        frozenset(own & known - {name}),
        frozenset(others),
    )


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements below a node; their expressions, which are nine nodes of ten, are passed over."""
    for name in _BODIES:
        for below in getattr(tree, name, ()):
            if isinstance(below, ast.stmt):
                yield below
            yield from statements(below)


def _imported(source: str, package: list[str]) -> set[str]:
    """Dotted names of what a source imports, wherever it does."""
    found = set()
    for node in statements(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            dotted = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{dotted}.{alias.name}" for alias in node.names}
    return found


def _home(rest: str, known: set[str]) -> str:
    """``march.run`` → ``march``; a public name → the layer it lives in."""
    first = rest.partition(".")[0]
    if first in known or not first:
        return first
    home = read_stub("hamex", hamex.__file__).get(first)
    return home.module.split(".")[1] if home else ""


def direct(found: dict[str, Layer]) -> dict[str, set[str]]:
    """Imports without those that a layer in between makes already: what is worth a line."""
    return {
        name: layer.below - set().union(*(reach(found, each) for each in layer.below)) for name, layer in found.items()
    }


def reach(found: dict[str, Layer], name: str) -> set[str]:
    """All layers that a layer imports, through others too."""
    return set(found[name].below).union(*(reach(found, each) for each in found[name].below))


def heights(found: dict[str, Layer]) -> dict[str, int]:
    """How many layers stand below each of them, at most."""

    def height(name: str) -> int:
        return max((1 + height(each) for each in found[name].below), default=0)

    return {name: height(name) for name in found}


def foundations(found: dict[str, Layer]) -> set[str]:
    """Single modules that import no folder: everybody may use them, so that they get no lines."""
    single = {name for name, layer in found.items() if not layer.folder}
    return {name for name in single if reach(found, name) <= single}


def picture(found: dict[str, Layer]) -> str:
    """The layers as SVG: imports go down, and a line stands for what is not told by the lines below it."""
    ground = foundations(found)
    upper = {
        name: Layer(**{**vars(layer), "below": layer.below - ground})
        for name, layer in found.items()
        if name not in ground
    }
    level, lines = heights(upper), direct(upper)
    rows, chains = _rows(level, lines)
    _untangle(rows, chains)
    wide = max(len(row) for row in rows) * (WIDTH + GAP)
    place = {
        node: ((number + 0.5) * (WIDTH + GAP), (len(rows) - 1 - height) * (HEIGHT + RISE) + 2)
        for height, row in enumerate(rows)
        for number, node in enumerate(row)
    }
    tall = len(rows) * (HEIGHT + RISE) + HEIGHT + 4
    parts = [f'<path d="{_curve([place[node] for node in chain])}"/>' for chain in chains]
    parts += [_box(name, *place[name], upper[name].words) for name in upper]
    parts += [
        f'<rect x="2" y="{tall - HEIGHT - 2}" width="{wide - 4:g}" height="{HEIGHT}" rx="5" class="ground"/>',
        f'<text x="{wide / 2:g}" y="{tall - HEIGHT / 2 + 2.5:g}">{", ".join(sorted(ground))}: for all</text>',
    ]
    said = 'role="img" aria-label="Layers of hamex; each imports only what stands below it."'
    size = f'viewBox="0 0 {wide:g} {tall:g}" width="{wide:g}"'
    return f'<div class="layers"><svg {size} {said}>{"".join(parts)}</svg></div>'


def _rows(level: dict[str, int], lines: dict[str, set[str]]) -> tuple[list[list[str]], list[list[str]]]:
    """Boxes by height, and lines as chains of places: a long line gets a place in every row that it crosses."""
    rows: list[list[str]] = [[] for _ in range(max(level.values()) + 1)]
    for name in sorted(level):
        rows[level[name]].append(name)
    chains = []
    for name, below in sorted(lines.items()):
        for lower in sorted(below):
            between = [f"{name}→{lower}@{height}" for height in range(level[name] - 1, level[lower], -1)]
            for node in between:
                rows[int(node.rpartition("@")[2])].append(node)
            chains.append([name, *between, lower])
    return rows, chains


def _untangle(rows: list[list[str]], chains: list[list[str]]) -> None:
    """Swap neighbours in a row as long as lines cross less often, or run straighter."""
    steps = [pair for chain in chains for pair in pairwise(chain)]

    def cost() -> tuple[int, int]:
        where = {node: number for row in rows for number, node in enumerate(row)}
        height = {node: number for number, row in enumerate(rows) for node in row}
        crossing = sum(
            (where[a] - where[c]) * (where[b] - where[d]) < 0
            for (a, b), (c, d) in combinations(steps, 2)
            if height[a] == height[c]
        )
        return crossing, sum((where[a] - where[b]) ** 2 for a, b in steps)

    def settle() -> tuple[int, int]:
        best, improved = cost(), True
        while improved:
            improved = False
            for row in rows:
                for one, other in combinations(range(len(row)), 2):
                    row[one], row[other] = row[other], row[one]
                    if cost() < best:
                        best, improved = cost(), True
                    else:
                        row[one], row[other] = row[other], row[one]
        return best

    chance = random.Random(0)
    found = []
    for _ in range(TRIES):
        found.append((settle(), [row.copy() for row in rows]))
        for row in rows:
            chance.shuffle(row)
    rows[:] = min(found)[1]


def _curve(points: list[tuple[float, float]]) -> str:
    (x, y), *rest = points
    made = f"M{x:.1f} {y + HEIGHT:.1f}"
    y += HEIGHT
    for place, (to_x, to_y) in enumerate(rest):
        middle = (y + to_y) / 2
        made += f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
        x, y = to_x, to_y + (HEIGHT if place < len(rest) - 1 else 0)
        made += f"V{y:.1f}" if place < len(rest) - 1 else ""
    return made


def _box(name: str, x: float, y: float, words: str) -> str:
    return (
        f"<g><title>{escape(words)}</title>"
        f'<rect x="{x - WIDTH / 2:.1f}" y="{y:.1f}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>'
        f'<text x="{x:.1f}" y="{y + HEIGHT / 2 + 4.5:.1f}">{escape(name)}</text></g>'
    )


@cache
def _found() -> dict[str, Layer]:
    return layers()


def section(text: str) -> str:
    """The picture and the table, from the top down."""
    found = _found()
    level = heights(found)
    rows = [
        (
            f"`{name}`",
            markdown(layer.words),
            str(layer.files),
            f"{layer.lines:,}",
            ", ".join(f"`{each}`" for each in sorted(layer.packages)),
        )
        for name, layer in sorted(found.items(), key=lambda pair: (-level[pair[0]], pair[0]))
    ]
    return f"{picture(found)}\n\n" + table(("layer", "what it is", "files", "lines", "packages of others"), rows)


_STANDARD = sys.stdlib_module_names
