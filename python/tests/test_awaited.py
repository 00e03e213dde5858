"""Calls that only make something: coroutines are run to their end, generators refused."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Iterator
from typing import Any, Callable

import pytest
import tallymark
from tallymark import CaseFailed, Error
from tallymark._capture import awaited as _awaited
from tallymark._statement import define


async def sums(n: int) -> int:
    total = 0
    for i in range(n):
        total += i
    await asyncio.sleep(0)
    return total


def numbers(n: int) -> Iterator[int]:
    yield from range(n)


async def later(n: int) -> AsyncIterator[int]:
    for i in range(n):
        yield i


class Called:
    async def __call__(self, n: int) -> int:
        return n

    def numbers(self, n: int) -> Iterator[int]:
        yield n

    async def sums(self, n: int) -> int:
        return n


@pytest.mark.parametrize(
    "function",
    [sums, functools.partial(sums), Called(), Called().sums, functools.partial(Called().sums)],
)
def test_a_coroutine_is_run_to_its_end(function: Callable[..., Any]) -> None:
    made = define(function, 3)
    assert made.stmt.startswith("run(") and made.stmt.endswith("))")
    assert made.data is not None and _awaited.NOTE in made.data.notes
    assert "asyncio" in made.data.requires
    assert all("Loop" not in one.type for one in made.data.data)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (numbers, "makes a generator, and runs none of it; measure what runs it: lambda: list("),
        (functools.partial(numbers, 3), "makes a generator"),
        (Called().numbers, "lambda: list(numbers(…)), or collections.deque("),
        (later, "makes an asynchronous generator"),
    ],
)
def test_a_generator_is_refused(function: Callable[..., Any], words: str) -> None:
    with pytest.raises(Error, match=r"calling it") as caught:
        define(function, 3)
    assert words in str(caught.value)


def test_what_may_return_one_is_executed_once_more() -> None:
    assert _awaited.may_return_one(lambda: sums(1))
    assert _awaited.may_return_one(lambda: (i for i in [1]))
    assert _awaited.may_return_one(functools.partial(lambda: numbers(2)))
    assert not _awaited.may_return_one(lambda: len([1]))
    assert not _awaited.may_return_one(sorted)
    for function, checked in ((lambda: sums(1), True), (len, False)):
        data = define(function, *([] if checked else [[1]])).data
        assert data is not None and ("case_locals.pop('done')" in data.load) is checked


def test_a_text_that_drops_what_a_call_makes_has_a_note() -> None:
    notes = define("sums(3)", globals={"sums": sums}).data
    assert notes is not None
    assert notes.notes == (
        "sums() makes a coroutine and runs none of it: what is counted is that it is made",
    )
    kept = define("asyncio.run(sums(3))", setup="import asyncio", globals={"sums": sums}).data
    assert kept is not None
    assert kept.notes == ()


def test_run_is_possible_within_a_running_loop() -> None:
    async def outer() -> Any:
        return _awaited.run(sums(4))

    assert asyncio.run(outer()) == 6
    with pytest.raises(ZeroDivisionError):
        asyncio.run(_failing())


async def _failing() -> Any:
    async def inner() -> float:
        return 1 / len([])

    return _awaited.run(inner())


@pytest.mark.end_to_end
def test_a_coroutine_is_counted_with_what_it_does(engine: tallymark.Engine) -> None:
    few = tallymark.count(sums, 10, profile=False, engine=engine).instructions
    many = tallymark.count(sums, 1010, profile=False, engine=engine).instructions
    plain = tallymark.count(
        "for i in range(1000): total += i", setup="total = 0", profile=False, engine=engine
    )
    assert few and many and plain.instructions
    assert many - few == pytest.approx(plain.instructions, rel=0.2)


@pytest.mark.end_to_end
def test_what_is_returned_and_not_run_is_an_error(engine: tallymark.Engine) -> None:
    for function, hint in (
        (lambda: sums(10), "the coroutine function itself"),
        (lambda: numbers(10), "lambda: list(…) of it"),
    ):
        with pytest.raises(CaseFailed, match="and nothing runs it") as caught:
            tallymark.count(function, profile=False, engine=engine)
        assert hint in str(caught.value)
