"""The result of counting one statement."""

from __future__ import annotations

import dataclasses
import functools
import re

from tallymark._errors import Error
from tallymark._functions import without_digests

from .._identity import object_repr, published_in
from ..common import TaskSpec
from ._function_counts import FunctionCounts

_NO_DEBUG_SYMBOLS = """
Warning: PyTorch was not built with debug symbols.
         Source information may be limited. Rebuild with
         REL_WITH_DEB_INFO=1 for more detailed results."""

# What differs between two builds of the same code. One after the other.
_STANDARDS = (
    (re.compile(r"^.+build/\.\./"), "build/../"),
    (re.compile(r"^.+/build/aten/"), "build/aten/"),
    (re.compile(r"^.+/Python/"), "Python/"),
    (re.compile(r"^.+/Objects/"), "Objects/"),
    (re.compile(r"\s\[.+\]$"), ""),
)


@published_in(f"{__package__}.timer_interface")
@dataclasses.dataclass(repr=False, eq=False, frozen=True)
class CallgrindStats:
    """Instructions of `number_per_run` executions, by function.

    Raw totals: the baseline, which is the same loop around `pass`, stands beside them and is not taken off."""

    task_spec: TaskSpec
    number_per_run: int
    built_with_debug_symbols: bool
    baseline_inclusive_stats: FunctionCounts
    baseline_exclusive_stats: FunctionCounts
    stmt_inclusive_stats: FunctionCounts
    stmt_exclusive_stats: FunctionCounts
    stmt_callgrind_out: str | None

    def stats(self, inclusive: bool = False) -> FunctionCounts:
        """By function: what it executed itself, or with all that it called."""
        if inclusive and self.stmt_exclusive_stats and not self.stmt_inclusive_stats:
            raise Error(
                "who calls whom is not known of what was counted under tally exec",
                hint="run the program by itself, or look at stats(inclusive=False)",
            )
        return self.stmt_inclusive_stats if inclusive else self.stmt_exclusive_stats

    def counts(self, *, denoise: bool = False) -> int:
        """All instructions. `denoise`: as FunctionCounts.denoise() has it."""
        counts = self.stmt_exclusive_stats
        return (counts.denoise() if denoise else counts).sum()

    def delta(self, other: CallgrindStats, inclusive: bool = False) -> FunctionCounts:
        """By function, how many more instructions these are than `other`'s."""
        return self.stats(inclusive) - other.stats(inclusive)

    def as_standardized(self) -> CallgrindStats:
        """Without what differs between two builds of the same code: folders before the sources, names of libraries, and
        of C++ statements."""

        def standard(counts: FunctionCounts) -> FunctionCounts:
            for pattern, replacement in _STANDARDS:
                counts = counts.transform(functools.partial(pattern.sub, replacement))
            return counts.transform(without_digests)

        return dataclasses.replace(
            self,
            baseline_inclusive_stats=standard(self.baseline_inclusive_stats),
            baseline_exclusive_stats=standard(self.baseline_exclusive_stats),
            stmt_inclusive_stats=standard(self.stmt_inclusive_stats),
            stmt_exclusive_stats=standard(self.stmt_exclusive_stats),
            stmt_callgrind_out=None,  # it has the other names
        )

    def __repr__(self) -> str:
        baseline = self.baseline_exclusive_stats
        threads = self.task_spec.num_threads
        text = "\n".join(
            [
                object_repr(self),
                self.task_spec.summarize(),
                f"{'All':>30}{'Noisy symbols removed':>31}",
                _row("Instructions:", self.counts(), self.counts(denoise=True)),
                _row("Baseline:", baseline.sum(), baseline.denoise().sum()),
                f"{self.number_per_run} runs per measurement, {threads} thread{'s' if threads > 1 else ''}",
            ]
        )
        return text if self.built_with_debug_symbols else text + _NO_DEBUG_SYMBOLS


def _row(name: str, whole: int, denoised: int) -> str:
    return f"    {name:<13} {whole:>12}{'':>15}{denoised:>12}"
