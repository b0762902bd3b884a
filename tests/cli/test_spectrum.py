"""``hamex spectrum`` as a user runs it."""

import json

import numpy as np
import pytest

import hamex as hx
from hamex.motion.records.suite import record_text

G = 9.80665


def numbers(out, title):
    """Rows of the table under a title."""
    lines = out.splitlines()
    top = next(place for place, line in enumerate(lines) if line.startswith(title))
    rows = []
    for line in lines[top + 3 :]:
        if not line.strip():
            break
        rows.append(line.split())
    return rows


def test_the_screen_shows_what_the_library_gives(hamex):
    code, out, err = hamex("spectrum", "el-centro", "--periods", "0.1,0.5,2", "--damping", "0.02,0.05")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    spec = hx.spectrum(hx.el_centro(), [0.1, 0.5, 2], [0.02, 0.05], g=G)
    for place, title in enumerate(("damping 2 %", "damping 5 %")):
        want = np.stack(
            [
                spec.periods,
                spec.values("pseudo_acceleration")[place] / G,
                spec.values("pseudo_velocity")[place],
                spec.values("displacement")[place],
            ],
            axis=1,
        )
        assert numbers(out, title) == [[f"{value:.4g}" for value in row] for row in want]
    assert "El Centro 1940 NS" in out
    assert "linear between samples; one zero sample follows the last" in out
    assert "1 g = 9.80665 m/s²" in out


def test_periods_by_default_hold_the_round_ones(hamex):
    found = json.loads(hamex("spectrum", "el-centro", "--json")[1])
    periods = found["coordinates"]["period"]
    assert {0.2, 0.5, 1.0, 2.0} < set(periods)
    assert (periods[0], periods[-1]) == pytest.approx((0.03, 10.0))
    assert periods == sorted(periods)
    assert len(periods) > 200


def test_constant_ductility(hamex):
    code, out, _ = hamex("spectrum", "el-centro", "--periods", "0.2:1:3", "--ductility", "2,4", "--hardening", "0.05")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    spec = hx.spectrum(hx.el_centro(), np.geomspace(0.2, 1, 3), g=G, ductility=[2, 4], hardening=0.05)
    rows = numbers(out, "yield force over weight, damping 5 %")
    assert [row[2:] for row in rows] == [[f"{value:.4g}" for value in row] for row in spec.values("strength")[0].T]
    rows = numbers(out, "largest displacement [m]")
    assert [row[2:4] for row in rows] == [[f"{x:.4g}" for x in row] for row in spec.values("displacement")[0].T]
    assert "hardening 0.05" in out
    assert "200 steps a period" in " ".join(out.split())


def test_constant_strength_and_json(hamex):
    found = json.loads(
        hamex("spectrum", "el-centro", "--periods", "0.5,1", "--strength", "0.1", "--viscosity", "0.01", "--json")[1]
    )
    spec = hx.spectrum(hx.el_centro(), [0.5, 1], g=G, strength=[0.1], viscosity=0.01)
    assert found["dims"] == ["damping", "strength", "period"]
    for name in ("reached_ductility", "displacement", "displacement_error", "step"):
        assert found["results"][name]["values"] == spec.values(name).tolist()
    assert found["results"]["displacement"]["unit"] == "m"
    assert found["motions"][0]["kind"] == "recorded"
    assert "bilinear" in found["conventions"]["law"]
    assert found["written"] == []


def test_files_pairs_and_kinds(hamex, tmp_path):
    motion = hx.el_centro()
    made = hx.GroundMotion(0.5 * motion.acceleration[::-1], motion.step, "g", source="backwards", kind="synthetic")
    (tmp_path / "made.csv").write_text(record_text(made, ".csv"))
    np.savetxt(tmp_path / "plain.txt", motion.acceleration[:300] * 100)
    code, out, _ = hamex("spectrum", "el-centro", "made.csv", "--pair", "--periods", "0.5")
    spec = hx.spectrum(motion, [0.5], g=G, across=made)
    assert code == 0
    assert numbers(out, "PSa [g], damping 5 %") == [
        ["0.5", *(f"{value:.4g}" for value in spec.values("pseudo_acceleration")[:, 0, 0] / G)]
    ]
    assert "[synthetic motion]" in out
    code, out, _ = hamex("spectrum", "el-centro", "made.csv", "--periods", "0.5")
    both = hx.spectrum([motion, made], [0.5], g=G)
    assert numbers(out, "median of 2 motions")[0][1] == f"{np.median(both.values('pseudo_acceleration')) / G:.4g}"
    code, _, err = hamex("spectrum", "plain.txt", "--periods", "0.5")
    assert code == 2
    assert "does not tell" in err
    code, out, _ = hamex(
        "spectrum",
        "plain.txt",
        "--periods",
        "0.5",
        "--unit",
        "cm/s2",
        "--step",
        "0.02",
        "--peaks",
        "samples",
        "--interpolation",
        "band-limited",
    )
    plain = hx.spectrum(
        hx.read_record(tmp_path / "plain.txt", unit="cm/s2", step=0.02),
        [0.5],
        g=G,
        peaks="samples",
        interpolation="band-limited",
    )
    assert numbers(out, "damping 5 %")[0][1] == f"{plain.values('pseudo_acceleration')[0, 0] / G:.4g}"


@pytest.mark.parametrize(
    ("g", "said"),
    [
        ("386.0886", "386.089 in/s²"),
        ("386.4", "386.4 in/s²"),
        ("980.665", "980.665 cm/s²"),
        ("1", "1 length (unit not stated)/s²"),
    ],
)
def test_gravity_names_the_unit_of_length(hamex, g, said):
    code, out, _ = hamex("spectrum", "el-centro", "--periods", "0.5", "--g", g)
    assert code == 0
    assert f"1 g = {said}" in out
    spec = hx.spectrum(hx.el_centro(), [0.5], g=float(g))
    assert numbers(out, "damping 5 %")[0][-1] == f"{spec.values('displacement')[0, 0]:.4g}"


@pytest.mark.parametrize(
    ("ending", "start"),
    [
        pytest.param(".png", b"\x89PNG", marks=pytest.mark.heavy),  # as in tests/report/test_spectrum.py
        pytest.param(".svg", b"<?xml", marks=pytest.mark.heavy),
        (".html", b"<!doctype html"),
        (".csv", b"# interpolation: linear"),
        (".nc", b"\x89HDF"),
    ],
)
@pytest.mark.chief(".nc-\\x89HDF", ".csv-# interpolation: linear")
def test_files_by_ending(hamex, tmp_path, ending, start):
    pytest.importorskip("matplotlib")
    code, out, _ = hamex("spectrum", "el-centro", "--periods", "0.1:2:9", "-o", f"out{ending}")
    assert code == 0
    assert out.endswith(f"wrote out{ending}\n")
    assert (tmp_path / f"out{ending}").read_bytes().lower().startswith(start.lower())


def test_several_files_at_once(hamex, tmp_path):
    code, out, _ = hamex(
        "spectrum",
        "el-centro",
        "--periods",
        "0.5,1",
        "-o",
        "a.csv",
        "-o",
        "b.html",
        "-o",
        "c.svg",
        "--view",
        "tripartite",
    )
    assert code == 0
    assert out.endswith("wrote a.csv\nwrote b.html\nwrote c.svg\n")
    rows = [line for line in (tmp_path / "a.csv").read_text().splitlines() if not line.startswith("#")]
    spec = hx.spectrum(hx.el_centro(), [0.5, 1], g=G)
    assert rows[0].split(",")[:3] == ["damping [1]", "period [s]", "displacement [m]"]
    assert [float(row.split(",")[2]) for row in rows[1:]] == spec.values("displacement")[0].tolist()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "out.pdf"], "cannot write out.pdf: the ending must be one of .nc, .csv, .xlsx, .png, .svg, .html"),
        (["-o", "gone/out.csv"], "cannot write gone/out.csv: the folder gone does not exist"),
        (["--periods", "a:1:5"], "--periods: 'a' is not a number"),
        (["--periods", "0.1:5"], "--periods: write A:B:N"),
        (["--periods", "5:0.1:9"], "--periods: A:B must be positive seconds, the shorter first; got 5:0.1"),
        (["--periods", "0.1:nan:9"], "--periods: A:B must be positive seconds"),
        (["--periods", "0.1:5:1"], "--periods: the number of periods must be whole, from 2 to 1,000,000; got '1'"),
        (["--periods", "0.1:5:9999999"], "--periods: the number of periods"),
        (["--periods", "0.1,,2"], "--periods: '' is not a number"),
        (["--periods", "0,1"], "periods must be positive seconds, but periods[0] is 0"),
        (["--damping", "five"], "--damping: 'five' is not a number"),
        (["--damping", "5"], "damping is a ratio of critical"),
        (["--ductility", "2;4"], "--ductility: '2;4' is not a number"),
        (["--ductility", "1"], "ductility must be above 1"),
        (["--strength", "0"], "strength must be above 0"),
        (["--ductility", "2", "--strength", "0.1"], "give either --ductility or --strength"),
        (["--hardening", "0.1"], "--hardening is for oscillators that yield; give --ductility or --strength"),
        (["--viscosity", "0.1"], "--viscosity is for oscillators that yield"),
        (["--ductility", "2", "--hardening", "1"], "hardening must be a number ≥ 0 and < 1"),
        (["--ductility", "2", "--peaks", "samples"], "peaks is for elastic spectra"),
        (["--pair"], "--pair takes two records, the components of one motion; got 1"),
        (["el-centro", "--pair", "--ductility", "2"], "--pair is for elastic spectra"),
        (["--g", "0"], "g must be positive"),
        (["--g", "nan"], "g must be positive"),
        (["--view", "pie", "--periods", "0.5,1", "-o", "a.png"], "view must be one of sheet, period, tripartite, adrs"),
        (["none.AT2"], "cannot read none.AT2"),
    ],
)
def test_wrong_options_are_named(hamex, tmp_path, arguments, said):
    code, out, err = hamex("spectrum", "el-centro", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert said in err
    assert not list(tmp_path.glob("*.*"))


def test_outputs_are_checked_before_any_work(hamex, monkeypatch):
    from hamex.study import spectra

    monkeypatch.setattr(spectra, "spectrum", lambda *_, **__: pytest.fail("worked before it looked"))
    assert hamex("spectrum", "el-centro", "-o", "fine.csv", "-o", "gone/out.png")[0] == 2
