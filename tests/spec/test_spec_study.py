"""Study files: what they build, and what they say when something is wrong."""

import numpy as np
import pytest
import record_samples as made

import hamex as hx
from hamex.errors import HamexError
from hamex.motion.records.suite import record_text
from hamex.spec.study import StudyFile

TEXT = """
title = "A study"
units = {length = "m", force = "kN"}
model = {kind = "oscillator", mass = 100.0, period = 0.5, damping_ratio = 0.05, yield_force = 150.0}
records = {synthetic = {count = 2, seed = 1, magnitude = 5.0}}
intensity = {kind = "sa", period = 0.5}
stripes = {start = 0.1, stop = 0.5, count = 5}
limit = {measure = "ductility", value = 4.0}
scheme = {kind = "galerkin", step = 0.01}
"""
STRIPES = "stripes = {start = 0.1, stop = 0.5, count = 5}"
RECORDS = "records = {synthetic = {count = 2, seed = 1, magnitude = 5.0}}"


@pytest.fixture
def read(tmp_path):
    def read_text(text=TEXT, **changes) -> StudyFile:
        path = tmp_path / "study.toml"
        for old, new in changes.get("swap", {}).items():
            assert old in text
            text = text.replace(old, new)
        path.write_text(text)
        return hx.read_study(path)

    return read_text


def test_a_study_is_what_the_file_says(read):
    file = read()
    study = file.study
    assert (file.title, file.demand, file.limit, file.hunting) == ("A study", "ductility", 4.0, None)
    assert file.stripes
    assert study.axes["level"] == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert study.measures == ("ductility", "absolute_acceleration")
    assert (study.g, study.kind, study.scheme) == (9.80665, "synthetic", hx.Galerkin(0.01))
    assert file.intensity == study.intensity == hx.Sa(0.5)
    assert np.array_equal(
        study.axes["record"][1].acceleration, hx.synthetic_suite(2, seed=1, magnitude=5.0)[1].acceleration
    )


def test_scales_hunts_and_options(read):
    file = read(
        swap={
            STRIPES: "scales = {values = [1.0, 2.0]}\nduration = 8.0\nseed = 3\n"
            'fragility = {modelling = 0.3, resamples = 50}\nmeasures = ["displacement"]',
            'kind = "sa", period = 0.5': 'kind = "pga"',
        }
    )
    assert (file.study.axes["scale"], file.study.duration, file.study.seed) == ([1.0, 2.0], 8.0, 3)
    assert (file.stripes, file.modelling, file.resamples, file.intensity) == (False, 0.3, 50, hx.Pga())
    assert file.study.measures == ("ductility", "displacement")
    hunt = read(swap={STRIPES: "hunt = {first = 0.1, step = 0.2, growth = 0.05, runs = 9, largest = 3.0}"})
    assert hunt.hunting == hx.Hunt(0.1, 0.2, 0.05, 9, 3.0)
    assert not {"scale", "level"} & set(hunt.study.axes)
    levels = read(swap={STRIPES: 'stripes = {levels = [0.2, 0.4]}\nfragility = {method = "capacities"}'})
    assert not levels.stripes


def test_records_from_files_are_found_beside_the_study(read, tmp_path):
    (tmp_path / "records").mkdir()
    for name in "ab":
        (tmp_path / "records" / f"{name}.csv").write_text(record_text(hx.el_centro(), ".csv"))
    file = read(swap={RECORDS: 'records = {files = ["records/*.csv"]}'})
    assert len(file.study.axes["record"]) == 2
    assert file.study.kind == "recorded"
    (tmp_path / "records" / "c.csv").write_text("nothing\n")
    with pytest.raises(HamexError, match=r"records\.files names 3 files, of which 1 cannot be read; mend(.|\n)*c\.csv"):
        read(swap={RECORDS: 'records = {files = ["records/*.csv"]}'})
    assert len(read(swap={RECORDS: 'records = {name = "el-centro"}'}).study.axes["record"]) == 1


def test_records_of_a_study_may_keep_the_offset_of_the_instrument(read, tmp_path):
    (tmp_path / "a.EW").write_text(made.knet())
    for raw in (False, True):
        table = f'records = {{files = ["a.EW"], raw = {str(raw).lower()}}}'
        (motion,) = read(swap={RECORDS: table}).study.axes["record"]
        assert motion.acceleration == pytest.approx(made.knet_gal(raw=raw), rel=1e-12)


def test_parameters_are_keys_of_the_model(read):
    file = read(swap={STRIPES: STRIPES + "\nparameters = {viscosity = [0.0, 200.0], damping_ratio = [0.02, 0.05]}"})
    assert file.study.plan().runs == 2 * 4 * 5
    model = file.study.template(viscosity=200.0, damping_ratio=0.02)
    omega = 2 * np.pi / 0.5
    assert float(model.damping.dense()[0, 0]) == pytest.approx(2 * 0.02 * omega * 100.0)
    assert float(model.laws["slider"].viscosity[0]) == 200.0


def test_parameters_inside_tables_of_a_frame(read):
    frame = (
        'model = {kind = "shear_frame", masses = [1.0, 1.0], stiffnesses = 300.0, heights = 3.0, '
        'damping = {kind = "rayleigh", ratio = 0.05, modes = [1, 2]}}'
    )
    swap = {TEXT.splitlines()[3]: frame, 'measure = "ductility", value = 4.0': 'measure = "drift_ratio", value = 0.02'}
    file = read(swap=swap | {STRIPES: STRIPES + '\nparameters = {"damping.ratio" = [0.02, 0.05]}'})
    light, heavy = (file.study.template(**{"damping.ratio": ratio}) for ratio in (0.02, 0.05))
    assert heavy.damping.dense() == pytest.approx(2.5 * light.damping.dense())
    assert file.study.measures == ("drift", "absolute_acceleration")
    with pytest.raises(HamexError, match=r"no table model\.dampin for 'dampin\.ratio'"):
        read(swap=swap | {STRIPES: STRIPES + '\nparameters = {"dampin.ratio" = [0.02]}'})
    with pytest.raises(HamexError, match="drift_ratio needs the heights of all storeys"):
        read(swap=swap | {TEXT.splitlines()[3]: frame.replace("heights = 3.0, ", "")})


def test_gravity_stands_on_the_models_of_a_study(read):
    frame = 'model = {kind = "shear_frame", masses = [1.0, 1.0], stiffnesses = 300.0, heights = 3.0}'
    swap = {TEXT.splitlines()[3]: frame, 'measure = "ductility", value = 4.0': 'measure = "drift_ratio", value = 0.02'}
    gravity = 'gravity = {forces = {"floor 2" = -3.0}}\n'
    assert read(swap=swap | {"limit = ": gravity + "limit = "}).study.standing == {"floor 2": -3.0}
    assert read(swap=swap).study.standing is None
    with pytest.raises(HamexError, match=r"gravity\.forces names 'roof', which is no dof"):
        read(swap=swap | {"limit = ": gravity.replace("floor 2", "roof") + "limit = "})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("limit = ", "limmit = ", "unknown key limmit; did you mean limit"),
        ("title = ", "colour = ", "unknown key colour; a study file knows title, duration, settle, seed"),
        (STRIPES, "", r"give exactly one of the tables \[scales\], \[stripes\] and \[hunt\], got none"),
        (STRIPES, STRIPES + "\nhunt = {first = 0.1, step = 0.1}", "give exactly one of the tables .* got 2"),
        (", count = 5}", "}", r"\[stripes\] give either levels, a list of numbers, or start, stop and count"),
        ("stop = 0.5", "stop = 0.05", "stripes.stop must be above start"),
        (STRIPES, "scales = {values = [1.0, -2.0]}", "scales.values must be a list of positive numbers"),
        (STRIPES, "hunt = {first = 0.1}", "hunt.step is missing: first increment of the intensity"),
        (STRIPES, "hunt = {first = 0.1, step = 0.1, runs = 1}", "hunt.runs must be a whole number ≥ 2"),
        ('"ductility"', '"ductilty"', r"\[limit\] no measure is called 'ductilty'; there are .*drift_ratio"),
        ("value = 4.0", "value = 0.0", "limit.value must be greater than 0, got 0.0"),
        ("value = 4.0", 'value = "4"', "limit.value must be a number, got '4'"),
        ('kind = "sa", period = 0.5', 'kind = "sa"', "intensity.period is missing: period of the spectral"),
        ('kind = "sa", period = 0.5', 'kind = "sv"', "intensity.kind must be one of 'sa', 'pga', got 'sv'"),
        (
            RECORDS,
            'records = {unit = "g", name = "el-centro"}',
            r"\[records\] unit, step, format, component and raw belong",
        ),
        (RECORDS, "records = {}", "give exactly one of files, synthetic and name, got none"),
        (RECORDS, 'records = {files = ["gone/*.AT2"]}', r"\[records\] cannot read .*gone/\*\.AT2: no file fits"),
        ("magnitude = 5.0", "magnitude = 99.0", "magnitude must lie between 4 and 8.5"),
        ("mass = 100.0", "mass = -1.0", "model.mass must be"),
        ("step = 0.01", "step = 0.0", "scheme.step must be"),
        (STRIPES, STRIPES + "\nfragility = {modelling = -1.0}", "fragility.modelling"),
        (STRIPES, 'scales = {values = [1.0]}\nfragility = {method = "stripes"}', r"needs \[stripes\]"),
        (
            STRIPES,
            STRIPES + "\nparameters = {stiffness = [1.0]}",
            "with stiffness = 1.0: .*one of stiffness and period",
        ),
        (STRIPES, STRIPES + '\nmeasures = ["drifts"]', "no measure is called 'drifts'"),
    ],
)
def test_mistakes_name_the_file_the_key_and_what_to_change(read, old, new, message):
    with pytest.raises(HamexError, match=rf"study\.toml: (.|\n)*{message}"):
        read(swap={old: new})


def test_a_missing_file_says_where_to_start(tmp_path):
    with pytest.raises(HamexError, match="no such file; `hamex init` writes one"):
        hx.read_study(tmp_path / "gone.toml")
