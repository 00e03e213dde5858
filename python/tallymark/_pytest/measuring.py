"""What one test measures: the fixture `tally`, which `benchmark` measures by, too."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from tallymark._client.record import Record
    from tallymark._definition import Definition
    from tallymark._options import CountKeys, TimeKeys
    from tallymark._result import Result
    from tallymark._statement import Statement


@dataclasses.dataclass(frozen=True)
class Measured:
    """One measurement of a test, under its name in the baseline."""

    name: str
    record: Record
    result: Result
    remark: str = ""


class Tally:
    """The fixture: measures as `tallymark.count`, `time` and `measure` do, and remembers what it measured."""

    def __init__(self, node: str, limits: Sequence[str]) -> None:
        self.node = node
        self.limits = tuple(limits)
        self.measured: list[Measured] = []
        self.not_measured: list[str] = []  # what the alias `benchmark` could not, and why

    def count(
        self,
        statement: Statement,
        *args: object,
        label: str | None = None,
        **options: Unpack[CountKeys],
    ) -> Result:
        """`tallymark.count`, held against the test's limits. Of several in one test each may get a `label`; without
        one they are numbered."""
        import tallymark

        options.setdefault("profile", False)
        return self._keep(tallymark.count(statement, *args, label=self.node, **options), label)

    def time(
        self,
        statement: Statement,
        *args: object,
        label: str | None = None,
        **options: Unpack[TimeKeys],
    ) -> Result:
        """The same of `tallymark.time`."""
        import tallymark

        return self._keep(tallymark.time(statement, *args, label=self.node, **options), label)

    def measure(
        self,
        statement: Statement,
        *args: object,
        label: str | None = None,
        **options: Unpack[CountKeys],
    ) -> Result:
        """The same of `tallymark.measure`: count and time."""
        import tallymark

        options.setdefault("profile", False)
        return self._keep(tallymark.measure(statement, *args, label=self.node, **options), label)

    def __call__(
        self,
        statement: Statement,
        *args: object,
        label: str | None = None,
        **options: Unpack[CountKeys],
    ) -> Result:
        """`count`, and a time too where the test has a limit of one."""
        kind = self.measure if self.wants_time else self.count
        return kind(statement, *args, label=label, **options)

    @property
    def wants_time(self) -> bool:
        return any(limit.startswith("time=") for limit in self.limits)

    def measure_definition(self, definition: Definition, remark: str = "") -> Result:
        """The same of a definition that was made earlier."""
        from tallymark._api import measure_definition
        from tallymark._options import settings_of

        settings = settings_of({}, wall=self.wants_time)
        return self._keep(measure_definition(definition, settings, profile=False), None, remark)

    def _keep(self, result: Result, label: str | None, remark: str = "") -> Result:
        from tallymark._baseline import renamed
        from tallymark._result import record_of

        name = f"{self.node} {label}" if label else self.node
        taken = {one.name for one in self.measured}
        number, unique = 1, name
        while unique in taken:
            number += 1
            unique = f"{name} #{number}"
        self.measured.append(Measured(unique, renamed(record_of(result), unique), result, remark))
        return result


TALLY = pytest.StashKey[Tally]()
