"""Results of one statement, and of several: values that show themselves as text and as HTML."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from tallymark._capture.capture import NOTHING, Captured
from tallymark._errors import CaseFailed, Error
from tallymark._functions import Function
from tallymark._output import write_text
from tallymark._view import html as _html
from tallymark._view import text as _text
from tallymark._view.flame import CallTree


@dataclasses.dataclass(frozen=True)
class Counts:
    """Exact counts of instructions. `replicates` are raw totals of `iterations` executions."""

    per_iteration: float
    iterations: int
    replicates: tuple[int, ...]
    baseline: float
    spread: float  # (max - min) / median of the replicates
    events: Mapping[str, float]  # every event per iteration
    denoised: float | None = None
    floor: tuple[float, float] | None = None  # under harmless perturbations, with noise_floor=True
    allocations: float | None = None
    allocated_bytes: float | None = None
    proven: str = ""  # of which processes the replicates are: "one process", "two processes"
    per_thread: tuple[float, ...] | None = None  # of a benchmark program's threads, in their order
    string_repetitions: float | None = None  # of per_iteration: a processor counts `rep stos` once


@dataclasses.dataclass(frozen=True)
class Wall:
    """Seconds for one execution. `samples_s` in the order taken, child process after child process."""

    median_s: float
    mean_s: float
    iqr_s: float
    interval_s: tuple[float, float]  # 95 %, of the median
    number_per_run: int
    samples_s: tuple[float, ...]
    samples_per_child: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Kernel:
    """Kernels of one name, for one execution."""

    name: str
    count: float
    time_s: float


@dataclasses.dataclass(frozen=True)
class OnDevice:
    """What is known of a case on a device beside its time, for one execution. None: it was not measured."""

    name: str  # "cuda"
    launch_s: float | None  # median: until all that the host has to do is done
    time_s: float | None  # median, by the device's own clock
    kernels: float | None
    kernel_time_s: float | None  # of all kernels, added up
    by_name: tuple[Kernel, ...]  # longest time first


@dataclasses.dataclass(frozen=True, repr=False)
class Result:
    """The result of one case.

    `case` and `record` are the engine's, in the form of docs/reference/record.md. `captured` lists what left this
    process. `functions` are those that its instructions are in, costliest first, and `tree` has their calls; with
    profile=False there are none.
    """

    case: Mapping[str, Any]
    record: Mapping[str, Any]
    captured: Captured = NOTHING
    functions: tuple[Function, ...] = ()
    tree: CallTree | None = None

    @property
    def id(self) -> str:
        return str(self.case["id"])

    @property
    def title(self) -> str:
        """The id as a reader sees it: `', '.join(x) [python]`, where the id has %27 for a quote."""
        return _text.readable(self.id)

    @property
    def label(self) -> str:
        label = self.case["label"]
        return label if isinstance(label, str) else "/".join(label)

    @property
    def status(self) -> str:
        """ok, failed, timeout, crashed or skipped."""
        return str(self.case["status"])

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def flags(self) -> tuple[str, ...]:
        return tuple(self.case.get("flags") or ())

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(self.case.get("warnings") or ())

    @property
    def instructions(self) -> float | None:
        """Per execution; None when they were not counted."""
        return self.counts.per_iteration if self.counts else None

    @property
    def seconds(self) -> float | None:
        """The median of one execution; None when no time was taken."""
        return self.wall.median_s if self.wall else None

    @property
    def counts(self) -> Counts | None:
        found = self.case.get("counts")
        if not found:
            return None
        floor = found.get("floor")
        return Counts(
            per_iteration=found["per_iteration"],
            iterations=found["iterations"],
            replicates=tuple(found["replicates"]),
            baseline=found["baseline"],
            spread=found["spread"],
            events=dict(found.get("events") or {}),
            denoised=found.get("denoised"),
            floor=(floor["low"], floor["high"]) if floor else None,
            allocations=found.get("allocations"),
            allocated_bytes=found.get("allocated_bytes"),
            proven=found.get("proven") or "",
            per_thread=tuple(found["per_thread"]) if "per_thread" in found else None,
            string_repetitions=found.get("string_repetitions"),
        )

    @property
    def wall(self) -> Wall | None:
        found = self.case.get("wall")
        if not found:
            return None
        low, high = found["interval_s"]
        return Wall(
            median_s=found["median_s"],
            mean_s=found["mean_s"],
            iqr_s=found["iqr_s"],
            interval_s=(low, high),
            number_per_run=found["number_per_run"],
            samples_s=tuple(found["replicates_s"]),
            samples_per_child=tuple(found["samples_per_child"]),
        )

    @property
    def on_device(self) -> OnDevice | None:
        """None for a case that worked on no device."""
        found = self.case.get("on_device")
        if not found:
            return None
        work = found.get("work") or {}
        return OnDevice(
            name=found["name"],
            launch_s=found["launch"]["median_s"] if "launch" in found else None,
            time_s=found["time"]["median_s"] if "time" in found else None,
            kernels=work.get("kernels"),
            kernel_time_s=work.get("kernel_time_s"),
            by_name=tuple(Kernel(**one) for one in work.get("by_name", ())),
        )

    def raise_for_status(self) -> Result:
        """Itself when it was measured. Otherwise raises CaseFailed with what the measured process reported."""
        if self.ok:
            return self
        failure = self.case.get("failure") or {}
        message = str(failure.get("message") or f"the case is {self.status}")
        raise CaseFailed(
            message,
            place=f"{self.title}, {failure['stage']}" if failure.get("stage") else self.title,
            hint=_HINTS.get(message.partition(":")[0], ""),
            kind=self.status,
            case=self.case,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """A record of this case alone, which `tally compare` and `tally report` read."""
        _write(path, record_of(self))

    def to_pandas(self) -> Any:
        """A DataFrame of one row. Needs pandas."""
        return Results([self], self.record).to_pandas()

    def __repr__(self) -> str:
        return _text.result(self)

    def _repr_html_(self) -> str:
        return _html.result(self)


class Results(Sequence[Result]):
    """The cases of one run, in their order. An id, a title or a label finds one."""

    def __init__(self, results: Sequence[Result], record: Mapping[str, Any]) -> None:
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
                one, captured=captured.get((str(one.case["language"]), one.label), one.captured)
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

    def to_pandas(self) -> Any:
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


def record_of(result: Result) -> dict[str, Any]:
    """The record with this case alone. The path of its profile is left out: that is relative to another file."""
    return {**result.record, "cases": [{**result.case, "profile": None}]}


def _row(one: Result) -> dict[str, Any]:
    counts, wall = one.counts, one.wall
    row = {
        "id": one.id,
        "label": one.label,
        **{key: one.case.get(key) for key in ("language", "runtime", "autograd", "threads")},
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


def _write(path: str | os.PathLike[str], record: Mapping[str, Any]) -> None:
    """Each case on a line of its own, so that two records diff well."""
    parts = []
    for key, value in record.items():
        if key == "cases":
            lines = ",\n  ".join(json.dumps(case, ensure_ascii=False) for case in value)
            parts.append(f' "cases": [\n  {lines}\n ]')
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    write_text(path, "{\n" + ",\n".join(parts) + "\n}\n")
