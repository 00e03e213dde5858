"""functorch's helper for GPU utilization, with the same arguments, defaults and results (`torch._functorch.
benchmark_utils`, in 1.13 `functorch._src.benchmark_utils`).

What is computed of a file is computed by `tally trace`: in whole nanoseconds, a gigabyte in a second. The definitions
are that helper's: every complete event on a process labelled "GPU" counts as work, annotations too. `tallymark.trace`
has figures of the work alone.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import json
import os
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Callable, TypeVar

from tallymark._errors import Error
from tallymark._trace import Path, damage, read_trace
from tallymark._trace_figures import File
from tallymark._typed import build

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import ModuleType

__all__ = [
    "benchmark_utilization",
    "compute_utilization",
    "dump_chrome_trace",
    "get_chrome_trace_events",
    "get_duration",
    "get_sorted_gpu_events",
    "get_sorted_gpu_mm_conv_events",
    "is_gpu_compute_event",
    "synchronize",
]

Event = dict[str, Any]
F = TypeVar("F", bound=Callable[..., Any])

WARM_UPS = 5
SEED = 1337
MATMUL_OR_CONVOLUTION = ("gemm", "conv", "cutlass", "wgrad")


def synchronize() -> None:
    """What is called after each run. `dump_chrome_trace` puts the accelerator's in its place, where it finds one."""


# The processes that the last trace labels as GPUs: compute_utilization sets it, is_gpu_compute_event reads it.
gpu_pids: list[Any] = []


def _takes_input_(function: F) -> F:
    """PyTorch 2 calls the second parameter `input_`, 1.13 `input`; both names are taken."""

    @functools.wraps(function)
    def either(*args: Any, **kwargs: Any) -> Any:
        if "input_" in kwargs:
            kwargs["input"] = kwargs.pop("input_")
        return function(*args, **kwargs)

    return either  # type: ignore[return-value]


@_takes_input_
def dump_chrome_trace(
    f: Callable[..., object],
    input: object,
    trace_filename: str,
    optimize_ctx: AbstractContextManager[object],
    activities: Sequence[object],
    num_runs: int = 1,
    devices: Sequence[str] | str | None = None,
    kwargs_for_f: dict[str, Any] | None = None,
    kwargs_for_profiler: dict[str, Any] | None = None,
) -> float:
    """Runs `f(input, **kwargs_for_f)` in `optimize_ctx`: five times to warm up, `num_runs` times for the length, and
    `num_runs` times under torch.profiler, whose trace goes to `trace_filename`. Returns the length in seconds, without
    the profiler. The generator is seeded before each group.

    The context is entered once, around all of it, so one that can be entered only once will do. `devices` "cpu" or
    ["cpu"]: nothing waits for an accelerator.
    """
    import torch
    from torch.profiler import profile

    global synchronize
    wait: Callable[[], None] = lambda: None  # noqa: E731
    if devices not in ("cpu", ["cpu"], ("cpu",)):
        wait = synchronize = _wait_of_accelerator(torch) or synchronize
    arguments = kwargs_for_f or {}

    def run(times: int) -> None:
        torch.manual_seed(SEED)
        for _ in range(times):
            f(input, **arguments)
            wait()

    length = None
    with optimize_ctx:
        run(WARM_UPS)
        torch.manual_seed(SEED)
        start = time.perf_counter()
        for _ in range(num_runs):
            f(input, **arguments)
            wait()
        length = time.perf_counter() - start
        with profile(activities=activities, **(kwargs_for_profiler or {})) as profiler:
            wait()
            run(num_runs)
        profiler.export_chrome_trace(trace_filename)
        return length
    raise Error("optimize_ctx kept an exception of f to itself", place="optimize_ctx", kind="input")


def _wait_of_accelerator(torch: ModuleType) -> Callable[[], None] | None:
    """What waits for the accelerator; None where there is none."""
    for kind in (getattr(torch, "accelerator", None), torch.cuda):
        if kind is not None and kind.is_available():
            wait: Callable[[], None] = kind.synchronize
            return wait
    return None


def get_chrome_trace_events(filename: Path) -> list[Event]:
    """The events of a trace, all of them in memory. Gzipped ones and the bare list of old exporters are read too."""
    document = json.loads(_content(filename))
    events = document.get("traceEvents") if isinstance(document, dict) else document
    if not isinstance(events, list):
        raise Error(
            "it is not a trace: there is no list of traceEvents in it",
            place=os.fspath(filename),
            hint="name a file that export_chrome_trace has written",
            kind="input",
        )
    return events


def _content(filename: Path) -> bytes:
    with open(filename, "rb") as file:
        content = file.read()
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def is_gpu_compute_event(event: Event) -> bool:
    """A complete event on one of `gpu_pids`, which `compute_utilization` finds."""
    return event.get("ph") == "X" and "pid" in event and event["pid"] in gpu_pids


def get_sorted_gpu_events(events: Iterable[Event]) -> list[Event]:
    """The events on GPUs by their start."""
    return sorted(filter(is_gpu_compute_event, events), key=lambda event: event["ts"])


def get_sorted_gpu_mm_conv_events(events: Iterable[Event]) -> list[Event]:
    """Those whose name says matrix product or convolution."""
    return [
        event
        for event in get_sorted_gpu_events(events)
        if any(word in event.get("name", "") for word in MATMUL_OR_CONVOLUTION)
    ]


def get_duration(sorted_gpu_events: Sequence[Event]) -> Any:
    """The microseconds that at least one of the events covers, over all devices together; an int of ints."""
    total: Any = 0
    reached: Any = None
    for event in sorted_gpu_events:
        end = event["ts"] + event["dur"]
        if reached is None:
            total, reached = event["dur"], end
            continue
        total += max(end - max(event["ts"], reached), 0)
        reached = max(reached, end)
    return total


def compute_utilization(filename: Path, total_length: float) -> tuple[float, float]:
    """The shares of `total_length` (seconds, of the same run without the profiler) in which a GPU worked, and in which
    one worked on matrix products or convolutions; 0.0 where no process is labelled a GPU. Sets `gpu_pids`. Raises Error
    for what is not a trace, and for one of which a part is missing."""
    global gpu_pids
    document = read_trace(
        (filename,), ["--legacy", "--no-operators", "--no-steps", "--kernels", "1"]
    )
    if not sum(one["events"] for one in document["traces"]):
        get_chrome_trace_events(filename)  # which refuses what is none
    missing = damage(build(File, document["traces"][0]))
    if missing:
        raise Error(
            f"a part of the trace is missing: {'; '.join(missing)}",
            place=os.fspath(filename),
            hint="record it again; tallymark.trace reads what is left",
            kind="input",
        )
    figures = document["legacy"]
    # By their text, which is all that is compared: a pid is a number in some traces and a text in others.
    typed = {str(pid): pid for pid in _labelled(filename)} if figures["seed_pids"] else {}
    gpu_pids = [typed.get(str(pid), pid) for pid in figures["seed_pids"]]
    nanoseconds = total_length * 1e9
    return figures["seed_busy_ns"] / nanoseconds, figures["seed_matmul_ns"] / nanoseconds


def _labelled(filename: Path) -> list[Any]:
    """The pids of events that label a process, as the file has them. Nothing else of it is read as JSON."""
    text = _content(filename).decode(errors="replace")
    decoder = json.JSONDecoder()
    found = []
    at = text.find('"process_labels"')
    while at >= 0:
        start = at
        for _ in range(4):  # the object that it stands in, behind those that come before it there
            start = text.rfind("{", 0, start)
            with contextlib.suppress(ValueError):
                event, end = decoder.raw_decode(text, max(start, 0))
                if end > at:
                    found += [event["pid"]] if "pid" in event else []
                    break
        at = text.find('"process_labels"', at + 1)
    return found


@_takes_input_
def benchmark_utilization(
    f: Callable[..., object],
    input: object,
    trace_folder: str | os.PathLike[str],
    optimize_ctx: AbstractContextManager[object] | None = None,
    trace_file_name: str = "tmp_chrome_trace",
    num_runs: int = 1,
) -> tuple[float, float]:
    """Records `f(input)` into `trace_folder/trace_file_name.json`, making the folder where it is not there, and returns
    what `compute_utilization` finds in it: (utilization, share of matrix products and convolutions)."""
    from torch.profiler import ProfilerActivity

    folder = os.fspath(trace_folder)
    if not os.path.exists(folder):
        os.makedirs(folder)
        print("create folder " + folder)
    path = os.path.join(folder, trace_file_name + ".json")
    context = contextlib.nullcontext() if optimize_ctx is None else optimize_ctx
    length = dump_chrome_trace(
        f, input, path, context, [ProfilerActivity.CUDA], num_runs=num_runs, devices=["cuda"]
    )
    return compute_utilization(path, length)
