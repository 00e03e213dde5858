"""What the compiled file of a module says of the names of a module or class: made by `def`, by `class`, a plain value,
imported, or something else. Read from the bytecode, which is there already; nothing is executed."""

from __future__ import annotations

import dataclasses
import dis
import functools
import inspect
import sys
import types
from collections.abc import Iterator
from typing import Any

_STORES = ("STORE_NAME", "STORE_GLOBAL")
_CALLS = ("CALL", "CALL_FUNCTION", "CALL_KW", "CALL_FUNCTION_KW", "CALL_FUNCTION_EX", "CALL_METHOD")
_FUNCTIONS = ("MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE")
STAR = "*"  # a name that no name can be: the body takes over all of some other module
_PASSED = ("CACHE", "EXTENDED_ARG", "NOP", "PRECALL", "PUSH_NULL", "COPY", "DUP_TOP", "RESUME")


@dataclasses.dataclass(frozen=True)
class Made:
    """One binding of a name. `kind`: "def" (`value` is its code), "class", "value" (a constant), "alias" and "from"
    (`value` is the other name), "import" (`value` is the module), "other"."""

    kind: str
    value: Any = None


def made_in(owner: types.ModuleType | type) -> dict[str, tuple[Made, ...]] | None:
    """Each name that the body of a module or class binds, with all the ways in which it does; None where there is no
    code."""
    module = sys.modules.get(owner.__module__) if isinstance(owner, type) else owner
    code = _code_of(module) if module is not None else None
    if code is not None and isinstance(owner, type):
        code = _body_of(code, owner.__qualname__.split("."))
    return None if code is None else _made(code)


def ways(owner: types.ModuleType | type, name: str) -> tuple[Made, ...]:
    """In which a body binds a name; none where it does not, or where nothing can be known of it."""
    made = made_in(owner) or {}
    return () if STAR in made else made.get(name, ())


def stores_of(module: types.ModuleType) -> frozenset[str]:
    """The names that functions of a module's file assign, as global variables or as attributes."""
    code = _code_of(module)
    return frozenset() if code is None else _stores(code)


def _code_of(module: types.ModuleType) -> types.CodeType | None:
    spec = getattr(module, "__spec__", None)
    if spec is None or sys.modules.get(spec.name) is not module:
        return None
    return _loaded(spec.name, spec.loader)


@functools.lru_cache(maxsize=256)
def _loaded(name: str, loader: Any) -> types.CodeType | None:
    try:
        code = loader.get_code(name)
    except Exception:  # a loader of somebody else's, a file that is gone
        return None
    return code if isinstance(code, types.CodeType) else None


def _body_of(code: types.CodeType, path: list[str]) -> types.CodeType | None:
    """Of the class of that name, where the file has one."""
    found = [
        one for one in code.co_consts if isinstance(one, types.CodeType) and one.co_name == path[0]
    ]
    if len(found) != 1:
        return None
    return found[0] if len(path) == 1 else _body_of(found[0], path[1:])


@functools.lru_cache(maxsize=1024)
def _made(code: types.CodeType) -> dict[str, tuple[Made, ...]]:
    found: dict[str, list[Made]] = {}
    for name, made in _bindings(code):
        found.setdefault(name, []).append(made)
    return {name: tuple(several) for name, several in found.items()}


def _bindings(code: types.CodeType) -> Iterator[tuple[str, Made]]:
    last, argument = "", None
    function: types.CodeType | None = None
    imported = ""
    in_class = False
    for one in dis.get_instructions(code):
        if one.opname in _PASSED:
            continue
        if one.opname == "IMPORT_NAME" and argument == ("*",):
            yield STAR, Made("other")
        if one.opname in _STORES:
            # What one of two branches may have left is not what was loaded last.
            kind = "" if one.is_jump_target else last
            yield str(one.argval), _made_by(kind, argument, function, imported, in_class)
            in_class = False
            # `a = b = 1` stores what was stored.
            if last != "IMPORT_FROM":
                last, argument = ("", None) if last == "IMPORT_NAME" else (last, argument)
            continue
        in_class = in_class or one.opname == "LOAD_BUILD_CLASS"
        if one.opname == "IMPORT_NAME":
            imported = str(one.argval)
        if isinstance(one.argval, types.CodeType):
            function = one.argval
        last, argument = one.opname, one.argval


def _made_by(
    last: str, argument: Any, function: types.CodeType | None, imported: str, in_class: bool
) -> Made:
    if last in _FUNCTIONS:
        return Made("def", function)
    if last in ("LOAD_CONST", "LOAD_SMALL_INT", "RETURN_CONST"):
        return Made("value", argument)
    if last in ("LOAD_NAME", "LOAD_GLOBAL"):
        return Made("alias", str(argument))
    if last == "IMPORT_FROM":
        return Made("from", str(argument))
    if last == "IMPORT_NAME":
        return Made("import", imported)
    return Made("class") if in_class and last in _CALLS else Made("other")


@functools.lru_cache(maxsize=256)
def _stores(code: types.CodeType) -> frozenset[str]:
    found: set[str] = set()
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            found |= _stores(one)
            if one.co_flags & inspect.CO_OPTIMIZED and one.co_names:
                found.update(_assigned(one))
    return frozenset(found)


def _assigned(function: types.CodeType) -> Iterator[str]:
    """But for attributes of `self`: those are its own, whatever its class has."""
    before: Any = None
    for one in dis.get_instructions(function):
        if one.opname == "STORE_GLOBAL" or (one.opname == "STORE_ATTR" and before != "self"):
            yield str(one.argval)
        if one.opname != "CACHE":
            before = one.argval[-1] if isinstance(one.argval, tuple) and one.argval else one.argval
