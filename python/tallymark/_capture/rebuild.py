"""The code that the measured interpreter executes before it loads a stream: its source is the first thing in it.

Standard library only, and small: it is compiled under Valgrind by each case. Known there and here as
`_tallymark_rebuild`, which is how the stream names its functions.
"""

from __future__ import annotations

import _imp
import sys
import types

TYPE_CHECKING = False  # that of typing, which takes a while to import
if TYPE_CHECKING:
    from typing import Any


def _hash(text: bytearray) -> str:
    """What the interpreter checks its compiled files by. hashlib would load OpenSSL: long, under Valgrind."""
    return _imp.source_hash(0, bytes(text)).hex()


def code_digest(code: types.CodeType) -> str:
    """Of what a code object does: equal in every process that compiled the same source."""
    seen = bytearray()
    _add_code(seen, code)
    return _hash(seen)


def _add_code(seen: bytearray, code: types.CodeType) -> None:
    table = getattr(code, "co_exceptiontable", b"")
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    seen.extend(code.co_code + table + repr((code.co_name, names, counts)).encode())
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _add_code(seen, constant)
        elif isinstance(constant, frozenset):
            seen.extend(repr(sorted(map(repr, constant))).encode())
        else:
            seen.extend(repr(constant).encode())


def function_digest(value: object) -> str:
    """Of a function, a method or a class; "" where there is no code."""
    seen = bytearray()
    return _hash(seen) if _add(seen, value, getattr(value, "__module__", None)) else ""


def _add(seen: bytearray, value: object, module: str | None) -> bool:
    for name in ("__wrapped__", "__func__", "fget", "func"):
        inner = getattr(value, name, None)
        if inner is not None and not isinstance(value, (types.FunctionType, type)):
            return _add(seen, inner, module)
    if isinstance(value, types.FunctionType):
        _add_code(seen, value.__code__)
        seen.extend(repr([type(one).__name__ for one in value.__defaults__ or ()]).encode())
        return True
    if not isinstance(value, type):
        return False
    found = False
    for name, member in sorted(vars(value).items()):
        if getattr(member, "__module__", module) == module and _add(seen, member, module):
            seen.extend(name.encode())
            found = True
    return found


def module_digest(module: types.ModuleType) -> str:
    """Of the functions and classes that a module defines itself."""
    seen = bytearray()
    for name, value in sorted(vars(module).items()):
        if getattr(value, "__module__", None) == module.__name__ and _add(
            seen, value, module.__name__
        ):
            seen.extend(name.encode())
    return _hash(seen)


def same_python(magic: bytes) -> None:
    """Code of one version of Python is nothing to another."""
    import _frozen_importlib_external as own

    if magic != own.MAGIC_NUMBER:
        raise RuntimeError(
            f"functions travel between Pythons of one version only, and this is {sys.version.split()[0]}: give text,"
            " or a python of the caller's version in tools="
        )


def check(references: dict[str, str], modules: dict[str, str]) -> None:
    """Holds what is imported here against what the caller has: "module:qualname" and module names, with digests."""
    for name, expected in modules.items():
        _compare(name, module_digest(_imported(name)), expected)
    for target, expected in references.items():
        name, qualname = target.split(":")
        value: Any = _imported(name)
        for part in qualname.split("."):
            value = getattr(value, part, None)
        _compare(name, function_digest(value), expected, qualname)


def _compare(module: str, found: str, expected: str, qualname: str = "") -> None:
    if found != expected:
        what = f"{module}.{qualname}" if qualname else module
        raise RuntimeError(
            f"the code of {what} is not what the calling process has imported; there, importlib.reload({module}),"
            " or start it anew (and with the same flags, such as -O)"
        )


def identity(value: object) -> str:
    """What identifies a function, a class or an object that stands for one, in every process."""
    digest = "" if isinstance(value, type) else function_digest(value)
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    names = tuple(getattr(value, key, "") for key in ("__module__", "__qualname__", "__name__"))
    return f"{type(value).__qualname__} {names} {digest}".strip()


def check_bindings(bindings: dict[str, str]) -> None:
    """Holds what names of packages stand for here against what they stand for in the calling process."""
    for target, expected in bindings.items():
        name, path = target.split(":")
        value: Any = _imported(name)
        for part in path.split("."):
            value = vars(value).get(part)
        if identity(value) != expected:
            raise RuntimeError(
                f"the calling process has replaced {name}.{path}, and this is the original: replace it in setup= as"
                " well, or measure a function or a subclass of yours that has the change"
            )


def _imported(name: str) -> types.ModuleType:
    __import__(name)
    return sys.modules[name]


def ndarray(shape: Any, dtype: Any, owner: Any, offset: int, strides: Any) -> Any:
    """A view on the memory of `owner`, as numpy would have made it."""
    import numpy

    return numpy.ndarray(shape, dtype, owner, offset, strides)


def torch_memory(data: bytes) -> Any:
    """A storage with these bytes, in memory of PyTorch's own."""
    import torch

    kept = torch.frombuffer(bytearray(data), dtype=torch.uint8).clone() if data else torch.empty(0)
    return kept.untyped_storage() if hasattr(kept, "untyped_storage") else kept._storage()


def torch_tensor(
    storage: Any,
    dtype: Any,
    offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    conjugate: bool,
    negative: bool,
) -> Any:
    """A tensor on that memory; others on the same storage share it."""
    import torch

    tensor = torch.empty(0, dtype=dtype).set_(storage, offset, size, stride)
    if conjugate:
        tensor = torch._conj(tensor)
    if negative:
        tensor = torch._neg_view(tensor)
    tensor.requires_grad = requires_grad
    return tensor


def event_loop() -> Any:
    """What runs a coroutine to its end, in an event loop of this process's own."""
    import asyncio

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop.run_until_complete


def expect_done(result: object) -> None:
    """Refuses what a function returned instead of doing it."""
    kind = type(result).__name__
    if kind not in ("coroutine", "generator", "async_generator"):
        return
    if kind == "coroutine":
        result.close()  # type: ignore[attr-defined]
    raise RuntimeError(
        f"the function returns a {kind.replace('_', ' ')}, and nothing runs it: measure what does, such as "
        + ("the coroutine function itself" if kind == "coroutine" else "lambda: list(…) of it")
    )


def torch_parameter(data: Any, requires_grad: bool) -> Any:
    import torch

    return torch.nn.Parameter(data, requires_grad)
