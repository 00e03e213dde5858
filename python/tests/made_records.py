"""Records and results with as much in them as a test is about."""

from __future__ import annotations

from typing import cast

from tallymark._client.record import Case, Record
from tallymark._result import Result


def made_record(*cases: object, **keys: object) -> Record:
    return cast(Record, {"cases": list(cases), **keys})


def made_result(**case: object) -> Result:
    return Result(cast(Case, case), made_record(case))
