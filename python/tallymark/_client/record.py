"""The form of a record (docs/reference/record.md).

Written by python/tests/test_record.py from schema/record-2.schema.json: TALLY_APPROVE=1 writes it anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class Tool(TypedDict):
    name: str
    version: str
    commit: str


class Server(TypedDict):
    pid: int
    version: str


class Part(TypedDict):
    index: NotRequired[int]
    count: int
    digest: str
    cases: int
    places: NotRequired[list[int]]
    missing: NotRequired[list[int]]


class Source(TypedDict):
    repository: str
    commit: str
    tree: NotRequired[str]
    parents: list[str]
    dirty: bool


class Machine(TypedDict):
    cpu: str
    cpus: int
    memory_bytes: int
    kernel: str
    system: str
    architecture: str
    name: NotRequired[str]


class Settings(TypedDict):
    counts: bool
    wall: bool
    iterations: int
    replicates: int
    max_replicates: int
    cache_sim: bool
    branch_sim: bool
    isolation: str
    call_context: int
    noise_floor: bool
    min_run_time_s: float
    max_run_time_s: float
    precision: float
    number_per_run: NotRequired[int]
    interleave: bool
    repeat: int
    timeout_s: NotRequired[float]
    host_timeout_s: NotRequired[float]
    max_wait_s: NotRequired[float]
    memory_bytes: NotRequired[int]
    retries: NotRequired[int]
    entropy: NotRequired[str]
    time_of_day: NotRequired[str]
    valgrind_flags: list[str]
    counted_with: NotRequired[str]
    counting: NotRequired[int]
    exact_iterations: NotRequired[bool]
    host_start: NotRequired[dict[str, str]]
    kept_environment: list[str]


class Fingerprint(TypedDict):
    environment: str
    subject: str


class Environment(TypedDict):
    facts: dict[str, str]
    subject: dict[str, str]
    machine: NotRequired[dict[str, str]]
    fingerprint: Fingerprint


class Definition(TypedDict):
    stmt: str
    setup: str
    global_setup: str
    digest: str
    load: NotRequired[str]


class Attempts(TypedDict):
    outcome: str
    seconds: float
    started_s: NotRequired[float]
    cpus: NotRequired[list[int]]


class Artifact(TypedDict):
    seconds: float


class Reported(TypedDict):
    value: float
    unit: str


class Floor(TypedDict):
    low: float
    high: float
    samples: dict[str, float]


class Counts(TypedDict):
    per_iteration: float
    replicates: list[int]
    baseline: float
    baseline_replicates: list[int]
    iterations: int
    one_execution: NotRequired[float]
    spread: float
    proven: NotRequired[str]
    floor: NotRequired[Floor]
    denoised: NotRequired[float]
    events: dict[str, float]
    estimated_cycles: NotRequired[float]
    string_repetitions: NotRequired[float]
    allocations: NotRequired[float]
    allocated_bytes: NotRequired[float]
    heap_peak: NotRequired[float]
    per_thread: NotRequired[list[float]]


class Process(TypedDict):
    place: str
    program: str
    arguments: str
    digest: NotRequired[str]
    start: int
    instructions: int


class Watch(TypedDict):
    frequency_mhz_low: NotRequired[float]
    frequency_mhz_high: NotRequired[float]
    steal_share: NotRequired[float]
    throttled: list[int]


class Wall(TypedDict):
    median_s: float
    mean_s: float
    iqr_s: float
    interval_s: list[float]
    number_per_run: int
    overhead_s: float
    replicates_s: list[float]
    samples_per_child: list[int]
    watch: NotRequired[Watch]


class Used(TypedDict):
    user_s: float
    system_s: float
    peak_bytes: int
    exit_codes: NotRequired[list[int]]


class CardState(TypedDict):
    sm_mhz: NotRequired[float]
    memory_mhz: NotRequired[float]
    power_w: NotRequired[float]
    power_limit_w: NotRequired[float]
    temperature_c: NotRequired[float]
    slowed_by: list[str]


class Card(TypedDict):
    uuid: str
    number: NotRequired[int]
    before: CardState
    after: CardState
    slowed_s: NotRequired[dict[str, float]]


class DeviceTime(TypedDict):
    median_s: float
    interval_s: list[float]
    samples: int


class ByName(TypedDict):
    name: str
    count: float
    time_s: float


class Work(TypedDict):
    executions: int
    kernels: float
    kernel_time_s: float
    kernel_time_interval_s: list[float]
    copies: float
    launches: float
    idle_share: float
    by_name: list[ByName]
    devices: NotRequired[list[int]]
    cache: NotRequired[str]


class OnDevice(TypedDict):
    name: str
    wait_s: NotRequired[float]
    flush: NotRequired[str]
    settings: NotRequired[dict[str, str]]
    cards: NotRequired[list[Card]]
    card: NotRequired[Card]
    launch: NotRequired[DeviceTime]
    time: NotRequired[DeviceTime]
    work: NotRequired[Work]


class Failure(TypedDict):
    stage: str
    message: str
    reproduce: str


class Case(TypedDict):
    id: str
    label: list[str]
    language: str
    runtime: str
    autograd: str
    device: NotRequired[str]
    threads: int
    params: dict[str, str]
    tags: list[str]
    toolchain: str
    machine: int
    environment: NotRequired[str]
    definition: Definition
    attempts: list[Attempts]
    status: str
    flags: list[str]
    warnings: list[str]
    artifact: NotRequired[Artifact]
    counters: NotRequired[dict[str, float]]
    note: NotRequired[str]
    reported: NotRequired[Reported]
    entropy: NotRequired[str]
    inputs: NotRequired[dict[str, str]]
    reused: NotRequired[str]
    counts: Counts | None
    own: NotRequired[list[str]]
    processes: NotRequired[list[Process]]
    wall: Wall | None
    used: NotRequired[Used]
    on_device: NotRequired[OnDevice]
    profile: str | None
    failure: Failure | None


class Record(TypedDict):
    schema: int
    tool: Tool
    server: NotRequired[Server]
    part: NotRequired[Part]
    source: NotRequired[Source]
    suite: NotRequired[str]
    started: str
    finished: str
    command: list[str]
    seconds: float
    machines: list[Machine]
    settings: Settings
    environments: dict[str, Environment]
    fingerprint: Fingerprint
    cases: list[Case]
