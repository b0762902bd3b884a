"""``hamex schemes``: the door is thin; the laboratory behind it has its own tests."""

import json
import subprocess
import sys

import pytest
from every_page import laboratory

from hamex import lab
from hamex.cli import main


@pytest.fixture(scope="module")
def small():
    return laboratory("wilson", "bathe")


@pytest.fixture
def quick(monkeypatch, small):
    """The command over two schemes; keeps what it asked for."""
    asked = []
    monkeypatch.setattr(lab, "everything", lambda **options: asked.append(options) or small)
    return asked


def run(*arguments):
    with pytest.raises(SystemExit) as end:
        main(["schemes", *map(str, arguments)])
    return end.value.code


def test_the_screen_is_a_table(quick, capsys):
    assert run() == 0
    out = capsys.readouterr().out
    assert "Wilson" in out
    assert "Bathe" in out
    assert quick[0]["work"] is False, "times are taken only where they are shown"


@pytest.mark.parametrize(
    "endings", [("png", "json"), pytest.param(("html", "png", "json"), marks=pytest.mark.heavy)], ids=len
)
def test_files_are_written_and_named(quick, tmp_path, capsys, endings):
    paths = {ending: tmp_path / f"a.{ending}" for ending in endings}
    assert run(*(word for ending, path in paths.items() for word in (f"--{ending}", path))) == 0
    assert all(path.stat().st_size > 1000 for path in paths.values())
    assert str(paths[endings[0]]) in capsys.readouterr().out
    assert quick[0]["work"] is True


def test_json_alone_on_the_screen(quick, capsys):
    assert run("--json", "-") == 0
    assert [scheme["key"] for scheme in json.loads(capsys.readouterr().out)["schemes"]] == ["wilson", "bathe"]


def test_a_file_that_cannot_be_written_is_refused_before_any_work(quick, tmp_path, capsys):
    assert run("--html", tmp_path / "none" / "a.html") == 2
    assert "does not exist" in capsys.readouterr().err
    assert quick == []


def test_help_loads_no_arrays():
    code = (
        "import sys\nfrom hamex.cli import main\ntry:\n    main(['schemes', '--help'])\nfinally:\n"
        "    print('numpy' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "False"


@pytest.mark.heavy
def test_the_whole_laboratory(tmp_path, capsys):
    assert run("--html", tmp_path / "a.html", "--json", tmp_path / "a.json") == 0
    data = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert len(data["schemes"]) == 18
    work = {scheme["key"]: scheme["work"]["elastic"] for scheme in data["schemes"]}
    assert min(work["galerkin-3"]["errors"]) < 1e-7
