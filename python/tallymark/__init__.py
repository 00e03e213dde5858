"""Counts the instructions of statements exactly and times them honestly, in Python and C++.

>>> import tallymark
>>> tallymark.count("sorted(x)", setup="x = list(range(100))").instructions > 1000
True
"""

__version__ = "0.1.0"

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from tallymark._api import count, measure, run, time
    from tallymark._bench import State, bench, main
    from tallymark._capture.capture import Captured
    from tallymark._client.engine import Engine, Run, default_engine
    from tallymark._client.here import here
    from tallymark._compare import Comparison, compare
    from tallymark._definition import Definition
    from tallymark._doctor import Diagnosis, doctor
    from tallymark._errors import CaptureError, CaseFailed, Error, Interrupted, ServerLost
    from tallymark._figures import Counts, Kernel, OnDevice, Wall
    from tallymark._functions import Function, Moved
    from tallymark._result import Result, Results
    from tallymark._suite import Suite
    from tallymark._trace import Trace, trace

# Imported when they are first used: a test run that measures nothing pays for nothing.
_HOMES = {
    "bench": "_bench",
    "Captured": "_capture.capture",
    "CaptureError": "_errors",
    "CaseFailed": "_errors",
    "compare": "_compare",
    "Comparison": "_compare",
    "count": "_api",
    "Counts": "_figures",
    "default_engine": "_client.engine",
    "Definition": "_definition",
    "Diagnosis": "_doctor",
    "doctor": "_doctor",
    "Engine": "_client.engine",
    "Error": "_errors",
    "Function": "_functions",
    "here": "_client.here",
    "Interrupted": "_errors",
    "Kernel": "_figures",
    "main": "_bench",
    "measure": "_api",
    "Moved": "_functions",
    "OnDevice": "_figures",
    "Result": "_result",
    "Results": "_result",
    "run": "_api",
    "Run": "_client.engine",
    "ServerLost": "_errors",
    "State": "_bench",
    "Suite": "_suite",
    "time": "_api",
    "Trace": "_trace",
    "trace": "_trace",
    "Wall": "_figures",
}

__all__ = [
    "CaptureError",
    "Captured",
    "CaseFailed",
    "Comparison",
    "Counts",
    "Definition",
    "Diagnosis",
    "Engine",
    "Error",
    "Function",
    "Interrupted",
    "Kernel",
    "Moved",
    "OnDevice",
    "Result",
    "Results",
    "Run",
    "ServerLost",
    "State",
    "Suite",
    "Trace",
    "Wall",
    "bench",
    "compare",
    "count",
    "default_engine",
    "doctor",
    "here",
    "main",
    "measure",
    "run",
    "time",
    "trace",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


def load_ipython_extension(shell: object) -> None:
    """`%load_ext tallymark`: %tally, %%tally and %tally_compare."""
    from tallymark._magics import load_ipython_extension as load

    load(shell)
