"""Counts below zero are not figures: more was taken off for the empty loop, or for pauses, than there was."""

from __future__ import annotations

from made_records import made_record, made_result
from tallymark._compare import Comparison, _ratio
from tallymark._result import Result, Results
from tallymark._view import html as _html
from tallymark._view import text as _text


def counted(value: float) -> Result:
    counts = {
        "per_iteration": value,
        "iterations": 100,
        "replicates": [1, 1],
        "baseline": 900.0,
        "spread": 0.0,
    }
    return made_result(
        id="a [python]", label=["a"], language="python", status="ok", counts=counts, wall=None
    )


def test_they_are_shown_as_what_they_are() -> None:
    assert [_text.figure(one) for one in (-8.0, -0.2, 0.0, None)] == ["below 0", "-0.2", "0", ""]
    assert "below 0" in repr(counted(-8.0))
    several = Results([counted(-8.0)], made_record())
    assert "below 0" in repr(several) and "-8" not in repr(several)
    assert "below 0" in _html.results(several)


def test_they_are_compared_with_nothing() -> None:
    assert _ratio(14_997.0, -5.0) is None
    assert _ratio(-8.0, 5.0) is None
    assert _ratio(3.0, 0.0) is None
    assert _ratio(6.0, 3.0) == 2.0
    made = Comparison(
        a=counted(-5.0),
        b=counted(14_997.0),
        verdict="not compared",
        instructions_ratio=None,
        threshold=None,
        time_ratio=None,
        time_interval=None,
        functions=(),
        notes=(),
    )
    assert "%" not in repr(made) and "below 0" in repr(made)
