"""Notices for a caller that waits: why nothing seems to happen. On standard error, each reason once."""

from __future__ import annotations

import sys
from collections.abc import Mapping


class Notices:
    """An event handler for one measure."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def __call__(self, event: Mapping[str, object]) -> None:
        if event.get("event") == "waiting" and event.get("ahead"):
            self._say("waiting for another client's run")
        elif event.get("event") == "progress" and event.get("kind") in (
            "message",
            "waiting",
        ):
            self._say(str(event.get("text") or ""))

    def _say(self, text: str) -> None:
        if text and text not in self._said:
            self._said.add(text)
            print(f"tallymark: {text}", file=sys.stderr, flush=True)
