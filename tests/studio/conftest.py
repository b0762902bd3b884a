"""A real studio in its own process, and a real browser that may talk to it and to nobody else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from browsing import PATIENCE, is_alive
from fastapi.testclient import TestClient

from hamex.studio.app import create_app

# `hamex studio` whose derivations have all the time they need and whose audit rests after some lines: the rest of it
# would keep a processor busy for a minute, beside the tests that come after. Its convergence study has fewer and longer
# steps than that of the paper, which tests/paper holds.
PROGRAM = """
import signal
from hamex.cli import main
from hamex.paper import results
from hamex.studio import paper, wire

class Lines(list):
    def append(self, line):
        super().append(line)
        if len(self) == {lines}:
            self.child.send_signal(signal.SIGSTOP)

def read(stream, whole=paper.AuditStream._read):
    stream.lines = Lines()
    stream.lines.child = stream._child
    whole(stream)

wire.DERIVATION = {seconds}
if {lines}:
    results._HALVINGS, results._REFERENCE = 3, 64
paper.AuditStream._read = read
main()
"""


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    """The studio in this process, without a network; one for all, because its workers take seconds to load."""
    with TestClient(create_app()) as found:
        yield found


@pytest.fixture(scope="session")
def studio(request, tmp_path_factory) -> Iterator[str]:
    """Address of `hamex studio`, started in an empty folder that must stay empty; a slow machine may take its time."""
    folder = tmp_path_factory.mktemp("studio")
    whole = any(item.get_closest_marker("heavy") for item in request.session.items)
    program = PROGRAM.format(seconds=PATIENCE / 1000, lines=0 if whole else 8)
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


# What a view holds lives in its state, so that it is as it comes after this; loading it anew would take seconds, and
# drawing it anew tenths of one, where nothing was changed.
AS_IT_COMES = """async () => {
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    document.activeElement.blur();
    const {currentView} = await import("/page/views.js");
    const {state, start, root, reset} = currentView();
    const changed = JSON.stringify(state) !== JSON.stringify(start) || root.querySelector("[aria-invalid=true]");
    if (changed) await reset();
}"""


class Watched:
    """Pages of the tests: what they asked for elsewhere and what they complained about."""

    def __init__(self, browser, base: str) -> None:
        self.browser, self.base, self.strayed, self.complaints = browser, base, [], []
        self._used, self._free = [], []  # contexts with their options: those of this test, and what others left
        self._kept = None

    def page(self, viewport=None, color_scheme="light", **options):
        """A page of its own, closed after the test; what moves by itself would burn while other tests run.

        It comes into a context that has forgotten everything but the files of the page, and into the process that has
        compiled them, which takes seconds (``--process-per-site``).
        """
        self._free = [one for one in self._free if is_alive(one[0])]  # a browser may have died
        found = next((one for one in self._free if one[1] == options), None)
        if found is None:
            found = self._context(options), options
        else:
            self._free.remove(found)
        self._used.append(found)
        page = found[0].new_page()
        page.set_viewport_size(viewport or {"width": 1440, "height": 900})
        page.emulate_media(color_scheme=color_scheme, reduced_motion="reduce")
        page.on(
            "console",
            lambda message: (
                self.complaints.append(f"{message.text} {message.location.get('url', '')}")
                if message.type in ("error", "warning")
                else None
            ),
        )
        page.on("pageerror", lambda problem: self.complaints.append(str(problem)))
        page.set_default_timeout(PATIENCE)
        return page

    def _context(self, options):
        context = self.browser.new_context(**options)
        # Told, not handed over: the browser keeps what it has loaded, and finds nobody but this computer anyway.
        context.on("request", self._watch)
        if not options.get("offline"):
            context.new_page().goto(f"{self.base}/page/style.css")  # stays, and the process with it
        return context

    @contextmanager
    def held(self, **options):
        """A page of its own that the tests of a file share."""
        page, own = self.page(**options), self._used.pop()
        try:
            yield page
        finally:
            page.close()  # at once: it may be moving
            self._used.append(own)

    def kept(self):
        """The page that one test leaves to the next, loaded once."""
        if self._kept is None or not is_alive(self._kept.context):
            self._kept = self.page()
            self._used.pop()
        return self._kept

    def tidy(self) -> None:
        """Bring the view that is open on the kept page back to its start."""
        if self._kept is None or not self._kept.url.startswith(self.base):
            return
        self._kept.evaluate(AS_IT_COMES)
        self._kept.locator('html[data-busy="no"]').wait_for(state="attached")
        assert self._kept.evaluate("document.documentElement.scrollWidth") == 1440

    def drop(self) -> None:
        """Whoever comes next gets another page."""
        if self._kept is not None and is_alive(self._kept.context):
            self._kept.context.close()
        self._kept = None

    def _watch(self, request) -> None:
        if not request.url.startswith((self.base, "file:", "data:", "blob:")):
            self.strayed.append(request.url)

    def end(self) -> None:
        """Close what the test opened; everything must have been in order."""
        strayed, complaints = self.strayed[:], self.complaints[:]
        dead = [context for context, _ in self._used if not is_alive(context)]
        for context, options in self._used:
            if context in dead:
                continue
            if options.get("offline"):
                context.close()
            else:
                first, *others = context.pages
                for page in others:
                    page.close()
                first.evaluate("localStorage.clear()")
                self._free.append((context, options))
        self._used.clear()
        self.strayed.clear()
        self.complaints.clear()
        assert not dead, "Chromium died; the next test gets another"
        assert strayed == []
        assert complaints == []

    def close(self) -> None:
        """Close what is left."""
        self.drop()
        for context, _ in self._free:
            if is_alive(context):
                context.close()


@pytest.fixture(scope="session")
def all_watched(browser, studio) -> Iterator[Watched]:
    found = Watched(browser, studio)
    yield found
    found.close()


@pytest.fixture
def watched(all_watched) -> Iterator[Watched]:
    """Makes pages with options of their own (`watched.page(viewport=…)`); errors on the way fail the test.

    A test that provokes a refusal empties `watched.complaints` of the browser's line about the status 422.
    """
    yield all_watched
    all_watched.end()


@pytest.fixture
def page(request, watched):
    """One page, 1440 pixels wide, light, the same for all tests; what a test sets is set back after it."""
    failed = request.session.testsfailed
    yield watched.kept()
    try:
        if request.session.testsfailed > failed:
            watched.drop()
        watched.tidy()
    except BaseException:
        watched.drop()
        raise
