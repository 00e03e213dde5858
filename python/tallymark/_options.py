"""The options of a measurement, as keywords, and their keys in a record's settings.

The functions that take them declare `**options: Unpack[Options]`, so that editors complete and check them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict, Union, cast

from tallymark._client.request import Settings
from tallymark._errors import Error

if TYPE_CHECKING:
    from tallymark._client.engine import Engine

# What `profile=` takes: nothing, the functions, or who calls whom, too.
Profile = Union[bool, Literal["calls"]]


class Options(TypedDict, total=False):
    """Each may be None, as if it was not given."""

    iterations: int | None  # executions in one counted replicate (100)
    replicates: int | None  # counted ones at the least; more where they differ (2)
    min_run_time: float | None  # seconds of timing at the least (0.065)
    max_run_time: float | None  # … at the most (0.5)
    precision: float | None  # timing ends when the 95 % interval is within this share (0.01)
    timeout: float | None  # seconds for one measurement of a case (60 for times, 300 for counts)
    max_wait: (
        float | None
    )  # seconds that times may wait for CPUs that others have (as long as it takes)
    memory: int | None  # bytes that a case may use
    retries: int | None  # attempts after a timeout or a lost host
    noise_floor: bool | None  # count under eight harmless perturbations, too
    cache_sim: bool | None  # simulate caches, too
    branch_sim: bool | None  # simulate branch prediction, too
    call_context: int | None  # callers that profiles keep apart
    isolation: Literal["fork", "process"] | None
    entropy: Literal["fixed", "system"] | None  # who answers cases that ask for randomness
    time_of_day: Literal["fixed", "system"] | None  # what counted cases read of it
    interleave: bool | None  # take the times of all cases in turns
    repeat: int | None  # measure so often and pool the samples
    keep_env: Sequence[str] | None  # names of variables to let through


class TimeKeys(Options, total=False):
    """What `tallymark.time` takes besides the statement and its label."""

    setup: str
    globals: Mapping[str, object] | None
    global_setup: str
    language: str
    threads: int
    toolchain: str | None
    tools: Mapping[str, str] | None
    data_limit: int
    engine: Engine | None


class CountKeys(TimeKeys, total=False):
    """The same of `tallymark.count` and `measure`."""

    profile: Profile


# The keys of the settings that go by another name there.
_KEYS = {
    "min_run_time": "min_run_time_s",
    "max_run_time": "max_run_time_s",
    "timeout": "timeout_s",
    "max_wait": "max_wait_s",
    "memory": "memory_bytes",
    "keep_env": "kept_environment",
}


class Profiles(TypedDict):
    """What is requested of an engine."""

    profiles: bool
    calls: bool


def profiles_of(profile: Profile) -> Profiles:
    if profile not in (False, True, "calls"):
        raise Error(
            f"profile must be True, False or 'calls', not {profile!r}",
            hint="'calls' also finds out who calls whom",
            kind="input",
        )
    return {"profiles": bool(profile), "calls": profile == "calls"}


def settings_of(options: Options, *, counts: bool = True, wall: bool = True) -> Settings:
    """Settings for the server. Raises TypeError for an option that there is not, as a call does."""
    settings: dict[str, object] = {"counts": counts, "wall": wall}
    for name, value in options.items():
        known = Options.__annotations__
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"
            raise TypeError(f"unknown option {name!r}{hint}")
        if value is not None:
            settings[_KEYS.get(name, name)] = value
    return cast(Settings, settings)
