"""One connection to `tally serve`: requests out, events in. Knows frames and ids, nothing of what is measured."""

from __future__ import annotations

import errno
import json
import os
import platform
import socket
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tallymark._client.channel import Channel
from tallymark._errors import Error, ServerLost

PROTOCOL = 1
LONGEST_LINE = 4 * 1024 * 1024  # bytes; what is longer goes by a descriptor

Event = dict[str, Any]

_LAST = frozenset({"hello", "record", "error", "profile", "compared", "checked", "status", "bye"})


class Connection:
    """A socket. Not thread-safe: its owner holds a lock."""

    def __init__(self, channel: Channel, *, timeout: float) -> None:
        self._channel = channel
        self._last_id = 0
        self._last_event = time.monotonic()
        try:
            self.hello = self._greet(timeout)  # version, commit and pid of the server
        except BaseException:
            channel.close()
            raise

    @classmethod
    def connect(cls, path: str, *, timeout: float = 10.0) -> Connection:
        """Connects and says hello. Raises OSError when nobody listens, Error for another protocol, ServerLost when
        there is no answer within `timeout` seconds.

        A server that was killed accepts until the kernel closes its socket: a greeting that ends is nobody there."""
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.settimeout(timeout)
            link.connect(path)
        except BaseException:
            link.close()
            raise
        try:
            return cls(Channel(link), timeout=timeout)
        except ServerLost as error:
            if not error.is_gone:
                raise
            raise ConnectionResetError(errno.ECONNRESET, error.message) from None

    def _greet(self, timeout: float) -> Event:
        from tallymark import __version__

        python = f"{platform.python_implementation()} {platform.python_version()}"
        client = f"tallymark {__version__} ({python})"
        event = self.ask(
            {"request": "hello", "protocol": PROTOCOL, "client": client}, timeout=timeout
        )
        if event.get("protocol") != PROTOCOL:
            raise Error(
                f"the server speaks protocol {event.get('protocol')!r}, and this package {PROTOCOL}",
                hint="install the package and tally of one version, and end the server that runs",
            )
        return event

    def request(
        self, document: Mapping[str, object], *, silence: float | None = None
    ) -> Iterator[Event]:
        """Sends a request under a fresh id and yields its events up to and with the last one (`error` is one of them).

        Raises ServerLost when the connection ends, and after `silence` seconds without any event."""
        request = self.start(document)
        while True:
            event = self.event(request, timeout=silence)
            if event is None:
                raise ServerLost(f"the server has sent nothing for {silence:g} s")
            yield event
            if is_last(event):
                return

    def ask(self, document: Mapping[str, object], *, timeout: float) -> Event:
        """The last event of a request. Raises Error when that reports an error."""
        *_, event = self.request(document, silence=timeout)
        if event["event"] == "error":
            raise Error.from_event(event)
        return event

    def start(self, document: Mapping[str, object]) -> int:
        """Sends a request; its id."""
        self._last_id += 1
        self._send({**document, "id": self._last_id})
        return self._last_id

    def event(
        self, request: int, *, timeout: float | None, wake: Iterable[int] = ()
    ) -> Event | None:
        """The next event of that request; None after `timeout` seconds without one, or when a descriptor of `wake` is
        readable. Events of requests that nobody waits for any more are passed over."""
        while True:
            line = self._channel.line(timeout, wake)
            if line is None:
                return None
            self._last_event = time.monotonic()
            event = self._parse(line)
            if event.get("id") == request:
                return event
            if event.get("event") == "error" and event.get("id") is None:
                raise Error.from_event(event)

    def silent(self) -> float:
        """Seconds since the server last sent anything, to whatever request."""
        return time.monotonic() - self._last_event

    def state(self) -> str:
        """ ": process 123, D in folio_wait", as the kernel has it; "" where it says nothing."""
        pid = self.hello.get("pid")
        try:
            with open(f"/proc/{pid}/stat") as file:
                letter = file.read().rpartition(")")[2].split()[0]
            with open(f"/proc/{pid}/wchan") as file:
                place = file.read().strip("0\n")
        except OSError:
            return f": process {pid} has ended"
        return f": process {pid}, {letter}{f' in {place}' if place else ''}"

    def cancel(self, of: int) -> None:
        """Asks for the end of a request; a second time kills what it runs. Waits for nothing."""
        self.start({"request": "cancel", "of": of})

    def close(self) -> None:
        """Ends the connection, and with it the server's work for it."""
        self._channel.close()

    def _send(self, document: Mapping[str, object]) -> None:
        try:
            data = json.dumps(document, allow_nan=False).encode() + b"\n"
        except (TypeError, ValueError) as error:
            raise Error(f"a request holds what JSON has not: {error}") from None
        if len(data) <= LONGEST_LINE:
            self._channel.send(data)
            return
        descriptor = os.memfd_create("tallymark-request", os.MFD_CLOEXEC)
        try:
            with open(descriptor, "wb", closefd=False) as file:
                file.write(data)
            self._channel.send(b'{"passed": %d}\n' % len(data), descriptor)
        finally:
            os.close(descriptor)

    def _parse(self, line: bytes) -> Event:
        event = _object(line)
        if "passed" not in event:
            return event
        descriptor = self._channel.take_descriptor()
        if descriptor is None:
            raise ServerLost("the server announced a document and passed no descriptor")
        with open(descriptor, "rb") as file:
            file.seek(0)
            return _object(file.read(int(event["passed"])))


def is_last(event: Mapping[str, object]) -> bool:
    """Whether a request has no more events after this one."""
    return event.get("event") in _LAST


def _object(data: bytes) -> Event:
    try:
        event = json.loads(data)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise ServerLost(f"the server sent what is not an event: {data[:80]!r}")
    return event
