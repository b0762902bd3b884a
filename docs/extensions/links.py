"""Links to public names, to files beside the documentation, and to what is not explained here.

Docstrings refer to each other by short names and by the modules they live in; a reader of the site knows neither, so
that a reference is followed to the public name of the same object.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

import hamex
from extensions import names

BESIDE = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}


def _follow(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: Any) -> Any:
    """A reference that Sphinx itself cannot resolve."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    found = _public_name(target)
    if found is not None and (known := env.get_domain("py").objects.get(f"hamex.{found}")):
        return make_refnode(app.builder, node["refdoc"], known.docname, known.node_id, content)
    if not isinstance(content, nodes.literal) or _exists(target):
        return content  # a type in a signature, or a part of the package that has no page
    return None


def _public_name(target: str) -> str | None:
    """``Slider``, ``hamex.model.laws.slider.Slider`` and ``Solution.save`` by their public names."""
    for cut in range(target.count(".") + 1):
        parts = target.split(".")[cut:]
        for name in (".".join(parts), *(f"{space}.{parts[0]}" for space in names.spaces() if len(parts) == 1)):
            if name in names.public():
                return name
            if parts[0] in names.public() and len(parts) == 2 and hasattr(names.public()[parts[0]], parts[1]):
                return name
    return None


def _exists(target: str) -> bool:
    """Whether the package has it somewhere."""
    parts = target.split(".")
    if parts[0] != "hamex":
        return False
    for count in range(len(parts), 0, -1):
        try:
            thing: Any = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            thing = getattr(thing, part, None)
        return thing is not None and thing is not hamex
    return False


def _beside(app: Sphinx, page: Any, parent: str, content: list[str]) -> None:
    """Text of a file at the top of the repository: its links are followed from ``docs/``."""
    up = "../" * parent.count("/")
    text = re.sub(r"\]\(docs/", f"]({up}", content[0])
    for file, own in BESIDE.items():
        text = text.replace(f"]({file})", f"]({up}{own})")
    content[0] = re.sub(r"\[([^\]]*)\]\(CITATION\.cff\)", r"`\1`", text)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("missing-reference", _follow)
    app.connect("include-read", _beside)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
