"""Figures that tests report and do not judge: speed is measured where users meet it, and told at the end."""


def pytest_terminal_summary(terminalreporter):
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name.startswith("measured: "):
                terminalreporter.write_line(f"{name}: {value}")
