"""pytest: the fixture `tally`, limits in a marker, a baseline that `--tally-update` writes, and `benchmark` with the
call forms of pytest-benchmark where neither that plugin nor pytest-codspeed is there. With `--tally`, the tests that
benchmark are counted by a host that collects them itself (_pytest/program.py).

    @pytest.mark.tally(instructions="+1%")
    def test_sort(tally):
        tally.count(sorted, list(range(100)))

A limit that is exceeded fails its test with the words of `tally check`; when nothing else failed, so do the exit codes:
3 for a regression, 2 where something was not judged. docs/guides/pytest.md has the rest.
"""

from __future__ import annotations

import pytest

from tallymark._pytest.measuring import Tally
from tallymark._pytest.session import (
    BASELINE,
    Session,
    has_pytest_benchmark,
    session_of,
    tally_of,
)

OTHERS = ("benchmark", "codspeed")  # pytest-benchmark and pytest-codspeed: `benchmark` is theirs

MARKER = (
    "tally(instructions=…, time=…, …): limits of what the test measures, as tally check has them: "
    '"+1%" against the baseline, or a ceiling; instructions="+1%" without any'
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tally", "counts and times, exactly")
    group.addoption(
        "--tally",
        action="store_true",
        help="count what tests give to the fixture benchmark, by a host that collects these tests",
    )
    group.addoption(
        "--tally-strict",
        action="store_true",
        help="exit with 2 where a test that benchmarks was not measured",
    )
    group.addoption(
        "--tally-update", action="store_true", help="write what the tests measure into the baseline"
    )
    group.addoption(
        "--tally-baseline", metavar="FILE", help=f"the baseline ({BASELINE} in the root folder)"
    )
    group.addoption(
        "--tally-limit",
        action="append",
        default=[],
        metavar="METRIC=LIMIT",
        help="a limit for tests without a marker, such as instructions=+1%%",
    )
    group.addoption(
        "--tally-allow-uncompared",
        action="store_true",
        help="let pass what cannot be compared with its baseline: other iterations, a count below zero",
    )
    group.addoption(
        "--tally-disable",
        action="store_true",
        help="measure nothing: skip tally's tests, run benchmark's once",
    )
    if not has_pytest_benchmark():
        from tallymark._pytest.program import accept_options

        accept_options(parser)
    parser.addini("tally_baseline", "the baseline, from the root folder", default="")
    parser.addini("tally_limits", "limits for tests without a marker", type="linelist", default=[])


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    if not has_pytest_benchmark():
        from tallymark._pytest.program import Hooks

        pluginmanager.add_hookspecs(Hooks)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    from tallymark._pytest.program import is_benchmark

    skipped = {True: "--benchmark-skip", False: "--benchmark-only"}
    given = {kind: config.getoption(option, False) for kind, option in skipped.items()}
    for item in items if any(given.values()) and not has_pytest_benchmark() else ():
        if given[is_benchmark(item)]:
            item.add_marker(pytest.mark.skip(reason=skipped[is_benchmark(item)]))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)
    config.pluginmanager.register(Session(config), "tallymark-session")
    if not any(config.pluginmanager.hasplugin(name) for name in OTHERS):
        from tallymark._pytest.benchmark_fixture import Alias

        config.addinivalue_line(
            "markers", "benchmark(group=…, …): taken from pytest-benchmark's tests, and ignored"
        )
        config.pluginmanager.register(Alias(), "tallymark-benchmark")


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """Measures: tally.count(f, *args), tally.time(…), tally.measure(…), and tally(…), which counts."""
    if session_of(request.config).disabled:
        pytest.skip("--tally-disable")
    return tally_of(request)
