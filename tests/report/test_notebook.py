"""The notebook with every noun, run cell by cell as Jupyter runs it: what stands last is shown."""

import ast
import json
import os
from pathlib import Path

import pytest

from hamex.report.page import page

pytest.importorskip("matplotlib")

NOTEBOOK = Path(__file__).parents[2] / "examples" / "every_noun.ipynb"


def shown(cells):
    """What each cell of code ends with, by its own source."""
    space, found = {"__name__": "__main__"}, []
    for cell in cells:
        tree = ast.parse(cell)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "notebook", "exec"), space)
        if last is not None:
            found.append(eval(compile(ast.Expression(last.value), "notebook", "eval"), space))
    return found


@pytest.fixture(scope="module")
def nouns():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return shown(["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"])


@pytest.mark.parametrize("apart", [3, pytest.param(1, marks=pytest.mark.heavy)])
def test_every_noun_shows_a_line_and_a_small_picture(nouns, apart):
    from hamex.report.plots import _PICTURES

    bodies = []
    assert max(len(repr(noun)) for noun in nouns) < 300
    for noun in nouns[::apart]:
        html = noun._repr_html_() if hasattr(noun, "_repr_html_") else f"<pre>{noun!r}</pre>"
        assert len(html) < 250_000
        assert ("data:image/png" in html) == (type(noun).__name__ in _PICTURES), noun
        bodies.append(f"<h2>{type(noun).__name__}</h2>{html}")
    left = set(_PICTURES) - {type(noun).__name__ for noun in nouns}
    assert left == {"FittedLaw", "IdaCurves", "LoadSum", "Scaling", "Selection", "StudyTable"}  # parts of what is shown
    folder = os.environ.get("HAMEX_SHOTS")
    if folder:  # to be looked at
        text = page("Every noun", "\n".join(bodies), kind="notebook")
        Path(folder, "every_noun.html").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("apart", [9, pytest.param(1, marks=pytest.mark.heavy)])
def test_every_picture_is_interactive_on_request(nouns, apart):
    """Curves of the figure, panel by panel, are traces with the same points."""
    import numpy as np

    from hamex.report.plots import _PICTURES

    folder = os.environ.get("HAMEX_SHOTS")
    shown = [each for each in nouns if type(each).__name__ in _PICTURES]
    for number, noun in list(enumerate(shown))[::apart]:
        drawing, moving = noun.plot("a title"), noun.plot("a title", interactive=True)
        panels = [axes for axes in drawing.axes if axes.get_visible()]
        for place, axes in enumerate(panels, start=1):
            own = [trace for trace in moving.data if trace.xaxis == f"x{'' if place == 1 else place}"]
            for line in axes.lines:
                if line.get_transform() == axes.transData:
                    points = np.asarray(line.get_xdata(), dtype=float)
                    assert any(np.array_equal(np.asarray(trace.x), points, equal_nan=True) for trace in own)
        words = " ".join(str(note.text) for note in moving.layout.annotations)
        assert all(axes.get_title(loc="left").split("$")[0].split("\n")[0] in words for axes in panels)
        if folder:
            name = f"interactive_{number:02}_{type(noun).__name__}.html"
            moving.write_html(Path(folder, name), include_plotlyjs="directory")
