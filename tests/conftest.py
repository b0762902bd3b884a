"""What all tests share: one browser, random examples without a clock, and figures that are reported and not judged."""

import gc
import os

import pytest
from browsing import CHROMIUM, PATIENCE, Browser
from hypothesis import HealthCheck, settings

# A property holds however slow the machine is. `make test-all` asks for the thorough profile.
WITHOUT_A_CLOCK = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
}
settings.register_profile("quick", max_examples=25, **WITHOUT_A_CLOCK)
settings.register_profile("thorough", max_examples=400, **WITHOUT_A_CLOCK)
settings.load_profile("quick")


@pytest.fixture(scope="session")
def browser():
    """One per process, because playwright allows no second."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("pages are tested in Debian's chromium, which could not be installed here")
        pytest.skip("pages are tested in chromium, which is not here (apt-get install chromium-headless-shell)")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        found = Browser(playwright.chromium)
        yield found
        found.close()


# Files of few tests and much work: one that came last would be waited for by all workers but one.
LONG = (
    "tests/studio/",
    "tests/test_examples.py",
    "tests/report/test_pages.py",
    "tests/report/test_notebook.py",
    "tests/paper/",
    "tests/study/test_cluster.py",
    "tests/schemes/",
    "tests/cli/test_ida.py",
)


def stand_for_the_others(config, items):
    """``@pytest.mark.chief("id", …)``: these parameters of a test run always, its others are heavy."""
    met = {}
    for item in items:
        for mark in item.iter_markers("chief"):
            assert mark.args, item.nodeid
            chief = item.callspec.id in mark.args
            met.setdefault((item.nodeid.split("[")[0], mark.args), set()).update({item.callspec.id} if chief else ())
            if not chief:
                item.add_marker(pytest.mark.heavy)
    if not any("::" in argument for argument in config.args):  # then every parameter is here
        lost = {test: set(args) - found for (test, args), found in met.items() if found != set(args)}
        if lost:
            raise pytest.UsageError(f"no such parameters: {lost}")


def meet_every_value(items):
    """``@pytest.mark.every_value``: of a product of parameters so many run always that each value of each is met.

    They lie along the diagonal of the product, and the others are heavy.
    """
    tests = {}
    for item in items:
        if item.get_closest_marker("every_value") and not item.get_closest_marker("heavy"):
            axes = [mark.args[0] for mark in item.iter_markers("parametrize")]
            axes = [axis.replace(" ", "").split(",") if isinstance(axis, str) else axis for axis in axes]
            axes += [[name] for name in item.callspec.params if not any(name in axis for axis in axes)]  # of fixtures
            values = tuple(tuple(id(item.callspec.params[name]) for name in axis) for axis in axes)
            tests.setdefault(item.nodeid.split("[")[0], {})[values] = item
    for product in tests.values():
        ranks = [{value: n for n, value in enumerate(dict.fromkeys(axis))} for axis in zip(*product, strict=True)]
        diagonal = {tuple(n % len(rank) for rank in ranks) for n in range(max(map(len, ranks)))}
        places = {values: tuple(rank[value] for rank, value in zip(ranks, values, strict=True)) for values in product}
        met = set()
        for values in sorted(product, key=lambda values: places[values] not in diagonal):
            if met.issuperset(enumerate(values)):
                product[values].add_marker(pytest.mark.heavy)
            met.update(enumerate(values))


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """What is there when the tests begin is there when they end: nothing of it is looked through for rubbish."""
    gc.disable()
    yield
    gc.enable()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Every second worker reads the folders from their ends.

    All workers read all files, and pytest compiles one anew that has not been read before, so that two workers side by
    side compile all of them twice. Those that meet half way take the other half from each other.
    """
    report = yield
    worker = getattr(collector.config, "workerinput", {"workerid": "gw0"})["workerid"]
    if isinstance(collector, pytest.Dir) and int(worker.removeprefix("gw")) % 2:
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)  # before ``-m`` chooses
def pytest_collection_modifyitems(config, items):
    """What takes long comes first, as long as workers take files in this order (``--no-loadscope-reorder``)."""
    stand_for_the_others(config, items)
    meet_every_value(items)

    def place(item):
        return next((place for place, start in enumerate(LONG) if item.nodeid.startswith(start)), len(LONG))

    found = {path: n for n, path in enumerate(sorted({item.path for item in items}))}  # alike in every worker
    items.sort(key=lambda item: (place(item), found[item.path]))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Files stay whole, and those that share something costly stay together: two workers would make it twice."""
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid):
            # A server with its workers; a page of every kind; the compiled kernels of elements with several stages.
            shared = ("tests/studio/", "tests/report/test_pages", "tests/schemes/test_stages")
            return next((start for start in shared if nodeid.startswith(start)), super()._split_scope(nodeid))

    return Together(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_terminal_summary(terminalreporter):
    """Speed is measured where users meet it, and told at the end."""
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name.startswith("measured: "):
                terminalreporter.write_line(f"{name}: {value}")
