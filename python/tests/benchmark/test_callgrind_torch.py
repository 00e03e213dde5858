"""Counts of PyTorch's statements through the engine. The first starts a host with torch under Valgrind: 20 to 40 s.

Skipped where this interpreter has no PyTorch, or tally or Valgrind is not here.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import time
import timeit

import pytest
from tallymark.benchmark import CopyIfCallgrind, Timer

if importlib.util.find_spec("torch") is None:
    pytest.skip("this interpreter has no PyTorch", allow_module_level=True)

import torch

pytestmark = [
    pytest.mark.end_to_end,
    pytest.mark.skipif(
        not (os.environ.get("TALLY") or shutil.which("tally")) or not shutil.which("valgrind"),
        reason="tally or valgrind is not here",
    ),
]


class AddOne(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


def test_counts_repeat_to_the_instruction_and_a_warm_one_takes_no_minute() -> None:
    timer = Timer("x += 1", setup="x = torch.ones((1,))")
    first = timer.collect_callgrind(number=100)
    begin = time.monotonic()
    again = timer.collect_callgrind(number=100, repeats=4)
    assert time.monotonic() - begin < 60  # 0.6 s on an idle machine
    assert isinstance(again, tuple)
    assert {one.counts() for one in again} == {first.counts()}
    assert any("libtorch" in name for _, name in first.stats())


def test_modules_travel_with_the_import_of_their_class() -> None:
    model, here = AddOne(), os.path.dirname(os.path.abspath(__file__))
    with pytest.raises(OSError, match=r"(ModuleNotFoundError|AttributeError)") as found:
        Timer(
            "model(x)", "x = torch.ones(1)", globals={"model": CopyIfCallgrind(model)}
        ).collect_callgrind()
    assert "Traceback" in str(found.value)
    setup = f"import sys\nsys.path.append({here!r})\nfrom {__name__} import AddOne"
    globals_ = {
        "model": CopyIfCallgrind(model, setup=setup),
        "scripted": CopyIfCallgrind(torch.jit.script(torch.nn.ReLU())),
        "k": CopyIfCallgrind(3),
    }
    one = Timer("scripted(model(x)) * k", "x = torch.ones(1)", globals=globals_).collect_callgrind()
    plain = Timer("torch.relu(x + 1) * 3", "x = torch.ones(1)").collect_callgrind()
    assert one.counts() > plain.counts() > 100_000


def test_cpp_is_built_against_the_imported_torch() -> None:
    timer = Timer(
        "torch::Tensor y = x + WHAT;",
        setup="torch::Tensor x = torch::ones({1});",
        global_setup="#define WHAT 1",
        timer=timeit.default_timer,
        language="c++",
    )
    several = [timer.collect_callgrind() for _ in range(2)]
    assert several[0].counts() == several[1].counts() > 100_000
    assert any("libtorch_cpu" in name for _, name in several[0].stats())
    assert 1e-8 < timer.timeit(1000).median < 1e-3
