"""`tallymark.trace`: every figure of the JSON is a field, and its table says what is in them."""

from __future__ import annotations

import dataclasses
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import tallymark
from real_traces import FOLDER, TALLY, needs_tally, real_traces
from tallymark import trace

pytestmark = needs_tally

KERNEL = {"ph": "X", "cat": "kernel", "pid": 0, "tid": 7, "args": {"device": 0}}
EVENTS: list[dict[str, Any]] = [
    {**KERNEL, "name": "ampere_sgemm_128x64", "ts": 0, "dur": 60},
    {**KERNEL, "name": "ncclAllReduce", "ts": 60, "dur": 20},
    {**KERNEL, "name": "relu_kernel", "ts": 90, "dur": 10},
]


@pytest.fixture(autouse=True)
def built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TALLY", str(TALLY))


def write(path: Path, events: list[dict[str, Any]], **more: Any) -> Path:
    path.write_text(json.dumps({"traceEvents": events, **more}))
    return path


def as_json(value: Any) -> Any:
    """A figure as the JSON has it: what is None by default may have been left out."""
    if dataclasses.is_dataclass(value):
        return {
            one.metadata.get("key", one.name): as_json(getattr(value, one.name))
            for one in dataclasses.fields(value)
            if not (one.default is None and getattr(value, one.name) is None)
        }
    return [as_json(item) for item in value] if isinstance(value, tuple) else value


@pytest.mark.parametrize("path", real_traces(), ids=lambda path: path.name)
def test_every_figure_is_a_field(path: Path) -> None:
    found = trace(path, legacy=True, duration=1.5)
    assert found.document["devices"] == [as_json(device) for device in found.devices]
    assert found.document["traces"] == [as_json(file) for file in found.files]
    assert found.document["legacy"] == as_json(found.legacy)
    for device in found.devices:
        parts = (
            device.compute_ns,
            device.exposed_comm_ns,
            device.exposed_memory_ns,
            device.idle_ns,
        )
        assert sum(parts) == device.window_ns
        assert len(device.kernels_by_name) == device.kernel_names


def test_what_cannot_be_true_is_reported(tmp_path: Path) -> None:
    bad = {**KERNEL, "name": "bad", "ts": 100, "dur": 3_400_000}
    inside = {**KERNEL, "name": "inside", "ts": 120, "dur": 10}
    lost = {**KERNEL, "name": "lost", "ts": -4_000_000_000}
    found = trace(write(tmp_path / "odd.json", [*EVENTS, bad, inside, lost]))
    doubts = found.device.doubts
    assert doubts is not None
    assert [(one.name, one.covered) for one in doubts.covering_work] == [("bad", 1)]
    assert doubts.far_apart is not None
    assert (doubts.far_apart.name, doubts.far_apart.before) == ("lost", 1)
    assert found.files[0].work_without_duration == 1
    text = repr(found)
    assert '"bad" of 3.4' in text
    assert "1 pieces of device work have no duration" in text
    assert trace(write(tmp_path / "fine.json", EVENTS)).device.doubts is None


def test_a_trace_of_the_host_alone_has_no_devices(tmp_path: Path) -> None:
    host = {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 0, "dur": 1}
    path = write(tmp_path / "host.json", [host, host])
    path.write_text(path.read_text()[:-3])  # cut short
    assert trace(path).devices == ()


def test_ranks_are_fields_too(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / f"{rank}.json", EVENTS[: 2 + rank], distributedInfo={"rank": rank})
        for rank in (0, 1)
    ]
    found = trace(*paths)
    assert found.ranks is not None
    assert found.document["ranks"] == as_json(found.ranks)
    assert [row.trace for row in found.ranks.rows] == [str(path) for path in paths]
    assert found.ranks.rows[found.ranks.straggler or 0].rank == 1
    assert [device.rank for device in found.devices] == [0, 1]
    assert found.document["devices"] == [as_json(device) for device in found.devices]
    with pytest.raises(tallymark.Error, match="2 devices"):
        _ = found.device


def test_figures_of_a_known_trace(tmp_path: Path) -> None:
    device = trace(write(tmp_path / "known.json", EVENTS), duration=200e-6).device
    assert (device.window_ns, device.busy_ns, device.idle_ns) == (100_000, 90_000, 10_000)
    assert (device.compute_ns, device.exposed_comm_ns) == (70_000, 20_000)
    assert device.utilization == 0.9
    assert device.utilization_of_duration == 0.45
    assert device.matmul_convolution_of_duration == 0.3
    assert [kernel.kind for kernel in device.kernels_by_short_name] == [
        "matmul",
        "communication",
        "other",
    ]


def test_text_is_a_table(tmp_path: Path) -> None:
    text = str(trace(write(tmp_path / "known.json", EVENTS)))
    assert text.splitlines()[1:] == [
        "",
        "Device 0: 3 kernels, 0 copies and fills, 90.0 µs of kernel time",
        "                    window    busy  compute  exposed comm  exposed memory    idle",
        "first to last work  100 µs  90.0 %   70.0 %        20.0 %           0.0 %  10.0 %",
        "kernel               count    total   share     mean  class",
        "ampere_sgemm_128x64      1  60.0 µs  66.7 %  60.0 µs  matmul",
        "ncclAllReduce            1  20.0 µs  22.2 %  20.0 µs  communication",
        "relu_kernel              1  10.0 µs  11.1 %  10.0 µs  other",
        "matmul 85.7 %, convolution 0.0 % of compute-kernel time, by name",
    ]
    assert repr(trace(tmp_path / "known.json")) == text


def test_html_escapes_what_the_trace_says(tmp_path: Path) -> None:
    events = [{**KERNEL, "name": "<script>alert(1)</script>", "ts": 0, "dur": 1}]
    page = trace(write(tmp_path / "a&b.json", events))._repr_html_()
    assert "<table" in page
    assert "a&amp;b.json" in page
    assert "<script>" not in page


def test_reads_what_is_gzipped_and_keeps_the_path_as_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A name that the program would take for a subcommand, and one that it would take for an option.
    for name in ("diff", "--json"):
        (tmp_path / name).write_bytes(gzip.compress(json.dumps({"traceEvents": EVENTS}).encode()))
        monkeypatch.chdir(tmp_path)
        found = trace(name)
        assert found.files[0].path == name
        assert found.device.kernels == 3


def test_options_leave_out_what_they_say(tmp_path: Path) -> None:
    path = write(tmp_path / "known.json", EVENTS)
    assert len(trace(path, kernels=1).device.kernels_by_name) == 1
    assert trace(path, operators=False).device.math_by_operator is None
    assert trace(path).legacy is None


def test_an_empty_trace_has_no_devices(tmp_path: Path) -> None:
    assert trace(write(tmp_path / "empty.json", [])).devices == ()


def test_errors_say_which_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="missing"):
        trace(tmp_path / "missing.json")
    with pytest.raises(TypeError, match="path"):
        trace()
    (tmp_path / "text.json").write_text("no trace at all")
    with pytest.raises(tallymark.Error, match=r"text\.json: no event could be used"):
        trace(tmp_path / "text.json")


@pytest.mark.skipif(not FOLDER.exists(), reason=f"no real traces in {FOLDER}")
def test_shared_expectations() -> None:
    for line in (FOLDER / "expected.jsonl").read_text().splitlines():
        want = json.loads(line)
        found = trace(FOLDER / want["trace"], legacy=True)
        assert found.legacy is not None
        assert (found.legacy.seed_busy_ns, found.legacy.seed_matmul_ns) == (
            want["seed_busy"],
            want["seed_matmul"],
        )
        for device in found.devices:
            expected = want["devices"][device.device]
            for name in (
                "window",
                "busy",
                "compute",
                "comm",
                "memory",
                "exposed_comm",
                "exposed_memory",
                "idle",
            ):
                assert getattr(device, f"{name}_ns") == expected[name], name
