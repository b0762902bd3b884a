"""``hamex records`` as a user runs it."""

import json

import numpy as np
import pytest
import record_samples as made

import hamex as hx
from hamex.motion.records.suite import record_text


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "records"
    place.mkdir()
    for name, text in {
        "RSN6_NOWHERE_A-180.AT2": made.at2(),
        "bad.AT2": made.at2().replace("0.9999999E+00", "          NaN"),
        "three.V1": made.csmip_v1(),
        "a.EW": made.knet(),
        "plain.txt": "0.1\n0.2\n",
        "el.csv": record_text(hx.el_centro(), ".csv"),
    }.items():
        (place / name).write_text(text)
    return place


def test_list_shows_what_was_read_and_why_the_rest_was_not(hamex, folder):
    code, out, err = hamex("records", "list", folder)
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    lines = out.splitlines()
    assert lines[0].split() == ["file", "component", "samples", "step", "[s]", "end", "[s]", "unit", "PGA", "[g]"]
    assert lines[2].split() == ["RSN6_NOWHERE_A-180.AT2", "180", "13", "0.005", "0.06", "g", "1"]
    assert "4 of 6 files read, 6 records" in out
    # File by file: what was read, with what is to be said of it, then what was not, and why.
    begin, end = lines.index("read"), lines.index("not read")
    assert lines[begin + 1 : end - 1] == [
        "  RSN6_NOWHERE_A-180.AT2: 1 record",
        "  a.EW: 1 record; mean removed",
        "  el.csv: 1 record",
        "  three.V1: 3 records",
    ]
    assert lines[end + 1] == "  bad.AT2: line 5: 'NaN' is not finite; mend or cut the record"
    assert lines[end + 2].startswith("  plain.txt: the file does not tell")
    assert hamex("records", folder) == (code, out, err)


def test_list_tells_what_disagrees_in_a_file_once(hamex, folder):
    (folder / "a.EW").write_text(made.knet(peak="1.000"))
    code, out, err = hamex("records", "list", folder / "a.EW")
    assert (code, err) == (0, "")
    told = " ".join(out.split())
    assert told.count("the header's peak (Max. Acc.) is 1 gal, but the largest sample is") == 1
    code, out, err = hamex("records", "show", folder / "a.EW")
    assert code == 0
    assert err.startswith("warning: ")
    assert "the header's peak (Max. Acc.) is 1 gal" in err


def numbers_in(told):
    """All numbers of a JSON document."""
    if isinstance(told, dict | list):
        for each in told.values() if isinstance(told, dict) else told:
            yield from numbers_in(each)
    elif isinstance(told, float):
        yield told


def test_raw_samples_and_the_rule_of_integrals(hamex, folder, tmp_path):
    assert hamex("records", "convert", folder / "a.EW", "raw.csv", "--raw")[0] == 0
    assert hx.read_record(tmp_path / "raw.csv").acceleration.tolist() == made.knet_gal(raw=True)
    assert hamex("records", "convert", folder / "a.EW", "plain.csv")[0] == 0
    plain = hx.read_record(tmp_path / "plain.csv")
    assert plain.acceleration == pytest.approx(made.knet_gal(), rel=1e-12)
    assert "mean removed" in plain.source
    for option, motion in ((), plain), (("--raw",), hx.read_record(tmp_path / "raw.csv")):
        told = json.loads(hamex("spectrum", folder / "a.EW", "--periods", "0.5", "--json", *option)[1])
        value = hx.spectrum(motion, [0.5], g=9.80665).values("displacement").item()
        assert f"{value:.10g}" in {f"{each:.10g}" for each in numbers_in(told)}
    for rule in ("trapezoid", "lines"):
        found = hx.intensities(hx.el_centro(), 9.80665, rule=rule)
        told = json.loads(hamex("records", "show", folder / "el.csv", "--rule", rule, "--json")[1])
        assert (told["rule"], told["measures"]["Arias"]["value"]) == (rule, found["Arias"])


def test_list_takes_choices_patterns_and_json(hamex, folder):
    code, out, _ = hamex(
        "records", "list", f"{folder}/*.txt", f"{folder}/*.V1", "--unit", "g", "--step", "0.01", "--json"
    )
    found = json.loads(out)
    assert code == 0
    assert [record["component"] for record in found["records"]] == ["", "90 Deg", "Up", "360 Deg"]
    assert [file["ok"] for file in found["files"]] == [True, True]


def test_list_of_nothing_readable_fails(hamex, folder):
    code, out, _ = hamex("records", "list", folder / "bad.AT2")
    assert code == 2
    assert "0 of 1 files read" in out
    code, _, err = hamex("records", "list", "gone/*.AT2")
    assert code == 2
    assert err == "error: cannot read gone/*.AT2: no file fits the pattern\n"


def test_show_gives_what_intensities_gives(hamex, folder):
    code, out, _ = hamex("records", "show", folder / "el.csv")
    found = hx.intensities(hx.el_centro(), 9.80665, length="m")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 100
    rows = [line.split() for line in out.splitlines() if line.startswith("  ")]
    table = {row[0]: row[1] for row in rows if len(row) > 3}
    for name in ("PGA", "PGV", "PGD", "Arias", "CAV", "D5-75", "D5-95", "Sa_avg", "Housner"):
        assert table[name] == f"{found[name]:.5g}"
    data = json.loads(hamex("records", "show", folder / "el.csv", "--json")[1])
    assert data["measures"]["Sa"]["value"] == pytest.approx(found["Sa"].tolist())
    assert data["measures"]["PGV"]["unit"] == "m/s"
    assert (data["component"], data["kind"], data["unit"]) == ("NS", "recorded", "g")


def test_show_asks_for_what_is_missing(hamex, folder):
    code, out, err = hamex("records", "show", folder / "plain.txt", "--step", "0.01")
    assert (code, out) == (2, "")
    assert "does not tell the unit of its accelerations; say it" in err
    code, _, err = hamex("records", "show", folder / "three.V1")
    assert code == 2
    assert "holds 3 records" in err


@pytest.mark.parametrize("ending", ["csv", "at2", "json"])
def test_convert_keeps_every_bit(hamex, folder, tmp_path, ending):
    code, out, _ = hamex("records", "convert", folder / "three.V1", f"out.{ending}", "--component", "up")
    assert (code, out) == (0, f"wrote out.{ending}\n")
    back = hx.read_record(tmp_path / f"out.{ending}")
    assert back.acceleration.tolist() == made.FIXED
    assert (back.unit, back.step, back.component) == ("g", 0.01, "Up")


def test_convert_to_another_unit(hamex, folder, tmp_path):
    assert (
        hamex(
            "records", "convert", folder / "plain.txt", "out.csv", "--unit", "g", "--step", "0.02", "--to-unit", "cm/s2"
        )[0]
        == 0
    )
    back = hx.read_record(tmp_path / "out.csv")
    assert (back.unit, back.step) == ("cm/s2", 0.02)
    assert back.acceleration == pytest.approx([98.0665, 196.133], rel=1e-14)


def test_convert_refuses_before_it_writes(hamex, folder, tmp_path):
    for arguments, told in (
        (["out.mat"], "the ending must be one of .csv, .at2, .json, .txt"),
        (["gone/out.csv"], "does not exist"),
        (["out.at2", "--to-unit", "m/s2"], "AT2 files are in g"),
    ):
        code, _, err = hamex("records", "convert", folder / "el.csv", *arguments)
        assert code == 2
        assert told in err
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize("ending", ["png", "svg", "html"])
@pytest.mark.chief("png")
def test_plot_is_written(hamex, folder, tmp_path, ending):
    code, out, _ = hamex("records", "plot", folder / "el.csv", "-o", f"el.{ending}")
    assert (code, out) == (0, f"wrote el.{ending}\n")
    assert (tmp_path / f"el.{ending}").stat().st_size > 10_000


def test_plot_shows_the_peaks(folder):
    from hamex.report.history import draw_record
    from hamex.study.spectra.intensities import histories

    found = histories(hx.el_centro(), 9.80665)
    axes = {axis.get_ylabel().partition("\n")[0]: axis for axis in draw_record(found, "title", "m").axes}
    for name in ("acceleration", "velocity", "displacement"):
        line, mark = axes[name].lines
        assert np.array_equal(line.get_ydata(), getattr(found, name))
        assert abs(mark.get_ydata()[0]) == np.abs(getattr(found, name)).max()
        assert axes[name].texts[0].get_text().startswith(f"{found.peaks[name]:.3g} ")


def test_help_of_records_loads_no_arrays(hamex):
    code, out, _ = hamex("records", "--help")
    assert code == 0
    assert all(word in out for word in ("list", "show", "convert", "plot"))
