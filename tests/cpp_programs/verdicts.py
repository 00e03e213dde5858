"""Whether the counts of a case agree, by what the documentation says of them.

A door and plain Callgrind on the same program count the same executions. The built-program door has the loop's own
control in it, as Callgrind has; the header's door has not (2 to 5 instructions an execution, docs/guides/programs.md).
The two programs are two compilations: if each door agrees with Callgrind on its own program, and the programs differ,
the compiler made another loop or body of the two headers, and no count is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

from doors import Count

CONTROL = (1.0, 6.0)  # 2 to 5 instructions, ± 1
SHARED = (-1.0, 6.0)  # by the executions of a batch
NOISE = 0.001  # of a count: addresses of heap and stack
FLOOR = 0.006  # the largest noise floor of C++ in docs/reference/exactness.md: where the heap happens to lie
IN_EACH_RUN = "is another in each run"  # ends two warnings of src/session/session.cc,
OWN_NUMBER = "the number of its process"  # and this is in the one whose digits a case prints
NOT_ASKED = Count(reason="not asked")


@dataclass(frozen=True)
class Counts:
    """Of one case: both doors, and Callgrind on both programs."""

    header: Count
    built: Count
    plain_header: Count = NOT_ASKED
    plain_built: Count = NOT_ASKED

    def control(self) -> tuple[float, float]:
        """The least and the most that an execution has of the loop's control."""
        return SHARED if self.plain_header.in_batches or self.plain_built.in_batches else CONTROL

    def figures(self) -> str:
        """Each by its name; a reason in place of a number."""
        named = {"header": self.header, "built": self.built}
        named |= {"Callgrind on header": self.plain_header, "Callgrind on built": self.plain_built}
        return ", ".join(
            f"{name} {count.reason if count.value is None else format(count.value, ',.2f')}"
            for name, count in named.items()
        )


@dataclass(frozen=True)
class Verdict:
    """`kind`: one of run.py's KINDS; `note`: reason or figures."""

    kind: str
    note: str = ""


def without_control_agrees(
    count: float, with_control: float, noise: float = NOISE, control: tuple[float, float] = CONTROL
) -> bool:
    """The second one has the loop's own control in it."""
    room = noise * with_control
    return control[0] - room <= with_control - count <= control[1] + room


def same_agrees(count: float, plain: float, noise: float = NOISE) -> bool:
    """Both have it."""
    return abs(count - plain) <= max(1.0, noise * plain)


def side_agrees(counts: Counts, side: str, noise: float) -> bool:
    """Whether a side's door agrees with Callgrind on its own program; also where Callgrind was not asked."""
    door, plain = (
        (counts.header, counts.plain_header)
        if side == "header"
        else (counts.built, counts.plain_built)
    )
    if plain.value is None:
        return True
    if side == "header":
        return without_control_agrees(door.value or 0.0, plain.value, noise, counts.control())
    return same_agrees(door.value or 0.0, plain.value, noise)


def unlike_plain(counts: Counts, noise: float) -> str:
    """Which door does not agree with Callgrind on its own program; empty where both do, or it was not asked."""
    if not side_agrees(counts, "google", noise):
        return "built and Callgrind"
    return "" if side_agrees(counts, "header", noise) else "header and Callgrind"


def flag_of(*counted: Count) -> str:
    """The warnings that the case asks for what no two runs have alike; or empty."""
    warnings = [text for one in counted for text in one.warnings]
    return "; ".join(dict.fromkeys(text for text in warnings if text.endswith(IN_EACH_RUN)))


def refusal(counts: Counts) -> str:
    """Which door has no number, and why; empty where both have one."""
    if counts.header.value is None and counts.built.value is None:
        return f"both: {counts.built.reason}"
    if counts.built.value is None:
        return f"built program: {counts.built.reason}"
    return f"header: {counts.header.reason}" if counts.header.value is None else ""


def judge(counts: Counts) -> Verdict:
    """By all numbers that there are."""
    if reason := refusal(counts):
        return Verdict("refused", reason)
    if unlike := unlike_plain(counts, FLOOR):
        flag = flag_of(counts.header, counts.built)
        kind = "flagged" if OWN_NUMBER in flag else "disagrees"
        return Verdict(kind, f"{unlike}: {counts.figures()}; {flag}".removesuffix("; "))
    if unlike := unlike_plain(counts, NOISE):
        return Verdict("near", f"{unlike}: {counts.figures()}")
    header, built = counts.header.value or 0.0, counts.built.value or 0.0
    if without_control_agrees(header, built, control=counts.control()):
        return Verdict("ok")
    if counts.plain_header.value is None or counts.plain_built.value is None:
        return Verdict("unproven", counts.figures())
    return Verdict("compiled differently", counts.figures())


def changed(first: dict[str, Count], second: dict[str, Count]) -> list[str]:
    """Cases of which two runs do not say the same, to the instruction."""
    names = sorted(first.keys() | second.keys())
    return [
        name for name in names if first.get(name, Count()).value != second.get(name, Count()).value
    ]
