"""Problem files: every key arrives where it belongs, and every mistake is told by file, key and remedy."""

import math

import numpy as np
import pytest

import hamex as hx
from hamex.errors import (
    FileError,
    HamexError,
    LawError,
    LoadError,
    ModelError,
    ProblemError,
    SchemeError,
    SpecError,
    UnitError,
)
from hamex.spec import read_problem

UNITS = '[units]\nlength = "m"\nforce = "kN"\n'
MODEL = '[model]\nkind = "oscillator"\nmass = 2.0\nstiffness = 50.0\n'
LOAD = '[load]\nkind = "sine"\namplitude = 3.0\nomega = 4.0\n'
SCHEME = '[scheme]\nkind = "galerkin"\nstep = 0.01\n'


@pytest.fixture
def read(tmp_path):
    def read(top="duration = 2.0\n", units=UNITS, model=MODEL, load=LOAD, scheme=SCHEME, more=""):
        path = tmp_path / "case.toml"
        path.write_text(top + units + model + load + scheme + more, encoding="utf-8")
        return read_problem(path)

    return read


def told(read, **tables):
    with pytest.raises(HamexError) as caught:
        read(**tables)
    path, _, message = str(caught.value).partition("case.toml: ")
    assert path.endswith("/"), "the message starts with the file"
    return type(caught.value), message


def load_values(file, step=0.05, steps=40, rule="mean"):
    load = file.problem.load
    channels = load.step_values(step, steps, rule)
    return channels if load.patterns is None else channels @ load.patterns.T


# What a file says


def test_a_minimal_file_takes_every_default_from_the_constructors(read):
    file = read()
    assert file.scheme == hx.Galerkin(step=0.01)
    assert (file.title, file.problem.duration, file.problem.model.units) == ("case", 2.0, hx.Units("m", "kN"))
    law = file.problem.model.laws["slider"]
    assert (law.yield_force[0], law.viscosity[0]) == (math.inf, 0.0)
    assert file.problem.start.displacement.tolist() == [0.0]


def test_a_file_may_name_the_version_of_its_format(read):
    assert read(top="version = 1\nduration = 2.0\n").problem.duration == 2.0
    for more in ("", "colour = 3\n"):  # the version is judged first: a newer format may have newer keys
        kind, message = told(read, top=f"version = 2\nduration = 2.0\n{more}")
        assert kind is SpecError
        assert message.startswith("version = 2 is a format that this hamex does not know; it reads version 1")
    assert told(read, top='version = "1"\nduration = 2.0\n')[1].startswith("version must be a whole number, got '1'")


def test_the_model_gets_every_key(read):
    file = read(model=MODEL + "damping = 1.5\nyield_force = 0.3\nviscosity = 0.4\nkinematic = 5.0\nisotropic = 6.0\n")
    model, law = file.problem.model, file.problem.model.laws["slider"]
    assert (model.mass[0, 0], 1 / model.flexibility[0, 0], model.damping.dense()[0, 0]) == (2.0, 50.0, 1.5)
    assert (law.yield_force[0], law.viscosity[0], law.kinematic[0], law.isotropic[0]) == (0.3, 0.4, 5.0, 6.0)


def test_period_and_damping_ratio_are_other_words_for_stiffness_and_damping(read):
    model = read(model='[model]\nkind = "oscillator"\nmass = 2\nperiod = 0.5\ndamping_ratio = 0.05\n').problem.model
    stiffness = 2 * (2 * math.pi / 0.5) ** 2
    assert 1 / model.flexibility[0, 0] == pytest.approx(stiffness, rel=1e-15)
    assert model.damping.dense()[0, 0] == pytest.approx(2 * 0.05 * math.sqrt(2 * stiffness), rel=1e-15)


def test_zero_damping_may_be_said(read):
    assert read(model=MODEL + "damping = 0\n").problem.model.damping.dense()[0, 0] == 0


@pytest.mark.parametrize(
    ("table", "same"),
    [
        ('kind = "sine"\namplitude = 3\nomega = 4', hx.sine(3, 4)),
        (
            'kind = "sine"\namplitude = 3\nperiod = 0.7\nphase = 0.2\nduration = 1',
            hx.sine(3, 2 * math.pi / 0.7, 1, 0.2),
        ),
        ('kind = "constant"\namplitude = 3', hx.constant(3)),
        ('kind = "constant"\namplitude = 3\nduration = 0.72', hx.constant(3, 0.72)),
        ('kind = "half_sine"\namplitude = 3\nduration = 0.72', hx.half_sine(3, 0.72)),
        ('kind = "triangle"\namplitude = 3\nduration = 0.72', hx.triangle(3, 0.72)),
        ('kind = "triangle"\namplitude = 3\nduration = 0.72\npeak = 0.0', hx.triangle(3, 0.72, 0.0)),
        ('kind = "samples"\nforces = [1, 2.5, -1]\nstep = 0.1', hx.Load([1, 2.5, -1], 0.1)),
        ('kind = "samples"\nforces = [1, 2.5, -1]\nstep = 0.1\nscale = -2', hx.Load([-2, -5, 2], 0.1)),
        ('kind = "none"', hx.constant(0)),
    ],
)
def test_each_kind_of_load_is_the_function_of_the_same_name(read, table, same):
    assert np.array_equal(load_values(read(load=f"[load]\n{table}\n")), same.step_values(0.05, 40, "mean"))


def test_the_record_comes_in_the_gravity_of_the_unit_of_length(read):
    motion = '[motion]\nrecord = "el_centro"\nscale = 2\n'
    file = read(load=motion, units='[units]\nlength = "in"\nforce = "kip"\n')
    expected = hx.el_centro().scaled(2).on(file.problem.model, g=386.0885826771654)
    assert np.allclose(load_values(file), -2 * expected.step_values(0.05, 40, "mean"), rtol=1e-14)
    assert file.problem.load.patterns.tolist() == [[-2.0]]  # −mass
    assert "El Centro" in file.load_text
    assert "× 2" in file.load_text


def test_gravity_may_be_overridden_and_then_reaches_the_load(read):
    motion = '[motion]\nrecord = "el_centro"\n'
    plain = read(load=motion, units=UNITS + "gravity = 1.0\n")
    assert np.array_equal(plain.problem.load.forces[:, 0], hx.el_centro().acceleration)
    assert "g = 1 m/s²" in plain.load_text


def test_record_and_force_files_are_found_beside_the_problem_file(read, tmp_path, monkeypatch):
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "one.csv").write_text("0\n98.0665\n-49.03325\n")
    monkeypatch.chdir("/")
    file = read(load='[motion]\nfile = "records/one.csv"\nunit = "cm/s2"\nstep = 0.1\n')
    assert file.problem.load.forces[:, 0] == pytest.approx([0, 0.980665, -0.4903325], rel=1e-12)
    (tmp_path / "forces.csv").write_text("0,0\n0.1,5\n0.2,-7\n")
    file = read(load='[load]\nkind = "samples"\nfile = "forces.csv"\nscale = 2.0\n')
    assert np.array_equal(load_values(file), hx.Load([0, 10, -14], 0.1).step_values(0.05, 40, "mean"))


def test_the_start_state(read):
    start = "[start]\ndisplacement = 0.1\nvelocity = 3\nslip = 0.2\nback_force = 4\naccumulated_slip = 5\n"
    state = read(model=MODEL + "yield_force = 1\nkinematic = 1\nisotropic = 1\n", more=start).problem.start
    assert (state.displacement[0], state.momentum[0], state.slip[0]) == (0.1, 6.0, 0.2)
    assert (state.internal["back_force"][0], state.internal["accumulated_slip"][0]) == (4.0, 5.0)
    assert read(more="[start]\nmomentum = 3\n").problem.start.momentum[0] == 3.0


@pytest.mark.parametrize(
    ("table", "scheme"),
    [
        ('kind = "galerkin"\nstep = 0.02\nload = "end"\ndegree = 1', hx.Galerkin(0.02, 1, "end")),
        ('kind = "galerkin"\nstep = 0.02\nload = "mean"', hx.Galerkin(0.02, load="mean")),
        ('kind = "newmark"\nstep = 0.02', hx.Newmark(0.02)),
        (
            'kind = "newmark"\nstep = 1\nbeta = 0.2\ngamma = 0.6\ntolerance = 1e-3\nmax_iterations = 4',
            hx.Newmark(1.0, 0.2, 0.6, 1e-3, 4),
        ),
        ('kind = "piecewise_exact"\nstep = 0.02', hx.PiecewiseExact(0.02)),
    ],
)
def test_each_scheme(read, table, scheme):
    assert read(scheme=f"[scheme]\n{table}\n").scheme == scheme


def test_the_title_is_kept(read):
    assert read(top='title = "A [bold] title"\nduration = 1\n').title == "A [bold] title"


# What is wrong with it: names and types


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"model": MODEL.replace("mass", "mas")}, "unknown key model.mas; did you mean mass?"),
        (
            {"model": MODEL + "colour = 3\n"},
            "unknown key model.colour; [model] knows kind, mass, stiffness, period, damping, "
            "damping_ratio, yield_force, "
            "strength_ratio, viscosity, kinematic, isotropic, law",
        ),
        ({"top": "durration = 2.0\n"}, "unknown key durration; did you mean duration?"),
        (
            {"top": "", "scheme": SCHEME + "duration = 2.0\n"},
            "unknown key scheme.duration; duration belongs at the top of the file, above the first [table]",
        ),
        ({"top": "duration = 2.0\nyield_force = 3\n"}, "unknown key yield_force; yield_force belongs in [model]"),
        (
            {"load": LOAD + "peak = 0.5\n"},
            "unknown key load.peak; [load] knows kind, at, amplitude, omega, period, duration, phase",
        ),
        ({"model": MODEL.replace("mass = 2.0", "")}, "model.mass is missing: mass [force·s²/length]"),
        ({"model": MODEL.replace("2.0", '"2.0"')}, "model.mass must be a number, got '2.0'"),
        ({"model": MODEL.replace("2.0", "true")}, "model.mass must be a number, got True"),
        (
            {"model": MODEL.replace("oscillator", "pendulum")},
            "model.kind must be 'oscillator', 'shear_frame', 'truss', 'frame', 'rod' or 'solid', got 'pendulum'",
        ),
        (
            {"model": MODEL.replace('kind = "oscillator"', "")},
            "model.kind is missing: one of 'oscillator', 'shear_frame', 'truss', 'frame', 'rod', 'solid'",
        ),
        (
            {"load": LOAD.replace('"sine"', '"sin"')},
            "load.kind must be one of 'sine', 'constant', 'half_sine', 'triangle', 'samples', 'none', got 'sin'; "
            "did you mean 'sine'?",
        ),
        (
            {"load": LOAD.replace('kind = "sine"', "")},
            "load.kind is missing: one of 'sine', 'constant', 'half_sine', 'triangle', 'samples', 'none'",
        ),
        ({"load": "", "top": 'duration = 2.0\nload = "sine"\n'}, "load must be a table, got 'sine'"),
        (
            {"load": '[load]\nkind = "samples"\nstep = 1\nforces = [1, "two"]\n'},
            "load.forces[1] must be a number, got 'two'",
        ),
        ({"load": '[load]\nkind = "samples"\nstep = 1\nforces = 3\n'}, "load.forces must be a list of numbers, got 3"),
        ({"load": '[motion]\nrecord = "kobe"\n'}, "motion.record must be 'el_centro', got 'kobe'"),
        ({"load": '[motion]\nfile = 3\nunit = "g"\n'}, "motion.file must be text in quotes, got 3"),
        ({"load": '[motion]\nrecord = "el_centro"\nscale = inf\n'}, "motion.scale must be finite, got inf"),
        ({"units": ""}, "the table [units] is missing"),
        ({"units": '[units]\nlength = "m"\n'}, 'units.force is missing: unit of force, e.g. force = "kN"'),
        ({"units": UNITS + "gravity = 0.0\n"}, "units.gravity must be greater than 0, got 0.0"),
        ({"scheme": SCHEME + 'load = "middle"\n'}, "scheme.load must be 'average', 'end' or 'mean', got 'middle'"),
        ({"scheme": SCHEME + "degree = 1.5\n"}, "scheme.degree must be a whole number, got 1.5"),
        (
            {"model": MODEL.replace("stiffness = 50.0", "period = -0.5")},
            "model.period must be greater than 0, got -0.5",
        ),
        ({"model": MODEL + "period = 0.5\n"}, "[model] give exactly one of stiffness and period, got both"),
        (
            {"model": MODEL.replace("stiffness = 50.0", "")},
            "[model] give exactly one of stiffness and period, got none",
        ),
        (
            {"model": MODEL + "damping = 1\ndamping_ratio = 1\n"},
            "[model] give at most one of damping and damping_ratio, got both",
        ),
        ({"load": LOAD + "period = 1\n"}, "[load] give exactly one of omega and period, got both"),
        ({"load": '[load]\nkind = "samples"\nstep = 1\n'}, "[load] give exactly one of forces and file, got none"),
        (
            {"load": "[motion]\nscale = 1\n"},
            "[motion] give exactly one of record, file, accelerations, synthetic and wave, got none",
        ),
        (
            {"load": '[motion]\nrecord = "el_centro"\nstep = 0.02\n'},
            "[motion] unit and step belong to file and to accelerations; others bring their own",
        ),
        (
            {"more": "[start]\nvelocity = 1\nmomentum = 1\n"},
            "[start] give at most one of velocity and momentum, got both",
        ),
        (
            {"load": ""},
            "give at least one of the tables [motion], [load] and [support], or [pushover] or [cyclic] for slow "
            'loading; kind = "none" in [load] is free vibration',
        ),
        ({"top": ""}, "give exactly one of duration and tail, got none"),
        ({"top": "duration = 2.0\ntail = 1.0\n"}, "give exactly one of duration and tail, got both"),
        (
            {"top": "duration = 2.0 s\n"},
            "not a TOML file: Expected newline or end of document after a statement (at line 1, column 16)",
        ),
    ],
)
def test_names_and_types_are_refused_in_words(read, tables, message):
    assert told(read, **tables) == (SpecError, message)


def test_several_mistakes_are_told_at_once(read):
    kind, message = told(read, model=MODEL.replace("2.0", '"x"') + "damp = 1\n", units="")
    assert kind is SpecError
    assert message.splitlines() == [
        "3 mistakes",
        "  the table [units] is missing",
        "  model.mass must be a number, got 'x'",
        "  unknown key model.damp; did you mean damping?",
    ]


# What is wrong with it: values, which the constructors judge


@pytest.mark.parametrize(
    ("kind", "tables", "message"),
    [
        (ModelError, {"model": MODEL.replace("2.0", "-2.0")}, "model.mass must be positive, got -2"),
        (
            ModelError,
            {"model": MODEL.replace("mass = 2.0\nstiffness = 50.0", "mass = -2.0\nperiod = 1.0")},
            "model.mass must be positive, got -2",
        ),
        (ModelError, {"model": MODEL.replace("50.0", "0")}, "model.stiffness must be positive, got 0"),
        (
            ModelError,
            {"model": MODEL + "damping_ratio = -0.05\n"},
            "[model] the damping ratio must be a finite number ≥ 0, got -0.05 (0.05 is 5 %)",
        ),
        (LawError, {"model": MODEL + "viscosity = -1\n"}, "model.viscosity must not be negative, got -1"),
        (
            LawError,
            {"model": MODEL + "yield_force = 1\nkinematic = -1\n"},
            "model.kinematic must not be negative, got -1; softening is not a convex law",
        ),
        (
            UnitError,
            {"units": UNITS.replace('"m"', '"yard"')},
            "[units] unknown unit of length 'yard'; known: m, cm, mm, in, ft",
        ),
        (
            UnitError,
            {"units": UNITS.replace('"m"', '"length"')},
            '[units] a file states its units, e.g. length = "m" and force = "kN"',
        ),
        (LoadError, {"load": LOAD.replace("3.0", "inf")}, "load.amplitude must be finite, got inf"),
        (
            LoadError,
            {"load": '[load]\nkind = "half_sine"\namplitude = 1\nduration = 0\n'},
            "load.duration must be a positive number of seconds, got 0.0",
        ),
        (
            LoadError,
            {"load": '[load]\nkind = "samples"\nforces = [1, nan]\nstep = 1\n'},
            "[load] sample 1 is not finite (nan)",
        ),
        (
            SchemeError,
            {"scheme": SCHEME.replace("0.01", "0.0")},
            "scheme.step must be a positive number of seconds, got 0.0",
        ),
        (
            SchemeError,
            {"scheme": '[scheme]\nkind = "newmark"\nstep = 0.01\nbeta = 0\n'},
            "scheme.beta must be positive, got 0.0",
        ),
        (ProblemError, {"top": "duration = -1\n"}, "duration must be a positive number of seconds, got -1.0"),
        (
            ProblemError,
            {"top": "duration = 0.105\n"},
            "the duration 0.105 s is no whole number of steps of 0.01 s; take duration=0.1 or step=0.0105",
        ),
        (ProblemError, {"more": "[start]\nslip = nan\n"}, "start.slip must be finite numbers, one per component"),
        (
            ProblemError,
            {"model": MODEL + "yield_force = 1\nkinematic = 5\n", "more": "[start]\nslip = 0.3\n"},
            "start.back_force is needed beside the slip of a spring with kinematic hardening; kinematic × slip is 1.5",
        ),
    ],
)
def test_values_out_of_range_keep_their_own_error_and_gain_file_and_key(read, kind, tables, message):
    assert told(read, **tables) == (kind, message)


def test_a_missing_record_is_named(read, tmp_path):
    kind, message = told(read, load='[motion]\nfile = "gone.csv"\nunit = "g"\n')
    assert kind is FileError
    assert message == f"[motion] cannot read {tmp_path / 'gone.csv'}: no such file"


def test_a_broken_record_is_told_by_line(read, tmp_path):
    (tmp_path / "bad.csv").write_text("0,0\n0.1,nan\n")
    kind, message = told(read, load='[motion]\nfile = "bad.csv"\nunit = "g"\n')
    assert kind is LoadError
    assert message == f"[motion] {tmp_path / 'bad.csv'}, line 2: 'nan' is not finite; mend or cut the record"


def test_a_record_that_bears_a_public_name_is_still_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sine").write_text("")
    (tmp_path / "case.toml").write_text(
        "duration = 2.0\n" + UNITS + MODEL + SCHEME + '[motion]\nfile = "sine"\nunit = "g"\nstep = 1.0\n'
    )
    with pytest.raises(LoadError, match=r"case.toml: \[motion\] no samples in sine"):
        read_problem("case.toml")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileError, match=r"cannot read .*none\.toml: no such file; `hamex init` writes one"):
        read_problem(tmp_path / "none.toml")
    with pytest.raises(FileError, match=r"cannot read .*: it is a folder, not a file"):
        read_problem(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'title = "\xe9"\n')
    with pytest.raises(SpecError, match=r"latin\.toml: not a TOML file"):
        read_problem(tmp_path / "latin.toml")


def test_members_under_names_of_their_own_are_told_how_to_stand(tmp_path):
    place = tmp_path / "a.toml"
    place.write_text('title = "a"\nduration = 1.0\n[model]\nkind = "frame"\n[model.members.beam]\nstart = "A"\n')
    with pytest.raises(SpecError, match=r"model.members must be a list of tables, each under \[\[model.members\]\]"):
        read_problem(place)
