"""The public functions: count, time, measure, run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tallymark._capture.capture import DATA_LIMIT, NOTHING, Captured
from tallymark._client.engine import Engine, Run, default_engine
from tallymark._client.request import Select, Settings
from tallymark._client.request import Suite as SuiteText
from tallymark._definition import Definition
from tallymark._errors import Error
from tallymark._functions import functions_of, tree_of
from tallymark._notices import Notices
from tallymark._options import Options, Profile, profiles_of, settings_of
from tallymark._result import Result, Results
from tallymark._statement import Statement, define

if TYPE_CHECKING:
    from typing_extensions import Unpack


def count(
    statement: Statement,
    *args: object,
    setup: str = "",
    globals: Mapping[str, object] | None = None,
    global_setup: str = "",
    language: str = "python",
    label: str | None = None,
    threads: int = 1,
    toolchain: str | None = None,
    tools: Mapping[str, str] | None = None,
    profile: Profile = True,
    data_limit: int = DATA_LIMIT,
    engine: Engine | None = None,
    **options: Unpack[Options],
) -> Result:
    """Counts the instructions of one execution of a statement, exactly.

    Args:
        statement: Text, or a function that is called with `args`.
        setup: Code that runs once before it and is not counted. The statement sees its variables.
        globals: Values that a text may use, such as `globals()`. Only those that it uses are taken.
        global_setup: C++ code at file scope.
        language: "python" or "cpp".
        label: The name of the case; by default made from the statement.
        threads: Number of threads, for toolchains that can set it.
        toolchain: Toolchain to use; by default chosen by the language, and "torch" for statements that use PyTorch.
        tools: Other programs to use: {"python": …, "cxx": …}.
        profile: Also find out in which functions the instructions are. "calls": who calls whom, too, for the flame
            graph and `inclusive`; that takes one more execution in the same host.
        data_limit: Most bytes of data that may leave this process.
        engine: Engine to measure with; by default one for all of this process.
        options: iterations, replicates, timeout (s), memory (bytes), noise_floor, cache_sim, …

    Raises:
        CaseFailed: The statement raised, crashed or took too long.
        CaptureError: A value that it uses cannot leave this process.
        Error: Anything else.

    >>> import tallymark
    >>> tallymark.count("sorted(x)", setup="x = list(range(100))").instructions > 1000
    True
    """
    definition = define(
        statement,
        *args,
        setup=setup,
        globals=globals,
        global_setup=global_setup,
        language=language,
        label=label,
        threads=threads,
        toolchain=toolchain,
        data_limit=data_limit,
    )
    settings = settings_of(options, wall=False)
    return measure_definition(definition, settings, tools=tools, profile=profile, engine=engine)


def time(
    statement: Statement,
    *args: object,
    setup: str = "",
    globals: Mapping[str, object] | None = None,
    global_setup: str = "",
    language: str = "python",
    label: str | None = None,
    threads: int = 1,
    toolchain: str | None = None,
    tools: Mapping[str, str] | None = None,
    data_limit: int = DATA_LIMIT,
    engine: Engine | None = None,
    **options: Unpack[Options],
) -> Result:
    """Times executions of a statement, in several processes with CPUs of their own.

    Args and errors are those of `count`, without `profile`. The options min_run_time and max_run_time (s) and precision
    (0.01 is 1 %) control how long it samples.

    >>> import tallymark
    >>> result = tallymark.time("sorted(x)", setup="x = list(range(100))", max_run_time=0.1)
    >>> result.wall.interval_s[0] <= result.seconds <= result.wall.interval_s[1]
    True
    """
    definition = define(
        statement,
        *args,
        setup=setup,
        globals=globals,
        global_setup=global_setup,
        language=language,
        label=label,
        threads=threads,
        toolchain=toolchain,
        data_limit=data_limit,
    )
    settings = settings_of(options, counts=False)
    return measure_definition(definition, settings, tools=tools, profile=False, engine=engine)


def measure(
    statement: Statement,
    *args: object,
    setup: str = "",
    globals: Mapping[str, object] | None = None,
    global_setup: str = "",
    language: str = "python",
    label: str | None = None,
    threads: int = 1,
    toolchain: str | None = None,
    tools: Mapping[str, str] | None = None,
    profile: Profile = True,
    data_limit: int = DATA_LIMIT,
    engine: Engine | None = None,
    **options: Unpack[Options],
) -> Result:
    """Counts and times a statement: `count` and `time` in one, with the arguments of both."""
    definition = define(
        statement,
        *args,
        setup=setup,
        globals=globals,
        global_setup=global_setup,
        language=language,
        label=label,
        threads=threads,
        toolchain=toolchain,
        data_limit=data_limit,
    )
    settings = settings_of(options)
    return measure_definition(definition, settings, tools=tools, profile=profile, engine=engine)


def run(
    suite: str | os.PathLike[str],
    *,
    filter: Sequence[str] | str = (),
    exclude: Sequence[str] | str = (),
    counts: bool = True,
    times: bool = True,
    profile: Profile = False,
    tools: Mapping[str, str] | None = None,
    engine: Engine | None = None,
    **options: Unpack[Options],
) -> Results:
    """Measures the cases of a TOML file, as `tally run` does.

    Args:
        suite: Path of the file.
        filter, exclude: Patterns of cases, as for `tally run`.
        counts, times: What to measure.
        profile: Also find out in which functions the instructions are; "calls": who calls whom, too.
        tools, engine, options: As for `count`.

    Returns:
        A result for each case. Cases that failed are among them: see `.failed`.
    """
    path = Path(suite)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise Error(
            f"cannot be read: {error.strerror}", place=str(path), hint="name a suite", kind="input"
        ) from None
    document: SuiteText = {"text": text, "path": str(path.resolve())}
    selection = select(filter, exclude)
    settings = settings_of(options, counts=counts, wall=times)
    chosen = engine or default_engine()
    with chosen.exclusive():
        run = chosen.measure_suite(
            document,
            select=selection,
            settings=settings,
            tools=tools,
            **profiles_of(profile),
            on_event=Notices(),
        )
        return results_of(run, profile=bool(profile))


def measure_definition(
    definition: Definition,
    settings: Settings,
    *,
    tools: Mapping[str, str] | None = None,
    profile: Profile = True,
    engine: Engine | None = None,
) -> Result:
    """One definition's result. Raises CaseFailed when it could not be executed."""
    chosen = engine or default_engine()
    with chosen.exclusive():
        run = chosen.measure(
            [definition], settings=settings, tools=tools, **profiles_of(profile), on_event=Notices()
        )
        results = results_of(run, [definition.data or NOTHING], profile=bool(profile))
    return results[0].raise_for_status()


def results_of(run: Run, captured: Sequence[Captured] = (), *, profile: bool = False) -> Results:
    """The results of a run's cases; `captured` belongs to the first of them."""
    taken = [*captured, *[NOTHING] * (len(run.cases) - len(captured))]
    results = []
    for case, one in zip(run.cases, taken):
        wanted = profile and case["status"] == "ok" and case.get("counts")
        if not wanted:
            results.append(Result(case, run.record, one))
            continue
        functions = run.profile(case["id"])
        results.append(Result(case, run.record, one, functions_of(functions), tree_of(functions)))
    return Results(results, run.record)


def select(filter: Sequence[str] | str, exclude: Sequence[str] | str) -> Select:
    """The request's form of these patterns."""
    return {"filter": _texts(filter), "exclude": _texts(exclude)}


def _texts(patterns: Sequence[str] | str) -> list[str]:
    if isinstance(patterns, str):
        return [patterns] if patterns else []
    return list(patterns)
