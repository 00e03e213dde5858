"""Functions as benchmarks: what `tally run --script FILE` measures of a file, and `tallymark.main()` of its own.

>>> import tallymark
>>> @tallymark.bench(params={"n": [10, 1000]})
... def sort(state):
...     data = list(range(state["n"]))
...     for _ in state:
...         sorted(data)
>>> sort(tallymark.State({"n": 10}))  # by itself it is a function; its loop executes once
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, TypeVar, overload

Function = TypeVar("Function", bound=Callable[..., Any])
SHOWN_AS_THEY_ARE = (str, int, float, bool, type(None))


class Loop(Protocol):
    """Who executes the body of a state's loop: a host, which measures it."""

    def begin(self, make: Callable[[], Any] | None) -> Iterator[Any]: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def counter(self, name: str, value: float, is_rate: bool) -> None: ...
    def skip(self, reason: str) -> None: ...


class _Once:
    """Where nobody measures."""

    def begin(self, make: Callable[[], Any] | None) -> Iterator[Any]:
        return iter((make() if make is not None else None,))

    def pause(self) -> None:
        pass

    def resume(self) -> None:
        pass

    def counter(self, name: str, value: float, is_rate: bool) -> None:
        pass

    def skip(self, reason: str) -> None:
        pass


class _Paused:
    def __init__(self, loop: Loop) -> None:
        self._loop = loop

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_error: object) -> None:
        self._loop.resume()


class State:
    """What a benchmark with a loop of its own is given. The body of `for _ in state:` is what is measured: one such
    loop, run to its end. What comes before it is done once.

    `state["n"]` and `state.n` are the value of a parameter, `state.params` are all.
    """

    def __init__(
        self, params: Mapping[str, object] | None = None, *, loop: Loop | None = None
    ) -> None:
        self.params: dict[str, Any] = dict(params or {})
        self._loop: Loop = loop if loop is not None else _Once()
        self._paused = _Paused(self._loop)  # one for all: a pause allocates nothing

    def __getitem__(self, name: str) -> Any:
        return self.params[name]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["params"][name]
        except KeyError:
            raise AttributeError(f"the benchmark has no parameter {name!r}") from None

    def __repr__(self) -> str:
        return f"State({self.params!r})"

    def __iter__(self) -> Iterator[None]:
        return self._loop.begin(None)

    def each(self, make: Callable[[], Any]) -> Iterator[Any]:
        """The same loop, with a fresh value of make() for each execution; making them is not measured.

        `for data in state.each(lambda: list(source)): data.sort()`
        """
        return self._loop.begin(make)

    def pause(self) -> _Paused:
        """Nothing is measured until `state.resume()`, or within `with state.pause():`.

        What the calls cost is taken off the count. It is not taken off the time: a fraction of a microsecond for each
        pause. Where what is paused makes the data of an execution, prefer `each`."""
        self._loop.pause()
        return self._paused

    def resume(self) -> None:
        """Ends the pause."""
        self._loop.resume()

    def counter(self, name: str, value: float, *, per: str | None = None) -> None:
        """A number for the record: as it is, or with per="second" that of one execution, divided by its time."""
        if per not in (None, "second"):
            raise ValueError(f'per is "second" or None, not {per!r}')
        self._loop.counter(name, float(value), per is not None)

    def skip(self, reason: str) -> None:
        """The case is skipped for this reason, which is not a failure. Return afterwards."""
        self._loop.skip(reason)


@dataclass(frozen=True)
class Benchmark:
    """A function that was marked."""

    function: Callable[..., object]
    label: str
    params: Mapping[str, Sequence[object]]
    tags: tuple[str, ...]

    def takes_state(self) -> bool:
        """Whether its first parameter is named `state`."""
        import inspect

        return next(iter(inspect.signature(self.function).parameters), None) == "state"

    def cases(self) -> Iterator[tuple[str, dict[str, Any], dict[str, str]]]:
        """Of every combination of values, in declared order: "n=10,kind=a", the values, and as what each is shown;
        without any, "", {} and {}."""
        numbered = [
            [(name, _shown(name, number, value), value) for number, value in enumerate(values)]
            for name, values in self.params.items()
        ]
        for chosen in itertools.product(*numbered):
            text = ",".join(f"{name}={shown}" for name, shown, _ in chosen)
            shown = {name: text for name, text, _ in chosen}
            yield text, {name: value for name, _, value in chosen}, shown


registered: list[Benchmark] = []  # by every file that was imported, in order


def _shown(name: str, number: int, value: object) -> str:
    if isinstance(value, SHOWN_AS_THEY_ARE):
        return str(value)
    own = getattr(value, "__name__", None)
    return own if isinstance(own, str) else f"{name}{number}"


def _makes_generator(function: object) -> bool:
    import inspect

    called = type(function).__call__ if callable(function) else function
    return any(
        inspect.isgeneratorfunction(one) or inspect.isasyncgenfunction(one)
        for one in (function, called)
    )


def _checked(params: Mapping[str, Sequence[Any]] | None) -> dict[str, list[Any]]:
    checked = {}
    for name, values in (params or {}).items():
        if isinstance(values, str) or not (listed := list(values)):
            raise ValueError(f'params has a list of values for each name: {{"{name}": [10, 1000]}}')
        checked[name] = listed
    return checked


@overload
def bench(function: Function, /) -> Function: ...
@overload
def bench(
    *,
    params: Mapping[str, Sequence[object]] | None = None,
    label: str | None = None,
    tags: Sequence[str] = (),
) -> Callable[[Function], Function]: ...
def bench(
    function: object = None,
    /,
    *,
    params: Mapping[str, Sequence[object]] | None = None,
    label: str | None = None,
    tags: Sequence[str] = (),
) -> Any:
    """Marks a function as a benchmark, and leaves it as it is.

    One whose first parameter is named `state` has a loop of its own, `for _ in state:`. Of any other, an execution is a
    call, with the parameters' values as keyword arguments. A coroutine function is run to its end by an event loop of
    asyncio's, whose work is measured with it. A generator function is refused: a call only makes the generator.

    `params` gives a case for every combination of values. `label` is what it is called, instead of its name; "/"
    divides it. `tags` are for `--filter tag=…`.
    """
    if isinstance(tags, str):
        raise TypeError(f"tags is a list of texts: [{tags!r}]")
    values = _checked(params)

    def mark(marked: Any) -> Any:
        if not callable(marked):
            raise TypeError(f"@tallymark.bench marks a function, not {marked!r}")
        if _makes_generator(marked):
            name = getattr(marked, "__name__", repr(marked))
            raise TypeError(
                f"@tallymark.bench marks {name}, whose call only makes a generator and executes nothing of it: mark a "
                "function that goes over it, such as lambda: list(f())"
            )
        its_label = label or getattr(marked, "__name__", None) or repr(marked)
        registered.append(Benchmark(marked, its_label, values, tuple(tags)))
        return marked

    return mark if function is None else mark(function)


def _command(program: str, file: str, arguments: Sequence[str]) -> list[str]:
    """`tally run` of this file by this interpreter; what stands behind `--` stays there."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    options, behind = list(arguments[:split]), list(arguments[split:])
    if not any(one == "--python" or one.startswith("--python=") for one in options):
        options += ["--python", sys.executable]
    if "PYTHONPATH" in os.environ:
        options += ["--keep-env", "PYTHONPATH"]
    return [program, "run", *options, "--script", file, *behind]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Measures the benchmarks of the file that runs as `__main__`, and ends with tally's exit code. The command line's
    arguments (or these) are options of `tally run`.

    `if __name__ == "__main__": tallymark.main()`
    """
    file = getattr(sys.modules["__main__"], "__file__", None)
    if file is None:
        sys.exit(
            "tallymark.main() measures the file that was started, and here there is none: tally run --script FILE"
        )
    from tallymark._client.program import NO_PROGRAM, program_path

    program = program_path()
    if program is None:
        sys.exit(NO_PROGRAM)
    sys.stdout.flush()
    try:
        code = subprocess.run(
            _command(program, file, sys.argv[1:] if arguments is None else arguments), check=False
        ).returncode
    except OSError as error:
        sys.exit(f"tallymark: cannot start {program}: {error.strerror}")
    except KeyboardInterrupt:
        code = 130
    # As a shell has it, of a signal.
    sys.exit(code if code >= 0 else 128 - code)
