"""Pages of every kind, each written once for all tests of this folder."""

import pytest
from every_page import Pages


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Paths by name."""
    return Pages(tmp_path_factory.mktemp("pages"))
