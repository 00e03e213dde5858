"""What pickling would turn into something else: refused with its path, or taken along as what it is."""

from __future__ import annotations

import io
import logging
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from tallymark import CaptureError
from tallymark._capture.capture import capture_values
from tallymark._capture.pickling import Sink, make_pickler


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


class Reader:
    def __init__(self, file: Any) -> None:
        self.inner = {"files": [file]}


def test_an_open_file_is_refused_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("a")
    with open(path) as text, open(path, "rb") as raw, open(path, "rb", buffering=0) as file:
        for value in (text, raw, file):
            with pytest.raises(CaptureError, match="cannot pickle an open file; open it in setup="):
                capture_values({"fh": value})
            with pytest.raises(CaptureError) as caught:
                capture_values({"reader": Reader(value)})
            assert caught.value.place == "reader.inner['files'][0]"
            with pytest.raises(CaptureError) as caught:
                capture_values({"f": lambda value=value: value})
            assert caught.value.place == "f: value"
    with tempfile.NamedTemporaryFile("w") as temporary, pytest.raises(CaptureError):
        capture_values({"temporary": temporary})


def test_what_lies_in_memory_and_the_standard_streams_are_no_files() -> None:
    capture_values({"a": io.StringIO("a"), "b": io.BytesIO(b"b")})
    capture_values({"f": lambda: print("a", file=sys.__stderr__)})


def copied(value: Any) -> Any:
    stream = io.BytesIO()
    make_pickler(Sink(stream.write, 1 << 20)).dump(value)
    return pickle.loads(stream.getvalue())


def test_a_view_of_bytes_stays_one() -> None:
    for view in (
        memoryview(b"12345678"),
        memoryview(bytearray(b"12345678"))[2:4],
        memoryview(b"12345678").cast("I"),
        memoryview(b"12345678").cast("B", [2, 4]),
    ):
        again = copied(view)
        assert type(again) is memoryview
        assert (again.format, again.shape, again.readonly) == (
            view.format,
            view.shape,
            view.readonly,
        )
        assert again.tolist() == view.tolist()


def test_a_loggers_level_stays_behind_and_is_noted() -> None:
    captured = capture_values({"log": logging.getLogger("here")})
    assert captured.notes == ("a logger goes by its name: its level and its handlers stay behind",)
