"""The fixture `benchmark` with the call forms of pytest-benchmark, for test files that were written for it: what they
give it is executed once here, for its result, and counted by `tally`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from tallymark._pytest.measuring import Tally
from tallymark._pytest.session import session_of, tally_of

if TYPE_CHECKING:
    from tallymark._definition import Definition


class Benchmark:
    """`benchmark(f, *args, **kwargs)` and `benchmark.pedantic(…)`; both return what `f` returns."""

    def __init__(self, tally: Tally, *, disabled: bool) -> None:
        self._tally = tally
        self._disabled = disabled
        self.name = ""
        self.group: str | None = None
        self.extra_info: dict[str, object] = {}

    def __call__(self, function_to_benchmark: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return self._measure(function_to_benchmark, args, kwargs)

    def pedantic(
        self,
        target: Callable[..., object],
        args: Sequence[object] = (),
        kwargs: Mapping[str, object] | None = None,
        setup: Callable[[], object] | None = None,
        teardown: Callable[..., object] | None = None,
        rounds: int = 1,
        warmup_rounds: int = 0,
        iterations: int = 1,
    ) -> Any:
        """`setup`, which may return (args, kwargs), comes before each execution, `teardown` after it; both are counted
        with it, and reported so. Rounds, iterations and warm-ups are the engine's: counts repeat exactly."""
        for name, value, least in (
            ("rounds", rounds, 1),
            ("warmup_rounds", warmup_rounds, 0),
            ("iterations", iterations, 1),
        ):
            if not isinstance(value, int) or value < least:
                raise ValueError(
                    f"{name} must be a whole number of at least {least}, not {value!r}"
                )
        given = dict(kwargs or {})
        if setup is None and teardown is None:
            return self._measure(target, tuple(args), given)
        return self._measure_between(setup, teardown, target, tuple(args), given)

    def _measure(
        self, function: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]
    ) -> object:
        values = {"f": function, **{f"x{at}": value for at, value in enumerate(args)}}
        # A keyword cannot be a variable's name that is taken already: f and x0 are.
        words = {f"{name}_": value for name, value in kwargs.items()}
        call = f"f({', '.join([*list(values)[1:], *(f'{name}={name}_' for name in kwargs)])})"
        plain = None if kwargs else (function, args)
        return self._executed(
            ("", call, ""), {**values, **words}, lambda: function(*args, **kwargs), plain=plain
        )

    def _measure_between(
        self,
        setup: Callable[[], Any] | None,  # it may return (args, kwargs)
        teardown: Callable[..., object] | None,
        target: Callable[..., object],
        args: tuple[object, ...],
        kwargs: dict[str, object],
    ) -> object:
        """What changes its arguments needs its setup before each execution, and what leaves something behind its
        teardown: all are counted, and reported so."""
        values: dict[str, object] = {"f": target, "a": args, "k": kwargs}
        first, last = "", ""
        if setup is not None:
            values["setup"], first = setup, "setup()\n"
            made = setup()
            if made is not None:
                if args or kwargs:
                    raise TypeError(
                        "the arguments come from args and kwargs, or from what setup returns; not from both"
                    )
                args, kwargs = made
                first = "a, k = setup()\n"
                del values["a"], values["k"]
        if teardown is not None:
            values["teardown"], last = teardown, "\nteardown(*a, **k)"
        words = [name for name in ("setup", "teardown") if name in values]
        result = self._executed(
            (first, "f(*a, **k)", last),
            values,
            lambda: target(*args, **kwargs),
            f"with its {' and '.join(words)}",
        )
        if teardown is not None:
            teardown(*args, **kwargs)
        return result

    def _executed(
        self,
        texts: tuple[str, str, str],
        values: dict[str, object],
        execute: Callable[[], Any],
        remark: str = "",
        plain: tuple[Callable[..., object], tuple[object, ...]] | None = None,
    ) -> object:
        """The result of one execution here, and a count of what `texts` says comes before the call, of the call, and of
        what comes after it; `plain` is a call without keywords."""
        from tallymark._capture import awaited as _awaited

        function = values["f"]
        awaited = _awaited.kind_of_call(function) == "coroutine"
        definition = self._defined(lambda: _definition(texts, values, plain, awaited))
        result = execute()
        kind = _awaited.kind_of_result(result)
        if kind == "coroutine":
            # Nothing of it has run yet, so that the arguments are as they were.
            if not awaited:
                definition = self._defined(lambda: _definition(texts, values, None, True))
            result = _awaited.run(result)
            remark = "; ".join(filter(None, [remark, "with asyncio's event loop"]))
        elif kind and definition is not None:
            name = str(getattr(function, "__name__", "f"))
            definition = self._defined(lambda: _refuse(_awaited.not_run(kind, name)))
        self._count(definition, remark)
        return result

    def _defined(self, define: Callable[[], Definition]) -> Definition | None:
        """What is taken along is taken before the function can change it. None where it cannot leave this process."""
        from tallymark._errors import Error

        if self._disabled:
            return None
        try:
            return define()
        except Error as error:
            self._tally.not_measured.append(str(error))
            return None

    def _count(self, definition: Definition | None, remark: str = "") -> None:
        from tallymark._errors import Error

        if definition is None:
            return
        try:
            self._tally.measure_definition(definition, remark)
        except Error as error:  # it did work here, so the test continues
            self._tally.not_measured.append(str(error))


def _definition(
    texts: tuple[str, str, str],
    values: dict[str, object],
    plain: tuple[Callable[..., object], tuple[object, ...]] | None,
    awaited: bool,
) -> Definition:
    from tallymark._capture.awaited import Loop
    from tallymark._statement import define, with_text

    if plain is not None:
        function, args = plain
        return define(function, *args)
    if not awaited:
        return define("".join(texts), globals=values)
    first, call, last = texts
    made = define(f"{first}run({call}){last}", globals={**values, "run": Loop()})
    assert made.data is not None
    return dataclasses.replace(made, data=with_text(made.data, made.stmt, awaited=True))


def _refuse(error: Exception) -> NoReturn:
    raise error


class Alias:
    """The plugin that has the fixture, registered where pytest-benchmark is not."""

    @pytest.fixture
    def benchmark(self, request: pytest.FixtureRequest) -> Benchmark:
        """pytest-benchmark's call forms: benchmark(f, *args, **kwargs), benchmark.pedantic(…)."""
        session = session_of(request.config)
        made = Benchmark(tally_of(request), disabled=session.disabled or session.is_program)
        made.name = request.node.name
        return made
