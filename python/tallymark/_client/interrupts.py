"""Ctrl-C as an event that a loop can watch, so that an exception never loses the middle of a conversation."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType


class WatchedInterrupts:
    """While it is entered, SIGINT is counted instead of raised: in the main thread, and where the handler was Python's
    own. Elsewhere nothing changes: other threads see no KeyboardInterrupt, and a handler of the user's is his."""

    def __init__(self) -> None:
        self._reader = self._writer = -1
        self._installed = False

    def __enter__(self) -> WatchedInterrupts:
        self._reader, self._writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            signal.signal(signal.SIGINT, self._handle)
            self._installed = True
        return self

    def _handle(self, number: int, frame: FrameType | None) -> None:
        os.write(self._writer, b"!")

    def fileno(self) -> int:
        return self._reader

    def take(self) -> int:
        """How many came since this was last asked."""
        try:
            return len(os.read(self._reader, 64))
        except BlockingIOError:
            return 0

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._installed = False
        os.close(self._reader)
        os.close(self._writer)
