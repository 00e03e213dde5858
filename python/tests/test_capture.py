"""What leaves the process, held against another interpreter that loads it as a measured one does."""

from __future__ import annotations

import gc
import os
import re
import resource
import subprocess
import sys
import threading
import time
import types
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeModule
from tallymark import CaptureError
from tallymark._capture import blobs as _blobs
from tallymark._capture.capture import Captured, capture_text, capture_values
from tallymark._capture.references import required_modules, with_imports
from tallymark._definition import to_document
from tallymark._statement import define

FACTOR = 3


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def loaded(captured: Captured, check: str) -> str:
    """What `check` prints in a fresh interpreter, as a case's function sees it; its error when it fails."""
    body = "\n".join(f"    {line}" for line in check.splitlines())
    loading = (
        "values = {}\n"
        f"exec({captured.load!r}, {{'case_globals': globals(), 'case_locals': values}})\n"
        "taken = ''.join(f'    {name} = values.pop({name!r})\\n' for name in values)\n"
        f"exec('def case():\\n' + taken + {body!r})\n"
        "case()"
    )
    path = os.pathsep.join([*captured.folders, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", loading],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_only_names_that_the_text_uses_leave() -> None:
    values = {"x": [1, 2], "y": 5, "unused": threading.Lock(), "len": len}
    captured = capture_text("z = len(x)", "w = y", values)
    assert [one.name for one in captured.data] == ["y", "x"]
    assert loaded(captured, "print(x, y)") == "[1, 2] 5"


def test_what_the_setup_makes_is_not_taken() -> None:
    captured = capture_text("x + y", "x = 1", {"x": 10, "y": 20})
    assert [one.name for one in captured.data] == ["y"]


@pytest.mark.parametrize(
    "setup",
    [
        "from __main__ import text",
        "from __main__ import other, text as t",
        "import __main__\ntext = __main__.text",
        "import __main__ as m\ntext = m.text",
        "from __main__ import *",
    ],
)
def test_what_the_text_imports_of_main_is_taken(setup: str) -> None:
    main = types.ModuleType("__main__")
    main.text = "abc"  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "__main__", main)
        captured = capture_text("text.count('a')", setup)
        assert [one.name for one in captured.data] == ["text"]
        assert capture_text("text", "from math import *").data == ()
        with pytest.raises(CaptureError, match="one value in globals= and another in __main__"):
            capture_text("text.count('a')", setup, {"text": "b"})
    assert loaded(captured, "import __main__\nprint(__main__.text)") == "abc"


def test_star_imports_hide_no_other_name() -> None:
    captured = capture_text("floor(x)", "from math import *", {"x": 1.5})
    assert [one.name for one in captured.data] == ["x"]


def test_text_alone_takes_nothing_along() -> None:
    captured = capture_text("sorted(x)", "x = [1]")
    assert (captured.load, captured.data, captured.bytes) == ("", (), 0)
    assert [one.text for one in captured.source] == ["sorted(x)", "x = [1]"]


def test_one_object_stays_one() -> None:
    shared = [1]
    captured = capture_values({"a": {"v": shared}, "b": shared})
    assert loaded(captured, "print(a['v'] is b)") == "True"


def test_nothing_of_the_loading_is_left() -> None:
    captured = capture_values({"a": [1]}, as_globals=False)
    check = "import sys\nprint(sys.getrefcount(a), sorted(locals()))"
    count = "2" if sys.version_info < (3, 14) else "1"
    assert loaded(captured, check) == f"{count} ['a', 'sys']"


def test_numpy_memory_and_strides_survive() -> None:
    numpy = pytest.importorskip("numpy")
    base = numpy.arange(24.0).reshape(4, 6)
    captured = capture_values({"view": base[1:3, ::2].T, "base": base})
    check = (
        "base[1, 2] = -1\n"
        "print(view[1, 0], view.strides, view.base is base or view.base is base.base, base.flags.c_contiguous)"
    )
    assert loaded(captured, check) == "-1.0 (16, 48) True True"


def test_torch_memory_strides_and_gradients_survive() -> None:
    torch = pytest.importorskip("torch")
    base = torch.arange(20.0)
    layer = torch.nn.Linear(2, 2)
    layer.tied = layer.weight
    captured = capture_values(
        {"view": base[2:10:2], "base": base, "w": torch.ones(2, requires_grad=True), "layer": layer}
    )
    check = (
        "base[4] = -1\n"
        "print(view[1].item(), view.stride(), w.requires_grad, w.is_leaf, layer.tied is layer.weight)"
    )
    assert loaded(captured, check) == "-1.0 (2,) True True True"
    assert "torch" in captured.requires


def test_a_tensor_with_a_graph_is_refused() -> None:
    torch = pytest.importorskip("torch")
    grown = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(CaptureError, match="the graph behind it cannot leave") as caught:
        capture_values({"model": {"w": grown}})
    assert caught.value.place == "model['w']"


def test_equal_data_has_an_equal_digest() -> None:
    numpy = pytest.importorskip("numpy")
    digests = {capture_values({"x": numpy.arange(5), "y": "text"}).digest for _ in range(3)}
    assert len(digests) == 1
    assert capture_values({"x": numpy.arange(6), "y": "text"}).digest not in digests


def test_one_host_serves_all_values_of_a_large_package() -> None:
    names = ["pandas.core.frame", "pandas._libs.internals", "numpy", "json", "mine.part"]
    assert required_modules(names, True) == ("cloudpickle", "mine.part", "pandas")
    names = ["scipy.sparse._csr", "scipy._lib._util", "numpy", "scipy.sparse.linalg"]
    assert required_modules(names, False) == ("scipy.sparse",)


def test_a_host_imports_the_large_packages_that_a_setup_begins_with(
    make_module: MakeModule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("pandas.py", "scipy/__init__.py", "scipy/sparse.py"):
        file = tmp_path / "packages" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    for name in ("pandas", "scipy"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    setup = (
        "import json, pandas.core as pd\nfrom scipy import sparse, version\nx = 1\nimport skimage"
    )
    assert with_imports(("mine",), setup) == ("mine", "pandas", "scipy.sparse")
    assert with_imports((), "import os\nos.environ['A'] = 'b'\nimport pandas") == ()
    assert with_imports((), "import torch, pandas") == ()
    assert with_imports((), "import polars") == (("polars",) if find_spec("polars") else ())
    assert define("pd.x", setup="import pandas as pd").data.requires == ("pandas",)  # type: ignore[union-attr]
    assert not define("pd.x", setup="import pandas", toolchain="mine").data.requires  # type: ignore[union-attr]


def test_an_importable_function_goes_by_reference(make_module: MakeModule) -> None:
    module: Any = make_module(
        "ours_by_reference", "def f(x):\n    return g(x) + 1\ndef g(x):\n    return x\n"
    )
    captured = capture_values({"f": module.f})
    assert {one.target for one in captured.references} == {
        "ours_by_reference",
        "ours_by_reference:f",
    }
    assert captured.requires == ("ours_by_reference",)
    assert captured.data == ()
    assert loaded(captured, "print(f(1))") == "2"


@pytest.mark.parametrize(
    "edit", ["def f(x):\n    return 2\n", "def f(x):\n    return g(x)\ndef g(x):\n    return 9\n"]
)
def test_a_stale_module_is_found(make_module: MakeModule, edit: str) -> None:
    """The function itself was edited, or only one that it calls."""
    module: Any = make_module("ours_stale", "def f(x):\n    return g(x)\ndef g(x):\n    return x\n")
    captured = capture_values({"f": module.f})
    time.sleep(1.1)  # compiled files are distinguished by seconds
    Path(str(module.__file__)).write_text(edit)
    assert re.search(r"importlib\.reload\(ours_stale\)", loaded(captured, "print(f(1))"))


def test_a_module_behind_the_module_is_checked_too(make_module: MakeModule) -> None:
    behind: Any = make_module("ours_behind", "def g(x):\n    return x\n")
    module: Any = make_module(
        "ours_front", "import ours_behind\ndef f(x):\n    return ours_behind.g(x)\n"
    )
    captured = capture_values({"f": module.f})
    assert "ours_behind" in {one.target for one in captured.references}
    time.sleep(1.1)
    Path(str(behind.__file__)).write_text("def g(x):\n    return 9\n")
    assert "importlib.reload(ours_behind)" in loaded(captured, "print(f(1))")


def test_functions_of_this_file_go_by_value() -> None:
    """pytest rewrites this module's asserts, so that its code is not what another process would import."""
    pytest.importorskip("cloudpickle")

    def outer(x: int) -> int:
        return helper(x) * FACTOR

    captured = capture_values({"outer": outer}, as_globals=False)
    assert {one.name for one in captured.data} == {"outer: helper: OFFSET", "outer: FACTOR"}
    assert any("return helper(x) * FACTOR" in one.text for one in captured.source)
    assert loaded(captured, "print(outer(2))") == "36"


OFFSET = 10


def helper(x: int) -> int:
    return x + OFFSET


class Model:
    def __init__(self) -> None:
        self.layers = [{"lock": threading.Lock()}]


class Raises:
    def __reduce__(self) -> Any:
        raise ValueError("not me")


def generator() -> Any:
    yield 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"model": Model()}, "model.layers[0]['lock']: cannot pickle a lock"),
        ({"x": [0, Raises()]}, "x[1]: pickling it raised ValueError: not me"),
        ({"g": generator()}, "g: cannot pickle a generator"),
        ({"main": sys.modules["__main__"]}, "main: cannot pickle __main__"),
        ({"file": sys.stdout}, "file: cannot pickle"),
    ],
)
def test_what_cannot_leave_is_named(values: Mapping[str, Any], message: str) -> None:
    pytest.importorskip("cloudpickle")
    with pytest.raises(CaptureError, match=re.escape(message)) as caught:
        capture_values(values)
    assert "make it in setup" in str(caught.value) or "name what is used" in str(caught.value)


def test_a_lock_in_a_closure_is_named() -> None:
    pytest.importorskip("cloudpickle")
    lock = threading.Lock()
    with pytest.raises(CaptureError, match="f: lock: cannot pickle a lock"):
        capture_values({"f": lambda: lock})


class Huge:
    """Pickles to 2 GiB, made by itself in pieces."""

    def __reduce__(self) -> Any:
        return (
            list,
            (),
            None,
            (bytes(1 << 20) + number.to_bytes(4, "big") for number in range(2048)),
        )


def huge_object() -> Any:
    return Huge()


def huge_array() -> Any:
    return pytest.importorskip("numpy").zeros(1 << 28)


def huge_tensor() -> Any:
    return pytest.importorskip("torch").zeros(1 << 29)


@pytest.mark.parametrize("make", [huge_object, huge_array, huge_tensor])
def test_two_gibibytes_are_refused_before_they_are_built(make: Callable[[], Any]) -> None:
    value = make()
    gc.collect()
    before = peak_bytes()
    with pytest.raises(CaptureError, match=r"big: .* or more would leave") as caught:
        capture_values({"small": 1, "big": value})
    assert caught.value.place == "big"
    assert "data_limit=" in caught.value.hint
    assert peak_bytes() - before < 600 << 20
    assert list(_blobs.folder().iterdir()) == []


def peak_bytes() -> int:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


def test_without_cloudpickle_the_hint_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    assert loaded(capture_values({"x": [1]}), "print(x)") == "[1]"
    with pytest.raises(CaptureError, match="pip install cloudpickle"):
        capture_values({"f": lambda: 1})


def test_old_files_are_swept(tmp_path: Path) -> None:
    for age, name in ((0, "new"), (8 * 24 * 3600, "old")):
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (time.time() - age, time.time() - age))
    _blobs.sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    _blobs.sweep(tmp_path, size=0)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_reported_with_its_folder() -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(_blobs.NoRoom, match=r"cannot write .*; .*XDG_CACHE_HOME") as caught:
            capture_values({"x": {"rows": list(range(100_000))}})
        with pytest.raises(_blobs.NoRoom):  # what is still in a buffer at the end
            capture_values({"x": list(range(1500))})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.place == str(_blobs.folder())
    assert list(_blobs.folder().iterdir()) == []


def test_the_file_is_the_users_alone() -> None:
    capture_values({"x": [1]})
    assert _blobs.folder().stat().st_mode & 0o077 == 0
    assert [path.stat().st_mode & 0o077 for path in _blobs.folder().iterdir()] == [0]


def made_up_tensor(kind: str) -> object:
    """As far as capturing looks at one on a device, whose driver is not here."""

    def reduced(self: object) -> tuple[type, tuple[str]]:
        return str, ("values",)

    torch = pytest.importorskip("torch")
    device = types.SimpleNamespace(type=kind)
    plain = {"grad_fn": None, "is_leaf": True, "requires_grad": False, "layout": torch.strided}
    made = {"__module__": "torch", "device": device, "__reduce__": reduced, **plain}
    return type("Tensor", (), made)()


@pytest.mark.parametrize(
    ("kind", "named"), [("cuda", {"device": "cuda"}), ("xpu", {"device": "xpu"}), ("meta", {})]
)
def test_a_tensor_on_a_device_takes_its_case_there_at_once(kind: str, named: object) -> None:
    definition = define("x", globals={"x": made_up_tensor(kind)}, toolchain="torch")
    (timer,) = to_document([definition])["timer"]
    assert {key: value for key, value in timer.items() if key == "device"} == named
    assert ("device     " in str(definition.data)) == bool(named)


def test_a_tensor_within_a_value_does_so_too_unless_the_definition_says_where() -> None:
    values = {"x": [{"a": made_up_tensor("cuda")}]}
    (timer,) = to_document([define("x", globals=values, toolchain="torch")])["timer"]
    assert timer["device"] == "cuda"
    definition = define("x", globals=values, toolchain="torch", options={"device": "xpu"})
    assert to_document([definition])["timer"][0]["device"] == "xpu"


def test_a_toolchain_without_devices_is_given_none() -> None:
    definition = define("x", globals={"x": made_up_tensor("cuda")}, toolchain="python")
    assert "device" not in to_document([definition])["timer"][0]
