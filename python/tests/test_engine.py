"""The conversation with a server, held against one that answers what the test wants."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import tallymark
import tallymark._client.engine
from tallymark import Definition, Engine

FAKE = Path(__file__).with_name("fake_server.py")
ONE = [Definition("x + y", setup="x = y = 1")]


class Fake:
    """An engine whose tally is a fake server, and what ends it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.program = folder / "tally"
        self.program.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE} "$@"\n')
        self.program.chmod(0o755)
        self.monkeypatch = monkeypatch
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
        monkeypatch.delenv("TALLY_SERVER", raising=False)

    def engine(self, behaviour: str = "") -> Engine:
        self.monkeypatch.setenv("FAKE_SERVER", behaviour)
        return Engine(str(self.program))

    def end(self) -> None:
        for file in self.program.parent.glob("tallymark/*.pids"):
            for pid in file.read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    made = Fake(tmp_path, monkeypatch)
    yield made
    made.end()


def count_of(run: tallymark.Run) -> float:
    counts = run.cases[0]["counts"]
    assert counts is not None
    return counts["per_iteration"]


def test_starts_a_server_in_its_own_session_and_measures(fake: Fake) -> None:
    engine = fake.engine()
    events: list[str] = []
    run = engine.measure(ONE, on_event=lambda event: events.append(event["event"]))
    assert count_of(run) == 5
    assert events == ["waiting", "case", "record"]
    assert engine._connection is not None
    assert os.getsid(engine._connection.hello["pid"]) != os.getsid(0)


def test_says_what_this_process_is(fake: Fake) -> None:
    run = fake.engine().measure(ONE, settings={"iterations": 10})
    sent = cast(dict[str, Any], run.record)["request"]
    assert sent["tools"] == {"python": sys.executable}
    assert sent["working_folder"] == os.getcwd()
    assert sent["environment"]["PATH"] == os.environ["PATH"]
    assert sent["settings"] == {"iterations": 10}


def test_large_documents_go_by_descriptor_both_ways(fake: Fake) -> None:
    stmt = "x" * (5 << 20)
    run = fake.engine("large").measure([Definition(stmt)])
    assert count_of(run) == len(stmt)


def test_an_error_has_place_and_hint(fake: Fake) -> None:
    with pytest.raises(tallymark.Error) as caught:
        fake.engine("refuses").measure(ONE)
    assert (caught.value.place, caught.value.hint, caught.value.kind) == ("timer 1", "yes", "input")
    assert caught.value.mend == "yes"  # its earlier name
    assert str(caught.value) == "timer 1: no; yes"


def test_a_killed_server_is_reported_and_replaced(fake: Fake) -> None:
    engine = fake.engine("dies")
    with pytest.raises(tallymark.ServerLost, match="ended the connection"):
        engine.measure(ONE)
    fake.monkeypatch.setenv("FAKE_SERVER", "")
    (fake.program.parent / "tallymark" / "serve.sock").unlink()  # which tally takes over by itself
    assert engine.measure(ONE).cases[0]["status"] == "ok"


def test_what_a_killed_server_has_finished_is_kept(fake: Fake) -> None:
    with pytest.raises(tallymark.ServerLost) as caught:
        fake.engine("dies late").measure([*ONE, Definition("x")])
    assert [case["id"] for case in caught.value.cases] == ["x + y [python]", "x [python]"]


def test_one_killed_between_calls_is_replaced_silently(fake: Fake) -> None:
    engine = fake.engine()
    engine.measure(ONE)
    fake.end()
    (fake.program.parent / "tallymark" / "serve.sock").unlink()
    assert engine.measure(ONE).cases[0]["status"] == "ok"


def test_one_that_is_about_to_end_is_nobody(fake: Fake) -> None:
    """It accepts connections and ends them, and what is started beside it ends at once, until it is gone."""
    place = fake.program.parent / "tallymark" / "serve.sock"
    place.parent.mkdir(mode=0o700)
    log = Path(f"{place}.log")
    dying = socket.socket(socket.AF_UNIX)
    dying.bind(str(place))
    dying.listen()
    dying.settimeout(0.01)

    def end_connections() -> None:
        while not (log.exists() and b"in use" in log.read_bytes()):
            with contextlib.suppress(TimeoutError, socket.timeout):
                dying.accept()[0].close()
        place.unlink()
        dying.close()

    thread = threading.Thread(target=end_connections, daemon=True)
    thread.start()
    assert fake.engine().measure(ONE).cases[0]["status"] == "ok"
    thread.join(10)


def test_a_server_of_another_program_is_left_alone(fake: Fake) -> None:
    engine = fake.engine()
    engine.measure(ONE)
    engine.close()  # the fake serves one client after another
    fake.monkeypatch.setattr("tallymark._client.server._START", 0.3)
    with pytest.raises(tallymark.ServerLost, match="did not start"):
        Engine("/bin/true").measure(ONE)
    logs = (fake.program.parent / "tallymark").glob("serve-*.sock.log")
    assert len(list(logs)) == 1  # it tried to start one of its own
    with pytest.raises(tallymark.ServerLost, match="did not start"):
        Engine("/bin/false").measure(ONE)
    assert len(list((fake.program.parent / "tallymark").glob("serve-*.sock.log"))) == 1
    assert engine.measure(ONE).cases[0]["status"] == "ok"


def test_another_protocol_is_refused(fake: Fake) -> None:
    with pytest.raises(tallymark.Error, match="speaks protocol 2, and this package 1"):
        fake.engine("other protocol").measure(ONE)


def interrupt_after(seconds: float, times: int = 1) -> None:
    def send() -> None:
        for _ in range(times):
            time.sleep(seconds)
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send).start()


def test_an_interrupt_cancels_and_keeps_what_is_finished(fake: Fake) -> None:
    engine = fake.engine("slow")
    interrupt_after(0.7)
    with pytest.raises(tallymark.Interrupted) as caught:
        engine.measure(ONE)
    assert isinstance(caught.value, KeyboardInterrupt)
    assert caught.value.run is not None
    case = caught.value.run.cases[0]
    assert case["status"] == "ok"
    assert cast(Any, caught.value.run.profile(case["id"]))["case"] == case["id"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_time_limit_cancels(fake: Fake) -> None:
    with pytest.raises(tallymark.Error, match=r"took longer than 0\.3 s"):
        fake.engine("slow").measure(ONE, timeout=0.3)


def test_a_turn_is_waited_for_no_longer_than_it_may(fake: Fake) -> None:
    with pytest.raises(tallymark.Error, match=r"waited for the server for 0\.3 s") as caught:
        fake.engine("slow").measure(ONE, settings={"max_wait_s": 0.3})
    assert "max_wait=" in caught.value.hint


def test_a_silent_server_is_asked_before_it_is_given_up(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tallymark._client.engine, "_SILENCE", 0.3)
    monkeypatch.setattr(tallymark._client.engine, "_ANSWER", 0.3)
    with pytest.raises(tallymark.ServerLost, match=r"sent nothing for \d+ s: process \d+, [A-Z]"):
        fake.engine("slow").measure(ONE)


def test_a_silence_that_nobody_listened_to_says_nothing() -> None:
    class Quiet:  # as after this process itself was stopped
        asked = 0

        def silent(self) -> float:
            return 1000.0

        def start(self, document: dict[str, str]) -> None:
            self.asked += 1

    pulse, connection = tallymark._client.engine._Pulse(), Quiet()
    pulse.feel(cast(Any, connection))
    pulse.feel(cast(Any, connection))
    assert connection.asked == 1


def test_a_fork_has_a_connection_of_its_own(fake: Fake) -> None:
    engine = fake.engine()
    engine.measure(ONE)
    child = os.fork()
    if child == 0:
        os._exit(0 if engine._connection is None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert engine.measure(ONE).cases[0]["status"] == "ok"


def test_threads_take_turns(fake: Fake) -> None:
    engine = fake.engine()
    found: list[float] = []

    def measure(stmt: str) -> None:
        found.append(count_of(engine.measure([Definition(stmt)])))

    threads = [threading.Thread(target=measure, args=["x" * n]) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(1, 9))


def test_a_missing_tally_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TALLY", "/nowhere/tally")
    monkeypatch.delenv("TALLY_SERVER", raising=False)
    with pytest.raises(
        tallymark.Error, match=r"\$TALLY: '/nowhere/tally' is not a program"
    ) as caught:
        Engine().measure(ONE)
    assert caught.value.kind == "missing"


def test_a_folder_that_others_can_write_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tallymark").mkdir(mode=0o777)
    (tmp_path / "tallymark").chmod(0o777)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv("TALLY_SERVER", raising=False)
    with pytest.raises(tallymark.Error, match="others could put a server here"):
        Engine(sys.executable).measure(ONE)


def test_a_server_that_is_named_and_absent(tmp_path: Path) -> None:
    with pytest.raises(tallymark.Error, match="no server listens"):
        Engine(socket=str(tmp_path / "none.sock")).measure(ONE)


def test_more_descriptors_than_select_can_take(fake: Fake) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 1200:
        pytest.skip("this process may not have so many descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1200), hard))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1050)]
    try:
        assert fake.engine().measure(ONE).cases[0]["status"] == "ok"
    finally:
        for one in held:
            os.close(one)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_importing_the_package_imports_little() -> None:
    loaded = "import sys, tallymark; print('tallymark._client.engine' in sys.modules, tallymark.Engine.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False Engine\n"
