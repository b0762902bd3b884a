"""Messages speak the language of their door: options and keys of files on the command line, never Python."""

import ast
import re
from pathlib import Path

import pytest
from extensions.layers import statements

import hamex as hx
from hamex.errors import at_the_door

SOURCE = Path(hx.__file__).parent
PYTHON = re.compile(
    r"\bhx\.|\bhamex\.[a-z]\w+[.(]|\bsol\.|\b[a-z_]+=\S|\b[A-Za-z_]\w*\([^)]*=|\b[A-Z][a-z]\w+\(|\w\(\)|\b(None|True|False)\b"
)
# What no command and no page can be answered with: its reader writes Python.
PYTHON_ONLY = {
    "cli/paper.py": "a system of one's own is a script",
    "principle/action.py": "a system of one's own is a script",
    "model/laws/law.py": "laws are registered in Python",
    "schemes/scheme.py": "schemes are registered in Python",
    "solution/source.py": "of a file that was read again",
    "solution/reading.py": "of a file that is read again",
    "solution/batch.py": "of a batch in memory",
    "motion/artificial.py": "of a function that was given as load",
    "solve/runners.py": "of a batch that asks for states",
    "model/units.py": "files state their units",
    "model/oscillator.py": "of arrays",
    "model/damping.py": "files name the kind of a damping, Python alone takes a number",
    "study/spectra/__init__.py": "units of the command are found from --g",
    "motion/load.py": "clocks are shifted in Python",
    "report/plots.py": "nouns are drawn in Python",
}


def written(call):
    """The literal text of a message; what is filled in is a letter."""
    found = []
    for part in call.args[:1]:
        for node in ast.walk(part):
            if isinstance(node, ast.JoinedStr):
                return "".join(each.value if isinstance(each, ast.Constant) else "X" for each in node.values)
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
    return " ".join(found)


def messages():
    for path in sorted(SOURCE.rglob("*.py")):
        for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
            raised = node.exc if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) else None
            alone = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
            names = {getattr(alone.func, name, "") for name in ("attr", "id")} if alone is not None else set()
            warned = alone if "warn" in names else None
            if (call := raised or warned) is not None:
                yield path.relative_to(SOURCE).as_posix(), node.lineno, written(call)


def test_every_message_that_a_door_may_show_is_without_python_there():
    found = list(messages())
    assert len(found) > 600
    options = {"unit": "--unit", "step": "--step", "workers": "--workers"}
    bad = [
        (path, line, at_the_door(text, said))
        for path, line, text in found
        for said in ({}, options)
        if path not in PYTHON_ONLY and PYTHON.search(at_the_door(text, said))
    ]
    assert bad == []


def test_the_search_finds_python():
    for text in ("use hx.solve", "say unit=3", 'as in Units("m")', "a number or None", "ask sol.rest", "use ravel()"):
        assert PYTHON.search(text), text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Study: the scheme must be one such as Galerkin(step), got X",
            'the scheme must be one such as kind = "galerkin", got X',
        ),
        ("X: use Newmark(…, safeguarded=True)", 'X: use kind = "newmark" with safeguarded = true'),
        ('choose one with column=, or say format="opensees"', 'choose one with --column, or say format = "opensees"'),
        ("motion: 20 at most", "motion: 20 at most"),
        ("tiny.toml: scheme.step must be positive", "tiny.toml: scheme.step must be positive"),
        ("Limit: drift must be a positive number or None, got -1", "drift must be a positive number, got -1"),
        ("X: a share between 0 and 1, or None, got 2", "X: a share between 0 and 1, got 2"),
    ],
)
def test_python_becomes_options_and_keys(text, said):
    assert at_the_door(text, {"column": "--column"}) == said


# Through the command -----------------------------------------------------------------------------------------------

FRAME = """
duration = 2.0
units = {length = "m", force = "kN"}
motion = {record = "el_centro"}
model = {kind = "shear_frame", masses = [1.0, 1.0], stiffnesses = [900.0, 800.0], heights = 3.0}
scheme = {kind = "galerkin", step = 0.02}
"""
STUDY = """
units = {length = "m", force = "kN"}
model = {kind = "oscillator", mass = 100.0, period = 0.5, damping_ratio = 0.05, yield_force = 150.0}
records = {synthetic = {count = 2, seed = 1}}
intensity = {kind = "sa", period = 0.5}
stripes = {start = 0.2, stop = 1.0, count = 3}
limit = {measure = "ductility", value = 4.0}
scheme = {kind = "galerkin", step = 0.01}
"""
LAW = "law = {yield_force = 5.0}"
CHANGES = [  # of the frame: what is there, and what comes in its place
    ('record = "el_centro"', 'file = "bare.csv"'),
    ('record = "el_centro"', 'file = "bare.csv", unit = "g"'),
    ('record = "el_centro"', 'file = "two.csv", unit = "g", step = 0.01'),
    ('record = "el_centro"', 'file = "none.csv"'),
    ('record = "el_centro"', 'record = "el_centro", direction = "z"'),
    ('record = "el_centro"', 'record = "el_centro", scale = 1000.0'),
    ('record = "el_centro"', 'record = "el_centro", unit = "g"'),
    ('"galerkin", step = 0.02', '"galerkin", step = 0.0'),
    ('"galerkin", step = 0.02', '"galerkin", step = 0.03'),
    ('"galerkin", step = 0.02', '"galerkin", step = 0.2, load = "average"'),
    ('"galerkin", step = 0.02', '"galerkin", step = 1e-12'),
    ('"galerkin", step = 0.02', '"galerkin", step = 0.02, degree = 2, load = "end"'),
    ('"galerkin", step = 0.02', '"galerkin", step = 0.02, degree = 9'),
    ('"galerkin", step = 0.02', '"galerkin", step = 0.02, locate = true, load = "mean"'),
    ('"galerkin", step = 0.02', '"newmark", step = 0.02, beta = -1.0'),
    ('"galerkin", step = 0.02', '"leap_frog", step = 0.5'),
    ('"galerkin", step = 0.02', '"piecewise_exact", step = 0.02'),
    ('"galerkin", step = 0.02', '"nothing", step = 0.02'),
    ("heights = 3.0", "heights = 3.0, weights = 1e5"),
    ("heights = 3.0", "heights = -3.0"),
    ("heights = 3.0", 'heights = 3.0, damping = {kind = "ratio", ratio = 3.0}'),
    ("heights = 3.0", "heights = 3.0, laws = [{yield_force = -1.0}, {yield_force = 1.0}]"),
    ("heights = 3.0", 'heights = 3.0, laws = [{kind = "backbone", points = [[0.01, 1.0], [0.1, 2.0]]}, {}]'),
    ("heights = 3.0", 'heights = 3.0, links = [{kind = "power_damper", start = 0, end = 7, coefficient = 1.0}]'),
    ("masses = [1.0, 1.0]", "masses = [1.0, -1.0]"),
    ("masses = [1.0, 1.0]", "masses = [1.0, 1.0, 1.0]"),
    ("duration = 2.0", "duration = -1.0"),
    ("duration = 2.0", "duration = 40.0\nsettle = 7.0"),
    ("duration = 2.0", "duration = 2.0\nsettle = 0.001"),
    ("duration = 2.0", "duration = 2.0\ngravity = {forces = {roof = 1.0}}"),
    ("duration = 2.0", "duration = 2.0\nlimit = {drift_ratio = -1.0}"),
    ("duration = 2.0", "duration = 2.0\nstart = {slip = [1.0]}"),
    ("duration = 2.0", 'duration = 2.0\nload = {kind = "sine", amplitude = 1.0, omega = 2.0}'),
    ('motion = {record = "el_centro"}', 'support = {at = "base", displacements = [0.0, 0.1], step = 1.0}'),
]
COMMANDS = [
    "run none.toml",
    "run frame.toml -o out.pdf",
    "run frame.toml -o no/out.nc",
    "pushover frame.toml",
    "pushover frame.toml --to 0",
    "pushover frame.toml --to 1 --pattern roof",
    "pushover frame.toml --cycles 0.1,x",
    "pushover frame.toml --cycles -1",
    "modes frame.toml --plot a.pdf",
    "records show bare.csv",
    "records show bare.csv --unit g",
    "records show two.csv --unit g --step 0.01",
    "records show bare.csv --unit furlong --step 0.01",
    "records show bare.csv --unit g --step -1",
    "records show bare.csv --unit g --step 0.01 --component 7",
    "records show bare.csv --unit g --step 0.01 --format nothing",
    "records convert bare.csv out.at2 --unit m/s2 --step 0.01",
    "spectrum bare.csv",
    "spectrum bare.csv --unit g",
    "spectrum el-centro --damping 2",
    "spectrum el-centro --damping x",
    "spectrum el-centro --ductility 0.5",
    "spectrum el-centro --strength -1",
    "spectrum el-centro --periods 1:0:5",
    "spectrum el-centro --g -1",
    "spectrum el-centro --pair",
    "spectrum el-centro --periods 0.5,1 --view nothing -o a.png",
    "fragility none",
    "region none.csv el-centro --dry-run",
    "region town.csv bare.csv --dry-run",
    "region town.csv bare.csv --unit g --dry-run",
    "region town.csv el-centro --step -1 --dry-run",
    "ida study.toml --cluster nowhere",
    "init nothing",
    "schemes --json --scheme nothing",
]
STUDIES = [
    ("stripes = {start = 0.2, stop = 1.0, count = 3}", "stripes = {start = 0.2}"),
    ("stripes = {start = 0.2, stop = 1.0, count = 3}", "hunt = {first = -1.0, step = 0.2}"),
    ("synthetic = {count = 2, seed = 1}", 'files = ["bare.csv"]'),
    ("synthetic = {count = 2, seed = 1}", "synthetic = {count = 0, seed = 1}"),
    ('measure = "ductility"', 'measure = "drift_ratio"'),
    ('measure = "ductility"', 'measure = "nothing"'),
    ('kind = "sa", period = 0.5', 'kind = "sa", period = -0.5'),
    ("step = 0.01", "step = 0.0"),
    ("step = 0.01", "step = 0.01\nduration = 1.0\nsettle = 0.001"),
]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "frame.toml").write_text(FRAME, encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "bare.csv").write_text("\n".join(map(str, [0.0, 0.1, -0.2, 0.1])), encoding="utf-8")
    (tmp_path / "two.csv").write_text("\n".join(f"{i} {i} {i}" for i in range(9)), encoding="utf-8")
    (tmp_path / "town.csv").write_text("longitude,latitude,storeys,type\n0,0,2,C1\n", encoding="utf-8")


def changed(text, old, new):
    assert old in text
    return text.replace(old, new)


@pytest.mark.usefixtures("files", "fresh")
@pytest.mark.filterwarnings("default")
def test_what_goes_wrong_in_a_problem_file_is_told_in_its_words(hamex, tmp_path):
    told = []
    for old, new in CHANGES:
        (tmp_path / "case.toml").write_text(changed(FRAME, old, new), encoding="utf-8")
        code, _, err = hamex("run", "case.toml")
        assert code == 0 or err.startswith(("error: ", "warning: ")), new
        assert not PYTHON.search(err), (new, err)
        told.append(bool(err))
    assert sum(told) >= len(CHANGES) - 3  # there was something to read


@pytest.mark.usefixtures("files", "fresh")
@pytest.mark.filterwarnings("default")
def test_what_goes_wrong_in_a_study_file_is_told_in_its_words(hamex, tmp_path):
    for old, new in STUDIES:
        (tmp_path / "case.toml").write_text(changed(STUDY, old, new), encoding="utf-8")
        code, _, err = hamex("ida", "case.toml", "--dry-run")
        assert code == 2, new
        assert not PYTHON.search(err), (new, err)


@pytest.mark.usefixtures("files", "fresh")
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("line", COMMANDS)
def test_what_goes_wrong_with_options_is_told_by_options(hamex, line):
    code, _, err = hamex(*line.split())
    assert code == 2
    assert not PYTHON.search(err), err


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("records show bare.csv", "--unit g"),
        ("records show bare.csv --unit g", "--step 0.01"),
        ("spectrum bare.csv --unit g", "--step 0.01"),
        ("region town.csv bare.csv --unit g --dry-run", "--record-step 0.01"),
        ("records show two.csv --unit g --step 0.01", "--column"),
        ("run case.toml", 'unit = "g"'),
    ],
)
def test_the_advice_can_be_typed_as_it_stands(hamex, tmp_path, line, says):
    (tmp_path / "case.toml").write_text(changed(FRAME, 'record = "el_centro"', 'file = "bare.csv"'), encoding="utf-8")
    assert says in hamex(*line.split())[2]
