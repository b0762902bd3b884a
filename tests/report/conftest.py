"""Pages of every kind, written once for all tests of this folder."""

import pytest
from every_page import write_all


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Paths by name."""
    return write_all(tmp_path_factory.mktemp("pages"))
