"""The keys of a suite's forms, as keywords (docs/reference/suites.md has their meanings). None is as if not given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict, Union

Texts = Union[str, Sequence[str]]  # one stands for a list of it
Value = Union[str, int, float]
Sides = Mapping[str, str]  # by language: py, cpp; or both as a table


class RunKeys(TypedDict, total=False):
    """How a case is run."""

    tags: Texts | None
    timeout: str | float | None  # here and below: seconds, or text with a unit
    replicates: int | None
    min_run_time: str | float | None
    max_run_time: str | float | None
    precision: str | float | None  # 0.01 is 1 %
    memory: str | int | None  # bytes
    retries: int | None
    entropy: Literal["fixed", "system"] | None


class StatementKeys(RunKeys, total=False):
    """How a statement's case is run."""

    iterations: int | None
    device: str | None
    devices: Texts | None
    flush: Literal["none", "l2"] | None  # of a device's cache, before each timed execution


class DefaultKeys(StatementKeys, total=False):
    threads: int | Sequence[int] | None


class SetupKeys(TypedDict, total=False):
    py: str
    cpp: str
    cpp_global: str
    table: str


class VariantsKeys(DefaultKeys, total=False):
    toolchain: str | None
    py: str | None
    cpp: str | None
    table: str | None
    setup: str | Sides | Sequence[str | Sides] | None
    params: Mapping[str, Sequence[Value]] | None


class AddedKeys(StatementKeys, total=False):
    load: str | None


class TimerKeys(AddedKeys, DefaultKeys, total=False):
    toolchain: str | None
    setup: str | None
    global_setup: str | None


class CommandKeys(RunKeys, total=False):
    shell: str | None
    folder: str | None
    warm_up: int | None
    runs: int | None
    prepare: str | None
    setup: str | None
    cleanup: str | None
    files: Texts | None
    input: str | None
    output: str | None
    expect_status: int | str | Sequence[int] | None
    own_process_numbers: bool | None
    private_tmp: bool | None
    environment: Mapping[str, str] | None
    params: Mapping[str, Sequence[Value]] | None


class ProgramKeys(RunKeys, total=False):
    pytest: Texts | None
    asv: Texts | None
    pyperf: Texts | None
    script: Texts | None
    python: Texts | None
    name: str | None
    args: Texts | None
    filter: Texts | None
    exclude: Texts | None
    subject: Texts | None
    environment: Mapping[str, str] | None
    iterations: int | None


class ToolchainKeys(TypedDict, total=False):
    extends: str
    replaces: Texts
    cxx: Texts
    python: Texts
    flags: Texts
    include: Texts
    link: Texts
    prelude: Texts
    preload: Texts
    requires: Texts
    environment: Mapping[str, str]
    subject: Texts
    discover: str
    seed: Sides
    set_threads: Sides
    artifact_setup: str
    before_region: Sides
    sync: Sides
    device: Sides
    device_observer: Sides
    device_flush: Sides
    device_settings: Sides
    drivers: Texts
    lacking_instructions: str
    warm_up: Sides
    model_call: Sides
    backward: Sides
    runtime: Mapping[str, Mapping[str, str | Sides]]
    noise: Sequence[Mapping[str, Texts]]
