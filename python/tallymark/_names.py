"""Which names a statement or a function takes from outside of itself."""

from __future__ import annotations

import ast
import builtins
import dis
import sys
import textwrap
import types
from collections.abc import Iterator, Mapping
from typing import Any

_NONE = object()
_READS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS", "DELETE_GLOBAL")


def free_names(setup: str, stmt: str) -> list[str]:
    """What a statement reads that neither it nor its setup makes: globals, in the order of their use. Empty where the
    text does not parse: the one that measures says where and why."""
    code = _as_function(setup, stmt)
    return [] if code is None else list(dict.fromkeys(_global_reads(code)))


def outside_names(function: types.FunctionType) -> dict[str, Any]:
    """The variables of its closure and the globals that a function uses, as far as they have values now."""
    found: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    for name in _global_reads(function.__code__):
        value = function.__globals__.get(name, _NONE)
        if value is not _NONE and value is not getattr(builtins, name, _NONE):
            found[name] = value
    return found


def default_values(function: types.FunctionType) -> dict[str, Any]:
    """What its parameters are when nothing is given, by their names."""
    code, values = function.__code__, function.__defaults__ or ()
    first = code.co_argcount - len(values)
    named = dict(zip(code.co_varnames[first : code.co_argcount], values))
    return {**named, **(function.__kwdefaults__ or {})}


def submodules(modules: Mapping[str, types.ModuleType], *texts: str) -> dict[str, types.ModuleType]:
    """Those of these modules that texts name by the way that leads to them, `xml.etree.ElementTree` where `xml` is one
    of `modules`: whoever imports `xml` alone has no such attribute."""
    found = {}
    for text in texts:
        tree = parsed(text)
        for node in ast.walk(tree) if tree is not None else ():
            path = _dotted(node)
            if path is None or path[0] not in modules:
                continue
            for end in range(2, len(path) + 1):
                within = ".".join([modules[path[0]].__name__, *path[1:end]])
                if within in sys.modules:
                    found[".".join(path[:end])] = sys.modules[within]
    return found


def _dotted(node: ast.AST) -> list[str] | None:
    """["a", "b", "c"] of a.b.c"""
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.insert(0, node.attr)
        node = node.value
    return [node.id, *path] if path and isinstance(node, ast.Name) else None


def imported_names(*texts: str) -> list[str]:
    """The modules that import statements of these texts name."""
    found = []
    for text in texts:
        tree = parsed(text)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Import):
                found += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.append(node.module)
    return list(dict.fromkeys(found))


def _global_reads(code: types.CodeType) -> Iterator[str]:
    for one in dis.get_instructions(code):
        if one.opname in _READS:
            yield str(one.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _global_reads(constant)


def parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError):
        return None


def _as_function(setup: str, stmt: str) -> types.CodeType | None:
    """As the host compiles them: one function, whose variables are the setup's."""
    first, second = parsed(setup), parsed(stmt)
    if first is None or second is None:
        return None
    module = ast.parse("def case():\n    pass")
    function = module.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body += first.body + second.body
    try:
        code = compile(ast.fix_missing_locations(module), "<statement>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    return next((one for one in code.co_consts if isinstance(one, types.CodeType)), None)
