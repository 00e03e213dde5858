"""What the toolchain `torch` says of devices where PyTorch is built for them: its texts, run against a
PyTorch that is made up.
"""

from __future__ import annotations

import os
import pathlib
import types
from typing import Any

import pytest

tomllib = pytest.importorskip("tomllib")

ROOT = pathlib.Path(__file__).parent.parent.parent
TOOLCHAIN = tomllib.loads((ROOT / "toolchains/torch.toml").read_text())["toolchain"]["torch"]
Text = dict[str, Any]


class Cards:
    """`torch.cuda` of so many devices, of which `used` have a context. The clock advances by a second
    with each event."""

    def __init__(self, count: int, used: tuple[int, ...], log: list[str]) -> None:
        self.count, self.used, self.log, self.clock = count, used, log, 0.0

    def device_count(self) -> int:
        return self.count

    def current_device(self) -> int:
        return 0

    def is_initialized(self) -> bool:
        return bool(self.used)

    def synchronize(self, device: int) -> None:
        self.log.append(f"wait for {device}")

    def Event(self, enable_timing: bool) -> Any:
        assert enable_timing
        return Event(self)


class Event:
    def __init__(self, cards: Cards) -> None:
        self.cards, self.at = cards, -1.0

    def record(self) -> None:
        self.cards.log.append("event")
        self.cards.clock += 1
        self.at = self.cards.clock

    def elapsed_time(self, end: Event) -> float:
        return 1e3 * (end.at - self.at)


class Profiler:
    def __init__(self, log: list[str]) -> None:
        self.log = log

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.log.append(" ".join([name, *arguments]))


def made_up_torch(folder: pathlib.Path, cards: Cards, kind: str = "cuda") -> types.SimpleNamespace:
    """As far as the texts go. Its headers are in `folder`."""
    profiler = types.SimpleNamespace(
        ProfilerActivity=types.SimpleNamespace(CUDA="CUDA", XPU="XPU"),
        profile=lambda activities: Profiler(cards.log),
    )
    return types.SimpleNamespace(
        __file__=str(folder / "torch/__init__.py"),
        __version__="2.11.0+cu130",
        __config__=types.SimpleNamespace(show=lambda: ""),
        _C=types.SimpleNamespace(
            _GLIBCXX_USE_CXX11_ABI=True,
            _cuda_hasPrimaryContext=lambda device: device in cards.used,
        ),
        version=types.SimpleNamespace(
            cuda="13.0" if kind == "cuda" else None,
            hip=None,
            xpu="2025" if kind == "xpu" else None,
            git_version="1",
        ),
        backends=types.SimpleNamespace(
            mkl=types.SimpleNamespace(is_available=bool),
            cuda=types.SimpleNamespace(is_built=lambda: kind == "cuda"),
        ),
        profiler=profiler,
        **{kind: cards},
    )


def discovered(torch: Any) -> Text:
    found: Text = {}
    names = {"torch": torch, "found": found, "mapped": ["/lib/libc10.so"]}
    exec(TOOLCHAIN["discover"], names)
    return found


def observer_of(torch: Any) -> Any:
    names = {"torch": torch}
    exec(discovered(torch)["device_observer"]["py"], names)
    return names["observe"]


def test_two_events_are_around_a_region_and_none_is_before(tmp_path: pathlib.Path) -> None:
    cards = Cards(1, (0,), [])
    observe = observer_of(made_up_torch(tmp_path, cards))
    assert observe(3) is None
    assert cards.log == [], "what warms the device up is not of the region"
    for _ in range(2):
        assert [observe(what) for what in (0, 1, 2)] == [None, None, 1.0]
    assert cards.log == ["event"] * 4


def test_without_a_warm_up_a_region_is_watched_too(tmp_path: pathlib.Path) -> None:
    observe = observer_of(made_up_torch(tmp_path, Cards(1, (0,), [])))
    assert [observe(what) for what in (0, 1, 2)] == [None, None, 1.0]


def test_other_devices_are_waited_for_and_have_no_time_between_events(
    tmp_path: pathlib.Path,
) -> None:
    cards = Cards(4, (1, 3), [])
    observe = observer_of(made_up_torch(tmp_path, cards))
    assert [observe(what) for what in (3, 0, 1, 2)] == [None, None, None, 0]
    assert cards.log == ["event", "event", "wait for 1", "wait for 3"]


def test_a_card_that_is_there_and_not_used_changes_nothing(tmp_path: pathlib.Path) -> None:
    cards = Cards(4, (0,), [])
    observe = observer_of(made_up_torch(tmp_path, cards))
    assert [observe(what) for what in (3, 0, 1, 2)] == [None, None, None, 1.0]
    assert cards.log == ["event", "event"]


def test_a_profiler_gets_ready_before_the_device_is_warm_and_records_the_region_alone(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALLY_DEVICE_TRACE", "/traces")
    cards = Cards(2, (0, 1), [])
    observe = observer_of(made_up_torch(tmp_path, cards))
    observe(3)
    assert cards.log == ["prepare_trace"]
    for what in (0, 1, 2):
        assert observe(what) is None
    export = f"export_chrome_trace /traces/{os.getpid()}.trace.json"
    recorded = ["prepare_trace", "start_trace", "wait for 1", "stop_trace", export]
    assert cards.log == recorded
    for what in (0, 1, 2):
        observe(what)
    assert cards.log == 2 * recorded, "another region has a profiler of its own"


def test_xpu_has_its_own_module_and_activity(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards = Cards(2, (0, 1), [])
    torch = made_up_torch(tmp_path, cards, "xpu")
    del torch._C._cuda_hasPrimaryContext
    assert [observer_of(torch)(what) for what in (0, 1)] == [None, None]
    assert "getCUDAHooks" not in discovered(torch)["device_observer"]["cpp"]


def test_events_have_times_in_cpp_where_the_headers_say_so(tmp_path: pathlib.Path) -> None:
    """c10::Event has had elapsedTime() since 2.4: with what 2.0 to 2.3 lack, no case in C++ was built."""
    torch = made_up_torch(tmp_path, Cards(1, (0,), []))
    text = discovered(torch)["device_observer"]["cpp"]
    assert "elapsedTime" not in text and "enableProfiler" in text
    header = tmp_path / "torch/include/c10/core/Event.h"
    header.parent.mkdir(parents=True)
    header.write_text("double elapsedTime(const Event& event) const {")
    text = discovered(torch)["device_observer"]["cpp"]
    assert "elapsedTime" in text and "enableProfiler" in text


def test_a_build_for_no_device_has_no_observer_and_hides_nothing(tmp_path: pathlib.Path) -> None:
    torch = made_up_torch(tmp_path, Cards(0, (), []), "none")
    assert not discovered(torch).keys() & {"device_observer", "drivers", "seed"}


@pytest.mark.parametrize(("l2", "wanted"), [(50 << 20, 100 << 20), (None, 256 << 20)])
def test_twice_the_cache_is_written_over_by_one_buffer(l2: int | None, wanted: int) -> None:
    made: list[Text] = []

    def empty(size: int, **how: object) -> object:
        made.append({"size": size, "zeroed": 0, **how})

        def zero() -> None:
            made[-1]["zeroed"] += 1

        return types.SimpleNamespace(zero_=zero, numel=lambda: size)

    properties = types.SimpleNamespace(**({"L2_cache_size": l2} if l2 else {}))
    cuda = types.SimpleNamespace(
        current_device=lambda: 0, get_device_properties=lambda device: properties
    )
    torch = types.SimpleNamespace(
        version=types.SimpleNamespace(xpu=None), cuda=cuda, empty=empty, int8="int8"
    )
    names: Text = {"torch": torch}
    exec(TOOLCHAIN["device_flush"]["py"], names)
    assert [names["device_flush"]() for _ in range(3)] == [wanted] * 3
    assert made == [{"size": wanted, "zeroed": 3, "dtype": "int8", "device": "cuda"}]


def test_settings_are_those_of_the_process_and_what_a_version_lacks_is_left_out() -> None:
    class Matmul:
        @property
        def allow_tf32(self) -> bool:
            raise RuntimeError("mix of the legacy and new APIs to set the TF32")

    torch = types.SimpleNamespace(
        backends=types.SimpleNamespace(
            cuda=types.SimpleNamespace(matmul=Matmul()),
            cudnn=types.SimpleNamespace(allow_tf32=True, benchmark=False, deterministic=True),
        ),
        are_deterministic_algorithms_enabled=lambda: False,
    )
    names: Text = {"torch": torch}
    exec(TOOLCHAIN["device_settings"]["py"], names)
    assert names["device_settings"]() == {
        "cuda.matmul.allow_tf32": "?",
        "cudnn.allow_tf32": "True",
        "cudnn.benchmark": "False",
        "cudnn.deterministic": "True",
        "deterministic_algorithms": "False",
    }


def test_settings_of_this_pytorch_are_words() -> None:
    torch = pytest.importorskip("torch")
    names: Text = {"torch": torch}
    exec(TOOLCHAIN["device_settings"]["py"], names)
    found = names["device_settings"]()
    assert found["deterministic_algorithms"] == "False"
    assert found["float32_matmul_precision"] == "highest"
    assert len(found) == 6
