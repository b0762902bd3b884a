"""Outputs that find no room on the disk, as a user meets them; `make torture` fills a real one."""

import pytest
from faults import little_room

import hamex as hx

pytest.importorskip("resource")


@pytest.mark.parametrize(
    ("arguments", "target"),
    [
        ("run problem.toml -o a.nc", "a.nc"),
        ("run problem.toml -o a.csv", "a.csv"),
        ("run problem.toml -o a.xlsx", "a.xlsx"),
        ("run problem.toml --plot a.png", "a.png"),
        ("run problem.toml --plot a.html", "a.html"),
        ("spectrum el-centro -o s.csv", "s.csv"),
        ("spectrum el-centro -o s.nc", "s.nc"),
        ("records convert record.csv r.at2", "r.at2"),
        ("region town.csv --generate 300 --force", "town.csv"),
        ("derive harmonic --latex d.tex", "d.tex"),
        ("init problem.toml --force", "problem.toml"),
        ("law bilinear --html law.html", "law.html"),
    ],
)
@pytest.mark.chief(
    "run problem.toml -o a.csv-a.csv",
    "run problem.toml --plot a.png-a.png",
    "run problem.toml -o a.nc-a.nc",
    "derive harmonic --latex d.tex-d.tex",
)
def test_a_full_disk_is_a_sentence_and_keeps_the_old_file(arguments, target, hamex, tmp_path):
    hamex("init", "problem.toml")
    if "record.csv" in arguments:
        motion = hx.el_centro()
        rows = (f"{i * motion.step:.2f},{a!r}\n" for i, a in enumerate(motion.acceleration.tolist()))
        (tmp_path / "record.csv").write_text("time_s,acceleration_g\n" + "".join(rows))
    before = (tmp_path / target).read_text() if target == "problem.toml" else "precious"
    (tmp_path / target).write_text(before)
    there = {path.name for path in tmp_path.iterdir()}
    with little_room(400):
        code, _, err = hamex(*arguments.split())
    assert code == 2
    assert err == f"error: cannot write {target}: File too large; what stood there before is kept\n"
    assert (tmp_path / target).read_text() == before
    assert {path.name for path in tmp_path.iterdir()} - {"cache"} == there
