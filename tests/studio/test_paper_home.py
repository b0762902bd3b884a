"""The paper view taken home: a script of Table 2, and pages of the figures and of the audit."""

import csv

import pytest
from playwright.sync_api import expect
from test_study_home import data, zoomed
from test_take_home import alone, gift, run_code

SETTINGS = [
    {},
    {"load": "average"},
    {"load": "mean", "parts": 4},
    {"viscosity": 0.5, "kinematic": 12.5},
    {"viscosity": 0, "parts": 2},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.chief("{}", "{'load': 'mean', 'parts': 4}")
def test_the_script_gives_table_2_bit_for_bit(client, settings, capsys):
    answer = client.post("/api/paper/python", json=settings)
    assert answer.headers["content-disposition"] == 'attachment; filename="table-2.py"'
    names = run_code(answer.text)
    printed = capsys.readouterr().out
    told = client.post("/api/paper", json=settings).json()
    assert names["slips"] == [row["slip"]["value"] for row in told["rows"]]
    assert names["momenta"] == [row["momentum"]["value"] for row in told["rows"]]
    assert names["residuals"] == [row["residual"] for row in told["rows"]]
    for row in told["rows"]:
        assert row["slip"]["computed"] in printed
        assert f"{row['newmark']['iterations']} iterations" in printed
    assert ("of the paper" in answer.text.splitlines()[0]) is told["paper"]


@pytest.mark.parametrize(
    "body", [{"load": "end\nraise SystemExit"}, {"parts": "1; raise SystemExit"}, {"viscosity": "0.5"}, {"title": "x"}]
)
def test_no_text_of_a_request_reaches_the_script(client, body):
    assert client.post("/api/paper/python", json=body).status_code == 422


@pytest.mark.heavy
def test_section_6_is_taken_home_in_the_browser(watched, studio, tmp_path, capsys):
    page = watched.page()
    page.goto(f"{studio}/#paper")
    expect(page.locator("#paper .card b").first).to_have_text("12 of 12")
    page.locator("#paper [data-name=load] select").select_option("average")
    expect(page.locator("#paper .card b").first).not_to_have_text("12 of 12")
    expect(page.locator("#paper .panel", has_text="Not in the paper").locator("figcaption .quiet")).not_to_be_empty()
    names = run_code(gift(page, "Python", tmp_path / "table-2.py").read_text(encoding="utf-8"))
    digits = [row.split()[0] for row in page.locator("#paper tbody td:nth-of-type(2)").all_inner_texts()]
    assert digits == [f"{value:.4f}" for value in names["slips"]]
    path = gift(page, "Page", tmp_path / "section-6.html")
    home = alone(watched.page(offline=True), path)
    assert data(home, ".plot") == data(page, "#paper .plot")
    assert len(data(home, ".plot")) == 5
    assert home.locator("tbody").inner_text() == page.locator("#paper tbody").inner_text()
    assert "Load of a step: average of both ends" in home.locator("main > p").first.inner_text()
    assert zoomed(home, ".plot") == [0.1, 0.2]


@pytest.mark.heavy
def test_the_audit_is_taken_home_as_it_stands(watched, studio, tmp_path):
    page = watched.page()
    page.goto(f"{studio}/#paper")
    page.get_by_role("button", name="Audit of every equation").click()
    expect(page.locator("#paper [data-equation='1'] .equation svg")).to_be_visible()
    expect(page.locator("#paper [data-equation='2']")).to_be_visible()
    with gift(page, "CSV", tmp_path / "audit.csv").open(encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    assert (rows[0]["equation"], rows[0]["verdict"]) == ("1", "holds")
    page.get_by_label("Find").fill("(1)")
    home = alone(watched.page(offline=True), gift(page, "Page", tmp_path / "audit.html"), figures=False)
    expect(home.locator(".item")).to_have_count(1)
    assert home.locator("[data-equation='1'] .equation svg").bounding_box()["width"] > 50
