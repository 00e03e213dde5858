"""The errors of the package: what happened, where, and a hint what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from tallymark._client.answers import CaseProfile
    from tallymark._client.record import Case, Record


class Error(Exception):
    """Something could not be measured.

    `message` says what happened, `place` where, and `hint` what to do. `kind` is the engine's word for it:
    input, missing, io, …
    """

    def __init__(self, message: str, *, place: str = "", hint: str = "", kind: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.hint = hint
        self.kind = kind

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}" if self.place else self.message
        if not self.hint:
            return text
        return f"{text.rstrip()}\n{self.hint}" if "\n" in text else f"{text}; {self.hint}"

    @property
    def mend(self) -> str:
        """The hint, by its earlier name."""
        return self.hint

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuilt, (type(self), self.message, self.__dict__))

    @classmethod
    def from_event(cls, event: Mapping[str, object]) -> Error:
        """The error that an event of the server reports."""
        return cls(
            str(event.get("message") or "the server gave no reason"),
            place=str(event.get("place") or ""),
            hint=str(event.get("hint") or ""),
            kind=str(event.get("kind") or ""),
        )


class ServerLost(Error):
    """The server ended or does not answer. The next call starts another.

    `cases` are the finished ones, in the form of a record's.
    """

    is_gone: bool = False  # the other end of the connection is, not just silent

    cases: tuple[Case, ...] = ()


class CaptureError(Error):
    """A value or function that cannot leave this process. `place` is the path to it, such as `model.lock`."""


class CaseFailed(Error):
    """The statement could not be measured: it raised, crashed, or took too long. `case` is its part of the record."""

    def __init__(
        self,
        message: str,
        *,
        place: str = "",
        hint: str = "",
        kind: str = "",
        case: Case | None = None,
    ) -> None:
        super().__init__(message, place=place, hint=hint, kind=kind)
        self.case = cast("Case", dict(case or {}))


class Finished(Protocol):
    """What was measured before an interruption: a `tallymark.Run`."""

    record: Record

    @property
    def cases(self) -> list[Case]: ...

    def profile(self, case_id: str, *, callgrind: bool = False) -> CaseProfile: ...


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or a notebook's stop button. `run` has the finished cases, or is None."""

    def __init__(self, message: str = "interrupted", run: Finished | None = None) -> None:
        super().__init__(message)
        self.run = run


def _rebuilt(cls: type[Error], message: str, state: dict[str, object]) -> Error:
    error = cls(message)
    error.__dict__.update(state)
    return error
