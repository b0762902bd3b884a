"""One verb draws every noun, and a notebook shows each in a line with a small picture."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError
from hamex.report.push import bilinear


@pytest.fixture(scope="module")
def nouns():
    frame = hx.shear_frame(
        [1.0, 1.0], [300.0, 200.0], laws=[hx.Slider(5.0), hx.Slider(4.0)], heights=3.0, units=hx.Units("m", "kN")
    )
    motion = hx.el_centro()
    study = hx.Study(frame, {"record": [motion], "scale": [0.5, 1.0]}, ("drift",), hx.Galerkin(0.02))
    return {
        "model": frame,
        "motion": motion,
        "solution": hx.solve(hx.Problem(frame, motion.on(frame), 5.0), hx.Galerkin(0.02)),
        "pushover": hx.pushover(frame, "floor 2", 0.1, steps=20),
        "spectrum": hx.spectrum(motion, [0.1, 0.5, 1.0], g=9.80665),
        "ida": hx.ida(study, "drift", limit=0.02, intensity=hx.Pga(), workers=1),
        "problem": hx.Problem(frame, motion.on(frame), 5.0),
        "load": motion.on(frame) + motion.on(frame),
        "modes": hx.modes(frame),
        "oscillators": hx.oscillators(period=np.linspace(0.1, 3.0, 1000), damping_ratio=0.05),
        "study": study,
    }


@pytest.mark.parametrize("name", ["model", "motion", "solution", "pushover", "spectrum", "ida"])
@pytest.mark.chief("solution", "model")
def test_plot_draws_and_notebooks_show(nouns, name):
    drawing = nouns[name].plot("a title")
    assert any(axes.lines or axes.collections for axes in drawing.axes)
    shown = nouns[name]._repr_html_()
    assert "data:image/png" in shown
    assert len(shown) < 200_000


def test_every_noun_prints_in_a_few_lines(nouns):
    for noun in nouns.values():
        assert len(repr(noun).splitlines()) <= 3
        assert len(repr(noun)) < 300


def test_what_has_no_shape_says_so_and_is_shown_in_words():
    oscillator = hx.oscillator(mass=1.0, stiffness=225.0)
    with pytest.raises(InputError, match="no shape to draw"):
        oscillator.plot()
    assert oscillator._repr_html_().startswith("<pre>&lt;Model: 1 dofs")


def test_laws_are_drawn_where_a_stiffness_and_a_path_are_told():
    """A law alone has neither, and says what to ask for."""
    law = hx.laws.Bilinear(1.0, plastic=0.02, post_cap=0.05)
    path = [0.0, 0.03, -0.03, 0.0]
    loop = hx.plot(hx.law_trial(law, stiffness=100.0, path=path)).axes[0]
    drawn = next(line for line in loop.lines if line.get_label() == "this law")
    assert np.array_equal(drawn.get_ydata(), hx.respond(law, path, 100.0, events=True).force)
    with pytest.raises(InputError, match=r"a law alone.*hx.law_trial\(law, stiffness=…, reach=…\)"):
        hx.plot(law)


def test_the_bilinear_line_takes_the_work_of_the_curve():
    """Own reference: the area below a smooth curve, both signs."""
    u = np.linspace(0.0, 3.0, 2001)
    f = np.tanh(2 * u)
    for sign in (1.0, -1.0):
        fit = bilinear(sign * u, sign * f)
        assert np.trapezoid(fit.corners[1], fit.corners[0]) == pytest.approx(np.trapezoid(f, u), rel=1e-6)
        slope = fit.yield_factor / fit.yield_displacement
        crossing = np.interp(0.6 * abs(fit.yield_factor), f, u)
        assert slope == pytest.approx(0.6 * abs(fit.yield_factor) / crossing, rel=1e-6)
    assert bilinear(u, u) is None
    assert bilinear(np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])) is None
