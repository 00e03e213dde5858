# ruff: noqa: UP007, UP045 - these annotations are evaluated, on CPython 3.9 too
"""The figures of `tally trace --json` as typed values. Names are its keys; docs/reference/trace.md defines them.

Times are whole nanoseconds, shares lie between 0 and 1, None is where the trace does not hold what a figure needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Union


@dataclass(frozen=True)
class Parts:
    """Where the time of a window went: compute + exposed_comm + exposed_memory + idle is the window, exactly."""

    window_ns: int
    busy_ns: int
    compute_ns: int
    comm_ns: int
    memory_ns: int
    exposed_comm_ns: int
    exposed_memory_ns: int
    idle_ns: int
    kernels: int
    memory_events: int
    kernel_time_ns: int
    utilization: float
    overlapped_comm_ns: int


@dataclass(frozen=True)
class Step(Parts):
    """One `ProfilerStep`, as the host marked it."""

    name: str
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class MathShares:
    """What the compute kernels were for."""

    total_ns: int
    matmul_ns: int
    convolution_ns: int
    other_ns: int
    unclassified_ns: int
    matmul_share: float
    convolution_share: float
    unclassified_share: float


@dataclass(frozen=True)
class Estimates:
    """The profiler's own estimates, averaged."""

    achieved_occupancy_percent: Optional[float]
    sm_efficiency: Optional[float]


@dataclass(frozen=True)
class Copies:
    """All copies of one direction that state their size."""

    direction: str
    count: int
    bytes: int
    time_ns: int
    gb_per_s: Optional[float]


@dataclass(frozen=True)
class IdleCauses:
    """Why the device did nothing; the four times sum to its idle time."""

    host_wait_ns: int
    kernel_wait_ns: int
    synchronisation_ns: int
    other_ns: int
    gaps: int
    longest_ns: int


@dataclass(frozen=True)
class Distribution:
    """Quantiles are values that occurred."""

    count: int
    min_ns: int
    p50_ns: int
    p90_ns: int
    p99_ns: int
    max_ns: int
    mean_ns: float


@dataclass(frozen=True)
class Queue:
    """Calls whose work has not begun."""

    longest: int
    mean: float
    share_empty: float


@dataclass(frozen=True)
class Launches:
    """How calls on the host and work on the device belong together."""

    linked: int
    unlinked: int
    graph_launches: int
    graph_work: int
    latency: Optional[Distribution] = field(repr=False)
    queue: Optional[Queue] = field(repr=False)


@dataclass(frozen=True)
class Stream:
    """One stream's work."""

    stream: str
    kernels: int
    memory_events: int
    busy_ns: int
    share_of_window: float


@dataclass(frozen=True)
class Kernel:
    """All kernels of one name. `kind` is JSON's "class": matmul, convolution, communication, other, unclassified."""

    name: str
    count: int
    total_ns: int
    mean_ns: float
    min_ns: int
    max_ns: int
    share: float
    kind: str = field(metadata={"key": "class"})
    tensor_cores: bool


@dataclass(frozen=True)
class CoveringWork:
    """A piece of work that others of its stream begin and end within: one stream runs one after the other."""

    stream: str
    name: str
    start_ns: int
    duration_ns: int
    covered: int


@dataclass(frozen=True)
class FarApart:
    """A stretch without work, far longer than all work around it; `name` is next to it on the side that has less."""

    from_ns: int
    until_ns: int
    before: int
    after: int
    name: str


@dataclass(frozen=True)
class Doubts:
    """What of a device's work cannot be true, or is hard to believe. The figures are of the file as it is."""

    covering_work: tuple[CoveringWork, ...]
    far_apart: Optional[FarApart]


@dataclass(frozen=True)
class Device(Parts):
    """One device of one trace."""

    device: str
    doubts: Optional[Doubts]
    matmul_convolution_ns: int
    start_ns: int
    end_ns: int
    steps: tuple[Step, ...] = field(repr=False)
    math_by_name: MathShares = field(repr=False)
    math_by_operator: Optional[MathShares] = field(repr=False)
    tensor_core_ns: int
    tensor_core_share: float
    estimates: Estimates = field(repr=False)
    copies: tuple[Copies, ...] = field(repr=False)
    idle_causes: IdleCauses = field(repr=False)
    launches: Launches = field(repr=False)
    streams: tuple[Stream, ...] = field(repr=False)
    kernel_names: int
    kernels_by_name: tuple[Kernel, ...] = field(repr=False)
    kernels_by_short_name: tuple[Kernel, ...] = field(repr=False)
    steps_window: Optional[Parts] = field(default=None, repr=False)
    unprofiled_duration_ns: Optional[int] = None
    utilization_of_duration: Optional[float] = None
    matmul_convolution_of_duration: Optional[float] = None
    trace: Optional[str] = None  # of several files: which one
    rank: Optional[int] = None


@dataclass(frozen=True)
class Legacy:
    """The figures of functorch's old helper, and the right one beside them. `seed_pids` are what it takes for GPUs."""

    seed_busy_ns: int
    seed_matmul_ns: int
    seed_pids: tuple[Union[int, str], ...]
    busy_ns: int
    busy_error_ns: int
    busy_ratio: Optional[float]
    seed_utilization: Optional[float] = None
    seed_matmul_share: Optional[float] = None


@dataclass(frozen=True)
class File:
    """How reading one file went."""

    path: str
    rank: Optional[int]
    bytes: int
    events: int
    dropped: int
    dropped_damaged: int
    dropped_malformed: int
    dropped_no_time: int
    dropped_no_room: int
    bytes_skipped: int
    work_without_duration: int
    objects_after_end: int
    truncated: bool
    input_fault: Optional[str]
    other_device_events: int
    names_overflowed: int
    legacy: Optional[Legacy] = field(default=None, repr=False)


@dataclass(frozen=True)
class RankRow:
    """One device of one rank, beside the others."""

    trace: str
    rank: Optional[int]
    device: str
    window_ns: int
    busy_ns: int
    compute_ns: int
    comm_ns: int
    exposed_comm_ns: int
    idle_ns: int
    step_mean_ns: float


@dataclass(frozen=True)
class Ranks:
    """Several files side by side; `straggler` is the index of a row."""

    rows: tuple[RankRow, ...] = field(repr=False)
    straggler: Optional[int]
    compute_imbalance: float
    comm_imbalance: float
    comm_beyond_least_ns: int
