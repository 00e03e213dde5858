"""What leaves with functions and classes: what they use, by which name they go, and whether it is what stands here."""

from __future__ import annotations

import functools
import gzip
import importlib
import os
import subprocess
import sys
import threading
import xml.etree.ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tallymark
from conftest import MakeModule
from real_traces import ROOT
from tallymark import CaptureError
from tallymark._capture.capture import capture_text, capture_values
from tallymark._statement import define
from test_capture import loaded, own_cache

__all__ = ["own_cache"]

input = list(range(1000))
big = [1.5] * 500
TABLE = list(range(50))
LOCK = threading.Lock()


def data_of(value: Any) -> list[str]:
    return [one.name for one in capture_values({"v": value}).data]


def test_a_global_with_a_builtins_name_is_noted() -> None:
    def uses(table: Any = TABLE, *, key: Any = (1, 2), n: int = 3) -> Any:
        return input, table, key, n

    assert data_of(uses) == ["v: table", "v: key", "v: input"]


def test_what_methods_use_is_noted() -> None:
    class Reads:
        def read(self) -> list[float]:
            return big

    assert data_of(Reads()) == ["v.read: big", "v"]
    assert data_of(Reads().read) == ["v: big", "v"]
    assert data_of(functools.partial(lambda: big))[0] == "v: big"


def test_a_lock_in_a_default_is_named() -> None:
    def waits(*, lock: Any = LOCK) -> Any:
        return lock

    with pytest.raises(CaptureError) as caught:
        capture_values({"v": waits})
    assert (caught.value.place, caught.value.message) == ("v: lock", "cannot pickle a lock")


def test_a_cached_function_goes_by_its_name_or_is_refused(make_module: MakeModule) -> None:
    module = make_module("kept", "import functools\n@functools.lru_cache\ndef f(): return 1\n")
    captured = capture_values({"f": module.f})
    assert [one.target for one in captured.references] == ["kept", "kept:f"]
    assert all(one.digest for one in captured.references)
    assert loaded(captured, "print(f())") == "1"

    @functools.lru_cache
    def here() -> int:
        return 1

    with pytest.raises(CaptureError, match="a cached function goes by its name") as caught:
        capture_values({"f": here})
    assert caught.value.hint == "measure its __wrapped__, or put it into a module"


@pytest.mark.parametrize("name", ["open", "range", "exec"])
def test_names_that_the_loading_uses_are_free(name: str) -> None:
    def called(x: Any, open: int = 0, range: int = 0) -> Any:
        return x

    called.__name__ = name
    definition = define(called, 5, 6, 7)
    assert definition.data is not None
    assert loaded(definition.data, f"print({definition.stmt})") == "5"
    assert define(gzip.open, "/dev/null").stmt == "open(filename)"


def test_a_submodule_is_imported_there() -> None:
    text = "xml.etree.ElementTree.fromstring('<a/>')"
    captured = capture_text(text, "", {"xml": xml})
    assert "Element" in loaded(captured, f"print({text})")


def test_a_package_without_an_init_file_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spread").mkdir()
    (tmp_path / "spread" / "part.py").write_text("def f(): return 7\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    spread = importlib.import_module("spread")
    importlib.import_module("spread.part")
    captured = capture_text("spread.part.f()", "", {"spread": spread})
    assert captured.folders
    assert loaded(captured, "print(spread.part.f())") == "7"


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("n=10", "n=1000", "worker.f(n=)"),
        ("LIMIT = 3", "LIMIT = 4", "worker.LIMIT"),
        ("K = 'a'", "K = 'b'", "worker.A.K"),
    ],
)
def test_a_value_that_is_not_its_files_is_refused(
    make_module: MakeModule, old: str, new: str, place: str
) -> None:
    text = (
        "import time\nSTART = time.time()\nCOUNT = 0\nLIMIT = 3\nclass A:\n    K = 'a'\n"
        "def f(n=10, *, at=time.time()):\n    global COUNT\n    COUNT += 1\n    return LIMIT\n"
    )
    module = make_module("worker", text)
    module.f()  # which changes COUNT: it says so itself
    capture_values({"f": module.f})
    assert module.__file__ is not None
    Path(module.__file__).write_text(text.replace(old, new))
    with pytest.raises(CaptureError, match="in the file that the measured process") as caught:
        capture_values({"f": module.f})
    assert caught.value.place == place
    assert "importlib.reload(worker)" in str(caught.value.hint)


def test_a_value_set_from_outside_is_refused(make_module: MakeModule) -> None:
    module = make_module("settable", "N = 5\ndef f(): return N\n")
    module.N = 6  # type: ignore[attr-defined]
    with pytest.raises(CaptureError, match="it is 6 in this process and 5 in the file"):
        capture_values({"f": module.f})


def test_a_class_has_one_name_in_every_process(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from tallymark._capture.capture import capture_values\n"
        "class K:\n    x = 1\n    def f(self): return self.x\n"
        "print(capture_values({'k': K(), 'other': K}).digest)\n"
    )
    command = [sys.executable, str(script)]
    path = os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    found = {
        subprocess.run(command, capture_output=True, check=True, env=environment).stdout
        for _ in "ab"
    }
    assert len(found) == 1


def nested(depth: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(depth):
        made = [made]
    return made


class Linked:
    def __init__(self, depth: int) -> None:
        self.next = None if depth == 0 else Linked(depth - 1)


@pytest.mark.parametrize("make", [lambda: nested(5000), lambda: Linked(400)])
def test_what_is_nested_too_deep_is_refused(make: Callable[[], Any]) -> None:
    value = make()
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(500)
    try:
        with pytest.raises(CaptureError, match="v: it is nested deeper than pickle follows"):
            capture_values({"v": value})
    finally:
        sys.setrecursionlimit(limit)


class KeepsLittle:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.steps = (n for n in range(3))

    def __getstate__(self) -> dict[str, Any]:
        return {"steps": self.steps}


def test_only_what_would_be_pickled_is_blamed() -> None:
    with pytest.raises(CaptureError) as caught:
        capture_values({"a": KeepsLittle()})
    assert caught.value.place == "a.steps"


def test_a_view_of_something_large_is_noted() -> None:
    numpy = pytest.importorskip("numpy")
    whole = numpy.zeros(1 << 18)
    captured = capture_values({"x": whole[:10]})
    assert captured.notes == ("a view of 80 bytes took all 2,097,152 of its memory along",)
    with pytest.raises(CaptureError, match=r"it is a view of something larger: pass x\.copy\(\)"):
        capture_values({"x": whole[:10]}, limit=1 << 20)
    assert capture_values({"x": whole}).notes == ()


def test_functions_travel_between_equal_pythons_only() -> None:
    captured = capture_values({"f": lambda: 1})
    assert loaded(captured, "print(f())") == "1"
    spoiled = "import _frozen_importlib_external as o; o.MAGIC_NUMBER = b'other'\n" + captured.load
    other = tallymark.Captured(load=spoiled)
    assert "functions travel between Pythons of one version only" in loaded(other, "print(f())")


def test_threads_that_nobody_sets_are_refused() -> None:
    with pytest.raises(
        tallymark.Error, match="the toolchain 'python' cannot set a number of threads"
    ):
        define("pass", threads=4)
    assert define("pass", threads=4, toolchain="torch").threads == 4
