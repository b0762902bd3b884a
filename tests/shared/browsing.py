"""The browser of the tests: Debian's Chromium, which may talk to this computer alone."""

import shutil

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
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


def until(page, true, what: str) -> None:
    """Wait for something that only the test can tell; the page goes on meanwhile."""
    for _ in range(PATIENCE // 50):
        if true():
            return
        page.wait_for_timeout(50)
    raise AssertionError(what)
