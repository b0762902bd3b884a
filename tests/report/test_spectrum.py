"""Pictures, tables and the page of spectra: what is drawn and printed is what the library computed."""

import re

import numpy as np
import pytest

import hamex as hx
from hamex.errors import FileError, InputError
from hamex.report.spectrum.lines import USUAL_PERIODS, Lines, chosen_periods, conventions, kinds_note, tables

pytest.importorskip("matplotlib")
from hamex.report.spectrum import draw_spectrum, views, write_spectrum

G, METRES = 9.80665, hx.Units("m", "kN")
PERIODS = np.geomspace(0.05, 5.0, 24)
SHORT = hx.GroundMotion(hx.el_centro().acceleration[:400], 0.02, "g", source="first 8 s of El Centro")
MADE = hx.GroundMotion(SHORT.acceleration[::-1], 0.02, "g", source="backwards", kind="synthetic")


@pytest.fixture(scope="module")
def elastic():
    return hx.spectrum(SHORT, PERIODS, [0.02, 0.05], g=G, units=METRES)


@pytest.fixture(scope="module")
def several():
    return hx.spectrum([SHORT, MADE, SHORT.scaled(1.5)], PERIODS, g=G, units=METRES)


@pytest.fixture(scope="module")
def pair():
    return hx.spectrum(SHORT, PERIODS, g=G, units=METRES, across=MADE)


@pytest.fixture(scope="module")
def ductile():
    return hx.spectrum(SHORT, PERIODS[::3], g=G, units=METRES, ductility=[2, 4])


@pytest.fixture(scope="module")
def strong():
    return hx.spectrum(SHORT, PERIODS[::3], g=G, units=METRES, strength=[0.1, 0.2])


def curve(here, label):
    return next(line for line in here.lines if line.get_label() == label)


def words(drawing):
    parts = [drawing.get_suptitle(), drawing.get_supxlabel()]
    parts += [axes.get_title(loc="left") for axes in drawing.axes]
    return " ".join(" | ".join(parts).split())


def test_curves_are_the_results(elastic):
    acceleration, velocity, displacement = draw_spectrum(elastic, "period").axes
    for place, ratio in enumerate(("2 %", "5 %")):
        for here, name, per in (
            (acceleration, "pseudo_acceleration", G),
            (velocity, "pseudo_velocity", 1),
            (displacement, "displacement", 1),
        ):
            line = curve(here, f"damping {ratio}")
            assert np.array_equal(line.get_xdata(), PERIODS)
            assert np.array_equal(line.get_ydata(), elastic.values(name)[place] / per)
    assert acceleration.get_xscale() == "log"
    assert draw_spectrum(elastic, "period", linear=True).axes[0].get_xscale() == "linear"


def test_periods_are_drawn_in_rising_order():
    mixed = hx.spectrum(SHORT, [1.0, 0.1, 0.4], g=G, units=METRES)
    line = curve(draw_spectrum(mixed, "period").axes[0], "damping 5 %")
    assert line.get_xdata().tolist() == [0.1, 0.4, 1.0]
    assert np.array_equal(line.get_ydata(), mixed.values("pseudo_acceleration")[0, [1, 2, 0]] / G)


def test_tripartite_names_stand_on_their_lines(elastic):
    """A name just above a rising line reads PSa = 2π PSv/T there, above a falling line Sd = T PSv/2π."""
    here = draw_spectrum(elastic, "tripartite").axes[0]
    assert here.get_aspect() == 1.0  # decades are equally long both ways: lines at 45°
    read = {"g": 0, "m": 0}
    for text in here.texts:
        value, unit = text.get_text().split()
        T, v = text.get_position()
        assert text.get_rotation() == (45 if unit == "g" else 315)
        found = 2 * np.pi * v / T / G if unit == "g" else v * T / (2 * np.pi)
        assert found == pytest.approx(float(value), rel=1e-9)
        read[unit] += 1
    assert min(read.values()) >= 4
    assert "Sd [m]" in here.get_title(loc="left")


def test_adrs_lines_have_their_period(elastic):
    here = draw_spectrum(elastic, "adrs").axes[0]
    named = {text.xy: float(text.get_text().removesuffix(" s")) for text in here.texts}
    assert len(named) >= 5
    for (d, a), T in named.items():
        assert 2 * np.pi * np.sqrt(d / (a * G)) == pytest.approx(T, rel=1e-9)
    line = curve(here, "damping 5 %")
    assert np.array_equal(line.get_xdata(), elastic.values("displacement")[1])
    assert np.array_equal(line.get_ydata(), elastic.values("pseudo_acceleration")[1] / G)


def test_several_motions_have_a_median_and_say_what_was_made(several):
    drawing = draw_spectrum(several, "period", kinds=["recorded", "synthetic", "recorded"])
    here = drawing.axes[0]
    middle = curve(here, "median of 3")
    assert np.array_equal(middle.get_ydata(), np.median(several.values("pseudo_acceleration")[:, 0], axis=0) / G)
    assert np.array_equal(curve(here, "backwards").get_ydata(), several.values("pseudo_acceleration")[1, 0] / G)
    assert "1 of 3 motions synthetic" in words(drawing)


def test_motions_of_one_name_are_told_apart():
    twice = Lines(hx.spectrum([SHORT, SHORT, MADE], [0.5], g=G))
    assert twice.motions == ["1: first 8 s of El Centro", "2: first 8 s of El Centro", "backwards"]


def test_combinations_are_drawn(pair):
    drawing = draw_spectrum(pair, "period")
    for place, name in enumerate(("RotD00", "RotD50", "RotD100", "geometric mean")):
        assert np.array_equal(curve(drawing.axes[2], name).get_ydata(), pair.values("displacement")[place, 0])
    assert "180 directions" in words(drawing)


def test_yielding_curves_lie_under_the_elastic_demand(ductile):
    here = draw_spectrum(ductile, "strength").axes[0]
    alone = hx.spectrum(SHORT, PERIODS[::3], g=G).values("pseudo_acceleration")[0] / G
    assert curve(here, "elastic").get_ydata() == pytest.approx(alone, rel=2e-3)  # peaks at the ends of the steps
    assert np.array_equal(curve(here, "μ = 4").get_ydata(), ductile.values("strength")[0, 1])
    top, low = draw_spectrum(ductile, "displacement").axes
    assert np.array_equal(curve(top, "μ = 2").get_ydata(), ductile.values("displacement")[0, 0])
    assert np.array_equal(curve(low, "μ = 2").get_ydata(), np.abs(ductile.values("residual_displacement")[0, 0]))


def test_error_bars_are_the_errors(ductile):
    here = draw_spectrum(ductile, "displacement").axes[0]
    bars = [bar for bar in here.collections if type(bar).__name__ == "LineCollection"]
    assert len(bars) == 2
    for row, bar in enumerate(bars):
        long = np.array([np.ptp(segment[:, 1]) for segment in bar.get_segments()])
        assert long == pytest.approx(2 * ductile.values("displacement_error")[0, row], rel=1e-6, abs=1e-12)


def test_the_step_is_stated(ductile):
    drawing = draw_spectrum(ductile, "steps")
    assert np.array_equal(drawing.axes[0].lines[0].get_ydata(), 1000 * ductile.values("step"))
    assert "200 steps a period" in words(drawing)
    share = ductile.values("displacement_error") / ductile.values("displacement")
    assert f"largest {100 * share.max():.2g} %" in words(drawing)


def test_a_strength_gives_ductilities(strong):
    assert views(strong) == ("sheet", "ductility", "displacement", "steps")
    here = draw_spectrum(strong, "ductility").axes[0]
    assert np.array_equal(curve(here, "fy/W = 0.2").get_ydata(), strong.values("reached_ductility")[0, 1])


def test_of_branches_the_largest_strength_is_shown():
    spec = hx.spectrum(SHORT, [0.3, 0.5], g=G, ductility=[4], branches=True)
    assert np.array_equal(Lines(spec).values("strength")[0, 0, 0], spec.values("strength")[0, 0, 0])
    assert "largest strength" in conventions(spec)["branches"]


@pytest.mark.parametrize("name", ["elastic", "several", "pair", "ductile", "strong"])
@pytest.mark.chief("pair", "strong", "ductile")
def test_every_view_says_its_conventions(name, request):
    spec = request.getfixturevalue(name)
    for view in views(spec):
        said = words(draw_spectrum(spec, view))
        assert "linear between samples; one zero sample follows the last" in said
        assert "1 g = 9.80665 m/s²" in said
    with pytest.raises(InputError, match="view must be one of sheet"):
        draw_spectrum(spec, "pie")


@pytest.mark.heavy
@pytest.mark.parametrize(
    "name",
    ["elastic", "strong", *(pytest.param(name, marks=pytest.mark.heavy) for name in ("pair", "several", "ductile"))],
)
@pytest.mark.chief("strong")
def test_nothing_is_cut_off_or_covered_by_title_and_conventions(name, request):
    spec = request.getfixturevalue(name)
    for view in views(spec):
        drawing = draw_spectrum(spec, view)
        drawing.draw_without_rendering()
        width = drawing.get_figwidth() * drawing.dpi
        top, bottom = (text.get_window_extent() for text in (drawing._suptitle, drawing._supxlabel))
        for axes in drawing.axes:
            box = axes.get_tightbbox()
            assert -1 < box.x0 < box.x1 < width + 1, view
            assert bottom.y1 - 1 < box.y0 < box.y1 < top.y0 + 1, view
        assert max(top.x1, bottom.x1) < width


@pytest.mark.parametrize("options", [{}, {"ductility": [2.0]}, {"strength": [0.1, 0.2]}, {"across": MADE}])
@pytest.mark.chief("options1", "options3")
def test_one_period_and_a_motion_of_nothing_can_be_drawn(options):
    nothing = hx.GroundMotion(np.zeros(20), 0.02, "g", source="nothing")
    for spec in (
        hx.spectrum(SHORT, [0.5], g=G, **options),
        *(
            []
            if "ductility" in options
            else [hx.spectrum(nothing, PERIODS, g=G, **({"across": nothing} if "across" in options else options))]
        ),
    ):
        for view in views(spec):
            draw_spectrum(spec, view)


# Tables


def test_round_periods_are_chosen():
    fine = np.geomspace(0.03, 10, 400)
    chosen = fine[chosen_periods(fine)]
    assert np.allclose(chosen, USUAL_PERIODS, rtol=0.01)
    assert chosen_periods(np.array([2.0, 1.0])) == [1, 0]
    assert chosen_periods(np.linspace(20, 30, 50)) == [0, 49]


def test_tables_hold_the_numbers(elastic, several, pair, ductile, strong):
    place = chosen_periods(PERIODS)[3]
    (_, five) = tables(elastic)
    assert (five.title, five.columns) == ("damping 5 %", ["T [s]", "PSa [g]", "PSv [m/s]", "Sd [m]"])
    assert five.rows[3] == [
        f"{value:.4g}"
        for value in (
            PERIODS[place],
            elastic.values("pseudo_acceleration")[1, place] / G,
            elastic.values("pseudo_velocity")[1, place],
            elastic.values("displacement")[1, place],
        )
    ]
    (median,) = tables(several)
    a = several.values("pseudo_acceleration")[:, 0, place] / G
    assert median.rows[3][1:4] == [f"{value:.4g}" for value in (np.median(a), a.min(), a.max())]
    acceleration, _ = tables(pair)
    assert acceleration.rows[3][1:] == [f"{x:.4g}" for x in pair.values("pseudo_acceleration")[:, 0, place] / G]
    strength, moved, _ = tables(ductile)
    assert strength.rows[2][2:] == [f"{value:.4g}" for value in ductile.values("strength")[0, :, 2]]
    assert moved.rows[2][2:4] == [f"{value:.4g}" for value in ductile.values("displacement")[0, :, 2]]
    assert moved.rows[2][4] == f"{ductile.values('displacement_error')[0, :, 2].max():.1g}"
    assert tables(strong)[0].rows[2][1:] == [f"{x:.4g}" for x in strong.values("reached_ductility")[0, :, 2]]


# Files


@pytest.mark.parametrize(("ending", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".html", b"<!doctype html")])
@pytest.mark.chief(".svg-<?xml")
def test_files_by_ending(elastic, tmp_path, ending, start):
    path = write_spectrum(elastic, tmp_path / f"a{ending}", "period")
    assert path.read_bytes().lower().startswith(start.lower())
    again = write_spectrum(elastic, tmp_path / f"b{ending}", "period")
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", ["several", "ductile"])
@pytest.mark.chief("ductile")
def test_the_page_is_whole(name, request, tmp_path):
    spec = request.getfixturevalue(name)
    kinds = ["recorded", "matched", "recorded"] if name == "several" else ["recorded"]
    text = write_spectrum(spec, tmp_path / "a.html", kinds=kinds).read_text(encoding="utf-8")
    outside = re.sub(r'xmlns(:\w+)?="[^"]*"|<metadata>.*?</metadata>', "", text, flags=re.S)
    assert "http" not in outside
    assert "<script" not in outside
    assert text.count("<svg") == len(views(spec)) - 1
    for said in conventions(spec).values():
        assert said.replace("'", "&#x27;") in text
    for table in tables(spec):
        assert all(f"<td>{cell}</td>" in text for row in table.rows for cell in row)
    assert ("1 of 3 motions matched" in text) == (name == "several")


def test_a_source_cannot_break_the_page(tmp_path):
    spec = hx.spectrum(
        hx.GroundMotion(SHORT.acceleration, 0.02, "g", source="<script>x</script> & $a_b"), [0.2, 0.5], g=G
    )
    text = write_spectrum(spec, tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<script" not in text
    write_spectrum(spec, tmp_path / "a.svg")


def test_wrong_endings_are_refused(elastic, tmp_path):
    with pytest.raises(FileError, match="the ending must be one of"):
        write_spectrum(elastic, tmp_path / "a.pdf")


def test_kinds_in_words():
    assert kinds_note(()) == kinds_note(("recorded", "recorded")) == ""
    assert kinds_note(("matched",)) == "matched motion"
    assert kinds_note(("synthetic", "matched")) == "1 of 2 motions synthetic; 1 of 2 motions matched"
