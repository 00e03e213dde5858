"""One case that was measured: the values that `_view` shows of it."""

from __future__ import annotations

import dataclasses
import re
from functools import cached_property

from tallymark._capture.capture import NOTHING, Captured
from tallymark._client import record
from tallymark._figures import Counts, OnDevice, Wall, counts_of, on_device_of, wall_of
from tallymark._functions import CallTree, Function

_ESCAPED = re.compile("%((?!7F)[2-7][0-9A-F])")  # no letters without a shape


@dataclasses.dataclass(frozen=True, repr=False)
class MeasuredCase:
    """What a `Result` has; see there."""

    case: record.Case
    record: record.Record
    captured: Captured = NOTHING
    functions: tuple[Function, ...] = ()
    tree: CallTree | None = None

    @property
    def id(self) -> str:
        return self.case["id"]

    @property
    def title(self) -> str:
        """The id as a reader sees it: `', '.join(x) [python]`, where the id has %27 for a quote."""
        return readable(self.id)

    @property
    def label(self) -> str:
        return "/".join(self.case["label"])

    @property
    def status(self) -> str:
        """ok, failed, timeout, crashed or skipped."""
        return self.case["status"]

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

    @cached_property
    def counts(self) -> Counts | None:
        return counts_of(self.case)

    @cached_property
    def wall(self) -> Wall | None:
        return wall_of(self.case)

    @cached_property
    def on_device(self) -> OnDevice | None:
        """None for a case that worked on no device."""
        return on_device_of(self.case)


def readable(name: str) -> str:
    """A case's id with %XX as the letter that it stands for."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), name)
