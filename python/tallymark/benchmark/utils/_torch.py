"""PyTorch as far as this process has it. Nothing here imports it but `torch_for`, and that only where a text asks."""

from __future__ import annotations

import contextlib
import importlib
import re
import sys
import types
from collections.abc import Iterator
from typing import Any, Callable

_NAME = re.compile(r"\btorch\b")


def imported_torch() -> Any | None:
    """The module, if this process has imported it whole."""
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "get_num_threads") else None


def names_torch(*texts: str) -> bool:
    """Whether one of these texts speaks of torch."""
    return any(_NAME.search(text) for text in texts)


def uses_torch(module: str) -> bool:
    """Whether a module that this process has imported has imported torch, as its source says."""
    found = sys.modules.get(module)
    return found is not None and any(
        isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] == "torch"
        for value in list(vars(found).values())
    )


def torch_for(*texts: str) -> Any | None:
    """The module, where this process has it or one of these texts speaks of it and it is installed."""
    torch = imported_torch()
    if torch is None and names_torch(*texts):
        try:
            return importlib.import_module("torch")
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
    return torch


def needed_torch(what: str) -> Any:
    """The module. Raises ModuleNotFoundError, which says what needs it, where it is not installed."""
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ModuleNotFoundError(
            f"{what} needs PyTorch: pip install torch", name="torch"
        ) from None


@contextlib.contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """`n` threads for PyTorch's operators, and as many as before afterwards. Nothing without PyTorch."""
    torch = imported_torch()
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(n)
        yield
    finally:
        torch.set_num_threads(before)


def device_wait(torch: object) -> Callable[[], None] | None:
    """What waits until the machine's accelerator is done, or None where there is none that PyTorch can use."""
    kinds = ["accelerator", "cuda", "xpu"]
    other = getattr(getattr(torch, "_C", None), "_get_privateuse1_backend_name", None)
    if other is not None:
        kinds.append(other())
    for kind in kinds:
        module: object = getattr(torch, kind, None)
        if hasattr(module, "synchronize") and getattr(module, "is_available", bool)():
            wait: Callable[[], None] = module.synchronize
            return wait
    return None


def line_width() -> int:
    """Of printed tensors and of function counts: torch.set_printoptions(linewidth=…)."""
    torch = imported_torch()
    options = getattr(getattr(torch, "_tensor_str", None), "PRINT_OPTS", None)
    return int(getattr(options, "linewidth", 80))
