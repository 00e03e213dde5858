"""The definition of a measurement: one statement with its setup, and the part of it that goes to the server."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallymark._capture.capture import Captured

SCHEMA = 1  # of suites


@dataclasses.dataclass(frozen=True)
class Definition:
    """One explicit case: a `[[timer]]` of a suite.

    `setup` runs once, before anything is counted; its variables are the statement's. `global_setup` is C++ at file
    scope. `toolchain` is the name of one (None: `python` or `cpp`). `data` is what was taken out of this process: its
    text that brings it back runs before `setup`, in names of its own; with tensors on a device among it, the case names
    that device. `options` are further keys of a timer, as
    TOML has them: `iterations`, `replicates`, `timeout`, `min_run_time`, `tags`, …
    """

    stmt: str
    setup: str = ""
    global_setup: str = ""
    language: str = "python"
    label: str = ""  # empty: the statement's first line
    threads: int = 1
    toolchain: str | None = None
    data: Captured | None = None
    options: Mapping[str, object] = dataclasses.field(default_factory=dict)


def are_here(definitions: Iterable[Definition]) -> bool:
    """Whether one of them has its values in this very process, and needs a fork of it (tally exec)."""
    return any(one.data is not None and one.data.here is not None for one in definitions)


def to_document(definitions: Iterable[Definition]) -> dict[str, Any]:
    """The suite document of these definitions, in their order; equal labels are distinguished by a number."""
    toolchains: dict[str, dict[str, object]] = {}
    labels: set[tuple[str, str]] = set()
    timers = []
    for one in definitions:
        timer: dict[str, object] = {
            "label": [_own_label(one, labels)],
            "language": one.language,
            "stmt": one.stmt,
            "setup": one.setup,
            "threads": one.threads,
            # Named always: the only toolchain that a suite declares would be the default of all.
            "toolchain": _toolchain(one, toolchains),
            **_device(one),
            **one.options,
        }
        if one.data is not None and one.data.load:
            timer["load"] = one.data.load
        if one.global_setup:
            timer["global_setup"] = one.global_setup
        timers.append(timer)
    document: dict[str, object] = {"schema": SCHEMA, "timer": timers}
    if toolchains:
        document["toolchain"] = toolchains
    return document


def _device(one: Definition) -> dict[str, object]:
    """Of values on a device: a host that hides its driver could not even load them. Other toolchains know of none."""
    kind = one.data.device if one.data is not None and one.toolchain == "torch" else ""
    return {"device": kind} if kind else {}


def first_line(stmt: str) -> str:
    """What a statement is called that has no label; "(empty)" where there is nothing of it."""
    lines = [line.rstrip() for line in stmt.strip().split("\n")]
    short = lines[0] if len(lines[0]) <= 80 else lines[0][:79] + "…"
    return _one_line(short + (" …" if len(lines) > 1 else "")) or "(empty)"


def _one_line(text: str) -> str:
    """As a label has it: tabs and other letters without a shape are blanks."""
    return "".join(" " if letter < " " or letter == "\x7f" else letter for letter in text).strip()


def _own_label(one: Definition, taken: set[tuple[str, str]]) -> str:
    wanted = label = _one_line(one.label) or first_line(one.stmt)
    number = 1
    while (label, one.language) in taken:
        number += 1
        label = f"{wanted} ({number})"
    taken.add((label, one.language))
    return label


def _toolchain(one: Definition, declared: dict[str, dict[str, object]]) -> str:
    """The named one, or one on top of it whose hosts have imported what the data needs."""
    base = one.toolchain or ("cpp" if one.language == "cpp" else "python")
    requires = [] if one.data is None else [name for name in one.data.requires if name != base]
    if not requires:
        return base
    name = re.sub(r"\W", "_", "_".join([base, "with", *requires]))
    declared[name] = {"extends": base, "requires": requires}
    return name
