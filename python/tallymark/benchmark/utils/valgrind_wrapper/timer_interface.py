"""Instruction counts: the arguments and results of Timer.collect_callgrind."""

from __future__ import annotations

from ._callgrind_stats import CallgrindStats
from ._function_counts import FunctionCount, FunctionCounts
from ._globals import CopyIfCallgrind, GlobalsBridge, Serialization
from ._wrapper import wrapper_singleton

__all__ = [
    "CallgrindStats",
    "CopyIfCallgrind",
    "FunctionCount",
    "FunctionCounts",
    "GlobalsBridge",
    "Serialization",
    "wrapper_singleton",
]
