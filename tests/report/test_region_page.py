"""The page of a region: complete in itself, labelled, with a map for few and for many buildings."""

import re

import numpy as np
import pytest

import hamex as hx
from hamex.errors import FileError
from hamex.report import region
from hamex.report import region as report
from hamex.report.style import STEPS

SHORT = hx.GroundMotion(hx.el_centro().acceleration[60:200], 0.02, "g", "El Centro, 3 s", kind="matched")


@pytest.fixture(scope="module")
def found():
    stations = hx.MotionGrid([SHORT, SHORT.scaled(2)], [-115.6, -115.4], [32.8, 32.8])
    return hx.region(hx.generate_inventory(60, 1, storeys=(1, 3)), stations, workers=1, sample=5)


@pytest.mark.parametrize("few", [3000, 10])
@pytest.mark.chief("10")
def test_the_page_needs_nothing_but_itself_and_says_what_it_shows(found, monkeypatch, tmp_path, few):
    monkeypatch.setattr(region, "FEW", few)
    text = report.write_region_page(found, tmp_path / "a.html").read_text()
    assert "<script" not in text
    assert re.findall(r'(?:src|href)="(?!#|data:)([^"]*)"', text) == []
    assert "Demands of bilinear shear models: no pinching, no degradation, no P-Delta" in text
    assert "matched motions" in text
    assert text.count("<svg") == 2
    assert "Hazus" in text
    assert "nearest of 2 stations" in text
    assert ("Each building is a point" in text) == (few == 3000)
    assert "of 5 buildings run again at an eighth of the step" in text
    for row in (*found.summary["by_storeys"], *found.summary["by_type"]):
        assert f"<td>{row.get('type', row.get('storeys'))}</td><td>{row['buildings']:,}</td>" in text


def test_cells_hold_the_mean_of_their_buildings():
    longitude, latitude = np.array([0.0, 0.01, 1.0, 1.0]), np.array([0.0, 0.01, 1.0, 0.0])
    image, extent = region._raster(longitude, latitude, np.array([1.0, 3.0, 5.0, 7.0]), 1.0)
    assert extent == [0.0, 1.0, 0.0, 1.0]
    assert (image[0, 0], image[-1, -1], image[0, -1]) == (2.0, 5.0, 7.0)
    assert np.isnan(image[5, 5])


@pytest.mark.parametrize("few", [3000, 10])
@pytest.mark.chief("3000")
def test_the_map_takes_the_theme_of_its_page_and_says_its_scale(found, monkeypatch, few):
    """Every class is a colour of the page, light and dark: no image that a theme cannot reach."""
    monkeypatch.setattr(region, "FEW", few)
    text = report.region_page(found)
    drawn = text[text.index("<h2>Map</h2>") : text.index("<h2>By height</h2>")]
    assert "<image" not in drawn
    used = {number for number in range(1, 6) if f"var(--step-{number})" in drawn}
    assert used == set(range(1, 6))  # the scale beside the map shows them all
    figure = region.draw_map(found)
    words = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert len([one for one in words if one.endswith("km")]) == 2
    assert [axes.get_xlabel() for axes in figure.axes[:2]] == ["longitude [°]"] * 2
    scales = [[label.get_text() for label in axes.get_xticklabels()] for axes in figure.axes[2:]]
    assert all(len(one) == len(STEPS) + 1 for one in scales)


def test_classes_end_at_round_numbers_that_hold_nearly_all():
    values = np.concatenate([np.linspace(0, 3.7, 990), [90.0] * 10])
    edges = region._edges(values, np.inf)
    assert edges.tolist() == pytest.approx([0, 0.8, 1.6, 2.4, 3.2, 4.0])
    assert region._edges(np.array([99.0]), 100.0)[-1] == 100.0
    assert region._edges(np.zeros(3), 100.0)[0] == 0.0


def test_another_ending_is_refused(found, tmp_path):
    with pytest.raises(FileError, match=r"ending must be one of \.html"):
        report.write_region_page(found, tmp_path / "a.pdf")
