"""Statements of the drop-in as definitions of the engine."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ._torch import imported_torch, names_torch, uses_torch
from .common import TaskSpec

if TYPE_CHECKING:
    from tallymark import Definition, Run
    from tallymark._client.request import Settings

    from .valgrind_wrapper._globals import GlobalsBridge

NO_LIMIT_S = (
    24 * 3600.0
)  # PyTorch's own has no limit: a caller knows why it takes so long, and Ctrl-C ends it

# Runs what the globals need in a `__main__` where what PyTorch's script has imported before is, as far as this process
# has it: what they were pickled from is looked up there. All but that is the case's; nothing else refers to a value.
_LOAD_GLOBALS = """\
import sys
main, case_main = type(sys)("__main__"), sys.modules["__main__"]
names = vars(main)
given = {{name: sys.modules[module] for name, module in {given!r} if module in sys.modules}}
names.update(given)
sys.modules["__main__"] = main
exec(compile({text!r}, "<globals>", "exec"), names)
sys.modules["__main__"] = case_main
case_globals.update((name, names[name]) for name in names
                    if name[:2] != "__" and names[name] is not given.get(name))
for name in {names!r}:
    del names[name]
"""

_GIVEN = [(name, name) for name in ("gc", "os", "pickle", "sys", "time", "torch")] + [
    ("np", "numpy")
]


def python_definition(task_spec: TaskSpec, bridge: GlobalsBridge | None = None) -> Definition:
    """A Python statement, with the globals that `bridge` carries.

    Its host has PyTorch loaded where the statement uses it; otherwise it is the one that has counted the same
    statement for everybody else."""
    from tallymark import Definition
    from tallymark._capture.capture import capture_text, with_modes
    from tallymark._capture.names import imported_names
    from tallymark._capture.replaced import replaced_by_others
    from tallymark._client import here as _here
    from tallymark._statement import here_text

    setup = "" if task_spec.setup == "pass" else task_spec.setup
    torch = imported_torch()
    around = {**({"torch": torch} if torch else {}), **(bridge.values if bridge else {})}
    if _here.here():
        data = here_text(task_spec.stmt, setup, around)
        return Definition(
            stmt=task_spec.stmt,
            setup=setup,
            threads=1,  # of a toolchain's, which sets them: this process has set its own
            toolchain="python",
            data=data,
        )
    # What the text imports is found as it is found here, and what it imports of __main__ taken along.
    data = capture_text(task_spec.stmt, setup)
    replaced_by_others((setup, task_spec.stmt), around, ())
    if bridge is not None and bridge.names:
        loading = _LOAD_GLOBALS.format(text=bridge.construct(), names=bridge.names, given=_GIVEN)
        data = dataclasses.replace(data, load=f"{data.load}\n{loading}", device=bridge.device)
    data = with_modes(data, setup, task_spec.stmt, threads=task_spec.num_threads)
    with_torch = _has_torch() and (
        names_torch(task_spec.stmt, setup)
        or any(map(uses_torch, imported_names(setup, task_spec.stmt)))
        or (bridge is not None and bridge.uses_torch)
    )
    return Definition(
        stmt=task_spec.stmt,
        setup=setup,
        threads=task_spec.num_threads,
        toolchain="torch" if with_torch else "python",
        data=data,
    )


def cpp_definition(task_spec: TaskSpec) -> Definition:
    """A C++ statement, built against the PyTorch that this process imports or could import."""
    from tallymark import Definition

    return Definition(
        stmt=task_spec.stmt,
        setup=task_spec.setup,
        global_setup=task_spec.global_setup,
        language="cpp",
        threads=task_spec.num_threads,
        toolchain="torch" if _has_torch() else "cpp",
    )


def _has_torch() -> bool:
    return imported_torch() is not None or importlib.util.find_spec("torch") is not None


def measured(definitions: Sequence[Definition], settings: Settings) -> Run:
    """One run of the engine, whose profiles can be read. Raises CaseFailed where a statement failed, Error where
    nothing could be measured."""
    from tallymark import CaseFailed
    from tallymark._client.engine import default_engine

    run = default_engine().measure(
        definitions, settings=settings, profiles=bool(settings["counts"])
    )
    for case in run.cases:
        if case["status"] != "ok":
            failure = case.get("failure")
            message = (failure and failure["message"]) or f"the case is {case['status']}"
            raise CaseFailed(message, kind=case["status"], case=case)
    return run
