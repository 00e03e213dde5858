"""What this process has replaced in a package: refused by its name, or compared by the measured process."""

from __future__ import annotations

import collections
import fractions
import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable
from unittest import mock

import pytest
from conftest import MakeModule
from tallymark import CaptureError
from tallymark._capture.capture import capture_text, capture_values
from tallymark._capture.made import ways
from tallymark._capture.replaced import replaced_by_others

ONE = fractions.Fraction(1, 3)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def three(*_: Any) -> int:
    return 3


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(CaptureError) as caught:
        act()
    assert "the measured process imports the original; replace it in setup=" in str(caught.value)
    return caught.value.place


def test_a_method_of_a_captured_value(monkeypatch: pytest.MonkeyPatch) -> None:
    capture_text("one + 1", "", {"one": ONE})
    monkeypatch.setattr(fractions.Fraction, "__add__", three)
    place = refusal(lambda: capture_text("one + 1", "", {"one": ONE}))
    assert place == "fractions.Fraction.__add__"
    # Of what the text imports, too, and of what a function of this file uses.
    imported = "from fractions import Fraction"
    assert refusal(lambda: capture_text("Fraction(1, 3) + 1", imported)) == place
    assert refusal(lambda: capture_values({"f": lambda: fractions.Fraction(1)})) == place
    # The subject of another statement is not touched by it.
    capture_text("json.dumps(x)", "import json", {"x": [1]})


def test_what_the_setup_replaces_as_well_is_the_users_to_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fractions.Fraction, "__add__", three)
    for line in ("Fraction.__add__ = int.__add__", "setattr(Fraction, '__add__', print)"):
        capture_text("Fraction(1, 3) + 1", f"from fractions import Fraction\n{line}")


def test_a_function_of_a_module_and_what_calls_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json.encoder.JSONEncoder, "default", three)
    place = refusal(lambda: capture_text("json.dumps({})", "import json"))
    assert place == "json.encoder.JSONEncoder.default"
    monkeypatch.undo()
    monkeypatch.setattr(json, "dumps", functools.wraps(json.dumps)(lambda *_: ""))
    assert refusal(lambda: capture_values({"f": lambda: json.dumps(1)})) == "json.dumps"


def test_stand_ins_and_classes() -> None:
    with mock.patch("json.loads"):
        assert refusal(lambda: capture_text("json.loads('1')", "import json")) == "json.loads"

    class Mine(fractions.Fraction):
        pass

    with mock.patch("fractions.Fraction", Mine):
        place = refusal(lambda: capture_text("F(1)", "from fractions import Fraction as F"))
        assert place == "fractions.Fraction"
    with mock.patch("builtins.sorted", three):
        assert refusal(lambda: capture_text("sorted([1])")) == "builtins.sorted"


def test_a_constant_of_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    import textwrap as module

    monkeypatch.setattr(module.TextWrapper, "unicode_whitespace_trans", {})  # no plain value
    capture_text("textwrap.fill('a')", "import textwrap")
    monkeypatch.setattr(json.JSONEncoder, "item_separator", ";")
    place = refusal(lambda: capture_text("e.encode([])", "", {"e": json.JSONEncoder()}))
    assert place == "json.encoder.JSONEncoder.item_separator"


def test_a_module_of_ones_own(
    make_module: MakeModule, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = make_module("replaced_words", "def split(text):\n    return text.split()\n")
    monkeypatch.setattr(words, "split", three)
    text = ("replaced_words.split('a')", "import replaced_words")
    assert refusal(lambda: capture_text(*text)) == "replaced_words.split"


def test_another_function_of_the_package_is_compared_there(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ("import fractions", "fractions.Fraction(1, 3) + 1")
    monkeypatch.setattr(fractions.Fraction, "__add__", fractions.Fraction.__sub__)
    assert list(replaced_by_others(texts, {}, ())) == ["fractions:Fraction.__add__"]
    text = capture_text(texts[1], texts[0]).load
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert "the calling process has replaced fractions.Fraction.__add__" in done.stderr
    monkeypatch.undo()
    assert capture_text(texts[1], texts[0]).load == ""


def test_ways_in_which_a_body_binds_a_name() -> None:
    assert [one.kind for one in ways(json, "loads")] == ["def"]
    assert [one.kind for one in ways(json, "JSONEncoder")] == ["from"]
    assert [one.kind for one in ways(collections, "OrderedDict")] == ["class", "from"]
    assert [one.value for one in ways(json.JSONEncoder, "item_separator")] == [", "]
    assert ways(fractions.Fraction, "__add__")[0].kind == "other"
    assert ways(sys, "exit") == ()


def test_nothing_of_real_packages_is_refused() -> None:
    """Aliases, decorated functions, generated methods, names that come from elsewhere."""
    numpy = pytest.importorskip("numpy")
    pandas = pytest.importorskip("pandas")
    values = {
        "frame": pandas.DataFrame({"a": numpy.arange(3)}),
        "counter": collections.Counter("abc"),
        "one": ONE,
        "numpy": numpy,
        "pandas": pandas,
    }
    text = "numpy.sort(frame.a) + pandas.concat([frame]).sum(); counter.most_common(one)"
    names = " ".join(f"numpy.{name}" for name in vars(numpy) if name.isidentifier())
    assert replaced_by_others((text, names.replace(" ", "\n")), values, ()) == {}
