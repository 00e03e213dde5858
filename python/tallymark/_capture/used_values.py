"""Finds what functions that go by value use, and what a module's file says of values that are not code."""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tallymark._capture.names import default_values, outside_names
from tallymark._capture.pickling import reference_to
from tallymark._errors import CaptureError

_PLAIN = (int, float, complex, type(None))


def used_by_functions(values: Mapping[str, object]) -> dict[str, object]:
    """What functions and classes that go by value use, by the path to it ("f: table"): written before them, so that
    each has its size, and is shared."""
    found: dict[str, object] = {}
    seen = {id(value) for value in values.values()}

    def visit(path: str, value: object) -> None:
        for part, function in _functions_of(value):
            defaults = default_values(function).items()
            used = {name: one for name, one in defaults if not isinstance(one, _PLAIN)}
            for name, one in {**used, **outside_names(function)}.items():
                if id(one) in seen:
                    continue
                seen.add(id(one))
                inner = f"{path}{part}: {name}"
                if not isinstance(one, (types.ModuleType, types.FunctionType, type)):
                    found[inner] = one
                visit(inner, one)

    for name, value in values.items():
        visit(name, value)
    return found


def _functions_of(value: object) -> Iterator[tuple[str, types.FunctionType]]:
    """Those that leave with a value because nobody could import them there: itself, its class's methods."""
    if isinstance(value, types.FunctionType):
        if reference_to(value) is None:
            yield "", value
    elif isinstance(value, (types.MethodType, functools.partial)):
        yield from _functions_of(value.__func__ if hasattr(value, "__func__") else value.func)
        if isinstance(value, types.MethodType):
            yield from _functions_of(value.__self__)
    elif isinstance(value, types.ModuleType):
        return
    elif not isinstance(value, type):
        yield from _functions_of(type(value))
    elif value.__module__ != "builtins" and reference_to(value) is None:
        for name, member in vars(value).items():
            for kept in ("__func__", "fget"):
                member = getattr(member, kept, None) or member
            if isinstance(member, types.FunctionType):
                yield f".{name}", member


def check_values(modules: Iterable[types.ModuleType]) -> None:
    """Holds the numbers and texts that modules name, as they are in this process, against their files, which the
    measured process imports: a file that was edited and not reloaded, a value that was set from outside. Only what is
    written once, and plainly. Raises CaptureError."""
    for module in modules:
        for owner, name, written in _written(getattr(module, "__file__", None) or ""):
            holder: object = getattr(module, owner, None) if owner else module
            if name.endswith("()"):
                _check_defaults(
                    module, owner, vars(holder).get(name[:-2]) if holder else None, written
                )
            elif holder is not None and name in vars(holder):
                path = ".".join(filter(None, (module.__name__, owner, name)))
                _check(module, path, vars(holder)[name], written)


def _check_defaults(module: types.ModuleType, owner: str, function: Any, written: Any) -> None:
    if not isinstance(function, types.FunctionType) or function.__module__ != module.__name__:
        return
    here = default_values(function)
    for name, value in written.items():
        if name in here:
            _check(module, f"{module.__name__}.{function.__qualname__}({name}=)", here[name], value)


def _check(module: types.ModuleType, path: str, here: object, written: object) -> None:
    if type(here) is type(written) and (here == written or here != here):
        return
    raise CaptureError(
        f"it is {here!r:.60} in this process and {written!r:.60} in the file that the measured process imports",
        place=path,
        hint=f"importlib.reload({module.__name__}), or give the value as an argument",
    )


@functools.lru_cache(maxsize=256)
def _parsed(path: str, _state: tuple[int, int]) -> tuple[tuple[str, str, object], ...]:
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    changed = {
        name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names
    }
    found = list(_of_body("", tree.body, changed))
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.decorator_list:
            found += _of_body(node.name, node.body, set())
    return tuple(found)


def _written(path: str) -> tuple[tuple[str, str, object], ...]:
    """(class or "", name, value), and (…, "function()", {parameter: default}); nothing of what cannot be read."""
    import os

    try:
        status = os.stat(path)
        return _parsed(path, (status.st_mtime_ns, status.st_size))
    except (OSError, SyntaxError, ValueError):
        return ()


def _of_body(
    owner: str, body: list[ast.stmt], changed: set[str]
) -> Iterator[tuple[str, str, object]]:
    stores = [
        node.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    ]
    names = [one.name for one in body if isinstance(one, (ast.FunctionDef, ast.ClassDef))]
    for node in body:
        if isinstance(node, ast.FunctionDef):
            if names.count(node.name) == 1 and node.name not in stores and not node.decorator_list:
                yield owner, f"{node.name}()", _defaults_of(node.args)
            continue
        target = (
            node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        )
        if isinstance(node, ast.AnnAssign):
            target = node.target
        value = getattr(node, "value", None)
        if not isinstance(target, ast.Name) or value is None or target.id in changed:
            continue
        if stores.count(target.id) == 1 and target.id not in names and _is_plain(value):
            yield owner, target.id, ast.literal_eval(value)


def _defaults_of(arguments: ast.arguments) -> dict[str, object]:
    positional = [*arguments.posonlyargs, *arguments.args]
    given = list(zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults))
    given += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults) if d is not None]
    return {one.arg: ast.literal_eval(value) for one, value in given if _is_plain(value)}


def _is_plain(value: ast.expr) -> bool:
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, (ast.USub, ast.UAdd)):
        value = value.operand
    return isinstance(value, ast.Constant) and value.value is not Ellipsis
