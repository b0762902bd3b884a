"""The page of verification: every case with its verdict, whatever came of it."""

from hamex.verify import Result, cases
from hamex.verify.page import write_page


def test_the_page_has_every_case_and_the_notes(tmp_path):
    one, two, three = cases("trusses")
    found = [
        Result(one, "passed", 1.0, 1.0, 0.0, 1e-9, ((1.0, 1.0), (2.0, 2.0))),
        Result(two, "failed", note="ValueError: a < b"),
        Result(three, "skipped", note="not installed"),
    ]
    text = write_page(found, tmp_path / "out.html").read_text(encoding="utf-8")
    assert all(each.title in text and each.source in text for each in (one, two, three))
    assert "ValueError: a &lt; b" in text
    assert "not installed" in text
    assert "2 numbers" in text
    assert text.count("<tr>") == 4
