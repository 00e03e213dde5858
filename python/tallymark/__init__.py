"""Counts the instructions of statements exactly and times them honestly, in Python and C++.

>>> import tallymark
>>> tallymark.count("sorted(x)", setup="x = list(range(100))").instructions > 1000
True
"""

__version__ = "0.1.0"

from typing import Any as _Any

from tallymark._api import count, measure, run, time
from tallymark._capture import Captured
from tallymark._compare import Comparison, compare
from tallymark._definition import Definition
from tallymark._doctor import Diagnosis, doctor
from tallymark._engine import Engine, Run, default_engine
from tallymark._errors import CaptureError, CaseFailed, Error, Interrupted, ServerLost
from tallymark._functions import Function, Moved
from tallymark._result import Counts, Result, Results, Wall
from tallymark._suite import Suite
from tallymark._trace import Trace, trace

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
    "Moved",
    "Result",
    "Results",
    "Run",
    "ServerLost",
    "Suite",
    "Trace",
    "Wall",
    "compare",
    "count",
    "default_engine",
    "doctor",
    "measure",
    "run",
    "time",
    "trace",
]


def load_ipython_extension(shell: _Any) -> None:
    """`%load_ext tallymark`: %tally, %%tally and %tally_compare."""
    from tallymark._magics import load_ipython_extension as load

    load(shell)
