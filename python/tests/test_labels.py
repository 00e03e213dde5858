"""What a statement is called: always something that a suite takes, and shown as it was written."""

from __future__ import annotations

import pytest
from made_records import made_result
from tallymark import Definition
from tallymark._definition import to_document


@pytest.mark.parametrize(
    ("stmt", "label"),
    [
        ("", "(empty)"),
        (" \n\t\n", "(empty)"),
        ("# nothing", "# nothing"),
        ("x = 1\t# a tab", "x = 1 # a tab"),
        ("x = '\t'", "x = ' '"),
        ("\tx = 1\r\n\ty = 2\r\n", "x = 1 …"),
        ("x = '\x0c\x1c\u2028\x7f'", "x = '  \u2028 '"),
        ("', '.join(x)", "', '.join(x)"),
        ("x" * 100, "x" * 79 + "…"),
    ],
)
def test_every_statement_has_one(stmt: str, label: str) -> None:
    (timer,) = to_document([Definition(stmt)])["timer"]
    assert timer["label"] == [label]
    assert timer["stmt"] == stmt


def test_a_given_label_is_one_line() -> None:
    (timer,) = to_document([Definition("x", label=" a\tb\n")])["timer"]
    assert timer["label"] == ["a b"]


def test_equal_ones_are_distinguished() -> None:
    document = to_document([Definition(""), Definition("# "), Definition("\n")])
    assert [one["label"][0] for one in document["timer"]] == ["(empty)", "#", "(empty) (2)"]


@pytest.mark.parametrize(
    ("id", "title"),
    [
        ("%27, %27.join(x) [python]", "', '.join(x) [python]"),
        ("1%2F0 [python]", "1/0 [python]"),
        ("%2527 100%25 [python]", "%27 100% [python]"),
        ("a [python s=%0A%7F]", "a [python s=%0A%7F]"),
    ],
)
def test_a_result_is_shown_as_it_was_written(id: str, title: str) -> None:
    result = made_result(id=id, label=["x"], status="failed", definition={"stmt": "x"})
    assert result.title == title
    assert repr(result).splitlines()[0] == title
