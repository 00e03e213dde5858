"""What the server answers besides a record (docs/reference/serve.md): the keys that this package reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class Tree(TypedDict):
    """Each node is [parent, exclusive, inclusive, name]; a parent is a node's number from 1, or 0."""

    approximate: bool
    nodes: list[tuple[int, int, int, str]]


class Side(TypedDict):
    """Raw totals of one replicate: [count, "file:function [object]"]."""

    replicate_totals: list[int]
    exclusive: list[tuple[int, str]]
    inclusive: NotRequired[list[tuple[int, str]]]
    tree: NotRequired[Tree]
    callgrind: NotRequired[str]


class CaseProfile(TypedDict):
    iterations: int
    replicate_totals: list[int]
    statement: Side
    baseline: Side | None


class ChangedCounts(TypedDict):
    change: float | None
    threshold: float


class ChangedTime(TypedDict):
    change: float | None
    ratio_interval: tuple[float, float]


class ComparedCase(TypedDict):
    verdict: str
    instructions: NotRequired[ChangedCounts]
    time: NotRequired[ChangedTime]
    notes: list[str]
    note_codes: list[str]
    environment_changes: list[str]


class Compared(TypedDict):
    cases: list[ComparedCase]


class Finding(TypedDict):
    severity: str
    message: str


class UsedLimit(TypedDict):
    limit: str
    why: NotRequired[str]


class UncomparedCase(TypedDict):
    id: str
    why: str


class Judged(TypedDict):
    limits: list[UsedLimit]
    uncompared: list[UncomparedCase]


class Checked(Compared):
    exit_code: int
    findings: list[Finding]
    judged: Judged
    remarks: list[str]
