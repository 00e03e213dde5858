"""Checks what measuring needs, and reports what is missing."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import subprocess
import sys
from typing import Any

from tallymark._client.engine import Engine, default_engine
from tallymark._client.environment import Surroundings
from tallymark._errors import Error
from tallymark._view import html as _html
from tallymark._view import text as _text

_DEADLINE = 300.0  # seconds: it imports what the toolchains require


@dataclasses.dataclass(frozen=True)
class Check:
    """One thing that was looked at. `state`: ok, missing, or absent for what only some measurements need."""

    state: str
    what: str
    found: str
    hint: str = ""

    @property
    def mend(self) -> str:
        """The hint, by its earlier name."""
        return self.hint


@dataclasses.dataclass(frozen=True, repr=False)
class Diagnosis:
    """All checks; `ok` when nothing is missing that every measurement needs."""

    checks: tuple[Check, ...]
    ok: bool

    def __repr__(self) -> str:
        rows = [(one.state, one.what, _detail(one)) for one in self.checks]
        return "\n".join(_text.columns(rows, "lll"))

    def _repr_html_(self) -> str:
        return _html.checks([(one.state, one.what, _detail(one)) for one in self.checks])


def doctor(*, engine: Engine | None = None) -> Diagnosis:
    """Looks for what measuring from this process needs: tally, its server, Valgrind, compilers, cloudpickle."""
    chosen = engine or default_engine()
    try:
        tally = chosen.tally()
    except Error as error:
        return Diagnosis((Check("missing", "tally", error.message, error.hint),), False)
    checks = [Check("ok", "tally", tally), *_python_checks(chosen)]
    found, ok = _tally_checks(tally)
    return Diagnosis((*checks, *found), ok and all(one.state == "ok" for one in checks[:2]))


def _python_checks(engine: Engine) -> list[Check]:
    checks = []
    try:
        status = engine.status()
        checks.append(Check("ok", "server", f"{len(status.get('hosts') or [])} hosts are warm"))
    except Error as error:
        checks.append(Check("missing", "server", str(error)))
    version = ".".join(map(str, sys.version_info[:3]))
    checks.append(Check("ok", "this Python", f"{version} ({sys.executable})"))
    if importlib.util.find_spec("cloudpickle") is None:
        hint = f"{sys.executable} -m pip install cloudpickle"
        checks.append(
            Check(
                "absent",
                "cloudpickle",
                "functions of __main__ and notebooks cannot be measured",
                hint,
            )
        )
    else:
        checks.append(Check("ok", "cloudpickle", "functions can be taken along by value"))
    return checks


def _tally_checks(tally: str) -> tuple[list[Check], bool]:
    surroundings = Surroundings.of_this_process({})
    try:
        done = subprocess.run(
            [tally, "doctor", "--json"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_DEADLINE,
            env={**os.environ, **surroundings.environment},
        )
        report: Any = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return [Check("missing", "tally doctor", str(error))], False
    checks = [
        Check(one["state"], one["what"], one["detail"], one["hint"]) for one in report["findings"]
    ]
    return checks, bool(report["ok"])


def _detail(one: Check) -> str:
    return f"{one.found}; {one.hint}" if one.hint else one.found
