"""The pytest plugin's state while pytest runs: what each test measured, its limits, and how the run ends."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tallymark._pytest.measuring import TALLY, Measured, Tally

if TYPE_CHECKING:
    from tallymark._baseline import Baseline, Verdict
    from tallymark._client.record import Record

BASELINE = "tally-baseline.json"


def has_pytest_benchmark() -> bool:
    """Whether it is installed, and declares its options and hooks itself."""
    return importlib.util.find_spec("pytest_benchmark") is not None


class Session:
    """One run of pytest: what its tests measured, what that is held against, and how it ends."""

    def __init__(self, config: pytest.Config) -> None:
        path = config.getoption("tally_baseline") or config.getini("tally_baseline") or BASELINE
        self.path = Path(config.rootpath, path)
        self.update = bool(config.getoption("tally_update"))
        has_other = has_pytest_benchmark()
        other = not has_other and config.getoption("--benchmark-disable", False)
        self.disabled = bool(
            config.getoption("tally_disable") or other or config.option.collectonly
        )
        self._unused: list[str] = []
        if not has_other:
            from tallymark._pytest.program import without_meaning

            self._unused = without_meaning(config)
        self.limits = [*config.getini("tally_limits"), *config.getoption("tally_limit")]
        self._requested: list[str] = config.getoption("tally_limit")
        self._allow_uncompared = bool(config.getoption("tally_allow_uncompared"))
        self._baseline: Baseline | None = None
        self._read = False
        self._new: list[Record] = []
        self._rows: list[list[str]] = []
        self._notes: list[str] = []
        self._codes: list[int] = []
        self._other_failures = 0
        self._measured = 0
        self._not_measured: dict[str, list[str]] = {}  # reason → tests
        self._held = 0  # measurements of tests with limits
        self._judged = 0  # of these
        self._used: set[str] = set()  # limits that judged something
        self.is_program = bool(config.getoption("tally"))
        self._was_stopped = False
        self._is_strict = bool(config.getoption("tally_strict"))
        self._config = config
        self._program_codes: list[int] = []
        self._benchmarks: dict[
            str, list[str]
        ] = {}  # with --tally: tests that passed → their limits

    def limits_of(self, item: pytest.Item) -> list[str]:
        """Of the markers, the closest first; else those of the session."""
        marker = item.get_closest_marker("tally")
        if marker is None:
            return list(self.limits)
        if marker.args:
            raise pytest.UsageError(
                f'{item.nodeid}: the marker tally takes limits by name, as in tally(instructions="+1%")'
            )
        return [f"{metric}={limit}" for metric, limit in marker.kwargs.items()] or [
            "instructions=+1%"
        ]

    def baseline(self) -> Baseline | None:
        from tallymark._baseline import read_baseline

        if not self._read:
            self._baseline, self._read = read_baseline(self.path), True
        return self._baseline

    def _check(self, measured: Measured, limits: Sequence[str]) -> Verdict:
        """With --tally-update only ceilings hold: what the others are held against is just being written."""
        from tallymark._baseline import check

        if self.update:
            ceilings = [
                limit for limit in limits if not limit.partition("=")[2].startswith(("+", "-"))
            ]
            return check(None, measured.record, ceilings)
        return check(
            self.baseline(), measured.record, limits, allow_uncompared=self._allow_uncompared
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
    ) -> None:
        from tallymark._pytest.program import remember_fixture

        remember_fixture(fixturedef.argname, request.node)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Iterator[None]:
        from tallymark._errors import Error
        from tallymark._pytest.program import is_benchmark

        outcome = yield
        report: pytest.TestReport = outcome.get_result()  # type: ignore[attr-defined]
        if report.when != "call":
            return
        is_counted = self.is_program and report.passed and is_benchmark(item)
        if is_counted:
            report.tally_limits = self.limits_of(item)  # type: ignore[attr-defined]
        tally = item.stash.get(TALLY, None)
        if report.passed and not is_counted and (idle := self._idle_marker(item, tally)):
            report.outcome = "failed"
            report.longrepr = idle
            report.tally = _outcome(codes=[2])  # type: ignore[attr-defined]
            return
        if tally is None:
            return
        rows: list[list[str]] = []
        failures: list[str] = []
        codes: list[int] = []
        used: list[list[str]] = []
        for measured in tally.measured:
            try:
                verdict = self._check(measured, tally.limits)
            except Error as error:
                failures, codes, used = [*failures, str(error)], [*codes, 2], [*used, []]
                continue
            rows.append(_row(measured, verdict, is_new=self._is_new(measured.name)))
            used += [list(verdict.judged)] if tally.limits else []
            if verdict.code:
                failures, codes = [*failures, _words(verdict, self.path)], [*codes, verdict.code]
        if tally.not_measured and tally.limits:
            failures += [f"{tally.node}: not measured: {reason}" for reason in tally.not_measured]
            codes.append(2)
        if report.passed and failures:
            report.outcome = "failed"
            report.longrepr = "\n".join(failures)
        else:
            codes = []
        if report.passed:
            self._new += [measured.record for measured in tally.measured]
        # Plain values on the report travel from the workers of pytest-xdist, too.
        report.tally = _outcome(  # type: ignore[attr-defined]
            rows, codes, len(tally.measured), tally.not_measured, used
        )

    def _idle_marker(self, item: pytest.Item, tally: Tally | None) -> str:
        """What is wrong with a test whose marker judges nothing, because the test has measured nothing; else "".

        A marker of a class or a module is for those of its tests that measure: it says nothing of the others."""
        from tallymark._pytest.program import is_benchmark

        has_measured = tally is not None and (tally.measured or tally.not_measured)
        if self.disabled or has_measured or item.get_closest_marker("tally") is None:
            return ""
        can_be_counted = is_benchmark(item)
        if can_be_counted and self._config.getoption("--benchmark-disable", False):
            return ""
        is_own = any(mark.name == "tally" for mark in item.own_markers)
        if not (is_own or can_be_counted or tally is not None):
            return ""
        try:
            limits = ", ".join(self.limits_of(item))
        except pytest.UsageError as error:
            return str(error)
        text = f"{item.nodeid}: the limit {limits} judged nothing: the test measured nothing"
        if can_be_counted and not self.is_program:
            text += "; pytest --tally counts it, and --tally-disable measures nothing"
        return text

    def _is_new(self, name: str) -> bool:
        from tallymark._baseline import only

        known = None if self.update else self.baseline()
        return known is not None and only(known, name) is None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if hasattr(report, "tally_limits"):
            self._benchmarks[report.nodeid] = report.tally_limits
        found = getattr(report, "tally", None)
        if found is None:
            self._other_failures += report.failed
            return
        self._rows += found["rows"]
        self._codes += found["codes"]
        self._other_failures += report.failed and not found["codes"]
        self._measured += found["measured"]
        for reason in found["not_measured"]:
            self._not_measured.setdefault(reason, []).append(report.nodeid)
        self._held += len(found["used"])
        self._judged += sum(1 for limits in found["used"] if limits)
        self._used.update(limit for limits in found["used"] for limit in limits)

    def _measure_benchmarks(self) -> None:
        """Those of the tests that have passed, by a host of theirs."""
        from tallymark._baseline import renamed
        from tallymark._errors import Error
        from tallymark._pytest.program import measure
        from tallymark._result import record_of

        if not self._benchmarks or self.disabled:
            return
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            number = len(self._benchmarks)
            tests = "test" if number == 1 else "tests"
            reporter.write_line(f"\ntally: counting {number} {tests}, in a host of their own")
        wall = any(
            one.startswith("time=") for limits in self._benchmarks.values() for one in limits
        )
        try:
            results, missing = measure(self._config, self._benchmarks, wall=wall)
        except Error as error:
            results, missing = {}, dict.fromkeys(self._benchmarks, str(error))
        for node, reason in missing.items():
            self._not_measured.setdefault(reason, []).append(node)
            if self._benchmarks[node]:
                self._program_codes.append(2)
        for node, result in results.items():
            self._judge(Measured(node, renamed(record_of(result), node), result))

    def _judge(self, measured: Measured) -> None:
        from tallymark._errors import Error

        limits = self._benchmarks[measured.name]
        self._measured += 1
        self._held += bool(limits)
        self._new.append(measured.record)
        try:
            verdict = self._check(measured, limits)
        except Error as error:
            self._notes.append(str(error))
            self._program_codes.append(2)
            return
        self._rows.append(_row(measured, verdict, is_new=self._is_new(measured.name)))
        if limits:
            self._judged += bool(verdict.judged)
            self._used.update(verdict.judged)
        if verdict.code:
            self._notes.append(_words(verdict, self.path))
            self._program_codes.append(verdict.code)

    @property
    def _failed_to_measure(self) -> int:
        return sum(map(len, self._not_measured.values()))

    def _idle_limits(self) -> list[str]:
        """Those of the command line that were held against nothing."""
        if self.update or self.disabled:
            return []
        return [limit for limit in self._requested if limit not in self._used]

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        from tallymark._errors import Error

        if self.is_program and not hasattr(session.config, "workerinput"):
            ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
            if ended and not (session.shouldstop or session.shouldfail):
                self._measure_benchmarks()
            else:
                self._was_stopped = True
        if self.update and self._new:
            from tallymark._baseline import update_baseline

            try:
                dropped = update_baseline(self.path, self._new)
                self._notes += [
                    f"{name}: no longer in the baseline: it was measured in another environment"
                    for name in dropped
                ]
            except (Error, OSError) as error:
                self._notes.append(f"the baseline could not be written: {error}")
                session.exitstatus = 2
                return
        if self.update and self._rows:  # by this process, or by the workers of pytest-xdist
            self._notes.append(f"baseline written: {self.path}")
        is_program = self.is_program and not self.disabled
        is_nothing = (self._not_measured or is_program) and not self._measured
        is_too_little = self._is_strict and self._not_measured
        if exitstatus == pytest.ExitCode.OK and (
            self._idle_limits() or is_nothing or is_too_little
        ):
            session.exitstatus = 2
        elif exitstatus == pytest.ExitCode.OK and self._program_codes:
            codes = self._program_codes
            session.exitstatus = 3 if 3 in codes else codes[0]
        if exitstatus == pytest.ExitCode.TESTS_FAILED and self._codes and not self._other_failures:
            codes = [*self._codes, *self._program_codes]
            session.exitstatus = 3 if 3 in codes else codes[0]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        from tallymark._view.text import columns

        notes = [*self._notes, *self._closing_lines()]
        if not self._rows and not notes:
            return
        terminalreporter.section("tally")
        if self._rows:
            head = ["test", "instructions", "change", "time", "change", ""]
            for line in columns([head, *self._rows], "lrrrrl"):
                terminalreporter.write_line(line)
        for note in notes:
            terminalreporter.write_line(note)

    def _closing_lines(self) -> Iterator[str]:
        for reason, tests in self._not_measured.items():
            more = f" and {len(tests) - 1} more" if len(tests) > 1 else ""
            yield f"{tests[0]}{more}: not measured: {reason}"
        if self._not_measured:
            tried = self._measured + self._failed_to_measure
            yield f"{self._failed_to_measure} of {tried} not measured" + (
                ""
                if self.is_program
                else "; --tally counts tests where they stand, and carries nothing"
            )
        elif self._was_stopped and self._benchmarks and not self.disabled:
            yield f"not counted, for the tests did not run to their end: {len(self._benchmarks)}"
        elif self.is_program and not self._measured and not self.disabled:
            yield "nothing was measured: no test that passed has the fixture or the marker benchmark"
        if self._unused:
            yield f"{', '.join(self._unused)}: of pytest-benchmark, and of no meaning here"
        for limit in self._idle_limits():
            yield f"the limit {limit} judged nothing"
        if self._held:
            yield f"judged {self._judged} of {self._held} cases by {len(self._used)} limits"


def _outcome(
    rows: Sequence[list[str]] = (),
    codes: Sequence[int] = (),
    measured: int = 0,
    not_measured: Sequence[str] = (),
    used: Sequence[list[str]] = (),
) -> dict[str, object]:
    """Of one test, as its report carries it."""
    return {
        "rows": list(rows),
        "codes": list(codes),
        "measured": measured,
        "not_measured": list(not_measured),
        "used": list(used),
    }


def _row(measured: Measured, verdict: Verdict, *, is_new: bool) -> list[str]:
    from tallymark._view.text import figure, percent, seconds

    def change(metric: str) -> str:
        return percent(verdict.changes[metric]) if metric in verdict.changes else ""

    result = measured.result
    states = {0: "new" if is_new else "", 1: "failed", 2: "not judged", 3: "regression"}
    better = [message.removeprefix(f"{measured.name}: ") for message in verdict.better]
    return [
        measured.name,
        figure(result.instructions),
        change("instructions"),
        seconds(result.seconds),
        change("time"),
        "; ".join(
            filter(
                None,
                [
                    states.get(verdict.code, "failed"),
                    measured.remark,
                    *verdict.warnings,
                    *(f"better: {one}" for one in better),
                ],
            )
        ),
    ]


def _words(verdict: Verdict, path: Path) -> str:
    if verdict.code == 3:
        return f"regression: {verdict.message}"
    named = "baseline" in verdict.message or "not compared" in verdict.message
    hint = f"pytest --tally-update writes {path}" if named else ""
    return f"{verdict.message}; {hint}" if hint else verdict.message


def session_of(config: pytest.Config) -> Session:
    found: Session = config.pluginmanager.get_plugin("tallymark-session")  # type: ignore[assignment]
    return found


def tally_of(request: pytest.FixtureRequest) -> Tally:
    """The test's one, whichever fixture asks first."""
    item: pytest.Item = request.node
    if TALLY not in item.stash:
        item.stash[TALLY] = Tally(item.nodeid, session_of(request.config).limits_of(item))
    return item.stash[TALLY]
