"""Tables, to the letter."""

from __future__ import annotations

import re

import pytest
from tallymark.benchmark import Compare, Measurement, TaskSpec


def measured(seconds: float, *, spread: float = 0.0, **task: object) -> Measurement:
    raw = [seconds * (1 + spread * share) for share in (-0.5, -0.5, 0.0, 0.5, 0.5)]
    return Measurement(1, raw, TaskSpec(**{"stmt": "f", "setup": "pass", **task}))  # type: ignore[arg-type]


def table(compare: Compare) -> list[str]:
    return [line.rstrip() for line in str(compare).split("\n")]


def test_rows_are_statements_and_columns_descriptions() -> None:
    compare = Compare(
        [
            measured(1.5e-6, label="add", sub_label="plain", description="n=1"),
            measured(12e-6, label="add", sub_label="plain", description="n=8"),
            measured(3e-6, label="add", sub_label="in place", description="n=1"),
            measured(9e-6, label="add", sub_label="in place", description="n=1", num_threads=4),
        ]
    )
    assert table(compare) == [
        "[------------ add ------------]",
        "                |  n=1  |  n=8",
        "1 threads: --------------------",
        "      plain     |  1.5  |  12.0",
        "      in place  |  3.0  |",
        "4 threads: --------------------",
        "      in place  |  9.0  |",
        "",
        "Times are in microseconds (us).",
        "",
    ]


def test_each_label_has_a_table_and_nothing_has_none() -> None:
    assert str(Compare([])) == ""
    compare = Compare(
        [measured(1.0, label="a"), measured(1.0, label="b"), measured(1.0, label="a")]
    )
    assert [line for line in table(compare) if line.startswith("[")] == [
        "[----- a -----]",
        "[----- b -----]",
    ]


def test_a_missing_description_and_a_missing_environment_are_no_error() -> None:
    lines = table(
        Compare(
            [
                measured(1.0, description=None),
                measured(1.0, description="d", env="other"),
                measured(2.0, description="d", env="other", sub_label="g"),
            ]
        )
    )
    assert lines[1:6] == [
        "                        |       |   d",
        "1 threads: ---------------------------",
        "  (Unspecified env)  f  |  1.0  |",
        "  (other)            f  |       |  1.0",
        "                     g  |       |  2.0",
    ]


def test_figures_that_samples_do_not_support_are_trimmed() -> None:
    results = [
        measured(1.2345e-3, description="a", spread=0.08),
        measured(0.0123456, description="b"),
    ]
    compare = Compare(results)
    compare.trim_significant_figures()
    assert table(compare)[3] == "      f  |  1  |  12.35"


def test_a_wide_spread_is_marked() -> None:
    compare = Compare([measured(1.0, spread=0.3, description="a"), measured(1.0, description="b")])
    compare.highlight_warnings()
    lines = table(compare)
    assert lines[3] == "      f  |  1.0 (! 30%)  |  1.0"
    assert lines[-2] == "(! XX%) Measurement has high variance, where XX is the IQR / median * 100."


COLOURS = {
    "best": "\033[92m\033[1m",
    "good": "\033[34m\033[1m",
    "none": "",
    "bad": "\033[2m\033[91m",
    "very bad": "\033[31m\033[1m",
}


@pytest.mark.parametrize("where", ["description", "sub_label"])
@pytest.mark.parametrize(
    ("ratio", "colour"),
    [(1.005, "best"), (1.05, "good"), (1.5, "none"), (2.0, "bad"), (4.9, "bad"), (5.0, "very bad")],
)
def test_colours_say_how_far_from_the_best(where: str, ratio: float, colour: str) -> None:
    results = [
        measured(seconds, spread=0.0, **{where: name}) for name, seconds in zip("ab", (1.0, ratio))
    ]
    compare = Compare(results)
    compare.colorize(rowwise=where == "description")
    cells = re.findall(
        r"((?:\033\[\d+m)*) *\d\.\d *(\033\[0m\033\[0m)?", str(compare).split("threads:")[1]
    )
    assert cells == [(COLOURS[one], "\033[0m\033[0m" * (one != "none")) for one in ("best", colour)]
    compare.colorize(rowwise=where != "description")
    assert str(compare).count(COLOURS["best"]) == 2  # each alone in its row, or its column


def test_within_a_tenth_of_a_microsecond_all_are_best() -> None:
    compare = Compare([measured(1e-9, sub_label="a"), measured(90e-9, sub_label="b")])
    compare.colorize()
    assert str(compare).count("\033[92m") == 2


def test_only_measurements_are_taken() -> None:
    compare = Compare([])
    with pytest.raises(
        ValueError, match=r"Expected an instance of `Measurement`, got <class 'int'> instead\."
    ):
        compare.extend_results([measured(1.0), 5])  # type: ignore[list-item]
    assert str(compare) == ""


def test_print_prints(capsys: pytest.CaptureFixture[str]) -> None:
    compare = Compare([measured(1.0)])
    compare.print()
    assert capsys.readouterr().out == str(compare) + "\n"
