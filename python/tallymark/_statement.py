"""Makes a definition from a text, or from a function with arguments, with what it takes along."""

from __future__ import annotations

import dataclasses
import inspect
import keyword
import re
from collections.abc import Mapping
from typing import Callable, Union

from tallymark._capture import rebuild
from tallymark._capture.awaited import (
    NOTE,
    Loop,
    calls_dropped,
    kind_of_call,
    may_return_one,
    not_run,
)
from tallymark._capture.capture import (
    DATA_LIMIT,
    Captured,
    Source,
    capture_text,
    capture_values,
    with_modes,
)
from tallymark._capture.names import free_names, imported_names
from tallymark._capture.references import with_imports
from tallymark._client import here as _here
from tallymark._definition import Definition, first_line
from tallymark._errors import Error

Statement = Union[str, Callable[..., object]]

_LANGUAGES = {"python": "python", "py": "python", "cpp": "cpp", "c++": "cpp"}
_CPP_TORCH = re.compile(r"\b(torch|at|c10)::")


def define(
    statement: Statement,
    *args: object,
    setup: str = "",
    globals: Mapping[str, object] | None = None,
    global_setup: str = "",
    language: str = "python",
    label: str | None = None,
    threads: int = 1,
    toolchain: str | None = None,
    data_limit: int = DATA_LIMIT,
    options: Mapping[str, object] | None = None,
) -> Definition:
    """A definition of a text, or of a call of a function with these arguments."""
    known_as = _LANGUAGES.get(language.lower())
    if known_as is None:
        raise Error(f"there is no language {language!r}", hint="write 'python' or 'cpp'")
    if callable(statement):
        if known_as != "python":
            raise Error("a function is Python", place=repr(statement), hint="give C++ as text")
        if globals is not None:
            raise Error("a function has its own globals", hint="leave globals= out")
        stmt, captured = _call(statement, args, setup, data_limit)
        label = label or _title(statement)
        captured = dataclasses.replace(
            captured,
            source=(*captured.source, *([Source("setup", setup)] if setup else [])),
        )
    else:
        stmt = statement
        captured = _text(statement, args, setup, globals, known_as, data_limit)
    if known_as == "python" and captured.here is None and toolchain is None:
        captured = dataclasses.replace(captured, requires=with_imports(captured.requires, setup))
    if known_as == "python":
        captured = with_modes(captured, setup, stmt, threads=threads)
    # A toolchain's hosts are for what is taken to them; this process has what it has.
    made = (
        known_as
        if captured.here is not None
        else _toolchain(known_as, stmt, setup, global_setup, captured)
    )
    chosen = toolchain or made
    if threads != 1 and chosen in (None, *_LANGUAGES.values()):
        raise Error(
            f"the toolchain {chosen or known_as!r} cannot set a number of threads, and {threads} were requested",
            place="threads",
            hint="start them in setup=, or name a toolchain that sets them: toolchain='torch'",
        )
    return Definition(
        stmt=stmt,
        setup=setup,
        global_setup=global_setup,
        language=known_as,
        label=label or first_line(stmt),
        threads=threads,
        toolchain=chosen,
        data=captured,
        options=options or {},
    )


def _text(
    stmt: str,
    args: tuple[object, ...],
    setup: str,
    globals: Mapping[str, object] | None,
    language: str,
    limit: int,
) -> Captured:
    if not isinstance(stmt, str):
        raise TypeError(f"a statement is text or a function, not {type(stmt).__name__}")
    if args:
        raise Error("a text takes no arguments", hint="pass globals={'x': x}, or give a function")
    if language == "python" and _here.here():
        return here_text(stmt, setup, globals)
    if language == "python":
        captured = capture_text(stmt, setup, globals, limit=limit)
        dropped = calls_dropped(stmt, globals or {})
        return dataclasses.replace(captured, notes=(*captured.notes, *dropped))
    if globals:
        raise Error("C++ sees no values of this process", hint="make them in setup=")
    return Captured(
        source=(Source("statement", stmt),) + ((Source("setup", setup),) if setup else ())
    )


def _call(
    function: Callable[..., object], args: tuple[object, ...], setup: str, limit: int
) -> tuple[str, Captured]:
    """A plain call, by names that are variables of the case's function: nothing is looked up but those. Where only
    executing it can say whether the call does the work, it is executed once more, before the setup."""
    name = getattr(function, "__name__", "")
    values: dict[str, object] = {_free(name if name.isidentifier() else "f", {}): function}
    target = next(iter(values))
    for wanted, value in zip(_parameters(function, len(args)), args):
        values[_free(wanted, values)] = value
    given = list(values)[1:]
    stmt = f"{target}({', '.join(given)})"
    check = ""
    kind = kind_of_call(function)
    if kind == "coroutine":
        around = _free("run", values)
        values[around], stmt = Loop(), f"{around}({stmt})"
    elif kind:
        raise not_run(kind, _title(function))
    elif may_return_one(function) and not setup:
        around = _free("done", values)
        values[around] = rebuild.expect_done
        here = ", ".join(f"case_locals[{one!r}]" for one in given)
        check = f"case_locals.pop({around!r})(case_locals[{target!r}]({here}))"
    if _here.here():
        kept = _here.kept(values, as_globals=False)
        captured = Captured(load=kept.load, notes=(_here.NOTE,), here=kept)
    else:
        captured = capture_values(values, limit=limit, as_globals=False, texts=(setup,))
    load = "\n".join(filter(None, [captured.load, check]))
    captured = dataclasses.replace(captured, load=load)
    return stmt, with_text(captured, stmt, awaited=kind == "coroutine")


def here_text(stmt: str, setup: str, globals: Mapping[str, object] | None) -> Captured:
    """Of a Python statement that a fork of this process executes."""
    source = (Source("statement", stmt),) + ((Source("setup", setup),) if setup else ())
    kept = _here.kept(globals or {}, as_globals=True)
    return Captured(load=kept.load, source=source, notes=(_here.NOTE,), here=kept)


def with_text(captured: Captured, stmt: str, *, awaited: bool) -> Captured:
    """With the statement among the sources, and what it says of a coroutine."""
    source = (Source("statement", stmt), *captured.source)
    if not awaited:
        return dataclasses.replace(captured, source=source)
    return dataclasses.replace(
        captured,
        source=source,
        # The loop is no value of the caller's.
        data=tuple(one for one in captured.data if one.type != "tallymark._capture.awaited.Loop"),
        notes=(*captured.notes, NOTE),
        requires=tuple(sorted({*captured.requires, "asyncio"})),
    )


def _parameters(function: Callable[..., object], count: int) -> list[str]:
    try:
        known = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        known = []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [one.name for one in known if one.kind in kinds]
    return [names[i] if i < len(names) else f"x{i}" for i in range(count)]


def _free(wanted: str, taken: Mapping[str, object]) -> str:
    name = wanted
    number = 1
    while name in taken or keyword.iskeyword(name):
        number += 1
        name = f"{wanted}{number}"
    return name


def _title(function: Callable[..., object]) -> str:
    # A built-in function's qualified name may be that of a class that nobody knows.
    kind = (
        "__qualname__" if inspect.isfunction(function) or inspect.isclass(function) else "__name__"
    )
    name = getattr(function, kind, None) or type(function).__qualname__
    return str(name).rpartition("<locals>.")[2]


def _toolchain(
    language: str, stmt: str, setup: str, global_setup: str, captured: Captured
) -> str | None:
    """`torch` for what uses PyTorch: its hosts have it loaded; another would import it under Valgrind each time."""
    if language == "cpp":
        return "torch" if _CPP_TORCH.search("\n".join([global_setup, setup, stmt])) else None
    used = {name.partition(".")[0] for name in (*imported_names(setup, stmt), *captured.requires)}
    used |= set(free_names(setup, stmt))
    return "torch" if "torch" in used else None
