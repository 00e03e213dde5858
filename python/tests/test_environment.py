"""Which modules the measured interpreter finds: those that this process finds, and no others."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import tallymark
from tallymark._client.environment import Surroundings, finds_in_working_folder, missing_folders


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that is installed, and another version of it in the working folder, which is not searched."""
    for folder, body in (("installed", "sum(range(10))"), ("checkout", "sum(range(1000))")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tally_two_places.py").write_text(f"def work():\n    return {body}\n")
    monkeypatch.chdir(tmp_path / "checkout")
    monkeypatch.setattr(sys, "path", [*filter(None, sys.path), str(tmp_path / "installed")])
    return tmp_path


def test_a_working_folder_that_is_not_searched_stays_so(checkout: Path) -> None:
    assert not finds_in_working_folder()
    assert Surroundings.of_this_process({}).environment["PYTHONSAFEPATH"] == "1"
    assert str(checkout / "installed") in missing_folders()


@pytest.mark.parametrize("as_written", [True, False])
def test_a_working_folder_that_is_searched_stays_so(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, as_written: bool
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, "" if as_written else os.getcwd()])
    assert "PYTHONSAFEPATH" not in Surroundings.of_this_process({}).environment


@pytest.mark.end_to_end
def test_the_installed_package_is_counted_and_not_the_checkout(checkout: Path) -> None:
    def counted() -> float:
        found = tallymark.count("work()", setup="from tally_two_places import work").instructions
        assert found is not None
        return found

    assert counted() < 2000, "a sum of ten, not of a thousand"
    sys.path.remove(str(checkout / "installed"))
    sys.path.append("")
    assert counted() > 5000
