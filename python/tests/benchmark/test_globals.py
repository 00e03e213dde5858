"""Globals on their way into another process."""

from __future__ import annotations

import pathlib
import sys
import types
from typing import Any

import pytest
from tallymark.benchmark import CopyIfCallgrind, Timer
from tallymark.benchmark.utils._engine import python_definition
from tallymark.benchmark.utils.common import TaskSpec
from tallymark.benchmark.utils.valgrind_wrapper.timer_interface import (
    GlobalsBridge,
    Serialization,
    wrapper_singleton,
)


@pytest.mark.parametrize("value", ["text", b"bytes", True, 5, 2.5, 1j])
def test_builtins_travel(value: object, tmp_path: pathlib.Path) -> None:
    wrapped = CopyIfCallgrind(value, setup="before = 1")
    assert (wrapped.value, wrapped.setup, wrapped.serialization) == (
        value,
        "before = 1",
        Serialization.PICKLE,
    )
    names: dict[str, Any] = {}
    exec(GlobalsBridge({"k": wrapped}, str(tmp_path)).construct(), names)
    assert (names["k"], names["before"]) == (value, 1)


@pytest.mark.parametrize("value", [None, [1], {"a": 1}, print, object()])
def test_other_types_do_not(value: object) -> None:
    with pytest.raises(ValueError, match=r"Unsupported type: <class '.*'>\n.*\n  str\n  bytes"):
        CopyIfCallgrind(value)


def test_a_large_value_goes_by_a_file_named_for_its_content(tmp_path: pathlib.Path) -> None:
    texts = {
        GlobalsBridge({"k": CopyIfCallgrind("x" * 10000)}, str(tmp_path)).construct()
        for _ in range(2)
    }
    assert len(texts) == 1
    assert len(list(tmp_path.iterdir())) == 1
    names: dict[str, Any] = {}
    exec(texts.pop(), names)
    assert names["k"] == "x" * 10000


def test_what_is_not_wrapped_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(
        ValueError, match="requires that globals be wrapped in `CopyIfCallgrind` so that"
    ):
        GlobalsBridge({"k": 5}, str(tmp_path))
    with pytest.raises(
        ValueError, match=r"`collect_callgrind` does not support mocking out `torch`\."
    ):
        GlobalsBridge({"torch": "another"}, str(tmp_path))
    assert GlobalsBridge({"__builtins__": {}}, str(tmp_path)).names == []


def test_unwrapping_leaves_others_as_they_are() -> None:
    assert CopyIfCallgrind.unwrap_all({"a": CopyIfCallgrind(1), "b": 2}) == {"a": 1, "b": 2}


def test_setups_run_in_main_and_the_hosts_names_stay(tmp_path: pathlib.Path) -> None:
    """The text that the measured process executes, in a process that looks like it."""
    import subprocess
    import sys

    globals_ = {
        "k": CopyIfCallgrind(5, setup="import __main__\nclass C: pass\nassert __main__.C is C"),
        "sys": CopyIfCallgrind("a text"),
    }
    task = TaskSpec("f(k)", "pass")
    bridge = GlobalsBridge(globals_, str(tmp_path))
    data = python_definition(task, bridge).data
    assert data is not None
    script = (
        "import sys, types\n"
        "main = types.ModuleType('__main__')\n"
        "kept, sys.modules['__main__'] = sys.modules['__main__'], main\n"
        f"exec({data.load!r}, {{'case_globals': vars(main), 'case_locals': {{}}}})\n"
        "print(main.k, main.sys, hasattr(main, 'C'), sys.modules['__main__'] is main, hasattr(main, 'pickle'))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "5 a text True True False\n", done.stderr


def test_mistakes_are_found_before_anything_is_measured() -> None:
    with pytest.raises(ValueError, match="so that serialization is explicit"):
        Timer("pass", globals={"x": 1}).collect_callgrind(collect_baseline=False)
    with pytest.raises(ValueError, match="If specified, `repeats` must be >= 1"):
        Timer().collect_callgrind(repeats=0)
    with pytest.raises(ZeroDivisionError):  # it is executed here first
        Timer("1 / 0").collect_callgrind()


def test_there_is_one_wrapper_and_it_compiled_nothing() -> None:
    assert wrapper_singleton() is wrapper_singleton()
    assert wrapper_singleton()._bindings_module is None


@pytest.mark.parametrize(
    ("stmt", "setup", "toolchain"),
    [
        ("sorted(x)", "x = [2, 1]", "python"),
        ("torch.ones(1)", "pass", "torch"),
        ("f(1)", "from own_of_torch import f", "torch"),
        ("f(1)", "from json import loads as f", "python"),
        ("f(torched)", "pass", "python"),
    ],
)
def test_a_host_with_torch_is_for_what_uses_it(
    stmt: str, setup: str, toolchain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch, own = types.ModuleType("torch"), types.ModuleType("own_of_torch")
    torch.get_num_threads = own.torch = torch  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "own_of_torch", own)
    assert python_definition(TaskSpec(stmt, setup)).toolchain == toolchain


def test_setups_see_what_pytorchs_script_has_imported(tmp_path: pathlib.Path) -> None:
    wrapped = CopyIfCallgrind(1, setup="class A:\n    def place(self): return os.sep")
    bridge = GlobalsBridge({"k": wrapped}, str(tmp_path))
    definition = python_definition(TaskSpec(stmt="k", setup="pass"), bridge)
    assert definition.data is not None
    names: dict[str, Any] = {}
    exec(definition.data.load, {"case_globals": names})
    assert names["A"]().place() == "/"
    assert "os" not in names


def test_a_module_on_a_device_takes_its_statement_there(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    wrapped = CopyIfCallgrind(torch.nn.Linear(2, 2))
    bridge = GlobalsBridge({"model": wrapped, "k": CopyIfCallgrind(1)}, str(tmp_path))
    assert bridge.device == ""
    on_device = types.SimpleNamespace(device=types.SimpleNamespace(type="cuda"))
    monkeypatch.setattr(wrapped.value, "buffers", lambda: [on_device])
    assert bridge.device == "cuda"
