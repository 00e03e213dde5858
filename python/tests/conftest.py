"""What several tests share: an engine on a server of their own, and modules that a test may edit."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Callable

import pytest
import tallymark

MakeModule = Callable[[str, str], ModuleType]


@pytest.fixture(scope="session", autouse=True)
def own_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Servers that tests, and programs of theirs, start by themselves: nobody else's, ended with the session."""
    folder = tmp_path_factory.mktemp("servers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        patch.delenv("TALLY_SERVER", raising=False)
        yield
    for socket in (folder / "tallymark").glob("*.sock"):
        command = [os.environ.get("TALLY", "tally"), "serve", "--stop", "--socket", str(socket)]
        subprocess.run(command, capture_output=True, timeout=60, check=False)


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tallymark.Engine]:
    """A server that this session alone uses, ended with it. Needs $TALLY."""
    if "TALLY" not in os.environ:
        pytest.skip("$TALLY names no program")
    patch = pytest.MonkeyPatch()
    # Short: the path of a socket has 107 bytes.
    patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    if "XDG_CACHE_HOME" not in os.environ:  # ctest's sessions share one
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    # Nobody else's runs are waited for.
    patch.setenv("TALLY_CPU_LOCKS", str(tmp_path_factory.mktemp("cpu-locks")))
    patch.delenv("TALLY_SERVER", raising=False)
    made = tallymark.Engine()
    yield made
    made.shutdown()
    patch.undo()


@pytest.fixture
def make_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeModule]:
    """Writes and imports a module that lies where only this process looks."""
    names: list[str] = []
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(name: str, text: str) -> ModuleType:
        (tmp_path / f"{name}.py").write_text(text)
        importlib.invalidate_caches()
        names.append(name)
        return importlib.import_module(name)

    yield make
    for name in names:
        sys.modules.pop(name, None)
