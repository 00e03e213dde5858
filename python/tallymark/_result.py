"""Results of one statement, and of several: values that show themselves as text and as HTML."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, overload

from tallymark._capture.capture import Captured
from tallymark._case import MeasuredCase
from tallymark._client.record import Record
from tallymark._errors import CaseFailed, Error
from tallymark._output import write_text
from tallymark._view import html as _html
from tallymark._view import text as _text

if TYPE_CHECKING:
    import pandas


@dataclasses.dataclass(frozen=True, repr=False)
class Result(MeasuredCase):
    """The result of one case.

    `case` and `record` are the engine's, in the form of docs/reference/record.md. `captured` lists what left this
    process. `functions` are those that its instructions are in, costliest first, and `tree` has their calls; with
    profile=False there are none.
    """

    def raise_for_status(self) -> Result:
        """Itself when it was measured. Otherwise raises CaseFailed with what the measured process reported."""
        if self.ok:
            return self
        failure = self.case.get("failure")
        message = (failure and failure.get("message")) or f"the case is {self.status}"
        raise CaseFailed(
            message,
            place=f"{self.title}, {failure['stage']}"
            if failure and failure.get("stage")
            else self.title,
            hint=_HINTS.get(message.partition(":")[0], ""),
            kind=self.status,
            case=self.case,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """A record of this case alone, which `tally compare` and `tally report` read."""
        _write(path, record_of(self))

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame of one row. Needs pandas."""
        return Results([self], self.record).to_pandas()

    def __repr__(self) -> str:
        return _text.result(self)

    def _repr_html_(self) -> str:
        return _html.result(self)


class Results(Sequence[Result]):
    """The cases of one run, in their order. An id, a title or a label finds one."""

    def __init__(self, results: Sequence[Result], record: Record) -> None:
        self._results = tuple(results)
        self.record = record

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results)

    @overload
    def __getitem__(self, index: int | str) -> Result: ...

    @overload
    def __getitem__(self, index: slice) -> Results: ...

    def __getitem__(self, index: int | str | slice) -> Result | Results:
        if isinstance(index, slice):
            return Results(self._results[index], self.record)
        if isinstance(index, int):
            return self._results[index]
        found = [one for one in self if index in (one.id, one.title)] or [
            one for one in self if one.label == index
        ]
        if len(found) != 1:
            several = "; ".join(one.id for one in found) or "see .ids"
            raise KeyError(f"{index!r} is {len(found) or 'no'} of these cases ({several})")
        return found[0]

    def with_captured(self, captured: Mapping[tuple[str, str], Captured]) -> Results:
        """The same with what left the process, by language and label."""
        results = [
            dataclasses.replace(
                one, captured=captured.get((one.case["language"], one.label), one.captured)
            )
            for one in self
        ]
        return Results(results, self.record)

    @property
    def ids(self) -> list[str]:
        return [one.id for one in self]

    @property
    def failed(self) -> list[Result]:
        return [one for one in self if not one.ok]

    def save(self, path: str | os.PathLike[str]) -> None:
        """The whole record, which `tally compare`, `tally check` and `tally report` read."""
        _write(path, self.record)

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with a row for each case: id, label, language, threads, parameters ("params.x" where x is a
        column already), instructions, seconds, … Needs pandas."""
        try:
            import pandas
        except ImportError:
            raise Error("there is no pandas", hint="pip install pandas") from None
        frame = pandas.DataFrame([_row(one) for one in self], columns=None if self else ["id"])
        return frame.set_index("id")

    def __repr__(self) -> str:
        return _text.results(self)

    def _repr_html_(self) -> str:
        return _html.results(self)


def record_of(result: Result) -> Record:
    """The record with this case alone. The path of its profile is left out: that is relative to another file."""
    return {**result.record, "cases": [{**result.case, "profile": None}]}


def _row(one: Result) -> dict[str, object]:
    counts, wall = one.counts, one.wall
    row: dict[str, object] = {
        "id": one.id,
        "label": one.label,
        "language": one.case.get("language"),
        "runtime": one.case.get("runtime"),
        "autograd": one.case.get("autograd"),
        "threads": one.case.get("threads"),
    }
    values = {
        "status": one.status,
        "instructions": counts.per_iteration if counts else None,
        "spread": counts.spread if counts else None,
        "allocations": counts.allocations if counts else None,
        "median_s": wall.median_s if wall else None,
        "low_s": wall.interval_s[0] if wall else None,
        "high_s": wall.interval_s[1] if wall else None,
        "flags": ", ".join(one.flags),
    }
    # A parameter may have any name: one that is already a column's is distinguished from it.
    for name, value in (one.case.get("params") or {}).items():
        row[f"params.{name}" if name in row or name in values else name] = value
    return {**row, **values}


# By the exception of the user's code, which a failure's message begins with.
_HINTS = {
    "NameError": "what the statement uses must be made in setup=, or be passed: globals=globals()",
    "ModuleNotFoundError": (
        "the measured interpreter is this one, with this sys.path; tools={'python': …} names another"
    ),
}


def _write(path: str | os.PathLike[str], record: Record) -> None:
    """Each case on a line of its own, so that two records diff well."""
    parts = []
    for key, value in record.items():
        if key == "cases":
            lines = ",\n  ".join(json.dumps(case, ensure_ascii=False) for case in record["cases"])
            parts.append(f' "cases": [\n  {lines}\n ]')
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    write_text(path, "{\n" + ",\n".join(parts) + "\n}\n")
