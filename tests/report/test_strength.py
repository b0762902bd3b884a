"""Sheets, pages and films of runs in which a storey loses its strength; and of those in which none does."""

import re
from html import unescape

import numpy as np
import pytest

import hamex as hx
from hamex.report.animation import _stage
from hamex.report.history import draw_run, write_plot
from hamex.report.law import weakened

WEAK = hx.laws.IMK(60.0, cap_ratio=1.1, plastic=0.02, post_cap=0.04, reloading="pinching", kappa_f=0.4)


def run(law, scale=1.5):
    units = hx.Units("m", "kN")
    model = hx.shear_frame(
        [40.0, 40.0], [16000.0] * 2, hx.ratio(0.03), [law, None], heights=3.0, weights=[400.0] * 2, units=units
    )
    load = hx.el_centro().scaled(scale).on(model, g=units.gravity)
    return hx.solve(hx.Problem(model, load, duration=31.2), hx.Galerkin(0.01))


@pytest.fixture(scope="module")
def down():
    found = run(WEAK)
    assert found.collapse is not None
    return found


def titles(drawing):
    return [axes.get_title(loc) for axes in drawing.axes for loc in ("left", "center")]


def test_the_sheet_shows_the_loop_and_what_is_left_of_the_storey(down):
    found = draw_run(down)
    assert "hysteresis of storey 1" in titles(found)
    (shown,) = (axes for axes in found.axes if axes.get_ylabel() == "strength left [%]")
    assert "storey 1: 0 % of its strength left" in "".join(titles(found))
    assert "dashed: it goes down sideways" in "".join(titles(found))
    line = max(shown.lines, key=lambda line: line.get_linewidth())
    assert line.get_ydata()[0] == 100.0
    assert line.get_ydata()[-1] == pytest.approx(100 * weakened(down).left[-1, 0])
    assert any(line.get_linestyle() == "--" and line.get_xdata()[0] == down.collapse.time for line in shown.lines)


def test_the_page_tells_the_end_the_fall_and_every_promise(down, tmp_path):
    text = write_plot(down, tmp_path / "down.html", "Down").read_text(encoding="utf-8")
    said = unescape(re.sub(r"<[^>]+>", " ", text))
    assert f"{down.collapse}"[1:] in said
    for name, words in down.promises._asdict().items():
        assert f"{name.replace('_', ' ')}: {words}".lower() in said.lower()
    assert "Springs that lost strength, the weakest first" in said
    assert text.count("<svg") == 2


def test_a_film_says_what_is_left_and_when_it_goes_down(down):
    nodes = np.array([0, round(down.collapse.time / down.step) + 1, down.steps])
    drawing, update = _stage(down, nodes, None, "")
    for frame, words in enumerate(["storey 1: 100 % of its strength left", "goes down", "goes down"]):
        update(frame)
        assert any(words in title for title in titles(drawing))


def test_where_nothing_is_lost_nothing_is_said(tmp_path):
    firm = run(hx.Slider(60.0), scale=0.3)
    assert weakened(firm) is None
    assert not any(axes.get_ylabel() == "strength left [%]" for axes in draw_run(firm).axes)
    text = write_plot(firm, tmp_path / "firm.html", "Firm").read_text(encoding="utf-8")
    assert "strength" not in text
    assert "One solution: promised beforehand" in text
    kept = hx.read(firm.save(tmp_path / "firm.nc"))
    assert weakened(kept) is None


def test_an_oscillator_has_its_sheet_too():
    model = hx.oscillator(40.0, 16000.0, hx.ratio(0.03), WEAK, hx.Units("m", "kN"))
    load = hx.el_centro().scaled(1.5).on(model, g=model.units.gravity)
    found = draw_run(hx.solve(hx.Problem(model, load, duration=31.2), hx.Galerkin(0.01)))
    assert any(axes.get_ylabel() == "strength left [%]" for axes in found.axes)
