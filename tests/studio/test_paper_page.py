"""The paper view in a browser: twelve digits of Table 2, live figures, the audit as it comes."""

import re

import pytest
from browsing import PATIENCE
from playwright.sync_api import expect

from hamex.paper.audit.run import audit, counts


@pytest.fixture
def paper(page, studio):
    page.goto(f"{studio}/#paper")
    expect(page.locator("#paper .card b").first).not_to_have_text("–")
    return page


def digits(page):
    return page.locator("#paper .card b").first


def test_table_2_shows_twelve_of_twelve_beside_newmark_and_opensees(paper):
    expect(digits(paper)).to_have_text("12 of 12")
    expect(paper.locator("#paper tbody tr")).to_have_count(6)
    expect(paper.locator("#paper tbody [aria-label=matches]")).to_have_count(12)
    row = paper.locator("#paper [data-case='elcentro-0.05'] td")
    expect(row.nth(0)).to_have_text("-5.1638")
    expect(row.nth(1)).to_have_text("-5.1638 ✓")
    expect(row.nth(7)).to_have_text("-5.2831")
    expect(paper.locator("#paper .cards")).to_contain_text(re.compile("run live|recorded"))


@pytest.mark.heavy
def test_the_average_load_moves_the_digits_and_the_paper_s_settings_bring_them_back(paper):
    curve = "() => document.querySelector('#paper .plot.rows').data[1].y.join()"
    before = paper.evaluate(curve)
    paper.locator("#paper [data-name=load] select").select_option("average")
    expect(digits(paper)).not_to_have_text("12 of 12")
    expect(paper.locator("#paper tbody [aria-label=differs]").first).to_be_visible()
    assert paper.evaluate(curve) != before
    paper.get_by_role("button", name="As in the paper").click()
    expect(digits(paper)).to_have_text("12 of 12")
    assert paper.evaluate(curve) == before


def test_every_figure_has_its_number_and_its_curves(paper):
    for number, name in ((10, "rows"), (11, "loops"), (12, "rows"), (13, "loops")):
        panel = paper.locator("#paper .panel", has_text=f"Figure {number}.")
        expect(panel.locator(f".plot.{name}")).to_be_visible()
        expect(panel.locator(".scatterlayer .trace")).to_have_count(6)


@pytest.mark.heavy
def test_a_shorter_step_is_another_run(paper):
    paper.locator("#paper [data-name=parts] select").select_option("4")
    expect(digits(paper)).not_to_have_text("12 of 12")
    expect(paper.locator("#paper aside")).to_contain_text("Not the paper's settings")


def test_the_audit_comes_in_with_its_equations_and_can_be_filtered_meanwhile(paper):
    paper.get_by_role("button", name="Audit of every equation").click()
    expect(paper.locator("#paper .item").nth(3)).to_be_visible()
    expect(paper.locator("#paper [data-equation='1'] .equation svg")).to_be_visible()
    paper.get_by_label("Find").fill("(2)")
    shown = paper.locator("#paper .item:visible")
    expect(shown).to_have_count(1)
    expect(shown.locator("h3")).to_contain_text("(2)")
    paper.get_by_label("Find").fill("no such word")
    expect(paper.get_by_text("Nothing in the paper fits this choice.")).to_be_visible()


@pytest.mark.heavy
def test_the_whole_audit_is_told_and_sorted_by_verdict(paper):
    """Half a minute of work in processes of its own, more on a busy computer."""
    paper.get_by_role("button", name="Audit of every equation").click()
    expect(paper.locator("#paper .progress .quiet")).to_have_text("all 123 judged", timeout=10 * PATIENCE)
    for verdict, count in counts(audit()).items():
        paper.locator(f"#paper .filters [data-part='{verdict}']").click()
        shown = paper.locator("#paper .item:visible")
        expect(shown).to_have_count(count)
        assert all(words.endswith(verdict) for words in shown.locator(".tag").all_inner_texts())
        assert shown.locator(".equation.waiting").count() == 0


@pytest.mark.heavy
@pytest.mark.parametrize(("width", "colours"), [(1440, "dark"), (1024, "light"), (390, "light")])
def test_nothing_is_wider_than_the_page(watched, studio, width, colours):
    page = watched.page(viewport={"width": width, "height": 900}, color_scheme=colours)
    page.goto(f"{studio}/#paper")
    expect(page.locator("#paper .card b").first).to_have_text("12 of 12")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
