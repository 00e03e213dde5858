"""Bytes and passed descriptors, over a socket or a pair of pipes. Knows lines, nothing of what they say."""

from __future__ import annotations

import math
import os
import select
import socket
import subprocess
import time
from collections.abc import Iterable, Mapping

from tallymark._errors import ServerLost

_CHUNK = 1 << 18
_MOST_DESCRIPTORS = 16
_STALLED = 30.0  # seconds that the other end may take to accept bytes


def _gone(message: str) -> ServerLost:
    error = ServerLost(message)
    error.is_gone = True
    return error


class Channel:
    """One end of a conversation in lines. Not thread-safe."""

    def __init__(self, reader: int, writer: int, link: socket.socket | None, owner: object) -> None:
        self._reader = reader
        self._writer = writer
        self._socket = link
        self._owner = owner  # keeps the pipes of a process open
        self._buffer = bytearray()
        self._searched = 0  # of the buffer, without a line's end
        self._descriptors: list[int] = []

    @classmethod
    def over_socket(cls, link: socket.socket) -> Channel:
        link.setblocking(False)
        return cls(link.fileno(), link.fileno(), link, link)

    @classmethod
    def over_pipes(cls, process: subprocess.Popen[bytes]) -> Channel:
        if process.stdin is None or process.stdout is None:
            raise ValueError("start the process with stdin=PIPE and stdout=PIPE")
        os.set_blocking(process.stdin.fileno(), False)
        return cls(process.stdout.fileno(), process.stdin.fileno(), None, process)

    @property
    def passes_descriptors(self) -> bool:
        return self._socket is not None

    def send(self, data: bytes, descriptor: int | None = None) -> None:
        """All of `data`, with the descriptor at its first byte. Raises ServerLost when the other end is gone,
        ServerLost when it takes nothing for half a minute."""
        view = memoryview(data)
        while view:
            if not _ready({self._writer: select.POLLOUT}, _STALLED):
                raise ServerLost("the server takes no requests", hint="end it with tally's pid")
            try:
                if self._socket is None:
                    sent = os.write(self._writer, view[:_CHUNK])
                elif descriptor is not None:
                    sent = socket.send_fds(self._socket, [view[:_CHUNK]], [descriptor])
                    descriptor = None
                else:
                    sent = self._socket.send(view[:_CHUNK])
            except BlockingIOError:
                continue
            except OSError as error:
                raise _gone(f"the server is gone ({error.strerror})") from None
            view = view[sent:]

    def line(self, timeout: float | None, wake: Iterable[int] = ()) -> bytes | None:
        """The next line without its end; None after `timeout` seconds, or when a descriptor of `wake` is readable.
        Raises ServerLost at the end of the stream."""
        deadline = None if timeout is None else time.monotonic() + timeout
        watched = dict.fromkeys([self._reader, *wake], select.POLLIN)
        while True:
            end = self._buffer.find(b"\n", self._searched)
            if end >= 0:
                found = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                self._searched = 0
                return found
            self._searched = len(self._buffer)
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if self._reader not in _ready(watched, left):
                return None
            self._fill()

    def _fill(self) -> None:
        try:
            if self._socket is None:
                data = os.read(self._reader, _CHUNK)
            else:
                data, descriptors, _, _ = socket.recv_fds(
                    self._socket, _CHUNK, _MOST_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
                )
                self._descriptors += descriptors
        except BlockingIOError:
            return
        except OSError as error:
            raise _gone(f"the server is gone ({error.strerror})") from None
        if not data:
            raise _gone("the server has ended the connection")
        self._buffer += data

    def take_descriptor(self) -> int | None:
        """The oldest that came along; the caller closes it."""
        return self._descriptors.pop(0) if self._descriptors else None

    def close(self) -> None:
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors.clear()
        if self._socket is not None:
            self._socket.close()
        elif isinstance(self._owner, subprocess.Popen):
            for pipe in (self._owner.stdin, self._owner.stdout):
                if pipe is not None:
                    pipe.close()


def _ready(watched: Mapping[int, int], timeout: float | None) -> list[int]:
    """Those of the descriptors that something can be done with. (select.select refuses numbers above 1,023.)"""
    poll = select.poll()
    for descriptor, events in watched.items():
        poll.register(descriptor, events)
    return [one for one, _ in poll.poll(None if timeout is None else math.ceil(timeout * 1000))]
