"""Instructions by function, the functions that moved, and who calls whom."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Literal

from tallymark._client.answers import CaseProfile, Side

_NAME = re.compile(r"^(?P<file>[^:]*):(?P<function>.*?)(?: \[(?P<object>[^\[\]]*)\])?$", re.DOTALL)

# "tally_<digest>" in names, "<digest>.so" and "<digest>.cc" of files.
_DIGEST = re.compile(r"tally_[0-9a-f]{32}(?![0-9a-f])|(?<![0-9A-Za-z_])[0-9a-f]{32}(?=\.[a-z]+\b)")


@dataclasses.dataclass(frozen=True)
class Function:
    """Instructions for one execution of the statement in one function."""

    name: str
    object: str  # the library or program; "" where several have a function of this name
    exclusive: float  # without what it calls
    inclusive: float | None  # with it; None where it was not counted who calls whom


@dataclasses.dataclass(frozen=True)
class Moved:
    """One function of two profiles: exclusive instructions for one execution."""

    name: str
    object: str
    before: float
    after: float

    @property
    def change(self) -> float:
        return self.after - self.before


@dataclasses.dataclass(frozen=True)
class Frame:
    """A function on behalf of its callers: instructions for one execution. The costliest child comes first."""

    name: str
    exclusive: float
    inclusive: float
    children: tuple[Frame, ...] = ()


@dataclasses.dataclass(frozen=True)
class CallTree:
    """`approximate`: Callgrind keeps calls between functions, not stacks; where a function has several callers, its
    cost is shared among them in proportion."""

    roots: tuple[Frame, ...]
    approximate: bool


def functions_of(profile: CaseProfile) -> tuple[Function, ...]:
    """Of a profile as the server gives it; the costliest first. The empty loop's part is taken off.

    A profile has an entry for each file that a function's code came from by inlining; here they are one function."""
    iterations = profile["iterations"]
    baseline = profile.get("baseline")
    exclusive = _by_function(_difference(profile["statement"], baseline, "exclusive"))
    with_calls = "inclusive" in profile["statement"]
    inclusive = _by_function(_difference(profile["statement"], baseline, "inclusive"))
    found = [
        Function(
            name=name,
            object=where,
            exclusive=sum(counts) / iterations,
            # Each entry includes what it calls; the one with the most is the function's own.
            inclusive=max(inclusive.get((name, where), counts)) / iterations
            if with_calls
            else None,
        )
        for (name, where), counts in exclusive.items()
        if sum(counts)
    ]
    return tuple(sorted(found, key=lambda one: (-one.exclusive, one.name)))


def _by_function(entries: Mapping[str, int]) -> dict[tuple[str, str], list[int]]:
    """Counts by function and object. Entries of inlined code name no object: it is the function's, if it has one."""
    parsed = [(*_split(text), count) for text, count in entries.items()]
    objects: dict[str, set[str]] = {}
    for name, where, _ in parsed:
        objects.setdefault(name, set()).update([where] if where else [])
    result: dict[tuple[str, str], list[int]] = {}
    for name, where, count in parsed:
        known = objects[name]
        place = where or (next(iter(known)) if len(known) == 1 else "")
        result.setdefault((name, place), []).append(count)
    return result


def _split(text: str) -> tuple[str, str]:
    match = _NAME.match(text)
    if match is None:
        return text, ""
    return match["function"], (match["object"] or "").rpartition("/")[2]


def _difference(
    statement: Side, baseline: Side | None, kind: Literal["exclusive", "inclusive"]
) -> dict[str, int]:
    total: dict[str, int] = {}
    for sign, side in ((1, statement), (-1, baseline)):
        for count, name in (side.get(kind) if side else None) or ():
            total[name] = total.get(name, 0) + sign * count
    return total


def tree_of(profile: CaseProfile) -> CallTree | None:
    """Of a profile as the server gives it; None where it has no tree."""
    tree = profile["statement"].get("tree")
    if not tree:
        return None
    iterations = profile["iterations"]
    below: dict[int, list[int]] = {}
    for number, (parent, *_) in enumerate(tree["nodes"], 1):
        below.setdefault(parent, []).append(number)

    def frames(parent: int) -> tuple[Frame, ...]:
        found = []
        for number in below.get(parent, ()):
            _, own, total, name = tree["nodes"][number - 1]
            found.append(Frame(name, own / iterations, total / iterations, frames(number)))
        return tuple(sorted(found, key=lambda one: -one.inclusive))

    return CallTree(frames(0), bool(tree["approximate"]))


def without_digests(name: str) -> str:
    """A function's name, or its object's, without the digest by which a C++ statement is compiled: the functions of two
    statements have the same names then. As src/profile/rules.cc has it."""
    return _DIGEST.sub("statement", name)


def moved(before: Iterable[Function], after: Iterable[Function]) -> tuple[Moved, ...]:
    """What changed, by function and object; the largest change first."""
    sides: dict[tuple[str, str], list[float]] = {}
    for side, functions in enumerate((before, after)):
        for one in functions:
            key = without_digests(one.name), without_digests(one.object)
            sides.setdefault(key, [0.0, 0.0])[side] += one.exclusive
    changes = [Moved(*key, *values) for key, values in sides.items() if values[0] != values[1]]
    return tuple(sorted(changes, key=lambda one: (-abs(one.change), one.name)))
