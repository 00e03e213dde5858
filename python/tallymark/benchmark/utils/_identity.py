"""How objects of the drop-in name themselves.

A repr says the path that the class has in PyTorch, so that output which was kept (expect tests, notebooks, logs) reads
the same after the switch. A pickle says our own path, so that it can be read where PyTorch is not installed.
"""

from __future__ import annotations

from typing import Callable, TypeVar

_OURS = __name__.rpartition(".utils.")[0]
_THEIRS = "torch.utils.benchmark"

T = TypeVar("T")


def published_in(module: str) -> Callable[[type[T]], type[T]]:
    """Makes `module` the place where a class says that it can be imported from, for pickles."""

    def publish(cls: type[T]) -> type[T]:
        cls.__module__ = module
        return cls

    return publish


def object_repr(value: object) -> str:
    """`<path object at 0x…>`, as object's own repr has it."""
    cls = type(value)
    module = cls.__module__
    if module.startswith(_OURS + "."):
        module = _THEIRS + module[len(_OURS) :]
    return f"<{module}.{cls.__qualname__} object at {hex(id(value))}>"
