"""Passes a statement's globals into the measured process."""

from __future__ import annotations

import enum
import hashlib
import inspect
import io
import os
import pickle
import tempfile
import textwrap
from types import ModuleType
from typing import Any

from .._torch import imported_torch, needed_torch

_MOST_INLINE = 4096  # bytes
_BUILTINS = (str, bytes, bool, int, float, complex)


class Serialization(enum.Enum):
    """How a value is written."""

    PICKLE = 0
    TORCH = 1
    TORCH_JIT = 2


def _allowed_types() -> dict[Serialization, tuple[type, ...]]:
    """What may travel. PyTorch's kinds only where this process has PyTorch: otherwise nothing can be of them."""
    allowed: dict[Serialization, tuple[type, ...]] = {Serialization.PICKLE: _BUILTINS}
    torch = imported_torch()
    if torch is not None:
        # A ScriptModule is an nn.Module, too: it comes first.
        allowed[Serialization.TORCH_JIT] = (torch.jit.ScriptFunction, torch.jit.ScriptModule)
        allowed[Serialization.TORCH] = (torch.nn.Module,)
    return allowed


def _serialization(value: object) -> Serialization:
    allowed = _allowed_types()
    for serialization, types in allowed.items():
        if isinstance(value, types):
            return serialization
    names = "\n".join(f"  {cls.__name__}" for types in allowed.values() for cls in types)
    raise ValueError(
        f"Unsupported type: {type(value)}\n"
        f"`collect_callgrind` restricts globals to the following types:\n{names}"
    )


class CopyIfCallgrind:
    """Says that a global may be replaced by a copy where instructions are counted, which happens in another process.

    setup: Python that runs at the level of that process's `__main__` before the value is read, such as the import or
    the definition of its class.

    Raises ValueError for a type whose copy may behave otherwise than the original: what is not a builtin, a scripted
    function or module, or an nn.Module."""

    def __init__(self, value: object, *, setup: str | None = None) -> None:
        self._value = value
        self._setup = setup
        self._serialization = _serialization(value)

    @property
    def value(self) -> Any:
        """The original."""
        return self._value

    @property
    def setup(self) -> str | None:
        """What runs before the value is read."""
        return self._setup

    @property
    def serialization(self) -> Serialization:
        """How the value is written."""
        return self._serialization

    @staticmethod
    def unwrap_all(globals: dict[str, Any]) -> dict[str, Any]:
        """The same names with the originals."""
        return {
            name: value.value if isinstance(value, CopyIfCallgrind) else value
            for name, value in globals.items()
        }


class GlobalsBridge:
    """Carries wrapped globals into another process: files in `data_dir`, and Python that reads them.

    Raises ValueError for a global that is not wrapped, and for another `torch` than the imported one."""

    def __init__(self, globals: dict[str, Any], data_dir: str) -> None:
        self._globals: dict[str, CopyIfCallgrind] = {}
        self._data_dir = data_dir
        os.makedirs(data_dir, exist_ok=True)
        torch = imported_torch()
        if globals.get("torch", torch) is not torch:
            raise ValueError("`collect_callgrind` does not support mocking out `torch`.")
        for name, value in globals.items():
            if name in ("torch", "__builtins__"):  # every statement has these
                continue
            if not isinstance(value, CopyIfCallgrind):
                raise ValueError(
                    "`collect_callgrind` requires that globals be wrapped in "
                    "`CopyIfCallgrind` so that serialization is explicit."
                )
            self._globals[name] = value

    @property
    def names(self) -> list[str]:
        """Of what travels."""
        return list(self._globals)

    @property
    def values(self) -> dict[str, Any]:
        """What travels, as it is in this process."""
        return {name: wrapped.value for name, wrapped in self._globals.items()}

    @property
    def uses_torch(self) -> bool:
        """Whether PyTorch reads one of the values."""
        return any(
            value.serialization is not Serialization.PICKLE for value in self._globals.values()
        )

    @property
    def device(self) -> str:
        """The kind of device that parameters and buffers of the values are on; "" where they are on none."""
        from tallymark._capture.pickling import device_of

        modules = (one.value for one in self._globals.values() if hasattr(one.value, "buffers"))
        tensors = (tensor for one in modules for tensor in (*one.parameters(), *one.buffers()))
        return next(filter(None, map(device_of, tensors)), "")

    def construct(self) -> str:
        """Writes the values. The text, at the level of a module, runs each one's setup and binds its name."""
        lines = []
        for name, wrapped in self._globals.items():
            if wrapped.setup is not None:
                lines.append(textwrap.dedent(wrapped.setup))
            lines.append(f"{name} = {self._reader(wrapped)}")
        return "\n".join(lines)

    def _reader(self, wrapped: CopyIfCallgrind) -> str:
        kind = wrapped.serialization
        if kind is Serialization.PICKLE:
            content = pickle.dumps(wrapped.value)
            if len(content) <= _MOST_INLINE:
                return f"__import__('pickle').loads({content!r})"
            return f"__import__('pickle').load(open({self._write(content, '.pkl')!r}, 'rb'))"
        torch = needed_torch("A global of PyTorch's")
        stream = io.BytesIO()
        if kind is Serialization.TORCH_JIT:
            torch.jit.save(wrapped.value, stream)
            return f"__import__('torch').jit.load({self._write(stream.getvalue(), '.pt')!r})"
        torch.save(wrapped.value, stream)
        path = self._write(stream.getvalue(), ".pt")
        return f"__import__('torch').load({path!r}{_whole_objects(torch)})"

    def _write(self, content: bytes, suffix: str) -> str:
        """Under a name that says its content: a text that reads the same is the same text, in the next call, too."""
        path = os.path.join(self._data_dir, hashlib.sha256(content).hexdigest()[:32] + suffix)
        with tempfile.NamedTemporaryFile(dir=self._data_dir, prefix="new-", delete=False) as file:
            file.write(content)
        os.replace(file.name, path)
        return path


def _whole_objects(torch: ModuleType) -> str:
    """A module is more than weights, which is all that newer versions read by default."""
    known = inspect.signature(torch.load).parameters
    return ", weights_only=False" if "weights_only" in known else ""
