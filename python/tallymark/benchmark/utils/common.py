"""A measurement: its task, its times, and its statistics."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterable
from typing import Any

from . import _statistics, _temporary
from ._identity import object_repr
from ._torch import set_torch_threads
from ._units import select_unit, trim_sigfig, unit_to_english

__all__ = [
    "Measurement",
    "TaskSpec",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "trim_sigfig",
    "unit_to_english",
]

_make_temp_dir = _temporary.make_temp_dir  # imported by other people's benchmarks

# Of the interquartile range in the median: above these a measurement carries a warning.
_NOTABLE_SPREAD = 0.1
_GROSS_SPREAD = 0.25


@dataclasses.dataclass(repr=False, frozen=True)
class TaskSpec:
    """What defines a Timer, but for its globals: a key by which measurements of the same thing are found together."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, else the statement, with the sub-label."""
        head = self.label
        if head is None and "\n" not in self.stmt:
            head = self.stmt
        if head is not None:
            return f"{head}: {self.sub_label}" if self.sub_label else head
        sub_label = f" ({self.sub_label})" if self.sub_label else ""
        return f"stmt:{sub_label}\n{textwrap.indent(self.stmt, '  ')}"

    def setup_str(self) -> str:
        """The setup as a summary shows it; nothing where it does nothing."""
        if self.setup in ("", "pass"):
            return ""
        if "\n" in self.setup:
            return f"setup:\n{textwrap.indent(self.setup, '  ')}"
        return f"setup: {self.setup}"

    def summarize(self) -> str:
        """Title, description and setup, each on lines of its own; an empty line follows those of several lines."""
        parts = (self.title, self.description or "", self.setup_str())
        return "\n".join(part + "\n" * ("\n" in part) for part in parts if part)


_SPEC_FIELDS = frozenset(field.name for field in dataclasses.fields(TaskSpec))


@dataclasses.dataclass(repr=False)
class Measurement:
    """Times of one task. `raw_times` are seconds for `number_per_run` executions each; everything else is of one
    execution. The fields of `task_spec` can be read here, too."""

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None  # the caller's own

    def __getattr__(self, name: str) -> Any:
        if name in _SPEC_FIELDS:
            return getattr(self.task_spec, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def times(self) -> list[float]:
        """Seconds for one execution, in the order taken."""
        return [raw / self.number_per_run for raw in self.raw_times]

    @property
    def median(self) -> float:
        """Seconds; -1 without samples."""
        return self._quantile(0.5)

    @property
    def mean(self) -> float:
        """Seconds, of the exact sum; -1 without samples."""
        return _statistics.mean(self.times) if self.raw_times else -1.0

    @property
    def iqr(self) -> float:
        """Seconds between the first and the third quartile."""
        return self._quantile(0.75) - self._quantile(0.25)

    @property
    def significant_figures(self) -> int:
        """How many figures of the median the samples support, 1 to 4. `Compare` trims to them."""
        return _statistics.significant_figures(sorted(self.times), self.median)

    @property
    def has_warnings(self) -> bool:
        """Whether the spread is so large that the repr warns of it."""
        return bool(self.raw_times) and not self.meets_confidence(_NOTABLE_SPREAD)

    def meets_confidence(self, threshold: float = _NOTABLE_SPREAD) -> bool:
        """Whether the interquartile range is below this share of the median."""
        spread, median = self.iqr, self.median
        return spread / median < threshold if median else spread == 0

    @property
    def title(self) -> str:
        """The task's."""
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """What `Compare` calls a row of it."""
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    def _quantile(self, q: float) -> float:
        return _statistics.quantile(sorted(self.times), q) if self.raw_times else -1.0

    def _warning_lines(self) -> list[str]:
        if not self.has_warnings:
            return []
        gross = not self.meets_confidence(_GROSS_SPREAD)
        consequence = (
            "This suggests significant environmental influence."
            if gross
            else "This could indicate system fluctuation."
        )
        share = self.iqr / self.median * 100 if self.median else float("inf")
        return [
            f"  WARNING: Interquartile range is {share:.1f}% of the median measurement.",
            f"           {consequence}",
        ]

    def __repr__(self) -> str:
        count = len(self.raw_times)
        unit, scale = select_unit(self.median)
        lines = [object_repr(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if count > 1 else ''}{self.median / scale:.2f} {unit}")
        if count >= 4:
            low, high = self._quantile(0.25) / scale, self._quantile(0.75) / scale
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low:.2f} to {high:.2f})")
        threads = self.task_spec.num_threads
        lines.append(
            f"  {count} measurement{'s' if count > 1 else ''}, {self.number_per_run} runs "
            f"{'per measurement,' if count > 1 else ','} {threads} thread{'s' if threads > 1 else ''}"
        )
        return "\n".join(lines + self._warning_lines())

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """One for each task, in the order in which the tasks first appear, of one run per time and without metadata."""
        times: dict[TaskSpec, list[float]] = {}
        for measurement in measurements:
            times.setdefault(measurement.task_spec, []).extend(measurement.times)
        return [Measurement(1, values, task) for task, values in times.items()]


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """Each once, in the order of first appearance."""
    return list(dict.fromkeys(elements))
