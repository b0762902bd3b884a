"""The command as a user runs it."""

from types import SimpleNamespace

import pytest

from hamex.cli import main


@pytest.fixture
def hamex(capsys, tmp_path, monkeypatch):
    """Run the command in an empty folder at 80 columns: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("HAMEX_CACHE", str(tmp_path / "cache"))

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return end.value.code or 0, out, err

    return run


@pytest.fixture
def fresh(monkeypatch):
    """Short runs go uncompiled, as in the process of a user's own: what other tests have loaded is not seen."""
    from hamex.march import run

    monkeypatch.setattr(run, "sys", SimpleNamespace(modules={}))
