"""The browser of the tests: Debian's Chromium, which may talk to this computer alone."""

import shutil

# The shell is Chromium's engine without the browser around it, whose own windows and menus take a third of the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--process-per-site",  # a page that was loaded before is not compiled again
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
]
PATIENCE = 600_000  # milliseconds: longer is a hang, on the slowest and busiest machine


class Browser:
    """Chromium, headless; launched when it is first needed, and again where one has died."""

    def __init__(self, kind) -> None:
        self._kind, self._found = kind, None

    def new_context(self, **options):
        """A context that has never been anywhere."""
        if self._found is None or not self._found.is_connected():
            self._found = self._kind.launch(executable_path=CHROMIUM, args=FLAGS, timeout=PATIENCE)
        return self._found.new_context(**options)

    def close(self) -> None:
        """End it."""
        if self._found is not None:
            self._found.close()


def is_alive(context) -> bool:
    """Whether the browser of a context is still there."""
    return context.browser is not None and context.browser.is_connected()


def until(page, true, what: str) -> None:
    """Wait for something that only the test can tell; the page goes on meanwhile."""
    for _ in range(PATIENCE // 50):
        if true():
            return
        page.wait_for_timeout(50)
    raise AssertionError(what)
