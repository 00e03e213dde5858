"""C++ statements, timed by the engine: compiled as the engine compiles them, in a process of their own."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING

from ._engine import NO_LIMIT_S, cpp_definition, measured
from .common import Measurement, TaskSpec

if TYPE_CHECKING:
    from tallymark._client.request import Settings

_LEAST_S = 0.001  # that the engine samples
# A forked process copies each page that it first writes: 1,000 additions of tensors took 6.4 ms then, and 1.9 ms
# afterwards. So a block is sampled when one has gone before, unless it is so long that this is nothing.
_COLD_S = 0.02
_LONG_S = 1.0
_MOST_TURNS = 30


class CppTimer:
    """What timeit.Timer is for Python."""

    def __init__(self, task_spec: TaskSpec) -> None:
        self._task_spec = task_spec
        self._each_s: float | None = None  # about, for one execution

    def timeit(self, number: int) -> float:
        """Seconds for `number` executions, the loop included, warm: of several such blocks the middle one, which is
        none that another process has interrupted."""
        if number < 1:
            return 0.0
        if self._each_s is None:
            self._raw_times(_for_seconds(0.01))
        about_s = number * (self._each_s or 0)
        settings: Settings = {
            "number_per_run": number,
            "min_run_time_s": 2 * about_s + _COLD_S if about_s < _LONG_S else _LEAST_S,
        }
        return statistics.median_low(self._raw_times(settings)[1])

    def blocked(
        self, min_run_time: float, callback: Callable[[int, float], object] | None
    ) -> Measurement:
        """Samples of at least `min_run_time` seconds together, each as long as the clock needs."""
        number, times = self._raw_times(_for_seconds(min_run_time))
        return self._reported(number, times, callback)

    def adaptive(
        self,
        threshold: float,
        min_run_time: float,
        max_run_time: float,
        callback: Callable[[int, float], object] | None,
    ) -> Measurement:
        """Samples of twice the time in each turn, until the last turn's interquartile range is below `threshold` of its
        median, or they take `max_run_time` seconds together."""
        turn_s = max(min_run_time, 0.01)
        total = 0.0
        for _ in range(_MOST_TURNS):
            number, times = self._raw_times(_for_seconds(turn_s))
            found = self._reported(number, times, callback)
            total += sum(times)
            if len(times) > 3 and found.meets_confidence(threshold):
                break
            if total + 2 * turn_s > max_run_time:
                break
            turn_s *= 2
        return found

    def _reported(
        self, number: int, times: list[float], callback: Callable[[int, float], object] | None
    ) -> Measurement:
        if callback is not None:
            for seconds in times:
                callback(number, seconds)
        return Measurement(number_per_run=number, raw_times=times, task_spec=self._task_spec)

    def _raw_times(self, settings: Settings) -> tuple[int, list[float]]:
        """Executions in a sample, and the samples. The engine has taken the loop off; raw times have it."""
        from tallymark import CaseFailed

        try:
            run = measured(
                [cpp_definition(self._task_spec)],
                {"counts": False, "wall": True, "timeout_s": NO_LIMIT_S, **settings},
            )
        except CaseFailed as error:
            raise RuntimeError(f"Failed to time the C++ statement:\n{error}") from error
        wall = run.cases[0]["wall"]
        assert wall is not None
        number = wall["number_per_run"]
        self._each_s = wall["median_s"] + wall["overhead_s"]
        return number, [(each + wall["overhead_s"]) * number for each in wall["replicates_s"]]


def _for_seconds(seconds: float) -> Settings:
    """Settings by which samples take so much time together, and no more for the sake of precision."""
    length = max(seconds, _LEAST_S)
    return {"min_run_time_s": length, "max_run_time_s": length}
