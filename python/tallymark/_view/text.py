"""Results as text. Computes nothing; `html` shows the same things."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tallymark._case import MeasuredCase
    from tallymark._functions import Moved

SHOWN_FUNCTIONS = 10
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def instructions(count: float | None) -> str:
    """With a digit behind the point where it says something: below a hundred."""
    if count is None:
        return ""
    return f"{count:,.1f}" if abs(count) < 100 and count != round(count) else f"{count:,.0f}"


def figure(count: float | None) -> str:
    """A case's count, as `instructions` has it. One below zero is no figure: more was taken off than there was."""
    return "below 0" if is_below_zero(count) else instructions(count)


def is_below_zero(count: float | None) -> bool:
    """By more than what may be left of an empty statement."""
    return count is not None and count < -0.5


def seconds(value: float | None) -> str:
    """Three digits and a unit."""
    if value is None:
        return ""
    for scale, unit in _UNITS:
        if abs(value) >= scale * 0.9995 or unit == "ns":
            return f"{_three_digits(value / scale)} {unit}"
    raise AssertionError


def percent(share: float) -> str:
    return f"{share * 100:+.2f} %" if abs(share) < 0.1 else f"{share * 100:+.1f} %"


def _three_digits(value: float) -> str:
    return f"{value:.{2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0}f}"


def facts(one: MeasuredCase) -> list[tuple[str, str, str]]:
    """(what, value, how) of a result, a row each."""
    rows = []
    counts, wall = one.counts, one.wall
    if counts:
        count = len(counts.replicates)
        equal = "equal" if counts.spread == 0 else f"spread {counts.spread * 100:.2g} %"
        how = f"{count} replicates of {counts.iterations}, {equal}"
        if counts.proven:
            how += f" ({counts.proven})"
        rows.append(("instructions", figure(counts.per_iteration), how))
        if counts.floor:
            low, high = (instructions(value) for value in counts.floor)
            rows.append(("noise floor", f"{low} to {high}", "under harmless perturbations"))
        if counts.allocations is not None:
            size = instructions(counts.allocated_bytes or 0)
            rows.append(("allocations", instructions(counts.allocations), f"{size} bytes"))
    toolchain = one.case.get("toolchain")
    if toolchain and toolchain != one.case.get("language"):
        rows.append(("toolchain", "", toolchain))
    if wall:
        low, high = (seconds(value) for value in wall.interval_s)
        how = f"95 % {low} to {high}, {len(wall.samples_s)} samples of {wall.number_per_run:,}"
        rows.append(("time", seconds(wall.median_s), how))
    if not one.ok:
        failure = one.case.get("failure")
        rows.append(
            (one.status, *((failure["stage"], failure["message"]) if failure else ("", "")))
        )
    if one.flags:
        rows.append(("flags", "", ", ".join(one.flags)))
    rows += [("warning", "", text) for text in one.warnings]
    return rows


def captured_lines(one: MeasuredCase) -> list[str]:
    """What left this process besides the text itself."""
    lines = str(one.captured).splitlines()
    return [
        line
        for line in lines
        if not line.startswith(("source     statement", "source     setup", "nothing"))
    ]


def captured_by_both(a: MeasuredCase, b: MeasuredCase) -> list[str]:
    """What left for either side, each line once."""
    return list(dict.fromkeys([*captured_lines(a), *captured_lines(b)]))


def result(one: MeasuredCase) -> str:
    lines = [one.title]
    rows = facts(one)
    width = max((len(value) for _, value, _ in rows), default=0)
    lines += [f"  {what:<13} {value:>{width}}  {how}".rstrip() for what, value, how in rows]
    total = one.instructions
    if one.functions and total and total > 0:
        cells = [
            (
                instructions(f.exclusive),
                f"{f.exclusive / total * 100:.1f} %",
                _named(f.name, f.object),
            )
            for f in one.functions
        ]
        lines += _functions("functions", cells, "rrl")
    if captured := captured_lines(one):
        lines += ["  captured", *(f"    {line}" for line in captured)]
    return "\n".join(lines)


def results(several: Sequence[MeasuredCase]) -> str:
    rows = [("case", "instructions", "time", "95 % interval", "status")]
    for one in several:
        wall = one.wall
        interval = " to ".join(seconds(value) for value in wall.interval_s) if wall else ""
        state = ", ".join([one.status, *one.flags])
        rows.append((one.title, figure(one.instructions), seconds(one.seconds), interval, state))
    lines = columns(rows, "lrrrl")
    for bad in (one for one in several if not one.ok):
        lines += ["", result(bad)]
    return "\n".join(lines) or "no cases"


def comparison(
    title: str,
    a: MeasuredCase,
    b: MeasuredCase,
    functions: Sequence[Moved],
    notes: Iterable[str],
) -> str:
    lines = [title]
    rows = [("", "", "instructions", "time")]
    rows += [
        (name, side.title, figure(side.instructions), seconds(side.seconds))
        for name, side in (("a", a), ("b", b))
    ]
    lines += [f"  {line}" for line in columns(rows, "llrr")]
    if functions:
        cells = [
            (
                instructions(f.before),
                instructions(f.after),
                f"{'+' if f.change > 0 else ''}{instructions(f.change)}",
                _named(f.name, f.object),
            )
            for f in functions
        ]
        lines += _functions("functions that moved, from a to b", cells, "rrrl")
    if captured := captured_by_both(a, b):
        lines += ["  captured", *(f"    {line}" for line in captured)]
    lines += [f"  note: {note}" for note in notes]
    return "\n".join(lines)


def columns(rows: Iterable[Sequence[str]], alignment: str) -> list[str]:
    cells = [list(row) for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(alignment))] if cells else []
    lines = []
    for row in cells:
        parts = [
            f"{text:>{width}}" if side == "r" else f"{text:<{width}}"
            for text, width, side in zip(row, widths, alignment)
        ]
        lines.append("  ".join(parts).rstrip())
    return lines


def _functions(title: str, cells: Sequence[Sequence[str]], alignment: str) -> list[str]:
    lines = [f"  {title}", *(f"    {line}" for line in columns(cells[:SHOWN_FUNCTIONS], alignment))]
    left_out = len(cells) - SHOWN_FUNCTIONS
    return [*lines, f"    and {left_out} more"] if left_out > 0 else lines


def _named(name: str, library: str) -> str:
    short = name if len(name) <= 70 else f"{name[:40]} … {name[-27:]}"
    return f"{short} [{library}]" if library else short
