"""`pytest --tally`: the tests run once for their results, as they always do; what they would benchmark is counted by
`tally run --pytest`, whose host collects the same tests, so that nothing has to leave this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pytest

from tallymark._client.record import Case, Record
from tallymark._client.server import find_tally
from tallymark._errors import Error
from tallymark._result import Result

FIXTURES = ("benchmark", "codspeed_benchmark")
MARKERS = ("benchmark", "codspeed_benchmark")
# More of a command line than this is not worth it: then all are counted.
_MOST_OF_A_COMMAND = 100_000
_UNSAFE = frozenset("%'\"\\$`!")
_PLUGIN = "tallymark.pytest_plugin"
# Options of this plugin, which the host has no use for.
_OWN_VALUES = ("--tally-baseline", "--tally-limit")
_OWN_FLAGS = ("--tally", "--tally-strict", "--tally-update", "--tally-disable")
# What decides how this process runs its tests and shows them, not which there are.
_OF_THIS_PROCESS = ("-x", "--exitfirst", "--lf", "--ff", "--pdb", "--trace", "-v", "-vv", "-s")


_REQUESTED = pytest.StashKey[
    bool
]()  # of a test that has set such a fixture up, whatever its names say


def remember_fixture(name: str, node: pytest.Item | pytest.Collector) -> None:
    """Of each fixture that is set up: a test may request one by request.getfixturevalue("benchmark")."""
    if name in FIXTURES and isinstance(node, pytest.Item):
        node.stash[_REQUESTED] = True


def is_benchmark(item: pytest.Item) -> bool:
    """Whether it has the fixture of pytest-benchmark or pytest-codspeed, or a marker by which a test is one itself. A
    fixture that is requested by its name alone is known once it was set up."""
    fixtures = getattr(item, "fixturenames", ())
    return (
        any(one in fixtures for one in FIXTURES)
        or item.stash.get(_REQUESTED, False)
        or any(item.get_closest_marker(marker) for marker in MARKERS)
    )


def id_of(node: str) -> str:
    """What `tally` calls the case of a test: src/expansion/case_id.h."""
    path, colons, test = node.partition("::")
    *folders, file = [part for part in path.split("/") if part] or [path]
    parts = [*folders, file + colons + test]
    return "/".join("".join(_escaped(letter) for letter in part) for part in parts)


def _escaped(letter: str) -> str:
    code = ord(letter)
    return (
        f"%{code:02X}" if code < 32 or code == 127 or letter in _UNSAFE or letter == "/" else letter
    )


def measure(
    config: pytest.Config, nodes: Collection[str], *, wall: bool
) -> tuple[dict[str, Result], dict[str, str]]:
    """Results by test, and why others have none. Raises Error where nothing could be measured at all."""
    with tempfile.TemporaryDirectory(prefix="tallymark-") as folder:
        file = Path(folder) / "record.json"
        command = [find_tally(), "run", "--quiet", "--python", sys.executable, "--json", str(file)]
        command += [] if wall else ["--counts-only"]
        command += ["--keep-env", "PYTHONPATH"] if "PYTHONPATH" in os.environ else []
        command += list(_filters(nodes))
        for path in config.args:
            command += ["--pytest", path]
        command += ["--", *_arguments(config)]
        done = subprocess.run(
            command,
            cwd=config.invocation_params.dir,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        try:
            record: Record = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            words = done.stderr.decode(errors="replace").strip().removeprefix("tally: error: ")
            raise Error(
                words or f"it ended with code {done.returncode}", place="tally run"
            ) from None
    return _by_test(record, nodes)


def _filters(nodes: Collection[str]) -> Iterator[str]:
    ids = [id_of(node) for node in nodes]
    if sum(map(len, ids)) < _MOST_OF_A_COMMAND:
        for one in ids:
            yield from ("--filter", one)


def _arguments(config: pytest.Config) -> Iterator[str]:
    """Those that this pytest was given, less its paths and what is of this process alone."""
    given = list(config.invocation_params.args)
    paths = set(config.args)
    before = ""
    for argument, after in zip(map(str, given), [*map(str, given[1:]), ""]):
        option = argument.partition("=")[0]
        is_own = option in (*_OWN_VALUES, *_OWN_FLAGS) or before in _OWN_VALUES
        is_path = argument in paths and not before.startswith("-")
        is_this_plugin = argument == _PLUGIN or (argument == "-p" and after == _PLUGIN)
        if not (is_own or option in _OF_THIS_PROCESS or is_path or is_this_plugin):
            yield argument
        before = argument
    # What a project's own plugin is called by comes from the environment, which the host has not.
    for plugin in filter(None, os.environ.get("PYTEST_PLUGINS", "").split(",")):
        yield from ("-p", plugin)


def _by_test(record: Record, nodes: Collection[str]) -> tuple[dict[str, Result], dict[str, str]]:
    cases = {case["id"]: case for case in record["cases"]}
    results: dict[str, Result] = {}
    missing: dict[str, str] = {}
    for node in nodes:
        case = cases.get(id_of(node))
        if case is None:
            missing[node] = "the program that counts has no such test"
        elif case["status"] != "ok":
            missing[node] = _reason(case)
        else:
            results[node] = Result({**case, "id": node}, record)
    return results, missing


def _reason(case: Case) -> str:
    failure = case.get("failure")
    message = (failure and failure["message"]) or "; ".join(case["warnings"]) or case["status"]
    return message.strip().split("\n")[0]


def accept_options(parser: pytest.Parser) -> None:
    """Those of pytest-benchmark, where it is not installed, so that a project's own command line stays as it is."""
    group = parser.getgroup("benchmark", "accepted from pytest-benchmark's users")
    for option in VALUES:
        group.addoption(option, nargs="?", default=None, const="", help="has no meaning here")
    for option in FLAGS:
        group.addoption(
            option,
            action="store_true",
            default=False,
            help=_HELP.get(option, "has no meaning here"),
        )


_HELP = {
    "--benchmark-disable": "as --tally-disable",
    "--benchmark-skip": "skip tests with the fixture benchmark",
    "--benchmark-only": "skip tests without the fixture benchmark",
}
FLAGS = (
    "--benchmark-disable",
    "--benchmark-skip",
    "--benchmark-only",
    "--benchmark-enable",
    "--benchmark-disable-gc",
    "--benchmark-quiet",
    "--benchmark-verbose",
    "--benchmark-autosave",
    "--benchmark-save-data",
)
VALUES = (
    "--benchmark-min-time",
    "--benchmark-max-time",
    "--benchmark-min-rounds",
    "--benchmark-timer",
    "--benchmark-calibration-precision",
    "--benchmark-warmup",
    "--benchmark-warmup-iterations",
    "--benchmark-sort",
    "--benchmark-group-by",
    "--benchmark-columns",
    "--benchmark-name",
    "--benchmark-time-unit",
    "--benchmark-storage",
    "--benchmark-netrc",
    "--benchmark-json",
    "--benchmark-save",
    "--benchmark-compare",
    "--benchmark-compare-fail",
    "--benchmark-histogram",
    "--benchmark-cprofile",
)


def without_meaning(config: pytest.Config) -> list[str]:
    """Options of pytest-benchmark that somebody has given, and that nothing here follows from."""
    options: Sequence[str] = [
        one for one in (*VALUES, *FLAGS) if one not in _HELP and one != "--benchmark-enable"
    ]
    return [one for one in options if config.getoption(one, None) not in (None, False)]


class Hooks:
    """Those that pytest-benchmark declares, for a project's conftest.py that implements them."""

    def pytest_benchmark_scale_unit(
        self,
        config: object,
        unit: object,
        benchmarks: object,
        best: object,
        worst: object,
        sort: object,
    ) -> None: ...
    def pytest_benchmark_generate_machine_info(self, config: object) -> None: ...
    def pytest_benchmark_update_machine_info(
        self, config: object, machine_info: object
    ) -> None: ...
    def pytest_benchmark_generate_commit_info(self, config: object) -> None: ...
    def pytest_benchmark_update_commit_info(self, config: object, commit_info: object) -> None: ...
    def pytest_benchmark_group_stats(
        self, config: object, benchmarks: object, group_by: object
    ) -> None: ...
    def pytest_benchmark_generate_json(
        self,
        config: object,
        benchmarks: object,
        include_data: object,
        machine_info: object,
        commit_info: object,
    ) -> None: ...
    def pytest_benchmark_update_json(
        self, config: object, benchmarks: object, output_json: object
    ) -> None: ...
    def pytest_benchmark_compare_machine_info(
        self,
        config: object,
        benchmarksession: object,
        machine_info: object,
        compared_benchmark: object,
    ) -> None: ...
