"""What a measurement says of itself."""

from __future__ import annotations

import dataclasses
import pickle
import re
from typing import Any

import pytest
from tallymark.benchmark import Measurement, TaskSpec, select_unit, trim_sigfig, unit_to_english
from tallymark.benchmark.utils.common import _make_temp_dir, ordered_unique, set_torch_threads

EIGHT = [7.0, 7.5, 8.0, 8.1, 8.2, 8.5, 9.0, 9.5]  # nanoseconds of one of ten executions


def measured(raw: list[float], number: int = 1, **task: object) -> Measurement:
    return Measurement(number, raw, TaskSpec(**{"stmt": "f(x)", "setup": "pass", **task}))  # type: ignore[arg-type]


def shown(value: object) -> list[str]:
    return re.sub("0x[0-9a-f]+>", "0x…>", repr(value)).split("\n")


def test_a_repr_has_pytorchs_path_median_quartiles_and_size() -> None:
    assert shown(measured([x * 1e-8 for x in EIGHT], 10, num_threads=2)) == [
        "<torch.utils.benchmark.utils.common.Measurement object at 0x…>",
        "f(x)",
        "  Median: 8.15 ns",
        "  IQR:    0.75 ns (7.87 to 8.62)",
        "  8 measurements, 10 runs per measurement, 2 threads",
    ]


def test_one_sample_has_no_quartiles_and_a_blank_before_its_comma() -> None:
    assert shown(measured([3e-6], 3))[2:] == ["  1.00 us", "  1 measurement, 3 runs , 1 thread"]


def test_a_subclass_of_somebody_elses_keeps_its_own_path() -> None:
    class Own(Measurement):
        pass

    assert f"<{__name__}.test_a_subclass" in repr(Own(1, [1.0], TaskSpec("x", "")))


@pytest.mark.parametrize(
    ("spread", "sentence"),
    [
        (0.05, ""),
        (0.12, "This could indicate system fluctuation."),
        (0.30, "This suggests significant environmental influence."),
    ],
)
def test_a_wide_spread_is_warned_of(spread: float, sentence: str) -> None:
    one = measured([1 - spread / 2, 1 - spread / 2, 1.0, 1 + spread / 2, 1 + spread / 2])
    warning = shown(one)[5:]
    assert one.has_warnings == bool(sentence)
    if sentence:
        percent = f"{spread * 100:.1f}%"
        assert warning == [
            f"  WARNING: Interquartile range is {percent} of the median measurement.",
            f"           {sentence}",
        ]
    else:
        assert warning == []


def test_the_mean_is_that_of_the_exact_sum() -> None:
    assert measured([1e16, 1.0, -1e16, 1.0]).mean == 0.5


def test_quartiles_lie_between_samples() -> None:
    one = measured([4.0, 1.0, 2.0, 3.0], 2)
    assert (one.median, one.iqr, one.times) == (1.25, 0.75, [2.0, 0.5, 1.0, 1.5])


@pytest.mark.parametrize(
    ("raw", "figures"),
    [
        ([1e-9] * 4, 1),  # a clock is not trusted below 25 ns
        ([1e-6] * 4, 1),
        ([2.5e-6] * 4, 2),
        ([1.0] * 4, 4),
        ([0.9, 1.0, 1.0, 1.1], 4),  # the middle half agrees
        ([0.9, 0.95, 1.05, 1.1], 1),
    ],
)
def test_figures_follow_the_spread_of_the_middle_half(raw: list[float], figures: int) -> None:
    assert measured(raw).significant_figures == figures


def test_fields_of_the_task_can_be_read_and_no_others() -> None:
    one = measured([1.0], label="l", sub_label="s", env="e")
    assert (one.label, one.sub_label, one.env, one.num_threads) == ("l", "s", "e", 1)
    assert measured([1.0]).env is None
    assert (one.title, one.as_row_name, measured([1.0]).as_row_name) == ("l: s", "s", "f(x)")
    with pytest.raises(AttributeError, match="'Measurement' object has no attribute 'speed'"):
        one.speed  # noqa: B018


def test_replicates_are_merged_by_task_in_their_order() -> None:
    first, second = measured([2.0, 4.0], 2), measured([8.0], 4, stmt="g")
    first.metadata = {"a": 1}
    merged = Measurement.merge([first, second, measured([3.0])])
    assert merged == [measured([1.0, 2.0, 3.0]), measured([2.0], stmt="g")]


def test_measurements_are_equal_by_content_and_not_hashable() -> None:
    assert measured([1.0]) == measured([1.0]) != measured([2.0])
    with pytest.raises(TypeError, match="unhashable"):
        hash(measured([1.0]))
    assert hash(TaskSpec("a", "b")) == hash(TaskSpec("a", "b"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        TaskSpec("a", "b").stmt = "c"  # type: ignore[misc]


def test_pickles_need_no_torch() -> None:
    one = measured([1.0, 2.0], label="l")
    data = pickle.dumps(one)
    assert b"tallymark.benchmark.utils.common" in data
    assert b"torch" not in data
    assert pickle.loads(data) == one


@pytest.mark.parametrize(
    ("task", "lines"),
    [
        ({"stmt": "f"}, ["f"]),
        ({"stmt": "f", "sub_label": "s", "setup": "pass"}, ["f: s"]),
        ({"stmt": "f", "label": "l", "setup": "a = 1"}, ["l", "setup: a = 1"]),
        (
            {"stmt": "f\ng", "sub_label": "s", "description": "d", "setup": "a\nb"},
            ["stmt: (s)", "  f", "  g", "", "d", "setup:", "  a", "  b", ""],
        ),
    ],
)
def test_a_task_is_summarized_on_lines(task: dict[str, Any], lines: list[str]) -> None:
    assert TaskSpec(**{"setup": "", **task}).summarize().split("\n") == lines


@pytest.mark.parametrize(
    ("seconds", "unit"),
    [
        (5e-10, "ns"),  # PyTorch says s, and prints 0.00
        (0.0, "ns"),
        (1e-9, "ns"),
        (9.99e-7, "ns"),
        (9.999999999e-7, "us"),  # in single precision this is a microsecond
        (1e-6, "us"),
        (1e-3, "ms"),
        (1.0, "s"),
        (5000.0, "s"),
    ],
)
def test_units_hold_a_number_of_up_to_three_digits(seconds: float, unit: str) -> None:
    assert select_unit(seconds) == (unit, {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[unit])


def test_units_have_names() -> None:
    assert unit_to_english("us") == "microsecond"
    with pytest.raises(KeyError):
        unit_to_english("h")


@pytest.mark.parametrize(
    ("x", "n", "expected"),
    [(3.14159, 2, 3.1), (-271.8, 1, -300), (0.00123, 2, 0.0012), (0.0, 3, 0.0), (25.0, 1, 20.0)],
)
def test_figures_are_trimmed(x: float, n: int, expected: float) -> None:
    assert trim_sigfig(x, n) == pytest.approx(expected, rel=1e-6)


def test_half_a_figure_is_refused() -> None:
    with pytest.raises(AssertionError, match="must be an integer"):
        trim_sigfig(1.0, 1.5)  # type: ignore[arg-type]


def test_each_element_once_in_order() -> None:
    assert ordered_unique(iter("abcab")) == ["a", "b", "c"]


def test_threads_are_nobodys_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(__import__("sys").modules, "torch", raising=False)
    with set_torch_threads(3):
        pass


def test_folders_are_new_and_private(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    import os
    import stat

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first, second = _make_temp_dir(prefix="p"), _make_temp_dir(prefix="p")
    assert first != second
    assert os.path.dirname(first) == str(tmp_path)
    assert stat.S_IMODE(os.stat(first).st_mode) == 0o700
