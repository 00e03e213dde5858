"""Measures this very process, under `tally exec`: whether that is so, and how it is done.

A program that was started by `tally exec` runs under tally's counter. Nothing of it is counted, until it asks: then a
fork of it becomes the host of the case. What the process has is what is measured, and nothing is pickled.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pickle
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import BinaryIO, Callable, Protocol, TypeVar, cast

from tallymark._client.record import Record
from tallymark._errors import Error

PLACE = "TALLY_HERE"  # the variable by which tally exec says where this process is to listen
NOTE = "measured in the process that asked, by a fork of it (tally exec)"

_BLOCK = 1 << 20  # bytes: an answer is a multiple of it

Answer = TypeVar("Answer")

_loaded: list[ModuleType] = []


class Kept(Protocol):
    """Values that this process keeps for a case."""

    @property
    def load(self) -> str: ...


def here() -> bool:
    """Whether `count` and its like measure this very process: it was started by `tally exec`. Otherwise they take the
    statement and its values to a host, which is another process."""
    return bool(os.environ.get(PLACE)) and _host() is not None


def _host() -> ModuleType | None:
    """Its part of a host; None where the variables came from a process that runs under the counter, and this one does
    not: it was started by other means."""
    if not _loaded:
        path = os.path.join(os.environ.get("TALLY_LIBEXEC", ""), "tally_here.py")
        spec = importlib.util.spec_from_file_location("tally_here", path)
        if spec is None or spec.loader is None or not os.path.exists(path):
            raise Error(
                "the files of tally exec are not there",
                place=path,
                hint="start the program by tally exec",
            )
        module = importlib.util.module_from_spec(spec)
        sys.modules["tally_here"] = module
        spec.loader.exec_module(module)
        _loaded.append(module)
    module = _loaded[0]
    return module if module._tally_host.under_valgrind() else None


def kept(values: Mapping[str, object], *, as_globals: bool) -> Kept:
    """What brings values into a case, by its text `load`: they are there already, as long as this object is."""
    host = _host()
    assert host is not None
    return cast(Kept, host.Values(dict(values), as_globals))


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """During a measurement: the address where this process starts its hosts."""
    host = _host()
    assert host is not None
    pid, place = host.begin(os.environ[PLACE])
    try:
        yield place
    finally:
        host.end(pid, place)


def other_threads() -> list[str]:
    """Names of this program's threads that no fork of it has."""
    return [one.name for one in threading.enumerate() if one is not threading.current_thread()]


def name_threads(record: Record, others: list[str]) -> None:
    """In the failures of cases that ran out of time, where they may have waited for one of these threads."""
    for case in record["cases"] if others else ():
        if case["status"] == "timeout" and case["failure"]:
            case["failure"]["message"] += (
                f"; it may wait for a thread of the program ({', '.join(others)}), and a fork has none of them: "
                "let what is measured start its own"
            )


def in_a_fork(ask: Callable[[], Answer]) -> Answer:
    """What `ask` returns or raises, in a forked process, whose memory alone it changes: what is measured next must not
    depend on how many digits the time had that this took."""
    with os.fdopen(os.memfd_create("answer"), "w+b", buffering=0) as file:
        sys.stdout.flush()
        sys.stderr.flush()
        program = os.getpid()
        pid = os.fork()
        if pid == 0:
            _end_with(program)
            _answer(ask, file)
        try:
            _, status = os.waitpid(pid, 0)
        except BaseException:
            os.kill(pid, signal.SIGTERM)
            os.waitpid(pid, 0)
            raise
        size = os.fstat(file.fileno()).st_size
        if size == 0:
            raise Error(f"the process that asked the server ended with status {status}")
        kind, value = pickle.loads(os.pread(file.fileno(), size, 0))
    if kind == "raised":
        raise value
    answer: Answer = value
    return answer


def _end_with(program: int) -> None:
    """This process is a fork of the program's, and does not outlive it."""
    host = _host()
    assert host is not None
    host._tally_host.die_with(program)


def _answer(ask: Callable[[], Answer], file: BinaryIO) -> None:
    """Writes it, and ends the process."""
    answer: tuple[str, object]
    try:
        answer = ("returned", ask())
    except BaseException as error:
        answer = ("raised", error)
    try:
        data = pickle.dumps(answer)
    except Exception:
        data = pickle.dumps(("raised", Error(repr(answer[1]))))
    with contextlib.suppress(OSError):
        file.write(data)
        # What reads it takes whole blocks: a byte more or less is to move nothing there.
        os.ftruncate(file.fileno(), -(-len(data) // _BLOCK) * _BLOCK)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
