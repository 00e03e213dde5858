"""functorch's helper: known traces, and PyTorch's own helper on the same files (a differential test)."""

from __future__ import annotations

import gzip
import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tallymark
from pythons import pythons_with_torch
from real_traces import ROOT, TALLY, needs_tally, real_traces
from tallymark import functorch

EVENTS: list[dict[str, Any]] = [
    {"name": "process_labels", "ph": "M", "pid": 3, "args": {"labels": "CPU"}},
    {"name": "process_labels", "ph": "M", "pid": 0, "args": {"labels": "GPU 0"}},
    {"name": "sgemm", "ph": "X", "pid": 0, "ts": 10, "dur": 5},
    {"name": "relu", "ph": "X", "pid": 0, "ts": 0, "dur": 12},
    {"name": "conv", "ph": "X", "pid": 3, "ts": 0, "dur": 99},
    {"name": "gemm launch", "ph": "i", "pid": 0, "ts": 1},
    {"ph": "X", "pid": 0, "ts": 30, "dur": 1},
]

WORK: list[dict[str, Any]] = [
    EVENTS[1],
    *(
        {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start, "dur": 100}
        for name, start in (("sgemm", 1000), ("relu", 1200), ("sgemm", 1400))
    ),
]


@pytest.fixture(autouse=True)
def built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TALLY", str(TALLY))
    monkeypatch.setattr(functorch, "gpu_pids", [])


def write(path: Path, events: Any) -> str:
    path.write_text(json.dumps({"traceEvents": events}))
    return str(path)


@needs_tally
def test_utilization_is_over_the_length_that_is_given(tmp_path: Path) -> None:
    path = write(tmp_path / "t.json", EVENTS)
    assert functorch.compute_utilization(path, 32e-6) == (0.5, 5 / 32)
    assert functorch.gpu_pids == [0]
    assert functorch.compute_utilization(path, total_length=16e-6)[0] == 1.0
    with pytest.raises(ZeroDivisionError):
        functorch.compute_utilization(path, 0)


@needs_tally
def test_a_trace_without_work_is_nothing_and_one_that_is_none_an_error(tmp_path: Path) -> None:
    assert functorch.compute_utilization(write(tmp_path / "empty.json", []), 1.0) == (0.0, 0.0)
    assert functorch.gpu_pids == []
    with pytest.raises(FileNotFoundError):
        functorch.compute_utilization(str(tmp_path / "missing.json"), 1.0)
    for text in ('{"a": 1}', '{"traceEvents": null}', "null", "1"):
        (tmp_path / "none.json").write_text(text)
        with pytest.raises(tallymark.Error, match=r"no list of traceEvents|no event could be used"):
            functorch.compute_utilization(tmp_path / "none.json", 1.0)
        with pytest.raises(tallymark.Error, match="no list of traceEvents"):
            functorch.get_chrome_trace_events(tmp_path / "none.json")
    (tmp_path / "text.json").write_text("no trace at all")
    with pytest.raises(tallymark.Error, match="no event could be used"):
        functorch.compute_utilization(tmp_path / "text.json", 1.0)


@needs_tally
def test_a_trace_of_which_a_part_is_missing_has_no_figures(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.json", WORK)
    assert functorch.compute_utilization(whole, 1e-3) == (0.3, 0.2)
    text = Path(whole).read_text()
    spoiled = {
        "cut short": text[: text.rindex(": 100") + 3],
        "1 pieces of device work have no duration": json.dumps(
            [*WORK, {key: value for key, value in WORK[-1].items() if key != "dur"}]
        ),
        "1 events dropped as damaged": text.replace('"sgemm"', '"sge"mm"', 1),
        "1 JSON objects after the document's end": text + json.dumps(WORK[-1]),
    }
    for words, content in spoiled.items():
        (tmp_path / "spoiled.json").write_text(content)
        with pytest.raises(tallymark.Error, match=f"a part of the trace is missing.*{words}"):
            functorch.compute_utilization(tmp_path / "spoiled.json", 1e-3)


@needs_tally
def test_pids_stay_what_the_file_has(tmp_path: Path) -> None:
    for pid in (7, "7", "GPU 7"):
        label = {"name": "process_labels", "ph": "M", "args": {"labels": "GPU 0"}, "pid": pid}
        work = {"name": "gemm", "ph": "X", "pid": pid, "ts": 0, "dur": 4}
        path = write(tmp_path / "pids.json", [label, work])
        assert functorch.compute_utilization(path, 8e-6) == (0.5, 0.5)
        assert functorch.gpu_pids == [pid]
        assert type(functorch.gpu_pids[0]) is type(pid)
        assert len(functorch.get_sorted_gpu_events(functorch.get_chrome_trace_events(path))) == 1


def test_events_are_those_of_the_known_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert functorch.get_sorted_gpu_events(EVENTS) == []
    monkeypatch.setattr(functorch, "gpu_pids", [0])
    found = functorch.get_sorted_gpu_events(EVENTS)
    assert [event["ts"] for event in found] == [0, 10, 30]
    assert [event["ts"] for event in functorch.get_sorted_gpu_mm_conv_events(EVENTS)] == [10]
    assert functorch.is_gpu_compute_event(EVENTS[2])
    assert not functorch.is_gpu_compute_event(EVENTS[4])
    assert not functorch.is_gpu_compute_event({"ph": "X"})


def test_duration_is_of_the_union() -> None:
    def of(*spans: tuple[float, float]) -> Any:
        return functorch.get_duration([{"ts": start, "dur": length} for start, length in spans])

    assert of() == 0
    assert of((0, 12), (10, 5), (30, 1)) == 16
    assert of((0, 10), (2, 3), (9, 2)) == 11
    assert isinstance(of((0, 12)), int)
    assert of((0.5, 1.25)) == 1.25


def test_events_of_any_spelling(tmp_path: Path) -> None:
    assert functorch.get_chrome_trace_events(write(tmp_path / "t.json", EVENTS)) == EVENTS
    (tmp_path / "list.json").write_text(json.dumps(EVENTS))
    assert functorch.get_chrome_trace_events(tmp_path / "list.json") == EVENTS
    (tmp_path / "t.json.gz").write_bytes(gzip.compress((tmp_path / "t.json").read_bytes()))
    assert functorch.get_chrome_trace_events(tmp_path / "t.json.gz") == EVENTS


class Once:
    """A context manager that can be entered only once, as a generator makes them."""

    def __init__(self) -> None:
        self.entered = 0

    def __enter__(self) -> None:
        self.entered += 1
        assert self.entered == 1, "entered twice"

    def __exit__(self, *_: object) -> None:
        pass


class Profiler:
    """Stands for torch.profiler.profile: writes the known trace."""

    log: list[str]

    def __init__(self, activities: Any, **more: Any) -> None:
        self.log.append(f"profile {activities} {more}")

    def __enter__(self) -> Profiler:
        return self

    def __exit__(self, *_: object) -> None:
        self.log.append("end")

    def export_chrome_trace(self, path: str) -> None:
        write(Path(path), EVENTS)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a torch without anything but a profiler, a seed and a GPU is asked to do, in its order."""
    calls: list[str] = []
    profiler = SimpleNamespace(
        profile=type("P", (Profiler,), {"log": calls}),
        ProfilerActivity=SimpleNamespace(CUDA="CUDA"),
    )
    cuda = SimpleNamespace(is_available=lambda: True, synchronize=lambda: calls.append("wait"))
    torch = SimpleNamespace(
        manual_seed=lambda seed: calls.append(f"seed {seed}"), cuda=cuda, profiler=profiler
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torch.profiler", profiler)
    return calls


def test_runs_in_the_order_of_the_old_helper(log: list[str], tmp_path: Path) -> None:
    path = str(tmp_path / "t.json")

    def f(value: str, more: str = "") -> None:
        log.append(value + more)

    seconds = functorch.dump_chrome_trace(
        f, "f", path, Once(), ["CUDA"], 2, kwargs_for_f={"more": "!"}, kwargs_for_profiler={"x": 1}
    )
    once = ["f!", "wait"]
    groups = [
        *["seed 1337", *once * 5],
        *["seed 1337", *once * 2],
        *["profile ['CUDA'] {'x': 1}", "wait", "seed 1337", *once * 2, "end"],
    ]
    assert log == groups
    assert 0 < seconds < 1
    assert os.path.exists(path)


@pytest.mark.parametrize("devices", ["cpu", ["cpu"]])
def test_does_not_wait_for_a_device_that_is_not_meant(
    log: list[str], tmp_path: Path, devices: Any
) -> None:
    functorch.dump_chrome_trace(
        lambda _: None, None, str(tmp_path / "t.json"), Once(), [], devices=devices
    )
    assert "wait" not in log


def test_what_f_raises_comes_out(log: list[str], tmp_path: Path) -> None:
    def f(value: Any) -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        functorch.dump_chrome_trace(f, 0, str(tmp_path / "t.json"), Once(), [])

    class Swallows(Once):
        def __exit__(self, *_: object) -> bool:  # type: ignore[override]
            return True

    with pytest.raises(tallymark.Error, match="kept an exception"):
        functorch.dump_chrome_trace(f, 0, str(tmp_path / "t.json"), Swallows(), [])


@needs_tally
def test_benchmark_makes_the_folder_and_says_so(
    log: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "a" / "b")
    busy, matmul = functorch.benchmark_utilization(lambda x: x, 1, folder, Once())
    assert capsys.readouterr().out == f"create folder {folder}\n"
    assert matmul / busy == pytest.approx(5 / 16)
    assert os.listdir(folder) == ["tmp_chrome_trace.json"]
    newer: dict[str, Any] = {"input_": 1}  # as PyTorch 2 calls it
    again = functorch.benchmark_utilization(
        f=lambda x: x, trace_folder=folder, trace_file_name="two", **newer
    )
    assert again[0] > 0
    assert capsys.readouterr().out == ""
    assert "profile ['CUDA'] {}" in log


def test_arguments_and_defaults_are_the_old_ones() -> None:
    dump = "f input trace_filename optimize_ctx activities num_runs devices kwargs_for_f kwargs_for_profiler"
    parameters = inspect.signature(functorch.dump_chrome_trace).parameters
    assert list(parameters) == dump.split()
    assert [parameters[name].default for name in dump.split()[5:]] == [1, None, None, None]
    parameters = inspect.signature(functorch.benchmark_utilization).parameters
    assert list(parameters) == [
        "f",
        "input",
        "trace_folder",
        "optimize_ctx",
        "trace_file_name",
        "num_runs",
    ]
    assert [one.default for one in list(parameters.values())[3:]] == [None, "tmp_chrome_trace", 1]


BOTH = """
import contextlib, inspect, json, sys
try:
    from torch._functorch import benchmark_utils as theirs
except ImportError:
    from functorch._src import benchmark_utils as theirs
from tallymark import functorch as ours

def all_of(helper, path):
    found = {"utilization": helper.compute_utilization(path, 0.25)}
    events = helper.get_chrome_trace_events(path)
    work, math = helper.get_sorted_gpu_events(events), helper.get_sorted_gpu_mm_conv_events(events)
    return {**found, "work": work, "math": math, "durations": [helper.get_duration(work), helper.get_duration(math)]}

report = []
for path in sys.argv[1:]:
    mine, other = all_of(ours, path), all_of(theirs, path)
    report.append({
        "path": path,
        "same_events": mine["work"] == other["work"] and mine["math"] == other["math"],
        "same_durations": mine["durations"] == other["durations"],
        "utilizations": [mine["utilization"], other["utilization"]],
        "latest": max((event["ts"] for event in mine["work"]), default=0),
        "fractions": sum(event[key] != int(event[key]) for event in mine["work"] for key in ("ts", "dur")),
    })
print(json.dumps(report))
"""


@needs_tally
@pytest.mark.end_to_end
@pytest.mark.parametrize("python", pythons_with_torch())
def test_equals_pytorchs_own_helper(python: str, tmp_path: Path) -> None:
    paths = [write(tmp_path / "known.json", EVENTS)]
    for trace in (path for path in real_traces() if isinstance(path, Path)):
        paths.append(str(tmp_path / trace.stem))
        with gzip.open(trace) as packed, open(paths[-1], "wb") as plain:
            shutil.copyfileobj(packed, plain)
    report = run(python, BOTH, *paths)
    assert len(report) == len(paths)
    for one in report:
        assert one["same_events"], one["path"]
        assert one["same_durations"], one["path"]
        # Theirs adds doubles, which round fractions of the microseconds since 1970 to quarters.
        rounding = one["fractions"] * sys.float_info.epsilon * one["latest"] / 0.25e6
        for mine, other in zip(*one["utilizations"]):
            assert mine == pytest.approx(other, rel=1e-12, abs=rounding), one["path"]


RECORD = """
import json, sys, torch
from contextlib import contextmanager
from tallymark import functorch
entered = []
@contextmanager
def grad():
    entered.append(1)
    with torch.no_grad(): yield
calls = []
def f(x, times=1):
    calls.append(torch.is_grad_enabled())
    return (x @ x) * times
from torch.profiler import ProfilerActivity
x = torch.ones(8, 8)
length = functorch.dump_chrome_trace(f, x, sys.argv[1], grad(), [ProfilerActivity.CPU], num_runs=3, devices=["cpu"],
  kwargs_for_f={"times": 2}, kwargs_for_profiler={"record_shapes": True})
names = {event.get("name") for event in functorch.get_chrome_trace_events(sys.argv[1])}
print(json.dumps({"entered": len(entered), "calls": len(calls), "grad": any(calls), "length": length,
  "matmul": "aten::mm" in names, "figures": functorch.compute_utilization(sys.argv[1], length)}))
"""


@needs_tally
@pytest.mark.end_to_end
@pytest.mark.parametrize("python", pythons_with_torch())
def test_records_with_a_real_profiler(python: str, tmp_path: Path) -> None:
    found = run(python, RECORD, str(tmp_path / "t.json"))
    assert (found["entered"], found["calls"], found["grad"]) == (1, 5 + 3 + 3, False)
    assert 0 < found["length"] < 1
    assert found["matmul"]
    assert found["figures"] == [0, 0]  # no GPU's work in it


def run(python: str, program: str, *arguments: str) -> Any:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "TALLY": str(TALLY)}
    command = [python, "-W", "ignore", "-c", program, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
