"""Times and counts of a statement, with the interface of PyTorch's Timer."""

from __future__ import annotations

import enum
import statistics
import textwrap
import timeit
from typing import Any, Callable, NoReturn, Protocol, TypeVar, overload

from ._cpp_timer import CppTimer
from ._torch import device_wait, imported_torch, torch_for
from .common import Measurement, TaskSpec, set_torch_threads
from .valgrind_wrapper.timer_interface import CallgrindStats, CopyIfCallgrind, wrapper_singleton

__all__ = ["Language", "Timer", "timer"]

Callback = Callable[[int, float], Any]
Measured = TypeVar("Measured")

_LEAST_TIME_S = 1e-9  # of a block: below the clock's resolution, and a ratio needs more than 0
_MOST_RUNS = 2**31 - 1
_OVERHEAD_SHARE = 1e-4

_waits: dict[int, Callable[[], None] | None] = {}  # by the identity of the torch module


def _device_wait() -> Callable[[], None] | None:
    torch = imported_torch()
    if torch is None:
        return None
    if id(torch) not in _waits:
        _waits[id(torch)] = device_wait(torch)
    return _waits[id(torch)]


def timer() -> float:
    """Seconds of the clock, once the machine's accelerator has done what PyTorch gave it to do."""
    wait = _device_wait()
    if wait is not None:
        wait()
    return timeit.default_timer()


class Language(enum.Enum):
    """Of a statement. Timer takes "py", "python", "cpp" and "c++", too."""

    PYTHON = 0
    CPP = 1


class TimerClass(Protocol):
    """What executes a statement: timeit.Timer, or what takes its place in `Timer._timer_cls`."""

    def timeit(self, number: int) -> float:
        """Seconds for `number` executions."""
        ...


def _language(language: Language | str) -> Language:
    if language in (Language.PYTHON, "py", "python"):
        return Language.PYTHON
    if language in (Language.CPP, "cpp", "c++"):
        return Language.CPP
    raise ValueError(f"Invalid language `{language}`.")


def _without_margin(text: str) -> str:
    text = textwrap.dedent(text)
    return (text[1:] if text.startswith("\n") else text).rstrip()


class Timer:
    """Executes `stmt` and reports its times and its instructions.

    stmt, setup: text; a common margin, a first empty line and blanks at the end are removed.
    global_setup: C++ only, at file scope.
    timer: the clock, in seconds. Ours waits for the accelerator first.
    globals: names of the statement, for Python. `torch` is added where the text speaks of it, or this process has it.
    label, sub_label, description, env: how `Compare` lays measurements out.
    num_threads: of PyTorch's operators.
    language: of `stmt`.

    Python is timed in this process. C++ is timed by the engine, in a process of its own.
    """

    _timer_cls: Callable[..., TimerClass] = timeit.Timer

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        self._language = _language(language)
        self._globals = dict(globals or {})
        if self._language is Language.PYTHON and global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. "
                "Most likely this code can simply be moved to `setup`."
            )
        if self._language is Language.CPP and setup == "pass":
            setup = ""
        self._task_spec = TaskSpec(
            stmt=_without_margin(stmt),
            setup=_without_margin(setup),
            global_setup=global_setup,
            label=label,
            sub_label=sub_label,
            description=description,
            env=env,
            num_threads=num_threads,
        )
        self._timer = (
            self._cpp_timer(timer) if self._language is Language.CPP else self._python_timer(timer)
        )

    def _python_timer(self, clock: Callable[[], float]) -> TimerClass:
        torch = torch_for(self._task_spec.stmt, self._task_spec.setup)
        if torch is not None:
            self._globals.setdefault("torch", torch)
        return self._timer_cls(
            stmt=self._task_spec.stmt,
            setup=self._task_spec.setup,
            timer=clock,
            globals=CopyIfCallgrind.unwrap_all(self._globals),
        )

    def _cpp_timer(self, clock: Callable[[], float]) -> TimerClass:
        if self._timer_cls is not timeit.Timer:
            raise AssertionError("_timer_cls has already been swapped.")
        if clock is not timeit.default_timer and (clock is not timer or _device_wait() is not None):
            raise NotImplementedError(
                "C++ statements are timed by the processor's clock alone: if this one works on no accelerator, say so "
                "with `timer=timeit.default_timer`. (The time of one that does would be wrong, for nothing waits until "
                "the accelerator is done.)"
            )
        if self._globals:
            raise ValueError("C++ timing does not support globals.")
        return CppTimer(self._task_spec)

    def _timeit(self, number: int) -> float:
        return max(self._timer.timeit(number), _LEAST_TIME_S)

    def timeit(self, number: int = 1000000) -> Measurement:
        """One raw time, of `number` executions, after a warm-up of a hundredth as many."""
        if self._language is Language.PYTHON:  # the engine warms C++ up by itself
            with set_torch_threads(self._task_spec.num_threads):
                self._timeit(max(int(number // 100), 2))
        return self._with_threads(lambda: self._measurement(number, [self._timeit(number)]))

    def _with_threads(self, measure: Callable[[], Measured]) -> Measured:
        """What `measure` returns, with as many threads of PyTorch's as the task says. It is called again where the
        statement or its setup has just imported PyTorch, for nobody has set its threads then."""
        was_there = imported_torch() is not None
        with set_torch_threads(self._task_spec.num_threads):
            measured = measure()
        if was_there or imported_torch() is None:
            return measured
        with set_torch_threads(self._task_spec.num_threads):
            return measure()

    def repeat(self, repeat: int = -1, number: int = -1) -> NoReturn:
        """Not offered: `blocked_autorange` repeats as often as it takes."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callback | None = None) -> NoReturn:
        """Not offered: see `blocked_autorange`."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def blocked_autorange(
        self, callback: Callback | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Times blocks of executions until they take `min_run_time` seconds together.

        A block is as large as it must be for the clock to take a ten-thousandth of it at the most. `callback` gets
        each block's executions and seconds."""
        if isinstance(self._timer, CppTimer):
            return self._timer.blocked(min_run_time, callback)
        number = self._with_threads(lambda: self._block_size(min_run_time))
        times: list[float] = []
        total = 0.0
        with set_torch_threads(self._task_spec.num_threads):
            while not times or total < min_run_time:
                total += self._timed_block(number, times, callback)
        return self._measurement(number, times)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callback | None = None,
    ) -> Measurement:
        """Times blocks until the interquartile range is below `threshold` of the median: four of them and
        `min_run_time` seconds at the least, `max_run_time` seconds at the most."""
        if isinstance(self._timer, CppTimer):
            return self._timer.adaptive(threshold, min_run_time, max_run_time, callback)
        number = self._with_threads(lambda: self._block_size(0.05))
        times: list[float] = []
        total = 0.0
        enough = False
        with set_torch_threads(self._task_spec.num_threads):
            while total < min_run_time or not enough:
                total += self._timed_block(number, times, callback)
                if max_run_time and total > max_run_time:
                    break
                enough = len(times) > 3 and self._measurement(number, times).meets_confidence(
                    threshold
                )
        return self._measurement(number, times)

    def _timed_block(self, number: int, times: list[float], callback: Callback | None) -> float:
        seconds = self._timeit(number)
        times.append(seconds)
        if callback is not None:
            callback(number, seconds)
        return seconds

    def _block_size(self, min_run_time: float) -> int:
        overhead = statistics.median_low([self._timeit(0) for _ in range(5)])
        number = 1
        while True:
            seconds = self._timeit(number)
            exact = overhead / seconds <= _OVERHEAD_SHARE and seconds >= min_run_time / 1000
            if exact or seconds > min_run_time or number * 10 > _MOST_RUNS:
                return number
            number *= 10

    def _measurement(self, number: int, times: list[float]) -> Measurement:
        return Measurement(number_per_run=number, raw_times=times, task_spec=self._task_spec)

    @overload
    def collect_callgrind(
        self,
        number: int = ...,
        *,
        repeats: None = ...,
        collect_baseline: bool = ...,
        retain_out_file: bool = ...,
    ) -> CallgrindStats: ...

    @overload
    def collect_callgrind(
        self,
        number: int = ...,
        *,
        repeats: int,
        collect_baseline: bool = ...,
        retain_out_file: bool = ...,
    ) -> tuple[CallgrindStats, ...]: ...

    def collect_callgrind(
        self,
        number: int = 100,
        *,
        repeats: int | None = None,
        collect_baseline: bool = True,
        retain_out_file: bool = False,
    ) -> CallgrindStats | tuple[CallgrindStats, ...]:
        """Instructions of `number` executions, by function: raw totals, exact.

        They are counted by the engine, in a process of its own; the statement is executed once in this process first.
        Globals therefore travel, and only those that are wrapped in `CopyIfCallgrind` may.

        repeats: so many counts, as a tuple; they differ only where the statement does.
        collect_baseline: the same loop around `pass` beside it (Python only).
        retain_out_file: keep the profile in Callgrind's format, in `stmt_callgrind_out`.

        Raises ValueError for globals that cannot travel, OSError with the measured process's traceback where it
        failed, and whatever the statement raises in this process."""
        if repeats is not None and repeats < 1:
            raise ValueError("If specified, `repeats` must be >= 1")
        is_python = self._language is Language.PYTHON
        if is_python:
            self._timeit(1)
        stats = wrapper_singleton().collect_callgrind(
            task_spec=self._task_spec,
            globals=self._globals,
            number=number,
            repeats=repeats or 1,
            collect_baseline=collect_baseline and is_python,
            is_python=is_python,
            retain_out_file=retain_out_file,
        )
        return stats[0] if repeats is None else stats
