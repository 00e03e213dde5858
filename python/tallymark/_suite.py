"""A suite that Python builds: what TOML can say, with loops and comprehensions around it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tallymark._api import results_of, select
from tallymark._capture.capture import DATA_LIMIT, Captured
from tallymark._client.engine import Engine, default_engine
from tallymark._definition import SCHEMA, Definition, are_here, to_document
from tallymark._errors import Error
from tallymark._notices import Notices
from tallymark._options import Options, Profile, profiles_of, settings_of
from tallymark._result import Results
from tallymark._statement import Statement, define

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from tallymark._client.request import Suite as SuiteDocument
    from tallymark._suite_keys import (
        AddedKeys,
        CommandKeys,
        DefaultKeys,
        ProgramKeys,
        SetupKeys,
        TimerKeys,
        ToolchainKeys,
        VariantsKeys,
    )

_SECONDS = ("timeout", "min_run_time", "max_run_time")


class Suite:
    """Definitions that are measured together.

    Keys are those of a suite's file (docs/reference/suites.md). Seconds, bytes and shares may be numbers where TOML
    has text with a unit.

    >>> import tallymark
    >>> suite = tallymark.Suite()
    >>> for n in (8, 64):
    ...     suite.benchmark(["sort", str(n)], py="sorted(v)", setup={"py": f"v = list(range({n}))"})
    >>> [result.label for result in suite.run(times=False)]
    ['sort/8', 'sort/64']
    """

    def __init__(
        self,
        *,
        toolchain: str | None = None,
        include: Sequence[str] = (),
        **defaults: Unpack[DefaultKeys],
    ) -> None:
        """`toolchain`, `include` and `[defaults]` of the file."""
        self._head: dict[str, Any] = {"schema": SCHEMA}
        if toolchain is not None:
            self._head["toolchain"] = toolchain
        if include:
            self._head["include"] = list(include)
        if defaults:
            self._head["defaults"] = _keys(defaults)
        self._setups: dict[str, dict[str, object]] = {}
        self._toolchains: dict[str, dict[str, object]] = {}
        self._benchmarks: list[dict[str, object]] = []
        self._variants: list[dict[str, object]] = []
        self._timers: list[dict[str, object]] = []
        self._commands: list[dict[str, object]] = []
        self._programs: list[dict[str, object]] = []
        self._definitions: list[Definition] = []

    def setup(self, name: str, **sides: Unpack[SetupKeys]) -> None:
        """A named setup: py, cpp, cpp_global or table."""
        self._setups[name] = dict(sides)

    def toolchain(self, name: str, **keys: Unpack[ToolchainKeys]) -> None:
        """A toolchain: extends, flags, include, link, requires, …"""
        self._toolchains[name] = dict(keys)

    def benchmark(self, label: str | Sequence[str], **keys: object) -> None:
        """A `[[benchmark]]`: py, cpp, table, py_model, setup, signature, params, autograd, threads, …, and the
        runtimes of its toolchain, such as torchscript."""
        self._benchmarks.append({"label": _label(label), **_keys(keys)})

    def variants(self, label: str | Sequence[str], **keys: Unpack[VariantsKeys]) -> None:
        """A `[[variants]]` block: table, or py and cpp. Each line is a case."""
        self._variants.append({"label": _label(label), **_keys(keys)})

    def timer(
        self,
        label: str | Sequence[str],
        stmt: str,
        *,
        language: str = "python",
        **keys: Unpack[TimerKeys],
    ) -> None:
        """A `[[timer]]`: one explicit case."""
        self._timers.append(
            {"label": _label(label), "language": language, "stmt": stmt, **_keys(keys)}
        )

    def command(
        self,
        label: str | Sequence[str],
        run: Sequence[str | os.PathLike[str]] = (),
        **keys: Unpack[CommandKeys],
    ) -> None:
        """A `[[command]]`: a program and its arguments, or `shell=` a text for /bin/sh; with prepare, input, output,
        expect_status, environment, folder, params, tags, timeout, … Relative paths are taken from the working
        folder."""
        words = {"run": [os.fspath(word) for word in run]} if run else {}
        self._commands.append({"label": _label(label), **words, **_keys(keys)})

    def program(self, path: str | os.PathLike[str], **keys: Unpack[ProgramKeys]) -> None:
        """A `[[program]]`: a benchmark program, with name, filter, args, tags, timeout, … A relative path is taken from
        the working folder."""
        self._programs.append({"path": os.fspath(path), **_keys(keys)})

    def add(
        self,
        statement: Statement,
        *args: object,
        setup: str = "",
        globals: Mapping[str, object] | None = None,
        global_setup: str = "",
        language: str = "python",
        label: str | None = None,
        threads: int = 1,
        toolchain: str | None = None,
        data_limit: int = DATA_LIMIT,
        **keys: Unpack[AddedKeys],
    ) -> None:
        """One case, given as to `tallymark.count`: functions and values of this process can be in it. `keys` are
        further ones of a timer."""
        self._definitions.append(
            define(
                statement,
                *args,
                setup=setup,
                globals=globals,
                global_setup=global_setup,
                language=language,
                label=label,
                threads=threads,
                toolchain=toolchain,
                data_limit=data_limit,
                options=_keys(keys),
            )
        )

    def document(self) -> dict[str, Any]:
        """What the server reads: the keys of TOML as JSON."""
        added = to_document(self._definitions)
        parts = {
            "setup": self._setups,
            "toolchain": {**self._toolchains, **added.get("toolchain", {})},
            "benchmark": self._benchmarks,
            "variants": self._variants,
            "timer": self._timers + added["timer"],
            "command": self._commands,
            "program": self._programs,
        }
        # The default toolchain of a suite is a key of the same name as the table of its toolchains.
        document = {**self._head, **{key: value for key, value in parts.items() if value}}
        if "toolchain" in self._head and parts["toolchain"]:
            document["toolchain"] = parts["toolchain"]
            document["defaults"] = {
                "toolchain": self._head["toolchain"],
                **self._head.get("defaults", {}),
            }
        return document

    def run(
        self,
        *,
        filter: Sequence[str] | str = (),
        exclude: Sequence[str] | str = (),
        counts: bool = True,
        times: bool = True,
        profile: Profile = False,
        tools: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        **options: Unpack[Options],
    ) -> Results:
        """Measures it. Cases that failed are among the results: see `.failed`."""
        chosen = engine or default_engine()
        suite: SuiteDocument = {"document": self.document()}
        settings = settings_of(options, counts=counts, wall=times)
        with chosen.exclusive():
            if are_here(self._definitions):
                self._refuse_others()
                run = chosen.measure_here(
                    suite,
                    select=select(filter, exclude),
                    settings=settings,
                    tools=tools,
                    profiles=bool(profile),
                    on_event=Notices(),
                )
            else:
                run = chosen.measure_suite(
                    suite,
                    select=select(filter, exclude),
                    settings=settings,
                    tools=tools,
                    **profiles_of(profile),
                    on_event=Notices(),
                    folders=[
                        one for made in self._definitions if made.data for one in made.data.folders
                    ],
                )
            results = results_of(run, profile=bool(profile))
        return results.with_captured(self._captured())

    def _refuse_others(self) -> None:
        """A fork of this process has what was added. Other cases are of a host that starts by itself."""
        others = (self._benchmarks, self._variants, self._timers, self._commands, self._programs)
        if any(others) or "include" in self._head:
            raise Error(
                "under tally exec, what add() has is measured in this process, and other cases are not",
                hint="run the others as a suite of their own, or the program without tally exec",
                kind="input",
            )

    def _captured(self) -> dict[tuple[str, str], Captured]:
        """By language and label of the case, as the document names it."""
        timers = to_document(self._definitions)["timer"]
        return {
            (timer["language"], "/".join(timer["label"])): one.data
            for timer, one in zip(timers, self._definitions)
            if one.data is not None
        }


def _label(label: str | Sequence[str]) -> list[str]:
    return [label] if isinstance(label, str) else list(label)


def _keys(keys: Mapping[str, object]) -> dict[str, object]:
    return {key: _value(key, value) for key, value in keys.items() if value is not None}


def _value(key: str, value: object) -> object:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if key in _SECONDS:
            return f"{max(1, round(value * 1000))} ms"
        if key == "memory":
            return f"{-(-int(value) // 1024)} KiB"
        if key == "precision":
            return f"{value * 100:g} %"
    return value
