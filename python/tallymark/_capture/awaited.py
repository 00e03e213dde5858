"""Calls that only make an object and run nothing: coroutines run to their end in an event loop of ours, and generators
are refused."""

from __future__ import annotations

import ast
import asyncio
import functools
import inspect
import threading
import types
from collections.abc import Coroutine, Iterator, Mapping
from typing import Any, Callable

from tallymark._capture import rebuild
from tallymark._capture.names import parsed
from tallymark._errors import Error

NOTE = (
    "a coroutine: each execution runs it to its end in an event loop of asyncio, whose own work is counted with it"
    " (that of an empty coroutine: docs/guides/python.md)"
)
_FLAGS = {
    inspect.CO_GENERATOR: "generator",
    inspect.CO_COROUTINE: "coroutine",
    inspect.CO_ITERABLE_COROUTINE: "coroutine",
    inspect.CO_ASYNC_GENERATOR: "asynchronous generator",
}


class Loop:
    """In a stream: the `run_until_complete` of an event loop that the measured process makes for itself."""

    def __reduce__(self) -> tuple[Callable[[], object], tuple[()]]:
        return rebuild.event_loop, ()


def kind_of_call(function: object) -> str:
    """What a call of it makes: "coroutine", "generator", "asynchronous generator"; "" where the call does the work."""
    code = getattr(_plain(function), "__code__", None)
    if not isinstance(code, types.CodeType):
        return ""
    return next((kind for flag, kind in _FLAGS.items() if code.co_flags & flag), "")


def kind_of_result(value: object) -> str:
    """The same of what a call returned."""
    if inspect.iscoroutine(value):
        return "coroutine"
    if inspect.isgenerator(value):
        return "generator"
    return "asynchronous generator" if inspect.isasyncgen(value) else ""


def not_run(kind: str, name: str) -> Error:
    """Of a call that makes a generator: what would be counted is that it is made."""
    hint = (
        f"measure what runs it: lambda: list({name}(…)), or collections.deque({name}(…), maxlen=0)"
    )
    if kind != "generator":
        hint = "measure a coroutine function that iterates over it: async for _ in …: pass"
    article = "an" if kind.startswith("a") else "a"
    return Error(f"calling it makes {article} {kind}, and runs none of it", place=name, hint=hint)


def calls_dropped(stmt: str, values: Mapping[str, Any]) -> list[str]:
    """What to say of calls that a text makes of coroutine and generator functions, and whose result it drops."""
    said = []
    for node in (parsed(stmt) or ast.Module([], [])).body:
        call = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        name = call.func.id
        kind = kind_of_call(values[name]) if callable(values.get(name)) else ""
        if kind:
            article = "an" if kind.startswith("a") else "a"
            said.append(
                f"{name}() makes {article} {kind} and runs none of it: what is counted is that it is made"
            )
    return said


def may_return_one(function: Callable[..., Any]) -> bool:
    """Whether a plain function names a coroutine or generator function, or has one within: it may return what that one
    makes, as `lambda: sums()` does."""
    plain = _plain(function)
    if not isinstance(plain, types.FunctionType):
        return False
    if any(map(_makes_one, plain.__code__.co_consts)):
        return True
    return any(kind_of_call(one) for one in _named(plain) if callable(one))


def run(coroutine: Coroutine[object, object, object]) -> object:
    """Its result, in this process; in a thread of its own where this one has a running loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    results: list[Any] = []

    def work() -> None:
        try:
            results.append((asyncio.run(coroutine), None))
        except BaseException as error:
            results.append((None, error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    result, error = results[0]
    if error is not None:
        raise error
    return result


def _plain(function: object) -> object:
    """The function behind partial objects, methods, and objects that are called."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, types.MethodType):
            function = function.__func__
        elif isinstance(function, (types.FunctionType, types.BuiltinFunctionType, type)):
            return function
        else:
            called = inspect.getattr_static(type(function), "__call__", None)
            return called if isinstance(called, types.FunctionType) else function


def _makes_one(constant: object) -> bool:
    return isinstance(constant, types.CodeType) and any(constant.co_flags & flag for flag in _FLAGS)


def _named(function: types.FunctionType) -> Iterator[object]:
    code, around = function.__code__, function.__globals__
    values = [around[name] for name in code.co_names if name in around]
    for cell in function.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:  # not assigned yet
            continue
    for value in values:
        yield value
        for name in code.co_names:
            holder = value if isinstance(value, (type, types.ModuleType)) else type(value)
            yield inspect.getattr_static(holder, name, None)
