"""Problem files name records of any format."""

import pytest
import record_samples as made

import hamex as hx
from hamex.errors import HamexError
from hamex.spec import read_problem

FILE = """title = "a"
duration = 0.05
[units]
length = "cm"
force = "kN"
[model]
kind = "oscillator"
mass = 1.0
stiffness = 100.0
[scheme]
kind = "galerkin"
step = 0.005
[motion]
"""


@pytest.fixture
def read(tmp_path):
    for name, text in {
        "a.AT2": made.at2(),
        "b.V1": made.csmip_v1(),
        "c.EW": made.knet(),
        "d.csv": "0,1,4\n.01,2,5\n",
        "e.json": made.simcenter(),
        "f.g3": "1 2 3\n4 5\n",
        "g.csv": made.columns(),
    }.items():
        (tmp_path / name).write_text(text)

    def from_text(motion):
        path = tmp_path / "case.toml"
        path.write_text(FILE + motion)
        return read_problem(path)

    return from_text


@pytest.mark.parametrize(
    ("motion", "same"),
    [
        ('file = "a.AT2"', {}),
        ('file = "a.AT2"\nunit = "g"', {}),
        ('file = "b.V1"\ncomponent = "Up"', {"component": "Up"}),
        ('file = "b.V1"\ncomponent = 2', {"component": 2}),
        ('file = "c.EW"', {}),
        ('file = "d.csv"\nunit = "g"\ncolumn = 3', {"unit": "g", "column": 3}),
        ('file = "e.json"\nunit = "m/s2"', {"unit": "m/s2"}),
        (
            'file = "f.g3"\nformat = "opensees"\nunit = "g"\nstep = 0.01',
            {"format": "opensees", "unit": "g", "step": 0.01},
        ),
        ('file = "g.csv"\nunit = "g"', {"unit": "g"}),
        ('file = "g.csv"', {}),
        ('file = "c.EW"\nraw = true', {"raw": True}),
    ],
)
def test_a_record_acts_as_read_record_reads_it(read, tmp_path, motion, same):
    problem = read(motion).problem
    name = motion.split('"')[1]
    expected = hx.read_record(tmp_path / name, **same).on(problem.model, g=980.665)
    assert problem.load.node_values(0.005, 9, quiet=True) == pytest.approx(
        expected.node_values(0.005, 9, quiet=True), rel=1e-15
    )


@pytest.mark.parametrize(
    ("motion", "told"),
    [
        ('file = "a.AT2"\nunit = "cm/s2"', "a.AT2, line 3: the file is in g, which contradicts unit='cm/s2'"),
        ('file = "b.V1"', "holds 3 records: 1 '90 Deg', 2 'Up', 3 '360 Deg'; choose one with component="),
        ('file = "d.csv"\nunit = "g"', "3 columns; choose one with column="),
        ('file = "e.json"', "e.json: the file does not tell the unit"),
        ('file = "f.g3"\nformat = "opensees"', "f.g3: the file does not tell the unit of its accelerations; say it"),
        ('file = "d.csv"\ncolumn = 3', "d.csv: the file does not tell the unit of its accelerations; say it"),
        ('file = "g.csv"\nunit = "cm/s2"', "g.csv, line 1: the file is in g, which contradicts unit='cm/s2'"),
        ('file = "a.AT2"\nformat = "at3"', "unknown format 'at3' of a record; known: at2"),
        ('record = "el_centro"\ncomponent = 1', "[motion] format, component, column and raw belong to file"),
        ('file = "a.AT2"\ncolumn = 1.5', "motion.column must be"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(read, motion, told):
    with pytest.raises(HamexError) as caught:
        read(motion)
    assert told in str(caught.value)


def test_the_name_of_the_file_stays_in_the_message_wherever_the_problem_file_lies(read, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    read('file = "a.AT2"')
    (tmp_path / "case.toml").write_text(FILE + 'file = "e.json"')
    with pytest.raises(HamexError, match=r"record e\.json: the file does not tell the unit"):
        read_problem("case.toml")
