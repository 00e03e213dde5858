"""Compares two statements, or two results: the verdict of `tally compare`, and the functions that moved."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from tallymark._api import results_of
from tallymark._capture.capture import DATA_LIMIT, NOTHING
from tallymark._client.answers import ComparedCase
from tallymark._client.engine import Engine, default_engine
from tallymark._client.record import Case, Record
from tallymark._definition import Definition
from tallymark._errors import Error
from tallymark._functions import Moved, moved
from tallymark._notices import Notices
from tallymark._options import Options, Profile, profiles_of, settings_of
from tallymark._result import Result
from tallymark._statement import Statement, define
from tallymark._view import html as _html
from tallymark._view import text as _text

if TYPE_CHECKING:
    from typing_extensions import Unpack

_EXPECTED = "definition_changed"  # a note's code: two statements are two definitions


@dataclasses.dataclass(frozen=True, repr=False)
class Comparison:
    """`b` against `a`. `verdict`: slower, faster, same, changed environment, not compared, …; ratios are b / a, None
    where `a` is zero or a count is below zero."""

    a: Result
    b: Result
    verdict: str
    instructions_ratio: float | None
    threshold: float | None  # instructions; a smaller movement is none
    time_ratio: float | None
    time_interval: tuple[float, float] | None  # 95 %, of the ratio
    functions: tuple[Moved, ...]
    notes: tuple[str, ...]

    @property
    def summary(self) -> str:
        parts = []
        if self.instructions_ratio is not None:
            before, after = (_text.instructions(one.instructions) for one in (self.a, self.b))
            change = _text.percent(self.instructions_ratio - 1)
            parts.append(f"{after} instructions for {before} ({change})")
        if self.time_ratio is not None:
            ratio = f"{self.time_ratio:.3g}"
            if self.time_interval is not None:
                low, high = self.time_interval
                ratio += f", 95 % {low:.3g} to {high:.3g}"
            parts.append(
                f"{_text.seconds(self.b.seconds)} for {_text.seconds(self.a.seconds)} (ratio {ratio})"
            )
        return "; ".join(parts)

    def __repr__(self) -> str:
        title = f"{self.verdict}: {self.summary}"
        return _text.comparison(title, self.a, self.b, self.functions, self.notes)

    def _repr_html_(self) -> str:
        return _html.comparison(
            self.verdict, self.summary, self.a, self.b, self.functions, self.notes
        )


def compare(
    a: Statement | Result,
    b: Statement | Result,
    *args: object,
    setup: str = "",
    globals: Mapping[str, object] | None = None,
    global_setup: str = "",
    language: str = "python",
    threads: int = 1,
    toolchain: str | None = None,
    tools: Mapping[str, str] | None = None,
    counts: bool = True,
    times: bool = True,
    profile: Profile = True,
    data_limit: int = DATA_LIMIT,
    engine: Engine | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compares two statements, or two earlier results.

    Statements are measured in one run, their times in turn, so that drift of the machine affects both.

    Args:
        a, b: Two texts, two functions that are called with `args`, or two results.
        counts, times: What to measure.
        profile: Also compare the functions in which the instructions are; "calls": each side has its call tree, too.
        setup, globals, …: As for `count`; used for both statements.

    Raises:
        CaseFailed, CaptureError, Error: As for `count`.

    >>> import tallymark
    >>> x = list(range(100))
    >>> tallymark.compare("sorted(x)", "x[::-1]", globals={"x": x}, times=False).verdict
    'faster'
    """
    chosen = engine or default_engine()
    if isinstance(a, Result) and isinstance(b, Result):
        return compare_results(a, b, engine=chosen)
    if isinstance(a, Result) or isinstance(b, Result):
        raise Error(
            "one is a result and one a statement", hint="compare two results: count(…) first"
        )
    definitions: list[Definition] = [
        define(
            one,
            *args,
            setup=setup,
            globals=globals,
            global_setup=global_setup,
            language=language,
            threads=threads,
            toolchain=toolchain,
            data_limit=data_limit,
        )
        for one in (a, b)
    ]
    settings = settings_of({"interleave": times, **options}, counts=counts, wall=times)
    captured = [one.data or NOTHING for one in definitions]
    with chosen.exclusive():
        run = chosen.measure(
            definitions,
            settings=settings,
            tools=tools,
            **profiles_of(profile and counts),
            on_event=Notices(),
        )
        first, second = results_of(run, captured, profile=bool(profile and counts))
    return compare_results(first.raise_for_status(), second.raise_for_status(), engine=chosen)


def compare_results(a: Result, b: Result, *, engine: Engine | None = None) -> Comparison:
    """Compares two earlier results, whatever their names."""
    compared = _compared(a, b, engine or default_engine())
    instructions, time = compared.get("instructions"), compared.get("time")
    return Comparison(
        a=a,
        b=b,
        verdict=compared["verdict"],
        instructions_ratio=_ratio(b.instructions, a.instructions),
        threshold=instructions["threshold"] if instructions else None,
        time_ratio=_ratio(b.seconds, a.seconds),
        time_interval=(time["ratio_interval"][0], time["ratio_interval"][1]) if time else None,
        functions=moved(a.functions, b.functions) if a.functions and b.functions else (),
        notes=(*_notes(compared), *(compared.get("environment_changes") or ())),
    )


def _notes(compared: ComparedCase) -> list[str]:
    noted = zip(compared.get("notes") or (), compared.get("note_codes") or ())
    return [text for text, code in noted if code != _EXPECTED]


def _ratio(new: float | None, base: float | None) -> float | None:
    """None where a side has no figure: below zero is none, and nothing is a multiple of zero."""
    if new is None or base is None or base <= 0 or _text.is_below_zero(new):
        return None
    return new / base


def _compared(a: Result, b: Result, engine: Engine) -> ComparedCase:
    """The engine's own rules decide: floors, intervals, environments. Cases are matched by id, so both get one."""
    facts = {
        key: value
        for key, value in b.case.items()
        if key in ("id", "label", "language", "threads", "params")
    }
    sides: list[Record] = []
    for one in (a, b):
        case = cast("Case", {**one.case, **facts, "profile": None})
        sides.append({**one.record, "cases": [case]})
    try:
        return engine.compare(*sides)["cases"][0]
    except (Error, LookupError) as error:
        raise Error(f"the records cannot be compared: {error}", place="compare") from None
