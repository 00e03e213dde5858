"""Instruction counts by the engine, as CallgrindStats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._engine import NO_LIMIT_S, cpp_definition, measured, python_definition
from .._torch import imported_torch
from ..common import TaskSpec
from ._callgrind_stats import CallgrindStats
from ._function_counts import FunctionCounts, ordered_counts
from ._globals import GlobalsBridge

if TYPE_CHECKING:
    from tallymark import Definition
    from tallymark._client.answers import Side
    from tallymark._client.request import Settings

_FAILED = "Failed to collect callgrind profile:"
_LEAST_REPLICATES = 2  # two that agree prove that the count repeats


class _Counts(NamedTuple):
    inclusive: FunctionCounts
    exclusive: FunctionCounts
    text: str | None  # as a file of Callgrind's


_NOTHING = _Counts(FunctionCounts((), inclusive=True), FunctionCounts((), inclusive=False), None)


class ValgrindWrapper:
    """Counts statements."""

    # PyTorch's wrapper compiles bindings for its old versions, and says so here. There is nothing to compile.
    _bindings_module: object = None

    def collect_callgrind(
        self,
        task_spec: TaskSpec,
        globals: dict[str, Any],
        *,
        number: int,
        repeats: int,
        collect_baseline: bool,
        is_python: bool,
        retain_out_file: bool,
    ) -> tuple[CallgrindStats, ...]:
        """As Timer.collect_callgrind has it; one for each repeat."""
        from tallymark import Error
        from tallymark._capture.blobs import folder

        bridge = GlobalsBridge(globals, str(folder())) if is_python else None
        try:
            statement = (
                python_definition(task_spec, bridge) if bridge else cpp_definition(task_spec)
            )
            empty, counts = _collect(statement, number, repeats, collect_baseline, retain_out_file)
        except Error as error:
            raise OSError(_explanation(error)) from error
        symbols = _has_debug_symbols()
        return tuple(
            CallgrindStats(
                task_spec=task_spec,
                number_per_run=number,
                built_with_debug_symbols=symbols,
                baseline_inclusive_stats=empty.inclusive,
                baseline_exclusive_stats=empty.exclusive,
                stmt_inclusive_stats=one.inclusive,
                stmt_exclusive_stats=one.exclusive,
                stmt_callgrind_out=one.text,
            )
            for one in counts
        )


def _collect(
    statement: Definition, number: int, repeats: int, with_baseline: bool, with_text: bool
) -> tuple[_Counts, Sequence[_Counts]]:
    from tallymark._client.engine import default_engine

    with default_engine().exclusive():
        run = measured([statement], _settings(number, max(repeats, _LEAST_REPLICATES)))
        case = run.cases[0]
        profile = run.profile(case["id"], callgrind=with_text)
        empty = _counts(profile["baseline"]) if with_baseline else _NOTHING
        assert case["counts"] is not None
        totals = case["counts"]["replicates"][:repeats]
        if len(totals) == repeats and len(set(totals)) == 1:
            return empty, [_counts(profile["statement"])] * repeats
        # The engine keeps the profile of one replicate, and these differ: each needs a run and a profile of its own.
        run = measured([statement] * repeats, _settings(number, 1))
        profiles = [run.profile(one["id"], callgrind=with_text) for one in run.cases]
    return empty, [_counts(one["statement"]) for one in profiles]


def _settings(iterations: int, replicates: int) -> Settings:
    return {
        "counts": True,
        "wall": False,
        "iterations": iterations,
        "replicates": replicates,
        "max_replicates": replicates,
        "timeout_s": NO_LIMIT_S,
    }


def _counts(side: Side | None) -> _Counts:
    """Of the inclusive ones without what has all of the instructions, such as the loop: it says nothing."""
    if side is None:
        return _NOTHING
    exclusive = ordered_counts(side["exclusive"], inclusive=False)
    total = exclusive.sum()
    # Of a program under tally exec, it is not known who calls whom.
    inclusive = (row for row in side.get("inclusive", ()) if row[0] != total)
    return _Counts(ordered_counts(inclusive, inclusive=True), exclusive, side.get("callgrind"))


def _explanation(error: Exception) -> str:
    if getattr(error, "kind", "") == "missing":
        return f"Missing: {error}"
    return f"{_FAILED}\n{error}"


def _has_debug_symbols() -> bool:
    """Of PyTorch; where this process has none, nothing is amiss."""
    torch = imported_torch()
    if torch is None:
        return True
    build = re.search(r"BUILD_TYPE=([^,]+),", torch.__config__.show())
    return build is not None and build.group(1) == "RelWithDebInfo"


_singleton = ValgrindWrapper()


def wrapper_singleton() -> ValgrindWrapper:
    """The one that Timer uses."""
    return _singleton
