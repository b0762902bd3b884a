"""A real studio in its own process, and a real browser that may talk to it and to nobody else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import PATIENCE


@pytest.fixture(scope="session")
def studio(tmp_path_factory) -> Iterator[str]:
    """Address of `hamex studio`, started in an empty folder that must stay empty; a slow machine may take its time."""
    folder = tmp_path_factory.mktemp("studio")
    program = (
        f"from hamex.studio import limits; limits.DERIVATION = {PATIENCE / 1000}; from hamex.cli import main; main()"
    )
    command = [sys.executable, "-c", program, "studio", "--port", "0"]
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, f"the studio did not start: {line}{process.stdout.read()}"
        try:
            yield found[0].rstrip("/")
        finally:
            process.terminate()
            said = process.communicate(timeout=PATIENCE / 1000)[0]
            assert "Traceback" not in said, said
    assert list(Path(folder).iterdir()) == []


class Watched:
    """Pages of one test: what they asked for elsewhere and what they complained about."""

    def __init__(self, browser, base: str) -> None:
        self.browser, self.base, self.contexts, self.strayed, self.complaints = browser, base, [], [], []

    def page(self, intercepted: bool = True, **options):
        context = self.browser.new_context(
            **{"viewport": {"width": 1440, "height": 900}, "accept_downloads": True, **options}
        )
        if intercepted:
            context.route("**/*", self._decide)
        self.contexts.append(context)
        page = context.new_page()
        page.on(
            "console",
            lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda problem: self.complaints.append(str(problem)))
        page.set_default_timeout(PATIENCE)
        return page

    def _decide(self, route) -> None:
        url = route.request.url
        if url.startswith((self.base, "file:", "data:", "blob:")):
            route.continue_()
        else:
            self.strayed.append(url)
            route.abort()

    def end(self) -> None:
        for context in self.contexts:
            context.close()
        assert self.strayed == []
        assert self.complaints == []


@pytest.fixture
def watched(browser, studio) -> Iterator[Watched]:
    """Makes pages with options of their own (`watched.page(viewport=…)`); errors on the way fail the test.

    A test that provokes a refusal empties `watched.complaints` of the browser's line about the status 422.
    """
    found = Watched(browser, studio)
    yield found
    found.end()


@pytest.fixture
def page(watched):
    """One page, 1440 pixels wide, light."""
    return watched.page()
