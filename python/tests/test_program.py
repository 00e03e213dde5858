"""Where the package finds its program: $TALLY, its own, PATH; and the message where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from real_traces import ROOT

SAYS_ITS_PATH = '#!/bin/sh\necho "$0 $*"\n'


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder that holds the package, without a program in it."""
    folder = tmp_path / "site"
    shutil.copytree(
        ROOT / "python" / "tallymark",
        folder / "tallymark",
        ignore=shutil.ignore_patterns("__pycache__", "_tally"),
    )
    return folder


def program(folder: Path, text: str = SAYS_ITS_PATH) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "tally"
    file.write_text(text)
    file.chmod(0o755)
    return file


def console_script(folder: Path) -> Path:
    """As pip writes it."""
    return program(
        folder,
        f"#!{sys.executable}\nimport sys\nfrom tallymark._client.program import main\nsys.exit(main())\n",
    )


def start(
    command: list[str], package: Path, path: list[Path], tally: Path | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "TALLY"}
    environment["PATH"] = ":".join(map(str, path))
    environment["PYTHONPATH"] = str(package)
    if tally is not None:
        environment["TALLY"] = str(tally)
    return subprocess.run(
        command,
        env=environment,
        cwd=package,  # -m looks there first
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


MODULE = [sys.executable, "-m", "tallymark", "--version"]


def test_the_first_on_path_where_the_package_has_none(package: Path, tmp_path: Path) -> None:
    first = program(tmp_path / "first")
    second = program(tmp_path / "second")
    done = start(MODULE, package, [tmp_path / "none", first.parent, second.parent])
    assert (done.stdout, done.returncode) == (f"{first} --version\n", 0)


def test_the_packages_own_comes_before_path(package: Path, tmp_path: Path) -> None:
    own = program(package / "tallymark" / "_tally" / "bin")
    other = program(tmp_path / "first")
    assert start(MODULE, package, [other.parent]).stdout == f"{own} --version\n"


def test_the_variable_comes_before_both(package: Path, tmp_path: Path) -> None:
    program(package / "tallymark" / "_tally" / "bin")
    named = program(tmp_path / "named")
    done = start(MODULE, package, [program(tmp_path / "first").parent], named)
    assert done.stdout == f"{named} --version\n"


def test_scripts_without_a_program_do_not_start_each_other(package: Path, tmp_path: Path) -> None:
    one = console_script(tmp_path / "one")
    two = console_script(tmp_path / "two")
    real = program(tmp_path / "real")
    done = start([str(one)], package, [one.parent, two.parent, real.parent])
    assert done.stdout == f"{real} \n"
    alone = start([str(one), "run"], package, [one.parent, two.parent])
    assert alone.returncode == 2
    assert "no program in it" in alone.stderr


def test_where_there_is_none_it_says_what_to_do(package: Path, tmp_path: Path) -> None:
    done = start(MODULE, package, [tmp_path])
    assert done.returncode == 2
    for word in ("no program in it", "PATH names none", "make wheel", "TALLY=/path/to/tally"):
        assert word in done.stderr
