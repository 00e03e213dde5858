"""The fields of a measure request, as the server reads them (docs/reference/serve.md).

Written by src/serve/request_fields_test.cc from the server's own list: TALLY_APPROVE=1 writes it anew."""

from __future__ import annotations

from typing import Any, TypedDict


class Suite(TypedDict, total=False):
    text: str
    document: dict[str, Any]
    path: str


class Select(TypedDict, total=False):
    filter: list[str]
    exclude: list[str]
    shard: str
    last_times: dict[str, float]


class Settings(TypedDict, total=False):
    counts: bool
    wall: bool
    iterations: int
    replicates: int
    max_replicates: int
    cache_sim: bool
    branch_sim: bool
    call_context: int
    isolation: str
    noise_floor: bool
    min_run_time_s: float
    max_run_time_s: float
    precision: float
    number_per_run: int
    interleave: bool
    repeat: int
    timeout_s: float
    host_timeout_s: float
    max_wait_s: float
    memory_bytes: int
    retries: int
    entropy: str
    time_of_day: str
    kept_environment: list[str]


class Tools(TypedDict, total=False):
    cxx: str
    python: str
    env_command: str
    here: str


class Source(TypedDict, total=False):
    measured: str
    folder: str
    commit: str


class Journal(TypedDict, total=False):
    path: str
    resume: bool


class Profiles(TypedDict, total=False):
    folder: str
    name: str
    calls: bool
    allocation_sites: bool
    python_functions: bool
    lines: bool
    heap_peak: bool
    device_traces: bool
    sources: bool
    baselines: bool


class Measure(TypedDict, total=False):
    request: str
    suite: Suite
    environment: dict[str, str]
    working_folder: str
    select: Select
    settings: Settings
    tools: Tools
    command: list[str]
    cores: str
    source: Source
    journal: Journal
    profiles: bool | Profiles
    functions_alone: bool
    notes_inputs: bool
