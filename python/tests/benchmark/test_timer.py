"""How a Timer executes its statement, with clocks that are played."""

from __future__ import annotations

import subprocess
import sys
import timeit
from typing import Any, Callable

import pytest
import tallymark
from tallymark import benchmark
from tallymark.benchmark import CopyIfCallgrind, Language, Timer

CPP = Timer("f();", timer=timeit.default_timer, language="cpp")


class Played:
    """Stands for timeit.Timer: a call takes 100 ns, an execution 4 us."""

    calls: list[int]

    def __init__(
        self, stmt: str, setup: str, timer: Callable[[], float], globals: dict[str, Any]
    ) -> None:
        self.stmt, self.setup, self.globals = stmt, setup, globals
        self.calls = []

    def timeit(self, number: int) -> float:
        self.calls.append(number)
        return 100e-9 + number * 4e-6


class PlayedTimer(Timer):
    _timer_cls = Played

    @property
    def played(self) -> Played:
        assert isinstance(self._timer, Played)
        return self._timer


def test_timeit_warms_up_with_a_hundredth() -> None:
    timer = PlayedTimer("f")
    one = timer.timeit(1000)
    timer.timeit(20)
    assert timer.played.calls == [10, 1000, 2, 20]
    assert (one.number_per_run, one.raw_times) == (1000, [100e-9 + 4e-3])


def test_blocks_grow_until_the_clock_takes_a_ten_thousandth() -> None:
    timer = PlayedTimer("f")
    seen: list[tuple[int, float]] = []
    one = timer.blocked_autorange(callback=lambda n, s: seen.append((n, s)), min_run_time=0.01)
    # 100 ns is 2.5e-5 of 1,000 executions, and 2.5e-4 of 100.
    assert timer.played.calls == [0] * 5 + [1, 10, 100, 1000] + [1000] * 3
    assert one.number_per_run == 1000
    assert seen == [(1000, raw) for raw in one.raw_times]


def test_a_block_is_no_longer_than_the_whole_run() -> None:
    timer = PlayedTimer("f")
    one = timer.blocked_autorange(min_run_time=1e-5)
    assert timer.played.calls == [0] * 5 + [1, 10, 10]
    assert len(one.raw_times) == 1


class Instant(Played):
    def timeit(self, number: int) -> float:
        self.calls.append(number)
        return 0.0


class InstantTimer(PlayedTimer):
    _timer_cls = Instant


def test_blocks_stop_growing_at_what_a_c_int_holds() -> None:
    timer = InstantTimer("f")
    assert timer._block_size(1.0) == 10**9
    assert timer.played.calls == [0] * 5 + [10**power for power in range(10)]


def test_adaptive_blocks_stop_when_four_agree() -> None:
    timer = PlayedTimer("f")
    one = timer.adaptive_autorange()
    assert timer.played.calls == [0] * 5 + [1, 10, 100, 1000] + [1000] * 4
    assert len(one.times) == 4


def test_adaptive_blocks_stop_at_the_longest_time_where_none_agree() -> None:
    timer = PlayedTimer("f")
    assert len(timer.adaptive_autorange(threshold=-1, max_run_time=0.02).times) == 5


def test_no_time_is_below_a_nanosecond() -> None:
    assert InstantTimer("f").timeit(5).raw_times == [1e-9]


@pytest.mark.parametrize("name", ["repeat", "autorange"])
def test_what_timeit_has_besides_is_refused(name: str) -> None:
    with pytest.raises(NotImplementedError, match=r"See `Timer\.blocked_autorange\.`"):
        getattr(Timer(), name)()


def test_texts_lose_their_margin() -> None:
    timer = PlayedTimer("\n    if x:\n        f()\n    ", setup="\n\n  a = 1\n", globals={"x": 1})
    assert (timer.played.stmt, timer.played.setup) == ("if x:\n    f()", "\na = 1")


def test_wrapped_globals_are_their_values_and_the_callers_stay_his() -> None:
    mine = {"k": CopyIfCallgrind(5), "f": len}
    timer = PlayedTimer("f", globals=mine)
    assert (timer.played.globals["k"], timer.played.globals["f"]) == (5, len)
    assert set(mine) == {"k", "f"}


def test_a_statement_is_executed_with_its_globals_and_setup() -> None:
    seen: list[int] = []
    Timer("add(k)", setup="k = 7", globals={"add": seen.append}).timeit(1)
    assert seen == [7] * 3


@pytest.mark.parametrize("word", ["py", "python", Language.PYTHON])
def test_python_has_three_names(word: Any) -> None:
    assert Timer(language=word)._language is Language.PYTHON


@pytest.mark.parametrize("word", ["cpp", "c++", Language.CPP])
def test_cpp_has_three_names(word: Any) -> None:
    timer = Timer("f();", global_setup="void f() {}", timer=timeit.default_timer, language=word)
    assert (timer._language, timer._task_spec.setup) == (Language.CPP, "")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"stmt": print}, ValueError, "Currently only a `str` stmt is supported."),
        ({"language": "rust"}, ValueError, "Invalid language `rust`."),
        (
            {"global_setup": "int x;"},
            ValueError,
            "global_setup is C++ only, got `int x;`. Most likely this code can simply be moved to `setup`.",
        ),
        (
            {"language": "cpp", "globals": {"x": 1}},
            ValueError,
            "C++ timing does not support globals.",
        ),
    ],
)
def test_what_cannot_be_is_reported(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as found:
        Timer(**arguments)
    assert str(found.value) == message


def test_cpp_is_timed_by_the_processors_clock_and_by_timeits_class() -> None:
    with pytest.raises(NotImplementedError, match="default_timer"):
        Timer("f();", timer=lambda: 0.0, language="cpp")
    with pytest.raises(AssertionError, match="_timer_cls has already been swapped"):
        PlayedTimer("f();", timer=timeit.default_timer, language="cpp")


def test_the_clock_goes_forward() -> None:
    before = benchmark.timer()
    assert benchmark.timer() >= before


def test_the_clock_waits_for_an_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    import types

    waits: list[str] = []
    device = types.SimpleNamespace(
        is_available=lambda: True, synchronize=lambda: waits.append("waited")
    )
    torch: Any = types.SimpleNamespace(get_num_threads=lambda: 1, cuda=device)
    monkeypatch.setitem(sys.modules, "torch", torch)
    benchmark.timer()
    assert waits == ["waited"]
    with pytest.raises(NotImplementedError, match="accelerator"):
        Timer("f();", language="cpp")


def test_neither_torch_nor_numpy_is_imported_for_statements_that_do_not_speak_of_them() -> None:
    script = (
        "import sys; from tallymark.benchmark import *; from tallymark.benchmark import op_fuzzers\n"
        "from tallymark.benchmark.utils.valgrind_wrapper.timer_interface import wrapper_singleton\n"
        "m = Timer('sorted(x)', 'x = [2, 1]').blocked_autorange(min_run_time=0.001)\n"
        "str(Compare([m])), repr(m)\n"
        "print([name for name in ('torch', 'numpy', 'cloudpickle') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_a_timer_is_not_pickled() -> None:
    import pickle

    with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
        pickle.dumps(Timer())


class LateTorch:
    """A program without PyTorch, until a setup imports it, with four threads."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.threads = 4
        self.seen: list[int] = []  # threads in each execution
        self._monkeypatch = monkeypatch
        monkeypatch.delitem(sys.modules, "torch", raising=False)

    def get_num_threads(self) -> int:
        return self.threads

    def set_num_threads(self, threads: int) -> None:
        self.threads = threads

    def arrive(self) -> None:
        self._monkeypatch.setitem(sys.modules, "torch", self)

    def execute(self) -> None:
        self.seen.append(self.threads)


@pytest.mark.parametrize("kind", ["timeit", "blocked_autorange", "adaptive_autorange"])
def test_threads_are_set_where_the_setup_imports_torch_first(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    late = LateTorch(monkeypatch)
    timer = Timer("late.execute()", setup="late.arrive()", globals={"late": late})
    times = {
        "timeit": lambda: timer.timeit(10),
        "blocked_autorange": lambda: timer.blocked_autorange(min_run_time=1e-4),
        "adaptive_autorange": lambda: timer.adaptive_autorange(min_run_time=1e-4),
    }
    one = times[kind]()
    measured = one.number_per_run * len(one.raw_times)
    assert set(late.seen[-measured:]) == {1}
    if kind != "timeit":  # the size of a block was found by as many threads, too
        assert late.seen.count(1) > measured
    assert late.threads == 4
    late.seen.clear()
    times[kind]()
    assert set(late.seen) == {1}


def test_what_imports_torch_in_its_only_execution_is_executed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late = LateTorch(monkeypatch)

    class Arriving(Played):
        def timeit(self, number: int) -> float:
            if number == 1000:
                late.execute()
                late.arrive()
            return super().timeit(number)

    timer = PlayedTimer("pass")
    timer._timer = Arriving("pass", "", timeit.default_timer, {})
    timer.timeit(1000)
    assert late.seen == [4, 1]
    assert late.threads == 4


@pytest.mark.parametrize(
    "execute",
    [
        lambda: Timer("pass").collect_callgrind(1),
        lambda: CPP.collect_callgrind(1),
        lambda: CPP.timeit(1),
        lambda: CPP.blocked_autorange(),
        lambda: CPP.adaptive_autorange(),
    ],
    ids=["callgrind", "cpp callgrind", "cpp timeit", "cpp blocked", "cpp adaptive"],
)
def test_nothing_has_the_engine_s_limit_of_time(
    monkeypatch: pytest.MonkeyPatch, execute: Callable[[], object]
) -> None:
    """PyTorch's own has none: what takes an hour there takes one here."""
    limits: list[float] = []

    def measure(engine: object, definitions: object, *, settings: Any, **others: object) -> None:
        limits.append(settings.get("timeout_s", 300))
        raise tallymark.Error("that is enough")

    monkeypatch.setattr(tallymark.Engine, "measure", measure)
    with pytest.raises((OSError, tallymark.Error), match="that is enough"):
        execute()
    assert limits == [24 * 3600]
