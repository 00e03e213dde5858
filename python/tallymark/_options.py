"""The options of a measurement, as keywords, and their keys in a record's settings."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Literal, TypedDict, Union, cast

from tallymark._client.request import Settings
from tallymark._errors import Error

# What `profile=` takes: nothing, the functions, or who calls whom, too.
Profile = Union[bool, Literal["calls"]]

# keyword → (key of the settings, what it means)
OPTIONS: dict[str, str] = {
    "iterations": "iterations",  # executions in one counted replicate (100)
    "replicates": "replicates",  # counted ones at the least; more where they differ (2)
    "min_run_time": "min_run_time_s",  # seconds of timing at the least (0.065)
    "max_run_time": "max_run_time_s",  # … at the most (0.5)
    "precision": "precision",  # timing ends when the 95 % interval is within this share (0.01)
    "timeout": "timeout_s",  # seconds for one measurement of a case (60 for times, 300 for counts)
    "max_wait": "max_wait_s",  # seconds that times may wait for CPUs that others have (as long as it takes)
    "memory": "memory_bytes",  # that a case may use
    "retries": "retries",  # attempts after a timeout or a lost host
    "noise_floor": "noise_floor",  # count under eight harmless perturbations, too
    "cache_sim": "cache_sim",  # simulate caches, too
    "branch_sim": "branch_sim",  # simulate branch prediction, too
    "call_context": "call_context",  # callers that profiles keep apart
    "isolation": "isolation",  # "fork" or "process"
    "entropy": "entropy",  # who answers cases that ask for randomness: "fixed" or "system"
    "time_of_day": "time_of_day",  # what counted cases read of it: "fixed" or "system"
    "interleave": "interleave",  # take the times of all cases in turns
    "repeat": "repeat",  # measure so often and pool the samples
    "keep_env": "kept_environment",  # names of variables to let through
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


def settings_of(options: Mapping[str, Any], *, counts: bool = True, wall: bool = True) -> Settings:
    """Settings for the server. Raises TypeError for an option that there is not, as a call does."""
    settings: dict[str, Any] = {"counts": counts, "wall": wall}
    for name, value in options.items():
        if name not in OPTIONS:
            near = difflib.get_close_matches(name, OPTIONS, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(OPTIONS)}"
            raise TypeError(f"unknown option {name!r}{hint}")
        if value is not None:
            settings[OPTIONS[name]] = value
    return cast(Settings, settings)
