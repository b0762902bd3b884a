"""Every page of the program: one stylesheet, one frame, figures that follow it, nothing from elsewhere."""

import colorsys
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from every_page import KINDS, TWINS

from hamex import __version__
from hamex.report.page import STYLE, captioned, page, table
from hamex.report.style import COLOURS, ENERGIES, themed, variable, variables

VOID = {"meta", "link", "br", "img", "hr", "input", "path", "use", "circle", "image", "rect", "line", "polygon", "stop"}


class Read(HTMLParser):
    """Elements in order, each with its attributes and those it stands in."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open, self.wrong = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes), tuple(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.found.append((tag, dict(attributes), tuple(self.open)))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def all(self, *tags):
        return [(attributes, inside) for tag, attributes, inside in self.found if tag in tags]


@pytest.fixture(
    scope="module", params=[pytest.param(kind, marks=[pytest.mark.heavy] if kind in TWINS else []) for kind in KINDS]
)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def text(pages, name):
    return pages[name].read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def read(text):
    return Read(text)


def test_the_frame_is_the_same(text, read, name):
    assert re.findall("<style[^>]*>(.*?)</style>", text, re.DOTALL) == [STYLE]
    assert text.startswith('<!doctype html>\n<html lang="en">')
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in text
    assert f'<header class="top"><p class="wordmark">hamex <span>{KINDS[name]}</span></p></header>' in text
    assert f"<footer><p>Made by hamex {__version__}.</p>" in text
    assert [len(read.all(tag)) for tag in ("main", "header", "footer", "title")] == [1, 1, 1, 1]
    assert read.wrong == []
    assert read.open == []


def test_nothing_comes_from_elsewhere(text, read):
    for tag, attributes, _ in read.found:
        for key in ("src", "href", "xlink:href", "data", "action", "srcset"):
            target = attributes.get(key) or ""
            assert not re.match("(https?:)?//", target) or (tag == "a" and key == "href"), (tag, target)
    assert not read.all("script", "iframe", "object", "embed")
    assert not re.search(r"@import|url\(\s*['\"]?(?!#|data:)", text)
    assert "/root" not in text
    assert "/tmp" not in text


def test_headings_have_one_top_and_leave_no_level_out(read):
    levels = [int(tag[1]) for tag, _, _ in read.found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_figure_says_what_it_shows_and_every_table_scrolls_by_itself(read, text):
    figures = re.findall("<figure.*?</figure>", text, re.DOTALL)
    for figure in figures:
        first = re.search("<svg[^>]*>", figure)[0]
        assert 'role="img"' in first
        assert len(re.search('aria-label="([^"]*)"', first)[1]) > 8
        assert re.search("<figcaption>.{8,}</figcaption>", figure, re.DOTALL)
    for attributes, inside in read.all("svg"):
        assert attributes.get("aria-label") or attributes.get("aria-hidden") or "div" in inside
    for attributes, inside in read.all("table"):
        assert "div" in inside
        assert attributes.get("class") == "matrix" or text.count('<div class="scroll"><table') > 0
    for attributes, _ in read.all("th"):
        assert attributes["scope"] == "col"
    for attributes, _ in read.all("img"):
        assert attributes["alt"]


def test_figures_take_their_colours_from_the_page(text):
    assert re.findall(r"(?:fill|stroke|color): ?(#[0-9a-fA-F]{3,6})", text.replace(STYLE, "")) == []
    charts = re.findall(r'<svg[^>]*class="chart".*?</svg>', text, re.DOTALL)
    assert all("var(--ink)" in chart for chart in charts)
    assert len(charts) == text.count('class="chart"')


def test_names_on_a_page_are_unique_and_links_inside_it_lead_somewhere(read):
    names = [attributes["id"] for _, attributes, _ in read.found if attributes.get("id")]
    assert sorted(set(names)) == sorted(names)
    links = {attributes.get("href") or attributes.get("xlink:href") or "" for attributes, _ in read.all("a", "use")}
    assert {link[1:] for link in links if link.startswith("#")} <= set(names)


def test_a_page_is_the_same_each_time():
    from hamex.report.style import figure, to_svg

    def made():
        with figure(1, 2) as (drawing, axes):
            axes[0, 0].plot([0, 1], [0, 1], marker="o")
            axes[0, 1].plot([0, 1], [1, 0])
        return page("A & B", captioned(to_svg(drawing), "Two <i>lines</i>.") + table([], [["a"]]), "from <b>here</b>")

    text = made()
    assert text == made()
    assert 'aria-label="Two lines."' in text
    assert "<title>A &amp; B</title>" in text
    assert "<thead" not in text


def test_figures_that_share_letters_bring_them_once():
    from hamex.report.style import figure, to_svg

    drawings = []
    for label in ("one", "none"):
        with figure() as (drawing, axes):
            axes[0, 0].set(xlabel=label, xticks=[], yticks=[])
        drawings.append(to_svg(drawing))
    first, second = (set(re.findall('<path id="(DejaVuSans-[^"]+)"', drawing)) for drawing in drawings)
    assert len(first) == 3
    assert first == second  # o, n and e
    text = page("Two", "".join(drawings))
    assert sorted(re.findall('<path id="(DejaVuSans-[^"]+)"', text)) == sorted(first)
    assert len(re.findall('xlink:href="#DejaVuSans', text)) == len("one") + len("none")


def luminance(colour):
    """Relative luminance, WCAG 2.2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_can_be_read_on_their_paper(theme):
    shades = {name: both[theme] for name, both in COLOURS.items()}
    for name in ("ink", "soft", "accent", "good", "bad", "brown", "pine"):
        for ground in ("paper", "wash"):
            assert contrast(shades[name], shades[ground]) >= 4.5, name
    for name in ("blue", "orange", "green", "pink", "sky", "red", "grey"):
        assert contrast(shades[name], shades["paper"]) >= (2.2 if theme == 0 else 3.0), name
    steps = [contrast(shades[f"step-{number}"], shades["paper"]) for number in range(1, 6)]
    assert all(after > 1.3 * before for before, after in pairwise(steps))  # in print they are greys


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_energies_keep_their_colours_on_dark_paper(theme):
    """Stored energy is the deeper blue and kinetic the lighter one; neither takes the other's place."""
    stored, kinetic = (COLOURS[name][theme] for name in ("stored", "kinetic"))
    assert luminance(kinetic) > 1.8 * luminance(stored)
    for name, other in (("stored", "kinetic"), ("kinetic", "stored")):
        light, dark = COLOURS[name]
        assert contrast(light, dark) < contrast(light, COLOURS[other][1])
    assert re.search(rf"--stored: {stored}; --kinetic: {kinetic};", variables(dark=bool(theme)))
    shades = [ENERGIES[name] for name in ENERGIES]
    assert len(set(shades)) == len(shades)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_damage_states_read_as_worse_and_worse(theme):
    """Yellow, orange, red, purple: the hue goes one way round, and nothing that is damaged is green or blue."""
    hues = []
    for number in range(2, 6):
        red, green, blue = (int(COLOURS[f"step-{number}"][theme][i : i + 2], 16) / 255 for i in (1, 3, 5))
        hue = colorsys.rgb_to_hls(red, green, blue)[0] * 360
        hues.append(hue if hue < 180 else hue - 360)
    assert all(before > after for before, after in pairwise(hues))
    assert hues[0] < 60
    assert hues[-1] > -90
    none = [int(COLOURS["step-1"][theme][i : i + 2], 16) for i in (1, 3, 5)]
    assert max(none) - min(none) < 24  # grey


def test_a_colour_stands_for_one_variable():
    """Names that look alike on white look alike on dark, so that a figure's colour has one meaning."""
    for light, dark in COLOURS.values():
        assert COLOURS[variable(light)[6:-1]] == (light, dark)
    assert variable("#0072B2") == "var(--blue)"
    assert variable("#123456") == "#123456"
    assert themed('style="fill: #ffffff; stroke: #1d2330"') == 'style="fill: var(--paper); stroke: var(--ink)"'
