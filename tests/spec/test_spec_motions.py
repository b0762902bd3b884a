"""Ground motions and strengths that a problem file spells out itself."""

import pytest

import hamex as hx
from hamex.errors import HamexError
from hamex.spec import problem_of
from hamex.spec.tables import tables_for

REST = """
duration = 10.0
units = {length = "m", force = "kN"}
scheme = {kind = "galerkin", step = 0.01}
"""
MODEL = 'model = {kind = "oscillator", mass = 2.0, period = 0.5, damping_ratio = 0.05}\n'


@pytest.fixture
def read(tmp_path):
    def reading(motion, model=MODEL, rest=REST):
        path = tmp_path / "problem.toml"
        path.write_text(f"{rest}{model}[motion]\n{motion}\n")
        return hx.read_problem(path)

    return reading


@pytest.mark.parametrize(
    ("text", "motion"),
    [
        (
            'accelerations = [0.0, 0.1, -0.2]\nstep = 0.02\nunit = "g"',
            lambda: hx.GroundMotion([0.0, 0.1, -0.2], 0.02, "g"),
        ),
        ("synthetic = {seed = 3, magnitude = 6.0}", lambda: hx.synthetic_suite(1, seed=3, magnitude=6.0)[0]),
        (
            'wave = {shape = "ricker", amplitude = 0.2, period = 0.4, step = 0.01}',
            lambda: hx.ground_wave("ricker", 0.2, 0.4, step=0.01),
        ),
        (
            'wave = {shape = "sine", amplitude = 0.2, period = 0.4, cycles = 2.5, step = 0.01, unit = "m/s2"}\n'
            "scale = 3.0",
            lambda: hx.ground_wave("sine", 0.2, 0.4, cycles=2.5, step=0.01, unit="m/s2").scaled(3.0),
        ),
    ],
)
def test_the_file_builds_the_motion_that_the_library_builds(read, text, motion):
    file = read(text)
    model = file.problem.model
    direct = hx.Problem(model, motion().on(model, g=model.units.gravity), duration=10.0)
    assert (
        hx.solve(file.problem, file.scheme).values("displacement")
        == hx.solve(direct, file.scheme).values("displacement")
    ).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "accelerations = [0.1]",
            '[motion] unit and step are needed beside accelerations, as in unit = "g", step = 0.01',
        ),
        ('record = "el_centro"\nsource = "me"', "[motion] source belongs to accelerations; others bring their own"),
        (
            'record = "el_centro"\nwave = {shape = "sine", amplitude = 1.0, period = 1.0}',
            "[motion] give exactly one of record, file, accelerations, synthetic and wave, got 2 of them",
        ),
        (
            'wave = {shape = "sine", amplitude = 1.0, period = -1.0}',
            "motion.wave.period must be a positive number, got -1.0",
        ),
        ('wave = {shape = "saw", amplitude = 1.0, period = 1.0}', "motion.wave.shape must be 'sine', 'half_sine'"),
        ("synthetic = {seed = 1, magnitude = 12.0}", "motion.synthetic.magnitude must lie between 4 and 8.5, got 12.0"),
        ("synthetic = {magnitude = 6.0}", "motion.synthetic.seed is missing"),
    ],
)
def test_mistakes_are_named_by_their_place(read, text, message):
    with pytest.raises(HamexError) as refused:
        read(text)
    assert message in str(refused.value)


def test_a_strength_ratio_is_the_yield_force_over_the_weight(read):
    law = 'model = {kind = "oscillator", mass = 2.0, period = 0.5, strength_ratio = 0.25}\n'
    standard = read('record = "el_centro"', law).problem.model.laws["slider"].yield_force[0]
    assert standard == 0.25 * 2.0 * 9.80665
    told = REST.replace('force = "kN"}', 'force = "kN", gravity = 10.0}')
    assert read('record = "el_centro"', law, told).problem.model.laws["slider"].yield_force[0] == 5.0


def test_strength_and_force_exclude_each_other(read):
    with pytest.raises(HamexError, match="give at most one of yield_force and strength_ratio, got both"):
        read(
            'record = "el_centro"',
            'model = {kind = "oscillator", mass = 2.0, period = 0.5, strength_ratio = 0.25, yield_force = 3.0}\n',
        )


def test_tables_without_a_file_read_no_files(tmp_path):
    data = {
        "duration": 1.0,
        "units": {"length": "m", "force": "kN"},
        "scheme": {"kind": "galerkin", "step": 0.01},
        "model": {"kind": "oscillator", "mass": 1.0, "period": 1.0},
        "motion": {"file": str(tmp_path / "a.txt"), "unit": "g", "step": 0.1},
    }
    tables = tables_for("oscillator").model_validate(data)
    with pytest.raises(HamexError, match=r"^motion.file is read from problem files only; give the samples themselves$"):
        problem_of(tables)
