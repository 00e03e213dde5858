"""Which names a statement or a function takes from outside of itself."""

from __future__ import annotations

import ast
import builtins
import dis
import textwrap
import types
from collections.abc import Iterator
from typing import Any

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
        if name in function.__globals__ and not hasattr(builtins, name):
            found[name] = function.__globals__[name]
    return found


def imported_names(*texts: str) -> list[str]:
    """The modules that import statements of these texts name."""
    found = []
    for text in texts:
        tree = _parsed(text)
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


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError):
        return None


def _as_function(setup: str, stmt: str) -> types.CodeType | None:
    """As the host compiles them: one function, whose variables are the setup's."""
    first, second = _parsed(setup), _parsed(stmt)
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
