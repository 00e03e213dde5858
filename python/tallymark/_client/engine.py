"""The engine as this process sees it: finds or starts the server, and measures definitions with it."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Callable, cast

from tallymark._client import here as _here
from tallymark._client.answers import CaseProfile, Checked, Compared
from tallymark._client.environment import Surroundings
from tallymark._client.interrupts import WatchedInterrupts
from tallymark._client.protocol import Connection, Event, is_last
from tallymark._client.record import Case, Record
from tallymark._client.request import Measure, Profiles, Select, Settings, Suite
from tallymark._client.server import connect_to, find_or_start, find_tally
from tallymark._definition import Definition, are_here, to_document
from tallymark._errors import Error, Interrupted, ServerLost

EventHandler = Callable[[Event], None]

_ANSWER = 30.0  # seconds for what the server answers at once
_SILENCE = (
    60.0  # seconds of a measure without an event, after which the server is asked whether it lives
)


class Run:
    """What one `measure` came to. `record` is the whole record, `cases` its cases in the order of the definitions."""

    def __init__(self, engine: Engine, connection: Connection, request: int, last: Event) -> None:
        self.record: Record = last["record"]
        self.interrupted = bool(last.get("interrupted"))
        self._engine = engine
        self._connection = connection
        self._request = request
        self._profiles: dict[str, CaseProfile] | None = None  # None: the server has them

    def profiles(self) -> dict[str, CaseProfile]:
        """Those of all cases that were counted, by their ids."""
        counted = [one["id"] for one in self.cases if one["status"] == "ok" and one.get("counts")]
        return {case_id: self.profile(case_id) for case_id in counted}

    @classmethod
    def of_another_process(cls, record: Record, profiles: dict[str, CaseProfile]) -> Run:
        """What another process has measured, and has read the profiles of."""
        run = cls.__new__(cls)
        run.record = record
        run.interrupted = False
        run._profiles = profiles
        return run

    @property
    def cases(self) -> list[Case]:
        return self.record["cases"]

    def profile(self, case_id: str, *, callgrind: bool = False) -> CaseProfile:
        """Raw totals by function of one replicate: `iterations`, `replicate_totals`, `statement` and `baseline`, each
        with `exclusive` and `inclusive` lists of [count, "file:function [object]"]. With `callgrind` the statement has
        its `callgrind`, too: the text of a file of Callgrind's. Needs `profiles=True`, and is read before the engine's
        next measure (see Engine.exclusive). Raises Error when it is no longer kept."""
        if self._profiles is not None:
            return self._profiles[case_id]
        return self._engine._profile(self._connection, self._request, case_id, callgrind)


class Engine:
    """Talks to one server. Safe between threads, one measure at a time; a fork of this process gets a connection of its
    own when it first measures."""

    def __init__(self, tally: str | None = None, *, socket: str | None = None) -> None:
        """`tally`: the program ($TALLY, the wheel's own, PATH); `socket`: of a server that runs ($TALLY_SERVER, else
        one is found or started)."""
        self._tally = tally
        self._socket = socket
        self._connection: Connection | None = None
        self._lock = threading.RLock()
        _engines.add(self)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Keeps other threads of this process from measuring: for a measure and the profiles that are read after it."""
        with self._lock:
            yield

    def measure(
        self,
        definitions: Iterable[Definition],
        *,
        settings: Settings | None = None,
        tools: Mapping[str, str] | None = None,
        profiles: bool | Profiles = False,
        calls: bool = True,
        on_event: EventHandler | None = None,
        timeout: float | None = None,
    ) -> Run:
        """Measures definitions in their order. `settings` are keys of a record's settings (seconds, bytes); `tools` are
        python, cxx, env_command (python is this interpreter by default); `calls`: profiles say who calls whom, which
        takes one more execution; `timeout` is seconds for all of it.

        A case that fails is in the result with its failure. Raises Error (with place and hint) when nothing could be
        measured, Interrupted after Ctrl-C, ServerLost when the server went away."""
        several = list(definitions)
        suite: Suite = {"document": to_document(several)}
        if are_here(several):
            run = self.measure_here(
                suite,
                settings=settings,
                tools=tools,
                profiles=bool(profiles),
                on_event=on_event,
                timeout=timeout,
            )
        else:
            run = self.measure_suite(
                suite,
                settings=settings,
                tools=tools,
                profiles=profiles,
                calls=calls,
                on_event=on_event,
                timeout=timeout,
                folders=[path for one in several if one.data for path in one.data.folders],
            )
        if len(run.cases) != len(several):
            raise Error(f"{len(several)} definitions became {len(run.cases)} cases")
        return run

    def measure_here(
        self,
        suite: Suite,
        *,
        select: Select | None = None,
        settings: Settings | None = None,
        tools: Mapping[str, str] | None = None,
        profiles: bool = False,
        on_event: EventHandler | None = None,
        timeout: float | None = None,
    ) -> Run:
        """The same for a suite of definitions that keep their values in this process, by forks of it. Another fork asks
        the server: how long an answer is moves nothing here. Raises Error where times alone are to be taken."""
        counted = _counted_here(settings or {})

        def ask(place: str) -> tuple[Record, dict[str, CaseProfile]]:
            run = self.measure_suite(
                suite,
                select=select,
                settings=counted,
                tools={**(tools or {}), "here": place},
                profiles=profiles,
                calls=False,
                on_event=on_event,
                timeout=timeout,
            )
            _here.name_threads(run.record, others)
            return run.record, run.profiles() if profiles else {}

        others = _here.other_threads()
        with _here.serving() as place:
            return Run.of_another_process(*_here.in_a_fork(lambda: ask(place)))

    def measure_suite(
        self,
        suite: Suite,
        *,
        select: Select | None = None,
        settings: Settings | None = None,
        tools: Mapping[str, str] | None = None,
        profiles: bool | Profiles = False,
        calls: bool = True,
        on_event: EventHandler | None = None,
        timeout: float | None = None,
        folders: Iterable[str] = (),
    ) -> Run:
        """The same for a suite: {"text": TOML, "path": …} or {"document": …}. `folders`: what the measured
        interpreter's sys.path must have besides its own."""
        surroundings = Surroundings.of_this_process(tools or {}, folders)
        request: Measure = {
            "request": "measure",
            "suite": suite,
            "select": select or {},
            "settings": settings or {},
            "tools": surroundings.tools,
            "environment": surroundings.environment,
            "working_folder": surroundings.working_folder,
            "command": list(sys.argv) or ["python"],
            "profiles": profiles,
            "functions_alone": profiles is True and not calls,
        }
        with self._lock:
            connection = self._connected()
            try:
                return self._measure(connection, request, on_event, timeout)
            except BaseException as error:
                # Whatever it was, what the server has still to say would be read as the next answer. Of an interrupted
                # run it has said all, and keeps the profiles for this connection.
                if not (isinstance(error, Interrupted) and error.run is not None):
                    self.close()
                raise

    def _measure(
        self,
        connection: Connection,
        request: Measure,
        on_event: EventHandler | None,
        timeout: float | None,
    ) -> Run:
        finished: list[Case] = []
        try:
            return self._follow(connection, request, on_event, timeout, finished)
        except ServerLost as error:
            error.cases = tuple(finished)
            raise

    def _follow(
        self,
        connection: Connection,
        request: Measure,
        on_event: EventHandler | None,
        timeout: float | None,
        finished: list[Case],
    ) -> Run:
        """Waits for the end of a measure; what is finished meanwhile is added to `finished`."""
        deadline = None if timeout is None else time.monotonic() + timeout
        most_wait = request.get("settings", {}).get("max_wait_s")
        turn_by: float | None = None  # while others' runs go first: when this one is to have begun
        interrupts = 0
        late = False
        pulse = _Pulse()
        with WatchedInterrupts() as watched:
            number = connection.start(request)
            while True:
                soonest = min((one for one in (deadline, turn_by) if one is not None), default=None)
                event = _next(connection, number, soonest, watched)
                for _ in range(watched.take()):
                    interrupts += 1
                    if interrupts > 2:
                        raise Interrupted
                    connection.cancel(number)
                if event is None:
                    if turn_by is not None and time.monotonic() >= turn_by:
                        raise Error(
                            f"the run has waited for the server for {most_wait:g} s, which is the most",
                            hint="let it wait longer: max_wait=",
                            kind="failed",
                        )
                    if deadline is not None and time.monotonic() >= deadline:
                        if late:
                            raise ServerLost(f"measuring did not end within {timeout:g} s")
                        late = True
                        connection.cancel(number)
                        connection.cancel(number)
                        deadline = time.monotonic() + _ANSWER
                    pulse.feel(connection)
                    continue
                if event["event"] != "waiting":
                    turn_by = None
                elif turn_by is None and most_wait is not None:
                    turn_by = time.monotonic() + most_wait
                if on_event is not None:
                    on_event(event)
                if event["event"] == "case":
                    finished.append(event["case"])
                if is_last(event):
                    break
        if late:
            raise Error(f"measuring took longer than {timeout:g} s", hint="give it more: timeout=")
        if event["event"] == "error":
            raise Interrupted if interrupts else Error.from_event(event)
        run = Run(self, connection, number, event)
        if run.interrupted or interrupts:
            raise Interrupted("interrupted", run)
        if event.get("stopped") is not None:
            raise _stopped(event["stopped"])
        return run

    def _profile(
        self, connection: Connection, request: int, case_id: str, callgrind: bool
    ) -> CaseProfile:
        with self._lock:
            if connection is not self._connection:
                raise Error(
                    "this run's profiles are no longer kept",
                    place=case_id,
                    hint="read them before the next measure",
                )
            event = connection.ask(
                {"request": "profile", "of": request, "case": case_id, "callgrind": callgrind},
                timeout=_ANSWER,
            )
        return cast(CaseProfile, event)

    def compare(self, base: Record, next: Record) -> Compared:
        """What `tally compare --json` says of two records. Raises Error where they cannot be compared."""
        with self._lock:
            event = self._connected().ask(
                {"request": "compare", "base": base, "next": next}, timeout=_ANSWER
            )
        return cast(Compared, event["comparison"])

    def check(
        self,
        base: Record,
        next: Record,
        limits: Sequence[str],
        *,
        allow_uncompared: bool = False,
    ) -> Checked:
        """What `tally check --json` says of two records and of limits such as `instructions=+1%`, its exit code
        included. Raises Error where a limit is none, or a record is none."""
        request: dict[str, object] = {
            "request": "check",
            "base": base,
            "next": next,
            "limits": list(limits),
        }
        if allow_uncompared:
            request["allow_uncompared"] = True
        with self._lock:
            event = self._connected().ask(request, timeout=_ANSWER)
        return cast(Checked, event["check"])

    def tally(self) -> str:
        """The path of the program. Raises Error with what to install when there is none."""
        return find_tally(self._tally)

    def status(self) -> Event:
        """What the server says of its clients and hosts."""
        with self._lock:
            return self._connected().ask({"request": "status"}, timeout=_ANSWER)

    def shutdown(self) -> None:
        """Ends the server, and its work for others."""
        with self._lock:
            self._connected().ask({"request": "shutdown"}, timeout=_ANSWER)
            self.close()

    def close(self) -> None:
        """Ends the connection; the server stays for others until it is idle."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _connected(self) -> Connection:
        if self._connection is not None and not self._alive(self._connection):
            self.close()
        if self._connection is None:
            path = self._socket or os.environ.get("TALLY_SERVER")
            self._connection = connect_to(path) if path else find_or_start(self.tally())
        return self._connection

    @staticmethod
    def _alive(connection: Connection) -> bool:
        """A server may have ended since the last call: idle, or killed. That loses nothing."""
        try:
            connection.ask({"request": "status"}, timeout=_ANSWER)
        except Error:
            return False
        return True

    def _after_fork(self) -> None:
        """In the child: the conversation is the parent's."""
        self._lock = threading.RLock()
        self.close()


def _counted_here(settings: Settings) -> Settings:
    """What can be had of a process under the counter: counts."""
    if not settings.get("counts", True):
        raise Error(
            "times are not taken of a program that runs under tally exec: it is slower there by far",
            hint="run it by itself for times; tallymark.here() says which it is",
            kind="input",
        )
    return {**settings, "wall": False}


class _Pulse:
    """Asks a server that sends nothing for its status. What counts is the time since it was asked: a process that was
    itself stopped for an hour finds a silent server that is well."""

    def __init__(self) -> None:
        self._asked: float | None = None

    def feel(self, connection: Connection) -> None:
        """Raises ServerLost where it has not answered."""
        now = time.monotonic()
        silent = connection.silent()
        if silent < _SILENCE:
            self._asked = None
        elif self._asked is None:
            connection.start({"request": "status"})
            self._asked = now
        elif now - self._asked >= _ANSWER:
            raise ServerLost(f"the server has sent nothing for {silent:.0f} s{connection.state()}")


def _next(
    connection: Connection, number: int, deadline: float | None, watched: WatchedInterrupts
) -> Event | None:
    """The next event, or None when there is something else to look at: an interrupt, the deadline."""
    left = _ANSWER if deadline is None else max(0.0, deadline - time.monotonic())
    return connection.event(number, timeout=min(left, _ANSWER), wake=[watched.fileno()])


def _stopped(stopped: object) -> Error:
    if isinstance(stopped, Mapping):
        return Error.from_event(stopped)
    return Error(f"the run could not continue: {stopped}")


_engines: weakref.WeakSet[Engine] = weakref.WeakSet()
_default: Engine | None = None


def _after_fork() -> None:
    for engine in list(_engines):
        engine._after_fork()


@atexit.register
def _at_exit() -> None:
    for engine in list(_engines):
        engine.close()


os.register_at_fork(after_in_child=_after_fork)


def default_engine() -> Engine:
    """The one that `tallymark.count` and its like use."""
    global _default
    if _default is None:
        _default = Engine()
    return _default
