"""One word and one colour for a thing, in results, reports, studio, command line and glossary."""

import re
from pathlib import Path

import pytest

import hamex
from hamex.cli import summary
from hamex.report.style import ENERGIES, variables
from hamex.solution import outline
from hamex.studio import history
from hamex.studio.home import modules, text

ROOT = Path(hamex.__file__).parent
DOCS = ROOT.parent.parent / "docs"
WORDS = {"input", "kinetic", "stored", "viscous", "plastic", "hardening", "jumps"}
# Other words for the same energies, as readers of other programs may expect them.
OTHERS = re.compile(
    r"lost in slip|lost by slip|hysteretic energy|strain energy|plastic work|plastically dissipated|"
    r"dissipated by damping|damping energy|viscous work|elastic energy|input energy",
    re.IGNORECASE,
)


def test_energies_have_the_same_words_everywhere():
    assert set(outline.ENERGIES) - {"imbalance", "residual"} == WORDS
    assert set(ENERGIES) == WORDS
    assert set(summary._ENERGIES) == WORDS
    assert set(history._ENERGIES) - {"imbalance"} == WORDS
    drawn = re.search(r"const ENERGIES = \[(.*?)\]", text("history/energy.js"))[1]
    assert {*re.findall(r'"(\w+)"', drawn), "input"} == WORDS
    glossary = (DOCS / "glossary.md").read_text(encoding="utf-8")
    assert all(f"| {word} |" in glossary for word in WORDS)
    assert all(f"--{word}: " in variables() for word in WORDS)


def said_to_readers():
    """Files whose texts readers see: reports, command line, the scripts of the page."""
    files = [*(ROOT / "report").rglob("*.py"), *(ROOT / "cli").glob("*.py")]
    found = {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in files}
    return found | {name: text(name) for name in (*modules("start.js"), *modules("history/classroom.js"))}


def test_no_door_calls_them_otherwise():
    assert {name: words for name, content in said_to_readers().items() if (words := OTHERS.findall(content))} == {}


@pytest.mark.parametrize(("length", "force"), [("m", "kN"), ("m", "N"), ("mm", "N"), ("ft", "lbf"), ("in", "kip")])
def test_masses_are_said_one_way(length, force):
    """The studio's script says what hamex says."""
    named = dict(re.findall(r'"(\w+ \w+)": "([^"]+)"', text("units.js").split("MASSES = ")[1].split("}")[0]))
    assert named.get(f"{length} {force}", f"{force} s²/{length}") == hamex.Units(length, force).mass
    doors = {name: content for name, content in said_to_readers().items() if name != "units.js"}
    written = re.compile(r"\}\s?[ ·]s²/\$?\{")
    assert [name for name, content in doors.items() if written.search(content)] == []
