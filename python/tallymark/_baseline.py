"""A file of measured cases that later measurements are held against: a record, which `tally check`, `compare` and
`report` read too. Cases of several measurements come together in it under names of the caller's choice."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, cast

from tallymark._client.engine import Engine, default_engine
from tallymark._client.record import Case, Record, Settings
from tallymark._errors import Error
from tallymark._output import write_text


class Baseline(Record, total=False):
    """What the file has: a record, and settings by the case's id where they are a test's own."""

    case_settings: dict[str, Settings]


_NO_LIMIT = "instructions=+1000000000%"  # it has one of its own where it is given none


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The result of `tally check`: its exit code (0 pass, 1 failed, 2 no usable baseline, or not compared, 3 a
    regression), its words, its warnings, what is better than a limit by more than the limit, the limits that it could
    judge, and for `instructions` and `time` the change as a share, where both sides have them."""

    code: int
    message: str = ""
    warnings: tuple[str, ...] = ()
    better: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()
    changes: Mapping[str, float] = dataclasses.field(default_factory=dict)


def renamed(record: Record, name: str) -> Record:
    """A record of one case, under the name that the caller knows it by."""
    (case,) = record["cases"]
    return {**record, "cases": [{**case, "id": name}]}


def read_baseline(path: Path) -> Baseline | None:
    """The record in the file, or None where there is no file. Raises Error for what is not a record."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise Error(
            f"the baseline cannot be read: {error}", place=str(path), kind="input"
        ) from None
    if not isinstance(record, dict) or not isinstance(record.get("cases"), list):
        raise Error(
            "the baseline is not a record of tally",
            place=str(path),
            hint="write it anew",
            kind="input",
        )
    return cast(Baseline, record)


def only(baseline: Baseline | None, name: str) -> Record | None:
    """The part of a baseline that is about one case, or None."""
    cases = [case for case in baseline["cases"] if case["id"] == name] if baseline else []
    if not baseline or not cases:
        return None
    part: Baseline = {**baseline, "cases": cases, "settings": _settings_of(baseline, name)}
    part.pop("case_settings", None)
    return part


def check(
    baseline: Baseline | None,
    new: Record,
    limits: Sequence[str],
    *,
    allow_uncompared: bool = False,
    engine: Engine | None = None,
) -> Verdict:
    """Holds a record of one case against the baseline and limits such as `instructions=+1%`, as `tally check` does.
    Limits that are ceilings need no baseline; without limits only the changes are found out. A limit that cannot be
    held against the case is never a pass, unless `allow_uncompared` says so of one whose two sides cannot be
    compared."""
    (case,) = new["cases"]
    name = case["id"]
    base = only(baseline, name)
    for limit in limits:
        if missing := _cannot_hold(limit, case, base["cases"][0] if base else None):
            return Verdict(2, f"{name}: {missing}")
    if not base and not limits:
        return Verdict(0)
    try:
        said = (engine or default_engine()).check(base or new, new, limits or [_NO_LIMIT])
    except Error as error:
        return Verdict(2 if error.kind == "input" else 1, f"{name}: {error}")
    found = said["cases"][0]
    messages: dict[str, list[str]] = {"failure": [], "warning": []}
    for finding in said["findings"]:
        messages.setdefault(finding["severity"], []).append(f"{name}: {finding['message']}")
    judged = said.get("judged") or {}
    uncompared = [f"not compared: {one['why']}" for one in judged.get("uncompared") or ()]
    idle = [one for one in judged.get("limits") or () if one.get("why")]
    code = said["exit_code"]
    if code == 2 and (not limits or (uncompared and allow_uncompared)):
        # Without limits nothing is to be judged, which is no fault here.
        code = 0
        messages["warning"] += uncompared
    if code and not messages["failure"]:
        reasons = uncompared or [f"{one['limit']} judged nothing: {one['why']}" for one in idle]
        reason = "; ".join(dict.fromkeys(reasons or said["remarks"] or [found["verdict"]]))
        messages["failure"].append(f"{name}: {reason}")
    moved = (("instructions", found.get("instructions")), ("time", found.get("time")))
    return Verdict(
        code,
        "; ".join(messages["failure"]),
        tuple(messages["warning"]),
        tuple(messages.get("better", ())),
        tuple(limit for limit in limits if limit not in {one["limit"] for one in idle}),
        # There is no share of nothing: where the baseline's figure is 0.
        {name: one["change"] for name, one in moved if base and one and one["change"] is not None},
    )


def _cannot_hold(limit: str, case: Case, base: Case | None) -> str:
    """Why a limit cannot be judged, where `tally check` would pass over it; empty when something can."""
    metric, _, value = limit.partition("=")
    part: Literal["wall", "counts"] = "wall" if metric == "time" else "counts"
    word = "time" if metric == "time" else "count"
    if not case.get(part):
        return f"no {word} was taken for the limit {limit}"
    if not value.startswith(("+", "-")):
        return ""  # a ceiling
    if base is None:
        return f"there is no baseline for the limit {limit}"
    return "" if base.get(part) else f"the baseline has no {word} for the limit {limit}"


def update_baseline(path: Path, new: Iterable[Record]) -> list[str]:
    """Puts the cases of records into the file, in place of those of their names, and keeps the others where they were
    measured in the same environment; each has the settings it was measured with. Returns the names of those that were
    not kept. Of several processes one waits for the other."""
    records = list(new)
    if not records:
        return []
    with _locked(path):
        merged = _merge(records)
        names = {case["id"] for case in merged["cases"]}
        old = read_baseline(path)
        dropped = []
        for case in old["cases"] if old else []:
            if case["id"] in names:
                continue
            if old and _belongs(old, case, merged):
                _add(merged, old, case)
            else:
                dropped.append(case["id"])
        merged["cases"].sort(key=lambda case: str(case["id"]))
        write_text(path, json.dumps(merged, indent=1, ensure_ascii=False) + "\n")
    return dropped


def _merge(records: Sequence[Record]) -> Baseline:
    merged: Baseline = {
        **records[-1],
        "cases": [],
        "environments": {},
        "machines": [],
        "settings": {**records[-1]["settings"]},
        "case_settings": {},
    }
    for record in records:
        # Some measured the one, some the other.
        merged["settings"]["counts"] |= record["settings"]["counts"]
        merged["settings"]["wall"] |= record["settings"]["wall"]
        for case in record["cases"]:
            _add(merged, record, case)
    return merged


def _settings_of(record: Record, name: str) -> Settings:
    """A test has settings of its own, a record has one."""
    return cast(Baseline, record).get("case_settings", {}).get(name) or record["settings"]


def _add(merged: Baseline, record: Record, case: Case) -> None:
    """A case with what it refers to: its machine by index, its environments and settings by name."""
    merged["case_settings"][case["id"]] = _settings_of(record, case["id"])
    machine = record["machines"][case["machine"]]
    if machine not in merged["machines"]:
        merged["machines"].append(machine)
    merged["cases"].append({**case, "machine": merged["machines"].index(machine)})
    for name, environment in record["environments"].items():
        merged["environments"].setdefault(name, environment)


def _belongs(old: Baseline, case: Case, merged: Baseline) -> bool:
    """Whether what a case says of its environment stays true in the merged record."""
    name = f"{case['toolchain']} [{case['language']}]"
    mine, theirs = old["environments"].get(name), merged["environments"].get(name)
    return theirs is None or (
        mine is not None and mine.get("fingerprint") == theirs.get("fingerprint")
    )


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Of the folder, so that no file of a lock stays behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
