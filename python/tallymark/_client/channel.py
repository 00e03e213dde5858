"""Bytes and passed descriptors, over a socket. Knows lines, nothing of what they say."""

from __future__ import annotations

import math
import os
import select
import socket
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

    def __init__(self, link: socket.socket) -> None:
        link.setblocking(False)
        self._socket = link
        self._buffer = bytearray()
        self._searched = 0  # of the buffer, without a line's end
        self._descriptors: list[int] = []

    def send(self, data: bytes, descriptor: int | None = None) -> None:
        """All of `data`, with the descriptor at its first byte. Raises ServerLost when the other end is gone,
        ServerLost when it takes nothing for half a minute."""
        view = memoryview(data)
        while view:
            if not _ready({self._socket.fileno(): select.POLLOUT}, _STALLED):
                raise ServerLost("the server takes no requests", hint="end it with tally's pid")
            try:
                if descriptor is not None:
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
        reader = self._socket.fileno()
        watched = dict.fromkeys([reader, *wake], select.POLLIN)
        while True:
            end = self._buffer.find(b"\n", self._searched)
            if end >= 0:
                found = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                self._searched = 0
                return found
            self._searched = len(self._buffer)
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if reader not in _ready(watched, left):
                return None
            self._fill()

    def _fill(self) -> None:
        try:
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
        self._socket.close()


def _ready(watched: Mapping[int, int], timeout: float | None) -> list[int]:
    """Those of the descriptors that something can be done with. (select.select refuses numbers above 1,023.)"""
    poll = select.poll()
    for descriptor, events in watched.items():
        poll.register(descriptor, events)
    return [one for one, _ in poll.poll(None if timeout is None else math.ceil(timeout * 1000))]
