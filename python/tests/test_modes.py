"""Modes of the calling process: what is carried into the measured one, and what is noted."""

from __future__ import annotations

import contextlib
import decimal
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tallymark
from conftest import MakeModule
from tallymark._capture.capture import capture_text, capture_values, with_modes
from tallymark._capture.modes import Modes, modes_of


@contextlib.contextmanager
def recursion(limit: int) -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    yield
    sys.setrecursionlimit(before)


def there(modes: Modes, expression: str) -> str:
    """What an expression is in a fresh interpreter that has these modes."""
    text = f"exec({modes.text!r}, {{}})\nimport sys, decimal\nprint({expression})"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    return done.stdout.strip() or done.stderr


def test_nothing_is_carried_by_default() -> None:
    for name in ("numpy", "pandas"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    assert modes_of(["numpy", "pandas", "decimal", "torch"]) == Modes()


def test_a_recursion_limit() -> None:
    with recursion(5000):
        modes = modes_of([])
    assert modes.carried[0][0] == "sys.setrecursionlimit(5000)"
    assert there(modes, "sys.getrecursionlimit()") == "5000"


def test_a_decimal_context(make_module: MakeModule) -> None:
    with decimal.localcontext() as context:
        context.prec = 2000
        context.traps[decimal.Inexact] = True
        assert modes_of(["json"]) == Modes()  # which has nothing to do with it
        modes = modes_of(["decimal"])
        make_module("with_decimal", "from decimal import Decimal")
        assert modes_of(["with_decimal"]) == modes
    ((said, _),) = modes.carried
    assert said == (
        "decimal.Context(prec=2000, traps=[DivisionByZero, Inexact, InvalidOperation, Overflow])"
    )
    seen = there(modes, "decimal.getcontext().prec, decimal.getcontext().traps[decimal.Inexact]")
    assert seen == "2000 True"


def test_numpys_error_state_and_printing() -> None:
    numpy = pytest.importorskip("numpy")
    with numpy.errstate(divide="raise"), numpy.printoptions(precision=3):
        modes = modes_of(["numpy"])
    assert [said for said, _ in modes.carried] == [
        "numpy.seterr(divide='raise')",
        "numpy.set_printoptions(precision=3)",
    ]
    seen = "__import__('numpy').geterr()['divide'], __import__('numpy').get_printoptions()['precision']"
    assert there(modes, seen) == "raise 3"


@contextlib.contextmanager
def default_dtype(torch: Any) -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def test_modes_of_torch() -> None:
    torch = pytest.importorskip("torch")
    assert modes_of(["torch"]) == Modes()
    tried = {
        "torch.autocast('cpu', dtype=torch.bfloat16)": (
            torch.autocast("cpu", dtype=torch.bfloat16),
            "torch.mm(torch.ones(2, 2), torch.ones(2, 2)).dtype is torch.bfloat16",
        ),
        "torch.set_default_dtype(torch.float64)": (
            default_dtype(torch),
            "torch.ones(1).dtype is torch.float64",
        ),
        "torch.set_grad_enabled(False)": (torch.no_grad(), "not torch.is_grad_enabled()"),
        "torch.inference_mode()": (torch.inference_mode(), "torch.is_inference_mode_enabled()"),
    }
    texts = ["import torch"]
    for said, (mode, seen) in tried.items():
        with mode:
            modes = modes_of(["torch"])
            assert modes_of(["json"]) == Modes()
        assert [name for name, _ in modes.carried] == [said]
        texts += [f"exec({modes.text!r}, {{}})", f"print({seen})"]
    done = subprocess.run([sys.executable, "-c", "\n".join(texts)], capture_output=True, text=True)
    assert done.stdout.split() == ["True"] * len(tried), done.stderr


def test_another_number_of_threads_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch, "get_num_threads", lambda: 77)
    assert modes_of(["torch"]).notes == (
        "torch has 77 threads in this process, and 1 in what is measured: threads=77",
    )
    assert modes_of(["torch"], 77).notes == ()


def test_variables_of_the_environment_come_along_where_they_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("MY_MODE", "fast")
    text = capture_text("os.environ.get('MY_MODE', 'slow')", "import os")
    assert text.variables == ("MY_MODE",)
    assert capture_text("getenv('MY_MODE')", "from os import getenv").variables == ("MY_MODE",)
    assert capture_values({"f": lambda: os.environ["MY_MODE"]}).variables == ("MY_MODE",)
    assert capture_text("print('MY_MODE')").variables == ()
    load = with_modes(text, "import os").load
    assert load == "import os; os.environ.update({'MY_MODE': 'fast'})"
    assert capture_text("os.environ['PATH'], os.environ.get('NOT_SET')", "import os").notes == ()


@pytest.mark.end_to_end
def test_a_precision_is_the_callers(engine: tallymark.Engine) -> None:
    one = decimal.Decimal(1)
    plain = tallymark.count("d / 7", globals={"d": one}, profile=False, engine=engine)
    with decimal.localcontext() as context:
        context.prec = 2000
        long = tallymark.count("d / 7", globals={"d": one}, profile=False, engine=engine)
    assert plain.instructions and long.instructions
    assert long.instructions > 5 * plain.instructions
    assert "mode       decimal.Context(prec=2000)" in str(long.captured)
