"""Films: what moves is what was computed, the picture says by how much it magnifies, files are whole or not there."""

import re

import numpy as np
import pytest
from repetitions import chiefly

import hamex as hx
from hamex.errors import FileError, InputError

pytest.importorskip("matplotlib")
from PIL import Image

from hamex.report import animation
from hamex.report.structure import lines

UNITS = hx.Units("m", "kN")


def frame():
    column, hinge = {"modulus": 30e6, "area": 0.09, "inertia": 6.75e-4}, hx.Slider(40.0)
    return hx.frame(
        {"A": (0, 0), "B": (0, 3), "C": (5, 3), "D": (5, 0)},
        {name: hx.Member(*name, **column, hinges=hinge if name != "BC" else None) for name in ("AB", "BC", "DC")},
        {"A": "fixed", "D": "fixed"},
        {"B": 20.0, "C": 20.0},
        units=UNITS,
    )


MODELS = {
    "oscillator": lambda: hx.oscillator(1.0, 225.0, law=hx.Slider(1.2), units=UNITS),
    "shear frame": lambda: hx.shear_frame([1.0, 1.0], [300.0, 200.0], laws=hx.Slider(2.0), heights=3.0, units=UNITS),
    "frame": frame,
}


@pytest.fixture(scope="module", params=chiefly(["oscillator", "frame"], MODELS))
def solved(request):
    model = MODELS[request.param]()
    return hx.solve(hx.Problem(model, hx.el_centro().on(model), 3.0), hx.Galerkin(0.02))


@pytest.mark.parametrize("ending", ["gif", "html"])
@pytest.mark.chief("oscillator-gif", "oscillator-html")
def test_a_film_has_so_many_frames(solved, ending, tmp_path):
    seen = []
    path = solved.animate(
        tmp_path / f"run.{ending}", seconds=0.3, title="A <title>", progress=lambda *x: seen.append(x)
    )
    assert seen == [(place, 7) for place in range(1, 8)]
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    if ending == "gif":
        with Image.open(path) as film:
            assert (film.n_frames, film.info["duration"], film.info["loop"]) == (7, 50, 0)
            assert film.convert("RGB").getpixel((3, 200)) == (255, 255, 255)
    else:
        text = path.read_text(encoding="utf-8")
        assert text.count("data:image/png") == 8  # one before the script runs
        assert "A &lt;title&gt;" in text
        assert not re.findall(r"(?:src|href)=.?https?:", text)


def test_what_moves_is_the_solution(solved):
    """Own reference: positions of the nodes, times the factor that the picture tells."""
    nodes = np.array([0, 70, 150])
    drawing, update = animation._stage(solved, nodes, None, "")
    scene, history = drawing.axes[0], drawing.axes[1]
    update(1)
    words = scene.get_title(loc="left")
    assert words.startswith("t = 1.40 s, displacements × ")
    factor = float(words.split("× ")[1].split("\n")[0])
    dot = history.lines[-1].get_data()
    peak = np.abs(solved.values("displacement")[70]).max()
    assert dot[0][0] == pytest.approx(1.4)
    assert abs(dot[1][0]) <= peak
    geometry = solved.layout.geometry
    if geometry is None:
        assert factor == 1
        middle = np.asarray(scene.patches[0].get_xy())[:4, 0].mean()
        assert middle == pytest.approx(solved.values("displacement")[70, 0])
        return
    moved = (geometry.motion @ solved.values("displacement")[70]).reshape(geometry.coordinates.shape)
    drawn = [np.column_stack(line.get_data()) for line in scene.lines]
    for line, _ in lines(geometry, geometry.coordinates + factor * moved):
        assert any(each.shape == line.shape and np.allclose(each, line) for each in drawn)


@pytest.mark.heavy
def test_slow_loading_is_a_film_too(tmp_path):
    push = hx.pushover(MODELS["shear frame"](), "floor 2", 0.1, steps=6)
    drawing, update = animation._stage(push, np.array([0, 3, 6]), 2.0, "")
    update(2)
    factor = push.values("load_factor")[-1]
    assert drawing.axes[0].get_title(loc="left").startswith(f"load factor {factor:.3g}, displacements × 2")
    assert push.animate(tmp_path / "push.gif", seconds=0.2).exists()


def test_what_cannot_be_drawn_or_written_is_refused_beforehand(solved, tmp_path, monkeypatch):
    with pytest.raises(FileError, match=r"ending must be one of \.gif, \.mp4, \.html"):
        solved.animate(tmp_path / "run.avi")
    with pytest.raises(FileError, match="does not exist"):
        solved.animate(tmp_path / "nowhere" / "run.gif")
    with pytest.raises(InputError, match="seconds must be a positive number"):
        solved.animate(tmp_path / "run.gif", seconds=0)
    with pytest.raises(InputError, match="scale must be a finite number"):
        solved.animate(tmp_path / "run.gif", scale=float("nan"))
    matrices = hx.structure([2.0, 1.0], 0, [1 / 300, 1 / 200], [[1, -1], [0, 1]], hx.Slider(5.0))
    sol = hx.solve(hx.Problem(matrices, hx.el_centro().on(matrices, g=9.81), 1.0), hx.Galerkin(0.02))
    with pytest.raises(InputError, match="no shape to draw"):
        sol.animate(tmp_path / "run.gif")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileError, match=r"need ffmpeg; install it, or write \.gif or \.html"):
        solved.animate(tmp_path / "run.mp4")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.chief("frame")
def test_a_film_that_is_ended_leaves_what_stood_there(solved, tmp_path):
    path = tmp_path / "run.gif"
    path.write_text("before")
    with pytest.raises(InputError, match="ended before its last frame"):
        solved.animate(path, seconds=0.3, progress=lambda done, count: done < 3)
    assert path.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.chief("frame")
def test_ffmpeg_gets_every_frame_and_its_words_are_told(solved, tmp_path, monkeypatch):
    """A program under its name that keeps what it is sent, and one that fails; the real one is not everywhere."""
    program = tmp_path / "ffmpeg"
    program.write_text('#!/bin/sh\nfor last; do :; done\ncase $1 in -version) exit 0;; esac\ncat > "$last"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    film = solved.animate(tmp_path / "run.mp4", seconds=0.2)
    assert film.stat().st_size == 5 * 840 * 440 * 3
    program.write_text("#!/bin/sh\ncase $1 in -version) exit 0;; esac\necho 'no room' >&2\nexit 1\n")
    with pytest.raises(FileError, match="ffmpeg says: no room"):
        solved.animate(tmp_path / "again.mp4", seconds=0.2)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["ffmpeg", "run.mp4"]
