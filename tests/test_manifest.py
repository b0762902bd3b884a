"""What users can name is written down: nothing goes unnoticed, and nothing is promised by accident."""

import pytest
from manifest import FILE, manifest, parameters

WRITTEN = FILE.read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def found():
    return set(manifest())


def test_nothing_that_a_user_can_name_is_gone(found):
    """Name the users of what goes, and what they take instead, in docs/decisions.md; then write the manifest anew."""
    assert sorted(set(WRITTEN) - found) == []


def test_everything_new_is_written_down(found):
    assert sorted(found - set(WRITTEN)) == [], "run python tests/shared/manifest.py"


def test_every_kind_of_name_is_in_the_manifest():
    starts = ("class hx.Model", "hx.solve(0 problem)", "result displacement ", "measure ductility", "law slider")
    starts += (
        "scheme Galerkin",
        "error InputError",
        "hamex run --json",
        "field study file",
        "request post /api/history",
    )
    for start in starts:
        assert any(line.startswith(start) for line in WRITTEN), start


def test_a_changed_default_a_new_name_and_another_place_change_the_lines():
    def old(first, second=1.0, *, third="a"): ...
    def default(first, second=2.0, *, third="a"): ...
    def name(first, other=1.0, *, third="a"): ...
    def place(first, *, second=1.0, third="a"): ...

    lines = [frozenset(parameters("f", each)) for each in (old, default, name, place)]
    assert len(set(lines)) == 4
