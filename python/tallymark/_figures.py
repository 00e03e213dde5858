# ruff: noqa: UP045 - these annotations are evaluated, on CPython 3.9 too
"""What was measured of one case, as values, built of its part of a record."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import field
from typing import Optional

from tallymark._client import record
from tallymark._typed import build


@dataclasses.dataclass(frozen=True)
class Counts:
    """Exact counts of instructions. `replicates` are raw totals of `iterations` executions."""

    per_iteration: float
    iterations: int
    replicates: tuple[int, ...]
    baseline: float
    spread: float  # (max - min) / median of the replicates
    events: Mapping[str, float] = field(default_factory=dict)  # every event per iteration
    denoised: Optional[float] = None
    floor: Optional[tuple[float, float]] = None  # under harmless perturbations
    allocations: Optional[float] = None
    allocated_bytes: Optional[float] = None
    proven: str = ""  # of which processes the replicates are: "one process", "two processes"
    per_thread: Optional[tuple[float, ...]] = None  # of a benchmark program's, in their order
    string_repetitions: Optional[float] = None  # a processor counts a whole `rep stos` once


@dataclasses.dataclass(frozen=True)
class Wall:
    """Seconds for one execution. `samples_s` in the order taken, child process after child process."""

    median_s: float
    mean_s: float
    iqr_s: float
    interval_s: tuple[float, float]  # 95 %, of the median
    number_per_run: int
    samples_s: tuple[float, ...] = field(metadata={"key": "replicates_s"})
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
    launch_s: Optional[float]  # median: until all that the host has to do is done
    time_s: Optional[float]  # median, by the device's own clock
    kernels: Optional[float]
    kernel_time_s: Optional[float]  # of all kernels, added up
    by_name: tuple[Kernel, ...]  # longest time first
    flush: Optional[str] = None  # "l2": each timed execution found that cache written over
    settings: Mapping[str, str] = field(default_factory=dict)  # "cudnn.benchmark": "False"
    cache: Optional[str] = None  # "warm": kernels are of a warm cache, and times of a cold one


def counts_of(case: record.Case) -> Counts | None:
    found = case.get("counts")
    if not found:
        return None
    floor = found.get("floor")
    return build(Counts, {**found, "floor": [floor["low"], floor["high"]] if floor else None})


def wall_of(case: record.Case) -> Wall | None:
    found = case.get("wall")
    return build(Wall, found) if found else None


def on_device_of(case: record.Case) -> OnDevice | None:
    """None for a case that worked on no device."""
    found = case.get("on_device")
    if not found:
        return None
    launch, time, work = found.get("launch"), found.get("time"), found.get("work")
    return OnDevice(
        name=found["name"],
        launch_s=launch["median_s"] if launch else None,
        time_s=time["median_s"] if time else None,
        kernels=work["kernels"] if work else None,
        kernel_time_s=work["kernel_time_s"] if work else None,
        by_name=tuple(build(Kernel, one) for one in work["by_name"]) if work else (),
        flush=found.get("flush"),
        settings=found.get("settings", {}),
        cache=work.get("cache", "warm") if work and "flush" in found else None,
    )
