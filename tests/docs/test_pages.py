"""The documentation: every name is explained once, every page is reached, every block is filled from the package."""

import doctest
import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest
from extensions import examples, layers, names, problem_files

import hamex as hx

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md"))


def toctrees(page):
    """Pages that the toctrees of a page lead to."""
    blocks = re.findall(r"^```\{toctree\}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    entries = [line for block in blocks for line in block.split("\n") if line.strip() and not line.startswith(":")]
    return [(page.parent / f"{entry}.md").resolve() for entry in entries]


def test_every_page_is_in_one_toctree_below_the_front_page():
    seen, queue = [DOCS / "index.md"], [DOCS / "index.md"]
    while queue:
        found = toctrees(queue.pop())
        seen += found
        queue += found
    assert sorted(seen) == PAGES


def test_every_public_name_is_explained_on_one_page_that_the_index_lists():
    listed = [name for page in names.listed().values() for name in page]
    assert sorted(listed) == sorted(names.public()), "put it into one {names} block of docs/reference/"
    index = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```\{name-index\}\n(.*?)^```", index, re.M | re.S)
    assert sorted(block.split()) == sorted(page for page, found in names.listed().items() if found)
    assert {f"hx.{name}" for name in names.public()} <= set(re.findall(r"`(hx\.[\w.]+)`", names.index(block)))


def test_the_front_page_leads_to_the_index_of_names():
    assert "(reference/index.md)" in (DOCS / "index.md").read_text(encoding="utf-8")


def test_the_public_names_are_those_of_the_package_and_its_namespaces():
    assert set(hx.__all__) <= set(names.public())
    assert "laws.Gap" in names.public()
    assert "laws.Slider" not in names.public()  # hx.Slider is the same
    assert set(names.spaces()) == {"laws", "links", "meshes", "motions", "regions", "schemes", "targets"}


@pytest.mark.parametrize("name", names.public())
def test_each_public_name_has_an_example(name):
    """They are run by test_public_names.py, with those of all modules."""
    assert doctest.DocTestParser().get_examples(names.public()[name].__doc__ or "")


def test_every_example_stands_on_one_page():
    shown = [
        name.strip()
        for page in PAGES
        for name in re.findall(r"^```\{example\}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    ]
    assert sorted(shown) == sorted(path.stem for path in examples.FOLDER.glob("*.py"))


# ---------------------------------------------------------------------------------------------------- problem files
@pytest.fixture(scope="module")
def problem_page():
    return problem_files.problem("")


def test_the_page_of_problem_files_knows_every_kind_of_law_and_scheme(problem_page):
    for kind in (kind for kind in hx.laws.known() if ":" not in kind):  # others are those of tests
        assert f'kind = "{kind}"' in problem_page
    for kind in ("galerkin", "newmark", "discontinuous_galerkin", "shear_frame", "truss", "frame", "oscillator"):
        assert f'kind = "{kind}"' in problem_page


def test_the_page_of_problem_files_has_every_key_of_the_examples(problem_page):
    known = {"kind", *re.findall(r"^`(\w+)` \(", problem_page, re.M)}
    for path in sorted((examples.FOLDER / "problems").glob("*.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        assert set(data) <= known | {"model"}, path.name
        for table in ("model", "units", "scheme", "limit"):
            assert set(data.get(table, ())) <= known, path.name


def test_defaults_and_meanings_are_those_of_the_constructors(problem_page):
    newmark = problem_page.partition('`[scheme]` with `kind = "newmark"`')[2].partition("\n## ")[0]
    assert "`beta` (number, by default `0.25`)" in newmark
    assert "`step` (number, **needed**)" in newmark


def test_every_key_has_a_meaning(problem_page):
    rows = re.findall(r"^`(\w+)` \(.*\)\n:(.*)$", problem_page + problem_files.study(""), re.M)
    assert len(rows) > 200
    assert [key for key, meaning in rows if not meaning.strip()] == []


# ---------------------------------------------------------------------------------------------------- architecture
@pytest.fixture(scope="module")
def found():
    """The layers of the package; to read all its imports takes seconds."""
    return layers.layers()


def test_the_picture_has_a_box_for_every_folder_and_lines_that_go_down(found):
    folders = {path.name for path in layers.ROOT.iterdir() if (path / "__init__.py").exists()}
    assert folders <= set(found)
    drawn = layers.picture(found)
    assert all(f">{name}</text>" in drawn for name in set(found) - layers.foundations(found))
    level = layers.heights(found)
    assert all(level[lower] < level[name] for name, layer in found.items() for lower in layer.below)


def test_lines_and_the_paths_along_them_are_all_imports(found):
    lines = layers.direct(found)

    def along(name):
        return set(lines[name]).union(*(along(lower) for lower in lines[name]))

    assert all(along(name) == layers.reach(found, name) for name in found)


def test_the_reader_of_imports_sees_a_planted_one(tmp_path):
    for name, text in {"low": "", "high": "", "middle": '"""In between."""\nfrom ..low import x\nimport numpy'}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(text)
    (tmp_path / "high" / "deep.py").write_text("def f():\n    from hamex.middle import y\n    import hamex.low.z\n")
    (tmp_path / "leaf.py").write_text("import os\n")
    found = layers.layers(tmp_path)
    assert {name: set(layer.below) for name, layer in found.items()} == {
        "low": set(),
        "middle": {"low"},
        "high": {"low", "middle"},
        "leaf": set(),
    }
    assert layers.direct(found)["high"] == {"middle"}
    assert found["middle"].packages == {"numpy"}
    assert found["middle"].words == "In between."
    assert layers.foundations(found) == {"leaf"}


# ---------------------------------------------------------------------------------------------------- the site
class References(HTMLParser):
    """Identifiers, and what a page loads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.loads = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids.add(given.get("id"))
        if tag in ("script", "img", "iframe") and given.get("src"):
            self.loads.append(given["src"])
        if tag == "link" and given.get("rel") == "stylesheet":
            self.loads.append(given["href"])


@pytest.mark.heavy
def test_the_site_is_built_without_warnings_and_loads_nothing_from_elsewhere(tmp_path):
    pytest.importorskip("sphinx")
    command = [sys.executable, "-m", "sphinx", "-E", "-n", "-W", "--keep-going", "-q", "-b", "html", DOCS, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    pages = {path: References(path.read_text(encoding="utf-8")) for path in tmp_path.rglob("*.html")}
    assert len(pages) >= len(PAGES)
    loads = {url for page in pages.values() for url in page.loads}
    assert {url for url in loads if url.startswith(("http", "//"))} == set()
    for page, listed in names.listed().items():
        ids = pages[tmp_path / "reference" / f"{page}.html"].ids
        assert {f"hamex.{name}" for name in listed} <= ids
