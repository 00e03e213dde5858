"""The magics, in an IPython of their own: what they make of a line, and what they show and return."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import tallymark
from real_traces import TALLY, needs_tally

pytest.importorskip("IPython", reason="IPython is not installed")


class Asked:
    """Stands for a result: remembers what was requested."""

    def __init__(self, kind: str, *statements: str, **options: Any) -> None:
        self.kind, self.statements, self.options = kind, statements, options

    def __repr__(self) -> str:
        return f"shown: {self.kind}"


@pytest.fixture(scope="module")
def shell() -> Iterator[Any]:
    from IPython.core.interactiveshell import InteractiveShell

    made = InteractiveShell.instance()
    made.run_line_magic("load_ext", "tallymark")
    made.run_cell("x = [3, 1, 2]")
    yield made
    InteractiveShell.clear_instance()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("count", "measure", "compare"):
        monkeypatch.setattr(tallymark, kind, lambda *a, kind=kind, **k: Asked(kind, *a, **k))


def returned(shell: Any, cell: str) -> Any:
    """The cell's value."""
    done = shell.run_cell(cell)
    done.raise_error()
    return done.result


@pytest.mark.usefixtures("asked")
def test_a_line_is_a_statement_with_its_names(
    shell: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert returned(shell, "%tally sorted(x)") is None
    assert "shown: measure" in capsys.readouterr().out
    result = returned(shell, "result = %tally -o -q sorted(x)  # vs\nresult")
    assert capsys.readouterr().out == "Out[0]: shown: measure\n"  # by the cell, not by the magic
    assert result.statements == ("sorted(x)  # vs",)
    assert result.options["globals"]["x"] == [3, 1, 2]
    assert result.options["setup"] == ""
    assert result.options["language"] == "python"


@pytest.mark.usefixtures("asked")
def test_braces_and_dollars_are_of_the_statement(shell: Any) -> None:
    """IPython puts the values of names there, for magics that do not refuse it."""
    shell.run_cell("name = 'world'")
    result = returned(shell, "r = %tally -qo f'{x[0]} {name}' + '$name'\nr")
    assert result.statements == ("f'{x[0]} {name}' + '$name'",)
    result = returned(shell, "r = %tally_compare -qo f'{name}' vs '$name' + str({name})\nr")
    assert result.statements == ("f'{name}'", "'$name' + str({name})")
    result = returned(shell, "%%tally -qo s = {name}\nlen(s)\n")
    assert (result.statements, result.options["setup"]) == (("len(s)\n",), "s = {name}")


@pytest.mark.usefixtures("asked")
def test_options_are_those_of_timeit(shell: Any) -> None:
    result = returned(shell, "%tally -n 10 -r3 -t 0.2 -qo -1 + x[0]")
    assert result.statements == ("-1 + x[0]",)
    wanted = {"iterations": 10, "replicates": 3, "min_run_time": 0.2}
    assert {name: result.options[name] for name in wanted} == wanted
    result = returned(shell, "result = %tally -cqo -t1 sorted(x)\nresult")
    assert result.kind == "count"
    assert "min_run_time" not in result.options
    assert returned(shell, "%tally -qo -- -x[0]").statements == ("-x[0]",)


@pytest.mark.usefixtures("asked")
def test_a_cell_has_its_setup_in_the_line(shell: Any) -> None:
    shell.run_cell("r = None")
    result = returned(shell, "%%tally -qo y = sorted(x)\nfor v in y:\n    v + 1\n")
    assert result.statements == ("for v in y:\n    v + 1\n",)
    assert result.options["setup"] == "y = sorted(x)"


@pytest.mark.usefixtures("asked")
def test_cpp_sees_no_names(shell: Any) -> None:
    result = returned(shell, "%tally -qo --language=cpp i++;")
    assert result.options["language"] == "cpp"
    assert result.options["globals"] is None


@pytest.mark.usefixtures("asked")
def test_two_are_compared(shell: Any) -> None:
    result = returned(shell, "%tally_compare -qoc sorted(x) vs x[::-1]")
    assert result.statements == ("sorted(x)", "x[::-1]")
    assert result.options["times"] is False
    result = returned(shell, "%%tally_compare -qo y = 1\na = y\nb = y\n--- against\nb = y\n")
    assert result.statements == ("a = y\nb = y", "b = y")
    assert result.options["setup"] == "y = 1"
    assert result.options["times"] is True


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("%tally", "which statement"),
        ("%tally -z x", "unrecognized arguments: -z"),
        ("%tally -n many x", "invalid int value: 'many'"),
        ("%tally -n 0 x", "iterations must be more than 0"),
        ("%tally_compare x", "two statements with ' vs ' between them, not 1"),
        ("%tally_compare a vs b vs c", "not 3"),
        ("%%tally_compare\na\nb\n", "a line of ---"),
    ],
)
def test_what_is_wrong_is_reported(shell: Any, cell: str, words: str) -> None:
    from IPython.core.error import UsageError

    with pytest.raises(UsageError, match=words):
        returned(shell, cell)


@needs_tally
@pytest.mark.end_to_end
def test_counts_what_the_notebook_has(
    shell: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TALLY", str(TALLY))
    result = returned(shell, "%tally -co sorted(x)")
    assert result.instructions > 100
    assert "instructions" in capsys.readouterr().out
    direct = tallymark.count("sorted(x)", globals={"x": [3, 1, 2]}).counts
    assert direct is not None
    assert result.counts.replicates == direct.replicates
    with pytest.raises(tallymark.CaseFailed, match="name 'nothing' is not defined") as raised:
        returned(shell, "%tally -c nothing")
    frames = raised.traceback
    assert not [frame for frame in frames if os.path.basename(str(frame.path)) == "_api.py"]
    verdict = returned(shell, "%tally_compare -cqo sorted(x) vs sorted(x * 100)").verdict
    assert verdict == "slower"
