"""`tallymark.trace`: every figure of `tally trace --json` as an object that prints itself as a table."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
from html import escape
from typing import Any, Union

from tallymark._client.server import find_tally
from tallymark._errors import Error
from tallymark._trace_figures import Device, File, Legacy, Parts, Ranks
from tallymark._typed import build
from tallymark._view import text as _text
from tallymark._view.html import _faint, _page, _table

Path = Union[str, "os.PathLike[str]"]

_WINDOWS = ["", "window", "busy", "compute", "exposed comm", "exposed memory", "idle"]
_KERNELS = ["kernel", "count", "total", "share", "mean", "class"]
_SHOWN = 10  # kernels of a table


@dataclasses.dataclass(frozen=True, repr=False)
class Trace:
    """What one trace, or one for each rank, says about its devices. Times are nanoseconds, shares 0 to 1.

    `devices` are in the order of the files, `files` say how reading went, `ranks` is there for several files, `legacy`
    for one that was read with `legacy=True`. `document` is the JSON as the program gave it.
    """

    devices: tuple[Device, ...]
    files: tuple[File, ...]
    ranks: Ranks | None
    legacy: Legacy | None
    document: dict[str, Any] = dataclasses.field(compare=False)

    @property
    def device(self) -> Device:
        """The only device. Raises Error where there are none or several: `devices` has them all."""
        if len(self.devices) != 1:
            raise Error(
                f"the trace has {len(self.devices)} devices with work",
                place=", ".join(file.path for file in self.files),
                hint="take one of .devices",
                kind="input",
            )
        return self.devices[0]

    def __repr__(self) -> str:
        parts = [_reading(file) for file in self.files]
        for device in self.devices:
            parts += ["", _title(device)]
            parts += _text.columns([_WINDOWS, *_windows(device)], "lrrrrrr")
            parts += _text.columns([_KERNELS, *_kernels(device, 40)], "lrrrrl")
            parts += _rest(device)
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        parts = [_line(_reading(file)) for file in self.files]
        for device in self.devices:
            parts.append(f"<div><b>{escape(_title(device))}</b></div>")
            parts.append(_table(_escaped(_windows(device)), "lrrrrrr", _WINDOWS))
            parts.append(_table(_escaped(_kernels(device, 80)), "lrrrrl", _KERNELS))
            parts += [_line(text) for text in _rest(device)]
        return _page(parts)


def trace(
    *paths: Path,
    operators: bool = True,
    steps: bool = True,
    kernels: int = 0,
    duration: float | None = None,
    legacy: bool = False,
) -> Trace:
    """Reads a profiler's Chrome trace, plain or gzipped, or several, one for each rank: a gigabyte takes a second.

    `operators=False` does not link kernels to operators (less memory), `steps=False` leaves out each ProfilerStep,
    `kernels` is how many rows of kernels are kept (0: all), `duration` the seconds that the same run takes without the
    profiler, `legacy=True` adds the figures of functorch's old helper.

    Raises FileNotFoundError, and Error where a file cannot be read or nothing in it is an event of a trace.

    >>> tallymark.trace("trace.json.gz").device.utilization  # doctest: +SKIP
    0.448
    """
    arguments = ["--kernels", str(kernels)]
    arguments += [] if operators else ["--no-operators"]
    arguments += [] if steps else ["--no-steps"]
    arguments += ["--legacy"] if legacy else []
    if duration is not None:
        arguments += ["--duration", repr(float(duration))]
    document = read_trace(paths, arguments)
    devices, files = document["devices"], document["traces"]
    return Trace(
        devices=tuple(build(Device, one) for one in devices),
        files=tuple(build(File, one) for one in files),
        ranks=build(Ranks, document["ranks"]) if "ranks" in document else None,
        legacy=build(Legacy, document["legacy"]) if "legacy" in document else None,
        document=document,
    )


def read_trace(paths: tuple[Path, ...], arguments: list[str]) -> dict[str, Any]:
    """The JSON of `tally trace` with these arguments, with the paths as they were given."""
    if not paths:
        raise TypeError("trace() needs the path of a trace")
    given = [os.fspath(path) for path in paths]
    for path in given:
        with open(
            path, "rb"
        ):  # FileNotFoundError and its like, as of any function that reads a file
            pass
    # An absolute path is no option and no subcommand, whatever the file is called.
    absolute = [os.path.abspath(path) for path in given]
    command = [find_tally(), "trace", "--json", *arguments, *absolute]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    message = done.stderr.strip()
    for prefix in ("tally: error: ", "tally trace: "):
        message = message[len(prefix) :] if message.startswith(prefix) else message
    if done.returncode != 0 and not (done.returncode == 1 and _empty(done.stdout)):
        kind = "input" if done.returncode in (1, 2) else "io"
        raise Error(message or f"tally trace ended with {done.returncode}", kind=kind)
    document: dict[str, Any] = json.loads(done.stdout)
    names = dict(zip(absolute, given))
    for entry in (
        *document["traces"],
        *document.get("ranks", {}).get("rows", ()),
        *document["devices"],
    ):
        for key in ("path", "trace"):
            if key in entry:
                entry[key] = names.get(entry[key], entry[key])
    return document


def _empty(output: str) -> bool:
    """Whether nothing is wrong with the files but that no event or no device work is in them, which the program calls a
    failure."""
    try:
        files = json.loads(output)["traces"]
    except ValueError:
        return False
    return not any(_is_unreadable(file) for file in files)


def _is_unreadable(file: dict[str, Any]) -> bool:
    refused = ("dropped_malformed", "dropped_no_time", "dropped_no_room")
    if file["events"] > sum(file[key] for key in refused):
        return False
    return bool(file["truncated"] or file["dropped"] or file["bytes_skipped"])


def _line(text: str) -> str:
    return f"<div>{_faint(text)}</div>"


def _escaped(rows: list[list[str]]) -> list[list[str]]:
    return [[escape(cell) for cell in row] for row in rows]


def _time(nanoseconds: float) -> str:
    return _text.seconds(nanoseconds / 1e9)


def _share(part: float) -> str:
    return f"{100 * part:.1f} %"


def _cut(name: str, width: int) -> str:
    return name if len(name) <= width else name[: width - 1] + "…"


def damage(file: File) -> list[str]:
    """What of the file was not read, or is not whole; nothing where all of it was read."""
    parts = []
    if file.dropped:
        parts.append(f"{file.dropped:,} events dropped as damaged")
    elif file.bytes_skipped:
        parts.append(f"{file.bytes_skipped:,} bytes skipped")
    if file.work_without_duration:
        parts.append(f"{file.work_without_duration:,} pieces of device work have no duration")
    if file.objects_after_end:
        parts.append(
            f"{file.objects_after_end:,} JSON objects after the document's end were not read"
        )
    if file.truncated:
        parts.append("the file is cut short")
    if file.input_fault:
        parts.append(file.input_fault)
    return parts


def _reading(file: File) -> str:
    text = f"{file.path}: {file.events:,} events, {file.bytes / 1e6:.1f} MB of JSON"
    return "; ".join([text, *damage(file)])


def _title(device: Device) -> str:
    name = f"Device {device.device}" + (f" (rank {device.rank})" if device.rank is not None else "")
    return (
        f"{name}: {device.kernels:,} kernels, {device.memory_events:,} copies and fills, "
        f"{_time(device.kernel_time_ns)} of kernel time"
    )


def _windows(device: Device) -> list[list[str]]:
    rows = [("first to last work", device)] if device.window_ns else []  # type: list[tuple[str, Parts]]
    if device.steps_window is not None:
        rows.append((f"{len(device.steps)} steps", device.steps_window))
    rows += [(step.name, step) for step in device.steps]
    return [_window(name, parts) for name, parts in rows]


def _window(name: str, parts: Parts) -> list[str]:
    def share(part: int) -> str:
        return _share(part / parts.window_ns) if parts.window_ns else ""

    times = (
        parts.busy_ns,
        parts.compute_ns,
        parts.exposed_comm_ns,
        parts.exposed_memory_ns,
        parts.idle_ns,
    )
    return [name, _time(parts.window_ns), *map(share, times)]


def _kernels(device: Device, width: int) -> list[list[str]]:
    return [
        [
            _cut(row.name, width),
            f"{row.count:,}",
            _time(row.total_ns),
            _share(row.share),
            _time(row.mean_ns),
            row.kind + (", tensor cores" if row.tensor_cores else ""),
        ]
        for row in device.kernels_by_short_name[:_SHOWN]
    ]


def _doubtful(device: Device) -> list[str]:
    if device.doubts is None:
        return []
    lines = [
        f'doubtful: on stream {one.stream}, "{_cut(one.name, 40)}" of {_time(one.duration_ns)} still runs when '
        f"{one.covered:,} later pieces of work begin and end"
        for one in device.doubts.covering_work
    ]
    far = device.doubts.far_apart
    if far is not None:
        lines.append(
            f"doubtful: nothing runs for {_time(far.until_ns - far.from_ns)}, with {far.before:,} pieces of work "
            f'before and {far.after:,} after (next to it: "{_cut(far.name, 40)}")'
        )
    return lines


def _rest(device: Device) -> list[str]:
    """What does not fit in a column."""
    lines = _doubtful(device)
    more = len(device.kernels_by_short_name) - _SHOWN
    if more > 0:
        lines.append(f"… and {more:,} more kernels (.kernels_by_short_name has them)")
    matmul = device.math_by_operator or device.math_by_name
    lines.append(
        f"matmul {_share(matmul.matmul_share)}, convolution {_share(matmul.convolution_share)} "
        f"of compute-kernel time, by {'linked operator' if device.math_by_operator else 'name'}"
    )
    if (
        device.utilization_of_duration is not None
        and device.matmul_convolution_of_duration is not None
    ):
        lines.append(
            f"over the unprofiled run time: utilization {_share(device.utilization_of_duration)}, "
            f"matmul and convolution {_share(device.matmul_convolution_of_duration)}"
        )
    return lines
